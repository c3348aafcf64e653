// SPDX-License-Identifier: GPL-2.0
/*
 * What flows carry: a pseudo-random ring, entered at a place that depends on
 * the flow, so that data of the wrong flow or offset is found out.
 */
#include <string.h>

#include "lab.h"

#define RING		(1UL << 20)	/* period of the content */
#define MARGIN		(1UL << 18)	/* longest piece at the ring's end */
#define FLOW_STEP	7919

static unsigned char ring[RING + MARGIN];

void content_init(void)
{
	uint64_t x = 0x9e3779b97f4a7c15ULL;
	size_t i;

	for (i = 0; i < RING; i += sizeof(x)) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(ring + i, &x, sizeof(x));
	}
	memcpy(ring + RING, ring, MARGIN);
}

const void *content_at(int flow, uint64_t offset, size_t *len)
{
	if (*len > MARGIN)
		*len = MARGIN;
	return ring + ((uint64_t)flow * FLOW_STEP + offset) % RING;
}

bool content_ok(int flow, uint64_t offset, const void *data, size_t len)
{
	const unsigned char *p = data;
	const void *want;
	size_t n;

	while (len) {
		n = len;
		want = content_at(flow, offset, &n);
		if (memcmp(want, p, n))
			return false;
		p += n;
		offset += n;
		len -= n;
	}
	return true;
}
