// SPDX-License-Identifier: GPL-2.0
/* Serial arithmetic, the rcvd_bytes field, classes of NACK codes. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/wire/nack.h"
#include "../core/wire/psn.h"
#include "../core/wire/rcvd.h"

static void psn_order(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, psn_before(1, 2));
	KUNIT_EXPECT_FALSE(test, psn_before(2, 2));
	KUNIT_EXPECT_TRUE(test, psn_after(3, 2));
	KUNIT_EXPECT_FALSE(test, psn_after(2, 2));
	KUNIT_EXPECT_EQ(test, psn_delta(5, 3), 2);
	KUNIT_EXPECT_EQ(test, psn_delta(3, 5), -2);
	KUNIT_EXPECT_EQ(test, psn_min(3, 5), 3u);
	KUNIT_EXPECT_EQ(test, psn_max(3, 5), 5u);
}

static void psn_order_across_wrap(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, psn_before(0xffffffffu, 0));
	KUNIT_EXPECT_TRUE(test, psn_after(5, 0xfffffff0u));
	KUNIT_EXPECT_EQ(test, psn_delta(2, 0xfffffffeu), 4);
	KUNIT_EXPECT_EQ(test, psn_min(0xfffffffeu, 2), 0xfffffffeu);
	KUNIT_EXPECT_EQ(test, psn_max(0xfffffffeu, 2), 2u);
	KUNIT_EXPECT_TRUE(test, psn_after(0x7fffffffu, 0));
	KUNIT_EXPECT_TRUE(test, psn_before(0x80000001u, 0));
}

static void psn_between_range(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, psn_between(5, 5, 7));
	KUNIT_EXPECT_TRUE(test, psn_between(7, 5, 7));
	KUNIT_EXPECT_FALSE(test, psn_between(4, 5, 7));
	KUNIT_EXPECT_FALSE(test, psn_between(8, 5, 7));
	KUNIT_EXPECT_TRUE(test, psn_between(0, 0xfffffffeu, 1));
	KUNIT_EXPECT_FALSE(test, psn_between(2, 0xfffffffeu, 1));
	/* empty range */
	KUNIT_EXPECT_FALSE(test, psn_between(5, 5, 4));
	KUNIT_EXPECT_FALSE(test, psn_between(4, 5, 4));
}

struct rcvd_source_row {
	u32 prev, field, newly, last;
};

static void rcvd_source(struct kunit *test)
{
	static const struct rcvd_source_row rows[] = {
		{ 16777200, 16777204, 1024, 16777204 },
		{ 16777204, 16777214, 2560, 16777214 },
		{ 16777214, 16777210, 0, 16777214 },
		{ 16777214, 3, 1280, 3 },
		{ 3, 3, 0, 3 },
		{ 3, 16, 3328, 16 },
		/* the largest step forward, the smallest backward */
		{ 0, 0x7fffff, 0x7fffff00, 0x7fffff },
		{ 0, 0x800000, 0, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u32 last = rows[i].prev;

		KUNIT_EXPECT_EQ(test, uet_rcvd_newly(&last, rows[i].field),
				rows[i].newly);
		KUNIT_EXPECT_EQ(test, last, rows[i].last);
	}
}

static void rcvd_destination(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, uet_rcvd_field(0), 0u);
	KUNIT_EXPECT_EQ(test, uet_rcvd_field(1), 1u);
	KUNIT_EXPECT_EQ(test, uet_rcvd_field(108), 1u);
	KUNIT_EXPECT_EQ(test, uet_rcvd_field(256), 1u);
	KUNIT_EXPECT_EQ(test, uet_rcvd_field(257), 2u);
	KUNIT_EXPECT_EQ(test, uet_rcvd_field(4160), 17u);
	KUNIT_EXPECT_EQ(test, uet_rcvd_field(4360), 18u);
	KUNIT_EXPECT_EQ(test, uet_rcvd_field(5360), 21u);
	KUNIT_EXPECT_EQ(test, uet_rcvd_field(9520), 38u);
	KUNIT_EXPECT_EQ(test, uet_rcvd_field(0xffffffffULL), 0u);
	KUNIT_EXPECT_EQ(test, uet_rcvd_field(0x100000101ULL), 2u);
}

static void nack_classes(struct kunit *test)
{
	unsigned int count[4] = { 0 };
	unsigned int code;

	for (code = 0; code < 256; code++)
		count[uet_nack_class(code)]++;
	KUNIT_EXPECT_EQ(test, count[UET_NACK_CLASS_FATAL], 9u);
	KUNIT_EXPECT_EQ(test, count[UET_NACK_CLASS_ERROR], 3u);
	KUNIT_EXPECT_EQ(test, count[UET_NACK_CLASS_NORMAL], 17u);
	KUNIT_EXPECT_EQ(test, (int)uet_nack_class(0x00),
			(int)UET_NACK_CLASS_UNKNOWN);
	KUNIT_EXPECT_EQ(test, (int)uet_nack_class(0x1b),
			(int)UET_NACK_CLASS_UNKNOWN);
	KUNIT_EXPECT_EQ(test, (int)uet_nack_class(0xfc),
			(int)UET_NACK_CLASS_UNKNOWN);
	KUNIT_EXPECT_EQ(test, (int)uet_nack_class(UET_NACK_INV_DPDCID),
			(int)UET_NACK_CLASS_FATAL);
}

static struct kunit_case psn_cases[] = {
	KUNIT_CASE(psn_order),
	KUNIT_CASE(psn_order_across_wrap),
	KUNIT_CASE(psn_between_range),
	KUNIT_CASE(rcvd_source),
	KUNIT_CASE(rcvd_destination),
	KUNIT_CASE(nack_classes),
	{}
};

static struct kunit_suite psn_suite = {
	.name = "uet_psn",
	.test_cases = psn_cases,
};

kunit_test_suites(&psn_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Tests of the UET core");
