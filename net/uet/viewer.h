/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who may see what: the same for netlink and /proc.
 *
 * Sockets, and what they send, are told to their user, and contexts and paths to those
 * whose messages use them.  All of it is for the administrator of the network.
 * Settings and counters are for everybody.
 */
#ifndef _UET_VIEWER_H
#define _UET_VIEWER_H

#include <linux/types.h>
#include <linux/uidgid.h>

/**
 * struct uet_viewer - who looks
 * @uid: user
 * @admin: has CAP_NET_ADMIN in the user namespace that owns the network namespace
 */
struct uet_viewer {
	kuid_t	uid;
	bool	admin;
};

/**
 * uet_may_see() - may somebody see what is a user's?
 * @viewer: who looks
 * @owner: the user
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool uet_may_see(const struct uet_viewer *viewer, kuid_t owner)
{
	return viewer->admin || uid_eq(viewer->uid, owner);
}

#endif /* _UET_VIEWER_H */
