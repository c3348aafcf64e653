# SPDX-License-Identifier: GPL-2.0
"""Bytes on the wire: what each transport adds to a message, without losses."""

ETHERNET = 14               # what a queue of a virtual link counts
IPV4, TCP, TCP_TIMESTAMPS, UDP = 20, 20, 12, 8
MPTCP_DSS = 20              # mapping and acknowledgement, as Linux sends them
UET_REQUEST = 12            # PDS request header
UET_STANDARD = 44           # SES standard request header
UET_PAYLOADS = (8192, 4096, 2048, 1024)


def packet_payload(transport, mtu):
    """Payload of a full packet, and what surrounds it on the wire."""
    proto = transport["proto"]
    if proto in ("uet", "rod"):
        head = IPV4 + UDP + UET_REQUEST + UET_STANDARD
        # A CC word or an IPv6 header of a later packet must fit as well.
        room = mtu - head
        payload = next((p for p in UET_PAYLOADS if p <= room), room)
        return payload, head + ETHERNET
    if proto == "udp":
        return mtu - IPV4 - UDP, ETHERNET + IPV4 + UDP
    head = IPV4 + TCP + TCP_TIMESTAMPS
    if proto == "mptcp":
        head += MPTCP_DSS
    return mtu - head, head + ETHERNET


def wire_bytes(transport, mtu, nbytes, msg):
    """All bytes of a flow of nbytes in messages of msg bytes."""
    payload, head = packet_payload(transport, mtu)
    if transport["proto"] in ("uet", "rod"):
        full, rest = divmod(nbytes, msg)
        packets = full * -(-msg // payload) + -(-rest // payload)
    else:
        packets = -(-nbytes // payload)
    return nbytes + packets * head


def first_packet(transport, mtu, nbytes):
    payload, head = packet_payload(transport, mtu)
    return min(nbytes, payload) + head
