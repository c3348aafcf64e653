/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Builds any packet that the parser knows, for its tests. What this module
 * sends is built by core/wire/hdr_build.c; the rest, which it only receives, here.
 */
#ifndef _UET_TESTS_PKT_BUILD_H
#define _UET_TESTS_PKT_BUILD_H

#include "../core/wire/bytes.h"
#include "../core/wire/hdr_build.h"

/* What all responses begin with */
#define PKT_RSP_COMMON_LEN	2

/* RUDI_REQ, RUDI_RESP: type, next_hdr, flags, pkt_id */
static inline unsigned int pkt_build_rudi(u8 *p, const struct uet_pkt *pkt)
{
	uet_put_be16(UET_PROLOGUE(pkt->type, pkt->next_hdr,
				  pkt->flags & UET_PROLOGUE_FLAGS), p);
	uet_put_be16(0, p + 2);
	uet_put_be32(pkt->pkt_id, p + 4);
	return UET_PDS_RUDI_LEN;
}

static inline void pkt_put_rsp(u8 *p, const struct uet_ses_rsp *rsp)
{
	u8 whole[UET_SES_RSP_LEN];

	uet_build_rsp(whole, rsp);
	memcpy(p, whole, PKT_RSP_COMMON_LEN);
}

/* The header of a response with data */
static inline unsigned int pkt_build_rsp_data(u8 *p,
					      const struct uet_ses_rsp *rsp)
{
	pkt_put_rsp(p, rsp);
	uet_put_be16(rsp->rsp_msg_id, p + 2);
	uet_put_be32(rsp->job & UET_SES_JOB_MAX, p + 4);
	uet_put_be16(rsp->msg_id, p + 8);
	uet_put_be16(rsp->payload_length & UET_SES_LEN14, p + 10);
	uet_put_be32(rsp->modified_length, p + 12);
	uet_put_be32(rsp->message_offset, p + 16);
	return UET_SES_RSP_DATA_LEN;
}

/* The header of a small response with data */
static inline unsigned int pkt_build_rsp_small(u8 *p,
					       const struct uet_ses_rsp *rsp)
{
	pkt_put_rsp(p, rsp);
	uet_put_be16(rsp->payload_length & UET_SES_LEN14, p + 2);
	uet_put_be32(rsp->job & UET_SES_JOB_MAX, p + 4);
	uet_put_be32(rsp->original_psn, p + 8);
	return UET_SES_RSP_DATA_SMALL_LEN;
}

static inline unsigned int pkt_build_pds(u8 *p, const struct uet_pkt *pkt)
{
	switch (pkt->type) {
	case UET_PDS_RUD_REQ:
	case UET_PDS_ROD_REQ:
	case UET_PDS_RUD_CC_REQ:
	case UET_PDS_ROD_CC_REQ:
		return uet_build_req(p, pkt);
	case UET_PDS_RUDI_REQ:
	case UET_PDS_RUDI_RESP:
		return pkt_build_rudi(p, pkt);
	case UET_PDS_UUD_REQ:
		return uet_build_uud(p, pkt);
	case UET_PDS_ACK:
	case UET_PDS_ACK_CC:
		return uet_build_ack(p, pkt);
	case UET_PDS_NACK:
		return uet_build_nack(p, pkt);
	case UET_PDS_CP:
		return uet_build_cp(p, pkt);
	}
	return 0;
}

/*
 * PDS and SES header. The caller adds extension header and payload. Returns the
 * bytes written, at most UET_HDR_MAX_LEN, 0 if the packet cannot be expressed.
 */
static inline unsigned int pkt_build(u8 *p, const struct uet_pkt *pkt)
{
	unsigned int len = pkt_build_pds(p, pkt);

	if (!len)
		return 0;
	switch (pkt->next_hdr) {
	case UET_NH_NONE:
		return len;
	case UET_NH_REQ_SMALL:
		return len + uet_build_ses_small(p + len, &pkt->ses);
	case UET_NH_REQ_MEDIUM:
		return len + uet_build_ses_medium(p + len, &pkt->ses);
	case UET_NH_REQ_STD:
		return len + uet_build_ses_std(p + len, &pkt->ses);
	case UET_NH_RSP:
		return len + uet_build_rsp(p + len, &pkt->rsp);
	case UET_NH_RSP_DATA:
		return len + pkt_build_rsp_data(p + len, &pkt->rsp);
	case UET_NH_RSP_DATA_SMALL:
		return len + pkt_build_rsp_small(p + len, &pkt->rsp);
	}
	return 0;
}

#endif /* _UET_TESTS_PKT_BUILD_H */
