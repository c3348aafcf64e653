/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A received packet in host order: parsed once, then used by all layers.
 */
#ifndef _UET_CORE_HDR_PARSE_H
#define _UET_CORE_HDR_PARSE_H

#include "wire_ses.h"

/**
 * enum uet_parse_err - why a packet cannot be parsed
 * @UET_PERR_NONE: no error
 * @UET_PERR_SHORT: shorter than its PDS header
 * @UET_PERR_SHORT_SES: shorter than its SES header
 * @UET_PERR_LINEAR: not all headers are in the linear part: pull up to
 *	UET_HDR_MAX_LEN bytes and parse again
 * @UET_PERR_OVERSIZE: longer than any IP packet
 * @UET_PERR_TSS: security header, not supported
 * @UET_PERR_TYPE: reserved PDS type
 * @UET_PERR_NEXT_HDR: reserved next_hdr, or one the type does not carry
 * @UET_PERR_CTL_TYPE: reserved control packet
 * @UET_PERR_SES_VERSION: SES version other than 0
 * @UET_PERR_RSP_OPCODE: reserved response opcode
 * @UET_PERR_TRIMMED_TYPE: trimmed packet of a type that gets no NACK
 * @UET_PERR_MAX: number of reasons
 *
 * The parser returns them negated.
 */
enum uet_parse_err {
	UET_PERR_NONE = 0,
	UET_PERR_SHORT,
	UET_PERR_SHORT_SES,
	UET_PERR_LINEAR,
	UET_PERR_OVERSIZE,
	UET_PERR_TSS,
	UET_PERR_TYPE,
	UET_PERR_NEXT_HDR,
	UET_PERR_CTL_TYPE,
	UET_PERR_SES_VERSION,
	UET_PERR_RSP_OPCODE,
	UET_PERR_TRIMMED_TYPE,
	UET_PERR_MAX,
};

/**
 * enum uet_violation - malformed operation, answered with OP_VIOLATION
 * @UET_VIOL_NONE: well-formed
 * @UET_VIOL_OFFSET: message_offset + payload_length beyond request_length
 * @UET_VIOL_LENGTH: payload_length differs from what follows the headers, or the first
 *	packet of several has more than the message
 * @UET_VIOL_SHORT: a single packet with less payload than its request_length
 * @UET_VIOL_PAYLOAD: payload after an operation that carries none
 * @UET_VIOL_SINGLE: SOM or EOM clear where messages are one packet
 * @UET_VIOL_EXT: shorter than its extension header
 * @UET_VIOL_FORM: operation that its header, SMALL or MEDIUM, does not carry
 * @UET_VIOL_MAX: number of kinds
 */
enum uet_violation {
	UET_VIOL_NONE = 0,
	UET_VIOL_OFFSET,
	UET_VIOL_LENGTH,
	UET_VIOL_SHORT,
	UET_VIOL_PAYLOAD,
	UET_VIOL_SINGLE,
	UET_VIOL_EXT,
	UET_VIOL_FORM,
	UET_VIOL_MAX,
};

/**
 * struct uet_req - PDS part of RUD, ROD requests with or without CC word
 * @psn: sequence number
 * @clear_psn: guaranteed responses up to here may be freed
 * @start_psn: with SYN: first PSN of the PDC; else 0
 * @credit_target: *_CC_REQ: credit wanted in units of 256 bytes; else 0
 * @ccc_id: *_CC_REQ: congestion control context of the source; else 0
 */
struct uet_req {
	u32 psn;
	u32 clear_psn;
	u32 start_psn;
	u32 credit_target;
	u8 ccc_id;
};

/**
 * struct uet_ack - PDS part of ACK, ACK_CC, ACK_CCX
 * @sack_bitmap: bit i is PSN @sack_base + i; 0 in a plain ACK
 * @cack_psn: cumulative acknowledgment
 * @ack_psn: PSN that triggered this ACK; @cack_psn if it answers a PROBE
 * @sack_base: PSN of bit 0; @cack_psn + 1 in a plain ACK
 * @rcvd_bytes: NSCC: the 24-bit field; else 0
 * @credit: CREDIT: the 24-bit field; else 0
 * @probe_opaque: with UET_F_PROBE: value of the PROBE; else 0
 * @service_time: NSCC: units of 128 ns; else 0, which is "not valid"
 * @ooo_count: packets above @cack_psn; UET_OOO_INVALID if not stated
 * @mpr: maximum PSN range in units of 128; 0 if not stated
 * @cc_type: enum uet_cc_type; UET_CC_NONE in ACK, ACK_CCX, unknown kinds
 * @pend: NSCC: rcvr_cwnd_pend, 0 to 127; else 0
 * @rc: NSCC: restore cwnd; else 0
 */
struct uet_ack {
	u64 sack_bitmap;
	u32 cack_psn;
	u32 ack_psn;
	u32 sack_base;
	u32 rcvd_bytes;
	u32 credit;
	u16 probe_opaque;
	u16 service_time;
	u16 ooo_count;
	u8 mpr;
	u8 cc_type;
	u8 pend;
	u8 rc;
};

/**
 * struct uet_nack - PDS part of NACK, NACK_CCX
 * @psn: PSN of the NACKed packet; pkt_id with UET_F_NT_RUDI
 * @payload: meaning depends on @code
 * @code: enum uet_nack_code
 * @vendor: vendor code
 */
struct uet_nack {
	u32 psn;
	u32 payload;
	u8 code;
	u8 vendor;
};

/**
 * struct uet_cp - PDS part of CP
 * @psn: PSN of the packet, or PSN that the packet asks about, or 0
 * @start_psn: with SYN: first PSN of the PDC; else 0
 * @payload: meaning depends on ctl_type; CREDIT: see uet_cp_credit()
 * @probe_opaque: PROBE: value to return
 */
struct uet_cp {
	u32 psn;
	u32 start_psn;
	u32 payload;
	u16 probe_opaque;
};

/**
 * struct uet_ses_req - SES request in host order
 * @buffer_offset: where the message starts in the target buffer, or restart
 *	tokens; 0 in MEDIUM with header data
 * @key: memory key or match bits; 0 in SMALL
 * @header_data: if UET_SES_F_HD and UET_SES_F_SOM are set; else 0
 * @job: JobID
 * @initiator: initiator ID; 0 in SMALL
 * @request_length: bytes of the whole message
 * @message_offset: bytes of the message before this packet
 * @payload_length: bytes of the message that this packet carries, or that a
 *	READ requests (the first packet of a READ does not say: then
 *	request_length up to 65535; the user limits it to the payload MTU)
 * @msg_id: message id; 0 in SMALL, MEDIUM, where the PSN names the message
 * @pid: PIDonFEP of the target
 * @ri: resource index
 * @opcode: enum uet_ses_op, or a value that UE 1.0 does not define
 * @flags: UET_SES_F_*
 * @generation: of the resource index
 * @ext_len: bytes of extension header between SES header and payload
 */
struct uet_ses_req {
	u64 buffer_offset;
	u64 key;
	u64 header_data;
	u32 job;
	u32 initiator;
	u32 request_length;
	u32 message_offset;
	u16 payload_length;
	u16 msg_id;
	u16 pid;
	u16 ri;
	u8 opcode;
	u8 flags;
	u8 generation;
	u8 ext_len;
};

/**
 * uet_ses_tokens() - the word with both restart tokens (UE 1.0 3.4.1)
 * @first: of the initiator of a deferrable send
 * @second: of its target
 *
 * Return: uet_ses_req.buffer_offset of a deferrable send, uet_ses_req.key of
 * DEFERRABLE_RTR.
 */
static inline u64 uet_ses_tokens(u32 first, u32 second)
{
	return (u64)first << 32 | second;
}

/**
 * uet_ses_token() - one of these tokens
 * @tokens: the word with both
 * @second: the second one, else the first
 *
 * Return: the token, 0 = none.
 */
static inline u32 uet_ses_token(u64 tokens, bool second)
{
	return second ? (u32)tokens : (u32)(tokens >> 32);
}

/**
 * struct uet_ses_rsp - SES response in host order
 * @job: JobID
 * @modified_length: bytes accepted; RSP_DATA: total length of the read
 * @message_offset: RSP_DATA: offset of this packet's data; else 0
 * @original_psn: RSP_DATA_SMALL: PSN of the request; else 0
 * @msg_id: message id of the request; 0 in RSP_DATA_SMALL
 * @rsp_msg_id: RSP_DATA: message id of the responder; else 0
 * @payload_length: RSP_DATA*: data bytes in this packet; else 0
 * @list: enum uet_rsp_list
 * @opcode: enum uet_rsp_op
 * @code: enum uet_rc
 * @generation: with BAD_GENERATION: the correct generation
 */
struct uet_ses_rsp {
	u32 job;
	u32 modified_length;
	u32 message_offset;
	u32 original_psn;
	u16 msg_id;
	u16 rsp_msg_id;
	u16 payload_length;
	u8 list;
	u8 opcode;
	u8 code;
	u8 generation;
};

/**
 * struct uet_pkt - a packet in host order
 * @type: enum uet_pds_type
 * @next_hdr: enum uet_next_hdr; UET_NH_NONE in a CP or NACK
 * @ctl_type: CP: enum uet_ctl_type; else 0
 * @flags: UET_F_*, reserved bits masked out
 * @violation: enum uet_violation of the SES part; such a request counts as
 *	received, delivers nothing and is answered with OP_VIOLATION; such a
 *	response is ignored; @payload_len is 0 then
 * @pds_len: bytes of PDS header
 * @hdr_len: bytes before the payload
 * @payload_len: payload bytes behind @hdr_len that belong to the message
 * @spdcid: PDCID at the sender; 0 for RUDI and UUD
 * @dpdcid: PDCID at the receiver; 0 with SYN, for RUDI and UUD
 * @exact: a request with data that is as long as its headers tell; false also where
 *	only uet_pkt_told_len() knows
 * @req: RUD_REQ, ROD_REQ, RUD_CC_REQ, ROD_CC_REQ
 * @ack: ACK, ACK_CC, ACK_CCX
 * @nack: NACK, NACK_CCX
 * @cp: CP
 * @pkt_id: RUDI_REQ, RUDI_RESP
 * @ses: SES request, by uet_pkt_has_ses_req()
 * @rsp: SES response, by uet_pkt_has_ses_rsp()
 *
 * The parser writes only the members that @type and @next_hdr select.
 */
struct uet_pkt {
	u8 type;
	u8 next_hdr;
	u8 ctl_type;
	u8 flags;
	u8 violation;
	u8 pds_len;
	u16 hdr_len;
	u16 payload_len;
	u16 spdcid;
	u16 dpdcid;
	bool exact;
	union {
		struct uet_req req;
		struct uet_ack ack;
		struct uet_nack nack;
		struct uet_cp cp;
		u32 pkt_id;
	};
	union {
		struct uet_ses_req ses;
		struct uet_ses_rsp rsp;
	};
};

static_assert(sizeof(struct uet_pkt) <= 128);

/**
 * uet_pkt_parse() - parse a packet
 * @pkt: result
 * @data: PDS prologue; no alignment needed
 * @linear: bytes readable at @data
 * @len: bytes of the UET packet without trailer; the parser does not read
 *	beyond @linear
 *
 * Return: 0, or a negated enum uet_parse_err; then @pkt is undefined.
 */
int uet_pkt_parse(struct uet_pkt *pkt, const void *data, unsigned int linear,
		  unsigned int len);

/**
 * uet_pkt_told_len() - length of a packet without trailer, as its headers tell it
 * @pkt: a packet that was parsed, with or without its trailer
 *
 * Nothing in UE 1.0 says whether a packet has a CRC trailer, but four bytes more than
 * its headers account for do. The first packet of several does not tell its length.
 *
 * Return: bytes from the PDS prologue on, 0 if it is not told.
 */
u32 uet_pkt_told_len(const struct uet_pkt *pkt);

/**
 * uet_pkt_parse_trimmed() - parse a packet that a switch has trimmed
 * @pkt: result, PDS members only; @hdr_len is the PDS header's, no payload
 * @data: PDS prologue
 * @linear: bytes readable at @data, UET_TRIM_KEEP_BYTES are enough
 *
 * A trimmed packet has no checksum that could be verified. Its content is a
 * hint, and may cause a NACK but nothing else.
 *
 * Return: 0, or a negated enum uet_parse_err.
 */
int uet_pkt_parse_trimmed(struct uet_pkt *pkt, const void *data,
			  unsigned int linear);

/**
 * uet_pkt_is_pds_req() - whether a packet is a RUD or ROD request
 * @pkt: parsed packet
 *
 * Return: true if the member req is valid.
 */
static inline bool uet_pkt_is_pds_req(const struct uet_pkt *pkt)
{
	return BIT(pkt->type) & (BIT(UET_PDS_RUD_REQ) | BIT(UET_PDS_ROD_REQ) |
				 BIT(UET_PDS_RUD_CC_REQ) |
				 BIT(UET_PDS_ROD_CC_REQ));
}

/**
 * uet_pkt_is_rod() - whether a request belongs to a ROD PDC
 * @pkt: parsed packet for which uet_pkt_is_pds_req() holds
 *
 * Return: true for ROD.
 */
static inline bool uet_pkt_is_rod(const struct uet_pkt *pkt)
{
	return BIT(pkt->type) & (BIT(UET_PDS_ROD_REQ) |
				 BIT(UET_PDS_ROD_CC_REQ));
}

/**
 * uet_pkt_is_ack() - whether a packet is an acknowledgment
 * @pkt: parsed packet
 *
 * Return: true if the member ack is valid.
 */
static inline bool uet_pkt_is_ack(const struct uet_pkt *pkt)
{
	return BIT(pkt->type) & (BIT(UET_PDS_ACK) | BIT(UET_PDS_ACK_CC) |
				 BIT(UET_PDS_ACK_CCX));
}

/**
 * uet_pkt_is_nack() - whether a packet is a negative acknowledgment
 * @pkt: parsed packet
 *
 * Return: true if the member nack is valid.
 */
static inline bool uet_pkt_is_nack(const struct uet_pkt *pkt)
{
	return BIT(pkt->type) & (BIT(UET_PDS_NACK) | BIT(UET_PDS_NACK_CCX));
}

/**
 * uet_pkt_has_ses_req() - whether a packet carries a SES request
 * @pkt: parsed packet
 *
 * Return: true if the member ses is valid.
 */
static inline bool uet_pkt_has_ses_req(const struct uet_pkt *pkt)
{
	return pkt->next_hdr >= UET_NH_REQ_SMALL &&
	       pkt->next_hdr <= UET_NH_REQ_STD;
}

/**
 * uet_pkt_has_ses_rsp() - whether a packet carries a SES response
 * @pkt: parsed packet
 *
 * Return: true if the member rsp is valid.
 */
static inline bool uet_pkt_has_ses_rsp(const struct uet_pkt *pkt)
{
	return pkt->next_hdr >= UET_NH_RSP;
}

/**
 * uet_pkt_has_cc() - does a request carry a credit target?
 * @pkt: a RUD or ROD request
 *
 * Return: true for RUD_CC_REQ and ROD_CC_REQ.
 */
static inline bool uet_pkt_has_cc(const struct uet_pkt *pkt)
{
	return pkt->type == UET_PDS_RUD_CC_REQ ||
	       pkt->type == UET_PDS_ROD_CC_REQ;
}

/**
 * uet_cp_credit() - the credit in a CREDIT packet
 * @cp: parsed control packet
 *
 * Return: 24-bit credit in units of 256 bytes.
 */
static inline u32 uet_cp_credit(const struct uet_cp *cp)
{
	return FIELD_GET(UET_CP_CREDIT, cp->payload);
}

#endif /* _UET_CORE_HDR_PARSE_H */
