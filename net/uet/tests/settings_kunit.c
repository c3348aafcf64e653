// SPDX-License-Identifier: GPL-2.0
/* The table of settings: complete, consistent in itself and with the core. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../settings.h"

static size_t place_size(const struct uet_setting *set)
{
	switch (set->kind) {
	case UET_SETTING_SIZE:
		return sizeof(unsigned long);
	case UET_SETTING_NAME:
		return sizeof(const char *);
	default:
		return sizeof(u32);
	}
}

/* Lookup by name finds the right entry: names are unique within a scope. */
static void settings_names(struct kunit *test)
{
	const struct uet_setting *set;
	unsigned int i;
	u8 scope;

	for (i = 0; (set = uet_setting_at(i)); i++) {
		KUNIT_ASSERT_NOT_NULL(test, set->name);
		KUNIT_ASSERT_NOT_NULL(test, set->unit);
		KUNIT_ASSERT_NOT_NULL(test, set->help);
		KUNIT_EXPECT_NE(test, set->scope, 0);
		for (scope = UET_SCOPE_NET; scope <= UET_SCOPE_SOCK; scope <<= 1)
			if (set->scope & scope)
				KUNIT_EXPECT_PTR_EQ(test, set,
						    uet_setting_find(set->name, scope));
	}
	KUNIT_EXPECT_GT(test, i, 80);
	KUNIT_EXPECT_TRUE(test, !uet_setting_at(i + 1));
	KUNIT_EXPECT_TRUE(test, !uet_setting_find("mtu", UET_SCOPE_PEER));
	KUNIT_EXPECT_TRUE(test, !uet_setting_find("holds", UET_SCOPE_NET));
	KUNIT_EXPECT_TRUE(test, !uet_setting_find("", UET_SCOPE_NET));
}

/* Each field has a setting of its size, and no setting has another's. */
static void settings_places(struct kunit *test)
{
	u8 taken[sizeof(struct uet_sysctl)] = {};
	const struct uet_setting *set;
	unsigned int i, gap = 0;
	size_t at, n;

	for (i = 0; (set = uet_setting_at(i)); i++) {
		n = place_size(set);
		KUNIT_ASSERT_LE(test, set->off + n, sizeof(taken));
		KUNIT_EXPECT_EQ(test, set->off % n, 0);
		for (at = set->off; at < set->off + n; at++) {
			KUNIT_EXPECT_EQ(test, taken[at], 0);
			taken[at] = 1;
		}
	}
	/* Bytes without a setting may only be padding before a pointer */
	for (at = 0; at < sizeof(taken); at++) {
		gap = taken[at] ? 0 : gap + 1;
		KUNIT_EXPECT_LE(test, gap, 4);
		if (gap == 1)
			KUNIT_EXPECT_EQ(test, at % 8, 4);
	}
}

static void settings_defaults(struct kunit *test)
{
	const struct uet_setting *set;
	struct uet_sysctl s = {};
	const char *word;
	unsigned int i;

	uet_settings_defaults(&s);
	for (i = 0; (set = uet_setting_at(i)); i++) {
		if (!(set->scope & UET_SCOPE_NET))
			continue;
		if (set->kind == UET_SETTING_NAME) {
			KUNIT_ASSERT_NOT_NULL(test,
					      uet_setting_word(set, set->word));
			KUNIT_EXPECT_TRUE(test, !uet_setting_word(set, "bogus"));
			word = set->has_spec ? set->spec_word : set->word;
			KUNIT_EXPECT_NOT_NULL(test, uet_setting_word(set, word));
			continue;
		}
		KUNIT_EXPECT_EQ(test, uet_setting_read(set, &s), set->value);
		if (!(set->flags & UET_SETTING_MACHINE))
			KUNIT_EXPECT_TRUE(test, uet_setting_takes(set, set->value));
		if (set->has_spec)
			KUNIT_EXPECT_TRUE(test, uet_setting_takes(set, set->spec));
	}
	KUNIT_EXPECT_STREQ(test, s.congestion_control, "nscc");
	KUNIT_EXPECT_STREQ(test, s.path_policy, "hybrid");
	KUNIT_EXPECT_EQ(test, s.nscc_wnd_add, -1);
}

/* Both limits are accepted and stored, values beyond are rejected. */
static void settings_limits(struct kunit *test)
{
	const struct uet_setting *set;
	struct uet_sysctl s = {};
	unsigned int i;
	s64 min, max;

	for (i = 0; (set = uet_setting_at(i)); i++) {
		if (set->kind == UET_SETTING_NAME)
			continue;
		uet_setting_limits(set, &min, &max);
		KUNIT_EXPECT_LT(test, min, max);
		KUNIT_EXPECT_TRUE(test, uet_setting_takes(set, min));
		KUNIT_EXPECT_TRUE(test, uet_setting_takes(set, max));
		KUNIT_EXPECT_FALSE(test, uet_setting_takes(set, min - 1) &&
				   !(set->flags & UET_SETTING_OR_ZERO));
		if (max != UET_SETTING_NO_MAX)
			KUNIT_EXPECT_FALSE(test, uet_setting_takes(set, max + 1));
		uet_setting_write(set, &s, min);
		KUNIT_EXPECT_EQ(test, uet_setting_read(set, &s), min);
		uet_setting_write(set, &s, max);
		KUNIT_EXPECT_EQ(test, uet_setting_read(set, &s), max);
	}
}

/* Floors of namespaces of users: of numbers of namespaces that say nothing by 0; the
 * default and what profiles set is above.
 */
static void settings_floors(struct kunit *test)
{
	const struct uet_setting *set;
	unsigned int i, n = 0;
	s64 min, max;

	for (i = 0; (set = uet_setting_at(i)); i++) {
		if (!set->floor)
			continue;
		uet_setting_limits(set, &min, &max);
		KUNIT_EXPECT_EQ(test, set->kind, UET_SETTING_NUMBER);
		KUNIT_EXPECT_EQ(test, set->scope, UET_SCOPE_NET);
		KUNIT_EXPECT_FALSE(test, set->flags & UET_SETTING_OR_ZERO);
		KUNIT_EXPECT_GT(test, min, 0);
		KUNIT_EXPECT_GT(test, set->floor, min);
		KUNIT_EXPECT_LE(test, set->floor, set->value);
		if (set->has_spec)
			KUNIT_EXPECT_LE(test, set->floor, set->spec);
		n++;
	}
	KUNIT_EXPECT_GT(test, n, 0);
}

/* Limits other than a plain range */
static void settings_odd_limits(struct kunit *test)
{
	const struct uet_setting *set;

	set = uet_setting_find("entropy_size", UET_SCOPE_NET);
	KUNIT_ASSERT_NOT_NULL(test, set);
	KUNIT_EXPECT_FALSE(test, uet_setting_takes(set, 0));
	KUNIT_EXPECT_TRUE(test, uet_setting_takes(set, 256));
	KUNIT_EXPECT_FALSE(test, uet_setting_takes(set, 257));
	set = uet_setting_find("payload_mtu", UET_SCOPE_NET);
	KUNIT_ASSERT_NOT_NULL(test, set);
	KUNIT_EXPECT_TRUE(test, uet_setting_takes(set, 0));
	KUNIT_EXPECT_FALSE(test, uet_setting_takes(set, 1));
	KUNIT_EXPECT_FALSE(test, uet_setting_takes(set, 255));
	KUNIT_EXPECT_TRUE(test, uet_setting_takes(set, 256));
}

/* What settings feed is in the range of the parameter. */
static void settings_params(struct kunit *test)
{
	const struct uet_setting *set;
	u64 least, most;
	unsigned int i;
	s64 min;

	for (i = 0; (set = uet_setting_at(i)); i++) {
		if (!set->scale || set->flags & UET_SETTING_SPECIAL)
			continue;
		min = set->min;
		if (set->flags & UET_SETTING_AUTO && set->value == min)
			min++;
		uet_cc_param_range(set->param, &least, &most);
		KUNIT_EXPECT_GE(test, min, 0);
		KUNIT_EXPECT_GE(test, (u64)min * set->scale, least);
		KUNIT_EXPECT_LE(test, (u64)set->max * set->scale, most);
	}
}

/* A rule sets its settings and no other, also to 0. */
static void settings_overlay(struct kunit *test)
{
	static struct uet_sysctl s, before;
	static struct uet_peer_params p;
	const struct uet_setting *set;
	unsigned int i;

	uet_settings_defaults(&s);
	before = s;
	p.val.ack_per_packet = 1;
	p.val.path_policy = "ecmp";
	uet_settings_overlay(&s, &p);
	KUNIT_EXPECT_EQ(test, memcmp(&s, &before, sizeof(s)), 0);
	memset(p.set, 0xff, sizeof(p.set));
	for (i = 0; (set = uet_setting_at(i)); i++)
		KUNIT_EXPECT_TRUE(test, uet_peer_sets_at(&p, set->off));
	uet_settings_overlay(&s, &p);
	KUNIT_EXPECT_EQ(test, s.ack_per_packet, 1);
	KUNIT_EXPECT_STREQ(test, s.path_policy, "ecmp");
	KUNIT_EXPECT_EQ(test, s.ack_gen_trigger, 0);
	KUNIT_EXPECT_EQ(test, s.rules.rto_min_us, 1000);
}

/* Defaults are those of the core, except two that differ on purpose. */
static void settings_feed_defaults(struct kunit *test)
{
	static struct uet_cc_config none, fed;
	static struct uet_cc_params p, q;
	static struct uet_sysctl s;

	uet_settings_defaults(&s);
	uet_settings_feed(&s, &fed);
	KUNIT_EXPECT_EQ(test, fed.val[UET_CCP_ETA_Q16], 49152);
	KUNIT_EXPECT_EQ(test, fed.val[UET_CCP_BASE_SHIFT], 3);
	fed.set &= ~(BIT_ULL(UET_CCP_ETA_Q16) | BIT_ULL(UET_CCP_BASE_SHIFT));
	uet_cc_config_set(&fed, UET_CCP_MTU, 4160);
	uet_cc_config_set(&none, UET_CCP_MTU, 4160);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(&p, &fed, NULL), 0);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(&q, &none, NULL), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&p, &q, sizeof(p)), 0);
}

/* Scaled, left out where it says nothing, and not where code has its say */
static void settings_feed_values(struct kunit *test)
{
	struct uet_cc_config cfg = {};
	struct uet_sysctl s = {};

	uet_settings_defaults(&s);
	s.target_qdelay_us = 7;
	s.nscc_max_wnd = 100000;
	s.nscc_wnd_add = 5;
	s.base_rtt_us = 20;
	s.link_mbps = 1000;
	uet_settings_feed(&s, &cfg);
	KUNIT_EXPECT_EQ(test, cfg.val[UET_CCP_TARGET_QDELAY_NS], 7000);
	KUNIT_EXPECT_FALSE(test, cfg.set & (BIT_ULL(UET_CCP_MAX_WND) |
					    BIT_ULL(UET_CCP_WND_ADD) |
					    BIT_ULL(UET_CCP_BASE_RTT_NS) |
					    BIT_ULL(UET_CCP_RATE_MBPS)));
}

/* There and back, and nothing else is touched */
static void settings_profile(struct kunit *test)
{
	struct uet_sysctl s = {}, before;

	uet_settings_defaults(&s);
	s.t_reroute = 55;
	s.reroute_idle_us = 66;
	s.close_req_time_ms = 77;
	before = s;
	uet_settings_profile(&s, true);
	KUNIT_EXPECT_EQ(test, s.entropy_size, 256);
	KUNIT_EXPECT_EQ(test, s.nscc_wnd_add, 0);
	KUNIT_EXPECT_EQ(test, s.nscc_idle_window, 0);
	KUNIT_EXPECT_EQ(test, s.rules.ack_request_all, 1);
	KUNIT_EXPECT_EQ(test, s.t_reroute, 10);
	KUNIT_EXPECT_EQ(test, s.congestion_threshold, 50);
	KUNIT_EXPECT_EQ(test, s.close_req_time_ms, 1);
	KUNIT_EXPECT_EQ(test, s.nscc_send_below, 1);
	KUNIT_EXPECT_STREQ(test, s.path_policy, "oblivious");
	KUNIT_EXPECT_EQ(test, s.reroute_idle_us, 66);
	uet_settings_profile(&s, false);
	KUNIT_EXPECT_EQ(test, s.close_req_time_ms, 5000);
	KUNIT_EXPECT_EQ(test, s.nscc_send_below, 0);
	KUNIT_EXPECT_STREQ(test, s.path_policy, "hybrid");
	before.t_reroute = 10;
	before.close_req_time_ms = 5000;
	KUNIT_EXPECT_EQ(test, memcmp(&s, &before, sizeof(s)), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(settings_names),
	KUNIT_CASE(settings_places),
	KUNIT_CASE(settings_defaults),
	KUNIT_CASE(settings_limits),
	KUNIT_CASE(settings_floors),
	KUNIT_CASE(settings_odd_limits),
	KUNIT_CASE(settings_params),
	KUNIT_CASE(settings_overlay),
	KUNIT_CASE(settings_feed_defaults),
	KUNIT_CASE(settings_feed_values),
	KUNIT_CASE(settings_profile),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_settings",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
