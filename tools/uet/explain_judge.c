// SPDX-License-Identifier: GPL-2.0
/*
 * Which of the causes hold, and in what order they are told: by what kind of cause it
 * is, by the bytes that wait for it, and by what lies deeper. A window that is small
 * since paths lose packets is not what to look at.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain_causes.h"
#include "units.h"

#define BIT(n)		(1U << (n))

/**
 * say() - add to a text
 * @buf: text of EXPLAIN_TEXT bytes; what has no room is cut
 * @format: as printf()
 */
void say(char *buf, const char *format, ...)
{
	size_t len = strlen(buf);
	va_list ap;

	va_start(ap, format);
	vsnprintf(buf + len, EXPLAIN_TEXT - len, format, ap);
	va_end(ap);
}

/**
 * say_bytes() - add words and a number of bytes to a text
 * @buf: text of EXPLAIN_TEXT bytes
 * @before: the words
 * @bytes: the number
 */
void say_bytes(char *buf, const char *before, uint64_t bytes)
{
	char text[UNIT_TEXT];

	bytes_text(bytes, text, sizeof(text));
	say(buf, "%s%s", before, text);
}

/**
 * waits_for() - does something wait for this, and since when?
 * @f: facts
 * @wait: what for
 * @v: gets the time
 */
bool waits_for(const struct facts *f, enum uet_nl_wait wait,
		      struct verdict *v)
{
	v->since_ns = f->waits[wait].ns;
	return f->waits[wait].n;
}

/* What losses lead to: packets are missing, and the windows shut */
#define BY_LOSS	(BIT(UET_WAIT_ANSWER) | BIT(UET_WAIT_WINDOW) | \
		 BIT(UET_WAIT_RECEIVE_WINDOW) | BIT(UET_WAIT_OPENING) | \
		 BIT(UET_WAIT_TURN))

/**
 * struct cause - a cause
 * @name: its name
 * @rank: its kind, unless it says otherwise
 * @explains: waits that it explains, by enum uet_nl_wait
 * @holds: does it hold?
 */
static const struct cause {
	const char *name;
	enum verdict_rank rank;
	unsigned int explains;
	bool (*holds)(const struct facts *f, struct verdict *v);
} causes[] = {
	{ "route",	RANK_STOPS, ~0U, cause_route },
	{ "port",	RANK_STOPS, ~0U, cause_shut_port },
	{ "firewall",	RANK_STOPS, ~0U, cause_firewall },
	{ "silent",	RANK_STOPS, ~0U, cause_silent },
	{ "mtu",	RANK_WRONG, BY_LOSS, cause_mtu },
	{ "standstill",	RANK_WRONG, BIT(UET_WAIT_RECEIVER) | BIT(UET_WAIT_LINE),
	  cause_standstill },
	{ "receiver",	RANK_WRONG, BIT(UET_WAIT_RECEIVER) | BIT(UET_WAIT_LINE),
	  cause_receiver },
	{ "hold",	RANK_WRONG, BIT(UET_WAIT_LINE), cause_hold },
	{ "port",	RANK_WRONG, BY_LOSS | BIT(UET_WAIT_PORT), cause_port },
	{ "path",	RANK_WRONG, BY_LOSS, cause_path },
	{ "trim",	RANK_WRONG, BY_LOSS, cause_trim },
	{ "job",	RANK_FAILED, 0, cause_job },
	{ "refused",	RANK_FAILED, 0, cause_refused },
	{ "failed",	RANK_FAILED, 0, cause_failed },
	{ "reader",	RANK_FAILED, 0, cause_reader },
	{ "mtu",	RANK_LIMIT, BY_LOSS, cause_small_mtu },
	{ "port",	RANK_LIMIT, BY_LOSS | BIT(UET_WAIT_PORT), cause_dropping_port },
	{ "port",	RANK_LIMIT, BIT(UET_WAIT_PORT), cause_full_port },
	{ "credit",	RANK_LIMIT, BIT(UET_WAIT_CREDIT), cause_credit },
	{ "receive-window", RANK_LIMIT, BIT(UET_WAIT_RECEIVE_WINDOW),
	  cause_receive_window },
	{ "window",	RANK_LIMIT, BIT(UET_WAIT_WINDOW), cause_window },
	{ "opening",	RANK_USUAL, BIT(UET_WAIT_OPENING), cause_opening },
	{ "moving",	RANK_USUAL, BIT(UET_WAIT_MOVING), cause_moving },
	{ "line",	RANK_USUAL, BIT(UET_WAIT_LINE), cause_line },
	{ "writer",	RANK_USUAL, BIT(UET_WAIT_WRITER), cause_writer },
	{ "turn",	RANK_USUAL, BIT(UET_WAIT_TURN), cause_turn },
	{ "answer",	RANK_USUAL, BIT(UET_WAIT_ANSWER), cause_answer },
};

#define CAUSES	(sizeof(causes) / sizeof(*causes))

_Static_assert(CAUSES <= VERDICTS_MAX, "each cause has room");

/* What waits that a cause explains; without any that waits it is only a remark */
static void weigh(const struct facts *f, const struct cause *cause,
		  struct verdict *v)
{
	unsigned int i, n = 0;
	uint64_t ns = 0;

	for (i = 1; i < EXPLAIN_WAITS; i++) {
		if (!(cause->explains & BIT(i)))
			continue;
		v->bytes += f->waits[i].bytes;
		n += f->waits[i].n;
		if (f->waits[i].ns > ns)
			ns = f->waits[i].ns;
	}
	if (!v->since_ns)
		v->since_ns = ns;
	if (!n && (v->rank == RANK_WRONG || v->rank == RANK_LIMIT))
		v->rank = RANK_REMARK;
}

static int by_weight(const void *a, const void *b)
{
	const struct verdict *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/**
 * facts_judge() - find out where the bytes for a peer wait
 * @f: facts
 * @v: set: what holds, room for VERDICTS_MAX; the first one is to be looked at first
 *
 * Return: how many hold.
 */
unsigned int facts_judge(const struct facts *f, struct verdict *v)
{
	unsigned int i, n = 0;

	for (i = 0; i < CAUSES; i++) {
		v[n] = (struct verdict){
			.cause = causes[i].name, .rank = causes[i].rank, .order = i,
		};
		if (causes[i].holds(f, &v[n]))
			weigh(f, &causes[i], &v[n++]);
	}
	qsort(v, n, sizeof(*v), by_weight);
	return n;
}
