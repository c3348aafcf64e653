# SPDX-License-Identifier: GPL-2.0
"""A peer made of raw packets: opens contexts at a host and reads its answers.

Whatever the host sends in answer to a packet lies between that packet and the
answer to a PROBE that follows it, so nobody has to wait for silence.
"""
import os
import random
import socket
import struct
import subprocess
import time

import uet_packets as p
import form
from uet_inject import ETH_HLEN

ETH_P_IP = 0x0800
SO_RCVBUFFORCE = 33
SO_TIMESTAMPNS = 35
F_PROBE = 0x08
F_ISROD = 0x20
# The same ids and PSNs in each run: not one in 65536 that is somebody else's
random.seed(1)


class Answer:
    """A packet of the host, its fields by name, and when it was sent"""

    def __init__(self, ip, sent=0.0):
        self.sent = sent
        udp, data = ip[20:28], ip[28:]
        self.ip = bytes(ip)
        self.tos, self.df = ip[1], ip[6] >> 6 & 1
        self.sport, _, _, self.check = struct.unpack("!HHHH", udp)
        word, = struct.unpack("!H", data[:2])
        self.type, self.next, self.flags = word >> 11, word >> 7 & 15, word & 127
        self.spdcid, self.dpdcid = struct.unpack("!HH", data[8:12])
        self.m, self.retx = bool(self.flags & p.F_M), bool(self.flags & p.F_RETX)
        self.req = self.flags >> 1 & 3
        self.rc = self.rsp_op = None
        if self.type == p.ACK_CC:
            self.ack(data)
        elif self.type == p.NACK:
            self.code, _, self.psn, _, _, self.payload = \
                struct.unpack("!BBIHHI", data[2:16])
        elif self.type == p.CP:
            self.opaque, self.psn, _, _, self.payload = \
                struct.unpack("!HIHHI", data[2:16])

    def ack(self, data):
        offset, self.cack, _, _, _, self.mpr, sack, self.bits, service, \
            _, rcvd_hi, rcvd_lo, self.ooo = \
            struct.unpack("!hIHHBBhQHBBHH", data[2:32])
        self.opaque = offset & 0xffff
        self.psn = self.cack + offset & 0xffffffff
        self.sack_base = self.cack + sack & 0xffffffff
        self.service, self.rcvd = service, rcvd_hi << 16 | rcvd_lo
        if self.next == p.NH_RESPONSE:
            self.rsp_op, self.rc = data[32] & 63, data[33] & 63
            self.msg_id, = struct.unpack("!H", data[34:36])
            self.job = int.from_bytes(data[37:40], "big")

    def has(self, psn):
        """Does it say that this PSN was received?"""
        bit = psn - self.sack_base & 0xffffffff
        below = self.cack - psn & 0xffffffff
        return below < 1 << 31 or (bit < 64 and bool(self.bits >> bit & 1))

    def __repr__(self):
        return str({k: v for k, v in vars(self).items() if k != "ip"})


class Host:
    """The host under test, seen from an address that nobody has"""

    def __init__(self, addr, own, netns, slow=1, helper=True):
        self.addr, self.own, self.netns, self.slow = addr, own, netns, slow
        self.form = form.DEFAULT
        self.raw = socket.socket(socket.AF_INET, socket.SOCK_RAW,
                                 socket.IPPROTO_RAW)
        self.tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                 socket.htons(ETH_P_IP))
        self.tap.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 22)
        self.tap.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.tap.bind(("uet0", ETH_P_IP))
        # On one CPU a packet and its answer stay in line
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        self.controls, self.probes, self.used = [], 0, set()
        self.programs = []
        if helper:
            self.helper = Pdc(self)
            self.helper.open()

    def sysctl(self, name, value=None):
        """Sets net.uet.NAME of the host; its value before"""
        run = ["ip", "netns", "exec", self.netns, "sysctl", "-n",
               f"net.uet.{name}"]
        old = subprocess.run(run, check=True, capture_output=True,
                             text=True).stdout.strip()
        if value is not None:
            subprocess.run(run[:5] + ["-w", f"net.uet.{name}={value}"],
                           check=True, capture_output=True)
        return old

    def stat(self, name):
        out = subprocess.run(["ip", "netns", "exec", self.netns, "cat",
                              "/proc/net/uet_stat"], check=True,
                             capture_output=True, text=True).stdout
        return int(dict(line.split() for line in out.splitlines())[name])

    def run(self, *command, stdout=subprocess.DEVNULL):
        """A program on the host, which ends with the case"""
        self.programs.append(subprocess.Popen(
            ["ip", "netns", "exec", self.netns, *command], stdout=stdout))
        return self.programs[-1]

    def new_id(self):
        while True:
            spdcid = random.randrange(1, 65536)
            if spdcid not in self.used:
                self.used.add(spdcid)
                return spdcid

    def send(self, data, sport=50000, tos=2, source=None, udp_len=None):
        self.raw.sendto(form.packet(self.form, source or self.own, self.addr, data,
                                    sport, tos, udp_len), (self.addr, 0))

    def next(self, seconds):
        """The next packet of the host, None after so long"""
        end = time.monotonic() + seconds * self.slow
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return None
            self.tap.settimeout(left)
            try:
                frame, extra, _, _ = self.tap.recvmsg(65536, 64)
            except socket.timeout:
                return None
            ip = frame[ETH_HLEN:]
            if len(ip) < 36 or ip[12:16] != socket.inet_aton(self.addr):
                continue
            ip = form.plain(self.form, ip)
            if ip:
                s, ns = struct.unpack("qq", extra[0][2][:16])
                return Answer(ip, s + ns / 1e9)

    def answers(self):
        """What was answered so far; control packets go to another list"""
        self.probes += 1
        self.send(p.control(p.CP_PROBE, 0, self.helper.id, self.helper.remote,
                            opaque=self.probes))
        found = []
        while True:
            a = self.next(5)
            if not a:
                raise AssertionError("no answer to a probe")
            if a.type == p.CP:
                self.controls.append(a)
            elif a.type == p.ACK_CC and a.flags & F_PROBE and \
                    a.dpdcid == self.helper.id and a.opaque == self.probes:
                return found
            else:
                found.append(a)

    def ask(self, data, **how):
        self.send(data, **how)
        return self.answers()

    def one(self, data, **how):
        """The answer, which has to be one"""
        found = self.ask(data, **how)
        assert len(found) == 1, f"{len(found)} answers: {found}"
        return found[0]

    def none(self, data, **how):
        found = self.ask(data, **how)
        assert not found, f"answered: {found}"

    def control(self, kind, spdcid, seconds=3):
        """The control packet of a kind that the host sends to a context"""
        end = time.monotonic() + seconds * self.slow
        while time.monotonic() < end:
            while self.controls:
                cp = self.controls.pop(0)
                if cp.next == kind and cp.dpdcid == spdcid:
                    return cp
            time.sleep(0.02)
            self.answers()
        raise AssertionError(f"no control packet {kind}")


class Pdc:
    """A context that this peer opens at the host"""

    def __init__(self, host, rod=False, start=None):
        self.host, self.type = host, p.ROD_REQ if rod else p.RUD_REQ
        self.id, self.remote = host.new_id(), 0
        self.start = random.getrandbits(32) if start is None else start
        self.msgs = 0

    def ses(self, **fields):
        self.msgs += 1
        fields.setdefault("msg_id", self.msgs)
        return p.ses_std(**fields)

    def packet(self, n, flags=0, payload=b"data", ses=None, syn=False,
               clear=None, **fields):
        """Request number n, counted from the start of the context"""
        ses = ses or self.ses(length=len(payload))
        dpdcid = n & 0xfff if syn else fields.pop("dpdcid", self.remote)
        return p.request(self.start + n, fields.pop("spdcid", self.id), dpdcid,
                         ptype=fields.pop("ptype", self.type),
                         flags=flags | (p.F_SYN if syn else 0),
                         clear=-1 if clear is None else clear - n, ses=ses,
                         payload=payload, **fields)

    def psn(self, n):
        return self.start + n & 0xffffffff

    def open(self, **fields):
        """Sends packet 0; the answer"""
        self.host.send(self.packet(0, syn=True, **fields))
        a = self.host.next(5)
        while a and a.dpdcid != self.id:
            a = self.host.next(5)
        assert a, "no answer to a first packet"
        self.remote = a.spdcid
        return a

    def one(self, n, flags=0, **fields):
        how = {k: fields.pop(k) for k in ("tos", "sport", "source")
               if k in fields}
        return self.host.one(self.packet(n, flags, **fields), **how)

    def none(self, n, flags=0, **fields):
        how = {k: fields.pop(k) for k in ("tos", "sport", "source")
               if k in fields}
        self.host.none(self.packet(n, flags, **fields), **how)

    def cp(self, kind, n=0, **fields):
        """A control packet of this context as bytes"""
        return p.control(kind, self.psn(n), self.id, self.remote, **fields)


    def cp_syn(self, kind, n):
        """One that takes a PSN, of a context that the host may not know"""
        rod = F_ISROD if self.type == p.ROD_REQ else 0
        return p.control(kind, self.psn(n), self.id, n & 0xfff,
                         flags=p.F_AR | p.F_SYN | rod)


class Setting:
    """A sysctl of the host for a while"""

    def __init__(self, host, **values):
        self.host, self.values, self.old = host, values, {}

    def __enter__(self):
        for name, value in self.values.items():
            self.old[name] = self.host.sysctl(name)
            self.host.sysctl(name, value)

    def __exit__(self, *_):
        for name, value in self.old.items():
            self.host.sysctl(name, value)


def same(what, got, want):
    assert got == want, f"{what}: {got} instead of {want}"


class Cases:
    """Functions that get a host, in order, and their names"""

    def __init__(self):
        self.cases = []

    def case(self, name):
        def add(func):
            self.cases.append((name, func))
            return func
        return add

    def run(self, host, some=None):
        """A line for each: name, tab, what went wrong or nothing"""
        for name, func in some or self.cases:
            try:
                func(host)
                print(name, "", sep="\t", flush=True)
            except AssertionError as e:
                print(name, e, sep="\t", flush=True)
            while host.programs:
                program = host.programs.pop()
                program.kill()
                program.wait()
