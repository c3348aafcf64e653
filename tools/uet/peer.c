// SPDX-License-Identifier: GPL-2.0
/*
 * Object "peer": settings of peers, by prefix.
 */
#include <errno.h>
#include <linux/uet_netlink.h>
#include <string.h>

#include "field.h"
#include "setting.h"
#include "verbs.h"

static const struct field fields[] = {
	{ "prefix", UET_A_RULE_PREFIX, K_PREFIX, F_BARE },
	{ 0 }
};

static const struct field of_setting[] = {
	{ NULL, UET_A_SETTING_NUMBER, K_INT },
	{ NULL, UET_A_SETTING_WORD, K_STR },
};

/* A setting is a field with the setting's name */
static void setting_out(struct out *o, const struct nlattr *nest)
{
	struct attrs a;
	struct value v;
	size_t i;

	attrs_nested(&a, nest);
	for (i = 0; i < 2; i++)
		if (field_value(&of_setting[i], &a, &v))
			out_value(o, attr_str(&a, UET_A_SETTING_NAME), &v, 0);
}

static void show_one(const struct attrs *a, void *arg)
{
	const struct nlattr *set = a->at[UET_A_RULE_SETTING];
	struct out *o = arg;

	out_object(o, NULL);
	fields_out(o, fields, a);
	for (; set; set = attr_again(a, set))
		setting_out(o, set);
	out_object_end(o);
}

static int put_prefix(struct nlmsghdr *req, const char *text)
{
	struct in6_addr addr;
	uint8_t plen;

	if (!prefix_parse(text, &addr, &plen))
		return usage_error("\"%s\" is no ADDR[/LEN]", text);
	mnl_attr_put(req, UET_A_RULE_PREFIX, sizeof(addr), &addr);
	mnl_attr_put_u8(req, UET_A_RULE_PLEN, plen);
	return 0;
}

static int peer_show(struct tool *t, const struct cmd *cmd, int argc,
		     char **argv)
{
	struct nlmsghdr *req;
	int err;

	(void)cmd;
	if (argc > 1)
		return usage_error("one ADDR[/LEN] at most");
	err = nl_open(&t->nl);
	if (err)
		return kernel_status(err);
	req = nl_request(&t->nl, UET_CMD_PEER_GET, true);
	if (argc && put_prefix(req, argv[0]))
		return EXIT_USAGE;
	out_list(&t->out);
	err = nl_talk(&t->nl, req, show_one, &t->out);
	out_list_end(&t->out);
	return kernel_status(err);
}

/* Large enough for any number of settings that fits a request */
#define CHANGES_MAX	32

/**
 * struct changes - settings of a rule as they were given
 * @set: settings
 * @value: their values
 * @unset: no value any more
 * @n: how many
 */
struct changes {
	struct setting set[CHANGES_MAX];
	struct setting_value value[CHANGES_MAX];
	bool unset[CHANGES_MAX];
	int n;
};

/* NAME VALUE..., and for "set" also: unset NAME */
static int parse_changes(struct tool *t, bool may_unset, int argc, char **argv,
			 struct changes *c)
{
	int err;

	for (c->n = 0; argc; c->n++) {
		if (c->n == CHANGES_MAX)
			return usage_error("too many settings");
		if (argc == 1)
			return usage_error("%s wants a value", argv[0]);
		c->unset[c->n] = may_unset && !strcmp(argv[0], "unset");
		err = setting_find(t, argv[c->unset[c->n]],
				   UET_SETTING_SCOPE_PEER, &c->set[c->n]);
		if (!err && !c->unset[c->n])
			err = setting_value(&c->set[c->n], argv[1],
					    &c->value[c->n]);
		if (err)
			return err;
		argc -= 2;
		argv += 2;
	}
	return 0;
}

static void put_changes(struct nlmsghdr *req, const struct changes *c)
{
	struct nlattr *nest;
	int i;

	for (i = 0; i < c->n; i++) {
		if (c->unset[i]) {
			mnl_attr_put_strz(req, UET_A_RULE_UNSET, c->set[i].name);
			continue;
		}
		nest = mnl_attr_nest_start(req, UET_A_RULE_SETTING);
		mnl_attr_put_strz(req, UET_A_SETTING_NAME, c->set[i].name);
		if (c->value[i].word)
			mnl_attr_put_strz(req, UET_A_SETTING_WORD,
					  c->value[i].word);
		else
			mnl_attr_put_u64(req, UET_A_SETTING_NUMBER,
					 c->value[i].number);
		mnl_attr_nest_end(req, nest);
	}
}

static int change(struct tool *t, uint8_t cmd, int argc, char **argv)
{
	struct changes c = { .n = 0 };
	struct in6_addr addr;
	struct nlmsghdr *req;
	uint8_t plen;
	int err;

	if (!argc || !prefix_parse(argv[0], &addr, &plen))
		return usage_error("ADDR[/LEN] wanted%s%s", argc ? ", not " : "",
				   argc ? argv[0] : "");
	if (cmd == UET_CMD_PEER_DEL && argc > 1)
		return usage_error("one ADDR[/LEN] and nothing else");
	if (cmd != UET_CMD_PEER_DEL && argc < 3)
		return usage_error("settings wanted: NAME VALUE...");
	err = nl_open(&t->nl);
	if (err)
		return kernel_status(err);
	err = parse_changes(t, cmd == UET_CMD_PEER_SET, argc - 1, argv + 1, &c);
	if (err)
		return err;
	req = nl_request(&t->nl, cmd, false);
	put_prefix(req, argv[0]);
	put_changes(req, &c);
	return kernel_status(nl_talk(&t->nl, req, NULL, NULL));
}

static int peer_add(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	(void)cmd;
	return change(t, UET_CMD_PEER_NEW, argc, argv);
}

static int peer_set(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	(void)cmd;
	return change(t, UET_CMD_PEER_SET, argc, argv);
}

static int peer_del(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	(void)cmd;
	return change(t, UET_CMD_PEER_DEL, argc, argv);
}

const struct cmd verbs_peer[] = {
	{ .name = "show", .run = peer_show, .usage = "[ ADDR[/LEN] ]",
	  .ask = ASK_RULES, .help = "list prefixes with settings, the longest first" },
	{ .name = "add", .run = peer_add, .usage = "ADDR[/LEN] NAME VALUE ...",
	  .ask = ASK_PEER_PARAMS, .help = "settings for another prefix" },
	{ .name = "set", .run = peer_set,
	  .usage = "ADDR[/LEN] { NAME VALUE | unset NAME } ...",
	  .ask = ASK_PEER_PARAMS, .help = "change settings of a prefix" },
	{ .name = "del", .run = peer_del, .usage = "ADDR[/LEN]",
	  .ask = ASK_RULES, .help = "delete the settings of a prefix" },
	{ 0 }
};
