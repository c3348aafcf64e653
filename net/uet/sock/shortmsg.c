// SPDX-License-Identifier: GPL-2.0
/*
 * The class of short messages.
 *
 * A question or an answer waits behind whatever stands in the queues that it
 * crosses, and congestion control keeps a queue where bulk data meets. Where the
 * network has a class that is served first, unordered short messages travel in it:
 * with a DSCP of their own, hence in PDCs and contexts of their own, as the
 * traffic class is part of what these are kept for (UE 1.0 3.5.8).
 *
 * What is served first must be little. So a target gets a few of them at a time in
 * that class; the others of a socket that has more to say go with its bulk data.
 */
#include <linux/pkt_sched.h>

#include "base.h"
#include "sock.h"
#include "tx/txmsg.h"
#include "tx/wmem.h"

/*
 * Messages of the full length that a socket may have in the class, by target: more
 * than one ACK speaks for (net.uet.ack_gen_trigger), as those that arrived count
 * until then.
 */
#define UET_SHORTMSG_HELD	8

/* The DSCP of a message by its length, or that of all others */
static u8 uet_shortmsg_tclass(const struct uet_sock *us, u8 delivery,
			      size_t len, u8 other)
{
	const struct uet_sysctl *s = &us->un->sysctl;
	u32 dscp = READ_ONCE(s->dscp_short);

	if (len > READ_ONCE(s->short_bytes) || delivery != UET_RUD ||
	    READ_ONCE(us->tclass) >= 0)
		return other;
	if (dscp == UET_DSCP_AUTO)
		dscp = READ_ONCE(s->trimming) ? READ_ONCE(s->dscp_control) :
						UET_DSCP_OFF;
	return dscp < UET_DSCP_OFF ? dscp : other;
}

static bool uet_shortmsg_room(const struct uet_sock *us,
			      const struct uet_dest *dest)
{
	u32 max = UET_SHORTMSG_HELD * READ_ONCE(us->un->sysctl.short_bytes);

	return atomic_long_read(&dest->wmem) <= max;
}

/**
 * uet_shortmsg_fits() - is a queue in the right class for a message?
 * @us: the sender
 * @dest: the queue
 * @len: length of the message
 * @other: DSCP of messages that are not short
 *
 * Context: any.
 * Return: true if so.
 */
bool uet_shortmsg_fits(const struct uet_sock *us, const struct uet_dest *dest,
		       size_t len, u8 other)
{
	u8 tclass = uet_shortmsg_tclass(us, dest->key.delivery, len, other);

	return dest->key.tclass == tclass &&
	       (tclass == other || uet_shortmsg_room(us, dest));
}

/**
 * uet_shortmsg_dest() - the queue of a short message
 * @us: the sender
 * @key: what the message says of its target, with the DSCP of long ones
 * @len: length of the message
 *
 * Context: process.
 * Return: the queue with a reference, an error pointer, or NULL if the message
 * goes with the others.
 */
struct uet_dest *uet_shortmsg_dest(struct uet_sock *us,
				   const struct uet_dest_key *key, size_t len)
{
	u8 tclass = uet_shortmsg_tclass(us, key->delivery, len, key->tclass);
	struct uet_dest_key own;
	struct uet_dest *dest;

	if (tclass == key->tclass)
		return NULL;
	/* With its padding, which counts in comparisons */
	memcpy(&own, key, sizeof(own));
	own.tclass = tclass;
	dest = uet_dest_get(us, &own);
	if (IS_ERR(dest) || uet_shortmsg_room(us, dest))
		return dest;
	uet_dest_put(dest);
	return NULL;
}

/**
 * uet_shortmsg_prio() - priority of a queue's packets in this host
 * @us: the sender
 * @dest: the queue
 * @other: DSCP of messages that are not short
 *
 * Context: any.
 * Return: SO_PRIORITY, or what puts short messages first if that is not set.
 */
u32 uet_shortmsg_prio(const struct uet_sock *us, const struct uet_dest *dest,
		      u8 other)
{
	u32 prio = READ_ONCE(us->sk.sk_priority);

	if (prio || dest->key.tclass == other ||
	    dest->key.tclass != uet_shortmsg_tclass(us, dest->key.delivery, 0,
						 other))
		return prio;
	return TC_PRIO_INTERACTIVE;
}
