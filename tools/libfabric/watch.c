// SPDX-License-Identifier: GPL-2.0
/*
 * Peers that receives wait for, by name. The kernel tells of the loss of a peer that was
 * heard before (UET_PEER_EVENTS), once. Who waits for one that ended before it said
 * anything, or begins to wait when the loss was told, would do so for ever. So what has
 * waited for a while has its peer watched (UET_WATCH), which is probed then.
 *
 * All calls: uet_domain.lock held.
 */
#include "uet_fi.h"

/* From one look at what waits to the next, ms: who waits through one is seen to */
#define UET_WATCH_LOOK_MS	2000

/* A peer that is watched */
struct uet_watched {
	struct list		node;		/* uet_ep.watched */
	struct sockaddr_uet	peer;
	bool			wanted;
};

static struct uet_watched *uet_watch_find(struct uet_ep *ep, const struct sockaddr_uet *peer)
{
	struct uet_watched *w;
	struct list *l;

	for (l = ep->watched.next; l != &ep->watched; l = l->next) {
		w = list_item(l, struct uet_watched, node);
		if (uet_addr_same(&w->peer, peer))
			return w;
	}
	return NULL;
}

/* Without memory, or beyond UET_WATCH_MAX, it is false, and the next look tries again. */
static bool uet_watch_begin(struct uet_ep *ep, const struct sockaddr_uet *peer)
{
	struct uet_watched *w = malloc(sizeof(*w));

	if (!w)
		return false;
	if (libuet_watch(ep->fd, peer, 0, UET_KEEPALIVE_MS, 0)) {
		free(w);
		return false;
	}
	w->peer = *peer;
	w->wanted = true;
	list_add(&ep->watched, &w->node);
	return true;
}

static void uet_watch_put(struct uet_watched *w)
{
	list_del(&w->node);
	free(w);
}

/* Clears @room when there is none for a further watch: one call fails in a look, not one
 * for each receive.
 */
static void uet_watch_wanted(struct uet_ep *ep, struct uet_fi_op *op, bool *room)
{
	struct uet_watched *w;

	if (op->recv.any || op->recv.pulls)
		return;
	if (!op->recv.waited) {
		op->recv.waited = true;
		return;
	}
	w = uet_watch_find(ep, &op->peer);
	if (w)
		w->wanted = true;
	else if (*room)
		*room = uet_watch_begin(ep, &op->peer);
}

/**
 * uet_watch_look() - have the peers watched that receives wait for
 * @ep: endpoint
 * @now: uet_now_ms()
 */
void uet_watch_look(struct uet_ep *ep, uint64_t now)
{
	struct uet_watched *w;
	struct list *l, *next;
	bool room = true;

	if (now < ep->watch_at)
		return;
	ep->watch_at = now + UET_WATCH_LOOK_MS;
	for (l = ep->watched.next; l != &ep->watched; l = l->next)
		list_item(l, struct uet_watched, node)->wanted = false;
	for (l = ep->recvs.next; l != &ep->recvs; l = l->next)
		uet_watch_wanted(ep, list_item(l, struct uet_fi_op, node), &room);
	for (l = ep->watched.next; l != &ep->watched; l = next) {
		next = l->next;
		w = list_item(l, struct uet_watched, node);
		if (w->wanted)
			continue;
		libuet_watch(ep->fd, &w->peer, 0, 0, 0);
		uet_watch_put(w);
	}
}

/**
 * uet_watch_drop_all() - an endpoint goes, and its socket
 * @ep: endpoint
 */
void uet_watch_drop_all(struct uet_ep *ep)
{
	while (!list_empty(&ep->watched))
		uet_watch_put(list_item(ep->watched.next, struct uet_watched, node));
}
