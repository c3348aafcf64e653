// SPDX-License-Identifier: GPL-2.0
/* hello ADDR TEXT sends a message to PIDonFEP 100 there; hello waits for one */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/uet.h>

int main(int argc, char **argv)
{
	struct sockaddr_uet to = { .suet_family = AF_UET, .suet_pid = 100 };
	int fd = socket(AF_UET, SOCK_RDM, 0);
	char text[1000], v6[64];
	ssize_t n;

	if (argc == 3) {
		snprintf(v6, sizeof(v6), "%s%s",
			 strchr(argv[1], ':') ? "" : "::ffff:", argv[1]);
		inet_pton(AF_INET6, v6, &to.suet_addr);
		return sendto(fd, argv[2], strlen(argv[2]), 0,
			      (struct sockaddr *)&to, sizeof(to)) < 0;
	}
	if (bind(fd, (struct sockaddr *)&to, sizeof(to)))
		return 1;
	n = recv(fd, text, sizeof(text), 0);
	return n < 0 || printf("%.*s\n", (int)n, text) < 0;
}
