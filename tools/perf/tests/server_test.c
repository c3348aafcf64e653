// SPDX-License-Identifier: GPL-2.0
/*
 * The server with a network, processes and a clock that do what they like: random
 * control messages, many of them about tests that exist, in every state of them.
 * It must hold its limit of tests, close what it opens and end when told.
 *
 * The linker puts the functions here that are called __wrap_NAME in the place of NAME.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktap.h>

#include "../slot.h"

#define TESTS	8

int ktap_number, ktap_failed;

static unsigned long loops;
static uint64_t clock_ns = 1;
static unsigned int files, files_most, forked, ended, refused, results;
static bool wrong, endless;

/* By which a client knows an answer: of the last HELLO */
static uint64_t seed;

/* Tests that the server told of, which messages speak of again */
static struct wire_msg known[16];

/* What TOTAL said of a test that had not begun, by its key */
static struct {
	uint64_t key, total;
} early[TESTS];
static unsigned int totals;

int __real_close(int fd);

/* Something has always happened */
int __wrap_poll(struct pollfd *pfds, nfds_t n, int ms);
int __wrap_poll(struct pollfd *pfds, nfds_t n, int ms)
{
	(void)pfds;
	(void)n;
	(void)ms;
	return 1;
}

uint64_t __wrap_now_ns(void);
uint64_t __wrap_now_ns(void)
{
	clock_ns += random() % 4 ? 1000 : random() % 20 * 1000000000ULL;
	return clock_ns;
}

int __wrap_libuet_open_sized(const struct libuet_sock *how, size_t size,
			     const char **step);
int __wrap_libuet_open_sized(const struct libuet_sock *how, size_t size,
			     const char **step)
{
	(void)size;
	*step = random() % 2 ? "UET_DELIVERY" : "socket";
	if (how->peer && random() % 16 == 0) {
		errno = random() % 2 ? EOPNOTSUPP : EMFILE;
		return -1;
	}
	files++;
	if (files > files_most)
		files_most = files;
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
	files--;
	if (__real_close(fd))
		wrong = true;
	return 0;
}

int __wrap_getsockname(int fd, struct sockaddr *sa, socklen_t *len);
int __wrap_getsockname(int fd, struct sockaddr *sa, socklen_t *len)
{
	(void)fd;
	memset(sa, 0, *len);
	((struct sockaddr_uet *)sa)->suet_pid = 1 + random() % UET_PID_MAX;
	return 0;
}

bool __wrap_send_control(int fd, const struct sockaddr_uet *to,
			 const struct wire_msg *m, int flags);
bool __wrap_send_control(int fd, const struct sockaddr_uet *to,
			 const struct wire_msg *m, int flags)
{
	(void)to;
	(void)flags;
	if (fd < 0 || (m->slot >= TESTS && m->reason != REASON_UNKNOWN))
		wrong = true;
	if (m->kind == KIND_WELCOME)
		known[random() % 16] = *m;
	if (m->kind == KIND_REFUSED && m->reason != REASON_VERSION && m->seed != seed)
		wrong = true;
	refused += m->kind == KIND_REFUSED;
	results += m->kind == KIND_RESULT;
	return random() % 16;
}

static void random_message(struct wire_msg *m)
{
	*m = known[random() % 16];
	m->kind = 1 + random() % KIND_MAX;
	m->role = 1 + random() % ROLE_MAX;
	m->delivery = 1 + random() % 4;
	m->size = random() % 3 ? random() % 100000 : random() % UET_MSG_MAX;
	m->batches = 1 + random() % 5;
	m->round = m->batches == 1 ? random() % 2 : 1 + random() % 100;
	m->total = random() % 100;
	if (random() % 8 == 0)
		m->slot = random();
	if (random() % 8 == 0)
		m->key = random();
	if (random() % 2)
		m->seed = random();
}

static void note_early(const struct wire_msg *m)
{
	struct slot *s = slot_find(m->slot, m->key);

	if (m->kind != KIND_TOTAL || !s || s->state != SLOT_GREETED)
		return;
	early[m->slot].key = m->key;
	early[m->slot].total = m->total;
}

int __wrap_take_control(int fd, struct sockaddr_uet *from, struct wire_msg *m);
int __wrap_take_control(int fd, struct sockaddr_uet *from, struct wire_msg *m)
{
	unsigned char bytes[WIRE_SIZE];
	unsigned int i;
	int verdict;

	(void)fd;
	if (random() % 4 == 0)
		return -1;
	*from = (struct sockaddr_uet){ .suet_family = AF_UET,
				       .suet_pid = 1 + random() % 8 };
	random_message(m);
	wire_put(bytes, m);
	for (i = random() % 4; i && random() % 4 == 0; i--)
		bytes[random() % WIRE_SIZE] = random();
	verdict = wire_get(bytes, sizeof(bytes), m);
	if (verdict == WIRE_GOOD) {
		note_early(m);
		seed = m->seed;
	}
	return verdict;
}

bool __wrap_trouble_of(int fd, struct trouble *t);
bool __wrap_trouble_of(int fd, struct trouble *t)
{
	if (fd < 0)
		wrong = true;
	t->error = random() % 8 == 0 ? ECONNREFUSED : 0;
	if (t->error)
		strcpy(t->text, "trouble");
	return t->error;
}

int __wrap_watch_peer(int fd, const struct sockaddr_uet *peer);
int __wrap_watch_peer(int fd, const struct sockaddr_uet *peer)
{
	(void)fd;
	(void)peer;
	return random() % 16 ? 0 : -1;
}

/* A reader that was told how many messages come, before it began */
static void check_total(const struct worker *w)
{
	if (w->work != WORK_SINK || early[w->test.slot].key != w->test.key)
		return;
	totals++;
	if (atomic_load(&w->s->until) > early[w->test.slot].total)
		endless = true;
}

/* A process that has done something by the time it began */
pid_t __wrap_worker_fork(const struct worker *w);
pid_t __wrap_worker_fork(const struct worker *w)
{
	check_total(w);
	if (random() % 16 == 0)
		return -1;
	forked++;
	atomic_store(&w->s->messages, random() % 100);
	w->s->done = random() % 2;
	return 1000000 + forked;
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	if (pid <= 1000000)
		wrong = true;
	if (options == WNOHANG && random() % 4)
		return 0;
	if (status)
		*status = random() % 4 ? 0 : SIGKILL;
	ended++;
	return pid;
}

int __wrap_kill(pid_t pid, int sig);
int __wrap_kill(pid_t pid, int sig)
{
	if (pid <= 1000000 || sig != SIGKILL)
		wrong = true;
	return 0;
}

int __wrap_signals_fd(void);
int __wrap_signals_fd(void)
{
	return 0;
}

int __wrap_signals_read(int fd, bool *child);
int __wrap_signals_read(int fd, bool *child)
{
	unsigned int i, running = 0;

	(void)fd;
	*child = random() % 2;
	for (i = 0; i < n_slots; i++)
		running += slots[i].state == SLOT_RUNNING;
	if (running != forked - ended || files > TESTS + 1)
		wrong = true;
	if (!--loops)
		stopped = SIGTERM;
	return !loops;
}

int main(int argc, char **argv)
{
	struct options o = { .server = true, .quiet = true, .tests = TESTS };

	loops = argc > 1 ? strtoul(argv[1], NULL, 0) : 200000;
	printf("KTAP version 1\n");
	srandom(1);
	ok(!serve(&o), "it ends when told");
	printf("# %u processes, %u refused, %u results, %u files at most\n",
	       forked, refused, results, files_most);
	ok(!wrong, "sockets and processes are as many as tests, and closed once");
	ok(files_most == TESTS + 1, "the limit is reached, and held");
	ok(forked == ended && forked > 1000, "each process was waited for");
	ok(refused && results, "some are refused, others served");
	ok(totals > 100 && !endless, "a total that overtakes the start counts");
	return ktap_end();
}
