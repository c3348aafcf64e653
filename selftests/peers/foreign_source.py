#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Plays the source of another implementation at an address that nobody has.

    foreign_source.py HOST ADDR PID [SWITCH...]

Sends messages of a packet each to endpoint PID of HOST by one context, and each
again until it is answered. It never probes. Each switch is one habit:

    count=N         so many messages (100)
    size=BYTES      of so many bytes each (100)
    also=PID        every other one goes to that endpoint
    window=N        no more packets outstanding (128), nor beyond what ACK_CC states
    silent          it never asks for an answer (AR) but for what is sent again
    plain-only      ACK_CC is not understood
    zero-only       ACK_CC whose state is not zero is not understood
    slows           it follows rcvr_cwnd_pend
    fails=N         N NACKs for shortage without progress between fail the context
    medium          messages have MEDIUM headers
    defer           messages are deferrable; one that is deferred is sent again when the
                    host asks for it
    deaf-rtr        ... or never
    restart         forgets the context in the end, and opens another one with the same
                    id; what belongs to the old one is NACKed, INV_DPDCID
    live            the same, but it has not forgotten the old one: it closes it when
                    asked to, and answers what belongs to it
    for=SECONDS     it ends by itself after so long (60)

Says what became of it: numbers of messages answered, of those returned by an error,
deferred and asked for, of NACKs and timeouts, the least receive window and the greatest penalty it was told,
"moved back" if a window ends before an earlier one by more than its unit, "failed", and
what it is asked after a restart.
"""
import random
import select
import socket
import struct
import sys
import time

import form
import uet_packets as p
from uet_inject import ETH_HLEN

ETH_P_IP = 0x0800
SO_RCVBUFFORCE = 33
UNIT = 128              # of MP_RANGE
SHORTAGE = range(p.NO_PDC_AVAIL, p.NO_RESOURCE + 1)
AGAIN = 0.25            # seconds until a packet is sent again
M32 = 0xffffffff


def distance(a, b):
    """From PSN b to a"""
    return (a - b & M32) - (1 << 32 if a - b & 1 << 31 else 0)


class Source:
    def __init__(self, host, own, pids, on):
        self.host, self.own, self.pids, self.on = host, own, pids, on
        self.count, self.size = int(on.get("count", 100)), int(on.get("size", 100))
        self.window = int(on.get("window", UNIT))
        self.id, self.remote = random.randrange(1, 65536), 0
        self.start = random.getrandbits(32)
        self.cack, self.limit = -1, self.window - 1     # numbers of packets, not PSNs
        self.sent, self.answered, self.next = {}, set(), 0
        self.nacks = self.run = self.timeouts = 0
        self.mpr, self.pend, self.failed = 255, 0, False
        self.open, self.clear, self.returned = self.window, -1, 0
        # Of deferrable messages: tokens by number, and those that are deferred
        self.tokens, self.parked, self.deferred, self.asked_for = {}, {}, 0, 0
        self.tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                 socket.htons(ETH_P_IP))
        self.tap.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 23)
        self.tap.bind(("uet0", ETH_P_IP))
        self.raw = socket.socket(socket.AF_INET, socket.SOCK_RAW,
                                 socket.IPPROTO_RAW)

    def say(self, *what):
        print(*what, flush=True)

    def push(self, data):
        self.raw.sendto(form.packet(frozenset(), self.own, self.host, data, 50000),
                        (self.host, 0))

    def message(self, n, flags=0):
        pid, form = self.pids[n % len(self.pids)], p.NH_STD
        ses = p.ses_std(pid=pid, msg_id=n % 65535 + 1, length=self.size)
        if "medium" in self.on:
            ses, form = p.ses_medium(self.size, pid=pid), p.NH_MEDIUM
        elif "defer" in self.on:
            ours, theirs = self.tokens.setdefault(n, (n + 1, 0))
            ses = p.ses_std(pid=pid, msg_id=n % 65535 + 1, length=self.size,
                            opcode=p.OP_DEFERRABLE_SEND, at_target=ours << 32 | theirs)
        if not self.remote:
            flags |= p.F_SYN
        if "silent" not in self.on or flags & p.F_RETX:
            flags |= p.F_AR
        self.sent[n] = time.monotonic()
        self.push(p.request(self.start + n, self.id, self.remote or n & 0xfff,
                            flags=flags, clear=self.clear - n, ses=ses, next_hdr=form,
                            payload=bytes(self.size)))

    def may_send(self):
        return self.next < self.count and len(self.sent) < self.open and \
            self.next <= self.limit and (self.remote or not self.next)

    def again(self):
        now = time.monotonic()
        for n in sorted(self.sent)[:8]:
            if now - self.sent[n] > AGAIN:
                self.timeouts += 1
                self.message(n, p.F_RETX)

    def got(self, n):
        self.sent.pop(n, None)
        self.answered.add(n)
        while self.clear + 1 in self.answered:
            self.clear += 1

    def ack(self, data):
        """False if it is none that this source understands"""
        kind = data[0] >> 3
        if kind == p.ACK_CC and ("plain-only" in self.on or
                                 ("zero-only" in self.on and any(data[24:32]))):
            return False
        if kind not in (p.ACK, p.ACK_CC):
            return False
        offset, cack = struct.unpack("!hI", data[2:8])
        self.response(data, distance(cack + offset & M32, self.start))
        cack = distance(cack, self.start)
        if cack > self.cack:
            self.run = 0
            self.cack = cack
            for n in [n for n in self.sent if n <= cack]:
                self.got(n)
        if kind == p.ACK_CC:
            self.told(data, cack)
        return True

    def response(self, data, n):
        """The answer to one message; what is guaranteed has to be cleared"""
        at = 32 if data[0] >> 3 == p.ACK_CC else 12
        fresh = n not in self.answered
        self.got(n)
        if len(data) < at + 12 or data[at + 1] & 63 == p.RC_NULL:
            return
        if data[at + 1] & 63 == p.RC_OK:
            if data[at] & 63 != 1 or any(data[at + 8:at + 12]):
                return
            if fresh:
                self.deferred += 1
                self.parked[self.tokens[n][0]] = n
        else:
            self.returned += fresh
        self.push(p.control(p.CP_CLEAR_CMD, 0, self.id, self.remote, flags=0,
                            payload=self.start + self.clear))

    def told(self, data, cack):
        end = cack + data[13] * UNIT
        if cack == self.cack and "live" not in self.on:
            if end <= self.limit - UNIT and self.limit >= self.window:
                self.say("moved back")
            self.limit = max(self.limit, end)
        self.mpr = min(self.mpr, data[13])
        pend = data[26] & 127
        self.pend = max(self.pend, pend)
        if "slows" in self.on:
            self.open = max(1, self.window * (128 - pend) // 128)
        base, bits = struct.unpack("!hQ", data[14:24])
        for n in list(self.sent):
            if 0 <= n - cack - base < 64 and bits >> n - cack - base & 1:
                self.got(n)

    def nack(self, data):
        if data[2] == p.RCVR_INFER_LOSS:
            n = distance(struct.unpack("!I", data[4:8])[0], self.start)
            if n in self.sent:
                self.message(n, p.F_RETX)
            return
        if data[2] not in SHORTAGE:
            self.say("nacked", data[2])
            return
        self.nacks += 1
        self.run += 1
        if self.run >= int(self.on.get("fails", M32)):
            self.failed = True

    def pull(self, seconds):
        """The next packet of the host to this context, None after so long"""
        if not select.select([self.tap], [], [], seconds)[0]:
            return None
        ip = self.tap.recv(65536)[ETH_HLEN:]
        if len(ip) < 40 or ip[16:20] != socket.inet_aton(self.own) or \
                ip[9] != socket.IPPROTO_UDP:
            return None
        data = ip[28:]
        spdcid, dpdcid = struct.unpack("!HH", data[8:12])
        if data[0] >> 3 == p.RUD_REQ and data[12] & 63 == p.OP_DEFERRABLE_RTR:
            self.asked_again(data)
            return None
        if dpdcid != self.id:
            return None
        if data[0] >> 3 != p.NACK and not self.remote:
            self.remote = spdcid
        return data

    def asked_again(self, data):
        """The host asks for a message, by a context that it has opened"""
        psn, spdcid = struct.unpack("!IH", data[4:10])
        # Its own token is looked for in the second place only
        theirs, ours = struct.unpack("!II", data[36:44])
        self.push(p.ack(psn, 0x4242, spdcid, ses=p.response(
            msg_id=struct.unpack("!H", data[14:16])[0])))
        if "deaf-rtr" in self.on or self.parked.pop(ours, None) is None:
            return
        self.asked_for += 1
        self.tokens[self.count] = ours, theirs
        self.count += 1

    def handle(self, data):
        if data and data[0] >> 3 == p.NACK:
            self.nack(data)
        elif data:
            self.ack(data)

    def play(self):
        end = time.monotonic() + float(self.on.get("for", 60))
        while (len(self.answered) < self.count or self.parked) and not self.failed and \
                time.monotonic() < end:
            while self.may_send():
                self.message(self.next)
                self.next += 1
                self.handle(self.pull(0))
            self.handle(self.pull(AGAIN / 5))
            self.again()

    # --- another context with the same id --------------------------------------

    def asked(self, old, data):
        """A control packet about the old context"""
        kind = (data[0] & 7) << 1 | data[1] >> 7
        opaque, psn = struct.unpack("!HI", data[2:8])
        self.say({p.CP_PROBE: "probe", p.CP_CLOSE_REQ: "close_req"}.get(kind, kind))
        if "live" not in self.on:
            self.push(p.nack(p.INV_DPDCID, psn, 0, old))
        elif kind == p.CP_PROBE:
            self.push(p.ack_cc(psn, self.id, old, flags=8,
                               offset=opaque - (opaque >> 15 << 16)))
        else:
            self.push(p.ack(psn, self.id, old))
            self.push(p.control(p.CP_CLOSE_CMD, self.start + self.count, self.id, old))

    def again_from_anew(self):
        old, start = self.remote, self.start + 0x100000 & M32
        end = time.monotonic() + float(self.on.get("for", 60))
        tried = 0
        while time.monotonic() < end:
            if time.monotonic() - tried > AGAIN:
                tried = time.monotonic()
                self.push(p.request(start, self.id, 0, flags=p.F_SYN | p.F_AR,
                                    ses=p.ses_std(pid=self.pids[0], length=100),
                                    payload=bytes(100)))
            data = self.pull(AGAIN / 5)
            if not data:
                continue
            spdcid, = struct.unpack("!H", data[8:10])
            if data[0] >> 3 == p.CP:
                self.asked(old, data)
            elif data[0] >> 3 == p.NACK:
                self.say("refused", data[2])
            elif spdcid != old:
                self.say("opened again")
                return

    def report(self):
        self.say("answered", len(self.answered))
        self.say("returned", self.returned)
        self.say("deferred", self.deferred)
        self.say("asked", self.asked_for)
        self.say("nacks", self.nacks)
        self.say("timeouts", self.timeouts)
        self.say("mpr", self.mpr)
        self.say("pend", self.pend)
        if self.failed:
            self.say("failed")


def main():
    host, own, pid = sys.argv[1:4]
    on = {s.split("=")[0]: s.partition("=")[2] for s in sys.argv[4:]}
    pids = [int(pid)] + [int(x) for x in [on.get("also")] if x]
    source = Source(host, own, pids, on)
    source.play()
    source.report()
    if "restart" in on or "live" in on:
        source.again_from_anew()


if __name__ == "__main__":
    main()
