// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/uet_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "fake_kernel.h"

#define FAMILY		0x20
#define ROOM		16384
/* Longest attribute, and where an object has to end */
#define ATTR_ROOM	64
#define OBJECTS_END	(ROOM - 2048)

static enum fake_mode mode;
static char answer[ROOM] __attribute__((aligned(NLMSG_ALIGNTO)));
static size_t answer_len;
static unsigned int seq;
static int socket_is_here;

void fake_kernel(enum fake_mode new_mode)
{
	mode = new_mode;
	answer_len = 0;
}

static struct nlmsghdr *begin(int type, int flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(answer + answer_len);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = flags;
	nlh->nlmsg_seq = seq;
	return nlh;
}

static void end(const struct nlmsghdr *nlh)
{
	answer_len += MNL_ALIGN(nlh->nlmsg_len);
}

static struct nlmsghdr *begin_object(void)
{
	int flags = mode == FAKE_CHANGED && random() % 2 ? NLM_F_DUMP_INTR : 0;
	struct nlmsghdr *nlh = begin(FAMILY, NLM_F_MULTI | flags);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));

	genl->cmd = 1;
	return nlh;
}

/* A value of the right size for many attributes of each object */
static void plausible(struct nlmsghdr *nlh, int depth)
{
	static const char name[] = "na\033[2J\xc2\x9bme";
	struct nlattr *nest;
	int type;

	for (type = 1; type < 60; type++) {
		switch (random() % (depth ? 4 : 6)) {
		case 0:
			mnl_attr_put_u32(nlh, type, random() % 12);
			break;
		case 1:
			mnl_attr_put_u64(nlh, type, (uint64_t)random() << random() % 33);
			break;
		case 2:
			mnl_attr_put(nlh, type, 16, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\1");
			break;
		case 3:
			mnl_attr_put(nlh, type, sizeof(name), name);
			break;
		case 4:
			nest = mnl_attr_nest_start(nlh, type);
			if (nlh->nlmsg_len + answer_len < OBJECTS_END / 2)
				plausible(nlh, depth + 1);
			mnl_attr_nest_end(nlh, nest);
			break;
		}
	}
}

/* Numbers, lengths and contents by chance: what no kernel sends */
static void hostile(struct nlmsghdr *nlh)
{
	char bytes[ATTR_ROOM];
	struct nlattr *attr;
	int n = random() % 40;
	size_t i;

	while (n--) {
		for (i = 0; i < sizeof(bytes); i++)
			bytes[i] = random();
		attr = mnl_nlmsg_get_payload_tail(nlh);
		mnl_attr_put(nlh, random() % 200, random() % sizeof(bytes), bytes);
		if (random() % 20 == 0)
			attr->nla_len = random();
	}
}

static void put_objects(int n)
{
	while (n-- && answer_len < OBJECTS_END / 2) {
		struct nlmsghdr *nlh = begin_object();

		if (mode == FAKE_HOSTILE)
			hostile(nlh);
		else
			plausible(nlh, 0);
		end(nlh);
	}
}

/* The end of an answer: an error, its explanation, and the range that is valid */
static void put_error(int type, int error, int cut)
{
	struct nlmsghdr *nlh = begin(type, NLM_F_ACK_TLVS | NLM_F_CAPPED);
	struct nlattr *nest;

	memcpy(mnl_nlmsg_put_extra_header(nlh, sizeof(error)), &error, sizeof(error));
	if (type == NLMSG_ERROR)
		mnl_nlmsg_put_extra_header(nlh, sizeof(struct nlmsghdr));
	if (error) {
		mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, "this is why");
		nest = mnl_attr_nest_start(nlh, NLMSGERR_ATTR_POLICY);
		mnl_attr_put_u64(nlh, NL_POLICY_TYPE_ATTR_MIN_VALUE_U, 1);
		mnl_attr_put_u64(nlh, NL_POLICY_TYPE_ATTR_MAX_VALUE_U, 7);
		mnl_attr_nest_end(nlh, nest);
	}
	if (cut) {
		nlh->nlmsg_len -= random() % (nlh->nlmsg_len - sizeof(*nlh) + 1);
		if (random() % 2)
			nlh->nlmsg_flags &= ~NLM_F_CAPPED;
	}
	end(nlh);
}

static void answer_family(void)
{
	struct nlmsghdr *nlh = begin(GENL_ID_CTRL, 0);
	struct nlattr *groups, *one;

	mnl_nlmsg_put_extra_header(nlh, sizeof(struct genlmsghdr));
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, FAMILY);
	groups = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);
	one = mnl_attr_nest_start(nlh, 1);
	mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, UET_MCGRP_EVENTS);
	mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, 5);
	mnl_attr_nest_end(nlh, one);
	mnl_attr_nest_end(nlh, groups);
	end(nlh);
	put_error(NLMSG_ERROR, 0, 0);
}

static void answer_request(const struct nlmsghdr *req)
{
	int dump = (req->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	int last = dump ? NLMSG_DONE : NLMSG_ERROR;

	switch (mode) {
	case FAKE_NOTHING:
		return put_error(last, 0, 0);
	case FAKE_REFUSED:
		put_objects(dump ? random() % 2 : 0);
		return put_error(last, -EPERM, 0);
	case FAKE_BROKEN_ERROR:
		put_objects(dump ? random() % 2 : 0);
		return put_error(random() % 2 ? last : NLMSG_ERROR,
				 random() % 2 ? -EPERM : 0, 1);
	case FAKE_LOST:
		return put_objects(2);
	default:
		put_objects(dump ? random() % 4 : 1);
		return put_error(last, 0, 0);
	}
}

/* --- what the tool calls -------------------------------------------------------- */

struct mnl_socket *__wrap_mnl_socket_open2(int bus, int flags);
int __wrap_mnl_socket_bind(struct mnl_socket *sk, unsigned int groups, pid_t pid);
int __wrap_mnl_socket_setsockopt(const struct mnl_socket *sk, int type, void *buf,
				 socklen_t len);
unsigned int __wrap_mnl_socket_get_portid(const struct mnl_socket *sk);
int __wrap_mnl_socket_get_fd(const struct mnl_socket *sk);
int __wrap_mnl_socket_close(struct mnl_socket *sk);
ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *sk, const void *req,
				 size_t len);
ssize_t __wrap_mnl_socket_recvfrom(const struct mnl_socket *sk, void *buf,
				   size_t size);

struct mnl_socket *__wrap_mnl_socket_open2(int bus, int flags)
{
	(void)bus, (void)flags;
	return (struct mnl_socket *)&socket_is_here;
}

int __wrap_mnl_socket_bind(struct mnl_socket *sk, unsigned int groups, pid_t pid)
{
	(void)sk, (void)groups, (void)pid;
	return 0;
}

/* Who joins the group of events gets some */
int __wrap_mnl_socket_setsockopt(const struct mnl_socket *sk, int type, void *buf,
				 socklen_t len)
{
	(void)sk, (void)buf, (void)len;
	if (type == NETLINK_ADD_MEMBERSHIP)
		put_objects(mode == FAKE_NOTHING ? 0 : 3);
	return 0;
}

unsigned int __wrap_mnl_socket_get_portid(const struct mnl_socket *sk)
{
	(void)sk;
	return 0;
}

int __wrap_mnl_socket_get_fd(const struct mnl_socket *sk)
{
	static int fd = -1;

	(void)sk;
	/* There is always something to be read */
	if (fd < 0)
		fd = open("/dev/null", O_RDONLY);
	return fd;
}

int __wrap_mnl_socket_close(struct mnl_socket *sk)
{
	(void)sk;
	answer_len = 0;
	return 0;
}

ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *sk, const void *req,
				 size_t len)
{
	const struct nlmsghdr *nlh = req;

	(void)sk;
	seq = nlh->nlmsg_seq;
	if (nlh->nlmsg_type == GENL_ID_CTRL)
		answer_family();
	else
		answer_request(nlh);
	return len;
}

ssize_t __wrap_mnl_socket_recvfrom(const struct mnl_socket *sk, void *buf,
				   size_t size)
{
	size_t len = answer_len;

	(void)sk;
	if (!len || len > size) {
		errno = EIO;
		return -1;
	}
	memcpy(buf, answer, len);
	answer_len = 0;
	return len;
}
