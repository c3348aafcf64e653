// SPDX-License-Identifier: GPL-2.0
/*
 * Causes in the network and at its edge: routes, interfaces, paths, switches.
 */
#include <inttypes.h>
#include <string.h>

#include "explain_causes.h"

/* More time without a word of the peer than a lost packet explains */
#define SILENT_NS	500000000ULL
#define SILENT_TIMEOUTS	2
/* Fewer losses, or a smaller share of what was sent, are no reason to look for the
 * trimming of the switches
 */
#define TRIM_LOSSES	8
#define TRIM_SHARE	1000
/* Entropy values that chance may take: fewer, and not in one place, are no sign */
#define PATH_FEW	4
/* Odds against losses at random that hit so many values of one next hop */
#define PATH_ODDS	500
/* Losses of late in a network that marks which are no accident: so many, and a share */
#define PATH_LOSSES	8
#define PATH_LOSS_SHARE	100
/* Time for which a port that is only full does not drop every packet, and a share that
 * keeps a sender back
 */
#define SHUT_NS		500000000ULL
#define DROPS_FEW	4
#define DROPS_SHARE	4
#define IPV4_ICMP	28
#define IPV6_ICMP	48

static bool none_up(const struct facts *f)
{
	unsigned int i;

	for (i = 0; i < f->n_ports; i++)
		if (f->port[i].up)
			return false;
	return f->n_ports;
}

/* The local interface drops all that is sent to the peer */
static bool shut(const struct facts *f)
{
	return f->port_shut_ns >= SHUT_NS && !none_up(f);
}

/* --- nothing reaches the peer --------------------------------------------- */

/* A peer that was never heard is silent since the first packet to it waits */
static uint64_t silence_ns(const struct facts *f)
{
	uint64_t opening = f->waits[UET_WAIT_OPENING].ns;
	uint64_t answer = f->waits[UET_WAIT_ANSWER].ns;

	if (f->heard_ns != EXPLAIN_NEVER)
		return f->heard_ns;
	return opening > answer ? opening : answer;
}

static bool not_heard(const struct facts *f)
{
	return f->silent >= SILENT_TIMEOUTS && silence_ns(f) >= SILENT_NS &&
	       !f->waits[UET_WAIT_ROUTE].n && !none_up(f) && !shut(f);
}

static bool next_hop_answers(const struct facts *f)
{
	unsigned int i;

	for (i = 0; i < f->n_ports; i++)
		if (f->port[i].up && !f->port[i].silent)
			return true;
	return false;
}

/* The interface whose next hop does not answer */
static const struct fact_port *dumb_port(const struct facts *f)
{
	unsigned int i;

	for (i = 0; i < f->n_ports; i++)
		if (f->port[i].silent)
			return &f->port[i];
	return NULL;
}

/* What is answered has a route: by a mark of its socket, which this tool does not know */
static bool no_route(const struct facts *f)
{
	return f->no_route && f->heard_ns >= SILENT_NS;
}

bool cause_route(const struct facts *f, struct verdict *v)
{
	const struct fact_port *dumb = dumb_port(f);

	if (!waits_for(f, UET_WAIT_ROUTE, v) && !no_route(f))
		return false;
	if (f->no_source) {
		say(v->text, "this host has not got %s any more, or may not use it yet",
		    f->own);
		say(v->more, "ip address show to %s", f->own);
		return true;
	}
	if (none_up(f) && !f->no_route)
		return false;
	if (f->no_route || !f->n_hops) {
		say(v->text, "there is no route");
		say(v->more, "ip route get %s", f->peer);
		return true;
	}
	if (!dumb) {
		say(v->text, "there was no route; now there is one, by %s on %s",
		    f->hops->via, f->hops->dev);
		say(v->more, "ip route get %s", f->peer);
		return true;
	}
	say(v->text, "next hop %s on %s does not answer", dumb->via, dumb->dev);
	say(v->more, "ip neigh show to %s", dumb->via);
	return true;
}

bool cause_firewall(const struct facts *f, struct verdict *v)
{
	if (!not_heard(f))
		return false;
	if (!next_hop_answers(f) && f->heard_others_ns >= SILENT_NS &&
	    f->sends_ns >= SILENT_NS)
		return false;
	v->since_ns = silence_ns(f);
	say(v->text, "%" PRIu32 " timeouts in a row, %s", f->silent,
	    f->heard_ns == EXPLAIN_NEVER ? "nothing ever came back" :
					   "nothing comes back any more");
	if (next_hop_answers(f))
		say(v->text, ", although the next hop answers");
	if (f->sends_ns < SILENT_NS)
		say(v->text, ", although it sends to this host");
	if (f->heard_others_ns < SILENT_NS)
		say(v->text, ", although other peers do");
	say(v->text, ": UDP to it is dropped, or no UET runs there");
	say(v->more, "ping -c 3 %s; there: nft list ruleset; uet fep show",
	    f->peer);
	return true;
}

bool cause_silent(const struct facts *f, struct verdict *v)
{
	struct verdict ignored = { 0 };

	if (!not_heard(f) || cause_firewall(f, &ignored))
		return false;
	v->since_ns = silence_ns(f);
	say(v->text, "%" PRIu32 " timeouts in a row, and no other peer is heard either",
	    f->silent);
	say(v->more, "uet port show");
	return true;
}

/* --- something is wrong --------------------------------------------------- */

static void say_ports(const struct facts *f, struct verdict *v)
{
	unsigned int i;

	for (i = 0; i < f->n_ports; i++) {
		if (f->port[i].up && !f->port[i].backlog)
			continue;
		say(v->text, "%s%s", v->text[0] ? "; " : "", f->port[i].dev);
		if (!f->port[i].up)
			say(v->text, " has no carrier");
		else
			say_bytes(v->text, " holds ", f->port[i].backlog);
	}
	if (!v->text[0])
		say(v->text, "the local interface takes no more");
	if (f->all.losses_local)
		say(v->text, "; so far it dropped %" PRIu64 " packets",
		    f->all.losses_local);
	say(v->more, "uet port show peer %s", f->peer);
}

bool cause_port(const struct facts *f, struct verdict *v)
{
	if (none_up(f))
		v->rank = RANK_STOPS;
	else if (!f->ports_down)
		return false;
	v->since_ns = f->ports_down_ns;
	say_ports(f, v);
	return true;
}

static void say_dev(const struct facts *f, struct verdict *v)
{
	say(v->text, "%s", f->n_ports == 1 ? f->port[0].dev : "the local interface");
	say(v->more, "uet port show peer %s; tc -s qdisc show", f->peer);
}

bool cause_shut_port(const struct facts *f, struct verdict *v)
{
	if (!shut(f))
		return false;
	v->since_ns = f->port_shut_ns;
	say_dev(f, v);
	say(v->text, " drops every packet to the peer");
	return true;
}

/* So many that the window does not grow, or messages wait for packets to be sent again */
bool cause_dropping_port(const struct facts *f, struct verdict *v)
{
	if (shut(f) || none_up(f) || f->recent.losses_local < DROPS_FEW ||
	    f->recent.losses_local * DROPS_SHARE < f->recent.sent)
		return false;
	say_dev(f, v);
	say(v->text, " is full: of the last %" PRIu64 " packets it dropped %" PRIu64,
	    f->recent.sent, f->recent.losses_local);
	return true;
}

bool cause_full_port(const struct facts *f, struct verdict *v)
{
	struct verdict ignored = { 0 };

	if (!waits_for(f, UET_WAIT_PORT, v) || none_up(f) || f->ports_down ||
	    shut(f) || cause_dropping_port(f, &ignored))
		return false;
	say_ports(f, v);
	return true;
}

static void say_large(const struct facts *f, struct verdict *v, uint32_t bytes)
{
	v->since_ns = f->hole_ns;
	say(v->more, "ping -M do -s %" PRIu32 " %s",
	    bytes - (f->v4 ? IPV4_ICMP : IPV6_ICMP), f->peer);
}

bool cause_mtu(const struct facts *f, struct verdict *v)
{
	if (!f->hole_bytes)
		return false;
	say(v->text, "packets of %" PRIu32 " bytes and more are lost, smaller ones arrive; path MTU %" PRIu32
	    ", lowered %" PRIu32 " times", f->hole_bytes, f->path_mtu, f->steps);
	say_large(f, v, f->hole_bytes);
	return true;
}

/* A smaller MTU was found, and all is well with that */
bool cause_small_mtu(const struct facts *f, struct verdict *v)
{
	uint32_t least = UINT32_MAX;
	unsigned int i;

	for (i = 0; i < f->n_ports; i++)
		if (f->port[i].up && f->port[i].mtu < least)
			least = f->port[i].mtu;
	if (f->hole_bytes || !f->steps || !f->n_ports || f->path_mtu >= least)
		return false;
	say(v->text, "large packets were lost and smaller ones not, without a word by ICMP: path MTU %" PRIu32
	    " instead of %" PRIu32, f->path_mtu, least);
	say_large(f, v, least);
	return true;
}

/* How likely is it at most that chance takes @k or more of @n values from one of @hops
 * next hops?
 */
static double path_chance(unsigned int n, unsigned int k, unsigned int hops)
{
	double p = hops;
	unsigned int i;

	for (i = 1; i <= k; i++)
		p *= (double)(n - k + i) / i / hops;
	return p;
}

/* The next hop whose values are lost more often than by chance */
static const struct fact_hop *path_hop(const struct facts *f)
{
	const struct fact_hop *worst = f->hops;
	unsigned int i, all = 0;

	for (i = 0; i < f->n_hops; i++) {
		all += f->hops[i].bad;
		if (f->hops[i].bad > worst->bad)
			worst = &f->hops[i];
	}
	return worst->bad >= PATH_FEW && f->n_hops > 1 &&
	       path_chance(all, worst->bad, f->n_hops) < 1.0 / PATH_ODDS ?
	       worst : NULL;
}

/* Losses all over the network, which go on. Those of congestion are few, and there were
 * marks or trims, perhaps just before.
 */
static bool path_losses(const struct facts *f)
{
	const struct fact_counts *r = &f->recent;

	if (f->n_bad < PATH_FEW || f->all.losses < PATH_FEW || !r->losses)
		return false;
	return (!f->all.marks && !f->all.trims) ||
	       (r->losses >= PATH_LOSSES && r->losses * PATH_LOSS_SHARE >= r->sent);
}

/* A path is late and loses nothing: most of what was sent again had arrived, or most
 * probes arrive, far later than others
 */
static bool late(const struct facts *f)
{
	return f->recent.needless * 2 > f->recent.losses ||
	       f->router.slow * 2 > f->router.traced;
}

/* Of the values given up more pass a router than by chance */
static bool path_router(const struct fact_router *r)
{
	return r->bad >= PATH_FEW && r->good * r->of_bad < r->bad * r->of_good &&
	       path_chance(r->of_bad, r->bad, r->routers) < 1.0 / PATH_ODDS;
}

/* ... or end on the way, while those in use arrive */
static bool path_dead(const struct fact_router *r)
{
	return r->lost >= PATH_FEW &&
	       r->lost * r->others > 2 * r->lost_good * r->traced;
}

static void say_router(const struct fact_router *r, struct verdict *v)
{
	if (path_router(r))
		say(v->text, " %u of %u that were traced pass %s, and %u of %u others",
		    r->bad, r->of_bad, r->addr, r->good, r->of_good);
	else
		say(v->text, " probes of %u of %u end behind %s, and of %u of %u others%s%s",
		    r->lost, r->traced, r->behind[0] ? r->behind : "this host",
		    r->lost_good, r->others, r->next[0] ? "; those go on to " : "",
		    r->next);
}

static void say_values(const struct facts *f, struct verdict *v)
{
	unsigned int i;

	say(v->more, "uet -d path show peer %s; uet ping %s all-paths trace", f->peer,
	    f->peer);
	if (late(f))
		say(v->text, "%u entropy values are slow, not lossy, and are avoided:",
		    f->n_bad);
	else
		say(v->text, "%u entropy values lost packets and are avoided:", f->n_bad);
	if (path_router(&f->router) || path_dead(&f->router)) {
		say_router(&f->router, v);
		return;
	}
	for (i = 0; i < f->n_bad && i < EXPLAIN_NAMED; i++) {
		say(v->text, " %" PRIu32, f->bad[i].ev);
		if (f->bad[i].lost)
			say(v->text, " (%" PRIu32 " lost)", f->bad[i].lost);
	}
	if (f->n_bad > EXPLAIN_NAMED)
		say(v->text, " ...");
}

static void say_hop(const struct fact_hop *hop, struct verdict *v)
{
	say(v->text, "; via %s dev %s: %u bad, %u good", hop->via, hop->dev,
	    hop->bad, hop->good);
}

bool cause_path(const struct facts *f, struct verdict *v)
{
	const struct fact_hop *hop = path_hop(f);
	unsigned int i, named = 0;

	/* A peer that is not heard, or has no route, says nothing about single paths */
	if (f->heard_ns == EXPLAIN_NEVER || not_heard(f) || shut(f) || f->no_route)
		return false;
	/* ... and large packets are lost on all of them */
	if (f->hole_bytes || (f->hole_ns && f->hole_ns < EXPLAIN_FRESH_NS))
		return false;
	if (!hop && !path_router(&f->router) && !path_dead(&f->router) &&
	    !path_losses(f))
		return false;
	v->since_ns = f->bad_ns;
	say_values(f, v);
	if (hop)
		say_hop(hop, v);
	for (i = 0; !hop && i < f->n_hops && named < EXPLAIN_NAMED / 2; i++) {
		if (!f->hops[i].bad)
			continue;
		say_hop(&f->hops[i], v);
		named++;
	}
	return true;
}

bool cause_trim(const struct facts *f, struct verdict *v)
{
	const struct fact_counts *r = &f->recent;

	if (r->trims_unmarked)
		say(v->text, "%" PRIu64 " packets of DSCP 0 were trimmed: switches trim what is not marked for it",
		    f->all.trims_unmarked);
	else if (f->trimming && !f->all.trims && r->marks && r->losses &&
		 f->all.losses >= TRIM_LOSSES && r->losses * TRIM_SHARE >= r->sent &&
		 f->all.losses * TRIM_SHARE >= f->all.sent)
		say(v->text, "%" PRIu64 " marks and %" PRIu64 " losses, but no trimmed packet: switches drop where they should trim",
		    f->all.marks, f->all.losses);
	else
		return false;
	say(v->more, "uet -s ccc show peer %s; uet param show", f->peer);
	return true;
}
