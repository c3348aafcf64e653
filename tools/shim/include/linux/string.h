/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_STRING_H
#define _SHIM_LINUX_STRING_H

#include <string.h>

/* For constant strings that fit, which is all the tests need. */
#define strscpy(dst, src, size) \
	((void)snprintf(dst, size, "%s", src))

#endif
