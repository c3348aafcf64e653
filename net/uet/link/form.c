// SPDX-License-Identifier: GPL-2.0
/*
 * In which form packets go to a peer: over UDP or directly over IP, without or with a
 * CRC trailer (UE 1.0 3.5.10), over UDP with or without a checksum.
 *
 * Nothing in a packet announces either, and both ends of a PDC must be understood. So
 * each form is received at any time, and a peer is answered as it sends: what is fixed
 * by the rule for a peer comes first, then what is heard from it, then the settings
 * net.uet.encap, net.uet.data_protect and net.uet.udp_csum. UE 1.0 has a UDP checksum of
 * 0; here packets have one unless the peer sends none.
 *
 * Not here: how a form is told by a packet (input/), and how it is written
 * (link/output.c).
 */
#include <linux/jiffies.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <net/dst_cache.h>
#include <net/ipv6.h>

#include "link/form.h"
#include "link/packet.h"
#include "link/peer.h"
#include "link/peer_rules.h"
#include "settings.h"

/*
 * After so long without a packet of the known form, another one is believed. Of two
 * hosts that begin at the same time, each in its own form, one must follow the other:
 * that with the lower address is first to do so.
 */
#define UET_FORM_FOLLOW		(HZ / 10 + 1)
#define UET_FORM_STAY		HZ
/* Packets of no PDC that nothing vouches for may be damaged ones for so long */
#define UET_FORM_STRAY		(60 * HZ)

/* What the rules and settings say of a peer. Each setting is decided by the longest
 * prefix that has it. Returns UET_FORM_*, and those that are fixed << UET_FORM_BITS.
 */
static u8 uet_form_ruled(struct uet_net *un, const struct in6_addr *addr)
{
	const struct uet_peer_rule *rule;
	const char *encap = NULL, *profile = NULL;
	u32 protect = READ_ONCE(un->sysctl.data_protect);
	u8 fixed = 0, form;
	bool ruled = false;

	rcu_read_lock();
	list_for_each_entry_rcu(rule, &un->peer_rules, node) {
		if (!ipv6_prefix_equal(&rule->addr, addr, rule->plen))
			continue;
		if (!encap && uet_peer_sets(&rule->params, encap))
			encap = rule->params.val.encap;
		if (!profile && uet_peer_sets(&rule->params, peer_profile))
			profile = rule->params.val.peer_profile;
		if (!ruled && uet_peer_sets(&rule->params, data_protect)) {
			ruled = true;
			protect = rule->params.val.data_protect;
		}
	}
	rcu_read_unlock();
	if (encap)
		fixed |= UET_FORM_IP;
	else
		encap = READ_ONCE(un->sysctl.encap);
	form = uet_encap_is_ip(encap) ? UET_FORM_IP : 0;
	if (protect != UET_PROTECT_AUTO)
		fixed |= UET_FORM_CRC;
	if (protect == UET_PROTECT_CRC)
		form |= UET_FORM_CRC;
	if (READ_ONCE(un->sysctl.udp_csum) == UET_UDP_CSUM_OFF ||
	    (profile && strcmp(profile, "module"))) {
		fixed |= UET_FORM_BARE;
		form |= UET_FORM_BARE;
	}
	return fixed << UET_FORM_BITS | form;
}

/**
 * uet_form_of_addr() - form of packets to an address from which nothing is known
 * @un: namespace
 * @addr: the address
 *
 * Context: any.
 * Return: UET_FORM_*.
 */
u8 uet_form_of_addr(struct uet_net *un, const struct in6_addr *addr)
{
	return uet_form_ruled(un, addr) & UET_FORM_ALL;
}

/* Routes may depend on the protocol. */
static void uet_form_changed(struct uet_peer *peer)
{
	dst_cache_reset(&peer->dst);
}

#define UET_RULED_BITS	(2 * UET_FORM_BITS)
#define UET_RULED_MASK	(BIT(UET_RULED_BITS) - 1)

/* The present generation of rules, as in uet_form.rules */
static u32 uet_form_gen(struct uet_net *un)
{
	/* Pairs with uet_peer_rules_changed() */
	return (u32)atomic_read_acquire(&un->rules_gen) << UET_RULED_BITS;
}

/* What @rules fix of a form; what they leave open is that of @known, if there is one */
static u8 uet_form_by(u32 rules, u8 known)
{
	u8 fixed = (rules & UET_RULED_MASK) >> UET_FORM_BITS;

	if (!known)
		return rules & UET_FORM_ALL;
	return (rules & fixed) | (known & UET_FORM_ALL & ~fixed);
}

/* ... by what rules and settings say now */
static u8 uet_form_with(const struct uet_peer *peer, u8 known)
{
	struct uet_net *un = peer->fep->un;
	u32 rules = READ_ONCE(peer->form.rules);

	if (unlikely((rules & ~UET_RULED_MASK) != uet_form_gen(un)))
		rules = uet_form_ruled(un, &peer->key.raddr);
	return uet_form_by(rules, known);
}

/* Rules or settings have changed. Returns what they say, as in uet_form.rules. */
static noinline u32 uet_form_look(struct uet_peer *peer, u32 gen)
{
	u32 rules = gen | uet_form_ruled(peer->fep->un, &peer->key.raddr);
	u32 was = READ_ONCE(peer->form.rules);

	/* The peer may send no checksums because it got none. */
	if (was & UET_FORM_BARE && !(rules & UET_FORM_BARE))
		WRITE_ONCE(peer->form.heard,
			   READ_ONCE(peer->form.heard) & ~UET_FORM_BARE);
	WRITE_ONCE(peer->form.rules, rules);
	uet_form_changed(peer);
	return rules;
}

/* Is it long since a peer sent in the form that is known? */
static bool uet_form_stale(const struct uet_peer *peer)
{
	return time_after(jiffies,
			  READ_ONCE(peer->form.heard_at) + UET_FORM_STAY);
}

/* What is known of a peer. One that sent no checksums may have sent none only because it
 * got none, or another host may be there now. So who was silent for a while gets them
 * until it is heard: two hosts that both would have them do not go without for good.
 */
static u8 uet_form_known(const struct uet_peer *peer)
{
	u8 heard = READ_ONCE(peer->form.heard);

	if (unlikely(heard & UET_FORM_BARE) && uet_form_stale(peer))
		heard &= ~UET_FORM_BARE;
	return heard;
}

/**
 * uet_form_refresh() - look at rules and settings again if they have changed
 * @peer: the peer
 *
 * That may make its cached route void.
 *
 * Context: any.
 * Return: form of packets to it, UET_FORM_*.
 */
u8 uet_form_refresh(struct uet_peer *peer)
{
	u32 gen = uet_form_gen(peer->fep->un);
	u32 rules = READ_ONCE(peer->form.rules);

	if (unlikely((rules & ~UET_RULED_MASK) != gen))
		rules = uet_form_look(peer, gen);
	return uet_form_by(rules, uet_form_known(peer));
}

/**
 * uet_form_of_peer() - form of packets to a peer
 * @peer: the peer
 *
 * Context: any.
 * Return: UET_FORM_*.
 */
u8 uet_form_of_peer(const struct uet_peer *peer)
{
	return uet_form_with(peer, uet_form_known(peer));
}

/**
 * uet_form_of_answer() - form of answers to a peer
 * @peer: the peer
 *
 * Whoever opens a PDC is answered in his form. His address may be forged, so nothing else
 * follows from it.
 *
 * Context: any.
 * Return: UET_FORM_*.
 */
u8 uet_form_of_answer(const struct uet_peer *peer)
{
	u8 heard = uet_form_known(peer);

	if (!heard || uet_form_stale(peer))
		heard = READ_ONCE(peer->form.guess) ?: heard;
	return uet_form_with(peer, heard);
}

/**
 * uet_form_protect_ruled() - uet_form_protect() where rules decide
 * @un: namespace
 * @addr: the address
 *
 * Context: RCU read side.
 * Return: UET_PROTECT_*.
 */
u8 uet_form_protect_ruled(struct uet_net *un, const struct in6_addr *addr)
{
	const struct uet_peer_rule *rule;

	list_for_each_entry_rcu(rule, &un->peer_rules, node)
		if (uet_peer_sets(&rule->params, data_protect) &&
		    ipv6_prefix_equal(&rule->addr, addr, rule->plen))
			return rule->params.val.data_protect;
	return READ_ONCE(un->sysctl.data_protect);
}

/**
 * uet_form_lacks() - does a packet lack the trailer that its source is known to send?
 * @peer: the source
 * @form: uet_rx_ctx.form of the packet
 *
 * It may have lost it to corruption, as by another length in its headers. A peer that
 * sends none any more is believed after a while.
 *
 * Context: softirq, RCU read side.
 * Return: true if the packet is to be dropped.
 */
bool uet_form_lacks(const struct uet_peer *peer, u8 form)
{
	return unlikely(READ_ONCE(peer->form.heard) & UET_FORM_CRC) &&
	       !(form & UET_FORM_CRC) && !uet_form_stale(peer) &&
	       uet_form_protect(peer->fep->un, &peer->key.raddr) ==
	       UET_PROTECT_AUTO;
}

/* The peer of PDCs that the source of a packet opens, or NULL */
static const struct uet_peer *uet_form_source(const struct uet_rx_ctx *rx)
{
	const struct uet_peer_key key = {
		.laddr	= rx->daddr,
		.raddr	= rx->saddr,
		.scope	= rx->ifindex,
		.uid	= rx->un->root,
	};

	return uet_peer_find(rx->un, &key);
}

/**
 * uet_form_lacks_rx() - uet_form_lacks() for a packet that needs no PDC
 * @rx: the packet
 *
 * Context: softirq, RCU read side.
 * Return: true if the packet is to be dropped.
 */
bool uet_form_lacks_rx(const struct uet_rx_ctx *rx)
{
	const struct uet_peer *peer;

	if (rx->form & UET_FORM_CRC)
		return false;
	peer = uet_form_source(rx);
	return peer && uet_form_lacks(peer, rx->form);
}

/**
 * uet_form_damaged() - may a packet name an unknown PDC because it was damaged?
 * @rx: the packet
 *
 * A NACK that is not sent costs its source a delay, one that is sent for nothing a PDC. So
 * what a source sends is believed for longer than where data is dropped. What it sends by
 * PDCs that this host opened with a mark, a device or a traffic class is not asked.
 *
 * Context: softirq, RCU read side.
 * Return: true if it has no trailer or no checksum, or was trimmed, though its source sends
 * them or has to.
 */
bool uet_form_damaged(const struct uet_rx_ctx *rx)
{
	u8 protect = uet_form_protect(rx->un, &rx->saddr);
	const struct uet_peer *peer;
	u8 heard;

	if (rx->form & UET_FORM_CRC)
		return false;
	if (protect == UET_PROTECT_CRC)
		return true;
	peer = uet_form_source(rx);
	heard = peer ? READ_ONCE(peer->form.heard) : 0;
	if (!heard || !time_before(jiffies, READ_ONCE(peer->form.heard_at) +
					    UET_FORM_STRAY))
		return false;
	if (heard & UET_FORM_CRC)
		return protect == UET_PROTECT_AUTO;
	return rx->form & UET_FORM_BARE && !(heard & (UET_FORM_BARE | UET_FORM_IP));
}

/**
 * uet_form_never() - is a source known to send no trailers?
 * @peer: the source
 *
 * Context: softirq, RCU read side.
 * Return: true if so, and it has sent of late.
 */
bool uet_form_never(const struct uet_peer *peer)
{
	return (READ_ONCE(peer->form.heard) & (UET_FORM_HEARD | UET_FORM_CRC)) ==
	       UET_FORM_HEARD && !uet_form_stale(peer);
}

/**
 * uet_form_greeted() - a peer opens a PDC
 * @peer: the peer, whose address may be forged
 * @form: uet_rx_ctx.form of the packet
 *
 * Context: softirq.
 */
void uet_form_greeted(struct uet_peer *peer, u8 form)
{
	WRITE_ONCE(peer->form.guess, (form & UET_FORM_ALL) | UET_FORM_GUESSED);
}

/* Does a form show that a peer sends CRCs or checksums, other than the known one? One that
 * is right is enough.
 */
static bool uet_form_proves(u8 known, u8 form)
{
	if ((known ^ form) & UET_FORM_IP || known & UET_FORM_CRC)
		return false;
	return form & UET_FORM_CRC || (known & UET_FORM_BARE && !(form & UET_FORM_BARE));
}

/* Has a peer not sent in the known form for so long that another one is believed? */
static bool uet_form_believed(const struct uet_peer *peer, u8 form)
{
	const struct uet_peer_key *key = &peer->key;
	u8 known = READ_ONCE(peer->form.heard);
	unsigned long stay = UET_FORM_STAY;

	if (!known || uet_form_proves(known, form))
		return true;
	if (ipv6_addr_cmp(&key->laddr, &key->raddr) < 0)
		stay = UET_FORM_FOLLOW;
	return time_after(jiffies, READ_ONCE(peer->form.heard_at) + stay);
}

/**
 * uet_form_heard() - a packet of a PDC came
 * @peer: the peer, to whose PDC at the other end the packet belongs
 * @form: uet_rx_ctx.form of the packet
 *
 * Context: softirq.
 */
void uet_form_heard(struct uet_peer *peer, u8 form)
{
	unsigned long now = jiffies;

	if (likely(READ_ONCE(peer->form.heard) == form)) {
		/* No more than a write per tick, which other CPUs must not wait for */
		if (READ_ONCE(peer->form.heard_at) != now)
			WRITE_ONCE(peer->form.heard_at, now);
		return;
	}
	/* The packet may not tell whether it has a trailer. */
	if (!(form & UET_FORM_HEARD) || !uet_form_believed(peer, form))
		return;
	WRITE_ONCE(peer->form.heard_at, now);
	WRITE_ONCE(peer->form.heard, form);
	uet_form_changed(peer);
}
