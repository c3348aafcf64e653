// SPDX-License-Identifier: GPL-2.0
/*
 * Tells the valid range with an error about a value: in words, where the kernel can
 * (6.2 and later), and for programs as the policy of the attribute
 * (NLMSGERR_ATTR_POLICY).
 *
 * The ranges of settings are not known to policies, which are by attribute. The
 * kernel writes the policy after the handler has returned, so it must last: each
 * setting has one.
 */
#include <linux/slab.h>
#include <net/netlink.h>

#include "compat.h"
#include "genl/genl.h"
#include "settings.h"

/**
 * struct uet_genl_range - range of a setting
 * @range: smallest and largest value
 * @policy: refers to @range
 */
struct uet_genl_range {
	struct netlink_range_validation_signed	range;
	struct nla_policy			policy;
};

/* By index in the table; two for each setting, since some have another limit in
 * namespaces that do not belong to the first user namespace
 */
static struct uet_genl_range *uet_genl_ranges;

static struct uet_genl_range *uet_genl_range_of(const struct uet_setting *set,
						s64 max)
{
	struct uet_genl_range *r;
	unsigned int i;

	for (i = 0; uet_setting_at(i) != set; i++)
		;
	r = &uet_genl_ranges[2 * i];
	return r->range.max == max ? r : r + 1;
}

/**
 * uet_genl_range_error() - a value of a setting is not valid
 * @extack: gets the range
 * @attr: attribute with the value
 * @set: the setting, not a name
 * @min: smallest value
 * @max: largest value, as uet_param_limits() or uet_setting_limits() has it
 */
void uet_genl_range_error(struct netlink_ext_ack *extack,
			  const struct nlattr *attr,
			  const struct uet_setting *set, s64 min, s64 max)
{
	struct uet_genl_range *r = uet_genl_range_of(set, max);

	/* The same values each time: no lock is needed. */
	WRITE_ONCE(r->range.max, max);
	NL_SET_ERR_MSG_ATTR_FMT(extack, attr, "%s takes %lld to %lld%s%s",
				set->name, min, max,
				set->flags & UET_SETTING_POWER_OF_2 ?
				", powers of 2" : "",
				set->flags & UET_SETTING_OR_ZERO ? ", and 0" : "");
	NL_SET_BAD_ATTR_POLICY(extack, attr, &r->policy);
}

/**
 * uet_genl_range_init() - make the policies of all settings
 *
 * Return: 0 or -ENOMEM.
 */
int uet_genl_range_init(void)
{
	const struct uet_setting *set;
	struct uet_genl_range *r;
	unsigned int i, n = 0;
	s64 min, max;

	while (uet_setting_at(n))
		n++;
	uet_genl_ranges = kcalloc(2 * n, sizeof(*r), GFP_KERNEL);
	if (!uet_genl_ranges)
		return -ENOMEM;
	for (i = 0; i < 2 * n; i++) {
		set = uet_setting_at(i / 2);
		if (set->kind == UET_SETTING_NAME)
			continue;
		uet_setting_limits(set, &min, &max);
		r = &uet_genl_ranges[i];
		r->range.min = min;
		r->range.max = max;
		r->policy.type = NLA_S64;
		r->policy.validation_type = NLA_VALIDATE_RANGE_PTR;
		r->policy.range_signed = &r->range;
	}
	return 0;
}

/**
 * uet_genl_range_exit() - undo uet_genl_range_init()
 */
void uet_genl_range_exit(void)
{
	kfree(uet_genl_ranges);
}
