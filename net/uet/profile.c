// SPDX-License-Identifier: GPL-2.0
/*
 * What rules say of the implementation at a peer. See profile.h.
 */
#include <linux/compiler.h>

#include "profile.h"

#define RULED(_what)	((u32)(_what) << UET_PROFILE_RULED_SHIFT)
#define ACKS(_form)	((UET_ACKS_##_form + 1U) << 16)

/*
 * What a word stands for. UE 1.0 has no holds: it leaves open what a source does about
 * NACKs for shortage (3.5.13). It has PROBEs (3.5.12), so that those are tried. It has
 * no other contents for a PSN that was used.
 */
static const u32 uet_profiles[] = {
	[UET_PEER_MODULE] =
		RULED(UET_PROFILE_HOLDS | UET_PROFILE_PROBES |
		      UET_PROFILE_RESEND_AS_ERROR | UET_PROFILE_STRICT_DSCP) |
		UET_PROFILE_HOLDS | UET_PROFILE_PROBES |
		UET_PROFILE_RESEND_AS_ERROR | ACKS(CC),
	[UET_PEER_UE10] =
		RULED(UET_PROFILE_HOLDS | UET_PROFILE_RESEND_AS_ERROR |
		      UET_PROFILE_STRICT_DSCP) |
		UET_PROFILE_STRICT_DSCP | ACKS(CC),
	[UET_PEER_FOREIGN] =
		RULED(UET_PROFILE_HOLDS | UET_PROFILE_PROBES |
		      UET_PROFILE_RESEND_AS_ERROR | UET_PROFILE_STRICT_DSCP |
		      UET_PROFILE_ACK_PER_PACKET) |
		UET_PROFILE_STRICT_DSCP | UET_PROFILE_ACK_PER_PACKET | ACKS(PLAIN),
};

/* One of the switches of a rule, by its offset in struct uet_sysctl */
static u32 profile_bit(const struct uet_peer_params *p, u32 what, size_t off)
{
	if (!uet_peer_sets_at(p, off))
		return 0;
	return RULED(what) | (*(const u32 *)((const void *)&p->val + off) ? what : 0);
}

static int profile_position(const char *name, const char *word)
{
	return uet_setting_position(uet_setting_find(name, UET_SCOPE_PEER), word);
}

u32 uet_profile_of(const struct uet_peer_params *p)
{
	static const struct {
		u32	what;
		size_t	off;
	} bits[] = {
		{ UET_PROFILE_HOLDS, offsetof(struct uet_sysctl, holds) },
		{ UET_PROFILE_PROBES, offsetof(struct uet_sysctl, probes) },
		{ UET_PROFILE_RESEND_AS_ERROR,
		  offsetof(struct uet_sysctl, resend_as_error) },
		{ UET_PROFILE_STRICT_DSCP, offsetof(struct uet_sysctl, strict_dscp) },
		{ UET_PROFILE_BRIEF_HEADERS,
		  offsetof(struct uet_sysctl, brief_headers) },
		{ UET_PROFILE_ACK_PER_PACKET,
		  offsetof(struct uet_sysctl, ack_per_packet) },
	};
	u32 i, kind, own = 0;

	for (i = 0; i < ARRAY_SIZE(bits); i++)
		own |= profile_bit(p, bits[i].what, bits[i].off);
	if (uet_peer_sets(p, ack_form))
		own |= FIELD_PREP(UET_PROFILE_ACKS,
				  profile_position("ack_form", p->val.ack_form) + 1);
	if (uet_peer_sets(p, packet_window))
		own |= FIELD_PREP(UET_PROFILE_WINDOW, p->val.packet_window);
	if (!uet_peer_sets(p, peer_profile))
		return own;
	kind = profile_position("profile", p->val.peer_profile);
	return uet_profile_merge(own, uet_profiles[kind]);
}

u32 uet_profile_merge(u32 profile, u32 more)
{
	u32 decided = profile & UET_PROFILE_RULED;

	decided |= decided >> UET_PROFILE_RULED_SHIFT;
	if (profile & UET_PROFILE_ACKS)
		decided |= UET_PROFILE_ACKS;
	if (profile & UET_PROFILE_WINDOW)
		decided |= UET_PROFILE_WINDOW;
	return profile | (more & ~decided);
}
