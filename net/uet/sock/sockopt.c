// SPDX-License-Identifier: GPL-2.0
/*
 * Socket options of level SOL_UET, and those of SOL_SOCKET that would have no
 * effect and therefore return ENOPROTOOPT.
 */
#include <linux/capability.h>
#include <linux/net.h>
#include <linux/net_tstamp.h>
#include <linux/slab.h>
#include <linux/sockptr.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "core/cc/ccc.h"
#include "core/lb/lb.h"
#include "link/addr.h"
#include "rx/ses/ep.h"
#include "rx/ses/post.h"
#include "sock.h"
#include "sock/calls.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/pds.h"
#include "tx/queue/refused.h"
#include "tx/queue/rudi.h"
#include "tx/queue/watch.h"

static int uet_get_int(sockptr_t optval, unsigned int optlen, int *v)
{
	if (optlen < sizeof(*v))
		return -EINVAL;
	return copy_from_sockptr(v, optval, sizeof(*v)) ? -EFAULT : 0;
}

/* A name of at most UET_NAME_MAX - 1 characters; "" means that of the sysctl */
static int uet_get_name(sockptr_t optval, unsigned int optlen, char *name)
{
	unsigned int n = min_t(unsigned int, optlen, UET_NAME_MAX - 1);

	memset(name, 0, UET_NAME_MAX);
	if (copy_from_sockptr(name, optval, n))
		return -EFAULT;
	if (optlen > n && strnlen(name, n) == n)
		return -EINVAL;
	return 0;
}

static int uet_set_delivery(struct uet_sock *us, int v)
{
	switch (v) {
	case UET_DELIVERY_DEFAULT:
		v = uet_type_delivery(us->sk.sk_type);
		break;
	case UET_RUD:
	case UET_ROD:
	case UET_RUDI:
	case UET_UUD:
		break;
	default:
		return -EINVAL;
	}
	WRITE_ONCE(us->delivery, v);
	return 0;
}

static int uet_set_job(struct uet_sock *us, u32 job)
{
	if (job > UET_JOB_MAX || us->bound)
		return -EINVAL;
	if (job && job != us->job &&
	    !ns_capable(sock_net(&us->sk)->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	us->job = job;
	return 0;
}

/* Join the job of another socket: its descriptor is the permission */
static int uet_set_job_from(struct uet_sock *us, int fd)
{
	struct uet_sock *other;
	struct socket *sock;
	int err = 0;

	if (us->bound)
		return -EINVAL;
	sock = sockfd_lookup(fd, &err);
	if (!sock)
		return err;
	other = uet_sock_of(sock);
	if (!other || !net_eq(sock_net(&other->sk), sock_net(&us->sk)))
		err = -EINVAL;
	else
		us->job = READ_ONCE(other->job);
	sockfd_put(sock);
	return err;
}

static int uet_set_keepalive(struct uet_sock *us, int optname, u32 ms)
{
	if (!uet_watch_ms_valid(ms) || (!ms && optname == UET_KEEPALIVE_IDLE))
		return -EINVAL;
	if (optname == UET_KEEPALIVE_IDLE)
		WRITE_ONCE(us->ka_idle, ms);
	else if (optname == UET_KEEPALIVE_INTERVAL)
		WRITE_ONCE(us->ka_interval, ms);
	else
		WRITE_ONCE(us->ka_timeout, ms);
	uet_contacts_keepalive(us, us->keepalive);
	return 0;
}

/* SO_ZEROCOPY, which kernels grant to other families only */
static int uet_set_zerocopy(struct uet_sock *us, int v)
{
	if (v < 0 || v > 1)
		return -EINVAL;
	sock_valbool_flag(&us->sk, SOCK_ZEROCOPY, v);
	return 0;
}

static int uet_set_int(struct uet_sock *us, int optname, int v)
{
	switch (optname) {
	case UET_DELIVERY:
		return uet_set_delivery(us, v);
	case UET_NOTIFY:
		if (v < UET_NOTIFY_NONE || v > UET_NOTIFY_NAMED)
			return -EINVAL;
		WRITE_ONCE(us->notify, v);
		return 0;
	case UET_TRAFFIC_CLASS:
		if (v < -1 || v > 63)
			return -EINVAL;
		WRITE_ONCE(us->tclass, v);
		return 0;
	case UET_JOB_ID:
		return uet_set_job(us, v);
	case UET_JOB_FROM:
		return uet_set_job_from(us, v);
	case UET_MAX_MSG:
		if ((u32)v > UET_MSG_MAX)
			return -EINVAL;
		WRITE_ONCE(us->max_msg, v);
		return 0;
	case UET_SEND_TIMEOUT:
		WRITE_ONCE(us->send_timeout, v);
		return 0;
	case UET_DEFER:
		WRITE_ONCE(us->defer_min, v);
		return 0;
	case UET_PEER_EVENTS:
		return uet_contacts_set(us, v);
	case UET_KEEPALIVE_IDLE:
	case UET_KEEPALIVE_INTERVAL:
	case UET_KEEPALIVE_TIMEOUT:
		return uet_set_keepalive(us, optname, v);
	case UET_ZEROCOPY:
		return uet_set_zerocopy(us, v);
	case UET_CQ:
		return uet_set_cq(us, v);
	case UET_PKTINFO:
		if (v < 0 || v > 1)
			return -EINVAL;
		WRITE_ONCE(us->pktinfo, v);
		return 0;
	}
	return -ENOPROTOOPT;
}

/* Applies to queues (dests) made from now on */
static int uet_set_name(struct uet_sock *us, int optname, const char *name)
{
	bool cc = optname == UET_CC;

	if (*name && (cc ? !uet_cc_find(name) : !uet_lb_find(name)))
		return -ENOENT;
	spin_lock(&us->dests_lock);
	memcpy(cc ? us->cc : us->path_policy, name, UET_NAME_MAX);
	spin_unlock(&us->dests_lock);
	uet_dest_drop_idle(us);
	return 0;
}

/* Receive time stamps only */
static int uet_set_timestamping(struct socket *sock, int optname,
				sockptr_t optval, unsigned int optlen)
{
	int flags, err;

	err = uet_get_int(optval, optlen, &flags);
	if (err)
		return err;
	if (flags & SOF_TIMESTAMPING_TX_RECORD_MASK)
		return -EOPNOTSUPP;
	return sock_setsockopt(sock, SOL_SOCKET, optname, optval, optlen);
}

static int uet_set_cancel(struct uet_sock *us, sockptr_t optval,
			  unsigned int optlen)
{
	struct uet_cancel c = { .kinds = UET_CANCEL_SENDS | UET_CANCEL_RECVS };
	bool found = false;
	int err = -ENOENT;

	if (optlen < sizeof(c.cookie))
		return -EINVAL;
	if (copy_from_sockptr(&c, optval,
			      optlen < sizeof(c) ? sizeof(c.cookie) : sizeof(c)))
		return -EFAULT;
	if (!c.kinds || c.kinds & ~(UET_CANCEL_SENDS | UET_CANCEL_RECVS) || c.reserved)
		return -EINVAL;
	if (c.kinds & UET_CANCEL_RECVS && uet_rxpost_cancel(us, c.cookie)) {
		found = true;
		/* It may have been what messages stood in the line for. */
		lock_sock(&us->sk);
		uet_rxposts_room(us);
		release_sock(&us->sk);
	}
	if (c.kinds & UET_CANCEL_SENDS) {
		/* Several may have the same cookie. */
		found |= uet_part_cancel(us, c.cookie);
		found |= !uet_rudi_cancel(us, c.cookie);
		err = uet_tx_cancel(us, c.cookie);
	}
	return found ? 0 : err;
}

static int uet_set_window(struct uet_sock *us, sockptr_t optval,
			  unsigned int optlen)
{
	struct uet_window w;

	if (optlen < sizeof(w))
		return -EINVAL;
	if (copy_from_sockptr(&w, optval, sizeof(w)))
		return -EFAULT;
	if (w.length ? !(w.key & UET_KEY_IDEMPOTENT) : w.key)
		return -EINVAL;
	lock_sock(&us->sk);
	spin_lock_bh(&us->rx_lock);
	us->window_key = w.key;
	us->window_len = w.length;
	spin_unlock_bh(&us->rx_lock);
	release_sock(&us->sk);
	return 0;
}

/* Key of the queue for UET_WATCH probes: unordered; checks the address */
static int uet_watch_key(struct uet_sock *us, const struct sockaddr_uet *peer,
			 struct uet_dest_key *key)
{
	int err = uet_addr_check(peer, sizeof(*peer));

	if (!err)
		err = uet_ep_autobind(us);
	if (!err)
		err = uet_addr_check_dest(us, peer);
	if (err)
		return err;
	uet_send_key(us, peer, key);
	key->delivery = UET_RUD;
	key->watch = true;
	return 0;
}

static int uet_set_watch(struct uet_sock *us, sockptr_t optval,
			 unsigned int optlen)
{
	struct uet_dest_key key;
	struct uet_watch_req req;
	int err;

	if (optlen != sizeof(req))
		return -EINVAL;
	if (copy_from_sockptr(&req, optval, sizeof(req)))
		return -EFAULT;
	if (!uet_watch_valid(&req))
		return -EINVAL;
	lock_sock(&us->sk);
	err = uet_watch_key(us, &req.peer, &key);
	if (!err)
		err = uet_watch_set(us, &key, &req);
	release_sock(&us->sk);
	return err;
}

/* Options that have no meaning for these sockets; see the table in uet.rst */
static bool uet_generic_refused(const struct sock *sk, int optname)
{
	switch (optname) {
	case SO_ATTACH_BPF:		/* programs of control groups filter */
	case SO_ATTACH_FILTER:
	case SO_ATTACH_REUSEPORT_CBPF:
	case SO_ATTACH_REUSEPORT_EBPF:
	case SO_BROADCAST:
	case SO_CNX_ADVICE:
	case SO_DEVMEM_DONTNEED:
	case SO_DETACH_FILTER:
	case SO_DETACH_REUSEPORT_BPF:
	case SO_DONTROUTE:
	case SO_INCOMING_CPU:		/* chooses in a group of SO_REUSEPORT */
	case SO_LOCK_FILTER:
	case SO_MAX_PACING_RATE:	/* CCCs are shared by sockets */
	case SO_NOFCS:
	case SO_NO_CHECK:
	case SO_OOBINLINE:
	case SO_PASSCRED:
	case SO_PASSPIDFD:
	case SO_PASSSEC:
	case SO_RESERVE_MEM:
	case SO_REUSEADDR:		/* an endpoint is free when its socket closes */
	case SO_REUSEPORT:
	case SO_TXREHASH:
	case SO_TXTIME:
	case SO_WIFI_STATUS:
		return true;
	case SO_RXQ_OVFL:		/* only datagrams are dropped for lack of room */
		return sk->sk_type != SOCK_DGRAM;
	}
	return false;
}

static int uet_set_so_zerocopy(struct socket *sock, sockptr_t optval,
			       unsigned int optlen)
{
	int err, v;

	err = uet_get_int(optval, optlen, &v);
	if (err)
		return err;
	lock_sock(sock->sk);
	err = uet_set_zerocopy(uet_sk(sock->sk), v);
	release_sock(sock->sk);
	return err;
}

static int uet_set_so_buf(struct socket *sock, int optname, sockptr_t optval,
			  unsigned int optlen)
{
	int err, v;

	err = uet_get_int(optval, optlen, &v);
	return err ?: uet_set_bufsize(sock, optname, v);
}

/* Called for SOL_SOCKET if the kernel supports it: uet_sock_asks_us() */
static int uet_set_generic(struct socket *sock, int optname, sockptr_t optval,
			   unsigned int optlen)
{
	if (uet_generic_refused(sock->sk, optname))
		return -ENOPROTOOPT;
	switch (optname) {
	case SO_TIMESTAMPING_OLD:
	case SO_TIMESTAMPING_NEW:
		return uet_set_timestamping(sock, optname, optval, optlen);
	case SO_RCVBUF:
	case SO_SNDBUF:
		return uet_set_so_buf(sock, optname, optval, optlen);
	case SO_ZEROCOPY:
		return uet_set_so_zerocopy(sock, optval, optlen);
	}
	return sock_setsockopt(sock, SOL_SOCKET, optname, optval, optlen);
}

/**
 * uet_setsockopt() - proto_ops.setsockopt
 * @sock: socket
 * @level: SOL_UET or SOL_SOCKET, else -ENOPROTOOPT
 * @optname: UET_*
 * @optval: value
 * @optlen: its length
 *
 * Return: 0 or a negative errno.
 */
int uet_setsockopt(struct socket *sock, int level, int optname,
		   sockptr_t optval, unsigned int optlen)
{
	struct sock *sk = sock->sk;
	char name[UET_NAME_MAX];
	int err, v = 0;
	bool is_name = optname == UET_CC || optname == UET_PATH_POLICY;

	if (level == SOL_SOCKET)
		return uet_set_generic(sock, optname, optval, optlen);
	if (level != SOL_UET || optname < UET_DELIVERY ||
	    optname > UET_PKTINFO || optname == UET_INFO ||
	    optname == UET_WRITABLE)
		return -ENOPROTOOPT;
	if (optname == UET_CANCEL)
		return uet_set_cancel(uet_sk(sk), optval, optlen);
	if (optname == UET_WINDOW)
		return uet_set_window(uet_sk(sk), optval, optlen);
	if (optname == UET_WATCH)
		return uet_set_watch(uet_sk(sk), optval, optlen);
	err = is_name ? uet_get_name(optval, optlen, name) :
			uet_get_int(optval, optlen, &v);
	if (err)
		return err;
	lock_sock(sk);
	err = is_name ? uet_set_name(uet_sk(sk), optname, name) :
			uet_set_int(uet_sk(sk), optname, v);
	release_sock(sk);
	return err;
}

static int uet_put_opt(const void *value, int len, char __user *optval,
		       int __user *optlen)
{
	int room;

	if (get_user(room, optlen))
		return -EFAULT;
	if (room < 0)
		return -EINVAL;
	len = min(len, room);
	if (copy_to_user(optval, value, len) || put_user(len, optlen))
		return -EFAULT;
	return 0;
}

static int uet_get_window(struct uet_sock *us, char __user *optval,
			  int __user *optlen)
{
	struct uet_window w;

	spin_lock_bh(&us->rx_lock);
	w = (struct uet_window){ us->window_key, us->window_len };
	spin_unlock_bh(&us->rx_lock);
	return uet_put_opt(&w, sizeof(w), optval, optlen);
}

/* struct uet_info grows at its end: old callers get the part they know. */
static int uet_get_info(struct uet_sock *us, char __user *optval,
			int __user *optlen)
{
	struct uet_dest *dest;
	struct uet_info info;

	spin_lock(&us->dests_lock);
	dest = us->last_dest;
	if (dest)
		refcount_inc(&dest->ref);
	spin_unlock(&us->dests_lock);
	if (!dest)
		return -ENOTCONN;
	/* ABI: fields keep their offsets. */
	BUILD_BUG_ON(offsetof(struct uet_info, rtt_var) != 256);
	BUILD_BUG_ON(offsetof(struct uet_info, blocked_port_ns) != 384);
	BUILD_BUG_ON(offsetof(struct uet_info, needless) != 400);
	memset(&info, 0, sizeof(info));
	uet_pds_info(dest, &info);
	uet_dest_put(dest);
	return uet_put_opt(&info, sizeof(info), optval, optlen);
}

/* Addresses that uet_get_writable() has room for at a time */
#define UET_WRITABLE_STEP	64

/* What is told is forgotten: a buffer that cannot be written loses it. */
static int uet_get_writable(struct uet_sock *us, char __user *optval,
			    int __user *optlen)
{
	struct sockaddr_uet *names;
	int room, got = 0, err = 0;
	u32 n, max;

	if (get_user(room, optlen))
		return -EFAULT;
	room /= (int)sizeof(*names);
	if (room <= 0)
		return -EINVAL;
	names = kmalloc_array(UET_WRITABLE_STEP, sizeof(*names), GFP_KERNEL_ACCOUNT);
	if (!names)
		return -ENOBUFS;
	do {
		max = min_t(u32, room - got, UET_WRITABLE_STEP);
		n = uet_refused_take(us, names, max);
		if (copy_to_user(optval + got * sizeof(*names), names,
				 n * sizeof(*names)))
			err = -EFAULT;
		got += n;
		cond_resched();
	} while (!err && n == UET_WRITABLE_STEP && got < room);
	kfree(names);
	return err ?: put_user(got * (int)sizeof(*names), optlen);
}

/**
 * uet_getsockopt() - proto_ops.getsockopt
 * @sock: socket
 * @level: SOL_UET, else -ENOPROTOOPT
 * @optname: UET_*
 * @optval: buffer
 * @optlen: size of the buffer; set to the length returned
 *
 * Return: 0 or a negative errno.
 */
int uet_getsockopt(struct socket *sock, int level, int optname,
		   char __user *optval, int __user *optlen)
{
	struct uet_sock *us = uet_sk(sock->sk);
	char name[UET_NAME_MAX];
	int v;

	if (level != SOL_UET)
		return -ENOPROTOOPT;
	switch (optname) {
	case UET_DELIVERY:
		v = READ_ONCE(us->delivery);
		break;
	case UET_NOTIFY:
		v = READ_ONCE(us->notify);
		break;
	case UET_TRAFFIC_CLASS:
		v = READ_ONCE(us->tclass);
		break;
	case UET_JOB_ID:
		v = READ_ONCE(us->job);
		break;
	case UET_MAX_MSG:
		v = READ_ONCE(us->max_msg);
		break;
	case UET_SEND_TIMEOUT:
		v = READ_ONCE(us->send_timeout);
		break;
	case UET_DEFER:
		v = READ_ONCE(us->defer_min);
		break;
	case UET_PEER_EVENTS:
		v = uet_peer_events(us);
		break;
	case UET_KEEPALIVE_IDLE:
		v = READ_ONCE(us->ka_idle);
		break;
	case UET_KEEPALIVE_INTERVAL:
		v = READ_ONCE(us->ka_interval);
		break;
	case UET_KEEPALIVE_TIMEOUT:
		v = READ_ONCE(us->ka_timeout);
		break;
	case UET_ZEROCOPY:
		v = sock_flag(&us->sk, SOCK_ZEROCOPY);
		break;
	case UET_PKTINFO:
		v = READ_ONCE(us->pktinfo);
		break;
	case UET_CC:
	case UET_PATH_POLICY:
		spin_lock(&us->dests_lock);
		memcpy(name, optname == UET_CC ? us->cc : us->path_policy,
		       sizeof(name));
		spin_unlock(&us->dests_lock);
		return uet_put_opt(name, sizeof(name), optval, optlen);
	case UET_WINDOW:
		return uet_get_window(us, optval, optlen);
	case UET_INFO:
		return uet_get_info(us, optval, optlen);
	case UET_WRITABLE:
		return uet_get_writable(us, optval, optlen);
	default:
		return -ENOPROTOOPT;
	}
	return uet_put_opt(&v, sizeof(v), optval, optlen);
}
