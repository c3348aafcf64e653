// SPDX-License-Identifier: GPL-2.0
/*
 * The model with many hosts that send to one program at once: each a message that has no
 * receive, and behind it one that the program has posted a receive for and waits for. All
 * first packets find room; what comes then is left to chance.
 */
#include <stdio.h>
#include <stdlib.h>

#include "rxroom_model.h"

#define STEPS_MAX	1000000

static void describe(struct setup *c, int hosts)
{
	int i;

	*c = (struct setup){ .name = "gather", .msgs = 2 * hosts, .half = 4 + model_rnd(5),
			     .range = 20 + model_rnd(80), .waits = model_rnd(4) };
	for (i = 0; i < c->msgs; i++) {
		c->m[i].pdc = i / 2;
		c->m[i].dest = i / 2;
		c->m[i].posted = i & 1;
		c->m[i].len = i & 1 ? 2 + model_rnd(3) : 1 + model_rnd(c->half);
	}
	/* Who reads what comes can have messages that do not fit. */
	for (i = 0; i < c->msgs && !c->waits; i += 2)
		c->m[i].len += model_rnd(5);
}

static int first_in_flight(const struct state *s, int pdc)
{
	int b = 0;

	while (b < s->n[pdc] && s->seq[pdc][b].state != FLIGHT)
		b++;
	return b;
}

/* The first message of each host and a packet of the second one, packet by packet */
static void burst(struct state *s, int hosts)
{
	bool moved;
	int i, k;

	for (i = 0; i < hosts; i++)
		for (k = 0; k <= model->m[2 * i].len; k++)
			model_step(s, SEND, i, 0);
	do {
		for (i = 0, moved = false; i < hosts; i++)
			moved |= model_step(s, DELIVER, i, first_in_flight(s, i));
	} while (moved);
}

static bool step(struct state *s)
{
	int what = model_rnd(STEPS);
	int a = model_rnd(what <= RETRANSMIT ? PDCS : MSGS), b = 0;

	/* These happen less often than packets arrive. */
	if ((what == TRY && model_rnd(10)) || (what == READ && model_rnd(50)) ||
	    (what == WAIT && model_rnd(8)))
		return false;
	if (what >= READ)
		a = 0;
	if (what == DELIVER)
		b = first_in_flight(s, a);
	else if (what == RETRANSMIT && s->n[a])
		b = model_rnd(s->n[a]);
	return model_step(s, what, a, b);
}

static bool gather(int hosts)
{
	struct setup c;
	struct state s;
	int n;

	describe(&c, hosts);
	model = &c;
	model_begin(&s);
	burst(&s, hosts);
	for (n = 0; n < STEPS_MAX && !model_wrong(&s); n++) {
		if (model_all_read(&s))
			return true;
		step(&s);
	}
	printf("# half %d, range %d, %s\n", c.half, c.range,
	       c.waits ? "waits for receives" : "reads");
	model_show(&s);
	return false;
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? atoi(argv[1]) : 100, bad = 0, i;
	int hosts;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%u\n", PDCS - 1);
	for (hosts = 2; hosts <= PDCS; hosts++) {
		for (i = 0; i < rounds && gather(hosts); i++)
			;
		bad += i < rounds;
		printf("%sok %d %d hosts to one program, %u rounds\n",
		       i < rounds ? "not " : "", hosts - 1, hosts, i);
	}
	return bad ? 1 : 0;
}
