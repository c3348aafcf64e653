// SPDX-License-Identifier: GPL-2.0
/*
 * Posted receives on two processors, whole: a task posts, peeks, claims, reads, shuts down
 * and looks for slots, in sections of rx_lock; between any two of them packets come, valid
 * or not, contexts die, another task cancels, the program takes completions. Each state
 * that can be reached is looked at. What is decided is core/rcv/posted.c, as in rx/ses/post.c.
 *
 * The same with the transitions that the module had first, when a message took a receive
 * before its packet was placed and gave it back if that failed: there a receive must be
 * found that is in the index twice, or the model would see nothing.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../net/uet/core/rcv/posted.h"

#define RECVS	2
#define MSGS	3
#define STATES	(1U << 22)
#define NOBODY	0xff

static const uint8_t lens[MSGS] = { 2, 1, 0 };

struct setup {
	const char *name;
	bool many[RECVS];
	bool claims;		/* the second receive is for what was claimed */
	bool old_way;		/* the transitions that there were */
	uint8_t slots;		/* for messages of receives that take many */
};

static const struct setup *model;
static const char *wrong;	/* what is wrong with a state */

enum where {
	NONE,			/* nothing of it has come */
	ENTERED,		/* in the lists, no packet placed: old transitions only */
	WAITING,		/* in the receive buffer */
	INSIDE,			/* in a receive */
	FILLING,		/* ... and what had come is being copied */
	GONE,
};

struct msg {
	uint8_t where;
	uint8_t rcvd;
	uint8_t recv;
	bool complete;
	bool failed;		/* while it is being copied */
	bool begun;		/* a reader has seen a part of it */
	bool claimed;
};

struct recv {
	struct uet_posted p;
	bool posted;
	bool linked;
	uint8_t order;
	uint8_t told;		/* completions of the receive itself, and of its messages */
	bool last;		/* the last one was told */
};

/* Where the task is between two sections */
enum pc { IDLE, FILL, LOOK, SERVE, SERVE_FILL, READ };

struct state {
	struct recv r[RECVS];
	struct msg m[MSGS];
	uint8_t pc;
	uint8_t pc_recv;
	uint8_t pc_msg;
	uint8_t soft;		/* message of a packet that is to be placed (old), or NOBODY */
	bool soft_bad;
	uint8_t order;
	uint8_t slots;		/* of the program's ring that are free */
	bool dry;
	bool closed;
};

static void bad(const char *what)
{
	if (!wrong)
		wrong = what;
}

/* --- what rx/ses/post.c does, besides the decisions ------------------------------ */

static void link_recv(struct state *s, uint8_t i)
{
	struct recv *r = &s->r[i];

	if (r->linked)
		bad("a receive is in the index twice");
	if (!uet_posted_open(&r->p))
		bad("a receive that is not open is in the index");
	r->linked = true;
	r->order = s->order++;
}

static void tell(struct recv *r, bool ended)
{
	if (r->last)
		bad("something is told of a receive that has ended");
	if (ended != (r->p.state == UET_POSTED_ENDED))
		bad("the last completion is not the last");
	r->last = ended;
	if (r->told++ && !r->p.many)
		bad("a receive is told twice");
}

/* The oldest receive in the index */
static uint8_t find(const struct state *s)
{
	uint8_t i, found = NOBODY;

	for (i = 0; i < RECVS; i++)
		if (s->r[i].linked &&
		    (found == NOBODY || s->r[i].order < s->r[found].order))
			found = i;
	return found;
}

static bool slot(struct state *s, const struct recv *r)
{
	if (!r->p.many)
		return true;
	if (s->slots) {
		s->slots--;
		return true;
	}
	s->dry = true;
	return false;
}

static void take(struct state *s, uint8_t i, uint8_t k)
{
	struct recv *r = &s->r[i];

	if (!uet_posted_open(&r->p)) {
		bad("a message takes a receive that is not open");
		return;
	}
	uet_posted_take(&r->p, lens[k]);
	if (r->p.used > r->p.length)
		bad("more than the buffer holds");
	if (!uet_posted_open(&r->p))
		r->linked = false;
	s->m[k].recv = i;
	s->m[k].where = INSIDE;
}

/* The old way back: nothing of the message came to its place. */
static void vacate(struct state *s, uint8_t i)
{
	struct recv *r = &s->r[i];

	r->p.users--;
	r->p.used = 0;
	r->p.state = UET_POSTED_OPEN;
	link_recv(s, i);
}

static void leave(struct state *s, uint8_t k, bool error)
{
	struct msg *m = &s->m[k];
	struct recv *r = &s->r[m->recv];

	m->where = GONE;
	if (model->old_way && error && !m->rcvd) {
		vacate(s, m->recv);
		return;
	}
	if (!r->p.users) {
		bad("a message leaves a receive that it is not in");
		return;
	}
	tell(r, uet_posted_leave(&r->p));
}

static void end(struct state *s, uint8_t k, bool error)
{
	struct msg *m = &s->m[k];

	m->complete = !error;
	if (m->where == FILLING)
		m->failed = true;	/* it left the socket; the task goes on */
	else
		leave(s, k, error);
}

static bool late(const struct state *s, uint8_t k)
{
	const struct msg *m = &s->m[k];

	if (m->where == ENTERED)
		return !m->begun;
	return m->where == WAITING && uet_posted_late(m->rcvd, m->complete, m->begun, false);
}

static bool place(struct msg *m, uint8_t k)
{
	if (m->rcvd < lens[k])
		m->rcvd++;
	return m->rcvd == lens[k];
}

/* --- softirq ----------------------------------------------------------------- */

/* A packet of a message that has begun */
static void packet_more(struct state *s, uint8_t k, bool good)
{
	struct msg *m = &s->m[k];

	if (m->where == ENTERED)
		m->where = WAITING;
	if (m->where == WAITING) {
		if (good)
			m->complete = place(m, k);
		else if (!m->begun)
			m->where = GONE;
		return;
	}
	if (!good)
		end(s, k, true);
	else if (place(m, k))
		end(s, k, false);
}

/* The first packet of a message: matched and placed in one section */
static bool packet_first(struct state *s, uint8_t k, bool good)
{
	uint8_t i = find(s);

	if (s->closed || (!good && !model->old_way))
		return false;
	if (i != NOBODY && !(s->r[i].p.many && s->dry) && slot(s, &s->r[i]))
		take(s, i, k);
	else
		s->m[k].where = model->old_way ? ENTERED : WAITING;
	if (model->old_way) {
		s->soft = k;
		s->soft_bad = !good;
	} else {
		packet_more(s, k, true);
	}
	return true;
}

static bool packet(struct state *s, uint8_t k, bool good)
{
	struct msg *m = &s->m[k];

	if (s->soft != NOBODY) {
		/* The second section of the old way */
		if (s->soft != k || s->soft_bad == good)
			return false;
		s->soft = NOBODY;
		if (m->where == GONE)
			return true;
		/* The claim took it: it is inside. */
		if (m->where == FILLING && m->failed)
			return true;
		packet_more(s, k, good);
		return true;
	}
	if (m->where == NONE)
		return packet_first(s, k, good);
	if (m->where == GONE || m->complete || m->failed)
		return false;
	packet_more(s, k, good);
	return true;
}

/* The context of a message dies. */
static bool dies(struct state *s, uint8_t k)
{
	struct msg *m = &s->m[k];

	if (s->soft == k || m->where == NONE || m->where == GONE || m->complete || m->failed)
		return false;
	if (m->where == WAITING) {
		if (m->begun)
			return false;
		m->where = GONE;
		return true;
	}
	end(s, k, true);
	return true;
}

static void cancel_recv(struct state *s, uint8_t i)
{
	tell(&s->r[i], uet_posted_cancel(&s->r[i].p));
	s->r[i].linked = false;
}

static bool cancel(struct state *s, uint8_t i)
{
	if (!s->r[i].linked)
		return false;
	cancel_recv(s, i);
	return true;
}

/* --- the task, with the socket locked ---------------------------------------- */

static uint8_t waiting(const struct state *s, uint8_t i)
{
	bool claimed = model->claims && i == 1;
	uint8_t k;

	for (k = 0; k < MSGS; k++)
		if (late(s, k) && s->m[k].claimed == claimed &&
		    (claimed || !s->dry || find(s) == NOBODY))
			return k;
	return NOBODY;
}

/* One section of uet_rxpost_add(): take what waits, or end */
static void look(struct state *s, uint8_t i)
{
	struct recv *r = &s->r[i];
	uint8_t k = uet_posted_open(&r->p) ? waiting(s, i) : NOBODY;

	s->pc = IDLE;
	if (k != NOBODY && slot(s, r)) {
		take(s, i, k);
		s->m[k].where = FILLING;
		s->pc = FILL;
		s->pc_recv = i;
		s->pc_msg = k;
		return;
	}
	if (!uet_posted_open(&r->p))
		return;
	if (model->claims && i == 1)
		tell(r, uet_posted_cancel(&r->p));	/* ENOMSG */
	else
		link_recv(s, i);
}

static bool post(struct state *s, uint8_t i)
{
	if (s->pc != IDLE || s->r[i].posted || s->closed)
		return false;
	s->r[i].posted = true;
	uet_posted_init(&s->r[i].p, model->many[i] ? 3 : 2, model->many[i] ? 2 : 0);
	look(s, i);
	return true;
}

static bool claim(struct state *s)
{
	uint8_t k;

	if (s->pc != IDLE || !model->claims)
		return false;
	k = waiting(s, 0);
	if (k == NOBODY)
		return false;
	s->m[k].claimed = true;
	return true;
}

/* One section of uet_post_serve() */
static void serve(struct state *s)
{
	uint8_t k, i = find(s);

	s->pc = IDLE;
	if (!s->dry || s->closed)
		return;
	for (k = 0; k < MSGS && i != NOBODY; k++) {
		if (!late(s, k) || s->m[k].claimed)
			continue;
		if (!slot(s, &s->r[i]))
			return;
		take(s, i, k);
		s->m[k].where = FILLING;
		s->pc = SERVE_FILL;
		s->pc_msg = k;
		return;
	}
	s->dry = false;
}

/* What had come is copied. */
static void filled(struct state *s)
{
	struct msg *m = &s->m[s->pc_msg];

	m->where = INSIDE;
	if (m->failed)
		leave(s, s->pc_msg, !m->complete);
	else if (m->rcvd == lens[s->pc_msg] && (m->rcvd || m->complete))
		end(s, s->pc_msg, false);
}

static bool shut(struct state *s)
{
	uint8_t i, k;

	if (s->pc != IDLE || s->closed)
		return false;
	s->closed = true;
	for (k = 0; k < MSGS; k++) {
		if (s->m[k].where == INSIDE)
			end(s, k, true);
		else if (s->m[k].where == WAITING && !s->m[k].complete)
			s->m[k].where = GONE;
	}
	for (i = 0; i < RECVS; i++)
		if (s->r[i].linked)
			cancel_recv(s, i);
	s->dry = false;
	return true;
}

/* The task goes on, or begins something. */
static bool task(struct state *s, uint8_t what)
{
	uint8_t k;

	switch (what) {
	case 0:
		switch (s->pc) {
		case FILL:
			filled(s);
			s->pc = LOOK;
			return true;
		case LOOK:
			look(s, s->pc_recv);
			return true;
		case SERVE_FILL:
			filled(s);
			s->pc = SERVE;
			return true;
		case SERVE:
			serve(s);
			return true;
		case READ:
			k = s->pc_msg;
			if (s->m[k].complete)
				s->m[k].where = GONE;
			s->pc = IDLE;
			return true;
		}
		return false;
	case 1:
		return claim(s);
	case 2:
		return shut(s);
	case 3:			/* poll() */
		if (s->pc != IDLE || !s->dry)
			return false;
		serve(s);
		return true;
	case 4:			/* a reader takes the first message */
		for (k = 0; k < MSGS && s->m[k].where != WAITING; k++)
			;
		if (s->pc != IDLE || k == MSGS || s->m[k].claimed)
			return false;
		s->m[k].begun = true;
		s->pc = READ;
		s->pc_msg = k;
		return true;
	}
	return false;
}

/* --- all of it --------------------------------------------------------------- */

#define STEPS	(2 * MSGS + MSGS + RECVS + RECVS + 5 + 1)

static bool step(struct state *s, unsigned int what)
{
	if (what < 2 * MSGS)
		return packet(s, what / 2, what % 2);
	what -= 2 * MSGS;
	if (what < MSGS)
		return dies(s, what);
	what -= MSGS;
	if (what < RECVS)
		return cancel(s, what);
	what -= RECVS;
	if (what < RECVS)
		return post(s, what);
	what -= RECVS;
	if (what < 5)
		return task(s, what);
	/* The program takes a completion. */
	if (s->slots == model->slots)
		return false;
	s->slots++;
	return true;
}

/* What must hold between any two sections */
static void check(const struct state *s)
{
	uint8_t i, k, users;

	for (i = 0; i < RECVS; i++) {
		const struct recv *r = &s->r[i];
		bool mine = (s->pc == FILL || s->pc == LOOK) && s->pc_recv == i;

		if (!r->posted)
			continue;
		for (users = 0, k = 0; k < MSGS; k++)
			users += (s->m[k].where == INSIDE || s->m[k].where == FILLING) &&
				 s->m[k].recv == i;
		if (users != r->p.users)
			bad("messages are counted wrong");
		if (r->linked && mine)
			bad("two have a receive");
		if (uet_posted_open(&r->p) && !r->linked && !mine)
			bad("an open receive that nobody has");
		if (r->linked && !uet_posted_open(&r->p))
			bad("a message may match a receive that is not open");
		if (r->p.many && uet_posted_open(&r->p) &&
		    r->p.length - r->p.used < r->p.least)
			bad("a receive is open that has no room");
		if (r->p.state == UET_POSTED_CLOSED && !users)
			bad("a receive that never ends");
		if ((r->p.state == UET_POSTED_ENDED) != r->last)
			bad("the end of a receive is not told");
		/* Nothing is missed. */
		if (!r->linked || s->dry)
			continue;
		for (k = 0; k < MSGS; k++)
			if (late(s, k) && !s->m[k].claimed)
				bad("a message waits that a receive wants");
	}
}

static struct state *states;
static uint32_t *table;		/* index + 1 by hash */
static uint32_t nr_states;

static void add(const struct state *s)
{
	const uint8_t *p = (const uint8_t *)s;
	uint64_t h = 0xcbf29ce484222325ULL;
	uint32_t at;
	size_t i;

	for (i = 0; i < sizeof(*s); i++)
		h = (h ^ p[i]) * 0x100000001b3ULL;
	at = (h ^ h >> 32) % (2 * STATES);
	while (table[at]) {
		if (!memcmp(&states[table[at] - 1], s, sizeof(*s)))
			return;
		at = (at + 1) % (2 * STATES);
	}
	if (nr_states == STATES) {
		fprintf(stderr, "%s: too many states\n", model->name);
		exit(1);
	}
	memcpy(&states[nr_states], s, sizeof(*s));
	table[at] = ++nr_states;
}

/* Look at all states. Returns what is wrong with one of them, or NULL. */
static const char *explore(const struct setup *setup)
{
	struct state s;
	unsigned int what;
	uint32_t i;

	model = setup;
	wrong = NULL;
	nr_states = 0;
	memset(table, 0, 2 * STATES * sizeof(*table));
	memset(&s, 0, sizeof(s));
	s.soft = NOBODY;
	s.slots = model->slots;
	add(&s);
	for (i = 0; i < nr_states && !wrong; i++)
		for (what = 0; what < STEPS && !wrong; what++) {
			memcpy(&s, &states[i], sizeof(s));
			if (!step(&s, what))
				continue;
			if (s.pc == IDLE)
				s.pc_recv = s.pc_msg = 0;
			/* Of the old way only how it ends */
			if (!model->old_way)
				check(&s);
			add(&s);
		}
	return wrong;
}

static const struct setup setups[] = {
	{ "two receives", .slots = 1 },
	{ "one for what was claimed", .claims = true, .slots = 1 },
	{ "one for many", .many = { true, false }, .slots = 1 },
	{ "one for many, later", .many = { false, true }, .slots = 2 },
	{ "two for many", .many = { true, true }, .slots = 1 },
	{ "many, claimed", .many = { true, false }, .claims = true, .slots = 2 },
};

static const struct setup old = { "as it was", .old_way = true, .slots = 1 };

int main(void)
{
	const char *what;
	bool ok = true;
	unsigned int i;

	states = malloc(STATES * sizeof(*states));
	table = malloc(2 * STATES * sizeof(*table));
	if (!states || !table)
		return 1;
	for (i = 0; i < sizeof(setups) / sizeof(*setups); i++) {
		what = explore(&setups[i]);
		printf("# posted, %s: %u states%s%s\n", setups[i].name, nr_states,
		       what ? ": " : "", what ?: "");
		ok &= !what;
	}
	what = explore(&old);
	printf("# posted, %s: %s\n", old.name, what ?: "nothing is found");
	ok &= what && strstr(what, "twice");
	printf("%sok posted receives\n", ok ? "" : "not ");
	return !ok;
}
