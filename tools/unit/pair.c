// SPDX-License-Identifier: GPL-2.0
/*
 * Runs of two endpoints over a hostile wire: usage: uet-pair PACKETS [SEED [CASE]].
 * Prints KTAP. Each case goes on until it has sent its share of the packets; with
 * SEED it runs once. PAIR_TRACE=1 in the environment shows what happens.
 */
#include <stdarg.h>
#include <string.h>

#include "pair.h"

static const struct {
	const char *name;
	struct pair_case c;
} cases[] = {
	{ "calm", { .algo = "nscc", .policy = "bitmap", .room = 1000,
		    .range = 1024, .msgs = 40, .max_len = 60000 } },
	{ "calm, ordered", { .algo = "nscc", .policy = "single", .room = 1000,
		    .range = 1024, .rod = true, .msgs = 40,
		    .max_len = 60000 } },
	{ "loss", { .algo = "nscc", .policy = "bitmap", .loss = 8, .dup = 20,
		    .late = 10, .mark = 6, .room = 1000, .range = 1024,
		    .msgs = 40, .max_len = 60000, .wrap = true } },
	{ "loss, ordered", { .algo = "nscc", .policy = "single", .loss = 20,
		    .dup = 20, .late = 20, .mark = 6, .room = 1000,
		    .range = 1024, .rod = true, .msgs = 30,
		    .max_len = 40000, .wrap = true } },
	{ "everything", { .algo = "nscc", .policy = "reps", .loss = 10,
		    .dup = 10, .late = 6, .mark = 4, .corrupt = 30, .nomem = 50,
		    .room = 12, .cancels = 12, .blackouts = 20, .forged = 40,
		    .shed = 3, .range = 256, .msgs = 60, .max_len = 50000,
		    .wrap = true } },
	{ "everything, ordered", { .algo = "nscc", .policy = "single",
		    .loss = 20, .dup = 20, .late = 20, .mark = 4, .corrupt = 40,
		    .nomem = 50, .room = 12, .cancels = 12, .blackouts = 20,
		    .forged = 40, .shed = 3, .range = 256, .rod = true,
		    .msgs = 40, .max_len = 30000, .wrap = true } },
	{ "half of all is lost", { .algo = "nscc", .policy = "bitmap",
		    .loss = 2, .late = 4, .room = 100, .range = 128, .msgs = 20,
		    .max_len = 20000 } },
	{ "trimming", { .algo = "nscc", .policy = "bitmap", .loss = 50,
		    .late = 10, .mark = 4, .trim = 5, .room = 30, .range = 512,
		    .msgs = 60, .max_len = 60000 } },
	{ "restarts", { .algo = "nscc", .policy = "bitmap", .loss = 15,
		    .dup = 15, .late = 8, .room = 40, .restarts = 40,
		    .cancels = 20, .range = 512, .msgs = 60,
		    .max_len = 30000, .wrap = true } },
	{ "restarts, ordered", { .algo = "nscc", .policy = "single",
		    .loss = 30, .dup = 30, .late = 30, .room = 40,
		    .restarts = 40, .cancels = 20, .range = 512, .rod = true,
		    .msgs = 40, .max_len = 20000, .wrap = true } },
	{ "fixed window", { .algo = "fixed", .policy = "oblivious", .loss = 10,
		    .dup = 10, .late = 10, .room = 20, .range = 128,
		    .msgs = 60, .max_len = 60000, .nomem = 20 } },
};

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

/* NACKs about packets that may be outstanding or not, of codes that do no harm,
 * and ICMP errors
 */
static void forge(struct pair *p, struct pair_host *h)
{
	static const uint8_t codes[] = {
		UET_NACK_TRIMMED, UET_NACK_NO_PKT_BUFFER, UET_NACK_ROD_OOO,
		UET_NACK_PKT_NOT_RCVD, UET_NACK_RCVR_INFER_LOSS,
		UET_NACK_RCVD_SES_PROCG, UET_NACK_UNEXP_EVENT,
	};
	struct uet_pkt pkt = {
		.type = UET_PDS_NACK,
		.flags = rnd_one_in(&p->rnd, 2) ? UET_F_RETX : 0,
		.nack.code = codes[rnd_below(&p->rnd, ARRAY_SIZE(codes))],
	};
	const struct pair_tx *tx;

	if (!h->nr_tx)
		return;
	tx = h->tx[rnd_below(&p->rnd, h->nr_tx)];
	pkt.dpdcid = tx->id;
	pkt.spdcid = tx->remote;
	pkt.nack.psn = tx->s.win.una - 4 + rnd_below(&p->rnd, 64);
	if (rnd_one_in(&p->rnd, 4))
		pkt.nack.psn = rnd_one_in(&p->rnd, 2) ? 0 : rnd32(&p->rnd);
	/* About a packet it would end the PDC. */
	if (pkt.nack.code == UET_NACK_UNEXP_EVENT)
		pkt.nack.psn = 0;
	if (pkt.nack.psn || !uet_txwin_has(&tx->s.win, 0))
		source_answer(h, &pkt,
			      (uint16_t)(50000 + rnd_below(&p->rnd, 16)));
	if (rnd_one_in(&p->rnd, 4))
		source_unreachable(h);
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
	else if (pkt.type == UET_PDS_ACK_CC || pkt.type == UET_PDS_NACK ||
		 (pkt.type == UET_PDS_CP && pkt.ctl_type == UET_CTL_CLEAR_REQ))
		source_answer(pk->to, &pkt, pk->ev);
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
	if (chance(p, p->c->blackouts))
		p->dark_until = p->now + rnd_below(&p->rnd, 30000000);
	if (chance(p, p->c->restarts)) {
		p->restarts++;
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

/* All that is outstanding must be answered in the end, too. */
static bool at_rest(const struct pair *p)
{
	uint32_t i;

	for (i = 0; i < PAIR_ENDS; i++)
		if (p->host[i].ccc.inflight_pkts || p->host[i].ccc.waiting_rtx)
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

/* One run: hosts exchange their messages, at last over a wire that is calm. */
static void run(struct pair *p)
{
	uint64_t happens = p->now, end = 0;
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
			happens = p->now + rnd_below(&p->rnd, end ? 20000000 :
							      100000);
			happen(p, &p->host[rnd_below(&p->rnd, PAIR_ENDS)]);
		}
		if (p->host[0].nr_msg + p->host[1].nr_msg < 2 * p->c->msgs)
			continue;
		/* Nothing more is submitted. */
		if (!end)
			end = p->now + 1000000000;
		if (p->now > end)
			p->calm = true;
		if (p->now > end + 20000000000ULL)
			pair_fail(p, "it never ends", p->host[0].nr_done);
	}
}

static bool one(const struct pair_case *c, uint64_t seed, struct pair *p)
{
	uint64_t packets = p->packets, rtx = p->rtx, restarts = p->restarts;
	uint32_t i;

	memset(p, 0, sizeof(*p));
	p->packets = packets;
	p->rtx = rtx;
	p->restarts = restarts;
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

int main(int argc, char **argv)
{
	uint64_t packets = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	size_t only = argc > 3 ? strtoull(argv[3], NULL, 0) : 0;
	struct pair *p = calloc(1, sizeof(*p));
	int bad = 0;
	size_t i;

	printf("KTAP version 1\n1..%zu\n", ARRAY_SIZE(cases));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t at = seed, runs = 0;
		bool ok = true;

		if (only && only != i + 1)
			continue;
		memset(p, 0, sizeof(*p));
		while (ok && (p->packets < packets / ARRAY_SIZE(cases) || !runs)) {
			ok = one(&cases[i].c, at, p);
			if (!ok)
				printf("# seed %llu\n", (unsigned long long)at);
			at++;
			runs++;
			if (argc > 2)
				break;
		}
		printf("%s %zu two endpoints: %s # %llu packets, %llu resent, %llu runs, %llu restarts\n",
		       ok ? "ok" : "not ok", i + 1, cases[i].name,
		       (unsigned long long)p->packets,
		       (unsigned long long)p->rtx, (unsigned long long)runs,
		       (unsigned long long)p->restarts);
		bad += !ok;
		fflush(stdout);
	}
	free(p);
	return bad ? 1 : 0;
}
