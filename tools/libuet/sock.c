// SPDX-License-Identifier: GPL-2.0
/* Sockets with what is asked of them */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "libuet.h"

struct option {
	const char	*step;
	bool		wanted;
	int		level, name;
	const void	*value;
	socklen_t	len;
};

#define VALUE(how, field, wanted, level, name)				\
	{ #name, wanted, level, name, &(how)->field, sizeof((how)->field) }
#define TEXT(text, level, name)						\
	{ #name, (text) && *(text), level, name, text,			\
	  (text) ? strlen(text) + 1 : 0 }

static int set_options(int fd, const struct libuet_sock *how,
		       const char **step)
{
	const struct option options[] = {
		VALUE(how, job, how->enter_job, SOL_UET, UET_JOB_ID),
		VALUE(how, delivery, how->delivery, SOL_UET, UET_DELIVERY),
		TEXT(how->cc, SOL_UET, UET_CC),
		TEXT(how->policy, SOL_UET, UET_PATH_POLICY),
		VALUE(how, tclass, how->set_tclass, SOL_UET, UET_TRAFFIC_CLASS),
		VALUE(how, max_msg, how->max_msg, SOL_UET, UET_MAX_MSG),
		VALUE(how, notify, how->notify, SOL_UET, UET_NOTIFY),
		VALUE(how, mark, how->mark, SOL_SOCKET, SO_MARK),
		VALUE(how, sndbuf, how->sndbuf, SOL_SOCKET, SO_SNDBUF),
		VALUE(how, rcvbuf, how->rcvbuf, SOL_SOCKET, SO_RCVBUF),
		TEXT(how->device, SOL_SOCKET, SO_BINDTODEVICE),
	};
	const struct option *o;

	for (o = options; o < options + sizeof(options) / sizeof(*o); o++) {
		*step = o->step;
		if (o->wanted &&
		    setsockopt(fd, o->level, o->name, o->value, o->len))
			return -1;
	}
	return 0;
}

static int set_up(int fd, const struct libuet_sock *how, const char **step)
{
	if (set_options(fd, how, step))
		return -1;
	*step = "bind";
	if (how->local && bind(fd, (const struct sockaddr *)how->local,
			       sizeof(*how->local)))
		return -1;
	*step = "connect";
	if (how->peer && connect(fd, (const struct sockaddr *)how->peer,
				 sizeof(*how->peer)))
		return -1;
	return 0;
}

/**
 * libuet_open() - make a socket
 * @how: its type, options and addresses; set, bound and connected in the order
 *	of the structure
 * @step: gets what failed: "socket", the name of an option, "bind" or
 *	"connect"
 *
 * Return: the socket, or -1 with errno.
 */
int libuet_open(const struct libuet_sock *how, const char **step)
{
	int fd, err;

	*step = "socket";
	fd = socket(libuet_family(), how->type, 0);
	if (fd < 0)
		return -1;
	if (!set_up(fd, how, step))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

/**
 * libuet_get_info() - ask for the state towards the peer (UET_INFO)
 * @fd: socket
 * @info: gets it; what an older module does not know is 0
 *
 * Return: the length that the module knows, or -1 with errno.
 */
int libuet_get_info(int fd, struct uet_info *info)
{
	socklen_t len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return getsockopt(fd, SOL_UET, UET_INFO, info, &len) ? -1 : (int)len;
}
