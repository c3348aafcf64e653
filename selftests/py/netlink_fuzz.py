#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Requests that follow the description of the netlink family in everything but one
thing, and requests that follow it in nothing.

    netlink_fuzz.py each [nobody]
    netlink_fuzz.py ROUNDS SEED [nobody]

The first form takes each attribute of each operation in turn: cut, too long, out of
its range, wrongly nested, unknown there, and it must be refused; missing and doubled,
and it must be answered. The second form draws lots.

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
WORDS = [b"", b"\0", b"t_reroute\0", b"path_policy\0", b"base_rtt_us\0", b"hybrid\0",
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


# What requests need to be valid, by operation
TEN = b"\0" * 10 + b"\xff\xff" + bytes([10, 9, 0, 0])
VALUES = {"name": b"t_reroute\0", "unset": b"fi\0", "prefix": TEN, "number":
          struct.pack("q", 7), "limit": struct.pack("I", 9), "plen": b"\x80"}


class Each(Fuzzer):
    """Each attribute of each operation, wrong in each way"""

    def good(self, attr):
        """A valid attribute"""
        kind, name = attr["type"], attr.name
        if kind == "nest":
            space = self.uet.attr_sets[attr["nested-attributes"]]
            inside = b""
            if attr["nested-attributes"] == "setting":
                inside = self.good(space["number"]) + \
                    nla(space["name"].value, b"fi\0")
            return nla(attr.value | NLA_NESTED, inside)
        data = VALUES.get(name)
        if data is None:
            data = bytes(INTEGERS.get(kind, 16 if kind == "binary" else 0))
            data = data or (b"\0" if kind == "string" else b"")
        return nla(attr.value, data)

    def wrong(self, attr):
        """(how, attribute) for each way to be wrong"""
        kind, checks = attr["type"], attr.yaml.get("checks", {})
        good = self.good(attr)
        size = struct.unpack_from("H", good)[0] - 4
        data = good[4:4 + size]
        value = attr.value | (NLA_NESTED if kind == "nest" else 0)
        if kind in INTEGERS or kind == "binary":
            yield "cut", nla(value, data[:-1])
            yield "empty", nla(value, b"")
            yield "too long", nla(value, data + b"\0")
        if kind in INTEGERS:
            if isinstance(checks.get("max"), int):
                yield "too large", nla(value, (checks["max"] + 1).to_bytes(
                    INTEGERS[kind], sys.byteorder))
            if "min" in checks:
                yield "too small", nla(value, (checks["min"] - 1).to_bytes(
                    INTEGERS[kind], sys.byteorder))
        if kind == "string":
            yield "too long", nla(value, b"a" * 32 + b"\0")
            if not attr.get("multi-attr"):
                yield "without an end", nla(value, b"abc")
        if kind == "flag":
            yield "with a value", nla(value, b"\0")
        if kind == "nest":
            yield "not a nest", nla(attr.value, data)
            yield "a nest of rubbish", nla(value, b"\xff" * 7)
            yield "a nest of unknown", nla(value, nla(200, b""))
        else:
            yield "a nest", nla(value | NLA_NESTED, data)
        yield "longer than the message", struct.pack("HH", size + 400, value) + data

    def ask(self, op, dump, body):
        flags = REQUEST | ACK | (DUMP if dump else 0)
        head = struct.pack("BBH", op.req_value, 1, 0)
        self.seq += 1
        self.sock.send(struct.pack("IHHII", 16 + len(head) + len(body), self.id,
                                   flags, self.seq, 0) + head + body)
        err = self.answer(flags)
        self.answers[err] = self.answers.get(err, 0) + 1
        return err

    def refuse(self, op, dump, body, how):
        err = self.ask(op, dump, body)
        assert err, f"{op.name}, {'dump' if dump else 'do'}: {how} was accepted"

    def inside(self, op, dump, attr, rest):
        """The attributes of a nest"""
        space = self.uet.attr_sets[attr["nested-attributes"]]
        for one in [a for _, a in space.items() if a["type"] != "pad"]:
            def wrap(raw):
                return nla(attr.value | NLA_NESTED, raw) + rest
            for how, raw in self.wrong(one):
                self.refuse(op, dump, wrap(raw), f"{attr.name}.{one.name} {how}")
            self.ask(op, dump, wrap(self.good(one)))
            self.ask(op, dump, wrap(self.good(one) * 2))

    def operation(self, op, dump):
        asked = op.yaml["do"]["request"]["attributes"]
        attrs = [a for _, a in op.attr_set.items() if a["type"] != "pad"]
        for attr in attrs:
            rest = b"".join(self.good(op.attr_set[n]) for n in asked
                            if n != attr.name)
            if attr.name not in asked:
                self.refuse(op, dump, rest + self.good(attr),
                            f"{attr.name}, which it has not,")
                continue
            for how, raw in self.wrong(attr):
                self.refuse(op, dump, raw + rest, f"{attr.name} {how}")
            self.ask(op, dump, rest)
            self.ask(op, dump, self.good(attr) + rest)
            self.ask(op, dump, self.good(attr) * 2 + rest)
            if attr["type"] == "nest":
                self.inside(op, dump, attr, rest)
        self.refuse(op, dump, nla(300, b""), "an unknown attribute")

    def all(self):
        for op in self.requests:
            self.operation(op, False)
            if "dump" in op.yaml:
                self.operation(op, True)
            else:
                assert self.ask(op, True, b"") in (errno.EOPNOTSUPP, errno.EPERM)


def each():
    if len(sys.argv) > 2:
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
    fuzzer = Each(family(), 0)
    fuzzer.all()
    told = {errno.errorcode.get(e, e): n for e, n in sorted(fuzzer.answers.items())}
    print(told)
    assert fuzzer.answers[0] > 20, "nothing was accepted"
    assert (errno.EPERM in fuzzer.answers) == (len(sys.argv) > 2)


def main():
    if sys.argv[1] == "each":
        each()
        return
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
