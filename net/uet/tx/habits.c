// SPDX-License-Identifier: GPL-2.0
/*
 * What is known of the implementation at the other end.
 *
 * A message that ends without a question (AR) is cheap where its answer comes by
 * another message, and safe where a probe asks if none comes. Not every endpoint
 * takes probes: of one that does not, a lone short message would be acknowledged
 * by a timeout only. So each peer is asked once, when it has answered for the
 * first time, by a probe of its own, and what ends a message asks by itself as
 * long as nothing is known.
 */
#include <linux/jiffies.h>
#include <linux/skbuff.h>

#include "link/encap.h"
#include "link/habits.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/flow.h"
#include "tx/half.h"

/* A question that stays without an answer is put again, ever more seldom */
#define UET_HABIT_ASK		HZ
#define UET_HABIT_BACKOFF_MAX	6

/**
 * uet_habit_probe() - does this peer take probes?
 * @pdc: initiator PDC that was answered
 * @ev: entropy value
 *
 * Context: softirq, flow lock held.
 * Return: a probe to find out, to be sent after the lock; NULL if it is known,
 * or was asked lately.
 */
struct sk_buff *uet_habit_probe(struct uet_pdc *pdc, u16 ev)
{
	struct uet_habits *h = &pdc->peer->habits;
	struct uet_cp cp = {
		.payload	= pdc->tx->win.una,
		.probe_opaque	= UET_PROBE_HABIT,
	};
	struct sk_buff_head list;
	u8 asked = READ_ONCE(h->asked);

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (READ_ONCE(h->probes) != UET_PROBES_UNKNOWN ||
	    pdc->tx->state != UET_PDC_ESTABLISHED)
		return NULL;
	/* Contexts of one peer may ask at once: one question more or less. */
	if (asked && time_before(jiffies, READ_ONCE(h->ask_at)))
		return NULL;
	__skb_queue_head_init(&list);
	if (uet_cp_queue(pdc, &list, &cp, UET_CTL_PROBE, UET_F_AR, ev))
		return NULL;
	WRITE_ONCE(h->ask_at, jiffies + (UET_HABIT_ASK <<
					 min_t(u8, asked, UET_HABIT_BACKOFF_MAX)));
	if (asked < U8_MAX)
		WRITE_ONCE(h->asked, asked + 1);
	pdc->tx->asked = true;
	UET_INC(pdc->un, PROBES);
	return __skb_dequeue(&list);
}
