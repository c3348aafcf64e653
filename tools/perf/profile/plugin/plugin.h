/* SPDX-License-Identifier: GPL-2.0 */
/* What the plug-ins have in common: blocks, their contexts, a file at the end */
#ifndef PROFILE_PLUGIN_H
#define PROFILE_PLUGIN_H

#include "counts.h"
#include "stacks.h"
#include "window.h"

struct plugin {
	const char	*names;		/* of struct counts.value */
	/* A block of the kernel is seen for the first time; may watch it */
	void		(*watch)(struct qemu_plugin_tb *tb, struct block *b);
	/* A block runs while it is counted */
	void		(*count)(const struct block *b, struct counts *n);
};

/* Each plug-in defines this one */
extern const struct plugin plugin;

#endif
