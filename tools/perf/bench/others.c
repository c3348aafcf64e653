// SPDX-License-Identifier: GPL-2.0
/*
 * What other transports cost: round trips and bulk over UDP, TCP and SCTP, in the
 * rounds that uetperf makes of AF_UET.
 *
 * Both ends run in this program, as two processes in two network namespaces.
 * Meant for a guest that counts instructions as time (QEMU -icount shift=0)
 * with one CPU: a nanosecond is then an instruction, of either end.
 *
 * Prints one number per round: ns per round trip, or ps per byte.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <host.h>

#define PORT		4000
/* UDP has no flow control: the receiver confirms every so many datagrams */
#define UDP_WINDOW	128
#define UDP_CONFIRM	64
#define BUFFER		(4 << 20)

/* Of linux/sctp.h, which comes with a package of its own */
#ifndef SCTP_NODELAY
#define SCTP_NODELAY	3
#endif

enum transport { UDP, TCP, SCTP };

static const char * const names[] = { "udp", "tcp", "sctp" };

static struct options {
	enum transport	transport;
	bool		bulk;
	size_t		size;
	uint64_t	count;		/* operations per round */
	unsigned int	rounds;
	const char	*client_ns, *server_ns;
	const char	*client_addr, *server_addr;
	const char	*cc;		/* TCP congestion control */
} opt = { .transport = TCP, .size = 100, .count = 100, .rounds = 11 };

static char *buf;

static void die(const char *what)
{
	fprintf(stderr, "others: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* --- sockets ---------------------------------------------------------- */

static void enter(const char *netns)
{
	if (netns && host_enter_netns(netns))
		die(netns);
}

static socklen_t fill_addr(struct sockaddr_storage *ss, const char *addr,
			   uint16_t port)
{
	struct sockaddr_in6 *v6 = (void *)ss;
	struct sockaddr_in *v4 = (void *)ss;

	memset(ss, 0, sizeof(*ss));
	if (inet_pton(AF_INET6, addr, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		return sizeof(*v6);
	}
	v4->sin_family = AF_INET;
	v4->sin_port = htons(port);
	inet_pton(AF_INET, addr, &v4->sin_addr);
	return sizeof(*v4);
}

static bool is_stream(void)
{
	return opt.transport == TCP || opt.transport == SCTP;
}

static void set_buffers(int fd)
{
	int bytes = BUFFER;

	/* TCP sizes its own buffers */
	if (opt.transport == TCP)
		return;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
}

static int open_socket(const char *addr)
{
	int family = strchr(addr, ':') ? AF_INET6 : AF_INET;
	int type = is_stream() ? SOCK_STREAM : SOCK_DGRAM;
	int protocol = opt.transport == SCTP ? IPPROTO_SCTP : 0;
	int on = 1;
	int fd;

	fd = socket(family, type, protocol);
	if (fd < 0)
		die("socket");
	set_buffers(fd);
	if (is_stream())
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (opt.transport == TCP && opt.cc &&
	    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, opt.cc, strlen(opt.cc)))
		die("TCP_CONGESTION");
	return fd;
}

/* Round trips must not wait for more data; bulk is cheaper if it does */
static void set_nodelay(int fd)
{
	int on = 1;

	if (opt.bulk)
		return;
	if (opt.transport == TCP)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (opt.transport == SCTP)
		setsockopt(fd, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof(on));
}

static void bind_to(int fd, const char *addr, uint16_t port)
{
	struct sockaddr_storage ss;
	socklen_t len = fill_addr(&ss, addr, port);

	if (bind(fd, (struct sockaddr *)&ss, len))
		die("bind");
}

static void connect_to(int fd, const char *addr, uint16_t port)
{
	struct sockaddr_storage ss;
	socklen_t len = fill_addr(&ss, addr, port);

	if (connect(fd, (struct sockaddr *)&ss, len))
		die("connect");
	set_nodelay(fd);
}

/* The server listens, or is bound, before the client hears of it */
static int server_socket(int ready)
{
	int fd = open_socket(opt.server_addr);
	int conn;

	bind_to(fd, opt.server_addr, PORT);
	if (is_stream() && listen(fd, 1))
		die("listen");
	if (!is_stream())
		connect_to(fd, opt.client_addr, PORT + 1);
	if (write(ready, "r", 1) != 1)
		die("pipe");
	if (!is_stream())
		return fd;
	conn = accept(fd, NULL, NULL);
	if (conn < 0)
		die("accept");
	set_nodelay(conn);
	close(fd);
	return conn;
}

static int client_socket(int ready)
{
	int fd = open_socket(opt.client_addr);
	char byte;

	bind_to(fd, opt.client_addr, PORT + 1);
	if (read(ready, &byte, 1) != 1)
		die("server");
	connect_to(fd, opt.server_addr, PORT);
	return fd;
}

/* --- transfers -------------------------------------------------------- */

static void put(int fd, size_t len)
{
	size_t done = 0;

	do {
		ssize_t n = send(fd, buf + done, len - done, 0);

		if (n < 0)
			die("send");
		done += n;
	} while (done < len);
}

static void get(int fd, size_t len)
{
	size_t done = 0;

	do {
		ssize_t n = recv(fd, buf + done, len - done, 0);

		if (n <= 0)
			die("recv");
		done += n;
	} while (done < len);
}

static void serve_rr(int fd)
{
	for (uint64_t i = 0; i < opt.count; i++) {
		get(fd, opt.size);
		put(fd, opt.size);
	}
}

static void client_rr(int fd)
{
	for (uint64_t i = 0; i < opt.count; i++) {
		put(fd, opt.size);
		get(fd, opt.size);
	}
}

static void serve_bulk(int fd)
{
	for (uint64_t i = 1; i <= opt.count; i++) {
		get(fd, opt.size);
		if (opt.transport == UDP && i % UDP_CONFIRM == 0)
			put(fd, 1);
	}
	put(fd, 1);
}

static void client_bulk(int fd)
{
	uint64_t free = UDP_WINDOW;

	for (uint64_t i = 1; i <= opt.count; i++) {
		put(fd, opt.size);
		if (opt.transport == UDP && --free == 0) {
			get(fd, 1);
			free = UDP_CONFIRM;
		}
	}
	/* The confirmations still under way, then the answer to the round */
	if (opt.transport == UDP) {
		uint64_t asked = opt.count < UDP_WINDOW ? 0 :
			(opt.count - UDP_WINDOW) / UDP_CONFIRM + 1;

		for (; asked < opt.count / UDP_CONFIRM; asked++)
			get(fd, 1);
	}
	get(fd, 1);
}

static void print_round(uint64_t ns)
{
	if (opt.bulk)
		printf("%llu\n", (unsigned long long)
		       (ns * 1000 / (opt.count * opt.size)));
	else
		printf("%llu\n", (unsigned long long)(ns / opt.count));
}

/* --- program ---------------------------------------------------------- */

static void usage(void)
{
	fprintf(stderr,
		"usage: others -t udp|tcp|sctp [-k] [-s SIZE] [-n COUNT] [-r ROUNDS]\n"
		"                [-C NETNS] [-S NETNS] [-g CONTROL] CLIENT-ADDR SERVER-ADDR\n"
		"  -k  bulk instead of round trips\n");
	exit(2);
}

static void parse_options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "t:ks:n:r:C:S:g:")) != -1) {
		switch (c) {
		case 't':
			opt.transport = UDP;
			while (strcmp(names[opt.transport], optarg))
				if (++opt.transport > SCTP)
					usage();
			break;
		case 'k': opt.bulk = true; break;
		case 's': opt.size = strtoull(optarg, NULL, 0); break;
		case 'n': opt.count = strtoull(optarg, NULL, 0); break;
		case 'r': opt.rounds = atoi(optarg); break;
		case 'C': opt.client_ns = optarg; break;
		case 'S': opt.server_ns = optarg; break;
		case 'g': opt.cc = optarg; break;
		default: usage();
		}
	}
	if (argc - optind != 2 || !opt.size || !opt.count)
		usage();
	opt.client_addr = argv[optind];
	opt.server_addr = argv[optind + 1];
}

int main(int argc, char **argv)
{
	int ready[2], status;
	pid_t server;
	int fd;

	parse_options(argc, argv);
	buf = malloc(opt.size);
	if (!buf || pipe(ready))
		die("setup");
	memset(buf, 0x5a, opt.size);
	server = fork();
	if (server < 0)
		die("fork");
	if (!server) {
		enter(opt.server_ns);
		close(ready[0]);
		fd = server_socket(ready[1]);
		for (unsigned int r = 0; r <= opt.rounds; r++)
			(opt.bulk ? serve_bulk : serve_rr)(fd);
		/* The last answer must be on its way before this end goes */
		recv(fd, buf, 1, is_stream() ? 0 : MSG_DONTWAIT);
		exit(0);
	}
	close(ready[1]);
	enter(opt.client_ns);
	fd = client_socket(ready[0]);
	/* The first round warms up and is not counted */
	for (unsigned int r = 0; r <= opt.rounds; r++) {
		uint64_t start = host_now_ns();

		(opt.bulk ? client_bulk : client_rr)(fd);
		if (r)
			print_round(host_now_ns() - start);
	}
	close(fd);
	if (waitpid(server, &status, 0) != server || status)
		return 1;
	return 0;
}
