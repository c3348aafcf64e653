// SPDX-License-Identifier: GPL-2.0
/*
 * "explain": on one screen, where the bytes for a peer wait, since when, and which
 * command tells more. The first line names what is to be looked at first.
 */
#include <stdlib.h>

#include "explain.h"
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

static void put_text(FILE *to, const struct facts *f, const struct verdict *v,
		     unsigned int n)
{
	const char *cause = first_cause(v, n);
	char text[UNIT_TEXT];
	unsigned int i;

	bytes_text(f->bytes, text, sizeof(text));
	fprintf(to, "%s: %s", f->peer, cause ? cause :
		f->cccs || f->pdcs ? "nothing waits" : "nothing is known of it");
	fprintf(to, ", %u messages, %s\n", f->msgs, text);
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

	out_list(o);
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
	out_list_end(o);
}

/* "PEER [ -i SECONDS ]", in any order */
static int parse(int argc, char **argv, struct tick *look, struct in6_addr *peer)
{
	bool known = false;
	int took;

	while (argc) {
		took = tick_option(look, &argc, &argv);
		if (took < 0)
			return EXIT_USAGE;
		if (took)
			continue;
		if (known || !addr_parse(*argv, peer))
			break;
		known = true;
		argc--;
		argv++;
	}
	if (!known || argc || look->count)
		return usage_error("\"explain\" wants the address of a peer");
	return 0;
}

int explain_run(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	struct tick look = { .interval = LOOK_SECONDS };
	struct verdict *v;
	struct in6_addr peer;
	struct facts *f;
	unsigned int n;
	int err;

	(void)cmd;
	err = parse(argc, argv, &look, &peer);
	if (err)
		return err;
	f = calloc(1, sizeof(*f));
	v = calloc(VERDICTS_MAX, sizeof(*v));
	if (!f || !v) {
		err = usage_error("no memory");
		goto out;
	}
	err = kernel_status(facts_gather(t, &peer, look.interval, f));
	if (err)
		goto out;
	n = facts_judge(f, v);
	if (t->opts.json)
		put_json(&t->out, f, v, n);
	else
		put_text(t->out.to, f, v, n);
out:
	free(f);
	free(v);
	return err;
}
