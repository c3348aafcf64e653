/* SPDX-License-Identifier: GPL-2.0 */
/* An emulator that runs what a test tells it to, see play.c */
#ifndef PROFILE_PLAY_H
#define PROFILE_PLAY_H

#include <stddef.h>
#include <stdint.h>

#include "../mark.h"
#include "../plugin/qemu.h"

#define PLAY_CPUS	2

/* Functions of the kernel that is played, as profile_test.py names them */
#define TEXT(n)		(0xffffffff81000000ULL + (n) * 0x100)

#define CALL	"\xe8\0\0\0\0"
#define RET	"\xc3"
#define JUMP	"\xeb\0"

struct qemu_plugin_tb *play_block(uint64_t addr, size_t n, const char *last, size_t size);

/* A block of @n instructions that ends with @last */
#define BLOCK(addr, n, last) play_block(addr, n, last, sizeof(last) - 1)

void play_run(unsigned int cpu, struct qemu_plugin_tb *tb, uint64_t at,
	      enum qemu_plugin_mem_rw rw);
void play_stray(struct qemu_plugin_tb *tb, uint64_t at);
void play_mark(enum mark what);

/* What happens */
void play(void);

#endif
