// SPDX-License-Identifier: GPL-2.0
/*
 * The file of jobs: whom it lets in, what makes it void, and that no mistake in it lets
 * anybody in (KTAP).
 *
 * usage: jobs_test [ROUNDS]	of mistakes by chance
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jobs.h"
#include "ktap.h"

#define ROUNDS	5000

int ktap_number, ktap_failed;

static char path[] = "/tmp/uet-jobs.XXXXXX";
static char why[JOBS_WHY_SIZE];
static uid_t owner;

int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);

int __wrap_fstat(int fd, struct stat *st)
{
	int rc = __real_fstat(fd, st);

	st->st_uid = owner;
	return rc;
}

static void write_file(const char *text, size_t n)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n || close(fd))
		err(1, "%s", path);
}

static bool allowed(uid_t uid, uint32_t job)
{
	static const gid_t gids[] = { 100, 2000, 50 };
	const struct jobs_who who = { uid, gids, 3 };

	why[0] = 0;
	return jobs_allow(path, &who, job, why);
}

struct one {
	const char	*text;
	uid_t		uid;
	uint32_t	job;
	bool		good;
	const char	*why;		/* part of the reason */
};

static const struct one ones[] = {
	{ "1000 7\n", 1000, 7, true },
	{ "1000 7", 1000, 7, true },
	{ "1000 0x10\n", 1000, 16, true },
	{ " \t1000\t 7 # him\n", 1000, 7, true },
	{ "# all\n\n1000 7\n", 1000, 7, true },
	{ "1000 7\n", 1000, 8, false, "no line" },
	{ "1000 7\n", 1001, 7, false, "no line" },
	{ "1000 7-9\n", 1000, 7, true },
	{ "1000 7-9\n", 1000, 9, true },
	{ "1000 7-9\n", 1000, 6, false, "no line" },
	{ "1000 7-9\n", 1000, 10, false, "no line" },
	{ "1000 1-16777215\n", 1000, 16777215, true },
	{ "1000 7\n1000 20-30\n", 1000, 25, true },
	{ "root 7\n", 0, 7, true },
	{ "root 7\n", 1000, 7, false, "no line" },
	{ "@root 7\n", 0, 7, false, "no line" },
	{ "@2000 7\n", 1000, 7, true },
	{ "@2001 7\n", 1000, 7, false, "no line" },
	/* A group and a user are two things */
	{ "2000 7\n", 1000, 7, false, "no line" },
	{ "@1000 7\n", 1000, 7, false, "no line" },
	/* Who has left */
	{ "no_such_user_here 7\n@no_such_group 7\n1000 7\n", 1000, 7, true },
	{ "", 1000, 7, false, "no line" },
	/* What is not understood, before and after a good line */
	{ "1000\n1000 7\n", 1000, 7, false, ":1: not" },
	{ "1000 7\n1000 8 9\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n1000 8,9\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n1000 9-8\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n1000 8-\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n1000 -8\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n1000 8--9\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n1000 8-9-10\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n1000 0\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n1000 0-5\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n1000 16777216\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n1000 4294967303\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n1000 *\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n@ 7\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n@@x 7\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n-1 7\n", 1000, 7, false, ":2: not" },
	{ "1000 7\n10x 7\n", 1000, 7, false, ":2: not" },
	/* No number may turn into that of another one, nor into none */
	{ "4294967295 7\n", -1, 7, false, ":1: not" },
	{ "4294967296 7\n", 0, 7, false, ":1: not" },
	{ "18446744073709551616 7\n", 0, 7, false, ":1: not" },
};

static void test_ones(void)
{
	const struct one *o;

	for (o = ones; o < ones + sizeof(ones) / sizeof(*ones); o++) {
		bool good;

		write_file(o->text, strlen(o->text));
		good = allowed(o->uid, o->job) == o->good &&
		       (o->good || strstr(why, o->why));
		ok(good, "entry %td", o - ones);
		if (!good)
			printf("# %s# %s\n", o->text, why);
	}
}

static void test_file(void)
{
	static char text[100000] = "1000 7 # ";

	write_file("1000 7\n\0", 8);
	ok(!allowed(1000, 7) && strstr(why, ":2: not"), "a null byte");
	write_file("1000 7\0008\n", 9);
	ok(!allowed(1000, 7) && strstr(why, ":1: not"), "a null byte in a line");
	memset(text + 9, 'x', sizeof(text) - 9);
	write_file(text, sizeof(text));
	ok(allowed(1000, 7), "a long line");

	write_file("1000 7\n", 7);
	owner = 1000;
	ok(!allowed(1000, 7) && strstr(why, "others than root"), "a file of the user");
	owner = 0;
	chmod(path, 0620);
	ok(!allowed(1000, 7) && strstr(why, "others than root"), "a group may write");
	chmod(path, 0602);
	ok(!allowed(1000, 7) && strstr(why, "others than root"), "others may write");
	chmod(path, 0644);
	ok(allowed(1000, 7), "only root may write");

	unlink(path);
	ok(!allowed(1000, 7) && strstr(why, "No such file"), "no file");
	if (mkfifo(path, 0600))
		err(1, "%s", path);
	ok(!allowed(1000, 7) && strstr(why, "others than root"), "a pipe");
	unlink(path);
	if (mkdir(path, 0700))
		err(1, "%s", path);
	ok(!allowed(1000, 7), "a folder");
	rmdir(path);
	if (close(open(path, O_CREAT | O_EXCL, 0644)))
		err(1, "%s", path);
}

/* Bytes put in, taken out and changed: nobody gets in who is in no line */
static void test_mistakes(unsigned int rounds)
{
	static const char good[] = "# jobs\n1000 7\n@77777777 100-0x200 # them\nroot 5\n";
	static const char bytes[] = "0123456789-x@# \t\n\r\0\xff*r";
	unsigned int in = 0;

	srandom(1);
	for (unsigned int i = 0; i < rounds; i++) {
		char text[sizeof(good)];
		size_t n = sizeof(good) - 1;

		memcpy(text, good, n);
		for (int changes = 1 + random() % 3; changes; changes--)
			text[random() % n] = bytes[random() % (sizeof(bytes) - 1)];
		write_file(text, n - random() % 3);
		for (uint32_t job = 5; job <= 7; job++)
			in += allowed(88888888, job);
		in += allowed(88888888, 300);
	}
	ok(!in, "%u mistakes by chance", rounds);
}

static void test_numbers(void)
{
	static const char *const bad[] = {
		"", " 7", "7 ", "+7", "-7", "7x", "0", "0x", "0x0", "16777216",
		"18446744073709551623", "seven",
	};
	uint32_t job = 3;

	ok(jobs_number("7", &job) && job == 7, "a number");
	ok(jobs_number("0xffffff", &job) && job == 0xffffff, "the last one");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(!jobs_number(bad[i], &job) && job == 0xffffff, "\"%s\" is no job",
		   bad[i]);
}

int main(int argc, char **argv)
{
	int fd = mkstemp(path);

	if (fd < 0 || close(fd))
		err(1, "%s", path);
	printf("KTAP version 1\n");
	test_ones();
	test_file();
	test_mistakes(argc > 1 ? atoi(argv[1]) : ROUNDS);
	test_numbers();
	unlink(path);
	return ktap_end();
}
