// SPDX-License-Identifier: GPL-2.0
/*
 * The cases of the model that are explored, and larger ones at random, with the
 * fair choice of a step, which must end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "rxroom_model.h"

static void random_setup(struct setup *r)
{
	int i, least;

	*r = (struct setup){ .name = "random", .msgs = 2 + model_rnd(MSGS - 1),
			     .half = 1 + model_rnd(4), .range = 4 + model_rnd(20),
			     .losses = model_rnd(12) };
	r->more = model_rnd(2) ? 0 : model_rnd(2 * PKT);
	r->other = 1 + model_rnd(6);
	r->resizes = model_rnd(4);
	r->line = !model_rnd(3);
	r->mixing = r->line && model_rnd(2);
	for (i = 0; i < r->msgs; i++) {
		r->m[i].dest = model_rnd(3);
		r->m[i].pdc = r->m[i].dest == 2 && !r->line;
		r->m[i].len = 1 + model_rnd(10);
		r->m[i].posted = !model_rnd(4);
	}
	/* Only of what fits into the buffer can it wait for another one to be read. */
	r->waits = !model_rnd(2) && !r->line;
	least = r->resizes && r->other < r->half ? r->other : r->half;
	for (i = 0; i < r->msgs && r->waits; i++)
		if (!r->m[i].posted && r->m[i].len > least)
			r->m[i].len = least;
}

static bool run(void)
{
	struct setup r;
	struct state s;
	int n;

	random_setup(&r);
	model = &r;
	model_begin(&s);
	for (n = 0; n < 200000; n++) {
		int what = model_rnd(STEPS), a, b;

		if (model_wrong(&s))
			break;
		if (model_all_read(&s))
			return true;
		/* The network loses and the clock ticks less often. */
		if ((what == LOSE || what == WAIT) && model_rnd(8))
			continue;
		a = what <= RETRANSMIT ? model_rnd(PDCS) : model_rnd(what < READ ? MSGS : 1);
		b = what <= RETRANSMIT && s.n[a] ? model_rnd(s.n[a]) : 0;
		model_step(&s, what, a, b);
	}
	printf("# %d messages, half %d, %d times %d, range %d\n", r.msgs, r.half,
	       r.resizes, r.other, r.range);
	for (n = 0; n < r.msgs; n++)
		printf("# message %d: dest %d length %d\n", n, r.m[n].dest,
		       r.m[n].len);
	model_show(&s);
	return false;
}

static const struct setup cases[] = {
	{ "one long message", 1, 2, 8, 2, .m = { { 0, 0, 4 } } },
	{ "two long messages", 2, 1, 8, 2, .m = { { 0, 0, 2 }, { 0, 0, 3 } } },
	{ "three long messages", 3, 1, 8, 1,
	  .m = { { 0, 0, 2 }, { 0, 0, 2 }, { 0, 0, 2 } } },
	{ "short before long", 2, 2, 8, 2, .m = { { 0, 0, 2 }, { 0, 0, 3 } } },
	{ "single packets before long", 3, 1, 8, 2,
	  .m = { { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 2 } } },
	{ "two sources by one PDC", 2, 1, 3, 1, .m = { { 0, 0, 3 }, { 0, 1, 3 } } },
	{ "three sources by one PDC", 3, 1, 3, 0,
	  .m = { { 0, 0, 2 }, { 0, 1, 2 }, { 0, 2, 2 } } },
	{ "two PDCs", 3, 1, 8, 1, .m = { { 0, 0, 2 }, { 0, 0, 2 }, { 1, 1, 2 } } },
	{ "many short", 3, 2, 8, 1, .m = { { 0, 0, 2 }, { 0, 0, 2 }, { 0, 0, 2 } } },
	{ "an older one being read, a younger one waiting", 3, 2, 4, 0,
	  .m = { { 0, 0, 3 }, { 0, 1, 3 }, { 0, 1, 2 } } },
	{ "ordered: two long messages", 2, 1, 4, 1, true, false,
	  { { 0, 0, 3 }, { 0, 1, 3 } } },
	{ "ordered: three queues", 4, 1, 4, 1, true, false,
	  { { 0, 0, 2 }, { 0, 1, 2 }, { 0, 2, 3 }, { 0, 0, 1 } } },
	{ "ordered: short among long", 4, 2, 4, 1, true, false,
	  { { 0, 0, 1 }, { 0, 1, 5 }, { 0, 0, 2 }, { 0, 2, 1 } } },
	{ "mixed: two long messages", 2, 1, 4, 1, true, true,
	  { { 0, 0, 3 }, { 0, 1, 3 } } },
	{ "mixed: four queues", 4, 1, 4, 0, true, true,
	  { { 0, 0, 2 }, { 0, 1, 2 }, { 0, 2, 2 }, { 0, 3, 3 } } },
	{ "a posted one, overtaking short ones", 3, 1, 8, 1,
	  .m = { { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 2, true } }, .waits = true },
	{ "a posted one, overtaking one of several packets", 3, 2, 8, 1,
	  .m = { { 0, 0, 1 }, { 0, 0, 2 }, { 0, 0, 2, true } }, .waits = true },
	{ "two posted ones among others", 4, 1, 8, 1,
	  .m = { { 0, 0, 1 }, { 0, 0, 2, true }, { 0, 0, 1 }, { 0, 0, 2, true } },
	  .waits = true },
	{ "a posted one behind a long one, which is read", 2, 1, 8, 2,
	  .m = { { 0, 0, 3 }, { 0, 0, 2, true } } },
	{ "a posted one between long ones, which are read", 3, 1, 8, 1,
	  .m = { { 0, 0, 2 }, { 0, 0, 2, true }, { 0, 0, 2 } } },
	{ "packets that take much memory", 2, 3, 8, 1,
	  .m = { { 0, 0, 3 }, { 0, 0, 4 } }, .more = PKT },
	{ "packets that take much memory, two PDCs", 3, 2, 8, 1,
	  .m = { { 0, 0, 2 }, { 0, 0, 2 }, { 1, 1, 2 } }, .more = PKT },
	{ "a smaller buffer", 1, 6, 8, 2, .m = { { 0, 0, 6 } }, .other = 1,
	  .resizes = 2 },
	{ "a smaller buffer, two messages", 2, 3, 8, 1,
	  .m = { { 0, 0, 3 }, { 0, 0, 3 } }, .other = 1, .resizes = 2 },
	{ "a larger buffer, two messages", 2, 1, 8, 1,
	  .m = { { 0, 0, 3 }, { 0, 0, 3 } }, .other = 3, .resizes = 2 },
	{ "a smaller buffer, two PDCs", 3, 2, 8, 1,
	  .m = { { 0, 0, 2 }, { 0, 0, 3 }, { 1, 1, 2 } }, .other = 1, .resizes = 1 },
	{ "a smaller buffer, a posted one", 3, 2, 8, 1,
	  .m = { { 0, 0, 2 }, { 0, 0, 3 }, { 0, 0, 2, true } }, .other = 1,
	  .resizes = 2 },
	{ "ordered: a smaller buffer", 3, 3, 4, 1, true, false,
	  { { 0, 0, 3 }, { 0, 1, 3 }, { 0, 0, 1 } }, .other = 1, .resizes = 2 },
	{ "mixed: a smaller buffer", 3, 3, 4, 0, true, true,
	  { { 0, 0, 2 }, { 0, 1, 3 }, { 0, 2, 2 } }, .other = 1, .resizes = 1 },
	{ "ordered: a posted one among others", 3, 1, 4, 1, true, false,
	  { { 0, 0, 1 }, { 0, 0, 2, true }, { 0, 0, 3 } } },
};

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? atoi(argv[1]) : 20000, i, bad = 0;
	const unsigned int n = sizeof(cases) / sizeof(*cases);

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%u\n", n + 1);
	for (i = 0; i < n; i++) {
		bool ok = explore(&cases[i]);

		bad += !ok;
		printf("%sok %u %s\n", ok ? "" : "not ", i + 1, cases[i].name);
	}
	for (i = 0; i < rounds; i++)
		if (!run())
			break;
	bad += i < rounds;
	printf("%sok %u random, %u rounds\n", i < rounds ? "not " : "", n + 1, i);
	printf("# %lu were sent back of which CACK had covered some, as they were overtaken\n", model_forgotten);
	return bad ? 1 : 0;
}
