/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fabric addresses and endpoints, in and out. IPv4 addresses are v4-mapped on the
 * inside and dotted on the outside.
 */
#ifndef UET_ADDR_H
#define UET_ADDR_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest prefix or endpoint in words, with its zero */
#define ADDR_TEXT	128

/**
 * struct endpoint - address of an endpoint, as struct sockaddr_uet
 */
struct endpoint {
	struct in6_addr addr;
	uint32_t scope_id;
	uint32_t job;
	uint32_t pid;
	uint32_t ri;
	uint32_t initiator;
	bool absolute;
};

/* Option -r: addresses are shown as names */
extern bool addr_resolve;

bool addr_parse(const char *text, struct in6_addr *addr);
bool prefix_parse(const char *text, struct in6_addr *addr, uint8_t *plen);
bool prefix_has(const struct in6_addr *prefix, uint8_t plen,
		const struct in6_addr *addr);
void addr_text(const struct in6_addr *addr, char *buf, size_t size);
void prefix_text(const struct in6_addr *addr, uint8_t plen, char *buf,
		 size_t size);
void endpoint_text(const struct endpoint *ep, char *buf, size_t size);

#endif
