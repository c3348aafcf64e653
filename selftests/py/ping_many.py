#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Probes by netlink as "uet ping" never asks for them: thousands at once, sockets that
close or do not read, users beyond their share.

    ping_many.py CASE ADDR
"""
import errno
import os
import random
import socket
import struct
import sys
import time

from uet_ynl import addr, family, refused

NETLINK_GENERIC = 16
PINGS_MAX = 4096
USER_PINGS = 1024
# A user may send this many at once, and one each so many seconds
BURST, PACE_S = 512, 500e-6
# What asking for a process takes of that
ENDPOINT_COST = 20


class Raw:
    """A socket that asks and need not hear"""

    def __init__(self, uet):
        self.uet = uet
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                                  NETLINK_GENERIC)
        self.seq = 0
        self.attrs = {name: a.value for name, a in uet.attr_sets["ping"].items()}

    def send(self, peer, timeout=60000, **fields):
        """Ask, whatever the answer"""
        body = b""
        for name, value in {"timeout": timeout, **fields}.items():
            body += struct.pack("HHI", 8, self.attrs[name], value)
        raw = bytes.fromhex(addr(peer))
        body += struct.pack("HH", 20, self.attrs["remote"]) + raw
        self.seq += 1
        cmd = self.uet.ops["ping"].req_value
        length = 20 + len(body)
        self.sock.send(struct.pack("IHHII", length, self.uet.nlproto.family_id, 5,
                                   self.seq, 0) + struct.pack("BBH", cmd, 1, 0) +
                       body)

    def ask(self, peer, timeout=60000, **fields):
        """Errno of a request, 0 if it was taken"""
        self.send(peer, timeout, **fields)
        while True:
            data = self.sock.recv(65536)
            while data:
                n, kind, _, seq, _ = struct.unpack_from("IHHII", data)
                if kind == 2 and seq == self.seq:
                    return -struct.unpack_from("i", data, 16)[0]
                data = data[n + 3 & ~3:]


def fill(raw, peer, most, **fields):
    """Ask until it is refused; how many were taken, and the errno"""
    for n in range(most):
        err = raw.ask(peer, **fields)
        if err:
            return n, err
    return most, 0


def many(uet, peer):
    """As many as there may be, and they go with their socket"""
    raw = Raw(uet)
    n, err = fill(raw, peer, 2 * PINGS_MAX)
    assert (n, err) == (PINGS_MAX, errno.ENOBUFS), (n, err)
    other = Raw(uet)
    assert other.ask(peer) == errno.ENOBUFS
    raw.sock.close()
    n, err = fill(other, peer, 2 * PINGS_MAX)
    assert (n, err) == (PINGS_MAX, errno.ENOBUFS), (n, err)
    other.sock.close()
    assert Raw(uet).ask(peer, timeout=1) == 0


def within_pace(start, cost):
    """Most that may have been taken since then, however slow this guest is"""
    return (BURST + (time.monotonic() - start) / PACE_S) / cost + 1


def share(uet, peer):
    """A user has a share, in number and per second"""
    os.setresuid(65534, 65534, 65534)
    raw = Raw(uet)
    # Asking for processes is dearer
    start = time.monotonic()
    n, err = fill(raw, peer, USER_PINGS, pid=1)
    assert err == errno.EAGAIN, (n, err)
    assert BURST // ENDPOINT_COST <= n < within_pace(start, ENDPOINT_COST), n
    end = time.monotonic() + 60
    while err == errno.EAGAIN and time.monotonic() < end:
        time.sleep(0.1)
        more, err = fill(raw, peer, 2000)
        n += more
    assert (n, err) == (USER_PINGS, errno.ENOBUFS), (n, err)
    assert n < within_pace(start, 1), n
    raw.sock.close()


def crowd(uet, peer):
    """Users take all they may; he who administers the host can ask nevertheless"""
    raws = []
    for uid in range(65530, 65534):
        os.seteuid(uid)
        raws.append(Raw(uet))
        err, end = errno.EAGAIN, time.monotonic() + 60
        while err == errno.EAGAIN and time.monotonic() < end:
            _, err = fill(raws[-1], peer, 2 * USER_PINGS)
            time.sleep(0.05)
        assert err == errno.ENOBUFS, err
        os.seteuid(0)
    assert Raw(uet).ask(peer, timeout=1) == 0
    for raw in raws:
        raw.sock.close()


def deaf(uet, peer):
    """Sockets that never read, or close meanwhile, with answers on their way"""
    for i in range(30):
        raws = [Raw(uet) for _ in range(8)]
        for raw in raws[::2]:
            raw.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        for _ in range(8):
            for raw in raws:
                raw.send(peer, timeout=random.choice([1, 5, 1000]),
                         **random.choice([{}, {"pid": 100}, {"pid": 99},
                                          {"size": 1000}, {"ttl": 1}]))
        random.shuffle(raws)
        for raw in raws:
            raw.sock.close()


def client(uet, peer):
    """The kernel's own client asks, and gets the result"""
    way = uet.do("ping", {"remote": addr(peer), "size": 100})
    assert way["len"] == 20 + 8 + 56 + 100 and way["ev"] >= 49152, way
    assert way["mtu"] >= way["payload-mtu"] + 84, way
    deadline = time.monotonic() + 20
    uet.async_msg_queue = getattr(uet, "async_msg_queue", [])
    while not uet.async_msg_queue and time.monotonic() < deadline:
        time.sleep(0.1)
        uet.check_ntf()
    queue = list(uet.async_msg_queue)
    assert queue, "no result"
    got = queue[0]["msg"]
    assert queue[0]["name"] == "ping-result", queue
    assert got["result"] == "answered" and got["nack"] == 14 and got["rtt"] > 0, got
    assert got["ev"] == way["ev"] and got["sent"] == 1, got
    for bad, why in (({}, errno.EINVAL),
                     ({"remote": addr(peer), "ri": 1}, errno.EINVAL),
                     ({"remote": addr(peer), "pid": 1, "size": 1}, errno.EINVAL),
                     ({"remote": addr("224.0.0.5")}, errno.EINVAL),
                     ({"remote": addr("fe80::1")}, errno.EINVAL),
                     ({"remote": addr(peer), "timeout": 60001}, errno.ERANGE),
                     ({"remote": addr(peer), "ttl": 256}, errno.ERANGE),
                     ({"remote": addr(peer), "size": 16000}, errno.EMSGSIZE)):
        err, _ = refused(uet.do, "ping", bad)
        assert err == why, (bad, err)


def under_way(uet, peer):
    """Ask for much, say so, and stay"""
    raws = [Raw(uet) for _ in range(4)]
    for raw in raws:
        for i in range(200):
            raw.ask(peer, timeout=60000, **({"pid": i} if i % 4 == 0 else {}))
    print("ready", flush=True)
    time.sleep(3600)


def main():
    case, peer = sys.argv[1:3]
    {"many": many, "share": share, "crowd": crowd, "deaf": deaf,
     "client": client, "under_way": under_way}[case](family(), peer)


if __name__ == "__main__":
    main()
