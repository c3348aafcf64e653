/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Builds the PDS and SES headers that this module sends, from host order; the
 * inverse of hdr_parse.h, which also knows what it only receives.
 *
 * Each function writes every byte of one header and returns its length, so a
 * caller can append one header to another.  The caller provides the room;
 * UET_HDR_MAX_LEN bytes are always enough.  The PDS builders return 0 if the
 * distance between two PSNs does not fit into its field; the windows exclude
 * that in correct use.
 */
#ifndef _UET_CORE_HDR_BUILD_H
#define _UET_CORE_HDR_BUILD_H

#include "hdr_parse.h"

/**
 * uet_build_req() - build RUD_REQ, ROD_REQ, RUD_CC_REQ, ROD_CC_REQ
 * @buf: room for 12 bytes, 16 with congestion control word
 * @pkt: type, next_hdr, flags, spdcid, req; dpdcid unless UET_F_SYN is set
 *
 * Return: bytes written, 0 if clear_psn or start_psn are too far from psn.
 */
unsigned int uet_build_req(void *buf, const struct uet_pkt *pkt);

/**
 * uet_build_ack() - build ACK, ACK_CC
 * @buf: room for 12 or 32 bytes
 * @pkt: type, next_hdr, flags, spdcid, dpdcid, ack
 *
 * With UET_F_PROBE probe_opaque is written in place of ack_psn.  An ACK_CC
 * cannot carry cc_type UET_CC_NONE; it is written as NSCC with all state
 * invalid.
 *
 * Return: bytes written, 0 if ack_psn or sack_base are too far from cack_psn,
 * or for ACK_CCX, which this module never sends.
 */
unsigned int uet_build_ack(void *buf, const struct uet_pkt *pkt);

/**
 * uet_build_ack_rsp() - build ACK or ACK_CC with the response it carries
 * @buf: room for 44 bytes
 * @pkt: as for uet_build_ack(); rsp if next_hdr is UET_NH_RSP
 *
 * Return: bytes written, 0 as for uet_build_ack().
 */
unsigned int uet_build_ack_rsp(void *buf, const struct uet_pkt *pkt);

/**
 * uet_build_nack() - build NACK
 * @buf: room for 16 bytes
 * @pkt: flags, spdcid, dpdcid, nack
 *
 * Return: bytes written.
 */
unsigned int uet_build_nack(void *buf, const struct uet_pkt *pkt);

/**
 * uet_build_cp() - build CP
 * @buf: room for 16 bytes
 * @pkt: ctl_type, flags, spdcid, cp; dpdcid unless UET_F_SYN is set
 *
 * Return: bytes written, 0 if start_psn is too far from psn.
 */
unsigned int uet_build_cp(void *buf, const struct uet_pkt *pkt);

/**
 * uet_build_uud() - build UUD_REQ
 * @buf: room for 4 bytes
 * @pkt: next_hdr
 *
 * Return: bytes written.
 */
unsigned int uet_build_uud(void *buf, const struct uet_pkt *pkt);

/**
 * uet_build_rudi() - build RUDI_REQ, RUDI_RESP
 * @buf: room for 8 bytes
 * @pkt: type, next_hdr, flags, pkt_id
 *
 * Return: bytes written.
 */
unsigned int uet_build_rudi(void *buf, const struct uet_pkt *pkt);

/**
 * uet_build_ses_std() - build a standard request
 * @buf: room for 44 bytes
 * @ses: request; header_data is used with SOM and HD, payload_length and
 *	message_offset without SOM
 *
 * Return: bytes written.
 */
unsigned int uet_build_ses_std(void *buf, const struct uet_ses_req *ses);

/**
 * uet_build_ses_small() - build a SES small request, for messages of one packet
 * @buf: room for 20 bytes
 * @ses: request_length below 16384
 *
 * Return: bytes written.
 */
unsigned int uet_build_ses_small(void *buf, const struct uet_ses_req *ses);

/**
 * uet_build_ses_medium() - build a SES medium request, for messages of one packet
 * @buf: room for 32 bytes
 * @ses: request_length below 16384; header_data if UET_SES_F_HD is set, else
 *	buffer_offset
 *
 * Return: bytes written.
 */
unsigned int uet_build_ses_medium(void *buf, const struct uet_ses_req *ses);

/**
 * uet_build_ses_req() - build a request in the form that its PDS header names
 * @buf: room for 44 bytes
 * @pkt: next_hdr, ses
 *
 * Return: bytes written.
 */
static inline unsigned int uet_build_ses_req(void *buf, const struct uet_pkt *pkt)
{
	if (likely(pkt->next_hdr == UET_NH_REQ_STD))
		return uet_build_ses_std(buf, &pkt->ses);
	return pkt->next_hdr == UET_NH_REQ_MEDIUM ?
	       uet_build_ses_medium(buf, &pkt->ses) :
	       uet_build_ses_small(buf, &pkt->ses);
}

/**
 * uet_build_rsp() - build a response
 * @buf: room for 12 bytes
 * @rsp: response
 *
 * Return: bytes written.
 */
unsigned int uet_build_rsp(void *buf, const struct uet_ses_rsp *rsp);

#endif /* _UET_CORE_HDR_BUILD_H */
