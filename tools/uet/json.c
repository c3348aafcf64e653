// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "utf8.h"

static void line(struct json *j)
{
	unsigned int i;

	if (!j->pretty)
		return;
	putc('\n', j->to);
	for (i = 0; i < j->depth; i++)
		fputs("    ", j->to);
}

static void quoted(struct json *j, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len;

	putc('"', j->to);
	for (; *s; s += len ? len : 1) {
		len = utf8_length(s);
		if (!len)
			fputs("\\ufffd", j->to);
		else if (utf8_is_control(s, len))
			fprintf(j->to, "\\u%04x", s[len - 1]);
		else if (*s == '"' || *s == '\\')
			fprintf(j->to, "\\%c", *s);
		else
			fwrite(s, 1, len, j->to);
	}
	putc('"', j->to);
}

/**
 * json_item() - begin an item of an array; a value follows
 */
void json_item(struct json *j)
{
	if (j->comma)
		putc(',', j->to);
	if (j->depth)
		line(j);
	j->comma = true;
}

/**
 * json_key() - begin a member of an object, or with no key an item of an array; a value
 * follows
 */
void json_key(struct json *j, const char *key)
{
	json_item(j);
	if (key) {
		quoted(j, key);
		fputs(j->pretty ? ": " : ":", j->to);
	}
	j->comma = false;
}

void json_open(struct json *j, const char *key, char bracket)
{
	if (key)
		json_key(j, key);
	else
		json_item(j);
	putc(bracket, j->to);
	j->depth++;
	j->comma = false;
}

void json_close(struct json *j, char bracket)
{
	bool empty = !j->comma;

	j->depth--;
	if (!empty)
		line(j);
	putc(bracket, j->to);
	j->comma = true;
	if (!j->depth) {
		putc('\n', j->to);
		j->comma = false;
	}
}

void json_string(struct json *j, const char *s)
{
	quoted(j, s);
	j->comma = true;
}

void json_unsigned(struct json *j, uint64_t v)
{
	fprintf(j->to, "%" PRIu64, v);
	j->comma = true;
}

void json_signed(struct json *j, int64_t v)
{
	fprintf(j->to, "%" PRId64, v);
	j->comma = true;
}

void json_real(struct json *j, double v)
{
	if (isfinite(v))
		fprintf(j->to, "%.3f", v);
	else
		fputs("null", j->to);
	j->comma = true;
}

void json_bool(struct json *j, bool v)
{
	fputs(v ? "true" : "false", j->to);
	j->comma = true;
}
