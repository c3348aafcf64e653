#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Sends one UET message that the module did not make: a plain UDP datagram to the
UET port, as any program can.

    forge.py ADDR [--job JOB] [--way plain|gso|large|route|connected|ip]
             [--source ADDR] [--stray]

Directly over IP (ip) it takes a program that may open raw sockets.

Ends with 0 if the kernel took the datagram, with 3 if it refused by EPERM.
"""
import argparse
import random
import socket
import struct
import sys

import form
import uet_packets as p

UDP_SEGMENT = 103
IPV6_RTHDR = 57
IP_FREEBIND = 15
IPV6_FREEBIND = 78
SO_NO_CHECK = 11


def message(job, stray=False):
    """Opens a context and delivers four bytes to PIDonFEP 100 of a job; stray: belongs
    to a context that does not exist"""
    psn = random.randrange(1 << 16, 1 << 31)
    ses = p.ses_std(job=job, pid=100, length=4)
    return p.request(psn, random.randrange(1, 65536),
                     random.randrange(1, 65536) if stray else 0,
                     flags=p.F_AR | (0 if stray else p.F_SYN), ses=ses)


def segment_routing(addr):
    """A routing header with one segment, which any user may ask for"""
    return struct.pack("!BBBBBBH", 0, 2, 4, 0, 0, 0, 0) + \
        socket.inet_pton(socket.AF_INET6, addr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("addr")
    parser.add_argument("--job", type=int, default=0)
    parser.add_argument("--way", default="plain")
    parser.add_argument("--source")
    parser.add_argument("--stray", action="store_true")
    args = parser.parse_args()
    v6 = ":" in args.addr
    family = socket.AF_INET6 if v6 else socket.AF_INET
    data = message(args.job, args.stray)
    if args.way == "ip":
        s = socket.socket(family, socket.SOCK_RAW, form.IP_PROTO)
        data = form.outer({"ip"}, 50000, len(data)) + data
    else:
        s = socket.socket(family, socket.SOCK_DGRAM)
    if args.source:
        s.setsockopt(*((socket.IPPROTO_IPV6, IPV6_FREEBIND) if v6 else
                       (socket.IPPROTO_IP, IP_FREEBIND)), 1)
        s.bind((args.source, 0))
    if args.way == "gso":
        s.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, len(data))
        data += message(args.job)
    elif args.way == "large":
        data += bytes(20000)
    elif args.way == "route":
        s.setsockopt(socket.IPPROTO_IPV6, IPV6_RTHDR,
                     segment_routing(args.addr))
    if args.way not in ("gso", "ip"):
        s.setsockopt(socket.SOL_SOCKET, SO_NO_CHECK, 1)
    try:
        if args.way == "connected":
            s.connect((args.addr, p.UDP_PORT))
            s.send(data)
        else:
            s.sendto(data, (args.addr, 0 if args.way == "ip" else p.UDP_PORT))
    except PermissionError:
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
