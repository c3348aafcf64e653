# SPDX-License-Identifier: GPL-2.0
"""Packets that have to do with one another, and what is found out by comparing them.

A talk is (name, packets, expectations): a packet is (seconds, bytes of an IP packet), an
expectation (frame number, {field without "uet.": value}).
"""

from packets import *  # noqa: F403

START = 0xfffffffe      # the third packet is number 0
MTU = 1024


class Talk:
    """Collects packets between the hosts of a network."""

    def __init__(self, net):
        self.net, self.packets, self.wanted, self.now = net, [], [], 0.0

    def add(self, data, back=False, later=0.001, want=None, **how):
        self.now += later
        self.packets.append((self.now, self.net.ip(data, back, **how)))
        if want:
            self.wanted.append((len(self.packets), want))
        return len(self.packets)


def data(n, total, kind=RUD, flags=0, msg=1, spdcid=1, dpdcid=2, first=START, syn=False):
    """Packet n of a message of so many bytes, cut at MTU"""
    at, last = n * MTU, (n + 1) * MTU >= total
    payload = min(MTU, total - at)
    ses = std(SEND, REL | (SOM if not n else 0) | (EOM if last else 0), msg, total,
              payload=payload, at=at)
    return req(kind, flags=flags | (SYN if syn else 0), psn=first + n, spdcid=spdcid,
               dpdcid=dpdcid, psn_offset=n) + ses + bytes(payload)


def ok(psn, cack=None, flags=0, msg=1, **how):
    cack = psn if cack is None else cack
    return ack(ACK_CC, RSP, flags, cack, psn - cack, state=nscc(), **how) + rsp(msg=msg)


def _trimmed(net, packet):
    """What a switch leaves of a packet, with a code point of its own"""
    kept = Net(net.v6, net.native, net.crc, net.proto, dscp=5)
    return kept.ip(packet, keep=20 if net.native else 24)


def story(net):
    """A PDC from its SYN to its close."""
    t = Talk(net)
    trailer = 4 if net.crc else 0
    over = 12 + 44 + 40 + (4 if net.native else 8) + trailer
    full, total = MTU + over, 2 * MTU + 100
    first = t.add(data(0, total, syn=True), want={                              # 1
        "pdc.stream": 0, "pdc.state": "SYN", "pdc.direction": 0, "pdc.mode": "RUD",
        "pdc.first_frame": 1, "pds.start_psn": [START, START],
        "analysis.relative_psn": 0, "analysis.packets_in_flight": 1,
        "analysis.bytes_in_flight": full, "msg.stream": 0, "msg.total": total,
        "msg.bytes": MTU, "msg.frames": 1, "msg.complete_in": 7,
        "msg.frame": [1, 3, 7], "analysis.response_in": 9, "analysis.acked_in": 9,
        "analysis.retransmitted_in": 8, "analysis.sacked_in": None})
    assert first == 1
    t.now += 0.001
    t.packets.append((t.now, _trimmed(net, data(1, total, syn=True))))           # 2
    t.wanted.append((2, {
        "trimmed": 1, "trimmed_packet": "", "short": None,
        **({} if net.native else {"nominal_pktsize": full}),
        "pds.psn": START + 1, "analysis.packets_in_flight": 2,
        "analysis.nacked_in": 4, "analysis.retransmitted_in": 7, "msg.stream": None}))
    t.add(data(2, total, syn=True), want={                                      # 3
        "analysis.relative_psn": 2, "pds.psn": 0, "analysis.packets_in_flight": 3,
        "msg.stream": 0, "msg.first_frame": 1, "msg.bytes": MTU + 100,
        "analysis.sacked_in": 5, "analysis.acked_in": 9})
    t.add(nack(1, START + 1, spdcid=0), True, want={                            # 4
        "pdc.stream": 0, "pdc.state": "SYN", "nack": "", "analysis.request_in": 2,
        "analysis.time": "0.002000000", "analysis.packets_in_flight": 2})
    t.add(ack(ACK_CC, cack=START - 1, offset=3, sack_offset=3, bitmap=1,        # 5
              state=nscc()), True, want={
        "pdc.state": "established", "pds.ack_psn": 0, "pds.sack_psn": 0,
        "analysis.request_in": 3, "analysis.packets_in_flight": 1,
        "analysis.bytes_in_flight": full, "analysis.relative_cack": -1,
        "pdc.direction": 1})
    t.add(data(2, total), want={                                                # 6
        "duplicate": "", "analysis.duplicate": 1, "analysis.duplicate_of": 3,
        "retransmission": None, "analysis.packets_in_flight": 1, "msg.frames": 2})
    t.add(data(1, total, flags=RETX | AR), want={                               # 7
        "retransmission": "", "analysis.retransmission": 1,
        "analysis.retransmission_of": 2, "analysis.since_previous": "0.005000000",
        "analysis.packets_in_flight": 2, "analysis.nacked_in": None,
        "msg.bytes": total, "msg.frames": 3, "msg.complete_in": 7,
        "msg.time": "0.006000000",
        "msg.frame": [1, 3, 7]})
    t.add(data(0, total, flags=RETX | AR), want={                               # 8
        "retransmission": "", "analysis.retransmission_of": 1,
        "analysis.packets_in_flight": 2, "msg.first_frame": 1, "msg.frame": None})
    t.add(ok(START, START + 2, RETX), True, want={                              # 9
        "analysis.request_in": 8, "analysis.time": "0.001000000",
        "analysis.packets_in_flight": 0, "analysis.bytes_in_flight": 0,
        "analysis.relative_cack": 2, "msg.stream": 0})
    t.add(cp(PROBE, 0, AR, 0x1234), want={"analysis.response_in": 11})          # 10
    t.add(ack(ACK_CC, flags=P, cack=START + 2, offset=0x1234), True, want={     # 11
        "analysis.request_in": 10, "analysis.time": "0.001000000"})
    t.add(cp(ACK_REQ, START + 2, AR), want={"analysis.asks_for": 6})            # 12
    t.add(cp(CLOSE_CMD, START + 3, AR), want={                                  # 13
        "pdc.state": "closing", "analysis.response_in": 14,
        "analysis.packets_in_flight": 1})
    t.add(ack(cack=START + 3), True, want={                                     # 14
        "pdc.state": "closed", "analysis.request_in": 13,
        "analysis.packets_in_flight": 0})
    t.add(data(0, 10, msg=1, syn=True, first=5), want={                         # 15
        "pdc.stream": 1, "pdc.reused": "", "msg.stream": 1, "pdc.first_frame": 15})
    return t


def errors(net):
    """Refusals, an error, an id that is used again, a message given up."""
    t = Talk(net)
    t.add(data(0, 50, ROD, syn=True, first=10), want={                          # 1
        "pdc.mode": "ROD", "analysis.nacked_in": 2})
    t.add(nack(7, 10), True, want={"pdc.state": "established", "nack": ""})     # 2
    t.add(data(0, 50, ROD, flags=RETX, first=10), want={                        # 3
        "retransmission": "", "analysis.packets_in_flight": 1})
    t.add(ack(next_hdr=RSP, cack=9, offset=1) + rsp(1, 5), True, want={         # 4
        "failed": "", "analysis.request_in": 1})
    t.add(data(0, 50, ROD, first=11), want={"msg.stream": 1})                   # 5
    t.add(req(ROD, psn=12) + std(SEND, REL | SOM, 2, 9000) + bytes(MTU), want={  # 6
        "msg.stream": 2, "msg.complete_in": None})
    t.add(req(ROD, psn=13) + std(MSG_ERROR, REL | EOM, 2, 9000, at=MTU), want={  # 7
        "msg.stream": 2, "msg_error": "", "msg.frames": 2})
    t.add(nack(0x11, 13), True, want={"pdc.state": "error", "nack.fatal": ""})  # 8
    return t


def reads(net):
    """Data that was read: in an acknowledgment, and by packets of the other direction,
    which have their own PSNs and are acknowledged as well."""
    t = Talk(net)
    trailer = 4 if net.crc else 0
    t.add(req(flags=SYN, psn=50) + std(READ, msg=3, length=8), want={           # 1
        "msg.stream": 0, "msg.total": 8, "msg.bytes": 0, "msg.complete_in": 2,
        "msg.frame": [1, 2]})
    t.add(ack(next_hdr=RSP_DATA, flags=CLEAR, cack=49, offset=1) +              # 2
          rsp_data(8, 8, msg=3) + bytes(8), True, want={
        "msg.stream": 0, "msg.bytes": 8, "msg.complete_in": 2,
        "analysis.request_in": 1})
    t.add(req(psn=51) + std(READ, REL | SOM | EOM, msg=4, length=30), want={    # 3
        "msg.stream": 1, "msg.complete_in": 5})
    one = req(RUD, RSP_DATA, psn=50, spdcid=2, dpdcid=1) + rsp_data(20, 30, msg=4) + \
        bytes(20)
    two = req(RUD, RSP_DATA, psn=51, spdcid=2, dpdcid=1) + rsp_data(10, 30, 20, msg=4) + \
        bytes(10)
    t.add(two, True, want={                                                     # 4
        "msg.stream": 1, "msg.request_in": 3, "msg.bytes": 10, "pdc.direction": 1,
        "analysis.return_packets_in_flight": 1, "analysis.packets_in_flight": 1,
        "analysis.relative_psn": 1, "analysis.acked_in": 6})
    t.add(one, True, want={                                                     # 5
        "msg.bytes": 30, "msg.complete_in": 5, "analysis.return_packets_in_flight": 2,
        "analysis.return_bytes_in_flight":
        2 * (12 + 20 + 40 + (4 if net.native else 8) + trailer) + 30})
    t.add(ack(cack=51, spdcid=1, dpdcid=2), want={                              # 6
        "analysis.request_in": 4, "analysis.return_packets_in_flight": 0,
        "analysis.packets_in_flight": 1})
    return t


def others(net):
    """Without a PDC, of an unknown PDC, and of one whose beginning is not there."""
    t = Talk(net)
    t.add(rudi(RUDI_REQ, STD, 9) + std(WRITE, key=1) + b"1234", want={          # 1
        "analysis.response_in": 4, "analysis.retransmitted_in": 3, "pdc.stream": None,
        "analysis.nacked_in": 2})
    t.add(nack(1, 9, NT, spdcid=0, dpdcid=0), True, want={                      # 2
        "analysis.request_in": 1})
    t.add(rudi(RUDI_REQ, STD, 9, RETX) + std(WRITE, key=1) + b"1234", want={    # 3
        "analysis.retransmission_of": 1})
    t.add(rudi(RUDI_RESP, RSP, 9, RETX) + rsp(), True, want={                   # 4
        "analysis.request_in": 3, "analysis.time": "0.001000000"})
    t.add(req(psn=70, spdcid=77, dpdcid=0, flags=AR) + std(NO_OP, length=64) +  # 5
          bytes(64), want={"pdc.state": "path probe", "violation": None,
                           "surplus_bytes": None})
    t.add(nack(0x0e, 70, spdcid=0, dpdcid=77), True, want={                     # 6
        "analysis.request_in": 5, "analysis.time": "0.001000000",
        "pdc.state": "path probe"})
    t.add(ack(cack=1000, spdcid=5, dpdcid=6), True, want={                      # 7
        "pdc.state": "joined", "pdc.direction": 1})
    t.add(data(0, 10, first=1001, spdcid=6, dpdcid=5), want={                   # 8
        "pdc.state": "joined", "pdc.direction": 0, "pdc.first_frame": 7,
        "analysis.relative_psn": None})
    t.add(data(0, 10, first=2000, spdcid=6, dpdcid=99), want={                  # 9
        "pdc.reused": "", "pdc.first_frame": 9})
    t.add(uud() + std(DATAGRAM_SEND) + b"dgrm", want={"pdc.stream": None})      # 10
    return t


def loopback(net):
    """Both ends have one address: PDCIDs alone tell the directions."""
    t = Talk(Net(net.v6, net.native, net.crc, addrs=(
        ("::1", "::1") if net.v6 else ("127.0.0.1", "127.0.0.1"))))
    t.add(data(0, 10, first=5, syn=True), want={"pdc.direction": 0})
    t.add(ok(5), True, want={"pdc.direction": 1, "analysis.request_in": 1,
                             "pdc.state": "established",
                             "analysis.packets_in_flight": 0})
    t.add(data(0, 10, first=6, msg=2), want={"pdc.direction": 0,
                                             "analysis.packets_in_flight": 1})
    t.add(ok(6, msg=2), True, want={"pdc.direction": 1, "analysis.request_in": 3})
    return t


def run(net):
    """Packets of a message behind one UDP header, as captured where a device cuts them"""
    t = Talk(Net(net.v6))
    total, size = 3 * MTU + 7, MTU + 12 + 44 + 8 + 40
    first = b"".join(data(n, total, first=20) for n in range(2))
    rest = b"".join(data(n, total, first=20) for n in range(2, 4))
    t.add(first, want={                                                         # 1
        "pds.psn": [20, 21], "payload_len": [MTU, MTU], "nominal_pktsize": [size] * 2,
        "analysis.packets_in_flight": [1, 2], "msg.bytes": [MTU, 2 * MTU],
        "analysis.acked_in": [3, 3]})
    t.add(rest, want={                                                          # 2
        "pds.psn": [22, 23], "payload_len": [MTU, 7], "analysis.packets_in_flight": [3, 4],
        "msg.complete_in": [2, 2], "analysis.bytes_in_flight":
        [3 * size, 4 * size - MTU + 7]})
    t.add(ok(22, 23), True, want={"analysis.packets_in_flight": 0,              # 3
                                  "analysis.request_in": 2})
    return t


ALL = (story, errors, reads, others, loopback, run)
