// SPDX-License-Identifier: GPL-2.0
/* Waiting for completions: fi_cq_sread(), descriptors, poll sets and wait sets. */
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <host.h>

#include "suite.h"

/* A completion that was read otherwise than by progress() */
static void take(struct side *s, const struct fi_cq_tagged_entry *e)
{
	struct op *op = e->op_context;

	CHECK(s, op && op->magic == OP_MAGIC, "a completion of no operation");
	op->e = *e;
	op->n++;
}

static void empty(struct side *s)
{
	struct fi_cq_tagged_entry e;
	uint64_t t0 = host_now_ns(), t;

	doing(s, "waiting for nothing in fi_cq_sread()");
	GIVES(s, fi_cq_sread(s->cq, &e, 1, NULL, 100), FI_EAGAIN);
	t = host_now_ns() - t0;
	CHECK(s, t >= 90000000, "100 ms are %llu us", (unsigned long long)t / 1000);
	t0 = host_now_ns();
	GIVES(s, fi_cq_sread(s->cq, &e, 1, NULL, 0), FI_EAGAIN);
	t = host_now_ns() - t0;
	CHECK(s, t < 2000000000, "no wait takes %llu us", (unsigned long long)t / 1000);
}

/* It wakes when something comes, short or long, and makes progress meanwhile */
static void wakes(struct side *s)
{
	static const size_t sizes[] = { 0, 100, 16 * KIB, 16 * KIB + 1, MIB };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct op *rx = recv_tag(s, sizes[i], i, NO_IGNORE);
		struct fi_cq_tagged_entry e;
		ssize_t ret;

		meet(s);
		doing(s, "waiting for %zu bytes in fi_cq_sread()", sizes[i]);
		ret = rx->n ? 1 : fi_cq_sread(s->cq, &e, 1, NULL, suite.patience * 1000);
		CHECK(s, ret == 1, "fi_cq_sread() for %zu bytes gives %zd, %s", sizes[i], ret,
		      fi_strerror((int)-ret));
		if (!rx->n)
			take(s, &e);
		check_got_tag(rx, sizes[i], i, i);
	}
}

static void sends_later(struct side *s)
{
	static const size_t sizes[] = { 0, 100, 16 * KIB, 16 * KIB + 1, MIB };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		meet(s);
		usleep(20000);
		check_sent(send_tag(s, sizes[i], i, i));
	}
}

static void *signals(void *arg)
{
	struct side *s = arg;

	usleep(50000);
	fi_cq_signal(s->cq);
	return NULL;
}

static void signalled(struct side *s)
{
	struct fi_cq_tagged_entry e;
	uint64_t t0 = host_now_ns();
	pthread_t thread;
	ssize_t ret;

	doing(s, "waiting for fi_cq_signal()");
	CHECK(s, !pthread_create(&thread, NULL, signals, s), "no thread");
	ret = fi_cq_sread(s->cq, &e, 1, NULL, suite.patience * 1000);
	pthread_join(thread, NULL);
	CHECK(s, ret == -FI_EAGAIN || (ret < 0 && !strict()), "fi_cq_sread() gives %zd", ret);
	CHECK(s, host_now_ns() - t0 < suite.patience * 900000000ULL, "it did not wake");
}

/* --- a descriptor -------------------------------------------------------------------- */

static int get_fd(struct side *s, struct fid *fid)
{
	int fd = -1;

	OK(s, fi_control(fid, FI_GETWAIT, &fd));
	CHECK(s, fd >= 0, "descriptor %d", fd);
	return fd;
}

/* As fi_trywait(3) wants it: no completion comes without the descriptor being readable */
static void poll_until(struct side *s, int fd, struct op *op, const char *what)
{
	struct fid *fids[] = { &s->cq->fid };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int ret;

	doing(s, "waiting for %s in poll()", what);
	while (!op->n) {
		if (progress(s))
			continue;
		ret = fi_trywait(s->fabric, fids, 1);
		CHECK(s, !ret || ret == -FI_EAGAIN, "fi_trywait() gives %d", ret);
		if (ret)
			continue;
		ret = poll(&p, 1, suite.patience * 1000);
		CHECK(s, ret > 0, "still %s after %u s", s->doing, suite.patience);
	}
}

/* Ping-pong that sleeps in each direction: a wake-up that gets lost hangs it */
static void by_poll(struct side *s)
{
	int fd = get_fd(s, &s->cq->fid);
	unsigned int rounds = scaled(200), i;

	for (i = 0; i < rounds; i++) {
		size_t len = i % 10 == 9 ? 50000 : i;
		struct op *rx = recv_tag(s, len, i, NO_IGNORE), *tx;

		if (i % 2 == (unsigned int)s->role) {
			tx = send_tag(s, len, i, i);
			poll_until(s, fd, rx, "an answer");
		} else {
			poll_until(s, fd, rx, "a message");
			tx = send_tag(s, len, i, i);
		}
		poll_until(s, fd, tx, "a send");
		check_got_tag(rx, len, i, i);
		check_sent(tx);
		op_free(tx);
		op_free(rx);
	}
}

/* Nothing to read: the descriptor is quiet after fi_trywait() */
static void quiet(struct side *s)
{
	int fd = get_fd(s, &s->cq->fid), ret;
	struct fid *fids[] = { &s->cq->fid };
	struct pollfd p = { .fd = fd, .events = POLLIN };

	settle(s, 20);
	while ((ret = fi_trywait(s->fabric, fids, 1)) == -FI_EAGAIN)
		step(s);
	OK(s, ret);
	CHECK(s, poll(&p, 1, 100) == 0, "it is readable without a reason");
}

/* What completed before it is asked about must not be slept over */
static void trywait_sees(struct side *s)
{
	struct op *rx = recv_tag(s, 100, 1, NO_IGNORE);
	struct fid *fids[] = { &s->cq->fid };
	struct op *tx = send_tag_to(s, s->self, 100, 1, 1);
	int fd = get_fd(s, &s->cq->fid), ret;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	doing(s, "waiting for a message to oneself in fi_trywait()");
	ret = fi_trywait(s->fabric, fids, 1);
	CHECK(s, ret == -FI_EAGAIN || (!ret && poll(&p, 1, 10000) > 0),
	      "it lets sleep over a completion (%d)", ret);
	check_got_tag(rx, 100, 1, 1);
	check_sent(tx);
}

/* --- sets ------------------------------------------------------------------------------ */

static void poll_set(struct side *s)
{
	struct fi_poll_attr attr = { 0 };
	void *context[4] = { NULL };
	struct fid_poll *set;
	struct op *rx, *tx;
	int n = 0;

	OK_OR_SKIP(s, fi_poll_open(s->domain, &attr, &set));
	OK(s, fi_poll_add(set, &s->cq->fid, 0));
	n = fi_poll(set, context, 4);
	CHECK(s, n == 0, "%d that have something, of none", n);
	rx = recv_tag(s, 100, 1, NO_IGNORE);
	tx = send_tag_to(s, s->self, 100, 1, 1);
	doing(s, "waiting in fi_poll()");
	while (!(n = fi_poll(set, context, 4)) && host_now_ns() < s->deadline)
		usleep(100);
	CHECK(s, n == 1, "%d that have something, of one", n);
	check_got_tag(rx, 100, 1, 1);
	check_sent(tx);
	OK(s, fi_poll_del(set, &s->cq->fid, 0));
	OK(s, fi_close(&set->fid));
}

/* A queue of its own that waits by a set */
static void wait_set(struct side *s)
{
	struct fi_wait_attr attr = { .wait_obj = FI_WAIT_UNSPEC };
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_SET };
	struct fid_cq *queue, *usual = s->cq;
	struct fid_ep *ep = NULL;
	struct fid_wait *set;
	struct op *rx, *tx;
	fi_addr_t addr;
	int ret;

	OK_OR_SKIP(s, fi_wait_open(s->fabric, &attr, &set));
	cq.wait_set = set;
	OK(s, fi_cq_open(s->domain, &cq, &queue, NULL));
	s->cq = queue;
	side_new_ep(s, &ep, &addr);
	ret = fi_wait(set, 50);
	CHECK(s, ret == -FI_ETIMEDOUT || ret == -FI_EAGAIN, "a wait for nothing gives %d", ret);
	rx = op_new(s, 100);
	OK(s, fi_trecv(ep, rx->buf, 100, NULL, FI_ADDR_UNSPEC, 1, 0, rx));
	tx = op_content(s, 100, 1);
	POST(s, fi_tsend(ep, tx->buf, 100, NULL, addr, 1, tx));
	doing(s, "waiting in fi_wait()");
	ret = fi_wait(set, 10000);
	CHECK(s, !ret, "fi_wait() gives %d", ret);
	check_got_tag(rx, 100, 1, 1);
	check_sent(tx);
	s->cq = usual;
	OK(s, fi_close(&ep->fid));
	OK(s, fi_close(&queue->fid));
	OK(s, fi_close(&set->fid));
}

/* The error of an injected message is told after a while: no event of the network wakes */
static void set_hears(struct side *s)
{
	struct fi_wait_attr attr = { .wait_obj = FI_WAIT_FD };
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_SET };
	struct fid_ep *ep = NULL, *other = NULL;
	struct fid_cq *queue, *usual = s->cq;
	struct pollfd p = { .events = POLLIN };
	struct fid_wait *set;
	fi_addr_t addr, gone;
	struct fid *fids[1];
	int ret;

	if (!strict())
		skip_case(s, "others tell nothing, or each error");
	OK(s, fi_wait_open(s->fabric, &attr, &set));
	cq.wait_set = set;
	OK(s, fi_cq_open(s->domain, &cq, &queue, NULL));
	s->cq = queue;
	s->injects = true;
	side_new_ep(s, &ep, &addr);
	side_new_ep(s, &other, &gone);
	OK(s, fi_close(&other->fid));
	fids[0] = &set->fid;
	p.fd = get_fd(s, &set->fid);
	POST(s, fi_tinject(ep, "1", 1, gone, 1));
	doing(s, "waiting for an error in poll()");
	while (!s->orphans) {
		if (progress(s))
			continue;
		ret = fi_trywait(s->fabric, fids, 1);
		CHECK(s, !ret || ret == -FI_EAGAIN, "fi_trywait() gives %d", ret);
		if (!ret)
			CHECK(s, poll(&p, 1, suite.patience * 1000) > 0, "still %s after %u s",
			      s->doing, suite.patience);
	}
	s->cq = usual;
	OK(s, fi_close(&ep->fid));
	OK(s, fi_close(&queue->fid));
	OK(s, fi_close(&set->fid));
}

/* A thread of the provider makes progress, whoever sleeps */
static void auto_sends(struct side *s)
{
	struct op *tx;

	if (strstr(suite.provider, "rxm"))
		skip_case(s, "it wants calls to connect");
	tx = send_tag(s, 4 * MIB, 1, 1);
	meet(s);
	check_sent(tx);
}

static void auto_sleeps(struct side *s)
{
	struct op *rx;
	unsigned int i;

	if (strstr(suite.provider, "rxm"))
		skip_case(s, "it wants calls to connect");
	rx = recv_tag(s, 4 * MIB, 1, NO_IGNORE);
	/* No call to the library until all is there */
	for (i = 0; i < suite.patience * 100 && rx->buf[4 * MIB - 1] == 0x5a; i++)
		usleep(10000);
	usleep(100000);
	check_content(rx, 4 * MIB, 1);
	meet(s);
	check_got_tag(rx, 4 * MIB, 1, 1);
}

TESTS(wait) = {
	{ "nothing comes", empty, .want = { .wait = FI_WAIT_UNSPEC } },
	{ "fi_cq_sread() wakes", wakes, sends_later, .want = { .wait = FI_WAIT_UNSPEC } },
	{ "... a queue with a descriptor", wakes, sends_later, .want = { .wait = FI_WAIT_FD } },
	{ "fi_cq_signal()", signalled, .want = { .wait = FI_WAIT_UNSPEC } },
	{ "a descriptor of nothing", quiet, .want = { .wait = FI_WAIT_FD } },
	{ "fi_trywait() sees a completion", trywait_sees, .want = { .wait = FI_WAIT_FD } },
	{ "both sleep in poll()", by_poll, by_poll, .want = { .wait = FI_WAIT_FD } },
	{ "a poll set", poll_set },
	{ "a wait set", wait_set },
	{ "an error, asleep by a wait set", set_hears },
	{ "progress by itself", auto_sends, auto_sleeps, .want = {
		.progress = FI_PROGRESS_AUTO } },
	{ "... and by one thread", auto_sends, auto_sleeps, .want = {
		.progress = FI_PROGRESS_AUTO, .threading = FI_THREAD_DOMAIN } },
	{ }
};
