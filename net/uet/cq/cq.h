/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completion queues: what became of receives and messages, in memory that a program
 * shares (struct uet_cq_ring). Sockets that have the same one keep it alive.
 */
#ifndef _UET_CQ_H
#define _UET_CQ_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/uet.h>

struct uet_cq;

/* An event finds so many completions waiting for room: there is none for it */
#define UET_CQ_EVENTS	1024

/**
 * struct uet_cq_item - a completion that may have to wait for room
 * @node: in uet_cq.waiting
 * @done: what to tell
 * @free: gives the item back, once the program was told or will never be. Any context
 */
struct uet_cq_item {
	struct list_head	node;
	struct uet_completion	done;
	void			(*free)(struct uet_cq_item *item);
};

int uet_cq_create(struct uet_cq_params __user *params);
struct uet_cq *uet_cq_of(int fd);
void uet_cq_get(struct uet_cq *cq);
void uet_cq_put(struct uet_cq *cq);
void uet_cq_add(struct uet_cq *cq, struct uet_cq_item *item);
bool uet_cq_try_add(struct uet_cq *cq, struct uet_cq_item *item);
bool uet_cq_full(struct uet_cq *cq);

#endif /* _UET_CQ_H */
