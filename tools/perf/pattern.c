// SPDX-License-Identifier: GPL-2.0
/* Contents of data messages that their reader can check */
#include <string.h>

#include "wire.h"

/*
 * Each word tells the test, the message and its place in it, so that bytes of
 * another message, or of another place in this one, are found too.
 */
static uint64_t pattern_word(uint64_t seed, uint64_t seq, uint64_t n)
{
	return (seed ^ seq * 0xff51afd7ed558ccdULL) + n * 0x9e3779b97f4a7c15ULL;
}

/**
 * pattern_fill() - make the contents of a message
 * @buf: gets them
 * @len: its length
 * @seed: of the test
 * @seq: number of the message
 */
void pattern_fill(void *buf, size_t len, uint64_t seed, uint64_t seq)
{
	char *to = buf;
	size_t i;

	for (i = 0; i < len; i += 8) {
		uint64_t word = pattern_word(seed, seq, i / 8);

		memcpy(to + i, &word, len - i < 8 ? len - i : 8);
	}
}

/**
 * pattern_check() - check a part of a message
 * @buf: the part
 * @len: its length
 * @offset: of its first byte in the message
 * @seed: of the test
 * @seq: number of the message
 *
 * Return: bytes that are right before the first one that is wrong; @len if none is.
 */
size_t pattern_check(const void *buf, size_t len, size_t offset, uint64_t seed,
		     uint64_t seq)
{
	const unsigned char *at = buf;
	uint64_t word = 0;
	size_t i;

	for (i = 0; i < len; i++, offset++) {
		if (!i || offset % 8 == 0) {
			word = pattern_word(seed, seq, offset / 8);
			if (offset % 8 == 0 && len - i >= 8 &&
			    !memcmp(at + i, &word, 8)) {
				i += 7;
				offset += 7;
				continue;
			}
		}
		if (at[i] != ((unsigned char *)&word)[offset % 8])
			break;
	}
	return i;
}
