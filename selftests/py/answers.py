#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a host answers to each kind of packet, and when it says nothing.

    answers.py ADDR OWN NETNS PID STOPPED READER SLOW

ADDR is the host, whose namespace is NETNS; OWN an address that nobody has and
that leads here. Endpoint PID reads all it gets, STOPPED nothing until its
process READER is told to go on. Prints a line per case: name, tab, what went
wrong or nothing.
"""
import os
import signal
import sys
import time

import uet_packets as p
from raw_peer import F_PROBE, Cases, Crowd, Host, Pdc, Setting, same

DEFAULT, RESPONSE, NO_RESPONSE = 0, 1, 3
RC_NULL, RC_OK, RC_UNSUPPORTED_OP = 0, 1, 6
RC_OP_VIOLATION, RC_BAD_INDEX, RC_BAD_PID, RC_BAD_JOB = 0x18, 0x19, 0x1a, 0x1b
RC_CANCELLED = 0x1e
REQ_CLEAR = 1
TRIMMED, TRIMMED_LASTHOP, NO_PDC, NO_PKT, NO_GTD, NO_SES, OOR, ROD_OOO = \
    1, 2, 4, 7, 8, 9, 0xb, 0xd
INV_DPDCID, HDR_MISMATCH, CLOSING, NOT_RCVD, INVALID_SYN, MODE, SES_PROCG, INFER_LOSS = \
    0xe, 0xf, 0x10, 0x12, 0x15, 0x16, 0x18, 0x1a
CE = 3
DSCP_CONTROL = 46
NOBODY = 3000
PID = STOPPED = READER = 0      # of the command line
# Another source, which never probes
SHY = "10.0.0.67"
# Another address of the host, and an endpoint that it has there alone
ELSEWHERE, ABSENT = "10.0.0.44", 2900
CASES = Cases()
case = CASES.case


def acked(a, pdc, n, cack=None, rc=RC_OK, op=DEFAULT, req=0):
    """An ACK of packet n with such a response, CACK at packet cack"""
    same("type", a.type, p.ACK_CC)
    same("ids", (a.spdcid, a.dpdcid), (pdc.remote, pdc.id))
    same("ACK_PSN", a.psn - pdc.start & 0xffffffff, n & 0xffffffff)
    if cack is not None:
        same("CACK", a.cack - pdc.start & 0xffffffff, cack & 0xffffffff)
    same("response", (a.rsp_op, a.rc), (op, rc) if rc is not None else
         (None, None))
    same("req", a.req, req)


def kept(a, pdc, n, cack=0):
    """An ACK of packet n, which came early"""
    acked(a, pdc, n, cack, RC_NULL, NO_RESPONSE)


def nacked(a, pdc, code, n, known=True):
    same("type", a.type, p.NACK)
    same("code", a.code, code)
    same("nack_psn", a.psn, pdc.psn(n))
    same("ids", (a.spdcid, a.dpdcid), (pdc.remote if known else 0, pdc.id))
    same("payload", a.payload, 0)


def opened(host, **how):
    pdc = Pdc(host, **how)
    pdc.open()
    return pdc


# --- acknowledgements (UE 1.0 3.5.12) ---------------------------------------

@case("ACK: the packet that opens a context")
def ack_first(host):
    pdc = Pdc(host)
    a = pdc.open(payload=b"x" * 100)
    acked(a, pdc, 0, 0)
    assert pdc.remote, "no PDCID"
    same("entropy value", a.sport, 50000)
    same("DSCP, ECN", (a.tos >> 2, a.tos & 3), (DSCP_CONTROL, 0))
    same("DF, UDP checksum", (a.df, a.check), (1, 0))
    same("message id", a.msg_id, 1)
    # UDP length 8 + 12 + 44 + 100, nominal 40 more: 204 bytes in 256
    same("rcvd_bytes, ooo", (a.rcvd, a.ooo), (1, 0))
    assert a.mpr >= 8 and a.service >= 1, a


@case("ACK: not a further packet with SYN, nor one that does not ask")
def ack_quiet(host):
    pdc = opened(host)
    pdc.none(1, syn=True)
    pdc.none(2)


@case("ACK: a context opened by its third packet counts from its start")
def ack_late_start(host):
    pdc = Pdc(host)
    host.send(pdc.packet(2, syn=True))
    a = host.next(5)
    pdc.remote = a.spdcid
    acked(a, pdc, 2, -1)
    same("ooo", a.ooo, 1)
    assert a.has(pdc.psn(2)) and not a.has(pdc.psn(1)), a
    pdc.none(1, syn=True)
    acked(pdc.one(0, p.F_AR, syn=True), pdc, 0, 2)


@case("ACK: asked for")
def ack_ar(host):
    pdc = opened(host)
    a = pdc.one(1, p.F_AR, sport=60001)
    acked(a, pdc, 1, 1)
    same("entropy value", a.sport, 60001)
    same("m, retx", (a.m, a.retx), (False, False))


@case("ACK: the time that accepted data took at the host")
def ack_service(host):
    pdc = opened(host)
    # The capture of this program has packets stamped as they come in. No
    # processor delivers one and builds an answer in 128 ns.
    a = pdc.one(1, p.F_AR)
    acked(a, pdc, 1, 1)
    assert a.service > 1, a


@case("ACK: a retransmission, which it echoes")
def ack_retx(host):
    pdc = opened(host)
    a = pdc.one(1, p.F_RETX)
    acked(a, pdc, 1, 1)
    assert a.retx, a


@case("ACK: a duplicate, by NULL, not delivered again")
def ack_dup(host):
    pdc = opened(host)
    acked(pdc.one(1, p.F_AR), pdc, 1, 1)
    before = host.stat("MsgReceived")
    a = pdc.one(1)
    acked(a, pdc, 1, 1, rc=RC_NULL)
    assert not a.retx, a
    same("messages", host.stat("MsgReceived"), before)


@case("ACK: a mark, which it echoes, unless ack_on_ecn is 0")
def ack_ce(host):
    pdc = opened(host)
    a = pdc.one(1, tos=CE)
    acked(a, pdc, 1, 1)
    assert a.m, a
    with Setting(host, ack_on_ecn=0):
        pdc.none(2, tos=CE)
        assert pdc.one(3, p.F_AR, tos=CE).m, "m depends on ack_on_ecn"


@case("ACK: each 16 KiB of payload; a small packet counts as 1 KiB")
def ack_bytes(host):
    pdc = opened(host)
    acked(pdc.one(1, p.F_AR), pdc, 1, 1)
    for n in range(2, 17):
        pdc.none(n)
    acked(pdc.one(17), pdc, 17, 17)
    for n in range(18, 21):
        pdc.none(n, payload=bytes(4096))
    acked(pdc.one(21, payload=bytes(4096)), pdc, 21, 21)
    pdc.none(22, payload=bytes(4096))
    # An ACK for another reason starts the count anew
    acked(pdc.one(23, p.F_AR), pdc, 23, 23)
    for n in range(24, 27):
        pdc.none(n, payload=bytes(4096))


@case("ACK: each packet, if ack_per_packet is set")
def ack_each(host):
    pdc = opened(host)
    with Setting(host, ack_per_packet=1):
        for n in range(1, 4):
            acked(pdc.one(n), pdc, n, n)


@case("ACK: a hole filled behind a packet that had asked")
def ack_hole(host):
    pdc = opened(host)
    a = pdc.one(3, p.F_AR)
    acked(a, pdc, 3, 0)
    assert a.has(pdc.psn(3)) and not a.has(pdc.psn(2)), a
    pdc.none(1)
    a = pdc.one(2)
    acked(a, pdc, 2, 3)
    same("ooo", a.ooo, 0)


@case("ACK: a probe, with its opaque value and the bitmap it wants")
def ack_probe(host):
    pdc = opened(host)
    pdc.none(5)
    pdc.none(70)
    host.send(pdc.cp(p.CP_PROBE, payload=pdc.psn(60), opaque=0xbeef))
    a = host.next(5)
    same("p, opaque", (a.flags & 8, a.opaque), (8, 0xbeef))
    same("CACK", a.cack, pdc.psn(0))
    same("base, bitmap", (a.sack_base, a.bits), (pdc.psn(60), 1 << 10))
    same("response", a.rc, None)
    same("ooo", a.ooo, 2)


@case("ACK: bytes received count each packet once")
def ack_rcvd(host):
    pdc = opened(host, start=0xfffffffe)    # and PSNs wrap
    for n in range(1, 8):
        pdc.none(n, payload=bytes(500))
    for _ in range(3):
        a = pdc.one(7, payload=bytes(500))
    # 8 + 12 + 44 + 40 beside the payload
    same("rcvd_bytes", a.rcvd, (108 + 7 * 604 + 255) // 256)
    same("CACK", a.cack, 5)


# --- guaranteed responses (UE 1.0 3.5.14) -----------------------------------

def refused(pdc, n, rc=RC_BAD_PID, cack=None, **fields):
    a = pdc.one(n, clear=-1, ses=pdc.ses(**{"pid": NOBODY, **fields}))
    acked(a, pdc, n, cack, rc, RESPONSE, REQ_CLEAR)
    return a


@case("guaranteed: an error has its own ACK, and CACK stays below")
def gtd_error(host):
    pdc = opened(host)
    a = refused(pdc, 1, cack=0)
    assert a.has(pdc.psn(1)), "not in the bitmap"
    acked(pdc.one(2, p.F_AR, clear=-1), pdc, 2, 0)


@case("guaranteed: kept for a duplicate and for ACK_REQ")
def gtd_stored(host):
    pdc = opened(host)
    refused(pdc, 1)
    a = pdc.one(1, p.F_RETX, clear=-1)
    acked(a, pdc, 1, 0, RC_BAD_PID, RESPONSE, REQ_CLEAR)
    acked(host.one(pdc.cp(p.CP_ACK_REQ, 1)), pdc, 1, 0, RC_BAD_PID, RESPONSE,
          REQ_CLEAR)


@case("guaranteed: cleared by a request, or by CLEAR_CMD")
def gtd_clear(host):
    pdc = opened(host)
    refused(pdc, 1, cack=0)
    acked(pdc.one(2, p.F_AR, clear=1), pdc, 2, 2)
    acked(pdc.one(1, clear=1), pdc, 1, 2, RC_NULL)
    refused(pdc, 3, cack=2)
    a = host.one(pdc.cp(p.CP_CLEAR_CMD, flags=0, payload=pdc.psn(3)))
    acked(a, pdc, 3, 3, rc=None)
    # Old ones and those far ahead are ignored
    refused(pdc, 4, cack=3)
    host.none(pdc.cp(p.CP_CLEAR_CMD, flags=0, payload=pdc.psn(2)))
    host.none(pdc.cp(p.CP_CLEAR_CMD, flags=0, payload=pdc.psn(400)))
    acked(pdc.one(5, p.F_AR, clear=-1), pdc, 5, 3)


@case("guaranteed: CLEAR_REQ if nobody clears")
def gtd_clear_req(host):
    pdc = opened(host)
    refused(pdc, 1)
    cp = host.control(p.CP_CLEAR_REQ, pdc.id)
    same("payload", cp.payload, pdc.psn(1))


@case("guaranteed: no room for one more is NO_GTD_DEL_AVAIL")
def gtd_full(host):
    pdc = opened(host)
    for n in range(1, 65):
        refused(pdc, n, cack=0)
    a = pdc.one(65, clear=-1, ses=pdc.ses(pid=NOBODY))
    nacked(a, pdc, NO_GTD, 65)
    # It was not received: it comes again, once there is room
    host.ask(pdc.cp(p.CP_CLEAR_CMD, flags=0, payload=pdc.psn(64)))
    a = pdc.one(65, clear=64, ses=pdc.ses(pid=NOBODY))
    acked(a, pdc, 65, 64, RC_BAD_PID, RESPONSE, REQ_CLEAR)


@case("guaranteed: the last place is for the next packet in order")
def gtd_gap(host):
    pdc = opened(host)
    # All places but one behind a gap, which nobody can clear
    for n in range(2, 65):
        refused(pdc, n, cack=0)
    nacked(pdc.one(65, clear=-1, ses=pdc.ses(pid=NOBODY)), pdc, NO_GTD, 65)
    refused(pdc, 1, cack=0)
    # ... and all of them before it
    host.ask(pdc.cp(p.CP_CLEAR_CMD, flags=0, payload=pdc.psn(64)))
    a = pdc.one(65, clear=64, ses=pdc.ses(pid=NOBODY))
    acked(a, pdc, 65, 64, RC_BAD_PID, RESPONSE, REQ_CLEAR)


@case("guaranteed: each code of the semantic sublayer")
def gtd_codes(host):
    pdc = opened(host)
    for n, (rc, fields) in enumerate((
            (RC_BAD_PID, {"pid": NOBODY}),
            (RC_BAD_INDEX, {"pid": PID, "index": 7}),
            (RC_BAD_JOB, {"pid": PID, "job": 77}),
            (RC_UNSUPPORTED_OP, {"pid": PID, "opcode": 1}),
            (RC_UNSUPPORTED_OP, {"pid": PID, "opcode": 0x10}),
            (RC_OP_VIOLATION, {"pid": PID, "flags": p.S_REL, "length": 10,
                               "offset": 8, "part": 4})), 1):
        refused(pdc, n, rc, **fields)


@case("guaranteed: a PIDonFEP belongs to an address")
def gtd_other_address(host):
    host.run("ip", "addr", "add", ELSEWHERE + "/24", "dev", "uet0").wait()
    ready = f"/tmp/uet-elsewhere-{os.getpid()}"
    for n, job in enumerate((0, 77), 1):
        host.run("uet_recv", "-I", "-A", "-n", "1000", "-B", ELSEWHERE, "-p",
                 str(ABSENT), *(["-J", "-j", str(job)] if job else []), "-R", ready)
        for _ in range(100):
            if os.path.exists(ready):
                break
            time.sleep(0.1 * host.slow)
        os.unlink(ready)
        pdc = opened(host)
        refused(pdc, 1, RC_BAD_PID, pid=ABSENT, job=job)
        # An RI that it does not have there, either
        refused(pdc, 2, RC_BAD_PID, pid=ABSENT, job=job, index=7)
        own, host.addr = host.addr, ELSEWHERE
        try:
            there = Pdc(host)
            host.send(there.packet(0, syn=True, ses=there.ses(
                pid=ABSENT, index=7, job=job)))
            same("at its address", host.next(5).rc, RC_BAD_INDEX)
        finally:
            host.addr = own
        host.programs.pop().kill()


@case("guaranteed: what names no message is answered without one")
def gtd_nameless(host):
    pdc = opened(host)
    for n, nh, more in (1, p.NH_RSP_DATA_SMALL, 0), (3, p.NH_RSP_DATA, 8):
        # What the packet before said is nobody's business
        a = refused(pdc, n, RC_BAD_JOB, pid=PID, job=0x123456, msg_id=0xbeef)
        same("message id, job", (a.msg_id, a.job), (0xbeef, 0x123456))
        what = {"clear": -1, "next_hdr": nh, "payload": b"",
                "ses": p.response(code=0x11) + bytes(more)}
        a = pdc.one(n + 1, **what)
        acked(a, pdc, n + 1, None, RC_UNSUPPORTED_OP, RESPONSE, REQ_CLEAR)
        same("message id, job", (a.msg_id, a.job), (0, 0))
        host.ask(pdc.cp(p.CP_CLEAR_CMD, flags=0, payload=pdc.psn(n + 1)))
        a = pdc.one(n + 1, p.F_RETX, **what)
        acked(a, pdc, n + 1, None, RC_NULL)
        same("message id, job, again", (a.msg_id, a.job), (0, 0))


# --- refusals (UE 1.0 3.5.13) -----------------------------------------------

@case("NACK: INV_DPDCID, to requests and control packets, nothing else")
def nack_unknown(host):
    pdc = Pdc(host)
    pdc.remote = host.helper.remote ^ 0x5a5a or 1
    a = pdc.one(3, p.F_RETX, tos=CE, sport=51234)
    nacked(a, pdc, INV_DPDCID, 3, known=False)
    same("m, retx", (a.m, a.retx), (True, True))
    same("entropy value", a.sport, 51234)
    same("DSCP, ECN", (a.tos >> 2, a.tos & 3), (DSCP_CONTROL, 0))
    for kind in (p.CP_PROBE, p.CP_ACK_REQ, p.CP_CLOSE_CMD):
        nacked(host.one(pdc.cp(kind, 4)), pdc, INV_DPDCID, 4, known=False)
    for data in (pdc.cp(p.CP_CLEAR_CMD), pdc.cp(p.CP_CLEAR_REQ),
                 pdc.cp(p.CP_CREDIT), p.ack(1, pdc.id, pdc.remote),
                 p.ack_cc(1, pdc.id, pdc.remote),
                 p.nack(INV_DPDCID, 1, 0, pdc.remote)):
        host.none(data)


@case("NACK: PDC_HDR_MISMATCH, and the context goes on")
def nack_mismatch(host):
    pdc = opened(host)
    a = host.one(pdc.packet(1, spdcid=pdc.id ^ 1))
    same("code", (a.type, a.code, a.spdcid, a.dpdcid),
         (p.NACK, HDR_MISMATCH, 0, pdc.id ^ 1))
    acked(pdc.one(1, p.F_AR), pdc, 1, 1)


@case("NACK: INVALID_SYN, and a probe whether the old context lives")
def nack_syn(host):
    pdc, other = opened(host), Pdc(host)
    other.id = pdc.id
    host.controls.clear()
    # The old one may be gone: no answer before that is known
    other.none(0, syn=True)
    cp = host.control(p.CP_PROBE, pdc.id)
    host.none(p.ack_cc(pdc.start, pdc.id, pdc.remote, flags=F_PROBE,
                       offset=cp.opaque))
    a = other.one(0, syn=True)
    nacked(a, other, INVALID_SYN, 0, known=False)
    # What it said holds for a second
    time.sleep(1.1)
    other.none(0, syn=True)
    cp = host.control(p.CP_PROBE, pdc.id)
    acked(pdc.one(1, p.F_AR), pdc, 1, 1)
    # That is no answer to it
    host.none(p.nack(INV_DPDCID, pdc.psn(1), 0, pdc.remote))
    acked(pdc.one(1, p.F_RETX), pdc, 1, 1, RC_NULL)
    # Nobody knows it any more: the peer began anew
    host.send(p.nack(INV_DPDCID, cp.psn, 0, pdc.remote))
    a = pdc.one(2)
    nacked(a, pdc, INV_DPDCID, 2, known=False)
    a = other.one(0, syn=True)
    other.remote = a.spdcid
    acked(a, other, 0, 0)


@case("NACK: HDR_MISMATCH to that probe: the peer gave the id to another one")
def nack_syn_mismatch(host):
    pdc, other = opened(host), Pdc(host)
    other.id = pdc.id
    host.controls.clear()
    other.none(0, syn=True)
    cp = host.control(p.CP_PROBE, pdc.id)
    host.none(p.nack(HDR_MISMATCH, cp.psn, 0, pdc.remote))
    nacked(pdc.one(1), pdc, INV_DPDCID, 1, known=False)
    a = other.one(0, syn=True)
    other.remote = a.spdcid
    acked(a, other, 0, 0)


@case("NACK: PSN_OOR_WINDOW, INVALID_SYN with SYN")
def nack_window(host):
    pdc = Pdc(host)
    span = pdc.open().mpr * 128
    nacked(pdc.one(span + 1), pdc, OOR, span + 1)
    if span + 1 < 4096:
        nacked(pdc.one(span + 1, syn=True), pdc, INVALID_SYN, span + 1)
    a = pdc.one(span, p.F_AR)
    acked(a, pdc, span, 0)
    same("ooo", a.ooo, 1)
    pdc.none(-70000)


@case("NACK: PDC_MODE_MISMATCH")
def nack_mode(host):
    pdc = opened(host)
    nacked(pdc.one(1, ptype=p.ROD_REQ), pdc, MODE, 1)
    acked(pdc.one(1, p.F_AR), pdc, 1, 1)


@case("NACK: ROD_OOO without memory, once per gap, again after nack_retx_us")
def nack_rod(host):
    pdc = opened(host, rod=True)
    with Crowd(host):
        with Setting(host, nack_retx_us=8000000):
            nacked(pdc.one(2), pdc, ROD_OOO, 2)
            pdc.none(3)
            pdc.none(2, p.F_RETX)
            acked(pdc.one(1, p.F_AR), pdc, 1, 1)
            nacked(pdc.one(3), pdc, ROD_OOO, 3)
            pdc.none(4)
            acked(pdc.one(2, p.F_AR), pdc, 2, 2)
        with Setting(host, nack_retx_us=1000):
            nacked(pdc.one(4), pdc, ROD_OOO, 4)
            time.sleep(0.01)
            nacked(pdc.one(4), pdc, ROD_OOO, 4)
            acked(pdc.one(3, p.F_AR), pdc, 3, 3)
    # There is memory again
    a = pdc.one(5, p.F_AR)
    kept(a, pdc, 5, 3)
    assert a.has(pdc.psn(5)), "not kept"


@case("NACK: PKT_NOT_RCVD, to ACK_REQ for what never came")
def nack_not_rcvd(host):
    pdc = opened(host)
    nacked(host.one(pdc.cp(p.CP_ACK_REQ, 1)), pdc, NOT_RCVD, 1)
    a = host.one(pdc.cp(p.CP_ACK_REQ, 0, payload=77))
    acked(a, pdc, 0, 0)
    same("message", (a.msg_id, a.job), (77, 0))


@case("NACK: NO_PDC_AVAIL")
def nack_no_pdc(host):
    with Setting(host, pdc_max=1):
        pdc = Pdc(host)
        nacked(pdc.one(0, syn=True), pdc, NO_PDC, 0, known=False)
    pdc.open()


@case("NACK: shortage; RCVR_INFER_LOSS for the lowest when there is room")
def nack_shortage(host):
    pdc = Pdc(host)
    pdc.open(ses=pdc.ses(pid=STOPPED))
    n, refused_at = 0, []
    while len(refused_at) < 3 and n < 500:
        n += 1
        found = host.ask(pdc.packet(n, payload=bytes(4000), ses=pdc.ses(
            pid=STOPPED, length=4000)))
        refused_at += [(a.code, a.psn) for a in found if a.type == p.NACK]
    assert len(refused_at) == 3, f"{n} packets, refused: {refused_at}"
    assert {code for code, _ in refused_at} <= {NO_PKT, NO_SES}, refused_at
    os.kill(READER, signal.SIGCONT)
    a = host.next(5)
    assert a, "nothing came"
    nacked(a, pdc, INFER_LOSS, refused_at[0][1] - pdc.start)


@case("NACK: shortage, to who may count them: four, further and further apart")
def nack_shortage_shy(host):
    os.kill(READER, signal.SIGSTOP)
    pdc = Pdc(host)
    a = host.one(pdc.packet(0, syn=True, ses=pdc.ses(pid=STOPPED)),
                 source=SHY)
    # Anybody could have sent that in its name
    host.ask(pdc.cp_syn(p.CP_PROBE, 0), source=SHY)
    pdc.remote, n, nacks, gaps = a.spdcid, 0, [], []
    before, end = host.stat("Shortage"), None
    # As fast as it can, and as long as somebody with timeouts would
    while not end or time.monotonic() < end:
        if host.stat("Shortage") == before:
            n += 1
        elif not end:
            end = time.monotonic() + 1 * host.slow
        for a in host.ask(pdc.packet(n, payload=bytes(4000), ses=pdc.ses(
                pid=STOPPED, length=4000)), source=SHY):
            if a.type == p.NACK:
                assert a.code in (NO_PKT, NO_SES), a
                nacks.append(a.sent)
        assert n < 500, "nothing was refused"
    assert 2 <= len(nacks) <= 4, f"{len(nacks)} refusals"
    gaps = [b - a for a, b in zip(nacks, nacks[1:])]
    assert all(gap >= 0.003 for gap in gaps), f"apart by {gaps}"
    os.kill(READER, signal.SIGCONT)
    a = host.next(5)
    assert a, "nothing came"
    nacked(a, pdc, INFER_LOSS, n)


@case("NACK: trimmed packets, which open nothing")
def nack_trimmed(host):
    pdc = opened(host)
    with Setting(host, trimming=1, dscp_trimmed=10, dscp_trimmed_lasthop=12):
        for dscp, code in ((10, TRIMMED), (12, TRIMMED_LASTHOP)):
            data = pdc.packet(1, payload=bytes(4000))
            a = host.one(data[:16], tos=dscp << 2, udp_len=8 + len(data))
            nacked(a, pdc, code, 1)
        acked(pdc.one(1, p.F_AR), pdc, 1, 1)
        a = host.one(pdc.packet(1)[:16], tos=10 << 2, udp_len=72)
        same("type", (a.type, a.psn), (p.ACK_CC, pdc.psn(1)))
        # What is left does not name the message
        a = host.one(pdc.packet(0, syn=True)[:16], tos=10 << 2, udp_len=72)
        acked(a, pdc, 0, 1)
        same("message id", a.msg_id, 0)
        # An answer that is kept is the answer to what is left of a copy, too
        refused(pdc, 2, cack=1)
        a = host.one(pdc.packet(2)[:16], tos=10 << 2, udp_len=72)
        acked(a, pdc, 2, 1, RC_BAD_PID, RESPONSE, REQ_CLEAR)
        fresh = Pdc(host)
        before = host.stat("PdcAccepted")
        a = host.one(fresh.packet(0, syn=True)[:16], tos=10 << 2, udp_len=72)
        nacked(a, fresh, TRIMMED, 0, known=False)
        same("contexts", host.stat("PdcAccepted"), before)


@case("SYN flood: one that goes on does not keep the silent ones")
def syn_flood_rest(host):
    # What others have opened has been silent for long enough to go
    time.sleep(1.1)
    share = host.stat("CurPdcs") + 10
    with Setting(host, pdc_max=4 * share):
        before = host.stat("PdcAccepted")
        flood = [Pdc(host) for _ in range(share)]
        for pdc in flood:
            host.send(pdc.packet(0, syn=True), source="10.0.0.67")
        host.answers()
        same("contexts", host.stat("PdcAccepted") - before, share)
        for _ in range(4):
            time.sleep(0.4)
            host.send(flood[0].packet(0, syn=True), source="10.0.0.67")
        host.send(Pdc(host).packet(0, syn=True), source="10.0.0.68")
        host.answers()
        same("contexts", host.stat("PdcAccepted") - before, share + 1)


@case("SYN flood: contexts that are asked to close make room as well")
def syn_flood_asked(host):
    share = host.stat("CurPdcs") + 20
    with Setting(host, pdc_max=4 * share, pdc_idle_s=1, close_req_time_ms=60000):
        for _ in range(10):
            host.send(Pdc(host).packet(0, syn=True), source="10.0.0.67")
        # Idle after two seconds
        time.sleep(3)
        before = host.stat("PdcAccepted")
        for _ in range(share):
            host.send(Pdc(host).packet(0, syn=True), source="10.0.0.67")
        host.answers()
        same("contexts", host.stat("PdcAccepted") - before, share)


# --- closing (UE 1.0 3.5.8) -------------------------------------------------

@case("close: CLOSE_CMD is answered again, late packets deliver nothing")
def close_cmd(host):
    pdc = opened(host)
    host.none(pdc.cp(p.CP_CLOSE_CMD, 2))    # packet 1 is missing
    acked(pdc.one(1, p.F_AR), pdc, 1, 1)
    before = host.stat("MsgReceived"), host.stat("PdcAccepted")
    # The record stays for twice the RTO, on slow machines long enough to look
    with Setting(host, rto_min_us=4000000):
        for _ in range(2):
            acked(host.one(pdc.cp(p.CP_CLOSE_CMD, 2)), pdc, 2, 2, rc=None)
        acked(pdc.one(0, syn=True), pdc, 0, 2, rc=RC_NULL)
        nacked(pdc.one(3), pdc, CLOSING, 3)
    same("messages, contexts",
         (host.stat("MsgReceived"), host.stat("PdcAccepted")), before)
    a, end = pdc.one(3), time.monotonic() + 20 * host.slow
    while a.code != INV_DPDCID and time.monotonic() < end:
        time.sleep(0.1)
        a = pdc.one(3)
    nacked(a, pdc, INV_DPDCID, 3, known=False)


@case("close: another start PSN replaces the record")
def close_replaced(host):
    pdc, again = opened(host), Pdc(host)
    acked(host.one(pdc.cp(p.CP_CLOSE_CMD, 1)), pdc, 1, 1, rc=None)
    again.id = pdc.id
    acked(again.open(), again, 0, 0)
    nacked(pdc.one(2), pdc, INV_DPDCID, 2, known=False)


@case("close: CLOSE_CMD clears what is guaranteed")
def close_clears(host):
    pdc = opened(host)
    refused(pdc, 1, cack=0)
    acked(host.one(pdc.cp(p.CP_CLOSE_CMD, 2)), pdc, 2, 2, rc=None)


@case("close: CLOSE_REQ to who is silent; INV_DPDCID with its PSN will do")
def close_req(host):
    with Setting(host, pdc_idle_s=1):
        pdc = opened(host)
        pdc.one(1, p.F_AR)
        same("PSN", host.control(p.CP_CLOSE_REQ, pdc.id, 10).psn, pdc.psn(0))
        probe = pdc.cp(p.CP_PROBE, payload=pdc.psn(0), opaque=7)
        host.none(p.nack(INV_DPDCID, pdc.start ^ 5, 0, pdc.remote))
        same("still there", host.one(probe).type, p.ACK_CC)
        host.none(p.nack(INV_DPDCID, pdc.start, 0, pdc.remote))
        same("gone", host.one(probe).code, INV_DPDCID)


# --- the rest ---------------------------------------------------------------

@case("NOOP takes a PSN like a request")
def noop(host):
    pdc = opened(host)
    acked(host.one(pdc.cp(p.CP_NOOP, 1)), pdc, 1, 1, rc=None)
    a = host.one(pdc.cp(p.CP_NOOP, 3))
    acked(a, pdc, 3, 1, rc=None)
    assert a.has(pdc.psn(3)), "answered, but not received"
    acked(pdc.one(2, p.F_AR), pdc, 2, 3)
    acked(host.one(pdc.cp(p.CP_NOOP, 3)), pdc, 3, 3, rc=None)
    nacked(host.one(pdc.cp(p.CP_NOOP, 60000)), pdc, OOR, 60000)


@case("NOOP on an ordered context comes in line")
def noop_rod(host):
    pdc = opened(host, rod=True)
    a = host.one(pdc.cp(p.CP_NOOP, 2))
    acked(a, pdc, 2, 0, rc=None)
    assert a.has(pdc.psn(2)), "answered, but not received"
    kept(pdc.one(3, p.F_AR), pdc, 3)
    acked(host.one(pdc.cp(p.CP_NOOP, 1)), pdc, 1, 3, rc=None)
    acked(pdc.one(3), pdc, 3, 3, rc=RC_NULL)
    with Crowd(host):
        nacked(host.one(pdc.cp(p.CP_NOOP, 5)), pdc, ROD_OOO, 5)


@case("NOOP and NEGOTIATION with SYN open a context")
def noop_syn(host):
    for kind in (p.CP_NOOP, p.CP_NEGOTIATION):
        for rod in (False, True):
            pdc = Pdc(host, rod)
            a = host.one(pdc.cp_syn(kind, 0))
            pdc.remote = a.spdcid
            acked(a, pdc, 0, 0, rc=None)
            acked(host.one(pdc.cp_syn(kind, 0)), pdc, 0, 0, rc=None)
            acked(pdc.one(1, p.F_AR), pdc, 1, 1)
    # What closes or asks opens none
    pdc = Pdc(host)
    host.none(pdc.cp_syn(p.CP_CLOSE_CMD, 0))
    host.none(pdc.cp_syn(p.CP_PROBE, 0))


@case("a message of several packets in any order; MSG_ERROR before them")
def parts(host):
    pdc = opened(host)
    before = host.stat("MsgReceived")

    def part(n, first, offset=0, **fields):
        flags = p.S_REL | (p.S_SOM if first else 0)
        return pdc.packet(n, p.F_AR, payload=bytes(100), ses=p.ses_std(
            pid=PID, flags=flags, length=300, offset=offset, part=100,
            msg_id=9, **fields))

    for n, offset in ((3, 200), (2, 100)):
        acked(host.one(part(n, False, offset)), pdc, n)
    same("messages", host.stat("MsgReceived"), before)
    acked(host.one(part(1, True)), pdc, 1, 3)
    same("messages", host.stat("MsgReceived"), before + 1)
    error = pdc.packet(6, p.F_AR, payload=b"", ses=p.ses_std(
        pid=PID, opcode=p.OP_MSG_ERROR, flags=p.S_REL | p.S_EOM, length=300,
        offset=200, part=0, msg_id=10))
    acked(host.one(error), pdc, 6, 3)
    for n, offset in ((5, 100), (4, 0)):
        data = pdc.packet(n, p.F_AR, payload=bytes(100), ses=p.ses_std(
            pid=PID, flags=p.S_REL | (0 if offset else p.S_SOM), length=300,
            offset=offset, part=100, msg_id=10))
        acked(host.one(data), pdc, n)
    same("messages", host.stat("MsgReceived"), before + 1)


@case("ordered: what comes early is kept, SACKed, with NO_RESPONSE; PSNs wrap")
def early(host):
    pdc = opened(host, rod=True, start=-3 & 0xffffffff)
    before = host.stat("MsgReceived")
    for n in (3, 6, 2):
        a = pdc.one(n, p.F_AR)
        kept(a, pdc, n)
        assert a.has(pdc.psn(n)) and not a.has(pdc.psn(1)), "SACK"
    same("out of order", a.ooo, 3)
    same("messages", host.stat("MsgReceived"), before)
    # Again, and asked for: it has no response yet
    kept(pdc.one(3, p.F_RETX), pdc, 3)
    nacked(host.one(pdc.cp(p.CP_ACK_REQ, 3)), pdc, SES_PROCG, 3)
    nacked(host.one(pdc.cp(p.CP_ACK_REQ, 4)), pdc, NOT_RCVD, 4)
    pdc.none(5)
    a = pdc.one(1, p.F_RETX)
    acked(a, pdc, 1, 3)
    assert a.has(pdc.psn(5)) and a.has(pdc.psn(6)) and not a.has(pdc.psn(4)), "SACK"
    same("messages", host.stat("MsgReceived"), before + 3)
    acked(pdc.one(3), pdc, 3, 3, rc=RC_NULL)
    acked(host.one(pdc.cp(p.CP_ACK_REQ, 3)), pdc, 3, 3)
    # 6 asked for an ACK, which is due when CACK reaches it
    acked(pdc.one(4), pdc, 4, 6)
    same("messages", host.stat("MsgReceived"), before + 6)


@case("ordered: a message in parts that come early, and MSG_ERROR among them")
def early_parts(host):
    pdc = opened(host, rod=True)
    before = host.stat("MsgReceived")

    def part(n, offset, msg_id=9, flags=0, data=bytes(100), **fields):
        return pdc.packet(n, p.F_AR, payload=data, ses=p.ses_std(
            pid=PID, flags=p.S_REL | flags, length=300, offset=offset, part=len(data),
            msg_id=msg_id, **fields))

    def error(n, offset):
        return part(n, offset, 10, p.S_EOM, b"", opcode=p.OP_MSG_ERROR)

    for data, n in ((part(3, 200, flags=p.S_EOM), 3), (error(5, 100), 5),
                    (part(2, 100), 2), (part(4, 0, 10, p.S_SOM), 4)):
        kept(host.one(data), pdc, n)
    acked(host.one(part(1, 0, flags=p.S_SOM)), pdc, 1, 5)
    same("messages", host.stat("MsgReceived"), before + 1)
    acked(pdc.one(6, p.F_AR), pdc, 6, 6)
    same("messages", host.stat("MsgReceived"), before + 2)


@case("ordered: an error of what came early is answered when it is its turn")
def early_error(host):
    pdc = opened(host, rod=True)
    for n in (3, 2):
        kept(pdc.one(n, p.F_AR, ses=pdc.ses(pid=NOBODY, length=4)), pdc, n)
    # A clear of what has no response yet clears nothing
    kept(pdc.one(5, p.F_AR, clear=3), pdc, 5)
    kept(pdc.one(6, p.F_AR, clear=4), pdc, 6)
    found = sorted(host.ask(pdc.packet(1, p.F_AR)), key=lambda a: a.psn - pdc.start)
    same("answers", len(found), 3)
    acked(found[0], pdc, 1, 1)
    for n, a in enumerate(found[1:], 2):
        acked(a, pdc, n, 1, RC_BAD_PID, RESPONSE, REQ_CLEAR)
    acked(pdc.one(4, p.F_AR, clear=3), pdc, 4, 6)


@case("ordered: what a switch trimmed of what came early")
def early_trimmed(host):
    pdc = opened(host, rod=True)
    kept(pdc.one(2, p.F_AR), pdc, 2)
    with Setting(host, trimming=1, dscp_trimmed=10):
        a = host.one(pdc.packet(2)[:16], tos=10 << 2, udp_len=72)
        kept(a, pdc, 2)
        for n in (3, 1):
            data = pdc.packet(n, payload=bytes(4000))
            nacked(host.one(data[:16], tos=10 << 2, udp_len=8 + len(data)), pdc, TRIMMED,
                   n)
    acked(pdc.one(1, p.F_RETX), pdc, 1, 2)


@case("ordered: what came early and has no room waits, with all behind it")
def early_short(host):
    pdc, other = opened(host, rod=True), opened(host)
    kept(pdc.one(2, p.F_AR, payload=bytes(4000), ses=pdc.ses(
        pid=STOPPED, length=4000)), pdc, 2)
    os.kill(READER, signal.SIGSTOP)
    n, short = 0, False
    while not short:
        n += 1
        assert n < 500, "there is always room"
        short = any(a.type == p.NACK for a in host.ask(other.packet(
            n, payload=bytes(4000), ses=other.ses(pid=STOPPED, length=4000))))
    acked(pdc.one(1, p.F_AR), pdc, 1, 1)
    nacked(host.one(pdc.cp(p.CP_ACK_REQ, 2)), pdc, SES_PROCG, 2)
    a = pdc.one(3)
    same("type", a.type, p.NACK)
    assert a.code in (NO_PKT, NO_SES), a
    same("nack_psn", a.psn, pdc.psn(3))
    os.kill(READER, signal.SIGCONT)
    found = {}
    while len(found) < 2:
        a = host.next(5)
        assert a, f"nothing came after {found}"
        if a.dpdcid == pdc.id:
            found[a.type] = a
    acked(found[p.ACK_CC], pdc, 2, 2, rc=None)
    nacked(found[p.NACK], pdc, INFER_LOSS, 3)
    acked(pdc.one(3, p.F_RETX), pdc, 3, 3)
    host.answers()


@case("ordered: CLOSE_CMD waits for the gap; what is kept goes with its context")
def early_close(host):
    pdc = opened(host, rod=True)
    pdc.none(2)
    host.none(pdc.cp(p.CP_CLOSE_CMD, 3))
    host.none(pdc.cp(p.CP_CLOSE_CMD, 2))
    acked(pdc.one(1, p.F_AR), pdc, 1, 2)
    # This and the next one stay until the namespace goes
    for n in range(5, 40):
        host.send(pdc.packet(n))
    host.answers()
    acked(host.one(pdc.cp(p.CP_CLOSE_CMD, 3)), pdc, 3, 3, rc=None)
    last = opened(host, rod=True)
    for n in range(2, 40):
        host.send(last.packet(n))
    host.answers()


@case("small headers, MEDIUM, and bytes behind the end of a message")
def forms(host):
    pdc = opened(host)
    before = host.stat("MsgReceived")
    acked(pdc.one(1, p.F_AR, ses=p.ses_medium(4, pid=PID),
                  next_hdr=p.NH_MEDIUM), pdc, 1, 1)
    acked(pdc.one(2, p.F_AR, ses=pdc.ses(length=2)), pdc, 2, 2)
    acked(pdc.one(3, p.F_AR, payload=b"", ses=pdc.ses(length=0)), pdc, 3, 3)
    same("messages", host.stat("MsgReceived"), before + 3)


@case("deferrable messages are taken as others: whole, in parts, given up")
def deferrable(host):
    pdc = opened(host)
    before = host.stat("MsgReceived")
    for n, op in enumerate((p.OP_DEFERRABLE_SEND, p.OP_DEFERRABLE_TSEND), 1):
        acked(pdc.one(n, p.F_AR, ses=pdc.ses(opcode=op, length=4)), pdc, n, n)
    same("messages", host.stat("MsgReceived"), before + 2)

    def part(n, offset, flags, size=100, **fields):
        return pdc.packet(n, p.F_AR, payload=bytes(size), ses=p.ses_std(
            opcode=p.OP_DEFERRABLE_SEND, pid=PID, flags=p.S_REL | flags, length=300,
            offset=offset, part=size, **fields))

    for n, offset, flags in ((3, 0, p.S_SOM), (4, 100, 0), (5, 200, p.S_EOM)):
        acked(host.one(part(n, offset, flags, msg_id=20)), pdc, n, n)
    same("messages", host.stat("MsgReceived"), before + 3)
    acked(host.one(part(6, 0, p.S_SOM, msg_id=21)), pdc, 6, 6)
    acked(host.one(part(7, 100, p.S_EOM, size=0, msg_id=21)), pdc, 7, 7)
    # The message is closed: what comes late is dropped
    acked(host.one(part(8, 100, 0, msg_id=21)), pdc, 8, 8)
    same("messages", host.stat("MsgReceived"), before + 3)


@case("operations that are not there, and extensions that are cut")
def unsupported(host):
    pdc = opened(host)
    for n, op, more, rc in (
            (1, p.OP_RENDEZVOUS_SEND, 24, RC_UNSUPPORTED_OP),
            (2, p.OP_RENDEZVOUS_SEND, 23, RC_OP_VIOLATION),
            (3, p.OP_DEFERRABLE_RTR, 0, RC_CANCELLED)):
        a = pdc.one(n, p.F_AR, payload=bytes(more),
                    ses=pdc.ses(opcode=op, length=0))
        acked(a, pdc, n, None, rc, RESPONSE, REQ_CLEAR)


def main():
    global PID, STOPPED, READER
    addr, own, netns = sys.argv[1:4]
    PID, STOPPED, READER, slow = map(int, sys.argv[4:8])
    host = Host(addr, own, netns, slow)
    CASES.run(host)


if __name__ == "__main__":
    main()
