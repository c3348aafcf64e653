/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Characters in strings that others chose, such as names of processes.
 */
#ifndef UET_UTF8_H
#define UET_UTF8_H

#include <stdbool.h>
#include <stddef.h>

size_t utf8_length(const unsigned char *s);
bool utf8_is_control(const unsigned char *s, size_t len);

#endif
