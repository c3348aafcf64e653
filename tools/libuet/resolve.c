// SPDX-License-Identifier: GPL-2.0
/* Addresses of endpoints from names of hosts and services */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <string.h>

#include "internal.h"

/* What getaddrinfo() returns, as errno */
static int lookup_failed(int eai)
{
	switch (eai) {
	case EAI_SYSTEM:
		break;
	case EAI_AGAIN:
		errno = EAGAIN;
		break;
	case EAI_MEMORY:
		errno = ENOMEM;
		break;
	case EAI_NONAME:
	case EAI_NODATA:
	case EAI_ADDRFAMILY:
		errno = ENXIO;
		break;
	default:
		errno = EIO;
		break;
	}
	return -1;
}

/* PIDonFEP by number or by name; a service brings what the text leaves out */
static int resolve_service(const struct libuet__parts *parts,
			   struct sockaddr_uet *sa)
{
	struct libuet_service entry;
	uint64_t pid;

	if (!*parts->pid)
		return 0;
	if (isdigit((unsigned char)parts->pid[0])) {
		if (libuet__number(parts->pid, UET_PID_MAX, &pid))
			return -1;
		sa->suet_pid = pid;
		return 0;
	}
	if (libuet_getservbyname(parts->pid, &entry))
		return -1;
	sa->suet_pid = entry.pid;
	if (!*parts->ri)
		sa->suet_ri = entry.ri;
	if (!*parts->job && entry.has_job)
		sa->suet_job = entry.job;
	return 0;
}

static bool take_sockaddr(const struct addrinfo *ai, struct sockaddr_uet *sa)
{
	const struct sockaddr_in6 *v6 = (const void *)ai->ai_addr;
	const struct sockaddr_in *v4 = (const void *)ai->ai_addr;

	sa->suet_scope_id = 0;
	if (ai->ai_family == AF_INET6) {
		sa->suet_addr = v6->sin6_addr;
		sa->suet_scope_id = v6->sin6_scope_id;
		return true;
	}
	if (ai->ai_family != AF_INET)
		return false;
	memset(&sa->suet_addr, 0, sizeof(sa->suet_addr));
	memset(sa->suet_addr.s6_addr + 10, 0xff, 2);
	memcpy(sa->suet_addr.s6_addr + 12, &v4->sin_addr, 4);
	return true;
}

/* The addresses of a host; sa[0] has all that they have in common */
static int resolve_host(const char *host, struct sockaddr_uet *sa, int max)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM };
	struct addrinfo *list, *ai;
	int eai, n = 0;

	eai = getaddrinfo(host, NULL, &hints, &list);
	if (eai)
		return lookup_failed(eai);
	for (ai = list; ai && n < max; ai = ai->ai_next) {
		sa[n] = sa[0];
		n += take_sockaddr(ai, &sa[n]);
	}
	freeaddrinfo(list);
	if (n)
		return n;
	errno = ENXIO;
	return -1;
}

/* Whether the host can be the name of one: an address that is none is no name */
static bool is_host_name(const struct libuet__parts *parts)
{
	return !parts->bracketed && !strpbrk(parts->host, ":%");
}

/**
 * libuet_resolve() - find the addresses of an endpoint by names
 * @text: uet://HOST/JOB/PID/RI or HOST/PID/RI, see libuet_resolve(3); HOST is an IP
 *	address or a name for getaddrinfo(), PID a number or a name of
 *	/etc/uet/services
 * @base: has what is left out, or NULL: any address, job, PIDonFEP and resource
 *	index 0
 * @sa: gets the addresses, in the order that getaddrinfo() recommends; undefined
 *	on failure
 * @max: room there, at least 1
 *
 * Return: how many, or -1 with errno: those of libuet_parse(), ENXIO (no such
 * host), ENOENT (no such service), EAGAIN (the name server does not answer),
 * ENOMEM, EIO and those of opening a file (names cannot be looked up).
 */
int libuet_resolve(const char *text, const struct sockaddr_uet *base,
		   struct sockaddr_uet *sa, int max)
{
	struct libuet__parts parts;

	if (max < 1 || libuet__split(text, &parts)) {
		errno = EINVAL;
		return -1;
	}
	memset(sa, 0, sizeof(*sa));
	if (base)
		*sa = *base;
	sa->suet_family = libuet_family();
	if (libuet__numbers(&parts, sa) || resolve_service(&parts, sa))
		return -1;
	if (!libuet__literal(&parts, sa))
		return 1;
	if (errno != EINVAL || !is_host_name(&parts))
		return -1;
	return resolve_host(parts.host, sa, max);
}
