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
 * struct uet_genl_sock - what changes of a socket
 * @remote: its peer, if @connected
 * @connected: it is
 * @type: enum uet_nl_sock_type
 * @uid: its user, as who asked knows it
 * @dests: its queues
 * @tx_msgs: messages that are not done
 * @tx_bytes: their memory
 * @rx_bytes: memory of received data
 * @ready_bytes: the part of it that can be read
 * @refused_ns: since when it has had no room, 0 = it has
 * @send_ns: since when a call waits for room to send, 0 = none does
 * @unread_ns: since when its oldest message waits to be read, 0 = none does
 */
struct uet_genl_sock {
	struct sockaddr_uet	remote;
	bool			connected;
	u8			type;
	u32			uid;
	u32			dests;
	u32			tx_msgs;
	u32			tx_bytes;
	u64			rx_bytes;
	u64			ready_bytes;
	u64			refused_ns;
	u64			send_ns;
	u64			unread_ns;
};

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

static u8 uet_genl_sock_type(int type)
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

static void uet_genl_sock_look(struct uet_sock *us, struct uet_genl_sock *s)
{
	u64 wmem = atomic64_read(&us->wmem);

	*s = (struct uet_genl_sock) {
		.type		= uet_genl_sock_type(us->sk.sk_type),
		.uid		= from_kuid_munged(us->un->net->user_ns,
						   us->sk.sk_uid),
		.tx_msgs	= upper_32_bits(wmem),
		.tx_bytes	= lower_32_bits(wmem),
	};
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

	return uet_genl_fits(f, UET_A_FILTER_INODE, us->inode) &&
	       uet_genl_fits(f, UET_A_FILTER_PID, local->suet_pid) &&
	       uet_genl_fits(f, UET_A_FILTER_JOB, local->suet_job) &&
	       uet_genl_local_fits(f, &local->suet_addr);
}

static bool uet_genl_sock_fits(const struct uet_genl_filter *f,
			       const struct uet_genl_sock *s)
{
	return (!(f->has & UET_WANTS(REMOTE)) ||
		(s->connected &&
		 uet_genl_remote_fits(f, &s->remote.suet_addr))) &&
	       (!(f->has & UET_WANTS(WAITING)) || s->rx_bytes ||
		s->tx_msgs || s->tx_bytes);
}

#define OF(_attr, _kind, _field)					\
	UET_GENL_ROW(SOCK_##_attr, _kind, 0, struct uet_sock, _field)
#define NOW(_attr, _kind, _field)					\
	UET_GENL_ROW(SOCK_##_attr, _kind, 1, struct uet_genl_sock, _field)

static const struct uet_genl_row uet_genl_sock_rows[] = {
	OF(INODE,		U64,		inode),
	NOW(TYPE,		U32,		type),
	OF(LOCAL,		ENDPOINT,	local),
	{ UET_A_SOCK_REMOTE, UET_ROW_ENDPOINT, 2 },
	NOW(UID,		U32,		uid),
	OF(REPORTS,		U32,		reports),
	NOW(SEND_WAIT_NS,	U64_IF,		send_ns),
	NOW(TX_MSGS,		U32,		tx_msgs),
	NOW(TX_BYTES,		U64,		tx_bytes),
	OF(SNDBUF,		U32,		sk.sk_sndbuf),
	NOW(DESTS,		U32,		dests),
	NOW(RX_BYTES,		U64,		rx_bytes),
	NOW(RX_READY_BYTES,	U64,		ready_bytes),
	OF(RCVBUF,		U32,		sk.sk_rcvbuf),
	NOW(RX_REFUSED_NS,	U64_IF,		refused_ns),
	NOW(UNREAD_NS,		U64_IF,		unread_ns),
	{ }
};

static int uet_genl_sock_tell(struct uet_genl_walk *w, void *entry)
{
	struct uet_sock *us = entry;
	struct uet_genl_sock s;

	if (!uet_may_see(&w->viewer, us->sk.sk_uid) ||
	    !uet_genl_sock_wanted(&w->filter, us))
		return 0;
	uet_genl_sock_look(us, &s);
	if (!uet_genl_sock_fits(&w->filter, &s))
		return 0;
	return uet_genl_tell(w, uet_genl_sock_rows, us, &s,
			     s.connected ? &s.remote : NULL);
}

static const struct uet_genl_object uet_genl_socks = {
	.cmd		= UET_CMD_SOCK_GET,
	.filter		= UET_A_SOCK_FILTER,
	.filters	= UET_GENL_SOCK_FILTERS,
	.whose		= UET_GENL_OWN,
	.ids		= offsetof(struct uet_net, ep_ids),
	.tell		= uet_genl_sock_tell,
};

UET_GENL_READ(sock)
