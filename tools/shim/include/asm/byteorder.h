/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_ASM_BYTEORDER_H
#define _SHIM_ASM_BYTEORDER_H

#include <linux/types.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define __shim_swab16(x)	__builtin_bswap16(x)
#define __shim_swab32(x)	__builtin_bswap32(x)
#define __shim_swab64(x)	__builtin_bswap64(x)
#else
#define __shim_swab16(x)	(x)
#define __shim_swab32(x)	(x)
#define __shim_swab64(x)	(x)
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define cpu_to_le32(x)	((__force __le32)(u32)(x))
#else
#define cpu_to_le32(x)	((__force __le32)__builtin_bswap32((u32)(x)))
#endif

#define cpu_to_be16(x)	((__force __be16)__shim_swab16((u16)(x)))
#define cpu_to_be32(x)	((__force __be32)__shim_swab32((u32)(x)))
#define cpu_to_be64(x)	((__force __be64)__shim_swab64((u64)(x)))
#define be16_to_cpu(x)	((u16)__shim_swab16((__force u16)(x)))
#define be32_to_cpu(x)	((u32)__shim_swab32((__force u32)(x)))
#define be64_to_cpu(x)	((u64)__shim_swab64((__force u64)(x)))

#endif
