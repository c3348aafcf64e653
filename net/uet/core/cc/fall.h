/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Detects that a path got much shorter during the life of a CCC: a round trip
 * below half of the base RTT. The parameters derived from that base RTT are
 * then wrong and must be derived again.
 *
 * A single short round trip may be an error of the peer's clock or of an
 * estimate, and a window derived from it would stay too small until rise.h
 * raises the base RTT again. So two short round trips in a row are required,
 * and the longer one becomes the base RTT.
 *
 * Also here: times in eight bits (uet_wait_pack()).
 */
#ifndef _UET_CORE_FALL_H
#define _UET_CORE_FALL_H

#include "../env.h"

/**
 * struct uet_fall - search for a base RTT far below the known one
 * @rtt: last round trip if it was below half of the known base RTT, ns; else 0
 */
struct uet_fall {
	u64 rtt;
};

/**
 * uet_fall_quiet() - can a round trip be ignored?
 * @f: state
 * @known: base RTT that the CCC was set up for, ns
 * @rtt: round trip, ns
 *
 * Return: true if uet_fall_sample() need not be called.
 */
static inline bool uet_fall_quiet(const struct uet_fall *f, u64 known, u64 rtt)
{
	return !f->rtt && rtt >= known / 2;
}

/**
 * uet_fall_sample() - a round trip of a full packet
 * @f: state
 * @known: base RTT that the CCC was set up for, ns
 * @rtt: round trip, ns
 * @base: set to the new base RTT, if there is one
 *
 * Return: true if @base is the new base RTT.
 */
static inline bool uet_fall_sample(struct uet_fall *f, u64 known, u64 rtt,
				   u64 *base)
{
	u64 last = f->rtt;

	f->rtt = 0;
	if (rtt >= known / 2)
		return false;
	if (!last) {
		f->rtt = max_t(u64, rtt, 1);
		return false;
	}
	*base = max(last, rtt);
	return true;
}

/* Times in 8 bits: a float with 3 mantissa bits, in units of 256 ns */
#define UET_WAIT_UNIT_SHIFT	8
#define UET_WAIT_BITS		3

/**
 * uet_wait_pack() - a time in eight bits
 * @ns: time, below 2^40 ns
 *
 * Return: code for uet_wait_unpack(), which is rounded up by at most
 * max(@ns / 8, 256 ns).
 */
static inline u8 uet_wait_pack(u64 ns)
{
	u32 units = (u32)((ns + BIT(UET_WAIT_UNIT_SHIFT) - 1) >>
			  UET_WAIT_UNIT_SHIFT);
	u32 shift = max(fls(units), UET_WAIT_BITS + 1) - (UET_WAIT_BITS + 1);

	/* If rounding up carries into the next power, the sum is its code. */
	return (u8)((shift << UET_WAIT_BITS) +
		    ((units + ((1ULL << shift) - 1)) >> shift));
}

/**
 * uet_wait_unpack() - the time of a code
 * @code: from uet_wait_pack()
 *
 * Return: ns.
 */
static inline u64 uet_wait_unpack(u8 code)
{
	u32 shift = code >> UET_WAIT_BITS;
	u64 units = code;

	if (shift > 1)
		units = (u64)((code & (BIT(UET_WAIT_BITS) - 1)) +
			      BIT(UET_WAIT_BITS)) << (shift - 1);
	return units << UET_WAIT_UNIT_SHIFT;
}

#endif /* _UET_CORE_FALL_H */
