# SPDX-License-Identifier: GPL-2.0
"""Congestion control state in ACKs (UE 1.0 3.6.13), what each end does with it."""
import itertools
import time

import form
from drill import ack, cp, nack, p, request, rule, same

UNIT = 256
NOMINAL = 40                    # more than from the UDP or entropy header on
SES = 44
CREDIT_STATE = 1


def nominal(payload, pds=12):
    """nominal_pktsize of a request with so much payload, in this form"""
    outer = form.ENTROPY_LEN if "ip" in form.DEFAULT else form.UDP_LEN
    crc = form.CRC_LEN if "crc" in form.DEFAULT else 0
    return outer + pds + SES + payload + crc + NOMINAL


def units(size):
    return (size + UNIT - 1) // UNIT


@rule("3.6.13.8", "Requests are answered by ACK_CC with NSCC state")
def nscc_state(d):
    pdc = d.open()
    for rod in False, True:
        pdc = d.open(rod=rod)
        pdc.inject(request(1, ar=True))
        a = pdc.expect(ack(1))
        same("cc_type, cc_flags", a.cc, 0)


@rule("3.6.13.1", "service_time is the time from a packet to its ACK, and at least 1 if it "
      "is known")
def service_time(d):
    pdc = d.open()
    times = []
    for n in range(1, 9):
        pdc.inject(request(n, ar=True))
        times.append(pdc.expect(ack(n)).service)
    assert min(times) >= 1, f"service_time {times}"
    # A busy machine may take that long now and then
    assert min(times) < 0xffff, f"service_time {times}"


@rule("3.6.13.8", "rcvd_bytes counts the nominal size of each new packet, in units of 256 "
      "bytes, rounded up")
def rcvd_bytes(d):
    pdc = d.pdc()
    total = nominal(100)
    pdc.inject(request(0, syn=True, data=bytes(100)))
    pdc.remote = pdc.expect(ack(0, rcvd=units(total))).spdcid
    for n, size in enumerate((4, 500, 0, 1000, 1), 1):
        pdc.inject(request(n, data=bytes(size), ar=True))
        total += nominal(size)
        pdc.expect(ack(n, rcvd=units(total)))


@rule("3.6.13.8", "... duplicates, refused packets and control packets not")
def rcvd_not(d):
    pdc = d.open()
    total = nominal(4)
    for _ in range(3):
        pdc.inject(request(0))
        pdc.expect(ack(0, rcvd=units(total)))
    pdc.inject(request(5000, data=bytes(1000)))
    pdc.expect(nack(p.PSN_OOR_WINDOW, 5000))
    pdc.inject(cp(p.CP_NOOP, 1, ar=True))
    pdc.expect(ack(1, cack=1, rcvd=units(total)))
    for n in range(2, 6):
        pdc.inject(request(n))
    total += 5 * nominal(4)
    pdc.inject(request(6, ar=True))
    pdc.expect(ack(6, rcvd=units(total)))


@rule("3.6.13.8", "A packet without payload counts as well, and one that is answered by an "
      "error")
def rcvd_empty(d):
    pdc = d.open()
    total = nominal(4)
    for n in range(1, 4):
        pdc.inject(request(n, data=b"", pid=3000))
        total += nominal(0)
        pdc.expect(ack(n, rc=p.RC_BAD_PID, rcvd=units(total)))


@rule("3.6.13.8", "A request with CC word counts four bytes more")
def rcvd_cc(d):
    pdc = d.open()
    pdc.inject(request(1, type=p.RUD_CC_REQ, ar=True, data=bytes(700), credit=0))
    pdc.expect(ack(1, rcvd=units(nominal(4) + nominal(700, 16))))


@rule("3.6.13", "ooo_count is the number of packets that have come above CACK")
def ooo_count(d):
    pdc = d.open()
    for n, ooo in (3, 1), (4, 2), (6, 3), (1, 3), (2, 1), (5, 0):
        pdc.inject(request(n, ar=True))
        pdc.expect(ack(n, ooo=ooo))


@rule("3.6.13", "rcvr_cwnd_pend is 0 while the destination keeps up")
def no_penalty(d):
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    same("rc, pend", pdc.expect(ack(1)).pend, 0)


def flying(d, count, size=4):
    """That many requests of the host, sent and not answered"""
    d.patient()
    sock = d.send(bytes(size))
    pdc = d.opened()
    pdc.expect(request(0))
    for n in range(1, count):
        d.send(bytes(size), sock=sock)
        pdc.expect(request(n))
    return sock, pdc


@rule("3.6.13", "A source counts nominal sizes as in flight, and takes off what rcvd_bytes "
      "has grown by")
def inflight(d):
    sock, pdc = flying(d, 4)
    all_of_it = 4 * nominal(4)
    same("sent", sock.info()["inflight"], all_of_it)
    pdc.inject(ack(0, rcvd=1))
    d.settle()
    # More than that one packet had
    same("one unit answered", sock.info()["inflight"], all_of_it - UNIT)
    pdc.inject(ack(3, rcvd=units(all_of_it)))
    for _ in range(4):
        d.delivered(sock)
    # What was rounded up is forgotten when nothing is in flight
    same("all answered", sock.info()["inflight"], 0)


@rule("3.6.13", "rcvd_bytes of a late ACK, which is less, changes nothing")
def inflight_late(d):
    sock, pdc = flying(d, 3)
    pdc.inject(ack(1, rcvd=2))
    d.settle()
    before = sock.info()["inflight"]
    pdc.inject(ack(0, cack=0, rcvd=1))
    pdc.inject(ack(1, cack=1, rcvd=2))
    d.settle()
    same("inflight", sock.info()["inflight"], before)
    pdc.inject(ack(2, rcvd=3))
    d.delivered(sock)


@rule("3.6.13", "After a plain ACK the nominal size of what it newly acknowledges is not in "
      "flight any more")
def inflight_plain(d):
    sock, pdc = flying(d, 3)
    pdc.inject(ack(1, type=p.ACK))
    d.settle()
    same("inflight", sock.info()["inflight"], nominal(4))
    pdc.inject(ack(2, type=p.ACK))
    for _ in range(3):
        d.delivered(sock)
    same("inflight", sock.info()["inflight"], 0)


@rule("3.6.13", "ACK_CCX: what it shares with ACK_CC counts, its extended state does not")
def ccx(d):
    sock, pdc = flying(d, 2)
    pdc.inject(ack(1, type=p.ACK_CCX))
    d.delivered(sock)
    d.delivered(sock)


@rule("3.6.13", "A NACKed packet is not in flight until it is sent again")
def inflight_nack(d):
    sock, pdc = flying(d, 1)
    d.setting(nack_retx_us=8000000)
    pdc.inject(nack(p.NO_PKT_BUFFER, 0))
    d.settle()
    same("inflight", sock.info()["inflight"], 0)
    pdc.inject(nack(p.RCVR_INFER_LOSS, 0))
    pdc.expect(request(0, retx=True))
    same("inflight", sock.info()["inflight"], nominal(4))
    pdc.inject(ack(0, retx=True))
    d.delivered(sock)


def sampled(d, retx):
    """The round trip time that the host knows after an answer to a retransmission"""
    sock, pdc = flying(d, 1)
    pdc.inject(nack(p.RCVR_INFER_LOSS, 0))
    pdc.expect(request(0, retx=True))
    before = sock.info()["rtt"]
    pdc.inject(ack(0, retx=retx))
    d.delivered(sock)
    return before, sock.info()["rtt"]


@rule("3.6.13.1", "An ACK without retx of a packet sent again gives no round trip time")
def no_sample(d):
    before, after = sampled(d, False)
    same("rtt", after, before)


@rule("3.6.13.1", "An ACK with retx of a packet sent again once gives one")
def sample_retx(d):
    before, after = sampled(d, True)
    assert after != before, "no sample"


def delayed(d, service):
    """The round trip time after an ACK 8 ms later that has such a service_time"""
    sock, pdc = flying(d, 1)
    time.sleep(0.008)
    data = bytearray(ack(0).build(pdc))
    data[24:26] = service.to_bytes(2, "big")
    pdc.inject(bytes(data))
    d.delivered(sock)
    return sock.info()["rtt"]


@rule("3.6.13.1", "service_time 0 says nothing, and nothing is taken off")
def service_unknown(d):
    rtt = delayed(d, 0)
    assert rtt >= 8000000, f"{rtt} ns"


@rule("3.6.13.1", "service_time 0xffff is too long to be told: no round trip time")
def service_saturated(d):
    rtt = delayed(d, 0xffff)
    assert rtt < 8000000, f"{rtt} ns"


@rule("3.6.13.1", "service_time is taken off the round trip time, in units of 128 ns")
def service_subtracted(d):
    sock, pdc = flying(d, 1)
    time.sleep(0.008)
    data = bytearray(ack(0).build(pdc))
    data[24:26] = (60000).to_bytes(2, "big")
    pdc.inject(bytes(data))
    d.delivered(sock)
    took = (time.time() - pdc.last.sent) * 1e9
    rtt = sock.info()["rtt"]
    # Half of it is for what went before the packet was seen
    assert rtt < took - 60000 * 128 / 2, f"{rtt} ns of {took}"


@rule("3.6.13.2", "A penalty (rcvr_cwnd_pend) makes the window smaller as bytes are "
      "received, the more the higher it is")
def penalty(d):
    sock, pdc = flying(d, 8, 1000)
    before = sock.info()["cwnd"]
    pdc.inject(ack(1, rcvd=units(2 * nominal(1000))))
    d.settle()
    data = bytearray(ack(5, rcvd=units(6 * nominal(1000))).build(pdc))
    data[26] = 127
    pdc.inject(bytes(data))
    d.settle()
    info = sock.info()
    assert info["cwnd"] < before, f"{info['cwnd']}, before {before}"
    assert info["penalties"], info


@rule("3.6.14", "A source that uses receiver credit sends requests with a CC word: ccc_id "
      "and the credit that it wants")
def credit_request(d):
    d.patient()
    sock = d.socket(100, cc="rccc", notify=True)
    d.send(bytes(3000), sock=sock)
    pdc = d.opened(p.RUD_CC_REQ)
    a = pdc.expect(request(0, type=p.RUD_CC_REQ))
    word = int.from_bytes(form.split(a.ip)[3][20:24], "big")
    assert word & 0xffffff, "credit_target 0"
    pdc.inject(ack(0))
    d.delivered(sock)


@rule("3.6.14", "A destination answers a request that wants credit by a CREDIT packet, in "
      "units of 256 bytes from the upper 24 bits of its payload")
def credit_given(d):
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1))
    pdc.inject(request(2, type=p.RUD_CC_REQ, credit=5 << 24 | 64))
    a = pdc.expect(cp(p.CP_CREDIT))
    assert a.payload >> 8 and not a.payload & 0xff, f"payload {a.payload:#x}"


@rule("3.6.14", "Credit is granted from the first packet of a source on; before its address "
      "is verified no more than it has sent")
def credit_first(d):
    pdc = d.pdc()
    pdc.inject(request(0, syn=True, type=p.RUD_CC_REQ, data=bytes(1000),
                       credit=9 << 24 | 64))
    pdc.remote = pdc.expect(ack(0)).spdcid
    a = pdc.expect(cp(p.CP_CREDIT))
    # 1000 bytes with headers, in whole quanta
    same("credit", a.payload >> 8, nominal(1000, 16) >> 8)


@rule("3.6.14", "Credit is cumulative, modulo 2^24: a source adds what a count is ahead, and "
      "nothing for one that is behind")
def credit_count(d):
    d.patient()
    sock = d.socket(100, cc="rccc", notify=True)
    d.send(bytes(1000), sock=sock)
    pdc = d.opened(p.RUD_CC_REQ)
    pdc.expect(request(0, type=p.RUD_CC_REQ))
    pdc.inject(ack(0))
    d.delivered(sock)
    for count, credit in ((0, 0), (100, 100), (50, 100), (100, 100), (0x800064, 100),
                          (0xffffff, 100), (101, 101)):
        pdc.inject(cp(p.CP_CREDIT, payload=count << 8))
        d.settle()
        same(f"credit after {count:#x}", sock.info()["credit"], credit << 8)


@rule("3.6.14", "A destination lowers the pace of its credit where requests arrive marked, and "
      "not where their sources have a window besides")
def credit_slows(d):
    d.setting(base_rtt_us=10000, link_mbps=100)

    def marked(pdc, n):
        pdc.inject(request(n, type=p.RUD_CC_REQ, credit=10 << 24 | n + 64), tos=3)
        d.settle()
        d.inbox.clear()
        return d.counted("CreditSlowed")

    pdc = d.open()
    d.counted("CreditSlowed")
    numbers = itertools.count(1)
    d.until("the pace falls", lambda: marked(pdc, next(numbers)))
    d.setting(congestion_control="nscc+rccc")
    pdc = d.open()
    for n in range(1, 2 * next(numbers)):
        assert not marked(pdc, n), f"slowed by packet {n} beside a window"


@rule("3.6.14", "CREDIT_REQ is answered by CREDIT")
def credit_asked(d):
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1))
    pdc.inject(cp(p.CP_CREDIT_REQ, payload=6 << 24 | 64))
    pdc.expect(cp(p.CP_CREDIT))


@rule("3.6.14", "Where the destination uses receiver credit its ACKs have CREDIT state")
def credit_state(d):
    d.setting(congestion_control="rccc")
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1))
    pdc.inject(request(2, type=p.RUD_CC_REQ, credit=7 << 24 | 64, ar=True))
    a = pdc.expect(ack(2))
    same("cc_type", a.cc >> 4, CREDIT_STATE)


def tfc_opened(d, **settings):
    """A socket with TFC, whose first message was delivered, and its context"""
    d.patient()
    d.setting(**settings)
    sock = d.socket(100, cc="tfc", notify=True)
    d.send(bytes(1000), sock=sock)
    pdc = d.opened(p.RUD_CC_REQ)
    pdc.expect(request(0, type=p.RUD_CC_REQ))
    pdc.inject(ack(0))
    d.delivered(sock)
    return sock, pdc


@rule("3.6.15", "TFC: a request costs cells, whose size is configured, as is the overhead "
      "of a packet")
def tfc_cells(d):
    sock, _ = tfc_opened(d, tfc_cell=500, tfc_overhead=5000, tfc_first=100)
    cost = (nominal(1000, 16) + 5000 + 499) // 500
    same("credit", sock.info()["credit"], (100 - cost) * 500)


@rule("3.6.15", "TFC: a source sends only what it has cells for, and asks for what it lacks")
def tfc_waits(d):
    sock, pdc = tfc_opened(d, tfc_first=0)
    d.send(bytes(1000), sock=sock)
    target = pdc.expect(cp(p.CP_CREDIT_REQ)).payload & 0xffffff
    assert target, "credit_target 0"
    pdc.inject(cp(p.CP_CREDIT, payload=1 << 8))
    d.settle()
    assert not d.find(lambda a: a.type == p.RUD_CC_REQ, 0), "sent with too few cells"
    pdc.inject(cp(p.CP_CREDIT, payload=target << 8))
    pdc.expect(request(1, type=p.RUD_CC_REQ))
    pdc.inject(ack(1))
    d.delivered(sock)


@rule("3.6.15", "TFC: what is sent again costs no cells")
def tfc_again(d):
    sock, pdc = tfc_opened(d, tfc_first=0)
    d.send(bytes(1000), sock=sock)
    target = pdc.expect(cp(p.CP_CREDIT_REQ)).payload & 0xffffff
    pdc.inject(cp(p.CP_CREDIT, payload=target << 8))
    pdc.expect(request(1, type=p.RUD_CC_REQ))
    left = sock.info()["credit"]
    for _ in range(2):
        pdc.inject(nack(p.TRIMMED, 1))
        pdc.expect(request(1, type=p.RUD_CC_REQ, retx=True))
    same("credit", sock.info()["credit"], left)
    pdc.inject(ack(1, retx=True))
    d.delivered(sock)


@rule("3.6.15", "TFC: a destination grants cells for what is wanted, by CREDIT packets and in "
      "the state of ACKs")
def tfc_given(d):
    d.setting(congestion_control="tfc")
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1))
    pdc.inject(request(2, type=p.RUD_CC_REQ, credit=5 << 24 | 64))
    same("credit", pdc.expect(cp(p.CP_CREDIT)).payload, 64 << 8)
    pdc.inject(request(3, type=p.RUD_CC_REQ, credit=5 << 24 | 64, ar=True))
    a = pdc.expect(ack(3))
    same("cc_type", a.cc >> 4, CREDIT_STATE)


@rule("3.6.15", "TFC: a destination grants what its buffer has free, and more when packets "
      "are read")
def tfc_buffer(d):
    # 64 cells, of which one source may have two thirds; in turns of 16
    d.setting(congestion_control="tfc", tfc_cell=256, tfc_overhead=0, tfc_first=0,
              tfc_buffer=64 * 256)
    cells = (nominal(1000, 16) + 255) // 256
    d.host.read()
    pdc = d.open()
    d.host.read()
    wants = {"type": p.RUD_CC_REQ, "credit": 6 << 24 | 1000, "data": bytes(1000)}
    pdc.inject(request(1, ar=True, **wants))
    pdc.expect(ack(1))
    granted = 0
    while granted < 32:
        granted = pdc.expect(cp(p.CP_CREDIT)).payload >> 8
    same("granted", granted, 32)
    n = 2
    while (n - 1) * cells < granted:
        pdc.inject(request(n, **wants))
        n += 1
    d.settle()
    assert not d.find(lambda a: a.type == p.CP and a.next == p.CP_CREDIT, 0), \
        "granted what is not free"
    d.host.read()
    more = pdc.expect(cp(p.CP_CREDIT)).payload >> 8
    assert more > granted, f"granted {more}"
