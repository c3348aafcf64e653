// SPDX-License-Identifier: GPL-2.0
/*
 * Plays the emulator for a plug-in: blocks of code, run in an order and with accesses
 * to memory that a test (play_*.c) says.
 *
 *	play FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

struct qemu_plugin_insn {
	uint8_t			bytes[8];
	size_t			size;
	qemu_plugin_exec_fn	exec;
	void			*exec_data;
	qemu_plugin_mem_fn	mem[2];
	void			*mem_data[2];
	unsigned int		mems;
};

/* The first instructions are NOPs, the last one matters */
struct qemu_plugin_tb {
	uint64_t		addr;
	size_t			n;
	struct qemu_plugin_insn	insn[8];
	qemu_plugin_exec_fn	exec;
	void			*data;
};

static qemu_plugin_tb_fn translate;
static qemu_plugin_exit_fn leave;

/* --- the interface ------------------------------------------------------------- */

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_fn fn)
{
	(void)id;
	translate = fn;
}

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_exec_fn fn,
					  enum qemu_plugin_cb_flags flags, void *data)
{
	(void)flags;
	tb->exec = fn;
	tb->data = data;
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_exec_fn fn,
					    enum qemu_plugin_cb_flags flags, void *data)
{
	(void)flags;
	insn->exec = fn;
	insn->exec_data = data;
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_fn fn,
				      enum qemu_plugin_cb_flags flags,
				      enum qemu_plugin_mem_rw rw, void *data)
{
	(void)flags;
	(void)rw;
	insn->mem[insn->mems] = fn;
	insn->mem_data[insn->mems++] = data;
}

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_exit_fn fn, void *data)
{
	(void)id;
	(void)data;
	leave = fn;
}

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
	return tb->n;
}

uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb)
{
	return tb->addr;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index)
{
	return (struct qemu_plugin_insn *)&tb->insn[index];
}

const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn)
{
	return insn->bytes;
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
	return insn->size;
}

bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info)
{
	return info & QEMU_PLUGIN_MEM_W;
}

/* --- blocks --------------------------------------------------------------------- */

struct qemu_plugin_tb *play_block(uint64_t addr, size_t n, const char *last, size_t size)
{
	struct qemu_plugin_tb *tb = calloc(1, sizeof(*tb));

	tb->addr = addr;
	tb->n = n;
	for (size_t i = 0; i < n; i++) {
		tb->insn[i].bytes[0] = 0x90;
		tb->insn[i].size = 1;
	}
	memcpy(tb->insn[n - 1].bytes, last, size);
	tb->insn[n - 1].size = size;
	translate(0, tb);
	return tb;
}

/**
 * play_run() - run a block
 * @cpu: on which CPU
 * @tb: block
 * @at: where its last instruction accesses memory
 * @rw: and how; 0: it does not
 */
void play_run(unsigned int cpu, struct qemu_plugin_tb *tb, uint64_t at,
	      enum qemu_plugin_mem_rw rw)
{
	struct qemu_plugin_insn *last = &tb->insn[tb->n - 1];

	tb->exec(cpu, tb->data);
	if (last->exec)
		last->exec(cpu, last->exec_data);
	for (unsigned int i = 0; rw && i < last->mems; i++)
		last->mem[i](cpu, rw, at, last->mem_data[i]);
}

/* An access that another block's instruction is told of */
void play_stray(struct qemu_plugin_tb *tb, uint64_t at)
{
	struct qemu_plugin_insn *last = &tb->insn[tb->n - 1];

	for (unsigned int i = 0; i < last->mems; i++)
		last->mem[i](0, QEMU_PLUGIN_MEM_W, at, last->mem_data[i]);
}

void play_mark(enum mark what)
{
	static const uint8_t nop[] = MARK_BYTES;
	uint32_t disp = MARK_MAGIC + what;
	char bytes[8];

	memcpy(bytes, nop, 4);
	memcpy(bytes + 4, &disp, 4);
	play_run(0, play_block(0x400000 + 0x10 * what, 1, bytes, 8), 0, 0);
}

/* The plug-in keeps what it knows of blocks, as the emulator does its own */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

int main(int argc, char **argv)
{
	static char out[4096];
	char *args[] = { out };
	qemu_info_t info = { .system_emulation = true,
			     .system = { PLAY_CPUS, PLAY_CPUS } };

	if (argc != 2)
		return 2;
	snprintf(out, sizeof(out), "out=%s", argv[1]);
	if (qemu_plugin_version != 1 || qemu_plugin_install(0, &info, 1, args))
		return 1;
	play();
	leave(0, NULL);
	return 0;
}
