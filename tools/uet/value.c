// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <linux/neighbour.h>
#include <linux/uet_netlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "names.h"
#include "opts.h"
#include "units.h"
#include "utf8.h"
#include "value.h"

#define NS_PER_S	1000000000
#define MBPS		1e6

/* As /proc/net/arp and ip call them */
static const struct name nud_names[] = {
	{ "incomplete", "" }, { "reachable", "" }, { "stale", "" },
	{ "delay", "" }, { "probe", "" }, { "failed", "" }, { "noarp", "" },
	{ "permanent", "" },
};

static const struct names nud = { 8, nud_names };

static const struct names *names_for(const struct value *v)
{
	return v->kind == K_NUD ? &nud : v->names;
}

static void enum_text(const struct value *v, char *buf, size_t size)
{
	const char *name = name_of(v->names, v->u);

	if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "%" PRIu64, v->u);
}

static void flag_name(const struct names *names, unsigned int bit, char *buf,
		      size_t size)
{
	const char *name = name_of(names, bit);

	if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "bit%u", bit);
}

static void flags_text(const struct value *v, char *buf, size_t size)
{
	unsigned int bit;
	size_t at = 0;

	snprintf(buf, size, "-");
	for (bit = 0; bit < 64 && at + 24 < size; bit++) {
		if (!(v->u >> bit & 1))
			continue;
		if (at)
			buf[at++] = ',';
		flag_name(names_for(v), bit, buf + at, size - at);
		at += strlen(buf + at);
	}
}

static void flags_json(const struct value *v, struct json *json)
{
	char name[64];
	unsigned int bit;

	fputc('[', json->to);
	json->comma = false;
	for (bit = 0; bit < 64; bit++) {
		if (!(v->u >> bit & 1))
			continue;
		flag_name(names_for(v), bit, name, sizeof(name));
		if (json->comma)
			fputc(',', json->to);
		json_string(json, name);
	}
	fputc(']', json->to);
	json->comma = true;
}

static void time_text(uint64_t ns, char *buf, size_t size)
{
	time_t s = ns / NS_PER_S;
	struct tm tm;
	size_t at;

	if (!localtime_r(&s, &tm)) {
		snprintf(buf, size, "%" PRIu64, ns);
		return;
	}
	at = strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + at, size - at, ".%06u", (unsigned int)(ns % NS_PER_S / 1000));
}

static void errno_text(uint64_t error, char *buf, size_t size)
{
	const char *name = error <= INT32_MAX ? strerrorname_np(error) : NULL;

	if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "%" PRIu64, error);
}

/**
 * text_safe() - a string that others chose, for a terminal
 * @s: such as the name of a process or of an interface
 * @buf: set; controls, and what is no UTF-8, are in hexadecimal
 * @size: its size; what does not fit is cut
 */
void text_safe(const char *s, char *buf, size_t size)
{
	const unsigned char *from = (const unsigned char *)s;
	size_t at = 0, len;

	while (*from && at + 5 < size) {
		len = utf8_length(from);
		if (!len || utf8_is_control(from, len)) {
			at += snprintf(buf + at, size - at, "\\x%02x", *from++);
			continue;
		}
		memcpy(buf + at, from, len);
		at += len;
		from += len;
	}
	buf[at] = '\0';
}

static void dev_name(uint64_t ifindex, char *buf, size_t size)
{
	char name[IF_NAMESIZE];

	if (ifindex <= UINT32_MAX && if_indextoname(ifindex, name))
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "if%" PRIu64, ifindex);
}

static void dev_text(uint64_t ifindex, char *buf, size_t size)
{
	char name[IF_NAMESIZE + 16];

	dev_name(ifindex, name, sizeof(name));
	text_safe(name, buf, size);
}

static void code_text(const struct value *v, char *buf, size_t size)
{
	const char *name = v->source == UET_REPORT_SOURCE_SES ?
			   name_of_ses_code(v->u) :
			   v->source == UET_REPORT_SOURCE_NACK ?
			   name_of_nack_code(v->u) : NULL;

	if (v->source == UET_REPORT_SOURCE_ICMP)
		snprintf(buf, size, "%" PRIu64 " (type %" PRIu64 " code %" PRIu64 ")",
			 v->u, v->u >> 8, v->u & 0xff);
	else if (name)
		snprintf(buf, size, "%" PRIu64 " (%s)", v->u, name);
	else
		snprintf(buf, size, "%" PRIu64, v->u);
}

static bool plain(const struct opts *opts, const struct value *v)
{
	switch (v->kind) {
	case K_NUM:
		return true;
	case K_BYTES:
	case K_NS:
	case K_TIME:
	case K_MBPS:
	case K_ENUM:
	case K_FLAGS:
	case K_NUD:
	case K_DEV:
	case K_ERRNO:
	case K_CODE:
		return opts->numeric;
	default:
		return false;
	}
}

static void word_text(const struct value *v, char *buf, size_t size)
{
	/* An endpoint may hold the name of an interface */
	char raw[ADDR_TEXT];

	switch (v->kind) {
	case K_ENUM:
		return enum_text(v, buf, size);
	case K_FLAGS:
	case K_NUD:
		return flags_text(v, buf, size);
	case K_DEV:
		return dev_text(v->u, buf, size);
	case K_ERRNO:
		return errno_text(v->u, buf, size);
	case K_CODE:
		return code_text(v, buf, size);
	case K_STR:
		return text_safe(v->s, buf, size);
	case K_ADDR:
		return addr_text(&v->addr, buf, size);
	case K_PREFIX:
		return prefix_text(&v->addr, v->plen, buf, size);
	case K_ENDPOINT:
		endpoint_text(&v->ep, raw, sizeof(raw));
		return text_safe(raw, buf, size);
	default:
		buf[0] = '\0';
	}
}

/**
 * value_text() - a value in words
 * @opts: numeric = as it came
 * @v: the value; K_FLAG and K_NEST have no words
 * @buf: set
 * @size: its size, VALUE_TEXT holds all
 */
void value_text(const struct opts *opts, const struct value *v, char *buf,
		size_t size)
{
	if (plain(opts, v)) {
		snprintf(buf, size, "%" PRIu64, v->u);
		return;
	}
	switch (v->kind) {
	case K_INT:
		snprintf(buf, size, "%" PRId64, (int64_t)v->u);
		break;
	case K_BYTES:
		bytes_text(v->u, buf, size);
		break;
	case K_SBYTES:
		if (opts->numeric)
			snprintf(buf, size, "%" PRId64, (int64_t)v->u);
		else
			bytes_text((int64_t)v->u, buf, size);
		break;
	case K_NS:
		ns_text(v->u, buf, size);
		break;
	case K_TIME:
		time_text(v->u, buf, size);
		break;
	case K_MBPS:
		rate_text(v->u * MBPS, buf, size);
		break;
	case K_REAL:
		snprintf(buf, size, "%.3f", v->real);
		break;
	default:
		word_text(v, buf, size);
	}
}

static void endpoint_json(const struct endpoint *ep, struct json *json)
{
	char addr[ADDR_TEXT] = "*";

	if (!IN6_IS_ADDR_UNSPECIFIED(&ep->addr))
		addr_text(&ep->addr, addr, sizeof(addr));
	fputc('{', json->to);
	json->depth++;
	json->comma = false;
	json_key(json, "addr");
	json_string(json, addr);
	if (ep->scope_id) {
		json_key(json, "scope_id");
		json_unsigned(json, ep->scope_id);
	}
	json_key(json, "job");
	json_unsigned(json, ep->job);
	json_key(json, "pidonfep");
	json_unsigned(json, ep->pid);
	json_key(json, "ri");
	json_unsigned(json, ep->ri);
	if (ep->initiator) {
		json_key(json, "initiator");
		json_unsigned(json, ep->initiator);
	}
	if (ep->absolute) {
		json_key(json, "absolute");
		json_bool(json, true);
	}
	json_close(json, '}');
}

/**
 * value_json() - a value after its key
 *
 * Numbers are as the kernel has them, without units; names are strings.
 */
void value_json(const struct opts *opts, const struct value *v,
		struct json *json)
{
	char buf[VALUE_TEXT];

	switch (v->kind) {
	case K_NUM:
	case K_BYTES:
	case K_NS:
	case K_TIME:
	case K_MBPS:
	case K_CODE:
		return json_unsigned(json, v->u);
	case K_INT:
	case K_SBYTES:
		return json_signed(json, v->u);
	case K_REAL:
		return json_real(json, v->real);
	case K_FLAG:
		return json_bool(json, true);
	case K_STR:
		return json_string(json, v->s);
	case K_ENDPOINT:
		return endpoint_json(&v->ep, json);
	default:
		break;
	}
	if (plain(opts, v))
		return json_unsigned(json, v->u);
	if (v->kind == K_FLAGS)
		return flags_json(v, json);
	if (v->kind == K_DEV)
		dev_name(v->u, buf, sizeof(buf));
	else
		word_text(v, buf, sizeof(buf));
	json_string(json, buf);
}

static const char *name_colour(const char *name)
{
	static const char *const colours[][2] = {
		{ "good", "\033[32m" }, { "current", "\033[32m" },
		{ "established", "\033[32m" }, { "bad", "\033[31m" },
		{ "down", "\033[31m" }, { "gone", "\033[31m" },
		{ "dead", "\033[31m" }, { "failed", "\033[31m" },
		{ "pdc-failed", "\033[31m" }, { "path-bad", "\033[31m" },
		{ "port-down", "\033[31m" }, { "pressure", "\033[33m" },
		{ "limit", "\033[33m" }, { "nothing", "\033[32m" },
	};
	size_t i;

	for (i = 0; name && i < sizeof(colours) / sizeof(colours[0]); i++)
		if (!strcmp(colours[i][0], name))
			return colours[i][1];
	return NULL;
}

/**
 * value_colour() - how a terminal shows a value
 *
 * Return: the sequence that begins the colour, or NULL.
 */
const char *value_colour(const struct value *v)
{
	switch (v->kind) {
	case K_ADDR:
	case K_PREFIX:
		return IN6_IS_ADDR_V4MAPPED(&v->addr) ? "\033[35m" : "\033[94m";
	case K_ENDPOINT:
		return IN6_IS_ADDR_V4MAPPED(&v->ep.addr) ? "\033[35m" : "\033[94m";
	case K_DEV:
		return "\033[36m";
	case K_ERRNO:
		return "\033[31m";
	case K_ENUM:
		return name_colour(name_of(v->names, v->u));
	default:
		return NULL;
	}
}
