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
#define EXPLAIN_TEXT	512
/* Time since something that never was */
#define EXPLAIN_NEVER	UINT64_MAX

/**
 * struct fact_path - an entropy value that is not used
 * @ev: the value
 * @lost: packets lost, if they are counted
 * @hop: index of the next hop
 */
struct fact_path {
	uint32_t ev, lost;
	unsigned int hop;
};

/**
 * struct fact_hop - a next hop, and the entropy values that hash to it
 * @via: its address, or the peer's; "" if there is no route
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
 * struct fact_port - a local interface towards the peer
 * @silent: the next hop does not answer
 */
struct fact_port {
	char dev[IF_NAMESIZE];
	bool up, silent;
	uint64_t backlog;
};

/**
 * struct fact_sock - the local socket that does not read
 * @inode: 0 = there is none
 * @unread_ns: age of its oldest message that can be read
 * @refused_ns: since when it refuses packets
 * @bytes: memory of what it has not read
 * @room: its receive buffer
 * @proc: process, 0 = not known
 */
struct fact_sock {
	uint64_t inode, unread_ns, refused_ns, bytes, room;
	uint32_t pid;
	pid_t proc;
	char name[32];
};

/**
 * struct facts - what is known about a peer
 * @peer: address
 * @self: the peer is this host
 * @own: local address towards it
 * @cccs: contexts
 * @pdcs: PDCs that send
 * @msgs: messages that are not done
 * @bytes: of these, in memory
 * @waits: by enum uet_nl_wait: how many wait for it, and the longest time
 * @tclass: DSCP
 * @cwnd: and the following as in the object "ccc", sums over the contexts
 * @losses: of all classes but those of the own interface
 * @silent: timeouts in a row, of the PDC with most
 * @heard_ns: time since the peer was heard
 * @heard_others_ns: time since any other peer was heard
 * @refused_here: packets of the peer are refused for lack of memory here
 * @trimming: net.uet.trimming
 * @failed: a message to it failed; then the last failure follows
 */
struct facts {
	char peer[INET6_ADDRSTRLEN], own[INET6_ADDRSTRLEN];
	bool self;
	unsigned int cccs, pdcs, msgs;
	uint64_t bytes;
	struct fact_wait {
		unsigned int n;
		uint64_t ns;
	} waits[EXPLAIN_WAITS];
	uint32_t tclass;
	uint64_t cwnd, max_wnd, inflight, backlog, rtt, base_rtt;
	int64_t credit;
	uint32_t credit_reqs, mpr, held, mtu, path_mtu, steps, hole_bytes;
	uint64_t sent, marks, trims, losses, losses_local, shortages;
	unsigned int paths, paths_bad, ports, ports_down;
	uint32_t silent;
	uint64_t heard_ns, heard_others_ns;
	bool refused_here, trimming;
	unsigned int n_bad, n_hops, n_ports;
	struct fact_path bad[EXPLAIN_NAMED];
	struct fact_hop hops[EXPLAIN_NAMED];
	struct fact_port port[EXPLAIN_NAMED];
	struct fact_sock reader;
	bool failed;
	uint32_t fail_error, fail_source, fail_code, fail_count, fail_job, fail_pid;
	uint64_t fail_ago_ns;
};

/**
 * struct verdict - where bytes wait
 * @cause: short name
 * @since_ns: how long they have, 0 = not known
 * @text: in words
 * @more: the command that tells more
 */
struct verdict {
	const char *cause;
	uint64_t since_ns;
	char text[EXPLAIN_TEXT];
	char more[EXPLAIN_TEXT];
};

#define VERDICTS_MAX	24

int facts_gather(struct tool *t, const struct in6_addr *peer, struct facts *f);
unsigned int facts_judge(const struct facts *f, struct verdict *v);

#endif
