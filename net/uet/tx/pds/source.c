// SPDX-License-Identifier: GPL-2.0
/*
 * PDCs whose local address is not to be used any more. Without a better one they wait for
 * it to come back, as long as for a silent peer. With one they are left: what was not
 * sent moves, what may have arrived fails, as when a peer starts anew (tx/queue/salvage.c).
 *
 * An address that is still good is left once the queue is empty, see uet_pdc_astray().
 *
 * What routes and addresses say of a peer is looked up anew here when they have changed.
 *
 * Not here: what is known of the address (link/source.c), ports (tx/cms/flow_ports.c).
 */
#include <linux/sched.h>

#include "link/peer.h"
#include "link/source.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/half.h"

/* May its queues choose another local address? One is enough. */
static bool uet_pdc_may_leave(const struct uet_pdc *pdc)
{
	const struct uet_dest *dest;

	lockdep_assert_held(&pdc->tx->flow->lock);
	list_for_each_entry(dest, &pdc->tx->dests, pdc_node)
		if (ipv6_addr_any(&dest->key.laddr))
			return true;
	return list_empty(&pdc->tx->dests);
}

/* End the sending half of a PDC if its address is away, or if nothing can come back to
 * that and nothing ever did.
 */
static void uet_pdc_leave(struct uet_pdc *pdc, bool away)
{
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_flow *flow = tx->flow;

	spin_lock_bh(&flow->lock);
	if (tx->snd.state != UET_PDC_DEAD && uet_pdc_may_leave(pdc) &&
	    (away || (tx->snd.state == UET_PDC_SYN &&
		      uet_source_narrow(&pdc->peer->key)))) {
		tx->movable = true;
		uet_pdc_fail(pdc, tx->snd.nr_msgs ? EADDRNOTAVAIL : 0,
			     UET_REPORT_LOCAL, 0);
	}
	spin_unlock_bh(&flow->lock);
}

/* The next PDC with a sending half that is not dead, with a reference; from the first one
 * if @pdc is NULL or was reaped. Only those of the peer are looked at: when an address goes,
 * this is done for each peer that it had.
 */
static struct uet_pdc *uet_pdc_leave_next(struct uet_peer *peer, struct uet_pdc *pdc)
{
	struct uet_pdc_tx *tx;

	spin_lock_bh(&peer->lock);
	if (pdc && !list_empty(&pdc->tx->peer_node))
		tx = pdc->tx;
	else
		tx = list_entry(&peer->tx_halves, struct uet_pdc_tx, peer_node);
	pdc = NULL;
	list_for_each_entry_continue(tx, &peer->tx_halves, peer_node) {
		if (READ_ONCE(tx->snd.state) == UET_PDC_DEAD)
			continue;
		pdc = tx->pdc;
		refcount_inc(&pdc->ref);
		break;
	}
	spin_unlock_bh(&peer->lock);
	return pdc;
}

/* Look for a better local address for a peer, and leave a bad one. */
static void uet_flow_source(struct uet_peer *peer)
{
	struct uet_fep *fep = peer->fep;
	struct uet_peer_key key = peer->key;
	enum uet_source_choice choice;
	struct uet_pdc *pdc, *next;
	bool stray, away;

	key.laddr = in6addr_any;
	stray = !uet_source_choose(fep->un, &key, &choice) &&
		choice == UET_CHOICE_GOOD &&
		!ipv6_addr_equal(&key.laddr, &peer->key.laddr);
	WRITE_ONCE(peer->stray, stray);
	if (!stray)
		return;
	/* It may be back since this was queued. */
	away = uet_source_look(peer);
	if (!away && !uet_source_narrow(&peer->key))
		return;
	for (pdc = uet_pdc_leave_next(peer, NULL); pdc; pdc = next) {
		next = uet_pdc_leave_next(peer, pdc);
		uet_pdc_leave(pdc, away);
		uet_pdc_put(pdc);
		cond_resched();
	}
}

static void uet_flow_source_work(struct work_struct *work)
{
	struct uet_net *un = container_of(work, struct uet_net, ports_work);
	struct llist_node *list = llist_del_all(&un->ports_todo);
	struct uet_peer *peer, *next;

	/* A route change concerns all peers: let PDCs be opened in between */
	llist_for_each_entry_safe(peer, next, list, ports_node) {
		clear_bit(0, &peer->ports_queued);
		mutex_lock(&un->open_mutex);
		if (!READ_ONCE(un->exiting))
			uet_flow_ports(peer);
		mutex_unlock(&un->open_mutex);
		if (!READ_ONCE(un->exiting))
			uet_flow_source(peer);
		uet_peer_put(peer);
		cond_resched();
	}
}

/**
 * uet_flow_source_init() - prepare the work item that looks at routes and addresses
 * @un: namespace; uet_ports_exit() undoes it
 */
void uet_flow_source_init(struct uet_net *un)
{
	init_llist_head(&un->ports_todo);
	INIT_WORK(&un->ports_work, uet_flow_source_work);
}
