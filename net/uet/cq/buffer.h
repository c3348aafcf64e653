/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of programs that the kernel writes to or sends from, whoever runs then, and the
 * programs whose it is.
 */
#ifndef _UET_CQ_BUFFER_H
#define _UET_CQ_BUFFER_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/skbuff.h>
#include <linux/types.h>

/* Pages of a buffer that need no array of their own */
#define UET_BUFFER_PAGES	2

struct uet_buffer;
struct uet_user;
struct uet_users;

/**
 * struct uet_buffer_ops - what has a buffer
 * @get: takes a reference to it, unless the last one is gone. Any context
 * @end: the program of the buffer has ended: ends the operation, and drops that
 *	reference. Process context
 * @free: frees it; process context
 */
struct uet_buffer_ops {
	bool (*get)(struct uet_buffer *buf);
	void (*end)(struct uet_buffer *buf);
	void (*free)(struct uet_buffer *buf);
};

/**
 * struct uet_buffer - a buffer of a program, whose pages are pinned
 * @ops: of what has it; constant
 * @user: the program; constant, NULL if the buffer has no pages
 * @node: in uet_user.buffers
 * @spent: in uet_user.spent
 * @pages: the pages, until they are given back
 * @nr: their number
 * @off: where in the first one the buffer begins
 * @writable: they are written to
 * @few: @pages, if they are few
 */
struct uet_buffer {
	const struct uet_buffer_ops	*ops;
	struct uet_user			*user;
	struct list_head		node;
	struct llist_node		spent;
	struct page			**pages;
	u32				nr;
	u32				off;
	bool				writable;
	struct page			*few[UET_BUFFER_PAGES];
};

/* Has it pages, or what else is to be given back? */
static inline bool uet_buffer_held(const struct uet_buffer *buf)
{
	return buf->user;
}

bool uet_buffer_gone(const struct uet_buffer *buf);
int uet_buffer_hold(struct uet_users *users, struct uet_buffer *buf, u64 addr, u32 len);
void uet_buffer_spend(struct uet_buffer *buf);
int uet_buffer_copy(const struct uet_buffer *buf, u64 at,
		    const struct sk_buff *skb, u32 off, u32 len);

struct uet_users *uet_users_new(void);
void uet_users_get(struct uet_users *users);
void uet_users_put(struct uet_users *users);
void uet_users_look(struct uet_users *users, bool all);
void uet_users_reap(struct uet_users *users);

int uet_buffer_init(void);
void uet_buffer_exit(void);

#endif /* _UET_CQ_BUFFER_H */
