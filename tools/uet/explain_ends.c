// SPDX-License-Identifier: GPL-2.0
/*
 * Causes at the two ends: receivers and readers, messages that failed, windows and
 * credit, and what bytes under way always wait for.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "explain_causes.h"
#include "names.h"
#include "units.h"

/* So long nobody reads only if nobody will */
#define STANDSTILL_NS	1000000000ULL

/* --- receivers ------------------------------------------------------------ */

/* Nobody reads while both sides wait in a send. A program that has a thread for either
 * reads now and then.
 */
bool cause_standstill(const struct facts *f, struct verdict *v)
{
	const struct fact_sock *s = &f->reader;
	uint64_t ns = s->send_ns < s->unread_ns ? s->send_ns : s->unread_ns;

	if (!waits_for(f, UET_WAIT_RECEIVER, v) || !s->inode || ns < STANDSTILL_NS)
		return false;
	v->since_ns = ns;
	say(v->text, "both sides wait in a send until the other one reads: socket %" PRIu64,
	    s->inode);
	if (s->proc)
		say(v->text, " of %s (process %d)", s->name, s->proc);
	say_bytes(v->text, " has ", s->bytes);
	say(v->text, " to read");
	say(v->more, "uet sock show inode %" PRIu64, s->inode);
	return true;
}

static void say_receiver(const struct facts *f, struct verdict *v)
{
	const struct fact_target *t = &f->target;
	const struct fact_sock *s = &f->reader;

	say(v->text, "the receiver has no memory, its reader is slow");
	if (t->known)
		say(v->text, ": job %" PRIu32 " PIDonFEP %" PRIu32 " index %" PRIu32,
		    t->job, t->pid, t->ri);
	if (!f->self || !s->inode) {
		say(v->more, "on %s: uet explain %s", f->peer, f->own);
		return;
	}
	say(v->text, ", socket %" PRIu64, s->inode);
	if (s->proc)
		say(v->text, " of %s (process %d)", s->name, s->proc);
	say(v->more, "uet ss inode %" PRIu64, s->inode);
}

bool cause_receiver(const struct facts *f, struct verdict *v)
{
	if (!waits_for(f, UET_WAIT_RECEIVER, v))
		return false;
	say_receiver(f, v);
	return true;
}

/* An ordered PDC sends nothing behind what is on hold, whoever it is for */
bool cause_hold(const struct facts *f, struct verdict *v)
{
	if (!f->held)
		return false;
	if (waits_for(f, UET_WAIT_LINE, v))
		say(v->text, "behind messages for which the receiver has no memory, on the same ordered PDC");
	else if (!f->waits[UET_WAIT_RECEIVER].n)
		say(v->text, "the receiver has memory again; what was on hold is sent slowly at first");
	else
		return false;
	say(v->more, "uet dest show peer %s", f->peer);
	return true;
}

/* --- messages failed, or the peer waits ----------------------------------- */

static const char *failure_name(const struct fact_failure *fail)
{
	const char *name = fail->source == UET_REPORT_SOURCE_SES ?
			   name_of_ses_code(fail->code) :
			   name_of_nack_code(fail->code);

	return name ? name : "no name";
}

static void say_failure(const struct facts *f, const struct fact_failure *fail,
			struct verdict *v)
{
	v->since_ns = fail->ago_ns;
	say(v->more, "uet failure show peer %s", f->peer);
	say(v->text, "%" PRIu32 " message%s to job %" PRIu32 " PIDonFEP %" PRIu32
	    " failed, the last by ", fail->count, fail->count == 1 ? "" : "s",
	    fail->job, fail->pid);
	switch (fail->source) {
	case UET_REPORT_SOURCE_SES:
	case UET_REPORT_SOURCE_NACK:
		say(v->text, "%s code %" PRIu32 " (%s)",
		    fail->source == UET_REPORT_SOURCE_SES ? "SES" : "NACK",
		    fail->code, failure_name(fail));
		break;
	case UET_REPORT_SOURCE_ICMP:
		if (fail->error == EHOSTUNREACH || fail->error == ENETUNREACH)
			say(v->text, "ICMP: a router does not get there, or forbids it");
		else
			say(v->text, "ICMP: no UET runs there, or a rule refuses it");
		break;
	default:
		say(v->text, "%s", strerror(fail->error));
	}
}

bool cause_job(const struct facts *f, struct verdict *v)
{
	if (!f->fail[FAIL_JOB].count)
		return false;
	say_failure(f, &f->fail[FAIL_JOB], v);
	say(v->text, ": the target does not take part in this job");
	return true;
}

bool cause_refused(const struct facts *f, struct verdict *v)
{
	if (!f->fail[FAIL_REFUSED].count)
		return false;
	say_failure(f, &f->fail[FAIL_REFUSED], v);
	return true;
}

bool cause_failed(const struct facts *f, struct verdict *v)
{
	if (!f->fail[FAIL_LOCAL].count)
		return false;
	say_failure(f, &f->fail[FAIL_LOCAL], v);
	return true;
}

/* Here the peer is who waits: this host refuses its packets */
bool cause_reader(const struct facts *f, struct verdict *v)
{
	const struct fact_sock *s = &f->reader;

	if (f->self || !s->inode)
		return false;
	v->since_ns = s->refused_ns;
	say(v->text, "packets of the peer are refused: socket %" PRIu64, s->inode);
	if (s->proc)
		say(v->text, " of %s (process %d)", s->name, s->proc);
	say_bytes(v->text, " does not read, it holds ", s->bytes);
	say_bytes(v->text, " of ", s->room);
	say(v->more, "uet ss inode %" PRIu64, s->inode);
	return true;
}

/* --- limits, and what is usual -------------------------------------------- */

bool cause_credit(const struct facts *f, struct verdict *v)
{
	if (!waits_for(f, UET_WAIT_CREDIT, v))
		return false;
	say(v->text, "credit left %" PRId64 ", %" PRIu32 " requests since some came",
	    f->credit, f->credit_reqs);
	say(v->more, "on %s: uet top", f->peer);
	return true;
}

bool cause_receive_window(const struct facts *f, struct verdict *v)
{
	if (!waits_for(f, UET_WAIT_RECEIVE_WINDOW, v))
		return false;
	say(v->text, "the peer takes %" PRIu32 " packets beyond the first missing one",
	    f->mpr);
	say(v->more, "uet -d pdc show peer %s", f->peer);
	return true;
}

bool cause_window(const struct facts *f, struct verdict *v)
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

bool cause_opening(const struct facts *f, struct verdict *v)
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

bool cause_moving(const struct facts *f, struct verdict *v)
{
	return plainly(f, v, UET_WAIT_MOVING);
}

bool cause_line(const struct facts *f, struct verdict *v)
{
	return !f->held && plainly(f, v, UET_WAIT_LINE);
}

bool cause_writer(const struct facts *f, struct verdict *v)
{
	return plainly(f, v, UET_WAIT_WRITER);
}

bool cause_turn(const struct facts *f, struct verdict *v)
{
	return plainly(f, v, UET_WAIT_TURN);
}

bool cause_answer(const struct facts *f, struct verdict *v)
{
	return plainly(f, v, UET_WAIT_ANSWER);
}
