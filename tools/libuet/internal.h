/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of libuet know of each other. No program includes this. */
#ifndef LIBUET_INTERNAL_H
#define LIBUET_INTERNAL_H

#include "libuet.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define LIBUET_HOST_SIZE	256	/* of a host name with its null byte */
#define LIBUET_NUMBER_SIZE	16	/* of a number likewise */

/* An address taken to pieces; "" if a piece is left out */
struct libuet__parts {
	char		host[LIBUET_HOST_SIZE];
	bool		bracketed;	/* host stood in [] */
	char		job[LIBUET_NUMBER_SIZE];
	char		pid[LIBUET_NAME_SIZE];
	char		ri[LIBUET_NUMBER_SIZE];
	bool		absolute;
	char		initiator[LIBUET_NUMBER_SIZE];
};

/* number.c; -1 with EINVAL or ERANGE */
int libuet__number(const char *text, uint64_t max, uint64_t *value);
int libuet__size(const char *text, uint64_t max, uint64_t *value);

/* split.c; -1 with EINVAL */
int libuet__split(const char *text, struct libuet__parts *parts);

/* addr.c */
int libuet__literal(const struct libuet__parts *parts, struct sockaddr_uet *sa);
int libuet__numbers(const struct libuet__parts *parts, struct sockaddr_uet *sa);

/* services.c */
bool libuet__parse_service(char *line, struct libuet_service *entry);

#endif /* LIBUET_INTERNAL_H */
