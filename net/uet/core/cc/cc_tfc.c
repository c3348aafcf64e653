// SPDX-License-Identifier: GPL-2.0
/*
 * TFC at the source (UE 1.0 3.6.15): a new packet leaves if there are cells for a full
 * one; what is sent again needs none. See tfc.h.
 *
 * Not here: the buffer of the destination (tfc_cells.c), when a source sends a Credit
 * Request (uet_ccc_credit_req()), and how it changes its ccc_id.
 */
#include "cc_rccc.h"
#include "cc_tfc.h"
#include "tfc.h"

/* Packets beyond the credit are few; this only bounds arithmetic. */
#define TFC_CREDIT_FLOOR	(-(s64)UET_TFC_CELLS_MAX)

static u32 tfc_cost(const struct uet_ccc *c, u32 size)
{
	return uet_tfc_cells(size, c->params->tfc_cell, c->params->tfc_overhead);
}

static void tfc_init(struct uet_ccc *c, u64 now)
{
	struct uet_tfc_cc *s = uet_tfc_cc(c);

	BUILD_BUG_ON(sizeof(*s) > UET_CC_CREDIT_PRIV_SIZE);
	s->full = tfc_cost(c, c->params->mtu);
	s->credit = c->params->tfc_first;
	s->granted = 0;
	s->begun = false;
}

/* Where only retransmissions wait nothing is missing. */
static bool tfc_can_send(const struct uet_ccc *c)
{
	const struct uet_tfc_cc *s = uet_tfc_cc_const(c);

	return s->credit >= s->full || !c->backlog;
}

static u64 tfc_room(const struct uet_ccc *c)
{
	const struct uet_tfc_cc *s = uet_tfc_cc_const(c);

	return s->credit > s->full ?
	       (u64)(s->credit - s->full) * c->params->tfc_cell : 0;
}

/* The last packet that the cells suffice for sets AR: its ACK may bring more. */
static bool tfc_ack_request(const struct uet_ccc *c, u32 size)
{
	const struct uet_tfc_cc *s = uet_tfc_cc_const(c);

	return s->credit < (s64)tfc_cost(c, size) + s->full;
}

static void tfc_on_send(struct uet_ccc *c, u64 now, u32 size)
{
	struct uet_tfc_cc *s = uet_tfc_cc(c);

	s->credit = max(s->credit - tfc_cost(c, size), TFC_CREDIT_FLOOR);
	s->begun = true;
}

/* By now the destination may have taken back what was not used. */
static void tfc_on_new_data(struct uet_ccc *c, u64 now)
{
	if (c->state == UET_CCC_IDLE && uet_tfc_cc(c)->begun &&
	    now > c->state_since && now - c->state_since >= UET_TFC_KEEP_NS)
		c->credit_anew = true;
}

static void tfc_speculate(struct uet_ccc *c)
{
	struct uet_tfc_cc *s = uet_tfc_cc(c);

	s->credit = max_t(s64, s->credit, s->full);
}

static void tfc_on_credit(struct uet_ccc *c, u64 now, u32 credit)
{
	struct uet_tfc_cc *s = uet_tfc_cc(c);
	u32 step;

	credit &= UET_CREDIT_MASK;
	step = uet_credit_step(credit, s->granted);
	if (!step)
		return;
	s->credit = min_t(s64, s->credit + step, UET_TFC_CELLS_MAX);
	s->granted = credit;
	s->begun = true;
	c->did |= UET_CC_DID_CREDIT;
}

/* Cells of all that waits. It may be cut differently, so this is an estimate. */
static u64 tfc_backlog(const struct uet_ccc *c)
{
	u64 bytes = min_t(u64, c->backlog, UET_WND_MAX);
	u64 pkts = div_u64(bytes, c->params->mtu);
	u32 rest = (u32)(bytes - pkts * c->params->mtu);

	return pkts * uet_tfc_cc_const(c)->full + (rest ? tfc_cost(c, rest) : 0);
}

/*
 * Ask for what waits and for as many cells beyond that as a new source has, so that a
 * short message need not wait until they were asked for; but not for each few of them.
 * What was told stays told: the count is cumulative, and may be granted by now.
 */
static u32 tfc_credit_target(const struct uet_ccc *c)
{
	const struct uet_tfc_cc *s = uet_tfc_cc_const(c);
	s64 ahead = max(c->params->tfc_first, s->full);
	s64 want = (s64)tfc_backlog(c) + ahead - s->credit;
	u32 told = uet_credit_step(c->credit_told, s->granted);

	if (s->credit >= s->full && want < ahead / 2)
		want = 0;
	want = clamp_t(s64, want, 0, UET_TFC_CELLS_MAX);
	if (told <= UET_TFC_CELLS_MAX)
		want = max_t(s64, want, told);
	return (s->granted + (u32)want) & UET_CREDIT_MASK;
}

static void tfc_info(const struct uet_ccc *c, struct uet_cc_info *info)
{
	const struct uet_tfc_cc *s = uet_tfc_cc_const(c);

	info->credit = s->credit * c->params->tfc_cell;
	info->granted = s->granted;
	info->speculating = !c->heard;
}

const struct uet_cc_ops uet_cc_tfc = {
	.can_send = tfc_can_send,
	.room = tfc_room,
	.ack_request = tfc_ack_request,
	.on_send = tfc_on_send,
	.on_new_data = tfc_on_new_data,
	.on_credit = tfc_on_credit,
	.speculate = tfc_speculate,
	.credit_target = tfc_credit_target,
	.info = tfc_info,
	.init = tfc_init,
	.name = "tfc",
	.priv_size = sizeof(struct uet_tfc_cc),
	.sent_once = true,
	.blind = true,
};
