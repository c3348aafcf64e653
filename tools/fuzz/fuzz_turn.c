// SPDX-License-Identifier: GPL-2.0
/*
 * Turns by bytes.  Input: quantum, then who does what: comes, sends and has
 * more or leaves, or fails.
 */
#include "fuzz.h"
#include "../../net/uet/tests/turn_line.h"

#define MAX_OPS		500

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	struct turn_line l;
	const char *wrong;
	u32 ops, op, who;

	turn_line_init(&l, 1 + take(&in, 2));
	for (ops = 0; in.left && ops < MAX_OPS; ops++) {
		op = take(&in, 1);
		who = (op >> 3) % TURN_SENDERS;
		switch (op & 7) {
		case 0 ... 4:
			if (l.n)
				turn_line_send(&l, op & 8 ? l.quantum :
					       1 + take(&in, 2) % l.quantum,
					       op & 3);
			break;
		case 7:
			turn_line_replace(&l, who);
			break;
		default:
			turn_line_join(&l, who);
			break;
		}
		wrong = turn_line_wrong(&l);
		if (wrong)
			fprintf(stderr, "%s\n", wrong);
		CHECK(!wrong);
	}
	return 0;
}
