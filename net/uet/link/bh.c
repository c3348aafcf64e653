// SPDX-License-Identifier: GPL-2.0
/*
 * Work of one CPU in softirq context, as a NAPI instance without a device.
 *
 * NAPI shares time with the devices of the CPU, by the budget of the softirq and in
 * turn with them, where a tasklet takes what it wants. Another CPU may schedule it, as
 * RPS does with the backlog of a CPU.
 */
#include <linux/cpumask.h>
#include <linux/percpu.h>

#include "compat.h"
#include "link/bh.h"

/* NAPI wants a device. */
static struct net_device *uet_bh_dev;

/**
 * uet_bh_init() - before the first uet_bh_add()
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int uet_bh_init(void)
{
	uet_bh_dev = uet_dummy_netdev();
	return uet_bh_dev ? 0 : -ENOMEM;
}

/**
 * uet_bh_exit() - after the last uet_bh_del()
 *
 * Context: process.
 */
void uet_bh_exit(void)
{
	/* For all uet_bh_del() at once: there may be hundreds of CPUs. */
	synchronize_net();
	uet_free_dummy_netdev(uet_bh_dev);
}

/* In hardirq context on the CPU that was asked; the asker set NAPI_STATE_SCHED. */
static void uet_bh_called(void *data)
{
	struct uet_bh *bh = data;

	__napi_schedule(&bh->napi);
}

/**
 * uet_bh_add() - prepare the work of each CPU
 * @bh: one for each CPU
 * @poll: does the work; as for netif_napi_add()
 *
 * Context: process.
 */
void uet_bh_add(struct uet_bh __percpu *bh,
		int (*poll)(struct napi_struct *napi, int budget))
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct uet_bh *b = per_cpu_ptr(bh, cpu);

		b->cpu = cpu;
		INIT_CSD(&b->call, uet_bh_called, b);
		/* There is no queue to poll for a reader who waits. */
		set_bit(NAPI_STATE_NO_BUSY_POLL, &b->napi.state);
		netif_napi_add(uet_bh_dev, &b->napi, poll);
		napi_enable(&b->napi);
	}
}

/**
 * uet_bh_del() - wait until it runs no more on any CPU
 * @bh: that of each CPU; not scheduled any more, stays until uet_bh_exit()
 *
 * Context: process.
 */
void uet_bh_del(struct uet_bh __percpu *bh)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		napi_disable(&per_cpu_ptr(bh, cpu)->napi);
		__netif_napi_del(&per_cpu_ptr(bh, cpu)->napi);
	}
}

/**
 * uet_bh_schedule() - let it run on this CPU
 * @bh: that of this CPU
 *
 * Context: BH disabled.
 */
void uet_bh_schedule(struct uet_bh *bh)
{
	napi_schedule(&bh->napi);
}

/**
 * uet_bh_schedule_on() - let it run on its CPU
 * @bh: it
 *
 * Context: BH disabled, so that a CPU that is online stays so.
 * Return: false if its CPU is offline.
 */
bool uet_bh_schedule_on(struct uet_bh *bh)
{
	if (!cpu_online(bh->cpu))
		return false;
	if (napi_schedule_prep(&bh->napi))
		smp_call_function_single_async(bh->cpu, &bh->call);
	return true;
}
