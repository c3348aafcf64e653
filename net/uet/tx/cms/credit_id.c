// SPDX-License-Identifier: GPL-2.0
/*
 * CCCs with receiver credit: ids by which a destination tells those of a peer apart, and
 * how many have data (UE 1.0 3.6.14).
 *
 * Not here: requests for credit (tx/pds/credit.c).
 */
#include <linux/bitmap.h>

#include "link/peer.h"
#include "tx/cms/credit_id.h"
#include "tx/cms/flow.h"

/**
 * uet_credit_id_take() - allocate a ccc_id for a new CCC
 * @peer: both FEPs
 *
 * Ids are allocated round robin: the peer may still have state of the last CCC
 * with the same id.
 *
 * Context: any.
 * Return: the id, or -ENOBUFS.
 */
int uet_credit_id_take(struct uet_peer *peer)
{
	int id;

	spin_lock_bh(&peer->lock);
	id = find_next_zero_bit(peer->ccc_ids, UET_CCC_IDS, peer->next_ccc_id);
	if (id >= UET_CCC_IDS)
		id = find_first_zero_bit(peer->ccc_ids, UET_CCC_IDS);
	if (id < UET_CCC_IDS) {
		__set_bit(id, peer->ccc_ids);
		peer->next_ccc_id = (id + 1) % UET_CCC_IDS;
	} else {
		id = -ENOBUFS;
	}
	spin_unlock_bh(&peer->lock);
	return id;
}

/**
 * uet_credit_id_give() - release a ccc_id
 * @peer: both FEPs
 * @id: its id
 *
 * Context: any.
 */
void uet_credit_id_give(struct uet_peer *peer, int id)
{
	spin_lock_bh(&peer->lock);
	__clear_bit(id, peer->ccc_ids);
	spin_unlock_bh(&peer->lock);
}

/**
 * uet_credit_count() - note whether a CCC has data, and how many have
 * @flow: the flow, which uses credit
 * @sending: it has data
 *
 * CCCs with data share what the interface can take.
 *
 * Context: flow lock held, or the flow is about to be freed.
 */
void uet_credit_count(struct uet_flow *flow, bool sending)
{
	atomic_t *senders = &flow->peer->fep->un->credit_senders;

	if (sending != flow->credit_sending) {
		flow->credit_sending = sending;
		atomic_add(sending ? 1 : -1, senders);
	}
	flow->ccc.credit_senders = atomic_read(senders);
}

/**
 * uet_credit_id_gone() - release the credit state of a flow
 * @flow: the flow, about to be freed
 *
 * Context: any.
 */
void uet_credit_id_gone(struct uet_flow *flow)
{
	if (!flow->ccc.algo->credit)
		return;
	uet_credit_count(flow, false);
	uet_credit_id_give(flow->peer, flow->ccc_id);
}
