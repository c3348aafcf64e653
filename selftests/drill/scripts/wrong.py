# SPDX-License-Identifier: GPL-2.0
"""Scripts that expect what is not so. Each has to fail: a suite that nothing fails says
nothing."""
from drill import ack, cp, nack, p, request, rule, same


def wrong(script):
    return rule("-", "wrong on purpose")(script)


@wrong
def cack(d):
    pdc = d.open()
    pdc.inject(request(2, ar=True))
    pdc.expect(ack(2, cack=2))


@wrong
def ack_psn(d):
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(2))


@wrong
def sack(d):
    pdc = d.open()
    pdc.inject(request(3, ar=True))
    pdc.expect(ack(3, sack=[2]))


@wrong
def unsacked(d):
    pdc = d.open()
    pdc.inject(request(3, ar=True))
    pdc.expect(ack(3, unsacked=[3]))


@wrong
def response(d):
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1, rc=p.RC_NO_MATCH))


@wrong
def code(d):
    pdc = d.open()
    pdc.remote ^= 1
    pdc.inject(request(1))
    pdc.expect(nack(p.CLOSING, 1))


@wrong
def known(d):
    pdc = d.open()
    pdc.remote ^= 1
    pdc.inject(request(1))
    pdc.expect(nack(p.INV_DPDCID, 1, known=True))


@wrong
def kind(d):
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(nack(p.INV_DPDCID, 1))


@wrong
def control(d):
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(cp(p.CP_CLOSE_REQ), within=0.1)


@wrong
def order(d):
    pdc = d.open()
    for n in 1, 2:
        pdc.inject(request(n, ar=True))
    pdc.expect(ack(2))
    pdc.expect(ack(1))


@wrong
def nothing(d):
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect_nothing()


@wrong
def something(d):
    pdc = d.open()
    pdc.inject(request(1))
    pdc.expect(ack(1), within=0.1)


@wrong
def never(d):
    d.setting(rto_min_us=1000, rto_max_ms=10)
    d.send()
    pdc = d.opened()
    pdc.expect(request(0))
    pdc.expect(request(0, retx=True))
    pdc.expect(request(0, retx=True))
    d.pause(0.5)
    d.never(pdc, request(0, retx=True))


@wrong
def flag(d):
    d.send()
    pdc = d.opened()
    pdc.expect(request(0, syn=False))


@wrong
def payload(d):
    d.send(b"this")
    pdc = d.opened()
    pdc.expect(request(0, data=b"that"))


@wrong
def delivered(d):
    pdc = d.open()
    d.messages()
    pdc.inject(request(1, data=b"once", ar=True))
    pdc.expect(ack(1))
    same("delivered", [m.data for m in d.messages()], [b"once", b"once"])


@wrong
def report(d):
    d.patient()
    sock = d.send()
    pdc = d.opened()
    pdc.expect(request(0))
    pdc.inject(nack(p.UNEXP_EVENT, 0))
    d.delivered(sock)
