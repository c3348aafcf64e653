/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attributes of objects of which there may be a hundred thousand: room for all that
 * an object can have is taken at once, and they are written one behind the other.
 * With nla_put() the checks and calls for each attribute are half of a dump's work.
 *
 *	if (uet_attrs_begin(skb, &a, ROOM))
 *		return -EMSGSIZE;
 *	uet_attr_u32(&a, UET_A_X, x);
 *	uet_attrs_end(skb, &a);
 */
#ifndef _UET_GENL_ATTRS_H
#define _UET_GENL_ATTRS_H

#include <linux/in6.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/types.h>
#include <net/netlink.h>

/* Room for attributes; of a u64 with what may be needed to align it */
#define UET_ATTR_ROOM_FLAG	NLA_HDRLEN
#define UET_ATTR_ROOM_U32	(NLA_HDRLEN + 4)
#define UET_ATTR_ROOM_U64	(2 * NLA_HDRLEN + 8)
#define UET_ATTR_ROOM_IN6	(NLA_HDRLEN + 16)

/**
 * struct uet_attrs - attributes that are being written
 * @at: where the next one goes
 * @end: end of the room
 */
struct uet_attrs {
	void	*at;
	void	*end;
};

/* Take @room bytes, or return -EMSGSIZE. */
static inline int uet_attrs_begin(struct sk_buff *skb, struct uet_attrs *a,
				  unsigned int room)
{
	if (skb_tailroom(skb) < room)
		return -EMSGSIZE;
	a->at = skb_tail_pointer(skb);
	a->end = a->at + room;
	return 0;
}

static inline void uet_attrs_end(struct sk_buff *skb, const struct uet_attrs *a)
{
	/* Then an object has more attributes than its room was made for. */
	WARN_ON_ONCE(a->at > a->end);
	skb_put(skb, a->at - (void *)skb_tail_pointer(skb));
}

/* An attribute with room for @len bytes, a multiple of NLA_ALIGNTO */
static inline void *uet_attr(struct uet_attrs *a, u16 type, u16 len)
{
	struct nlattr *nla = a->at;

	nla->nla_len = NLA_HDRLEN + len;
	nla->nla_type = type;
	a->at += NLA_HDRLEN + len;
	return nla_data(nla);
}

static inline void uet_attr_flag(struct uet_attrs *a, u16 type)
{
	uet_attr(a, type, 0);
}

static inline void uet_attr_u32(struct uet_attrs *a, u16 type, u32 value)
{
	*(u32 *)uet_attr(a, type, sizeof(value)) = value;
}

/* As nla_put_u64_64bit() */
static inline void uet_attr_u64(struct uet_attrs *a, u16 type, u64 value, u16 pad)
{
	if (!IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) &&
	    IS_ALIGNED((unsigned long)a->at, 8))
		uet_attr(a, pad, 0);
	memcpy(uet_attr(a, type, sizeof(value)), &value, sizeof(value));
}

static inline void uet_attr_in6(struct uet_attrs *a, u16 type,
				const struct in6_addr *addr)
{
	memcpy(uet_attr(a, type, sizeof(*addr)), addr, sizeof(*addr));
}

/* What follows until uet_attr_nest_end() is inside of it. */
static inline struct nlattr *uet_attr_nest(struct uet_attrs *a, u16 type)
{
	struct nlattr *nest = a->at;

	uet_attr(a, type | NLA_F_NESTED, 0);
	return nest;
}

static inline void uet_attr_nest_end(const struct uet_attrs *a,
				     struct nlattr *nest)
{
	nest->nla_len = a->at - (void *)nest;
}

#endif /* _UET_GENL_ATTRS_H */
