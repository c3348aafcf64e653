// SPDX-License-Identifier: GPL-2.0
/*
 * The port of a source: it sends one packet after the other, takes a few in advance, and
 * at times has no room for one that it was given. Control packets do not wait.
 */
#include "../../net/uet/core/snd/snd_loss.h"
#include "../../net/uet/core/snd/snd_queue.h"
#include "pair.h"

/* Time of packets that the port takes in advance */
#define AHEAD_NS		10000
#define BITS_PER_BYTE_NS	8000	/* per Mbit/s */
/* Silence of the target after which a drop no longer counts as a loss at once */
#define DROP_HEARD_NS		1000000000ULL

uint64_t port_free(const struct pair_host *h)
{
	return max_t(uint64_t, h->port_free, h->pair->now);
}

uint64_t port_wait(const struct pair_host *h)
{
	return h->port_free > h->pair->now + AHEAD_NS ?
	       h->port_free - AHEAD_NS : 0;
}

uint32_t port_takes(const struct pair_host *h, uint32_t size)
{
	const struct pair_case *c = h->pair->c;

	return c->mbps ? (uint32_t)((uint64_t)size * BITS_PER_BYTE_NS / c->mbps) : 0;
}

uint64_t port_departs(struct pair_host *h, uint32_t size)
{
	if (!h->pair->c->mbps)
		return h->pair->now;
	h->port_free = port_free(h) + port_takes(h, size);
	return h->port_free;
}

void port_dropped(struct pair_tx *tx, uint32_t psn, uint32_t n)
{
	uint64_t now = tx->host->pair->now;
	struct uet_ccc_loss loss;

	if (now >= tx->s.heard + DROP_HEARD_NS)
		return;
	pair_trace(tx->host, "PDC %u: the port drops %u from %u on", tx->id, n, psn);
	for (; n; n--, psn++)
		if (uet_snd_lost(&tx->s, psn, UET_LOSS_LOCAL, now, &loss))
			uet_ccc_on_inferred_loss(&tx->host->ccc, &loss);
	uet_snd_ready(&tx->s);
}
