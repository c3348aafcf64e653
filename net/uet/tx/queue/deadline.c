// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that expire (UET_SEND_TIMEOUT, UET_CMSG_TIMEOUT) or that their
 * sender cancels (UET_CANCEL).
 *
 * A socket has one work item, scheduled for its earliest deadline. It scans all
 * messages of the socket, whose number the send buffer and UET_SENDS_MAX limit.
 *
 * Not here: how a message is given up (tx/queue/giveup.c).
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "sock.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/pds.h"

/* A message that is just handed to another PDC is in no list: retry after this. */
#define UET_EXPIRE_AGAIN_NS	(10 * NSEC_PER_MSEC)

static void uet_tx_expire_at(struct uet_sock *us, u64 at, u64 now)
{
	u64 delay = at > now ? at - now : 0;

	lockdep_assert_held(&us->dests_lock);
	if (us->expire_at && us->expire_at <= at)
		return;
	us->expire_at = at;
	mod_delayed_work(system_percpu_wq, &us->expire_work,
			 nsecs_to_jiffies(delay) + 1);
}

static void uet_tx_expire_work(struct work_struct *work)
{
	struct uet_sock *us = container_of(to_delayed_work(work),
					   struct uet_sock, expire_work);
	struct uet_txdrop drop = {
		.now	= ktime_get_ns(),
		.error	= ETIMEDOUT,
	};
	struct uet_dest *dest;

	spin_lock(&us->dests_lock);
	us->expire_at = 0;
	list_for_each_entry(dest, &us->dests, us_node)
		uet_pds_drop(dest, &drop);
	if (drop.moving)
		drop.next = min_not_zero(drop.next,
					 drop.now + UET_EXPIRE_AGAIN_NS);
	if (drop.next)
		uet_tx_expire_at(us, drop.next, drop.now);
	spin_unlock(&us->dests_lock);
}

/**
 * uet_tx_expire_init() - prepare the work item of a socket
 * @us: new socket
 */
void uet_tx_expire_init(struct uet_sock *us)
{
	INIT_DELAYED_WORK(&us->expire_work, uet_tx_expire_work);
}

/**
 * uet_tx_expire() - schedule the deadline of a message
 * @us: its socket
 * @deadline: ns
 */
void uet_tx_expire(struct uet_sock *us, u64 deadline)
{
	spin_lock(&us->dests_lock);
	uet_tx_expire_at(us, deadline, ktime_get_ns());
	spin_unlock(&us->dests_lock);
}

/**
 * uet_tx_expire_stop() - stop the work item: the socket closes
 * @us: the socket; no system call is in it
 *
 * From now on orphan_timeout_s alone limits its messages.
 */
void uet_tx_expire_stop(struct uet_sock *us)
{
	cancel_delayed_work_sync(&us->expire_work);
}

/**
 * uet_tx_cancel() - give up the messages with one cookie
 * @us: the socket
 * @cookie: their cookie
 *
 * Return: 0; -ENOENT if there is none; -EAGAIN if a message that may have it is
 * just handed to another PDC. Others are given up even then.
 */
int uet_tx_cancel(struct uet_sock *us, u64 cookie)
{
	struct uet_txdrop drop = {
		.now	= ktime_get_ns(),
		.error	= ECANCELED,
		.cookie	= cookie,
		.named	= true,
	};
	struct uet_dest *dest;

	spin_lock(&us->dests_lock);
	list_for_each_entry(dest, &us->dests, us_node)
		uet_pds_drop(dest, &drop);
	spin_unlock(&us->dests_lock);
	if (drop.moving)
		return -EAGAIN;
	return drop.dropped ? 0 : -ENOENT;
}
