// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <linux/uet_netlink.h>

#include "field.h"
#include "opts.h"
#include "out.h"

/**
 * attrs_parse() - sort attributes
 * @a: set
 * @data: attributes
 * @len: bytes of them
 *
 * Of an attribute that is there twice the first counts; unknown ones do not.
 */
void attrs_parse(struct attrs *a, const void *data, size_t len)
{
	const struct nlattr *attr = data;
	uint16_t type;

	memset(a, 0, sizeof(*a));
	a->end = (const char *)data + len;
	while (mnl_attr_ok(attr, len)) {
		type = mnl_attr_get_type(attr);
		if (type <= ATTR_MAX && !a->at[type])
			a->at[type] = attr;
		if ((size_t)MNL_ALIGN(attr->nla_len) >= len)
			break;
		len -= MNL_ALIGN(attr->nla_len);
		attr = mnl_attr_next(attr);
	}
}

void attrs_nested(struct attrs *a, const struct nlattr *nest)
{
	attrs_parse(a, mnl_attr_get_payload(nest), mnl_attr_get_payload_len(nest));
}

/**
 * attr_again() - the next attribute of the same number
 * @a: attributes
 * @attr: the last one, of @a
 *
 * Return: the attribute, or NULL.
 */
const struct nlattr *attr_again(const struct attrs *a,
				const struct nlattr *attr)
{
	const struct nlattr *next = attr;
	ssize_t left;

	for (;;) {
		left = a->end - (const char *)next - MNL_ALIGN(next->nla_len);
		if (left <= 0)
			return NULL;
		next = mnl_attr_next(next);
		if (!mnl_attr_ok(next, left))
			return NULL;
		if (mnl_attr_get_type(next) == mnl_attr_get_type(attr))
			return next;
	}
}

bool attr_has(const struct attrs *a, uint16_t attr)
{
	return a->at[attr];
}

/**
 * attr_num() - a number of whatever width, as the kernel may widen it
 *
 * Return: its value, 0 if it is not there.
 */
uint64_t attr_num(const struct attrs *a, uint16_t attr)
{
	const struct nlattr *at = a->at[attr];
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (at ? mnl_attr_get_payload_len(at) : 0) {
	case 1:
		return *(uint8_t *)mnl_attr_get_payload(at);
	case 2:
		memcpy(&u16, mnl_attr_get_payload(at), sizeof(u16));
		return u16;
	case 4:
		memcpy(&u32, mnl_attr_get_payload(at), sizeof(u32));
		return u32;
	case 8:
		memcpy(&u64, mnl_attr_get_payload(at), sizeof(u64));
		return u64;
	default:
		return 0;
	}
}

/**
 * attr_str() - a string; "" if it is not there or has no end
 */
const char *attr_str(const struct attrs *a, uint16_t attr)
{
	const struct nlattr *at = a->at[attr];

	if (!at || !memchr(mnl_attr_get_payload(at), 0,
			   mnl_attr_get_payload_len(at)))
		return "";
	return mnl_attr_get_payload(at);
}

bool attr_addr(const struct attrs *a, uint16_t attr, struct in6_addr *addr)
{
	const struct nlattr *at = a->at[attr];

	memset(addr, 0, sizeof(*addr));
	if (!at || mnl_attr_get_payload_len(at) != sizeof(*addr))
		return false;
	memcpy(addr, mnl_attr_get_payload(at), sizeof(*addr));
	return true;
}

bool attr_endpoint(const struct attrs *a, uint16_t attr, struct endpoint *ep)
{
	struct attrs in;

	memset(ep, 0, sizeof(*ep));
	if (!attr_has(a, attr))
		return false;
	attrs_nested(&in, a->at[attr]);
	attr_addr(&in, UET_A_ENDPOINT_ADDR, &ep->addr);
	ep->scope_id = attr_num(&in, UET_A_ENDPOINT_SCOPE_ID);
	ep->job = attr_num(&in, UET_A_ENDPOINT_JOB);
	ep->pid = attr_num(&in, UET_A_ENDPOINT_PID);
	ep->ri = attr_num(&in, UET_A_ENDPOINT_RI);
	ep->initiator = attr_num(&in, UET_A_ENDPOINT_INITIATOR);
	ep->absolute = attr_has(&in, UET_A_ENDPOINT_ABSOLUTE);
	return true;
}

/**
 * field_value() - the value of a field
 * @f: field
 * @a: attributes of the object
 * @v: set
 *
 * Return: whether there is one.
 */
bool field_value(const struct field *f, const struct attrs *a, struct value *v)
{
	*v = (struct value){ .kind = f->kind, .names = f->names };
	if (!attr_has(a, f->attr))
		return false;
	switch (f->kind) {
	case K_STR:
		v->s = attr_str(a, f->attr);
		break;
	case K_ADDR:
		return attr_addr(a, f->attr, &v->addr);
	case K_PREFIX:
		v->plen = attr_has(a, f->attr + 1) ? attr_num(a, f->attr + 1) : 128;
		return v->plen <= 128 && attr_addr(a, f->attr, &v->addr);
	case K_ENDPOINT:
		return attr_endpoint(a, f->attr, &v->ep);
	case K_CODE:
		v->source = attr_num(a, f->attr - 1);
		v->u = attr_num(a, f->attr);
		break;
	default:
		v->u = attr_num(a, f->attr);
	}
	return true;
}

static bool wanted(const struct opts *opts, const struct field *f)
{
	return (!(f->flags & F_STATS) || opts->stats) &&
	       (!(f->flags & F_DETAILS) || opts->details) &&
	       (!(f->flags & F_STAMP) || opts->stamp);
}

static void nest_out(struct out *o, const struct field *f,
		     const struct nlattr *nest)
{
	struct attrs in;

	attrs_nested(&in, nest);
	out_object(o, f->key);
	fields_out(o, f->nest, &in);
	out_object_end(o);
}

/**
 * fields_out() - show the fields of an object
 * @o: output; the object was begun
 * @fields: which, in this order
 * @a: attributes of the object
 */
void fields_out(struct out *o, const struct field *fields,
		const struct attrs *a)
{
	const struct field *f;
	unsigned int line = 0;
	struct value v;

	for (f = fields; f->key; f++) {
		if (f->flags & F_LINE)
			line = OUT_LINE;
		if (!wanted(o->opts, f) || !field_value(f, a, &v) ||
		    (f->flags & F_NONZERO && !v.u))
			continue;
		if (f->kind == K_NEST) {
			nest_out(o, f, a->at[f->attr]);
			continue;
		}
		out_value(o, f->key, &v,
			  line | (f->flags & F_BARE ? OUT_BARE : 0));
		line = 0;
	}
}
