// SPDX-License-Identifier: GPL-2.0
/*
 * net.uet.*: the sysctls of a network namespace.
 *
 * Not here: the table of settings, their ranges and defaults (settings.c), the
 * actions when some of them change (ctl/conf/param.c).
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysctl.h>

#include "base.h"
#include "compat.h"
#include "ctl/conf/param.h"
#include "ctl/ns/netns.h"
#include "settings.h"

/* Handlers check a copy and store it last, since readers take no lock. extra1 of a
 * table entry is the setting, extra2 the namespace.
 */
static int uet_sysctl_number(uet_ctl_table_const struct ctl_table *table,
			     int write, void *buffer, size_t *lenp,
			     loff_t *ppos)
{
	const struct uet_setting *set = table->extra1;
	struct uet_net *un = table->extra2;
	struct ctl_table tmp = *table;
	int value, err, min, max;
	s64 least, most;

	uet_param_limits(un, set, &least, &most);
	min = set->flags & UET_SETTING_OR_ZERO ? 0 : least;
	max = most;
	value = uet_setting_read(set, &un->sysctl);
	tmp.data = &value;
	tmp.extra1 = &min;
	tmp.extra2 = &max;
	err = proc_dointvec_minmax(&tmp, write, buffer, lenp, ppos);
	if (err || !write)
		return err;
	return uet_param_set(un, set, value);
}

static int uet_sysctl_size(uet_ctl_table_const struct ctl_table *table,
			   int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	const struct uet_setting *set = table->extra1;
	struct uet_net *un = table->extra2;
	struct ctl_table tmp = *table;
	unsigned long value, min = set->min;
	int err;

	value = uet_setting_read(set, &un->sysctl);
	tmp.data = &value;
	tmp.extra1 = &min;
	tmp.extra2 = NULL;
	err = proc_doulongvec_minmax(&tmp, write, buffer, lenp, ppos);
	if (err || !write)
		return err;
	return uet_param_set(un, set, value);
}

static int uet_sysctl_name(uet_ctl_table_const struct ctl_table *table,
			   int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	const struct uet_setting *set = table->extra1;
	struct uet_net *un = table->extra2;
	struct ctl_table tmp = *table;
	char name[UET_NAME_MAX];
	int err;

	strscpy(name, uet_param_name(un, set), sizeof(name));
	tmp.data = name;
	err = proc_dostring(&tmp, write, buffer, lenp, ppos);
	if (err || !write)
		return err;
	return uet_param_set_name(un, set, name);
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
