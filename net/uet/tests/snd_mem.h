/* SPDX-License-Identifier: GPL-2.0 */
/* Memory for the rings of a sender, freed with the test */
#ifndef _UET_TESTS_SND_MEM_H
#define _UET_TESTS_SND_MEM_H

#include <kunit/test.h>

#include "../core/snd/snd.h"

static inline void snd_mem_alloc(struct kunit *test, struct uet_snd_mem *mem,
				 u32 nslots)
{
	mem->win = kunit_kzalloc(test, uet_snd_win_size(nslots), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mem->win);
	mem->pkts = kunit_kzalloc(test, nslots * sizeof(*mem->pkts),
				  GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mem->pkts);
}

#endif /* _UET_TESTS_SND_MEM_H */
