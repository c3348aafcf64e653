// SPDX-License-Identifier: GPL-2.0
#include <linux/uet_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "complete.h"
#include "counters.h"
#include "field.h"
#include "names.gen.h"

static void put(const char *word, const char *begin)
{
	char text[VALUE_TEXT];

	if (strncmp(word, begin, strlen(begin)))
		return;
	text_safe(word, text, sizeof(text));
	puts(text);
}

static void put_names(const struct names *names, const char *begin)
{
	unsigned int i;

	for (i = 0; i < names->n; i++)
		put(names->of[i].name, begin);
}

static void put_commands(const struct cmd *table, const char *begin)
{
	for (; table->name; table++)
		put(table->name, begin);
	put("help", begin);
}

/* What the kernel is asked for */
struct asking {
	const char *begin;
	uint32_t scope;
};

static void put_param(const struct attrs *a, void *arg)
{
	const struct asking *ask = arg;

	if (attr_num(a, UET_A_PARAM_SCOPE) & ask->scope)
		put(attr_str(a, UET_A_PARAM_NAME), ask->begin);
}

static void put_peer(const struct attrs *a, void *arg)
{
	const struct asking *ask = arg;
	struct in6_addr addr;
	char text[ADDR_TEXT];

	if (!attr_addr(a, UET_A_CCC_REMOTE, &addr))
		return;
	addr_text(&addr, text, sizeof(text));
	put(text, ask->begin);
}

static void put_rule(const struct attrs *a, void *arg)
{
	const struct asking *ask = arg;
	struct in6_addr addr;
	char text[ADDR_TEXT];

	if (!attr_addr(a, UET_A_RULE_PREFIX, &addr))
		return;
	prefix_text(&addr, attr_num(a, UET_A_RULE_PLEN), text, sizeof(text));
	put(text, ask->begin);
}

static void ask_dump(struct tool *t, uint8_t cmd, nl_object_fn fn,
		     struct asking *ask)
{
	nl_talk(&t->nl, nl_request(&t->nl, cmd, true), fn, ask);
}

static void put_counters(struct tool *t, const char *begin)
{
	struct counters *c = calloc(1, sizeof(*c));
	unsigned int i;

	if (c && !counters_read(t, NULL, c))
		for (i = 0; i < c->n; i++)
			put(c->of[i].name, begin);
	free(c);
}

static void put_asked(struct tool *t, enum ask what, const char *begin)
{
	struct asking ask = { begin, UET_SETTING_SCOPE_NET };

	/* Without the module there is nothing to offer */
	if (what == ASK_NOTHING || nl_open(&t->nl))
		return;
	switch (what) {
	case ASK_PARAMS:
		return ask_dump(t, UET_CMD_PARAM_GET, put_param, &ask);
	case ASK_PEER_PARAMS:
		ask.scope = UET_SETTING_SCOPE_PEER;
		ask_dump(t, UET_CMD_PARAM_GET, put_param, &ask);
		put("unset", begin);
		return ask_dump(t, UET_CMD_PEER_GET, put_rule, &ask);
	case ASK_COUNTERS:
		return put_counters(t, begin);
	case ASK_PEERS:
		return ask_dump(t, UET_CMD_CCC_GET, put_peer, &ask);
	case ASK_RULES:
		return ask_dump(t, UET_CMD_PEER_GET, put_rule, &ask);
	case ASK_EVENTS:
		put_names(&names_what, begin);
		return put("peer", begin);
	default:
		return;
	}
}

static const struct arg *arg_named(const struct arg *arg, const char *word)
{
	for (; arg && arg->word; arg++)
		if (abbreviates(word, arg->word))
			return arg;
	return NULL;
}

/* After a verb: keywords, or the value of the last one */
static void complete_args(struct tool *t, const struct cmd *verb, int argc,
			  char **argv)
{
	const char *begin = argv[argc - 1];
	const struct arg *arg = argc > 1 ? arg_named(verb->args, argv[argc - 2]) :
			NULL;

	if (arg && arg->kind == ARG_NAME)
		return put_names(arg->names, begin);
	if (arg && arg->kind == ARG_PREFIX)
		return put_asked(t, ASK_PEERS, begin);
	if (arg && arg->kind != ARG_FLAG)
		return;
	for (arg = verb->args; arg && arg->word; arg++)
		put(arg->word, begin);
	put_asked(t, verb->ask, begin);
	if (argc == 1)
		put("help", begin);
}

/**
 * complete_run() - print the words that may stand in place of the last one
 * @t: tool
 * @argc: number of words
 * @argv: words of a command line after its options, the last one not complete
 *
 * Return: 0; there may be no such word.
 */
int complete_run(struct tool *t, int argc, char **argv)
{
	const struct cmd *obj = NULL, *verb = NULL;

	t->nl.quiet = true;
	if (argc < 1)
		return 0;
	if (argc == 1) {
		put_commands(objects, argv[0]);
		return 0;
	}
	if (cmd_find(objects, argv[0], &obj) || !obj)
		return 0;
	if (!obj->verbs) {
		complete_args(t, obj, argc - 1, argv + 1);
		return 0;
	}
	if (argc == 2) {
		put_commands(obj->verbs, argv[1]);
		return 0;
	}
	if (cmd_find(obj->verbs, argv[1], &verb) || !verb)
		return 0;
	complete_args(t, verb, argc - 2, argv + 2);
	return 0;
}
