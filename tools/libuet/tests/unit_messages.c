// SPDX-License-Identifier: GPL-2.0
/* Control messages and sentences */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../internal.h"
#include "unit.h"

static void test_control(void)
{
	/* All that is sent: one byte of room too few is noticed by ASan, too */
	size_t room = 3 * CMSG_SPACE(8) + 3 * CMSG_SPACE(4);
	const struct libuet_attrs all = {
		.has = LIBUET_COOKIE | LIBUET_HEADER_DATA | LIBUET_TAG |
		       LIBUET_DELIVERY | LIBUET_TCLASS | LIBUET_TIMEOUT,
		.cookie = 1, .header_data = 2, .tag = 3, .delivery = UET_ROD,
		.tclass = 5, .timeout = 6,
	};
	struct libuet_attrs got, bad = { .has = LIBUET_INFO };
	struct msghdr msg = { .msg_control = malloc(room) };
	uint32_t timeout = 0;
	uint64_t cookie = 0;

	ok(!libuet_put_attrs(&msg, room, &all) && msg.msg_controllen == room,
	   "all attributes fill their room");
	ok(libuet_get_cmsg(&msg, UET_CMSG_COOKIE, &cookie, 8) && cookie == 1 &&
	   libuet_get_cmsg(&msg, UET_CMSG_TIMEOUT, &timeout, 4) && timeout == 6,
	   "they can be read again");
	libuet_get_attrs(&msg, &got);
	ok(got.has == (LIBUET_HEADER_DATA | LIBUET_TAG) &&
	   got.header_data == 2 && got.tag == 3,
	   "as a receiver gets them");
	ok(!libuet_get_cmsg(&msg, UET_CMSG_TIMEOUT, &cookie, 8),
	   "what is shorter than asked for is not there");
	ok(!libuet_get_cmsg(&msg, UET_CMSG_REPORT, &cookie, 8), "nor what is not");
	errno = 0;
	ok(libuet_add_cmsg(&msg, room, UET_CMSG_TAG, &cookie, 8) == -1 &&
	   errno == ENOSPC && msg.msg_controllen == room, "no room: ENOSPC");
	msg.msg_controllen = 0;
	ok(libuet_put_attrs(&msg, room, &bad) == -1 && errno == EINVAL,
	   "what cannot be sent: EINVAL");
	ok(!libuet_put_attrs(&msg, 0, NULL) && !msg.msg_controllen,
	   "nothing to be sent");
	free(msg.msg_control);
}

static void sentence(const struct uet_report *rep, const char *addr,
		     const char *expected)
{
	char text[LIBUET_TEXT_SIZE];
	struct sockaddr_uet peer;
	int n;

	libuet_addr(&peer, addr, 0, 100, 0);
	n = libuet_report_text(rep, addr ? &peer : NULL, text, sizeof(text));
	ok(n == (int)strlen(expected) && !strcmp(text, expected), "%s",
	   expected);
	if (strcmp(text, expected))
		printf("# %s\n", text);
}

static void test_sentences(void)
{
	const struct uet_report nobody = {
		.error = ECONNREFUSED, .type = UET_REPORT_FAILED,
		.source = UET_REPORT_SES, .code = 0x1a, .cookie = 7,
		.cookie_last = 7, .length = 10,
	};
	const struct uet_report nacked = {
		.error = ECONNRESET, .type = UET_REPORT_FAILED,
		.source = UET_REPORT_NACK, .code = 14, .cookie = 8,
	};
	const struct uet_report icmp = {
		.error = ECONNREFUSED, .type = UET_REPORT_FAILED,
		.source = UET_REPORT_ICMP, .code = 0x303, .cookie = 9,
	};
	const struct uet_report icmp6 = {
		.error = ECONNREFUSED, .type = UET_REPORT_FAILED,
		.source = UET_REPORT_ICMP, .code = 0x104, .cookie = 9,
	};
	const struct uet_report late = {
		.error = ETIMEDOUT, .type = UET_REPORT_FAILED, .cookie = 10,
	};
	const struct uet_report unknown = {
		.error = EREMOTEIO, .type = UET_REPORT_FAILED,
		.source = UET_REPORT_SES, .code = 0x2f, .cookie = 11,
	};
	const struct uet_report range = {
		.type = UET_REPORT_DELIVERED, .cookie = 1, .cookie_last = 20,
	};
	const struct uet_report one = {
		.type = UET_REPORT_DELIVERED, .cookie = 5, .cookie_last = 5,
	};
	const struct uet_report gone = {
		.error = ECONNREFUSED, .type = UET_REPORT_WATCH,
		.source = UET_REPORT_SES, .code = 0x1a, .cookie = 42,
	};
	const struct uet_report back = {
		.type = UET_REPORT_WATCH, .cookie = 42,
	};
	const struct uet_report lost = {
		.error = ETIMEDOUT, .type = UET_REPORT_PEER,
	};
	const struct uet_report heard = { .type = UET_REPORT_PEER };

	sentence(&lost, "10.0.0.2",
		 "peer uet://10.0.0.2/0/100/0 is lost: Connection timed out (ETIMEDOUT); found by this host");
	sentence(&heard, "10.0.0.2", "peer uet://10.0.0.2/0/100/0 is heard again");
	sentence(&nobody, "10.0.0.2",
		 "message 7 (10 bytes) to uet://10.0.0.2/0/100/0 failed: Connection refused (ECONNREFUSED); the target answered BAD_PID (26): no such process");
	sentence(&nacked, NULL,
		 "message 8 (0 bytes) failed: Connection reset by peer (ECONNRESET); NACK INV_DPDCID (14): the peer does not know the context");
	sentence(&icmp, "10.0.0.2",
		 "message 9 (0 bytes) to uet://10.0.0.2/0/100/0 failed: Connection refused (ECONNREFUSED); ICMP type 3 code 3: port unreachable");
	sentence(&icmp6, "fd00::2",
		 "message 9 (0 bytes) to uet://[fd00::2]/0/100/0 failed: Connection refused (ECONNREFUSED); ICMP type 1 code 4: port unreachable");
	sentence(&late, NULL,
		 "message 10 (0 bytes) failed: Connection timed out (ETIMEDOUT); found by this host");
	sentence(&unknown, NULL,
		 "message 11 (0 bytes) failed: Remote I/O error (EREMOTEIO); source 1, code 47");
	sentence(&range, NULL, "messages 1 to 20 delivered");
	sentence(&one, "10.0.0.2",
		 "message 5 to uet://10.0.0.2/0/100/0 delivered");
	sentence(&gone, "10.0.0.2",
		 "watch 42 of uet://10.0.0.2/0/100/0: Connection refused (ECONNREFUSED); the target answered BAD_PID (26): no such process");
	sentence(&back, "10.0.0.2",
		 "watch 42 of uet://10.0.0.2/0/100/0: it is there again");
}

static void test_short_buffers(void)
{
	const struct uet_report late = {
		.error = ETIMEDOUT, .type = UET_REPORT_FAILED, .cookie = 10,
	};
	char whole[LIBUET_TEXT_SIZE];
	int n = libuet_report_text(&late, NULL, whole, sizeof(whole));
	bool good = n > 0;

	for (int room = 0; room <= n; room++) {
		char *buf = malloc(room + !room);

		good &= libuet_report_text(&late, NULL, buf, room) == -1 &&
			errno == ENOSPC &&
			(!room || !strncmp(buf, whole, room - 1));
		free(buf);
	}
	ok(good, "a sentence is cut where the room ends");
}

/* All there is of each field, so that the room that is promised is enough */
static void test_longest(void)
{
	struct uet_report rep;
	struct sockaddr_uet peer;
	char text[LIBUET_TEXT_SIZE];
	bool good = true;

	memset(&peer, 0xff, sizeof(peer));
	for (int source = 0; source < 5; source++)
		for (int code = 0; code < 65536; code += 1 + code / 256 * 97)
			for (int type = 0; type < 5; type++) {
				memset(&rep, 0xff, sizeof(rep));
				rep.error = EAFNOSUPPORT;
				rep.source = source;
				rep.code = code;
				rep.type = type;
				good &= libuet_report_text(&rep, &peer, text,
							   sizeof(text)) > 0;
			}
	ok(good, "LIBUET_TEXT_SIZE has room for every sentence");
}

static void test_names(void)
{
	ok(libuet_errno_by_name("ECONNREFUSED") == ECONNREFUSED &&
	   libuet_errno_by_name("EAGAIN") == EAGAIN &&
	   !libuet_errno_by_name("ENOSUCH") && !libuet_errno_by_name("") &&
	   !strcmp(libuet_errno_name(ETIMEDOUT), "ETIMEDOUT") &&
	   !libuet_errno_name(0) && !libuet_errno_name(5000),
	   "names of errnos");
	ok(!strcmp(libuet_code_name(UET_REPORT_SES, 26), "BAD_PID") &&
	   !strcmp(libuet_code_name(UET_REPORT_NACK, 255), "EXP_FATAL") &&
	   !libuet_code_name(UET_REPORT_SES, 63) &&
	   !libuet_code_name(UET_REPORT_NACK, 256) &&
	   !libuet_code_name(UET_REPORT_NACK, 12) &&
	   !libuet_code_name(UET_REPORT_LOCAL, 1) &&
	   !libuet_code_text(UET_REPORT_ICMP, 26),
	   "names of codes");
	ok(!strcmp(libuet_blocked_name(UET_BLOCKED_RECEIVER), "receiver") &&
	   !libuet_blocked_name(99), "names of what blocks");
	ok(!strcmp(libuet_version(), LIBUET_VERSION), "the version");
}

void test_messages(void)
{
	test_control();
	test_sentences();
	test_short_buffers();
	test_longest();
	test_names();
}
