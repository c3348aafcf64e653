// SPDX-License-Identifier: GPL-2.0
/*
 * The system calls on AF_UET sockets that name and configure them: what they
 * accept, what they return, which errors they give.
 *
 *   uet_sock ADDR     an address of this host
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/net_tstamp.h>

#include "sock_util.h"

/* --- socket() ---------------------------------------------------------- */

static void test_socket(void)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	int fd, val;
	socklen_t len;

	for (int i = 0; i < 2; i++) {
		fd = socket(libuet_family(), types[i], UETPROTO_UET);
		result(fd >= 0, "socket type %d", types[i]);
		len = sizeof(val);
		result(!getsockopt(fd, SOL_SOCKET, SO_TYPE, &val, &len) &&
		       val == types[i], "SO_TYPE of type %d", types[i]);
		len = sizeof(val);
		result(!getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &val, &len) &&
		       val == libuet_family(), "SO_DOMAIN of type %d",
		       types[i]);
		close(fd);
	}
	EXPECT_ERR(socket(libuet_family(), SOCK_STREAM, 0), ESOCKTNOSUPPORT,
		   "SOCK_STREAM");
	EXPECT_ERR(socket(libuet_family(), SOCK_RAW, 0), ESOCKTNOSUPPORT,
		   "SOCK_RAW");
	EXPECT_ERR(socket(libuet_family(), SOCK_RDM, 2), EPROTONOSUPPORT,
		   "unknown protocol");
}

/* --- bind() -------------------------------------------------------------- */

static int try_bind(void (*change)(struct sockaddr_uet *), socklen_t len)
{
	struct sockaddr_uet sa;
	int fd = open_sock(SOCK_RDM);
	int ret, err;

	uet_addr(&sa, here, 0, 500, 0);
	if (change)
		change(&sa);
	ret = bind(fd, (struct sockaddr *)&sa, len);
	err = errno;
	close(fd);
	errno = err;
	return ret;
}

static void bad_family(struct sockaddr_uet *sa) { sa->suet_family = AF_INET; }
static void bad_pid(struct sockaddr_uet *sa) { sa->suet_pid = UET_PID_MAX + 1; }
static void bad_ri(struct sockaddr_uet *sa) { sa->suet_ri = UET_RI_MAX + 1; }
static void bad_job(struct sockaddr_uet *sa) { sa->suet_job = UET_JOB_MAX + 1; }
static void bad_flags(struct sockaddr_uet *sa) { sa->suet_flags = 0x8000; }
static void bad_reserved(struct sockaddr_uet *sa) { sa->suet_reserved = 1; }
static void low_initiator(struct sockaddr_uet *sa) { sa->suet_initiator = 7; }
static void foreign(struct sockaddr_uet *sa)
{
	libuet_parse_addr("192.0.2.77", &sa->suet_addr);
}
static void foreign6(struct sockaddr_uet *sa)
{
	libuet_parse_addr("2001:db8::77", &sa->suet_addr);
}
static void multicast(struct sockaddr_uet *sa)
{
	libuet_parse_addr("224.0.0.1", &sa->suet_addr);
}

static void test_bind_errors(void)
{
	const socklen_t full = sizeof(struct sockaddr_uet);
	struct sockaddr_uet sa;
	int fd;

	EXPECT_ERR(try_bind(NULL, full - 1), EINVAL, "bind: short address");
	EXPECT_ERR(try_bind(NULL, 1), EINVAL, "bind: one byte");
	EXPECT_ERR(try_bind(NULL, 0), EINVAL, "bind: no byte");
	EXPECT_ERR(try_bind(bad_family, full), EAFNOSUPPORT, "bind: family");
	EXPECT_ERR(try_bind(bad_pid, full), EINVAL, "bind: PIDonFEP 4096");
	EXPECT_ERR(try_bind(bad_ri, full), EINVAL, "bind: index 4096");
	EXPECT_ERR(try_bind(bad_job, full), EINVAL, "bind: job 2^24");
	EXPECT_ERR(try_bind(bad_flags, full), EINVAL, "bind: unknown flag");
	EXPECT_ERR(try_bind(bad_reserved, full), EINVAL,
		   "bind: reserved field set");
	EXPECT_ERR(try_bind(low_initiator, full), EINVAL,
		   "bind: initiator below 2^24");
	EXPECT_ERR(try_bind(foreign, full), EADDRNOTAVAIL,
		   "bind: IPv4 address of nobody here");
	EXPECT_ERR(try_bind(foreign6, full), EADDRNOTAVAIL,
		   "bind: IPv6 address of nobody here");
	EXPECT_ERR(try_bind(multicast, full), EADDRNOTAVAIL,
		   "bind: multicast");
	fd = open_sock(SOCK_RDM);
	uet_addr(&sa, here, 0, 500, 0);
	EXPECT_ERR(bind(fd, (void *)8, sizeof(sa)), EFAULT,
		   "bind: bad pointer");
	result(!bind(fd, (struct sockaddr *)&sa, sizeof(sa)), "bind");
	sa.suet_pid = 501;
	EXPECT_ERR(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), EINVAL,
		   "second bind");
	close(fd);
}

static void test_bind_names(void)
{
	struct sockaddr_uet sa, got;
	socklen_t len = sizeof(got);
	int a = open_sock(SOCK_RDM), b = open_sock(SOCK_SEQPACKET);
	int c = open_sock(SOCK_RDM);

	uet_addr(&sa, here, 0, 500, 3);
	result(!bind(a, (struct sockaddr *)&sa, sizeof(sa)), "bind 500/3");
	EXPECT_ERR(bind(b, (struct sockaddr *)&sa, sizeof(sa)), EADDRINUSE,
		   "same endpoint, other type");
	sa.suet_ri = 4;
	result(!bind(b, (struct sockaddr *)&sa, sizeof(sa)),
	       "other resource index");
	memset(&got, 0xff, sizeof(got));
	result(!getsockname(b, (struct sockaddr *)&got, &len) &&
	       len == sizeof(got) && got.suet_family == libuet_family() &&
	       got.suet_pid == 500 && got.suet_ri == 4 && got.suet_job == 0 &&
	       got.suet_reserved == 0 &&
	       !memcmp(&got.suet_addr, &sa.suet_addr, 16), "getsockname");
	sa.suet_pid = 0;
	result(!bind(c, (struct sockaddr *)&sa, sizeof(sa)) &&
	       !getsockname(c, (struct sockaddr *)&got, &len) &&
	       got.suet_pid >= 16 && got.suet_pid <= UET_PID_MAX,
	       "PIDonFEP 0 asks for a free one (%u)", got.suet_pid);
	close(a);
	sa.suet_pid = 500;
	sa.suet_ri = 3;
	a = open_sock(SOCK_RDM);
	result(!bind(a, (struct sockaddr *)&sa, sizeof(sa)),
	       "bind again after close");
	close(a);
	close(b);
	close(c);
	a = open_sock(SOCK_RDM);
	uet_addr(&sa, "any", 0, 510, 0);
	result(!bind(a, (struct sockaddr *)&sa, sizeof(sa)), "bind to any");
	b = open_sock(SOCK_RDM);
	EXPECT_ERR(bind(b, (struct sockaddr *)&sa, sizeof(sa)), EADDRINUSE,
		   "any twice");
	close(a);
	close(b);
}

/* Runs fn in a child without privileges; its return value is the status */
static int unprivileged(int (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(100);
		_exit(fn());
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

static int bind_low(void)
{
	return bind_pid(open_sock(SOCK_RDM), 15) ? errno : 0;
}

static int bind_high(void)
{
	return bind_pid(open_sock(SOCK_RDM), 16) ? errno : 0;
}

static int enter_job(void)
{
	uint32_t job = 77;

	return setsockopt(open_sock(SOCK_RDM), SOL_UET, UET_JOB_ID, &job,
			  sizeof(job)) ? errno : 0;
}

static int bind_job(void)
{
	struct sockaddr_uet sa;

	uet_addr(&sa, here, 77, 500, 0);
	return bind(open_sock(SOCK_RDM), (struct sockaddr *)&sa,
		    sizeof(sa)) ? errno : 0;
}

/* Somebody else serves at any address: 512 */
static int bind_over(void)
{
	return bind_pid(open_sock(SOCK_RDM), 512) ? errno : 0;
}

/* Endpoints of other implementations are PIDonFEP 0 by default. */
static void test_pid_zero(void)
{
	struct sockaddr_uet sa, got, from;
	socklen_t len = sizeof(got), from_len = sizeof(from);
	int a = open_sock(SOCK_RDM), b = bound_sock(SOCK_RDM, 501);
	int c = open_sock(SOCK_RDM);
	char buf[8];

	uet_addr(&sa, here, 0, 501, 0);
	sa.suet_flags = UET_ADDR_PID_ZERO;
	EXPECT_ERR(bind(a, (struct sockaddr *)&sa, sizeof(sa)), EINVAL,
		   "PIDonFEP 0 and another one");
	sa.suet_pid = 0;
	result(!bind(a, (struct sockaddr *)&sa, sizeof(sa)) &&
	       !getsockname(a, (struct sockaddr *)&got, &len) && !got.suet_pid &&
	       got.suet_flags == UET_ADDR_PID_ZERO, "PIDonFEP 0 itself");
	EXPECT_ERR(bind(c, (struct sockaddr *)&sa, sizeof(sa)), EADDRINUSE,
		   "PIDonFEP 0 twice");
	result(sendto(b, "to 0", 5, 0, (struct sockaddr *)&sa, sizeof(sa)) == 5 &&
	       recvfrom(a, buf, sizeof(buf), 0, (struct sockaddr *)&from,
			&from_len) == 5 && from.suet_pid == 501,
	       "a message to PIDonFEP 0");
	result(sendto(a, "back", 5, 0, (struct sockaddr *)&from, from_len) == 5 &&
	       recvfrom(b, buf, sizeof(buf), 0, (struct sockaddr *)&from,
			&from_len) == 5 && !from.suet_pid, "and one from it");
	close(a);
	close(b);
	close(c);
}

static void test_other_user(void)
{
	struct sockaddr_uet sa;
	int a = open_sock(SOCK_RDM), b = open_sock(SOCK_RDM);

	uet_addr(&sa, "any", 0, 512, 0);
	result(!bind(a, (struct sockaddr *)&sa, sizeof(sa)), "bind to any");
	result(unprivileged(bind_over) == EADDRINUSE,
	       "another user cannot bind an address of it");
	result(!bind_pid(b, 512), "the same user can");
	close(a);
	result(unprivileged(bind_over) == EADDRINUSE,
	       "nor the same address");
	close(b);
	result(unprivileged(bind_over) == 0, "when both are gone, everybody");
}

static void test_privileges(void)
{
	uint32_t job = 77;
	int a, b;

	result(unprivileged(bind_low) == EACCES,
	       "PIDonFEP 15 needs privilege");
	result(unprivileged(bind_high) == 0, "PIDonFEP 16 does not");
	result(unprivileged(enter_job) == EPERM,
	       "entering a job needs privilege");
	a = unprivileged(bind_job);
	result(a == EPERM || a == EACCES,
	       "binding in a job one is not in is refused");
	a = open_sock(SOCK_RDM);
	result(!setsockopt(a, SOL_UET, UET_JOB_ID, &job, sizeof(job)),
	       "UET_JOB_ID");
	b = open_sock(SOCK_RDM);
	result(!setsockopt(b, SOL_UET, UET_JOB_FROM, &a, sizeof(a)),
	       "UET_JOB_FROM");
	close(a);
	a = open("/dev/null", O_RDONLY);
	EXPECT_ERR(setsockopt(b, SOL_UET, UET_JOB_FROM, &a, sizeof(a)),
		   ENOTSOCK, "UET_JOB_FROM with a file");
	close(a);
	a = socket(AF_INET, SOCK_DGRAM, 0);
	EXPECT_ERR(setsockopt(b, SOL_UET, UET_JOB_FROM, &a, sizeof(a)),
		   EINVAL, "UET_JOB_FROM with another family");
	close(a);
	job = UET_JOB_MAX + 1;
	EXPECT_ERR(setsockopt(b, SOL_UET, UET_JOB_ID, &job, sizeof(job)),
		   EINVAL, "UET_JOB_ID out of range");
	close(b);
}

/* --- connect(), names, calls that make no sense ---------------------------- */

static void test_connect(void)
{
	struct sockaddr_uet sa, got;
	struct sockaddr unspec = { .sa_family = AF_UNSPEC };
	socklen_t len = sizeof(got);
	int a = open_sock(SOCK_RDM), b = bound_sock(SOCK_RDM, 520);
	char byte;

	EXPECT_ERR(getpeername(a, (struct sockaddr *)&got, &len), ENOTCONN,
		   "getpeername before connect");
	EXPECT_ERR(send(a, "x", 1, 0), EDESTADDRREQ, "send before connect");
	uet_addr(&sa, here, 0, 520, 0);
	EXPECT_ERR(connect(a, (struct sockaddr *)&sa, sizeof(sa) - 1), EINVAL,
		   "connect: short address");
	result(!connect(a, (struct sockaddr *)&sa, sizeof(sa)), "connect");
	result(!getpeername(a, (struct sockaddr *)&got, &len) &&
	       got.suet_pid == 520 &&
	       !memcmp(&got.suet_addr, &sa.suet_addr, 16), "getpeername");
	result(send(a, "x", 1, 0) == 1, "send on a connected socket");
	result(recv(b, &byte, 1, 0) == 1 && byte == 'x', "it arrives");
	uet_addr(&sa, here, 0, 500, 0);
	result(!connect(a, (struct sockaddr *)&sa, sizeof(sa)),
	       "connect elsewhere");
	result(!connect(a, &unspec, sizeof(unspec)), "dissolve by AF_UNSPEC");
	EXPECT_ERR(getpeername(a, (struct sockaddr *)&got, &len), ENOTCONN,
		   "getpeername afterwards");
	close(a);
	close(b);
}

static void test_not_supported(void)
{
	int pair[2];
	int fd = bound_sock(SOCK_RDM, 521);

	EXPECT_ERR(listen(fd, 1), EOPNOTSUPP, "listen");
	EXPECT_ERR(accept(fd, NULL, NULL), EOPNOTSUPP, "accept");
	EXPECT_ERR(socketpair(libuet_family(), SOCK_RDM, 0, pair), EOPNOTSUPP,
		   "socketpair");
	EXPECT_ERR(recv(fd, pair, sizeof(pair), MSG_OOB), EOPNOTSUPP,
		   "recv MSG_OOB");
	EXPECT_ERR(send_to(fd, "x", 1, 521) < 0 ? -1 :
		   send(fd, "x", 1, MSG_OOB), EOPNOTSUPP, "send MSG_OOB");
	close(fd);
}

/* --- options ------------------------------------------------------------------------ */

static void test_options(void)
{
	int fd = bound_sock(SOCK_RDM, 560);
	struct uet_info info;
	char name[64];
	socklen_t len;
	int val;
	uint32_t max;

	val = UET_ROD;
	result(!setsockopt(fd, SOL_UET, UET_DELIVERY, &val, sizeof(val)),
	       "UET_DELIVERY");
	val = 0;
	len = sizeof(val);
	result(!getsockopt(fd, SOL_UET, UET_DELIVERY, &val, &len) &&
	       val == UET_ROD, "reads back");
	val = 77;
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_DELIVERY, &val, sizeof(val)),
		   EINVAL, "delivery mode 77");
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_DELIVERY, &val, 1), EINVAL,
		   "option of one byte");
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_DELIVERY, (void *)8, 4),
		   EFAULT, "option at a bad address");
	EXPECT_ERR(setsockopt(fd, SOL_UET, 9999, &val, sizeof(val)),
		   ENOPROTOOPT, "unknown option");
	len = sizeof(val);
	EXPECT_ERR(getsockopt(fd, SOL_UET, 9999, &val, &len), ENOPROTOOPT,
		   "reading an unknown option");
	EXPECT_ERR(setsockopt(fd, SOL_UET + 1, 1, &val, sizeof(val)),
		   ENOPROTOOPT, "unknown level");
	result(!setsockopt(fd, SOL_UET, UET_CC, "nscc", 4), "UET_CC nscc");
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_CC, "bogus", 5), ENOENT,
		   "unknown congestion control");
	len = sizeof(name);
	result(!getsockopt(fd, SOL_UET, UET_CC, name, &len) &&
	       !strncmp(name, "nscc", 4), "reads back");
	result(!setsockopt(fd, SOL_UET, UET_PATH_POLICY, "single", 6),
	       "UET_PATH_POLICY single");
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_PATH_POLICY, "bogus", 5),
		   ENOENT, "unknown path policy");
	val = 63;
	result(!setsockopt(fd, SOL_UET, UET_TRAFFIC_CLASS, &val, sizeof(val)),
	       "UET_TRAFFIC_CLASS");
	val = 64;
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_TRAFFIC_CLASS, &val,
			      sizeof(val)), EINVAL, "DSCP 64");
	max = 5000;
	result(!setsockopt(fd, SOL_UET, UET_MAX_MSG, &max, sizeof(max)),
	       "UET_MAX_MSG");
	len = sizeof(info);
	memset(&info, 0xff, sizeof(info));
	result(!getsockopt(fd, SOL_UET, UET_INFO, &info, &len) ||
	       errno == ENOTCONN, "UET_INFO");
	close(fd);
}

static void test_generic_options(void)
{
	int fd = open_sock(SOCK_RDM);
	int val = 100000, got = 0;
	socklen_t len = sizeof(got);

	result(!getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &got, &len) &&
	       got == 4 << 20, "SO_RCVBUF is net.uet.rmem (%d)", got);
	result(!getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &got, &len) &&
	       got == 4 << 20, "SO_SNDBUF is net.uet.wmem (%d)", got);
	result(!setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &val, sizeof(val)) &&
	       !getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &got, &len) &&
	       got == 2 * val, "SO_RCVBUF");
	val = 5;
	result(!setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &val, sizeof(val)),
	       "SO_PRIORITY");
	len = sizeof(got);
	result(!getsockopt(fd, SOL_SOCKET, SO_PRIORITY, &got, &len) &&
	       got == 5, "reads back");
	result(!getsockopt(fd, SOL_SOCKET, SO_ERROR, &got, &len) && !got,
	       "SO_ERROR");
	close(fd);
}

/* What would have no effect says so */
static void test_refused_options(void)
{
	static const struct {
		int		opt;
		const char	*name;
	} refused[] = {
		{ SO_MAX_PACING_RATE, "SO_MAX_PACING_RATE" },
		{ SO_TXTIME, "SO_TXTIME" },
		{ SO_REUSEPORT, "SO_REUSEPORT" },
		{ SO_DONTROUTE, "SO_DONTROUTE" },
		{ SO_REUSEADDR, "SO_REUSEADDR" },
		{ SO_RXQ_OVFL, "SO_RXQ_OVFL" },
		{ SO_RESERVE_MEM, "SO_RESERVE_MEM" },
		{ SO_ATTACH_FILTER, "SO_ATTACH_FILTER" },
		{ SO_ATTACH_BPF, "SO_ATTACH_BPF" },
	};
	int fd = open_sock(SOCK_RDM), stamp = SOF_TIMESTAMPING_TX_SOFTWARE;
	uint64_t val[4] = { 1 };
	struct utsname uts;

	/* There the kernel does not ask the protocol */
	if (!uname(&uts) && !strncmp(uts.release, "6.1.", 4))
		goto out;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		result(setsockopt(fd, SOL_SOCKET, refused[i].opt, val,
				  sizeof(val)) < 0 && errno == ENOPROTOOPT,
		       "%s: %s", refused[i].name, strerror(errno));
	EXPECT_ERR(setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &stamp,
			      sizeof(stamp)), EOPNOTSUPP,
		   "SO_TIMESTAMPING of what is sent");
	stamp = SOF_TIMESTAMPING_RX_SOFTWARE;
	result(!setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &stamp,
			   sizeof(stamp)),
	       "SO_TIMESTAMPING of what is received");
out:
	EXPECT_ERR(setsockopt(fd, SOL_SOCKET, SO_PRIORITY, val, 1), EINVAL,
		   "SO_PRIORITY of one byte");
	EXPECT_ERR(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, (void *)8, 4), EFAULT,
		   "SO_RCVBUF at a bad address");
	close(fd);
}

/* Memory that is reserved goes with the socket: 64 MiB if not. Linux 6.1 grants
 * it to sockets of a control group; that it is gone is seen by no_remains().
 */
static int reserve(void)
{
	int val = 8 << 20, n = 0;

	for (int i = 0; i < 8; i++) {
		int fd = open_sock(SOCK_RDM);

		n += !setsockopt(fd, SOL_SOCKET, SO_RESERVE_MEM, &val,
				 sizeof(val));
		close(fd);
	}
	return n;
}

static void test_reserve(void)
{
	static const char setup[] =
		"mkdir /tmp/cg && mount -t cgroup2 none /tmp/cg && "
		"mkdir /tmp/cg/uet && echo +memory >/tmp/cg/cgroup.subtree_control; "
		"echo $PPID >/tmp/cg/uet/cgroup.procs";
	static const char undo[] =
		"for p in $PPID $$; do echo $p >/tmp/cg/cgroup.procs; done; "
		"rmdir /tmp/cg/uet; "
		"umount /tmp/cg; rmdir /tmp/cg";
	int n;

	if (system(setup)) {
		skip("SO_RESERVE_MEM", "no control groups");
		return;
	}
	n = unprivileged(reserve);
	result(n == 0 || n == 8, "SO_RESERVE_MEM: all or none (%d)", n);
	system(undo);
}

/* A mark chooses the route: a prohibited one here */
static void test_mark(void)
{
	int fd = open_sock(SOCK_RDM), mark = 7;
	struct sockaddr_uet to;

	uet_addr(&to, "203.0.113.9", 0, 567, 0);
	result(!system("ip rule add fwmark 7 prohibit"), "rule for a mark");
	EXPECT_ERR(sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)),
		   ENETUNREACH, "send without it");
	result(!setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)),
	       "SO_MARK");
	EXPECT_ERR(sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)),
		   EACCES, "send with it");
	system("ip rule del fwmark 7");
	close(fd);
}

/* A source address of one kind, a target of the other. The last four bytes of
 * the former are an IPv4 address of this host.
 */
static void test_mixed(void)
{
	struct sockaddr_uet sa;
	int fd = open_sock(SOCK_RDM);

	system("ip addr add fd00::7f00:1/128 dev lo nodad");
	uet_addr(&sa, "fd00::7f00:1", 0, 565, 0);
	result(!bind(fd, (struct sockaddr *)&sa, sizeof(sa)), "bind to IPv6");
	uet_addr(&sa, "127.0.0.1", 0, 566, 0);
	EXPECT_ERR(sendto(fd, "x", 1, 0, (struct sockaddr *)&sa, sizeof(sa)),
		   ENETUNREACH, "send from IPv6 to IPv4");
	EXPECT_ERR(connect(fd, (struct sockaddr *)&sa, sizeof(sa)),
		   ENETUNREACH, "connect from IPv6 to IPv4");
	system("ip addr del fd00::7f00:1/128 dev lo");
	close(fd);
}

/* A message of this host to itself comes by the loopback device */
static void test_device(void)
{
	int a = bound_sock(SOCK_RDM, 568), b = open_sock(SOCK_RDM);
	int c = open_sock(SOCK_RDM);
	struct sockaddr_uet sa;
	char byte;

	result(!setsockopt(b, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) &&
	       !setsockopt(c, SOL_SOCKET, SO_BINDTODEVICE, "uet0", 5),
	       "SO_BINDTODEVICE");
	uet_addr(&sa, "any", 0, 569, 0);
	result(!bind(b, (struct sockaddr *)&sa, sizeof(sa)) &&
	       !bind(c, (struct sockaddr *)&sa, sizeof(sa)),
	       "one name for each of two devices");
	uet_addr(&sa, here, 0, 569, 0);
	result(send_to(a, "x", 1, 569) == 1 && recv(b, &byte, 1, 0) == 1,
	       "the socket of the right device gets it");
	EXPECT_ERR(recv(c, &byte, 1, MSG_DONTWAIT), EAGAIN,
		   "that of the other one does not");
	close(a);
	close(b);
	close(c);
}

static void test_send_limits(void)
{
	int fd = bound_sock(SOCK_RDM, 564);
	static char buf[200000];
	struct sockaddr_uet to;
	int val = 30000;

	uet_addr(&to, here, 0, 565, 0);
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &val, sizeof(val));
	EXPECT_ERR(sendto(fd, buf, sizeof(buf), MSG_DONTWAIT,
			  (struct sockaddr *)&to, sizeof(to)), EMSGSIZE,
		   "non-blocking, longer than SO_SNDBUF");
	to.suet_pid = UET_PID_MAX + 1;
	EXPECT_ERR(sendto(fd, buf, 1, 0, (struct sockaddr *)&to, sizeof(to)),
		   EINVAL, "send: PIDonFEP out of range");
	to.suet_pid = 0;
	EXPECT_ERR(sendto(fd, buf, 1, 0, (struct sockaddr *)&to, 10), EINVAL,
		   "send: short address");
	uet_addr(&to, here, 77, 565, 0);
	EXPECT_ERR(sendto(fd, buf, 1, 0, (struct sockaddr *)&to, sizeof(to)),
		   EACCES, "send: into a job one is not in");
	uet_addr(&to, "203.0.113.9", 0, 565, 0);
	EXPECT_ERR(sendto(fd, buf, 1, 0, (struct sockaddr *)&to, sizeof(to)),
		   ENETUNREACH, "send: no route");
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: uet_sock ADDR");
	here = argv[1];
	signal(SIGPIPE, SIG_IGN);
	ktap_begin();
	test_socket();
	test_bind_errors();
	test_bind_names();
	test_pid_zero();
	test_privileges();
	test_other_user();
	test_connect();
	test_not_supported();
	test_options();
	test_generic_options();
	test_refused_options();
	test_reserve();
	test_mark();
	test_mixed();
	test_device();
	test_send_limits();
	return ktap_finish();
}
