/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receives that are posted ahead: which message goes to which buffer.
 */
#ifndef _UET_RX_POST_H
#define _UET_RX_POST_H

#include <linux/list.h>
#include <linux/types.h>

#include "cq/buffer.h"
#include "cq/cq.h"

/* Buckets by tag, for receives and for messages that wait for one */
#define UET_POST_BUCKETS	64

struct sk_buff;
struct uet_pdc;
struct uet_rxmsg;
struct uet_rxpart;
struct uet_rxpost;
struct uet_sock;

/**
 * struct uet_rxinto - the place of a message in a posted buffer
 * @post: the receive, with a reference
 * @at: where in the buffer it begins
 * @room: bytes of the message that go there
 * @error: errno that ends it while it is being filled, 0 = none
 * @filling: a task copies to it what had come before it was posted
 * @data: the message, with %UET_RECV_INLINE
 *
 * rx_lock of the socket protects all but what is constant.
 */
struct uet_rxinto {
	struct uet_rxpost	*post;
	u64			at;
	u32			room;
	int			error;
	bool			filling;
	u8			data[UET_RECV_INLINE_MAX];
};

/**
 * struct uet_rxpost - a posted receive
 * @node: in uet_rxposts.exact or uet_rxposts.wild while messages may match it
 * @buf: where data goes
 * @ref: one while it is posted, one for each message in it
 * @seq: order among receives of the socket
 * @tag: as posted
 * @ignore: as posted
 * @from: as posted
 * @cookie: as posted
 * @flags: UET_RECV_*
 * @length: of the buffer
 * @used: bytes of it that messages have got
 * @least: as posted
 * @users: messages in it
 * @open: messages may match it
 * @slot: of its completion queue it owns one; with %UET_RECV_MULTI for the cancel alone
 * @own: the only message, or the completion of a cancel
 *
 * rx_lock of the socket protects @node, @used, @users, @open and @slot; the
 * rest is constant.
 */
struct uet_rxpost {
	struct list_head	node;
	struct uet_buffer	buf;
	refcount_t		ref;
	u64			seq;
	u64			tag;
	u64			ignore;
	struct sockaddr_uet	from;
	u64			cookie;
	u32			flags;
	u32			length;
	u32			used;
	u32			least;
	u32			users;
	bool			open;
	bool			slot;
	struct uet_rxinto	own;
};

/* Of the socket layer; rx_lock held. @error is 0 or an errno. */
typedef void uet_rxpost_ended_fn(struct uet_sock *us, const struct sockaddr_uet *from,
				 int error);

/**
 * struct uet_rxposts - posted receives of a socket, and messages that wait for one
 * @ended: told of each message in a receive that was complete, or whose rest will not
 *	come; constant
 * @nr: receives that messages may match
 * @seq: of the next receive
 * @exact: receives of one tag, by that
 * @wild: other receives
 * @begun: messages that go to a buffer and are not complete, by PDC
 * @waiting: other messages, as they came
 * @by_tag: of these the ones with a tag, by that
 *
 * rx_lock of the socket protects all of it.
 */
struct uet_rxposts {
	uet_rxpost_ended_fn	*ended;
	u32			nr;
	u64			seq;
	struct list_head	exact[UET_POST_BUCKETS];
	struct list_head	wild;
	struct list_head	begun[UET_POST_BUCKETS];
	struct list_head	waiting;
	struct list_head	by_tag[UET_POST_BUCKETS];
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

struct uet_rxpost *uet_rxpost_alloc(const struct uet_recv_post *p);
void uet_rxpost_put(struct uet_rxpost *post);
int uet_rxposts_begin(struct uet_sock *us, struct uet_cq *cq,
		      uet_rxpost_ended_fn *ended);
void uet_rxposts_end(struct uet_sock *us);
void uet_rxpost_add(struct uet_sock *us, struct uet_rxpost *post);
bool uet_rxpost_cancel(struct uet_sock *us, u64 cookie);

/* For rx/rxmsg.c and rx/defer.c; rx_lock held */
bool uet_rxpost_wanted(struct uet_sock *us, const struct uet_post_key *key);
bool uet_rxpost_match(struct uet_sock *us, struct uet_rxmsg *msg);
int uet_rxpost_place(struct uet_sock *us, struct uet_rxmsg *msg,
		     const struct sk_buff *skb, const struct uet_rxpart *part);
void uet_rxpost_end(struct uet_sock *us, struct uet_rxmsg *msg, int error);
void uet_rxpost_begin(struct uet_sock *us, struct uet_rxmsg *msg);
bool uet_rxpost_overtook(const struct uet_sock *us, const struct uet_pdc *pdc, u32 psn);
void uet_rxpost_wait(struct uet_sock *us, struct uet_rxmsg *msg);
void uet_rxpost_cancel_all(struct uet_sock *us);

#endif /* _UET_RX_POST_H */
