// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>

#include "utf8.h"

/**
 * utf8_length() - bytes of a character
 * @s: text, ended by zero
 *
 * Return: length of the UTF-8 character that begins there, 0 if there is none.
 */
size_t utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char mask, lead, len;
		uint32_t least;
	} forms[] = {
		{ 0x80, 0x00, 1, 1 }, { 0xe0, 0xc0, 2, 0x80 },
		{ 0xf0, 0xe0, 3, 0x800 }, { 0xf8, 0xf0, 4, 0x10000 },
	};
	uint32_t c;
	size_t f, i;

	for (f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
		if ((s[0] & forms[f].mask) != forms[f].lead)
			continue;
		c = s[0] & ~forms[f].mask;
		for (i = 1; i < forms[f].len; i++) {
			if ((s[i] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (s[i] & 0x3f);
		}
		if (c < forms[f].least || c > 0x10ffff ||
		    (c >= 0xd800 && c < 0xe000))
			return 0;
		return forms[f].len;
	}
	return 0;
}

/**
 * utf8_is_control() - whether a terminal obeys a character instead of showing it
 * @s: the character
 * @len: its bytes, as utf8_length() has them
 */
bool utf8_is_control(const unsigned char *s, size_t len)
{
	/* Beside those of ASCII there are U+0080 to U+009F */
	return len == 1 ? *s < 0x20 || *s == 0x7f :
	       len == 2 && s[0] == 0xc2 && s[1] < 0xa0;
}
