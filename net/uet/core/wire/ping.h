/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes of a path or an endpoint that belong to no message: what is sent, and what
 * an answer means.
 *
 * A probe of a path is a request without SYN that names PDCID 0, which nobody has
 * (UE 1.0 3.5.8). So no target delivers it, none keeps state for it, and every one
 * answers it by the NACK INV_DPDCID: 16 bytes, with the PSN and PDCID of the probe
 * and by its entropy value. On its way it is like a packet of data.
 *
 * Who is there, only SES can tell, and that takes a PDC: a probe of an endpoint
 * opens one by the request NO_OP, which delivers nothing, and closes it when that is
 * answered.
 */
#ifndef _UET_CORE_PING_H
#define _UET_CORE_PING_H

#include "hdr_parse.h"

/* Bytes of a probe before its payload */
#define UET_PING_HDR_LEN	(UET_PDS_REQ_LEN + UET_SES_STD_LEN)

/**
 * struct uet_ping_ask - a probe
 * @psn: its PSN, random
 * @job: job id
 * @pid: PIDonFEP; 0 asks for the host
 * @ri: resource index
 * @spdcid: PDCID of this host that nobody else uses
 * @remote: PDCID of the target, once it has answered
 * @size: payload
 * @endpoint: of an endpoint, not of a path
 */
struct uet_ping_ask {
	u32 psn;
	u32 job;
	u16 pid;
	u16 ri;
	u16 spdcid;
	u16 remote;
	u16 size;
	bool endpoint;
};

/**
 * enum uet_ping_verdict - what a packet means to a probe
 * @UET_PING_FOREIGN: nothing, it is no answer to it
 * @UET_PING_ANSWERED: the target answers
 * @UET_PING_CLOSED: the PDC of a probe of an endpoint is closed
 */
enum uet_ping_verdict {
	UET_PING_FOREIGN,
	UET_PING_ANSWERED,
	UET_PING_CLOSED,
};

/**
 * struct uet_ping_answer - an answer
 * @nack: enum uet_nack_code, 0 = it is an ACK
 * @rc: enum uet_rc of an endpoint. UET_RC_NULL: the PSN was received before and
 *	needed no other response, since errors are repeated
 * @generation: with UET_RC_BAD_GENERATION, that of the endpoint
 * @mpr: receive window of the target, in 128 packets; 0 = not told
 * @remote: PDCID of the target, 0 = it has no PDC
 * @marked: the probe arrived with an ECN mark
 */
struct uet_ping_answer {
	u8 nack;
	u8 rc;
	u8 generation;
	u8 mpr;
	u16 remote;
	bool marked;
};

/**
 * uet_ping_build() - build the headers of a probe
 * @buf: room for UET_PING_HDR_LEN bytes
 * @ask: the probe
 * @again: it was sent before
 *
 * Return: bytes written.
 */
unsigned int uet_ping_build(void *buf, const struct uet_ping_ask *ask,
			    bool again);

/**
 * uet_ping_build_close() - build the packet that closes the PDC of a probe
 * @buf: room for UET_PDS_CP_LEN bytes
 * @ask: the probe, answered
 * @again: it was sent before
 *
 * Return: bytes written.
 */
unsigned int uet_ping_build_close(void *buf, const struct uet_ping_ask *ask,
				  bool again);

/**
 * uet_ping_judge() - is a packet an answer to a probe?
 * @ask: the probe
 * @pkt: the packet, from the address that was asked
 * @answer: set, if the verdict is UET_PING_ANSWERED
 *
 * Return: the verdict.
 */
enum uet_ping_verdict uet_ping_judge(const struct uet_ping_ask *ask,
				     const struct uet_pkt *pkt,
				     struct uet_ping_answer *answer);

#endif /* _UET_CORE_PING_H */
