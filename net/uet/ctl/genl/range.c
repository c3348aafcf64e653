// SPDX-License-Identifier: GPL-2.0
/*
 * Tells what is valid with an error about a value: in words, and for programs as the
 * policy of the attribute (NLMSGERR_ATTR_POLICY), if it is a number.
 *
 * The ranges of settings are not known to policies, which are by attribute. The
 * kernel reads words and policy after the handler has returned, so they must last:
 * each setting has its own.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <net/netlink.h>

#include "ctl/conf/param.h"
#include "ctl/genl/genl.h"
#include "settings.h"

/* Longest list of names in words */
#define UET_GENL_CHOICES_LEN	256

/**
 * struct uet_genl_range - what a setting takes
 * @text: in words
 * @range: smallest and largest value of a number
 * @policy: refers to @range
 */
struct uet_genl_range {
	char					*text;
	struct netlink_range_validation_signed	range;
	struct nla_policy			policy;
};

/* By index in the table; two for each setting, since some have other limits in
 * namespaces that do not belong to the first user namespace
 */
static struct uet_genl_range *uet_genl_ranges;
static unsigned int uet_genl_nr_ranges;

static struct uet_genl_range *uet_genl_range_of(const struct uet_setting *set)
{
	unsigned int i;

	for (i = 0; uet_setting_at(i) != set; i++)
		;
	return &uet_genl_ranges[2 * i];
}

static void uet_genl_refuse(struct netlink_ext_ack *extack,
			    const struct nlattr *attr,
			    const struct uet_genl_range *r,
			    const struct nla_policy *policy)
{
	if (!extack)
		return;
	NL_SET_BAD_ATTR_POLICY(extack, attr, policy);
	extack->_msg = r->text;
}

/**
 * uet_genl_range_error() - a value of a setting is not valid
 * @extack: gets the range
 * @attr: attribute with the value
 * @set: the setting, not a name
 * @min: smallest value, as uet_param_limits() or uet_setting_limits() has it
 * @max: largest value, likewise
 */
void uet_genl_range_error(struct netlink_ext_ack *extack,
			  const struct nlattr *attr,
			  const struct uet_setting *set, s64 min, s64 max)
{
	const struct uet_genl_range *r = uet_genl_range_of(set);

	if (r->range.min != min || r->range.max != max)
		r++;
	uet_genl_refuse(extack, attr, r, &r->policy);
}

/**
 * uet_genl_word_error() - a setting takes no such name
 * @extack: gets those that it takes
 * @attr: attribute with the name
 * @set: the setting, a name
 */
void uet_genl_word_error(struct netlink_ext_ack *extack,
			 const struct nlattr *attr,
			 const struct uet_setting *set)
{
	uet_genl_refuse(extack, attr, uet_genl_range_of(set), NULL);
}

static char *uet_genl_choices(const struct uet_setting *set)
{
	char names[UET_GENL_CHOICES_LEN] = "";
	const char *name;
	unsigned int i;

	for (i = 0; (name = set->choice(i)); i++) {
		if (i)
			strlcat(names, ", ", sizeof(names));
		strlcat(names, name, sizeof(names));
	}
	return kasprintf(GFP_KERNEL, "%s takes one of: %s", set->name, names);
}

static char *uet_genl_range_text(const struct uet_setting *set, s64 min, s64 max)
{
	if (max == UET_SETTING_NO_MAX)
		return kasprintf(GFP_KERNEL, "%s takes %lld or more (%s)",
				 set->name, min, set->unit);
	return kasprintf(GFP_KERNEL, "%s takes %lld to %lld (%s)%s%s", set->name,
			 min, max, set->unit,
			 set->flags & UET_SETTING_POWER_OF_2 ?
			 ", powers of 2" : "",
			 set->flags & UET_SETTING_OR_ZERO ? ", and 0" : "");
}

static int uet_genl_range_make(struct uet_genl_range *r,
			       const struct uet_setting *set, bool narrow)
{
	s64 min, max;

	if (set->kind == UET_SETTING_NAME) {
		r->text = uet_genl_choices(set);
		return r->text ? 0 : -ENOMEM;
	}
	uet_setting_limits(set, &min, &max);
	if (narrow)
		uet_param_narrow(set, &min, &max);
	r->text = uet_genl_range_text(set, min, max);
	r->range.min = min;
	r->range.max = max;
	r->policy.type = NLA_S64;
	r->policy.validation_type = NLA_VALIDATE_RANGE_PTR;
	r->policy.range_signed = &r->range;
	return r->text ? 0 : -ENOMEM;
}

/**
 * uet_genl_range_init() - prepare what errors tell of all settings
 *
 * Return: 0 or -ENOMEM.
 */
int uet_genl_range_init(void)
{
	unsigned int i, n = 0;
	int err;

	while (uet_setting_at(n))
		n++;
	uet_genl_ranges = kcalloc(2 * n, sizeof(*uet_genl_ranges), GFP_KERNEL);
	if (!uet_genl_ranges)
		return -ENOMEM;
	uet_genl_nr_ranges = 2 * n;
	for (i = 0; i < 2 * n; i++) {
		err = uet_genl_range_make(&uet_genl_ranges[i],
					  uet_setting_at(i / 2), i % 2);
		if (err) {
			uet_genl_range_exit();
			return err;
		}
	}
	return 0;
}

/**
 * uet_genl_range_exit() - undo uet_genl_range_init()
 */
void uet_genl_range_exit(void)
{
	unsigned int i;

	for (i = 0; i < uet_genl_nr_ranges; i++)
		kfree(uet_genl_ranges[i].text);
	kfree(uet_genl_ranges);
}
