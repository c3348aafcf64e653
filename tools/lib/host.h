/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time and network namespaces of this host, for the programs of this tree. What
 * they share about AF_UET is libuet (tools/libuet).
 */
#ifndef TOOLS_LIB_HOST_H
#define TOOLS_LIB_HOST_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds since some point in the past */
static inline uint64_t host_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

#ifdef CLONE_NEWNET
/*
 * Enters a network namespace as ip(8) lists it. Sockets stay in the namespace
 * that they were made in. Returns 0, or -1 with errno. Needs _GNU_SOURCE.
 */
static inline int host_enter_netns(const char *name)
{
	char path[128];
	int fd, ret, err;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ret = setns(fd, CLONE_NEWNET);
	err = errno;
	close(fd);
	errno = err;
	return ret;
}
#endif

#endif /* TOOLS_LIB_HOST_H */
