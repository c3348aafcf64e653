// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/net/uet_path: live state of the paths of all CCCs of a namespace.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

#include "core/lb/lb_ports.h"
#include "ctl/ns/netns.h"
#include "link/peer.h"
#include "tx/cms/flow.h"
#include "tx/cms/path.h"
#include "viewer.h"

/**
 * struct uet_path_seq - an open file
 * @p: for seq_file_net()
 * @at: position of the walk
 * @flow: the flow (CCC) that @info belongs to, RCU
 * @info: path to show
 */
struct uet_path_seq {
	struct seq_net_private	p;
	struct uet_path_cursor	at;
	struct uet_flow		*flow;
	struct uet_path_info	info;
};

static void *uet_path_seq_find(struct seq_file *m, struct uet_flow *flow)
{
	struct uet_path_seq *s = m->private;

	s->flow = uet_path_next(uet_net(seq_file_net(m)), &s->at, flow,
				&s->info);
	return s->flow ? s : NULL;
}

static void *uet_path_seq_start(struct seq_file *m, loff_t *pos)
	__acquires(rcu)
{
	struct uet_path_seq *s = m->private;
	struct uet_viewer viewer;

	rcu_read_lock();
	/* Of all users: a user's own are told by netlink */
	uet_viewer_of_file(&viewer, m->file, seq_file_net(m));
	if (!viewer.admin)
		return ERR_PTR(-EPERM);
	if (!*pos) {
		s->at = (struct uet_path_cursor){};
		return SEQ_START_TOKEN;
	}
	return uet_path_seq_find(m, NULL);
}

static void *uet_path_seq_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct uet_path_seq *s = m->private;

	++*pos;
	if (v == SEQ_START_TOKEN)
		return uet_path_seq_find(m, NULL);
	s->at.index++;
	return uet_path_seq_find(m, s->flow);
}

static void uet_path_seq_stop(struct seq_file *m, void *v)
	__releases(rcu)
{
	rcu_read_unlock();
}

static const char *uet_path_state(const struct uet_path_info *info)
{
	const struct uet_lb_path *p = &info->path;

	if (info->gone)
		return "gone";
	return p->down ? "down" : p->bad ? "bad" :
	       p->current_ev ? "current" : "good";
}

static int uet_path_seq_show(struct seq_file *m, void *v)
{
	struct uet_path_seq *s = m->private;
	const struct uet_lb_path *p = &s->info.path;
	const struct uet_lb_live *live = &p->live;
	const struct uet_flow *flow = s->flow;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "local peer tclass context ifindex value state skip sent clear marked trimmed lost rtt_ns gone_ms\n");
		return 0;
	}
	/* Unused and without a special state: skip it */
	if (!s->info.gone && !live->sent && !p->bad && !p->down && !p->current_ev)
		return SEQ_SKIP;
	seq_printf(m, "%pI6c %pI6c %u %lu %d %u %s %u %u %u %u %u %u %u %u\n",
		   &flow->peer->key.laddr, &flow->peer->key.raddr,
		   flow->tclass, flow->id, s->info.ifindex, p->ev,
		   uet_path_state(&s->info), p->skip, live->sent,
		   live->acked, live->marked, live->trimmed, live->lost,
		   live->rtt,
		   s->info.gone ? jiffies_to_msecs(jiffies - s->info.at) : 0);
	return 0;
}

static const struct seq_operations uet_path_seq_ops = {
	.start	= uet_path_seq_start,
	.next	= uet_path_seq_next,
	.stop	= uet_path_seq_stop,
	.show	= uet_path_seq_show,
};

/**
 * uet_proc_path_init() - make the file of a namespace
 * @un: namespace
 *
 * For the administrator of the network: it tells which hosts talk to each other.
 *
 * Return: 0 or -ENOMEM.
 */
int uet_proc_path_init(struct uet_net *un)
{
	return proc_create_net("uet_path", 0400, un->net->proc_net,
			       &uet_path_seq_ops,
			       sizeof(struct uet_path_seq)) ? 0 : -ENOMEM;
}

/**
 * uet_proc_path_exit() - remove the file of a namespace
 * @un: namespace
 */
void uet_proc_path_exit(struct uet_net *un)
{
	remove_proc_entry("uet_path", un->net->proc_net);
}
