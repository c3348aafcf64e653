# SPDX-License-Identifier: GPL-2.0
"""Which context a packet belongs to (UE 1.0 3.5.8)."""
from drill import ack, cp, nack, p, request, rule, same


@rule("3.5.8", "A packet of an established PDC is found by its dpdcid; source address and "
      "spdcid must be those of the peer, else it is NACKed PDC_HDR_MISMATCH, with spdcid 0")
def looked_up(d):
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))
    pdc.inject(request(2, spdcid=pdc.id ^ 1))
    pdc.expect(nack(p.PDC_HDR_MISMATCH, 2, known=False, dpdcid=pdc.id ^ 1))
    pdc.inject(request(2), source=d.elsewhere)
    pdc.expect(nack(p.PDC_HDR_MISMATCH, 2, known=False))
    # It goes on all the same
    pdc.inject(request(2, ar=True))
    pdc.expect(ack(2, cack=2))


@rule("3.5.8", "A dpdcid that nobody has is NACKed INV_DPDCID, with spdcid 0")
def unknown(d):
    pdc = d.open()
    pdc.remote ^= 0x5a5a
    pdc.inject(request(1))
    pdc.expect(nack(p.INV_DPDCID, 1, known=False, dpdcid=pdc.id))
    pdc.inject(cp(p.CP_ACK_REQ, 1, ar=True))
    pdc.expect(nack(p.INV_DPDCID, 1, known=False))


@rule("3.5.8", "PDCID 0 is none: a target gives out others, and a packet to 0 has no PDC")
def zero(d):
    for _ in range(8):
        assert d.open().remote, "PDCID 0"
    pdc = d.open()
    pdc.remote = 0
    pdc.inject(request(1))
    pdc.expect(nack(p.INV_DPDCID, 1, known=False))


@rule("3.5.8", "A PDCID is unique at its fabric endpoint, whoever the peer is")
def unique(d):
    ids = {d.open().remote for _ in range(6)}
    for _ in range(6):
        pdc = d.pdc()
        pdc.inject(request(0, syn=True), source=d.elsewhere)
        ids.add(pdc.expect(ack(0, cack=0)).spdcid)
    same("PDCIDs", len(ids), 12)


@rule("3.5.8", "SYN packets are told apart by {source, destination, spdcid}: further ones "
      "of a PDC find it, others open another one")
def syn_key(d):
    d.counted("PdcAccepted")
    pdc = d.open()
    pdc.inject(request(1, syn=True, ar=True))
    pdc.expect(ack(1, cack=1, spdcid=pdc.remote))
    same("contexts", d.counted("PdcAccepted"), 1)
    pdc.inject(request(0, syn=True), source=d.elsewhere)
    assert pdc.expect(ack(0, cack=0)).spdcid != pdc.remote, "another source, the same PDC"
    other = d.pdc(start=pdc.start)
    other.inject(request(0, syn=True))
    assert other.expect(ack(0, cack=0)).spdcid != pdc.remote, "another id, the same PDC"
    same("contexts", d.counted("PdcAccepted"), 2)


@rule("3.5.8", "A SYN with another Start_PSN for a PDC that exists is NACKed INVALID_SYN",
      deviates="the peer may have restarted: first a PROBE asks whether it still has the "
      "old PDC, and until that is answered the SYN is dropped")
def syn_conflict(d):
    pdc, other = d.open(), d.pdc()
    other.id = pdc.id
    other.inject(request(0, syn=True))
    pdc.expect_nothing()
    probe = pdc.expect(cp(p.CP_PROBE))
    pdc.inject(ack(0, cack=0, flags=p.F_AR, opaque=probe.opaque, bare=True))
    other.inject(request(0, syn=True))
    other.expect(nack(p.INVALID_SYN, 0, known=False))
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))


@rule("3.5.8", "An initiator that has begun anew replaces its old PDC: its INV_DPDCID to "
      "the question whether it has it frees that")
def syn_restart(d):
    pdc, other = d.open(), d.pdc()
    other.id = pdc.id
    other.inject(request(0, syn=True))
    probe = pdc.expect(cp(p.CP_PROBE))
    same("PSN", probe.psn, 0)
    pdc.inject(p.nack(p.INV_DPDCID, 0, 0, pdc.remote))
    pdc.inject(request(1))
    pdc.expect(nack(p.INV_DPDCID, 1, known=False))
    other.inject(request(0, syn=True))
    other.expect(ack(0, cack=0))


@rule("3.5.8", "An initiator sets SYN, and its PSN's distance from Start_PSN, in each "
      "request until the first answer, and in none afterwards")
def syn_until_answered(d):
    sock = d.send()
    pdc = d.opened()
    pdc.expect(request(0, syn=True, dpdcid=0))
    d.send(sock=sock)
    pdc.expect(request(1, syn=True, dpdcid=1))
    d.send(sock=sock)
    pdc.expect(request(2, syn=True, dpdcid=2))
    pdc.inject(ack(2))
    for _ in range(3):
        d.delivered(sock)
    d.send(sock=sock)
    pdc.expect(request(3, syn=False, dpdcid=pdc.id, spdcid=pdc.remote))
    pdc.inject(ack(3))
    d.delivered(sock)


@rule("3.5.8", "A NACK with an spdcid tells the initiator the target's PDCID as an ACK "
      "does")
def nack_names(d):
    sock = d.send()
    pdc = d.opened()
    pdc.expect(request(0, syn=True))
    pdc.inject(nack(p.RCVR_INFER_LOSS, 0))
    pdc.expect(request(0, syn=False, retx=True, dpdcid=pdc.id))
    pdc.inject(ack(0, retx=True))
    d.delivered(sock)


@rule("3.5.8", "What was built with SYN and is sent again once the PDCID is known may be "
      "rebuilt without; a target takes both")
def syn_again(d):
    d.setting(rto_min_us=20000)
    sock = d.send()
    d.send(sock=sock)
    pdc = d.opened()
    pdc.expect(request(0, syn=True))
    pdc.expect(request(1, syn=True))
    pdc.inject(ack(0))
    pdc.expect(request(1, retx=True, syn=False, dpdcid=pdc.id))
    pdc.inject(ack(1, retx=True))
    ours = d.open()
    ours.inject(request(1, ar=True))
    ours.expect(ack(1, cack=1))
    ours.inject(request(2, syn=True, retx=True, ar=True))
    ours.expect(ack(2, cack=2))


@rule("3.5.8", "Ordered messages between two endpoints all go by the same PDC, RUD and ROD "
      "by different ones")
def one_for_ordered(d):
    sock = d.socket(100, notify=True, ordered=True)
    ids = set()
    for n in range(4):
        d.send(sock=sock)
        pdc = d.opened(p.ROD_REQ) if not n else pdc
        a = pdc.answer(ack(n))
        same("type", a.type, p.ROD_REQ)
        ids.add(a.spdcid)
        d.delivered(sock)
    same("contexts", len(ids), 1)
    d.send(local=101)
    other = d.opened()
    assert other.remote != pdc.remote, "RUD and ROD share a context"
    other.answer(ack(0))


@rule("3.5.8", "A PDC has one mode: a packet of the other one is NACKed PDC_MODE_MISMATCH")
def mode(d):
    for rod, other in (False, p.ROD_REQ), (True, p.RUD_REQ):
        pdc = d.open(rod=rod)
        pdc.inject(request(1, type=other))
        pdc.expect(nack(p.PDC_MODE_MISMATCH, 1, known=True))
        pdc.inject(request(1, ar=True))
        pdc.expect(ack(1, cack=1))


@rule("3.5.8", "A PDC has one traffic class: messages of another one go by another PDC")
def traffic_class(d):
    d.setting(dscp_short=65)
    one, two = d.send(tclass=10), d.send(local=101, tclass=12)
    pdcs = {}
    for _ in range(2):
        pdc = d.opened()
        a = pdc.answer(ack(0))
        pdcs[a.tos >> 2] = pdc.remote
    same("classes", sorted(pdcs), [10, 12])
    same("contexts", len(set(pdcs.values())), 2)
    d.delivered(one)
    d.delivered(two)


@rule("3.5.8", "A PDC serves one job: messages of another one go by another PDC")
def job(d):
    number = 0x00abcd
    one, other = d.socket(100, notify=True), d.socket(100, job=number, notify=True)
    d.send(sock=one)
    d.send(sock=other, to=f"uet://{d.bracketed(d.own)}/{number}/291/69")
    pdcs = {}
    for _ in range(2):
        pdc = d.opened()
        a = pdc.expect(request(0))
        pdc.inject(ack(0, job=a.job))
        pdcs[a.job] = pdc.remote
    same("jobs", sorted(pdcs), [0, number])
    same("contexts", len(set(pdcs.values())), 2)
    d.delivered(one)
    d.delivered(other)


@rule("3.5.8", "All packets of a message go by one PDC")
def one_for_message(d):
    d.setting(payload_mtu=1024)
    sock = d.send(bytes(5000))
    pdc = d.opened()
    first = pdc.expect(request(0, som=True, eom=False))
    for n in range(1, 5):
        pdc.expect(request(n, spdcid=pdc.remote, msg_id=first.msg_id, eom=n == 4))
    pdc.inject(ack(4))
    d.delivered(sock)


@rule("3.5.8", "Requests may go both ways of a PDC, numbered from the same Start_PSN on")
def both_ways(d):
    d.setting(return_requests=2)
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, cack=1))
    sock = d.send()
    pdc.expect(request(0, syn=False, spdcid=pdc.remote, dpdcid=pdc.id))
    pdc.inject(ack(0))
    d.delivered(sock)
    pdc.inject(request(2, ar=True))
    pdc.expect(ack(2, cack=2))


@rule("3.5.8", "PDCIDs of a target are not to be guessed: they follow no order")
def random_ids(d):
    ids = [d.open().remote for _ in range(8)]
    steps = {b - a & 0xffff for a, b in zip(ids, ids[1:])}
    assert len(steps) > 2, f"PDCIDs {ids}"
