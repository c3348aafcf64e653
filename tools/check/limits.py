# SPDX-License-Identifier: GPL-2.0
"""What a slow machine is spared, so that a check ends while somebody waits.

User Mode Linux makes a process of the host for each of its own, and maps their
pages one by one.  Virtual machines without nested page tables take ten times
as long for that as others do, which makes six times the time of all tests.
There, tests with the flag "spare" are left out and the others may take longer.
Whatever the speed, UET_MINUTES ends the beginning of tests.  What is left out is
told, nothing goes silently.
"""

import functools
import os
import statistics
import time

# Most machines take a third of that to make a process, in seconds
SLOW_PROCESS = 1.2e-3
# On such machines the time limits, which are for tests that hang, are longer by this
PATIENCE = 4
ROUNDS, PROCESSES = 7, 20
# The part of UET_MINUTES that kernels may take in a check that gets to all tests
BUILDING = 0.25
# No kernel is begun after that part of UET_MINUTES: one takes a half of it
NO_KERNELS = 0.4
NO_TIME = "not begun within UET_MINUTES"

START = time.monotonic()


def minutes():
    """UET_MINUTES; None: not set."""
    text = os.environ.get("UET_MINUTES", "")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e6:
        raise SystemExit(f"UET_MINUTES={text}: minutes after which no test is "
                         "begun, more than 0")
    return value


MINUTES = minutes()


@functools.cache
def process_seconds():
    """Of a processor to make a process and to see it end, whatever else runs."""
    times = []
    for _ in range(ROUNDS):
        start, children = time.thread_time(), 0
        for _ in range(PROCESSES):
            pid = os.posix_spawn("/bin/true", ["true"], {})
            used = os.wait4(pid, 0)[2]
            children += used.ru_utime + used.ru_stime
        times.append((time.thread_time() - start + children) / PROCESSES)
    return statistics.median(times)


def slow_machine():
    return process_seconds() > SLOW_PROCESS


def patience():
    """By how much time limits are longer on this machine."""
    return PATIENCE if slow_machine() else 1


def seconds_left():
    """Until no test is begun any more; None: no limit."""
    if MINUTES is None:
        return None
    return max(0.0, START + 60 * MINUTES - time.monotonic())


def time_is_over():
    return seconds_left() == 0


_building = [0.0]


def kernels_took(seconds):
    """To be built, or to be found built."""
    _building[0] += seconds


def kernels_took_long():
    """So long that tests which were not begun are nobody's failure."""
    return MINUTES is not None and _building[0] > 60 * MINUTES * BUILDING


def too_late_for_kernels():
    left = seconds_left()
    return left is not None and left < 60 * MINUTES * (1 - NO_KERNELS)
