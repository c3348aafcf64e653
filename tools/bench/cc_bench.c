// SPDX-License-Identifier: GPL-2.0
/*
 * Cost of one ACK, and of one packet sent, through context, algorithm and
 * path policy: nanoseconds, and instructions where the processor's counter can
 * be read.
 *
 * usage: cc_bench			all
 *        cc_bench ALGORITHM POLICY	1000 batches of 64 packets of one only,
 *					for valgrind --tool=callgrind
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../net/uet/core/cc/ccc.h"

#define ROUNDS		0x200000
#define COUNTED_BATCHES	1000
#define BATCH		64
#define MTU		4160
#define BASE_RTT	12000
#define REPEATS		5

struct cost {
	double ns;
	double insns;
};

static int open_counter(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static u64 clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

static u64 read_counter(int fd)
{
	u64 n = 0;

	if (fd < 0 || read(fd, &n, sizeof(n)) != sizeof(n))
		return 0;
	return n;
}

static struct uet_ccc *make(const char *algo, const char *policy,
			    struct uet_cc_params *p)
{
	const struct uet_lb_ops *ops = uet_lb_find(policy);
	struct uet_cc_config cfg = {};
	struct uet_lb_config lc = {
		.n = 256, .base = 50000, .seed = 1, .mtu = MTU,
		.cwnd = 225000, .trimming = true,
	};
	struct uet_ccc *c = calloc(1, sizeof(*c));
	struct uet_lb *lb = calloc(1, uet_lb_mem_size(ops, lc.n));

	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 100000);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, BASE_RTT);
	uet_cc_config_set(&cfg, UET_CCP_MTU, MTU);
	uet_cc_config_set(&cfg, UET_CCP_TRIMMING, 1);
	if (!c || !lb || uet_cc_params_derive(p, &cfg, NULL) ||
	    uet_lb_init(lb, ops, &lc))
		exit(2);
	uet_ccc_init(c, uet_cc_find(algo), p, lb, true, 0);
	return c;
}

static noinline void send_batch(struct uet_ccc *c, u64 now, u16 *evs)
{
	struct uet_ccc_ask ask = { .now = now, .size = MTU, .want = 1 };
	struct uet_ccc_send out;
	u32 i;

	for (i = 0; i < BATCH; i++) {
		uet_ccc_get_send_params(c, &ask, &out);
		evs[i] = out.ev;
		uet_ccc_on_send(c, now, MTU, out.ev, false);
	}
}

/* A queue that comes and goes, so that all four cases run. */
static void make_acks(struct uet_ccc_ack *acks, u64 now, const u16 *evs,
		      u32 seed)
{
	u32 i, r;

	for (i = 0; i < BATCH; i++) {
		r = uet_mix32(seed + i);
		acks[i] = (struct uet_ccc_ack) {
			.now = now + i * 333,
			.rtt = BASE_RTT + (r >> 8) % 14000,
			.newly_rcvd_bytes = MTU,
			.newly_acked_pkts = 1,
			.ev = evs[i],
			.m = r % 8 == 0,
			.rtt_valid = true,
		};
	}
}

static noinline void ack_batch(struct uet_ccc *c,
			       const struct uet_ccc_ack *acks)
{
	u32 i;

	for (i = 0; i < BATCH; i++)
		uet_ccc_on_ack(c, &acks[i]);
}

static void measure(const char *algo, const char *policy, int fd, u32 batches,
		    struct cost *send, struct cost *ack)
{
	struct uet_cc_params p;
	struct uet_ccc *c = make(algo, policy, &p);
	u64 ns[2] = {}, insns[2] = {}, t0, t1, t2, i0, i1, i2, i3;
	struct uet_ccc_ack acks[BATCH];
	u16 evs[BATCH];
	u64 now = 1;
	u32 i;

	for (i = 0; i < batches; i++) {
		uet_ccc_on_new_data(c, now, BATCH * MTU);
		i0 = read_counter(fd);
		t0 = clock_ns();
		send_batch(c, now, evs);
		t1 = clock_ns();
		i1 = read_counter(fd);
		now += BASE_RTT;
		make_acks(acks, now, evs, i * BATCH);
		i3 = read_counter(fd);
		t2 = clock_ns();
		ack_batch(c, acks);
		ns[1] += clock_ns() - t2;
		i2 = read_counter(fd);
		ns[0] += t1 - t0;
		insns[0] += i1 - i0;
		insns[1] += i2 - i3;
		now += BATCH * 333;
	}
	send->ns = (double)ns[0] / (batches * BATCH);
	send->insns = (double)insns[0] / (batches * BATCH);
	ack->ns = (double)ns[1] / (batches * BATCH);
	ack->insns = (double)insns[1] / (batches * BATCH);
	free(c->lb);
	free(c);
}

static void best(struct cost *b, const struct cost *c)
{
	if (c->ns < b->ns)
		*b = *c;
}

int main(int argc, char **argv)
{
	static const char * const runs[][2] = {
		{ "nscc", "hybrid" }, { "nscc", "oblivious" },
		{ "nscc", "bitmap" }, { "nscc", "reps" }, { "nscc", "rtt" },
		{ "nscc+rccc", "hybrid" }, { "fixed", "ecmp" },
	};
	struct cost send = {}, ack = {}, s, a;
	int fd = open_counter();
	u32 i, k;

	if (argc == 3) {
		measure(argv[1], argv[2], fd, COUNTED_BATCHES, &send, &ack);
		return 0;
	}
	printf("%-10s %-10s %8s %8s %8s %8s\n", "algorithm", "policy",
	       "ack ns", "insns", "send ns", "insns");
	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		send.ns = 1e9;
		ack.ns = 1e9;
		for (k = 0; k < REPEATS; k++) {
			measure(runs[i][0], runs[i][1], fd, ROUNDS / BATCH,
				&s, &a);
			best(&send, &s);
			best(&ack, &a);
		}
		printf("%-10s %-10s %8.1f", runs[i][0], runs[i][1], ack.ns);
		if (fd < 0)
			printf(" %8s %8.1f %8s\n", "-", send.ns, "-");
		else
			printf(" %8.0f %8.1f %8.0f\n", ack.insns, send.ns,
			       send.insns);
	}
	return 0;
}
