// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family "uet", described by Documentation/netlink/specs/uet.yaml:
 * its registration, and how objects get into messages.
 *
 * A dump keeps no reference to an object between two messages, only a cursor: the id
 * where it goes on. So objects may come and go meanwhile, each that stays is told
 * exactly once, and a reader that stops reading holds nothing.
 */
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>

#include "base.h"
#include "compat.h"
#include "ctl/genl/genl.h"

static const struct genl_multicast_group uet_genl_groups[] = {
	/* Events are of all users, and a message is for all listeners */
	{ .name = UET_MCGRP_EVENTS, .flags = GENL_MCAST_CAP_NET_ADMIN },
};

/* With what the generator has no place for: see uet_genl_ops_init() */
static struct genl_ops uet_genl_ops[ARRAY_SIZE(uet_nl_ops)] __ro_after_init;

struct genl_family uet_genl_family __ro_after_init = {
	.name		= UET_FAMILY_NAME,
	.version	= UET_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.ops		= uet_genl_ops,
	.n_ops		= ARRAY_SIZE(uet_genl_ops),
	.mcgrps		= uet_genl_groups,
	.n_mcgrps	= ARRAY_SIZE(uet_genl_groups),
};

/**
 * uet_genl_put() - add an object
 * @w: walk
 * @fill: adds its attributes to the message, or returns -EMSGSIZE
 * @what: the object, for @fill
 *
 * Context: any; the walk may hold locks that @fill asserts.
 * Return: 0 to go on, -EMSGSIZE if it did not fit, %UET_GENL_ENOUGH if it was added
 * and is the last one.
 */
int uet_genl_put(struct uet_genl_walk *w, uet_genl_fill fill, const void *what)
{
	void *head = genlmsg_put(w->skb, w->portid, w->seq, &uet_genl_family,
				 w->flags, w->cmd);

	if (!head)
		return -EMSGSIZE;
	if (fill(w->skb, what)) {
		genlmsg_cancel(w->skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(w->skb, head);
	return w->once ? UET_GENL_ENOUGH : 0;
}

/**
 * uet_genl_reply() - answer a request with an object
 * @info: request
 * @cmd: UET_CMD_* of the answer
 * @fill: adds the attributes of the object
 * @what: the object, for @fill
 *
 * Context: process.
 * Return: 0 or a negative error.
 */
int uet_genl_reply(struct genl_info *info, u8 cmd, uet_genl_fill fill,
		   const void *what)
{
	struct uet_genl_walk w = {
		.portid	= info->snd_portid,
		.seq	= info->snd_seq,
		.cmd	= cmd,
	};
	int err;

	w.skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!w.skb)
		return -ENOMEM;
	err = uet_genl_put(&w, fill, what);
	if (!err)
		return genlmsg_reply(w.skb, info);
	nlmsg_free(w.skb);
	return err;
}

static int uet_genl_walk(struct uet_genl_walk *w,
			 const struct uet_genl_object *obj)
{
	const struct nlattr *filter = NULL;
	int err;

	if (obj->filter && w->attrs)
		filter = w->attrs[obj->filter];
	err = uet_genl_filter_parse(&w->filter, filter, obj->filters, w->extack);
	if (err)
		return err;
	xa_init(&w->mine);
	err = uet_genl_mine_find(w, obj->whose) ?: obj->walk(w);
	xa_destroy(&w->mine);
	return err;
}

static void uet_genl_asker(struct uet_genl_walk *w, struct sk_buff *skb)
{
	w->viewer = (struct uet_viewer) {
		.uid	= NETLINK_CB(skb).sk->sk_uid,
		.admin	= netlink_ns_capable(skb, w->un->net->user_ns,
					     CAP_NET_ADMIN),
	};
}

/* Does who asked not see all? Whether there is more is not said: that would tell. */
static bool uet_genl_partial(const struct uet_genl_walk *w,
			     const struct uet_genl_object *obj)
{
	return obj->whose != UET_GENL_ALL && !w->viewer.admin;
}

/**
 * uet_genl_get() - answer a request for one object
 * @skb: message with the request
 * @info: request
 * @obj: type of the object
 *
 * Context: process.
 * Return: 0, -ENOENT if none fits, or another error.
 */
int uet_genl_get(struct sk_buff *skb, struct genl_info *info,
		 const struct uet_genl_object *obj)
{
	struct uet_genl_walk w = {
		.un	= uet_net(genl_info_net(info)),
		.attrs	= info->attrs,
		.extack	= info->extack,
		.portid	= info->snd_portid,
		.seq	= info->snd_seq,
		.cmd	= obj->cmd,
		.once	= true,
	};
	int err;

	w.skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!w.skb)
		return -ENOMEM;
	uet_genl_asker(&w, skb);
	err = uet_genl_walk(&w, obj);
	if (obj->done)
		obj->done(w.cursor);
	if (err == UET_GENL_ENOUGH)
		return genlmsg_reply(w.skb, info);
	nlmsg_free(w.skb);
	if (!err && uet_genl_partial(&w, obj))
		NL_SET_ERR_MSG_ATTR(info->extack,
				    obj->filter ? info->attrs[obj->filter] : NULL,
				    "there is none of yours; others' take CAP_NET_ADMIN");
	else if (!err)
		NL_SET_ERR_MSG_ATTR(info->extack,
				    obj->filter ? info->attrs[obj->filter] : NULL,
				    "there is none");
	return err ?: -ENOENT;
}

/**
 * uet_genl_dump() - continue a dump of objects
 * @skb: the next message
 * @cb: the dump
 * @obj: type of the objects
 *
 * Context: process.
 * Return: length of the message, 0 at the end, or an error.
 */
int uet_genl_dump(struct sk_buff *skb, struct netlink_callback *cb,
		  const struct uet_genl_object *obj)
{
	struct uet_genl_walk w = {
		.un	= uet_net(sock_net(skb->sk)),
		.attrs	= uet_genl_dump_attrs(cb),
		.extack	= cb->extack,
		.skb	= skb,
		.portid	= NETLINK_CB(cb->skb).portid,
		.seq	= cb->nlh->nlmsg_seq,
		.flags	= NLM_F_MULTI,
		.cmd	= obj->cmd,
	};
	int err;

	BUILD_BUG_ON(sizeof(w.cursor) > sizeof(cb->ctx));
	memcpy(w.cursor, cb->ctx, sizeof(w.cursor));
	uet_genl_asker(&w, cb->skb);
	err = uet_genl_walk(&w, obj);
	/* Goes with the end of the dump */
	if (!err && uet_genl_partial(&w, obj))
		NL_SET_ERR_MSG(cb->extack,
			       "what belongs to other users is left out; it takes CAP_NET_ADMIN");
	memcpy(cb->ctx, w.cursor, sizeof(w.cursor));
	if (err && (err != -EMSGSIZE || !skb->len))
		return err;
	return skb->len;
}

static void __init uet_genl_ops_init(void)
{
	size_t i;

	memcpy(uet_genl_ops, uet_nl_ops, sizeof(uet_genl_ops));
	for (i = 0; i < ARRAY_SIZE(uet_genl_ops); i++)
		if (uet_genl_ops[i].cmd == UET_CMD_MSG_GET)
			uet_genl_ops[i].done = uet_genl_msg_dump_done;
}

/**
 * uet_genl_init() - register the family
 *
 * Return: 0 or a negative error.
 */
int __init uet_genl_init(void)
{
	int err = uet_genl_range_init();

	if (err)
		return err;
	uet_genl_ops_init();
	err = genl_register_family(&uet_genl_family);
	if (err)
		goto err_range;
	err = uet_genl_events_init();
	if (err)
		goto err_family;
	err = uet_genl_ping_init();
	if (err)
		goto err_events;
	return 0;

err_events:
	uet_genl_events_exit();
err_family:
	genl_unregister_family(&uet_genl_family);
err_range:
	uet_genl_range_exit();
	return err;
}

/**
 * uet_genl_exit() - unregister the family; requests and dumps have ended
 */
void uet_genl_exit(void)
{
	uet_genl_events_exit();
	genl_unregister_family(&uet_genl_family);
	uet_genl_ping_exit();
	uet_genl_range_exit();
}
