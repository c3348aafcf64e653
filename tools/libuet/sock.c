// SPDX-License-Identifier: GPL-2.0
/* Sockets with what is asked of them */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

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
		VALUE(how, job_from, how->take_job, SOL_UET, UET_JOB_FROM),
		VALUE(how, delivery, how->delivery, SOL_UET, UET_DELIVERY),
		TEXT(how->cc, SOL_UET, UET_CC),
		TEXT(how->policy, SOL_UET, UET_PATH_POLICY),
		VALUE(how, tclass, how->set_tclass, SOL_UET, UET_TRAFFIC_CLASS),
		VALUE(how, max_msg, how->max_msg, SOL_UET, UET_MAX_MSG),
		VALUE(how, send_timeout, how->send_timeout, SOL_UET,
		      UET_SEND_TIMEOUT),
		VALUE(how, defer, how->defer, SOL_UET, UET_DEFER),
		VALUE(how, notify, how->notify, SOL_UET, UET_NOTIFY),
		VALUE(how, pktinfo, how->pktinfo, SOL_UET, UET_PKTINFO),
		VALUE(how, mark, how->mark, SOL_SOCKET, SO_MARK),
		VALUE(how, sndbuf, how->sndbuf, SOL_SOCKET, SO_SNDBUF),
		VALUE(how, rcvbuf, how->rcvbuf, SOL_SOCKET, SO_RCVBUF),
		TEXT(how->device, SOL_SOCKET, SO_BINDTODEVICE),
	};
	const struct option *o;

	for (o = options; o < options + ARRAY_SIZE(options); o++) {
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

/* What this library does not know of must not be asked for */
static int take_how(struct libuet_sock *own, const struct libuet_sock *how,
		    size_t size)
{
	const char *byte = (const char *)how;

	memset(own, 0, sizeof(*own));
	memcpy(own, how, size < sizeof(*own) ? size : sizeof(*own));
	for (size_t i = sizeof(*own); i < size; i++)
		if (byte[i]) {
			errno = E2BIG;
			return -1;
		}
	if (!(own->type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)))
		own->type |= SOCK_RDM;
	return 0;
}

/**
 * libuet_open_sized() - make a socket; programs call libuet_open()
 * @how: its type, options and addresses; options first, then it is bound, then
 *	connected
 * @size: of @how, as the program knows it
 * @step: gets what failed: "socket", the name of an option, "bind" or
 *	"connect"; or NULL
 *
 * Return: the socket, or -1 with errno of what failed; E2BIG if @how asks for
 * something that this library does not know.
 */
int libuet_open_sized(const struct libuet_sock *how, size_t size,
		      const char **step)
{
	struct libuet_sock own;
	const char *ignored;
	int fd, err;

	if (!step)
		step = &ignored;
	*step = "socket";
	if (take_how(&own, how, size))
		return -1;
	fd = socket(libuet_family(), own.type, 0);
	if (fd < 0)
		return -1;
	if (!set_up(fd, &own, step))
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

/**
 * libuet_watch() - be told when an endpoint goes and comes (UET_WATCH)
 * @fd: socket, which gets the reports
 * @peer: the endpoint
 * @cookie: names the watch in them
 * @interval: ms from one probe to the next; 0 ends the watch of @peer
 * @timeout: ms that a probe may stay unanswered; 0 is net.uet.peer_timeout_s
 *
 * Return: 0, or -1 with errno as in struct uet_watch_req.
 */
int libuet_watch(int fd, const struct sockaddr_uet *peer, uint64_t cookie,
		 uint32_t interval, uint32_t timeout)
{
	const struct uet_watch_req req = {
		.peer = *peer,
		.cookie = cookie,
		.interval = interval,
		.timeout = timeout,
	};

	return setsockopt(fd, SOL_UET, UET_WATCH, &req, sizeof(req));
}

/**
 * libuet_set_window() - let others write to a window (UET_WINDOW)
 * @fd: socket that gets the writes
 * @key: what a write must have, with UET_KEY_IDEMPOTENT; 0 with @length 0
 * @length: size of the window, bytes; 0 ends it
 *
 * Return: 0, or -1 with errno EINVAL.
 */
int libuet_set_window(int fd, uint64_t key, uint64_t length)
{
	const struct uet_window w = { .key = key, .length = length };

	return setsockopt(fd, SOL_UET, UET_WINDOW, &w, sizeof(w));
}

/**
 * libuet_cancel() - give up the messages of a cookie (UET_CANCEL)
 * @fd: socket that has sent them
 * @cookie: their cookie
 *
 * Return: 0, or -1 with errno: ENOENT (none is under way), EAGAIN (try again).
 */
int libuet_cancel(int fd, uint64_t cookie)
{
	return setsockopt(fd, SOL_UET, UET_CANCEL, &cookie, sizeof(cookie));
}

/**
 * libuet_writable() - which destinations take more (UET_WRITABLE)
 * @fd: socket, of which sends got EAGAIN
 * @who: gets the destinations of these that would take them now
 * @max: room there, 1 or more
 *
 * Each is told once: send to it again. If one has suet_family 0, so may be others that
 * are not listed. With less than @max there are no more of them.
 *
 * Return: their number, or -1 with errno.
 */
int libuet_writable(int fd, struct sockaddr_uet *who, int max)
{
	socklen_t len = (size_t)max * sizeof(*who);

	if (getsockopt(fd, SOL_UET, UET_WRITABLE, who, &len))
		return -1;
	return len / sizeof(*who);
}
