#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Plays a peer at an address that nobody has, which refuses each message.

    fake_peer.py ADDR ses|nack|gen|gone|fresh|first CODE [TIMES [AFTER]]

Answers AFTER requests (default: none) with OK, the next TIMES ones (default:
all) with an SES return code or a NACK code, the others with OK. One packet per
message, unless it answers by NACK. With gen it takes what has the generation
CODE, and names that to others; if it is NEVER, it wants the next one each time.
With gone TIMES is a number of contexts: of each all packets are refused but the
first AFTER ones (0 or 1), and if that is -1 the first gets no answer. So it does
not matter how many a sender has sent when it hears of it. With fresh it takes
what opens a context, and answers all else by "port unreachable", whatever CODE.
With first it answers the first packet of each message by the SES return code, and
no other packet, so that the message does not end.
Says when it is ready, and of each message of uet_send that it took the context
and the number.
"""
import socket
import struct
import sys

import uet_packets as p
from icmp_refuse import refusal
from uet_inject import ETH_HLEN, ipv4

ETH_P_IP = 0x0800
F_PROBE = 0x08
SPDCID = 0x4242
RC_OK, RC_BAD_GENERATION = 1, 2
NEVER = 256
# Of a message of uet_send: behind the headers, struct msg_hdr
PAYLOAD = 12 + 44
MAGIC = 0x55455431
# NACK codes of who has no context for the packet
NO_PDC = (0x04, 0x05, 0x06, 0x0e, 0x0f, 0x15)


class Peer:
    """State of the one context"""

    def __init__(self, kind, code, times=-1, after=0):
        self.kind, self.code = kind, code
        self.times, self.after = times, after
        self.newest = {}
        self.packets = {}

    def gone(self, dpdcid):
        """What becomes of a packet of a context: True to refuse it, None to be
        silent"""
        n = self.packets[dpdcid] = self.packets.get(dpdcid, 0) + 1
        if len(self.packets) > self.times:
            return False
        if self.after < 0 and n == 1:
            return None
        return n > self.after

    def note(self, psn, spdcid, payload):
        if len(payload) < 24 or psn <= self.newest.get(spdcid, 0):
            return
        self.newest[spdcid] = psn
        magic, _, seq = struct.unpack("=IIQ", payload[:16])
        if magic == MAGIC:
            print("took", spdcid, seq, flush=True)

    def refuse(self, psn, dpdcid, code, **fields):
        """A guaranteed response: CACK stays below"""
        return p.ack_cc(psn - 1, SPDCID, dpdcid, offset=1, sack=1, flags=2,
                        ses=p.response(code, opcode=1, **fields))

    def wanted(self, generation):
        return generation + 1 & 255 if self.code == NEVER else self.code

    def request(self, psn, dpdcid, ses, payload, retx, generation, first):
        if self.kind == "gen" and generation != self.wanted(generation):
            return self.refuse(psn, dpdcid, RC_BAD_GENERATION, msg_id=ses,
                               generation=self.wanted(generation))
        if self.kind == "gone":
            refused = self.gone(dpdcid)
            if refused is None:
                return None
            if refused:
                return p.nack(self.code, psn, 0, dpdcid, flags=retx)
        if self.kind == "first" and not first:
            return None
        if self.kind in ("gen", "gone", "fresh") or self.times == 0 or self.after > 0:
            self.after -= 1
            self.note(psn, dpdcid, payload)
            return p.ack_cc(psn, SPDCID, dpdcid,
                            ses=p.response(RC_OK, msg_id=ses))
        self.times -= 1
        if self.kind == "nack":
            own = 0 if self.code in NO_PDC else SPDCID
            return p.nack(self.code, psn, own, dpdcid, flags=retx)
        return self.refuse(psn, dpdcid, self.code, msg_id=ses)

    def answer(self, data):
        kind, sub = data[0] >> 3, (data[0] & 7) << 1 | data[1] >> 7
        if kind in (p.RUD_REQ, p.ROD_REQ) and len(data) >= 16:
            psn, spdcid = struct.unpack("!IH", data[4:10])
            return self.request(psn, spdcid,
                                struct.unpack("!H", data[14:16])[0],
                                data[PAYLOAD:], data[1] & p.F_RETX, data[16],
                                data[13] & p.S_SOM)
        if kind != p.CP or len(data) < 16:
            return None
        opaque, psn, spdcid, _, payload = struct.unpack("!HIHHI", data[2:16])
        if sub == p.CP_PROBE:
            return p.ack_cc(payload - 1, SPDCID, spdcid, flags=F_PROBE,
                            offset=opaque - (opaque >> 15 << 16))
        if sub == p.CP_CLEAR_CMD:
            return p.ack_cc(payload, SPDCID, spdcid)
        return p.ack_cc(psn, SPDCID, spdcid)


def opens(data):
    """Is it a request that opens a context?"""
    return data[0] >> 3 in (p.RUD_REQ, p.ROD_REQ) and data[1] & p.F_SYN


def main():
    addr, kind, code = sys.argv[1:4]
    peer = Peer(kind, int(code, 0), *map(int, sys.argv[4:]))
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                        socket.htons(ETH_P_IP))
    tap.bind(("uet0", ETH_P_IP))
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    print("ready", flush=True)
    while True:
        ip = tap.recv(65536)[ETH_HLEN:]
        if len(ip) < 28 or ip[9] != socket.IPPROTO_UDP or \
                ip[16:20] != socket.inet_aton(addr):
            continue
        sport, dport = struct.unpack("!HH", ip[20:24])
        source = socket.inet_ntoa(ip[12:16])
        if kind == "fresh" and not opens(ip[28:]):
            raw.sendto(refusal(ip, False), (source, 0))
            continue
        data = peer.answer(ip[28:]) if dport == p.UDP_PORT else None
        if data:
            raw.sendto(ipv4(addr, source, data, sport), (source, 0))


if __name__ == "__main__":
    main()
