// SPDX-License-Identifier: GPL-2.0
/*
 * The settings in a rule for peers, by name. A rule holds parameters of the core
 * (struct uet_cc_config), names and small numbers; the table of settings says where.
 *
 * Not here: the rules and their prefixes (link/peer_rules.c).
 */
#include <linux/bits.h>
#include <linux/errno.h>

#include "core/lb/lb.h"
#include "ctl/conf/rule.h"
#include "settings.h"

/* Of a number that is no parameter of the core: its value + 1 */
static u16 *uet_rule_small(struct uet_peer_params *p,
			   const struct uet_setting *set)
{
	return (void *)p + set->peer_off;
}

static const char **uet_rule_place(struct uet_peer_params *p,
				   const struct uet_setting *set)
{
	return (void *)p + set->peer_off;
}

/**
 * uet_rule_set_number() - set a number or boolean
 * @p: settings of the rule
 * @set: a setting of peers that is not a name
 * @value: its value
 *
 * Return: 0, or -ERANGE if it is not valid.
 */
int uet_rule_set_number(struct uet_peer_params *p, const struct uet_setting *set,
			s64 value)
{
	if (!uet_setting_takes(set, value))
		return -ERANGE;
	if (set->scale)
		return uet_cc_config_set(&p->cfg, set->param, value);
	*uet_rule_small(p, set) = value + 1;
	return 0;
}

/**
 * uet_rule_set_name() - set a name
 * @p: settings of the rule
 * @set: a setting of peers that is a name
 * @name: its value
 *
 * Return: 0, or -EINVAL if there is no such name, or no such one for ordered
 * contexts.
 */
int uet_rule_set_name(struct uet_peer_params *p, const struct uet_setting *set,
		      const char *name)
{
	const char *found = uet_setting_word(set, name);

	if (!found)
		return -EINVAL;
	/* What ordered contexts must keep in order */
	if (uet_rule_place(p, set) == &p->policy_ordered &&
	    !uet_lb_find(found)->ordered)
		return -EINVAL;
	*uet_rule_place(p, set) = found;
	return 0;
}

/**
 * uet_rule_unset() - let a setting have no value in a rule
 * @p: settings of the rule
 * @set: a setting of peers
 */
void uet_rule_unset(struct uet_peer_params *p, const struct uet_setting *set)
{
	if (set->scale) {
		p->cfg.set &= ~BIT_ULL(set->param);
		p->cfg.val[set->param] = 0;
	} else if (set->kind == UET_SETTING_NAME) {
		*uet_rule_place(p, set) = NULL;
	} else {
		*uet_rule_small(p, set) = 0;
	}
}

/**
 * uet_rule_number() - value of a number or boolean
 * @p: settings of the rule
 * @set: a setting of peers that is not a name
 * @value: set to the value
 *
 * Return: true if it has one.
 */
bool uet_rule_number(const struct uet_peer_params *p,
		     const struct uet_setting *set, s64 *value)
{
	u16 small;

	if (set->scale) {
		*value = p->cfg.val[set->param];
		return p->cfg.set & BIT_ULL(set->param);
	}
	small = *uet_rule_small((struct uet_peer_params *)p, set);
	*value = (s64)small - 1;
	return small;
}

/**
 * uet_rule_name() - value of a name
 * @p: settings of the rule
 * @set: a setting of peers that is a name
 *
 * Return: the value, NULL if it has none.
 */
const char *uet_rule_name(const struct uet_peer_params *p,
			  const struct uet_setting *set)
{
	return *uet_rule_place((struct uet_peer_params *)p, set);
}

/**
 * uet_rule_empty() - has a rule no setting?
 * @p: settings of the rule
 *
 * Return: true if none has a value.
 */
bool uet_rule_empty(const struct uet_peer_params *p)
{
	const struct uet_setting *set;
	unsigned int i;
	s64 value;

	for (i = 0; (set = uet_setting_at(i)); i++) {
		if (!(set->scope & UET_SCOPE_PEER))
			continue;
		if (set->kind == UET_SETTING_NAME ? !!uet_rule_name(p, set) :
						    uet_rule_number(p, set, &value))
			return false;
	}
	return true;
}
