/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the implementation at a peer is like: what a rule says (profile.h), else what
 * the peer has shown (link/habits.h), else what is safe with any.
 */
#ifndef _UET_PEER_PROFILE_H
#define _UET_PEER_PROFILE_H

#include <linux/atomic.h>

#include "base.h"
#include "link/habits.h"
#include "link/peer.h"
#include "profile.h"

u32 uet_profile_refresh(struct uet_peer *peer);

/**
 * uet_peer_profile() - what the rules say of a peer
 * @peer: the peer
 *
 * Context: any.
 * Return: UET_PROFILE_*.
 */
static inline u32 uet_peer_profile(struct uet_peer *peer)
{
	u64 known = atomic64_read(&peer->profile);

	/* Pairs with uet_peer_rules_changed() */
	if (likely((u32)(known >> 32) ==
		   (u32)atomic_read_acquire(&peer->fep->un->rules_gen)))
		return (u32)known;
	return uet_profile_refresh(peer);
}

/**
 * uet_peer_holds() - does a peer hold packets NACKed for shortage?
 * @peer: the peer
 *
 * Context: any.
 * Return: true if so; else it may fail the PDC after a few such NACKs.
 */
static inline bool uet_peer_holds(struct uet_peer *peer)
{
	return uet_profile_says(uet_peer_profile(peer), UET_PROFILE_HOLDS,
				uet_habit_holds(&peer->habits));
}

/**
 * uet_peer_takes_errors() - does a peer take MSG_ERROR under a PSN that was used?
 * @peer: the peer
 *
 * Who NACKs probes does not run this module.
 *
 * Context: any.
 * Return: false if packets of messages given up are resent as they were.
 */
static inline bool uet_peer_takes_errors(struct uet_peer *peer)
{
	return uet_profile_says(uet_peer_profile(peer),
				UET_PROFILE_RESEND_AS_ERROR,
				!uet_habit_nacks_probes(&peer->habits));
}

/**
 * uet_profile_brief() - does a peer take SMALL and MEDIUM headers?
 * @peer: the peer
 * @profile: uet_peer_profile() of it
 *
 * Endpoints that do not drop them silently, so without a rule only a peer that sends
 * them gets them.
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool uet_profile_brief(const struct uet_peer *peer, u32 profile)
{
	return uet_profile_says(profile, UET_PROFILE_BRIEF_HEADERS,
				uet_habit_brief(&peer->habits));
}

#endif /* _UET_PEER_PROFILE_H */
