/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work of one CPU in softirq context, as a NAPI instance without a device.
 */
#ifndef _UET_BH_H
#define _UET_BH_H

#include <linux/netdevice.h>
#include <linux/smp.h>

/**
 * struct uet_bh - work of one CPU in softirq context
 * @napi: its poll function does the work
 * @call: asks @cpu to run @napi; in use from when @napi is scheduled by another CPU
 *	until @cpu has got the interrupt
 * @cpu: where it runs, unless that went offline
 */
struct uet_bh {
	struct napi_struct	napi;
	call_single_data_t	call;
	int			cpu;
};

int uet_bh_init(void);
void uet_bh_exit(void);
void uet_bh_add(struct uet_bh __percpu *bh,
		int (*poll)(struct napi_struct *napi, int budget));
void uet_bh_del(struct uet_bh __percpu *bh);
void uet_bh_schedule(struct uet_bh *bh);
bool uet_bh_schedule_on(struct uet_bh *bh);

#endif /* _UET_BH_H */
