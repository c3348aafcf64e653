/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between the socket layer and the sending side of the packet
 * delivery sublayer (PDS, UE 1.0 3.5).
 *
 * Not here: the message objects (tx/msg/txmsg.h).
 */
#ifndef _UET_PDS_H
#define _UET_PDS_H

#include <linux/types.h>

struct uet_dest;
struct uet_info;
struct uet_net;
struct uet_sock;
struct uet_txmsg;

/*
 * Calls from the socket layer: process context or BH; they take the flow lock.
 */

/* Queue a message at its dest and start sending; if @more are to follow soon, it
 * may wait for them. On success the PDS holds the reference that came with @msg.
 * Errors: -ENETUNREACH, -EHOSTUNREACH, -ENOBUFS (limit of PDCs), -EADDRNOTAVAIL,
 * -EAGAIN (retry when the dest is empty); never -EMSGSIZE.
 */
int uet_pds_submit(struct uet_txmsg *msg, bool more);

/* Send what waits for more messages that do not come at once */
void uet_pds_run(struct uet_dest *dest);

/* More bytes of a streamed message, or its end, are available */
void uet_pds_more(struct uet_txmsg *msg, u32 filled, bool eom);

/* Give up a message whose sendmsg() was cut short; it is not reported */
void uet_pds_withdraw(struct uet_txmsg *msg);

/* The socket closes: no more reports, charges or pointers to it */
void uet_pds_orphan(struct uet_dest *dest);

/**
 * struct uet_txdrop - which messages of a socket are to be given up, and why
 * @now: time, ns
 * @cookie: selects messages with this cookie if @named
 * @error: errno of their reports
 * @named: select by @cookie
 * @gone: select those whose program has ended; otherwise by an expired deadline
 * @moving: set if a message is just handed to another PDC: it was not looked at
 * @dropped: number of messages given up
 * @next: earliest deadline of the remaining messages, 0 = none
 */
struct uet_txdrop {
	u64	now;
	u64	cookie;
	int	error;
	bool	named;
	bool	gone;
	bool	moving;
	u32	dropped;
	u64	next;
};

/* Give up the messages of @dest that @drop selects, and report them */
void uet_pds_drop(struct uet_dest *dest, struct uet_txdrop *drop);

/* Give up all messages of @dest, as uet_pds_withdraw() does (SO_LINGER) */
void uet_pds_discard(struct uet_dest *dest);

/* The last reference to @dest is gone: drop @dest->pdc. Called from an RCU
 * callback (softirq, no locks); @dest is freed when this returns.
 */
void uet_pds_dest_gone(struct uet_dest *dest);

/* deadline.c: when messages of a socket are given up */
void uet_tx_expire_init(struct uet_sock *us);
void uet_tx_expire(struct uet_sock *us, u64 deadline);
void uet_tx_expire_stop(struct uet_sock *us);
int uet_tx_cancel(struct uet_sock *us, u64 cookie);

/* State towards the peer of @dest for UET_INFO */
void uet_pds_info(struct uet_dest *dest, struct uet_info *info);

/*
 * Calls to the socket layer: softirq, flow lock held; must not call the PDS.
 */

/* @msg is done: error 0, or errno with source (enum uet_report_source), code */
void uet_txmsg_done(struct uet_txmsg *msg, int error, u8 source, u16 code);

#endif /* _UET_PDS_H */
