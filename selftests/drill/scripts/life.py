# SPDX-License-Identifier: GPL-2.0
"""How contexts are opened and closed, and how they fail (UE 1.0 3.5.8)."""
import errno
import socket

from drill import CLOSE, ack, cp, nack, p, request, rule, same

TRIM = 10


# --- opening ------------------------------------------------------------------

@rule("3.5.8.2", "An initiator sends requests at once, without a handshake")
def no_handshake(d):
    sock = d.send()
    pdc = d.opened()
    a = pdc.expect(request(0, syn=True, som=True, eom=True, data=b"data"))
    same("pdc_info, psn_offset", a.dpdcid, 0)
    pdc.inject(ack(0))
    d.delivered(sock)


@rule("3.5.8.2", "The first packet that comes opens the PDC at the target, is delivered, "
      "and acknowledged at once though it does not ask")
def first_packet(d):
    d.counted("PdcAccepted")
    pdc = d.pdc()
    pdc.inject(request(0, syn=True, data=b"first"))
    pdc.remote = pdc.expect(ack(0, cack=0, rc=p.RC_OK)).spdcid
    same("contexts", d.counted("PdcAccepted"), 1)
    same("delivered", [m.data for m in d.messages()], [b"first"])


@rule("3.5.8.2", "A peer that is silent while a PDC opens may not be there yet: its long packets "
      "are not sent in fragments, as if the path lost them")
def silent_opening(d):
    d.setting(rto_min_us=20000, rto_max_ms=100)
    d.counted("PathMtuSteps")
    sock = d.send(bytes(5000))
    pdc = d.opened()
    for n in 0, 1:
        pdc.expect(request(n, retx=False))
    for _ in range(12):
        same("DF", pdc.expect(request(0, retx=True)).df, 1)
    # As one answers that does not echo retx
    pdc.inject(ack(0, type=p.ACK))
    pdc.expect(request(1, retx=True, syn=False))
    pdc.inject(ack(1, type=p.ACK))
    d.delivered(sock)
    same("smaller MTUs tried", d.counted("PathMtuSteps"), 0)


@rule("3.5.8.2", "That may be any packet of the PDC: others may have been lost or overtaken")
def any_packet(d):
    d.counted("PdcAccepted")
    pdc = d.open(n=2, data=b"2")
    for n in 1, 0:
        pdc.inject(request(n, syn=True, ar=True, data=b"%d" % n))
        pdc.expect(ack(n, spdcid=pdc.remote))
    same("contexts", d.counted("PdcAccepted"), 1)
    same("delivered", sorted(m.data for m in d.messages()), [b"0", b"1", b"2"])


@rule("3.5.8.2", "Further SYN packets are not acknowledged but for a reason of their own")
def further_syn(d):
    pdc = d.open()
    pdc.inject(request(1, syn=True))
    pdc.expect_nothing()
    pdc.inject(request(2, syn=True, ar=True))
    pdc.expect(ack(2, cack=2))


@rule("3.5.8.2", "psn_offset reaches 4095; the window ends what is sent before the first "
      "ACK earlier")
def psn_offset(d):
    pdc = d.open()
    pdc.inject(request(1024, syn=True, ar=True))
    pdc.expect(ack(1024, cack=0))
    pdc.inject(request(4095, syn=True))
    pdc.expect(nack(p.INVALID_SYN, 4095))


@rule("3.5.8.2", "A target takes use_rsv_pdc, and gives a PDC of the shared pool")
def use_rsv_pdc(d):
    pdc = d.pdc()
    data = bytearray(request(1, syn=True).build(pdc))
    data[10] |= 0x80
    pdc.inject(bytes(data))
    pdc.remote = pdc.expect(ack(1, cack=-1)).spdcid
    pdc.inject(request(0, ar=True))
    pdc.expect(ack(0, cack=1))


@rule("3.5.8.2", "The first ACK tells the initiator the target's PDCID")
def learns(d):
    sock, pdc = d.sending()
    d.send(sock=sock)
    pdc.expect(request(1, syn=False, dpdcid=pdc.id))
    pdc.inject(ack(1))
    d.delivered(sock)


@rule("3.5.8.2", "NOOP with SYN opens a PDC without data, isrod tells its mode; NEGOTIATION "
      "with SYN does, too")
def noop(d):
    for ctl in p.CP_NOOP, p.CP_NEGOTIATION:
        for rod in False, True:
            pdc = d.pdc(rod=rod)
            pdc.inject(cp(ctl, 0, syn=True, ar=True, isrod=rod))
            pdc.remote = pdc.expect(ack(0, cack=0, rc=None)).spdcid
            pdc.inject(request(1, ar=True))
            pdc.expect(ack(1, cack=1))


@rule("3.5.8.2", "No other control packet opens a PDC")
def opens_not(d):
    d.counted("PdcAccepted")
    for ctl in (p.CP_ACK_REQ, p.CP_CLEAR_CMD, p.CP_CLEAR_REQ, p.CP_CLOSE_CMD,
                p.CP_CLOSE_REQ, p.CP_PROBE, p.CP_CREDIT, p.CP_CREDIT_REQ):
        pdc = d.pdc()
        pdc.inject(cp(ctl, 0, syn=True, ar=True))
        pdc.expect_nothing()
    same("contexts", d.counted("PdcAccepted"), 0)


@rule("3.5.8.2", "A trimmed SYN packet opens nothing and is NACKed TRIMMED, with spdcid 0",
      malformed="trimmed packets")
def trimmed_syn(d):
    d.setting(trimming=1, dscp_trimmed=TRIM)
    d.counted("PdcAccepted")
    pdc = d.pdc()
    data = request(0, syn=True).build(pdc)
    pdc.inject(data[:16], tos=TRIM << 2, udp_len=8 + len(data))
    pdc.expect(nack(p.TRIMMED, 0, known=False, dpdcid=pdc.id))
    same("contexts", d.counted("PdcAccepted"), 0)


@rule("3.5.8.2", "With secure PSN (TSS) a target may answer NEW_START_PSN and keep the PDC "
      "pending", missing="security (TSS): any Start_PSN is taken, packets with its header are "
      "dropped and counted")
def secure_psn(d):
    d.counted("DropUnknownType")
    pdc = d.pdc()
    pdc.inject(bytes([1 << 3]) + bytes(3 + 8) + request(0, syn=True).build(pdc))
    pdc.expect_nothing()
    same("dropped", d.counted("DropUnknownType"), 1)


@rule("3.5.8.2", "A target limits the PDCs of peers that it does not know to be real; the "
      "others are told NO_PDC_AVAIL")
def unconfirmed(d):
    d.setting(pdc_max_per_peer=8)
    taken, refused = 0, 0
    for _ in range(12):
        pdc = d.pdc()
        pdc.inject(request(0, syn=True))
        d.settle()
        a = d.inbox.popleft()
        taken += a.type == p.ACK_CC
        refused += a.type == p.NACK and a.code == p.NO_PDC_AVAIL
    same("taken, refused", (taken, refused), (4, 8))


# --- closing ------------------------------------------------------------------

@rule("3.5.8.3", "An idle PDC is closed by its initiator: CLOSE_CMD takes the next PSN, asks "
      "for an ACK, and comes again until it is answered")
def close_idle(d):
    d.setting(pdc_idle_s=1)
    _, pdc = d.sending()
    pdc.expect(cp(p.CP_CLOSE_CMD, 1, ar=True, retx=False, dpdcid=pdc.id, payload=0,
                  opaque=0))
    pdc.expect(cp(p.CP_CLOSE_CMD, 1, ar=True, retx=True))
    pdc.inject(ack(1, bare=True))
    d.gone(pdc)


@rule("3.5.8.3", "A NACKed CLOSE_CMD comes again, also between requests of another PDC to "
      "the same peer, which share buffers")
def close_among(d):
    d.patient()
    d.setting(udp_csum=2, spray_run=8, nscc_max_wnd=67000)
    # Longer than its send buffer, so it has a PDC of its own
    long = d.socket(101)
    long.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4608)
    d.send(bytes(8192), sock=long)
    closing = d.opened()
    for n in 0, 1:
        closing.expect(request(n))
    closing.inject(ack(1, cack=1, req=CLOSE))
    closing.expect(cp(p.CP_CLOSE_CMD, 2, ar=True))
    sock, pdc = d.sending()
    came, count = 0, 40
    for _ in range(count):
        d.send(bytes(3000), sock=sock)
    while came < count:
        # What the window has room for; the rest waits, and CLOSE_CMD behind it
        d.settle()
        more = sum(a.type == pdc.type for a in d.inbox)
        assert more, f"nothing behind {came}"
        for n in range(more):
            pdc.expect(request(came + n + 1))
        came += more
        closing.inject(nack(p.RCVR_INFER_LOSS, 2, retx=came > more))
        pdc.inject(ack(came, cack=came))
    closing.expect(cp(p.CP_CLOSE_CMD, 2, retx=True))
    for _ in range(count):
        d.delivered(sock)


@rule("3.5.8.3", "A PDC is not closed while a message on it is open")
@rule("3.5.8.3", "Asked for a close, an initiator gives the PDC no new messages")
def close_waits(d):
    d.patient()
    d.setting(pdc_idle_s=1)
    sock, pdc = d.sending()
    d.send(sock=sock)
    pdc.expect(request(1))
    # ... though the target asks for it
    pdc.inject(cp(p.CP_CLOSE_REQ, 0, ar=True))
    pdc.expect(ack(0, cack=0, rc=None))
    d.never(pdc, cp(p.CP_CLOSE_CMD))
    other_sock = d.send(local=101)
    other = d.opened()
    assert other.remote != pdc.remote, "a new message by a PDC that closes"
    other.answer(ack(0))
    d.delivered(other_sock)
    pdc.inject(ack(1))
    d.delivered(sock)
    # The same socket sends nothing more by it, either
    d.send(sock=sock)
    other.expect(request(1))
    other.inject(ack(1))
    d.delivered(sock)
    pdc.expect(cp(p.CP_CLOSE_CMD, 2, ar=True))
    pdc.inject(ack(2, bare=True))


@rule("3.5.8.3", "A target answers CLOSE_CMD by an ACK without a SES header whose CACK is "
      "its PSN, and delivers nothing any more")
def close_answer(d):
    d.counted("MsgReceived")
    pdc = d.open()
    pdc.inject(cp(p.CP_CLOSE_CMD, 1, ar=True))
    pdc.expect(ack(1, cack=1, rc=None, dpdcid=pdc.id))
    pdc.inject(request(2))
    pdc.expect(nack(p.CLOSING, 2))
    same("messages", d.counted("MsgReceived"), 1)


@rule("3.5.8.3", "CLOSE_CMD that overtakes requests waits for them: it comes again")
def close_early(d):
    pdc = d.open()
    pdc.inject(cp(p.CP_CLOSE_CMD, 2, ar=True))
    pdc.expect_nothing()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))
    pdc.inject(cp(p.CP_CLOSE_CMD, 2, ar=True, retx=True))
    pdc.expect(ack(2, cack=2, retx=True))


@rule("3.5.8.3", "CLOSE_CMD clears all guaranteed responses")
def close_clears(d):
    pdc = d.open()
    for n in 1, 2:
        pdc.inject(request(n, pid=3000))
        pdc.expect(ack(n, cack=0, rc=p.RC_BAD_PID))
    pdc.inject(cp(p.CP_CLOSE_CMD, 3, ar=True))
    pdc.expect(ack(3, cack=3))


@rule("3.5.8.3", "For a while a target answers CLOSE_CMD again, as its answer may be lost")
def time_wait(d):
    d.setting(rto_min_us=2000000)
    pdc = d.open()
    for retx in False, True, True:
        pdc.inject(cp(p.CP_CLOSE_CMD, 1, ar=True, retx=retx))
        pdc.expect(ack(1, cack=1, rc=None, retx=retx))


@rule("3.5.8.3", "... and a late SYN packet of the closed PDC is acknowledged and opens "
      "nothing")
def time_wait_syn(d):
    d.setting(rto_min_us=2000000)
    pdc = d.open()
    pdc.inject(cp(p.CP_CLOSE_CMD, 1, ar=True))
    pdc.expect(ack(1, cack=1))
    d.counted("PdcAccepted")
    d.messages()
    pdc.inject(request(0, syn=True, retx=True))
    pdc.expect(ack(0, cack=1, rc=p.RC_NULL))
    same("contexts", d.counted("PdcAccepted"), 0)
    same("messages", d.messages(), [])


@rule("3.5.8.3", "... but with another Start_PSN it opens a new one in its place")
def time_wait_new(d):
    d.setting(rto_min_us=2000000)
    pdc = d.open()
    pdc.inject(cp(p.CP_CLOSE_CMD, 1, ar=True))
    pdc.expect(ack(1, cack=1))
    other = d.pdc()
    other.id = pdc.id
    other.inject(request(0, syn=True))
    other.expect(ack(0, cack=0, rc=p.RC_OK))
    pdc.inject(request(2))
    pdc.expect(nack(p.INV_DPDCID, 2, known=False))


@rule("3.5.8.3", "INV_DPDCID for CLOSE_CMD ends the PDC as well: it is closed")
def close_unknown(d):
    d.setting(pdc_idle_s=1)
    _, pdc = d.sending()
    pdc.expect(cp(p.CP_CLOSE_CMD, 1))
    pdc.inject(nack(p.INV_DPDCID, 1, known=False))
    d.gone(pdc)


@rule("3.5.8.3", "A close with an ACK that has a SES response is taken, too")
def close_with_response(d):
    d.setting(pdc_idle_s=1)
    _, pdc = d.sending()
    pdc.expect(cp(p.CP_CLOSE_CMD, 1))
    pdc.inject(ack(1, rc=p.RC_NULL))
    d.gone(pdc)


@rule("3.5.8.3", "A CLOSE_CMD while the target's own requests are not acknowledged is NACKed "
      "CLOSING_IN_ERR", deviates="only if it comes again: the first may have crossed with "
      "requests that its sender has refused meanwhile")
def close_in_error(d):
    d.patient()
    d.setting(return_requests=2)
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))
    sock = d.send()
    pdc.expect(request(0, syn=False, spdcid=pdc.remote))
    pdc.inject(cp(p.CP_CLOSE_CMD, 2, ar=True))
    pdc.expect_nothing()
    pdc.inject(cp(p.CP_CLOSE_CMD, 2, ar=True, retx=True))
    pdc.expect(nack(p.CLOSING_IN_ERR, 2))
    d.failed(sock, errno.ECONNRESET)


@rule("3.5.8.3", "An ACK with req = CLOSE makes the initiator close the PDC")
def asked_by_ack(d):
    _, pdc = d.sending(flags=CLOSE << 1)
    pdc.expect(cp(p.CP_CLOSE_CMD, 1, ar=True))
    pdc.inject(ack(1, bare=True))


@rule("3.5.8.3", "CLOSE_REQ takes a PSN of the return direction; the initiator acknowledges "
      "it and closes the PDC")
def asked_by_cp(d):
    _, pdc = d.sending()
    pdc.inject(cp(p.CP_CLOSE_REQ, 0, ar=True))
    pdc.expect(ack(0, cack=0, rc=None, dpdcid=pdc.id, spdcid=pdc.remote))
    pdc.expect(cp(p.CP_CLOSE_CMD, 1, ar=True))
    pdc.inject(ack(1, bare=True))


@rule("3.5.8.3", "A target asks a silent initiator to close by CLOSE_REQ, and again")
def asks(d):
    d.setting(pdc_idle_s=1)
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))
    pdc.expect(cp(p.CP_CLOSE_REQ, 0, ar=True, dpdcid=pdc.id, spdcid=pdc.remote), within=10)
    pdc.inject(cp(p.CP_CLOSE_CMD, 2, ar=True))
    pdc.expect(ack(2, cack=2))


@rule("3.5.8.3", "... also one of which a single packet came, so that it may not be real: three "
      "times at most")
def asks_unproved(d):
    d.setting(pdc_idle_s=1, close_req_time_ms=60000)
    pdc, other = d.open(), d.open()
    pdc.expect(cp(p.CP_CLOSE_REQ, 0, ar=True, dpdcid=pdc.id, spdcid=pdc.remote), within=10)
    pdc.inject(ack(0, bare=True))
    pdc.inject(cp(p.CP_CLOSE_CMD, 1, ar=True))
    pdc.expect(ack(1, cack=1))
    for again in range(3):
        other.expect(cp(p.CP_CLOSE_REQ, 0, dpdcid=other.id, retx=again > 0), within=10)
    # It would ask four times more in that time
    d.pause(1)
    d.never(other, cp(p.CP_CLOSE_REQ, dpdcid=other.id))
    other.inject(request(1, ar=True))
    other.expect(ack(1, cack=1))


@rule("3.5.8.3", "Close_REQ_Time (1 ms) after CLOSE_REQ without a CLOSE_CMD the target "
      "closes by itself", deviates="the default of close_req_time_ms is 5 s: an initiator "
      "may have long messages to finish")
def asked_in_vain(d):
    d.setting(pdc_idle_s=1, close_req_time_ms=200)
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))
    pdc.expect(cp(p.CP_CLOSE_REQ, 0), within=10)
    # The question puts the close off: after each the host has to ask anew
    for pause in 1, 4, 8, 16:
        d.pause(pause)
        pdc.inject(cp(p.CP_PROBE, ar=True, opaque=9))
        a = d.find(lambda a: a.type in (p.NACK, p.ACK_CC), 5)
        if a.type == p.NACK:
            break
    same("type, code", (a.type, a.code), (p.NACK, p.INV_DPDCID))


# --- failing ------------------------------------------------------------------

@rule("3.5.8.4", "When retries are used up and nobody answers, the PDC fails and with it its "
      "messages")
def retries(d):
    d.setting(rto_min_us=1000, rto_max_ms=50, max_rto_retx=3, peer_timeout_s=1)
    sock = d.send()
    pdc = d.opened()
    pdc.expect(request(0, retx=False))
    for _ in range(3):
        pdc.expect(request(0, retx=True))
    d.failed(sock, errno.ETIMEDOUT)


@rule("3.5.8.4", "After Max_RTO_Retx_Cnt retries of a packet its PDC fails",
      deviates="not before nothing has come from the peer for peer_timeout_s as well: at 30 % "
      "loss one packet in 1400 needs a sixth retry")
def retries_heard(d):
    d.setting(rto_min_us=1000, rto_max_ms=20, max_rto_retx=2, peer_timeout_s=30)
    sock = d.send()
    pdc = d.opened()
    for n in range(6):
        pdc.expect(request(0, retx=n > 0))
    pdc.inject(ack(0, retx=True))
    d.delivered(sock)


@rule("3.5.8.4", "When a PDC dies its incomplete messages are dropped; a reader in the midst "
      "of one hears of it")
def incomplete(d):
    sock = d.socket(301, rcvbuf=16384)
    pdc = d.open(pid=301)
    sock.recv_message()
    # Longer than the buffer: it is read while it comes
    for n in range(4):
        pdc.inject(request(1 + n, pid=301, data=bytes(1000), length=100000, msg_id=9,
                           at=1000 * n, ar=True))
        pdc.expect(ack(1 + n, cack=1 + n))
    assert sock.recv(100).data, "nothing to read"
    other = d.pdc()
    other.id = pdc.id
    other.inject(request(0, syn=True))
    pdc.expect(cp(p.CP_PROBE))
    pdc.inject(p.nack(p.INV_DPDCID, 0, 0, pdc.remote))
    d.settle()
    try:
        while sock.recv(100).data:
            pass
        raise AssertionError("the reader does not hear of it")
    except ConnectionResetError:
        pass


@rule("3.5.8.4", "Who goes on by a PDC that failed at its peer is told INV_DPDCID")
def failed_is_unknown(d):
    d.patient()
    sock = d.send()
    pdc = d.opened()
    pdc.expect(request(0))
    pdc.inject(nack(p.UNEXP_EVENT, 0))
    d.failed(sock, errno.ECONNRESET)
    pdc.inject(request(0, ar=True))
    pdc.expect(nack(p.INV_DPDCID, 0, known=False))


@rule("3.5.8.4", "A fatal NACK ends the PDC at once; new messages go by a new one")
def after_failure(d):
    d.patient()
    sock, pdc = d.sending()
    d.send(sock=sock)
    pdc.expect(request(1))
    pdc.inject(nack(p.CLOSING_IN_ERR, 1))
    d.failed(sock, errno.ECONNRESET)
    d.send(sock=sock)
    other = d.opened()
    assert other.remote != pdc.remote, "the same context"
    other.answer(ack(0))
    d.delivered(sock)
