// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "pdc": PDCs with both their halves.
 *
 * The locks of the halves do not nest, so each half is copied under its own lock
 * before the message is written: a half is consistent in itself.
 *
 * Who knows its PSNs and the id at the peer can forge packets of a PDC, which users
 * share, so only the administrator of the network gets them.
 */
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <net/genetlink.h>

#include "base.h"
#include "core/snd/snd_timer.h"
#include "ctl/genl/genl.h"
#include "link/peer.h"
#include "pdc/pdc.h"
#include "pdc/rx_half.h"
#include "sock.h"
#include "tx/cms/flow.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/half.h"
#include "tx/queue/wait.h"

/**
 * struct uet_genl_tx - a sending half, as it was
 * @there: there is one
 * @mine: who asked may see the PDC, since queues of that user use it
 * @state: enum uet_pdc_state
 * @ccc: id of its flow
 * @msgs: messages that are not done
 * @dests: queues that use it
 * @una: oldest PSN that CACK does not cover
 * @next: next new PSN
 * @mpr: receive window of the peer, packets
 * @held: queues on hold
 * @timeouts: timeouts in a row
 * @error: errno of its failure
 * @rto: retransmission timeout, ns
 * @heard: when the peer was heard last, ns
 * @heard_ns: how long ago that was
 * @wait: what its data waits for
 * @wait_ns: how long
 */
struct uet_genl_tx {
	bool		there;
	bool		mine;
	u8		state;
	u64		ccc;
	u32		msgs;
	u32		dests;
	u32		una;
	u32		next;
	u32		mpr;
	u32		held;
	u32		timeouts;
	int		error;
	u64		rto;
	u64		heard;
	u64		heard_ns;
	struct uet_wait	wait;
	u64		wait_ns;
};

/**
 * struct uet_genl_rx - a receiving half, as it was
 * @there: there is one
 * @state: enum uet_pdc_state
 * @refused: packets were refused and did not come again
 * @refused_at: if so, inode of the socket that has no room for them, or 0
 * @unconfirmed: the peer's address is not proved
 * @cack: all PSNs up to this one came
 * @top: highest PSN that came
 * @mpr: receive window, packets
 * @msgs: messages that are not complete
 * @bytes: nominal bytes accepted
 * @heard: when the peer was heard last, ns; 0 = not yet
 * @heard_ns: how long ago that was
 */
struct uet_genl_rx {
	bool		there;
	u8		state;
	bool		refused;
	u64		refused_at;
	bool		unconfirmed;
	u32		cack;
	u32		top;
	u32		mpr;
	u32		msgs;
	u64		bytes;
	u64		heard;
	u64		heard_ns;
};

/**
 * struct uet_genl_pdc - what the PDC itself has of it
 * @mode: enum uet_nl_mode
 * @initiator: it was opened here
 * @tclass: its DSCP
 */
struct uet_genl_pdc {
	u8	mode;
	bool	initiator;
	u8	tclass;
};

/* Queues that use it, and those on hold: as many as sockets. Senders wait for the
 * lock meanwhile, so count some only; the description of netlink tells it
 */
#define UET_GENL_DESTS_MAX	256

static u32 uet_genl_count(const struct list_head *list)
{
	const struct list_head *at;
	u32 n = 0;

	list_for_each(at, list)
		if (++n == UET_GENL_DESTS_MAX)
			break;
	return n;
}

static bool uet_genl_tx_mine(const struct uet_pdc_tx *tx,
			     const struct uet_viewer *viewer)
{
	const struct uet_dest *dest;
	u32 n = 0;

	list_for_each_entry(dest, &tx->dests, pdc_node) {
		if (uet_may_see(viewer, dest->uid))
			return true;
		if (++n == UET_GENL_DESTS_MAX)
			break;
	}
	return viewer->admin;
}

static void uet_genl_tx_read(struct uet_pdc *pdc, struct uet_genl_tx *t,
			     const struct uet_viewer *viewer)
{
	struct uet_pdc_tx *tx = uet_pdc_tx(pdc);
	const struct uet_snd *s;

	if (!tx)
		return;
	s = &tx->snd;
	spin_lock_bh(&tx->flow->lock);
	*t = (struct uet_genl_tx){
		.there		= true,
		.mine		= uet_genl_tx_mine(tx, viewer),
		.state		= s->state,
		.ccc		= tx->flow->id,
		.msgs		= s->nr_msgs,
		.dests		= uet_genl_count(&tx->dests),
		.una		= s->win.una,
		.next		= s->win.next,
		.mpr		= s->win.range,
		.held		= uet_genl_count(&s->holds),
		.timeouts	= s->retries,
		.error		= tx->error,
		.rto		= uet_snd_rto(s),
		.heard		= s->heard,
		.wait		= uet_pdc_wait(pdc),
	};
	spin_unlock_bh(&tx->flow->lock);
}

static void uet_genl_rx_read(struct uet_pdc *pdc, struct uet_genl_rx *r)
{
	struct uet_pdc_rx *rx = uet_pdc_rx(pdc);

	if (!rx)
		return;
	spin_lock_bh(&rx->lock);
	*r = (struct uet_genl_rx){
		.there		= true,
		.state		= rx->state,
		.refused	= rx->nacked,
		.refused_at	= rx->nacked && rx->starved_at ?
				  rx->starved_at->inode : 0,
		.unconfirmed	= !rx->confirmed,
		.cack		= rx->map.cack,
		.top		= rx->map.highest,
		.mpr		= rx->map.range,
		.msgs		= rx->nr_msgs,
		.bytes		= rx->rcvd_bytes,
		.heard		= rx->heard,
	};
	spin_unlock_bh(&rx->lock);
}

static u64 uet_genl_ago(u64 now, u64 at)
{
	return now > at ? now - at : 0;
}

enum {
	PART_PDC,
	PART_SECRET,		/* for the administrator: who knows it could forge packets */
	PART_KEY,
	PART_BITS,
	PART_TX,
	PART_TX_SECRET,
	PART_RX,
	PART_RX_SECRET,
	PART_RX_HEARD,
};

#define PDC(_attr, _kind, _part, _field)				\
	UET_GENL_ROW(PDC_##_attr, _kind, PART_##_part, struct uet_pdc, _field)
#define KEY(_attr, _kind, _field)					\
	UET_GENL_ROW(PDC_##_attr, _kind, PART_KEY, struct uet_peer_key, _field)
#define BITS(_attr, _kind, _field)					\
	UET_GENL_ROW(PDC_##_attr, _kind, PART_BITS, struct uet_genl_pdc, _field)
#define TX(_attr, _kind, _part, _field)					\
	UET_GENL_ROW(TX_##_attr, _kind, PART_##_part, struct uet_genl_tx, _field)
#define RX(_attr, _kind, _part, _field)					\
	UET_GENL_ROW(RX_##_attr, _kind, PART_##_part, struct uet_genl_rx, _field)

static const struct uet_genl_row uet_genl_pdc_rows[] = {
	KEY(LOCAL,		ADDR,		laddr),
	PDC(ID,			U32, PDC,	id),
	KEY(REMOTE,		ADDR,		raddr),
	PDC(REMOTE_ID,		U32, SECRET,	remote_id),
	PDC(JOB,		U32, PDC,	job),
	BITS(MODE,		U32,		mode),
	BITS(INITIATOR,		FLAG,		initiator),
	BITS(TCLASS,		U32,		tclass),
	{ UET_A_PDC_TX, UET_ROW_NEST, PART_TX },
	TX(STATE,		U32, TX,	state),
	TX(CCC,			U64, TX,	ccc),
	TX(MSGS,		U32, TX,	msgs),
	TX(DESTS,		U32, TX,	dests),
	TX(UNA,			U32, TX_SECRET,	una),
	TX(NEXT,		U32, TX_SECRET,	next),
	TX(MPR,			U32, TX,	mpr),
	TX(HELD,		U32, TX,	held),
	TX(RTO,			U64, TX,	rto),
	TX(TIMEOUTS,		U32, TX,	timeouts),
	TX(HEARD_NS,		U64, TX,	heard_ns),
	TX(ERROR,		U32, TX,	error),
	TX(WAIT,		U32, TX,	wait.why),
	TX(WAIT_NS,		U64, TX,	wait_ns),
	{ UET_A_PDC_TX, UET_ROW_NEST_END, PART_TX },
	{ UET_A_PDC_RX, UET_ROW_NEST, PART_RX },
	RX(STATE,		U32, RX,	state),
	RX(CACK,		U32, RX_SECRET,	cack),
	RX(TOP,			U32, RX_SECRET,	top),
	RX(MPR,			U32, RX,	mpr),
	RX(MSGS,		U32, RX,	msgs),
	RX(RCVD_BYTES,		U64, RX,	bytes),
	RX(REFUSED,		FLAG, RX,	refused),
	RX(REFUSED_INODE,	U64_IF, RX,	refused_at),
	RX(UNCONFIRMED,		FLAG, RX,	unconfirmed),
	RX(HEARD_NS,		U64, RX_HEARD,	heard_ns),
	{ UET_A_PDC_RX, UET_ROW_NEST_END, PART_RX },
	{ }
};

/* What never changes; the locks are needed for the rest only. */
static bool uet_genl_pdc_wanted(const struct uet_genl_filter *f,
				const struct uet_pdc *pdc)
{
	return uet_genl_remote_fits(f, &pdc->peer->key.raddr) &&
	       uet_genl_fits(f, UET_A_FILTER_JOB, pdc->job) &&
	       uet_genl_fits(f, UET_A_FILTER_ID, pdc->id);
}

static bool uet_genl_pdc_fits(const struct uet_genl_filter *f,
			      const struct uet_genl_tx *t, const struct uet_genl_rx *r)
{
	if (!(t->there && uet_genl_fits(f, UET_A_FILTER_STATE, t->state)) &&
	    !(r->there && uet_genl_fits(f, UET_A_FILTER_STATE, r->state)) &&
	    f->has & UET_WANTS(STATE))
		return false;
	if (f->has & UET_WANTS(CCC) &&
	    !(t->there && uet_genl_fits(f, UET_A_FILTER_CCC, t->ccc)))
		return false;
	return !(f->has & UET_WANTS(WAITING)) ||
	       (t->there && t->wait.why != UET_WAIT_NOTHING);
}

static int uet_genl_pdc_put(struct uet_genl_walk *w, struct uet_pdc *pdc)
{
	struct uet_genl_pdc p = {
		.mode		= pdc->rod ? UET_MODE_ROD : UET_MODE_RUD,
		.initiator	= pdc->initiator,
		.tclass		= pdc->tclass,
	};
	bool admin = w->viewer.admin;
	struct uet_genl_tx t = {};
	struct uet_genl_rx r = {};
	u64 now;

	BUILD_BUG_ON((int)UET_PDC_SYN != (int)UET_HALF_STATE_SYN ||
		     (int)UET_PDC_TIME_WAIT != (int)UET_HALF_STATE_TIME_WAIT ||
		     (int)UET_PDC_DEAD != (int)UET_HALF_STATE_DEAD);
	if (!uet_genl_pdc_wanted(&w->filter, pdc))
		return 0;
	uet_genl_tx_read(pdc, &t, &w->viewer);
	/* What peers opened is of no user here until one answers by it */
	if (!t.mine && !admin)
		return 0;
	uet_genl_rx_read(pdc, &r);
	if (!uet_genl_pdc_fits(&w->filter, &t, &r))
		return 0;
	now = ktime_get_ns();
	t.heard_ns = uet_genl_ago(now, t.heard);
	t.wait_ns = uet_wait_ns(&t.wait, now);
	r.heard_ns = uet_genl_ago(now, r.heard);
	return uet_genl_tell(w, uet_genl_pdc_rows,
			     [PART_PDC] = pdc,
			     [PART_SECRET] = admin ? pdc : NULL,
			     [PART_KEY] = &pdc->peer->key,
			     [PART_BITS] = &p,
			     [PART_TX] = t.there ? &t : NULL,
			     [PART_TX_SECRET] = t.there && admin ? &t : NULL,
			     [PART_RX] = r.there ? &r : NULL,
			     [PART_RX_SECRET] = r.there && admin ? &r : NULL,
			     [PART_RX_HEARD] = r.there && r.heard ? &r : NULL);
}

/* Cursor: 1 is the PDCID */
static int uet_genl_pdc_tell(struct uet_genl_walk *w, void *entry)
{
	unsigned long id = w->cursor[1];
	struct uet_fep *fep = entry;
	struct uet_pdc *pdc;
	int err;

	if (!uet_genl_local_fits(&w->filter, &fep->addr))
		return 0;
	pdc = xa_find(&fep->pdcs, &id, U16_MAX, XA_PRESENT);
	if (!pdc)
		return 0;
	w->cursor[1] = id;
	err = uet_genl_pdc_put(w, pdc);
	if (err)
		return err;
	w->cursor[1]++;
	return UET_GENL_MORE;
}

static const struct uet_genl_object uet_genl_pdcs = {
	.cmd		= UET_CMD_PDC_GET,
	.filter		= UET_A_PDC_FILTER,
	.filters	= UET_WANTS(REMOTE) | UET_WANTS(REMOTE_PLEN) |
			  UET_WANTS(LOCAL) | UET_WANTS(JOB) | UET_WANTS(STATE) |
			  UET_WANTS(CCC) | UET_WANTS(WAITING) | UET_WANTS(ID),
	.whose		= UET_GENL_OWN,
	.ids		= offsetof(struct uet_net, fep_ids),
	.tell		= uet_genl_pdc_tell,
};

UET_GENL_READ(pdc)
