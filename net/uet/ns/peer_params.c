// SPDX-License-Identifier: GPL-2.0
/*
 * Settings by prefix of peers. uet_peer_set_params() is the one way in; the
 * file /proc/net/uet_peer calls it with one line at a time.
 *
 * Rules are few and looked at when a context is made, so they are a list, the
 * longest prefix first. Whose jobs are believed is asked in softirq, for a peer
 * once after each change, and the list is read under RCU for that.
 */
#include <linux/capability.h>
#include <linux/inet.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/seq_file_net.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "base.h"
#include "core/ccc.h"
#include "core/lb.h"
#include "link/peer.h"
#include "ns/peer_params.h"

#define UET_PEER_RULES_MAX	1024
/* Prefix length of all IPv4 addresses, as v4-mapped ones */
#define UET_V4_PLEN		96
/* Any MTU will do to see whether values contradict each other */
#define UET_PEER_CHECK_MTU	4160

struct uet_peer_rule {
	struct list_head	node;
	struct in6_addr		addr;
	u8			plen;
	struct uet_peer_params	params;
	struct rcu_head		rcu;
};

static int uet_peer_params_check(const struct uet_peer_params *params)
{
	struct uet_cc_config cfg = params->cfg;
	struct uet_cc_params derived;
	const struct uet_lb_ops *ops;

	/* The route decides about packet sizes. */
	if (cfg.set & BIT_ULL(UET_CCP_MTU))
		return -EINVAL;
	if (params->cc && !uet_cc_find(params->cc))
		return -EINVAL;
	if (params->policy && !uet_lb_find(params->policy))
		return -EINVAL;
	if (params->policy_ordered) {
		ops = uet_lb_find(params->policy_ordered);
		if (!ops || !ops->ordered)
			return -EINVAL;
	}
	uet_cc_config_set(&cfg, UET_CCP_MTU, UET_PEER_CHECK_MTU);
	return uet_cc_params_derive(&derived, &cfg, NULL);
}

/* The rule of exactly this prefix, or NULL and the place before @pos */
static struct uet_peer_rule *uet_peer_rule_find(struct uet_net *un,
						const struct in6_addr *addr,
						u8 plen, struct list_head **pos)
{
	struct uet_peer_rule *rule;

	list_for_each_entry(rule, &un->peer_rules, node) {
		if (rule->plen < plen)
			break;
		if (rule->plen == plen &&
		    ipv6_prefix_equal(&rule->addr, addr, plen))
			return rule;
	}
	*pos = &rule->node;
	return NULL;
}

/**
 * uet_peer_set_params() - settings of the peers with a prefix
 * @un: namespace
 * @addr: address, IPv4 as v4-mapped
 * @plen: length of the prefix, 0 to 128
 * @params: settings, which replace those of the same prefix; NULL removes them
 *
 * Contexts made afterwards follow the longest prefix that fits; what it does
 * not set comes from the sysctls. What a socket asks for goes first.
 *
 * Context: process.
 * Return: 0; -EINVAL for an unknown name or a parameter that cannot be set by
 * peer, -ERANGE for values outside their limits, -ENOENT, -ENOSPC, -ENOMEM.
 */
int uet_peer_set_params(struct uet_net *un, const struct in6_addr *addr,
			u8 plen, const struct uet_peer_params *params)
{
	struct uet_peer_rule *rule, *fresh = NULL;
	struct list_head *pos;
	int err;

	if (plen > 128)
		return -EINVAL;
	if (params) {
		err = uet_peer_params_check(params);
		if (err)
			return err;
		fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
		if (!fresh)
			return -ENOMEM;
		ipv6_addr_prefix(&fresh->addr, addr, plen);
		fresh->plen = plen;
		fresh->params = *params;
	}
	err = 0;
	mutex_lock(&un->peer_rules_lock);
	rule = uet_peer_rule_find(un, addr, plen, &pos);
	if (rule && fresh) {
		list_replace_rcu(&rule->node, &fresh->node);
	} else if (rule) {
		list_del_rcu(&rule->node);
		un->nr_peer_rules--;
	} else if (!fresh) {
		err = -ENOENT;
	} else if (un->nr_peer_rules >= UET_PEER_RULES_MAX) {
		kfree(fresh);
		err = -ENOSPC;
	} else {
		list_add_tail_rcu(&fresh->node, pos);
		un->nr_peer_rules++;
	}
	mutex_unlock(&un->peer_rules_lock);
	if (rule)
		kfree_rcu(rule, rcu);
	if (!err)
		uet_peer_trust_changed(un);
	return err;
}

/**
 * uet_peer_trust_changed() - all peers are to be judged anew
 * @un: namespace
 *
 * Context: any.
 */
void uet_peer_trust_changed(struct uet_net *un)
{
	/* After the rules or the setting; pairs with uet_peer_trusted() */
	smp_mb__before_atomic();
	atomic_inc(&un->trust_gen);
}

/* The longest prefix that says something decides, else the namespace. */
static bool uet_peer_judge(struct uet_net *un, const struct in6_addr *addr)
{
	const struct uet_peer_rule *rule;

	list_for_each_entry_rcu(rule, &un->peer_rules, node)
		if (rule->params.trust &&
		    ipv6_prefix_equal(&rule->addr, addr, rule->plen))
			return rule->params.trust == UET_TRUST_YES;
	return READ_ONCE(un->sysctl.trust_jobs);
}

/**
 * uet_peer_trusted() - does this host believe what a peer says of jobs
 * @peer: the peer
 *
 * Context: RCU read side.
 * Return: true if its host is trusted to keep users out of jobs they are not in.
 */
bool uet_peer_trusted(struct uet_peer *peer)
{
	struct uet_net *un = peer->fep->un;
	/* Pairs with uet_peer_trust_changed() */
	u32 gen = (u32)atomic_read_acquire(&un->trust_gen) << 1;
	u32 verdict = READ_ONCE(peer->trust);

	if (unlikely((verdict & ~1U) != gen)) {
		verdict = gen | uet_peer_judge(un, &peer->key.raddr);
		WRITE_ONCE(peer->trust, verdict);
	}
	return verdict & 1;
}

/**
 * uet_peer_get_params() - settings that hold for a peer
 * @un: namespace
 * @addr: its address
 * @params: filled if there are some
 *
 * Context: process.
 * Return: true if a prefix fits.
 */
bool uet_peer_get_params(struct uet_net *un, const struct in6_addr *addr,
			 struct uet_peer_params *params)
{
	const struct uet_peer_rule *rule;
	bool ret = false;

	mutex_lock(&un->peer_rules_lock);
	list_for_each_entry(rule, &un->peer_rules, node) {
		if (ipv6_prefix_equal(&rule->addr, addr, rule->plen)) {
			*params = rule->params;
			ret = true;
			break;
		}
	}
	mutex_unlock(&un->peer_rules_lock);
	return ret;
}

static void uet_peer_rule_show(struct seq_file *m,
			       const struct uet_peer_rule *rule)
{
	const struct uet_peer_params *p = &rule->params;
	u32 id;

	if (ipv6_addr_v4mapped(&rule->addr) && rule->plen >= UET_V4_PLEN)
		seq_printf(m, "%pI4/%u", &rule->addr.s6_addr32[3],
			   rule->plen - UET_V4_PLEN);
	else
		seq_printf(m, "%pI6c/%u", &rule->addr, rule->plen);
	for (id = 0; id < UET_CCP_COUNT; id++)
		if (p->cfg.set & BIT_ULL(id))
			seq_printf(m, " %s %llu", uet_cc_param_name(id),
				   p->cfg.val[id]);
	if (p->cc)
		seq_printf(m, " congestion_control %s", p->cc);
	if (p->policy)
		seq_printf(m, " path_policy %s", p->policy);
	if (p->policy_ordered)
		seq_printf(m, " path_policy_ordered %s", p->policy_ordered);
	if (p->trust)
		seq_printf(m, " trust_jobs %d", p->trust == UET_TRUST_YES);
	seq_putc(m, '\n');
}

static int uet_peer_rules_show(struct seq_file *m, void *v)
{
	struct uet_net *un = uet_net(seq_file_single_net(m));
	const struct uet_peer_rule *rule;

	mutex_lock(&un->peer_rules_lock);
	list_for_each_entry(rule, &un->peer_rules, node)
		uet_peer_rule_show(m, rule);
	mutex_unlock(&un->peer_rules_lock);
	return 0;
}

/* ADDR or ADDR/PLEN */
static int uet_peer_prefix(char *word, struct in6_addr *addr, u8 *plen)
{
	char *slash = strchr(word, '/');
	u8 max = 128;
	__be32 v4;

	if (slash)
		*slash++ = '\0';
	if (in4_pton(word, -1, (u8 *)&v4, -1, NULL)) {
		ipv6_addr_set_v4mapped(v4, addr);
		max = 32;
	} else if (!in6_pton(word, -1, (u8 *)addr, -1, NULL)) {
		return -EINVAL;
	}
	*plen = max;
	if (slash && (kstrtou8(slash, 10, plen) || *plen > max))
		return -EINVAL;
	if (max == 32)
		*plen += UET_V4_PLEN;
	return 0;
}

/* One name with its value */
static int uet_peer_param(struct uet_peer_params *p, const char *name,
			  const char *value)
{
	const struct uet_cc_algo *algo;
	const struct uet_lb_ops *ops;
	u64 number;
	u32 id;

	if (!strcmp(name, "congestion_control")) {
		algo = uet_cc_find(value);
		p->cc = algo ? algo->name : NULL;
		return algo ? 0 : -EINVAL;
	}
	if (!strcmp(name, "path_policy") ||
	    !strcmp(name, "path_policy_ordered")) {
		ops = uet_lb_find(value);
		if (!ops)
			return -EINVAL;
		if (name[strlen("path_policy")])
			p->policy_ordered = ops->name;
		else
			p->policy = ops->name;
		return 0;
	}
	if (!strcmp(name, "trust_jobs")) {
		bool trust;

		if (kstrtobool(value, &trust))
			return -EINVAL;
		p->trust = trust ? UET_TRUST_YES : UET_TRUST_NO;
		return 0;
	}
	for (id = 0; id < UET_CCP_COUNT; id++)
		if (!strcmp(name, uet_cc_param_name(id)))
			break;
	if (id == UET_CCP_COUNT || kstrtou64(value, 0, &number))
		return -EINVAL;
	return uet_cc_config_set(&p->cfg, id, number);
}

/* "PREFIX NAME VALUE [NAME VALUE ...]", or "PREFIX del" */
static int uet_peer_line(struct uet_net *un, char *line)
{
	struct uet_peer_params *p;
	struct in6_addr addr;
	char *name, *value;
	int err;
	u8 plen;

	err = uet_peer_prefix(strsep(&line, " "), &addr, &plen);
	if (err)
		return err;
	if (!line)
		return -EINVAL;
	if (!strcmp(line, "del"))
		return uet_peer_set_params(un, &addr, plen, NULL);
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	while (!err && (name = strsep(&line, " "))) {
		value = strsep(&line, " ");
		err = value ? uet_peer_param(p, name, value) : -EINVAL;
	}
	if (!err)
		err = uet_peer_set_params(un, &addr, plen, p);
	kfree(p);
	return err;
}

static int uet_peer_rules_write(struct file *file, char *buf, size_t size)
{
	struct net *net = seq_file_single_net(file->private_data);

	if (!file_ns_capable(file, net->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	return uet_peer_line(uet_net(net), strim(buf));
}

/**
 * uet_peer_params_init() - no settings yet, and the file for them
 * @un: namespace
 *
 * Return: 0 or -ENOMEM.
 */
int uet_peer_params_init(struct uet_net *un)
{
	INIT_LIST_HEAD(&un->peer_rules);
	/* Not 0, which is what a new peer has */
	atomic_set(&un->trust_gen, 1);
	mutex_init(&un->peer_rules_lock);
	if (!proc_create_net_single_write("uet_peer", 0644, un->net->proc_net,
					  uet_peer_rules_show,
					  uet_peer_rules_write, NULL))
		return -ENOMEM;
	return 0;
}

/**
 * uet_peer_params_exit() - forget all
 * @un: namespace
 */
void uet_peer_params_exit(struct uet_net *un)
{
	struct uet_peer_rule *rule, *next;

	remove_proc_entry("uet_peer", un->net->proc_net);
	list_for_each_entry_safe(rule, next, &un->peer_rules, node)
		kfree(rule);
}
