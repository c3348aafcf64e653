/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes JSON. Valid whatever the strings hold: bytes that are no UTF-8 become
 * U+FFFD.
 */
#ifndef UET_JSON_H
#define UET_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct json - a document on its way out
 * @to: file
 * @pretty: with line breaks
 * @depth: open objects and arrays
 * @comma: something stands before in the innermost one
 */
struct json {
	FILE *to;
	bool pretty;
	unsigned int depth;
	bool comma;
};

/* key is NULL in arrays */
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
void json_item(struct json *j);
void json_key(struct json *j, const char *key);
void json_string(struct json *j, const char *s);
void json_unsigned(struct json *j, uint64_t v);
void json_signed(struct json *j, int64_t v);
void json_real(struct json *j, double v);
void json_bool(struct json *j, bool v);

#endif
