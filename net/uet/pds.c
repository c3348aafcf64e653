// SPDX-License-Identifier: GPL-2.0
/*
 * The socket layer's door to packet delivery: which PDC carries a queue of
 * messages, and what happens to them when a PDC dies or a socket closes.
 */
#include <linux/ethtool.h>
#include <linux/ktime.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/dst.h>

#include "encap.h"
#include "flow.h"
#include "mib.h"
#include "pdc.h"
#include "pds.h"
#include "peer.h"
#include "sock.h"
#include "txmsg.h"

/* wire.md 5.1: a PDC is closed before its PSNs have gone half way round */
#define UET_PSN_BUDGET		(0x80000000U - 0x2000000)
/* ... even if a queue on it is never empty: its senders wait or get EAGAIN */
#define UET_PSN_LIMIT		(0x80000000U - 0x1000000)
/* NO_MATCH: pauses double up to this power of nack_retx_us */
#define UET_AGAIN_LEVEL_MAX	7
#define UET_BIND_TRIES		4

/* Nominal bytes of the packets that @bytes of a message need */
static u64 uet_msg_nominal(const struct uet_flow *flow, u64 bytes)
{
	u64 pkts = max_t(u64, div_u64(bytes + flow->payload_mtu - 1,
				      flow->payload_mtu), 1);

	return pkts * flow->overhead + bytes;
}

/* Tell the CCC about data that came in; flow lock held. */
static void uet_msg_announce(struct uet_pdc *pdc, struct uet_txmsg *msg,
			     u64 now)
{
	u64 total = uet_msg_nominal(pdc->tx.flow, msg->filled);
	u64 more = total - msg->announced;

	if (total <= msg->announced || pdc->state == UET_PDC_DEAD)
		return;
	msg->announced = total;
	msg->backlog += more;
	uet_ccc_on_new_data(&pdc->tx.flow->ccc, now, more);
}

/* May this PDC take another message of @dest? flow lock held. */
static bool uet_pdc_takes(const struct uet_pdc *pdc,
			  const struct uet_dest *dest)
{
	if (dest->unfinished)
		return pdc->state != UET_PDC_DEAD &&
		       pdc->state != UET_PDC_CLOSING &&
		       pdc->tx.win.next - pdc->start_psn < UET_PSN_LIMIT;
	if (pdc->state > UET_PDC_ESTABLISHED)
		return false;
	/* Held packets stop CACK and with it, after MP_RANGE, everybody. */
	if (!list_empty(&pdc->tx.holds))
		return false;
	return pdc->tx.win.next - pdc->start_psn < UET_PSN_BUDGET;
}

/* The speed of the device towards a new peer; needs the RTNL. */
static void uet_peer_learn_speed(struct uet_peer *peer)
{
	struct ethtool_link_ksettings ks;
	struct net_device *dev;

	if (READ_ONCE(peer->link_mbps))
		return;
	dev = uet_route_dev(peer);
	if (!dev)
		return;
	rtnl_lock();
	if (!__ethtool_get_link_ksettings(dev, &ks) && ks.base.speed &&
	    ks.base.speed != (u32)SPEED_UNKNOWN)
		WRITE_ONCE(peer->link_mbps, ks.base.speed);
	rtnl_unlock();
	dev_put(dev);
}

static struct uet_pdc *uet_pdc_find_open(struct uet_peer *peer,
					 const struct uet_dest *dest)
{
	bool rod = dest->key.delivery == UET_ROD;
	struct uet_pdc *pdc;

	spin_lock_bh(&peer->lock);
	list_for_each_entry(pdc, &peer->init_pdcs, tx.peer_node) {
		if (pdc->rod != rod || pdc->job != dest->key.job ||
		    pdc->tclass != dest->key.tclass ||
		    strcmp(pdc->tx.flow->cc, dest->cc) ||
		    strcmp(pdc->tx.flow->policy, dest->path_policy) ||
		    !uet_pdc_takes(pdc, dest))
			continue;
		refcount_inc(&pdc->ref);
		spin_unlock_bh(&peer->lock);
		return pdc;
	}
	spin_unlock_bh(&peer->lock);
	return NULL;
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

	flow = uet_flow_get(peer, &spec);
	if (IS_ERR(flow))
		return ERR_CAST(flow);
	pdc = uet_pdc_open(peer, flow, dest->key.job, !spec.sprayed);
	uet_flow_put(flow);
	return pdc ?: ERR_PTR(-ENOBUFS);
}

/* Leave the PDC a queue was bound to; dest->lock held. */
static void uet_dest_unbind(struct uet_dest *dest)
{
	struct uet_pdc *pdc = dest->pdc;

	if (!pdc)
		return;
	spin_lock(&pdc->tx.flow->lock);
	list_del_init(&dest->pdc_node);
	list_del_init(&dest->active);
	if (!list_empty(&dest->hold_node)) {
		/* On an ordered PDC others may have waited for it. */
		uet_pdc_tx_ready(pdc);
		uet_flow_queue(pdc->tx.flow);
	}
	list_del_init(&dest->hold_node);
	memset(&dest->hold, 0, sizeof(dest->hold));
	spin_unlock(&pdc->tx.flow->lock);
	dest->pdc = NULL;
	uet_pdc_put(pdc);
}

/* Choose or make a PDC for a queue that has none that takes its messages. */
static int uet_dest_bind(struct uet_dest *dest)
{
	struct uet_peer_key key = {
		.raddr	= dest->key.raddr,
		.scope	= dest->key.scope,
		.mark	= dest->key.mark,
	};
	struct uet_net *un = dest->un;
	struct uet_peer *peer;
	struct uet_pdc *pdc;
	int err = 0;

	if (!ipv6_addr_any(&dest->laddr))
		key.laddr = dest->laddr;
	else
		err = uet_route_source(un, &key.raddr, key.scope, key.mark,
				       &key.laddr);
	if (err)
		return err;
	mutex_lock(&un->open_mutex);
	peer = uet_peer_get(un, &key);
	if (IS_ERR(peer)) {
		err = PTR_ERR(peer);
		goto out;
	}
	uet_peer_learn_speed(peer);
	pdc = uet_pdc_find_open(peer, dest);
	if (!pdc)
		pdc = uet_pdc_new(peer, dest);
	uet_peer_put(peer);
	if (IS_ERR(pdc)) {
		err = PTR_ERR(pdc);
		goto out;
	}
	spin_lock_bh(&dest->lock);
	if (dest->pdc && dest->unfinished) {
		/* Another thread was faster. */
		spin_unlock_bh(&dest->lock);
		uet_pdc_put(pdc);
		goto out;
	}
	uet_dest_unbind(dest);
	dest->pdc = pdc;	/* with our reference */
	spin_lock(&pdc->tx.flow->lock);
	list_add(&dest->pdc_node, &pdc->tx.dests);
	spin_unlock(&pdc->tx.flow->lock);
	spin_unlock_bh(&dest->lock);
out:
	mutex_unlock(&un->open_mutex);
	return err;
}

/**
 * uet_pds_submit() - hand a message over for delivery
 * @msg: the message; on success the reference that came with it is consumed
 *
 * Queues it at its dest and sends what the windows allow.
 *
 * Context: process, may sleep.
 * Return: 0; errors of the route lookup (-ENETUNREACH, ...), -ENOBUFS at the
 * limit of PDCs, -ENOMEM, -ENETDOWN.
 */
int uet_pds_submit(struct uet_txmsg *msg)
{
	struct uet_dest *dest = msg->dest;
	int tries = UET_BIND_TRIES, err;
	struct uet_flow *flow;
	struct uet_pdc *pdc;

	for (;;) {
		spin_lock_bh(&dest->lock);
		pdc = dest->pdc;
		if (pdc) {
			flow = pdc->tx.flow;
			spin_lock(&flow->lock);
			if (uet_pdc_takes(pdc, dest))
				break;
			if (pdc->state == UET_PDC_DEAD && dest->unfinished) {
				/* What is queued is about to move: with it. */
				list_add_tail(&msg->node, &dest->queue);
				dest->unfinished++;
				spin_unlock(&flow->lock);
				spin_unlock_bh(&dest->lock);
				return 0;
			}
			spin_unlock(&flow->lock);
		}
		spin_unlock_bh(&dest->lock);
		if (!tries--)
			return -ENOBUFS;
		err = uet_dest_bind(dest);
		if (err)
			return err;
	}
	list_add_tail(&msg->node, &dest->queue);
	dest->unfinished++;
	pdc->tx.nr_msgs++;
	uet_msg_announce(pdc, msg, ktime_get_ns());
	uet_dest_activate(dest);
	refcount_inc(&flow->ref);
	spin_unlock(&flow->lock);
	spin_unlock(&dest->lock);
	uet_flow_run(flow);
	uet_flow_put(flow);
	local_bh_enable();
	return 0;
}

/* The PDC of a dest, locked against change; NULL if it has none. */
static struct uet_pdc *uet_dest_lock(struct uet_dest *dest)
{
	spin_lock_bh(&dest->lock);
	if (!dest->pdc) {
		spin_unlock_bh(&dest->lock);
		return NULL;
	}
	spin_lock(&dest->pdc->tx.flow->lock);
	return dest->pdc;
}

/* Undo uet_dest_lock() and send what has come up. */
static void uet_dest_unlock_run(struct uet_dest *dest, struct uet_pdc *pdc)
{
	struct uet_flow *flow = pdc->tx.flow;

	refcount_inc(&flow->ref);
	spin_unlock(&flow->lock);
	spin_unlock(&dest->lock);
	uet_flow_run(flow);
	uet_flow_put(flow);
	local_bh_enable();
}

/**
 * uet_pds_more() - more bytes of a streamed message are there
 * @msg: the message
 * @filled: bytes there now
 * @eom: all of them
 *
 * Context: process.
 */
void uet_pds_more(struct uet_txmsg *msg, u32 filled, bool eom)
{
	struct uet_dest *dest = msg->dest;
	struct uet_pdc *pdc = uet_dest_lock(dest);

	if (!pdc) {
		/* On its way to another PDC: whoever moves it looks then. */
		spin_lock_bh(&dest->lock);
		msg->filled = filled;
		msg->eom = eom;
		spin_unlock_bh(&dest->lock);
		pdc = uet_dest_lock(dest);
		if (!pdc)
			return;
	}
	msg->filled = filled;
	msg->eom = eom;
	if (msg->state < UET_TXMSG_FAILED && !msg->withdrawn) {
		uet_msg_announce(pdc, msg, ktime_get_ns());
		uet_dest_activate(dest);
	}
	uet_dest_unlock_run(dest, pdc);
}

/* Remove a message of which nothing was sent; flow lock held. */
static void uet_msg_drop_queued(struct uet_pdc *pdc, struct uet_txmsg *msg)
{
	struct uet_dest *dest = msg->dest;

	if (msg->backlog)
		uet_ccc_withdraw(&pdc->tx.flow->ccc, ktime_get_ns(),
				 msg->backlog);
	msg->backlog = 0;
	msg->state = UET_TXMSG_DONE;
	list_del(&msg->node);
	dest->unfinished--;
	pdc->tx.nr_msgs--;
	if (!uet_dest_sendable(dest))
		list_del_init(&dest->active);
}

/* Give a message up that is not all sent; flow lock held. */
static void uet_msg_withdraw(struct uet_pdc *pdc, struct uet_txmsg *msg)
{
	bool queued = msg->state == UET_TXMSG_QUEUED;

	if (!queued && msg->state != UET_TXMSG_SENDING)
		return;
	msg->withdrawn = true;	/* not reported, and ended by MSG_ERROR */
	uet_txmsg_done(msg, ECANCELED, UET_REPORT_LOCAL, 0);
	if (queued) {
		uet_msg_drop_queued(pdc, msg);
		uet_txmsg_put(msg);
	} else {
		msg->state = UET_TXMSG_FAILED;
		uet_dest_activate(msg->dest);
	}
}

/**
 * uet_pds_withdraw() - give up a message whose sendmsg() was cut short
 * @msg: the message; not reported, the caller returns the error
 *
 * Context: process.
 */
void uet_pds_withdraw(struct uet_txmsg *msg)
{
	struct uet_dest *dest = msg->dest;
	struct uet_pdc *pdc = uet_dest_lock(dest);

	if (!pdc) {
		/* On its way to another PDC: MSG_ERROR ends it there. */
		spin_lock_bh(&dest->lock);
		msg->withdrawn = true;
		spin_unlock_bh(&dest->lock);
		return;
	}
	uet_msg_withdraw(pdc, msg);
	uet_dest_unlock_run(dest, pdc);
}

/**
 * uet_pds_discard() - give up all messages of a queue (SO_LINGER ran out)
 * @dest: the queue
 *
 * Context: process.
 */
void uet_pds_discard(struct uet_dest *dest)
{
	struct uet_pdc *pdc = uet_dest_lock(dest);
	struct uet_txmsg *msg, *next;

	if (!pdc)
		return;
	list_for_each_entry_safe(msg, next, &dest->queue, node)
		uet_msg_withdraw(pdc, msg);
	uet_dest_unlock_run(dest, pdc);
}

/**
 * uet_msg_again() - the target had no place for a message: all of it again
 * @pdc: initiator PDC
 * @msg: the message
 * @code: its SES return code, for the report if it cannot be sent again
 *
 * Not before every packet of it is answered, and after a pause that grows.
 *
 * Context: flow lock held.
 */
void uet_msg_again(struct uet_pdc *pdc, struct uet_txmsg *msg, u8 code)
{
	if (msg->again || msg->state == UET_TXMSG_FAILED)
		return;
	if (msg->streamed) {
		/* Part of it is gone already, and was accepted before. */
		uet_msg_fail(pdc, msg, EREMOTEIO, UET_REPORT_SES, code);
		return;
	}
	msg->again = true;
	if (!msg->all_sent) {
		msg->withdrawn = true;
		uet_dest_activate(msg->dest);
	}
}

/**
 * uet_msg_requeue() - every packet of a refused message is answered
 * @pdc: initiator PDC
 * @msg: the message, off its lists
 *
 * Context: flow lock held.
 */
void uet_msg_requeue(struct uet_pdc *pdc, struct uet_txmsg *msg)
{
	struct uet_dest *dest = msg->dest;
	u64 now = ktime_get_ns(), pause;

	msg->again = false;
	msg->withdrawn = false;
	msg->all_sent = false;
	msg->state = UET_TXMSG_QUEUED;
	msg->sent = 0;
	msg->announced = 0;
	msg->cursor = NULL;
	list_add(&msg->node, &dest->queue);
	uet_msg_announce(pdc, msg, now);
	pause = (u64)READ_ONCE(pdc->un->sysctl.nack_retx_us) * NSEC_PER_USEC
		<< min_t(u8, msg->retries, UET_AGAIN_LEVEL_MAX);
	if (msg->retries < U8_MAX)
		msg->retries++;
	uet_pdc_pause(pdc, dest, now + pause, now);
}

/**
 * uet_pds_orphan() - the socket of a queue closes
 * @dest: the queue; its messages go on without report and socket
 *
 * Context: process.
 */
void uet_pds_orphan(struct uet_dest *dest)
{
	spin_lock_bh(&dest->lock);
	if (dest->pdc) {
		spin_lock(&dest->pdc->tx.flow->lock);
		dest->us = NULL;
		spin_unlock(&dest->pdc->tx.flow->lock);
		if (!dest->unfinished)
			uet_dest_unbind(dest);
	} else {
		dest->us = NULL;
	}
	spin_unlock_bh(&dest->lock);
}

/**
 * uet_pds_dest_gone() - nobody refers to a queue any more
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
 * uet_pds_unfinished() - messages of a queue that are not done
 * @dest: the queue
 *
 * Return: their number, a snapshot.
 */
u32 uet_pds_unfinished(struct uet_dest *dest)
{
	return READ_ONCE(dest->unfinished);
}

/*
 * May a message of a dead PDC go to another one? Only if the peer cannot have
 * accepted anything of it (wire.md 8.5), and not for ever.
 */
static bool uet_msg_may_move(const struct uet_pdc *pdc, struct uet_txmsg *msg)
{
	/* Queued after the PDC died: its end is none of this one's. */
	if (!msg->announced)
		return true;
	if (!pdc->movable || msg->withdrawn)
		return false;
	if (msg->state == UET_TXMSG_QUEUED)
		return true;
	/* INVALID_SYN before any answer: nothing was accepted. */
	if (pdc->remote_id || msg->streamed ||
	    pdc->err_code != UET_NACK_INVALID_SYN ||
	    msg->state == UET_TXMSG_FAILED)
		return false;
	return msg->retries++ < READ_ONCE(pdc->un->sysctl.max_nack_retx);
}

/* Move or fail the messages of one dest; dest->lock held. */
static void uet_dest_salvage(struct uet_pdc *pdc, struct uet_dest *dest,
			     struct list_head *move)
{
	struct uet_txmsg *msg, *next;
	LIST_HEAD(all);

	spin_lock(&pdc->tx.flow->lock);
	list_splice_tail_init(&dest->sent, &all);
	list_splice_tail_init(&dest->queue, &all);
	dest->unfinished = 0;
	spin_unlock(&pdc->tx.flow->lock);

	list_for_each_entry_safe(msg, next, &all, node) {
		list_del(&msg->node);
		if (uet_msg_may_move(pdc, msg)) {
			if (msg->state != UET_TXMSG_QUEUED)
				list_del(&msg->begun);
			msg->state = UET_TXMSG_QUEUED;
			msg->sent = 0;
			msg->all_sent = false;
			msg->again = false;
			msg->announced = 0;
			msg->backlog = 0;
			msg->cursor = NULL;
			list_add_tail(&msg->node, move);
			continue;
		}
		if (msg->state != UET_TXMSG_QUEUED)
			list_del(&msg->begun);
		if (msg->again)
			msg->withdrawn = false;	/* by us, not by the sender */
		if (msg->state != UET_TXMSG_FAILED)
			uet_txmsg_done(msg, pdc->error ?: ECONNRESET,
				       pdc->err_source, pdc->err_code);
		msg->state = UET_TXMSG_DONE;
		uet_txmsg_put(msg);
	}
	uet_dest_unbind(dest);
}

/* What a dead PDC still had in the counters of its context */
static void uet_pdc_settle(struct uet_pdc *pdc)
{
	struct uet_flow *flow = pdc->tx.flow;
	struct uet_txwin *win = &pdc->tx.win;
	struct uet_ccc_gone gone = {
		.now		= ktime_get_ns(),
		.rtx_bytes	= win->marked_bytes,
		.rtx_pkts	= win->marked_pkts,
		.inflight_bytes	= win->flight_bytes,
		.inflight_pkts	= win->flight_pkts,
	};
	struct uet_dest *dest;
	struct uet_txmsg *msg;

	list_for_each_entry(dest, &pdc->tx.dests, pdc_node) {
		list_for_each_entry(msg, &dest->queue, node) {
			gone.backlog += msg->backlog;
			msg->backlog = 0;
		}
	}
	uet_ccc_pdc_gone(&flow->ccc, &gone);
	kvfree(win->slots);
	win->slots = NULL;
	win->words = NULL;
	win->nslots = 0;
	win->una = win->next;
	kvfree(pdc->tx.pkts);
	pdc->tx.pkts = NULL;
}

/**
 * uet_pds_salvage() - move or fail the messages of a dead PDC
 * @pdc: the PDC
 *
 * Context: process.
 */
void uet_pds_salvage(struct uet_pdc *pdc)
{
	struct uet_flow *flow = pdc->tx.flow;
	struct uet_txmsg *msg, *next;
	struct uet_dest *dest;
	LIST_HEAD(move);
	int err;

	spin_lock_bh(&flow->lock);
	uet_pdc_settle(pdc);
	while ((dest = list_first_entry_or_null(&pdc->tx.dests,
						struct uet_dest, pdc_node))) {
		list_del_init(&dest->pdc_node);
		if (!refcount_inc_not_zero(&dest->ref))
			continue;	/* it leaves by itself */
		spin_unlock_bh(&flow->lock);
		spin_lock_bh(&dest->lock);
		if (dest->pdc == pdc)
			uet_dest_salvage(pdc, dest, &move);
		spin_unlock_bh(&dest->lock);
		uet_dest_put(dest);
		spin_lock_bh(&flow->lock);
	}
	/* Other PDCs of the context may have been waiting for its bytes. */
	uet_flow_queue(flow);
	spin_unlock_bh(&flow->lock);

	list_for_each_entry_safe(msg, next, &move, node) {
		list_del(&msg->node);
		err = READ_ONCE(pdc->un->exiting) ? -ENETDOWN :
						    uet_pds_submit(msg);
		if (err) {
			dest = msg->dest;
			refcount_inc(&dest->ref);
			spin_lock_bh(&dest->lock);
			uet_txmsg_done(msg, -err, UET_REPORT_LOCAL, 0);
			spin_unlock_bh(&dest->lock);
			uet_txmsg_put(msg);
			uet_dest_put(dest);
		}
	}
}

/* The quantities of struct uet_info that the CCC counts */
static void uet_info_ccc(const struct uet_flow *flow, struct uet_info *info,
			 u64 now)
{
	const struct uet_ccc *ccc = &flow->ccc;
	const struct uet_ccc_stats *st = &ccc->stats;
	struct uet_cc_info cc = {};

	uet_ccc_info(ccc, &cc);
	info->rtt = uet_rtt_est_ns(&ccc->rtt);
	info->base_rtt = ccc->base_rtt;
	info->delay_avg = cc.avg_delay;
	info->cwnd = uet_ccc_window(ccc);
	info->inflight = ccc->inflight;
	info->max_wnd = cc.max_wnd;
	info->mtu = ccc->params->mtu;
	info->inflight_pkts = ccc->inflight_pkts;
	info->pkts_sent = st->sent_pkts;
	info->bytes_sent = st->sent_bytes;
	info->retransmits = st->rtx_pkts;
	info->timeouts = st->losses[UET_LOSS_RTO];
	info->losses_sack = st->losses[UET_LOSS_SACK];
	info->losses_ooo = st->losses[UET_LOSS_OOO];
	info->losses_probe = st->losses[UET_LOSS_PROBE];
	info->marks = st->marks;
	info->trims = st->nacks[UET_REFUSED_TRIMMED];
	info->trims_lasthop = st->nacks[UET_REFUSED_LASTHOP];
	info->nacks_other = st->nacks[UET_REFUSED_OTHER];
	uet_ccc_blocked_ns(ccc, now, &info->blocked_ns[UET_BLOCKED_WINDOW],
			   &info->blocked_ns[UET_BLOCKED_CREDIT]);
	if (ccc->blocked & UET_CC_BLOCK_WINDOW)
		info->blocked_by = UET_BLOCKED_WINDOW;
	else if (ccc->blocked & UET_CC_BLOCK_CREDIT)
		info->blocked_by = UET_BLOCKED_CREDIT;
	info->paths = flow->lb->n;
	info->paths_bad = uet_lb_bad_paths(flow->lb);
	strscpy(info->cc, ccc->algo->name, sizeof(info->cc));
	strscpy(info->path_policy, flow->lb->ops->name,
		sizeof(info->path_policy));
}

/**
 * uet_pds_info() - state towards the peer of a queue
 * @dest: the queue
 * @info: filled as far as there is something to say; zeroed by the caller
 *
 * Context: process.
 */
void uet_pds_info(struct uet_dest *dest, struct uet_info *info)
{
	struct uet_pdc *pdc = uet_dest_lock(dest);

	if (!pdc)
		return;
	uet_info_ccc(pdc->tx.flow, info, ktime_get_ns());
	info->pdcs = READ_ONCE(pdc->peer->nr_pdcs);
	if (dest->hold.on)
		info->blocked_by = UET_BLOCKED_RECEIVER;
	else if (!info->blocked_by && !list_empty(&dest->active) &&
		 !uet_txwin_allowed(&pdc->tx.win))
		info->blocked_by = UET_BLOCKED_MPR;
	spin_unlock(&pdc->tx.flow->lock);
	spin_unlock_bh(&dest->lock);
}
