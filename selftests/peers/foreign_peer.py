#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Plays the target of another implementation at an address that nobody has.

    foreign_peer.py ADDR [SWITCH...]

It keeps contexts as a target does: what was received, what was answered and is
kept until it is cleared. It speaks when it is asked (AR), when a context opens
and for a retransmission, by plain ACKs. Each switch is one habit:

    crc             packets carry a CRC-32C, big-endian; others are dropped
    ip              packets go directly over IP; others are not seen
    ack-cc          ACK_CC with the state of NSCC instead of plain ACKs
    refuse-probes   a PROBE is answered by NACK UNEXP_EVENT, psn 0, spdcid 0
    refuse-probes=N the first N of them are
    mute-probes     a PROBE is not answered
    silent-clear    CLEAR_CMD is taken without a word
    forget          ACK_REQ for what was cleared is not answered
    no-echo         ACKs never carry retx
    refuse=CODE:N   the first N messages are refused with an SES return code
    late=MS         answers leave so much later
    close=N         asks to be closed, after N control packets of its own that
                    are lost, when the first message has come
    noop            sends a NOOP of its own when the first message has come
    restart=CODE    forgets its contexts after the first message and answers
                    what belongs to them by this NACK code, probes too
    deaf            ... but only control packets
    forged=CODE     somebody answers each PROBE in its name by this NACK code,
                    twice, before it does; of requests it gets only those that open
                    contexts and retransmissions

    hates-probes    a PROBE makes it forget its contexts
    zero-state      ACK_CC instead of plain ACKs, with a state of zeros
    window=N        it takes N packets beyond those that it has answered, and NACKs
                    others, PSN_OOR_WINDOW
    strict-dscp     data with a DSCP other than 0 and control packets with one other
                    than 46 are not seen
    pedantic        other contents of a PSN that was used are NACKed, UNEXP_EVENT
    std-only        packets with SMALL and MEDIUM headers are not seen
    defer=N         the first N deferrable messages are deferred
    asks=MS[:FROM]  so long after that it asks for each of them, from that offset on; it
                    says so twice, with its own token first
    lose=N          it does not get the N-th request
    away=N:MS       from the N-th request on it gets none for so long

Says when it is ready, then a line for each packet that it gets or event; "changed" if
a PSN comes with other contents than before, "beyond" if one is out of its window, and
"dscp" if a packet is not seen for that.
"""
import heapq
import select
import socket
import struct
import sys
import time

import form
import uet_packets as p
from uet_inject import ETH_HLEN

ETH_P_IP = 0x0800
F_PROBE, REQ_CLEAR = 0x08, 0x02
PSN_OOR_WINDOW, INV_DPDCID, NOT_RCVD, UNEXP_EVENT = 0x0b, 0x0e, 0x12, 0x19
DSCP_DATA, DSCP_CONTROL = 0, 46
SO_RCVBUFFORCE = 33
RC_OK, RC_NULL = 1, 0
M32 = 0xffffffff


class Context:
    """Target side of one context"""

    def __init__(self, own, spdcid, start):
        self.id, self.peer, self.start = own, spdcid, start
        self.cack, self.got, self.kept, self.jobs = start - 1, set(), {}, {}
        self.bytes, self.own_psn, self.told = 0, start, start - 1

    def above(self, psn):
        return (psn - self.cack & M32) - (1 << 32 if psn - self.cack & 1 << 31
                                          else 0)

    def receive(self, psn):
        """False if it came before"""
        if self.above(psn) <= 0 or psn in self.got:
            return False
        self.got.add(psn)
        self.advance()
        return True

    def advance(self):
        while (self.cack + 1 & M32) in self.got and \
                (self.cack + 1 & M32) not in self.kept:
            self.cack = self.cack + 1 & M32
            self.got.discard(self.cack)

    def clear(self, psn):
        self.kept = {k: v for k, v in self.kept.items()
                     if (k - psn & M32) - 1 < 1 << 31}
        self.advance()


class Peer:
    def __init__(self, switches):
        self.on = {s.split("=")[0]: s.partition("=")[2] for s in switches}
        self.contexts, self.last_id, self.messages = {}, 0x4000, 0
        self.refuse = [int(x, 0) for x in
                       self.on.get("refuse", "0:0").split(":")]
        self.refuse_probes = int(self.on.get("refuse-probes") or M32) \
            if "refuse-probes" in self.on else 0
        self.restarted = False
        self.unknown = int(self.on.get("restart", str(INV_DPDCID)), 0)
        self.own = []
        self.requests, self.contents = 0, {}
        self.window = int(self.on.get("window") or M32)
        self.away = [int(x) for x in self.on.get("away", "0:0").split(":")]
        self.back = 0
        self.defer, self.off = int(self.on.get("defer", 0)), {}
        self.asks = [int(x) for x in self.on.get("asks", "-1:0").split(":")] + [0]
        self.later, self.own_id = [], 0x7000

    def say(self, *what):
        print(*what, flush=True)

    def find(self, spdcid, dpdcid, syn, psn, offset):
        if not syn:
            return self.contexts.get(dpdcid)
        for c in self.contexts.values():
            if c.peer == spdcid and c.start == psn - offset & M32:
                return c
        self.last_id += 1
        c = self.contexts[self.last_id] = Context(self.last_id, spdcid,
                                                  psn - offset & M32)
        self.say("opened", spdcid)
        return c

    def ack(self, c, psn, ses, flags, retx):
        if retx and "no-echo" not in self.on:
            flags |= p.F_RETX
        offset = (psn - c.cack & M32)
        offset -= 1 << 32 if offset & 1 << 31 else 0
        if "ack-cc" not in self.on and "zero-state" not in self.on:
            return p.ack(c.cack, c.id, c.peer, offset=offset, flags=flags,
                         ses=ses)
        sack = 0
        for got in c.got:
            if 0 < c.above(got) <= 64:
                sack |= 1 << c.above(got) - 1
        data = p.ack_cc(c.cack, c.id, c.peer, offset=offset, flags=flags,
                        ses=ses, sack=sack, rcvd=(c.bytes + 255) // 256)
        return data[:24] + bytes(8) + data[32:] if "zero-state" in self.on else data

    def lost(self):
        """Is this request one that it does not get?"""
        self.requests += 1
        if self.requests == self.away[0]:
            self.back = time.monotonic() + self.away[1] / 1000
        return self.requests == int(self.on.get("lose", 0)) or \
            time.monotonic() < self.back

    def changed(self, spdcid, psn, body):
        """Did this PSN have other contents when it was first sent?"""
        if self.contents.setdefault((spdcid, psn), body) == body:
            return False
        self.say("changed", psn)
        return True

    def stored(self, c, psn, msg_id, retx, code=RC_NULL):
        if psn in c.kept:
            return self.ack(c, psn, c.kept[psn], REQ_CLEAR, retx)
        return self.ack(c, psn, p.response(code, msg_id=msg_id), 0, retx)

    def of_its_own(self, c):
        """Control packets of a target, with PSNs of the return direction"""
        if "noop" in self.on:
            self.own.append(p.control(p.CP_NOOP, c.own_psn, c.id, c.peer))
            c.own_psn += 1
        if "close" in self.on:
            c.own_psn += int(self.on["close"])
            self.own.append(p.control(p.CP_CLOSE_REQ, c.own_psn, c.id, c.peer))

    # --- messages that are deferred ----------------------------------------------

    def ask_later(self, token):
        """By a context of its own, which it opens for that"""
        if self.asks[0] < 0:
            return
        self.own_id += 1
        when = time.monotonic() + self.asks[0] / 1000
        rtr = p.request(self.own_id << 16, self.own_id, 0, flags=p.F_AR | p.F_SYN,
                        payload=b"", ses=p.ses_std(
                            opcode=p.OP_DEFERRABLE_RTR, length=0, at_target=self.asks[1],
                            key=self.own_id << 32 | token))
        self.later += [(when, rtr), (when + 0.01, rtr)]

    def defers(self, c, psn, data):
        """Is this packet of a message that is deferred? Its response, if it is the first"""
        opcode, msg_id = data[12] & 63, struct.unpack("!H", data[14:16])[0]
        if opcode not in (p.OP_DEFERRABLE_SEND, p.OP_DEFERRABLE_TSEND):
            return False
        token, theirs = struct.unpack("!II", data[24:32])
        if (c.id, msg_id) in self.off:
            return True
        if theirs:
            if data[13] & p.S_EOM:
                self.say("restarted", theirs - 0x7000)
            return False
        if not self.defer:
            return False
        self.defer -= 1
        self.off[c.id, msg_id] = token
        self.say("deferred", token)
        self.ask_later(token)
        c.kept[psn] = p.response(RC_OK, msg_id=msg_id, opcode=1)
        if c.above(psn) <= 0:
            c.cack, c.got = psn - 1 & M32, {psn} | c.got
        return True

    def request(self, data):
        clear, psn, spdcid, word = struct.unpack("!hIHH", data[2:12])
        flags, msg_id = data[1] & 127, struct.unpack("!H", data[14:16])[0]
        syn, retx = flags & p.F_SYN, flags & p.F_RETX
        form = (data[0] & 7) << 1 | data[1] >> 7
        if form != p.NH_STD:
            self.say({p.NH_SMALL: "small", p.NH_MEDIUM: "medium"}[form], len(data))
            msg_id = 0          # it has none
            if "std-only" in self.on:
                return None
        self.say("retx" if retx else "request", psn,
                 "ar" if flags & p.F_AR else "-")
        changed = self.changed(spdcid, psn, data[12:])
        if self.lost():
            self.say("lost", psn)
            return None
        if "forged" in self.on and not syn and not retx:
            return None
        known = len(self.contexts)
        c = self.find(spdcid, word, syn, psn, word & 0xfff)
        if not c:
            return None if "deaf" in self.on else \
                p.nack(self.unknown, psn, 0, spdcid, flags=retx)
        if changed and "pedantic" in self.on:
            return p.nack(UNEXP_EVENT, psn, c.id, spdcid)
        if (psn - c.told & M32) - 1 < 1 << 31 and psn - c.told & M32 > self.window:
            self.say("beyond", psn)
            return p.nack(PSN_OOR_WINDOW, psn, c.id, spdcid, flags=retx)
        created = len(self.contexts) > known
        c.clear(psn + clear & M32)
        if not c.receive(psn):
            return self.stored(c, psn, msg_id, retx)
        c.bytes += len(data) + 48
        if form == p.NH_STD and self.defers(c, psn, data):
            return self.stored(c, psn, msg_id, retx, RC_OK)
        if data[13] & p.S_EOM and data[12] & 63 != p.OP_NO_OP:
            self.messages += 1
            self.say("message", self.messages)
            if self.refuse[1]:
                self.refuse[1] -= 1
                c.kept[psn] = p.response(self.refuse[0], msg_id=msg_id,
                                         opcode=1)
                if c.above(psn) <= 0:
                    c.cack, c.got = psn - 1 & M32, {psn} | c.got
                return self.stored(c, psn, msg_id, retx)
            if self.messages == 1:
                self.of_its_own(c)
        answer = None
        if created or flags & p.F_AR or retx:
            answer = self.stored(c, psn, msg_id, retx, RC_OK)
        if self.messages and "restart" in self.on and not self.restarted:
            self.restarted = True
            self.contexts.clear()
            self.say("restarted")
        return answer

    def control(self, data):
        kind = (data[0] & 7) << 1 | data[1] >> 7
        opaque, psn, spdcid, dpdcid, payload = struct.unpack("!HIHHI",
                                                             data[2:16])
        names = ("noop", "ack_req", "clear", "clear_req", "close", "close_req",
                 "probe")
        self.say(names[kind] if kind < len(names) else kind, psn)
        c = self.contexts.get(dpdcid)
        if kind == p.CP_PROBE and self.refuse_probes:
            self.refuse_probes -= 1
            return p.nack(UNEXP_EVENT, 0, 0, spdcid)
        if kind == p.CP_PROBE and "mute-probes" in self.on:
            return None
        if kind == p.CP_PROBE and "hates-probes" in self.on:
            self.contexts.clear()
            return None
        if not c:
            return p.nack(self.unknown, psn, 0, spdcid)
        if kind == p.CP_PROBE:
            answer = p.ack_cc(c.cack, c.id, c.peer, flags=F_PROBE,
                              offset=opaque - (opaque >> 15 << 16))
            if "forged" not in self.on:
                return answer
            forged = p.nack(int(self.on["forged"], 0), 0, 0, spdcid)
            self.own += [forged, answer]
            return forged
        if kind == p.CP_CLEAR_CMD:
            c.clear(payload)
            return None if "silent-clear" in self.on else \
                self.ack(c, c.cack, None, 0, 0)
        if kind == p.CP_ACK_REQ:
            if c.above(psn) > 0 and psn not in c.got:
                return p.nack(NOT_RCVD, psn, c.id, spdcid)
            if "forget" in self.on and psn not in c.kept:
                return None
            return self.stored(c, psn, payload & 0xffff, 0, RC_OK)
        if kind == p.CP_CLOSE_CMD:
            c.clear(psn)
            c.receive(psn)
            answer = self.ack(c, psn, None, 0, 0)
            self.contexts.pop(dpdcid)
            self.say("closed")
            return answer
        return self.ack(c, psn, None, 0, 0)

    def left(self, data):
        """An answer leaves"""
        if data[0] >> 3 in (p.ACK, p.ACK_CC):
            cack, own = struct.unpack("!IH", data[4:10])
            if own in self.contexts:
                self.contexts[own].told = cack

    def answer(self, data):
        kind = data[0] >> 3
        short = {p.NH_SMALL: p.SES_SMALL_LEN, p.NH_MEDIUM: p.SES_MEDIUM_LEN}.get(
            (data[0] & 7) << 1 | data[1] >> 7, p.SES_STD_LEN)
        if kind in (p.RUD_REQ, p.ROD_REQ) and len(data) >= 12 + short:
            return self.request(data)
        if kind == p.CP and len(data) >= 16:
            return self.control(data)
        if kind in (p.ACK, p.ACK_CC):
            offset, cack = struct.unpack("!hI", data[2:8])
            self.say("acked", cack + offset & M32)
        elif kind == p.NACK:
            self.say("nacked", data[2])
        return None


class Wire:
    """In and out at an address, by a device and a raw socket"""

    def __init__(self, addr, peer):
        self.addr, self.peer = addr, peer
        self.late = int(peer.on.get("late", 0)) / 1000
        self.tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                 socket.htons(ETH_P_IP))
        self.tap.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 23)
        self.tap.bind(("uet0", ETH_P_IP))
        self.raw = socket.socket(socket.AF_INET, socket.SOCK_RAW,
                                 socket.IPPROTO_RAW)
        self.form = {"ip", "crc"} & set(peer.on)
        self.queue = []
        self.count = 0
        self.last = None

    def push(self, data, source, sport):
        self.count += 1
        heapq.heappush(self.queue, (time.monotonic() + self.late, self.count,
                                    form.packet(self.form, self.addr, source,
                                                data, sport),
                                    source, data))

    def pull(self):
        ip = self.tap.recv(65536)[ETH_HLEN:]
        if len(ip) < 30 or ip[16:20] != socket.inet_aton(self.addr):
            return
        try:
            ip = form.plain(self.form, ip)
        except ValueError:
            self.peer.say("bad crc")
            return
        if not ip:
            return
        sport, = struct.unpack("!H", ip[20:22])
        wanted = DSCP_DATA if ip[28] >> 3 in (p.RUD_REQ, p.ROD_REQ, p.UUD_REQ) else \
            DSCP_CONTROL
        if "strict-dscp" in self.peer.on and ip[1] >> 2 != wanted:
            self.peer.say("dscp", ip[1] >> 2, "of", ip[28] >> 3)
            return
        source, data = socket.inet_ntoa(ip[12:16]), ip[28:]
        self.last = source, sport
        answer = self.peer.answer(data)
        if answer:
            self.push(answer, source, sport)
        while self.peer.own:
            self.push(self.peer.own.pop(0), source, sport)

    def run(self):
        while True:
            now = time.monotonic()
            while self.peer.later and self.peer.later[0][0] <= now:
                self.push(self.peer.later.pop(0)[1], *self.last)
                self.peer.later.sort()
            while self.queue and self.queue[0][0] <= now:
                _, _, packet, target, data = heapq.heappop(self.queue)
                self.raw.sendto(packet, (target, 0))
                self.peer.left(data)
            due = [q[0][0] for q in (self.queue, self.peer.later) if q]
            wait = max(min(due) - now, 0) if due else None
            if select.select([self.tap], [], [], wait)[0]:
                self.pull()


def main():
    wire = Wire(sys.argv[1], Peer(sys.argv[2:]))
    print("ready", flush=True)
    wire.run()


if __name__ == "__main__":
    main()
