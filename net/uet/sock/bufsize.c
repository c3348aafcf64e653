// SPDX-License-Identifier: GPL-2.0
/*
 * SO_SNDBUF and SO_RCVBUF: sizes of the buffers, as a program asks for them.
 *
 * The stack cuts them at net.core.wmem_max and rmem_max, which suit sockets of a slow
 * network: what a socket has without asking (net.uet.wmem and rmem) is often much more,
 * and a program that asked for a large buffer got a small one. Here the limit is what
 * both the stack and the default allow: the larger of the two. SO_SNDBUFFORCE and
 * SO_RCVBUFFORCE know no limit, and are the stack's alone.
 *
 * Not here: what counts in the buffers (tx/msg/wmem.c, rx/ses/rxmem.c); receive buffers that no
 * program has set, which grow (uet_rx_grow()).
 */
#include <linux/minmax.h>
#include <linux/net.h>
#include <linux/sockptr.h>
#include <net/sock.h>

#include "base.h"
#include "compat.h"
#include "sock.h"
#include "sock/calls.h"

static u32 uet_buf_default(const struct sock *sk, bool snd)
{
	const struct uet_net *un = uet_sk(sk)->un;

	return snd ? READ_ONCE(un->sysctl.wmem) : READ_ONCE(un->sysctl.rmem);
}

/* Give a buffer @size bytes, if it has less. Socket locked, or its spinlock held */
static void uet_buf_raise(struct sock *sk, bool snd, u32 size)
{
	int *buf = snd ? &sk->sk_sndbuf : &sk->sk_rcvbuf;

	if (READ_ONCE(*buf) >= (int)size)
		return;
	WRITE_ONCE(*buf, size);
	if (snd)
		sk->sk_write_space(sk);
}

/**
 * uet_set_bufsize() - SO_SNDBUF or SO_RCVBUF
 * @sock: socket
 * @optname: which of them
 * @v: half the size, bytes, as the stack understands it: it doubles it, and takes a
 *     negative one as a large one
 *
 * Context: process, socket not locked.
 * Return: 0 or a negative errno.
 */
int uet_set_bufsize(struct socket *sock, int optname, int v)
{
	bool snd = optname == SO_SNDBUF;
	struct sock *sk = sock->sk;
	int err;

	err = sock_setsockopt(sock, SOL_SOCKET, optname, KERNEL_SOCKPTR(&v), sizeof(v));
	if (err)
		return err;
	lock_sock(sk);
	uet_buf_raise(sk, snd, min_t(u64, 2ULL * (u32)v, uet_buf_default(sk, snd)));
	release_sock(sk);
	return 0;
}

#ifndef UET_CUSTOM_SOCKOPT
/* A size is what the stack makes of all that are beyond its limit, and the default is
 * more: the program gets that. What it asked for is not known.
 */
static void uet_buf_uncut(struct sock *sk, bool snd, u32 max)
{
	int now = READ_ONCE(*(snd ? &sk->sk_sndbuf : &sk->sk_rcvbuf));

	if (now == 2 * (int)min_t(u32, max, INT_MAX / 2))
		uet_buf_raise(sk, snd, uet_buf_default(sk, snd));
}

/**
 * uet_release_cb() - proto.release_cb, where options of SOL_SOCKET are not seen
 * @sk: socket that a process, maybe in setsockopt(), is about to unlock
 *
 * Context: process, spinlock of the socket lock held.
 */
void uet_release_cb(struct sock *sk)
{
	if (sk->sk_userlocks & SOCK_SNDBUF_LOCK)
		uet_buf_uncut(sk, true, READ_ONCE(sysctl_wmem_max));
	if (sk->sk_userlocks & SOCK_RCVBUF_LOCK)
		uet_buf_uncut(sk, false, READ_ONCE(sysctl_rmem_max));
}
#endif
