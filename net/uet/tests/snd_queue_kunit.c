// SPDX-License-Identifier: GPL-2.0
/* The sender: holds, turns, lanes, what is next; scripted events */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/snd/snd_gone.h"
#include "snd_script.h"

#define PSN(n)	(SCRIPT_PSN + (n))
#define PAUSE	100000ULL	/* nack_retx_us, ns */

/* NACKed for shortage: one packet after a pause, which doubles. */
static void queue_holds(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u64 start;
	u32 i;

	script_msg(k, 0, 8 * SCRIPT_MTU, 8 * SCRIPT_MTU);
	script_send(k, 4);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, script_nack(k, PSN(i),
						  UET_NACK_NO_PKT_BUFFER,
						  false), UET_SND_NACK_FEED);
		KUNIT_EXPECT_TRUE(test, !!k->nacked.held == !i);
	}
	KUNIT_EXPECT_EQ(test, k->s.win.nr_held, 4);
	KUNIT_EXPECT_EQ(test, k->flow.nacks_shortage, 4);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 0);
	for (i = 0; i < 3; i++) {
		start = k->now;
		while (!script_send(k, 9))
			script_wait(k, 100 * PAUSE);
		KUNIT_EXPECT_EQ(test, k->now - start, PAUSE << i);
		KUNIT_EXPECT_EQ(test, k->sent, 1);
		KUNIT_EXPECT_EQ(test, k->out.psn, PSN(0));
		script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, true);
	}
	/* The time on hold is counted. */
	KUNIT_EXPECT_GE(test, uet_snd_held_ns(&k->q[0], k->now), 3 * PAUSE);
}

/* Once a try arrives, 2, 4, ... packets may go, the new ones, too. */
static void queue_ramps_up(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u64 start = k->now;

	script_msg(k, 0, 20 * SCRIPT_MTU, 20 * SCRIPT_MTU);
	script_send(k, 2);
	script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, false);
	script_nack(k, PSN(1), UET_NACK_NO_PKT_BUFFER, false);
	/* Room is told: at once */
	script_nack(k, PSN(0), UET_NACK_RCVR_INFER_LOSS, false);
	KUNIT_EXPECT_EQ(test, script_send(k, 99), 1);
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, script_send(k, 99), 1);
	KUNIT_EXPECT_TRUE(test, k->q[0].hold.on);
	k->now += 1000;
	script_ack(k, PSN(1), PSN(1), 0);
	k->now += 1000;
	KUNIT_EXPECT_EQ(test, uet_snd_held_ns(&k->q[0], k->now), 1000);
	KUNIT_EXPECT_EQ(test, k->now - start, 2000);
	KUNIT_EXPECT_FALSE(test, k->q[0].hold.on);
	KUNIT_EXPECT_EQ(test, script_send(k, 99), 4);
	/* The last of them asks for an ACK. */
	KUNIT_EXPECT_TRUE(test, k->out.ar);
	script_ack(k, PSN(5), PSN(5), 0);
	KUNIT_EXPECT_EQ(test, script_send(k, 99), 8);
}

/* Another queue sends meanwhile; on an ordered PDC none does. */
static void queue_holds_others(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, false);
	script_msg(k, 2, 100, 100);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);

	k = script_new(test, true, true);
	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, false);
	script_msg(k, 2, 100, 100);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 0);
	while (!script_send(k, 9))
		script_wait(k, 100 * PAUSE);
	KUNIT_EXPECT_EQ(test, k->out.psn, PSN(0));
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
}

/* A queue that leaves lets those go that its hold stopped. */
static void queue_leaves(struct kunit *test)
{
	struct script *k = script_new(test, true, true);
	struct uet_snd_msg *m = script_msg(k, 0, 100, 100);

	script_send(k, 9);
	script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, false);
	script_msg(k, 2, 100, 100);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 0);
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, m->state, UET_MSG_DONE);
	KUNIT_EXPECT_TRUE(test, list_empty(&k->flow.ready) ||
			  !script_send(k, 0));
	uet_snd_leave(&k->s, &k->q[0], k->now);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
}

/* NO_MATCH: all of the message goes again, with a new id, after a pause. */
static void queue_again(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *m = script_msg(k, 0, 2 * SCRIPT_MTU,
					   2 * SCRIPT_MTU);
	u64 start = k->now;
	u16 id;

	script_send(k, 9);
	id = m->msg_id;
	m->again = true;
	KUNIT_EXPECT_TRUE(test, uet_snd_pause(&k->s, &k->q[0], k->now));
	script_arm(k);
	script_ack(k, PSN(0), PSN(0), 0);
	script_ack(k, PSN(1), PSN(1), 0);
	KUNIT_EXPECT_EQ(test, k->finished, 0);
	KUNIT_EXPECT_EQ(test, m->state, UET_MSG_QUEUED);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 0);
	while (!script_send(k, 9))
		script_wait(k, 100 * PAUSE);
	KUNIT_EXPECT_EQ(test, k->now - start, PAUSE);
	KUNIT_EXPECT_NE(test, m->msg_id, id);
	while (m->state != UET_MSG_SENT && k->now < start + 100 * PAUSE) {
		script_ack(k, k->out.psn, k->out.psn, 0);
		script_send(k, 9);
	}
	script_ack(k, k->out.psn, k->out.psn, 0);
	KUNIT_EXPECT_EQ(test, k->finished, 1);
	KUNIT_EXPECT_EQ(test, k->s.nr_msgs, 0);
}

/* Given up while held: MSG_ERROR goes at once, without the data. */
static void queue_gives_up(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *m = script_msg(k, 0, 2 * SCRIPT_MTU,
					   2 * SCRIPT_MTU);
	u32 i;

	script_send(k, 9);
	for (i = 0; i < 2; i++)
		script_nack(k, PSN(i), UET_NACK_NO_PKT_BUFFER, false);
	m->withdrawn = true;
	m->given_up = true;
	m->state = UET_MSG_FAILED;
	uet_snd_hold_given_up(&k->s, &k->q[0], k->now);
	script_arm(k);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 2);
	KUNIT_EXPECT_EQ(test, k->out.pkt.len, 0);
	KUNIT_EXPECT_EQ(test, k->out.pkt.flags, UET_SND_MSG_ERROR);
	KUNIT_EXPECT_EQ(test, k->ccc.inflight, 2 * SCRIPT_OVERHEAD);
	KUNIT_EXPECT_EQ(test, k->ccc.waiting_rtx, 0);
}

/* MSG_ERROR that waits for its turn is sent though a hold begins meanwhile. */
static void queue_ends_on_hold(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *m = script_msg(k, 0, 3 * SCRIPT_MTU,
					   3 * SCRIPT_MTU);

	script_send(k, 2);
	m->again = true;
	uet_snd_end(&k->s, m, k->now);
	script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, false);
	KUNIT_EXPECT_TRUE(test, k->q[0].hold.on);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	KUNIT_EXPECT_EQ(test, k->out.psn, PSN(2));
	KUNIT_EXPECT_EQ(test, k->out.pkt.flags, UET_SND_MSG_ERROR);
}

/* The message behind one that is dropped may go, if that one kept it back. */
static void queue_drops(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *m = script_msg(k, 0, 2 * SCRIPT_MTU, 10);

	script_msg(k, 0, 100, 100);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 0);
	KUNIT_EXPECT_FALSE(test, uet_snd_drop(&k->s, m, k->now));
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	KUNIT_EXPECT_EQ(test, k->ccc.backlog, 0);
}

/* Queues take turns by bytes; a short message does not wait for a long one. */
static void queue_turns(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u32 len = 3 * UET_SND_QUANTUM;

	script_msg(k, 0, len, len);
	script_msg(k, 2, len, len);
	script_send(k, 2 * UET_SND_QUANTUM / SCRIPT_MTU);
	KUNIT_EXPECT_GT(test, k->m[0].sent, 0);
	KUNIT_EXPECT_GT(test, k->m[1].sent, 0);
	KUNIT_EXPECT_LE(test, k->m[0].sent, 2 * UET_SND_QUANTUM);
	script_msg(k, 1, 100, 100);
	script_send(k, 2 * UET_SND_QUANTUM / SCRIPT_MTU);
	KUNIT_EXPECT_EQ(test, k->m[2].state, UET_MSG_SENT);
}

/* Ordered: messages for one endpoint one after the other, of others in turn */
static void queue_lanes(struct kunit *test)
{
	struct script *k = script_new(test, true, true);
	u32 len = 2 * UET_SND_QUANTUM;

	script_msg(k, 0, len, len / 2);
	script_msg(k, 1, len, len);
	script_msg(k, 2, len, len);
	script_send(k, 256);
	/* The first one waits for data, and the second one for it. */
	KUNIT_EXPECT_EQ(test, k->m[0].sent, len / 2);
	KUNIT_EXPECT_EQ(test, k->m[1].sent, 0);
	KUNIT_EXPECT_EQ(test, k->m[2].state, UET_MSG_SENT);
	KUNIT_EXPECT_FALSE(test, uet_snd_lane_stalls(&k->s, k->now));
	KUNIT_EXPECT_TRUE(test, uet_snd_lane_stalls(&k->s, k->now + 200000000));
	k->m[0].filled = len;
	k->m[0].eom = true;
	uet_snd_announce(&k->s, &k->m[0], k->now);
	uet_snd_activate(&k->s, &k->q[0], k->now);
	KUNIT_EXPECT_FALSE(test, uet_snd_lane_stalls(&k->s, k->now + 200000000));
	script_ack(k, k->out.psn, k->out.psn, 0);
	script_send(k, 256);
	KUNIT_EXPECT_EQ(test, k->m[0].state, UET_MSG_SENT);
	script_ack(k, k->out.psn, k->out.psn, 0);
	script_send(k, 256);
	KUNIT_EXPECT_GT(test, k->m[1].sent, 0);
}

/* After shortage an ordered sender finishes what has begun before it begins more. */
static void queue_one_by_one(struct kunit *test)
{
	struct script *k = script_new(test, true, true);
	u32 len = 4 * UET_SND_QUANTUM;

	script_msg(k, 0, len, len);
	script_msg(k, 2, len, len);
	script_send(k, 1);
	script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, false);
	script_nack(k, PSN(0), UET_NACK_RCVR_INFER_LOSS, false);
	script_send(k, 1);
	script_ack(k, PSN(0), PSN(0), 0);
	script_send(k, 100);
	KUNIT_EXPECT_GT(test, k->m[0].sent, 2 * UET_SND_QUANTUM);
	KUNIT_EXPECT_EQ(test, k->m[1].sent, 0);
}

/* A message of one packet of which the sender knows, in no list */
static struct uet_snd_msg *queue_entered(struct script *k, int queue)
{
	struct uet_snd_msg *m = &k->m[k->nr++];

	m->queue = &k->q[queue];
	m->len = 100;
	m->filled = 100;
	m->eom = true;
	INIT_LIST_HEAD(&m->node);
	uet_snd_enter(&k->s, m);
	return m;
}

/* A message that need not wait in line: as if it had */
static void queue_alone_as(struct kunit *test, bool rod)
{
	struct script *k = script_new(test, rod, true);
	struct uet_snd_msg *m = queue_entered(k, 0);

	KUNIT_EXPECT_TRUE(test, uet_snd_may_alone(&k->s, m));
	uet_snd_pick_alone(&k->s, m, k->now, k->now, &k->out);
	uet_snd_commit(&k->s, &k->out, k->now, 0, k->now);
	uet_snd_transmitted(&k->s, k->now);
	script_arm(k);
	KUNIT_EXPECT_EQ(test, m->state, UET_MSG_SENT);
	KUNIT_EXPECT_EQ(test, k->ccc.backlog, 0);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 0);
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, k->finished, 1);
	/* Not beside others, in SYN, or on hold */
	script_msg(k, 0, 2 * SCRIPT_MTU, 10);
	m->state = UET_MSG_QUEUED;
	KUNIT_EXPECT_FALSE(test, uet_snd_may_alone(&k->s, m));
}

static void queue_alone(struct kunit *test)
{
	queue_alone_as(test, false);
	queue_alone_as(test, true);
}

/* A hold of one endpoint stops an ordered sender, whatever is sent next and how. */
static void queue_alone_on_hold(struct kunit *test)
{
	bool rod = false;
	u32 tries;

	do {
		struct script *k = script_new(test, rod, true);

		script_msg(k, 0, 100, 100);
		script_send(k, 9);
		script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, false);
		/* It is tried, so nothing is marked to be sent again. */
		for (tries = 9; tries && !script_send(k, 1); tries--)
			script_wait(k, 1000000000);
		KUNIT_ASSERT_TRUE(test, k->q[0].hold.trying);
		KUNIT_ASSERT_EQ(test, k->s.win.ring->nr_marked, 0);
		KUNIT_EXPECT_EQ(test, !rod,
				uet_snd_may_alone(&k->s, queue_entered(k, 2)));
		rod = !rod;
	} while (rod);
}

/* The end of a message asks for an ACK where nothing else will bring one. */
static void queue_asks(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	KUNIT_EXPECT_FALSE(test, k->out.ar);
	script_msg(k, 0, 2 * SCRIPT_MTU, 2 * SCRIPT_MTU);
	script_send(k, 9);
	KUNIT_EXPECT_TRUE(test, k->out.ar);
	k->probes = UET_PROBES_UNKNOWN;
	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	KUNIT_EXPECT_TRUE(test, k->out.ar);
	k->probes = UET_PROBES_ANSWERED;
	k->rules.ack_request_all = 1;
	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	KUNIT_EXPECT_TRUE(test, k->out.ar);
}

static bool queue_asks_for(struct script *k, bool told)
{
	script_msg(k, 0, 100, 100)->told = told;
	script_send(k, 9);
	return k->out.ar;
}

/* A message that the program waits to hear of asks, if no answer is under way. */
static void queue_told(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	KUNIT_EXPECT_TRUE(test, queue_asks_for(k, true));
	KUNIT_EXPECT_FALSE(test, queue_asks_for(k, true));
	script_ack(k, PSN(1), PSN(1), 0);
	/* What is in flight without having asked brings none. */
	KUNIT_EXPECT_FALSE(test, queue_asks_for(k, false));
	KUNIT_EXPECT_TRUE(test, queue_asks_for(k, true));
}

/* The receive window stops new packets, and the wait is counted. */
static void queue_window(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u32 len = 200 * SCRIPT_MTU;

	script_msg(k, 0, len, len);
	KUNIT_EXPECT_EQ(test, script_send(k, 999), UET_MPR_FIRST_PSNS);
	KUNIT_EXPECT_TRUE(test, k->out.ar);
	k->now += 1000;
	k->pkt.ack.mpr = 2;
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, k->flow.mpr_ns, 1000);
	KUNIT_EXPECT_EQ(test, script_send(k, 999), 72);
}

/* A queue on hold that leaves wakes others, also with nothing in flight. */
static void queue_leaves_pause(struct kunit *test)
{
	struct script *k = script_new(test, true, true);

	KUNIT_EXPECT_TRUE(test, uet_snd_pause(&k->s, &k->q[0], k->now));
	script_arm(k);
	script_msg(k, 2, 100, 100);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&k->flow.ready));
	uet_snd_leave(&k->s, &k->q[0], k->now);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
}

/* The owner of a lane leaves, for its messages move: the next one may begin. */
static void queue_leaves_lane(struct kunit *test)
{
	struct script *k = script_new(test, true, true);
	struct uet_snd_msg *m = script_msg(k, 0, 2 * SCRIPT_MTU, SCRIPT_MTU);

	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	script_msg(k, 1, 100, 100);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 0);
	list_del_init(&m->node);
	KUNIT_EXPECT_TRUE(test, !uet_snd_leave(&k->s, &k->q[0], k->now));
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	KUNIT_EXPECT_EQ(test, k->s.lanes_stalled, 0);
}

/* A lane stalls for lack of data, not by a hold; the first one counts. */
static void queue_stalls(struct kunit *test)
{
	struct script *k = script_new(test, true, true);

	script_msg(k, 0, 2 * SCRIPT_MTU, 2 * SCRIPT_MTU);
	script_send(k, 1);
	script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, false);
	KUNIT_EXPECT_EQ(test, k->s.lanes_stalled, 0);

	k = script_new(test, true, true);
	script_msg(k, 0, 2 * SCRIPT_MTU, SCRIPT_MTU);
	script_send(k, 9);
	k->now += 80000000;
	script_msg(k, 2, 2 * SCRIPT_MTU, SCRIPT_MTU);
	script_send(k, 9);
	KUNIT_EXPECT_EQ(test, k->s.lanes_stalled, 2);
	KUNIT_EXPECT_TRUE(test, uet_snd_lane_stalls(&k->s, k->now + 30000000));
}

/* A queue that lacked data for a moment goes on with its turn. */
static void queue_resumes(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u32 len = 10 * SCRIPT_MTU;

	script_msg(k, 0, len, SCRIPT_MTU);
	script_send(k, 1);
	script_msg(k, 2, len, len);
	k->m[0].filled = len;
	k->m[0].eom = true;
	uet_snd_announce(&k->s, &k->m[0], k->now);
	uet_snd_activate(&k->s, &k->q[0], k->now);
	KUNIT_EXPECT_EQ(test, script_send(k, 1), 1);
	KUNIT_EXPECT_PTR_EQ(test, k->out.pkt.msg, &k->m[0]);
}

/* A message that is sent again gets behind one that has begun, and is announced. */
static void queue_again_behind(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *m = script_msg(k, 0, 2 * SCRIPT_MTU,
					   2 * SCRIPT_MTU);

	script_msg(k, 0, 3 * SCRIPT_MTU, 2 * SCRIPT_MTU);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 4);
	m->again = true;
	script_ack(k, PSN(1), PSN(1), 0);
	KUNIT_EXPECT_EQ(test, m->state, UET_MSG_QUEUED);
	KUNIT_EXPECT_PTR_EQ(test, k->q[0].msgs.next, &k->m[1].node);
	KUNIT_EXPECT_EQ(test, m->backlog,
			2 * (SCRIPT_MTU + SCRIPT_OVERHEAD));
	KUNIT_EXPECT_EQ(test, k->ccc.backlog, m->backlog + k->m[1].backlog);
}

/*
 * A deferred message stops, and leaves its sender when its packets are answered; others go
 * on meanwhile. It comes back from where its target wants it. PSNs wrap.
 */
static void queue_defers(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *m = script_msg(k, 0, 40 * SCRIPT_MTU,
					   40 * SCRIPT_MTU);
	struct uet_snd_msg *other = script_msg(k, 0, 100, 100);

	KUNIT_EXPECT_EQ(test, script_send(k, 20), 20);
	KUNIT_EXPECT_TRUE(test, uet_snd_defer_msg(&k->s, m, k->now));
	KUNIT_EXPECT_FALSE(test, uet_snd_defer_msg(&k->s, m, k->now));
	KUNIT_EXPECT_TRUE(test, uet_snd_is_deferred(m));
	/* The end of it, and the next one */
	KUNIT_EXPECT_EQ(test, script_send(k, 1), 1);
	KUNIT_EXPECT_EQ(test, k->out.pkt.flags, UET_SND_MSG_ERROR);
	KUNIT_EXPECT_EQ(test, k->out.pkt.len, 0);
	KUNIT_EXPECT_EQ(test, k->out.pkt.off, 20 * SCRIPT_MTU);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	KUNIT_EXPECT_PTR_EQ(test, k->out.pkt.msg, other);
	script_ack(k, PSN(19), PSN(19), 0);
	KUNIT_EXPECT_EQ(test, m->state, UET_MSG_SENT);
	script_ack(k, PSN(21), PSN(21), 0);
	KUNIT_EXPECT_EQ(test, k->s.nr_msgs, 0);
	KUNIT_EXPECT_EQ(test, m->state, UET_MSG_QUEUED);
	KUNIT_EXPECT_EQ(test, k->ccc.backlog, 0);
	KUNIT_EXPECT_EQ(test, k->ccc.inflight, 0);

	uet_snd_restart(m, 1500);
	KUNIT_EXPECT_FALSE(test, uet_snd_is_deferred(m));
	uet_snd_submit(&k->s, m, k->now);
	uet_snd_enqueue(&k->s, m, k->now);
	KUNIT_EXPECT_EQ(test, script_send(k, 1), 1);
	KUNIT_EXPECT_EQ(test, k->out.pkt.off, 1500);
	KUNIT_EXPECT_EQ(test, k->out.pkt.len, SCRIPT_MTU);
	KUNIT_EXPECT_EQ(test, k->out.pkt.flags, 0);
	while (script_send(k, 99))
		script_ack(k, k->out.psn, k->out.psn, 0);
	KUNIT_EXPECT_EQ(test, m->state, UET_MSG_DONE);
	KUNIT_EXPECT_EQ(test, m->sent, m->len);
	KUNIT_EXPECT_EQ(test, k->ccc.backlog, 0);
}

/* What is not deferred: an ordered message, one that failed or goes again anyway */
static void queue_defers_not(struct kunit *test)
{
	struct script *k = script_new(test, true, true);
	struct uet_snd_msg *m = script_msg(k, 0, 100, 100);

	script_send(k, 1);
	KUNIT_EXPECT_FALSE(test, uet_snd_defer_msg(&k->s, m, k->now));

	k = script_new(test, false, true);
	m = script_msg(k, 0, 100, 100);
	script_send(k, 1);
	m->again = true;
	KUNIT_EXPECT_FALSE(test, uet_snd_defer_msg(&k->s, m, k->now));
	KUNIT_EXPECT_FALSE(test, uet_snd_is_deferred(m));
	m->again = false;
	m->state = UET_MSG_FAILED;
	KUNIT_EXPECT_FALSE(test, uet_snd_defer_msg(&k->s, m, k->now));
	/* One that fails while it is deferred is done when it is answered. */
	m->state = UET_MSG_SENT;
	KUNIT_EXPECT_TRUE(test, uet_snd_defer_msg(&k->s, m, k->now));
	uet_snd_not_again(m);
	KUNIT_EXPECT_FALSE(test, uet_snd_is_deferred(m));
	m->state = UET_MSG_FAILED;
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, m->state, UET_MSG_DONE);
}

/* The PDC of a message that is sent from an offset dies: it may move if all of that was
 * NACKed.
 */
static void queue_defers_moves(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *m = &k->m[0];

	uet_snd_restart(m, 1000);
	k->nr = 0;
	script_msg(k, 0, 1500, 1500);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	KUNIT_EXPECT_EQ(test, k->out.pkt.len, 500);
	KUNIT_EXPECT_FALSE(test, uet_snd_may_move(&k->s, m, false));
	m->disowned += 500;
	KUNIT_EXPECT_TRUE(test, uet_snd_may_move(&k->s, m, false));
	uet_snd_rewind(m);
	KUNIT_EXPECT_EQ(test, m->sent, 1000);
	KUNIT_EXPECT_EQ(test, m->disowned, 1000);
}

/* Larger rings have what the smaller ones had. */
static void queue_grows(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd_mem mem;

	script_msg(k, 0, 100, 100);
	script_msg(k, 1, 100, 100);
	script_send(k, 9);
	snd_mem_alloc(test, &mem, 2 * SCRIPT_SLOTS);
	uet_snd_attach(&k->s, &mem, 2 * SCRIPT_SLOTS);
	script_ack(k, PSN(1), PSN(1), 0);
	KUNIT_EXPECT_EQ(test, k->finished, 2);
}

/* Senders of a flow: a packet each, and first the one whose timeout it was */
static void queue_senders(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	struct list_head *ready = &k->flow.ready;
	u32 len = 10 * SCRIPT_MTU;

	KUNIT_ASSERT_NOT_NULL(test, other);
	uet_snd_init(other, &k->flow, 0, false, 1, k->now);
	k->probes = UET_PROBES_NACKED;
	script_msg(k, 0, 100, 100);
	script_send(k, 1);
	KUNIT_EXPECT_TRUE(test, list_empty(ready));
	/* It has not used up its turn: it gets in line in front. */
	uet_snd_ready(other);
	script_msg(k, 0, len, len);
	KUNIT_EXPECT_PTR_EQ(test, ready->next, &k->s.ready_node);
	script_send(k, 1);
	KUNIT_EXPECT_PTR_EQ(test, ready->next, &other->ready_node);
	while (!k->lost && k->now < 200000000000ULL) {
		KUNIT_EXPECT_PTR_EQ(test, ready->next, &other->ready_node);
		uet_snd_work_init(&k->w, k->now, k->now);
		uet_snd_expire(&k->s, &k->w);
		script_losses(k);
		k->now += SCRIPT_RTO / 2;
	}
	KUNIT_EXPECT_PTR_EQ(test, ready->next, &k->s.ready_node);
}

/* Given up after the PDC died: its rings are gone, and the hold with them. */
static void queue_held_gone(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *m = script_msg(k, 0, 2 * SCRIPT_MTU,
					   2 * SCRIPT_MTU);

	script_send(k, 9);
	script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, false);
	script_nack(k, PSN(1), UET_NACK_NO_PKT_BUFFER, false);
	k->s.state = UET_PDC_DEAD;
	uet_snd_gone(&k->s, m->backlog, k->now, &k->mem);
	KUNIT_EXPECT_EQ(test, k->s.win.nslots, 0);
	m->given_up = true;
	m->state = UET_MSG_FAILED;
	uet_snd_hold_given_up(&k->s, &k->q[0], k->now);
	KUNIT_EXPECT_EQ(test, k->q[0].hold.held.nr, 0);
	KUNIT_EXPECT_EQ(test, k->ccc.inflight, 0);
}

#define MANY_QUEUES	64
#define MANY_PACKETS	4

static u64 many_steps(const struct uet_snd_queue *q)
{
	u64 steps = 0;
	u32 i;

	for (i = 0; i < MANY_QUEUES; i++)
		steps += q[i].hold.held.steps;
	return steps;
}

/*
 * Packets of many queues, one after the other, are all held. What is released
 * next is found without a look at the packets of other queues, and each queue
 * sends its own in order, whatever the order of the NACKs.
 */
static void queue_many_held(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u32 n = MANY_QUEUES * MANY_PACKETS, i, j, acked = 0;
	u8 next[MANY_QUEUES] = {};
	struct uet_snd_queue *q;
	struct uet_snd_msg *m;

	k->s.win.limit += SCRIPT_SLOTS;
	q = kunit_kzalloc(test, MANY_QUEUES * sizeof(*q), GFP_KERNEL);
	m = kunit_kzalloc(test, MANY_QUEUES * sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, q);
	KUNIT_ASSERT_NOT_NULL(test, m);
	for (i = 0; i < MANY_QUEUES; i++) {
		uet_snd_queue_init(&q[i], (u16)i);
		m[i].queue = &q[i];
		m[i].len = MANY_PACKETS * SCRIPT_MTU;
		uet_snd_submit(&k->s, &m[i], k->now);
		uet_snd_enqueue(&k->s, &m[i], k->now);
	}
	for (i = 0; i < n; i++) {
		struct uet_snd_msg *now = &m[i % MANY_QUEUES];

		now->filled += SCRIPT_MTU;
		now->eom = now->filled == now->len;
		uet_snd_announce(&k->s, now, k->now);
		uet_snd_activate(&k->s, now->queue, k->now);
		KUNIT_ASSERT_EQ(test, script_send(k, 9), 1);
	}
	/* 37 and 256 have no common divisor: an order without order */
	for (i = 0; i < n; i++)
		script_nack(k, PSN(i * 37 % n), UET_NACK_NO_PKT_BUFFER, false);
	KUNIT_EXPECT_EQ(test, k->s.win.nr_held, n);
	for (j = 0; acked < n && j < 100 * n; j++) {
		if (!script_send(k, 1)) {
			script_wait(k, 100 * PAUSE);
			continue;
		}
		i = k->out.psn - PSN(0);
		KUNIT_EXPECT_EQ(test, i / MANY_QUEUES, next[i % MANY_QUEUES]);
		next[i % MANY_QUEUES]++;
		script_ack(k, k->out.psn, PSN(-1), 0);
		acked++;
	}
	KUNIT_EXPECT_EQ(test, acked, n);
	KUNIT_EXPECT_EQ(test, k->s.win.nr_held, 0);
	for (i = 0; i < MANY_QUEUES; i++)
		KUNIT_EXPECT_FALSE(test, q[i].hold.on);
	/* Two operations per packet, each of at most log2(MANY_PACKETS) steps */
	KUNIT_EXPECT_LE(test, many_steps(q), 2 * 2 * n);
}

/* CACK takes packets off a hold that are not released yet. */
static void queue_held_covered(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u32 i;

	script_msg(k, 0, 8 * SCRIPT_MTU, 8 * SCRIPT_MTU);
	script_send(k, 8);
	for (i = 0; i < 6; i++)
		script_nack(k, PSN(i), UET_NACK_NO_PKT_BUFFER, false);
	/* They arrived after all: two by SACK, then three by CACK. */
	script_ack(k, PSN(1), PSN(-1), 0x12);
	KUNIT_EXPECT_EQ(test, k->s.win.nr_held, 4);
	KUNIT_EXPECT_EQ(test, k->q[0].hold.held.nr, 6);
	script_ack(k, PSN(1), PSN(2), 0);
	KUNIT_EXPECT_EQ(test, k->s.win.nr_held, 2);
	KUNIT_EXPECT_EQ(test, k->q[0].hold.held.nr, 3);
	/* One is to be tried, the other one waits for its turn. */
	while (!script_send(k, 9))
		script_wait(k, 100 * PAUSE);
	KUNIT_EXPECT_EQ(test, k->out.psn, PSN(3));
	script_ack(k, PSN(3), PSN(4), 0);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	KUNIT_EXPECT_EQ(test, k->out.psn, PSN(5));
	KUNIT_EXPECT_EQ(test, k->q[0].hold.held.nr, 0);
}

static struct kunit_case snd_queue_cases[] = {
	KUNIT_CASE(queue_holds),
	KUNIT_CASE(queue_ramps_up),
	KUNIT_CASE(queue_holds_others),
	KUNIT_CASE(queue_leaves),
	KUNIT_CASE(queue_leaves_pause),
	KUNIT_CASE(queue_leaves_lane),
	KUNIT_CASE(queue_stalls),
	KUNIT_CASE(queue_resumes),
	KUNIT_CASE(queue_grows),
	KUNIT_CASE(queue_again),
	KUNIT_CASE(queue_again_behind),
	KUNIT_CASE(queue_defers),
	KUNIT_CASE(queue_defers_not),
	KUNIT_CASE(queue_defers_moves),
	KUNIT_CASE(queue_gives_up),
	KUNIT_CASE(queue_ends_on_hold),
	KUNIT_CASE(queue_drops),
	KUNIT_CASE(queue_turns),
	KUNIT_CASE(queue_senders),
	KUNIT_CASE(queue_lanes),
	KUNIT_CASE(queue_one_by_one),
	KUNIT_CASE(queue_alone),
	KUNIT_CASE(queue_alone_on_hold),
	KUNIT_CASE(queue_asks),
	KUNIT_CASE(queue_told),
	KUNIT_CASE(queue_window),
	KUNIT_CASE(queue_many_held),
	KUNIT_CASE(queue_held_covered),
	KUNIT_CASE(queue_held_gone),
	{}
};

static struct kunit_suite snd_queue_suite = {
	.name = "uet_snd_queue",
	.test_cases = snd_queue_cases,
};

kunit_test_suite(snd_queue_suite);
