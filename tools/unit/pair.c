// SPDX-License-Identifier: GPL-2.0
/*
 * Runs of two endpoints over a hostile wire: usage: uet-pair PACKETS [SEED [CASE]].
 * Prints KTAP. Each case goes on until it has sent its share of the packets; with
 * SEED it runs once. PAIR_TRACE=1 in the environment shows what happens.
 */
#include <stdarg.h>
#include <string.h>

#include "pair.h"

void pair_trace(const struct pair_host *h, const char *fmt, ...)
{
	static int on = -1;
	va_list args;

	if (on < 0)
		on = !!getenv("PAIR_TRACE");
	if (!on)
		return;
	printf("# %llu host %d ", (unsigned long long)h->pair->now, h->nr);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

void pair_fail(struct pair *p, const char *what, uint32_t n)
{
	if (!p->failed)
		printf("# %s (%u) at %llu ns\n", what, n,
		       (unsigned long long)p->now);
	p->failed = true;
}

static void arrive(struct pair *p, struct pair_packet *pk)
{
	struct uet_pkt pkt;
	int err;

	if (pk->trimmed)
		err = uet_pkt_parse_trimmed(&pkt, pk->bytes, pk->len);
	else
		err = uet_pkt_parse(&pkt, pk->bytes, pk->len,
				    pk->len + pk->payload);
	if (err)
		pair_fail(p, "a packet cannot be parsed", (uint32_t)-err);
	else if (uet_pkt_is_ack(&pkt) || pkt.type == UET_PDS_NACK ||
		 (pkt.type == UET_PDS_CP &&
		  (pkt.ctl_type == UET_CTL_CLEAR_REQ ||
		   pkt.ctl_type == UET_CTL_CLOSE_REQ)))
		source_answer(pk->to, &pkt, pk->ev);
	else if (p->c->liar)
		liar_packet(pk->to, pk, &pkt);
	else
		target_packet(pk->to, pk, &pkt);
	if (chance(p, p->c->forged))
		forge(p, pk->to);
	pair_free(p, pk);
}

/* Something happens at a host: a message, a cancellation, a restart. */
static void happen(struct pair *p, struct pair_host *h)
{
	uint32_t i;

	if (h->nr_msg < p->c->msgs)
		source_submit(h);
	if (h->nr_msg && chance(p, p->c->cancels))
		source_cancel(h, h->msg[rnd_below(&p->rnd, h->nr_msg)]);
	if (chance(p, p->c->closes))
		source_close(h);
	if (chance(p, p->c->closes))
		target_ask_close(h);
	if (chance(p, p->c->mtus))
		source_mtu(h);
	if (chance(p, p->c->blackouts))
		p->dark_until = p->now + rnd_below(&p->rnd, 30000000);
	if (chance(p, p->c->restarts)) {
		p->total.restarts++;
		target_restart(h);
		if (rnd_one_in(&p->rnd, 3))
			source_restart(h);
	}
	for (i = 0; i < PAIR_ENDS; i++)
		source_run(&p->host[i]);
}

static bool all_done(const struct pair *p)
{
	uint32_t i;

	for (i = 0; i < PAIR_ENDS; i++)
		if (p->host[i].nr_msg < p->c->msgs ||
		    p->host[i].nr_done < p->host[i].nr_msg)
			return false;
	return true;
}

/* All that is outstanding must be answered in the end, too, CLOSE_CMD included. */
static bool at_rest(const struct pair *p)
{
	uint32_t i;

	for (i = 0; i < PAIR_ENDS; i++)
		if (!source_at_rest(&p->host[i]))
			return false;
	return !p->wire;
}

static uint64_t next_event(const struct pair *p, uint64_t happens)
{
	uint64_t at = happens;
	uint32_t i;

	if (p->wire)
		at = min_t(uint64_t, at, p->wire->at);
	for (i = 0; i < PAIR_ENDS; i++) {
		at = min_t(uint64_t, at, p->host[i].wake);
		at = min_t(uint64_t, at, source_next(&p->host[i]));
	}
	return max_t(uint64_t, at, p->now);
}

/* A recount costs as much as many events. */
#define RECOUNT_EVERY	64

static void check(struct pair *p)
{
	bool all = p->each || !(++p->events % RECOUNT_EVERY);
	uint32_t i;

	for (i = 0; i < PAIR_ENDS && !p->failed; i++) {
		live_check(&p->host[i]);
		if (all)
			books_check(&p->host[i]);
	}
}

/* One run: hosts exchange their messages, at last over a wire that is calm. */
static void run(struct pair *p)
{
	uint64_t happens = p->now;
	struct pair_packet *pk;
	uint32_t i;

	while (!p->failed && !(all_done(p) && at_rest(p))) {
		p->now = next_event(p, happens);
		while ((pk = pair_arrives(p)) && !p->failed)
			arrive(p, pk);
		for (i = 0; i < PAIR_ENDS; i++) {
			source_expire(&p->host[i]);
			if (p->host[i].wake <= p->now)
				target_read(&p->host[i]);
			source_run(&p->host[i]);
		}
		if (happens <= p->now) {
			happens = p->now + rnd_below(&p->rnd, p->submitted ?
							      20000000 : 100000);
			happen(p, &p->host[rnd_below(&p->rnd, PAIR_ENDS)]);
		}
		check(p);
		if (p->host[0].nr_msg + p->host[1].nr_msg < 2 * p->c->msgs)
			continue;
		if (!p->submitted)
			p->submitted = p->now;
		if (p->now > p->submitted + 1000000000)
			p->calm = true;
		if (p->now > p->submitted + 20000000000ULL)
			pair_fail(p, "it never ends", p->host[0].nr_done);
	}
	if (!p->failed)
		bounds_run(p);
}

static bool one(const struct pair_case *c, uint64_t seed, struct pair *p)
{
	struct pair_total total = p->total;
	bool each = p->each;
	uint32_t i;

	memset(p, 0, sizeof(*p));
	p->total = total;
	p->total.runs++;
	p->each = each;
	p->c = c;
	p->rnd.state = seed;
	p->now = 1000000000;
	p->base = 2000 + rnd_below(&p->rnd, 40000);
	for (i = 0; i < PAIR_ENDS; i++) {
		p->host[i].pair = p;
		p->host[i].nr = (int)i;
		p->host[i].peer = &p->host[1 - i];
		p->host[i].wake = p->now;
		source_init(&p->host[i]);
	}
	run(p);
	for (i = 0; i < PAIR_ENDS; i++)
		source_end(&p->host[i]);
	for (i = 0; i < PAIR_ENDS; i++)
		target_end(&p->host[i]);
	pair_wire_end(p);
	return !p->failed;
}

/* The runs of a case; @once: the first one only */
static bool runs(struct pair *p, const struct pair_case *c, uint64_t packets,
		 uint64_t seed, bool once)
{
	bool ok = true;

	memset(p, 0, sizeof(*p));
	p->each = once;
	do {
		ok = one(c, seed, p);
		if (!ok)
			printf("# seed %llu\n", (unsigned long long)seed);
		seed++;
	} while (ok && !once && p->total.packets < packets);
	return ok && bounds_case(c, &p->total);
}

static void show(const struct pair_case *c, size_t nr, bool ok,
		 const struct pair_total *t)
{
	printf("%s %zu two endpoints: %s # ", ok ? "ok" : "not ok", nr, c->name);
	printf("%llu packets, %llu of %llu resent, ", (unsigned long long)t->packets,
	       (unsigned long long)t->rtx, (unsigned long long)t->sent);
	printf("%llu runs, %llu restarts, %llu ms at most\n",
	       (unsigned long long)t->runs, (unsigned long long)t->restarts,
	       (unsigned long long)t->longest / 1000000);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	uint64_t packets = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	size_t only = argc > 3 ? strtoull(argv[3], NULL, 0) : 0;
	struct pair *p = calloc(1, sizeof(*p));
	int bad = 0;
	size_t i;

	printf("KTAP version 1\n1..%zu\n", pair_nr_cases);
	for (i = 0; i < pair_nr_cases; i++) {
		bool ok;

		if (only && only != i + 1)
			continue;
		ok = runs(p, &pair_cases[i], packets / pair_nr_cases, seed,
			  argc > 2);
		show(&pair_cases[i], i + 1, ok, &p->total);
		bad += !ok;
	}
	free(p);
	return bad ? 1 : 0;
}
