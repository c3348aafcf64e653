// SPDX-License-Identifier: GPL-2.0
/*
 * Starts both ends of each flow as processes and prints, as JSON, what they saw:
 * the time of each round, the sizes of their buffers and how often they waited.
 *
 * Meant for a guest that counts instructions as time (QEMU -icount shift=0) with
 * one CPU: a nanosecond is then an instruction, of either end. Plug-ins of the
 * emulator count between the marks of rounds (../../profile/mark.h).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include <host.h>
#include <linux/uet.h>
#include <mark.h>

#include "rounds.h"

static const char * const transports[] = {
	[UET] = "uet", [UDP] = "udp", [TCP] = "tcp", [SCTP] = "sctp",
};

static const char * const ways[] = {
	[COPY] = "copy", [ZEROCOPY] = "zerocopy", [FILE_PAGES] = "file", [PIPE] = "pipe",
};

struct options opt = {
	.transport = TCP, .size = 100, .count = 100, .rounds = 11, .flows = 1,
};

/**
 * struct shared - what all processes see
 * @start: clients of several flows begin each round together
 * @seen: client and server of each flow
 */
static struct shared {
	pthread_barrier_t start;
	struct seen	seen[FLOWS_MAX][2];
} *shared;

void die(const char *what)
{
	fprintf(stderr, "rounds: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* --- ends --------------------------------------------------------------------- */

static long switches(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return r.ru_nvcsw;
}

static void enter(const char *netns)
{
	if (netns && host_enter_netns(netns))
		die(netns);
}

static void serve(unsigned int flow, int wire)
{
	struct seen *s = &shared->seen[flow][1];
	struct end e = { 0 };
	char byte;

	enter(opt.server_ns);
	end_serve(&e, flow, wire);
	transfer_open(e.fd[0]);
	for (unsigned int r = 0; r <= opt.rounds; r++) {
		if (r == 1)
			s->switches = -switches();
		transfer_serve(&e);
	}
	s->switches += switches();
	end_note(&e, s);
	/* The last answer must be on its way before this end goes */
	if (read(wire, &byte, 1) < 0)
		die("the client");
}

static void run(unsigned int flow, int wire)
{
	struct seen *s = &shared->seen[flow][0];
	struct end e = { 0 };

	enter(opt.client_ns);
	end_connect(&e, flow, wire);
	transfer_open(e.fd[0]);
	/* The first round warms up and is not counted */
	for (unsigned int r = 0; r <= opt.rounds; r++) {
		if (r == 1)
			s->switches = -switches();
		if (opt.flows > 1)
			pthread_barrier_wait(&shared->start);
		s->start[r] = host_now_ns();
		if (r)
			mark(MARK_BEGIN);
		transfer_client(&e);
		if (r)
			mark(MARK_END);
		s->end[r] = host_now_ns();
	}
	s->switches += switches();
	end_note(&e, s);
}

static pid_t start(void (*end)(unsigned int flow, int wire), unsigned int flow,
		   const int wire[2], int mine)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(wire[!mine]);
	end(flow, wire[mine]);
	exit(0);
}

static void start_flow(unsigned int flow)
{
	int wire[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wire))
		die("socketpair");
	start(serve, flow, wire, 1);
	start(run, flow, wire, 0);
	close(wire[0]);
	close(wire[1]);
}

static void wait_for_all(void)
{
	int status;

	for (unsigned int left = 2 * opt.flows; left; left--)
		if (wait(&status) < 0 || status)
			exit(1);	/* it said why; the others end with this one */
}

static void share(void)
{
	pthread_barrierattr_t how;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die("memory");
	pthread_barrierattr_init(&how);
	pthread_barrierattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&shared->start, &how, opt.flows);
}

/* --- report -------------------------------------------------------------------- */

/* From the first flow's start to the last one's end */
static uint64_t round_ns(unsigned int r)
{
	uint64_t start = UINT64_MAX, end = 0;

	for (unsigned int f = 0; f < opt.flows; f++) {
		const struct seen *s = &shared->seen[f][0];

		if (s->start[r] < start)
			start = s->start[r];
		if (s->end[r] > end)
			end = s->end[r];
	}
	return end - start;
}

static long all_switches(int end)
{
	long n = 0;

	for (unsigned int f = 0; f < opt.flows; f++)
		n += shared->seen[f][end].switches;
	return n;
}

static void report(void)
{
	const struct seen *c = &shared->seen[0][0], *s = &shared->seen[0][1];

	printf("{\"rounds_ns\": [");
	for (unsigned int r = 1; r <= opt.rounds; r++)
		printf("%s%llu", r > 1 ? ", " : "", (unsigned long long)round_ns(r));
	printf("], \"sndbuf\": [%d, %d], \"rcvbuf\": [%d, %d], \"switches\": [%ld, %ld]}\n",
	       c->sndbuf, s->sndbuf, c->rcvbuf, s->rcvbuf, all_switches(0),
	       all_switches(1));
}

/* --- program ------------------------------------------------------------------- */

static void usage(void)
{
	fprintf(stderr,
		"usage: rounds [OPTIONS] CLIENT-ADDR SERVER-ADDR...\n"
		"  -t NAME      uet, udp, tcp or sctp (tcp)\n"
		"  -k           bulk instead of round trips\n"
		"  -s SIZE      of a message (100)\n"
		"  -n COUNT     messages, or round trips, in a round (100)\n"
		"  -r ROUNDS    after one that warms up (11)\n"
		"  -P FLOWS     at the same time, each with a process at either end (1)\n"
		"  -m BATCH     bulk by sendmmsg() and recvmmsg()\n"
		"  -b BYTES     of send and receive buffers, as SO_SNDBUF reads (as they are)\n"
		"  -D rod       ordered delivery, of AF_UET\n"
		"  -w WAY       of bulk: copy, zerocopy (MSG_ZEROCOPY), file (sendfile())\n"
		"  -W WAY       at the other end: copy, pipe (splice() to /dev/null)\n"
		"  -g CONTROL   TCP congestion control\n"
		"  -C NETNS     of clients\n"
		"  -S NETNS     of servers\n"
		"Several addresses of a server are peers; round trips are with one after\n"
		"the other.\n");
	exit(2);
}

static unsigned int number(const char *text, unsigned int most)
{
	char *end;
	unsigned long n = strtoul(text, &end, 0);

	if (end == text || *end || !n || n > most)
		usage();
	return n;
}

static enum way way(enum way other, enum way last)
{
	enum way w = COPY;

	while (strcmp(ways[w], optarg))
		if (++w == WAYS)
			usage();
	if (w != COPY && (w < other || w > last))
		usage();
	return w;
}

static void take_option(int c)
{
	switch (c) {
	case 't':
		for (opt.transport = 0; strcmp(transports[opt.transport], optarg);)
			if (++opt.transport == TRANSPORTS)
				usage();
		break;
	case 'k':
		opt.bulk = true;
		break;
	case 's':
		opt.size = number(optarg, 1U << 30);
		break;
	case 'n':
		opt.count = number(optarg, 1U << 30);
		break;
	case 'r':
		opt.rounds = number(optarg, ROUNDS_MAX - 1);
		break;
	case 'P':
		opt.flows = number(optarg, FLOWS_MAX);
		break;
	case 'm':
		opt.batch = number(optarg, BATCH_MAX);
		break;
	case 'b':
		opt.buffer = number(optarg, 1U << 30);
		break;
	case 'D':
		if (strcmp(optarg, "rod"))
			usage();
		opt.delivery = UET_ROD;
		break;
	case 'w':
		opt.put = way(ZEROCOPY, FILE_PAGES);
		break;
	case 'W':
		opt.get = way(PIPE, PIPE);
		break;
	case 'g':
		opt.cc = optarg;
		break;
	case 'C':
		opt.client_ns = optarg;
		break;
	case 'S':
		opt.server_ns = optarg;
		break;
	default:
		usage();
	}
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "t:ks:n:r:P:m:b:D:w:W:g:C:S:")) != -1)
		take_option(c);
	if (argc - optind < 2 || argc - optind > PEERS_MAX + 1)
		usage();
	opt.client_addr = argv[optind];
	opt.peers = argc - optind - 1;
	for (unsigned int i = 0; i < opt.peers; i++)
		opt.server_addr[i] = argv[optind + 1 + i];
	if (opt.peers > 1 && opt.bulk)
		usage();	/* bulk has one peer */
	if (opt.batch && (!opt.bulk || (opt.transport != UET && opt.transport != UDP)))
		usage();	/* batches are messages, not round trips or a stream */
	if ((opt.put || opt.get) && (!opt.bulk || opt.batch ||
				     (opt.transport != UET && opt.transport != TCP)))
		usage();
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	share();
	transfer_begin();
	for (unsigned int f = 0; f < opt.flows; f++)
		start_flow(f);
	wait_for_all();
	report();
	return 0;
}
