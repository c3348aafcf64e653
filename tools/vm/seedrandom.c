// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into User Mode Linux for runs in virtual time: the host's random
 * numbers are the one input that differs between two runs of one command, so
 * they come from a generator seeded by the run (environment UET_SEED).
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/types.h>

/* splitmix64: any seed, zero included, gives a full-period sequence. */
static uint64_t next(void)
{
	static uint64_t state;
	static int seeded;
	uint64_t z;

	if (!seeded) {
		const char *s = getenv("UET_SEED");

		state = s ? strtoull(s, NULL, 0) : 0;
		seeded = 1;
	}
	state += 0x9e3779b97f4a7c15ULL;
	z = state;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

ssize_t getrandom(void *buf, size_t len, unsigned int flags)
{
	unsigned char *p = buf;
	size_t i;

	(void)flags;
	for (i = 0; i < len; i++)
		p[i] = next() >> 32;
	return len;
}
