// SPDX-License-Identifier: GPL-2.0
/*
 * What became of the packets to a peer: in all, and now.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cmd.h"
#include "explain.h"
#include "field.h"

/**
 * counts_take() - add the counters of a context
 * @a: object "ccc"
 * @arg: struct fact_counts
 */
void counts_take(const struct attrs *a, void *arg)
{
	uint64_t trims = attr_num(a, UET_A_CCC_TRIMS);
	struct fact_counts *c = arg;

	c->sent += attr_num(a, UET_A_CCC_SENT_PKTS);
	c->marks += attr_num(a, UET_A_CCC_MARKS);
	c->trims += trims;
	if (!attr_num(a, UET_A_CCC_TCLASS))
		c->trims_unmarked += trims;
	c->losses += attr_num(a, UET_A_CCC_LOSSES_SACK) +
		     attr_num(a, UET_A_CCC_LOSSES_OOO) +
		     attr_num(a, UET_A_CCC_LOSSES_PROBE) +
		     attr_num(a, UET_A_CCC_LOSSES_RTO) +
		     attr_num(a, UET_A_CCC_LOSSES_RCVR) +
		     attr_num(a, UET_A_CCC_LOSSES_GO_BACK);
	c->needless += attr_num(a, UET_A_CCC_NEEDLESS);
	c->losses_local += attr_num(a, UET_A_CCC_LOSSES_LOCAL);
}

/**
 * counts_lost() - packets that did not arrive
 * @c: counters
 *
 * That a packet had arrived is known a round trip after it was sent again, perhaps.
 */
uint64_t counts_lost(const struct fact_counts *c)
{
	return c->losses > c->needless ? c->losses - c->needless : 0;
}

static void contexts_take(const struct attrs *a, void *arg)
{
	struct contexts *c = arg;
	struct fact_context *more = realloc(c->of, (c->n + 1) * sizeof(*more));

	if (!more) {
		c->nomem = true;
		return;
	}
	c->of = more;
	more += c->n++;
	*more = (struct fact_context){ .id = attr_num(a, UET_A_CCC_ID) };
	counts_take(a, &more->counts);
}

static int contexts_read(struct tool *t, const struct args *peer,
			 struct contexts *c)
{
	int err = show_dump(t, &object_ccc, peer, contexts_take, c);

	if (c->nomem) {
		fprintf(stderr, "Error: no memory.\n");
		return -ENOMEM;
	}
	return err == -EINTR ? 0 : err;
}

static void counts_add(struct fact_counts *sum, const struct fact_counts *c)
{
	sum->sent += c->sent;
	sum->marks += c->marks;
	sum->trims += c->trims;
	sum->trims_unmarked += c->trims_unmarked;
	sum->losses += c->losses;
	sum->needless += c->needless;
	sum->losses_local += c->losses_local;
}

static void counts_sub(struct fact_counts *sum, const struct fact_counts *c)
{
	sum->sent -= c->sent;
	sum->marks -= c->marks;
	sum->trims -= c->trims;
	sum->trims_unmarked -= c->trims_unmarked;
	sum->losses -= c->losses;
	sum->needless -= c->needless;
	sum->losses_local -= c->losses_local;
}

/**
 * counts_lost_percent() - share of the packets that were lost meanwhile
 * @before: counters of a context before
 * @now: the same now
 */
double counts_lost_percent(const struct fact_counts *before,
			   const struct fact_counts *now)
{
	struct fact_counts c = *now;

	counts_sub(&c, before);
	return c.sent ? 100. * (double)counts_lost(&c) / (double)c.sent : 0;
}

/**
 * counts_compare() - what was counted meanwhile
 * @before: contexts before
 * @n_before: their number
 * @now: contexts now: some may have gone, others are new
 * @n_now: their number
 * @f: @f->all and @f->recent are set
 */
void counts_compare(const struct fact_context *before, size_t n_before,
		    const struct fact_context *now, size_t n_now,
		    struct facts *f)
{
	size_t i, k;

	f->all = f->recent = (struct fact_counts){ 0 };
	for (i = 0; i < n_now; i++) {
		counts_add(&f->all, &now[i].counts);
		counts_add(&f->recent, &now[i].counts);
		for (k = 0; k < n_before && before[k].id != now[i].id; k++)
			;
		if (k < n_before)
			counts_sub(&f->recent, &before[k].counts);
	}
}

/**
 * counts_look() - begin to look what is lost now, and wait
 * @t: tool
 * @peer: words that name the peer, NULL = all
 * @seconds: time for which to look on
 * @before: gets the contexts of now
 *
 * Return: 0 or a negative error, which was printed.
 */
int counts_look(struct tool *t, const struct args *peer, double seconds,
		struct contexts *before)
{
	struct timespec ts = {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9),
	};
	int err = contexts_read(t, peer, before);

	if (!err)
		nanosleep(&ts, NULL);
	return err;
}

/**
 * counts_look_again() - find out what is lost now
 * @t: tool
 * @peer: words that name the peer
 * @seconds: time for which to look on
 * @before: contexts that long ago, NULL = look on now
 * @f: counters of it, if there ever were losses
 *
 * What was lost since contexts began, in their first moments perhaps, does not tell.
 *
 * Return: 0 or a negative error, which was printed.
 */
int counts_look_again(struct tool *t, const struct args *peer, double seconds,
		      const struct contexts *before, struct facts *f)
{
	struct contexts own = { 0 }, now = { 0 };
	int err = 0;

	if (!f->all.losses && !f->all.losses_local && !f->all.trims)
		return 0;
	if (!before) {
		before = &own;
		err = counts_look(t, peer, seconds, &own);
	}
	if (!err)
		err = contexts_read(t, peer, &now);
	if (!err)
		counts_compare(before->of, before->n, now.of, now.n, f);
	free(own.of);
	free(now.of);
	return err;
}
