// SPDX-License-Identifier: GPL-2.0
/*
 * RCCC, receiver credit, at the destination (UE 1.0 3.6.14). See rccc_pacer.h.
 */
#include "rccc_pacer.h"

/* Rings are circular lists; the head points to the source to serve next. */
static void pacer_ring_add(struct uet_rccc_src **ring, struct uet_rccc_src *s)
{
	struct uet_rccc_src *head = *ring;

	if (!head) {
		s->next = s;
		s->prev = s;
		*ring = s;
		return;
	}
	s->next = head;
	s->prev = head->prev;
	head->prev->next = s;
	head->prev = s;
}

static void pacer_ring_del(struct uet_rccc_src **ring, struct uet_rccc_src *s)
{
	if (s->next == s) {
		*ring = NULL;
	} else {
		s->prev->next = s->next;
		s->next->prev = s->prev;
		if (*ring == s)
			*ring = s->next;
	}
	s->next = NULL;
	s->prev = NULL;
}

static void pacer_leave(struct uet_rccc_pacer *p, struct uet_rccc_src *s)
{
	if (s->ring == UET_RCCC_ACTIVE) {
		pacer_ring_del(&p->active, s);
		p->n_active--;
	} else if (s->ring == UET_RCCC_SATISFIED) {
		pacer_ring_del(&p->satisfied, s);
		p->n_satisfied--;
	}
	s->ring = UET_RCCC_NONE;
}

/* Move a source to the end of a ring. */
static void pacer_put(struct uet_rccc_pacer *p, struct uet_rccc_src *s, u8 ring)
{
	pacer_leave(p, s);
	s->ring = ring;
	if (ring == UET_RCCC_ACTIVE) {
		pacer_ring_add(&p->active, s);
		p->n_active++;
	} else {
		pacer_ring_add(&p->satisfied, s);
		p->n_satisfied++;
	}
}

static u64 pacer_demand(const struct uet_rccc_src *s)
{
	return (u64)uet_credit_step(s->target, s->granted) <<
	       UET_CREDIT_UNIT_SHIFT;
}

/*
 * Time to send @bytes at the pace, which is a little below the line rate, or as low as
 * the network demands.
 */
static u64 pacer_pace_ns(const struct uet_rccc_pacer *p, u64 bytes)
{
	u64 pace = (u64)p->rate_mbps * UET_RCCC_PACE_PCT;

	if (p->yields && unlikely(p->pace.scale < UET_Q16_ONE))
		pace = max_t(u64, pace * p->pace.scale >> 16, 1);
	return div64_u64(bytes * UET_MBPS_NS_PER_BYTE * 100, pace);
}

void uet_rccc_pacer_set(struct uet_rccc_pacer *p, u32 rate_mbps, u64 base_rtt)
{
	p->rate_mbps = rate_mbps ?: UET_RATE_DEFAULT_MBPS;
	p->base_rtt = base_rtt;
	p->max_wnd = max_t(u64, uet_cc_bdp(p->rate_mbps, base_rtt) * 3 / 2,
			   UET_WND_MIN_MTUS * (u64)p->mtu);
}

void uet_rccc_pacer_init(struct uet_rccc_pacer *p, u32 rate_mbps, u64 base_rtt,
			 u32 mtu, u64 now, u64 seed)
{
	memset(p, 0, sizeof(*p));
	p->mtu = mtu;
	p->next_tick = now;
	p->last_rx = now;
	uet_rccc_pace_init(&p->pace, seed);
	uet_rccc_pacer_set(p, rate_mbps, base_rtt);
}

void uet_rccc_pacer_yield(struct uet_rccc_pacer *p, bool on)
{
	if (on && !p->yields)
		uet_rccc_pace_rest(&p->pace);
	p->yields = on;
}

void uet_rccc_src_init(struct uet_rccc_src *s, u64 now)
{
	memset(s, 0, sizeof(*s));
	s->last_rx = now;
}

u32 uet_rccc_grant_quanta(const struct uet_rccc_pacer *p)
{
	u32 bytes = UET_RCCC_GRANT_MTUS * p->mtu;

	return (bytes + UET_CREDIT_UNIT_BYTES - 1) >> UET_CREDIT_UNIT_SHIFT;
}

u32 uet_rccc_start(const struct uet_rccc_pacer *p, u32 target)
{
	u64 wnds = min_t(u64, p->max_wnd, UET_WND_MAX) * UET_RCCC_START_WNDS;
	u32 most = (u32)min_t(u64, wnds >> UET_CREDIT_UNIT_SHIFT,
			      UET_CREDIT_HALF - 1);

	target &= UET_CREDIT_MASK;
	return target > most ? target - most : 0;
}

bool uet_rccc_astray(const struct uet_rccc_pacer *p, u32 granted, u32 target)
{
	u32 limit = (u32)max_t(u64, p->max_wnd * UET_RCCC_SANE_WNDS >>
			       UET_CREDIT_UNIT_SHIFT, UET_RCCC_SANE_MIN);
	u32 ahead = (target - granted) & UET_CREDIT_MASK;
	u32 away = min(ahead, UET_CREDIT_MASK + 1 - ahead);

	/* At any rate, distances of half the 24-bit space mean "behind". */
	return away >= min(limit, UET_CREDIT_HALF / 2);
}

u32 uet_rccc_hint(const struct uet_rccc_pacer *p, u32 granted, u32 target)
{
	u64 most = p->max_wnd >> UET_CREDIT_UNIT_SHIFT;

	if (uet_rccc_astray(p, granted, target))
		return granted;
	return (granted + min_t(u64, uet_credit_step(target, granted), most)) &
	       UET_CREDIT_MASK;
}

/*
 * If the source's target is far from the cumulative grant, its counter has
 * restarted. Set the grant just below the target, so that the next grant
 * reaches it and both ends agree again.
 */
static void pacer_resync(const struct uet_rccc_pacer *p, struct uet_rccc_src *s,
			 u32 target)
{
	if (!uet_rccc_astray(p, s->granted, target))
		return;
	s->granted = (target - uet_rccc_grant_quanta(p)) & UET_CREDIT_MASK;
	s->target = s->granted;
	s->outstanding = 0;
}

/* A stranger is believed to want what it has sent; its count does not restart. */
static u32 pacer_believe(const struct uet_rccc_pacer *p, struct uet_rccc_src *s,
			 u32 target, u32 bytes)
{
	u32 most;

	if (likely(!s->stranger)) {
		s->earned = 0;
		return target;
	}
	s->earned = min(s->earned + bytes, p->max_wnd);
	most = (u32)min_t(u64, s->earned >> UET_CREDIT_UNIT_SHIFT,
			  UET_CREDIT_HALF - 1);
	if (uet_rccc_astray(p, s->granted, target))
		return s->granted;
	return (s->granted + min(uet_credit_step(target, s->granted), most)) &
	       UET_CREDIT_MASK;
}

/* The congestion of a load that is gone does not slow the next one. */
static void pacer_heard(struct uet_rccc_pacer *p, u64 now)
{
	if (!p->active && now > p->last_rx &&
	    now - p->last_rx > UET_RCCC_REST_RTTS * p->base_rtt)
		uet_rccc_pace_rest(&p->pace);
	p->last_rx = max(p->last_rx, now);
}

bool uet_rccc_on_rx(struct uet_rccc_pacer *p, struct uet_rccc_src *s, u64 now,
		    u32 target, u32 bytes)
{
	pacer_heard(p, now);
	s->last_rx = max(s->last_rx, now);
	s->outstanding -= min_t(u64, s->outstanding, bytes);
	s->ahead -= min_t(u64, s->ahead, bytes);
	target = pacer_believe(p, s, target & UET_CREDIT_MASK, bytes);
	pacer_resync(p, s, target);
	if (uet_credit_step(target, s->target))
		s->target = target;
	if (pacer_demand(s)) {
		s->ahead = 0;
		if (s->ring != UET_RCCC_ACTIVE)
			pacer_put(p, s, UET_RCCC_ACTIVE);
	} else if (s->ring == UET_RCCC_NONE) {
		pacer_put(p, s, UET_RCCC_SATISFIED);
	}
	return p->active || p->satisfied;
}

bool uet_rccc_signal(struct uet_rccc_pacer *p, const struct uet_rccc_src *s,
		     u64 now, u8 signal)
{
	return p->yields && !s->stranger && signal != UET_RCCC_NO_SIGNAL &&
	       uet_rccc_pace_heard(&p->pace, now, p->base_rtt, signal);
}

void uet_rccc_remove(struct uet_rccc_pacer *p, struct uet_rccc_src *s)
{
	pacer_leave(p, s);
}

/*
 * A source that wants credit but sends nothing has lost its grants or is gone.
 * The limit is four base RTTs plus the time to send its outstanding credit at
 * its share of the link. Count at most a window, the most credit that a source
 * keeps; otherwise new grants would extend the limit as fast as time passes.
 */
static bool pacer_timed_out(const struct uet_rccc_pacer *p,
			    const struct uet_rccc_src *s, u64 now)
{
	u64 limit = UET_CREDIT_TIMEOUT_RTTS * p->base_rtt +
		    pacer_pace_ns(p, min(s->outstanding, p->max_wnd)) *
		    max_t(u32, p->n_active, 1);

	return now > s->last_rx && now - s->last_rx > limit;
}

static void pacer_give(struct uet_rccc_src *s, u32 quanta,
		       struct uet_rccc_grant *g)
{
	s->granted = (s->granted + quanta) & UET_CREDIT_MASK;
	g->src = s;
	g->credit = s->granted;
	g->bytes = quanta << UET_CREDIT_UNIT_SHIFT;
	s->outstanding += g->bytes;
	s->earned -= min_t(u64, s->earned, g->bytes);
}

/* Grant to the next source with demand, or remove it if it timed out. */
static bool pacer_serve_active(struct uet_rccc_pacer *p, u64 now,
			       struct uet_rccc_grant *g)
{
	struct uet_rccc_src *s = p->active;
	u32 quanta;

	if (pacer_timed_out(p, s, now)) {
		p->written_off += s->outstanding;
		s->outstanding = 0;
		s->target = s->granted;
		pacer_put(p, s, UET_RCCC_SATISFIED);
		return false;
	}
	quanta = min(uet_rccc_grant_quanta(p),
		     uet_credit_step(s->target, s->granted));
	pacer_give(s, quanta, g);
	pacer_put(p, s, pacer_demand(s) ? UET_RCCC_ACTIVE : UET_RCCC_SATISFIED);
	return true;
}

/*
 * No source has demand: grant some credit in advance to a satisfied one. Its target does
 * not tell what it has left of that: while nothing is lacking, it is the last grant.
 */
static bool pacer_serve_satisfied(struct uet_rccc_pacer *p, u64 now,
				  struct uet_rccc_grant *g)
{
	struct uet_rccc_src *s = p->satisfied;

	pacer_put(p, s, UET_RCCC_SATISFIED);
	if (s->stranger || s->ahead >= p->max_wnd || pacer_timed_out(p, s, now))
		return false;
	pacer_give(s, uet_rccc_grant_quanta(p), g);
	s->ahead += g->bytes;
	return true;
}

u32 uet_rccc_tick(struct uet_rccc_pacer *p, u64 now,
		  struct uet_rccc_grant *grants, u32 max, u64 horizon,
		  u64 *next)
{
	u32 idle = p->n_satisfied;
	u32 visits = max;
	u32 n = 0;
	bool given;

	p->next_tick = max(p->next_tick, now);
	while (n < max && visits && p->next_tick - now <= horizon) {
		visits--;
		if (p->active)
			given = pacer_serve_active(p, now, &grants[n]);
		else if (idle && p->satisfied && idle--)
			given = pacer_serve_satisfied(p, now, &grants[n]);
		else
			break;
		if (given)
			p->next_tick += pacer_pace_ns(p, grants[n++].bytes);
	}
	if (n == 0)
		p->next_tick += pacer_pace_ns(p, UET_RCCC_EMPTY_BYTES);
	*next = p->active || n ? p->next_tick : 0;
	return n;
}
