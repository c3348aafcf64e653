/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How users and peers share what is limited: contexts of a namespace and of a pair of
 * addresses, and the PDCIDs of an address.
 *
 * A user may hold less than what is left (dynamic thresholds, as in shared packet
 * buffers): one alone gets half, each of two a third, and some is always left for the
 * next one, without a setting. Peers leave a part to local users, and those who have not
 * proved their address another part to those who have.
 */
#ifndef _UET_CORE_SHARE_H
#define _UET_CORE_SHARE_H

#include "env.h"

/* Parts of a limit that are left, as shifts: by peers, all of them and strangers, ... */
#define UET_SHARE_PEERS_LEAVE		4
#define UET_SHARE_STRANGERS_LEAVE	3
/* ... by PDCs that are not needed, while idle ones stay, and by others */
#define UET_SHARE_SPARE_LEAVE		1
#define UET_SHARE_SHORT_LEAVE		3
#define UET_SHARE_NONE_LEAVE		31

/* The limit without the part that is left */
static inline u32 uet_share_left(u32 limit, u32 leave)
{
	return limit - (limit >> leave);
}

/**
 * uet_share_user() - may a user take another one?
 * @own: what the user holds
 * @used: what is held in all
 * @limit: how many there are
 *
 * Return: true if so.
 */
static inline bool uet_share_user(u32 own, u32 used, u32 limit)
{
	return used < limit && own < limit - used;
}

/**
 * uet_share_peer() - may a peer take another one?
 * @used: what is held in all
 * @limit: how many there are
 * @proved: its address is proved
 *
 * Return: true if so.
 */
static inline bool uet_share_peer(u32 used, u32 limit, bool proved)
{
	return used < uet_share_left(limit, proved ? UET_SHARE_PEERS_LEAVE :
						     UET_SHARE_STRANGERS_LEAVE);
}

#endif /* _UET_CORE_SHARE_H */
