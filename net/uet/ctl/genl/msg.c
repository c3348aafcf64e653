// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "msg": messages that wait, outgoing and incoming, the oldest first.
 *
 * A dump takes a snapshot of the oldest ones when it begins: by the time a reader
 * has got the first message, the order may be another one. The snapshot refers to
 * nothing; how long it can be is limited, and so is how many messages are looked at
 * while a lock is held.
 *
 * Once it is full, its messages are a heap, the youngest on top, which gives way when
 * an older one is found.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sort.h>
#include <net/genetlink.h>

#include "base.h"
#include "ctl/genl/genl.h"
#include "rx/ses/ep.h"
#include "rx/ses/rxmsg.h"
#include "sock.h"
#include "tx/msg/txmsg.h"
#include "tx/queue/dest_state.h"

/* Messages told unless the request says how many */
#define UET_GENL_MSGS		256
/* Messages of one queue or socket that are looked at: its packets wait for the lock
 * meanwhile. The description of netlink tells it
 */
#define UET_GENL_MSGS_LOOK	1024

#define UET_GENL_MSG_FILTERS						\
	(UET_WANTS(REMOTE) | UET_WANTS(REMOTE_PLEN) | UET_WANTS(JOB) |	\
	 UET_WANTS(INODE) | UET_WANTS(PID))

/**
 * struct uet_genl_msg - a message to tell
 * @born: when it was made, or when its first packet arrived, jiffies
 * @nth: tells the order of those with one @born
 * @inode: of its socket
 * @cookie: for reports of an outgoing one
 * @remote: the other endpoint
 * @len: length
 * @sent: bytes sent once, or arrived
 * @done: bytes whose memory was freed, or that were read
 * @pid: PIDonFEP of its socket
 * @msg_id: id on the wire, if @has_id
 * @has_id: it has one
 * @direction: enum uet_nl_direction
 * @mode: enum uet_delivery
 * @wait: enum uet_nl_wait
 */
struct uet_genl_msg {
	unsigned long		born;
	u64			inode;
	u64			cookie;
	struct sockaddr_uet	remote;
	u32			nth;
	u32			len;
	u32			sent;
	u32			done;
	u16			pid;
	u16			msg_id;
	bool			has_id;
	u8			direction;
	u8			mode;
	u8			wait;
};

/**
 * struct uet_genl_msgs - a snapshot
 * @walk: what it is taken for
 * @dest: that queue
 * @at: when it was taken, jiffies
 * @seen: messages so far
 * @left: so many more may be looked at while the present lock is held
 * @limit: so many at most
 * @heap: @msgs is a heap
 * @nr: length of @msgs
 * @msgs: the messages
 */
struct uet_genl_msgs {
	const struct uet_genl_walk	*walk;
	const struct uet_dest		*dest;
	unsigned long			at;
	u32				seen;
	u32				left;
	u32				limit;
	bool				heap;
	u32				nr;
	struct uet_genl_msg		msgs[];
};

static int uet_genl_msg_cmp(const void *a, const void *b)
{
	const struct uet_genl_msg *ma = a, *mb = b;

	if (ma->born != mb->born)
		return time_before(ma->born, mb->born) ? -1 : 1;
	return ma->nth < mb->nth ? -1 : 1;
}

static bool uet_genl_msg_older(const struct uet_genl_msg *a,
			       const struct uet_genl_msg *b)
{
	return uet_genl_msg_cmp(a, b) < 0;
}

/* Below a message is a heap: let the message sink to its place in it. */
static void uet_genl_msgs_sink(struct uet_genl_msgs *s, u32 i)
{
	struct uet_genl_msg *m = s->msgs;
	u32 down;

	for (;; i = down) {
		down = 2 * i + 1;
		if (down >= s->nr)
			return;
		if (down + 1 < s->nr &&
		    uet_genl_msg_older(&m[down], &m[down + 1]))
			down++;
		if (uet_genl_msg_older(&m[down], &m[i]))
			return;
		swap(m[i], m[down]);
	}
}

static void uet_genl_msgs_heap(struct uet_genl_msgs *s)
{
	u32 i;

	for (i = s->nr / 2; i--; )
		uet_genl_msgs_sink(s, i);
	s->heap = true;
}

/* Room for a message; NULL if there are enough older ones */
static struct uet_genl_msg *uet_genl_msgs_room(struct uet_genl_msgs *s,
					       unsigned long born)
{
	if (s->nr < s->limit)
		return &s->msgs[s->nr];
	if (!s->heap)
		uet_genl_msgs_heap(s);
	return time_before(born, s->msgs[0].born) ? &s->msgs[0] : NULL;
}

static void uet_genl_msgs_add(struct uet_genl_msgs *s, struct uet_genl_msg *m)
{
	m->nth = s->seen++;
	if (s->nr < s->limit)
		s->nr++;
	else
		uet_genl_msgs_sink(s, 0);
}

/* May another message be looked at while the present lock is held? */
static bool uet_genl_msgs_look(struct uet_genl_msgs *s)
{
	if (!s->left)
		return false;
	s->left--;
	return true;
}

/* What was sent may have a younger message before an older one, as some are queued
 * again; so go on there.
 */
static bool uet_genl_msg_out(const struct uet_txmsg *msg, enum uet_nl_wait wait,
			     const struct uet_dest_state *st, void *arg)
{
	struct uet_genl_msgs *s = arg;
	const struct uet_dest *dest = s->dest;
	const struct uet_genl_filter *f = &s->walk->filter;
	struct uet_genl_msg *m;

	if (!uet_genl_msgs_look(s) ||
	    !uet_genl_fits(f, UET_A_FILTER_INODE, st->inode))
		return false;
	if (msg->m.state >= UET_MSG_FAILED)
		return true;
	m = uet_genl_msgs_room(s, msg->born);
	if (!m)
		return msg->m.state == UET_MSG_SENT;
	*m = (struct uet_genl_msg) {
		.direction = UET_DIRECTION_OUT,
		.born	= msg->born,
		.inode	= st->inode,
		.cookie	= msg->cookie,
		.len	= msg->m.len,
		.sent	= msg->m.sent,
		.done	= msg->freed,
		.pid	= dest->pid,
		.msg_id	= msg->m.msg_id,
		.has_id	= msg->m.state != UET_MSG_QUEUED,
		.mode	= dest->key.delivery,
		.wait	= wait,
	};
	uet_dest_name(&dest->key, &m->remote);
	uet_genl_msgs_add(s, m);
	return true;
}

static void uet_genl_msgs_out(struct uet_genl_walk *w, struct uet_genl_msgs *s)
{
	const struct uet_genl_filter *f = &w->filter;
	struct uet_dest *dest;
	u64 id = 0;

	rcu_read_lock();
	for (; (dest = uet_dest_next(w->un, &id)); id++) {
		s->dest = dest;
		s->left = UET_GENL_MSGS_LOOK;
		if (!dest->key.watch && uet_may_see(&w->viewer, dest->uid) &&
		    uet_genl_remote_fits(f, &dest->key.raddr) &&
		    uet_genl_fits(f, UET_A_FILTER_JOB, dest->key.job) &&
		    uet_genl_fits(f, UET_A_FILTER_PID, dest->pid))
			uet_dest_visit(dest, uet_genl_msg_out, s);
		uet_genl_breathe(w);
	}
	rcu_read_unlock();
}

static enum uet_nl_wait uet_genl_msg_in_wait(const struct uet_rxmsg *msg)
{
	return msg->complete || (msg->ready && msg->head != msg->read) ?
	       UET_WAIT_READER : UET_WAIT_REST;
}

static void uet_genl_msg_in(const struct uet_rxmsg *msg,
			    const struct uet_sock *us, struct uet_genl_msgs *s)
{
	struct uet_genl_msg *m;

	if (!uet_genl_remote_fits(&s->walk->filter, &msg->from.suet_addr))
		return;
	m = uet_genl_msgs_room(s, msg->born);
	if (!m)
		return;
	*m = (struct uet_genl_msg) {
		.direction = UET_DIRECTION_IN,
		.born	= msg->born,
		.inode	= us->inode,
		.remote	= msg->from,
		.len	= msg->len,
		.sent	= msg->rcvd,
		.done	= msg->read,
		.pid	= us->local.suet_pid,
		.msg_id	= msg->msg_id,
		.has_id	= true,
		.mode	= msg->delivery,
		.wait	= uet_genl_msg_in_wait(msg),
	};
	uet_genl_msgs_add(s, m);
}

static void uet_genl_msgs_of_sock(struct uet_sock *us, struct uet_genl_msgs *s)
{
	const struct list_head *open[] = {
		&us->rx_granted, &us->rx_mixed, &us->rx_open, &us->rx_absent,
	};
	const struct uet_rxmsg *msg;
	size_t i;

	s->left = UET_GENL_MSGS_LOOK;
	spin_lock_bh(&us->rx_lock);
	list_for_each_entry(msg, &us->rx_ready, node) {
		if (!uet_genl_msgs_look(s))
			goto enough;
		uet_genl_msg_in(msg, us, s);
	}
	for (i = 0; i < ARRAY_SIZE(open); i++)
		list_for_each_entry(msg, open[i], open_node) {
			if (!uet_genl_msgs_look(s))
				goto enough;
			if (!msg->ready)
				uet_genl_msg_in(msg, us, s);
		}
enough:
	spin_unlock_bh(&us->rx_lock);
}

static void uet_genl_msgs_in(struct uet_genl_walk *w, struct uet_genl_msgs *s)
{
	const struct uet_genl_filter *f = &w->filter;
	struct uet_sock *us;
	u64 id = 0;

	rcu_read_lock();
	for (; (us = uet_ep_next(w->un, &id)); id++) {
		const struct sockaddr_uet *local = &us->local;

		if (uet_may_see(&w->viewer, us->sk.sk_uid) &&
		    uet_genl_fits(f, UET_A_FILTER_INODE, us->inode) &&
		    uet_genl_fits(f, UET_A_FILTER_JOB, local->suet_job) &&
		    uet_genl_fits(f, UET_A_FILTER_PID, local->suet_pid))
			uet_genl_msgs_of_sock(us, s);
		uet_genl_breathe(w);
	}
	rcu_read_unlock();
}

/* Keep no more memory than the messages take: a reader may be slow. */
static struct uet_genl_msgs *uet_genl_msgs_fit(struct uet_genl_msgs *s)
{
	size_t size = struct_size(s, msgs, s->nr);
	struct uet_genl_msgs *small;

	if (s->nr == s->limit)
		return s;
	small = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!small)
		return s;
	memcpy(small, s, size);
	kvfree(s);
	return small;
}

static struct uet_genl_msgs *uet_genl_msgs_take(struct uet_genl_walk *w)
{
	const struct nlattr *attr = w->attrs ? w->attrs[UET_A_MSG_LIMIT] : NULL;
	u32 limit = w->once ? 1 : attr ? nla_get_u32(attr) : UET_GENL_MSGS;
	struct uet_genl_msgs *s;

	s = kvmalloc(struct_size(s, msgs, limit), GFP_KERNEL_ACCOUNT);
	if (!s)
		return NULL;
	*s = (struct uet_genl_msgs) { .walk = w, .limit = limit };
	uet_genl_msgs_out(w, s);
	uet_genl_msgs_in(w, s);
	s->at = jiffies;
	sort(s->msgs, s->nr, sizeof(*s->msgs), uet_genl_msg_cmp, NULL);
	/* It is on the stack of the caller. */
	s->walk = NULL;
	s->dest = NULL;
	return uet_genl_msgs_fit(s);
}

#define MSG(_attr, _kind, _part, _field)				\
	UET_GENL_ROW(MSG_##_attr, _kind, _part, struct uet_genl_msg, _field)

static const struct uet_genl_row uet_genl_msg_rows[] = {
	MSG(DIRECTION,	U32,		0, direction),
	MSG(INODE,	U64,		0, inode),
	MSG(PID,	U32,		0, pid),
	MSG(REMOTE,	ENDPOINT,	0, remote),
	MSG(MODE,	U32,		0, mode),
	MSG(LEN,	U64,		0, len),
	MSG(SENT,	U64,		0, sent),
	MSG(DONE,	U64,		0, done),
	MSG(MSG_ID,	U32,		1, msg_id),
	MSG(COOKIE,	U64,		2, cookie),
	{ UET_A_MSG_AGE_NS, UET_ROW_U64, 3, sizeof(u64) },
	MSG(WAIT,	U32,		0, wait),
	{ }
};

static int uet_genl_msg_tell(struct uet_genl_walk *w, const struct uet_genl_msg *m,
			     unsigned long at)
{
	u64 age = jiffies64_to_nsecs(at - m->born);

	BUILD_BUG_ON((int)UET_RUD != (int)UET_MODE_RUD ||
		     (int)UET_ROD != (int)UET_MODE_ROD);
	return uet_genl_tell(w, uet_genl_msg_rows, m, m->has_id ? m : NULL,
			     m->direction == UET_DIRECTION_OUT ? m : NULL, &age);
}

/* Cursor: 0 is the snapshot, 1 the index in it */
static int uet_genl_msg_walk(struct uet_genl_walk *w)
{
	struct uet_genl_msgs *s = (struct uet_genl_msgs *)w->cursor[0];
	int err;

	if (!s) {
		s = uet_genl_msgs_take(w);
		if (!s)
			return -ENOMEM;
		w->cursor[0] = (unsigned long)s;
	}
	for (; w->cursor[1] < s->nr; w->cursor[1]++) {
		err = uet_genl_msg_tell(w, &s->msgs[w->cursor[1]], s->at);
		if (err)
			return err;
	}
	return 0;
}

static void uet_genl_msg_done(const u64 *cursor)
{
	kvfree((void *)cursor[0]);
}

static const struct uet_genl_object uet_genl_msgs = {
	.cmd		= UET_CMD_MSG_GET,
	.filter		= UET_A_MSG_FILTER,
	.filters	= UET_GENL_MSG_FILTERS,
	.whose		= UET_GENL_OWN,
	.walk		= uet_genl_msg_walk,
	.done		= uet_genl_msg_done,
};

UET_GENL_READ(msg)

/**
 * uet_genl_msg_dump_done() - a dump of messages ended, or is given up
 * @cb: the dump
 *
 * Context: process.
 * Return: 0.
 */
int uet_genl_msg_dump_done(struct netlink_callback *cb)
{
	uet_genl_msg_done((const u64 *)cb->ctx);
	return 0;
}
