/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UET_SOCK_H
#define UET_SOCK_H

#include "cmd.h"

extern const struct field fields_sock[];

#endif
