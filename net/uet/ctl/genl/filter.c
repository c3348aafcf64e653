// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of the objects that a request reads.
 */
#include <linux/bitops.h>
#include <net/ipv6.h>
#include <net/netlink.h>

#include "ctl/genl/genl.h"

static void uet_genl_filter_take(struct uet_genl_filter *f,
				 const struct nlattr *attr)
{
	u64 *value = &f->value[nla_type(attr)];

	switch (nla_len(attr)) {
	case sizeof(u8):
		*value = nla_get_u8(attr);
		break;
	case sizeof(u16):
		*value = nla_get_u16(attr);
		break;
	case sizeof(u32):
		*value = nla_get_u32(attr);
		break;
	case sizeof(u64):
		*value = nla_get_u64(attr);
		break;
	case sizeof(struct in6_addr):
		*(nla_type(attr) == UET_A_FILTER_LOCAL ? &f->local : &f->remote) =
			nla_get_in6_addr(attr);
		break;
	}
}

/**
 * uet_genl_filter_parse() - read a filter
 * @f: set
 * @attr: the nested attribute, validated; NULL = everything is wanted
 * @filters: UET_WANTS() that apply to the object
 * @extack: for errors
 *
 * Return: 0, -EOPNOTSUPP for a filter that does not apply, -EINVAL for one twice.
 */
int uet_genl_filter_parse(struct uet_genl_filter *f, const struct nlattr *attr,
			  u32 filters, struct netlink_ext_ack *extack)
{
	const struct nlattr *one;
	int left;

	*f = (struct uet_genl_filter){ .value[UET_A_FILTER_REMOTE_PLEN] = 128 };
	if (!attr)
		return 0;
	nla_for_each_nested(one, attr, left) {
		u32 bit = BIT(nla_type(one));

		if (!(filters & bit)) {
			NL_SET_ERR_MSG_ATTR(extack, one,
					    "this filter does not apply to these objects");
			return -EOPNOTSUPP;
		}
		if (f->has & bit) {
			NL_SET_ERR_MSG_ATTR(extack, one, "filter given twice");
			return -EINVAL;
		}
		f->has |= bit;
		uet_genl_filter_take(f, one);
	}
	if (f->has & UET_WANTS(REMOTE_PLEN) && !(f->has & UET_WANTS(REMOTE))) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "prefix length without a prefix");
		return -EINVAL;
	}
	return 0;
}

/**
 * uet_genl_remote_fits() - is a peer wanted?
 * @f: filter
 * @addr: its fabric address
 *
 * Return: true if so.
 */
bool uet_genl_remote_fits(const struct uet_genl_filter *f,
			  const struct in6_addr *addr)
{
	return !(f->has & UET_WANTS(REMOTE)) ||
	       ipv6_prefix_equal(&f->remote, addr,
				 f->value[UET_A_FILTER_REMOTE_PLEN]);
}

/**
 * uet_genl_local_fits() - is a local fabric address wanted?
 * @f: filter
 * @addr: the address
 *
 * Return: true if so.
 */
bool uet_genl_local_fits(const struct uet_genl_filter *f,
			 const struct in6_addr *addr)
{
	return !(f->has & UET_WANTS(LOCAL)) || ipv6_addr_equal(&f->local, addr);
}

/**
 * uet_genl_fits() - is a number wanted?
 * @f: filter
 * @attr: its UET_A_FILTER_*
 * @value: its value in the object
 *
 * Return: true if so.
 */
bool uet_genl_fits(const struct uet_genl_filter *f, int attr, u64 value)
{
	return !(f->has & BIT(attr)) || f->value[attr] == value;
}
