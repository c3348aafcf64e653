#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a host sends of its own accord: requests, questions, closing.

    requests.py ADDR NET FIRST NETNS SLOW

ADDR is the host, whose namespace is NETNS. Each case plays a peer at another
address of nobody, NET.FIRST and so on. Prints a line per case, as answers.py.
"""
import json
import socket
import struct
import subprocess
import sys
import time

import uet_packets as p
from raw_peer import Cases, Host, Setting, same
from uet_inject import ip_checksum

T = 0x4242      # PDCID at the peer
REQ_CLEAR, REQ_CLOSE = 0x02, 0x04
INV_DPDCID, INFER_LOSS = 0x0e, 0x1a
RC_BAD_PID, RESPONSE = 0x1a, 1
with open("/proc/cmdline", encoding="ascii") as cmdline:
    VIRTUAL = "time-travel" in cmdline.read()
CASES = Cases()
case = CASES.case


def send(host, *options, stdout=subprocess.DEVNULL):
    """Messages of 4 bytes to this peer, by a program of the host"""
    return host.run("uet_send", "-w", "-s", "4", "-P", "100", *options,
                    f"{host.own}/291/69", stdout=stdout)


def packets(host, seconds):
    """What the host sends to this peer"""
    end = time.monotonic() + seconds * host.slow
    while time.monotonic() < end:
        a = host.next(0.5)
        if a and a.ip[16:20] == socket.inet_aton(host.own):
            yield a


def request(host):
    """The next new request"""
    for a in packets(host, 5):
        if a.type == p.RUD_REQ and not a.retx:
            return a
    raise AssertionError("no request came")


def control(host, kind, seconds=5):
    """The next control packet of this kind"""
    for a in packets(host, seconds):
        if a.type == p.CP and a.next == kind:
            return a
    raise AssertionError(f"no control packet {kind}")


def exchange(host, flags=0):
    """A message and its answer: the request"""
    sender = send(host, "-n", "1")
    a = request(host)
    host.send(p.ack_cc(a.psn, T, a.spdcid, flags=flags, ses=p.response()))
    same("sender", sender.wait(10 * host.slow), 0)
    return a


def close_answered(host, a, answer):
    """CLOSE_CMD takes the next PSN, and the answer ends the context"""
    cp = control(host, p.CP_CLOSE_CMD)
    same("PSN, ids, AR", (cp.psn, cp.spdcid, cp.dpdcid, cp.flags & ~p.F_RETX),
         (a.psn + 1 & 0xffffffff, a.spdcid, T, p.F_AR))
    before = host.stat("CurPdcs")
    host.send(answer(cp))
    end = time.monotonic() + 5 * host.slow
    while host.stat("CurPdcs") >= before:
        assert time.monotonic() < end, "the context stays"
        time.sleep(0.05)


def masked(packet, *fields):
    """Without what is random or depends on the packet: (offset, length)"""
    packet = bytearray(packet)
    for offset, length in fields:
        packet[offset:offset + length] = bytes(length)
    return packet.hex(" ")


@case("byte by byte, with SYN until the first answer")
def first_packets(host):
    sender = send(host, "-n", "3")
    first = None
    for n in range(3):
        a = request(host)
        first = a.psn if n == 0 else first
        want = (bytes.fromhex("45 02 00 58 00 00 40 00 40 11 00 00") +
                socket.inet_aton(host.addr) + socket.inet_aton(host.own) +
                bytes.fromhex("00 00 12 b9 00 44 00 00") +
                p.request(first + n, a.spdcid, n, flags=p.F_SYN,
                          payload=bytes(4), ses=p.ses_std(
                              pid=291, index=69, initiator=100 << 12)))
        # Checksums, entropy value, AR, CLEAR_PSN, message id, payload
        fields = (10, 2), (20, 2), (26, 2), (29, 1), (30, 2), (42, 2), (84, 4)
        same("packet", masked(a.ip, *fields), masked(want, *fields))
        same("IP checksum", ip_checksum(a.ip[:20]), 0)
        same("flags", a.ip[29] & ~p.F_AR, 0x80 | p.F_SYN)
        clear, = struct.unpack("!h", a.ip[30:32])
        same("CLEAR_PSN", a.psn + clear, first - 1)
        assert a.sport >= 49152, a
    host.send(p.ack_cc(first + 2, T, a.spdcid, ses=p.response()))
    same("sender", sender.wait(10 * host.slow), 0)
    sender = send(host, "-n", "1")
    b = request(host)
    same("ids without SYN", (b.spdcid, b.dpdcid, b.flags & p.F_SYN),
         (a.spdcid, T, 0))
    host.send(p.ack_cc(first + 3, T, a.spdcid, ses=p.response()))
    same("sender", sender.wait(10 * host.slow), 0)


@case("sent again: same PSN, retx and AR, ever longer apart")
def again(host):
    with Setting(host, rto_min_us=20000 * host.slow, rto_max_ms=2000):
        start = time.time()
        sender = send(host, "-n", "1")
        a = request(host)
        times = [a.sent]
        for b in packets(host, 5):
            if b.type != p.RUD_REQ:
                continue
            times.append(b.sent)
            same("flags", b.flags, p.F_SYN | p.F_AR | p.F_RETX)
            same("packet", masked(b.ip, (10, 2), (20, 2), (29, 1)),
                 masked(a.ip, (10, 2), (20, 2), (29, 1)))
            if len(times) == 5:
                break
        gaps = [j - i for i, j in zip(times, times[1:])]
        # A timer may be late where time is real, and so may the look at the
        # first packet; it is never early
        rto = 0.02 * host.slow
        assert times[-1] - start > 0.95 * 15 * rto, gaps
        assert not VIRTUAL or all(
            abs(gap - rto * 2 ** i) < 0.001 for i, gap in enumerate(gaps)), gaps
        host.send(p.ack_cc(a.psn, T, a.spdcid, ses=p.response(),
                           flags=p.F_RETX))
        same("sender", sender.wait(10 * host.slow), 0)


@case("received, not answered: ACK_REQ, and the data not again; then a clear")
def ack_req(host):
    # Nothing goes again before it is answered here
    with Setting(host, rto_min_us=2000000):
        before = host.stat("MsgDelivered"), host.stat("MsgFailed")
        sender = send(host, "-n", "2")
        a, b = request(host), request(host)
        host.send(p.ack_cc(a.psn - 1, T, a.spdcid, offset=2, sack=3,
                           ses=p.response()))
        for c in packets(host, 5):
            assert c.type != p.RUD_REQ or c.psn != a.psn, "the data came again"
            if c.type == p.CP and c.next == p.CP_ACK_REQ:
                break
        else:
            raise AssertionError("no ACK_REQ")
        same("ACK_REQ", (c.psn, c.dpdcid), (a.psn, T))
        host.send(p.ack_cc(a.psn - 1, T, a.spdcid, offset=1, sack=3,
                           flags=REQ_CLEAR,
                           ses=p.response(RC_BAD_PID, a.msg_id, RESPONSE)))
        cp = control(host, p.CP_CLEAR_CMD)
        same("CLEAR_CMD", (cp.payload, cp.flags & p.F_AR), (b.psn, 0))
        host.send(p.ack_cc(b.psn, T, a.spdcid))
        sender.wait(10 * host.slow)
        same("delivered, failed", (host.stat("MsgDelivered") - before[0],
                                   host.stat("MsgFailed") - before[1]), (1, 1))


@case("CLEAR_REQ: a clear, or ACK_REQ for what has no answer yet")
def clear_req(host):
    a = exchange(host)
    host.send(p.control(p.CP_CLEAR_REQ, 0, T, a.spdcid, flags=0,
                        payload=a.psn))
    cp = control(host, p.CP_CLEAR_CMD)
    same("CLEAR_CMD", cp.payload, a.psn)
    sender = send(host, "-n", "1")
    b = request(host)
    host.send(p.control(p.CP_CLEAR_REQ, 0, T, a.spdcid, flags=0,
                        payload=b.psn))
    cp = control(host, p.CP_ACK_REQ)
    same("ACK_REQ", cp.psn, b.psn)
    host.send(p.ack_cc(b.psn, T, a.spdcid, ses=p.response()))
    same("sender", sender.wait(10 * host.slow), 0)


@case("idle: CLOSE_CMD, again if it is not answered")
def idle(host):
    with Setting(host, pdc_idle_s=1):
        a = exchange(host)
        assert not control(host, p.CP_CLOSE_CMD).retx
        assert control(host, p.CP_CLOSE_CMD).retx
        close_answered(host, a, lambda cp: p.ack(cp.psn, T, a.spdcid))


@case("CLOSE_REQ: acknowledged, then CLOSE_CMD; INV_DPDCID will do")
def close_req(host):
    a, failed = exchange(host), host.stat("PdcFailed")
    # The return direction begins with the same PSN
    host.send(p.control(p.CP_CLOSE_REQ, a.psn, T, a.spdcid))
    for b in packets(host, 5):
        if b.type == p.ACK_CC:
            break
    else:
        raise AssertionError("no ACK")
    same("ACK", (b.cack, b.next, b.dpdcid), (a.psn, p.NH_NONE, T))
    close_answered(host, a, lambda cp: p.nack(INV_DPDCID, cp.psn, 0, a.spdcid))
    same("failed", host.stat("PdcFailed"), failed)


@case("an ACK that asks to close")
def ack_close(host):
    a = exchange(host, flags=REQ_CLOSE)
    close_answered(host, a, lambda cp: p.ack_cc(cp.psn, T, a.spdcid))


@case("other forms of answers: ACK, ACK_CCX, NACK_CCX")
def forms(host):
    # Nothing but the NACK says that a packet was lost, which a bitmap notes
    with Setting(host, rto_min_us=2000000, path_policy="bitmap"):
        sender = send(host, "-n", "1")
        a = request(host)
        host.send(p.ack(a.psn, T, a.spdcid, ses=p.response()))
        same("sender, ACK", sender.wait(10 * host.slow), 0)
        sender = send(host, "-n", "1", "-k", stdout=subprocess.PIPE)
        a = request(host)
        host.send(p.prologue(p.NACK_CCX, 0, 0) +
                  p.nack(INFER_LOSS, a.psn, T, a.spdcid)[2:] + bytes(16))
        for b in packets(host, 5):
            if b.type == p.RUD_REQ and b.psn == a.psn and b.retx:
                break
        else:
            raise AssertionError("not sent again")
        host.send(p.prologue(p.ACK_CCX, p.NH_RESPONSE, 0) +
                  p.ack_cc(a.psn, T, a.spdcid)[2:32] + bytes(8) + p.response())
        same("sender, ACK_CCX", sender.wait(10 * host.slow), 0)
        # Not the counter of the namespace: other cases' contexts time out
        info = json.loads(sender.stdout.readline())
        same("bad paths", info["paths_bad"], 1)


def main():
    addr, net, first, netns, slow = sys.argv[1:6]
    host = Host(addr, None, netns, int(slow), helper=False)
    for i, one in enumerate(CASES.cases):
        host.own = f"{net}.{int(first) + i}"
        CASES.run(host, [one])


if __name__ == "__main__":
    main()
