/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The differences between supported kernels that sch_trim meets, found by
 * looking at the headers, since distributions move interfaces back in time.
 */
#ifndef _TRIM_COMPAT_H
#define _TRIM_COMPAT_H

#include <linux/netdevice.h>
#include <net/pkt_sched.h>

/* skb_gso_segment() left linux/netdevice.h for a header of its own. */
#ifdef TRIM_HAVE_GSO_H
#include <net/gso.h>
#endif

/* Older kernels load a discipline by its module name, without an alias. */
#ifndef MODULE_ALIAS_NET_SCH
#define MODULE_ALIAS_NET_SCH(id)	MODULE_ALIAS("net-sch-" id)
#endif

#endif /* _TRIM_COMPAT_H */
