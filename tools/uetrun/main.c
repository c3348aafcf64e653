// SPDX-License-Identifier: GPL-2.0
/* uetrun: runs a program in a job of UET; see uetrun(1) */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libuet.h>

#include "jobs.h"
#include "privilege.h"

/* As env(1) and its like have them */
#define FAILED		125
#define CANNOT_EXECUTE	126
#define NOT_FOUND	127

#define VARIABLE	"UET_JOB_FROM"

struct options {
	uint32_t	job;		/* 0: not given */
	const char	*user;
	char		**program;
};

static __attribute__((noreturn, format(printf, 1, 2)))
void die(const char *fmt, ...)
{
	va_list ap;

	fputs("uetrun: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(FAILED);
}

static __attribute__((noreturn)) void usage(FILE *f)
{
	fputs("usage: uetrun -j JOB [-u USER] PROGRAM [ARGUMENT...]\n", f);
	exit(f == stdout ? 0 : FAILED);
}

static struct options parse(int argc, char **argv)
{
	struct options o = {};
	int c;

	while ((c = getopt(argc, argv, "+j:u:hV")) != -1)
		switch (c) {
		case 'j':
			if (!jobs_number(optarg, &o.job))
				die("-j %s: a job is a number from 1 to %u", optarg,
				    UET_JOB_MAX);
			break;
		case 'u':
			o.user = optarg;
			break;
		case 'h':
			usage(stdout);
		case 'V':
			printf("uetrun %s\n", libuet_version());
			exit(0);
		default:
			usage(stderr);
		}
	o.program = argv + optind;
	if (!o.job || !*o.program)
		usage(stderr);
	return o;
}

/* Groups of the process: those of the file, if it has any, are not the user's */
static void check_user(uint32_t job)
{
	struct jobs_who who = { .uid = getuid() };
	char why[JOBS_WHY_SIZE];
	int n = getgroups(0, NULL);
	gid_t *gids;

	gids = n < 0 ? NULL : calloc(n + 1, sizeof(*gids));
	n = gids ? getgroups(n, gids) : -1;
	if (n < 0)
		die("your groups: %s", strerror(errno));
	gids[n] = getgid();
	who.gids = gids;
	who.n_gids = n + 1;
	if (!jobs_allow(JOBS_FILE, &who, job, why))
		die("you may not enter job %u: %s", job, why);
	free(gids);
}

/* Not in the place of an input or output that is closed */
static int beyond_standard(int fd)
{
	int copy;

	if (fd > STDERR_FILENO)
		return fd;
	copy = fcntl(fd, F_DUPFD, STDERR_FILENO + 1);
	if (copy < 0)
		die("descriptor: %s", strerror(errno));
	close(fd);
	return copy;
}

static int open_job(uint32_t job)
{
	const struct libuet_sock how = { .enter_job = true, .job = job };
	const char *step;
	int fd = libuet_open(&how, &step);

	if (fd < 0 && errno == EAFNOSUPPORT)
		die("there is no UET here: load the module (modprobe uet)");
	if (fd < 0 && errno == EPERM)
		die("may not enter a job: not run by root, and its file has no CAP_NET_ADMIN, or not here; see uetrun(1)");
	if (fd < 0)
		die("%s: %s", step, strerror(errno));
	return beyond_standard(fd);
}

/*
 * A socket is of the user who opened it: limits and firewall rules go by that.  So the
 * one that is passed on is opened by who the program will be, and takes the job of
 * that of the privilege.
 */
static int join_job(int from)
{
	const struct libuet_sock how = {};
	const char *step;
	int fd = libuet_open(&how, &step);

	if (fd < 0)
		die("%s: %s", step, strerror(errno));
	if (setsockopt(fd, SOL_UET, UET_JOB_FROM, &from, sizeof(from)))
		die("UET_JOB_FROM: %s", strerror(errno));
	close(from);
	return beyond_standard(fd);
}

static void give_up(const char *user)
{
	const char *step = "cannot give up privileges";

	if (getuid()) {
		if (privilege_drop())
			die("%s: %s", step, strerror(errno));
	} else if (user && privilege_become(user, &step)) {
		die("%s: %s%s%s", user, step, errno ? ": " : "",
		    errno ? strerror(errno) : "");
	}
}

int main(int argc, char **argv)
{
	struct options o = parse(argc, argv);
	char number[16];
	int fd;

	if (getuid()) {
		if (o.user)
			die("-u is for root");
		check_user(o.job);
	}
	fd = open_job(o.job);
	give_up(o.user);
	snprintf(number, sizeof(number), "%d", join_job(fd));
	if (setenv(VARIABLE, number, 1))
		die("environment: %s", strerror(errno));
	execvp(o.program[0], o.program);
	fprintf(stderr, "uetrun: %s: %s\n", o.program[0], strerror(errno));
	return errno == ENOENT ? NOT_FOUND : CANNOT_EXECUTE;
}
