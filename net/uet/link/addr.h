/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks of struct sockaddr_uet at bind(), connect() and sendmsg().
 */
#ifndef _UET_ADDR_H
#define _UET_ADDR_H

#include <linux/types.h>

struct in6_addr;
struct sockaddr;
struct sockaddr_uet;
struct uet_sock;

bool uet_addr_any(const struct in6_addr *addr);
int uet_addr_check(const struct sockaddr_uet *ua, int len);
int uet_addr_check_dest(const struct uet_sock *us,
			const struct sockaddr_uet *addr);
int uet_addr_check_local(const struct uet_sock *us,
			 const struct sockaddr_uet *addr);

#endif /* _UET_ADDR_H */
