// SPDX-License-Identifier: GPL-2.0
/*
 * Object "stat": counters, and what they grow by.
 */
#include <inttypes.h>
#include <linux/uet_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "field.h"
#include "tick.h"
#include "verbs.h"

#define NS_PER_S	1e9

static void add(struct counters *c, const struct nlattr *nest, bool gauge)
{
	struct attrs a;

	if (c->n == COUNTERS_MAX) {
		c->cut = true;
		return;
	}
	attrs_nested(&a, nest);
	text_safe(attr_str(&a, UET_A_STAT_NAME), c->of[c->n].name, COUNTER_NAME);
	c->of[c->n].value = attr_num(&a, UET_A_STAT_VALUE);
	c->of[c->n].gauge = gauge;
	c->n++;
}

static void take(const struct attrs *a, void *arg)
{
	const struct nlattr *attr;

	for (attr = a->at[UET_A_STATS_COUNTER]; attr; attr = attr_again(a, attr))
		add(arg, attr, false);
	for (attr = a->at[UET_A_STATS_GAUGE]; attr; attr = attr_again(a, attr))
		add(arg, attr, true);
}

/**
 * counters_read() - ask for the counters
 * @t: tool
 * @begin: those whose names begin so, NULL = all
 * @c: set
 *
 * Return: 0 or a negative error, which was printed.
 */
int counters_read(struct tool *t, const char *begin, struct counters *c)
{
	struct nlmsghdr *req;
	int err = nl_open(&t->nl);

	c->n = 0;
	c->cut = false;
	if (err)
		return err;
	req = nl_request(&t->nl, UET_CMD_STATS_GET, false);
	if (begin)
		mnl_attr_put_strz(req, UET_A_STATS_NAME, begin);
	c->at = now_ns();
	err = nl_talk(&t->nl, req, take, c);
	if (!err && c->cut && !t->nl.quiet)
		fputs("Warning: the kernel has more counters than this tool can hold.\n",
		      stderr);
	return err;
}

/**
 * counters_find() - a counter by its name
 * @c: counters
 * @name: name
 * @hint: where it most likely is
 *
 * Return: the counter or NULL.
 */
const struct counter *counters_find(const struct counters *c, const char *name,
				    unsigned int hint)
{
	unsigned int i;

	if (hint < c->n && !strcmp(c->of[hint].name, name))
		return &c->of[hint];
	for (i = 0; i < c->n; i++)
		if (!strcmp(c->of[i].name, name))
			return &c->of[i];
	return NULL;
}

/**
 * counters_rate() - what a counter grew by, per second
 * @now: counters
 * @before: an earlier reading
 * @i: index in @now
 */
double counters_rate(const struct counters *now, const struct counters *before,
		     unsigned int i)
{
	const struct counter *old = counters_find(before, now->of[i].name, i);
	uint64_t ns = now->at - before->at;

	if (!old || !ns)
		return 0;
	return (int64_t)(now->of[i].value - old->value) * NS_PER_S / ns;
}

/* Zeroes are many and tell little: with -d only */
static bool shown(const struct tool *t, const struct counter *c, double rate)
{
	return t->opts.details || c->value || rate != 0;
}

static void put(struct tool *t, const struct counter *c, const double *rate)
{
	const char *type = c->gauge ? "gauge" : "counter";

	if (t->opts.json) {
		out_object(&t->out, NULL);
		out_str(&t->out, "name", c->name, 0);
		out_str(&t->out, "type", type, 0);
		out_num(&t->out, "value", K_NUM, c->value, 0);
		if (rate)
			out_value(&t->out, "rate",
				  &(struct value){ .kind = K_REAL, .real = *rate },
				  0);
		out_object_end(&t->out);
		return;
	}
	printf("%-24s %-7s %20" PRIu64, c->name, type, c->value);
	if (rate)
		printf(" %15.1f/s", *rate);
	putchar('\n');
}

static void put_all(struct tool *t, const struct counters *now,
		    const struct counters *before)
{
	unsigned int i;
	double rate;

	out_list(&t->out);
	for (i = 0; i < now->n; i++) {
		rate = before ? counters_rate(now, before, i) : 0;
		if (before ? rate != 0 || t->opts.details :
			     shown(t, &now->of[i], rate))
			put(t, &now->of[i], before ? &rate : NULL);
	}
	out_list_end(&t->out);
}

/* Each interval: what has changed since c[0], and how fast */
static int watch(struct tool *t, const char *begin, struct tick *tick,
		 struct counters *c)
{
	struct counters *before = &c[0], *now = &c[1], *swap;
	uint64_t done;
	int err = 0;

	for (done = 0; !err && (!tick->count || done < tick->count); done++) {
		tick_wait(tick, -1, NULL);
		err = counters_read(t, begin, now);
		if (err)
			break;
		if (done && !t->opts.json)
			putchar('\n');
		put_all(t, now, before);
		if (!out_flush(&t->out))
			break;
		swap = before;
		before = now;
		now = swap;
	}
	return kernel_status(err);
}

/**
 * struct how - what was asked for
 */
struct how {
	struct tick tick;
	const char *begin;
	bool openmetrics;
};

static int parse_option(struct how *how, int *argc, char ***argv)
{
	int taken = tick_option(&how->tick, argc, argv);

	if (taken)
		return taken < 0 ? EXIT_USAGE : 0;
	if (strcmp(**argv, "-o"))
		return usage_error("there is no option \"%s\"", **argv);
	if (*argc < 2 || strcmp((*argv)[1], "openmetrics"))
		return usage_error("-o takes openmetrics");
	how->openmetrics = true;
	*argc -= 2;
	*argv += 2;
	return 0;
}

static int parse(struct how *how, int argc, char **argv)
{
	if (argc && abbreviates(argv[0], "show")) {
		argc--;
		argv++;
	}
	while (argc) {
		if (argv[0][0] == '-') {
			if (parse_option(how, &argc, &argv))
				return EXIT_USAGE;
			continue;
		}
		if (how->begin || strlen(argv[0]) >= UET_NAME_LEN)
			return usage_error("what is \"%s\"?", argv[0]);
		how->begin = argv[0];
		argc--;
		argv++;
	}
	if (how->tick.count && !how->tick.interval)
		how->tick.interval = 1;
	if (how->openmetrics && how->tick.interval)
		return usage_error("openmetrics goes without an interval");
	return 0;
}

int stat_run(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	struct counters *c;
	struct how how = { 0 };
	int err;

	(void)cmd;
	if (parse(&how, argc, argv))
		return EXIT_USAGE;
	c = calloc(2, sizeof(*c));
	if (!c)
		return usage_error("no memory");
	err = kernel_status(counters_read(t, how.begin, c));
	if (!err && how.begin && !c->n)
		err = usage_error("there is no counter \"%s\"", how.begin);
	else if (!err && how.openmetrics)
		err = openmetrics_run(t, c);
	else if (!err && how.tick.interval)
		err = watch(t, how.begin, &how.tick, c);
	else if (!err)
		put_all(t, c, NULL);
	free(c);
	return err;
}
