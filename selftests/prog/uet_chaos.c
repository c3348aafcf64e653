// SPDX-License-Identifier: GPL-2.0
/*
 * Sends messages between sockets of two namespaces while somebody else makes
 * trouble, and accounts for each: delivered exactly once and intact, or
 * reported as failed. One process has the sockets of both hosts, so that it
 * knows of every message what became of it at both ends.
 *
 * Each message has its number as header data and as cookie. Half of the sockets
 * ask for reports of success too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "uet_common.h"

#define HOSTS		2
#define PER_HOST	6
#define SOCKS		(HOSTS * PER_HOST)
#define MAX_ADDRS	4
#define PID_FIRST	2000
#define MAX_MSGS	1000000
#define MAX_LEN		150000
#define RCVBUF_SMALL	65536
/* Sent and neither delivered nor failed, per socket */
#define MAX_OUT		24

static struct options {
	unsigned int	seed;
	unsigned int	seconds;	/* of sending */
	unsigned int	bound;		/* for the rest, afterwards */
	const char	*over;		/* made when nothing is sent any more */
	const char	*netns[HOSTS];
	const char	*addrs[HOSTS][MAX_ADDRS];
	int		n_addrs;
} opt = { .seed = 1, .seconds = 20, .bound = 90 };

struct end {
	int		fd;
	int		host, index;
	bool		ordered, notify;
	uint64_t	asleep;		/* does not read until then, ns */
	unsigned int	out;
	/* the message being read */
	bool		reading;
	uint64_t	id, got;
	struct check	check;
};

struct record {
	uint8_t		from, to, addr;
	uint8_t		delivered;
	uint8_t		reports;	/* of failure */
	bool		confirmed;
	uint8_t		source;
	uint16_t	code;
	int		error;
	uint32_t	len;
	uint64_t	sent_ns, done_ns;
};

static struct end ends[SOCKS];
static struct record *records;
static uint64_t n_records;
/* By socket, target and its address, of ordered sockets: after the newest that came */
static uint64_t next_id[SOCKS][SOCKS][MAX_ADDRS];
static unsigned int faults;

static void fault(uint64_t id, const char *what)
{
	const struct record *r = &records[id];

	if (++faults > 30)
		return;
	printf("FAULT message %llu: %s: socket %u to %u by %s, %u bytes, sent at %.6f",
	       (unsigned long long)id, what, r->from, r->to,
	       opt.addrs[ends[r->to].host][r->addr], r->len,
	       r->sent_ns / 1e9);
	printf(", delivered %u, confirmed %d, reports %u (errno %d source %u code %u)\n",
	       r->delivered, r->confirmed, r->reports, r->error, r->source,
	       r->code);
	fflush(stdout);
}

/* --- sockets ------------------------------------------------------------- */

static void open_end(struct end *e, int host, int index)
{
	struct sockaddr_uet sa;
	struct libuet_sock how = { .local = &sa };

	e->host = host;
	e->index = index;
	e->ordered = index & 1;
	e->notify = index & 2;
	uet_addr(&sa, "any", 0, PID_FIRST + index, 0);
	how.type = (e->ordered ? SOCK_SEQPACKET : SOCK_RDM) | SOCK_NONBLOCK;
	how.notify = e->notify;
	if (index >= PER_HOST - 2)
		how.rcvbuf = RCVBUF_SMALL;
	e->fd = uet_socket(&how);
}

/* --- sending ------------------------------------------------------------- */

static uint32_t random_len(void)
{
	switch (random() % 8) {
	case 0:
		return random() % 4;
	case 1:
	case 2:
		return random() % 600;
	case 3:
	case 4:
		return random() % 10000;
	case 5:
	case 6:
		return random() % 60000;
	default:
		return random() % MAX_LEN;
	}
}

/* Returns false if there is no use in trying again soon */
static bool send_one(struct end *e)
{
	static uint8_t data[MAX_LEN];
	const struct libuet_attrs attrs = {
		.has = LIBUET_COOKIE | LIBUET_HEADER_DATA,
		.cookie = n_records, .header_data = n_records,
	};
	struct iovec iov = { .iov_base = data };
	struct record *r = &records[n_records];
	struct sockaddr_uet to;

	if (n_records == MAX_MSGS)
		return false;
	r->from = e - ends;
	r->to = (HOSTS - 1 - e->host) * PER_HOST + random() % PER_HOST;
	r->addr = random() % opt.n_addrs;
	r->len = random_len();
	uet_addr(&to, opt.addrs[ends[r->to].host][r->addr], 0,
		 PID_FIRST + ends[r->to].index, 0);
	iov.iov_len = r->len;
	pattern_fill(data, r->len, pattern_seed(r->from, n_records), 0);
	r->sent_ns = host_now_ns();
	if (libuet_sendmsg(e->fd, &iov, 1, &to, &attrs, MSG_DONTWAIT) < 0) {
		switch (errno) {
		case EAGAIN:
		case ENETUNREACH:
		case EHOSTUNREACH:
		case EACCES:	/* a route that prohibits it */
		case EADDRNOTAVAIL:
		case ENETDOWN:
		case EINVAL:
		case ENOBUFS:
			return false;
		}
		printf("FAULT sendmsg: %s\n", strerror(errno));
		faults++;
		return false;
	}
	e->out++;
	n_records++;
	return true;
}

/* --- reports ------------------------------------------------------------- */

static void ended(struct record *r)
{
	if (r->done_ns)
		return;
	r->done_ns = host_now_ns();
	ends[r->from].out--;
}

/* What may be said of a message while the network comes and goes, and local addresses do */
static bool excused(int error)
{
	return error == ENETUNREACH || error == EHOSTUNREACH ||
	       error == ETIMEDOUT || error == EADDRNOTAVAIL;
}

static void take_report(const struct uet_report *rep)
{
	uint64_t id;

	for (id = rep->cookie; id <= rep->cookie_last; id++) {
		struct record *r = &records[id];

		if (id >= n_records) {
			printf("FAULT report of message %llu\n",
			       (unsigned long long)id);
			faults++;
			return;
		}
		if (rep->type == UET_REPORT_DELIVERED) {
			if (r->confirmed)
				fault(id, "confirmed twice");
			if (r->reports)
				fault(id, "confirmed after its failure");
			r->confirmed = true;
			continue;
		}
		r->error = rep->error;
		r->source = rep->source;
		r->code = rep->code;
		if (r->reports++)
			fault(id, "reported twice");
		if (r->confirmed)
			fault(id, "failed after its success");
		if (!excused(rep->error))
			fault(id, "no reason for this report");
		ended(r);
	}
}

static void read_reports(struct end *e)
{
	struct uet_report rep;

	while (libuet_next_report(e->fd, &rep, NULL))
		take_report(&rep);
}

/* --- receiving ----------------------------------------------------------- */

static void message_begins(struct end *e, uint64_t id, uint16_t pid)
{
	e->reading = true;
	e->id = id;
	e->got = 0;
	if (id >= n_records) {
		/* Of the hostile: they name no number that is in use */
		e->id = UINT64_MAX;
		return;
	}
	if (pid != PID_FIRST + ends[records[id].from].index)
		fault(id, "from somebody else");
	e->check = (struct check){ .seed = pattern_seed(records[id].from, id) };
}

static void message_ends(struct end *e)
{
	struct record *r = &records[e->id];
	uint64_t *next;

	e->reading = false;
	if (e->id == UINT64_MAX)
		return;
	if (r->to != e - ends)
		fault(e->id, "came to another socket");
	if (e->got != r->len || e->check.bad_bytes)
		fault(e->id, "damaged");
	if (r->delivered++)
		fault(e->id, "delivered twice");
	next = &next_id[r->from][r->to][r->addr];
	if (ends[r->from].ordered && e->id < *next)
		fault(e->id, "overtaken");
	if (e->id >= *next)
		*next = e->id + 1;
	ended(r);
}

static bool read_some(struct end *e)
{
	static uint8_t data[MAX_LEN + 1];
	struct sockaddr_uet from;
	struct iovec iov = { .iov_base = data, .iov_len = sizeof(data) };
	struct libuet_attrs attrs;
	ssize_t n;

	n = libuet_recvmsg(e->fd, &iov, 1, &from, &attrs, MSG_DONTWAIT);
	if (n < 0) {
		if (errno == ECONNABORTED || errno == ECONNRESET) {
			e->reading = false;
			return true;
		}
		return false;
	}
	if (!e->reading)
		message_begins(e, attrs.has & LIBUET_HEADER_DATA ?
			       attrs.header_data : UINT64_MAX, from.suet_pid);
	if (e->id != UINT64_MAX)
		pattern_check(&e->check, data, n, e->got);
	e->got += n;
	if (attrs.msg_flags & MSG_EOR)
		message_ends(e);
	return true;
}

/* --- the run ------------------------------------------------------------- */

static bool all_ended(void)
{
	int i;

	for (i = 0; i < SOCKS; i++)
		if (ends[i].out)
			return false;
	return true;
}

static void turn(bool sending)
{
	struct pollfd p[SOCKS];
	uint64_t now = host_now_ns();
	int i, n;

	for (i = 0; i < SOCKS; i++) {
		struct end *e = &ends[i];

		p[i] = (struct pollfd){ .fd = e->fd };
		if (now >= e->asleep)
			p[i].events = POLLIN;
	}
	poll(p, SOCKS, sending ? 1 + random() % 5 : 20);
	now = host_now_ns();
	for (i = 0; i < SOCKS; i++) {
		struct end *e = &ends[i];

		if (p[i].revents & POLLERR)
			read_reports(e);
		for (n = 0; n < 8 && now >= e->asleep && read_some(e); n++)
			;
		/* Readers that pause, not at the end */
		if (sending && random() % 400 == 0)
			e->asleep = now + random() % 500 * 1000000ULL;
		if (!sending || random() % 4)
			continue;
		for (n = random() % 4; n && e->out < MAX_OUT; n--)
			if (!send_one(e))
				break;
	}
}

static void check_all(void)
{
	uint64_t id, delivered = 0, failed = 0, both = 0, worst = 0;

	for (id = 0; id < n_records; id++) {
		const struct record *r = &records[id];

		delivered += !!r->delivered;
		failed += !!r->reports;
		both += r->delivered && r->reports;
		if (r->done_ns && r->done_ns - r->sent_ns > worst)
			worst = r->done_ns - r->sent_ns;
		if (!r->delivered && !r->reports)
			fault(id, r->confirmed ? "confirmed, never delivered" :
						 "neither delivered nor reported");
		else if (r->confirmed && !r->delivered)
			fault(id, "confirmed, never delivered");
		else if (ends[r->from].notify && !r->reports && !r->confirmed)
			fault(id, "delivered, never confirmed");
	}
	printf("{\"sent\": %llu, \"delivered\": %llu, \"failed\": %llu, \"both\": %llu, \"worst_ms\": %llu, \"faults\": %u}\n",
	       (unsigned long long)n_records, (unsigned long long)delivered,
	       (unsigned long long)failed, (unsigned long long)both,
	       (unsigned long long)worst / 1000000, faults);
}

/* Confirmations may be later than what they confirm */
static bool all_confirmed(void)
{
	uint64_t id;

	for (id = 0; id < n_records; id++) {
		const struct record *r = &records[id];

		if (ends[r->from].notify && !r->confirmed && !r->reports)
			return false;
	}
	return true;
}

static void run(void)
{
	uint64_t end = host_now_ns() + opt.seconds * 1000000000ULL;

	while (host_now_ns() < end)
		turn(true);
	close(open(opt.over, O_CREAT | O_WRONLY, 0600));
	end = host_now_ns() + opt.bound * 1000000000ULL;
	while (host_now_ns() < end && (!all_ended() || !all_confirmed()))
		turn(false);
	/* What comes twice may come late. */
	end = host_now_ns() + 500000000ULL;
	while (host_now_ns() < end)
		turn(false);
}

static void usage(void)
{
	die("usage: uet_chaos [-s SEED] [-t SECONDS] [-b BOUND] -o FILE NETNS ADDR,... NETNS ADDR,...");
}

static void parse_host(int host, char *netns, char *addrs)
{
	char *a;
	int n = 0;

	opt.netns[host] = netns;
	for (a = strtok(addrs, ","); a && n < MAX_ADDRS; a = strtok(NULL, ","))
		opt.addrs[host][n++] = a;
	opt.n_addrs = n;
}

int main(int argc, char **argv)
{
	int c, i;

	while ((c = getopt(argc, argv, "s:t:b:o:")) != -1) {
		switch (c) {
		case 's':
			opt.seed = atoi(optarg);
			break;
		case 't':
			opt.seconds = atoi(optarg);
			break;
		case 'b':
			opt.bound = atoi(optarg);
			break;
		case 'o':
			opt.over = optarg;
			break;
		default:
			usage();
		}
	}
	if (argc - optind != 2 * HOSTS || !opt.over)
		usage();
	for (i = 0; i < HOSTS; i++)
		parse_host(i, argv[optind + 2 * i], argv[optind + 2 * i + 1]);
	records = calloc(MAX_MSGS, sizeof(*records));
	if (!records)
		die("out of memory");
	srandom(opt.seed);
	for (i = 0; i < SOCKS; i++) {
		if (i % PER_HOST == 0 &&
		    host_enter_netns(opt.netns[i / PER_HOST]))
			die("%s: %m", opt.netns[i / PER_HOST]);
		open_end(&ends[i], i / PER_HOST, i % PER_HOST);
	}
	run();
	check_all();
	return faults || !n_records;
}
