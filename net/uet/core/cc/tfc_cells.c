// SPDX-License-Identifier: GPL-2.0
/*
 * TFC at the destination (UE 1.0 3.6.15): who gets how much of the buffer. See
 * tfc_cells.h.
 */
#include "tfc_cells.h"

/* Sources that a tick looks at, for each grant that it may make */
#define TFC_VISITS		4
/* If there are more of them the rest is for the next tick, so soon. */
#define TFC_AGAIN_NS		100000

void uet_tfc_pool_set(struct uet_tfc_pool *p, u64 size)
{
	p->size = size;
}

void uet_tfc_pool_init(struct uet_tfc_pool *p, u64 size)
{
	memset(p, 0, sizeof(*p));
	INIT_LIST_HEAD(&p->turns);
	INIT_LIST_HEAD(&p->quiet);
	uet_tfc_pool_set(p, size);
}

static void cells_begin(struct uet_tfc_src *s, u32 target, u32 first)
{
	target &= UET_CREDIT_MASK;
	s->granted = target > UET_TFC_ASTRAY ? target - UET_TFC_TURN_MIN : 0;
	s->target = s->granted;
	s->reserved = first;
	s->proved = false;
	s->asks = 0;
}

void uet_tfc_src_init(struct uet_tfc_src *s, u32 target, u32 first, u64 now)
{
	memset(s, 0, sizeof(*s));
	INIT_LIST_HEAD(&s->turn);
	INIT_LIST_HEAD(&s->quiet);
	s->last_rx = now;
	cells_begin(s, target, first);
}

void uet_tfc_src_again(struct uet_tfc_pool *p, struct uet_tfc_src *s, u32 target,
		       u32 first)
{
	if (uet_credit_step(s->granted, target) <= s->reserved + UET_TFC_LAG)
		return;
	uet_tfc_remove(p, s);
	cells_begin(s, target, first);
}

/* Cells that are neither reserved nor held, < 0 beyond the buffer */
static s64 cells_unused(const struct uet_tfc_pool *p)
{
	return (s64)p->size - (s64)p->reserved - (s64)p->held;
}

static u32 cells_turn(const struct uet_tfc_pool *p)
{
	return (u32)clamp_t(u64, div_u64(p->size, UET_TFC_TURNS),
			    UET_TFC_TURN_MIN, UET_TFC_TURN_MAX);
}

static u32 cells_demand(const struct uet_tfc_src *s)
{
	return uet_credit_step(s->target, s->granted);
}

static void cells_end_turn(struct uet_tfc_pool *p, struct uet_tfc_src *s)
{
	if (list_empty(&s->turn))
		return;
	list_del_init(&s->turn);
	p->nr_turns--;
}

static void cells_want(struct uet_tfc_pool *p, struct uet_tfc_src *s)
{
	if (!cells_demand(s)) {
		cells_end_turn(p, s);
	} else if (list_empty(&s->turn)) {
		list_add_tail(&s->turn, &p->turns);
		p->nr_turns++;
	}
}

static void cells_unreserve(struct uet_tfc_pool *p, struct uet_tfc_src *s,
			    u64 cells)
{
	s->reserved -= cells;
	if (s->proved)
		p->reserved -= cells;
	if (!s->reserved)
		list_del_init(&s->quiet);
}

static void cells_prove(struct uet_tfc_pool *p, struct uet_tfc_src *s)
{
	s->proved = true;
	p->reserved += s->reserved;
}

/* The count of a source that is far away began anew, under the same ccc_id. */
static void cells_resync(struct uet_tfc_pool *p, struct uet_tfc_src *s,
			 u32 target)
{
	u32 ahead = (target - s->granted) & UET_CREDIT_MASK;
	u32 away = min(ahead, UET_CREDIT_MASK + 1 - ahead);

	if (likely(away < UET_TFC_ASTRAY))
		return;
	cells_unreserve(p, s, s->reserved);
	s->granted = (target - UET_TFC_TURN_MIN) & UET_CREDIT_MASK;
	s->target = s->granted;
}

/* Might a source that waits get something? */
static bool cells_due(const struct uet_tfc_pool *p)
{
	const struct uet_tfc_src *s;

	if (list_empty(&p->turns))
		return false;
	if (cells_unused(p) >= cells_turn(p))
		return true;
	s = list_first_entry(&p->turns, struct uet_tfc_src, turn);
	return cells_unused(p) >= cells_demand(s);
}

bool uet_tfc_heard(struct uet_tfc_pool *p, struct uet_tfc_src *s, u64 now,
		   u32 target, bool proved, bool asks)
{
	target &= UET_CREDIT_MASK;
	s->last_rx = max(s->last_rx, now);
	s->asks = asks ? min_t(u32, s->asks + 1, U8_MAX) : 0;
	if (!s->proved) {
		if (!proved)
			return false;
		cells_prove(p, s);
	}
	cells_resync(p, s, target);
	if (s->reserved)
		list_move_tail(&s->quiet, &p->quiet);
	if (uet_credit_step(target, s->target))
		s->target = target;
	cells_want(p, s);
	return asks || p->beyond == s ? !list_empty(&p->turns) : cells_due(p);
}

void uet_tfc_arrived(struct uet_tfc_pool *p, struct uet_tfc_src *s, u32 cells)
{
	s->largest = max(s->largest, cells);
	cells_unreserve(p, s, min_t(u64, s->reserved, cells));
}

void uet_tfc_ready(struct uet_tfc_pool *p, struct uet_tfc_src *s, u32 cells)
{
	s->ready += cells;
	if (s->ready && p->beyond == s)
		p->beyond = NULL;
}

void uet_tfc_hold(struct uet_tfc_pool *p, struct uet_tfc_src *s, u32 cells,
		  bool ready)
{
	s->held += cells;
	p->held += cells;
	if (ready)
		uet_tfc_ready(p, s, cells);
}

bool uet_tfc_free(struct uet_tfc_pool *p, struct uet_tfc_src *s, u32 cells,
		  bool ready)
{
	s->held -= cells;
	p->held -= cells;
	if (ready)
		s->ready -= cells;
	if (!s->held && p->beyond == s)
		p->beyond = NULL;
	return cells_due(p);
}

/*
 * Is what a source holds of no use to any reader as long as it gets no more? Or the
 * buffer too small for a packet? Not if it may send one as soon as it hears of its last
 * grant, which the answer to its request repeats.
 */
static bool cells_stuck(const struct uet_tfc_pool *p,
			const struct uet_tfc_src *s)
{
	/*
	 * Once found to be so, it goes on at speed, but not without end: what it lacks
	 * may be a packet that was lost.
	 */
	if (p->beyond == s && s->reserved < cells_turn(p) &&
	    p->reserved + p->held < UET_TFC_BEYOND * p->size)
		return true;
	return s->asks && !s->ready && (s->held || !p->held) &&
	       (s->reserved < s->largest || !s->reserved ||
		s->asks >= UET_TFC_ASKS) &&
	       (!p->beyond || p->beyond == s);
}

/* What a source gets now, or 0. Not less than a turn, lest grants become tiny. */
static u32 cells_share(struct uet_tfc_pool *p, struct uet_tfc_src *s)
{
	u32 want = min(cells_demand(s), cells_turn(p));
	s64 left = cells_unused(p) - want;

	if (left >= 0 &&
	    s->reserved + s->held + want <= UET_TFC_SHARE * (u64)left)
		return want;
	if (!cells_stuck(p, s))
		return 0;
	p->beyond = s;
	p->lent += want;
	/* Until it asks again, this is all. */
	s->asks = 0;
	return want;
}

static void cells_give(struct uet_tfc_pool *p, struct uet_tfc_src *s, u32 cells)
{
	s->granted = (s->granted + cells) & UET_CREDIT_MASK;
	s->reserved += cells;
	p->reserved += cells;
	if (list_empty(&s->quiet))
		list_add_tail(&s->quiet, &p->quiet);
	if (cells_demand(s))
		list_move_tail(&s->turn, &p->turns);
	else
		cells_end_turn(p, s);
}

u32 uet_tfc_grant(struct uet_tfc_pool *p, struct uet_tfc_src *s)
{
	u32 cells;

	if (p->nr_turns != 1 || list_empty(&s->turn))
		return 0;
	cells = cells_share(p, s);
	if (cells)
		cells_give(p, s, cells);
	return cells;
}

/* Add to the grants; the number of entries */
static u32 cells_note(struct uet_tfc_grant *grants, u32 n, struct uet_tfc_src *s,
		      u32 cells)
{
	u32 i;

	for (i = 0; i < n && grants[i].src != s; i++)
		;
	if (i == n)
		grants[n++] = (struct uet_tfc_grant){ .src = s };
	grants[i].cells += cells;
	return n;
}

static bool cells_silent(const struct uet_tfc_src *s, u64 now)
{
	return now > s->last_rx && now - s->last_rx >= UET_TFC_SILENCE_NS;
}

/* A source of which nothing was heard for long has given its credit up, or is gone. */
static void cells_take_back(struct uet_tfc_pool *p, u64 now, u32 max)
{
	struct uet_tfc_src *s;

	if (p->beyond && cells_silent(p->beyond, now))
		p->beyond = NULL;
	while (max-- && !list_empty(&p->quiet)) {
		s = list_first_entry(&p->quiet, struct uet_tfc_src, quiet);
		if (!cells_silent(s, now))
			break;
		p->taken_back += s->reserved;
		cells_unreserve(p, s, s->reserved);
		s->target = s->granted;
		cells_end_turn(p, s);
	}
}

u32 uet_tfc_tick(struct uet_tfc_pool *p, u64 now, struct uet_tfc_grant *grants,
		 u32 max, u64 *next)
{
	u32 visits = TFC_VISITS * max, vain = 0, n = 0, cells;
	struct uet_tfc_src *s;

	cells_take_back(p, now, max);
	while (n < max && visits && vain < p->nr_turns) {
		visits--;
		s = list_first_entry(&p->turns, struct uet_tfc_src, turn);
		cells = cells_share(p, s);
		if (cells) {
			cells_give(p, s, cells);
			n = cells_note(grants, n, s, cells);
			vain = 0;
		} else {
			list_move_tail(&s->turn, &p->turns);
			vain++;
		}
	}
	*next = 0;
	if (p->nr_turns)
		*next = now + (vain < p->nr_turns ? TFC_AGAIN_NS :
						    UET_TFC_KEEP_NS);
	return n;
}

void uet_tfc_remove(struct uet_tfc_pool *p, struct uet_tfc_src *s)
{
	cells_unreserve(p, s, s->reserved);
	cells_end_turn(p, s);
	if (p->beyond == s)
		p->beyond = NULL;
}
