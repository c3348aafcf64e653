/* SPDX-License-Identifier: GPL-2.0 */
/*
 * "explain": why the bytes for a peer wait. Facts are gathered from the kernel, then
 * judged by a table of causes that knows nothing but the facts.
 */
#ifndef UET_EXPLAIN_H
#define UET_EXPLAIN_H

#include <linux/uet_netlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "addr.h"

struct tool;

#define EXPLAIN_WAITS	(UET_WAIT_REST + 1)
/* So many of each are named, the others counted */
#define EXPLAIN_NAMED	8
/* Next hops that are told apart, and sockets that refuse packets of the peer */
#define EXPLAIN_HOPS	64
#define EXPLAIN_READERS	64
#define EXPLAIN_TEXT	512
/* Time since something that never was */
#define EXPLAIN_NEVER	UINT64_MAX
/* What happened longer ago than this says nothing about now */
#define EXPLAIN_FRESH_NS	(60 * 1000000000ULL)

/**
 * struct fact_path - an entropy value that lost packets and is not used
 * @ev: the value
 * @lost: packets lost, if they are counted
 */
struct fact_path {
	uint32_t ev, lost;
};

/**
 * struct fact_hop - a next hop, and the entropy values that hash to it
 * @via: its address, or the peer's
 * @dev: interface
 * @good: values in use
 * @bad: values avoided
 */
struct fact_hop {
	char via[INET6_ADDRSTRLEN];
	char dev[IF_NAMESIZE];
	unsigned int good, bad;
};

/**
 * struct fact_router - what the traces of entropy values have in common
 * @traced: values given up that were traced, 0 = none was
 * @addr: the router that more of them pass than of those in use
 * @routers: at its distance, so many
 * @bad: values given up that pass it
 * @of_bad: of so many whose router at this distance is known
 * @good: values in use that pass it
 * @of_good: of so many
 * @others: values in use that were traced
 * @lost: probes of values given up did not arrive
 * @lost_good: of values in use
 * @behind: the last router that such a probe reached
 * @next: routers that values in use pass behind it
 * @slow: probes of values given up took far longer than those of values in use
 */
struct fact_router {
	unsigned int traced;
	char addr[INET6_ADDRSTRLEN];
	unsigned int routers, bad, of_bad, good, of_good;
	unsigned int others, lost, lost_good, slow;
	char behind[INET6_ADDRSTRLEN], next[4 * INET6_ADDRSTRLEN];
};

/**
 * struct fact_port - a local interface towards the peer
 * @via: the next hop
 * @silent: it does not answer
 */
struct fact_port {
	char via[INET6_ADDRSTRLEN];
	char dev[IF_NAMESIZE];
	bool up, silent;
	uint64_t backlog;
	uint32_t mtu;
};

/**
 * struct fact_target - the endpoint of the peer that has had no memory longest
 * @known: there is one; then the following are set
 */
struct fact_target {
	bool known;
	uint32_t job, pid, ri;
};

/**
 * struct fact_sock - the local socket that does not read
 * @inode: 0 = there is none
 * @refused_ns: since when it refuses packets
 * @unread_ns: since when its oldest message waits to be read
 * @send_ns: since when a call waits in a send by it
 * @bytes: memory of what it has not read
 * @room: its receive buffer
 * @proc: process, 0 = not known
 */
struct fact_sock {
	uint64_t inode, refused_ns, unread_ns, send_ns, bytes, room;
	pid_t proc;
	char name[32];
};

/* Who said that a message failed, and why */
enum fail_kind {
	FAIL_JOB,	/* the target, for the job */
	FAIL_REFUSED,	/* the target or its host, for another reason */
	FAIL_LOCAL,	/* this host */
	FAIL_KINDS
};

/**
 * struct fact_failure - the last failure of a kind
 * @count: messages that failed so in a row, 0 = none
 */
struct fact_failure {
	uint32_t count, error, source, code, job, pid;
	uint64_t ago_ns;
};

/**
 * struct fact_counts - what became of packets, sums over the contexts
 * @sent: packets
 * @marks: acknowledgments with an ECN mark
 * @trims: trimmed packets
 * @trims_unmarked: of these in contexts with DSCP 0
 * @losses: of all classes but those of the own interface
 * @needless: of these, packets that were late and not lost
 * @losses_local: packets that this dropped
 */
struct fact_counts {
	uint64_t sent, marks, trims, trims_unmarked, losses, needless, losses_local;
};

/**
 * struct fact_context - a context
 * @id: its id, never used again
 * @counts: its counters
 */
struct fact_context {
	uint64_t id;
	struct fact_counts counts;
};

/**
 * struct contexts - contexts as they are found, their memory grows
 */
struct contexts {
	size_t n;
	bool nomem;
	struct fact_context *of;
};

/**
 * struct facts - what is known about a peer
 * @peer: address
 * @own: local address towards it
 * @self: the peer is this host
 * @v4: addresses are of IPv4
 * @cccs: contexts
 * @pdcs: PDCs that send
 * @msgs: messages that are not done
 * @bytes: of these, in memory
 * @waits: by enum uet_nl_wait: how many wait for it, the longest time, and how
 *	many bytes wait
 * @target: who has no memory for them
 * @cwnd: and the following as in the object "ccc", sums over the contexts
 * @port_shut_ns: time for which the local interface has dropped every packet
 * @all: counters since the contexts began
 * @recent: the same of the time that was looked on, if there ever were losses
 * @silent: timeouts in a row, of the PDC with most
 * @heard_ns: time since the peer answered what was sent to it
 * @sends_ns: time since it sent something itself
 * @heard_others_ns: time since any other peer was heard; only asked for if the peer
 *	is silent
 * @trimming: net.uet.trimming
 * @no_route: there is no route to the peer
 * @no_source: this host has not got @own, or may not use it yet
 * @n_bad: entropy values that lost packets lately, the first of them in @bad
 * @bad_ns: time since the first of them was given up
 * @router: where they pass, if they were traced
 * @reader: local socket that refuses packets of the peer, or, if that is this host,
 *	is the target
 */
struct facts {
	char peer[INET6_ADDRSTRLEN], own[INET6_ADDRSTRLEN];
	bool self, v4;
	unsigned int cccs, pdcs, msgs;
	uint64_t bytes;
	struct fact_wait {
		unsigned int n;
		uint64_t ns, bytes;
	} waits[EXPLAIN_WAITS];
	struct fact_target target;
	uint64_t cwnd, max_wnd, inflight, backlog, rtt, base_rtt;
	int64_t credit;
	uint32_t credit_reqs, mpr, held, path_mtu, steps, hole_bytes;
	uint64_t hole_ns, ports_down_ns, port_shut_ns;
	struct fact_counts all, recent;
	unsigned int ports_down;
	uint32_t silent;
	uint64_t heard_ns, sends_ns, heard_others_ns, bad_ns;
	bool trimming, no_route, no_source;
	unsigned int n_bad, n_hops, n_ports;
	struct fact_path bad[EXPLAIN_NAMED];
	struct fact_hop hops[EXPLAIN_HOPS];
	struct fact_router router;
	struct fact_port port[EXPLAIN_NAMED];
	struct fact_sock reader;
	struct fact_failure fail[FAIL_KINDS];
};

/* The order in which causes are told */
enum verdict_rank {
	RANK_STOPS,	/* nothing reaches the peer */
	RANK_WRONG,	/* something is wrong that keeps bytes back */
	RANK_FAILED,	/* messages failed, or the peer's bytes wait for this host */
	RANK_LIMIT,	/* all is well, and this is the limit */
	RANK_USUAL,	/* what bytes under way always wait for */
	RANK_REMARK,	/* something is wrong, but no bytes wait */
};

/**
 * struct verdict - where bytes wait
 * @cause: short name
 * @rank: what kind of cause
 * @order: its place in the table of causes
 * @since_ns: how long they have, 0 = not known
 * @bytes: in memory that wait for it, or for what it explains
 * @text: in words
 * @more: the command that tells more
 */
struct verdict {
	const char *cause;
	enum verdict_rank rank;
	unsigned int order;
	uint64_t since_ns, bytes;
	char text[EXPLAIN_TEXT];
	char more[EXPLAIN_TEXT];
};

#define VERDICTS_MAX	32

/**
 * struct entropy - an entropy value, and its interface where there are several
 */
struct entropy {
	uint32_t ev, dev;
};

/**
 * struct route_ask - a question for the route to a peer
 * @peer: the peer
 * @own: local address, or unspecified
 * @udp_port: of UET
 */
struct route_ask {
	struct in6_addr peer, own;
	uint16_t udp_port;
};

struct args;
struct attrs;
struct nl;
struct path_value;

uint64_t counts_lost(const struct fact_counts *c);
double counts_lost_percent(const struct fact_counts *before,
			   const struct fact_counts *now);
int facts_gather(struct tool *t, const struct in6_addr *peer, double seconds,
		 const struct contexts *before, struct facts *f);
void counts_take(const struct attrs *a, void *arg);
void counts_compare(const struct fact_context *before, size_t n_before,
		    const struct fact_context *now, size_t n_now,
		    struct facts *f);
int counts_look(struct tool *t, const struct args *peer, double seconds,
		struct contexts *before);
int counts_look_again(struct tool *t, const struct args *peer, double seconds,
		      const struct contexts *before, struct facts *f);
void routers_compare(const struct path_value *v, unsigned int n_bad,
		     unsigned int n, struct fact_router *r);
void trace_bad(struct tool *t, const struct in6_addr *peer,
	       const struct entropy *bad, unsigned int n_bad,
	       const struct entropy *good, unsigned int n_good,
	       struct fact_router *r);
int route_ask(struct nl *nl, const struct route_ask *ask, const struct entropy *ev,
	      struct fact_hop *hop);
unsigned int facts_judge(const struct facts *f, struct verdict *v);

#endif
