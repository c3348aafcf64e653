// SPDX-License-Identifier: GPL-2.0
/* The sender: losses, probes, timeouts, NACKs, PDCs that are gone; scripted events */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/snd/snd_gone.h"
#include "snd_script.h"

#define PSN(n)	(SCRIPT_PSN + (n))

/* A lone packet: a tail probe, then it times out, more seldom each time. */
static void snd_times_out(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u64 sent = k->now, first;

	script_msg(k, 0, 100, 100);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	KUNIT_EXPECT_EQ(test, k->s.rto_at, sent + uet_snd_rto(&k->s));
	script_wait(k, SCRIPT_RTO / 2);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_PROBE));
	KUNIT_EXPECT_EQ(test, script_cp(k, UET_CTL_PROBE)->cp.payload, PSN(0));
	KUNIT_EXPECT_TRUE(test, script_cp(k, UET_CTL_PROBE)->data_class);
	while (!k->lost && k->now < sent + 100 * SCRIPT_RTO)
		script_wait(k, SCRIPT_RTO);
	first = k->now - sent;
	KUNIT_EXPECT_EQ(test, k->how, UET_LOSS_RTO);
	KUNIT_EXPECT_GE(test, first, SCRIPT_RTO);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	KUNIT_EXPECT_TRUE(test, k->out.rtx && k->out.ar);
	sent = k->now;
	for (k->lost = 0; !k->lost && k->now < sent + 100 * SCRIPT_RTO;)
		script_wait(k, SCRIPT_RTO);
	KUNIT_EXPECT_GE(test, k->now - sent, first + first / 2);
}

/* A first timeout declares the oldest packet lost, a second one all. */
static void snd_second_timeout(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u32 i;

	k->probes = UET_PROBES_NACKED;
	for (i = 0; i < 4; i++)
		script_msg(k, 0, 100, 100);
	script_send(k, 9);
	while (!k->lost && k->now < 200000000000ULL)
		script_wait(k, SCRIPT_RTO);
	KUNIT_EXPECT_EQ(test, k->lost, 1);
	KUNIT_EXPECT_TRUE(test, uet_txwin_is_marked(&k->s.win, PSN(0)));
	/* One may exceed a closed window. */
	KUNIT_EXPECT_TRUE(test, k->s.overdue);
	script_send(k, 9);
	k->lost = 0;
	while (!k->lost && k->now < 200000000000ULL)
		script_wait(k, SCRIPT_RTO);
	KUNIT_EXPECT_GE(test, k->lost, 3);
	KUNIT_EXPECT_EQ(test, k->s.retries, 2);
}

/* After many timeouts and a long silence the peer counts as gone. */
static void snd_peer_gone(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u64 start = k->now;

	script_msg(k, 0, 100, 100);
	while (k->w.end != UET_SND_SILENT && k->now < start + 100000000000ULL) {
		script_send(k, 9);
		script_wait(k, 10 * SCRIPT_RTO);
	}
	KUNIT_EXPECT_EQ(test, k->w.end, UET_SND_SILENT);
	KUNIT_EXPECT_GE(test, k->now - start, 30000000000ULL);
	KUNIT_EXPECT_LE(test, k->now - start, 31000000000ULL);
}

/* Packets below SACKed ones are lost, but not before they are old. */
static void snd_overtakes(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 10 * SCRIPT_MTU, 10 * SCRIPT_MTU);
	KUNIT_EXPECT_EQ(test, script_send(k, 99), 10);
	k->now += SCRIPT_RTT;
	script_ack(k, PSN(9), PSN(-1), 0x3e0);
	KUNIT_EXPECT_EQ(test, k->lost, 0);
	KUNIT_EXPECT_NE(test, uet_snd_busy(&k->s)->loss_at, 0);
	while (!k->lost && k->now < 100001000000ULL)
		script_wait(k, SCRIPT_RTT);
	KUNIT_EXPECT_EQ(test, k->lost, 5);
	KUNIT_EXPECT_EQ(test, k->how, UET_LOSS_SACK);
	KUNIT_EXPECT_EQ(test, script_send(k, 99), 5);
	KUNIT_EXPECT_EQ(test, k->resent, 5);
}

static void probe_tells(struct kunit *test, u32 rtt, u16 service_time)
{
	struct script *k = script_new(test, false, true);
	u16 id;

	script_msg(k, 0, 3 * SCRIPT_MTU, 3 * SCRIPT_MTU);
	script_send(k, 9);
	script_wait(k, SCRIPT_RTO / 2);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_PROBE));
	id = script_cp(k, UET_CTL_PROBE)->cp.probe_opaque;
	KUNIT_EXPECT_GT(test, id, UET_PROBE_ALIVE);
	k->now += rtt;
	k->pkt.flags = UET_F_PROBE;
	k->pkt.ack.probe_opaque = id;
	k->pkt.ack.service_time = service_time;
	script_ack(k, PSN(-1), PSN(-1), 0);
	while (!k->lost && k->now < k->s.rto_at)
		script_wait(k, SCRIPT_RTT);
	KUNIT_EXPECT_EQ(test, k->lost, 3);
	KUNIT_EXPECT_EQ(test, k->how, UET_LOSS_PROBE);
}

/* Missing before an answered probe is lost, too. */
static void snd_probe_tells(struct kunit *test)
{
	probe_tells(test, SCRIPT_RTT, 0);
}

/* The round trip is shorter than the unit of 128 ns that the target states. */
static void snd_probe_tells_at_once(struct kunit *test)
{
	probe_tells(test, 0, 1);
}

/* On one path what followed the probe is not missing, if at the same time. */
static void snd_probe_tells_order(struct kunit *test)
{
	struct script *k = script_new(test, true, true);
	u16 id;

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	script_wait(k, SCRIPT_RTO / 2);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_PROBE));
	id = script_cp(k, UET_CTL_PROBE)->cp.probe_opaque;
	script_msg(k, 0, 100, 100);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	k->now += SCRIPT_RTT;
	k->pkt.flags = UET_F_PROBE;
	k->pkt.ack.probe_opaque = id;
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, k->w.gone_back, 0);
	KUNIT_EXPECT_EQ(test, k->s.win.ring->flight_pkts, 1);
}

/* A probe without an answer does not end the probing. */
static void snd_probes_on(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	script_wait(k, SCRIPT_RTO / 2);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_PROBE));
	/* The packet is held when the next probe is due. */
	script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, false);
	KUNIT_EXPECT_EQ(test, k->s.win.ring->flight_pkts, 0);
	uet_snd_busy(&k->s)->probe_at = k->now;
	k->timer = k->now;
	script_wait(k, 0);
	KUNIT_EXPECT_EQ(test, uet_snd_busy(&k->s)->probe_at, 0);
	while (!script_send(k, 1) && k->now < 101000000000ULL)
		script_wait(k, SCRIPT_RTO);
	KUNIT_EXPECT_NE(test, uet_snd_busy(&k->s)->probe_tx, 0);
	KUNIT_EXPECT_NE(test, uet_snd_busy(&k->s)->probe_at, 0);
}

/* The out-of-order count starts recovery, though SACK shows nothing. */
static void snd_counts_tell(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u32 count = k->p.max_wnd / SCRIPT_MTU + 5;

	script_msg(k, 0, 200 * SCRIPT_MTU, 200 * SCRIPT_MTU);
	KUNIT_EXPECT_GT(test, script_send(k, 200), 20);
	k->now += SCRIPT_RTT;
	script_ack(k, PSN(0), PSN(0), 0);
	k->now += 20 * SCRIPT_RTT;
	k->pkt.ack.ooo_count = (u16)count;
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_GT(test, k->lost, 0);
	KUNIT_EXPECT_EQ(test, k->how, UET_LOSS_OOO);
}

/* An ordered target dropped what follows a gap: all of it goes again. */
static void snd_goes_back(struct kunit *test)
{
	struct script *k = script_new(test, true, true);

	script_msg(k, 0, 6 * SCRIPT_MTU, 6 * SCRIPT_MTU);
	script_send(k, 9);
	KUNIT_EXPECT_EQ(test, script_nack(k, PSN(2), UET_NACK_ROD_OOO, false),
			UET_SND_NACK_SETTLE);
	/* Only the gap is a loss. */
	KUNIT_EXPECT_EQ(test, k->lost, 2);
	KUNIT_EXPECT_EQ(test, k->how, UET_LOSS_GO_BACK);
	KUNIT_EXPECT_EQ(test, k->w.gone_back, 6);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 6);
	/* Those of the same round are not news. */
	KUNIT_EXPECT_EQ(test, script_nack(k, PSN(2), UET_NACK_ROD_OOO, false),
			UET_SND_NACK_DONE);
	KUNIT_EXPECT_EQ(test, k->s.win.ring->nr_marked, 0);
	k->now += 10 * SCRIPT_RTT;
	script_nack(k, PSN(2), UET_NACK_ROD_OOO, false);
	KUNIT_EXPECT_EQ(test, k->w.gone_back, 6);
}

/* An ordered target that has SACKed keeps what follows a gap: only that goes again. */
static void snd_fills_gaps(struct kunit *test)
{
	struct script *k = script_new(test, true, true);

	script_msg(k, 0, 8 * SCRIPT_MTU, 8 * SCRIPT_MTU);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 8);
	k->now += SCRIPT_RTT;
	/* 0 and 3 are missing; 7 has no response yet. */
	script_ack(k, PSN(7), PSN(-1), 0xf6);
	KUNIT_EXPECT_TRUE(test, k->s.keeps);
	KUNIT_EXPECT_TRUE(test, uet_txwin_is_sacked(&k->s.win, PSN(7)));
	KUNIT_EXPECT_FALSE(test, uet_txwin_is_answered(&k->s.win, PSN(7)));
	k->now += 3 * SCRIPT_RTT;
	script_ack(k, PSN(7), PSN(-1), 0xf6);
	KUNIT_EXPECT_EQ(test, k->lost, 2);
	KUNIT_EXPECT_EQ(test, k->how, UET_LOSS_SACK);
	KUNIT_EXPECT_EQ(test, k->w.gone_back, 0);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 2);
	KUNIT_EXPECT_EQ(test, k->resent, 2);
	/* CACK comes past the gap: what it covers counts as answered. */
	k->pkt.next_hdr = UET_NH_RSP;
	k->pkt.rsp.code = UET_RC_OK;
	script_ack(k, PSN(3), PSN(7), 0);
	KUNIT_EXPECT_EQ(test, k->finished, 1);
	KUNIT_EXPECT_EQ(test, k->s.win.ring->flight_pkts, 0);
}

/* ... and says so by an answer without a response, or by NO_RESPONSE: whether it takes the
 * packet is not known before its turn.
 */
static void snd_kept_is_no_answer(struct kunit *test)
{
	struct script *k;
	u32 i;

	for (i = 0; i < 2; i++) {
		k = script_new(test, true, true);
		script_msg(k, 0, 2 * SCRIPT_MTU, 2 * SCRIPT_MTU);
		script_send(k, 9);
		if (i) {
			k->pkt.next_hdr = UET_NH_RSP;
			k->pkt.rsp.opcode = UET_RSP_OP_NO_RESPONSE;
		}
		script_ack(k, PSN(1), PSN(-1), 0);
		KUNIT_EXPECT_TRUE(test, uet_txwin_is_sacked(&k->s.win, PSN(1)));
		KUNIT_EXPECT_FALSE(test, uet_txwin_is_answered(&k->s.win, PSN(1)));
		KUNIT_EXPECT_FALSE(test, k->acked.needless);
	}
}

/* ... but it may have no memory for a packet, and then goes on dropping. */
static void snd_fills_gaps_no_more(struct kunit *test)
{
	struct script *k = script_new(test, true, true);

	script_msg(k, 0, 6 * SCRIPT_MTU, 6 * SCRIPT_MTU);
	script_send(k, 9);
	script_ack(k, PSN(2), PSN(-1), 0x6);
	KUNIT_EXPECT_TRUE(test, k->s.keeps);
	KUNIT_EXPECT_EQ(test, script_nack(k, PSN(4), UET_NACK_ROD_OOO, false),
			UET_SND_NACK_SETTLE);
	KUNIT_EXPECT_FALSE(test, k->s.keeps);
	/* What it has is not sent again. */
	KUNIT_EXPECT_EQ(test, k->w.gone_back, 4);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 4);
}

/* Errors in a row end a PDC; a reserved cause and processing do not. */
static void snd_errors(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	enum uet_snd_nack_verdict v;
	u32 i;

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	KUNIT_EXPECT_EQ(test, script_nack(k, PSN(0), UET_NACK_RCVD_SES_PROCG,
					  false), UET_SND_NACK_DONE);
	KUNIT_EXPECT_EQ(test, script_nack(k, PSN(9), UET_NACK_TRIMMED, false),
			UET_SND_NACK_STRAY);
	for (i = 0; i < 20; i++) {
		v = script_nack(k, PSN(0), UET_NACK_EXP_ERROR, i);
		if (v == UET_SND_NACK_TOO_MANY)
			break;
		KUNIT_EXPECT_EQ(test, v, UET_SND_NACK_FEED);
		KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	}
	KUNIT_EXPECT_EQ(test, i, k->rules.max_nack_retx);
}

/* A NACK without a PSN leads to a question, whose answer is believed. */
static void snd_doubts(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	script_wait(k, SCRIPT_RTO / 2);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_PROBE));
	KUNIT_EXPECT_EQ(test, script_nack(k, 0, UET_NACK_INV_DPDCID, false),
			UET_SND_NACK_DONE);
	script_wait(k, 0);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_ACK_REQ));
	KUNIT_EXPECT_EQ(test, script_cp(k, UET_CTL_ACK_REQ)->cp.psn, PSN(-1));
	KUNIT_EXPECT_EQ(test, script_nack(k, PSN(-2), UET_NACK_INV_DPDCID,
					  false), UET_SND_NACK_STRAY);
	KUNIT_EXPECT_EQ(test, script_nack(k, PSN(-1), UET_NACK_INV_DPDCID,
					  false), UET_SND_NACK_FATAL);
	/* It says nothing about the packet in flight. */
	KUNIT_EXPECT_TRUE(test, uet_snd_disown(&k->s, PSN(-1), false, k->now));
	KUNIT_EXPECT_FALSE(test, uet_snd_disowned(&k->s, PSN(0), false));
}

/* A message may move if each of its packets was NACKed as often as sent. */
static void snd_moves(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *whole = script_msg(k, 0, 2 * SCRIPT_MTU,
					       2 * SCRIPT_MTU);
	struct uet_snd_msg *part = script_msg(k, 0, 2 * SCRIPT_MTU,
					      2 * SCRIPT_MTU);
	struct uet_snd_msg *asked = script_msg(k, 0, 100, 100);

	script_send(k, 9);
	script_ack(k, PSN(3), PSN(-1), 8);
	uet_snd_work_init(&k->w, k->now, k->now);
	uet_snd_clear_req(&k->s, PSN(4), 1, &k->w);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_ACK_REQ));
	KUNIT_EXPECT_TRUE(test, uet_snd_disown(&k->s, PSN(0), false, k->now));
	uet_snd_disowned(&k->s, PSN(4), false);
	uet_snd_disowned(&k->s, PSN(2), false);
	KUNIT_EXPECT_FALSE(test, uet_snd_disowned(&k->s, PSN(1), false));
	uet_snd_gone(&k->s, 0, k->now, &k->mem);
	KUNIT_EXPECT_TRUE(test, uet_snd_may_move(&k->s, whole, false));
	KUNIT_EXPECT_FALSE(test, uet_snd_may_move(&k->s, part, false));
	KUNIT_EXPECT_FALSE(test, uet_snd_may_move(&k->s, asked, false));
	/* The CCC has nothing left of the PDC. */
	KUNIT_EXPECT_EQ(test, k->ccc.inflight_pkts, 0);
	KUNIT_EXPECT_EQ(test, k->ccc.stats.imbalance, 0);
}

/* Responses are cleared: after a while, on demand, and only once. */
static void snd_clears(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	k->pkt.flags = UET_F_REQ_CLEAR;
	script_ack(k, PSN(0), PSN(-1), 1);
	KUNIT_EXPECT_EQ(test, k->s.clear_at, k->now + 100000);
	script_wait(k, 200000);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_CLEAR_CMD));
	KUNIT_EXPECT_EQ(test, script_cp(k, UET_CTL_CLEAR_CMD)->cp.payload,
			PSN(0));
	KUNIT_EXPECT_EQ(test, k->s.clear_at, 0);
	uet_snd_work_init(&k->w, k->now, k->now);
	uet_snd_clear_req(&k->s, PSN(0), 1, &k->w);
	script_arm(k);
	script_wait(k, 0);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_CLEAR_CMD));
}

/* SACKed, but the response is not known: the timeout asks, and resends nothing. */
static void snd_asks_for_response(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 2 * SCRIPT_MTU, 2 * SCRIPT_MTU);
	script_send(k, 9);
	script_ack(k, PSN(1), PSN(-1), 3);
	KUNIT_EXPECT_EQ(test, k->s.win.ring->flight_pkts, 0);
	while (!script_cp(k, UET_CTL_ACK_REQ) && k->now < 101000000000ULL)
		script_wait(k, SCRIPT_RTO);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_ACK_REQ));
	KUNIT_EXPECT_EQ(test, script_cp(k, UET_CTL_ACK_REQ)->cp.psn, PSN(0));
	KUNIT_EXPECT_EQ(test, k->s.win.ring->nr_marked, 0);
}

/* CLOSE_CMD has a PSN, is resent, and counts nowhere. */
static void snd_closes(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	k->s.state = UET_PDC_CLOSING;
	uet_snd_commit_cp(&k->s, k->s.win.next, k->now);
	script_arm(k);
	KUNIT_EXPECT_EQ(test, k->ccc.inflight_pkts, 0);
	while (!k->s.win.ring->nr_marked && k->now < 101000000000ULL)
		script_wait(k, SCRIPT_RTO);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	KUNIT_EXPECT_EQ(test, k->s.win.ring->nr_marked, 0);
	KUNIT_EXPECT_EQ(test, k->ccc.waiting_rtx, 0);
	KUNIT_EXPECT_EQ(test, k->s.idle_at, 0);
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, uet_txwin_outstanding(&k->s.win), 0);
}

/* Without memory the timer tries again. */
static void snd_without_memory(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u64 start = k->now;

	script_msg(k, 0, 100, 100);
	KUNIT_EXPECT_EQ(test, uet_snd_pick(&k->s, k->now, k->now, &k->out),
			UET_SND_NEW);
	list_del_init(&k->s.ready_node);
	uet_snd_nomem(&k->s, k->now);
	script_arm(k);
	script_wait(k, 10000000);
	KUNIT_EXPECT_EQ(test, k->now - start, 2000000);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
}

/* A packet that a retransmission did not need is told, and tolerated next time. */
static void snd_needless(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u64 age = uet_snd_loss_age(&k->s);

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	k->pkt.flags = UET_F_RETX;
	k->pkt.next_hdr = UET_NH_RSP;
	k->pkt.rsp.code = UET_RC_NULL;
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_TRUE(test, k->acked.needless);
	KUNIT_EXPECT_EQ(test, k->ccc.stats.needless, 1ULL);
	KUNIT_EXPECT_GT(test, uet_snd_loss_age(&k->s), age);
}

static struct kunit_case snd_cases[] = {
	KUNIT_CASE(snd_times_out),
	KUNIT_CASE(snd_second_timeout),
	KUNIT_CASE(snd_peer_gone),
	KUNIT_CASE(snd_overtakes),
	KUNIT_CASE(snd_probe_tells),
	KUNIT_CASE(snd_probe_tells_at_once),
	KUNIT_CASE(snd_probe_tells_order),
	KUNIT_CASE(snd_probes_on),
	KUNIT_CASE(snd_counts_tell),
	KUNIT_CASE(snd_goes_back),
	KUNIT_CASE(snd_fills_gaps),
	KUNIT_CASE(snd_kept_is_no_answer),
	KUNIT_CASE(snd_fills_gaps_no_more),
	KUNIT_CASE(snd_errors),
	KUNIT_CASE(snd_doubts),
	KUNIT_CASE(snd_moves),
	KUNIT_CASE(snd_clears),
	KUNIT_CASE(snd_asks_for_response),
	KUNIT_CASE(snd_closes),
	KUNIT_CASE(snd_without_memory),
	KUNIT_CASE(snd_needless),
	{}
};

static struct kunit_suite snd_suite = {
	.name = "uet_snd",
	.test_cases = snd_cases,
};

kunit_test_suite(snd_suite);
