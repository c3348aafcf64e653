/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UET_NETNS_H
#define UET_NETNS_H

#include <stdbool.h>

int netns_enter(const char *name);

/* Called in each namespace: fn returns whether to go on */
void netns_each(bool (*fn)(void *arg), void *arg);

#endif
