// SPDX-License-Identifier: GPL-2.0
/*
 * Destination flow control (UE 1.0 3.6.13.2): the penalty rcvr_cwnd_pend in ACKs.
 *
 * The penalty slows a whole CCC of the source, so it covers only what affects all
 * packets of the CCC: the backlog of the CPU, the memory of the namespace, and a
 * slow reader that is the only one to get data from the source. Any other slow
 * reader pushes back by NACKs for shortage, which hold only the messages for its
 * endpoint. A source that may not hold but fail the PDC after such NACKs is slowed
 * for any reader: better that others wait than that all fail.
 *
 * Not here: the restore flag and the length of an episode (core/cc/dfc.c).
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>

#include "compat.h"
#include "core/cc/dfc.h"
#include "core/cc/params.h"
#include "link/peer.h"
#include "link/peer_profile.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "pdc/rx_half.h"
#include "rx/ses/pressure.h"
#include "rx/ses/rxmsg.h"
#include "sock.h"

/* Length of a step, jiffies. A step counts if polling was cut short in it; a run
 * of the softirq lasts two jiffies at most.
 */
#define UET_SQUEEZE_STEP	4UL

/* Steps in a row: <= FEW gives no penalty, >= MANY the greatest one */
#define UET_SQUEEZES_FEW	2
#define UET_SQUEEZES_MANY	8

/**
 * struct uet_squeeze - for how long this CPU's polling has been cut short
 * @seen: softnet_data.time_squeeze at the end of the last step
 * @end: when the current step ends, jiffies
 * @steps: consecutive steps in which time_squeeze grew
 */
struct uet_squeeze {
	unsigned int	seen;
	unsigned long	end;
	unsigned int	steps;
};

static DEFINE_PER_CPU(struct uet_squeeze, uet_squeeze);

/* Time after another socket's data until a reader counts as alone */
#define UET_READER_ALONE	(HZ / 10)

/**
 * uet_reader_changed() - data is for another socket than the last one
 * @reader: readers of a CCC or PDC
 * @us: the socket
 *
 * Context: softirq.
 */
void uet_reader_changed(struct uet_reader *reader, const struct uet_sock *us)
{
	const struct uet_sock *old = READ_ONCE(reader->us);

	WRITE_ONCE(reader->alone_at,
		   old ? READ_ONCE(reader->seen) + UET_READER_ALONE :
			 (u32)jiffies);
	WRITE_ONCE(reader->us, us);
}

/* Is a time that was at most UET_READER_ALONE ahead when it was set still ahead? Each
 * later one counts as past, until jiffies wrap around.
 */
static bool uet_reader_ahead(u32 at)
{
	return at - (u32)jiffies - 1 < UET_READER_ALONE;
}

/**
 * uet_reader_shares() - do other sockets get data by this PDC?
 * @pdc: the PDC, after uet_reader_note()
 *
 * Context: softirq, rx.lock held.
 * Return: true if another one did within UET_READER_ALONE.
 */
bool uet_reader_shares(const struct uet_pdc *pdc)
{
	lockdep_assert_held(&pdc->rx->lock);
	return uet_reader_ahead(READ_ONCE(pdc->rx->reader.alone_at));
}

static bool uet_reader_alone(const struct uet_pdc *pdc)
{
	/* An ordered PDC has a CCC of its own, unordered ones share theirs. */
	const struct uet_reader *reader = pdc->rod ? &pdc->rx->reader :
						     &pdc->peer->reader;

	return !uet_reader_ahead(READ_ONCE(reader->alone_at));
}

/*
 * The packets in a device's receive queue cannot be counted from here. But when
 * they exceed the budget of the softirq time and again, time_squeeze grows.
 */
static u8 uet_pressure_polled(const struct softnet_data *sd)
{
	struct uet_squeeze *s = this_cpu_ptr(&uet_squeeze);
	unsigned int n = READ_ONCE(sd->time_squeeze);

	if (time_after_eq(jiffies, s->end)) {
		bool late = time_after(jiffies, s->end + UET_SQUEEZE_STEP);

		s->steps = n == s->seen || late ? 0 : s->steps + 1;
		s->seen = n;
		s->end = jiffies + UET_SQUEEZE_STEP;
	}
	return uet_dfc_pend(s->steps, UET_SQUEEZES_FEW, UET_SQUEEZES_MANY);
}

/* Packets in the backlog of this CPU */
static u32 uet_cpu_backlog(const struct softnet_data *sd)
{
	return skb_queue_len_lockless(&sd->input_pkt_queue) +
	       skb_queue_len_lockless(&sd->process_queue);
}

/**
 * uet_cpu_may_have_more() - may this CPU have more packets to handle now?
 * @rx: a packet that it handles
 *
 * Context: softirq.
 * Return: false if there are none.
 */
bool uet_cpu_may_have_more(const struct uet_rx_ctx *rx)
{
	return rx->polled || uet_cpu_backlog(this_cpu_ptr(&softnet_data));
}

/* The backlog of this CPU, relative to the limit at which it drops */
static u8 uet_pressure_cpu(const struct uet_rx_ctx *rx)
{
	const struct softnet_data *sd = this_cpu_ptr(&softnet_data);
	u32 max = uet_max_backlog();
	u8 pend = uet_dfc_pend(uet_cpu_backlog(sd), max / 2, max / 8 * 7);

	return rx->polled ? max(pend, uet_pressure_polled(sd)) : pend;
}

/*
 * Memory of the namespace that waits for readers. Incomplete messages do not
 * count: their memory is freed only after the rest has arrived, so the source
 * must not be slowed. Nor does what this host sends.
 */
static u8 uet_pressure_mem(const struct uet_net *un)
{
	unsigned long max = READ_ONCE(un->sysctl.mem);
	long used = atomic_long_read(&un->mem.ready);

	return uet_dfc_pend(max_t(long, used, 0), max / 4 * 3, max);
}

/* Base RTT as this end knows it: how long ACKs carry the restore flag */
static u64 uet_pressure_rtt(const struct uet_pdc *pdc)
{
	u64 ns = READ_ONCE(pdc->peer->base_rtt);

	if (!ns)
		ns = (u64)READ_ONCE(pdc->un->sysctl.base_rtt_us) *
		     NSEC_PER_USEC;
	return ns ?: UET_BASE_RTT_DEFAULT_NS;
}

/*
 * The penalty for late readers of a source that does not hold. Answers to what it sends
 * to other readers repeat that of the latest one for a while: else they would open its
 * window again and again.
 */
static u8 uet_pressure_late(struct uet_pdc *pdc, struct uet_sock *us)
{
	struct uet_pdc_rx *r = pdc->rx;
	u8 pend = uet_rx_pend(us, pdc);

	if (us == r->slow || pend >= r->slow_pend ||
	    !uet_reader_ahead(r->slow_until)) {
		r->slow = us;
		r->slow_pend = pend;
		r->slow_until = (u32)jiffies + UET_READER_ALONE;
	}
	return r->slow_pend;
}

/* The penalty at this moment */
static u8 uet_pressure_now(struct uet_pdc *pdc, const struct uet_rx_ctx *rx)
{
	u8 pend = max(uet_pressure_cpu(rx), uet_pressure_mem(pdc->un));

	uet_reader_note(pdc, rx->us);
	if (unlikely(!uet_peer_holds(pdc->peer)))
		pend = max(pend, uet_pressure_late(pdc, rx->us));
	else if (uet_reader_alone(pdc))
		pend = max(pend, uet_rx_pend(rx->us, pdc));
	return pend;
}

/**
 * uet_pressure_untold() - would an ACK tell of pressure, or of its end?
 * @pdc: the PDC
 * @rx: the packet that triggered the ACK
 *
 * Context: softirq, rx.lock held.
 * Return: true if so.
 */
bool uet_pressure_untold(struct uet_pdc *pdc, const struct uet_rx_ctx *rx)
{
	const struct uet_dfc *dfc = &pdc->rx->dfc;

	lockdep_assert_held(&pdc->rx->lock);
	return dfc->pend || dfc->restoring ||
	       (rx->us && uet_pressure_now(pdc, rx));
}

/**
 * uet_pressure_state() - set rcvr_cwnd_pend and rc of an ACK
 * @pdc: the PDC
 * @rx: the packet that triggered the ACK
 * @a: the ACK
 *
 * An ACK that is not about new data repeats the last penalty.
 *
 * Context: softirq, rx.lock held.
 */
void uet_pressure_state(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			struct uet_ack *a)
{
	struct uet_pdc_rx *r = pdc->rx;
	bool restore = false;
	u8 pend;

	lockdep_assert_held(&pdc->rx->lock);
	if (!rx->us) {
		a->pend = r->dfc.pend;
		return;
	}
	pend = uet_pressure_now(pdc, rx);
	if (likely(!pend && !r->dfc.pend && !r->dfc.restoring))
		return;
	a->pend = uet_dfc_update(&r->dfc, ktime_get_ns(), uet_pressure_rtt(pdc),
				 pend, &restore);
	a->rc = restore;
	if (pend)
		UET_INC(pdc->un, TX_PENALTIES);
}
