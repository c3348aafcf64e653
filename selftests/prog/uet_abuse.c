// SPDX-License-Identifier: GPL-2.0
/*
 * Calls as nobody should make them: pointers to nowhere, signals and SIGKILL
 * in the middle, close() while others sleep, arguments at random. Each gives
 * its error, and afterwards messages still travel.
 *
 *   uet_abuse ADDR    an address of this host
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uet_common.h"

#define PAGE		4096
#define LONG_MSG	(32 << 20)	/* far beyond SO_SNDBUF: is streamed */
#define KILLS		20
#define RANDOM_CALLS	20000
#define RACE_THREADS	4
#define RACE_NS		3000000000ULL
#define ASLEEP_MS	60000
#define AWAKE_NS	30000000000ULL	/* slow machines */

static const char *here;
static char *long_buf;

static int sock_at(uint16_t pid)
{
	struct sockaddr_uet sa;

	uet_addr(&sa, here, 0, pid, 0);
	return uet_socket(&(struct libuet_sock){
		.type = SOCK_RDM, .local = &sa,
	});
}

static void set_timeout(int fd, int opt, unsigned int ms)
{
	struct timeval tv = { ms / 1000, ms % 1000 * 1000 };

	setsockopt(fd, SOL_SOCKET, opt, &tv, sizeof(tv));
}

static ssize_t send_to(int fd, const void *buf, size_t len, uint16_t pid)
{
	struct sockaddr_uet sa;

	uet_addr(&sa, here, 0, pid, 0);
	return sendto(fd, buf, len, MSG_NOSIGNAL, (struct sockaddr *)&sa,
		      sizeof(sa));
}

/* A message goes round, on sockets of their own */
static void still_works(const char *after)
{
	int a = sock_at(900), b = sock_at(901);
	char buf[64];

	set_timeout(b, SO_RCVTIMEO, 30000);
	result(send_to(a, "alive", 5, 901) == 5 &&
	       recv(b, buf, sizeof(buf), 0) == 5 && !memcmp(buf, "alive", 5),
	       "messages travel after %s", after);
	close(a);
	close(b);
}

/* Reads what is there; true if no message ends whole */
static bool only_aborted(int fd)
{
	static char buf[1 << 20];
	struct iovec iov = { buf, sizeof(buf) };

	for (;;) {
		struct pollfd pfd = { .fd = fd, .events = POLLIN };
		struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

		if (poll(&pfd, 1, 2000) <= 0)
			return true;
		if (recvmsg(fd, &msg, MSG_DONTWAIT) < 0) {
			if (errno == EAGAIN || errno == ECONNABORTED)
				continue;
			note("reader: %s", strerror(errno));
			return false;
		}
		if (msg.msg_flags & MSG_EOR)
			return false;
	}
}

/* --- pointers ------------------------------------------------------------- */

static void test_bad_pointers(void)
{
	char *map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int a = sock_at(910), b = sock_at(911);
	struct sockaddr_uet to;
	struct iovec iov = { map, PAGE };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	char buf[16];

	munmap(map + PAGE, PAGE);
	errno = 0;
	result(send_to(a, map + PAGE, 100, 911) < 0 && errno == EFAULT,
	       "send: data unmapped");
	errno = 0;
	result(send_to(a, map + PAGE - 50, 100, 911) < 0 && errno == EFAULT,
	       "send: second half unmapped");
	uet_addr(&to, here, 0, 911, 0);
	errno = 0;
	result(sendto(a, map, 10, 0, (void *)(map + PAGE), sizeof(to)) < 0 &&
	       errno == EFAULT, "send: address unmapped");
	msg.msg_name = &to;
	msg.msg_namelen = sizeof(to);
	msg.msg_control = map + PAGE;
	msg.msg_controllen = 64;
	errno = 0;
	result(sendmsg(a, &msg, 0) < 0 && errno == EFAULT,
	       "send: control unmapped");
	errno = 0;
	result(sendmsg(a, (void *)(map + PAGE), 0) < 0 && errno == EFAULT,
	       "send: header unmapped");
	result(only_aborted(b), "nothing of it arrives");
	send_to(a, "0123456789", 10, 911);
	set_timeout(b, SO_RCVTIMEO, 30000);
	errno = 0;
	result(recv(b, map + PAGE, 10, 0) < 0 && errno == EFAULT,
	       "recv: buffer unmapped");
	send_to(a, "next", 4, 911);
	result(recv(b, buf, sizeof(buf), 0) > 0, "the socket goes on");
	munmap(map, PAGE);
	close(a);
	close(b);
}

/* The fault comes after megabytes were sent */
static void test_fault_in_stream(void)
{
	char *map = mmap(NULL, LONG_MSG, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int a = sock_at(912), b = sock_at(913);
	bool clean = false;
	pid_t child;
	int status;

	munmap(map + LONG_MSG / 2, LONG_MSG / 2);
	child = fork();
	if (!child)
		_exit(!only_aborted(b));
	errno = 0;
	result(send_to(a, map, LONG_MSG, 913) < 0 && errno == EFAULT,
	       "fault in the middle of a streamed message");
	waitpid(child, &status, 0);
	clean = WIFEXITED(status) && !WEXITSTATUS(status);
	result(clean, "the receiver drops it");
	munmap(map, LONG_MSG / 2);
	close(a);
	close(b);
}

/* --- signals ----------------------------------------------------------------- */

static void on_alarm(int sig)
{
	(void)sig;
}

/* Again and again: the first may come before the call that it is to interrupt */
static void alarm_every_ms(unsigned int ms)
{
	struct sigaction sa = { .sa_handler = on_alarm };

	sigaction(SIGALRM, &sa, NULL);
	ualarm(ms * 1000, ms * 1000);
}

static void test_signals(void)
{
	int a = sock_at(914), b = sock_at(915);
	ssize_t ret;
	char byte;

	alarm_every_ms(300);
	errno = 0;
	result(recv(b, &byte, 1, 0) < 0 && errno == EINTR,
	       "signal in recv gives EINTR");
	/* Nobody reads: the send cannot end, and signals do not end it either */
	set_timeout(a, SO_SNDTIMEO, 500);
	alarm_every_ms(100);
	errno = 0;
	ret = send_to(a, long_buf, LONG_MSG, 915);
	ualarm(0, 0);
	result(ret < 0 && errno == EAGAIN,
	       "SO_SNDTIMEO in the middle of a send gives EAGAIN, signals or not");
	result(only_aborted(b), "and the receiver drops it");
	result(send_to(a, "x", 1, 915) == 1 && recv(b, &byte, 1, 0) == 1,
	       "the sockets go on");
	close(a);
	close(b);
}

static void kill_one(bool sender)
{
	pid_t child = fork();

	if (!child) {
		int a = sock_at(916), b = sock_at(917);

		if (sender)
			send_to(a, long_buf, LONG_MSG, 917);
		else
			recv(b, long_buf, 1, 0);
		_exit(0);
	}
	usleep(50000 + random() % 100000);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void test_sigkill(void)
{
	for (int i = 0; i < KILLS; i++)
		kill_one(i & 1);
	result(true, "%d processes killed in send and recv", KILLS);
	still_works("SIGKILL");
}

/* --- close while others sleep --------------------------------------------------- */

struct sleeper {
	pthread_t	thread;
	int		fd;
	bool		sends;
	ssize_t		ret;
	int		err;
};

static void *sleep_in_call(void *arg)
{
	struct sleeper *s = arg;
	char byte;

	s->ret = s->sends ? send_to(s->fd, long_buf, LONG_MSG, 919)
			  : recv(s->fd, &byte, 1, 0);
	s->err = errno;
	return NULL;
}

/* The thread sleeps for so long if nobody wakes it */
static void start_sleeper(struct sleeper *s, bool sends, unsigned int ms)
{
	s->fd = sock_at(918);
	s->sends = sends;
	set_timeout(s->fd, sends ? SO_SNDTIMEO : SO_RCVTIMEO, ms);
	pthread_create(&s->thread, NULL, sleep_in_call, s);
	usleep(300000);
}

static void test_close_asleep(void)
{
	int target = sock_at(919);
	struct sleeper s;
	uint64_t t0;

	for (int sends = 0; sends < 2; sends++) {
		start_sleeper(&s, sends, 3000);
		close(s.fd);
		pthread_join(s.thread, NULL);
		result(s.ret < 0, "close while another sleeps in %s (%s)",
		       sends ? "send" : "recv", strerror(s.err));
	}
	start_sleeper(&s, false, ASLEEP_MS);
	t0 = host_now_ns();
	shutdown(s.fd, SHUT_RDWR);
	pthread_join(s.thread, NULL);
	result(host_now_ns() - t0 < AWAKE_NS && s.ret == 0,
	       "shutdown wakes a reader");
	close(s.fd);
	start_sleeper(&s, true, ASLEEP_MS);
	t0 = host_now_ns();
	shutdown(s.fd, SHUT_RDWR);
	pthread_join(s.thread, NULL);
	result(host_now_ns() - t0 < AWAKE_NS && s.ret < 0 && s.err == EPIPE,
	       "shutdown wakes a sender");
	close(s.fd);
	close(target);
	still_works("closing");
}

/* --- at random -------------------------------------------------------------------- */

static void random_call(int fd, char *page)
{
	socklen_t len = random() % 4 ? random() % 64 : random() % PAGE;
	int level = random() % 3 ? SOL_UET : SOL_SOCKET;
	int name = random() % 5 ? random() % 16 : random();
	struct sockaddr_uet sa;
	struct iovec iov = { page, random() % 2000 };
	struct msghdr msg = {
		.msg_name = &sa, .msg_namelen = random() % 200,
		.msg_iov = &iov, .msg_iovlen = random() % 2,
		.msg_control = page + PAGE / 2, .msg_controllen = random() % 200,
	};

	for (int i = 0; i < 64; i++)
		page[random() % PAGE] = random();
	memcpy(&sa, page, sizeof(sa));
	if (random() % 2) {
		uet_addr(&sa, here, 0, random() % 5000, 0);
		msg.msg_namelen = sizeof(sa);
	}
	switch (random() % 8) {
	case 0:
		/* Nothing that blocks for ever or changes the address family */
		if (level == SOL_UET)
			setsockopt(fd, level, name, page, len);
		break;
	case 1: getsockopt(fd, level, name, page, &len); break;
	case 2: bind(fd, (struct sockaddr *)&sa, msg.msg_namelen); break;
	case 3: connect(fd, (struct sockaddr *)&sa, msg.msg_namelen); break;
	case 4: sendmsg(fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL | random()); break;
	case 5: recvmsg(fd, &msg, MSG_DONTWAIT | random()); break;
	case 6: getsockname(fd, (struct sockaddr *)page, &len); break;
	case 7: getpeername(fd, (struct sockaddr *)page, &len); break;
	}
}

static void test_random(void)
{
	char *page = malloc(2 * PAGE);
	int fd = -1;

	for (int i = 0; i < RANDOM_CALLS; i++) {
		if (i % 100 == 0) {
			if (fd >= 0)
				close(fd);
			fd = socket(libuet_family(), i % 200 ? SOCK_RDM
							     : SOCK_SEQPACKET, 0);
			if (fd < 0)
				break;
		}
		random_call(fd, page);
	}
	result(fd >= 0, "%d calls at random", RANDOM_CALLS);
	close(fd);
	free(page);
	still_works("random calls");
}

/* Several threads use the same few sockets and names at once */
static void *racer(void *arg)
{
	uint64_t end = host_now_ns() + RACE_NS;
	unsigned int seed = (uintptr_t)arg;
	static volatile int shared[4] = { -1, -1, -1, -1 };
	struct sockaddr_uet sa;
	char buf[5000] = "";

	while (host_now_ns() < end) {
		int i = rand_r(&seed) % 4, fd;

		switch (rand_r(&seed) % 6) {
		case 0:
			fd = socket(libuet_family(), SOCK_RDM, 0);
			fd = __atomic_exchange_n(&shared[i], fd,
						 __ATOMIC_SEQ_CST);
			if (fd >= 0)
				close(fd);
			break;
		case 1:
			uet_addr(&sa, here, 0, 920 + i, 0);
			bind(shared[i], (struct sockaddr *)&sa, sizeof(sa));
			break;
		case 2:
			uet_addr(&sa, here, 0, 920 + i, 0);
			connect(shared[i], (struct sockaddr *)&sa, sizeof(sa));
			break;
		case 3:
			shutdown(shared[i], rand_r(&seed) % 3);
			break;
		case 4:
			uet_addr(&sa, here, 0, 920 + i, 0);
			sendto(shared[(i + 1) % 4], buf,
			       rand_r(&seed) % sizeof(buf),
			       MSG_DONTWAIT | MSG_NOSIGNAL,
			       (struct sockaddr *)&sa, sizeof(sa));
			break;
		case 5:
			recv(shared[i], buf, sizeof(buf), MSG_DONTWAIT);
			break;
		}
	}
	return NULL;
}

static void test_races(void)
{
	pthread_t threads[RACE_THREADS];

	for (uintptr_t i = 0; i < RACE_THREADS; i++)
		pthread_create(&threads[i], NULL, racer, (void *)(i + 1));
	for (int i = 0; i < RACE_THREADS; i++)
		pthread_join(threads[i], NULL);
	/* The threads leave sockets behind that this process closes */
	for (int fd = 3; fd < 200; fd++)
		close(fd);
	result(true, "threads race on the same sockets");
	still_works("races");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: uet_abuse ADDR");
	here = argv[1];
	srandom(1);
	long_buf = malloc(LONG_MSG);
	memset(long_buf, 1, LONG_MSG);
	ktap_begin();
	test_bad_pointers();
	test_fault_in_stream();
	test_signals();
	test_sigkill();
	test_close_asleep();
	test_random();
	test_races();
	return ktap_finish();
}
