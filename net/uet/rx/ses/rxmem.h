/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for incoming messages: what nearly every message needs of rx/ses/rxmem.c
 */
#ifndef _UET_RXMEM_H
#define _UET_RXMEM_H

#include <net/sock.h>

#include "base.h"
#include "rx/ses/rxmsg.h"
#include "sock.h"

/* Bytes charged to the shared half */
static inline unsigned long uet_rx_shared(const struct uet_sock *us)
{
	return us->rx_bytes - us->rx_granted_bytes;
}

/* Smallest half of the buffer: some packets of the largest payload MTU */
#define UET_RX_HALF_MIN		32768U

void uet_rx_resize_to(struct uet_sock *us, u32 half);

/* Half of the buffer as the program wants it now; it may count only later. */
static inline u32 uet_rx_half_wanted(const struct uet_sock *us)
{
	return max_t(u32, READ_ONCE(us->sk.sk_rcvbuf) / 2, UET_RX_HALF_MIN);
}

/**
 * uet_rx_resize() - follow SO_RCVBUF, which may change at any time
 * @us: socket
 *
 * Context: rx_lock held, or nobody else has seen the socket.
 */
static inline void uet_rx_resize(struct uet_sock *us)
{
	u32 half = uet_rx_half_wanted(us);

	if (unlikely(half != us->rx_half))
		uet_rx_resize_to(us, half);
}

/* Charge the namespace, the protocol and the control group. Here rx_lock protects
 * sk_forward_alloc.
 */
static inline bool uet_rx_schedule(struct uet_sock *us, bool reserve, u32 bytes)
{
	struct sock *sk = &us->sk;
	int more;

	if (unlikely(!uet_mem_charge(us->un, bytes)) &&
	    (!reserve ||
	     !uet_mem_charge_more(us->un, bytes, UET_MEM_RESERVE_DATA)))
		return false;
	more = bytes - sk->sk_forward_alloc;
	if (more <= 0 || likely(__sk_mem_schedule(sk, more, SK_MEM_RECV)))
		return true;
	uet_mem_uncharge(us->un, bytes);
	return false;
}

/**
 * uet_rx_enter_whole() - charge a message of one packet: fast path
 * @us: socket
 * @msg: message
 * @truesize: of its packet
 *
 * Context: rx_lock held.
 * Return: false if the shared half or the limits have no room for it; then use
 * uet_rx_enter().
 */
static inline bool uet_rx_enter_whole(struct uet_sock *us, struct uet_rxmsg *msg,
				      u32 truesize)
{
	u32 bytes = sizeof(*msg) + truesize;

	lockdep_assert_held(&us->rx_lock);
	uet_rx_resize(us);
	if (us->rx_closed || uet_rx_shared(us) + bytes > uet_rx_half(us) ||
	    !uet_rx_schedule(us, false, bytes))
		return false;
	sk_mem_charge(&us->sk, bytes);
	atomic_add(bytes, &us->sk.sk_rmem_alloc);
	us->rx_bytes += bytes;
	msg->bytes = bytes;
	return true;
}

#endif /* _UET_RXMEM_H */
