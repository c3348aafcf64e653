/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The form of packets: over UDP or directly over IP (UE 1.0 3.5.10), without or with
 * a CRC trailer; over UDP with or without a checksum.
 */
#ifndef _UET_FORM_H
#define _UET_FORM_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/types.h>
#include <linux/udp.h>

#include "base.h"
#include "core/wire/wire.h"

struct in6_addr;
struct uet_peer;
struct uet_rx_ctx;

/* Directly over IP, with the entropy header */
#define UET_FORM_IP		BIT(0)
/* With the CRC trailer of data_protect */
#define UET_FORM_CRC		BIT(1)
/* Over UDP with a checksum of 0, as UE 1.0 has it, and without a CRC: nothing tells of
 * damage. Not of packets directly over IP.
 */
#define UET_FORM_BARE		BIT(2)
#define UET_FORM_ALL		(UET_FORM_IP | UET_FORM_CRC | UET_FORM_BARE)
#define UET_FORM_BITS		3
/* uet_form.heard: it is valid. uet_rx_ctx.form: the packet tells its form; or it does not,
 * and this is what it seems to be
 */
#define UET_FORM_HEARD		BIT(3)
#define UET_FORM_GUESSED	BIT(4)

#define UET_CRC_LEN		4

/**
 * struct uet_form - the form of packets to and from a peer; read and written without a
 *	lock
 * @rules: uet_net.rules_gen at the last look at rules and settings, << 6 | what they
 *	fix, << 3 | what they say
 * @heard: what the peer sends in its PDCs, with UET_FORM_HEARD; 0 = not known
 * @guess: what came in its name and opened a PDC, with UET_FORM_GUESSED; 0 = nothing did
 * @heard_at: when it last sent in the form of @heard, jiffies, not to the tick
 */
struct uet_form {
	u32		rules;
	u8		heard;
	u8		guess;
	unsigned long	heard_at;
};

/**
 * uet_form_outer() - length of the header between IP and PDS
 * @form: UET_FORM_*
 *
 * Return: bytes.
 */
static inline unsigned int uet_form_outer(u8 form)
{
	return form & UET_FORM_IP ? sizeof(struct uet_entropy_wire) :
				    sizeof(struct udphdr);
}

/**
 * uet_form_len() - length of what a form adds to the packet from the PDS prologue on
 * @form: UET_FORM_*
 *
 * Return: bytes, which count for the nominal size (UE 1.0 3.6.12).
 */
static inline unsigned int uet_form_len(u8 form)
{
	return uet_form_outer(form) + (form & UET_FORM_CRC ? UET_CRC_LEN : 0);
}

/* Does a packet show no more about its source than is known, in this tick? */
static inline bool uet_form_is(const struct uet_form *known, u8 form)
{
	unsigned long now = jiffies;

	return READ_ONCE(known->heard) == form && READ_ONCE(known->heard_at) == now;
}

u8 uet_form_of_addr(struct uet_net *un, const struct in6_addr *addr);
u8 uet_form_of_peer(const struct uet_peer *peer);
u8 uet_form_of_answer(const struct uet_peer *peer);
u8 uet_form_refresh(struct uet_peer *peer);
u8 uet_form_protect_ruled(struct uet_net *un, const struct in6_addr *addr);
bool uet_form_lacks(const struct uet_peer *peer, u8 form);
bool uet_form_lacks_rx(const struct uet_rx_ctx *rx);
bool uet_form_damaged(const struct uet_rx_ctx *rx);
bool uet_form_never(const struct uet_peer *peer);
void uet_form_greeted(struct uet_peer *peer, u8 form);
void uet_form_heard(struct uet_peer *peer, u8 form);

/**
 * uet_form_protect() - what data_protect says about packets from an address
 * @un: namespace
 * @addr: the address
 *
 * Context: RCU read side.
 * Return: UET_PROTECT_*.
 */
static inline u8 uet_form_protect(struct uet_net *un, const struct in6_addr *addr)
{
	if (unlikely(READ_ONCE(un->nr_protect_rules)))
		return uet_form_protect_ruled(un, addr);
	return READ_ONCE(un->sysctl.data_protect);
}

#endif /* _UET_FORM_H */
