// SPDX-License-Identifier: GPL-2.0
/* Source of RUDI packets (rudi.h) */
#include <kunit/test.h>

#include "../core/snd/rudi.h"
#include "../core/wire/hdr_build.h"

#define FULL	1000
#define MS	1000000ULL
#define SEC	1000000000ULL
#define START	(5 * SEC)

static const struct uet_snd_rules rules = {
	.rto_min_us	= 1000,
	.rto_max_ms	= 200,
	.max_rto_retx	= 5,
	.peer_timeout_s	= 30,
	.max_nack_retx	= 5,
	.nack_retx_us	= 1000,
};

struct rudi_world {
	struct uet_rudi_win w;
	struct uet_rudi_try t[UET_RUDI_MOST + 1];
};

static struct rudi_world *world(struct kunit *test)
{
	struct rudi_world *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, r);
	uet_rudi_win_init(&r->w, FULL);
	for (i = 0; i < ARRAY_SIZE(r->t); i++)
		r->t[i].size = FULL;
	return r;
}

/* Send as many as the window allows, from a packet on. Returns the one after them. */
static u32 fill(struct rudi_world *r, u32 i, u64 now)
{
	while (i < ARRAY_SIZE(r->t) && uet_rudi_win_open(&r->w, FULL, 0))
		uet_rudi_sent(&r->w, &r->t[i++], now, &rules);
	return i;
}

static void rudi_window(struct kunit *test)
{
	struct rudi_world *r = world(test);
	u32 i, n, round;

	n = fill(r, 0, START);
	KUNIT_EXPECT_EQ(test, n, UET_RUDI_FIRST);
	for (i = 0; i < n; i++)
		uet_rudi_answered(&r->w, &r->t[i], 0, START + MS);
	KUNIT_EXPECT_EQ(test, r->w.inflight, 0);
	/* It grows while it is used, up to its bound. */
	KUNIT_EXPECT_GT(test, r->w.cwnd, (u64)FULL * UET_RUDI_FIRST);
	for (round = 0; round < 20; round++) {
		memset(r->t, 0, sizeof(r->t));
		for (i = 0; i < ARRAY_SIZE(r->t); i++)
			r->t[i].size = FULL;
		n = fill(r, 0, START);
		for (i = 0; i < n; i++)
			uet_rudi_answered(&r->w, &r->t[i], 0, START + MS);
	}
	KUNIT_EXPECT_EQ(test, n, UET_RUDI_MOST);
	/* A CCC to the same peer limits it; one packet may always leave. */
	KUNIT_EXPECT_TRUE(test, uet_rudi_win_open(&r->w, FULL, 10));
	uet_rudi_sent(&r->w, &r->t[0], START, &rules);
	KUNIT_EXPECT_FALSE(test, uet_rudi_win_open(&r->w, FULL, 2 * FULL - 1));
	KUNIT_EXPECT_TRUE(test, uet_rudi_win_open(&r->w, FULL, 2 * FULL));
}

/* What is idle does not grow. */
static void rudi_idle(struct kunit *test)
{
	struct rudi_world *r = world(test);
	u32 i;

	for (i = 0; i < 100; i++) {
		uet_rudi_sent(&r->w, &r->t[i], START, &rules);
		uet_rudi_answered(&r->w, &r->t[i], 0, START + MS);
	}
	KUNIT_EXPECT_EQ(test, r->w.cwnd, (u64)FULL * UET_RUDI_FIRST);
}

/* Marks halve a window that is marked throughout; less than a packet is never left. */
static void rudi_marks(struct kunit *test)
{
	struct rudi_world *r = world(test);
	u32 i, n;

	n = fill(r, 0, START);
	for (i = 0; i < n; i++)
		uet_rudi_answered(&r->w, &r->t[i], UET_F_ECN, START + MS);
	KUNIT_EXPECT_EQ(test, r->w.cwnd, (u64)FULL * UET_RUDI_FIRST / 2);
	for (i = n; i < 2 * UET_RUDI_FIRST + n; i++) {
		uet_rudi_sent(&r->w, &r->t[i], START, &rules);
		uet_rudi_answered(&r->w, &r->t[i], UET_F_ECN, START + MS);
	}
	KUNIT_EXPECT_EQ(test, r->w.cwnd, FULL);
	KUNIT_EXPECT_EQ(test, r->w.inflight, 0);
}

static void rudi_times_out(struct kunit *test)
{
	struct rudi_world *r = world(test);
	struct uet_rudi_try *t = &r->t[0];
	u64 now = START, due, last = 0;
	enum uet_rudi_verdict v;
	u32 n = 0;

	due = uet_rudi_sent(&r->w, t, now, &rules);
	KUNIT_EXPECT_EQ(test, due, START + MS);
	do {
		/* The interval doubles up to its bound. */
		KUNIT_EXPECT_GE(test, due - now, last);
		KUNIT_EXPECT_LE(test, due - now, 200 * MS);
		last = due - now;
		now = due;
		v = uet_rudi_expired(&r->w, t, now, &rules);
		KUNIT_EXPECT_EQ(test, r->w.inflight, 0);
		if (v == UET_RUDI_AGAIN)
			due = uet_rudi_sent(&r->w, t, now, &rules);
	} while (v == UET_RUDI_AGAIN && ++n < 1000);
	KUNIT_EXPECT_EQ(test, v, UET_RUDI_FAIL);
	KUNIT_EXPECT_GE(test, now - START, 30 * SEC);
	KUNIT_EXPECT_LT(test, now - START, 31 * SEC);
	KUNIT_EXPECT_EQ(test, t->rtx, UET_RTX_COUNT_MANY);
	KUNIT_EXPECT_EQ(test, r->w.cwnd, FULL);
}

/* A late answer to a first copy is no sample (Karn). */
static void rudi_samples(struct kunit *test)
{
	struct rudi_world *r = world(test);
	struct uet_rudi_try *t = &r->t[0];

	uet_rudi_sent(&r->w, t, START, &rules);
	uet_rudi_expired(&r->w, t, START + MS, &rules);
	uet_rudi_sent(&r->w, t, START + MS, &rules);
	uet_rudi_answered(&r->w, t, 0, START + 5 * MS);
	KUNIT_EXPECT_EQ(test, uet_rtt_est_ns(&r->w.rtt), 0);
	t++;
	uet_rudi_sent(&r->w, t, START, &rules);
	uet_rudi_answered(&r->w, t, 0, START + 4 * MS);
	KUNIT_EXPECT_EQ(test, uet_rtt_est_ns(&r->w.rtt), 4 * MS);
	/* A timeout follows: mean and four deviations */
	t++;
	KUNIT_EXPECT_EQ(test, uet_rudi_sent(&r->w, t, START, &rules),
			START + 12 * MS);
	/* The second copy was answered */
	uet_rudi_expired(&r->w, t, START + 12 * MS, &rules);
	uet_rudi_sent(&r->w, t, START + 12 * MS, &rules);
	uet_rudi_answered(&r->w, t, UET_F_RETX, START + 20 * MS);
	KUNIT_EXPECT_EQ(test, uet_rtt_est_ns(&r->w.rtt), 4500000);
}

/*
 * The round trip is longer than rto_max_ms: when it is known packets are sent once, and the
 * window is as large as on any other path. What timed out is sent before what is new.
 */
static void rudi_far(struct kunit *test)
{
	static u64 due[UET_RUDI_MOST + 1], first[UET_RUDI_MOST + 1];
	struct rudi_world *r = world(test);
	u32 i, sent = 0, done = 0;
	u64 now;

	memset(first, 0, sizeof(first));
	for (now = START; done < ARRAY_SIZE(r->t) && now < START + 60 * SEC; now += MS) {
		for (i = 0; i < ARRAY_SIZE(r->t); i++) {
			struct uet_rudi_try *t = &r->t[i];

			if (first[i] == U64_MAX)
				continue;
			if (first[i] && now >= first[i] + 300 * MS) {
				uet_rudi_answered(&r->w, t, 0, now);
				first[i] = U64_MAX;
				done++;
				continue;
			}
			if (t->flying && now >= due[i])
				uet_rudi_expired(&r->w, t, now, &rules);
			if (t->flying || !uet_rudi_win_open(&r->w, FULL, 0))
				continue;
			due[i] = uet_rudi_sent(&r->w, t, now, &rules);
			if (!first[i])
				first[i] = now;
			sent++;
		}
	}
	KUNIT_EXPECT_EQ(test, done, ARRAY_SIZE(r->t));
	KUNIT_EXPECT_LT(test, now - START, 5 * SEC);
	KUNIT_EXPECT_LT(test, sent, ARRAY_SIZE(r->t) * 5 / 4);
}

/* An answer that may be that of an earlier copy: timeouts are no shorter than it took */
static void rudi_ambiguous(struct kunit *test)
{
	struct rudi_world *r = world(test);
	struct uet_rudi_try *t = &r->t[0];
	u64 now = START;
	u32 i;

	for (i = 0; i < 9; i++) {
		now = uet_rudi_sent(&r->w, t, now, &rules);
		uet_rudi_expired(&r->w, t, now, &rules);
	}
	uet_rudi_sent(&r->w, t, now, &rules);
	uet_rudi_answered(&r->w, t, 0, now + MS);
	t++;
	KUNIT_EXPECT_EQ(test, uet_rudi_sent(&r->w, t, now, &rules), now + 200 * MS);
	uet_rudi_expired(&r->w, t, now + 200 * MS, &rules);
	KUNIT_EXPECT_EQ(test, uet_rudi_sent(&r->w, t, now, &rules), now + 400 * MS);
	uet_rudi_answered(&r->w, t, 0, now + 300 * MS);
	t++;
	KUNIT_EXPECT_EQ(test, uet_rudi_sent(&r->w, t, now, &rules), now + 400 * MS);
	uet_rudi_answered(&r->w, t, 0, now + 300 * MS);
	t++;
	KUNIT_EXPECT_EQ(test, uet_rudi_sent(&r->w, t, now, &rules), now + 900 * MS);
}

static void rudi_trimmed(struct kunit *test)
{
	struct rudi_world *r = world(test);
	u64 at = 0;

	fill(r, 0, START);
	KUNIT_EXPECT_EQ(test, uet_rudi_nacked(&r->w, &r->t[0],
					      UET_NACK_TRIMMED, START + 7,
					      &rules, &at), UET_RUDI_AGAIN);
	KUNIT_EXPECT_EQ(test, at, START + 7);
	KUNIT_EXPECT_EQ(test, r->w.cwnd, (u64)FULL * (UET_RUDI_FIRST - 1));
	KUNIT_EXPECT_EQ(test, r->w.inflight, (u64)FULL * (UET_RUDI_FIRST - 1));
	/* A second NACK about the same copy changes nothing. */
	KUNIT_EXPECT_EQ(test, uet_rudi_nacked(&r->w, &r->t[0],
					      UET_NACK_TRIMMED, START + 7,
					      &rules, &at), UET_RUDI_IGNORE);
	KUNIT_EXPECT_EQ(test, r->w.cwnd, (u64)FULL * (UET_RUDI_FIRST - 1));
	KUNIT_EXPECT_EQ(test, r->w.inflight, (u64)FULL * (UET_RUDI_FIRST - 1));
}

/* Shortage never ends a packet; the pause doubles up to its bound. */
static void rudi_shortage(struct kunit *test)
{
	struct rudi_world *r = world(test);
	struct uet_rudi_try *t = &r->t[0];
	u64 now = START, at, last = 0;
	u32 i;

	for (i = 0; i < 1000; i++) {
		uet_rudi_sent(&r->w, t, now, &rules);
		KUNIT_ASSERT_EQ(test, uet_rudi_nacked(&r->w, t,
						      UET_NACK_NO_PKT_BUFFER,
						      now, &rules, &at),
				UET_RUDI_AGAIN);
		KUNIT_ASSERT_GE(test, at - now, last);
		last = at - now;
		now = at;
	}
	KUNIT_EXPECT_EQ(test, last, 128 * MS);
	/* Its peer is not silent. */
	uet_rudi_sent(&r->w, t, now, &rules);
	KUNIT_EXPECT_EQ(test, uet_rudi_expired(&r->w, t, now + MS, &rules),
			UET_RUDI_AGAIN);
}

static void rudi_nack_classes(struct kunit *test)
{
	struct rudi_world *r = world(test);
	struct uet_rudi_try *t = &r->t[0];
	u64 at;
	u32 i;

	uet_rudi_sent(&r->w, t, START, &rules);
	KUNIT_EXPECT_EQ(test, uet_rudi_nacked(&r->w, t, 0x7f, START, &rules, &at),
			UET_RUDI_IGNORE);
	KUNIT_EXPECT_EQ(test, r->w.inflight, FULL);
	KUNIT_EXPECT_EQ(test, uet_rudi_nacked(&r->w, t, UET_NACK_UNEXP_EVENT,
					      START, &rules, &at),
			UET_RUDI_FAIL);
	t++;
	for (i = 0; i < rules.max_nack_retx; i++) {
		uet_rudi_sent(&r->w, t, START, &rules);
		KUNIT_EXPECT_EQ(test, uet_rudi_nacked(&r->w, t,
						      UET_NACK_EXP_ERROR, START,
						      &rules, &at),
				UET_RUDI_AGAIN);
	}
	uet_rudi_sent(&r->w, t, START, &rules);
	KUNIT_EXPECT_EQ(test, uet_rudi_nacked(&r->w, t, UET_NACK_EXP_ERROR, START,
					      &rules, &at), UET_RUDI_FAIL);
	KUNIT_EXPECT_EQ(test, r->w.inflight, 0);
}

/* What is given up leaves the window, once. */
static void rudi_given_up(struct kunit *test)
{
	struct rudi_world *r = world(test);

	uet_rudi_sent(&r->w, &r->t[0], START, &rules);
	uet_rudi_sent(&r->w, &r->t[1], START, &rules);
	uet_rudi_gone(&r->w, &r->t[0]);
	uet_rudi_gone(&r->w, &r->t[0]);
	uet_rudi_gone(&r->w, &r->t[2]);
	KUNIT_EXPECT_EQ(test, r->w.inflight, FULL);
}

/* A RUDI_REQ with pkt_id 0x77 (UE 1.0 3.5.10); and what comes back of one near the wrap */
static void rudi_header(struct kunit *test)
{
	static const u8 want[] = { 0x21, 0x80, 0, 0, 0, 0, 0, 0x77 };
	struct uet_pkt pkt = {
		.type = UET_PDS_RUDI_REQ, .next_hdr = UET_NH_REQ_STD,
		.pkt_id = 0x77,
	};
	u8 buf[UET_PDS_RUDI_LEN + UET_SES_RSP_LEN];
	struct uet_pkt got;

	memset(buf, 0xa5, sizeof(buf));
	KUNIT_EXPECT_EQ(test, uet_build_rudi(buf, &pkt), sizeof(want));
	KUNIT_EXPECT_MEMEQ(test, buf, want, sizeof(want));
	pkt = (struct uet_pkt){
		.type = UET_PDS_RUDI_RESP, .next_hdr = UET_NH_RSP,
		.flags = UET_F_ECN | UET_F_RETX, .pkt_id = U32_MAX,
		.rsp = { .code = UET_RC_OK },
	};
	uet_build_rsp(buf + uet_build_rudi(buf, &pkt), &pkt.rsp);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&got, buf, sizeof(buf), sizeof(buf)),
			0);
	KUNIT_EXPECT_EQ(test, got.pkt_id, U32_MAX);
	KUNIT_EXPECT_EQ(test, got.flags, UET_F_ECN | UET_F_RETX);
	KUNIT_EXPECT_EQ(test, got.rsp.code, UET_RC_OK);
}

static struct kunit_case rudi_cases[] = {
	KUNIT_CASE(rudi_window),
	KUNIT_CASE(rudi_idle),
	KUNIT_CASE(rudi_marks),
	KUNIT_CASE(rudi_times_out),
	KUNIT_CASE(rudi_samples),
	KUNIT_CASE(rudi_far),
	KUNIT_CASE(rudi_ambiguous),
	KUNIT_CASE(rudi_trimmed),
	KUNIT_CASE(rudi_shortage),
	KUNIT_CASE(rudi_nack_classes),
	KUNIT_CASE(rudi_given_up),
	KUNIT_CASE(rudi_header),
	{}
};

static struct kunit_suite rudi_suite = {
	.name = "uet_rudi",
	.test_cases = rudi_cases,
};

kunit_test_suite(rudi_suite);
