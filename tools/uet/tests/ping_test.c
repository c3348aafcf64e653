// SPDX-License-Identifier: GPL-2.0
/*
 * What probes come to: medians, sizes that vanish, slow and lost entropy values.
 */
#include <linux/uet_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../addr.h"
#include "../ping.h"

static int wrong;

#define expect(_cond, ...)						\
	do {								\
		if (!(_cond)) {						\
			wrong++;					\
			fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);	\
			fprintf(stderr, __VA_ARGS__);			\
			fputc('\n', stderr);				\
		}							\
	} while (0)

static void medians(void)
{
	struct rtts r = { 0 };
	struct rtt_sum sum;
	uint64_t i;

	expect(!rtts_sum(&r, &sum), "a sum of nothing");
	rtts_add(&r, 30);
	expect(rtts_sum(&r, &sum) && sum.min == 30 && sum.max == 30 &&
	       sum.median == 30, "one");
	rtts_add(&r, 10);
	expect(rtts_sum(&r, &sum) && sum.median == 20, "between two");
	rtts_add(&r, 11);
	expect(rtts_sum(&r, &sum) && sum.min == 10 && sum.median == 11 &&
	       sum.max == 30, "the middle of three");
	for (i = 0; i < 1000000; i++)
		rtts_add(&r, 50);
	expect(r.n == r.room && r.n <= 1 << 18, "they are bounded");
	free(r.at);
}

static unsigned int hole(const uint64_t *answered, uint32_t *passes,
			 uint32_t *lost)
{
	static const uint64_t sent[] = { 3, 3, 3, 3 };
	static const uint32_t lens[] = { 84, 4224, 1084, 2084 };

	return sizes_hole(sent, answered, lens, 4, passes, lost);
}

static void sizes(void)
{
	uint32_t passes, lost;

	expect(hole((uint64_t[]){ 3, 0, 1, 0 }, &passes, &lost) == 2 &&
	       passes == 1084 && lost == 2084, "two are too large");
	expect(!hole((uint64_t[]){ 3, 3, 3, 3 }, &passes, &lost), "all pass");
	expect(!hole((uint64_t[]){ 0, 0, 0, 0 }, &passes, &lost), "none passes");
	expect(!hole((uint64_t[]){ 0, 3, 3, 3 }, &passes, &lost),
	       "small ones lost is another thing");
}

static void values(void)
{
	struct path_value v[8] = { 0 };
	struct in6_addr hops[3] = { 0 };
	unsigned int i;

	for (i = 0; i < 8; i++)
		v[i].rtt = 1000000 + i;
	v[3].rtt = 4000000;
	v[5].rtt = 0;
	values_judge(v, 8);
	for (i = 0; i < 8; i++)
		expect(v[i].slow == (i == 3), "value %u", i);
	/* Three times nothing is nothing */
	for (i = 0; i < 8; i++)
		v[i].rtt = i == 3 ? 80000 : 10000;
	values_judge(v, 8);
	expect(!v[3].slow, "80 us are not slow");
	v[0].hops = hops;
	v[0].n_hops = 3;
	expect(value_lost_behind(&v[0]) == -1, "no hop answered");
	addr_parse("10.0.0.1", &hops[1]);
	expect(value_lost_behind(&v[0]) == 1, "behind the second");
}

static void endpoints(void)
{
	struct probe p = { .result = UET_PING_RESULT_ANSWERED, .code = 1 };

	expect(endpoint_there(&p), "OK");
	p.code = 2;
	expect(endpoint_there(&p), "of another generation");
	p.code = 26;
	expect(!endpoint_there(&p) && strstr(endpoint_text_of(&p), "no process"),
	       "BAD_PID");
	p.code = 27;
	expect(!endpoint_there(&p) && strstr(endpoint_text_of(&p), "job"),
	       "BAD_JOB_ID");
	p.code = 1;
	p.result = UET_PING_RESULT_LOST;
	expect(!endpoint_there(&p), "lost");
}

int main(void)
{
	medians();
	sizes();
	values();
	endpoints();
	return wrong != 0;
}
