// SPDX-License-Identifier: GPL-2.0
/* What rules say of the implementation at a peer: words, and which rule counts. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/wire/wire.h"
#include "../profile.h"

/* It is not so, no rule decides it, it is so */
#define NO	0
#define OPEN	1
#define YES	2

static void profile_set(struct uet_peer_params *p, size_t off)
{
	size_t at = off / sizeof(u32);

	p->set[at / 64] |= 1ULL << at % 64;
}

#define AT(_f)	offsetof(struct uet_sysctl, _f)

static void profile_number(struct uet_peer_params *p, size_t off, u32 value)
{
	profile_set(p, off);
	*(u32 *)((void *)&p->val + off) = value;
}

static void profile_name(struct uet_peer_params *p, size_t off, const char *word)
{
	profile_set(p, off);
	*(const char **)((void *)&p->val + off) = word;
}

static int profile_says(u32 profile, u32 what)
{
	return uet_profile_says(profile, what, true) +
	       uet_profile_says(profile, what, false);
}

#define SAYS(_profile, _what)	profile_says(_profile, UET_PROFILE_##_what)

static const char *profile_word(const char *setting, unsigned int i)
{
	return uet_setting_find(setting, UET_SCOPE_PEER)->choice(i);
}

/* A rule without any of these says nothing. */
static void profile_empty(struct kunit *test)
{
	struct uet_peer_params p = {};

	profile_number(&p, AT(trust_jobs), 0);
	profile_number(&p, AT(data_protect), 1);
	KUNIT_EXPECT_EQ(test, uet_profile_of(&p), 0);
	KUNIT_EXPECT_EQ(test, SAYS(0, HOLDS), OPEN);
	KUNIT_EXPECT_EQ(test, uet_profile_acks(0), UET_ACKS_CC);
}

/* Each setting alone: it touches no other. */
static void profile_settings(struct kunit *test)
{
	static const struct {
		size_t off;
		u32 what;
	} of[] = {
		{ AT(holds), UET_PROFILE_HOLDS },
		{ AT(probes), UET_PROFILE_PROBES },
		{ AT(resend_as_error),
		  UET_PROFILE_RESEND_AS_ERROR },
		{ AT(strict_dscp),
		  UET_PROFILE_STRICT_DSCP },
		{ AT(brief_headers),
		  UET_PROFILE_BRIEF_HEADERS },
		{ AT(ack_per_packet),
		  UET_PROFILE_ACK_PER_PACKET },
	};
	u32 i, value;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		for (value = 0; value < 2; value++) {
			struct uet_peer_params p = {};

			profile_number(&p, of[i].off, value);
			KUNIT_EXPECT_EQ(test, uet_profile_of(&p),
					of[i].what << UET_PROFILE_RULED_SHIFT |
					(value ? of[i].what : 0));
		}
	}
}

static void profile_forms(struct kunit *test)
{
	struct uet_peer_params p = {};
	u32 i;

	profile_set(&p, AT(ack_form));
	for (i = 0; (p.val.ack_form = profile_word("ack_form", i)); i++) {
		KUNIT_EXPECT_EQ(test, uet_profile_acks(uet_profile_of(&p)), i);
		KUNIT_EXPECT_NE(test, uet_profile_of(&p), 0);
	}
	KUNIT_EXPECT_EQ(test, i, UET_ACKS_PLAIN + 1);
	p = (struct uet_peer_params) {};
	for (i = 1; i <= UET_MPR_UNIT_PSNS; i++) {
		profile_number(&p, AT(packet_window), i);
		KUNIT_EXPECT_EQ(test, FIELD_GET(UET_PROFILE_WINDOW,
						uet_profile_of(&p)), i);
	}
}

/* The words; what a rule sets itself goes before its word. */
static void profile_words(struct kunit *test)
{
	struct uet_peer_params p = {};
	u32 got;

	profile_name(&p, AT(peer_profile), profile_word("profile", UET_PEER_MODULE));
	got = uet_profile_of(&p);
	KUNIT_EXPECT_EQ(test, SAYS(got, HOLDS), YES);
	KUNIT_EXPECT_EQ(test, SAYS(got, PROBES), YES);
	KUNIT_EXPECT_EQ(test, SAYS(got, RESEND_AS_ERROR), YES);
	KUNIT_EXPECT_EQ(test, SAYS(got, STRICT_DSCP), NO);
	KUNIT_EXPECT_EQ(test, uet_profile_acks(got), UET_ACKS_CC);

	profile_name(&p, AT(peer_profile), profile_word("profile", UET_PEER_UE10));
	got = uet_profile_of(&p);
	KUNIT_EXPECT_EQ(test, SAYS(got, HOLDS), NO);
	KUNIT_EXPECT_EQ(test, SAYS(got, PROBES), OPEN);
	KUNIT_EXPECT_EQ(test, SAYS(got, RESEND_AS_ERROR), NO);
	KUNIT_EXPECT_EQ(test, SAYS(got, STRICT_DSCP), YES);
	KUNIT_EXPECT_EQ(test, uet_profile_acks(got), UET_ACKS_CC);

	profile_name(&p, AT(peer_profile), profile_word("profile", UET_PEER_FOREIGN));
	got = uet_profile_of(&p);
	KUNIT_EXPECT_EQ(test, SAYS(got, HOLDS), NO);
	KUNIT_EXPECT_EQ(test, SAYS(got, PROBES), NO);
	KUNIT_EXPECT_EQ(test, SAYS(got, ACK_PER_PACKET), YES);
	KUNIT_EXPECT_EQ(test, uet_profile_acks(got), UET_ACKS_PLAIN);
	KUNIT_EXPECT_EQ(test, FIELD_GET(UET_PROFILE_WINDOW, got), 0);

	profile_number(&p, AT(probes), 1);
	profile_name(&p, AT(ack_form), profile_word("ack_form", UET_ACKS_ZERO));
	got = uet_profile_of(&p);
	KUNIT_EXPECT_EQ(test, SAYS(got, PROBES), YES);
	KUNIT_EXPECT_EQ(test, SAYS(got, HOLDS), NO);
	KUNIT_EXPECT_EQ(test, uet_profile_acks(got), UET_ACKS_ZERO);
}

/* The longer prefix decides what it has, and leaves the rest to the shorter one. */
static void profile_merges(struct kunit *test)
{
	struct uet_peer_params longer = {}, shorter = {};
	u32 got;

	profile_number(&longer, AT(holds), 1);
	profile_number(&longer, AT(packet_window), 1);
	profile_name(&shorter, AT(peer_profile), profile_word("profile", UET_PEER_FOREIGN));
	profile_number(&shorter, AT(packet_window), 9);
	got = uet_profile_merge(uet_profile_of(&longer), uet_profile_of(&shorter));
	KUNIT_EXPECT_EQ(test, SAYS(got, HOLDS), YES);
	KUNIT_EXPECT_EQ(test, SAYS(got, PROBES), NO);
	KUNIT_EXPECT_EQ(test, uet_profile_acks(got), UET_ACKS_PLAIN);
	KUNIT_EXPECT_EQ(test, FIELD_GET(UET_PROFILE_WINDOW, got), 1);
	KUNIT_EXPECT_EQ(test, uet_profile_merge(0, got), got);
	KUNIT_EXPECT_EQ(test, uet_profile_merge(got, 0), got);
	/* "No" is a decision, too. */
	longer = (struct uet_peer_params) {};
	shorter = (struct uet_peer_params) {};
	profile_number(&longer, AT(probes), 0);
	profile_number(&shorter, AT(probes), 1);
	got = uet_profile_merge(uet_profile_of(&longer), uet_profile_of(&shorter));
	KUNIT_EXPECT_EQ(test, SAYS(got, PROBES), NO);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(profile_empty),
	KUNIT_CASE(profile_settings),
	KUNIT_CASE(profile_forms),
	KUNIT_CASE(profile_words),
	KUNIT_CASE(profile_merges),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_profile",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
