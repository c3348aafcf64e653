// SPDX-License-Identifier: GPL-2.0
/*
 * mark begin|end|next: tells the plug-in of the emulator, so that a shell can have
 * any command counted.
 */
#include <stdio.h>
#include <string.h>

#include "mark.h"

int main(int argc, char **argv)
{
	static const char * const names[] = {
		[MARK_BEGIN] = "begin", [MARK_END] = "end", [MARK_NEXT] = "next",
	};

	for (int m = 0; argc == 2 && m < MARKS; m++)
		if (!strcmp(argv[1], names[m])) {
			mark(m);
			return 0;
		}
	fprintf(stderr, "usage: mark begin|end|next\n");
	return 2;
}
