# SPDX-License-Identifier: GPL-2.0
"""Headers of the semantic sublayer (UE 1.0 3.4) and of packet delivery (3.5.10)."""
import errno
import struct

import form
from drill import CLEAR, INDEX, PID, ack, cp, nack, p, request, rule, same

RESPONSE = 1
HD = 0x1122334455667788


def answered(d, pdc, n, rc, what=None, **fields):
    """Request n is refused by that code, and cleared"""
    pdc.inject(what or request(n, **fields))
    a = pdc.expect(ack(n, rc=rc, rsp_op=RESPONSE, req=CLEAR))
    pdc.inject(cp(p.CP_CLEAR_CMD, payload_n=n))
    d.settle()
    d.inbox.clear()
    return a


def sent(d, **how):
    """A message of the host: its socket and context"""
    sock = d.send(**how)
    return sock, d.opened()


def last(d):
    """IP protocol and payload of the host's last packet"""
    d.settle()
    ip = [ip for _, ip in d.frames() if form.split(ip)[2].startswith(
        form.packed(d.host.addr))][-1]
    _, proto, _, data = form.split(ip)
    return proto, data


# --- packet delivery ------------------------------------------------------------

@rule("3.5.10", "Packets over UDP go to port 4793, whatever their source port; over IP "
      "they begin with an entropy value and 16 reserved bits")
def outer(d):
    sock, pdc = sent(d)
    a = pdc.expect(request(0))
    assert a.sport >= 49152, f"entropy value {a.sport}"
    # form.plain() has taken it for one of this form
    proto, data = last(d)
    same("protocol", proto, form.IP_PROTO if "ip" in form.DEFAULT else 17)
    if "ip" in form.DEFAULT:
        same("reserved", data[2:4], bytes(2))
    else:
        same("port", data[2:4], struct.pack("!H", p.UDP_PORT))
        same("UDP length", struct.unpack("!H", data[4:6])[0], len(data))
    same("not to be fragmented", a.df, 1)
    pdc.inject(ack(0))
    d.delivered(sock)


@rule("3.5.10.1", "The UDP checksum is 0, over IPv6 as well",
      deviates="packets have one until the peer shows that it sends none, so that damage is "
      "loss; with net.uet.profile=spec none has one")
def checksum(d):
    pdc = d.open()
    pdc.inject(request(1, ar=True))
    pdc.expect(ack(1))
    _, data = last(d)
    if "ip" not in form.DEFAULT:
        same("checksum", data[6:8], bytes(2))


@rule("3.5.10", "Requests are ECN-capable, answers are not")
def ecn(d):
    sock, pdc = sent(d)
    pdc.expect(request(0, ecn=2))
    pdc.inject(ack(0))
    d.delivered(sock)
    ours = d.open()
    ours.inject(request(1, ar=True))
    ours.expect(ack(1, ecn=0))


@rule("3.5.10", "A CRC, where there is one, is CRC-32C over addresses and contents, stored "
      "big-endian; a packet with a wrong one is dropped")
def crc(d):
    pdc = d.open()
    data = request(1, ar=True).build(pdc)
    if "crc" not in form.DEFAULT:
        # Nothing tells of one but the length
        d.counted("RxTrailers")
        same("CRC of nine digits", form.crc32c(b"123456789"), 0xe3069283)
        pdc.inject(data)
        pdc.expect(ack(1, cack=1))
        same("trailers", d.counted("RxTrailers"), 0)
        return
    d.counted("DropCrc")
    whole = bytearray(form.packet(form.DEFAULT, d.own, d.host.addr, data, 50000))
    whole[-1] ^= 1
    d.host.raw.sendto(whole, (d.host.addr, 0))
    pdc.expect_nothing()
    same("dropped", d.counted("DropCrc"), 1)
    pdc.inject(data)
    pdc.expect(ack(1, cack=1))
    # The PDCID is what was damaged, of a packet that does not tell its length. NACKed, it
    # would end a context of the source, which is known to send trailers.
    lost = request(2, dpdcid=pdc.remote ^ 0x4000, length=5000, data=bytes(1000), ar=True)
    for protect in 2, 1:
        d.setting(data_protect=protect)
        whole = bytearray(form.packet(form.DEFAULT, d.own, d.host.addr, lost.build(pdc),
                                      50000))
        whole[-1] ^= 1
        d.host.raw.sendto(whole, (d.host.addr, 0))
        pdc.expect_nothing()
        same("dropped", d.counted("DropCrc"), 1)


@rule("3.5.10", "Reserved bits are sent as 0")
def reserved_sent(d):
    sock, pdc = sent(d)
    a = pdc.expect(request(0))
    data = form.split(a.ip)[3][form.UDP_LEN:]
    same("flags", data[1] & ~(p.F_SYN | p.F_AR | p.F_RETX), p.NH_STD << 7 & 0xff)
    ses = data[12:]
    same("opcode, version", (ses[0] >> 6, ses[1] >> 6), (0, 0))
    same("PIDonFEP, RI", (ses[8] >> 4, ses[10] >> 4), (0, 0))
    pdc.inject(ack(0))
    d.delivered(sock)
    ours = d.open()
    ours.inject(request(1, ar=True))
    a = ours.expect(ack(1))
    same("flags", a.flags, 0)
    same("cc_flags", a.cc & 15, 0)
    ours.inject(request(3000))
    same("flags", ours.expect(nack(p.PSN_OOR_WINDOW, 3000)).flags, 0)


@rule("3.5.10", "Reserved bits are ignored")
def reserved_taken(d):
    pdc = d.open()
    data = bytearray(request(1, ar=True).build(pdc))
    data[1] |= 0x63                 # of the flags
    data[12] |= 0xc0                # before the opcode
    data[20] |= 0xf0                # before PIDonFEP
    data[22] |= 0xf0                # before RI
    pdc.inject(bytes(data))
    pdc.expect(ack(1, cack=1, rc=p.RC_OK))
    data = bytearray(cp(p.CP_NOOP, 2, ar=True).build(pdc))
    data[1] |= 0x43
    data[2:4] = b"\xff\xff"
    pdc.inject(bytes(data))
    pdc.expect(ack(2, cack=2))


@rule("3.5.10", "A type, a next header or a control type that is reserved is dropped, "
      "without an answer", malformed="reserved code points")
def reserved_types(d):
    pdc = d.open()
    data = request(1, ar=True).build(pdc)
    for ptype in (0, *range(15, 32)):
        pdc.inject(p.prologue(ptype, p.NH_STD, p.F_AR) + data[2:])
    for nh in range(7, 16):
        pdc.inject(p.prologue(p.RUD_REQ, nh, p.F_AR) + data[2:])
    for ctl in range(10, 16):
        pdc.inject(cp(ctl, 1, ar=True))
    pdc.expect_nothing()
    pdc.inject(data)
    pdc.expect(ack(1, cack=1))


@rule("3.5.10", "A packet that is shorter than its headers is dropped",
      malformed="cut packets")
def short(d):
    pdc = d.open()
    data = request(1, ar=True).build(pdc)
    for n in range(1, 12 + 44):
        pdc.inject(data[:n])
    for n in range(1, 16):
        pdc.inject(cp(p.CP_NOOP, 1, ar=True).build(pdc)[:n])
    pdc.expect_nothing()
    pdc.inject(data)
    pdc.expect(ack(1, cack=1))


@rule("3.5.10", "A request may be of the types with a CC word, which does not matter to who "
      "does not use it")
def cc_requests(d):
    for rod, ptype in (False, p.RUD_CC_REQ), (True, p.ROD_CC_REQ):
        pdc = d.open(rod=rod)
        pdc.inject(request(1, type=ptype, credit=0, ar=True, data=b"with a CC word"))
        pdc.expect(ack(1, cack=1, rc=p.RC_OK))
    same("delivered", [m.data for m in d.messages() if len(m.data) > 4],
         [b"with a CC word"] * 2)


# --- requests of the host ---------------------------------------------------------

@rule("3.4", "A message has a standard header: SEND, version 0, PIDonFEP and RI of the "
      "target, its length; buffer_offset, match bits and header data are 0")
def standard(d):
    sock, pdc = sent(d, data=b"hello")
    pdc.expect(request(0, next=p.NH_STD, opcode=p.OP_SEND, som=True, eom=True, rel=True,
                       hd=False, ie=False, dc=False, generation=0, job=0, pid=PID,
                       index=INDEX, offset=0, key=0, header_data=0, length=5,
                       data=b"hello"))
    pdc.inject(ack(0))
    d.delivered(sock)


@rule("3.4", "Header data, if an application gives some, is in the first packet, with HD")
def header_data(d):
    d.setting(payload_mtu=1024)
    sock = d.send(bytes(2000), header_data=HD)
    pdc = d.opened()
    pdc.expect(request(0, hd=True, header_data=HD))
    pdc.expect(request(1, hd=False, part=976))
    pdc.inject(ack(1))
    d.delivered(sock)


@rule("3.4", "HD of a first packet delivers header data with the message")
def header_data_taken(d):
    pdc = d.open()
    d.messages()
    pdc.inject(request(1, hd=True, header_data=HD, ar=True))
    pdc.expect(ack(1, cack=1))
    pdc.inject(request(2, header_data=HD, ar=True))
    pdc.expect(ack(2, cack=2))
    same("header data", [m.header_data for m in d.messages()], [HD, None])


@rule("3.4", "A tagged message is a TAGGED_SEND with its tag as match bits")
def tagged(d):
    sock = d.send(tag=0xfeedbeef)
    pdc = d.opened()
    pdc.expect(request(0, opcode=p.OP_TAGGED_SEND, key=0xfeedbeef))
    pdc.inject(ack(0))
    d.delivered(sock)
    ours = d.open()
    d.messages()
    ours.inject(request(1, opcode=p.OP_TAGGED_SEND, key=77, ar=True))
    ours.expect(ack(1, cack=1))
    same("tag", [m.tag for m in d.messages()], [77])


@rule("3.4", "Match bits of a message without a tag are ignored")
def untagged(d):
    pdc = d.open()
    d.messages()
    pdc.inject(request(1, key=77, ar=True))
    pdc.expect(ack(1, cack=1))
    same("tag", [m.tag for m in d.messages()], [None])


@rule("3.4", "A MEDIUM header is taken: one packet, a length of 14 bits, no message id")
def medium(d):
    pdc = d.open()
    d.messages()
    pdc.inject(request(1, ses=p.ses_medium(4), next_hdr=p.NH_MEDIUM, data=b"medi", ar=True))
    pdc.expect(ack(1, cack=1, rc=p.RC_OK))
    same("delivered", [m.data for m in d.messages()], [b"medi"])


@rule("3.4", "... with HD its bytes 12 to 19 are header data")
def medium_header_data(d):
    pdc = d.open()
    d.messages()
    ses = bytearray(p.ses_medium(4))
    ses[1] |= p.S_HD
    ses[12:20] = HD.to_bytes(8, "big")
    pdc.inject(request(1, ses=bytes(ses), next_hdr=p.NH_MEDIUM, data=b"medi", ar=True))
    pdc.expect(ack(1, cack=1, rc=p.RC_OK))
    same("header data", [m.header_data for m in d.messages()], [HD])


@rule("3.4", "A SMALL header is for operations on memory: WRITE, READ, atomics, and NO_OP",
      missing="these operations: SMALL is parsed and answered UNSUPPORTED_OP")
def small(d):
    pdc = d.open()
    answered(d, pdc, 1, p.RC_UNSUPPORTED_OP, request(
        1, ses=p.ses_small(4), next_hdr=p.NH_SMALL, data=b"smal"))
    pdc.inject(request(2, ses=p.ses_small(0, 0, opcode=p.OP_NO_OP), next_hdr=p.NH_SMALL,
                       data=b"", ar=True))
    pdc.expect(ack(2, cack=2, rc=p.RC_OK))


@rule("3.4", "A SMALL header carries no SEND, a MEDIUM one nothing that needs restart tokens, "
      "an extension for a rendezvous or several packets: such a request is answered OP_VIOLATION",
      malformed="operations are in headers that do not carry them")
def short_forms(d):
    pdc, n = d.open(), 0
    d.messages()
    for form, ops in (p.NH_SMALL, (p.OP_SEND, p.OP_TAGGED_SEND, p.OP_DATAGRAM_SEND)), \
            (p.NH_MEDIUM, (p.OP_DEFERRABLE_SEND, p.OP_DEFERRABLE_TSEND, p.OP_DEFERRABLE_RTR,
                           p.OP_MSG_ERROR)):
        for op in ops:
            n += 1
            make = p.ses_small if form == p.NH_SMALL else p.ses_medium
            answered(d, pdc, n, p.RC_OP_VIOLATION, request(
                n, ses=make(4, opcode=op), next_hdr=form, data=b"data"))
    for form in p.NH_SMALL, p.NH_MEDIUM:
        n += 1
        ses = bytearray(p.ses_small(4) if form == p.NH_SMALL else p.ses_medium(4))
        ses[1] &= ~p.S_EOM
        answered(d, pdc, n, p.RC_OP_VIOLATION, request(
            n, ses=bytes(ses), next_hdr=form, data=b"data"))
    same("delivered", d.messages(), [])


@rule("3.4", "The length in a MEDIUM header is that of the message: with less payload it is "
      "answered OP_VIOLATION, with more the rest is padding",
      malformed="one is shorter than its header says")
def medium_lengths(d):
    pdc = d.open()
    d.messages()
    for n, length in (1, 5), (2, 16383):
        answered(d, pdc, n, p.RC_OP_VIOLATION, request(
            n, ses=p.ses_medium(length), next_hdr=p.NH_MEDIUM, data=b"data"))
    for n, length in (3, 3), (4, 0):
        pdc.inject(request(n, ses=p.ses_medium(length), next_hdr=p.NH_MEDIUM, ar=True))
        pdc.expect(ack(n, cack=n, rc=p.RC_OK))
    same("delivered", [m.data for m in d.messages()], [b"dat", b""])


def medium_peer(d):
    """The host has got a MEDIUM header by a context whose peer has proved its address"""
    pdc = d.open()
    d.messages()
    pdc.inject(request(1, ses=p.ses_medium(4), next_hdr=p.NH_MEDIUM, data=b"medi", ar=True))
    pdc.expect(ack(1, cack=1, rc=p.RC_OK))


@rule("3.4", "To a peer that sends MEDIUM headers a send of one packet has one, with the same "
      "fields; a longer one has standard headers")
def medium_sent(d):
    medium_peer(d)
    d.patient()
    d.setting(payload_mtu=1024)
    sock, pdc = sent(d, tag=0x55, header_data=HD, data=bytes(1024))
    pdc.expect(request(0, next=p.NH_MEDIUM, opcode=p.OP_TAGGED_SEND, length=1024, pid=PID,
                       index=INDEX, som=True, eom=True, rel=True, hd=True, header_data=HD,
                       key=0x55, job=0, initiator=100 << 12, data=bytes(1024)))
    pdc.inject(ack(0, msg_id=0))
    d.delivered(sock)
    d.send(sock=sock, data=b"")
    pdc.expect(request(1, next=p.NH_MEDIUM, opcode=p.OP_SEND, length=0, hd=False, offset=0,
                       key=0, data=b""))
    d.send(sock=sock, data=bytes(1025))
    pdc.expect(request(2, next=p.NH_STD, opcode=p.OP_SEND, som=True, eom=False, length=1025))
    pdc.expect(request(3, next=p.NH_STD, som=False, eom=True, at=1024, part=1))
    d.send(sock=sock, data=bytes(100), defer=1)
    pdc.expect(request(4, next=p.NH_STD, opcode=p.OP_DEFERRABLE_SEND))
    pdc.inject(ack(4))
    for _ in range(3):
        d.delivered(sock)


@rule("3.4", "A packet with a MEDIUM header is sent again in the same form, and its response "
      "goes by its PSN")
def medium_again(d):
    medium_peer(d)
    sock, pdc = sent(d)
    first = pdc.expect(request(0, next=p.NH_MEDIUM))
    again = pdc.expect(request(0, next=p.NH_MEDIUM, retx=True))
    same("contents", again.data, first.data)
    pdc.inject(ack(0, cack=-1, rc=p.RC_BAD_PID, rsp_op=RESPONSE, msg_id=0, req=CLEAR))
    d.failed(sock, errno.ECONNREFUSED)


@rule("3.4", "To a peer that takes SMALL headers NO_OP has one")
def small_sent(d):
    medium_peer(d)
    sock = d.socket(100)
    sock.watch(d.here(), 1, 60000)
    pdc = d.opened()
    pdc.expect(request(0, next=p.NH_SMALL, opcode=p.OP_NO_OP, length=0, pid=PID, index=INDEX,
                       som=True, eom=True, data=b""))
    pdc.inject(ack(0, cack=-1, rc=p.RC_BAD_PID, rsp_op=RESPONSE, msg_id=0, req=CLEAR))
    same("state", d.report(sock).error, errno.ECONNREFUSED)


@rule("3.4", "A MEDIUM header that opens a context proves nothing: whose address it has gets "
      "standard ones")
def medium_forged(d):
    pdc = d.pdc()
    pdc.inject(request(0, syn=True, ses=p.ses_medium(4), next_hdr=p.NH_MEDIUM))
    pdc.expect(ack(0))
    _, pdc = sent(d)
    pdc.expect(request(0, next=p.NH_STD))


@rule("3.4", "NO_OP delivers nothing and is answered, if it may be, by OK")
def no_op(d):
    pdc = d.open()
    d.messages()
    sock = d.socket(302)
    pdc.inject(request(1, opcode=p.OP_NO_OP, data=b"", pid=0, ar=True))
    pdc.expect(ack(1, cack=1, rc=p.RC_OK))
    answered(d, pdc, 2, p.RC_BAD_PID, opcode=p.OP_NO_OP, data=b"", pid=3000)
    same("messages", d.messages(), [])
    sock.settimeout(0)
    try:
        raise AssertionError(f"{sock.recv()} was delivered")
    except BlockingIOError:
        pass


@rule("3.4", "IE: the initiator has found an error; the target answers INITIATOR_ERR and "
      "delivers nothing")
def initiator_error(d):
    pdc = d.open()
    d.messages()
    answered(d, pdc, 1, p.RC_INITIATOR_ERR, ie=True)
    same("messages", d.messages(), [])


@rule("3.4", "DC: the answer comes when the data can be seen; every answer does here")
def delivery_complete(d):
    pdc = d.open()
    d.messages()
    pdc.inject(request(1, dc=True, ar=True))
    pdc.expect(ack(1, cack=1, rc=p.RC_OK))
    same("messages", len(d.messages()), 1)


@rule("3.4", "A version other than 0 is not taken", malformed="a version that is reserved")
def version(d):
    pdc = d.open()
    d.messages()
    d.counted("DropMalformed")
    data = bytearray(request(1, ar=True).build(pdc))
    data[13] |= 0x40
    pdc.inject(bytes(data))
    pdc.expect_nothing()
    same("dropped, delivered", (d.counted("DropMalformed"), d.messages()), (1, []))


@rule("3.4", "WRITE, READ and atomic operations", missing="they need registered memory: "
      "answered UNSUPPORTED_OP, which is guaranteed")
def memory_operations(d):
    pdc = d.open()
    for n, (op, data) in enumerate((
            (p.OP_WRITE, b"data"), (p.OP_READ, b""),
            (p.OP_ATOMIC, b"\2\7\0\0" + bytes(8)),
            (p.OP_FETCHING_ATOMIC, b"\2\7\0\0" + bytes(8)),
            (13, b"\2\7\0\0" + bytes(8)), (14, b"\2\7\0\0" + bytes(8))), 1):
        length = 8 if len(data) > 8 else len(data)
        answered(d, pdc, n, p.RC_UNSUPPORTED_OP, opcode=op, data=data, length=length)


@rule("3.4", "A READ of up to Max_ACK_Data_Size bytes is answered by data in the ACK, a "
      "longer one by requests of the return direction",
      missing="READ is answered UNSUPPORTED_OP, a response with data in the place of a "
      "request likewise")
def read_data(d):
    pdc = d.open()
    answered(d, pdc, 1, p.RC_UNSUPPORTED_OP, opcode=p.OP_READ, data=b"", length=8)
    for n, nh, more in (2, p.NH_RSP_DATA, 8), (3, p.NH_RSP_DATA_SMALL, 0):
        # No data, and no message that such a header would name
        answered(d, pdc, n, p.RC_UNSUPPORTED_OP, request(
            n, next_hdr=nh, ses=p.response(opcode=2, msg_id=0) + bytes(more), data=b""))


@rule("3.4", "Rendezvous messages", missing="answered UNSUPPORTED_OP, which UE 1.0 allows")
def rendezvous(d):
    pdc = d.open()
    for n, op in enumerate((p.OP_RENDEZVOUS_SEND, 10), 1):
        answered(d, pdc, n, p.RC_UNSUPPORTED_OP, opcode=op, data=bytes(24), length=0)


@rule("3.4", "DATAGRAM_SEND is for UUD: by a PDC it is answered UNSUPPORTED_OP")
def datagram(d):
    pdc = d.open()
    answered(d, pdc, 1, p.RC_UNSUPPORTED_OP, opcode=p.OP_DATAGRAM_SEND)


@rule("3.4", "A reserved opcode is answered UNSUPPORTED_OP")
def reserved_opcode(d):
    pdc = d.open()
    for n, op in enumerate((0x10, 0x11, 0x2f, 0x30, 0x3f), 1):
        answered(d, pdc, n, p.RC_UNSUPPORTED_OP, opcode=op)


# --- responses ----------------------------------------------------------------------

@rule("3.4", "An error is a RESPONSE with its code, message id and job of the request, list "
      "0, and no length")
def error_response(d):
    pdc = d.open()
    a = answered(d, pdc, 1, p.RC_BAD_PID, pid=3000, msg_id=0x1234)
    same("message id, job, generation, length",
         (a.msg_id, a.job, a.generation, a.modified), (0x1234, 0, 0, 0))
    same("list", form.split(a.ip)[3][form.UDP_LEN + 32] >> 6, 0)


@rule("3.4", "OK, with modified_length 0 or that of the message, is a success")
def ok(d):
    sock, pdc = sent(d)
    for n, length in enumerate((0, 4)):
        pdc.expect(request(n))
        pdc.inject(ack(n, rc=p.RC_OK, modified=length, rsp_op=RESPONSE))
        d.delivered(sock)
        d.send(sock=sock)
    pdc.answer(ack(2))
    d.delivered(sock)


@rule("3.4", "NULL, the answer to a duplicate, is a success")
def null(d):
    sock, pdc = sent(d)
    pdc.answer(ack(0, rc=p.RC_NULL))
    d.delivered(sock)


@rule("3.4", "NO_MATCH and DISABLED_GEN: the source sends the whole message again after a "
      "pause")
def no_match(d):
    d.patient()
    d.setting(payload_mtu=1024)
    for rc in p.RC_NO_MATCH, 4:
        sock = d.send(bytes(2000), local=100 + rc)
        pdc = d.opened() if rc == p.RC_NO_MATCH else pdc
        n = 0 if rc == p.RC_NO_MATCH else 4
        first = pdc.expect(request(n, som=True))
        pdc.expect(request(n + 1, eom=True))
        pdc.inject(ack(n, cack=n - 1, sack=[n, n + 1], req=CLEAR, rsp_op=RESPONSE, rc=rc,
                       msg_id=first.msg_id))
        pdc.inject(ack(n + 1, cack=n - 1, sack=[n, n + 1], req=CLEAR, rsp_op=RESPONSE,
                       rc=rc, msg_id=first.msg_id))
        a = pdc.expect(request(n + 2, som=True, retx=False, clear=n + 1))
        same("length", a.length, 2000)
        # One packet, until it is known that there is room
        pdc.inject(ack(n + 2))
        pdc.expect(request(n + 3, eom=True, retx=False))
        pdc.inject(ack(n + 3))
        d.delivered(sock)


@rule("3.4", "... also one of which not all was sent: MSG_ERROR ends it first, and an error in "
      "answer to that is none of the message")
def no_match_ended(d):
    d.patient()
    d.setting(payload_mtu=1024, nscc_max_wnd=3000)
    length = 8 * 1024
    sock = d.send(bytes(length))
    pdc = d.opened()
    first = pdc.expect(request(0, som=True, length=length))
    n = 1
    d.settle()
    while d.inbox:
        pdc.expect(request(n, msg_id=first.msg_id))
        n += 1
    assert n < 8, "all of it was sent"

    def refuse(psn, rc):
        pdc.inject(ack(psn, cack=-1, sack=range(psn + 1), rcvd=5 * psn + 5, req=CLEAR,
                       rsp_op=RESPONSE, rc=rc, msg_id=first.msg_id))

    for i in range(n):
        refuse(i, p.RC_NO_MATCH)
    pdc.expect(request(n, opcode=p.OP_MSG_ERROR, som=False, eom=True, part=0, data=b"",
                       msg_id=first.msg_id))
    # The peer never had that message
    refuse(n, p.RC_OP_VIOLATION)
    for i in range(8):
        pdc.expect(request(n + 1 + i, opcode=p.OP_SEND, som=not i, eom=i == 7, length=length,
                           retx=False))
        pdc.inject(ack(n + 1 + i, rcvd=5 * (n + 2 + i)))
    d.delivered(sock)


@rule("3.4", "BAD_GENERATION: the source takes the generation of the response and sends the "
      "message again at once")
def bad_generation(d):
    d.patient()
    sock, pdc = sent(d)
    a = pdc.expect(request(0, generation=0))
    pdc.inject(ack(0, cack=-1, sack=[0], req=CLEAR, rsp_op=RESPONSE,
                   rc=p.RC_BAD_GENERATION, msg_id=a.msg_id, generation=9))
    pdc.expect(request(1, generation=9, retx=False))
    pdc.inject(ack(1))
    d.delivered(sock)
    d.send(sock=sock)
    pdc.expect(request(2, generation=9))
    pdc.inject(ack(2))
    d.delivered(sock)


@rule("3.4", "A target answers BAD_GENERATION to an ri_generation that is not its own",
      deviates="a target has no generations but for NO_OP, by which peers ask whether an "
      "endpoint is still the same: data of any generation is taken")
def any_generation(d):
    pdc = d.open()
    d.messages()
    pdc.inject(request(1, generation=200, ar=True))
    pdc.expect(ack(1, cack=1, rc=p.RC_OK))
    same("messages", len(d.messages()), 1)


@rule("3.4", "Every other code fails the message")
def other_codes(d):
    d.patient()
    errors = {p.RC_BAD_PID: errno.ECONNREFUSED, p.RC_BAD_INDEX: errno.ECONNREFUSED,
              p.RC_BAD_JOB_ID: errno.EACCES, p.RC_UNSUPPORTED_OP: errno.EOPNOTSUPP,
              p.RC_TOO_LONG: errno.EMSGSIZE, p.RC_OP_VIOLATION: errno.EREMOTEIO,
              0x0e: errno.EREMOTEIO, 0x1e: errno.EREMOTEIO, 0x3f: errno.EREMOTEIO}
    sock, pdc = sent(d)
    for n, (rc, error) in enumerate(errors.items()):
        a = pdc.expect(request(n))
        pdc.inject(ack(n, cack=n - 1, sack=[n], req=CLEAR, rsp_op=RESPONSE, rc=rc,
                       msg_id=a.msg_id))
        d.failed(sock, error)
        pdc.expect(cp(p.CP_CLEAR_CMD, payload_n=n))
        pdc.inject(ack(n, bare=True))
        d.send(sock=sock)
    pdc.expect(request(len(errors)))
    pdc.inject(ack(len(errors)))
    d.delivered(sock)


@rule("3.4", "NO_RESPONSE: the packet has come, its answer will follow",
      deviates="it counts as a success: nothing of the message is needed again")
def no_response(d):
    d.patient()
    sock, pdc = sent(d)
    a = pdc.expect(request(0))
    pdc.inject(ack(0, rsp_op=3, rc=p.RC_NULL, msg_id=a.msg_id))
    d.delivered(sock)
