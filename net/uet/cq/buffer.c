// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of programs that the kernel writes to or sends from, whoever runs then.
 *
 * Pages are pinned when an operation is posted. What a program does with its addresses
 * meanwhile (munmap(), mprotect(), fork()) is its own affair: data goes to the pages that
 * were there. They belong to the program that posted: when its address space goes, by
 * exit() or exec(), its operations end and the pages go, whoever else has the socket or
 * the queue; and when the queue is closed.
 *
 * A program is its address space (struct mm_struct), of which only the structure is kept.
 * That nobody uses it any more is seen when a descriptor of the queue is closed, which
 * exit() and exec() do after they have left it, or else within UET_USER_LOOK_MS. Then
 * uet_user.gone is set. Who writes to pages asks it in the RCU read section in which it
 * writes, so that after a grace period the pages can go; packets that refer to pages hold
 * their buffer by its own reference count. The program that ends waits for neither.
 *
 * Pages are given back in process context: by the next call of their program, or by work
 * of the queue a little later. They count in mm->pinned_vm against RLIMIT_MEMLOCK, as
 * those of other drivers do.
 *
 * Not here: which data goes to which buffer (rx/ses/post.c), messages that are sent from pages
 * (tx/msg/op.c, tx/msg/txpin.c).
 */
#include <linux/backing-dev.h>
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "cq/buffer.h"

/* How long pages that are used up are kept at most, ms */
#define UET_BUFFER_KEEP_MS	20

/* How often programs with pages are looked at, ms */
#define UET_USER_LOOK_MS	1000

/* Pages pinned in one step: between two looks for a signal that kills */
#define UET_BUFFER_STEP		1024

/**
 * struct uet_user - a program that has pages pinned by operations on a queue
 * @node: in uet_users.live or .ended; uet_users.lock, as @nr and @told
 * @users: those of its queue; it has no reference, but its buffers have
 * @mm: its address space, the structure only
 * @gone: it has ended; set once
 * @told: its operations are ended, or about to be
 * @grace: RCU grace period after which all know that it is @gone
 * @nr: its buffers that are not freed
 * @lock: of @buffers; BH-disabled
 * @buffers: those of them that are not being freed or ended
 * @spent: buffers that are used up
 */
struct uet_user {
	struct list_head	node;
	struct uet_users	*users;
	struct mm_struct	*mm;
	bool			gone;
	bool			told;
	unsigned long		grace;
	u32			nr;
	spinlock_t		lock;	/* of buffers */
	struct list_head	buffers;
	struct llist_head	spent;
};

/**
 * struct uet_users - the programs of a queue
 * @ref: of the queue, of each buffer, and of @work while it is pending or runs
 * @lock: of all below. A mutex
 * @closed: the queue is
 * @live: programs that have not ended
 * @ended: others, until their last buffer is freed
 * @work: gives pages back and looks for programs that have ended
 * @soon: bit 0: @work will run within UET_BUFFER_KEEP_MS: nobody puts it off
 */
struct uet_users {
	refcount_t		ref;
	struct mutex		lock;	/* closed, live, ended */
	bool			closed;
	struct list_head	live;
	struct list_head	ended;
	struct delayed_work	work;
	unsigned long		soon;
};

static struct workqueue_struct *uet_user_wq;
static atomic_t uet_users_alive;
static DECLARE_WAIT_QUEUE_HEAD(uet_users_gone);

/* Work of a queue has a reference while it is pending. */
static void uet_users_work_in(struct uet_users *users, u32 ms, bool sooner)
{
	unsigned long delay = msecs_to_jiffies(ms);
	bool had;

	uet_users_get(users);
	if (sooner)
		had = mod_delayed_work(uet_user_wq, &users->work, delay);
	else
		had = !queue_delayed_work(uet_user_wq, &users->work, delay);
	if (had)
		uet_users_put(users);
}

static struct uet_user *uet_user_find(struct uet_users *users)
{
	struct uet_user *user;

	lockdep_assert_held(&users->lock);
	list_for_each_entry(user, &users->live, node)
		if (user->mm == current->mm)
			return user;
	return NULL;
}

/* The current program; made if there is none yet */
static struct uet_user *uet_user_current(struct uet_users *users)
{
	struct uet_user *user = uet_user_find(users);

	if (user)
		return user;
	user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (!user)
		return NULL;
	user->users = users;
	user->mm = current->mm;
	mmgrab(user->mm);
	spin_lock_init(&user->lock);
	INIT_LIST_HEAD(&user->buffers);
	init_llist_head(&user->spent);
	list_add(&user->node, &users->live);
	return user;
}

static void uet_user_free(struct uet_user *user)
{
	lockdep_assert_held(&user->users->lock);
	list_del(&user->node);
	mmdrop(user->mm);
	kfree(user);
}

/* A buffer is gone, or a reference that counts as one. */
static void uet_user_put(struct uet_user *user)
{
	struct uet_users *users = user->users;

	mutex_lock(&users->lock);
	if (!--user->nr && user->gone)
		uet_user_free(user);
	mutex_unlock(&users->lock);
}

/* Count pages for RLIMIT_MEMLOCK of the current program. */
static bool uet_user_charge(u32 nr)
{
	u64 limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;

	if ((u64)atomic64_add_return(nr, &current->mm->pinned_vm) <= limit ||
	    capable(CAP_IPC_LOCK))
		return true;
	atomic64_sub(nr, &current->mm->pinned_vm);
	return false;
}

/* May memory of others than the program be written to for long? File systems write pages
 * back, and must hear of each write: only the page tables tell them (FOLL_LONGTERM has the
 * same rule from Linux 6.5 on).
 */
static bool uet_vma_writable(const struct vm_area_struct *vma)
{
	if ((vma->vm_flags & (VM_SHARED | VM_WRITE)) != (VM_SHARED | VM_WRITE) ||
	    !vma->vm_file || !vma->vm_ops)
		return true;
	return !vma->vm_ops->page_mkwrite && !vma->vm_ops->pfn_mkwrite &&
	       !mapping_can_writeback(vma->vm_file->f_mapping);
}

static int uet_buffer_check(u64 addr, u32 len)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	u64 end;
	int err = 0;

	addr = untagged_addr(addr);
	end = addr + len;
	if (mmap_read_lock_killable(mm))
		return -EINTR;
	while (!err && addr < end) {
		vma = find_vma(mm, addr);
		/* A stack may grow. */
		if (!vma)
			err = -EFAULT;
		else if (!uet_vma_writable(vma))
			err = -EOPNOTSUPP;
		else
			addr = vma->vm_end;
	}
	mmap_read_unlock(mm);
	return err;
}

/* Give the pages of a buffer back, of @counted in all. */
static void uet_buffer_unpin(struct uet_buffer *buf, u32 counted)
{
	if (!buf->pages)
		return;
	if (buf->writable)
		unpin_user_pages_dirty_lock(buf->pages, buf->nr, true);
	else
		unpin_user_pages(buf->pages, buf->nr);
	if (buf->pages != buf->few)
		kvfree(buf->pages);
	buf->pages = NULL;
	atomic64_sub(counted, &buf->user->mm->pinned_vm);
}

static int uet_buffer_pin(struct uet_buffer *buf, u64 addr, u32 nr)
{
	unsigned int flags = FOLL_LONGTERM | (buf->writable ? FOLL_WRITE : 0);
	unsigned long start = (unsigned long)addr & PAGE_MASK;
	int n;

	while (buf->nr < nr) {
		if (fatal_signal_pending(current))
			return -EINTR;
		n = pin_user_pages_fast(start + ((unsigned long)buf->nr << PAGE_SHIFT),
					min_t(u32, nr - buf->nr, UET_BUFFER_STEP),
					flags, buf->pages + buf->nr);
		if (n <= 0)
			return n ?: -EFAULT;
		buf->nr += n;
		cond_resched();
	}
	return 0;
}

/* Make a buffer one of the current program. Returns an errno. */
static int uet_buffer_enlist(struct uet_users *users, struct uet_buffer *buf)
{
	struct uet_user *user = NULL;
	int err = -ESHUTDOWN;

	mutex_lock(&users->lock);
	if (!users->closed) {
		user = uet_user_current(users);
		err = user ? 0 : -ENOMEM;
	}
	if (user && !user->nr++)
		uet_users_work_in(users, UET_USER_LOOK_MS, false);
	mutex_unlock(&users->lock);
	if (err)
		return err;
	uet_users_get(users);
	INIT_LIST_HEAD(&buf->node);
	buf->user = user;
	return 0;
}

/* Undo uet_buffer_enlist(); it is in no list, and has no pages. */
static void uet_buffer_delist(struct uet_buffer *buf)
{
	struct uet_users *users = buf->user->users;

	uet_user_put(buf->user);
	uet_users_put(users);
	buf->user = NULL;
}

/* It has all its pages, and may be ended from now on: unless its queue was closed. */
static bool uet_buffer_ready(struct uet_buffer *buf)
{
	struct uet_user *user = buf->user;
	bool gone;

	spin_lock_bh(&user->lock);
	gone = user->gone;
	if (!gone)
		list_add_tail(&buf->node, &user->buffers);
	spin_unlock_bh(&user->lock);
	return !gone;
}

/**
 * uet_buffer_hold() - pin the pages of a buffer
 * @users: programs of the queue that the operation has
 * @buf: zeroed, but for @ops and @writable
 * @addr: address in the current process
 * @len: bytes
 *
 * From then on it may be ended (uet_buffer_ops.end).
 *
 * Context: process; sleeps.
 * Return: 0; -EFAULT, -ENOMEM, -ENOBUFS (RLIMIT_MEMLOCK), -EOPNOTSUPP (memory that cannot
 * be pinned), -EINTR (a signal kills the program), -ESHUTDOWN (the queue was closed).
 */
int uet_buffer_hold(struct uet_users *users, struct uet_buffer *buf, u64 addr, u32 len)
{
	u32 nr;
	int err;

	if (!len)
		return 0;
	if (!current->mm || addr + len < addr || !access_ok(u64_to_user_ptr(addr), len))
		return -EFAULT;
	err = buf->writable ? uet_buffer_check(addr, len) : 0;
	if (err)
		return err;
	buf->off = offset_in_page(addr);
	nr = DIV_ROUND_UP((u64)buf->off + len, PAGE_SIZE);
	buf->pages = buf->few;
	if (nr > UET_BUFFER_PAGES)
		buf->pages = kvmalloc_array(nr, sizeof(*buf->pages),
					    GFP_KERNEL_ACCOUNT);
	if (!buf->pages)
		return -ENOMEM;
	err = -ENOBUFS;
	if (!uet_user_charge(nr))
		goto err_free;
	err = uet_buffer_enlist(users, buf);
	if (err)
		goto err_charge;
	err = uet_buffer_pin(buf, addr, nr);
	if (!err && !uet_buffer_ready(buf))
		err = -ESHUTDOWN;
	if (!err)
		return 0;
	uet_buffer_unpin(buf, nr);
	uet_buffer_delist(buf);
	return err;

err_charge:
	atomic64_sub(nr, &current->mm->pinned_vm);
err_free:
	if (buf->pages != buf->few)
		kvfree(buf->pages);
	buf->pages = NULL;
	return err;
}

/**
 * uet_buffer_spend() - a buffer is used up
 * @buf: buffer with pages; uet_buffer_ops.free is called later
 *
 * Context: any.
 */
void uet_buffer_spend(struct uet_buffer *buf)
{
	struct uet_users *users = buf->user->users;

	/* In the list it may be freed by others, and then its program and its queue. */
	uet_users_get(users);
	/* A full barrier, if set or not; pairs with uet_users_work() */
	if (llist_add(&buf->spent, &buf->user->spent) && !test_and_set_bit(0, &users->soon))
		uet_users_work_in(users, UET_BUFFER_KEEP_MS, true);
	uet_users_put(users);
}

/**
 * uet_buffer_gone() - has the program of a buffer ended?
 * @buf: buffer
 *
 * Context: any. A "no" holds for as long as the RCU read section that it is asked in.
 * Return: true if so.
 */
bool uet_buffer_gone(const struct uet_buffer *buf)
{
	return buf->user && READ_ONCE(buf->user->gone);
}

static int uet_buffer_write(const struct uet_buffer *buf, u64 at,
			    const struct sk_buff *skb, u32 off, u32 len)
{
	u64 pos = buf->off + at;

	while (len) {
		struct page *page = buf->pages[pos >> PAGE_SHIFT];
		u32 in = offset_in_page(pos);
		u32 n = min_t(u32, len, PAGE_SIZE - in);

		/* There is no highmem on 64 bits. */
		if (skb_copy_bits(skb, off, page_address(page) + in, n))
			return -EFAULT;
		flush_dcache_page(page);
		pos += n;
		off += n;
		len -= n;
	}
	return 0;
}

/**
 * uet_buffer_copy() - write payload of a packet to a buffer
 * @buf: buffer
 * @at: where in the buffer
 * @skb: packet
 * @off: offset from skb->data
 * @len: bytes; all of them fit the buffer
 *
 * Nothing is written if its program has ended.
 *
 * Context: any.
 * Return: 0 or -EFAULT, if the packet has less.
 */
int uet_buffer_copy(const struct uet_buffer *buf, u64 at,
		    const struct sk_buff *skb, u32 off, u32 len)
{
	int err = 0;

	rcu_read_lock();
	if (likely(!uet_buffer_gone(buf)))
		err = uet_buffer_write(buf, at, skb, off, len);
	rcu_read_unlock();
	return err;
}

/* Free buffers that are used up. */
static void uet_buffers_free(struct llist_node *list)
{
	struct uet_buffer *buf, *next;

	llist_for_each_entry_safe(buf, next, list, spent) {
		spin_lock_bh(&buf->user->lock);
		list_del_init(&buf->node);
		spin_unlock_bh(&buf->user->lock);
		uet_buffer_unpin(buf, buf->nr);
		uet_buffer_delist(buf);
		buf->ops->free(buf);
		cond_resched();
	}
}

/**
 * uet_users_reap() - give back the pages that the current program needs no more
 * @users: programs of its queue
 *
 * Context: process; sleeps.
 */
void uet_users_reap(struct uet_users *users)
{
	struct llist_node *spent = NULL;
	struct uet_user *user;

	mutex_lock(&users->lock);
	user = uet_user_find(users);
	if (user)
		spent = llist_del_all(&user->spent);
	mutex_unlock(&users->lock);
	uet_buffers_free(spent);
}

/* Who has no pages any more goes at once. */
static bool uet_user_gone(struct uet_user *user)
{
	spin_lock_bh(&user->lock);
	WRITE_ONCE(user->gone, true);
	spin_unlock_bh(&user->lock);
	if (!user->nr) {
		uet_user_free(user);
		return false;
	}
	user->grace = get_state_synchronize_rcu();
	list_move(&user->node, &user->users->ended);
	return true;
}

/**
 * uet_users_look() - look for programs that have ended
 * @users: programs of a queue
 * @all: their queue is closed: all have
 *
 * Context: process; waits for nobody.
 */
void uet_users_look(struct uet_users *users, bool all)
{
	struct uet_user *user, *next;
	bool some = false;

	mutex_lock(&users->lock);
	users->closed |= all;
	list_for_each_entry_safe(user, next, &users->live, node)
		if (all || !atomic_read(&user->mm->mm_users))
			some |= uet_user_gone(user);
	mutex_unlock(&users->lock);
	if (!some)
		return;
	set_bit(0, &users->soon);
	uet_users_work_in(users, 0, true);
}

/* End the operations of a program that has ended. */
static void uet_user_end(struct uet_user *user)
{
	struct uet_buffer *buf, *next;
	LIST_HEAD(mine);

	cond_synchronize_rcu(user->grace);
	spin_lock_bh(&user->lock);
	list_for_each_entry_safe(buf, next, &user->buffers, node)
		/* Others are in uet_user.spent, or will be in a moment. */
		if (buf->ops->get(buf))
			list_move_tail(&buf->node, &mine);
	spin_unlock_bh(&user->lock);
	list_for_each_entry_safe(buf, next, &mine, node) {
		list_del_init(&buf->node);
		/* Nobody writes there any more. */
		if (buf->writable)
			uet_buffer_unpin(buf, buf->nr);
		buf->ops->end(buf);
		cond_resched();
	}
}

/* The next program whose operations are to be ended; it stays until uet_user_put(). */
static struct uet_user *uet_users_next_ended(struct uet_users *users)
{
	struct uet_user *user;

	mutex_lock(&users->lock);
	list_for_each_entry(user, &users->ended, node) {
		if (user->told)
			continue;
		user->told = true;
		user->nr++;
		mutex_unlock(&users->lock);
		return user;
	}
	mutex_unlock(&users->lock);
	return NULL;
}

/* Take all that is used up; returns true if there are pages. Who has none is forgotten:
 * nobody would see it end.
 */
static bool uet_users_spent(struct uet_users *users, struct llist_head *spent)
{
	struct list_head *lists[] = { &users->live, &users->ended };
	struct uet_buffer *buf, *next;
	struct uet_user *user, *other;
	bool some = false;
	u32 i;

	mutex_lock(&users->lock);
	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		list_for_each_entry_safe(user, other, lists[i], node) {
			if (!user->nr) {
				uet_user_free(user);
				continue;
			}
			some = true;
			llist_for_each_entry_safe(buf, next, llist_del_all(&user->spent),
						  spent)
				__llist_add(&buf->spent, spent);
		}
	}
	mutex_unlock(&users->lock);
	return some;
}

static void uet_users_work(struct work_struct *work)
{
	struct uet_users *users = container_of(to_delayed_work(work),
					       struct uet_users, work);
	LLIST_HEAD(spent);
	struct uet_user *user;

	clear_bit(0, &users->soon);
	/* Whoever saw it set has added what is looked for now. */
	smp_mb__after_atomic();
	uet_users_look(users, false);
	while ((user = uet_users_next_ended(users))) {
		uet_user_end(user);
		uet_user_put(user);
	}
	if (uet_users_spent(users, &spent))
		uet_users_work_in(users, UET_USER_LOOK_MS, false);
	uet_buffers_free(spent.first);
	uet_users_put(users);
}

/**
 * uet_users_new() - the programs of a new queue
 *
 * Context: process; sleeps.
 * Return: it, with a reference; NULL without memory.
 */
struct uet_users *uet_users_new(void)
{
	struct uet_users *users = kzalloc(sizeof(*users), GFP_KERNEL_ACCOUNT);

	if (!users)
		return NULL;
	refcount_set(&users->ref, 1);
	mutex_init(&users->lock);
	INIT_LIST_HEAD(&users->live);
	INIT_LIST_HEAD(&users->ended);
	INIT_DELAYED_WORK(&users->work, uet_users_work);
	atomic_inc(&uet_users_alive);
	return users;
}

/**
 * uet_users_get() - take a reference
 * @users: programs of a queue
 *
 * Context: any.
 */
void uet_users_get(struct uet_users *users)
{
	refcount_inc(&users->ref);
}

/**
 * uet_users_put() - drop a reference
 * @users: programs of a queue
 *
 * Context: any.
 */
void uet_users_put(struct uet_users *users)
{
	if (!refcount_dec_and_test(&users->ref))
		return;
	kfree(users);
	if (atomic_dec_and_test(&uet_users_alive))
		wake_up(&uet_users_gone);
}

/**
 * uet_buffer_init() - prepare to give pages back
 *
 * Return: 0 or -ENOMEM.
 */
int __init uet_buffer_init(void)
{
	uet_user_wq = alloc_workqueue("uet_pages", WQ_UNBOUND, 0);
	return uet_user_wq ? 0 : -ENOMEM;
}

/**
 * uet_buffer_exit() - the module goes: wait for what is left
 *
 * That is packets in queues and devices which refer to pages of programs, or to a queue.
 *
 * Context: process; no socket and no PDC is left.
 */
void uet_buffer_exit(void)
{
	wait_event(uet_users_gone, !atomic_read(&uet_users_alive));
	destroy_workqueue(uet_user_wq);
}
