// SPDX-License-Identifier: GPL-2.0
/*
 * Builds headers from struct uet_pkt.  Every byte of a header is written,
 * reserved ones as zero, so the buffer need not be cleared before.
 */
#include "bytes.h"
#include "hdr_build.h"
#include "psn.h"

static void hdr_put_prologue(u8 *p, unsigned int type, unsigned int next,
			     unsigned int flags)
{
	uet_put_be16(UET_PROLOGUE(type, next, flags & UET_PROLOGUE_FLAGS), p);
}

/* Signed 16-bit distance between PSNs. Returns false if it does not fit. */
static bool hdr_put_psn_offset(u8 *p, u32 psn, u32 from)
{
	s32 delta = psn_delta(psn, from);

	uet_put_be16((u16)delta, p);
	return delta == (s16)delta;
}

/* Writes dpdcid, or in a SYN packet {pdc_info, psn_offset}. */
static bool hdr_put_dpdcid(u8 *p, const struct uet_pkt *pkt, u32 psn, u32 start)
{
	u32 offset = psn - start;

	if (likely(!(pkt->flags & UET_F_SYN))) {
		uet_put_be16(pkt->dpdcid, p);
		return true;
	}
	uet_put_be16(offset & UET_SYN_PSN_OFFSET, p);
	return offset <= UET_SYN_PSN_OFFSET_MAX;
}

unsigned int uet_build_req(void *buf, const struct uet_pkt *pkt)
{
	const struct uet_req *req = &pkt->req;
	u8 *p = buf;
	bool ok;

	hdr_put_prologue(p, pkt->type, pkt->next_hdr, pkt->flags);
	ok = hdr_put_psn_offset(p + 2, req->clear_psn, req->psn);
	uet_put_be32(req->psn, p + 4);
	uet_put_be16(pkt->spdcid, p + 8);
	ok &= hdr_put_dpdcid(p + 10, pkt, req->psn, req->start_psn);
	if (unlikely(!ok))
		return 0;
	if (likely(pkt->type < UET_PDS_RUD_CC_REQ))
		return UET_PDS_REQ_LEN;
	uet_put_be32(FIELD_PREP(UET_REQ_CC_CCC_ID, req->ccc_id) |
		     FIELD_PREP(UET_REQ_CC_TARGET, req->credit_target), p + 12);
	return UET_PDS_REQ_CC_LEN;
}

static u64 hdr_cc_state(const struct uet_ack *ack)
{
	if (ack->cc_type == UET_CC_CREDIT)
		return FIELD_PREP(UET_CREDIT_CREDIT, (u64)ack->credit) |
		       FIELD_PREP(UET_CREDIT_OOO, (u64)ack->ooo_count);
	if (ack->cc_type != UET_CC_NSCC)
		return FIELD_PREP(UET_NSCC_OOO, (u64)UET_OOO_INVALID);
	return FIELD_PREP(UET_NSCC_SERVICE_TIME, (u64)ack->service_time) |
	       FIELD_PREP(UET_NSCC_RC, (u64)!!ack->rc) |
	       FIELD_PREP(UET_NSCC_PEND, (u64)ack->pend) |
	       FIELD_PREP(UET_NSCC_RCVD_BYTES, (u64)ack->rcvd_bytes) |
	       FIELD_PREP(UET_NSCC_OOO, (u64)ack->ooo_count);
}

unsigned int uet_build_ack(void *buf, const struct uet_pkt *pkt)
{
	const struct uet_ack *ack = &pkt->ack;
	bool ok = true;
	u8 *p = buf;
	u8 type;

	hdr_put_prologue(p, pkt->type, pkt->next_hdr, pkt->flags);
	if (pkt->flags & UET_F_PROBE)
		uet_put_be16(ack->probe_opaque, p + 2);
	else
		ok = hdr_put_psn_offset(p + 2, ack->ack_psn, ack->cack_psn);
	uet_put_be32(ack->cack_psn, p + 4);
	uet_put_be16(pkt->spdcid, p + 8);
	uet_put_be16(pkt->dpdcid, p + 10);
	if (pkt->type == UET_PDS_ACK)
		return ok ? UET_PDS_ACK_LEN : 0;
	if (pkt->type != UET_PDS_ACK_CC)
		return 0;

	type = ack->cc_type == UET_CC_CREDIT ? UET_CC_CREDIT : UET_CC_NSCC;
	p[12] = FIELD_PREP(UET_ACK_CC_TYPE, type);
	p[13] = ack->mpr;
	ok &= hdr_put_psn_offset(p + 14, ack->sack_base, ack->cack_psn);
	uet_put_be64(ack->sack_bitmap, p + 16);
	uet_put_be64(hdr_cc_state(ack), p + 24);
	return ok ? UET_PDS_ACK_CC_LEN : 0;
}

unsigned int uet_build_ack_rsp(void *buf, const struct uet_pkt *pkt)
{
	unsigned int len = uet_build_ack(buf, pkt);

	if (len && pkt->next_hdr == UET_NH_RSP)
		len += uet_build_rsp((u8 *)buf + len, &pkt->rsp);
	return len;
}

unsigned int uet_build_nack(void *buf, const struct uet_pkt *pkt)
{
	u8 *p = buf;

	hdr_put_prologue(p, UET_PDS_NACK, UET_NH_NONE, pkt->flags);
	p[2] = pkt->nack.code;
	p[3] = pkt->nack.vendor;
	uet_put_be32(pkt->nack.psn, p + 4);
	uet_put_be16(pkt->spdcid, p + 8);
	uet_put_be16(pkt->dpdcid, p + 10);
	uet_put_be32(pkt->nack.payload, p + 12);
	return UET_PDS_NACK_LEN;
}

unsigned int uet_build_cp(void *buf, const struct uet_pkt *pkt)
{
	u8 *p = buf;
	bool ok;

	hdr_put_prologue(p, UET_PDS_CP, pkt->ctl_type, pkt->flags);
	uet_put_be16(pkt->cp.probe_opaque, p + 2);
	uet_put_be32(pkt->cp.psn, p + 4);
	uet_put_be16(pkt->spdcid, p + 8);
	ok = hdr_put_dpdcid(p + 10, pkt, pkt->cp.psn, pkt->cp.start_psn);
	uet_put_be32(pkt->cp.payload, p + 12);
	return ok ? UET_PDS_CP_LEN : 0;
}

unsigned int uet_build_uud(void *buf, const struct uet_pkt *pkt)
{
	u8 *p = buf;

	hdr_put_prologue(p, UET_PDS_UUD_REQ, pkt->next_hdr, 0);
	uet_put_be16(0, p + 2);
	return UET_PDS_UUD_LEN;
}

unsigned int uet_build_rudi(void *buf, const struct uet_pkt *pkt)
{
	u8 *p = buf;

	hdr_put_prologue(p, pkt->type, pkt->next_hdr, pkt->flags);
	uet_put_be16(0, p + 2);
	uet_put_be32(pkt->pkt_id, p + 4);
	return UET_PDS_RUDI_LEN;
}

/* The first 12 bytes; @id is the message id or a 14-bit length. */
static void hdr_put_ses_common(u8 *p, const struct uet_ses_req *ses, u16 id)
{
	p[0] = ses->opcode & UET_SES_OPCODE;
	p[1] = ses->flags & UET_SES_FLAGS;
	uet_put_be16(id, p + 2);
	uet_put_be32((u32)ses->generation << 24 |
		     (ses->job & UET_SES_JOB_MAX), p + 4);
	uet_put_be16(ses->pid & UET_SES_ID12, p + 8);
	uet_put_be16(ses->ri & UET_SES_ID12, p + 10);
}

unsigned int uet_build_ses_std(void *buf, const struct uet_ses_req *ses)
{
	u64 word = 0;
	u8 *p = buf;

	if (!(ses->flags & UET_SES_F_SOM))
		word = FIELD_PREP(UET_SES_STD_PAYLOAD_LEN,
				  (u64)ses->payload_length) |
		       FIELD_PREP(UET_SES_STD_MSG_OFFSET,
				  (u64)ses->message_offset);
	else if (ses->flags & UET_SES_F_HD)
		word = ses->header_data;
	hdr_put_ses_common(p, ses, ses->msg_id);
	uet_put_be64(ses->buffer_offset, p + 12);
	uet_put_be32(ses->initiator, p + 20);
	uet_put_be64(ses->key, p + 24);
	uet_put_be64(word, p + 32);
	uet_put_be32(ses->request_length, p + 40);
	return UET_SES_STD_LEN;
}

unsigned int uet_build_ses_small(void *buf, const struct uet_ses_req *ses)
{
	u8 *p = buf;

	hdr_put_ses_common(p, ses, ses->request_length & UET_SES_LEN14);
	uet_put_be64(ses->buffer_offset, p + 12);
	return UET_SES_SMALL_LEN;
}

unsigned int uet_build_ses_medium(void *buf, const struct uet_ses_req *ses)
{
	u8 *p = buf;

	hdr_put_ses_common(p, ses, ses->request_length & UET_SES_LEN14);
	uet_put_be64(ses->flags & UET_SES_F_HD ? ses->header_data :
						 ses->buffer_offset, p + 12);
	uet_put_be32(ses->initiator, p + 20);
	uet_put_be64(ses->key, p + 24);
	return UET_SES_MEDIUM_LEN;
}

static void hdr_put_rsp_op(u8 *p, const struct uet_ses_rsp *rsp)
{
	p[0] = FIELD_PREP(UET_SES_RSP_LIST, rsp->list) |
	       (rsp->opcode & UET_SES_OPCODE);
	p[1] = rsp->code & UET_SES_RSP_RC;
}

unsigned int uet_build_rsp(void *buf, const struct uet_ses_rsp *rsp)
{
	u8 *p = buf;

	hdr_put_rsp_op(p, rsp);
	uet_put_be16(rsp->msg_id, p + 2);
	uet_put_be32((u32)rsp->generation << 24 |
		     (rsp->job & UET_SES_JOB_MAX), p + 4);
	uet_put_be32(rsp->modified_length, p + 8);
	return UET_SES_RSP_LEN;
}
