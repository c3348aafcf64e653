// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libuet.h>

#include "addr.h"
#include "units.h"

/* Bits before the IPv4 address in a v4-mapped one */
#define MAPPED_BITS	96
/* Names of hosts that are kept; each of two with the same end of the address is asked for
 * again
 */
#define NAMES		1024

bool addr_resolve;

static bool is_v4(const struct in6_addr *addr)
{
	return IN6_IS_ADDR_V4MAPPED(addr);
}

/* The first address of a host. "10.1" and the like, which getaddrinfo() takes, is none. */
static bool host_find(const char *name, struct in6_addr *addr)
{
	const struct addrinfo hints = {
		.ai_family = AF_INET6, .ai_socktype = SOCK_DGRAM,
		.ai_flags = AI_V4MAPPED | AI_ALL,
	};
	struct addrinfo *list;
	struct in_addr odd;

	if (!*name || strpbrk(name, ":/% ") || inet_aton(name, &odd) ||
	    getaddrinfo(name, NULL, &hints, &list))
		return false;
	*addr = ((struct sockaddr_in6 *)list->ai_addr)->sin6_addr;
	freeaddrinfo(list);
	return true;
}

/* The name of the host that has an address; "" if there is none, or an odd one */
static const char *host_name(const struct in6_addr *addr)
{
	static struct {
		struct in6_addr addr;
		char name[ADDR_TEXT];
	} names[NAMES], *n;
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_addr = *addr };
	struct sockaddr_in v4 = { .sin_family = AF_INET };

	n = &names[(addr->s6_addr[14] << 8 | addr->s6_addr[15]) % NAMES];
	if (IN6_ARE_ADDR_EQUAL(&n->addr, addr))
		return n->name;
	n->addr = *addr;
	memcpy(&v4.sin_addr, &addr->s6_addr[12], sizeof(v4.sin_addr));
	if (getnameinfo(is_v4(addr) ? (void *)&v4 : (void *)&v6,
			is_v4(addr) ? sizeof(v4) : sizeof(v6), n->name,
			sizeof(n->name), NULL, 0, NI_NAMEREQD) ||
	    n->name[strspn(n->name, "abcdefghijklmnopqrstuvwxyz0123456789-_."
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZ")])
		n->name[0] = '\0';
	return n->name;
}

/**
 * addr_parse() - read an IPv4 or IPv6 address, or the name of a host
 * @text: the address
 * @addr: set
 *
 * Return: whether it is one.
 */
bool addr_parse(const char *text, struct in6_addr *addr)
{
	/* What the library takes for any address is none here */
	return *text && strcmp(text, "any") &&
	       (!libuet_parse_addr(text, addr) || host_find(text, addr));
}

/**
 * prefix_parse() - read an address, or a prefix ADDRESS/LENGTH
 * @text: the prefix; "default", "any" or "all" is every address
 * @addr: set; what is beyond the prefix is cleared
 * @plen: length of the prefix, of the v4-mapped one for IPv4
 *
 * Return: whether it is one.
 */
bool prefix_parse(const char *text, struct in6_addr *addr, uint8_t *plen)
{
	const char *slash = strchr(text, '/');
	char part[NI_MAXHOST];
	uint64_t bits;
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	unsigned int i;
	bool dotted;

	memset(addr, 0, sizeof(*addr));
	*plen = 0;
	if (!strcmp(text, "default") || !strcmp(text, "any") ||
	    !strcmp(text, "all"))
		return true;
	if (len >= sizeof(part))
		return false;
	memcpy(part, text, len);
	part[len] = '\0';
	if (!addr_parse(part, addr))
		return false;
	*plen = 128;
	if (!slash)
		return true;
	dotted = is_v4(addr) && !strchr(part, ':');
	if (!number_parse(slash + 1, dotted ? 32 : 128, &bits))
		return false;
	*plen = bits + (dotted ? MAPPED_BITS : 0);
	for (i = *plen; i < 128; i++)
		addr->s6_addr[i / 8] &= ~(0x80 >> i % 8);
	return true;
}

/**
 * prefix_has() - is an address in a prefix?
 */
bool prefix_has(const struct in6_addr *prefix, uint8_t plen,
		const struct in6_addr *addr)
{
	uint8_t mask = 0xff00 >> plen % 8;
	unsigned int bytes = plen / 8;

	if (memcmp(prefix, addr, bytes))
		return false;
	return plen % 8 == 0 ||
	       !((prefix->s6_addr[bytes] ^ addr->s6_addr[bytes]) & mask);
}

static void number_text(const struct in6_addr *addr, char *buf, size_t size)
{
	if (is_v4(addr))
		inet_ntop(AF_INET, &addr->s6_addr[12], buf, size);
	else
		inet_ntop(AF_INET6, addr, buf, size);
}

/**
 * addr_text() - an address in words: the name of the host with -r, if it fits
 */
void addr_text(const struct in6_addr *addr, char *buf, size_t size)
{
	const char *name = addr_resolve ? host_name(addr) : "";

	if (*name && strlen(name) < size)
		strcpy(buf, name);
	else
		number_text(addr, buf, size);
}

/**
 * prefix_text() - a prefix in words; just the address, if it is one
 */
void prefix_text(const struct in6_addr *addr, uint8_t plen, char *buf,
		 size_t size)
{
	char text[INET6_ADDRSTRLEN];
	bool v4 = is_v4(addr) && plen >= MAPPED_BITS;

	if (plen == 128)
		return addr_text(addr, buf, size);
	number_text(addr, text, sizeof(text));
	if (is_v4(addr) && !v4)
		inet_ntop(AF_INET6, addr, text, sizeof(text));
	snprintf(buf, size, "%s/%d", text, v4 ? plen - MAPPED_BITS : plen);
}

/**
 * endpoint_text() - ADDRESS/JOB/PIDONFEP/INDEX; "*" is any address
 */
void endpoint_text(const struct endpoint *ep, char *buf, size_t size)
{
	char addr[INET6_ADDRSTRLEN], dev[IF_NAMESIZE + 1] = "";

	if (IN6_IS_ADDR_UNSPECIFIED(&ep->addr))
		snprintf(addr, sizeof(addr), "*");
	else
		addr_text(&ep->addr, addr, sizeof(addr));
	if (ep->scope_id) {
		dev[0] = '%';
		if (!if_indextoname(ep->scope_id, dev + 1))
			snprintf(dev + 1, IF_NAMESIZE, "%u", ep->scope_id);
	}
	if (strchr(addr, ':'))
		snprintf(buf, size, "[%s%s]/%u/%u/%u", addr, dev, ep->job,
			 ep->pid, ep->ri);
	else
		snprintf(buf, size, "%s%s/%u/%u/%u", addr, dev, ep->job, ep->pid,
			 ep->ri);
}
