// SPDX-License-Identifier: GPL-2.0
/*
 * Small cases of the model exhaustively: from each state that can be reached, in
 * which all parties are honest, a state can be reached in which everything was read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rxroom_model.h"

#define STATES	(1U << 21)

static struct state *states;
static uint32_t *table;		/* index + 1 by hash */
static uint32_t nr_states;

struct edge {
	uint32_t from, to;
};

static struct edge *edges;
static size_t nr_edges, max_edges;

static uint32_t find(struct state *s)
{
	const uint8_t *p = (const uint8_t *)s;
	uint64_t h = 0xcbf29ce484222325ULL;
	uint32_t at;
	size_t i;

	model_normalise(s);
	for (i = 0; i < sizeof(*s); i++)
		h = (h ^ p[i]) * 0x100000001b3ULL;
	at = (h ^ h >> 32) % (2 * STATES);
	while (table[at]) {
		if (!memcmp(&states[table[at] - 1], s, sizeof(*s)))
			return table[at] - 1;
		at = (at + 1) % (2 * STATES);
	}
	if (nr_states == STATES) {
		fprintf(stderr, "%s: too many states\n", model->name);
		exit(1);
	}
	states[nr_states] = *s;
	table[at] = ++nr_states;
	return nr_states - 1;
}

static void add_edge(uint32_t from, uint32_t to)
{
	if (nr_edges == max_edges) {
		max_edges = max_edges ? 2 * max_edges : 1 << 16;
		edges = realloc(edges, max_edges * sizeof(*edges));
		if (!edges)
			exit(1);
	}
	edges[nr_edges++] = (struct edge){ from, to };
}

static void expand(uint32_t from)
{
	int what, a, b;

	for (what = 0; what < STEPS; what++)
		for (a = 0; a < (what <= RETRANSMIT ? PDCS : MSGS); a++)
			for (b = 0; b < (what <= RETRANSMIT ?
					 states[from].n[a] : 1); b++) {
				struct state s = states[from];

				if (model_step(&s, what, a, b))
					add_edge(from, find(&s));
			}
}

/* From which states can one be reached where all was read? */
static uint32_t hopeless(void)
{
	uint32_t *first = calloc(nr_states + 1, sizeof(*first));
	uint32_t *by = malloc((nr_edges + 1) * sizeof(*by));
	uint32_t *todo = malloc(nr_states * sizeof(*todo));
	bool *good = calloc(nr_states, 1);
	uint32_t i, n = 0, ret = 0;
	size_t e;

	if (!first || !by || !todo || !good)
		exit(1);
	for (e = 0; e < nr_edges; e++)
		first[edges[e].to + 1]++;
	for (i = 0; i < nr_states; i++)
		first[i + 1] += first[i];
	for (e = nr_edges; e--;)
		by[--first[edges[e].to + 1]] = edges[e].from;
	/* first[i + 1] is now where the edges to i begin */
	for (i = 0; i < nr_states; i++)
		if (model_all_read(&states[i]))
			good[todo[n++] = i] = true;
	while (n) {
		uint32_t to = todo[--n];
		uint32_t end = to + 2 <= nr_states ? first[to + 2] : nr_edges;

		for (e = first[to + 1]; e < end; e++)
			if (!good[by[e]])
				good[todo[n++] = by[e]] = true;
	}
	for (i = 0; i < nr_states; i++) {
		if (good[i] && !model_wrong(&states[i]))
			continue;
		if (!ret++)
			model_show(&states[i]);
	}
	free(first);
	free(by);
	free(todo);
	free(good);
	return ret;
}

bool explore(const struct setup *setup)
{
	struct state s;
	uint32_t i, bad;

	if (!states) {
		states = malloc(STATES * sizeof(*states));
		table = malloc(2 * STATES * sizeof(*table));
		if (!states || !table)
			exit(1);
	}
	model = setup;
	nr_states = 0;
	nr_edges = 0;
	memset(table, 0, 2 * STATES * sizeof(*table));
	model_begin(&s);
	find(&s);
	for (i = 0; i < nr_states; i++)
		expand(i);
	bad = hopeless();
	printf("# %s: %u states, %u without a way out\n", model->name, nr_states, bad);
	return !bad;
}
