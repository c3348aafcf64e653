// SPDX-License-Identifier: GPL-2.0
/* Messages of both sides, and the contents that the server can check */
#include <string.h>
#include <time.h>

#include "wire.h"

uint64_t wire_tag(enum wire_kind kind, uint32_t test)
{
	return (uint64_t)kind << 32 | test;
}

enum wire_kind wire_kind(uint64_t tag)
{
	return tag >> 32;
}

uint32_t wire_test(uint64_t tag)
{
	return tag;
}

/**
 * wire_send() - send a message of the protocol
 * @fd: socket
 * @to: where to, or NULL if the socket is connected
 * @delivery: enum uet_delivery
 * @tag: wire_tag()
 * @seq: its number
 * @data: payload
 * @len: length of that
 * @flags: of sendmsg()
 *
 * Return: as libuet_sendmsg().
 */
ssize_t wire_send(int fd, const struct sockaddr_uet *to, int delivery,
		  uint64_t tag, uint64_t seq, const void *data, size_t len,
		  int flags)
{
	const struct libuet_attrs attrs = {
		.has = LIBUET_TAG | LIBUET_HEADER_DATA | LIBUET_DELIVERY,
		.tag = tag, .header_data = seq, .delivery = delivery,
	};
	struct iovec iov = { (void *)data, len };

	return libuet_sendmsg(fd, &iov, 1, to, &attrs, flags | MSG_NOSIGNAL);
}

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

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}
