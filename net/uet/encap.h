/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UDP encapsulation: the listening pair of tunnel sockets of a namespace and
 * the way a UET packet takes to the device (wire.md 1.1).
 */
#ifndef _UET_ENCAP_H
#define _UET_ENCAP_H

#include <linux/skbuff.h>
#include <linux/types.h>

#include "netns.h"

struct dst_entry;
struct sock;
struct uet_peer;

/* Room in front of the PDS header: link layer, IP and UDP */
#define UET_HEADROOM	(LL_MAX_HEADER + 40 + 8)

int uet_encap_open(struct uet_net *un);
int uet_encap_need(struct uet_net *un);
int uet_encap_move(struct uet_net *un, u16 port);
void uet_encap_close(struct uet_net *un);

/* In skb->cb between building and output */
struct uet_txmeta {
	struct uet_peer *peer;	/* where packets for several peers are one list */
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
 * @sk: tunnel socket
 * @port: UDP destination port
 * @ttl: hop limit
 * @v4: IPv4
 * @protect: packets get a CRC
 * @multi: the peer is reached over several ports, and the entropy value of a
 *	packet names its route; @dst serves where that port has none
 */
struct uet_output {
	struct uet_net		*un;
	struct uet_peer		*peer;
	struct dst_entry	*dst;
	struct sock		*sk;
	u16			port;
	u8			ttl;
	bool			v4;
	bool			protect;
	bool			multi;
};

/* output.c: from PDS header to device */
int uet_output_begin(struct uet_output *out, struct uet_peer *peer);
void uet_output_end(struct uet_output *out);
void uet_output(const struct uet_output *out, struct sk_buff *skb);
void uet_output_one(struct uet_peer *peer, struct sk_buff *skb);
int uet_route_peer(struct uet_peer *peer, u32 *mtu);
struct net_device *uet_route_dev(struct uet_peer *peer);
int uet_route_source(struct uet_net *un, const struct in6_addr *raddr,
		     int scope, u32 mark, struct in6_addr *laddr);

/* crc.c: trailer of data_protect 1 (wire.md 1.6) */
#define UET_CRC_LEN	4
int uet_crc_append(struct sk_buff *skb, const struct in6_addr *saddr,
		   const struct in6_addr *daddr, u16 ev, u16 dport);
bool uet_crc_strip(struct sk_buff *skb);

/* trim.c: packets that a switch trimmed */
int uet_trim_enable(struct uet_net *un);
void uet_trim_disable(struct uet_net *un);

/* demux.c: a shorter way in */
void uet_demux_enable(struct uet_net *un);
void uet_demux_disable(struct uet_net *un);
void uet_demux_learn(struct uet_peer *peer, struct sk_buff *skb);
void uet_demux_forget(struct uet_peer *peer);

/* input.c */
int uet_input(struct sock *sk, struct sk_buff *skb);
void uet_input_icmp(struct uet_net *un, struct sk_buff *skb, int type, int code,
		    unsigned int off, u32 mtu);

#endif /* _UET_ENCAP_H */
