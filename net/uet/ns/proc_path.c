// SPDX-License-Identifier: GPL-2.0
/*
 * Live state of paths: a walk over the values of all contexts of a namespace,
 * and the file that shows it.
 */
#include <linux/jiffies.h>
#include <linux/proc_fs.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>

#include "core/lb_ports.h"
#include "link/peer.h"
#include "tx/flow.h"
#include "tx/path.h"

/* Paths and contexts looked at before others get the processor */
#define UET_PATH_STEPS	1024

/**
 * struct uet_path_seq - the file, opened
 * @p: for seq_file_net()
 * @at: where the walk is
 * @flow: the context that @info belongs to, RCU
 * @info: path to show
 */
struct uet_path_seq {
	struct seq_net_private	p;
	struct uet_path_cursor	at;
	struct uet_flow		*flow;
	struct uet_path_info	info;
};

/**
 * uet_path_list() - a context can be found by uet_path_next()
 * @flow: the context, complete
 *
 * Context: process or BH.
 */
void uet_path_list(struct uet_flow *flow)
{
	struct uet_net *un = flow->peer->fep->un;

	spin_lock_bh(&un->flow_list_lock);
	flow->id = ++un->last_flow_id;
	list_add_tail_rcu(&flow->net_node, &un->flow_list);
	spin_unlock_bh(&un->flow_list_lock);
}

/**
 * uet_path_unlist() - undo uet_path_list()
 * @flow: the context, freed after a grace period
 *
 * Context: any.
 */
void uet_path_unlist(struct uet_flow *flow)
{
	struct uet_net *un = flow->peer->fep->un;

	spin_lock_bh(&un->flow_list_lock);
	list_del_rcu(&flow->net_node);
	spin_unlock_bh(&un->flow_list_lock);
}

/* The context at a cursor, or the next one from its first value on */
static struct uet_flow *uet_path_flow(struct uet_net *un,
				      struct uet_path_cursor *at)
{
	struct uet_flow *flow;

	list_for_each_entry_rcu(flow, &un->flow_list, net_node) {
		if (flow->id < at->flow)
			continue;
		if (flow->id > at->flow)
			at->index = 0;
		at->flow = flow->id;
		return flow;
	}
	return NULL;
}

/* Values without history, none of them special: they are all alike. */
static bool uet_path_dull(const struct uet_lb *lb)
{
	return !lb->live && !uet_lb_policy(lb)->ordered &&
	       !uet_lb_bad_paths(lb);
}

/*
 * Many contexts have many paths, and most of them may have nothing to tell:
 * others get the processor in between. The context may be gone after that.
 */
static struct uet_flow *uet_path_breathe(struct uet_net *un,
					 struct uet_path_cursor *at,
					 struct uet_flow *flow)
{
	if (++at->steps % UET_PATH_STEPS)
		return flow;
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	return uet_path_flow(un, at);
}

/**
 * uet_path_next() - the next path of a namespace
 * @un: namespace
 * @at: zero at first; left at the path that was found, so that its index is
 *	to be increased for the next one
 * @flow: what the last call returned, if the RCU read side was not left since,
 *	or NULL
 * @info: filled
 *
 * Contexts may come and go between the calls, and change their paths. Those
 * of which nothing is known but how many values they use are passed over.
 *
 * Context: process, RCU read side, which is left for a moment now and then.
 * Return: the context, NULL after the last.
 */
struct uet_flow *uet_path_next(struct uet_net *un, struct uet_path_cursor *at,
			       struct uet_flow *flow,
			       struct uet_path_info *info)
{
	int err;

	flow = flow ? uet_path_breathe(un, at, flow) : uet_path_flow(un, at);
	while (flow) {
		spin_lock_bh(&flow->lock);
		err = uet_path_dull(flow->lb) ? -ENOENT :
		      uet_path_get(flow, at->index, info);
		spin_unlock_bh(&flow->lock);
		if (!err)
			break;
		flow = list_next_or_null_rcu(&un->flow_list, &flow->net_node,
					     struct uet_flow, net_node);
		at->flow = flow ? flow->id : at->flow + 1;
		at->index = 0;
		if (flow)
			flow = uet_path_breathe(un, at, flow);
	}
	return flow;
}

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

	rcu_read_lock();
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
	/* Nothing to tell */
	if (!s->info.gone && !live->sent && !p->bad && !p->down && !p->current_ev)
		return SEQ_SKIP;
	seq_printf(m, "%pI6c %pI6c %u %llu %d %u %s %u %u %u %u %u %u %u %u\n",
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
 * uet_path_show_init() - the file of a namespace
 * @un: namespace
 *
 * Whoever can read it learns which hosts talk to each other: root alone.
 *
 * Return: 0 or -ENOMEM.
 */
int uet_path_show_init(struct uet_net *un)
{
	INIT_LIST_HEAD(&un->flow_list);
	spin_lock_init(&un->flow_list_lock);
	return proc_create_net("uet_path", 0400, un->net->proc_net,
			       &uet_path_seq_ops,
			       sizeof(struct uet_path_seq)) ? 0 : -ENOMEM;
}

/**
 * uet_path_show_exit() - remove it
 * @un: namespace
 */
void uet_path_show_exit(struct uet_net *un)
{
	remove_proc_entry("uet_path", un->net->proc_net);
}
