/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What may follow, for the completion of shells.
 */
#ifndef UET_COMPLETE_H
#define UET_COMPLETE_H

#include "cmd.h"

/* First word of a command line that asks for what may follow the others */
#define COMPLETE_WORD	"__complete"

int complete_run(struct tool *t, int argc, char **argv);

#endif
