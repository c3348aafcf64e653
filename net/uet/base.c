// SPDX-License-Identifier: GPL-2.0
/*
 * Globals for all folders: the pernet id, and the number of the address family.
 */
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/uet.h>

#include "base.h"
#include "sock.h"

unsigned int uet_net_id __read_mostly;
int uet_family __ro_after_init = AF_UET;
