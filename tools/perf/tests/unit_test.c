// SPDX-License-Identifier: GPL-2.0
/* Control messages, contents, distributions, fairness: all that needs no socket
 * of the family
 */
#include <linux/uet.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktap.h>

#include "uetperf.h"

int ktap_number, ktap_failed;

static uint64_t random64(void)
{
	return (uint64_t)random() << 40 ^ (uint64_t)random() << 20 ^ random();
}

static void random_bytes(unsigned char *buf, size_t len)
{
	while (len--)
		*buf++ = random();
}

static struct wire_msg example(void)
{
	return (struct wire_msg){
		.kind = KIND_HELLO, .role = ROLE_ECHO, .delivery = UET_ROD,
		.verify = true, .pid = 7, .slot = 3, .spoil = 9, .batches = 12,
		.warm = 1, .key = 0x1122334455667788, .size = 1 << 20,
		.round = 200, .seed = 42, .total = 5, .messages = 6,
		.bytes = 8, .ns = 10, .bad = 11, .bad_seq = 13,
		.bad_offset = 14,
	};
}

static bool round_trip(void)
{
	struct wire_msg m = example(), got;
	unsigned char a[WIRE_SIZE], b[WIRE_SIZE];

	wire_put(a, &m);
	if (wire_get(a, sizeof(a), &got) != WIRE_GOOD)
		return false;
	wire_put(b, &got);
	return !memcmp(a, b, sizeof(a)) && got.key == m.key &&
	       got.bad_offset == 14 && a[0] == 'u' && a[3] == 'p';
}

static bool refuses(struct wire_msg m)
{
	unsigned char bytes[WIRE_SIZE];
	struct wire_msg got;

	wire_put(bytes, &m);
	return wire_get(bytes, sizeof(bytes), &got) == WIRE_GARBAGE;
}

#define REFUSED(field, value) \
	({ struct wire_msg m_ = example(); m_.field = value; refuses(m_); })

static bool bad_values(void)
{
	return REFUSED(kind, 0) && REFUSED(kind, KIND_MAX + 1) &&
	       REFUSED(role, 0) && REFUSED(role, ROLE_MAX + 1) &&
	       REFUSED(delivery, 0) && REFUSED(delivery, 5) &&
	       REFUSED(reason, REASON_MAX + 1) &&
	       REFUSED(size, 1ULL << 32) && REFUSED(batches, 1) &&
	       REFUSED(batches, ROUNDS_MAX + 2) && REFUSED(warm, 2) &&
	       REFUSED(round, UINT64_MAX) && REFUSED(round, 0);
}

/* Every length, each with the right beginning and with another version */
static bool lengths(void)
{
	unsigned char bytes[WIRE_SIZE + 1] = { 0 };
	struct wire_msg m = example(), got;
	size_t i;

	wire_put(bytes, &m);
	for (i = 0; i <= sizeof(bytes); i++)
		if (wire_get(bytes, i, &got) !=
		    (i == WIRE_SIZE ? WIRE_GOOD : WIRE_GARBAGE))
			return false;
	bytes[5]++;
	for (i = 0; i <= sizeof(bytes); i++)
		if (wire_get(bytes, i, &got) !=
		    (i < 8 ? WIRE_GARBAGE : WIRE_OTHER_VERSION))
			return false;
	return true;
}

static bool in_range(const struct wire_msg *m)
{
	return m->kind && m->kind <= KIND_MAX && m->reason <= REASON_MAX &&
	       (m->kind != KIND_HELLO ||
		(m->role && m->role <= ROLE_MAX && m->size <= UET_MSG_MAX &&
		 m->warm < m->batches && m->batches <= ROUNDS_MAX + 1 &&
		 m->round * m->batches / m->batches == m->round));
}

/* Whatever comes in, what gets through is in range */
static bool fuzz(unsigned long rounds)
{
	unsigned long good = 0;

	while (rounds--) {
		unsigned char bytes[2 * WIRE_SIZE], *cut;
		size_t len = random() % 4 ? WIRE_SIZE :
			(size_t)random() % sizeof(bytes);
		struct wire_msg m = example();
		int flips = random() % 8;

		random_bytes(bytes, sizeof(bytes));
		if (random() % 8)
			wire_put(bytes, &m);
		while (flips--)
			bytes[random() % WIRE_SIZE] = random();
		/* A copy of the very length, so that a byte more is noticed */
		cut = malloc(len ?: 1);
		memcpy(cut, bytes, len);
		if (wire_get(cut, len, &m) == WIRE_GOOD) {
			good++;
			if (!in_range(&m))
				return false;
		}
		free(cut);
	}
	return good > 0;
}

/* Any one wrong byte is found at its place, in whatever pieces it is read */
static bool contents(void)
{
	unsigned char buf[301];
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		size_t len = 1 + random() % sizeof(buf);
		size_t at = random() % len, from = random() % len;
		uint64_t seed = random64(), seq = random64();
		size_t want = at < from ? len - from : at - from;

		pattern_fill(buf, len, seed, seq);
		if (pattern_check(buf, len, 0, seed, seq) != len ||
		    pattern_check(buf + from, len - from, from, seed, seq) !=
		    len - from)
			return false;
		buf[at] ^= 1 + random() % 255;
		if (pattern_check(buf + from, len - from, from, seed, seq) !=
		    want)
			return false;
	}
	return true;
}

/* Those of another message, or of another place, are wrong */
static bool other_contents(void)
{
	unsigned char buf[64];

	pattern_fill(buf, sizeof(buf), 1, 5);
	return pattern_check(buf, 64, 0, 1, 6) < 64 &&
	       pattern_check(buf, 64, 0, 2, 5) < 64 &&
	       pattern_check(buf, 56, 8, 1, 5) < 56;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool near(uint64_t a, uint64_t b)
{
	return fabs((double)a - (double)b) <= b * .02 + 1;
}

/* Against the sorted values */
static bool quantiles(void)
{
	static uint64_t v[20000];
	static struct hist h, half[2];
	const double shares[] = { .5, .9, .99, .999 };
	unsigned int i, n = 20000;

	for (i = 0; i < n; i++) {
		v[i] = 1000 + (random64() >> (30 + random() % 30)) % 100000000;
		hist_add(&half[i % 2], v[i]);
	}
	hist_merge(&h, &half[0]);
	hist_merge(&h, &half[1]);
	qsort(v, n, sizeof(*v), compare);
	for (i = 0; i < 4; i++)
		if (!near(hist_quantile(&h, shares[i]),
			  v[(int)ceil(n * shares[i]) - 1]))
			return false;
	return h.count == n && h.min == v[0] && h.max == v[n - 1] &&
	       hist_quantile(&h, 1) <= h.max;
}

static bool extremes(void)
{
	static struct hist h, none;

	if (hist_quantile(&none, .5))
		return false;
	hist_add(&h, UINT64_MAX);
	hist_add(&h, 0);
	hist_add(&h, 63);
	return h.max == UINT64_MAX && !h.min && hist_quantile(&h, .5) == 63 &&
	       hist_quantile(&h, 0) == 0;
}

static bool fairness(void)
{
	const double same[] = { 3, 3, 3, 3 }, one[] = { 0, 0, 8, 0 };
	const double nothing[] = { 0, 0 };

	return jain(same, 4) == 1 && jain(one, 4) == .25 &&
	       jain(nothing, 2) == 1;
}

/* A worker at the other end of a pair of sockets, which keep boundaries of messages */
static bool begin(struct worker *w, int *fd, pid_t *pid)
{
	int fds[2];

	w->s = mmap(NULL, sizeof(*w->s), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w->s == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds))
		return false;
	w->fd = fds[0];
	*fd = fds[1];
	worker_begin(w);
	*pid = worker_fork(w);
	close(fds[0]);
	return *pid > 0;
}

/*
 * The time of @n messages ends with the last one, not somewhere before it, when the
 * other end goes.
 */
static bool time_of(enum work work, size_t size, unsigned int n)
{
	struct worker w = { .work = work,
			    .test = { .size = size, .batches = 1 } };
	static char buf[1 << 16];
	uint64_t sent = 0;
	bool good = true;
	unsigned int i;
	pid_t pid;
	int fd;

	if (!begin(&w, &fd, &pid))
		return false;
	for (i = 0; i < n; i++) {
		sent = now_ns();
		good &= send(fd, buf, size, MSG_NOSIGNAL) == (ssize_t)size;
		if (work == WORK_ECHO)
			good &= recv(fd, buf, size, 0) == (ssize_t)size;
		else
			while (good && atomic_load(&w.s->messages) == i)
				usleep(100);
	}
	close(fd);
	good &= waitpid(pid, NULL, 0) == pid;
	printf("# %llu messages in %llu ns\n",
	       (unsigned long long)worker_messages(w.s),
	       (unsigned long long)worker_ns(w.s));
	good &= worker_messages(w.s) == n && w.s->last >= sent;
	munmap(w.s, sizeof(*w.s));
	return good;
}

/* Does the client say that all results are in a file? */
static bool written(const char *path)
{
	struct options o = { .json = true, .how.delivery = UET_RUD };
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (!freopen(path, "w", stdout) ||
		    !freopen("/dev/null", "w", stderr))
			_exit(2);
		report_begin(&o);
		fflush(stdout);
		_exit(!report_end(&o));
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       !WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 300000;

	printf("KTAP version 1\n");
	srandom(1);
	ok(round_trip(), "control messages: there and back");
	ok(bad_values(), "control messages: values out of range");
	ok(lengths(), "control messages: every length");
	ok(fuzz(rounds), "control messages: %lu random ones", rounds);
	ok(contents(), "contents: a wrong byte is found");
	ok(other_contents(), "contents: of another message or place");
	ok(quantiles(), "distribution: quantiles to within 2 %%");
	ok(extremes(), "distribution: none, least, most");
	ok(fairness(), "Jain's index");
	ok(time_of(WORK_ECHO, 8, 63) && time_of(WORK_ECHO, 8, 100),
	   "time: of all messages that were echoed");
	ok(time_of(WORK_SINK, 1 << 16, 5),
	   "time: of all long messages that were read");
	fflush(stdout);
	ok(written("/dev/null") && !written("/dev/full"),
	   "results that cannot be written are told");
	return ktap_end();
}
