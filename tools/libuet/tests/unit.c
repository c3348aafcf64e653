// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of libuet: all that needs no socket. Built with the address and
 * undefined-behaviour sanitizers.
 *
 *   unit [ROUNDS]
 */
#include <stdlib.h>

#include "unit.h"

int ktap_number, ktap_failed;

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 100000;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n");
	srandom(1);
	test_addresses(rounds);
	test_services(rounds);
	test_messages();
	return ktap_end();
}
