// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the command that words name, and explains commands.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "names.h"

#define CMD_DEPTH	3

/**
 * cmd_find() - the command of a word, which may be abbreviated
 * @table: commands
 * @word: the word
 * @cmd: set; NULL if there is none
 *
 * Return: 0, or EXIT_USAGE if several begin so, which is printed.
 */
int cmd_find(const struct cmd *table, const char *word, const struct cmd **cmd)
{
	const struct cmd *c;
	int n = 0;

	*cmd = NULL;
	for (c = table; c->name; c++) {
		if (!strcmp(word, c->name)) {
			*cmd = c;
			return 0;
		}
		if (!abbreviates(word, c->name))
			continue;
		*cmd = c;
		n++;
	}
	if (n < 2)
		return 0;
	fprintf(stderr, "Error: \"%s\" is ambiguous:", word);
	for (c = table; c->name; c++)
		if (abbreviates(word, c->name))
			fprintf(stderr, " %s", c->name);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

static void help_words(FILE *to, const struct cmd *const *above, int n)
{
	int i;

	fputs("uet", to);
	for (i = 0; i < n; i++)
		fprintf(to, " %s", above[i]->name);
}

static void help_args(FILE *to, const struct arg *arg)
{
	char left[64];

	for (; arg && arg->word; arg++) {
		snprintf(left, sizeof(left), "%s %s", arg->word,
			 arg_value_name(arg));
		fprintf(to, "  %-22s %s", left, arg->help);
		if (arg->kind == ARG_NAME) {
			unsigned int i;

			for (i = 0; i < arg->names->n; i++)
				fprintf(to, "%s%s", i ? ", " : ": ",
					arg->names->of[i].name);
		}
		fputc('\n', to);
	}
}

static void help_verb(FILE *to, const struct cmd *const *above, int n,
		      const struct cmd *cmd)
{
	fputs("Usage: ", to);
	help_words(to, above, n);
	fprintf(to, " %s%s%s%s\n", cmd->name, cmd->usage ? " " : "",
		cmd->usage ? cmd->usage : "",
		cmd->args && cmd->args->word ? " [ KEYWORD VALUE ]..." : "");
	fprintf(to, "  %s\n", cmd->help);
	if (cmd->args && cmd->args->word)
		fputs("Keywords:\n", to);
	help_args(to, cmd->args);
}

static void help_table(FILE *to, const struct cmd *const *above, int n,
		       const struct cmd *table)
{
	const struct cmd *c;

	fputs("Usage: ", to);
	help_words(to, above, n);
	fputs(" {", to);
	for (c = table; c->name; c++)
		fprintf(to, " %s |", c->name);
	fputs(" help }\n", to);
	for (c = table; c->name; c++)
		fprintf(to, "  %-8s %s\n", c->name, c->help);
}

static void help_all(FILE *to)
{
	const struct cmd *c;

	fputs("Usage: uet [ OPTIONS ] OBJECT { COMMAND | help }\n"
	      "       uet [ -force ] -batch FILE\n"
	      "Objects:\n", to);
	for (c = objects; c->name; c++)
		fprintf(to, "  %-9s %s\n", c->name, c->help);
	fputs("Options:\n"
	      "  -j[son]           JSON\n"
	      "  -p[retty]         JSON with line breaks\n"
	      "  -s[tatistics]     counters, too\n"
	      "  -d[etails]        everything else, too\n"
	      "  -n[etns] NAME     in another network namespace\n"
	      "  -N[umeric]        numbers as the kernel has them\n"
	      "  -r[esolve]        names of hosts in place of addresses\n"
	      "  -b[atch] FILE     commands from a file, - is standard input\n"
	      "  -force            a batch goes on after an error\n"
	      "  -c[olor][=WHEN]   always, auto, never\n"
	      "  -t[imestamp]      events with their time\n"
	      "  -V[ersion]        version\n", to);
}

/**
 * cmd_help() - explain a command
 * @to: standard output, or standard error after wrong arguments
 * @above: the objects that it is below
 * @n: how many
 * @cmd: the command, NULL = all
 */
void cmd_help(FILE *to, const struct cmd *const *above, int n,
	      const struct cmd *cmd)
{
	const struct cmd *chain[CMD_DEPTH];

	if (!cmd)
		return help_all(to);
	if (!cmd->verbs)
		return help_verb(to, above, n, cmd);
	if (n)
		memcpy(chain, above, n * sizeof(*above));
	chain[n] = cmd;
	help_table(to, chain, n + 1, cmd->verbs);
}

static bool asks_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "-h") ||
	       !strcmp(word, "-help") || !strcmp(word, "--help");
}

/* A word that no verb is: a keyword's value or an option of the usual verb */
static bool for_usual_verb(const char *word)
{
	return word[0] == '-' || strpbrk(word, ".:");
}

static int run_verb(struct tool *t, const struct cmd *const *above, int n,
		    const struct cmd *cmd, int argc, char **argv)
{
	if (argc && asks_help(argv[0])) {
		cmd_help(stdout, above, n, cmd);
		return 0;
	}
	return cmd->run(t, cmd, argc, argv);
}

static int run_object(struct tool *t, const struct cmd *obj, int argc,
		      char **argv)
{
	const struct cmd *verb = obj->verbs;

	if (argc && asks_help(argv[0])) {
		cmd_help(stdout, NULL, 0, obj);
		return 0;
	}
	if (!argc || for_usual_verb(argv[0]))
		return run_verb(t, &obj, 1, verb, argc, argv);
	if (cmd_find(obj->verbs, argv[0], &verb))
		return EXIT_USAGE;
	if (verb)
		return run_verb(t, &obj, 1, verb, argc - 1, argv + 1);
	if (abbreviates(argv[0], "help")) {
		cmd_help(stdout, NULL, 0, obj);
		return 0;
	}
	usage_error("%s knows no \"%s\"", obj->name, argv[0]);
	cmd_help(stderr, NULL, 0, obj);
	return EXIT_USAGE;
}

/**
 * cmd_run() - do what the words say
 * @t: tool
 * @argc: number of words, at least one
 * @argv: words, options excluded
 *
 * Return: exit status.
 */
int cmd_run(struct tool *t, int argc, char **argv)
{
	const struct cmd *obj;

	if (asks_help(argv[0])) {
		cmd_help(stdout, NULL, 0, NULL);
		return 0;
	}
	if (cmd_find(objects, argv[0], &obj))
		return EXIT_USAGE;
	if (obj && obj->verbs)
		return run_object(t, obj, argc - 1, argv + 1);
	if (obj)
		return run_verb(t, NULL, 0, obj, argc - 1, argv + 1);
	if (abbreviates(argv[0], "help")) {
		cmd_help(stdout, NULL, 0, NULL);
		return 0;
	}
	return usage_error("there is no object \"%s\"; try \"uet help\"", argv[0]);
}
