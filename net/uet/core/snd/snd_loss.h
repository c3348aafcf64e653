/* SPDX-License-Identifier: GPL-2.0 */
/* Steps of an event at a sender (snd.h), and the packets that they find lost. */
#ifndef _UET_CORE_SND_LOSS_H
#define _UET_CORE_SND_LOSS_H

#include "../wire/hdr_parse.h"
#include "snd.h"
#include "txwin_scan.h"

/* A control packet to send; its type is @ctl. */
struct uet_snd_cp {
	struct uet_cp cp;
	u8 ctl;
	bool data_class;	/* in the traffic class of data */
	u16 ev;			/* 0: any */
};

#define UET_SND_CPS	4

/**
 * enum uet_snd_end - how an event ended a PDC
 * @UET_SND_ALIVE: it did not
 * @UET_SND_SILENT: the peer has been silent for too long
 */
enum uet_snd_end {
	UET_SND_ALIVE,
	UET_SND_SILENT,
};

/**
 * struct uet_snd_work - an event that is being processed
 * @now: time, ns
 * @port_free: when the interface has sent what it was given, ns
 * @todo: steps that are left
 * @doing: the step whose packets are being scanned
 * @how: enum uet_loss_class of that step
 * @any: the scan found a lost packet
 * @young: the scan passed packets that are too young
 * @from: step "go back": first PSN that the target dropped
 * @ooo: out-of-order count of the ACK
 * @oldest: step "timed out": oldest packet that is not overtaken
 * @limit: packets sent before are lost, ns
 * @first: when @oldest was sent, ns
 * @scan: the scan
 * @steps: blocks and packets examined by scans that have ended
 * @gone_back: packets that are resent by "go back"
 * @timeouts: retransmission timeouts
 * @probes: tail probes
 * @back: the last lost packet is one of @gone_back
 * @nr_cps: control packets to send
 * @cps: these
 * @end: enum uet_snd_end
 */
struct uet_snd_work {
	u64 now;
	u64 port_free;
	u16 todo;
	u16 doing;
	u8 how;
	bool any;
	bool young;
	bool back;
	u8 nr_cps;
	u8 end;
	u8 timeouts;
	u8 probes;
	u16 ooo;
	u32 from;
	u32 oldest;
	u32 gone_back;
	u32 steps;
	u64 limit;
	u64 first;
	struct uet_tx_scan scan;
	struct uet_snd_cp cps[UET_SND_CPS];
};

/**
 * uet_snd_work_init() - before an event
 * @w: work
 * @now: time, ns
 * @port_free: when the interface has sent what it was given, ns
 */
static inline void uet_snd_work_init(struct uet_snd_work *w, u64 now,
				     u64 port_free)
{
	w->now = now;
	w->port_free = port_free;
	w->todo = 0;
	w->doing = 0;
	w->nr_cps = 0;
	w->end = UET_SND_ALIVE;
	w->timeouts = 0;
	w->probes = 0;
	w->gone_back = 0;
	w->steps = 0;
}

/**
 * uet_snd_next_lost() - do the steps of an event up to the next lost packet
 * @s: sender
 * @w: the event
 * @loss: the packet, which is marked for retransmission; the caller feeds it to
 *	congestion control
 *
 * Return: false if all steps are done.
 */
bool uet_snd_next_lost(struct uet_snd *s, struct uet_snd_work *w,
		       struct uet_ccc_loss *loss);

/**
 * uet_snd_lost() - one packet is known to be lost
 * @s: sender
 * @psn: the packet
 * @how: enum uet_loss_class
 * @now: time, ns
 * @loss: set for congestion control
 *
 * Return: false if congestion control need not hear of it.
 */
bool uet_snd_lost(struct uet_snd *s, u32 psn, u8 how, u64 now,
		  struct uet_ccc_loss *loss);

/**
 * uet_snd_dropped() - a packet did not leave this host
 * @s: sender
 * @psn: the packet
 *
 * Its next transmission says so (uet_snd_out.dropped).
 */
void uet_snd_dropped(struct uet_snd *s, u32 psn);

/**
 * uet_snd_clear_req() - the target wants a response to be cleared
 * @s: sender
 * @psn: PSN of the response
 * @ev: entropy value of the request
 * @w: initialised; gets ACK_REQ if the response was lost
 */
void uet_snd_clear_req(struct uet_snd *s, u32 psn, u16 ev,
		       struct uet_snd_work *w);

#endif /* _UET_CORE_SND_LOSS_H */
