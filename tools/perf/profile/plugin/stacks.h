/* SPDX-License-Identifier: GPL-2.0 */
/* In which calling context is a CPU? Told by where CALL stores and RET loads. */
#ifndef PROFILE_STACKS_H
#define PROFILE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu.h"

#define KERNEL_SPACE	(1ULL << 63)
#define CPUS_MAX	16

struct stack;

/**
 * struct block - code that runs from its first instruction to its last
 * @addr: of the first one
 * @insns: how many
 * @locked: of them with a locked access to memory, where that is counted
 * @switches: it takes another stack over, that of the next task
 */
struct block {
	uint64_t	addr;
	uint32_t	insns, locked;
	bool		switches;
};

/**
 * struct cpu - where a CPU is
 * @block: what it runs
 * @stack: that of the last call or return; NULL: another one will be next, and
 *	nothing on it was called from here
 * @context: calling context
 * @called: the block ended with a call, @called_at has the return address
 */
struct cpu {
	const struct block *block;
	struct stack	*stack;
	uint32_t	context;
	bool		called;
	uint64_t	called_at;
};

extern struct cpu cpus[CPUS_MAX];

void stacks_run(struct cpu *c, const struct block *b);
void stacks_watch(struct qemu_plugin_tb *tb, struct block *b);

#endif
