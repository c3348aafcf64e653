/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data of an outgoing message: pieces of pages, in message order.
 */
#ifndef _UET_TXDATA_H
#define _UET_TXDATA_H

#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/skbuff.h>
#include <linux/types.h>

#include "core/wire/hdr_run.h"

struct iov_iter;
struct uet_sock;
struct uet_txmsg;

#define UET_TXBUF_FRAGS		14

/* Fragments that data may take in a packet: one is left for the trailer (link/crc.c) */
#define UET_TX_SKB_FRAGS	(MAX_SKB_FRAGS - 1)

/**
 * struct uet_txfrag - a piece of data
 * @page: its page, with a reference
 * @off: where it begins; where a packet of a run begins, a gap is in front
 * @len: bytes
 */
struct uet_txfrag {
	struct page	*page;
	u32		off;
	u32		len;
};

/**
 * struct uet_txbuf - a block of message data
 * @node: in uet_txmsg.bufs
 * @start: offset in the message of the first byte
 * @len: bytes held
 * @nr: fragments in use
 * @gone: number of fragments at the start whose page was freed
 * @frags: the fragments; the last one may still grow
 */
struct uet_txbuf {
	struct list_head	node;
	u32			start;
	u32			len;
	u32			nr;
	u32			gone;
	struct uet_txfrag	frags[UET_TXBUF_FRAGS];
};

/**
 * struct uet_txgaps - where headers of a run belong
 * @n: their number
 * @at: UET_HDR_RUN_LEN bytes for each packet but the first: in the data, or of a
 *	pinned message in memory of the run
 */
struct uet_txgaps {
	u32	n;
	u8	*at[UET_RUN_MAX - 1];
};

struct uet_txbuf *uet_txbuf_tail(struct uet_txmsg *msg, struct list_head *bufs,
				 u32 off);
bool uet_skb_add_frag(struct sk_buff *skb, struct page *page, u32 off, u32 len);
int uet_txdata_refer(struct uet_txmsg *msg, struct sk_buff *skb, u32 off, u32 len,
		     struct uet_txgaps *gaps);

int uet_txdata_cache_init(void);
void uet_txdata_cache_exit(void);
void uet_txdata_lay_out(struct uet_txmsg *msg, u32 payload);
int uet_txdata_fill(struct uet_txmsg *msg, struct uet_sock *us,
		    struct iov_iter *from, u32 off, u32 bytes);
int uet_txdata_collect(struct uet_txmsg *msg, struct uet_sock *us,
		       struct iov_iter *from, u32 bytes, bool refer);
int uet_txdata_attach(struct uet_txmsg *msg, struct sk_buff *skb, u32 off,
		      u32 len);
int uet_txdata_copy(struct uet_txmsg *msg, struct sk_buff *skb, u32 off, u32 len);
int uet_txdata_attach_run(struct uet_txmsg *msg, struct sk_buff *skb, u32 off,
			  u32 len, struct uet_txgaps *gaps);
bool uet_txdata_joins(const struct uet_txmsg *msg, const struct sk_buff *skb);
u8 *uet_txdata_join(struct uet_txmsg *msg, struct sk_buff *skb);
void uet_txdata_release(struct uet_txmsg *msg, u32 end);
void uet_txdata_clear(struct uet_txmsg *msg);

#endif /* _UET_TXDATA_H */
