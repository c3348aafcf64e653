/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two whole endpoints over a hostile wire, in user space and virtual time.
 *
 * The source side is the core's sender (core/snd/snd.h), congestion control and paths,
 * with just what a kernel would add: messages, memory, timers. The target side is
 * the core's receive map and a plain model of endpoints with little memory. Between
 * them go real headers, built and parsed.
 *
 * What must hold, unless the target lies: no message is delivered twice to one
 * incarnation of an endpoint, one that is reported delivered has been, ordered ones
 * arrive in order unless a host restarted, and none fails without a reason. What must
 * hold in any case: whatever waits is waited for (pair_live.c), counters agree with a
 * recount (pair_books.c), and all ends, after so much time and so many
 * retransmissions (pair_bounds.c).
 *
 * A seed names a run only as long as nothing here or in the core changes that draws
 * random numbers or sends packets. So what a run has found is tested by a script of its
 * own, in snd_kunit.c and snd_queue_kunit.c, not by its seed.
 */
#ifndef PAIR_H
#define PAIR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../net/uet/core/wire/hdr_build.h"
#include "../../net/uet/core/lb/lb.h"
#include "../../net/uet/core/rcv/rxmap.h"
#include "../../net/uet/core/wire/rcvd.h"
#include "../../net/uet/core/snd/snd.h"
#include "../../net/uet/core/snd/snd_ack.h"
#include "../../net/uet/tests/random.h"

#define PAIR_ENDS	2	/* hosts */
#define PAIR_QUEUES	6	/* queues of a host */
#define PAIR_PDCS	256	/* PDCs of a host, dead ones included, per direction */
#define PAIR_MSGS	256	/* messages of a host */
#define PAIR_PIDS	3	/* endpoints of a host */
#define PAIR_OPEN	4096	/* entries of messages of a target's PDC */
#define PAIR_NEVER	UINT64_MAX
#define PAIR_PATHS	64	/* to a host; an entropy value selects one */
#define PAIR_PAYLOAD	1024	/* largest payload of a packet */
#define PAIR_UNIT	256	/* all payloads but the last of a message are multiples */
#define PAIR_UNITS	256	/* of the longest message */
#define PAIR_OVERHEAD	104

/* What a run may do to packets and hosts; chances are one in N, 0 = never */
struct pair_case {
	const char *name;
	const char *algo;
	const char *policy;
	uint32_t loss;
	uint32_t dup;
	uint32_t late;		/* a packet takes up to 20 round trips more */
	bool jumble;		/* packets of one path overtake each other */
	uint32_t mark;
	uint32_t trim;
	uint32_t corrupt;	/* of headers: the checksum finds it */
	uint32_t nomem;		/* the source has no memory for a packet */
	uint32_t closes;	/* of a PDC, by either side, per message */
	uint32_t mtus;		/* changes of the path's MTU, per message */
	uint32_t drops;		/* the source's port has no room for a packet */
	uint32_t mbps;		/* rate of that port, 0 = it never queues */
	uint32_t run_max;	/* packets that it takes as one */
	uint32_t spray_run;	/* packets per entropy value, 0 = as many as leave as one */
	uint32_t gbps;		/* rate by which windows are derived, 0 = 10 */
	uint32_t room;		/* packets that an endpoint stores */
	uint32_t cancels;	/* of messages */
	uint32_t restarts;	/* of hosts, per message */
	uint32_t blackouts;	/* nothing arrives for a while, per message */
	uint32_t forged;	/* stray ACKs, NACKs and ICMP, per packet */
	bool drops_early;	/* ordered targets keep nothing that comes early */
	bool no_sack;		/* ACKs do not tell which packets arrived */
	bool plain;		/* ... and have no state of congestion control */
	bool no_probes;		/* the target refuses PROBE */
	bool liar;		/* the target answers whatever it likes */
	uint32_t shed;		/* a target refuses a new PDC */
	uint32_t range;		/* receive window of a target, PSNs */
	bool rod;
	bool wrap;		/* PSNs begin just below 2^32 */
	uint32_t msgs;		/* per host */
	uint32_t max_len;
	uint32_t max_rtx;	/* bound: retransmissions per 100 packets */
	uint32_t max_ms;	/* bound: the time after the last submission */
};

extern const struct pair_case pair_cases[];
extern const size_t pair_nr_cases;

struct pair;
struct pair_host;

/* A message, and what is known of it at both ends */
struct pair_msg {
	struct uet_snd_msg m;
	struct pair_host *host;		/* that sends it */
	uint32_t uid;
	uint32_t serial;		/* order within its queue */
	bool used;			/* submitted */
	bool done;			/* reported */
	int error;			/* ... so */
	bool cancelled;
	bool begun_ever;
	uint32_t delivered;		/* times, in this incarnation of the target */
	uint32_t delivered_ever;
};

/* A sending PDC */
struct pair_tx {
	struct uet_snd s;
	struct pair_host *host;
	uint16_t id;
	uint16_t remote;
	bool used;
	bool reaped;
	bool unopened;		/* refused by INVALID_SYN */
	bool movable;
	uint32_t close_psn;	/* of CLOSE_CMD, if CLOSING */
	uint64_t timer;
	uint64_t fired;		/* when it fired last */
	uint32_t stuck;		/* how often it fired then */
};

/* A queue of a host, for one endpoint of the other */
struct pair_queue {
	struct uet_snd_queue q;
	struct pair_tx *tx;
	struct uet_snd_lane *spare;
	uint32_t next_serial;
	uint32_t last_arrived;	/* ordered: serial + 1 of the newest delivery */
};

/* A message at the target, by id; a tombstone once @code or delivered */
struct pair_open {
	bool used;
	bool over;
	uint8_t code;
	uint16_t msg_id;
	uint32_t uid;
	uint32_t pkts;		/* stored */
	uint32_t bytes;
	uint32_t len;		/* known once @eom */
	bool eom;
	uint32_t end;		/* highest PSN */
	uint8_t got[PAIR_UNITS];	/* packets, by offset */
};

struct pair_gtd {
	bool used;
	uint32_t psn;
	struct uet_ses_rsp rsp;
};

/* Guaranteed responses kept: few, so that all places are taken at times */
#define PAIR_GTDS	4

/* A receiving PDC */
struct pair_rx {
	bool used;
	bool rod;
	uint64_t closed;	/* when CLOSE_CMD came: TIME_WAIT; 0 = not yet */
	uint16_t id;
	uint16_t remote;
	uint32_t start;
	struct uet_rxmap map;
	u64 bits[512];
	uint64_t rcvd;
	uint32_t ack_count;
	bool ar_wait;
	uint32_t ar_psn;
	bool nacked;
	uint32_t nacked_psn;
	uint64_t ooo_until;
	uint32_t ooo_psn;
	bool keeps;		/* ordered: what comes early, in @early */
	struct pair_early *early;
	struct pair_gtd gtd[PAIR_GTDS];
	struct pair_open *open;
};

/* An endpoint of a host, which stores packets until its reader takes them */
struct pair_pid {
	uint32_t stored;
	uint32_t readable;	/* of these */
	struct pair_open *owner;	/* has a right to room */
	uint64_t owner_at;
};

struct pair_host {
	struct pair *pair;
	int nr;
	struct pair_host *peer;
	/* source */
	struct uet_ccc ccc;
	struct uet_cc_params params;
	struct uet_snd_flow flow;
	struct uet_snd_rules rules;
	struct uet_lb *lb;
	u8 probes;
	struct pair_queue queue[PAIR_QUEUES];
	struct pair_tx *tx[PAIR_PDCS];
	struct pair_msg *msg[PAIR_MSGS];
	uint32_t nr_tx, nr_msg, nr_done;
	uint64_t port_free;	/* when the port has sent what it was given */
	/* target */
	struct pair_rx *rx[PAIR_PDCS * 4];
	uint32_t nr_rx;
	struct pair_pid pid[PAIR_PIDS];
	uint64_t wake;		/* a reader reads next */
};

struct pair_packet {
	struct pair_packet *next;
	uint64_t at;
	struct pair_host *to;
	uint16_t ev;
	bool ce;
	bool trimmed;
	uint32_t payload;
	uint32_t run;		/* bytes of the run it came in, 0 = alone */
	uint32_t len;
	uint8_t bytes[UET_HDR_MAX_LEN + 16];
};

/* A packet that came early; @pkt.req.psn says which one the place is for */
struct pair_early {
	struct pair_packet pk;
	struct uet_pkt pkt;
};

/* What the runs of a case have in common */
struct pair_total {
	uint64_t runs;
	uint64_t packets;	/* of all kinds */
	uint64_t sent;		/* requests, retransmissions included */
	uint64_t rtx;
	uint64_t in_runs;	/* requests that left in runs */
	uint64_t restarts;
	uint64_t longest;	/* ns after the last submission */
};

struct pair {
	const struct pair_case *c;
	struct test_rnd rnd;
	uint64_t now;
	uint64_t base;		/* one-way delay, ns */
	uint32_t run;		/* bytes of the run that is being sent, 0 = none */
	uint64_t dark_until;
	uint64_t arrived[PAIR_ENDS][PAIR_PATHS];	/* latest arrival so far */
	struct pair_packet *wire;	/* by time */
	struct pair_packet *pool;
	struct pair_host host[PAIR_ENDS];
	struct pair_total total;
	uint64_t submitted;	/* when the last message was, 0 = not yet */
	uint64_t events;
	bool each;		/* check all of it after each event */
	bool failed;
	bool calm;		/* the wire is good from now on */
};

static inline bool chance(struct pair *p, uint32_t one_in)
{
	return one_in && !p->calm && rnd_one_in(&p->rnd, one_in);
}

/* With PAIR_TRACE in the environment: what happens at a host, "# time host ..." */
__printf(2, 3)
void pair_trace(const struct pair_host *h, const char *fmt, ...);
/* Report what is wrong; the run ends. */
void pair_fail(struct pair *p, const char *what, uint32_t n);

/* pair_wire.c */
/* @departs: when a packet in the traffic class of data leaves, 0 of control, at once */
void pair_send(struct pair *p, struct pair_host *to, const struct uet_pkt *pkt,
	       uint32_t payload, uint16_t ev, uint64_t departs);
struct pair_packet *pair_arrives(struct pair *p);
void pair_free(struct pair *p, struct pair_packet *pk);
void pair_wire_end(struct pair *p);

/* pair_source.c */
void source_init(struct pair_host *h);
void source_answer(struct pair_host *h, const struct uet_pkt *pkt, uint16_t ev);
void source_close(struct pair_host *h);
void source_mtu(struct pair_host *h);
void source_restart(struct pair_host *h);
bool source_at_rest(const struct pair_host *h);
uint64_t source_next(const struct pair_host *h);
void source_expire(struct pair_host *h);
void source_end(struct pair_host *h);
void tx_arm(struct pair_tx *tx);

/* pair_port.c */
uint64_t port_free(const struct pair_host *h);
/* When another packet may be handed over, 0 = now */
uint64_t port_wait(const struct pair_host *h);
/* A packet is handed over: when does it leave? */
uint64_t port_departs(struct pair_host *h, uint32_t size);
/* Time of a packet in the port */
uint32_t port_takes(const struct pair_host *h, uint32_t size);
/* ... or the port had no room for it */
/* The port had no room for @n packets, from @psn on. */
void port_dropped(struct pair_tx *tx, uint32_t psn, uint32_t n);

/* pair_show.c */
void source_show(const struct pair_host *h);

/* pair_send.c */
bool send_alone(struct pair_tx *tx, struct pair_msg *m);
void source_run(struct pair_host *h);
bool tx_grow(struct pair_tx *tx);

/* pair_bind.c */
struct pair_tx *queue_bind(struct pair_host *h, int nr);
void tx_die(struct pair_tx *tx);
void tx_reap(struct pair_tx *tx);

/* pair_close.c */
void close_ask(struct pair_tx *tx);
void close_try(struct pair_tx *tx);
bool close_again(struct pair_tx *tx);
bool close_done(struct pair_tx *tx);
void close_end(struct pair_tx *tx);

/* pair_msg.c */
struct pair_msg *source_by_uid(struct pair_host *h, uint32_t uid);
void source_submit(struct pair_host *h);
void source_cancel(struct pair_host *h, struct pair_msg *m);
struct pair_msg *msg_of(const struct uet_snd_msg *m);
void msgs_fill(struct pair_host *h);
void msg_report(struct pair_msg *m, int error);
void msg_done(struct pair_tx *tx, struct uet_snd_msg *m);
void msg_response(struct pair_tx *tx, const struct uet_ses_rsp *rsp,
		  const struct uet_snd_acked *acked);

/* pair_books.c */
void books_check(struct pair_host *h);

/* pair_live.c: after all events of one time; a timer fired */
void live_check(struct pair_host *h);
void live_fired(struct pair_tx *tx);

/* pair_bounds.c: after a run, after all runs of a case */
void bounds_run(struct pair *p);
bool bounds_case(const struct pair_case *c, const struct pair_total *t);

/* pair_forge.c */
void forge(struct pair *p, struct pair_host *h);

/* pair_liar.c */
void liar_packet(struct pair_host *h, const struct pair_packet *pk,
		 const struct uet_pkt *pkt);

/* pair_target.c */
void target_packet(struct pair_host *h, const struct pair_packet *pk,
		   const struct uet_pkt *pkt);
void target_read(struct pair_host *h);
void target_ask_close(struct pair_host *h);
void target_restart(struct pair_host *h);
void target_end(struct pair_host *h);

#endif
