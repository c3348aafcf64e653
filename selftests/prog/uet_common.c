// SPDX-License-Identifier: GPL-2.0
/* Addresses, message content, sizes and KTAP lines for the test programs. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "uet_common.h"

#define GOLDEN	0x9e3779b97f4a7c15ULL

static unsigned int ktap_passed, ktap_failed, ktap_skipped;

/* --- content -------------------------------------------------------- */

uint64_t pattern_seed(uint32_t sender, uint64_t seq)
{
	uint64_t x = ((uint64_t)sender << 40) ^ seq;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	return x ^ (x >> 27) ^ GOLDEN;
}

static uint64_t pattern_word(uint64_t seed, uint64_t index)
{
	return seed + index * GOLDEN;
}

static uint8_t pattern_byte(uint64_t seed, uint64_t off)
{
	uint64_t word = pattern_word(seed, off / 8);
	uint8_t bytes[8];

	memcpy(bytes, &word, 8);
	return bytes[off % 8];
}

void pattern_fill(void *buf, size_t len, uint64_t seed, uint64_t off)
{
	uint8_t *p = buf;
	size_t i = 0;

	off %= PATTERN_PERIOD;
	while (i < len) {
		if (off % 8 == 0 && len - i >= 8) {
			uint64_t word = pattern_word(seed, off / 8);

			memcpy(p + i, &word, 8);
			i += 8;
			off += 8;
		} else {
			p[i++] = pattern_byte(seed, off++);
		}
		if (off == PATTERN_PERIOD)
			off = 0;
	}
}

void pattern_check(struct check *c, const void *buf, size_t len, uint64_t off)
{
	const uint8_t *p = buf;
	uint64_t at = off % PATTERN_PERIOD;
	size_t i = 0;

	while (i < len) {
		if (at % 8 == 0 && len - i >= 8) {
			uint64_t word;

			memcpy(&word, p + i, 8);
			if (word == pattern_word(c->seed, at / 8)) {
				i += 8;
				at += 8;
				if (at == PATTERN_PERIOD)
					at = 0;
				continue;
			}
		}
		if (p[i] != pattern_byte(c->seed, at)) {
			if (!c->bad_bytes)
				c->first_bad = off + i;
			c->bad_bytes++;
		}
		i++;
		if (++at == PATTERN_PERIOD)
			at = 0;
	}
}

/* Messages too short for a header follow from their own first byte */
uint8_t short_byte(uint8_t first, size_t i)
{
	return first + 7 * i;
}

/* --- addresses and sockets ------------------------------------------- */

void uet_addr(struct sockaddr_uet *sa, const char *addr, uint32_t job,
	      uint16_t pid, uint16_t ri)
{
	if (libuet_addr(sa, addr, job, pid, ri))
		die("bad address: %s", addr);
}

int uet_socket(const struct libuet_sock *how)
{
	const char *step;
	int fd = libuet_open(how, &step);

	if (fd < 0)
		die("%s: %s", step, strerror(errno));
	return fd;
}

void uet_endpoint(struct sockaddr_uet *sa, const char *text, uint32_t job)
{
	const struct sockaddr_uet base = { .suet_job = job };

	if (libuet_parse(text, &base, sa))
		die("bad endpoint %s: %s", text, strerror(errno));
}

void uet_option(struct libuet_sock *how, const char *name, const char *value)
{
	if (libuet_sock_set(how, name, value))
		die("bad %s %s: %s", name, value, strerror(errno));
}

/* --- numbers --------------------------------------------------------- */

uint64_t parse_size(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 0);

	switch (*end) {
	case 'k': case 'K':
		n <<= 10;
		end++;
		break;
	case 'm': case 'M':
		n <<= 20;
		end++;
		break;
	case 'g': case 'G':
		n <<= 30;
		end++;
		break;
	}
	if (end == text || *end)
		die("bad size: %s", text);
	return n;
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

/* --- KTAP ------------------------------------------------------------ */

void ktap_begin(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n");
}

bool result(bool ok, const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	if (ok)
		ktap_passed++;
	else
		ktap_failed++;
	printf("%s %u ", ok ? "ok" : "not ok",
	       ktap_passed + ktap_failed + ktap_skipped);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	if (!ok)
		printf("# errno was %d (%s)\n", err, strerror(err));
	errno = err;
	return ok;
}

void skip(const char *name, const char *why)
{
	ktap_skipped++;
	printf("ok %u %s # SKIP %s\n",
	       ktap_passed + ktap_failed + ktap_skipped, name, why);
}

void note(const char *fmt, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

int ktap_finish(void)
{
	printf("1..%u\n", ktap_passed + ktap_failed + ktap_skipped);
	printf("# passed %u, failed %u, skipped %u\n", ktap_passed,
	       ktap_failed, ktap_skipped);
	return ktap_failed != 0;
}
