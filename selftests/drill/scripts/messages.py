# SPDX-License-Identifier: GPL-2.0
"""From messages to packets and back (UE 1.0 3.4.1)."""
import errno
import os
import socket
import struct

from drill import CLEAR, WITHIN, ack, cp, p, request, rule, same

RESPONSE = 1
MTU = 1024


def parts(n, msg_id, size, length, **fields):
    """The packets of a message of so many bytes each, and their data"""
    data = bytes(i & 255 for i in range(length))
    return [request(n + i, msg_id=msg_id, at=at, length=length, data=data[at:at + size],
                    ar=True, **fields)
            for i, at in enumerate(range(0, length, size))], data


def several(d, length=3500, **how):
    """A message of the host with more than one packet: socket, context, first packet"""
    d.patient()
    d.setting(payload_mtu=MTU)
    sock = d.send(bytes(length), **how)
    pdc = d.opened()
    return sock, pdc


@rule("3.4.1", "All packets of a message have the same message id, length, target, and "
      "initiator; every packet but the last is full")
def cut(d):
    sock, pdc = several(d, 3500)
    first = pdc.expect(request(0, som=True, eom=False, length=3500))
    same("bytes", len(first.data), MTU)
    fixed = {k: getattr(first, k) for k in ("msg_id", "length", "pid", "index", "job",
                                            "generation", "initiator", "offset", "key")}
    for n, size in (1, MTU), (2, MTU), (3, 3500 - 3 * MTU):
        a = pdc.expect(request(n, som=False, part=size, at=n * MTU, eom=n == 3, **fixed))
        same("bytes", len(a.data), size)
    pdc.inject(ack(3))
    d.delivered(sock)


@rule("3.4.1", "A message of one packet has SOM and EOM")
def single(d):
    sock, pdc = several(d, MTU)
    pdc.expect(request(0, som=True, eom=True, length=MTU))
    pdc.inject(ack(0))
    d.delivered(sock)


@rule("3.4.1", "A message without data is one packet")
def empty(d):
    sock, pdc = several(d, 0)
    pdc.expect(request(0, som=True, eom=True, length=0, data=b""))
    pdc.inject(ack(0))
    d.delivered(sock)
    ours = d.open()
    d.messages()
    ours.inject(request(1, data=b"", ar=True))
    ours.expect(ack(1, cack=1))
    same("delivered", [m.data for m in d.messages()], [b""])


@rule("3.4.1", "Message ids are unique among the open messages of a PDC")
def ids(d):
    d.patient()
    sock = d.send()
    pdc = d.opened()
    pdc.answer(ack(0))
    d.delivered(sock)
    seen = set()
    for n in range(1, 20):
        d.send(sock=sock)
        seen.add(pdc.expect(request(n)).msg_id)
    same("message ids", len(seen), 19)
    pdc.inject(ack(19))
    for _ in range(19):
        d.delivered(sock)


@rule("3.4.1", "Message ids of different PDCs are different messages")
def ids_per_pdc(d):
    one, other = d.open(), d.open()
    d.messages()
    packets, data = parts(1, 5, 500, 1000)
    more, _ = parts(1, 5, 500, 1000)
    one.inject(packets[0])
    one.expect(ack(1, cack=1))
    other.inject(more[1])
    other.expect(ack(2, cack=0))
    same("delivered", d.messages(), [])
    one.inject(packets[1])
    one.expect(ack(2, cack=2))
    other.inject(more[0])
    other.expect(ack(1, cack=2))
    same("delivered", [m.data for m in d.messages()], [data, data])


@rule("3.4.1", "The packets of a message may come in any order; it is complete when all its "
      "bytes have come")
def any_order(d):
    pdc = d.open()
    d.messages()
    packets, data = parts(1, 9, 700, 3500)
    for n in 4, 2, 0, 3:
        pdc.inject(packets[n])
        pdc.expect(ack(n + 1))
        same("delivered", d.messages(), [])
    pdc.inject(packets[1])
    pdc.expect(ack(2, cack=5))
    same("delivered", [m.data for m in d.messages()], [data])


@rule("3.4.1", "A packet that is not the first may come first, and begins the message at "
      "the target")
def last_first(d):
    d.counted("PdcAccepted")
    packets, data = parts(0, 9, 1000, 2000, syn=True)
    pdc = d.pdc()
    pdc.inject(packets[1])
    pdc.remote = pdc.expect(ack(1, cack=-1)).spdcid
    pdc.inject(packets[0])
    pdc.expect(ack(0, cack=1))
    same("delivered", [m.data for m in d.messages()], [data])


@rule("3.4.1", "Messages of one PDC may be mixed")
def mixed(d):
    pdc = d.open()
    d.messages()
    one, data = parts(1, 21, 600, 1800)
    other, _ = parts(4, 22, 600, 1800)
    for a, b in zip(one, other):
        for what in b, a:
            pdc.inject(what)
            pdc.expect(ack(what.n))
    same("delivered", [m.data for m in d.messages()], [data, data])


@rule("3.4.1", "Each packet is placed at its message_offset, whatever its size")
def sizes(d):
    pdc = d.open()
    d.messages()
    data = bytes(range(250)) * 4
    at = 0
    for n, size in enumerate((1, 333, 7, 659), 1):
        pdc.inject(request(n, msg_id=3, at=at, length=1000, data=data[at:at + size],
                           ar=True))
        pdc.expect(ack(n))
        at += size
    same("delivered", [m.data for m in d.messages()], [data])


@rule("3.4.1", "Payload behind the end of a message is no data")
def behind(d):
    pdc = d.open()
    d.messages()
    pdc.inject(request(1, data=b"data and more", length=4, ar=True))
    pdc.expect(ack(1, cack=1))
    same("delivered", [m.data for m in d.messages()], [b"data"])


@rule("3.4.1", "message_offset + payload_length beyond request_length, or a payload_length "
      "that is not what is there, is answered OP_VIOLATION",
      malformed="fields that contradict each other")
def violations(d):
    pdc = d.open()
    d.messages()
    for n, fields in enumerate((
            {"at": 8, "length": 10, "data": b"data"},
            {"at": 4, "length": 20, "data": b"data", "part": 5},
            {"at": 4, "length": 20, "data": b"data", "part": 3},
            {"at": 0, "length": 20, "data": b"data", "eom": True}), 1):
        pdc.inject(request(n, msg_id=40 + n, **fields))
        pdc.expect(ack(n, rc=p.RC_OP_VIOLATION, rsp_op=RESPONSE, req=CLEAR))
    same("delivered", d.messages(), [])


@rule("3.4.1", "A packet of a message with another request_length than those before is "
      "answered OP_VIOLATION")
def other_length(d):
    pdc = d.open()
    d.messages()
    pdc.inject(request(1, msg_id=8, data=bytes(500), length=1000, ar=True))
    pdc.expect(ack(1, cack=1))
    pdc.inject(request(2, msg_id=8, at=500, data=bytes(500), length=1001, eom=True))
    pdc.expect(ack(2, rc=p.RC_OP_VIOLATION, rsp_op=RESPONSE))
    same("delivered", d.messages(), [])


@rule("3.4.1", "A target in error answers every further packet of that message by the same "
      "code")
def same_code(d):
    pdc = d.open()
    packets, _ = parts(1, 30, 500, 2000, pid=3000)
    for n in 0, 2, 1, 3:
        pdc.inject(packets[n])
        pdc.expect(ack(n + 1, rc=p.RC_BAD_PID, rsp_op=RESPONSE, req=CLEAR))


@rule("3.4.1", "A message that is too long for its target is answered TOO_LONG, or "
      "delivered as far as it fits, which modified_length tells",
      deviates="always TOO_LONG: a message is whole or does not come")
def too_long(d):
    sock = d.socket(303, max_msg=1000)
    pdc = d.open()
    pdc.inject(request(1, pid=303, data=bytes(1001)))
    pdc.expect(ack(1, rc=p.RC_TOO_LONG, rsp_op=RESPONSE, req=CLEAR, modified=0))
    pdc.inject(request(2, pid=303, data=bytes(1000), ar=True))
    pdc.expect(ack(2, rc=p.RC_OK))
    same("delivered", len(sock.recv_message().data), 1000)


@rule("3.4.1", "Without a buffer for it a message is kept as unexpected, or refused by "
      "NO_MATCH or by a NACK for shortage")
def unexpected(d):
    sock = d.socket(304)
    pdc = d.open()
    pdc.inject(request(1, pid=304, data=b"nobody reads yet", ar=True))
    pdc.expect(ack(1, cack=1, rc=p.RC_OK))
    same("delivered", sock.recv_message().data, b"nobody reads yet")


@rule("3.4.1", "... It is taken all the same, or refused by NO_MATCH, if a later one whose "
      "buffer waits depends on it")
def in_the_way(d):
    import uet             # only where libuet was built
    sock, filled = d.socket(305, rcvbuf=8192), bytearray(2 * MTU)
    queue = d.rest.enter_context(uet.Queue(sock))
    queue.recv(sock, filled, tag=9)
    pdc = d.open(pid=305)
    # A source that sends probes keeps back what is behind a packet without room
    pdc.inject(cp(p.CP_PROBE, ar=True, opaque=3))
    pdc.expect(ack(opaque=3))

    def send(n, **fields):
        pdc.inject(request(n, pid=305, msg_id=n, data=bytes(MTU), ar=True, **fields))
        return d.find(lambda a: a.type in (p.NACK, p.ACK_CC), WITHIN)

    n = 1
    while (a := send(n)).type == p.ACK_CC:
        n += 1
    same("NACK", (a.type, a.code, a.psn), (p.NACK, p.NO_PKT_BUFFER, pdc.psn(n)))
    for other in range(n + 1, n + 60):
        pdc.inject(request(other, pid=305, msg_id=other, data=bytes(MTU)))
    d.settle()
    d.inbox.clear()
    refused = range(n, n + 60)
    last = refused[-1]
    halves, data = parts(last + 1, 500, MTU, 2 * MTU, pid=305, opcode=p.OP_TAGGED_SEND,
                         key=9)
    pdc.inject(halves[0])
    pdc.expect(ack(last + 1, cack=refused[0] - 1))
    # The other half waits for those that found no room
    codes = set()
    for n in refused:
        a = send(n, retx=True)
        same("type", a.type, p.ACK_CC)
        codes.add(a.rc)
    same("codes", codes - {p.RC_OK}, {p.RC_NO_MATCH})
    pdc.inject(halves[1])
    pdc.expect(ack(last + 2, rc=p.RC_OK))
    done = queue.get(WITHIN * d.slow)
    same("bytes", (done.length, bytes(filled) == data), (2 * MTU, True))


@rule("3.4.1", "A message goes to the next reader of {job, PIDonFEP, RI}; on ROD in the "
      "order of PSNs")
def order(d):
    pdc = d.open(rod=True, data=b"0")
    for n in range(1, 6):
        pdc.inject(request(n, data=b"%d" % n))
    pdc.inject(request(6, data=b"6", ar=True))
    pdc.expect(ack(6, cack=6))
    same("delivered", [m.data for m in d.messages()], [b"%d" % n for n in range(7)])


@rule("3.4.1", "A message of the host is delivered when each of its packets is answered "
      "without an error")
def done(d):
    sock, pdc = several(d, 3 * MTU)
    for n in range(3):
        pdc.expect(request(n))
    pdc.inject(ack(0))
    pdc.inject(ack(1, rcvd=9))
    d.silent(sock)
    pdc.inject(ack(2, rcvd=14))
    d.delivered(sock)


@rule("3.4.1", "A source that gives a message up says so by MSG_ERROR: SOM 0, EOM 1, no "
      "payload, the same message id")
def given_up(d):
    d.setting(nscc_max_wnd=5000)
    sock, pdc = several(d, 20000, cookie=7)
    first = pdc.expect(request(0))
    n, at = 1, MTU
    d.settle()
    while d.inbox:
        a = pdc.expect(request(n, msg_id=first.msg_id))
        n, at = n + 1, a.at + len(a.data)
    assert at < 20000, "all of it was sent"
    sock.cancel(7)
    pdc.inject(ack(n - 1, rcvd=n * 5))
    a = pdc.expect(request(n, opcode=p.OP_MSG_ERROR, som=False, eom=True, part=0, data=b"",
                           msg_id=first.msg_id))
    same("message_offset", a.at, at)
    pdc.inject(ack(n, rcvd=n * 5 + 1))


@rule("3.4.1", "After MSG_ERROR the target drops the message: a later packet of it is "
      "acknowledged and not delivered")
def msg_error(d):
    pdc = d.open()
    d.messages()
    packets, _ = parts(1, 50, 500, 1500)
    pdc.inject(packets[0])
    pdc.expect(ack(1, cack=1))
    pdc.inject(request(4, opcode=p.OP_MSG_ERROR, msg_id=50, at=500, length=1500, data=b"",
                       eom=True, ar=True))
    pdc.expect(ack(4, cack=1, rc=p.RC_OK))
    for n in 2, 1:
        pdc.inject(packets[n])
        pdc.expect(ack(n + 1, rc=p.RC_OK))
    same("delivered", d.messages(), [])


@rule("3.4.1", "... also if MSG_ERROR overtakes all other packets")
def msg_error_first(d):
    pdc = d.open()
    d.messages()
    packets, _ = parts(1, 51, 500, 1000)
    pdc.inject(request(3, opcode=p.OP_MSG_ERROR, msg_id=51, at=1, length=1000, data=b"",
                       eom=True, ar=True))
    pdc.expect(ack(3, cack=0))
    for n in 1, 0:
        pdc.inject(packets[n])
        pdc.expect(ack(n + 1, rc=p.RC_OK))
    same("delivered", d.messages(), [])
    # Its id is free again
    pdc.inject(request(4, msg_id=51, data=b"new", ar=True))
    pdc.expect(ack(4, cack=4))
    same("delivered", [m.data for m in d.messages()], [b"new"])


@rule("3.4.1", "A duplicate of a packet of a message is not delivered twice")
def duplicates(d):
    pdc = d.open()
    d.messages()
    packets, data = parts(1, 60, 500, 1500)
    for n in 0, 0, 2, 0, 1, 2, 1:
        pdc.inject(packets[n])
        pdc.expect(ack(n + 1))
    same("delivered", [m.data for m in d.messages()], [data])


@rule("3.4.1", "Bytes that come twice by different PSNs do not complete a message")
def overlap(d):
    pdc = d.open()
    d.messages()
    for n, at in (1, 0), (2, 0), (3, 500):
        pdc.inject(request(n, msg_id=70, at=at, data=bytes(500), length=1500, ar=True,
                           eom=False))
        pdc.expect(ack(n))
    same("delivered", d.messages(), [])


@rule("3.4.1", "DEFERRABLE_SEND and its tagged form are taken as SEND if there is room")
def deferrable(d):
    pdc = d.open()
    d.messages()
    for n, op in (1, p.OP_DEFERRABLE_SEND), (2, p.OP_DEFERRABLE_TSEND):
        pdc.inject(request(n, opcode=op, ar=True))
        pdc.expect(ack(n, cack=n, rc=p.RC_OK))
    same("delivered", len(d.messages()), 2)


@rule("3.4.1", "A deferrable message that its source stops ends with a packet without data")
def deferrable_stopped(d):
    pdc = d.open()
    d.messages()
    pdc.inject(request(1, opcode=p.OP_DEFERRABLE_SEND, msg_id=80, data=bytes(500),
                       length=1500, ar=True))
    pdc.expect(ack(1, cack=1))
    pdc.inject(request(2, opcode=p.OP_DEFERRABLE_SEND, msg_id=80, at=500, data=b"",
                       length=1500, eom=True, ar=True))
    pdc.expect(ack(2, cack=2))
    pdc.inject(request(3, opcode=p.OP_DEFERRABLE_SEND, msg_id=80, at=1000, data=bytes(500),
                       length=1500, ar=True))
    pdc.expect(ack(3, cack=3))
    same("delivered", d.messages(), [])


OURS, THEIRS = 0x1234cafe, 0x77005500       # tokens of this peer


def crowded(d, pid):
    """A socket of the host with messages in it, and a context by which one of them came;
    nothing long fits"""
    sock = d.socket(pid, rcvbuf=16384)
    for messages in 4, 1:
        pdc = d.open(pid=pid)
        for n in range(1, messages + 1):
            pdc.inject(request(n, pid=pid, data=bytes(3000), ar=True))
            pdc.expect(ack(n, cack=n, rsp_op=0))
    return sock, pdc


def long(n, pid, token=OURS, length=20000, of=0, **fields):
    """A packet of a deferrable message for which crowded() has no room"""
    fields.setdefault("data", bytes(1000))
    fields.setdefault("opcode", p.OP_DEFERRABLE_SEND)
    return request(n, pid=pid, length=length, ar=True, at_target=token << 32 | of, **fields)


def deferred(n, cack):
    """The response that defers a message"""
    return ack(n, cack=cack, rc=p.RC_OK, rsp_op=RESPONSE, modified=0, req=CLEAR)


def empty_socket(sock):
    """Reads what is there; the messages"""
    found = []
    sock.settimeout(0)
    try:
        while True:
            found.append(sock.recv_message().data)
    except BlockingIOError:
        return found


@rule("3.4.1", "A target without a buffer defers a deferrable message: it drops the data and "
      "answers by a guaranteed response, OK, of no bytes")
def deferrable_deferred(d):
    sock, pdc = crowded(d, 301)
    for n, op in (2, p.OP_DEFERRABLE_SEND), (3, p.OP_DEFERRABLE_TSEND):
        pdc.inject(long(n, 301, token=OURS + n, opcode=op, msg_id=n))
        pdc.expect(deferred(n, 1))
        # The response is kept until it is cleared
        pdc.inject(long(n, 301, token=OURS + n, opcode=op, msg_id=n, retx=True))
        pdc.expect(deferred(n, 1))
    # What follows of it has no response of its own, and neither has the end of it
    pdc.inject(long(4, 301, token=OURS + 2, msg_id=2, at=1000))
    pdc.expect(ack(4, cack=1, rc=p.RC_OK, rsp_op=0))
    pdc.inject(long(5, 301, token=OURS + 2, msg_id=2, at=2000, data=b"", eom=True, clear=3))
    pdc.expect(ack(5, cack=5, rc=p.RC_OK, rsp_op=0))
    # Others go on
    pdc.inject(request(6, pid=301, ar=True))
    pdc.expect(ack(6, cack=6))
    same("read", [len(m) for m in empty_socket(sock)],
         [4, *[3000] * 4, 4, 3000, 4])


@rule("3.4.1", "Of a deferrable message whose packets come in another order the first response "
      "is to the lowest PSN, so that its source clears nothing before it has it")
def deferrable_order(d):
    _, pdc = crowded(d, 302)
    pdc.inject(long(4, 302, msg_id=7, at=2000))
    pdc.expect(deferred(4, 1))
    pdc.inject(long(2, 302, msg_id=7))
    pdc.expect(deferred(2, 1))
    pdc.inject(long(3, 302, msg_id=7, at=1000))
    pdc.expect(ack(3, cack=1, rc=p.RC_OK, rsp_op=0))


@rule("3.4.1", "When there is room the target asks for a deferred message by DEFERRABLE_RTR, "
      "with the tokens of the source and its own, as a request of its own: they are the same, as "
      "sources do not agree in which half theirs is")
def deferrable_rtr(d):
    sock, pdc = crowded(d, 303)
    pdc.inject(long(2, 303))
    pdc.expect(deferred(2, 1))
    pdc.inject(long(3, 303, at=1000, data=b"", eom=True, clear=2))
    pdc.expect(ack(3, cack=3))
    same("read", len(empty_socket(sock)), 7)
    back = d.opened()
    a = back.expect(request(0, opcode=p.OP_DEFERRABLE_RTR, som=True, eom=True, length=0,
                            data=b"", offset=0))
    same("tokens", (a.key >> 32, a.key & 0xffffffff), (OURS, OURS))
    # It is lost
    back.expect(request(0, opcode=p.OP_DEFERRABLE_RTR, retx=True, key=a.key))
    back.inject(ack(0))
    for n, at in enumerate(range(0, 20000, 2000), 4):
        pdc.inject(long(n, 303, msg_id=9, at=at, data=bytes(2000), of=a.key & 0xffffffff))
        pdc.expect(ack(n, cack=n, rc=p.RC_OK, rsp_op=0))
    same("read", [len(m) for m in empty_socket(sock)], [20000])
    d.never(back, request(1, opcode=p.OP_DEFERRABLE_RTR))


@rule("3.4.1", "A message that was asked for may come by a context that it opens: its room is not "
      "set aside any longer")
def deferrable_anew(d):
    sock, pdc = crowded(d, 311)
    pdc.inject(long(2, 311))
    pdc.expect(deferred(2, 1))
    empty_socket(sock)
    back = d.opened()
    a = back.expect(request(0, opcode=p.OP_DEFERRABLE_RTR))
    back.inject(ack(0))
    anew = d.pdc()
    for n, at in enumerate(range(0, 20000, 2000)):
        anew.inject(long(n, 311, msg_id=5, at=at, data=bytes(2000), syn=not n,
                         of=a.key & 0xffffffff))
        anew.remote = anew.expect(ack(n, cack=n)).spdcid
    same("read", [len(m) for m in empty_socket(sock)], [20000])
    pdc.inject(long(3, 311, token=OURS + 1, msg_id=9, clear=2))
    pdc.expect(ack(3, cack=3, rc=p.RC_OK, rsp_op=0))


@rule("3.4.1", "A target asks for deferred messages in the order in which they came, as many as "
      "there is room for")
def deferrable_turn(d):
    sock, pdc = crowded(d, 304)
    for n in range(2, 6):
        pdc.inject(long(n, 304, token=OURS + n, msg_id=n + 10, length=8000))
        pdc.expect(deferred(n, 1))
    # One that is offered again keeps its place
    pdc.inject(long(6, 304, token=OURS + 2, msg_id=16, length=8000, clear=5))
    pdc.expect(deferred(6, 5))
    empty_socket(sock)
    back = d.opened()
    for n in range(4):
        # What is set aside for those that do not come is for the next one after a while
        a = back.expect(request(n, opcode=p.OP_DEFERRABLE_RTR))
        same("token", a.key >> 32, OURS + 2 + n)
        back.inject(ack(n))
        if n == 2:
            d.expect_nothing()


@rule("3.4.1", "A message is not asked for again before the last request for it is answered")
def deferrable_unanswered(d):
    d.patient()
    sock, pdc = crowded(d, 308)
    pdc.inject(long(2, 308))
    pdc.expect(deferred(2, 1))
    empty_socket(sock)
    back = d.opened()
    back.expect(request(0, opcode=p.OP_DEFERRABLE_RTR))
    for n in range(3, 7):
        pdc.inject(request(n, pid=308, data=bytes(3000), ar=True, clear=2))
        pdc.expect(ack(n, cack=n, rsp_op=0))
    pdc.inject(long(7, 308, msg_id=9))
    pdc.expect(deferred(7, 6))
    empty_socket(sock)
    d.pause(0.5)
    d.never(back, request(1, opcode=p.OP_DEFERRABLE_RTR))
    back.inject(ack(0))
    back.expect(request(1, opcode=p.OP_DEFERRABLE_RTR))


@rule("3.4.1", "When the message of a host does not come for which it was asked, its others wait "
      "behind those of other hosts")
def deferrable_fair(d):
    d.patient()
    sock, pdc = crowded(d, 309)
    other, at = d.pdc(), {"source": d.elsewhere}
    other.inject(request(0, pid=309, syn=True), **at)
    other.remote = other.expect(ack(0)).spdcid
    other.inject(request(1, pid=309, ar=True), **at)
    other.expect(ack(1, cack=1))
    for n in 2, 3:
        pdc.inject(long(n, 309, token=OURS + n, msg_id=n + 10))
        pdc.expect(deferred(n, 1))
    other.inject(long(2, 309, token=OURS), **at)
    other.expect(deferred(2, 1))
    empty_socket(sock)
    back = d.opened()
    a = back.expect(request(0, opcode=p.OP_DEFERRABLE_RTR))
    same("token", a.key >> 32, OURS + 2)
    back.inject(ack(0))
    there = d.opened()
    a = there.expect(request(0, opcode=p.OP_DEFERRABLE_RTR))
    same("token", a.key >> 32, OURS)
    d.never(back, request(1, opcode=p.OP_DEFERRABLE_RTR))
    there.inject(ack(0), **at)
    # Its turn comes
    a = back.expect(request(1, opcode=p.OP_DEFERRABLE_RTR))
    same("token", a.key >> 32, OURS + 3)
    back.inject(ack(1))


@rule("3.4.1", "A source that does not have a deferred message any more says so, and the next one "
      "is asked for")
def deferrable_cancelled(d):
    sock, pdc = crowded(d, 310)
    for n in 2, 3:
        pdc.inject(long(n, 310, token=OURS + n, msg_id=n + 10))
        pdc.expect(deferred(n, 1))
    empty_socket(sock)
    back = d.opened()
    for n in range(2):
        a = back.expect(request(n, opcode=p.OP_DEFERRABLE_RTR))
        same("token", a.key >> 32, OURS + 2 + n)
        back.inject(ack(n, rc=p.RC_CANCELLED, rsp_op=RESPONSE, req=CLEAR,
                        msg_id=a.msg_id))
    # Neither is known any more: one with the same token is as good as new
    pdc.inject(long(4, 310, token=OURS + 2, msg_id=9, length=1000, clear=3))
    pdc.expect(ack(4, cack=4, rc=p.RC_OK, rsp_op=0))


@rule("3.4.1", "A message of an ordered context is not deferred, since later ones would overtake "
      "it: it is NACKed for shortage like others")
def deferrable_ordered(d):
    sock = d.socket(305, rcvbuf=16384)
    pdc = d.open(rod=True, pid=305)
    pdc.inject(cp(p.CP_PROBE, ar=True, opaque=1))
    pdc.expect(ack(opaque=1))
    for n in range(1, 100):
        pdc.inject(long(n, 305, token=OURS + n, msg_id=n, length=1000))
        d.settle()
        a = d.inbox.popleft()
        if a.type == p.NACK:
            break
        same("response", (a.rsp_op, a.rc), (0, p.RC_OK))
    else:
        raise AssertionError("100 KB in 16 KB")
    same("read", len(empty_socket(sock)), n)


@rule("3.4.1", "The messages of a source are noted up to a number; others are treated like plain "
      "ones")
def deferrable_many(d):
    sock, pdc = crowded(d, 306)
    for n in range(2, 18):
        pdc.inject(long(n, 306, token=OURS + n, msg_id=n))
        pdc.expect(deferred(n, 1))
    pdc.inject(long(18, 306, token=OURS + 18, msg_id=18))
    pdc.expect(ack(18, cack=1, rc=p.RC_OK, rsp_op=0))
    assert sock


@rule("3.4.1", "When the endpoint ends, the sources of its deferred messages are asked for them "
      "at once, and hear so")
def deferrable_close(d):
    sock, pdc = crowded(d, 307)
    pdc.inject(long(2, 307))
    pdc.expect(deferred(2, 1))
    sock.close()
    back = d.opened()
    back.expect(request(0, opcode=p.OP_DEFERRABLE_RTR))
    back.inject(ack(0))
    pdc.inject(long(3, 307, msg_id=33, clear=2))
    pdc.expect(ack(3, rc=p.RC_BAD_PID, rsp_op=RESPONSE))


def offered(d, length=3500, size=MTU, **how):
    """A deferrable message of the host, all of whose packets have come: its socket, context,
    token, and the number of its packets"""
    sock, pdc = several(d, length, defer=1, **how)
    first = pdc.expect(request(0, opcode=p.OP_DEFERRABLE_SEND, som=True, length=length))
    n = (length + size - 1) // size
    for i in range(1, n):
        pdc.expect(request(i, opcode=p.OP_DEFERRABLE_SEND, msg_id=first.msg_id, at=i * size,
                           offset=first.offset))
    assert first.offset >> 32 and not first.offset & 0xffffffff, "tokens"
    return sock, pdc, first.offset >> 32, n


def defer(pdc, n=0):
    """Says that the message with packet n is deferred"""
    pdc.inject(ack(n, cack=n - 1, rc=p.RC_OK, rsp_op=RESPONSE, modified=0, req=CLEAR,
                   msg_id=pdc.last.msg_id))


def asks(d, token, rc=p.RC_OK, key=None, start=0):
    """This peer asks for the message with a token, by a context of its own"""
    back = d.pdc()
    back.inject(request(0, opcode=p.OP_DEFERRABLE_RTR, data=b"", pid=100, syn=True,
                        at_target=start, key=token << 32 | THEIRS if key is None else key))
    back.expect(ack(0, rc=rc))


@rule("3.4.1", "A source whose deferrable message is deferred stops it by a packet of the same "
      "operation, with EOM and without data")
def deferrable_stop(d):
    d.patient()
    sock, pdc = several(d, 1000000, defer=1)
    pdc.expect(request(0, opcode=p.OP_DEFERRABLE_SEND, som=True))
    defer(pdc)
    sent = 1
    while True:
        a = pdc.expect(request(sent, opcode=p.OP_DEFERRABLE_SEND, som=False, at=sent * MTU))
        if a.ses_flags & p.S_EOM:
            break
        sent += 1
    same("data", (a.part, len(a.data)), (0, 0))
    assert sent < 900, "it was not stopped"
    pdc.inject(ack(sent))
    d.expect_nothing()
    d.silent(sock)


@rule("3.4.1", "A source whose deferrable message is deferred waits for DEFERRABLE_RTR, and sends "
      "it again with both tokens")
def deferrable_source(d):
    sock, pdc, token, n = offered(d)
    defer(pdc)
    pdc.inject(ack(n - 1))
    d.expect_nothing()
    d.silent(sock)
    # Others do not wait for it
    d.send(sock=sock)
    pdc.answer(ack(n))
    d.delivered(sock)
    asks(d, token)
    for i in range(4):
        pdc.expect(request(n + 1 + i, opcode=p.OP_DEFERRABLE_SEND, som=not i, length=3500,
                           offset=token << 32 | THEIRS, eom=i == 3))
    pdc.inject(ack(n + 4))
    d.delivered(sock)
    # Nobody can ask for it any more
    asks(d, token, p.RC_CANCELLED)


@rule("3.4.1", "A target may ask before its answer is here, for part of a message, and with the "
      "tokens in the other order")
def deferrable_offset(d):
    sock, pdc, token, n = offered(d)
    asks(d, token, start=2048, key=THEIRS << 32 | token)
    d.expect_nothing()
    defer(pdc)
    pdc.inject(ack(n - 1))
    pdc.expect(request(n, opcode=p.OP_DEFERRABLE_SEND, som=False, at=2048, part=MTU, eom=False,
                       length=3500, offset=token << 32 | THEIRS))
    pdc.expect(request(n + 1, som=False, at=3072, part=3500 - 3072, eom=True))
    pdc.inject(ack(n + 1))
    d.delivered(sock)


@rule("3.4.1", "DEFERRABLE_RTR with tokens of no message is answered CANCELLED, one beyond the "
      "end of the message OP_VIOLATION")
def deferrable_wrong(d):
    sock, pdc, token, n = offered(d)
    defer(pdc)
    pdc.inject(ack(n - 1))
    asks(d, token ^ 1, p.RC_CANCELLED)
    asks(d, 0, p.RC_CANCELLED, key=0)
    asks(d, token, p.RC_OP_VIOLATION, start=3500)
    asks(d, token, p.RC_OP_VIOLATION, start=1 << 40)
    d.expect_nothing()
    d.silent(sock)
    asks(d, token)
    pdc.expect(request(n, opcode=p.OP_DEFERRABLE_SEND, som=True))


@rule("3.4.1", "A deferred message that nobody asks for is offered again after a while, and may be "
      "deferred again")
def deferrable_again(d):
    d.setting(defer_timeout_ms=100)
    sock, pdc, token, n = offered(d)
    for again in range(3):
        defer(pdc, again * n)
        pdc.inject(ack(again * n + n - 1))
        for i in range(n):
            pdc.expect(request(n * (again + 1) + i, opcode=p.OP_DEFERRABLE_SEND, som=not i,
                               offset=token << 32))
    pdc.inject(ack(4 * n - 1))
    d.delivered(sock)


@rule("3.4.1", "A deferred message can be cancelled, and expires, with one report")
def deferrable_expires(d):
    sock, pdc, token, n = offered(d, timeout=1500)
    defer(pdc)
    pdc.inject(ack(n - 1))
    d.failed(sock, errno.ETIMEDOUT)
    asks(d, token, p.RC_CANCELLED)
    d.silent(sock)


@rule("3.4.1", "A deferred message outlives its socket: it is sent when it is asked for")
def deferrable_outlives(d):
    sock, pdc, token, n = offered(d)
    defer(pdc)
    pdc.inject(ack(n - 1))
    d.settle()
    sock.close()
    asks(d, token)
    pdc.expect(request(n, opcode=p.OP_DEFERRABLE_SEND, som=True, length=3500,
                       offset=token << 32 | THEIRS))


@rule("3.4.1", "... but not one that does not linger: nobody can ask for its messages")
def deferrable_discarded(d):
    sock, pdc, token, n = offered(d)
    defer(pdc)
    pdc.inject(ack(n - 1))
    d.settle()
    with socket.socket(fileno=os.dup(sock.fileno())) as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()
    asks(d, token, p.RC_CANCELLED)


@rule("3.4.1", "The size of payload is told by the lengths of UDP or IP, not of the frame, "
      "which may be padded")
def padded(d):
    pdc = d.open()
    d.messages()
    for n, data in (1, b""), (2, b"x"):
        pdc.frame(request(n, data=data, ar=True), 20)
        pdc.expect(ack(n, cack=n, rc=p.RC_OK))
    pdc.frame(request(3, data=b"half", length=8, at=0, eom=False, msg_id=9, ar=True), 20)
    pdc.expect(ack(3, cack=3, rc=p.RC_OK))
    pdc.frame(request(4, data=b" and", length=8, at=4, msg_id=9, ar=True), 20)
    pdc.expect(ack(4, cack=4, rc=p.RC_OK))
    same("delivered", [m.data for m in d.messages()], [b"", b"x", b"half and"])


@rule("3.4.1", "The id of a message is free again when CACK has passed its packets: then it is "
      "another message")
def id_again(d):
    pdc = d.open()
    d.messages()
    for n in 1, 2:
        pdc.inject(request(n, msg_id=90, data=b"%d" % n, ar=True))
        pdc.expect(ack(n, cack=n, rc=p.RC_OK))
    same("delivered", [m.data for m in d.messages()], [b"1", b"2"])
    packets, data = parts(3, 90, 500, 1000)
    for what in packets:
        pdc.inject(what)
        pdc.expect(ack(what.n, cack=what.n))
    same("delivered", [m.data for m in d.messages()], [data])
