// SPDX-License-Identifier: GPL-2.0
/* hello ADDR TEXT sends to PIDonFEP 100 at an IPv6 address; hello waits there */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/uet.h>

int main(int argc, char **argv)
{
	struct sockaddr_uet to = { .suet_family = AF_UET, .suet_pid = 100 };
	int fd = socket(AF_UET, SOCK_RDM, 0);
	char text[1000] = "";

	if (argc == 3 && inet_pton(AF_INET6, argv[1], &to.suet_addr) == 1)
		return sendto(fd, argv[2], strlen(argv[2]), 0,
			      (struct sockaddr *)&to, sizeof(to)) < 0;
	if (argc > 1 || bind(fd, (struct sockaddr *)&to, sizeof(to)))
		return 1;
	return recv(fd, text, sizeof(text) - 1, 0) < 0 || puts(text) < 0;
}
