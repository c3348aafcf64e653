// SPDX-License-Identifier: GPL-2.0
/*
 * Operations that are posted (SIOCUETPOST), as programs see them: sends need nobody, and
 * memory goes with its program.
 *
 *   uet_ops ADDR      an address of this host; UET_FOLDER: where files are on a disk
 *   uet_ops -t        a reader that never reads, until the input ends
 *   uet_ops -s ADDR PEER   a program ends after the input has, and that reader of host PEER
 *                     is silent
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "post_util.h"

#define STOPPED		300	/* readers that have stopped */
#define FIRST		1000	/* the PIDonFEP of the first one */

static char buf[LONG + 100000];
static const char *folder;

static struct sockaddr_uet at(uint16_t pid)
{
	struct sockaddr_uet a;

	uet_addr(&a, here, 0, pid, 0);
	return a;
}

static int post_recv(int fd, uint64_t cookie, void *where, size_t len)
{
	struct uet_op op = recv_op(cookie, where, len);

	return post_op(fd, &op);
}

static int cancel(int fd, uint64_t cookie, uint32_t kinds)
{
	struct uet_cancel c = { .cookie = cookie, .kinds = kinds };

	return setsockopt(fd, SOL_UET, UET_CANCEL, &c, sizeof(c));
}

static bool cancelled(struct libuet_cq *cq, uint64_t cookie)
{
	struct uet_completion d;

	while (next(cq, &d, 20 * SECOND))
		if (d.cookie == cookie)
			return d.type == UET_DONE_SENT && d.error == ECANCELED;
	return false;
}

/* A reader with a small buffer that never reads */
static int stopped(uint16_t pid)
{
	int fd = bound_sock(SOCK_RDM, pid), rcvbuf = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	return fd;
}

static char *some(size_t len)
{
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap: %m");
	for (size_t n = 0; n < len; n += LONG)
		memcpy(p + n, data, len - n < LONG ? len - n : LONG);
	return p;
}

static void test_call(void)
{
	int a, none = open_sock(SOCK_RDM), b = bound_sock(SOCK_RDM, 961);
	struct sockaddr_uet to = at(961);
	struct uet_op ops[3] = { send_op(1, data, 10), send_op(2, data, 10),
				 send_op(3, data, 10) };
	struct uet_post p = { .ops = (uintptr_t)ops, .nr = 1, .op_size = sizeof(ops[0]),
			      .addrs = (uintptr_t)&to, .nr_addrs = 1 };
	struct { struct uet_op op; uint64_t more; } longer = { ops[0], 0 };
	struct uet_completion d;
	struct libuet_cq cq;

	EXPECT_ERR(ioctl(none, SIOCUETPOST, &p), ENXIO, "posting without a queue");
	a = receiver(SOCK_RDM, 960, &cq, 64);
	EXPECT_ERR(ioctl(a, SIOCUETPOST, 1), EFAULT, "a bad address");
	p.nr = 0;
	EXPECT_ERR(ioctl(a, SIOCUETPOST, &p), EINVAL, "no operation");
	p.nr = UET_POST_MAX + 1;
	EXPECT_ERR(ioctl(a, SIOCUETPOST, &p), EINVAL, "too many");
	p.nr = 1;
	p.op_size--;
	EXPECT_ERR(ioctl(a, SIOCUETPOST, &p), EINVAL, "too small an operation");
	p.ops = (uintptr_t)&longer;
	p.op_size = sizeof(longer);
	longer.more = 1;
	EXPECT_ERR(ioctl(a, SIOCUETPOST, &p), EINVAL, "one with what is not known");
	longer.more = 0;
	result(ioctl(a, SIOCUETPOST, &p) == 1 &&
	       comes(&cq, &d, 1, UET_DONE_SENT, 0, 10, 0), "a longer one");
	p.flags = 1;
	EXPECT_ERR(ioctl(a, SIOCUETPOST, &p), EINVAL, "flags of the call");
	ops[0].opcode = 200;
	EXPECT_ERR(libuet_post(a, ops, 1, &to, 1), EOPNOTSUPP, "an unknown operation");
	ops[0] = send_op(1, data, 10);
	ops[0].flags = 0x8000;
	EXPECT_ERR(libuet_post(a, ops, 1, &to, 1), EINVAL, "an unknown flag");
	ops[0].flags = UET_OP_MULTI;
	EXPECT_ERR(libuet_post(a, ops, 1, &to, 1), EINVAL, "a flag of receives");
	ops[0] = send_op(1, data, 10);
	ops[0].reserved[1] = 1;
	EXPECT_ERR(libuet_post(a, ops, 1, &to, 1), EINVAL, "a reserved field");
	ops[0] = send_op(1, data, 10);
	ops[0].tag = 1;
	EXPECT_ERR(libuet_post(a, ops, 1, &to, 1), EINVAL, "a tag of a message without one");
	ops[0] = send_op(1, data, 10);
	ops[0].to = 2;
	EXPECT_ERR(libuet_post(a, ops, 1, &to, 1), EINVAL, "an endpoint that is not there");
	ops[0].to = 0;
	EXPECT_ERR(libuet_post(a, ops, 1, &to, 1), EDESTADDRREQ, "the connected one, of none");
	ops[0].to = 1;
	ops[0].delivery = UET_UUD;
	EXPECT_ERR(libuet_post(a, ops, 1, &to, 1), EOPNOTSUPP, "a datagram");
	ops[0].delivery = 0;
	ops[1].to = 7;
	result(libuet_post(a, ops, 3, &to, 1) == 1 &&
	       comes(&cq, &d, 1, UET_DONE_SENT, 0, 10, 0) && !next(&cq, &d, 200),
	       "they are posted up to the first that cannot be");
	EXPECT_ERR(post_send(a, 1, 961, (void *)4096, 10, 0, 0), EFAULT, "data that is not there");
	EXPECT_ERR(post_send(a, 1, 961, (void *)4096, 100000, 0, 0), EFAULT,
		   "... and much of it");
	EXPECT_ERR(post_recv(a, 1, (void *)4096, 10), EFAULT, "a buffer that is not there");
	result(!next(&cq, &d, 200), "nothing is told of what was refused");
	libuet_close_cq(&cq);
	close(a);
	close(b);
	close(none);
}

/* Operations of both kinds by one call */
static void test_array(int type)
{
	struct sockaddr_uet to[2] = { at(963), at(962) };
	struct uet_op r[3] = {
		{ .cookie = 1, .opcode = UET_OP_TRECV, .to = 2, .tag = 7, .ignore = 8,
		  .addr = (uintptr_t)buf, .length = 100 },
		{ .cookie = 2, .opcode = UET_OP_RECV, .to = UET_OP_ANY,
		  .flags = UET_OP_INLINE, .length = 32 },
		{ .cookie = 3, .opcode = UET_OP_RECV, .to = UET_OP_ANY,
		  .addr = (uintptr_t)(buf + 200), .length = LONG },
	};
	struct uet_op s[3] = {
		{ .cookie = 11, .opcode = UET_OP_TSEND, .to = 1, .tag = 15,
		  .addr = (uintptr_t)data, .length = 50 },
		{ .cookie = 12, .opcode = UET_OP_SEND, .flags = UET_OP_INLINE | UET_OP_IMM,
		  .length = 5, .imm = 99, .data = "hello" },
		{ .cookie = 13, .opcode = UET_OP_SEND, .to = 1, .delivery = UET_ROD,
		  .addr = (uintptr_t)(data + 3), .length = LONG - 3 },
	};
	struct libuet_cq cq, cqb;
	struct uet_completion d;
	int a, b, small = 1, got = 0;

	a = receiver(type, 962, &cq, 64);
	b = receiver(type, 963, &cqb, 64);
	setsockopt(a, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	connect(a, (struct sockaddr *)to, sizeof(*to));
	s[2].delivery = type == SOCK_RDM ? 0 : UET_ROD;
	result(libuet_post(b, r, 3, to, 2) == 3, "type %d: three receives", type);
	result(libuet_post(a, s, 1, to, 1) == 1 &&
	       comes(&cqb, &d, 1, UET_DONE_RECV, 0, 50, 50) && same(data, buf, 50) &&
	       d.tag == 15 && comes(&cq, &d, 11, UET_DONE_SENT, 0, 50, 0) &&
	       d.peer.suet_pid == 963 && d.flags == UET_DONE_LAST,
	       "a send with a tag, to an endpoint of the array");
	result(libuet_post(a, s + 1, 2, to, 1) == 2, "two more");
	for (int i = 0; i < 2 && next(&cqb, &d, 20 * SECOND); i++) {
		if (d.cookie == 2 && !d.error && d.got == 5 && d.header_data == 99 &&
		    !memcmp(d.data, "hello", 5))
			got |= 1;
		if (d.cookie == 3 && !d.error && d.got == LONG - 3 &&
		    same(data + 3, buf + 200, LONG - 3))
			got |= 2;
	}
	result(got == 3, "data of the operation to the connected endpoint; data longer than SO_SNDBUF");
	for (int i = 0; i < 2 && next(&cq, &d, 20 * SECOND); i++)
		got += d.type == UET_DONE_SENT && !d.error && d.cookie >= 12;
	result(got == 5 && !next(&cq, &d, 200), "each is told once");
	libuet_close_cq(&cq);
	libuet_close_cq(&cqb);
	close(a);
	close(b);
}

/* What is told, and when */
static void test_told(void)
{
	int a, b = stopped(965), c = bound_sock(SOCK_RDM, 966);
	struct uet_completion d;
	struct libuet_cq cq;
	bool ok = true;

	a = receiver(SOCK_RDM, 964, &cq, 64);
	result(!post_send(a, 1, 966, data, 100, UET_OP_QUIET, 0) && recv(c, buf, 200, 0) == 100 &&
	       !next(&cq, &d, 300), "nothing is told of a quiet one");
	result(!post_send(a, 2, 3901, data, 100, UET_OP_QUIET, 0) &&
	       comes(&cq, &d, 2, UET_DONE_SENT, ECONNREFUSED, 100, 0), "... unless it fails");
	for (int i = 0; i < 50 && ok; i++)
		ok = !post_send(a, i, 3901, data, 100, UET_OP_BUFFER, 0) &&
		     comes(&cq, &d, i, UET_DONE_BUFFER, 0, 100, 0) &&
		     comes(&cq, &d, i, UET_DONE_SENT, ECONNREFUSED, 100, 0);
	result(ok, "of one that fails at once it is told before that its buffer is free");
	for (int i = 0; i < 20; i++)
		post_send(a, 100 + i, 965, data, 8000, UET_OP_QUIET, 0);
	result(!post_send(a, 3, 965, data, 8000, UET_OP_BUFFER, 0) &&
	       comes(&cq, &d, 3, UET_DONE_BUFFER, 0, 8000, 0) && !next(&cq, &d, 200),
	       "a copy: its buffer is free at once");
	result(!cancel(a, 3, UET_CANCEL_SENDS) &&
	       comes(&cq, &d, 3, UET_DONE_SENT, ECANCELED, 8000, 0), "... and it fails later");
	result(!post_send(a, 4, 965, data, 80000, UET_OP_BUFFER, 0) && !next(&cq, &d, 200),
	       "data that is not copied is in use");
	result(!cancel(a, 4, UET_CANCEL_SENDS) &&
	       comes(&cq, &d, 4, UET_DONE_BUFFER, ECANCELED, 80000, 0) &&
	       !next(&cq, &d, 200), "... until it has failed");
	close(b);
	while (next(&cq, &d, 500))
		;
	libuet_close_cq(&cq);
	close(a);
	close(c);
}

/* Slots of the queue, and room in the send buffer */
static void test_limits(void)
{
	int a, b = stopped(968), small = 20000, n, cookies = 0;
	struct pollfd p = { .events = POLLOUT };
	struct uet_completion d;
	struct libuet_cq cq;

	a = receiver(SOCK_RDM, 967, &cq, 256);
	setsockopt(a, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	p.fd = a;
	for (n = 0; n < 100 && !post_send(a, n, 968, data, 8000, 0, 0); n++)
		;
	note("%d posted", n);
	result(n > 1 && n < 100 && errno == EAGAIN && poll(&p, 1, 0) == 0,
	       "copies need room in the send buffer, and poll() tells of it");
	result(!post_send(a, 500, 968, data, 1000000, 0, 0), "data that is not copied needs none");
	close(b);
	result(poll(&p, 1, 20 * SECOND) == 1, "there is room");
	for (int i = 0; i <= n && next(&cq, &d, 20 * SECOND); i++)
		cookies += d.type == UET_DONE_SENT;
	result(cookies == n + 1, "each is told");
	libuet_close_cq(&cq);
	close(a);
	b = stopped(968);
	a = receiver(SOCK_RDM, 967, &cq, 16);
	for (n = 0; n < 100 && !post_send(a, n, 968, data, 20000, 0, 0); n++)
		;
	result(n && n <= 16 && errno == EAGAIN, "each needs a slot of the queue (%d)", n);
	EXPECT_ERR(cancel(a, 1000, UET_CANCEL_SENDS), ENOENT, "an unknown cookie");
	EXPECT_ERR(cancel(a, 1, UET_CANCEL_RECVS), ENOENT, "a receive of that name");
	/* The reader may have taken the first ones. */
	result(!cancel(a, n - 1, UET_CANCEL_SENDS) && cancelled(&cq, n - 1) &&
	       !post_send(a, 200, 968, data, 20000, 0, 0), "one that is cancelled makes room");
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* Sends to readers that have stopped: other programs, deadlines, close(), exit() */
static void test_stopped(void)
{
	int fds[STOPPED], a, b, good = bound_sock(SOCK_RDM, 970), n, ok = 0, status, small = 5000;
	struct uet_completion d;
	struct libuet_cq cq, other;
	char *big = some(400000);
	uint64_t last = 0;
	pid_t child;

	for (n = 0; n < STOPPED; n++)
		fds[n] = stopped(FIRST + n);
	a = receiver(SOCK_RDM, 969, &cq, 1024);
	setsockopt(a, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	for (n = 0; n < STOPPED; n++)
		ok += !post_send(a, n, FIRST + n, big, 400000, 0, 2000);
	result(ok == STOPPED, "sends to %d readers that have stopped (%d)", STOPPED, ok);
	post_send(a, 5000, FIRST, big, 400000, 0, 6000);
	b = receiver(SOCK_RDM, 971, &other, 16);
	result(!post_send(b, 1, 970, data, 5, 0, 0) &&
	       comes(&other, &d, 1, UET_DONE_SENT, 0, 5, 0) && recv(good, buf, 10, 0) == 5,
	       "another program's goes at once");
	for (n = ok = 0; n <= STOPPED && next(&cq, &d, 30 * SECOND); n++) {
		ok += d.error == ETIMEDOUT;
		last = d.cookie;
	}
	result(ok == STOPPED + 1 && last == 5000, "they time out from their post on (%d)", ok);
	for (n = 0; n < STOPPED; n++)
		post_send(a, n, FIRST + n, big, 400000, 0, 0);
	close(a);
	for (n = 0; n < STOPPED; n++)
		close(fds[n]);
	for (n = ok = 0; n < STOPPED && next(&cq, &d, 30 * SECOND); n++)
		ok += d.type == UET_DONE_SENT;
	result(ok == STOPPED, "close() waits for none, and each is told (%d)", ok);
	libuet_close_cq(&cq);
	fds[0] = stopped(FIRST);
	child = fork();
	if (!child) {
		a = receiver(SOCK_RDM, 969, &cq, 1024);
		for (n = 0; n < 100; n++)
			post_send(a, n, FIRST, big, 400000, 0, 0);
		_exit(0);
	}
	result(waitpid(child, &status, 0) == child && !status, "nor does exit()");
	munmap(big, 400000);
	libuet_close_cq(&other);
	close(b);
	close(fds[0]);
	close(good);
}

/* Many sends on a path that takes long, by PDCs that are used up soon */
static void test_renewal(int type)
{
	int a, b = bound_sock(type, 973), n, ok = 0, told = 0;
	static uint32_t msgs[400][800];
	struct uet_completion d;
	struct libuet_cq cq;

	a = receiver(type, 972, &cq, 1024);
	if (system("tc qdisc add dev lo root netem delay 2ms limit 10000 2>/dev/null")) {
		skip("PDCs are renewed", "no netem here");
		goto out;
	}
	if (system("sysctl -qw net.uet.pdc_psns=64"))
		die("sysctl");
	for (n = 0; n < 400; n++) {
		for (int i = 0; i < 800; i++)
			msgs[n][i] = n;
		ok += !post_send(a, n, 973, msgs[n], 100 + n * 7, 0, 0);
	}
	result(ok == 400, "type %d: sends beyond what a PDC may take (%d)", type, ok);
	for (n = ok = 0; n < 400; n++) {
		ssize_t got = recv(b, buf, sizeof(buf), 0);
		uint32_t who = *(uint32_t *)buf;

		if (got == (ssize_t)(100 + who * 7) && !memcmp(buf, msgs[who], got) &&
		    (type == SOCK_RDM || who == (uint32_t)n))
			ok++;
	}
	for (n = 0; n < 400 && next(&cq, &d, 20 * SECOND); n++)
		told += !d.error;
	result(ok == 400 && told == 400, "they arrive by others (%d, %d)", ok, told);
	if (system("sysctl -qw net.uet.pdc_psns=2113929216; tc qdisc del dev lo root"))
		die("sysctl");
out:
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* Pages that drivers hold */
static long pinned(void)
{
	char name[64];
	long v, n = 0;
	FILE *f;

	/* Processors have counts of their own, which this adds up (SMP) */
	f = fopen("/proc/sys/vm/stat_refresh", "w");
	if (f) {
		fputs("1", f);
		fclose(f);
	}
	f = fopen("/proc/vmstat", "r");
	while (fscanf(f, "%63s %ld", name, &v) == 2) {
		if (!strcmp(name, "nr_foll_pin_acquired"))
			n += v;
		else if (!strcmp(name, "nr_foll_pin_released"))
			n -= v;
	}
	fclose(f);
	return n;
}

static bool pins_become(long want)
{
	for (int i = 0; i < 2000; i++) {
		if (pinned() == want)
			return true;
		usleep(10000);
	}
	note("%ld pages are pinned, not %ld", pinned(), want);
	return false;
}

enum end { BY_EXIT, BY_EXEC, BY_KILL, BY_CLOSE, UNSEEN, ENDS };

static const char * const ends[ENDS] = {
	"exit()", "exec()", "SIGKILL", "the last close() of the queue",
	"exit() without a descriptor of the queue",
};

/* What the program does that ends: it posts a send that nobody takes, and a receive. */
static void end_child(enum end how, int fd, struct libuet_cq *cq, int told, int go)
{
	size_t len = 1 << 20;
	char *big = some(len), c;

	if (post_send(fd, 1, 975, big, len, 0, 0) || post_recv(fd, 2, big, len))
		_exit(1);
	if (how == UNSEEN)
		libuet_close_cq(cq);
	if (write(told, "x", 1) != 1 || read(go, &c, 1) != 1)
		_exit(1);
	if (how == BY_EXEC)
		execlp("sleep", "sleep", "1000", NULL);
	if (how == BY_CLOSE)
		libuet_close_cq(cq);
	if (how == BY_KILL || how == BY_CLOSE)
		pause();
	_exit(0);
}

/* A program ends whose socket and queue others have, or closes the queue: its memory goes. */
static void test_end(enum end how)
{
	int a, b = stopped(975), told[2], go[2], rcvbuf = 8000000;
	bool sent = false, got = false;
	struct uet_completion d;
	struct libuet_cq cq;
	long before;
	pid_t child;
	char c;

	a = receiver(SOCK_RDM, 974, &cq, 64);
	before = pinned();
	if (pipe(told) || pipe(go))
		die("pipe: %m");
	child = fork();
	if (!child)
		end_child(how, a, &cq, told[1], go[0]);
	if (read(told[0], &c, 1) != 1)
		die("read: %m");
	result(pinned() >= before + 512, "%s: %ld pages are pinned", ends[how],
	       pinned() - before);
	if (how == BY_CLOSE)
		libuet_close_cq(&cq);
	if (how == BY_KILL)
		kill(child, SIGKILL);
	else if (write(go[1], "x", 1) != 1)
		die("write: %m");
	for (int i = 0; how != BY_CLOSE && i < 2 && next(&cq, &d, 20 * SECOND); i++) {
		sent |= d.cookie == 1 && d.type == UET_DONE_SENT && d.error == ECANCELED;
		got |= d.cookie == 2 && d.type == UET_DONE_RECV && d.error == ECANCELED;
	}
	result(how == BY_CLOSE || (sent && got), "%s: its operations are cancelled", ends[how]);
	result(pins_become(before), "%s: its pages go", ends[how]);
	setsockopt(a, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	send_to(b, "later", 6, 974);
	result(recv(a, buf, 10, 0) == 6, "%s: the socket goes on", ends[how]);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	if (how != BY_CLOSE)
		libuet_close_cq(&cq);
	for (int i = 0; i < 2; i++) {
		close(told[i]);
		close(go[i]);
	}
	close(a);
	close(b);
}

#define RACES	40

struct posting {
	int	fd;
	char	*what;
	size_t	len;
	int	us;
};

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static void *post_long(void *arg)
{
	struct posting *p = arg;
	int64_t begin = now_us();

	post_send(p->fd, 1, 986, p->what, p->len, 0, 0);
	p->us = now_us() - begin;
	return NULL;
}

/* The queue is closed while another thread posts to it: nothing is pinned afterwards. */
static void test_close_while(void)
{
	struct posting p = { .len = 16 << 20 };
	int fds[RACES], b = stopped(986), took = 0;
	struct libuet_cq cq;
	pthread_t thread;
	long before;

	p.what = some(p.len);
	before = pinned();
	for (int i = 0; i < RACES; i++) {
		p.fd = fds[i] = receiver(SOCK_RDM, 2000 + i, &cq, 16);
		if (pthread_create(&thread, NULL, post_long, &p))
			die("pthread_create");
		if (i)
			usleep(took * i / RACES);
		else
			pthread_join(thread, NULL);
		libuet_close_cq(&cq);
		if (i)
			pthread_join(thread, NULL);
		else
			took = p.us;
	}
	note("a post takes %d us", took);
	result(pins_become(before), "the queue is closed while a send is posted: its pages go");
	for (int i = 0; i < RACES; i++)
		close(fds[i]);
	munmap(p.what, p.len);
	close(b);
}

/* A program ends while another one uses up buffers of the same queue all the time. */
static void test_busy(void)
{
	int a, b = bound_sock(SOCK_RDM, 981), c = bound_sock(SOCK_RDM, 982), told[2], n;
	struct uet_completion d;
	time_t until = time(NULL) + 10;
	struct libuet_cq cq;
	bool ended = false;
	char t;

	a = receiver(SOCK_RDM, 980, &cq, 64);
	if (libuet_use_cq(b, &cq) || pipe(told))
		die("a second socket of a queue: %m");
	if (!fork()) {
		n = post_recv(a, 2, some(1 << 20), 1 << 20);
		libuet_close_cq(&cq);
		_exit(n || write(told[1], "x", 1) != 1);
	}
	if (read(told[0], &t, 1) != 1)
		die("read: %m");
	/* That it has ended is seen once a second. */
	for (n = 0; time(NULL) < until && !ended; n++) {
		if (post_recv(b, 3, buf, 5000) || send_to(c, data, 5000, 981) != 5000)
			die("a receive of one's own: %m");
		while (next(&cq, &d, 20 * SECOND) && d.cookie != 3)
			ended |= d.cookie == 2 && d.error == ECANCELED;
	}
	wait(NULL);
	result(ended, "a program that ends while another one is busy: %d receives of that", n);
	libuet_close_cq(&cq);
	close(a);
	close(b);
	close(c);
	close(told[0]);
	close(told[1]);
}

#define IDLE	20

/* Address spaces that the kernel has, -1 if it does not tell */
static long spaces(void)
{
	FILE *shrink = fopen("/sys/kernel/slab/mm_struct/shrink", "w");
	FILE *objects = fopen("/sys/kernel/slab/mm_struct/objects", "r");
	long n = -1;

	if (shrink)
		fputs("1", shrink);
	if (shrink)
		fclose(shrink);
	if (objects && fscanf(objects, "%ld", &n) != 1)
		n = -1;
	if (objects)
		fclose(objects);
	return n;
}

/* Programs that have nothing posted any more, and no descriptor of the queue, end. */
static void test_idle(void)
{
	int a, b = bound_sock(SOCK_RDM, 984), told[2], go[2], done = 0, n;
	struct uet_completion d;
	struct libuet_cq cq;
	long before, after;
	char c;

	a = receiver(SOCK_RDM, 983, &cq, 64);
	if (pipe(told) || pipe(go))
		die("pipe: %m");
	before = spaces();
	for (n = 0; n < IDLE; n++) {
		if (fork())
			continue;
		close(go[1]);
		libuet_close_cq(&cq);
		if (!post_recv(a, n, buf, 5000) && write(told[1], "x", 1) == 1)
			read(go[0], &c, 1);
		_exit(0);
	}
	for (n = 0; n < IDLE; n++)
		if (read(told[0], &c, 1) != 1 || send_to(b, data, 5000, 983) != 5000)
			die("a message for a child: %m");
	while (done < IDLE && next(&cq, &d, 20 * SECOND))
		done++;
	/* Until nobody looks for their end */
	sleep(4);
	close(go[1]);
	while (wait(NULL) > 0)
		;
	for (n = 0; n < 100 && (after = spaces()) >= before + IDLE / 2; n++)
		usleep(100000);
	if (before < 0)
		skip("nothing is kept of programs that end later", "no /sys/kernel/slab");
	else
		result(done == IDLE && after < before + IDLE / 2,
		       "nothing is kept of programs that end later: %ld more", after - before);
	libuet_close_cq(&cq);
	close(a);
	close(b);
	close(told[0]);
	close(told[1]);
	close(go[0]);
}

/* RLIMIT_MEMLOCK, of each program by itself */
static void test_memlock(void)
{
	int a, b = stopped(977), status;
	struct rlimit lim = { 200000, 200000 };
	struct uet_completion d;
	struct libuet_cq cq;
	int sndbuf = 200000;

	a = receiver(SOCK_RDM, 976, &cq, 64);
	setsockopt(a, SOL_SOCKET, SO_SNDBUFFORCE, &sndbuf, sizeof(sndbuf));
	for (int i = 0; i < 2; i++) {
		if (!fork()) {
			if (setrlimit(RLIMIT_MEMLOCK, &lim) || setgid(65534) || setuid(65534))
				_exit(2);
			_exit(post_recv(a, 1, buf, 150000) ||
			      !post_recv(a, 2, buf, 150000) || errno != ENOBUFS ||
			      !post_send(a, 3, 977, data, 1000000, 0, 0) || errno != ENOBUFS ||
			      post_send(a, 4, 977, data, 100000, 0, 0));
		}
		wait(&status);
		result(!status, "a limit of each program: longer is refused, or copied (%x)",
		       status);
		/* The copy goes on. */
		cancel(a, 4, UET_CANCEL_SENDS);
		for (int n = 0; n < 2 && next(&cq, &d, 20 * SECOND); n++)
			result(d.error == ECANCELED && (d.cookie == 1 || d.cookie == 4),
			       "cookie %d", (int)d.cookie);
	}
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

/* A shared mapping of a file: file systems must hear of each write. */
static void test_file(void)
{
	struct libuet_cq cq;
	struct uet_completion d;
	char name[256], *map;
	int a, b, fd;

	if (!folder) {
		skip("a receive into a file", "no folder");
		return;
	}
	snprintf(name, sizeof(name), "%s/uet_ops.%d", folder, getpid());
	fd = open(name, O_RDWR | O_CREAT, 0600);
	unlink(name);
	map = MAP_FAILED;
	if (fd >= 0 && !ftruncate(fd, 8192))
		map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		skip("a receive into a file", "no mapping of files here");
		return;
	}
	a = receiver(SOCK_RDM, 978, &cq, 64);
	b = bound_sock(SOCK_RDM, 979);
	EXPECT_ERR(post_recv(a, 1, map, 8192), EOPNOTSUPP, "a receive into a mapped file");
	memcpy(map, data, 8192);
	result(!post_send(a, 2, 979, map, 8192, 0, 0) && recv(b, buf, 9000, 0) == 8192 &&
	       comes(&cq, &d, 2, UET_DONE_SENT, 0, 8192, 0) && same(data, buf, 8192),
	       "a send of one");
	munmap(map, 8192);
	close(fd);
	libuet_close_cq(&cq);
	close(a);
	close(b);
}

static void until_end(void)
{
	char c;

	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) == 1)
		;
}

/* A program has posted a send, part of which has left, and ends. */
static int silent(const char *peer)
{
	size_t len = 1 << 20;
	struct uet_completion d;
	struct libuet_cq cq;
	long before;
	int a;

	a = receiver(SOCK_RDM, 974, &cq, 64);
	here = peer;
	before = pinned();
	if (!fork()) {
		if (post_send(a, 1, 975, some(len), len, 0, 0))
			die("post: %m");
		until_end();
		_exit(0);
	}
	wait(NULL);
	if (!comes(&cq, &d, 1, UET_DONE_SENT, ECANCELED, len, 0))
		return 1;
	return !pins_become(before);
}

int main(int argc, char **argv)
{
	struct rlimit files = { 4096, 4096 };

	if (argc == 2 && !strcmp(argv[1], "-t")) {
		stopped(975);
		until_end();
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "-s")) {
		data_init();
		here = argv[2];
		return silent(argv[3]);
	}
	if (argc != 2)
		die("usage: uet_ops [-t | ADDR | -s ADDR PEER]");
	here = argv[1];
	folder = getenv("UET_FOLDER");
	setrlimit(RLIMIT_NOFILE, &files);
	ktap_begin();
	data_init();
	test_call();
	test_array(SOCK_RDM);
	test_array(SOCK_SEQPACKET);
	test_told();
	test_limits();
	test_memlock();
	for (int how = 0; how < ENDS; how++)
		test_end(how);
	test_close_while();
	test_busy();
	test_idle();
	test_file();
	test_renewal(SOCK_RDM);
	test_renewal(SOCK_SEQPACKET);
	test_stopped();
	return ktap_finish();
}
