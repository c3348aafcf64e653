// SPDX-License-Identifier: GPL-2.0
/*
 * "ping trace": which hops the packets of each entropy value pass, by probes whose
 * TTL ends there.
 *
 * Hops answer a few such probes per second only, so what is missing is asked for
 * again. Values of which three hops in a row are silent are given up, unless the peer has
 * answered a probe of theirs: then it is the limit of the hops.
 */
#include <errno.h>
#include <linux/uet_netlink.h>
#include <stdlib.h>

#include "ping.h"

/* Probes for a hop of a value */
#define TRIES		3
/* Silent hops in a row after which a value is given up */
#define SILENT_MAX	3
/* Values of a group that are listed */
#define LISTED		16

/**
 * struct trace - one TTL for all values
 * @p: pinger
 * @v: values
 * @n: how many
 * @ttl: TTL
 * @probes: probes, by value
 * @known: who answered at this TTL, or that the peer did
 */
struct trace {
	struct pinger *p;
	struct path_value *v;
	unsigned int n;
	uint32_t ttl;
	struct probe probes[PING_VALUES_MAX];
	bool known[PING_VALUES_MAX];
	bool over[PING_VALUES_MAX];
};

static void hop_done(struct probe *probe, void *arg)
{
	struct trace *tr = arg;
	struct path_value *v = &tr->v[probe->number];

	if (probe->error || probe->result == UET_PING_RESULT_LOST)
		return;
	tr->known[probe->number] = true;
	if (probe->result == UET_PING_RESULT_HOP) {
		if (probe->has_from)
			v->hops[tr->ttl - 1] = probe->from;
		return;
	}
	/* The peer, or who will not forward it */
	tr->over[probe->number] = true;
	v->n_hops = tr->ttl - 1;
	v->reached = probe->result == UET_PING_RESULT_ANSWERED;
}

static int ask_hops(struct trace *tr)
{
	struct pinger *p = tr->p;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < tr->n && !pinger_stopped(); i++) {
		if (tr->over[i] || tr->known[i])
			continue;
		tr->probes[i] = (struct probe){
			.number = i, .ev = tr->v[i].ev, .ttl = tr->ttl,
			.code = -1, .generation = -1, .version = -1,
		};
		err = pinger_send(p, &tr->probes[i]);
	}
	return err ? err : pinger_drain(p);
}

/* Give up values whose last hops were all silent */
static unsigned int go_on(struct trace *tr)
{
	unsigned int i, left = 0;

	for (i = 0; i < tr->n; i++) {
		struct path_value *v = &tr->v[i];

		if (tr->over[i])
			continue;
		v->n_hops = tr->ttl;
		if (!v->answered &&
		    (int)tr->ttl - 1 - value_lost_behind(v) >= SILENT_MAX) {
			tr->over[i] = true;
			v->n_hops = value_lost_behind(v) + 1;
		}
		left += !tr->over[i];
	}
	return left;
}

/**
 * trace_values() - find the hops of entropy values
 * @p: pinger
 * @v: values
 * @n: how many
 *
 * Return: 0 or a negative error, which is printed.
 */
int trace_values(struct pinger *p, struct path_value *v, unsigned int n)
{
	struct trace *tr = calloc(1, sizeof(*tr));
	unsigned int i, try, left = n;
	int err = tr ? 0 : -ENOMEM;

	for (i = 0; !err && i < n; i++) {
		v[i].hops = calloc(PING_HOPS_MAX, sizeof(*v[i].hops));
		if (!v[i].hops)
			err = -ENOMEM;
	}
	if (err) {
		usage_error("no memory");
		free(tr);
		return err;
	}
	tr->p = p;
	tr->v = v;
	tr->n = n;
	p->done = hop_done;
	p->arg = tr;
	for (tr->ttl = 1; !err && left && tr->ttl <= p->conf->hops &&
	     !pinger_stopped(); tr->ttl++) {
		for (i = 0; i < n; i++)
			tr->known[i] = false;
		for (try = 0; !err && try < TRIES && !pinger_stopped(); try++)
			err = ask_hops(tr);
		left = go_on(tr);
	}
	free(tr);
	return err;
}

static bool same_hop(const struct path_value *a, const struct path_value *b,
		     unsigned int hop)
{
	bool here = hop < a->n_hops;

	if (here != (hop < b->n_hops) || a->reached != b->reached)
		return false;
	return !here || IN6_ARE_ADDR_EQUAL(&a->hops[hop], &b->hops[hop]);
}

static bool same_path(const struct path_value *a, const struct path_value *b)
{
	unsigned int i, n = a->n_hops > b->n_hops ? a->n_hops : b->n_hops;

	for (i = 0; i <= n; i++)
		if (!same_hop(a, b, i))
			return false;
	return a->dev == b->dev;
}

static void put_path(FILE *to, const struct path_value *v, unsigned int count)
{
	char text[ADDR_TEXT];
	unsigned int i;

	fputs("path", to);
	for (i = 0; i < v->n_hops; i++) {
		addr_text(&v->hops[i], text, sizeof(text));
		fprintf(to, " %s", IN6_IS_ADDR_UNSPECIFIED(&v->hops[i]) ? "*" :
					   text);
	}
	fprintf(to, " %s: %u values:", v->reached ? "peer" : "lost", count);
}

/* Where other values go on from the hop behind which one is lost */
static void put_others(FILE *to, const struct path_value *v,
		       const struct path_value *all, unsigned int n)
{
	int last = value_lost_behind(v);
	char text[ADDR_TEXT];
	unsigned int i, j, next = last + 1;

	if (last >= 0)
		addr_text(&v->hops[last], text, sizeof(text));
	fprintf(to, "  lost behind %s", last >= 0 ? text : "this host");
	for (i = 0, j = 0; i < n; i++) {
		unsigned int k;

		if (next >= all[i].n_hops ||
		    IN6_IS_ADDR_UNSPECIFIED(&all[i].hops[next]) ||
		    (last >= 0 && !IN6_ARE_ADDR_EQUAL(&all[i].hops[last],
						      &v->hops[last])))
			continue;
		for (k = 0; k < i; k++)
			if (next < all[k].n_hops &&
			    IN6_ARE_ADDR_EQUAL(&all[k].hops[next],
					       &all[i].hops[next]))
				break;
		if (k < i)
			continue;
		addr_text(&all[i].hops[next], text, sizeof(text));
		fprintf(to, "%s %s", j++ ? "," : "; other values go on to", text);
	}
	fputc('\n', to);
}

/**
 * trace_out() - print the paths, each with its values
 */
void trace_out(struct out *o, const struct path_value *v, unsigned int n)
{
	unsigned int i, j, count, listed;

	for (i = 0; i < n; i++) {
		for (j = 0; j < i && !same_path(&v[j], &v[i]); j++)
			;
		if (j < i)
			continue;
		for (j = i, count = 0; j < n; j++)
			count += same_path(&v[i], &v[j]);
		put_path(o->to, &v[i], count);
		for (j = i, listed = 0; j < n && listed < LISTED; j++) {
			if (!same_path(&v[i], &v[j]))
				continue;
			fprintf(o->to, " %u", v[j].ev);
			listed++;
		}
		fprintf(o->to, "%s\n", count > listed ? " ..." : "");
		if (!v[i].reached)
			put_others(o->to, &v[i], v, n);
	}
}
