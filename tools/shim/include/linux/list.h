/* SPDX-License-Identifier: GPL-2.0 */
/* Doubly linked circular lists, with the names and meanings of the kernel's. */
#ifndef _SHIM_LINUX_LIST_H
#define _SHIM_LINUX_LIST_H

#include <linux/kernel.h>
#include <linux/types.h>

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }
#define LIST_HEAD(name)		struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline bool list_is_last(const struct list_head *entry,
				const struct list_head *head)
{
	return entry->next == head;
}

static inline bool list_is_singular(const struct list_head *head)
{
	return !list_empty(head) && head->next == head->prev;
}

static inline void shim_list_join(struct list_head *a, struct list_head *b)
{
	a->next = b;
	b->prev = a;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	shim_list_join(entry, head->next);
	shim_list_join(head, entry);
}

static inline void list_add_tail(struct list_head *entry, struct list_head *head)
{
	list_add(entry, head->prev);
}

/* Following the pointers of a deleted entry is a fault. */
static inline void list_del(struct list_head *entry)
{
	shim_list_join(entry->prev, entry->next);
	entry->next = NULL;
	entry->prev = NULL;
}

static inline void list_del_init(struct list_head *entry)
{
	shim_list_join(entry->prev, entry->next);
	INIT_LIST_HEAD(entry);
}

static inline void list_move(struct list_head *entry, struct list_head *head)
{
	list_del(entry);
	list_add(entry, head);
}

static inline void list_move_tail(struct list_head *entry,
				  struct list_head *head)
{
	list_del(entry);
	list_add_tail(entry, head);
}

#define list_entry(ptr, type, member)	container_of(ptr, type, member)
#define list_first_entry(head, type, member) \
	list_entry((head)->next, type, member)
#define list_first_entry_or_null(head, type, member) \
	(list_empty(head) ? NULL : list_first_entry(head, type, member))
/* At the end of a walk there is no entry around the head: what would be one may be
 * misaligned, so it is not named with ->.
 */
#define shim_list_node(pos, member)					\
	((struct list_head *)((char *)(pos) +				\
			      offsetof(__typeof__(*(pos)), member)))
#define list_next_entry(pos, member)					\
	list_entry(shim_list_node(pos, member)->next,			\
		   __typeof__(*(pos)), member)
#define list_for_each_entry(pos, head, member)				\
	for (pos = list_first_entry(head, __typeof__(*pos), member);	\
	     shim_list_node(pos, member) != (head);			\
	     pos = list_next_entry(pos, member))
#define list_for_each_entry_safe(pos, n, head, member)			\
	for (pos = list_first_entry(head, __typeof__(*pos), member),	\
	     n = list_next_entry(pos, member);				\
	     shim_list_node(pos, member) != (head);			\
	     pos = n, n = list_next_entry(n, member))

#endif
