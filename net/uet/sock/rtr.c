// SPDX-License-Identifier: GPL-2.0
/*
 * Requests for messages that a socket has deferred: DEFERRABLE_RTR (UE 1.0 3.4.1).
 *
 * Each is a message without data to the source, with a queue of its own, since it must
 * come from the address that the deferred message was sent to. It is retransmitted until
 * the source answers. If the source does not send the message then, it is forgotten. What
 * became of the requests is looked at when others are to be sent, or after a second.
 *
 * Not here: which messages are asked for, and when (rx/ses/defer.c).
 */
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "core/wire/hdr_parse.h"
#include "mib.h"
#include "rx/ses/defer.h"
#include "sock.h"
#include "sock/calls.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/pds.h"

/* What failed for lack of memory, or of a PDC, is tried again after this. */
#define UET_RTR_RETRY	(HZ / 10)

/**
 * struct uet_rtr_sent - a request that is under way
 * @node: in uet_sock.rtrs
 * @msg: the request, with a reference
 * @id: names the message that it asks for
 */
struct uet_rtr_sent {
	struct list_head	node;
	struct uet_txmsg	*msg;
	u32			id;
};

/* A request. It is no message of the program's, so it takes none of its send buffer; but a
 * peer that answers nothing has many of them wait.
 */
static struct uet_txmsg *uet_rtr_msg(struct uet_sock *us, struct uet_dest *dest)
{
	struct uet_txmsg *msg;

	if (!uet_mem_charge(us->un, UET_TXMSG_OVERHEAD))
		return NULL;
	uet_dest_hold(dest);
	msg = uet_txmsg_alloc(us, dest, 0);
	if (msg) {
		msg->mem_charged = true;
	} else {
		uet_dest_put(dest);
		uet_mem_uncharge(us->un, UET_TXMSG_OVERHEAD);
	}
	return msg;
}

/* Send a request; the queue goes with it. */
static int uet_rtr_send(struct uet_sock *us, const struct uet_defer_rtr *rtr,
			struct uet_rtr_sent *sent)
{
	struct uet_dest_key key;
	struct uet_txmsg *msg;
	struct uet_dest *dest;
	int err;

	uet_send_key(us, &rtr->from, &key);
	key.delivery = UET_RUD;
	key.watch = UET_DEST_RTR;
	key.laddr = rtr->laddr;
	err = uet_dest_watch(us, &key, NULL, &dest);
	if (err)
		return err;
	msg = uet_rtr_msg(us, dest);
	err = -ENOBUFS;
	if (msg) {
		/* Whichever half a source looks at, it finds its own token, and what it takes
		 * for ours is the same: it comes back with the message.
		 */
		msg->match_bits = uet_ses_tokens(rtr->token, rtr->token);
		uet_txmsg_get(msg);
		err = uet_pds_submit(msg, false);
		if (err) {
			uet_txmsg_put(msg);
			uet_txmsg_put(msg);
		} else {
			sent->msg = msg;
			sent->id = rtr->id;
			list_add_tail(&sent->node, &us->rtrs);
		}
	}
	uet_dest_drop(us, dest);
	uet_dest_put(dest);
	return err;
}

/* Ask for a message. */
static int uet_rtr_request(struct uet_sock *us, const struct uet_defer_rtr *rtr)
{
	struct uet_rtr_sent *sent;
	int err;

	if (!uet_mem_charge(us->un, sizeof(*sent)))
		return -ENOBUFS;
	sent = kmalloc(sizeof(*sent), GFP_KERNEL_ACCOUNT);
	err = sent ? uet_rtr_send(us, rtr, sent) : -ENOMEM;
	if (!err)
		return 0;
	kfree(sent);
	uet_mem_uncharge(us->un, sizeof(*sent));
	return err;
}

static void uet_rtr_forget(struct uet_sock *us, struct uet_rtr_sent *sent)
{
	list_del(&sent->node);
	uet_txmsg_put(sent->msg);
	kfree(sent);
	uet_mem_uncharge(us->un, sizeof(*sent));
}

/* What has become of the requests? */
static void uet_rtr_look(struct uet_sock *us)
{
	struct uet_rtr_sent *sent, *next;
	u8 end;

	list_for_each_entry_safe(sent, next, &us->rtrs, node) {
		end = READ_ONCE(sent->msg->rtr_end);
		if (end == UET_RTR_ASKS)
			continue;
		uet_defer_answered(us, sent->id, end == UET_RTR_TAKEN);
		uet_rtr_forget(us, sent);
	}
}

/* Ask for what there is room for. Returns false if a request must wait. */
static bool uet_rtr_ask(struct uet_sock *us)
{
	struct uet_defer_rtr rtr;
	int err;

	uet_rtr_look(us);
	while (uet_defer_next(us, &rtr)) {
		err = uet_rtr_request(us, &rtr);
		if (!err) {
			UET_INC(us->un, TX_RTR);
			continue;
		}
		if (err == -ENOBUFS || err == -ENOMEM || err == -EAGAIN) {
			uet_defer_unasked(us, rtr.id);
			return false;
		}
		/* No way there */
		uet_defer_answered(us, rtr.id, false);
	}
	return true;
}

static void uet_rtr_work(struct work_struct *work)
{
	struct uet_sock *us = container_of(to_delayed_work(work),
					   struct uet_sock, rtr_work);
	struct mem_cgroup *memcg = uet_sock_charge_begin(us);
	unsigned long pause;

	if (uet_rtr_ask(us))
		pause = uet_defer_pause(us);
	else
		pause = UET_RTR_RETRY;
	uet_sock_charge_end(memcg);
	if (pause)
		queue_delayed_work(system_percpu_wq, &us->rtr_work, pause);
}

/**
 * uet_rtr_init() - prepare a socket
 * @us: new socket
 */
void uet_rtr_init(struct uet_sock *us)
{
	INIT_LIST_HEAD(&us->defers);
	INIT_LIST_HEAD(&us->rtrs);
	INIT_DELAYED_WORK(&us->rtr_work, uet_rtr_work);
}

/**
 * uet_rtr_close() - the socket closes: ask for all messages, and forget them
 * @us: the socket, whose endpoint is gone, and which takes nothing any more
 *
 * Their sources find the endpoint gone, now and not after their timeout.
 *
 * Context: process.
 */
void uet_rtr_close(struct uet_sock *us)
{
	struct uet_rtr_sent *sent, *next;

	/* The work may have queued itself again before it is cancelled. */
	cancel_delayed_work_sync(&us->rtr_work);
	uet_rtr_ask(us);
	list_for_each_entry_safe(sent, next, &us->rtrs, node)
		uet_rtr_forget(us, sent);
	uet_defer_drop_all(us);
}
