// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "sock": bound sockets.
 */
#include <linux/jiffies.h>
#include <net/genetlink.h>

#include "base.h"
#include "ctl/genl/genl.h"
#include "rx/ses/ep.h"
#include "rx/ses/rxmsg.h"
#include "sock.h"

#define UET_GENL_SOCK_FILTERS						\
	(UET_WANTS(REMOTE) | UET_WANTS(REMOTE_PLEN) | UET_WANTS(LOCAL) |	\
	 UET_WANTS(JOB) | UET_WANTS(INODE) | UET_WANTS(PID) |		\
	 UET_WANTS(WAITING))

/**
 * struct uet_genl_sock - a socket to tell
 * @us: the socket
 * @remote: its peer, if @connected
 * @connected: it is
 * @dests: its queues
 * @rx_bytes: memory of received data
 * @ready_bytes: the part of it that can be read
 * @refused_ns: since when it has had no room, 0 = it has
 * @send_ns: since when a call waits for room to send, 0 = none does
 * @unread_ns: since when its oldest message waits to be read, 0 = none does
 */
struct uet_genl_sock {
	struct uet_sock		*us;
	struct sockaddr_uet	remote;
	bool			connected;
	u32			dests;
	u64			rx_bytes;
	u64			ready_bytes;
	u64			refused_ns;
	u64			send_ns;
	u64			unread_ns;
};

/**
 * uet_genl_endpoint() - add the address of an endpoint
 * @skb: message
 * @type: attribute
 * @name: the address
 *
 * Return: 0 or -EMSGSIZE.
 */
int uet_genl_endpoint(struct sk_buff *skb, int type,
		      const struct sockaddr_uet *name)
{
	struct nlattr *nest = nla_nest_start(skb, type);

	if (!nest ||
	    nla_put_in6_addr(skb, UET_A_ENDPOINT_ADDR, &name->suet_addr) ||
	    nla_put_u32(skb, UET_A_ENDPOINT_JOB, name->suet_job) ||
	    nla_put_u32(skb, UET_A_ENDPOINT_PID, name->suet_pid) ||
	    nla_put_u32(skb, UET_A_ENDPOINT_RI, name->suet_ri) ||
	    nla_put_u32(skb, UET_A_ENDPOINT_INITIATOR, name->suet_initiator) ||
	    (name->suet_scope_id &&
	     nla_put_u32(skb, UET_A_ENDPOINT_SCOPE_ID, name->suet_scope_id)) ||
	    (name->suet_flags & UET_ADDR_ABSOLUTE &&
	     nla_put_flag(skb, UET_A_ENDPOINT_ABSOLUTE)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static u64 uet_genl_ago(unsigned long at)
{
	/* What has only just begun lasts, too. */
	return max(jiffies64_to_nsecs(jiffies - at), 1ULL);
}

/* Since when the first readable message waits; rx_lock held */
static u64 uet_genl_unread(const struct uet_sock *us)
{
	const struct uet_rxmsg *msg;

	lockdep_assert_held(&us->rx_lock);
	if (list_empty(&us->rx_ready))
		return 0;
	msg = list_first_entry(&us->rx_ready, struct uet_rxmsg, node);
	if (!(msg->complete || msg->error || msg->head != msg->read))
		return 0;
	return uet_genl_ago(msg->waits);
}

static void uet_genl_sock_look(struct uet_sock *us, struct uet_genl_sock *s)
{
	*s = (struct uet_genl_sock) { .us = us };
	spin_lock(&us->dests_lock);
	s->connected = us->connected;
	s->remote = us->remote;
	s->dests = us->nr_dests;
	if (us->tx_waits)
		s->send_ns = uet_genl_ago(us->tx_waits_at);
	spin_unlock(&us->dests_lock);
	spin_lock_bh(&us->rx_lock);
	s->rx_bytes = us->rx_bytes;
	s->ready_bytes = us->rx_ready_bytes;
	if (us->rx_nacked)
		s->refused_ns = uet_genl_ago(us->rx_nacked_since);
	s->unread_ns = uet_genl_unread(us);
	spin_unlock_bh(&us->rx_lock);
}

/* What never changes; the locks are needed for the rest only. */
static bool uet_genl_sock_wanted(const struct uet_genl_filter *f,
				 const struct uet_sock *us)
{
	const struct sockaddr_uet *local = &us->local;

	return uet_genl_fits(f, UET_WANTS(INODE), f->inode, us->inode) &&
	       uet_genl_fits(f, UET_WANTS(PID), f->pid, local->suet_pid) &&
	       uet_genl_fits(f, UET_WANTS(JOB), f->job, local->suet_job) &&
	       uet_genl_local_fits(f, &local->suet_addr);
}

static bool uet_genl_sock_fits(const struct uet_genl_filter *f,
			       const struct uet_genl_sock *s)
{
	return (!(f->has & UET_WANTS(REMOTE)) ||
		(s->connected &&
		 uet_genl_remote_fits(f, &s->remote.suet_addr))) &&
	       (!(f->has & UET_WANTS(WAITING)) || s->rx_bytes ||
		atomic64_read(&s->us->wmem));
}

static int uet_genl_sock_rx(struct sk_buff *skb, const struct uet_genl_sock *s)
{
	if (nla_put_u64_64bit(skb, UET_A_SOCK_RX_BYTES, s->rx_bytes,
			      UET_A_SOCK_PAD) ||
	    nla_put_u64_64bit(skb, UET_A_SOCK_RX_READY_BYTES, s->ready_bytes,
			      UET_A_SOCK_PAD) ||
	    nla_put_u32(skb, UET_A_SOCK_RCVBUF, READ_ONCE(s->us->sk.sk_rcvbuf)))
		return -EMSGSIZE;
	if (s->refused_ns &&
	    nla_put_u64_64bit(skb, UET_A_SOCK_RX_REFUSED_NS, s->refused_ns,
			      UET_A_SOCK_PAD))
		return -EMSGSIZE;
	if (!s->unread_ns)
		return 0;
	return nla_put_u64_64bit(skb, UET_A_SOCK_UNREAD_NS, s->unread_ns,
				 UET_A_SOCK_PAD);
}

static int uet_genl_sock_tx(struct sk_buff *skb, const struct uet_genl_sock *s)
{
	u64 wmem = atomic64_read(&s->us->wmem);

	if (s->send_ns &&
	    nla_put_u64_64bit(skb, UET_A_SOCK_SEND_WAIT_NS, s->send_ns,
			      UET_A_SOCK_PAD))
		return -EMSGSIZE;
	return nla_put_u32(skb, UET_A_SOCK_TX_MSGS, upper_32_bits(wmem)) ||
	       nla_put_u64_64bit(skb, UET_A_SOCK_TX_BYTES, lower_32_bits(wmem),
				 UET_A_SOCK_PAD) ||
	       nla_put_u32(skb, UET_A_SOCK_SNDBUF,
			   READ_ONCE(s->us->sk.sk_sndbuf)) ||
	       nla_put_u32(skb, UET_A_SOCK_DESTS, s->dests);
}

static u32 uet_genl_sock_type(int type)
{
	switch (type) {
	case SOCK_RDM:
		return UET_SOCK_TYPE_RDM;
	case SOCK_DGRAM:
		return UET_SOCK_TYPE_DGRAM;
	default:
		return UET_SOCK_TYPE_SEQPACKET;
	}
}

static int uet_genl_sock_fill(struct sk_buff *skb, const void *what)
{
	const struct uet_genl_sock *s = what;
	const struct uet_sock *us = s->us;
	u32 type = uet_genl_sock_type(us->sk.sk_type);

	return nla_put_u64_64bit(skb, UET_A_SOCK_INODE, us->inode,
				 UET_A_SOCK_PAD) ||
	       nla_put_u32(skb, UET_A_SOCK_TYPE, type) ||
	       uet_genl_endpoint(skb, UET_A_SOCK_LOCAL, &us->local) ||
	       (s->connected &&
		uet_genl_endpoint(skb, UET_A_SOCK_REMOTE, &s->remote)) ||
	       nla_put_u32(skb, UET_A_SOCK_UID,
			   from_kuid_munged(us->un->net->user_ns,
					    us->sk.sk_uid)) ||
	       nla_put_u32(skb, UET_A_SOCK_REPORTS, READ_ONCE(us->reports)) ||
	       uet_genl_sock_tx(skb, s) || uet_genl_sock_rx(skb, s);
}

static int uet_genl_sock_put(struct uet_genl_walk *w, struct uet_sock *us)
{
	struct uet_genl_sock s;

	if (!uet_may_see(&w->viewer, us->sk.sk_uid) ||
	    !uet_genl_sock_wanted(&w->filter, us))
		return 0;
	uet_genl_sock_look(us, &s);
	if (!uet_genl_sock_fits(&w->filter, &s))
		return 0;
	return uet_genl_put(w, uet_genl_sock_fill, &s);
}

/* Cursor: 0 is the id of the socket */
static int uet_genl_sock_walk(struct uet_genl_walk *w)
{
	struct uet_sock *us;
	int err = 0;

	rcu_read_lock();
	for (; (us = uet_ep_next(w->un, &w->cursor[0])); w->cursor[0]++) {
		err = uet_genl_sock_put(w, us);
		if (err)
			break;
		uet_genl_breathe(w);
	}
	rcu_read_unlock();
	return err;
}

static const struct uet_genl_object uet_genl_socks = {
	.cmd		= UET_CMD_SOCK_GET,
	.filter		= UET_A_SOCK_FILTER,
	.filters	= UET_GENL_SOCK_FILTERS,
	.whose		= UET_GENL_OWN,
	.walk		= uet_genl_sock_walk,
};

int uet_nl_sock_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return uet_genl_get(skb, info, &uet_genl_socks);
}

int uet_nl_sock_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return uet_genl_dump(skb, cb, &uet_genl_socks);
}
