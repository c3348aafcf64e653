/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What rules say of the implementation at a peer, in a word: whether it keeps rules of
 * this module that UE 1.0 does not have, and in which form it is to be spoken to.
 *
 * Not here: what is learnt from what a peer does (link/habits.h), which of both counts
 * (link/peer_profile.h).
 */
#ifndef _UET_PROFILE_H
#define _UET_PROFILE_H

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/types.h>

#include "settings.h"

/* It holds packets NACKed for shortage: see core/snd/snd_hold.c */
#define UET_PROFILE_HOLDS		BIT(0)
/* It is sent PROBEs */
#define UET_PROFILE_PROBES		BIT(1)
/* Packets of messages that were given up are resent as MSG_ERROR: see tx/queue/giveup.c */
#define UET_PROFILE_RESEND_AS_ERROR	BIT(2)
/* No DSCP is sent but those of the namespace for data and for control packets */
#define UET_PROFILE_STRICT_DSCP		BIT(3)
/* Each packet is acknowledged */
#define UET_PROFILE_ACK_PER_PACKET	BIT(4)
/* It takes SMALL and MEDIUM headers */
#define UET_PROFILE_BRIEF_HEADERS	BIT(5)
#define UET_PROFILE_ALL			GENMASK(5, 0)
/* Which of these a rule decides: the same, shifted */
#define UET_PROFILE_RULED_SHIFT		8
#define UET_PROFILE_RULED		(UET_PROFILE_ALL << UET_PROFILE_RULED_SHIFT)
/* enum uet_ack_form + 1, 0 = no rule decides it */
#define UET_PROFILE_ACKS		GENMASK(17, 16)
/* Most packets outstanding per PDC, 0 = no rule decides it */
#define UET_PROFILE_WINDOW		GENMASK(31, 24)

/**
 * uet_profile_says() - what a profile says
 * @profile: a profile
 * @what: one of UET_PROFILE_HOLDS .. UET_PROFILE_BRIEF_HEADERS
 * @otherwise: the result if no rule decides it
 *
 * Return: true if it is so.
 */
static inline bool uet_profile_says(u32 profile, u32 what, bool otherwise)
{
	return unlikely(profile & what << UET_PROFILE_RULED_SHIFT) ?
	       !!(profile & what) : otherwise;
}

/**
 * uet_profile_acks() - form of ACKs
 * @profile: a profile
 *
 * Return: enum uet_ack_form.
 */
static inline enum uet_ack_form uet_profile_acks(u32 profile)
{
	u32 form = FIELD_GET(UET_PROFILE_ACKS, profile);

	return unlikely(form) ? form - 1 : UET_ACKS_CC;
}

/**
 * uet_profile_of() - what one rule says
 * @p: settings of the rule
 *
 * What it sets itself goes before what its word "profile" stands for.
 *
 * Return: a profile.
 */
u32 uet_profile_of(const struct uet_peer_params *p);

/**
 * uet_profile_merge() - what two rules say together
 * @profile: of the one that counts more
 * @more: of the other one
 *
 * Return: a profile.
 */
u32 uet_profile_merge(u32 profile, u32 more);

#endif /* _UET_PROFILE_H */
