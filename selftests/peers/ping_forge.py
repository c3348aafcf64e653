#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Answers probes of "uet ping" in place of a host that is silent, rightly or not.

    ping_forge.py WHAT

WHAT is "right", or what is wrong with the answers: "psn", "id", "source", "code" (the
answer of a context), "flood" (many random ones per probe). Says when it is ready.
"""
import random
import socket
import struct
import sys

import uet_packets as p

ETH_P_IP = 0x0800
ETH_HLEN = 14
NACK_INV_DPDCID = 14


def datagram(source, dest, sport, data):
    udp = struct.pack("!HHHH", sport, p.UDP_PORT, 8 + len(data), 0) + data
    return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0x4000, 64,
                       socket.IPPROTO_UDP, 0, source, dest) + udp


def answers(what, psn, spdcid):
    """NACKs, or what looks like answers"""
    if what == "psn":
        return [p.nack(NACK_INV_DPDCID, psn ^ 1 << bit, 0, spdcid)
                for bit in range(32)]
    if what == "id":
        return [p.nack(NACK_INV_DPDCID, psn, 0, spdcid ^ 1 << bit)
                for bit in range(16)]
    if what == "code":
        return [p.ack_cc(psn, 77, spdcid, ses=p.response()),
                p.ack(psn, 77, spdcid), p.control(p.CP_PROBE, psn, 77, spdcid),
                p.request(psn, 77, spdcid)]
    if what == "flood":
        return [p.nack(random.randrange(256), random.getrandbits(32), 0,
                       random.getrandbits(16)) for _ in range(200)]
    return [p.nack(NACK_INV_DPDCID, psn, 0, spdcid)]


def main():
    what = sys.argv[1]
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                        socket.htons(ETH_P_IP))
    tap.bind(("uet0", ETH_P_IP))
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    print("ready", flush=True)
    while True:
        data, where = tap.recvfrom(65536)
        ip = data[ETH_HLEN:]
        if where[2] == socket.PACKET_OUTGOING or len(ip) < 40 or \
                ip[9] != socket.IPPROTO_UDP:
            continue
        sport, dport = struct.unpack("!HH", ip[20:24])
        word, _, psn, spdcid, dpdcid = struct.unpack("!HhIHH", ip[28:40])
        if dport != p.UDP_PORT or word >> 11 != p.RUD_REQ:
            continue
        own, peer = ip[16:20], ip[12:16]
        if what == "source":
            own = bytes([10, 0, 0, 9])
        for a in answers(what, psn, spdcid):
            raw.sendto(datagram(own, peer, sport, a), (socket.inet_ntoa(peer), 0))


if __name__ == "__main__":
    main()
