// SPDX-License-Identifier: GPL-2.0
/* hello ADDR TEXT sends to PIDonFEP 100 at an IPv6 address; hello waits there */
#include <arpa/inet.h>
#include <err.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/uet.h>

int main(int argc, char **argv)
{
	struct sockaddr_uet to = { .suet_family = AF_UET, .suet_pid = 100 };
	int fd = socket(AF_UET, SOCK_RDM, 0), on = 1, error = 0;
	struct pollfd outcome = { .fd = fd };
	socklen_t len = sizeof(error);
	char text[1000] = "";

	if (fd < 0)
		err(1, "socket (is uet.ko loaded?)");
	if (argc == 1) {
		if (bind(fd, (struct sockaddr *)&to, sizeof(to)) ||
		    recv(fd, text, sizeof(text) - 1, 0) < 0)
			err(1, "bind and receive");
		return puts(text) < 0;
	}
	if (argc != 3)
		errx(1, "usage: hello [ADDRESS TEXT]");
	if (inet_pton(AF_INET6, argv[1], &to.suet_addr) != 1)
		errx(1, "%s is no IPv6 address; IPv4: ::ffff:10.0.0.2", argv[1]);
	setsockopt(fd, SOL_UET, UET_NOTIFY, &on, sizeof(on));
	if (sendto(fd, argv[2], strlen(argv[2]), 0, (struct sockaddr *)&to,
		   sizeof(to)) < 0)
		err(1, "sendto");
	/* It may fail on its way: wait for the report, which is an error or not */
	poll(&outcome, 1, -1);
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) || error)
		errx(1, "not delivered: %s", strerror(error));
	return 0;
}
