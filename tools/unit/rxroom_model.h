/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Model of a reader, its receive buffer, and sources that hold back what was
 * refused. The decisions are those of core/rcv/rxroom.c itself, the lists around them
 * those of rx/ses/rxmem.c and rx/ses/rxmsg.c, the source is that of core/snd/snd_hold.c.
 *
 * An ordered line takes nothing but its next packet. Its source ends one message
 * before it begins the next of another queue; a foreign one mixes them, and then
 * messages may be refused for good, but all others must be read.
 *
 * A receive may be posted for a message, which takes no buffer then. Where it has begun
 * the program may wait for its end before it reads others.
 *
 * A program may make its buffer smaller and larger at any time.
 */
#ifndef _RXROOM_MODEL_H
#define _RXROOM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* Wide: for chance alone, as there are too many states */
#ifdef MODEL_WIDE
#define MSGS		16
#define PDCS		8
#define SEQ		120	/* packets of a PDC that CACK does not cover */
#else
#define MSGS		8
#define PDCS		2
#define SEQ		40
#endif
#define PKT		8	/* bytes of a packet */
#define ENTRY		1	/* what a message takes beside them */
#define NONE		0xff
#define THE_END		0xfe	/* MSG_ERROR: no data, and no more will come */

enum pkt_state { FLIGHT = 1, LOST, HELD, TAKEN };

struct pkt {
	uint8_t msg, idx, state;
};

/* A message, at both ends */
struct msg {
	/* source */
	uint8_t sent;		/* packets */
	bool all_sent, again;
	/* destination */
	bool open, buried, right, mixed, ready, complete, absent, silent;
	bool gone, dropped;
	uint16_t got;		/* packets placed, a bit each */
	uint8_t read;		/* packets */
	int8_t psn;		/* lowest that came, from CACK + 1 on */
};

struct state {
	struct msg m[MSGS];
	struct pkt seq[PDCS][SEQ];
	uint8_t n[PDCS];
	uint8_t queue[MSGS];	/* to be sent, in order; all dests */
	uint8_t line[MSGS];	/* rx_open, in order */
	uint8_t list[MSGS];	/* rx_ready, in order */
	uint8_t nq, nline, nlist;
	bool on[MSGS], trying[MSGS];	/* holds, by dest */
	int8_t try_psn[MSGS];
	uint8_t losses, resizes;
	uint8_t half, want;	/* packets: what counts, what the program asked for */
};

/* What does not change: a case */
struct setup {
	const char *name;
	int msgs, half, range, losses;
	bool line, mixing;	/* all by PDC 0, ordered */
	struct {
		uint8_t pdc, dest, len;
		bool posted;
	} m[MSGS];
	bool waits;		/* none is read while a posted receive is being filled */
	int other, resizes;	/* how often half is another one, and back */
	int more;		/* memory of a packet beside its bytes */
};

/* What can happen; a PDC and a place in its sequence, or who, are beside it */
enum step { DELIVER, LOSE, RETRANSMIT, SEND, TRY, READ, WAIT, RESIZE, STEPS };

extern const struct setup *model;
/* Messages covered in part, yet sent back for a rival */
extern unsigned long model_forgotten;

uint32_t model_rnd(uint32_t n);
void model_begin(struct state *s);
bool model_step(struct state *s, int what, int a, int b);
bool model_all_read(const struct state *s);
bool model_wrong(const struct state *s);
void model_normalise(struct state *s);
void model_show(const struct state *s);

/* rxroom_explore.c: all that can be reached; false if there is no way out of it */
bool explore(const struct setup *setup);

#endif /* _RXROOM_MODEL_H */
