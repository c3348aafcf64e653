// SPDX-License-Identifier: GPL-2.0
/*
 * Recursive descent over the whole file in memory.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

#define DEPTH_MAX	64

struct reader {
	const char *file;
	const char *p;
	const char *end;
	int line;
	int depth;
	bool failed;
};

static struct json *parse_value(struct reader *r);

static void *fail(struct reader *r, const char *why)
{
	if (!r->failed)
		fprintf(stderr, "%s:%d: %s\n", r->file, r->line, why);
	r->failed = true;
	return NULL;
}

static void *xcalloc(size_t size)
{
	void *m = calloc(1, size);

	if (!m) {
		perror("calloc");
		exit(2);
	}
	return m;
}

static int peek(struct reader *r)
{
	while (r->p < r->end && isspace((unsigned char)*r->p)) {
		r->line += *r->p == '\n';
		r->p++;
	}
	return r->p < r->end ? (unsigned char)*r->p : -1;
}

static bool accept(struct reader *r, int c)
{
	if (peek(r) != c)
		return false;
	r->p++;
	return true;
}

/* Vectors are ASCII; \u escapes outside it are refused. */
static int escape(struct reader *r)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";
	const char *at;
	char hex[5] = "";
	long code;

	if (r->p >= r->end)
		return -1;
	if (*r->p == 'u') {
		if (r->end - r->p < 5)
			return -1;
		memcpy(hex, r->p + 1, 4);
		code = strtol(hex, NULL, 16);
		r->p += 5;
		return code > 0 && code < 128 ? (int)code : '?';
	}
	at = strchr(from, *r->p++);
	return at && *at ? to[at - from] : -1;
}

static size_t raw_length(const struct reader *r)
{
	const char *p = r->p;

	while (p < r->end && *p != '"')
		p += *p == '\\' ? 2 : 1;
	return (size_t)(p - r->p);
}

static char *parse_string(struct reader *r)
{
	size_t len = 0;
	char *s;
	int c;

	if (!accept(r, '"'))
		return fail(r, "string expected");
	s = xcalloc(raw_length(r) + 1);
	while (r->p < r->end && *r->p != '"') {
		c = (unsigned char)*r->p++;
		if (c == '\\')
			c = escape(r);
		if (c < 0) {
			free(s);
			return fail(r, "bad escape");
		}
		s[len++] = (char)c;
	}
	if (r->p >= r->end) {
		free(s);
		return fail(r, "string without end");
	}
	r->p++;
	s[len] = '\0';
	return s;
}

static struct json *parse_members(struct reader *r, struct json *j, int close)
{
	struct json **tail = &j->child;
	char *key = NULL;

	if (++r->depth > DEPTH_MAX)
		return fail(r, "nested too deeply");
	if (!accept(r, close)) {
		do {
			if (j->type == JSON_OBJECT) {
				key = parse_string(r);
				if (!key)
					return NULL;
				if (json_get(j, key))
					fail(r, "name twice");
				if (!accept(r, ':'))
					fail(r, "':' expected");
			}
			*tail = r->failed ? NULL : parse_value(r);
			if (!*tail) {
				free(key);
				return NULL;
			}
			(*tail)->key = key;
			key = NULL;
			tail = &(*tail)->next;
		} while (accept(r, ','));
		if (!accept(r, close))
			return fail(r, "',' or closing bracket expected");
	}
	r->depth--;
	return j;
}

static struct json *parse_word(struct reader *r, struct json *j)
{
	static const struct {
		const char *word;
		enum json_type type;
		bool truth;
	} words[] = {
		{ "null", JSON_NULL, false },
		{ "true", JSON_BOOL, true },
		{ "false", JSON_BOOL, false },
	};
	size_t i, len;

	for (i = 0; i < 3; i++) {
		len = strlen(words[i].word);
		if ((size_t)(r->end - r->p) >= len &&
		    !memcmp(r->p, words[i].word, len)) {
			r->p += len;
			j->type = words[i].type;
			j->truth = words[i].truth;
			return j;
		}
	}
	return fail(r, "value expected");
}

static struct json *parse_number(struct reader *r, struct json *j)
{
	const char *start = r->p;
	char *end;

	j->type = JSON_NUMBER;
	strtod(start, &end);
	if (end == start)
		return fail(r, "number expected");
	r->p = end;
	j->text = xcalloc((size_t)(end - start) + 1);
	memcpy(j->text, start, (size_t)(end - start));
	return j;
}

static struct json *parse_value(struct reader *r)
{
	struct json *j = xcalloc(sizeof(*j));
	struct json *ok;
	int c = peek(r);

	if (c == '{' || c == '[') {
		r->p++;
		j->type = c == '{' ? JSON_OBJECT : JSON_ARRAY;
		ok = parse_members(r, j, c == '{' ? '}' : ']');
	} else if (c == '"') {
		j->type = JSON_STRING;
		j->text = parse_string(r);
		ok = j->text ? j : NULL;
	} else if (c == '-' || isdigit(c)) {
		ok = parse_number(r, j);
	} else {
		ok = parse_word(r, j);
	}
	if (!ok)
		json_free(j);
	return ok;
}

static char *slurp(const char *file, size_t *len)
{
	FILE *f = fopen(file, "rb");
	size_t room = 1 << 16;
	char *buf = xcalloc(room);
	size_t n;

	*len = 0;
	if (!f) {
		perror(file);
		free(buf);
		return NULL;
	}
	while ((n = fread(buf + *len, 1, room - *len - 1, f)) > 0) {
		*len += n;
		if (room - *len < 2) {
			room *= 2;
			buf = realloc(buf, room);
			if (!buf) {
				perror("realloc");
				exit(2);
			}
		}
	}
	fclose(f);
	buf[*len] = '\0';
	return buf;
}

struct json *json_load(const char *file)
{
	struct reader r = { .file = file, .line = 1 };
	struct json *j = NULL;
	size_t len;
	char *buf = slurp(file, &len);

	if (!buf)
		return NULL;
	r.p = buf;
	r.end = buf + len;
	j = parse_value(&r);
	if (j && peek(&r) >= 0) {
		fail(&r, "text after the value");
		json_free(j);
		j = NULL;
	}
	free(buf);
	return j;
}

void json_free(struct json *j)
{
	struct json *next;

	for (; j; j = next) {
		next = j->next;
		json_free(j->child);
		free(j->key);
		free(j->text);
		free(j);
	}
}

const struct json *json_get(const struct json *object, const char *key)
{
	const struct json *m;

	if (!object || object->type != JSON_OBJECT)
		return NULL;
	for (m = object->child; m; m = m->next)
		if (m->key && !strcmp(m->key, key))
			return m;
	return NULL;
}

size_t json_count(const struct json *j)
{
	const struct json *m;
	size_t n = 0;

	for (m = j->child; m; m = m->next)
		n++;
	return n;
}
