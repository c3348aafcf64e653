// SPDX-License-Identifier: GPL-2.0
/*
 * Each cause that "explain" knows is found from the facts that make it, in the first
 * place, and not from facts that lack one of them.
 */
#include <stdio.h>
#include <string.h>

#include "explain.h"

#define SECOND	1000000000ULL

static struct facts f;
static int n, failed;

/* Facts of a peer to which all is well */
static struct facts *healthy(void)
{
	f = (struct facts){
		.peer = "10.0.0.2", .own = "10.0.0.1", .cccs = 1, .pdcs = 1,
		.tclass = 10, .cwnd = 100000, .max_wnd = 200000, .mtu = 4096,
		.path_mtu = 4224, .mpr = 128, .paths = 8, .ports = 1,
		.heard_ns = 1000, .heard_others_ns = 1000, .n_ports = 1,
		.n_hops = 1,
	};
	strcpy(f.port[0].dev, "uet0");
	f.port[0].up = true;
	strcpy(f.hops[0].via, "10.0.0.2");
	strcpy(f.hops[0].dev, "uet0");
	f.hops[0].good = 8;
	return &f;
}

static void wait_for(enum uet_nl_wait wait)
{
	f.waits[wait] = (struct fact_wait){ 1, 2 * SECOND };
}

static void fail(uint32_t source, uint32_t code)
{
	f.failed = true;
	f.fail_source = source;
	f.fail_code = code;
	f.fail_count = 1;
	f.fail_ago_ns = SECOND;
}

static void result(bool ok, const char *what)
{
	n++;
	failed += !ok;
	printf("%sok %d %s\n", ok ? "" : "not ", n, what);
}

/* The first cause is @cause, "" = there is none, and its text has @word */
static void expect(const char *what, const char *cause, const char *word)
{
	static struct verdict v[VERDICTS_MAX];
	unsigned int got = facts_judge(&f, v);
	bool ok = *cause ? got && !strcmp(v[0].cause, cause) : !got;

	if (ok && *cause)
		ok = v[0].more[0] && strstr(v[0].text, word);
	if (!ok)
		printf("# %u causes, the first one %s: %s (%s)\n", got,
		       got ? v[0].cause : "none", got ? v[0].text : "",
		       got ? v[0].more : "");
	result(ok, what);
}

/* What the kernel names itself */
static void waits(void)
{
	static const struct {
		enum uet_nl_wait wait;
		const char *cause;
	} of[] = {
		{ UET_WAIT_WINDOW, "window" },
		{ UET_WAIT_CREDIT, "credit" },
		{ UET_WAIT_RECEIVE_WINDOW, "receive-window" },
		{ UET_WAIT_RECEIVER, "receiver" },
		{ UET_WAIT_ROUTE, "route" },
		{ UET_WAIT_PORT, "port" },
		{ UET_WAIT_OPENING, "opening" },
		{ UET_WAIT_ANSWER, "answer" },
		{ UET_WAIT_LINE, "line" },
		{ UET_WAIT_MOVING, "moving" },
		{ UET_WAIT_WRITER, "writer" },
		{ UET_WAIT_TURN, "turn" },
	};
	struct verdict v[VERDICTS_MAX];
	unsigned int i;

	for (i = 0; i < sizeof(of) / sizeof(*of); i++) {
		healthy();
		wait_for(of[i].wait);
		expect(of[i].cause, of[i].cause, "");
		result(facts_judge(&f, v) == 1 && v[0].since_ns == 2 * SECOND,
		       "... and nothing else, since when it waits");
	}
}

static void routes(void)
{
	healthy();
	wait_for(UET_WAIT_ROUTE);
	f.n_hops = 0;
	expect("no route", "route", "no route");
	healthy();
	wait_for(UET_WAIT_ROUTE);
	f.silent = 5;
	f.heard_ns = EXPLAIN_NEVER;
	expect("the next hop, not the firewall", "route", "10.0.0.2 on uet0");
}

static void silence(void)
{
	healthy();
	wait_for(UET_WAIT_ANSWER);
	f.silent = 3;
	expect("timeouts, but the peer is heard", "answer", "");
	f.heard_ns = 3 * SECOND;
	expect("nothing comes back", "firewall", "any more");
	f.port[0].silent = true;
	expect("only others answer", "firewall", "other peers do");
	f.heard_others_ns = EXPLAIN_NEVER;
	expect("nobody answers", "silent", "no other peer");
	f.port[0].silent = false;
	f.heard_ns = EXPLAIN_NEVER;
	expect("nothing ever came", "firewall", "ever");
	f.paths_bad = 8;
	expect("bad paths are a result of it", "firewall", "ever");
	f.silent = 1;
	expect("a timeout is none yet", "answer", "");
}

static void refusals(void)
{
	healthy();
	fail(UET_REPORT_SOURCE_SES, 27);
	expect("bad job id", "job", "BAD_JOB_ID");
	fail(UET_REPORT_SOURCE_SES, 23);
	expect("not allowed", "job", "PERM_VIOLATION");
	fail(UET_REPORT_SOURCE_SES, 26);
	expect("nobody there", "refused", "BAD_PID");
	fail(UET_REPORT_SOURCE_NACK, 27);
	expect("the code of a NACK is another one", "refused", "NACK code 27");
	fail(UET_REPORT_SOURCE_LOCAL, 27);
	expect("this host", "", "");
	fail(UET_REPORT_SOURCE_SES, 27);
	f.fail_ago_ns = 3600 * SECOND;
	expect("long ago", "", "");
}

static void paths(void)
{
	healthy();
	wait_for(UET_WAIT_WINDOW);
	f.paths_bad = 1;
	f.n_bad = 1;
	f.bad[0] = (struct fact_path){ 50123, 7, 0 };
	f.hops[0].bad = 1;
	f.hops[0].good = 7;
	expect("a path before the window", "path",
	       "1 of 8 entropy values lose packets: 50123 (7 lost); via 10.0.0.2 dev uet0: 1 bad, 7 good");
	f.silent = 3;
	f.heard_ns = SECOND;
	expect("all paths", "firewall", "");
}

static void readers(void)
{
	healthy();
	wait_for(UET_WAIT_RECEIVER);
	expect("remote reader", "receiver", "no memory");
	f.self = true;
	f.reader = (struct fact_sock){ .inode = 4711, .proc = 42, .name = "slow" };
	expect("local reader", "receiver", "4711 of slow (process 42)");
	healthy();
	f.held = 2;
	expect("on hold", "hold", "2 queues");
	healthy();
	f.reader = (struct fact_sock){ .inode = 4711, .unread_ns = SECOND };
	expect("reads late, but nothing is refused", "", "");
	f.refused_here = true;
	expect("this host refuses", "reader", "4711");
}

static void fabric(void)
{
	healthy();
	f.marks = 100;
	f.losses = 100;
	expect("losses without trimming", "", "");
	f.trimming = true;
	expect("marks and losses, no trims", "trim", "no trimmed packet");
	f.trims = 1;
	expect("trims", "", "");
	f.tclass = 0;
	expect("trims without DSCP", "trim", "DSCP 0");
	healthy();
	f.hole_bytes = 4000;
	expect("large ones are lost", "mtu", "4000");
	healthy();
	f.losses_local = 5;
	expect("dropped at the port, once", "", "");
	f.ports_down = 1;
	f.port[0].up = false;
	expect("no carrier", "port", "uet0 has no carrier");
}

int main(void)
{
	puts("KTAP version 1");
	healthy();
	expect("nothing is wrong", "", "");
	waits();
	routes();
	silence();
	refusals();
	paths();
	readers();
	fabric();
	printf("1..%d\n", n);
	return failed != 0;
}
