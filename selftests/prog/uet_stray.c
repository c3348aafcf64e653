// SPDX-License-Identifier: GPL-2.0
/*
 * Receives that are posted ahead by programs that go astray meanwhile, or share them:
 * whatever becomes of addresses, processes and the ring, data goes to the pages that
 * were posted, once, and nobody else is harmed.
 *
 *   uet_stray ADDR               an address of this host
 *   uet_stray -x FD PID ADDR     what a program becomes by exec(), see test_exec()
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "post_util.h"

#define NR	64
#define MASKS	8

static char buf[LONG + 100000];

static void *pages(size_t len, int flags)
{
	void *at = mmap(NULL, len, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("mmap: %m");
	return at;
}

/* The status of a child that ends by itself: 0 is good */
static int child_status(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return status;
}

/* Wait until another process says so. */
static void until(volatile int *word, int value)
{
	for (int i = 0; i < 20000 && *word != value; i++)
		usleep(1000);
	if (*word != value)
		die("the other process does not go on");
}

/* What becomes of receives whose program does something else */
static void test_ends(void)
{
	int a = bound_sock(SOCK_RDM, 925), b, i;
	struct uet_completion d;
	struct libuet_cq cq, cq2;
	char *map;
	bool ok;

	b = receiver(SOCK_RDM, 926, &cq, 16);
	map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	post_one(b, 1, map, 8192, 0, 0, 0);
	munmap(map, 8192);
	send_to(a, data, 8000, 926);
	result(comes(&cq, &d, 1, UET_DONE_RECV, 0, 8000, 8000), "a buffer that was unmapped");
	map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	post_one(b, 2, map, 8192, 0, 0, 0);
	mprotect(map, 8192, PROT_READ);
	if (!fork()) {
		usleep(300000);
		_exit(map[0] || map[7999]);
	}
	send_to(a, data, 8000, 926);
	ok = comes(&cq, &d, 2, UET_DONE_RECV, 0, 8000, 8000) && same(data, map, 8000);
	wait(&i);
	result(ok && !i, "a buffer that was protected; a child has its own");
	post_one(b, 3, buf, 8192, 0, 0, 0);
	shutdown(b, SHUT_RD);
	result(comes(&cq, &d, 3, UET_DONE_RECV, ECANCELED, 0, 0), "shutdown() cancels");
	EXPECT_ERR(post_one(b, 4, buf, 8192, 0, 0, 0), ESHUTDOWN, "a receive after it");
	close(b);
	b = receiver(SOCK_RDM, 927, &cq2, 16);
	post_one(b, 5, buf, 8192, 0, 0, 0);
	close(b);
	result(comes(&cq2, &d, 5, UET_DONE_RECV, ECANCELED, 0, 0), "close() cancels");
	b = bound_sock(SOCK_RDM, 928);
	libuet_use_cq(b, &cq2);
	post_one(b, 6, buf, 8192, 0, 0, 0);
	libuet_close_cq(&cq2);
	send_to(a, data, 100, 928);
	close(b);
	libuet_close_cq(&cq);
	if (!fork()) {
		b = receiver(SOCK_RDM, 929, &cq, 16);
		for (i = 0; i < 16; i++)
			post_one(b, i, buf, sizeof(buf), 0, 0, 0);
		send_to(a, data, sizeof(data), 929);
		_exit(0);
	}
	wait(&i);
	result(!i, "a program that exits");
	close(a);
}

/* The memory behind a buffer, cut down by its owner */
static void test_truncate(void)
{
	int a = bound_sock(SOCK_RDM, 951), b, fd = memfd_create("uet", 0);
	struct uet_completion d;
	struct libuet_cq cq;
	char *map, byte;

	b = receiver(SOCK_RDM, 952, &cq, 4);
	if (fd < 0 || ftruncate(fd, 8192))
		die("memfd: %m");
	map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	post_one(b, 1, map, 8192, 0, 0, 0);
	result(!ftruncate(fd, 0) && !ftruncate(fd, 8192), "a file that loses its pages");
	send_to(a, data + 1, 8000, 952);
	result(comes(&cq, &d, 1, UET_DONE_RECV, 0, 8000, 8000) &&
	       pread(fd, &byte, 1, 0) == 1 && !byte, "... gets nothing of what comes");
	munmap(map, 8192);
	close(fd);
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* Messages longer than what was posted write nothing behind it, nor are they read. */
static void test_longer(int type)
{
	int a = bound_sock(type, 953), b;
	struct uet_completion d;
	struct libuet_cq cq;
	size_t len = 3 * 4096, room = 5000;
	char *map = pages(len, MAP_PRIVATE);
	struct uet_op multi = recv_op(5, map, 6000);
	bool ok;

	b = receiver(type, 954, &cq, 16);
	memset(map, 'x', len);
	post_one(b, 1, map + 100, room, 0, 0, 0);
	post_one(b, 2, buf, 100, 0, 0, 0);
	put(a, 954, data, LONG, NULL, 0, 0);
	ok = comes(&cq, &d, 1, UET_DONE_RECV, EMSGSIZE, LONG, room) &&
	     same(data, map + 100, room);
	for (size_t i = 0; i < len; i++)
		ok &= (i >= 100 && i < 100 + room) || map[i] == 'x';
	result(ok, "type %d: the rest of a longer message is nowhere", type);
	send_to(a, data + 9, 100, 954);
	result(comes(&cq, &d, 2, UET_DONE_RECV, 0, 100, 100) && same(data + 9, buf, 100) &&
	       !readable(b, 0), "... the next one comes whole");
	memset(map, 'x', len);
	multi.flags = UET_OP_MULTI;
	multi.imm = 1;
	post_op(b, &multi);
	send_to(a, data, 4000, 954);
	ok = comes(&cq, &d, 5, UET_DONE_RECV, 0, 4000, 4000);
	send_to(a, data + 3, 100000, 954);
	ok &= comes(&cq, &d, 5, UET_DONE_RECV, EMSGSIZE, 100000, 2000) &&
	      d.offset == 4000 && d.flags & UET_DONE_LAST && same(data, map, 4000) &&
	      same(data + 3, map + 4000, 2000);
	for (size_t i = 6000; i < len; i++)
		ok &= map[i] == 'x';
	result(ok, "... nor what a buffer of many has no room for");
	munmap(map, len);
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

static bool nothing(char *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (at[i])
			return false;
	return true;
}

/* A child that ends takes what it posted with it, and nothing else. */
static void test_children(void)
{
	volatile int *word = pages(4096, MAP_SHARED);
	int a = bound_sock(SOCK_SEQPACKET, 955), b;
	char *map = pages(8192, MAP_PRIVATE);
	struct uet_completion d;
	struct libuet_cq cq;
	pid_t child;

	b = receiver(SOCK_SEQPACKET, 956, &cq, 16);
	post_one(b, 1, map, 8192, 0, 0, 0);
	child = fork();
	if (!child) {
		munmap(map, 8192);
		libuet_close_cq(&cq);
		close(b);
		_exit(0);
	}
	result(!child_status(child), "a child gives up what was posted before");
	send_to(a, data, 8000, 956);
	result(comes(&cq, &d, 1, UET_DONE_RECV, 0, 8000, 8000) && same(data, map, 8000),
	       "... which its parent gets");
	memset(map, 0, 8192);
	/* Two processes post to one socket: each has its own pages at that address. */
	post_one(b, 2, map, 4000, 0, 0, 0);
	child = fork();
	if (!child) {
		if (post_one(b, 3, map, 4000, 0, 0, 0))
			_exit(1);
		*word = 1;
		until(word, 2);
		_exit(!same(data + 7, map, 4000));
	}
	until(word, 1);
	send_to(a, data + 5, 4000, 956);
	send_to(a, data + 7, 4000, 956);
	result(comes(&cq, &d, 2, UET_DONE_RECV, 0, 4000, 4000) &&
	       comes(&cq, &d, 3, UET_DONE_RECV, 0, 4000, 4000) && same(data + 5, map, 4000),
	       "two processes post to a socket");
	*word = 2;
	result(!child_status(child), "... and the other one has its message");
	memset(map, 0, 8192);
	child = fork();
	if (!child)
		_exit(post_one(b, 4, map, 4000, 0, 0, 0));
	result(!child_status(child), "a child posts and ends");
	result(comes(&cq, &d, 4, UET_DONE_RECV, ECANCELED, 0, 0), "... and that ends with it");
	send_to(a, data + 9, 4000, 956);
	result(recv(b, buf, sizeof(buf), 0) == 4000 && same(data + 9, buf, 4000) &&
	       nothing(map, 8192), "... a message waits for others");
	munmap(map, 8192);
	munmap((void *)word, 4096);
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* Both post at the same time. */
static void test_at_once(void)
{
	int a = bound_sock(SOCK_RDM, 957), b, nr = 0;
	struct uet_completion d;
	struct libuet_cq cq;
	pid_t child;
	bool ok = true;

	b = receiver(SOCK_RDM, 958, &cq, 512);
	child = fork();
	for (int i = child ? 0 : 100; i < (child ? 100 : 200); i++)
		ok &= !post_one(b, i, NULL, 32, i, 0, UET_OP_INLINE | TAGGED);
	if (!child)
		_exit(!ok);
	ok &= !child_status(child);
	for (int i = 0; i < 200; i++)
		put_tag(a, 958, data + i, 32, i);
	for (; nr < 200 && next(&cq, &d, 20 * SECOND); nr++)
		ok &= !d.error && d.cookie == d.tag && same(data + d.tag, (char *)d.data, 32);
	result(ok && nr == 200, "two that post at once: %d of 200", nr);
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* The program after exec(): the socket is here, the queue and the pages are gone. */
static int after_exec(char **argv)
{
	int fd = atoi(argv[2]), pid = atoi(argv[3]);
	struct libuet_cq cq;
	ssize_t got;

	here = argv[4];
	send_to(fd, data, 8000, pid);
	send_to(fd, "second", 6, pid);
	got = recv(fd, buf, sizeof(buf), 0);
	/* The first one may have found the receive before that ended. */
	if (got == 8000)
		got = recv(fd, buf, sizeof(buf), 0);
	if (got != 6 || memcmp(buf, "second", 6))
		return 1;
	/* What is posted can be told to nobody, as the queue is closed. */
	if (post_one(fd, 0, NULL, 0, 0, 0, UET_OP_INLINE))
		return 2;
	send_to(fd, "third", 5, pid);
	send_to(fd, "fourth", 6, pid);
	if (recv(fd, buf, 100, 0) != 6 || memcmp(buf, "fourth", 6))
		return 3;
	/* It has had its queue. */
	cq = cq_open(fd, 4);
	return libuet_use_cq(fd, &cq) && errno == EBUSY ? 0 : 4;
}

static void test_exec(void)
{
	pid_t child = fork();

	if (!child) {
		char *map = pages(8192, MAP_PRIVATE), text[16];
		struct libuet_cq cq;
		int fd;

		fd = receiver(SOCK_SEQPACKET, 959, &cq, 4);
		post_one(fd, 1, map, 8192, 0, 0, 0);
		snprintf(text, sizeof(text), "%d", dup(fd));
		execl("/proc/self/exe", "uet_stray", "-x", text, "959", here, NULL);
		_exit(100);
	}
	result(!child_status(child), "a program that becomes another one");
}

/* Killed in the middle of a long message to its buffer */
static void test_killed(void)
{
	int a = bound_sock(SOCK_RDM, 960), b, i;
	volatile int *word = pages(4096, MAP_SHARED);
	struct uet_completion d;
	struct libuet_cq cq;
	pid_t child;

	for (i = 0; i < 5; i++) {
		*word = 0;
		child = fork();
		if (!child) {
			b = receiver(SOCK_RDM, 961, &cq, 16);
			for (int k = 0; k < 4; k++)
				post_one(b, k, buf, sizeof(buf), 0, 0, 0);
			*word = 1;
			for (;;)
				next(&cq, &d, 20 * SECOND);
		}
		until(word, 1);
		for (int k = 0; k < 4; k++)
			send_to(a, data, LONG, 961);
		usleep(i * 2000);
		kill(child, SIGKILL);
		if (child_status(child) != SIGKILL)
			break;
	}
	result(i == 5, "killed while long messages come (%d)", i);
	munmap((void *)word, 4096);
	close(a);
}

/* Posts 0 to NR - 1 have one message each that matches, and no other one: message i,
 * sent last to first. There are MASKS masks at a time.
 */
static void one_each(const char *what, uint64_t (*tag)(int i), uint64_t (*ignore)(int i),
		     uint64_t (*msg)(int i))
{
	int a = bound_sock(SOCK_SEQPACKET, 962), b, i, k;
	struct uet_completion d;
	struct libuet_cq cq;
	bool ok = true;

	b = receiver(SOCK_SEQPACKET, 963, &cq, 2 * MASKS);
	for (k = 0; k < NR && ok; k += MASKS) {
		for (i = k; i < k + MASKS; i++)
			ok &= !post_one(b, i, NULL, 8, tag(i), ignore(i),
					UET_OP_INLINE | TAGGED);
		for (i = k + MASKS - 1; i >= k; i--)
			put_tag(a, 963, data + i, 8, msg(i));
		for (i = k + MASKS - 1; i >= k && ok; i--)
			ok = comes(&cq, &d, i, UET_DONE_RECV, 0, 8, 8) && d.tag == msg(i) &&
			     same(data + i, (char *)d.data, 8);
	}
	result(ok, "tags, %s", what);
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

#define TAG	0x5a0ff1ce5eedf00dULL

static uint64_t bit(int i)	{ return 1ULL << i; }
static uint64_t all_but(int i)	{ return ~bit(i); }
static uint64_t below(int i)	{ return bit(i) - 1; }
static uint64_t random_of(int i) { return bit(i) | (TAG & below(i)); }
static uint64_t fixed(int i)	{ (void)i; return TAG; }
static uint64_t flipped(int i)	{ return TAG ^ bit(i); }
static uint64_t none(int i)	{ (void)i; return 0; }

static void test_masks(void)
{
	one_each("no bit ignored", flipped, none, flipped);
	one_each("one bit ignored", fixed, bit, flipped);
	one_each("all but one ignored", bit, all_but, bit);
	one_each("the lower ones ignored", bit, below, random_of);
	/* What is ignored may be set in what was posted. */
	one_each("... and set", random_of, below, bit);
}

/* More masks than there may be at a time */
static void test_many_masks(void)
{
	int b, i;
	struct uet_completion d;
	struct libuet_cq cq;
	bool ok = true;

	b = receiver(SOCK_SEQPACKET, 963, &cq, 64);
	for (i = 0; i < 2 * MASKS; i++)
		ok &= !post_one(b, i, NULL, 8, 0, bit(i % MASKS),
				UET_OP_INLINE | TAGGED);
	result(ok, "receives with %d masks", MASKS);
	EXPECT_ERR(post_one(b, 99, NULL, 8, 0, bit(MASKS), UET_OP_INLINE | TAGGED),
		   EAGAIN, "one more mask");
	result(!post_one(b, 20, NULL, 8, 0, bit(MASKS), UET_OP_INLINE) &&
	       !post_one(b, 21, NULL, 8, 0, bit(2), UET_OP_INLINE | TAGGED),
	       "... others may be posted");
	result(!libuet_unpost(b, 0) && comes(&cq, &d, 0, UET_DONE_RECV, ECANCELED, 0, 0) &&
	       post_one(b, 99, NULL, 8, 0, bit(MASKS), UET_OP_INLINE | TAGGED) &&
	       !libuet_unpost(b, MASKS) &&
	       comes(&cq, &d, MASKS, UET_DONE_RECV, ECANCELED, 0, 0) &&
	       !post_one(b, 22, NULL, 8, 0, bit(MASKS), UET_OP_INLINE | TAGGED),
	       "... and another mask when the last of one is gone");
	libuet_close_cq(&cq);
	close(b);
}

/* Another process writes to the ring all the time. */
static void test_scribble(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 964), b, c, n;
	struct libuet_cq cq, other;
	struct uet_completion d;
	pid_t child;
	bool ok = true;

	b = receiver(SOCK_SEQPACKET, 965, &cq, 2 * NR);
	c = receiver(SOCK_SEQPACKET, 966, &other, 4);
	memset(buf, 0, NR * 1000);
	for (n = 0; n < NR; n++)
		ok &= !post_one(b, n, buf + n * 1000, 1000, 0, 0, 0);
	child = fork();
	if (!child)
		for (unsigned int seed = 1;; seed = seed * 1103515245 + 12345) {
			uint32_t *at = (uint32_t *)cq.ring + (seed >> 16) % (cq.size / 4);

			*at = seed;
			/* Mostly what the kernel reads */
			__atomic_store_n(&cq.ring->head, seed >> 28, __ATOMIC_RELEASE);
		}
	for (n = 0; n < NR; n++)
		ok &= send_to(a, data + n, 1000, 965) == 1000;
	/* The kernel gives none to who reads none: the last message marks the end. */
	for (n = 0; n < 2000 && memcmp(buf + (NR - 1) * 1000, data + NR - 1, 1000); n++)
		usleep(10000);
	for (n = 0; n < NR; n++)
		ok &= same(data + n, buf + n * 1000, 1000);
	result(ok, "a ring that somebody scribbles on: data is in its place");
	post_one(c, 1, buf, 10, 0, 0, 0);
	send_to(a, "other", 5, 966);
	result(comes(&other, &d, 1, UET_DONE_RECV, 0, 5, 5), "... others have their own");
	kill(child, SIGKILL);
	child_status(child);
	libuet_close_cq(&cq);
	libuet_close_cq(&other);
	close(a);
	close(b);
	close(c);
}

int main(int argc, char **argv)
{
	data_init();
	if (argc == 5 && !strcmp(argv[1], "-x"))
		return after_exec(argv);
	if (argc != 2)
		die("usage: uet_stray ADDR");
	here = argv[1];
	ktap_begin();
	test_ends();
	test_truncate();
	test_longer(SOCK_RDM);
	test_longer(SOCK_SEQPACKET);
	test_children();
	test_at_once();
	test_exec();
	test_killed();
	test_masks();
	test_many_masks();
	test_scribble();
	return ktap_finish();
}
