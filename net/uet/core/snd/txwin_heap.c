// SPDX-License-Identifier: GPL-2.0
/*
 * Skew heaps of outstanding PSNs, see txwin_heap.h.
 *
 * A link is the distance from a PSN to a higher one: < UET_TXWIN_MAX_SLOTS, and
 * still right after the ring has grown.
 */
#include "txwin_heap.h"

static_assert(UET_TXWIN_MAX_SLOTS <= U16_MAX);

static struct uet_tx_link *heap_link(const struct uet_txwin *w, u32 psn)
{
	return &uet_txwin_links(w)[uet_txwin_index(w, psn)];
}

/* Merge two heaps; returns the top. The loop visits each PSN at most once. */
static u32 heap_merge(struct uet_txwin *w, struct uet_tx_heap *h, u32 a, u32 b)
{
	struct uet_tx_link *link;
	u32 top = psn_min(a, b), next;

	if (psn_before(b, a))
		swap(a, b);
	for (;;) {
		/* @b and what is right of @a merge into what is left of @a. */
		h->steps++;
		link = heap_link(w, a);
		next = a + link->right;
		swap(link->left, link->right);
		if (next == a) {
			link->left = (u16)(b - a);
			return top;
		}
		if (psn_before(b, next))
			swap(b, next);
		link->left = (u16)(next - a);
		a = next;
	}
}

void uet_txwin_heap_add(struct uet_txwin *w, struct uet_tx_heap *h, u32 psn)
{
	*heap_link(w, psn) = (struct uet_tx_link) {};
	h->top = h->nr++ ? heap_merge(w, h, h->top, psn) : psn;
}

u32 uet_txwin_heap_pop(struct uet_txwin *w, struct uet_tx_heap *h)
{
	const struct uet_tx_link *link = heap_link(w, h->top);
	u32 psn = h->top;
	u32 left = psn + link->left, right = psn + link->right;

	h->nr--;
	if (link->left && link->right)
		h->top = heap_merge(w, h, left, right);
	else
		h->top = link->left ? left : right;
	return psn;
}
