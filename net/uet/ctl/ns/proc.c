// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/net/uet_stat, the counters, one per line; and /proc/net/uet, a line per
 * endpoint.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "ctl/ns/netns.h"
#include "mib.h"
#include "rx/ses/ep.h"
#include "sock.h"
#include "viewer.h"

static int uet_stat_show(struct seq_file *m, void *v)
{
	struct net *net = seq_file_single_net(m);
	struct uet_net *un = uet_net(net);
	u32 i;

	for (i = 0; i < UET_MIB_MAX; i++)
		seq_printf(m, "%-24s%llu\n", uet_mib_name(i),
			   uet_mib_sum(un, i));
	/* Gauges, not counters: to find leaks */
	seq_printf(m, "%-24s%d\n", "CurPdcs", atomic_read(&un->pdcs));
	seq_printf(m, "%-24s%ld\n", "CurMem", uet_mem_used(&un->mem));
	return 0;
}

static const char *uet_ep_type(const struct sock *sk)
{
	switch (sk->sk_type) {
	case SOCK_RDM:
		return "RDM";
	case SOCK_DGRAM:
		return "DGM";
	default:
		return "SEQ";
	}
}

/**
 * struct uet_ep_shown - endpoints on their way into the file
 * @m: the file
 * @viewer: who opened it
 */
struct uet_ep_shown {
	struct seq_file		*m;
	struct uet_viewer	viewer;
};

static void uet_ep_show(struct uet_sock *us, void *arg)
{
	struct sock *sk = &us->sk;
	const struct sockaddr_uet *local = &us->local;
	const struct uet_ep_shown *shown = arg;
	struct seq_file *m = shown->m;

	if (!uet_may_see(&shown->viewer, sk->sk_uid))
		return;
	seq_printf(m, "%pI6c %06x %03x %03x %08x %s %u %lu %u %llu\n",
		   &local->suet_addr, local->suet_job, local->suet_pid,
		   local->suet_ri, local->suet_initiator,
		   uet_ep_type(sk),
		   lower_32_bits(atomic64_read(&us->wmem)),
		   READ_ONCE(us->rx_bytes),
		   from_kuid_munged(seq_user_ns(m), sk->sk_uid),
		   (u64)sock_i_ino(sk));
}

/**
 * uet_viewer_of_file() - who looks at a file
 * @viewer: set
 * @file: the file; who opened it counts
 * @net: network namespace it is about
 */
void uet_viewer_of_file(struct uet_viewer *viewer, const struct file *file,
			struct net *net)
{
	*viewer = (struct uet_viewer) {
		.uid	= file->f_cred->fsuid,
		.admin	= file_ns_capable(file, net->user_ns, CAP_NET_ADMIN),
	};
}

static int uet_list_show(struct seq_file *m, void *v)
{
	struct net *net = seq_file_single_net(m);
	struct uet_ep_shown shown = { .m = m };

	uet_viewer_of_file(&shown.viewer, m->file, net);
	seq_puts(m, "local_address job pid ri initiator type tx_queue rx_queue uid inode\n");
	uet_ep_for_each(uet_net(net), uet_ep_show, &shown);
	return 0;
}

/**
 * uet_proc_init() - make both files of a namespace
 * @un: namespace
 *
 * Return: 0 or -ENOMEM.
 */
int uet_proc_init(struct uet_net *un)
{
	struct proc_dir_entry *dir = un->net->proc_net;

	if (!proc_create_net_single("uet_stat", 0444, dir, uet_stat_show, NULL))
		return -ENOMEM;
	if (!proc_create_net_single("uet", 0444, dir, uet_list_show, NULL)) {
		remove_proc_entry("uet_stat", dir);
		return -ENOMEM;
	}
	return 0;
}

/**
 * uet_proc_exit() - remove both files of a namespace
 * @un: namespace
 */
void uet_proc_exit(struct uet_net *un)
{
	remove_proc_entry("uet", un->net->proc_net);
	remove_proc_entry("uet_stat", un->net->proc_net);
}
