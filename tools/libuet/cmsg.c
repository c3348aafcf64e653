// SPDX-License-Identifier: GPL-2.0
/* Control messages, and the reports that come as such */
#include <string.h>

#include "libuet.h"

/* A report, its sock_extended_err and the address of the peer */
#define REPORT_SPACE	512

/**
 * libuet_put_cmsg() - add a control message to what is sent
 * @msg: msg_controllen is what is there already, and grows by CMSG_SPACE(@len);
 *	msg_control has that room, filled with zeroes
 * @type: UET_CMSG_COOKIE and the like
 * @data: its content
 * @len: length of that
 */
void libuet_put_cmsg(struct msghdr *msg, int type, const void *data,
		     size_t len)
{
	struct cmsghdr *cm = (void *)((char *)msg->msg_control +
				      msg->msg_controllen);

	cm->cmsg_level = SOL_UET;
	cm->cmsg_type = type;
	cm->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(cm), data, len);
	msg->msg_controllen += CMSG_SPACE(len);
}

/**
 * libuet_get_cmsg() - find a control message in what has been received
 * @msg: as recvmsg() left it
 * @type: UET_CMSG_HEADER_DATA and the like
 * @data: gets its content; stays as it is if there is none
 * @len: length of that
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

/**
 * libuet_next_report() - take a report from the error queue
 * @fd: socket
 * @rep: gets it
 * @peer: gets the address it is about, or NULL
 *
 * Does not wait; poll() says EPOLLERR when there is one.
 *
 * Return: whether there was one.
 */
bool libuet_next_report(int fd, struct uet_report *rep,
			struct sockaddr_uet *peer)
{
	union {
		char		buf[REPORT_SPACE];
		struct cmsghdr	align;
	} control;

	for (;;) {
		struct msghdr msg = {
			.msg_name = peer,
			.msg_namelen = peer ? sizeof(*peer) : 0,
			.msg_control = control.buf,
			.msg_controllen = sizeof(control.buf),
		};

		if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return false;
		if (libuet_get_cmsg(&msg, UET_CMSG_REPORT, rep, sizeof(*rep)))
			return true;
	}
}
