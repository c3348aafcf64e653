// SPDX-License-Identifier: GPL-2.0
/*
 * Sending datagrams (UUD, UE 1.0 3.5.8): a message of one packet, built and sent by the
 * call. There is no PDC, no congestion control and no report. The packets of the socket
 * that wait in this host are charged to its owner (link/owner.c), up to SO_SNDBUF, and a
 * send waits for room there.
 *
 * The socket keeps the peer that it sent to last, which has the route.
 *
 * Not here: receiving (rx/pds/datagram.c).
 */
#include <linux/ip.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <net/ip_fib.h>
#include <net/ip6_fib.h>

#include "core/lb/lb.h"
#include "core/wire/hdr_build.h"
#include "link/encap.h"
#include "link/owner.h"
#include "link/peer.h"
#include "link/source.h"
#include "mib.h"
#include "sock.h"
#include "sock/send.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/wmem.h"
#include "tx/queue/refused.h"

#define UET_DATAGRAM_HEADERS	(UET_PDS_UUD_LEN + UET_SES_MEDIUM_LEN)
/* Entropy values: nobody tells which ones are bad, so each packet has another one. */
#define UET_DATAGRAM_SPREAD	(U16_MAX - UET_LB_UDP_LOW + 1)

/* Which peer a key is about; without its local address */
static void uet_datagram_key(const struct uet_sock *us,
			     const struct uet_dest_key *to,
			     struct uet_peer_key *key)
{
	struct net *net = us->un->net;

	/* Compared as bytes */
	memset(key, 0, sizeof(*key));
	key->raddr = to->raddr;
	key->scope = to->scope;
	key->mark = to->mark;
	key->tclass = to->route;
	key->uid = fib4_has_custom_rules(net) || fib6_has_custom_rules(net) ?
		   us->sk.sk_uid : us->un->root;
}

/* Changes when another local address may be chosen. */
static int uet_datagram_genid(const struct uet_net *un,
			      const struct uet_peer_key *key)
{
	bool v4 = ipv6_addr_v4mapped(&key->raddr);

	return (v4 ? rt_genid_ipv4(un->net) : rt_genid_ipv6(un->net)) +
	       uet_source_genid(un, v4);
}

static bool uet_datagram_fits(const struct uet_peer *peer,
			      const struct uet_peer_key *key)
{
	return ipv6_addr_equal(&peer->key.raddr, &key->raddr) &&
	       peer->key.scope == key->scope && peer->key.mark == key->mark &&
	       peer->key.tclass == key->tclass &&
	       uid_eq(peer->key.uid, key->uid);
}

static struct uet_peer *uet_datagram_known(struct uet_sock *us,
					   const struct uet_peer_key *key,
					   const struct in6_addr *laddr)
{
	struct uet_peer *peer;

	spin_lock(&us->dests_lock);
	peer = us->dgram_peer;
	if (peer && uet_datagram_fits(peer, key) &&
	    us->dgram_genid == uet_datagram_genid(us->un, key) &&
	    ipv6_addr_equal(&us->dgram_laddr, laddr))
		refcount_inc(&peer->ref);
	else
		peer = NULL;
	spin_unlock(&us->dests_lock);
	return peer;
}

/* Keep a peer instead of the one before; NULL: none. @laddr: own address asked for */
static void uet_datagram_keep(struct uet_sock *us, struct uet_peer *peer,
			      const struct in6_addr *laddr, int genid)
{
	struct uet_peer *old;

	if (peer)
		refcount_inc(&peer->ref);
	spin_lock(&us->dests_lock);
	old = us->dgram_peer;
	us->dgram_peer = peer;
	us->dgram_laddr = *laddr;
	us->dgram_genid = genid;
	spin_unlock(&us->dests_lock);
	if (old)
		uet_peer_put(old);
}

/**
 * uet_datagram_forget() - drop what a socket keeps for datagrams
 * @us: the socket
 *
 * Context: process.
 */
void uet_datagram_forget(struct uet_sock *us)
{
	uet_datagram_keep(us, NULL, &in6addr_any, 0);
}

/**
 * uet_datagram_peer() - the peer of messages that have no queue
 * @us: the socket, bound
 * @to: key of uet_send_parse()
 *
 * Context: process; sleeps.
 * Return: the peer with a reference, or an ERR_PTR of the route or memory.
 */
struct uet_peer *uet_datagram_peer(struct uet_sock *us,
				   const struct uet_dest_key *to)
{
	struct uet_net *un = us->un;
	struct uet_peer_key key;
	struct uet_peer *peer;
	int err, genid;

	uet_datagram_key(us, to, &key);
	peer = uet_datagram_known(us, &key, &to->laddr);
	if (peer)
		return peer;
	genid = uet_datagram_genid(un, &key);
	if (!ipv6_addr_any(&to->laddr)) {
		key.laddr = to->laddr;
	} else {
		err = uet_route_source(un, &key);
		if (err)
			return ERR_PTR(err);
	}
	mutex_lock(&un->open_mutex);
	peer = uet_peer_get(un, &key, GFP_KERNEL_ACCOUNT);
	mutex_unlock(&un->open_mutex);
	if (IS_ERR(peer))
		return peer;
	/* It may have gone before the peer was made. */
	if (uet_source_look(peer) == UET_SOURCE_GONE) {
		uet_peer_put(peer);
		return ERR_PTR(-EADDRNOTAVAIL);
	}
	uet_datagram_keep(us, peer, &to->laddr, genid);
	return peer;
}

/* Memory for a packet, charged to the owner. A socket of the kernel has none. */
static struct sk_buff *uet_datagram_alloc(struct uet_sock *us, u32 len,
					  bool nonblock, int *err)
{
	u32 size = UET_HEADROOM + UET_DATAGRAM_HEADERS + len + UET_CRC_LEN;
	struct sock *owner = us->owner;
	struct sk_buff *skb;

	if (owner) {
		WRITE_ONCE(owner->sk_sndbuf, READ_ONCE(us->sk.sk_sndbuf));
		WRITE_ONCE(owner->sk_sndtimeo, READ_ONCE(us->sk.sk_sndtimeo));
		skb = sock_alloc_send_skb(owner, size, nonblock, err);
	} else {
		skb = alloc_skb(size, GFP_KERNEL_ACCOUNT);
		*err = -ENOBUFS;
	}
	if (skb)
		skb_reserve(skb, UET_HEADROOM);
	return skb;
}

static void uet_datagram_headers(const struct uet_sock *us,
				 const struct uet_send *s,
				 const struct uet_dest_key *to,
				 struct sk_buff *skb, u32 len)
{
	struct uet_pkt pkt = {
		.type		= UET_PDS_UUD_REQ,
		.next_hdr	= UET_NH_REQ_MEDIUM,
		.ses = {
			.opcode		= s->has_tag ? UET_SES_OP_TAGGED_SEND :
						       UET_SES_OP_DATAGRAM_SEND,
			.flags		= UET_SES_F_SOM | UET_SES_F_EOM |
					  (to->absolute ? 0 : UET_SES_F_REL) |
					  (s->has_hd ? UET_SES_F_HD : 0),
			.key		= s->tag,
			.header_data	= s->header_data,
			.job		= to->job,
			.initiator	= us->local.suet_initiator,
			.request_length	= len,
			.pid		= to->pid,
			.ri		= to->ri,
		},
	};
	u8 *p = __skb_push(skb, UET_DATAGRAM_HEADERS);

	p += uet_build_uud(p, &pkt);
	uet_build_ses_medium(p, &pkt.ses);
}

/* A packet with everything but what the output writes */
static struct sk_buff *uet_datagram_build(struct uet_sock *us,
					  const struct uet_send *s,
					  struct msghdr *m,
					  const struct uet_dest_key *to, u32 len)
{
	struct uet_txmeta *meta;
	struct sk_buff *skb;
	int err;

	skb = uet_datagram_alloc(us, len, m->msg_flags & MSG_DONTWAIT, &err);
	if (!skb)
		return ERR_PTR(err);
	skb_reserve(skb, UET_DATAGRAM_HEADERS);
	if (memcpy_from_msg(skb_put(skb, len), m, len)) {
		consume_skb(skb);
		return ERR_PTR(-EFAULT);
	}
	uet_datagram_headers(us, s, to, skb, len);
	skb->priority = READ_ONCE(us->sk.sk_priority);
	meta = UET_TXMETA(skb);
	memset(meta, 0, sizeof(*meta));
	meta->ev = UET_LB_UDP_LOW + get_random_u32() % UET_DATAGRAM_SPREAD;
	/* No ECN: nobody would be told of a mark. */
	meta->dsfield = to->tclass << 2;
	meta->df = true;
	meta->n = 1;
	return skb;
}

/* Room in a packet to the peer */
static u32 uet_datagram_room(const struct uet_output *out)
{
	u32 headers = UET_DATAGRAM_HEADERS + uet_form_len(out->form) +
		      (out->v4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr));
	u32 mtu = uet_output_mtu(out);

	return min_t(u32, mtu - min(mtu, headers), UET_SES_LEN14);
}

/* Send a packet of @len bytes of data, or free it. What queues drop is lost. */
static int uet_datagram_output(struct uet_peer *peer, struct sk_buff *skb, u32 len)
{
	struct uet_output out;
	int err;

	local_bh_disable();
	err = uet_output_begin(&out, peer);
	if (err) {
		uet_drop_tx(peer, skb, UET_DROP_TX_ROUTE);
	} else {
		if (len > uet_datagram_room(&out)) {
			consume_skb(skb);
			err = -EMSGSIZE;
		} else {
			UET_INC(out.un, TX_DATAGRAMS);
			if (time_before(READ_ONCE(out.un->datagrams_at), jiffies))
				WRITE_ONCE(out.un->datagrams_at, jiffies);
			uet_output(&out, skb);
		}
		uet_output_end(&out);
	}
	local_bh_enable();
	return err;
}

/**
 * uet_send_datagram() - send a message as a datagram
 * @us: the socket, bound
 * @s: of uet_send_parse()
 * @m: data
 * @to: key of uet_send_parse()
 * @len: bytes
 *
 * Context: process; sleeps.
 * Return: @len; -EMSGSIZE beyond one packet, -EAGAIN, or the error of the route, memory
 * or a signal.
 */
int uet_send_datagram(struct uet_sock *us, const struct uet_send *s,
		      struct msghdr *m, const struct uet_dest_key *to, size_t len)
{
	struct uet_peer *peer;
	struct sk_buff *skb;
	int err;

	if (len > UET_SES_LEN14)
		return -EMSGSIZE;
	peer = uet_datagram_peer(us, to);
	if (IS_ERR(peer))
		return PTR_ERR(peer);
	uet_owner_sync(us);
	skb = uet_datagram_build(us, s, m, to, len);
	if (skb == ERR_PTR(-EAGAIN))
		uet_refused_note(us, NULL, 1);
	else if (unlikely(READ_ONCE(us->refused.nr)))
		uet_refused_taken(us, NULL, 1);
	err = IS_ERR(skb) ? PTR_ERR(skb) : uet_datagram_output(peer, skb, len);
	/* Its local address may be gone. */
	if (unlikely(err && err != -EAGAIN && err != -EMSGSIZE))
		uet_datagram_forget(us);
	uet_peer_put(peer);
	if (err)
		return err;
	UET_INC(us->un, MSG_SENT);
	return len;
}
