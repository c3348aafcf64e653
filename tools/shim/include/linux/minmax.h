/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_MINMAX_H
#define _SHIM_LINUX_MINMAX_H

#define min_t(type, x, y) \
	({ type __x = (x); type __y = (y); __x < __y ? __x : __y; })
#define max_t(type, x, y) \
	({ type __x = (x); type __y = (y); __x > __y ? __x : __y; })
#define min(x, y) \
	({ __typeof__(x) _x = (x); __typeof__(y) _y = (y); \
	   (void)(&_x == &_y); _x < _y ? _x : _y; })
#define max(x, y) \
	({ __typeof__(x) _x = (x); __typeof__(y) _y = (y); \
	   (void)(&_x == &_y); _x > _y ? _x : _y; })
#define min3(x, y, z)		min(min(x, y), z)
#define max3(x, y, z)		max(max(x, y), z)
#define clamp(val, lo, hi)	min(max(val, lo), hi)
#define clamp_t(type, val, lo, hi) \
	min_t(type, max_t(type, val, lo), hi)
#define swap(a, b) \
	do { __typeof__(a) __t = (a); (a) = (b); (b) = __t; } while (0)

#endif
