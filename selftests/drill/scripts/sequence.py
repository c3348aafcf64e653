# SPDX-License-Identifier: GPL-2.0
"""Packet sequence numbers, CACK, SACK and windows (UE 1.0 3.5.11)."""
from drill import ack, cp, nack, p, request, rule, same

WINDOW = 1024                   # packets, before and after the first ACK_CC: mpr 8


@rule("3.5.11", "Each request takes the next PSN")
def one_each(d):
    sock = d.send()
    pdc = d.opened()
    for n in range(4):
        pdc.answer(ack(n))
        d.delivered(sock)
        d.send(sock=sock)
    pdc.answer(ack(4))


@rule("3.5.11", "PSNs wrap at 2^32: comparisons are serial")
def wrap(d):
    pdc = d.open(start=0xfffffffe)
    for n in range(1, 5):
        pdc.inject(request(n, ar=True))
        pdc.expect(ack(n, cack=n))
    pdc.inject(request(6, ar=True))
    pdc.expect(ack(6, cack=4, sack=[6], unsacked=[5]))


@rule("3.5.11", "Start_PSN is random")
def random_start(d):
    starts = set()
    for n in range(4):
        sock = d.send(tclass=n, local=100 + n)
        pdc = d.opened()
        pdc.answer(ack(0))
        d.delivered(sock)
        starts.add(pdc.start)
    same("Start_PSNs", len(starts), 4)
    assert min(abs(a - b) for a in starts for b in starts if a != b) > 16, starts


@rule("3.5.11", "A new Start_PSN is at least 2^16 away from the last PSN of that PDCID",
      deviates="it is drawn from 2^31 values instead, and PDCIDs go round, so that no "
      "record has to be kept")
def start_range(d):
    for n in range(4):
        d.send(tclass=n, local=100 + n)
        pdc = d.opened()
        pdc.answer(ack(0))
        assert 1 << 16 <= pdc.start < 1 << 31, f"Start_PSN {pdc.start:#x}"


@rule("3.5.11", "Any Start_PSN is taken, and a context opened by a later packet begins at "
      "psn - psn_offset")
def start_from_offset(d):
    for start in 0, 1, 0x7fffffff, 0xffffffff:
        pdc = d.open(n=3, start=start)
        pdc.inject(request(0, syn=True, ar=True))
        pdc.expect(ack(0, cack=0, sack=[3]))


@rule("3.5.11", "Before anything has come CACK is Start_PSN - 1")
def initial_cack(d):
    pdc = d.pdc()
    pdc.inject(request(2, syn=True))
    pdc.expect(ack(2, cack=-1, sack=[2], unsacked=[0, 1]))


@rule("3.5.11", "Forward and return direction number their packets apart, from the same "
      "Start_PSN on")
def directions(d):
    sock = d.send()
    pdc = d.opened()
    pdc.answer(ack(0))
    d.delivered(sock)
    pdc.inject(request(0, ar=True))
    pdc.expect(ack(0, cack=0))
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))
    d.send(sock=sock)
    pdc.answer(ack(1))
    d.delivered(sock)


@rule("3.5.11", "A PDC ends before it uses up 2^31 PSNs; messages go on by another one")
def used_up(d):
    d.setting(pdc_psns=64)
    sock = d.socket(100)
    old, n, sent = None, 0, 0
    while sent < 80:
        d.send(sock=sock)
        sent += 1
        if old is None:
            old = d.opened()
        a = d.find(lambda a: a.type == p.RUD_REQ and not a.retx, 5)
        assert a, "no request"
        if a.spdcid != old.remote:
            break
        same("PSN", a.psn, old.psn(n))
        old.inject(ack(n))
        n += 1
    else:
        raise AssertionError("80 PSNs of 64")
    assert n <= 64, f"{n} PSNs"


@rule("3.5.11", "CACK is the highest PSN up to which all have come; it never goes back")
def cack(d):
    pdc = d.open()
    for n, expected in (2, 0), (3, 0), (1, 3), (1, 3), (5, 3), (4, 5):
        pdc.inject(request(n, ar=True))
        pdc.expect(ack(n, cack=expected))


@rule("3.5.11", "A source frees what CACK covers: it is not sent again")
def cack_frees(d):
    d.setting(rto_min_us=20000)
    sock = d.send()
    for _ in range(2):
        d.send(sock=sock)
    pdc = d.opened()
    for n in range(3):
        pdc.expect(request(n))
    pdc.inject(ack(1))
    pdc.expect(request(2, retx=True))
    pdc.inject(ack(2))
    for _ in range(3):
        d.delivered(sock)
    for n in range(2):
        d.never(pdc, request(n, syn=False))


@rule("3.5.11", "CACK of an old ACK that comes late changes nothing")
def old_ack(d):
    sock = d.send()
    pdc = d.opened()
    pdc.answer(ack(0))
    d.send(sock=sock)
    pdc.answer(ack(1))
    pdc.inject(ack(0))
    pdc.inject(ack(0, cack=-1))
    d.send(sock=sock)
    pdc.answer(ack(2))
    for _ in range(3):
        d.delivered(sock)


@rule("3.5.11", "An ACK of what was never sent changes nothing")
def ack_ahead(d):
    sock = d.send()
    pdc = d.opened()
    pdc.answer(ack(0))
    d.delivered(sock)
    d.send(sock=sock)
    a = pdc.expect(request(1))
    pdc.inject(ack(7, msg_id=a.msg_id))
    d.silent(sock)
    pdc.inject(ack(1))
    d.delivered(sock)


@rule("3.5.11", "ACK_PSN is the packet that led to the ACK: below, at or above CACK")
def ack_psn(d):
    pdc = d.open()
    pdc.inject(request(4, ar=True))
    pdc.expect(ack(4, cack=0))
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))
    pdc.inject(request(1))
    pdc.inject(request(0))
    pdc.expect(ack(1, cack=1))
    pdc.expect(ack(0, cack=1))


@rule("3.5.11", "Bit i of the SACK bitmap is the PSN of its base + i, the lowest bit first")
def sack_bits(d):
    pdc = d.open()
    for n in (2, 5, 9):
        pdc.inject(request(n))
    pdc.inject(request(12, ar=True))
    a = pdc.expect(ack(12, cack=0, sack=[2, 5, 9, 12], unsacked=[1, 3, 4, 6, 7, 8, 10, 11]))
    same("bits", sum(1 << n for n in (2, 5, 9, 12)) >> (a.sack_base - pdc.start), a.bits)


@rule("3.5.11", "The bitmap of an ACK reaches the packet that led to it, however far above "
      "CACK that is")
def sack_base(d):
    pdc = d.open()
    pdc.inject(request(500))
    pdc.inject(request(700, ar=True))
    a = pdc.expect(ack(700, cack=0, sack=[700]))
    same("base", a.sack_base, pdc.psn(700 - 63))


@rule("3.5.11", "A source takes a bitmap with any base, below CACK too")
def sack_any_base(d):
    d.setting(rto_min_us=300000, rto_max_ms=1000)
    sock = d.send()
    for _ in range(3):
        d.send(sock=sock)
    pdc = d.opened()
    for n in range(4):
        pdc.expect(request(n))
    # Bits for packets 0 and 2, from 5 below the start on
    pdc.inject(p.ack_cc(pdc.psn(0), pdc.id, pdc.remote, sack_offset=-5,
                        sack=1 << 5 | 1 << 7, ses=p.response()))
    pdc.expect(request(1, retx=True), within=10)
    d.never(pdc, request(2, retx=True))
    pdc.inject(ack(3, retx=True))
    for _ in range(4):
        d.delivered(sock)


@rule("3.5.11", "A clear bit takes back nothing that an earlier ACK has said")
def sack_never_less(d):
    d.setting(rto_min_us=300000, rto_max_ms=1000)
    sock = d.send()
    d.send(sock=sock)
    d.send(sock=sock)
    pdc = d.opened()
    for n in range(3):
        pdc.expect(request(n))
    pdc.inject(ack(2, cack=-1, sack=[2]))
    pdc.inject(p.ack_cc(pdc.psn(-1), pdc.id, pdc.remote, sack_offset=1, sack=0))
    pdc.expect(request(0, retx=True), within=10)
    pdc.expect(request(1, retx=True), within=10)
    d.never(pdc, request(2, retx=True))
    pdc.inject(ack(2, retx=True))
    for _ in range(3):
        d.delivered(sock)


@rule("3.5.11", "What is SACKed is not sent again, and is not over before its answer: "
      "after a time-out ACK_REQ asks for that")
def sacked(d):
    d.setting(rto_min_us=20000)
    sock = d.send()
    d.send(sock=sock)
    pdc = d.opened()
    pdc.expect(request(0))
    pdc.expect(request(1))
    # The answer is of the second one; the first one's is missing
    pdc.inject(ack(1, cack=-1, sack=[0, 1]))
    pdc.expect(cp(p.CP_ACK_REQ, 0))
    d.never(pdc, request(0, retx=True, syn=False))
    pdc.inject(ack(0, cack=1))
    d.delivered(sock)
    d.delivered(sock)


@rule("3.5.11", "mpr is the receive window in units of 128 packets")
def mpr(d):
    pdc = d.pdc()
    pdc.inject(request(0, syn=True))
    a = pdc.expect(ack(0))
    pdc.remote, last = a.spdcid, 128 * a.mpr
    assert a.mpr, "mpr 0"
    pdc.inject(request(last, ar=True))
    pdc.expect(ack(last, cack=0))
    pdc.inject(request(last + 1, ar=True))
    pdc.expect(nack(p.PSN_OOR_WINDOW, last + 1))


@rule("3.5.11", "A source sends no PSN above CACK + 128 * mpr")
def window(d):
    d.setting(nscc_max_wnd=1 << 30)
    sock = d.socket(100)
    d.send(sock=sock)
    pdc = d.opened()
    pdc.answer(ack(0, mpr=1))
    for _ in range(200):
        d.send(sock=sock)
    for n in range(1, 129):
        pdc.expect(request(n))
    d.never(pdc, request(129))
    pdc.inject(ack(1, mpr=1))
    pdc.expect(request(129))
    d.never(pdc, request(130))


@rule("3.5.11", "mpr 0 says nothing: the window that was known stays")
def mpr_zero(d):
    d.setting(nscc_max_wnd=1 << 30)
    sock = d.socket(100)
    d.send(sock=sock)
    pdc = d.opened()
    pdc.answer(ack(0, mpr=1))
    d.send(sock=sock)
    pdc.answer(ack(1, mpr=0))
    for _ in range(140):
        d.send(sock=sock)
    for n in range(2, 130):
        pdc.expect(request(n))
    d.never(pdc, request(130))


@rule("3.5.11", "Before the first ACK no more than 128 packets are sent")
def window_before_ack(d):
    d.setting(nscc_max_wnd=1 << 30, rto_min_us=8000000, rto_max_ms=60000)
    sock = d.socket(100)
    for _ in range(150):
        d.send(sock=sock)
    pdc = d.opened()
    for n in range(128):
        pdc.expect(request(n, syn=True, dpdcid=n))
    d.never(pdc, request(128))
    pdc.inject(ack(127))
    pdc.expect(request(128, syn=False))


@rule("3.5.11", "A packet in the window is taken, one above it NACKed PSN_OOR_WINDOW")
def above(d):
    pdc = d.open()
    pdc.inject(request(WINDOW + 1))
    pdc.expect(nack(p.PSN_OOR_WINDOW, WINDOW + 1, known=True))
    pdc.inject(request(WINDOW, ar=True))
    pdc.expect(ack(WINDOW, cack=0))


@rule("3.5.11", "... or INVALID_SYN, if it has SYN")
def above_syn(d):
    pdc = d.open()
    pdc.inject(request(WINDOW + 1, syn=True))
    pdc.expect(nack(p.INVALID_SYN, WINDOW + 1))
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))


@rule("3.5.11", "What is at or below CACK is a duplicate; what is further below than any "
      "window is dropped")
def below(d):
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))
    pdc.inject(request(0))
    pdc.expect(ack(0, cack=1, rc=p.RC_NULL))
    d.counted("DropStale")
    pdc.inject(request(-70000))
    pdc.expect_nothing()
    same("dropped as stale", d.counted("DropStale"), 1)


@rule("3.5.11", "The window moves with CACK, never back")
def window_moves(d):
    pdc = d.open()
    for n in range(1, 4):
        pdc.inject(request(n))
    pdc.inject(request(WINDOW + 3, ar=True))
    pdc.expect(ack(WINDOW + 3, cack=3))
    pdc.inject(request(WINDOW + 4, ar=True))
    pdc.expect(nack(p.PSN_OOR_WINDOW, WINDOW + 4))
    pdc.inject(request(2))
    pdc.expect(ack(2, cack=3))
    pdc.inject(request(WINDOW + 3))
    pdc.expect(ack(WINDOW + 3, rc=p.RC_NULL))


@rule("3.5.11", "ACKs, NACKs and control packets without one take no PSN")
def takes_none(d):
    pdc = d.open()
    pdc.inject(cp(p.CP_PROBE, ar=True, payload_n=0, opaque=5))
    pdc.expect(ack(opaque=5, cack=0))
    pdc.inject(cp(p.CP_ACK_REQ, 0, ar=True))
    pdc.expect(ack(0, cack=0))
    pdc.inject(cp(p.CP_CLEAR_CMD, payload_n=0))
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))
