/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Encapsulation over UDP and directly over IP (UE 1.0 3.5.10): the tunnel sockets of a
 * namespace, the headers between IP and PDS, and the output of UET packets.
 */
#ifndef _UET_ENCAP_H
#define _UET_ENCAP_H

#include <linux/in6.h>
#include <linux/pkt_sched.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <net/flow.h>

#include "base.h"
#include "link/drop.h"
#include "link/form.h"

struct dst_entry;
struct sock;
struct uet_peer;
struct uet_peer_key;

/* Room in front of the PDS header: link layer, IP and UDP */
#define UET_HEADROOM	(LL_MAX_HEADER + 40 + 8)

/* skb->priority of answers and control packets: ahead of data in local queues */
#define UET_CONTROL_PRIO	TC_PRIO_INTERACTIVE

/**
 * struct uet_icmp - an ICMP error
 * @type: its type
 * @code: its code
 * @redirect: it is a redirect
 * @too_big: the quoted packet exceeded the MTU of a link
 * @mtu: MTU of that link, 0 = not told
 * @outer_off: offset of the quoted UDP or entropy header
 * @form: UET_FORM_IP or 0
 */
struct uet_icmp {
	u8		type;
	u8		code;
	bool		redirect;
	bool		too_big;
	u32		mtu;
	unsigned int	outer_off;
	u8		form;
};

/**
 * struct uet_quote - our packet as quoted by an ICMP error
 * @laddr: its source
 * @raddr: its destination
 * @len: its length, with IP header
 * @spdcid: local PDCID
 * @psn: its PSN
 * @datagram: it is a datagram, which has neither PDCID nor PSN
 * @rudi: it is a RUDI_REQ: @psn is its pkt_id, and it has no PDCID
 */
struct uet_quote {
	struct in6_addr	laddr;
	struct in6_addr	raddr;
	u32		len;
	u16		spdcid;
	u32		psn;
	bool		datagram;
	bool		rudi;
};

/**
 * struct uet_encap_ops - callbacks of the tunnel sockets
 * @rcv: a UDP datagram arrived, data at the UDP header; consumes it; softirq, RCU
 * @icmp: an ICMP error about a packet of ours arrived, data at the quoted IP
 *	header; true if the stack may act on it; softirq, RCU
 * @opened: the sockets are open; uet_net.open_mutex held
 * @closing: the sockets are about to close; uet_net.open_mutex held
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
int uet_encap_move(struct uet_net *un, u16 udp_port);
void uet_encap_close(struct uet_net *un);
bool uet_encap_owns(const struct sock *sk);
bool uet_encap_icmp(struct uet_net *un, struct sk_buff *skb, unsigned int off,
		    u8 form);
void uet_encap_exit(struct uet_net *un);

bool uet_encap_fits_split(const struct uet_net *un, const struct sk_buff *skb,
			  int off);

/**
 * uet_encap_fits() - is a packet in a form of UET?
 * @un: namespace
 * @skb: packet
 * @proto: its IP protocol, which tells the form
 * @off: offset of what follows the IP header, from skb->data on
 *
 * Context: any.
 * Return: true if it is.
 */
static inline bool uet_encap_fits(const struct uet_net *un,
				  const struct sk_buff *skb, u8 proto, int off)
{
	const struct udphdr *uh;

	if (unlikely(proto != IPPROTO_UDP))
		return proto == READ_ONCE(un->sysctl.ip_protocol);
	if (unlikely((int)skb_headlen(skb) - off < (int)sizeof(*uh)))
		return uet_encap_fits_split(un, skb, off);
	uh = (const void *)(skb->data + off);
	return uh->dest == htons(READ_ONCE(un->sysctl.udp_port));
}

/* Count another user of the tunnel sockets; false if there is none. */
static inline bool uet_encap_hold(struct uet_net *un)
{
	return atomic_inc_not_zero(&un->users);
}

/* In skb->cb between building and output */
struct uet_txmeta {
	struct uet_peer *peer;	/* set in lists with packets for several peers */
	u32	psn;		/* of a request */
	u16	pdcid;		/* of its PDC, 0 = it is no request */
	u8	n;		/* requests, from @psn on */
	u16	ev;		/* entropy value */
	u8	dsfield;	/* DSCP and ECN bits */
	bool	df;		/* do not fragment */
};

#define UET_TXMETA(skb)	((struct uet_txmeta *)(skb)->cb)

/**
 * struct uet_output - state of the output to a peer, valid while BH is disabled
 * @un: namespace
 * @peer: the peer
 * @dst: route, with a reference
 * @sk: tunnel socket, for packets without an owner socket
 * @udp_port: UDP destination port
 * @form: UET_FORM_* of the packets
 * @proto: their IP protocol
 * @hash: flow hash of the pair of addresses, 0 = set none
 * @ttl: hop limit
 * @v4: IPv4
 * @track: connection tracking sees them
 * @multi: the peer is reached over several interfaces, and the entropy value of a
 *	packet names its interface; @dst is used if none of them has a route
 */
struct uet_output {
	struct uet_net		*un;
	struct uet_peer		*peer;
	struct dst_entry	*dst;
	struct sock		*sk;
	u16			udp_port;
	u32			hash;
	u8			form;
	u8			proto;
	u8			ttl;
	bool			v4;
	bool			track;
	bool			multi;
};

/* link/output.c: from PDS header to device */
int uet_output_begin(struct uet_output *out, struct uet_peer *peer);
void uet_output_end(struct uet_output *out);
u32 uet_output_mtu(const struct uet_output *out);
u32 uet_output_run_max(const struct uet_output *out, u32 size);
int uet_output(const struct uet_output *out, struct sk_buff *skb);
void uet_output_one(struct uet_peer *peer, struct sk_buff *skb);
void uet_output_answer(struct uet_peer *peer, struct sk_buff *skb);
struct dst_entry *uet_peer_dst(struct uet_peer *peer);
int uet_route_peer(struct uet_peer *peer, u32 *mtu);
int uet_route_ifindex(struct uet_peer *peer);
struct flowi4 uet_route_flow4(const struct uet_net *un,
			      const struct uet_peer_key *key, u8 form, int oif);
struct flowi6 uet_route_flow6(const struct uet_net *un,
			      const struct uet_peer_key *key, u8 form, int oif);
int uet_route_source(struct uet_net *un, struct uet_peer_key *key);

/* link/crc.c: trailer of data_protect */
int uet_crc_append(struct sk_buff *skb, const struct in6_addr *saddr,
		   const struct in6_addr *daddr);
enum uet_drop uet_crc_strip(struct sk_buff *skb);

/* link/guard.c: which sockets may send to the UDP port of UET */
int uet_guard_enable(struct uet_net *un);
void uet_guard_disable(struct uet_net *un);

/* link/untrack.c: no connection tracking of UET packets */
void uet_untrack_enable(struct uet_net *un);
void uet_untrack_disable(struct uet_net *un);

#endif /* _UET_ENCAP_H */
