/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Destinations that a socket watches (UET_WATCH).
 */
#ifndef _UET_WATCH_H
#define _UET_WATCH_H

#include <linux/types.h>
#include <linux/uet.h>

struct uet_dest;
struct uet_dest_key;
struct uet_sock;

bool uet_watch_valid(const struct uet_watch_req *req);
int uet_watch_set(struct uet_sock *us, const struct uet_dest_key *key,
		  const struct uet_watch_req *req);
void uet_watch_answered(struct uet_dest *dest, int error, u8 source, u16 code);
void uet_watch_stop(struct uet_sock *us);
void uet_watch_free(struct uet_sock *us);

#endif /* _UET_WATCH_H */
