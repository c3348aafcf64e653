// SPDX-License-Identifier: GPL-2.0
/*
 * The settings in a rule for peers, by name. The table of settings says where a rule
 * has them.
 *
 * Not here: the rules and their prefixes (link/peer_rules.c).
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "core/lb/lb.h"
#include "ctl/conf/rule.h"
#include "settings.h"

static const char **uet_rule_place(struct uet_peer_params *p,
				   const struct uet_setting *set)
{
	return (void *)&p->val + set->off;
}

static void uet_rule_mark(struct uet_peer_params *p,
			  const struct uet_setting *set, bool on)
{
	size_t at = set->off / sizeof(u32);

	if (on)
		p->set[at / 64] |= BIT_ULL(at % 64);
	else
		p->set[at / 64] &= ~BIT_ULL(at % 64);
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
	uet_setting_write(set, &p->val, value);
	uet_rule_mark(p, set, true);
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
	if (uet_rule_place(p, set) == &p->val.path_policy_ordered &&
	    !uet_lb_find(found)->ordered)
		return -EINVAL;
	*uet_rule_place(p, set) = found;
	uet_rule_mark(p, set, true);
	return 0;
}

/**
 * uet_rule_unset() - let a setting have no value in a rule
 * @p: settings of the rule
 * @set: a setting of peers
 */
void uet_rule_unset(struct uet_peer_params *p, const struct uet_setting *set)
{
	uet_rule_mark(p, set, false);
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
	*value = uet_setting_read(set, &p->val);
	return uet_peer_sets_at(p, set->off);
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
	return uet_peer_sets_at(p, set->off) ?
	       *uet_rule_place((struct uet_peer_params *)p, set) : NULL;
}

/**
 * uet_rule_empty() - has a rule no setting?
 * @p: settings of the rule
 *
 * Return: true if none has a value.
 */
bool uet_rule_empty(const struct uet_peer_params *p)
{
	return !memchr_inv(p->set, 0, sizeof(p->set));
}
