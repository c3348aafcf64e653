// SPDX-License-Identifier: GPL-2.0
/*
 * Progress: completions of the kernel go to what they are for, and what waited for room
 * is tried again.
 *
 * Programs make progress when they look for completions. With FI_PROGRESS_AUTO a thread
 * does, as it does every while for programs that block on the descriptor of a wait
 * object: not all that an endpoint waits for is an event of the kernel's.
 */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "uet_fi.h"

/* Entries of the ring, if RLIMIT_MEMLOCK allows that many */
#define UET_RING		1024
#define UET_RING_LEAST		16

/* Completions that are handled at a time, so that the caller is not kept for ever */
#define UET_BUDGET		256

/* Receive buffers are looked at that often, ms. */
#define UET_LOOK_MS		16

/* The thread looks that often if no completions come, ms. */
#define UET_THREAD_MS		20

/**
 * uet_now_ms() - what time is it?
 *
 * Return: ms of a clock that only goes on.
 */
uint64_t uet_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

/**
 * uet_told() - tell who looks for it (FI_LOG_LEVEL=info) what the kernel says of a failure
 * @done: completion
 */
void uet_told(const struct uet_completion *done)
{
	char text[LIBUET_URI_SIZE];

	if (libuet_format(&done->peer, text, sizeof(text)) < 0)
		text[0] = 0;
	uet_info(EP_DATA, "%s %s: %s (%s)\n",
		 done->type == UET_DONE_PEER || done->type == UET_DONE_WATCH ?
		 "lost" : "a message to or from", text,
		 strerror(done->error), libuet_code_text(done->source, done->code) ?: "");
}

static struct uet_ep *uet_ep_by_socket(struct uet_domain *d, uint32_t inode)
{
	struct uet_ep *ep;
	struct list *l;

	for (l = d->eps.next; l != &d->eps; l = l->next) {
		ep = list_item(l, struct uet_ep, node);
		if (ep->inode == inode)
			return ep;
	}
	return NULL;
}

/* A message failed that the program knows nothing of any more. */
static void uet_progress_orphan(struct uet_domain *d, const struct uet_completion *done)
{
	struct uet_ep *ep = uet_ep_by_socket(d, done->socket);

	if (!ep || done->type != UET_DONE_SENT || !done->error)
		return;
	uet_told(done);
	uet_lost_orphan(ep, &done->peer, done->error);
}

/* A peer is lost: what waits for it alone fails. */
static void uet_progress_peer(struct uet_domain *d, const struct uet_completion *done)
{
	struct uet_ep *ep = uet_ep_by_socket(d, done->socket);

	if (!ep || !done->error)
		return;
	uet_told(done);
	uet_recv_peer_lost(ep, &done->peer, done->error);
	uet_rdv_peer_lost(ep, &done->peer, done->error);
}

static void uet_progress_one(struct uet_domain *d, const struct uet_completion *done)
{
	struct uet_fi_op *op;

	if (done->type == UET_DONE_PEER || done->type == UET_DONE_WATCH) {
		uet_progress_peer(d, done);
		return;
	}
	op = uet_op_find(d, done->cookie);
	if (!op) {
		uet_progress_orphan(d, done);
		return;
	}
	if (done->error && done->error != ECANCELED && done->error != EMSGSIZE)
		uet_told(done);
	switch (op->kind) {
	case UET_FI_OP_SEND:
		uet_send_told(op, done);
		break;
	case UET_FI_OP_RECV:
		uet_recv_told(op, done);
		break;
	case UET_FI_OP_PULL:
		uet_pull_told(op, done);
		break;
	case UET_FI_OP_PUSH:
		uet_push_told(op, done);
		break;
	case UET_FI_OP_CONTROL:
		uet_control_told(op, done);
		break;
	}
}

static bool uet_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0 && p.revents & POLLIN;
}

/* What no completion tells */
static void uet_progress_look(struct uet_ep *ep, uint64_t now)
{
	uet_lost_look(ep, now);
	if (ep->dgram)
		return;
	uet_watch_look(ep, now);
	/* From half of the receive buffer on the kernel would hold up peers. */
	if (uet_readable(ep->fd))
		uet_unexp_spill(ep);
	/* What came of pieces that are not wanted any more */
	if (uet_readable(ep->bulk))
		uet_rdv_read(ep);
}

/* Try again what waits for room. */
static void uet_progress_again(struct uet_domain *d)
{
	struct list *l, *next;
	struct uet_ep *ep;

	d->again = false;
	for (l = d->eps.next; l != &d->eps; l = next) {
		next = l->next;
		ep = list_item(l, struct uet_ep, node);
		if (ep->dgram)
			continue;
		uet_rdv_go_on(ep);
		uet_recv_post_pending(ep);
		/* Receives that there is no room for get their messages here. */
		if (!list_empty(&ep->pending))
			uet_unexp_spill(ep);
		d->again |= !list_empty(&ep->pending) || !list_empty(&ep->pushes) ||
			    !list_empty(&ep->replies) || !list_empty(&ep->controls) ||
			    ep->reader;
	}
}

/* Receives that the program has posted since go to the kernel. */
static void uet_progress_fresh(struct uet_domain *d)
{
	struct uet_ep *ep;
	struct list *l;

	d->fresh = false;
	for (l = d->eps.next; l != &d->eps; l = l->next) {
		ep = list_item(l, struct uet_ep, node);
		if (ep->fresh || ep->dgram)
			uet_recv_post_pending(ep);
		/* No completion tells of datagrams. */
		d->fresh |= ep->dgram && !list_empty(&ep->pending);
	}
}

/**
 * uet_progress() - make progress
 * @d: domain
 *
 * Context: uet_domain.lock held.
 */
void uet_progress(struct uet_domain *d)
{
	struct uet_completion done;
	struct list *l, *next;
	uint64_t now;
	int n = 0;

	if (d->fresh)
		uet_progress_fresh(d);
	while (n < UET_BUDGET && libuet_next_done(&d->ring, &done, 0) == 1) {
		uet_progress_one(d, &done);
		n++;
	}
	if (d->fresh)
		uet_progress_fresh(d);
	now = uet_now_ms();
	if (d->again && (n || now != d->tried)) {
		d->tried = now;
		uet_progress_again(d);
	}
	if (now - d->looked < UET_LOOK_MS)
		return;
	d->looked = now;
	for (l = d->eps.next; l != &d->eps; l = next) {
		next = l->next;
		uet_progress_look(list_item(l, struct uet_ep, node), now);
	}
}

/**
 * uet_progress_idle() - there was nothing, and the program will look again
 * @d: domain; its lock is not held
 *
 * Where there is one CPU only, somebody else may have to run before there is anything.
 */
void uet_progress_idle(const struct uet_domain *d)
{
	if (d->one_cpu)
		sched_yield();
}

/* --- the thread ------------------------------------------------------------------ */

static void *uet_progress_thread(void *arg)
{
	struct uet_domain *d = arg;
	/* Without FI_PROGRESS_AUTO the program takes completions by itself. */
	struct pollfd fds[] = {
		{ .fd = d->stop, .events = POLLIN },
		{ .fd = d->ring.fd, .events = POLLIN },
	};

	while (poll(fds, d->automatic ? 2 : 1, UET_THREAD_MS) >= 0 || errno == EINTR) {
		if (fds[0].revents)
			break;
		uet_lock(d);
		uet_progress(d);
		uet_unlock(d);
	}
	return NULL;
}

/**
 * uet_progress_watch() - a program will block on a descriptor: have a thread look
 * @d: domain
 *
 * Return: 0 or an errno below 0.
 */
int uet_progress_watch(struct uet_domain *d)
{
	sigset_t all, before;
	int ret = 0;

	d->alone = false;
	uet_lock(d);
	if (d->threaded)
		goto out;
	d->stop = eventfd(0, EFD_CLOEXEC);
	if (d->stop < 0) {
		ret = -errno;
		goto out;
	}
	/* Signals are the program's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = -pthread_create(&d->thread, NULL, uet_progress_thread, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret)
		close(d->stop);
	else
		d->threaded = true;
out:
	uet_unlock(d);
	return ret;
}

/* Make the ring, as large as RLIMIT_MEMLOCK allows. */
static int uet_ring_open(struct uet_domain *d)
{
	const struct libuet_sock how = { .type = SOCK_RDM | SOCK_CLOEXEC };
	uint32_t entries;
	int fd, ret = -1;

	fd = libuet_open(&how, NULL);
	if (fd < 0)
		return -errno;
	for (entries = UET_RING; ret && entries >= UET_RING_LEAST; entries /= 2) {
		ret = libuet_open_cq(fd, entries, &d->ring);
		if (ret && errno != ENOBUFS && errno != ENOMEM && errno != EAGAIN)
			break;
	}
	ret = ret ? -errno : 0;
	close(fd);
	return ret;
}

/**
 * uet_progress_wait_open() - uet_wait_open() of a queue or counter of a domain
 * @d: domain
 * @w: zeroed; part of the object, which others may look at from then on
 * @obj: what the program asks for
 * @set: wait set, for FI_WAIT_SET
 * @user: queue or counter that has it
 *
 * Return: 0; -FI_ENOSYS, -FI_EINVAL, an errno below 0.
 */
int uet_progress_wait_open(struct uet_domain *d, struct uet_wait *w, enum fi_wait_obj obj,
			   struct fid_wait *set, struct fid *user)
{
	int ret;

	/* Before a thread that waits for the set may meet it there */
	if (obj != FI_WAIT_NONE)
		d->alone = false;
	/* The program may block on the set's descriptor, which is asked of the set. */
	ret = obj == FI_WAIT_SET && set ? uet_progress_watch(d) : 0;
	if (!ret)
		ret = uet_wait_open(w, obj, set, user);
	if (ret)
		return ret;
	ret = uet_wait_add_fd(w, d->ring.fd);
	if (ret)
		uet_wait_close(w, user);
	return ret;
}

/**
 * uet_progress_begin() - make what a domain makes progress by
 * @d: domain
 *
 * Return: 0 or an errno below 0.
 */
int uet_progress_begin(struct uet_domain *d)
{
	int ret = uet_ring_open(d);

	if (ret)
		return ret;
	d->one_cpu = sysconf(_SC_NPROCESSORS_ONLN) == 1;
	if (d->automatic)
		ret = uet_progress_watch(d);
	if (ret)
		libuet_close_cq(&d->ring);
	return ret;
}

/**
 * uet_progress_end() - undo uet_progress_begin()
 * @d: domain without users
 */
void uet_progress_end(struct uet_domain *d)
{
	const uint64_t one = 1;

	if (d->threaded) {
		if (write(d->stop, &one, sizeof(one)) < 0)
			uet_warn(DOMAIN, "eventfd: %s\n", strerror(errno));
		pthread_join(d->thread, NULL);
		close(d->stop);
	}
	libuet_close_cq(&d->ring);
}
