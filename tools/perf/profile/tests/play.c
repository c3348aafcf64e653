// SPDX-License-Identifier: GPL-2.0
/*
 * Plays the emulator for the plug-in: a few blocks of code, run in an order that has
 * calls, an interrupt with a stack of its own, a switch of tasks and what is not to
 * be counted. profile_test.py knows what has to come of it.
 *
 *	play FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../mark.h"
#include "../plugin/qemu.h"

struct qemu_plugin_insn {
	uint8_t			bytes[8];
	size_t			size;
	qemu_plugin_exec_fn	exec;
	qemu_plugin_mem_fn	mem;
	void			*exec_data, *mem_data;
};

/* Of each block: its first instructions are NOPs, the last one matters */
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
	insn->mem = fn;
	insn->mem_data = data;
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

/* --- blocks --------------------------------------------------------------------- */

#define TEXT(n)		(0xffffffff81000000ULL + (n) * 0x100)
#define TASK_A		0xffa0000000014000ULL	/* ends of stacks */
#define TASK_B		0xffa0000000024000ULL
#define INTERRUPT	0xffa0000000034000ULL

#define CALL	"\xe8\0\0\0\0"
#define RET	"\xc3"
#define JUMP	"\xeb\0"
/* mov 0x1000(%rsi), %rsp */
#define SWITCH	"\x48\x8b\xa6\0\x10\0\0"

static struct qemu_plugin_tb *block(uint64_t addr, size_t n, const char *last, size_t size)
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

#define BLOCK(addr, n, last) block(addr, n, last, sizeof(last) - 1)

/* Runs a block; @at: where its last instruction stores or loads */
static void run(struct qemu_plugin_tb *tb, uint64_t at)
{
	tb->exec(0, tb->data);
	for (size_t i = 0; i < tb->n; i++) {
		struct qemu_plugin_insn *insn = &tb->insn[i];

		if (insn->exec)
			insn->exec(0, insn->exec_data);
		if (insn->mem)
			insn->mem(0, 0, at, insn->mem_data);
	}
}

static void run_mark(enum mark what)
{
	static const uint8_t nop[] = MARK_BYTES;
	uint32_t disp = MARK_MAGIC + what;
	char bytes[8];

	memcpy(bytes, nop, 4);
	memcpy(bytes + 4, &disp, 4);
	run(block(0x400000 + 0x10 * what, 1, bytes, 8), 0);
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
	qemu_info_t info = { .system_emulation = true, .system = { 1, 1 } };
	struct qemu_plugin_tb *user, *entry, *send, *send_rest, *lock, *irq, *irq_call,
			      *irq_rest, *swtch, *back, *wait, *wait_rest, *entry_rest;

	if (argc != 2)
		return 2;
	snprintf(out, sizeof(out), "out=%s", argv[1]);
	if (qemu_plugin_version != 1 || qemu_plugin_install(0, &info, 1, args))
		return 1;
	user = BLOCK(0x401000, 5, JUMP);
	entry = BLOCK(TEXT(0), 3, CALL);		/* calls send */
	entry_rest = BLOCK(TEXT(0) + 0x20, 1, JUMP);
	send = BLOCK(TEXT(1), 4, CALL);			/* calls lock */
	send_rest = BLOCK(TEXT(1) + 0x20, 2, RET);
	lock = BLOCK(TEXT(2), 7, RET);
	irq = BLOCK(TEXT(3), 1, CALL);			/* goes to the other stack */
	irq_call = BLOCK(TEXT(4), 2, CALL);		/* calls lock */
	irq_rest = BLOCK(TEXT(4) + 0x20, 1, RET);
	swtch = BLOCK(TEXT(5), 6, SWITCH);
	back = BLOCK(TEXT(5) + 0x20, 1, RET);
	wait = BLOCK(TEXT(6), 1, CALL);			/* calls lock */
	wait_rest = BLOCK(TEXT(6) + 0x20, 1, CALL);	/* again */

	/* Before the first phase nothing is followed */
	run(entry, TASK_A - 8);
	run_mark(MARK_BEGIN);
	run_mark(MARK_NEXT);
	run(user, 0);

	/* Task B waits: it went to another one; not counted yet */
	run(wait, TASK_B - 8);
	run(swtch, 0);

	run_mark(MARK_BEGIN);
	run(user, 0);
	run(entry, TASK_A - 8);
	run(send, TASK_A - 16);
	run(lock, TASK_A - 16);			/* by send */
	/* An interrupt comes when send is about to go on */
	run(irq, INTERRUPT - 16);
	run(irq_call, INTERRUPT - 24);
	run(lock, INTERRUPT - 24);		/* by irq */
	run(irq_rest, INTERRUPT - 16);
	/* A stray access is no return: another block wants to know of it */
	wait->insn[0].mem(0, 0, TASK_A, wait->insn[0].mem_data);
	run(send, TASK_A - 16);			/* a loop */
	run(lock, TASK_A - 16);
	run(swtch, 0);				/* send goes to task B */
	run(back, TASK_B - 8);
	run(wait_rest, TASK_B - 8);		/* on its stack nobody is called by send */
	run(lock, TASK_B - 8);
	run(swtch, 0);				/* and back */
	run(send_rest, TASK_A - 8);
	run(entry_rest, 0);
	run_mark(MARK_END);
	run(user, 0);

	run_mark(MARK_NEXT);
	run(user, 0);
	run_mark(MARK_BEGIN);
	run_mark(MARK_BEGIN);
	run_mark(MARK_END);
	run(user, 0);				/* one of two has not ended */
	run_mark(MARK_END);
	run(user, 0);
	leave(0, NULL);
	return 0;
}
