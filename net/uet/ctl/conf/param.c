// SPDX-License-Identifier: GPL-2.0
/*
 * Set the settings of a namespace, and act on the changes.
 *
 * Not here: the table of settings, their ranges and defaults (settings.c), what
 * users set them by (ctl/ns/sysctl.c, ctl/genl/param.c).
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/swap.h>

#include "base.h"
#include "ctl/conf/param.h"
#include "link/encap.h"
#include "link/peer_rules.h"
#include "settings.h"

/* Upper limit of pdc_max and the like in namespaces below other user namespaces: the
 * memory of PDCs that peers open is not charged to a user
 */
static u32 uet_pdc_cap;

/* Serialises writers: a setting and its netfilter hooks change together. */
static DEFINE_MUTEX(uet_param_hooks);

static int uet_set_guard(struct uet_net *un, u32 value)
{
	int err = 0;

	mutex_lock(&uet_param_hooks);
	if (value)
		err = uet_guard_enable(un);
	else
		uet_guard_disable(un);
	if (!err)
		WRITE_ONCE(un->sysctl.guard, value);
	mutex_unlock(&uet_param_hooks);
	return err;
}

static int uet_set_conntrack(struct uet_net *un, u32 value)
{
	mutex_lock(&uet_param_hooks);
	WRITE_ONCE(un->sysctl.conntrack, value);
	if (value)
		uet_untrack_disable(un);
	else if (READ_ONCE(un->demux_hooked))
		uet_untrack_enable(un);
	mutex_unlock(&uet_param_hooks);
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
	uet_peer_rules_changed(un);
	return 0;
}

static int uet_set_udp_csum(struct uet_net *un, u32 value)
{
	WRITE_ONCE(un->sysctl.udp_csum, value);
	uet_peer_rules_changed(un);
	return 0;
}

static int uet_set_protect(struct uet_net *un, u32 value)
{
	WRITE_ONCE(un->sysctl.data_protect, value);
	uet_peer_rules_changed(un);
	return 0;
}

static void uet_named_encap(struct uet_net *un, const char *name)
{
	uet_peer_rules_changed(un);
}

static void uet_named_cc(struct uet_net *un, const char *name)
{
	WRITE_ONCE(un->credit_in_acks, !strcmp(name, "rccc"));
	WRITE_ONCE(un->credit_beside_window, !strcmp(name, "nscc+rccc"));
	WRITE_ONCE(un->tfc.on, !strcmp(name, "tfc"));
}

static void uet_named_profile(struct uet_net *un, const char *name)
{
	uet_settings_profile(&un->sysctl, !strcmp(name, "spec"));
	uet_peer_rules_changed(un);
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
	{ UET_CHANGE(guard), .set = uet_set_guard },
	{ UET_CHANGE(conntrack), .set = uet_set_conntrack },
	{ UET_CHANGE(udp_port), .set = uet_set_udp_port },
	{ UET_CHANGE(trust_jobs), .set = uet_set_trust },
	{ UET_CHANGE(data_protect), .set = uet_set_protect },
	{ UET_CHANGE(udp_csum), .set = uet_set_udp_csum },
	{ UET_CHANGE(encap), .named = uet_named_encap },
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

/**
 * uet_param_limits() - smallest and largest value in a namespace
 * @un: namespace
 * @set: a setting of namespaces that is not a name
 * @min: smallest
 * @max: largest, %UET_SETTING_NO_MAX if there is none
 */
void uet_param_limits(const struct uet_net *un, const struct uet_setting *set,
		      s64 *min, s64 *max)
{
	uet_setting_limits(set, min, max);
	if (un->net->user_ns != &init_user_ns)
		uet_param_narrow(set, min, max);
}

/**
 * uet_param_narrow() - narrow the range of a setting outside the initial user namespace
 * @set: a setting that is not a name
 * @min: smallest value
 * @max: largest value
 *
 * An ordinary user is root in namespaces of his own. What he sets must not cost the
 * processors and the memory of the host more than his programs and his quotas do.
 */
void uet_param_narrow(const struct uet_setting *set, s64 *min, s64 *max)
{
	/* 0: none, and there are values below 0 */
	if (set->floor)
		*min = max(*min, set->floor);
	if (set->flags & UET_SETTING_CAPPED)
		*max = uet_pdc_cap;
}

/**
 * uet_param_set() - set a number, boolean or size
 * @un: namespace
 * @set: a setting of namespaces that is not a name
 * @value: its value
 *
 * Context: process.
 * Return: 0, -EINVAL if the value is not valid, or why its action failed.
 */
int uet_param_set(struct uet_net *un, const struct uet_setting *set, s64 value)
{
	const struct uet_change *change = uet_change_of(set);
	s64 min, max;
	int err = 0;

	uet_param_limits(un, set, &min, &max);
	if (value > max || !uet_setting_takes(set, value) ||
	    (set->floor && value < min))
		return -EINVAL;
	if (change)
		err = change->set(un, value);
	else
		uet_setting_write(set, &un->sysctl, value);
	if (!err)
		uet_event_param(un, set->name);
	return err;
}

/**
 * uet_param_name() - value of a setting that is a name
 * @un: namespace
 * @set: such a setting
 *
 * Return: the value, which is never freed.
 */
const char *uet_param_name(const struct uet_net *un,
			   const struct uet_setting *set)
{
	return READ_ONCE(*(const char **)((void *)&un->sysctl + set->off));
}

/**
 * uet_param_set_name() - set a name
 * @un: namespace
 * @set: a setting of namespaces that is a name
 * @name: its value
 *
 * Stores the pointer to the table's copy, so that readers never see half of a name.
 *
 * Context: process.
 * Return: 0, or -EINVAL if there is no such name.
 */
int uet_param_set_name(struct uet_net *un, const struct uet_setting *set,
		       const char *name)
{
	const struct uet_change *change = uet_change_of(set);
	const char *found = uet_setting_word(set, name);

	if (!found)
		return -EINVAL;
	WRITE_ONCE(*(const char **)((void *)&un->sysctl + set->off), found);
	if (change)
		change->named(un, found);
	uet_event_param(un, set->name);
	return 0;
}

/* Limits by memory size: an idle PDC takes about 1 KiB at each end */
static void uet_param_machine(struct uet_sysctl *s)
{
	const struct uet_setting *mem = uet_setting_find("mem", UET_SCOPE_NET);
	unsigned long pages = nr_free_buffer_pages();

	s->pdc_max = clamp_t(unsigned long, pages / 16, 1024, 131072);
	s->pdc_max_per_peer = max_t(u32, s->pdc_max / 4, 1024);
	s->user_pdcs = s->pdc_max / 2;
	/* That of the first namespace, if memory comes or goes later */
	if (!uet_pdc_cap)
		uet_pdc_cap = s->pdc_max;
	s->mem = max_t(unsigned long, pages / 4 * PAGE_SIZE, mem->min);
}

/**
 * uet_param_defaults() - give all settings of a namespace their defaults
 * @un: namespace
 */
void uet_param_defaults(struct uet_net *un)
{
	uet_settings_defaults(&un->sysctl);
	uet_param_machine(&un->sysctl);
}
