// SPDX-License-Identifier: GPL-2.0
/*
 * What probes come to: round trips, endpoints, sizes, entropy values.
 */
#include <linux/uet_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "names.gen.h"
#include "ping.h"

/* Round trips that are kept, for the median; later ones take the place of others */
#define RTTS_MAX	(1 << 18)

/* A value is slow if it takes so many times the median, ... */
#define SLOW_TIMES	3
/* ... and so much more than that, ns: below, hosts are not steady */
#define SLOW_LEAST	100000

/* SES return codes */
enum {
	RC_NULL			= 0,
	RC_OK			= 1,
	RC_BAD_GENERATION	= 2,
	RC_UNSUPPORTED_OP	= 6,
	RC_BAD_INDEX		= 25,
	RC_BAD_PID		= 26,
	RC_BAD_JOB_ID		= 27,
};

void rtts_add(struct rtts *r, uint64_t ns)
{
	size_t room = r->room ? r->room * 2 : 256;
	uint64_t *at;

	if (r->n == r->room && r->room < RTTS_MAX) {
		at = realloc(r->at, room * sizeof(*at));
		if (at) {
			r->at = at;
			r->room = room;
		}
	}
	if (r->n < r->room)
		r->at[r->n++] = ns;
	else if (r->n)
		r->at[ns % r->n] = ns;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/**
 * rtts_sum() - least, median and largest round trip
 * @r: round trips, sorted afterwards
 * @sum: set
 *
 * Return: false if there is none.
 */
bool rtts_sum(struct rtts *r, struct rtt_sum *sum)
{
	memset(sum, 0, sizeof(*sum));
	if (!r->n)
		return false;
	qsort(r->at, r->n, sizeof(*r->at), compare);
	sum->min = r->at[0];
	sum->median = r->n % 2 ? r->at[r->n / 2] :
		      (r->at[r->n / 2 - 1] + r->at[r->n / 2]) / 2;
	sum->max = r->at[r->n - 1];
	return true;
}

/**
 * endpoint_there() - does a result say that the endpoint exists?
 */
bool endpoint_there(const struct probe *probe)
{
	return !probe->error && probe->result == UET_PING_RESULT_ANSWERED &&
	       (probe->code == RC_NULL || probe->code == RC_OK ||
		probe->code == RC_BAD_GENERATION);
}

/**
 * endpoint_text_of() - what an answer says of an endpoint, in words
 */
const char *endpoint_text_of(const struct probe *probe)
{
	switch (probe->code) {
	case RC_NULL:
	case RC_OK:
	case RC_BAD_GENERATION:
		return "is there";
	case RC_BAD_PID:
		return "no process has this PIDonFEP";
	case RC_BAD_INDEX:
		return "the process has no such resource index";
	case RC_BAD_JOB_ID:
		return "the job is refused";
	case RC_UNSUPPORTED_OP:
		return "the peer cannot tell";
	default:
		return "the peer answers by an error";
	}
}

/**
 * probe_text() - a result in words
 */
const char *probe_text(const struct probe *probe)
{
	const char *doc = doc_of(&names_ping_result, probe->result);

	if (probe->error)
		return strerror(probe->error);
	return doc ? doc : "?";
}

/**
 * sizes_hole() - are large packets lost, and small ones not?
 * @sent: probes of each size
 * @answered: answers of each size
 * @lens: length of a packet of each size
 * @n: number of sizes
 * @passes: set to the largest length that was answered
 * @lost: set to the least length above which none was
 *
 * Return: number of sizes that are too large, 0 if there is no such border.
 */
unsigned int sizes_hole(const uint64_t *sent, const uint64_t *answered,
			const uint32_t *lens, unsigned int n, uint32_t *passes,
			uint32_t *lost)
{
	unsigned int i, large = 0;

	*passes = 0;
	*lost = UINT32_MAX;
	for (i = 0; i < n; i++)
		if (answered[i] && lens[i] > *passes)
			*passes = lens[i];
	for (i = 0; i < n; i++) {
		if (!sent[i] || answered[i])
			continue;
		/* A small one that is lost has another cause */
		if (lens[i] < *passes)
			return 0;
		if (lens[i] < *lost)
			*lost = lens[i];
		large++;
	}
	return *passes ? large : 0;
}

/**
 * values_judge() - which entropy values are slow?
 * @v: values, probed
 * @n: how many
 */
void values_judge(struct path_value *v, unsigned int n)
{
	struct rtts r = { 0 };
	struct rtt_sum sum;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (v[i].rtt)
			rtts_add(&r, v[i].rtt);
	if (rtts_sum(&r, &sum))
		for (i = 0; i < n; i++)
			v[i].slow = v[i].rtt > sum.median * SLOW_TIMES &&
				    v[i].rtt > sum.median + SLOW_LEAST;
	free(r.at);
}

/**
 * value_lost_behind() - the last hop that the packets of a value reach
 *
 * Return: its index in the hops; -1 if none answered.
 */
int value_lost_behind(const struct path_value *v)
{
	int i;

	for (i = (int)v->n_hops - 1; i >= 0; i--)
		if (!IN6_IS_ADDR_UNSPECIFIED(&v->hops[i]))
			return i;
	return -1;
}
