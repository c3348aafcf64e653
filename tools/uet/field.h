/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attributes of netlink objects as fields of records.
 */
#ifndef UET_FIELD_H
#define UET_FIELD_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdint.h>

#include "value.h"

struct names;
struct out;

/* When a field is shown, and how */
enum {
	F_LINE		= 1,	/* begins a line of text */
	F_BARE		= 2,	/* text has no label */
	F_STATS		= 4,	/* with -s */
	F_DETAILS	= 8,	/* with -d */
	F_STAMP		= 16,	/* with -t */
	F_GAUGE		= 32,	/* a metric that goes up and down */
	F_COUNTER	= 64,	/* a metric that only grows */
	F_NONZERO	= 128,	/* not if it is 0 */
};

/**
 * struct field - an attribute that becomes a field
 * @key: name
 * @attr: the attribute
 * @kind: what it holds
 * @flags: F_*
 * @names: of K_ENUM, K_FLAGS
 * @nest: fields of K_NEST
 *
 * Tables end with a field without a key.
 */
struct field {
	const char *key;
	uint16_t attr;
	uint8_t kind;
	uint8_t flags;
	const struct names *names;
	const struct field *nest;
};

/* Largest number of an attribute that the tool knows */
#define ATTR_MAX	127

/**
 * struct attrs - attributes of an object
 * @at: the first one by number, NULL for those not there
 * @end: where they end
 */
struct attrs {
	const struct nlattr *at[ATTR_MAX + 1];
	const char *end;
};

void attrs_parse(struct attrs *a, const void *data, size_t len);
void attrs_nested(struct attrs *a, const struct nlattr *nest);
const struct nlattr *attr_again(const struct attrs *a,
				const struct nlattr *attr);
uint64_t attr_num(const struct attrs *a, uint16_t attr);
bool attr_has(const struct attrs *a, uint16_t attr);
const char *attr_str(const struct attrs *a, uint16_t attr);
bool attr_addr(const struct attrs *a, uint16_t attr, struct in6_addr *addr);
bool attr_endpoint(const struct attrs *a, uint16_t attr, struct endpoint *ep);

bool field_value(const struct field *f, const struct attrs *a, struct value *v);
void fields_out(struct out *o, const struct field *fields,
		const struct attrs *a);

#endif
