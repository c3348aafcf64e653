/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Destinations that a socket had sends refused to, for poll().
 */
#ifndef _UET_REFUSED_H
#define _UET_REFUSED_H

#include <linux/types.h>
#include <linux/uet.h>

struct uet_dest;
struct uet_sock;

void uet_refused_init(struct uet_sock *us);
void uet_refused_stop(struct uet_sock *us);
void uet_refused_note(struct uet_sock *us, struct uet_dest *dest, u32 need);
void uet_refused_taken(struct uet_sock *us, struct uet_dest *dest, u32 need);
bool uet_refused_look(struct uet_sock *us, bool *waits);
u32 uet_refused_take(struct uet_sock *us, struct sockaddr_uet *names, u32 max);

#endif /* _UET_REFUSED_H */
