// SPDX-License-Identifier: GPL-2.0
/*
 * Sends messages whose content the receiver can check (uet_recv).
 *
 *   uet_send [options] ADDR/PID[/RI] [ADDR/PID[/RI] ...]
 *
 * Several targets are served in turn. Prints one line of JSON; exits 0 if
 * every message was taken over and, with -w, reported as delivered.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "uet_common.h"

#define MAX_TARGETS	16384
#define MAX_SIZES	64
#define REPORTS_EVERY	16

static struct options {
	struct libuet_sock sock;
	uint64_t	count;
	uint64_t	size_min, size_max;	/* random in between */
	uint64_t	sizes[MAX_SIZES];	/* or one after the other */
	unsigned int	n_sizes;
	uint32_t	sender;
	const char	*local_addr;
	int		local_pid;
	bool		connect;
	bool		wait_outq;
	bool		nonblock;
	bool		info;
	unsigned int	timeout_s;
	double		seconds;
	int		expect_errno;
	unsigned int	max_failed;
	unsigned int	spread;
	bool		make_it_fail;
	unsigned int	batch;		/* as sendmmsg() of so many does */
} opt = {
	.sock = { .type = SOCK_RDM },
	.count = 1, .size_min = 4096, .size_max = 4096,
	.timeout_s = 120, .max_failed = 1000, .spread = 1, .batch = 1,
};

/* SIGTERM: no more messages after this one */
static volatile sig_atomic_t stop;

static struct sockaddr_uet targets[MAX_TARGETS];
static unsigned int n_targets;

static struct tally {
	uint64_t	sent, bytes;
	uint64_t	refused;	/* sendmsg() failed */
	uint64_t	delivered, failed;
	int		last_errno;
	struct uet_report last;	/* of a failed message */
} tally;

static uint8_t *content;

static const char *errno_name(int value)
{
	const char *name = libuet_errno_name(value);

	return name ? name : "";
}

/* One target, or as many as -X says with addresses one after the other */
static void add_target(const char *text)
{
	struct sockaddr_uet sa;
	unsigned int i, j;

	if (n_targets + opt.spread > MAX_TARGETS)
		die("too many targets: %s", text);
	uet_endpoint(&sa, text, opt.sock.job);
	for (i = 0; i < opt.spread; i++) {
		targets[n_targets++] = sa;
		for (j = 16; j && !++sa.suet_addr.s6_addr[j - 1]; j--)
			;
	}
}

static void parse_sizes(char *text)
{
	char *dash = strchr(text, '-');
	char *part;

	opt.n_sizes = 0;
	if (dash) {
		*dash = 0;
		opt.size_min = parse_size(text);
		opt.size_max = parse_size(dash + 1);
		return;
	}
	for (part = strtok(text, ","); part; part = strtok(NULL, ",")) {
		if (opt.n_sizes == MAX_SIZES)
			die("too many sizes");
		opt.sizes[opt.n_sizes++] = parse_size(part);
	}
}

static uint64_t message_size(uint64_t seq)
{
	if (opt.n_sizes)
		return opt.sizes[seq % opt.n_sizes];
	if (opt.size_min == opt.size_max)
		return opt.size_min;
	return opt.size_min +
	       (((uint64_t)random() << 31) ^ random()) %
	       (opt.size_max - opt.size_min + 1);
}

static int open_socket(void)
{
	struct linger linger = { .l_onoff = 1, .l_linger = opt.timeout_s };
	struct libuet_sock how = opt.sock;
	struct sockaddr_uet local;
	int fd;

	if (opt.local_addr || opt.local_pid || how.enter_job) {
		uet_addr(&local, opt.local_addr, how.job, opt.local_pid, 0);
		how.local = &local;
	}
	if (opt.connect)
		how.peer = &targets[0];
	fd = uet_socket(&how);
	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)))
		die("SO_LINGER: %s", strerror(errno));
	if (opt.nonblock)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return fd;
}

/* --- reports ---------------------------------------------------------- */

static void drain_reports(int fd)
{
	struct uet_report rep;

	while (libuet_next_report(fd, &rep, NULL)) {
		if (rep.type == UET_REPORT_DELIVERED) {
			tally.delivered += rep.cookie_last - rep.cookie + 1;
		} else {
			tally.failed++;
			tally.last_errno = rep.error;
			tally.last = rep;
		}
	}
}

static bool finished(int fd)
{
	int queued = 0;

	drain_reports(fd);
	if (opt.sock.notify)
		return tally.delivered + tally.failed >= tally.sent;
	if (opt.expect_errno)
		return tally.failed >= tally.sent;
	if (!opt.wait_outq)
		return true;
	return !ioctl(fd, SIOCOUTQ, &queued) && queued == 0;
}

static bool wait_finished(int fd)
{
	uint64_t end = host_now_ns() + opt.timeout_s * 1000000000ULL;
	struct pollfd pfd = { .fd = fd };

	while (!finished(fd)) {
		if (host_now_ns() > end)
			return false;
		/* POLLERR comes with a report; SIOCOUTQ has no event */
		poll(&pfd, 1, opt.wait_outq ? 2 : 100);
	}
	return true;
}

/* --- sending ---------------------------------------------------------- */

static void make_content(uint64_t seq, uint64_t len, uint64_t max)
{
	struct msg_hdr hdr = {
		.magic = UET_HDR_MAGIC, .sender = opt.sender,
		.seq = seq, .len = len,
	};
	uint64_t n = len < max ? len : max;

	if (len < UET_HDR_LEN) {
		for (uint64_t i = 0; i < len; i++)
			content[i] = short_byte(seq, i);
		return;
	}
	pattern_fill(content, n, pattern_seed(opt.sender, seq), 0);
	memcpy(content, &hdr, sizeof(hdr));
}

/* Does another message of the batch follow? */
static bool more_of_batch(uint64_t seq)
{
	return (seq + 1) % opt.batch && (opt.seconds || seq + 1 < opt.count);
}

static ssize_t send_one(int fd, uint64_t seq, uint64_t len)
{
	static struct iovec iov[1024];
	static uint8_t *first;
	struct msghdr msg = { .msg_iov = iov };
	uint64_t off = 0;
	unsigned int n = 0;

	if (!opt.connect) {
		msg.msg_name = &targets[seq % n_targets];
		msg.msg_namelen = sizeof(targets[0]);
	}
	make_content(seq, len, PATTERN_PERIOD);
	/*
	 * The header lies over the pattern in the first period only: the later
	 * ones come from the pattern proper.
	 */
	if (len > PATTERN_PERIOD) {
		if (!first)
			first = malloc(UET_HDR_LEN);
		if (!first)
			die("out of memory");
		memcpy(first, content, UET_HDR_LEN);
		pattern_fill(content, UET_HDR_LEN,
			     pattern_seed(opt.sender, seq), 0);
		iov[n++] = (struct iovec){ first, UET_HDR_LEN };
		off = UET_HDR_LEN;
	}
	while (off < len || n == 0) {
		uint64_t at = off % PATTERN_PERIOD;
		uint64_t part = PATTERN_PERIOD - at;

		if (part > len - off)
			part = len - off;
		if (n == 1024)
			die("message too long for one call");
		iov[n++] = (struct iovec){ content + at, part };
		off += part;
		if (!len)
			break;
	}
	msg.msg_iovlen = n;
	return sendmsg(fd, &msg, more_of_batch(seq) ? MSG_BATCH : 0);
}

static int send_all(int fd)
{
	uint64_t end = opt.seconds ? host_now_ns() + opt.seconds * 1e9 : 0;
	uint64_t seq = 0;

	while (!stop && (end ? host_now_ns() < end : seq < opt.count)) {
		uint64_t len = message_size(seq);
		ssize_t n = send_one(fd, seq, len);

		if (n == (ssize_t)len) {
			tally.sent++;
			tally.bytes += len;
			seq++;
			if (seq % REPORTS_EVERY == 0 || !opt.max_failed)
				drain_reports(fd);
			/* The target is gone: going on would take for ever */
			if (tally.failed > opt.max_failed && !opt.expect_errno)
				return -1;
		} else if (n >= 0) {
			fprintf(stderr, "short send: %zd of %llu\n", n,
				(unsigned long long)len);
			return -1;
		} else if (errno == EAGAIN && opt.nonblock) {
			struct pollfd pfd = { .fd = fd, .events = POLLOUT };

			if (poll(&pfd, 1, opt.timeout_s * 1000) <= 0) {
				fprintf(stderr, "no room for %u s\n",
					opt.timeout_s);
				return -1;
			}
			if (pfd.revents & POLLERR)
				drain_reports(fd);
		} else if (errno != EINTR) {
			/* A pending error may come from an earlier message */
			tally.last_errno = errno;
			tally.refused++;
			drain_reports(fd);
			seq++;
			if (tally.refused > opt.max_failed)
				return -1;
		}
	}
	return 0;
}

/* For the faults that hit only processes that ask for them (task-filter) */
static void make_it_fail(const char *value)
{
	static int fd = -1;

	if (!opt.make_it_fail)
		return;
	/* To open it a second time would need memory */
	if (fd < 0)
		fd = open("/proc/self/make-it-fail", O_WRONLY);
	if (fd < 0 || pwrite(fd, value, 1, 0) != 1)
		die("make-it-fail: %s", strerror(errno));
}

/* What the context used last says of its paths */
static void print_info(int fd)
{
	struct uet_info info;

	if (libuet_get_info(fd, &info) < 0)
		die("UET_INFO: %s", strerror(errno));
	printf("\"policy\": \"%s\", \"paths\": %u, \"paths_bad\": %u, "
	       "\"paths_gone\": %u, \"needless\": %llu, \"ports\": %u, \"ports_down\": %u, \"cwnd\": %llu}\n",
	       info.path_policy, info.paths, info.paths_bad, info.paths_gone,
	       (unsigned long long)info.needless, info.ports, info.ports_down, (unsigned long long)info.cwnd);
}

static void print_tally(int fd, uint64_t ns)
{
	printf("{\"sent\": %llu, \"bytes\": %llu, \"refused\": %llu, "
	       "\"delivered\": %llu, \"failed\": %llu, \"errno\": \"%s\", "
	       "\"source\": %u, \"code\": %u, \"secs\": %.6f%s",
	       (unsigned long long)tally.sent, (unsigned long long)tally.bytes,
	       (unsigned long long)tally.refused,
	       (unsigned long long)tally.delivered,
	       (unsigned long long)tally.failed, errno_name(tally.last_errno),
	       tally.last.source, tally.last.code,
	       ns / 1e9, opt.info ? ", " : "}\n");
	if (opt.info)
		print_info(fd);
}

/* With -x every message must end with that errno, one way or the other */
static int verdict(bool done)
{
	if (opt.expect_errno) {
		if (tally.last_errno != opt.expect_errno ||
		    tally.refused + tally.failed < opt.count) {
			fprintf(stderr, "expected %s\n",
				errno_name(opt.expect_errno));
			return 1;
		}
		return 0;
	}
	if (!done)
		fprintf(stderr, "not finished after %u s\n", opt.timeout_s);
	return !done || tally.refused || tally.failed;
}

static void usage(void)
{
	fprintf(stderr,
		"usage: uet_send [options] ADDR/PID[/RI] ...\n"
		"  -t rdm|seq|dgram  socket type\n"
		"  -n COUNT     messages         -D SECONDS  or for a time\n"
		"  -s SIZES     N, MIN-MAX (random) or N,N,... with k, m, g\n"
		"  -i ID        sender id in the messages (default: process)\n"
		"  -B ADDR -P PID  local address and PIDonFEP\n"
		"  -O DEVICE    SO_BINDTODEVICE\n"
		"  -j JOB       job of both ends, -J enter it (UET_JOB_ID)\n"
		"  -c           connect          -a  non-blocking with poll\n"
		"  -m MODE      delivery: rud, rod\n"
		"  -C NAME      congestion control (UET_CC)\n"
		"  -L NAME      path policy (UET_PATH_POLICY)\n"
		"  -X COUNT     each target stands for so many addresses\n"
		"  -d DSCP      traffic class (UET_TRAFFIC_CLASS)\n"
		"  -f BYTES     messages of so many may be deferred (UET_DEFER)\n"
		"  -M MARK      SO_MARK\n"
		"  -k           print what UET_INFO says of paths, too\n"
		"  -b BYTES     SO_SNDBUF\n"
		"  -w           wait for a report of each (UET_NOTIFY)\n"
		"  -W           wait until SIOCOUTQ is 0\n"
		"  -F           stop at the first failure\n"
		"  -x ERRNO     every message must fail like this\n"
		"  -G COUNT     batches, as the kernel makes them of sendmmsg()\n"
		"  -K           calls that send are a target of injected faults\n"
		"  -T SECONDS   longest wait\n");
	exit(2);
}

static void parse_options(int argc, char **argv)
{
	bool enter_job = false;
	int c;

	opt.sender = getpid();
	while ((c = getopt(argc, argv,
			   "t:n:D:s:i:B:O:P:j:Jcam:M:C:L:d:f:kX:b:wWFx:G:KT:")) != -1) {
		switch (c) {
		case 't': uet_option(&opt.sock, "type", optarg); break;
		case 'n': opt.count = strtoull(optarg, NULL, 0); break;
		case 'D': opt.seconds = atof(optarg); break;
		case 's': parse_sizes(optarg); break;
		case 'i': opt.sender = atoi(optarg); break;
		case 'B': opt.local_addr = optarg; break;
		case 'O': uet_option(&opt.sock, "device", optarg); break;
		case 'P': opt.local_pid = atoi(optarg); break;
		case 'j': uet_option(&opt.sock, "job", optarg); break;
		case 'J': enter_job = true; break;
		case 'c': opt.connect = true; break;
		case 'a': opt.nonblock = true; break;
		case 'm': uet_option(&opt.sock, "delivery", optarg); break;
		case 'C': uet_option(&opt.sock, "cc", optarg); break;
		case 'L': uet_option(&opt.sock, "policy", optarg); break;
		case 'd': uet_option(&opt.sock, "tclass", optarg); break;
		case 'f': uet_option(&opt.sock, "defer", optarg); break;
		case 'M': uet_option(&opt.sock, "mark", optarg); break;
		case 'k': opt.info = true; break;
		case 'X': opt.spread = strtoul(optarg, NULL, 0); break;
		case 'b': uet_option(&opt.sock, "sndbuf", optarg); break;
		case 'w': uet_option(&opt.sock, "notify", "1"); break;
		case 'W': opt.wait_outq = true; break;
		case 'F': opt.max_failed = 0; break;
		case 'x':
			opt.expect_errno = libuet_errno_by_name(optarg);
			if (!opt.expect_errno)
				die("unknown errno %s", optarg);
			break;
		case 'G': opt.batch = strtoul(optarg, NULL, 0); break;
		case 'K': opt.make_it_fail = true; break;
		case 'T': opt.timeout_s = atoi(optarg); break;
		default: usage();
		}
	}
	opt.sock.enter_job = enter_job;
	for (; optind < argc; optind++)
		add_target(argv[optind]);
	if (!n_targets || !opt.batch)
		usage();
}

static void on_term(int sig)
{
	(void)sig;
	stop = 1;
}

int main(int argc, char **argv)
{
	uint64_t start;
	bool done;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, on_term);
	parse_options(argc, argv);
	srandom(opt.sender);
	content = malloc(PATTERN_PERIOD);
	if (!content)
		die("out of memory");
	fd = open_socket();
	start = host_now_ns();
	make_it_fail("1");
	if (send_all(fd))
		tally.refused++;
	make_it_fail("0");
	done = wait_finished(fd);
	print_tally(fd, host_now_ns() - start);
	close(fd);
	return verdict(done);
}
