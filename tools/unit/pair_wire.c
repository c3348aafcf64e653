// SPDX-License-Identifier: GPL-2.0
/*
 * The wire: loses, doubles, delays, marks, trims and damages packets. A damaged
 * one is dropped, as if the checksum had found it, after the parser has seen it.
 */
#include <string.h>

#include "../../net/uet/tests/pkt_build.h"
#include "pair.h"

static struct pair_packet *packet_alloc(struct pair *p)
{
	struct pair_packet *pk = p->pool;

	if (pk)
		p->pool = pk->next;
	else
		pk = malloc(sizeof(*pk));
	return pk;
}

void pair_free(struct pair *p, struct pair_packet *pk)
{
	pk->next = p->pool;
	p->pool = pk;
}

static void packet_queue(struct pair *p, struct pair_packet *pk)
{
	struct pair_packet **at = &p->wire;

	while (*at && (*at)->at <= pk->at)
		at = &(*at)->next;
	pk->next = *at;
	*at = pk;
}

/* When a packet that departs now arrives; most paths keep packets in order. */
static uint64_t arrival(struct pair *p, const struct pair_host *to, uint16_t ev,
			uint64_t departs)
{
	uint64_t *latest = &p->arrived[to->nr][ev % PAIR_PATHS];
	/* Paths differ; a queue comes on top. */
	uint64_t at = departs + p->base + (ev % 7) * p->base / 20 +
		      rnd_below(&p->rnd, (uint32_t)p->base / 4 + 1);

	if (chance(p, p->c->late))
		return at + rnd_below(&p->rnd, (uint32_t)p->base * 40);
	if (!p->c->jumble)
		at = max_t(uint64_t, at, *latest);
	*latest = at;
	return at;
}

void pair_send(struct pair *p, struct pair_host *to, const struct uet_pkt *pkt,
	       uint32_t payload, uint16_t ev, uint64_t departs)
{
	int copies = chance(p, p->c->dup) ? 2 : 1;
	struct pair_packet *pk;

	p->total.packets++;
	while (copies--) {
		if (p->now < p->dark_until || chance(p, p->c->loss))
			continue;
		pk = packet_alloc(p);
		memset(pk, 0, sizeof(*pk));
		pk->to = to;
		pk->ev = ev;
		pk->payload = payload;
		pk->run = p->run;
		pk->len = pkt_build(pk->bytes, pkt);
		if (!pk->len) {
			pair_fail(p, "a packet cannot be built", pkt->type);
			pair_free(p, pk);
			return;
		}
		pk->ce = departs && chance(p, p->c->mark);
		pk->trimmed = departs && payload && chance(p, p->c->trim);
		if (chance(p, p->c->corrupt)) {
			struct uet_pkt junk;

			pk->bytes[rnd_below(&p->rnd, pk->len)] ^=
				1 << rnd_below(&p->rnd, 8);
			uet_pkt_parse(&junk, pk->bytes, pk->len,
				      pk->len + payload);
			pair_free(p, pk);
			continue;
		}
		pk->at = arrival(p, to, ev, departs ?: p->now);
		packet_queue(p, pk);
	}
}

struct pair_packet *pair_arrives(struct pair *p)
{
	struct pair_packet *pk = p->wire;

	if (!pk || pk->at > p->now)
		return NULL;
	p->wire = pk->next;
	return pk;
}

void pair_wire_end(struct pair *p)
{
	struct pair_packet *pk;

	while ((pk = p->wire)) {
		p->wire = pk->next;
		free(pk);
	}
	while ((pk = p->pool)) {
		p->pool = pk->next;
		free(pk);
	}
}
