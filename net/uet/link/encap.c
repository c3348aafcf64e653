// SPDX-License-Identifier: GPL-2.0
/*
 * The UDP tunnel sockets of a namespace (UE 1.0 3.5.10): one for IPv4, one for
 * IPv6, both on the UDP port of UET. They pass each packet up at once.
 *
 * They are open while the namespace has AF_UET sockets or PDCs, those in TIME_WAIT
 * included, so that packets of a PDC always find somebody who answers.
 *
 * Not here: the way out (link/output.c), the way up (input/input.c), packets directly
 * over IP, which need no socket (input/native.c).
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/ndisc.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>

#include "compat.h"
#include "link/encap.h"
#include "mib.h"

/* Set when the module is loaded, before the first namespace */
const struct uet_encap_ops *uet_encap_ops __ro_after_init;

/* Delay before unused tunnel sockets close */
#define UET_ENCAP_REST		HZ

/**
 * uet_encap_icmp() - an ICMP error about a packet of ours, before the stack acts on it
 * @un: namespace
 * @skb: data at the quoted IP header, behind the ICMP header
 * @off: offset of the quoted UDP or entropy header
 * @form: %UET_FORM_IP or 0
 *
 * A forged message must not change a route, so it is checked against the PDC whose
 * packet it quotes. A smaller MTU is kept for the peer of that PDC (link/pmtu.c).
 * A redirect goes on to the stack if the stack would find the peer's route. Newer
 * kernels have acted on both by then, see "Path MTU" in uet.rst.
 *
 * Context: softirq, RCU read side.
 * Return: true if the stack may act on it: a redirect, or that a datagram was too big.
 */
bool uet_encap_icmp(struct uet_net *un, struct sk_buff *skb, unsigned int off,
		    u8 form)
{
	const struct icmp6hdr *h6 = (struct icmp6hdr *)skb->data - 1;
	const struct icmphdr *h4 = (struct icmphdr *)skb->data - 1;
	struct uet_icmp icmp = {
		.outer_off	= off,
		.form		= form,
	};

	UET_INC(un, ICMP);
	if (skb->protocol == htons(ETH_P_IP)) {
		icmp.type = h4->type;
		icmp.code = h4->code;
		icmp.redirect = h4->type == ICMP_REDIRECT;
		icmp.too_big = h4->type == ICMP_DEST_UNREACH &&
			       h4->code == ICMP_FRAG_NEEDED;
		if (icmp.too_big)
			icmp.mtu = ntohs(h4->un.frag.mtu);
	} else {
		icmp.type = h6->icmp6_type;
		icmp.code = h6->icmp6_code;
		icmp.redirect = icmp.type == NDISC_REDIRECT;
		icmp.too_big = icmp.type == ICMPV6_PKT_TOOBIG;
		if (icmp.too_big)
			icmp.mtu = ntohl(h6->icmp6_mtu);
	}
	return uet_encap_ops->icmp(un, skb, &icmp);
}

/* The transport header is the quoted UDP header. */
static int uet_encap_err_lookup(struct sock *sk, struct sk_buff *skb)
{
	struct uet_net *un = rcu_dereference_sk_user_data(sk);

	return un && uet_encap_icmp(un, skb, skb_transport_offset(skb), 0) ?
	       0 : -ENOENT;
}

static int uet_encap_open_one(struct uet_net *un, sa_family_t family,
			      u16 udp_port, struct socket **res)
{
	struct udp_tunnel_sock_cfg tunnel = {
		.sk_user_data	= un,
		.encap_type	= 1,
		.encap_rcv	= uet_encap_ops->rcv,
		.encap_err_lookup = uet_encap_err_lookup,
	};
	/* Checksums of 0 are right, IPv6 included (UE 1.0.1 3.5.10.1) */
	struct udp_port_cfg cfg = {
		.family		= family,
		.local_udp_port	= htons(udp_port),
		.ipv6_v6only	= 1,
	};
	struct socket *sock;
	int err;

	err = udp_sock_create(un->net, &cfg, &sock);
	if (err)
		return err;
	setup_udp_tunnel_sock(un->net, uet_tunnel(sock), &tunnel);
	*res = sock;
	return 0;
}

/**
 * uet_encap_fits_split() - uet_encap_fits() where the UDP header is not linear
 * @un: namespace
 * @skb: packet
 * @off: offset of the UDP header, from skb->data on
 *
 * Context: any.
 * Return: true if it is.
 */
bool uet_encap_fits_split(const struct uet_net *un, const struct sk_buff *skb,
			  int off)
{
	const struct udphdr *uh;
	struct udphdr buf;

	uh = skb_header_pointer(skb, off, sizeof(buf), &buf);
	return uh && uh->dest == htons(READ_ONCE(un->sysctl.udp_port));
}

/**
 * uet_encap_owns() - is it a tunnel socket or an owner socket (link/owner.c)?
 * @sk: any full socket
 *
 * Programs cannot open either, so what these send was built by this module, in any
 * namespace.
 *
 * Context: any.
 * Return: true if so.
 */
bool uet_encap_owns(const struct sock *sk)
{
	return (sk->sk_family == AF_INET || sk->sk_family == AF_INET6) &&
	       sk->sk_type == SOCK_DGRAM && sk->sk_protocol == IPPROTO_UDP &&
	       READ_ONCE(udp_sk(sk)->encap_rcv) ==
	       uet_encap_ops->rcv;
}

/* A kernel without IPv6 is no error */
static int uet_encap_open_pair(struct uet_net *un, u16 udp_port,
			       struct socket **sock4, struct socket **sock6)
{
	int err;

	*sock6 = NULL;
	err = uet_encap_open_one(un, AF_INET, udp_port, sock4);
	if (err)
		return err;
	err = uet_encap_open_one(un, AF_INET6, udp_port, sock6);
	if (err == -EAFNOSUPPORT || err == -EPFNOSUPPORT)
		err = 0;
	if (err)
		udp_tunnel_sock_release(uet_tunnel(*sock4));
	return err;
}

/* Switch to another pair, or none, and release the old pair after a grace period. */
static void uet_encap_swap(struct uet_net *un, struct socket *sock4,
			   struct socket *sock6)
{
	struct socket *old4 = un->sock4, *old6 = un->sock6;

	WRITE_ONCE(un->sock4, sock4);
	WRITE_ONCE(un->sock6, sock6);
	synchronize_net();
	if (old4)
		udp_tunnel_sock_release(uet_tunnel(old4));
	if (old6)
		udp_tunnel_sock_release(uet_tunnel(old6));
}

/**
 * uet_encap_get_locked() - count a user of the tunnel sockets, open them if need be
 * @un: namespace
 *
 * Each AF_UET socket and each PDC is a user; uet_encap_put() undoes it.
 *
 * Context: process, uet_net.open_mutex held.
 * Return: 0, -ENETDOWN in a namespace that exits, or the error of binding.
 */
int uet_encap_get_locked(struct uet_net *un)
{
	struct socket *sock4, *sock6;
	int err;

	lockdep_assert_held(&un->open_mutex);
	if (atomic_inc_not_zero(&un->users))
		return 0;
	if (READ_ONCE(un->exiting))
		return -ENETDOWN;
	if (!un->sock4) {
		err = uet_encap_open_pair(un, un->sysctl.udp_port, &sock4,
					  &sock6);
		if (err)
			return err;
		WRITE_ONCE(un->sock6, sock6);
		WRITE_ONCE(un->sock4, sock4);
		uet_encap_ops->opened(un);
	}
	atomic_inc(&un->users);
	return 0;
}

/**
 * uet_encap_get() - uet_encap_get_locked() for callers without the mutex
 * @un: namespace
 *
 * Context: process.
 * Return: see uet_encap_get_locked().
 */
int uet_encap_get(struct uet_net *un)
{
	int err;

	if (likely(uet_encap_hold(un)))
		return 0;
	mutex_lock(&un->open_mutex);
	err = uet_encap_get_locked(un);
	mutex_unlock(&un->open_mutex);
	return err;
}

/**
 * uet_encap_put() - drop a user of the tunnel sockets
 * @un: namespace
 *
 * Without users they close after UET_ENCAP_REST, as another program may soon start.
 *
 * Context: any.
 */
void uet_encap_put(struct uet_net *un)
{
	if (atomic_dec_and_test(&un->users))
		schedule_delayed_work(&un->encap_work, UET_ENCAP_REST);
}

/* Close the tunnel sockets, if open; uet_net.open_mutex held. */
static void uet_encap_shut(struct uet_net *un)
{
	lockdep_assert_held(&un->open_mutex);
	uet_encap_ops->closing(un);
	if (un->sock4)
		uet_encap_swap(un, NULL, NULL);
}

static void uet_encap_work(struct work_struct *work)
{
	struct uet_net *un = container_of(to_delayed_work(work), struct uet_net,
					  encap_work);

	mutex_lock(&un->open_mutex);
	/* users rises from 0 under the mutex only. */
	if (!atomic_read(&un->users))
		uet_encap_shut(un);
	mutex_unlock(&un->open_mutex);
}

/**
 * uet_encap_init() - prepare the tunnel sockets, closed
 * @un: namespace
 */
void uet_encap_init(struct uet_net *un)
{
	INIT_DELAYED_WORK(&un->encap_work, uet_encap_work);
}

/**
 * uet_encap_move() - change the UDP port
 * @un: namespace
 * @udp_port: the port, host byte order
 *
 * Packets under way to the old port are lost, and retransmitted. If the tunnel
 * sockets are closed, the port is only tried, so that a port in use is reported.
 *
 * Context: process.
 * Return: 0, or the error of binding; then nothing has changed.
 */
int uet_encap_move(struct uet_net *un, u16 udp_port)
{
	struct socket *sock4, *sock6;
	int err = 0;

	/* Namespace exit takes the mutex before it closes the sockets. */
	mutex_lock(&un->open_mutex);
	if (READ_ONCE(un->exiting))
		err = -ENETDOWN;
	else if (udp_port != un->sysctl.udp_port)
		err = uet_encap_open_pair(un, udp_port, &sock4, &sock6);
	if (!err && udp_port != un->sysctl.udp_port) {
		if (un->sock4) {
			uet_encap_swap(un, sock4, sock6);
		} else {
			udp_tunnel_sock_release(uet_tunnel(sock4));
			if (sock6)
				udp_tunnel_sock_release(uet_tunnel(sock6));
		}
		WRITE_ONCE(un->sysctl.udp_port, udp_port);
	}
	mutex_unlock(&un->open_mutex);
	return err;
}

/**
 * uet_encap_close() - close the tunnel sockets at namespace exit
 * @un: namespace, exiting
 *
 * uet_input() may still run until an RCU grace period has passed.
 *
 * Context: process.
 */
void uet_encap_close(struct uet_net *un)
{
	mutex_lock(&un->open_mutex);
	uet_encap_shut(un);
	mutex_unlock(&un->open_mutex);
}

/**
 * uet_encap_exit() - cancel the delayed close, after the last PDC is gone
 * @un: namespace, exiting
 *
 * Context: process.
 */
void uet_encap_exit(struct uet_net *un)
{
	cancel_delayed_work_sync(&un->encap_work);
}
