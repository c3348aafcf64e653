// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that failed when no operation was left that could have the error: injected
 * ones, and those whose operation had ended with FI_INJECT_COMPLETE.
 *
 * libfabric has such an error as a completion without a context. Programs that look for
 * it are rare, and some use the context unseen (Open MPI 4). Nearly always the program
 * waits for something else that fails for the same reason, so a peer whose messages fail
 * is remembered for a while. If an operation of the program has failed on that peer by
 * then, the program knows; if not, one completion without a context tells it.
 *
 * All calls: uet_domain.lock held.
 */
#include "uet_fi.h"

/* So long an operation may come to have the error, ms */
#define UET_LOST_MS	1000

/* ... and so long if the program waits for another peer. In a collective operation that
 * one may wait for the lost one, by way of others, each of which learns of the end of the
 * one before by a probe (UET_KEEPALIVE_IDLE).
 */
#define UET_LOST_MAX_MS	60000

/* One for each peer at most, and a peer is in the address vector. */
struct uet_lost {
	struct list		node;		/* uet_ep.lost */
	struct sockaddr_uet	peer;
	int			error;		/* of such a message; 0: of none yet */
	int			known;		/* uet_lost_kind() of what an operation had */
	uint64_t		until;		/* ms of uet_now_ms() */
	uint64_t		last;		/* ... whatever the program waits for */
};

/* Errors that one loss of a peer may have are of one kind. */
static int uet_lost_kind(int error)
{
	switch (error) {
	case ECONNRESET:
	case ECONNABORTED:
	case EHOSTUNREACH:
	case EHOSTDOWN:
	case ENETUNREACH:
	case ETIMEDOUT:
		return ECONNREFUSED;
	default:
		return error;
	}
}

/* Has an operation told the program? */
static bool uet_lost_told(const struct uet_lost *lost)
{
	return !lost->error || lost->known == uet_lost_kind(lost->error);
}

static struct uet_lost *uet_lost_find(struct uet_ep *ep, const struct sockaddr_uet *peer)
{
	struct uet_lost *lost;
	struct list *l;

	for (l = ep->lost.next; l != &ep->lost; l = l->next) {
		lost = list_item(l, struct uet_lost, node);
		if (uet_addr_same(&lost->peer, peer))
			return lost;
	}
	lost = calloc(1, sizeof(*lost));
	if (!lost)
		return NULL;
	lost->peer = *peer;
	list_add(&ep->lost, &lost->node);
	return lost;
}

static void uet_lost_tell(struct uet_ep *ep, int error)
{
	const struct uet_entry entry = {
		.e = { .flags = FI_SEND, .err = error, .prov_errno = error },
		.from = FI_ADDR_NOTAVAIL,
	};

	uet_cq_add(ep->tx_cq, &entry);
}

static void uet_lost_put(struct uet_lost *lost)
{
	list_del(&lost->node);
	free(lost);
}

/**
 * uet_lost_orphan() - a message failed that belongs to no operation any more
 * @ep: endpoint
 * @peer: it was for
 * @error: errno
 *
 * One error of each kind is told.
 */
void uet_lost_orphan(struct uet_ep *ep, const struct sockaddr_uet *peer, int error)
{
	struct uet_lost *lost = uet_lost_find(ep, peer);

	uet_cntr_count(ep->tx_cntr, true);
	if (!lost) {
		uet_lost_tell(ep, error);
		return;
	}
	/* The first one says why; what comes of it later comes soon. */
	if (!lost->error) {
		lost->error = error;
		lost->until = uet_now_ms() + UET_LOST_MS;
		lost->last = uet_now_ms() + UET_LOST_MAX_MS;
	}
	uet_recv_peer_lost(ep, peer, error);
}

/**
 * uet_lost_known() - an operation of the program's has failed on a peer
 * @ep: endpoint
 * @peer: the peer
 * @error: errno
 */
void uet_lost_known(struct uet_ep *ep, const struct sockaddr_uet *peer, int error)
{
	struct uet_lost *lost = uet_lost_find(ep, peer);

	/* Without memory the program is told twice. */
	if (!lost)
		return;
	if (!lost->error || !uet_lost_told(lost))
		lost->known = uet_lost_kind(error);
	lost->until = uet_now_ms() + UET_LOST_MS;
}

/* Does the program wait for what a peer that it has named is to do? */
static bool uet_lost_waits(const struct uet_ep *ep)
{
	const struct uet_fi_op *op;
	const struct list *l;

	if (!list_empty(&ep->sends))
		return true;
	for (l = ep->recvs.next; l != &ep->recvs; l = l->next) {
		op = list_item(l, struct uet_fi_op, node);
		if (op->recv.pulls || !op->recv.any)
			return true;
	}
	return false;
}

/**
 * uet_lost_look() - tell what no operation has told by now
 * @ep: endpoint
 * @now: uet_now_ms()
 */
void uet_lost_look(struct uet_ep *ep, uint64_t now)
{
	struct uet_lost *lost;
	struct list *l, *next;

	for (l = ep->lost.next; l != &ep->lost; l = next) {
		next = l->next;
		lost = list_item(l, struct uet_lost, node);
		if (now < lost->until)
			continue;
		if (!uet_lost_told(lost) && now < lost->last && uet_lost_waits(ep)) {
			lost->until = now + UET_LOST_MS;
			continue;
		}
		if (!uet_lost_told(lost))
			uet_lost_tell(ep, lost->error);
		uet_lost_put(lost);
	}
}

/**
 * uet_lost_drop_all() - an endpoint goes
 * @ep: endpoint
 */
void uet_lost_drop_all(struct uet_ep *ep)
{
	while (!list_empty(&ep->lost))
		uet_lost_put(list_item(ep->lost.next, struct uet_lost, node));
}
