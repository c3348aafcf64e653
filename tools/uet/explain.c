// SPDX-License-Identifier: GPL-2.0
/*
 * "explain": on one screen, where the bytes for a peer wait, since when, and which
 * command tells more. The first line names what is to be looked at first. Without a
 * peer that line alone of each one that is in trouble.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "field.h"
#include "tick.h"
#include "units.h"
#include "value.h"
#include "verbs.h"

/* Time for which losses are looked on: those of a slow network are few */
#define LOOK_SECONDS	1

/* The cause to be looked at first; NULL if nothing waits */
static const char *first_cause(const struct verdict *v, unsigned int n)
{
	return n && v->rank != RANK_REMARK ? v->cause : NULL;
}

/* A text has the names of processes and interfaces, which others choose */
static void put_line(FILE *to, const char *before, const char *text)
{
	char safe[4 * EXPLAIN_TEXT + 8];

	text_safe(text, safe, sizeof(safe));
	fprintf(to, "    %s%s\n", before, safe);
}

static void put_head(FILE *to, const struct facts *f, const char *cause)
{
	char text[UNIT_TEXT];

	bytes_text(f->bytes, text, sizeof(text));
	fprintf(to, "%s: %s", f->peer, cause ? cause :
		f->cccs || f->pdcs ? "nothing waits" : "nothing is known of it");
	fprintf(to, ", %u messages, %s\n", f->msgs, text);
}

static void put_text(FILE *to, const struct facts *f, const struct verdict *v,
		     unsigned int n)
{
	char text[UNIT_TEXT];
	unsigned int i;

	put_head(to, f, first_cause(v, n));
	for (i = 0; i < n; i++) {
		fprintf(to, "%s", v[i].cause);
		if (v[i].since_ns) {
			ns_text(v[i].since_ns, text, sizeof(text));
			fprintf(to, " since %s", text);
		}
		if (v[i].bytes) {
			bytes_text(v[i].bytes, text, sizeof(text));
			fprintf(to, ", %s", text);
		}
		putc('\n', to);
		put_line(to, "", v[i].text);
		put_line(to, "more: ", v[i].more);
	}
}

static void put_cause(struct out *o, const struct verdict *v)
{
	out_object(o, NULL);
	out_str(o, "cause", v->cause, 0);
	out_num(o, "since_ns", K_NS, v->since_ns, 0);
	out_num(o, "bytes", K_BYTES, v->bytes, 0);
	out_str(o, "text", v->text, 0);
	out_str(o, "more", v->more, 0);
	out_object_end(o);
}

static void put_json(struct out *o, const struct facts *f,
		     const struct verdict *v, unsigned int n)
{
	const char *cause = first_cause(v, n);
	unsigned int i;

	out_object(o, NULL);
	out_str(o, "peer", f->peer, 0);
	if (cause)
		out_str(o, "cause", cause, 0);
	out_num(o, "msgs", K_NUM, f->msgs, 0);
	out_num(o, "bytes", K_BYTES, f->bytes, 0);
	out_array(o, "causes");
	for (i = 0; i < n; i++)
		put_cause(o, &v[i]);
	out_array_end(o);
	out_object_end(o);
}

/* Something keeps bytes back that is more than a limit, or messages failed */
static bool in_trouble(const struct verdict *v, unsigned int n)
{
	return n && v->rank <= RANK_FAILED;
}

/* Peers as they are found, some several times */
struct peers {
	const struct field *remote;
	struct in6_addr *of;
	size_t n;
	bool nomem;
};

static void take_peer(const struct attrs *a, void *arg)
{
	struct peers *p = arg;
	struct in6_addr *more;
	struct value v;

	if (!field_value(p->remote, a, &v))
		return;
	more = realloc(p->of, (p->n + 1) * sizeof(*more));
	if (!more) {
		p->nomem = true;
		return;
	}
	p->of = more;
	more[p->n++] = v.kind == K_ENDPOINT ? v.ep.addr : v.addr;
}

static int by_addr(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct in6_addr));
}

static int find_peers(struct tool *t, struct peers *p)
{
	const struct object *const of[] = {
		&object_ccc, &object_pdc, &object_dest, &object_failure,
	};
	unsigned int i;
	size_t k, n = 0;
	int err = 0;

	for (i = 0; !err && i < sizeof(of) / sizeof(*of); i++) {
		for (p->remote = of[i]->fields; strcmp(p->remote->key, "remote");)
			p->remote++;
		err = show_dump(t, of[i], NULL, take_peer, p);
		if (err == -EINTR)
			err = 0;
	}
	if (p->nomem) {
		usage_error("no memory");
		return -ENOMEM;
	}
	if (p->n)
		qsort(p->of, p->n, sizeof(*p->of), by_addr);
	for (k = 0; k < p->n; k++)
		if (!n || by_addr(&p->of[n - 1], &p->of[k]))
			p->of[n++] = p->of[k];
	p->n = n;
	return err;
}

/* Losses of all peers are looked on at once */
static int explain_all(struct tool *t, double seconds, struct facts *f,
		       struct verdict *v)
{
	struct contexts before = { 0 };
	unsigned int n, found = 0;
	struct peers p = { 0 };
	size_t i;
	int err = counts_look(t, NULL, seconds, &before);

	if (!err)
		err = find_peers(t, &p);
	for (i = 0; !err && i < p.n; i++) {
		err = facts_gather(t, &p.of[i], seconds, &before, f);
		n = err ? 0 : facts_judge(f, v);
		if (!in_trouble(v, n))
			continue;
		found++;
		if (t->opts.json)
			put_json(&t->out, f, v, n);
		else
			put_head(t->out.to, f, v->cause);
	}
	if (!err && !found && !t->opts.json)
		fprintf(t->out.to, "none of the peers (%zu) is in trouble\n", p.n);
	free(before.of);
	free(p.of);
	return err;
}

/* "[ PEER ] [ -i SECONDS ]", in any order */
static int parse(int argc, char **argv, struct tick *look, struct in6_addr *peer,
		 bool *known)
{
	int took;

	while (argc) {
		took = tick_option(look, &argc, &argv);
		if (took < 0)
			return EXIT_USAGE;
		if (took)
			continue;
		if (*known || !addr_parse(*argv, peer))
			break;
		*known = true;
		argc--;
		argv++;
	}
	if (argc || look->count)
		return usage_error("\"explain\" takes the address of a peer");
	return 0;
}

int explain_run(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	struct tick look = { .interval = LOOK_SECONDS };
	struct verdict *v;
	struct in6_addr peer;
	struct facts *f;
	bool one = false;
	unsigned int n;
	int err;

	(void)cmd;
	err = parse(argc, argv, &look, &peer, &one);
	if (err)
		return err;
	f = calloc(1, sizeof(*f));
	v = calloc(VERDICTS_MAX, sizeof(*v));
	if (!f || !v) {
		err = usage_error("no memory");
		goto out;
	}
	err = kernel_status(nl_open(&t->nl));
	if (err)
		goto out;
	out_list(&t->out);
	if (!one) {
		err = explain_all(t, look.interval, f, v);
	} else {
		err = facts_gather(t, &peer, look.interval, NULL, f);
		n = err ? 0 : facts_judge(f, v);
		if (!err && t->opts.json)
			put_json(&t->out, f, v, n);
		else if (!err)
			put_text(t->out.to, f, v, n);
	}
	out_list_end(&t->out);
	err = kernel_status(err);
out:
	free(f);
	free(v);
	return err;
}
