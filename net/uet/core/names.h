/* SPDX-License-Identifier: GPL-2.0 */
/* Names of code points for traces, /proc and tests; classes of NACK codes. */
#ifndef _UET_CORE_NAMES_H
#define _UET_CORE_NAMES_H

#include "wire_ses.h"

/**
 * uet_nack_class() - what a NACK code means for the PDC
 * @code: enum uet_nack_code, any value
 *
 * Return: class, UET_NACK_CLASS_UNKNOWN for a reserved code.
 */
enum uet_nack_class uet_nack_class(u8 code);

/**
 * uet_nack_is_shortage() - whether a NACK means that the receiver is full
 * @code: enum uet_nack_code, any value
 *
 * Return: true for the codes after which the source holds packets back.
 */
static inline bool uet_nack_is_shortage(u8 code)
{
	return code >= UET_NACK_NO_PKT_BUFFER && code <= UET_NACK_NO_RESOURCE;
}

/**
 * uet_pds_type_name() - name of a packet type
 * @type: enum uet_pds_type, any value
 *
 * Return: upper-case name, "RESERVED" for a reserved type.
 */
const char *uet_pds_type_name(u8 type);

/**
 * uet_ctl_type_name() - name of a control packet type
 * @ctl_type: enum uet_ctl_type, any value
 *
 * Return: upper-case name, "RESERVED" for a reserved type.
 */
const char *uet_ctl_type_name(u8 ctl_type);

/**
 * uet_nack_name() - name of a NACK code
 * @code: enum uet_nack_code, any value
 *
 * Return: upper-case name, "RESERVED" for a reserved code.
 */
const char *uet_nack_name(u8 code);

/**
 * uet_ses_op_name() - name of a request opcode
 * @opcode: enum uet_ses_op, any value
 *
 * Return: upper-case name, "RESERVED" for a reserved opcode.
 */
const char *uet_ses_op_name(u8 opcode);

/**
 * uet_rc_name() - name of a return code
 * @code: enum uet_rc, any value
 *
 * Return: upper-case name, "RESERVED" for a reserved code.
 */
const char *uet_rc_name(u8 code);

#endif /* _UET_CORE_NAMES_H */
