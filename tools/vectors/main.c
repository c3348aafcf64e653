// SPDX-License-Identifier: GPL-2.0
/*
 * uet-vectors FILE...: run congestion-control vectors against the core.
 * Exits 1 at the first divergence, having named file, item, field and values.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "vec.h"

static const struct {
	const char *kind;
	void (*run)(struct vec *v, const struct json *j);
} kinds[] = {
	{ "nscc", vec_run_nscc },
	{ "derive", vec_run_derive },
	{ "rcvd_bytes", vec_run_rcvd_bytes },
	{ "gates", vec_run_gates },
	{ "ev_oblivious", vec_run_ev_oblivious },
	{ "ev_bitmap", vec_run_ev_bitmap },
	{ "ev_reps", vec_run_ev_reps },
};

void vec_die(const struct vec *v, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", v->file);
	if (v->index >= 0)
		fprintf(stderr, "%s %ld: ", v->what, v->index);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

const struct json *vec_get(const struct vec *v, const struct json *o,
			   const char *key)
{
	const struct json *m = json_get(o, key);

	if (!m)
		vec_die(v, "%s: missing", key);
	return m;
}

s64 vec_value(const struct vec *v, const struct json *j)
{
	const char *name = j->key ? j->key : "value";
	long long n;
	char *end;

	if (j->type != JSON_NUMBER)
		vec_die(v, "%s: integer expected", name);
	errno = 0;
	n = strtoll(j->text, &end, 10);
	if (*end || errno)
		vec_die(v, "%s: not a 64-bit integer: %s", name, j->text);
	return n;
}

s64 vec_int(const struct vec *v, const struct json *o, const char *key)
{
	return vec_value(v, vec_get(v, o, key));
}

s64 vec_int_or(const struct vec *v, const struct json *o, const char *key,
	       s64 absent)
{
	const struct json *m = json_get(o, key);

	return m ? vec_value(v, m) : absent;
}

bool vec_bool(const struct vec *v, const struct json *o, const char *key)
{
	const struct json *m = vec_get(v, o, key);

	if (m->type == JSON_NUMBER)
		return vec_value(v, m);
	if (m->type != JSON_BOOL)
		vec_die(v, "%s: boolean expected", key);
	return m->truth;
}

const char *vec_str(const struct vec *v, const struct json *o, const char *key)
{
	const struct json *m = vec_get(v, o, key);

	if (m->type != JSON_STRING)
		vec_die(v, "%s: string expected", key);
	return m->text;
}

u64 vec_scaled(const struct vec *v, const struct json *o, const char *key,
	       unsigned int shift)
{
	const struct json *m = vec_get(v, o, key);
	s64 num, den = 1;
	u64 n, rest;

	if (m->type == JSON_ARRAY) {
		if (json_count(m) != 2)
			vec_die(v, "%s: fraction expected", key);
		num = vec_value(v, m->child);
		den = vec_value(v, m->child->next);
	} else {
		num = vec_value(v, m);
	}
	if (num < 0 || den <= 0)
		vec_die(v, "%s: negative", key);
	/* num << shift needs more than 64 bits */
	n = num / den;
	rest = num % den;
	while (shift--) {
		rest <<= 1;
		n <<= 1;
		if (rest >= (u64)den) {
			rest -= den;
			n++;
		}
	}
	return n;
}

void vec_check(struct vec *v, const struct json *o, const char *key, s64 got)
{
	s64 want = vec_int(v, o, key);

	v->checks++;
	if (want != got)
		vec_die(v, "%s: expected %lld, got %lld", key,
			(long long)want, (long long)got);
}

void vec_check_bool(struct vec *v, const struct json *o, const char *key,
		    bool got)
{
	bool want = vec_bool(v, o, key);

	v->checks++;
	if (want != got)
		vec_die(v, "%s: expected %s, got %s", key,
			want ? "true" : "false", got ? "true" : "false");
}

void vec_check_str(struct vec *v, const struct json *o, const char *key,
		   const char *got)
{
	const char *want = vec_str(v, o, key);

	v->checks++;
	if (strcmp(want, got))
		vec_die(v, "%s: expected %s, got %s", key, want, got);
}

void vec_only(const struct vec *v, const struct json *o,
	      const char * const *names)
{
	const char * const *n;
	const struct json *m;

	for (m = o->child; m; m = m->next) {
		for (n = names; *n && strcmp(*n, m->key); n++)
			;
		if (!*n)
			vec_die(v, "%s: unknown field", m->key);
	}
}

static bool run_file(const char *file, unsigned long *checks)
{
	struct vec v = { .file = file, .index = -1 };
	struct json *j = json_load(file);
	const char *kind;
	size_t i;

	if (!j)
		return false;
	kind = vec_str(&v, j, "kind");
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].kind, kind))
			continue;
		kinds[i].run(&v, j);
		printf("%s: ok, %lu checks\n", file, v.checks);
		*checks += v.checks;
		json_free(j);
		return true;
	}
	vec_die(&v, "kind: unknown kind \"%s\"", kind);
}

int main(int argc, char **argv)
{
	unsigned long checks = 0;
	int i;

	if (argc < 2) {
		fprintf(stderr, "usage: uet-vectors FILE...\n");
		return 2;
	}
	for (i = 1; i < argc; i++)
		if (!run_file(argv[i], &checks))
			return 1;
	printf("%d files, %lu checks, no divergence\n", argc - 1, checks);
	return 0;
}
