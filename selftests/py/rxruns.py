#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Several packets in one buffer (GSO), well-formed and hostile.

    rxruns.py ADDR OWN NETNS SLOW MAC

ADDR is the host, whose namespace is NETNS and whose device has the address MAC; OWN
an address that nobody has and that leads here. Buffers go out by a packet socket with
a header of virtio-net, which says whatever it is told to. Prints a line per case, as
answers.py.
"""
import ctypes
import errno
import random
import socket
import struct
import sys
import time

import uet_packets as p
from raw_peer import Cases, Host, Pdc, same
from uet_inject import ipv4

AF_UET, PID = 25, 200
SOL_PACKET, PACKET_VNET_HDR = 263, 15
NEEDS_CSUM, GSO_UDP_L4 = 1, 5
SO_PEEK_OFF = 42
# Ethernet, IP and UDP in front of the first packet; its own headers
OUTER, INNER = 14 + 20 + 8, 56
RUN_MAX = 15
LIBC = ctypes.CDLL(None, use_errno=True)
CASES = Cases()
case = CASES.case


def pattern(size, salt=0):
    """Bytes that differ from place to place and from message to message"""
    return random.Random(size + salt).randbytes(size)


def pseudo_sum(ip, length):
    """What UDP's checksum field holds until a device completes it"""
    total = sum(struct.unpack("!4H", ip[12:20])) + socket.IPPROTO_UDP + length
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


class Wire:
    """Sends buffers of several packets"""

    def __init__(self, host, mac):
        self.host = host
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self.sock.bind(("uet0", 0))
        self.sock.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        with open("/sys/class/net/uet0/address", encoding="ascii") as f:
            own = f.read()
        self.ether = bytes.fromhex(mac.replace(":", "") +
                                   own.strip().replace(":", "")) + b"\x08\0"

    def send(self, packets, size=None, linear=None, tos=2):
        """Packets as one buffer; size: that UDP is told, linear: bytes in line"""
        data = b"".join(packets)
        ip = bytearray(ipv4(self.host.own, self.host.addr, data, 50000, tos))
        ip[26:28] = struct.pack("!H", pseudo_sum(ip, 8 + len(data)))
        frame = self.ether + ip
        if linear is None:
            linear = OUTER + INNER
        vnet = struct.pack("=BBHHHH", NEEDS_CSUM, GSO_UDP_L4,
                           min(linear, len(frame)), size or len(packets[0]),
                           14 + 20, 6)
        self.sock.send(vnet + frame)


    def try_to(self, *args, **how):
        """The same, unless the packet socket itself finds it too bad"""
        try:
            self.send(*args, **how)
        except OSError as e:
            if e.errno != errno.EINVAL:
                raise


class Reader:
    """A socket of the host"""

    def __init__(self, host, rcvbuf=None):
        with host.entered():
            self.sock = socket.socket(AF_UET, socket.SOCK_RDM, 0)
        if rcvbuf:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
        self.sock.settimeout(5 * host.slow)
        own = struct.pack("=HHIHHIII16s", AF_UET, 0, 0, PID, 0, 0, 0, 0,
                          bytes(16))
        if LIBC.bind(self.sock.fileno(), own, len(own)):
            raise OSError(ctypes.get_errno(), "bind")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def get(self, want, what="message"):
        """The next message, which has to be this one"""
        try:
            got = self.sock.recv(1 << 20)
        except socket.timeout:
            raise AssertionError(f"{what}: does not come") from None
        if got != want:
            same(f"{what}: length", len(got), len(want))
            bad = next(i for i, b in enumerate(got) if b != want[i])
            raise AssertionError(f"{what}: wrong from byte {bad} on")

    def at_most(self, want):
        """This message once, or nothing"""
        got = self.all()
        assert got in ([], [want]), f"wrong messages: {[len(m) for m in got]}"

    def nothing(self):
        got = self.all()
        assert not got, f"too many messages: {[len(m) for m in got]}"

    def all(self):
        """What can be read now"""
        got, timeout = [], self.sock.gettimeout()
        self.sock.settimeout(0)
        try:
            while True:
                got.append(self.sock.recv(1 << 20))
        except OSError:     # there is no more, or one has broken off
            self.sock.settimeout(timeout)
            return got


class Counted:
    """Counters of the host, and what they rose by"""

    def __init__(self, host, *names):
        self.host, self.names = host, names
        self.before = [host.stat(n) for n in names]

    def rose(self):
        return [self.host.stat(n) - b for n, b in zip(self.names, self.before)]


def udp_received(host):
    """UdpInDatagrams of the host"""
    with open(f"/proc/{host.inside.pid}/net/snmp", encoding="ascii") as f:
        names, values = [line.split() for line in f if line.startswith("Udp:")]
    return int(values[names.index("InDatagrams")])


def message(pdc, first, data, seg, msg_id=None, flags=0):
    """A message as packets of seg bytes from number first on"""
    if msg_id is None:
        pdc.msgs += 1
        msg_id = pdc.msgs
    packets = []
    for n, offset in enumerate(range(0, max(len(data), 1), seg)):
        part = data[offset:offset + seg]
        last = offset + seg >= len(data)
        ses = p.ses_std(flags=p.S_REL | (p.S_SOM | flags if not offset else 0) |
                        (p.S_EOM if last else 0), msg_id=msg_id, pid=PID,
                        length=len(data), offset=offset, part=len(part))
        packets.append(pdc.packet(first + n, p.F_AR if last else 0, part, ses,
                                  clear=0))
    return packets


def opened(host, **kind):
    pdc = Pdc(host, **kind)
    pdc.open(ses=p.ses_std(opcode=0, pid=0, length=0), payload=b"")
    return pdc


def settle(host):
    """All that was sent has been handled; the answers"""
    return host.answers()


@case("a message as one buffer: one step, one answer")
def whole(host):
    data = pattern(9999)
    with Reader(host) as reader:
        pdc = opened(host)
        count = Counted(host, "RxRuns", "RxPkts", "RxReqs", "MsgReceived")
        udp = udp_received(host)
        host.wire.send(message(pdc, 1, data, 1000))
        found = settle(host)
        same("answers", len(found), 1)
        same("CACK, ACK_PSN", (found[0].cack, found[0].psn),
             (pdc.psn(10), pdc.psn(10)))
        # The probe that asks for answers is a packet, too.
        same("counted", count.rose(), [1, 11, 10, 1])
        same("datagrams", udp_received(host) - udp, 11)
        reader.get(data)
        reader.nothing()


@case("received bytes are those of single packets")
def received_bytes(host):
    data, rcvd = pattern(5432), []
    with Reader(host) as reader:
        for together in (False, True):
            pdc = opened(host)
            packets = message(pdc, 1, data, 1000)
            if together:
                host.wire.send(packets)
            else:
                for packet in packets:
                    host.send(packet)
            rcvd.append(settle(host)[-1].rcvd)
            reader.get(data)
    same("rcvd_bytes", rcvd[1], rcvd[0])


@case("header data, a mark, an ordered context")
def variants(host):
    data = pattern(7000)
    with Reader(host) as reader:
        for rod in (False, True):
            pdc = opened(host, rod=rod)
            count = Counted(host, "RxRuns", "RxCe")
            host.wire.send(message(pdc, 1, data, 1000, flags=p.S_HD), tos=3)
            found = settle(host)
            same("runs, marks", count.rose(), [1, 7])
            same("answers, mark", [a.m for a in found], [True])
            reader.get(data, f"ordered {rod}")


@case("buffers in line, in pages, and in pieces of both")
def shapes(host):
    data = pattern(10500)
    with Reader(host) as reader:
        pdc = opened(host)
        n = 1
        for linear in (0, 14, OUTER, OUTER + INNER, OUTER + INNER + 1, 2000,
                       OUTER + 1056 * 2 + 30, 8000, 65535):
            count = Counted(host, "RxReqs")
            packets = message(pdc, n, data, 1000)
            host.wire.send(packets, linear=linear)
            n += len(packets)
            settle(host)
            same("requests", count.rose(), [len(packets)])
            reader.get(data, f"{linear} in line")
            reader.nothing()


@case("parts of a message, each a buffer, in any order")
def parts(host):
    data = pattern(30 * 800 + 99)
    with Reader(host) as reader:
        pdc = opened(host)
        first = 1
        for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1)):
            packets = message(pdc, first, data, 800)
            count = Counted(host, "RxRuns", "RxReqs")
            for part in order:
                host.wire.send(packets[part * 11:part * 11 + 11])
            settle(host)
            same("runs, requests", count.rose(), [3, len(packets)])
            reader.get(data, f"order {order}")
            reader.nothing()
            first += len(packets)


@case("single packets before, between and behind")
def mixed(host):
    data = pattern(20 * 900)
    with Reader(host) as reader:
        pdc = opened(host)
        packets = message(pdc, 1, data, 900)
        count = Counted(host, "RxRuns", "RxReqs")
        host.send(packets[0])
        host.wire.send(packets[1:9])
        host.send(packets[9])
        host.send(packets[10])
        host.wire.send(packets[12:])
        host.send(packets[11])
        settle(host)
        same("runs, requests", count.rose(), [2, 20])
        reader.get(data)
        reader.nothing()


def read_by(sock, total, step, peek):
    got = b""
    while len(got) < total:
        if peek:
            ahead = sock.recv(step, socket.MSG_PEEK)
        part = sock.recv(step)
        if peek:
            same("peeked", ahead, part)
        got += part
    return got


@case("read in small parts, peeked, from an offset")
def readers(host):
    data = pattern(12 * 500 + 123)
    with Reader(host) as reader:
        pdc = opened(host)
        first = 1
        for linear in (None, 65535):
            for step in (1, 7, 499, 500, 501, 556, 1000, 3333, 100000):
                packets = message(pdc, first, data, 500)
                count = Counted(host, "RxRuns")
                host.wire.send(packets, linear=linear)
                first += len(packets)
                settle(host)
                same("runs", count.rose(), [1])
                # Python returns as many bytes as the call says
                ahead = reader.sock.recv(1, socket.MSG_PEEK | socket.MSG_TRUNC)
                same("length", len(ahead), len(data))
                same("first byte", ahead[0], data[0])
                got = read_by(reader.sock, len(data), step, step > 100)
                assert got == data, f"wrong by steps of {step}"
                reader.nothing()
        host.wire.send(message(pdc, first, data, 500))
        settle(host)
        for offset in (0, 1, 499, 500, 501, 3000, len(data) - 1):
            reader.sock.setsockopt(socket.SOL_SOCKET, SO_PEEK_OFF, offset)
            got = reader.sock.recv(1 << 20, socket.MSG_PEEK)
            assert got == data[offset:], f"wrong from {offset} on"
        reader.sock.setsockopt(socket.SOL_SOCKET, SO_PEEK_OFF, -1)
        reader.get(data)


def singles(pdc, first, parts):
    """Messages of one packet each"""
    return [message(pdc, first + i, part, 1 << 16)[0]
            for i, part in enumerate(parts)]


@case("messages of one packet in one buffer")
def together(host):
    with Reader(host) as reader:
        pdc = opened(host)
        first = 1
        for size, last in ((1000, 1000), (1000, 1), (0, 0), (4000, 17),
                           (1, 1)):
            for linear in (None, 0, 1500, 65535):
                parts = [pattern(size, i) for i in range(9)]
                parts.append(pattern(last, 9))
                packets = singles(pdc, first, parts)
                first += len(packets)
                count = Counted(host, "RxRuns", "RxReqs", "RxPkts",
                                "MsgReceived")
                udp = udp_received(host)
                host.wire.send(packets, linear=linear)
                settle(host)
                same("runs, requests, packets, messages", count.rose(),
                     [0, 10, 11, 10])
                same("datagrams", udp_received(host) - udp, 11)
                for i, part in enumerate(parts):
                    reader.get(part, f"{size} bytes, {linear} in line, {i}")
                reader.nothing()


@case("one of them is bad, or was there before")
def one_bad(host):
    parts = [pattern(500, i) for i in range(8)]
    with Reader(host) as reader:
        # Type, version, PSN, PDCID, next header
        for at, mask in ((0, 0xf8), (4, 0x40), (11, 0x01), (1, 0x0f)):
            pdc = opened(host)
            host.wire.send(changed(at, mask)(singles(pdc, 1, parts)))
            settle(host)
            got = reader.all()
            assert parts[4] not in got and len(got) == 7, \
                f"byte {at}: {len(got)} messages"
        pdc = opened(host)
        packets = singles(pdc, 1, parts)
        host.send(packets[2])
        count = Counted(host, "RxReqs", "RxDups")
        host.wire.send(packets)
        host.wire.send(packets)
        settle(host)
        same("requests, duplicates", count.rose(), [7, 9])
        same("messages", len(reader.all()), 8)


@case("one of its packets came before")
def duplicate(host):
    data = pattern(10 * 1000)
    with Reader(host) as reader:
        pdc = opened(host)
        for i, early in enumerate((0, 4, 9)):
            packets = message(pdc, 1 + 10 * i, data, 1000)
            count = Counted(host, "RxRuns", "RxReqs", "RxDups")
            host.send(packets[early])
            host.wire.send(packets)
            settle(host)
            same("runs, requests, duplicates", count.rose(), [0, 10, 1])
            reader.get(data, f"packet {early} first")
        reader.nothing()


@case("all of them came before")
def again(host):
    data = pattern(8 * 1000)
    with Reader(host) as reader:
        pdc = opened(host)
        packets = message(pdc, 1, data, 1000)
        host.wire.send(packets)
        settle(host)
        count = Counted(host, "RxRuns", "RxReqs", "RxDups")
        host.wire.send(packets)
        found = settle(host)
        same("runs, requests, duplicates", count.rose(), [0, 0, 8])
        same("answers", len(found), 8)
        reader.get(data)
        reader.nothing()


@case("beyond the receive window, and across its end")
def window(host):
    data = pattern(10 * 1000)
    with Reader(host) as reader:
        pdc = opened(host)
        mpr = pdc.one(1, p.F_AR, ses=p.ses_std(opcode=0, pid=0, length=0),
                      payload=b"").mpr
        end = 2 + mpr * 128
        count = Counted(host, "RxRuns", "RxReqs")
        found = []
        for first in (end, end + 5000, end - 4):
            host.wire.send(message(pdc, first, data, 1000, msg_id=first & 0x7fff))
            found += settle(host)
        same("runs, requests", count.rose(), [0, 4])
        same("NACKs", sum(a.type == p.NACK for a in found), 26)
        reader.nothing()


def swapped(packets):
    return packets[:3] + [packets[4], packets[3]] + packets[5:]


def changed(at, mask):
    """A bit of the fifth packet's headers changes"""
    def change(packets):
        bad = bytearray(packets[4])
        bad[at] ^= mask
        return packets[:4] + [bytes(bad)] + packets[5:]
    return change


@case("packets that overtook each other")
def overtaken(host):
    data = pattern(10 * 1000)
    with Reader(host) as reader:
        pdc = opened(host)
        count = Counted(host, "RxRuns", "RxReqs")
        host.wire.send(swapped(message(pdc, 1, data, 1000)))
        settle(host)
        same("runs, requests", count.rose(), [0, 10])
        reader.get(data)
        reader.nothing()


@case("a header that does not follow")
def corrupt(host):
    data = pattern(10 * 1000)
    with Reader(host) as reader:
        # What single packets of a message may contradict each other in is delivered.
        # Type, PSN, PDCIDs, opcode, flags, message id, job, PIDonFEP, key, length,
        # offset, length of the message
        for at, mask in ((0, 0x08), (1, 0x10), (4, 0x80), (7, 0x40), (9, 0x01),
                         (11, 0x02), (12, 0x04), (13, 0x01), (15, 0x80),
                         (19, 0x01), (21, 0x01), (40, 0x80), (47, 0x01),
                         (48, 0x80), (51, 0x01), (55, 0x01)):
            pdc = opened(host)
            count = Counted(host, "RxRuns")
            good = message(pdc, 1, data, 1000)
            host.wire.send(changed(at, mask)(good))
            settle(host)
            same(f"runs, byte {at}", count.rose(), [0])
            reader.at_most(data)


@case("packets of unequal sizes, and sizes that are wrong")
def sizes(host):
    data = pattern(10 * 1000)
    with Reader(host) as reader:
        count = Counted(host, "RxRuns")
        for size in (1, 8, 55, 56, 57, 500, 1055, 1057, 1058, 2112, 5000, 9000):
            pdc = opened(host)
            packets = message(pdc, 1, data, 1000)
            if size < 57:
                packets = packets[:2]
            host.wire.try_to(packets, size=size)
            settle(host)
        pdc = opened(host)
        packets = message(pdc, 1, data, 1000)
        packets[3] = packets[3][:-100]
        host.wire.send(packets)
        settle(host)
        same("runs", count.rose(), [0])
        reader.nothing()


@case("a tail of headers only, and of less")
def tails(host):
    data = pattern(5 * 1000)
    with Reader(host) as reader:
        count = Counted(host, "RxRuns")
        for rest in (1, 20, 55, 56):
            pdc = opened(host)
            packets = message(pdc, 1, data, 1000)
            packets[4] = packets[4][:rest]
            host.wire.send(packets)
            settle(host)
        same("runs", count.rose(), [0])
        reader.nothing()


@case("more packets than a run has")
def many(host):
    with Reader(host) as reader:
        pdc = opened(host)
        first = 1
        for n in (RUN_MAX, RUN_MAX + 1, 64):
            data = pattern(n * 100, n)
            count = Counted(host, "RxRuns", "RxReqs")
            host.wire.send(message(pdc, first, data, 100))
            settle(host)
            same("runs, requests", count.rose(), [int(n <= RUN_MAX), n])
            reader.get(data, f"{n} packets")
            first += n
        reader.nothing()


@case("nobody there, or another context")
def strangers(host):
    data = pattern(5 * 1000)
    count = Counted(host, "RxRuns")
    pdc = opened(host)
    host.wire.send(message(pdc, 1, data, 1000))
    found = settle(host)
    assert found and all(a.rsp_op == 1 for a in found), found
    with Reader(host) as reader:
        pdc.remote ^= 0x5555
        host.wire.send(message(pdc, 6, data, 1000))
        settle(host)
        reader.nothing()
    same("runs", count.rose(), [0])


@case("a receive buffer that is small for it")
def small(host):
    data = pattern(8 * 1000)
    with Reader(host, rcvbuf=20000) as reader:
        pdc = opened(host)
        count = Counted(host, "RxRuns", "RxReqs")
        host.wire.send(message(pdc, 1, data, 1000))
        settle(host)
        same("runs, requests", count.rose(), [0, 8])
        reader.get(data)
        reader.nothing()


@case("many buffers with changes at random")
def fuzz(host):
    rnd = random.Random(7)
    data = pattern(9 * 300)
    with Reader(host) as reader:
        pdc = opened(host)
        for _ in range(300):
            packets = message(pdc, 1 + rnd.randrange(100), data, 300,
                              msg_id=rnd.randrange(1000, 1010))
            flat = bytearray(b"".join(packets))
            for _ in range(rnd.randrange(4)):
                flat[rnd.randrange(len(flat))] = rnd.randrange(256)
            size = 356 if rnd.random() < 0.7 else rnd.randrange(20, 1000)
            cut = len(flat) - rnd.randrange(400) * (rnd.random() < 0.3)
            host.wire.try_to([bytes(flat[:cut])], size=size,
                             linear=rnd.randrange(4000))
        settle(host)
        reader.all()
    whole(host)


def main():
    addr, own, netns, slow, mac = sys.argv[1:]
    host = Host(addr, own, netns, int(slow))
    host.inside = host.run("sleep", "1000000")
    host.programs.remove(host.inside)
    host.wire = Wire(host, mac)
    time.sleep(0.1)
    try:
        CASES.run(host)
    finally:
        host.inside.kill()


main()
