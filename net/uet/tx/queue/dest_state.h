/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a queue of messages holds, and what it waits for: for operators.
 */
#ifndef _UET_DEST_STATE_H
#define _UET_DEST_STATE_H

#include <linux/in6.h>
#include <linux/types.h>
#include <linux/uet_netlink.h>

struct uet_dest;
struct uet_txmsg;

/**
 * struct uet_dest_state - state of a queue
 * @inode: inode of its socket, 0 if that has closed
 * @bound: it has a PDC: @laddr, @pdc, @ccc and @peer are
 *	valid
 * @pdc: PDCID
 * @wait: what its oldest data waits for
 * @msgs: messages that are not done
 * @laddr: local fabric address
 * @bytes: memory of the messages
 * @ccc: id of the CCC
 * @peer: id of the peer, likewise
 * @wait_ns: how long it has waited for that
 * @held_ns: how long the target had no memory, in all
 * @oldest_ns: age of the oldest message, 0 without
 */
struct uet_dest_state {
	u64			inode;
	bool			bound;
	u16			pdc;
	enum uet_nl_wait	wait;
	u32			msgs;
	struct in6_addr		laddr;
	u64			bytes;
	u64			ccc;
	unsigned long		peer;
	u64			wait_ns;
	u64			held_ns;
	u64			oldest_ns;
};

/**
 * typedef uet_txmsg_visit - called for each message of a queue, in order
 * @msg: the message; the locks of its queue are held
 * @wait: what it waits for
 * @st: state of the queue
 * @arg: of the caller
 *
 * Return: false if no later message of the same list is wanted.
 */
typedef bool (*uet_txmsg_visit)(const struct uet_txmsg *msg,
				enum uet_nl_wait wait,
				const struct uet_dest_state *st, void *arg);

void uet_dest_state(struct uet_dest *dest, struct uet_dest_state *st);
void uet_dest_visit(struct uet_dest *dest, uet_txmsg_visit visit, void *arg);

#endif /* _UET_DEST_STATE_H */
