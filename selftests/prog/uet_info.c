// SPDX-License-Identifier: GPL-2.0
/*
 * UET_INFO: that it grows without hurting old callers, and that each number
 * says what happened.
 *
 *   uet_info ADDR     an address of this host
 */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "sock_util.h"

#define MSG_SIZE	20000
/* 1.5 times 10 Gb/s in 100 us, and what waits for an ACK with runs: an eighth of it */
#define MAX_WND		(187500 + 187500 / 8)
#define FIRST_SIZE	offsetof(struct uet_info, rtt_var)

static char buf[MSG_SIZE];

static struct uet_info get_info(int fd)
{
	struct uet_info info;

	if (libuet_get_info(fd, &info) < 0)
		die("UET_INFO: %s", strerror(errno));
	return info;
}

static unsigned long long blocked(int fd, int why)
{
	return get_info(fd).blocked_ns[why];
}

static void test_length(int fd)
{
	struct {
		struct uet_info info;
		char more[64];
	} big;
	socklen_t len = 0;
	unsigned char *p = (unsigned char *)&big;
	size_t i;

	result(!getsockopt(fd, SOL_UET, UET_INFO, &big, &len) &&
	       len == 0, "without room nothing is returned");
	memset(&big, 0xaa, sizeof(big));
	len = FIRST_SIZE;
	result(!getsockopt(fd, SOL_UET, UET_INFO, &big, &len) &&
	       len == FIRST_SIZE, "a caller of the first version");
	for (i = FIRST_SIZE; i < sizeof(big) && p[i] == 0xaa; i++)
		;
	result(i == sizeof(big), "gets what it knows and no byte more");
	memset(&big, 0xaa, sizeof(big));
	len = sizeof(big);
	result(!getsockopt(fd, SOL_UET, UET_INFO, &big, &len) &&
	       len == sizeof(struct uet_info) &&
	       (unsigned char)big.more[0] == 0xaa && !big.info.reserved,
	       "a caller that knows more learns what there is");
	len = sizeof(big);
	EXPECT_ERR(getsockopt(fd, SOL_UET, UET_INFO, (void *)8, &len), EFAULT,
		   "a bad address");
}

static void drain(int fd, unsigned int n)
{
	while (n--)
		if (recv(fd, buf, sizeof(buf), MSG_WAITALL) != MSG_SIZE)
			die("recv: %s", strerror(errno));
}

/* Until all is acknowledged: what was in flight is counted then */
static void settle(int fd)
{
	for (int i = 0; i < 1000 && get_info(fd).mpr_used; i++)
		usleep(10000);
}

static void test_plain(int tx, int rx)
{
	struct uet_info info;

	for (int i = 0; i < 20; i++) {
		send_to(tx, buf, MSG_SIZE, 601);
		drain(rx, 1);
	}
	settle(tx);
	info = get_info(tx);
	result(info.pkts_sent >= 20 && info.bytes_sent > 20 * MSG_SIZE,
	       "packets and bytes sent (%llu, %llu)",
	       (unsigned long long)info.pkts_sent,
	       (unsigned long long)info.bytes_sent);
	/* In a slow guest it may be farther to itself than the guess of 100 us. */
	result(info.rtt && info.base_rtt && info.rto >= 1000000 &&
	       info.target_qdelay &&
	       (info.target_qdelay <= 100000 ||
		info.target_qdelay <= 2 * info.base_rtt),
	       "round trips (%llu, base %llu, timeout %llu, target %llu)",
	       (unsigned long long)info.rtt,
	       (unsigned long long)info.base_rtt,
	       (unsigned long long)info.rto,
	       (unsigned long long)info.target_qdelay);
	result(!info.inflight && !info.inflight_pkts && !info.backlog &&
	       !info.rtx_backlog && !info.mpr_used &&
	       info.cc_state == UET_CC_IDLE && !info.blocked_by,
	       "nothing is left");
	result(info.mpr == 1024, "receive window (%u packets)", info.mpr);
	result(info.link_mbps && info.link_mbps <= 10000 && info.paths &&
	       info.pdcs,
	       "rate, paths, PDCs");
	result(!strcmp(info.cc, "nscc") &&
	       !(info.cc_mode & UET_CC_MODE_CREDIT), "algorithm by name");
	result(!info.nacks_shortage && !info.losses_rcvr &&
	       !info.blocked_ns[UET_BLOCKED_RECEIVER], "no shortage");
}

/*
 * The bound follows the base RTT down at once, and the window with what is
 * acknowledged next: data goes until it does.
 */
static void test_window(int tx, int rx)
{
	struct uet_info info = get_info(tx);

	for (int i = 0; i < 1000 && info.cwnd > info.max_wnd; i++) {
		send_to(tx, buf, MSG_SIZE, 601);
		drain(rx, 1);
		settle(tx);
		info = get_info(tx);
	}
	result(info.cwnd >= info.mtu && info.cwnd <= info.max_wnd &&
	       info.max_wnd <= MAX_WND, "window (%llu of %llu)",
	       (unsigned long long)info.cwnd,
	       (unsigned long long)info.max_wnd);
}

/* The receiver does not read: refused, held, and told when there is room */
static void test_receiver(int tx, int rx)
{
	struct uet_info info;
	unsigned long long ns;

	for (int i = 0; i < 60; i++)
		send_to(tx, buf, MSG_SIZE, 602);
	for (int i = 0; i < 500 && !get_info(tx).nacks_shortage; i++)
		usleep(10000);
	usleep(50000);
	info = get_info(tx);
	result(info.nacks_shortage, "NACKs for shortage (%llu)",
	       (unsigned long long)info.nacks_shortage);
	result(info.blocked_by == UET_BLOCKED_RECEIVER,
	       "the receiver blocks (%u)", info.blocked_by);
	/* In a slow guest the window may have been at its smallest before */
	result(info.penalties && info.cc_mode & UET_CC_MODE_PENALTY &&
	       (info.saved_cwnd > info.cwnd ||
		(info.saved_cwnd && info.saved_cwnd <= 4 * info.mtu)),
	       "and slows down (%llu from %llu)", (unsigned long long)info.cwnd,
	       (unsigned long long)info.saved_cwnd);
	ns = info.blocked_ns[UET_BLOCKED_RECEIVER];
	usleep(50000);
	result(blocked(tx, UET_BLOCKED_RECEIVER) >= ns + 40000000,
	       "the time grows");
	/* Not while the only one that was refused is tried again */
	for (int i = 0; i < 500 && !info.rtx_backlog; i++) {
		usleep(1000);
		info = get_info(tx);
	}
	result(info.rtx_backlog && info.mpr_used, "something waits");
	drain(rx, 60);
	settle(tx);
	info = get_info(tx);
	result(!info.blocked_by && !info.rtx_backlog, "all went on");
	ns = info.blocked_ns[UET_BLOCKED_RECEIVER];
	usleep(50000);
	result(ns && blocked(tx, UET_BLOCKED_RECEIVER) == ns,
	       "the time stands still");
}

static void test_credit(int rx)
{
	int tx = bound_sock(SOCK_RDM, 610);
	struct uet_info info;

	if (setsockopt(tx, SOL_UET, UET_CC, "nscc+rccc", 9))
		die("UET_CC: %s", strerror(errno));
	for (int i = 0; i < 50; i++) {
		send_to(tx, buf, MSG_SIZE, 601);
		drain(rx, 1);
	}
	settle(tx);
	info = get_info(tx);
	result(info.credit_granted && info.cc_mode & UET_CC_MODE_CREDIT &&
	       !(info.cc_mode & UET_CC_MODE_SPECULATING),
	       "credit came (%u quanta, %lld bytes left)", info.credit_granted,
	       (long long)info.credit);
	result(!strcmp(info.cc, "nscc+rccc"), "algorithm by name");
	close(tx);
}

int main(int argc, char **argv)
{
	/* A class of its own: contexts of other tests have a past. */
	int tx, rx, small = 40000, class = 33;
	struct uet_info info;
	socklen_t len = sizeof(info);

	if (argc != 2)
		die("usage: uet_info ADDR");
	here = argv[1];
	ktap_begin();
	rx = bound_sock(SOCK_RDM, 601);
	tx = bound_sock(SOCK_RDM, 600);
	if (setsockopt(tx, SOL_UET, UET_TRAFFIC_CLASS, &class, sizeof(class)))
		die("UET_TRAFFIC_CLASS: %s", strerror(errno));
	EXPECT_ERR(getsockopt(tx, SOL_UET, UET_INFO, &info, &len), ENOTCONN,
		   "before the first message");
	test_plain(tx, rx);
	test_window(tx, rx);
	test_length(tx);
	close(tx);
	test_credit(rx);
	close(rx);
	/* Until the next socket counts as the only one that reads */
	usleep(200000);
	rx = bound_sock(SOCK_RDM, 602);
	setsockopt(rx, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	tx = bound_sock(SOCK_RDM, 603);
	test_receiver(tx, rx);
	close(tx);
	close(rx);
	return ktap_finish();
}
