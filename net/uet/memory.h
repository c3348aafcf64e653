/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much memory the messages of a namespace hold, in and out.
 *
 * Each packet is charged when it comes and given back when it was read, mostly by
 * another CPU. So a CPU takes memory from the common limit in quanta, as sockets do, and
 * charges what it has ahead. What CPUs have ahead is unused, but counts against the
 * limit: an eighth of it at most.
 */
#ifndef _UET_MEMORY_H
#define _UET_MEMORY_H

#include <linux/atomic.h>
#include <linux/percpu.h>

/* A CPU takes so much at a time, less where the limit is low */
#define UET_MEM_QUANTUM	65536L

/**
 * struct uet_mem_cpu - part of a CPU
 * @ahead: taken, but not charged; negative for a moment, or where a task has moved on
 * @ready: change of uet_mem.ready that was not added there yet
 */
struct uet_mem_cpu {
	long		ahead;
	long		ready;
};

/**
 * struct uet_mem - memory of the messages of a namespace
 * @taken: bytes charged, and what CPUs have ahead
 * @ready: bytes that readers could take, but for what CPUs have not added yet
 * @quantum: what a CPU takes at a time, bytes
 * @cpu: parts of the CPUs
 */
struct uet_mem {
	atomic_long_t			taken;
	atomic_long_t			ready;
	long				quantum;
	struct uet_mem_cpu __percpu	*cpu;
};

int uet_mem_init(struct uet_mem *mem);
void uet_mem_exit(struct uet_mem *mem);
bool uet_mem_take_quantum(struct uet_mem *mem, long bytes, long lacks,
			  unsigned long limit);
void uet_mem_give_quantum(struct uet_mem *mem);
void uet_mem_add_ready(struct uet_mem *mem);
long uet_mem_used(const struct uet_mem *mem);
long uet_mem_ready(const struct uet_mem *mem);

/**
 * uet_mem_take() - take memory, up to a limit
 * @mem: memory
 * @bytes: how much
 * @limit: of all that is taken
 *
 * Context: any.
 * Return: false if the limit is reached.
 */
static inline bool uet_mem_take(struct uet_mem *mem, long bytes,
				unsigned long limit)
{
	long ahead = this_cpu_sub_return(mem->cpu->ahead, bytes);

	return likely(ahead >= 0) ||
	       uet_mem_take_quantum(mem, bytes, -ahead, limit);
}

/**
 * uet_mem_give() - give memory back
 * @mem: memory
 * @bytes: how much
 *
 * Context: any.
 */
static inline void uet_mem_give(struct uet_mem *mem, long bytes)
{
	if (unlikely(this_cpu_add_return(mem->cpu->ahead, bytes) >
		     2 * READ_ONCE(mem->quantum)))
		uet_mem_give_quantum(mem);
}

/**
 * uet_mem_note_ready() - note a change of what readers could take
 * @mem: memory
 * @bytes: difference
 *
 * Context: any.
 */
static inline void uet_mem_note_ready(struct uet_mem *mem, long bytes)
{
	long quantum = READ_ONCE(mem->quantum);
	long ready = this_cpu_add_return(mem->cpu->ready, bytes);

	if (unlikely(ready > quantum || ready < -quantum))
		uet_mem_add_ready(mem);
}

#endif /* _UET_MEMORY_H */
