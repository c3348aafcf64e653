/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unaligned big-endian accessors for packet fields. Not taken from the kernel:
 * its header moved (asm/unaligned.h to linux/unaligned.h), and the core must
 * not depend on the kernel version.
 */
#ifndef _UET_CORE_BYTES_H
#define _UET_CORE_BYTES_H

#include "../env.h"

/**
 * uet_get_be16() - read a 16-bit field
 * @p: first byte
 *
 * Return: value in host order.
 */
static inline u16 uet_get_be16(const void *p)
{
	__be16 v;

	memcpy(&v, p, sizeof(v));
	return be16_to_cpu(v);
}

/**
 * uet_get_be32() - read a 32-bit field
 * @p: first byte
 *
 * Return: value in host order.
 */
static inline u32 uet_get_be32(const void *p)
{
	__be32 v;

	memcpy(&v, p, sizeof(v));
	return be32_to_cpu(v);
}

/**
 * uet_get_be64() - read a 64-bit field
 * @p: first byte
 *
 * Return: value in host order.
 */
static inline u64 uet_get_be64(const void *p)
{
	__be64 v;

	memcpy(&v, p, sizeof(v));
	return be64_to_cpu(v);
}

/**
 * uet_put_be16() - write a 16-bit field
 * @val: value in host order
 * @p: first byte
 */
static inline void uet_put_be16(u16 val, void *p)
{
	__be16 v = cpu_to_be16(val);

	memcpy(p, &v, sizeof(v));
}

/**
 * uet_put_be32() - write a 32-bit field
 * @val: value in host order
 * @p: first byte
 */
static inline void uet_put_be32(u32 val, void *p)
{
	__be32 v = cpu_to_be32(val);

	memcpy(p, &v, sizeof(v));
}

/**
 * uet_put_be64() - write a 64-bit field
 * @val: value in host order
 * @p: first byte
 */
static inline void uet_put_be64(u64 val, void *p)
{
	__be64 v = cpu_to_be64(val);

	memcpy(p, &v, sizeof(v));
}

#endif /* _UET_CORE_BYTES_H */
