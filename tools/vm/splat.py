#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Finds reports of kernel bugs in a console log."""

import re
import sys

PATTERNS = [
    r"\bBUG:", r"\bWARNING:", r"kernel BUG at", r"\bOops\b",
    r"Kernel panic", r"general protection fault", r"invalid opcode",
    r"divide error", r"Unable to handle kernel", r"stack-protector",
    r"KASAN:", r"KCSAN:", r"KFENCE:", r"UBSAN:", r"ODEBUG:", r"refcount_t:",
    r"possible circular locking", r"possible recursive locking",
    r"possible irq lock inversion", r"inconsistent lock state",
    r"bad unlock balance", r"held lock freed", r"suspicious RCU usage",
    r"INFO: task .* blocked", r"soft lockup", r"hard LOCKUP",
    r"workqueue lockup", r"rcu.*detected .*stall", r"rcu.*self-detected stall",
    r"unregister_netdevice: waiting", r"ref_tracker:",
    r"scheduling while atomic", r"sleeping function called",
    r"list_(add|del) corruption", r"Bad page state", r"Bad rss-counter",
    r"Objects remaining in", r"Attempt to release", r"buffer overflow detected",
    r"is buggy", r"uet-vm: unreferenced object",
    # What follows is a segmentation fault that no program has made
    r"UML ran out of memory on the host side",
]

# Boot-time remarks of stock kernels that are no reports; and what the tracker
# says when an allocation of its own was made to fail.
HARMLESS = re.compile(r"Spectre V2 *: WARNING|unchecked MSR access|"
                      r"ref_tracker: memory allocation failure")

_splat = re.compile("|".join(PATTERNS))


def find(lines):
    """Numbers of the lines that report a bug."""
    return [n for n, line in enumerate(lines)
            if _splat.search(line) and not HARMLESS.search(line)]


def excerpt(lines, first, count=40):
    """The report that starts at line number first, for people to read."""
    return "\n".join(lines[first:first + count])


if __name__ == "__main__":
    with open(sys.argv[1], errors="replace") as console:
        for number in find(console.read().splitlines()):
            print(number)
