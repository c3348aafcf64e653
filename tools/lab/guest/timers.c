// SPDX-License-Identifier: GPL-2.0
/* Events in order of time; equal times run in the order they were set. */
#include <stdlib.h>

#include <host.h>

#include "lab.h"

struct event {
	uint64_t	when, order;
	timer_fn	fn;
	void		*arg;
};

static struct event *heap;
static size_t used, room;
static uint64_t order;

static bool before(const struct event *a, const struct event *b)
{
	return a->when != b->when ? a->when < b->when : a->order < b->order;
}

static void swap(size_t i, size_t j)
{
	struct event e = heap[i];

	heap[i] = heap[j];
	heap[j] = e;
}

void timer_at(uint64_t when, timer_fn fn, void *arg)
{
	size_t i;

	if (used == room) {
		room = room ? 2 * room : 1024;
		heap = realloc(heap, room * sizeof(*heap));
		if (!heap)
			die("no memory for timers");
	}
	i = used++;
	heap[i] = (struct event){ when, order++, fn, arg };
	for (; i && before(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(i, (i - 1) / 2);
}

static void drop_first(void)
{
	size_t i = 0, child;

	heap[0] = heap[--used];
	while ((child = 2 * i + 1) < used) {
		if (child + 1 < used && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &heap[i]))
			break;
		swap(i, child);
		i = child;
	}
}

/* Runs what is due. */
int timers_run(void)
{
	int n = 0;

	while (used && heap[0].when <= host_now_ns()) {
		struct event e = heap[0];

		drop_first();
		e.fn(e.arg);
		n++;
	}
	return n;
}

uint64_t timers_next(void)
{
	return used ? heap[0].when : 0;
}
