// SPDX-License-Identifier: GPL-2.0
/*
 * Counters in the text format of OpenMetrics 1.0, and with -d those of each
 * congestion control context.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/uet_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "field.h"
#include "names.gen.h"

#define NAME_ROOM	96

/* The gauges are no rows of the table that the others come from */
static const struct name counter_help[] = {
#include "counter_help.h"
	{ "CurPdcs", "PDCs that there are" },
	{ "CurMem", "bytes of memory held" },
};

/* RxPkts becomes uet_rx_pkts */
static void metric_name(const char *name, char *buf, size_t size)
{
	size_t at = snprintf(buf, size, "uet");

	for (; *name && at + 3 < size; name++) {
		if (isupper((unsigned char)*name))
			buf[at++] = '_';
		buf[at++] = isalnum((unsigned char)*name) ?
			    tolower((unsigned char)*name) : '_';
	}
	buf[at] = '\0';
}

static bool ends(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/* In help texts a backslash begins an escape */
static void put_escaped(const char *s)
{
	for (; *s; s++) {
		if (*s == '\n')
			fputs("\\n", stdout);
		else if (*s == '\\' || *s == '"')
			printf("\\%c", *s);
		else
			putchar(*s);
	}
}

static void put_head(const char *metric, const char *type, const char *help)
{
	printf("# TYPE %s %s\n", metric, type);
	if (ends(metric, "_bytes"))
		printf("# UNIT %s bytes\n", metric);
	if (ends(metric, "_seconds"))
		printf("# UNIT %s seconds\n", metric);
	printf("# HELP %s ", metric);
	put_escaped(help);
	putchar('\n');
}

static const char *help_of(const char *counter)
{
	size_t i;

	for (i = 0; i < sizeof(counter_help) / sizeof(counter_help[0]); i++)
		if (!strcmp(counter_help[i].name, counter))
			return counter_help[i].doc;
	return counter;
}

static void put_counters(const struct counters *c)
{
	char metric[NAME_ROOM];
	const struct counter *one;
	unsigned int i;

	for (i = 0; i < c->n; i++) {
		one = &c->of[i];
		metric_name(one->name, metric, sizeof(metric));
		put_head(metric, one->gauge ? "gauge" : "counter",
			 help_of(one->name));
		printf("%s%s %" PRIu64 "\n", metric, one->gauge ? "" : "_total",
		       one->value);
	}
}

/**
 * struct sample - the metrics of one context
 * @labels: its labels
 * @has: whether it has the metric, by index in the fields
 * @value: value
 */
struct sample {
	char labels[3 * ADDR_TEXT];
	struct value *value;
	bool *has;
};

struct samples {
	const struct field *fields;
	unsigned int n_fields;
	struct sample *of;
	size_t n, room;
	bool no_memory;
};

static bool grow(struct samples *s)
{
	size_t room = s->room * 2 + 16;
	struct sample *more;

	if (s->n < s->room)
		return true;
	more = realloc(s->of, room * sizeof(*more));
	if (!more)
		return false;
	s->of = more;
	s->room = room;
	return true;
}

static void collect(const struct attrs *a, void *arg)
{
	char remote[ADDR_TEXT] = "", local[ADDR_TEXT] = "";
	struct samples *s = arg;
	struct sample *one;
	struct in6_addr addr;
	unsigned int i;

	if (!grow(s)) {
		s->no_memory = true;
		return;
	}
	one = &s->of[s->n];
	one->value = calloc(s->n_fields, sizeof(*one->value));
	one->has = calloc(s->n_fields, sizeof(*one->has));
	s->n++;
	if (!one->value || !one->has) {
		s->no_memory = true;
		return;
	}
	if (attr_addr(a, UET_A_CCC_REMOTE, &addr))
		addr_text(&addr, remote, sizeof(remote));
	if (attr_addr(a, UET_A_CCC_LOCAL, &addr))
		addr_text(&addr, local, sizeof(local));
	snprintf(one->labels, sizeof(one->labels),
		 "ccc=\"%" PRIu64 "\",local=\"%s\",remote=\"%s\"",
		 attr_num(a, UET_A_CCC_ID), local, remote);
	for (i = 0; i < s->n_fields; i++)
		one->has[i] = field_value(&s->fields[i], a, &one->value[i]);
}

/* Names of metrics end in their unit, and the base unit of time is the second */
static void field_metric(const struct field *f, char *buf, size_t size)
{
	size_t len = strlen(f->key);

	if (ends(f->key, "_ns"))
		len -= 3;
	if (ends(f->key, "_bytes"))
		len -= 6;
	snprintf(buf, size, "uet_ccc_%.*s%s", (int)len, f->key,
		 f->kind == K_NS ? "_seconds" :
		 f->kind == K_BYTES || f->kind == K_SBYTES ? "_bytes" : "");
}

static void put_sample(const struct field *f, const char *metric,
		       const struct sample *one, const struct value *v)
{
	printf("%s%s{%s} ", metric, f->flags & F_COUNTER ? "_total" : "",
	       one->labels);
	if (f->kind == K_NS)
		printf("%" PRIu64 ".%09" PRIu64 "\n", v->u / 1000000000,
		       v->u % 1000000000);
	else if (f->kind == K_SBYTES)
		printf("%" PRId64 "\n", (int64_t)v->u);
	else
		printf("%" PRIu64 "\n", v->u);
}

static void put_field(const struct samples *s, unsigned int i)
{
	const struct field *f = &s->fields[i];
	char metric[NAME_ROOM];
	size_t j;

	field_metric(f, metric, sizeof(metric));
	put_head(metric, f->flags & F_COUNTER ? "counter" : "gauge",
		 doc_of(&names_a_ccc, f->attr));
	for (j = 0; j < s->n; j++)
		if (s->of[j].has[i])
			put_sample(f, metric, &s->of[j], &s->of[j].value[i]);
}

static void samples_free(struct samples *s)
{
	size_t j;

	for (j = 0; j < s->n; j++) {
		free(s->of[j].value);
		free(s->of[j].has);
	}
	free(s->of);
}

/* All samples of a metric stand together, so the contexts are read before */
static int put_contexts(struct tool *t)
{
	struct samples s = { .fields = object_ccc.fields };
	unsigned int i;
	int err;

	while (s.fields[s.n_fields].key)
		s.n_fields++;
	err = show_dump(t, &object_ccc, NULL, collect, &s);
	if (s.no_memory)
		err = -ENOMEM;
	for (i = 0; !err && i < s.n_fields; i++)
		if (s.fields[i].flags & (F_GAUGE | F_COUNTER))
			put_field(&s, i);
	samples_free(&s);
	return err;
}

/**
 * openmetrics_run() - write counters
 *
 * Return: exit status.
 */
int openmetrics_run(struct tool *t, const struct counters *c)
{
	int err = 0;

	put_counters(c);
	if (t->opts.details)
		err = put_contexts(t);
	/* A reader that misses the end knows that it has not got all */
	if (!err)
		puts("# EOF");
	return kernel_status(err);
}
