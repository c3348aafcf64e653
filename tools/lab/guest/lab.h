/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guest half of the laboratory: one process builds the fabric out of
 * network namespaces, drives every connection of every host and takes the
 * samples. One process, because in exact virtual time it costs nothing that
 * hosts share it, and it makes a run deterministic and cheap.
 */
#ifndef _LAB_H
#define _LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

#define LAB_NAME	16	/* names of namespaces, devices, algorithms */
#define WARM_BYTES	64	/* message that opens a connection */

struct ns {
	char	name[LAB_NAME];
	int	fd;
	int	nlfd;		/* rtnetlink in this namespace, for sampling */
	bool	sampled;
	bool	counted;
	bool	tapped;
	bool	repairs;	/* lost packets are followed */
};

enum proto { PROTO_TCP, PROTO_MPTCP, PROTO_UET, PROTO_ROD, PROTO_UDP };

struct flow;
struct conn;

/**
 * struct conn_ops - what differs between transports
 * @open: both ends exist and have exchanged one message after it
 * @send: hands the transport as much of the flow as it takes now
 * @recv: reads at most @max bytes and gives them to lab_received()
 */
struct conn_ops {
	void	(*open)(struct conn *c);
	int	(*send)(struct conn *c, struct flow *f);
	long	(*recv)(struct conn *c, size_t max);
	void	(*error)(struct conn *c);
	void	(*window)(struct conn *c, FILE *out, uint64_t now);
};

struct conn {
	int			id;
	enum proto		proto;
	const struct conn_ops	*ops;
	struct ns		*src, *dst;
	char			saddr[16], daddr[16];
	int			sport, dport;
	char			cc[LAB_NAME], policy[LAB_NAME];
	uint64_t		read_rate;	/* bytes/s of the reader, 0 = at once */
	uint64_t		read_until;	/* then at once; 0 = never */
	int			txfd, rxfd;
	bool			want_write, reader_waits;
	struct flow		*txhead, *txtail;	/* started, not handed over */
	struct flow		*rxhead, *rxtail;	/* started, not complete */
	uint64_t		received;
	bool			watch_window;
};

struct flow {
	int		id;
	struct conn	*conn;
	uint64_t	start;		/* offset from the common start, ns */
	uint64_t	bytes;		/* 0: until @stop */
	uint64_t	msg;		/* bytes per message */
	int		after;		/* flow to wait for, or -1 */
	uint64_t	delay;		/* after it completed, ns */
	uint64_t	stop;		/* no new message after it, ns */
	uint64_t	sent, received, acked;
	uint64_t	t_start, t_done, t_acked;
	bool		started, done, stopped, bad;
	struct flow	*txnext, *rxnext;
	struct flow	*dependents, *sibling;
};

struct lab {
	struct ns	*ns;
	int		nr_ns;
	int		root_ns;
	struct conn	*conns;
	int		nr_conns;
	struct flow	*flows;
	int		nr_flows;
	int		finite, finite_done;
	int		epfd;
	uint64_t	t0;		/* common start */
	uint64_t	until, settle, warm_wait;
	uint64_t	port_every, window_every, goodput_every;
	FILE		*raw;
};

extern struct lab lab;

/* main.c */
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* plan.c */
void plan_read(const char *path);
struct ns *plan_ns(const char *name);
void plan_changes(void);

/* ns/netns.c */
void netns_create(struct ns *ns);
void netns_enter(const struct ns *ns);
void netns_leave(void);
void netns_sysctl(const struct ns *ns, const char *path, const char *value);
void netns_plain(const struct ns *ns, const char *dev);
void netns_exec(const struct ns *ns, const char *tool, const char *file,
		const char *output);

/* timers.c: a heap of events on the monotonic clock */
typedef void (*timer_fn)(void *arg);
void timer_at(uint64_t when, timer_fn fn, void *arg);
int timers_run(void);
uint64_t timers_next(void);

/* traffic.c */
void traffic_open(void);
void traffic_start(void);
void traffic_run(void);
void lab_received(struct conn *c, struct flow *f, uint64_t offset,
		  const void *data, size_t len);
void lab_acked(struct flow *f);
struct flow *lab_flow(struct conn *c, uint64_t id);
void want_write(struct conn *c, bool on);

/* ranks.c */
void ranks_provider(const char *name);
void ranks_add(struct ns *ns, const char *addr);
void ranks_work(const char *what);
int ranks_start(void);
bool ranks_pending(void);
void ranks_end(void);
void ranks_check(void);

/* reorder.c */
void reorder_start(void);
void reorder_report(void);

/* repair.c */
void repair_start(void);
void repair_report(void);

/* content.c */
void content_init(void);
const void *content_at(int flow, uint64_t offset, size_t *len);
bool content_ok(int flow, uint64_t offset, const void *data, size_t len);

/* sample.c */
void sample_init(void);
void sample_ports(void *arg);
void sample_windows(void *arg);
void sample_goodput(void *arg);
void sample_counters(const char *phase);

extern const struct conn_ops tcp_ops;
extern const struct conn_ops uet_ops;
extern const struct conn_ops udp_ops;

/* tcp.c */
struct sockaddr_in;
void lab_addr(struct sockaddr_in *sin, const char *addr, int port);

#endif /* _LAB_H */
