// SPDX-License-Identifier: GPL-2.0
/*
 * Receives that are posted ahead (SIOCUETPOST): a message goes to the buffer of the
 * first receive that it matches, with one copy, as its packets come.
 *
 * Such a message is in no other list of its socket, holds no memory of the receive
 * buffer and needs no room there. It never waits for a reader: where tags are used a
 * program may not read the message in front before it has got the one behind.
 *
 * A receive has one owner: the index, its messages, nobody (core/rcv/posted.h). A message is
 * matched and its first packet placed in one section of rx_lock, after all checks of the
 * packet: what was taken is never given back.
 *
 * A message that finds no receive is one as any other, and stands besides in the list of
 * those that wait for a receive. When one is posted that it matches, the task that posts
 * it takes out what has come so far and copies it, without rx_lock (@filling), while
 * further packets go to their places. Only messages that no reader has begun
 * are taken, and readers hold the socket lock, as who posts does.
 *
 * A message for a receive that takes many needs a slot of the completion queue. Without
 * one it is a message as any other, too, under the limits of the receive buffer, and those
 * behind it line up (uet_rxposts.dry) until a call finds slots: then each goes to the
 * receive that it matches, in order.
 *
 * Of a message only the distinct bytes count, so a source whose packets overlap spoils
 * its own message and nothing else.
 *
 * Not here: pages of buffers (cq/buffer.c), how completions reach the program (cq/cq.c).
 */
#include <linux/hash.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "core/wire/psn.h"
#include "core/wire/wire_ses.h"
#include "link/drop.h"
#include "mib.h"
#include "rx/ses/defer.h"
#include "rx/ses/post.h"
#include "rx/ses/rxmsg.h"
#include "sock.h"

/* These are for a message that is here, or for none. */
#define UET_POST_NOW	(UET_OP_PEEK | UET_OP_CLAIMED | UET_OP_DISCARD)

/* So many messages of a bucket are looked at for one that a packet is in the way of */
#define UET_POST_SCAN	64

/* So many messages that wait are looked at before others get rx_lock */
#define UET_POST_STEP	64

/* Peers choose tags, but not who shares a bucket. */
static struct list_head *uet_post_by_tag(struct uet_rxposts *posts, u64 tag)
{
	return &posts->by_tag[siphash_1u64(tag, &posts->key) % UET_POST_BUCKETS];
}

static u64 uet_post_hash(const struct uet_match *m, const struct uet_match_key *key)
{
	const struct uet_rxposts *posts = container_of(m, struct uet_rxposts, index);

	return siphash_4u64(key->tag, key->from.addr[0], key->from.addr[1],
			    key->from.id ^ (u64)key->mask << 48 ^ (u64)key->any << 56,
			    &posts->key);
}

/* One tag, and nothing else? */
static bool uet_post_exact(const struct uet_rxpost *post)
{
	return post->tagged && !post->ignore;
}

static bool uet_msg_tagged(const struct uet_rxmsg *msg)
{
	return msg->opcode == UET_SES_OP_TAGGED_SEND;
}

static struct uet_post_key uet_post_key_of(const struct uet_rxmsg *msg)
{
	return (struct uet_post_key){
		.tag = msg->match_bits, .from = &msg->from,
		.tagged = uet_msg_tagged(msg),
	};
}

static struct uet_match_source uet_post_source(const struct sockaddr_uet *from)
{
	struct uet_match_source source = {
		.id = (u64)from->suet_pid << 16 | from->suet_ri,
	};

	BUILD_BUG_ON(sizeof(source.addr) != sizeof(from->suet_addr));
	memcpy(source.addr, &from->suet_addr, sizeof(source.addr));
	return source;
}

static bool uet_post_from(const struct uet_rxpost *post,
			  const struct sockaddr_uet *from)
{
	const struct sockaddr_uet *want = &post->from;

	return !want->suet_family ||
	       (want->suet_pid == from->suet_pid &&
		want->suet_ri == from->suet_ri &&
		ipv6_addr_equal(&want->suet_addr, &from->suet_addr));
}

static bool uet_post_matches(const struct uet_rxpost *post,
			     const struct uet_post_key *key)
{
	bool tagged = post->tagged;

	if (tagged != key->tagged || (tagged && (post->tag ^ key->tag) & ~post->ignore))
		return false;
	return uet_post_from(post, key->from);
}

/* The receive that a message goes to: the oldest that it matches */
static struct uet_rxpost *uet_post_find(const struct uet_rxposts *posts,
					const struct uet_post_key *key)
{
	struct uet_match_source from;
	struct uet_match_entry *e;

	if (!posts->nr)
		return NULL;
	from = uet_post_source(key->from);
	e = uet_match_find(&posts->index, key->tagged, key->tag, &from);
	return e ? container_of(e, struct uet_rxpost, match) : NULL;
}

/* Is it to be in the index, if no message is here for it? */
static bool uet_post_stays(const struct uet_rxpost *post)
{
	return !(post->flags & UET_POST_NOW);
}

static bool uet_post_hold(struct uet_rxposts *posts, struct uet_rxpost *post)
{
	struct uet_match_source from = uet_post_source(&post->from);

	post->held = uet_match_hold(&posts->index, &post->match,
				    post->tagged, post->tag, post->ignore,
				    post->from.suet_family ? &from : NULL);
	return post->held;
}

static void uet_post_release(struct uet_rxposts *posts, struct uet_rxpost *post)
{
	if (!post->held)
		return;
	post->held = false;
	uet_match_release(&posts->index, &post->match);
}

/* Messages may match a receive from now on: the index has the caller's reference. */
static void uet_post_link(struct uet_rxposts *posts, struct uet_rxpost *post)
{
	uet_match_add(&posts->index, &post->match);
	post->held = false;
	list_add_tail(&post->node, &posts->open);
	post->linked = true;
	posts->nr++;
}

/* A receive that is not open any more leaves the index, if it is there. */
static void uet_post_unlink(struct uet_rxposts *posts, struct uet_rxpost *post)
{
	if (!post->linked)
		return;
	post->linked = false;
	uet_match_del(&posts->index, &post->match);
	list_del_init(&post->node);
	posts->nr--;
	uet_rxpost_put(post);
}

/**
 * uet_rxpost_put() - drop a reference
 * @post: receive
 *
 * Context: any.
 */
void uet_rxpost_put(struct uet_rxpost *post)
{
	if (!refcount_dec_and_test(&post->ref))
		return;
	if (uet_buffer_held(&post->buf))
		uet_buffer_spend(&post->buf);
	else
		kfree(post);
}

static void uet_post_describe(struct uet_completion *done, const struct uet_rxmsg *msg)
{
	done->length = msg->len;
	done->peer = msg->from;
	if (uet_msg_tagged(msg)) {
		done->flags |= UET_DONE_TAGGED;
		done->tag = msg->match_bits;
	}
	if (msg->has_hd) {
		done->flags |= UET_DONE_HEADER_DATA;
		done->header_data = msg->header_data;
	}
}

/* Tell what became of a receive, or of a message in it. */
static void uet_post_tell(struct uet_sock *us, struct uet_rxpost *post,
			  const struct uet_rxmsg *msg, int error)
{
	bool remote = post->recv.many && msg;
	bool last = post->recv.state == UET_POSTED_ENDED;
	struct uet_completion done = {
		.cookie	= post->cookie,
		.type	= post->flags & UET_OP_PEEK ? UET_DONE_PEEK : UET_DONE_RECV,
		.error	= error,
		.flags	= last ? UET_DONE_LAST : 0,
		.socket	= (u32)us->inode,
	};

	if (msg)
		uet_post_describe(&done, msg);
	if (msg && msg->post)
		done.offset = msg->part.at;
	if (msg && msg->post && (!error || error == EMSGSIZE)) {
		done.got = msg->part.room;
		if (post->flags & UET_OP_INLINE) {
			done.flags |= UET_DONE_INLINE;
			memcpy(done.data, post->data, msg->part.room);
		}
	}
	if (remote) {
		uet_cq_tell_remote(us->cq, &done);
	} else {
		post->slot = false;
		uet_cq_tell(us->cq, &done);
	}
	if (last && post->slot) {
		post->slot = false;
		uet_cq_disown(us->cq, 1);
	}
}

/* May a message take a receive that it matches? One for many needs a slot for it. */
static bool uet_post_slot(struct uet_sock *us, const struct uet_rxpost *post)
{
	if (!post->recv.many || uet_cq_own_remote(us->cq, &us->posts->want))
		return true;
	us->posts->dry = true;
	return false;
}

/* A message takes a receive, and a slot if that is for many. */
static void uet_post_take(struct uet_sock *us, struct uet_rxpost *post,
			  struct uet_rxmsg *msg)
{
	refcount_inc(&post->ref);
	msg->post = post;
	msg->part = uet_posted_take(&post->recv, msg->len);
	if (!uet_posted_open(&post->recv))
		uet_post_unlink(us->posts, post);
}

/**
 * uet_rxpost_wanted() - is there a receive for a message that may be deferred?
 * @us: socket with receives
 * @key: of the message
 *
 * Return: true if so: it needs no other room.
 */
bool uet_rxpost_wanted(struct uet_sock *us, const struct uet_post_key *key)
{
	const struct uet_rxpost *post;

	lockdep_assert_held(&us->rx_lock);
	post = uet_post_find(us->posts, key);
	return post && !(post->recv.many && us->posts->dry);
}

static struct list_head *uet_post_begun(struct uet_rxposts *posts,
					const struct uet_pdc *pdc)
{
	return &posts->begun[hash_ptr(pdc, ilog2(UET_POST_BUCKETS))];
}

/**
 * uet_rxpost_overtook() - is a younger message of a PDC on its way to a receive?
 * @us: socket
 * @pdc: PDC of a message without room, unordered
 * @psn: lowest PSN of that message which arrived
 *
 * Of the PDCs that share a bucket with this one %UET_POST_SCAN messages are looked at,
 * from the last to begin: beyond them nothing is known.
 *
 * Return: true if so: its rest may come behind the message without room.
 */
bool uet_rxpost_overtook(const struct uet_sock *us, const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_rxmsg *it;
	int left = UET_POST_SCAN;

	lockdep_assert_held(&us->rx_lock);
	if (likely(!us->posts))
		return false;
	list_for_each_entry_reverse(it, uet_post_begun(us->posts, pdc), open_node) {
		/* One that is complete is being copied. */
		if (it->pdc == pdc && psn_before(psn, READ_ONCE(it->psn)) &&
		    !(it->som && it->rcvd == it->len))
			return true;
		if (!--left)
			break;
	}
	return false;
}

/* Copy a piece of a packet to where it belongs. */
static int uet_post_write(const struct uet_rxmsg *msg, u32 to, const struct sk_buff *skb,
			  u32 at, u32 n)
{
	struct uet_rxpost *post = msg->post;

	if (post->flags & UET_OP_INLINE)
		return skb_copy_bits(skb, at, post->data + to, n);
	return uet_buffer_copy(&post->buf, (u64)msg->part.at + to, skb, at, n);
}

/* Copy what a packet has of a message. */
static int uet_post_copy(const struct uet_rxmsg *msg, const struct sk_buff *skb,
			 const struct uet_rxcb *cb)
{
	u32 room = msg->part.room;
	u32 len = cb->off < room ? min(cb->len, room - cb->off) : 0;
	u32 done = 0, n, at;
	int err = 0;

	for (; done < len && !err; done += n) {
		n = len - done;
		at = uet_rxcb_at(cb, done, &n);
		err = uet_post_write(msg, cb->off + done, skb, at, n);
	}
	return err;
}

/* A message leaves its receive. */
static void uet_post_leave(struct uet_sock *us, struct uet_rxmsg *msg, int error)
{
	struct uet_rxpost *post = msg->post;

	/* Nothing of the rest was written. */
	if (!error && uet_buffer_gone(&post->buf))
		error = ECANCELED;
	if (!error && msg->part.room < msg->len && !(post->flags & UET_OP_DISCARD))
		error = EMSGSIZE;
	us->posts->ended(us, &msg->from, error == EMSGSIZE ? 0 : error);
	uet_posted_leave(&post->recv);
	uet_post_tell(us, post, msg, error);
	msg->post = NULL;
	uet_rxpost_put(post);
}

/**
 * uet_rxpost_end() - a message in a receive is complete, or will never be
 * @us: socket
 * @msg: the message; it leaves the socket, and the caller puts the socket's reference
 *	after it has released rx_lock
 * @error: errno, 0 if it is complete
 */
void uet_rxpost_end(struct uet_sock *us, struct uet_rxmsg *msg, int error)
{
	lockdep_assert_held(&us->rx_lock);
	if (!list_empty(&msg->open_node))
		list_del_init(&msg->open_node);
	msg->complete = !error;
	WRITE_ONCE(msg->us, NULL);
	if (msg->filling)
		msg->error = error;	/* uet_post_claim() goes on */
	else
		uet_post_leave(us, msg, error);
}

/**
 * uet_rxpost_place() - a packet, or a run, of a message in a receive
 * @us: socket
 * @msg: the message
 * @skb: packet; data is the payload and nothing else, but for gaps
 * @part: what it has of the message
 *
 * Return: 0, or 1 if the message is complete now: then the caller calls
 * uet_rxpost_end(); -EINVAL if it contradicts the message.
 */
int uet_rxpost_place(struct uet_sock *us, struct uet_rxmsg *msg,
		     const struct sk_buff *skb, const struct uet_rxpart *part)
{
	const struct uet_rxcb cb = {
		.off = part->off, .len = part->len,
		.seg = part->seg, .gap = part->gap,
	};

	lockdep_assert_held(&us->rx_lock);
	if (part->off > msg->len || part->len > msg->len - part->off ||
	    part->len > msg->len - msg->rcvd ||
	    (!part->len && (msg->len || msg->som || !part->som)))
		return -EINVAL;
	if (uet_post_copy(msg, skb, &cb))
		return -EINVAL;
	if (part->som) {
		msg->som = true;
		msg->has_hd = part->has_hd;
		msg->header_data = part->header_data;
	}
	msg->ce |= part->ce;
	msg->rcvd += part->len;
	uet_rx_came(msg);
	return msg->som && msg->rcvd == msg->len;
}

/**
 * uet_rxpost_begin() - a new message: is there a receive for it?
 * @us: socket with receives
 * @msg: in no list
 * @skb: its first packet; data is the payload and nothing else, but for gaps
 * @part: what that has of the message, which was checked
 *
 * Return: true if so, and the packet is in its place. If that was the whole message, or it
 * has failed (uet_rxmsg.us is NULL), the caller puts the socket's reference.
 */
bool uet_rxpost_begin(struct uet_sock *us, struct uet_rxmsg *msg,
		      const struct sk_buff *skb, const struct uet_rxpart *part)
{
	struct uet_post_key key = uet_post_key_of(msg);
	struct uet_rxposts *posts = us->posts;
	struct uet_rxpost *post;
	int ret;

	lockdep_assert_held(&us->rx_lock);
	if (msg->delivery == UET_RUDI || us->rx_closed)
		return false;
	post = uet_post_find(posts, &key);
	if (!post || (post->recv.many && posts->dry) || !uet_post_slot(us, post))
		return false;
	uet_post_take(us, post, msg);
	UET_INC(us->un, MSG_POSTED);
	ret = uet_rxpost_place(us, msg, skb, part);
	if (likely(ret))
		uet_rxpost_end(us, msg, ret == 1 ? 0 : ECONNABORTED);
	else
		list_add_tail(&msg->open_node, uet_post_begun(posts, msg->pdc));
	return true;
}

/**
 * uet_rxpost_wait() - a message found no receive
 * @us: socket with receives
 * @msg: the message, in a list of its socket
 */
void uet_rxpost_wait(struct uet_sock *us, struct uet_rxmsg *msg)
{
	struct uet_rxposts *posts = us->posts;

	lockdep_assert_held(&us->rx_lock);
	if (msg->delivery == UET_RUDI)
		return;
	list_add_tail(&msg->waiting, &posts->waiting);
	if (uet_msg_tagged(msg))
		list_add_tail(&msg->by_tag, uet_post_by_tag(posts, msg->match_bits));
}

/* May a receive take a message that waits? */
static bool uet_post_takes(const struct uet_rxposts *posts, const struct uet_rxpost *post,
			   const struct uet_rxmsg *msg)
{
	struct uet_post_key key = uet_post_key_of(msg);

	if (!uet_posted_late(msg->rcvd, msg->complete, msg->read || msg->peeked, msg->error))
		return false;
	if (post->flags & UET_OP_CLAIMED)
		return msg->claimed && msg->claim == post->cookie;
	if (msg->claimed || !uet_post_matches(post, &key))
		return false;
	/* It may stand in the line for an older one. */
	return likely(!posts->dry) || !uet_post_find(posts, &key);
}

/* The open receive for a message that stands in the line for slots, or NULL */
static struct uet_rxpost *uet_post_line(const struct uet_rxposts *posts,
					const struct uet_rxmsg *msg)
{
	struct uet_post_key key = uet_post_key_of(msg);

	if (msg->claimed ||
	    !uet_posted_late(msg->rcvd, msg->complete, msg->read || msg->peeked, msg->error))
		return NULL;
	return uet_post_find(posts, &key);
}

/* Begin to look through messages that wait: for @post, or for all receives if NULL. */
static struct list_head *uet_post_look(struct uet_rxposts *posts,
				       const struct uet_rxpost *post)
{
	struct list_head *list = &posts->waiting;

	if (post && uet_post_exact(post) && !(post->flags & UET_OP_CLAIMED))
		list = uet_post_by_tag(posts, post->tag);
	list_add(&posts->mark, list);
	return list;
}

/*
 * The next message that waits and that @post may take, or any open receive (*@found) if
 * that is NULL. Releases rx_lock now and then; not after it has seen the end of the list.
 */
static struct uet_rxmsg *uet_post_next(struct uet_sock *us, struct list_head *list,
				       struct uet_rxpost *post, struct uet_rxpost **found)
	__must_hold(&us->rx_lock)
{
	struct uet_rxposts *posts = us->posts;
	struct list_head *pos = posts->mark.next;
	struct uet_rxmsg *msg;
	u32 n = 0;

	for (; pos != list; pos = pos->next) {
		if (list == &posts->waiting)
			msg = list_entry(pos, struct uet_rxmsg, waiting);
		else
			msg = list_entry(pos, struct uet_rxmsg, by_tag);
		if (post)
			*found = uet_post_takes(posts, post, msg) ? post : NULL;
		else
			*found = uet_post_line(posts, msg);
		if (*found) {
			list_move_tail(&posts->mark, pos);
			return msg;
		}
		if (++n % UET_POST_STEP)
			continue;
		list_move(&posts->mark, pos);
		spin_unlock_bh(&us->rx_lock);
		cond_resched();
		spin_lock_bh(&us->rx_lock);
		pos = &posts->mark;
	}
	return NULL;
}

/* Copy the packets that had come. Nobody else has them. */
static int uet_post_fill(const struct uet_rxmsg *msg, struct sk_buff_head *skbs)
{
	const struct sk_buff *skb;
	int err = 0;

	skb_queue_walk(skbs, skb) {
		err = uet_post_copy(msg, skb, UET_RXCB(skb));
		if (err)
			break;
		cond_resched();
	}
	return err;
}

/*
 * A message that waited goes to a receive. Releases rx_lock in between. Returns false if
 * there is no slot for it.
 */
static bool uet_post_claim(struct uet_sock *us, struct uet_rxpost *post,
			   struct uet_rxmsg *msg)
	__must_hold(&us->rx_lock)
{
	struct sk_buff_head skbs;
	bool ended = false;
	int err;

	if (!uet_post_slot(us, post))
		return false;
	__skb_queue_head_init(&skbs);
	uet_rx_leave_lists(us, msg, &skbs);
	list_add_tail(&msg->open_node, uet_post_begun(us->posts, msg->pdc));
	uet_post_take(us, post, msg);
	msg->filling = true;
	refcount_inc(&msg->ref);
	UET_INC(us->un, MSG_POSTED_LATE);
	spin_unlock_bh(&us->rx_lock);

	err = uet_post_fill(msg, &skbs);
	uet_consume_list(&skbs);

	spin_lock_bh(&us->rx_lock);
	msg->filling = false;
	if (!msg->us) {
		/* It ended meanwhile, and the socket's reference is gone. */
		uet_post_leave(us, msg, err ? ECONNABORTED : msg->error);
	} else if (err || (msg->som && msg->rcvd == msg->len)) {
		uet_rxpost_end(us, msg, err ? ECONNABORTED : 0);
		ended = true;
	}
	spin_unlock_bh(&us->rx_lock);
	if (ended)
		uet_rxmsg_put(msg);
	uet_rxmsg_put(msg);
	cond_resched();
	spin_lock_bh(&us->rx_lock);
	return true;
}

/* No message may match a receive any more. */
static void uet_post_cancel(struct uet_sock *us, struct uet_rxpost *post)
{
	uet_posted_cancel(&post->recv);
	uet_post_tell(us, post, NULL, ECANCELED);
	uet_post_unlink(us->posts, post);
}

static struct uet_rxpost *uet_post_of(struct uet_buffer *buf)
{
	return container_of(buf, struct uet_rxpost, buf);
}

static bool uet_post_get(struct uet_buffer *buf)
{
	return refcount_inc_not_zero(&uet_post_of(buf)->ref);
}

/* The program of a receive has ended. A message that is on its way to it ends then. */
static void uet_post_ended(struct uet_buffer *buf)
{
	struct uet_rxpost *post = uet_post_of(buf);
	struct uet_sock *us = post->us;

	spin_lock_bh(&us->rx_lock);
	if (post->linked)
		uet_post_cancel(us, post);
	spin_unlock_bh(&us->rx_lock);
	uet_rxpost_put(post);
}

static void uet_post_free(struct uet_buffer *buf)
{
	struct uet_rxpost *post = uet_post_of(buf);

	sock_put(&post->us->sk);
	kfree(post);
}

static const struct uet_buffer_ops uet_post_buffer_ops = {
	.get	= uet_post_get,
	.end	= uet_post_ended,
	.free	= uet_post_free,
};

/**
 * uet_rxpost_alloc() - make a receive of what a program asks for
 * @us: socket with receives
 * @op: checked
 * @from: the endpoint that a message must come from; any if it has no family
 *
 * Context: process; sleeps.
 * Return: the receive with a reference, or ERR_PTR(): uet_buffer_hold(), -ENOMEM.
 */
struct uet_rxpost *uet_rxpost_alloc(struct uet_sock *us, const struct uet_op *op,
				    const struct sockaddr_uet *from)
{
	struct uet_rxpost *post = kzalloc(sizeof(*post), GFP_KERNEL_ACCOUNT);
	int err;

	if (!post)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&post->node);
	refcount_set(&post->ref, 1);
	post->buf.ops = &uet_post_buffer_ops;
	post->buf.writable = true;
	post->tag = op->tag;
	post->ignore = op->ignore;
	post->from = *from;
	post->cookie = op->cookie;
	post->flags = op->flags;
	post->tagged = op->opcode == UET_OP_TRECV;
	uet_posted_init(&post->recv, op->flags & UET_OP_DISCARD ? 0 : (u32)op->length,
			(u32)op->imm);
	if (op->flags & (UET_OP_PEEK | UET_OP_DISCARD | UET_OP_INLINE))
		return post;
	post->us = us;
	sock_hold(&us->sk);
	err = uet_buffer_hold(uet_cq_users(us->cq), &post->buf, op->addr, post->recv.length);
	if (!err && uet_buffer_held(&post->buf))
		return post;
	sock_put(&us->sk);
	if (!err)
		return post;
	kfree(post);
	return ERR_PTR(err);
}

/* Only look: is there a message? It may be kept for a receive to come. */
static void uet_post_peek(struct uet_sock *us, struct uet_rxpost *post,
			  struct uet_rxmsg *msg)
{
	if (msg && post->flags & UET_OP_CLAIM) {
		msg->claimed = true;
		msg->claim = post->cookie;
	}
	uet_posted_cancel(&post->recv);
	uet_post_tell(us, post, msg, msg ? 0 : ENOMSG);
}

/**
 * uet_rxpost_allow() - may a socket have another receive?
 * @us: socket with receives, locked
 * @post: the receive
 *
 * Context: process.
 * Return: 0, and it owns a slot of the completion queue; -EAGAIN if there are too many,
 * too many masks, or no slot.
 */
int uet_rxpost_allow(struct uet_sock *us, struct uet_rxpost *post)
{
	struct uet_rxposts *posts = us->posts;
	bool ok;

	BUILD_BUG_ON(UET_MATCH_MASKS != UET_MASKS_MAX);
	spin_lock_bh(&us->rx_lock);
	ok = posts->nr < UET_RECVS_MAX &&
	     (!uet_post_stays(post) || uet_post_hold(posts, post));
	if (ok && !uet_cq_own(us->cq, 1)) {
		uet_post_release(posts, post);
		ok = false;
	}
	spin_unlock_bh(&us->rx_lock);
	return ok ? 0 : -EAGAIN;
}

/**
 * uet_rxpost_add() - post a receive
 * @us: socket with receives, locked, not shut down
 * @post: receive that uet_rxpost_allow() allowed; consumes the reference
 *
 * Context: process; sleeps.
 */
void uet_rxpost_add(struct uet_sock *us, struct uet_rxpost *post)
{
	bool peek = (post->flags & (UET_OP_PEEK | UET_OP_DISCARD)) == UET_OP_PEEK;
	struct uet_rxposts *posts = us->posts;
	struct uet_rxpost *found;
	struct list_head *list;
	struct uet_rxmsg *msg;

	spin_lock_bh(&us->rx_lock);
	post->slot = true;
	list = uet_post_look(posts, post);
	do {
		msg = uet_post_next(us, list, post, &found);
	} while (msg && !peek && uet_post_claim(us, post, msg) &&
		 uet_posted_open(&post->recv));
	list_del(&posts->mark);
	if (peek) {
		uet_post_peek(us, post, msg);
	} else if (uet_posted_open(&post->recv) && uet_post_stays(post) &&
		   !uet_buffer_gone(&post->buf)) {
		uet_post_link(posts, post);
		post = NULL;
	} else if (uet_posted_open(&post->recv)) {
		uet_posted_cancel(&post->recv);
		uet_post_tell(us, post, NULL, uet_post_stays(post) ? ECANCELED : ENOMSG);
	}
	if (post)
		uet_post_release(posts, post);
	spin_unlock_bh(&us->rx_lock);
	if (post)
		uet_rxpost_put(post);
}

/* Give slots to messages that stand in the line for them, in order. Socket locked */
static void uet_post_serve(struct uet_sock *us)
{
	struct uet_rxposts *posts = us->posts;
	struct uet_rxpost *found;
	struct uet_rxmsg *msg;
	struct list_head *list;

	spin_lock_bh(&us->rx_lock);
	if (posts->dry && !us->rx_closed) {
		list = uet_post_look(posts, NULL);
		do {
			msg = uet_post_next(us, list, NULL, &found);
		} while (msg && uet_post_claim(us, found, msg));
		list_del(&posts->mark);
		posts->dry = msg;
		if (!msg)
			uet_cq_unwant(us->cq, &posts->want);
	}
	spin_unlock_bh(&us->rx_lock);
}

/**
 * uet_rxposts_room() - there may be slots of the completion queue, or fewer receives
 * @us: socket with receives, locked
 *
 * Context: process; sleeps.
 */
void uet_rxposts_room(struct uet_sock *us)
{
	if (!READ_ONCE(us->posts->dry))
		return;
	uet_post_serve(us);
	uet_rx_room_made(us);
	/* What was deferred may have a receive now, whatever room there is. */
	uet_defer_room(us);
}

/* uet_cq_want.get */
static void uet_post_want_get(struct uet_cq_want *want)
{
	sock_hold(&container_of(want, struct uet_rxposts, want)->us->sk);
}

/* uet_cq_want.room */
static void uet_post_want_room(struct uet_cq_want *want)
{
	struct uet_sock *us = container_of(want, struct uet_rxposts, want)->us;

	lock_sock(&us->sk);
	uet_rxposts_room(us);
	release_sock(&us->sk);
	sock_put(&us->sk);
}

/**
 * uet_rxpost_cancel() - cancel a receive that no message has matched
 * @us: socket
 * @cookie: its cookie
 *
 * Context: process.
 * Return: true if there was one.
 */
bool uet_rxpost_cancel(struct uet_sock *us, u64 cookie)
{
	struct uet_rxpost *post;
	bool found = false;

	spin_lock_bh(&us->rx_lock);
	if (us->posts) {
		list_for_each_entry(post, &us->posts->open, node) {
			if (post->cookie != cookie)
				continue;
			uet_post_cancel(us, post);
			found = true;
			break;
		}
	}
	spin_unlock_bh(&us->rx_lock);
	return found;
}

/**
 * uet_rxposts_stop() - the socket receives no more: cancel its receives
 * @us: socket with receives; rx_closed
 */
void uet_rxposts_stop(struct uet_sock *us)
{
	struct uet_rxposts *posts = us->posts;
	struct uet_rxpost *post, *next;

	lockdep_assert_held(&us->rx_lock);
	list_for_each_entry_safe(post, next, &posts->open, node)
		uet_post_cancel(us, post);
	posts->dry = false;
	uet_cq_unwant(us->cq, &posts->want);
}

/* Messages that came before there could be receives */
static void uet_post_wait_all(struct uet_sock *us)
{
	struct list_head *open[] = {
		&us->rx_granted, &us->rx_mixed, &us->rx_open, &us->rx_absent,
	};
	struct uet_rxmsg *msg;
	u32 i;

	list_for_each_entry(msg, &us->rx_ready, node)
		uet_rxpost_wait(us, msg);
	for (i = 0; i < ARRAY_SIZE(open); i++)
		list_for_each_entry(msg, open[i], open_node)
			if (!msg->ready)
				uet_rxpost_wait(us, msg);
}

/**
 * uet_rxposts_begin() - give a socket its completion queue
 * @us: socket, locked
 * @cq: for completions; consumes the reference if it succeeds
 * @ended: see struct uet_rxposts
 *
 * Context: process; sleeps.
 * Return: 0; -EBUSY if the socket has a queue, -ENOMEM.
 */
int uet_rxposts_begin(struct uet_sock *us, struct uet_cq *cq,
		      uet_rxpost_ended_fn *ended)
{
	struct uet_rxposts *posts;
	u32 i;

	if (us->posts)
		return -EBUSY;
	posts = kzalloc(sizeof(*posts), GFP_KERNEL_ACCOUNT);
	if (!posts)
		return -ENOMEM;
	posts->us = us;
	posts->ended = ended;
	posts->want.get = uet_post_want_get;
	posts->want.room = uet_post_want_room;
	INIT_LIST_HEAD(&posts->want.node);
	get_random_bytes(&posts->key, sizeof(posts->key));
	uet_match_init(&posts->index, uet_post_hash);
	INIT_LIST_HEAD(&posts->open);
	INIT_LIST_HEAD(&posts->waiting);
	for (i = 0; i < UET_POST_BUCKETS; i++) {
		INIT_LIST_HEAD(&posts->by_tag[i]);
		INIT_LIST_HEAD(&posts->begun[i]);
	}
	spin_lock_bh(&us->rx_lock);
	us->posts = posts;
	uet_post_wait_all(us);
	spin_unlock_bh(&us->rx_lock);
	/* Pairs with who looks for it without a lock. */
	smp_store_release(&us->cq, cq);
	return 0;
}

/**
 * uet_rxposts_end() - free what uet_rxposts_begin() made
 * @us: socket without users
 *
 * Context: any.
 */
void uet_rxposts_end(struct uet_sock *us)
{
	if (us->cq)
		uet_cq_put(us->cq);
	kfree(us->posts);
}
