/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks that a program in a guest leaves for plug-ins of the emulator: long NOPs
 * whose displacement says "UET" and what for. A processor takes no notice.
 *
 * What is between MARK_BEGIN and MARK_END is counted; several programs may have
 * begun at the same time, and then the last end counts. MARK_NEXT begins the next
 * phase, for which counts are kept apart.
 */
#ifndef PROFILE_MARK_H
#define PROFILE_MARK_H

/* nopl 0x55455400 + code (%rax,%rax,1) */
#define MARK_BYTES	{ 0x0f, 0x1f, 0x84, 0x00 }
#define MARK_MAGIC	0x55455400u

enum mark { MARK_BEGIN, MARK_END, MARK_NEXT, MARKS };

#ifdef __x86_64__
#define MARK_NOP(code) \
	asm volatile(".byte 0x0f, 0x1f, 0x84, 0x00, " #code ", 0x54, 0x45, 0x55" \
		     ::: "memory")
#else
#define MARK_NOP(code) do { } while (0)
#endif

static inline void mark(enum mark what)
{
	switch (what) {
	case MARK_BEGIN:
		MARK_NOP(0);
		break;
	case MARK_END:
		MARK_NOP(1);
		break;
	default:
		MARK_NOP(2);
	}
}

#endif
