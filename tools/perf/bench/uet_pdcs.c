// SPDX-License-Identifier: GPL-2.0
/*
 * Opens many contexts between two namespaces and lets them be idle, so that
 * their memory can be measured from outside: one message to each of many
 * addresses of the peer, in several traffic classes.
 *
 *   uet_pdcs CLIENT-NETNS SERVER-NETNS CLASSES ADDR...
 *
 * Prints "idle N" when N messages were acknowledged, then waits for the end
 * of its standard input.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/sockios.h>

#include <host.h>
#include <libuet.h>

#define PID	100

static void die(const char *what)
{
	fprintf(stderr, "uet_pdcs: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int socket_in(const char *netns)
{
	struct sockaddr_uet local;
	const struct libuet_sock how = { .type = SOCK_RDM, .local = &local };
	const char *step;
	int fd;

	if (host_enter_netns(netns))
		die(netns);
	libuet_addr(&local, "any", 0, PID, 0);
	fd = libuet_open(&how, &step);
	if (fd < 0)
		die(step);
	return fd;
}

static void serve(const char *netns, int ready)
{
	int fd = socket_in(netns);
	char byte;

	if (write(ready, "r", 1) != 1)
		die("pipe");
	while (recv(fd, &byte, 1, 0) >= 0)
		;
	die("recv");
}

static void send_one(int fd, const char *addr, int dscp)
{
	struct sockaddr_uet to;

	if (libuet_addr(&to, addr, 0, PID, 0))
		die(addr);
	if (setsockopt(fd, SOL_UET, UET_TRAFFIC_CLASS, &dscp, sizeof(dscp)))
		die("UET_TRAFFIC_CLASS");
	if (sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)) != 1)
		die("sendto");
}

static void wait_acknowledged(int fd)
{
	int queued = 1;

	while (queued) {
		if (ioctl(fd, SIOCOUTQ, &queued))
			die("SIOCOUTQ");
		poll(NULL, 0, 10);
	}
}

int main(int argc, char **argv)
{
	unsigned int n = 0;
	int ready[2], classes, fd;
	pid_t server;
	char byte;

	if (argc < 5 || pipe(ready))
		die("usage: uet_pdcs CLIENT-NETNS SERVER-NETNS CLASSES ADDR...");
	classes = atoi(argv[3]);
	server = fork();
	if (server < 0)
		die("fork");
	if (!server)
		serve(argv[2], ready[1]);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		die("server");
	fd = socket_in(argv[1]);
	for (int i = 4; i < argc; i++) {
		for (int dscp = 0; dscp < classes; dscp++) {
			send_one(fd, argv[i], dscp);
			n++;
		}
		wait_acknowledged(fd);
	}
	printf("idle %u\n", n);
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	kill(server, SIGTERM);
	waitpid(server, NULL, 0);
	return 0;
}
