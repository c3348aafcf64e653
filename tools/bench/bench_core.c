// SPDX-License-Identifier: GPL-2.0
/*
 * Cost of core operations natively: nanoseconds, and instructions where the
 * machine lets user space count them.
 *
 * usage: uet-bench [ROUNDS]		all, one line of JSON each
 *        uet-bench ROUNDS NAME		one only, for valgrind --tool=callgrind
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../net/uet/core/rcv/rxmap.h"
#include "../../net/uet/core/snd/txwin_scan.h"
#include "../../net/uet/core/wire/hdr_build.h"
#include "../../net/uet/tests/hdr_examples.h"

#define RANGE		1024
#define PKTS_PER_ACK	4
/* The best of many short runs: the machine may have other work. */
#define REPEATS		200

/* Keeps a result alive without cost. */
static inline void use(u64 x)
{
	__asm__ volatile("" : : "g"(x) : "memory");
}

struct bench {
	const char *name;
	unsigned int ops;	/* operations in a round */
	void (*setup)(void);
	void (*round)(void);
};

static const struct hdr_example *example;
static struct uet_pkt pkt;
static struct uet_rxmap rxmap;
static struct uet_txwin txwin;
static u64 rx_bits[RANGE / 64];
static u64 tx_mem[4096];
static u8 buf[UET_HDR_MAX_LEN];

static void find_example(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hdr_examples); i++) {
		if (strstr(hdr_examples[i].name, name))
			example = &hdr_examples[i];
	}
	pkt = example->pkt;
}

static void setup_req(void)
{
	find_example("WRITE, last packet");
}

static void setup_ack(void)
{
	find_example("NSCC, RESPONSE OK");
}

static void round_parse(void)
{
	use(uet_pkt_parse(&pkt, example->bytes, example->linear,
			  example->linear));
}

static void round_build_req(void)
{
	unsigned int len = uet_build_req(buf, &pkt);

	len += uet_build_ses_std(buf + len, &pkt.ses);
	use(len);
}

static void round_build_ack(void)
{
	use(uet_build_ack_rsp(buf, &pkt));
}

static void setup_rx(void)
{
	uet_rxmap_init(&rxmap, 0, RANGE);
	uet_rxmap_attach(&rxmap, rx_bits, RANGE);
}

static void round_rx_in_order(void)
{
	u32 psn = uet_rxmap_expected(&rxmap);

	if (uet_rxmap_classify(&rxmap, psn) == UET_RX_NEW)
		uet_rxmap_set(&rxmap, psn);
}

/* Eight packets in reverse, as spraying does it at its worst */
static void round_rx_reversed(void)
{
	u32 i, first = uet_rxmap_expected(&rxmap);

	for (i = 8; i-- > 0;) {
		if (uet_rxmap_classify(&rxmap, first + i) == UET_RX_NEW)
			uet_rxmap_set(&rxmap, first + i);
		use(uet_rxmap_sack(&rxmap,
				   uet_rxmap_sack_base(&rxmap, first + i)));
	}
}

static void setup_tx(void)
{
	void *old;

	uet_txwin_init(&txwin, 0, RANGE);
	uet_txwin_attach(&txwin, tx_mem, RANGE, &old);
}

/* Four packets out, then the acknowledgment of all of them */
static void round_tx_coalesced(void)
{
	struct uet_tx_acked sum = { 0 };
	u32 i, psn = 0;
	u64 t;

	for (i = 0; i < PKTS_PER_ACK; i++)
		psn = uet_txwin_send(&txwin, 4160, i, 0, i);
	use(uet_txwin_rtt(&txwin, psn, false, &t));
	uet_txwin_cack(&txwin, psn, &sum);
	uet_txwin_sack(&txwin, psn + 1, 0, &sum);
	uet_txwin_mpr(&txwin, psn, 8);
	use(uet_txwin_release_rcvd(&txwin, uet_rcvd_field(txwin.sent_bytes)));
	use(sum.pkts);
}

/* As many, but the second of four is acknowledged late */
static void round_tx_sacked(void)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_tx_scan scan;
	u32 i, psn = 0, first = txwin.next;

	for (i = 0; i < PKTS_PER_ACK; i++)
		psn = uet_txwin_send(&txwin, 4160, i, 0, i);
	uet_txwin_cack(&txwin, first, &sum);
	uet_txwin_sack(&txwin, first + 1, 6, &sum);
	uet_txwin_scan_sacked(&txwin, &scan, 0);
	use(uet_txwin_scan_next(&txwin, &scan, &i));
	uet_txwin_cack(&txwin, psn, &sum);
	use(sum.pkts);
}

static const struct bench benches[] = {
	{ "parse_req_std", 1, setup_req, round_parse },
	{ "parse_ack_cc_rsp", 1, setup_ack, round_parse },
	{ "build_req_std", 1, setup_req, round_build_req },
	{ "build_ack_cc_rsp", 1, setup_ack, round_build_ack },
	{ "rxmap_in_order", 1, setup_rx, round_rx_in_order },
	{ "rxmap_reversed_sack", 8, setup_rx, round_rx_reversed },
	{ "txwin_4_packets_1_ack", 1, setup_tx, round_tx_coalesced },
	{ "txwin_4_packets_2_acks_sack", 1, setup_tx, round_tx_sacked },
};

/* Instructions of this process in user space, or -1 */
static int open_counter(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static u64 read_counter(int fd)
{
	u64 v = 0;

	return read(fd, &v, sizeof(v)) == sizeof(v) ? v : 0;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void run(const struct bench *b, unsigned long rounds, int fd)
{
	double best = 0, insns = -1;
	unsigned int rep;

	b->setup();
	for (rep = 0; rep < REPEATS; rep++) {
		u64 c0 = fd >= 0 ? read_counter(fd) : 0;
		double t = now_ns();
		unsigned long i;

		for (i = 0; i < rounds; i++)
			b->round();
		t = (now_ns() - t) / rounds / b->ops;
		if (!rep || t < best)
			best = t;
		if (fd >= 0)
			insns = (double)(read_counter(fd) - c0) / rounds /
				b->ops;
	}
	printf("{\"name\": \"%s\", \"ns\": %.1f", b->name, best);
	if (insns >= 0)
		printf(", \"instructions\": %.0f", insns);
	printf("}\n");
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 20000;
	int fd = open_counter();
	unsigned int i;

	if (!rounds)
		return 2;
	for (i = 0; i < ARRAY_SIZE(benches); i++) {
		if (argc < 3 || !strcmp(argv[2], benches[i].name))
			run(&benches[i], rounds, fd);
	}
	return 0;
}
