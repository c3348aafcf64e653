/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_BUILD_BUG_H
#define _SHIM_LINUX_BUILD_BUG_H

#define __shim_assert(expr, msg, ...)	_Static_assert(expr, msg)
#define static_assert(expr, ...)	__shim_assert(expr, ##__VA_ARGS__, #expr)
#define BUILD_BUG_ON(cond)		_Static_assert(!(cond), #cond)
#define BUILD_BUG_ON_ZERO(e) \
	((int)sizeof(struct { int : (-!!(e)); }))

#endif
