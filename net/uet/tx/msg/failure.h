/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How messages to other endpoints failed last, for those who look for the cause
 * after the sockets and PDCs are gone.
 */
#ifndef _UET_FAILURE_H
#define _UET_FAILURE_H

#include <linux/in6.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct sockaddr_uet;
struct uet_net;
struct uet_report;

/**
 * struct uet_failure - how messages to an endpoint failed last
 * @uid: user whose messages failed
 * @remote: its fabric address
 * @job: its job id
 * @pid: its PIDonFEP
 * @error: errno of the last one
 * @source: enum uet_report_source
 * @code: its meaning depends on @source
 * @count: messages that failed so since one failed otherwise
 * @at: when the last one failed, ns
 */
struct uet_failure {
	kuid_t		uid;
	struct in6_addr	remote;
	u32		job;
	u16		pid;
	u32		error;
	u8		source;
	u16		code;
	u32		count;
	u64		at;
};

void uet_failure_note(struct uet_net *un, kuid_t uid, const struct sockaddr_uet *target,
		      const struct uet_report *rep);
bool uet_failure_next(struct uet_net *un, unsigned long *id,
		      struct uet_failure *failure);

int uet_failures_init(struct uet_net *un);
void uet_failures_exit(struct uet_net *un);

#endif /* _UET_FAILURE_H */
