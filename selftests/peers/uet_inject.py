#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Sends what no well-behaved peer sends to a host, in one of several ways.

    uet_inject.py ATTACK TARGET [--source ADDR] [--count N] [--seed N]
                  [--device DEV]

Attacks that need to know a live PDC (live, marks, replay) listen on the device
for packets that this host exchanges with the target. But for marks, which runs
on the peer's own host, nothing is sent that could pass for a valid packet of
that PDC: forging those is outside of what a transport without encryption can
notice.
"""
import argparse
import ctypes
import errno
import mmap
import os
import random
import socket
import struct
import sys
import time

import uet_packets as p

ETH_P_ALL = 3
SO_TIMESTAMPNS = 35
IP_TRANSPARENT = 19
SO_ATTACH_FILTER = 26
UDP_SEGMENT = 103
ETH_HLEN = 14
# Forged ACKs for each of the peer's: values that it sent with, and others
MARKS_KNOWN, MARKS_UNKNOWN = 64, 8


class Wire:
    """Sends UDP payloads to the target's UET port."""

    def __init__(self, target, source=None):
        self.target = target
        family = socket.AF_INET6 if ":" in target else socket.AF_INET
        self.socks = []
        for _ in range(8):      # several source ports, as sprayed packets have
            s = socket.socket(family, socket.SOCK_DGRAM)
            if source:
                s.bind((source, 0))
            self.socks.append(s)
        self.sent = 0

    def send(self, data):
        try:
            self.socks[self.sent % 8].sendto(data, (self.target, p.UDP_PORT))
        except (ConnectionRefusedError, OSError):
            pass        # an ICMP answer to an earlier one
        self.sent += 1
        if self.sent % 200 == 0:
            time.sleep(0.002)       # the well-behaved share the machine


def truncated(wire, _args):
    for data in p.samples().values():
        for n in range(len(data)):
            wire.send(data[:n])


def extremes(wire, _args):
    """Every byte, and every aligned 16 and 32 bits, at its extremes"""
    for data in p.samples().values():
        for i in range(len(data)):
            for value in (0, 1, 0x7f, 0x80, 0xff):
                wire.send(data[:i] + bytes([value]) + data[i + 1:])
        for i in range(0, len(data) - 1, 2):
            for value in (0, 0x7fff, 0x8000, 0xffff):
                wire.send(data[:i] + struct.pack("!H", value) + data[i + 2:])
        for i in range(0, len(data) - 3, 4):
            for value in (0, 0x7fffffff, 0x80000000, 0xffffffff):
                wire.send(data[:i] + struct.pack("!I", value) + data[i + 4:])


def types(wire, _args):
    """Every type with every next header, with and without each flag"""
    body = p.samples()["rud"][2:]
    for ptype in range(32):
        for next_hdr in range(16):
            for flags in (0, 0x04, 0x08, 0x10, 0x20, 0x40, 0x7f):
                wire.send(p.prologue(ptype, next_hdr, flags) + body)


def lengths(wire, args):
    """Message lengths and offsets that contradict the packet"""
    spdcid = 1
    for length in (0, 1, 3, 5, 0x3fff, 0x4000, 0xfffffffe, 0xffffffff):
        for offset in (0, 1, 4095, 0x7fffffff, 0xfffffffc, 0xffffffff):
            for part in (0, 1, 4, 5, 0x3fff):
                for flags in (0, p.S_SOM, p.S_EOM, p.S_SOM | p.S_EOM,
                              p.S_SOM | p.S_HD):
                    ses = p.ses_std(flags=flags | p.S_REL, length=length,
                                    offset=offset, part=part,
                                    msg_id=spdcid & 0xffff)
                    wire.send(p.request(spdcid * 7919, spdcid & 0xffff or 1,
                                        flags=p.F_SYN | p.F_AR, ses=ses,
                                        payload=b"data"))
                    spdcid += 1
        if spdcid > args.count:
            break


def garbage(wire, args):
    """Random bytes, and random changes of well-formed packets"""
    samples = list(p.samples().values())
    for _ in range(args.count):
        if random.random() < 0.2:
            data = random.randbytes(random.randrange(1500))
        else:
            data = bytearray(random.choice(samples))
            for _ in range(random.randrange(1, 6)):
                data[random.randrange(len(data))] = random.randrange(256)
        wire.send(bytes(data))


def pdcids(wire, args):
    """Packets for contexts that do not exist"""
    for _ in range(args.count // 32):
        for data in p.samples(psn=random.getrandbits(32),
                              spdcid=random.randrange(1, 65535),
                              dpdcid=random.randrange(1, 65536)).values():
            wire.send(data)


def ip_checksum(header):
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def ipv4(source, target, payload, sport, tos=2, udp_len=None):
    """A packet; udp_len if UDP claims another length, as trimmed packets do"""
    udp = struct.pack("!HHHH", sport, p.UDP_PORT, udp_len or 8 + len(payload),
                      0)
    head = struct.pack("!BBHHHBBH4s4s", 0x45, tos, 28 + len(payload), 0, 0x4000,
                       64, 17, 0, socket.inet_aton(source),
                       socket.inet_aton(target))
    head = head[:10] + struct.pack("!H", ip_checksum(head)) + head[12:]
    return head + udp + payload


def anybody():
    """A made-up source; answers to 10.0/16 are routed to this host"""
    return f"10.0.{random.randrange(256)}.{random.randrange(3, 255)}"


def strangers(wire, args):
    """Requests for contexts that do not exist, from ever new sources, or from
    one, as fast as this host can: segmented on their way (IPv4)"""
    packets = [p.request(random.getrandbits(32), random.randrange(1, 65536),
                         random.randrange(1, 65536)) for _ in range(64)]
    end = time.monotonic() + args.seconds
    while time.monotonic() < end:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.setsockopt(socket.IPPROTO_IP, IP_TRANSPARENT, 1)
            s.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, len(packets[0]))
            s.bind((args.source or anybody(), 0))
            for _ in range(50):
                s.sendto(b"".join(packets), (wire.target, p.UDP_PORT))
                wire.sent += len(packets)


def openings(wire, args):
    """First packets of many contexts, several of each, and nobody goes on"""
    for i in range(args.count):
        start = random.getrandbits(32)
        for n in range(4):
            wire.send(p.request(start + n, 1 + i, n, flags=p.F_SYN | p.F_AR,
                                ses=p.ses_std(flags=p.S_REL | p.S_SOM, pid=100,
                                              msg_id=n + 1, length=5000),
                                payload=bytes(1000)))


def empties(wire, args):
    """Empty messages in the first packets of contexts; then begun ones that contradict"""
    for i in range(args.count):
        start = random.getrandbits(32)
        for n in range(64):
            flags = p.S_REL | (p.S_SOM if n < 48 else 0) | p.S_EOM
            wire.send(p.request(start + n, 1 + i, n, flags=p.F_SYN | p.F_AR,
                                ses=p.ses_std(flags=flags, pid=100, msg_id=n + 1,
                                              length=0 if n < 48 else 100),
                                payload=b""))


def contradict(wire, args):
    """Messages with tags that begin by a packet which contradicts them, for some time"""
    end = time.monotonic() + args.seconds
    spdcid = 0
    while time.monotonic() < end:
        spdcid = spdcid % 60000 + 1
        start = random.getrandbits(32)
        for n in range(64):
            wire.send(p.request(start + n, spdcid, n, flags=p.F_SYN | p.F_AR,
                                ses=p.ses_std(opcode=p.OP_TAGGED_SEND, pid=100,
                                              flags=p.S_REL | p.S_EOM, msg_id=n + 1,
                                              length=100, key=n % 8), payload=b""))


def together(wire, args):
    """The first two packets of each context at the same time, from two CPUs"""
    place = mmap.mmap(-1, 8)
    turn = memoryview(place).cast("I")
    me = 0 if os.fork() else 1
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[me]})
    for i in range(1, args.count + 1):
        data = p.request(0x20000 + me, i, me, flags=p.F_SYN | p.F_AR,
                         ses=p.ses_std(pid=100, msg_id=me))
        turn[me] = i
        while turn[1 - me] < i:
            pass
        wire.socks[me].sendto(data, (wire.target, p.UDP_PORT))
        wire.sent += 1
    if me:
        os._exit(0)
    os.wait()


def only_to(sock, address):
    """Let a packet socket see what goes to an IPv4 address only"""
    code = b"".join(struct.pack("=HBBI", *insn) for insn in (
        (0x20, 0, 0, ETH_HLEN + 16),
        (0x15, 0, 1, struct.unpack("!I", socket.inet_aton(address))[0]),
        (0x06, 0, 0, 0xffff),
        (0x06, 0, 0, 0)))
    program = ctypes.create_string_buffer(code)
    sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack(
        "HL", len(code) // 8, ctypes.addressof(program)))


def ask(wire, args):
    """Requests for contexts that do not exist; each has to be answered"""
    wanted = b"%c" % (p.NACK << 3)
    # Nothing comes in before the filter is there, or a flood fills the buffer.
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as tap:
        wire.socks[0].connect((wire.target, p.UDP_PORT))
        only_to(tap, wire.socks[0].getsockname()[0])
        tap.bind((args.device, ETH_P_ALL))
        for i in range(args.count):
            spdcid = 40000 + i
            wire.send(p.request(i, spdcid, random.randrange(1, 65536)))
            mine, data = struct.pack("!H", spdcid), b""
            end = time.monotonic() + 2
            while time.monotonic() < end:
                tap.settimeout(2)
                try:
                    data = tap.recv(256)[ETH_HLEN + 28:]
                except socket.timeout:
                    break
                if data[:1] == wanted and data[10:12] == mine:
                    break
            else:
                data = b""
            if data[10:12] != mine:
                sys.exit(f"question {i} was not answered")
            time.sleep(0.05)


def synflood(wire, args):
    """First packets from ever new sources (IPv4)"""
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    for i in range(args.count):
        source = anybody()
        kind = p.ROD_REQ if i & 1 else p.RUD_REQ
        data = p.request(random.getrandbits(32), random.randrange(1, 65536),
                         random.randrange(4096), ptype=kind,
                         flags=p.F_SYN | p.F_AR,
                         ses=p.ses_std(pid=random.choice((200, 3000)),
                                       length=random.choice((4, 100000))))
        try:
            raw.sendto(ipv4(source, wire.target, data, 1024 + i % 60000),
                       (wire.target, 0))
        except OSError:
            pass
        wire.sent += 1
        if i % 200 == 0:
            time.sleep(0.002)


def groups(wire, _args):
    """First packets to everybody on the link"""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        for i in range(100):
            data = p.request(0x10000, 1 + i, 0, flags=p.F_SYN | p.F_AR)
            s.sendto(data, ("10.0.0.255", p.UDP_PORT))
            wire.sent += 1


def ccc_ids(wire, args):
    """Another congestion control context with every packet of one PDC"""
    spdcid, psn = random.randrange(1, 65536), 0x20000
    for i in range(args.count):
        wire.send(p.request(psn, spdcid, 0, ptype=p.RUD_CC_REQ,
                            flags=p.F_SYN | p.F_AR,
                            credit=(i % 256) << 24 | i * 16 & 0xffffff))


def hoard(wire, args):
    """Messages without their last packets, until nobody else gets in"""
    spdcid, start, size, packets = random.randrange(1, 65536), 0x30000, 2000, 21
    end = time.monotonic() + args.seconds
    while time.monotonic() < end:
        # What was refused before finds room later; the rest are duplicates
        for message in range(24):
            for i in range(packets - 1):
                off = message * packets + i
                ses = p.ses_std(flags=p.S_REL | (0 if i else p.S_SOM),
                                msg_id=message + 1, length=size * packets,
                                offset=i * size, part=size)
                wire.send(p.request(start + off, spdcid, off,
                                    flags=p.F_SYN | p.F_AR, ses=ses,
                                    payload=bytes(size)))
        time.sleep(0.5)


def hoard_lines(wire, _args):
    """Messages without their last packets, to 24 endpoints in three lines"""
    size, packets = 4000, 474
    for line in range(3):
        spdcid, start = random.randrange(1, 65536), 0x40000
        # Again: in the second round what follows the packet that was refused
        for psn in (*range(8 * (packets - 1)),) * 2:
            n, i = divmod(psn, packets - 1)
            ses = p.ses_std(flags=p.S_REL | (0 if i else p.S_SOM),
                            msg_id=n + 1, length=size * packets,
                            pid=300 + 8 * line + n, offset=i * size, part=size)
            wire.send(p.request(start + psn, spdcid, psn, ptype=p.ROD_REQ,
                                flags=p.F_SYN, ses=ses, payload=bytes(size)))
            if psn % 64 == 63:
                time.sleep(0.004)
        # Nobody else goes on beyond the limits before
        time.sleep(1.5)


class Tap:
    """UET packets seen on a device: (outgoing, UDP payload)"""

    def __init__(self, device):
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                  socket.htons(ETH_P_ALL))
        self.sock.bind((device, ETH_P_ALL))
        self.sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.sock.settimeout(0.5)

    def datagrams(self, seconds, oldest=None):
        """(outgoing, IP header, UDP header and payload); none that has waited
        here for longer than so many seconds"""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                data, extra, _, where = self.sock.recvmsg(65536, 64)
            except socket.timeout:
                continue
            except OSError as e:
                # The link went down
                if e.errno != errno.ENETDOWN:
                    raise
                continue
            s, ns = struct.unpack("qq", extra[0][2][:16])
            if oldest and time.time() - s - ns / 1e9 > oldest:
                continue
            ip = data[ETH_HLEN:]
            if len(ip) < 40 or ip[0] >> 4 != 4 or ip[9] != 17:
                continue
            udp = ip[(ip[0] & 15) * 4:]
            if struct.unpack("!H", udp[2:4])[0] == p.UDP_PORT:
                outgoing = where[2] == socket.PACKET_OUTGOING
                yield outgoing, ip[:20], udp

    def packets(self, seconds, oldest=None):
        for outgoing, _, udp in self.datagrams(seconds, oldest):
            yield outgoing, bytes(udp[8:])


def live(wire, args):
    """PSNs far outside, acknowledgements of what was never sent, wrong peers.
    What is far from an old packet may be near by now, and what is made of a
    packet that was made here may be right again."""
    tap, mine = Tap(args.device), set()

    def send(data):
        mine.add(data)
        wire.send(data)

    for outgoing, data in tap.packets(args.seconds, oldest=0.05):
        if data in mine:
            continue
        kind = data[0] >> 3
        if outgoing and kind in (p.RUD_REQ, p.ROD_REQ) and not data[1] & p.F_SYN:
            psn, spdcid, dpdcid = struct.unpack("!IHH", data[4:12])
            for far in (5000, 40000, 1 << 20, 1 << 30, (1 << 31) - 1,
                        -70000, -(1 << 30)):
                send(p.request(psn + far, spdcid, dpdcid, ptype=kind))
            send(p.request(psn + 1, spdcid ^ 0x5555, dpdcid, ptype=kind))
            send(p.request(psn + 6000, spdcid, 0, ptype=kind,
                           flags=p.F_SYN))
            send(p.request(psn + 7000, spdcid, dpdcid,
                           ptype=p.RUD_REQ + p.ROD_REQ - kind))
            for kind in (p.CP_NOOP, p.CP_CLOSE_REQ, p.CP_NEGOTIATION):
                send(p.control(kind, psn + (1 << 30), spdcid, dpdcid))
            send(p.control(p.CP_ACK_REQ, psn + 30000, spdcid, dpdcid))
            send(p.control(p.CP_CLEAR_CMD, 0, spdcid, dpdcid, flags=0,
                           payload=psn + (1 << 20)))
        elif outgoing and kind == p.ACK_CC:
            cack, spdcid, dpdcid = struct.unpack("!IHH", data[4:12])
            for far in (50000, 1 << 20, 1 << 30, (1 << 31) - 1, -50000,
                        -(1 << 30)):
                send(p.ack_cc(cack + far, spdcid, dpdcid,
                              ses=p.response()))
                send(p.ack(cack + far, spdcid, dpdcid))
                send(p.nack(0x0e, cack + far, 0, dpdcid))
                send(p.nack(0x11, cack + far, spdcid, dpdcid))
            send(p.ack_cc(cack, spdcid ^ 0x5555, dpdcid))
            send(p.ack_cc(cack, spdcid, dpdcid, offset=32767,
                          ses=p.response(code=0x1a)))
            send(p.ack_cc(cack, spdcid, dpdcid, sack_offset=32000,
                          sack=(1 << 64) - 1))


def marks(wire, args):
    """ACKs as the peer's own, all of them marked: for every value that the
    target sends with in turn, and for values that it never used (IPv4)"""
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    values, turn = [], 0
    for outgoing, ip, udp in Tap(args.device).datagrams(args.seconds):
        value, data = struct.unpack("!H", udp[:2])[0], udp[8:]
        kind = data[0] >> 3
        if not outgoing:
            if kind in (p.RUD_REQ, p.ROD_REQ) and value not in values:
                values.append(value)
            continue
        # What is sent below comes by here, too
        if kind != p.ACK_CC or data[1] & p.F_M or not values:
            continue
        forged = data[:1] + bytes([data[1] | p.F_M]) + data[2:]
        for i in range(MARKS_KNOWN + MARKS_UNKNOWN):
            turn += 1
            value = values[turn % len(values)]
            while i >= MARKS_KNOWN and value in values:
                value = random.randrange(1024, 65536)
            raw.sendto(ipv4(socket.inet_ntoa(ip[12:16]), wire.target, forged,
                            value, ip[1]), (wire.target, 0))
            wire.sent += 1


def replay(wire, args):
    """Everything this host sent to the target, again, soon and late"""
    tap = Tap(args.device)
    kept = []
    for outgoing, data in tap.packets(args.seconds):
        if not outgoing:
            continue
        kept.append(data)
        wire.send(data)
        if len(kept) > 100:
            wire.send(random.choice(kept))
        if len(kept) > 5000:
            break
    # What was captured here came back through the tap as outgoing, too
    for data in kept:
        wire.send(data)


ATTACKS = {f.__name__: f for f in (truncated, extremes, types, lengths, groups, empties,
                                   contradict, openings, together, ask,
                                   garbage, pdcids, strangers, synflood,
                                   ccc_ids, hoard, hoard_lines, live, marks,
                                   replay)}


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("attack", choices=list(ATTACKS))
    ap.add_argument("target")
    ap.add_argument("--source")
    ap.add_argument("--count", type=int, default=10000)
    ap.add_argument("--seconds", type=float, default=5)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--device", default="uet0")
    args = ap.parse_args()
    random.seed(args.seed)
    wire = Wire(args.target, args.source)
    ATTACKS[args.attack](wire, args)
    print(f"{args.attack}: {wire.sent} packets")
    return 0 if wire.sent else 1


if __name__ == "__main__":
    sys.exit(main())
