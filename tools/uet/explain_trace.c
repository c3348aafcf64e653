// SPDX-License-Identifier: GPL-2.0
/*
 * Which router the entropy values that were given up have in common: they are traced as
 * "ping trace" does, and some of those in use beside them.
 */
#include <linux/uet_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "explain.h"
#include "ping.h"

/* Probes that go all the way, for a value that none answers */
#define TRIES		2
/* Seconds that an answer may take; each hop is asked three times */
#define TRACE_TIMEOUT	0.25
#define TRACE_HOPS	8
/* Of each kind: hops answer a few probes per second only */
#define TRACE_VALUES	11
/* What takes so many times longer than usual is slow */
#define SLOW_FACTOR	3

/* It arrived, whatever the hops say of themselves */
static bool arrives(const struct path_value *v)
{
	return v->reached || v->answered;
}

static bool passes(const struct path_value *v, unsigned int hop,
		   const struct in6_addr *router)
{
	return hop < v->n_hops && IN6_ARE_ADDR_EQUAL(&v->hops[hop], router);
}

static bool known(const struct path_value *v, unsigned int hop)
{
	return hop < v->n_hops && !IN6_IS_ADDR_UNSPECIFIED(&v->hops[hop]);
}

/* Routers at a distance that values pass */
static unsigned int routers_at(const struct path_value *v, unsigned int n,
			       unsigned int hop)
{
	unsigned int i, k, found = 0;

	for (i = 0; i < n; i++) {
		for (k = 0; k < i && !passes(&v[k], hop, &v[i].hops[hop]); k++)
			;
		found += known(&v[i], hop) && k == i;
	}
	return found;
}

static void count_router(const struct path_value *v, unsigned int n_bad,
			 unsigned int n, unsigned int hop,
			 const struct in6_addr *router, struct fact_router *r)
{
	unsigned int i;

	*r = (struct fact_router){ .routers = routers_at(v, n, hop) };
	addr_text(router, r->addr, sizeof(r->addr));
	for (i = 0; i < n; i++) {
		if (!known(&v[i], hop))
			continue;
		if (i < n_bad) {
			r->of_bad++;
			r->bad += passes(&v[i], hop, router);
		} else {
			r->of_good++;
			r->good += passes(&v[i], hop, router);
		}
	}
}

/* Share among the bad ones, less that among the others */
static double excess(const struct fact_router *r)
{
	return (double)r->bad / r->of_bad -
	       (r->of_good ? (double)r->good / r->of_good : 0);
}

/* The middle one of the round trips; 0 without any */
static uint64_t usual_rtt(const struct path_value *v, unsigned int n)
{
	unsigned int i, k, less;

	for (i = 0; i < n; i++) {
		for (k = less = 0; k < n; k++)
			less += v[k].rtt < v[i].rtt ||
				(v[k].rtt == v[i].rtt && k < i);
		if (less == n / 2)
			return v[i].rtt;
	}
	return 0;
}

/* What does not arrive ends at the last router that answered, others go on from there */
static void name_behind(const struct path_value *v, unsigned int n_bad,
			unsigned int n, struct fact_router *r)
{
	const struct path_value *end = NULL;
	size_t len = 0;
	unsigned int i, k, hop;

	for (i = 0; i < n_bad && !end; i++)
		if (!arrives(&v[i]) && value_lost_behind(&v[i]) >= 0)
			end = &v[i];
	if (!end)
		return;
	hop = value_lost_behind(end);
	addr_text(&end->hops[hop], r->behind, sizeof(r->behind));
	for (i = n_bad, hop++; i < n && len + ADDR_TEXT < sizeof(r->next); i++) {
		for (k = n_bad; k < i && !passes(&v[k], hop, &v[i].hops[hop]); k++)
			;
		if (k < i || !arrives(&v[i]) || !known(&v[i], hop))
			continue;
		len += snprintf(r->next + len, sizeof(r->next) - len, "%s",
				len ? ", " : "");
		addr_text(&v[i].hops[hop], r->next + len, sizeof(r->next) - len);
		len = strlen(r->next);
	}
}

/**
 * routers_compare() - find the router that the values given up have in common
 * @v: values with their hops; those given up come first
 * @n_bad: how many were given up
 * @n: all
 * @r: set; without an address if there is none with others beside it
 */
void routers_compare(const struct path_value *v, unsigned int n_bad,
		     unsigned int n, struct fact_router *r)
{
	struct fact_router one;
	unsigned int i, hop;
	uint64_t usual;

	*r = (struct fact_router){ 0 };
	for (hop = 0; hop < TRACE_HOPS; hop++) {
		for (i = 0; i < n_bad; i++) {
			if (!known(&v[i], hop))
				continue;
			count_router(v, n_bad, n, hop, &v[i].hops[hop], &one);
			if (one.routers > 1 &&
			    (!r->bad || excess(&one) > excess(r)))
				*r = one;
		}
	}
	r->traced = n_bad;
	r->others = n - n_bad;
	usual = usual_rtt(v + n_bad, n - n_bad);
	for (i = 0; i < n; i++) {
		if (i >= n_bad)
			r->lost_good += !arrives(&v[i]);
		else if (!arrives(&v[i]))
			r->lost++;
		else
			r->slow += usual && v[i].rtt > SLOW_FACTOR * usual;
	}
	name_behind(v, n_bad, n, r);
}

static unsigned int add(struct path_value *v, unsigned int n,
			const struct entropy *from, unsigned int n_from)
{
	unsigned int i, k, first = n;

	for (i = 0; i < n_from && n < first + TRACE_VALUES; i++) {
		for (k = 0; k < n && v[k].ev != from[i].ev; k++)
			;
		if (k == n)
			v[n++].ev = from[i].ev;
	}
	return n;
}

static void answered(struct probe *probe, void *arg)
{
	struct path_value *v = arg;

	v += probe->number;
	if (probe->error || probe->result != UET_PING_RESULT_ANSWERED)
		return;
	v->answered = 1;
	v->rtt = probe->rtt;
}

/* Which values arrive: what hops do not answer is their limit then */
static int ask_peer(struct pinger *p, struct path_value *v, unsigned int n)
{
	struct probe probes[2 * TRACE_VALUES];
	unsigned int i, try;
	int err = 0;

	p->done = answered;
	p->arg = v;
	for (try = 0; try < TRIES && !err; try++) {
		for (i = 0; i < n && !err; i++) {
			if (v[i].answered)
				continue;
			probes[i] = (struct probe){
				.number = i, .ev = v[i].ev, .code = -1,
				.generation = -1, .version = -1,
			};
			err = pinger_send(p, &probes[i]);
		}
		err = err ? err : pinger_drain(p);
	}
	return err;
}

/**
 * trace_bad() - learn which router loses packets, if probes may be sent
 * @t: tool
 * @peer: the peer
 * @bad: values given up, the latest last
 * @n_bad: how many
 * @good: values in use
 * @n_good: how many
 * @r: set
 */
void trace_bad(struct tool *t, const struct in6_addr *peer,
	       const struct entropy *bad, unsigned int n_bad,
	       const struct entropy *good, unsigned int n_good,
	       struct fact_router *r)
{
	struct ping_conf conf = {
		.peer = *peer, .timeout = TRACE_TIMEOUT, .hops = TRACE_HOPS,
	};
	unsigned int skip = n_bad > TRACE_VALUES ? n_bad - TRACE_VALUES : 0;
	struct path_value v[2 * TRACE_VALUES] = { 0 };
	struct pinger *p = calloc(1, sizeof(*p));
	bool quiet = t->nl.quiet;
	unsigned int i, n;

	if (!p)
		return;
	t->nl.quiet = true;
	n_bad = add(v, 0, bad + skip, n_bad - skip);
	n = add(v, n_bad, good, n_good);
	if (!pinger_open(p, t, &conf) && !ask_peer(p, v, n) && p->way.known &&
	    !trace_values(p, v, n))
		routers_compare(v, n_bad, n, r);
	t->nl.quiet = quiet;
	for (i = 0; i < n; i++)
		free(v[i].hops);
	free(p);
}
