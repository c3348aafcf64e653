// SPDX-License-Identifier: GPL-2.0
/*
 * Whether text is JSON, as RFC 8259 has it.
 */
#include <ctype.h>
#include <string.h>

#include "../utf8.h"
#include "json_check.h"

/* Each returns what follows, or NULL */
static const char *value(const char *s);

static const char *space(const char *s)
{
	while (*s && strchr(" \t\r\n", *s))
		s++;
	return s;
}

static const char *escaped(const char *s)
{
	int i;

	if (*s != 'u')
		return *s && strchr("\"\\/bfnrt", *s) ? s + 1 : NULL;
	for (i = 1; i <= 4; i++)
		if (!isxdigit((unsigned char)s[i]))
			return NULL;
	return s + 5;
}

static const char *string(const char *s)
{
	size_t len;

	if (*s++ != '"')
		return NULL;
	while (*s != '"') {
		if (*s == '\\') {
			s = escaped(s + 1);
			if (!s)
				return NULL;
			continue;
		}
		len = utf8_length((const unsigned char *)s);
		if (!len || utf8_is_control((const unsigned char *)s, len))
			return NULL;
		s += len;
	}
	return s + 1;
}

static const char *digits(const char *s)
{
	if (!isdigit((unsigned char)*s))
		return NULL;
	while (isdigit((unsigned char)*s))
		s++;
	return s;
}

static const char *number(const char *s)
{
	s += *s == '-';
	if (*s == '0' && isdigit((unsigned char)s[1]))
		return NULL;
	s = digits(s);
	return s && *s == '.' ? digits(s + 1) : s;
}

/* Members or items, up to the bracket that closes */
static const char *list(const char *s, char close)
{
	s = space(s + 1);
	if (*s == close)
		return s + 1;
	for (;;) {
		if (close == '}') {
			s = string(space(s));
			if (!s)
				return NULL;
			s = space(s);
			if (*s++ != ':')
				return NULL;
		}
		s = value(s);
		if (!s)
			return NULL;
		s = space(s);
		if (*s == close)
			return s + 1;
		if (*s++ != ',')
			return NULL;
	}
}

static const char *value(const char *s)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t i;

	s = space(s);
	if (*s == '{')
		return list(s, '}');
	if (*s == '[')
		return list(s, ']');
	if (*s == '"')
		return string(s);
	for (i = 0; i < 3; i++)
		if (!strncmp(s, words[i], strlen(words[i])))
			return s + strlen(words[i]);
	return number(s);
}

/**
 * json_documents() - whether text is documents of JSON, one after the other
 * @text: text
 * @n: set to how many there are
 */
bool json_documents(const char *text, int *n)
{
	const char *s;

	*n = 0;
	for (s = space(text); s && *s; s = s ? space(s) : NULL) {
		s = value(s);
		if (s)
			++*n;
	}
	return s;
}
