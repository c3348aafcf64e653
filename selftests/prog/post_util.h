/* SPDX-License-Identifier: GPL-2.0 */
/* Operations that are posted, and their completions, for the tests of them */
#ifndef POST_UTIL_H
#define POST_UTIL_H

#include "sock_util.h"

#define LONG	3000000
#define SECOND	1000

extern char data[LONG];		/* what is sent */

void data_init(void);
struct libuet_cq cq_open(int sock, uint32_t entries);
/* A bound socket with a completion queue */
int receiver(int type, uint16_t pid, struct libuet_cq *cq, uint32_t entries);
/* The next completion; false if none comes in time */
bool next(struct libuet_cq *cq, struct uet_completion *done, int ms);
bool is(const struct uet_completion *d, uint64_t cookie, int type, uint32_t error,
	uint32_t length, uint32_t got);
/* The next completion is this one. */
bool comes(struct libuet_cq *cq, struct uet_completion *d, uint64_t cookie, int type,
	   uint32_t error, uint32_t length, uint32_t got);
bool same(const char *what, const char *at, size_t len);

/* A receive of what has no tag, from anywhere */
static inline struct uet_op recv_op(uint64_t cookie, void *at, size_t len)
{
	return (struct uet_op){
		.cookie = cookie, .opcode = UET_OP_RECV, .to = UET_OP_ANY,
		.addr = (uintptr_t)at, .length = len,
	};
}

/* A send to the first endpoint of the call */
static inline struct uet_op send_op(uint64_t cookie, const void *what, size_t len)
{
	return (struct uet_op){
		.cookie = cookie, .opcode = UET_OP_SEND, .to = 1,
		.addr = (uintptr_t)what, .length = len,
	};
}

/* Post one that names no endpoint; 0, or -1 with errno */
static inline int post_op(int fd, const struct uet_op *op)
{
	return libuet_post(fd, op, 1, NULL, 0) == 1 ? 0 : -1;
}

/* post_one(): the receive is for a message with a tag */
#define TAGGED	0x10000

/* Post a receive; @flags: UET_OP_*, TAGGED */
int post_one(int fd, uint64_t cookie, void *at, uint64_t len, uint64_t tag,
	     uint64_t ignore, uint32_t flags);
/* Post a send; 0, or -1 with errno */
int post_send(int fd, uint64_t cookie, uint16_t pid, const void *what, size_t len,
	      uint16_t flags, uint32_t timeout);
/* A message with a tag, if @tag is not NULL, and header data @hd if that is not 0 */
ssize_t put(int fd, uint16_t pid, const void *what, size_t len,
	    const uint64_t *tag, uint64_t hd, int flags);
ssize_t put_tag(int fd, uint16_t pid, const void *what, size_t len, uint64_t tag);

#endif /* POST_UTIL_H */
