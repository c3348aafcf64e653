// SPDX-License-Identifier: GPL-2.0
/*
 * For insns.c: calls, an interrupt with a stack of its own, a switch of tasks and what
 * is not to be counted.
 */
#include "play.h"

#define TASK_A		0xffa0000000014000ULL	/* ends of stacks */
#define TASK_B		0xffa0000000024000ULL
#define INTERRUPT	0xffa0000000034000ULL

/* mov 0x1000(%rsi), %rsp */
#define SWITCH	"\x48\x8b\xa6\0\x10\0\0"

static void run(struct qemu_plugin_tb *tb)
{
	play_run(0, tb, 0, 0);
}

/* It ends with a call, which stores at @at */
static void push(struct qemu_plugin_tb *tb, uint64_t at)
{
	play_run(0, tb, at, QEMU_PLUGIN_MEM_W);
}

/* It ends with a return, which loads there */
static void pop(struct qemu_plugin_tb *tb, uint64_t at)
{
	play_run(0, tb, at, QEMU_PLUGIN_MEM_R);
}

void play(void)
{
	struct qemu_plugin_tb *user, *entry, *send, *send_rest, *lock, *irq, *irq_call,
			      *irq_rest, *swtch, *back, *wait, *wait_rest, *entry_rest;

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
	push(entry, TASK_A - 8);
	play_mark(MARK_BEGIN);
	play_mark(MARK_NEXT);
	run(user);

	/* Task B waits: it went to another one; not counted yet */
	push(wait, TASK_B - 8);
	run(swtch);

	play_mark(MARK_BEGIN);
	run(user);
	push(entry, TASK_A - 8);
	push(send, TASK_A - 16);
	pop(lock, TASK_A - 16);			/* by send */
	/* An interrupt comes when send is about to go on */
	push(irq, INTERRUPT - 16);
	push(irq_call, INTERRUPT - 24);
	pop(lock, INTERRUPT - 24);		/* by irq */
	pop(irq_rest, INTERRUPT - 16);
	/* A stray access is no return: another block wants to know of it */
	play_stray(wait, TASK_A);
	push(send, TASK_A - 16);			/* a loop */
	pop(lock, TASK_A - 16);
	run(swtch);				/* send goes to task B */
	pop(back, TASK_B - 8);
	push(wait_rest, TASK_B - 8);		/* on its stack nobody is called by send */
	pop(lock, TASK_B - 8);
	run(swtch);				/* and back */
	pop(send_rest, TASK_A - 8);
	run(entry_rest);
	play_mark(MARK_END);
	run(user);

	play_mark(MARK_NEXT);
	run(user);
	play_mark(MARK_BEGIN);
	play_mark(MARK_BEGIN);
	play_mark(MARK_END);
	run(user);				/* one of two has not ended */
	play_mark(MARK_END);
	run(user);
}
