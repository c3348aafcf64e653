/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small JSON reader for test vectors. Numbers keep their text, so that
 * 64-bit integers stay exact and larger ones do no harm where nobody asks.
 */
#ifndef _VECTORS_JSON_H
#define _VECTORS_JSON_H

#include <stdbool.h>
#include <stddef.h>

enum json_type {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/**
 * struct json - a value
 * @type: what it is
 * @key: its name inside an object, else NULL
 * @text: text of a number or a string
 * @truth: value of a boolean
 * @child: first member of an array or object
 * @next: next sibling
 */
struct json {
	enum json_type type;
	char *key;
	char *text;
	bool truth;
	struct json *child;
	struct json *next;
};

/* Parse a file; on failure print FILE:LINE and why, and return NULL. */
struct json *json_load(const char *file);
void json_free(struct json *j);

/* Member of an object by name, NULL if there is none. */
const struct json *json_get(const struct json *object, const char *key);

/* Number of members of an array or object. */
size_t json_count(const struct json *j);

#endif /* _VECTORS_JSON_H */
