// SPDX-License-Identifier: GPL-2.0
/*
 * The file of jobs, by which root says which user may enter which job.
 *
 * It grants a right, so in doubt it grants none: it has to belong to root alone, and
 * a line that is not understood makes all of it void.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libuet.h>

#include "jobs.h"

#define BLANKS	" \t\n"

struct range {
	uint32_t	first, last;
};

/* --- words ---------------------------------------------------------------------- */

/**
 * jobs_number() - read the number of a job
 * @text: decimal, or hexadecimal with 0x
 * @job: gets it
 *
 * Job 0 is everyone's: nobody has to enter it.
 *
 * Return: whether it is one, 1 to UET_JOB_MAX.
 */
bool jobs_number(const char *text, uint32_t *job)
{
	struct libuet_sock how = { .job = 0 };

	if (libuet_sock_set(&how, "job", text) || !how.job)
		return false;
	*job = how.job;
	return true;
}

/* JOB or JOB-JOB; @text is changed */
static bool read_range(char *text, struct range *r)
{
	char *dash = strchr(text, '-');

	if (dash)
		*dash++ = 0;
	return jobs_number(text, &r->first) &&
	       jobs_number(dash ? dash : text, &r->last) && r->first <= r->last;
}

/* A user or group by number: -1, which is none, is no number of one either */
static bool read_id(const char *text, id_t *id)
{
	unsigned long long n;

	if (!*text || text[strspn(text, "0123456789")])
		return false;
	errno = 0;
	n = strtoull(text, NULL, 10);
	*id = n;
	return !errno && n < (id_t)-1;
}

/* What begins with a digit is a number and nothing else, so that no name can pass for
 * one.
 */
static bool is_name(const char *text)
{
	return *text && !strchr("0123456789-@#", *text);
}

/* A name that nobody has is nobody's: its owner may have left */
static bool is_user(const char *name, uid_t uid)
{
	const struct passwd *pw;
	id_t id;

	if (read_id(name, &id))
		return id == uid;
	pw = getpwnam(name);
	return pw && pw->pw_uid == uid;
}

static bool in_group(const char *name, const struct jobs_who *who)
{
	const struct group *gr;
	id_t id;

	if (!read_id(name, &id)) {
		gr = getgrnam(name);
		if (!gr)
			return false;
		id = gr->gr_gid;
	}
	for (size_t i = 0; i < who->n_gids; i++)
		if (who->gids[i] == id)
			return true;
	return false;
}

/* --- the file -------------------------------------------------------------------- */

/* Which users a line is about, and which jobs; it is changed */
static bool read_line(char *line, char **name, struct range *r)
{
	char *save, *jobs;
	id_t id;

	*name = strtok_r(line, BLANKS, &save);
	jobs = strtok_r(NULL, BLANKS, &save);
	if (!jobs || strtok_r(NULL, BLANKS, &save) || !read_range(jobs, r))
		return false;
	line = *name + (**name == '@');
	return read_id(line, &id) || is_name(line);
}

static bool is_empty(char *line)
{
	line[strcspn(line, "#")] = 0;
	return !line[strspn(line, BLANKS)];
}

static __attribute__((format(printf, 2, 3)))
bool refuse(char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, JOBS_WHY_SIZE, fmt, ap);
	va_end(ap);
	return false;
}

/* All of it is read, whoever is found: see above */
static bool search(FILE *f, const char *path, const struct jobs_who *who,
		   uint32_t job, char *why)
{
	unsigned int number = 0;
	bool found = false;
	struct range r;
	char *line = NULL, *name;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, f)) >= 0) {
		bool bad = memchr(line, 0, n);

		number++;
		if (!bad && is_empty(line))
			continue;
		if (bad || !read_line(line, &name, &r)) {
			free(line);
			return refuse(why, "%s:%u: not \"USER JOB\", \"USER JOB-JOB\" or the same with @GROUP",
				      path, number);
		}
		if (job >= r.first && job <= r.last)
			found |= *name == '@' ? in_group(name + 1, who)
					      : is_user(name, who->uid);
	}
	free(line);
	/* It may have ended early, also for want of memory */
	if (ferror(f) || !feof(f))
		return refuse(why, "%s: %s", path, strerror(errno));
	if (!found)
		return refuse(why, "%s has no line that lets user %u enter job %u",
			      path, (unsigned int)who->uid, job);
	return true;
}

static bool is_roots(int fd, const char *path, char *why)
{
	struct stat st;

	if (fstat(fd, &st))
		return refuse(why, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_uid || st.st_mode & (S_IWGRP | S_IWOTH))
		return refuse(why, "%s: others than root may write it", path);
	return true;
}

/**
 * jobs_allow() - see whether a user may enter a job
 * @path: the file of jobs
 * @who: the user
 * @job: the job, 1 to UET_JOB_MAX
 * @why: if not: gets a sentence, up to JOBS_WHY_SIZE bytes
 *
 * Return: whether a line says so, and nothing is wrong with the file.
 */
bool jobs_allow(const char *path, const struct jobs_who *who, uint32_t job,
		char *why)
{
	bool allowed;
	FILE *f;
	int fd;

	/* It may be a pipe, whose open would wait for a writer */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return refuse(why, "%s: %s", path, strerror(errno));
	if (!is_roots(fd, path, why)) {
		close(fd);
		return false;
	}
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return refuse(why, "%s: %s", path, strerror(ENOMEM));
	}
	allowed = search(f, path, who, job, why);
	fclose(f);
	return allowed;
}
