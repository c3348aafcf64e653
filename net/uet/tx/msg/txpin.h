/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages whose data is not copied.
 */
#ifndef _UET_TXPIN_H
#define _UET_TXPIN_H

#include <linux/types.h>

struct iov_iter;
struct list_head;
struct sk_buff;
struct ubuf_info;
struct uet_buffer;
struct uet_sock;
struct uet_txgaps;
struct uet_txmsg;

bool uet_txpin_worth(const struct uet_sock *us, const struct iov_iter *from,
		     size_t len);
struct ubuf_info *uet_txpin_begin(struct uet_sock *us, size_t pinned);
void uet_txpin_end(struct uet_sock *us, struct ubuf_info *ubuf, bool sent);
int uet_txpin_fill(struct uet_txmsg *msg, struct ubuf_info *ubuf,
		   struct iov_iter *from, u32 payload);
int uet_txpin_lend(struct uet_txmsg *msg, const struct uet_buffer *buf, u32 payload);
bool uet_txpin_refers(const struct iov_iter *from, u32 len);
int uet_txpin_refer(struct uet_txmsg *msg, struct list_head *bufs,
		    struct iov_iter *from, u32 off, u32 len);
void uet_txpin_plan(struct uet_txmsg *msg, u32 payload);
int uet_txpin_attach(struct uet_txmsg *msg, struct sk_buff *skb, u32 off, u32 len);
int uet_txpin_attach_run(struct uet_txmsg *msg, struct sk_buff *skb, u32 off,
			 u32 len, struct uet_txgaps *gaps);
void uet_txpin_drop(struct uet_txmsg *msg);

#endif /* _UET_TXPIN_H */
