// SPDX-License-Identifier: GPL-2.0
#include <linux/uet_netlink.h>
#include <stdio.h>
#include <string.h>

#include "field.h"
#include "setting.h"
#include "units.h"

#define LIST_MAX	12

/* Those that a word may mean */
struct finding {
	const char *word;
	uint32_t scope;
	struct setting first;
	int n;
	bool exact;
	char names[LIST_MAX][40];
};

static void found(const struct attrs *a, void *arg)
{
	struct finding *f = arg;
	const char *name = attr_str(a, UET_A_PARAM_NAME);
	bool exact = !strcmp(name, f->word);

	if (!(attr_num(a, UET_A_PARAM_SCOPE) & f->scope) || f->exact ||
	    !abbreviates(f->word, name))
		return;
	if (f->n < LIST_MAX)
		snprintf(f->names[f->n], sizeof(f->names[0]), "%s", name);
	if (f->n++ && !exact)
		return;
	f->exact = exact;
	snprintf(f->first.name, sizeof(f->first.name), "%s", name);
	snprintf(f->first.unit, sizeof(f->first.unit), "%s",
		 attr_str(a, UET_A_PARAM_UNIT));
	f->first.kind = attr_num(a, UET_A_PARAM_KIND);
	f->first.scope = attr_num(a, UET_A_PARAM_SCOPE);
}

/**
 * setting_find() - the setting that a word means, which may be abbreviated
 * @t: tool
 * @word: the word
 * @scope: UET_SETTING_SCOPE_* that it must have one of
 * @set: set
 *
 * Return: 0, or the exit status after an error was printed.
 */
int setting_find(struct tool *t, const char *word, uint32_t scope,
		 struct setting *set)
{
	struct finding f = { .word = word, .scope = scope };
	struct nlmsghdr *req;
	int err, i;

	if (!*word || strlen(word) >= UET_NAME_LEN)
		return usage_error("there is no setting \"%s\"", word);
	err = nl_open(&t->nl);
	if (err)
		return kernel_status(err);
	req = nl_request(&t->nl, UET_CMD_PARAM_GET, true);
	mnl_attr_put_strz(req, UET_A_PARAM_NAME, word);
	err = nl_talk(&t->nl, req, found, &f);
	if (err)
		return kernel_status(err);
	*set = f.first;
	if (f.exact || f.n == 1)
		return 0;
	if (!f.n)
		return usage_error("there is no setting \"%s\"%s", word,
				   scope == UET_SETTING_SCOPE_PEER ?
				   " of peers" : "");
	fprintf(stderr, "Error: \"%s\" is ambiguous:", word);
	for (i = 0; i < f.n && i < LIST_MAX; i++)
		fprintf(stderr, " %s", f.names[i]);
	fputs(f.n > LIST_MAX ? " ...\n" : "\n", stderr);
	return EXIT_USAGE;
}

/**
 * setting_value() - read a value of a setting
 * @set: the setting
 * @text: the value, numbers may have a suffix such as us or M
 * @value: set; refers to @text
 *
 * Return: 0, or EXIT_USAGE after an error was printed.
 */
int setting_value(const struct setting *set, const char *text,
		  struct setting_value *value)
{
	value->word = NULL;
	if (set->kind == UET_KIND_WORD) {
		if (!*text || strlen(text) >= UET_NAME_LEN)
			return usage_error("%s takes no such name", set->name);
		value->word = text;
		return 0;
	}
	if (!quantity_parse(text, set->unit, &value->number))
		return usage_error("%s takes a whole number of %s, not \"%s\"",
				   set->name, *set->unit ? set->unit : "units",
				   text);
	return 0;
}
