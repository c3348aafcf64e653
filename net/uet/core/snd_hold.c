// SPDX-License-Identifier: GPL-2.0
/*
 * Holds: a target NACKed packets of a queue for shortage, for example since its
 * reader is slow (see "Rules of this module" in uet-internals.rst).
 *
 * Packets of a queue on hold are neither sent nor declared lost, except for one
 * that is tried alone after a growing pause. Once it arrives the number of
 * packets allowed in flight starts at one and doubles per round trip. Shortage
 * never fails a message, however long the reader pauses.
 *
 * A target that answers NO_MATCH took the packets but not the message: no
 * packet is held, but new ones pause in the same way.
 */
#include "snd.h"
#include "snd_priv.h"

/* Longest pause between two tries, ns */
#define HOLD_MAX_NS		128000000ULL
/* ... while the PDC is in SYN; a part of it is random */
#define HOLD_OPEN_MAX_NS	1000000000ULL
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

/* Next held PSN of a queue, from @psn on */
static bool hold_next(const struct uet_snd *s, const struct uet_snd_queue *q,
		      u32 *psn)
{
	u32 from = *psn;

	while (uet_txwin_next_held(&s->win, from, psn)) {
		if (hold_queue(s, *psn) == q)
			return true;
		from = *psn + 1;
	}
	return false;
}

static void hold_schedule(struct uet_snd *s, u64 at)
{
	s->hold_at = uet_earliest(s->hold_at, at);
	uet_snd_wake(s, s->hold_at);
}

static void hold_over(struct uet_snd_hold *h, u64 now)
{
	h->held_ns += now - h->since;
	h->on = false;
}

static void hold_begin(struct uet_snd *s, struct uet_snd_queue *q, u64 now)
{
	struct uet_snd_hold *h = &q->hold;

	h->on = true;
	h->since = now;
	h->ramp = false;
	if (list_empty(&q->hold_node)) {
		h->level = 0;
		list_add_tail(&q->hold_node, &s->holds);
	}
	uet_snd_step_out(s, q, now);
}

static u64 hold_pause(struct uet_snd *s, const struct uet_snd_hold *h)
{
	u64 ns = READ_ONCE(s->flow->rules->nack_retx_us) * SND_NS_PER_US;

	ns <<= h->level;
	if (s->state != UET_PDC_SYN)
		return min_t(u64, ns, HOLD_MAX_NS);
	/* The target is short of PDCs: many hosts may wait for one. */
	ns = min_t(u64, ns, HOLD_OPEN_MAX_NS);
	s->prng = uet_mix32(s->prng + 1);
	return ns - (s->prng * (ns / 4 + 1) >> 32);
}

/* Begin the pause before the next try. */
static void hold_wait(struct uet_snd *s, struct uet_snd_hold *h, u64 now)
{
	h->trying = false;
	h->allowed = 1;
	h->next = now + hold_pause(s, h);
	hold_schedule(s, h->next);
}

struct uet_snd_queue *uet_snd_hold(struct uet_snd *s, u32 psn, u64 now)
{
	struct uet_snd_queue *q = hold_queue(s, psn);
	bool begins = q && !q->hold.on;
	struct uet_snd_hold *h;

	if (!q || unlikely(hold_given_up(s, psn)) ||
	    !uet_txwin_hold(&s->win, psn))
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
	hold_wait(s, h, now);
	return begins ? q : NULL;
}

void uet_snd_hold_clear(struct uet_snd_queue *q, u64 now)
{
	u64 held_ns = uet_snd_held_ns(q, now);

	memset(&q->hold, 0, sizeof(q->hold));
	q->hold.held_ns = held_ns;
	list_del_init(&q->hold_node);
}

void uet_snd_hold_lost(struct uet_snd *s, u32 psn)
{
	const struct uet_snd_queue *q = hold_queue(s, psn);

	if (!q || !q->hold.on ||
	    (q->hold.trying && !psn_after(psn, q->hold.psn)) ||
	    hold_given_up(s, psn))
		return;
	uet_txwin_hold(&s->win, psn);
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
	u32 psn = s->win.una, n = h->allowed;

	h->trying = false;
	while (n && hold_next(s, q, &psn)) {
		uet_txwin_unhold(&s->win, psn);
		h->psn = psn++;
		h->trying = true;
		n--;
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
		if (h->on)
			hold_over(h, now);
		h->ramp = h->allowed < HOLD_RAMP_END && !s->rod;
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
	u32 psn = s->win.una;

	while (hold_next(s, q, &psn)) {
		if (hold_given_up(s, psn))
			uet_txwin_unhold(&s->win, psn);
		psn++;
	}
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
		if (tried)
			h->until = now + hold_pause(s, h);
		return false;
	}
	hold_begin(s, q, now);
	if (tried && h->level < HOLD_LEVEL_MAX)
		h->level++;
	hold_wait(s, h, now);
	return true;
}

void uet_snd_hold_acked(struct uet_snd *s, u64 now)
{
	struct uet_snd_queue *q, *next;

	list_for_each_entry_safe(q, next, &s->holds, hold_node) {
		struct uet_snd_hold *h = &q->hold;

		if (!h->trying)
			continue;
		if (uet_txwin_has(&s->win, h->psn) &&
		    !uet_txwin_is_sacked(&s->win, h->psn))
			continue;
		h->level = 0;
		h->allowed = min_t(u32, h->allowed * 2, UET_TXWIN_MAX_SLOTS);
		hold_release(s, q, now);
	}
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
