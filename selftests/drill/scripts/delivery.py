# SPDX-License-Identifier: GPL-2.0
"""Acknowledgements, guaranteed responses, retransmission (UE 1.0 3.5.12, 3.5.14)."""
import errno

from drill import CE, CLEAR, READER, WITHIN, ack, cp, nack, p, request, rule, same
from raw_peer import Crowd

DSCP_CONTROL = 46
NOBODY = 3000                   # a PIDonFEP that nothing has: a guaranteed response
RESPONSE = 1


def refused(pdc, n, **fields):
    pdc.inject(request(n, pid=NOBODY, **fields))
    return pdc.expect(ack(n, rc=p.RC_BAD_PID, rsp_op=RESPONSE, req=CLEAR))


def no_memory(d):
    """... for what comes early, until the script ends"""
    d.rest.enter_context(Crowd(d.host))
    d.messages()


# --- when the destination sends an ACK ----------------------------------------

@rule("3.5.12", "An ACK is sent for a request with ar, and not for one without a reason")
def asked(d):
    pdc = d.open()
    pdc.inject(request(1))
    pdc.expect_nothing()
    pdc.inject(request(2, ar=True))
    pdc.expect(ack(2, cack=2))


@rule("3.5.12", "... for a control packet that takes a PSN")
def asked_cp(d):
    pdc = d.open()
    pdc.inject(cp(p.CP_NOOP, 1, ar=True))
    pdc.expect(ack(1, cack=1, rc=None))
    pdc.inject(cp(p.CP_NOOP, 2))
    pdc.expect(ack(2, cack=2, rc=None))


@rule("3.5.12", "... for the request that opened the PDC")
def opened(d):
    pdc = d.pdc()
    pdc.inject(request(0, syn=True, ar=False))
    pdc.expect(ack(0, cack=0))


@rule("3.5.12", "... for a retransmission, whose retx it echoes")
def retransmitted(d):
    pdc = d.open()
    pdc.inject(request(1, retx=True))
    pdc.expect(ack(1, cack=1, rc=p.RC_OK, retx=True))


@rule("3.5.12", "... for a duplicate")
def duplicate(d):
    pdc = d.open()
    pdc.inject(request(1))
    pdc.expect_nothing()
    pdc.inject(request(1))
    pdc.expect(ack(1, cack=1, rc=p.RC_NULL, retx=False))


@rule("3.5.12", "... for a packet that was marked (ACK_On_ECN), whose mark it echoes as m")
def marked(d):
    pdc = d.open()
    pdc.inject(request(1), tos=CE)
    pdc.expect(ack(1, cack=1, m=True))
    d.setting(ack_on_ecn=0)
    pdc.inject(request(2), tos=CE)
    pdc.expect_nothing()
    pdc.inject(request(3, ar=True))
    pdc.expect(ack(3, m=False))


@rule("3.5.12", "... each ACK_Gen_Trigger bytes of payload")
def by_bytes(d):
    pdc = d.open()
    for n in range(1, 4):
        pdc.inject(request(n, data=bytes(4096)))
        pdc.expect_nothing()
    pdc.inject(request(4, data=bytes(4096)))
    pdc.expect(ack(4, cack=4))
    pdc.inject(request(5, data=bytes(4096)))
    pdc.expect_nothing()


@rule("3.5.12", "... where a packet counts for no less than ACK_Gen_Min_Pkt_Add, and each "
      "ACK begins the count anew")
def by_packets(d):
    pdc = d.open()
    for n in range(1, 8):
        pdc.inject(request(n))
    pdc.inject(request(8, ar=True))
    pdc.expect(ack(8, cack=8))
    for n in range(9, 24):
        pdc.inject(request(n))
    pdc.expect_nothing()
    pdc.inject(request(24))
    pdc.expect(ack(24, cack=24))


@rule("3.5.12", "... for every packet, if Enb_ACK_Per_Pkt is set")
def per_packet(d):
    d.setting(ack_per_packet=1)
    pdc = d.open()
    for n in range(1, 5):
        pdc.inject(request(n))
        pdc.expect(ack(n, cack=n))


@rule("3.5.12", "... when CACK reaches a packet with ar that had come above a gap")
def hole(d):
    pdc = d.open()
    pdc.inject(request(3, ar=True))
    pdc.expect(ack(3, cack=0))
    pdc.inject(request(1))
    pdc.expect_nothing()
    pdc.inject(request(2))
    pdc.expect(ack(2, cack=3))


@rule("3.5.12", "An ACK that is due leaves at once: there is no timer for it")
def no_timer(d):
    pdc = d.open()
    times = []
    for n in range(1, 9):
        pdc.inject(request(n, ar=True))
        times.append(pdc.expect(ack(n)).service)
    # Told in units of 128 ns, and saturated at 8 ms, which a busy machine may take
    assert min(times) < 0xffff, f"service_time {times}"


@rule("3.5.12", "An ACK goes by the entropy value of what led to it, in the control class, "
      "not ECN-capable")
def by_entropy(d):
    pdc = d.open()
    for n, sport in (1, 50001), (2, 61234), (3, 1):
        pdc.inject(request(n, ar=True), sport=sport)
        pdc.expect(ack(n, sport=sport, dscp=DSCP_CONTROL, ecn=0))


# --- what an ACK has ------------------------------------------------------------

@rule("3.5.12", "A success is answered by the default response, with message id and job of "
      "the request")
def default_response(d):
    pdc = d.open()
    for n, msg_id in (1, 77), (2, 0xfffe):
        pdc.inject(request(n, ar=True, msg_id=msg_id))
        pdc.expect(ack(n, rsp_op=0, rc=p.RC_OK, msg_id=msg_id, job=0, modified=0,
                       generation=0, req=0))


@rule("3.5.12", "ACKs of control packets have no SES header")
def bare(d):
    pdc = d.open()
    pdc.inject(cp(p.CP_NOOP, 1, ar=True))
    pdc.expect(ack(1, next=p.NH_NONE))
    pdc.inject(cp(p.CP_PROBE, ar=True, opaque=3))
    pdc.expect(ack(next=p.NH_NONE))


@rule("3.5.12", "One ACK answers all packets up to its CACK")
def covers(d):
    d.patient()
    sock, pdc = d.sending(3)
    pdc.inject(ack(3))
    for _ in range(3):
        d.delivered(sock)


@rule("3.5.12", "A packet that is only SACKed is received, not answered")
def only_sacked(d):
    d.patient()
    sock, pdc = d.sending(3)
    pdc.inject(ack(3, cack=0, sack=[1, 2, 3]))
    d.silent(sock)
    pdc.inject(ack(2, cack=3))
    for _ in range(3):
        d.delivered(sock)


@rule("3.5.12", "A packet whose own ACK came is answered, though CACK never reaches it")
def own_ack(d):
    d.patient()
    sock, pdc = d.sending(3)
    for n in 2, 3:
        pdc.inject(ack(n, cack=0, sack=[2, 3]))
    d.silent(sock)
    pdc.inject(ack(1, cack=0, sack=[1, 2, 3]))
    for _ in range(3):
        d.delivered(sock)


# --- guaranteed delivery (UE 1.0 3.5.14) ----------------------------------------

@rule("3.5.14", "An error has an ACK of its own with req = CLEAR, and CACK stays below it")
def guaranteed(d):
    pdc = d.open()
    a = refused(pdc, 1)
    assert a.has(pdc.psn(1)), "not in the bitmap"
    pdc.inject(request(2, ar=True))
    pdc.expect(ack(2, cack=0, sack=[1, 2]))


@rule("3.5.14", "Success is not guaranteed: a duplicate of it gets the default response")
def not_guaranteed(d):
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1, req=0))
    pdc.inject(request(1, retx=True))
    pdc.expect(ack(1, cack=1, rsp_op=0, rc=p.RC_NULL))


@rule("3.5.14", "A guaranteed response is kept, and is the answer to a duplicate and to "
      "ACK_REQ")
def kept(d):
    pdc = d.open()
    refused(pdc, 1)
    pdc.inject(request(1, retx=True, pid=NOBODY))
    pdc.expect(ack(1, cack=0, rc=p.RC_BAD_PID, rsp_op=RESPONSE, req=CLEAR))
    pdc.inject(cp(p.CP_ACK_REQ, 1, ar=True))
    pdc.expect(ack(1, cack=0, rc=p.RC_BAD_PID, rsp_op=RESPONSE, req=CLEAR))


@rule("3.5.14", "CLEAR_PSN in a request clears: CACK goes on")
def cleared_by_request(d):
    pdc = d.open()
    refused(pdc, 1)
    refused(pdc, 2)
    pdc.inject(request(3, ar=True, clear=1))
    pdc.expect(ack(3, cack=1))
    pdc.inject(request(4, ar=True, clear=2))
    pdc.expect(ack(4, cack=4))


@rule("3.5.14", "CLEAR_CMD clears, too")
def cleared_by_cp(d):
    pdc = d.open()
    refused(pdc, 1)
    pdc.inject(cp(p.CP_CLEAR_CMD, payload_n=1))
    d.settle()
    d.inbox.clear()
    pdc.inject(request(2, ar=True))
    pdc.expect(ack(2, cack=2))


@rule("3.5.14", "CLEAR_CMD is not acknowledged",
      deviates="it is, by an ACK without a PSN of its own, if CACK moved: no other packet "
      "would tell the source that there is room")
def clear_answer(d):
    pdc = d.open()
    pdc.inject(cp(p.CP_CLEAR_CMD, payload_n=0))
    pdc.expect_nothing()
    refused(pdc, 1)
    pdc.inject(cp(p.CP_CLEAR_CMD, payload_n=1))
    pdc.expect(ack(1, cack=1, rc=None))


@rule("3.5.14", "An old CLEAR_PSN is ignored, and one above what has come is ignored and "
      "counted")
def clear_ignored(d):
    pdc = d.open()
    refused(pdc, 1)
    d.counted("DropBadClear")
    pdc.inject(cp(p.CP_CLEAR_CMD, payload_n=-5))
    pdc.inject(cp(p.CP_CLEAR_CMD, payload_n=0))
    pdc.expect_nothing()
    same("counted", d.counted("DropBadClear"), 0)
    pdc.inject(cp(p.CP_CLEAR_CMD, payload_n=400))
    pdc.expect_nothing()
    same("counted", d.counted("DropBadClear"), 1)
    pdc.inject(request(2, ar=True))
    pdc.expect(ack(2, cack=0))


@rule("3.5.14", "A target whose response is not cleared asks by CLEAR_REQ")
def clear_req(d):
    pdc = d.open()
    refused(pdc, 1)
    pdc.expect(cp(p.CP_CLEAR_REQ, payload_n=1, dpdcid=pdc.id, spdcid=pdc.remote))
    pdc.inject(cp(p.CP_CLEAR_CMD, payload_n=1))
    pdc.expect(ack(1, cack=1))


@rule("3.5.14", "A source clears in each request: CLEAR_PSN is the last one without a gap "
      "that it has an answer to")
def source_clears(d):
    d.patient()
    sock, pdc = d.sending(3)
    pdc.inject(ack(1))
    d.delivered(sock)
    d.send(sock=sock)
    pdc.expect(request(4, clear=1))
    pdc.inject(ack(3, cack=1, sack=[3]))
    d.send(sock=sock)
    pdc.expect(request(5, clear=1))
    pdc.inject(ack(5))
    for _ in range(4):
        d.delivered(sock)
    d.send(sock=sock)
    pdc.expect(request(6, clear=5))
    pdc.inject(ack(6))
    d.delivered(sock)


@rule("3.5.14", "CLEAR_PSN of the first packet is Start_PSN - 1")
def first_clear(d):
    sock = d.send()
    pdc = d.opened()
    pdc.expect(request(0, clear=-1))
    pdc.inject(ack(0))
    d.delivered(sock)


@rule("3.5.14", "With nothing to send, a source answers req = CLEAR by CLEAR_CMD after "
      "PDS_Clear_Time")
def source_clear_cmd(d):
    d.patient()
    sock, pdc = d.sending(1)
    pdc.inject(ack(1, cack=0, sack=[1], req=CLEAR, rsp_op=RESPONSE, rc=p.RC_BAD_PID,
                   msg_id=pdc.last.msg_id))
    pdc.expect(cp(p.CP_CLEAR_CMD, payload_n=1, ar=False))
    pdc.inject(ack(1))
    d.failed(sock, errno.ECONNREFUSED)


@rule("3.5.14", "Where CACK then stops at the next response, which the source has, it clears "
      "that one without being asked again")
def source_clears_on(d):
    d.patient()
    sock, pdc = d.sending()
    ids = {}
    for n in range(1, 5):
        d.send(sock=sock)
        ids[n] = pdc.expect(request(n)).msg_id
    for n in 1, 3:
        pdc.inject(ack(n, cack=0, sack=ids, req=CLEAR, rsp_op=RESPONSE, rc=p.RC_BAD_PID,
                       msg_id=ids[n]))
    pdc.expect(cp(p.CP_CLEAR_CMD, payload_n=1))
    pdc.inject(ack(2, cack=2, bare=True))
    pdc.expect(cp(p.CP_CLEAR_CMD, payload_n=3))
    pdc.inject(ack(4, cack=4, bare=True))
    for _ in 1, 3:
        d.failed(sock, errno.ECONNREFUSED)
    for _ in 2, 4:
        d.delivered(sock)


@rule("3.5.14", "A source answers CLEAR_REQ by a clear, or by ACK_REQ if it has no answer "
      "yet")
def source_clear_req(d):
    d.patient()
    sock, pdc = d.sending()
    pdc.inject(cp(p.CP_CLEAR_REQ, payload_n=0))
    pdc.expect(cp(p.CP_CLEAR_CMD, payload_n=0))
    d.send(sock=sock)
    pdc.expect(request(1))
    pdc.inject(cp(p.CP_CLEAR_REQ, payload_n=1))
    pdc.expect(cp(p.CP_ACK_REQ, 1, ar=True))
    pdc.inject(ack(1))
    d.delivered(sock)


@rule("3.5.14", "A guaranteed response that was lost is asked for by ACK_REQ, and the data "
      "not sent again; then CACK jumps")
def lost_response(d):
    d.setting(rto_min_us=20000)
    sock, pdc = d.sending(1)
    first = pdc.last.msg_id
    d.send(sock=sock)
    pdc.expect(request(2))
    # 1 has an error, whose ACK was lost; 2 a plain success
    pdc.inject(ack(2, cack=0, sack=[1, 2]))
    pdc.expect(cp(p.CP_ACK_REQ, 1, payload=first))
    pdc.inject(ack(1, cack=0, sack=[1, 2], req=CLEAR, rsp_op=RESPONSE, rc=p.RC_BAD_PID,
                   msg_id=first))
    pdc.expect(cp(p.CP_CLEAR_CMD, payload_n=2))
    pdc.inject(ack(2))
    d.failed(sock, errno.ECONNREFUSED)
    d.delivered(sock)
    d.never(pdc, request(1, retx=True))


# --- retransmission -------------------------------------------------------------

@rule("3.5.12", "A packet without an answer is sent again, with its PSN and payload, retx "
      "and ar, each time twice as long after")
def timeouts(d):
    rto = 0.03
    d.setting(rto_min_us=int(rto * 1e6), rto_max_ms=10000, base_rtt_us=100,
              target_qdelay_us=100)
    sock = d.send(b"what is sent")
    pdc = d.opened()
    a = pdc.expect(request(0, data=b"what is sent"))
    times = [a.sent]
    for _ in range(3):
        b = pdc.expect(request(0, data=b"what is sent", retx=True, ar=True,
                               msg_id=a.msg_id))
        times.append(b.sent)
    # A timer may be late, and then the next gap shorter, but none is early
    for n in range(1, 4):
        took = times[n] - times[0]
        assert took > 0.9 * rto * (2 ** n - 1), f"number {n} after {took} s"
    pdc.inject(ack(0, retx=True))
    d.delivered(sock)


@rule("3.5.12", "What later packets were SACKed past is lost, and is sent again before the "
      "time-out")
def overtaken(d):
    d.patient()
    sock, pdc = d.sending(6)
    for n in range(2, 7):
        pdc.inject(ack(n, cack=0, sack=range(2, n + 1), rcvd=n + 1))
    pdc.expect(request(1, retx=True, ar=True))
    same("time-outs", sock.info()["timeouts"], 0)
    pdc.inject(ack(6, retx=True))
    for _ in range(6):
        d.delivered(sock)


@rule("3.5.12", "Where nothing comes back, a tail probe asks before the time-out")
def tail_probe(d):
    d.patient()
    sock, pdc = d.sending(1)
    # The peer is known to take probes once it has answered one
    a = pdc.expect(cp(p.CP_PROBE))
    pdc.inject(ack(1, flags=0x08, opaque=a.opaque, bare=True))
    same("time-outs", sock.info()["timeouts"], 0)
    d.delivered(sock)


@rule("3.5.12", "A ROD source goes back to CACK + 1 on a time-out")
def rod_timeout(d):
    d.setting(rto_min_us=100000)
    sock = d.socket(100, ordered=True, notify=True)
    d.send(sock=sock)
    pdc = d.opened(p.ROD_REQ)
    pdc.answer(ack(0))
    for n in range(1, 4):
        d.send(sock=sock)
        pdc.expect(request(n))
    pdc.inject(ack(1))
    for n in 2, 3:
        pdc.expect(request(n, retx=True))
        pdc.inject(ack(n, retx=True, rcvd=n + 1))
    for _ in range(4):
        d.delivered(sock)


@rule("3.5.12", "... unless the target has SACKed what is behind a gap: then only the gap is "
      "filled")
def rod_fills_gap(d):
    d.setting(rto_min_us=100000)
    sock = d.socket(100, ordered=True, notify=True)
    d.send(sock=sock)
    pdc = d.opened(p.ROD_REQ)
    pdc.answer(ack(0))
    for n in range(1, 5):
        d.send(sock=sock)
        pdc.expect(request(n))
    d.delivered(sock)
    # 4 has no response, which may be an error: it is not delivered yet
    pdc.inject(ack(4, cack=0, sack=(1, 3, 4), bare=True))
    pdc.expect(request(2, retx=True))
    d.silent(sock)
    pdc.inject(ack(2, cack=4, retx=True, rcvd=5))
    for _ in range(4):
        d.delivered(sock)
    pdc.expect_nothing()


@rule("3.5.12", "... NO_RESPONSE of an ordered target, too, says that a packet is kept, and no more")
def rod_no_response(d):
    d.patient()
    sock = d.socket(100, ordered=True, notify=True)
    d.send(sock=sock)
    pdc = d.opened(p.ROD_REQ)
    pdc.answer(ack(0))
    d.delivered(sock)
    for n in 1, 2:
        d.send(sock=sock)
        a = pdc.expect(request(n))
    pdc.inject(early_ack(2, cack=0, sack=(2,), msg_id=a.msg_id))
    d.silent(sock)
    pdc.inject(ack(1))
    d.delivered(sock)
    d.silent(sock)
    pdc.inject(ack(2, cack=1, sack=(2,), req=CLEAR, rsp_op=1, rc=p.RC_BAD_PID,
                   msg_id=a.msg_id))
    d.failed(sock, errno.ECONNREFUSED)


# --- receiving ------------------------------------------------------------------

@rule("3.5.12", "RUD delivers each packet at once, in any order, and once")
def rud_any_order(d):
    pdc = d.open(data=b"0")
    got = []
    for n in 5, 3, 4, 1, 2, 3, 5:
        data = b"%d" % n
        pdc.inject(request(n, data=data, ar=True))
        pdc.expect(ack(n))
        pdc.inject(request(n, data=data, retx=True))
        pdc.expect(ack(n, rc=p.RC_NULL))
        got.append([m.data for m in d.messages()])
    same("delivered", got, [[b"0", b"5"], [b"3"], [b"4"], [b"1"], [b"2"], [], []])


@rule("3.5.12", "ROD delivers in the order of PSNs; what comes early is kept, and SACKed")
def rod_keeps(d):
    pdc = d.open(rod=True, start=-2 & 0xffffffff, data=b"0")
    got = []
    for n, cack, sack in ((3, 0, (3,)), (5, 0, (3, 5)), (2, 0, (2, 3, 5)), (1, 3, (5,)),
                          (4, 5, ())):
        pdc.inject(request(n, data=b"%d" % n, ar=True))
        pdc.expect(ack(n, cack=cack, sack=sack, unsacked=(4,) if n != 4 else ()))
        got.append([m.data for m in d.messages()])
    same("delivered", got, [[b"0"], [], [], [b"1", b"2", b"3"], [b"4", b"5"]])


NO_RESPONSE = 3


def early_ack(n, **fields):
    """The ACK of what came early"""
    return ack(n, rsp_op=NO_RESPONSE, rc=p.RC_NULL, **fields)


@rule("3.5.12", "... its ACK and that of a copy say NO_RESPONSE, as that is still to come: some "
      "sources send nothing behind a packet whose ACK has no response at all")
def rod_kept_twice(d):
    pdc = d.open(rod=True)
    for retx in False, True:
        pdc.inject(request(2, ar=True, retx=retx, msg_id=9))
        pdc.expect(early_ack(2, cack=0, msg_id=9))
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=2, rc=p.RC_OK))
    pdc.inject(request(2, retx=True))
    pdc.expect(ack(2, cack=2, rc=p.RC_NULL, rsp_op=0))
    same("delivered", len(d.messages()), 3)


@rule("3.5.12", "... ACK_REQ for it is NACKed RCVD_SES_PROCG (0x18), as its response is still "
      "to come")
def rod_kept_asked(d):
    pdc = d.open(rod=True)
    pdc.inject(request(2, ar=True))
    pdc.expect(early_ack(2, cack=0))
    pdc.inject(cp(p.CP_ACK_REQ, 2))
    pdc.expect(nack(p.RCVD_SES_PROCG, 2))
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=2))
    pdc.inject(cp(p.CP_ACK_REQ, 2))
    pdc.expect(ack(2, cack=2, rc=p.RC_OK))


@rule("3.5.12", "... an error of it is answered when it is its turn, and guaranteed")
def rod_kept_error(d):
    pdc = d.open(rod=True)
    pdc.inject(request(2, pid=NOBODY, ar=True))
    pdc.expect(early_ack(2, cack=0))
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1, sack=(2,)))
    pdc.expect(ack(2, cack=1, rc=p.RC_BAD_PID, rsp_op=RESPONSE, req=CLEAR))
    pdc.inject(request(3, ar=True, clear=2))
    pdc.expect(ack(3, cack=3))


@rule("3.5.12", "What ROD has no memory to keep is dropped and NACKed ROD_OOO with its own "
      "PSN")
def rod_gap(d):
    no_memory(d)
    d.setting(nack_retx_us=8000000)
    pdc = d.open(rod=True, data=b"0")
    pdc.inject(request(2, data=b"2"))
    pdc.expect(nack(p.ROD_OOO, 2, known=True))
    pdc.inject(request(1, data=b"1", ar=True))
    pdc.expect(ack(1, cack=1))
    same("delivered", [m.data for m in d.messages()], [b"0", b"1"])


@rule("3.5.12", "... once per gap, until the expected packet comes")
def rod_gap_once(d):
    no_memory(d)
    d.setting(nack_retx_us=8000000)
    pdc = d.open(rod=True)
    pdc.inject(request(2))
    pdc.expect(nack(p.ROD_OOO, 2))
    for n in 3, 4, 2:
        pdc.inject(request(n, retx=n == 2))
    pdc.expect_nothing()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))
    pdc.inject(request(3))
    pdc.expect(nack(p.ROD_OOO, 3))


@rule("3.5.12", "... and again after NACK_Retx_Time, as the NACK may be lost")
def rod_gap_again(d):
    no_memory(d)
    d.setting(nack_retx_us=10)
    pdc = d.open(rod=True)
    pdc.inject(request(2))
    pdc.expect(nack(p.ROD_OOO, 2))
    d.settle()
    pdc.inject(request(2, retx=True))
    pdc.expect(nack(p.ROD_OOO, 2, retx=True))


@rule("3.5.12", "ROD answers an earlier PSN as a duplicate")
def rod_duplicate(d):
    pdc = d.open(rod=True)
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))
    pdc.inject(request(0))
    pdc.expect(ack(0, cack=1, rc=p.RC_NULL))


KEY = p.KEY_IDEMPOTENT | 0x4711
WRITER = 151                    # a PIDonFEP with a window
RUDI = 3                        # as a delivery mode


def window(d, length=1000):
    sock = d.socket(WRITER)
    sock.set_window(KEY, length)
    return sock


def write(pkt_id, flags=0, payload=b"data", key=KEY, place=0, pid=WRITER, opcode=p.OP_WRITE,
          **ses):
    ses = p.ses_std(opcode=opcode, pid=pid, key=key, length=len(payload), **ses)
    return p.rudi(pkt_id, flags=flags, payload=payload,
                  ses=ses[:12] + place.to_bytes(8, "big") + ses[20:])


def carried_out(d, pdc, pkt_id, rc=p.RC_OK, **how):
    """A RUDI_REQ, and its response"""
    pdc.inject(write(pkt_id, **how))
    a = d.find(lambda a: a.type == p.RUDI_RESP, WITHIN)
    assert a, "no response"
    same("pkt_id, code", (a.pkt_id, a.rc), (pkt_id, rc))
    return a


@rule("3.5.8", "RUDI: requests without a context, each executed as often as it comes")
def rudi(d):
    sock, pdc = window(d), d.pdc()
    for _ in range(2):
        a = carried_out(d, pdc, 0x77, place=10)
        same("response", (a.rsp_op, a.retx, a.m), (0, False, False))
        m = sock.recv()
        same("written", (m.data, m.write, m.end), (b"data", (KEY, 10), True))
    a = carried_out(d, pdc, 0xffffffff, flags=p.F_RETX)
    same("retx", a.retx, True)
    pdc.expect_nothing()


@rule("3.5.8", "RUDI: a response echoes the entropy value, and ECN CE by m")
def rudi_echo(d):
    window(d)
    pdc = d.pdc()
    pdc.inject(write(1), sport=51234, tos=CE)
    a = d.find(lambda a: a.type == p.RUDI_RESP, WITHIN)
    assert a, "no response"
    same("m, entropy, DSCP", (a.m, a.sport, a.tos >> 2), (True, 51234, DSCP_CONTROL))


@rule("3.5.8", "RUDI: each packet of a message is executed by itself, in any order")
def rudi_order(d):
    sock, pdc = window(d), d.pdc()
    for part, flags in ((8, p.S_EOM), (0, p.S_SOM), (4, 0)):
        head = p.ses_std(opcode=p.OP_WRITE, pid=WRITER, key=KEY, length=12, msg_id=9,
                         flags=p.S_REL | flags, offset=part, part=4)
        pdc.inject(p.rudi(part + 1, payload=b"%04d" % part,
                          ses=head[:12] + (100).to_bytes(8, "big") + head[20:]))
        a = d.find(lambda a: a.type == p.RUDI_RESP, WITHIN)
        same("response", a and (a.pkt_id, a.rc, a.msg_id), (part + 1, p.RC_OK, 9))
        m = sock.recv()
        same("written", (m.data, m.write[1]), (b"%04d" % part, 100 + part))


@rule("3.4", "RUDI: a wrong key is answered BAD_MKEY, a wrong place BAD_ADDR")
def rudi_memory(d):
    sock, pdc = window(d), d.pdc()
    carried_out(d, pdc, 1, p.RC_BAD_MKEY, key=KEY + 1)
    carried_out(d, pdc, 2, p.RC_BAD_MKEY, pid=READER)
    carried_out(d, pdc, 3, p.RC_BAD_ADDR, place=997)
    carried_out(d, pdc, 4, p.RC_BAD_ADDR, place=(1 << 64) - 1)
    carried_out(d, pdc, 5, place=996)
    same("written", sock.recv().write, (KEY, 996))


@rule("3.5.8", "RUDI: only for operations that may be carried out twice, without header data",
      malformed="NO_OP with a payload")
def rudi_idempotent(d):
    sock, pdc = window(d), d.pdc()
    for n, opcode in enumerate((p.OP_SEND, p.OP_NO_OP, p.OP_TAGGED_SEND)):
        carried_out(d, pdc, n, p.RC_UNSUPPORTED_OP, opcode=opcode)
    head = p.ses_std(opcode=p.OP_WRITE, pid=WRITER, key=KEY, header_data=1,
                     flags=p.S_REL | p.S_SOM | p.S_EOM | p.S_HD)
    pdc.inject(p.rudi(7, ses=head))
    a = d.find(lambda a: a.type == p.RUDI_RESP, WITHIN)
    same("header data", a and (a.pkt_id, a.rc), (7, p.RC_OP_VIOLATION))
    carried_out(d, pdc, 8)
    same("written", sock.recv().data, b"data")


@rule("3.4", "RUDI: a READ is answered by its data in a RUDI_RESP",
      missing="reads: UNSUPPORTED_OP")
def rudi_read(d):
    window(d)
    carried_out(d, d.pdc(), 1, p.RC_UNSUPPORTED_OP, opcode=p.OP_READ, payload=b"")


@rule("3.5.8", "RUDI: what was trimmed is NACKed with nt and its pkt_id",
      malformed="trimmed packets")
def rudi_trimmed(d):
    d.setting(trimming=1, dscp_trimmed=10)
    window(d)
    pdc, data = d.pdc(), write(0x99)
    pdc.inject(data[:16], tos=10 << 2, udp_len=8 + len(data))
    a = d.find(lambda a: a.type == p.NACK, WITHIN)
    same("NACK", a and (a.code, a.psn, a.spdcid, a.dpdcid, bool(a.flags & p.F_NT)),
         (p.TRIMMED, 0x99, 0, 0, True))


def writes(d, data=b"data", place=0):
    """The host writes; its socket and the RUDI_REQ"""
    sock = d.socket(152, notify=True)
    sock.send(data, d.here(), delivery=RUDI, write=(KEY, place))
    a = d.find(lambda a: a.type == p.RUDI_REQ, WITHIN)
    assert a, "no RUDI_REQ"
    return sock, a


@rule("3.5.8",
      "RUDI: the source sends a packet again, with retx, until a response has its pkt_id")
def rudi_source(d):
    sock, a = writes(d, place=5)
    same("request", (a.opcode, a.key, a.offset, a.length, a.data, a.retx),
         (p.OP_WRITE, KEY, 5, 4, b"data", False))
    again = d.find(lambda b: b.type == p.RUDI_REQ, WITHIN)
    same("again", again and (again.pkt_id, again.retx, again.data), (a.pkt_id, True, b"data"))
    pdc = d.pdc()
    d.counted("DropStale")
    pdc.inject(p.rudi(a.pkt_id ^ 0x5a5a5a5a, p.RUDI_RESP))
    d.until("the wrong pkt_id is dropped", lambda: d.counted("DropStale"))
    d.silent(sock)
    pdc.inject(p.rudi(a.pkt_id, p.RUDI_RESP, flags=p.F_RETX))
    d.delivered(sock)
    pdc.inject(p.rudi(a.pkt_id, p.RUDI_RESP, flags=p.F_RETX))
    d.until("an old pkt_id is dropped", lambda: d.counted("DropStale"))


@rule("3.6.16", "RUDI: a retransmission may take another path")
def rudi_path(d):
    sock, a = writes(d)
    ports = {a.sport}
    for _ in range(3):
        again = d.find(lambda b: b.type == p.RUDI_REQ, WITHIN)
        assert again and again.pkt_id == a.pkt_id, "not sent again"
        ports.add(again.sport)
    same("entropy values", len(ports), 4)
    d.pdc().inject(p.rudi(a.pkt_id, p.RUDI_RESP, flags=p.F_RETX))
    d.delivered(sock)


@rule("3.4", "RUDI: an error in a response fails the message")
def rudi_error(d):
    sock, a = writes(d)
    d.pdc().inject(p.rudi(a.pkt_id, p.RUDI_RESP, ses=p.response(p.RC_BAD_MKEY, opcode=1)))
    d.failed(sock, errno.EACCES)


@rule("3.5.12", "UUD: datagrams without a context, an answer or a retransmission")
def uud(d):
    sock = d.socket(150, datagrams=True)
    d.counted("RxDatagrams")
    pdc = d.pdc()
    pdc.inject(p.uud(pid=150))
    same("data", sock.recv_message().data, b"data")
    pdc.inject(p.uud(pid=150))
    pdc.expect_nothing()
    same("taken", d.counted("RxDatagrams"), 2)
    sock.send(b"words", d.here())
    a = d.find(lambda a: a.type == p.UUD_REQ, WITHIN)
    assert a and a.ip.endswith(b"words"), "no datagram"
    pdc.expect_nothing()


@rule("3.5.12", "UUD: what nobody takes is dropped in silence")
def uud_strange(d):
    d.counted("DropNoEndpoint")
    d.counted("DropWrongMode")
    pdc = d.pdc()
    pdc.inject(p.uud(pid=151))
    pdc.inject(p.uud(pid=READER))
    pdc.expect_nothing()
    same("nobody", d.counted("DropNoEndpoint"), 1)
    same("no datagrams", d.counted("DropWrongMode"), 1)
    same("delivered", d.messages(), [])


# --- questions --------------------------------------------------------------------

@rule("3.5.12", "PROBE is answered by an ACK_CC with p, its opaque value, CACK, and the "
      "bitmap that it wants; it takes no PSN")
def probe(d):
    pdc = d.open()
    pdc.inject(request(5))
    pdc.inject(request(70))
    pdc.inject(cp(p.CP_PROBE, ar=True, payload_n=60, opaque=0xbeef))
    a = pdc.expect(ack(opaque=0xbeef, cack=0, sack_base=60, sack=[70], unsacked=[60, 61]))
    assert a.flags & 8, "without p"
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))


@rule("3.5.12", "ACK_REQ is answered by an ACK of that PSN, with its response")
def ack_req(d):
    pdc = d.open()
    pdc.inject(cp(p.CP_ACK_REQ, 0, ar=True, payload=77))
    pdc.expect(ack(0, cack=0, rsp_op=0, rc=p.RC_OK, msg_id=77))
    pdc.inject(request(3))
    pdc.inject(cp(p.CP_ACK_REQ, 3, ar=True))
    pdc.expect(ack(3, cack=0))


@rule("3.5.12", "A PROBE goes by the PDC's peer only; its answer says nothing about a "
      "packet by itself")
def probe_answer(d):
    d.patient()
    sock, pdc = d.sending(1)
    a = pdc.expect(cp(p.CP_PROBE, payload_n=1, ar=True, psn=0))
    pdc.inject(ack(0, cack=0, flags=0x08, opaque=a.opaque, bare=True))
    d.silent(sock)
    pdc.inject(ack(1))
    d.delivered(sock)


@rule("3.5.12", "A source gives no probes to a peer that refuses them by UNEXP_EVENT, and "
      "goes on")
def probe_refused(d):
    d.patient()
    sock, pdc = d.sending(1)
    pdc.expect(cp(p.CP_PROBE))
    pdc.inject(p.nack(p.UNEXP_EVENT, 0, 0, pdc.remote))
    d.silent(sock)
    pdc.inject(ack(1))
    d.delivered(sock)
    d.send(sock=sock)
    pdc.expect(request(2, ar=True))
    pdc.inject(ack(2))
    d.delivered(sock)


@rule("3.6.13.5", "A source asks for an ACK (ar) with the last packet of a message of "
      "several, and when the window lets out no more")
def source_asks(d):
    d.patient()
    d.setting(payload_mtu=1024)
    sock, pdc = d.sending()
    d.send(bytes(5000), sock=sock)
    for n in range(1, 5):
        pdc.expect(request(n, eom=False))
    pdc.expect(request(5, eom=True, ar=True))
    pdc.inject(ack(5))
    d.delivered(sock)


@rule("3.6.13.7", "A source that wants a round trip time waits for its first answer before "
      "it probes")
def no_early_probe(d):
    d.patient()
    sock = d.send()
    pdc = d.opened()
    pdc.expect(request(0, syn=True))
    d.never(pdc, cp(p.CP_PROBE))
    pdc.inject(ack(0))
    d.delivered(sock)
