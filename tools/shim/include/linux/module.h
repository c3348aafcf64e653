/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_MODULE_H
#define _SHIM_LINUX_MODULE_H

#define MODULE_LICENSE(s)
#define MODULE_DESCRIPTION(s)

#endif
