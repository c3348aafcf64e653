# SPDX-License-Identifier: GPL-2.0
"""What a slow machine is spared, so that a check ends while somebody waits.

User Mode Linux makes a process of the host for each of its own, and maps their
pages one by one.  Virtual machines without nested page tables take ten times
as long for that as others do, which makes six times the time of all tests.
There, tests with the flag "spare" are left out, and whatever the speed,
UET_MINUTES ends the beginning of tests: both are told, nothing goes silently.
"""

import functools
import os
import statistics
import time

# Most machines take a third of that to make a process, in seconds
SLOW_PROCESS = 1.2e-3
ROUNDS, PROCESSES = 7, 20

START = time.monotonic()


@functools.cache
def process_seconds():
    """What it takes to make a process and to see it end."""
    times = []
    for _ in range(ROUNDS):
        start = time.monotonic()
        for _ in range(PROCESSES):
            pid = os.posix_spawn("/bin/true", ["true"], {})
            os.waitpid(pid, 0)
        times.append((time.monotonic() - start) / PROCESSES)
    return statistics.median(times)


def slow_machine():
    return process_seconds() > SLOW_PROCESS


def seconds_left():
    """Until no test is begun any more; None: no limit."""
    minutes = os.environ.get("UET_MINUTES", "")
    if not minutes:
        return None
    return max(0.0, START + 60 * float(minutes) - time.monotonic())


def time_is_over():
    return seconds_left() == 0
