// SPDX-License-Identifier: GPL-2.0
/*
 * The traffic class of short messages.
 *
 * A short request or reply would wait in the queues that congestion control keeps
 * where bulk data meets. If the network has a priority class, unordered short
 * messages use it: with a DSCP of their own, hence with PDCs and CCCs of their own,
 * since the traffic class is part of their identity (UE 1.0 3.5.8).
 *
 * Priority traffic must stay small. So a socket sends only a few such messages at a
 * time to a target in that class; more of them go with its bulk data.
 */
#include <linux/pkt_sched.h>

#include "base.h"
#include "link/peer_rules.h"
#include "sock.h"
#include "sock/send.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/wmem.h"

/*
 * Limit per socket and target, in messages of length short_bytes. They count until
 * ACKed, so it must exceed what one ACK covers (net.uet.ack_gen_trigger).
 */
#define UET_SHORTMSG_HELD	8

/* The DSCP of short messages if the message is one, else @other. A peer that takes no
 * DSCPs but those of UE 1.0 gets none of their own.
 */
static u8 uet_shortmsg_tclass(const struct uet_sock *us,
			      const struct uet_dest_key *key, size_t len,
			      u8 other)
{
	u32 dscp = uet_shortmsg_dscp(us->un);

	if (dscp >= UET_DSCP_OFF || len > READ_ONCE(us->un->sysctl.short_bytes) ||
	    key->delivery != UET_RUD || READ_ONCE(us->tclass) >= 0 ||
	    uet_addr_strict(us->un, &key->raddr))
		return other;
	return dscp;
}

static bool uet_shortmsg_room(const struct uet_sock *us,
			      const struct uet_dest *dest)
{
	u32 max = UET_SHORTMSG_HELD * READ_ONCE(us->un->sysctl.short_bytes);

	return atomic_long_read(&dest->wmem) <= max;
}

/**
 * uet_shortmsg_fits_own() - second part of uet_shortmsg_fits()
 * @us: the sender
 * @dest: the queue
 * @len: length of the message
 * @other: DSCP of messages that are not short
 *
 * Context: any.
 * Return: true if so.
 */
bool uet_shortmsg_fits_own(const struct uet_sock *us, const struct uet_dest *dest,
			   size_t len, u8 other)
{
	u8 tclass = uet_shortmsg_tclass(us, &dest->key, len, other);

	return dest->key.tclass == tclass &&
	       (tclass == other || uet_shortmsg_room(us, dest));
}

/**
 * uet_shortmsg_dest() - the queue of a short message
 * @us: the sender
 * @key: key of its queue, with the DSCP of messages that are not short
 * @len: length of the message
 *
 * Context: process.
 * Return: the queue with a reference, an error pointer, or NULL if the message
 * does not go in the class of short ones.
 */
struct uet_dest *uet_shortmsg_dest(struct uet_sock *us,
				   const struct uet_dest_key *key, size_t len)
{
	u8 tclass = uet_shortmsg_tclass(us, key, len, key->tclass);
	struct uet_dest_key own;
	struct uet_dest *dest;

	if (tclass == key->tclass)
		return NULL;
	/* Copies the padding, too: keys are compared as bytes */
	memcpy(&own, key, sizeof(own));
	own.tclass = tclass;
	dest = uet_dest_get(us, &own);
	if (IS_ERR(dest) || uet_shortmsg_room(us, dest))
		return dest;
	uet_dest_put(dest);
	return NULL;
}

/**
 * uet_shortmsg_prio() - skb->priority of a queue's packets, without SO_PRIORITY
 * @us: the sender
 * @dest: the queue, in another class than messages that are not short
 * @other: DSCP of these
 *
 * Context: any.
 * Return: TC_PRIO_INTERACTIVE for short messages, else 0.
 */
u32 uet_shortmsg_prio(const struct uet_sock *us, const struct uet_dest *dest,
		      u8 other)
{
	return dest->key.tclass == uet_shortmsg_tclass(us, &dest->key, 0, other) ?
	       TC_PRIO_INTERACTIVE : 0;
}
