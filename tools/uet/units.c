// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "units.h"

#define N_ELEM(_a)	(sizeof(_a) / sizeof((_a)[0]))

static void scaled(double v, double step, const char *const *units, size_t n,
		   char *buf, size_t size)
{
	size_t i = 0;

	while (fabs(v) >= step && i + 1 < n) {
		v /= step;
		i++;
	}
	snprintf(buf, size, "%.*f%s", i && fabs(v) < 100 ? fabs(v) < 10 ? 2 : 1 : 0,
		 v, units[i]);
}

void bytes_text(double bytes, char *buf, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };

	scaled(bytes, 1024, units, N_ELEM(units), buf, size);
}

void rate_text(double bits_per_s, char *buf, size_t size)
{
	static const char *const units[] = { "bit", "Kbit", "Mbit", "Gbit", "Tbit" };

	scaled(bits_per_s, 1000, units, N_ELEM(units), buf, size);
}

void ns_text(uint64_t ns, char *buf, size_t size)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	uint64_t s = ns / 1000000000;

	if (s < 120)
		scaled(ns, 1000, units, N_ELEM(units), buf, size);
	else if (s < 2 * 3600)
		snprintf(buf, size, "%" PRIu64 "m%02" PRIu64 "s", s / 60, s % 60);
	else if (s < 2 * 86400)
		snprintf(buf, size, "%" PRIu64 "h%02" PRIu64 "m", s / 3600,
			 s / 60 % 60);
	else
		snprintf(buf, size, "%" PRIu64 "d%02" PRIu64 "h", s / 86400,
			 s / 3600 % 24);
}

/**
 * number_parse() - read a number without a sign, decimal or 0x
 * @text: the number, nothing else
 * @most: largest valid one
 * @value: set
 *
 * Return: whether it is one.
 */
bool number_parse(const char *text, uint64_t most, uint64_t *value)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*value = strtoull(text, &end, hex ? 16 : 10);
	return !errno && !*end && *value <= most;
}

/* Suffix of a quantity, and what it multiplies by */
struct suffix {
	const char *name;
	double by;
};

static const struct suffix times[] = {
	{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 },
	{ "h", 3600e9 },
};

static const struct suffix sizes[] = {
	{ "b", 1 }, { "k", 1024 }, { "m", 1 << 20 }, { "g", 1 << 30 },
	{ "kib", 1024 }, { "mib", 1 << 20 }, { "gib", 1 << 30 },
	{ "kb", 1e3 }, { "mb", 1e6 }, { "gb", 1e9 },
};

static const struct suffix rates[] = {
	{ "bit", 1 }, { "kbit", 1e3 }, { "mbit", 1e6 }, { "gbit", 1e9 },
	{ "tbit", 1e12 }, { "kbps", 1e3 }, { "mbps", 1e6 }, { "gbps", 1e9 },
};

/* Unit of a setting, and what may follow a value of it */
static const struct {
	const char *unit;
	double of;
	const struct suffix *suffixes;
	size_t n;
} units[] = {
	{ "nanoseconds", 1, times, N_ELEM(times) },
	{ "ns", 1, times, N_ELEM(times) },
	{ "microseconds", 1e3, times, N_ELEM(times) },
	{ "milliseconds", 1e6, times, N_ELEM(times) },
	{ "seconds", 1e9, times, N_ELEM(times) },
	{ "bytes", 1, sizes, N_ELEM(sizes) },
	{ "megabits per second", 1e6, rates, N_ELEM(rates) },
	{ "Mb/s", 1e6, rates, N_ELEM(rates) },
};

static bool with_suffix(double number, const char *suffix, const char *unit,
			int64_t *value)
{
	size_t i, j;

	if (!strcmp(suffix, "%") && !strcmp(unit, "percent")) {
		*value = llround(number);
		return number == *value;
	}
	for (i = 0; i < N_ELEM(units); i++) {
		if (strcmp(units[i].unit, unit))
			continue;
		for (j = 0; j < units[i].n; j++) {
			if (strcasecmp(units[i].suffixes[j].name, suffix))
				continue;
			number *= units[i].suffixes[j].by / units[i].of;
			if (fabs(number) > 9e18)
				return false;
			*value = llround(number);
			return fabs(number - *value) < 1e-6 * fabs(number);
		}
	}
	return false;
}

/**
 * quantity_parse() - read the value of a setting
 * @text: a number in @unit, or one with a suffix, such as 8us for microseconds
 * @unit: unit of the setting, as the kernel names it
 * @value: set, in @unit
 *
 * A value that is not a whole number of units is none. Switches take on and off.
 *
 * Return: whether it is one.
 */
bool quantity_parse(const char *text, const char *unit, int64_t *value)
{
	double number;
	char *end;

	if (!strcmp(unit, "boolean") &&
	    (!strcmp(text, "on") || !strcmp(text, "yes") || !strcmp(text, "true") ||
	     !strcmp(text, "off") || !strcmp(text, "no") || !strcmp(text, "false"))) {
		*value = !strcmp(text, "on") || text[0] == 'y' || text[0] == 't';
		return true;
	}
	if (!isdigit((unsigned char)text[0]) && text[0] != '-')
		return false;
	errno = 0;
	*value = strtoll(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	if (end == text || errno)
		return false;
	if (!*end)
		return true;
	number = strtod(text, &end);
	return isfinite(number) && with_suffix(number, end, unit, value);
}

/**
 * seconds_parse() - read an interval, 0.01 seconds to a day: seconds, or with a suffix
 */
bool seconds_parse(const char *text, double *seconds)
{
	int64_t ns;
	char *end;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return false;
	*seconds = strtod(text, &end);
	if (*end && isfinite(*seconds) && with_suffix(*seconds, end, "ns", &ns)) {
		*seconds = ns / 1e9;
		end = "";
	}
	return !*end && *seconds >= 0.01 && *seconds <= 86400;
}
