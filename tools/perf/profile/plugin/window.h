/* SPDX-License-Identifier: GPL-2.0 */
/* When is it counted, and for which phase: the marks that programs leave */
#ifndef PROFILE_WINDOW_H
#define PROFILE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu.h"

/**
 * struct window - what marks have said so far
 * @phase: phases that have begun; 0: none yet, nothing is to be followed
 * @begun: programs that are between begin and end
 */
struct window {
	uint32_t	phase, begun;
};

extern struct window window;

static inline bool window_open(void)
{
	return window.begun;
}

void window_watch(struct qemu_plugin_insn *insn);

/* Callbacks come from a thread for each CPU. With one CPU there is nobody to keep out. */
void window_cpus(const qemu_info_t *info);
void window_lock(void);
void window_unlock(void);

#endif
