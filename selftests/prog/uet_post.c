// SPDX-License-Identifier: GPL-2.0
/*
 * Posted receives and sends, and completion queues, as programs see them.
 *
 *   uet_post ADDR      an address of this host
 *   uet_post -m ADDR   a receive for many at its endpoint 100, until the input ends
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "post_util.h"

static char buf[LONG + 100000];

/* A receive for many messages */
static struct uet_op multi_op(uint64_t cookie, size_t len, uint32_t least)
{
	struct uet_op op = recv_op(cookie, buf, len);

	op.flags = UET_OP_MULTI;
	op.imm = least;
	return op;
}

/* A message sent before is in the socket now. */
static void settle(int fd)
{
	if (!readable(fd, 20 * SECOND))
		die("nothing arrives");
}

static void test_options(void)
{
	int fd = open_sock(SOCK_RDM), dgram = open_sock(SOCK_DGRAM);
	struct uet_cq_params p = { .entries = 3 };
	struct rlimit none = { 0, 0 }, old;
	struct uet_op r = recv_op(0, buf, 10);
	struct sockaddr_uet from = { .suet_family = AF_INET };
	struct libuet_cq cq;
	void *at;

	EXPECT_ERR(post_op(fd, &r), ENXIO, "a receive without a queue");
	p.entries = 0;
	EXPECT_ERR(ioctl(fd, SIOCUETCQ, &p), EINVAL, "a queue of nothing");
	p.entries = UET_CQ_ENTRIES_MAX + 1;
	EXPECT_ERR(ioctl(fd, SIOCUETCQ, &p), EINVAL, "too long a queue");
	EXPECT_ERR(ioctl(fd, SIOCUETCQ, 1), EFAULT, "a queue of a bad address");
	cq = cq_open(fd, 3);
	result(cq.ring->entries == 4 && !cq.ring->tail, "sizes are powers of two");
	at = mmap(NULL, cq.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, cq.fd, 0);
	result(at == MAP_FAILED, "a queue is shared");
	at = mmap(NULL, cq.size + 4096, PROT_READ, MAP_SHARED, cq.fd, 0);
	result(at == MAP_FAILED, "... and not longer than it is");
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_CQ, &fd, sizeof(fd)), EINVAL,
		   "a socket as queue");
	result(!libuet_use_cq(fd, &cq) &&
	       !libuet_use_cq(dgram, &cq),
	       "two sockets share one");
	EXPECT_ERR(libuet_use_cq(fd, &cq), EBUSY,
		   "a second queue");
	EXPECT_ERR(post_op(dgram, &r), EOPNOTSUPP, "a receive of datagrams");
	r.flags = 0x8000;
	EXPECT_ERR(post_op(fd, &r), EINVAL, "an unknown flag");
	r.flags = UET_OP_CLAIM;
	EXPECT_ERR(post_op(fd, &r), EINVAL, "a claim that does not peek");
	r.flags = UET_OP_DISCARD;
	EXPECT_ERR(post_op(fd, &r), EINVAL, "to discard what is to come");
	r.flags = UET_OP_MULTI;
	EXPECT_ERR(post_op(fd, &r), EINVAL, "many messages without a least");
	r.flags = 0;
	r.to = 1;
	EXPECT_ERR(libuet_post(fd, &r, 1, &from, 1), EAFNOSUPPORT, "a source of another family");
	r.to = 0;
	EXPECT_ERR(post_op(fd, &r), EDESTADDRREQ, "the connected source, of none");
	r.to = UET_OP_ANY;
	r.addr = 4096;
	EXPECT_ERR(post_op(fd, &r), EFAULT, "a buffer that is not there");
	r.addr = ~0ULL - 4;
	EXPECT_ERR(post_op(fd, &r), EFAULT, "a buffer beyond the end");
	at = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	r.addr = (uintptr_t)at;
	EXPECT_ERR(post_op(fd, &r), EFAULT, "a buffer that may not be written");
	EXPECT_ERR(libuet_unpost(fd, 1), ENOENT, "to cancel what is not there");
	r.addr = (uintptr_t)buf;
	if (!getrlimit(RLIMIT_MEMLOCK, &old) && !fork()) {
		if (setrlimit(RLIMIT_MEMLOCK, &none) || setgid(65534) || setuid(65534))
			_exit(2);
		errno = 0;
		if (post_op(fd, &r) != -1 || errno != ENOBUFS)
			_exit(1);
		p.entries = 64;
		_exit(ioctl(fd, SIOCUETCQ, &p) != -1 || errno != ENOBUFS);
	}
	int status;

	wait(&status);
	result(!status, "buffers and queues count for RLIMIT_MEMLOCK");
	libuet_close_cq(&cq);
	close(fd);
	close(dgram);
}

static void test_basics(int type)
{
	uint64_t tag = 0;
	int a = bound_sock(type, 910), b;
	struct uet_completion d;
	struct libuet_cq cq;

	b = receiver(type, 911, &cq, 16);
	memset(buf, 0, 100);
	result(!post_one(b, 1, buf, 100, 0, 0, 0) && !post_one(b, 2, buf + 50, 50, 7, 0,
							    TAGGED) &&
	       !next(&cq, &d, 0), "receives are posted");
	put_tag(a, 911, "tagged", 7, 7);
	result(comes(&cq, &d, 2, UET_DONE_RECV, 0, 7, 7) && d.tag == 7 &&
	       d.flags == (UET_DONE_TAGGED | UET_DONE_LAST) && d.peer.suet_pid == 910 &&
	       d.offset == 0 && !strcmp(buf + 50, "tagged"), "one with its tag");
	put(a, 911, "plain", 6, NULL, 0x1122, 0);
	result(comes(&cq, &d, 1, UET_DONE_RECV, 0, 6, 6) && d.header_data == 0x1122 &&
	       d.flags == (UET_DONE_HEADER_DATA | UET_DONE_LAST) && !strcmp(buf, "plain"),
	       "one without, and its header data");
	result(!readable(b, 0), "nothing is left to read");

	post_one(b, 3, buf, 10, 0, 0, TAGGED);
	put(a, 911, "none", 5, NULL, 0, 0);
	settle(b);
	result(!next(&cq, &d, 0), "what has no tag is not what has tag 0");
	put(a, 911, "zero", 5, &tag, 0, 0);
	result(comes(&cq, &d, 3, UET_DONE_RECV, 0, 5, 5) && !strcmp(buf, "zero"),
	       "tag 0 is a tag");
	result(recv(b, buf, 100, 0) == 5 && !strcmp(buf, "none"),
	       "what finds no receive is read as ever");

	post_one(b, 4, buf, 3, 9, 0, TAGGED);
	memset(buf, 'x', 10);
	put_tag(a, 911, "longer", 7, 9);
	result(comes(&cq, &d, 4, UET_DONE_RECV, EMSGSIZE, 7, 3) &&
	       !memcmp(buf, "lonxx", 5), "a longer one is cut");
	post_one(b, 5, NULL, 0, 9, 0, TAGGED);
	put_tag(a, 911, "", 0, 9);
	result(comes(&cq, &d, 5, UET_DONE_RECV, 0, 0, 0), "an empty one");

	post_one(b, 6, buf, 10, 0x50, 0x0f, TAGGED);
	post_one(b, 7, buf + 10, 10, 0x55, 0, TAGGED);
	post_one(b, 8, buf + 20, 10, 0, ~0ULL, TAGGED);
	put_tag(a, 911, "1", 2, 0x55);
	result(comes(&cq, &d, 6, UET_DONE_RECV, 0, 2, 2), "the first that matches, wild");
	put_tag(a, 911, "2", 2, 0x55);
	result(comes(&cq, &d, 7, UET_DONE_RECV, 0, 2, 2), "... then exact");
	put_tag(a, 911, "3", 2, 0x99);
	result(comes(&cq, &d, 8, UET_DONE_RECV, 0, 2, 2), "... then any");

	post_one(b, 9, buf, 10, 1, 0, TAGGED);
	post_one(b, 9, buf, 10, 2, 1, TAGGED);
	result(!libuet_unpost(b, 9) && comes(&cq, &d, 9, UET_DONE_RECV, ECANCELED, 0, 0) &&
	       !libuet_unpost(b, 9) && comes(&cq, &d, 9, UET_DONE_RECV, ECANCELED, 0, 0),
	       "cancelled receives are told");
	EXPECT_ERR(libuet_unpost(b, 9), ENOENT, "to cancel them again");
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* Short messages whose data comes in the completion */
static void test_inline(int type)
{
	struct uet_op bad = recv_op(0, NULL, 33);
	struct rlimit none = { 0, 0 };
	static const char zero[32];
	int a = bound_sock(type, 945), b, n;
	struct uet_completion d;
	struct libuet_cq cq;
	bool ok = true;

	b = receiver(type, 946, &cq, 256);
	bad.flags = UET_OP_INLINE;
	EXPECT_ERR(post_op(b, &bad), EINVAL, "more than fits a completion");
	bad.length = 8;
	bad.addr = 1;
	EXPECT_ERR(post_op(b, &bad), EINVAL, "a buffer besides");
	bad.addr = 0;
	bad.imm = 8;
	bad.flags = UET_OP_INLINE | UET_OP_MULTI;
	EXPECT_ERR(post_op(b, &bad), EINVAL, "many messages in one");
	bad.imm = 0;
	bad.flags = UET_OP_INLINE | UET_OP_PEEK;
	EXPECT_ERR(post_op(b, &bad), EINVAL, "to look at it");
	post_one(b, 1, NULL, 32, 0, 0, UET_OP_INLINE);
	put(a, 946, data, 32, NULL, 5, 0);
	result(comes(&cq, &d, 1, UET_DONE_RECV, 0, 32, 32) && same(data, (char *)d.data, 32) &&
	       d.flags == (UET_DONE_INLINE | UET_DONE_LAST | UET_DONE_HEADER_DATA) &&
	       d.header_data == 5, "a completion has the message");
	post_one(b, 2, NULL, 8, 7, 0, UET_OP_INLINE | TAGGED);
	put_tag(a, 946, data, 20, 7);
	result(comes(&cq, &d, 2, UET_DONE_RECV, EMSGSIZE, 20, 8) && d.tag == 7 &&
	       d.flags & UET_DONE_INLINE && same(data, (char *)d.data, 8) &&
	       same(zero, (char *)d.data + 8, 24), "one that is cut");
	post_one(b, 3, NULL, 0, 0, 0, UET_OP_INLINE);
	put(a, 946, "", 0, NULL, 0, 0);
	result(comes(&cq, &d, 3, UET_DONE_RECV, 0, 0, 0) && d.flags & UET_DONE_INLINE,
	       "an empty one");
	post_one(b, 4, NULL, 32, 0, 0, UET_OP_INLINE);
	put(a, 946, data, LONG, NULL, 0, 0);
	result(comes(&cq, &d, 4, UET_DONE_RECV, EMSGSIZE, LONG, 32) &&
	       same(data, (char *)d.data, 32), "of one of many packets");
	put(a, 946, data + 9, 9, NULL, 0, 0);
	settle(b);
	post_one(b, 5, NULL, 32, 0, 0, UET_OP_INLINE);
	result(comes(&cq, &d, 5, UET_DONE_RECV, 0, 9, 9) && same(data + 9, (char *)d.data, 9),
	       "of one that waited");
	put(a, 946, data + 9, 9, NULL, 0, 0);
	settle(b);
	post_one(b, 6, NULL, 0, 0, 0, UET_OP_PEEK | UET_OP_CLAIM);
	post_one(b, 6, NULL, 32, 0, 0, UET_OP_CLAIMED | UET_OP_INLINE);
	result(comes(&cq, &d, 6, UET_DONE_PEEK, 0, 9, 0) && !(d.flags & UET_DONE_INLINE) &&
	       comes(&cq, &d, 6, UET_DONE_RECV, 0, 9, 9) && same(data + 9, (char *)d.data, 9),
	       "of one that was claimed");
	for (n = 0; n < 100; n++)
		ok &= !post_one(b, n, NULL, 32, n, 0, UET_OP_INLINE | TAGGED);
	for (n = 0; n < 100; n++)
		ok &= put_tag(a, 946, data + n, 32, n) == 32;
	for (n = 0; n < 100 && ok; n++)
		ok = next(&cq, &d, 20 * SECOND) && d.tag == d.cookie && !d.error &&
		     same(data + d.cookie, (char *)d.data, 32);
	result(ok, "each has its own");
	post_one(b, 7, NULL, 32, 0, 0, UET_OP_INLINE);
	result(!libuet_unpost(b, 7) && comes(&cq, &d, 7, UET_DONE_RECV, ECANCELED, 0, 0) &&
	       !(d.flags & UET_DONE_INLINE) && same(zero, (char *)d.data, 32),
	       "one that is cancelled");
	if (!fork()) {
		if (setrlimit(RLIMIT_MEMLOCK, &none) || setgid(65534) || setuid(65534))
			_exit(2);
		_exit(post_one(b, 8, NULL, 32, 0, 0, UET_OP_INLINE) != 0);
	}
	wait(&n);
	result(!n, "no page is held");
	close(b);
	result(comes(&cq, &d, 8, UET_DONE_RECV, ECANCELED, 0, 0), "close() cancels");
	libuet_close_cq(&cq);
	close(a);
}

static void test_source(void)
{
	int a = bound_sock(SOCK_RDM, 912), c = bound_sock(SOCK_RDM, 913), b;
	struct uet_completion d;
	struct libuet_cq cq;
	struct uet_op p = {
		.cookie = 1, .opcode = UET_OP_TRECV, .to = 1,
		.addr = (uintptr_t)buf, .length = 10, .tag = 1,
	};
	struct sockaddr_uet from;

	b = receiver(SOCK_RDM, 914, &cq, 16);
	uet_addr(&from, here, 0, 913, 0);
	result(libuet_post(b, &p, 1, &from, 1) == 1 && !post_one(b, 2, buf + 10, 10, 1, 0, TAGGED),
	       "a receive from one source");
	put_tag(a, 914, "a", 2, 1);
	result(comes(&cq, &d, 2, UET_DONE_RECV, 0, 2, 2) && d.peer.suet_pid == 912,
	       "another one passes it");
	put_tag(c, 914, "c", 2, 1);
	result(comes(&cq, &d, 1, UET_DONE_RECV, 0, 2, 2) && d.peer.suet_pid == 913 &&
	       !strcmp(buf, "c"), "... it gets its own");
	libuet_close_cq(&cq);
	close(a);
	close(b);
	close(c);
}

static void test_unexpected(int type)
{
	int a = bound_sock(type, 915), b;
	struct uet_completion d;
	struct libuet_cq cq;

	b = receiver(type, 916, &cq, 16);
	result(!post_one(b, 1, NULL, 0, 5, 0, TAGGED | UET_OP_PEEK) &&
	       comes(&cq, &d, 1, UET_DONE_PEEK, ENOMSG, 0, 0), "nothing is here");
	put(a, 916, "first", 6, &(uint64_t){ 5 }, 77, 0);
	put_tag(a, 916, "second", 7, 6);
	put_tag(a, 916, "third", 6, 5);
	settle(b);
	usleep(200000);
	post_one(b, 2, NULL, 0, 5, 0, TAGGED | UET_OP_PEEK);
	result(comes(&cq, &d, 2, UET_DONE_PEEK, 0, 6, 0) && d.tag == 5 &&
	       d.header_data == 77 && d.peer.suet_pid == 915, "one is here");
	post_one(b, 3, NULL, 0, 5, 0, TAGGED | UET_OP_PEEK | UET_OP_CLAIM);
	result(comes(&cq, &d, 3, UET_DONE_PEEK, 0, 6, 0), "it is claimed");
	post_one(b, 4, buf, 10, 0, ~0ULL, TAGGED);
	result(comes(&cq, &d, 4, UET_DONE_RECV, 0, 7, 7) && !strcmp(buf, "second"),
	       "others pass it");
	post_one(b, 5, buf, 10, 5, 0, TAGGED);
	result(comes(&cq, &d, 5, UET_DONE_RECV, 0, 6, 6) && !strcmp(buf, "third"),
	       "... of the same tag too");
	post_one(b, 3, buf, 10, 0, 0, UET_OP_CLAIMED);
	result(comes(&cq, &d, 3, UET_DONE_RECV, 0, 6, 6) && !strcmp(buf, "first"),
	       "who claimed it gets it");
	post_one(b, 3, buf, 10, 0, 0, UET_OP_CLAIMED);
	result(comes(&cq, &d, 3, UET_DONE_RECV, ENOMSG, 0, 0), "once");
	put_tag(a, 916, "waste", 6, 8);
	put_tag(a, 916, "goods", 6, 9);
	usleep(200000);
	post_one(b, 6, NULL, 0, 8, 0, TAGGED | UET_OP_PEEK | UET_OP_DISCARD);
	result(comes(&cq, &d, 6, UET_DONE_PEEK, 0, 6, 0), "one is thrown away");
	result(recv(b, buf, 10, 0) == 6 && !strcmp(buf, "goods"), "the next is read");
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* Long messages, posted before and while they arrive */
static void test_long(int type)
{
	int a = bound_sock(type, 917), b, rcvbuf = 200000;
	struct uet_completion d;
	struct libuet_cq cq;
	pid_t child;

	b = receiver(type, 918, &cq, 16);
	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	memset(buf, 0, sizeof(buf));
	post_one(b, 1, buf + 3, LONG, 1, 0, TAGGED);
	result(put_tag(a, 918, data, LONG, 1) == LONG &&
	       comes(&cq, &d, 1, UET_DONE_RECV, 0, LONG, LONG) &&
	       same(data, buf + 3, LONG) && !buf[2] && !buf[LONG + 3],
	       "a long message goes to its buffer");
	memset(buf, 0, sizeof(buf));
	child = fork();
	if (!child) {
		put_tag(a, 918, data, LONG, 2);
		_exit(0);
	}
	/* More than the buffer holds: some has come, the rest waits at its source. */
	usleep(300000);
	if (type == SOCK_RDM) {
		put_tag(a, 918, "short", 6, 3);
		post_one(b, 3, buf, 10, 3, 0, TAGGED);
		result(comes(&cq, &d, 3, UET_DONE_RECV, 0, 6, 6) && !strcmp(buf, "short"),
		       "one behind it is received before");
	}
	post_one(b, 2, buf + 5, LONG, 2, 0, TAGGED);
	result(comes(&cq, &d, 2, UET_DONE_RECV, 0, LONG, LONG) &&
	       same(data, buf + 5, LONG), "a receive for what has come in part");
	waitpid(child, NULL, 0);
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

static void test_multi(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 919), b;
	struct uet_op p = multi_op(1, 1000, 100);
	struct uet_completion d;
	unsigned int n = 0, at = 0;
	bool ok = true, last = false;
	struct libuet_cq cq;

	b = receiver(SOCK_SEQPACKET, 920, &cq, 64);
	for (int i = 0; i < 3; i++)
		send_to(a, data + i, 90, 920);
	usleep(200000);
	result(!post_op(b, &p), "one receive for many messages");
	for (int i = 3; i < 12; i++)
		send_to(a, data + i, 90, 920);
	while (!last && next(&cq, &d, 20 * SECOND)) {
		ok &= d.cookie == 1 && d.got == 90 && d.offset == at &&
		      same(data + n, buf + at, 90);
		at += 90;
		n++;
		last = d.flags & UET_DONE_LAST;
	}
	result(ok && n == 11 && last, "they lie one behind the other");
	result(recv(b, buf, 100, 0) == 90 && same(data + 11, buf, 90),
	       "what has no room is read");
	p.cookie = 2;
	post_op(b, &p);
	result(!libuet_unpost(b, 2) && comes(&cq, &d, 2, UET_DONE_RECV, ECANCELED, 0, 0) &&
	       d.flags == UET_DONE_LAST, "one that is cancelled");
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* Wait until the ring has so many completions, and something waits for a slot. */
static bool line_of(struct libuet_cq *cq, uint32_t tail)
{
	for (int n = 0; n < 2000; n++) {
		if (__atomic_load_n(&cq->ring->tail, __ATOMIC_ACQUIRE) == tail &&
		    __atomic_load_n(&cq->ring->waiting, __ATOMIC_RELAXED))
			return true;
		usleep(10000);
	}
	note("tail %u, waiting %u", cq->ring->tail, cq->ring->waiting);
	return false;
}

/* Messages for a receive of many that find no slot: a quarter of 16 */
static void test_line(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 947), b, n;
	struct uet_op p = multi_op(1, 1000, 1);
	struct uet_completion d;
	struct libuet_cq cq;
	bool ok = true;

	b = receiver(SOCK_SEQPACKET, 948, &cq, 16);
	post_op(b, &p);
	for (n = 0; n < 10; n++)
		put(a, 948, data + n, 10, NULL, n + 1, 0);
	result(line_of(&cq, 4), "messages beyond the slots of peers wait");
	settle(b);
	post_one(b, 2, buf + 2000, 10, 0, 0, 0);
	for (n = 0; n < 10 && ok; n++)
		ok = comes(&cq, &d, 1, UET_DONE_RECV, 0, 10, 10) &&
		     d.header_data == (uint64_t)n + 1 && d.offset == (uint64_t)n * 10 &&
		     same(data + n, buf + n * 10, 10);
	result(ok && !cq.ring->waiting && !next(&cq, &d, 0) && !readable(b, 0),
	       "... and go there in order, as completions are taken");
	for (n = 0; n < 6; n++)
		put(a, 948, data + n, 10, NULL, n + 1, 0);
	ok = line_of(&cq, 14) && !libuet_unpost(b, 1);
	for (n = 0; n < 4 && ok; n++)
		ok = comes(&cq, &d, 1, UET_DONE_RECV, 0, 10, 10) &&
		     d.header_data == (uint64_t)n + 1;
	result(ok && comes(&cq, &d, 1, UET_DONE_RECV, ECANCELED, 0, 0) &&
	       d.flags == UET_DONE_LAST, "one that is cancelled while they wait");
	result(comes(&cq, &d, 2, UET_DONE_RECV, 0, 10, 10) && d.header_data == 5 &&
	       !cq.ring->waiting, "... the next receive has the next one");
	result(recv(b, buf, 100, 0) == 10 && same(data + 5, buf, 10), "... the last is read");
	p.cookie = 3;
	post_op(b, &p);
	for (n = 0; n < 6; n++)
		put(a, 948, data + n, 10, NULL, 0, 0);
	result(line_of(&cq, 20) && recv(b, buf, 100, 0) == 10 && same(data + 4, buf, 10),
	       "what waits can be read, too");
	/* The receive ends with the queue. */
	libuet_close_cq(&cq);
	usleep(300000);
	result(recv(b, buf, 100, MSG_DONTWAIT) == 10 && same(data + 5, buf, 10) &&
	       !readable(b, 0), "... also when the queue is gone");
	close(b);
	b = receiver(SOCK_SEQPACKET, 948, &cq, 16);
	post_op(b, &p);
	for (n = 0; n < 6; n++)
		put(a, 948, data + n, 10, NULL, 0, 0);
	ok = line_of(&cq, 4);
	shutdown(b, SHUT_RD);
	result(ok && !cq.ring->waiting, "shutdown() while messages wait");
	libuet_close_cq(&cq);
	close(b);
	b = receiver(SOCK_SEQPACKET, 948, &cq, 16);
	post_op(b, &p);
	for (n = 0; n < 6; n++)
		put(a, 948, data + n, 10, NULL, 0, 0);
	ok = line_of(&cq, 4);
	close(b);
	result(ok && !cq.ring->waiting, "close() too");
	libuet_close_cq(&cq);
	close(a);
}

#define FLOOD	100000
#define FLOOD_FEW	5000

/* As many empty messages as a peer likes: what is kept of them has bounds. */
static void test_flood(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 947), b, rcvbuf = 1;
	uint64_t sent = 0, behind;
	struct uet_op p = multi_op(1, 4096, 1);
	struct uet_completion d;
	struct libuet_cq cq;
	uint64_t n = 0, all = strchr(here, ':') ? FLOOD_FEW : FLOOD;
	bool ok = true;

	b = receiver(SOCK_SEQPACKET, 948, &cq, 64);
	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	post_op(b, &p);
	while (sent < all && !put(a, 948, "", 0, NULL, sent + 1, MSG_DONTWAIT))
		sent++;
	behind = sent;
	result(line_of(&cq, 16) && sent < all && errno == EAGAIN,
	       "a flood of empty messages stops (%llu)",
	       (unsigned long long)sent);
	while (n < all && ok) {
		while (sent < all && !put(a, 948, "", 0, NULL, sent + 1, MSG_DONTWAIT))
			sent++;
		ok = comes(&cq, &d, 1, UET_DONE_RECV, 0, 0, 0) && d.header_data == ++n;
		if (ok && sent - n > 2 * behind)
			ok = false;
	}
	result(ok && !readable(b, 0), "... and goes on, in order: %llu of %llu",
	       (unsigned long long)n, (unsigned long long)all);
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* Take what has come when the input ends. */
static int many(void)
{
	struct uet_op p = multi_op(1, 4096, 1);
	struct uet_completion d;
	struct libuet_cq cq;
	int b, n = 0, tail;
	char c;

	b = receiver(SOCK_RDM, 100, &cq, 64);
	post_op(b, &p);
	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) == 1)
		;
	tail = cq.ring->tail;
	while (next(&cq, &d, 500)) {
		if (d.length || d.got || d.error)
			die("length %u, error %u", d.length, d.error);
		n++;
	}
	printf("%d had a slot, %d came\n", tail, n);
	return tail != 16 || n <= 16 || readable(b, 0);
}

/* A message that its target deferred is asked for when there is a receive for it. */
static void test_deferred(void)
{
	int a = bound_sock(SOCK_RDM, 930), b, rcvbuf = 1, min = 50000;
	struct uet_completion d;
	struct libuet_cq cq;

	b = receiver(SOCK_RDM, 931, &cq, 16);
	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	setsockopt(a, SOL_UET, UET_DEFER, &min, sizeof(min));
	/* It fills most of the room. */
	for (int i = 0; i < 5; i++)
		send_to(a, data, 4000, 931);
	settle(b);
	usleep(200000);
	put_tag(a, 931, data, 200000, 1);
	usleep(300000);
	post_one(b, 1, NULL, 0, 1, 0, TAGGED | UET_OP_PEEK);
	result(comes(&cq, &d, 1, UET_DONE_PEEK, ENOMSG, 0, 0), "it is not here");
	memset(buf, 0, 200000);
	post_one(b, 2, buf, sizeof(buf), 1, 0, TAGGED);
	result(comes(&cq, &d, 2, UET_DONE_RECV, 0, 200000, 200000) &&
	       same(data, buf, 200000), "a receive asks for it");
	put_tag(a, 931, data, 200000, 2);
	post_one(b, 3, buf, sizeof(buf), 2, 0, TAGGED);
	result(comes(&cq, &d, 3, UET_DONE_RECV, 0, 200000, 200000),
	       "... or finds it on its way");
	result(recv(b, buf, 4000, 0) == 4000, "the others are still here");
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* A receive for many has no slot, and the socket no room: what was deferred meanwhile is
 * asked for when there is a slot, and not when its target next looks, which is after a
 * second.
 */
static void test_deferred_line(void)
{
	int a = bound_sock(SOCK_RDM, 932), b, rcvbuf = 1, min = 50000, soon = 0, i, n;
	struct uet_op p = multi_op(1, LONG, 1);
	struct uet_completion d;
	struct libuet_cq cq;
	bool ok = true;

	b = receiver(SOCK_RDM, 933, &cq, 16);
	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	setsockopt(a, SOL_UET, UET_DEFER, &min, sizeof(min));
	p.opcode = UET_OP_TRECV;
	post_op(b, &p);
	/* They fill most of the room, and stay. */
	for (n = 0; n < 5; n++)
		send_to(a, data, 4000, 933);
	settle(b);
	for (i = 0; i < 5 && ok; i++) {
		for (n = 0; n < 6; n++)
			put_tag(a, 933, data, 10, 0);
		ok = line_of(&cq, cq.head + 4);
		put_tag(a, 933, data, 100000, 0);
		usleep(200000);
		for (n = 0; n < 6 && ok; n++)
			ok = comes(&cq, &d, 1, UET_DONE_RECV, 0, 10, 10);
		if (!ok)
			break;
		n = next(&cq, &d, SECOND / 2);
		soon += n;
		ok = n || next(&cq, &d, 20 * SECOND);
		ok = ok && is(&d, 1, UET_DONE_RECV, 0, 100000, 100000) &&
		     same(data, buf + d.offset, 100000);
	}
	result(ok, "what finds neither slot nor room is deferred, and comes (%d)", i);
	result(soon, "... as soon as there is a slot (%d)", soon);
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* poll() tells when messages that no receive was posted for take much room. */
static void test_lowat(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 949), b, lowat = 30000, rcvbuf = 100000;
	struct libuet_cq cq;
	int n;

	b = receiver(SOCK_SEQPACKET, 950, &cq, 64);
	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	setsockopt(b, SOL_SOCKET, SO_RCVLOWAT, &lowat, sizeof(lowat));
	send_to(a, data, 4000, 950);
	result(!readable(b, 500), "one message is not told");
	for (n = 0; n < 9; n++)
		send_to(a, data + n, 4000, 950);
	result(readable(b, 20 * SECOND), "many are");
	for (n = 0; recv(b, buf, 4000, MSG_DONTWAIT) == 4000; n++)
		if (!n)
			result(readable(b, 0), "... still, with one less");
	result(n == 10, "all can be read, whether they are told or not");
	send_to(a, data, 4000, 950);
	result(!readable(b, 500), "the next one is not told");
	lowat = 1;
	setsockopt(b, SOL_SOCKET, SO_RCVLOWAT, &lowat, sizeof(lowat));
	result(readable(b, 0), "but without SO_RCVLOWAT");
	lowat = 1 << 30;
	setsockopt(b, SOL_SOCKET, SO_RCVLOWAT, &lowat, sizeof(lowat));
	result(!readable(b, 300), "one is not told with a large value");
	for (n = 0; n < 30; n++)
		send_to(a, data, 4000, 950);
	result(readable(b, 20 * SECOND), "... a full buffer is");
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* As many receives as the queue has slots for what the program begins */
static void test_full(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 921), b, n;
	struct uet_completion d;
	bool ok = true;
	struct libuet_cq cq;

	b = receiver(SOCK_SEQPACKET, 922, &cq, 8);
	for (n = 0; n < 6; n++)
		ok &= !post_one(b, n, buf + n, 1, 0, 0, 0);
	result(ok, "each receive has its slot");
	EXPECT_ERR(post_one(b, 30, buf, 1, 0, 0, 0), EAGAIN, "a further receive");
	result(!libuet_unpost(b, 5) && comes(&cq, &d, 5, UET_DONE_RECV, ECANCELED, 0, 0) &&
	       !post_one(b, 5, buf + 5, 1, 0, 0, 0), "one that is cancelled makes room");
	for (n = 0; n < 20; n++)
		send_to(a, data + n, 1, 922);
	for (n = 0; n < 2000 && __atomic_load_n(&cq.ring->tail, __ATOMIC_ACQUIRE) < 7; n++)
		usleep(10000);
	EXPECT_ERR(post_one(b, 30, buf, 1, 0, 0, 0), EAGAIN, "... also when they have ended");
	for (n = 0; n < 6; n++)
		ok &= next(&cq, &d, 20 * SECOND) && d.cookie == (uint64_t)n;
	for (; n < 20; n++)
		ok &= !post_one(b, n, buf + n, 1, 0, 0, 0) && next(&cq, &d, 20 * SECOND) &&
		      d.cookie == (uint64_t)n;
	result(ok && !memcmp(buf, data, 20), "what comes meanwhile goes to the next ones");
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* Is there something on the error queue? It is taken. */
static bool reported(int fd, int ms)
{
	struct pollfd p = { .fd = fd };
	char control[256];
	struct msghdr m = { .msg_control = control, .msg_controllen = sizeof(control) };

	return poll(&p, 1, ms) == 1 && !recvmsg(fd, &m, MSG_ERRQUEUE);
}

static void test_sends(void)
{
	int a, b = bound_sock(SOCK_RDM, 924), on = 1, got = 0;
	struct uet_completion d;
	struct libuet_cq cq;
	uint64_t cookie;

	a = receiver(SOCK_RDM, 923, &cq, 16);
	setsockopt(a, SOL_UET, UET_NOTIFY, &on, sizeof(on));
	send_to(a, "x", 2, 924);
	result(next(&cq, &d, 20 * SECOND) && is(&d, d.cookie, UET_DONE_SENT, 0, 2, 0) &&
	       d.peer.suet_pid == 924, "a delivered message");
	send_to(a, "x", 3, 3901);
	result(next(&cq, &d, 20 * SECOND) &&
	       is(&d, d.cookie, UET_DONE_SENT, ECONNREFUSED, 3, 0) &&
	       d.source == UET_REPORT_SES, "one to nobody");
	result(setsockopt(a, SOL_UET, UET_ZEROCOPY, &on, sizeof(on)) == 0 &&
	       put(a, 924, data, 100000, NULL, 0, MSG_ZEROCOPY) == 100000,
	       "one that is not copied");
	cookie = d.cookie + 1;
	recv(b, buf, 100, 0);
	result(recv(b, buf, sizeof(buf), MSG_WAITALL) == 100000 && same(data, buf, 100000),
	       "it arrives");
	while (got != 3 && next(&cq, &d, 20 * SECOND)) {
		note("type %u, cookie %llu, error %u", d.type,
		     (unsigned long long)d.cookie, d.error);
		if (d.cookie == cookie && !d.error)
			got |= d.type == UET_DONE_SENT ? 1 : 2;
	}
	result(got == 3, "its delivery is told, and that its buffer is free");
	for (int i = 0; i < 100 && send_to(a, "x", 1, 924) == 1; i++)
		usleep(2000);
	result(errno == EAGAIN, "no further message without a slot for its result");
	for (got = 0; libuet_next_done(&cq, &d, 300) == 1; got++)
		;
	note("%d completions", got);
	result(got == 12 && send_to(a, "x", 1, 924) == 1, "... until they are taken");
	result(next(&cq, &d, 20 * SECOND) && is(&d, d.cookie, UET_DONE_SENT, 0, 1, 0),
	       "... and it is told, too");
	/* Nobody asked for failures: what has no slot goes to the error queue. */
	on = UET_NOTIFY_NONE;
	setsockopt(a, SOL_UET, UET_NOTIFY, &on, sizeof(on));
	for (int i = 0; i < 20; i++)
		send_to(a, "x", 1, 3901);
	got = 0;
	for (int i = 0; i < 2000 && got < 20; i++) {
		if (next(&cq, &d, 0) || reported(a, 0))
			got++;
		else
			usleep(10000);
	}
	result(got == 20, "failures that nobody asked for: %d of 20", got);
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* UET_NOTIFY_NAMED: a completion of each posted send, and none of other messages */
static void test_named(void)
{
	int a, b = bound_sock(SOCK_SEQPACKET, 944), v = UET_NOTIFY_NAMED;
	struct libuet_cq cq;
	struct uet_completion d;
	int sent = 0, others = 0;

	a = receiver(SOCK_SEQPACKET, 943, &cq, 64);
	setsockopt(a, SOL_UET, UET_NOTIFY, &v, sizeof(v));
	for (int i = 0; i < 5; i++) {
		send_to(a, "x", 1, 944);
		post_send(a, 50 + i, 944, data, 10, 0, 0);
	}
	for (int i = 0; i < 10; i++)
		recv(b, buf, 20, 0);
	while (next(&cq, &d, 500)) {
		if (d.type == UET_DONE_SENT && d.cookie >= 50 && d.cookie < 55 && !d.error)
			sent++;
		else
			others++;
	}
	result(sent == 5 && !others, "only posted sends are told (%d, %d)", sent, others);
	send_to(a, "x", 1, 3901);
	result(next(&cq, &d, 20 * SECOND) && d.type == UET_DONE_SENT &&
	       d.error == ECONNREFUSED, "... and what fails");
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* Fill the receive buffer of a socket, so that further messages wait at their source. */
static void stuff(int from, int fd, uint16_t pid)
{
	int rcvbuf = 1, sndbuf = 4000000;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	setsockopt(from, SOL_SOCKET, SO_SNDBUFFORCE, &sndbuf, sizeof(sndbuf));
	for (int i = 0; i < 50; i++)
		send_to(from, data, 4000, pid);
	usleep(200000);
}

static void unstuff(int fd)
{
	for (int i = 0; i < 50; i++)
		recv(fd, buf, 4000, MSG_WAITALL);
}

/* Posted sends whose data is not copied */
static void test_post_pinned(void)
{
	int a, b = bound_sock(SOCK_SEQPACKET, 948), v = UET_NOTIFY_NAMED, n;
	struct rlimit none = { 0, 0 };
	struct uet_completion d;
	struct libuet_cq cq;
	size_t len = 300000;
	char *map;

	a = receiver(SOCK_SEQPACKET, 947, &cq, 64);
	setsockopt(a, SOL_UET, UET_NOTIFY, &v, sizeof(v));
	stuff(a, b, 948);
	post_send(a, 1, 948, data, 16000, UET_OP_BUFFER, 0);
	result(comes(&cq, &d, 1, UET_DONE_BUFFER, 0, 16000, 0), "a copy is taken at once");
	result(!post_send(a, 2, 948, data + 7, len, UET_OP_BUFFER, 0) && !next(&cq, &d, 500),
	       "what is not copied is in use until it has arrived");
	unstuff(b);
	result(recv(b, buf, len, MSG_WAITALL) == 16000 && same(data, buf, 16000) &&
	       recv(b, buf, len, MSG_WAITALL) == (ssize_t)len && same(data + 7, buf, len),
	       "they arrive in order");
	result(comes(&cq, &d, 2, UET_DONE_BUFFER, 0, len, 0) && d.peer.suet_pid == 948 &&
	       d.flags == UET_DONE_LAST && !next(&cq, &d, 500),
	       "then its buffer is free, told once");
	v = 100000;
	setsockopt(a, SOL_SOCKET, SO_SNDBUF, &v, sizeof(v));
	result(!post_send(a, 5, 948, data, LONG, 0, 0) &&
	       recv(b, buf, LONG, MSG_WAITALL) == LONG && same(data, buf, LONG) &&
	       comes(&cq, &d, 5, UET_DONE_SENT, 0, LONG, 0),
	       "one longer than the send buffer");
	/* Without the right to pin it is copied. */
	stuff(a, b, 948);
	if (!fork()) {
		if (setrlimit(RLIMIT_MEMLOCK, &none) || setgid(65534) || setuid(65534))
			_exit(2);
		_exit(post_send(a, 6, 948, data, len, UET_OP_BUFFER, 0) ||
		      !next(&cq, &d, 20 * SECOND) || d.type != UET_DONE_BUFFER || d.error);
	}
	wait(&n);
	result(!n, "beyond RLIMIT_MEMLOCK it is copied");
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(map, data, len);
	post_send(a, 7, 948, map, len, 0, 0);
	usleep(200000);
	munmap(map, len);
	unstuff(b);
	result(recv(b, buf, len, MSG_WAITALL) == (ssize_t)len && same(data, buf, len) &&
	       recv(b, buf, len, MSG_WAITALL) == (ssize_t)len && same(data, buf, len),
	       "pages outlive their mapping");
	while (next(&cq, &d, 300))
		;
	stuff(a, b, 948);
	post_send(a, 8, 948, data, len, 0, 0);
	usleep(200000);
	close(a);
	close(b);
	for (n = 0; next(&cq, &d, 5 * SECOND) && n < 2; n++)
		note("type %u, cookie %llu, error %u", d.type,
		     (unsigned long long)d.cookie, d.error);
	result(n == 1 && d.type == UET_DONE_SENT && d.cookie == 8,
	       "close() while pages are in use");
	libuet_close_cq(&cq);
}

/* Both are told, in any order: a long one when no packet refers to its pages any more */
static bool both_sent(struct libuet_cq *cq, uint64_t cookie, uint32_t len, uint64_t other,
		      uint32_t other_len)
{
	struct uet_completion d;

	if (!next(cq, &d, 20 * SECOND))
		return false;
	if (d.cookie == other)
		return is(&d, other, UET_DONE_SENT, 0, other_len, 0) &&
		       comes(cq, &d, cookie, UET_DONE_SENT, 0, len, 0);
	return is(&d, cookie, UET_DONE_SENT, 0, len, 0) &&
	       comes(cq, &d, other, UET_DONE_SENT, 0, other_len, 0);
}

#define HUGE	(100 << 20)

/* Sends of any length by a program that does not wait */
static void test_post_send(void)
{
	int a, b = bound_sock(SOCK_SEQPACKET, 941), c = bound_sock(SOCK_SEQPACKET, 942);
	struct uet_op op = send_op(0, data, 10);
	struct sockaddr_uet nobody = {};
	size_t page = 4 << 20, at = 0, n;
	struct uet_completion d;
	struct libuet_cq cq;
	bool ok = true;
	ssize_t got;
	char *huge;

	EXPECT_ERR(libuet_post(b, &op, 1, &nobody, 1), ENXIO, "a posted send without a queue");
	a = receiver(SOCK_SEQPACKET, 940, &cq, 64);
	EXPECT_ERR(libuet_post(a, &op, 1, &nobody, 1), EAFNOSUPPORT, "a send to nobody");
	result(!post_send(a, 1, 941, data, 10, 0, 0) && recv(b, buf, 20, 0) == 10 &&
	       comes(&cq, &d, 1, UET_DONE_SENT, 0, 10, 0) && same(data, buf, 10),
	       "a posted send");
	huge = mmap(NULL, HUGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (n = 0; n < HUGE; n += page)
		memcpy(huge + n, data + n / page, 2000000);
	result(!post_send(a, 3, 941, huge, HUGE, 0, 0) &&
	       !post_send(a, 4, 941, data, 100, 0, 0) &&
	       !post_send(a, 5, 942, data, 100, 0, 0) &&
	       comes(&cq, &d, 5, UET_DONE_SENT, 0, 100, 0) &&
	       recv(c, buf, 200, 0) == 100, "one of 100 MB keeps none to others waiting");
	result(!libuet_next_done(&cq, &d, 0), "... but those to the same");
	while (at < HUGE && (got = recv(b, buf, sizeof(buf), 0)) > 0) {
		ok &= at + got <= HUGE && !memcmp(huge + at, buf, got);
		at += got;
	}
	result(ok && at == HUGE, "it arrives");
	result(recv(b, buf, 200, 0) == 100 && both_sent(&cq, 3, HUGE, 4, 100),
	       "... and the one behind it");
	post_send(a, 6, 941, huge, LONG, 0, 0);
	post_send(a, 7, 941, data, 100, 0, 0);
	shutdown(a, SHUT_WR);
	EXPECT_ERR(post_send(a, 8, 941, data, 100, 0, 0), EPIPE, "a send after shutdown()");
	result(recv(b, buf, LONG, MSG_WAITALL) == LONG && !memcmp(huge, buf, LONG) &&
	       recv(b, buf, 200, 0) == 100 && both_sent(&cq, 6, LONG, 7, 100),
	       "those before it go on");
	close(a);
	libuet_close_cq(&cq);
	a = receiver(SOCK_SEQPACKET, 940, &cq, 64);
	post_send(a, 9, 942, huge, LONG, 0, 0);
	close(a);
	result(recv(c, buf, LONG, MSG_WAITALL) == LONG && !memcmp(huge, buf, LONG) &&
	       comes(&cq, &d, 9, UET_DONE_SENT, 0, LONG, 0), "... those of a closed socket, too");
	libuet_close_cq(&cq);
	if (!fork()) {
		a = receiver(SOCK_SEQPACKET, 940, &cq, 64);
		for (n = 0; n < 16; n++)
			post_send(a, n, 942, huge, HUGE, 0, 0);
		_exit(0);
	}
	int status;

	wait(&status);
	result(!status, "a program that exits while it sends");
	munmap(huge, HUGE);
	close(b);
	close(c);
}

#define PEER_ROUNDS	20

/* A completion of a message that came, or went, and one of what became of the peer */
static bool peer_told(struct libuet_cq *cq, int type, uint32_t error)
{
	bool message = false, peer = false;
	struct uet_completion d;

	while (!(message && peer) && next(cq, &d, 20 * SECOND)) {
		note("type %u, error %u", d.type, d.error);
		message |= d.type == type && d.error == error;
		peer |= d.type == UET_DONE_PEER && d.error == error &&
			d.peer.suet_pid == 951;
	}
	return message && peer;
}

/* Peers are heard by posted receives, also one that was lost a moment ago. */
static void test_peers(void)
{
	struct uet_completion d;
	struct libuet_cq cq;
	int a, b, on = 1, i;
	bool ok = true;

	a = receiver(SOCK_RDM, 950, &cq, 64);
	setsockopt(a, SOL_UET, UET_PEER_EVENTS, &on, sizeof(on));
	for (i = 0; ok && i < PEER_ROUNDS; i++) {
		b = bound_sock(SOCK_RDM, 951);
		post_one(a, 1, buf, 100, 0, 0, 0);
		send_to(b, "here", 5, 950);
		ok = i ? peer_told(&cq, UET_DONE_RECV, 0) :
			 comes(&cq, &d, 1, UET_DONE_RECV, 0, 5, 5);
		close(b);
		send_to(a, "there?", 7, 951);
		ok = ok && peer_told(&cq, UET_DONE_SENT, ECONNREFUSED);
	}
	result(ok && !next(&cq, &d, 0), "a peer is lost and heard again, time after time");
	close(a);
	libuet_close_cq(&cq);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "-m")) {
		here = argv[2];
		return many();
	}
	if (argc != 2)
		die("usage: uet_post ADDR");
	here = argv[1];
	ktap_begin();
	data_init();
	test_options();
	test_basics(SOCK_RDM);
	test_basics(SOCK_SEQPACKET);
	test_inline(SOCK_RDM);
	test_inline(SOCK_SEQPACKET);
	test_source();
	test_unexpected(SOCK_SEQPACKET);
	test_long(SOCK_RDM);
	test_long(SOCK_SEQPACKET);
	test_multi();
	test_line();
	test_flood();
	test_deferred();
	test_deferred_line();
	test_lowat();
	test_full();
	test_sends();
	test_named();
	test_peers();
	test_post_send();
	test_post_pinned();
	return ktap_finish();
}
