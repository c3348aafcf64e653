/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which processes have a socket open, as /proc tells.
 */
#ifndef UET_PROCS_H
#define UET_PROCS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct out;

/**
 * struct proc_fd - a descriptor of a socket
 */
struct proc_fd {
	uint64_t inode;
	pid_t pid;
	int fd;
	char name[32];
};

/**
 * struct procs - the descriptors of all sockets that may be seen, by inode
 */
struct procs {
	struct proc_fd *fds;
	size_t n, room;
};

int procs_read(struct procs *p);
void procs_free(struct procs *p);
const struct proc_fd *procs_first(const struct procs *p, uint64_t inode);
const struct proc_fd *procs_next(const struct procs *p,
				 const struct proc_fd *fd);
void procs_out(struct out *o, const struct procs *p, uint64_t inode);

#endif
