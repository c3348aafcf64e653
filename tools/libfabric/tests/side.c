// SPDX-License-Identifier: GPL-2.0
/* A side of a case: its endpoint, what it waits for, and the other role. */
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <host.h>

#include "suite.h"

/* Polls that find nothing until a side sleeps between them */
#define IDLE_POLLS	64
#define NAP_NS		50000
/* What a role that failed sends instead of what the other one waits for */
#define FAREWELL	'!'

static void end(struct side *s, int how, const char *fmt, va_list ap)
{
	vsnprintf(s->verdict, sizeof(s->verdict), fmt, ap);
	if (s->chan >= 0 && how == FAILED) {
		char c = FAREWELL;

		send(s->chan, &c, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	}
	longjmp(s->out, how);
}

void fail(struct side *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	end(s, FAILED, fmt, ap);
	__builtin_unreachable();
}

void skip_case(struct side *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	end(s, SKIPPED, fmt, ap);
	__builtin_unreachable();
}

/* --- waiting ------------------------------------------------------------------ */

void doing(struct side *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->doing, sizeof(s->doing), fmt, ap);
	va_end(ap);
	s->deadline = host_now_ns() + suite.patience * 1000000000ULL;
	s->idle = 0;
}

static void completed(struct side *s, struct op *op, fi_addr_t src)
{
	op->n++;
	op->src = src;
	op->at = ++s->completions;
	if (op->each)
		op->each(op);
}

static struct op *op_of(struct side *s, void *context)
{
	struct op *op = context;

	CHECK(s, op, "a completion without a context");
	CHECK(s, op->magic == OP_MAGIC && op->side == s,
	      "a completion with a context of no operation");
	return op;
}

static void take_error(struct side *s)
{
	struct fi_cq_err_entry err = { 0 };
	struct op *op;
	ssize_t ret = fi_cq_readerr(s->cq, &err, 0);

	if (ret == -FI_EAGAIN)
		return;
	CHECK(s, ret == 1, "fi_cq_readerr() gives %zd", ret);
	CHECK(s, err.err > 0, "an error without a number");
	if (!err.op_context && s->injects) {
		s->orphans++;
		return;
	}
	op = op_of(s, err.op_context);
	op->err = err;
	op->e.flags = err.flags;
	op->e.len = err.len;
	op->e.tag = err.tag;
	op->e.data = err.data;
	completed(s, op, FI_ADDR_NOTAVAIL);
}

/* Reads what there is; how many completions there were */
int progress(struct side *s)
{
	struct fi_cq_tagged_entry e[8];
	fi_addr_t src[8];
	ssize_t i, n;

	if (!s->cq)
		return 0;
	n = fi_cq_readfrom(s->cq, e, ARRAY_SIZE(e), src);
	if (n == -FI_EAVAIL) {
		take_error(s);
		return 1;
	}
	if (n == -FI_EAGAIN || n == -FI_EINTR)
		return 0;
	CHECK(s, n > 0 && n <= (ssize_t)ARRAY_SIZE(e), "fi_cq_readfrom() gives %zd, %s", n,
	      n < 0 ? fi_strerror((int)-n) : "");
	for (i = 0; i < n; i++) {
		struct op *op = op_of(s, e[i].op_context);

		op->e = e[i];
		completed(s, op, src[i]);
	}
	return n;
}

static void nap(void)
{
	const struct timespec ts = { .tv_nsec = NAP_NS };

	nanosleep(&ts, NULL);
}

/* One round of a loop that waits */
void step(struct side *s)
{
	char c;

	if (progress(s)) {
		s->idle = 0;
		return;
	}
	if (++s->idle < IDLE_POLLS) {
		sched_yield();
		return;
	}
	nap();
	if (host_now_ns() > s->deadline)
		fail(s, "still %s after %u s", s->doing, suite.patience);
	if (s->chan >= 0 && recv(s->chan, &c, 1, MSG_PEEK | MSG_DONTWAIT) == 1 &&
	    c == FAREWELL)
		fail(s, "the other role failed while this one was %s", s->doing);
}

/* Makes progress for a while: what must not happen has the time to */
void settle(struct side *s, unsigned int ms)
{
	uint64_t until = host_now_ns() + ms * 1000000ULL;

	while (host_now_ns() < until)
		if (!progress(s))
			nap();
}

/* --- the other role ------------------------------------------------------------ */

/* Each message begins with a byte that is not FAREWELL */
void tell(struct side *s, const void *data, size_t len)
{
	char buf[1024] = ".";

	CHECK(s, len < sizeof(buf), "a message of %zu bytes for the other role", len);
	memcpy(buf + 1, data, len);
	if (send(s->chan, buf, len + 1, MSG_NOSIGNAL) < 0)
		fail(s, "the other role has ended");
}

void hear(struct side *s, void *data, size_t len)
{
	char buf[1024];
	ssize_t n;

	CHECK(s, len < sizeof(buf), "a message of %zu bytes of the other role", len);
	doing(s, "waiting for the other role");
	/* Of another host it comes in parts. */
	while ((n = recv(s->chan, buf, len + 1, MSG_DONTWAIT | MSG_PEEK)) < (ssize_t)len + 1) {
		if (!n || (n > 0 && buf[0] == FAREWELL))
			fail(s, "the other role has failed");
		step(s);
	}
	CHECK(s, recv(s->chan, buf, len + 1, 0) == n, "a message of the other role");
	memcpy(data, buf + 1, len);
}

/* Both roles have come here */
void meet(struct side *s)
{
	char c = 'm';

	tell(s, &c, 1);
	hear(s, &c, 1);
	CHECK(s, c == 'm', "the roles do not fit together");
}

/* --- sides --------------------------------------------------------------------- */

/* Whether the provider is the one of this tree, which has to refuse what it must */
bool strict(void)
{
	return !strcmp(suite.provider, "uet");
}

unsigned int scaled(unsigned int n)
{
	unsigned int m = (uint64_t)n * suite.scale / 100;

	return m ? m : 1;
}

struct fi_info *hints_of(const struct want *want)
{
	struct fi_info *hints = fi_allocinfo();

	if (!hints)
		abort();
	hints->caps = FI_MSG | FI_TAGGED | want->caps;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->addr_format = want->format;
	hints->ep_attr->type = FI_EP_RDM;
	hints->fabric_attr->prov_name = strdup(suite.provider);
	hints->domain_attr->threading = want->threading ? want->threading : FI_THREAD_SAFE;
	hints->domain_attr->av_type = want->av;
	hints->domain_attr->data_progress = want->progress;
	hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
	if (!want->unordered) {
		hints->tx_attr->msg_order = FI_ORDER_SAS;
		hints->rx_attr->msg_order = FI_ORDER_SAS;
	}
	hints->tx_attr->op_flags = want->tx_flags;
	return hints;
}

/* The first that fi_getinfo() finds for the side: 0, or a negative error */
int side_info(struct side *s)
{
	struct fi_info *hints = hints_of(&s->want);
	const char *node = suite.node[s->role];
	int ret;

	ret = fi_getinfo(SUITE_API, node, NULL, node ? FI_SOURCE : 0, hints, &s->info);
	fi_freeinfo(hints);
	return ret;
}

void side_domain(struct side *s)
{
	int ret = side_info(s);

	if (ret == -FI_ENODATA)
		skip_case(s, "%s does not have what this case wants", suite.provider);
	OK(s, ret);
	OK(s, fi_fabric(s->info->fabric_attr, &s->fabric, NULL));
	OK(s, fi_domain(s->fabric, s->info, &s->domain, NULL));
}

static void bind_cntr(struct side *s, struct fid_cntr **cntr, uint64_t what)
{
	struct fi_cntr_attr attr = { .events = FI_CNTR_EVENTS_COMP, .wait_obj = s->want.wait };

	OK_OR_SKIP(s, fi_cntr_open(s->domain, &attr, cntr, NULL));
	OK(s, fi_ep_bind(s->ep, &(*cntr)->fid, what));
}

/* Arrays of text are arrays of pointers */
void side_insert(struct side *s, const char *name, fi_addr_t *addr)
{
	const void *array = s->info->addr_format == FI_ADDR_STR ? (void *)&name : (void *)name;

	CHECK(s, fi_av_insert(s->av, array, 1, addr, 0, NULL) == 1, "an address");
}

/* Another endpoint of the side, with its completion queue; its address is inserted */
void side_new_ep(struct side *s, struct fid_ep **ep, fi_addr_t *addr)
{
	char name[256];
	size_t len = sizeof(name);

	if (!*ep)
		OK(s, fi_endpoint(s->domain, s->info, ep, NULL));
	OK(s, fi_ep_bind(*ep, &s->av->fid, 0));
	OK(s, fi_ep_bind(*ep, &s->cq->fid, FI_TRANSMIT | s->want.tx_bind));
	OK(s, fi_ep_bind(*ep, &s->cq->fid, FI_RECV | s->want.rx_bind));
	OK(s, fi_enable(*ep));
	OK(s, fi_getname(&(*ep)->fid, name, &len));
	side_insert(s, name, addr);
}

static void learn_peer(struct side *s)
{
	struct {
		size_t	len;
		char	name[256];
	} own = { .len = sizeof(own.name) }, other;

	OK(s, fi_getname(&s->ep->fid, own.name, &own.len));
	tell(s, &own, sizeof(own));
	hear(s, &other, sizeof(other));
	side_insert(s, other.name, &s->peer);
}

/* All that a side has; the roles meet here */
void side_open(struct side *s)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED, .size = s->want.cq_size,
				 .wait_obj = s->want.wait };
	struct fi_av_attr av = { .count = 16 };

	if (!s->domain)
		side_domain(s);
	av.type = s->want.av ? s->want.av : s->info->domain_attr->av_type;
	OK(s, fi_av_open(s->domain, &av, &s->av, NULL));
	OK_OR_SKIP(s, fi_cq_open(s->domain, &cq, &s->cq, NULL));
	OK(s, fi_endpoint(s->domain, s->info, &s->ep, NULL));
	if (s->want.cntrs) {
		bind_cntr(s, &s->tx_cntr, FI_SEND);
		bind_cntr(s, &s->rx_cntr, FI_RECV);
	}
	side_new_ep(s, &s->ep, &s->self);
	if (s->chan >= 0)
		learn_peer(s);
}

static int close_fid(void *fid)
{
	struct fid *f = fid;

	return f ? fi_close(f) : 0;
}

/* What a case has left; after a failure some of it may be in use */
void side_close(struct side *s)
{
	close_fid(s->ep);
	close_fid(s->tx_cntr);
	close_fid(s->rx_cntr);
	close_fid(s->cq);
	close_fid(s->av);
	close_fid(s->domain);
	close_fid(s->fabric);
	fi_freeinfo(s->info);
	ops_free(s);
}

void side_init(struct side *s, const struct test *test, int role, int chan)
{
	memset(s, 0, sizeof(*s));
	s->test = test;
	s->want = test->want;
	s->role = role;
	s->chan = chan;
	s->self = FI_ADDR_NOTAVAIL;
	s->peer = FI_ADDR_NOTAVAIL;
	doing(s, "beginning");
}
