// SPDX-License-Identifier: GPL-2.0
/* Addresses of endpoints as people write them */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libuet.h"

/**
 * libuet_family() - the address family of UET sockets
 *
 * The module can be told another number (its parameter family); programs are
 * told the same way, by UET_FAMILY in their environment.
 *
 * Return: AF_UET, or that number.
 */
int libuet_family(void)
{
	const char *text = getenv("UET_FAMILY");

	return text ? atoi(text) : AF_UET;
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
	if (!text || !*text || !strcmp(text, "any"))
		return 0;
	if (inet_pton(AF_INET6, text, addr) == 1)
		return 0;
	if (inet_pton(AF_INET, text, &v4) != 1) {
		errno = EINVAL;
		return -1;
	}
	memset(addr->s6_addr + 10, 0xff, 2);
	memcpy(addr->s6_addr + 12, &v4, 4);
	return 0;
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
 * Return: 0, or -1 with errno EINVAL.
 */
int libuet_addr(struct sockaddr_uet *sa, const char *addr, uint32_t job,
		uint16_t pid, uint16_t ri)
{
	const char *device = addr ? strchr(addr, '%') : NULL;
	char text[INET6_ADDRSTRLEN];

	memset(sa, 0, sizeof(*sa));
	sa->suet_family = libuet_family();
	sa->suet_job = job;
	sa->suet_pid = pid;
	sa->suet_ri = ri;
	if (device) {
		snprintf(text, sizeof(text), "%.*s", (int)(device - addr), addr);
		addr = text;
		sa->suet_scope_id = if_nametoindex(device + 1);
	}
	return libuet_parse_addr(addr, &sa->suet_addr);
}

/**
 * libuet_parse_endpoint() - read an endpoint
 * @sa: gets its address
 * @text: ADDR/PID or ADDR/PID/RI, ADDR as for libuet_addr()
 * @job: its job
 *
 * Return: 0, or -1 with errno EINVAL.
 */
int libuet_parse_endpoint(struct sockaddr_uet *sa, const char *text,
			  uint32_t job)
{
	const char *pid = strchr(text, '/');
	const char *ri = pid ? strchr(pid + 1, '/') : NULL;
	char addr[INET6_ADDRSTRLEN + IF_NAMESIZE];

	if (!pid) {
		errno = EINVAL;
		return -1;
	}
	snprintf(addr, sizeof(addr), "%.*s", (int)(pid - text), text);
	return libuet_addr(sa, addr, job, atoi(pid + 1), ri ? atoi(ri + 1) : 0);
}
