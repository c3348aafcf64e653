/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values, and how text and JSON have them.
 */
#ifndef UET_VALUE_H
#define UET_VALUE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "addr.h"

struct json;
struct names;
struct opts;

enum kind {
	K_NONE,
	K_NUM,		/* unsigned number */
	K_INT,		/* signed number */
	K_BYTES,	/* size */
	K_SBYTES,	/* size, may be negative */
	K_NS,		/* time that passes */
	K_TIME,		/* point in time, ns since 1970 */
	K_MBPS,		/* rate */
	K_REAL,		/* number with a fraction, from the tool itself */
	K_STR,
	K_ADDR,
	K_PREFIX,	/* address, and the length in the field after it */
	K_ENDPOINT,
	K_FLAG,		/* there or not */
	K_ENUM,		/* one of names */
	K_FLAGS,	/* bits with names */
	K_DEV,		/* interface */
	K_ERRNO,
	K_CODE,		/* why a message failed, by who says so; that is in the field before */
	K_NUD,		/* state of a neighbour */
	K_NEST,		/* fields of its own */
};

/* Longest value in words; longer strings are cut */
#define VALUE_TEXT	256

/**
 * struct value - a value
 * @kind: which member counts
 * @u: number; signed ones are cast
 * @real: K_REAL
 * @s: K_STR, ended by zero
 * @addr: K_ADDR, K_PREFIX
 * @plen: K_PREFIX
 * @ep: K_ENDPOINT
 * @names: K_ENUM, K_FLAGS
 * @source: K_CODE, enum uet_nl_report_source
 */
struct value {
	enum kind kind;
	uint64_t u;
	double real;
	const char *s;
	struct in6_addr addr;
	uint8_t plen;
	struct endpoint ep;
	const struct names *names;
	uint32_t source;
};

void text_safe(const char *s, char *buf, size_t size);
void value_text(const struct opts *opts, const struct value *v, char *buf,
		size_t size);
void value_json(const struct opts *opts, const struct value *v,
		struct json *json);
const char *value_colour(const struct value *v);

#endif
