/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the programs of the selftests: addresses, message content that
 * can be checked at any offset, time, and KTAP lines.
 */
#ifndef UET_COMMON_H
#define UET_COMMON_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stddef.h>
#include <sys/socket.h>
#include <linux/uet.h>

/*
 * Content. A message of at least UET_HDR_LEN bytes starts with a header that
 * names it; the rest, and shorter messages whole, follow from a seed and the
 * offset, so a byte out of place is found wherever it lies. The pattern
 * repeats after PATTERN_PERIOD bytes, which no packet size divides: long
 * messages are sent from one such buffer.
 */
#define UET_HDR_MAGIC		0x55455431U
#define UET_HDR_LEN		24U
#define PATTERN_PERIOD		(4 * 1024 * 1024 + 24)

struct msg_hdr {
	uint32_t	magic;
	uint32_t	sender;
	uint64_t	seq;
	uint64_t	len;
};

/* Errors of a checker; it goes on counting after the first */
struct check {
	uint64_t	seed;
	uint64_t	bad_bytes;
	int64_t		first_bad;
};

uint64_t pattern_seed(uint32_t sender, uint64_t seq);
void pattern_fill(void *buf, size_t len, uint64_t seed, uint64_t off);
void pattern_check(struct check *c, const void *buf, size_t len, uint64_t off);
uint8_t short_byte(uint8_t first, size_t i);

/* Addresses: "10.0.0.1" or "fd00::1", "" or "any" for any */
int parse_addr(const char *text, struct in6_addr *addr);
void uet_addr(struct sockaddr_uet *sa, const char *addr, uint32_t job,
	      uint16_t pid, uint16_t ri);
void bind_to_device(int fd, const char *device);
int uet_family(void);

uint64_t now_ns(void);
uint64_t parse_size(const char *text);

/* KTAP of a C test: result() counts, finish() prints the plan */
void ktap_begin(void);
bool result(bool ok, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void skip(const char *name, const char *why);
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int ktap_finish(void);

void die(const char *fmt, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

#endif /* UET_COMMON_H */
