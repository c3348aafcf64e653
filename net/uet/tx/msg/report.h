/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports of delivered and failed messages on the error queue of their socket.
 */
#ifndef _UET_REPORT_H
#define _UET_REPORT_H

#include <linux/types.h>

struct msghdr;
struct sock;
struct sockaddr_uet;
struct uet_cq;
struct uet_report;
struct uet_sock;
struct uet_txmsg;

bool uet_sock_report(struct uet_sock *us, const struct uet_report *rep,
		     const struct sockaddr_uet *peer, struct uet_txmsg *msg,
		     struct uet_cq **slot);
void uet_sock_drop_late(struct uet_sock *us);
bool uet_sock_has_report(const struct uet_sock *us);
int uet_sock_recv_report(struct sock *sk, struct msghdr *msg, size_t len);

#endif /* _UET_REPORT_H */
