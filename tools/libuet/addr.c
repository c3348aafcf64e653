// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of endpoints from numbers, and as text. Nothing here asks a name
 * server or reads /etc; that is resolve.c.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* Smaller initiator IDs follow from PIDonFEP and resource index */
#define INITIATOR_MIN	0x1000000U

static int invalid(void)
{
	errno = EINVAL;
	return -1;
}

static bool is_any(const char *text)
{
	return !text || !*text || !strcmp(text, "any");
}

/**
 * libuet_parse_addr() - read an IP address
 * @text: of either version; NULL, "" or "any" for any
 * @addr: gets it, IPv4 as v4-mapped
 *
 * Return: 0, or -1 with errno EINVAL.
 */
int libuet_parse_addr(const char *text, struct in6_addr *addr)
{
	struct in_addr v4;

	memset(addr, 0, sizeof(*addr));
	if (is_any(text) || inet_pton(AF_INET6, text, addr) == 1)
		return 0;
	if (inet_pton(AF_INET, text, &v4) != 1)
		return invalid();
	memset(addr->s6_addr + 10, 0xff, 2);
	memcpy(addr->s6_addr + 12, &v4, 4);
	return 0;
}

/* A device by name, or by number */
static int parse_zone(const char *text, uint32_t *scope)
{
	uint64_t value;

	*scope = if_nametoindex(text);
	if (*scope)
		return 0;
	if (libuet__number(text, UINT32_MAX, &value) || !value) {
		errno = ENODEV;
		return -1;
	}
	*scope = value;
	return 0;
}

/* An IP address, IPv6 with %DEVICE behind it if need be */
static int parse_scoped(const char *text, struct in6_addr *addr,
			uint32_t *scope)
{
	const char *zone = text ? strchr(text, '%') : NULL;
	char only[INET6_ADDRSTRLEN];
	size_t len;

	*scope = 0;
	if (!zone)
		return libuet_parse_addr(text, addr);
	len = zone - text;
	if (!len || len >= sizeof(only))
		return invalid();
	memcpy(only, text, len);
	only[len] = 0;
	if (inet_pton(AF_INET6, only, addr) != 1)
		return invalid();
	return parse_zone(zone + 1, scope);
}

/**
 * libuet_addr() - make the address of an endpoint
 * @sa: gets it
 * @addr: IP address as for libuet_parse_addr(), %DEVICE behind it if it is
 *	link-local
 * @job: job id
 * @pid: PIDonFEP
 * @ri: resource index
 *
 * The ranges of the numbers are for the kernel to judge.
 *
 * Return: 0, or -1 with errno: EINVAL, ENODEV (no such device).
 */
int libuet_addr(struct sockaddr_uet *sa, const char *addr, uint32_t job,
		uint16_t pid, uint16_t ri)
{
	memset(sa, 0, sizeof(*sa));
	sa->suet_family = libuet_family();
	sa->suet_job = job;
	sa->suet_pid = pid;
	sa->suet_ri = ri;
	return parse_scoped(addr, &sa->suet_addr, &sa->suet_scope_id);
}

/* The host, if it is an address or left out; else -1 with EINVAL or ENODEV */
int libuet__literal(const struct libuet__parts *parts, struct sockaddr_uet *sa)
{
	struct in6_addr addr;
	uint32_t scope;

	if (!*parts->host)
		return 0;
	/* Brackets are for IPv6 */
	if (parts->bracketed && !strchr(parts->host, ':'))
		return invalid();
	if (parse_scoped(parts->host, &addr, &scope))
		return -1;
	sa->suet_addr = addr;
	sa->suet_scope_id = scope;
	return 0;
}

/* The numbers that are there, but for PIDonFEP, which may be a name */
int libuet__numbers(const struct libuet__parts *parts, struct sockaddr_uet *sa)
{
	uint64_t job = sa->suet_job, ri = sa->suet_ri;
	uint64_t initiator = sa->suet_initiator;

	if ((*parts->job && libuet__number(parts->job, UET_JOB_MAX, &job)) ||
	    (*parts->ri && libuet__number(parts->ri, UET_RI_MAX, &ri)) ||
	    (*parts->initiator &&
	     libuet__number(parts->initiator, UINT32_MAX, &initiator)))
		return -1;
	if (*parts->initiator && initiator < INITIATOR_MIN) {
		errno = ERANGE;
		return -1;
	}
	sa->suet_job = job;
	sa->suet_ri = ri;
	sa->suet_initiator = initiator;
	if (parts->absolute)
		sa->suet_flags |= UET_ADDR_ABSOLUTE;
	return 0;
}

static void start(struct sockaddr_uet *sa, const struct sockaddr_uet *base)
{
	if (base)
		*sa = *base;
	else
		memset(sa, 0, sizeof(*sa));
	sa->suet_family = libuet_family();
}

/**
 * libuet_parse() - read the address of an endpoint
 * @text: uet://HOST/JOB/PID/RI or HOST/PID/RI, see libuet_resolve(3); HOST is an
 *	IP address and PID a number
 * @base: has what is left out, or NULL: any address, job, PIDonFEP and resource
 *	index 0
 * @sa: gets the address; undefined on failure
 *
 * Return: 0, or -1 with errno: EINVAL (malformed, or a name), ERANGE (a number is
 * too large), ENODEV (no such device).
 */
int libuet_parse(const char *text, const struct sockaddr_uet *base,
		 struct sockaddr_uet *sa)
{
	struct libuet__parts parts;
	uint64_t pid;

	start(sa, base);
	pid = sa->suet_pid;
	if (libuet__split(text, &parts) || libuet__literal(&parts, sa) ||
	    libuet__numbers(&parts, sa) ||
	    (*parts.pid && libuet__number(parts.pid, UET_PID_MAX, &pid)))
		return -1;
	sa->suet_pid = pid;
	return 0;
}

/* A device may have a name that ends the host of an address too early */
static bool scope_name(uint32_t scope, char *name)
{
	return if_indextoname(scope, name) && !strpbrk(name, "[]?");
}

/* [v6%device] or the four numbers of v4 */
static void format_host(const struct sockaddr_uet *sa, char *text, size_t room)
{
	char addr[INET6_ADDRSTRLEN], device[IF_NAMESIZE] = "";

	if (IN6_IS_ADDR_V4MAPPED(&sa->suet_addr)) {
		inet_ntop(AF_INET, sa->suet_addr.s6_addr + 12, text, room);
		return;
	}
	inet_ntop(AF_INET6, &sa->suet_addr, addr, sizeof(addr));
	if (!sa->suet_scope_id)
		snprintf(text, room, "[%s]", addr);
	else if (scope_name(sa->suet_scope_id, device))
		snprintf(text, room, "[%s%%%s]", addr, device);
	else
		snprintf(text, room, "[%s%%%u]", addr, sa->suet_scope_id);
}

/**
 * libuet_format() - write the address of an endpoint
 * @sa: the address
 * @buf: gets uet://HOST/JOB/PID/RI, as libuet_parse() reads it
 * @size: room there; LIBUET_URI_SIZE is always enough
 *
 * An initiator ID that follows from the other numbers is left out.
 *
 * Return: length of the text, or -1 with errno ENOSPC.
 */
int libuet_format(const struct sockaddr_uet *sa, char *buf, size_t size)
{
	char host[INET6_ADDRSTRLEN + IF_NAMESIZE + 3], initiator[24] = "";
	bool absolute = sa->suet_flags & UET_ADDR_ABSOLUTE;
	int err = errno, n;

	format_host(sa, host, sizeof(host));
	if (sa->suet_initiator >= INITIATOR_MIN)
		snprintf(initiator, sizeof(initiator), "%cinitiator=0x%x",
			 absolute ? '&' : '?', sa->suet_initiator);
	n = snprintf(buf, size, "uet://%s/%u/%u/%u%s%s", host, sa->suet_job,
		     sa->suet_pid, sa->suet_ri, absolute ? "?absolute" : "",
		     initiator);
	if (n < 0 || (size_t)n >= size) {
		errno = ENOSPC;
		return -1;
	}
	errno = err;
	return n;
}
