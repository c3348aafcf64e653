// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses: what is read, what is refused, that nothing is lost on the way to
 * text and back, and that no text does harm.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../internal.h"
#include "unit.h"

/* As the reader of a test sees an address: all that format() says, or an errno */
static const char *read_as(const char *text, const struct sockaddr_uet *base)
{
	static char buf[LIBUET_URI_SIZE];
	struct sockaddr_uet sa;

	if (libuet_parse(text, base, &sa))
		return libuet_errno_name(errno);
	if (libuet_format(&sa, buf, sizeof(buf)) < 0)
		return "format() failed";
	return buf;
}

static const struct {
	const char *text, *means;
} cases[] = {
	{ "uet://10.0.0.1/7/100/5", "uet://10.0.0.1/7/100/5" },
	{ "uet://10.0.0.1/7/100", "uet://10.0.0.1/7/100/0" },
	{ "uet://10.0.0.1/7", "uet://10.0.0.1/7/0/0" },
	{ "uet://10.0.0.1", "uet://10.0.0.1/0/0/0" },
	{ "uet://10.0.0.1/", "uet://10.0.0.1/0/0/0" },
	{ "uet://10.0.0.1//100", "uet://10.0.0.1/0/100/0" },
	{ "uet://10.0.0.1///3", "uet://10.0.0.1/0/0/3" },
	{ "UET://10.0.0.1/1/2/3", "uet://10.0.0.1/1/2/3" },
	{ "uet://[fd00::1]/1/2/3", "uet://[fd00::1]/1/2/3" },
	{ "uet://fd00::1/1/2/3", "uet://[fd00::1]/1/2/3" },
	{ "uet://[FD00:0::1]/1/2/3", "uet://[fd00::1]/1/2/3" },
	{ "uet://[fe80::1%lo]/0/100", "uet://[fe80::1%lo]/0/100/0" },
	{ "fe80::1%lo/100", "uet://[fe80::1%lo]/0/100/0" },
	{ "uet://[fe80::1%4000000]/0/100", "uet://[fe80::1%4000000]/0/100/0" },
	{ "uet://[::ffff:10.0.0.1]/0/100", "uet://10.0.0.1/0/100/0" },
	{ "uet:///7/100", "uet://[::]/7/100/0" },
	{ "uet://any/7/100", "uet://[::]/7/100/0" },
	{ "uet://", "uet://[::]/0/0/0" },
	{ "uet://0.0.0.0/0/1", "uet://0.0.0.0/0/1/0" },
	{ "10.0.0.1/100", "uet://10.0.0.1/0/100/0" },
	{ "10.0.0.1/100/5", "uet://10.0.0.1/0/100/5" },
	{ "fd00::1/100/5", "uet://[fd00::1]/0/100/5" },
	{ "[fd00::1]/100/5", "uet://[fd00::1]/0/100/5" },
	{ "any/100", "uet://[::]/0/100/0" },
	{ "/100", "uet://[::]/0/100/0" },
	{ "", "uet://[::]/0/0/0" },
	{ "10.0.0.1/0x64/0X5", "uet://10.0.0.1/0/100/5" },
	{ "10.0.0.1/0100", "uet://10.0.0.1/0/100/0" },
	{ "uet://10.0.0.1/16777215/4095/4095",
	  "uet://10.0.0.1/16777215/4095/4095" },
	{ "uet://10.0.0.1/1/2/3?absolute", "uet://10.0.0.1/1/2/3?absolute" },
	{ "uet://10.0.0.1?absolute", "uet://10.0.0.1/0/0/0?absolute" },
	{ "10.0.0.1/2?initiator=0x1000000",
	  "uet://10.0.0.1/0/2/0?initiator=0x1000000" },
	{ "10.0.0.1/2?absolute&initiator=4294967295",
	  "uet://10.0.0.1/0/2/0?absolute&initiator=0xffffffff" },
	/* Too large */
	{ "uet://10.0.0.1/16777216", "ERANGE" },
	{ "10.0.0.1/4096", "ERANGE" },
	{ "10.0.0.1/1/4096", "ERANGE" },
	{ "10.0.0.1/999999999999999", "ERANGE" },
	{ "10.0.0.1/1?initiator=0xffffff", "ERANGE" },
	{ "10.0.0.1/1?initiator=0x100000000", "ERANGE" },
	/* Malformed */
	{ "10.0.0.1/1/2/3", "EINVAL" },
	{ "uet://10.0.0.1/1/2/3/4", "EINVAL" },
	{ "10.0.0/1", "EINVAL" },
	{ "10.0.0.256/1", "EINVAL" },
	{ "10.0.0.1 /1", "EINVAL" },
	{ "10.0.0.1/ 1", "EINVAL" },
	{ "10.0.0.1/+1", "EINVAL" },
	{ "10.0.0.1/-1", "EINVAL" },
	{ "10.0.0.1/1x", "EINVAL" },
	{ "10.0.0.1/0x", "EINVAL" },
	{ "10.0.0.1/0x-1", "EINVAL" },
	{ "10.0.0.1/1\n", "EINVAL" },
	{ "10.0.0.1%lo/1", "EINVAL" },
	{ "[10.0.0.1]/1", "EINVAL" },
	{ "[fd00::1/1", "EINVAL" },
	{ "[fd00::1]x/1", "EINVAL" },
	{ "[]/1", "EINVAL" },
	{ "fd00::1]/1", "EINVAL" },
	{ "%lo/1", "EINVAL" },
	{ "uet:/10.0.0.1/1/2", "EINVAL" },
	{ "http://10.0.0.1/1/2", "EINVAL" },
	{ "somehost/1", "EINVAL" },
	{ "10.0.0.1/echo", "EINVAL" },
	{ "10.0.0.1/1?", "EINVAL" },
	{ "10.0.0.1/1?absolute&", "EINVAL" },
	{ "10.0.0.1/1?absolut", "EINVAL" },
	{ "10.0.0.1/1?absolutely", "EINVAL" },
	{ "10.0.0.1/1?initiator=", "EINVAL" },
	{ "10.0.0.1/1?initiator", "EINVAL" },
	{ "10.0.0.1/1?initiator=11111111111111111", "EINVAL" },
	{ "fe80::1%nosuchdevice/1", "ENODEV" },
	{ "fe80::1%0/1", "ENODEV" },
	{ "fe80::1%/1", "ENODEV" },
};

static void test_cases(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *got = read_as(cases[i].text, NULL);

		ok(!strcmp(got, cases[i].means), "\"%.*s\" is %s (%s)",
		   (int)strcspn(cases[i].text, "\n"), cases[i].text,
		   cases[i].means, got);
	}
}

static void test_base(void)
{
	struct sockaddr_uet base;

	libuet_addr(&base, "10.9.9.9", 77, 88, 99);
	base.suet_initiator = 0x2000000;
	ok(!strcmp(read_as("uet://", &base),
		   "uet://10.9.9.9/77/88/99?initiator=0x2000000"),
	   "what is left out comes from the base");
	ok(!strcmp(read_as("10.0.0.1/1", &base),
		   "uet://10.0.0.1/77/1/99?initiator=0x2000000"),
	   "piece by piece");
	ok(!strcmp(read_as("uet://any/0/0/0", &base),
		   "uet://[::]/0/0/0?initiator=0x2000000"),
	   "\"any\" and 0 are not left out");
}

static void test_room(void)
{
	struct sockaddr_uet sa;
	char exact[sizeof("uet://10.0.0.1/7/100/5")];
	int n;

	libuet_addr(&sa, "10.0.0.1", 7, 100, 5);
	n = libuet_format(&sa, exact, sizeof(exact));
	ok(n == (int)sizeof(exact) - 1 && !exact[n], "room for it and no more");
	errno = 0;
	n = libuet_format(&sa, exact, sizeof(exact) - 1);
	ok(n == -1 && errno == ENOSPC, "one byte less: ENOSPC");
	ok(libuet_format(&sa, NULL, 0) == -1, "no room at all");
	memset(&sa, 0xff, sizeof(sa));
	sa.suet_addr.s6_addr[0] = 0x20;
	ok(libuet_format(&sa, (char[LIBUET_URI_SIZE]){}, LIBUET_URI_SIZE) > 0,
	   "the longest of all has room in LIBUET_URI_SIZE");
}

/* Any address that a socket may have */
static void random_address(struct sockaddr_uet *sa)
{
	memset(sa, 0, sizeof(*sa));
	sa->suet_family = libuet_family();
	sa->suet_flags = random() % 2 ? UET_ADDR_ABSOLUTE : 0;
	sa->suet_job = random() % (UET_JOB_MAX + 1);
	sa->suet_pid = random() % (UET_PID_MAX + 1);
	sa->suet_ri = random() % (UET_RI_MAX + 1);
	if (random() % 2)
		sa->suet_initiator = 0x1000000 + random();
	for (int i = 0; i < 16; i++)
		sa->suet_addr.s6_addr[i] = random() % 2 ? random() : 0;
	if (random() % 3 == 0) {
		memset(&sa->suet_addr, 0, 10);
		memset(sa->suet_addr.s6_addr + 10, 0xff, 2);
	} else if (random() % 3 == 0) {
		sa->suet_scope_id = random() % 5 ? 1 + random() : 1;
	}
}

static void test_round_trips(unsigned long rounds)
{
	struct sockaddr_uet sa, back;
	char text[LIBUET_URI_SIZE], again[LIBUET_URI_SIZE];
	unsigned long bad = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		random_address(&sa);
		if (libuet_format(&sa, text, sizeof(text)) < 0 ||
		    libuet_parse(text, NULL, &back) ||
		    memcmp(&sa, &back, sizeof(sa)) ||
		    libuet_format(&back, again, sizeof(again)) < 0 ||
		    strcmp(text, again)) {
			if (!bad++)
				printf("# %s\n", text);
		}
	}
	ok(!bad, "parse(format(x)) is x, format(parse(x)) is x (%lu times)",
	   rounds);
}

/* Text that is nearly an address; what is read must survive another turn */
static bool turn(const char *text)
{
	struct sockaddr_uet sa, back;
	char canon[LIBUET_URI_SIZE];

	if (libuet_parse(text, NULL, &sa))
		return errno == EINVAL || errno == ERANGE || errno == ENODEV;
	return sa.suet_job <= UET_JOB_MAX && sa.suet_pid <= UET_PID_MAX &&
	       sa.suet_ri <= UET_RI_MAX && !sa.suet_reserved &&
	       libuet_format(&sa, canon, sizeof(canon)) > 0 &&
	       !libuet_parse(canon, NULL, &back) &&
	       !memcmp(&sa, &back, sizeof(sa));
}

static void mutate(char *text, size_t *len, size_t room)
{
	static const char bits[] = "0123456789abcdefx:./[]%?&=-+ \n\xff";
	size_t at = *len ? random() % *len : 0;

	switch (random() % 3) {
	case 0:
		if (*len)
			text[at] = bits[random() % (sizeof(bits) - 1)];
		break;
	case 1:
		if (*len)
			memmove(text + at, text + at + 1, (*len)-- - at);
		break;
	default:
		if (*len + 1 >= room)
			break;
		memmove(text + at + 1, text + at, ++*len - at);
		text[at] = bits[random() % (sizeof(bits) - 1)];
	}
}

static void test_garbage(unsigned long rounds)
{
	unsigned long bad = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		const char *seed = cases[random() % ARRAY_SIZE(cases)].text;
		size_t len = strlen(seed), room = len + 9;
		char *text = malloc(room);	/* so that ASan sees its end */

		memcpy(text, seed, len + 1);
		for (int n = random() % 8; n >= 0; n--)
			mutate(text, &len, room);
		if (!turn(text) && !bad++)
			printf("# \"%s\"\n", text);
		free(text);
	}
	ok(!bad, "nothing that is nearly an address does harm (%lu times)",
	   rounds);
}

static void test_long(void)
{
	static const char * const starts[] = {
		"", "uet://", "uet://[", "[", "10.0.0.1/", "10.0.0.1/1/",
		"uet://10.0.0.1/", "10.0.0.1/1?", "10.0.0.1/1?initiator=",
		"fe80::1%", "uet://[fe80::1%",
	};
	static const char fill[] = "1a:./%?&[]";
	size_t room = 1 << 20;
	char *text = malloc(room);
	bool good = true;

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		for (const char *f = fill; *f; f++)
			for (size_t n = 1; n < room; n = n * 3 + 1) {
				size_t len = strlen(starts[i]);

				if (n < len)
					continue;
				memset(text, *f, n);
				memcpy(text, starts[i], len);
				text[n] = 0;
				good &= turn(text);
			}
	free(text);
	ok(good, "nor does what is too long");
}

void test_addresses(unsigned long rounds)
{
	test_cases();
	test_base();
	test_room();
	test_round_trips(rounds);
	test_garbage(rounds);
	test_long();
}
