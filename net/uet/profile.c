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

static u32 profile_bit(u32 what, u8 value)
{
	if (!value)
		return 0;
	return RULED(what) | (value > 1 ? what : 0);
}

static int profile_position(const char *name, const char *word)
{
	return word ? uet_setting_position(uet_setting_find(name, UET_SCOPE_PEER),
					   word) : -1;
}

u32 uet_profile_of(const struct uet_peer_params *p)
{
	u32 own = profile_bit(UET_PROFILE_HOLDS, p->holds) |
		  profile_bit(UET_PROFILE_PROBES, p->probes) |
		  profile_bit(UET_PROFILE_RESEND_AS_ERROR, p->resend_as_error) |
		  profile_bit(UET_PROFILE_STRICT_DSCP, p->strict_dscp) |
		  profile_bit(UET_PROFILE_BRIEF_HEADERS, p->brief_headers) |
		  profile_bit(UET_PROFILE_ACK_PER_PACKET, p->ack_per_packet);
	int form = profile_position("ack_form", p->ack_form);
	int kind = profile_position("profile", p->profile);

	own |= FIELD_PREP(UET_PROFILE_ACKS, (u32)(form + 1));
	if (p->packet_window)
		own |= FIELD_PREP(UET_PROFILE_WINDOW, p->packet_window - 1U);
	return kind < 0 ? own : uet_profile_merge(own, uet_profiles[kind]);
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
