#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Answers long UDP packets to an address with "too big", MTU 1280.

    icmp_too_big.py ADDR [psn|pdcid]

With the name of a field by somebody who guesses: he quotes another one.
Says when it is ready, and after each answer how many there were.
"""
import os
import socket
import struct
import sys

# Until the message itself begins
ETH_HLEN = 14
MTU = 1280
# In struct uet_pds_req_wire
FIELDS = {"psn": 4, "pdcid": 8}


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def too_big4(ip):
    body = struct.pack("!BBHHH", 3, 4, 0, 0, MTU) + ip[:548]
    body = body[:2] + struct.pack("!H", checksum(body)) + body[4:]
    head = struct.pack("!BBHHHBBH", 0x45, 0xc0, 20 + len(body), 0, 0, 64,
                       socket.IPPROTO_ICMP, 0) + ip[16:20] + ip[12:16]
    return head + body


def too_big6(ip):
    """The kernel puts the header before it and the checksum in."""
    return struct.pack("!BBHI", 2, 0, 0, MTU) + ip[:1200]


def main():
    addr, field = sys.argv[1], (sys.argv[2:] or [None])[0]
    v6 = ":" in addr
    udp = 40 if v6 else 20
    want = socket.inet_pton(socket.AF_INET6 if v6 else socket.AF_INET, addr)
    proto = 0x86dd if v6 else 0x0800
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(proto))
    tap.bind((os.environ.get("UET_DEV", "uet0"), proto))
    if v6:
        raw = socket.socket(socket.AF_INET6, socket.SOCK_RAW,
                            socket.IPPROTO_ICMPV6)
    else:
        raw = socket.socket(socket.AF_INET, socket.SOCK_RAW,
                            socket.IPPROTO_RAW)
    print("ready", flush=True)
    answers = 0
    while True:
        ip = tap.recv(65536)[ETH_HLEN:]
        if len(ip) <= MTU or ip[6 if v6 else 9] != socket.IPPROTO_UDP or \
           (ip[24:40] if v6 else ip[16:20]) != want:
            continue
        if field:
            at = udp + 8 + FIELDS[field]
            ip = ip[:at] + bytes([ip[at] ^ 0x40]) + ip[at + 1:]
        if v6:
            to = socket.inet_ntop(socket.AF_INET6, ip[8:24])
            raw.sendto(too_big6(ip), (to, 0))
        else:
            raw.sendto(too_big4(ip), (socket.inet_ntoa(ip[12:16]), 0))
        answers += 1
        print(answers, flush=True)


if __name__ == "__main__":
    main()
