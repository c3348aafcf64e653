#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What nobody should send to uetperf -s: uetperf_hostile.py SERVER-ADDRESS

Random bytes of random length, control messages with some bytes changed, greetings
of clients that never begin, and requests about tests of others. The layout is that
of tools/perf/wire.c, written down a second time.
"""
import os
import random
import struct
import sys

import uet

MAGIC, VERSION, SIZE = 0x75657470, 1, 128
HELLO, WELCOME, REFUSED, START, BYE = 1, 2, 3, 4, 7
LAYOUT = struct.Struct(">IHHBBBB7I11Q")
MESSAGES = 400


def control(kind, slot=0, key=0, role=1, size=1000, round_=0, seed=0):
    return LAYOUT.pack(MAGIC, VERSION, 0, kind, role, 1, 0, 0, slot, 0, 1, 0, 0, 0,
                       key, size, round_, seed, 0, 0, 0, 0, 0, 0, 0)


def changed(message):
    out = bytearray(message)
    for _ in range(random.randrange(1, 5)):
        out[random.randrange(len(out))] = random.randrange(256)
    return bytes(out)


def message():
    kind = random.randrange(6)
    if kind == 0:
        return os.urandom(random.randrange(SIZE))
    if kind == 1:
        return os.urandom(random.randrange(200, 100000))
    known = control(random.randrange(10), random.randrange(2 ** 32),
                    random.randrange(2 ** 64), random.randrange(5),
                    random.randrange(2 ** 64), random.randrange(3),
                    random.randrange(2 ** 64))
    return known if kind == 2 else changed(known)


def main():
    assert LAYOUT.size == SIZE
    random.seed(5)
    server = sys.argv[1]
    with uet.Socket(peer=server) as sock:
        for _ in range(MESSAGES):
            sock.send(message())
    shy = [uet.Socket(peer=server) for _ in range(20)]
    for number, sock in enumerate(shy):
        sock.send(control(HELLO, seed=number + 1))
    answers = []
    for sock in shy:
        kind = sock.recv_message().data[8]
        answers.append(kind)
    for sock in shy:
        sock.send(control(START, key=random.randrange(2 ** 64)))
        sock.send(control(BYE, slot=3, key=7))
        sock.close()
    print(f"{answers.count(WELCOME)} welcome, {answers.count(REFUSED)} refused")


if __name__ == "__main__":
    main()
