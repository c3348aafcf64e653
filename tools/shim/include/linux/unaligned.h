/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_UNALIGNED_H
#define _SHIM_LINUX_UNALIGNED_H

#include <linux/types.h>
#include <asm/byteorder.h>

#define __shim_get(type, p) \
	({ type __v; __builtin_memcpy(&__v, (p), sizeof(__v)); __v; })
#define __shim_put(type, v, p) \
	do { type __v = (v); __builtin_memcpy((p), &__v, sizeof(__v)); } while (0)

static inline u16 get_unaligned_be16(const void *p)
{
	return be16_to_cpu(__shim_get(__be16, p));
}

static inline u32 get_unaligned_be24(const void *p)
{
	const u8 *b = p;

	return (u32)b[0] << 16 | (u32)b[1] << 8 | b[2];
}

static inline u32 get_unaligned_be32(const void *p)
{
	return be32_to_cpu(__shim_get(__be32, p));
}

static inline u64 get_unaligned_be64(const void *p)
{
	return be64_to_cpu(__shim_get(__be64, p));
}

static inline void put_unaligned_be16(u16 val, void *p)
{
	__shim_put(__be16, cpu_to_be16(val), p);
}

static inline void put_unaligned_be24(u32 val, void *p)
{
	u8 *b = p;

	b[0] = (u8)(val >> 16);
	b[1] = (u8)(val >> 8);
	b[2] = (u8)val;
}

static inline void put_unaligned_be32(u32 val, void *p)
{
	__shim_put(__be32, cpu_to_be32(val), p);
}

static inline void put_unaligned_be64(u64 val, void *p)
{
	__shim_put(__be64, cpu_to_be64(val), p);
}

#endif
