// SPDX-License-Identifier: GPL-2.0
/*
 * Plug-in: what several CPUs cost each other in the kernel. Instructions with a
 * locked access to memory, and cache lines that come from another CPU: fetched,
 * to be read, because it has written there; taken, to be written, because it has
 * them too. Caches have no end here, so that nothing else is counted: neither
 * first accesses nor what had no room.
 *
 * Lines are told by virtual addresses: of what the kernel maps twice each mapping is
 * a line of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

enum { LOCKED, FETCHED, TAKEN, RUNS };

#define LINE_SHIFT	6

/* @holders: a bit for each CPU; @written: while it was looked at */
struct line {
	uint64_t	addr;		/* >> LINE_SHIFT; 0: unused */
	uint16_t	holders;
	bool		written;
};

static struct line *lines;
static uint64_t n_lines, room_lines;

static struct line *find(uint64_t addr)
{
	uint64_t at = addr * 0x9e3779b97f4a7c15ULL >> 20;

	for (;; at++) {
		struct line *l = &lines[at & (room_lines - 1)];

		if (!l->addr || l->addr == addr)
			return l;
	}
}

static void grow(void)
{
	struct line *old = lines;
	uint64_t n = room_lines;

	room_lines = n ? 2 * n : 1 << 16;
	lines = calloc(room_lines, sizeof(*lines));
	if (!lines) {
		perror("profile: no memory");
		exit(1);
	}
	for (uint64_t i = 0; i < n; i++)
		if (old[i].addr)
			*find(old[i].addr) = old[i];
	free(old);
}

static struct line *line_of(uint64_t addr)
{
	struct line *l;

	if (2 * n_lines >= room_lines)
		grow();
	l = find(addr >> LINE_SHIFT);
	if (!l->addr) {
		l->addr = addr >> LINE_SHIFT;
		n_lines++;
	}
	return l;
}

static void on_read(struct line *l, uint16_t me, struct counts *n)
{
	if (l->written && !(l->holders & me))
		n->value[FETCHED]++;
	l->holders |= me;
}

static void on_write(struct line *l, uint16_t me, struct counts *n)
{
	if (l->holders & ~me)
		n->value[TAKEN]++;
	l->holders = me;
	l->written = true;
}

static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t addr,
		      void *data)
{
	const struct block *b = data;
	struct cpu *c = &cpus[cpu];
	struct counts *n;

	/* User space has its own; accesses of another block are strays, see stacks.c */
	if (!window_open() || !(addr & KERNEL_SPACE) || c->block != b)
		return;
	window_lock();
	n = counts_of(c->context, window.phase, b->addr);
	if (qemu_plugin_mem_is_store(info))
		on_write(line_of(addr), 1 << cpu, n);
	else
		on_read(line_of(addr), 1 << cpu, n);
	window_unlock();
}

/* LOCK, or XCHG with memory, which needs no prefix */
static bool is_locked(const struct qemu_plugin_insn *insn)
{
	const uint8_t *p = qemu_plugin_insn_data(insn);
	size_t len = qemu_plugin_insn_size(insn);

	while (len > 1 && ((*p & 0xf0) == 0x40 || memchr("\x66\x2e\x3e\x64\x65\xf2\xf3", *p, 7))) {
		p++;
		len--;
	}
	return *p == 0xf0 || (len > 1 && (*p & 0xfe) == 0x86 && p[1] >> 6 != 3);
}

static void watch(struct qemu_plugin_tb *tb, struct block *b)
{
	for (uint32_t i = 0; i < b->insns; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		b->locked += is_locked(insn);
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, b);
	}
}

static void count(const struct block *b, struct counts *n)
{
	n->value[LOCKED] += b->locked;
	n->value[RUNS]++;
}

const struct plugin plugin = {
	.names = "locked fetched taken runs", .watch = watch, .count = count,
};
