// SPDX-License-Identifier: GPL-2.0
/* What the interface has to refuse. */
#include <rdma/fi_atomic.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_rma.h>
#include <sys/socket.h>

#include "suite.h"

/* --- hints ------------------------------------------------------------------------ */

static int info_of(struct fi_info *hints)
{
	struct fi_info *info = NULL;
	int ret = fi_getinfo(SUITE_API, suite.node[0], NULL, suite.node[0] ? FI_SOURCE : 0,
			     hints, &info);

	if (!ret)
		fi_freeinfo(info);
	return ret;
}

/* Hints that ask for more than there is */
static void more_than_there_is(struct side *s)
{
	struct fi_info *hints, *info;

	if (!strict())
		skip_case(s, "other providers take them for advice");
	OK(s, side_info(s));
	info = s->info;

#define ASK(field, value) do {							\
	hints = hints_of(&s->want);						\
	hints->field = (value);							\
	GIVES(s, info_of(hints), FI_ENODATA);					\
	fi_freeinfo(hints);							\
} while (0)
	ASK(domain_attr->name, strdup("no such domain"));
	ASK(fabric_attr->name, strdup("no such fabric"));
	if (info->ep_attr->max_msg_size < SIZE_MAX)
		ASK(ep_attr->max_msg_size, info->ep_attr->max_msg_size + 1);
	ASK(tx_attr->iov_limit, info->tx_attr->iov_limit + 1);
	ASK(rx_attr->iov_limit, info->rx_attr->iov_limit + 1);
	ASK(tx_attr->inject_size, info->tx_attr->inject_size + (1UL << 30));
	ASK(domain_attr->cq_data_size, info->domain_attr->cq_data_size + 1);
	ASK(ep_attr->protocol, 0x70707070);
	ASK(addr_format, FI_ADDR_PSMX2);
	ASK(addr_format, FI_SOCKADDR_IB);
	ASK(ep_attr->type, FI_EP_MSG);
	ASK(ep_attr->tx_ctx_cnt, 1000);
	ASK(ep_attr->rx_ctx_cnt, 1000);
	ASK(domain_attr->threading, 99);
	ASK(domain_attr->data_progress, 99);
	ASK(domain_attr->resource_mgmt, 99);
	ASK(domain_attr->av_type, 99);
	ASK(tx_attr->msg_order, FI_ORDER_RAR | FI_ORDER_SAS);
	ASK(ep_attr->auth_key_size, 4);
#undef ASK
}

/* Each capability that the provider does not have */
static void unknown_caps(struct side *s)
{
	static const uint64_t caps[] = {
		FI_RMA, FI_ATOMIC, FI_COLLECTIVE, FI_TRIGGER, FI_FENCE, FI_RMA_EVENT,
		FI_NAMED_RX_CTX, FI_VARIABLE_MSG, FI_HMEM, FI_SHARED_AV, FI_RMA_PMEM,
		FI_READ | FI_RMA, FI_REMOTE_WRITE | FI_RMA, FI_MULTICAST,
	};
	struct fi_info *hints = hints_of(&s->want), *all = NULL, *i;
	uint64_t has = 0;
	unsigned int n;

	if (!strict())
		skip_case(s, "other providers have some that they do not tell");
	hints->caps = 0;
	OK(s, fi_getinfo(SUITE_API, NULL, NULL, 0, hints, &all));
	for (i = all; i; i = i->next)
		has |= i->caps;
	fi_freeinfo(all);
	for (n = 0; n < ARRAY_SIZE(caps); n++) {
		int ret;

		if (!(caps[n] & ~has))
			continue;
		hints->caps = FI_TAGGED | caps[n];
		ret = info_of(hints);
		CHECK(s, ret == -FI_ENODATA, "capability %#llx, which it lacks, gives %d",
		      (unsigned long long)caps[n], ret);
	}
	fi_freeinfo(hints);
}

static void names(struct side *s)
{
	struct fi_info *hints = hints_of(&s->want), *info = NULL;

	if (!strict())
		skip_case(s, "of another provider");
	GIVES(s, fi_getinfo(SUITE_API, "no.such.host.invalid", NULL, 0, hints, &info),
	      FI_ENODATA);
	GIVES(s, fi_getinfo(SUITE_API, "203.0.113.7", NULL, FI_SOURCE, hints, &info),
	      FI_ENODATA);
	GIVES(s, fi_getinfo(SUITE_API, NULL, "no such service", FI_SOURCE, hints, &info),
	      FI_ENODATA);
	OK(s, fi_getinfo(SUITE_API, NULL, "4095", FI_SOURCE, hints, &info));
	fi_freeinfo(info);
	info = NULL;
	GIVES(s, fi_getinfo(SUITE_API, NULL, "9228", FI_SOURCE, hints, &info), FI_ENODATA);
	fi_freeinfo(hints);
}

/* --- the order of calls ------------------------------------------------------------ */

static void not_enabled(struct side *s)
{
	struct op *op;

	if (!strict())
		skip_case(s, "other providers crash");
	side_domain(s);
	OK(s, fi_endpoint(s->domain, s->info, &s->ep, NULL));
	op = op_new(s, 64);
	GIVES(s, fi_tsend(s->ep, op->buf, 64, NULL, 0, 1, op), FI_EOPBADSTATE);
	GIVES(s, fi_trecv(s->ep, op->buf, 64, NULL, FI_ADDR_UNSPEC, 1, 0, op), FI_EOPBADSTATE);
	GIVES(s, fi_send(s->ep, op->buf, 64, NULL, 0, op), FI_EOPBADSTATE);
	GIVES(s, fi_recv(s->ep, op->buf, 64, NULL, FI_ADDR_UNSPEC, op), FI_EOPBADSTATE);
	GIVES(s, fi_inject(s->ep, op->buf, 64, 0), FI_EOPBADSTATE);
}

static void enabled_too_early(struct side *s)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED };
	struct fi_av_attr av = { .type = FI_AV_TABLE };

	if (!strict())
		skip_case(s, "other providers crash");
	side_domain(s);
	OK(s, fi_endpoint(s->domain, s->info, &s->ep, NULL));
	CHECK(s, fi_enable(s->ep) < 0, "an endpoint with nothing is enabled");
	OK(s, fi_cq_open(s->domain, &cq, &s->cq, NULL));
	OK(s, fi_ep_bind(s->ep, &s->cq->fid, FI_TRANSMIT | FI_RECV));
	GIVES(s, fi_enable(s->ep), FI_ENOAV);
	OK(s, fi_close(&s->ep->fid));
	OK(s, fi_endpoint(s->domain, s->info, &s->ep, NULL));
	OK(s, fi_av_open(s->domain, &av, &s->av, NULL));
	OK(s, fi_ep_bind(s->ep, &s->av->fid, 0));
	GIVES(s, fi_enable(s->ep), FI_ENOCQ);
	OK(s, fi_ep_bind(s->ep, &s->cq->fid, FI_TRANSMIT | FI_RECV));
	OK(s, fi_enable(s->ep));
}

/* What is in use does not close, and goes on working */
static void closed_too_early(struct side *s)
{
	struct op *tx, *rx;

	if (!strict())
		skip_case(s, "other providers crash");
	GIVES(s, fi_close(&s->fabric->fid), FI_EBUSY);
	GIVES(s, fi_close(&s->domain->fid), FI_EBUSY);
	GIVES(s, fi_close(&s->av->fid), FI_EBUSY);
	GIVES(s, fi_close(&s->cq->fid), FI_EBUSY);
	rx = recv_tag(s, 100, 1, NO_IGNORE);
	tx = send_tag_to(s, s->self, 100, 1, 1);
	check_got_tag(rx, 100, 1, 1);
	check_sent(tx);
}

/* --- arguments of operations ---------------------------------------------------------- */

/* An error at once or as a completion, and nothing else */
static void refused(struct side *s, ssize_t ret, struct op *op, const char *what)
{
	if (ret == -FI_EAGAIN)
		fail(s, "%s is to be tried again", what);
	if (ret < 0)
		return;
	UNTIL(s, op->n, "waiting for the error of %s", what);
	CHECK(s, op->err.err, "%s succeeds", what);
}

static void bad_operations(struct side *s)
{
	size_t iovs = s->info->tx_attr->iov_limit + 1;
	struct fi_msg_tagged msg = { 0 };
	struct iovec iov[64];
	struct op *op, *rx;
	size_t i;

	if (!strict())
		skip_case(s, "other providers crash");
	op = op_new(s, 64);
	refused(s, fi_tsend(s->ep, op->buf, 64, NULL, 12345, 1, op), op,
		"an address out of the table");
	refused(s, fi_tsend(s->ep, op->buf, 64, NULL, FI_ADDR_UNSPEC, 1, op), op, "no address");
	refused(s, fi_tsend(s->ep, op->buf, 64, NULL, s->self, 1ULL << 62, op), op,
		"a tag of more than 62 bits");
	refused(s, fi_tsend(s->ep, op->buf, s->info->ep_attr->max_msg_size + 1, NULL, s->self, 1,
			    op), op, "a message that is too long");
	op = op_content(s, s->info->tx_attr->inject_size + 1, 1);
	CHECK(s, fi_tinject(s->ep, op->buf, op->len, s->self, 1) < 0,
	      "more than inject_size is injected");
	CHECK(s, fi_inject(s->ep, op->buf, op->len, s->self) < 0,
	      "more than inject_size is injected");
	for (i = 0; i < iovs && i < ARRAY_SIZE(iov); i++)
		iov[i] = (struct iovec){ op->buf + i, 1 };
	CHECK(s, fi_tsendv(s->ep, iov, NULL, i, s->self, 1, op) < 0,
	      "a vector of %zu, more than there may be, is sent", i);
	msg.msg_iov = iov;
	msg.iov_count = 1;
	msg.addr = s->self;
	msg.context = op;
	CHECK(s, fi_tsendmsg(s->ep, &msg, 1ULL << 40) < 0, "an unknown flag is taken");
	CHECK(s, fi_trecvmsg(s->ep, &msg, 1ULL << 40) < 0, "an unknown flag is taken");
	CHECK(s, fi_trecvmsg(s->ep, &msg, FI_CLAIM) < 0, "a claim of nothing is taken");
	/* All this has left nothing */
	rx = recv_tag(s, 64, 0, ~0ULL);
	settle(s, 20);
	CHECK(s, !rx->n, "something that was refused arrives");
	op = send_tag_to(s, s->self, 64, 9, 77);
	check_got_tag(rx, 64, 9, 77);
	check_sent(op);
}

/* Remote memory, atomic and collective operations, without a look whether there are any */
static void not_there(struct side *s)
{
	struct fid_ep *ep = s->ep;
	uint64_t word = 0;
	size_t count;

	if (!strict())
		skip_case(s, "other providers have them, or crash");
	GIVES(s, fi_read(ep, &word, 8, NULL, s->self, 0, 0, NULL), FI_ENOSYS);
	GIVES(s, fi_write(ep, &word, 8, NULL, s->self, 0, 0, NULL), FI_ENOSYS);
	GIVES(s, fi_writedata(ep, &word, 8, NULL, 1, s->self, 0, 0, NULL), FI_ENOSYS);
	GIVES(s, fi_inject_write(ep, &word, 8, s->self, 0, 0), FI_ENOSYS);
	GIVES(s, fi_atomic(ep, &word, 1, NULL, s->self, 0, 0, FI_UINT64, FI_SUM, NULL),
	      FI_ENOSYS);
	GIVES(s, fi_fetch_atomic(ep, &word, 1, NULL, &word, NULL, s->self, 0, 0, FI_UINT64,
				 FI_SUM, NULL), FI_ENOSYS);
	GIVES(s, fi_compare_atomic(ep, &word, 1, NULL, &word, NULL, &word, NULL, s->self, 0, 0,
				   FI_UINT64, FI_CSWAP, NULL), FI_ENOSYS);
	GIVES(s, fi_atomicvalid(ep, FI_UINT64, FI_SUM, &count), FI_ENOSYS);
	GIVES(s, fi_barrier(ep, s->self, NULL), FI_ENOSYS);
	GIVES(s, fi_allreduce(ep, &word, 1, NULL, &word, NULL, s->self, FI_UINT64, FI_SUM, 0,
			      NULL), FI_ENOSYS);
}

static void bad_objects(struct side *s)
{
	struct fi_cq_attr cq = { .format = 99 };
	struct fi_av_attr av = { .type = 99 };
	struct fid_cq *c = NULL;
	struct fid_av *a = NULL;
	char addr[256] = { 0 };
	fi_addr_t to[2];

	if (!strict())
		skip_case(s, "of another provider");
	CHECK(s, fi_cq_open(s->domain, &cq, &c, NULL) < 0, "a format that is not known");
	cq = (struct fi_cq_attr){ .format = FI_CQ_FORMAT_MSG, .wait_obj = 99 };
	CHECK(s, fi_cq_open(s->domain, &cq, &c, NULL) < 0, "a wait object that is not known");
	cq = (struct fi_cq_attr){ .format = FI_CQ_FORMAT_MSG, .flags = 1ULL << 50 };
	CHECK(s, fi_cq_open(s->domain, &cq, &c, NULL) < 0, "a flag that is not known");
	CHECK(s, fi_av_open(s->domain, &av, &a, NULL) < 0, "a type that is not known");
	CHECK(s, fi_av_insert(s->av, addr, 2, to, 0, NULL) <= 0, "addresses that are none");
	CHECK(s, to[0] == FI_ADDR_NOTAVAIL && to[1] == FI_ADDR_NOTAVAIL,
	      "addresses that are none have a place");
	CHECK(s, fi_ep_bind(s->ep, &s->domain->fid, 0) < 0, "a domain is bound");
	CHECK(s, fi_ep_bind(s->ep, &s->cq->fid, FI_TRANSMIT) < 0,
	      "a queue is bound to an endpoint in use");
}

#define BARE .want = { .own_domain = true }
TESTS(bad) = {
	{ "hints for more than there is", more_than_there_is, BARE },
	{ "hints for capabilities that it lacks", unknown_caps, BARE },
	{ "names that do not resolve", names, BARE },
	{ "operations before fi_enable()", not_enabled, BARE },
	{ "fi_enable() before something is bound", enabled_too_early, BARE },
	{ "fi_close() of what is in use", closed_too_early },
	{ "arguments of operations", bad_operations },
	{ "arguments of other calls", bad_objects },
	{ "operations that there are none of", not_there },
	{ }
};
