// SPDX-License-Identifier: GPL-2.0
/* Time and network namespaces of this host */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "libuet.h"

/**
 * libuet_now_ns() - monotonic time
 *
 * Return: nanoseconds since some point in the past.
 */
uint64_t libuet_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/**
 * libuet_enter_netns() - enter a network namespace of ip(8)
 * @name: as ip(8) lists it
 *
 * The sockets of a program stay in the namespace that they were made in.
 *
 * Return: 0, or -1 with errno.
 */
int libuet_enter_netns(const char *name)
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
