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
 * @wait: what its data waits for
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
	struct uet_wait	wait;
};

/**
 * struct uet_genl_rx - a receiving half, as it was
 * @there: there is one
 * @state: enum uet_pdc_state
 * @refused: packets were refused and did not come again
 * @refused_at: inode of the socket that has no room for them, or 0
 * @unconfirmed: the peer's address is not proved
 * @cack: all PSNs up to this one came
 * @top: highest PSN that came
 * @mpr: receive window, packets
 * @msgs: messages that are not complete
 * @bytes: nominal bytes accepted
 * @heard: when the peer was heard last, ns; 0 = not yet
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
};

/**
 * struct uet_genl_pdc - a PDC to tell
 * @pdc: the PDC
 * @now: time, ns
 * @secrets: tell PSNs and the id at the peer
 * @tx: its sending half
 * @rx: its receiving half
 */
struct uet_genl_pdc {
	const struct uet_pdc	*pdc;
	u64			now;
	bool			secrets;
	struct uet_genl_tx	tx;
	struct uet_genl_rx	rx;
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
		.refused_at	= rx->starved_at ? rx->starved_at->inode : 0,
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

/* PSNs, which would help somebody to forge packets */
static int uet_genl_tx_psns(struct sk_buff *skb, const struct uet_genl_pdc *p)
{
	return p->secrets &&
	       (nla_put_u32(skb, UET_A_TX_UNA, p->tx.una) ||
		nla_put_u32(skb, UET_A_TX_NEXT, p->tx.next));
}

static int uet_genl_rx_psns(struct sk_buff *skb, const struct uet_genl_pdc *p)
{
	return p->secrets &&
	       (nla_put_u32(skb, UET_A_RX_CACK, p->rx.cack) ||
		nla_put_u32(skb, UET_A_RX_TOP, p->rx.top));
}

static int uet_genl_tx_attrs(struct sk_buff *skb, const struct uet_genl_pdc *p)
{
	const struct uet_genl_tx *t = &p->tx;
	u64 now = p->now;

	BUILD_BUG_ON((int)UET_PDC_SYN != (int)UET_HALF_STATE_SYN ||
		     (int)UET_PDC_TIME_WAIT != (int)UET_HALF_STATE_TIME_WAIT ||
		     (int)UET_PDC_DEAD != (int)UET_HALF_STATE_DEAD);
	return nla_put_u32(skb, UET_A_TX_STATE, t->state) ||
	       uet_genl_u64(skb, UET_A_TX_CCC, t->ccc) ||
	       nla_put_u32(skb, UET_A_TX_MSGS, t->msgs) ||
	       nla_put_u32(skb, UET_A_TX_DESTS, t->dests) ||
	       uet_genl_tx_psns(skb, p) ||
	       nla_put_u32(skb, UET_A_TX_MPR, t->mpr) ||
	       nla_put_u32(skb, UET_A_TX_HELD, t->held) ||
	       uet_genl_u64(skb, UET_A_TX_RTO, t->rto) ||
	       nla_put_u32(skb, UET_A_TX_TIMEOUTS, t->timeouts) ||
	       uet_genl_u64(skb, UET_A_TX_HEARD_NS, uet_genl_ago(now, t->heard)) ||
	       nla_put_u32(skb, UET_A_TX_ERROR, t->error) ||
	       nla_put_u32(skb, UET_A_TX_WAIT, t->wait.why) ||
	       uet_genl_u64(skb, UET_A_TX_WAIT_NS, uet_wait_ns(&t->wait, now));
}

static int uet_genl_rx_attrs(struct sk_buff *skb, const struct uet_genl_pdc *p)
{
	const struct uet_genl_rx *r = &p->rx;

	return nla_put_u32(skb, UET_A_RX_STATE, r->state) ||
	       uet_genl_rx_psns(skb, p) ||
	       nla_put_u32(skb, UET_A_RX_MPR, r->mpr) ||
	       nla_put_u32(skb, UET_A_RX_MSGS, r->msgs) ||
	       uet_genl_u64(skb, UET_A_RX_RCVD_BYTES, r->bytes) ||
	       (r->refused && nla_put_flag(skb, UET_A_RX_REFUSED)) ||
	       (r->refused && r->refused_at &&
		uet_genl_u64(skb, UET_A_RX_REFUSED_INODE, r->refused_at)) ||
	       (r->unconfirmed && nla_put_flag(skb, UET_A_RX_UNCONFIRMED)) ||
	       (r->heard && uet_genl_u64(skb, UET_A_RX_HEARD_NS,
					 uet_genl_ago(p->now, r->heard)));
}

static int uet_genl_pdc_halves(struct sk_buff *skb, const struct uet_genl_pdc *p)
{
	struct nlattr *nest;

	if (p->tx.there) {
		nest = nla_nest_start(skb, UET_A_PDC_TX);
		if (!nest || uet_genl_tx_attrs(skb, p))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	if (p->rx.there) {
		nest = nla_nest_start(skb, UET_A_PDC_RX);
		if (!nest || uet_genl_rx_attrs(skb, p))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

static int uet_genl_pdc_fill(struct sk_buff *skb, const void *what)
{
	const struct uet_genl_pdc *p = what;
	const struct uet_pdc *pdc = p->pdc;

	return nla_put_in6_addr(skb, UET_A_PDC_LOCAL, &pdc->peer->key.laddr) ||
	       nla_put_u32(skb, UET_A_PDC_ID, pdc->id) ||
	       nla_put_in6_addr(skb, UET_A_PDC_REMOTE, &pdc->peer->key.raddr) ||
	       (p->secrets && nla_put_u32(skb, UET_A_PDC_REMOTE_ID,
					  READ_ONCE(pdc->remote_id))) ||
	       nla_put_u32(skb, UET_A_PDC_JOB, pdc->job) ||
	       nla_put_u32(skb, UET_A_PDC_MODE,
			   pdc->rod ? UET_MODE_ROD : UET_MODE_RUD) ||
	       (pdc->initiator && nla_put_flag(skb, UET_A_PDC_INITIATOR)) ||
	       nla_put_u32(skb, UET_A_PDC_TCLASS, pdc->tclass) ||
	       uet_genl_pdc_halves(skb, p);
}

/* What never changes; the locks are needed for the rest only. */
static bool uet_genl_pdc_wanted(const struct uet_genl_filter *f,
				const struct uet_pdc *pdc)
{
	return uet_genl_remote_fits(f, &pdc->peer->key.raddr) &&
	       uet_genl_fits(f, UET_WANTS(JOB), f->job, pdc->job) &&
	       uet_genl_fits(f, UET_WANTS(ID), f->id, pdc->id);
}

static bool uet_genl_pdc_fits(const struct uet_genl_filter *f,
			      const struct uet_genl_pdc *p)
{
	if (f->has & UET_WANTS(STATE) &&
	    !(p->tx.there && p->tx.state == f->state) &&
	    !(p->rx.there && p->rx.state == f->state))
		return false;
	if (f->has & UET_WANTS(CCC) && !(p->tx.there && p->tx.ccc == f->ccc))
		return false;
	return !(f->has & UET_WANTS(WAITING)) ||
	       (p->tx.there && p->tx.wait.why != UET_WAIT_NOTHING);
}

static int uet_genl_pdc_put(struct uet_genl_walk *w, struct uet_pdc *pdc)
{
	struct uet_genl_pdc p = { .pdc = pdc, .secrets = w->viewer.admin };

	if (!uet_genl_pdc_wanted(&w->filter, pdc))
		return 0;
	uet_genl_tx_read(pdc, &p.tx, &w->viewer);
	/* What peers opened is of no user here until one answers by it */
	if (!p.tx.mine && !w->viewer.admin)
		return 0;
	uet_genl_rx_read(pdc, &p.rx);
	if (!uet_genl_pdc_fits(&w->filter, &p))
		return 0;
	p.now = ktime_get_ns();
	return uet_genl_put(w, uet_genl_pdc_fill, &p);
}

/* The PDC at the cursor, or the next one; RCU */
static struct uet_pdc *uet_genl_pdc_next(struct uet_genl_walk *w)
{
	unsigned long fep_id = w->cursor[0], id = w->cursor[1];
	struct uet_pdc *pdc;
	struct uet_fep *fep;

	while ((fep = uet_fep_from(w->un, &fep_id))) {
		if (fep_id != w->cursor[0])
			id = 0;
		pdc = uet_genl_local_fits(&w->filter, &fep->addr) ?
		      xa_find(&fep->pdcs, &id, U16_MAX, XA_PRESENT) : NULL;
		w->cursor[0] = fep_id;
		w->cursor[1] = id;
		if (pdc)
			return pdc;
		w->cursor[0] = ++fep_id;
		w->cursor[1] = 0;
		id = 0;
	}
	return NULL;
}

/* Cursor: 0 is the id of the FEP, 1 the PDCID */
static int uet_genl_pdc_walk(struct uet_genl_walk *w)
{
	struct uet_pdc *pdc;
	int err = 0;

	rcu_read_lock();
	while (!err && (pdc = uet_genl_pdc_next(w))) {
		err = uet_genl_pdc_put(w, pdc);
		if (!err)
			w->cursor[1]++;
		uet_genl_breathe(w);
	}
	rcu_read_unlock();
	return err;
}

static const struct uet_genl_object uet_genl_pdcs = {
	.cmd		= UET_CMD_PDC_GET,
	.filter		= UET_A_PDC_FILTER,
	.filters	= UET_WANTS(REMOTE) | UET_WANTS(REMOTE_PLEN) |
			  UET_WANTS(LOCAL) | UET_WANTS(JOB) | UET_WANTS(STATE) |
			  UET_WANTS(CCC) | UET_WANTS(WAITING) | UET_WANTS(ID),
	.whose		= UET_GENL_OWN,
	.walk		= uet_genl_pdc_walk,
};

int uet_nl_pdc_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return uet_genl_get(skb, info, &uet_genl_pdcs);
}

int uet_nl_pdc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return uet_genl_dump(skb, cb, &uet_genl_pdcs);
}
