// SPDX-License-Identifier: GPL-2.0
/*
 * Values as text and as JSON, values of settings, and lines of a batch.
 */
#include <linux/uet_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../libuet/tests/ktap.h"
#include "../batch.h"
#include "../json.h"
#include "../names.h"
#include "../opts.h"
#include "../setting.h"
#include "../value.h"

int ktap_number, ktap_failed;

static int wrong;

static const struct name some[] = { { "none", "" }, { "one", "" } };
static const struct names names = { 2, some };

static void same(const char *got, const char *want, int line)
{
	if (!strcmp(got, want))
		return;
	wrong++;
	printf("# line %d: %s, not %s\n", line, got, want);
}

/* Both forms of a value */
static void shows(const struct value *v, bool numeric, const char *text,
		  const char *json, int line)
{
	const struct opts opts = { .numeric = numeric };
	struct json j = { 0 };
	char buf[VALUE_TEXT], *out = NULL;
	size_t size = 0;

	value_text(&opts, v, buf, sizeof(buf));
	same(buf, text, line);
	j.to = open_memstream(&out, &size);
	value_json(&opts, v, &j);
	fclose(j.to);
	same(out, json, line);
	free(out);
}

#define SHOWS(_numeric, _text, _json, ...)				\
	shows(&(struct value){ __VA_ARGS__ }, _numeric, _text, _json, __LINE__)

static void values(void)
{
	SHOWS(false, "7", "7", .kind = K_NUM, .u = 7);
	SHOWS(false, "-7", "-7", .kind = K_INT, .u = -7);
	SHOWS(false, "2.00KiB", "2048", .kind = K_BYTES, .u = 2048);
	SHOWS(true, "2048", "2048", .kind = K_BYTES, .u = 2048);
	SHOWS(true, "-5", "-5", .kind = K_SBYTES, .u = -5);
	SHOWS(false, "1.50us", "1500", .kind = K_NS, .u = 1500);
	SHOWS(false, "one", "\"one\"", .kind = K_ENUM, .u = 1, .names = &names);
	SHOWS(true, "1", "1", .kind = K_ENUM, .u = 1, .names = &names);
	SHOWS(false, "9", "\"9\"", .kind = K_ENUM, .u = 9, .names = &names);
	SHOWS(false, "-", "[]", .kind = K_FLAGS, .names = &names);
	SHOWS(false, "none,one,bit5", "[\"none\",\"one\",\"bit5\"]",
	      .kind = K_FLAGS, .u = 0x23, .names = &names);
	SHOWS(false, "EHOSTUNREACH", "\"EHOSTUNREACH\"", .kind = K_ERRNO, .u = 113);
	SHOWS(false, "123456", "\"123456\"", .kind = K_ERRNO, .u = 123456);
	SHOWS(false, "27 (BAD_JOB_ID)", "27", .kind = K_CODE, .u = 27,
	      .source = UET_REPORT_SOURCE_SES);
	SHOWS(false, "18 (PKT_NOT_RCVD)", "18", .kind = K_CODE, .u = 18,
	      .source = UET_REPORT_SOURCE_NACK);
	SHOWS(false, "778 (type 3 code 10)", "778", .kind = K_CODE, .u = 778,
	      .source = UET_REPORT_SOURCE_ICMP);
	SHOWS(false, "18", "18", .kind = K_CODE, .u = 18);
	SHOWS(true, "27", "27", .kind = K_CODE, .u = 27,
	      .source = UET_REPORT_SOURCE_SES);
	SHOWS(false, "a\\x1b[31m", "\"a\\u001b[31m\"", .kind = K_STR,
	      .s = "a\033[31m");
	SHOWS(false, "\"\\", "\"\\\"\\\\\"", .kind = K_STR, .s = "\"\\");
	SHOWS(false, "\\xff", "\"\\ufffd\"", .kind = K_STR, .s = "\xff");
	SHOWS(false, "\\xc2\\x9b2J", "\"\\u009b2J\"", .kind = K_STR,
	      .s = "\xc2\x9b" "2J");
	SHOWS(false, "\\x9b2J", "\"\\ufffd2J\"", .kind = K_STR, .s = "\x9b" "2J");
	SHOWS(false, "\\xc3", "\"\\ufffd\"", .kind = K_STR, .s = "\xc3");
	SHOWS(false, "\\xed\\xa0\\x80", "\"\\ufffd\\ufffd\\ufffd\"", .kind = K_STR,
	      .s = "\xed\xa0\x80");
	SHOWS(false, "\xc3\xa9", "\"\xc3\xa9\"", .kind = K_STR, .s = "\xc3\xa9");
	SHOWS(false, "1.250", "1.250", .kind = K_REAL, .real = 1.25);
	/* All bits at once fit, or are cut, but never overrun */
	{
		const struct value v = { .kind = K_FLAGS, .u = UINT64_MAX,
					 .names = &names };
		const struct opts opts = { 0 };
		char buf[32];

		value_text(&opts, &v, buf, sizeof(buf));
		if (strlen(buf) >= sizeof(buf))
			wrong++;
	}
}

static void settings(void)
{
	struct setting number = { .name = "n", .unit = "microseconds" };
	struct setting word = { .name = "w", .kind = UET_KIND_WORD };
	struct setting_value v;

	if (setting_value(&number, "5ms", &v) || v.word || v.number != 5000)
		same("5ms", "5000", __LINE__);
	if (!setting_value(&number, "5mm", &v))
		same("5mm", "an error", __LINE__);
	if (setting_value(&word, "nscc", &v) || strcmp(v.word, "nscc"))
		same("nscc", "a word", __LINE__);
	if (!setting_value(&word, "", &v))
		same("\"\"", "an error", __LINE__);
}

/* Words are joined by a bar; "!" is an error */
static void splits(const char *text, const char *want, int line)
{
	char copy[128], joined[128] = "";
	char *words[4];
	int i, n;

	snprintf(copy, sizeof(copy), "%s", text);
	n = line_split(copy, words, 4);
	for (i = 0; i < n; i++) {
		strcat(joined, i ? "|" : "");
		strcat(joined, words[i]);
	}
	same(n < 0 ? "!" : joined, want, line);
}

static void lines(void)
{
	splits("", "", __LINE__);
	splits("  # all of it", "", __LINE__);
	splits("a  b\tc\n", "a|b|c", __LINE__);
	splits("a 'b c' \"d # e\" # f", "a|b c|d # e", __LINE__);
	splits("a''b \"\" c", "ab||c", __LINE__);
	splits("a 'b", "!", __LINE__);
	splits("a b c d", "a|b|c|d", __LINE__);
	splits("a b c d e", "!", __LINE__);
}

static void group(const char *name, void (*test)(void))
{
	int before = wrong;

	test();
	ok(wrong == before, "%s", name);
}

int main(void)
{
	/* What is refused is said; here it is expected */
	if (!freopen("/dev/null", "w", stderr))
		return 2;
	printf("KTAP version 1\n");
	group("values as text and as JSON", values);
	group("values of settings", settings);
	group("lines of a batch", lines);
	return ktap_end();
}
