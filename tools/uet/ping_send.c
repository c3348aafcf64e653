// SPDX-License-Identifier: GPL-2.0
/*
 * Requests for probes, and their results, in whatever order they come.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/uet_netlink.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "field.h"
#include "ping.h"
#include "tick.h"

#define RECV_ROOM	16384
/* The kernel wants fewer probes per second: ask again after this time */
#define PACE_MS		5
#define MS_PER_S	1000
#define NS_PER_MS	1000000
/* A host answers packets of contexts that it does not know, as those of probes are, some
 * 200 times in each sixteenth of a second, and what is above that would look like losses:
 * so many probes in a turn of such a length
 */
#define TURN_MS		70
#define TURN_PROBES	160

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

/**
 * pinger_stopped() - was the command interrupted?
 */
bool pinger_stopped(void)
{
	return stopped;
}

/**
 * pinger_open() - prepare to send probes
 *
 * Return: 0 or a negative error, which is printed.
 */
int pinger_open(struct pinger *p, struct tool *t, const struct ping_conf *conf)
{
	struct sigaction act = { .sa_handler = stop };
	int room = 1 << 20, err;

	memset(p, 0, sizeof(*p));
	p->t = t;
	p->conf = conf;
	stopped = 0;
	/* Without SA_RESTART: poll() ends */
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	err = nl_open(&t->nl);
	/* For the results of a window of probes */
	if (!err)
		setsockopt(mnl_socket_get_fd(t->nl.sk), SOL_SOCKET, SO_RCVBUF,
			   &room, sizeof(room));
	return err;
}

static struct probe **slot_of(struct pinger *p, uint32_t seq)
{
	return &p->under_way[seq % PING_WINDOW];
}

static void end(struct pinger *p, struct probe *probe)
{
	*slot_of(p, probe->seq) = NULL;
	p->waiting--;
	probe->waits = false;
	if (p->done)
		p->done(probe, p->arg);
}

static void take_way(struct pinger *p, struct probe *probe,
		     const struct attrs *a)
{
	struct ping_way *way = &p->way;

	probe->ev = attr_num(a, UET_A_PING_EV);
	probe->dev = attr_num(a, UET_A_PING_DEV);
	probe->len = attr_num(a, UET_A_PING_LEN);
	attr_addr(a, UET_A_PING_LOCAL, &way->local);
	way->dev = probe->dev;
	way->udp_port = attr_num(a, UET_A_PING_UDP_PORT);
	way->mtu = attr_num(a, UET_A_PING_MTU);
	way->payload_mtu = attr_num(a, UET_A_PING_PAYLOAD_MTU);
	way->headers = probe->len - probe->size;
	way->known = true;
}

static int num_or(const struct attrs *a, uint16_t attr, int other)
{
	return attr_has(a, attr) ? (int)attr_num(a, attr) : other;
}

static void take_result(struct pinger *p, struct probe *probe,
			const struct attrs *a)
{
	probe->result = attr_num(a, UET_A_PING_RESULT);
	probe->rtt = attr_num(a, UET_A_PING_RTT);
	probe->sent = attr_num(a, UET_A_PING_SENT);
	probe->has_from = attr_addr(a, UET_A_PING_FROM, &probe->from);
	probe->marked = attr_has(a, UET_A_PING_MARKED);
	probe->nack = attr_num(a, UET_A_PING_NACK);
	probe->icmp = attr_num(a, UET_A_PING_ICMP);
	probe->mtu = attr_num(a, UET_A_PING_MTU);
	probe->window = attr_num(a, UET_A_PING_WINDOW);
	probe->code = num_or(a, UET_A_PING_CODE, -1);
	probe->generation = num_or(a, UET_A_PING_GENERATION, -1);
	probe->version = num_or(a, UET_A_PING_VERSION, -1);
	end(p, probe);
}

static void refused(struct pinger *p, struct probe *probe,
		    const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);

	if (!err->error)
		return;
	probe->error = -err->error;
	if (probe->error != EAGAIN)
		nl_error(&p->t->nl, nlh);
	end(p, probe);
}

static int message(const struct nlmsghdr *nlh, void *data)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	struct pinger *p = data;
	struct probe *probe = *slot_of(p, nlh->nlmsg_seq);
	struct attrs a;

	if (!probe || probe->seq != nlh->nlmsg_seq)
		return MNL_CB_OK;
	if (nlh->nlmsg_type == NLMSG_ERROR) {
		if (mnl_nlmsg_get_payload_len(nlh) >= sizeof(struct nlmsgerr))
			refused(p, probe, nlh);
		return MNL_CB_OK;
	}
	if (nlh->nlmsg_type != p->t->nl.family ||
	    mnl_nlmsg_get_payload_len(nlh) < GENL_HDRLEN)
		return MNL_CB_OK;
	attrs_parse(&a, mnl_nlmsg_get_payload_offset(nlh, GENL_HDRLEN),
		    mnl_nlmsg_get_payload_len(nlh) - GENL_HDRLEN);
	if (genl->cmd == UET_CMD_PING)
		take_way(p, probe, &a);
	else if (genl->cmd == UET_CMD_PING_RESULT)
		take_result(p, probe, &a);
	return MNL_CB_OK;
}

/* libmnl takes errors for the end of a run: hear them as other messages */
static void messages(struct pinger *p, const char *buf, int len)
{
	const struct nlmsghdr *nlh = (const void *)buf;

	for (; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len))
		message(nlh, p);
}

/**
 * pinger_hear() - hear of probes for a while
 * @p: pinger
 * @ms: how long to wait for the first message
 *
 * Return: 0 or a negative error, which is printed.
 */
int pinger_hear(struct pinger *p, int ms)
{
	struct pollfd pfd = {
		.fd = mnl_socket_get_fd(p->t->nl.sk), .events = POLLIN,
	};
	char buf[RECV_ROOM];
	ssize_t len;

	/* All that is there: a full socket would lose what comes next */
	for (; poll(&pfd, 1, ms) > 0; ms = 0) {
		len = mnl_socket_recvfrom(p->t->nl.sk, buf, sizeof(buf));
		if (len >= 0) {
			messages(p, buf, len);
			continue;
		}
		if (errno == EINTR || errno == ENOBUFS)
			break;
		len = -errno;
		fprintf(stderr, "Error: results: %s.\n", strerror(errno));
		return len;
	}
	return 0;
}

/* The kernel ends each probe; what is told later than that was lost */
static uint64_t last_result(const struct pinger *p)
{
	return now_ns() + (p->conf->timeout + 2) * 1e9;
}

/**
 * pinger_drain() - hear of all probes that are under way, unless interrupted
 */
int pinger_drain(struct pinger *p)
{
	uint64_t last = last_result(p);
	int err = 0;

	while (!err && p->waiting && !stopped && now_ns() < last)
		err = pinger_hear(p, 100);
	memset(p->under_way, 0, sizeof(p->under_way));
	p->waiting = 0;
	return err;
}

static int request(struct pinger *p, struct probe *probe)
{
	const struct ping_conf *conf = p->conf;
	struct nl *nl = &p->t->nl;
	struct nlmsghdr *req = nl_request(nl, UET_CMD_PING, false);

	mnl_attr_put(req, UET_A_PING_REMOTE, sizeof(conf->peer), &conf->peer);
	mnl_attr_put_u32(req, UET_A_PING_TIMEOUT, conf->timeout * MS_PER_S);
	if (conf->dev)
		mnl_attr_put_u32(req, UET_A_PING_IFINDEX, conf->dev);
	if (probe->ev)
		mnl_attr_put_u32(req, UET_A_PING_EV, probe->ev);
	if (probe->ttl)
		mnl_attr_put_u32(req, UET_A_PING_TTL, probe->ttl);
	if (probe->size)
		mnl_attr_put_u32(req, UET_A_PING_SIZE, probe->size);
	if (probe->ask) {
		mnl_attr_put_u32(req, UET_A_PING_PID, probe->pid);
		mnl_attr_put_u32(req, UET_A_PING_RI, conf->ri);
		mnl_attr_put_u32(req, UET_A_PING_JOB, conf->job);
	}
	probe->seq = req->nlmsg_seq = ++nl->seq;
	probe->waits = true;
	probe->error = 0;
	*slot_of(p, probe->seq) = probe;
	p->waiting++;
	return mnl_socket_sendto(nl->sk, req, req->nlmsg_len) < 0 ? -errno : 0;
}

/* Wait for the next turn, if this one has had its probes */
static int wait_turn(struct pinger *p)
{
	uint64_t now = now_ns(), end = p->turn_ns + TURN_MS * NS_PER_MS;
	int err = 0;

	if (p->turn_probes++ < TURN_PROBES && now < end)
		return 0;
	while (!err && !stopped && p->turn_probes > TURN_PROBES && now < end) {
		err = pinger_hear(p, (end - now) / NS_PER_MS + 1);
		now = now_ns();
	}
	p->turn_ns = now;
	p->turn_probes = 1;
	return err;
}

/**
 * pinger_send() - send a probe, as soon as the window has room and the pace allows it
 * @p: pinger
 * @probe: the probe; it must stay until it has its result
 *
 * Return: 0 or a negative error. What the kernel refuses is no such error.
 */
int pinger_send(struct pinger *p, struct probe *probe)
{
	struct probe **slot = slot_of(p, p->t->nl.seq + 1);
	uint64_t last = last_result(p);
	int err = wait_turn(p);

	while (!err && *slot && !stopped && now_ns() < last)
		err = pinger_hear(p, 100);
	if (*slot) {
		(*slot)->result = UET_PING_RESULT_LOST;
		end(p, *slot);
	}
	while (!err && !stopped) {
		err = request(p, probe);
		if (err)
			return err;
		/* The answer of the request is there; results may be, too */
		err = pinger_hear(p, 0);
		if (probe->error != EAGAIN)
			return err;
		err = pinger_hear(p, PACE_MS);
	}
	return err;
}

/**
 * pinger_one() - send a probe and wait for its result
 */
int pinger_one(struct pinger *p, struct probe *probe)
{
	int err = pinger_send(p, probe);

	return err ? err : pinger_drain(p);
}
