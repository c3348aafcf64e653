// SPDX-License-Identifier: GPL-2.0
/*
 * Clean-up after a dead PDC: its messages move to another PDC or fail, and its
 * share of the counters of the CCC is removed.
 *
 * Not here: counting NACKs of a PDC that the target disowned (tx/disowned.c).
 */
#include <linux/ktime.h>
#include <linux/mm.h>

#include "pdc/pdc.h"
#include "sock.h"
#include "tx/flow.h"
#include "tx/half.h"
#include "tx/pds.h"
#include "tx/txmsg.h"

/*
 * May a message of a dead PDC move to another one? Only if the peer cannot have
 * accepted any of it, and max_nack_retx times at most.
 */
static bool uet_msg_may_move(const struct uet_pdc *pdc, struct uet_txmsg *msg)
{
	/* Queued after the PDC died, hence never sent */
	if (!msg->announced)
		return true;
	if (!pdc->tx->movable || msg->withdrawn)
		return false;
	if (msg->state == UET_TXMSG_QUEUED)
		return true;
	if (msg->state == UET_TXMSG_FAILED)
		return false;
	if (pdc->tx->err_code == UET_NACK_INVALID_SYN) {
		/* Before any answer: nothing was accepted. */
		if (pdc->remote_id || msg->streamed)
			return false;
	} else if (msg->maybe_accepted || msg->refused != msg->sent) {
		return false;
	}
	return msg->retries++ < READ_ONCE(pdc->un->sysctl.max_nack_retx);
}

/* Reset a message to be sent from the start by another PDC. */
static void uet_msg_rewind(struct uet_txmsg *msg)
{
	msg->state = UET_TXMSG_QUEUED;
	msg->sent = 0;
	msg->all_sent = false;
	msg->again = false;
	msg->announced = 0;
	msg->refused = 0;
	msg->maybe_accepted = false;
	msg->backlog = 0;
	msg->cursor = NULL;
	msg->moving = true;
}

/* Move or fail the messages of one dest; dest->lock held. */
static void uet_dest_salvage(struct uet_pdc *pdc, struct uet_dest *dest)
{
	struct uet_txmsg *msg, *next;
	LIST_HEAD(all);

	spin_lock(&pdc->tx->flow->lock);
	list_splice_tail_init(&dest->sent, &all);
	list_splice_tail_init(&dest->queue, &all);
	dest->unfinished = 0;
	spin_unlock(&pdc->tx->flow->lock);

	list_for_each_entry_safe(msg, next, &all, node) {
		list_del(&msg->node);
		if (uet_msg_may_move(pdc, msg)) {
			if (msg->state != UET_TXMSG_QUEUED)
				list_del(&msg->begun);
			uet_msg_rewind(msg);
			list_add_tail(&msg->node, &dest->moving);
			continue;
		}
		if (msg->state != UET_TXMSG_QUEUED)
			list_del(&msg->begun);
		if (msg->again)
			msg->withdrawn = false;	/* only for a resend */
		if (msg->state != UET_TXMSG_FAILED)
			uet_txmsg_done(msg, pdc->tx->error ?: ECONNRESET,
				       pdc->tx->err_source, pdc->tx->err_code);
		msg->state = UET_TXMSG_DONE;
		uet_txmsg_put(msg);
	}
	uet_dest_unbind(dest);
	dest->moves = !list_empty(&dest->moving);
}

/* The next message to move; after the last one new ones need not wait. */
static struct uet_txmsg *uet_dest_next_moving(struct uet_dest *dest)
{
	struct uet_txmsg *msg;

	spin_lock_bh(&dest->lock);
	msg = list_first_entry_or_null(&dest->moving, struct uet_txmsg, node);
	if (msg)
		list_del_init(&msg->node);
	else
		dest->moves = false;
	spin_unlock_bh(&dest->lock);
	return msg;
}

/* Move messages to another PDC, in the order in which they were sent. */
static void uet_dest_move(struct uet_dest *dest)
{
	struct uet_txmsg *msg;
	int err;

	while ((msg = uet_dest_next_moving(dest))) {
		err = READ_ONCE(dest->un->exiting) ? -ENETDOWN :
						     uet_pds_submit(msg);
		if (!err)
			continue;
		spin_lock_bh(&dest->lock);
		msg->moving = false;
		uet_txmsg_done(msg, -err, UET_REPORT_LOCAL, 0);
		spin_unlock_bh(&dest->lock);
		uet_txmsg_put(msg);
	}
}

/* Remove a dead PDC from the counters of its CCC, and free its rings. */
static void uet_pdc_settle(struct uet_pdc *pdc)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_txwin *win = &pdc->tx->win;
	struct uet_ccc_gone gone = {
		.now		= ktime_get_ns(),
		.rtx_bytes	= win->marked_bytes,
		.rtx_pkts	= win->marked_pkts,
		.inflight_bytes	= win->flight_bytes,
		.inflight_pkts	= win->flight_pkts,
	};
	struct uet_dest *dest;
	struct uet_txmsg *msg;

	uet_pdc_count_refused(pdc);
	list_for_each_entry(dest, &pdc->tx->dests, pdc_node) {
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
	kvfree(pdc->tx->pkts);
	pdc->tx->pkts = NULL;
}

/**
 * uet_pds_salvage() - move or fail the messages of a dead PDC
 * @pdc: the PDC
 *
 * Context: process.
 */
void uet_pds_salvage(struct uet_pdc *pdc)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_dest *dest;

	spin_lock_bh(&flow->lock);
	uet_pdc_settle(pdc);
	while ((dest = list_first_entry_or_null(&pdc->tx->dests,
						struct uet_dest, pdc_node))) {
		list_del_init(&dest->pdc_node);
		if (!refcount_inc_not_zero(&dest->ref))
			continue;	/* it leaves by itself */
		spin_unlock_bh(&flow->lock);
		spin_lock_bh(&dest->lock);
		if (dest->pdc == pdc)
			uet_dest_salvage(pdc, dest);
		spin_unlock_bh(&dest->lock);
		uet_dest_move(dest);
		uet_dest_put(dest);
		spin_lock_bh(&flow->lock);
	}
	/* Other PDCs of the flow may use the window that its bytes filled. */
	uet_flow_queue(flow);
	spin_unlock_bh(&flow->lock);
}
