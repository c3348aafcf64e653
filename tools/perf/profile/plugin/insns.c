// SPDX-License-Identifier: GPL-2.0
/* Plug-in: all instructions of a guest, and how often blocks of them run */
#include "plugin.h"

enum { INSNS, RUNS };

static void count(const struct block *b, struct counts *n)
{
	n->value[INSNS] += b->insns;
	n->value[RUNS]++;
}

const struct plugin plugin = { .names = "insns runs", .count = count };
