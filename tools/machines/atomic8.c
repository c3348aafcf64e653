// SPDX-License-Identifier: GPL-2.0
/*
 * What the sanitizers' libraries want where the processor has no atomic operations on
 * 64 bits, and the compiler's library none for gcc's older names. The programs that are
 * linked with it have one thread.
 */
#include <stdint.h>

uint64_t cas8(uint64_t *p, uint64_t old, uint64_t new)
	__asm__("__sync_val_compare_and_swap_8");
uint64_t load8(const uint64_t *p, int order) __asm__("__atomic_load_8");
void store8(uint64_t *p, uint64_t v, int order) __asm__("__atomic_store_8");

uint64_t cas8(uint64_t *p, uint64_t old, uint64_t new)
{
	uint64_t was = *p;

	if (was == old)
		*p = new;
	return was;
}

uint64_t load8(const uint64_t *p, int order)
{
	(void)order;
	return *p;
}

void store8(uint64_t *p, uint64_t v, int order)
{
	(void)order;
	*p = v;
}
