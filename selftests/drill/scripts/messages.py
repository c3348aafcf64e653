# SPDX-License-Identifier: GPL-2.0
"""From messages to packets and back (UE 1.0 3.4.1)."""
from drill import CLEAR, ack, p, request, rule, same

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


@rule("3.4.1", "A target without a buffer defers a deferrable message, and asks for it by "
      "DEFERRABLE_RTR later", missing="no message is deferred: without room it waits at its "
      "source as others do; DEFERRABLE_RTR is answered UNSUPPORTED_OP")
def deferrable_rtr(d):
    pdc = d.open()
    pdc.inject(request(1, opcode=p.OP_DEFERRABLE_RTR, data=b""))
    pdc.expect(ack(1, rc=p.RC_UNSUPPORTED_OP, rsp_op=RESPONSE))


@rule("3.4.1", "A source whose deferrable message is deferred waits for DEFERRABLE_RTR",
      missing="no message is sent as deferrable: long ones are plain")
def deferrable_source(d):
    _, pdc = several(d, 20000)
    pdc.expect(request(0, opcode=p.OP_SEND))


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
