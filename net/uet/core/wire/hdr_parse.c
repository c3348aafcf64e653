// SPDX-License-Identifier: GPL-2.0
/*
 * Parses PDS and SES headers into struct uet_pkt.
 *
 * A table holds for each packet type the header length, the known flags and the
 * allowed next headers.  A request with a standard SES header, which is nearly
 * every packet, takes one pass without loops.  Reserved bits are ignored;
 * a reserved code point is a parse error.
 *
 * Not here: what is in extension headers, and whether the values make sense
 * for the state of a PDC or message.
 */
#include "bytes.h"
#include "hdr_parse.h"

/* Flags that each packet type defines */
#define REQ_FLAGS	(UET_F_RETX | UET_F_AR | UET_F_SYN)
#define ACK_FLAGS	(UET_F_ECN | UET_F_RETX | UET_F_PROBE | UET_F_REQ_MASK)
#define NACK_FLAGS	(UET_F_ECN | UET_F_RETX | UET_F_NT_RUDI)
#define CP_FLAGS	(UET_F_ISROD | UET_F_RETX | UET_F_AR | UET_F_SYN)

/* Sets of next_hdr values */
#define NH_NONE		BIT(UET_NH_NONE)
#define NH_REQS		(BIT(UET_NH_REQ_SMALL) | BIT(UET_NH_REQ_MEDIUM) | \
			 BIT(UET_NH_REQ_STD))
#define NH_DATA		(BIT(UET_NH_RSP_DATA) | BIT(UET_NH_RSP_DATA_SMALL))
#define NH_RSPS		(BIT(UET_NH_RSP) | NH_DATA)
#define NH_CTL		(BIT(UET_CTL_TYPES) - 1)

enum pds_kind {
	KIND_RSVD,	/* 0: the default of entries that the table omits */
	KIND_REQ,
	KIND_ACK,
	KIND_NACK,
	KIND_CP,
	KIND_RUDI,
	KIND_UUD,
};

struct pds_info {
	u8 kind;
	u8 len;
	u8 flags;
	u16 next;
};

static const struct pds_info pds_infos[UET_PDS_TYPES] = {
	[UET_PDS_RUD_REQ] = { KIND_REQ, UET_PDS_REQ_LEN, REQ_FLAGS,
			      NH_REQS | NH_DATA },
	[UET_PDS_ROD_REQ] = { KIND_REQ, UET_PDS_REQ_LEN, REQ_FLAGS,
			      NH_REQS | NH_DATA },
	[UET_PDS_RUD_CC_REQ] = { KIND_REQ, UET_PDS_REQ_CC_LEN, REQ_FLAGS,
				 NH_REQS | NH_DATA },
	[UET_PDS_ROD_CC_REQ] = { KIND_REQ, UET_PDS_REQ_CC_LEN, REQ_FLAGS,
				 NH_REQS | NH_DATA },
	[UET_PDS_RUDI_REQ] = { KIND_RUDI, UET_PDS_RUDI_LEN, UET_F_RETX,
			       NH_REQS },
	[UET_PDS_RUDI_RESP] = { KIND_RUDI, UET_PDS_RUDI_LEN,
				UET_F_RETX | UET_F_ECN, NH_RSPS },
	[UET_PDS_UUD_REQ] = { KIND_UUD, UET_PDS_UUD_LEN, 0,
			      BIT(UET_NH_REQ_MEDIUM) | BIT(UET_NH_REQ_STD) },
	[UET_PDS_ACK] = { KIND_ACK, UET_PDS_ACK_LEN, ACK_FLAGS,
			  NH_NONE | NH_RSPS },
	[UET_PDS_ACK_CC] = { KIND_ACK, UET_PDS_ACK_CC_LEN, ACK_FLAGS,
			     NH_NONE | NH_RSPS },
	[UET_PDS_ACK_CCX] = { KIND_ACK, UET_PDS_ACK_CCX_LEN, ACK_FLAGS,
			      NH_NONE | NH_RSPS },
	[UET_PDS_NACK] = { KIND_NACK, UET_PDS_NACK_LEN, NACK_FLAGS, NH_NONE },
	[UET_PDS_NACK_CCX] = { KIND_NACK, UET_PDS_NACK_CCX_LEN, NACK_FLAGS,
			       NH_NONE },
	[UET_PDS_CP] = { KIND_CP, UET_PDS_CP_LEN, CP_FLAGS, NH_CTL },
};

/* What follows the headers of a request, by opcode */
enum op_kind {
	OP_ANY,		/* 0: reserved opcodes, not checked here */
	OP_NONE,
	OP_DATA,
	OP_READ,
	OP_ATOMIC,
	OP_RENDEZVOUS,
};

static const u8 op_kinds[UET_SES_OPCODES] = {
	[UET_SES_OP_NO_OP] = OP_NONE,
	[UET_SES_OP_WRITE] = OP_DATA,
	[UET_SES_OP_READ] = OP_READ,
	[UET_SES_OP_ATOMIC] = OP_ATOMIC,
	[UET_SES_OP_FETCHING_ATOMIC] = OP_ATOMIC,
	[UET_SES_OP_SEND] = OP_DATA,
	[UET_SES_OP_RENDEZVOUS_SEND] = OP_RENDEZVOUS,
	[UET_SES_OP_DATAGRAM_SEND] = OP_DATA,
	[UET_SES_OP_DEFERRABLE_SEND] = OP_DATA,
	[UET_SES_OP_TAGGED_SEND] = OP_DATA,
	[UET_SES_OP_RENDEZVOUS_TSEND] = OP_RENDEZVOUS,
	[UET_SES_OP_DEFERRABLE_TSEND] = OP_DATA,
	[UET_SES_OP_DEFERRABLE_RTR] = OP_NONE,
	[UET_SES_OP_TSEND_ATOMIC] = OP_ATOMIC,
	[UET_SES_OP_TSEND_FETCH_ATOMIC] = OP_ATOMIC,
	[UET_SES_OP_MSG_ERROR] = OP_NONE,
};

/* Operations that UE 1.0 does not define; what they are is for others to say. */
#define OPS_UNKNOWN	(~0ULL << UET_SES_OP_KNOWN)
/* ... that a SMALL header can carry: it names neither a key nor an initiator */
#define OPS_SMALL	(BIT_ULL(UET_SES_OP_NO_OP) | BIT_ULL(UET_SES_OP_WRITE) | \
			 BIT_ULL(UET_SES_OP_READ) | BIT_ULL(UET_SES_OP_ATOMIC) | \
			 BIT_ULL(UET_SES_OP_FETCHING_ATOMIC) | OPS_UNKNOWN)
/* ... and a MEDIUM one, which has no room for restart tokens or several packets */
#define OPS_MEDIUM	(OPS_SMALL | BIT_ULL(UET_SES_OP_SEND) |			\
			 BIT_ULL(UET_SES_OP_DATAGRAM_SEND) |			\
			 BIT_ULL(UET_SES_OP_TAGGED_SEND) |			\
			 BIT_ULL(UET_SES_OP_TSEND_ATOMIC) |			\
			 BIT_ULL(UET_SES_OP_TSEND_FETCH_ATOMIC))

/* Part of a packet that is still to be parsed */
struct cursor {
	const u8 *p;
	unsigned int linear;	/* readable bytes from @p on, <= len */
	unsigned int len;
	unsigned int off;
};

/* @need bytes are not readable: the packet is too short, or not linear */
static int hdr_need_err(const struct cursor *c, unsigned int need,
			enum uet_parse_err err)
{
	return c->len < need ? -(int)err : -UET_PERR_LINEAR;
}

static bool hdr_is_cswap(u8 amo)
{
	return amo >= UET_AMO_CSWAP && amo <= UET_AMO_MSWAP;
}

/* Reads dpdcid, or in a SYN packet {pdc_info, psn_offset}. */
static u32 hdr_parse_dpdcid(struct uet_pkt *pkt, const u8 *p, u32 psn)
{
	u16 word = uet_get_be16(p);

	if (likely(!(pkt->flags & UET_F_SYN))) {
		pkt->dpdcid = word;
		return 0;
	}
	pkt->dpdcid = 0;
	return psn - FIELD_GET(UET_SYN_PSN_OFFSET, word);
}

static __always_inline void hdr_parse_req(struct uet_pkt *pkt, const u8 *p)
{
	u32 psn = uet_get_be32(p + 4);

	pkt->req.psn = psn;
	pkt->req.clear_psn = psn + (s16)uet_get_be16(p + 2);
	pkt->spdcid = uet_get_be16(p + 8);
	pkt->req.start_psn = hdr_parse_dpdcid(pkt, p + 10, psn);
	pkt->req.ccc_id = 0;
	pkt->req.credit_target = 0;
	if (pkt->pds_len == UET_PDS_REQ_CC_LEN) {
		u32 cc = uet_get_be32(p + 12);

		pkt->req.ccc_id = FIELD_GET(UET_REQ_CC_CCC_ID, cc);
		pkt->req.credit_target = FIELD_GET(UET_REQ_CC_TARGET, cc);
	}
}

static void hdr_parse_cc_state(struct uet_ack *ack, u64 state)
{
	if (ack->cc_type == UET_CC_NSCC) {
		ack->service_time = FIELD_GET(UET_NSCC_SERVICE_TIME, state);
		ack->rc = FIELD_GET(UET_NSCC_RC, state);
		ack->pend = FIELD_GET(UET_NSCC_PEND, state);
		ack->rcvd_bytes = FIELD_GET(UET_NSCC_RCVD_BYTES, state);
		ack->ooo_count = FIELD_GET(UET_NSCC_OOO, state);
	} else if (ack->cc_type == UET_CC_CREDIT) {
		ack->credit = FIELD_GET(UET_CREDIT_CREDIT, state);
		ack->ooo_count = FIELD_GET(UET_CREDIT_OOO, state);
	} else {
		ack->cc_type = UET_CC_NONE;
	}
}

static void hdr_parse_ack(struct uet_pkt *pkt, const u8 *p)
{
	struct uet_ack *ack = &pkt->ack;
	u16 word = uet_get_be16(p + 2);
	u32 cack = uet_get_be32(p + 4);

	ack->cack_psn = cack;
	ack->ack_psn = cack;
	ack->probe_opaque = 0;
	if (pkt->flags & UET_F_PROBE)
		ack->probe_opaque = word;
	else
		ack->ack_psn += (s16)word;
	pkt->spdcid = uet_get_be16(p + 8);
	pkt->dpdcid = uet_get_be16(p + 10);

	ack->service_time = UET_SERVICE_TIME_INVALID;
	ack->rcvd_bytes = 0;
	ack->credit = 0;
	ack->ooo_count = UET_OOO_INVALID;
	ack->pend = 0;
	ack->rc = 0;
	if (pkt->type == UET_PDS_ACK) {
		ack->cc_type = UET_CC_NONE;
		ack->mpr = 0;
		ack->sack_base = cack + 1;
		ack->sack_bitmap = 0;
		return;
	}
	ack->mpr = p[13];
	ack->sack_base = cack + (s16)uet_get_be16(p + 14);
	ack->sack_bitmap = uet_get_be64(p + 16);
	/* The extended state of an ACK_CCX is ignored. */
	ack->cc_type = UET_CC_NONE;
	if (pkt->type == UET_PDS_ACK_CC) {
		ack->cc_type = FIELD_GET(UET_ACK_CC_TYPE, p[12]);
		hdr_parse_cc_state(ack, uet_get_be64(p + 24));
	}
}

static void hdr_parse_nack(struct uet_pkt *pkt, const u8 *p)
{
	pkt->nack.code = p[2];
	pkt->nack.vendor = p[3];
	pkt->nack.psn = uet_get_be32(p + 4);
	pkt->spdcid = uet_get_be16(p + 8);
	pkt->dpdcid = uet_get_be16(p + 10);
	pkt->nack.payload = uet_get_be32(p + 12);
}

static void hdr_parse_cp(struct uet_pkt *pkt, const u8 *p)
{
	u32 psn = uet_get_be32(p + 4);

	pkt->cp.probe_opaque = uet_get_be16(p + 2);
	pkt->cp.psn = psn;
	pkt->spdcid = uet_get_be16(p + 8);
	pkt->cp.start_psn = hdr_parse_dpdcid(pkt, p + 10, psn);
	pkt->cp.payload = uet_get_be32(p + 12);
}

/* Parse the PDS header and move the cursor behind it. */
static __always_inline int hdr_parse_pds(struct uet_pkt *pkt, struct cursor *c,
					 unsigned int *kind)
{
	const struct pds_info *info;
	unsigned int next;
	u16 prologue;

	if (unlikely(c->linear < UET_PROLOGUE_LEN))
		return hdr_need_err(c, UET_PROLOGUE_LEN, UET_PERR_SHORT);
	prologue = uet_get_be16(c->p);
	pkt->type = FIELD_GET(UET_PROLOGUE_TYPE, prologue);
	info = &pds_infos[pkt->type];
	if (unlikely(info->kind == KIND_RSVD))
		return pkt->type == UET_PDS_TSS ? -UET_PERR_TSS :
						  -UET_PERR_TYPE;
	next = FIELD_GET(UET_PROLOGUE_NEXT, prologue);
	if (unlikely(!(info->next & BIT(next))))
		return info->kind == KIND_CP ? -UET_PERR_CTL_TYPE :
					       -UET_PERR_NEXT_HDR;
	if (unlikely(c->linear < info->len))
		return hdr_need_err(c, info->len, UET_PERR_SHORT);
	*kind = info->kind;
	pkt->next_hdr = next;
	pkt->ctl_type = 0;
	pkt->flags = prologue & info->flags;
	pkt->violation = UET_VIOL_NONE;
	pkt->pds_len = info->len;
	pkt->hdr_len = info->len;
	pkt->payload_len = 0;
	pkt->exact = false;
	c->off = info->len;
	return 0;
}

static __always_inline void hdr_parse_pds_body(struct uet_pkt *pkt, const u8 *p,
					       unsigned int kind)
{
	if (likely(kind == KIND_REQ)) {
		hdr_parse_req(pkt, p);
		return;
	}
	switch (kind) {
	case KIND_ACK:
		hdr_parse_ack(pkt, p);
		return;
	case KIND_NACK:
		hdr_parse_nack(pkt, p);
		return;
	case KIND_CP:
		pkt->ctl_type = pkt->next_hdr;
		pkt->next_hdr = UET_NH_NONE;
		hdr_parse_cp(pkt, p);
		return;
	case KIND_RUDI:
		pkt->pkt_id = uet_get_be32(p + 4);
		break;
	}
	pkt->spdcid = 0;
	pkt->dpdcid = 0;
}

/*
 * Length of the extension header at the cursor, 0 if the packet ends before it does, or
 * a negated reason. The PDS header of such a packet is sound, so its source is told that
 * the operation is not.
 */
static __always_inline int hdr_parse_ext_len(const struct cursor *c,
					     unsigned int kind)
{
	unsigned int ext = UET_SES_RENDEZVOUS_LEN;

	if (kind == OP_ATOMIC) {
		ext = UET_SES_ATOMIC_LEN;
		if (c->linear < c->off + ext)
			return hdr_need_err(c, c->off + ext, UET_PERR_NONE);
		if (hdr_is_cswap(c->p[c->off]))
			ext = UET_SES_CSWAP_LEN;
	}
	if (c->linear < c->off + ext)
		return hdr_need_err(c, c->off + ext, UET_PERR_NONE);
	return ext;
}

/*
 * The payload of an atomic is the operand. Compare-and-swap has its values in
 * the extension header instead, and request_length counts them.
 */
static u8 hdr_check_atomic(struct uet_pkt *pkt, unsigned int present)
{
	struct uet_ses_req *ses = &pkt->ses;

	if ((ses->flags & (UET_SES_F_SOM | UET_SES_F_EOM)) !=
	    (UET_SES_F_SOM | UET_SES_F_EOM))
		return UET_VIOL_SINGLE;
	if (ses->ext_len == UET_SES_CSWAP_LEN) {
		ses->payload_length = 0;
		return present ? UET_VIOL_PAYLOAD : UET_VIOL_NONE;
	}
	if (present < ses->request_length)
		return UET_VIOL_SHORT;
	ses->payload_length = ses->request_length;
	pkt->payload_len = ses->payload_length;
	return UET_VIOL_NONE;
}

static u8 hdr_check_offset(const struct uet_ses_req *ses)
{
	u64 end = (u64)ses->message_offset + ses->payload_length;

	return end > ses->request_length ? UET_VIOL_OFFSET : UET_VIOL_NONE;
}

/*
 * Payload of a data packet.  The first packet of a message has no length field:
 * its payload is what follows the headers, up to request_length.  In other
 * packets payload_length must be equal to what follows the headers.
 */
static __always_inline u8 hdr_check_data(struct uet_pkt *pkt, unsigned int kind,
					 unsigned int present)
{
	struct uet_ses_req *ses = &pkt->ses;
	const u8 whole = UET_SES_F_SOM | UET_SES_F_EOM;

	if (likely((ses->flags & whole) == whole && present == ses->request_length)) {
		ses->payload_length = present;
		pkt->payload_len = present;
		pkt->exact = true;
		return UET_VIOL_NONE;
	}
	if (ses->flags & UET_SES_F_SOM) {
		if (unlikely((ses->flags & UET_SES_F_EOM) && kind == OP_DATA &&
			     present < ses->request_length))
			return UET_VIOL_SHORT;
		if (unlikely(!(ses->flags & UET_SES_F_EOM) &&
			     present > ses->request_length))
			return UET_VIOL_LENGTH;
		ses->payload_length = min(present, ses->request_length);
		pkt->payload_len = ses->payload_length;
		return UET_VIOL_NONE;
	}
	if (unlikely(ses->payload_length != present))
		return UET_VIOL_LENGTH;
	pkt->payload_len = present;
	pkt->exact = true;
	return hdr_check_offset(ses);
}

/* Payload of an operation that carries none */
static u8 hdr_check_no_data(struct uet_ses_req *ses, unsigned int kind,
			    unsigned int present)
{
	if (present)
		return UET_VIOL_PAYLOAD;
	if (ses->flags & UET_SES_F_SOM) {
		if (kind == OP_READ)
			ses->payload_length = min_t(u32, ses->request_length,
						    U16_MAX);
		return UET_VIOL_NONE;
	}
	if (kind == OP_NONE && ses->payload_length)
		return UET_VIOL_LENGTH;
	return hdr_check_offset(ses);
}

static noinline u8 hdr_check_other(struct uet_pkt *pkt, unsigned int kind,
				   unsigned int present)
{
	struct uet_ses_req *ses = &pkt->ses;

	switch (kind) {
	case OP_RENDEZVOUS:
		return hdr_check_data(pkt, kind, present);
	case OP_ATOMIC:
		return hdr_check_atomic(pkt, present);
	case OP_READ:
	case OP_NONE:
		return hdr_check_no_data(ses, kind, present);
	}
	if (ses->flags & UET_SES_F_SOM)
		ses->payload_length = present;
	pkt->payload_len = present;
	return UET_VIOL_NONE;
}

static __always_inline u8 hdr_check_payload(struct uet_pkt *pkt, unsigned int kind,
					    unsigned int present)
{
	if (likely(kind == OP_DATA))
		return hdr_check_data(pkt, kind, present);
	return hdr_check_other(pkt, kind, present);
}

static __always_inline void hdr_parse_ses_std(struct uet_ses_req *ses, const u8 *p)
{
	u64 word = uet_get_be64(p + 32);

	ses->msg_id = uet_get_be16(p + 2);
	ses->buffer_offset = uet_get_be64(p + 12);
	ses->initiator = uet_get_be32(p + 20);
	ses->key = uet_get_be64(p + 24);
	ses->request_length = uet_get_be32(p + 40);
	ses->header_data = 0;
	ses->payload_length = 0;
	ses->message_offset = 0;
	if (!(ses->flags & UET_SES_F_SOM)) {
		ses->payload_length = FIELD_GET(UET_SES_STD_PAYLOAD_LEN, word);
		ses->message_offset = FIELD_GET(UET_SES_STD_MSG_OFFSET, word);
	} else if (ses->flags & UET_SES_F_HD) {
		ses->header_data = word;
	}
}

/* Small and medium requests, for messages of one packet */
static noinline void hdr_parse_ses_short(struct uet_ses_req *ses, const u8 *p,
					 bool medium)
{
	u64 word = uet_get_be64(p + 12);

	ses->msg_id = 0;
	ses->request_length = uet_get_be16(p + 2) & UET_SES_LEN14;
	ses->payload_length = 0;
	ses->message_offset = 0;
	ses->header_data = 0;
	ses->buffer_offset = word;
	ses->initiator = 0;
	ses->key = 0;
	if (!medium)
		return;
	ses->initiator = uet_get_be32(p + 20);
	ses->key = uet_get_be64(p + 24);
	if (ses->flags & UET_SES_F_HD) {
		ses->header_data = word;
		ses->buffer_offset = 0;
	}
}

static unsigned int hdr_ses_req_len(u8 next_hdr)
{
	if (likely(next_hdr == UET_NH_REQ_STD))
		return UET_SES_STD_LEN;
	return next_hdr == UET_NH_REQ_MEDIUM ? UET_SES_MEDIUM_LEN :
					       UET_SES_SMALL_LEN;
}

/* What a SMALL or MEDIUM header contradicts by itself (UE 1.0 3.4.1) */
static u8 hdr_check_short(const struct uet_pkt *pkt)
{
	const u8 whole = UET_SES_F_SOM | UET_SES_F_EOM;
	u64 ops = pkt->next_hdr == UET_NH_REQ_SMALL ? OPS_SMALL : OPS_MEDIUM;

	if ((pkt->ses.flags & whole) != whole)
		return UET_VIOL_SINGLE;
	return ops & BIT_ULL(pkt->ses.opcode) ? UET_VIOL_NONE : UET_VIOL_FORM;
}

/* @next_hdr: that of the packet, as a constant where it is one */
static __always_inline int hdr_parse_ses_req(struct uet_pkt *pkt, struct cursor *c,
					     u8 next_hdr)
{
	struct uet_ses_req *ses = &pkt->ses;
	unsigned int len = hdr_ses_req_len(next_hdr);
	const u8 *p = c->p + c->off;
	unsigned int kind;

	if (unlikely(c->linear < c->off + len))
		return hdr_need_err(c, c->off + len, UET_PERR_SHORT_SES);
	if (unlikely(FIELD_GET(UET_SES_VERSION, p[1])))
		return -UET_PERR_SES_VERSION;
	ses->opcode = p[0] & UET_SES_OPCODE;
	ses->flags = p[1] & UET_SES_FLAGS;
	ses->generation = p[4];
	ses->job = uet_get_be32(p + 4) & UET_SES_JOB_MAX;
	ses->pid = uet_get_be16(p + 8) & UET_SES_ID12;
	ses->ri = uet_get_be16(p + 10) & UET_SES_ID12;
	ses->ext_len = 0;
	if (likely(next_hdr == UET_NH_REQ_STD))
		hdr_parse_ses_std(ses, p);
	else
		hdr_parse_ses_short(ses, p, next_hdr == UET_NH_REQ_MEDIUM);
	c->off += len;

	kind = op_kinds[ses->opcode];
	if (unlikely(kind >= OP_ATOMIC)) {
		int ext = hdr_parse_ext_len(c, kind);

		if (ext < 0)
			return ext;
		if (!ext) {
			pkt->hdr_len = c->off;
			pkt->violation = UET_VIOL_EXT;
			return 0;
		}
		ses->ext_len = ext;
		c->off += ext;
	}
	pkt->hdr_len = c->off;
	if (unlikely(next_hdr != UET_NH_REQ_STD))
		pkt->violation = hdr_check_short(pkt);
	if (likely(!pkt->violation))
		pkt->violation = hdr_check_payload(pkt, kind, c->len - c->off);
	if (unlikely(pkt->violation))
		pkt->payload_len = 0;
	return 0;
}

static void hdr_parse_rsp_data(struct uet_pkt *pkt, const u8 *p,
			       unsigned int present)
{
	struct uet_ses_rsp *rsp = &pkt->rsp;

	if (pkt->next_hdr == UET_NH_RSP_DATA) {
		rsp->rsp_msg_id = uet_get_be16(p + 2);
		rsp->msg_id = uet_get_be16(p + 8);
		rsp->payload_length = uet_get_be16(p + 10) & UET_SES_LEN14;
		rsp->modified_length = uet_get_be32(p + 12);
		rsp->message_offset = uet_get_be32(p + 16);
		if ((u64)rsp->message_offset + rsp->payload_length >
		    rsp->modified_length)
			pkt->violation = UET_VIOL_OFFSET;
	} else {
		rsp->payload_length = uet_get_be16(p + 2) & UET_SES_LEN14;
		rsp->original_psn = uet_get_be32(p + 8);
		rsp->modified_length = rsp->payload_length;
	}
	if (rsp->payload_length != present)
		pkt->violation = UET_VIOL_LENGTH;
	pkt->payload_len = pkt->violation ? 0 : present;
}

static int hdr_parse_ses_rsp(struct uet_pkt *pkt, struct cursor *c)
{
	struct uet_ses_rsp *rsp = &pkt->rsp;
	const u8 *p = c->p + c->off;
	unsigned int len;

	len = pkt->next_hdr == UET_NH_RSP_DATA ? UET_SES_RSP_DATA_LEN :
						 UET_SES_RSP_LEN;
	if (unlikely(c->linear < c->off + len))
		return hdr_need_err(c, c->off + len, UET_PERR_SHORT_SES);
	if (unlikely(FIELD_GET(UET_SES_VERSION, p[1])))
		return -UET_PERR_SES_VERSION;
	rsp->opcode = p[0] & UET_SES_OPCODE;
	if (unlikely(rsp->opcode >= UET_RSP_OP_KNOWN))
		return -UET_PERR_RSP_OPCODE;
	rsp->list = FIELD_GET(UET_SES_RSP_LIST, p[0]);
	rsp->code = p[1] & UET_SES_RSP_RC;
	rsp->job = uet_get_be32(p + 4) & UET_SES_JOB_MAX;
	rsp->msg_id = 0;
	rsp->rsp_msg_id = 0;
	rsp->payload_length = 0;
	rsp->message_offset = 0;
	rsp->original_psn = 0;
	rsp->generation = 0;
	c->off += len;
	pkt->hdr_len = c->off;
	if (pkt->next_hdr == UET_NH_RSP) {
		rsp->msg_id = uet_get_be16(p + 2);
		rsp->generation = p[4];
		rsp->modified_length = uet_get_be32(p + 8);
	} else {
		hdr_parse_rsp_data(pkt, p, c->len - c->off);
	}
	return 0;
}

/* What follows the prologue of any packet. Apart, so that the parser of nearly all
 * packets saves few registers
 */
static noinline int hdr_parse_any(struct uet_pkt *pkt, const u8 *data,
				  unsigned int linear, unsigned int len,
				  unsigned int kind)
{
	struct cursor c = {
		.p = data,
		.linear = linear,
		.len = len,
		.off = pkt->pds_len,
	};

	hdr_parse_pds_body(pkt, data, kind);
	if (pkt->next_hdr == UET_NH_NONE)
		return 0;
	return uet_pkt_has_ses_req(pkt) ?
	       hdr_parse_ses_req(pkt, &c, pkt->next_hdr) :
	       hdr_parse_ses_rsp(pkt, &c);
}

int uet_pkt_parse(struct uet_pkt *pkt, const void *data, unsigned int linear,
		  unsigned int len)
{
	struct cursor c = {
		.p = data,
		.linear = min(linear, len),
		.len = len,
	};
	unsigned int kind;
	int err;

	if (unlikely(len > U16_MAX))
		return -UET_PERR_OVERSIZE;
	err = hdr_parse_pds(pkt, &c, &kind);
	if (unlikely(err))
		return err;
	if (unlikely(kind != KIND_REQ || pkt->next_hdr != UET_NH_REQ_STD))
		return hdr_parse_any(pkt, data, c.linear, len, kind);
	hdr_parse_req(pkt, c.p);
	return hdr_parse_ses_req(pkt, &c, UET_NH_REQ_STD);
}

/* Length of a packet with a SES request, as far as its headers say */
static u32 hdr_told_req(const struct uet_pkt *pkt)
{
	const struct uet_ses_req *ses = &pkt->ses;
	const u8 whole = UET_SES_F_SOM | UET_SES_F_EOM;

	switch (op_kinds[ses->opcode]) {
	case OP_NONE:
		/* Probes of a path are padded (core/wire/ping.h). */
		if (ses->opcode == UET_SES_OP_NO_OP)
			break;
		return pkt->hdr_len;
	case OP_READ:
		return pkt->hdr_len;
	case OP_ATOMIC:
		if (ses->ext_len == UET_SES_CSWAP_LEN)
			return pkt->hdr_len;
		break;
	case OP_DATA:
	case OP_RENDEZVOUS:
		break;
	default:
		return 0;
	}
	if (!(ses->flags & UET_SES_F_SOM))
		return pkt->hdr_len + ses->payload_length;
	/* No packet is longer than U16_MAX, and the sum must not wrap. */
	return (ses->flags & whole) == whole ?
	       pkt->hdr_len + min_t(u32, ses->request_length, U16_MAX) : 0;
}

u32 uet_pkt_told_len(const struct uet_pkt *pkt)
{
	if (likely(uet_pkt_has_ses_req(pkt)))
		return hdr_told_req(pkt);
	/* hdr_len is the PDS header's where no SES header follows. */
	return uet_pkt_has_ses_rsp(pkt) ?
	       pkt->hdr_len + pkt->rsp.payload_length : pkt->hdr_len;
}

int uet_pkt_parse_trimmed(struct uet_pkt *pkt, const void *data,
			  unsigned int linear)
{
	struct cursor c = {
		.p = data,
		.linear = linear,
		.len = linear,
	};
	unsigned int kind;
	int err;

	err = hdr_parse_pds(pkt, &c, &kind);
	/* Only headers of ACKs are longer. */
	if (err == -UET_PERR_SHORT && linear >= UET_TRIM_KEEP_BYTES)
		return -UET_PERR_TRIMMED_TYPE;
	if (err)
		return err;
	if (kind == KIND_ACK || kind == KIND_NACK)
		return -UET_PERR_TRIMMED_TYPE;
	hdr_parse_pds_body(pkt, c.p, kind);
	return 0;
}
