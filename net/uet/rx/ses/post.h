/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receives that are posted ahead: which message goes to which buffer.
 */
#ifndef _UET_RX_POST_H
#define _UET_RX_POST_H

#include <linux/list.h>
#include <linux/siphash.h>
#include <linux/types.h>

#include "core/rcv/match.h"
#include "core/rcv/posted.h"
#include "cq/buffer.h"
#include "cq/cq.h"

/* Buckets of messages: those that wait by tag, those that have begun by PDC */
#define UET_POST_BUCKETS	64

struct sk_buff;
struct uet_op;
struct uet_pdc;
struct uet_rxmsg;
struct uet_rxpart;
struct uet_sock;

/**
 * struct uet_rxpost - a posted receive
 * @match: in uet_rxposts.index, while messages may match it
 * @node: in uet_rxposts.open, as long
 * @buf: where data goes
 * @us: its socket, with a reference, if @buf has pages
 * @ref: one while messages may match it, one for each message in it
 * @recv: who has it
 * @tag: as posted
 * @ignore: as posted
 * @from: as posted
 * @cookie: as posted
 * @flags: UET_OP_*
 * @tagged: for messages with a tag
 * @slot: of its completion queue it owns one; with %UET_OP_MULTI for the cancel alone
 * @linked: it is in the index
 * @held: @match counts as a user of its mask, but is not in the index
 * @data: the message, with %UET_OP_INLINE
 *
 * rx_lock of the socket protects @match, @node, @recv, @slot, @linked, @held and @data; the
 * rest is constant.
 */
struct uet_rxpost {
	struct uet_match_entry	match;
	struct list_head	node;
	struct uet_buffer	buf;
	struct uet_sock		*us;
	refcount_t		ref;
	struct uet_posted	recv;
	u64			tag;
	u64			ignore;
	struct sockaddr_uet	from;
	u64			cookie;
	u16			flags;
	bool			tagged;
	bool			slot;
	bool			linked;
	bool			held;
	u8			data[UET_OP_DATA_MAX];
};

/* Of the socket layer; rx_lock held. @error is 0 or an errno. */
typedef void uet_rxpost_ended_fn(struct uet_sock *us, const struct sockaddr_uet *from,
				 int error);

/**
 * struct uet_rxposts - posted receives of a socket, and messages that wait for one
 * @us: the socket
 * @ended: told of each message in a receive that was complete, or whose rest will not
 *	come; constant
 * @want: waits for slots of the completion queue, if @dry
 * @key: of hashes; constant
 * @nr: receives in @index
 * @dry: a message found no slot: those that a receive for many would get wait behind it
 * @open: receives in @index, oldest first
 * @begun: messages that go to a buffer and are not complete, by PDC
 * @waiting: other messages, as they came
 * @by_tag: of these the ones with a tag, by that
 * @mark: where a task that looks through @waiting, or a list of @by_tag, goes on; the
 *	socket is locked meanwhile
 * @index: receives that messages may match
 *
 * rx_lock of the socket protects all of it.
 */
struct uet_rxposts {
	struct uet_sock		*us;
	uet_rxpost_ended_fn	*ended;
	struct uet_cq_want	want;
	siphash_key_t		key;
	u32			nr;
	bool			dry;
	struct list_head	open;
	struct list_head	begun[UET_POST_BUCKETS];
	struct list_head	waiting;
	struct list_head	by_tag[UET_POST_BUCKETS];
	struct list_head	mark;
	struct uet_match	index;
};

/**
 * struct uet_post_key - what a receive looks at in a message
 * @tag: its tag, if @tagged
 * @from: its source
 * @tagged: it has a tag
 */
struct uet_post_key {
	u64				tag;
	const struct sockaddr_uet	*from;
	bool				tagged;
};

struct uet_rxpost *uet_rxpost_alloc(struct uet_sock *us, const struct uet_op *op,
				    const struct sockaddr_uet *from);
void uet_rxpost_put(struct uet_rxpost *post);
int uet_rxposts_begin(struct uet_sock *us, struct uet_cq *cq,
		      uet_rxpost_ended_fn *ended);
void uet_rxposts_end(struct uet_sock *us);
int uet_rxpost_allow(struct uet_sock *us, struct uet_rxpost *post);
void uet_rxpost_add(struct uet_sock *us, struct uet_rxpost *post);
bool uet_rxpost_cancel(struct uet_sock *us, u64 cookie);
void uet_rxposts_room(struct uet_sock *us);

/* For rx/ses/rxmsg.c and rx/ses/defer.c; rx_lock held */
bool uet_rxpost_wanted(struct uet_sock *us, const struct uet_post_key *key);
bool uet_rxpost_begin(struct uet_sock *us, struct uet_rxmsg *msg,
		      const struct sk_buff *skb, const struct uet_rxpart *part);
int uet_rxpost_place(struct uet_sock *us, struct uet_rxmsg *msg,
		     const struct sk_buff *skb, const struct uet_rxpart *part);
void uet_rxpost_end(struct uet_sock *us, struct uet_rxmsg *msg, int error);
bool uet_rxpost_overtook(const struct uet_sock *us, const struct uet_pdc *pdc, u32 psn);
void uet_rxpost_wait(struct uet_sock *us, struct uet_rxmsg *msg);
void uet_rxposts_stop(struct uet_sock *us);

#endif /* _UET_RX_POST_H */
