/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests to the kernel: the generic netlink family "uet", and rtnetlink.
 */
#ifndef UET_NL_H
#define UET_NL_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdint.h>

struct attrs;

/**
 * struct nl - a socket to the kernel
 * @sk: NULL while not open
 * @family: id of the family; 0 for rtnetlink
 * @group: id of the multicast group of events
 * @seq: of the last request
 * @quiet: errors are not printed
 * @note: what the kernel remarked at the end of an answer, "" = nothing
 * @buf: request
 */
struct nl {
	struct mnl_socket *sk;
	uint16_t family;
	uint32_t group;
	uint32_t seq;
	bool quiet;
	char note[128];
	char buf[8192] __attribute__((aligned(NLMSG_ALIGNTO)));
};

/* One object of an answer: its attributes */
typedef void (*nl_object_fn)(const struct attrs *a, void *arg);

int nl_open(struct nl *nl);
void nl_no_module(void);
int nl_open_route(struct nl *nl);
void nl_close(struct nl *nl);
struct nlmsghdr *nl_request(struct nl *nl, uint8_t cmd, bool dump);
int nl_talk(struct nl *nl, struct nlmsghdr *req, nl_object_fn fn, void *arg);
int nl_talk_route(struct nl *nl, struct nlmsghdr *req, nl_object_fn fn, void *arg,
		  size_t header);
void nl_error(struct nl *nl, const struct nlmsghdr *nlh);
int nl_events(struct nl *nl);

#endif
