#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Answers UDP packets to an address that nobody has with "port unreachable".

    icmp_refuse.py ADDR [forged]

With "forged" by somebody who has not seen the packet: it has another PSN.
Says when it is ready.

What a host without UET does, for a namespace where the module holds the port.
"""
import socket
import struct
import sys

ETH_P_ALL = 3
ETH_P_IP = struct.pack("!H", 0x0800)
ETH_HLEN = 14
ICMP_UNREACH, ICMP_PORT = 3, 3


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def refusal(ip, forged):
    """An ICMP message that quotes as much as hosts do (RFC 1812)"""
    quoted = ip[:548]
    if forged:
        quoted = quoted[:32] + bytes([quoted[32] ^ 0x40]) + quoted[33:]
    body = struct.pack("!BBHI", ICMP_UNREACH, ICMP_PORT, 0, 0) + quoted
    body = body[:2] + struct.pack("!H", checksum(body)) + body[4:]
    head = struct.pack("!BBHHHBBH", 0x45, 0xc0, 20 + len(body), 0, 0, 64,
                       socket.IPPROTO_ICMP, 0) + ip[16:20] + ip[12:16]
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + body


def main():
    addr = socket.inet_aton(sys.argv[1])
    # All protocols: such a tap is ahead of filters of ingress
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                        socket.htons(ETH_P_ALL))
    tap.bind(("uet0", ETH_P_ALL))
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    print("ready", flush=True)
    while True:
        frame = tap.recv(65536)
        ip = frame[ETH_HLEN:]
        if frame[12:ETH_HLEN] != ETH_P_IP:
            continue
        if len(ip) >= 28 and ip[9] == socket.IPPROTO_UDP and ip[16:20] == addr:
            raw.sendto(refusal(ip, len(sys.argv) > 2), (socket.inet_ntoa(ip[12:16]), 0))


if __name__ == "__main__":
    main()
