/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the C programs of this tree share that use AF_UET sockets: tests,
 * demonstration, benchmark, laboratory. Nothing here prints or ends the
 * program; what fails sets errno.
 */
#ifndef LIBUET_H
#define LIBUET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <linux/uet.h>

/**
 * struct libuet_sock - a socket as libuet_open() makes it
 * @type: SOCK_RDM or SOCK_SEQPACKET, with SOCK_NONBLOCK and SOCK_CLOEXEC
 * @enter_job: enter @job
 * @job: UET_JOB_ID
 * @delivery: UET_DELIVERY
 * @cc: UET_CC by name
 * @policy: UET_PATH_POLICY by name
 * @set_tclass: set @tclass, of which every value means something
 * @tclass: UET_TRAFFIC_CLASS
 * @max_msg: UET_MAX_MSG
 * @notify: UET_NOTIFY
 * @mark: SO_MARK
 * @sndbuf: SO_SNDBUF
 * @rcvbuf: SO_RCVBUF
 * @device: SO_BINDTODEVICE
 * @local: address to bind to
 * @peer: address to connect to
 *
 * What is 0, NULL or "" stays as the kernel has it.
 */
struct libuet_sock {
	int		type;
	bool		enter_job;
	uint32_t	job;
	int		delivery;
	const char	*cc;
	const char	*policy;
	bool		set_tclass;
	int		tclass;
	uint32_t	max_msg;
	int		notify;
	unsigned int	mark;
	int		sndbuf;
	int		rcvbuf;
	const char	*device;
	const struct sockaddr_uet *local;
	const struct sockaddr_uet *peer;
};

/* addr.c */
int libuet_family(void);
int libuet_parse_addr(const char *text, struct in6_addr *addr);
int libuet_addr(struct sockaddr_uet *sa, const char *addr, uint32_t job,
		uint16_t pid, uint16_t ri);
int libuet_parse_endpoint(struct sockaddr_uet *sa, const char *text,
			  uint32_t job);

/* sock.c */
int libuet_open(const struct libuet_sock *how, const char **step);
int libuet_get_info(int fd, struct uet_info *info);

/* cmsg.c */
void libuet_put_cmsg(struct msghdr *msg, int type, const void *data,
		     size_t len);
bool libuet_get_cmsg(const struct msghdr *msg, int type, void *data,
		     size_t len);
bool libuet_next_report(int fd, struct uet_report *rep,
			struct sockaddr_uet *peer);

/* host.c */
uint64_t libuet_now_ns(void);
int libuet_enter_netns(const char *name);

#endif /* LIBUET_H */
