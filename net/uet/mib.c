// SPDX-License-Identifier: GPL-2.0
/*
 * Counters and listings: /proc/net/uet_stat, a name and a value per line, and
 * /proc/net/uet, a line per endpoint.
 */
#include <linux/percpu.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "mib.h"
#include "sock.h"
#include "txmsg.h"

static const char * const uet_mib_names[] = {
#define X(id, name)	[UET_MIB_##id] = name,
	UET_MIB_LIST(X)
#undef X
};

static int uet_stat_show(struct seq_file *m, void *v)
{
	struct net *net = seq_file_single_net(m);
	struct uet_net *un = uet_net(net);
	int i, cpu;

	for (i = 0; i < UET_MIB_MAX; i++) {
		u64 sum = 0;

		for_each_possible_cpu(cpu)
			sum += READ_ONCE(per_cpu_ptr(un->mib, cpu)->items[i]);
		seq_printf(m, "%-24s%llu\n", uet_mib_names[i], sum);
	}
	/* Not counters but the state now, for who looks for leaks */
	seq_printf(m, "%-24s%d\n", "CurPdcs", atomic_read(&un->pdcs));
	seq_printf(m, "%-24s%ld\n", "CurMem", atomic_long_read(&un->mem));
	return 0;
}

static void uet_ep_show(struct uet_sock *us, void *arg)
{
	struct sock *sk = &us->sk;
	const struct sockaddr_uet *local = &us->local;
	struct seq_file *m = arg;

	seq_printf(m, "%pI6c %06x %03x %03x %08x %s %u %lu %u %lu\n",
		   &local->suet_addr, local->suet_job, local->suet_pid,
		   local->suet_ri, local->suet_initiator,
		   sk->sk_type == SOCK_RDM ? "RDM" : "SEQ",
		   lower_32_bits(atomic64_read(&us->wmem)),
		   READ_ONCE(us->rx_bytes),
		   from_kuid_munged(seq_user_ns(m), sock_i_uid(sk)),
		   sock_i_ino(sk));
}

static int uet_list_show(struct seq_file *m, void *v)
{
	struct uet_net *un = uet_net(seq_file_single_net(m));

	seq_puts(m, "local_address job pid ri initiator type tx_queue rx_queue uid inode\n");
	uet_ep_for_each(un, uet_ep_show, m);
	return 0;
}

/**
 * uet_mib_init() - counters and files of a namespace
 * @un: namespace
 *
 * Return: 0 or -ENOMEM.
 */
int uet_mib_init(struct uet_net *un)
{
	struct proc_dir_entry *dir = un->net->proc_net;

	un->mib = alloc_percpu(struct uet_mib);
	if (!un->mib)
		return -ENOMEM;
	if (!proc_create_net_single("uet_stat", 0444, dir, uet_stat_show, NULL))
		goto err_mib;
	if (!proc_create_net_single("uet", 0444, dir, uet_list_show, NULL))
		goto err_stat;
	return 0;
err_stat:
	remove_proc_entry("uet_stat", dir);
err_mib:
	free_percpu(un->mib);
	return -ENOMEM;
}

/**
 * uet_mib_exit() - remove them
 * @un: namespace
 */
void uet_mib_exit(struct uet_net *un)
{
	remove_proc_entry("uet", un->net->proc_net);
	remove_proc_entry("uet_stat", un->net->proc_net);
	free_percpu(un->mib);
}
