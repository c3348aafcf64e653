// SPDX-License-Identifier: GPL-2.0
/*
 * Table of the congestion control algorithms. A new algorithm is one file and
 * one line here.
 */
#include "ccc.h"

static const struct uet_cc_algo algos[] = {
	{ .name = "nscc", .window = &uet_cc_nscc },
	{ .name = "rccc", .credit = &uet_cc_rccc },
	{ .name = "nscc+rccc", .window = &uet_cc_nscc,
	  .credit = &uet_cc_rccc },
	{ .name = "fixed", .window = &uet_cc_fixed },
	{ .name = "tfc", .credit = &uet_cc_tfc },
};

const struct uet_cc_algo *uet_cc_at(u32 i)
{
	return i < ARRAY_SIZE(algos) ? &algos[i] : NULL;
}

const struct uet_cc_algo *uet_cc_find(const char *name)
{
	const struct uet_cc_algo *algo;
	u32 i;

	for (i = 0; (algo = uet_cc_at(i)); i++)
		if (!strcmp(name, algo->name))
			break;
	return algo;
}
