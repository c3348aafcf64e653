// SPDX-License-Identifier: GPL-2.0
/*
 * "explain": on one screen, where the bytes for a peer wait, since when, and which
 * command tells more. The first line names what is to be looked at first.
 */
#include <stdlib.h>

#include "explain.h"
#include "units.h"
#include "verbs.h"

static void put_text(FILE *to, const struct facts *f, const struct verdict *v,
		     unsigned int n)
{
	char text[UNIT_TEXT];
	unsigned int i;

	bytes_text(f->bytes, text, sizeof(text));
	fprintf(to, "%s: %s", f->peer, n ? v->cause :
		f->cccs || f->pdcs ? "nothing waits" : "nothing is known of it");
	fprintf(to, ", %u messages, %s\n", f->msgs, text);
	for (i = 0; i < n; i++) {
		fprintf(to, "%s", v[i].cause);
		if (v[i].since_ns) {
			ns_text(v[i].since_ns, text, sizeof(text));
			fprintf(to, " since %s", text);
		}
		fprintf(to, "\n    %s\n    more: %s\n", v[i].text, v[i].more);
	}
}

static void put_json(struct out *o, const struct facts *f,
		     const struct verdict *v, unsigned int n)
{
	unsigned int i;

	out_list(o);
	out_object(o, NULL);
	out_str(o, "peer", f->peer, 0);
	out_num(o, "msgs", K_NUM, f->msgs, 0);
	out_num(o, "bytes", K_BYTES, f->bytes, 0);
	out_array(o, "causes");
	for (i = 0; i < n; i++) {
		out_object(o, NULL);
		out_str(o, "cause", v[i].cause, 0);
		out_num(o, "since_ns", K_NS, v[i].since_ns, 0);
		out_str(o, "text", v[i].text, 0);
		out_str(o, "more", v[i].more, 0);
		out_object_end(o);
	}
	out_array_end(o);
	out_object_end(o);
	out_list_end(o);
}

int explain_run(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	struct verdict *v;
	struct in6_addr peer;
	struct facts *f;
	int err;

	(void)cmd;
	if (argc != 1 || !addr_parse(argv[0], &peer))
		return usage_error("\"explain\" wants the address of a peer");
	f = calloc(1, sizeof(*f));
	v = calloc(VERDICTS_MAX, sizeof(*v));
	if (!f || !v) {
		err = usage_error("no memory");
		goto out;
	}
	err = kernel_status(facts_gather(t, &peer, f));
	if (err)
		goto out;
	if (t->opts.json)
		put_json(&t->out, f, v, facts_judge(f, v));
	else
		put_text(t->out.to, f, v, facts_judge(f, v));
out:
	free(f);
	free(v);
	return err;
}
