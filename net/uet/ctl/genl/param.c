// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "param": the table of settings, with the values of the namespace.
 */
#include <linux/string.h>
#include <net/genetlink.h>

#include "base.h"
#include "compat.h"
#include "ctl/conf/param.h"
#include "ctl/genl/genl.h"
#include "settings.h"

/**
 * struct uet_genl_param - a setting to tell
 * @un: namespace
 * @set: the setting
 */
struct uet_genl_param {
	struct uet_net			*un;
	const struct uet_setting	*set;
};

static int uet_genl_param_word(struct sk_buff *skb,
			       const struct uet_genl_param *p)
{
	const struct uet_setting *set = p->set;

	const char *name;
	unsigned int i;

	for (i = 0; (name = set->choice(i)); i++)
		if (nla_put_string(skb, UET_A_PARAM_CHOICE, name))
			return -EMSGSIZE;
	if (!(set->scope & UET_SCOPE_NET))
		return 0;
	return nla_put_string(skb, UET_A_PARAM_WORD,
			      uet_param_name(p->un, set)) ||
	       nla_put_string(skb, UET_A_PARAM_DEFAULT_WORD, set->word);
}

static int uet_genl_s64(struct sk_buff *skb, int type, s64 value)
{
	return nla_put_s64(skb, type, value, UET_A_PARAM_PAD);
}

static int uet_genl_param_number(struct sk_buff *skb,
				 const struct uet_genl_param *p)
{
	const struct uet_setting *set = p->set;
	s64 min, max;

	if (set->scope & UET_SCOPE_NET)
		uet_param_limits(p->un, set, &min, &max);
	else
		uet_setting_limits(set, &min, &max);
	if (uet_genl_s64(skb, UET_A_PARAM_LEAST, min) ||
	    (max != UET_SETTING_NO_MAX &&
	     uet_genl_s64(skb, UET_A_PARAM_MOST, max)))
		return -EMSGSIZE;
	if (!(set->scope & UET_SCOPE_NET))
		return 0;
	if (!(set->flags & UET_SETTING_MACHINE) &&
	    uet_genl_s64(skb, UET_A_PARAM_DEFAULT, set->value))
		return -EMSGSIZE;
	return uet_genl_s64(skb, UET_A_PARAM_NUMBER,
			    uet_setting_read(set, &p->un->sysctl));
}

/* UET_SETTING_SPECIAL concerns the module only */
static u32 uet_genl_traits(const struct uet_setting *set)
{
	static const u8 flags[][2] = {
		{ UET_SETTING_LIVE,	  UET_TRAIT_LIVE },
		{ UET_SETTING_AUTO,	  UET_TRAIT_AUTO },
		{ UET_SETTING_POWER_OF_2, UET_TRAIT_POWER_OF_2 },
		{ UET_SETTING_OR_ZERO,	  UET_TRAIT_OR_ZERO },
		{ UET_SETTING_MACHINE,	  UET_TRAIT_MACHINE },
		{ UET_SETTING_CAPPED,	  UET_TRAIT_CAPPED },
	};
	u32 i, traits = 0;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (set->flags & flags[i][0])
			traits |= flags[i][1];
	return traits;
}

static int uet_genl_param_fill(struct sk_buff *skb, const void *what)
{
	const struct uet_genl_param *p = what;
	const struct uet_setting *set = p->set;

	BUILD_BUG_ON((int)UET_SETTING_NUMBER != (int)UET_KIND_NUMBER ||
		     (int)UET_SETTING_NAME != (int)UET_KIND_WORD);
	BUILD_BUG_ON((int)UET_SCOPE_NET != (int)UET_SETTING_SCOPE_NET ||
		     (int)UET_SCOPE_PEER != (int)UET_SETTING_SCOPE_PEER ||
		     (int)UET_SCOPE_SOCK != (int)UET_SETTING_SCOPE_SOCK);
	return nla_put_string(skb, UET_A_PARAM_NAME, set->name) ||
	       nla_put_u32(skb, UET_A_PARAM_KIND, set->kind) ||
	       nla_put_u32(skb, UET_A_PARAM_SCOPE, set->scope) ||
	       nla_put_u32(skb, UET_A_PARAM_TRAITS, uet_genl_traits(set)) ||
	       nla_put_string(skb, UET_A_PARAM_UNIT, set->unit) ||
	       nla_put_string(skb, UET_A_PARAM_HELP, set->help) ||
	       (set->kind == UET_SETTING_NAME ? uet_genl_param_word(skb, p) :
						uet_genl_param_number(skb, p));
}

/* Cursor: 0 is the index in the table */
static int uet_genl_param_walk(struct uet_genl_walk *w)
{
	const struct nlattr *name = w->attrs ? w->attrs[UET_A_PARAM_NAME] : NULL;
	struct uet_genl_param p = { .un = w->un };
	int err;

	for (; (p.set = uet_setting_at(w->cursor[0])); w->cursor[0]++) {
		if (name && !strstarts(p.set->name, nla_data(name)))
			continue;
		err = uet_genl_put(w, uet_genl_param_fill, &p);
		if (err)
			return err;
	}
	return 0;
}

static const struct uet_genl_object uet_genl_params = {
	.cmd	= UET_CMD_PARAM_GET,
	.walk	= uet_genl_param_walk,
};

static const struct uet_setting *uet_genl_param_named(struct genl_info *info)
{
	const struct nlattr *name = info->attrs[UET_A_PARAM_NAME];
	const struct uet_setting *set;

	if (GENL_REQ_ATTR_CHECK(info, UET_A_PARAM_NAME))
		return NULL;
	set = uet_setting_find(nla_data(name), UET_SCOPE_NET);
	if (!set)
		NL_SET_ERR_MSG_ATTR(info->extack, name,
				    "the namespace has no such setting");
	return set;
}

int uet_nl_param_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct uet_setting *set = uet_genl_param_named(info);
	struct uet_genl_param p = { uet_net(genl_info_net(info)), set };

	if (!set)
		return info->attrs[UET_A_PARAM_NAME] ? -ENOENT : -EINVAL;
	return uet_genl_reply(info, UET_CMD_PARAM_GET, uet_genl_param_fill, &p);
}

int uet_nl_param_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return uet_genl_dump(skb, cb, &uet_genl_params);
}

static int uet_genl_param_set_word(struct genl_info *info,
				   const struct uet_setting *set)
{
	const struct nlattr *word = info->attrs[UET_A_PARAM_WORD];
	int err;

	if (GENL_REQ_ATTR_CHECK(info, UET_A_PARAM_WORD))
		return -EINVAL;
	err = uet_param_set_name(uet_net(genl_info_net(info)), set,
				 nla_data(word));
	if (err)
		uet_genl_word_error(info->extack, word, set);
	return err;
}

static int uet_genl_param_set_number(struct genl_info *info,
				     const struct uet_setting *set)
{
	const struct nlattr *number = info->attrs[UET_A_PARAM_NUMBER];
	struct uet_net *un = uet_net(genl_info_net(info));
	s64 min, max;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, UET_A_PARAM_NUMBER))
		return -EINVAL;
	err = uet_param_set(un, set, nla_get_s64(number));
	if (err == -EINVAL) {
		uet_param_limits(un, set, &min, &max);
		uet_genl_range_error(info->extack, number, set, min, max);
	} else if (err) {
		NL_SET_ERR_MSG_ATTR(info->extack, number,
				    "a valid value that cannot be put into effect now");
	}
	return err;
}

int uet_nl_param_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct uet_setting *set = uet_genl_param_named(info);
	int err;

	if (!set)
		return info->attrs[UET_A_PARAM_NAME] ? -ENOENT : -EINVAL;
	if (info->attrs[UET_A_PARAM_NUMBER] && info->attrs[UET_A_PARAM_WORD]) {
		GENL_SET_ERR_MSG(info, "a number or a word, not both");
		return -EINVAL;
	}
	err = set->kind == UET_SETTING_NAME ?
	      uet_genl_param_set_word(info, set) :
	      uet_genl_param_set_number(info, set);
	if (!err && !(set->flags & UET_SETTING_LIVE))
		GENL_SET_ERR_MSG(info,
				 "contexts and sockets that exist keep theirs; \"ccc renew\" replaces contexts");
	return err;
}
