// SPDX-License-Identifier: GPL-2.0
/*
 * Questions and answers, and what UET_INFO says afterwards.
 *
 *   uet_rr -l PID                      answer every message by itself
 *   uet_rr [options] ADDR PID          ask -n times
 *
 * The client prints UET_INFO as one line of JSON.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "uet_common.h"

#define MESSAGE_MAX	(1 << 20)

static struct options {
	int		listen_pid;
	unsigned long	count;
	size_t		size;
	bool		one_way;
	const char	*cc;
} opt = { .count = 1, .size = 100 };

static char message[MESSAGE_MAX];

static int rr_socket(int pid)
{
	struct timeval patience = { .tv_sec = 60 };
	struct sockaddr_uet sa;
	struct libuet_sock how = {
		.type = SOCK_RDM, .cc = opt.cc, .local = &sa,
	};
	int fd;

	uet_addr(&sa, NULL, 0, pid, 0);
	fd = uet_socket(&how);
	if (!opt.listen_pid)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
			   sizeof(patience));
	return fd;
}

static void serve(int fd)
{
	struct sockaddr_uet peer;
	socklen_t len;
	ssize_t n;

	printf("ready\n");
	fflush(stdout);
	for (;;) {
		len = sizeof(peer);
		n = recvfrom(fd, message, sizeof(message), 0,
			     (struct sockaddr *)&peer, &len);
		if (n < 0)
			die("recvfrom: %s", strerror(errno));
		if (sendto(fd, message, n, 0, (struct sockaddr *)&peer,
			   sizeof(peer)) != n)
			die("sendto: %s", strerror(errno));
	}
}

static void ask(int fd, const char *addr, int pid)
{
	struct sockaddr_uet sa;
	unsigned long i;
	int left = 1;

	uet_addr(&sa, addr, 0, pid, 0);
	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
		die("connect: %s", strerror(errno));
	for (i = 0; i < opt.count; i++) {
		if (send(fd, message, opt.size, 0) != (ssize_t)opt.size)
			die("send: %s", strerror(errno));
		if (!opt.one_way &&
		    recv(fd, message, sizeof(message), 0) != (ssize_t)opt.size)
			die("recv: %s", strerror(errno));
	}
	for (i = 0; left && i < 600; i++) {
		if (ioctl(fd, SIOCOUTQ, &left))
			die("SIOCOUTQ: %s", strerror(errno));
		if (left)
			usleep(100000);
	}
	if (left)
		die("%d bytes were not acknowledged", left);
}

#define NUMBER(f)	printf("\"%s\": %lld, ", #f, (long long)info.f)

static void print_info(int fd)
{
	struct uet_info info;
	int i, len;

	len = libuet_get_info(fd, &info);
	if (len < 0)
		die("UET_INFO: %s", strerror(errno));
	printf("{");
	NUMBER(rtt);
	NUMBER(base_rtt);
	NUMBER(delay_avg);
	NUMBER(cwnd);
	NUMBER(inflight);
	NUMBER(max_wnd);
	NUMBER(mtu);
	NUMBER(inflight_pkts);
	NUMBER(pkts_sent);
	NUMBER(bytes_sent);
	NUMBER(retransmits);
	NUMBER(timeouts);
	NUMBER(losses_sack);
	NUMBER(losses_ooo);
	NUMBER(losses_probe);
	NUMBER(losses_rcvr);
	NUMBER(marks);
	NUMBER(trims);
	NUMBER(trims_lasthop);
	NUMBER(nacks_shortage);
	NUMBER(nacks_other);
	for (i = 0; i < UET_BLOCKED_MAX; i++)
		printf("\"blocked_%d_ns\": %llu, ", i,
		       (unsigned long long)info.blocked_ns[i]);
	NUMBER(blocked_port_ns);
	NUMBER(path_mtu);
	NUMBER(path_mtu_steps);
	NUMBER(needless);
	NUMBER(blocked_by);
	NUMBER(paths);
	NUMBER(paths_gone);
	NUMBER(pdcs);
	NUMBER(rtt_var);
	NUMBER(target_qdelay);
	NUMBER(rto);
	NUMBER(saved_cwnd);
	NUMBER(losses_go_back);
	NUMBER(decreases);
	NUMBER(quick_adapts);
	NUMBER(penalties);
	NUMBER(credit);
	NUMBER(credit_granted);
	NUMBER(mpr);
	NUMBER(mpr_used);
	NUMBER(cc_state);
	NUMBER(cc_mode);
	printf("\"length\": %d, \"cc\": \"%s\", \"path_policy\": \"%s\"}\n",
	       len, info.cc, info.path_policy);
}

static void usage(void)
{
	fprintf(stderr,
		"usage: uet_rr -l PID\n"
		"       uet_rr [-n COUNT] [-s BYTES] [-o] [-C CC] ADDR PID\n"
		"  -o  no answers: wait until all is acknowledged\n");
	exit(2);
}

int main(int argc, char **argv)
{
	int c, fd;

	while ((c = getopt(argc, argv, "l:n:s:oC:")) != -1) {
		switch (c) {
		case 'l': opt.listen_pid = atoi(optarg); break;
		case 'n': opt.count = strtoul(optarg, NULL, 0); break;
		case 's': opt.size = parse_size(optarg); break;
		case 'o': opt.one_way = true; break;
		case 'C': opt.cc = optarg; break;
		default: usage();
		}
	}
	if (opt.size > MESSAGE_MAX)
		usage();
	fd = rr_socket(opt.listen_pid);
	if (opt.listen_pid)
		serve(fd);
	if (argc - optind != 2)
		usage();
	ask(fd, argv[optind], atoi(argv[optind + 1]));
	print_info(fd);
	return 0;
}
