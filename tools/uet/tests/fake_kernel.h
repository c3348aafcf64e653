/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's side of a netlink socket: the linker gives the tool these functions in
 * place of those of libmnl that would reach it (-Wl,--wrap).
 */
#ifndef UET_FAKE_KERNEL_H
#define UET_FAKE_KERNEL_H

/* How requests are answered; the kernel does the first four */
enum fake_mode {
	FAKE_NOTHING,		/* there are no objects */
	FAKE_OBJECTS,		/* plausible ones */
	FAKE_REFUSED,		/* an error with its explanation */
	FAKE_CHANGED,		/* objects came and went during the dump */
	FAKE_HOSTILE,		/* attributes and lengths by chance */
	FAKE_BROKEN_ERROR,	/* errors and ends of dumps that are cut */
	FAKE_LOST,		/* the socket fails in the middle of an answer */
	FAKE_MODES
};

void fake_kernel(enum fake_mode mode);

#endif
