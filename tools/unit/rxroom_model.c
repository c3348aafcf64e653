// SPDX-License-Identifier: GPL-2.0
/* What the parties of the model do, see rxroom_model.h */
#include <stdio.h>
#include <string.h>

#include "../../net/uet/core/rcv/rxroom.h"
#include "rxroom_model.h"

#define SCAN		8

const struct setup *model;
unsigned long model_forgotten;

/* The same numbers below n in each run of a program */
uint32_t model_rnd(uint32_t n)
{
	static uint64_t seed = 1;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 32) % n;
}

static int len(int i)
{
	return model->m[i].len;
}

static void drop(uint8_t *list, uint8_t *n, int who)
{
	int i, k = 0;

	for (i = 0; i < *n; i++)
		if (list[i] != who)
			list[k++] = list[i];
	memset(list + k, 0, *n - k);
	*n = k;
}

static void insert(uint8_t *list, uint8_t *n, int at, int who)
{
	memmove(list + at + 1, list + at, *n - at);
	list[at] = who;
	++*n;
}

/* What a packet takes */
static int fat(void)
{
	return PKT + model->more;
}

static int held_bytes(const struct msg *m)
{
	return __builtin_popcount(m->got) * fat() - m->read * fat() + ENTRY;
}

static int prefix(const struct msg *m)
{
	return __builtin_ctz(~(unsigned int)m->got);
}

static bool incomplete(const struct msg *m)
{
	return m->open && !m->complete;
}

static int shared(const struct state *s)
{
	int i, sum = 0;

	for (i = 0; i < model->msgs; i++)
		if (s->m[i].open && !s->m[i].right && !model->m[i].posted)
			sum += held_bytes(&s->m[i]);
	return sum;
}

static int used(const struct state *s)
{
	int i, sum = 0;

	for (i = 0; i < model->msgs; i++)
		if (s->m[i].open && !model->m[i].posted)
			sum += held_bytes(&s->m[i]);
	return sum;
}

static bool readable(const struct state *s)
{
	const struct msg *m = &s->m[s->list[0]];

	return s->nlist && (m->complete || prefix(m) > m->read);
}

/* --- destination, as rx/ses/rxmem.c and rx/ses/rxmsg.c ----------------------------------- */

static int mixed_bytes(const struct state *s)
{
	int i, sum = 0;

	for (i = 0; i < model->msgs; i++)
		if (s->m[i].mixed)
			sum += held_bytes(&s->m[i]);
	return sum;
}

/* The message of the line that has a right, not those mixed with it */
static bool line_first(const struct state *s, int but)
{
	int i;

	for (i = 0; i < model->msgs; i++)
		if (model->line && i != but && s->m[i].right && !s->m[i].mixed)
			return true;
	return false;
}

static bool older(const struct state *s, int a, int b)
{
	return model->m[a].pdc == model->m[b].pdc && s->m[a].psn < s->m[b].psn;
}

static enum uet_rxroom_rival rival(const struct state *s, int who)
{
	enum uet_rxroom_rival r = UET_RIVAL_NONE;
	int i;

	for (i = 0; i < model->msgs; i++)
		if (!model->line && i != who && s->m[i].right &&
		    model->m[i].pdc == model->m[who].pdc)
			r |= uet_rxroom_rival(s->m[i].ready,
					      older(s, who, i));
	return r;
}

static bool posted_overtook(const struct state *s, int who)
{
	int i;

	for (i = 0; i < model->msgs; i++)
		if (model->m[i].posted && s->m[i].open && older(s, who, i))
			return true;
	return false;
}

static bool first_in_line(struct state *s, int who)
{
	int i = 0, seen = 0;

	while (i < s->nline) {
		int it = s->line[i];

		if (it == who)
			return true;
		if (seen++ == SCAN)
			return false;
		if (older(s, who, it)) {
			i++;
			continue;
		}
		if (!s->m[it].silent)
			return false;
		s->m[it].absent = true;
		drop(s->line, &s->nline, it);
	}
	return true;
}

static void describe(const struct state *s, int who, struct uet_rxroom_msg *m)
{
	*m = (struct uet_rxroom_msg){
		.len = len(who) * PKT,
		.read = s->m[who].read * PKT,
		.bytes = s->m[who].open ? held_bytes(&s->m[who]) : 0,
		.rival = rival(s, who),
		.posted = posted_overtook(s, who),
	};
}

static void rights(const struct state *s, struct uet_rxroom *room)
{
	int i;

	if (mixed_bytes(s))
		room->rights += UET_RXROOM_MIXED;
	for (i = 0; i < model->msgs; i++) {
		bool right = s->m[i].right && !s->m[i].mixed;

		room->rights += right;
		room->alive |= right && !s->m[i].silent;
	}
}

static bool may_grant(struct state *s, int who)
{
	struct uet_rxroom room = {
		.half = s->half * PKT,
		.shared = shared(s),
		.used = used(s),
		.readable = readable(s),
	};
	struct uet_rxroom_msg m;

	if (s->m[who].absent) {
		s->m[who].absent = false;
		insert(s->line, &s->nline, s->nline, who);
	}
	rights(s, &room);
	describe(s, who, &m);
	if (line_first(s, who))
		return uet_rxroom_mix(&room, &m, mixed_bytes(s));
	if (mixed_bytes(s))
		return uet_rxroom_line_right(&room, &m);
	m.first = !room.alive && first_in_line(s, who);
	return uet_rxroom_right(&room, &m);
}

static void grant(struct state *s, int who)
{
	if (s->m[who].right)
		return;
	s->m[who].mixed = line_first(s, who);
	s->m[who].right = true;
	s->m[who].absent = false;
	drop(s->line, &s->nline, who);
}

static void make_ready(struct state *s, int who)
{
	if (s->m[who].ready)
		return;
	s->m[who].ready = true;
	insert(s->list, &s->nlist, s->nlist, who);
}

static void hand_over(struct state *s, int who)
{
	struct uet_rxroom room = {
		.half = s->half * PKT,
		.shared = shared(s),
	};
	const struct msg *m = &s->m[who];
	struct uet_rxroom_msg facts;

	rights(s, &room);
	describe(s, who, &facts);
	if (m->ready || prefix(m) == m->read ||
	    !uet_rxroom_hand_over(&room, &facts, m->right) ||
	    (!m->right && line_first(s, who) &&
	     !uet_rxroom_mix(&room, &facts, mixed_bytes(s))))
		return;
	grant(s, who);
	make_ready(s, who);
}

static void left(struct state *s, int who)
{
	bool right = s->m[who].right;
	int i;

	s->m[who].mixed = false;
	s->m[who].right = false;
	s->m[who].absent = false;
	drop(s->line, &s->nline, who);
	if (!right)
		return;
	for (i = 0; i < model->msgs; i++)
		if (s->m[i].right && !s->m[i].mixed && !s->m[i].complete)
			hand_over(s, i);
	if (s->nline)
		hand_over(s, s->line[0]);
}

/* With the next packet it counts what the program has asked for. */
static void resize(struct state *s)
{
	bool begun = false;
	int i, nr = 0;

	for (i = 0; i < model->msgs; i++) {
		nr += s->m[i].right;
		begun |= incomplete(&s->m[i]) && !model->m[i].posted;
	}
	s->half = uet_rxroom_resize(s->half * PKT, s->want * PKT, shared(s), nr,
				    begun) / PKT;
}

static bool enter(struct state *s, int who)
{
	int i, at, half;

	resize(s);
	half = s->half * PKT;
	if (shared(s) + ENTRY > half + half / 8 && !may_grant(s, who))
		return false;
	at = s->nline;
	for (i = s->nline - 1; i >= 0 && i >= s->nline - SCAN; i--)
		if (older(s, who, s->line[i]))
			at = i;
	insert(s->line, &s->nline, at, who);
	s->m[who].open = true;
	return true;
}

static bool admit(struct state *s, int who, int idx)
{
	struct uet_rxroom room = { .shared = shared(s) };
	struct uet_rxroom_msg m;

	resize(s);
	room.half = s->half * PKT;
	describe(s, who, &m);
	if (!s->m[who].right) {
		if (uet_rxroom_shared(&room, &m, fat()))
			return true;
		if (!may_grant(s, who))
			return false;
		grant(s, who);
	}
	return uet_rxroom_within(&room, &m, (idx + 1) * PKT, fat(),
				 idx == prefix(&s->m[who])) &&
	       (!s->m[who].mixed ||
		mixed_bytes(s) + fat() <= UET_RXROOM_MIXED * s->half * PKT);
}

/* A packet of an ordered line was refused: for good? */
static bool line_full(const struct state *s, int who)
{
	struct uet_rxroom room = { .readable = readable(s) };
	bool others = line_first(s, who);
	int i, line = line_first(s, MSGS);

	rights(s, &room);
	for (i = 0; i < model->msgs; i++)
		others |= s->m[i].mixed && i != who;
	if (mixed_bytes(s))
		line += UET_RXROOM_MIXED;
	return model->line && uet_rxroom_line_full(&room, line, others);
}

static void forget(struct state *s, int who)
{
	struct msg *m = &s->m[who];

	if (m->open && !m->complete)
		left(s, who);
	m->open = false;
	m->mixed = false;
	m->right = false;
	m->ready = false;
	m->absent = false;
	m->silent = false;
	m->got = 0;
}

/* A packet was refused: is its message sent back? */
static bool send_back(struct state *s, int pdc, int at, int who)
{
	struct msg *m = &s->m[who];
	struct uet_rxroom_nacked r = {
		.half = s->half * PKT,
		.len = len(who) * PKT,
		.range = model->range,
		.rival = rival(s, who),
		.posted = posted_overtook(s, who),
		.covered = m->open && m->psn < 0,
	};
	int i;

	for (i = at; i < s->n[pdc]; i++)
		if (s->seq[pdc][i].state >= HELD)
			r.beyond = i - at;
	if (!uet_rxroom_send_back(&r) ||
	    (m->open && m->ready))
		return false;
	model_forgotten += r.covered && r.beyond < r.range / 2;
	forget(s, who);
	m->buried = true;
	return true;
}

/* Its reader has all of it. */
static void ended(struct state *s, int who)
{
	s->m[who] = (struct msg){ .gone = true, .sent = len(who), .all_sent = true };
}

static bool place(struct state *s, int who, int idx)
{
	struct msg *m = &s->m[who];

	if (!model->m[who].posted && !admit(s, who, idx))
		return false;
	m->got |= 1 << idx;
	m->silent = false;
	if (model->m[who].posted) {
		if (__builtin_popcount(m->got) == len(who))
			ended(s, who);
		return true;
	}
	if (__builtin_popcount(m->got) == len(who)) {
		m->complete = true;
		make_ready(s, who);
		left(s, who);
	} else {
		hand_over(s, who);
	}
	return true;
}

/* Returns false if the packet was refused. */
static bool arrive(struct state *s, int pdc, int at)
{
	struct pkt *p = &s->seq[pdc][at];
	struct msg *m = &s->m[p->msg];

	if (m->buried || p->idx == THE_END)
		return true;
	if (!m->open || at < m->psn)
		m->psn = at;
	if (model->m[p->msg].posted)
		m->open = true;
	if (m->open || enter(s, p->msg)) {
		if (place(s, p->msg, p->idx))
			return true;
		m->silent = false;
	}
	if (line_full(s, p->msg)) {
		if (m->ready)
			drop(s->list, &s->nlist, p->msg);
		forget(s, p->msg);
		m->buried = true;
		m->dropped = true;
		return true;
	}
	if (!model->line && send_back(s, pdc, at, p->msg))
		return true;
	if (m->open && !m->got)
		forget(s, p->msg);
	return false;
}

/* --- source, as core/snd/snd_hold.c -------------------------------------------------- */

static void hold_release(struct state *s, int dest)
{
	int p, i;

	s->trying[dest] = false;
	s->try_psn[dest] = 0;
	for (p = 0; p < PDCS; p++) {
		for (i = 0; i < s->n[p]; i++) {
			struct pkt *k = &s->seq[p][i];

			if (k->state != HELD || model->m[k->msg].dest != dest)
				continue;
			k->state = FLIGHT;
			s->trying[dest] = true;
			s->try_psn[dest] = i;
			return;
		}
	}
	s->on[dest] = false;
}

static void refuse(struct state *s, int pdc, int at)
{
	int dest = model->m[s->seq[pdc][at].msg].dest;

	s->seq[pdc][at].state = HELD;
	if (s->on[dest] && (!s->trying[dest] || at > s->try_psn[dest]))
		return;
	s->on[dest] = true;
	s->trying[dest] = false;
	s->try_psn[dest] = 0;
}

static bool sending(const struct state *s, int who)
{
	return s->m[who].sent && !s->m[who].all_sent;
}

static void begin_again(struct state *s, int who)
{
	struct msg *m = &s->m[who];
	int i, at = 0;

	m->sent = 0;
	m->all_sent = false;
	m->again = false;
	m->buried = false;
	for (i = 0; i < s->nq; i++)
		if (model->m[s->queue[i]].dest == model->m[who].dest &&
		    sending(s, s->queue[i]))
			at = i + 1;
	insert(s->queue, &s->nq, at, who);
}

/* CACK moves over what was taken. PSNs are counted from there; of the ones below
 * only the order matters.
 */
static void cack(struct state *s, int pdc)
{
	int i, k, n = 0, who;

	while (n < s->n[pdc] && s->seq[pdc][n].state == TAKEN)
		n++;
	if (!n)
		return;
	for (i = 0; i < model->msgs; i++) {
		if (model->m[i].pdc != pdc)
			continue;
		s->m[i].psn -= n;
	}
	for (i = 0; i < model->msgs; i++) {
		bool seen = false;

		for (k = 0; k < i; k++)
			seen |= model->m[k].dest == model->m[i].dest;
		if (!seen && model->m[i].pdc == pdc && s->trying[model->m[i].dest])
			s->try_psn[model->m[i].dest] -= n;
	}
	for (i = 0; i < n; i++) {
		bool last = true;

		who = s->seq[pdc][i].msg;
		for (k = i + 1; k < s->n[pdc]; k++)
			last &= s->seq[pdc][k].msg != who;
		if (last && s->m[who].again)
			s->seq[pdc][i].state = LOST;	/* mark */
	}
	for (i = 0; i < n; i++)
		if (s->seq[pdc][i].state == LOST)
			begin_again(s, s->seq[pdc][i].msg);
	memmove(s->seq[pdc], s->seq[pdc] + n,
		(s->n[pdc] - n) * sizeof(struct pkt));
	s->n[pdc] -= n;
	memset(s->seq[pdc] + s->n[pdc], 0, n * sizeof(struct pkt));
}

/* May this queue not go on for what others of its ordered line do? */
static bool line_waits(const struct state *s, int who)
{
	int i;

	for (i = 0; model->line && i < model->msgs; i++)
		if (s->on[i] || (!model->mixing && sending(s, i) &&
				 model->m[i].dest != model->m[who].dest))
			return true;
	return false;
}

static void append(struct state *s, int who, int idx)
{
	int p = model->m[who].pdc;

	s->seq[p][s->n[p]++] = (struct pkt){ who, idx, FLIGHT };
}

static void answered(struct state *s, int pdc, int at)
{
	int who = s->seq[pdc][at].msg, dest = model->m[who].dest;
	struct msg *m = &s->m[who];

	s->seq[pdc][at].state = TAKEN;
	if (m->buried && !m->dropped && !m->again) {
		m->again = true;
		s->on[dest] = true;		/* the pause */
		if (!m->all_sent) {
			m->all_sent = true;
			drop(s->queue, &s->nq, who);
			append(s, who, THE_END);
		}
	}
	if (s->on[dest] && s->trying[dest] && s->try_psn[dest] == at)
		hold_release(s, dest);
	cack(s, pdc);
}

/* Does the program wait for the end of a message that it has a receive for? */
static bool filling(const struct state *s)
{
	int i;

	for (i = 0; model->waits && i < model->msgs; i++)
		if (model->m[i].posted && s->m[i].open)
			return true;
	return false;
}

/* --- steps -------------------------------------------------------------------- */

/* Do step (@what, @a, @b); false if it is none now. */
bool model_step(struct state *s, int what, int a, int b)
{
	struct pkt *p = &s->seq[a % PDCS][b];
	int i, who;

	switch (what) {
	case DELIVER:
		if (b >= s->n[a] || p->state != FLIGHT || (model->line && b))
			return false;
		if (arrive(s, a, b))
			answered(s, a, b);
		else
			refuse(s, a, b);
		return true;
	case LOSE:
		if (b >= s->n[a] || p->state != FLIGHT || !s->losses)
			return false;
		s->losses--;
		who = model->m[p->msg].dest;
		p->state = s->on[who] && !(s->trying[who] &&
					   b <= s->try_psn[who]) ? HELD : LOST;
		return true;
	case RETRANSMIT:
		if (b >= s->n[a] || p->state != LOST)
			return false;
		p->state = FLIGHT;
		return true;
	case SEND:		/* by dest @a */
		for (i = 0; i < s->nq && model->m[s->queue[i]].dest != a; i++)
			;
		if (i == s->nq || s->on[a] || b)
			return false;
		who = s->queue[i];
		if (s->n[model->m[who].pdc] >= model->range || line_waits(s, who))
			return false;
		append(s, who, s->m[who].sent++);
		if (s->m[who].sent == len(who)) {
			s->m[who].all_sent = true;
			drop(s->queue, &s->nq, who);
		}
		return true;
	case TRY:
		if (b || !s->on[a] || s->trying[a])
			return false;
		hold_release(s, a);
		return true;
	case READ:
		if (a || b || !readable(s) || filling(s))
			return false;
		who = s->list[0];
		if (++s->m[who].read < len(who))
			return true;
		ended(s, who);
		drop(s->list, &s->nlist, who);
		return true;
	case WAIT:		/* nothing comes of anybody for a while */
		if (a || b)
			return false;
		for (i = 0; i < model->msgs; i++)
			s->m[i].silent = incomplete(&s->m[i]);
		return true;
	case RESIZE:
		if (a || b || !s->resizes)
			return false;
		s->resizes--;
		s->want ^= model->half ^ model->other;
		return true;
	}
	return false;
}

void model_begin(struct state *s)
{
	int i;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < model->msgs; i++)
		insert(s->queue, &s->nq, s->nq, i);
	s->losses = model->losses;
	s->resizes = model->resizes;
	s->half = model->half;
	s->want = model->half;
}

bool model_all_read(const struct state *s)
{
	int i;

	for (i = 0; i < model->msgs; i++)
		if (!s->m[i].gone && !(model->mixing && s->m[i].dropped))
			return false;
	return true;
}

/* Two states that differ in nothing that matters are to be equal. */
void model_normalise(struct state *s)
{
	int i, k, rank[MSGS];

	for (i = 0; i < model->msgs; i++) {
		rank[i] = 0;
		if (!s->m[i].open || s->m[i].complete)
			continue;
		for (k = 0; k < model->msgs; k++)
			rank[i] -= incomplete(&s->m[k]) && s->m[k].psn < 0 &&
				   s->m[i].psn < 0 && !older(s, k, i) &&
				   model->m[k].pdc == model->m[i].pdc;
	}
	for (i = 0; i < model->msgs; i++)
		if (!incomplete(&s->m[i]))
			s->m[i].psn = 0;
		else if (s->m[i].psn < 0)
			s->m[i].psn = rank[i];
}

/* Does the buffer hold more than it may, or was an honest message refused? */
bool model_wrong(const struct state *s)
{
	int i, sum = 0;
	bool bad = false;

	for (i = 0; i < model->msgs; i++) {
		bad |= s->m[i].dropped && !model->mixing;
		if (s->m[i].open && !model->m[i].posted)
			sum += held_bytes(&s->m[i]) - ENTRY;
	}
	return bad || sum > (2 + UET_RXROOM_RIGHTS) * fat() *
			    (model->half > model->other ? model->half : model->other);
}

void model_show(const struct state *s)
{
	static const char * const where[] = {
		"", "in flight", "lost", "held", "taken",
	};
	int i, k;

	for (i = 0; i < model->msgs; i++) {
		const struct msg *m = &s->m[i];

		printf("# message %d: sent %d%s%s%s%s%s%s%s%s got %x read %d psn %d\n",
		       i, m->sent, m->all_sent ? " all" : "",
		       m->again ? " again" : "", m->buried ? " buried" : "",
		       m->right ? " right" : "", m->ready ? " ready" : "",
		       m->complete ? " complete" : "", m->gone ? " gone" : "",
		       s->on[model->m[i].dest] ? " hold" : "", m->got, m->read,
		       m->psn);
	}
	for (k = 0; k < PDCS; k++)
		for (i = 0; i < s->n[k]; i++)
			printf("# pdc %d psn %d: message %d packet %d %s\n", k, i,
			       s->seq[k][i].msg, s->seq[k][i].idx,
			       where[s->seq[k][i].state]);
}
