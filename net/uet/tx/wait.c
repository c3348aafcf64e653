// SPDX-License-Identifier: GPL-2.0
/*
 * What the data of a flow or PDC waits for now, and since when: for those who look
 * for the cause of a wait. All is found in state that the transport keeps anyway.
 *
 * A sender on the ready list of its flow has a packet that only the flow keeps
 * back; others wait for something of their own.
 *
 * Not here: how long data waited in all (tx/info.c).
 */
#include "core/snd.h"
#include "pdc/pdc.h"
#include "tx/flow.h"
#include "tx/half.h"
#include "tx/wait.h"

static struct uet_wait uet_wait(u32 why, u64 since)
{
	return (struct uet_wait){ .why = why, .since = since };
}

/* What a packet waits for that is ready to be sent */
static struct uet_wait uet_flow_wait_ready(const struct uet_flow *flow)
{
	const struct uet_ccc *ccc = &flow->ccc;

	if (ccc->blocked & UET_CC_BLOCK_WINDOW)
		return uet_wait(UET_WAIT_WINDOW, ccc->state_since);
	if (ccc->blocked & UET_CC_BLOCK_CREDIT)
		return uet_wait(UET_WAIT_CREDIT, ccc->credit_wait_since);
	if (flow->share.since)
		return uet_wait(UET_WAIT_PORT, flow->share.since);
	return uet_wait(UET_WAIT_TURN, ccc->state_since);
}

/**
 * uet_flow_wait() - what the data of a flow waits for
 * @flow: the flow
 *
 * If its PDCs wait for different things, what keeps the whole flow back comes
 * first, then what lasts longest. A wait for answers begins anew when something is
 * sent again; uet_pdc_wait() does not have that flaw.
 *
 * Context: flow lock held.
 * Return: cause and time.
 */
struct uet_wait uet_flow_wait(const struct uet_flow *flow)
{
	const struct uet_snd_flow *snd = &flow->snd;
	const struct uet_ccc *ccc = &flow->ccc;

	lockdep_assert_held(&flow->lock);
	if (ccc->state == UET_CCC_IDLE)
		return uet_wait(UET_WAIT_NOTHING, 0);
	if (flow->route_since)
		return uet_wait(UET_WAIT_ROUTE, flow->route_gone);
	if (!list_empty(&snd->ready))
		return uet_flow_wait_ready(flow);
	if (snd->holds.nr)
		return uet_wait(UET_WAIT_RECEIVER, snd->holds.since);
	if (snd->mpr.nr)
		return uet_wait(UET_WAIT_RECEIVE_WINDOW, snd->mpr.since);
	/* Data made the first PDC, and the flow with it. */
	if (!ccc->heard)
		return uet_wait(UET_WAIT_OPENING, ccc->created);
	return uet_wait(UET_WAIT_ANSWER, ccc->state_since);
}

static const struct uet_snd_queue *uet_snd_first_hold(const struct uet_snd *s)
{
	const struct uet_snd_queue *q;

	list_for_each_entry(q, &s->holds, hold_node)
		if (q->hold.on)
			return q;
	return NULL;
}

/* What a PDC waits for that has no packet ready */
static struct uet_wait uet_pdc_wait_own(const struct uet_snd *s)
{
	const struct uet_snd_queue *q = uet_snd_first_hold(s);

	if (q)
		return uet_wait(UET_WAIT_RECEIVER, q->hold.since);
	if (s->mpr_since)
		return uet_wait(UET_WAIT_RECEIVE_WINDOW, s->mpr_since);
	if (s->state == UET_PDC_SYN)
		return uet_wait(UET_WAIT_OPENING, s->heard);
	/* After timeouts none of those in flight is as old as the silence. */
	if (s->retries)
		return uet_wait(UET_WAIT_ANSWER, s->heard);
	if (uet_txwin_outstanding(&s->win))
		return uet_wait(UET_WAIT_ANSWER,
				uet_txwin_slot(&s->win, s->win.una)->tx_time);
	/* All was answered when the peer was heard last. */
	return uet_wait(UET_WAIT_WRITER, s->heard);
}

/**
 * uet_pdc_wait() - what the data of a PDC waits for
 * @pdc: a PDC with a sending half
 *
 * Context: flow lock held.
 * Return: cause and time.
 */
struct uet_wait uet_pdc_wait(const struct uet_pdc *pdc)
{
	const struct uet_pdc_tx *tx = pdc->tx;
	const struct uet_flow *flow = tx->flow;

	lockdep_assert_held(&flow->lock);
	if (!tx->snd.nr_msgs)
		return uet_wait(UET_WAIT_NOTHING, 0);
	if (tx->snd.state == UET_PDC_DEAD)
		return uet_wait(UET_WAIT_MOVING, tx->died_at);
	if (flow->route_since)
		return uet_wait(UET_WAIT_ROUTE, flow->route_gone);
	if (!list_empty(&tx->snd.ready_node))
		return uet_flow_wait_ready(flow);
	return uet_pdc_wait_own(&tx->snd);
}
