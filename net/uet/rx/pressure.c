// SPDX-License-Identifier: GPL-2.0
/*
 * The penalty in ACKs. It slows a whole context of the source, so it speaks
 * of what all that comes by the context meets: packets that wait for a CPU,
 * the memory of the namespace, and a slow reader only where nobody else reads
 * from the same source. Otherwise that reader pushes back by refusing, which
 * holds the messages to its endpoint alone.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>

#include "compat.h"
#include "core/dfc.h"
#include "core/params.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "rx/half.h"
#include "rx/pressure.h"
#include "rx/rxmsg.h"
#include "sock.h"

/* Time in which polling was cut short at least once counts as such: a run of the
 * softirq lasts two jiffies at most
 */
#define UET_SQUEEZE_STEP	4UL

/* So many such times in a row and no less: packets wait for good. And so many: the
 * greatest penalty.
 */
#define UET_SQUEEZES_FEW	2
#define UET_SQUEEZES_MANY	8

/**
 * struct uet_squeeze - how long this CPU has not got through with polling
 * @seen: softnet_data.time_squeeze at the end of the last step
 * @end: when the step under way ends, jiffies
 * @steps: so many in a row, in each of which it grew
 */
struct uet_squeeze {
	unsigned int	seen;
	unsigned long	end;
	unsigned int	steps;
};

static DEFINE_PER_CPU(struct uet_squeeze, uet_squeeze);

/* After data for another socket a reader is not alone for so long */
#define UET_READER_ALONE	(HZ / 10)

static void uet_reader_update(struct uet_reader *reader,
			      const struct uet_sock *us)
{
	const struct uet_sock *old = READ_ONCE(reader->us);

	if (unlikely(old != us)) {
		WRITE_ONCE(reader->alone_at,
			   old ? READ_ONCE(reader->seen) + UET_READER_ALONE :
				 jiffies);
		WRITE_ONCE(reader->us, us);
	}
	if (time_before(READ_ONCE(reader->seen), jiffies))
		WRITE_ONCE(reader->seen, jiffies);
}

/**
 * uet_reader_note() - data of a PDC is for this socket
 * @pdc: target PDC
 * @us: the socket
 *
 * Context: softirq, rx.lock held.
 */
void uet_reader_note(struct uet_pdc *pdc, const struct uet_sock *us)
{
	lockdep_assert_held(&pdc->rx->lock);
	uet_reader_update(&pdc->rx->reader, us);
	if (!pdc->rod)
		uet_reader_update(&pdc->peer->reader, us);
}

/**
 * uet_reader_shares() - do other sockets get data by this PDC?
 * @pdc: target PDC, after uet_reader_note()
 *
 * Context: softirq, rx.lock held.
 * Return: true if another one got some a short while ago.
 */
bool uet_reader_shares(const struct uet_pdc *pdc)
{
	lockdep_assert_held(&pdc->rx->lock);
	return time_before(jiffies, READ_ONCE(pdc->rx->reader.alone_at));
}

static bool uet_reader_alone(const struct uet_pdc *pdc)
{
	/* An ordered PDC has its own context, the others share theirs. */
	const struct uet_reader *reader = pdc->rod ? &pdc->rx->reader :
						     &pdc->peer->reader;

	return time_after_eq(jiffies, READ_ONCE(reader->alone_at));
}

/*
 * Packets that wait in the queue of a device cannot be counted from here. But if
 * there are more of them each time than a run of the softirq may take, it is cut
 * short each time.
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

/* Packets that wait for this CPU, of what it lets wait before it drops */
static u8 uet_pressure_cpu(const struct uet_rx_ctx *rx)
{
	const struct softnet_data *sd = this_cpu_ptr(&softnet_data);
	u32 max = uet_max_backlog();
	u8 pend;

	pend = uet_dfc_pend((u64)skb_queue_len_lockless(&sd->input_pkt_queue) +
			    skb_queue_len_lockless(&sd->process_queue),
			    max / 2, max / 8 * 7);
	return rx->polled ? max(pend, uet_pressure_polled(sd)) : pend;
}

/*
 * The part of the namespace's memory that waits for readers. Sources cannot
 * help with what this host sends; and pieces of messages go only when the rest
 * comes, so that it must not be slowed.
 */
static u8 uet_pressure_mem(const struct uet_net *un)
{
	unsigned long max = READ_ONCE(un->sysctl.mem);
	long used = atomic_long_read(&un->rx_ready);

	return uet_dfc_pend(max_t(long, used, 0), max / 4 * 3, max);
}

/* The round trip as this end knows it: it matters for how long "resume" is said */
static u64 uet_pressure_rtt(const struct uet_pdc *pdc)
{
	u64 ns = READ_ONCE(pdc->peer->base_rtt);

	if (!ns)
		ns = (u64)READ_ONCE(pdc->un->sysctl.base_rtt_us) *
		     NSEC_PER_USEC;
	return ns ?: UET_BASE_RTT_DEFAULT_NS;
}

/**
 * uet_pressure_state() - rcvr_cwnd_pend and rc of an ACK
 * @pdc: target PDC
 * @rx: the packet that triggered it
 * @a: both are set
 *
 * An answer that is not about new data repeats what was said last.
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
	pend = max(uet_pressure_cpu(rx), uet_pressure_mem(pdc->un));
	uet_reader_note(pdc, rx->us);
	if (uet_reader_alone(pdc))
		pend = max(pend, uet_rx_pend(rx->us));
	if (likely(!pend && !r->dfc.pend && !r->dfc.restoring))
		return;
	a->pend = uet_dfc_update(&r->dfc, ktime_get_ns(), uet_pressure_rtt(pdc),
				 pend, &restore);
	a->rc = restore;
	if (pend)
		UET_INC(pdc->un, TX_PENALTIES);
}
