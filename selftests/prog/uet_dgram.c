// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams: SOCK_DGRAM, and the mode of single messages, as programs see them.
 *
 *   uet_dgram ADDR      an address of this host
 */
#define _GNU_SOURCE
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "sock_util.h"

#define TEXT	"datagram"
#define LEN	((ssize_t)sizeof(TEXT))
#define TAG	0x1122334455667788ULL

struct got {
	char			buf[64];
	struct sockaddr_uet	from;
	struct uet_msg_info	info;
	uint64_t		tag;
	uint64_t		header;
	uint32_t		dropped;
	bool			has_info;
	bool			has_tag;
	int			flags;
};

/* Receive into at most @room bytes. */
static ssize_t get(int fd, struct got *g, size_t room, int flags)
{
	char control[512];
	struct iovec iov = { g->buf, room };
	struct msghdr m = {
		.msg_name = &g->from, .msg_namelen = sizeof(g->from),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	ssize_t n;

	memset(g, 0, sizeof(*g));
	n = recvmsg(fd, &m, flags);
	g->flags = m.msg_flags;
	for (c = CMSG_FIRSTHDR(&m); n >= 0 && c; c = CMSG_NXTHDR(&m, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL)
			memcpy(&g->dropped, CMSG_DATA(c), sizeof(g->dropped));
		if (c->cmsg_level != SOL_UET)
			continue;
		if (c->cmsg_type == UET_CMSG_MSG_INFO) {
			memcpy(&g->info, CMSG_DATA(c), sizeof(g->info));
			g->has_info = true;
		} else if (c->cmsg_type == UET_CMSG_TAG) {
			memcpy(&g->tag, CMSG_DATA(c), sizeof(g->tag));
			g->has_tag = true;
		} else if (c->cmsg_type == UET_CMSG_HEADER_DATA) {
			memcpy(&g->header, CMSG_DATA(c), sizeof(g->header));
		}
	}
	return n;
}

/* Send with one control message of SOL_UET. */
static ssize_t send_with(int fd, uint16_t pid, int type, const void *v, size_t len)
{
	char control[CMSG_SPACE(sizeof(uint64_t))] = "";
	struct iovec iov = { TEXT, LEN };
	struct sockaddr_uet to;
	struct msghdr m = {
		.msg_name = &to, .msg_namelen = sizeof(to),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = CMSG_SPACE(len),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	uet_addr(&to, here, 0, pid, 0);
	c->cmsg_level = SOL_UET;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(c), v, len);
	return sendmsg(fd, &m, 0);
}

static ssize_t send_mode(int fd, uint16_t pid, int mode)
{
	return send_with(fd, pid, UET_CMSG_DELIVERY, &mode, sizeof(mode));
}

static void test_basics(void)
{
	int a = bound_sock(SOCK_DGRAM, 801), b = bound_sock(SOCK_DGRAM, 802);
	struct got g;

	result(send_to(a, TEXT, LEN, 802) == LEN && get(b, &g, 64, 0) == LEN &&
	       !strcmp(g.buf, TEXT), "a datagram arrives");
	result(g.from.suet_pid == 801 && g.has_info && !g.info.replyable &&
	       g.info.delivery == UET_UUD && g.info.length == LEN,
	       "its source and mode are told");
	result(sendto(b, TEXT, 3, 0, (void *)&g.from, sizeof(g.from)) == 3 &&
	       get(a, &g, 64, 0) == 3, "its source can be answered");
	result(send_to(a, TEXT, 0, 802) == 0 && get(b, &g, 64, 0) == 0 &&
	       g.flags & MSG_EOR && g.from.suet_pid == 801, "an empty one");
	send_to(a, TEXT, LEN, 802);
	send_to(a, "x", 1, 802);
	result(get(b, &g, 64, MSG_PEEK) == LEN && get(b, &g, 3, MSG_PEEK) == 3 &&
	       get(b, &g, 3, 0) == 3 && g.flags & MSG_TRUNC &&
	       get(b, &g, 64, 0) == 1 && !(g.flags & MSG_TRUNC),
	       "what the buffer has no room for is gone");
	send_to(a, TEXT, LEN, 802);
	result(get(b, &g, 3, MSG_TRUNC) == LEN && !readable(b, 100),
	       "MSG_TRUNC tells the length");
	close(a);
	close(b);
}

static void test_properties(void)
{
	int a = bound_sock(SOCK_DGRAM, 803), b = bound_sock(SOCK_DGRAM, 804);
	uint64_t v = TAG;
	struct got g;

	result(send_with(a, 804, UET_CMSG_TAG, &v, sizeof(v)) == LEN &&
	       get(b, &g, 64, 0) == LEN && g.has_tag && g.tag == TAG, "a tag");
	result(send_with(a, 804, UET_CMSG_HEADER_DATA, &v, sizeof(v)) == LEN &&
	       get(b, &g, 64, 0) == LEN && g.header == TAG && !g.has_tag,
	       "header data");
	close(a);
	close(b);
}

static void test_modes(void)
{
	int d = bound_sock(SOCK_DGRAM, 805), r = bound_sock(SOCK_RDM, 806);
	int e = bound_sock(SOCK_DGRAM, 807), mode = UET_UUD;
	struct got g;

	result(send_to(r, TEXT, LEN, 805) == LEN && get(d, &g, 64, 0) == LEN &&
	       g.info.delivery == UET_RUD, "a datagram socket takes messages");
	for (int i = 0; i < 100 && !g.info.replyable; i++) {
		usleep(20000);
		send_to(r, TEXT, LEN, 805);
		get(d, &g, 64, 0);
	}
	result(g.info.replyable, "the source of a message becomes certain");
	result(send_mode(d, 806, UET_RUD) == LEN && get(r, &g, 64, 0) == LEN &&
	       g.info.delivery == UET_RUD, "... and sends them if asked to");
	result(send_mode(r, 805, UET_UUD) == LEN && get(d, &g, 64, 0) == LEN &&
	       g.info.delivery == UET_UUD, "another socket sends datagrams");
	setsockopt(r, SOL_UET, UET_DELIVERY, &mode, sizeof(mode));
	result(send_to(r, TEXT, LEN, 807) == LEN && get(e, &g, 64, 0) == LEN &&
	       g.info.delivery == UET_UUD, "... by its option as well");
	send_to(d, TEXT, LEN, 806);
	send_to(d, TEXT, LEN, 807);
	result(get(e, &g, 64, 0) == LEN && !readable(r, 100),
	       "... but takes none");
	mode = UET_RUDI;
	EXPECT_ERR(send_mode(r, 805, mode), EOPNOTSUPP,
		   "a message in the mode of writes");
	close(d);
	close(e);
	close(r);
}

static void test_limits(void)
{
	int a = bound_sock(SOCK_DGRAM, 808), b = bound_sock(SOCK_DGRAM, 809), on = 1;
	static char big[70000];
	struct uet_report rep;
	struct sockaddr_uet to;
	ssize_t low = 1, high = sizeof(big), n;

	while (high - low > 1) {
		ssize_t mid = (low + high) / 2;

		if (send_to(a, big, mid, 809) == mid)
			low = mid;
		else
			high = mid;
	}
	note("at most %zd bytes", low);
	EXPECT_ERR(send_to(a, big, high, 809), EMSGSIZE, "one byte more");
	result(low >= 1000 && low <= 16383, "a datagram is one packet");
	do {
		n = recv(b, big, sizeof(big), MSG_DONTWAIT | MSG_TRUNC);
	} while (n >= 0 && n != low);
	result(n == low, "the longest one arrives");
	setsockopt(a, SOL_UET, UET_NOTIFY, &on, sizeof(on));
	uet_addr(&to, here, 0, 4000, 0);
	result(sendto(a, TEXT, LEN, 0, (void *)&to, sizeof(to)) == LEN &&
	       !next_report(a, &rep, &to, 300), "nothing is reported");
	uet_addr(&to, here, 0, 809, 0);
	EXPECT_ERR(sendto(a, TEXT, LEN, MSG_MORE, (void *)&to, sizeof(to)),
		   EOPNOTSUPP, "MSG_MORE");
	result(!connect(a, (void *)&to, sizeof(to)) && send(a, TEXT, LEN, 0) == LEN,
	       "a connected socket sends");
	shutdown(a, SHUT_WR);
	EXPECT_ERR(send(a, TEXT, LEN, MSG_NOSIGNAL), EPIPE, "after shutdown()");
	close(a);
	close(b);
}

/* A reader that does not read: bounded memory, and it is told what it missed. */
static void test_overflow(void)
{
	int a = bound_sock(SOCK_DGRAM, 810), b = bound_sock(SOCK_DGRAM, 811);
	int room = 65536, on = 1, i, n = 0;
	static char data[1000];
	struct got g;

	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	setsockopt(b, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof(on));
	for (i = 0; i < 2000; i++)
		if (send_to(a, data, sizeof(data), 811) != sizeof(data))
			break;
	while (get(b, &g, sizeof(g.buf), MSG_DONTWAIT) >= 0)
		n++;
	note("%d of %d arrived", n, i);
	result(i == 2000 && n > 10 && n < 1000, "what has no room is dropped");
	send_to(a, TEXT, LEN, 811);
	result(get(b, &g, 64, 0) == LEN && g.dropped == (uint32_t)(2000 - n),
	       "... and counted (SO_RXQ_OVFL)");
	note("%u dropped", g.dropped);
	shutdown(b, SHUT_RD);
	result(send_to(a, TEXT, LEN, 811) == LEN && get(b, &g, 64, 0) == 0,
	       "after shutdown() nothing comes");
	close(a);
	close(b);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: uet_dgram ADDR");
	here = argv[1];
	ktap_begin();
	test_basics();
	test_properties();
	test_modes();
	test_limits();
	test_overflow();
	return ktap_finish();
}
