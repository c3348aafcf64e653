/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completions of sends in the completion queue of their socket.
 */
#ifndef _UET_TX_DONE_H
#define _UET_TX_DONE_H

#include <linux/types.h>

struct sockaddr_uet;
struct ubuf_info;
struct uet_completion;
struct uet_cq;
struct uet_report;
struct uet_sock;

int uet_done_own(struct uet_sock *us, struct uet_cq **slot);
void uet_done_disown(struct uet_cq **slot);
bool uet_done_report(struct uet_sock *us, const struct uet_report *rep,
		     const struct sockaddr_uet *peer, struct uet_cq **slot);
struct ubuf_info *uet_done_ubuf(struct uet_sock *us, size_t pinned);
void uet_done_ubuf_name(struct ubuf_info *ubuf, u64 cookie);
bool uet_done_ubuf_end(struct ubuf_info *ubuf, bool sent);

#endif /* _UET_TX_DONE_H */
