// SPDX-License-Identifier: GPL-2.0
/*
 * Unexpected messages that are taken from the kernel. There they fill the receive buffer,
 * and on an ordered socket what is behind them would wait, while a program may want just
 * that first. So they are read when they take a part of the buffer (SO_RCVLOWAT), when
 * receives wait that the kernel has no room for, and when the program asks what has come
 * (FI_PEEK).
 *
 * What is here came before all that is in the kernel, and receives look here first. What
 * the kernel has is no longer than a short message, and complete when it can be read.
 *
 * All calls: uet_domain.lock held.
 */
#include "uet_fi.h"

/* Messages taken at a time: peers that send without end do not keep the caller. */
#define UET_UNEXP_BUDGET	4096

static bool uet_unexp_matches(const struct uet_unexp *u, const struct uet_fi_op *op)
{
	if (u->claimed || !(u->tag & UET_TAG_MSG) != op->recv.tagged)
		return false;
	if (op->recv.tagged &&
	    ((u->tag ^ op->tag) & UET_TAG_BITS & ~op->recv.ignore))
		return false;
	return op->recv.any || uet_addr_same(&u->from, &op->peer);
}

/**
 * uet_unexp_find() - is the message of a receive here?
 * @ep: endpoint
 * @op: the receive
 *
 * Return: the first message that it matches, or NULL.
 */
struct uet_unexp *uet_unexp_find(struct uet_ep *ep, const struct uet_fi_op *op)
{
	struct uet_unexp *u;
	struct list *l;

	for (l = ep->unexp.next; l != &ep->unexp; l = l->next) {
		u = list_item(l, struct uet_unexp, node);
		if (uet_unexp_matches(u, op))
			return u;
	}
	return NULL;
}

static void uet_unexp_free(struct uet_unexp *u)
{
	list_del(&u->node);
	free(u);
}

static struct uet_arrival uet_unexp_arrival(const struct uet_unexp *u)
{
	return (struct uet_arrival){
		.from = &u->from, .tag = u->tag, .data = u->data,
		.has_data = u->has_data, .bytes = u->bytes, .len = u->len,
		.got = u->len,
	};
}

/**
 * uet_unexp_take() - a receive gets a message that is here
 * @u: the message; it is gone after that
 * @op: the receive
 */
void uet_unexp_take(struct uet_unexp *u, struct uet_fi_op *op)
{
	const struct uet_arrival a = uet_unexp_arrival(u);

	list_del(&u->node);
	uet_recv_take(op, &a);
	free(u);
}

/**
 * uet_unexp_drop_all() - the endpoint closes
 * @ep: endpoint
 */
void uet_unexp_drop_all(struct uet_ep *ep)
{
	while (!list_empty(&ep->unexp))
		uet_unexp_free(list_item(ep->unexp.next, struct uet_unexp, node));
}

/* The first receive that waits here for a message like this one */
static struct uet_fi_op *uet_unexp_wanted(struct uet_ep *ep, const struct uet_unexp *u)
{
	struct uet_fi_op *op;
	struct list *l;

	for (l = ep->pending.next; l != &ep->pending; l = l->next) {
		op = list_item(l, struct uet_fi_op, queued);
		if (uet_unexp_matches(u, op))
			return op;
	}
	return NULL;
}

/* Read the next message. Returns NULL if there is none, or no memory. */
static struct uet_unexp *uet_unexp_read(struct uet_ep *ep)
{
	struct uet_unexp *u = malloc(sizeof(*u) + UET_EAGER_MAX), *fit;
	struct libuet_attrs attrs;
	struct iovec iov;
	ssize_t n;

	if (!u)
		return NULL;
	iov = (struct iovec){ u->bytes, UET_EAGER_MAX };
	do {
		n = libuet_recvmsg(ep->fd, &iov, 1, &u->from, &attrs, MSG_DONTWAIT);
		/* Only the provider sends such messages: others are dropped. */
	} while ((n < 0 && (errno == EINTR || errno == ECONNRESET ||
			    errno == ECONNABORTED)) ||
		 (n >= 0 && (!(attrs.has & LIBUET_TAG) || !(attrs.msg_flags & MSG_EOR))));
	if (n < 0) {
		free(u);
		return NULL;
	}
	u->tag = attrs.tag;
	u->has_data = attrs.has & LIBUET_HEADER_DATA;
	u->data = attrs.header_data;
	u->claimed = false;
	u->len = n;
	list_init(&u->node);
	fit = realloc(u, sizeof(*u) + n);
	if (!fit)
		return u;
	list_init(&fit->node);
	return fit;
}

/**
 * uet_unexp_spill() - take all messages from the kernel that nobody expects
 * @ep: endpoint
 *
 * Datagrams are taken while there are receives, and those that none is for are dropped.
 */
void uet_unexp_spill(struct uet_ep *ep)
{
	struct uet_unexp *u;
	struct uet_fi_op *op;
	int n;

	/* What is here already comes before what will be read. */
	uet_recv_meet(ep);
	for (n = 0; n < UET_UNEXP_BUDGET; n++) {
		u = ep->dgram && list_empty(&ep->pending) ? NULL : uet_unexp_read(ep);
		if (!u)
			return;
		op = uet_unexp_wanted(ep, u);
		if (op)
			uet_unexp_take(u, op);
		else if (ep->dgram)
			free(u);
		else
			list_add(&ep->unexp, &u->node);
	}
}

/* --- FI_PEEK, FI_CLAIM, FI_DISCARD ------------------------------------------------ */

/* What a peek is compared by */
static int uet_peek_begin(struct uet_ep *ep, const struct uet_wanted *w, struct uet_fi_op *op)
{
	const struct sockaddr_uet *from = NULL;

	*op = (struct uet_fi_op){
		.ep = ep, .tag = w->tag,
		.recv = { .ignore = w->ignore & UET_TAG_BITS, .tagged = true, .any = true },
	};
	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	if (ep->dgram)
		return -FI_ENOSYS;
	if (w->tag & ~UET_TAG_BITS)
		return -FI_EINVAL;
	if (ep->info->caps & FI_DIRECTED_RECV && w->from != FI_ADDR_UNSPEC) {
		from = uet_av_get(ep->av, w->from);
		if (!from)
			return -FI_EINVAL;
		op->peer = *from;
		op->recv.any = false;
	}
	return uet_cq_promise(ep->rx_cq);
}

/* Tell of a message, or that there is none. */
static void uet_peek_tell(struct uet_ep *ep, const struct uet_wanted *w,
			  const struct uet_unexp *u)
{
	struct uet_entry entry = {
		.e = {
			.op_context = w->context, .flags = FI_RECV | FI_TAGGED,
			.tag = w->tag,
		},
		.from = FI_ADDR_NOTAVAIL,
	};

	uet_cq_release(ep->rx_cq);
	if (!u) {
		entry.e.err = FI_ENOMSG;
		entry.e.prov_errno = FI_ENOMSG;
		uet_cq_add(ep->rx_cq, &entry);
		return;
	}
	entry.e.tag = u->tag & UET_TAG_BITS;
	entry.e.len = u->tag & UET_TAG_RTS ? uet_rts_length(u->data) : u->len;
	if (ep->info->caps & FI_SOURCE)
		entry.from = uet_av_find(ep->av, &u->from);
	if (u->tag & UET_TAG_RTS ? u->len == sizeof(u->data) : u->has_data) {
		entry.e.flags |= FI_REMOTE_CQ_DATA;
		entry.e.data = u->tag & UET_TAG_RTS ? uet_rts_data(u->bytes) : u->data;
	}
	uet_cq_add(ep->rx_cq, &entry);
}

/* A message is thrown away: the source of a long one waits for that. */
static void uet_unexp_discard(struct uet_ep *ep, struct uet_unexp *u)
{
	const struct uet_arrival a = uet_unexp_arrival(u);

	if (u->tag & UET_TAG_RTS)
		uet_rdv_refuse(ep, &a);
	uet_unexp_free(u);
}

/**
 * uet_unexp_peek() - a receive with FI_PEEK
 * @ep: endpoint
 * @w: what is wanted
 *
 * Return: 0, and the completion tells; -FI_EINVAL, -FI_EOPBADSTATE, -FI_EAGAIN.
 */
ssize_t uet_unexp_peek(struct uet_ep *ep, const struct uet_wanted *w)
{
	struct uet_unexp *u;
	struct uet_fi_op op;
	int ret;

	uet_lock(ep->domain);
	ret = uet_peek_begin(ep, w, &op);
	if (ret)
		goto out;
	/* Receives that were posted before come first. */
	uet_progress(ep->domain);
	uet_unexp_spill(ep);
	u = uet_unexp_find(ep, &op);
	uet_peek_tell(ep, w, u);
	if (u && w->flags & FI_DISCARD) {
		uet_unexp_discard(ep, u);
	} else if (u && w->flags & FI_CLAIM) {
		u->claimed = true;
		u->claim = w->context;
	}
out:
	uet_unlock(ep->domain);
	return ret;
}

static struct uet_unexp *uet_unexp_find_claimed(struct uet_ep *ep, const void *context)
{
	struct uet_unexp *u;
	struct list *l;

	for (l = ep->unexp.next; l != &ep->unexp; l = l->next) {
		u = list_item(l, struct uet_unexp, node);
		if (u->claimed && u->claim == context)
			return u;
	}
	return NULL;
}

/**
 * uet_unexp_claimed() - a receive with FI_CLAIM: receive what was claimed, or discard it
 * @ep: endpoint
 * @w: what is wanted
 *
 * Return: 0; -FI_EINVAL if nothing was claimed with the context; -FI_EAGAIN,
 * -FI_EOPBADSTATE.
 */
ssize_t uet_unexp_claimed(struct uet_ep *ep, const struct uet_wanted *w)
{
	struct uet_unexp *u;
	struct uet_fi_op *op;
	int ret = -FI_EINVAL;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	uet_lock(ep->domain);
	u = uet_unexp_find_claimed(ep, w->context);
	if (!u)
		goto out;
	if (w->flags & FI_DISCARD) {
		ret = uet_cq_promise(ep->rx_cq);
		if (ret)
			goto out;
		uet_peek_tell(ep, w, u);
		uet_unexp_discard(ep, u);
		goto out;
	}
	ret = -FI_EAGAIN;
	op = uet_recv_begin(ep, w);
	if (op) {
		list_add(&ep->recvs, &op->node);
		uet_unexp_take(u, op);
		ret = 0;
	}
out:
	uet_unlock(ep->domain);
	return ret;
}
