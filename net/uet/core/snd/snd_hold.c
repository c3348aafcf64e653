// SPDX-License-Identifier: GPL-2.0
/*
 * Holds: a target NACKed packets of a queue for shortage, for example since its
 * reader is slow (see "Rules of this module" in uet-rules.rst).
 *
 * Packets of a queue on hold are neither sent nor declared lost, except for one
 * that is tried alone after a growing pause. Once it arrives the number of
 * packets allowed in flight starts at one and doubles per round trip. Shortage
 * never fails a message, however long the reader pauses.
 *
 * A target that answers NO_MATCH took the packets but not the message: no
 * packet is held, but new ones pause in the same way. An ordered sender, too, has few of
 * them in flight then: otherwise no pause would be longer than the first.
 */
#include "../prng.h"
#include "snd_hold.h"
#include "snd_priv.h"
#include "snd_queue.h"

/* Longest pause between two tries, ns */
#define HOLD_MAX_NS		128000000ULL
/* ... while the PDC is in SYN; a part of it is random */
#define HOLD_OPEN_MAX_NS	1000000000ULL
/* ... and at least so much for each queue of a crowd, up to a limit: timers try, whether
 * programs run or not
 */
#define HOLD_CROWD_NS		100000ULL
#define HOLD_CROWD_MAX_NS	10000000000ULL
#define HOLD_LEVEL_MAX		16
/* Packets allowed in flight at which the restrictions of a hold end */
#define HOLD_RAMP_END		256

static struct uet_snd_queue *hold_queue(const struct uet_snd *s, u32 psn)
{
	const struct uet_snd_pkt *p = snd_pkt(s, psn);

	return p->msg ? p->msg->queue : NULL;
}

/* Will the next transmission of a PSN be MSG_ERROR, which takes no room? */
static bool hold_given_up(const struct uet_snd *s, u32 psn)
{
	const struct uet_snd_pkt *p = snd_pkt(s, psn);

	return p->msg && p->msg->given_up && !(p->flags & UET_SND_MSG_ERROR);
}

/* Hold a packet of a queue; false if it is not missing. */
static bool hold_add(struct uet_snd *s, struct uet_snd_queue *q, u32 psn)
{
	if (uet_txwin_is_held(&s->win, psn))
		return true;
	if (!uet_txwin_hold(&s->win, psn))
		return false;
	uet_txwin_heap_add(&s->win, &q->hold.held, psn);
	return true;
}

/* Take the lowest held PSN of a queue; it stays held in the scoreboard. */
static bool hold_take(struct uet_snd *s, struct uet_snd_hold *h, u32 *psn)
{
	while (h->held.nr) {
		*psn = uet_txwin_heap_pop(&s->win, &h->held);
		if (uet_txwin_is_held(&s->win, *psn))
			return true;
	}
	return false;
}

/* A packet was acknowledged: is it what a queue on hold tries? */
static void hold_note(struct uet_snd *s, u32 psn)
{
	struct uet_snd_queue *q = hold_queue(s, psn);

	if (!q || !q->hold.trying || q->hold.psn != psn)
		return;
	q->hold.acked = true;
	list_move(&q->hold_node, &s->holds);
}

void snd_hold_sacked(struct uet_snd *s, u32 base, u64 bitmap)
{
	for (; bitmap; bitmap &= bitmap - 1)
		if (uet_txwin_has(&s->win, base + __ffs64(bitmap)))
			hold_note(s, base + __ffs64(bitmap));
}

void snd_hold_covered(struct uet_snd *s, u32 from, u32 n)
{
	struct uet_snd_queue *q;
	u32 psn;

	for (psn = from; psn != from + n; psn++) {
		hold_note(s, psn);
		q = hold_queue(s, psn);
		while (q && q->hold.held.nr &&
		       psn_before(q->hold.held.top, from + n))
			uet_txwin_heap_pop(&s->win, &q->hold.held);
	}
}

void snd_hold_gone(struct uet_snd *s)
{
	struct uet_snd_queue *q;

	list_for_each_entry(q, &s->holds, hold_node)
		q->hold.held.nr = 0;
}

static void hold_schedule(struct uet_snd *s, u64 at)
{
	s->hold_at = uet_earliest(s->hold_at, at);
	uet_snd_wake(s, s->hold_at);
}

static void hold_over(struct uet_snd *s, struct uet_snd_hold *h, u64 now)
{
	if (!h->on)
		return;
	h->held_ns += now - h->since;
	h->on = false;
	snd_waits_end(&s->flow->holds);
}

static void hold_begin(struct uet_snd *s, struct uet_snd_queue *q, u64 now)
{
	struct uet_snd_hold *h = &q->hold;

	h->on = true;
	h->since = now;
	snd_waits_begin(&s->flow->holds, now);
	h->ramp = false;
	h->refused = false;
	if (list_empty(&q->hold_node)) {
		h->level = 0;
		list_add_tail(&q->hold_node, &s->holds);
	}
	/* MSG_ERROR of the message in front is sent even so. */
	if (!uet_snd_sendable(s, q))
		uet_snd_step_out(s, q, now);
}

static u64 hold_pause_max(const struct uet_snd_queue *q, u64 ns)
{
	u64 crowd = q->crowd ? READ_ONCE(*q->crowd) * HOLD_CROWD_NS : 0;

	return max_t(u64, ns, min_t(u64, crowd, HOLD_CROWD_MAX_NS));
}

static u64 hold_pause(struct uet_snd *s, const struct uet_snd_queue *q)
{
	u64 ns = READ_ONCE(s->flow->rules->nack_retx_us) * SND_NS_PER_US;

	ns <<= q->hold.level;
	if (s->state != UET_PDC_SYN)
		return min_t(u64, ns, hold_pause_max(q, HOLD_MAX_NS));
	/* The target is short of PDCs: many hosts may wait for one. */
	ns = min_t(u64, ns, hold_pause_max(q, HOLD_OPEN_MAX_NS));
	s->flow->prng = uet_mix32(s->flow->prng + 1);
	return ns - (s->flow->prng * (ns / 4 + 1) >> 32);
}

/* Begin the pause before the next try. */
static void hold_wait(struct uet_snd *s, struct uet_snd_queue *q, u64 now)
{
	struct uet_snd_hold *h = &q->hold;

	h->trying = false;
	h->allowed = 1;
	h->next = now + hold_pause(s, q);
	hold_schedule(s, h->next);
}

struct uet_snd_queue *uet_snd_hold(struct uet_snd *s, u32 psn, u64 now)
{
	struct uet_snd_queue *q = hold_queue(s, psn);
	bool begins = q && !q->hold.on;
	struct uet_snd_hold *h;

	if (!q || unlikely(hold_given_up(s, psn)) || !hold_add(s, q, psn))
		return NULL;
	h = &q->hold;
	if (begins) {
		hold_begin(s, q, now);
		s->one_by_one = s->rod;
	} else if (!h->trying || psn_after(psn, h->psn)) {
		return NULL;		/* sent before the hold was known */
	} else if (h->level < HOLD_LEVEL_MAX) {
		h->level++;
	}
	hold_wait(s, q, now);
	return begins ? q : NULL;
}

void uet_snd_hold_clear(struct uet_snd *s, struct uet_snd_queue *q, u64 now)
{
	u64 held_ns = uet_snd_held_ns(q, now);

	hold_over(s, &q->hold, now);
	memset(&q->hold, 0, sizeof(q->hold));
	q->hold.held_ns = held_ns;
	list_del_init(&q->hold_node);
}

void uet_snd_hold_lost(struct uet_snd *s, u32 psn)
{
	struct uet_snd_queue *q = hold_queue(s, psn);

	if (!q || !q->hold.on ||
	    (q->hold.trying && !psn_after(psn, q->hold.psn)) ||
	    hold_given_up(s, psn))
		return;
	hold_add(s, q, psn);
}

bool uet_snd_hold_blocks(const struct uet_snd *s, u32 psn)
{
	const struct uet_snd_queue *q;

	list_for_each_entry(q, &s->holds, hold_node)
		if (q->hold.on &&
		    (!q->hold.trying || psn_after(psn, q->hold.psn)))
			return true;
	return false;
}

void snd_hold_sent(struct uet_snd_queue *q, u32 psn)
{
	struct uet_snd_hold *h = &q->hold;

	h->psn = psn;
	h->trying = true;
	if (h->budget)
		h->budget--;
}

/* Release the next packets of a queue; the hold ends when none is left. */
static void hold_release(struct uet_snd *s, struct uet_snd_queue *q, u64 now)
{
	struct uet_snd_hold *h = &q->hold;
	u32 psn, n;

	h->trying = false;
	for (n = h->allowed; n && hold_take(s, h, &psn); n--) {
		uet_txwin_unhold(&s->win, psn);
		h->psn = psn;
		h->trying = true;
	}
	if (!h->trying && h->on && h->until > now) {
		h->allowed = 1;
		h->next = h->until;
		h->until = 0;
		hold_schedule(s, h->next);
		return;
	}
	if (!h->trying) {
		/* No held packet is left; new ones follow at the same pace. */
		hold_over(s, h, now);
		h->ramp = h->allowed < HOLD_RAMP_END &&
			  (!s->rod || h->refused);
		h->budget = h->allowed;
		if (!h->ramp)
			list_del_init(&q->hold_node);
		uet_snd_activate(s, q, now);
	}
	uet_snd_ready(s);
}

void uet_snd_hold_given_up(struct uet_snd *s, struct uet_snd_queue *q, u64 now)
{
	struct uet_snd_hold *h = &q->hold;
	struct uet_tx_heap stay = {};
	u32 psn;

	while (hold_take(s, h, &psn)) {
		if (hold_given_up(s, psn))
			uet_txwin_unhold(&s->win, psn);
		else
			uet_txwin_heap_add(&s->win, &stay, psn);
	}
	stay.steps += h->held.steps;
	h->held = stay;
	if (h->on && !h->trying) {
		h->until = 0;
		h->level = 0;
		h->allowed = 1;
		hold_release(s, q, now);
	}
	uet_snd_ready(s);
}

bool uet_snd_pause(struct uet_snd *s, struct uet_snd_queue *q, u64 now)
{
	struct uet_snd_hold *h = &q->hold;
	bool tried = h->trying;

	if (h->on) {
		h->refused = true;
		if (tried)
			h->until = now + hold_pause(s, q);
		return false;
	}
	hold_begin(s, q, now);
	h->refused = true;
	if (tried && h->level < HOLD_LEVEL_MAX)
		h->level++;
	hold_wait(s, q, now);
	return true;
}

u32 uet_snd_hold_acked(struct uet_snd *s, u64 now)
{
	u32 looked = 0;

	while (!list_empty(&s->holds)) {
		struct uet_snd_queue *q = list_first_entry(&s->holds,
							   struct uet_snd_queue,
							   hold_node);
		struct uet_snd_hold *h = &q->hold;

		if (!h->acked)
			break;
		h->acked = false;
		looked++;
		list_move_tail(&q->hold_node, &s->holds);
		if (!h->trying || (uet_txwin_has(&s->win, h->psn) &&
				   !uet_txwin_is_sacked(&s->win, h->psn)))
			continue;
		h->level = 0;
		h->allowed = min_t(u32, h->allowed * 2, UET_TXWIN_MAX_SLOTS);
		hold_release(s, q, now);
	}
	return looked;
}

void uet_snd_hold_wake(struct uet_snd *s, u32 psn, u64 now)
{
	struct uet_snd_queue *q = hold_queue(s, psn);

	if (!q || !q->hold.on || q->hold.trying)
		return;
	q->hold.level = 0;
	q->hold.allowed = 1;
	hold_release(s, q, now);
}

void uet_snd_hold_expire(struct uet_snd *s, u64 now)
{
	struct uet_snd_queue *q, *next;
	u64 at = 0;

	list_for_each_entry_safe(q, next, &s->holds, hold_node) {
		const struct uet_snd_hold *h = &q->hold;

		if (!h->on || h->trying)
			continue;
		if (now >= h->next)
			hold_release(s, q, now);
		if (h->on && !h->trying)
			at = uet_earliest(at, h->next);
	}
	s->hold_at = at;
}
