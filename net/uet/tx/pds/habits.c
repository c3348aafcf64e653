// SPDX-License-Identifier: GPL-2.0
/*
 * Does the implementation at the other end answer probes?
 *
 * A message without AR saves an ACK if a later message brings one, and is safe
 * if else a tail probe asks for it. But not every endpoint answers probes:
 * there only a timeout would get a lone short message acknowledged. So each
 * peer gets a probe of its own after its first answer, and until one is
 * answered messages end with AR (see "Rules of this module" in
 * uet-rules.rst). A refusal is not believed for ever: the NACK may be forged, or
 * of a host that has started anew since with another implementation.
 */
#include <linux/jiffies.h>
#include <linux/skbuff.h>

#include "link/encap.h"
#include "link/habits.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/pds/half.h"

/* First interval and largest back-off exponent of probes without an answer */
#define UET_HABIT_ASK		HZ
#define UET_HABIT_BACKOFF_MAX	6
/* Interval of probes to a peer that refused one */
#define UET_HABIT_AGAIN		(16 * HZ)

/**
 * uet_habit_probe() - test whether a peer answers probes
 * @pdc: a PDC that was answered
 * @ev: entropy value
 *
 * Context: softirq, flow lock held.
 * Return: a probe, to be sent after the lock; NULL if the answer is known or a
 * probe was sent lately.
 */
struct sk_buff *uet_habit_probe(struct uet_pdc *pdc, u16 ev)
{
	struct uet_habits *h = &pdc->peer->habits;
	struct uet_cp cp = {
		.payload	= pdc->tx->snd.win.una,
		.probe_opaque	= UET_PROBE_HABIT,
	};
	struct sk_buff_head list;
	u8 asked = READ_ONCE(h->asked);

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (uet_habit_probes_known(h) ||
	    pdc->tx->snd.state != UET_PDC_ESTABLISHED)
		return NULL;
	/* Racy between flows of a peer: one probe more does no harm. */
	if (asked && time_before(jiffies, READ_ONCE(h->ask_at)))
		return NULL;
	__skb_queue_head_init(&list);
	if (uet_cp_queue(pdc, &list, &cp, UET_CTL_PROBE, UET_F_AR, ev))
		return NULL;
	WRITE_ONCE(h->ask_at, jiffies + (UET_HABIT_ASK <<
					 min_t(u8, asked, UET_HABIT_BACKOFF_MAX)));
	if (asked < U8_MAX)
		WRITE_ONCE(h->asked, asked + 1);
	pdc->tx->snd.asked = true;
	UET_INC(pdc->un, PROBES);
	return __skb_dequeue(&list);
}

/**
 * uet_habit_refused() - a peer NACKed a probe
 * @h: its habits
 *
 * Context: any.
 */
void uet_habit_refused(struct uet_habits *h)
{
	/* A rule says more than a packet. */
	if (READ_ONCE(h->ruled))
		return;
	WRITE_ONCE(h->probes, UET_PROBES_NACKED);
	WRITE_ONCE(h->ask_at, jiffies + UET_HABIT_AGAIN);
}

/**
 * uet_habit_answered() - a peer answered a probe
 * @h: its habits
 *
 * Context: any.
 */
void uet_habit_answered(struct uet_habits *h)
{
	if (unlikely(READ_ONCE(h->probes) != UET_PROBES_ANSWERED) &&
	    !READ_ONCE(h->ruled))
		WRITE_ONCE(h->probes, UET_PROBES_ANSWERED);
}
