// SPDX-License-Identifier: GPL-2.0
/* What the module and the library are called by number */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

#define PARAMETER	"/sys/module/uet/parameters/family"

/**
 * libuet_version() - the version of the library
 *
 * That of the header is LIBUET_VERSION.
 *
 * Return: text like "0.2.0".
 */
const char *libuet_version(void)
{
	return LIBUET_VERSION;
}

/* 0 if @text is no number of a family */
static int parse_family(const char *text)
{
	uint64_t value;

	return libuet__number(text, INT32_MAX, &value) ? 0 : (int)value;
}

static int asked_for(void)
{
	const char *text = secure_getenv("UET_FAMILY");

	return text ? parse_family(text) : 0;
}

static int of_the_module(void)
{
	char text[LIBUET_NUMBER_SIZE];
	int fd = open(PARAMETER, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	return parse_family(text);
}

/**
 * libuet_family() - the address family of UET sockets
 *
 * The module can be told another number (its parameter family). It is asked
 * once; UET_FAMILY in the environment comes first, unless the program runs
 * with privileges of its file. errno stays as it is.
 *
 * Return: that number, or AF_UET if the module is not there to be asked.
 */
int libuet_family(void)
{
	static int known;
	int family = __atomic_load_n(&known, __ATOMIC_RELAXED);
	int err = errno;

	if (family)
		return family;
	family = asked_for();
	if (!family)
		family = of_the_module();
	/* The module may come later: remember nothing that was not told */
	__atomic_store_n(&known, family, __ATOMIC_RELAXED);
	errno = err;
	return family ? family : AF_UET;
}
