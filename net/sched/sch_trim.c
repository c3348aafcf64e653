// SPDX-License-Identifier: GPL-2.0
/*
 * sch_trim - output port of a packet trimming switch
 *
 * Three FIFOs with a byte limit each:
 *
 *   control  DSCPs of the control list (46), and what keeps a link alive: ARP,
 *            IPv6 neighbour discovery, link-local frames (LLDP, LACP, STP)
 *   trimmed  the two DSCPs that say "trimmed", whoever did it
 *   data     everything else, so also all TCP
 *
 * Control goes before trimmed, and both go before data, but while data waits
 * the two together get no more than a share of the link (default 50 %): each
 * byte that they send costs credit, each byte of data earns some, and data is
 * served when there is none. Nothing is lost of the link by that, a class that
 * waits alone is always served.
 *
 * Trimming happens at enqueue. A packet for which the data FIFO would grow
 * beyond the trim threshold is cut behind its transport header, gets the DSCP
 * "trimmed" (or "trimmed at the last hop") and joins the trimmed FIFO, if it is
 * UDP to the transport's port or native IP with the transport's protocol
 * number, has a trimmable DSCP, is no fragment and becomes shorter. The ECN
 * bits and the UDP length stay, the IP length and the IPv4 checksum follow.
 * Anything else is queued until the limit and dropped there. A packet that
 * finds no data before it is not trimmed, there is no congestion then.
 *
 * Marking happens at dequeue, by the length of the data FIFO at that instant
 * including the packet that leaves: never up to the lower threshold, always
 * above the upper one, with linearly growing probability in between. Equal
 * thresholds make a step. Packets that are not ECN-capable are left alone, so
 * TCP finds an ordinary queue with ECN and a tail drop.
 *
 * With a rate the discipline is a whole link: a packet occupies the link for
 * its serialisation time, propagates for the delay and is handed to the device
 * when its last bit arrives. Fractions of a nanosecond are carried over while
 * the link is busy, so a rate has no drift. When a packet starts follows from
 * when the link became free and when the packet came, not from when a timer
 * ran: trim_serve() catches up before anything new is queued, so late timers
 * neither idle the link nor change an order. Where time is exact, as in
 * virtual time, the whole is exact to the nanosecond.
 *
 * Without rate and delay it is a queue only, and its parent or device paces.
 *
 * GSO packets are segmented first; thresholds, limits, marks and losses mean
 * packets as they are on the wire. Random loss and the blackhole take packets
 * before they are queued and without telling the sender, as a bad link does.
 * Their generator and that of the marking probability are seeded, and drawn
 * from for nothing else, so that a run can be repeated.
 *
 * Everything here runs under the root lock of the device queue.
 */

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <net/pkt_sched.h>
#include <net/sock.h>

#include "compat.h"
#include "trim_params.h"
#include "trim_pkt.h"

/* Data may earn credit for so much of its own bytes, and no more. */
#define TRIM_CREDIT_BYTES		4096
/* First numbers of a freshly seeded generator that are thrown away. */
#define TRIM_SEED_WARMUP		16
/* Makes two generators of one seed. */
#define TRIM_SEED_MARK			0x9e3779b97f4a7c15ULL

struct trim_class {
	struct qdisc_skb_head		q;
	struct tc_trim_class_xstats	st;
};

/**
 * struct trim_sched_data - a port
 * @cls: the FIFOs
 * @credit: of control and trimmed against data, in bytes times percent
 * @wire: packets that are being serialised or propagate, by due time
 * @wire_bytes: their bytes
 * @free_at: when the link can take the next packet, ns
 * @free_frac: what @free_at lacks, in units of 1 / rate ns
 * @last_due: when the last packet on the wire arrives, ns
 * @p: settings
 * @loss_rnd: generator of the losses
 * @mark_rnd: generator of the marks
 * @st: statistics that belong to no class
 * @watchdog: runs when a packet arrives or may start
 */
struct trim_sched_data {
	struct trim_class	cls[TC_TRIM_CLASSES];
	s64			credit;
	struct qdisc_skb_head	wire;
	u32			wire_bytes;
	u64			free_at;
	u64			free_frac;
	u64			last_due;
	struct trim_params	p;
	struct rnd_state	loss_rnd;
	struct rnd_state	mark_rnd;
	struct tc_trim_xstats	st;
	struct qdisc_watchdog	watchdog;
};

/**
 * struct trim_skb_cb - what a queued packet carries
 * @when: time of arrival here, on the wire that of arrival at its other end
 * @l3: offset of the IP header
 * @version: of IP, 0 if the packet is none
 */
struct trim_skb_cb {
	u64	when;
	u16	l3;
	u8	version;
};

static struct trim_skb_cb *trim_skb_cb(const struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct trim_skb_cb));
	return (struct trim_skb_cb *)qdisc_skb_cb(skb)->data;
}

static bool trim_is_link(const struct trim_sched_data *q)
{
	return q->p.rate || q->p.delay || q->wire.qlen;
}

/* Scheduling */

static struct trim_class *trim_pick(struct trim_sched_data *q)
{
	struct trim_class *data = &q->cls[TC_TRIM_DATA];
	struct trim_class *ahead;

	ahead = &q->cls[TC_TRIM_CONTROL];
	if (!ahead->q.qlen)
		ahead = &q->cls[TC_TRIM_TRIMMED];
	if (!ahead->q.qlen)
		return data->q.qlen ? data : NULL;
	if (!data->q.qlen)
		return ahead;
	return q->credit >= 0 ? ahead : data;
}

static void trim_charge(struct trim_sched_data *q, const struct trim_class *cls,
			unsigned int len)
{
	if (cls == &q->cls[TC_TRIM_DATA])
		q->credit = min_t(s64, q->credit + (s64)len * q->p.share,
				  TRIM_CREDIT_BYTES * (s64)q->p.share);
	else if (q->cls[TC_TRIM_DATA].q.qlen)
		q->credit -= (s64)len * (TRIM_SHARE_FULL - q->p.share);
}

static bool trim_want_mark(struct trim_sched_data *q, u32 backlog)
{
	u32 range = q->p.ecn_max - q->p.ecn_min;

	if (q->p.ecn_min == TC_TRIM_OFF || backlog <= q->p.ecn_min)
		return false;
	if (backlog > q->p.ecn_max)
		return true;
	return mul_u32_u32(prandom_u32_state(&q->mark_rnd), range) >> 32 <
	       backlog - q->p.ecn_min;
}

/* Takes the first packet of a class, which starts on the link at @start. */
static struct sk_buff *trim_take(struct trim_sched_data *q,
				 struct trim_class *cls, u64 start)
{
	struct sk_buff *skb = __qdisc_dequeue_head(&cls->q);
	const struct trim_skb_cb *cb = trim_skb_cb(skb);
	unsigned int len = qdisc_pkt_len(skb);

	if (cls == &q->cls[TC_TRIM_DATA]) {
		u64 wait = start - cb->when;

		q->st.wait_ns += wait;
		q->st.wait_max_ns = max(q->st.wait_max_ns, wait);
		if (trim_want_mark(q, cls->st.backlog) &&
		    trim_pkt_mark(skb, cb->l3, cb->version))
			q->st.marks++;
	}

	trim_charge(q, cls, len);
	cls->st.backlog -= len;
	cls->st.packets++;
	cls->st.bytes += len;
	return skb;
}

/* The link is busy with @len bytes from @start on. */
static void trim_occupy(struct trim_sched_data *q, u64 start, unsigned int len)
{
	if (start > q->free_at)
		q->free_frac = 0;
	q->free_at = start;
	if (q->p.rate)
		q->free_at += div64_u64_rem((u64)len * NSEC_PER_SEC +
					    q->free_frac, q->p.rate,
					    &q->free_frac);
}

/*
 * Brings the link up to date. Whatever is queued came before @now and after
 * the previous call, hence the packets that go out here, and the classes they
 * are chosen from, are those that an exact timer would have found.
 */
static void trim_serve(struct trim_sched_data *q, u64 now)
{
	struct trim_class *cls;

	while (q->free_at <= now && (cls = trim_pick(q))) {
		u64 start = max(q->free_at, trim_skb_cb(cls->q.head)->when);
		struct sk_buff *skb = trim_take(q, cls, start);

		trim_occupy(q, start, qdisc_pkt_len(skb) + q->p.overhead);
		q->last_due = max(q->last_due, q->free_at + q->p.delay);
		trim_skb_cb(skb)->when = q->last_due;

		/* The sender's part ends when the packet has left the host. */
		if (q->p.delay)
			skb_orphan_partial(skb);
		q->wire_bytes += qdisc_pkt_len(skb);
		__qdisc_enqueue_tail(skb, &q->wire);
	}
}

/* Packet that arrives at the other end, or sets the timer for the next. */
static struct sk_buff *trim_arrive(struct Qdisc *sch, u64 now)
{
	struct trim_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb = q->wire.head;
	u64 next = U64_MAX;

	if (skb) {
		next = trim_skb_cb(skb)->when;
		if (next <= now) {
			q->wire_bytes -= qdisc_pkt_len(skb);
			return __qdisc_dequeue_head(&q->wire);
		}
	}

	if (trim_pick(q))
		next = min(next, q->free_at);
	if (next != U64_MAX) {
		qdisc_watchdog_schedule_ns(&q->watchdog, next);
		qdisc_qstats_overlimit(sch);
	}
	return NULL;
}

static struct sk_buff *trim_dequeue(struct Qdisc *sch)
{
	struct trim_sched_data *q = qdisc_priv(sch);
	struct trim_class *cls;
	struct sk_buff *skb;
	u64 now;

	if (!sch->q.qlen)
		return NULL;

	now = ktime_get_ns();
	if (trim_is_link(q)) {
		trim_serve(q, now);
		skb = trim_arrive(sch, now);
	} else {
		cls = trim_pick(q);
		skb = cls ? trim_take(q, cls, now) : NULL;
	}

	if (skb) {
		sch->q.qlen--;
		qdisc_qstats_backlog_dec(sch, skb);
		qdisc_bstats_update(sch, skb);
	}
	return skb;
}

/* Queueing */

static unsigned int trim_classify(const struct trim_sched_data *q,
				  const struct trim_pkt *pkt)
{
	if (pkt->neigh)
		return TC_TRIM_CONTROL;
	if (!pkt->version)
		return TC_TRIM_DATA;
	if (pkt->dscp == q->p.dscp_trimmed || pkt->dscp == q->p.dscp_lasthop)
		return TC_TRIM_TRIMMED;
	if (q->p.control & BIT_ULL(pkt->dscp))
		return TC_TRIM_CONTROL;
	return TC_TRIM_DATA;
}

/* The link loses the packet, which its sender shall not know. */
static bool trim_loses(struct trim_sched_data *q, unsigned int class)
{
	if (q->p.blackhole == TC_TRIM_BLACKHOLE_ALL ||
	    (q->p.blackhole == TC_TRIM_BLACKHOLE_DATA &&
	     class == TC_TRIM_DATA)) {
		q->st.blackholed++;
		return true;
	}
	if (q->p.loss && mul_u32_u32(prandom_u32_state(&q->loss_rnd),
				     TRIM_LOSS_FULL) >> 32 < q->p.loss) {
		q->st.lost++;
		return true;
	}
	return false;
}

/* Length to cut a packet of the data class to, 0 for leaving it alone. */
static unsigned int trim_want_cut(const struct trim_sched_data *q,
				  const struct sk_buff *skb,
				  const struct trim_pkt *pkt)
{
	const struct trim_class *data = &q->cls[TC_TRIM_DATA];

	if (q->p.threshold == TC_TRIM_OFF || !data->q.qlen ||
	    data->st.backlog + qdisc_pkt_len(skb) <= q->p.threshold)
		return 0;
	if (!pkt->version || !(q->p.trimmable & BIT_ULL(pkt->dscp)) ||
	    skb_shared(skb))
		return 0;
	return trim_pkt_keep(skb, pkt, q->p.port, q->p.proto, q->p.size);
}

static int trim_cut(struct trim_sched_data *q, struct sk_buff *skb,
		    const struct trim_pkt *pkt, unsigned int keep)
{
	unsigned int pkt_len = qdisc_pkt_len(skb);
	unsigned int cut = skb->len - keep;
	int err;

	err = trim_pkt_cut(skb, pkt, keep, q->p.flags & TC_TRIM_F_LASTHOP ?
			   q->p.dscp_lasthop : q->p.dscp_trimmed);
	if (err)
		return err;

	/* A size table adds to the length, keep what it added. */
	qdisc_skb_cb(skb)->pkt_len = pkt_len > cut ? pkt_len - cut : skb->len;
	q->st.trims++;
	q->st.trimmed_bytes += cut;
	return 0;
}

/* Queues one packet as it is on the wire. */
static int trim_enqueue_one(struct sk_buff *skb, struct Qdisc *sch, u64 now,
			    struct sk_buff **to_free)
{
	struct trim_sched_data *q = qdisc_priv(sch);
	unsigned int class, keep, len;
	struct trim_skb_cb *cb;
	struct trim_class *cls;
	struct trim_pkt pkt;

	trim_pkt_parse(qdisc_dev(sch), skb, &pkt);
	class = trim_classify(q, &pkt);

	if (trim_loses(q, class)) {
		qdisc_qstats_drop(sch);
		__qdisc_drop(skb, to_free);
		return NET_XMIT_SUCCESS | __NET_XMIT_BYPASS;
	}

	keep = class == TC_TRIM_DATA ? trim_want_cut(q, skb, &pkt) : 0;
	if (keep) {
		if (trim_cut(q, skb, &pkt, keep)) {
			q->st.nomem++;
			return qdisc_drop(skb, sch, to_free);
		}
		class = TC_TRIM_TRIMMED;
	}

	cls = &q->cls[class];
	len = qdisc_pkt_len(skb);
	if (cls->st.backlog + len > q->p.limit[class]) {
		cls->st.drops++;
		return qdisc_drop(skb, sch, to_free);
	}

	cb = trim_skb_cb(skb);
	cb->when = now;
	cb->l3 = pkt.l3;
	cb->version = pkt.version;
	__qdisc_enqueue_tail(skb, &cls->q);
	cls->st.backlog += len;
	cls->st.peak = max(cls->st.peak, cls->st.backlog);
	cls->st.recent_peak = max(cls->st.recent_peak, cls->st.backlog);
	sch->q.qlen++;
	qdisc_qstats_backlog_inc(sch, skb);
	return NET_XMIT_SUCCESS;
}

/* Queues the segments of a GSO packet; as good as sent if one of them is. */
static int trim_enqueue_segments(struct sk_buff *skb, struct Qdisc *sch,
				 u64 now, struct sk_buff **to_free)
{
	netdev_features_t features = netif_skb_features(skb);
	unsigned int prev_len = qdisc_pkt_len(skb);
	struct trim_sched_data *q = qdisc_priv(sch);
	u32 prev_backlog = sch->qstats.backlog;
	u32 prev_qlen = sch->q.qlen;
	struct sk_buff *segs, *next;
	int ret = NET_XMIT_DROP;

	segs = skb_gso_segment(skb, features & ~NETIF_F_GSO_MASK);
	if (IS_ERR_OR_NULL(segs)) {
		q->st.nomem++;
		return qdisc_drop(skb, sch, to_free);
	}

	skb_list_walk_safe(segs, segs, next) {
		int err;

		skb_mark_not_on_list(segs);
		qdisc_skb_cb(segs)->pkt_len = segs->len;
		err = trim_enqueue_one(segs, sch, now, to_free);
		if (ret != NET_XMIT_SUCCESS && err != NET_XMIT_DROP)
			ret = err;
	}
	consume_skb(skb);

	/* Parents will count one packet of the length that they know. */
	if (ret == NET_XMIT_SUCCESS)
		qdisc_tree_reduce_backlog(sch, 1 - (sch->q.qlen - prev_qlen),
					  prev_len - (sch->qstats.backlog -
						      prev_backlog));
	return ret;
}

static int trim_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			struct sk_buff **to_free)
{
	struct trim_sched_data *q = qdisc_priv(sch);
	unsigned int prev_len = qdisc_pkt_len(skb);
	u64 now = ktime_get_ns();
	int ret;

	if (trim_is_link(q))
		trim_serve(q, now);

	if (skb_is_gso(skb))
		return trim_enqueue_segments(skb, sch, now, to_free);

	ret = trim_enqueue_one(skb, sch, now, to_free);
	if (ret == NET_XMIT_SUCCESS && qdisc_pkt_len(skb) != prev_len)
		qdisc_tree_reduce_backlog(sch, 0,
					  prev_len - qdisc_pkt_len(skb));
	return ret;
}

/* Settings */

static void trim_seed(struct rnd_state *rnd, u64 seed)
{
	int i;

	prandom_seed_state(rnd, seed);
	for (i = 0; i < TRIM_SEED_WARMUP; i++)
		prandom_u32_state(rnd);
}

static int trim_change(struct Qdisc *sch, struct nlattr *opt,
		       struct netlink_ext_ack *extack)
{
	struct trim_sched_data *q = qdisc_priv(sch);
	struct trim_params p = q->p;
	bool seeded;
	int err;

	err = trim_params_get(&p, opt, &seeded, extack);
	if (err)
		return err;

	/*
	 * What is queued or on the wire stays and ends by the settings under
	 * which it came; a class beyond a smaller limit takes no more until it
	 * has drained.
	 */
	sch_tree_lock(sch);
	if (p.rate != q->p.rate)
		q->free_frac = 0;
	if (p.share != q->p.share)
		q->credit = 0;
	if (seeded) {
		trim_seed(&q->loss_rnd, p.seed);
		trim_seed(&q->mark_rnd, p.seed ^ TRIM_SEED_MARK);
	}
	q->p = p;
	sch_tree_unlock(sch);
	return 0;
}

static int trim_init(struct Qdisc *sch, struct nlattr *opt,
		     struct netlink_ext_ack *extack)
{
	struct trim_sched_data *q = qdisc_priv(sch);

	qdisc_watchdog_init(&q->watchdog, sch);
	q->p = trim_params_default;
	q->p.seed = get_random_u64();
	trim_seed(&q->loss_rnd, q->p.seed);
	trim_seed(&q->mark_rnd, q->p.seed ^ TRIM_SEED_MARK);

	return opt ? trim_change(sch, opt, extack) : 0;
}

static void trim_reset(struct Qdisc *sch)
{
	struct trim_sched_data *q = qdisc_priv(sch);
	int i;

	qdisc_watchdog_cancel(&q->watchdog);
	for (i = 0; i < TC_TRIM_CLASSES; i++) {
		__qdisc_reset_queue(&q->cls[i].q);
		q->cls[i].st.backlog = 0;
	}
	__qdisc_reset_queue(&q->wire);
	q->wire_bytes = 0;
	q->free_at = 0;
	q->free_frac = 0;
	q->last_due = 0;
	q->credit = 0;
}

static void trim_destroy(struct Qdisc *sch)
{
	struct trim_sched_data *q = qdisc_priv(sch);

	qdisc_watchdog_cancel(&q->watchdog);
}

static int trim_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	const struct trim_sched_data *q = qdisc_priv(sch);

	return trim_params_dump(&q->p, skb);
}

static int trim_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct trim_sched_data *q = qdisc_priv(sch);
	struct tc_trim_xstats st;
	int i;

	sch_tree_lock(sch);
	if (trim_is_link(q))
		trim_serve(q, ktime_get_ns());
	st = q->st;
	st.wire_bytes = q->wire_bytes;
	st.wire_qlen = q->wire.qlen;
	for (i = 0; i < TC_TRIM_CLASSES; i++) {
		struct trim_class *cls = &q->cls[i];

		st.cls[i] = cls->st;
		st.cls[i].qlen = cls->q.qlen;
		cls->st.recent_peak = cls->st.backlog;
	}
	sch_tree_unlock(sch);

	return gnet_stats_copy_app(d, &st, sizeof(st));
}

static struct Qdisc_ops trim_qdisc_ops __read_mostly = {
	.id		= "trim",
	.priv_size	= sizeof(struct trim_sched_data),
	.enqueue	= trim_enqueue,
	.dequeue	= trim_dequeue,
	.peek		= qdisc_peek_dequeued,
	.init		= trim_init,
	.reset		= trim_reset,
	.destroy	= trim_destroy,
	.change		= trim_change,
	.dump		= trim_dump,
	.dump_stats	= trim_dump_stats,
	.owner		= THIS_MODULE,
};
MODULE_ALIAS_NET_SCH("trim");

static int __init trim_module_init(void)
{
	return register_qdisc(&trim_qdisc_ops);
}

static void __exit trim_module_exit(void)
{
	unregister_qdisc(&trim_qdisc_ops);
}

module_init(trim_module_init)
module_exit(trim_module_exit)
MODULE_LICENSE("GPL");
MODULE_VERSION(UET_VERSION);
MODULE_DESCRIPTION("Output port of a packet trimming switch");
