/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UET_BATCH_H
#define UET_BATCH_H

#include <stdio.h>

#include "cmd.h"

/* Words of a line */
#define WORDS_MAX	256

int line_split(char *line, char **words, int max);
int batch_run(struct tool *t, const char *name);

#endif
