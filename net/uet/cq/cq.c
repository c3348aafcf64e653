// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues.
 *
 * The ring is memory of the kernel that a program maps. It may write there what it
 * likes: the kernel reads nothing but @head, and takes no more from it than how much room
 * there is. No completion is lost: each has memory of its own before its operation begins
 * (struct uet_cq_item), in which it waits while the ring is full; and who has completions
 * that wait cannot begin more. They move to the ring at the next completion or poll().
 * Events that no operation began (lost peers) have no such memory, and only so many of
 * them wait.
 *
 * Not here: what is told (rx/post.c, tx/report.c).
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "cq/cq.h"

/**
 * struct uet_cq - a completion queue
 * @ref: one of its file, one of each socket that has it
 * @lock: BH-disabled; a leaf
 * @ring: shared with programs
 * @done: its completions, which follow @ring
 * @size: of both, bytes
 * @entries: of @done
 * @tail: completions put into @ring so far
 * @waiting: completions that wait for room
 * @nr_waiting: length of @waiting; read without @lock, too
 * @closed: the file is gone: nobody is told any more
 * @wait: who polls
 * @pin: @ring counts for RLIMIT_MEMLOCK
 */
struct uet_cq {
	refcount_t		ref;
	spinlock_t		lock;	/* of all below */
	struct uet_cq_ring	*ring;
	struct uet_completion	*done;
	size_t			size;
	u32			entries;
	u32			tail;
	struct list_head	waiting;
	u32			nr_waiting;
	bool			closed;
	wait_queue_head_t	wait;
	struct mmpin		pin;
};

/* Completions that the program has not taken. A wrong @head means all of them. */
static u32 uet_cq_used(const struct uet_cq *cq)
{
	/* Pairs with the release by which the program gives entries back. */
	u32 used = cq->tail - smp_load_acquire(&cq->ring->head);

	return min(used, cq->entries);
}

static void uet_cq_put_done(struct uet_cq *cq, const struct uet_completion *done)
{
	lockdep_assert_held(&cq->lock);
	cq->done[cq->tail & (cq->entries - 1)] = *done;
	/* The program sees the completion before it sees that there is one. */
	smp_store_release(&cq->ring->tail, ++cq->tail);
}

/* Move what waits to the ring; @told gets those for which there was room. */
static void uet_cq_move(struct uet_cq *cq, struct list_head *told)
{
	struct uet_cq_item *item;
	u32 room;

	lockdep_assert_held(&cq->lock);
	if (likely(list_empty(&cq->waiting)))
		return;
	room = cq->entries - uet_cq_used(cq);
	while (room-- && !list_empty(&cq->waiting)) {
		item = list_first_entry(&cq->waiting, struct uet_cq_item, node);
		uet_cq_put_done(cq, &item->done);
		list_move_tail(&item->node, told);
		WRITE_ONCE(cq->nr_waiting, cq->nr_waiting - 1);
	}
	WRITE_ONCE(cq->ring->waiting, !list_empty(&cq->waiting));
}

static void uet_cq_free_items(struct list_head *items)
{
	struct uet_cq_item *item, *next;

	list_for_each_entry_safe(item, next, items, node) {
		list_del(&item->node);
		item->free(item);
	}
}

static void uet_cq_wake(struct uet_cq *cq)
{
	if (wq_has_sleeper(&cq->wait))
		wake_up_interruptible_poll(&cq->wait, EPOLLIN | EPOLLRDNORM);
}

/* Returns false if @most completions wait, or more; then nothing is done. */
static bool uet_cq_put_item(struct uet_cq *cq, struct uet_cq_item *item, u32 most)
{
	LIST_HEAD(told);
	bool closed;

	spin_lock_bh(&cq->lock);
	closed = cq->closed;
	if (likely(!closed && list_empty(&cq->waiting) &&
		   uet_cq_used(cq) < cq->entries)) {
		uet_cq_put_done(cq, &item->done);
		spin_unlock_bh(&cq->lock);
		item->free(item);
		uet_cq_wake(cq);
		return true;
	}
	if (!closed && cq->nr_waiting >= most) {
		spin_unlock_bh(&cq->lock);
		return false;
	}
	if (closed) {
		list_add_tail(&item->node, &told);
	} else {
		list_add_tail(&item->node, &cq->waiting);
		WRITE_ONCE(cq->nr_waiting, cq->nr_waiting + 1);
	}
	uet_cq_move(cq, &told);
	spin_unlock_bh(&cq->lock);
	uet_cq_free_items(&told);
	if (!closed)
		uet_cq_wake(cq);
	return true;
}

/**
 * uet_cq_add() - tell a completion
 * @cq: queue
 * @item: the completion; its @free is called at once or later
 *
 * Context: any.
 */
void uet_cq_add(struct uet_cq *cq, struct uet_cq_item *item)
{
	uet_cq_put_item(cq, item, U32_MAX);
}

/**
 * uet_cq_try_add() - tell what no operation of the program began
 * @cq: queue
 * @item: the completion; its @free is called at once or later, if it is told
 *
 * Context: any.
 * Return: false if %UET_CQ_EVENTS completions wait for room.
 */
bool uet_cq_try_add(struct uet_cq *cq, struct uet_cq_item *item)
{
	return uet_cq_put_item(cq, item, UET_CQ_EVENTS);
}

/**
 * uet_cq_full() - do completions wait for room?
 * @cq: queue
 *
 * Those that find room now do not.
 *
 * Context: process or softirq.
 * Return: true if so.
 */
bool uet_cq_full(struct uet_cq *cq)
{
	LIST_HEAD(told);
	bool full;

	if (likely(!READ_ONCE(cq->nr_waiting)))
		return false;
	spin_lock_bh(&cq->lock);
	uet_cq_move(cq, &told);
	full = !list_empty(&cq->waiting);
	spin_unlock_bh(&cq->lock);
	uet_cq_free_items(&told);
	return full;
}

/**
 * uet_cq_get() - take a reference
 * @cq: queue
 *
 * Context: any.
 */
void uet_cq_get(struct uet_cq *cq)
{
	refcount_inc(&cq->ref);
}

/**
 * uet_cq_put() - drop a reference
 * @cq: queue
 *
 * Context: any.
 */
void uet_cq_put(struct uet_cq *cq)
{
	if (!refcount_dec_and_test(&cq->ref))
		return;
	WARN_ON_ONCE(!list_empty(&cq->waiting));
	mm_unaccount_pinned_pages(&cq->pin);
	vfree(cq->ring);
	kfree(cq);
}

static int uet_cq_release(struct inode *inode, struct file *file)
{
	struct uet_cq *cq = file->private_data;
	LIST_HEAD(told);

	spin_lock_bh(&cq->lock);
	cq->closed = true;
	list_splice_init(&cq->waiting, &told);
	WRITE_ONCE(cq->nr_waiting, 0);
	spin_unlock_bh(&cq->lock);
	uet_cq_free_items(&told);
	uet_cq_put(cq);
	return 0;
}

static __poll_t uet_cq_poll(struct file *file, poll_table *wait)
{
	struct uet_cq *cq = file->private_data;
	LIST_HEAD(told);
	__poll_t mask;

	poll_wait(file, &cq->wait, wait);
	spin_lock_bh(&cq->lock);
	uet_cq_move(cq, &told);
	mask = uet_cq_used(cq) ? EPOLLIN | EPOLLRDNORM : 0;
	spin_unlock_bh(&cq->lock);
	uet_cq_free_items(&told);
	return mask;
}

static int uet_cq_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct uet_cq *cq = file->private_data;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	return remap_vmalloc_range(vma, cq->ring, vma->vm_pgoff);
}

static const struct file_operations uet_cq_fops = {
	.owner		= THIS_MODULE,
	.release	= uet_cq_release,
	.poll		= uet_cq_poll,
	.mmap		= uet_cq_mmap,
	.llseek		= noop_llseek,
};

static struct uet_cq *uet_cq_alloc(u32 entries)
{
	struct uet_cq *cq = kzalloc(sizeof(*cq), GFP_KERNEL_ACCOUNT);

	if (!cq)
		return ERR_PTR(-ENOMEM);
	cq->entries = roundup_pow_of_two(entries);
	cq->size = PAGE_ALIGN(sizeof(*cq->ring) +
			      cq->entries * sizeof(*cq->done));
	if (mm_account_pinned_pages(&cq->pin, cq->size)) {
		kfree(cq);
		return ERR_PTR(-ENOBUFS);
	}
	cq->ring = vmalloc_user(cq->size);
	if (!cq->ring) {
		mm_unaccount_pinned_pages(&cq->pin);
		kfree(cq);
		return ERR_PTR(-ENOMEM);
	}
	cq->done = (struct uet_completion *)(cq->ring + 1);
	cq->ring->entries = cq->entries;
	refcount_set(&cq->ref, 1);
	spin_lock_init(&cq->lock);
	INIT_LIST_HEAD(&cq->waiting);
	init_waitqueue_head(&cq->wait);
	return cq;
}

/**
 * uet_cq_create() - make a completion queue (SIOCUETCQ)
 * @params: see struct uet_cq_params
 *
 * Context: process.
 * Return: its descriptor, or a negative errno: -EFAULT, -EINVAL, -ENOMEM, -ENOBUFS
 * (RLIMIT_MEMLOCK), those of descriptors.
 */
int uet_cq_create(struct uet_cq_params __user *params)
{
	struct uet_cq_params p;
	struct uet_cq *cq;
	int fd;

	if (copy_from_user(&p, params, sizeof(p)))
		return -EFAULT;
	if (!p.entries || p.entries > UET_CQ_ENTRIES_MAX || p.flags || p.size)
		return -EINVAL;
	cq = uet_cq_alloc(p.entries);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	p.entries = cq->entries;
	p.size = cq->size;
	if (copy_to_user(params, &p, sizeof(p))) {
		uet_cq_put(cq);
		return -EFAULT;
	}
	fd = anon_inode_getfd("[uet-cq]", &uet_cq_fops, cq, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		uet_cq_put(cq);
	return fd;
}

/**
 * uet_cq_of() - the completion queue of a descriptor
 * @fd: descriptor
 *
 * Context: process.
 * Return: the queue with a reference, or ERR_PTR(): -EBADF, -EINVAL.
 */
struct uet_cq *uet_cq_of(int fd)
{
	struct file *file = fget(fd);
	struct uet_cq *cq;

	if (!file)
		return ERR_PTR(-EBADF);
	cq = ERR_PTR(-EINVAL);
	if (file->f_op == &uet_cq_fops) {
		cq = file->private_data;
		refcount_inc(&cq->ref);
	}
	fput(file);
	return cq;
}
