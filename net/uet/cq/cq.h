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
struct uet_users;

/**
 * struct uet_cq_want - something that peers cause waits for a slot
 * @node: in uet_cq.wants; empty if not
 * @get: keeps what waits until @room has run; called with uet_cq.lock held
 * @room: there may be a slot now; in process context, without a lock
 */
struct uet_cq_want {
	struct list_head	node;
	void			(*get)(struct uet_cq_want *want);
	void			(*room)(struct uet_cq_want *want);
};

int uet_cq_create(struct uet_cq_params __user *params);
struct uet_cq *uet_cq_of(int fd);
void uet_cq_get(struct uet_cq *cq);
void uet_cq_put(struct uet_cq *cq);
struct uet_users *uet_cq_users(const struct uet_cq *cq);

bool uet_cq_own(struct uet_cq *cq, u32 n);
void uet_cq_disown(struct uet_cq *cq, u32 n);
void uet_cq_tell(struct uet_cq *cq, const struct uet_completion *done);
bool uet_cq_own_remote(struct uet_cq *cq, struct uet_cq_want *want);
void uet_cq_disown_remote(struct uet_cq *cq, u32 n);
void uet_cq_tell_remote(struct uet_cq *cq, const struct uet_completion *done);
void uet_cq_unwant(struct uet_cq *cq, struct uet_cq_want *want);

#endif /* _UET_CQ_H */
