// SPDX-License-Identifier: GPL-2.0
/*
 * How much memory the messages of a namespace hold, in quanta. See memory.h.
 *
 * The operations on the part of a CPU are atomic there, and nothing else is needed: where
 * a task moves to another CPU between two of them, the parts are wrong by the same
 * amount in both directions, and the sum of all is right.
 */
#include <linux/cpumask.h>
#include <linux/minmax.h>

#include "memory.h"

/* All CPUs together may have an eighth of the limit ahead, two quanta each. */
#define UET_MEM_AHEAD_PART	16

/**
 * uet_mem_init() - no memory is taken
 * @mem: memory
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int uet_mem_init(struct uet_mem *mem)
{
	atomic_long_set(&mem->taken, 0);
	atomic_long_set(&mem->ready, 0);
	mem->quantum = 0;
	mem->cpu = alloc_percpu_gfp(struct uet_mem_cpu, GFP_KERNEL_ACCOUNT);
	return mem->cpu ? 0 : -ENOMEM;
}

/**
 * uet_mem_exit() - undo uet_mem_init()
 * @mem: memory, of which none is used
 *
 * Context: process.
 */
void uet_mem_exit(struct uet_mem *mem)
{
	free_percpu(mem->cpu);
}

static bool uet_mem_take_common(struct uet_mem *mem, long bytes,
				unsigned long limit)
{
	if ((unsigned long)atomic_long_add_return(bytes, &mem->taken) > limit) {
		atomic_long_sub(bytes, &mem->taken);
		return false;
	}
	this_cpu_add(mem->cpu->ahead, bytes);
	return true;
}

/**
 * uet_mem_take_quantum() - take memory that this CPU does not have ahead
 * @mem: memory
 * @bytes: how much was taken from what this CPU has ahead
 * @lacks: how much of that it did not have
 * @limit: of all that is taken
 *
 * Context: any.
 * Return: false if the limit is reached; then @bytes are not taken.
 */
bool uet_mem_take_quantum(struct uet_mem *mem, long bytes, long lacks,
			  unsigned long limit)
{
	unsigned long part = limit / (UET_MEM_AHEAD_PART * num_online_cpus());
	long quantum = min_t(unsigned long, part, UET_MEM_QUANTUM);

	if (READ_ONCE(mem->quantum) != quantum)
		WRITE_ONCE(mem->quantum, quantum);
	if (uet_mem_take_common(mem, lacks + quantum, limit) ||
	    uet_mem_take_common(mem, lacks, limit))
		return true;
	this_cpu_add(mem->cpu->ahead, bytes);
	return false;
}

/**
 * uet_mem_give_quantum() - give back what this CPU has ahead, but for a quantum
 * @mem: memory
 *
 * Context: any.
 */
void uet_mem_give_quantum(struct uet_mem *mem)
{
	long more = this_cpu_read(mem->cpu->ahead) - READ_ONCE(mem->quantum);

	if (more <= 0)
		return;
	this_cpu_sub(mem->cpu->ahead, more);
	atomic_long_sub(more, &mem->taken);
}

/**
 * uet_mem_add_ready() - add what this CPU has noted to uet_mem.ready
 * @mem: memory
 *
 * Context: any.
 */
void uet_mem_add_ready(struct uet_mem *mem)
{
	atomic_long_add(this_cpu_xchg(mem->cpu->ready, 0), &mem->ready);
}

/**
 * uet_mem_used() - how much is charged?
 * @mem: memory
 *
 * Context: any.
 * Return: bytes; if it changes meanwhile, about so many.
 */
long uet_mem_used(const struct uet_mem *mem)
{
	long used = atomic_long_read(&mem->taken);
	int cpu;

	for_each_possible_cpu(cpu)
		used -= READ_ONCE(per_cpu_ptr(mem->cpu, cpu)->ahead);
	return used;
}

/**
 * uet_mem_ready() - how much could readers take?
 * @mem: memory
 *
 * Context: any.
 * Return: bytes; if it changes meanwhile, about so many.
 */
long uet_mem_ready(const struct uet_mem *mem)
{
	long ready = atomic_long_read(&mem->ready);
	int cpu;

	for_each_possible_cpu(cpu)
		ready += READ_ONCE(per_cpu_ptr(mem->cpu, cpu)->ready);
	return ready;
}
