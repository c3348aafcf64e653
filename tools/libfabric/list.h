/* SPDX-License-Identifier: GPL-2.0 */
/* Doubly linked lists with a head */
#ifndef UET_FI_LIST_H
#define UET_FI_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list	*next, *prev;
};

#define list_item(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))

static inline void list_init(struct list *l)
{
	l->next = l;
	l->prev = l;
}

static inline bool list_empty(const struct list *l)
{
	return l->next == l;
}

static inline void list_add(struct list *l, struct list *item)
{
	item->prev = l->prev;
	item->next = l;
	l->prev->next = item;
	l->prev = item;
}

/* An item that is in no list may be taken out again. */
static inline void list_del(struct list *item)
{
	item->prev->next = item->next;
	item->next->prev = item->prev;
	list_init(item);
}

#endif
