// SPDX-License-Identifier: GPL-2.0
/*
 * Commands from a file, one a line: quotes, comments, and lines that go on after a
 * backslash, as ip -batch has them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"

/* The word at *at: removes its quotes. Return: what follows, or NULL */
static char *take_word(char *at)
{
	char *to = at, quote = 0;

	for (; *at; at++) {
		if (quote && *at == quote) {
			quote = 0;
		} else if (!quote && (*at == '"' || *at == '\'')) {
			quote = *at;
		} else if (!quote && isspace((unsigned char)*at)) {
			at++;
			break;
		} else {
			*to++ = *at;
		}
	}
	*to = '\0';
	return quote ? NULL : at;
}

/**
 * line_split() - split a line into words
 * @line: the line, changed
 * @words: set
 * @max: room in @words
 *
 * Return: number of words, or a negative number: a quote is open, or there are too
 * many words.
 */
int line_split(char *line, char **words, int max)
{
	char *next;
	int n = 0;

	for (;;) {
		while (isspace((unsigned char)*line))
			line++;
		if (!*line || *line == '#')
			return n;
		if (n == max)
			return -1;
		/* The end of the word may be where the next one begins */
		next = take_word(line);
		if (!next)
			return -1;
		words[n++] = line;
		line = next;
	}
}

/* Reads a line with those that continue it; *number is that of its last one */
static bool read_line(FILE *f, char **line, size_t *size, int *number)
{
	char *more = NULL;
	size_t room = 0, len;

	if (getline(line, size, f) < 0)
		return false;
	++*number;
	while ((len = strcspn(*line, "\n")) && (*line)[len - 1] == '\\' &&
	       getline(&more, &room, f) >= 0) {
		char *both = malloc(len + strlen(more) + 1);

		if (!both)
			break;
		memcpy(both, *line, len - 1);
		both[len - 1] = ' ';
		memcpy(both + len, more, strlen(more) + 1);
		free(*line);
		*line = both;
		*size = len + strlen(more) + 1;
		++*number;
	}
	free(more);
	return true;
}

static int run_line(struct tool *t, char *line)
{
	char *words[WORDS_MAX];
	int n = line_split(line, words, WORDS_MAX);

	if (n < 0)
		return usage_error("open quote, or too many words");
	return n ? cmd_run(t, n, words) : 0;
}

/**
 * batch_run() - run the commands of a file
 * @t: tool
 * @name: the file, "-" is standard input
 *
 * Return: exit status, EXIT_USAGE if a command failed.
 */
int batch_run(struct tool *t, const char *name)
{
	bool from_stdin = !strcmp(name, "-");
	FILE *f = from_stdin ? stdin : fopen(name, "re");
	int number = 0, status = 0;
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return usage_error("cannot open %s: %s", name, strerror(errno));
	while (read_line(f, &line, &size, &number)) {
		int err = run_line(t, line);

		/* Who writes the commands may wait for the answers */
		if (!out_flush(&t->out))
			break;
		if (!err)
			continue;
		fprintf(stderr, "Command failed %s:%d\n", name, number);
		status = EXIT_USAGE;
		if (!t->opts.force)
			break;
	}
	if (ferror(f))
		status = usage_error("cannot read %s: %s", name, strerror(errno));
	free(line);
	if (!from_stdin)
		fclose(f);
	return status;
}
