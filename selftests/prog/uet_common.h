/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the programs of the selftests: message content that can be checked
 * at any offset, KTAP lines, and calls of libuet that end the program if they
 * fail.
 */
#ifndef UET_COMMON_H
#define UET_COMMON_H

#include <stdio.h>

#include <host.h>
#include <libuet.h>

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

/* libuet_addr(), libuet_open(), libuet_parse(), libuet_sock_set() */
void uet_addr(struct sockaddr_uet *sa, const char *addr, uint32_t job,
	      uint16_t pid, uint16_t ri);
int uet_socket(const struct libuet_sock *how);
/* ADDR/PID[/RI] in a job, or an address of its own job: uet://... */
void uet_endpoint(struct sockaddr_uet *sa, const char *text, uint32_t job);
void uet_option(struct libuet_sock *how, const char *name, const char *value);

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
