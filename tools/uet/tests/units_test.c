// SPDX-License-Identifier: GPL-2.0
/*
 * What is read as a number, an interval, a quantity or an address, and how they are
 * shown.
 */
#include <stdio.h>
#include <string.h>

#include "../../libuet/tests/ktap.h"
#include "../addr.h"
#include "../units.h"

int ktap_number, ktap_failed;

static int wrong;

#define expect(_cond, ...)						\
	do {								\
		if (!(_cond)) {						\
			wrong++;					\
			printf("# line %d: ", __LINE__);		\
			printf(__VA_ARGS__);				\
			putchar('\n');					\
		}							\
	} while (0)

#define N_ELEM(_a)	(sizeof(_a) / sizeof((_a)[0]))

static void numbers(void)
{
	static const char *const bad[] = {
		"", " 1", "1 ", "-1", "+1", "x", "0x", "1x", "1e3", "256",
		"18446744073709551616", "0x10000000000000000",
	};
	uint64_t v;
	size_t i;

	for (i = 0; i < N_ELEM(bad); i++)
		expect(!number_parse(bad[i], 255, &v), "\"%s\" is a number", bad[i]);
	expect(number_parse("255", 255, &v) && v == 255, "255");
	expect(number_parse("0xfF", 255, &v) && v == 255, "0xfF");
	expect(number_parse("010", 255, &v) && v == 10, "010 is decimal");
	expect(number_parse("18446744073709551615", UINT64_MAX, &v) &&
	       v == UINT64_MAX, "the largest");
}

static void intervals(void)
{
	static const char *const bad[] = {
		"", "0", "-1", "nan", "inf", "1e999", "0.009", "86401", "9ms", "1x", "1ss",
	};
	double s;
	size_t i;

	for (i = 0; i < N_ELEM(bad); i++)
		expect(!seconds_parse(bad[i], &s), "\"%s\" is an interval", bad[i]);
	expect(seconds_parse(".5", &s) && s == 0.5, ".5");
	expect(seconds_parse("2s", &s) && s == 2, "2s");
	expect(seconds_parse("250ms", &s) && s == 0.25, "250ms");
	expect(seconds_parse("1h", &s) && s == 3600, "1h");
}

static void quantities(void)
{
	static const struct {
		const char *text, *unit;
		int64_t value;
	} good[] = {
		{ "8us", "microseconds", 8 }, { "5ms", "microseconds", 5000 },
		{ "0.5ms", "us", 0 }, { "1.5s", "milliseconds", 1500 },
		{ "2m", "seconds", 120 }, { "1h", "seconds", 3600 },
		{ "4000ns", "microseconds", 4 }, { "7", "microseconds", 7 },
		{ "100us", "nanoseconds", 100000 },
		{ "-1", "", -1 }, { "0x10", "bytes", 16 }, { "4k", "bytes", 4096 },
		{ "1MiB", "bytes", 1 << 20 }, { "1MB", "bytes", 1000000 },
		{ "0.5k", "bytes", 512 }, { "10Gbit", "megabits per second", 10000 },
		{ "50%", "percent", 50 }, { "on", "boolean", 1 },
		{ "off", "boolean", 0 }, { "true", "boolean", 1 },
		{ "no", "boolean", 0 }, { "9223372036854775807", "bytes", INT64_MAX },
	};
	static const struct {
		const char *text, *unit;
	} bad[] = {
		{ "", "bytes" }, { "x", "bytes" }, { "1x", "bytes" },
		{ "0.5us", "microseconds" }, { "1k", "microseconds" },
		{ "1us", "bytes" }, { "on", "bytes" }, { "nan", "bytes" },
		{ "1e400k", "bytes" }, { "9223372036854775808", "bytes" },
		{ "99999999999g", "bytes" }, { "1 k", "bytes" }, { "-", "bytes" },
		{ "50%", "bytes" }, { "0.5%", "percent" }, { "1kk", "bytes" },
	};
	int64_t v;
	size_t i;

	for (i = 0; i < N_ELEM(good); i++) {
		bool unit_known = strcmp(good[i].unit, "us");
		bool ok = quantity_parse(good[i].text, good[i].unit, &v);

		if (unit_known)
			expect(ok && v == good[i].value, "\"%s\" of %s is %lld",
			       good[i].text, good[i].unit, ok ? (long long)v : -99LL);
		else
			expect(!ok, "%s is a unit", good[i].unit);
	}
	for (i = 0; i < N_ELEM(bad); i++)
		expect(!quantity_parse(bad[i].text, bad[i].unit, &v),
		       "\"%s\" of %s is %lld", bad[i].text, bad[i].unit,
		       (long long)v);
}

static void texts(void)
{
	char buf[UNIT_TEXT];

#define shows(_call, _text)						\
	do {								\
		_call;							\
		expect(!strcmp(buf, _text), "%s, not %s", buf, _text);	\
	} while (0)
	shows(bytes_text(0, buf, sizeof(buf)), "0B");
	shows(bytes_text(1023, buf, sizeof(buf)), "1023B");
	shows(bytes_text(1536, buf, sizeof(buf)), "1.50KiB");
	shows(bytes_text(-2048, buf, sizeof(buf)), "-2.00KiB");
	shows(bytes_text(100 << 20, buf, sizeof(buf)), "100MiB");
	shows(rate_text(2.5e9, buf, sizeof(buf)), "2.50Gbit");
	shows(ns_text(999, buf, sizeof(buf)), "999ns");
	shows(ns_text(12345678, buf, sizeof(buf)), "12.3ms");
	shows(ns_text(121000000000, buf, sizeof(buf)), "2m01s");
	shows(ns_text(7260000000000, buf, sizeof(buf)), "2h01m");
	shows(ns_text(180000000000000, buf, sizeof(buf)), "2d02h");
#undef shows
}

static void prefixes(void)
{
	static const char *const same[] = {
		"10.0.0.0/8", "10.1.2.3", "fd00::/64", "fd00::1", "::/0", "0.0.0.0/0",
		"::/96", "10.0.0.1/32",
	};
	static const char *const bad[] = {
		"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0/8",
		"10.0.0.0/8/8", "fd00::/-1", "x", "10.0.0.0/ 8",
	};
	struct in6_addr addr, other;
	char buf[ADDR_TEXT];
	uint8_t plen;
	size_t i;

	for (i = 0; i < N_ELEM(same); i++) {
		expect(prefix_parse(same[i], &addr, &plen), "%s", same[i]);
		prefix_text(&addr, plen, buf, sizeof(buf));
		expect(!strncmp(buf, same[i], strlen(buf)), "%s, not %s", buf, same[i]);
	}
	for (i = 0; i < N_ELEM(bad); i++)
		expect(!prefix_parse(bad[i], &addr, &plen), "\"%s\" is a prefix", bad[i]);
	prefix_parse("10.1.2.3/8", &addr, &plen);
	prefix_text(&addr, plen, buf, sizeof(buf));
	expect(!strcmp(buf, "10.0.0.0/8"), "%s", buf);
	addr_parse("10.255.0.1", &other);
	expect(prefix_has(&addr, plen, &other), "10.255.0.1 in 10/8");
	addr_parse("11.0.0.1", &other);
	expect(!prefix_has(&addr, plen, &other), "11.0.0.1 in 10/8");
	prefix_parse("default", &addr, &plen);
	expect(prefix_has(&addr, plen, &other), "11.0.0.1 in default");
	prefix_parse("fd00::/9", &addr, &plen);
	addr_parse("fd7f::1", &other);
	expect(prefix_has(&addr, plen, &other), "fd7f::1 in fd00::/9");
	addr_parse("fd80::1", &other);
	expect(!prefix_has(&addr, plen, &other), "fd80::1 in fd00::/9");
}

static void group(const char *name, void (*test)(void))
{
	int before = wrong;

	test();
	ok(wrong == before, "%s", name);
}

int main(void)
{
	printf("KTAP version 1\n");
	group("numbers", numbers);
	group("intervals", intervals);
	group("quantities", quantities);
	group("numbers with units as text", texts);
	group("addresses and prefixes", prefixes);
	return ktap_end();
}
