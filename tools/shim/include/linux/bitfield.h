/* SPDX-License-Identifier: GPL-2.0 */
/* Constant masks only, as in the kernel. */
#ifndef _SHIM_LINUX_BITFIELD_H
#define _SHIM_LINUX_BITFIELD_H

#include <linux/build_bug.h>

#define __shim_bf_shift(mask)	(__builtin_ffsll((long long)(mask)) - 1)

#define FIELD_MAX(mask) \
	((__typeof__(mask))((mask) >> __shim_bf_shift(mask)))
#define FIELD_GET(mask, reg) \
	((__typeof__(mask))(((reg) & (mask)) >> __shim_bf_shift(mask)))
#define FIELD_PREP(mask, val) \
	(((__typeof__(mask))(val) << __shim_bf_shift(mask)) & (mask))

#endif
