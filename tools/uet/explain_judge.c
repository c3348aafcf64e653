// SPDX-License-Identifier: GPL-2.0
/*
 * The causes why bytes for a peer wait. Each has a function that tells from the facts
 * whether it holds, and since when. The table has them in the order of what lies
 * deeper: a window that is small since paths lose packets is not what to look at.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "explain.h"
#include "names.h"
#include "units.h"

/* A failure longer ago than this says nothing about now */
#define FRESH_NS	(60 * 1000000000ULL)
/* More time without a word of the peer than a lost packet explains */
#define SILENT_NS	500000000ULL
#define SILENT_TIMEOUTS	2
/* Fewer losses are no reason to look for the trimming of the switches */
#define TRIM_LOSSES	8

static void say(char *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds to a text */
static void say(char *buf, const char *format, ...)
{
	size_t len = strlen(buf);
	va_list ap;

	va_start(ap, format);
	vsnprintf(buf + len, EXPLAIN_TEXT - len, format, ap);
	va_end(ap);
}

static void say_bytes(char *buf, const char *before, uint64_t bytes)
{
	char text[UNIT_TEXT];

	bytes_text(bytes, text, sizeof(text));
	say(buf, "%s%s", before, text);
}

static bool waits_for(const struct facts *f, enum uet_nl_wait wait,
		      struct verdict *v)
{
	v->since_ns = f->waits[wait].ns;
	return f->waits[wait].n;
}

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
	return f->silent >= SILENT_TIMEOUTS && silence_ns(f) >= SILENT_NS;
}

static bool next_hop_answers(const struct facts *f)
{
	unsigned int i;

	for (i = 0; i < f->n_ports; i++)
		if (f->port[i].up && !f->port[i].silent)
			return true;
	return false;
}

static bool refused_by_peer(const struct facts *f)
{
	return f->failed && f->fail_ago_ns < FRESH_NS &&
	       (f->fail_source == UET_REPORT_SOURCE_SES ||
		f->fail_source == UET_REPORT_SOURCE_NACK);
}

static const char *failure_name(const struct facts *f)
{
	const char *name = f->fail_source == UET_REPORT_SOURCE_SES ?
			   name_of_ses_code(f->fail_code) :
			   name_of_nack_code(f->fail_code);

	return name ? name : "no name";
}

static void say_failure(const struct facts *f, struct verdict *v)
{
	v->since_ns = f->fail_ago_ns;
	say(v->more, "uet failure show peer %s", f->peer);
	say(v->text, "%" PRIu32 " message%s to job %" PRIu32 " PIDonFEP %" PRIu32
	    " failed, the last by %s code %" PRIu32 " (%s)",
	    f->fail_count, f->fail_count == 1 ? "" : "s", f->fail_job,
	    f->fail_pid, f->fail_source == UET_REPORT_SOURCE_SES ? "SES" : "NACK",
	    f->fail_code, failure_name(f));
}

/* SES return codes that speak of the job or of who may use it */
static bool job(const struct facts *f, struct verdict *v)
{
	enum { PERM_VIOLATION = 23, BAD_JOB_ID = 27 };

	if (!refused_by_peer(f) || f->fail_source != UET_REPORT_SOURCE_SES ||
	    (f->fail_code != BAD_JOB_ID && f->fail_code != PERM_VIOLATION))
		return false;
	say_failure(f, v);
	say(v->text, ": the target does not take part in this job");
	return true;
}

static bool refused(const struct facts *f, struct verdict *v)
{
	struct verdict ignored = { 0 };

	if (!refused_by_peer(f) || job(f, &ignored))
		return false;
	say_failure(f, v);
	return true;
}

static bool route(const struct facts *f, struct verdict *v)
{
	bool none = !f->n_hops || !f->hops[0].dev[0];

	if (!waits_for(f, UET_WAIT_ROUTE, v))
		return false;
	if (none) {
		say(v->text, "there is no route");
		say(v->more, "ip route get %s", f->peer);
		return true;
	}
	say(v->text, "next hop %s on %s does not answer", f->hops[0].via,
	    f->hops[0].dev);
	say(v->more, "ip neigh show to %s", f->hops[0].via);
	return true;
}

static bool port(const struct facts *f, struct verdict *v)
{
	unsigned int i;

	if (!waits_for(f, UET_WAIT_PORT, v) && !f->ports_down &&
	    !f->losses_local)
		return false;
	/* Ports that dropped once are not what bytes wait for now */
	if (!f->waits[UET_WAIT_PORT].n && !f->ports_down)
		return false;
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
	if (f->losses_local)
		say(v->text, "; it dropped %" PRIu64 " packets", f->losses_local);
	say(v->more, "uet port show peer %s", f->peer);
	return true;
}

static bool mtu(const struct facts *f, struct verdict *v)
{
	if (!f->hole_bytes)
		return false;
	say(v->text, "packets of %" PRIu32 " bytes and more are lost, smaller ones arrive; path MTU %" PRIu32
	    ", lowered %" PRIu32 " times", f->hole_bytes, f->path_mtu, f->steps);
	say(v->more, "ping -M do -s %" PRIu32 " %s", f->path_mtu - 28, f->peer);
	return true;
}

/* Sent, nothing came back, and the way is there, or others are heard over it */
static bool firewall(const struct facts *f, struct verdict *v)
{
	if (!not_heard(f) || f->waits[UET_WAIT_ROUTE].n)
		return false;
	if (!next_hop_answers(f) && f->heard_others_ns >= SILENT_NS)
		return false;
	v->since_ns = silence_ns(f);
	say(v->text, "%" PRIu32 " timeouts in a row, %s", f->silent,
	    f->heard_ns == EXPLAIN_NEVER ? "nothing ever came back" :
					   "nothing comes back any more");
	if (next_hop_answers(f))
		say(v->text, ", although the next hop answers");
	if (f->heard_others_ns < SILENT_NS)
		say(v->text, ", although other peers do");
	say(v->text, ": UDP to it is dropped, or no UET runs there");
	say(v->more, "ping -c 3 %s; there: nft list ruleset; uet fep show",
	    f->peer);
	return true;
}

static bool silent(const struct facts *f, struct verdict *v)
{
	struct verdict ignored = { 0 };

	if (!not_heard(f) || firewall(f, &ignored) ||
	    f->waits[UET_WAIT_ROUTE].n)
		return false;
	v->since_ns = silence_ns(f);
	say(v->text, "%" PRIu32 " timeouts in a row, and no other peer is heard either",
	    f->silent);
	say(v->more, "uet port show");
	return true;
}

static void say_hops(const struct facts *f, struct verdict *v)
{
	unsigned int i;

	for (i = 0; i < f->n_hops; i++)
		if (f->hops[i].bad && f->hops[i].dev[0])
			say(v->text, "; via %s dev %s: %u bad, %u good",
			    f->hops[i].via, f->hops[i].dev, f->hops[i].bad,
			    f->hops[i].good);
}

static bool path(const struct facts *f, struct verdict *v)
{
	unsigned int i;

	/* A peer that is not heard says nothing about single paths */
	if (!f->paths_bad || f->heard_ns == EXPLAIN_NEVER || not_heard(f))
		return false;
	say(v->text, "%u of %u entropy values lose packets:", f->paths_bad,
	    f->paths);
	for (i = 0; i < f->n_bad; i++) {
		say(v->text, " %" PRIu32, f->bad[i].ev);
		if (f->bad[i].lost)
			say(v->text, " (%" PRIu32 " lost)", f->bad[i].lost);
	}
	if (f->paths_bad > f->n_bad)
		say(v->text, " ...");
	say_hops(f, v);
	say(v->more, "uet -d path show peer %s", f->peer);
	return true;
}

static bool trim(const struct facts *f, struct verdict *v)
{
	if (f->trims && !f->tclass) {
		say(v->text, "packets of DSCP 0 are trimmed: switches trim what is not marked for it");
	} else if (f->trimming && f->marks && f->losses >= TRIM_LOSSES &&
		   !f->trims) {
		say(v->text, "%" PRIu64 " marks and %" PRIu64 " losses, but no trimmed packet: switches drop where they should trim",
		    f->marks, f->losses);
	} else {
		return false;
	}
	say(v->more, "uet -s ccc show peer %s; uet param show", f->peer);
	return true;
}

/* Here the peer is who waits: this host refuses its packets */
static bool reader(const struct facts *f, struct verdict *v)
{
	const struct fact_sock *s = &f->reader;

	if (f->self || !s->inode || !(f->refused_here || s->refused_ns))
		return false;
	v->since_ns = s->refused_ns ? s->refused_ns : s->unread_ns;
	say(v->text, "packets of the peer are refused: socket %" PRIu64, s->inode);
	if (s->proc)
		say(v->text, " of %s (process %d)", s->name, s->proc);
	say_bytes(v->text, " does not read, it holds ", s->bytes);
	say_bytes(v->text, " of ", s->room);
	say(v->more, "uet ss inode %" PRIu64, s->inode);
	return true;
}

static void say_receiver(const struct facts *f, struct verdict *v)
{
	const struct fact_sock *s = &f->reader;

	if (!f->self || !s->inode) {
		say(v->text, "the receiver has no memory, its reader is slow");
		say(v->more, "on %s: uet explain %s", f->peer, f->own);
		return;
	}
	say(v->text, "the receiver has no memory: socket %" PRIu64, s->inode);
	if (s->proc)
		say(v->text, " of %s (process %d)", s->name, s->proc);
	say(v->text, " does not read");
	say(v->more, "uet ss inode %" PRIu64, s->inode);
}

static bool receiver(const struct facts *f, struct verdict *v)
{
	if (!waits_for(f, UET_WAIT_RECEIVER, v))
		return false;
	say_receiver(f, v);
	return true;
}

static bool hold(const struct facts *f, struct verdict *v)
{
	if (!f->held || f->waits[UET_WAIT_RECEIVER].n)
		return false;
	say(v->text, "%" PRIu32 " queues are on hold; ", f->held);
	say_receiver(f, v);
	return true;
}

static bool credit(const struct facts *f, struct verdict *v)
{
	if (!waits_for(f, UET_WAIT_CREDIT, v))
		return false;
	say(v->text, "credit left %" PRId64 ", %" PRIu32 " requests since some came",
	    f->credit, f->credit_reqs);
	say(v->more, "on %s: uet top", f->peer);
	return true;
}

static bool receive_window(const struct facts *f, struct verdict *v)
{
	if (!waits_for(f, UET_WAIT_RECEIVE_WINDOW, v))
		return false;
	say(v->text, "the peer takes %" PRIu32 " packets beyond the first missing one",
	    f->mpr);
	say(v->more, "uet -d pdc show peer %s", f->peer);
	return true;
}

static bool window(const struct facts *f, struct verdict *v)
{
	char rtt[UNIT_TEXT], base[UNIT_TEXT];

	if (!waits_for(f, UET_WAIT_WINDOW, v))
		return false;
	say_bytes(v->text, "in flight ", f->inflight);
	say_bytes(v->text, " of a window of ", f->cwnd);
	say_bytes(v->text, ", at most ", f->max_wnd);
	ns_text(f->rtt, rtt, sizeof(rtt));
	ns_text(f->base_rtt, base, sizeof(base));
	say(v->text, "; round trip %s, without queues %s", rtt, base);
	say(v->more, "uet -s -d ccc show peer %s", f->peer);
	return true;
}

static bool opening(const struct facts *f, struct verdict *v)
{
	if (!waits_for(f, UET_WAIT_OPENING, v))
		return false;
	say(v->text, "the first answer of the peer");
	say(v->more, "uet -d pdc show peer %s state syn", f->peer);
	return true;
}

/* What needs no words but those of the description, and no more facts */
static const struct {
	enum uet_nl_wait wait;
	const char *text;
	const char *more;
} plain[] = {
	{ UET_WAIT_MOVING, "a PDC died, its messages move to another one",
	  "uet pdc show peer" },
	{ UET_WAIT_LINE, "an earlier message of the same ordered PDC",
	  "uet msg show peer" },
	{ UET_WAIT_WRITER, "the program that still writes the message",
	  "uet ss peer" },
	{ UET_WAIT_TURN, "the turn among the senders to this peer",
	  "uet dest show peer" },
	{ UET_WAIT_ANSWER, "acknowledgments, all is sent",
	  "uet pdc show peer" },
};

static bool plainly(const struct facts *f, struct verdict *v,
		    enum uet_nl_wait wait)
{
	unsigned int i;

	if (!waits_for(f, wait, v))
		return false;
	for (i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		if (plain[i].wait != wait)
			continue;
		say(v->text, "%s", plain[i].text);
		say(v->more, "%s %s", plain[i].more, f->peer);
	}
	return true;
}

static bool moving(const struct facts *f, struct verdict *v)
{
	return plainly(f, v, UET_WAIT_MOVING);
}

static bool line(const struct facts *f, struct verdict *v)
{
	return plainly(f, v, UET_WAIT_LINE);
}

static bool writer(const struct facts *f, struct verdict *v)
{
	return plainly(f, v, UET_WAIT_WRITER);
}

static bool turn(const struct facts *f, struct verdict *v)
{
	return plainly(f, v, UET_WAIT_TURN);
}

static bool answer(const struct facts *f, struct verdict *v)
{
	return plainly(f, v, UET_WAIT_ANSWER);
}

static const struct {
	const char *name;
	bool (*holds)(const struct facts *f, struct verdict *v);
} causes[] = {
	{ "route",		route },
	{ "firewall",		firewall },
	{ "silent",		silent },
	{ "mtu",		mtu },
	{ "job",		job },
	{ "refused",		refused },
	{ "receiver",		receiver },
	{ "hold",		hold },
	{ "reader",		reader },
	{ "path",		path },
	{ "port",		port },
	{ "trim",		trim },
	{ "credit",		credit },
	{ "receive-window",	receive_window },
	{ "window",		window },
	{ "opening",		opening },
	{ "moving",		moving },
	{ "line",		line },
	{ "writer",		writer },
	{ "turn",		turn },
	{ "answer",		answer },
};

_Static_assert(sizeof(causes) / sizeof(*causes) <= VERDICTS_MAX,
	       "each cause has room");

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

	for (i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		v[n] = (struct verdict){ .cause = causes[i].name };
		if (causes[i].holds(f, &v[n]))
			n++;
	}
	return n;
}
