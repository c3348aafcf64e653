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
 * struct uet_hdr_run - a header of a run, and what the next one has
 * @psn: first word: prologue, distance of CLEAR_PSN, PSN
 * @off: last word: offset in the message, request length
 * @add: what is added to @off
 * @same: the words between, as in all packets but the first and the last
 */
struct uet_hdr_run {
	u64	psn;
	u64	off;
	u64	add;
	u64	same[5];
};

/**
 * uet_hdr_run_begin() - take the header of the first packet
 * @run: set
 * @first: header of a packet without SYN that does not end its message
 * @len: payload bytes of that packet, at most UET_SES_LEN14
 */
void uet_hdr_run_begin(struct uet_hdr_run *run, const u8 *first, u32 len);

/**
 * uet_hdr_run_put() - write the header of the next packet
 * @run: the run
 * @to: room for UET_HDR_RUN_LEN bytes
 *
 * The packet has the next PSN, the same CLEAR_PSN, as much payload, and neither AR
 * nor EOM; see uet_hdr_set_len() and uet_hdr_end(). A CLEAR_PSN that is too far away
 * for its field becomes the farthest one that is not.
 */
void uet_hdr_run_put(struct uet_hdr_run *run, u8 *to);

/**
 * uet_hdr_run_follow() - how many headers are those of the next packets?
 * @run: the run; it is at the last of them afterwards
 * @hdr: first header in question, of a packet that is not the last one
 * @stride: bytes from one header to the next
 * @n: number of headers
 *
 * Reserved bits must be zero, as uet_hdr_run_put() leaves them.
 *
 * Return: @n if all are what uet_hdr_run_put() writes; else less, and @run is of no
 * use any more.
 */
u32 uet_hdr_run_follow(struct uet_hdr_run *run, const u8 *hdr, u32 stride, u32 n);

/**
 * uet_hdr_run_ends() - is it the header of the next packet, and that the last one?
 * @run: the run
 * @hdr: header in question
 *
 * Return: true if @hdr is what uet_hdr_run_put() writes if uet_hdr_end() and a
 * uet_hdr_set_len() of 1 to the payload of the first packet follow. The caller compares
 * uet_hdr_len() with what the packet has.
 */
bool uet_hdr_run_ends(struct uet_hdr_run *run, const u8 *hdr);

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
