// SPDX-License-Identifier: GPL-2.0
/*
 * Posted operations at random: threads and processes share sockets, completion queues and
 * memory, which others close, shut down, unmap, protect and write to meanwhile. The kernel
 * judges, and afterwards messages still travel.
 *
 *   uet_wild ADDR [CALLS [SEED]]      an address of this host
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "post_util.h"

#define CALLS		20000
#define THREADS		3
#define SOCKETS		6
#define QUEUES		2
#define FIRST		700		/* PIDonFEP of the first socket */
#define PAGE		4096
#define ARENA		(96 * PAGE)
#define LENGTHS		(1 << 20)	/* some_length() is less */
#define CHILD_CALLS	300
#define COOKIES		64
#define OPTIONS		40		/* somewhat more than there are */

/* Threads replace them, so what they find may be closed, or something else by now. */
static atomic_int socks[SOCKETS], queues[QUEUES];
static struct uet_cq_ring *_Atomic rings[QUEUES];
static size_t ring_size;
static char *arena;
static atomic_long calls;
static long calls_end = CALLS;
static atomic_long *posted;	/* operations that were taken, of all processes */
static struct sockaddr_uet peers[SOCKETS];

struct dice {
	unsigned int seed;
};

static unsigned int roll(struct dice *d, unsigned int n)
{
	return (rand_r(&d->seed) ^ (unsigned int)rand_r(&d->seed) << 15) % n;
}

/* As many short ones as long ones */
static size_t some_length(struct dice *d)
{
	return roll(d, 1U << roll(d, 20));
}

static void new_queue(int i)
{
	struct uet_cq_params p = { .entries = 64 };
	int sock = socket(libuet_family(), SOCK_RDM, 0);
	int fd = ioctl(sock, SIOCUETCQ, &p), old;
	struct uet_cq_ring *ring = MAP_FAILED;

	/* In the place of the old one: others may look at it. */
	if (fd >= 0)
		ring = mmap(rings[i], p.size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | (rings[i] ? MAP_FIXED : 0), fd, 0);
	close(sock);
	if (ring == MAP_FAILED) {
		close(fd);
		return;
	}
	ring_size = p.size;
	old = atomic_exchange(&queues[i], fd);
	rings[i] = ring;
	if (old > 0)
		close(old);
}

static void new_socket(struct dice *d, int i)
{
	int fd = socket(libuet_family(), roll(d, 4) ? SOCK_RDM : SOCK_SEQPACKET, 0);
	int queue = queues[roll(d, QUEUES)];
	int old = atomic_exchange(&socks[i], fd);

	if (old > 0)
		close(old);
	setsockopt(fd, SOL_UET, UET_CQ, &queue, sizeof(queue));
	bind(fd, (struct sockaddr *)&peers[i], sizeof(peers[i]));
	if (!roll(d, 3))
		connect(fd, (struct sockaddr *)&peers[roll(d, SOCKETS)],
			sizeof(peers[0]));
}

static void random_op(struct dice *d, struct uet_op *op)
{
	static const uint16_t recv_flags[] = {
		0, 0, 0, UET_OP_MULTI, UET_OP_MULTI, UET_OP_PEEK, UET_OP_INLINE,
		UET_OP_PEEK | UET_OP_CLAIM, UET_OP_CLAIMED, UET_OP_PEEK | UET_OP_DISCARD,
		UET_OP_CLAIMED | UET_OP_DISCARD,
	};
	static const uint16_t send_flags[] = {
		0, UET_OP_INLINE, UET_OP_IMM, UET_OP_QUIET, UET_OP_BUFFER,
		UET_OP_BUFFER | UET_OP_IMM,
	};
	bool recv;

	memset(op, 0, sizeof(*op));
	op->cookie = roll(d, COOKIES);
	op->opcode = 1 + roll(d, 4);
	recv = op->opcode == UET_OP_RECV || op->opcode == UET_OP_TRECV;
	op->flags = recv ? recv_flags[roll(d, 11)] : send_flags[roll(d, 6)];
	op->to = roll(d, 8) ? 1 + roll(d, SOCKETS) : recv ? UET_OP_ANY : 0;
	op->length = op->flags & UET_OP_INLINE ? roll(d, UET_OP_DATA_MAX + 1)
					       : some_length(d);
	if (!(op->flags & (UET_OP_INLINE | UET_OP_PEEK)))
		op->addr = (uintptr_t)arena + roll(d, ARENA);
	if (op->opcode == UET_OP_TSEND || op->opcode == UET_OP_TRECV)
		op->tag = roll(d, 4);
	if (op->opcode == UET_OP_TRECV)
		op->ignore = roll(d, 3);
	if (op->flags & UET_OP_IMM)
		op->imm = roll(d, 1000);
	if (op->flags & UET_OP_MULTI)
		op->imm = 1 + roll(d, 3000);
	if (!recv && !roll(d, 3))
		op->timeout = 1 + roll(d, 50);
	if (!roll(d, 20))
		((char *)op)[roll(d, sizeof(*op))] = roll(d, 256);
}

static void post(struct dice *d, int fd)
{
	struct uet_op ops[8];
	struct uet_post p = {
		.ops = (uintptr_t)ops, .nr = 1 + roll(d, 8), .op_size = sizeof(ops[0]),
		.addrs = (uintptr_t)peers, .nr_addrs = SOCKETS,
	};
	int n;

	for (unsigned int i = 0; i < p.nr; i++)
		random_op(d, &ops[i]);
	if (!roll(d, 30))
		((char *)&p)[roll(d, sizeof(p))] = roll(d, 256);
	n = ioctl(fd, SIOCUETPOST, &p);
	if (n > 0)
		*posted += n;
}

static void take(struct dice *d)
{
	unsigned int i = roll(d, QUEUES);
	struct pollfd p = { .fd = queues[i], .events = POLLIN };
	struct uet_cq_ring *ring = rings[i];

	if (!ring)
		return;
	if (!roll(d, 50))
		ring->head = roll(d, 1000);
	else if (!roll(d, 50))
		((uint32_t *)ring)[roll(d, ring_size / 4)] = roll(d, 1000);
	else
		ring->head = ring->tail;
	poll(&p, 1, 0);
}

static void memory(struct dice *d)
{
	char *at = arena + roll(d, ARENA / PAGE) * PAGE;
	size_t len = PAGE * (1 + roll(d, 8));

	if (at + len > arena + ARENA)
		len = PAGE;
	switch (roll(d, 6)) {
	case 0:
		mmap(at, len, PROT_NONE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		break;
	case 1:
		mprotect(at, len, PROT_READ);
		break;
	case 2:
		madvise(at, len, MADV_DONTNEED);
		break;
	default:
		mmap(at, len, PROT_READ | PROT_WRITE,
		     MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
}

static void option(struct dice *d, int fd)
{
	char value[64];
	int small = 1 << roll(d, 20);

	if (roll(d, 2)) {
		setsockopt(fd, SOL_SOCKET, roll(d, 2) ? SO_RCVBUF : SO_SNDBUF, &small,
			   sizeof(small));
		return;
	}
	for (unsigned int i = 0; i < sizeof(value); i++)
		value[i] = roll(d, 4) ? 0 : roll(d, 256);
	setsockopt(fd, SOL_UET, roll(d, OPTIONS), value, roll(d, sizeof(value)));
}

static void cancel(struct dice *d, int fd)
{
	struct uet_cancel c = { .cookie = roll(d, COOKIES), .kinds = 1 + roll(d, 3) };

	setsockopt(fd, SOL_UET, UET_CANCEL, &c, sizeof(c));
}

static void one_call(struct dice *d)
{
	unsigned int i = roll(d, SOCKETS);
	int fd = socks[i];
	char buf[3000];

	switch (roll(d, 40)) {
	case 0:
		new_socket(d, i);
		break;
	case 1:
		roll(d, 8) ? new_socket(d, i) : new_queue(roll(d, QUEUES));
		break;
	case 2:
		roll(d, 4) ? cancel(d, fd) : shutdown(fd, roll(d, 3));
		break;
	case 3 ... 5:
		memory(d);
		break;
	case 6 ... 7:
		option(d, fd);
		break;
	case 8 ... 10:
		cancel(d, fd);
		break;
	case 11 ... 15:
		recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		break;
	case 16 ... 18:
		sendto(fd, buf, roll(d, sizeof(buf)), MSG_DONTWAIT | MSG_NOSIGNAL,
		       (struct sockaddr *)&peers[roll(d, SOCKETS)], sizeof(peers[0]));
		break;
	case 19 ... 25:
		take(d);
		break;
	default:
		post(d, fd);
	}
}

/* A process that ends in the middle: by itself, by exec(), or killed */
static void child(struct dice *d)
{
	unsigned int how = roll(d, 3);
	pid_t pid = fork();

	if (pid < 0)
		return;
	if (!pid) {
		struct dice mine = { d->seed };

		for (int i = 0; i < CHILD_CALLS || how == 2; i++)
			one_call(&mine);
		if (how == 1)
			execl("/bin/true", "true", NULL);
		_exit(0);
	}
	if (how == 2) {
		usleep(roll(d, 50000));
		kill(pid, SIGKILL);
	}
	waitpid(pid, NULL, 0);
}

static void *thread(void *seed)
{
	struct dice d = { (uintptr_t)seed };
	long n;

	while ((n = atomic_fetch_add(&calls, 1)) < calls_end)
		n % 1000 ? one_call(&d) : child(&d);
	return NULL;
}

static void at_random(unsigned int seed)
{
	pthread_t threads[THREADS];
	struct dice d = { seed };

	/* Behind it is nothing, for as far as a buffer may reach */
	arena = mmap(NULL, ARENA + LENGTHS, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(arena, ARENA, PROT_READ | PROT_WRITE);
	for (int i = 0; i < SOCKETS; i++)
		uet_addr(&peers[i], here, 0, FIRST + i, 0);
	for (int i = 0; i < QUEUES; i++)
		new_queue(i);
	for (int i = 0; i < SOCKETS; i++)
		new_socket(&d, i);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread, (void *)(seed * THREADS + i));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	exit(0);
}

static void still_works(void)
{
	int a = bound_sock(SOCK_RDM, 1), b = bound_sock(SOCK_RDM, 2);
	char got[10];

	result(send_to(a, "word", 4, 2) == 4 && recv(b, got, sizeof(got), 0) == 4,
	       "afterwards messages travel");
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 2)
		die("usage: uet_wild ADDR [CALLS [SEED]]");
	here = argv[1];
	if (argc > 2)
		calls_end = atol(argv[2]);
	posted = mmap(NULL, sizeof(*posted), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ktap_begin();
	/* All that it has goes with it */
	pid = fork();
	if (!pid)
		at_random(argc > 3 ? atoi(argv[3]) : 1);
	waitpid(pid, &status, 0);
	note("%ld operations posted, status %x", *posted, status);
	result(WIFEXITED(status) && !WEXITSTATUS(status) && *posted > calls_end / 10,
	       "%ld calls at random", calls_end);
	still_works();
	return ktap_finish();
}
