// SPDX-License-Identifier: GPL-2.0
#include <libmnl/libmnl.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "addr.h"
#include "args.h"
#include "names.h"
#include "opts.h"
#include "units.h"
#include "value.h"

/* What the kernel takes; it does not say which attribute was out of its range */
#define PID_MOST	0xfff
#define LIMIT_MOST	4096

/* Longest message; longer ones are cut */
#define ERROR_TEXT	400

/**
 * usage_error() - say what is wrong with the arguments
 * @format: as printf(); words of the arguments may hold anything
 *
 * Return: EXIT_USAGE.
 */
int usage_error(const char *format, ...)
{
	char raw[ERROR_TEXT], text[ERROR_TEXT * 4];
	va_list ap;

	va_start(ap, format);
	vsnprintf(raw, sizeof(raw), format, ap);
	va_end(ap);
	text_safe(raw, text, sizeof(text));
	fprintf(stderr, "Error: %s.\n", text);
	return EXIT_USAGE;
}

bool abbreviates(const char *word, const char *full)
{
	return *word && !strncmp(word, full, strlen(word));
}

/* Which keyword a word is; NULL if none. *many: several */
static const struct arg *find(const struct arg *table, const char *word,
			      bool *many)
{
	const struct arg *arg, *found = NULL;

	*many = false;
	for (arg = table; arg->word; arg++) {
		if (!strcmp(word, arg->word)) {
			*many = false;
			return arg;
		}
		if (!abbreviates(word, arg->word))
			continue;
		*many = found;
		found = arg;
	}
	return found;
}

static int list_candidates(const struct arg *table, const char *word)
{
	const struct arg *arg;

	fprintf(stderr, "Error: \"%s\" is ambiguous:", word);
	for (arg = table; arg->word; arg++)
		if (abbreviates(word, arg->word))
			fprintf(stderr, " %s", arg->word);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

static int list_names(const struct arg *arg, const char *text)
{
	char names[ERROR_TEXT / 2] = "";
	unsigned int i;

	for (i = 0; i < arg->names->n; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names),
			 " %s", arg->names->of[i].name);
	return usage_error("%s takes one of%s, not \"%s\"", arg->word, names, text);
}

static int parse_name(const struct arg *arg, const char *text, uint64_t *num)
{
	const char *some = NULL;
	unsigned int i;

	for (i = 0; i < arg->names->n; i++) {
		if (!strcmp(text, arg->names->of[i].name)) {
			*num = i;
			return 0;
		}
		if (!abbreviates(text, arg->names->of[i].name))
			continue;
		if (some)
			return usage_error("%s \"%s\" may be %s or %s", arg->word,
					   text, some, arg->names->of[i].name);
		some = arg->names->of[i].name;
		*num = i;
	}
	return some ? 0 : list_names(arg, text);
}

static bool parse_dev(const char *text, uint64_t *num)
{
	*num = if_nametoindex(text);
	return *num || number_parse(text, INT32_MAX, num);
}

static bool parse_plain(const struct arg *arg, const char *text,
			struct given *v)
{
	switch (arg->kind) {
	case ARG_PREFIX:
		return prefix_parse(text, &v->addr, &v->plen);
	case ARG_ADDR:
		v->plen = 128;
		return addr_parse(text, &v->addr);
	case ARG_U16:
		return number_parse(text, UINT16_MAX, &v->num);
	case ARG_U32:
		return number_parse(text, UINT32_MAX, &v->num);
	case ARG_PID:
		return number_parse(text, PID_MOST, &v->num);
	case ARG_LIMIT:
		return number_parse(text, LIMIT_MOST, &v->num) && v->num;
	case ARG_U64:
		return number_parse(text, UINT64_MAX, &v->num);
	case ARG_DEV:
		return parse_dev(text, &v->num);
	default:
		return false;
	}
}

/**
 * arg_value_name() - what follows a keyword, for usage
 */
const char *arg_value_name(const struct arg *arg)
{
	switch (arg->kind) {
	case ARG_PREFIX:
		return "ADDR[/LEN]";
	case ARG_ADDR:
		return "ADDR";
	case ARG_NAME:
		return "NAME";
	case ARG_DEV:
		return "DEV";
	case ARG_FLAG:
		return "";
	case ARG_PID:
		return "0..4095";
	case ARG_U16:
		return "0..65535";
	case ARG_LIMIT:
		return "1..4096";
	default:
		return "NUMBER";
	}
}

static int parse_value(const struct arg *arg, const char *text,
		       struct given *v)
{
	if (v->is)
		return usage_error("%s is given twice", arg->word);
	v->is = true;
	if (arg->kind == ARG_FLAG)
		return 0;
	if (!text)
		return usage_error("%s wants a value: %s", arg->word,
				   arg_value_name(arg));
	if (arg->kind == ARG_NAME)
		return parse_name(arg, text, &v->num);
	if (!parse_plain(arg, text, v))
		return usage_error("%s takes %s, not \"%s\"", arg->word,
				   arg_value_name(arg), text);
	return 0;
}

/* Whether a word is the value of the first keyword */
static bool bare(const struct arg *table, const char *word)
{
	return table->word &&
	       (table->kind == ARG_PREFIX || table->kind == ARG_ADDR) &&
	       strpbrk(word, ".:");
}

/**
 * args_parse() - read words
 * @args: set
 * @table: keywords
 * @argc: number of words
 * @argv: words
 *
 * Return: 0, or EXIT_USAGE after an error was printed.
 */
int args_parse(struct args *args, const struct arg *table, int argc,
	       char **argv)
{
	const struct arg *arg;
	int i, err;
	bool many;

	*args = (struct args){ .table = table };
	for (i = 0; i < argc; i++) {
		if (bare(table, argv[i])) {
			err = parse_value(table, argv[i], &args->v[0]);
			if (err)
				return err;
			continue;
		}
		arg = find(table, argv[i], &many);
		if (many)
			return list_candidates(table, argv[i]);
		if (!arg)
			return usage_error("what is \"%s\"? \"help\" lists what there is",
					   argv[i]);
		if (arg->kind != ARG_FLAG)
			i++;
		err = parse_value(arg, i < argc ? argv[i] : NULL,
				  &args->v[arg - table]);
		if (err)
			return err;
	}
	return 0;
}

/**
 * args_get() - the value of a keyword
 *
 * Return: the value, or NULL if it was not given.
 */
const struct given *args_get(const struct args *args, const char *word)
{
	int i;

	for (i = 0; args->table[i].word; i++)
		if (!strcmp(args->table[i].word, word))
			return args->v[i].is ? &args->v[i] : NULL;
	return NULL;
}

static void put(const struct arg *arg, const struct given *v,
		struct nlmsghdr *req)
{
	switch (arg->kind) {
	case ARG_PREFIX:
		mnl_attr_put(req, arg->attr, sizeof(v->addr), &v->addr);
		mnl_attr_put_u8(req, arg->attr + 1, v->plen);
		break;
	case ARG_ADDR:
		mnl_attr_put(req, arg->attr, sizeof(v->addr), &v->addr);
		break;
	case ARG_U16:
		mnl_attr_put_u16(req, arg->attr, v->num);
		break;
	case ARG_U64:
		mnl_attr_put_u64(req, arg->attr, v->num);
		break;
	case ARG_FLAG:
		mnl_attr_put(req, arg->attr, 0, NULL);
		break;
	default:
		mnl_attr_put_u32(req, arg->attr, v->num);
	}
}

/**
 * args_put() - add the filter that was given to a request
 * @args: what was given
 * @req: request
 * @nest: attribute that holds the filter
 */
void args_put(const struct args *args, struct nlmsghdr *req, uint16_t nest)
{
	struct nlattr *start = NULL;
	int i;

	for (i = 0; args->table[i].word; i++) {
		if (!args->v[i].is || !args->table[i].attr)
			continue;
		if (!start)
			start = mnl_attr_nest_start(req, nest);
		put(&args->table[i], &args->v[i], req);
	}
	if (start)
		mnl_attr_nest_end(req, start);
}
