// SPDX-License-Identifier: GPL-2.0
/* Results for people and, with -J, for programs: see uetperf(1) */
#include <stdio.h>

#include "json.h"
#include "uetperf.h"

static struct json out;
static const char * const modes[] = { "bandwidth", "latency", "rate" };

static double per_s(uint64_t n, uint64_t ns)
{
	return ns ? n * 1e9 / ns : 0;
}

static void number(const char *key, uint64_t value)
{
	json_key(&out, key);
	json_unsigned(&out, value);
}

static void real(const char *key, double value)
{
	json_key(&out, key);
	json_real(&out, value);
}

static void text(const char *key, const char *value)
{
	json_key(&out, key);
	json_string(&out, value);
}

void report_begin(const struct options *o)
{
	char name[LIBUET_URI_SIZE];

	if (!o->json)
		return;
	out = (struct json){ .to = stdout };
	libuet_format(&o->addr, name, sizeof(name));
	json_open(&out, NULL, '{');
	number("version", 1);
	text("server", name);
	text("mode", modes[o->mode]);
	number("flows", o->flows);
	json_key(&out, "verify");
	json_bool(&out, o->verify);
	json_open(&out, "results", '[');
}

void report_interval(const struct options *o, double from, double to,
		     uint64_t messages, uint64_t bytes)
{
	/* JSON goes to standard output whole; people watch the other one */
	fprintf(o->json ? stderr : stdout,
		"%7.2f-%-7.2f s %12.0f messages/s %10.3f Mbit/s\n", from, to,
		messages / (to - from), bytes * 8 / (to - from) / 1e6);
	fflush(stdout);
}

static void json_latency(const struct hist *h)
{
	json_open(&out, "round_trip_ns", '{');
	number("count", h->count);
	number("min", h->min);
	number("median", hist_quantile(h, .5));
	number("p99", hist_quantile(h, .99));
	number("p99_9", hist_quantile(h, .999));
	number("max", h->max);
	json_close(&out, '}');
}

static void json_side(const char *key, uint64_t messages, uint64_t bytes,
		      uint64_t ns)
{
	json_open(&out, key, '{');
	number("messages", messages);
	number("bytes", bytes);
	number("ns", ns);
	real("messages_per_s", per_s(messages, ns));
	real("bits_per_s", per_s(bytes, ns) * 8);
	json_close(&out, '}');
}

static void json_size(const struct options *o, const struct summary *s,
		      const struct flow *flows)
{
	unsigned int i;

	json_open(&out, NULL, '{');
	number("size", s->size);
	json_side("client", s->sum.messages, s->sum.bytes, s->ns);
	json_side("server", s->sum.server.messages, s->sum.server.bytes,
		  s->sum.server.ns);
	number("wrong", s->sum.server.bad);
	if (o->mode == MODE_LAT)
		json_latency(&s->sum.rtt);
	json_open(&out, "flows", '[');
	for (i = 0; i < o->flows; i++) {
		json_open(&out, NULL, '{');
		json_side("client", flows[i].messages, flows[i].bytes,
			  flows[i].ns);
		json_side("server", flows[i].server.messages,
			  flows[i].server.bytes, flows[i].server.ns);
		text("error", flows[i].error);
		json_close(&out, '}');
	}
	json_close(&out, ']');
	json_close(&out, '}');
}

static void text_latency(const struct summary *s)
{
	const struct hist *h = &s->sum.rtt;

	printf("%zu bytes, %llu round trips; half of the round trip in us:\n"
	       "  min %.2f  median %.2f  99%% %.2f  99.9%% %.2f  max %.2f\n",
	       s->size, (unsigned long long)h->count, h->min / 2e3,
	       hist_quantile(h, .5) / 2e3, hist_quantile(h, .99) / 2e3,
	       hist_quantile(h, .999) / 2e3, h->max / 2e3);
}

static void text_side(const char *side, uint64_t messages, uint64_t bytes,
		      uint64_t ns)
{
	printf("  %s %llu messages, %llu bytes in %.3f s: %.0f messages/s, %.3f Mbit/s\n",
	       side, (unsigned long long)messages, (unsigned long long)bytes,
	       ns / 1e9, per_s(messages, ns), per_s(bytes, ns) * 8 / 1e6);
}

void report_size(const struct options *o, const struct summary *s,
		 const struct flow *flows)
{
	if (o->json) {
		json_size(o, s, flows);
		return;
	}
	if (o->mode == MODE_LAT) {
		text_latency(s);
	} else {
		printf("%zu bytes, %u flow%s\n", s->size, o->flows,
		       o->flows == 1 ? "" : "s");
		text_side("client", s->sum.messages, s->sum.bytes, s->ns);
		text_side("server", s->sum.server.messages,
			  s->sum.server.bytes, s->sum.server.ns);
	}
	if (o->verify)
		printf("  contents: %llu messages wrong\n",
		       (unsigned long long)s->sum.server.bad);
	fflush(stdout);
}

void report_end(const struct options *o)
{
	if (!o->json)
		return;
	json_close(&out, ']');
	number("signal", stopped);
	json_close(&out, '}');
	fflush(stdout);
}
