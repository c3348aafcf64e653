// SPDX-License-Identifier: GPL-2.0
/*
 * Receive map.  Input: start PSN, range and whether packets are delivered in order,
 * then operations.  A set of PSNs kept as an array of bytes says what must be true.
 */
#include "fuzz.h"
#include "../../net/uet/core/rcv/rxmap.h"

#define SPAN		4096	/* PSNs the array covers */
#define MAX_OPS		250

static u8 rcvd[SPAN];

static void check_map(const struct uet_rxmap *m, u32 first, u32 base)
{
	u64 bits = uet_rxmap_sack(m, base);
	u32 i;

	CHECK(!psn_after(m->cack, m->edge));
	CHECK(!psn_after(m->edge, m->highest));
	CHECK(m->highest - m->cack <= m->range);
	CHECK(m->above <= m->highest - m->edge);
	CHECK(!m->above || m->bits);
	for (i = 0; i < 64; i++) {
		s32 at = psn_delta(base + i, first);
		bool want = at < 0 || (at < SPAN && rcvd[at]);

		CHECK((bits >> i & 1) == want);
	}
	CHECK(uet_rxmap_received(m, base) == (bits & 1));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	u32 first = take(&in, 4), how = take(&in, 2), range = 1 + how % 1000, ops;
	bool ordered = how >> 15;
	u64 *bits = NULL;
	struct uet_rxmap m;

	memset(rcvd, 0, sizeof(rcvd));
	uet_rxmap_init(&m, first, range);
	for (ops = 0; in.left && ops < MAX_OPS; ops++) {
		u32 op = take(&in, 1), cack = m.cack, advance = 0;
		u32 psn = m.edge + (s8)take(&in, 1);

		if (op & 0x80)
			psn = m.cack + (s16)take(&in, 2);
		switch (op & 7) {
		case 0 ... 3:
			if (psn_delta(psn, first) >= SPAN)
				break;
			CHECK(ordered || !uet_rxmap_due(&m));
			if (op & 0x40 && uet_rxmap_due(&m)) {
				CHECK(rcvd[m.edge + 1 - first]);
				CHECK(uet_rxmap_classify(&m, m.edge + 1) == UET_RX_DUP);
				advance = uet_rxmap_deliver(&m, 1);
				break;
			}
			if (uet_rxmap_classify(&m, psn) == UET_RX_NOMAP) {
				u32 n = uet_rxmap_nbits(m.range);

				bits = malloc(n / 8);
				CHECK(bits);
				CHECK(!uet_rxmap_attach(&m, bits, n));
			}
			if (uet_rxmap_classify(&m, psn) != UET_RX_NEW)
				break;
			CHECK(!rcvd[psn - first]);
			rcvd[psn - first] = 1;
			advance = ordered && psn == m.edge + 1 ?
				  uet_rxmap_deliver(&m, 1) : uet_rxmap_set(&m, psn);
			break;
		case 4:
			advance = uet_rxmap_set_hold(&m, psn);
			break;
		case 5:
			advance = uet_rxmap_drop_hold(&m);
			break;
		case 6:
			uet_rxmap_clear(&m, psn);
			CHECK(!psn_after(m.clear_psn, m.highest));
			break;
		case 7:
			if (uet_rxmap_detach(&m)) {
				free(bits);
				bits = NULL;
			}
			break;
		}
		CHECK(m.cack == cack + advance);
		CHECK(advance <= m.range);
		check_map(&m, first, psn - 32);
	}
	free(bits);
	return 0;
}
