#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Requests that follow the description of the netlink family in everything but one
thing, and requests that follow it in nothing.

    netlink_fuzz.py ROUNDS SEED

Each operation, with and without dump, gets each of its attributes missing, twice, cut,
too long, with all kinds of values, in the wrong place, nested wrongly. The kernel must
answer each with an error or the data, and never with more than a megabyte of dump.
"""
import errno
import os
import random
import select
import socket
import struct
import sys

from uet_ynl import family

NLA_NESTED = 0x8000
INTEGERS = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "s32": 4, "s64": 8}
REQUEST, ACK, DUMP = 1, 4, 0x300
ERROR, DONE = 2, 3
NETLINK_GENERIC = 16
EDGES = [0, 1, 2, 5, 127, 128, 129, 255, 256, 4095, 4096, 65535, 65536,
         (1 << 24) - 1, 1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 1,
         1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
WORDS = [b"", b"\0", b"t_reroute\0", b"path_policy\0", b"base_rtt\0", b"hybrid\0",
         b"t_reroute", b"%s%n\0", b"\xff" * 8 + b"\0", b"a" * 31 + b"\0",
         b"a" * 32 + b"\0", b"a" * 5000]


def nla(kind, data):
    length = 4 + len(data)
    return struct.pack("HH", length, kind) + data + bytes(-length % 4)


class Fuzzer:
    """Makes requests and holds what comes back to be sane."""

    def __init__(self, uet, seed):
        self.uet, self.rnd = uet, random.Random(seed)
        self.id = uet.nlproto.family_id
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                                  NETLINK_GENERIC)
        self.sock.setsockopt(270, 11, 1)        # NETLINK_EXT_ACK
        self.seq = 0
        self.answers = {}
        self.requests = [op for op in uet.ops.values()
                         if op.req_value is not None]

    def value(self, attr):
        """Data of one attribute, mostly of the right size"""
        rnd, kind = self.rnd, attr["type"]
        if kind == "nest":
            space = self.uet.attr_sets[attr["nested-attributes"]]
            return self.attributes(space, rnd.randrange(4))
        if kind in INTEGERS:
            size = INTEGERS[kind]
            v = rnd.choice(EDGES) if rnd.random() < 0.7 else rnd.getrandbits(64)
            return (v & (1 << 8 * size) - 1).to_bytes(size, sys.byteorder)
        if kind == "string":
            return rnd.choice(WORDS)
        if kind == "binary":
            return rnd.choice([bytes(16), b"\0" * 10 + b"\xff\xff" + bytes([10, 0, 0, 2]),
                               rnd.randbytes(16)])
        return b""

    def one(self, attr):
        rnd = self.rnd
        data = self.value(attr)
        kind = attr.value | (NLA_NESTED if attr["type"] == "nest" else 0)
        trick = rnd.randrange(12)
        if trick == 0:
            data = data[:rnd.randrange(len(data) + 1)]
        elif trick == 1:
            data += rnd.randbytes(rnd.randrange(1, 64))
        elif trick == 2:
            kind ^= NLA_NESTED
        elif trick == 3:
            kind = rnd.randrange(0x4000)
        raw = nla(kind, data)
        if trick == 4:
            raw = struct.pack("H", rnd.choice([0, 1, 3, 4, 0xffff,
                                               len(raw) + 1])) + raw[2:]
        return raw * 2 if trick == 5 else raw

    def attributes(self, space, n):
        attrs = [attr for _, attr in space.items()]
        return b"".join(self.one(self.rnd.choice(attrs)) for _ in range(n))

    def request(self):
        rnd = self.rnd
        op = rnd.choice(self.requests)
        cmd = op.req_value if rnd.random() < 0.98 else rnd.randrange(256)
        flags = REQUEST | ACK
        if rnd.random() < 0.4:
            flags |= DUMP
        if rnd.random() < 0.02:
            flags |= rnd.getrandbits(16) & ~(REQUEST | ACK)
        body = self.attributes(op.attr_set, rnd.randrange(5))
        if rnd.random() < 0.03:
            body = rnd.randbytes(rnd.randrange(200))
        self.seq += 1
        head = struct.pack("BBH", cmd, rnd.choice([1, 1, 1, 0, 2, 255]), 0)
        length = 16 + len(head) + len(body)
        return op.name, flags, struct.pack("IHHII", length, self.id, flags, self.seq,
                                           0) + head + body

    def answer(self, flags):
        """What the answer ends with: an errno or 0"""
        total = 0
        while True:
            if not select.select([self.sock], [], [], 60)[0]:
                raise AssertionError("no answer")
            data = self.sock.recv(1 << 20)
            total += len(data)
            assert total < 1 << 20, "endless"
            while data:
                length, kind, _, seq, _ = struct.unpack_from("IHHII", data)
                assert 16 <= length <= len(data), "cut answer"
                if seq == self.seq and kind in (ERROR, DONE):
                    return -struct.unpack_from("i", data, 16)[0]
                data = data[length + 3 & ~3:]

    def round(self):
        name, flags, raw = self.request()
        self.sock.send(raw)
        err = self.answer(flags)
        assert err not in (errno.ENOMEM, errno.EIO), (name, err, raw.hex())
        self.answers[err] = self.answers.get(err, 0) + 1


def main():
    rounds, seed = int(sys.argv[1]), int(sys.argv[2])
    if len(sys.argv) > 3:
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
    fuzzer = Fuzzer(family(), seed)
    for _ in range(rounds):
        fuzzer.round()
    told = {errno.errorcode.get(e, e): n for e, n in sorted(fuzzer.answers.items())}
    print(told)
    # Some were good ones, many were not, and who may not write was told so
    assert fuzzer.answers.get(0, 0) > rounds / 100, "nothing was accepted"
    assert fuzzer.answers.get(errno.EINVAL, 0) > rounds / 100
    assert (errno.EPERM in fuzzer.answers) == (len(sys.argv) > 3)


if __name__ == "__main__":
    main()
