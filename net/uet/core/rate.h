/* SPDX-License-Identifier: GPL-2.0 */
/* The unit of rates: Mb/s */
#ifndef _UET_CORE_RATE_H
#define _UET_CORE_RATE_H

#define UET_MBPS_NS_PER_BYTE		8000	/* Mb/s x ns = bytes x 8000 */

#endif /* _UET_CORE_RATE_H */
