// SPDX-License-Identifier: GPL-2.0
/*
 * What the module's parser says of packets: a line of hexadecimal each comes in, a line
 * goes out with the error (enum uet_parse_err) and the violation (enum uet_violation).
 */
#include <stdio.h>
#include <string.h>

#include "../../net/uet/core/wire/hdr_parse.h"

int main(void)
{
	static char line[8192];
	static u8 data[4096];

	while (fgets(line, sizeof(line), stdin)) {
		unsigned int len = 0, byte;
		struct uet_pkt pkt;
		int err;

		memset(&pkt, 0, sizeof(pkt));
		while (sscanf(line + 2 * len, "%2x", &byte) == 1)
			data[len++] = byte;
		err = uet_pkt_parse(&pkt, data, len, len);
		printf("%d %d\n", -err, err ? 0 : pkt.violation);
	}
	return 0;
}
