/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All headers that the core may use from outside this directory.
 *
 * Everything in this directory is plain C: no packets, sockets, locks,
 * allocation, logging, clocks or random numbers.  The same files are built into
 * the module, into KUnit and into user-space programs; for the latter
 * tools/shim/include provides small headers of the same names.
 */
#ifndef _UET_CORE_ENV_H
#define _UET_CORE_ENV_H

#include <linux/types.h>
#include <linux/limits.h>
#include <linux/compiler.h>
#include <linux/stddef.h>
#include <linux/build_bug.h>
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#endif /* _UET_CORE_ENV_H */
