#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A program that takes what it can get: contexts.

    users.py sink ADDRESS COUNT         endpoints from PIDonFEP 1000 on that never read
    users.py pairs ADDRESS COUNT [DSCP]
                                        a message from each of COUNT ordered sockets to each
                                        of COUNT sinks, and a second one behind it
    users.py addresses FIRST COUNT      a message to each of COUNT IPv4 addresses

Each prints a line when it is done: what it got, and what was refused why; then it keeps
all until standard input ends.
"""
import ctypes
import errno
import ipaddress
import os
import resource
import socket
import struct
import sys
import time

AF_UET = int(os.environ.get("UET_FAMILY", 25))
SOL_UET, UET_DELIVERY, UET_ROD = 300, 1, 2
UET_TRAFFIC_CLASS = 5
# family, flags, job, PIDonFEP, RI, initiator, scope, reserved, address
ADDR = struct.Struct("=HHIHHIII16s")
FIRST = 1000
# More messages than a send buffer holds, as nobody answers
SENDERS = 32

libc = ctypes.CDLL(None, use_errno=True)


def name(address, pid):
    at = ipaddress.ip_address(address)
    raw = b"\0" * 10 + b"\xff\xff" + at.packed if at.version == 4 else at.packed
    return ADDR.pack(AF_UET, 0, 0, pid, 0, 0, 0, 0, raw)


class Sock:
    def __init__(self, ordered=False):
        self.sock = socket.socket(AF_UET, socket.SOCK_RDM)
        if ordered:
            self.sock.setsockopt(SOL_UET, UET_DELIVERY, UET_ROD)

    def bind(self, address, pid):
        addr = name(address, pid)
        if libc.bind(self.sock.fileno(), addr, len(addr)):
            raise OSError(ctypes.get_errno(), "bind")

    def send(self, size, address, pid):
        """0 or an errno"""
        addr = name(address, pid)
        n = libc.sendto(self.sock.fileno(), bytes(size), size, socket.MSG_DONTWAIT,
                        addr, len(addr))
        return ctypes.get_errno() if n < 0 else 0


def many_files():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def told(got, refused):
    print(got, *(f"{errno.errorcode[e]} {n}" for e, n in sorted(refused.items())),
          flush=True)


def sink(address, count):
    socks = [Sock() for _ in range(count)]
    for i, s in enumerate(socks):
        s.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.bind(address, FIRST + i)
    told(len(socks), {})
    return socks


def pairs(address, count, dscp=-1):
    socks, got, refused = [Sock(True) for _ in range(count)], 0, {}
    for s in socks:
        s.sock.setsockopt(SOL_UET, UET_TRAFFIC_CLASS, dscp)
    for _ in range(2):
        for pid in range(FIRST, FIRST + count):
            for s in socks:
                err = s.send(3000, address, pid)
                got += not err
                if err:
                    refused[err] = refused.get(err, 0) + 1
            # Refusals come back before the next endpoint has its turn
            time.sleep(0.05)
    told(got, refused)
    return socks


def addresses(first, count):
    socks, got, refused = [Sock() for _ in range(SENDERS)], 0, {}
    first = int(ipaddress.IPv4Address(first))
    for i in range(count):
        err = socks[i % SENDERS].send(1, str(ipaddress.IPv4Address(first + i)), FIRST)
        got += not err
        if err:
            refused[err] = refused.get(err, 0) + 1
        if refused.get(errno.ENOBUFS, 0) > 20:
            break
    told(got, refused)
    return socks


if __name__ == "__main__":
    many_files()
    held = globals()[sys.argv[1]](sys.argv[2], *map(int, sys.argv[3:]))
    sys.stdin.read()
