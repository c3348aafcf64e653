// SPDX-License-Identifier: GPL-2.0
/*
 * Sends. A short message goes at once; of a long one its announcement goes (rdv.c).
 * Where the kernel has no room the program is told to try again, as libfabric has it.
 *
 * A send ends when the message was delivered to the peer (FI_TRANSMIT_COMPLETE), which is
 * in the buffer of a receive if one was posted, unless the program is content with less
 * (FI_INJECT_COMPLETE).
 */
#include <endian.h>

#include "uet_fi.h"

static ssize_t uet_send_short(struct uet_ep *ep, const struct sockaddr_uet *to,
			      const struct iovec *iov, size_t n, uint64_t tag,
			      uint64_t data, uint64_t flags, const struct uet_fi_op *op)
{
	struct libuet_attrs attrs = { .has = LIBUET_TAG, .tag = tag };

	if (flags & FI_REMOTE_CQ_DATA) {
		attrs.has |= LIBUET_HEADER_DATA;
		attrs.header_data = data;
	}
	if (op) {
		attrs.has |= LIBUET_COOKIE;
		attrs.cookie = uet_op_cookie(op);
	}
	if (libuet_sendmsg(ep->fd, iov, n, to, &attrs, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return uet_later(errno) ? -FI_EAGAIN : -errno;
	return 0;
}

/**
 * uet_send_end() - a send has ended
 * @op: the send; it is gone after that
 *
 * Context: uet_domain.lock held.
 */
void uet_send_end(struct uet_fi_op *op)
{
	struct uet_ep *ep = op->ep;
	const struct uet_entry entry = {
		.e = {
			.op_context = op->context, .flags = op->flags,
			.len = op->error ? 0 : op->len, .err = op->error,
			.prov_errno = op->error,
		},
		.from = FI_ADDR_NOTAVAIL,
	};

	if (op->error)
		uet_lost_known(ep, &op->peer, op->error);
	uet_cntr_count(ep->tx_cntr, op->error);
	uet_cq_release(ep->tx_cq);
	if (op->want || op->error)
		uet_cq_add(ep->tx_cq, &entry);
	uet_op_put(op);
}

/**
 * uet_send_told() - the kernel tells what became of a message
 * @op: the send
 * @done: completion
 *
 * Context: uet_domain.lock held.
 */
void uet_send_told(struct uet_fi_op *op, const struct uet_completion *done)
{
	if (done->error)
		op->error = done->error;
	/* A long message has only been announced. */
	if (op->len > UET_EAGER_MAX && (!op->error || op->left))
		return;
	uet_send_end(op);
}

/* Begin an operation for a send, which will have a completion. */
static struct uet_fi_op *uet_send_begin(struct uet_ep *ep, const struct sockaddr_uet *to,
					uint64_t tag, size_t len, uint64_t flags,
					void *context)
{
	struct uet_fi_op *op;

	if (uet_cq_promise(ep->tx_cq))
		return NULL;
	op = uet_op_get(ep, UET_FI_OP_SEND);
	if (!op) {
		uet_cq_release(ep->tx_cq);
		return NULL;
	}
	op->context = context;
	op->flags = FI_SEND | (tag & UET_TAG_MSG ? FI_MSG : FI_TAGGED);
	op->want = !(flags & UET_QUIET) && (!ep->tx_selective || flags & FI_COMPLETION);
	op->len = len;
	op->tag = tag;
	op->peer = *to;
	return op;
}

static void uet_send_undo(struct uet_fi_op *op)
{
	uet_cq_release(op->ep->tx_cq);
	uet_op_put(op);
}

/* Announce a long message: the peer asks for it when it has a receive. */
static ssize_t uet_send_rts(struct uet_ep *ep, struct uet_fi_op *op, const struct iovec *iov,
			    size_t n, uint64_t data, uint64_t flags)
{
	const uint64_t wire = htobe64(data);
	const struct iovec payload = { (void *)&wire, sizeof(wire) };
	const uint64_t name = (uint64_t)op->len << 32 | uet_op_id(op);
	size_t i;

	for (i = 0; i < n; i++)
		op->send.iov[i] = iov[i];
	op->send.iovs = n;
	op->send.asked_all = false;
	return uet_send_short(ep, &op->peer, &payload, !!(flags & FI_REMOTE_CQ_DATA),
			      op->tag | UET_TAG_RTS, name, FI_REMOTE_CQ_DATA, op);
}

static ssize_t uet_send_locked(struct uet_ep *ep, const struct iovec *iov, size_t n,
			       size_t len, fi_addr_t addr, uint64_t tag, uint64_t data,
			       uint64_t flags, void *context)
{
	const struct sockaddr_uet *to = uet_av_get(ep->av, addr);
	struct uet_fi_op *op;
	ssize_t ret;

	if (!to)
		return -FI_EINVAL;
	if (flags & UET_QUIET) {
		ret = uet_send_short(ep, to, iov, n, tag, data, flags, NULL);
		if (!ret)
			uet_cntr_count(ep->tx_cntr, false);
		return ret;
	}
	op = uet_send_begin(ep, to, tag, len, flags, context);
	if (!op)
		return -FI_EAGAIN;
	ret = len > UET_EAGER_MAX ? uet_send_rts(ep, op, iov, n, data, flags) :
	      uet_send_short(ep, to, iov, n, tag, data, flags, op);
	if (ret)
		uet_send_undo(op);
	else if (ep->dgram)
		uet_send_end(op);
	else if (len <= UET_EAGER_MAX && flags & (FI_INJECT_COMPLETE | FI_INJECT) &&
		 !(flags & (FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE)))
		uet_send_end(op);
	else
		list_add(&ep->sends, &op->node);
	return ret;
}

/**
 * uet_send() - send a message
 * @ep: endpoint
 * @iov: data; the array may go when the call returns
 * @n: entries of it
 * @to: destination
 * @tag: its tag with %UET_TAG_MSG, or that of a tagged message
 * @data: with %FI_REMOTE_CQ_DATA
 * @flags: of libfabric, UET_QUIET
 * @context: of the program
 *
 * Return: 0; -FI_EAGAIN, -FI_EINVAL, -FI_EMSGSIZE, -FI_EOPBADSTATE, an errno.
 */
ssize_t uet_send(struct uet_ep *ep, const struct iovec *iov, size_t n, fi_addr_t to,
		 uint64_t tag, uint64_t data, uint64_t flags, void *context)
{
	size_t len = 0, i;
	ssize_t ret;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	if (ep->dgram && !(tag & UET_TAG_MSG))
		return -FI_ENOSYS;
	if (n > UET_IOV_MAX || flags & ~(UET_TX_FLAGS | UET_QUIET) ||
	    (ep->dgram && flags & FI_DELIVERY_COMPLETE))
		return -FI_EINVAL;
	for (i = 0; i < n; i++)
		len += iov[i].iov_len;
	if (len > ep->info->ep_attr->max_msg_size ||
	    (flags & FI_INJECT && len > UET_EAGER_MAX))
		return -FI_EMSGSIZE;
	uet_lock(ep->domain);
	ret = uet_send_locked(ep, iov, n, len, to, tag, data, flags, context);
	/* Who only sends makes progress, too. */
	if (ret == -FI_EAGAIN)
		uet_progress(ep->domain);
	uet_unlock(ep->domain);
	return ret;
}
