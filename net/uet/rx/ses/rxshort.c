// SPDX-License-Identifier: GPL-2.0
/*
 * Recovery when incomplete messages fill the memory of a namespace, or of the
 * protocol.
 *
 * A source could begin messages to many sockets and never complete them, and
 * rx/ses/rxmem.c lets only one message or line at a time exceed the limits. So when
 * others were NACKed for rx_msg_timeout_ms, sockets with nothing to read give up
 * messages that were silent for as long, until net.uet.mem / 8 came free. This
 * repeats every second while messages are NACKed.
 */
#include <linux/jiffies.h>
#include <linux/workqueue.h>

#include "base.h"
#include "rx/ses/ep.h"
#include "rx/ses/rxmsg.h"
#include "sock.h"

/* Memory to free at a time: net.uet.mem / share */
#define UET_RX_SHORT_SHARE	8

static void uet_rx_short_sock(struct uet_sock *us, void *arg)
{
	unsigned long *wanted = arg, freed;

	if (!*wanted)
		return;
	freed = uet_rx_unwedge(us, UET_RX_WANT_MEMORY);
	*wanted -= min(*wanted, freed);
}

static void uet_rx_short_work(struct work_struct *work)
{
	struct uet_net *un = container_of(to_delayed_work(work), struct uet_net,
					  rx_short_work);
	unsigned long wanted = READ_ONCE(un->sysctl.mem) / UET_RX_SHORT_SHARE;
	u32 ms = READ_ONCE(un->sysctl.rx_msg_timeout_ms);

	/* The shortage is over; uet_rx_short() starts the work again. */
	if (time_after(jiffies, READ_ONCE(un->rx_short_at) + HZ))
		return;
	if (!time_before(jiffies, READ_ONCE(un->rx_short_since) +
				  msecs_to_jiffies(ms)))
		uet_ep_for_each(un, uet_rx_short_sock, &wanted);
	schedule_delayed_work(&un->rx_short_work, HZ);
}

/**
 * uet_rx_short() - note a refusal for memory of the namespace or the protocol
 * @un: namespace
 *
 * Context: any.
 */
void uet_rx_short(struct uet_net *un)
{
	if (time_after(jiffies, READ_ONCE(un->rx_short_at) + HZ))
		WRITE_ONCE(un->rx_short_since, jiffies);
	WRITE_ONCE(un->rx_short_at, jiffies);
	if (!delayed_work_pending(&un->rx_short_work))
		schedule_delayed_work(&un->rx_short_work, HZ);
}

/**
 * uet_rx_short_init() - prepare the recovery from shortage
 * @un: namespace
 *
 * Context: process.
 */
void uet_rx_short_init(struct uet_net *un)
{
	/* In the past: jiffies do not begin at 0 */
	un->rx_short_at = jiffies - HZ - 1;
	INIT_DELAYED_WORK(&un->rx_short_work, uet_rx_short_work);
}

/**
 * uet_rx_short_exit() - stop the recovery from shortage
 * @un: namespace without PDCs
 *
 * Context: process.
 */
void uet_rx_short_exit(struct uet_net *un)
{
	cancel_delayed_work_sync(&un->rx_short_work);
}
