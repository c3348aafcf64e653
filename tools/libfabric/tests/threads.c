// SPDX-License-Identifier: GPL-2.0
/* Several threads on one endpoint, and on several of a domain. */
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>

#include <host.h>

#include "suite.h"

#define THREADS	4
#define ROUNDS	300

/* What a thread has; it reports, and the role fails */
struct worker {
	struct side	*s;
	struct fid_ep	*ep;
	struct fid_cq	*cq;
	fi_addr_t	to;
	unsigned int	id;
	unsigned int	rounds;
	char		wrong[200];
};

/* An operation of a thread; any thread may see its end */
struct job {
	struct fi_context2 ctx;
	int		ended;		/* atomic: 1, or -1 with an error */
	struct fi_cq_tagged_entry e;
};

static bool wrong(struct worker *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static bool wrong(struct worker *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->wrong, sizeof(w->wrong), fmt, ap);
	va_end(ap);
	return false;
}

static void worker_progress(struct worker *w)
{
	struct fi_cq_tagged_entry e[4];
	struct fi_cq_err_entry err = { 0 };
	ssize_t n = fi_cq_read(w->cq, e, ARRAY_SIZE(e)), i;

	if (n == -FI_EAVAIL && fi_cq_readerr(w->cq, &err, 0) == 1) {
		__atomic_store_n(&((struct job *)err.op_context)->ended, -1, __ATOMIC_RELEASE);
		return;
	}
	for (i = 0; i < n; i++) {
		struct job *job = e[i].op_context;

		job->e = e[i];
		__atomic_store_n(&job->ended, 1, __ATOMIC_RELEASE);
	}
	if (n <= 0)
		sched_yield();
}

static bool finish(struct worker *w, struct job *job, const char *what, unsigned int round)
{
	uint64_t end = host_now_ns() + suite.patience * 1000000000ULL;
	int ended;

	while (!(ended = __atomic_load_n(&job->ended, __ATOMIC_ACQUIRE))) {
		worker_progress(w);
		if (host_now_ns() > end)
			return wrong(w, "thread %u: still waiting for %s %u after %u s", w->id,
				     what, round, suite.patience);
	}
	return ended > 0 || wrong(w, "thread %u: %s %u failed", w->id, what, round);
}

static bool try(struct worker *w, ssize_t ret, uint64_t end, const char *what, bool *again)
{
	*again = ret == -FI_EAGAIN;
	if (*again) {
		worker_progress(w);
		return host_now_ns() < end || wrong(w, "thread %u: no room for %s", w->id, what);
	}
	return !ret || wrong(w, "thread %u: %s gives %zd", w->id, what, ret);
}

static bool one_round(struct worker *w, unsigned int round, uint8_t *out, uint8_t *in)
{
	uint64_t tag = (uint64_t)w->id << 32 | round;
	size_t len = round % 10 == 9 ? 40000 : round % 500, i;
	uint64_t end = host_now_ns() + suite.patience * 1000000000ULL;
	struct job rx = { .ended = 0 }, tx = { .ended = 0 };
	bool again;

	memset(out, w->id * 16 + round, len);
	memset(in, 0xee, len);
	do {
		if (!try(w, fi_trecv(w->ep, in, len, NULL, FI_ADDR_UNSPEC, tag, 0, &rx), end,
			 "fi_trecv()", &again))
			return false;
	} while (again);
	do {
		if (!try(w, fi_tsend(w->ep, out, len, NULL, w->to, tag, &tx), end, "fi_tsend()",
			 &again))
			return false;
	} while (again);
	if (!finish(w, &rx, "receive", round) || !finish(w, &tx, "send", round))
		return false;
	if (rx.e.len != len || rx.e.tag != tag)
		return wrong(w, "thread %u: %zu bytes of tag %#llx", w->id, rx.e.len,
			     (unsigned long long)rx.e.tag);
	for (i = 0; i < len; i++)
		if (in[i] != (uint8_t)(w->id * 16 + round))
			return wrong(w, "thread %u: byte %zu of %zu in round %u", w->id, i, len,
				     round);
	return true;
}

static void *work(void *arg)
{
	uint8_t *out = malloc(50000), *in = malloc(50000);
	struct worker *w = arg;
	unsigned int i;

	if (!out || !in)
		wrong(w, "thread %u: no memory", w->id);
	for (i = 0; out && in && i < w->rounds && one_round(w, i, out, in); i++)
		;
	free(out);
	free(in);
	return NULL;
}

static void run(struct side *s, struct worker *w, void *(*fn)(void *))
{
	pthread_t thread[THREADS];
	unsigned int i;

	doing(s, "waiting for %u threads", THREADS);
	for (i = 0; i < THREADS; i++)
		CHECK(s, !pthread_create(&thread[i], NULL, fn, &w[i]), "no thread");
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < THREADS; i++)
		CHECK(s, !w[i].wrong[0], "%s", w[i].wrong);
}

/* The threads of both roles send to each other */
static void one_endpoint(struct side *s)
{
	struct worker w[THREADS] = { 0 };
	unsigned int i;

	meet(s);
	for (i = 0; i < THREADS; i++)
		w[i] = (struct worker){ .s = s, .ep = s->ep, .cq = s->cq, .to = s->peer, .id = i,
					.rounds = scaled(ROUNDS) };
	run(s, w, work);
	meet(s);
}

static void open_worker(struct side *s, struct worker *w, bool own_queue)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED };
	struct fid_cq *usual = s->cq;

	w->s = s;
	if (own_queue)
		OK(s, fi_cq_open(s->domain, &attr, &w->cq, NULL));
	else
		w->cq = s->cq;
	s->cq = w->cq;
	side_new_ep(s, &w->ep, &w->to);
	s->cq = usual;
}

/* Each thread sends to itself; with one queue, any of them sees the ends of all */
static void several(struct side *s, bool own)
{
	struct worker w[THREADS] = { 0 };
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		open_worker(s, &w[i], own);
		w[i].id = i;
		w[i].rounds = scaled(ROUNDS);
	}
	run(s, w, work);
	for (i = 0; i < THREADS; i++)
		OK(s, fi_close(&w[i].ep->fid));
	for (i = 0; own && i < THREADS; i++)
		OK(s, fi_close(&w[i].cq->fid));
}

static void own_queues(struct side *s)
{
	several(s, true);
}

static void one_queue(struct side *s)
{
	several(s, false);
}

/* Endpoints are made and closed while others are at work */
static void *comes_and_goes(void *arg)
{
	struct worker *w = arg;
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED };
	struct side *s = w->s;
	struct fid_ep *ep;
	struct fid_cq *cq;
	unsigned int i;

	if (w->id >= 2)
		return work(w);
	for (i = 0; i < 30; i++) {
		int ret = fi_cq_open(s->domain, &attr, &cq, NULL);

		ret = ret ?: fi_endpoint(s->domain, s->info, &ep, NULL);
		ret = ret ?: fi_ep_bind(ep, &s->av->fid, 0);
		ret = ret ?: fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV);
		ret = ret ?: fi_enable(ep);
		ret = ret ?: fi_close(&ep->fid);
		ret = ret ?: fi_close(&cq->fid);
		if (ret) {
			wrong(w, "thread %u: an endpoint comes or goes with %d", w->id, ret);
			break;
		}
	}
	return NULL;
}

static void come_and_go(struct side *s)
{
	struct worker w[THREADS] = { 0 };
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		w[i].s = s;
		w[i].id = i;
		if (i < 2)
			continue;
		open_worker(s, &w[i], true);
		w[i].rounds = scaled(ROUNDS);
	}
	run(s, w, comes_and_goes);
	for (i = 2; i < THREADS; i++) {
		OK(s, fi_close(&w[i].ep->fid));
		OK(s, fi_close(&w[i].cq->fid));
	}
}

TESTS(threads) = {
	{ "one endpoint", one_endpoint, one_endpoint },
	{ "endpoints with queues of their own", own_queues },
	{ "endpoints with one queue", one_queue },
	{ "endpoints come and go", come_and_go },
	{ }
};
