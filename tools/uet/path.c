// SPDX-License-Identifier: GPL-2.0
/*
 * Object "path": the entropy values of congestion control contexts, as a map with a
 * character for each value, or as a table.
 */
#include <errno.h>
#include <linux/uet_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "names.gen.h"
#include "screen.h"
#include "verbs.h"

#define MAP_COLUMNS	64
#define MAP_LABEL	14
#define LISTED_MOST	8
#define EV_BITS		16

static const struct field fields[] = {
	{ "ev", UET_A_PATH_EV, K_NUM, F_BARE },
	{ "state", UET_A_PATH_STATE, K_ENUM, F_BARE, &names_path_state },
	{ "ccc", UET_A_PATH_CCC, K_NUM },
	{ "local", UET_A_PATH_LOCAL, K_ADDR },
	{ "remote", UET_A_PATH_REMOTE, K_ADDR },
	{ "dev", UET_A_PATH_IFINDEX, K_DEV },
	{ "skip", UET_A_PATH_SKIP, K_NUM, F_NONZERO },
	{ "gone_ns", UET_A_PATH_GONE_NS, K_NS },
	{ "sent", UET_A_PATH_SENT, K_NUM },
	{ "clear", UET_A_PATH_CLEAR, K_NUM },
	{ "marked", UET_A_PATH_MARKED, K_NUM },
	{ "trimmed", UET_A_PATH_TRIMMED, K_NUM },
	{ "lost", UET_A_PATH_LOST, K_NUM },
	{ "rtt", UET_A_PATH_RTT, K_NS },
	{ 0 }
};

static const struct arg args[] = {
	{ "peer", ARG_PREFIX, UET_A_FILTER_REMOTE, NULL, "to these peers" },
	{ "local", ARG_ADDR, UET_A_FILTER_LOCAL, NULL, "of this local address" },
	{ "ccc", ARG_U64, UET_A_FILTER_CCC, NULL, "of this context" },
	{ "state", ARG_NAME, UET_A_FILTER_PATH_STATE, &names_path_state,
	  "values that are" },
	{ "dev", ARG_DEV, UET_A_FILTER_IFINDEX, NULL, "over this interface" },
	{ 0 }
};

const struct object object_path = {
	UET_CMD_PATH_GET, UET_A_PATH_FILTER, fields,
};

/* By enum uet_nl_path_state */
static const char marks[] = ".X-*o";
static const char *const colours[] = {
	"\033[32m", "\033[31m", "\033[31m", "\033[36m", "\033[33m",
};

/**
 * struct map - the values of one context
 * @o: output
 * @ccc: the context, 0 = none yet
 * @remote: its peer
 * @columns: values in a row
 * @n: values by state
 * @mark: a character for each value, 0 if it is not one of the context's
 */
struct map {
	struct out *o;
	uint64_t ccc;
	struct in6_addr remote;
	unsigned int columns;
	unsigned int n[sizeof(marks)];
	char mark[1 << EV_BITS];
};

static char mark_of(uint64_t state)
{
	return state < sizeof(marks) - 1 ? marks[state] : '?';
}

static void put_mark(struct out *o, char mark)
{
	const char *at = strchr(marks, mark);

	if (mark && at && o->opts->colour)
		fprintf(o->to, "%s%c\033[0m", colours[at - marks], mark);
	else
		putc(mark ? mark : ' ', o->to);
}

/* Marks of values that follow each other, which may be far apart */
struct map_row {
	unsigned int first, last, n;
	char mark[MAP_COLUMNS];
};

static void put_row(const struct map *m, struct map_row *row)
{
	unsigned int i;

	if (!row->n)
		return;
	fprintf(m->o->to, "  %5u-%-5u ", row->first, row->last);
	for (i = 0; i < row->n; i++)
		put_mark(m->o, row->mark[i]);
	putc('\n', m->o->to);
	row->n = 0;
}

static void put_rows(const struct map *m)
{
	struct map_row row = { 0 };
	unsigned int ev;

	for (ev = 0; ev < 1 << EV_BITS; ev++) {
		if (!m->mark[ev])
			continue;
		if (!row.n)
			row.first = ev;
		row.last = ev;
		row.mark[row.n++] = m->mark[ev];
		if (row.n == m->columns)
			put_row(m, &row);
	}
	put_row(m, &row);
}

/* The values of a state by their numbers, the first few */
static void put_listed(const struct map *m, unsigned int state)
{
	unsigned int ev, n = 0;

	if (!m->n[state])
		return;
	fprintf(m->o->to, "  %s:", name_of(&names_path_state, state));
	for (ev = 0; ev < 1 << EV_BITS && n < LISTED_MOST; ev++) {
		if (m->mark[ev] != marks[state])
			continue;
		fprintf(m->o->to, " %u", ev);
		n++;
	}
	fputs(m->n[state] > n ? " ...\n" : "\n", m->o->to);
}

static void put_map(struct map *m)
{
	char addr[ADDR_TEXT];
	unsigned int i;

	if (!m->ccc)
		return;
	addr_text(&m->remote, addr, sizeof(addr));
	fprintf(m->o->to, "%s ccc %llu", addr, (unsigned long long)m->ccc);
	for (i = 0; i < sizeof(marks) - 1; i++)
		if (m->n[i])
			fprintf(m->o->to, " %s %u", name_of(&names_path_state, i),
				m->n[i]);
	putc('\n', m->o->to);
	put_rows(m);
	for (i = 0; i < sizeof(marks) - 1; i++)
		if (i != UET_PATH_STATE_GOOD)
			put_listed(m, i);
}

static void map_one(const struct attrs *a, void *arg)
{
	struct map *m = arg;
	uint64_t ccc = attr_num(a, UET_A_PATH_CCC);
	uint64_t state = attr_num(a, UET_A_PATH_STATE);

	if (ccc != m->ccc) {
		put_map(m);
		memset(m->n, 0, sizeof(m->n));
		memset(m->mark, 0, sizeof(m->mark));
		m->ccc = ccc;
		attr_addr(a, UET_A_PATH_REMOTE, &m->remote);
	}
	m->mark[attr_num(a, UET_A_PATH_EV) & 0xffff] = mark_of(state);
	m->n[state < sizeof(marks) ? state : sizeof(marks) - 1]++;
}

static void put_legend(struct out *o)
{
	unsigned int i;

	for (i = 0; i < sizeof(marks) - 1; i++) {
		fputs(i ? "  " : "", o->to);
		put_mark(o, marks[i]);
		fprintf(o->to, " %s", name_of(&names_path_state, i));
	}
	fprintf(o->to, "  (-d: the value of each)\n");
}

/* As many as the terminal has room for, so that columns stay below each other */
static unsigned int columns_for(unsigned int width)
{
	unsigned int columns = MAP_COLUMNS;

	while (columns > 1 && columns + MAP_LABEL > width)
		columns /= 2;
	return columns;
}

static int show_map(struct tool *t, const struct args *given)
{
	struct map *m = calloc(1, sizeof(*m));
	unsigned int width, height;
	int err;

	if (!m) {
		usage_error("no memory");
		return -ENOMEM;
	}
	m->o = &t->out;
	screen_size(&width, &height);
	m->columns = columns_for(width);
	err = show_dump(t, &object_path, given, map_one, m);
	put_map(m);
	if (m->ccc)
		put_legend(&t->out);
	free(m);
	return err;
}

static int path_show(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	struct args given;

	if (t->opts.json || t->opts.details || t->opts.stats)
		return show_run(t, cmd, argc, argv);
	if (args_parse(&given, cmd->args, argc, argv))
		return EXIT_USAGE;
	return kernel_status(show_map(t, &given));
}

const struct cmd verbs_path[] = {
	{ .name = "show", .run = path_show, .object = &object_path, .args = args,
	  .ask = ASK_PEERS,
	  .help = "map of good and bad entropy values; with -d a table" },
	{ 0 }
};
