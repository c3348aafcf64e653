// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "peer": settings of peers by prefix.
 */
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <net/genetlink.h>
#include <net/ipv6.h>

#include "base.h"
#include "ctl/conf/rule.h"
#include "ctl/genl/genl.h"
#include "link/peer_rules.h"
#include "settings.h"

/**
 * struct uet_genl_rule - a rule
 * @addr: prefix
 * @plen: its length
 * @params: settings
 */
struct uet_genl_rule {
	struct in6_addr		addr;
	u8			plen;
	struct uet_peer_params	params;
};

static int uet_genl_rule_setting(struct sk_buff *skb,
				 const struct uet_peer_params *p,
				 const struct uet_setting *set)
{
	const char *name = NULL;
	struct nlattr *nest;
	s64 value;
	int err;

	if (set->kind == UET_SETTING_NAME) {
		name = uet_rule_name(p, set);
		if (!name)
			return 0;
	} else if (!uet_rule_number(p, set, &value)) {
		return 0;
	}
	nest = nla_nest_start(skb, UET_A_RULE_SETTING);
	if (!nest)
		return -EMSGSIZE;
	err = nla_put_string(skb, UET_A_SETTING_NAME, set->name);
	if (!err && name)
		err = nla_put_string(skb, UET_A_SETTING_WORD, name);
	else if (!err)
		err = nla_put_s64(skb, UET_A_SETTING_NUMBER, value,
				  UET_A_SETTING_PAD);
	if (err)
		return err;
	nla_nest_end(skb, nest);
	return 0;
}

static int uet_genl_rule_fill(struct sk_buff *skb, const void *what)
{
	const struct uet_genl_rule *rule = what;
	const struct uet_setting *set;
	unsigned int i;
	int err;

	err = nla_put_in6_addr(skb, UET_A_RULE_PREFIX, &rule->addr) ?:
	      nla_put_u8(skb, UET_A_RULE_PLEN, rule->plen);
	for (i = 0; !err && (set = uet_setting_at(i)); i++)
		if (set->scope & UET_SCOPE_PEER)
			err = uet_genl_rule_setting(skb, &rule->params, set);
	return err;
}

/* The error is about the prefix as such. */
#define uet_genl_rule_error(_info, _msg)				\
do {									\
	const struct genl_info *__info = (_info);			\
									\
	NL_SET_ERR_MSG_ATTR(__info->extack,				\
			    __info->attrs[UET_A_RULE_PREFIX], _msg);	\
} while (0)

/* The prefix that a request names */
static int uet_genl_rule_key(struct nlattr **attrs, struct uet_genl_rule *rule,
			     struct netlink_ext_ack *extack)
{
	struct in6_addr addr = nla_get_in6_addr(attrs[UET_A_RULE_PREFIX]);

	rule->plen = attrs[UET_A_RULE_PLEN] ?
		     nla_get_u8(attrs[UET_A_RULE_PLEN]) : 128;
	ipv6_addr_prefix(&rule->addr, &addr, rule->plen);
	if (ipv6_addr_equal(&rule->addr, &addr))
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attrs[UET_A_RULE_PREFIX],
			    "the address has bits beyond the length of the prefix");
	return -EINVAL;
}

static int uet_genl_rule_of(struct genl_info *info, struct uet_genl_rule *rule)
{
	if (GENL_REQ_ATTR_CHECK(info, UET_A_RULE_PREFIX))
		return -EINVAL;
	return uet_genl_rule_key(info->attrs, rule, info->extack);
}

int uet_nl_peer_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_net(genl_info_net(info));
	struct uet_genl_rule rule;
	int err;

	err = uet_genl_rule_of(info, &rule);
	if (err)
		return err;
	if (!uet_peer_rule_get(un, &rule.addr, rule.plen, &rule.params)) {
		uet_genl_rule_error(info, "this prefix has no settings");
		return -ENOENT;
	}
	return uet_genl_reply(info, UET_CMD_PEER_GET, uet_genl_rule_fill, &rule);
}

/* Cursor: 0 and 1 are the prefix told last, 2 its length + 1, 0 at first */
static int uet_genl_rule_walk(struct uet_genl_walk *w)
{
	struct uet_genl_rule rule, in = { .plen = 0 };
	bool first = !w->cursor[2];
	int err;

	if (w->attrs && w->attrs[UET_A_RULE_PREFIX]) {
		err = uet_genl_rule_key(w->attrs, &in, w->extack);
		if (err)
			return err;
	}
	memcpy(&rule.addr, w->cursor, sizeof(rule.addr));
	rule.plen = first ? 0 : w->cursor[2] - 1;
	while (uet_peer_rule_next(w->un, first ? NULL : &rule.addr, &rule.addr,
				  &rule.plen, &rule.params)) {
		first = false;
		if (rule.plen >= in.plen &&
		    ipv6_prefix_equal(&rule.addr, &in.addr, in.plen)) {
			err = uet_genl_put(w, uet_genl_rule_fill, &rule);
			if (err)
				return err;
		}
		memcpy(w->cursor, &rule.addr, sizeof(rule.addr));
		w->cursor[2] = rule.plen + 1;
		cond_resched();
	}
	return 0;
}

static const struct uet_genl_object uet_genl_rules = {
	.cmd	= UET_CMD_PEER_GET,
	.walk	= uet_genl_rule_walk,
};

int uet_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return uet_genl_dump(skb, cb, &uet_genl_rules);
}

static const struct uet_setting *uet_genl_rule_named(struct genl_info *info,
						     const struct nlattr *attr,
						     const char *name)
{
	const struct uet_setting *set = uet_setting_find(name, UET_SCOPE_PEER);

	if (!set)
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "peers have no such setting");
	return set;
}

static int uet_genl_rule_number(struct genl_info *info, const struct nlattr *nest,
				struct nlattr **tb,
				const struct uet_setting *set,
				struct uet_peer_params *p)
{
	const struct nlattr *number = tb[UET_A_SETTING_NUMBER];
	s64 min, max;
	int err;

	if (!number) {
		NL_SET_ERR_MSG_ATTR(info->extack, tb[UET_A_SETTING_NAME],
				    "the setting takes a number");
		NL_SET_ERR_ATTR_MISS(info->extack, nest, UET_A_SETTING_NUMBER);
		return -EINVAL;
	}
	err = uet_rule_set_number(p, set, nla_get_s64(number));
	if (err) {
		uet_setting_limits(set, &min, &max);
		uet_genl_range_error(info->extack, number, set, min, max);
	}
	return err;
}

static int uet_genl_rule_word(struct genl_info *info, const struct nlattr *nest,
			      struct nlattr **tb,
			      const struct uet_setting *set,
			      struct uet_peer_params *p)
{
	const struct nlattr *word = tb[UET_A_SETTING_WORD];
	int err;

	if (!word) {
		NL_SET_ERR_MSG_ATTR(info->extack, tb[UET_A_SETTING_NAME],
				    "the setting takes a word");
		NL_SET_ERR_ATTR_MISS(info->extack, nest, UET_A_SETTING_WORD);
		return -EINVAL;
	}
	err = uet_rule_set_name(p, set, nla_data(word));
	if (err && uet_setting_word(set, nla_data(word)))
		NL_SET_ERR_MSG_ATTR(info->extack, word,
				    "not a path policy for ordered messages");
	else if (err)
		uet_genl_word_error(info->extack, word, set);
	return err;
}

static int uet_genl_rule_apply(struct genl_info *info, const struct nlattr *nest,
			       struct uet_peer_params *p)
{
	struct nlattr *tb[UET_A_SETTING_MAX + 1];
	const struct uet_setting *set;
	int err;

	err = nla_parse_nested(tb, UET_A_SETTING_MAX, nest,
			       uet_setting_nl_policy, info->extack);
	if (err)
		return err;
	if (!tb[UET_A_SETTING_NAME]) {
		NL_SET_ERR_MSG_ATTR(info->extack, nest, "a setting without a name");
		NL_SET_ERR_ATTR_MISS(info->extack, nest, UET_A_SETTING_NAME);
		return -EINVAL;
	}
	if (tb[UET_A_SETTING_NUMBER] && tb[UET_A_SETTING_WORD]) {
		NL_SET_ERR_MSG_ATTR(info->extack, nest,
				    "a number or a word, not both");
		return -EINVAL;
	}
	set = uet_genl_rule_named(info, tb[UET_A_SETTING_NAME],
				  nla_data(tb[UET_A_SETTING_NAME]));
	if (!set)
		return -ENOENT;
	return set->kind == UET_SETTING_NAME ?
	       uet_genl_rule_word(info, nest, tb, set, p) :
	       uet_genl_rule_number(info, nest, tb, set, p);
}

static int uet_genl_rule_unset(struct genl_info *info, const struct nlattr *attr,
			       struct uet_peer_params *p)
{
	const struct uet_setting *set;
	char name[UET_NAME_LEN];

	if (nla_strscpy(name, attr, sizeof(name)) < 0)
		return -EINVAL;
	set = uet_genl_rule_named(info, attr, name);
	if (!set)
		return -ENOENT;
	uet_rule_unset(p, set);
	return 0;
}

/* All changes of a request; they are made or none is */
static int uet_genl_rule_change(struct genl_info *info,
				struct uet_peer_params *p)
{
	const struct nlattr *attr;
	int left, err = 0;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, left) {
		if (nla_type(attr) == UET_A_RULE_SETTING)
			err = uet_genl_rule_apply(info, attr, p);
		else if (nla_type(attr) == UET_A_RULE_UNSET)
			err = uet_genl_rule_unset(info, attr, p);
		if (err)
			return err;
	}
	return 0;
}

static int uet_genl_rule_store(struct genl_info *info, struct uet_net *un,
			       struct uet_genl_rule *rule)
{
	int err;

	if (uet_rule_empty(&rule->params)) {
		GENL_SET_ERR_MSG(info, "no setting is left: delete it instead");
		return -EINVAL;
	}
	err = uet_peer_set_params(un, &rule->addr, rule->plen, &rule->params);
	if (err == -ENOSPC)
		uet_genl_rule_error(info, "there are too many prefixes");
	return err;
}

static int uet_genl_rule_write(struct genl_info *info, bool fresh)
{
	struct uet_net *un = uet_net(genl_info_net(info));
	struct uet_genl_rule rule = {};
	int err;

	err = uet_genl_rule_of(info, &rule);
	if (err)
		return err;
	mutex_lock(&un->peer_rules_writer);
	if (uet_peer_rule_get(un, &rule.addr, rule.plen, &rule.params) && fresh) {
		uet_genl_rule_error(info, "this prefix has settings already");
		err = -EEXIST;
	}
	if (!err)
		err = uet_genl_rule_change(info, &rule.params);
	if (!err)
		err = uet_genl_rule_store(info, un, &rule);
	mutex_unlock(&un->peer_rules_writer);
	return err;
}

int uet_nl_peer_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	return uet_genl_rule_write(info, true);
}

int uet_nl_peer_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return uet_genl_rule_write(info, false);
}

int uet_nl_peer_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_net(genl_info_net(info));
	struct uet_genl_rule rule;
	int err;

	err = uet_genl_rule_of(info, &rule);
	if (err)
		return err;
	mutex_lock(&un->peer_rules_writer);
	err = uet_peer_set_params(un, &rule.addr, rule.plen, NULL);
	mutex_unlock(&un->peer_rules_writer);
	if (err == -ENOENT)
		uet_genl_rule_error(info, "this prefix has no settings");
	return err;
}
