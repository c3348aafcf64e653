// SPDX-License-Identifier: GPL-2.0
/* uetperf: bandwidth, latency and message rate of AF_UET sockets, see uetperf(1) */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uetperf.h"

static const char usage[] =
	"usage: uetperf -s [-1q] [OPTIONS] [ADDRESS]\n"
	"       uetperf [OPTIONS] ADDRESS\n"
	"ADDRESS is HOST, HOST/PID or uet://HOST/JOB/PID/RI; see libuet_resolve(3)\n"
	"  -s           serve clients until a signal comes\n"
	"  -1           end after one test (with -s)\n"
	"  -q           no line for each test (with -s)\n"
	"  -M TESTS     so many tests at once (256; with -s)\n"
	"  -p PID       PIDonFEP of the server (900)\n"
	"  -m MODE      bw, lat or rate (bw)\n"
	"  -R           the server sends\n"
	"  -b           both ways at the same time\n"
	"  -l SIZE      length of messages, K, M, G (bw: 64K, others: 8)\n"
	"  -a           all sizes from 1 to -l (1M), each four times the last\n"
	"  -t SECONDS   for so long (10)\n"
	"  -n COUNT     so many messages of each flow instead\n"
	"  -r ROUNDS    so many times -n, after one that warms up\n"
	"  -P FLOWS     at the same time, each a process with a socket (1)\n"
	"  -B ADDRESS   local address; several are used in turn\n"
	"  -D MODE      delivery: rud, rod, rudi, uud (rud)\n"
	"  -O NAME=VAL  option of the sockets, see libuet_open(3)\n"
	"  -c           contents are made anew for each message, and checked\n"
	"  -x N         spoil each Nth message, to see that -c finds it\n"
	"  -i SECONDS   a line of progress at each interval\n"
	"  -w SECONDS   patience with a silent server (30)\n"
	"  -J           results as JSON\n";

static double seconds(const char *text, double least, double most)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v >= least && v <= most))
		errx(2, "%s: seconds from %g to %g are wanted", text, least,
		     most);
	return v;
}

static uint64_t number(const char *text, uint64_t least, uint64_t most)
{
	unsigned long long v;
	unsigned int shift = 0;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (end != text && *end) {
		const char *units = "kKmMgG", *unit = strchr(units, *end);

		if (unit && !end[1]) {
			shift = 10 * ((unit - units) / 2 + 1);
			end++;
		}
	}
	if (end == text || *end || errno || *text == '-' ||
	    v > most >> shift || v << shift < least)
		errx(2, "%s: a number from %llu to %llu is wanted", text,
		     (unsigned long long)least, (unsigned long long)most);
	return v << shift;
}

static enum mode mode(const char *text)
{
	static const char * const names[] = { "bw", "lat", "rate" };
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (!strcmp(text, names[i]))
			return i;
	errx(2, "%s: bw, lat and rate are modes", text);
}

static void sock_option(struct options *o, const char *name, char *value)
{
	if (libuet_sock_set(&o->how, name, value))
		err(2, "option %s of the socket", name);
}

static void resolve(const char *text, const struct sockaddr_uet *base,
		    struct sockaddr_uet *sa)
{
	int n = libuet_resolve(text, base, sa, 1);

	if (n < 0)
		err(2, "%s", text);
	if (!n)
		errx(2, "%s: no such host", text);
}

static void add_local(struct options *o, const char *text)
{
	if (o->locals == LOCALS_MAX)
		errx(2, "at most %d local addresses", LOCALS_MAX);
	resolve(text, NULL, &o->local[o->locals++]);
}

static void split_option(struct options *o, char *text)
{
	char *value = strchr(text, '=');

	if (value)
		*value++ = 0;
	sock_option(o, text, value);
}

/* How much of what is sent */
static void take_test_option(struct options *o, int c)
{
	switch (c) {
	case 'm':
		o->mode = mode(optarg);
		break;
	case 'R':
		o->direction = REVERSE;
		break;
	case 'b':
		o->direction = BOTH;
		break;
	case 'l':
		o->size = number(optarg, 0, UET_MSG_MAX);
		o->has_size = true;
		break;
	case 'a':
		o->sweep = true;
		break;
	case 't':
		o->seconds = seconds(optarg, 0.001, 1e6);
		break;
	case 'n':
		o->count = number(optarg, 1, 1ULL << 62);
		break;
	case 'r':
		o->rounds = number(optarg, 1, ROUNDS_MAX);
		break;
	case 'P':
		o->flows = number(optarg, 1, FLOWS_MAX);
		break;
	case 'c':
		o->verify = true;
		break;
	case 'x':
		o->corrupt = number(optarg, 1, UINT_MAX);
		break;
	case 'i':
		o->interval = seconds(optarg, 0.01, 1e6);
		break;
	case 'h':
		fputs(usage, stdout);
		exit(0);
	default:
		fputs(usage, stderr);
		exit(2);
	}
}

/* Who, where and how; the others are of the test */
static void take_option(struct options *o, int c)
{
	switch (c) {
	case 's':
		o->server = true;
		break;
	case '1':
		o->once = true;
		break;
	case 'q':
		o->quiet = true;
		break;
	case 'M':
		o->tests = number(optarg, 1, TESTS_MAX);
		break;
	case 'p':
		o->base.suet_pid = number(optarg, 1, UET_PID_MAX);
		break;
	case 'B':
		add_local(o, optarg);
		break;
	case 'D':
		sock_option(o, "delivery", optarg);
		break;
	case 'O':
		split_option(o, optarg);
		break;
	case 'w':
		o->timeout_s = number(optarg, 1, 100000);
		break;
	case 'J':
		o->json = true;
		break;
	default:
		take_test_option(o, c);
	}
}

/* What options mean together */
static void settle(struct options *o)
{
	if (!o->has_size)
		o->size = o->sweep ? COPY_MAX : o->mode == MODE_BW ? 65536 : 8;
	if ((o->mode == MODE_LAT || o->direction != FORWARD) &&
	    o->size > COPY_MAX)
		errx(2, "echoes and what the server sends have %u bytes at most",
		     COPY_MAX);
	if (o->sweep && !o->size)
		errx(2, "sizes begin with 1: -l 1 or more");
	if (o->mode == MODE_LAT && o->direction != FORWARD)
		errx(2, "echoes go both ways: no -R and -b");
	if (o->corrupt && !o->verify)
		errx(2, "-x is for -c: else nobody looks");
	if (o->rounds && !o->count)
		errx(2, "rounds have a number of messages: -n");
	if (o->rounds && o->count > UINT64_MAX / (o->rounds + 1))
		errx(2, "so many messages cannot be counted");
	if (!o->how.delivery)
		o->how.delivery = UET_RUD;
	/* People who look on want to see that something happens */
	if (!o->interval && !o->json && isatty(STDERR_FILENO) &&
	    isatty(STDOUT_FILENO)) {
		o->live = true;
		o->interval = 1;
	}
}

/* A mode that the sockets do not have is told before a test begins */
static void try_socket(const struct options *o)
{
	const char *step;
	int fd;

	if (o->how.delivery == UET_UUD || o->how.delivery == UET_RUDI)
		errx(1, "a test waits for all messages: rud and rod deliver them");
	fd = libuet_open(&o->how, &step);
	if (fd < 0 && errno == EAFNOSUPPORT)
		errx(1, "there are no AF_UET sockets here: modprobe uet");
	if (fd < 0 && errno == EOPNOTSUPP && !strcmp(step, "UET_DELIVERY"))
		errx(1, "the sockets of this module do not have this delivery mode: rud and rod are there");
	if (fd < 0)
		err(1, "%s", step);
	close(fd);
}

int main(int argc, char **argv)
{
	struct options o = {
		.seconds = 10, .flows = 1, .timeout_s = 30, .tests = 256,
		.base.suet_pid = WIRE_PID,
		.how.delivery = UET_RUD,
	};
	int c;

	while ((c = getopt(argc, argv, "s1qM:p:m:Rbl:at:n:r:P:B:D:O:cx:i:w:Jh")) != -1)
		take_option(&o, c);
	if (argc - optind > 1 || (argc == optind && !o.server)) {
		fputs(usage, stderr);
		return 2;
	}
	if (o.how.enter_job)
		o.base.suet_job = o.how.job;
	resolve(argc > optind ? argv[optind] : "any", &o.base, &o.addr);
	settle(&o);
	try_socket(&o);
	return o.server ? serve(&o) : client(&o);
}
