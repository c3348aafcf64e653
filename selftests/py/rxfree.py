#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Where a host frees what was received and is not to be read.

    rxfree.py ADDR OWN NETNS PID SLOW

ADDR is the host, whose namespace is NETNS; OWN an address that nobody has and
that leads here. Endpoint PID reads all it gets. Prints a line per case, as
answers.py.

Many messages of a few packets each are as much as few of many: a peer decides how
many packets go at once, and few of them may go in softirq.
"""
import re
import sys
import time

import uet_packets as p
from raw_peer import Cases, Host, Pdc

# ip netns exec has a /sys of its own, without it
TRACE = "/proc/1/root/sys/kernel/tracing/"
MSGS, PACKETS, SIZE = 24, 20, 16
PID = 0                 # of the command line
CASES = Cases()
case = CASES.case
FREED = re.compile(r"\[\d+\] +(\S+) +[\d.]+: kfree_skb: ")


class Freed:
    """Packets that are freed meanwhile: in softirq, and in all"""

    @staticmethod
    def write(name, value):
        with open(TRACE + name, "w", encoding="ascii") as f:
            f.write(value)

    def __enter__(self):
        self.write("trace", "")
        self.write("events/skb/kfree_skb/enable", "1")
        return self

    def __exit__(self, *_):
        self.write("events/skb/kfree_skb/enable", "0")

    def count(self):
        with open(TRACE + "trace", encoding="ascii") as f:
            flags = [m[1] for line in f if (m := FREED.search(line))]
        return sum(f[2] == "s" for f in flags), len(flags)

    def judge(self, packets, slow):
        end = time.monotonic() + 10 * slow
        while self.count()[1] < packets:
            assert time.monotonic() < end, "the packets were not freed"
            time.sleep(0.1)
        softirq, total = self.count()
        assert softirq < packets / 2, \
            f"{softirq} of {total} packets were freed in softirq"


def pieces(host, pdc, first, end):
    """Messages without their beginning; the number of the next packet"""
    n = first
    for msg in range(MSGS):
        for i in range(PACKETS):
            # None goes on where another one ends, or they become one
            last = p.S_EOM if end and i == PACKETS - 1 else 0
            host.send(pdc.packet(n, payload=bytes(SIZE), ses=p.ses_std(
                pid=PID, flags=p.S_REL | last, msg_id=1000 + msg,
                length=2 * SIZE * PACKETS + SIZE * (1 - bool(end)),
                offset=SIZE * (2 * i + 1), part=SIZE)))
            n += 1
    return n


@case("a context closes with many messages that were begun")
def closes(host):
    pdc = Pdc(host)
    pdc.open()
    n = pieces(host, pdc, 1, False)
    with Freed() as freed:
        host.ask(pdc.cp(p.CP_CLOSE_CMD, n))
        freed.judge(MSGS * PACKETS, host.slow)


@case("CACK passes many messages of which something is missing")
def passed(host):
    pdc = Pdc(host)
    pdc.open()
    pieces(host, pdc, 2, True)
    with Freed() as freed:
        host.ask(pdc.packet(1, ses=pdc.ses(pid=PID)))
        freed.judge(MSGS * PACKETS, host.slow)


def main():
    global PID
    addr, own, netns = sys.argv[1:4]
    PID, slow = map(int, sys.argv[4:6])
    CASES.run(Host(addr, own, netns, slow))


if __name__ == "__main__":
    main()
