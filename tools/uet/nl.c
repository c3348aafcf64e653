// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/uet_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "field.h"
#include "nl.h"

/* Many objects fit into one call; the kernel makes dumps no larger than this */
#define RECV_ROOM	65536

static int open_socket(struct nl *nl, int bus)
{
	int on = 1;

	nl->sk = mnl_socket_open2(bus, SOCK_CLOEXEC);
	if (!nl->sk)
		return -errno;
	if (mnl_socket_bind(nl->sk, 0, MNL_SOCKET_AUTOPID)) {
		int err = -errno;

		nl_close(nl);
		return err;
	}
	/* Kernels that know neither do without */
	mnl_socket_setsockopt(nl->sk, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(nl->sk, NETLINK_CAP_ACK, &on, sizeof(on));
	return 0;
}

void nl_close(struct nl *nl)
{
	if (nl->sk)
		mnl_socket_close(nl->sk);
	nl->sk = NULL;
}

/**
 * nl_request() - begin a request to the family
 * @nl: socket
 * @cmd: UET_CMD_*
 * @dump: all objects
 *
 * Return: the request; attributes follow.
 */
struct nlmsghdr *nl_request(struct nl *nl, uint8_t cmd, bool dump)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(nl->buf);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = nl->family;
	nlh->nlmsg_flags = NLM_F_REQUEST | (dump ? NLM_F_DUMP : NLM_F_ACK);
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = UET_FAMILY_VERSION;
	return nlh;
}

/**
 * struct answer - an answer on its way to who asked
 * @nl: socket
 * @fn: gets each object
 * @arg: for @fn
 * @header: bytes before the attributes
 * @changed: objects came or went during the dump
 * @complete: all of it was heard
 */
struct answer {
	struct nl *nl;
	nl_object_fn fn;
	void *arg;
	size_t header;
	bool changed;
	bool complete;
};

static int object(const struct nlmsghdr *nlh, void *data)
{
	const struct answer *a = data;
	struct attrs attrs;

	if (!a->fn || mnl_nlmsg_get_payload_len(nlh) < a->header)
		return MNL_CB_OK;
	attrs_parse(&attrs, mnl_nlmsg_get_payload_offset(nlh, a->header),
		    mnl_nlmsg_get_payload_len(nlh) - a->header);
	a->fn(&attrs, a->arg);
	return MNL_CB_OK;
}

/* Where the attributes of an error are; NULL if it has none */
static const void *error_attrs(const struct nlmsghdr *nlh, size_t *len)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	size_t skip = sizeof(*err);

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return NULL;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED)) {
		if (err->msg.nlmsg_len < sizeof(err->msg))
			return NULL;
		skip += err->msg.nlmsg_len - sizeof(err->msg);
	}
	skip = MNL_ALIGN(skip);
	if (skip > mnl_nlmsg_get_payload_len(nlh))
		return NULL;
	*len = mnl_nlmsg_get_payload_len(nlh) - skip;
	return (const char *)err + skip;
}

/* What values would have been valid, where the kernel says it */
static void print_policy(const struct nlattr *nest)
{
	struct attrs p;

	attrs_nested(&p, nest);
	if (attr_has(&p, NL_POLICY_TYPE_ATTR_MIN_VALUE_S))
		fprintf(stderr, " (valid: %" PRId64 " to %" PRId64 ")",
			(int64_t)attr_num(&p, NL_POLICY_TYPE_ATTR_MIN_VALUE_S),
			(int64_t)attr_num(&p, NL_POLICY_TYPE_ATTR_MAX_VALUE_S));
	else if (attr_has(&p, NL_POLICY_TYPE_ATTR_MAX_VALUE_U))
		fprintf(stderr, " (valid: %" PRIu64 " to %" PRIu64 ")",
			attr_num(&p, NL_POLICY_TYPE_ATTR_MIN_VALUE_U),
			attr_num(&p, NL_POLICY_TYPE_ATTR_MAX_VALUE_U));
}

static void print_error(const char *attrs, size_t len, int error)
{
	struct attrs a = { 0 };
	const char *text;

	if (attrs)
		attrs_parse(&a, attrs, len);
	text = attr_str(&a, NLMSGERR_ATTR_MSG);
	if (*text) {
		fprintf(stderr, "Error: %s", text);
		if (!strpbrk(text, "0123456789") && attr_has(&a, NLMSGERR_ATTR_POLICY))
			print_policy(a.at[NLMSGERR_ATTR_POLICY]);
		fputs(".\n", stderr);
	}
	fprintf(stderr, "uet answers: %s\n", strerror(error));
}

/**
 * nl_error() - print what the kernel says of an error
 * @nl: socket; quiet ones print nothing
 * @nlh: the message, of a valid length
 */
void nl_error(struct nl *nl, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	const void *attrs;
	size_t len = 0;

	attrs = error_attrs(nlh, &len);
	if (!nl->quiet)
		print_error(attrs, len, -err->error);
}

/* What is left out for want of rights, say, or when a setting takes effect: main() prints
 * it once, below what is shown
 */
static void take_note(struct nl *nl, const char *attrs, size_t len)
{
	struct attrs a = { 0 };

	if (!attrs || nl->quiet)
		return;
	attrs_parse(&a, attrs, len);
	if (*attr_str(&a, NLMSGERR_ATTR_MSG))
		snprintf(nl->note, sizeof(nl->note), "%s",
			 attr_str(&a, NLMSGERR_ATTR_MSG));
}

static int failed(const struct nlmsghdr *nlh, void *data)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	struct answer *a = data;
	const char *attrs;
	size_t len = 0;

	if (nlh->nlmsg_len < mnl_nlmsg_size(sizeof(*err))) {
		errno = EBADMSG;
		return MNL_CB_ERROR;
	}
	a->complete = true;
	if (!err->error) {
		attrs = error_attrs(nlh, &len);
		take_note(a->nl, attrs, len);
		return MNL_CB_STOP;
	}
	nl_error(a->nl, nlh);
	errno = -err->error;
	return MNL_CB_ERROR;
}

/* The end of a dump carries its error */
static int done(const struct nlmsghdr *nlh, void *data)
{
	struct answer *a = data;
	const char *attrs = NULL;
	size_t len = 0;
	int error;

	a->complete = true;
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(error))
		return MNL_CB_STOP;
	memcpy(&error, mnl_nlmsg_get_payload(nlh), sizeof(error));
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS) {
		attrs = mnl_nlmsg_get_payload_offset(nlh, sizeof(error));
		len = mnl_nlmsg_get_payload_len(nlh) - MNL_ALIGN(sizeof(error));
	}
	if (error >= 0) {
		take_note(a->nl, attrs, len);
		return MNL_CB_STOP;
	}
	if (!a->nl->quiet)
		print_error(attrs, len, -error);
	errno = -error;
	return MNL_CB_ERROR;
}

/*
 * Hands out the messages of a buffer. An interrupted dump is heard to its end, or what
 * is left of it would be taken for the answer to the next request.
 */
static int answered(struct answer *a, void *buf, size_t len, unsigned int port)
{
	static mnl_cb_t control[NLMSG_MIN_TYPE] = {
		[NLMSG_ERROR] = failed,
		[NLMSG_DONE] = done,
	};
	struct nlmsghdr *nlh;
	int left = len;

	for (nlh = buf; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
		a->changed |= nlh->nlmsg_flags & NLM_F_DUMP_INTR;
		nlh->nlmsg_flags &= ~NLM_F_DUMP_INTR;
	}
	return mnl_cb_run2(buf, len, a->nl->seq, port, object, a, control,
			   NLMSG_MIN_TYPE);
}

static int receive(struct nl *nl, struct answer *a)
{
	unsigned int port = mnl_socket_get_portid(nl->sk);
	char *buf = malloc(RECV_ROOM);
	int ret = MNL_CB_OK;
	ssize_t len;

	if (!buf)
		return -ENOMEM;
	while (ret > MNL_CB_STOP) {
		len = mnl_socket_recvfrom(nl->sk, buf, RECV_ROOM);
		/* Only top catches signals, and it looks between two readings */
		if (len < 0 && errno == EINTR)
			continue;
		ret = len < 0 ? MNL_CB_ERROR : answered(a, buf, len, port);
	}
	len = ret == MNL_CB_ERROR ? -errno : 0;
	free(buf);
	/* What is left of an answer must not be taken for that to the next request */
	if (ret == MNL_CB_ERROR && !a->complete)
		nl_close(nl);
	if (!len && a->changed)
		len = -EINTR;
	return len;
}

/* What the kernel says in words was printed when it came */
static void print_failure(const struct answer *a, int err)
{
	if (a->nl->quiet)
		return;
	if (!a->complete)
		fprintf(stderr, "Error: netlink: %s.\n", strerror(-err));
	else if (a->changed)
		fputs("Error: objects changed meanwhile, some may be missing.\n",
		      stderr);
}

static int talk(struct nl *nl, struct nlmsghdr *req, struct answer *a)
{
	int err;

	req->nlmsg_seq = ++nl->seq;
	if (!nl->sk)
		err = -ENOTCONN;
	else if (mnl_socket_sendto(nl->sk, req, req->nlmsg_len) < 0)
		err = -errno;
	else
		err = receive(nl, a);
	if (err)
		print_failure(a, err);
	return err;
}

/**
 * nl_talk() - send a request to the family, and hear all of its answer
 * @nl: socket
 * @req: request, as nl_request() began it
 * @fn: gets each object; NULL for requests that change something
 * @arg: for @fn
 *
 * Errors are printed, unless @nl is quiet. The socket is closed where more of the
 * answer may come.
 *
 * Return: 0 or a negative error; -EINTR if all is told and objects came or went
 * meanwhile.
 */
int nl_talk(struct nl *nl, struct nlmsghdr *req, nl_object_fn fn, void *arg)
{
	struct answer a = { nl, fn, arg, .header = GENL_HDRLEN };

	return talk(nl, req, &a);
}

/**
 * nl_talk_route() - the same with rtnetlink
 * @header: bytes of the fixed header of the answers
 */
int nl_talk_route(struct nl *nl, struct nlmsghdr *req, nl_object_fn fn, void *arg,
		  size_t header)
{
	struct answer a = { nl, fn, arg, .header = MNL_ALIGN(header) };

	return talk(nl, req, &a);
}

static void group_found(struct nl *nl, const struct nlattr *groups)
{
	const struct nlattr *one;
	struct attrs g;

	mnl_attr_for_each_nested(one, groups) {
		attrs_nested(&g, one);
		if (!strcmp(attr_str(&g, CTRL_ATTR_MCAST_GRP_NAME),
			    UET_MCGRP_EVENTS))
			nl->group = attr_num(&g, CTRL_ATTR_MCAST_GRP_ID);
	}
}

static void family_found(const struct attrs *a, void *arg)
{
	struct nl *nl = arg;

	nl->family = attr_num(a, CTRL_ATTR_FAMILY_ID);
	if (attr_has(a, CTRL_ATTR_MCAST_GROUPS))
		group_found(nl, a->at[CTRL_ATTR_MCAST_GROUPS]);
}

static int find_family(struct nl *nl)
{
	struct nlmsghdr *req;
	bool quiet = nl->quiet;
	int err;

	nl->family = GENL_ID_CTRL;
	req = nl_request(nl, CTRL_CMD_GETFAMILY, false);
	mnl_attr_put_strz(req, CTRL_ATTR_FAMILY_NAME, UET_FAMILY_NAME);
	nl->quiet = true;
	err = nl_talk(nl, req, family_found, nl);
	nl->quiet = quiet;
	if (err == -ENOENT && !quiet)
		nl_no_module();
	else if (err && !quiet)
		fprintf(stderr, "Error: no generic netlink: %s\n", strerror(-err));
	return err;
}

/**
 * nl_open() - open a socket to the family, unless it is open
 *
 * Return: 0 or a negative error, which is printed.
 */
int nl_open(struct nl *nl)
{
	int err;

	if (nl->sk)
		return 0;
	err = open_socket(nl, NETLINK_GENERIC);
	if (err) {
		fprintf(stderr, "Error: no netlink socket: %s\n", strerror(-err));
		return err;
	}
	err = find_family(nl);
	if (err)
		nl_close(nl);
	return err;
}

/**
 * nl_open_route() - open a socket to rtnetlink
 */
int nl_open_route(struct nl *nl)
{
	return open_socket(nl, NETLINK_ROUTE);
}

/**
 * nl_events() - join the group of events
 *
 * Return: 0 or a negative error.
 */
int nl_events(struct nl *nl)
{
	int room = 4 << 20;

	/* The default room is for a few hundred events only */
	if (setsockopt(mnl_socket_get_fd(nl->sk), SOL_SOCKET, SO_RCVBUFFORCE,
		       &room, sizeof(room)))
		setsockopt(mnl_socket_get_fd(nl->sk), SOL_SOCKET, SO_RCVBUF,
			   &room, sizeof(room));
	if (mnl_socket_setsockopt(nl->sk, NETLINK_ADD_MEMBERSHIP, &nl->group,
				  sizeof(nl->group)))
		return -errno;
	return 0;
}
