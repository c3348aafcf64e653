/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Speeds of devices without the RTNL.
 */
#ifndef _UET_SPEED_H
#define _UET_SPEED_H

#include <linux/types.h>

struct uet_net;

u32 uet_speed_mbps(struct uet_net *un, int ifindex);
void uet_speed_net_init(struct uet_net *un);
void uet_speed_net_exit(struct uet_net *un);
int uet_speed_init(void);
void uet_speed_exit(void);

#endif /* _UET_SPEED_H */
