// SPDX-License-Identifier: GPL-2.0
/*
 * Source of RUDI (UE 1.0 3.5.8): packets for idempotent operations, each with a pkt_id
 * and a timeout of its own, sent again until its target answers it. There is no PDC.
 *
 * What goes to one peer has a window (core/snd/rudi.h), which that of the peer's CCC limits
 * too, if there is one. Packets that may not be sent yet wait in a queue. Each
 * transmission has another entropy value.
 *
 * A packet is charged to its socket until it is done: SO_SNDBUF limits how many there
 * are. What is sent is a copy, as queues may have the one before.
 *
 * Not here: how a message is made (sock/rudi.c), who carries it out (rx/pds/rudi.c).
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/inet_ecn.h>

#include "compat.h"
#include "core/lb/lb.h"
#include "core/lb/lb_perm.h"
#include "core/wire/bytes.h"
#include "core/wire/wire_ses.h"
#include "link/encap.h"
#include "link/owner.h"
#include "link/packet.h"
#include "link/peer.h"
#include "mib.h"
#include "sock.h"
#include "tx/cms/flow.h"
#include "tx/msg/done.h"
#include "tx/msg/report.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/wmem.h"
#include "tx/pds/half.h"
#include "tx/queue/rudi.h"

/* Packets sent under one lock; sent, or looked at by the timer, at a time */
#define UET_RUDI_BATCH		16
#define UET_RUDI_BUDGET		128
/* Without memory for a copy it is tried again after this */
#define UET_RUDI_NOMEM_NS	NSEC_PER_MSEC
/* Path MTU for the window, where there is no route */
#define UET_RUDI_MTU		1500
/* Entropy values, spread over the ports of UDP that UET uses */
#define UET_RUDI_EVS		(U16_MAX - UET_LB_UDP_LOW + 1)

/**
 * struct uet_rudi - what goes to a peer as RUDI
 * @peer: the peer, which frees it; a reference while @busy or @armed
 * @lock: of all below; BH-disabled
 * @queue: packets that may be sent when the window is open
 * @due: packets by the time at which they are looked at: timeouts of those that were
 *	sent, ends of pauses
 * @deadlines: messages with a lifetime
 * @nr: packets
 * @busy: a packet was queued, and holds references to the peer and the tunnel sockets
 * @win: what may be outstanding
 * @evs: order of entropy values
 * @timer: for @due and @deadlines
 * @armed: @timer runs or is about to, with a reference to @peer
 * @armed_at: when it fires, ns
 * @retry_at: when to try again for lack of memory, ns, 0 = need not
 * @running: a CPU sends
 * @again: another one wanted to meanwhile
 * @heard: the peer has answered once
 * @icmp_since: when the first of these came, see uet_unreached()
 * @icmp_code: ICMP said unreachable before it was heard: type << 8 | code, 0 = no; it and
 *	@soft_err are forgotten when no packet is left
 * @soft_err: errno for packets that are given up
 */
struct uet_rudi {
	struct uet_peer		*peer;
	spinlock_t		lock;	/* of all below */
	struct list_head	queue;
	struct timerqueue_head	due;
	struct timerqueue_head	deadlines;
	u32			nr;
	bool			busy;
	struct uet_rudi_win	win;
	struct uet_perm		evs;
	struct hrtimer		timer;
	bool			armed;
	u64			armed_at;
	u64			retry_at;
	bool			running;
	bool			again;
	bool			heard;
	u16			icmp_code;
	u32			icmp_since;
	int			soft_err;
};

/**
 * struct uet_rudi_pkt - a packet that is not answered
 * @due: in uet_rudi.due
 * @node: in uet_rudi.queue, if not in @due
 * @t: when it was sent, and how often
 * @r: where it is, valid while the packet is in RCU
 * @msg: its message, with a reference
 * @skb: PDS and SES header and data, charged to the owner; NULL when it is done
 * @id: pkt_id, in uet_net.rudi_ids
 * @charged: bytes charged to the namespace
 * @rcu: for freeing
 */
struct uet_rudi_pkt {
	struct timerqueue_node	due;
	struct list_head	node;
	struct uet_rudi_try	t;
	struct uet_rudi		*r;
	struct uet_rudi_msg	*msg;
	struct sk_buff		*skb;
	u32			id;
	u32			charged;
	struct rcu_head		rcu;
};

static const struct uet_snd_rules *uet_rudi_rules(const struct uet_rudi *r)
{
	return &r->peer->fep->un->sysctl.rules;
}

/* --- messages --------------------------------------------------------------- */

/**
 * uet_rudi_msg_put() - drop a reference
 * @msg: message
 *
 * Context: any.
 */
void uet_rudi_msg_put(struct uet_rudi_msg *msg)
{
	if (!refcount_dec_and_test(&msg->ref))
		return;
	if (msg->owner)
		sock_put(msg->owner);
	uet_done_disown(&msg->cq);
	kfree(msg);
}

/* Take a message away from its socket. Returns that, or NULL if it is closed. */
static struct uet_sock *uet_rudi_leave(struct uet_rudi_msg *msg)
{
	struct uet_sock *us = READ_ONCE(msg->us);
	bool mine, last;

	RCU_LOCKDEP_WARN(!rcu_read_lock_held() && !rcu_read_lock_bh_held(),
			 "socket used without protection");
	if (!us)
		return NULL;
	spin_lock(&us->rudi_lock);
	mine = msg->us;
	if (mine) {
		list_del_init(&msg->us_node);
		WRITE_ONCE(msg->us, NULL);
	}
	last = mine && list_empty(&us->rudi_msgs);
	spin_unlock(&us->rudi_lock);
	if (last)	/* Somebody may linger. */
		uet_sock_wake_tx(us);
	return mine ? us : NULL;
}

static void uet_rudi_report(struct uet_rudi_msg *msg, struct uet_sock *us,
			    int error, u8 source, u16 code)
{
	const struct uet_report rep = {
		.error = error,
		.type = error ? UET_REPORT_FAILED : UET_REPORT_DELIVERED,
		.source = source,
		.code = code,
		.cookie = msg->cookie,
		.cookie_last = msg->cookie,
		.length = msg->len,
	};

	uet_sock_report(us, &rep, &msg->to, NULL, &msg->cq);
}

/* A message ends, once: it is reported, unless its sender still queues it. */
static void uet_rudi_end(struct uet_rudi_msg *msg, int error, u8 source,
			 u16 code)
{
	struct uet_rudi *r = msg->r;
	struct uet_net *un = r->peer->fep->un;
	struct uet_sock *us;

	lockdep_assert_held(&r->lock);
	if (msg->done)
		return;
	msg->done = true;
	WRITE_ONCE(msg->error, error);
	if (!RB_EMPTY_NODE(&msg->deadline.node))
		timerqueue_del(&r->deadlines, &msg->deadline);
	if (error)
		UET_INC(un, MSG_FAILED);
	else
		UET_INC(un, MSG_DONE);
	rcu_read_lock();
	us = uet_rudi_leave(msg);
	if (us && !msg->open && (error || uet_notifies(us, msg->has_cookie)))
		uet_rudi_report(msg, us, error, source, code);
	rcu_read_unlock();
}

/* One of what a message waits for is done. */
static void uet_rudi_less(struct uet_rudi_msg *msg)
{
	lockdep_assert_held(&msg->r->lock);
	if (!--msg->left)
		uet_rudi_end(msg, 0, UET_REPORT_LOCAL, 0);
}

/* --- packets ---------------------------------------------------------------- */

/**
 * uet_rudi_pkt_new() - make a packet of a message
 * @msg: message
 * @skb: PDS and SES header and data; its pkt_id is written here; consumed
 *
 * Context: process; sleeps.
 * Return: the packet, or an ERR_PTR: -ENOBUFS.
 */
struct uet_rudi_pkt *uet_rudi_pkt_new(struct uet_rudi_msg *msg,
				      struct sk_buff *skb)
{
	struct uet_net *un = msg->r->peer->fep->un;
	struct uet_rudi_pkt *pkt = kzalloc(sizeof(*pkt), GFP_KERNEL_ACCOUNT);

	if (!pkt)
		goto err_skb;
	pkt->r = msg->r;
	pkt->msg = msg;
	pkt->charged = skb->truesize + sizeof(*pkt);
	if (!uet_mem_charge(un, pkt->charged))
		goto err_free;
	/* What goes around is not taken for what was before. */
	if (xa_alloc_cyclic_bh(&un->rudi_ids, &pkt->id, pkt, xa_limit_32b,
			       &un->rudi_next_id, GFP_KERNEL_ACCOUNT) < 0)
		goto err_mem;
	uet_put_be32(pkt->id, skb->data + offsetof(struct uet_pds_rudi_wire,
						   pkt_id));
	timerqueue_init(&pkt->due);
	INIT_LIST_HEAD(&pkt->node);
	pkt->skb = skb;
	refcount_inc(&msg->ref);
	return pkt;

err_mem:
	uet_mem_uncharge(un, pkt->charged);
err_free:
	kfree(pkt);
err_skb:
	consume_skb(skb);
	return ERR_PTR(-ENOBUFS);
}

static void uet_rudi_pkt_free(struct uet_net *un, struct uet_rudi_pkt *pkt)
{
	xa_erase_bh(&un->rudi_ids, pkt->id);
	uet_mem_uncharge(un, pkt->charged);
	uet_rudi_msg_put(pkt->msg);
	kfree_rcu(pkt, rcu);
}

/**
 * uet_rudi_pkts_free() - free packets that were not submitted
 * @un: namespace
 * @pkts: list of them, by @node; empty afterwards
 *
 * Context: process.
 */
void uet_rudi_pkts_free(struct uet_net *un, struct list_head *pkts)
{
	struct uet_rudi_pkt *pkt, *next;

	list_for_each_entry_safe(pkt, next, pkts, node) {
		list_del(&pkt->node);
		consume_skb(pkt->skb);
		uet_rudi_pkt_free(un, pkt);
	}
}

/**
 * uet_rudi_add() - append a packet to a list
 * @pkts: the list
 * @pkt: the packet
 */
void uet_rudi_add(struct list_head *pkts, struct uet_rudi_pkt *pkt)
{
	list_add_tail(&pkt->node, pkts);
}

/* Look at a packet at a time, ns. */
static void uet_rudi_wait(struct uet_rudi *r, struct uet_rudi_pkt *pkt, u64 at)
{
	lockdep_assert_held(&r->lock);
	pkt->due.expires = at;
	timerqueue_add(&r->due, &pkt->due);
}

static void uet_rudi_unwait(struct uet_rudi *r, struct uet_rudi_pkt *pkt)
{
	lockdep_assert_held(&r->lock);
	if (!RB_EMPTY_NODE(&pkt->due.node))
		timerqueue_del(&r->due, &pkt->due);
	else
		list_del_init(&pkt->node);
}

/* A packet is done; its data goes to @gone. */
static void uet_rudi_release(struct uet_rudi *r, struct uet_rudi_pkt *pkt,
			     struct sk_buff_head *gone)
{
	lockdep_assert_held(&r->lock);
	uet_rudi_unwait(r, pkt);
	uet_rudi_gone(&r->win, &pkt->t);
	__skb_queue_tail(gone, pkt->skb);
	pkt->skb = NULL;
	if (!--r->nr) {
		/* What was said of these is not true of what is sent later. */
		r->icmp_code = 0;
		r->soft_err = 0;
	}
	uet_rudi_less(pkt->msg);
	uet_rudi_pkt_free(r->peer->fep->un, pkt);
}

/* Must a packet not be sent any more? */
static bool uet_rudi_over(const struct uet_rudi_pkt *pkt, u64 now)
{
	const struct uet_sysctl *s = &pkt->r->peer->fep->un->sysctl;
	const struct uet_rudi_msg *msg = pkt->msg;
	u64 orphaned = READ_ONCE(msg->orphaned);
	u64 most = (u64)READ_ONCE(s->orphan_timeout_s) * NSEC_PER_SEC;

	return msg->done || READ_ONCE(msg->withdrawn) ||
	       (orphaned && now - orphaned >= most);
}

/* --- sending ---------------------------------------------------------------- */

/* Window of the CCC to the same peer, 0 = there is none */
static u64 uet_rudi_limit(struct uet_peer *peer)
{
	struct uet_flow *flow;
	u64 limit = 0;

	spin_lock(&peer->lock);
	flow = list_first_entry_or_null(&peer->flows, struct uet_flow,
					peer_node);
	if (flow && !refcount_inc_not_zero(&flow->ref))
		flow = NULL;
	spin_unlock(&peer->lock);
	if (!flow)
		return 0;
	spin_lock(&flow->lock);
	limit = uet_ccc_window(&flow->ccc);
	spin_unlock(&flow->lock);
	uet_flow_put(flow);
	return limit;
}

static u16 uet_rudi_ev(struct uet_rudi *r)
{
	bool wrapped = false;
	u32 i;

	lockdep_assert_held(&r->lock);
	i = uet_perm_next(&r->evs, &wrapped);
	if (wrapped)
		r->evs.key = get_random_u32();
	return UET_LB_UDP_LOW + i * (UET_RUDI_EVS / r->evs.n);
}

/* A copy of a packet to send now, NULL without memory */
static struct sk_buff *uet_rudi_copy(struct uet_rudi *r,
				     struct uet_rudi_pkt *pkt, u32 mtu)
{
	u8 retx = pkt->t.since ? UET_F_RETX : 0;
	struct uet_txmeta *meta;
	struct sk_buff *skb;

	skb = __pskb_copy(pkt->skb, UET_HEADROOM, GFP_ATOMIC | __GFP_NOWARN);
	if (unlikely(!skb)) {
		UET_INC(r->peer->fep->un, TX_NOMEM);
		return NULL;
	}
	skb->data[1] |= retx;
	skb->priority = pkt->skb->priority;
	uet_owner_mark(skb, pkt->msg->owner);
	meta = UET_TXMETA(skb);
	*meta = *UET_TXMETA(pkt->skb);
	meta->ev = uet_rudi_ev(r);
	/* What was cut for a larger path MTU cannot be cut again. */
	meta->df = skb->len <= mtu;
	if (retx)
		UET_INC(r->peer->fep->un, RETX_RUDI);
	else
		UET_INC(r->peer->fep->un, TX_RUDI);
	return skb;
}

/* Room for PDS packets in an IP packet */
static u32 uet_rudi_mtu(const struct uet_output *out)
{
	u32 mtu = uet_output_mtu(out);
	u32 headers = uet_form_len(out->form) +
		      (out->v4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr));

	return mtu - min(mtu, headers);
}

/* Move what the window allows to @list. Returns how many packets were looked at. */
static u32 uet_rudi_take(struct uet_rudi *r, const struct uet_output *out,
			 u64 limit, struct sk_buff_head *list,
			 struct sk_buff_head *gone)
{
	u32 mtu = uet_rudi_mtu(out), n;
	struct uet_rudi_pkt *pkt;
	u64 now = ktime_get_ns();
	struct sk_buff *skb;

	lockdep_assert_held(&r->lock);
	for (n = 0; n < UET_RUDI_BATCH; n++) {
		pkt = list_first_entry_or_null(&r->queue, struct uet_rudi_pkt,
					       node);
		if (!pkt)
			break;
		if (unlikely(uet_rudi_over(pkt, now))) {
			uet_rudi_end(pkt->msg, ETIMEDOUT, UET_REPORT_LOCAL, 0);
			uet_rudi_release(r, pkt, gone);
			continue;
		}
		pkt->t.size = pkt->skb->len + uet_form_len(out->form) +
			      UET_NOMINAL_ADD_BYTES;
		if (!uet_rudi_win_open(&r->win, pkt->t.size, limit))
			break;
		skb = uet_rudi_copy(r, pkt, mtu);
		if (unlikely(!skb)) {
			r->retry_at = now + UET_RUDI_NOMEM_NS;
			break;
		}
		list_del_init(&pkt->node);
		uet_rudi_wait(r, pkt, uet_rudi_sent(&r->win, &pkt->t, now,
						    uet_rudi_rules(r)));
		__skb_queue_tail(list, skb);
	}
	return n;
}

/* Without a route packets time out as if they were lost. */
static void uet_rudi_no_route(struct uet_rudi *r, int error)
{
	struct uet_rudi_pkt *pkt;
	u64 now = ktime_get_ns();
	u32 n = 0;

	lockdep_assert_held(&r->lock);
	r->soft_err = -error;
	while (n++ < UET_RUDI_BUDGET &&
	       (pkt = list_first_entry_or_null(&r->queue, struct uet_rudi_pkt,
					       node))) {
		list_del_init(&pkt->node);
		pkt->t.size = pkt->skb->len;
		uet_rudi_wait(r, pkt, uet_rudi_sent(&r->win, &pkt->t, now,
						    uet_rudi_rules(r)));
	}
}

static u64 uet_rudi_next(struct uet_rudi *r)
{
	struct timerqueue_node *due = timerqueue_getnext(&r->due);
	struct timerqueue_node *end = timerqueue_getnext(&r->deadlines);
	u64 at = r->retry_at ?: U64_MAX;

	if (due)
		at = min_t(u64, at, due->expires);
	if (end)
		at = min_t(u64, at, end->expires);
	return at;
}

/* Set the timer for what comes next. It may fire early, and is set again then. */
static void uet_rudi_arm(struct uet_rudi *r)
{
	u64 at = uet_rudi_next(r);

	lockdep_assert_held(&r->lock);
	if (at == U64_MAX || (r->armed && r->armed_at <= at))
		return;
	if (!r->armed)
		refcount_inc(&r->peer->ref);
	r->armed = true;
	r->armed_at = at;
	hrtimer_start(&r->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* Release the lock, and the peer if there is nothing left. */
static void uet_rudi_unlock(struct uet_rudi *r)
{
	struct uet_peer *peer = r->peer;
	struct uet_net *un = peer->fep->un;
	bool put = r->busy && !r->nr;

	uet_rudi_arm(r);
	if (put)
		r->busy = false;
	spin_unlock_bh(&r->lock);
	if (put) {
		uet_peer_put(peer);
		uet_encap_put(un);
	}
}

static void uet_rudi_emit(const struct uet_output *out,
			  struct sk_buff_head *list)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list)))
		uet_output(out, skb);
}

/*
 * Send what may be sent. One CPU at a time does, without the lock while IP has a packet.
 * Beyond the budget the timer goes on.
 *
 * Called with a reference to the peer, or in an RCU section.
 */
static void uet_rudi_run(struct uet_rudi *r)
{
	struct sk_buff_head list, gone;
	struct uet_output out;
	u32 budget = 0, n;
	bool routed;
	u64 limit;
	int err;

	if (list_empty_careful(&r->queue))
		return;
	__skb_queue_head_init(&list);
	__skb_queue_head_init(&gone);
	local_bh_disable();
	limit = uet_rudi_limit(r->peer);
	err = uet_output_begin(&out, r->peer);
	routed = !err;
	spin_lock_bh(&r->lock);
	if (r->running) {
		r->again = true;
		goto unlock;
	}
	r->running = true;
	r->retry_at = 0;
	if (unlikely(!routed))
		uet_rudi_no_route(r, err);
	do {
		r->again = false;
		n = routed ? uet_rudi_take(r, &out, limit, &list, &gone) : 0;
		budget += n;
		if (!skb_queue_empty(&list)) {
			spin_unlock_bh(&r->lock);
			uet_rudi_emit(&out, &list);
			spin_lock_bh(&r->lock);
		}
	} while ((n == UET_RUDI_BATCH || r->again) && budget < UET_RUDI_BUDGET);
	if (budget >= UET_RUDI_BUDGET && !list_empty(&r->queue))
		r->retry_at = ktime_get_ns();
	r->running = false;
unlock:
	uet_rudi_unlock(r);
	if (routed)
		uet_output_end(&out);
	uet_consume_list(&gone);
	local_bh_enable();
}

/* --- timer ------------------------------------------------------------------ */

/* Did ICMP say of a peer that was never heard that it cannot be reached, long ago, and was
 * the packet not answered for as long? A route may have come back before it was sent.
 */
static bool uet_rudi_unreached(const struct uet_rudi *r,
			       const struct uet_rudi_pkt *pkt, u64 now)
{
	return r->icmp_code && !r->heard && uet_unreached(r->icmp_since, now) &&
	       now - pkt->t.since >= UET_UNREACHED_NS;
}

/* A message gives up: ETIMEDOUT, or what the route or ICMP said */
static void uet_rudi_give_up(struct uet_rudi *r, struct uet_rudi_pkt *pkt)
{
	uet_rudi_end(pkt->msg, r->soft_err ?: ETIMEDOUT, UET_REPORT_LOCAL, 0);
}

/* A packet is due: its timeout or its pause is over. */
static void uet_rudi_pkt_due(struct uet_rudi *r, struct uet_rudi_pkt *pkt,
			     u64 now, struct sk_buff_head *gone)
{
	bool timeout = pkt->t.flying;

	lockdep_assert_held(&r->lock);
	if (timeout && uet_rudi_expired(&r->win, &pkt->t, now,
					uet_rudi_rules(r)) == UET_RUDI_FAIL)
		uet_rudi_give_up(r, pkt);
	else if (timeout && unlikely(uet_rudi_unreached(r, pkt, now)))
		uet_rudi_end(pkt->msg, r->soft_err ?: EHOSTUNREACH,
			     UET_REPORT_ICMP, r->icmp_code);
	if (uet_rudi_over(pkt, now)) {
		uet_rudi_end(pkt->msg, ETIMEDOUT, UET_REPORT_LOCAL, 0);
		uet_rudi_release(r, pkt, gone);
		return;
	}
	uet_rudi_unwait(r, pkt);
	list_add(&pkt->node, &r->queue);
}

/* Handle what is due, up to a budget; the timer is set for the rest. */
static void uet_rudi_expire(struct uet_rudi *r, u64 now,
			    struct sk_buff_head *gone)
{
	struct timerqueue_node *node;
	u32 budget = UET_RUDI_BUDGET;

	lockdep_assert_held(&r->lock);
	while (budget && (node = timerqueue_getnext(&r->deadlines)) &&
	       node->expires <= now) {
		uet_rudi_end(container_of(node, struct uet_rudi_msg, deadline),
			     ETIMEDOUT, UET_REPORT_LOCAL, 0);
		budget--;
	}
	while (budget && (node = timerqueue_getnext(&r->due)) &&
	       node->expires <= now) {
		uet_rudi_pkt_due(r, container_of(node, struct uet_rudi_pkt, due),
				 now, gone);
		budget--;
	}
}

static enum hrtimer_restart uet_rudi_timer(struct hrtimer *timer)
{
	struct uet_rudi *r = container_of(timer, struct uet_rudi, timer);
	struct uet_peer *peer = r->peer;
	struct sk_buff_head gone;
	bool mine = true;

	__skb_queue_head_init(&gone);
	spin_lock_bh(&r->lock);
	/* Set again meanwhile: the reference goes with that. */
	if (hrtimer_is_queued(timer))
		mine = false;
	else
		r->armed = false;
	r->retry_at = 0;
	uet_rudi_expire(r, ktime_get_ns(), &gone);
	uet_rudi_unlock(r);
	uet_consume_list(&gone);
	uet_rudi_run(r);
	if (mine)
		uet_peer_put(peer);
	return HRTIMER_NORESTART;
}

/* --- from the socket -------------------------------------------------------- */

/**
 * uet_rudi_get() - what goes to a peer as RUDI
 * @peer: the peer, which keeps it
 *
 * Context: process; sleeps.
 * Return: it, or NULL without memory.
 */
struct uet_rudi *uet_rudi_get(struct uet_peer *peer)
{
	struct uet_net *un = peer->fep->un;
	/* Pairs with the release below */
	struct uet_rudi *r = smp_load_acquire(&peer->rudi), *old;
	u32 mtu = UET_RUDI_MTU;

	if (likely(r))
		return r;
	r = kzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);
	if (!r)
		return NULL;
	uet_route_peer(peer, &mtu);
	r->peer = peer;
	spin_lock_init(&r->lock);
	INIT_LIST_HEAD(&r->queue);
	timerqueue_init_head(&r->due);
	timerqueue_init_head(&r->deadlines);
	uet_rudi_win_init(&r->win, mtu + UET_NOMINAL_ADD_BYTES);
	uet_perm_init(&r->evs, min_t(u32, READ_ONCE(un->sysctl.entropy_size),
				     UET_RUDI_EVS), get_random_u32());
	uet_hrtimer_setup(&r->timer, uet_rudi_timer);
	old = cmpxchg_release(&peer->rudi, NULL, r);
	if (old) {
		kfree(r);
		return old;
	}
	return r;
}

/**
 * uet_rudi_begin() - begin a message
 * @r: of uet_rudi_get()
 * @us: its socket
 * @deadline: end of its lifetime, ns, 0 = none
 *
 * The caller fills in @to, @cookie and @len.
 *
 * Context: process.
 * Return: the message with a reference of its sender, or NULL without memory.
 */
struct uet_rudi_msg *uet_rudi_begin(struct uet_rudi *r, struct uet_sock *us,
				    u64 deadline)
{
	struct uet_rudi_msg *msg = kzalloc(sizeof(*msg), GFP_KERNEL_ACCOUNT);

	if (!msg)
		return NULL;
	msg->r = r;
	timerqueue_init(&msg->deadline);
	msg->deadline.expires = deadline;
	INIT_LIST_HEAD(&msg->us_node);
	refcount_set(&msg->ref, 1);
	msg->us = us;
	/* What is charged to a socket does not hold a reference. */
	msg->owner = us->owner;
	if (msg->owner)
		sock_hold(msg->owner);
	msg->left = 1;
	msg->open = true;
	return msg;
}

static void uet_rudi_enlist(struct uet_rudi_msg *msg)
{
	struct uet_sock *us = msg->us;

	lockdep_assert_held(&msg->r->lock);
	msg->listed = true;
	if (msg->deadline.expires)
		timerqueue_add(&msg->r->deadlines, &msg->deadline);
	spin_lock(&us->rudi_lock);
	list_add_tail(&msg->us_node, &us->rudi_msgs);
	spin_unlock(&us->rudi_lock);
}

/**
 * uet_rudi_submit() - queue packets of a message and send what the window allows
 * @msg: message
 * @pkts: list of packets of it; empty afterwards, if it succeeds
 * @n: their number
 * @more: others will follow
 *
 * Context: process, with a reference to the peer.
 * Return: 0; -ENETDOWN if the namespace exits, or the errno with which the message has
 * failed meanwhile.
 */
int uet_rudi_submit(struct uet_rudi_msg *msg, struct list_head *pkts, u32 n,
		    bool more)
{
	struct uet_rudi *r = msg->r;
	struct uet_net *un = r->peer->fep->un;
	int err = 0;

	spin_lock_bh(&r->lock);
	if (msg->done)
		err = -msg->error;
	/* The socket is a user of the tunnel sockets. */
	else if (!r->busy && !uet_encap_hold(un))
		err = -ENETDOWN;
	if (err) {
		spin_unlock_bh(&r->lock);
		return err;
	}
	if (!r->busy)
		refcount_inc(&r->peer->ref);
	r->busy = true;
	if (!msg->listed)
		uet_rudi_enlist(msg);
	r->nr += n;
	msg->left += n;
	list_splice_tail_init(pkts, &r->queue);
	if (!more) {
		msg->open = false;
		uet_rudi_less(msg);
	}
	uet_rudi_unlock(r);
	uet_rudi_run(r);
	return 0;
}

/**
 * uet_rudi_abandon() - withdraw a message of which not all was submitted
 * @msg: message; the sender's reference is dropped
 *
 * Context: process, with a reference to the peer.
 */
void uet_rudi_abandon(struct uet_rudi_msg *msg)
{
	struct uet_rudi *r = msg->r;

	spin_lock_bh(&r->lock);
	if (msg->listed)
		uet_rudi_end(msg, ECANCELED, UET_REPORT_LOCAL, 0);
	msg->done = true;
	spin_unlock_bh(&r->lock);
	uet_rudi_msg_put(msg);
}

/**
 * uet_rudi_cancel() - give up the messages with one cookie
 * @us: the socket
 * @cookie: their cookie
 *
 * Context: process.
 * Return: 0, -ENOENT if there is none.
 */
int uet_rudi_cancel(struct uet_sock *us, u64 cookie)
{
	struct uet_rudi_msg *msg, *found;
	struct uet_rudi *r;
	int ret = -ENOENT;

	/* The messages keep the peer, RCU keeps it from here on. */
	rcu_read_lock();
	do {
		found = NULL;
		spin_lock_bh(&us->rudi_lock);
		list_for_each_entry(msg, &us->rudi_msgs, us_node)
			if (msg->cookie == cookie) {
				refcount_inc(&msg->ref);
				found = msg;
				break;
			}
		spin_unlock_bh(&us->rudi_lock);
		if (!found)
			break;
		r = found->r;
		spin_lock_bh(&r->lock);
		uet_rudi_end(found, ECANCELED, UET_REPORT_LOCAL, 0);
		spin_unlock_bh(&r->lock);
		uet_rudi_msg_put(found);
		ret = 0;
	} while (true);
	rcu_read_unlock();
	return ret;
}

/**
 * uet_rudi_busy() - has a socket messages that are not answered?
 * @us: the socket
 *
 * Return: true if so.
 */
bool uet_rudi_busy(const struct uet_sock *us)
{
	return !list_empty_careful(&us->rudi_msgs);
}

/**
 * uet_rudi_discard() - withdraw all messages of a socket (SO_LINGER)
 * @us: the socket, which closes
 *
 * Context: process.
 */
void uet_rudi_discard(struct uet_sock *us)
{
	struct uet_rudi_msg *msg;

	spin_lock_bh(&us->rudi_lock);
	list_for_each_entry(msg, &us->rudi_msgs, us_node)
		WRITE_ONCE(msg->withdrawn, true);
	spin_unlock_bh(&us->rudi_lock);
}

/**
 * uet_rudi_detach() - let messages go on without their socket
 * @us: the socket, which closes
 *
 * They have net.uet.orphan_timeout_s left.
 *
 * Context: process.
 */
void uet_rudi_detach(struct uet_sock *us)
{
	struct uet_rudi_msg *msg, *next;
	u64 now = ktime_get_ns();

	spin_lock_bh(&us->rudi_lock);
	list_for_each_entry_safe(msg, next, &us->rudi_msgs, us_node) {
		list_del_init(&msg->us_node);
		WRITE_ONCE(msg->orphaned, now);
		WRITE_ONCE(msg->us, NULL);
	}
	spin_unlock_bh(&us->rudi_lock);
}

/* --- from the wire ---------------------------------------------------------- */

/* The packet that an answer names, with uet_rudi.lock held, or NULL and why not */
static struct uet_rudi_pkt *uet_rudi_find(struct uet_net *un, u32 id,
					  const struct in6_addr *laddr,
					  const struct in6_addr *raddr)
{
	struct uet_rudi_pkt *pkt = xa_load(&un->rudi_ids, id);
	struct uet_rudi *r;

	/* One that was taken out of the table meanwhile is valid in this RCU section. */
	if (!pkt)
		return NULL;
	r = pkt->r;
	if (!ipv6_addr_equal(&r->peer->key.raddr, raddr) ||
	    !ipv6_addr_equal(&r->peer->key.laddr, laddr))
		return ERR_PTR(-EPERM);
	spin_lock_bh(&r->lock);
	if (pkt->skb && pkt->t.since)
		return pkt;
	spin_unlock_bh(&r->lock);
	return NULL;
}

/* The packet that a RUDI_RESP or NACK names; NULL: @rx->drop says why it is dropped. */
static struct uet_rudi_pkt *uet_rudi_answer(struct uet_rx_ctx *rx, u32 id,
					    enum uet_drop unknown)
{
	struct uet_rudi_pkt *pkt;
	struct uet_rudi *r;

	pkt = uet_rudi_find(rx->un, id, &rx->daddr, &rx->saddr);
	if (IS_ERR_OR_NULL(pkt)) {
		rx->drop = pkt ? UET_DROP_PEER : unknown;
		return NULL;
	}
	r = pkt->r;
	if (!uet_from_peer(r->peer, rx))
		rx->drop = UET_DROP_PEER;
	else if (uet_form_lacks(r->peer, rx->form))
		rx->drop = UET_DROP_CRC;
	if (!rx->drop)
		return pkt;
	spin_unlock_bh(&r->lock);
	return NULL;
}

/**
 * uet_rudi_response() - a RUDI_RESP arrived
 * @rx: the packet
 *
 * Context: softirq, RCU read side.
 */
void uet_rudi_response(struct uet_rx_ctx *rx)
{
	const struct uet_ses_rsp *rsp = &rx->pkt->rsp;
	struct uet_rudi_pkt *pkt;
	struct sk_buff_head gone;
	struct uet_rudi *r;

	/* Nothing that asks for data is sent; and an answer that comes later is that
	 * of the next copy.
	 */
	if (rx->pkt->next_hdr != UET_NH_RSP || rx->pkt->violation ||
	    rsp->opcode == UET_RSP_OP_NO_RESPONSE) {
		rx->drop = UET_DROP_ACK;
		return;
	}
	pkt = uet_rudi_answer(rx, rx->pkt->pkt_id, UET_DROP_STALE);
	if (!pkt)
		return;
	UET_INC(rx->un, RUDI_ANSWERED);
	__skb_queue_head_init(&gone);
	r = pkt->r;
	r->heard = true;
	r->soft_err = 0;
	uet_rudi_answered(&r->win, &pkt->t, rx->pkt->flags, ktime_get_ns());
	if (rsp->code != UET_RC_OK && rsp->code != UET_RC_NULL)
		uet_rudi_end(pkt->msg, -uet_rc_errno(rsp->code), UET_REPORT_SES,
			     rsp->code);
	uet_rudi_release(r, pkt, &gone);
	uet_rudi_unlock(r);
	uet_consume_list(&gone);
	uet_rudi_run(r);
}

/**
 * uet_rudi_nack() - a NACK about RUDI arrived
 * @rx: the packet
 *
 * Context: softirq, RCU read side.
 */
void uet_rudi_nack(struct uet_rx_ctx *rx)
{
	const struct uet_nack *nack = &rx->pkt->nack;
	struct uet_rudi_pkt *pkt;
	struct sk_buff_head gone;
	struct uet_rudi *r;
	u64 now, at;

	UET_INC(rx->un, RX_NACKS);
	pkt = uet_rudi_answer(rx, nack->psn, UET_DROP_NACK);
	if (!pkt)
		return;
	__skb_queue_head_init(&gone);
	r = pkt->r;
	r->heard = true;
	r->soft_err = 0;
	now = ktime_get_ns();
	switch (uet_rudi_nacked(&r->win, &pkt->t, nack->code, now,
				uet_rudi_rules(r), &at)) {
	case UET_RUDI_AGAIN:
		uet_rudi_unwait(r, pkt);
		if (at > now)
			uet_rudi_wait(r, pkt, at);
		else
			list_add(&pkt->node, &r->queue);
		break;
	case UET_RUDI_FAIL:
		uet_rudi_end(pkt->msg, EREMOTEIO, UET_REPORT_NACK, nack->code);
		uet_rudi_release(r, pkt, &gone);
		break;
	case UET_RUDI_IGNORE:
		rx->drop = UET_DROP_NACK;
		break;
	}
	uet_rudi_unlock(r);
	uet_consume_list(&gone);
	uet_rudi_run(r);
}

/**
 * uet_rudi_unreachable() - an ICMP error about a RUDI_REQ arrived
 * @un: namespace
 * @pkt_id: that it quotes
 * @laddr: source that it quotes
 * @raddr: destination that it quotes
 * @error: errno; 0 if the error does not say that the peer cannot be reached
 * @hard: the error is final, not what routes may mend
 * @code: type << 8 | code
 *
 * While the peer was never heard an error that is final ends a message, and others that go
 * on do; else they are kept for a message that is given up.
 *
 * Context: softirq, RCU read side.
 * Return: true if it is about a packet that is outstanding.
 */
bool uet_rudi_unreachable(struct uet_net *un, u32 pkt_id,
			  const struct in6_addr *laddr,
			  const struct in6_addr *raddr, int error, bool hard,
			  u16 code)
{
	struct uet_rudi_pkt *pkt = uet_rudi_find(un, pkt_id, laddr, raddr);
	struct sk_buff_head gone;
	struct uet_rudi *r;
	u64 now;

	if (IS_ERR_OR_NULL(pkt))
		return false;
	__skb_queue_head_init(&gone);
	r = pkt->r;
	if (error) {
		now = ktime_get_ns();
		r->soft_err = error;
		if (!r->icmp_code)
			r->icmp_since = (u32)(now >> UET_SOFT_SHIFT);
		r->icmp_code = code;
		hard |= uet_rudi_unreached(r, pkt, now);
	}
	if (hard && !r->heard) {
		uet_rudi_end(pkt->msg, error, UET_REPORT_ICMP, code);
		uet_rudi_release(r, pkt, &gone);
	}
	uet_rudi_unlock(r);
	uet_consume_list(&gone);
	uet_rudi_run(r);
	return true;
}

/* --- namespaces ------------------------------------------------------------- */

/**
 * uet_rudi_init() - prepare a namespace
 * @un: namespace
 */
void uet_rudi_init(struct uet_net *un)
{
	xa_init_flags(&un->rudi_ids, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH |
				     XA_FLAGS_ACCOUNT);
	un->rudi_next_id = get_random_u32();
}

/* Drop all packets to a peer, and stop its timer. */
static void uet_rudi_kill(struct uet_rudi *r)
{
	struct uet_rudi_pkt *pkt;
	struct timerqueue_node *node;
	struct sk_buff_head gone;
	bool armed;

	__skb_queue_head_init(&gone);
	spin_lock_bh(&r->lock);
	r->retry_at = 0;
	while ((node = timerqueue_getnext(&r->due))) {
		pkt = container_of(node, struct uet_rudi_pkt, due);
		uet_rudi_end(pkt->msg, ENETDOWN, UET_REPORT_LOCAL, 0);
		uet_rudi_release(r, pkt, &gone);
	}
	while ((pkt = list_first_entry_or_null(&r->queue, struct uet_rudi_pkt,
					       node))) {
		uet_rudi_end(pkt->msg, ENETDOWN, UET_REPORT_LOCAL, 0);
		uet_rudi_release(r, pkt, &gone);
	}
	uet_rudi_unlock(r);
	uet_consume_list(&gone);
	hrtimer_cancel(&r->timer);
	spin_lock_bh(&r->lock);
	armed = r->armed;
	r->armed = false;
	spin_unlock_bh(&r->lock);
	if (armed)
		uet_peer_put(r->peer);
}

/**
 * uet_rudi_exit() - drop all packets of a namespace that exits
 * @un: namespace, without sockets; nothing is received any more
 *
 * Context: process.
 */
void uet_rudi_exit(struct uet_net *un)
{
	struct uet_peer *peer;
	unsigned long id;

	for (id = 0;; id++) {
		rcu_read_lock();
		peer = uet_peer_from(un, &id);
		if (!peer) {
			rcu_read_unlock();
			break;
		}
		if (!peer->rudi || !refcount_inc_not_zero(&peer->ref)) {
			rcu_read_unlock();
			continue;
		}
		rcu_read_unlock();
		uet_rudi_kill(peer->rudi);
		uet_peer_put(peer);
	}
	xa_destroy(&un->rudi_ids);
}
