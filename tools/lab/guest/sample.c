// SPDX-License-Identifier: GPL-2.0
/*
 * Samples over time: queues of the switch ports by rtnetlink, windows by the
 * sockets' info options, goodput by connection; counters before and after.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/gen_stats.h>
#include <linux/netlink.h>
#include <linux/pkt_sch_trim.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <host.h>

#include "lab.h"

#define MAX_PORTS	512
#define REPLY		65536

/* What was written last: only changes make a line. */
static struct {
	uint32_t	backlog;
	uint32_t	peak;
} *last;

static char reply[REPLY];
static uint64_t *goodput_last;

/* Samples name ports by index, everything else by name. */
static void name_ports(const struct ns *ns)
{
	struct if_nameindex *names = if_nameindex(), *p;

	if (!names)
		die("names of devices");
	for (p = names; p->if_index; p++)
		fprintf(lab.raw, "dev %s %u %s\n", ns->name, p->if_index,
			p->if_name);
	if_freenameindex(names);
}

void sample_init(void)
{
	struct ns *ns;
	int i;

	last = calloc((size_t)lab.nr_ns * MAX_PORTS, sizeof(*last));
	goodput_last = calloc(lab.nr_conns + 1, sizeof(*goodput_last));
	if (!last || !goodput_last)
		die("no memory for samples");
	for (i = 0; i < lab.nr_ns; i++) {
		ns = &lab.ns[i];
		if (!ns->sampled)
			continue;
		netns_enter(ns);
		ns->nlfd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
				  NETLINK_ROUTE);
		name_ports(ns);
		netns_leave();
		if (ns->nlfd < 0)
			die("rtnetlink");
	}
}

static void queue_line(struct ns *ns, int ifindex, uint32_t backlog,
		       uint32_t peak, uint64_t when)
{
	size_t slot;

	if (ifindex >= MAX_PORTS)
		return;
	slot = (size_t)(ns - lab.ns) * MAX_PORTS + ifindex;
	if (last[slot].backlog == backlog && last[slot].peak == peak)
		return;
	last[slot].backlog = backlog;
	last[slot].peak = peak;
	fprintf(lab.raw, "q %llu %s %d %u %u\n", (unsigned long long)when,
		ns->name, ifindex, backlog, peak);
}

/* The data queue of a trimming port; of others all that waits. */
static void parse_stats(struct ns *ns, int ifindex, struct rtattr *stats,
			bool trim, uint64_t when)
{
	const struct tc_trim_class_xstats *data;
	const struct gnet_stats_queue *queue;
	const struct tc_trim_xstats *port;
	struct rtattr *a = RTA_DATA(stats);
	int len = RTA_PAYLOAD(stats);

	for (; RTA_OK(a, len); a = RTA_NEXT(a, len)) {
		if (trim && a->rta_type == TCA_STATS_APP &&
		    RTA_PAYLOAD(a) >= sizeof(*port)) {
			port = RTA_DATA(a);
			data = &port->cls[TC_TRIM_DATA];
			queue_line(ns, ifindex, data->backlog,
				   data->recent_peak, when);
		} else if (!trim && a->rta_type == TCA_STATS_QUEUE) {
			queue = RTA_DATA(a);
			queue_line(ns, ifindex, queue->backlog, queue->backlog,
				   when);
		}
	}
}

static void parse_qdisc(struct ns *ns, struct nlmsghdr *nlh, uint64_t when)
{
	struct tcmsg *tcm = NLMSG_DATA(nlh);
	struct rtattr *a = TCA_RTA(tcm);
	int len = TCA_PAYLOAD(nlh);
	bool trim = false;

	if (tcm->tcm_parent != TC_H_ROOT)
		return;
	for (; RTA_OK(a, len); a = RTA_NEXT(a, len)) {
		if (a->rta_type == TCA_KIND)
			trim = !strcmp(RTA_DATA(a), "trim");
		else if (a->rta_type == TCA_STATS2)
			parse_stats(ns, tcm->tcm_ifindex, a, trim, when);
	}
}

static void sample_ns(struct ns *ns, uint64_t when)
{
	struct {
		struct nlmsghdr	nlh;
		struct tcmsg	tcm;
	} req = {
		.nlh = {
			.nlmsg_len = sizeof(req),
			.nlmsg_type = RTM_GETQDISC,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
	};
	struct nlmsghdr *nlh;
	int len;

	if (send(ns->nlfd, &req, sizeof(req), 0) < 0)
		die("rtnetlink dump");
	for (;;) {
		len = recv(ns->nlfd, reply, sizeof(reply), 0);
		if (len < 0)
			die("rtnetlink answer");
		for (nlh = (void *)reply; NLMSG_OK(nlh, len);
		     nlh = NLMSG_NEXT(nlh, len)) {
			if (nlh->nlmsg_type == NLMSG_DONE)
				return;
			if (nlh->nlmsg_type == RTM_NEWQDISC)
				parse_qdisc(ns, nlh, when);
		}
	}
}

/* Samples stand on a grid from the common start on. */
static uint64_t again(uint64_t every, timer_fn fn)
{
	uint64_t since = host_now_ns() - lab.t0;

	since -= since % every;
	timer_at(lab.t0 + since + every, fn, NULL);
	return since;
}

void sample_ports(void *arg)
{
	uint64_t when = again(lab.port_every, sample_ports);
	int i;

	(void)arg;
	for (i = 0; i < lab.nr_ns; i++)
		if (lab.ns[i].sampled)
			sample_ns(&lab.ns[i], when);
}

void sample_windows(void *arg)
{
	uint64_t when = again(lab.window_every, sample_windows);
	int i;

	(void)arg;
	for (i = 0; i < lab.nr_conns; i++)
		if (lab.conns[i].watch_window)
			lab.conns[i].ops->window(&lab.conns[i], lab.raw, when);
}

void sample_goodput(void *arg)
{
	uint64_t when = again(lab.goodput_every, sample_goodput);
	struct conn *c;
	int i;

	(void)arg;
	for (i = 0; i < lab.nr_conns; i++) {
		c = &lab.conns[i];
		fprintf(lab.raw, "g %llu %d %llu\n", (unsigned long long)when,
			i, (unsigned long long)(c->received - goodput_last[i]));
		goodput_last[i] = c->received;
	}
}

static void counters_of(const char *phase, struct ns *ns, const char *name)
{
	char path[64], text[65536];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/thread-self/net/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;		/* no such transport in this kernel */
	fprintf(lab.raw, "counters %s %s %s\n", phase, ns->name, name);
	while ((n = read(fd, text, sizeof(text))) > 0)
		fwrite(text, 1, n, lab.raw);
	fprintf(lab.raw, "endcounters\n");
	close(fd);
}

void sample_counters(const char *phase)
{
	int i;

	for (i = 0; i < lab.nr_ns; i++) {
		if (!lab.ns[i].counted)
			continue;
		netns_enter(&lab.ns[i]);
		counters_of(phase, &lab.ns[i], "snmp");
		counters_of(phase, &lab.ns[i], "netstat");
		counters_of(phase, &lab.ns[i], "uet_stat");
		netns_leave();
	}
}
