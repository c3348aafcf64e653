// SPDX-License-Identifier: GPL-2.0
/*
 * Each cause that "explain" knows is found from the facts that make it, in the first
 * place, and not from facts that lack one of them.
 */
#include <stdio.h>
#include <string.h>

#include "explain.h"
#include "ping.h"

#define SECOND	1000000000ULL

static struct facts f;
static int n, failed;

/* Facts of a peer to which all is well */
static struct facts *healthy(void)
{
	f = (struct facts){
		.peer = "10.0.0.2", .own = "10.0.0.1", .cccs = 1, .pdcs = 1,
		.v4 = true, .cwnd = 100000, .max_wnd = 200000, .path_mtu = 4224,
		.mpr = 128, .heard_ns = 1000, .heard_others_ns = 1000,
		.sends_ns = EXPLAIN_NEVER,
		.n_ports = 1, .n_hops = 1, .all.sent = 1000000,
		.recent.sent = 1000,
	};
	strcpy(f.port[0].dev, "uet0");
	strcpy(f.port[0].via, "10.0.0.2");
	f.port[0].up = true;
	f.port[0].mtu = 4224;
	strcpy(f.hops[0].via, "10.0.0.2");
	strcpy(f.hops[0].dev, "uet0");
	f.hops[0].good = 8;
	return &f;
}

static void wait_for(enum uet_nl_wait wait)
{
	f.waits[wait] = (struct fact_wait){ 1, 2 * SECOND, 1000 };
	f.msgs++;
}

static void fail(enum fail_kind kind, uint32_t source, uint32_t code)
{
	f.fail[kind] = (struct fact_failure){
		.count = 1, .error = 110, .source = source, .code = code,
		.ago_ns = SECOND,
	};
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
	bool ok = *cause ? got && !strcmp(v[0].cause, cause) :
			   !got || v[0].rank == RANK_REMARK;

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
	f.n_hops = 0;
	f.no_route = true;
	expect("the peer answers, by a marked route", "", "");
	f.heard_ns = EXPLAIN_NEVER;
	expect("no route, and nothing is known", "route", "no route");
	wait_for(UET_WAIT_ROUTE);
	expect("no route", "route", "no route");
	f.no_source = true;
	expect("no local address", "route", "has not got 10.0.0.1");
	healthy();
	wait_for(UET_WAIT_ROUTE);
	f.silent = 5;
	f.heard_ns = EXPLAIN_NEVER;
	expect("the next hop answers, and is not blamed", "route", "now there is one");
	f.port[0].silent = true;
	expect("the next hop, not the firewall", "route", "10.0.0.2 on uet0 does not");
	f.port[0].silent = false;
	f.n_ports = 2;
	f.port[1] = (struct fact_port){
		.via = "10.9.9.9", .dev = "uet1", .up = true, .silent = true,
	};
	expect("the one that does not answer", "route", "10.9.9.9 on uet1");
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
	f.n_bad = f.all.losses = f.hops[0].bad = 8;
	expect("bad paths are a result of it", "firewall", "ever");
	f.sends_ns = SECOND / 10;
	expect("one direction", "firewall", "although it sends to this host");
	f.sends_ns = EXPLAIN_NEVER;
	f.port[0].up = false;
	expect("no carrier", "port", "uet0 has no carrier");
	f.port[0].up = true;
	f.n_bad = 0;
	f.silent = 1;
	expect("a timeout is none yet", "answer", "");
}

static void refusals(void)
{
	healthy();
	fail(FAIL_JOB, UET_REPORT_SOURCE_SES, 27);
	expect("bad job id", "job", "BAD_JOB_ID");
	fail(FAIL_REFUSED, UET_REPORT_SOURCE_SES, 26);
	expect("the job first", "job", "BAD_JOB_ID");
	healthy();
	fail(FAIL_REFUSED, UET_REPORT_SOURCE_SES, 26);
	expect("nobody there", "refused", "BAD_PID");
	fail(FAIL_REFUSED, UET_REPORT_SOURCE_NACK, 27);
	expect("the code of a NACK is another one", "refused", "NACK code 27");
	fail(FAIL_REFUSED, UET_REPORT_SOURCE_ICMP, 771);
	expect("no UET", "refused", "ICMP");
	wait_for(UET_WAIT_WINDOW);
	expect("failures before limits", "refused", "ICMP");
	wait_for(UET_WAIT_RECEIVER);
	expect("what is wrong now before them", "receiver", "");
	healthy();
	fail(FAIL_LOCAL, UET_REPORT_SOURCE_LOCAL, 0);
	expect("this host gave up", "failed", "timed out");
}

/* @bad values of @hops next hops, all of the first one or one of each */
static void lose(unsigned int hops, unsigned int bad, bool one_hop)
{
	unsigned int i;

	f.n_hops = hops;
	f.n_bad = bad;
	f.all.losses = bad;
	f.recent.losses = 1;
	for (i = 0; i < hops; i++) {
		snprintf(f.hops[i].via, sizeof(f.hops[i].via), "10.0.%u.1", i);
		strcpy(f.hops[i].dev, "uet0");
		f.hops[i].bad = 0;
	}
	for (i = 0; i < bad; i++) {
		if (i < EXPLAIN_NAMED)
			f.bad[i] = (struct fact_path){ 50123 + i, 7 };
		f.hops[one_hop ? 0 : i % hops].bad++;
	}
}

static void paths(void)
{
	static struct verdict v[VERDICTS_MAX];

	healthy();
	wait_for(UET_WAIT_WINDOW);
	f.all.marks = 100;
	lose(8, 1, true);
	expect("one value", "window", "");
	lose(8, 3, true);
	expect("three of one hop of eight", "window", "");
	lose(8, 5, true);
	expect("five of one hop of eight", "path",
	       "5 entropy values lost packets and are avoided: 50123 (7 lost) 50124");
	expect("... and which hop", "path", "; via 10.0.0.1 dev uet0: 5 bad, 8 good");
	lose(8, 11, true);
	f.hops[0].bad = 7;
	f.hops[1].bad = 4;
	expect("seven of one, four of others", "path", "10.0.0.1 dev uet0: 7 bad");
	f.hops[0].bad = 4;
	f.hops[2].bad = 3;
	expect("four of one, seven of others", "window", "");
	lose(8, 8, false);
	f.recent.losses = 7;
	expect("all over the place, with marks", "window", "");
	f.recent.losses = 1;
	expect("... just before", "window", "");
	f.all.marks = 0;
	expect("all over the place, without marks", "path", "50123");
	f.recent.losses = 0;
	expect("... and over", "window", "");
	f.all.marks = 100;
	f.recent.losses = 8;
	f.recent.sent = 800;
	expect("so many that it is no congestion", "path", "50123");
	f.recent.sent = 801;
	expect("... or few enough for it", "window", "");
	f.all.losses = 100000;
	f.recent.losses = 0;
	expect("those of long ago do not count", "window", "");
	lose(2, 8, true);
	expect("eight of one of two may be chance", "window", "");
	lose(2, 11, true);
	expect("eleven of one of two", "path", "11 bad");
	lose(1, 10, true);
	expect("with one next hop it says nothing", "window", "");
	lose(8, 8, true);
	f.waits[UET_WAIT_WINDOW].n = 0;
	expect("nothing waits", "", "");
	f.waits[UET_WAIT_WINDOW].n = 1;
	f.no_route = true;
	f.heard_ns = SECOND;
	expect("the route is gone", "route", "no route");
	result(facts_judge(&f, v) == 2, "... and no path is bad");
	f.no_route = false;
	f.silent = 3;
	expect("all paths", "firewall", "");
}

#define TRACED	16

/* Values of which every fourth passes one of four routers behind the first; the first
 * @n_bad all pass the third, and no probe gets further with @dead
 */
static void trace(unsigned int n_bad, bool dead)
{
	static struct in6_addr hops[TRACED][3];
	struct path_value v[TRACED] = { 0 };
	unsigned int i, k;

	for (i = 0; i < TRACED; i++) {
		v[i] = (struct path_value){
			.ev = 50000 + i, .rtt = 1000 + i, .hops = hops[i],
			.n_hops = 3, .reached = true,
		};
		for (k = 0; k < 3; k++)
			hops[i][k].s6_addr[15] = k + 1;
		hops[i][1].s6_addr[0] = 0xfd;
		hops[i][1].s6_addr[15] = i < n_bad ? 2 : i % 4 == 2 ? 3 : i % 4;
		if (i < n_bad && dead) {
			v[i].n_hops = 1;
			v[i].reached = false;
		}
	}
	/* Some routers did not answer */
	memset(&hops[0][1], 0, sizeof(hops[0][1]));
	memset(&hops[TRACED - 1][1], 0, sizeof(hops[0][1]));
	routers_compare(v, n_bad, TRACED, &f.router);
}

static void routers(void)
{
	healthy();
	wait_for(UET_WAIT_WINDOW);
	f.all.marks = 100;
	lose(1, 8, true);
	expect("losses, and nothing was traced", "window", "");
	trace(8, false);
	expect("a router that all of them pass", "path",
	       "avoided: 7 of 7 that were traced pass fd00::2, and 0 of 7 others");
	f.router.slow = 8;
	expect("... later than others", "path", "slow, not lossy");
	f.router.slow = 0;
	f.recent.needless = 1;
	expect("... and they had arrived", "path", "slow, not lossy");
	f.recent.needless = 0;
	trace(3, false);
	expect("three may be chance", "window", "");
	trace(8, true);
	expect("a router that loses all", "path",
	       "probes of 8 of 8 end behind ::1, and of 0 of 8 others; those go on to fd00::");
	f.router.lost_good = 5;
	expect("so do the others", "window", "");
}

/* The port of this host */
static void ports(void)
{
	healthy();
	wait_for(UET_WAIT_WINDOW);
	f.port_shut_ns = SECOND / 4;
	expect("no packet leaves for a moment", "window", "");
	f.port_shut_ns = SECOND;
	expect("no packet leaves", "port", "uet0 drops every packet");
	f.silent = 5;
	f.heard_ns = EXPLAIN_NEVER;
	expect("... so it is no firewall", "port", "uet0 drops every packet");
	f.n_bad = f.all.losses = f.recent.losses = f.hops[0].bad = 8;
	expect("... and no path", "port", "uet0 drops every packet");
	healthy();
	wait_for(UET_WAIT_WINDOW);
	f.all.losses_local = f.recent.losses_local = 249;
	expect("some are dropped", "window", "");
	f.recent.losses_local = 250;
	expect("many are dropped", "port", "of the last 1000 packets it dropped 250");
	wait_for(UET_WAIT_PORT);
	expect("... and packets wait", "port", "it dropped 250");
	f.recent = (struct fact_counts){ .sent = 3, .losses_local = 3 };
	f.waits[UET_WAIT_PORT].n = 0;
	expect("three are few", "window", "");
	f.recent.losses_local = 0;
	expect("those of long ago do not count", "window", "");
}

/* Counters of contexts that came, went or stayed while one looked on */
static void contexts(void)
{
	const struct fact_context before[] = {
		{ 1, { .sent = 1000, .losses = 500, .marks = 9 } },
		{ 2, { .sent = 100, .losses_local = 1 } },
		/* Told twice, as a dump may that was interrupted */
		{ 2, { .sent = 100, .losses_local = 1 } },
	};
	const struct fact_context now[] = {
		{ 3, { .sent = 7, .trims = 2, .trims_unmarked = 1 } },
		{ 2, { .sent = 150, .losses_local = 4 } },
	};

	healthy();
	counts_compare(before, 3, now, 2, &f);
	result(f.recent.sent == 57 && f.recent.losses_local == 3 &&
	       f.recent.trims == 2 && f.recent.trims_unmarked == 1 &&
	       !f.recent.losses && !f.recent.marks, "one came, one went, one stayed");
	result(f.all.sent == 157 && f.all.losses_local == 4 && f.all.trims == 2 &&
	       !f.all.losses, "... and what is known of those there are");
	wait_for(UET_WAIT_WINDOW);
	expect("... so that what is said agrees", "trim", "1 packets of DSCP 0");
}

static void readers(void)
{
	healthy();
	wait_for(UET_WAIT_RECEIVER);
	f.target = (struct fact_target){ true, 3, 110, 7 };
	expect("remote reader", "receiver", "job 3 PIDonFEP 110 index 7");
	wait_for(UET_WAIT_LINE);
	f.held = 2;
	f.waits[UET_WAIT_LINE].bytes = 500000;
	expect("the receiver before what waits behind it", "receiver", "");
	f.waits[UET_WAIT_RECEIVER].n = 0;
	f.waits[UET_WAIT_RECEIVER].bytes = 0;
	expect("on hold", "hold", "same ordered PDC");
	healthy();
	wait_for(UET_WAIT_RECEIVER);
	f.self = true;
	f.reader = (struct fact_sock){ .inode = 4711, .proc = 42, .name = "slow" };
	expect("local reader", "receiver", "4711 of slow (process 42)");
	healthy();
	f.reader = (struct fact_sock){ .inode = 4711, .refused_ns = SECOND };
	expect("this host refuses", "reader", "4711");
}

static void fabric(void)
{
	healthy();
	wait_for(UET_WAIT_WINDOW);
	f.all.marks = f.recent.marks = 100;
	f.all.losses = 1000;
	f.recent.losses = 100;
	expect("losses without trimming", "window", "");
	f.trimming = true;
	expect("marks and losses, no trims", "trim", "no trimmed packet");
	f.recent.losses = 0;
	expect("... and over", "window", "");
	f.recent.losses = 1;
	f.recent.sent = 1001;
	expect("few", "window", "");
	f.recent.sent = 1000;
	f.recent.marks = 0;
	expect("without marks", "window", "");
	f.recent.marks = 1;
	expect("one of a thousand", "trim", "no trimmed packet");
	f.all.losses = 999;
	expect("... but few so far", "window", "");
	f.all.losses = 1000;
	f.all.trims = 1;
	expect("trims", "window", "");
	f.all.trims_unmarked = 1;
	expect("trims without DSCP of long ago", "window", "");
	f.recent.trims_unmarked = 1;
	expect("trims without DSCP", "trim", "DSCP 0");
	healthy();
	wait_for(UET_WAIT_ANSWER);
	f.hole_bytes = 4000;
	f.n_bad = f.all.losses = f.recent.losses = 8;
	expect("large ones are lost", "mtu", "4000");
	f.hole_bytes = 0;
	f.hole_ns = SECOND;
	f.steps = 2;
	f.path_mtu = 1500;
	expect("and a smaller MTU is found", "mtu", "1500 instead of 4224");
	f.waits[UET_WAIT_ANSWER].n = 0;
	expect("... and nothing waits", "", "");
	f.path_mtu = 4224;
	wait_for(UET_WAIT_ANSWER);
	f.n_bad = 0;
	expect("... and forgotten", "answer", "");
	healthy();
	wait_for(UET_WAIT_ANSWER);
	f.all.losses_local = 5;
	expect("dropped at the port, once", "answer", "");
	f.ports_down = 1;
	f.n_ports = 2;
	f.port[1] = (struct fact_port){ .dev = "uet1" };
	expect("no carrier", "port", "uet1 has no carrier");
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
	routers();
	ports();
	readers();
	contexts();
	fabric();
	printf("1..%d\n", n);
	return failed != 0;
}
