#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Where the kernel spends its time while a command runs, by function.

    profile.py [--period NS] [--top N] COMMAND...

Samples the CPU clock of every CPU through perf events; with a guest that
counts instructions as time (tools/vm/run --icount) the shares are shares of
instructions. Code that runs with interrupts off is charged to the place that
enables them. Prints a table on standard error after the command's output.
"""
import argparse
import bisect
import collections
import ctypes
import fcntl
import mmap
import os
import struct
import subprocess
import sys

SYS_PERF_EVENT_OPEN = 298       # x86-64
TYPE_SOFTWARE, CPU_CLOCK = 1, 0
SAMPLE_IP = 1
RECORD_SAMPLE = 9
RING_PAGES = 1024
PAGE = mmap.PAGESIZE
DATA_HEAD = 1024                # offset in struct perf_event_mmap_page
KERNEL_SPACE = 1 << 63
IOC_DISABLE = 0x2401


def open_event(cpu, period):
    # type, size, config, period, sample_type, read_format, flags
    attr = struct.pack("IIQQQQQ", TYPE_SOFTWARE, 112, CPU_CLOCK, period,
                       SAMPLE_IP, 0, 0).ljust(112, b"\0")
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(SYS_PERF_EVENT_OPEN, attr, -1, cpu, -1, 0)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "perf_event_open")
    return fd


def samples(ring):
    """Instruction pointers in a ring that did not wrap"""
    head = struct.unpack_from("Q", ring, DATA_HEAD)[0]
    head = min(head, RING_PAGES * PAGE)
    at = 0
    while at + 8 <= head:
        kind, _, size = struct.unpack_from("IHH", ring, PAGE + at)
        if not size:
            break
        if kind == RECORD_SAMPLE:
            yield struct.unpack_from("Q", ring, PAGE + at + 8)[0]
        at += size


def kernel_symbols():
    table = []
    with open("/proc/kallsyms", encoding="ascii") as f:
        for line in f:
            addr, kind, name = line.split()[:3]
            if kind in "tTwW":
                table.append((int(addr, 16), name))
    table.sort()
    return [a for a, _ in table], [n for _, n in table]


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--period", type=int, default=20000)
    ap.add_argument("--top", type=int, default=60)
    ap.add_argument("command", nargs=argparse.REMAINDER)
    args = ap.parse_args()
    rings, events = [], []
    for cpu in range(os.cpu_count()):
        fd = open_event(cpu, args.period)
        events.append(fd)
        rings.append(mmap.mmap(fd, (1 + RING_PAGES) * PAGE))
    status = subprocess.run(args.command, check=False).returncode
    for fd in events:
        fcntl.ioctl(fd, IOC_DISABLE, 0)
    addrs, names = kernel_symbols()
    counts = collections.Counter()
    for ring in rings:
        for ip in samples(ring):
            if ip < KERNEL_SPACE:
                counts["(user space)"] += 1
            else:
                counts[names[bisect.bisect_right(addrs, ip) - 1]] += 1
    total = sum(counts.values()) or 1
    print(f"{total} samples", file=sys.stderr)
    for name, n in counts.most_common(args.top):
        print(f"{n / total:7.2%} {name}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
