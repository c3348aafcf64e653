# SPDX-License-Identifier: GPL-2.0
"""A peer made of raw packets: opens contexts at a host and reads its answers.

Whatever the host sends in answer to a packet lies between that packet and the
answer to a PROBE that follows it, so nobody has to wait for silence.
"""
import contextlib
import ctypes
import os
import random
import socket
import struct
import subprocess
import time

import uet_packets as p
import form
from uet_inject import ETH_HLEN

ETH_P_IP, ETH_P_IPV6 = 0x0800, 0x86dd
CLONE_NEWNET = 0x40000000
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
        head, _, addresses, rest = form.split(ip)
        udp, data = rest[:form.UDP_LEN], rest[form.UDP_LEN:]
        self.ip, self.target = bytes(ip), addresses[len(addresses) // 2:]
        # Version, traffic class; IPv6 has no fragments without a header for them
        self.tos, self.df = head[1], head[6] >> 6 & 1
        if len(head) == form.IP6_LEN:
            self.tos, self.df = struct.unpack("!H", head[:2])[0] >> 4 & 255, 1
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
            self.code, self.vendor, self.psn, _, _, self.payload = \
                struct.unpack("!BBIHHI", data[2:16])
        elif self.type == p.CP:
            self.opaque, self.psn, _, _, self.payload = \
                struct.unpack("!HIHHI", data[2:16])
        elif self.type in (p.RUD_REQ, p.ROD_REQ, p.RUD_CC_REQ, p.ROD_CC_REQ):
            self.request(data)
        elif self.type in (p.RUDI_REQ, p.RUDI_RESP):
            self.rudi(data)

    def rudi(self, data):
        self.pkt_id, = struct.unpack("!I", data[4:8])
        self.spdcid = self.dpdcid = 0
        if self.type == p.RUDI_REQ:
            self.operation(data[8:])
        elif self.next == p.NH_RESPONSE:
            self.rsp_op, self.rc = data[8] & 63, data[9] & 63
            self.msg_id, = struct.unpack("!H", data[10:12])

    def request(self, data):
        clear, self.psn = struct.unpack("!hI", data[2:8])
        self.clear = self.psn + clear & 0xffffffff
        self.operation(data[16 if self.type in (p.RUD_CC_REQ, p.ROD_CC_REQ) else 12:])

    def short_operation(self, ses):
        """SMALL and MEDIUM: a packet, without a message id"""
        self.opcode, self.ses_flags, self.length, self.generation, job_hi, job_lo, \
            self.pid, self.index, word = struct.unpack("!BBHBBHHHQ", ses[:p.SES_SMALL_LEN])
        self.job, self.msg_id = job_hi << 16 | job_lo, None
        self.offset, self.header_data = word, None
        self.initiator = self.key = self.part = self.at = None
        self.data = bytes(ses[p.SES_SMALL_LEN:])
        if self.next == p.NH_MEDIUM:
            self.initiator, self.key = struct.unpack("!IQ", self.data[:12])
            self.data = self.data[12:]
            if self.ses_flags & p.S_HD:
                self.offset, self.header_data = None, word

    def operation(self, ses):
        if self.next in (p.NH_SMALL, p.NH_MEDIUM):
            self.short_operation(ses)
        if self.next != p.NH_STD:
            return
        self.opcode, self.ses_flags, self.msg_id, self.generation, job_hi, job_lo, \
            self.pid, self.index, self.offset, self.initiator, self.key, word, \
            self.length = struct.unpack("!BBHBBHHHQIQQI", ses[:p.SES_STD_LEN])
        self.job = job_hi << 16 | job_lo
        self.header_data = self.part = self.at = None
        if self.ses_flags & p.S_SOM:
            self.header_data = word
        else:
            self.part, self.at = word >> 32, word & 0xffffffff
        self.data = bytes(ses[p.SES_STD_LEN:])

    def ack(self, data):
        offset, self.cack, _, _, self.cc, self.mpr, sack, self.bits, service, \
            self.pend, rcvd_hi, rcvd_lo, self.ooo = \
            struct.unpack("!hIHHBBhQHBBHH", data[2:32])
        self.opaque = offset & 0xffff
        self.psn = self.cack + offset & 0xffffffff
        self.sack_base = self.cack + sack & 0xffffffff
        self.service, self.rcvd = service, rcvd_hi << 16 | rcvd_lo
        if self.next == p.NH_RESPONSE:
            self.rsp_op, self.rc = data[32] & 63, data[33] & 63
            self.msg_id, = struct.unpack("!H", data[34:36])
            self.generation, self.job = data[36], int.from_bytes(data[37:40], "big")
            self.modified, = struct.unpack("!I", data[40:44])

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
        v6 = ":" in addr
        self.raw = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET,
                                 socket.SOCK_RAW, socket.IPPROTO_RAW)
        kind = ETH_P_IPV6 if v6 else ETH_P_IP
        self.tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                 socket.htons(kind))
        self.tap.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 22)
        self.tap.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.tap.bind(("uet0", kind))
        # On one CPU a packet and its answer stay in line
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        self.controls, self.probes, self.used = [], 0, set()
        self.programs = []
        if helper:
            self.helper = Pdc(self)
            self.helper.open()

    @contextlib.contextmanager
    def entered(self):
        """This program is on the host meanwhile; sockets stay where they were made"""
        libc = ctypes.CDLL(None, use_errno=True)
        with open("/proc/self/ns/net", "rb") as here, \
                open(f"/run/netns/{self.netns}", "rb") as there:
            if libc.setns(there.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), f"setns {self.netns}")
            try:
                yield
            finally:
                if libc.setns(here.fileno(), CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns back")

    def sysctl(self, name, value=None):
        """Sets net.uet.NAME of the host; its value before"""
        path = f"/proc/sys/net/uet/{name}"
        with self.entered():
            with open(path, encoding="ascii") as f:
                old = f.read().strip()
            if value is not None:
                with open(path, "w", encoding="ascii") as f:
                    f.write(str(value))
        return old

    def stat(self, name):
        with self.entered(), open("/proc/self/net/uet_stat", encoding="ascii") as f:
            return int(dict(line.split() for line in f)[name])

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
            source = form.split(ip)[2]
            if len(ip) < 36 or source[:len(source) // 2] != form.packed(self.addr):
                continue
            ip = form.plain(self.form, ip)
            if ip:
                s, ns = struct.unpack("qq", extra[0][2][:16])
                return Answer(ip, s + ns / 1e9)

    def before_probe(self):
        """What has come when a probe that is sent now is answered"""
        self.probes += 1
        self.send(p.control(p.CP_PROBE, 0, self.helper.id, self.helper.remote,
                            opaque=self.probes), source=self.helper.own)
        while True:
            a = self.next(5)
            if not a:
                raise AssertionError("no answer to a probe")
            if a.type == p.ACK_CC and a.flags & F_PROBE and \
                    a.dpdcid == self.helper.id and a.opaque == self.probes:
                return
            yield a

    def answers(self):
        """What was answered so far; control packets go to another list"""
        found = []
        for a in self.before_probe():
            (self.controls if a.type == p.CP else found).append(a)
        return found

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
        self.own = host.own
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


class Crowd:
    """For a while the host can keep no packet that comes early: an ordered context of this
    peer has all that a namespace may"""

    def __init__(self, host):
        self.host, self.mem = host, Setting(host, mem=1 << 20)
        self.pdc = Pdc(host, rod=True)

    def __enter__(self):
        self.mem.__enter__()
        self.pdc.open()
        before, n = self.host.stat("DropGap"), 2
        while self.host.stat("DropGap") == before:
            assert n < 1000, f"{n} packets are kept"
            for n in range(n, n + 50):
                self.host.send(self.pdc.packet(n + 1))
            self.host.answers()
        return self.pdc

    def __exit__(self, *_):
        self.host.ask(self.pdc.packet(1))
        self.mem.__exit__()


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
