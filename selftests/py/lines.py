#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Messages that one context mixes: what a socket holds of them.

    lines.py ADDR OWN NETNS SLOW

ADDR is the host, whose namespace is NETNS; OWN an address that nobody has and
that leads here. Prints a line per case: name, tab, what went wrong or nothing.
"""
import os
import signal
import sys
import time

import uet_packets as p
from raw_peer import Cases, Host, Pdc, Setting, same

RC_OK, RC_NO_MATCH, RC_OP_VIOLATION, RC_DROPPED = 1, 5, 0x18, 0x24
NO_PKT, NO_GTD, NO_SES, INFER_LOSS = 7, 8, 9, 0x1a
RESPONSE = 1
SHORT = (NO_PKT, NO_SES, NO_GTD)
RCVBUF = 262144                 # what SO_RCVBUF 131072 makes
# What an incomplete message takes beside its packets, at both layers
ENTRY = 2048
# What the contexts of earlier cases may lose meanwhile; 200 messages that are not
# forgotten take three times as much
SLACK = 4096
CASES = Cases()
case = CASES.case


class Line(Pdc):
    """An ordered context whose packets go one after the other"""

    def __init__(self, host, rod=True):
        super().__init__(host, rod=rod)
        self.n = 0
        self.dropped = {}

    def push(self, payload, tries=40, **ses):
        """The next packet, until it is taken; None if it is refused for good"""
        ses.setdefault("flags", p.S_REL)
        packet = dict(payload=payload, ses=p.ses_std(**ses),
                      clear=self.n - 1)
        if not self.n:
            self.open(**packet)
            self.n = 1
            return True
        for _ in range(tries):
            found = self.host.ask(self.packet(self.n, p.F_AR, **packet))
            # Not those that tell of room
            nacks = [a.code for a in found if a.type == p.NACK and
                     a.dpdcid == self.id and a.code != INFER_LOSS]
            if not nacks:
                for a in found:
                    if a.rsp_op == RESPONSE and a.psn == self.psn(self.n):
                        self.dropped[ses["msg_id"]] = a.rc
                self.n += 1
                return True
            assert set(nacks) <= set(SHORT), nacks
            time.sleep(0.01 * self.host.slow)
        return None

    def part(self, msg, i, size, length, pid, tries=40):
        """Packet i of a message"""
        off = i * size
        size = min(size, length - off)
        flags = p.S_REL | (0 if i else p.S_SOM) | \
            (p.S_EOM if off + size == length else 0)
        return self.push(bytes(size), tries, flags=flags, msg_id=msg, pid=pid,
                         length=length, offset=off, part=size, initiator=msg)


def opened(host):
    """One that a message of one packet opened"""
    line = Line(host)
    line.push(b"data", pid=300, length=4, flags=p.S_REL | p.S_SOM | p.S_EOM)
    return line


def mix(line, msgs, packets, length):
    """The first packet of each message, then the second, and so on"""
    for i in range(packets):
        for msg in range(1, msgs + 1):
            assert line.part(msg, i, 4000, length, 300), \
                f"packet {i} of message {msg} is not taken"


def until(seconds, true, what):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, what() if callable(what) else what
        time.sleep(0.02)


def reader(host, pid, buf=131072, kind="seq"):
    before = host.stat("CurMem")
    ready = f"/tmp/lines-{pid}"
    if os.path.exists(ready):
        os.unlink(ready)
    host.run("sh", "-c", f"exec uet_recv -t {kind} -p {pid} "
             f"-n 1000000 -I -A -b {buf} -R {ready} 2>/dev/null")
    until(20 * host.slow, lambda: os.path.exists(ready), "no reader")
    return before


def held(host, before):
    return host.stat("CurMem") - before


@case("48 messages begun on an ordered line hold what one socket may")
def begun(host):
    size, packets, length = 4000, 29, 120000
    reader(host, 300)
    line = opened(host)
    before = host.stat("CurMem")
    for i in range(15):
        assert line.part(100, i, size, length, 300), "one message is refused"
    factor = max(held(host, before) / (15 * size), 1)
    for i in range(15, 30):
        assert line.part(100, i, size, length, 300), "one message is refused"
    until(10 * host.slow, lambda: held(host, before) < size, "it stays")
    for i in range(packets):
        for msg in range(1, 49):
            assert line.part(msg, i, size, length, 300), \
                f"packet {i} of message {msg} is not taken, {held(host, before)} held"
    n = held(host, before)
    limit = 2.5 * RCVBUF * factor + 48 * ENTRY
    assert n <= limit, f"{n} bytes held, {limit:.0f} are right"
    # Those that had room are completed, and the line goes on.
    got = host.stat("MsgReceived")
    for msg in range(1, 49):
        assert line.part(msg, packets, size, length, 300), "the end is refused"
    good = 48 - len(line.dropped)
    assert good >= 2, f"{good} completed"
    same("reasons", set(line.dropped.values()), {RC_DROPPED})
    same("refused, as it counts", host.stat("MsgMixed"), len(line.dropped))
    same("completed", host.stat("MsgReceived") - got, good)
    until(10 * host.slow, lambda: held(host, before) < 65536, "they stay")
    for i in range(30):
        assert line.part(200, i, size, length, 300), "it is refused"
    same("after that", host.stat("MsgReceived") - got, good + 1)


@case("a source that mixes messages for a socket gets them through")
def mixed(host):
    reader(host, 300)
    line = opened(host)
    got = host.stat("MsgReceived")
    mix(line, 8, 8, 30000)
    same("refused", line.dropped, {})
    same("completed", host.stat("MsgReceived") - got, 8)


@case("... also long ones, which it reads as they come")
def mixed_long(host):
    reader(host, 300)
    line = opened(host)
    got = host.stat("MsgReceived")
    mix(line, 3, 100, 400000)
    good = 3 - len(line.dropped)
    assert good >= 1, "none came through"
    same("completed", host.stat("MsgReceived") - got, good)


@case("a last packet that contradicts itself leaves nothing of its message")
def violated(host):
    pdc = Pdc(host)
    pdc.open()
    before = host.stat("CurMem")
    for i in range(32):
        # The second one says that less follows than does.
        for k, part in enumerate((4000, 500)):
            ses = p.ses_std(flags=p.S_REL | (p.S_EOM if k else p.S_SOM),
                            msg_id=1000 + i, length=8000, offset=4000 * k,
                            part=part)
            n = 1 + 2 * i + k
            found = host.ask(pdc.packet(n, p.F_AR, payload=bytes(4000),
                                        ses=ses, clear=n - 1))
            same("answer", [a.rc for a in found], [RC_OP_VIOLATION if k else
                                                   RC_OK])
    n += 1
    host.ask(pdc.packet(n, p.F_AR, clear=n - 1))
    until(10 * host.slow, lambda: held(host, before) < 1024,
          lambda: f"{held(host, before)} bytes stay")


@case("what has ended is forgotten although a message before it goes on")
def behind(host):
    pdc = Pdc(host)
    pdc.open()
    before = host.stat("CurMem")

    def part(n, msg, k, parts=2):
        ses = p.ses_std(flags=p.S_REL | (0 if k else p.S_SOM) |
                        (p.S_EOM if k == parts - 1 else 0), msg_id=msg,
                        length=1000 * parts, offset=1000 * k, part=1000)
        pdc.host.send(pdc.packet(n, payload=bytes(1000), ses=ses))
    part(1, 5000, 0, 100)
    host.answers()
    one = held(host, before)
    for i in range(200):
        part(2 + 2 * i, i + 1, 0)
        part(3 + 2 * i, i + 1, 1)
        host.answers()
    until(10 * host.slow, lambda: held(host, before) <= one + SLACK,
          lambda: f"{held(host, before)} bytes instead of {one}")
    # CACK passes all of them at once.
    part(402, 5000, 1, 100)
    for i in range(300):
        part(404 + 2 * i, i + 1, 0)
        part(405 + 2 * i, i + 1, 1)
        host.answers()
    assert held(host, before) > one + 300 * 32, "nothing is kept"
    part(403, 5000, 2, 100)
    until(10 * host.slow, lambda: held(host, before) <= 3 * one + SLACK,
          lambda: f"{held(host, before)} bytes instead of three times {one}")


@case("what waits behind a reader that stopped does so for a moment only")
def stopped(host):
    reader(host, 300, 16384, "rdm")
    stuck = host.programs[-1]
    os.kill(stuck.pid, signal.SIGSTOP)
    reader(host, 301, kind="rdm")
    pdc = Pdc(host)
    pdc.open(ses=p.ses_std(flags=p.S_REL | p.S_SOM | p.S_EOM, pid=301, length=4))

    def part(n, msg, i, parts, pid=300, size=1000):
        ses = p.ses_std(flags=p.S_REL | (0 if i else p.S_SOM) |
                        (p.S_EOM if i == parts - 1 else 0), msg_id=msg, pid=pid,
                        length=size * parts, offset=size * i, part=size)
        return host.ask(pdc.packet(n, p.F_AR, payload=bytes(size), ses=ses))[0]
    # Not among others any more: two are begun, and more fill the buffer
    time.sleep(0.3)
    part(1, 1, 0, 20)
    part(2, 2, 0, 2)
    n = 2

    def fill():
        nonlocal n
        for _ in range(100):
            a = part(n + 1, n + 1, 0, 1)
            if a.type == p.NACK:
                assert a.code in SHORT, a
                return
            n += 1
        raise AssertionError("all are taken")
    # The first one gets in, the second one has to wait for it
    fill()
    same("the first", part(n + 1, 1, 1, 20).type, p.ACK_CC)
    n += 1
    fill()
    same("the second", part(n + 1, 2, 1, 2).type, p.NACK)
    # Something comes for the other reader, and then nothing more
    part(n + 2, 1000, 0, 1, 301)
    time.sleep(0.3)
    same("the first", part(n + 3, 1, 2, 20).type, p.ACK_CC)
    same("the second", (lambda a: (a.type, a.rc))(part(n + 1, 2, 1, 2)),
         (p.ACK_CC, RC_NO_MATCH))
    host.ask(pdc.packet(n + 4, p.F_AR, clear=n + 1, ses=p.ses_std(
        flags=p.S_REL | p.S_SOM | p.S_EOM, msg_id=1001, pid=301, length=4)))
    a = part(n + 5, 1002, 0, 1, 301)
    same("CACK", a.cack - pdc.start & 0xffffffff, n + 5)
    os.kill(stuck.pid, signal.SIGCONT)


def main():
    addr, own, netns, slow = sys.argv[1:5]
    CASES.run(Host(addr, own, netns, int(slow)))


if __name__ == "__main__":
    main()
