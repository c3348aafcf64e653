// SPDX-License-Identifier: GPL-2.0
/*
 * The command "uet": options, and where output ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"
#include "cmd.h"
#include "complete.h"
#include "netns.h"

#ifndef UET_TOOL_VERSION
#define UET_TOOL_VERSION	"0"
#endif

enum option {
	OPT_JSON, OPT_PRETTY, OPT_STATS, OPT_DETAILS, OPT_NUMERIC, OPT_STAMP,
	OPT_FORCE, OPT_NETNS, OPT_BATCH, OPT_COLOUR, OPT_VERSION, OPT_HELP,
};

/* Long names may be cut down to the short ones, with one or two dashes */
static const struct {
	const char *name;
	size_t least;
	enum option option;
} options[] = {
	{ "json", 1, OPT_JSON },
	{ "pretty", 1, OPT_PRETTY },
	{ "statistics", 1, OPT_STATS },
	{ "stats", 1, OPT_STATS },
	{ "details", 1, OPT_DETAILS },
	{ "netns", 1, OPT_NETNS },
	{ "Numeric", 1, OPT_NUMERIC },
	{ "numeric", 2, OPT_NUMERIC },
	{ "batch", 1, OPT_BATCH },
	{ "force", 1, OPT_FORCE },
	{ "color", 1, OPT_COLOUR },
	{ "colour", 5, OPT_COLOUR },
	{ "timestamp", 1, OPT_STAMP },
	{ "Version", 1, OPT_VERSION },
	{ "version", 1, OPT_VERSION },
	{ "help", 1, OPT_HELP },
};

static int find_option(const char *word)
{
	size_t i, len = strcspn(word, "=");

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (len >= options[i].least &&
		    !strncmp(word, options[i].name, len) &&
		    len <= strlen(options[i].name) &&
		    (!word[len] || options[i].option == OPT_COLOUR))
			return options[i].option;
	return -1;
}

/* NO_COLOR asks for none, unless it is asked for here */
static int set_colour(struct opts *opts, const char *when)
{
	const char *no = getenv("NO_COLOR");

	if (!when || !strcmp(when, "always"))
		opts->colour = when || !no || !*no;
	else if (!strcmp(when, "auto"))
		opts->colour = isatty(STDOUT_FILENO) && (!no || !*no);
	else if (!strcmp(when, "never"))
		opts->colour = false;
	else
		return usage_error("-color takes always, auto or never, not \"%s\"",
				   when);
	return 0;
}

static int take_option(struct opts *opts, int option, const char *word,
		       const char *value)
{
	const char *when = strchr(word, '=');

	switch (option) {
	case OPT_PRETTY:
		opts->pretty = true;
		return 0;
	case OPT_JSON:
		opts->json = true;
		return 0;
	case OPT_STATS:
		opts->stats = true;
		return 0;
	case OPT_DETAILS:
		opts->details = true;
		return 0;
	case OPT_NUMERIC:
		opts->numeric = true;
		return 0;
	case OPT_STAMP:
		opts->stamp = true;
		return 0;
	case OPT_FORCE:
		opts->force = true;
		return 0;
	case OPT_NETNS:
		opts->netns = value;
		return 0;
	case OPT_BATCH:
		opts->batch = value;
		return 0;
	case OPT_COLOUR:
		return set_colour(opts, when ? when + 1 : NULL);
	default:
		return usage_error("there is no option \"%s\"; try \"uet help\"",
				   word);
	}
}

/* What was asked for is shown already */
#define ALL_DONE	(-256)

/* Return: words that were options, ALL_DONE, or a negative exit status */
static int parse_options(struct opts *opts, int argc, char **argv)
{
	int i, option;
	bool value;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		const char *word = argv[i] + 1;

		if (!strcmp(argv[i], "--"))
			return i + 1;
		word += *word == '-';
		option = find_option(word);
		if (option == OPT_VERSION || option == OPT_HELP) {
			if (option == OPT_VERSION)
				puts("uet utility, " UET_TOOL_VERSION);
			else
				cmd_help(stdout, NULL, 0, NULL);
			return ALL_DONE;
		}
		value = option == OPT_NETNS || option == OPT_BATCH;
		if (value && i + 1 == argc) {
			usage_error("%s wants a value", argv[i]);
			return -EXIT_USAGE;
		}
		if (take_option(opts, option, argv[i] + 1, argv[i + value]))
			return -EXIT_USAGE;
		i += value;
	}
	return i;
}

static int run(struct tool *t, int argc, char **argv)
{
	int err;

	if (t->opts.netns) {
		err = netns_enter(t->opts.netns);
		if (err) {
			fprintf(stderr, "Error: network namespace %s: %s.\n",
				t->opts.netns, strerror(-err));
			return EXIT_USAGE;
		}
	}
	if (t->opts.batch) {
		if (argc)
			return usage_error("-batch goes without a command");
		return batch_run(t, t->opts.batch);
	}
	if (!argc) {
		cmd_help(stderr, NULL, 0, NULL);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[0], COMPLETE_WORD))
		return complete_run(t, argc - 1, argv + 1);
	return cmd_run(t, argc, argv);
}

/* That nobody reads the output any more needs no words; a full disk does */
static int finish(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	if (errno != EPIPE)
		fprintf(stderr, "Error: write: %s.\n", strerror(errno));
	return status ? status : EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct tool t = { 0 };
	int skip, status;

	set_colour(&t.opts, "never");
	skip = parse_options(&t.opts, argc, argv);
	if (skip == ALL_DONE)
		return finish(0);
	if (skip < 0)
		return -skip;
	out_init(&t.out, &t.opts, stdout);
	status = run(&t, argc - skip, argv + skip);
	nl_close(&t.nl);
	return finish(status);
}
