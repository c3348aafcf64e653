/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The UET wire format, first part: sizes, layouts and code points of the packet
 * delivery sublayer (PDS), UE 1.0 3.5.  The semantic sublayer is in wire_ses.h.
 *
 * All multi-byte fields are big-endian.  For fields that do not fall on byte
 * boundaries there are masks of the host-order value of the field they share.
 * The structures only document offsets and sizes; headers have no alignment, so
 * code reads them through unaligned accessors (bytes.h).
 */
#ifndef _UET_CORE_WIRE_H
#define _UET_CORE_WIRE_H

#include "../env.h"

/* Encapsulation, UE 1.0 3.5.10 */
#define UET_IP_PROTO		253	/* experimental until assigned */
#define UET_IP_PROTO_MAX	254	/* the other experimental one (RFC 3692) */
/* nominal_pktsize - transport_pktsize, UE 1.0 3.6.12 */
#define UET_NOMINAL_ADD_BYTES	40
/* UET bytes that survive trimming, counted from the PDS prologue */
#define UET_TRIM_KEEP_BYTES	16

/**
 * struct uet_entropy_wire - entropy header of the native IP encapsulation
 * @entropy: entropy value, where UDP has its source port
 * @rsvd: zero
 */
struct uet_entropy_wire {
	__be16 entropy;
	__be16 rsvd;
};

/* PDS prologue: the first 16 bits of every PDS header */
#define UET_PROLOGUE_TYPE	0xf800
#define UET_PROLOGUE_NEXT	0x0780	/* next_hdr, or ctl_type of a CP */
#define UET_PROLOGUE_FLAGS	0x007f
#define UET_PROLOGUE_LEN	2

#define UET_PROLOGUE(type, next, flags) \
	((u16)((type) << 11 | (next) << 7 | (flags)))

/**
 * enum uet_pds_type - PDS packet types
 * @UET_PDS_RSVD: reserved
 * @UET_PDS_TSS: security header
 * @UET_PDS_RUD_REQ: reliable unordered request
 * @UET_PDS_ROD_REQ: reliable ordered request
 * @UET_PDS_RUDI_REQ: reliable unordered request for idempotent operations
 * @UET_PDS_RUDI_RESP: response to a RUDI_REQ
 * @UET_PDS_UUD_REQ: unreliable unordered request
 * @UET_PDS_ACK: acknowledgment
 * @UET_PDS_ACK_CC: acknowledgment with SACK and congestion control state
 * @UET_PDS_ACK_CCX: acknowledgment with SACK and extended state
 * @UET_PDS_NACK: negative acknowledgment
 * @UET_PDS_CP: control packet
 * @UET_PDS_NACK_CCX: negative acknowledgment with extended state
 * @UET_PDS_RUD_CC_REQ: RUD request with congestion control word
 * @UET_PDS_ROD_CC_REQ: ROD request with congestion control word
 * @UET_PDS_TYPES: size of the five-bit space
 */
enum uet_pds_type {
	UET_PDS_RSVD = 0,
	UET_PDS_TSS = 1,
	UET_PDS_RUD_REQ = 2,
	UET_PDS_ROD_REQ = 3,
	UET_PDS_RUDI_REQ = 4,
	UET_PDS_RUDI_RESP = 5,
	UET_PDS_UUD_REQ = 6,
	UET_PDS_ACK = 7,
	UET_PDS_ACK_CC = 8,
	UET_PDS_ACK_CCX = 9,
	UET_PDS_NACK = 10,
	UET_PDS_CP = 11,
	UET_PDS_NACK_CCX = 12,
	UET_PDS_RUD_CC_REQ = 13,
	UET_PDS_ROD_CC_REQ = 14,
	UET_PDS_TYPES = 32,
};

/**
 * enum uet_next_hdr - SES header that follows the PDS header
 * @UET_NH_NONE: nothing
 * @UET_NH_REQ_SMALL: small request
 * @UET_NH_REQ_MEDIUM: medium request
 * @UET_NH_REQ_STD: standard request
 * @UET_NH_RSP: response
 * @UET_NH_RSP_DATA: response with data
 * @UET_NH_RSP_DATA_SMALL: small response with data
 */
enum uet_next_hdr {
	UET_NH_NONE = 0,
	UET_NH_REQ_SMALL = 1,
	UET_NH_REQ_MEDIUM = 2,
	UET_NH_REQ_STD = 3,
	UET_NH_RSP = 4,
	UET_NH_RSP_DATA = 5,
	UET_NH_RSP_DATA_SMALL = 6,
};

/**
 * enum uet_ctl_type - kinds of control packets
 * @UET_CTL_NOOP: nothing; takes a PSN, may open a PDC
 * @UET_CTL_ACK_REQ: asks for the acknowledgment of one PSN
 * @UET_CTL_CLEAR_CMD: frees guaranteed responses
 * @UET_CTL_CLEAR_REQ: asks for a clear
 * @UET_CTL_CLOSE_CMD: closes the PDC; takes a PSN
 * @UET_CTL_CLOSE_REQ: the target asks for a close; takes a PSN
 * @UET_CTL_PROBE: asks for an acknowledgment with SACK
 * @UET_CTL_CREDIT: grants credit
 * @UET_CTL_CREDIT_REQ: asks for credit
 * @UET_CTL_NEGOTIATION: content unknown; takes a PSN
 * @UET_CTL_TYPES: number of assigned values
 */
enum uet_ctl_type {
	UET_CTL_NOOP = 0,
	UET_CTL_ACK_REQ = 1,
	UET_CTL_CLEAR_CMD = 2,
	UET_CTL_CLEAR_REQ = 3,
	UET_CTL_CLOSE_CMD = 4,
	UET_CTL_CLOSE_REQ = 5,
	UET_CTL_PROBE = 6,
	UET_CTL_CREDIT = 7,
	UET_CTL_CREDIT_REQ = 8,
	UET_CTL_NEGOTIATION = 9,
	UET_CTL_TYPES = 10,
};

/* Prologue flags; their meaning depends on the packet type */
#define UET_F_ECN	0x20	/* m: ACK, NACK, RUDI_RESP: packet had CE */
#define UET_F_ISROD	0x20	/* CP with SYN: the PDC is ROD */
#define UET_F_RETX	0x10	/* all but UUD */
#define UET_F_AR	0x08	/* requests, CP: acknowledge at once */
#define UET_F_PROBE	0x08	/* p: ACK answers a PROBE */
#define UET_F_NT_RUDI	0x08	/* nt: NACK names a RUDI packet */
#define UET_F_SYN	0x04	/* requests, CP: PDC is being opened */
#define UET_F_REQ_MASK	0x06	/* ACK: request to the source */
#define UET_F_REQ_CLEAR	0x02	/* clear guaranteed responses */
#define UET_F_REQ_CLOSE	0x04	/* close the PDC */

/* Last two bytes of a request or CP with SYN, instead of dpdcid */
#define UET_SYN_PDC_INFO	0xf000
#define UET_SYN_USE_RSV_PDC	0x8000
#define UET_SYN_PSN_OFFSET	0x0fff
#define UET_SYN_PSN_OFFSET_MAX	4095

/**
 * struct uet_pds_req_wire - RUD_REQ and ROD_REQ
 * @prologue: type, next_hdr, flags
 * @clear_psn_offset: CLEAR_PSN minus PSN, signed
 * @psn: sequence number
 * @spdcid: PDCID at the sender of this packet
 * @dpdcid: PDCID at its receiver; pdc_info and psn_offset with SYN
 */
struct uet_pds_req_wire {
	__be16 prologue;
	__be16 clear_psn_offset;
	__be32 psn;
	__be16 spdcid;
	__be16 dpdcid;
};

/**
 * struct uet_pds_req_cc_wire - RUD_CC_REQ and ROD_CC_REQ
 * @req: same as without congestion control word
 * @cc: ccc_id in the top byte, credit_target below
 */
struct uet_pds_req_cc_wire {
	struct uet_pds_req_wire req;
	__be32 cc;
};

#define UET_REQ_CC_CCC_ID	0xff000000U
#define UET_REQ_CC_TARGET	0x00ffffffU

/**
 * struct uet_pds_ack_wire - ACK
 * @prologue: type, next_hdr, flags
 * @ack_psn_offset: ACK_PSN minus CACK, signed; probe_opaque if p is set
 * @cack_psn: cumulative acknowledgment
 * @spdcid: PDCID at the sender of this packet
 * @dpdcid: PDCID at its receiver
 */
struct uet_pds_ack_wire {
	__be16 prologue;
	__be16 ack_psn_offset;
	__be32 cack_psn;
	__be16 spdcid;
	__be16 dpdcid;
};

/**
 * struct uet_pds_ack_cc_wire - ACK_CC
 * @ack: same as plain ACK
 * @cc: cc_type in the upper nibble, cc_flags in the lower
 * @mpr: maximum PSN range in units of 128 PSNs, 0 if not stated
 * @sack_psn_offset: first PSN of the bitmap minus CACK, signed
 * @sack_bitmap: least significant bit first
 * @cc_state: meaning depends on cc_type
 */
struct uet_pds_ack_cc_wire {
	struct uet_pds_ack_wire ack;
	u8 cc;
	u8 mpr;
	__be16 sack_psn_offset;
	__be64 sack_bitmap;
	__be64 cc_state;
};

#define UET_ACK_CC_TYPE		0xf0
#define UET_ACK_CC_FLAGS	0x0f

/**
 * enum uet_cc_type - congestion control state in an acknowledgment
 * @UET_CC_NSCC: service time, receiver's penalty, received bytes
 * @UET_CC_CREDIT: credit (RCCC, TFC)
 * @UET_CC_NONE: no state known to this implementation; not on the wire
 */
enum uet_cc_type {
	UET_CC_NSCC = 0,
	UET_CC_CREDIT = 1,
	UET_CC_NONE = 0xff,
};

/* cc_state of UET_CC_NSCC */
#define UET_NSCC_SERVICE_TIME	GENMASK_ULL(63, 48)
#define UET_NSCC_RC		BIT_ULL(47)
#define UET_NSCC_PEND		GENMASK_ULL(46, 40)
#define UET_NSCC_RCVD_BYTES	GENMASK_ULL(39, 16)
#define UET_NSCC_OOO		GENMASK_ULL(15, 0)
/* cc_state of UET_CC_CREDIT */
#define UET_CREDIT_CREDIT	GENMASK_ULL(63, 40)
#define UET_CREDIT_OOO		GENMASK_ULL(15, 0)

#define UET_SERVICE_TIME_UNIT_NS	128
#define UET_SERVICE_TIME_INVALID	0
#define UET_SERVICE_TIME_SATURATED	0xffff
#define UET_OOO_INVALID			0xffff
#define UET_PEND_MAX			127
#define UET_MPR_UNIT_PSNS		128
#define UET_MPR_MAX			255

/**
 * struct uet_pds_nack_wire - NACK
 * @prologue: type, next_hdr 0, flags
 * @code: enum uet_nack_code
 * @vendor: zero
 * @psn: PSN of the NACKed packet; pkt_id if nt is set
 * @spdcid: PDCID at the sender of the NACK, 0 if it has no PDC
 * @dpdcid: PDCID at its receiver
 * @payload: meaning depends on @code, mostly zero
 */
struct uet_pds_nack_wire {
	__be16 prologue;
	u8 code;
	u8 vendor;
	__be32 psn;
	__be16 spdcid;
	__be16 dpdcid;
	__be32 payload;
};

/**
 * struct uet_pds_cp_wire - CP
 * @prologue: type, ctl_type, flags
 * @probe_opaque: PROBE: returned in the acknowledgment; else zero
 * @psn: PSN of this CP, PSN that it asks about, or zero
 * @spdcid: PDCID at the sender
 * @dpdcid: PDCID at the receiver; pdc_info and psn_offset with SYN
 * @payload: meaning depends on ctl_type
 */
struct uet_pds_cp_wire {
	__be16 prologue;
	__be16 probe_opaque;
	__be32 psn;
	__be16 spdcid;
	__be16 dpdcid;
	__be32 payload;
};

#define UET_CP_CREDIT		0xffffff00U	/* in a CREDIT's payload */

/**
 * struct uet_pds_rudi_wire - RUDI_REQ and RUDI_RESP
 * @prologue: type, next_hdr, flags
 * @rsvd: zero
 * @pkt_id: chosen by the initiator, echoed in the response
 */
struct uet_pds_rudi_wire {
	__be16 prologue;
	__be16 rsvd;
	__be32 pkt_id;
};

/**
 * struct uet_pds_uud_wire - UUD_REQ
 * @prologue: type, next_hdr, no flags
 * @rsvd: zero
 */
struct uet_pds_uud_wire {
	__be16 prologue;
	__be16 rsvd;
};

/* Sizes of PDS headers */
#define UET_PDS_REQ_LEN		12
#define UET_PDS_REQ_CC_LEN	16
#define UET_PDS_ACK_LEN		12
#define UET_PDS_ACK_CC_LEN	32
#define UET_PDS_ACK_CCX_LEN	40
#define UET_PDS_NACK_LEN	16
#define UET_PDS_NACK_CCX_LEN	32
#define UET_PDS_CP_LEN		16
#define UET_PDS_RUDI_LEN	8
#define UET_PDS_UUD_LEN		4
#define UET_TSS_LEN		12
#define UET_TSS_SSI_LEN		16

/**
 * enum uet_nack_code - why a packet was NACKed
 * @UET_NACK_TRIMMED: arrived trimmed
 * @UET_NACK_TRIMMED_LASTHOP: trimmed on the last hop
 * @UET_NACK_TRIMMED_ACK: a trimmed ACK with read data arrived; not sent
 * @UET_NACK_NO_PDC_AVAIL: no PDC free for a SYN
 * @UET_NACK_NO_CCC_AVAIL: no congestion control context free
 * @UET_NACK_NO_BITMAP: no tracking bitmap free
 * @UET_NACK_NO_PKT_BUFFER: no packet buffer
 * @UET_NACK_NO_GTD_DEL_AVAIL: no room to keep a guaranteed response
 * @UET_NACK_NO_SES_MSG_AVAIL: no message state
 * @UET_NACK_NO_RESOURCE: other shortage
 * @UET_NACK_PSN_OOR_WINDOW: outside the receive window
 * @UET_NACK_ROD_OOO: ROD packet above the expected PSN
 * @UET_NACK_INV_DPDCID: no such PDC
 * @UET_NACK_PDC_HDR_MISMATCH: the PDC belongs to another peer
 * @UET_NACK_CLOSING: request after the close
 * @UET_NACK_CLOSING_IN_ERR: target closes because of an error
 * @UET_NACK_PKT_NOT_RCVD: ACK_REQ for a PSN never received
 * @UET_NACK_GTD_RESP_UNAVAIL: guaranteed response is gone
 * @UET_NACK_ACK_WITH_DATA: the answer's data was not kept
 * @UET_NACK_INVALID_SYN: SYN outside the window or with another start PSN
 * @UET_NACK_PDC_MODE_MISMATCH: RUD packet on a ROD PDC or vice versa
 * @UET_NACK_NEW_START_PSN: restart at the PSN in the payload
 * @UET_NACK_RCVD_SES_PROCG: duplicate while the original is processed
 * @UET_NACK_UNEXP_EVENT: any other unexpected event
 * @UET_NACK_RCVR_INFER_LOSS: destination inferred the loss
 * @UET_NACK_EXP_NORMAL: experimental, normal class
 * @UET_NACK_EXP_ERROR: experimental, error class
 * @UET_NACK_EXP_FATAL: experimental, fatal class
 */
enum uet_nack_code {
	UET_NACK_TRIMMED = 0x01,
	UET_NACK_TRIMMED_LASTHOP = 0x02,
	UET_NACK_TRIMMED_ACK = 0x03,
	UET_NACK_NO_PDC_AVAIL = 0x04,
	UET_NACK_NO_CCC_AVAIL = 0x05,
	UET_NACK_NO_BITMAP = 0x06,
	UET_NACK_NO_PKT_BUFFER = 0x07,
	UET_NACK_NO_GTD_DEL_AVAIL = 0x08,
	UET_NACK_NO_SES_MSG_AVAIL = 0x09,
	UET_NACK_NO_RESOURCE = 0x0a,
	UET_NACK_PSN_OOR_WINDOW = 0x0b,
	UET_NACK_ROD_OOO = 0x0d,
	UET_NACK_INV_DPDCID = 0x0e,
	UET_NACK_PDC_HDR_MISMATCH = 0x0f,
	UET_NACK_CLOSING = 0x10,
	UET_NACK_CLOSING_IN_ERR = 0x11,
	UET_NACK_PKT_NOT_RCVD = 0x12,
	UET_NACK_GTD_RESP_UNAVAIL = 0x13,
	UET_NACK_ACK_WITH_DATA = 0x14,
	UET_NACK_INVALID_SYN = 0x15,
	UET_NACK_PDC_MODE_MISMATCH = 0x16,
	UET_NACK_NEW_START_PSN = 0x17,
	UET_NACK_RCVD_SES_PROCG = 0x18,
	UET_NACK_UNEXP_EVENT = 0x19,
	UET_NACK_RCVR_INFER_LOSS = 0x1a,
	UET_NACK_EXP_NORMAL = 0xfd,
	UET_NACK_EXP_ERROR = 0xfe,
	UET_NACK_EXP_FATAL = 0xff,
};

/**
 * enum uet_nack_class - what a NACK means for the PDC
 * @UET_NACK_CLASS_UNKNOWN: reserved code: drop the NACK
 * @UET_NACK_CLASS_NORMAL: retransmit the packet
 * @UET_NACK_CLASS_ERROR: retransmit it, up to a limit
 * @UET_NACK_CLASS_FATAL: end the PDC
 */
enum uet_nack_class {
	UET_NACK_CLASS_UNKNOWN = 0,
	UET_NACK_CLASS_NORMAL,
	UET_NACK_CLASS_ERROR,
	UET_NACK_CLASS_FATAL,
};

static_assert(sizeof(struct uet_entropy_wire) == 4);
static_assert(sizeof(struct uet_pds_req_wire) == UET_PDS_REQ_LEN);
static_assert(offsetof(struct uet_pds_req_wire, psn) == 4);
static_assert(sizeof(struct uet_pds_req_cc_wire) == UET_PDS_REQ_CC_LEN);
static_assert(sizeof(struct uet_pds_ack_wire) == UET_PDS_ACK_LEN);
static_assert(sizeof(struct uet_pds_ack_cc_wire) == UET_PDS_ACK_CC_LEN);
static_assert(offsetof(struct uet_pds_ack_cc_wire, mpr) == 13);
static_assert(offsetof(struct uet_pds_ack_cc_wire, sack_psn_offset) == 14);
static_assert(offsetof(struct uet_pds_ack_cc_wire, sack_bitmap) == 16);
static_assert(offsetof(struct uet_pds_ack_cc_wire, cc_state) == 24);
static_assert(sizeof(struct uet_pds_nack_wire) == UET_PDS_NACK_LEN);
static_assert(sizeof(struct uet_pds_cp_wire) == UET_PDS_CP_LEN);
static_assert(offsetof(struct uet_pds_cp_wire, psn) == 4);
static_assert(offsetof(struct uet_pds_cp_wire, payload) == 12);
static_assert(sizeof(struct uet_pds_rudi_wire) == UET_PDS_RUDI_LEN);
static_assert(sizeof(struct uet_pds_uud_wire) == UET_PDS_UUD_LEN);
static_assert(UET_PROLOGUE(UET_PDS_RUD_REQ, UET_NH_REQ_STD, 0) == 0x1180);
static_assert(UET_PROLOGUE(UET_PDS_ROD_REQ, UET_NH_REQ_STD, 0) == 0x1980);
static_assert(UET_PROLOGUE(UET_PDS_RUD_CC_REQ, UET_NH_REQ_STD, 0) == 0x6980);
static_assert(UET_PROLOGUE(UET_PDS_ROD_CC_REQ, UET_NH_REQ_STD, 0) == 0x7180);
static_assert(UET_PROLOGUE(UET_PDS_ACK, UET_NH_RSP, 0) == 0x3a00);
static_assert(UET_PROLOGUE(UET_PDS_ACK_CC, UET_NH_RSP, 0) == 0x4200);
static_assert(UET_PROLOGUE(UET_PDS_NACK, UET_NH_NONE, 0) == 0x5000);
static_assert(UET_PROLOGUE(UET_PDS_CP, UET_CTL_CLOSE_CMD, 0) == 0x5a00);
static_assert(UET_PROLOGUE(UET_PDS_RUDI_REQ, UET_NH_REQ_STD, 0) == 0x2180);
static_assert(UET_PROLOGUE(UET_PDS_RUDI_RESP, UET_NH_RSP, 0) == 0x2a00);
static_assert(UET_PROLOGUE(UET_PDS_UUD_REQ, UET_NH_REQ_STD, 0) == 0x3180);

#endif /* _UET_CORE_WIRE_H */
