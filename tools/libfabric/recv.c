// SPDX-License-Identifier: GPL-2.0
/*
 * Receives. The kernel has them and matches messages to them in the order in which they
 * were posted. Those that it has no room for (UET_RECVS_MAX, RLIMIT_MEMLOCK) wait
 * here in order (uet_ep.pending), as all receives of datagrams do; while there are such,
 * messages that find no receive in the kernel are taken from it and matched here
 * (unexp.c), which never needs room.
 *
 * Long messages are announced by short ones, so a receive never needs more room in the
 * kernel than a short message has.
 *
 * A buffer for many messages (FI_MULTI_RECV) is posted again for each: what is left of
 * it depends on whether a message was short or long. All calls but uet_recv(): the lock of
 * the domain held.
 */
#include <endian.h>

#include "uet_fi.h"

/* Receives posted by one call: a program that posts many pays for one system call. */
#define UET_POST_BATCH	32

static size_t uet_recv_room(const struct uet_fi_op *op)
{
	return op->len - op->offset;
}

/* What the kernel is to do for a receive; its source, if it has one, is number @to. */
static struct uet_op uet_recv_describe(const struct uet_fi_op *op, uint32_t to)
{
	const size_t room = uet_recv_room(op);
	struct uet_op recv = {
		.cookie	= uet_op_cookie(op),
		.opcode	= UET_OP_TRECV,
		.to	= op->recv.any ? UET_OP_ANY : to,
		.length	= room < UET_EAGER_MAX ? room : UET_EAGER_MAX,
		.tag	= op->tag,
		.ignore	= UET_TAG_RTS | op->recv.ignore,
	};

	if (!op->recv.tagged) {
		recv.tag = UET_TAG_MSG;
		recv.ignore = ~UET_TAG_MSG;
	}
	if (room <= UET_OP_DATA_MAX)
		recv.flags = UET_OP_INLINE;
	else
		recv.addr = (uintptr_t)(op->buf + op->offset);
	return recv;
}

/* A receive ends, or an entry of one for many messages is told. */
static void uet_recv_tell(struct uet_fi_op *op, const struct uet_entry *entry, bool last)
{
	struct uet_ep *ep = op->ep;

	uet_cntr_count(ep->rx_cntr, entry->e.err);
	uet_cq_release(ep->rx_cq);
	if (op->want || entry->e.err)
		uet_cq_add(ep->rx_cq, entry);
	if (last)
		uet_op_put(op);
}

static struct uet_entry uet_recv_entry(const struct uet_fi_op *op)
{
	return (struct uet_entry){
		.e = {
			.op_context = op->context,
			.flags = FI_RECV | (op->recv.tagged ? FI_TAGGED : FI_MSG),
			.buf = op->buf + op->offset,
			.tag = op->recv.tagged ? op->tag : 0,
		},
		.from = FI_ADDR_NOTAVAIL,
	};
}

/**
 * uet_recv_fail() - a receive ends without a message
 * @op: the receive; it is gone after that
 * @error: errno of libfabric
 */
void uet_recv_fail(struct uet_fi_op *op, int error)
{
	const struct sockaddr_uet source = uet_main_addr(&op->recv.source);
	struct uet_entry entry = uet_recv_entry(op);

	if (error != FI_ECANCELED && (op->recv.pulls || !op->recv.any))
		uet_lost_known(op->ep, op->recv.pulls ? &source : &op->peer, error);
	entry.e.err = error;
	entry.e.prov_errno = error;
	entry.e.buf = NULL;
	if (op->recv.multi)
		entry.e.flags |= FI_MULTI_RECV;
	uet_recv_tell(op, &entry, true);
}

/* It goes to the kernel with the next progress or before, behind those that wait. Until
 * then its message is unexpected there, which the program cannot tell.
 */
static void uet_recv_wait(struct uet_fi_op *op)
{
	op->recv.posted = false;
	op->recv.met = false;
	list_del(&op->queued);
	list_add(&op->ep->pending, &op->queued);
	op->ep->fresh++;
	op->ep->domain->fresh = true;
}

/**
 * uet_recv_end() - a message is in the buffer of a receive, or failed
 * @op: the receive; with what uet_recv_take() noted of the message
 * @got: bytes in the buffer
 * @total: length of the message
 * @error: errno of libfabric, 0
 */
void uet_recv_end(struct uet_fi_op *op, size_t got, size_t total, int error)
{
	struct uet_entry entry = uet_recv_entry(op);
	bool last = true;

	op->recv.pulls = false;
	if (!error && got < total) {
		error = FI_ETRUNC;
		entry.e.olen = total - got;
	}
	entry.e.err = error;
	entry.e.prov_errno = error;
	entry.e.len = got;
	entry.e.flags |= op->flags;
	entry.e.data = op->data;
	entry.e.tag = op->recv.tagged ? op->recv.got_tag : 0;
	entry.from = op->recv.from;
	if (op->recv.multi) {
		op->offset += got;
		last = uet_recv_room(op) < op->ep->min_multi ||
		       uet_cq_promise(op->ep->rx_cq);
		if (last)
			entry.e.flags |= FI_MULTI_RECV;
	}
	uet_recv_tell(op, &entry, last);
	if (!last)
		uet_recv_wait(op);
}

/**
 * uet_recv_take() - a receive has got a message
 * @op: the receive, in no list of those that wait
 * @a: the message; bytes that are not in the buffer yet are copied
 */
void uet_recv_take(struct uet_fi_op *op, const struct uet_arrival *a)
{
	const size_t room = uet_recv_room(op);
	size_t got = a->got;

	list_del(&op->queued);
	op->recv.posted = false;
	op->recv.got_tag = a->tag & UET_TAG_BITS;
	op->recv.from = op->ep->info->caps & FI_SOURCE ?
			uet_av_find(op->ep->av, a->from) : FI_ADDR_NOTAVAIL;
	if (a->tag & UET_TAG_RTS) {
		uet_rdv_begin(op, a);
		return;
	}
	op->flags = a->has_data ? FI_REMOTE_CQ_DATA : 0;
	op->data = a->has_data ? a->data : 0;
	if (a->bytes) {
		got = a->got < room ? a->got : room;
		if (got)
			memcpy(op->buf + op->offset, a->bytes, got);
	}
	uet_recv_end(op, got, a->len, 0);
}

/**
 * uet_recv_told() - the kernel tells what became of a receive
 * @op: the receive
 * @done: completion
 */
void uet_recv_told(struct uet_fi_op *op, const struct uet_completion *done)
{
	const struct uet_arrival a = {
		.from = &done->peer, .tag = done->tag, .data = done->header_data,
		.has_data = done->flags & UET_DONE_HEADER_DATA,
		.len = done->length, .got = done->got,
		.bytes = done->flags & UET_DONE_INLINE ? (const char *)done->data : NULL,
	};

	if (op->recv.posted)
		op->ep->given--;
	op->recv.posted = false;
	if (!done->error || done->error == EMSGSIZE)
		uet_recv_take(op, &a);
	else
		uet_recv_fail(op, op->error ?: (int)done->error);
}

/**
 * uet_recv_meet() - receives look at the messages that are here
 * @ep: endpoint
 *
 * Each does once, in order: what comes here later looks at the receives. So no message
 * here is for one that goes to the kernel, or waits for room there behind others.
 */
void uet_recv_meet(struct uet_ep *ep)
{
	struct list *l = ep->pending.prev;
	struct uet_unexp *u;
	struct uet_fi_op *op;

	/* Those that have not looked are the last ones. */
	while (l != &ep->pending && !list_item(l, struct uet_fi_op, queued)->recv.met)
		l = l->prev;
	for (l = l->next; l != &ep->pending; ) {
		op = list_item(l, struct uet_fi_op, queued);
		op->recv.met = true;
		u = uet_unexp_find(ep, op);
		if (!u) {
			l = l->next;
			continue;
		}
		/* One for many messages goes to the end of the list, to look again. */
		l = l->prev;
		uet_unexp_take(u, op);
		l = l->next;
	}
}

/* Post the first receives that wait. Returns how many, or an errno below 0. */
static int uet_recv_post_some(struct uet_ep *ep)
{
	struct sockaddr_uet from[UET_POST_BATCH];
	struct uet_op recvs[UET_POST_BATCH];
	struct uet_fi_op *op;
	struct list *l;
	uint32_t n = 0;
	int done;

	for (l = ep->pending.next; l != &ep->pending && n < UET_POST_BATCH; l = l->next) {
		op = list_item(l, struct uet_fi_op, queued);
		recvs[n] = uet_recv_describe(op, n + 1);
		/* Entries that are not named do not matter. */
		if (!op->recv.any)
			from[n] = op->peer;
		n++;
	}
	done = libuet_post(ep->fd, recvs, n, from, n);
	return done < 0 ? -errno : done;
}

/* Receives leave slots of the ring to sends: else none could begin while the messages that
 * are waited for do not come.
 */
static bool uet_recv_may_give(const struct uet_domain *d)
{
	uint32_t given = 0;
	struct list *l;

	for (l = d->eps.next; l != &d->eps; l = l->next)
		given += list_item(l, struct uet_ep, node)->given;
	return given < d->ring.ring->entries / 2;
}

/**
 * uet_recv_post_pending() - give receives that wait to the kernel
 * @ep: endpoint
 */
void uet_recv_post_pending(struct uet_ep *ep)
{
	struct uet_fi_op *op;
	int n;

	ep->fresh = 0;
	if (ep->dgram) {
		uet_unexp_spill(ep);
		return;
	}
	uet_recv_meet(ep);
	while (!list_empty(&ep->pending)) {
		op = list_item(ep->pending.next, struct uet_fi_op, queued);
		if (!uet_recv_may_give(ep->domain)) {
			ep->domain->again = true;
			return;
		}
		n = uet_recv_post_some(ep);
		if (n < 0 && uet_unposted(-n)) {
			ep->domain->again = true;
			return;
		}
		if (n < 0)
			uet_recv_fail(op, -n);
		for (; n > 0; n--) {
			op = list_item(ep->pending.next, struct uet_fi_op, queued);
			op->recv.posted = true;
			ep->given++;
			list_del(&op->queued);
		}
	}
}

/**
 * uet_recv_begin() - begin a receive
 * @ep: endpoint
 * @w: what is wanted
 *
 * Return: the receive, in no list; NULL with errno EAGAIN, EINVAL.
 */
struct uet_fi_op *uet_recv_begin(struct uet_ep *ep, const struct uet_wanted *w)
{
	const struct sockaddr_uet *from = NULL;
	struct uet_fi_op *op;

	if (ep->info->caps & FI_DIRECTED_RECV && w->from != FI_ADDR_UNSPEC) {
		from = uet_av_get(ep->av, w->from);
		if (!from) {
			errno = EINVAL;
			return NULL;
		}
	}
	errno = EAGAIN;
	if (uet_cq_promise(ep->rx_cq))
		return NULL;
	op = uet_op_get(ep, UET_FI_OP_RECV);
	if (!op) {
		uet_cq_release(ep->rx_cq);
		return NULL;
	}
	op->context = w->context;
	op->want = !ep->rx_selective || w->flags & FI_COMPLETION;
	op->buf = w->buf;
	op->len = w->len;
	op->tag = w->tag;
	op->data = 0;
	op->recv.ignore = w->ignore & UET_TAG_BITS;
	op->recv.tagged = w->tagged;
	op->recv.multi = w->flags & FI_MULTI_RECV;
	op->recv.any = !from;
	op->recv.posted = false;
	op->recv.met = false;
	op->recv.pulls = false;
	op->recv.waited = false;
	if (from)
		op->peer = *from;
	return op;
}

/* Where the kernel has no receive the next message would be unexpected there, which costs
 * it more. So the first one goes at once, and those behind it together, up to a number
 * that programs have ahead: a power of two, often.
 */
static bool uet_recv_now(const struct uet_ep *ep, const struct uet_fi_op *op, uint64_t flags)
{
	const bool first = !ep->given && (ep->more || ep->pending.next == &op->queued);

	return (first || (ep->given + ep->fresh) % UET_POST_BATCH == 0) &&
	       !ep->dgram && !(flags & FI_MORE);
}

static ssize_t uet_recv_locked(struct uet_ep *ep, const struct uet_wanted *w)
{
	struct uet_fi_op *op = uet_recv_begin(ep, w);
	bool now;

	if (!op)
		return -errno;
	list_add(&ep->recvs, &op->node);
	uet_recv_wait(op);
	now = ep->fresh >= UET_POST_BATCH || uet_recv_now(ep, op, w->flags);
	ep->more = w->flags & FI_MORE;
	if (now)
		uet_recv_post_pending(ep);
	return 0;
}

/**
 * uet_recv() - post a receive
 * @ep: endpoint
 * @w: what is wanted
 *
 * Return: 0; -FI_EAGAIN, -FI_EINVAL, -FI_EOPBADSTATE, an errno.
 */
ssize_t uet_recv(struct uet_ep *ep, const struct uet_wanted *w)
{
	ssize_t ret;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	if (w->tagged && ep->dgram)
		return -FI_ENOSYS;
	if (w->tagged && w->tag & ~UET_TAG_BITS)
		return -FI_EINVAL;
	if (w->flags & FI_MULTI_RECV && w->len < ep->min_multi)
		return -FI_EINVAL;
	uet_lock(ep->domain);
	ret = uet_recv_locked(ep, w);
	uet_unlock(ep->domain);
	return ret;
}

/**
 * uet_recv_cancel() - cancel the last receive with a context
 * @ep: endpoint
 * @context: of the program
 *
 * Return: 0: its completion has FI_ECANCELED; -FI_ENOENT if it has its message, or there
 * is none.
 */
ssize_t uet_recv_cancel(struct uet_ep *ep, void *context)
{
	struct uet_fi_op *op;
	struct list *l;

	for (l = ep->recvs.prev; l != &ep->recvs; l = l->prev) {
		op = list_item(l, struct uet_fi_op, node);
		if (op->context != context)
			continue;
		if (op->recv.posted)
			return libuet_unpost(ep->fd, uet_op_cookie(op)) ? -errno : 0;
		if (op->recv.pulls)
			return -FI_ENOENT;
		uet_recv_fail(op, FI_ECANCELED);
		return 0;
	}
	return -FI_ENOENT;
}

/**
 * uet_recv_peer_lost() - a peer is gone: receives that are for it alone fail
 * @ep: endpoint
 * @peer: address
 * @error: errno
 */
void uet_recv_peer_lost(struct uet_ep *ep, const struct sockaddr_uet *peer, int error)
{
	struct list *l, *next;
	struct uet_fi_op *op;

	for (l = ep->recvs.next; l != &ep->recvs; l = next) {
		next = l->next;
		op = list_item(l, struct uet_fi_op, node);
		if (op->recv.pulls || op->recv.any || !uet_addr_same(&op->peer, peer))
			continue;
		op->error = error;
		if (!op->recv.posted)
			uet_recv_fail(op, error);
		else
			libuet_unpost(ep->fd, uet_op_cookie(op));
	}
}
