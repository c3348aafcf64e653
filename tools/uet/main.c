// SPDX-License-Identifier: GPL-2.0
/*
 * The command "uet": options, and where output ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "addr.h"
#include "batch.h"
#include "cmd.h"
#include "complete.h"
#include "netns.h"

#ifndef UET_TOOL_VERSION
#define UET_TOOL_VERSION	"0"
#endif

enum option {
	OPT_JSON, OPT_PRETTY, OPT_STATS, OPT_DETAILS, OPT_NUMERIC, OPT_STAMP,
	OPT_FORCE, OPT_NETNS, OPT_BATCH, OPT_COLOUR, OPT_RESOLVE,
	OPT_VERSION, OPT_HELP,
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
	{ "resolve", 1, OPT_RESOLVE },
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

	if (!len)
		return -1;
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

	if (!value && (option == OPT_NETNS || option == OPT_BATCH))
		return usage_error("-%s wants a value", word);
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
	case OPT_RESOLVE:
		addr_resolve = true;
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

#define MODULE	"/sys/module/uet"

/* What of the module runs: that of an older package may still be loaded */
static void show_versions(void)
{
	FILE *f = fopen(MODULE "/version", "re");
	char version[64] = "";

	puts("uet utility, " UET_TOOL_VERSION);
	if (f && fgets(version, sizeof(version), f))
		version[strcspn(version, "\n")] = 0;
	if (f)
		fclose(f);
	if (access(MODULE, F_OK)) {
		puts("uet module, not loaded");
		return;
	}
	printf("uet module, %s\n", *version ? version : "without a version");
	fflush(stdout);
	if (strcmp(version, UET_TOOL_VERSION))
		fprintf(stderr, "Note: this tool and the module that is loaded differ; \"rmmod uet\" makes way for the one that is installed.\n");
}

/* What was asked for is shown already */
#define ALL_DONE	(-256)

static int show_and_end(int option)
{
	if (option == OPT_VERSION)
		show_versions();
	else
		cmd_help(stdout, NULL, 0, NULL);
	return ALL_DONE;
}

/* Whether each letter of a word is an option of its own, such as those of "jp" */
static bool are_letters(const char *word)
{
	char one[2] = "";

	while (*word) {
		one[0] = *word++;
		if (find_option(one) < 0)
			return false;
	}
	return true;
}

/* Return: whether the option takes the next word, ALL_DONE, or a negative exit status */
static int parse_one(struct opts *opts, const char *word, const char *next)
{
	int option = find_option(word);

	if (option == OPT_VERSION || option == OPT_HELP)
		return show_and_end(option);
	if (take_option(opts, option, word, next))
		return -EXIT_USAGE;
	return option == OPT_NETNS || option == OPT_BATCH;
}

/* The last letter may take the next word */
static int parse_letters(struct opts *opts, const char *word, const char *next)
{
	char one[2] = "";
	int taken = 0;

	while (*word && taken >= 0) {
		one[0] = *word++;
		taken = parse_one(opts, one, *word ? NULL : next);
	}
	return taken;
}

/* Return: words that were options, ALL_DONE, or a negative exit status */
static int parse_options(struct opts *opts, int argc, char **argv)
{
	int i, more;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		const char *word = argv[i] + 1;
		const char *next = i + 1 < argc ? argv[i + 1] : NULL;

		if (!strcmp(argv[i], "--"))
			return i + 1;
		/* What begins a long name is that option: "js" is "json" cut down */
		if (*word != '-' && find_option(word) < 0 && are_letters(word))
			more = parse_letters(opts, word, next);
		else
			more = parse_one(opts, word + (*word == '-'), next);
		if (more < 0)
			return more;
		i += more;
	}
	return i;
}

static int run(struct tool *t, int argc, char **argv)
{
	int err;

	if (t->opts.netns) {
		err = netns_enter(t->opts.netns);
		if (err)
			return usage_error("network namespace %s: %s",
					   t->opts.netns, strerror(-err));
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

/*
 * Started without one of the standard files, the tool must not take the socket to the
 * kernel for it. What is read is at its end, and what is written fails.
 */
static void hold_standard_files(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", O_RDONLY);
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

	hold_standard_files();
	set_colour(&t.opts, "never");
	skip = parse_options(&t.opts, argc, argv);
	if (skip == ALL_DONE)
		return finish(0);
	if (skip < 0)
		return -skip;
	out_init(&t.out, &t.opts, stdout);
	status = run(&t, argc - skip, argv + skip);
	nl_close(&t.nl);
	status = finish(status);
	if (*t.nl.note)
		fprintf(stderr, "Note: %s.\n", t.nl.note);
	return status;
}
