// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the plan that the host side wrote: one order per line, carried out in
 * order. The host side checked the description, so anything odd is fatal.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

#define PLAN_WORDS	20

struct change {
	struct ns	*ns;
	char		tool[8];
	char		file[256];
};

static int line_nr;

static void bad(const char *why)
{
	die("plan line %d: %s", line_nr, why);
}

static uint64_t number(const char *word)
{
	char *end;
	uint64_t v = strtoull(word, &end, 10);

	if (*end)
		bad("not a number");
	return v;
}

/* Tables grow by doubling; flows and connections refer by index until all are read. */
static void *table_grow(void *table, int n, size_t size)
{
	if (n && (n & (n - 1)))
		return table;
	table = realloc(table, (n ? 2 * (size_t)n : 1) * size);
	if (!table)
		bad("no memory");
	return table;
}

struct ns *plan_ns(const char *name)
{
	int i;

	if (!strcmp(name, "-"))
		return NULL;
	for (i = 0; i < lab.nr_ns; i++)
		if (!strcmp(lab.ns[i].name, name))
			return &lab.ns[i];
	bad("unknown namespace");
	return NULL;
}

static void copy(char *to, const char *from, size_t size)
{
	if (strlen(from) >= size)
		bad("name too long");
	strcpy(to, from);
}

static void do_count(char **w)
{
	lab.ns = calloc(number(w[1]), sizeof(*lab.ns));
	lab.conns = calloc(number(w[2]) + 1, sizeof(*lab.conns));
	lab.flows = calloc(number(w[3]) + 1, sizeof(*lab.flows));
	if (!lab.ns || !lab.conns || !lab.flows)
		bad("no memory");
}

static void do_ns(char **w)
{
	struct ns *ns = &lab.ns[lab.nr_ns++];

	copy(ns->name, w[1], sizeof(ns->name));
	netns_create(ns);
}

/* Values of several words have commas between them. */
static void do_sysctl(char **w)
{
	char *comma;

	while ((comma = strchr(w[3], ',')))
		*comma = ' ';
	netns_sysctl(plan_ns(w[1]), w[2], w[3]);
}

static void do_exec(char **w)
{
	netns_exec(plan_ns(w[1]), w[2], w[3], NULL);
}

static void do_plain(char **w)
{
	netns_plain(plan_ns(w[1]), w[2]);
}

static void do_sample(char **w)
{
	plan_ns(w[1])->sampled = true;
}

static void do_counters(char **w)
{
	plan_ns(w[1])->counted = true;
}

static void do_tap(char **w)
{
	plan_ns(w[1])->tapped = true;
}

static void do_repairs(char **w)
{
	plan_ns(w[1])->repairs = true;
}

static enum proto proto_of(const char *name)
{
	static const char *const names[] = {
		[PROTO_TCP] = "tcp", [PROTO_MPTCP] = "mptcp",
		[PROTO_UET] = "uet", [PROTO_ROD] = "rod", [PROTO_UDP] = "udp",
	};
	int i;

	for (i = 0; i <= PROTO_UDP; i++)
		if (!strcmp(names[i], name))
			return i;
	bad("unknown protocol");
	return 0;
}

/* conn PROTO NS ADDR PORT NS ADDR PORT CC POLICY READ-RATE UNTIL WINDOWS */
static void do_conn(char **w)
{
	struct conn *c = &lab.conns[lab.nr_conns];

	c->id = lab.nr_conns++;
	c->proto = proto_of(w[1]);
	c->src = plan_ns(w[2]);
	copy(c->saddr, w[3], sizeof(c->saddr));
	c->sport = number(w[4]);
	c->dst = plan_ns(w[5]);
	copy(c->daddr, w[6], sizeof(c->daddr));
	c->dport = number(w[7]);
	copy(c->cc, strcmp(w[8], "-") ? w[8] : "", sizeof(c->cc));
	copy(c->policy, strcmp(w[9], "-") ? w[9] : "", sizeof(c->policy));
	c->read_rate = number(w[10]);
	c->read_until = number(w[11]);
	c->watch_window = number(w[12]);
	c->txfd = -1;
	c->rxfd = -1;
	if (c->proto == PROTO_UET || c->proto == PROTO_ROD)
		c->ops = &uet_ops;
	else
		c->ops = c->proto == PROTO_UDP ? &udp_ops : &tcp_ops;
}

/* flow CONN START BYTES MSG AFTER(-) DELAY STOP */
static void do_flow(char **w)
{
	struct flow *f = &lab.flows[lab.nr_flows];

	f->id = lab.nr_flows++;
	f->conn = &lab.conns[number(w[1])];
	f->start = number(w[2]);
	f->bytes = number(w[3]);
	f->msg = number(w[4]);
	f->after = strcmp(w[5], "-") ? (int)number(w[5]) : -1;
	f->delay = number(w[6]);
	f->stop = number(w[7]);
	if (f->bytes)
		lab.finite++;
	if (f->after >= f->id)
		bad("a flow can only follow an earlier one");
	if (f->after >= 0) {
		f->sibling = lab.flows[f->after].dependents;
		lab.flows[f->after].dependents = f;
	}
}

static void do_provider(char **w)
{
	ranks_provider(w[1]);
}

/* rank NS ADDR */
static void do_rank(char **w)
{
	ranks_add(plan_ns(w[1]), w[2]);
}

static void do_collective(char **w)
{
	ranks_work(w[1]);
}

static void change_now(void *arg)
{
	struct change *ch = arg;
	char *value;

	if (strcmp(ch->tool, "sysctl")) {
		netns_exec(ch->ns, ch->tool, ch->file, NULL);
		return;
	}
	value = strchr(ch->file, '=');
	if (!value)
		bad("a setting needs a value");
	*value++ = '\0';
	netns_sysctl(ch->ns, ch->file, value);
}

/* at TIME NS TOOL FILE, or PATH=VALUE for the tool sysctl; the common start is not known yet, see plan_changes */
static struct {
	uint64_t	when;
	struct change	change;
} *changes;
static int nr_changes;

static void do_at(char **w)
{
	changes = table_grow(changes, nr_changes, sizeof(*changes));
	changes[nr_changes].when = number(w[1]);
	changes[nr_changes].change.ns = plan_ns(w[2]);
	copy(changes[nr_changes].change.tool, w[3], 8);
	copy(changes[nr_changes].change.file, w[4], 256);
	nr_changes++;
}

/* times WARM-WAIT UNTIL SETTLE PORTS WINDOWS GOODPUT */
static void do_times(char **w)
{
	lab.warm_wait = number(w[1]);
	lab.until = number(w[2]);
	lab.settle = number(w[3]);
	lab.port_every = number(w[4]);
	lab.window_every = number(w[5]);
	lab.goodput_every = number(w[6]);
}

static const struct {
	const char	*name;
	int		words;
	void		(*fn)(char **w);
} orders[] = {
	{ "count", 4, do_count },
	{ "ns", 2, do_ns },
	{ "sysctl", 4, do_sysctl },
	{ "exec", 4, do_exec },
	{ "plain", 3, do_plain },
	{ "sample", 2, do_sample },
	{ "counters", 2, do_counters },
	{ "tap", 2, do_tap },
	{ "repairs", 2, do_repairs },
	{ "conn", 13, do_conn },
	{ "flow", 8, do_flow },
	{ "provider", 2, do_provider },
	{ "rank", 3, do_rank },
	{ "collective", 2, do_collective },
	{ "at", 5, do_at },
	{ "times", 7, do_times },
};

static void carry_out(char *line)
{
	char *w[PLAN_WORDS], *save = NULL, *p;
	size_t i;
	int n = 0;

	for (p = strtok_r(line, " \n", &save); p && n < PLAN_WORDS;
	     p = strtok_r(NULL, " \n", &save))
		w[n++] = p;
	if (!n || w[0][0] == '#')
		return;
	for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (strcmp(orders[i].name, w[0]))
			continue;
		if (orders[i].words != n)
			bad("wrong number of words");
		orders[i].fn(w);
		return;
	}
	bad("unknown order");
}

void plan_read(const char *path)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	if (!in)
		die("cannot read %s", path);
	while (getline(&line, &room, in) >= 0) {
		line_nr++;
		carry_out(line);
	}
	free(line);
	fclose(in);
}

/* Failures and repairs, once the common start is known. */
void plan_changes(void)
{
	int i;

	for (i = 0; i < nr_changes; i++)
		timer_at(lab.t0 + changes[i].when, change_now,
			 &changes[i].change);
}
