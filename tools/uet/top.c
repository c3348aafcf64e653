// SPDX-License-Identifier: GPL-2.0
/*
 * "top": the busiest peers, once a second. On a terminal a full screen that "q"
 * ends; elsewhere one frame after the other.
 */
#include <errno.h>
#include <linux/uet_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "field.h"
#include "names.gen.h"
#include "screen.h"
#include "tick.h"
#include "units.h"
#include "verbs.h"

#define NS_PER_S	1e9

/**
 * struct row - a congestion control context
 */
struct row {
	uint64_t id;
	struct in6_addr remote;
	uint64_t sent_bytes, retransmits, acks, marks;
	struct fact_counts counts;
	uint64_t cwnd, inflight, backlog, rtt, wait_ns;
	uint32_t paths, paths_gone, wait;
	double tx_rate, rtx_rate, marked, lossy;
};

struct rows {
	struct row *of;
	size_t n, room;
	uint64_t at;
	bool no_memory;
};

/**
 * struct top - the view
 * @t: tool
 * @screen: where it is drawn
 * @tick: how often
 * @frames: those drawn so far
 */
struct top {
	struct tool *t;
	struct screen screen;
	struct tick tick;
	uint64_t frames;
};

static void take(const struct attrs *a, void *arg)
{
	struct rows *rows = arg;
	struct row *r;

	if (rows->n == rows->room) {
		r = realloc(rows->of, (rows->room * 2 + 64) * sizeof(*r));
		if (!r) {
			rows->no_memory = true;
			return;
		}
		rows->of = r;
		rows->room = rows->room * 2 + 64;
	}
	r = &rows->of[rows->n++];
	*r = (struct row){
		.id		= attr_num(a, UET_A_CCC_ID),
		.sent_bytes	= attr_num(a, UET_A_CCC_SENT_BYTES),
		.retransmits	= attr_num(a, UET_A_CCC_RETRANSMITS),
		.acks		= attr_num(a, UET_A_CCC_ACKS),
		.marks		= attr_num(a, UET_A_CCC_MARKS),
		.cwnd		= attr_num(a, UET_A_CCC_CWND),
		.inflight	= attr_num(a, UET_A_CCC_INFLIGHT),
		.backlog	= attr_num(a, UET_A_CCC_BACKLOG),
		.rtt		= attr_num(a, UET_A_CCC_RTT),
		.wait_ns	= attr_num(a, UET_A_CCC_WAIT_NS),
		.paths		= attr_num(a, UET_A_CCC_PATHS),
		.paths_gone	= attr_num(a, UET_A_CCC_PATHS_GONE),
		.wait		= attr_num(a, UET_A_CCC_WAIT),
	};
	attr_addr(a, UET_A_CCC_REMOTE, &r->remote);
	counts_take(a, &r->counts);
}

static int by_id(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int by_rate(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->tx_rate != y->tx_rate)
		return x->tx_rate < y->tx_rate ? 1 : -1;
	if (x->backlog != y->backlog)
		return x->backlog < y->backlog ? 1 : -1;
	return by_id(a, b);
}

static void rates_of(struct rows *now, const struct rows *before)
{
	double s = (now->at - before->at) / NS_PER_S;
	const struct row *old;
	struct row *r;

	for (r = now->of; r < now->of + now->n; r++) {
		old = before->n ? bsearch(r, before->of, before->n, sizeof(*r),
					  by_id) : NULL;
		if (!old || s <= 0)
			continue;
		r->tx_rate = 8 * (double)(r->sent_bytes - old->sent_bytes) / s;
		r->rtx_rate = (r->retransmits - old->retransmits) / s;
		if (r->acks > old->acks)
			r->marked = 100. * (r->marks - old->marks) /
				    (r->acks - old->acks);
		r->lossy = counts_lost_percent(&old->counts, &r->counts);
	}
}

static int read_rows(struct top *top, struct rows *rows)
{
	int err;

	rows->n = 0;
	rows->no_memory = false;
	rows->at = now_ns();
	err = show_dump(top->t, &object_ccc, NULL, take, rows);
	/* Those that come and go meanwhile are seen the next time */
	if (err == -EINTR)
		err = 0;
	if (!err && rows->no_memory)
		err = -ENOMEM;
	if (!err && rows->n)
		qsort(rows->of, rows->n, sizeof(*rows->of), by_id);
	return err;
}

/* --- columns ---------------------------------------------------------------- */

static void put_addr(const struct row *r, char *buf, size_t size)
{
	addr_text(&r->remote, buf, size);
}

static void put_tx(const struct row *r, char *buf, size_t size)
{
	rate_text(r->tx_rate, buf, size);
}

static void put_wait(const struct row *r, char *buf, size_t size)
{
	char since[UNIT_TEXT] = "";
	const char *name = name_of(&names_wait, r->wait);

	if (!r->wait) {
		snprintf(buf, size, "-");
		return;
	}
	if (r->wait_ns)
		ns_text(r->wait_ns, since, sizeof(since));
	snprintf(buf, size, "%s %s", name ? name : "?", since);
}

static void put_cwnd(const struct row *r, char *buf, size_t size)
{
	bytes_text(r->cwnd, buf, size);
}

static void put_inflight(const struct row *r, char *buf, size_t size)
{
	bytes_text((int64_t)r->inflight, buf, size);
}

static void put_backlog(const struct row *r, char *buf, size_t size)
{
	bytes_text(r->backlog, buf, size);
}

static void put_gone(const struct row *r, char *buf, size_t size)
{
	snprintf(buf, size, "%u", r->paths_gone);
}

static void put_rtx(const struct row *r, char *buf, size_t size)
{
	snprintf(buf, size, "%.0f", r->rtx_rate);
}

static void put_marked(const struct row *r, char *buf, size_t size)
{
	snprintf(buf, size, "%.0f", r->marked);
}

static void put_lossy(const struct row *r, char *buf, size_t size)
{
	snprintf(buf, size, "%.1f", r->lossy);
}

static void put_rtt(const struct row *r, char *buf, size_t size)
{
	ns_text(r->rtt, buf, size);
}

/* From left to right; those with a high rank go first when it gets narrow */
static const struct column {
	const char *head;
	int width;
	int rank;
	void (*put)(const struct row *r, char *buf, size_t size);
} columns[] = {
	{ "PEER", -16, 0, put_addr },
	{ "TX/s", 9, 1, put_tx },
	{ "CWND", 8, 3, put_cwnd },
	{ "INFLIGHT", 8, 6, put_inflight },
	{ "BACKLOG", 8, 5, put_backlog },
	{ "RTT", 7, 7, put_rtt },
	{ "RTX/s", 6, 8, put_rtx },
	{ "MARK%", 5, 9, put_marked },
	{ "LOST%", 5, 10, put_lossy },
	{ "GONE", 6, 4, put_gone },
	{ "WAIT", -20, 2, put_wait },
};

#define N_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

static int width_of(const struct column *c)
{
	return c->width < 0 ? -c->width : c->width;
}

/* The highest rank that fits */
static int rank_for(int width)
{
	int rank, used = -1;
	size_t i;

	for (rank = 0; rank < (int)N_COLUMNS; rank++) {
		for (i = 0; columns[i].rank != rank; i++)
			;
		used += width_of(&columns[i]) + 1;
		if (used > width)
			break;
	}
	return rank ? rank - 1 : 0;
}

/**
 * struct frame - a frame on its way out
 * @full: it fills a screen, which must not scroll
 * @width: columns
 * @left: lines that fit still
 */
struct frame {
	bool full;
	unsigned int width;
	size_t left;
};

static void put_text(struct frame *f, const char *line)
{
	if (!f->left)
		return;
	f->left--;
	printf("%.*s%s", (int)f->width, line, f->full ? "\033[K" : "");
	if (!f->full || f->left)
		putchar('\n');
}

/* The line of a context, NULL = that of the heads */
static void put_row(struct frame *f, const struct row *r)
{
	char cell[VALUE_TEXT], line[512] = "";
	int rank = rank_for(f->width);
	size_t i, at = 0;

	for (i = 0; i < N_COLUMNS; i++) {
		if (columns[i].rank > rank)
			continue;
		if (r)
			columns[i].put(r, cell, sizeof(cell));
		else
			snprintf(cell, sizeof(cell), "%s", columns[i].head);
		at += snprintf(line + at, sizeof(line) - at, "%s%*s",
			       at ? " " : "", columns[i].width, cell);
		if (at >= sizeof(line))
			break;
	}
	at = strlen(line);
	while (at && line[at - 1] == ' ')
		line[--at] = '\0';
	put_text(f, line);
}

static void put_head(struct frame *f, const struct rows *rows)
{
	size_t i, waiting = 0, bad = 0;
	char rate[UNIT_TEXT], head[160];
	double sum = 0;

	for (i = 0; i < rows->n; i++) {
		sum += rows->of[i].tx_rate;
		waiting += rows->of[i].wait != 0;
		bad += rows->of[i].paths_gone != 0;
	}
	rate_text(sum, rate, sizeof(rate));
	snprintf(head, sizeof(head),
		 "uet top: %zu contexts, %zu wait, %zu lost paths, %s/s", rows->n,
		 waiting, bad, rate);
	put_text(f, head);
}

static void put_frame(const struct top *top, const struct rows *rows)
{
	struct frame f = { .full = top->screen.on };
	unsigned int height;
	size_t i;

	screen_size(&f.width, &height);
	f.left = f.full ? height : SIZE_MAX;
	if (f.full)
		fputs("\033[H", stdout);
	put_head(&f, rows);
	put_row(&f, NULL);
	for (i = 0; i < rows->n && f.left; i++)
		put_row(&f, &rows->of[i]);
	fputs(f.full ? "\033[J" : "\n", stdout);
}

static void put_real(struct out *o, const char *key, double real)
{
	out_value(o, key, &(struct value){ .kind = K_REAL, .real = real }, 0);
}

static void put_json(struct out *o, const struct rows *rows)
{
	const struct row *r;

	out_list(o);
	for (r = rows->of; r < rows->of + rows->n; r++) {
		out_object(o, NULL);
		out_value(o, "remote",
			  &(struct value){ .kind = K_ADDR, .addr = r->remote }, 0);
		out_num(o, "ccc", K_NUM, r->id, 0);
		put_real(o, "tx_bits_per_s", r->tx_rate);
		put_real(o, "retransmits_per_s", r->rtx_rate);
		put_real(o, "marked_percent", r->marked);
		put_real(o, "lost_percent", r->lossy);
		out_num(o, "cwnd", K_BYTES, r->cwnd, 0);
		out_num(o, "inflight", K_SBYTES, r->inflight, 0);
		out_num(o, "backlog", K_BYTES, r->backlog, 0);
		out_num(o, "rtt", K_NS, r->rtt, 0);
		out_num(o, "paths", K_NUM, r->paths, 0);
		out_num(o, "paths_gone", K_NUM, r->paths_gone, 0);
		out_value(o, "wait", &(struct value){ .kind = K_ENUM, .u = r->wait,
			  .names = &names_wait }, 0);
		out_num(o, "wait_ns", K_NS, r->wait_ns, 0);
		out_object_end(o);
	}
	out_list_end(o);
}

/* Return: whether there is somebody who looks at it, and more is wanted */
static bool draw(struct top *top, struct rows *rows)
{
	/* Those before are looked up by id, so they go by rate for a while only */
	if (rows->n)
		qsort(rows->of, rows->n, sizeof(*rows->of), by_rate);
	if (top->t->opts.json)
		put_json(&top->t->out, rows);
	else
		put_frame(top, rows);
	if (rows->n)
		qsort(rows->of, rows->n, sizeof(*rows->of), by_id);
	return out_flush(&top->t->out) &&
	       (!top->tick.count || top->frames < top->tick.count);
}

static int frames(struct top *top)
{
	struct rows all[2] = { 0 }, *now = &all[0], *before = &all[1], *swap;
	enum screen_event event;
	bool more = true;
	int err;

	err = read_rows(top, now);
	/* Without rates yet, but nobody looks at an empty screen */
	if (!err && top->screen.on)
		more = draw(top, now);
	while (!err && more) {
		event = screen_rest(&top->screen, &top->tick);
		if (event == SCREEN_END)
			break;
		if (event == SCREEN_NEXT) {
			swap = now;
			now = before;
			before = swap;
			err = read_rows(top, now);
			if (err)
				break;
			rates_of(now, before);
			top->frames++;
		}
		more = draw(top, now);
	}
	free(all[0].of);
	free(all[1].of);
	return err;
}

int top_run(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	struct top top = { .t = t, .tick = { .interval = 1 } };
	int err;

	(void)cmd;
	while (argc) {
		err = tick_option(&top.tick, &argc, &argv);
		if (!err)
			usage_error("what is \"%s\"?", argv[0]);
		if (err <= 0)
			return EXIT_USAGE;
	}
	err = nl_open(&t->nl);
	if (err)
		return kernel_status(err);
	/* What is said on the screen goes with it */
	t->nl.quiet = true;
	screen_begin(&top.screen, !t->opts.json);
	err = frames(&top);
	screen_end(&top.screen);
	t->nl.quiet = false;
	if (err)
		fprintf(stderr, "Error: contexts: %s.\n", strerror(-err));
	return kernel_status(err);
}
