// SPDX-License-Identifier: GPL-2.0
/* Control messages, and messages with what goes beside their data */
#include <errno.h>
#include <string.h>

#include "internal.h"

/**
 * libuet_add_cmsg() - add a control message to what is sent
 * @msg: msg_control has the control messages, msg_controllen is the length of
 *	those that are there already
 * @room: size of msg_control
 * @type: UET_CMSG_COOKIE and the like
 * @data: its content
 * @len: length of that
 *
 * Return: 0, or -1 with errno ENOSPC.
 */
int libuet_add_cmsg(struct msghdr *msg, size_t room, int type,
		    const void *data, size_t len)
{
	struct cmsghdr *cm;

	if (msg->msg_controllen > room ||
	    room - msg->msg_controllen < CMSG_SPACE(len)) {
		errno = ENOSPC;
		return -1;
	}
	cm = (void *)((char *)msg->msg_control + msg->msg_controllen);
	memset(cm, 0, CMSG_SPACE(len));
	cm->cmsg_level = SOL_UET;
	cm->cmsg_type = type;
	cm->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(cm), data, len);
	msg->msg_controllen += CMSG_SPACE(len);
	return 0;
}

/**
 * libuet_get_cmsg() - find a control message in what has been received
 * @msg: as recvmsg() left it
 * @type: UET_CMSG_HEADER_DATA and the like
 * @data: gets its content; stays as it is if there is none
 * @len: length of that; a longer control message is cut
 *
 * Return: whether there is one.
 */
bool libuet_get_cmsg(const struct msghdr *msg, int type, void *data,
		     size_t len)
{
	struct cmsghdr *cm;

	for (cm = CMSG_FIRSTHDR(msg); cm;
	     cm = CMSG_NXTHDR((struct msghdr *)msg, cm)) {
		if (cm->cmsg_level != SOL_UET || cm->cmsg_type != type ||
		    cm->cmsg_len < CMSG_LEN(len))
			continue;
		memcpy(data, CMSG_DATA(cm), len);
		return true;
	}
	return false;
}

struct attr {
	unsigned int	bit;
	int		type;
	size_t		offset, len;
};

#define ATTR(name, field)						\
	{ LIBUET_ ## name, UET_CMSG_ ## name,				\
	  offsetof(struct libuet_attrs, field),				\
	  sizeof(((struct libuet_attrs *)0)->field) }

static const struct attr sent[] = {
	ATTR(COOKIE, cookie),
	ATTR(HEADER_DATA, header_data),
	ATTR(TAG, tag),
	ATTR(DELIVERY, delivery),
	ATTR(TCLASS, tclass),
	ATTR(TIMEOUT, timeout),
	ATTR(WRITE, write),
	ATTR(DEFER, defer),
	ATTR(PKTINFO, pktinfo),
};

/**
 * libuet_put_attrs() - add what goes beside the data of a message
 * @msg: as for libuet_add_cmsg()
 * @room: size of msg_control; LIBUET_CONTROL_SIZE is enough
 * @attrs: what, or NULL
 *
 * Return: 0, or -1 with errno: ENOSPC, EINVAL (it has what is not sent).
 */
int libuet_put_attrs(struct msghdr *msg, size_t room,
		     const struct libuet_attrs *attrs)
{
	unsigned int left = attrs ? attrs->has : 0;
	const struct attr *a;

	for (a = sent; left && a < sent + ARRAY_SIZE(sent); a++) {
		if (left & a->bit &&
		    libuet_add_cmsg(msg, room, a->type,
				    (const char *)attrs + a->offset, a->len))
			return -1;
		left &= ~a->bit;
	}
	if (!left)
		return 0;
	errno = EINVAL;
	return -1;
}

/**
 * libuet_get_attrs() - read what came beside the data of a message
 * @msg: as recvmsg() left it
 * @attrs: gets it
 */
void libuet_get_attrs(const struct msghdr *msg, struct libuet_attrs *attrs)
{
	memset(attrs, 0, sizeof(*attrs));
	attrs->msg_flags = msg->msg_flags;
	if (libuet_get_cmsg(msg, UET_CMSG_HEADER_DATA, &attrs->header_data,
			    sizeof(attrs->header_data)))
		attrs->has |= LIBUET_HEADER_DATA;
	if (libuet_get_cmsg(msg, UET_CMSG_TAG, &attrs->tag, sizeof(attrs->tag)))
		attrs->has |= LIBUET_TAG;
	if (libuet_get_cmsg(msg, UET_CMSG_MSG_INFO, &attrs->info,
			    sizeof(attrs->info)))
		attrs->has |= LIBUET_INFO;
	if (libuet_get_cmsg(msg, UET_CMSG_WRITE, &attrs->write,
			    sizeof(attrs->write)))
		attrs->has |= LIBUET_WRITE;
	if (libuet_get_cmsg(msg, UET_CMSG_PKTINFO, &attrs->pktinfo,
			    sizeof(attrs->pktinfo)))
		attrs->has |= LIBUET_PKTINFO;
}

union control {
	char		buf[LIBUET_CONTROL_SIZE];
	struct cmsghdr	align;
};

/**
 * libuet_sendmsg() - send a message
 * @fd: socket
 * @iov: the data
 * @n: pieces of it
 * @to: where to, or NULL if the socket is connected
 * @attrs: what goes beside the data, or NULL
 * @flags: of sendmsg()
 *
 * Return: length of the message, or -1 with errno of sendmsg() or EINVAL
 * (libuet_put_attrs()).
 */
ssize_t libuet_sendmsg(int fd, const struct iovec *iov, size_t n,
		       const struct sockaddr_uet *to,
		       const struct libuet_attrs *attrs, int flags)
{
	union control control;
	struct msghdr msg = {
		.msg_name = (void *)to,
		.msg_namelen = to ? sizeof(*to) : 0,
		.msg_iov = (struct iovec *)iov,
		.msg_iovlen = n,
		.msg_control = control.buf,
	};

	if (libuet_put_attrs(&msg, sizeof(control.buf), attrs))
		return -1;
	return sendmsg(fd, &msg, flags);
}

/**
 * libuet_recvmsg() - receive a message, or what a short buffer takes of it
 * @fd: socket
 * @iov: gets the data
 * @n: pieces of it
 * @from: gets the address of the sender, or NULL
 * @attrs: gets what came beside the data, or NULL; msg_flags has MSG_EOR if the
 *	message ends here
 * @flags: of recvmsg()
 *
 * Return: bytes received, or -1 with errno of recvmsg().
 */
ssize_t libuet_recvmsg(int fd, const struct iovec *iov, size_t n,
		       struct sockaddr_uet *from, struct libuet_attrs *attrs,
		       int flags)
{
	union control control;
	struct msghdr msg = {
		.msg_name = from,
		.msg_namelen = from ? sizeof(*from) : 0,
		.msg_iov = (struct iovec *)iov,
		.msg_iovlen = n,
		.msg_control = attrs ? control.buf : NULL,
		.msg_controllen = attrs ? sizeof(control.buf) : 0,
	};
	ssize_t got = recvmsg(fd, &msg, flags);

	if (got >= 0 && attrs)
		libuet_get_attrs(&msg, attrs);
	return got;
}
