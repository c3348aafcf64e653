// SPDX-License-Identifier: GPL-2.0
/* Numbers as people write them, and nothing else that strtoull() would take */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define DECIMAL	"0123456789"
#define HEX	DECIMAL "abcdefABCDEF"

/* The end of the digits; NULL if there are none, or too many to be a number */
static const char *read_digits(const char *text, uint64_t *value)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = text + (hex ? 2 : 0);
	size_t n = strspn(digits, hex ? HEX : DECIMAL);

	if (!n)
		return NULL;
	errno = 0;
	*value = strtoull(digits, NULL, hex ? 16 : 10);
	if (errno)
		*value = UINT64_MAX;
	return digits + n;
}

static int bad_number(int error)
{
	errno = error;
	return -1;
}

/* Decimal, or hexadecimal with 0x, up to @max */
int libuet__number(const char *text, uint64_t max, uint64_t *value)
{
	const char *end = read_digits(text, value);

	if (!end || *end)
		return bad_number(EINVAL);
	return *value > max ? bad_number(ERANGE) : 0;
}

/* The same with k, m or g for 2^10, 2^20 or 2^30 */
int libuet__size(const char *text, uint64_t max, uint64_t *value)
{
	static const char units[] = "kKmMgG";
	const char *end = read_digits(text, value), *unit;
	unsigned int shift;

	if (!end)
		return bad_number(EINVAL);
	if (*end) {
		unit = strchr(units, *end);
		if (!unit || end[1])
			return bad_number(EINVAL);
		shift = ((unit - units) / 2 + 1) * 10;
		if (*value > UINT64_MAX >> shift)
			return bad_number(ERANGE);
		*value <<= shift;
	}
	return *value > max ? bad_number(ERANGE) : 0;
}
