/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output. What is shown is said once, key by key; the options decide whether it
 * becomes text or JSON, so the two hold the same.
 *
 * In text a record is a line; objects in it begin lines of their own below.
 */
#ifndef UET_OUT_H
#define UET_OUT_H

#include <stdio.h>

#include "json.h"
#include "value.h"

#define OUT_DEPTH	8

/* How text shows a value; JSON does not care */
enum {
	OUT_LINE	= 1,	/* on a new line */
	OUT_BARE	= 2,	/* without its key */
	OUT_QUOTED	= 4,	/* in quotes, as it may have spaces */
};

/**
 * struct out - where records go
 * @opts: how
 * @to: file
 * @json: JSON
 * @keys: keys of the open objects and arrays, NULL for records
 * @depth: how many
 * @indent: of text
 * @fresh: text: the line is empty
 */
struct out {
	const struct opts *opts;
	FILE *to;
	struct json json;
	const char *keys[OUT_DEPTH];
	unsigned int depth;
	unsigned int indent;
	bool fresh;
};

void out_init(struct out *o, const struct opts *opts, FILE *to);
void out_list(struct out *o);
void out_list_end(struct out *o);
void out_object(struct out *o, const char *key);
void out_object_end(struct out *o);
void out_array(struct out *o, const char *key);
void out_array_end(struct out *o);
void out_value(struct out *o, const char *key, const struct value *v,
	       unsigned int how);
void out_num(struct out *o, const char *key, enum kind kind, uint64_t num,
	     unsigned int how);
void out_str(struct out *o, const char *key, const char *s, unsigned int how);
bool out_flush(struct out *o);

#endif
