// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting: wait objects of queues and counters, wait sets, poll sets. A wait object is
 * an epoll descriptor that has the kernel's completion queue of the domain, and an event
 * for what somebody else has taken from there.
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "uet_fi.h"

/* While it waits a call looks so often for what is no event of the kernel's, ms. */
#define UET_WAIT_SLICE	20

static struct uet_wait *uet_wait_target(struct uet_wait *w)
{
	return w->shared ? &w->shared->wait : w;
}

static int uet_wait_begin(struct uet_wait *w)
{
	int ret;

	w->obj = FI_WAIT_FD;
	w->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	w->fd = epoll_create1(EPOLL_CLOEXEC);
	ret = w->event < 0 || w->fd < 0 ? -errno : uet_wait_add_fd(w, w->event);
	if (ret) {
		if (w->event >= 0)
			close(w->event);
		if (w->fd >= 0)
			close(w->fd);
	}
	return ret;
}

static int uet_set_join(struct uet_waitset *set, struct fid *user)
{
	struct uet_member *m = malloc(sizeof(*m));

	if (!m)
		return -FI_ENOMEM;
	m->fid = user;
	pthread_mutex_lock(&set->lock);
	list_add(&set->members, &m->node);
	pthread_mutex_unlock(&set->lock);
	return 0;
}

/* Take a member out of a list. */
static int uet_member_leave(struct list *members, const struct fid *fid)
{
	struct uet_member *m;
	struct list *l;

	for (l = members->next; l != members; l = l->next) {
		m = list_item(l, struct uet_member, node);
		if (m->fid != fid)
			continue;
		list_del(&m->node);
		free(m);
		return 0;
	}
	return -FI_EINVAL;
}

/**
 * uet_wait_open() - make a wait object
 * @w: zeroed
 * @obj: what the program asks for
 * @set: wait set, for FI_WAIT_SET
 * @user: queue or counter that has it
 *
 * Return: 0; -FI_ENOSYS if such objects are not offered, -FI_EINVAL, an errno.
 */
int uet_wait_open(struct uet_wait *w, enum fi_wait_obj obj, struct fid_wait *set,
		  struct fid *user)
{
	switch (obj) {
	case FI_WAIT_NONE:
		w->obj = FI_WAIT_NONE;
		return 0;
	case FI_WAIT_UNSPEC:
	case FI_WAIT_FD:
		return uet_wait_begin(w);
	case FI_WAIT_SET:
		if (!set)
			return -FI_EINVAL;
		w->obj = FI_WAIT_SET;
		w->shared = list_item(set, struct uet_waitset, fid);
		return uet_set_join(w->shared, user);
	default:
		return -FI_ENOSYS;
	}
}

/**
 * uet_wait_close() - end a wait object
 * @w: the object
 * @user: as for uet_wait_open()
 */
void uet_wait_close(struct uet_wait *w, struct fid *user)
{
	if (w->shared) {
		pthread_mutex_lock(&w->shared->lock);
		uet_member_leave(&w->shared->members, user);
		pthread_mutex_unlock(&w->shared->lock);
	} else if (w->obj != FI_WAIT_NONE) {
		close(w->event);
		close(w->fd);
	}
}

/**
 * uet_wait_add_fd() - a descriptor tells events, too
 * @w: wait object
 * @fd: descriptor; it leaves when it is closed
 *
 * Return: 0 or an errno.
 */
int uet_wait_add_fd(struct uet_wait *w, int fd)
{
	struct uet_wait *t = uet_wait_target(w);
	struct epoll_event ev = { .events = EPOLLIN };

	if (t->obj == FI_WAIT_NONE)
		return 0;
	/* Members of a wait set may have the same. */
	if (epoll_ctl(t->fd, EPOLL_CTL_ADD, fd, &ev) && errno != EEXIST)
		return -errno;
	return 0;
}

/**
 * uet_wait_signal() - there is something
 * @w: wait object
 */
void uet_wait_signal(struct uet_wait *w)
{
	struct uet_wait *t = uet_wait_target(w);
	const uint64_t one = 1;

	if (t->obj == FI_WAIT_NONE || __atomic_exchange_n(&t->set, true, __ATOMIC_ACQ_REL))
		return;
	if (write(t->event, &one, sizeof(one)) < 0)
		uet_warn(CORE, "eventfd: %s\n", strerror(errno));
}

static void uet_wait_reset(struct uet_wait *t)
{
	uint64_t n;

	if (t->obj == FI_WAIT_NONE || !__atomic_load_n(&t->set, __ATOMIC_ACQUIRE))
		return;
	if (read(t->event, &n, sizeof(n)) < 0 && errno != EAGAIN)
		uet_warn(CORE, "eventfd: %s\n", strerror(errno));
	__atomic_store_n(&t->set, false, __ATOMIC_RELEASE);
}

/**
 * uet_wait_clear() - there is nothing
 * @w: wait object; that of a wait set stays, since other members may have something
 *
 * Context: with the lock under which uet_wait_signal() is called.
 */
void uet_wait_clear(struct uet_wait *w)
{
	if (!w->shared)
		uet_wait_reset(w);
}

/**
 * uet_wait_control() - fi_control() of what has a wait object
 * @w: wait object
 * @command: FI_GETWAIT, FI_GETWAITOBJ
 * @arg: gets it
 *
 * Return: 0, -FI_ENODATA if there is none, -FI_ENOSYS.
 */
int uet_wait_control(struct uet_wait *w, int command, void *arg)
{
	switch (command) {
	case FI_GETWAIT:
		if (w->obj != FI_WAIT_FD)
			return -FI_ENODATA;
		*(int *)arg = w->fd;
		return 0;
	case FI_GETWAITOBJ:
		*(enum fi_wait_obj *)arg = w->obj;
		return 0;
	default:
		return -FI_ENOSYS;
	}
}

/**
 * uet_progress_wait() - wait for an event, or a while
 * @d: domain that the object belongs to, or NULL; its lock is not held
 * @w: wait object with a descriptor
 * @timeout_ms: at most so long, < 0: as long as the caller likes
 *
 * Return: 0: look again; -FI_EINTR.
 */
int uet_progress_wait(struct uet_domain *d, struct uet_wait *w, int timeout_ms)
{
	struct epoll_event ev;
	int ms = timeout_ms;

	if (d && (ms < 0 || ms > UET_WAIT_SLICE))
		ms = UET_WAIT_SLICE;
	return epoll_wait(w->fd, &ev, 1, ms) < 0 ? -errno : 0;
}

/**
 * uet_fid_ready() - is there something to read?
 * @fid: queue, counter, wait set
 *
 * Return: 1, 0, -FI_EINVAL.
 */
int uet_fid_ready(struct fid *fid)
{
	struct uet_waitset *set;
	struct uet_cntr *c;
	struct uet_cq *cq;
	struct list *l;
	int ready = 0;

	switch (fid->fclass) {
	case FI_CLASS_CQ:
		cq = list_item(fid, struct uet_cq, fid.fid);
		uet_lock(cq->domain);
		uet_progress(cq->domain);
		ready = cq->head != cq->tail;
		if (!ready)
			uet_wait_clear(&cq->wait);
		uet_unlock(cq->domain);
		return ready;
	case FI_CLASS_CNTR:
		c = list_item(fid, struct uet_cntr, fid.fid);
		uet_lock(c->domain);
		uet_progress(c->domain);
		ready = c->value + c->errors != c->seen;
		if (!ready)
			uet_wait_clear(&c->wait);
		uet_unlock(c->domain);
		return ready;
	case FI_CLASS_EQ:
		return uet_eq_ready(list_item(fid, struct uet_eq, fid.fid));
	case FI_CLASS_WAIT:
		set = list_item(fid, struct uet_waitset, fid.fid);
		uet_wait_reset(&set->wait);
		pthread_mutex_lock(&set->lock);
		for (l = set->members.next; l != &set->members && !ready; l = l->next)
			ready = uet_fid_ready(list_item(l, struct uet_member, node)->fid);
		pthread_mutex_unlock(&set->lock);
		return ready;
	default:
		return -FI_EINVAL;
	}
}

/**
 * uet_trywait() - fi_trywait(): may the program block on descriptors?
 * @fabric: of the objects
 * @fids: queues, counters, wait sets
 * @count: their number
 *
 * Return: 0; -FI_EAGAIN if there is something to read; -FI_EINVAL.
 */
int uet_trywait(struct fid_fabric *fabric, struct fid **fids, int count)
{
	int i, ready;

	(void)fabric;
	for (i = 0; i < count; i++) {
		ready = uet_fid_ready(fids[i]);
		if (ready)
			return ready < 0 ? ready : -FI_EAGAIN;
	}
	return 0;
}

/* --- wait sets ---------------------------------------------------------------- */

static int uet_waitset_wait(struct fid_wait *fid, int timeout)
{
	struct uet_waitset *set = list_item(fid, struct uet_waitset, fid);
	uint64_t end = uet_now_ms() + (timeout > 0 ? timeout : 0), now;
	struct epoll_event ev;
	int ready, ms;

	for (;;) {
		ready = uet_fid_ready(&fid->fid);
		now = uet_now_ms();
		if (ready)
			return ready < 0 ? ready : 0;
		if (timeout >= 0 && now >= end)
			return -FI_ETIMEDOUT;
		ms = timeout < 0 || end - now > UET_WAIT_SLICE ? UET_WAIT_SLICE :
		     (int)(end - now);
		if (epoll_wait(set->wait.fd, &ev, 1, ms) < 0)
			return -errno;
	}
}

static int uet_waitset_close(struct fid *fid)
{
	struct uet_waitset *set = list_item(fid, struct uet_waitset, fid.fid);

	if (!list_empty(&set->members))
		return -FI_EBUSY;
	uet_wait_close(&set->wait, fid);
	pthread_mutex_destroy(&set->lock);
	free(set);
	return 0;
}

static int uet_waitset_control(struct fid *fid, int command, void *arg)
{
	struct uet_waitset *set = list_item(fid, struct uet_waitset, fid.fid);

	return uet_wait_control(&set->wait, command, arg);
}

static struct fi_ops uet_waitset_fid_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= uet_waitset_close,
	.bind		= uet_no_bind,
	.control	= uet_waitset_control,
	.ops_open	= uet_no_ops_open,
};

static struct fi_ops_wait uet_waitset_ops = {
	.size		= sizeof(struct fi_ops_wait),
	.wait		= uet_waitset_wait,
};

/**
 * uet_waitset_open() - fi_wait_open()
 * @fabric: it belongs to
 * @attr: FI_WAIT_UNSPEC or FI_WAIT_FD; or NULL
 * @wait: gets the set
 *
 * Return: 0, -FI_ENOSYS, -FI_EINVAL, -FI_ENOMEM, an errno.
 */
int uet_waitset_open(struct fid_fabric *fabric, struct fi_wait_attr *attr,
		     struct fid_wait **wait)
{
	enum fi_wait_obj obj = attr ? attr->wait_obj : FI_WAIT_UNSPEC;
	struct uet_waitset *set;
	int ret;

	(void)fabric;
	if (attr && attr->flags)
		return -FI_EINVAL;
	if (obj != FI_WAIT_UNSPEC && obj != FI_WAIT_FD)
		return -FI_ENOSYS;
	set = calloc(1, sizeof(*set));
	if (!set)
		return -FI_ENOMEM;
	ret = uet_wait_open(&set->wait, obj, NULL, NULL);
	if (ret) {
		free(set);
		return ret;
	}
	pthread_mutex_init(&set->lock, NULL);
	list_init(&set->members);
	set->fid.fid.fclass = FI_CLASS_WAIT;
	set->fid.fid.ops = &uet_waitset_fid_ops;
	set->fid.ops = &uet_waitset_ops;
	*wait = &set->fid;
	return 0;
}

/* --- poll sets ------------------------------------------------------------------ */

struct uet_pollset {
	struct fid_poll		fid;
	struct uet_domain	*domain;
	pthread_mutex_t		lock;	/* of members */
	struct list		members;
};

static int uet_pollset_poll(struct fid_poll *fid, void **context, int count)
{
	struct uet_pollset *set = list_item(fid, struct uet_pollset, fid);
	struct uet_member *m;
	struct list *l;
	int n = 0;

	pthread_mutex_lock(&set->lock);
	for (l = set->members.next; l != &set->members && n < count; l = l->next) {
		m = list_item(l, struct uet_member, node);
		if (uet_fid_ready(m->fid) > 0)
			context[n++] = m->fid->context;
	}
	pthread_mutex_unlock(&set->lock);
	return n;
}

static int uet_pollset_add(struct fid_poll *fid, struct fid *event_fid, uint64_t flags)
{
	struct uet_pollset *set = list_item(fid, struct uet_pollset, fid);
	struct uet_member *m;

	if (flags || (event_fid->fclass != FI_CLASS_CQ &&
		      event_fid->fclass != FI_CLASS_CNTR &&
		      event_fid->fclass != FI_CLASS_EQ))
		return -FI_EINVAL;
	m = malloc(sizeof(*m));
	if (!m)
		return -FI_ENOMEM;
	m->fid = event_fid;
	pthread_mutex_lock(&set->lock);
	list_add(&set->members, &m->node);
	pthread_mutex_unlock(&set->lock);
	return 0;
}

static int uet_pollset_del(struct fid_poll *fid, struct fid *event_fid, uint64_t flags)
{
	struct uet_pollset *set = list_item(fid, struct uet_pollset, fid);
	int ret;

	if (flags)
		return -FI_EINVAL;
	pthread_mutex_lock(&set->lock);
	ret = uet_member_leave(&set->members, event_fid);
	pthread_mutex_unlock(&set->lock);
	return ret;
}

static int uet_pollset_close(struct fid *fid)
{
	struct uet_pollset *set = list_item(fid, struct uet_pollset, fid.fid);

	while (!list_empty(&set->members))
		uet_member_leave(&set->members, list_item(set->members.next,
							  struct uet_member, node)->fid);
	uet_lock(set->domain);
	set->domain->users--;
	uet_unlock(set->domain);
	pthread_mutex_destroy(&set->lock);
	free(set);
	return 0;
}

static struct fi_ops uet_pollset_fid_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= uet_pollset_close,
	.bind		= uet_no_bind,
	.control	= uet_no_control,
	.ops_open	= uet_no_ops_open,
};

static struct fi_ops_poll uet_pollset_ops = {
	.size		= sizeof(struct fi_ops_poll),
	.poll		= uet_pollset_poll,
	.poll_add	= uet_pollset_add,
	.poll_del	= uet_pollset_del,
};

/**
 * uet_poll_open() - fi_poll_open()
 * @domain: it belongs to
 * @attr: no flags; or NULL
 * @poll: gets the set
 *
 * Return: 0, -FI_EINVAL, -FI_ENOMEM.
 */
int uet_poll_open(struct fid_domain *domain, struct fi_poll_attr *attr,
		  struct fid_poll **poll)
{
	struct uet_domain *d = list_item(domain, struct uet_domain, fid);
	struct uet_pollset *set;

	if (attr && attr->flags)
		return -FI_EINVAL;
	set = calloc(1, sizeof(*set));
	if (!set)
		return -FI_ENOMEM;
	pthread_mutex_init(&set->lock, NULL);
	list_init(&set->members);
	set->domain = d;
	set->fid.fid.fclass = FI_CLASS_POLL;
	set->fid.fid.ops = &uet_pollset_fid_ops;
	set->fid.ops = &uet_pollset_ops;
	uet_lock(d);
	d->users++;
	uet_unlock(d);
	*poll = &set->fid;
	return 0;
}
