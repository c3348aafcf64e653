#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A program that rules hand packets to (NFQUEUE): it accepts all of them.

    nfqueue.py QUEUE FILE [whole]

Writes to FILE how many it has seen, once it listens and after each of them. whole:
buffers of several packets are not cut for it.
"""
import errno
import socket
import struct
import sys

NETLINK_NETFILTER, SUBSYS_QUEUE = 12, 3
MSG_PACKET, MSG_VERDICT, MSG_CONFIG = 0, 1, 2
CFG_CMD, CFG_PARAMS, CFG_QUEUE_MAXLEN, CFG_MASK, CFG_FLAGS = 1, 2, 3, 4, 5
CMD_BIND, COPY_META, F_GSO = 1, 1, 1 << 2
PACKET_HDR, VERDICT_HDR, NF_ACCEPT = 1, 2, 1
SOL_NETLINK, NETLINK_NO_ENOBUFS = 270, 5
F_REQUEST, F_ACK, ERROR = 1, 4, 2


def attr(kind, data):
    return struct.pack("=HH", 4 + len(data), kind) + data + \
        bytes(-len(data) % 4)


def attrs(data):
    while len(data) >= 4:
        size, kind = struct.unpack_from("=HH", data)
        yield kind & 0x3fff, data[4:size]
        data = data[size + 3 & ~3:]


class Queue:
    def __init__(self, number, whole):
        self.number = number
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                                  NETLINK_NETFILTER)
        self.sock.bind((0, 0))
        self.sock.setsockopt(SOL_NETLINK, NETLINK_NO_ENOBUFS, 1)
        self.config(attr(CFG_CMD, struct.pack("!BxH", CMD_BIND, 0)))
        flags = struct.pack("!I", F_GSO if whole else 0)
        self.config(attr(CFG_PARAMS, struct.pack("!IB", 0, COPY_META)) +
                    attr(CFG_QUEUE_MAXLEN, struct.pack("!I", 65536)) +
                    attr(CFG_FLAGS, flags) +
                    attr(CFG_MASK, struct.pack("!I", F_GSO)))

    def send(self, kind, body, flags=0):
        body = struct.pack("!BBH", 0, 0, self.number) + body
        self.sock.send(struct.pack("=IHHII", 16 + len(body),
                                   SUBSYS_QUEUE << 8 | kind, F_REQUEST | flags,
                                   0, 0) + body)

    def config(self, body):
        self.send(MSG_CONFIG, body, F_ACK)
        answer = self.sock.recv(65536)
        kind, = struct.unpack_from("=H", answer, 4)
        code, = struct.unpack_from("=i", answer, 16)
        if kind != ERROR or code:
            sys.exit(f"queue {self.number}: error {errno.errorcode.get(-code)}")

    def packets(self):
        """Their numbers, as they come"""
        while True:
            data = self.sock.recv(1 << 20)
            while len(data) >= 16:
                size, kind = struct.unpack_from("=IH", data)
                if kind == SUBSYS_QUEUE << 8 | MSG_PACKET:
                    for a, value in attrs(data[20:size]):
                        if a == PACKET_HDR:
                            yield struct.unpack_from("!I", value)[0]
                data = data[size + 3 & ~3:]

    def accept(self, packet):
        self.send(MSG_VERDICT,
                  attr(VERDICT_HDR, struct.pack("!II", NF_ACCEPT, packet)))


def main():
    queue = Queue(int(sys.argv[1]), sys.argv[3:] == ["whole"])
    with open(sys.argv[2], "w", encoding="ascii") as out:
        for n in range(1 << 62):
            out.seek(0)
            out.write(f"{n}\n")
            out.flush()
            if not n:
                packets = queue.packets()
            queue.accept(next(packets))


main()
