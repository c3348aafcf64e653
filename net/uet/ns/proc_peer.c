// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/net/uet_peer: read and write the settings for peers by address prefix, one
 * line per prefix.
 */
#include <linux/capability.h>
#include <linux/inet.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/seq_file_net.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "base.h"
#include "link/peer_rules.h"
#include "ns/netns.h"
#include "settings.h"

/* Prefix length of the v4-mapped addresses */
#define UET_V4_PLEN		96

/* Show a setting that is no parameter of the core: a name, or trust */
static void uet_peer_word_show(struct seq_file *m,
			       const struct uet_setting *set,
			       const struct uet_peer_params *p)
{
	const void *place = (const void *)p + set->peer_off;
	const char *name;
	enum uet_trust trust;

	if (set->kind == UET_SETTING_NAME) {
		name = *(const char * const *)place;
		if (name)
			seq_printf(m, " %s %s", set->name, name);
		return;
	}
	trust = *(const enum uet_trust *)place;
	if (trust)
		seq_printf(m, " %s %d", set->name, trust == UET_TRUST_YES);
}

static void uet_peer_rule_show(struct seq_file *m,
			       const struct uet_peer_rule *rule)
{
	const struct uet_peer_params *p = &rule->params;
	const struct uet_setting *set;
	unsigned int i;
	u32 id;

	if (ipv6_addr_v4mapped(&rule->addr) && rule->plen >= UET_V4_PLEN)
		seq_printf(m, "%pI4/%u", &rule->addr.s6_addr32[3],
			   rule->plen - UET_V4_PLEN);
	else
		seq_printf(m, "%pI6c/%u", &rule->addr, rule->plen);
	for (id = 0; id < UET_CCP_COUNT; id++)
		if (p->cfg.set & BIT_ULL(id))
			seq_printf(m, " %s %llu",
				   uet_setting_of_param(id)->name,
				   p->cfg.val[id]);
	for (i = 0; (set = uet_setting_at(i)); i++)
		if (set->scope & UET_SCOPE_PEER && !set->scale)
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
	const struct uet_setting *set = uet_setting_find(name, UET_SCOPE_PEER);
	const char *found;
	void *place;
	u64 number;
	bool yes;

	if (!set)
		return -EINVAL;
	if (set->scale) {
		if (kstrtou64(value, 0, &number))
			return -EINVAL;
		return uet_cc_config_set(&p->cfg, set->param, number);
	}
	place = (void *)p + set->peer_off;
	if (set->kind == UET_SETTING_NAME) {
		found = set->known(value);
		*(const char **)place = found;
		return found ? 0 : -EINVAL;
	}
	if (kstrtobool(value, &yes))
		return -EINVAL;
	*(enum uet_trust *)place = yes ? UET_TRUST_YES : UET_TRUST_NO;
	return 0;
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
 * uet_proc_peer_init() - make the file of a namespace
 * @un: namespace
 *
 * Return: 0 or -ENOMEM.
 */
int uet_proc_peer_init(struct uet_net *un)
{
	return proc_create_net_single_write("uet_peer", 0644, un->net->proc_net,
					    uet_peer_rules_show,
					    uet_peer_rules_write, NULL) ?
	       0 : -ENOMEM;
}

/**
 * uet_proc_peer_exit() - remove the file of a namespace
 * @un: namespace
 */
void uet_proc_peer_exit(struct uet_net *un)
{
	remove_proc_entry("uet_peer", un->net->proc_net);
}
