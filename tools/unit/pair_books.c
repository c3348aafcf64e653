// SPDX-License-Identifier: GPL-2.0
/*
 * The counters that the sender keeps, against a recount: of the scoreboard, of the
 * queues, and of congestion control, which must have what all senders have together.
 */
#include "pair.h"

/* What a recount of a scoreboard finds, by the names of struct uet_txwin */
struct recount {
	uint32_t sacked, marked, held;
	uint32_t flight_pkts, marked_pkts;
	uint64_t flight_bytes, marked_bytes;
};

static void expect(struct pair_host *h, const char *what, uint64_t is,
		   uint64_t counted)
{
	if (is == counted)
		return;
	pair_trace(h, "%s: %llu, recounted %llu", what, (unsigned long long)is,
		   (unsigned long long)counted);
	pair_fail(h->pair, what, (uint32_t)is);
}

static void recount_psn(const struct uet_txwin *w, uint32_t psn,
			struct recount *n)
{
	const struct uet_tx_slot *slot = uet_txwin_slot(w, psn);
	bool cp = slot->flags & UET_TX_CP;

	n->held += uet_txwin_is_held(w, psn);
	if (uet_txwin_is_sacked(w, psn)) {
		n->sacked++;
	} else if (uet_txwin_is_marked(w, psn)) {
		n->marked++;
		n->marked_pkts += !cp;
		n->marked_bytes += cp ? 0 : slot->size;
	} else if (!cp) {
		n->flight_pkts++;
		n->flight_bytes += slot->size;
	}
}

/* What must not be, whatever the counters say */
static const char *psn_wrong(const struct uet_txwin *w, uint32_t psn)
{
	bool marked = uet_txwin_is_marked(w, psn);
	bool held = uet_txwin_is_held(w, psn);

	if (uet_txwin_is_sacked(w, psn) && (marked || held))
		return "a packet that arrived is to be resent";
	if (uet_txwin_is_answered(w, psn) && !uet_txwin_is_sacked(w, psn))
		return "a packet is answered that did not arrive";
	if (marked && !held && psn_before(psn, w->ring->mark_from))
		return "a packet to be resent is overlooked";
	if (uet_txwin_is_sacked(w, psn) && psn_after(psn, w->ring->high_sacked))
		return "a packet arrived above the highest one";
	return NULL;
}

static void books_win(struct pair_tx *tx, struct recount *n)
{
	const struct uet_txwin *w = &tx->s.win;
	struct pair_host *h = tx->host;
	const char *wrong;
	uint32_t psn;

	*n = (struct recount) {};
	for (psn = w->una; psn != w->next; psn++) {
		recount_psn(w, psn, n);
		wrong = psn_wrong(w, psn);
		if (wrong)
			pair_fail(h->pair, wrong, psn);
	}
	expect(h, "books: nr_sacked", w->ring->nr_sacked, n->sacked);
	expect(h, "books: nr_marked", w->ring->nr_marked, n->marked);
	expect(h, "books: nr_held", w->nr_held, n->held);
	expect(h, "books: flight_pkts", w->ring->flight_pkts, n->flight_pkts);
	expect(h, "books: flight_bytes", w->ring->flight_bytes, n->flight_bytes);
	expect(h, "books: marked_pkts", w->ring->marked_pkts, n->marked_pkts);
	expect(h, "books: marked_bytes", w->ring->marked_bytes, n->marked_bytes);
}

static uint32_t list_len(const struct list_head *list)
{
	const struct list_head *at;
	uint32_t n = 0;

	for (at = list->next; at != list; at = at->next)
		n++;
	return n;
}

/* The queues of a sender; adds their backlog. */
static void books_queues(struct pair_tx *tx, uint64_t *backlog)
{
	struct pair_host *h = tx->host;
	uint32_t msgs = 0, begun = 0, i;
	struct uet_snd_msg *m;

	for (i = 0; i < PAIR_QUEUES; i++) {
		struct uet_snd_queue *q = &h->queue[i].q;
		uint32_t waiting = list_len(&q->msgs), sent = list_len(&q->sent);

		if (h->queue[i].tx != tx)
			continue;
		expect(h, "books: messages of a queue", q->unfinished,
		       waiting + sent);
		msgs += waiting + sent;
		begun += sent;
		list_for_each_entry(m, &q->msgs, node) {
			*backlog += m->backlog;
			begun += m->state != UET_MSG_QUEUED;
		}
	}
	expect(h, "books: messages of a PDC", tx->s.nr_msgs, msgs);
	expect(h, "books: begun messages", list_len(&tx->s.begun), begun);
}

static void books_lanes(struct pair_tx *tx)
{
	struct uet_snd_lane *lane;
	uint32_t stalled = 0;

	list_for_each_entry(lane, &tx->s.lanes, node)
		stalled += lane->stalled;
	expect(tx->host, "books: lanes that stall", tx->s.lanes_stalled, stalled);
}

void books_check(struct pair_host *h)
{
	uint64_t backlog = 0, marked_bytes = 0;
	uint32_t flight = 0, marked = 0, i;
	const struct uet_ccc *c = &h->ccc;
	struct recount n;

	for (i = 0; i < h->nr_tx; i++) {
		struct pair_tx *tx = h->tx[i];

		if (tx->reaped)
			continue;
		books_win(tx, &n);
		flight += n.flight_pkts;
		marked += n.marked_pkts;
		marked_bytes += n.marked_bytes;
		books_queues(tx, &backlog);
		books_lanes(tx);
	}
	expect(h, "books: inflight_pkts", c->inflight_pkts, flight);
	expect(h, "books: waiting_rtx", c->waiting_rtx, marked);
	expect(h, "books: rtx_backlog", c->rtx_backlog, marked_bytes);
	expect(h, "books: backlog", c->backlog, backlog);
	expect(h, "books: imbalance", c->stats.imbalance, 0);
}
