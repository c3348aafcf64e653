/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Buffers of programs that are written to when data comes, whoever runs then.
 */
#ifndef _UET_CQ_BUFFER_H
#define _UET_CQ_BUFFER_H

#include <linux/llist.h>
#include <linux/skbuff.h>
#include <linux/types.h>

/* Pages of a buffer that need no array of their own */
#define UET_BUFFER_PAGES	2

/**
 * struct uet_buffer - a buffer of a program, whose pages are held
 * @pages: the pages
 * @nr: their number
 * @off: where in the first one the buffer begins
 * @pin: they count for RLIMIT_MEMLOCK
 * @spent: in the list of those to be given back
 * @free: frees what has the buffer, in process context
 * @few: @pages, if they are few
 */
struct uet_buffer {
	struct page		**pages;
	u32			nr;
	u32			off;
	struct mmpin		pin;
	struct llist_node	spent;
	void			(*free)(struct uet_buffer *buf);
	struct page		*few[UET_BUFFER_PAGES];
};

/* Has it pages, or what else is to be given back? */
static inline bool uet_buffer_held(const struct uet_buffer *buf)
{
	return buf->pages;
}

int uet_buffer_hold(struct uet_buffer *buf, u64 addr, u32 len);
void uet_buffer_drop(struct uet_buffer *buf);
void uet_buffer_spend(struct uet_buffer *buf);
void uet_buffer_reap(void);
int uet_buffer_copy(const struct uet_buffer *buf, u64 at,
		    const struct sk_buff *skb, u32 off, u32 len);
void uet_buffer_exit(void);

#endif /* _UET_CQ_BUFFER_H */
