// SPDX-License-Identifier: GPL-2.0
/*
 * Flows over connections: when each starts, what it hands to its transport,
 * what the receiver got of it. Transports differ only behind conn_ops.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <host.h>

#include "lab.h"

#define READ_AT_ONCE	(1UL << 20)
#define READER_STEP	16384UL		/* bytes a paced reader takes at once */
#define EVENTS		256

/*
 * epoll data: the connection with the end in the lowest bit, NULL: timer; no connection
 * is the one that stands for the ranks
 */
#define END_RX		1UL
static struct conn all_ranks;

static int timer_fd;
static uint64_t settle_at;

static void watch(int op, int fd, struct conn *c, unsigned long end,
		  uint32_t events)
{
	struct epoll_event ev = {
		.events = events,
		.data.u64 = (uint64_t)(uintptr_t)c | end,
	};

	if (epoll_ctl(lab.epfd, op, fd, &ev))
		die("epoll");
}

void want_write(struct conn *c, bool on)
{
	if (c->want_write == on)
		return;
	c->want_write = on;
	watch(EPOLL_CTL_MOD, c->txfd, c, 0, on ? EPOLLOUT : 0);
}

static void watch_reader(struct conn *c, bool on)
{
	watch(EPOLL_CTL_MOD, c->rxfd, c, END_RX, on ? EPOLLIN : 0);
}

/* Opens one connection after the other, then lets the fabric calm down. */
void traffic_open(void)
{
	struct conn *c;
	int i;

	for (i = 0; i < lab.nr_conns; i++) {
		c = &lab.conns[i];
		c->ops->open(c);
		watch(EPOLL_CTL_ADD, c->txfd, c, 0, 0);
		watch(EPOLL_CTL_ADD, c->rxfd, c, END_RX, EPOLLIN);
	}
}

static void push(struct conn *c)
{
	struct flow *f;

	while ((f = c->txhead)) {
		if (c->ops->send(c, f) == 0) {
			want_write(c, true);
			return;
		}
		c->txhead = f->txnext;
		if (!c->txhead)
			c->txtail = NULL;
	}
	want_write(c, false);
}

static void flow_start(void *arg)
{
	struct flow *f = arg;
	struct conn *c = f->conn;

	f->started = true;
	f->t_start = host_now_ns();
	if (c->txtail)
		c->txtail->txnext = f;
	else
		c->txhead = f;
	c->txtail = f;
	if (c->rxtail)
		c->rxtail->rxnext = f;
	else
		c->rxhead = f;
	c->rxtail = f;
	if (c->txhead == f)
		push(c);
}

static void flow_stop(void *arg)
{
	struct flow *f = arg;

	f->stopped = true;
}

static void flow_done(struct flow *f)
{
	struct flow *d, **p;

	f->done = true;
	f->t_done = host_now_ns();
	for (p = &f->conn->rxhead; *p; p = &(*p)->rxnext) {
		if (*p != f)
			continue;
		*p = f->rxnext;
		break;
	}
	f->conn->rxtail = NULL;
	for (d = f->conn->rxhead; d; d = d->rxnext)
		f->conn->rxtail = d;
	for (d = f->dependents; d; d = d->sibling)
		timer_at(f->t_done + d->delay, flow_start, d);
	if (!f->bytes)
		return;
	lab.finite_done++;
	if (lab.finite_done == lab.finite)
		settle_at = f->t_done + lab.settle;
}

/* The receiving transport hands over what it read, in any order. */
void lab_received(struct conn *c, struct flow *f, uint64_t offset,
		  const void *data, size_t len)
{
	if (!content_ok(f->id, offset, data, len))
		f->bad = true;
	c->received += len;
	f->received += len;
	if (f->bytes && f->received > f->bytes)
		f->bad = true;
	if (f->bytes && f->received == f->bytes && !f->done)
		flow_done(f);
}

void lab_acked(struct flow *f)
{
	if (!f->t_acked)
		f->t_acked = host_now_ns();
}

struct flow *lab_flow(struct conn *c, uint64_t id)
{
	struct flow *f;

	if (id >= (uint64_t)lab.nr_flows)
		return NULL;
	f = &lab.flows[id];
	return f->conn == c ? f : NULL;
}

static void reader_goes_on(void *arg)
{
	struct conn *c = arg;

	c->reader_waits = false;
	watch_reader(c, true);
}

/* Before the common start, which comes last, slow readers are slow, too. */
static bool paced(const struct conn *c)
{
	if (!c->read_until || !lab.t0)
		return c->read_rate;
	return c->read_rate && host_now_ns() < lab.t0 + c->read_until;
}

static void pull(struct conn *c)
{
	long n;

	if (c->reader_waits)
		return;
	if (!paced(c)) {
		while (c->ops->recv(c, READ_AT_ONCE) > 0)
			;
		return;
	}
	n = c->ops->recv(c, READER_STEP);
	if (n <= 0)
		return;
	c->reader_waits = true;
	watch_reader(c, false);
	timer_at(host_now_ns() + n * NSEC_PER_SEC / c->read_rate,
		 reader_goes_on, c);
}

static void start_ranks(void *arg)
{
	(void)arg;
	watch(EPOLL_CTL_ADD, ranks_start(), &all_ranks, 0, 0);
}

/*
 * The common start is a round instant, so that it does not depend on how long
 * the set-up took by a few nanoseconds more or less.
 */
void traffic_start(void)
{
	struct flow *f;
	int i;

	lab.t0 = host_now_ns() + lab.warm_wait;
	lab.t0 += NSEC_PER_MSEC - lab.t0 % NSEC_PER_MSEC;
	for (i = 0; i < lab.nr_flows; i++) {
		f = &lab.flows[i];
		if (f->after < 0)
			timer_at(lab.t0 + f->start, flow_start, f);
		if (f->stop)
			timer_at(lab.t0 + f->stop, flow_stop, f);
	}
	if (ranks_pending())
		timer_at(lab.t0, start_ranks, NULL);
	plan_changes();
	if (lab.port_every)
		timer_at(lab.t0, sample_ports, NULL);
	if (lab.window_every)
		timer_at(lab.t0, sample_windows, NULL);
	if (lab.goodput_every)
		timer_at(lab.t0, sample_goodput, NULL);
	timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timer_fd < 0)
		die("timerfd");
	watch(EPOLL_CTL_ADD, timer_fd, NULL, 0, EPOLLIN);
}

static void arm(uint64_t when)
{
	struct itimerspec its = {
		.it_value.tv_sec = when / NSEC_PER_SEC,
		.it_value.tv_nsec = when % NSEC_PER_SEC,
	};

	if (timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &its, NULL))
		die("timerfd");
}

static void handle(const struct epoll_event *ev)
{
	struct conn *c = (void *)(uintptr_t)(ev->data.u64 & ~END_RX);
	uint64_t expired;

	if (!c) {
		if (read(timer_fd, &expired, sizeof(expired)) < 0 &&
		    errno != EAGAIN)
			die("timerfd");
		return;
	}
	if (c == &all_ranks) {
		ranks_end();
		settle_at = host_now_ns() + lab.settle;
		return;
	}
	if (ev->data.u64 & END_RX) {
		pull(c);
		return;
	}
	if (ev->events & EPOLLERR)
		c->ops->error(c);
	if (ev->events & EPOLLOUT)
		push(c);
}

static bool finished(void)
{
	uint64_t now = host_now_ns();

	if (now >= lab.t0 + lab.until)
		return true;
	/* All that has an end is done, and nothing endless runs beside it. */
	return lab.finite == lab.nr_flows && lab.finite_done == lab.finite &&
	       now >= settle_at && !ranks_pending();
}

void traffic_run(void)
{
	struct epoll_event events[EVENTS];
	uint64_t next, end, armed = 0;
	int i, n;

	while (!finished()) {
		end = lab.t0 + lab.until;
		if (lab.finite_done == lab.nr_flows && settle_at < end &&
		    !ranks_pending())
			end = settle_at;
		next = timers_next();
		if (!next || next > end)
			next = end;
		if (next != armed)
			arm(next);
		armed = next;
		n = epoll_wait(lab.epfd, events, EVENTS, -1);
		if (n < 0 && errno != EINTR)
			die("epoll_wait");
		for (i = 0; i < n; i++)
			handle(&events[i]);
		if (timers_run())
			armed = 0;
	}
}
