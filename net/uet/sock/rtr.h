/* SPDX-License-Identifier: GPL-2.0 */
/* Requests for messages that a socket has deferred: sock/rtr.c */
#ifndef _UET_RTR_H
#define _UET_RTR_H

struct uet_sock;

void uet_rtr_init(struct uet_sock *us);
void uet_rtr_close(struct uet_sock *us);

#endif /* _UET_RTR_H */
