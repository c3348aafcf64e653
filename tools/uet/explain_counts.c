// SPDX-License-Identifier: GPL-2.0
/*
 * What became of the packets to a peer: in all, and now.
 */
#include <errno.h>
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
	c->losses_local += attr_num(a, UET_A_CCC_LOSSES_LOCAL);
}

/* Contexts that have gone meanwhile take their counters with them */
static uint64_t more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/**
 * counts_look_again() - find out what is lost now
 * @t: tool
 * @peer: words that name the peer
 * @seconds: time for which to look on
 * @f: counters of it, if there ever were losses
 *
 * What was lost since contexts began, in their first moments perhaps, does not tell.
 *
 * Return: 0 or a negative error, which was printed.
 */
int counts_look_again(struct tool *t, const struct args *peer, double seconds,
		      struct facts *f)
{
	struct timespec ts = {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9),
	};
	struct fact_counts now = { 0 };
	int err;

	if (!f->all.losses && !f->all.losses_local && !f->all.trims)
		return 0;
	nanosleep(&ts, NULL);
	err = show_dump(t, &object_ccc, peer, counts_take, &now);
	if (err && err != -EINTR)
		return err;
	f->recent = (struct fact_counts){
		.sent = more(now.sent, f->all.sent),
		.marks = more(now.marks, f->all.marks),
		.trims = more(now.trims, f->all.trims),
		.trims_unmarked = more(now.trims_unmarked, f->all.trims_unmarked),
		.losses = more(now.losses, f->all.losses),
		.losses_local = more(now.losses_local, f->all.losses_local),
	};
	return 0;
}
