/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounting of a socket's send buffer.
 */
#ifndef _UET_WMEM_H
#define _UET_WMEM_H

#include <linux/types.h>

struct uet_dest;
struct uet_sock;

/* For uet_sock_wake_below(): whenever anything is freed */
#define UET_WAKE_ANY		((s64)S32_MAX)

u64 uet_sock_wmem(const struct uet_sock *us);
u64 uet_sock_excess(struct uet_sock *us, const struct uet_dest *but);
bool uet_sock_dest_room(const struct uet_sock *us, const struct uet_dest *dest,
			u64 need);
bool uet_sock_tx_room(struct uet_sock *us, const struct uet_dest *dest,
		      u64 need, s64 *wake_at);
bool uet_sock_ask_room(struct uet_sock *us, const struct uet_dest *dest,
		       u64 need);
void uet_sock_wcharge(struct uet_sock *us, struct uet_dest *dest, u32 bytes,
		      bool first);
void uet_sock_wfree(struct uet_sock *us, struct uet_dest *dest, u32 bytes,
		    bool last);
void uet_sock_wake_below(struct uet_sock *us, s64 use);
void uet_sock_wake_tx(struct uet_sock *us);
void uet_sock_held(struct uet_sock *us);
void uet_sock_op_ended(struct uet_sock *us);

#endif /* _UET_WMEM_H */
