// SPDX-License-Identifier: GPL-2.0
/*
 * RCCC, receiver credit, at the source (UE 1.0 3.6.14): send while credit is
 * positive. Targets and grants are cumulative, so the next request repairs a
 * lost request and the next grant a lost grant.
 *
 * Not here: how a destination paces its grants (rccc_pacer.c), when a source
 * sends a Credit Request (uet_ccc_credit_req()).
 */
#include "cc_rccc.h"

/* Each event may overdraw credit by a packet; this only bounds arithmetic. */
#define CREDIT_FLOOR	(-(s64)UET_WND_MAX)

static void rccc_init(struct uet_ccc *c, u64 now)
{
	struct uet_rccc *s = uet_rccc(c);

	BUILD_BUG_ON(sizeof(*s) > UET_CC_CREDIT_PRIV_SIZE);
	s->credit = (s64)uet_cc_max_wnd(c->params, c->base_rtt);
	s->granted = 0;
	s->speculating = true;
}

static bool rccc_can_send(const struct uet_ccc *c)
{
	return uet_rccc_const(c)->credit > 0;
}

static u64 rccc_room(const struct uet_ccc *c)
{
	return (u64)(uet_rccc_const(c)->credit - 1);
}

/* The packet that uses up the credit sets AR: its ACK may bring new credit. */
static bool rccc_ack_request(const struct uet_ccc *c, u32 size)
{
	return uet_rccc_const(c)->credit <= size;
}

static void rccc_on_send(struct uet_ccc *c, u64 now, u32 size)
{
	struct uet_rccc *s = uet_rccc(c);

	s->credit = max(s->credit - size, CREDIT_FLOOR);
}

/* What answers the speculative window ends it, whatever it says. */
static void rccc_hear(struct uet_ccc *c)
{
	struct uet_rccc *s = uet_rccc(c);

	if (likely(!s->speculating))
		return;
	s->speculating = false;
	s->credit = min_t(s64, s->credit, 0);
}

static void rccc_on_ack(struct uet_ccc *c, const struct uet_ccc_ack *ack)
{
	rccc_hear(c);
}

/* The retransmission takes credit like any packet; the target asks for it. */
static void rccc_on_nack(struct uet_ccc *c, const struct uet_ccc_nack *nack)
{
	rccc_hear(c);
}

/*
 * If the speculative first window is lost, its retransmission needs no credit
 * either: the destination may not know this source yet.
 */
static void rccc_on_inferred_loss(struct uet_ccc *c,
				  const struct uet_ccc_loss *loss)
{
	struct uet_rccc *s = uet_rccc(c);

	if (s->speculating)
		s->credit = min_t(s64, s->credit + loss->size,
				  c->params->max_wnd);
}

static void rccc_speculate(struct uet_ccc *c)
{
	struct uet_rccc *s = uet_rccc(c);

	s->credit = max_t(s64, s->credit, 1);
}

static void rccc_on_credit(struct uet_ccc *c, u64 now, u32 credit)
{
	struct uet_rccc *s = uet_rccc(c);
	u32 step;

	rccc_hear(c);
	credit &= UET_CREDIT_MASK;
	step = uet_credit_step(credit, s->granted);
	if (!step)
		return;
	s->credit = min_t(s64, s->credit +
			  ((s64)step << UET_CREDIT_UNIT_SHIFT),
			  c->params->max_wnd);
	s->granted = credit;
	c->did |= UET_CC_DID_CREDIT;
}

static u32 rccc_credit_target(const struct uet_ccc *c)
{
	const struct uet_rccc *s = uet_rccc_const(c);
	u64 demand = c->backlog + c->rtx_backlog;
	u32 senders;
	s64 want;

	if (c->algo->window)
		demand = min(demand, uet_ccc_window(c) + c->params->mtu);
	want = (s64)min(demand, c->params->max_wnd) - s->credit;
	if (s->speculating && c->backlog)
		want = max_t(s64, want, c->params->mtu);
	if (want <= 0)
		return s->granted;
	senders = max_t(u32, c->credit_senders, 1);
	want = (s64)div_u64((u64)want + senders - 1, senders);
	want = (want + UET_CREDIT_UNIT_BYTES - 1) >> UET_CREDIT_UNIT_SHIFT;
	return (s->granted + (u32)want) & UET_CREDIT_MASK;
}

static void rccc_info(const struct uet_ccc *c, struct uet_cc_info *info)
{
	const struct uet_rccc *s = uet_rccc_const(c);

	info->credit = s->credit;
	info->granted = s->granted;
	info->speculating = s->speculating;
}

const struct uet_cc_ops uet_cc_rccc = {
	.can_send = rccc_can_send,
	.room = rccc_room,
	.ack_request = rccc_ack_request,
	.on_send = rccc_on_send,
	.on_ack = rccc_on_ack,
	.on_nack = rccc_on_nack,
	.on_inferred_loss = rccc_on_inferred_loss,
	.on_credit = rccc_on_credit,
	.speculate = rccc_speculate,
	.credit_target = rccc_credit_target,
	.info = rccc_info,
	.init = rccc_init,
	.name = "rccc",
	.priv_size = sizeof(struct uet_rccc),
};
