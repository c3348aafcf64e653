// SPDX-License-Identifier: GPL-2.0
/*
 * Receives messages of uet_send and checks them: every byte, every message
 * exactly once and, with -o, in order. Prints one line of JSON; exits 0 if
 * what was asked for came and nothing was wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "uet_common.h"

#define MAX_SENDERS	256
/* Once told that all has been sent, no more data for so long is the end */
#define REST_MS		500

static struct options {
	struct libuet_sock sock;
	const char	*addr;
	int		pid, ri;
	uint64_t	count;		/* messages to wait for */
	unsigned int	timeout_s;	/* without any data */
	unsigned int	extra_ms;	/* look out for more afterwards */
	unsigned int	pause_us;	/* slow reader: before each read */
	unsigned int	sleep_ms;	/* before the first read */
	size_t		bufsize;
	bool		order;
	bool		epoll_et;
	bool		until_idle;	/* any number of messages is right */
	bool		aborts_ok;
	const char	*ready_file;
} opt = {
	.sock = { .type = SOCK_RDM },
	.pid = 100, .count = 1, .timeout_s = 60, .bufsize = 1 << 20,
};

struct sender {
	uint32_t	id;
	uint64_t	next;		/* for -o */
	uint64_t	room;		/* bits */
	uint8_t		*seen;
};

static struct sender senders[MAX_SENDERS];
static unsigned int n_senders;

static struct tally {
	uint64_t	messages, bytes;
	uint64_t	shorts;		/* too short for a header */
	uint64_t	bad, dups, misordered, aborted;
	uint64_t	reads;
	uint64_t	max_gap_ns;
} tally;

/* The message being read */
static struct current {
	uint64_t	got;
	struct msg_hdr	hdr;
	struct check	check;
} cur;

static struct sender *find_sender(uint32_t id)
{
	for (unsigned int i = 0; i < n_senders; i++)
		if (senders[i].id == id)
			return &senders[i];
	if (n_senders == MAX_SENDERS)
		die("too many senders");
	senders[n_senders].id = id;
	return &senders[n_senders++];
}

static void account_seq(uint32_t id, uint64_t seq)
{
	struct sender *s = find_sender(id);

	if (seq >= 1ULL << 32) {
		tally.bad++;
		return;
	}
	if (seq >= s->room) {
		uint64_t room = (seq + 65536) & ~7ULL;

		s->seen = realloc(s->seen, room / 8);
		if (!s->seen)
			die("out of memory");
		memset(s->seen + s->room / 8, 0, (room - s->room) / 8);
		s->room = room;
	}
	if (s->seen[seq / 8] & (1 << (seq % 8)))
		tally.dups++;
	s->seen[seq / 8] |= 1 << (seq % 8);
	if (opt.order && seq < s->next)
		tally.misordered++;
	if (seq >= s->next)
		s->next = seq + 1;
}

static void header_complete(void)
{
	if (cur.hdr.magic != UET_HDR_MAGIC) {
		tally.bad++;
		fprintf(stderr, "bad magic %08x\n", cur.hdr.magic);
	}
	cur.check = (struct check){
		.seed = pattern_seed(cur.hdr.sender, cur.hdr.seq),
	};
}

static void feed(const uint8_t *buf, size_t len)
{
	uint8_t *hdr = (uint8_t *)&cur.hdr;

	tally.bytes += len;
	while (len && cur.got < UET_HDR_LEN) {
		hdr[cur.got++] = *buf++;
		len--;
		if (cur.got == UET_HDR_LEN)
			header_complete();
	}
	if (len)
		pattern_check(&cur.check, buf, len, cur.got);
	cur.got += len;
}

static bool short_ok(void)
{
	const uint8_t *p = (const uint8_t *)&cur.hdr;

	for (uint64_t i = 0; i < cur.got; i++)
		if (p[i] != short_byte(p[0], i))
			return false;
	return true;
}

static void end_of_message(void)
{
	tally.messages++;
	if (cur.got < UET_HDR_LEN) {
		tally.shorts++;
		if (!short_ok()) {
			tally.bad++;
			fprintf(stderr, "bad short message of %llu bytes\n",
				(unsigned long long)cur.got);
		}
	} else {
		if (cur.got != cur.hdr.len || cur.check.bad_bytes) {
			tally.bad++;
			fprintf(stderr,
				"sender %u message %llu: %llu of %llu bytes, %llu wrong, first at %lld\n",
				cur.hdr.sender,
				(unsigned long long)cur.hdr.seq,
				(unsigned long long)cur.got,
				(unsigned long long)cur.hdr.len,
				(unsigned long long)cur.check.bad_bytes,
				(long long)cur.check.first_bad);
		}
		account_seq(cur.hdr.sender, cur.hdr.seq);
	}
	memset(&cur, 0, sizeof(cur));
}

static int open_socket(void)
{
	struct sockaddr_uet local;
	int fd;

	uet_addr(&local, opt.addr, opt.sock.job, opt.pid, opt.ri);
	opt.sock.local = &local;
	fd = uet_socket(&opt.sock);
	if (opt.ready_file) {
		int ready = open(opt.ready_file, O_CREAT | O_WRONLY, 0644);

		if (ready < 0)
			die("%s: %s", opt.ready_file, strerror(errno));
		close(ready);
	}
	return fd;
}

/*
 * One read; returns 1 for data, 0 if there is none now, -1 on a fault. A
 * message cut short by its sender ends with an error, and the next begins.
 */
static int read_some(int fd, uint8_t *buf, int flags)
{
	struct iovec iov = { buf, opt.bufsize };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (opt.pause_us)
		usleep(opt.pause_us);
	n = recvmsg(fd, &msg, flags);
	if (n < 0) {
		if (errno == EAGAIN || errno == EINTR)
			return 0;
		if (errno == ECONNABORTED || errno == ECONNRESET) {
			tally.aborted++;
			memset(&cur, 0, sizeof(cur));
			return 1;
		}
		fprintf(stderr, "recvmsg: %s\n", strerror(errno));
		return -1;
	}
	tally.reads++;
	feed(buf, n);
	if (msg.msg_flags & MSG_EOR)
		end_of_message();
	else if (n == 0) {
		fprintf(stderr, "nothing read and no end of message\n");
		return -1;
	}
	return 1;
}

static volatile sig_atomic_t all_sent;

/* Again every second: the first may come just before the wait begins */
static void on_term(int sig)
{
	(void)sig;
	all_sent = 1;
	alarm(1);
}

static int wait_readable(int fd, int epfd, int timeout_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct epoll_event ev;

	if (opt.epoll_et)
		return epoll_wait(epfd, &ev, 1, timeout_ms);
	return poll(&pfd, 1, timeout_ms);
}

static bool receive(int fd, uint8_t *buf)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	uint64_t now, last = host_now_ns();
	int epfd = -1;
	int ret;

	if (opt.epoll_et) {
		epfd = epoll_create1(0);
		if (epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &ev))
			die("epoll_ctl: %s", strerror(errno));
	}
	while (tally.messages < opt.count) {
		ret = wait_readable(fd, epfd, all_sent ? REST_MS :
				    (int)opt.timeout_s * 1000);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			return opt.until_idle;
		do {
			ret = read_some(fd, buf, MSG_DONTWAIT);
			if (ret < 0)
				return false;
			if (ret) {
				now = host_now_ns();
				if (now - last > tally.max_gap_ns)
					tally.max_gap_ns = now - last;
				last = now;
			}
		} while (ret && tally.messages < opt.count);
	}
	return true;
}

/* Nothing may come twice */
static void look_for_more(int fd, uint8_t *buf)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	while (poll(&pfd, 1, opt.extra_ms) > 0)
		if (read_some(fd, buf, MSG_DONTWAIT) <= 0)
			break;
}

static void usage(void)
{
	fprintf(stderr,
		"usage: uet_recv [options]\n"
		"  -t rdm|seq  -B ADDR  -O DEVICE  -p PID  -r RI  -j JOB (-J enter it)\n"
		"  -n COUNT     messages to receive\n"
		"  -I           any number, until nothing comes for -T seconds,\n"
		"               or for half a second after SIGTERM\n"
		"  -T SECONDS   longest wait for data\n"
		"  -x MS        afterwards look for surplus messages\n"
		"  -o           check the order of each sender\n"
		"  -A           messages may be cut short by their sender\n"
		"  -E           edge-triggered epoll\n"
		"  -S US        pause before each read  -s MS before the first\n"
		"  -z BYTES     size of a read          -b BYTES SO_RCVBUF\n"
		"  -M BYTES     UET_MAX_MSG\n"
		"  -R FILE      created when the socket is bound\n");
	exit(2);
}

static void parse_options(int argc, char **argv)
{
	bool enter_job = false;
	int c;

	while ((c = getopt(argc, argv, "t:B:O:p:r:j:Jn:IT:x:oAES:s:z:b:M:R:")) != -1) {
		switch (c) {
		case 't': uet_option(&opt.sock, "type", optarg); break;
		case 'B': opt.addr = optarg; break;
		case 'O': uet_option(&opt.sock, "device", optarg); break;
		case 'p': opt.pid = atoi(optarg); break;
		case 'r': opt.ri = atoi(optarg); break;
		case 'j': uet_option(&opt.sock, "job", optarg); break;
		case 'J': enter_job = true; break;
		case 'n': opt.count = strtoull(optarg, NULL, 0); break;
		case 'I':
			opt.until_idle = true;
			opt.count = UINT64_MAX;
			break;
		case 'T': opt.timeout_s = atoi(optarg); break;
		case 'x': opt.extra_ms = atoi(optarg); break;
		case 'o': opt.order = true; break;
		case 'A': opt.aborts_ok = true; break;
		case 'E': opt.epoll_et = true; break;
		case 'S': opt.pause_us = atoi(optarg); break;
		case 's': opt.sleep_ms = atoi(optarg); break;
		case 'z': opt.bufsize = parse_size(optarg); break;
		case 'b': uet_option(&opt.sock, "rcvbuf", optarg); break;
		case 'M': uet_option(&opt.sock, "max_msg", optarg); break;
		case 'R': opt.ready_file = optarg; break;
		default: usage();
		}
	}
	opt.sock.enter_job = enter_job;
	if (optind != argc)
		usage();
}

int main(int argc, char **argv)
{
	struct sigaction term = { .sa_handler = on_term };
	uint64_t start;
	uint8_t *buf;
	bool ok;
	int fd;

	parse_options(argc, argv);
	if (opt.until_idle) {
		sigaction(SIGTERM, &term, NULL);
		sigaction(SIGALRM, &term, NULL);
	}
	buf = malloc(opt.bufsize);
	if (!buf)
		die("out of memory");
	fd = open_socket();
	if (opt.sleep_ms)
		usleep(opt.sleep_ms * 1000);
	start = host_now_ns();
	ok = receive(fd, buf);
	if (opt.extra_ms && !opt.until_idle)
		look_for_more(fd, buf);
	if (!ok)
		fprintf(stderr, "gave up after %llu of %llu messages\n",
			(unsigned long long)tally.messages,
			(unsigned long long)opt.count);
	printf("{\"messages\": %llu, \"bytes\": %llu, \"short\": %llu, "
	       "\"bad\": %llu, \"duplicates\": %llu, \"misordered\": %llu, "
	       "\"aborted\": %llu, \"reads\": %llu, \"max_gap_ms\": %llu, "
	       "\"secs\": %.6f}\n",
	       (unsigned long long)tally.messages,
	       (unsigned long long)tally.bytes,
	       (unsigned long long)tally.shorts,
	       (unsigned long long)tally.bad, (unsigned long long)tally.dups,
	       (unsigned long long)tally.misordered,
	       (unsigned long long)tally.aborted,
	       (unsigned long long)tally.reads,
	       (unsigned long long)(tally.max_gap_ns / 1000000),
	       (host_now_ns() - start) / 1e9);
	if (!opt.until_idle && tally.messages > opt.count)
		tally.dups++;
	close(fd);
	return !ok || tally.bad || tally.dups || tally.misordered ||
	       (tally.aborted && !opt.aborts_ok);
}
