/* SPDX-License-Identifier: GPL-2.0 */
/* Classes of NACK codes. */
#ifndef _UET_CORE_NACK_H
#define _UET_CORE_NACK_H

#include "wire.h"

/**
 * uet_nack_class() - what a NACK code means for the PDC
 * @code: enum uet_nack_code, any value
 *
 * Return: class, UET_NACK_CLASS_UNKNOWN for a reserved code.
 */
enum uet_nack_class uet_nack_class(u8 code);

#endif /* _UET_CORE_NACK_H */
