/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family "uet": what its objects share. Each object has a file
 * of its own, gen.[ch] are generated.
 */
#ifndef _UET_GENL_H
#define _UET_GENL_H

#include <linux/in6.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "ctl/genl/gen.h"
#include "viewer.h"

struct uet_flow;
struct uet_net;
struct uet_setting;

extern struct genl_family uet_genl_family;

/**
 * struct uet_genl_filter - which objects are wanted
 * @has: bits of the attributes that were given, UET_WANTS()
 * @remote: fabric address of the peer, or a prefix
 * @local: local fabric address
 * @value: the others, by attribute
 */
struct uet_genl_filter {
	u32		has;
	struct in6_addr	remote;
	struct in6_addr	local;
	u64		value[UET_A_FILTER_MAX + 1];
};

/* Bit of an attribute in uet_genl_filter.has */
#define UET_WANTS(_a)	BIT(UET_A_FILTER_##_a)

/**
 * struct uet_genl_walk - objects on their way into messages
 * @un: namespace
 * @filter: which are wanted
 * @attrs: attributes of the request, or NULL
 * @extack: for errors
 * @skb: where they go
 * @portid: who asked
 * @seq: its sequence number
 * @flags: NLM_F_* of the messages
 * @cmd: UET_CMD_*
 * @viewer: who asked
 * @mine: ids of what that user may see, unless it is all; see enum uet_genl_whose
 * @once: the first one is enough
 * @steps: objects looked at, for uet_genl_breathe()
 * @cursor: where the walk goes on; zero at first. The object says how it is used
 */
struct uet_genl_walk {
	struct uet_net		*un;
	struct uet_genl_filter	filter;
	struct nlattr		**attrs;
	struct netlink_ext_ack	*extack;
	struct sk_buff		*skb;
	u32			portid;
	u32			seq;
	int			flags;
	u8			cmd;
	struct uet_viewer	viewer;
	struct xarray		mine;
	bool			once;
	u32			steps;
	u64			cursor[4];
};

/**
 * enum uet_genl_whose - who may see the objects of a type
 * @UET_GENL_ALL: everybody
 * @UET_GENL_OWN: their user, by uet_may_see() in the walk
 * @UET_GENL_FLOWS: those who send by them, by uet_genl_mine() of the id of a flow
 * @UET_GENL_PEERS: likewise, of the id of a peer
 *
 * The administrator of the network sees all.
 */
enum uet_genl_whose {
	UET_GENL_ALL,
	UET_GENL_OWN,
	UET_GENL_FLOWS,
	UET_GENL_PEERS,
};

/**
 * struct uet_genl_object - a type of objects that can be read
 * @cmd: command that reads them
 * @filter: attribute with the filter, 0 if there is none
 * @filters: UET_WANTS() that apply
 * @whose: who may see them
 * @ids: offset in struct uet_net of the xarray that has them, for @tell
 * @tell: pass what an entry of @ids has, from w->cursor[1] on, to uet_genl_tell().
 *	Returns the error of that, with w->cursor[1] at what did not fit;
 *	%UET_GENL_MORE to be called again with the same entry, if that is still there;
 *	0 to go on with the next one. w->cursor[0] is the id. Process, RCU read side
 * @walk: instead of @tell: pass the objects from w->cursor on to uet_genl_put(). Stops
 *	at the first error of that, with w->cursor at the object that did not fit;
 *	returns the error, or 0 after the last object. Process
 * @done: a dump ended: free what w->cursor refers to; or NULL. Process
 */
struct uet_genl_object {
	u8	cmd;
	u8	filter;
	u32	filters;
	enum uet_genl_whose whose;
	size_t	ids;
	int	(*tell)(struct uet_genl_walk *w, void *entry);
	int	(*walk)(struct uet_genl_walk *w);
	void	(*done)(const u64 *cursor);
};

/* Requests that gen.h has for the object uet_genl_<name>s */
#define UET_GENL_READ(_name)						\
int uet_nl_##_name##_get_doit(struct sk_buff *skb, struct genl_info *info) \
{									\
	return uet_genl_get(skb, info, &uet_genl_##_name##s);		\
}									\
									\
int uet_nl_##_name##_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb) \
{									\
	return uet_genl_dump(skb, cb, &uet_genl_##_name##s);		\
}

/* Error of uet_genl_put() if no more objects are wanted */
#define UET_GENL_ENOUGH		(-EALREADY)
/* An entry has further objects: it may have thousands, of which none is wanted. */
#define UET_GENL_MORE		1

/**
 * enum uet_genl_kind - which attribute a field becomes
 * @UET_ROW_U32: a number of 32 bits
 * @UET_ROW_U32_IF: likewise, unless it is 0
 * @UET_ROW_U64: a number of 64 bits
 * @UET_ROW_U64_IF: likewise, unless it is 0
 * @UET_ROW_FLAG: a flag, unless it is 0
 * @UET_ROW_ADDR: a fabric address
 * @UET_ROW_STRING: a string in an array
 * @UET_ROW_ENDPOINT: the address of an endpoint
 * @UET_ROW_NEST: what follows is nested in this attribute
 * @UET_ROW_NEST_END: as far as here
 */
enum uet_genl_kind {
	UET_ROW_U32,
	UET_ROW_U32_IF,
	UET_ROW_U64,
	UET_ROW_U64_IF,
	UET_ROW_FLAG,
	UET_ROW_ADDR,
	UET_ROW_STRING,
	UET_ROW_ENDPOINT,
	UET_ROW_NEST,
	UET_ROW_NEST_END,
};

/**
 * struct uet_genl_row - an attribute of an object; tables of them end with zeroes
 * @attr: attribute
 * @kind: enum uet_genl_kind
 * @part: number of the structure that has the field
 * @size: size of the field, any that a number may have
 * @off: its place in that structure
 */
struct uet_genl_row {
	u16	attr;
	u8	kind;
	u8	part;
	u8	size;
	u16	off;
};

/* The last argument is the field. */
#define UET_GENL_ROW(_attr, _kind, _part, _type, ...)			\
	{ UET_A_##_attr, UET_ROW_##_kind, _part,			\
	  sizeof_field(_type, __VA_ARGS__), offsetof(_type, __VA_ARGS__) }

typedef int (*uet_genl_fill)(struct sk_buff *skb, const void *what);

/* Objects looked at before uet_genl_breathe() lets others run */
#define UET_GENL_STEPS	64

/* Reschedule; RCU read side, which is left for a moment */
static inline void uet_genl_rest(void)
{
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
}

/**
 * uet_genl_breathe() - reschedule now and then
 * @w: walk
 *
 * Filters may let a walk pass many objects between two messages.
 *
 * Context: process, RCU read side, which is left for a moment: what was found
 * before may be gone.
 */
static inline void uet_genl_breathe(struct uet_genl_walk *w)
{
	if (++w->steps % UET_GENL_STEPS == 0)
		uet_genl_rest();
}

int uet_genl_put(struct uet_genl_walk *w, uet_genl_fill fill, const void *what);
int uet_genl_put_rows(struct uet_genl_walk *w, const struct uet_genl_row *rows,
		      const void *const *parts);
int uet_genl_reply(struct genl_info *info, u8 cmd, uet_genl_fill fill,
		   const void *what);

/* The parts of an object, by number; what has none is left out. */
#define uet_genl_tell(_w, _rows, ...)					\
	uet_genl_put_rows(_w, _rows, (const void *[]) { __VA_ARGS__ })

int uet_genl_get(struct sk_buff *skb, struct genl_info *info,
		 const struct uet_genl_object *obj);
int uet_genl_dump(struct sk_buff *skb, struct netlink_callback *cb,
		  const struct uet_genl_object *obj);

/* filter.c */
int uet_genl_filter_parse(struct uet_genl_filter *f, const struct nlattr *attr,
			  u32 filters, struct netlink_ext_ack *extack);
bool uet_genl_remote_fits(const struct uet_genl_filter *f,
			  const struct in6_addr *addr);
bool uet_genl_local_fits(const struct uet_genl_filter *f,
			 const struct in6_addr *addr);
bool uet_genl_fits(const struct uet_genl_filter *f, int attr, u64 value);

/* ccc.c */
bool uet_genl_flow_fits(const struct uet_genl_filter *f,
			const struct uet_flow *flow);

/* mine.c */
int uet_genl_mine_find(struct uet_genl_walk *w, enum uet_genl_whose whose);
bool uet_genl_mine(const struct uet_genl_walk *w, unsigned long id);

/* range.c */
void uet_genl_range_error(struct netlink_ext_ack *extack,
			  const struct nlattr *attr,
			  const struct uet_setting *set, s64 min, s64 max);
void uet_genl_word_error(struct netlink_ext_ack *extack,
			 const struct nlattr *attr,
			 const struct uet_setting *set);
int uet_genl_range_init(void);
void uet_genl_range_exit(void);

/* msg.c */
int uet_genl_msg_dump_done(struct netlink_callback *cb);

/* event.c */
int uet_genl_events_init(void);
void uet_genl_events_exit(void);

/* ping.c */
int uet_genl_ping_init(void);
void uet_genl_ping_exit(void);

int uet_genl_init(void);
void uet_genl_exit(void);

#endif /* _UET_GENL_H */
