// SPDX-License-Identifier: GPL-2.0
/*
 * "top": the busiest peers, once a second. On a terminal a full screen that "q"
 * ends; elsewhere one frame after the other.
 */
#include <errno.h>
#include <linux/uet_netlink.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "field.h"
#include "names.gen.h"
#include "tick.h"
#include "units.h"
#include "verbs.h"

#define DEFAULT_WIDTH	80
#define DEFAULT_HEIGHT	24
#define HEAD_LINES	2
#define NS_PER_S	1e9

/**
 * struct row - a congestion control context
 */
struct row {
	uint64_t id;
	struct in6_addr remote;
	uint64_t sent_bytes, sent_pkts, retransmits, acks, marks;
	uint64_t cwnd, inflight, backlog, rtt, wait_ns;
	uint32_t paths, paths_bad, wait;
	double tx_rate, rtx_rate, marked;
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
 * @screen: standard output is a terminal
 * @saved: how the terminal was
 */
struct top {
	struct tool *t;
	bool screen;
	struct termios saved;
};

static volatile sig_atomic_t ended;

static void end(int sig)
{
	(void)sig;
	ended = 1;
}

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
		.sent_pkts	= attr_num(a, UET_A_CCC_SENT_PKTS),
		.retransmits	= attr_num(a, UET_A_CCC_RETRANSMITS),
		.acks		= attr_num(a, UET_A_CCC_ACKS),
		.marks		= attr_num(a, UET_A_CCC_MARKS),
		.cwnd		= attr_num(a, UET_A_CCC_CWND),
		.inflight	= attr_num(a, UET_A_CCC_INFLIGHT),
		.backlog	= attr_num(a, UET_A_CCC_BACKLOG),
		.rtt		= attr_num(a, UET_A_CCC_RTT),
		.wait_ns	= attr_num(a, UET_A_CCC_WAIT_NS),
		.paths		= attr_num(a, UET_A_CCC_PATHS),
		.paths_bad	= attr_num(a, UET_A_CCC_PATHS_BAD),
		.wait		= attr_num(a, UET_A_CCC_WAIT),
	};
	attr_addr(a, UET_A_CCC_REMOTE, &r->remote);
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
	}
}

static int read_rows(struct top *top, struct rows *rows)
{
	int err;

	rows->n = 0;
	rows->no_memory = false;
	rows->at = now_ns();
	err = show_dump(top->t, &object_ccc, NULL, take, rows);
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

static void put_bad(const struct row *r, char *buf, size_t size)
{
	snprintf(buf, size, "%u/%u", r->paths_bad, r->paths);
}

static void put_rtx(const struct row *r, char *buf, size_t size)
{
	snprintf(buf, size, "%.0f", r->rtx_rate);
}

static void put_marked(const struct row *r, char *buf, size_t size)
{
	snprintf(buf, size, "%.0f", r->marked);
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
	{ "BADPATHS", 9, 4, put_bad },
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

static void put_line(const struct row *r, int width, int rank)
{
	char cell[VALUE_TEXT], line[512] = "";
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
	printf("%.*s\n", width, line);
}

static void put_frame(const struct top *top, const struct rows *rows)
{
	struct winsize ws = { .ws_col = DEFAULT_WIDTH, .ws_row = DEFAULT_HEIGHT };
	const char *columns_env = getenv("COLUMNS");
	char rate[UNIT_TEXT], head[128];
	size_t i, waiting = 0, bad = 0, most = rows->n, room;
	uint64_t width;
	double sum = 0;

	if (top->screen)
		ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws);
	else if (columns_env && number_parse(columns_env, 500, &width) && width)
		ws.ws_col = width;
	for (i = 0; i < rows->n; i++) {
		sum += rows->of[i].tx_rate;
		waiting += rows->of[i].wait != 0;
		bad += rows->of[i].paths_bad != 0;
	}
	rate_text(sum, rate, sizeof(rate));
	snprintf(head, sizeof(head),
		 "uet top: %zu contexts, %zu wait, %zu with bad paths, %s/s", rows->n,
		 waiting, bad, rate);
	if (top->screen) {
		fputs("\033[H\033[J", stdout);
		room = ws.ws_row > HEAD_LINES ? ws.ws_row - HEAD_LINES - 1 : 0;
		if (most > room)
			most = room;
	}
	printf("%.*s\n", ws.ws_col, head);
	put_line(NULL, ws.ws_col, rank_for(ws.ws_col));
	for (i = 0; i < most; i++)
		put_line(&rows->of[i], ws.ws_col, rank_for(ws.ws_col));
	if (!top->screen)
		putchar('\n');
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
		out_num(o, "cwnd", K_BYTES, r->cwnd, 0);
		out_num(o, "inflight", K_SBYTES, r->inflight, 0);
		out_num(o, "backlog", K_BYTES, r->backlog, 0);
		out_num(o, "rtt", K_NS, r->rtt, 0);
		out_num(o, "paths", K_NUM, r->paths, 0);
		out_num(o, "paths_bad", K_NUM, r->paths_bad, 0);
		out_value(o, "wait", &(struct value){ .kind = K_ENUM, .u = r->wait,
			  .names = &names_wait }, 0);
		out_num(o, "wait_ns", K_NS, r->wait_ns, 0);
		out_object_end(o);
	}
	out_list_end(o);
}

/* --- the terminal ------------------------------------------------------------ */

static void screen_begin(struct top *top)
{
	struct sigaction sa = { .sa_handler = end };
	struct termios raw;

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	top->screen = isatty(STDOUT_FILENO) && !top->t->opts.json &&
		      !tcgetattr(STDIN_FILENO, &top->saved);
	if (!top->screen)
		return;
	raw = top->saved;
	raw.c_lflag &= ~(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	fputs("\033[?1049h\033[?25l", stdout);
}

static void screen_end(struct top *top)
{
	if (!top->screen)
		return;
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &top->saved);
}

/* Waits for the next frame. Return: whether it is to end */
static bool rest(struct top *top, struct tick *tick)
{
	char key;

	while (!ended && tick_wait(tick, top->screen ? STDIN_FILENO : -1)) {
		if (read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q')
			return true;
	}
	return ended;
}

static int frames(struct top *top, struct tick *tick)
{
	struct rows all[2] = { 0 }, *now = &all[0], *before = &all[1], *swap;
	uint64_t done = 0;
	int err;

	err = read_rows(top, before);
	while (!err && !rest(top, tick)) {
		err = read_rows(top, now);
		if (err)
			break;
		rates_of(now, before);
		/* Those of before are wanted by id, these go by rate for a while */
		if (now->n)
			qsort(now->of, now->n, sizeof(*now->of), by_rate);
		if (top->t->opts.json)
			put_json(&top->t->out, now);
		else
			put_frame(top, now);
		if (!out_flush(&top->t->out) || (tick->count && ++done == tick->count))
			break;
		if (now->n)
			qsort(now->of, now->n, sizeof(*now->of), by_id);
		swap = now;
		now = before;
		before = swap;
	}
	free(all[0].of);
	free(all[1].of);
	return err;
}

int top_run(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	struct tick tick = { .interval = 1 };
	struct top top = { .t = t };
	int err;

	(void)cmd;
	while (argc) {
		err = tick_option(&tick, &argc, &argv);
		if (!err)
			usage_error("what is \"%s\"?", argv[0]);
		if (err <= 0)
			return EXIT_USAGE;
	}
	err = nl_open(&t->nl);
	if (err)
		return kernel_status(err);
	screen_begin(&top);
	err = frames(&top, &tick);
	screen_end(&top);
	return kernel_status(err);
}
