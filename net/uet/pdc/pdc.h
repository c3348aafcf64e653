/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packet delivery context (UE 1.0 3.5): what its two directions have in common.
 *
 * A PDC carries requests both ways, each direction with its own PSNs. The initiator,
 * which opens it, starts with a sending half (pdc/tx_half.h), the target with a
 * receiving half (pdc/rx_half.h). Each end makes its second half when needed: for
 * control packets with a PSN, or for requests in the return direction.
 *
 * Their states are in core/snd/pdc_state.h.
 *
 * An error of one half is one of the PDC (UE 1.0 3.5.8.4), so a half that dies
 * tells the other one, which dies by itself: their locks are never held together.
 * Only the initiator closes a PDC.
 *
 * Life: the table of its FEP holds a reference until both halves are dead, the
 * armed timer one, each dest bound to it one. Readers in softirq need none: PDCs
 * are freed after an RCU grace period.
 *
 * Locks (outermost first): uet_dest.lock -> uet_flow.lock, and
 * uet_pdc_rx.lock -> uet_sock.rx_lock. uet_pdc.timer_lock, uet_peer.lock and the
 * tables' own locks are leaves, but for that of the shares (pdc/share.c) in all of them.
 */
#ifndef _UET_PDC_H
#define _UET_PDC_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>

#include "base.h"
#include "core/deadline.h"
#include "core/snd/pdc_state.h"
#include "core/wire/hdr_parse.h"
#include "core/wire/probe.h"
#include "link/peer.h"

struct sk_buff_head;
struct uet_account;
struct uet_pdc_rx;
struct uet_pdc_tx;

/**
 * enum uet_pdc_event - events of a PDC, for uet_pdc_tell()
 * @UET_PDC_OPENED: opened here
 * @UET_PDC_ACCEPTED: opened by the peer
 * @UET_PDC_RETURNED: opened by the peer, and has a sending half now
 * @UET_PDC_CLOSED: closed
 * @UET_PDC_FAILED: failed by an error
 */
enum uet_pdc_event {
	UET_PDC_OPENED,
	UET_PDC_ACCEPTED,
	UET_PDC_RETURNED,
	UET_PDC_CLOSED,
	UET_PDC_FAILED,
};

/**
 * struct uet_pdc - packet delivery context
 * @un: namespace
 * @peer: both FEPs, with a reference
 * @account: account charged for it, with a reference, or NULL
 * @ref: see above
 * @halves: halves that are not dead
 * @id: local PDCID
 * @remote_id: PDCID at the peer, 0 until known
 * @initiator: it was opened here
 * @rod: ordered delivery
 * @tclass: DSCP of requests; if the peer opened it, that of the first packet
 * @job: job of its messages; if the peer opened it, that of the first packet
 * @start_psn: first PSN of both directions
 * @timer_lock: of @timer_at; BH-disabled, a leaf
 * @timer: one timer for all deadlines
 * @timer_at: when it fires, ns, 0 = not armed; also read without the lock
 * @dying: a half died: a half that joins dies at once, and no message uses the PDC
 * @home: the CPU that handles its packets, + 1; 0 = none yet. No lock; see
 *	input/home.c
 * @home_at: when a packet came there by itself last, jiffies; no lock either
 * @unconfirmed_node: in uet_net.unconfirmed while it is not confirmed (rx/pds/accept.c);
 *	uet_net.unconfirmed_lock
 * @return_node: in uet_peer.return_pdcs while a sending half may join, which is after
 *	that; peer->lock
 * @tx: sending half, or NULL; set once
 * @rx: receiving half, or NULL; set once
 * @rcu: for freeing; it is in no list then
 *
 * Hosts of a large job have many thousands, most of them idle: with its larger half it
 * takes 512 bytes at most. What a half needs only while packets are on their way is
 * elsewhere (struct uet_snd_busy).
 */
struct uet_pdc {
	struct uet_net		*un;
	struct uet_peer		*peer;
	struct uet_account	*account;
	struct uet_pdc_tx	*tx;
	struct uet_pdc_rx	*rx;
	refcount_t		ref;
	atomic_t		halves;
	u16			id;
	u16			remote_id;
	u32			job;
	u32			start_psn;
	u32			home_at;
	union {
		struct list_head	unconfirmed_node;
		struct list_head	return_node;
		struct rcu_head		rcu;
	};
	u16			home;
	bool			dying;
	/* Set before it is published */
	u8			tclass : 6;
	u8			initiator : 1;
	u8			rod : 1;
	spinlock_t		timer_lock;	/* of timer_at */
	struct hrtimer		timer;
	u64			timer_at;
};

/**
 * struct uet_rtr - DEFERRABLE_RTR: a target asks for a message that it deferred
 * @raddr: address of the target
 * @from: offset in the message from which it is wanted
 * @job: its job
 * @tokens: of the source and of the target, or the other way round
 */
struct uet_rtr {
	struct in6_addr	raddr;
	u64		from;
	u32		job;
	u32		tokens[2];
};

/**
 * struct uet_pdc_ops - callbacks of a half, for the PDC and the other half
 * @timer: the timer fired; the half arms it for its next deadline. Softirq, RCU
 * @busy: does the half have unfinished work? No lock held, so the result may
 *	change at once
 * @heard: time of its last packet, ns. No lock held
 * @left: sending half: does no queue of messages come back to it, since its CCC was told
 *	to go? No lock held
 * @close: sending half of a target: ask for a close, if nothing is left to send.
 *	BH disabled, no lock held
 * @closing: sending half: was CLOSE_CMD sent, or is the half dead? No lock held,
 *	as for @busy
 * @join: receiving half: let a sending half join; false if the PDC closes.
 *	Process
 * @other_died: the other half is dead or closed. No lock held but that of the
 *	other half
 * @restart: sending half, of any PDC: a target asks for a deferred message. Returns
 *	the SES return code. Softirq, only the lock of a receiving half held
 * @kill: the namespace exits. Process
 * @release: the last reference to the PDC was dropped. Any context
 * @free: free the half, after a grace period
 */
struct uet_pdc_ops {
	void	(*timer)(struct uet_pdc *pdc);
	bool	(*busy)(const struct uet_pdc *pdc);
	u64	(*heard)(const struct uet_pdc *pdc);
	bool	(*left)(const struct uet_pdc *pdc);
	void	(*close)(struct uet_pdc *pdc);
	bool	(*closing)(const struct uet_pdc *pdc);
	bool	(*join)(struct uet_pdc *pdc, struct uet_pdc_tx *tx);
	void	(*other_died)(struct uet_pdc *pdc);
	u8	(*restart)(struct uet_net *un, const struct uet_rtr *rtr);
	void	(*kill)(struct uet_pdc *pdc);
	void	(*release)(struct uet_pdc *pdc);
	void	(*free)(struct uet_pdc *pdc);
};

extern const struct uet_pdc_ops *uet_pdc_tx_ops, *uet_pdc_rx_ops;

/* The halves, for readers that may race with a half that joins. A half stays until
 * the PDC is freed.
 */
static inline struct uet_pdc_tx *uet_pdc_tx(const struct uet_pdc *pdc)
{
	/* Pairs with uet_pdc_rx_join() */
	return smp_load_acquire(&pdc->tx);
}

static inline struct uet_pdc_rx *uet_pdc_rx(const struct uet_pdc *pdc)
{
	/* Pairs with uet_pdc_rx_attach() */
	return smp_load_acquire(&pdc->rx);
}

/* PDCIDs of an address */
#define UET_PDCIDS	U16_MAX

/* share.c: how users and peers share limits */
bool uet_share_take(const struct uet_peer *peer, const struct uet_account *acc, gfp_t gfp);
void uet_share_give(const struct uet_peer *peer, const struct uet_account *acc);
bool uet_share_spare(const struct uet_peer *peer, const struct uet_account *acc);
bool uet_share_short(const struct uet_peer *peer, const struct uet_account *acc);
enum uet_limit uet_share_refuses(const struct uet_peer *peer,
				 const struct uet_account *acc);
enum uet_limit uet_share_refuses_peer(struct uet_net *un,
				      const struct uet_peer_key *key,
				      const struct uet_peer *peer, u32 fewer);

/* pdc.c: object and table */
int uet_pdc_cache_init(void);
void uet_pdc_cache_exit(void);
struct uet_pdc *uet_pdc_alloc(struct uet_peer *peer, struct uet_account *acc,
			      bool rod, gfp_t gfp);
int uet_pdc_take_id(struct uet_pdc *pdc, gfp_t gfp);
int uet_pdc_id_reserve(struct uet_fep *fep, u16 *id);
void uet_pdc_id_release(struct uet_fep *fep, u16 id);
void uet_pdc_publish(struct uet_pdc *pdc);
void uet_pdc_unpublish(struct uet_pdc *pdc);
void uet_pdc_discard(struct uet_pdc *pdc);
struct uet_pdc *uet_pdc_by_id(struct uet_net *un, const struct in6_addr *laddr,
			      u16 id);
void uet_pdc_put(struct uet_pdc *pdc);
void uet_pdc_half_gone(struct uet_pdc *pdc);
void uet_pdc_offer(struct uet_pdc *pdc);
void uet_pdc_unoffer(struct uet_pdc *pdc);
void uet_pdc_kill_all(struct uet_net *un);
void uet_pdc_tell(const struct uet_pdc *pdc, enum uet_pdc_event what);
void uet_pdc_tell_failed(const struct uet_pdc *pdc, int error, u8 source,
			 u16 code);
void uet_pdc_tell_reset(const struct uet_pdc *pdc);

/* shed.c: close idle PDCs when a limit is near */
u64 uet_pdc_idle_ns(const struct uet_pdc *pdc);
void uet_pdc_shed(struct uet_net *un);
void uet_pdc_shed_init(struct uet_net *un);
void uet_pdc_shed_exit(struct uet_net *un);

/* timer.c */
void uet_pdc_timer_init(struct uet_pdc *pdc);
void uet_pdc_arm_earlier(struct uet_pdc *pdc, u64 at);
void uet_pdc_disarm(struct uet_pdc *pdc);

/**
 * uet_pdc_arm() - make sure that the timer fires by a deadline
 * @pdc: the PDC
 * @at: deadline, ns; 0 is none
 *
 * To set a deadline of a half, hold the lock of that half: if the timer fires
 * meanwhile, the half checks its deadlines after the lock is released.
 *
 * Context: BH disabled.
 */
static inline void uet_pdc_arm(struct uet_pdc *pdc, u64 at)
{
	u64 armed = READ_ONCE(pdc->timer_at);

	if (at && (!armed || armed > at))
		uet_pdc_arm_earlier(pdc, at);
}

/* ctl.c: control packets out */
int uet_cp_queue(struct uet_pdc *pdc, struct sk_buff_head *list,
		 const struct uet_cp *cp, u8 ctl, u8 flags, u16 ev);

#endif /* _UET_PDC_H */
