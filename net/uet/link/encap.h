/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UDP encapsulation: the listening pair of tunnel sockets of a namespace and
 * the way a UET packet takes to the device (wire.md 1.1).
 */
#ifndef _UET_ENCAP_H
#define _UET_ENCAP_H

#include <linux/pkt_sched.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <net/flow.h>

#include "base.h"

struct dst_entry;
struct sock;
struct uet_peer;
struct uet_peer_key;

/* Room in front of the PDS header: link layer, IP and UDP */
#define UET_HEADROOM	(LL_MAX_HEADER + 40 + 8)

/* skb->priority of answers and control packets: before data in queues of this host */
#define UET_CONTROL_PRIO	TC_PRIO_INTERACTIVE

/**
 * struct uet_icmp - an ICMP error
 * @type: its type
 * @code: its code
 * @redirect: another router is better
 * @too_big: the packet did not fit a link
 * @mtu: of that link, 0 = not told
 * @udp_off: where the UDP header of the packet is
 */
struct uet_icmp {
	u8		type;
	u8		code;
	bool		redirect;
	bool		too_big;
	u32		mtu;
	unsigned int	udp_off;
};

/**
 * struct uet_encap_ops - what is above the tunnel sockets
 * @rcv: a UDP datagram, data at the UDP header, which is consumed; softirq, RCU
 * @icmp: an ICMP error about a packet of ours, data at the IP header that we sent;
 *	true if it is a redirect that the stack may act on; softirq, RCU
 * @opened: the sockets are there; uet_net.open_mutex held
 * @closing: they are about to go; likewise
 */
struct uet_encap_ops {
	int	(*rcv)(struct sock *sk, struct sk_buff *skb);
	bool	(*icmp)(struct uet_net *un, struct sk_buff *skb,
			const struct uet_icmp *icmp);
	void	(*opened)(struct uet_net *un);
	void	(*closing)(struct uet_net *un);
};

extern const struct uet_encap_ops *uet_encap_ops;

void uet_encap_init(struct uet_net *un);
int uet_encap_get(struct uet_net *un);
int uet_encap_get_locked(struct uet_net *un);
void uet_encap_put(struct uet_net *un);
int uet_encap_move(struct uet_net *un, u16 port);
void uet_encap_close(struct uet_net *un);
bool uet_encap_owns(const struct sock *sk);
void uet_encap_exit(struct uet_net *un);

/* The tunnel sockets are needed by one more, if they are by anybody. */
static inline bool uet_encap_hold(struct uet_net *un)
{
	return atomic_inc_not_zero(&un->users);
}

/* In skb->cb between building and output */
struct uet_txmeta {
	struct uet_peer *peer;	/* where packets for several peers are one list */
	u32	psn;		/* of a request */
	u16	pdcid;		/* of its PDC, 0 = it is no request */
	u16	ev;		/* entropy value, the UDP source port */
	u8	dsfield;	/* DSCP and ECN bits */
	bool	df;		/* do not fragment (wire.md 9.5) */
};

#define UET_TXMETA(skb)	((struct uet_txmeta *)(skb)->cb)

/**
 * struct uet_output - the way to a peer, as long as BH is disabled
 * @un: namespace
 * @peer: the peer
 * @dst: route, with a reference
 * @sk: tunnel socket, for packets of no socket
 * @port: UDP destination port
 * @hash: of the pair of addresses, 0 = the device below makes its own
 * @ttl: hop limit
 * @v4: IPv4
 * @protect: packets get a CRC
 * @track: connection tracking sees them
 * @multi: the peer is reached over several ports, and the entropy value of a
 *	packet names its route; @dst serves where that port has none
 */
struct uet_output {
	struct uet_net		*un;
	struct uet_peer		*peer;
	struct dst_entry	*dst;
	struct sock		*sk;
	u16			port;
	u32			hash;
	u8			ttl;
	bool			v4;
	bool			protect;
	bool			track;
	bool			multi;
};

/* link/output.c: from PDS header to device */
int uet_output_begin(struct uet_output *out, struct uet_peer *peer);
void uet_output_end(struct uet_output *out);
u32 uet_output_mtu(const struct uet_output *out);
int uet_output(const struct uet_output *out, struct sk_buff *skb);
void uet_output_one(struct uet_peer *peer, struct sk_buff *skb);
int uet_route_peer(struct uet_peer *peer, u32 *mtu);
int uet_route_ifindex(struct uet_peer *peer);
struct flowi4 uet_route_flow4(const struct uet_net *un,
			      const struct uet_peer_key *key, int oif);
struct flowi6 uet_route_flow6(const struct uet_net *un,
			      const struct uet_peer_key *key, int oif);
int uet_route_source(struct uet_net *un, struct uet_peer_key *key);

/* link/crc.c: trailer of data_protect 1 (wire.md 1.6) */
#define UET_CRC_LEN	4
int uet_crc_append(struct sk_buff *skb, const struct in6_addr *saddr,
		   const struct in6_addr *daddr, u16 ev, u16 dport);
bool uet_crc_strip(struct sk_buff *skb);

/* link/guard.c: who may send to the UET port */
int uet_guard_enable(struct uet_net *un);
void uet_guard_disable(struct uet_net *un);

/* link/untrack.c: out of the way of connection tracking */
void uet_untrack_enable(struct uet_net *un);
void uet_untrack_disable(struct uet_net *un);

#endif /* _UET_ENCAP_H */
