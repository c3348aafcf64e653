// SPDX-License-Identifier: GPL-2.0
/*
 * net.uet.*: the sysctls of a network namespace: their handlers, and the actions
 * when some of them change.
 *
 * Not here: the table of settings, their ranges and defaults (settings.c).
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/swap.h>
#include <linux/sysctl.h>

#include "base.h"
#include "compat.h"
#include "link/encap.h"
#include "link/peer_rules.h"
#include "ns/netns.h"
#include "rx/trim.h"
#include "settings.h"

/* Upper limit of pdc_max and the like in namespaces below other user namespaces: the
 * memory of PDCs that peers open is not charged to a user
 */
static u32 uet_pdc_cap;

/* Serialises writers: a setting and its netfilter hooks change together. */
static DEFINE_MUTEX(uet_sysctl_hooks);

static int uet_set_trimming(struct uet_net *un, u32 value)
{
	int err = 0;

	mutex_lock(&uet_sysctl_hooks);
	if (value)
		err = uet_trim_enable(un);
	else
		uet_trim_disable(un);
	if (!err)
		WRITE_ONCE(un->sysctl.trimming, value);
	mutex_unlock(&uet_sysctl_hooks);
	return err;
}

static int uet_set_guard(struct uet_net *un, u32 value)
{
	int err = 0;

	mutex_lock(&uet_sysctl_hooks);
	if (value)
		err = uet_guard_enable(un);
	else
		uet_guard_disable(un);
	if (!err)
		WRITE_ONCE(un->sysctl.guard, value);
	mutex_unlock(&uet_sysctl_hooks);
	return err;
}

static int uet_set_conntrack(struct uet_net *un, u32 value)
{
	mutex_lock(&uet_sysctl_hooks);
	WRITE_ONCE(un->sysctl.conntrack, value);
	if (value)
		uet_untrack_disable(un);
	else if (READ_ONCE(un->demux_hooked))
		uet_untrack_enable(un);
	mutex_unlock(&uet_sysctl_hooks);
	return 0;
}

/* The tunnel sockets move to the new UDP port, or stay if it is in use */
static int uet_set_udp_port(struct uet_net *un, u32 value)
{
	return uet_encap_move(un, value);
}

static int uet_set_trust(struct uet_net *un, u32 value)
{
	WRITE_ONCE(un->sysctl.trust_jobs, value);
	uet_peer_trust_changed(un);
	return 0;
}

static void uet_named_cc(struct uet_net *un, const char *name)
{
	WRITE_ONCE(un->credit_in_acks, !strcmp(name, "rccc"));
}

static void uet_named_profile(struct uet_net *un, const char *name)
{
	uet_settings_profile(&un->sysctl, !strcmp(name, "spec"));
}

/**
 * struct uet_change - action when a setting changes
 * @off: offset of the setting in struct uet_sysctl
 * @set: stores a number, or fails and changes nothing
 * @named: called after a name was stored
 */
struct uet_change {
	size_t	off;
	int	(*set)(struct uet_net *un, u32 value);
	void	(*named)(struct uet_net *un, const char *name);
};

#define UET_CHANGE(_f)	.off = offsetof(struct uet_sysctl, _f)

static const struct uet_change uet_changes[] = {
	{ UET_CHANGE(trimming), .set = uet_set_trimming },
	{ UET_CHANGE(guard), .set = uet_set_guard },
	{ UET_CHANGE(conntrack), .set = uet_set_conntrack },
	{ UET_CHANGE(udp_port), .set = uet_set_udp_port },
	{ UET_CHANGE(trust_jobs), .set = uet_set_trust },
	{ UET_CHANGE(congestion_control), .named = uet_named_cc },
	{ UET_CHANGE(profile), .named = uet_named_profile },
};

static const struct uet_change *uet_change_of(const struct uet_setting *set)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(uet_changes); i++)
		if (uet_changes[i].off == set->off)
			return &uet_changes[i];
	return NULL;
}

static int uet_sysctl_max(const struct uet_net *un,
			  const struct uet_setting *set)
{
	if (set->flags & UET_SETTING_CAPPED &&
	    un->net->user_ns != &init_user_ns)
		return uet_pdc_cap;
	return set->max;
}

/* Handlers check a copy and store it last, since readers take no lock. extra1 of a
 * table entry is the setting, extra2 the namespace.
 */
static int uet_sysctl_number(uet_ctl_table_const struct ctl_table *table,
			     int write, void *buffer, size_t *lenp,
			     loff_t *ppos)
{
	const struct uet_setting *set = table->extra1;
	const struct uet_change *change = uet_change_of(set);
	struct uet_net *un = table->extra2;
	int min = set->flags & UET_SETTING_OR_ZERO ? 0 : set->min;
	int max = uet_sysctl_max(un, set);
	struct ctl_table tmp = *table;
	int value, err;

	value = uet_setting_read(set, &un->sysctl);
	tmp.data = &value;
	tmp.extra1 = &min;
	tmp.extra2 = &max;
	err = proc_dointvec_minmax(&tmp, write, buffer, lenp, ppos);
	if (err || !write)
		return err;
	if (!uet_setting_takes(set, value))
		return -EINVAL;
	if (change)
		return change->set(un, value);
	uet_setting_write(set, &un->sysctl, value);
	return 0;
}

static int uet_sysctl_size(uet_ctl_table_const struct ctl_table *table,
			   int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	const struct uet_setting *set = table->extra1;
	struct ctl_table tmp = *table;
	unsigned long min = set->min;

	tmp.extra1 = &min;
	tmp.extra2 = NULL;
	return proc_doulongvec_minmax(&tmp, write, buffer, lenp, ppos);
}

/* A name that must be in a table of the core. Stores the pointer to the table's
 * copy, so that readers never see half of a name.
 */
static int uet_sysctl_name(uet_ctl_table_const struct ctl_table *table,
			   int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	const struct uet_setting *set = table->extra1;
	const struct uet_change *change = uet_change_of(set);
	const char **place = table->data, *found;
	struct ctl_table tmp = *table;
	char name[UET_NAME_MAX];
	int err;

	strscpy(name, READ_ONCE(*place), sizeof(name));
	tmp.data = name;
	err = proc_dostring(&tmp, write, buffer, lenp, ppos);
	if (err || !write)
		return err;
	found = set->known(name);
	if (!found)
		return -EINVAL;
	WRITE_ONCE(*place, found);
	if (change)
		change->named(table->extra2, found);
	return 0;
}

/* Limits by memory size: an idle PDC takes about 1 KiB at each end */
static void uet_sysctl_machine(struct uet_sysctl *s)
{
	const struct uet_setting *mem = uet_setting_find("mem", UET_SCOPE_NET);
	unsigned long pages = nr_free_buffer_pages();

	s->pdc_max = clamp_t(unsigned long, pages / 16, 1024, 131072);
	s->pdc_max_per_peer = max_t(u32, s->pdc_max / 4, 1024);
	s->user_pdcs = s->pdc_max / 2;
	uet_pdc_cap = s->pdc_max;
	s->mem = max_t(unsigned long, pages / 4 * PAGE_SIZE, mem->min);
}

/**
 * uet_sysctl_defaults() - set all sysctls of a namespace to their defaults
 * @un: namespace
 */
void uet_sysctl_defaults(struct uet_net *un)
{
	uet_settings_defaults(&un->sysctl);
	uet_sysctl_machine(&un->sysctl);
}

static void uet_sysctl_entry(struct ctl_table *entry, struct uet_net *un,
			     const struct uet_setting *set)
{
	entry->procname = set->name;
	entry->data = (void *)&un->sysctl + set->off;
	entry->mode = 0644;
	entry->extra1 = (void *)set;
	entry->extra2 = un;
	switch (set->kind) {
	case UET_SETTING_NUMBER:
	case UET_SETTING_BOOL:
		entry->maxlen = sizeof(u32);
		entry->proc_handler = uet_sysctl_number;
		break;
	case UET_SETTING_SIZE:
		entry->maxlen = sizeof(unsigned long);
		entry->proc_handler = uet_sysctl_size;
		break;
	case UET_SETTING_NAME:
		entry->maxlen = UET_NAME_MAX;
		entry->proc_handler = uet_sysctl_name;
		break;
	}
}

/* Fill in @table, if not NULL. Returns the number of entries. */
static unsigned int uet_sysctl_fill(struct ctl_table *table, struct uet_net *un)
{
	const struct uet_setting *set;
	unsigned int i, n = 0;

	for (i = 0; (set = uet_setting_at(i)); i++) {
		if (!(set->scope & UET_SCOPE_NET))
			continue;
		if (table)
			uet_sysctl_entry(&table[n], un, set);
		n++;
	}
	return n;
}

/**
 * uet_sysctl_register() - register the sysctls of a namespace
 * @un: namespace, ready for changes
 *
 * Return: 0 or -ENOMEM.
 */
int uet_sysctl_register(struct uet_net *un)
{
	unsigned int n = uet_sysctl_fill(NULL, un);
	struct ctl_table *table;

	/* Older kernels need an empty last entry. */
	table = kcalloc(n + 1, sizeof(*table), GFP_KERNEL_ACCOUNT);
	if (!table)
		return -ENOMEM;
	uet_sysctl_fill(table, un);
	un->sysctl_header = uet_register_net_sysctl(un->net, "net/uet", table,
						    n);
	if (!un->sysctl_header) {
		kfree(table);
		return -ENOMEM;
	}
	un->sysctl_table = table;
	return 0;
}

/**
 * uet_sysctl_unregister() - unregister the sysctls; the values stay
 * @un: namespace
 */
void uet_sysctl_unregister(struct uet_net *un)
{
	unregister_net_sysctl_table(un->sysctl_header);
	kfree(un->sysctl_table);
}
