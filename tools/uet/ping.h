/* SPDX-License-Identifier: GPL-2.0 */
/*
 * "ping": probes that the kernel sends, and what came of them.
 */
#ifndef UET_PING_H
#define UET_PING_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "cmd.h"

/* Exit status, as ping(8) has it */
enum {
	PING_ANSWERED	= 0,
	PING_SILENT	= 1,
	PING_ERROR	= 2,
};

#define PING_SIZES_MAX	16
/* A size that fills a packet of the MTU */
#define PING_SIZE_MTU	UINT32_MAX
#define PING_VALUES_MAX	1024
#define PING_HOPS_MAX	64
#define PING_NO_PID	(-1)

/**
 * struct ping_conf - what was asked for
 * @peer: address
 * @name: its words
 * @dev: interface, 0 = that of the route
 * @pid: PIDonFEP, or PING_NO_PID
 * @ri: resource index
 * @job: job
 * @count: probes, or rounds over all values; 0 = until interrupted
 * @interval: seconds between two probes
 * @timeout: seconds until one counts as lost
 * @sizes: payloads, in turn
 * @n_sizes: how many
 * @ev: entropy value, 0 = any
 * @ttl: TTL, 0 = that of the route
 * @values: most entropy values to probe
 * @hops: most hops to look for
 * @all_paths: probe all entropy values
 * @trace: look for the hops of each
 * @quiet: just the summary
 */
struct ping_conf {
	struct in6_addr peer;
	const char *name;
	unsigned int dev;
	int pid;
	uint32_t ri;
	uint32_t job;
	uint64_t count;
	double interval;
	double timeout;
	uint32_t sizes[PING_SIZES_MAX];
	unsigned int n_sizes;
	uint32_t ev;
	uint32_t ttl;
	uint32_t values;
	uint32_t hops;
	bool all_paths;
	bool trace;
	bool quiet;
};

/**
 * struct ping_way - how the kernel sends probes
 * @known: the rest is
 * @local: address of this host
 * @dev: interface
 * @udp_port: of the peer
 * @mtu: of the route
 * @payload_mtu: payload of a full packet
 * @headers: bytes of a packet beside its payload
 */
struct ping_way {
	bool known;
	struct in6_addr local;
	uint32_t dev;
	uint32_t udp_port;
	uint32_t mtu;
	uint32_t payload_mtu;
	uint32_t headers;
};

/**
 * struct probe - a probe
 * @ev: entropy value, 0 = the kernel's choice, which is told
 * @ttl: TTL, 0 = that of the route
 * @size: payload
 * @ask: it asks for an endpoint
 * @pid: PIDonFEP that it asks for
 * @number: for who sent it
 * @waits: it has no result yet
 * @error: errno if the kernel refused it
 * @seq: sequence number of its request
 * @dev: interface by which it went
 * @len: length of its packet
 * @result: enum uet_nl_ping_result
 * @rtt: ns, 0 = not known
 * @sent: times that it was sent
 * @has_from: @from is known
 * @from: who answered
 * @marked: it arrived with an ECN mark
 * @nack: NACK code, 0 = none
 * @code: SES return code, -1 = none
 * @generation: of the endpoint, -1 = not told
 * @version: of SES, -1 = not told
 * @window: receive window in packets, 0 = not told
 * @icmp: type and code of the ICMP error
 * @mtu: of the link that is too narrow
 */
struct probe {
	uint32_t ev;
	uint32_t ttl;
	uint32_t size;
	bool ask;
	uint32_t pid;
	uint64_t number;
	bool waits;
	int error;
	uint32_t seq;
	uint32_t dev;
	uint32_t len;
	uint32_t result;
	uint64_t rtt;
	uint32_t sent;
	bool has_from;
	struct in6_addr from;
	bool marked;
	uint32_t nack;
	int code;
	int generation;
	int version;
	uint32_t window;
	uint32_t icmp;
	uint32_t mtu;
};

/* Probes under way at a time, a power of two */
#define PING_WINDOW	128

/**
 * struct pinger - sends probes and hears of them
 * @t: tool
 * @conf: what was asked for
 * @way: how they are sent
 * @under_way: probes without a result, by sequence number
 * @waiting: how many
 * @turn_ns: when the present turn began
 * @turn_probes: probes sent in it
 * @done: called for each that has its result
 * @arg: for @done
 */
struct pinger {
	struct tool *t;
	const struct ping_conf *conf;
	struct ping_way way;
	struct probe *under_way[PING_WINDOW];
	unsigned int waiting;
	uint64_t turn_ns;
	unsigned int turn_probes;
	void (*done)(struct probe *probe, void *arg);
	void *arg;
};

/* ping_send.c */
int pinger_open(struct pinger *p, struct tool *t, const struct ping_conf *conf);
bool pinger_stopped(void);
int pinger_send(struct pinger *p, struct probe *probe);
int pinger_hear(struct pinger *p, int ms);
int pinger_drain(struct pinger *p);
int pinger_one(struct pinger *p, struct probe *probe);

/**
 * struct rtts - round trips
 * @at: ns
 * @n: how many
 * @room: for how many
 */
struct rtts {
	uint64_t *at;
	size_t n;
	size_t room;
};

struct rtt_sum {
	uint64_t min, median, max;
};

/* ping_sum.c */
void rtts_add(struct rtts *r, uint64_t ns);
bool rtts_sum(struct rtts *r, struct rtt_sum *sum);
bool endpoint_there(const struct probe *probe);
const char *endpoint_text_of(const struct probe *probe);
const char *probe_text(const struct probe *probe);
unsigned int sizes_hole(const uint64_t *sent, const uint64_t *answered,
			const uint32_t *lens, unsigned int n, uint32_t *passes,
			uint32_t *lost);

/**
 * struct value - an entropy value that is probed
 * @ev: the value
 * @dev: interface by which its packets go
 * @sent: probes
 * @answered: of these
 * @rtt: least round trip, ns
 * @slow: it takes far longer than others
 * @hops: who answered at each TTL, :: = nobody
 * @n_hops: how many
 * @reached: the peer answered at TTL @n_hops + 1
 */
struct path_value {
	uint32_t ev;
	uint32_t dev;
	uint32_t sent;
	uint32_t answered;
	uint64_t rtt;
	bool slow;
	struct in6_addr *hops;
	unsigned int n_hops;
	bool reached;
};

void values_judge(struct path_value *v, unsigned int n);
int value_lost_behind(const struct path_value *v);

/* ping_paths.c, ping_trace.c */
int paths_run(struct pinger *p);
int trace_values(struct pinger *p, struct path_value *v, unsigned int n);
void trace_out(struct out *o, const struct path_value *v, unsigned int n);

/* ping_show.c */
void way_out(struct pinger *p);
void host_out(struct pinger *p, const struct probe *host);
void sum_out(struct out *o, struct rtts *r);

#endif
