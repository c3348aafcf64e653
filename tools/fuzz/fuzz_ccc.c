// SPDX-License-Identifier: GPL-2.0
/*
 * Context, algorithms and path policies under any sequence of events: what a
 * hostile peer says, a clock that jumps, parameters at their edges. The first
 * bytes choose algorithm, policy and network.
 */
#include "../../net/uet/core/cc/cc_nscc.h"
#include "../../net/uet/core/cc/cc_rccc.h"
#include "../../net/uet/core/cc/cc_tfc.h"
#include "../../net/uet/core/cc/tfc.h"
#include "../../net/uet/core/lb/lb_live.h"
#include "fuzz.h"

#define SPACE	64

static const u32 rates[] = { 0, 1, 10000, 400000, 1600000, U32_MAX };
static const u64 rtts[] = { 1000, 12000, 1000000, 100000000 };
static const u32 mtus[] = { 128, 1564, 4160, 65600 };

struct world {
	struct uet_cc_params p;
	struct uet_ccc c;
	struct uet_lb *lb;
	u64 now;
};

static void create(struct world *w, struct input *in)
{
	static struct uet_lb_live live[SPACE];
	static u64 mem[2048];
	struct uet_cc_config cfg = {};
	struct uet_lb_config lc = {
		.n = SPACE, .base = 50000,
	};
	const struct uet_cc_algo *algo = uet_cc_at(take(in, 1) % 5);
	const struct uet_lb_ops *ops = uet_lb_at(take(in, 1) % 9);
	u32 net = (u32)take(in, 2);

	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS,
			  rates[net % ARRAY_SIZE(rates)]);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, rtts[net >> 3 & 3]);
	uet_cc_config_set(&cfg, UET_CCP_MTU, mtus[net >> 5 & 3]);
	uet_cc_config_set(&cfg, UET_CCP_TRIMMING, net >> 7 & 1);
	uet_cc_config_set(&cfg, UET_CCP_DELAY_AVG, net >> 8 & 1);
	uet_cc_config_set(&cfg, UET_CCP_DFC_LITERAL, net >> 9 & 1);
	uet_cc_config_set(&cfg, UET_CCP_WND_UNUSED, net >> 10 & 1);
	uet_cc_config_set(&cfg, UET_CCP_BASE_SHIFT, net >> 11 & 3);
	if (net >> 13 & 1)
		uet_cc_config_set(&cfg, UET_CCP_ETA_Q16, UET_ETA_MAX_Q16);
	CHECK(!uet_cc_params_derive(&w->p, &cfg, NULL));
	lc.seed = net;
	lc.trimming = w->p.trimming;
	lc.cwnd = w->p.max_wnd;
	lc.mtu = w->p.mtu;
	CHECK(uet_lb_mem_size(ops, SPACE) <= sizeof(mem));
	w->lb = (struct uet_lb *)mem;
	CHECK(!uet_lb_init(w->lb, ops, &lc));
	uet_lb_live_attach(w->lb, live);
	uet_ccc_init(&w->c, algo, &w->p, w->lb, !ops->ordered, 0);
}

static void check(const struct world *w)
{
	const struct uet_ccc *c = &w->c;
	const struct uet_nscc *s = uet_nscc_const(c);
	bool data = c->backlog || c->waiting_rtx;
	bool ready = c->state == UET_CCC_READY;

	CHECK(!ready || data);
	if (c->algo->window == &uet_cc_nscc) {
		CHECK(s->cwnd >= w->p.mtu && s->cwnd <= w->p.max_wnd);
		CHECK(c->base_rtt && c->base_rtt <= w->p.base_rtt);
	}
	if (c->algo->credit == &uet_cc_tfc)
		CHECK(uet_tfc_cc_const(c)->credit <= (s64)UET_TFC_CELLS_MAX);
	else if (c->algo->credit)
		CHECK(uet_rccc_const(c)->credit <= (s64)w->p.max_wnd);
	else
		CHECK(!data || c->inflight_pkts || ready);
	CHECK(data || c->state == (c->inflight_pkts ? UET_CCC_PENDING :
						      UET_CCC_IDLE));
	CHECK(uet_lb_bad_paths(w->lb) <= w->lb->n);
}

static void send(struct world *w, bool rtx, u16 want)
{
	struct uet_ccc_ask ask = {
		.now = w->now, .size = w->p.mtu, .want = want, .rtx = rtx,
		.prev_ev = w->c.run_ev,
	};
	struct uet_ccc_send out;

	uet_ccc_get_send_params(&w->c, &ask, &out);
	CHECK((u16)(out.ev - 50000) < SPACE);
	CHECK(out.run >= 1);
	uet_ccc_on_send(&w->c, w->now, w->p.mtu, out.ev, rtx);
}

static void answer(struct world *w, struct input *in, u8 op)
{
	struct uet_ccc_ack ack = {
		.now = w->now, .rtt = take(in, 5), .ev = (u16)take(in, 2),
		.newly_rcvd_bytes = (u32)take(in, 4),
		.newly_acked_pkts = (u32)take(in, 1), .m = op & 16,
		.restore = op & 32, .rtt_valid = op & 64,
		.pend = (u8)take(in, 1), .unmarked_pkts = op >> 7,
		.unmarked_bytes = w->p.mtu * (op >> 7),
	};
	struct uet_ccc_nack nack = {
		.now = w->now, .rtt = ack.rtt, .ev = ack.ev, .m = ack.m,
		.size = ack.newly_rcvd_bytes % (w->p.mtu + 1),
		.reason = ack.pend, .rtt_valid = ack.rtt_valid,
	};

	if (op & 1)
		uet_ccc_on_ack(&w->c, &ack);
	else
		uet_ccc_on_nack(&w->c, &nack);
}

static void event(struct world *w, struct input *in)
{
	struct uet_ccc_loss loss = { .now = w->now, .size = w->p.mtu };
	struct uet_ccc_gone gone = { .now = w->now };
	u8 op = (u8)take(in, 1);
	u64 when;

	switch (op & 15) {
	case 0:
		uet_ccc_on_new_data(&w->c, w->now, take(in, 3));
		break;
	case 1:
		w->now += take(in, 3);
		uet_ccc_on_probe_rtt(&w->c, w->now, take(in, 4));
		break;
	case 2:
		w->now = take(in, 8);
		break;
	case 3:
		loss.ev = (u16)take(in, 2);
		loss.how = op >> 4;
		uet_ccc_on_inferred_loss(&w->c, &loss);
		break;
	case 4:
		uet_ccc_on_credit(&w->c, w->now, (u32)take(in, 3));
		break;
	case 5:
		gone.backlog = take(in, 3);
		gone.inflight_bytes = take(in, 3);
		gone.inflight_pkts = (u32)take(in, 1);
		uet_ccc_pdc_gone(&w->c, &gone);
		break;
	case 6:
		uet_lb_path_down(w->lb, (u16)take(in, 2));
		uet_lb_path_up(w->lb, (u16)take(in, 2));
		break;
	case 7:
		uet_ccc_credit_req(&w->c, w->now, U64_MAX, &when);
		uet_ccc_withdraw(&w->c, w->now, take(in, 3));
		break;
	case 8 ... 11:
		if (w->c.state == UET_CCC_READY)
			send(w, w->c.waiting_rtx && op & 16, op >> 5);
		break;
	default:
		w->now += take(in, 2);
		answer(w, in, op);
		break;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	struct world w = {};

	create(&w, &in);
	while (in.left) {
		event(&w, &in);
		check(&w);
	}
	return 0;
}
