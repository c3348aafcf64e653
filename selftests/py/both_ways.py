#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Requests in both directions of one context, as a peer sees them.

    both_ways.py ADDR NET FIRST NETNS SLOW

ADDR is the host, whose namespace is NETNS and where something receives at PIDonFEP
200. Each case plays a peer at another address of nobody, NET.FIRST and so on.
Prints a line per case, as answers.py.
"""
import socket
import subprocess
import sys
import time

import uet_packets as p
from raw_peer import Cases, Host, Pdc, Setting, same
from requests import T, control, packets, request, send

INV_DPDCID, CLOSING, CLOSING_IN_ERR = 0x0e, 0x10, 0x11
RC_OK = 1
NEVER, KNOWN, ALWAYS = 0, 1, 2
CASES = Cases()
case = CASES.case


class Peer(Host):
    """A host whose requests are no answers, nor what others are told"""

    def __init__(self, *args):
        super().__init__(*args, helper=False)
        # Ordered: no message of these cases goes by it.
        self.helper = Pdc(self, rod=True)
        self.helper.open()

    def answers(self):
        return [a for a in super().answers() if a.type != p.RUD_REQ and
                a.ip[16:20] == socket.inet_aton(self.own)]


def known(host):
    """A context of ours whose address the host believes"""
    pdc = Pdc(host)
    pdc.open()
    same("answer", pdc.one(1, p.F_AR).cack, pdc.psn(1))
    return pdc


def returned(host, pdc, sender):
    """The host's request by our context"""
    a = request(host)
    same("ids", (a.spdcid, a.dpdcid), (pdc.remote, pdc.id))
    same("SYN", a.flags & p.F_SYN, 0)
    assert sender.poll() is None, "the sender has ended"
    return a


def acked(host, pdc, a, sender):
    host.send(p.ack_cc(a.psn, pdc.id, pdc.remote, ses=p.response()))
    same("sender", sender.wait(10 * host.slow), 0)


@case("by a context of the peer: PSNs of its own, from Start_PSN on")
def from_the_start(host):
    with Setting(host, return_requests=ALWAYS):
        pdc = known(host)
        opened, before = host.stat("PdcOpened"), host.stat("PdcReturned")
        for n in range(3):
            sender = send(host, "-n", "1")
            a = returned(host, pdc, sender)
            same("PSN", a.psn, pdc.psn(n))
            acked(host, pdc, a, sender)
            # Ours go on meanwhile.
            same("our CACK", pdc.one(2 + n, p.F_AR).cack, pdc.psn(2 + n))
        same("opened", host.stat("PdcOpened"), opened)
        same("returned", host.stat("PdcReturned"), before + 1)


def not_returned(host, start):
    with Setting(host, return_requests=ALWAYS):
        pdc = Pdc(host, start=start)
        pdc.open()
        same("answer", pdc.one(1, p.F_AR).cack, pdc.psn(1))
        sender = send(host, "-n", "1")
        a = request(host)
        assert a.flags & p.F_SYN and a.spdcid != pdc.remote, a
        host.send(p.ack_cc(a.psn, T, a.spdcid, ses=p.response()))
        same("sender", sender.wait(10 * host.slow), 0)


@case("not by a context that starts at PSN 0")
def start_0(host):
    not_returned(host, 0)


@case("... nor shortly before: NACKs that have no PSN name it")
def start_before_0(host):
    not_returned(host, 0xffffff00)


@case("loss in both directions, interleaved")
def loss(host):
    with Setting(host, return_requests=ALWAYS, rto_min_us=20000 * host.slow):
        pdc = known(host)
        sender = send(host, "-n", "1")
        a = returned(host, pdc, sender)
        # Number 2 of ours is lost, 3 comes: what it answers says so
        b = pdc.one(3, p.F_AR)
        same("our CACK", b.cack, pdc.psn(1))
        assert b.has(pdc.psn(3)) and not b.has(pdc.psn(2)), b
        # ... and theirs is lost, and comes again
        for again in packets(host, 10):
            if again.type == p.RUD_REQ and again.retx:
                break
        else:
            raise AssertionError("it is not sent again")
        same("PSN", again.psn, a.psn)
        same("flags", again.flags, p.F_AR | p.F_RETX)
        acked(host, pdc, a, sender)
        same("our CACK", pdc.one(2, p.F_AR | p.F_RETX).cack, pdc.psn(3))


@case("not by the context of a peer that does not do so")
def unknown(host):
    with Setting(host, return_requests=KNOWN):
        pdc = known(host)
        sender = send(host, "-n", "1")
        a = request(host)
        assert a.flags & p.F_SYN and a.spdcid != pdc.remote, a
        host.send(p.ack_cc(a.psn, T, a.spdcid, ses=p.response()))
        same("sender", sender.wait(10 * host.slow), 0)


def ours(host):
    """A context that the host opened to us, and the PSN of its first request"""
    sender = send(host, "-n", "1")
    a = request(host)
    assert a.flags & p.F_SYN, a
    host.send(p.ack_cc(a.psn, T, a.spdcid, ses=p.response()))
    same("sender", sender.wait(10 * host.slow), 0)
    return a


def answer(host, spdcid):
    """The next ACK or NACK for us"""
    for a in packets(host, 5):
        if a.type in (p.ACK_CC, p.NACK) and a.dpdcid == spdcid:
            return a
    raise AssertionError("no answer")


@case("to a host by the context that it opened; then it does so itself")
def to_the_host(host):
    with Setting(host, return_requests=KNOWN, pdc_idle_s=2 * host.slow):
        a = ours(host)
        received = host.stat("MsgReceived")
        for n in 0, 1:
            host.send(p.request(a.psn + n, T, a.spdcid, flags=p.F_AR,
                                ses=p.ses_std(msg_id=n + 1)))
            b = answer(host, T)
            same("answer", (b.type, b.spdcid, b.cack, b.rc),
                 (p.ACK_CC, a.spdcid, a.psn + n & 0xffffffff, RC_OK))
        same("received", host.stat("MsgReceived"), received + 2)
        # Again: not delivered twice
        host.send(p.request(a.psn, T, a.spdcid, flags=p.F_AR | p.F_RETX,
                            ses=p.ses_std(msg_id=1)))
        same("CACK", answer(host, T).cack, a.psn + 1 & 0xffffffff)
        same("received", host.stat("MsgReceived"), received + 2)
        # It closes its own one, and sends by ours from then on.
        cp = control(host, p.CP_CLOSE_CMD, 30)
        host.send(p.ack_cc(cp.psn, T, a.spdcid))
    with Setting(host, return_requests=KNOWN):
        pdc = known(host)
        sender = send(host, "-n", "1")
        acked(host, pdc, returned(host, pdc, sender), sender)


@case("by a context that was never acknowledged: not before it is")
def never_acknowledged(host):
    with Setting(host, rto_min_us=20000 * host.slow):
        sender = send(host, "-n", "1")
        a = request(host)
        received = host.stat("MsgReceived")
        dropped = host.stat("DropState")
        for n in range(20):
            host.send(p.request(a.psn + n, T, a.spdcid, flags=p.F_AR,
                                ses=p.ses_std(msg_id=n + 1)))
        host.answers()
        same("received", host.stat("MsgReceived"), received)
        same("dropped", host.stat("DropState"), dropped + 20)
        host.send(p.ack_cc(a.psn, T, a.spdcid, ses=p.response()))
        same("sender", sender.wait(10 * host.slow), 0)
        host.send(p.request(a.psn, T, a.spdcid, flags=p.F_AR,
                            ses=p.ses_std(msg_id=1)))
        same("answer", answer(host, T).cack, a.psn)
        same("received", host.stat("MsgReceived"), received + 1)


@case("only who opened a context closes it")
def close_by_the_target(host):
    a = ours(host)
    dropped = host.stat("DropState")
    host.send(p.request(a.psn, T, a.spdcid, flags=p.F_AR))
    same("CACK", answer(host, T).cack, a.psn)
    host.send(p.control(p.CP_CLOSE_CMD, a.psn + 1, T, a.spdcid, flags=p.F_AR))
    host.answers()
    same("dropped", host.stat("DropState"), dropped + 1)
    host.send(p.request(a.psn + 1, T, a.spdcid, flags=p.F_AR,
                        ses=p.ses_std(msg_id=2)))
    same("CACK", answer(host, T).cack, a.psn + 1 & 0xffffffff)


@case("closed while the host sends: in error, and the message ends")
def close_in_error(host):
    with Setting(host, return_requests=ALWAYS):
        pdc = known(host)
        sender = send(host, "-n", "1", "-F", "-x", "ECONNRESET")
        returned(host, pdc, sender)
        # It may cross with a request that is refused: not at once
        host.none(pdc.cp(p.CP_CLOSE_CMD, 2, flags=p.F_AR))
        b = host.one(pdc.cp(p.CP_CLOSE_CMD, 2, flags=p.F_AR | p.F_RETX))
        same("answer", (b.type, b.code, b.psn),
             (p.NACK, CLOSING_IN_ERR, pdc.psn(2)))
        sender.wait(10 * host.slow)
        b = pdc.one(3, p.F_AR)
        same("afterwards", (b.type, b.code), (p.NACK, INV_DPDCID))


@case("a request that meets CLOSE_CMD is refused, and not lost")
def close_crosses(host):
    with Setting(host, pdc_idle_s=2 * host.slow):
        a = ours(host)
        cp = control(host, p.CP_CLOSE_CMD, 30)
        host.send(p.request(a.psn, T, a.spdcid, flags=p.F_AR))
        b = answer(host, T)
        same("answer", (b.type, b.code, b.psn), (p.NACK, CLOSING, a.psn))
        host.send(p.nack(INV_DPDCID, cp.psn, 0, a.spdcid))


@case("a first PSN that CLOSE_REQ has used is no request's")
def after_close_req(host):
    with Setting(host, return_requests=ALWAYS, pdc_idle_s=1):
        pdc = known(host)
        # In the middle of a message the context stays.
        pdc.one(2, p.F_AR, ses=p.ses_std(flags=p.S_REL | p.S_SOM, msg_id=9,
                                        length=8))
        cp = host.control(p.CP_CLOSE_REQ, pdc.id, 30)
        same("PSN", cp.psn, pdc.psn(0))
        host.send(p.ack_cc(cp.psn, pdc.id, pdc.remote))
        sender = send(host, "-n", "1")
        a = request(host)
        assert a.flags & p.F_SYN and a.spdcid != pdc.remote, a
        host.send(p.ack_cc(a.psn, T, a.spdcid, ses=p.response()))
        same("sender", sender.wait(10 * host.slow), 0)


@case("who vanishes in the middle of a return message is not waited for")
def vanishes(host):
    with Setting(host, pdc_idle_s=1, peer_timeout_s=1):
        a = ours(host)
        host.send(p.request(a.psn, T, a.spdcid, flags=p.F_AR,
                            ses=p.ses_std(flags=p.S_REL | p.S_SOM, msg_id=9,
                                          length=8)))
        same("CACK", answer(host, T).cack, a.psn)
        control(host, p.CP_CLOSE_CMD, 30)


@case("closed when the host has sent all: in order")
def close_in_order(host):
    with Setting(host, return_requests=ALWAYS):
        pdc = known(host)
        sender = send(host, "-n", "1")
        acked(host, pdc, returned(host, pdc, sender), sender)
        b = host.one(pdc.cp(p.CP_CLOSE_CMD, 2, flags=p.F_AR))
        same("answer", (b.type, b.cack), (p.ACK_CC, pdc.psn(2)))
        # Again, since the answer may have been lost
        b = host.one(pdc.cp(p.CP_CLOSE_CMD, 2, flags=p.F_AR | p.F_RETX))
        same("again", (b.type, b.cack), (p.ACK_CC, pdc.psn(2)))
        b = pdc.one(3, p.F_AR)
        same("request", (b.type, b.code), (p.NACK, CLOSING))
        # Messages go another way.
        sender = send(host, "-n", "1")
        a = request(host)
        assert a.flags & p.F_SYN, a
        host.send(p.ack_cc(a.psn, T, a.spdcid, ses=p.response()))
        same("sender", sender.wait(10 * host.slow), 0)


@case("one half dies: the other one with it")
def halves(host):
    # What is refused was sent once.
    with Setting(host, return_requests=ALWAYS, rto_min_us=1000000):
        pdc = known(host)
        failed = host.stat("PdcFailed")
        sender = send(host, "-n", "1")
        a = returned(host, pdc, sender)
        host.send(p.nack(INV_DPDCID, a.psn, 0, pdc.remote))
        # The message, which was refused, goes by another context.
        for b in packets(host, 10):
            if b.type == p.RUD_REQ and b.flags & p.F_SYN:
                break
        else:
            raise AssertionError("the message does not come again")
        host.send(p.ack_cc(b.psn, T, b.spdcid, ses=p.response()))
        same("sender", sender.wait(10 * host.slow), 0)
        same("failed", host.stat("PdcFailed"), failed + 1)
        end = time.monotonic() + 5 * host.slow
        while True:
            b = pdc.one(2, p.F_AR)
            if b.type == p.NACK:
                break
            assert time.monotonic() < end, "the receiving half lives"
        same("code", b.code, INV_DPDCID)


def main():
    addr, net, first, netns, slow = sys.argv[1:]
    for n, one in enumerate(CASES.cases):
        own = f"{net}.{int(first) + n}"
        CASES.run(Peer(addr, own, netns, int(slow)), [one])


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as e:
        sys.exit(f"{e}: {e.stderr}")
