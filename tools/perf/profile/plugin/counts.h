/* SPDX-License-Identifier: GPL-2.0 */
/* The books: a tree of calling contexts, and what blocks of code did in each */
#ifndef PROFILE_COUNTS_H
#define PROFILE_COUNTS_H

#include <stdint.h>
#include <stdio.h>

/* Contexts that nobody called */
enum { CONTEXT_ROOT, CONTEXT_USER, CONTEXT_FIRST };

/* Of a block of code in a context; a plug-in says what they mean */
#define COUNTS_VALUES	4

struct counts {
	uint32_t	context, phase;
	uint64_t	block;
	uint64_t	value[COUNTS_VALUES];
};

uint32_t context_child(uint32_t parent, uint64_t function);
struct counts *counts_of(uint32_t context, uint32_t phase, uint64_t block);
void counts_write(FILE *f);

#endif
