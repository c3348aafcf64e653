// SPDX-License-Identifier: GPL-2.0
/*
 * A call is on the stack until something is called, or returned to, from the
 * place of its return address or above. That is all that is needed of returns:
 * what leaves frames behind by other ways (a switch of tasks, the end of a
 * system call, a thread that exits) leaves them to the next call from higher up.
 *
 * Stacks are told apart by their addresses. Where the kernel goes to another one
 * by calling (interrupts, softirqs), what runs there is in the context of the
 * call; where it switches tasks, it is not.
 */
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "stacks.h"
#include "window.h"

#define STACK_SHIFT	14		/* THREAD_SIZE and IRQ_STACK_SIZE of x86-64 */
#define STACKS		4096		/* a power of 2 */
#define DEPTH		256
/* Lowest address that vmalloc() gives, and so of stacks, with five levels of pages */
#define VMALLOC		0xffa0000000000000ULL

struct frame {
	uint64_t	at;
	uint32_t	context;
};

/**
 * struct stack - calls that have not returned
 * @region: address >> STACK_SHIFT, 0 if unused
 * @caller: stack from which this one was gone to, or NULL
 * @base: context in which that was
 * @depth: frames
 */
struct stack {
	uint64_t	region;
	struct stack	*caller;
	uint32_t	base, depth;
	struct frame	frame[DEPTH];
};

struct cpu cpus[CPUS_MAX];

static struct stack stacks[STACKS];
static unsigned int n_stacks;

/* Too many regions were stacks once: all is learnt anew with the next calls */
static void forget(void)
{
	memset(stacks, 0, sizeof(stacks));
	n_stacks = 0;
	for (int i = 0; i < CPUS_MAX; i++)
		cpus[i].stack = NULL;
}

static struct stack *stack_at(uint64_t addr)
{
	uint64_t region = addr >> STACK_SHIFT;
	unsigned int i = region * 0x9e3779b97f4a7c15ULL >> 52;

	if (n_stacks > STACKS * 3 / 4)
		forget();
	while (stacks[i].region && stacks[i].region != region)
		i = (i + 1) % STACKS;
	if (!stacks[i].region) {
		stacks[i].region = region;
		n_stacks++;
	}
	return &stacks[i];
}

/* Goes to where a return address is: what is below it, or there, has ended */
static void arrive(struct cpu *c, uint64_t at)
{
	struct stack *s = stack_at(at), *from = c->stack;

	while (s->depth && s->frame[s->depth - 1].at <= at)
		s->depth--;
	if (s != from) {
		if (from && from->caller == s) {
			from->depth = 0;
			from->caller = NULL;
		} else if (!s->depth) {
			s->caller = from;
			s->base = from ? c->context : CONTEXT_ROOT;
		}
		c->stack = s;
	}
	c->context = s->depth ? s->frame[s->depth - 1].context : s->base;
}

/* QEMU 7.2 has accesses of helpers (FXSAVE, CMPXCHG16B) call what an earlier block wants */
static bool stray(const struct cpu *c, const void *block, uint64_t at)
{
	return c->block != block || at < VMALLOC;
}

static void on_call(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t at,
		    void *block)
{
	struct cpu *c = &cpus[cpu];

	(void)info;
	if (!window.phase || stray(c, block, at))
		return;
	window_lock();
	arrive(c, at);
	c->called = true;
	c->called_at = at;
	window_unlock();
}

static void on_return(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t at,
		      void *block)
{
	struct cpu *c = &cpus[cpu];

	(void)info;
	if (!window.phase || stray(c, block, at))
		return;
	window_lock();
	arrive(c, at);
	window_unlock();
}

/* The block is what was called, if the one before ended with a call */
static void finish_call(struct cpu *c, const struct block *b)
{
	struct stack *s = c->stack;

	c->called = false;
	c->context = context_child(c->context, b->addr);
	if (s && s->depth < DEPTH)
		s->frame[s->depth++] = (struct frame){ c->called_at, c->context };
}

/**
 * stacks_run() - a CPU begins with a block
 * @c: CPU
 * @b: block
 */
void stacks_run(struct cpu *c, const struct block *b)
{
	c->block = b;
	if (!(b->addr & KERNEL_SPACE)) {
		c->called = false;
		c->stack = NULL;
		c->context = CONTEXT_USER;
		return;
	}
	if (c->called)
		finish_call(c, b);
	else if (c->context == CONTEXT_USER)
		c->context = CONTEXT_ROOT;
	if (b->switches) {
		c->stack = NULL;
		c->context = CONTEXT_ROOT;
	}
}

/* --- instructions ------------------------------------------------------------- */

/* Behind prefixes: REX, and those that pad alternatives */
static const uint8_t *opcode(const struct qemu_plugin_insn *insn, size_t *len)
{
	const uint8_t *p = qemu_plugin_insn_data(insn);

	*len = qemu_plugin_insn_size(insn);
	while (*len > 1 && ((*p & 0xf0) == 0x40 || memchr("\x2e\x3e\xf2\xf3", *p, 4))) {
		p++;
		--*len;
	}
	return p;
}

static bool is_call(const uint8_t *op, size_t len)
{
	return *op == 0xe8 || (len > 1 && *op == 0xff && (op[1] >> 3 & 7) == 2);
}

static bool is_return(const uint8_t *op)
{
	return *op == 0xc3 || *op == 0xc2;
}

/* mov disp(%rsi), %rsp: nothing but __switch_to_asm() has it */
static bool is_switch(const uint8_t *op, size_t len)
{
	return len > 1 && *op == 0x8b && (op[1] == 0xa6 || op[1] == 0x66);
}

/**
 * stacks_watch() - look out for what a block does to the stack
 * @tb: block of the kernel that is being translated
 * @b: the same
 */
void stacks_watch(struct qemu_plugin_tb *tb, struct block *b)
{
	struct qemu_plugin_insn *last = NULL;
	const uint8_t *op = NULL;
	size_t len = 0;

	for (uint32_t i = 0; i < b->insns; i++) {
		last = qemu_plugin_tb_get_insn(tb, i);
		op = opcode(last, &len);
		b->switches |= *(const uint8_t *)qemu_plugin_insn_data(last) == 0x48 &&
			       is_switch(op, len);
	}
	if (!last)
		return;
	if (is_call(op, len))
		qemu_plugin_register_vcpu_mem_cb(last, on_call, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_W, b);
	else if (is_return(op))
		/* QEMU 7.2 calls nothing for R alone */
		qemu_plugin_register_vcpu_mem_cb(last, on_return, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, b);
}
