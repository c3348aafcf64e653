// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues, and operations that are posted.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "libuet.h"

/**
 * libuet_open_cq() - make a completion queue (SIOCUETCQ)
 * @fd: any AF_UET socket
 * @entries: completions it has room for, 1 to UET_CQ_ENTRIES_MAX
 * @cq: gets it
 *
 * Return: 0, or -1 with errno as in struct uet_cq_params.
 */
int libuet_open_cq(int fd, uint32_t entries, struct libuet_cq *cq)
{
	struct uet_cq_params p = { .entries = entries };
	int saved;

	memset(cq, 0, sizeof(*cq));
	cq->fd = ioctl(fd, SIOCUETCQ, &p);
	if (cq->fd < 0)
		return -1;
	cq->size = p.size;
	cq->ring = mmap(NULL, cq->size, PROT_READ | PROT_WRITE, MAP_SHARED, cq->fd, 0);
	if (cq->ring != MAP_FAILED)
		return 0;
	saved = errno;
	close(cq->fd);
	errno = saved;
	return -1;
}

/**
 * libuet_close_cq() - leave a completion queue
 * @cq: the queue; of sockets that still have it nobody is told any more
 */
void libuet_close_cq(struct libuet_cq *cq)
{
	munmap(cq->ring, cq->size);
	close(cq->fd);
}

/**
 * libuet_use_cq() - give a socket its completion queue (UET_CQ)
 * @fd: socket
 * @cq: the queue
 *
 * Return: 0, or -1 with errno: EBUSY (it has one).
 */
int libuet_use_cq(int fd, const struct libuet_cq *cq)
{
	return setsockopt(fd, SOL_UET, UET_CQ, &cq->fd, sizeof(cq->fd));
}

/* Ask the kernel, which also gives slots to messages that wait for them. */
static int libuet__poll_cq(const struct libuet_cq *cq, int timeout_ms)
{
	struct pollfd p = { .fd = cq->fd, .events = POLLIN };

	return poll(&p, 1, timeout_ms);
}

/**
 * libuet_next_done() - take the next completion
 * @cq: queue; one thread at a time
 * @done: gets it
 * @timeout_ms: how long to wait for one, < 0 for ever
 *
 * Makes no system call while there are completions, or to look without waiting.
 *
 * Return: 1; 0 if there is none; -1 with errno, EINTR.
 */
int libuet_next_done(struct libuet_cq *cq, struct uet_completion *done, int timeout_ms)
{
	struct uet_cq_ring *ring = cq->ring;
	int n;

	while (cq->head == __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE)) {
		if (!timeout_ms && !__atomic_load_n(&ring->waiting, __ATOMIC_RELAXED))
			return 0;
		n = libuet__poll_cq(cq, timeout_ms);
		if (n <= 0)
			return n;
	}
	*done = ((struct uet_completion *)(ring + 1))[cq->head & (ring->entries - 1)];
	__atomic_store_n(&ring->head, ++cq->head, __ATOMIC_RELEASE);
	return 1;
}

/**
 * libuet_post() - post operations: sends and receives (SIOCUETPOST)
 * @fd: socket with a completion queue
 * @ops: the operations
 * @n: their number, at most UET_POST_MAX
 * @addrs: endpoints that they name, by number from 1 on; NULL if @nr_addrs is 0
 * @nr_addrs: their number
 *
 * Return: how many were posted, from the first on; -1 with errno as in struct uet_op if
 * the first could not be.
 */
int libuet_post(int fd, const struct uet_op *ops, unsigned int n,
		const struct sockaddr_uet *addrs, unsigned int nr_addrs)
{
	struct uet_post p = {
		.ops = (uintptr_t)ops, .nr = n, .op_size = sizeof(*ops),
		.addrs = (uintptr_t)addrs, .nr_addrs = nr_addrs,
	};

	return ioctl(fd, SIOCUETPOST, &p);
}

/**
 * libuet_unpost() - cancel a receive that no message has matched (UET_CANCEL)
 * @fd: socket
 * @cookie: its cookie; of several the first is cancelled
 *
 * Return: 0, and its completion has ECANCELED; or -1 with errno: ENOENT.
 */
int libuet_unpost(int fd, uint64_t cookie)
{
	const struct uet_cancel c = { .cookie = cookie, .kinds = UET_CANCEL_RECVS };

	return setsockopt(fd, SOL_UET, UET_CANCEL, &c, sizeof(c));
}
