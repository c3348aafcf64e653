/* SPDX-License-Identifier: GPL-2.0 */
/* Sockets at addresses of this host, for the tests of system calls */
#ifndef SOCK_UTIL_H
#define SOCK_UTIL_H

#include <errno.h>
#include <sys/types.h>

#include "uet_common.h"

extern const char *here;	/* address of this host */

#define EXPECT_ERR(call, err, name)					\
	do {								\
		errno = 0;						\
		long __ret = (call);					\
		result(__ret < 0 && errno == (err), "%s gives %s",	\
		       name, #err);					\
	} while (0)

int open_sock(int type);
int bind_pid(int fd, uint16_t pid);
/* Bound, and with a limit on waiting for data */
int bound_sock(int type, uint16_t pid);
ssize_t send_to(int fd, const void *buf, size_t len, uint16_t pid);
ssize_t recv_flags(int fd, void *buf, size_t len, int flags, int *out);
bool readable(int fd, int ms);
/* The next report, and who it is about; false if none comes in time */
bool next_report(int fd, struct uet_report *rep, struct sockaddr_uet *peer,
		 int ms);

#endif /* SOCK_UTIL_H */
