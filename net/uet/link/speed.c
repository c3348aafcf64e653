// SPDX-License-Identifier: GPL-2.0
/*
 * Link speeds of devices for callers that must not wait for the RTNL. It may be
 * held for seconds, and a sender to a new peer would block all others that open
 * PDCs.
 *
 * A netdevice notifier stores the speed when a device comes up or changes. A work item
 * asks again for devices that reported none, such as one whose speed is set later.
 */
#include <linux/ethtool.h>
#include <linux/jiffies.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "base.h"
#include "link/speed.h"

/* Minimum time between retries for devices without a speed */
#define UET_SPEED_AGAIN		HZ

/* What __ethtool_get_link_ksettings() does, for a notifier. From 6.15 on it takes a lock of
 * the device, which a notifier is called with, and may be called without the RTNL then.
 */
static int uet_speed_ask(struct net_device *dev,
			 struct ethtool_link_ksettings *ks)
{
	if (!dev->ethtool_ops->get_link_ksettings || !netif_device_present(dev))
		return -EOPNOTSUPP;
	memset(ks, 0, sizeof(*ks));
	return dev->ethtool_ops->get_link_ksettings(dev, ks);
}

static void uet_speed_learn(struct uet_net *un, struct net_device *dev,
			    int (*ask)(struct net_device *dev,
				       struct ethtool_link_ksettings *ks))
{
	struct ethtool_link_ksettings ks;

	if (!netif_running(dev) || ask(dev, &ks) || !ks.base.speed ||
	    ks.base.speed == (u32)SPEED_UNKNOWN)
		return;
	/* If this fails, uet_speed_mbps() asks again. */
	xa_store(&un->speeds, dev->ifindex,
		 xa_mk_value(min_t(u32, ks.base.speed, INT_MAX)), GFP_KERNEL);
}

static void uet_speed_work(struct work_struct *work)
{
	struct uet_net *un = container_of(work, struct uet_net, speed_work);
	struct net_device *dev;

	rtnl_lock();
	for_each_netdev(un->net, dev)
		uet_speed_learn(un, dev, __ethtool_get_link_ksettings);
	rtnl_unlock();
}

/**
 * uet_speed_mbps() - speed of a device as far as it is known
 * @un: namespace
 * @ifindex: the device
 *
 * Context: any.
 * Return: Mb/s; 0 if not known yet: ask again.
 */
u32 uet_speed_mbps(struct uet_net *un, int ifindex)
{
	void *entry = xa_load(&un->speeds, ifindex);

	if (likely(entry))
		return xa_to_value(entry);
	if (time_after(jiffies, READ_ONCE(un->speed_asked) + UET_SPEED_AGAIN)) {
		WRITE_ONCE(un->speed_asked, jiffies);
		if (!READ_ONCE(un->exiting))
			schedule_work(&un->speed_work);
	}
	return 0;
}

static int uet_speed_event(struct notifier_block *nb, unsigned long event,
			   void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct uet_net *un = uet_net(dev_net(dev));

	switch (event) {
	case NETDEV_UP:
	case NETDEV_CHANGE:
		uet_speed_learn(un, dev, uet_speed_ask);
		break;
	case NETDEV_UNREGISTER:
		xa_erase(&un->speeds, dev->ifindex);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block uet_speed_nb = {
	.notifier_call	= uet_speed_event,
};

/**
 * uet_speed_net_init() - prepare the table of a namespace
 * @un: new namespace
 */
void uet_speed_net_init(struct uet_net *un)
{
	xa_init(&un->speeds);
	INIT_WORK(&un->speed_work, uet_speed_work);
	un->speed_asked = jiffies - 2 * UET_SPEED_AGAIN;
}

/**
 * uet_speed_net_exit() - free the table of a namespace
 * @un: namespace; nobody sends in it
 */
void uet_speed_net_exit(struct uet_net *un)
{
	cancel_work_sync(&un->speed_work);
	xa_destroy(&un->speeds);
}

/**
 * uet_speed_init() - register the notifier, which is called for existing devices
 *
 * Return: 0 or a negative errno.
 */
int uet_speed_init(void)
{
	return register_netdevice_notifier(&uet_speed_nb);
}

/**
 * uet_speed_exit() - unregister the notifier
 */
void uet_speed_exit(void)
{
	unregister_netdevice_notifier(&uet_speed_nb);
}
