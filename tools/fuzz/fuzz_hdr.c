// SPDX-License-Identifier: GPL-2.0
/*
 * Header parser and builders.  Input: two bytes that say how much of the packet
 * is readable and how long it claims to be, then the packet.
 */
#include "fuzz.h"
#include "../../net/uet/tests/pkt_build.h"

/* What the rest of the module relies on in any packet that was understood */
static void check_pkt(const struct uet_pkt *pkt, unsigned int linear,
		      unsigned int len)
{
	CHECK(pkt->pds_len <= pkt->hdr_len);
	CHECK(pkt->hdr_len <= linear && pkt->hdr_len <= UET_HDR_MAX_LEN);
	CHECK(pkt->hdr_len + pkt->payload_len <= len);
	CHECK(pkt->violation < UET_VIOL_MAX);
	CHECK(!pkt->violation || !pkt->payload_len);
	if (uet_pkt_has_ses_req(pkt)) {
		const struct uet_ses_req *ses = &pkt->ses;

		CHECK(ses->job <= UET_SES_JOB_MAX);
		CHECK(ses->pid <= UET_SES_ID12 && ses->ri <= UET_SES_ID12);
		if (!pkt->violation && ses->opcode < UET_SES_OP_KNOWN)
			CHECK((u64)ses->message_offset + pkt->payload_len <=
			      ses->request_length);
		/* SMALL names no sender, and MEDIUM has no place for tokens. */
		if (!pkt->violation && pkt->next_hdr != UET_NH_REQ_STD)
			CHECK(ses->opcode != UET_SES_OP_DEFERRABLE_SEND &&
			      (ses->opcode != UET_SES_OP_SEND ||
			       pkt->next_hdr == UET_NH_REQ_MEDIUM));
	} else if (uet_pkt_has_ses_rsp(pkt)) {
		CHECK(pkt->rsp.opcode < UET_RSP_OP_KNOWN);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	unsigned int cut = take(&in, 1), more = take(&in, 1) * 40;
	unsigned int linear, len;
	u8 out[UET_HDR_MAX_LEN], again[UET_HDR_MAX_LEN];
	struct uet_pkt pkt, ref;
	u8 *copy;
	int err;

	linear = min_t(size_t, in.left, 2048);
	linear -= min(cut % 16, linear);
	len = linear + more;
	copy = malloc(linear ? linear : 1);
	CHECK(copy);
	memcpy(copy, in.p, linear);
	memset(&pkt, 0, sizeof(pkt));
	err = uet_pkt_parse(&pkt, copy, linear, len);
	CHECK(err <= 0 && err > -UET_PERR_MAX);
	if (!err) {
		unsigned int n = pkt_build(out, &pkt);

		check_pkt(&pkt, linear, len);
		/* What can be built again parses and builds to the same. */
		if (n) {
			memcpy(copy, out, n);
			memset(&ref, 0xff, sizeof(ref));
			CHECK(!uet_pkt_parse(&ref, copy, linear, len));
			CHECK(pkt_build(again, &ref) == n);
			CHECK(!memcmp(out, again, n));
			CHECK(ref.violation == pkt.violation);
			CHECK(ref.payload_len == pkt.payload_len);
		}
	}
	err = uet_pkt_parse_trimmed(&pkt, copy, linear);
	CHECK(err <= 0 && err > -UET_PERR_MAX);
	if (!err)
		CHECK(pkt.hdr_len <= linear && !pkt.payload_len);
	free(copy);
	return 0;
}
