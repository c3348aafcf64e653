# SPDX-License-Identifier: GPL-2.0
"""UET packets and captures as bytes, from the layouts of UE 1.0 3.4 and 3.5.

A description of its own: neither the module nor the dissector is asked.
"""

import socket
import struct

PORT = 4793

(RUD, ROD, RUDI_REQ, RUDI_RESP, UUD, ACK, ACK_CC, ACK_CCX, NACK, CP, NACK_CCX, RUD_CC,
 ROD_CC) = range(2, 15)
(NONE, SMALL, MEDIUM, STD, RSP, RSP_DATA, RSP_DATA_SMALL) = range(7)
(NOOP, ACK_REQ, CLEAR_CMD, CLEAR_REQ, CLOSE_CMD, CLOSE_REQ, PROBE, CREDIT, CREDIT_REQ,
 NEGOTIATION) = range(10)
(NO_OP, WRITE, READ, ATOMIC, FETCHING_ATOMIC, SEND, RENDEZVOUS_SEND, DATAGRAM_SEND,
 DEFERRABLE_SEND, TAGGED_SEND, RENDEZVOUS_TSEND, DEFERRABLE_TSEND, DEFERRABLE_RTR,
 TSEND_ATOMIC, TSEND_FETCH_ATOMIC, MSG_ERROR) = range(16)
CSWAP = 0x0d

M, ISROD, RETX, AR, P, NT, SYN, CLEAR, CLOSE = (
    0x20, 0x20, 0x10, 0x08, 0x08, 0x08, 0x04, 0x02, 0x04)
DC, IE, REL, HD, EOM, SOM = 0x20, 0x10, 0x08, 0x04, 0x02, 0x01
ONE = REL | SOM | EOM


def prologue(kind, next_hdr, flags=0):
    return struct.pack("!H", kind << 11 | next_hdr << 7 | flags)


def _last(dpdcid, flags, psn_offset, use_rsv):
    return use_rsv << 15 | psn_offset if flags & SYN else dpdcid


def req(kind=RUD, next_hdr=STD, flags=0, psn=100, clear=-1, spdcid=1, dpdcid=2,
        psn_offset=0, use_rsv=0, ccc_id=5, target=0x40):
    head = prologue(kind, next_hdr, flags) + struct.pack(
        "!hIHH", clear, psn & 0xffffffff, spdcid,
        _last(dpdcid, flags, psn_offset, use_rsv))
    return head + (struct.pack("!I", ccc_id << 24 | target)
                   if kind in (RUD_CC, ROD_CC) else b"")


def ack(kind=ACK, next_hdr=NONE, flags=0, cack=100, offset=0, spdcid=2, dpdcid=1,
        cc=0, mpr=8, sack_offset=1, bitmap=0, state=bytes(8)):
    head = prologue(kind, next_hdr, flags) + struct.pack(
        "!HIHH", offset & 0xffff, cack & 0xffffffff, spdcid, dpdcid)
    if kind == ACK:
        return head
    return head + struct.pack("!BBhQ", cc, mpr, sack_offset, bitmap) + state


def nscc(service=39, rc=0, pend=0, rcvd=1, ooo=0):
    return struct.pack("!HB", service, rc << 7 | pend) + rcvd.to_bytes(3, "big") + \
        struct.pack("!H", ooo)


def credit_state(credit, ooo=0):
    return credit.to_bytes(3, "big") + bytes(3) + struct.pack("!H", ooo)


def nack(code, psn=100, flags=0, vendor=0, spdcid=2, dpdcid=1, payload=0, ext=None):
    head = prologue(NACK if ext is None else NACK_CCX, NONE, flags) + struct.pack(
        "!BBIHHI", code, vendor, psn & 0xffffffff, spdcid, dpdcid, payload)
    return head + (ext or b"")


def cp(ctl, psn=0, flags=0, opaque=0, spdcid=1, dpdcid=2, payload=0, psn_offset=0,
       use_rsv=0):
    return prologue(CP, ctl, flags) + struct.pack(
        "!HIHHI", opaque, psn & 0xffffffff, spdcid,
        _last(dpdcid, flags, psn_offset, use_rsv), payload)


def rudi(kind, next_hdr, pkt_id, flags=0):
    return prologue(kind, next_hdr, flags) + struct.pack("!HI", 0, pkt_id)


def uud(next_hdr=STD):
    return prologue(UUD, next_hdr) + bytes(2)


def _common(opcode, flags, word, gen, job, pid, ri):
    return struct.pack("!BBHIHH", opcode, flags, word, gen << 24 | job, pid, ri)


def std(opcode=SEND, flags=ONE, msg=1, length=4, gen=0, job=0xabcd, pid=0x123, ri=0x45,
        offset=0, initiator=7, key=0, header_data=0, payload=0, at=0):
    word = header_data if flags & SOM else payload << 32 | at
    return _common(opcode, flags, msg, gen, job, pid, ri) + struct.pack(
        "!QIQQI", offset, initiator, key, word, length)


def small(opcode=WRITE, flags=ONE, length=4, gen=0, job=0xabcd, pid=0x123, ri=0x45,
          offset=0):
    return _common(opcode, flags, length, gen, job, pid, ri) + struct.pack("!Q", offset)


def medium(opcode=SEND, flags=ONE, length=4, gen=0, job=0xabcd, pid=0x123, ri=0x45,
           word=0, initiator=7, key=0):
    return _common(opcode, flags, length, gen, job, pid, ri) + struct.pack(
        "!QIQ", word, initiator, key)


def amo(op, kind=7, semantic=0, compare=None, swap=0):
    head = struct.pack("!BBBB", op, kind, semantic, 0)
    if compare is None:
        return head
    return head + compare.to_bytes(16, "big") + swap.to_bytes(16, "big")


def rendezvous(eager, gen=0, pid=0, ri=0, at=0, key=0):
    return struct.pack("!IIQQ", eager, gen << 24 | pid << 12 | ri, at, key)


def rsp(opcode=0, code=1, msg=1, list_=0, gen=0, job=0xabcd, length=0):
    return struct.pack("!BBHII", list_ << 6 | opcode, code, msg, gen << 24 | job, length)


def rsp_data(payload, total, at=0, code=1, own=0, msg=1, job=0xabcd):
    return struct.pack("!BBHIHHII", 2, code, own, job, msg, payload, total, at)


def rsp_data_small(payload, psn, code=1, job=0xabcd):
    return struct.pack("!BBHII", 2, code, payload, job, psn)


def tss(sdi, epoch, tsc, ssi=None, an=0):
    word = 1 << 27 | (ssi is not None) << 26 | an << 24 | sdi
    return struct.pack("!I", word) + (b"" if ssi is None else struct.pack("!I", ssi)) + \
        struct.pack("!H", epoch) + tsc.to_bytes(6, "big")


_crc_table = []
for _i in range(256):
    for _ in range(8):
        _i = _i >> 1 ^ (0x82f63b78 if _i & 1 else 0)
    _crc_table.append(_i)


def crc32c(data):
    crc = 0xffffffff
    for b in data:
        crc = crc >> 8 ^ _crc_table[(crc ^ b) & 0xff]
    return crc ^ 0xffffffff


def _sum16(data):
    s = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while s >> 16:
        s = (s & 0xffff) + (s >> 16)
    return ~s & 0xffff


def ip4(proto, data, flags=0, src="192.0.2.1", dst="192.0.2.2"):
    """An IPv4 packet; flags and fragment offset as in the header"""
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(data), 7, flags, 64, proto, 0) + \
        socket.inet_aton(src) + socket.inet_aton(dst)
    return head[:10] + struct.pack("!H", _sum16(head)) + head[12:] + data


class Net:
    """Two hosts, and how packets go between them."""

    def __init__(self, v6=False, native=False, crc=False, proto=253, dscp=0,
                 addrs=None):
        self.v6, self.native, self.crc = v6, native, crc
        self.proto, self.dscp = proto, dscp
        family = socket.AF_INET6 if v6 else socket.AF_INET
        addrs = addrs or (("fd00::1", "fd00::2") if v6 else ("192.0.2.1", "192.0.2.2"))
        self.addrs = [socket.inet_pton(family, a) for a in addrs]

    def __str__(self):
        return f"{'IPv6' if self.v6 else 'IPv4'} " \
            f"{'native' if self.native else 'UDP'}{' CRC' if self.crc else ''}"

    def ip(self, data, back=False, bad_crc=False, keep=None, ev=0xc001, dport=PORT,
           wrong_length=0):
        """An IP packet; keep: so many bytes after IP are left by a trimming switch."""
        src, dst = reversed(self.addrs) if back else self.addrs
        trailer = 4 if self.crc else 0
        if self.native:
            data = struct.pack("!HH", ev, 0) + data
        else:
            data = struct.pack("!HHHH", ev, dport,
                               8 + len(data) + trailer + wrong_length, 0) + data
        if self.crc:
            data += struct.pack("!I", crc32c(src + dst + data) ^ bad_crc)
        if keep is not None:
            data = data[:keep]
        proto = self.proto if self.native else 17
        if self.v6:
            return struct.pack("!IHBB", 6 << 28 | self.dscp << 22 | 2 << 20, len(data),
                               proto, 64) + src + dst + data
        head = struct.pack("!BBHHHBBH", 0x45, self.dscp << 2 | 2, 20 + len(data), 0,
                           0x4000, 64, proto, 0) + src + dst
        return head[:10] + struct.pack("!H", _sum16(head)) + head[12:] + data


def write_pcap(path, packets, snap=None):
    """Raw IP packets; each is bytes, or (seconds, bytes)."""
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 1 << 18, 101))
        for i, packet in enumerate(packets):
            when, data = packet if isinstance(packet, tuple) else (i * 1e-3, packet)
            ns = round(when * 1e9)
            kept = data[:snap]
            out.write(struct.pack("<IIII", 1700000000 + ns // 10**9, ns % 10**9,
                                  len(kept), len(data)) + kept)
