// SPDX-License-Identifier: GPL-2.0
/* Options of sockets by name, as command lines and configuration files have them */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "internal.h"

static int invalid(void)
{
	errno = EINVAL;
	return -1;
}

static int set_type(struct libuet_sock *how, const char *value)
{
	int type;

	if (!strcmp(value, "rdm"))
		type = SOCK_RDM;
	else if (!strcmp(value, "seq") || !strcmp(value, "seqpacket"))
		type = SOCK_SEQPACKET;
	else if (!strcmp(value, "dgram"))
		type = SOCK_DGRAM;
	else
		return invalid();
	how->type = (how->type & (SOCK_NONBLOCK | SOCK_CLOEXEC)) | type;
	return 0;
}

static int set_delivery(struct libuet_sock *how, const char *value)
{
	static const char * const modes[] = {
		[UET_DELIVERY_DEFAULT] = "default", [UET_RUD] = "rud",
		[UET_ROD] = "rod", [UET_RUDI] = "rudi", [UET_UUD] = "uud",
	};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strcmp(modes[i], value)) {
			how->delivery = i;
			return 0;
		}
	return invalid();
}

static int set_job(struct libuet_sock *how, const char *value)
{
	uint64_t job;

	if (libuet__number(value, UET_JOB_MAX, &job))
		return -1;
	how->job = job;
	how->enter_job = true;
	return 0;
}

/* -1 is the class of the namespace */
static int set_tclass(struct libuet_sock *how, const char *value)
{
	bool none = !strcmp(value, "-1");
	uint64_t tclass = 0;

	if (!none && libuet__number(value, 63, &tclass))
		return -1;
	how->tclass = none ? -1 : (int)tclass;
	how->set_tclass = true;
	return 0;
}

static int set_notify(struct libuet_sock *how, const char *value)
{
	uint64_t on = 1;

	if (*value && libuet__number(value, UET_NOTIFY_NAMED, &on))
		return -1;
	how->notify = on;
	return 0;
}

static int set_cc(struct libuet_sock *how, const char *value)
{
	how->cc = value;
	return 0;
}

static int set_policy(struct libuet_sock *how, const char *value)
{
	how->policy = value;
	return 0;
}

static int set_device(struct libuet_sock *how, const char *value)
{
	how->device = value;
	return 0;
}

static int set_buffer(int *bytes, const char *value)
{
	uint64_t n;

	if (libuet__size(value, INT_MAX, &n))
		return -1;
	*bytes = n;
	return 0;
}

static int set_sndbuf(struct libuet_sock *how, const char *value)
{
	return set_buffer(&how->sndbuf, value);
}

static int set_rcvbuf(struct libuet_sock *how, const char *value)
{
	return set_buffer(&how->rcvbuf, value);
}

static int set_max_msg(struct libuet_sock *how, const char *value)
{
	uint64_t n;

	if (libuet__size(value, UET_MSG_MAX, &n))
		return -1;
	how->max_msg = n;
	return 0;
}

static int set_send_timeout(struct libuet_sock *how, const char *value)
{
	uint64_t n;

	if (libuet__number(value, UINT32_MAX, &n))
		return -1;
	how->send_timeout = n;
	return 0;
}

static int set_defer(struct libuet_sock *how, const char *value)
{
	uint64_t n;

	if (libuet__size(value, UET_MSG_MAX, &n))
		return -1;
	how->defer = n;
	return 0;
}

static int set_pktinfo(struct libuet_sock *how, const char *value)
{
	uint64_t n;

	if (libuet__number(value, 1, &n))
		return -1;
	how->pktinfo = n;
	return 0;
}

static int set_mark(struct libuet_sock *how, const char *value)
{
	uint64_t n;

	if (libuet__number(value, UINT_MAX, &n))
		return -1;
	how->mark = n;
	return 0;
}

static const struct {
	const char	*name;
	int		(*set)(struct libuet_sock *how, const char *value);
} options[] = {
	{ "cc", set_cc },
	{ "defer", set_defer },
	{ "delivery", set_delivery },
	{ "device", set_device },
	{ "job", set_job },
	{ "mark", set_mark },
	{ "max_msg", set_max_msg },
	{ "notify", set_notify },
	{ "pktinfo", set_pktinfo },
	{ "policy", set_policy },
	{ "rcvbuf", set_rcvbuf },
	{ "send_timeout", set_send_timeout },
	{ "sndbuf", set_sndbuf },
	{ "tclass", set_tclass },
	{ "type", set_type },
};

/**
 * libuet_sock_set() - set an option of a socket to be made, by name
 * @how: gets it
 * @name: name of the option, see libuet_open(3)
 * @value: its value as text, which must stay there as long as @how is used; NULL
 *	is ""
 *
 * Return: 0, or -1 with errno: ENOENT (no such option), EINVAL, ERANGE.
 */
int libuet_sock_set(struct libuet_sock *how, const char *name,
		    const char *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].name, name))
			return options[i].set(how, value ? value : "");
	errno = ENOENT;
	return -1;
}
