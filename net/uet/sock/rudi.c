// SPDX-License-Identifier: GPL-2.0
/*
 * Sending writes (RUDI, UE 1.0 3.5.8): a message to a place in the window of another
 * socket, cut into packets that need no order, each sent until it is answered.
 *
 * The packets of a write are charged to the owner of the socket (link/owner.c), up to
 * SO_SNDBUF, until they are answered. A call that may not wait sends all of them or
 * nothing; another one sends those it has when the buffer is full, and goes on.
 *
 * Not here: windows and retransmission (tx/queue/rudi.c).
 */
#include <linux/ktime.h>
#include <linux/skbuff.h>
#include <net/inet_ecn.h>

#include "core/wire/hdr_build.h"
#include "link/encap.h"
#include "link/owner.h"
#include "link/peer.h"
#include "link/pmtu.h"
#include "mib.h"
#include "sock.h"
#include "sock/send.h"
#include "tx/msg/txmsg.h"
#include "tx/queue/refused.h"
#include "tx/queue/rudi.h"

#define UET_WRITE_HEADERS	(UET_PDS_RUDI_LEN + UET_SES_STD_LEN)
/* Data up to here is copied behind the headers, more of it into pages. */
#define UET_WRITE_LINEAR	1200U

/**
 * struct uet_writing - a write under way
 * @us: the socket
 * @s: of uet_send_parse()
 * @to: of uet_send_parse()
 * @m: data
 * @msg: the message
 * @pkts: packets that are not submitted
 * @nr: their number
 * @len: length of the write
 * @off: offset of the next packet
 * @payload: data of a full packet
 * @id: message id
 */
struct uet_writing {
	struct uet_sock			*us;
	struct uet_send			*s;
	const struct uet_dest_key	*to;
	struct msghdr			*m;
	struct uet_rudi_msg		*msg;
	struct list_head		pkts;
	u32				nr;
	u32				len;
	u32				off;
	u32				payload;
	u16				id;
};

/* Memory for a packet, charged to the owner. A socket of the kernel has none. */
static struct sk_buff *uet_write_alloc(struct uet_sock *us, u32 len, bool nonblock,
				       int *err)
{
	u32 linear = len <= UET_WRITE_LINEAR ? len : 0;
	u32 head = UET_HEADROOM + UET_WRITE_HEADERS + linear + UET_CRC_LEN;
	struct sock *owner = us->owner;
	struct sk_buff *skb;

	if (owner) {
		skb = sock_alloc_send_pskb(owner, head, len - linear, nonblock,
					   err, 0);
	} else {
		*err = -ENOBUFS;
		skb = alloc_skb_with_frags(head, len - linear, 0, err,
					   GFP_KERNEL_ACCOUNT);
	}
	if (skb)
		skb_reserve(skb, UET_HEADROOM);
	return skb;
}

static void uet_write_headers(const struct uet_writing *w, struct sk_buff *skb,
			      u32 len)
{
	bool som = !w->off, eom = w->off + len == w->len;
	struct uet_pkt pkt = {
		.type		= UET_PDS_RUDI_REQ,
		.next_hdr	= UET_NH_REQ_STD,
		.ses = {
			.opcode		= UET_SES_OP_WRITE,
			.flags		= (som ? UET_SES_F_SOM : 0) |
					  (eom ? UET_SES_F_EOM : 0) |
					  (w->to->absolute ? 0 : UET_SES_F_REL),
			.buffer_offset	= w->s->write.offset,
			.key		= w->s->write.key,
			.job		= w->to->job,
			.initiator	= w->us->local.suet_initiator,
			.request_length	= w->len,
			.message_offset	= w->off,
			.payload_length	= len,
			.msg_id		= w->id,
			.pid		= w->to->pid,
			.ri		= w->to->ri,
		},
	};
	u8 *p = skb_put(skb, UET_WRITE_HEADERS);

	p += uet_build_rudi(p, &pkt);
	uet_build_ses_std(p, &pkt.ses);
}

static int uet_write_copy(const struct uet_writing *w, struct sk_buff *skb, u32 len)
{
	if (len <= UET_WRITE_LINEAR)
		return memcpy_from_msg(skb_put(skb, len), w->m, len);
	skb->data_len = len;
	skb->len += len;
	return skb_copy_datagram_from_iter(skb, UET_WRITE_HEADERS,
					   &w->m->msg_iter, len);
}

/* The next packet. @nonblock: -EAGAIN if the buffer is full */
static int uet_write_next(struct uet_writing *w, bool nonblock)
{
	u32 len = min(w->payload, w->len - w->off);
	struct uet_rudi_pkt *pkt;
	struct uet_txmeta *meta;
	struct sk_buff *skb;
	int err;

	skb = uet_write_alloc(w->us, len, nonblock, &err);
	if (!skb)
		return err;
	uet_write_headers(w, skb, len);
	if (uet_write_copy(w, skb, len)) {
		consume_skb(skb);
		return -EFAULT;
	}
	skb->priority = READ_ONCE(w->us->sk.sk_priority);
	meta = UET_TXMETA(skb);
	memset(meta, 0, sizeof(*meta));
	meta->dsfield = w->to->tclass << 2 | INET_ECN_ECT_0;
	meta->n = 1;
	pkt = uet_rudi_pkt_new(w->msg, skb);
	if (IS_ERR(pkt))
		return PTR_ERR(pkt);
	uet_rudi_add(&w->pkts, pkt);
	w->nr++;
	w->off += len;
	return 0;
}

static int uet_write_submit(struct uet_writing *w, bool more)
{
	int err = uet_rudi_submit(w->msg, &w->pkts, w->nr, more);

	if (!err)
		w->nr = 0;
	return err;
}

/* All packets of a write. When the buffer is full, those that are there are sent. */
static int uet_write_all(struct uet_writing *w)
{
	bool nonblock = w->m->msg_flags & MSG_DONTWAIT;
	int err;

	do {
		err = uet_write_next(w, true);
		if (err == -EAGAIN && !nonblock) {
			err = w->nr ? uet_write_submit(w, true) : 0;
			if (!err)
				err = uet_write_next(w, false);
		}
		if (err)
			return err;
	} while (w->off < w->len);
	return uet_write_submit(w, false);
}

/* What a call that must not wait could never send */
static bool uet_write_too_long(const struct uet_writing *w)
{
	return w->m->msg_flags & MSG_DONTWAIT &&
	       w->len > READ_ONCE(w->us->sk.sk_sndbuf) / 4;
}

static int uet_write_begin(struct uet_writing *w, struct uet_peer *peer)
{
	struct uet_send *s = w->s;
	struct uet_rudi *r;
	u64 deadline = 0;
	u32 mtu;
	int err;

	err = uet_route_peer(peer, &mtu);
	if (err)
		return err;
	w->payload = uet_pmtu_payload(peer, mtu);
	r = uet_rudi_get(peer);
	if (!r)
		return -ENOBUFS;
	if (s->timeout)
		deadline = ktime_get_ns() + (u64)s->timeout * NSEC_PER_MSEC;
	w->msg = uet_rudi_begin(r, w->us, deadline);
	if (!w->msg)
		return -ENOBUFS;
	uet_dest_name(w->to, &w->msg->to);
	w->msg->len = w->len;
	w->msg->cookie = atomic64_fetch_inc(&w->us->tx_count);
	w->id = w->msg->cookie;
	if (s->has_cookie)
		w->msg->cookie = s->cookie;
	w->msg->has_cookie = s->has_cookie;
	w->msg->cq = s->cq;
	s->cq = NULL;
	return 0;
}

static int uet_write(struct uet_writing *w, struct uet_peer *peer)
{
	int err = uet_write_begin(w, peer);

	if (err)
		return err;
	err = uet_write_all(w);
	if (!err) {
		uet_rudi_msg_put(w->msg);
		return 0;
	}
	uet_rudi_pkts_free(w->us->un, &w->pkts);
	uet_rudi_abandon(w->msg);
	return err;
}

/* The owner has the limits of the socket. */
static void uet_write_limits(struct uet_sock *us)
{
	struct sock *owner = us->owner;

	if (!owner)
		return;
	WRITE_ONCE(owner->sk_sndbuf, READ_ONCE(us->sk.sk_sndbuf));
	WRITE_ONCE(owner->sk_sndtimeo, READ_ONCE(us->sk.sk_sndtimeo));
}

/**
 * uet_send_write() - send a message as a write
 * @us: the socket, bound
 * @s: of uet_send_parse(), with a write
 * @m: data
 * @to: key of uet_send_parse()
 * @len: bytes
 *
 * Context: process; sleeps.
 * Return: @len; -EOPNOTSUPP with a tag or header data, -ERANGE if the end has no offset,
 * -EMSGSIZE if it may not wait and is too long for that, -EAGAIN, or the error of the
 * route, memory or a signal: then some of it may have been written.
 */
int uet_send_write(struct uet_sock *us, struct uet_send *s, struct msghdr *m,
		   const struct uet_dest_key *to, size_t len)
{
	struct uet_writing w = {
		.us = us, .s = s, .to = to, .m = m, .len = len,
	};
	struct uet_peer *peer;
	int err;

	INIT_LIST_HEAD(&w.pkts);
	if (s->has_tag || s->has_hd)
		return -EOPNOTSUPP;
	if (len > U64_MAX - s->write.offset)
		return -ERANGE;
	if (uet_write_too_long(&w))
		return -EMSGSIZE;
	uet_write_limits(us);
	uet_owner_sync(us);
	peer = uet_datagram_peer(us, to);
	if (IS_ERR(peer))
		return PTR_ERR(peer);
	err = uet_write(&w, peer);
	if (err == -EAGAIN)
		uet_refused_note(us, NULL, 1);
	else if (unlikely(READ_ONCE(us->refused.nr)))
		uet_refused_taken(us, NULL, 1);
	/* Its local address may be gone. */
	if (unlikely(err == -ENETUNREACH || err == -EHOSTUNREACH))
		uet_datagram_forget(us);
	uet_peer_put(peer);
	if (err)
		return err;
	UET_INC(us->un, MSG_SENT);
	return len;
}
