/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Headers of a run: consecutive packets of one message on one PDC, which travel
 * between the layers of a host as one buffer.
 *
 * Each packet of a run has a PDS request without congestion control word and a
 * standard SES request (UE 1.0 3.5.11, 3.4.1). All packets but the last have the
 * same payload; only the last one may ask for an ACK or end the message. So a
 * header follows from the one before it, and neither end builds or parses it.
 */
#ifndef _UET_CORE_HDR_RUN_H
#define _UET_CORE_HDR_RUN_H

#include "wire_ses.h"

/* Headers of each packet of a run */
#define UET_HDR_RUN_LEN		(UET_PDS_REQ_LEN + UET_SES_STD_LEN)
/* Packets per run: with the largest payload MTU, 4096, they fit into 64 KiB */
#define UET_RUN_MAX		15

static_assert(UET_HDR_RUN_LEN == 56);
static_assert(UET_RUN_MAX * (4096 + UET_HDR_RUN_LEN) + 8 + 40 <= U16_MAX);

/**
 * uet_hdr_next() - make the header of the packet that follows another one
 * @to: room for UET_HDR_RUN_LEN bytes, apart from @from
 * @from: header of a packet without SYN that does not end its message
 * @len: payload bytes of that packet, at most UET_SES_LEN14
 *
 * The new packet has the next PSN, the same CLEAR_PSN, @len bytes of payload too,
 * and neither AR nor EOM; see uet_hdr_set_len() and uet_hdr_end(). A CLEAR_PSN that
 * is too far away for its field becomes the farthest one that is not.
 */
void uet_hdr_next(u8 *to, const u8 *from, u32 len);

/**
 * uet_hdr_set_len() - set the payload length in a header
 * @hdr: header of a packet that does not start its message
 * @len: payload bytes, at most UET_SES_LEN14
 */
void uet_hdr_set_len(u8 *hdr, u32 len);

/**
 * uet_hdr_end() - make a packet the last one of its run
 * @hdr: its header
 * @ar: it asks for an ACK
 * @eom: it ends its message
 */
void uet_hdr_end(u8 *hdr, bool ar, bool eom);

/**
 * uet_hdr_follows() - is it the header of the next packet of a run?
 * @prev: header of a packet
 * @hdr: header in question
 * @len: payload bytes of the packet with @prev, at most UET_SES_LEN14
 * @last: it is to be the last one of its run
 *
 * Reserved bits must be zero, as uet_hdr_next() leaves them.
 *
 * Return: true if @hdr is what uet_hdr_next() makes of @prev; with @last, if
 * uet_hdr_end() and a uet_hdr_set_len() of 1 to @len follow. The caller compares
 * uet_hdr_len() with what the last packet has.
 */
bool uet_hdr_follows(const u8 *prev, const u8 *hdr, u32 len, bool last);

/**
 * uet_hdr_len() - payload length in a header
 * @hdr: header of a packet that does not start its message
 *
 * Return: bytes.
 */
u32 uet_hdr_len(const u8 *hdr);

/**
 * uet_hdr_has_ar() - does a packet ask for an ACK?
 * @hdr: its header
 *
 * Return: true if so.
 */
bool uet_hdr_has_ar(const u8 *hdr);

/**
 * uet_hdr_has_eom() - does a packet end its message?
 * @hdr: its header
 *
 * Return: true if so.
 */
bool uet_hdr_has_eom(const u8 *hdr);

#endif /* _UET_CORE_HDR_RUN_H */
