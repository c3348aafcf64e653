// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out.h"
#include "procs.h"
#include "units.h"

static bool pid_of(const char *name, uint64_t *pid)
{
	return number_parse(name, INT_MAX, pid);
}

static void read_name(pid_t pid, char *name, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(name, size, "?");
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(name, size, f))
		name[strcspn(name, "\n")] = '\0';
	fclose(f);
}

static int add(struct procs *p, uint64_t inode, pid_t pid, int fd,
	       const char *name)
{
	struct proc_fd *more;

	if (p->n == p->room) {
		more = realloc(p->fds, (p->room * 2 + 64) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		p->fds = more;
		p->room = p->room * 2 + 64;
	}
	p->fds[p->n] = (struct proc_fd){ .inode = inode, .pid = pid, .fd = fd };
	snprintf(p->fds[p->n].name, sizeof(p->fds[p->n].name), "%s", name);
	p->n++;
	return 0;
}

/* Inode of the socket behind a descriptor; 0 if it is none */
static uint64_t socket_inode(int dir, const char *name)
{
	char link[64];
	uint64_t inode = 0;
	ssize_t len = readlinkat(dir, name, link, sizeof(link) - 1);

	if (len < 0)
		return 0;
	link[len] = '\0';
	return sscanf(link, "socket:[%" SCNu64 "]", &inode) == 1 ? inode : 0;
}

/* Processes come and go, and some are not ours to look at: neither is an error */
static int read_fds(struct procs *p, pid_t pid)
{
	char path[64], name[32] = "";
	struct dirent *e;
	uint64_t inode, fd;
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!err && (e = readdir(dir))) {
		if (!number_parse(e->d_name, INT_MAX, &fd))
			continue;
		inode = socket_inode(dirfd(dir), e->d_name);
		if (!inode)
			continue;
		if (!*name)
			read_name(pid, name, sizeof(name));
		err = add(p, inode, pid, fd, name);
	}
	closedir(dir);
	return err;
}

static int by_inode(const void *a, const void *b)
{
	const struct proc_fd *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return x->pid != y->pid ? (x->pid > y->pid) - (x->pid < y->pid) :
				  x->fd - y->fd;
}

/**
 * procs_read() - read the descriptors of all processes
 * @p: set; procs_free() frees it, also after an error
 *
 * Without privileges only one's own processes are seen.
 *
 * Return: 0 or -ENOMEM.
 */
int procs_read(struct procs *p)
{
	struct dirent *e;
	uint64_t pid;
	int err = 0;
	DIR *dir;

	*p = (struct procs){ 0 };
	dir = opendir("/proc");
	if (!dir)
		return 0;
	while (!err && (e = readdir(dir)))
		if (pid_of(e->d_name, &pid))
			err = read_fds(p, pid);
	closedir(dir);
	if (p->n)
		qsort(p->fds, p->n, sizeof(*p->fds), by_inode);
	return err;
}

void procs_free(struct procs *p)
{
	free(p->fds);
	*p = (struct procs){ 0 };
}

/**
 * procs_first() - the first descriptor of a socket, NULL if none is seen
 */
const struct proc_fd *procs_first(const struct procs *p, uint64_t inode)
{
	size_t from = 0, to = p->n, mid;

	while (from < to) {
		mid = from + (to - from) / 2;
		if (p->fds[mid].inode < inode)
			from = mid + 1;
		else
			to = mid;
	}
	return from < p->n && p->fds[from].inode == inode ? &p->fds[from] : NULL;
}

/**
 * procs_next() - the next descriptor of the same socket, or NULL
 */
const struct proc_fd *procs_next(const struct procs *p,
				 const struct proc_fd *fd)
{
	const struct proc_fd *next = fd + 1;

	return next < p->fds + p->n && next->inode == fd->inode ? next : NULL;
}

/**
 * procs_out() - show the processes that have a socket open
 */
void procs_out(struct out *o, const struct procs *p, uint64_t inode)
{
	const struct proc_fd *fd = inode ? procs_first(p, inode) : NULL;

	out_array(o, "process");
	for (; fd; fd = procs_next(p, fd)) {
		out_object(o, NULL);
		out_str(o, "name", fd->name, OUT_BARE | OUT_QUOTED);
		out_num(o, "pid", K_NUM, fd->pid, 0);
		out_num(o, "fd", K_NUM, fd->fd, 0);
		out_object_end(o);
	}
	out_array_end(o);
}
