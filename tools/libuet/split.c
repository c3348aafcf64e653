// SPDX-License-Identifier: GPL-2.0
/*
 * An address as text, taken to pieces:
 *
 *	uet://HOST/JOB/PID/RI?absolute&initiator=N	as a URI
 *	HOST/PID/RI?...					in short, within a job
 *
 * HOST may stand in brackets. Pieces may be empty, or left out at the end.
 *
 * Not here: what the pieces mean (addr.c, resolve.c).
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

#define SCHEME		"uet://"
#define SCHEME_LEN	(sizeof(SCHEME) - 1)
#define INITIATOR	"initiator="
#define INITIATOR_LEN	(sizeof(INITIATOR) - 1)

/* Without the controls and blanks that no piece has */
static bool clean(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f)
			return false;
	return true;
}

static bool copy(char *to, size_t room, const char *from, size_t len)
{
	if (len >= room || !clean(from, len))
		return false;
	memcpy(to, from, len);
	to[len] = 0;
	return true;
}

/* What follows the host; NULL if it is malformed */
static const char *take_host(const char *text, struct libuet__parts *parts)
{
	const char *end;

	if (*text != '[') {
		end = text + strcspn(text, "/?[]");
		return copy(parts->host, sizeof(parts->host), text,
			    end - text) ? end : NULL;
	}
	text++;
	end = strpbrk(text, "/?[]");
	if (!end || *end != ']' || end == text)
		return NULL;
	parts->bracketed = true;
	return copy(parts->host, sizeof(parts->host), text, end - text) ?
	       end + 1 : NULL;
}

/* One piece behind its slash; NULL if it is malformed */
static const char *take_piece(const char *text, char *to, size_t room)
{
	size_t len;

	if (*text != '/')
		return text;
	text++;
	len = strcspn(text, "/?");
	return copy(to, room, text, len) ? text + len : NULL;
}

static bool take_option(const char *text, size_t len,
			struct libuet__parts *parts)
{
	if (len == strlen("absolute") && !memcmp(text, "absolute", len)) {
		parts->absolute = true;
		return true;
	}
	return len > INITIATOR_LEN && !memcmp(text, INITIATOR, INITIATOR_LEN) &&
	       copy(parts->initiator, sizeof(parts->initiator),
		    text + INITIATOR_LEN, len - INITIATOR_LEN);
}

static bool take_options(const char *text, struct libuet__parts *parts)
{
	while (*text) {
		size_t len = strcspn(++text, "&");

		if (!take_option(text, len, parts))
			return false;
		text += len;
	}
	return true;
}

static bool split(const char *text, struct libuet__parts *parts)
{
	bool uri = !strncasecmp(text, SCHEME, SCHEME_LEN);

	text = take_host(text + (uri ? SCHEME_LEN : 0), parts);
	if (text && uri)
		text = take_piece(text, parts->job, sizeof(parts->job));
	if (text)
		text = take_piece(text, parts->pid, sizeof(parts->pid));
	if (text)
		text = take_piece(text, parts->ri, sizeof(parts->ri));
	return text && (!*text || *text == '?') && take_options(text, parts);
}

int libuet__split(const char *text, struct libuet__parts *parts)
{
	memset(parts, 0, sizeof(*parts));
	if (split(text, parts))
		return 0;
	errno = EINVAL;
	return -1;
}
