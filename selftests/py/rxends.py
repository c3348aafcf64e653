#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a socket holds of messages that wait for their ends.

    rxends.py ADDR OWN NETNS SLOW

ADDR is the host, whose namespace is NETNS; OWN an address that nobody has and
that leads here. Prints a line per case, as answers.py.

Each message fits into half of the buffer, so that nobody can read it before its end.
Its source sends all but one packet and is silent then, until the next one has the right
to room of its own.
"""
import socket
import sys
import time

import uet
import uet_packets as p
from raw_peer import SO_RCVBUFFORCE, Cases, Host, Pdc

SIZE = 200_000                  # half of the buffer
PART = 1024
PACKETS = SIZE // PART
MSGS = 8
PID = 300
# Of the buffer; what is packed, or a device has put tightly, takes less
MOST = 3
CASES = Cases()
case = CASES.case


def held(host):
    with host.entered(), open("/proc/self/net/uet", encoding="ascii") as f:
        for line in f:
            words = line.split()
            if words[2:3] == [f"{PID:03x}"]:
                return int(words[7])
    return 0


def packet(pdc, msg, i):
    first, last = i == 0, i == PACKETS - 1
    flags = p.S_REL | p.S_SOM * first | p.S_EOM * last
    return pdc.packet(1 + i, payload=bytes([msg, i & 255]) * (PART // 2), ses=p.ses_std(
        pid=PID, flags=flags, msg_id=100, length=PART * PACKETS,
        offset=0 if first else PART * i, part=0 if first else PART))


def wait_for_ends(host, rod, missing):
    """Sends the messages; reads them all once their last packets have come"""
    with host.entered():
        s = uet.Socket(local=f"{host.addr}/{PID}", ordered=rod)
    s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, SIZE)
    s.settimeout(20 * host.slow)
    limit = s.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
    pdcs, most = [], 0
    for msg in range(MSGS):
        pdc = Pdc(host, rod)
        pdc.open()
        before = held(host)
        pdcs.append(pdc)
        # Who has no room is NACKed, and sends all again; a right may take a second.
        for _ in range(4):
            for i in range(PACKETS):
                if i != missing:
                    host.send(packet(pdc, msg, i))
            host.answers()
            most = max(most, held(host))
            if held(host) - before > PART * (PACKETS - 2):
                break
            time.sleep(1.2)
    got = []
    for _ in range(20):
        for msg, pdc in enumerate(pdcs):
            if msg in got:
                continue
            for i in [missing, *range(PACKETS)]:
                host.send(packet(pdc, msg, i))
            host.answers()
        s.setblocking(False)
        while True:
            try:
                data = s.recv_message().data
            except BlockingIOError:
                break
            want = b"".join(bytes([data[0], i & 255]) * (PART // 2)
                            for i in range(PACKETS))
            assert data == want, "other bytes"
            got.append(data[0])
        if len(got) == MSGS:
            break
        time.sleep(0.3)
    s.close()
    print(f"# at most {most} bytes of {limit}: {most / limit:.2f}", file=sys.stderr)
    assert sorted(got) == list(range(MSGS)), f"messages {sorted(got)} of {MSGS}"
    assert most <= MOST * limit, f"{most / limit:.2f} times the buffer"


@case("messages that lack their last packet")
def _(host):
    wait_for_ends(host, False, PACKETS - 1)


@case("messages that lack their first packet")
def _(host):
    wait_for_ends(host, False, 0)


@case("ordered messages that lack their last packet")
def _(host):
    wait_for_ends(host, True, PACKETS - 1)


def main():
    addr, own, netns = sys.argv[1:4]
    CASES.run(Host(addr, own, netns, int(sys.argv[4])))


if __name__ == "__main__":
    main()
