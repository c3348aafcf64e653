/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sending half of a PDC (UE 1.0 3.5.11, 3.5.12): its state. The flow lock protects it.
 *
 * Not here: what both directions share (pdc/pdc.h), the receiving half
 * (pdc/rx_half.h), the functions that work on it (tx/pds/half.h).
 */
#ifndef _UET_PDC_TX_HALF_H
#define _UET_PDC_TX_HALF_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/slab.h>
#include <linux/types.h>

#include "core/snd/snd.h"
#include "pdc/pdc.h"

struct uet_flow;

/* An idle PDC frees its rings after this much silence of the peer */
#define UET_PDC_RING_IDLE_NS	NSEC_PER_SEC

/* ECN field of requests and tail probes: ECT(0) */
#define UET_ECT0		0x02

/**
 * struct uet_pdc_tx - sending half; the flow lock protects it
 * @snd: its sender
 * @pdc: its PDC
 * @reap_node: in uet_net.reap; points to itself before it is
 * @error: errno of its failure, 0 for an orderly close
 * @movable: messages the peer cannot have accepted may move to another PDC
 * @alone: it carries the long messages of one dest at a time
 * @silent: counted in uet_account.silent
 * @err_source: enum uet_report_source of @error
 * @err_code: code of that source; while the PDC opens, ICMP's type << 8 | code
 * @flow: its CCC, with a reference
 * @peer_node: in uet_peer.tx_halves; peer->lock
 * @dests: dests bound to it
 * @orphan_at: when to check dests without a socket, 0 = none; until it is dead
 * @close_psn: PSN of CLOSE_CMD or CLOSE_REQ
 * @soft_at: when @soft_err was set, but the first time while the PDC opens;
 *	ns >> UET_SOFT_SHIFT
 * @soft_err: errno to report when retries are used up, unless the peer was heard since
 * @unreached: while the PDC opens: ICMP said unreachable, with @err_code, at @soft_at
 * @died_at: when it died, ns, once it is dead
 */
struct uet_pdc_tx {
	struct uet_snd		snd;
	struct uet_pdc		*pdc;
	struct uet_flow		*flow;
	struct llist_node	reap_node;
	struct list_head	peer_node;
	struct list_head	dests;
	union {
		u64		orphan_at;
		u64		died_at;
	};
	u32			close_psn;
	u32			soft_at;
	u16			err_code;
	u8			error;
	u8			soft_err;
	u8			err_source;
	bool			unreached : 1;
	bool			movable : 1;
	bool			alone : 1;
	bool			silent : 1;
};

#define UET_SOFT_SHIFT		20

/* Note what to report if the peer stays silent; flow lock held. */
static inline void uet_pdc_soft_err(struct uet_pdc_tx *tx, int error, u64 now)
{
	tx->soft_err = (u8)error;
	tx->soft_at = (u32)(now >> UET_SOFT_SHIFT);
}

/* What opens ends when ICMP has said unreachable and nothing was heard for so long since
 * the first time. A neighbour is looked for as long by default. How often it is said tells
 * nothing: Linux as a router does two or three times, and not again while packets come
 * more often than every two seconds.
 */
#define UET_UNREACHED_NS	(3ULL * NSEC_PER_SEC)

/**
 * uet_unreached() - is it to be believed that ICMP says unreachable?
 * @since: when it first did, ns >> UET_SOFT_SHIFT
 * @now: time, ns
 */
static inline bool uet_unreached(u32 since, u64 now)
{
	return (u32)(now >> UET_SOFT_SHIFT) - since >=
	       UET_UNREACHED_NS >> UET_SOFT_SHIFT;
}

/* The same of a PDC that opens; flow lock held. */
static inline bool uet_pdc_unreached(const struct uet_pdc_tx *tx, u64 now)
{
	return tx->unreached && tx->snd.state == UET_PDC_SYN &&
	       uet_unreached(tx->soft_at, now);
}

static inline void uet_snd_mem_free(const struct uet_snd_mem *mem)
{
	kvfree(mem->win);
	kvfree(mem->pkts);
}

/* The PDC of a sender */
static inline struct uet_pdc *uet_pdc_of(const struct uet_snd *s)
{
	return container_of(s, struct uet_pdc_tx, snd)->pdc;
}

/* Dead but not buried: NACKs for packets in flight are awaited. */
static inline bool uet_pdc_disowned(const struct uet_pdc *pdc)
{
	return pdc->tx->snd.state == UET_PDC_DEAD &&
	       READ_ONCE(pdc->tx->reap_node.next) == &pdc->tx->reap_node;
}

#endif /* _UET_PDC_TX_HALF_H */
