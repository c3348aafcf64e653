# SPDX-License-Identifier: GPL-2.0
"""Ratios of rows, of which each must have run as the other one did."""

# Ends that wait this much more or less often per round trip do other things
WAITS = 0.1
# A stream that joins messages in packets so much better does not send messages
PACKETS = 1.5

SAME = {"kind": "kinds", "size": "sizes of messages", "mtu": "MTUs",
        "link": "links", "ip": "versions of IP", "flows": "numbers of flows",
        "batch": "messages of a call", "peers": "numbers of peers",
        "cpus": "numbers of CPUs", "spread": "receive scaling",
        "offloads": "offloads", "sndbuf": "send buffers",
        "rcvbuf": "receive buffers"}


def unequal(a, b):
    """Why two rows are not to be compared; [] if they are."""
    if not a or not b:
        return ["one was not measured"]
    packets = a["packets"], b["packets"]
    a, b = a["conditions"], b["conditions"]
    why = [f"{name}: {shown(a[key])}, {shown(b[key])}"
           for key, name in SAME.items() if a[key] != b[key]]
    if a["kind"] == b["kind"] == "trips":
        why += [f"the {end} waits {x:g}, {y:g} times a round trip"
                for end, x, y in zip(("client", "server"), a["waits"],
                                     b["waits"]) if abs(x - y) > WAITS]
    if a["kind"] == b["kind"] == "messages" and \
            max(packets) > PACKETS * min(packets):
        why.append("packets for a message: "
                   f"{packets[0]:.2f}, {packets[1]:.2f}")
    return why


def shown(value):
    if isinstance(value, list):
        return "+".join(str(v) for v in value) or "none"
    return str(value)


def compare(a, b):
    """The ratio of what they cost, and why there is none"""
    why = unequal(a, b)
    if why:
        return None, why
    return round(a["cost"] / b["cost"], 3) if b["cost"] else None, []
