// SPDX-License-Identifier: GPL-2.0
/*
 * Other network namespaces of this host.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netns.h"

#define RUN_NETNS	"/run/netns"

/**
 * netns_enter() - go to a network namespace
 * @name: as "ip netns" has it, or a path
 *
 * Return: 0 or a negative error.
 */
int netns_enter(const char *name)
{
	char path[512];
	int fd, err = 0;

	if (snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : RUN_NETNS "/",
		     name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (setns(fd, CLONE_NEWNET))
		err = -errno;
	close(fd);
	return err;
}

/* Namespaces that were visited */
struct visited {
	ino_t *ids;
	size_t n;
};

static bool is_new(struct visited *v, const char *path)
{
	struct stat st;
	ino_t *more;
	size_t i;

	if (stat(path, &st))
		return false;
	for (i = 0; i < v->n; i++)
		if (v->ids[i] == st.st_ino)
			return false;
	more = realloc(v->ids, (v->n + 1) * sizeof(*more));
	if (!more)
		return false;
	v->ids = more;
	v->ids[v->n++] = st.st_ino;
	return true;
}

static bool each_in(struct visited *v, const char *dir, const char *below,
		    bool (*fn)(void *arg), void *arg)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[512];
	bool more = true;

	if (!d)
		return true;
	while (more && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s%s", dir, e->d_name, below);
		if (is_new(v, path) && !netns_enter(path))
			more = fn(arg);
	}
	closedir(d);
	return more;
}

/**
 * netns_each() - do something in each network namespace of this host that can be
 *	entered, the present one first
 * @fn: what; returns whether to go on
 * @arg: for @fn
 *
 * Afterwards the process is where it was.
 */
void netns_each(bool (*fn)(void *arg), void *arg)
{
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	struct visited v = { 0 };

	if (home < 0)
		return;
	is_new(&v, "/proc/self/ns/net");
	if (fn(arg) && each_in(&v, RUN_NETNS, "", fn, arg))
		each_in(&v, "/proc", "/ns/net", fn, arg);
	/* It was possible to leave: it is to return */
	if (setns(home, CLONE_NEWNET))
		perror("setns");
	close(home);
	free(v.ids);
}
