# SPDX-License-Identifier: GPL-2.0
"""NACK codes: when a target sends them, what a source does (UE 1.0 3.5.13)."""
import errno
import time

from drill import CE, WITHIN, ack, cp, form, nack, p, request, rule, same

DSCP_CONTROL = 46
TRIM, TRIM_LAST = 10, 12


def by_nack(sock):
    """It was not a time-out"""
    same("time-outs", sock.info()["timeouts"], 0)


# --- the source ---------------------------------------------------------------

def again(d, code):
    d.patient()
    sock, pdc = d.sending(1)
    pdc.inject(nack(code, 1))
    pdc.expect(request(1, retx=True, ar=True))
    by_nack(sock)
    pdc.inject(ack(1, retx=True))
    d.delivered(sock)


def fatal(d, code):
    d.patient()
    sock, pdc = d.sending(1)
    pdc.inject(nack(code, 1))
    d.failed(sock, errno.ECONNRESET)
    # The context is gone: whoever goes on by it is told
    d.never(pdc, request(1, retx=True))
    pdc.inject(request(0))
    pdc.expect(nack(p.INV_DPDCID, 0, known=False))


def moves(d, code, known=False):
    d.patient()
    sock, pdc = d.sending(1)
    pdc.inject(nack(code, 1, known=known))
    other = d.opened()
    assert other.remote != pdc.remote, "on the same context"
    other.expect(request(0, syn=True))
    other.inject(ack(0))
    d.delivered(sock)


def held(d, code):
    d.patient()
    sock, pdc = d.sending(2)
    before = time.time()
    pdc.inject(nack(code, 1))
    pdc.inject(nack(code, 2))
    a = pdc.expect(request(1, retx=True, ar=True))
    assert a.sent - before >= 0.001, f"after {a.sent - before} s"
    d.never(pdc, request(2, retx=True))
    pdc.inject(ack(1, retx=True))
    pdc.expect(request(2, retx=True))
    pdc.inject(ack(2, retx=True))
    d.delivered(sock)
    d.delivered(sock)
    by_nack(sock)


def unopened(d, code):
    d.patient()
    d.setting(nack_retx_us=20000)
    sock = d.send()
    pdc = d.opened()
    a = pdc.expect(request(0, syn=True))
    pdc.inject(nack(code, 0, known=False))
    b = pdc.expect(request(0, syn=True, retx=True))
    # Jittered, so that not all come at once
    assert b.sent - a.sent >= 0.01, f"after {b.sent - a.sent} s"
    by_nack(sock)
    pdc.inject(ack(0, retx=True))
    d.delivered(sock)


def error(d, code):
    d.patient()
    d.setting(max_nack_retx=3)
    sock, pdc = d.sending(1)
    for n in range(3):
        pdc.inject(nack(code, 1, retx=n > 0))
        pdc.expect(request(1, retx=True))
    pdc.inject(nack(code, 1, retx=True))
    d.failed(sock, errno.EREMOTEIO)


def ignored(d, code):
    d.patient()
    sock, pdc = d.sending(1)
    pdc.inject(nack(code, 1))
    d.never(pdc, request(1, retx=True))
    d.silent(sock)
    pdc.inject(ack(1))
    d.delivered(sock)


def source(name, what, text, code=None, **how):
    """A script for what a source does with a code"""
    code = getattr(p, name) if code is None else code

    def script(d):
        what(d, code)
    script.__name__ = f"source_{name}"
    globals()[script.__name__] = script
    rule("3.5.13", f"{name} ({code:#04x}) {text}", **how)(script)


source("TRIMMED", again, "at a source: the packet is sent again, as soon as the window "
       "allows it")
source("TRIMMED_LASTHOP", again, "at a source: the same")
source("TRIMMED_ACK", again, "at a source: the original request is sent again")
for _name in "NO_PDC_AVAIL", "NO_CCC_AVAIL", "NO_BITMAP":
    source(_name, unopened, "at a source, for a packet with SYN: it tries again with SYN "
           "after NACK_Retx_Time")
for _name in "NO_PKT_BUFFER", "NO_GTD_DEL_AVAIL", "NO_SES_MSG_AVAIL", "NO_RESOURCE":
    source(_name, held, "at a source: after NACK_Retx_Time one packet tries whether there "
           "is room; others of that endpoint are held until then")
source("PSN_OOR_WINDOW", again, "at a source: the packet is sent again once it is in the "
       "window")
source("INV_DPDCID", moves, "at a source: the PDC is gone; a message of which nothing can "
       "have been accepted goes by a new one")
source("PDC_HDR_MISMATCH", moves, "at a source: as INV_DPDCID")
source("CLOSING", lambda d, code: moves(d, code, True), "at a source: as INV_DPDCID")
source("CLOSING_IN_ERR", fatal, "at a source: the PDC ends, nothing is sent again, the rest "
       "fails")
source("PKT_NOT_RCVD", error, "at a source: the packet is sent again; more than "
       "Max_NACK_Retx_Cnt in a row close the PDC in error")
source("GTD_RESP_UNAVAIL", fatal, "at a source: the message fails, nothing is sent again")
source("ACK_WITH_DATA", error, "at a source: the original request is sent again, as for "
       "PKT_NOT_RCVD")
source("PDC_MODE_MISMATCH", fatal, "at a source: the PDC ends")
source("UNEXP_EVENT", fatal, "at a source: the PDC ends")
source("RCVR_INFER_LOSS", again, "at a source: the packet is sent again, as soon as the "
       "window allows it")
source("RCVD_SES_PROCG", ignored, "at a source: it waits; the packet is not sent again at "
       "once")
source("NEW_START_PSN", again, "at a source: all that is not acknowledged is numbered anew "
       "and sent with SYN", missing="it belongs to security (TSS): the packet is sent again "
       "as it was")
source("RESERVED", ignored, "and other reserved codes are ignored at a source", 0x1b)
source("NONE", ignored, "is reserved, and ignored at a source", 0)
source("DRAFT", again, "at a source: it is reserved, and ignored like other codes that are", 0x0c,
       deviates="drafts had it for an ordered packet that came early: it is taken as a normal "
       "code, and the packet is sent again. That is an extension of this module, which does "
       "not send it")
source("EXP_NORMAL", again, "at a source: as any other normal code")
source("EXP_ERROR", error, "at a source: as any other error code")
source("EXP_FATAL", fatal, "at a source: as any other fatal code")


@rule("3.5.13", "INVALID_SYN (0x15) before any answer, at a source: the PDC ends, its "
      "messages go by a new one")
def source_INVALID_SYN(d):
    d.patient()
    sock = d.send()
    pdc = d.opened()
    pdc.expect(request(0, syn=True))
    pdc.inject(nack(p.INVALID_SYN, 0, known=False))
    other = d.opened()
    assert other.remote != pdc.remote, "on the same context"
    other.answer(ack(0))
    d.delivered(sock)


@rule("3.5.13", "ROD_OOO (0x0d) at a source: everything from CACK + 1 on is sent again, in "
      "order")
def source_ROD_OOO(d):
    d.patient()
    sock = d.socket(100, notify=True, ordered=True)
    d.send(sock=sock)
    pdc = d.opened(p.ROD_REQ)
    pdc.answer(ack(0))
    for _ in range(4):
        d.send(sock=sock)
    for n in range(1, 5):
        pdc.expect(request(n, retx=False))
    pdc.inject(ack(1))
    pdc.inject(nack(p.ROD_OOO, 3))
    for n in range(2, 5):
        pdc.expect(request(n, retx=True))
        pdc.inject(ack(n, retx=True, rcvd=n + 1))
    by_nack(sock)
    for _ in range(5):
        d.delivered(sock)


@rule("3.5.13", "A message that may have been accepted in part fails when its PDC is gone")
def source_maybe_accepted(d):
    d.patient()
    d.setting(payload_mtu=1024)
    sock = d.send()
    pdc = d.opened()
    pdc.answer(ack(0))
    d.delivered(sock)
    d.send(bytes(2000), sock=sock)
    pdc.expect(request(1))
    pdc.expect(request(2))
    pdc.inject(ack(1))
    pdc.inject(nack(p.INV_DPDCID, 2, known=False))
    d.failed(sock, errno.ECONNRESET)


@rule("3.5.13", "A NACK of a PSN that is not outstanding changes nothing")
def source_out_of_range(d):
    d.patient()
    sock, pdc = d.sending(1)
    for n in -1, 0, 2, 1 << 20:
        for code in p.RCVR_INFER_LOSS, p.CLOSING_IN_ERR, p.INV_DPDCID:
            pdc.inject(nack(code, n))
    d.never(pdc, request(1, retx=True))
    d.silent(sock)
    pdc.inject(ack(1))
    d.delivered(sock)


@rule("3.5.13", "A NACK that is not from the peer changes nothing, nor one with an spdcid "
      "that is neither 0 nor the peer's")
def source_not_the_peer(d):
    d.patient()
    sock, pdc = d.sending(1)
    pdc.inject(nack(p.CLOSING_IN_ERR, 1), source=d.elsewhere)
    pdc.inject(nack(p.CLOSING_IN_ERR, 1, spdcid=pdc.id ^ 1))
    pdc.inject(nack(p.RCVR_INFER_LOSS, 1, spdcid=pdc.id ^ 1))
    d.never(pdc, request(1, retx=True))
    d.silent(sock)
    pdc.inject(ack(1))
    d.delivered(sock)


@rule("3.5.13", "A NACK of what is acknowledged or SACKed is ignored")
def source_acknowledged(d):
    d.patient()
    sock, pdc = d.sending(3)
    pdc.inject(ack(1, sack=[3]))
    pdc.inject(nack(p.RCVR_INFER_LOSS, 1))
    pdc.inject(nack(p.RCVR_INFER_LOSS, 3))
    d.never(pdc, request(1, retx=True))
    d.never(pdc, request(3, retx=True))
    pdc.inject(ack(3))
    for _ in range(3):
        d.delivered(sock)


@rule("3.5.13", "An INV_DPDCID without a PSN counts only while a control packet without one "
      "is out, and then not by itself")
def source_no_psn(d):
    d.patient()
    sock, pdc = d.sending(1)
    pdc.inject(p.nack(p.INV_DPDCID, 0, 0, pdc.remote))
    d.silent(sock)
    pdc.inject(ack(1))
    d.delivered(sock)
    d.send(sock=sock)
    pdc.answer(ack(2))
    d.delivered(sock)


@rule("3.5.13", "Normal NACKs, however many, never close a PDC by their number",
      deviates="UE 1.0 counts NACKs in Max_NACK_Retx_Cnt; an incast trims one packet more "
      "often than that, so only the error class is counted")
def source_many(d):
    d.patient()
    sock, pdc = d.sending(1)
    for n in range(12):
        pdc.inject(nack(p.TRIMMED, 1, retx=n > 0))
        pdc.expect(request(1, retx=True))
    pdc.inject(ack(1, retx=True))
    d.delivered(sock)


@rule("3.5.13", "What is held goes on at once when the target tells of room by "
      "RCVR_INFER_LOSS")
def source_woken(d):
    d.patient()
    d.setting(nack_retx_us=8000000)
    sock, pdc = d.sending(1)
    pdc.inject(nack(p.NO_PKT_BUFFER, 1))
    d.never(pdc, request(1, retx=True))
    before = time.time()
    pdc.inject(nack(p.RCVR_INFER_LOSS, 1))
    a = pdc.expect(request(1, retx=True))
    pdc.inject(ack(1, retx=True))
    d.delivered(sock)
    assert a.sent - before < 8, "it waited for NACK_Retx_Time"


@rule("3.5.13", "Messages for another endpoint go on while some are held")
def source_others_go_on(d):
    d.patient()
    d.setting(nack_retx_us=8000000)
    sock, pdc = d.sending(1)
    pdc.inject(nack(p.NO_PKT_BUFFER, 1))
    d.settle()
    d.send(sock=sock, to=d.here(pid=292))
    other = d.opened()
    other.expect(request(0, pid=292))
    other.inject(ack(0))
    d.delivered(sock)
    pdc.inject(nack(p.RCVR_INFER_LOSS, 1))
    pdc.expect(request(1, retx=True))
    pdc.inject(ack(1, retx=True))
    d.delivered(sock)


@rule("3.5.13", "A NACK about RUDI (nt) names a pkt_id, and belongs to no PDC")
def source_rudi(d):
    d.patient()
    sock, pdc = d.sending(1)
    d.counted("DropBadNack")
    pdc.inject(nack(p.CLOSING_IN_ERR, 1, flags=p.F_NT))
    same("dropped", d.counted("DropBadNack"), 1)
    d.silent(sock)
    pdc.inject(ack(1))
    d.delivered(sock)


def rudi_nacked(d, code, retx=0):
    """The host writes, and is answered by a NACK; its socket and what it sends then"""
    sock = d.socket(153, notify=True)
    sock.send(b"data", d.here(), delivery=3, write=(p.KEY_IDEMPOTENT, 0))
    a = d.find(lambda a: a.type == p.RUDI_REQ, WITHIN)
    assert a, "no RUDI_REQ"
    d.pdc().inject(p.nack(code, a.pkt_id, 0, 0, flags=p.F_NT | retx))
    return sock, a


@rule("3.5.13", "RUDI: what was trimmed or refused for shortage is sent again")
def rudi_again(d):
    d.patient()
    for code in p.TRIMMED, p.NO_PKT_BUFFER, p.RCVR_INFER_LOSS:
        sock, a = rudi_nacked(d, code)
        again = d.find(lambda b: b.type == p.RUDI_REQ, WITHIN)
        same("again", again and (again.pkt_id, again.retx), (a.pkt_id, True))
        d.pdc().inject(p.rudi(a.pkt_id, p.RUDI_RESP, flags=p.F_RETX))
        d.delivered(sock)
        sock.close()


@rule("3.5.13", "RUDI: a fatal NACK fails the message")
def rudi_fatal(d):
    d.patient()
    sock, _ = rudi_nacked(d, p.UNEXP_EVENT)
    d.failed(sock, errno.EREMOTEIO)


@rule("3.5.13", "NACK_CCX is a NACK; its extended state is not looked at")
def source_ccx(d):
    d.patient()
    sock, pdc = d.sending(1)
    data = nack(p.RCVR_INFER_LOSS, 1).build(pdc)
    pdc.inject(p.prologue(p.NACK_CCX, 0, 0) + data[2:] + bytes(16))
    pdc.expect(request(1, retx=True))
    by_nack(sock)
    pdc.inject(ack(1, retx=True))
    d.delivered(sock)


# --- the target ---------------------------------------------------------------

def trimmed(d, code, dscp):
    d.setting(trimming=1, dscp_trimmed=TRIM, dscp_trimmed_lasthop=TRIM_LAST)
    pdc = d.open()
    data = request(1, data=bytes(1000)).build(pdc)
    pdc.inject(data[:16], tos=dscp << 2, udp_len=8 + len(data))
    pdc.expect(nack(code, 1, known=True))
    pdc.inject(request(1, ar=True, retx=True))
    pdc.expect(ack(1, cack=1))


@rule("3.6.12", "A packet that came trimmed is NACKed TRIMMED (0x01) and delivers nothing",
      malformed="trimmed packets")
def target_TRIMMED(d):
    trimmed(d, p.TRIMMED, TRIM)


@rule("3.6.12", "... trimmed on the last hop, TRIMMED_LASTHOP (0x02)",
      malformed="trimmed packets")
def target_TRIMMED_LASTHOP(d):
    trimmed(d, p.TRIMMED_LASTHOP, TRIM_LAST)


@rule("3.6.12", "... A trimmed packet for a PDCID that nobody has is NACKed INV_DPDCID; not "
      "if its source sends CRCs, as it has none which tells that the PDCID is right",
      malformed="trimmed packets")
def trimmed_for_nobody(d):
    d.setting(trimming=1, dscp_trimmed=TRIM)
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))
    data = request(2, dpdcid=pdc.remote ^ 0x4000, data=bytes(1000)).build(pdc)

    def inject():
        pdc.inject(data[:16], tos=TRIM << 2, udp_len=8 + len(data))

    if "crc" not in form.DEFAULT:
        inject()
        pdc.expect(nack(p.INV_DPDCID, 2, known=False))
        return
    d.counted("DropCrc")
    for protect in 2, 1:
        d.setting(data_protect=protect)
        inject()
        pdc.expect_nothing()
        same("dropped", d.counted("DropCrc"), 1)


@rule("3.6.12", "A trimmed packet that had come before gets the ACK of a duplicate",
      malformed="trimmed packets")
def target_trimmed_duplicate(d):
    d.setting(trimming=1, dscp_trimmed=TRIM)
    pdc = d.open()
    data = request(0).build(pdc)
    pdc.inject(data[:16], tos=TRIM << 2, udp_len=8 + len(data))
    pdc.expect(ack(0, cack=0))


@rule("3.5.13", "Without a PDC to give a SYN is NACKed NO_PDC_AVAIL (0x04), with spdcid 0")
def target_NO_PDC_AVAIL(d):
    pdc = d.pdc()
    d.setting(pdc_max=1)
    pdc.inject(request(0, syn=True))
    pdc.expect(nack(p.NO_PDC_AVAIL, 0, known=False, dpdcid=pdc.id, payload=0))


@rule("3.5.13", "Without room for it a packet is NACKed NO_PKT_BUFFER (0x07) or "
      "NO_SES_MSG_AVAIL (0x09), and is not received")
def target_shortage(d):
    sock = d.socket(300, rcvbuf=16384)
    pdc = d.open(pid=300)
    # Such a peer waits when it is told, as one that has sent a probe does
    pdc.inject(cp(p.CP_PROBE, ar=True, opaque=1))
    pdc.expect(ack(opaque=1))
    for n in range(1, 100):
        pdc.inject(request(n, data=bytes(1000), pid=300, ar=True))
        d.settle()
        a = d.inbox.popleft()
        if a.type == p.NACK:
            break
        same("response", (a.rsp_op, a.rc), (0, p.RC_OK))
    else:
        raise AssertionError("100 KB in 16 KB")
    assert a.code in (p.NO_PKT_BUFFER, p.NO_SES_MSG_AVAIL), a.code
    same("PSN", a.psn, pdc.psn(n))
    pdc.inject(cp(p.CP_ACK_REQ, n, ar=True))
    pdc.expect(nack(p.PKT_NOT_RCVD, n))
    # With room it says that it misses the packet
    for _ in range(n):
        sock.recv_message()
    pdc.expect(nack(p.RCVR_INFER_LOSS, n, known=True))
    pdc.inject(request(n, data=bytes(1000), pid=300, ar=True, retx=True))
    pdc.expect(ack(n, cack=n))
    sock.recv_message()


@rule("3.5.13", "Without room for one more guaranteed response a packet is NACKed "
      "NO_GTD_DEL_AVAIL (0x08)")
def target_NO_GTD_DEL_AVAIL(d):
    pdc = d.open()
    for n in range(1, 65):
        pdc.inject(request(n, pid=3000))
        pdc.expect(ack(n, cack=0, rc=p.RC_BAD_PID))
    pdc.inject(request(65, pid=3000))
    pdc.expect(nack(p.NO_GTD_DEL_AVAIL, 65))


@rule("3.5.13", "After a close a new PSN is NACKed CLOSING (0x10)")
def target_CLOSING(d):
    pdc = d.open()
    pdc.inject(cp(p.CP_CLOSE_CMD, 1, ar=True))
    pdc.expect(ack(1, cack=1))
    pdc.inject(request(2))
    pdc.expect(nack(p.CLOSING, 2, known=True, payload=0))


@rule("3.5.13", "ACK_REQ for what never came is NACKed PKT_NOT_RCVD (0x12)")
def target_PKT_NOT_RCVD(d):
    pdc = d.open()
    pdc.inject(cp(p.CP_ACK_REQ, 1, ar=True))
    pdc.expect(nack(p.PKT_NOT_RCVD, 1, known=True, payload=0))


@rule("3.5.13", "GTD_RESP_UNAVAIL and ACK_WITH_DATA tell of responses that are gone",
      deviates="they are never sent: a guaranteed response is kept until it is cleared, "
      "and none has data")
def target_kept(d):
    pdc = d.open()
    pdc.inject(request(1, pid=3000))
    for _ in range(3):
        pdc.expect(ack(1, rc=p.RC_BAD_PID, rsp_op=1))
        pdc.inject(cp(p.CP_ACK_REQ, 1, ar=True))
    pdc.expect(ack(1, rc=p.RC_BAD_PID, rsp_op=1))
    pdc.expect_nothing()


@rule("3.5.13", "A packet leads to one NACK at most, at once, by its entropy value and with "
      "its m and retx")
def target_echoes(d):
    pdc = d.open()
    pdc.remote ^= 0x1234
    pdc.inject(request(1, retx=True), sport=51234, tos=CE)
    a = pdc.expect(nack(p.INV_DPDCID, 1, m=True, retx=True, sport=51234))
    same("DSCP, ECN", (a.tos >> 2, a.tos & 3), (DSCP_CONTROL, 0))
    pdc.inject(request(1), sport=51235)
    pdc.expect(nack(p.INV_DPDCID, 1, m=False, retx=False, sport=51235))
    pdc.expect_nothing()


@rule("3.5.13", "ACKs, NACKs, CLEAR and CREDIT packets are never NACKed")
def target_never(d):
    pdc = d.open()
    pdc.remote ^= 0x1234
    for what in (ack(1), ack(1, type=p.ACK), nack(p.INV_DPDCID, 1),
                 nack(p.PKT_NOT_RCVD, 1), cp(p.CP_CLEAR_CMD, payload_n=1),
                 cp(p.CP_CLEAR_REQ, payload_n=1), cp(p.CP_CREDIT, payload=0x100)):
        pdc.inject(what)
        pdc.expect_nothing()
    pdc.inject(request(1))
    pdc.expect(nack(p.INV_DPDCID, 1))


@rule("3.5.13", "INV_DPDCID is sent at a limited rate per source")
def target_limited(d):
    d.counted("NackRateLimited")
    pdc = d.open()
    pdc.remote ^= 0x1234
    data = request(1).build(pdc)
    end, n = time.monotonic() + 3, 0
    while time.monotonic() < end and d.host.stat("NackRateLimited") == \
            d.counts["NackRateLimited"]:
        for _ in range(2000):
            pdc.inject(data)
        n += 2000
    answered = 0
    while a := d.take(0.2):
        answered += a.type == p.NACK
    limited = d.counted("NackRateLimited")
    assert answered, "none was answered"
    assert limited or n < 20000, f"{n} of {n} were answered"
    # Others have questions, too
    d.pause(1)


@rule("3.5.13", "vendor_code and, but for NEW_START_PSN, payload are 0")
def target_zero(d):
    pdc = d.open()
    for n, code in (2000, p.PSN_OOR_WINDOW), (1, p.PDC_MODE_MISMATCH):
        pdc.inject(request(n, type=p.RUD_REQ if n > 1 else p.ROD_REQ))
        pdc.expect(nack(code, n, payload=0, vendor=0))
