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
#include <linux/uet.h>
#include <linux/xarray.h>
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

static int uet_genl_endpoint(struct sk_buff *skb, int type,
			     const struct sockaddr_uet *name)
{
	struct nlattr *nest = nla_nest_start(skb, type);

	if (!nest ||
	    nla_put_in6_addr(skb, UET_A_ENDPOINT_ADDR, &name->suet_addr) ||
	    nla_put_u32(skb, UET_A_ENDPOINT_JOB, name->suet_job) ||
	    nla_put_u32(skb, UET_A_ENDPOINT_PID, name->suet_pid) ||
	    nla_put_u32(skb, UET_A_ENDPOINT_RI, name->suet_ri) ||
	    nla_put_u32(skb, UET_A_ENDPOINT_INITIATOR, name->suet_initiator) ||
	    (name->suet_scope_id &&
	     nla_put_u32(skb, UET_A_ENDPOINT_SCOPE_ID, name->suet_scope_id)) ||
	    (name->suet_flags & UET_ADDR_ABSOLUTE &&
	     nla_put_flag(skb, UET_A_ENDPOINT_ABSOLUTE)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static u64 uet_genl_number(const void *at, u8 size)
{
	switch (size) {
	case sizeof(u8):
		return READ_ONCE(*(const u8 *)at);
	case sizeof(u16):
		return READ_ONCE(*(const u16 *)at);
	case sizeof(u32):
		return READ_ONCE(*(const u32 *)at);
	default:
		return READ_ONCE(*(const u64 *)at);
	}
}

/* Padding has the same number in all objects. */
#define UET_GENL_PAD	1
#define PAD(_object)	((int)UET_A_##_object##_PAD ^ UET_GENL_PAD)

static int uet_genl_value(struct sk_buff *skb, const struct uet_genl_row *row,
			  const void *at)
{
	u64 value = row->kind <= UET_ROW_FLAG ? uet_genl_number(at, row->size) : 0;

	BUILD_BUG_ON(PAD(FEP) | PAD(PDC) | PAD(TX) | PAD(RX) | PAD(CCC) |
		     PAD(PATH) | PAD(PORT) | PAD(SOCK) | PAD(DEST) |
		     PAD(MSG) | PAD(FAILURE) | PAD(EVENT));
	switch (row->kind) {
	case UET_ROW_U32_IF:
		if (!value)
			return 0;
		fallthrough;
	case UET_ROW_U32:
		return nla_put_u32(skb, row->attr, value);
	case UET_ROW_U64_IF:
		if (!value)
			return 0;
		fallthrough;
	case UET_ROW_U64:
		return nla_put_u64_64bit(skb, row->attr, value, UET_GENL_PAD);
	case UET_ROW_FLAG:
		return value ? nla_put_flag(skb, row->attr) : 0;
	case UET_ROW_ADDR:
		return nla_put_in6_addr(skb, row->attr, at);
	case UET_ROW_STRING:
		return nla_put_string(skb, row->attr, at);
	default:
		return uet_genl_endpoint(skb, row->attr, at);
	}
}

/* What uet_genl_put_rows() tells */
struct uet_genl_told {
	const struct uet_genl_row	*rows;
	const void *const		*parts;
};

static int uet_genl_rows_fill(struct sk_buff *skb, const void *what)
{
	const struct uet_genl_told *told = what;
	const struct uet_genl_row *row;
	struct nlattr *nest = NULL;
	const void *part;

	for (row = told->rows; row->attr; row++) {
		part = told->parts[row->part];
		if (!part)
			continue;
		if (row->kind == UET_ROW_NEST) {
			nest = nla_nest_start(skb, row->attr);
			if (!nest)
				return -EMSGSIZE;
		} else if (row->kind == UET_ROW_NEST_END) {
			nla_nest_end(skb, nest);
		} else if (uet_genl_value(skb, row, part + row->off)) {
			return -EMSGSIZE;
		}
	}
	return 0;
}

/**
 * uet_genl_put_rows() - add an object that a table describes
 * @w: walk
 * @rows: its attributes, in their order
 * @parts: the structures that have the fields; the rows of a NULL are left out
 *
 * Context: as uet_genl_put().
 * Return: as uet_genl_put().
 */
int uet_genl_put_rows(struct uet_genl_walk *w, const struct uet_genl_row *rows,
		      const void *const *parts)
{
	const struct uet_genl_told told = { rows, parts };

	return uet_genl_put(w, uet_genl_rows_fill, &told);
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

/* The entry of the object at the cursor, or the next one that is wanted; RCU */
static void *uet_genl_entry(struct uet_genl_walk *w,
			    const struct uet_genl_object *obj)
{
	unsigned long id = w->cursor[0], last = ULONG_MAX;
	void *entry;

	if (obj->whose == UET_GENL_FLOWS && w->filter.has & UET_WANTS(CCC)) {
		last = w->filter.value[UET_A_FILTER_CCC];
		id = max(id, last);
	}
	entry = xa_find((void *)w->un + obj->ids, &id, last, XA_PRESENT);
	if (id != w->cursor[0])
		w->cursor[1] = 0;
	w->cursor[0] = id;
	return entry;
}

static bool uet_genl_shown(const struct uet_genl_walk *w,
			   const struct uet_genl_object *obj)
{
	return obj->whose == UET_GENL_ALL || obj->whose == UET_GENL_OWN ||
	       uet_genl_mine(w, w->cursor[0]);
}

static int uet_genl_walk_ids(struct uet_genl_walk *w,
			     const struct uet_genl_object *obj)
{
	void *entry;
	int err = 0;

	rcu_read_lock();
	while ((entry = uet_genl_entry(w, obj))) {
		err = uet_genl_shown(w, obj) ? obj->tell(w, entry) : 0;
		if (err < 0)
			break;
		if (err != UET_GENL_MORE) {
			w->cursor[0]++;
			w->cursor[1] = 0;
		}
		err = 0;
		uet_genl_breathe(w);
	}
	rcu_read_unlock();
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
	err = uet_genl_mine_find(w, obj->whose) ?:
	      (obj->tell ? uet_genl_walk_ids(w, obj) : obj->walk(w));
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
