// SPDX-License-Identifier: GPL-2.0
/*
 * ACKs that wait for the end of a poll.
 *
 * An ACK costs about as much as a packet. Packets that came in a burst are handled in
 * one poll of their device, and of the ACKs that become due there by the number of
 * bytes alone (UE 1.0 3.5.12) the last one says what the others say. So such an ACK
 * waits until the poll has ended, but for %UET_ACK_BURST_TRIGGERS triggers at most.
 * Nothing waits for packets that are not here yet.
 *
 * A poll has no callback for its end. But NAPI instances take turns: one that is
 * scheduled in a poll comes after it.
 *
 * Not here: when an ACK is due (rx/pds/request.c).
 */
#include <linux/llist.h>
#include <linux/percpu.h>

#include "link/bh.h"
#include "link/encap.h"
#include "link/peer.h"
#include "pdc/pdc.h"
#include "rx/ses/pressure.h"
#include "rx/pds/half.h"

/**
 * struct uet_ack_list - PDCs that wait for the end of a poll of a CPU
 * @pdcs: struct uet_ack_late of them
 * @bh: sends their ACKs
 */
struct uet_ack_list {
	struct llist_head	pdcs;
	struct uet_bh		bh;
};

static DEFINE_PER_CPU(struct uet_ack_list, uet_ack_lists);

/**
 * uet_ack_may_wait() - may an ACK that is due by bytes wait for the end of the poll?
 * @pdc: the PDC
 * @rx: the packet for which it is due
 *
 * An ACK that tells of pressure is not delayed, nor one that would wait for nothing.
 *
 * Context: softirq, rx.lock held.
 * Return: true if so; then uet_ack_wait() may follow.
 */
bool uet_ack_may_wait(struct uet_pdc *pdc, const struct uet_rx_ctx *rx)
{
	lockdep_assert_held(&pdc->rx->lock);
	return READ_ONCE(pdc->un->sysctl.ack_coalesce) &&
	       uet_cpu_may_have_more(rx) &&
	       (pdc->rx->late_due || !uet_pressure_untold(pdc, rx));
}

/**
 * uet_ack_wait() - let an ACK wait for the end of the poll
 * @pdc: the PDC
 * @rx: the packet that it answers, a request with a SES header; later ones take its
 *	place
 * @psn: its PSN
 *
 * Context: softirq, rx.lock held.
 */
void uet_ack_wait(struct uet_pdc *pdc, const struct uet_rx_ctx *rx, u32 psn)
{
	struct uet_pdc_rx *r = pdc->rx;
	struct uet_ack_late *late = &r->late;
	struct uet_ack_list *list;

	lockdep_assert_held(&r->lock);
	r->late_due = true;
	late->psn = psn;
	late->ev = rx->ev;
	late->msg_id = rx->pkt->ses.msg_id;
	late->arrived = rx->arrived;
	if (r->late_listed)
		return;
	r->late_listed = true;
	refcount_inc(&pdc->ref);
	list = this_cpu_ptr(&uet_ack_lists);
	llist_add(&late->node, &list->pdcs);
	uet_bh_schedule(&list->bh);
}

static struct sk_buff *uet_ack_late_make(struct uet_pdc *pdc)
{
	const struct uet_ack_late *late = &pdc->rx->late;
	struct uet_pkt pkt = {};
	struct uet_rx_ctx rx = {
		.un = pdc->un, .pkt = &pkt, .ev = late->ev,
		.arrived = late->arrived,
	};

	return uet_pdc_stored_answer(pdc, &rx, late->psn, late->msg_id);
}

static void uet_ack_late_send(struct uet_pdc *pdc)
{
	struct uet_pdc_rx *r = pdc->rx;
	struct sk_buff *ack = NULL;

	spin_lock(&r->lock);
	r->late_listed = false;
	if (r->late_due && r->state != UET_PDC_DEAD) {
		r->late_due = false;
		r->ack_count = 0;
		ack = uet_ack_late_make(pdc);
	}
	spin_unlock(&r->lock);
	if (ack)
		uet_output_answer(pdc->peer, ack);
	uet_pdc_put(pdc);
}

static int uet_ack_late_poll(struct napi_struct *napi, int budget)
{
	struct uet_ack_list *list = container_of(napi, struct uet_ack_list,
						 bh.napi);
	struct llist_node *first = llist_del_all(&list->pdcs);
	struct uet_pdc_rx *r, *next;
	int done = 0;

	/* As many as have come in some polls, whose budget bounds them */
	llist_for_each_entry_safe(r, next, first, late.node) {
		uet_ack_late_send(r->pdc);
		done++;
	}
	done = min(done, budget - 1);
	napi_complete_done(napi, max(done, 0));
	return max(done, 0);
}

/**
 * uet_ack_late_init() - prepare the lists
 *
 * Context: when the module is loaded.
 */
void uet_ack_late_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		init_llist_head(&per_cpu_ptr(&uet_ack_lists, cpu)->pdcs);
	uet_bh_add(&uet_ack_lists.bh, uet_ack_late_poll);
}

/**
 * uet_ack_late_exit() - remove the lists, which are empty: there is no PDC any more
 *
 * Context: process.
 */
void uet_ack_late_exit(void)
{
	uet_bh_del(&uet_ack_lists.bh);
}
