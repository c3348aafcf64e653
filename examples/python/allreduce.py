#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""All-reduce on a ring, as ../allreduce.c: ranks of both may be in one ring.

    allreduce.py RANK ELEMENTS ADDRESS...
"""

import array
import sys
import time

import uet

PIECE = 8192
MASK = (1 << 64) - 1


class Ring:
    def __init__(self, rank, addresses):
        self.rank, self.ranks = rank, len(addresses)
        # Ordered, so that the steps need no number
        self.sock = uet.Socket(local=addresses[rank], ordered=True,
                               peer=addresses[(rank + 1) % self.ranks],
                               notify=True)

    def greet(self):
        """Whether a message arrives: as long as nobody is there, it is refused."""
        self.sock.send(b"hello")
        self.sock.wait_report()
        return all(r.ok for r in self.sock.reports())

    def meet(self):
        """The ring is closed when each has heard its left neighbour."""
        for _ in range(600):
            if self.greet():
                break
            time.sleep(0.1)
        else:
            sys.exit(f"rank {self.rank}: nobody to the right")
        self.sock.recv_message()

    def send(self, numbers):
        self.sock.send(numbers)
        self.sock.reports()

    def receive(self):
        return array.array("Q", self.sock.recv_message().data)

    def exchange(self, v, to_right, from_left, add):
        """One part goes to the right, one comes, piece by piece."""
        to_right, from_left = to_right % self.ranks, from_left % self.ranks
        out, out_end = (len(v) * (to_right + i) // self.ranks for i in (0, 1))
        at, end = (len(v) * (from_left + i) // self.ranks for i in (0, 1))
        while out < out_end or at < end:
            if out < out_end:
                n = min(PIECE, out_end - out)
                self.send(v[out:out + n])
                out += n
            if at < end:
                got = self.receive()
                for i, number in enumerate(got, at):
                    v[i] = (v[i] + number) & MASK if add else number
                at += len(got)

    def allreduce(self, v):
        for step in range(self.ranks - 1):
            self.exchange(v, self.rank - step, self.rank - step - 1, True)
        for step in range(self.ranks - 1):
            self.exchange(v, self.rank + 1 - step, self.rank - step, False)


def element(rank, i):
    return (rank + 1) * 1000003 + i * i


def main():
    rank, elements, addresses = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    ranks, check = len(addresses), 0
    v = array.array("Q", (element(rank, i) for i in range(elements)))
    ring = Ring(rank, addresses)
    ring.meet()
    ring.allreduce(v)
    for i, number in enumerate(v):
        if number != sum(element(r, i) for r in range(ranks)):
            sys.exit(f"rank {rank}: element {i} is wrong")
        check = (check * 31 + number) & MASK
    print(f"rank {rank} of {ranks}: {elements} sums, check {check:016x}")


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main()
