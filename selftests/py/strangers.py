#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a host sends to addresses that were only made up.

    strangers.py ADDR OWN NETNS PID FULL SLOW

ADDR is the host, whose namespace is NETNS; what it sends to 10.9.0.0/16 and to
OWN leads here, where nobody answers. Endpoint PID reads all it gets, FULL takes
nothing. Prints a line per case: name, tab, what went wrong or nothing.

No context that a made-up address opened is left at the end of a case, so that
all that could be sent to it has been.
"""
import collections
import socket
import sys
import time

import uet_packets as p
from raw_peer import Cases, Host, Setting
from uet_inject import ETH_HLEN, ipv4

# An ACK with its response against the shortest packet that it answers, in bytes
# that Ethernet carries
BYTES_PER_BYTE = 1.5
ETH_MIN_DATA = 46
NOBODY = 3000
PID = FULL = 0          # of the command line
CASES = Cases()
case = CASES.case


def syn(spdcid=77, psn=0x20000, offset=0, **how):
    how.setdefault("flags", p.F_AR)
    how["flags"] |= p.F_SYN
    return p.request(psn + offset, spdcid, offset, **how)


def ses(**how):
    how.setdefault("pid", PID)
    return p.ses_std(**how)


def kinds():
    """Name of a kind, and the packets of one address"""
    found = {f"no context: {k}": [v] for k, v in p.samples().items()
             if "syn" not in k}
    for name, ptype in ("RUD", p.RUD_REQ), ("ROD", p.ROD_REQ), \
            ("RUD_CC", p.RUD_CC_REQ), ("ROD_CC", p.ROD_CC_REQ):
        def opens(*args, ptype=ptype, **how):
            return syn(*args, ptype=ptype, **how)

        found |= {
            f"{name}: a message": [opens(ses=ses())],
            f"{name}: without AR": [opens(flags=0, ses=ses())],
            f"{name}: again and again": [opens(ses=ses())] * 5,
            f"{name}: to nobody": [opens(ses=ses(pid=NOBODY))],
            f"{name}: to nobody, again": [opens(ses=ses(pid=NOBODY))] * 5,
            f"{name}: no room": [opens(ses=ses(pid=FULL, length=60000),
                                       payload=bytes(1000))],
            f"{name}: begun": [opens(ses=ses(length=9000),
                                     payload=bytes(1000))],
            f"{name}: not the first": [opens(offset=3, ses=ses(
                flags=p.S_REL, length=9000, offset=3000, part=4))],
            f"{name}: with holes": [opens(offset=n, ses=ses(msg_id=n))
                                    for n in (0, 2, 4, 4000)],
            f"{name}: another start": [opens(ses=ses())] +
                [opens(psn=0x30000 + i, ses=ses()) for i in range(4)],
            f"{name}: unknown operation": [opens(ses=ses(opcode=60))],
            f"{name}: error": [opens(ses=ses(opcode=p.OP_MSG_ERROR),
                                     payload=b"")],
        }
    for kind in range(16):
        cp = p.control(kind, 0x20000, 77, 0, flags=p.F_AR | p.F_SYN)
        found |= {f"CP {kind} with SYN": [cp],
                  f"CP {kind} with SYN after a request": [syn(ses=ses()), cp],
                  f"CP {kind} with SYN again": [cp] * 5}
    found["other credit contexts"] = [
        syn(ptype=p.RUD_CC_REQ, psn=0x20000, offset=i, credit=i << 24 | 0xfff,
            ses=ses(msg_id=i)) for i in range(5)]
    found["both modes"] = [syn(ses=ses()),
                           syn(ptype=p.ROD_REQ, ses=ses())]
    return found


def gone(host, before):
    """No context of a stranger is left"""
    end = time.monotonic() + 20 * host.slow
    while host.stat("CurPdcs") > before:
        assert time.monotonic() < end, "contexts are left"
        time.sleep(0.1)


def on_wire(ip):
    return ETH_HLEN + max(len(ip), ETH_MIN_DATA)


def count(host):
    """Packets and bytes by address; and address and time of each CLOSE_REQ"""
    out, closes = {}, []
    while a := host.next(0.2 / host.slow):
        if a.type == p.CP and a.next == p.CP_CLOSE_REQ:
            closes.append((a.ip[16:20], a.sent))
            continue
        packets, size = out.get(a.ip[16:20], (0, 0))
        out[a.ip[16:20]] = packets + 1, size + on_wire(a.ip)
    return out, closes


def judge(host, sent, before):
    gone(host, before)
    wrong, (got, _) = [], count(host)
    for source, (name, packets) in sent.items():
        n, size = got.get(socket.inet_aton(source), (0, 0))
        most = sum(on_wire(ipv4(source, host.addr, data, 1)) for data in packets)
        if n > len(packets) or size > BYTES_PER_BYTE * most:
            wrong.append(f"{name}: {n} packets, {size} bytes for "
                         f"{len(packets)}, {most}")
    assert not wrong, "; ".join(wrong)
    assert got, "no answer at all"


def quick(host):
    """Contexts and what they wait for end within seconds"""
    return Setting(host, pdc_idle_s=1, clear_time_us=100,
                   close_req_time_ms=1000, pdc_max_per_peer=1024)


@case("a forged packet leads to one answer at most, and no larger")
def one_answer(host):
    before, sent = host.stat("CurPdcs"), {}
    with quick(host):
        for i, (name, packets) in enumerate(kinds().items()):
            source = f"10.9.{i // 200}.{i % 200 + 1}"
            sent[source] = name, packets
            for data in packets:
                host.send(data, source=source)
            time.sleep(0.002)
        judge(host, sent, before)


@case("... and a trimmed one")
def trimmed(host):
    before, sent = host.stat("CurPdcs"), {}
    with quick(host), Setting(host, trimming=1, dscp_trimmed=10):
        for i, data in enumerate((syn(ses=ses()), p.request(5, 6, 7))):
            source = f"10.9.9.{i + 1}"
            sent[source] = f"trimmed {i}", [data[:16]]
            host.send(data[:16], tos=10 << 2, source=source, udp_len=500)
        judge(host, sent, before)


@case("made-up addresses are asked to close three times at most, and few in a second")
def few_closes(host):
    before, most = host.stat("CurPdcs"), 100
    with quick(host):
        for i in range(3 * most):
            host.send(syn(spdcid=1 + i, ses=ses()), source=f"10.9.8.{i % 250 + 1}")
        gone(host, before)
        _, closes = count(host)
    assert closes, "none is asked"
    times = sorted(t for _, t in closes)
    # Their seconds are not ours
    for i, t in enumerate(times):
        n = sum(t <= u < t + 1 for u in times[i:])
        assert n <= 2 * most, f"{n} in a second"
    of = collections.Counter(address for address, _ in closes)
    assert max(of.values()) <= 3 * 2, f"{of.most_common(1)}"


@case("who sees some PDCIDs cannot tell the next")
def random_ids(host):
    ids = []
    with quick(host):
        for i in range(20):
            host.send(syn(spdcid=100 + i, ses=ses()))
            a = host.next(5)
            assert a and a.type == p.ACK_CC, f"no answer: {a}"
            ids.append(a.spdcid)
    near = sum(abs(a - b) < 64 for a, b in zip(ids, ids[1:]))
    assert near < 5, f"{ids}"


def main():
    global PID, FULL
    addr, own, netns = sys.argv[1:4]
    PID, FULL, slow = map(int, sys.argv[4:7])
    CASES.run(Host(addr, own, netns, slow, helper=False))


if __name__ == "__main__":
    main()
