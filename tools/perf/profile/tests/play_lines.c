// SPDX-License-Identifier: GPL-2.0
/* For lines.c: two CPUs read and write the same cache lines */
#include "play.h"

#define LINE		0xff11000000001000ULL
#define OTHER_LINE	0xff11000000002000ULL

void play(void)
{
	struct qemu_plugin_tb *load = BLOCK(TEXT(0), 2, "\x48\x8b\x00");
	struct qemu_plugin_tb *store = BLOCK(TEXT(1), 2, "\x48\x89\x00");
	struct qemu_plugin_tb *add = BLOCK(TEXT(2), 2, "\xf0\x48\xff\x00");
	struct qemu_plugin_tb *swap = BLOCK(TEXT(3), 2, "\x65\x48\x87\x00");
	struct qemu_plugin_tb *swap_regs = BLOCK(TEXT(4), 2, "\x48\x87\xc1");

	play_mark(MARK_NEXT);
	/* Nobody counts yet */
	play_run(0, store, OTHER_LINE, QEMU_PLUGIN_MEM_W);
	play_run(1, load, OTHER_LINE, QEMU_PLUGIN_MEM_R);
	play_mark(MARK_BEGIN);

	play_run(0, store, LINE, QEMU_PLUGIN_MEM_W);	/* the first access: nobody had it */
	play_run(0, load, LINE, QEMU_PLUGIN_MEM_R);
	play_run(1, load, LINE + 8, QEMU_PLUGIN_MEM_R);	/* fetched */
	play_run(1, load, LINE, QEMU_PLUGIN_MEM_R);
	play_run(1, store, LINE, QEMU_PLUGIN_MEM_W);	/* taken */
	play_run(1, store, LINE, QEMU_PLUGIN_MEM_W);
	play_run(0, load, LINE, QEMU_PLUGIN_MEM_R);	/* fetched */
	play_run(0, add, LINE + 63, QEMU_PLUGIN_MEM_RW);	/* locked and taken */
	play_run(1, swap, LINE + 64, QEMU_PLUGIN_MEM_RW);	/* locked, the next line */
	play_run(0, swap_regs, 0, 0);
	/* Read by both, written by none: nothing has to move */
	play_run(0, load, OTHER_LINE, QEMU_PLUGIN_MEM_R);
	play_run(1, load, OTHER_LINE, QEMU_PLUGIN_MEM_R);
	/* User space, and an access of another block */
	play_run(0, store, 0x7f0000000000, QEMU_PLUGIN_MEM_W);
	play_run(1, store, 0x7f0000000000, QEMU_PLUGIN_MEM_W);
	play_run(0, swap_regs, 0, 0);
	play_stray(store, LINE + 64);
	play_mark(MARK_END);
	play_run(0, store, LINE, QEMU_PLUGIN_MEM_W);
}
