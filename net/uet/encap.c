// SPDX-License-Identifier: GPL-2.0
/*
 * The tunnel sockets of a namespace: one for IPv4, one for IPv6, both on the
 * UET port. They never queue anything; every packet goes to uet_input().
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/route.h>
#include <net/ip6_route.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>

#include "compat.h"
#include "encap.h"
#include "mib.h"

/*
 * An ICMP error about a packet of ours. All there is to know stands in the
 * packet: the ICMP header before skb->data, the IP header we sent at it. The
 * route learns a smaller MTU here, since tunnel sockets are left to do that
 * by themselves.
 */
UET_ENCAP_ERR_RCV(uet_encap_err)
{
	struct uet_net *un = rcu_dereference_sk_user_data(sk);
	struct net *net = sock_net(sk);
	unsigned int off;
	u32 mtu = 0;
	int type, code;

	if (!un)
		return;
	if (skb->protocol == htons(ETH_P_IP)) {
		const struct iphdr *iph = (const struct iphdr *)skb->data;

		type = icmp_hdr(skb)->type;
		code = icmp_hdr(skb)->code;
		off = iph->ihl * 4;
		if (type == ICMP_DEST_UNREACH && code == ICMP_FRAG_NEEDED) {
			mtu = ntohs(icmp_hdr(skb)->un.frag.mtu);
			ipv4_update_pmtu(skb, net, mtu, 0, IPPROTO_UDP);
		}
	} else {
		type = icmp6_hdr(skb)->icmp6_type;
		code = icmp6_hdr(skb)->icmp6_code;
		off = sizeof(struct ipv6hdr);
		if (type == ICMPV6_PKT_TOOBIG) {
			mtu = ntohl(icmp6_hdr(skb)->icmp6_mtu);
			ip6_update_pmtu(skb, net, icmp6_hdr(skb)->icmp6_mtu, 0,
					0, sock_net_uid(net, NULL));
		}
	}
	UET_INC(un, ICMP);
	uet_input_icmp(un, skb, type, code, off, mtu);
}

/* Errors are looked up by destination port: all of these are ours. */
static int uet_encap_err_lookup(struct sock *sk, struct sk_buff *skb)
{
	return 0;
}

static int uet_encap_open_one(struct uet_net *un, sa_family_t family, u16 port,
			      struct socket **res)
{
	struct udp_tunnel_sock_cfg tunnel = {
		.sk_user_data	= un,
		.encap_type	= 1,
		.encap_rcv	= uet_input,
		.encap_err_lookup = uet_encap_err_lookup,
		.encap_err_rcv	= uet_encap_err,
	};
	/* No checksums in either direction, IPv6 included (UE 1.0.1 3.5.10.1) */
	struct udp_port_cfg cfg = {
		.family		= family,
		.local_udp_port	= htons(port),
		.ipv6_v6only	= 1,
	};
	struct socket *sock;
	int err;

	err = udp_sock_create(un->net, &cfg, &sock);
	if (err)
		return err;
	setup_udp_tunnel_sock(un->net, sock, &tunnel);
	*res = sock;
	return 0;
}

/* No IPv6 in the kernel is no error */
static int uet_encap_open_pair(struct uet_net *un, u16 port,
			       struct socket **sock4, struct socket **sock6)
{
	int err;

	*sock6 = NULL;
	err = uet_encap_open_one(un, AF_INET, port, sock4);
	if (err)
		return err;
	err = uet_encap_open_one(un, AF_INET6, port, sock6);
	if (err == -EAFNOSUPPORT || err == -EPFNOSUPPORT)
		err = 0;
	if (err)
		udp_tunnel_sock_release(*sock4);
	return err;
}

/* Use another pair, or none, and let go of the one before when no sender uses
 * it any more.
 */
static void uet_encap_swap(struct uet_net *un, struct socket *sock4,
			   struct socket *sock6)
{
	struct socket *old4 = un->sock4, *old6 = un->sock6;

	WRITE_ONCE(un->sock4, sock4);
	WRITE_ONCE(un->sock6, sock6);
	synchronize_net();
	if (old4)
		udp_tunnel_sock_release(old4);
	if (old6)
		udp_tunnel_sock_release(old6);
}

/**
 * uet_encap_open() - listen on the UET port
 * @un: namespace
 *
 * If somebody else has the port it is no error yet: whoever uses UDP in one
 * namespace must not keep the module from being loaded for all. The first
 * socket tries again (uet_encap_need()).
 *
 * Context: process.
 * Return: 0 or the error of making the sockets.
 */
int uet_encap_open(struct uet_net *un)
{
	struct socket *sock4, *sock6;
	int err;

	err = uet_encap_open_pair(un, un->sysctl.udp_port, &sock4, &sock6);
	if (err)
		return err == -EADDRINUSE ? 0 : err;
	un->sock4 = sock4;
	un->sock6 = sock6;
	return 0;
}

/**
 * uet_encap_move() - listen on another port
 * @un: namespace
 * @port: the port, host byte order
 *
 * What was sent to the old port and not received yet is lost, and sent again.
 *
 * Context: process.
 * Return: 0, or the error of binding; then nothing has changed.
 */
int uet_encap_move(struct uet_net *un, u16 port)
{
	struct socket *sock4, *sock6;
	bool move;
	int err = 0;

	/* The exit takes the mutex before it closes the sockets */
	mutex_lock(&un->open_mutex);
	move = !un->sock4 || port != un->sysctl.udp_port;
	if (READ_ONCE(un->exiting))
		err = -ENETDOWN;
	else if (move)
		err = uet_encap_open_pair(un, port, &sock4, &sock6);
	if (!err && move) {
		uet_encap_swap(un, sock4, sock6);
		WRITE_ONCE(un->sysctl.udp_port, port);
	}
	mutex_unlock(&un->open_mutex);
	return err;
}

/**
 * uet_encap_need() - a socket is made: listen, if the port was taken before
 * @un: namespace
 *
 * Context: process.
 * Return: 0 or the error of binding.
 */
int uet_encap_need(struct uet_net *un)
{
	if (likely(READ_ONCE(un->sock4)))
		return 0;
	return uet_encap_move(un, READ_ONCE(un->sysctl.udp_port));
}

/**
 * uet_encap_close() - stop listening
 * @un: namespace
 *
 * Packets may still be in uet_input() until an RCU grace period has passed.
 *
 * Context: process.
 */
void uet_encap_close(struct uet_net *un)
{
	uet_encap_swap(un, NULL, NULL);
}
