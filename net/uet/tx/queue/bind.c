// SPDX-License-Identifier: GPL-2.0
/*
 * Entry from the socket layer into packet delivery: choose or open the PDC
 * that carries a queue of messages (struct uet_dest).
 *
 * Not here: messages that are given up (tx/queue/giveup.c), messages of a dead PDC
 * (tx/queue/salvage.c).
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include <net/dst.h>
#include <net/ip6_fib.h>
#include <net/ip_fib.h>

#include "account.h"
#include "core/snd/snd_hold.h"
#include "core/snd/snd_queue.h"
#include "core/snd/snd_timer.h"
#include "link/encap.h"
#include "link/peer.h"
#include "link/source.h"
#include "link/speed.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "sock.h"
#include "tx/cms/flow.h"
#include "tx/msg/op.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/wmem.h"
#include "tx/pds/half.h"
#include "tx/pds/pds.h"

/* A queue that is not empty may exceed pdc_psns by pdc_psns >> this before its
 * senders wait until it is empty.
 */
#define UET_PSN_GRACE		7
/* PSNs below 0 for what a PDC has taken when it is used up */
#define UET_PSN_SPARE		0x2000000U
#define UET_BIND_TRIES		4
/* PDCs examined per search for one that the peer opened */
#define UET_RETURN_LOOKS	64

/*
 * How many PSNs may a PDC use? They compare within 2^31 only. And none may be 0, which
 * is what NACKs of control packets without a PSN name. PDCs that are opened here start
 * far below, others where the peer likes.
 */
static u32 uet_pdc_psns(const struct uet_pdc *pdc)
{
	u32 before_zero = -pdc->start_psn;

	return min(READ_ONCE(pdc->un->sysctl.pdc_psns),
		   before_zero - min(before_zero, UET_PSN_SPARE));
}

/* Has the PDC used as many PSNs as it may? */
static bool uet_pdc_used_up(const struct uet_pdc *pdc, bool busy)
{
	u32 limit = uet_pdc_psns(pdc);

	if (busy)
		limit += limit >> UET_PSN_GRACE;
	return pdc->tx->snd.win.next - pdc->start_psn >= limit;
}

/* May another PDC be opened although this one could carry the messages? */
static bool uet_pdc_may_avoid(const struct uet_pdc *pdc,
			      const struct uet_dest *dest)
{
	return uet_share_spare(pdc->peer, dest->account);
}

/*
 * The user for the route lookup of a queue. Without custom routing rules all
 * users share one, and with it one struct uet_peer.
 */
static kuid_t uet_dest_uid(const struct uet_dest *dest)
{
	const struct net *net = dest->un->net;

	if (likely(!fib4_has_custom_rules(net) && !fib6_has_custom_rules(net)))
		return dest->un->root;
	return dest->uid;
}

/* Does the PDC route as another user than the queue, or from an address that would not be
 * chosen now, since rules, routes or addresses changed? Or has it a CCC that was told to go?
 */
static bool uet_pdc_astray(const struct uet_pdc *pdc,
			   const struct uet_dest *dest)
{
	return unlikely(!uid_eq(pdc->peer->key.uid, uet_dest_uid(dest)) ||
			READ_ONCE(pdc->tx->flow->old) ||
			(READ_ONCE(pdc->peer->stray) &&
			 ipv6_addr_any(&dest->key.laddr)));
}

/* Would another PDC be better? Held packets stop CACK and with it, after MP_RANGE, all
 * messages of the PDC. Not in SYN: a peer that is short of PDCs has no second one. Nor
 * without bound: else each endpoint that is not read takes a PDC.
 */
static bool uet_pdc_avoided(const struct uet_pdc *pdc, const struct uet_dest *dest)
{
	const struct uet_snd *s = &pdc->tx->snd;

	return ((s->state != UET_PDC_SYN &&
		 (s->win.nr_held || (pdc->rod && !list_empty(&s->holds)))) ||
		(unlikely(pdc->rod && uet_snd_lanes_stalled(s)) &&
		 uet_snd_lane_stalls(s, ktime_get_ns()))) &&
	       uet_pdc_may_avoid(pdc, dest);
}

/* May this PDC take another message of @dest? A hint without the flow lock. None does
 * whose close began or was asked for: in QUIESCE only what it has is finished. @any: even
 * one that is avoided.
 */
static bool uet_pdc_takes(const struct uet_pdc *pdc,
			  const struct uet_dest *dest, bool any)
{
	if (dest->q.unfinished)
		return pdc->tx->snd.state <= UET_PDC_ESTABLISHED &&
		       !uet_pdc_used_up(pdc, true) &&
		       !uet_pdc_astray(pdc, dest);
	if (pdc->tx->snd.state > UET_PDC_ESTABLISHED || READ_ONCE(pdc->dying) ||
	    uet_pdc_astray(pdc, dest))
		return false;
	if (!any && uet_pdc_avoided(pdc, dest))
		return false;
	if (pdc->tx->alone != READ_ONCE(dest->alone) ||
	    (pdc->tx->alone && pdc->tx->snd.nr_msgs))
		return false;
	return !uet_pdc_used_up(pdc, false);
}

/* Messages that move stay with those that moved before, whose PDC the target may have
 * asked to be closed meanwhile: they were accepted from their senders, and cannot wait
 * for the queue to drain.
 */
static bool uet_pdc_takes_moved(const struct uet_pdc *pdc,
				const struct uet_txmsg *msg)
{
	return msg->moving && msg->dest->q.unfinished &&
	       pdc->tx->snd.state == UET_PDC_QUIESCE;
}

/* Look up the speed of the interface towards a new peer */
static void uet_peer_learn_speed(struct uet_peer *peer)
{
	int ifindex;

	if (READ_ONCE(peer->link_mbps))
		return;
	ifindex = uet_route_ifindex(peer);
	if (ifindex)
		WRITE_ONCE(peer->link_mbps,
			   uet_speed_mbps(peer->fep->un, ifindex));
}

static struct uet_pdc *uet_pdc_find_open(struct uet_peer *peer,
					 const struct uet_dest *dest)
{
	bool rod = dest->key.delivery == UET_ROD;
	struct uet_pdc_tx *tx;
	struct uet_pdc *pdc;

	spin_lock_bh(&peer->lock);
	list_for_each_entry(tx, &peer->tx_halves, peer_node) {
		pdc = tx->pdc;
		if (pdc->rod != rod || pdc->job != dest->key.job ||
		    pdc->tclass != dest->key.tclass || !uet_pdc_psns(pdc) ||
		    strcmp(tx->flow->cc, dest->cc) ||
		    strcmp(tx->flow->policy, dest->path_policy) ||
		    !uet_pdc_takes(pdc, dest, false))
			continue;
		refcount_inc(&pdc->ref);
		spin_unlock_bh(&peer->lock);
		return pdc;
	}
	spin_unlock_bh(&peer->lock);
	return NULL;
}

/* Find a PDC that the peer opened, matches @dest and has no sending half */
static struct uet_pdc *uet_pdc_find_return(struct uet_peer *peer,
					   const struct uet_dest *dest)
{
	u32 mode = READ_ONCE(peer->fep->un->sysctl.return_requests);
	bool rod = dest->key.delivery == UET_ROD;
	struct uet_pdc *pdc, *found = NULL;
	u32 budget = UET_RETURN_LOOKS;

	if (likely(list_empty(&peer->return_pdcs)) || dest->alone ||
	    mode == UET_RETURN_NEVER ||
	    (mode == UET_RETURN_KNOWN && !uet_habit_returns(&peer->habits)))
		return NULL;
	spin_lock_bh(&peer->lock);
	list_for_each_entry(pdc, &peer->return_pdcs, return_node) {
		if (!budget--)
			break;
		if (pdc->rod != rod || pdc->job != dest->key.job ||
		    pdc->tclass != dest->key.tclass || !uet_pdc_psns(pdc) ||
		    READ_ONCE(pdc->dying) || !refcount_inc_not_zero(&pdc->ref))
			continue;
		found = pdc;
		break;
	}
	spin_unlock_bh(&peer->lock);
	return found;
}

static struct uet_pdc *uet_pdc_try_return(struct uet_peer *peer,
					  struct uet_flow *flow,
					  const struct uet_dest *dest)
{
	struct uet_pdc *pdc = uet_pdc_find_return(peer, dest);

	if (unlikely(pdc) && uet_pdc_return(pdc, flow)) {
		uet_pdc_put(pdc);
		pdc = NULL;
	}
	return pdc;
}

static struct uet_pdc *uet_pdc_new(struct uet_peer *peer,
				   const struct uet_dest *dest)
{
	struct uet_flow_spec spec = {
		.cc		= dest->cc,
		.policy		= dest->path_policy,
		.tclass		= dest->key.tclass,
		.sprayed	= dest->key.delivery != UET_ROD,
	};
	struct uet_flow *flow;
	struct uet_pdc *pdc;

	if (dest->alone && !uet_share_spare(peer, dest->account))
		return ERR_PTR(-ENOBUFS);
	flow = uet_flow_get(peer, &spec);
	if (IS_ERR(flow))
		return ERR_CAST(flow);
	pdc = uet_pdc_try_return(peer, flow, dest) ?:
	      uet_pdc_open(peer, flow, dest->account, dest->key.job,
			   !spec.sprayed);
	uet_flow_put(flow);
	if (!pdc)
		return ERR_PTR(-ENOBUFS);
	/* A new PDC: uet_pdc_find_return() finds none for such a dest. */
	if (dest->alone) {
		spin_lock_bh(&pdc->tx->flow->lock);
		pdc->tx->alone = true;
		spin_unlock_bh(&pdc->tx->flow->lock);
	}
	return pdc;
}

/* Under open_mutex, so that a burst of senders shares a PDC. */
static struct uet_pdc *uet_pdc_choose(struct uet_peer *peer,
				      struct uet_dest *dest)
{
	struct uet_pdc *pdc;

	for (;;) {
		pdc = uet_pdc_find_open(peer, dest) ?: uet_pdc_new(peer, dest);
		if (pdc != ERR_PTR(-ENOBUFS) || !dest->alone)
			return pdc;
		/* At the limit: share a PDC with others. */
		WRITE_ONCE(dest->alone, false);
	}
}

/* It has no message for a target that was short of room; flow lock held. */
static void uet_dest_unheld(struct uet_dest *dest)
{
	if (likely(!dest->held))
		return;
	dest->held = false;
	uet_account_held(dest->account, false);
}

/**
 * uet_dest_unbind() - unbind a queue from its PDC
 * @dest: the queue, without messages
 *
 * Context: BH off, dest->lock held.
 */
void uet_dest_unbind(struct uet_dest *dest)
{
	struct uet_pdc *pdc = dest->pdc;
	struct uet_flow *flow;

	lockdep_assert_held(&dest->lock);
	if (!pdc)
		return;
	flow = pdc->tx->flow;
	spin_lock(&flow->lock);
	list_del_init(&dest->pdc_node);
	uet_dest_unheld(dest);
	kfree(uet_snd_leave(&pdc->tx->snd, &dest->q, ktime_get_ns()));
	if (unlikely(dest->renews)) {
		WRITE_ONCE(dest->renews, false);
		if (dest->us)
			uet_sock_wake_tx(dest->us);
	}
	/* Other queues may have waited for its lane or its hold. */
	if (!list_empty(&flow->snd.ready))
		uet_flow_queue(flow);
	spin_unlock(&flow->lock);
	dest->pdc = NULL;
	uet_pdc_put(pdc);
}

/* Bind a queue to a PDC that takes its messages; open one if needed. */
static int uet_dest_bind(struct uet_dest *dest)
{
	struct uet_peer_key key = {
		.raddr	= dest->key.raddr,
		.scope	= dest->key.scope,
		.mark	= dest->key.mark,
		.uid	= uet_dest_uid(dest),
		.tclass	= dest->key.route,
	};
	bool bound = !ipv6_addr_any(&dest->key.laddr);
	struct uet_net *un = dest->un;
	struct uet_snd_lane *lane = NULL;
	enum uet_source_choice choice;
	struct uet_peer *peer;
	struct uet_pdc *pdc;
	int err = 0;

	if (bound)
		key.laddr = dest->key.laddr;
	else
		err = uet_source_choose(un, &key, &choice);
	if (err)
		return err;
	if (dest->key.delivery == UET_ROD) {
		lane = kmalloc(sizeof(*lane), GFP_KERNEL_ACCOUNT);
		if (!lane)
			return -ENOMEM;
	}
	mutex_lock(&un->open_mutex);
	peer = uet_peer_get(un, &key, GFP_KERNEL_ACCOUNT);
	if (IS_ERR(peer)) {
		err = PTR_ERR(peer);
		goto out;
	}
	/* An address that comes is waited for (uet_flow_waits_source()). */
	if (uet_source_look(peer) == UET_SOURCE_GONE) {
		pdc = ERR_PTR(-EADDRNOTAVAIL);
	} else {
		if (!bound)
			WRITE_ONCE(peer->stray, false);
		uet_peer_learn_speed(peer);
		pdc = uet_pdc_choose(peer, dest);
	}
	uet_peer_put(peer);
	if (IS_ERR(pdc)) {
		err = PTR_ERR(pdc);
		goto out;
	}
	spin_lock_bh(&dest->lock);
	if (dest->pdc && dest->q.unfinished) {
		/* Another thread has bound it. */
		spin_unlock_bh(&dest->lock);
		uet_pdc_put(pdc);
		goto out;
	}
	uet_dest_unbind(dest);
	dest->pdc = pdc;	/* takes the reference */
	spin_lock(&pdc->tx->flow->lock);
	list_add(&dest->pdc_node, &pdc->tx->dests);
	if (lane)
		lane = uet_snd_lane_join(&pdc->tx->snd, &dest->q, lane);
	spin_unlock(&pdc->tx->flow->lock);
	spin_unlock_bh(&dest->lock);
out:
	mutex_unlock(&un->open_mutex);
	kfree(lane);
	return err;
}

/* Wait until others have moved. */
static void uet_dest_line_up(struct uet_dest *dest, struct uet_txmsg *msg)
{
	list_add_tail(&msg->m.node, &dest->moving);
	msg->moving = true;
}

/* If queued messages are about to move, line up behind; dest->lock held. */
static bool uet_dest_join(struct uet_dest *dest, struct uet_txmsg *msg)
{
	lockdep_assert_held(&dest->lock);
	if (dest->moves && !msg->moving) {
		uet_dest_line_up(dest, msg);
		return true;
	}
	if (dest->pdc && dest->pdc->tx->snd.state == UET_PDC_DEAD && dest->q.unfinished) {
		list_add_tail(&msg->m.node, &dest->q.msgs);
		msg->moving = false;
		dest->q.unfinished++;
		dest->pdc->tx->snd.nr_msgs++;
		return true;
	}
	return false;
}

/* Must the queue drain before it can change its PDC? Flow lock held, too. */
static bool uet_dest_renews(struct uet_dest *dest)
{
	const struct uet_pdc *pdc = dest->pdc;

	lockdep_assert_held(&dest->lock);
	if (!pdc || !dest->q.unfinished ||
	    !(uet_pdc_used_up(pdc, true) || uet_pdc_astray(pdc, dest) ||
	      pdc->tx->snd.state == UET_PDC_QUIESCE) ||
	    pdc->tx->snd.state == UET_PDC_DEAD || pdc->tx->snd.state == UET_PDC_CLOSING)
		return false;
	WRITE_ONCE(dest->renews, true);
	return true;
}

/* Nobody waits for a posted send: it moves when the queue is empty, and others behind it.
 * Flow lock held, too.
 */
static bool uet_dest_postpone(struct uet_dest *dest, struct uet_txmsg *msg)
{
	lockdep_assert_held(&dest->lock);
	if (!msg->posted || msg->moving)
		return false;
	WRITE_ONCE(dest->moves, true);
	dest->moves_at = jiffies;
	uet_dest_line_up(dest, msg);
	return true;
}

/**
 * uet_dest_emptied() - a queue has no message left
 * @pdc: its PDC
 * @dest: the queue
 * @now: time, ns
 *
 * Wakes senders that wait for it (uet_dest.renews), and has others move.
 *
 * Context: flow lock of its PDC held.
 */
void uet_dest_emptied(struct uet_pdc *pdc, struct uet_dest *dest, u64 now)
{
	uet_snd_hold_clear(&pdc->tx->snd, &dest->q, now);
	uet_dest_unheld(dest);
	if (likely(!dest->renews))
		return;
	if (dest->us)
		uet_sock_wake_tx(dest->us);
	uet_dest_move_later(dest);
}

/*
 * Where the peer takes other headers than standard ones, by how much may those of a
 * message be shorter, if it is one packet (UE 1.0 3.4.1)? MEDIUM has all that a send needs
 * but for a message id, in place of which responses go by the PSN, and restart tokens.
 * SMALL has what NO_OP needs. Such a message shares no buffer with others, since their
 * headers have the standard length.
 */
static void uet_pds_brief(struct uet_txmsg *msg)
{
	if (msg->token || msg->dest->key.watch == UET_DEST_RTR ||
	    msg->m.len > UET_SES_LEN14)
		return;
	msg->m.brief = UET_SES_STD_LEN - (msg->dest->key.watch ?
		       UET_SES_SMALL_LEN : UET_SES_MEDIUM_LEN);
	msg->m.joins = false;
}

/* A PDC got a message. */
static __always_inline void uet_pds_enter(struct uet_pdc *pdc, struct uet_txmsg *msg,
					  u64 now)
{
	struct uet_dest *dest = msg->dest;

	if (unlikely(pdc->tx->flow->brief))
		uet_pds_brief(msg);
	WRITE_ONCE(dest->run_len, pdc->tx->flow->run_len);
	if (unlikely(!dest->us))
		uet_orphan_watch(pdc, dest, now);
}

/*
 * Queue a message that others are to follow, and run the flow if enough waits;
 * releases dest->lock and the flow lock.
 */
static void uet_pds_defer(struct uet_pdc *pdc, struct uet_txmsg *msg)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_dest *dest = msg->dest;
	u64 now = ktime_get_ns();
	bool defers;

	uet_snd_submit(&pdc->tx->snd, &msg->m, now);
	uet_pds_enter(pdc, msg, now);
	uet_snd_enqueue(&pdc->tx->snd, &msg->m, now);
	defers = uet_flow_defers(flow);
	if (likely(defers)) {
		uet_snd_defer(&pdc->tx->snd, now);
		uet_pdc_tx_arm(pdc);
		UET_INC(pdc->un, MSG_BATCHED);
	} else {
		refcount_inc(&flow->ref);
	}
	spin_unlock(&flow->lock);
	spin_unlock(&dest->lock);
	if (likely(defers))
		return;
	uet_flow_run(flow, now);
	uet_flow_put(flow);
}

/* Send or queue a message; releases dest->lock and the flow lock. */
static void uet_pds_start(struct uet_pdc *pdc, struct uet_txmsg *msg,
			  const struct uet_output *out)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_dest *dest = msg->dest;
	u64 now = ktime_get_ns();
	struct sk_buff *skb;

	uet_snd_enter(&pdc->tx->snd, &msg->m);
	uet_pds_enter(pdc, msg, now);
	if (likely(out && msg->m.eom && uet_flow_at_rest(flow, out))) {
		skb = uet_pdc_send_alone(pdc, msg, out->dst->dev, now);
		if (likely(skb)) {
			bool ordered = !flow->sprayed;

			if (ordered)
				uet_flow_enter(flow);
			spin_unlock(&flow->lock);
			spin_unlock(&dest->lock);
			/* RCU keeps the peer until BH are enabled. */
			uet_flow_output(flow, out, skb);
			if (ordered)
				uet_flow_leave(flow, out);
			return;
		}
	}
	uet_snd_announce(&pdc->tx->snd, &msg->m, now);
	uet_snd_enqueue(&pdc->tx->snd, &msg->m, now);
	refcount_inc(&flow->ref);
	spin_unlock(&flow->lock);
	spin_unlock(&dest->lock);
	uet_flow_run_by(flow, out, now);
	uet_flow_put(flow);
}

/**
 * uet_pds_submit() - hand a message over for delivery
 * @msg: the message; on success the reference that came with it is consumed
 * @more: others are to follow at once
 *
 * Queues it at its dest and sends what the windows allow; with @more only if much
 * waits: else the next call without it does, or uet_pds_run(), or a timer. Messages
 * that move from a dead PDC (@msg->moving) go first.
 *
 * Context: process, may sleep.
 * Return: 0; errors of the route lookup (-ENETUNREACH, ...), -EADDRNOTAVAIL if the
 * address that the socket is bound to is gone, -ENOBUFS at the limit of PDCs, -ENOMEM,
 * -ENETDOWN; -EAGAIN if the queue must drain before it can change its PDC, and the
 * message is not a posted one.
 */
int uet_pds_submit(struct uet_txmsg *msg, bool more)
{
	struct uet_dest *dest = msg->dest;
	int tries = UET_BIND_TRIES, err;
	struct uet_output out __uninitialized;	/* filled in if @way */
	struct uet_pdc *pdc;
	bool way, joined, renews;

	for (;;) {
		spin_lock_bh(&dest->lock);
		pdc = dest->pdc;
		way = pdc && !more && !uet_output_begin(&out, pdc->peer);
		if (pdc)
			spin_lock(&pdc->tx->flow->lock);
		joined = uet_dest_join(dest, msg);
		/* The PDC that was chosen may be held again by now: the last try takes it. */
		if (likely(!joined && pdc && (uet_pdc_takes(pdc, dest, !tries) ||
					      uet_pdc_takes_moved(pdc, msg))))
			break;
		renews = !joined && uet_dest_renews(dest);
		if (unlikely(renews && uet_dest_postpone(dest, msg)))
			joined = true;
		if (unlikely(joined && msg->op & UET_TXOP_COPIED))
			uet_op_taken(msg);
		if (pdc)
			spin_unlock(&pdc->tx->flow->lock);
		if (way)
			uet_output_end(&out);
		spin_unlock_bh(&dest->lock);
		if (joined)
			return 0;
		if (renews)
			return -EAGAIN;
		if (!tries--)
			return -ENOBUFS;
		err = uet_dest_bind(dest);
		if (err)
			return err;
	}
	msg->moving = false;
	if (unlikely(msg->op & UET_TXOP_COPIED))
		uet_op_taken(msg);
	if (more)
		uet_pds_defer(pdc, msg);
	else
		uet_pds_start(pdc, msg, way ? &out : NULL);
	if (likely(way))
		uet_output_end(&out);
	local_bh_enable();
	return 0;
}

/**
 * uet_dest_lock() - lock a queue and its PDC
 * @dest: the queue
 *
 * Context: BH enabled; returns with dest->lock and the flow lock held.
 * Return: the PDC; NULL, and nothing is locked, if the queue has none.
 */
struct uet_pdc *uet_dest_lock(struct uet_dest *dest)
{
	spin_lock_bh(&dest->lock);
	if (!dest->pdc) {
		spin_unlock_bh(&dest->lock);
		return NULL;
	}
	spin_lock(&dest->pdc->tx->flow->lock);
	return dest->pdc;
}

/**
 * uet_msg_lock() - lock the queue and the PDC of a message
 * @msg: the message
 *
 * A message that moves to another PDC has none; the code that moves it sees
 * what changed under dest->lock.
 *
 * Context: BH enabled.
 * Return: the PDC; NULL, and only dest->lock is held, if there is none.
 */
struct uet_pdc *uet_msg_lock(struct uet_txmsg *msg)
{
	struct uet_dest *dest = msg->dest;

	spin_lock_bh(&dest->lock);
	if (!dest->pdc || msg->moving)
		return NULL;
	spin_lock(&dest->pdc->tx->flow->lock);
	return dest->pdc;
}

/**
 * uet_dest_unlock_run() - undo uet_dest_lock() and run the flow
 * @dest: the queue
 * @pdc: its PDC
 */
void uet_dest_unlock_run(struct uet_dest *dest, struct uet_pdc *pdc)
{
	struct uet_flow *flow = pdc->tx->flow;

	refcount_inc(&flow->ref);
	spin_unlock(&flow->lock);
	spin_unlock(&dest->lock);
	uet_flow_run(flow, ktime_get_ns());
	uet_flow_put(flow);
	local_bh_enable();
}

/**
 * uet_pds_run() - send what waits for more messages
 * @dest: their queue
 *
 * Context: process.
 */
void uet_pds_run(struct uet_dest *dest)
{
	struct uet_pdc *pdc = uet_dest_lock(dest);

	if (pdc)
		uet_dest_unlock_run(dest, pdc);
}

/**
 * uet_pds_more() - more bytes of a streamed message are available
 * @msg: the message
 * @filled: bytes available now
 * @eom: the message is complete
 *
 * Context: process.
 */
void uet_pds_more(struct uet_txmsg *msg, u32 filled, bool eom)
{
	struct uet_dest *dest = msg->dest;
	struct uet_pdc *pdc = uet_msg_lock(msg);
	u64 now;

	msg->m.filled = filled;
	msg->m.eom = eom;
	WRITE_ONCE(msg->fed, jiffies);
	if (!pdc) {
		spin_unlock_bh(&dest->lock);
		return;
	}
	if (msg->m.state < UET_MSG_FAILED && !msg->m.withdrawn) {
		now = ktime_get_ns();
		uet_snd_announce(&pdc->tx->snd, &msg->m, now);
		uet_snd_activate(&pdc->tx->snd, &dest->q, now);
	}
	uet_dest_unlock_run(dest, pdc);
}

/**
 * uet_msg_again() - resend a whole message that the target did not take
 * @pdc: the PDC
 * @msg: the message
 * @code: SES return code, for the report if it cannot be resent
 *
 * It is resent once every packet of it is answered and, except for
 * BAD_GENERATION, after the same pause as packets NACKed for shortage.
 *
 * Context: flow lock held.
 */
void uet_msg_again(struct uet_pdc *pdc, struct uet_txmsg *msg, u8 code)
{
	struct uet_snd *s = &pdc->tx->snd;
	u64 now = ktime_get_ns();

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (msg->m.again || msg->m.state == UET_MSG_FAILED)
		return;
	if (msg->freed) {
		/* Part of its data was accepted and released already. */
		uet_msg_fail(pdc, msg, EREMOTEIO, UET_REPORT_SES, code);
		return;
	}
	UET_INC(pdc->un, MSG_AGAIN);
	msg->m.again = true;
	if (code != UET_RC_BAD_GENERATION &&
	    uet_snd_pause(s, &msg->dest->q, now))
		uet_hold_began(pdc, msg->dest);
	if (!msg->m.all_sent)
		uet_snd_end(s, &msg->m, now);
}

/**
 * uet_msg_regenerate() - handle BAD_GENERATION
 * @pdc: the PDC
 * @msg: the message so answered
 * @generation: generation of the resource index that the target names
 *
 * Later messages use @generation. This one is resent at once, max_nack_retx
 * times at most, but not on an ordered PDC, where it would follow later ones
 * (see "Rules of this module" in uet-rules.rst).
 *
 * Context: flow lock held.
 */
void uet_msg_regenerate(struct uet_pdc *pdc, struct uet_txmsg *msg,
			u8 generation)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	msg->dest->q.generation = generation;
	if (msg->m.again || msg->m.state == UET_MSG_FAILED)
		return;
	if (msg->dest->key.watch && msg->m.generation) {
		/* A watch reports exactly this. */
		uet_msg_fail(pdc, msg, ECONNRESET, UET_REPORT_SES,
			     UET_RC_BAD_GENERATION);
		return;
	}
	if (pdc->rod || generation == msg->m.generation ||
	    msg->m.retries >= READ_ONCE(pdc->un->sysctl.rules.max_nack_retx)) {
		uet_msg_fail(pdc, msg, EREMOTEIO, UET_REPORT_SES,
			     UET_RC_BAD_GENERATION);
		return;
	}
	msg->m.retries++;
	uet_msg_again(pdc, msg, UET_RC_BAD_GENERATION);
}

/**
 * uet_pds_dest_gone() - unbind a queue without references
 * @dest: the queue, without messages
 *
 * Context: RCU callback.
 */
void uet_pds_dest_gone(struct uet_dest *dest)
{
	spin_lock_bh(&dest->lock);
	uet_dest_unbind(dest);
	spin_unlock_bh(&dest->lock);
}

/**
 * uet_pds_info() - state towards the peer of a queue
 * @dest: the queue
 * @info: zeroed by the caller, unchanged if the queue has no PDC
 *
 * Context: process.
 */
void uet_pds_info(struct uet_dest *dest, struct uet_info *info)
{
	struct uet_pdc *pdc = uet_dest_lock(dest);

	if (!pdc)
		return;
	uet_info_fill(dest, pdc, info);
	spin_unlock(&pdc->tx->flow->lock);
	spin_unlock_bh(&dest->lock);
}
