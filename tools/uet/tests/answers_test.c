// SPDX-License-Identifier: GPL-2.0
/*
 * Every command with every kind of answer, also those that no kernel gives: whatever
 * comes, the tool ends by itself, says what is wrong, and what it prints is JSON where
 * that was asked for, and nothing that a terminal obeys elsewhere.
 *
 *   answers_test [ROUNDS]
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../libuet/tests/ktap.h"
#include "../batch.h"
#include "../cmd.h"
#include "../complete.h"
#include "../utf8.h"
#include "fake_kernel.h"
#include "json_check.h"

#define ROUNDS		20
#define TEXT_MOST	(1 << 20)

int ktap_number, ktap_failed;

static const char *const commands[] = {
	"fep show", "pdc show peer 10.0.0.0/8 state est waiting", "ccc", "path show",
	"port", "sock show -p", "dest", "msg show limit 3", "failure",
	"peer show", "peer add 10.0.0.0/8 na 1 na 2", "peer set ::/0 unset na",
	"peer del 10.0.0.1", "param show", "param show na", "param set na 5",
	"stat", "stat Na", "stat -i 0.01 -n 2", "stat -o openmetrics",
	"top -i 0.01 -n 2", "ss", "ss waiting", "ss peer fd00::/8",
	"monitor -n 2", "monitor pdc peer 10.0.0.0/8 -n 1", "explain -i 0.01 10.0.0.1",
	"explain -i 0.01",
	"__complete pdc show state e", "__complete param set n",
	"__complete peer add 1", "__complete monitor p",
};

static const char *const mode_names[FAKE_MODES] = {
	"no objects", "objects", "refused", "objects that change", "hostile answers",
	"broken errors", "a socket that fails",
};

/* Where the standard files of the command go */
static int captured[2];
static char text[2][TEXT_MOST + 1];

static void capture_begin(int keep[2])
{
	int i;

	for (i = 0; i < 2; i++) {
		fflush(i ? stderr : stdout);
		keep[i] = dup(1 + i);
		if (ftruncate(captured[i], 0) || lseek(captured[i], 0, SEEK_SET))
			abort();
		dup2(captured[i], 1 + i);
	}
}

static void capture_end(const int keep[2])
{
	ssize_t len;
	int i;

	for (i = 0; i < 2; i++) {
		fflush(i ? stderr : stdout);
		dup2(keep[i], 1 + i);
		close(keep[i]);
		len = pread(captured[i], text[i], TEXT_MOST, 0);
		text[i][len < 0 ? 0 : len] = '\0';
	}
}

static int run(const struct opts *opts, const char *command)
{
	struct tool t = { .opts = *opts };
	char *words[WORDS_MAX];
	char line[128];
	int n, status;

	snprintf(line, sizeof(line), "%s", command);
	n = line_split(line, words, WORDS_MAX);
	out_init(&t.out, &t.opts, stdout);
	if (!strcmp(words[0], COMPLETE_WORD))
		status = complete_run(&t, n - 1, words + 1);
	else
		status = cmd_run(&t, n, words);
	nl_close(&t.nl);
	return status;
}

/* Whether a terminal would obey something in it */
static bool commands_terminal(const char *s)
{
	const unsigned char *at = (const unsigned char *)s;
	size_t len;

	for (; *at; at += len) {
		len = utf8_length(at);
		if (!len || (utf8_is_control(at, len) && *at != '\n' && *at != '\t'))
			return true;
	}
	return false;
}

static const char *what_is_wrong(const struct opts *opts, const char *command,
				 int status)
{
	const char *end = "# EOF\n";
	bool documents = opts->json && !strstr(command, "openmetrics") &&
			 strncmp(command, COMPLETE_WORD, strlen(COMPLETE_WORD));
	size_t len = strlen(text[0]);
	int n;

	if (status < 0 || status > 2)
		return "status";
	if (status && !*text[1])
		return "fails without a word";
	if (strstr(command, "openmetrics") && !status &&
	    (len < strlen(end) || strcmp(text[0] + len - strlen(end), end)))
		return "no end of the metrics";
	if (documents && !json_documents(text[0], &n))
		return "no JSON";
	if (documents && !status && !n && strcmp(command, "monitor -n 2") &&
	    !strstr(command, " set ") && !strstr(command, " add ") &&
	    !strstr(command, " del "))
		return "no document";
	if (commands_terminal(text[0]) || commands_terminal(text[1]))
		return "commands the terminal";
	return NULL;
}

static void test_mode(enum fake_mode mode, unsigned long rounds)
{
	size_t i, n = sizeof(commands) / sizeof(commands[0]);
	const char *wrong = NULL;
	unsigned long round;
	struct opts opts;
	int keep[2], status;

	for (round = 0; round < rounds && !wrong; round++) {
		for (i = 0; i < n && !wrong; i++) {
			int bits = random();

			opts = (struct opts){
				.json = bits & 1, .pretty = bits & 2,
				.stats = bits & 4, .details = bits & 8,
				.numeric = bits & 16, .stamp = bits & 32,
			};
			fake_kernel(mode);
			capture_begin(keep);
			status = run(&opts, commands[i]);
			capture_end(keep);
			wrong = what_is_wrong(&opts, commands[i], status);
			if (!wrong)
				continue;
			printf("# %s, options 0x%x, round %lu: %s, status %d\n",
			       commands[i], bits & 63, round, wrong, status);
			printf("# out: %.300s\n# err: %.300s\n", text[0], text[1]);
		}
	}
	ok(!wrong, "every command, %s", mode_names[mode]);
}

static char nines[500];

static const char *const garbage[] = {
	"", " ", "-", "--", "\033[31m", "\xff\xfe", "\xe2\x82", "\n", "%s%n", "0", "-1",
	"0x10", "65536", "99999999999999999999", "1e999", "nan", "10.0.0.1", "10.0.0.1/33",
	"fd00::1/64", "::/129", "fe80::1%lo", "help", "lo", "good", "established", "na", "5", nines,
};

/* Of those with verbs, which come first; others may go on for ever */
static const struct cmd *any_object(void)
{
	int n = 0;

	while (objects[n].verbs)
		n++;
	return &objects[random() % n];
}

/* A keyword of any object, or anything else */
static const char *any_word(void)
{
	const struct cmd *obj = any_object();
	const struct arg *args = obj->verbs->args;
	int n = 0;

	if (random() & 1)
		return garbage[random() % (sizeof(garbage) / sizeof(*garbage))];
	while (args && args[n].word)
		n++;
	return n ? args[random() % n].word : obj->name;
}

/* A command and words that need not belong to it */
static int run_garbage(const char *words[8], int *n)
{
	struct tool t = { .opts.details = random() & 1 };
	const struct cmd *obj = any_object();
	int status;

	words[0] = obj->name;
	words[1] = random() & 3 ? obj->verbs->name : any_word();
	for (*n = 2; *n < 8 && random() & 3; ++*n)
		words[*n] = any_word();
	out_init(&t.out, &t.opts, stdout);
	status = cmd_run(&t, *n, (char **)words);
	nl_close(&t.nl);
	return status;
}

static void test_garbage(unsigned long rounds)
{
	const char *words[8], *wrong = NULL;
	const struct opts text_only = { 0 };
	int keep[2], status, n, i;

	memset(nines, '9', sizeof(nines) - 1);
	for (rounds *= 100; rounds && !wrong; rounds--) {
		fake_kernel(FAKE_OBJECTS);
		capture_begin(keep);
		status = run_garbage(words, &n);
		capture_end(keep);
		wrong = what_is_wrong(&text_only, "", status);
		for (i = 0; wrong && i < n; i++)
			printf("# word \"%s\"\n", words[i]);
		if (wrong)
			printf("# %s, status %d\n# out: %.300s\n# err: %.300s\n", wrong,
			       status, text[0], text[1]);
	}
	ok(!wrong, "words by chance");
}

/* Whether a command shows something, of objects that may have nothing it shows */
static bool shows(const char *command)
{
	const struct opts opts = { .colour = true };
	int keep[2], status, n;

	for (n = 0; n < 100; n++) {
		fake_kernel(FAKE_OBJECTS);
		capture_begin(keep);
		status = run(&opts, command);
		capture_end(keep);
		if (status)
			return false;
		if (*text[0])
			return true;
	}
	return false;
}

/* As narrow as a terminal may be, and as a variable may say */
static void test_widths(void)
{
	static const char *const widths[] = {
		"0", "1", "10", "79", "500", "501", "-1", "", "x",
		"99999999999999999999",
	};
	size_t i;

	for (i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		setenv("COLUMNS", widths[i], 1);
		ok(shows("path") && shows("top -i 0.01 -n 2"), "COLUMNS=%s",
		   widths[i]);
	}
	unsetenv("COLUMNS");
}

/* The room for arguments is enough for each table of them */
static void test_tables(void)
{
	const struct cmd *obj, *verb;
	bool fits = true;
	int n;

	for (obj = objects; obj->name; obj++) {
		for (verb = obj->verbs ? obj->verbs : obj; verb->name; verb++) {
			for (n = 0; verb->args && verb->args[n].word; n++)
				;
			fits &= n <= ARGS_MAX;
			if (!obj->verbs)
				break;
		}
	}
	ok(fits, "tables of keywords have no more than ARGS_MAX");
}

/* After an answer that breaks off, the next request of a batch gets its own */
static void test_recovery(void)
{
	struct tool t = { 0 };
	char *words[] = { "fep", "show" };
	int keep[2], broken, good;

	out_init(&t.out, &t.opts, stdout);
	capture_begin(keep);
	fake_kernel(FAKE_LOST);
	broken = cmd_run(&t, 2, words);
	fake_kernel(FAKE_NOTHING);
	good = cmd_run(&t, 2, words);
	nl_close(&t.nl);
	capture_end(keep);
	ok(broken == 2 && !good, "a command after one whose answer broke off: %d, %d",
	   broken, good);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : ROUNDS;
	int mode;

	setvbuf(stdout, NULL, _IOLBF, 0);
	captured[0] = memfd_create("out", 0);
	captured[1] = memfd_create("err", 0);
	if (captured[0] < 0 || captured[1] < 0)
		return 2;
	printf("KTAP version 1\n");
	srandom(1);
	test_tables();
	for (mode = 0; mode < FAKE_MODES; mode++)
		test_mode(mode, rounds);
	test_recovery();
	test_garbage(rounds);
	test_widths();
	return ktap_end();
}
