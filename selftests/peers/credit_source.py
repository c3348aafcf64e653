#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A source of receiver credit made of raw packets, which comes by one or two
devices, is restarted, and is not always who it says.

    credit_source.py ADDR OWN NETNS SLOW

ADDR is the host, whose namespace is NETNS; OWN an address that nobody has and
that leads here by p0 and p1; OWN plus one is another one. Prints a line per case:
name, tab, what went wrong or nothing.
"""
import random
import selectors
import socket
import struct
import sys
import time

import uet_packets as p
from raw_peer import Answer, Cases, ETH_HLEN, ETH_P_IP, Host, Setting
from uet_inject import ipv4

DEVICES = "p0", "p1"
MASK, HALF, QUANTUM = 0xffffff, 0x800000, 256
# Where the host cannot tell a source that counts anew from one that is late
NEAR = 0x20000
STEP = 0x4000
SO_BINDTODEVICE = 25
TRIMMED, LASTHOP = 10, 12       # DSCP
CASES = Cases()
case = CASES.case
random.seed(1)


class Links:
    """The devices, and what comes by them for an address"""

    def __init__(self, host, addr, own, slow):
        self.host, self.addr, self.own, self.slow = host, addr, own, slow
        self.programs, self.pdcs, self.cccs = [], 0, 0
        self.select = selectors.DefaultSelector()
        self.out = []
        for device in DEVICES:
            raw = socket.socket(socket.AF_INET, socket.SOCK_RAW,
                                socket.IPPROTO_RAW)
            raw.setsockopt(socket.SOL_SOCKET, SO_BINDTODEVICE, device.encode())
            self.out.append(raw)
            tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                socket.htons(ETH_P_IP))
            tap.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
            tap.bind((device, ETH_P_IP))
            self.select.register(tap, selectors.EVENT_READ)

    def send(self, way, data, **header):
        self.out[way].sendto(ipv4(self.own, self.addr, data, 50000 + way,
                                  **header), (self.addr, 0))

    def answers(self, seconds):
        """What comes within so long"""
        end = time.monotonic() + seconds * self.slow
        while True:
            left = end - time.monotonic()
            ready = self.select.select(left) if left > 0 else []
            if not ready:
                return
            for key, _ in ready:
                ip = key.fileobj.recv(65536)[ETH_HLEN:]
                if len(ip) >= 40 and ip[9] == socket.IPPROTO_UDP and \
                        ip[16:20] == socket.inet_aton(self.own) and \
                        struct.unpack("!H", ip[22:24])[0] == p.UDP_PORT:
                    yield Answer(ip)


class Source:
    """One life of a source: a PDC, a context, and the credit it was given"""

    def __init__(self, links, ccc_id, ways):
        self.links, self.ccc_id, self.ways = links, ccc_id, ways
        links.pdcs += 1                 # nobody has an id twice
        self.id, self.remote = links.pdcs, 0
        self.start = random.getrandbits(32)
        self.sent = self.granted = self.credits = self.told = 0

    def word(self, want):
        return self.ccc_id << 24 | (self.granted + want) & MASK

    def hear(self, seconds):
        for a in self.links.answers(seconds):
            if a.dpdcid != self.id:
                continue
            if a.type == p.ACK_CC:
                self.remote = a.spdcid
            elif a.type == p.CP and a.next == p.CP_CREDIT:
                self.credits += 1
                self.told = a.payload >> 8
                step = (a.payload >> 8) - self.granted & MASK
                if step < HALF:
                    self.granted = self.granted + step & MASK
                    yield step

    def request(self, way, want, **header):
        """A message of one packet, which says what is wanted"""
        syn = 0 if self.remote else p.F_SYN
        self.links.send(way, p.request(
            self.start + self.sent, self.id, self.remote or self.sent & 0xfff,
            ptype=p.RUD_CC_REQ, flags=p.F_AR | syn, credit=self.word(want),
            ses=p.ses_std(msg_id=self.sent + 1, length=1000),
            payload=bytes(1000)), **header)
        self.sent += 1

    def trimmed(self, way, word, dscp=TRIMMED):
        """What a switch leaves of the next message: the first 16 bytes"""
        data = p.request(self.start + self.sent, self.id, self.remote,
                         ptype=p.RUD_CC_REQ, flags=p.F_AR, credit=word)
        self.links.send(way, data[:16], tos=dscp << 2, udp_len=5000)

    def ask(self, way, want):
        self.links.send(way, p.control(p.CP_CREDIT_REQ, self.start, self.id,
                                       self.remote, payload=self.word(want)))

    def open(self, want=16):
        self.request(self.ways[0], want)
        for _ in range(20):
            list(self.hear(0.05))
            if self.remote:
                return
        raise AssertionError("no answer to a first packet")

    def want(self, quanta, window=0x4000, seconds=30):
        """Goes on until so much was granted. Packets take turns by the ways, and
        without credit the source asks, as the module does"""
        t0 = time.monotonic()
        got = turn = 0
        while got < quanta:
            want = min(quanta - got, window)
            for way in self.ways:
                self.request(way, want)
            before = got
            got += sum(self.hear(0.005))
            if got == before:
                turn += 1
                self.ask(self.ways[turn % len(self.ways)], want)
                got += sum(self.hear(0.01))
            if time.monotonic() - t0 > seconds * self.links.slow:
                raise AssertionError(f"{got} of {quanta} quanta granted, count "
                                     f"at {self.granted:#x}")


def lives(links, counts, before, after):
    """Restarts a source at each of these counts, and how it comes again"""
    for count in counts:
        # It has to be granted all of that, at the pace of a fast port
        if links.slow > 1 and STEP < min(count, MASK - count) < NEAR:
            continue
        links.cccs += 1
        old = Source(links, links.cccs, before)
        old.open()
        old.granted = count             # the host follows a source far away
        old.want(0x200)
        new = Source(links, links.cccs, after)
        new.open()
        new.want(0x2000)


# Counts of the first life when it ends: few, just not and just too far for what
# is taken for late, half way round, and about to begin anew.
COUNTS = (0, 0x100, STEP, NEAR - STEP, NEAR, 2 * NEAR, HALF - 0x400, HALF,
          MASK - 2 * NEAR, MASK - NEAR + STEP, MASK - STEP, MASK - 0x100)


@case("credit: a source by one port counts anew")
def restart_one(links):
    lives(links, COUNTS, (0,), (0,))


@case("credit: a source by two ports counts anew")
def restart_two(links):
    lives(links, COUNTS, (0, 1), (0, 1))


@case("credit: a source by two ports counts anew and comes by one")
def restart_fewer(links):
    lives(links, COUNTS, (0, 1), (1,))


@case("credit: a source by one port counts anew and comes by two")
def restart_more(links):
    lives(links, COUNTS, (0,), (0, 1))


@case("credit: an address that is not proved gets what it has sent, at once")
def stranger(links):
    own, links.own = links.own, socket.inet_ntoa(
        struct.pack("!I", struct.unpack("!I", socket.inet_aton(
            links.own))[0] + 1))
    try:
        forged = Source(links, 7, (0,))
        for n in range(1, 5):
            forged.remote = 0
            forged.request(0, 0x4000)
            list(forged.hear(0.2))
            # Headers and payload, whole quanta, and no more packets than it sends
            assert 3 * n <= forged.granted <= 5 * n, \
                f"{forged.granted} quanta for {n} packets"
            assert forged.credits <= n, f"{forged.credits} credits for {n} packets"
        # A count far away is not followed ...
        forged.granted += 0x300000
        forged.remote = 0
        forged.request(0, 0x4000)
        list(forged.hear(0.2))
        assert forged.told < 0x100, f"told {forged.told:#x}"
        # ... but that of one that answers is
        forged.want(0x400)
    finally:
        links.own = own


@case("credit: who forges a PDC of a source does not hide its grants")
def forged_pdc(links):
    source = Source(links, 11, (0,))
    source.open()
    source.want(0x200)
    list(source.hear(0.2))
    forged = Source(links, 11, (0,))
    for _ in range(3):
        forged.remote = 0
        forged.granted = source.granted
        forged.request(0, 0x4000)
        assert not list(forged.hear(0.1)), "credit by the PDC that is not proved"
    source.want(0x400)


def slowed(links, source, send):
    """How often congestion slowed the pace within some twenty periods of 15 ms"""
    before = links.host.stat("CreditSlowed")
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        send(source)
        list(source.hear(0.002))
    return links.host.stat("CreditSlowed") - before


@case("credit: marks and trims slow its pace, but not those of the last hop")
def congestion(links):
    source = Source(links, 10, (0,))
    source.open()
    source.want(0x200)

    def clear(s):
        s.request(0, 0x100)

    def marked(s):
        s.request(0, 0x100, tos=3)

    def trimmed_by(dscp):
        def send(s):
            s.request(0, 0x100)
            s.trimmed(0, s.word(0x100), dscp)
        return send

    with Setting(links.host, trimming=1, dscp_trimmed=TRIMMED,
                 dscp_trimmed_lasthop=LASTHOP, base_rtt_us=10000, link_mbps=100):
        source.want(0x100)
        for name, send, slows in (
                ("none", clear, False), ("marks", marked, True),
                ("none, after marks", clear, None), ("none", clear, False),
                ("trims", trimmed_by(TRIMMED), True),
                ("trims of the last hop", trimmed_by(LASTHOP), None),
                ("trims of the last hop", trimmed_by(LASTHOP), False)):
            got = slowed(links, source, send)
            assert slows is None or slows == bool(got), f"{name}: slowed {got} times"
    # A window beside it governs the core
    with Setting(links.host, congestion_control="nscc+rccc", base_rtt_us=10000,
                 link_mbps=100):
        source.want(0x100)
        got = slowed(links, source, marked)
        assert not got, f"slowed {got} times beside a window"
    source.want(0x200)


@case("credit: what a trimmed packet says is a hint")
def trimmed(links):
    # A window, and as much again in advance
    most = 2 * 15 * 100 * 12500 // 10 // QUANTUM
    with Setting(links.host, trimming=1, dscp_trimmed=TRIMMED):
        source = Source(links, 9, (0,))
        source.open()
        source.want(0x200)
        list(source.hear(0.2))
        # A timer of the host that is late takes a silent source for gone
        for _ in range(5):
            source.trimmed(0, source.word(0x100))
            got = sum(source.hear(0.2))
            if got:
                break
        assert got >= 0x100, f"{got} quanta of {0x100}"
        # By another port, from where nothing whole has come: no credit in advance
        list(source.hear(0.2))
        source.trimmed(1, source.word(0x100))
        got = sum(source.hear(0.2))
        assert not got, f"{got} quanta by a port that the source does not use"
        # One bit of the target has flipped
        for bit in range(12, 24):
            was = source.granted
            source.trimmed(0, 9 << 24 | was ^ 1 << bit)
            list(source.hear(0.05))
            got = source.told - was & MASK
            assert got <= most, f"{got:#x} quanta by bit {bit}"
        # ... and one of the context: others must not come and go
        before = links.host.stat("CreditSources")
        for bit in range(24, 32):
            source.trimmed(0, source.word(0x10) ^ 1 << bit)
        source.want(0x200)
        got = links.host.stat("CreditSources") - before
        assert not got, f"{got} more sources of credit"


def main():
    addr, own, netns, slow = sys.argv[1:5]
    host = Host.__new__(Host)
    host.netns = netns
    with Setting(host, link_mbps=100000, base_rtt_us=100):
        CASES.run(Links(host, addr, own, int(slow)))


if __name__ == "__main__":
    main()
