// SPDX-License-Identifier: GPL-2.0
/*
 * Object "param": settings of the namespace.
 */
#include <linux/uet_netlink.h>
#include <string.h>

#include "field.h"
#include "names.gen.h"
#include "setting.h"
#include "verbs.h"

static const struct field fields[] = {
	{ "name", UET_A_PARAM_NAME, K_STR, F_BARE },
	{ "value", UET_A_PARAM_NUMBER, K_INT, F_BARE },
	{ "value", UET_A_PARAM_WORD, K_STR, F_BARE },
	{ "unit", UET_A_PARAM_UNIT, K_STR, F_DETAILS | F_LINE },
	{ "least", UET_A_PARAM_LEAST, K_INT, F_DETAILS },
	{ "most", UET_A_PARAM_MOST, K_INT, F_DETAILS },
	{ "default", UET_A_PARAM_DEFAULT, K_INT, F_DETAILS },
	{ "default", UET_A_PARAM_DEFAULT_WORD, K_STR, F_DETAILS },
	{ "scope", UET_A_PARAM_SCOPE, K_FLAGS, F_DETAILS | F_LINE,
	  &names_setting_scope },
	{ "traits", UET_A_PARAM_TRAITS, K_FLAGS, F_DETAILS, &names_trait },
	{ "help", UET_A_PARAM_HELP, K_STR, F_DETAILS | F_LINE },
	{ 0 }
};

struct showing {
	struct out *out;
	const char *exact;	/* only this one */
	unsigned int n;
};

/* Those of other scopes have no value here */
static bool of_namespace(const struct attrs *a)
{
	return attr_has(a, UET_A_PARAM_NUMBER) || attr_has(a, UET_A_PARAM_WORD);
}

/* The words that a setting takes: an array in JSON, a line of text */
static void choices_out(struct out *o, const struct attrs *a)
{
	const struct nlattr *at = a->at[UET_A_PARAM_CHOICE];
	const char *key = o->opts->json ? NULL : "choice";
	struct attrs one = { 0 };
	unsigned int how = OUT_LINE;

	if (!at)
		return;
	out_array(o, "choice");
	for (; at; at = attr_again(a, at)) {
		one.at[UET_A_PARAM_CHOICE] = at;
		out_str(o, key, attr_str(&one, UET_A_PARAM_CHOICE), how);
		how = OUT_BARE;
	}
	out_array_end(o);
}

static void show_one(const struct attrs *a, void *arg)
{
	struct showing *s = arg;

	if (!of_namespace(a) && !s->out->opts->details)
		return;
	if (s->exact && strcmp(attr_str(a, UET_A_PARAM_NAME), s->exact))
		return;
	s->n++;
	out_object(s->out, NULL);
	fields_out(s->out, fields, a);
	if (s->out->opts->details)
		choices_out(s->out, a);
	out_object_end(s->out);
}

static int dump(struct tool *t, const char *begin, nl_object_fn fn, void *arg)
{
	struct nlmsghdr *req = nl_request(&t->nl, UET_CMD_PARAM_GET, true);

	if (begin)
		mnl_attr_put_strz(req, UET_A_PARAM_NAME, begin);
	return nl_talk(&t->nl, req, fn, arg);
}

static void is_exact(const struct attrs *a, void *arg)
{
	const char **name = arg;

	if (*name && !strcmp(attr_str(a, UET_A_PARAM_NAME), *name))
		*name = NULL;
}

/* All that begin so; just the one whose whole name it is, if there is one */
static int param_show(struct tool *t, const struct cmd *cmd, int argc,
		      char **argv)
{
	struct showing s = { &t->out, NULL, 0 };
	const char *name = argc ? argv[0] : NULL, *missing = name;
	int err;

	(void)cmd;
	if (argc > 1)
		return usage_error("one name at most");
	if (name && (!*name || strlen(name) >= UET_NAME_LEN))
		return usage_error("there is no setting \"%s\"", name);
	err = nl_open(&t->nl);
	if (!err && name)
		err = dump(t, name, is_exact, &missing);
	if (err)
		return kernel_status(err);
	if (name && !missing)
		s.exact = name;
	out_list(&t->out);
	err = dump(t, name, show_one, &s);
	out_list_end(&t->out);
	if (!err && name && !s.n)
		return usage_error("there is no setting \"%s\"", name);
	return kernel_status(err);
}

static int param_set(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	struct setting_value value;
	struct nlmsghdr *req;
	struct setting set;
	int err;

	(void)cmd;
	if (argc != 2)
		return usage_error("\"param set\" wants a name and a value");
	err = setting_find(t, argv[0], UET_SETTING_SCOPE_NET, &set);
	if (!err)
		err = setting_value(&set, argv[1], &value);
	if (err)
		return err;
	req = nl_request(&t->nl, UET_CMD_PARAM_SET, false);
	mnl_attr_put_strz(req, UET_A_PARAM_NAME, set.name);
	if (value.word)
		mnl_attr_put_strz(req, UET_A_PARAM_WORD, value.word);
	else
		mnl_attr_put_u64(req, UET_A_PARAM_NUMBER, value.number);
	return kernel_status(nl_talk(&t->nl, req, NULL, NULL));
}

const struct cmd verbs_param[] = {
	{ .name = "show", .run = param_show, .usage = "[ NAME ]",
	  .ask = ASK_PARAMS,
	  .help = "list settings; with -d units, ranges and what they are for" },
	{ .name = "set", .run = param_set, .usage = "NAME VALUE",
	  .ask = ASK_PARAMS, .help = "change a setting; VALUE may have a unit" },
	{ 0 }
};
