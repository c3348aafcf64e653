// SPDX-License-Identifier: GPL-2.0
/*
 * Receives that are posted ahead (UET_RECV_POST): a message goes to the buffer of the
 * first receive that it matches, with one copy, as its packets come.
 *
 * Such a message is in no other list of its socket, holds no memory of the receive
 * buffer and needs no room there. It never waits for a reader: where tags are used a
 * program may not read the message in front before it has got the one behind.
 *
 * A message that finds no receive is one as any other, and stands besides in the list of
 * those that wait for a receive. When one is posted that it matches, the task that posts
 * it takes out what has come so far and copies it, without rx_lock (@filling), while
 * further packets go to their places. Only messages that no reader has begun
 * are taken, and readers hold the socket lock, as who posts does.
 *
 * Of a message only the distinct bytes count, so a source whose packets overlap spoils
 * its own message and nothing else.
 *
 * Not here: pages of buffers (cq/buffer.c), how completions reach the program (cq/cq.c).
 */
#include <linux/hash.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "core/psn.h"
#include "core/wire_ses.h"
#include "link/drop.h"
#include "mib.h"
#include "rx/post.h"
#include "rx/rxmsg.h"
#include "sock.h"

/* These are for a message that is here, or for none. */
#define UET_POST_NOW	(UET_RECV_PEEK | UET_RECV_CLAIMED | UET_RECV_DISCARD)

/* So many messages of a bucket are looked at for one that a packet is in the way of */
#define UET_POST_SCAN	64

static u32 uet_post_bucket(u64 tag)
{
	return hash_64(tag, ilog2(UET_POST_BUCKETS));
}

/* One tag, and nothing else? */
static bool uet_post_exact(const struct uet_rxpost *post)
{
	return post->flags & UET_RECV_TAGGED && !post->ignore;
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
	bool tagged = post->flags & UET_RECV_TAGGED;

	if (tagged != key->tagged || (tagged && (post->tag ^ key->tag) & ~post->ignore))
		return false;
	return uet_post_from(post, key->from);
}

static struct uet_rxpost *uet_post_first(struct list_head *list,
					 const struct uet_post_key *key)
{
	struct uet_rxpost *post;

	list_for_each_entry(post, list, node)
		if (uet_post_matches(post, key))
			return post;
	return NULL;
}

/* The receive that a message goes to: the oldest that it matches */
static struct uet_rxpost *uet_post_find(struct uet_rxposts *posts,
					const struct uet_post_key *key)
{
	struct uet_rxpost *exact = NULL, *wild;

	if (!posts->nr)
		return NULL;
	if (key->tagged)
		exact = uet_post_first(&posts->exact[uet_post_bucket(key->tag)], key);
	wild = uet_post_first(&posts->wild, key);
	if (!exact || !wild)
		return exact ?: wild;
	return exact->seq < wild->seq ? exact : wild;
}

/* Messages may match a receive from now on. It keeps its place among others. */
static void uet_post_link(struct uet_rxposts *posts, struct uet_rxpost *post)
{
	struct list_head *list = uet_post_exact(post) ?
				 &posts->exact[uet_post_bucket(post->tag)] :
				 &posts->wild;
	struct uet_rxpost *pos;

	list_for_each_entry_reverse(pos, list, node)
		if (pos->seq < post->seq)
			break;
	list_add(&post->node, &pos->node);
	posts->nr++;
}

/* No further message may match a receive. The reference for that is the caller's. */
static void uet_post_close(struct uet_rxposts *posts, struct uet_rxpost *post)
{
	post->open = false;
	if (list_empty(&post->node))
		return;
	list_del_init(&post->node);
	posts->nr--;
}

static void uet_post_free(struct uet_buffer *buf)
{
	kfree(container_of(buf, struct uet_rxpost, buf));
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

/**
 * uet_rxpost_alloc() - make a receive of what a program asks for
 * @p: checked
 *
 * Context: process; sleeps.
 * Return: the receive with a reference, or ERR_PTR(): uet_buffer_hold(), -ENOMEM.
 */
struct uet_rxpost *uet_rxpost_alloc(const struct uet_recv_post *p)
{
	struct uet_rxpost *post = kzalloc(sizeof(*post), GFP_KERNEL_ACCOUNT);
	int err;

	if (!post)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&post->node);
	refcount_set(&post->ref, 1);
	post->buf.free = uet_post_free;
	post->tag = p->tag;
	post->ignore = p->ignore;
	post->from = p->from;
	post->cookie = p->cookie;
	post->flags = p->flags;
	post->length = p->flags & UET_RECV_DISCARD ? 0 : (u32)p->length;
	post->least = p->least;
	post->own.post = post;
	if (p->flags & (UET_RECV_PEEK | UET_RECV_DISCARD | UET_RECV_INLINE))
		return post;
	err = uet_buffer_hold(&post->buf, p->addr, post->length);
	if (!err)
		return post;
	kfree(post);
	return ERR_PTR(err);
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

/* Nobody needs the place any more. */
static void uet_post_leave_into(struct uet_rxinto *into)
{
	struct uet_rxpost *post = into->post;

	if (into != &post->own)
		kfree(into);
	uet_rxpost_put(post);
}

/* Tell what became of a receive, or of a message in it. Consumes a reference. */
static void uet_post_tell(struct uet_sock *us, struct uet_rxinto *into,
			  const struct uet_rxmsg *msg, int error)
{
	struct uet_rxpost *post = into->post;
	struct uet_completion done = {
		.cookie	= post->cookie,
		.type	= post->flags & UET_RECV_PEEK ? UET_DONE_PEEK : UET_DONE_RECV,
		.error	= error,
		.offset	= into->at,
		.socket	= (u32)us->inode,
	};
	bool last = !post->users && !post->open;

	if (last)
		done.flags |= UET_DONE_LAST;
	if (msg)
		uet_post_describe(&done, msg);
	if (!error || error == EMSGSIZE) {
		done.got = into->room;
		if (msg && post->flags & UET_RECV_INLINE) {
			done.flags |= UET_DONE_INLINE;
			memcpy(done.data, into->data, into->room);
		}
	}
	if (into != &post->own) {
		uet_cq_tell_remote(us->cq, &done);
	} else {
		post->slot = false;
		uet_cq_tell(us->cq, &done);
	}
	if (last && post->slot) {
		post->slot = false;
		uet_cq_disown(us->cq, 1);
	}
	uet_post_leave_into(into);
}

/* A place for a message in a receive that takes many, with a slot to tell it; or NULL */
static struct uet_rxinto *uet_post_place(struct uet_sock *us, struct uet_rxpost *post)
{
	struct uet_rxinto *into;

	if (!uet_cq_own_remote(us->cq, NULL))
		return NULL;
	into = kzalloc(sizeof(*into), GFP_ATOMIC | __GFP_NOWARN);
	if (into)
		into->post = post;
	else
		uet_cq_disown_remote(us->cq, 1);
	return into;
}

/* A place for a message in a receive, or NULL: there is no room for it */
static struct uet_rxinto *uet_post_room(struct uet_sock *us, struct uet_rxpost *post,
					u32 len)
{
	struct uet_rxposts *posts = us->posts;
	struct uet_rxinto *into = &post->own;

	if (post->flags & UET_RECV_MULTI) {
		into = uet_post_place(us, post);
		if (!into)
			return NULL;
	}
	into->at = post->used;
	into->room = min(len, post->length - post->used);
	post->used += into->room;
	post->users++;
	if (!(post->flags & UET_RECV_MULTI)) {
		uet_post_close(posts, post);
		return into;
	}
	refcount_inc(&post->ref);
	if (post->length - post->used < post->least) {
		uet_post_close(posts, post);
		uet_rxpost_put(post);
	}
	return into;
}

/* Nothing of a message came to its place: others may have it. */
static void uet_post_vacate(struct uet_sock *us, struct uet_rxinto *into)
{
	struct uet_rxposts *posts = us->posts;
	struct uet_rxpost *post = into->post;

	post->users--;
	if (into != &post->own) {
		if (post->used == into->at + into->room)
			post->used = into->at;
		if (!post->users && !post->open) {
			uet_post_tell(us, into, NULL, ECONNABORTED);
		} else {
			uet_cq_disown_remote(us->cq, 1);
			uet_post_leave_into(into);
		}
		return;
	}
	if (us->rx_closed || post->flags & UET_POST_NOW) {
		uet_post_tell(us, into, NULL, us->rx_closed ? ECANCELED : ENOMSG);
		return;
	}
	post->used = 0;
	post->open = true;
	uet_post_link(posts, post);
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
	lockdep_assert_held(&us->rx_lock);
	return uet_post_find(us->posts, key);
}

/**
 * uet_rxpost_match() - a new message: is there a receive for it?
 * @us: socket with receives
 * @msg: in no list
 *
 * Return: true if so; the caller calls uet_rxpost_begin(), unless the message ends under
 * the same lock.
 */
bool uet_rxpost_match(struct uet_sock *us, struct uet_rxmsg *msg)
{
	struct uet_post_key key = uet_post_key_of(msg);
	struct uet_rxposts *posts = us->posts;
	struct uet_rxpost *post;

	lockdep_assert_held(&us->rx_lock);
	if (msg->delivery == UET_RUDI || us->rx_closed)
		return false;
	post = uet_post_find(posts, &key);
	if (!post)
		return false;
	msg->into = uet_post_room(us, post, msg->len);
	if (!msg->into)
		return false;
	UET_INC(us->un, MSG_POSTED);
	return true;
}

static struct list_head *uet_post_begun(struct uet_rxposts *posts,
					const struct uet_pdc *pdc)
{
	return &posts->begun[hash_ptr(pdc, ilog2(UET_POST_BUCKETS))];
}

/**
 * uet_rxpost_begin() - a message with a receive is not complete
 * @us: socket with receives
 * @msg: the message, in no other list
 */
void uet_rxpost_begin(struct uet_sock *us, struct uet_rxmsg *msg)
{
	lockdep_assert_held(&us->rx_lock);
	list_add_tail(&msg->open_node, uet_post_begun(us->posts, msg->pdc));
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
static int uet_post_write(struct uet_rxinto *into, u32 to, const struct sk_buff *skb,
			  u32 at, u32 n)
{
	if (into->post->flags & UET_RECV_INLINE)
		return skb_copy_bits(skb, at, into->data + to, n);
	return uet_buffer_copy(&into->post->buf, into->at + to, skb, at, n);
}

/* Copy what a packet has of a message. */
static int uet_post_copy(struct uet_rxinto *into, const struct sk_buff *skb,
			 const struct uet_rxcb *cb)
{
	u32 len = cb->off < into->room ? min(cb->len, into->room - cb->off) : 0;
	u32 done = 0, n, at;
	int err = 0;

	for (; done < len && !err; done += n) {
		n = len - done;
		at = uet_rxcb_at(cb, done, &n);
		err = uet_post_write(into, cb->off + done, skb, at, n);
	}
	return err;
}

/* A message leaves its place. */
static void uet_post_leave(struct uet_sock *us, struct uet_rxmsg *msg, int error)
{
	struct uet_rxinto *into = msg->into;

	msg->into = NULL;
	if (error && !msg->rcvd) {
		uet_post_vacate(us, into);
		return;
	}
	into->post->users--;
	if (!error && into->room < msg->len && !(into->post->flags & UET_RECV_DISCARD))
		error = EMSGSIZE;
	us->posts->ended(us, &msg->from, error == EMSGSIZE ? 0 : error);
	uet_post_tell(us, into, msg, error);
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
	if (msg->into->filling)
		msg->into->error = error;	/* uet_post_claim() goes on */
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
	if (uet_post_copy(msg->into, skb, &cb))
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
		list_add_tail(&msg->by_tag,
			      &posts->by_tag[uet_post_bucket(msg->match_bits)]);
}

/* May a receive take a message that waits? */
static bool uet_post_takes(const struct uet_rxpost *post,
			   const struct uet_rxmsg *msg)
{
	struct uet_post_key key = uet_post_key_of(msg);

	/* A reader has begun, or it has failed. */
	if (msg->read || msg->peeked || msg->error)
		return false;
	if (post->flags & UET_RECV_CLAIMED)
		return msg->claimed && msg->claim == post->cookie;
	return !msg->claimed && uet_post_matches(post, &key);
}

/* The first message that waits for a receive like this one, or NULL */
static struct uet_rxmsg *uet_post_waiting(struct uet_rxposts *posts,
					  const struct uet_rxpost *post)
{
	struct uet_rxmsg *msg;

	if (uet_post_exact(post) && !(post->flags & UET_RECV_CLAIMED)) {
		list_for_each_entry(msg, &posts->by_tag[uet_post_bucket(post->tag)],
				    by_tag)
			if (uet_post_takes(post, msg))
				return msg;
		return NULL;
	}
	list_for_each_entry(msg, &posts->waiting, waiting)
		if (uet_post_takes(post, msg))
			return msg;
	return NULL;
}

/* Copy the packets that had come. Nobody else has them. */
static int uet_post_fill(struct uet_rxinto *into, struct sk_buff_head *skbs)
{
	const struct sk_buff *skb;
	int err = 0;

	skb_queue_walk(skbs, skb) {
		err = uet_post_copy(into, skb, UET_RXCB(skb));
		if (err)
			break;
		cond_resched();
	}
	return err;
}

/*
 * A message that waited goes to the receive that is posted now. Releases rx_lock in
 * between.
 */
static bool uet_post_claim(struct uet_sock *us, struct uet_rxpost *post,
			   struct uet_rxmsg *msg)
	__must_hold(&us->rx_lock)
{
	struct uet_rxinto *into = uet_post_room(us, post, msg->len);
	struct sk_buff_head skbs;
	bool ended = false;
	int err;

	if (!into)
		return false;
	__skb_queue_head_init(&skbs);
	uet_rx_leave_lists(us, msg, &skbs);
	uet_rxpost_begin(us, msg);
	msg->into = into;
	into->filling = true;
	refcount_inc(&msg->ref);
	UET_INC(us->un, MSG_POSTED_LATE);
	spin_unlock_bh(&us->rx_lock);

	err = uet_post_fill(into, &skbs);
	uet_consume_list(&skbs);

	spin_lock_bh(&us->rx_lock);
	into->filling = false;
	if (!msg->us) {
		/* It ended meanwhile, and the socket's reference is gone. */
		uet_post_leave(us, msg, err ? ECONNABORTED : into->error);
	} else if (err || (msg->som && msg->rcvd == msg->len)) {
		uet_rxpost_end(us, msg, err ? ECONNABORTED : 0);
		ended = true;
	}
	spin_unlock_bh(&us->rx_lock);
	if (ended)
		uet_rxmsg_put(msg);
	uet_rxmsg_put(msg);
	spin_lock_bh(&us->rx_lock);
	return true;
}

/* Only look: is there a message? It may be kept for a receive to come. */
static void uet_post_peek(struct uet_sock *us, struct uet_rxpost *post)
{
	struct uet_rxmsg *msg = uet_post_waiting(us->posts, post);

	post->open = false;
	if (msg && post->flags & UET_RECV_CLAIM) {
		msg->claimed = true;
		msg->claim = post->cookie;
	}
	uet_post_tell(us, &post->own, msg, msg ? 0 : ENOMSG);
}

/**
 * uet_rxpost_add() - post a receive
 * @us: socket with receives, locked, not shut down
 * @post: receive, for which a slot of the queue is owned; consumes the reference
 *
 * Context: process; sleeps.
 */
void uet_rxpost_add(struct uet_sock *us, struct uet_rxpost *post)
{
	struct uet_rxposts *posts = us->posts;
	struct uet_rxmsg *msg;

	spin_lock_bh(&us->rx_lock);
	post->seq = posts->seq++;
	post->open = true;
	post->slot = true;
	if ((post->flags & (UET_RECV_PEEK | UET_RECV_DISCARD)) == UET_RECV_PEEK) {
		uet_post_peek(us, post);
		goto out;
	}
	/* One that takes many may end meanwhile, and with it what we know of it. */
	refcount_inc(&post->ref);
	do {
		msg = uet_post_waiting(posts, post);
	} while (msg && uet_post_claim(us, post, msg) && post->open);
	if (post->open && post->flags & UET_POST_NOW) {
		post->open = false;
		uet_post_tell(us, &post->own, NULL, msg ? ENOMEM : ENOMSG);
	} else if (post->open) {
		uet_post_link(posts, post);
	}
	spin_unlock_bh(&us->rx_lock);
	uet_rxpost_put(post);
	return;
out:
	spin_unlock_bh(&us->rx_lock);
}

static void uet_post_cancel(struct uet_sock *us, struct uet_rxpost *post)
{
	uet_post_close(us->posts, post);
	uet_post_tell(us, &post->own, NULL, ECANCELED);
}

/* Cancel the first receive of a list with a cookie. */
static bool uet_post_cancel_in(struct uet_sock *us, struct list_head *list, u64 cookie)
{
	struct uet_rxpost *post;

	list_for_each_entry(post, list, node) {
		if (post->cookie != cookie)
			continue;
		uet_post_cancel(us, post);
		return true;
	}
	return false;
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
	struct uet_rxposts *posts;
	bool found = false;
	u32 i;

	spin_lock_bh(&us->rx_lock);
	posts = us->posts;
	if (posts) {
		found = uet_post_cancel_in(us, &posts->wild, cookie);
		for (i = 0; i < UET_POST_BUCKETS && !found; i++)
			found = uet_post_cancel_in(us, &posts->exact[i], cookie);
	}
	spin_unlock_bh(&us->rx_lock);
	return found;
}

static void uet_post_cancel_list(struct uet_sock *us, struct list_head *list)
{
	struct uet_rxpost *post, *next;

	list_for_each_entry_safe(post, next, list, node)
		uet_post_cancel(us, post);
}

/**
 * uet_rxpost_cancel_all() - the socket receives no more
 * @us: socket with receives
 */
void uet_rxpost_cancel_all(struct uet_sock *us)
{
	struct uet_rxposts *posts = us->posts;
	u32 i;

	lockdep_assert_held(&us->rx_lock);
	uet_post_cancel_list(us, &posts->wild);
	for (i = 0; i < UET_POST_BUCKETS; i++)
		uet_post_cancel_list(us, &posts->exact[i]);
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
	posts->ended = ended;
	INIT_LIST_HEAD(&posts->wild);
	INIT_LIST_HEAD(&posts->waiting);
	for (i = 0; i < UET_POST_BUCKETS; i++) {
		INIT_LIST_HEAD(&posts->exact[i]);
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
