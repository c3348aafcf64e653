/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A base RTT that fell: a path got shorter while a context lives.
 *
 * A base RTT above the guess was believed since nothing shorter came for long. As
 * soon as round trips are less than half of it, what was derived from it is wrong,
 * too, and is derived anew. One of them may be a mistake, of a peer's clock or of an
 * estimate, and a window made for it would be small until the path is found to be
 * long again. So two in a row have to say so, and the longer one is believed.
 */
#ifndef _UET_CORE_FALL_H
#define _UET_CORE_FALL_H

#include "env.h"

/**
 * struct uet_fall - search for a base RTT far below the one that is known
 * @rtt: the last round trip, ns, if it was such a one; 0 = it was not
 */
struct uet_fall {
	u64 rtt;
};

/**
 * uet_fall_quiet() - is there nothing to do with a round trip?
 * @f: state
 * @known: base RTT that the context was made for, ns
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
 * @known: base RTT that the context was made for, ns
 * @rtt: round trip, ns
 * @base: set to the new base RTT, if there is one
 *
 * Return: true if the base RTT is @base now.
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

/* Times in 8 bits: 3 of them behind the first one, of units of 256 ns */
#define UET_WAIT_UNIT_SHIFT	8
#define UET_WAIT_BITS		3

/**
 * uet_wait_pack() - a time in eight bits
 * @ns: time, below 2^40 ns
 *
 * Return: code of the time or of one that is longer by an eighth at most, and by
 * 256 ns at most where that is more.
 */
static inline u8 uet_wait_pack(u64 ns)
{
	u32 units = (u32)((ns + BIT(UET_WAIT_UNIT_SHIFT) - 1) >>
			  UET_WAIT_UNIT_SHIFT);
	u32 shift = max(fls(units), UET_WAIT_BITS + 1) - (UET_WAIT_BITS + 1);

	/* Rounding up may carry into the next power, whose code follows. */
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
