/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UET_MSG_H
#define UET_MSG_H

#include "cmd.h"

extern const struct field fields_msg[];

int msg_dump(struct tool *t, const struct args *args, uint32_t limit,
	     nl_object_fn fn, void *arg);

#endif
