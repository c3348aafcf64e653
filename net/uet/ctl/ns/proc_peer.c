// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/net/uet_peer: the settings for peers by address prefix, one line per prefix.
 *
 * Not here: how they are set (ctl/genl/rule.c).
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/seq_file_net.h>
#include <net/ipv6.h>

#include "base.h"
#include "ctl/conf/rule.h"
#include "ctl/ns/netns.h"
#include "link/peer_rules.h"
#include "settings.h"

/* Prefix length of the v4-mapped addresses */
#define UET_V4_PLEN		96

static void uet_peer_word_show(struct seq_file *m,
			       const struct uet_setting *set,
			       const struct uet_peer_params *p)
{
	const char *name;
	s64 value;

	if (set->kind == UET_SETTING_NAME) {
		name = uet_rule_name(p, set);
		if (name)
			seq_printf(m, " %s %s", set->name, name);
	} else if (uet_rule_number(p, set, &value)) {
		seq_printf(m, " %s %lld", set->name, value);
	}
}

static void uet_peer_rule_show(struct seq_file *m,
			       const struct uet_peer_rule *rule)
{
	const struct uet_peer_params *p = &rule->params;
	const struct uet_setting *set;
	unsigned int i;

	if (ipv6_addr_v4mapped(&rule->addr) && rule->plen >= UET_V4_PLEN)
		seq_printf(m, "%pI4/%u", &rule->addr.s6_addr32[3],
			   rule->plen - UET_V4_PLEN);
	else
		seq_printf(m, "%pI6c/%u", &rule->addr, rule->plen);
	for (i = 0; (set = uet_setting_at(i)); i++)
		if (set->scope & UET_SCOPE_PEER)
			uet_peer_word_show(m, set, p);
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

/**
 * uet_proc_peer_init() - make the file of a namespace
 * @un: namespace
 *
 * Return: 0 or -ENOMEM.
 */
int uet_proc_peer_init(struct uet_net *un)
{
	return proc_create_net_single("uet_peer", 0444, un->net->proc_net,
				      uet_peer_rules_show, NULL) ? 0 : -ENOMEM;
}

/**
 * uet_proc_peer_exit() - remove the file of a namespace
 * @un: namespace
 */
void uet_proc_peer_exit(struct uet_net *un)
{
	remove_proc_entry("uet_peer", un->net->proc_net);
}
