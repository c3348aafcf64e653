// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues.
 *
 * The ring is memory of the kernel that a program maps. It may write there what it likes:
 * the kernel reads nothing but @head, and takes no more from it than how much room there
 * is. No completion is lost, and none waits: who begins an operation owns a slot of the
 * ring from then on, or does not begin it (core/slots.h). What peers cause has a share of
 * the slots; what finds none there waits where it is, under the limits that hold there, and
 * is told when poll() finds a slot (struct uet_cq_want).
 *
 * Once the file is gone there is nobody to tell: then all slots are free, and nothing waits.
 *
 * Not here: what is told (rx/ses/post.c, tx/msg/done.c).
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

#include "core/slots.h"
#include "cq/buffer.h"
#include "cq/cq.h"

/* Of so many entries one is for what peers cause */
#define UET_CQ_REMOTE_PART	4

/* Entries at least: each share has one */
#define UET_CQ_ENTRIES_MIN	4

/**
 * struct uet_cq - a completion queue
 * @ref: one of its file, one of each socket that has it
 * @lock: BH-disabled; a leaf
 * @ring: shared with programs
 * @done: its completions, which follow @ring
 * @size: of both, bytes
 * @slots: which of @done are free
 * @wants: struct uet_cq_want, what waits for a slot
 * @closed: the file is gone: nobody is told any more
 * @wait: who polls
 * @pin: @ring counts for RLIMIT_MEMLOCK
 * @users: programs whose pages its operations have; with a reference, constant
 */
struct uet_cq {
	refcount_t		ref;
	spinlock_t		lock;	/* of all below */
	struct uet_cq_ring	*ring;
	struct uet_completion	*done;
	size_t			size;
	struct uet_slots	slots;
	struct list_head	wants;
	bool			closed;
	wait_queue_head_t	wait;
	struct mmpin		pin;
	struct uet_users	*users;
};

/* Look which completions the program has taken. */
static void uet_cq_look(struct uet_cq *cq)
{
	lockdep_assert_held(&cq->lock);
	/* Pairs with the release by which the program gives entries back. */
	uet_slots_taken(&cq->slots, smp_load_acquire(&cq->ring->head));
}

static bool uet_cq_own_of(struct uet_cq *cq, enum uet_slots_share share, u32 n)
{
	lockdep_assert_held(&cq->lock);
	if (unlikely(cq->closed) || uet_slots_own(&cq->slots, share, n))
		return true;
	uet_cq_look(cq);
	return uet_slots_own(&cq->slots, share, n);
}

/**
 * uet_cq_own() - take slots for operations that are about to begin
 * @cq: queue
 * @n: number of completions that there will be
 *
 * Each is for uet_cq_tell() or uet_cq_disown().
 *
 * Context: any.
 * Return: false if there are not so many: the caller answers EAGAIN.
 */
bool uet_cq_own(struct uet_cq *cq, u32 n)
{
	bool ret;

	spin_lock_bh(&cq->lock);
	ret = uet_cq_own_of(cq, UET_SLOTS_OWN, n);
	spin_unlock_bh(&cq->lock);
	return ret;
}

static void uet_cq_disown_of(struct uet_cq *cq, enum uet_slots_share share, u32 n)
{
	spin_lock_bh(&cq->lock);
	if (likely(!cq->closed))
		uet_slots_disown(&cq->slots, share, n);
	spin_unlock_bh(&cq->lock);
}

/**
 * uet_cq_disown() - give slots back: there is nothing to tell
 * @cq: queue
 * @n: number, of uet_cq_own()
 *
 * Context: any.
 */
void uet_cq_disown(struct uet_cq *cq, u32 n)
{
	uet_cq_disown_of(cq, UET_SLOTS_OWN, n);
}

/**
 * uet_cq_disown_remote() - give slots of uet_cq_own_remote() back
 * @cq: queue
 * @n: number
 *
 * Context: any.
 */
void uet_cq_disown_remote(struct uet_cq *cq, u32 n)
{
	uet_cq_disown_of(cq, UET_SLOTS_REMOTE, n);
}

/**
 * uet_cq_own_remote() - take a slot for what a peer has caused
 * @cq: queue
 * @want: what waits if there is none, or NULL
 *
 * The slot is for uet_cq_tell_remote(). Without one @want is noted, unless it is already:
 * its @room will be called when there is one.
 *
 * Context: any.
 * Return: false if there is none.
 */
bool uet_cq_own_remote(struct uet_cq *cq, struct uet_cq_want *want)
{
	bool ret;

	spin_lock_bh(&cq->lock);
	ret = uet_cq_own_of(cq, UET_SLOTS_REMOTE, 1);
	if (!ret && want && list_empty(&want->node)) {
		list_add_tail(&want->node, &cq->wants);
		WRITE_ONCE(cq->ring->waiting, 1);
	}
	spin_unlock_bh(&cq->lock);
	return ret;
}

/* What is noted does not wait any more. */
static void uet_cq_forget(struct uet_cq *cq, struct uet_cq_want *want)
{
	lockdep_assert_held(&cq->lock);
	list_del_init(&want->node);
	WRITE_ONCE(cq->ring->waiting, !list_empty(&cq->wants));
}

/**
 * uet_cq_unwant() - what may be noted waits no more
 * @cq: queue
 * @want: of uet_cq_own_remote()
 *
 * Its @room may run still.
 *
 * Context: any.
 */
void uet_cq_unwant(struct uet_cq *cq, struct uet_cq_want *want)
{
	spin_lock_bh(&cq->lock);
	if (!list_empty(&want->node))
		uet_cq_forget(cq, want);
	spin_unlock_bh(&cq->lock);
}

static void uet_cq_wake(struct uet_cq *cq)
{
	if (wq_has_sleeper(&cq->wait))
		wake_up_interruptible_poll(&cq->wait, EPOLLIN | EPOLLRDNORM);
}

static void uet_cq_tell_of(struct uet_cq *cq, enum uet_slots_share share,
			   const struct uet_completion *done)
{
	spin_lock_bh(&cq->lock);
	if (unlikely(cq->closed)) {
		spin_unlock_bh(&cq->lock);
		return;
	}
	cq->done[uet_slots_tell(&cq->slots, share)] = *done;
	/* The program sees the completion before it sees that there is one. */
	smp_store_release(&cq->ring->tail, cq->slots.tail);
	spin_unlock_bh(&cq->lock);
	uet_cq_wake(cq);
}

/**
 * uet_cq_tell() - tell what has become of an operation
 * @cq: queue, of which a slot is owned by uet_cq_own()
 * @done: the completion
 *
 * Context: any.
 */
void uet_cq_tell(struct uet_cq *cq, const struct uet_completion *done)
{
	uet_cq_tell_of(cq, UET_SLOTS_OWN, done);
}

/**
 * uet_cq_tell_remote() - tell what a peer has caused
 * @cq: queue, of which a slot is owned by uet_cq_own_remote()
 * @done: the completion
 *
 * Context: any.
 */
void uet_cq_tell_remote(struct uet_cq *cq, const struct uet_completion *done)
{
	uet_cq_tell_of(cq, UET_SLOTS_REMOTE, done);
}

/* Give free slots to those who wait: each takes what it needs, and waits anew. */
static void uet_cq_serve(struct uet_cq *cq)
{
	struct uet_cq_want *want;
	LIST_HEAD(round);

	spin_lock_bh(&cq->lock);
	uet_cq_look(cq);
	list_splice_init(&cq->wants, &round);
	while (!list_empty(&round)) {
		want = list_first_entry(&round, struct uet_cq_want, node);
		if (!uet_slots_free(&cq->slots, UET_SLOTS_REMOTE)) {
			list_splice_init(&round, &cq->wants);
			break;
		}
		uet_cq_forget(cq, want);
		want->get(want);
		spin_unlock_bh(&cq->lock);
		want->room(want);
		spin_lock_bh(&cq->lock);
	}
	WRITE_ONCE(cq->ring->waiting, !list_empty(&cq->wants));
	spin_unlock_bh(&cq->lock);
}

/**
 * uet_cq_users() - programs whose pages operations on a queue have
 * @cq: queue
 *
 * Context: any.
 * Return: them, for as long as the queue.
 */
struct uet_users *uet_cq_users(const struct uet_cq *cq)
{
	return cq->users;
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
	WARN_ON_ONCE(!list_empty(&cq->wants));
	mm_unaccount_pinned_pages(&cq->pin);
	kvfree(cq->slots.remotes);
	vfree(cq->ring);
	uet_users_put(cq->users);
	kfree(cq);
}

/* A descriptor is closed: by a program that ends, maybe. */
static int uet_cq_flush(struct file *file, fl_owner_t owner)
{
	struct uet_cq *cq = file->private_data;

	uet_users_look(cq->users, false);
	return 0;
}

static int uet_cq_release(struct inode *inode, struct file *file)
{
	struct uet_cq *cq = file->private_data;
	struct uet_cq_want *want, *next;

	spin_lock_bh(&cq->lock);
	cq->closed = true;
	/* The receives that they wait for end now. */
	list_for_each_entry_safe(want, next, &cq->wants, node)
		uet_cq_forget(cq, want);
	spin_unlock_bh(&cq->lock);
	uet_users_look(cq->users, true);
	uet_cq_put(cq);
	return 0;
}

static __poll_t uet_cq_poll(struct file *file, poll_table *wait)
{
	struct uet_cq *cq = file->private_data;
	bool filled, wants;

	poll_wait(file, &cq->wait, wait);
	spin_lock_bh(&cq->lock);
	wants = !list_empty(&cq->wants);
	spin_unlock_bh(&cq->lock);
	if (unlikely(wants))
		uet_cq_serve(cq);
	spin_lock_bh(&cq->lock);
	uet_cq_look(cq);
	filled = uet_slots_filled(&cq->slots);
	spin_unlock_bh(&cq->lock);
	return filled ? EPOLLIN | EPOLLRDNORM : 0;
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
	.flush		= uet_cq_flush,
	.release	= uet_cq_release,
	.poll		= uet_cq_poll,
	.mmap		= uet_cq_mmap,
	.llseek		= noop_llseek,
};

static struct uet_cq *uet_cq_alloc(u32 entries)
{
	struct uet_cq *cq = kzalloc(sizeof(*cq), GFP_KERNEL_ACCOUNT);
	u16 *remotes;

	if (!cq)
		return ERR_PTR(-ENOMEM);
	entries = roundup_pow_of_two(max_t(u32, entries, UET_CQ_ENTRIES_MIN));
	cq->size = PAGE_ALIGN(sizeof(*cq->ring) + entries * sizeof(*cq->done));
	if (mm_account_pinned_pages(&cq->pin, cq->size)) {
		kfree(cq);
		return ERR_PTR(-ENOBUFS);
	}
	cq->users = uet_users_new();
	cq->ring = vmalloc_user(cq->size);
	remotes = kvcalloc(entries, sizeof(*remotes), GFP_KERNEL_ACCOUNT);
	if (!cq->ring || !remotes || !cq->users) {
		kvfree(remotes);
		vfree(cq->ring);
		if (cq->users)
			uet_users_put(cq->users);
		mm_unaccount_pinned_pages(&cq->pin);
		kfree(cq);
		return ERR_PTR(-ENOMEM);
	}
	uet_slots_init(&cq->slots, entries, entries / UET_CQ_REMOTE_PART, remotes);
	cq->done = (struct uet_completion *)(cq->ring + 1);
	cq->ring->entries = entries;
	refcount_set(&cq->ref, 1);
	spin_lock_init(&cq->lock);
	INIT_LIST_HEAD(&cq->wants);
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
	p.entries = cq->slots.entries;
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
