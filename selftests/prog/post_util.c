// SPDX-License-Identifier: GPL-2.0
/* Operations that are posted, and their completions, for the tests of them */
#include <string.h>

#include "post_util.h"

char data[LONG];

void data_init(void)
{
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = i * 2654435761U >> 13;
}

struct libuet_cq cq_open(int sock, uint32_t entries)
{
	struct libuet_cq cq;

	if (libuet_open_cq(sock, entries, &cq))
		die("libuet_open_cq: %m");
	return cq;
}

bool next(struct libuet_cq *cq, struct uet_completion *done, int ms)
{
	return libuet_next_done(cq, done, ms) == 1;
}

bool is(const struct uet_completion *d, uint64_t cookie, int type, uint32_t error,
	uint32_t length, uint32_t got)
{
	if (d->cookie == cookie && d->type == type && d->error == error &&
	    d->length == length && d->got == got)
		return true;
	note("cookie %llu, type %u, error %u, length %u, got %u, flags %u",
	     (unsigned long long)d->cookie, d->type, d->error, d->length, d->got,
	     d->flags);
	return false;
}

bool comes(struct libuet_cq *cq, struct uet_completion *d, uint64_t cookie, int type,
	   uint32_t error, uint32_t length, uint32_t got)
{
	if (next(cq, d, 20 * SECOND))
		return is(d, cookie, type, error, length, got);
	note("no completion");
	return false;
}

bool same(const char *what, const char *at, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (what[i] == at[i])
			continue;
		note("byte %zu is %02x, not %02x", i, (unsigned char)at[i],
		     (unsigned char)what[i]);
		return false;
	}
	return true;
}

int post_one(int fd, uint64_t cookie, void *at, uint64_t len, uint64_t tag,
	     uint64_t ignore, uint32_t flags)
{
	struct uet_op op = recv_op(cookie, at, len);

	op.flags = (uint16_t)flags;
	if (flags & TAGGED) {
		op.opcode = UET_OP_TRECV;
		op.tag = tag;
		op.ignore = ignore;
	}
	return post_op(fd, &op);
}

int post_send(int fd, uint64_t cookie, uint16_t pid, const void *what, size_t len,
	      uint16_t flags, uint32_t timeout)
{
	struct uet_op op = send_op(cookie, what, len);
	struct sockaddr_uet to;

	op.flags = flags;
	op.timeout = timeout;
	uet_addr(&to, here, 0, pid, 0);
	return libuet_post(fd, &op, 1, &to, 1) == 1 ? 0 : -1;
}

ssize_t put(int fd, uint16_t pid, const void *what, size_t len,
	    const uint64_t *tag, uint64_t hd, int flags)
{
	struct sockaddr_uet to;
	struct iovec iov = { (void *)what, len };
	char control[128] = {};
	struct msghdr m = {
		.msg_name = &to, .msg_namelen = sizeof(to), .msg_iov = &iov,
		.msg_iovlen = 1, .msg_control = control,
	};
	struct {
		int		type;
		const void	*v;
	} c[] = { { UET_CMSG_TAG, tag }, { UET_CMSG_HEADER_DATA, hd ? &hd : NULL } };

	uet_addr(&to, here, 0, pid, 0);
	for (int i = 0; i < 2; i++) {
		struct cmsghdr *h = (void *)(control + m.msg_controllen);

		if (!c[i].v)
			continue;
		h->cmsg_level = SOL_UET;
		h->cmsg_type = c[i].type;
		h->cmsg_len = CMSG_LEN(8);
		memcpy(CMSG_DATA(h), c[i].v, 8);
		m.msg_controllen += CMSG_SPACE(8);
	}
	return sendmsg(fd, &m, flags);
}

ssize_t put_tag(int fd, uint16_t pid, const void *what, size_t len, uint64_t tag)
{
	return put(fd, pid, what, len, &tag, 0, 0);
}

int receiver(int type, uint16_t pid, struct libuet_cq *cq, uint32_t entries)
{
	int fd = bound_sock(type, pid);

	*cq = cq_open(fd, entries);
	if (libuet_use_cq(fd, cq))
		die("libuet_use_cq: %m");
	return fd;
}
