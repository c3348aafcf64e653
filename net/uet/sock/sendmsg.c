// SPDX-License-Identifier: GPL-2.0
/*
 * sendmsg(): one call makes one message, unless the caller says that it goes on
 * (sock/sendpart.c).
 *
 * A message of at most SO_SNDBUF is queued whole or not at all. A longer one is
 * streamed: its first part is sent, and the call goes on copying as the peer
 * acknowledges. No socket lock is held: what is needed of the socket (endpoint,
 * options) is constant or a single word; dests_lock protects the lookup of the
 * queue.
 *
 * sendmmsg() sets MSG_BATCH for each of its messages but the last. They are queued,
 * and the last one sends all of them (uet_sock.batch). Before that they are sent
 * if the call goes on to another destination, waits, or fails. It may end in between
 * without telling, when it cannot read the next header: then a timer sends them.
 *
 * Not here: charging and copying data (tx/), pages of the caller (tx/msg/txpin.c), the
 * class of short messages (sock/shortmsg.c).
 */
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/uio.h>
#include <net/ipv6.h>

#include "compat.h"
#include "cq/cq.h"
#include "link/addr.h"
#include "link/peer_rules.h"
#include "mib.h"
#include "rx/ses/ep.h"
#include "sock.h"
#include "sock/calls.h"
#include "sock/send.h"
#include "tx/msg/done.h"
#include "tx/msg/trace_msg.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/txpin.h"
#include "tx/msg/wmem.h"
#include "tx/pds/pds.h"
#include "tx/queue/defer.h"
#include "tx/queue/refused.h"

/* A streamed message may hold this much even if the buffer is full: without a full
 * packet (payload MTU <= 8192) it could not proceed and free memory.
 */
#define UET_STREAM_MIN		32768U

/* Longer messages have a PDC of their own: if the reader of such a message stops, it
 * stops the PDC after the receive window, and with it other messages. The value is
 * a small part of that window.
 */
#define UET_SEND_ALONE		(512U * 1024)

/* Maximum to copy in one step */
#define UET_STREAM_STEP		(1024U * 1024)

static int uet_send_delivery(struct uet_dest_key *key, int mode)
{
	switch (mode) {
	case UET_DELIVERY_DEFAULT:
		return 0;
	case UET_RUD:
	case UET_ROD:
	case UET_RUDI:
	case UET_UUD:
		key->delivery = mode;
		return 0;
	default:
		return -EINVAL;
	}
}

static int uet_send_cmsg(struct uet_send *s, struct uet_dest_key *key,
			 struct cmsghdr *cmsg)
{
	int *v = CMSG_DATA(cmsg);
	u64 v64 = 0;

	switch (cmsg->cmsg_type) {
	case UET_CMSG_COOKIE:
	case UET_CMSG_HEADER_DATA:
	case UET_CMSG_TAG:
		if (cmsg->cmsg_len != CMSG_LEN(sizeof(u64)))
			return -EINVAL;
		memcpy(&v64, CMSG_DATA(cmsg), sizeof(v64));
		break;
	case UET_CMSG_WRITE:
		if (cmsg->cmsg_len != CMSG_LEN(sizeof(s->write)))
			return -EINVAL;
		break;
	case UET_CMSG_PKTINFO:
		if (cmsg->cmsg_len != CMSG_LEN(sizeof(s->pktinfo)))
			return -EINVAL;
		break;
	case UET_CMSG_DELIVERY:
	case UET_CMSG_TCLASS:
	case UET_CMSG_TIMEOUT:
	case UET_CMSG_DEFER:
		if (cmsg->cmsg_len != CMSG_LEN(sizeof(int)))
			return -EINVAL;
		break;
	}

	switch (cmsg->cmsg_type) {
	case UET_CMSG_COOKIE:
		s->cookie = v64;
		s->has_cookie = true;
		return 0;
	case UET_CMSG_HEADER_DATA:
		s->header_data = v64;
		s->has_hd = true;
		return 0;
	case UET_CMSG_TAG:
		s->tag = v64;
		s->has_tag = true;
		return 0;
	case UET_CMSG_WRITE:
		memcpy(&s->write, CMSG_DATA(cmsg), sizeof(s->write));
		s->has_write = true;
		return s->write.key & UET_KEY_IDEMPOTENT ? 0 : -EINVAL;
	case UET_CMSG_PKTINFO:
		memcpy(&s->pktinfo, CMSG_DATA(cmsg), sizeof(s->pktinfo));
		s->has_pktinfo = true;
		return s->pktinfo.reserved ? -EINVAL : 0;
	case UET_CMSG_DELIVERY:
		return uet_send_delivery(key, *v);
	case UET_CMSG_TCLASS:
		if (*v < 0 || *v > 63)
			return -EINVAL;
		key->tclass = *v;
		s->has_tclass = true;
		return 0;
	case UET_CMSG_TIMEOUT:
		s->timeout = *v;
		return 0;
	case UET_CMSG_DEFER:
		if (*v < 0 || *v > 1)
			return -EINVAL;
		s->defer = *v ? 1 : -1;
		return 0;
	default:
		return -EINVAL;
	}
}

/* Transmit time stamps and SO_TXTIME are not supported. */
static int uet_send_cmsg_generic(struct uet_sock *us, struct msghdr *msg,
				 struct cmsghdr *cmsg,
				 struct sockcm_cookie *sockc)
{
	switch (cmsg->cmsg_type) {
	case SO_TIMESTAMPING_OLD:
	case SO_TIMESTAMPING_NEW:
	case SCM_TXTIME:
		return -EOPNOTSUPP;
	default:
		return uet_sock_cmsg_send(&us->sk, msg, cmsg, sockc);
	}
}

static int uet_send_cmsgs(struct uet_sock *us, struct uet_send *s,
			  struct uet_dest_key *key, struct msghdr *msg)
{
	struct sockcm_cookie sockc;
	struct cmsghdr *cmsg;
	int err;

	sockcm_init(&sockc, &us->sk);
	sockc.mark = key->mark;
	for_each_cmsghdr(cmsg, msg) {
		if (!CMSG_OK(msg, cmsg))
			return -EINVAL;
		err = 0;
		if (cmsg->cmsg_level == SOL_UET)
			err = uet_send_cmsg(s, key, cmsg);
		else if (cmsg->cmsg_level == SOL_SOCKET)
			err = uet_send_cmsg_generic(us, msg, cmsg, &sockc);
		if (err)
			return err;
	}
	key->mark = sockc.mark;
	return 0;
}

static int uet_send_bind(struct uet_sock *us)
{
	int err;

	/* Pairs with uet_ep_insert() */
	if (likely(smp_load_acquire(&us->bound)))
		return 0;
	lock_sock(&us->sk);
	err = uet_ep_autobind(us);
	release_sock(&us->sk);
	return err;
}

/**
 * uet_send_target() - fill in the part of a key that an address says
 * @key: the key
 * @us: the socket
 * @to: the address
 */
void uet_send_target(struct uet_dest_key *key, const struct uet_sock *us,
		     const struct sockaddr_uet *to)
{
	key->raddr = to->suet_addr;
	if (!uet_addr_any(&us->local.suet_addr))
		key->laddr = us->local.suet_addr;
	key->scope = READ_ONCE(us->sk.sk_bound_dev_if);
	/* The scope wins: it may be an interface of the VRF bound to. */
	if (ipv6_addr_type(&to->suet_addr) & IPV6_ADDR_LINKLOCAL &&
	    to->suet_scope_id)
		key->scope = to->suet_scope_id;
	key->job = to->suet_job;
	key->pid = to->suet_pid;
	key->ri = to->suet_ri;
	key->absolute = !!(to->suet_flags & UET_ADDR_ABSOLUTE);
}

/* The target of the message: the given address, else the connected one */
static int uet_send_to(struct uet_sock *us, struct uet_dest_key *key,
		       struct msghdr *msg)
{
	const struct sockaddr_uet *to = msg->msg_name;
	struct sockaddr_uet peer;
	int err;

	if (to) {
		err = uet_addr_check(msg->msg_name, msg->msg_namelen);
		if (!err)
			err = uet_send_bind(us);
		if (!err)
			err = uet_addr_check_dest(us, to);
		if (err)
			return err;
	} else {
		bool connected;

		spin_lock(&us->dests_lock);
		connected = us->connected;
		peer = us->remote;
		spin_unlock(&us->dests_lock);
		if (!connected)
			return -EDESTADDRREQ;
		to = &peer;
	}
	uet_send_target(key, us, to);
	return 0;
}

static u8 uet_send_tclass(const struct uet_sock *us, const struct in6_addr *to)
{
	int tclass = READ_ONCE(us->tclass);

	if (tclass < 0 || uet_addr_strict(us->un, to))
		return uet_data_dscp(us->un);
	return tclass;
}

/* Traffic class for the route lookup, + 1; 0 unless one was requested, so that
 * short messages, which may use another class, take the same route as others.
 */
static u8 uet_send_route(const struct uet_sock *us, u8 tclass)
{
	return tclass == uet_data_dscp(us->un) ? 0 : tclass + 1;
}

static bool uet_send_alone(u8 delivery, size_t len, u32 limit)
{
	return delivery == UET_RUD && len > min(UET_SEND_ALONE, limit);
}

/* The message is to go from this address: one of this host, and the socket's, if that
 * is bound to one.
 */
static int uet_send_source(const struct uet_sock *us, struct uet_dest_key *key,
			   const struct uet_pktinfo *pi)
{
	const struct sockaddr_uet from = {
		.suet_addr = pi->addr,
		.suet_scope_id = pi->ifindex ?: max(key->scope, 0),
	};
	int err;

	if (uet_addr_any(&pi->addr))
		return 0;
	if (!ipv6_addr_any(&key->laddr))
		return ipv6_addr_equal(&key->laddr, &pi->addr) ? 0 : -EINVAL;
	if (ipv6_addr_v4mapped(&pi->addr) != ipv6_addr_v4mapped(&key->raddr))
		return -ENETUNREACH;
	err = uet_addr_check_local(us, &from);
	if (err)
		return err == -ENODEV ? -EADDRNOTAVAIL : err;
	key->laddr = pi->addr;
	return 0;
}

/**
 * uet_send_key() - fill in the key of the queue to an address
 * @us: the socket
 * @to: the address
 * @key: filled in, with its padding: keys are compared as bytes
 */
void uet_send_key(const struct uet_sock *us, const struct sockaddr_uet *to,
		  struct uet_dest_key *key)
{
	memset(key, 0, sizeof(*key));
	key->owner = (unsigned long)us;
	key->mark = READ_ONCE(us->sk.sk_mark);
	key->delivery = READ_ONCE(us->delivery);
	/* Datagrams and writes have no queue. */
	if (key->delivery == UET_UUD || key->delivery == UET_RUDI)
		key->delivery = UET_RUD;
	uet_send_target(key, us, to);
	key->tclass = uet_send_tclass(us, &key->raddr);
	key->route = uet_send_route(us, key->tclass);
}

/**
 * uet_send_parse() - read address and control messages
 * @us: the socket
 * @s: filled in
 * @msg: of the caller
 * @key: filled in, but for what depends on the length of the message
 *
 * Context: process; sleeps.
 * Return: 0 or a negative errno: -EOPNOTSUPP if it is a write and the mode is not
 * UET_RUDI, or the other way round.
 */
int uet_send_parse(struct uet_sock *us, struct uet_send *s, struct msghdr *msg,
		   struct uet_dest_key *key)
{
	bool write;
	int err;

	/* Also clears the padding: keys are compared as bytes */
	memset(key, 0, sizeof(*key));
	key->owner = (unsigned long)us;
	key->mark = READ_ONCE(us->sk.sk_mark);
	key->delivery = READ_ONCE(us->delivery);
	s->timeout = READ_ONCE(us->send_timeout);
	err = uet_send_to(us, key, msg);
	if (!err)
		err = uet_send_delivery(key, s->delivery);
	if (err)
		return err;
	key->tclass = uet_send_tclass(us, &key->raddr);
	if (unlikely(msg->msg_controllen)) {
		err = uet_send_cmsgs(us, s, key, msg);
		if (!err && s->has_pktinfo)
			err = uet_send_source(us, key, &s->pktinfo);
		if (err)
			return err;
		/* Some peers take no DSCP that a message asks for. */
		if (s->has_tclass && uet_addr_strict(us->un, &key->raddr))
			key->tclass = uet_data_dscp(us->un);
	}
	/* A write can be carried out twice, and no other message (UE 1.0 3.5.8). */
	write = key->delivery == UET_RUDI;
	if (unlikely(write != s->has_write))
		return -EOPNOTSUPP;
	key->route = uet_send_route(us, key->tclass);
	return 0;
}

/**
 * uet_send_dest() - the queue for a message
 * @us: the socket
 * @s: of uet_send_parse(); its deadline is set
 * @key: of uet_send_parse()
 * @len: length of the message
 *
 * Context: process; sleeps.
 * Return: the queue with a reference, or an error pointer.
 */
struct uet_dest *uet_send_dest(struct uet_sock *us, struct uet_send *s,
			       struct uet_dest_key *key, size_t len)
{
	struct uet_dest *dest;

	key->alone = uet_send_alone(key->delivery, len,
				    s->posted ? U32_MAX : uet_sock_sndbuf(us));
	if (s->timeout)
		s->deadline = ktime_get_ns() +
			      (u64)s->timeout * NSEC_PER_MSEC;
	dest = s->has_tclass ? NULL : uet_shortmsg_dest(us, key, len);
	return dest ?: uet_dest_get(us, key);
}

/* Send what waits for others. */
static noinline void uet_send_flush(struct uet_sock *us)
{
	struct uet_dest *dest;

	spin_lock(&us->dests_lock);
	dest = us->batch;
	WRITE_ONCE(us->batch, NULL);
	if (dest)
		refcount_inc(&dest->ref);
	spin_unlock(&us->dests_lock);
	if (!dest)
		return;
	uet_pds_run(dest);
	uet_dest_put(dest);
}

/**
 * uet_send_flush_but() - send what waits for others, unless it is in one queue
 * @us: the socket
 * @dest: that queue, or NULL
 *
 * Context: process.
 */
void uet_send_flush_but(struct uet_sock *us, const struct uet_dest *dest)
{
	const struct uet_dest *batch = READ_ONCE(us->batch);

	if (unlikely(batch) && batch != dest)
		uet_send_flush(us);
}

/* Find the queue for a message: general case. A datagram or a write, which have none, is
 * sent. Returns 0 and the queue, the length of what was sent, or an error.
 */
static noinline int uet_send_find(struct uet_sock *us, struct uet_send *s,
				  struct msghdr *msg, size_t len,
				  struct uet_dest **dest)
{
	struct uet_dest_key key;
	struct uet_dest *found;
	int err;

	err = uet_send_parse(us, s, msg, &key);
	if (err)
		return err;
	if (key.delivery == UET_UUD) {
		uet_send_flush_but(us, NULL);
		return uet_send_datagram(us, s, msg, &key, len);
	}
	if (key.delivery == UET_RUDI) {
		uet_send_flush_but(us, NULL);
		return uet_send_write(us, s, msg, &key, len);
	}
	found = uet_send_dest(us, s, &key, len);
	if (IS_ERR(found))
		return PTR_ERR(found);
	if (!msg->msg_name && !s->has_pktinfo)
		uet_dest_note_connected(us, found);
	*dest = found;
	return 0;
}

/* Fast path without address and control messages: the queue used last, if it fits */
static struct uet_dest *uet_send_again(struct uet_sock *us, size_t len)
{
	u8 delivery = READ_ONCE(us->delivery);
	struct uet_dest *dest;

	spin_lock(&us->dests_lock);
	dest = us->conn_dest;
	if (likely(dest && dest == us->last_dest &&
		   dest->key.mark == READ_ONCE(us->sk.sk_mark) &&
		   /* A link-local queue takes the general case. */
		   dest->key.scope == READ_ONCE(us->sk.sk_bound_dev_if) &&
		   dest->key.delivery == delivery &&
		   uet_shortmsg_fits(us, dest, len,
				     uet_send_tclass(us, &dest->key.raddr)) &&
		   dest->key.alone == uet_send_alone(delivery, len, uet_sock_sndbuf(us))))
		refcount_inc(&dest->ref);
	else
		dest = NULL;
	spin_unlock(&us->dests_lock);
	return dest;
}

/**
 * uet_send_prio() - note the priority of packets of a queue
 * @us: the socket
 * @dest: queue of a message to be sent
 */
void uet_send_prio(const struct uet_sock *us, struct uet_dest *dest)
{
	u8 other = uet_send_tclass(us, &dest->key.raddr);
	u32 prio = READ_ONCE(us->sk.sk_priority);

	if (!prio && unlikely(dest->key.tclass != other))
		prio = uet_shortmsg_prio(us, dest, other);
	if (READ_ONCE(dest->prio) != prio)
		WRITE_ONCE(dest->prio, prio);
}

/**
 * uet_send_set_batch() - note the queue whose messages wait for others
 * @us: the socket
 * @dest: the queue; NULL: none does
 *
 * Threads that send at the same time may undo what the other noted: a timer sends what
 * is missed.
 *
 * Context: process.
 */
void uet_send_set_batch(struct uet_sock *us, struct uet_dest *dest)
{
	if (likely(READ_ONCE(us->batch) == dest))
		return;
	spin_lock(&us->dests_lock);
	WRITE_ONCE(us->batch,
		   dest && !list_empty(&dest->us_node) ? dest : NULL);
	spin_unlock(&us->dests_lock);
}

/**
 * uet_send_ready() - need a send not wait?
 * @us: the socket
 * @dest: queue of the message
 * @msg: the message being streamed, or NULL
 * @need: bytes
 * @wake_at: set if it must: the use of the buffer at which to check again
 *
 * Return: true if there is room, or the message has failed.
 */
bool uet_send_ready(struct uet_sock *us, struct uet_dest *dest,
		    const struct uet_txmsg *msg, u64 need, s64 *wake_at)
{
	if (READ_ONCE(us->sk.sk_shutdown) & SEND_SHUTDOWN)
		return true;
	if (msg && READ_ONCE(msg->error))
		return true;
	if (msg && READ_ONCE(msg->charged) <= UET_STREAM_MIN / 2)
		return true;
	if (uet_sock_tx_room(us, dest, need, wake_at))
		return true;
	/* Room for a streamed message may come at any use of the buffer. */
	if (msg)
		*wake_at = UET_WAKE_ANY;
	return false;
}

/* An interrupted call sends a streamed message again from its start; with a
 * periodic signal it would never end. So once it has begun, only fatal signals and
 * SO_SNDTIMEO end the wait.
 */
static bool uet_send_interrupted(bool begun)
{
	return begun ? fatal_signal_pending(current) : signal_pending(current);
}

static unsigned int uet_send_sleep_state(bool begun)
{
	return begun ? TASK_KILLABLE | TASK_FREEZABLE : TASK_INTERRUPTIBLE;
}

/* For those who look for the cause of a wait: one more call waits, or one less */
static void uet_send_waits(struct uet_sock *us, bool more)
{
	spin_lock(&us->dests_lock);
	if (!more)
		us->tx_waits--;
	else if (!us->tx_waits++)
		us->tx_waits_at = jiffies;
	spin_unlock(&us->dests_lock);
}

/**
 * uet_send_wait() - wait for room
 * @us: the socket
 * @dest: queue of the message
 * @msg: the message being streamed, or NULL
 * @need: bytes
 * @timeo: jiffies it may wait; reduced
 *
 * Context: process; sleeps.
 * Return: 0, or a negative errno.
 */
int uet_send_wait(struct uet_sock *us, struct uet_dest *dest,
		  const struct uet_txmsg *msg, u64 need, long *timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct sock *sk = &us->sk;
	bool noted = msg, waits = false;
	s64 asked = -1, at;
	int err = 0;

	uet_send_flush_but(us, NULL);
	add_wait_queue(sk_sleep(sk), &wait);
	while (!uet_send_ready(us, dest, msg, need, &at)) {
		/* Also before EAGAIN, for edge-triggered epoll */
		if (at > asked) {
			uet_sock_wake_below(us, at);
			asked = at;
			continue;
		}
		if (!*timeo && !noted) {
			/* poll() may look as soon as it is noted: ask again. */
			uet_refused_note(us, dest, max_t(u64, need, 1));
			noted = true;
			asked = -1;
			continue;
		}
		if (!*timeo) {
			err = -EAGAIN;
			break;
		}
		if (uet_send_interrupted(msg)) {
			err = sock_intr_errno(*timeo);
			break;
		}
		if (!waits)
			uet_send_waits(us, true);
		waits = true;
		*timeo = wait_woken(&wait, uet_send_sleep_state(msg), *timeo);
		asked = -1;
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	if (waits)
		uet_send_waits(us, false);
	return err;
}

/**
 * uet_send_submit() - queue a message
 * @us: the socket
 * @s: what the caller asked for
 * @msg: the message; the reference is consumed on success
 *
 * If the PDC has used up its PSNs it waits until the queue is empty: then that can
 * use another PDC.
 *
 * Context: process; sleeps.
 * Return: 0, or a negative errno.
 */
int uet_send_submit(struct uet_sock *us, struct uet_send *s, struct uet_txmsg *msg)
{
	int err;

	/* Once submitted, it may be delivered and freed at any time. */
	trace_uet_msg_queued(msg);
	while ((err = uet_pds_submit(msg, s->more)) == -EAGAIN) {
		err = uet_send_wait(us, msg->dest, NULL, 0, &s->timeo);
		if (err)
			break;
		if (READ_ONCE(us->sk.sk_shutdown) & SEND_SHUTDOWN)
			return -EPIPE;
	}
	/* After queueing: the work looks at queued messages. */
	if (!err && s->deadline)
		uet_tx_expire(us, s->deadline);
	return err;
}

/**
 * uet_send_alloc() - a new message
 * @us: the socket
 * @s: what the caller asked for; its slot goes over to the message
 * @dest: its queue; the message takes over the caller's reference
 * @len: its length
 *
 * Return: the message, or NULL.
 */
struct uet_txmsg *uet_send_alloc(struct uet_sock *us, struct uet_send *s,
				 struct uet_dest *dest, u32 len)
{
	struct uet_txmsg *msg = uet_txmsg_alloc(us, dest, len);

	if (!msg)
		return NULL;
	msg->cookie = atomic64_fetch_inc(&us->tx_count);
	if (s->has_cookie)
		msg->cookie = s->cookie;
	if (unlikely(s->ubuf))
		uet_done_ubuf_name(s->ubuf, msg->cookie);
	msg->deadline = s->deadline;
	msg->header_data = s->header_data;
	msg->has_hd = s->has_hd;
	msg->match_bits = s->tag;
	msg->has_tag = s->has_tag;
	msg->has_cookie = s->has_cookie;
	msg->cq = s->cq;
	s->cq = NULL;
	msg->m.told = s->has_cookie && READ_ONCE(us->notify) == UET_NOTIFY_NAMED;
	return msg;
}

/* Take over the data of a message that is not streamed */
static int uet_send_fill(struct uet_sock *us, struct uet_send *s,
			 struct uet_txmsg *msg, struct msghdr *m)
{
	u32 payload = READ_ONCE(msg->dest->run_len);

	if (unlikely(s->ubuf && s->pin))
		return uet_txpin_fill(msg, s->ubuf, &m->msg_iter, payload);
	uet_txdata_lay_out(msg, payload);
	return uet_txdata_fill(msg, us, &m->msg_iter, 0, msg->m.len);
}

/**
 * uet_send_defers() - may the target defer a message?
 * @us: the socket
 * @s: what the caller asked for
 * @dest: its queue
 * @len: its length
 *
 * Not one that is ordered: later ones would overtake it. All of it must be here until
 * then, so a streamed one is never deferred.
 *
 * Return: true if so.
 */
bool uet_send_defers(const struct uet_sock *us, const struct uet_send *s,
		     const struct uet_dest *dest, u32 len)
{
	u32 min = READ_ONCE(us->defer_min);

	if (likely(!min && !s->defer) || dest->key.delivery != UET_RUD || !len)
		return false;
	return s->defer ? s->defer > 0 : len >= min;
}

/* Wait for room for a message that fits the buffer. */
static noinline int uet_send_wait_whole(struct uet_sock *us, struct uet_send *s,
					struct uet_dest *dest, u64 need)
{
	int err = uet_send_wait(us, dest, NULL, need, &s->timeo);

	if (!err && READ_ONCE(us->sk.sk_shutdown) & SEND_SHUTDOWN)
		err = -EPIPE;
	return err;
}

/* Send a message that fits the buffer: all of it or nothing. Takes over the reference to
 * @dest.
 */
static int uet_send_whole(struct uet_sock *us, struct uet_send *s,
			  struct uet_dest *dest, struct msghdr *m, u32 len)
{
	u64 need = (u64)len + UET_TXMSG_OVERHEAD;
	struct uet_txmsg *msg = NULL;
	s64 wake_at;
	int err = 0;

	if (unlikely(!uet_send_ready(us, dest, NULL, need, &wake_at)))
		err = uet_send_wait_whole(us, s, dest, need);
	if (likely(!err)) {
		if (unlikely(READ_ONCE(us->refused.nr)))
			uet_refused_taken(us, dest, need);
		msg = uet_send_alloc(us, s, dest, len);
		err = -ENOBUFS;
	}
	if (unlikely(!msg)) {
		uet_dest_put(dest);
		return err;
	}
	err = uet_txmsg_charge(msg, us, len);
	if (!err)
		err = uet_send_fill(us, s, msg, m);
	if (!err) {
		msg->m.filled = len;
		if (uet_send_defers(us, s, dest, len))
			uet_defer_name(msg);
		err = uet_send_submit(us, s, msg);
	}
	if (err) {
		uet_txmsg_cancel(msg, us);
		return err;
	}
	UET_INC(us->un, MSG_SENT);
	return len;
}

/* Bytes of a streamed message to copy next: a quarter of the buffer, within limits */
static u32 uet_stream_step(struct uet_sock *us, u32 rest)
{
	u32 step = max(uet_sock_sndbuf(us) / 4, UET_STREAM_MIN);

	return min3(rest, step, UET_STREAM_STEP);
}

/* Room for the next step: a quarter of the buffer, or what is left */
static u64 uet_stream_need(struct uet_sock *us, u32 rest)
{
	return min_t(u64, rest, uet_sock_sndbuf(us) / 4);
}

/* At the memory limit of the namespace, a message under way waits for ACKs of its
 * own data instead of failing.
 */
static int uet_stream_charge(struct uet_sock *us, struct uet_txmsg *msg,
			     u32 step, long *timeo)
{
	for (;;) {
		long slice = min_t(long, *timeo, HZ / 50 + 1);

		if (!uet_txmsg_charge(msg, us, step))
			return 0;
		if (READ_ONCE(msg->charged) <= UET_STREAM_MIN / 2)
			return -ENOBUFS;
		if (READ_ONCE(msg->error))
			return -READ_ONCE(msg->error);
		if (!slice)
			return -EAGAIN;
		if (uet_send_interrupted(true))
			return sock_intr_errno(*timeo);
		schedule_timeout_killable(slice);
		if (*timeo != MAX_SCHEDULE_TIMEOUT)
			*timeo -= slice;
	}
}

/* Copy the next piece of a streamed message */
static int uet_stream_fill(struct uet_sock *us, struct uet_send *s,
			   struct uet_txmsg *msg, struct msghdr *m, u32 done)
{
	u32 rest = msg->m.len - done;
	u32 step;
	int err;

	err = uet_send_wait(us, msg->dest, done ? msg : NULL,
			    uet_stream_need(us, rest), &s->timeo);
	if (err)
		return err;
	if (READ_ONCE(us->sk.sk_shutdown) & SEND_SHUTDOWN)
		return -EPIPE;
	if (READ_ONCE(msg->error))
		return -READ_ONCE(msg->error);
	step = uet_stream_step(us, rest);
	err = uet_stream_charge(us, msg, step, &s->timeo);
	if (err)
		return err;
	err = uet_txdata_fill(msg, us, &m->msg_iter, done, step);
	return err ? err : step;
}

/* Send a message longer than the buffer. Takes over the reference to @dest. */
static noinline int uet_send_stream(struct uet_sock *us, struct uet_send *s,
				    struct uet_dest *dest, struct msghdr *m, u32 len)
{
	struct uet_txmsg *msg;
	u32 done = 0;
	int n;

	msg = uet_send_alloc(us, s, dest, len);
	if (!msg) {
		uet_dest_put(dest);
		return -ENOBUFS;
	}
	msg->streamed = true;
	uet_txdata_lay_out(msg, READ_ONCE(dest->run_len));
	msg->m.eom = false;

	n = uet_stream_fill(us, s, msg, m, 0);
	if (n > 0) {
		done = n;
		msg->m.filled = done;
		msg->m.eom = done == len;
		uet_txmsg_get(msg);
		n = uet_send_submit(us, s, msg);
		if (n)
			uet_txmsg_put(msg);
	}
	if (n < 0) {
		uet_txmsg_cancel(msg, us);
		return n;
	}
	UET_INC(us->un, MSG_SENT);

	while (done < len) {
		n = uet_stream_fill(us, s, msg, m, done);
		if (n < 0)
			break;
		done += n;
		uet_pds_more(msg, done, done == len);
	}
	/* A failure before the end was queued is returned here, a later one
	 * goes to the error queue.
	 */
	if (READ_ONCE(msg->error))
		n = -READ_ONCE(msg->error);
	else if (n < 0)
		uet_pds_withdraw(msg);
	if (n < 0) {
		uet_txmsg_cancel(msg, us);
		return n;
	}
	uet_txmsg_put(msg);
	return len;
}

static int uet_send_check(struct uet_sock *us, const struct msghdr *msg,
			  size_t len)
{
	if (msg->msg_flags & MSG_OOB)
		return -EOPNOTSUPP;
	if (READ_ONCE(us->sk.sk_shutdown) & SEND_SHUTDOWN)
		return -EPIPE;
	/* The system call truncates longer messages to this. */
	if (len >= MAX_RW_COUNT)
		return -EMSGSIZE;
	return 0;
}

/* Does the caller want to hear when it may reuse its buffer? If so, *own is the
 * notification, if it is one of the socket and not of io_uring.
 */
static int uet_send_zerocopy(struct uet_sock *us, struct uet_send *s,
			     const struct msghdr *msg, size_t len,
			     struct ubuf_info **own)
{
	/* Without SO_ZEROCOPY the flag has no effect, as on other sockets. */
	if (!msg->msg_ubuf && !sock_flag(&us->sk, SOCK_ZEROCOPY))
		return 0;
	s->pin = s->pin && uet_txpin_worth(us, &msg->msg_iter, len);
	s->ubuf = msg->msg_ubuf;
	if (s->ubuf)
		return 0;
	*own = uet_txpin_begin(us, s->pin ? len : 0);
	s->ubuf = *own;
	return *own ? 0 : -ENOBUFS;
}

/* A message of one call */
static int uet_send_one(struct uet_sock *us, struct uet_send *s, struct msghdr *msg,
			size_t len)
{
	struct uet_dest *dest = NULL;
	int err;

	s->more = msg->msg_flags & MSG_BATCH && len <= uet_sock_sndbuf(us);
	if (likely(!msg->msg_name && !msg->msg_controllen &&
		   !READ_ONCE(us->send_timeout)))
		dest = uet_send_again(us, len);
	if (!dest) {
		err = uet_send_find(us, s, msg, len, &dest);
		if (!dest)
			return err;
	}
	uet_send_prio(us, dest);
	uet_send_flush_but(us, dest);
	/* The message takes over the reference, and may be gone soon. */
	if (unlikely(s->more))
		uet_dest_hold(dest);
	if (likely(len <= uet_sock_sndbuf(us))) {
		err = uet_send_whole(us, s, dest, msg, len);
	} else if (!(msg->msg_flags & MSG_DONTWAIT)) {
		err = uet_send_stream(us, s, dest, msg, len);
	} else {
		uet_dest_put(dest);
		err = -EMSGSIZE;
	}
	if (likely(err >= 0))
		uet_send_set_batch(us, s->more ? dest : NULL);
	if (unlikely(s->more))
		uet_dest_put(dest);
	return err;
}

/* A message whose success is told owns a slot from now on. Only the program can make room,
 * so there is nothing to wait for.
 */
static int uet_send_own(struct uet_sock *us, struct uet_send *s, const struct msghdr *msg)
{
	return uet_notifies(us, msg->msg_controllen) ? uet_done_own(us, &s->cq) : 0;
}

/* @pages: the data is pages to refer to, of splice() or sendfile() */
static __always_inline int uet_send(struct uet_sock *us, struct msghdr *msg,
				    size_t len, bool pages)
{
	bool part = pages || msg->msg_flags & MSG_MORE || READ_ONCE(us->part);
	/* Parts are copied, or pages that have no notification. */
	struct uet_send s = { .pin = !part };
	struct ubuf_info *own = NULL;
	int err;

	err = uet_send_check(us, msg, len);
	if (!err && unlikely(READ_ONCE(us->cq)))
		err = uet_send_own(us, &s, msg);
	if (!err && unlikely(msg->msg_flags & MSG_ZEROCOPY) && len)
		err = uet_send_zerocopy(us, &s, msg, len, &own);
	if (err)
		goto out;
	s.timeo = sock_sndtimeo(&us->sk, msg->msg_flags & MSG_DONTWAIT);
	if (unlikely(part)) {
		uet_send_flush_but(us, NULL);
		err = uet_send_part(us, &s, msg, len, pages);
	} else {
		err = uet_send_one(us, &s, msg, len);
	}
out:
	if (unlikely(err < 0))
		uet_send_flush_but(us, NULL);
	if (unlikely(own))
		uet_txpin_end(us, own, err >= 0);
	if (unlikely(s.cq))
		uet_done_disown(&s.cq);
	if (err == -EPIPE && !(msg->msg_flags & MSG_NOSIGNAL))
		send_sig(SIGPIPE, current, 0);
	return err;
}

/**
 * uet_splice() - sendmsg() of pages, for splice() and sendfile()
 * @sock: socket
 * @msg: pages to refer to
 * @len: bytes
 *
 * Return: see uet_sendmsg().
 */
int uet_splice(struct socket *sock, struct msghdr *msg, size_t len)
{
	return uet_send(uet_sk(sock->sk), msg, len, true);
}

/**
 * uet_sendmsg() - proto_ops.sendmsg
 * @sock: socket
 * @msg: address, data, control messages
 * @len: length of the message, or of a part of it
 *
 * Return: @len, or a negative errno: then nothing of it is delivered.
 */
int uet_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	if (unlikely(msg->msg_flags & MSG_SPLICE_PAGES))
		return uet_splice(sock, msg, len);
	return uet_send(uet_sk(sock->sk), msg, len, false);
}
