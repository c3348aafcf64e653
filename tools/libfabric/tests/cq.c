// SPDX-License-Identifier: GPL-2.0
/* Completion queues. */
#include <host.h>

#include "suite.h"

/* --- formats ---------------------------------------------------------------------- */

union any_entry {
	struct fi_cq_entry		context;
	struct fi_cq_msg_entry		msg;
	struct fi_cq_data_entry		data;
	struct fi_cq_tagged_entry	tagged;
};

static const size_t entry_size[] = {
	[FI_CQ_FORMAT_CONTEXT]	= sizeof(struct fi_cq_entry),
	[FI_CQ_FORMAT_MSG]	= sizeof(struct fi_cq_msg_entry),
	[FI_CQ_FORMAT_DATA]	= sizeof(struct fi_cq_data_entry),
	[FI_CQ_FORMAT_TAGGED]	= sizeof(struct fi_cq_tagged_entry),
};

/* An endpoint whose receives complete at a queue of this format */
struct formed {
	struct fid_cq	*cq;
	struct fid_ep	*ep;
	fi_addr_t	addr;
};

static void open_formed(struct side *s, struct formed *f, enum fi_cq_format format)
{
	struct fi_cq_attr attr = { .format = format };
	char name[256];
	size_t len = sizeof(name);

	OK(s, fi_cq_open(s->domain, &attr, &f->cq, NULL));
	OK(s, fi_endpoint(s->domain, s->info, &f->ep, NULL));
	OK(s, fi_ep_bind(f->ep, &s->av->fid, 0));
	OK(s, fi_ep_bind(f->ep, &s->cq->fid, FI_TRANSMIT));
	OK(s, fi_ep_bind(f->ep, &f->cq->fid, FI_RECV));
	OK(s, fi_enable(f->ep));
	OK(s, fi_getname(&f->ep->fid, name, &len));
	CHECK(s, fi_av_insert(s->av, name, 1, &f->addr, 0, NULL) == 1, "the own address");
}

static void read_formed(struct side *s, struct formed *f, union any_entry *e)
{
	ssize_t ret;

	doing(s, "waiting for a receive at a queue of its own");
	while ((ret = fi_cq_read(f->cq, e, 1)) == -FI_EAGAIN)
		step(s);
	CHECK(s, ret == 1, "fi_cq_read() gives %zd", ret);
}

/* A queue writes as much as its format says, with what was received */
static void format(struct side *s, enum fi_cq_format format)
{
	union any_entry e[2];
	struct op *rx, *tx;
	struct formed f;
	size_t i;

	open_formed(s, &f, format);
	memset(e, 0x33, sizeof(e));
	rx = op_new(s, 500);
	POST(s, fi_trecv(f.ep, rx->buf, 500, NULL, FI_ADDR_UNSPEC, 7, NO_IGNORE, rx));
	tx = op_content(s, 321, 1);
	POST(s, fi_tsenddata(s->ep, tx->buf, 321, NULL, 0x1122334455667788, f.addr, 7, tx));
	read_formed(s, &f, e);
	for (i = entry_size[format]; i < sizeof(e); i++)
		CHECK(s, ((uint8_t *)e)[i] == 0x33, "byte %zu is written", i);
	CHECK(s, e->context.op_context == rx, "another context");
	if (format >= FI_CQ_FORMAT_MSG) {
		CHECK(s, e->msg.len == 321, "length %zu", e->msg.len);
		CHECK(s, (e->msg.flags & (FI_RECV | FI_TAGGED)) == (FI_RECV | FI_TAGGED),
		      "flags %#llx", (unsigned long long)e->msg.flags);
	}
	if (format >= FI_CQ_FORMAT_DATA) {
		CHECK(s, e->data.flags & FI_REMOTE_CQ_DATA, "no data told");
		CHECK(s, e->data.data == 0x1122334455667788, "data %#llx",
		      (unsigned long long)e->data.data);
	}
	if (format >= FI_CQ_FORMAT_TAGGED)
		CHECK(s, e->tagged.tag == 7, "tag %llu", (unsigned long long)e->tagged.tag);
	check_content(rx, 321, 1);
	check_sent(tx);
	OK(s, fi_close(&f.ep->fid));
	OK(s, fi_close(&f.cq->fid));
}

static void format_context(struct side *s)
{
	format(s, FI_CQ_FORMAT_CONTEXT);
}

static void format_msg(struct side *s)
{
	format(s, FI_CQ_FORMAT_MSG);
}

static void format_data(struct side *s)
{
	format(s, FI_CQ_FORMAT_DATA);
}

static void format_tagged(struct side *s)
{
	format(s, FI_CQ_FORMAT_TAGGED);
}

/* --- reading ------------------------------------------------------------------------ */

static void nothing(struct side *s)
{
	struct fi_cq_tagged_entry e;
	struct fi_cq_err_entry err = { 0 };
	fi_addr_t src;

	GIVES(s, fi_cq_read(s->cq, &e, 1), FI_EAGAIN);
	GIVES(s, fi_cq_readfrom(s->cq, &e, 1, &src), FI_EAGAIN);
	GIVES(s, fi_cq_readerr(s->cq, &err, 0), FI_EAGAIN);
}

/* An error stands in the way of what is behind it until it is read */
static void error(struct side *s)
{
	struct op *rx = recv_tag(s, 10, 1, NO_IGNORE);
	struct op *tx = send_tag_to(s, s->self, 100, 1, 1), *later;
	char text[128] = "";

	await_error(rx, FI_ETRUNC, "a receive that is too short");
	CHECK(s, rx->err.olen == 90 || !strict(), "%zu bytes did not fit", rx->err.olen);
	CHECK(s, rx->err.len == 10 || rx->err.len == 100 || !strict(), "length %zu", rx->err.len);
	CHECK(s, rx->err.tag == 1, "tag %llu", (unsigned long long)rx->err.tag);
	CHECK(s, rx->err.flags & FI_RECV, "flags %#llx", (unsigned long long)rx->err.flags);
	CHECK(s, fi_cq_strerror(s->cq, rx->err.prov_errno, rx->err.err_data, text, sizeof(text)),
	      "no text");
	check_sent(tx);
	later = recv_tag(s, 10, 2, NO_IGNORE);
	tx = send_tag_to(s, s->self, 5, 2, 2);
	check_got_tag(later, 5, 2, 2);
	check_sent(tx);
}

/* More operations than the queue has places for: none is lost */
static void full(struct side *s)
{
	unsigned int n = 8 * s->want.cq_size, i, begun = 0;
	struct op **rx = get(s, n, sizeof(*rx)), **tx = get(s, n, sizeof(*tx));

	for (i = 0; i < n; i++)
		rx[i] = recv_tag(s, 64, i, NO_IGNORE);
	/* Nothing is read while there is room */
	for (; begun < n; begun++) {
		tx[begun] = op_content(s, 64, begun);
		if (fi_tsend(s->ep, tx[begun]->buf, 64, NULL, s->self, begun, tx[begun]))
			break;
	}
	for (; begun < n; begun++) {
		if (!tx[begun])
			tx[begun] = op_content(s, 64, begun);
		POST(s, fi_tsend(s->ep, tx[begun]->buf, 64, NULL, s->self, begun, tx[begun]));
	}
	for (i = 0; i < n; i++) {
		check_got_tag(rx[i], 64, i, i);
		check_sent(tx[i]);
	}
	free(rx);
	free(tx);
}

/* Completions only where they are asked for, and of errors */
static void selective(struct side *s)
{
	struct fi_msg_tagged msg = { .iov_count = 1, .addr = s->self };
	struct op *rx, *quiet, *tx, *quiet_rx;
	struct iovec iov;

	quiet_rx = recv_tag(s, 100, 1, NO_IGNORE);
	quiet = send_tag_to(s, s->self, 100, 1, 1);
	rx = op_new(s, 100);
	iov = (struct iovec){ rx->buf, 100 };
	msg.msg_iov = &iov;
	msg.tag = 2;
	msg.context = rx;
	msg.addr = FI_ADDR_UNSPEC;
	POST(s, fi_trecvmsg(s->ep, &msg, FI_COMPLETION));
	tx = op_content(s, 100, 2);
	iov.iov_base = tx->buf;
	msg.addr = s->self;
	msg.context = tx;
	POST(s, fi_tsendmsg(s->ep, &msg, FI_COMPLETION));
	check_got_tag(rx, 100, 2, 2);
	check_sent(tx);
	settle(s, 20);
	CHECK(s, !quiet->n, "a send that is not to complete does");
	CHECK(s, !quiet_rx->n, "a receive that is not to complete does");
	check_content(quiet_rx, 100, 1);
	/* An error tells itself */
	rx = recv_tag(s, 10, 3, NO_IGNORE);
	send_tag_to(s, s->self, 100, 3, 3);
	await_error(rx, FI_ETRUNC, "a receive that is too short");
	settle(s, 20);
}

/* Levels of completion, each of a short and a long message */
static void levels(struct side *s)
{
	static const uint64_t flags[] = {
		0, FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE, FI_DELIVERY_COMPLETE,
	};
	static const size_t sizes[] = { 0, 100, 16 * KIB, 100 * KIB };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		for (j = 0; j < ARRAY_SIZE(sizes); j++) {
			struct op *rx = recv_tag(s, sizes[j], i, NO_IGNORE);
			struct op *tx = op_content(s, sizes[j], j);
			struct iovec iov = { tx->buf, sizes[j] };
			struct fi_msg_tagged msg = {
				.msg_iov = &iov, .iov_count = 1, .addr = s->self, .tag = i,
				.context = tx,
			};

			POST(s, fi_tsendmsg(s->ep, &msg, flags[i] | FI_COMPLETION));
			check_sent(tx);
			check_got_tag(rx, sizes[j], j, i);
		}
	}
}

/*
 * A message that the other side has, and nobody there has asked for yet: it may count as
 * delivered or not. It completes once, and later ones are not held up.
 */
static void not_delivered(struct side *s)
{
	struct op *tx = op_content(s, 100, 1), *rx;
	struct iovec iov = { tx->buf, 100 };
	struct fi_msg_tagged msg = {
		.msg_iov = &iov, .iov_count = 1, .addr = s->peer, .tag = 1, .context = tx,
	};

	POST(s, fi_tsendmsg(s->ep, &msg, FI_DELIVERY_COMPLETE | FI_COMPLETION));
	settle(s, 50);
	meet(s);
	check_sent(tx);
	rx = recv_tag(s, 10, 2, NO_IGNORE);
	check_got_tag(rx, 10, 2, 2);
}

static void receives_late(struct side *s)
{
	struct op *rx;

	meet(s);
	rx = recv_tag(s, 100, 1, NO_IGNORE);
	check_got_tag(rx, 100, 1, 1);
	check_sent(send_tag(s, 10, 2, 2));
}

/* Reading no entries is progress, too */
static void progress_alone(struct side *s)
{
	struct op *rx = recv_tag(s, 200 * KIB, 1, NO_IGNORE);
	struct op *tx = send_tag_to(s, s->self, 200 * KIB, 1, 1);
	unsigned int i;

	for (i = 0; i < 1000; i++)
		CHECK(s, fi_cq_read(s->cq, NULL, 0) <= 0, "entries of none");
	check_got_tag(rx, 200 * KIB, 1, 1);
	check_sent(tx);
}

TESTS(cq) = {
	{ "entries of contexts", format_context },
	{ "entries of messages", format_msg },
	{ "entries with data", format_data },
	{ "entries with tags", format_tagged },
	{ "nothing to read", nothing },
	{ "an error", error },
	{ "more than there is room for", full, .want = { .cq_size = 16 } },
	{ "only what is asked for", selective, .want = {
		.tx_bind = FI_SELECTIVE_COMPLETION, .rx_bind = FI_SELECTIVE_COMPLETION } },
	{ "levels of completion", levels },
	{ "delivery of a message that waits", not_delivered, receives_late },
	{ "reads of no entries", progress_alone },
	{ }
};
