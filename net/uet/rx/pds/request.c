// SPDX-License-Identifier: GPL-2.0
/*
 * Requests at the destination (UE 1.0 3.5.11, 3.5.12): receive window,
 * duplicates, order, guaranteed responses, when an ACK is due, and the wake-up of
 * sources after a shortage.
 *
 * Not here: what a request means (rx/ses/ses.c), how answers are built (rx/pds/answer.c), and
 * the memory of what comes early on an ordered PDC (rx/pds/early.c).
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "core/snd/ackreq.h"
#include "core/wire/rcvd.h"
#include "link/encap.h"
#include "link/peer.h"
#include "link/peer_profile.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "rx/cms/credit.h"
#include "rx/cms/tfc.h"
#include "rx/pds/half.h"
#include "rx/ses/defer.h"
#include "rx/ses/rxmsg.h"
#include "rx/ses/ses.h"
#include "sock.h"

/* PDCs woken at a time */
#define UET_RX_TOLD	16

/* NACKs for shortage in a row to a source that may count them */
#define UET_SHORT_NACKS_MAX	4

/**
 * struct uet_gtd - a guaranteed response, kept until the source clears it
 * @node: in uet_pdc_rx.gtd, by PSN
 * @psn: PSN of the request that it answers
 * @rsp: the response
 */
struct uet_gtd {
	struct rb_node		node;
	u32			psn;
	struct uet_ses_rsp	rsp;
};

/* The default response: to a success or a duplicate */
static void uet_default_rsp(struct uet_ses_rsp *rsp, const struct uet_pkt *pkt,
			    u8 code)
{
	*rsp = (struct uet_ses_rsp){
		.opcode	= UET_RSP_OP_DEFAULT,
		.code	= code,
	};
	/* A request without a SES request names no message. */
	if (likely(uet_pkt_has_ses_req(pkt))) {
		rsp->msg_id = pkt->ses.msg_id;
		rsp->job = pkt->ses.job;
	}
}

/**
 * uet_pdc_keeps() - does a PDC keep this packet until those before have come?
 * @pdc: the PDC
 * @psn: PSN in the window
 *
 * Context: rx.lock held.
 * Return: true if so: it was received, but SES does not know of it.
 */
bool uet_pdc_keeps(const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_rxmap *map = &pdc->rx->map;

	lockdep_assert_held(&pdc->rx->lock);
	return unlikely(pdc->rx->nr_early) && psn_after(psn, map->edge) &&
	       uet_rxmap_received(map, psn);
}

/**
 * uet_pdc_send_answers() - send the answers to a packet
 * @pdc: the PDC
 * @answers: of uet_answers_join(), or NULL
 *
 * Context: BH disabled, no lock held.
 */
void uet_pdc_send_answers(struct uet_pdc *pdc, struct sk_buff *answers)
{
	struct sk_buff *skb = answers, *next;

	for (; skb; skb = next) {
		next = skb->next;
		skb_mark_not_on_list(skb);
		uet_output_answer(pdc->peer, skb);
	}
}

static struct uet_gtd *uet_gtd_of(const struct rb_node *n)
{
	return rb_entry(n, struct uet_gtd, node);
}

/* The one with the lowest PSN, or NULL */
static struct uet_gtd *uet_gtd_first(const struct uet_pdc_rx *rx)
{
	struct rb_node *n = rb_first(&rx->gtd);

	return n ? uet_gtd_of(n) : NULL;
}

static struct uet_gtd *uet_gtd_find(struct uet_pdc *pdc, u32 psn)
{
	struct rb_node *n = pdc->rx->gtd.rb_node;
	struct uet_gtd *g;

	while (n) {
		g = uet_gtd_of(n);
		if (g->psn == psn)
			return g;
		n = psn_before(psn, g->psn) ? n->rb_left : n->rb_right;
	}
	return NULL;
}

static bool uet_gtd_before(struct rb_node *a, const struct rb_node *b)
{
	return psn_before(uet_gtd_of(a)->psn, uet_gtd_of(b)->psn);
}

/* Keep a guaranteed response; CACK stops below the first one kept. */
static struct uet_gtd *uet_gtd_add(struct uet_pdc *pdc,
				   const struct uet_pkt *pkt, u8 code)
{
	struct uet_gtd *g;

	if (!uet_rxmap_may_hold(&pdc->rx->map, pkt->req.psn, pdc->rx->nr_gtd,
				UET_GTD_MAX))
		return NULL;
	g = kmalloc(sizeof(*g), GFP_ATOMIC | __GFP_NOWARN);
	if (!g)
		return NULL;
	g->psn = pkt->req.psn;
	uet_default_rsp(&g->rsp, pkt, code);
	g->rsp.opcode = UET_RSP_OP_RESPONSE;
	rb_add(&g->node, &pdc->rx->gtd, uet_gtd_before);
	pdc->rx->nr_gtd++;
	uet_rxmap_set_hold(&pdc->rx->map, uet_gtd_first(pdc->rx)->psn);
	uet_pdc_want_clear(pdc, ktime_get_ns());
	return g;
}

static void uet_gtd_del(struct uet_pdc_rx *rx, struct uet_gtd *g)
{
	rb_erase(&g->node, &rx->gtd);
	kfree(g);
	rx->nr_gtd--;
}

/**
 * uet_pdc_cleared() - free the guaranteed responses up to a PSN
 * @pdc: the PDC
 * @clear_psn: from a request or CLEAR_CMD
 *
 * Context: softirq, rx.lock held.
 * Return: false if it clears what was not received.
 */
bool uet_pdc_cleared(struct uet_pdc *pdc, u32 clear_psn)
{
	struct uet_pdc_rx *rx = pdc->rx;
	struct uet_gtd *g;

	lockdep_assert_held(&pdc->rx->lock);
	/* What is kept has no response yet. */
	if (unlikely(rx->nr_early) &&
	    psn_between(clear_psn, rx->map.edge, rx->map.highest))
		clear_psn = rx->map.edge;
	switch (uet_rxmap_clear(&rx->map, clear_psn)) {
	case UET_CLEAR_BAD:
		return false;
	case UET_CLEAR_OLD:
		return true;
	case UET_CLEAR_NEW:
		break;
	}
	if (!rx->nr_gtd)
		return true;
	while ((g = uet_gtd_first(rx)) && !psn_after(g->psn, clear_psn))
		uet_gtd_del(rx, g);
	if (g)
		uet_rxmap_set_hold(&rx->map, g->psn);
	else
		uet_rxmap_drop_hold(&rx->map);
	uet_ses_cack(pdc, rx->map.cack);
	return true;
}

/**
 * uet_pdc_drop_gtd() - free all guaranteed responses of a dead PDC
 * @pdc: the PDC
 *
 * Context: rx.lock held.
 */
void uet_pdc_drop_gtd(struct uet_pdc *pdc)
{
	struct uet_gtd *g;

	lockdep_assert_held(&pdc->rx->lock);
	while ((g = uet_gtd_first(pdc->rx)))
		uet_gtd_del(pdc->rx, g);
}

/* The answer to a packet that is kept. Its own response is still to come, and its source
 * is told so: some sources wait for a response to each packet, and send nothing behind one
 * that has none.
 */
static struct sk_buff *uet_pdc_ack_kept(struct uet_pdc *pdc,
					const struct uet_rx_ctx *rx, u32 psn)
{
	struct uet_ses_rsp rsp;

	uet_default_rsp(&rsp, rx->pkt, UET_RC_NULL);
	rsp.opcode = UET_RSP_OP_NO_RESPONSE;
	return uet_ack_make(pdc, rx, psn, 0, &rsp);
}

/*
 * A duplicate: always answer again, with UET_F_RETX or without, since the first
 * answer may be lost.
 */
static struct sk_buff *uet_pdc_dup(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	const struct uet_gtd *g = uet_gtd_find(pdc, rx->pkt->req.psn);
	struct uet_ses_rsp rsp;

	rx->drop = UET_DROP_DUP;
	if (unlikely(uet_pdc_keeps(pdc, rx->pkt->req.psn)))
		return uet_pdc_ack_kept(pdc, rx, rx->pkt->req.psn);
	if (g)
		return uet_ack_make(pdc, rx, g->psn, UET_F_REQ_CLEAR, &g->rsp);
	uet_default_rsp(&rsp, rx->pkt, UET_RC_NULL);
	return uet_ack_make(pdc, rx, rx->pkt->req.psn, 0, &rsp);
}

/**
 * uet_pdc_stored_answer() - answer for a PSN that was already received
 * @pdc: the PDC
 * @rx: the ACK_REQ, or what a switch left of a duplicate
 * @psn: the PSN
 * @msg_id: id of its message, 0 if not known
 *
 * Context: softirq, rx.lock held.
 * Return: an ACK with the guaranteed response, else with the default one: some
 * sources ask until they have a response for each packet. One that is kept has
 * NO_RESPONSE.
 */
struct sk_buff *uet_pdc_stored_answer(struct uet_pdc *pdc,
				      struct uet_rx_ctx *rx, u32 psn,
				      u16 msg_id)
{
	const struct uet_gtd *g = uet_gtd_find(pdc, psn);
	struct uet_ses_rsp rsp = {
		.opcode	= UET_RSP_OP_DEFAULT,
		.code	= UET_RC_OK,
		.msg_id	= msg_id,
		.job	= pdc->job,
	};

	lockdep_assert_held(&pdc->rx->lock);
	if (unlikely(uet_pdc_keeps(pdc, psn))) {
		rsp.opcode = UET_RSP_OP_NO_RESPONSE;
		rsp.code = UET_RC_NULL;
	}
	return uet_ack_make(pdc, rx, psn, g ? UET_F_REQ_CLEAR : 0,
			    g ? &g->rsp : &rsp);
}

/**
 * struct uet_arrival - what was just accepted: a packet, or a run of them
 * @psn: PSN of the last packet
 * @bytes: what counts for ACK_GEN_COUNT
 * @run: it is a run
 * @ar: the last packet asks for an ACK
 * @due: an ACK is due in any case
 * @advanced: by how many PSNs it moved CACK
 */
struct uet_arrival {
	u32	psn;
	u32	bytes;
	bool	run;
	bool	ar;
	bool	due;
	u32	advanced;
};

/* Bytes after which an ACK is sent (UE 1.0 3.5.12) */
static u32 uet_pdc_ack_trigger(const struct uet_sysctl *s,
			       const struct uet_arrival *a)
{
	u32 trigger = READ_ONCE(s->ack_gen_trigger);

	return a->run ? uet_ackreq_run_trigger(trigger, a->bytes) : trigger;
}

/* May an ACK of a single packet that is due by bytes wait for more of the same burst? */
static noinline bool uet_pdc_ack_waits(struct uet_pdc *pdc,
				       const struct uet_rx_ctx *rx, u32 psn)
{
	u32 most = UET_ACK_BURST_TRIGGERS *
		   READ_ONCE(pdc->un->sysctl.ack_gen_trigger);

	if (pdc->rx->ack_count >= most || !uet_pkt_has_ses_req(rx->pkt) ||
	    !uet_ack_may_wait(pdc, rx))
		return false;
	uet_ack_wait(pdc, rx, psn);
	return true;
}

/* Is an ACK due (UE 1.0 3.5.12)? */
static __always_inline bool uet_pdc_ack_due(struct uet_pdc *pdc,
					    const struct uet_rx_ctx *rx,
					    const struct uet_arrival *a)
{
	const struct uet_sysctl *s = &pdc->un->sysctl;
	struct uet_pdc_rx *r = pdc->rx;
	bool due = a->due || a->ar;

	if (uet_profile_says(uet_peer_profile(pdc->peer),
			     UET_PROFILE_ACK_PER_PACKET,
			     READ_ONCE(s->ack_per_packet)) ||
	    (rx->ce && READ_ONCE(s->ack_on_ecn)))
		due = true;
	/* CACK has reached a packet with AR that had arrived above a hole. */
	if (r->ar_wait && a->advanced && !psn_after(r->ar_psn, r->map.cack)) {
		r->ar_wait = false;
		due = true;
	}
	if (a->ar && psn_after(a->psn, r->map.cack)) {
		if (!r->ar_wait || psn_after(a->psn, r->ar_psn))
			r->ar_psn = a->psn;
		r->ar_wait = true;
	}
	r->ack_count += a->bytes;
	if (!due && r->ack_count >= uet_pdc_ack_trigger(s, a))
		due = a->run || !uet_pdc_ack_waits(pdc, rx, a->psn);
	if (due) {
		r->ack_count = 0;
		r->late_due = false;
	}
	return due;
}

/* The first packet out of order needs a bitmap. */
static noinline bool uet_pdc_attach_map(struct uet_pdc *pdc)
{
	u32 nbits = uet_rxmap_nbits(pdc->rx->map.range);
	u64 *bits = kzalloc(nbits / 8, GFP_ATOMIC | __GFP_NOWARN);

	if (!bits)
		return false;
	kfree(uet_rxmap_attach(&pdc->rx->map, bits, nbits));
	return true;
}

/*
 * May a packet be NACKed for shortage? Always, if the source holds after such a
 * NACK. Other sources close the PDC after five of them, so they get at most
 * UET_SHORT_NACKS_MAX, at growing distances; in between their packets are dropped
 * as if lost. What ACKs tell them keeps that rare: rcvr_cwnd_pend (rx/ses/pressure.c) and
 * MP_RANGE (rx/pds/answer.c).
 */
static bool uet_pdc_tells_short(struct uet_pdc *pdc)
{
	u64 now, gap = (u64)NSEC_PER_USEC *
		       READ_ONCE(pdc->un->sysctl.rules.nack_retx_us);
	struct uet_pdc_rx *r = pdc->rx;

	if (likely(uet_peer_holds(pdc->peer)))
		return true;
	now = ktime_get_ns();
	if (r->short_nacks >= UET_SHORT_NACKS_MAX ||
	    (r->short_nacks && now < r->short_next))
		return false;
	gap = max(gap, READ_ONCE(pdc->peer->base_rtt));
	r->short_nacks++;
	r->short_next = now + (gap << (2 * r->short_nacks));
	return true;
}

/* NACK for shortage; remember the lowest such PSN for RCVR_INFER_LOSS. */
static noinline struct sk_buff *uet_pdc_short(struct uet_pdc *pdc,
					      struct uet_rx_ctx *rx, u8 code,
					      u32 psn)
{
	struct uet_pdc_rx *r = pdc->rx;

	rx->drop = UET_DROP_SHORTAGE;
	if (!r->nacked || psn_before(psn, r->nacked_psn))
		r->nacked_psn = psn;
	r->nacked_top = psn_max(uet_pdc_nacked_top(pdc), psn);
	r->nacked = true;
	if (unlikely(!uet_pdc_tells_short(pdc))) {
		UET_INC(rx->un, SHORT_UNSAID);
		return NULL;
	}
	return uet_nack_make(pdc, rx, code, psn, 0);
}

/* Record @n PSNs as received. */
static inline u32 uet_pdc_received(struct uet_pdc *pdc, u32 psn, u32 n)
{
	struct uet_pdc_rx *r = pdc->rx;
	u32 advanced;

	if (r->nacked && psn_between(r->nacked_psn, psn, psn + n - 1))
		r->nacked = false;
	WRITE_ONCE(r->moved, (u32)jiffies);
	/* What was kept behind the packet must not count as delivered with it. */
	if (pdc->rod && r->map.above && psn == uet_rxmap_expected(&r->map))
		advanced = uet_rxmap_deliver(&r->map, n);
	else
		advanced = uet_rxmap_set_run(&r->map, psn, n);
	/* What is taken beyond a refused packet is no progress of that one. */
	if (advanced)
		r->short_nacks = 0;
	return advanced;
}

/* What a packet counts for ACK_GEN_COUNT */
static u32 uet_pdc_ack_bytes(const struct uet_pdc *pdc, u32 len)
{
	return max(len, READ_ONCE(pdc->un->sysctl.rules.ack_gen_min_pkt_add));
}

/* Account for @n new requests; @bytes: of all, with UDP headers. Returns the
 * increase of CACK.
 */
static inline u32 uet_pdc_accepted(struct uet_pdc *pdc, u32 psn, u32 n, u32 bytes)
{
	struct uet_pdc_rx *r = pdc->rx;

	UET_ADD(pdc->un, RX_REQS, n);
	if (unlikely(pdc->initiator))
		uet_habit_returned(&pdc->peer->habits);
	if (psn != uet_rxmap_expected(&r->map))
		UET_ADD(pdc->un, RX_OOO, n);
	WRITE_ONCE(r->rcvd_bytes,
		   r->rcvd_bytes + bytes + n * UET_NOMINAL_ADD_BYTES);
	return uet_pdc_received(pdc, psn, n);
}

/* SES answers a packet by an error: keep the response. NULL, and a NACK in *code, if there
 * is no room for it
 */
static noinline struct uet_gtd *uet_gtd_keep(struct uet_pdc *pdc,
					     const struct uet_rx_ctx *rx, u8 *code)
{
	struct uet_gtd *g = uet_gtd_add(pdc, rx->pkt, *code);

	if (!g)
		*code = UET_NACK_NO_GTD_DEL_AVAIL;
	else if (*code == UET_RC_BAD_GENERATION)
		g->rsp.generation = rx->generation;
	return g;
}

/*
 * Deliver a packet to SES. If SES answers it by an error, *g is the response. False if
 * there is no room for the packet or its response: *code says which, as a NACK.
 */
static __always_inline bool uet_pdc_deliver(struct uet_pdc *pdc,
					    struct uet_rx_ctx *rx, u32 psn,
					    struct uet_gtd **g, u8 *code)
{
	struct uet_pdc_rx *r = pdc->rx;
	enum uet_ses_verdict verdict = uet_ses_request(pdc, rx, code);

	*g = NULL;
	if (likely(verdict == UET_SES_TAKEN)) {
		uet_rxshare_note(&r->share, rx->us, psn, r->map.range);
		rx->skb = NULL;
	} else if (verdict == UET_SES_ERROR) {
		*g = uet_gtd_keep(pdc, rx, code);
		if (!*g)
			return false;
	} else if (verdict == UET_SES_SHORT) {
		return false;
	}
	if (unlikely(rx->cells))
		uet_tfc_came(pdc, rx->cells);
	return true;
}

/*
 * Deliver the packets that were kept and are next now, at most a window of them. Each
 * was paid for when it came. *told gets the answers to those that fail. Where there is
 * no room, the rest stays and *code says why. Returns the increase of CACK.
 */
static noinline u32 uet_pdc_deliver_early(struct uet_pdc *pdc,
					  struct sk_buff **told, u8 *code)
{
	struct uet_pdc_rx *r = pdc->rx;
	struct uet_early *e;
	struct uet_gtd *g;
	u32 advanced = 0;

	while (uet_rxmap_due(&r->map)) {
		e = uet_early_open(pdc);
		g = NULL;
		if (e->rx.skb &&
		    !uet_pdc_deliver(pdc, &e->rx, e->psn, &g, code)) {
			uet_early_close(e);
			break;
		}
		advanced += uet_rxmap_deliver(&r->map, 1);
		if (unlikely(g))
			*told = uet_answers_join(uet_ack_make(pdc, &e->rx, e->psn,
							      UET_F_REQ_CLEAR,
							      &g->rsp), *told);
		uet_rx_done(&e->rx);
		uet_early_free(pdc, e);
	}
	return advanced;
}

/**
 * uet_pdc_retry_early() - deliver kept packets that had no room
 * @pdc: the PDC
 *
 * Context: BH disabled, RCU section, rx.lock held.
 * Return: answers to those that fail.
 */
struct sk_buff *uet_pdc_retry_early(struct uet_pdc *pdc)
{
	struct sk_buff *told = NULL;
	u8 code;

	lockdep_assert_held(&pdc->rx->lock);
	if (uet_pdc_deliver_early(pdc, &told, &code) && pdc->rx->nr_msgs)
		uet_ses_cack(pdc, pdc->rx->map.cack);
	return told;
}

/* An ACK with the default response */
static noinline struct sk_buff *uet_pdc_ack_ok(struct uet_pdc *pdc,
					       const struct uet_rx_ctx *rx, u32 psn)
{
	struct uet_ses_rsp rsp;

	uet_default_rsp(&rsp, rx->pkt, UET_RC_OK);
	return uet_ack_make(pdc, rx, psn, 0, &rsp);
}

/* An ACK with a guaranteed response */
static noinline struct sk_buff *uet_pdc_ack_gtd(struct uet_pdc *pdc,
						const struct uet_rx_ctx *rx,
						const struct uet_gtd *g)
{
	struct sk_buff *ack;

	ack = uet_ack_make(pdc, rx, g->psn, UET_F_REQ_CLEAR, &g->rsp);
	pdc->rx->ack_count = 0;
	pdc->rx->late_due = false;
	return ack;
}

/* Deliver a new packet to SES, with those that were kept behind it, then account for it.
 * @due: answer it in any case
 */
static __always_inline struct sk_buff *uet_pdc_new_packet(struct uet_pdc *pdc,
							  struct uet_rx_ctx *rx,
							  bool due)
{
	struct sk_buff *ack = NULL, *told = NULL;
	struct uet_pdc_rx *r = pdc->rx;
	const struct uet_pkt *pkt = rx->pkt;
	struct uet_gtd *g;
	struct uet_arrival a = {
		.psn	= pkt->req.psn,
		.bytes	= uet_pdc_ack_bytes(pdc, pkt->payload_len),
		.ar	= pkt->flags & UET_F_AR,
		.due	= due || pkt->flags & UET_F_RETX,
	};
	u32 psn = pkt->req.psn;
	u8 code = 0;

	if (!uet_pdc_deliver(pdc, rx, psn, &g, &code))
		return uet_pdc_short(pdc, rx, code, psn);
	a.advanced = uet_pdc_accepted(pdc, psn, 1, rx->pktsize);
	if (unlikely(r->nr_early))
		a.advanced += uet_pdc_deliver_early(pdc, &told, &code);
	if (unlikely(g))
		ack = uet_pdc_ack_gtd(pdc, rx, g);
	else if (uet_pdc_ack_due(pdc, rx, &a))
		ack = uet_pdc_ack_ok(pdc, rx, psn);
	if (a.advanced && r->nr_msgs)
		uet_ses_cack(pdc, r->map.cack);
	return uet_answers_join(ack, told);
}

/* An ordered PDC cannot keep a packet that came early: the source goes back (UE 1.0
 * 3.5.12).
 */
static struct sk_buff *uet_pdc_rod_gap(struct uet_pdc *pdc,
				       struct uet_rx_ctx *rx, u32 psn)
{
	struct uet_pdc_rx *r = pdc->rx;
	u32 expected = uet_rxmap_expected(&r->map);
	u64 now = ktime_get_ns();

	rx->drop = UET_DROP_GAP;
	/* Once per gap and nack_retx_us */
	if (r->ooo_psn == expected && now < r->ooo_until)
		return NULL;
	r->ooo_psn = expected;
	r->ooo_until = now + (u64)READ_ONCE(pdc->un->sysctl.rules.nack_retx_us) *
			     NSEC_PER_USEC;
	return uet_nack_make(pdc, rx, UET_NACK_ROD_OOO, psn, 0);
}

/*
 * Do packets that were kept still have no room? Then what comes later is NACKed with
 * *code, so that the source waits. *moved: some could be delivered
 */
static bool uet_pdc_stands(struct uet_pdc *pdc, struct sk_buff **told, u8 *code,
			   bool *moved)
{
	struct uet_rxmap *map = &pdc->rx->map;

	if (likely(!pdc->rx->nr_early) || !uet_rxmap_due(map))
		return false;
	*moved = uet_pdc_deliver_early(pdc, told, code);
	return uet_rxmap_due(map);
}

/* Keep a packet that came early on an ordered PDC; @skb as for uet_early_keep(). While
 * the one before is refused for shortage, those behind it are, too.
 */
static bool uet_pdc_keep(struct uet_pdc *pdc, struct uet_rx_ctx *rx, u32 psn,
			 struct sk_buff *skb)
{
	const struct uet_pdc_rx *r = pdc->rx;

	if (r->nacked && r->nacked_psn == uet_rxmap_expected(&r->map))
		return false;
	return uet_early_keep(pdc, rx, psn, skb);
}

/* A request came early on an ordered PDC. */
static noinline struct sk_buff *uet_pdc_early_packet(struct uet_pdc *pdc,
						     struct uet_rx_ctx *rx,
						     bool due)
{
	const struct uet_pkt *pkt = rx->pkt;
	struct uet_arrival a = {
		.psn	= pkt->req.psn,
		.bytes	= uet_pdc_ack_bytes(pdc, pkt->payload_len),
		.ar	= pkt->flags & UET_F_AR,
		.due	= due || pkt->flags & UET_F_RETX,
	};

	if (!uet_pdc_keep(pdc, rx, a.psn, rx->skb))
		return uet_pdc_rod_gap(pdc, rx, a.psn);
	rx->skb = NULL;
	a.advanced = uet_pdc_accepted(pdc, a.psn, 1, rx->pktsize);
	return uet_pdc_ack_due(pdc, rx, &a) ?
	       uet_pdc_ack_kept(pdc, rx, a.psn) : NULL;
}

/* A new request, not necessarily the next one of an ordered PDC */
static __always_inline struct sk_buff *uet_pdc_take(struct uet_pdc *pdc,
						    struct uet_rx_ctx *rx, bool due)
{
	if (pdc->rod && rx->pkt->req.psn != uet_rxmap_expected(&pdc->rx->map))
		return uet_pdc_early_packet(pdc, rx, due);
	return uet_pdc_new_packet(pdc, rx, due);
}

/* The same, where packets are kept */
static noinline struct sk_buff *uet_pdc_take_behind(struct uet_pdc *pdc,
						    struct uet_rx_ctx *rx,
						    bool created)
{
	struct sk_buff *told = NULL, *answer;
	bool moved = false;
	u8 code;

	if (uet_pdc_stands(pdc, &told, &code, &moved))
		answer = uet_pdc_short(pdc, rx, code, rx->pkt->req.psn);
	else
		answer = uet_pdc_take(pdc, rx, created || moved);
	if (moved && pdc->rx->nr_msgs)
		uet_ses_cack(pdc, pdc->rx->map.cack);
	return uet_answers_join(answer, told);
}

/* Did a request cross our CLOSE_CMD? */
static bool uet_pdc_closes(const struct uet_pdc *pdc,
			   const struct uet_rx_ctx *rx)
{
	return pdc->initiator && uet_pkt_is_pds_req(rx->pkt) &&
	       uet_pdc_tx_ops->closing(pdc);
}

/*
 * Check a PSN against the state of the PDC and the window. UET_RX_NEW: take the
 * packet; UET_RX_DUP: answer again; otherwise drop it and send *nack, if set.
 */
static noinline enum uet_rx_verdict uet_pdc_admit(struct uet_pdc *pdc,
						  struct uet_rx_ctx *rx, u32 psn,
						  struct sk_buff **nack)
{
	struct uet_rxmap *map = &pdc->rx->map;
	enum uet_rx_verdict verdict = uet_rxmap_classify(map, psn);

	*nack = NULL;
	if (verdict == UET_RX_DUP)
		return verdict;
	if (unlikely(pdc->rx->state == UET_PDC_TIME_WAIT ||
		     uet_pdc_closes(pdc, rx))) {
		rx->drop = UET_DROP_STATE;
		*nack = uet_nack_make(pdc, rx, UET_NACK_CLOSING, psn, 0);
		return UET_RX_ABOVE;
	}
	switch (verdict) {
	case UET_RX_ABOVE:
		rx->drop = UET_DROP_WINDOW;
		*nack = uet_nack_make(pdc, rx, rx->pkt->flags & UET_F_SYN ?
				      UET_NACK_INVALID_SYN :
				      UET_NACK_PSN_OOR_WINDOW, psn, 0);
		return verdict;
	case UET_RX_FAR_BELOW:
		rx->drop = UET_DROP_STALE;
		return verdict;
	default:
		break;
	}
	if (verdict == UET_RX_NOMAP && !uet_pdc_attach_map(pdc)) {
		*nack = pdc->rod ? uet_pdc_rod_gap(pdc, rx, psn) :
			uet_pdc_short(pdc, rx, UET_NACK_NO_BITMAP, psn);
		return UET_RX_ABOVE;
	}
	return UET_RX_NEW;
}

/* CLEAR_PSN of a request, which is accepted whatever that is */
static inline void uet_pdc_clears(struct uet_pdc *pdc, u32 clear_psn)
{
	struct uet_pdc_rx *r = pdc->rx;
	bool sound;

	/* Mostly there is nothing to free, and nothing that is kept. */
	if (likely(!r->nr_gtd && !r->nr_early))
		sound = uet_rxmap_clear(&r->map, clear_psn) != UET_CLEAR_BAD;
	else
		sound = uet_pdc_cleared(pdc, clear_psn);
	if (unlikely(!sound))
		UET_INC(pdc->un, CLEAR_IGNORED);
}

/* A request that is not plainly the next one */
static noinline struct sk_buff *uet_pdc_request_any(struct uet_pdc *pdc,
						    struct uet_rx_ctx *rx,
						    bool created)
{
	const struct uet_pkt *pkt = rx->pkt;
	struct sk_buff *nack;

	if (uet_pkt_is_rod(pkt) != pdc->rod &&
	    pdc->rx->state != UET_PDC_TIME_WAIT) {
		rx->drop = UET_DROP_MODE;
		return uet_nack_make(pdc, rx, UET_NACK_PDC_MODE_MISMATCH,
				     pkt->req.psn, 0);
	}
	switch (uet_pdc_admit(pdc, rx, pkt->req.psn, &nack)) {
	case UET_RX_NEW:
		uet_pdc_clears(pdc, pkt->req.clear_psn);
		return uet_pdc_take_behind(pdc, rx, created);
	case UET_RX_DUP:
		uet_pdc_clears(pdc, pkt->req.clear_psn);
		return uet_pdc_dup(pdc, rx);
	default:
		return nack;
	}
}

/**
 * uet_pdc_take_psn() - handle a control packet that only takes a PSN
 * @pdc: the PDC
 * @rx: NOOP or NEGOTIATION
 *
 * Context: softirq, rx.lock held.
 * Return: the answer, if any.
 */
struct sk_buff *uet_pdc_take_psn(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	struct sk_buff *told = NULL, *nack;
	u32 psn = rx->pkt->cp.psn, advanced;
	u8 code;

	lockdep_assert_held(&pdc->rx->lock);
	switch (uet_pdc_admit(pdc, rx, psn, &nack)) {
	case UET_RX_NEW:
		if (pdc->rod && psn != uet_rxmap_expected(&pdc->rx->map) &&
		    !uet_pdc_keep(pdc, rx, psn, NULL))
			return uet_pdc_rod_gap(pdc, rx, psn);
		advanced = uet_pdc_received(pdc, psn, 1);
		if (unlikely(pdc->rx->nr_early))
			advanced += uet_pdc_deliver_early(pdc, &told, &code);
		if (advanced)
			uet_ses_cack(pdc, pdc->rx->map.cack);
		break;
	case UET_RX_DUP:
		break;
	default:
		return nack;
	}
	return uet_answers_join(uet_ack_make(pdc, rx, psn, 0, NULL), told);
}

/*
 * A request came. Compared with seconds: the coarse clock is exact enough. It moves
 * with jiffies, so one new packet per jiffy reads it.
 */
static inline void uet_pdc_rx_heard(struct uet_pdc_rx *r)
{
	if (unlikely(r->moved != (u32)jiffies || !r->heard))
		WRITE_ONCE(r->heard, ktime_get_coarse_ns());
	r->close_req = false;
	r->close_tries = 0;
}

/* Is a request the next one in order, with nothing that it would have to wait for? What
 * uet_pdc_request_any() asks of others holds of it then.
 */
static inline bool uet_pdc_is_next(const struct uet_pdc *pdc,
				   const struct uet_rx_ctx *rx)
{
	const struct uet_pdc_rx *r = pdc->rx;

	return uet_rxmap_in_order(&r->map, rx->pkt->req.psn) && !r->nr_early &&
	       uet_pkt_is_rod(rx->pkt) == pdc->rod &&
	       r->state != UET_PDC_TIME_WAIT && !uet_pdc_closes(pdc, rx);
}

/**
 * uet_pdc_request() - handle a RUD or ROD request
 * @pdc: the PDC, peer verified
 * @rx: the packet; rx->skb is NULL afterwards if it was delivered
 * @created: this packet made the PDC
 *
 * Context: softirq.
 */
void uet_pdc_request(struct uet_pdc *pdc, struct uet_rx_ctx *rx, bool created)
{
	struct uet_pdc_rx *r = pdc->rx;
	struct sk_buff *answer = NULL;

	spin_lock(&r->lock);
	if (unlikely(r->state == UET_PDC_DEAD)) {
		rx->drop = UET_DROP_STATE;
		goto out;
	}
	uet_pdc_rx_heard(r);
	if (!(rx->pkt->flags & UET_F_SYN))
		uet_pdc_confirm(pdc);
	else if (!created)
		uet_pdc_heard_syn(pdc);
	if (uet_pkt_has_cc(rx->pkt))
		uet_credit_request(pdc, rx, rx->pktsize + UET_NOMINAL_ADD_BYTES);
	if (likely(uet_pdc_is_next(pdc, rx))) {
		uet_pdc_clears(pdc, rx->pkt->req.clear_psn);
		answer = uet_pdc_new_packet(pdc, rx, created);
	} else {
		answer = uet_pdc_request_any(pdc, rx, created);
	}
	if (unlikely(created))
		uet_pdc_arm(pdc, r->heard + NSEC_PER_SEC);
out:
	spin_unlock(&r->lock);
	if (answer)
		uet_pdc_send_answers(pdc, answer);
}

/* Are all packets of a run new, and in order if they have to be? */
static bool uet_pdc_takes_run(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			      u32 n)
{
	struct uet_pdc_rx *r = pdc->rx;
	u32 psn = rx->pkt->req.psn;

	if (r->state != UET_PDC_ESTABLISHED || uet_pdc_closes(pdc, rx) ||
	    uet_pkt_is_rod(rx->pkt) != pdc->rod ||
	    (pdc->rod && psn != uet_rxmap_expected(&r->map)))
		return false;
	switch (uet_rxmap_classify_run(&r->map, psn, n)) {
	case UET_RX_NEW:
		return true;
	case UET_RX_NOMAP:
		return uet_pdc_attach_map(pdc);
	default:
		return false;
	}
}

/* Account for a run that was delivered. Returns the ACK, if one is due. */
static struct sk_buff *uet_pdc_took_run(struct uet_pdc *pdc,
					struct uet_rx_ctx *rx,
					const struct uet_rx_run *run)
{
	u32 psn = rx->pkt->req.psn, full = run->n - 1;
	struct uet_pdc_rx *r = pdc->rx;
	struct uet_arrival a = {
		.psn	= psn + full,
		.bytes	= full * uet_pdc_ack_bytes(pdc, run->seg) +
			  uet_pdc_ack_bytes(pdc, run->len - full * run->seg),
		.run	= true,
		.ar	= run->ar,
	};
	struct sk_buff *ack = NULL, *told = NULL;
	u8 code;

	uet_pdc_rx_heard(r);
	uet_pdc_confirm(pdc);
	uet_pdc_clears(pdc, rx->pkt->req.clear_psn);
	uet_rxshare_note(&r->share, rx->us, a.psn, r->map.range);
	a.advanced = uet_pdc_accepted(pdc, psn, run->n, rx->pktsize);
	if (unlikely(r->nr_early))
		a.advanced += uet_pdc_deliver_early(pdc, &told, &code);
	if (uet_pdc_ack_due(pdc, rx, &a))
		ack = uet_pdc_ack_ok(pdc, rx, a.psn);
	if (a.advanced && r->nr_msgs)
		uet_ses_cack(pdc, r->map.cack);
	return uet_answers_join(ack, told);
}

/**
 * uet_pdc_request_run() - handle consecutive requests of a message in one step
 * @pdc: the PDC, peer verified
 * @rx: the first packet, without flags; @rx->pktsize is the sum of all; @rx->skb is
 *	NULL afterwards if they were delivered
 * @run: the run
 *
 * Only if all of them are new and can be delivered. At most one ACK answers them.
 *
 * Context: softirq.
 * Return: true if they were delivered; false if nothing was done, and the packets
 * are to be handled one by one.
 */
bool uet_pdc_request_run(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
			 const struct uet_rx_run *run)
{
	struct sk_buff *answer = NULL;
	bool taken;

	spin_lock(&pdc->rx->lock);
	taken = uet_pdc_takes_run(pdc, rx, run->n) && uet_ses_run(pdc, rx, run);
	if (taken) {
		rx->skb = NULL;
		answer = uet_pdc_took_run(pdc, rx, run);
	}
	spin_unlock(&pdc->rx->lock);
	if (answer)
		uet_pdc_send_answers(pdc, answer);
	return taken;
}

/**
 * uet_pdc_trimmed() - handle a request that a switch trimmed
 * @pdc: the PDC, peer verified
 * @rx: the packet, PDS header only
 * @lasthop: trimmed on the last hop
 *
 * Context: softirq.
 */
void uet_pdc_trimmed(struct uet_pdc *pdc, struct uet_rx_ctx *rx, bool lasthop)
{
	u8 code = lasthop ? UET_NACK_TRIMMED_LASTHOP : UET_NACK_TRIMMED;
	u32 psn = rx->pkt->req.psn;
	struct sk_buff *answer = NULL;

	spin_lock(&pdc->rx->lock);
	if (pdc->rx->state == UET_PDC_DEAD || pdc->rx->state == UET_PDC_TIME_WAIT) {
		rx->drop = UET_DROP_STATE;
		goto out;
	}
	if (uet_pkt_has_cc(rx->pkt))
		uet_credit_trimmed(pdc, rx, lasthop);
	switch (uet_rxmap_classify(&pdc->rx->map, psn)) {
	case UET_RX_NEW:
	case UET_RX_NOMAP:
		answer = uet_nack_make(pdc, rx, code, psn, 0);
		break;
	case UET_RX_DUP:
		/* With a guaranteed response: else an error would seem success */
		answer = uet_pdc_stored_answer(pdc, rx, psn, 0);
		break;
	case UET_RX_ABOVE:
	case UET_RX_FAR_BELOW:
		rx->drop = UET_DROP_STALE;
		break;
	}
out:
	spin_unlock(&pdc->rx->lock);
	if (answer)
		uet_output_answer(pdc->peer, answer);
}

/* Move up to UET_RX_TOLD PDCs that wait for room to @list; true if more wait. */
static bool uet_rx_starved(struct uet_sock *us, struct list_head *list)
{
	struct list_head *last = &us->rx_starved;
	bool more;
	int i;

	spin_lock_bh(&us->rx_lock);
	for (i = 0; i < UET_RX_TOLD && last->next != &us->rx_starved; i++)
		last = last->next;
	if (i)
		list_cut_position(list, &us->rx_starved, last);
	more = !list_empty(&us->rx_starved);
	spin_unlock_bh(&us->rx_lock);
	return more;
}

/* There is room again: deliver what was kept. Returns what the source is to know. */
static struct sk_buff *uet_pdc_room(struct uet_pdc *pdc)
{
	struct sk_buff *told = NULL, *nack = NULL;
	struct uet_pdc_rx *r = pdc->rx;
	struct uet_pkt pkt = {};
	struct uet_rx_ctx rx = { .un = pdc->un, .pkt = &pkt };
	bool moved = false;
	u8 code;

	spin_lock(&r->lock);
	r->starved_at = NULL;
	if (r->state != UET_PDC_ESTABLISHED ||
	    uet_pdc_stands(pdc, &told, &code, &moved))
		goto out;
	/* An unconfirmed PDC gets answers only (spoofed address). */
	if (r->nacked && r->confirmed)
		nack = uet_nack_make(pdc, NULL, UET_NACK_RCVR_INFER_LOSS,
				     r->nacked_psn, 0);
	r->nacked = false;
out:
	if (unlikely(moved) && r->nr_msgs)
		uet_ses_cack(pdc, r->map.cack);
	if (unlikely(moved) && r->confirmed)
		told = uet_answers_join(uet_ack_make(pdc, &rx, r->map.cack, 0,
						     NULL), told);
	spin_unlock(&r->lock);
	return uet_answers_join(told, nack);
}

/**
 * uet_pds_rx_room() - a reader made room in its socket
 * @us: the socket
 *
 * Sends RCVR_INFER_LOSS for the lowest NACKed PSN to the PDCs that wait, in FIFO
 * order. Wakes a batch at a time, since peers decide how many wait. It only saves
 * time: sources try again by themselves.
 *
 * Context: process or BH, no locks held.
 * Return: true if more PDCs wait.
 */
bool uet_pds_rx_room(struct uet_sock *us)
{
	struct uet_pdc_rx *r;
	struct uet_pdc *pdc;
	LIST_HEAD(list);
	bool more;

	uet_defer_room(us);
	/* Once per PDC: one that is NACKed again waits for the next wake-up. */
	more = uet_rx_starved(us, &list);
	for (;;) {
		spin_lock_bh(&us->rx_lock);
		r = list_first_entry_or_null(&list, struct uet_pdc_rx,
					     starve_node);
		if (r)
			list_del_init(&r->starve_node);
		spin_unlock_bh(&us->rx_lock);
		if (!r)
			return more;
		pdc = r->pdc;
		local_bh_disable();
		rcu_read_lock();
		uet_pdc_send_answers(pdc, uet_pdc_room(pdc));
		rcu_read_unlock();
		local_bh_enable();
		uet_pdc_put(pdc);
	}
}
