#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of the trim queueing discipline, run by sch_trim.sh."""

import hashlib
import os
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback

from sch_trim_lab import *  # noqa: F401,F403

TESTS = []
TRIMMED, LASTHOP, CONTROL = 5, 6, 46
TCP_ECN_BYTES = 2 << 20
# Timers of User Mode Linux come a nanosecond late, and the clock takes one.
TIMER_SLACK_NS = 10


def test(func):
    TESTS.append(func)
    return func


def same(got, want, what):
    for i, (g, w) in enumerate(zip(got, want)):
        check(g == w, what, f"packet {i}\n#  got  {g[:96].hex()} ({len(g)})"
              f"\n#  want {w[:96].hex()} ({len(w)})")
    check(len(got) == len(want), what, "count", len(got), "not", len(want))


# Settings

@test
def settings():
    add("")
    opts = show()["options"]
    for key, want in (("limit", 1 << 20), ("control_limit", 1 << 18),
                      ("trimmed_limit", 1 << 18), ("size", 64),
                      ("lasthop", False), ("dscp", [0]), ("control", [46]),
                      ("trimmed", 5), ("trimmed_lasthop", 6), ("port", 4793),
                      ("proto", 253), ("share", 50)):
        check(opts[key] == want, "default", key, opts[key])
    for key in ("ecn_min", "trim", "rate", "delay_ns", "loss_ppm",
                "blackhole"):
        check(key not in opts, "default", key)

    change("limit 500000 control_limit 30000 trimmed_limit 40000 ecn min 1000 "
           "max 2000 trim 3000 size 100 lasthop dscp 1,2,63 control 48,56 "
           "trimmed 10 trimmed_lasthop 11 port 1234 proto none share 25% "
           "rate 400gbit overhead 24 delay 1234ns loss 0.5% seed "
           "18446744073709551615 blackhole data")
    want = {"limit": 500000, "control_limit": 30000, "trimmed_limit": 40000,
            "ecn_min": 1000, "ecn_max": 2000, "trim": 3000, "size": 100,
            "lasthop": True, "dscp": [1, 2, 63], "control": [48, 56],
            "trimmed": 10, "trimmed_lasthop": 11, "port": 1234, "share": 25,
            "rate": 50000000000, "overhead": 24, "delay_ns": 1234,
            "loss_ppm": 5000, "seed": 18446744073709551615,
            "blackhole": "data"}
    got = show()["options"]
    check(got == want, "got", got)
    change("noecn notrim nolasthop rate 0 delay 0 loss 0 blackhole off "
           "overhead 0 proto 200")
    got = show()["options"]
    for key in ("ecn_min", "ecn_max", "trim", "rate", "overhead", "delay_ns",
                "loss_ppm", "blackhole"):
        check(key not in got, key, "is still on")
    check(got["lasthop"] is False and got["proto"] == 200, got)
    check("trim" in run(f"tc -n {A} -s qdisc show dev {DEV}").stdout, "text")


@test
def bad_parameters():
    add("limit 100000")
    before = show()["options"]
    for args, text in (
            ("limit 0", "Limits"), ("limit 2gb", "Limits"),
            ("control_limit 0", "Limits"), ("trimmed_limit 0", "Limits"),
            ("limit 1000 trim 1001", "Trim threshold"),
            ("trim 100001", "Trim threshold"),
            ("ecn min 2 max 1", "ECN minimum"), ("ecn max 10", "ECN minimum"),
            ("ecn min 10", "both thresholds"), ("ecn step 100001", "ECN max"),
            ("size 43", "Trim size"), ("size 65536", "Trim size"),
            ("trimmed 64", "6 bits"), ("trimmed_lasthop 255", "6 bits"),
            ("trimmed 6", "differ"), ("dscp 5", "trimmable and trimmed"),
            ("control 6", "control and trimmed"),
            ("control 0", "control and trimmable"), ("port 0", "port"),
            ("proto 6", "protocol"), ("proto 17", "protocol"),
            ("share 0", "Share"), ("share 101", "Share"),
            ("rate 7kbit", "Rate"), ("rate 11tbit", "Rate"),
            ("overhead 1025", "Overhead"), ("delay 11s", "Delay"),
            ("loss 101%", "Loss"), ("loss 1000001ppm", "Loss")):
        res = change(args, ok=False)
        check(res.returncode == 2, args, "gives", res.returncode)
        check(text in res.stderr, args, "says", res.stderr)
        check(show()["options"] == before, args, "was applied")
        remove()
        res = tc(f"add dev {DEV} root trim limit 100000 {args}", ok=False)
        check(res.returncode == 2, "adding", args, "gives", res.returncode)
        tc(f"add dev {DEV} root trim limit 100000 seed {before['seed']}")
    for args in ("limit", "limit x", "limit -1", "ecn", "dscp 64", "dscp 1,x",
                 "dscp", "share x", "rate -1", "delay -1us", "loss 1",
                 "loss x%", "loss -1%", "seed -1", "port 65536", "bogus"):
        check(change(args, ok=False).returncode == 1, args, "is taken")


@test
def bad_netlink():
    """What tc does not send: short, unknown, missing, unflagged attributes."""
    add("limit 100000")
    with inside(A):
        index = socket.if_nametoindex(DEV)

    def attr(kind, data):
        return struct.pack("HH", 4 + len(data), kind) + data + \
            bytes(-len(data) % 4)

    def request(options, nested=0x8000):
        body = struct.pack("BBHiIII", 0, 0, 0, index, 0, 0xFFFFFFFF, 0)
        body += attr(1, b"trim\0") + attr(2 | nested, options)
        return struct.pack("IHHII", 16 + len(body), 36, 5, 1, 0) + body

    with inside(A):
        sk = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)

    def answer(msg):
        sk.send(msg)
        return -struct.unpack("i", sk.recv(65536)[16:20])[0]

    with sk:
        check(answer(request(attr(2, struct.pack("I", 5000)))) == 0, "valid")
        check(show()["options"]["limit"] == 5000, "valid was not applied")
        for what, msg in (
                ("short", request(attr(2, b"\1\2"))),
                ("unknown", request(attr(200, bytes(4)))),
                ("flags", request(attr(13, struct.pack("I", 6)))),
                ("blackhole", request(attr(22, b"\3"))),
                ("unflagged", request(attr(2, bytes(4)), nested=0)),
                ("garbage", request(b"\xff" * 12))):
            err = answer(msg)
            check(err in (22, 34), what, "gives", err)
        check(show()["options"]["limit"] == 5000, "changed by bad requests")


# Queues

@test
def classes_in_order():
    """Control, then trimmed, then data; each of them first in, first out."""
    add("share 100")
    data = [frame(other(500, v, i)) for i, v in enumerate((4, 6, 4))]
    trimmed = [frame(uet(200, v, i, dscp=d)) for i, (v, d) in
               enumerate(((4, TRIMMED), (6, LASTHOP), (6, TRIMMED)))]
    ns_type = bytes([135]) + bytes(23)
    control = [frame(uet(200, 4, 7, dscp=CONTROL)),
               frame(arp(), proto=ETH_P_ARP),
               frame(uet(200, 6, 8, dscp=CONTROL)),
               frame(ipv6(ns_type, socket.IPPROTO_ICMPV6)),
               frame(bytes(50), dst=bytes.fromhex("0180c200000e"),
                     proto=0x88CC)]
    fill = Fill(data + trimmed + control)
    same(fill.out, control + trimmed + data, "order")
    for name, frames in (("control", control), ("trimmed", trimmed),
                         ("data", data)):
        st = fill.before[name]
        check(st["qlen"] == len(frames) and
              st["backlog"] == sum(map(len, frames)), name, st)
    check(fill.before["wire_qlen"] == 1, "plug", fill.before["wire_qlen"])


@test
def share_of_the_link():
    """While both wait, trimmed and control take their share and no more."""
    for share in (25, 50, 80):
        add(f"share {share}")
        ahead = [frame(uet(486, dscp=TRIMMED if i % 2 else CONTROL))
                 for i in range(120)]
        data = [frame(other(486, salt=i)) for i in range(120)]
        out = Fill(ahead + data).out
        check(len(out) == 240, share, "lost", 240 - len(out))
        # As long as both wait, with the burst that credit allows for.
        for n in range(20, 120):
            front = sum(tos(f[14:])[0] != 0 for f in out[:n])
            check(abs(front - n * share / 100) <= 34, share, n, front)
        front = sum(tos(f[14:])[0] != 0 for f in out[40:120])
        check(abs(front - 80 * share / 100) <= 2, share, "steady", front)
        same([f for f in out if not tos(f[14:])[0]], data, "data order")


@test
def limits():
    add("limit 5000 control_limit 3000 trimmed_limit 2000")
    size = 486
    for dscp, name, limit in ((0, "data", 5000), (CONTROL, "control", 3000),
                              (TRIMMED, "trimmed", 2000)):
        frames = [frame(uet(size, salt=i, dscp=dscp)) for i in range(14)]
        fill = Fill(frames)
        fit = limit // (size + 14)
        same(fill.out, frames[:fit], name)
        check(fill.sent == [True] * fit + [False] * (14 - fit), fill.sent)
        st = fill.after[name]
        check(st["drops"] == 14 - fit, name, st)
        check(st["peak"] == fit * (size + 14), name, st)
        check(fill.after["drops"] == 14 - fit, fill.after["drops"])


@test
def peaks_and_waits():
    add("")
    frames = [frame(other(486)) for _ in range(8)]
    fill = Fill(frames)
    data = fill.before["data"]
    check(data["recent_peak"] == data["peak"] == 4000, data)
    data = fill.after["data"]
    check(data["peak"] == 4000 and data["packets"] == 9, data)
    check(show()["data"]["recent_peak"] == 0, "not reset by reading")
    # What is left of the plug when an attempt may last no longer
    check(fill.after["wait_max_ns"] >= 5 * 10 ** 7, fill.after["wait_max_ns"])
    check(0 < fill.after["wait_mean_ns"] <= fill.after["wait_max_ns"], "mean")


@test
def smaller_limit_under_backlog():
    add("limit 10000")
    frames = [frame(other(486, salt=i)) for i in range(10)]
    late = frame(other(486, salt=77))

    def shrink():
        change("limit 2000")
        with Port() as port:
            check(not port.send(late), "packet above the new limit is taken")

    same(Fill(frames, shrink).out, frames, "queued before the change")


# Marking

@test
def marks_by_step():
    for version in (4, 6):
        add("ecn step 3000")
        packets = [uet(1000, version, i, ecn=(2, 1, 0, 3)[i % 4])
                   for i in range(12)]
        fill = Fill([frame(p) for p in packets])
        want = [frame(ce_of(p) if (12 - i) * 1014 > 3000 and tos(p)[1] else p)
                for i, p in enumerate(packets)]
        same(fill.out, want, f"IPv{version}")
        check(fill.after["marks"] == 6, fill.after["marks"])


@test
def marks_by_chance():
    count, size = 300, 100
    frames = [frame(uet(size - 14, salt=i)) for i in range(count)]

    def marked(seed):
        add(f"limit 1mb ecn min 5000 max 25000 seed {seed}")
        out = Fill(frames).out
        check(len(out) == count, "lost", count - len(out))
        return [tos(f[14:])[1] == 3 for f in out]

    first, again, different = marked(1), marked(1), marked(2)
    check(first == again, "same seed, different marks")
    check(first != different, "different seeds, same marks")
    for marks in (first, different):
        # Backlog is 30000 at the first packet and 100 at the last one.
        check(all(marks[:50]), "unmarked above the maximum")
        check(not any(marks[250:]), "marked below the minimum")
        check(60 < sum(marks[50:250]) < 140, "marks", sum(marks[50:250]))
        check(sum(marks[50:150]) > sum(marks[150:250]), "not growing")


@test
def control_is_not_marked():
    add("ecn step 0 share 100")
    frames = [frame(uet(500, dscp=d, salt=i)) for i, d in
              enumerate((CONTROL, TRIMMED, CONTROL, TRIMMED))]
    frames.sort(key=lambda f: tos(f[14:])[0] != CONTROL)
    same(Fill(frames).out, frames, "ahead of data")


# Trimming

def trims(make, size=64, dscp=TRIMMED, args="", tags=()):
    """The first two packets fit, the others are cut and overtake them."""
    add(f"trim 2500 share 100 {args}")
    packets = [make(i) for i in range(6)]
    fill = Fill([frame(p, tags=tags) for p in packets])
    want = [frame(trimmed_of(p, size, dscp), tags=tags) for p in packets[2:]]
    want += [frame(p, tags=tags) for p in packets[:2]]
    same(fill.out, want, "trimmed")
    check(all(fill.sent), "sender was told of a loss")
    check(fill.after["trims"] == 4 and fill.after["drops"] == 0, fill.after)
    cut = sum(len(p) - size for p in packets[2:])
    check(fill.after["trimmed_bytes"] == cut, fill.after["trimmed_bytes"])
    return fill


@test
def trim_udp_ipv4():
    fill = trims(lambda i: uet(1000, 4, i, ecn=i % 4, ident=i))
    for data in fill.out[:4]:
        check(csum(data[14:34]) == 0, "IPv4 checksum")
        check(struct.unpack("!H", data[38:40])[0] == 980, "UDP length")


@test
def trim_udp_ipv6():
    fill = trims(lambda i: uet(1000, 6, i, ecn=i % 4))
    for data in fill.out[:4]:
        check(struct.unpack("!H", data[18:20])[0] == 24, "payload length")
        check(struct.unpack("!H", data[58:60])[0] == 960, "UDP length")


@test
def trim_native():
    trims(lambda i: uet(1000, 4, i, native=True))
    trims(lambda i: uet(1000, 6, i, native=True))
    trims(lambda i: ipv4(pattern(980, i), 200, ecn=2), args="proto 200")


@test
def trim_lasthop_and_size():
    trims(lambda i: uet(1000, 4, i), dscp=LASTHOP, args="lasthop")
    trims(lambda i: uet(1000, 6, i), dscp=60, size=200,
          args="lasthop trimmed_lasthop 60 size 200")
    trims(lambda i: uet(1000, 4, i, dscp=9), dscp=61,
          args="dscp 8,9 trimmed 61 port 4793")
    trims(lambda i: ipv4(udp(pattern(972, i), 9999), 17), args="port 9999")


@test
def trim_behind_options():
    """At least the headers stay, however long the IP header is."""
    trims(lambda i: uet(1000, 4, i, options=b"\x01" * 40), size=60 + 24)
    for kind in (0, 60):
        ext = struct.pack("!BB", 17, 1) + b"\x01\x0c" + bytes(12)
        body = ext + udp(pattern(1000 - 40 - 16 - 8))
        trims(lambda i: ipv6(body, kind), size=40 + 16 + 24)


@test
def trim_behind_tags():
    one, two = (ETH_P_8021Q, 0x6005), (ETH_P_8021AD, 0x0007)
    for version in (4, 6):
        trims(lambda i: uet(996, version, i), tags=(one,))
        trims(lambda i: uet(992, version, i), tags=(two, one))


@test
def trim_and_mark_with_tag_in_skb():
    run(f"ip -n {A} link add link {DEV} name vlan5 type vlan id 5")
    run(f"ip -n {A} link set vlan5 up")
    for version in (4, 6):
        add("trim 2500 share 100 ecn step 1500")
        packets = [uet(1000, version, i) for i in range(4)]
        with packet_socket(A, "vlan5", 0) as sk:
            fill = Fill([], lambda: [sk.send(frame(p)) for p in packets],
                        expect=4)
        want = [trimmed_of(p, 64, TRIMMED) for p in packets[2:]]
        want += [ce_of(packets[0]), packets[1]]
        same(fill.out, [frame(p, tags=((ETH_P_8021Q, 5),)) for p in want],
             "tagged")


@test
def not_trimmed():
    """Whatever must not be cut is queued, in order and to the last bit."""
    frag = udp(pattern(900))
    v6frag = struct.pack("!BBHI", 17, 0, 1, 1) + frag
    good = uet(1000)
    keep = [
        frame(ipv4(udp(pattern(900), 4794), 17)),
        frame(ipv6(udp(pattern(900), 4794), 17)),
        frame(ipv4(pattern(900), socket.IPPROTO_TCP)),
        frame(ipv6(pattern(900), socket.IPPROTO_TCP)),
        frame(other(900)), frame(other(900, 6)),
        frame(uet(900, dscp=1)), frame(uet(900, 6, dscp=63)),
        frame(ipv4(frag, 17, frag=0x2000)), frame(ipv4(frag, 17, frag=1)),
        frame(ipv6(v6frag, 44)),
        frame(uet(64)), frame(uet(44)), frame(uet(64, 6)),
        frame(uet(36, native=True)),
        # Malformed: not cut, and no reason to crash either.
        frame(good[:2] + b"\xff\xff" + good[4:]),
        frame(good[:2] + b"\0\0" + good[4:]),
        frame(b"\x15" + good[1:], proto=ETH_P_IP),
        frame(b"\x44" + good[1:], proto=ETH_P_IP),
        frame(b"\x4f" + good[1:24], proto=ETH_P_IP),
        frame(good[:19], proto=ETH_P_IP), frame(good[:24], proto=ETH_P_IP),
        frame(good, proto=ETH_P_IPV6),
        frame(uet(1000, 6)[:39], proto=ETH_P_IPV6),
        frame(uet(1000, 6)[:4] + b"\xff\xff" + uet(1000, 6)[6:]),
        frame(ipv6(bytes([0]) * 8 * 20, 0)),
        frame(ipv6(b"\0\xff" + bytes(30), 0)),
        frame(b"", proto=ETH_P_IP), frame(b"", proto=ETH_P_IPV6),
        frame(good, tags=((ETH_P_8021AD, 1),) * 6),
        frame(bytes(900), proto=0x88B5), frame(bytes(100), proto=100),
    ]
    add("limit 1mb trim 0")
    first = frame(uet(1000, salt=5))

    def unseen():
        # The receiver drops it for its broken tag before anybody looks.
        with Port() as port:
            check(port.send(frame(b"\x45", proto=ETH_P_8021Q)), "broken tag")

    fill = Fill([first] + keep, unseen)
    same(fill.out, [first] + keep, "untouched")
    check(fill.after["trims"] == 0, "trims", fill.after["trims"])
    add("trim 0 proto none")
    native = [frame(uet(900, v, native=True)) for v in (4, 6, 4)]
    same(Fill([first] + native).out, [first] + native, "native IP off")


@test
def padding_is_no_payload():
    """A packet that is short enough stays whole, pad bytes or not."""
    add("trim 0")
    padded = frame(uet(50)) + bytes(300)
    long = frame(uet(200, salt=3)) + bytes(300)
    fill = Fill([padded, padded, long])
    want = frame(trimmed_of(uet(200, salt=3), 64, TRIMMED))
    same(fill.out, [want, padded, padded], "padded")


@test
def already_trimmed():
    """A trimmed packet is never trimmed again, and dropped at its limit."""
    add("trim 1000 trimmed_limit 2000 share 100")
    done = [frame(uet(486, salt=i, dscp=TRIMMED + i % 2)) for i in range(6)]
    fill = Fill([frame(uet(986))] + done)
    same(fill.out, done[:4] + [frame(uet(986))], "trimmed elsewhere")
    check(fill.after["trims"] == 0, "trims", fill.after["trims"])
    check(fill.after["trimmed"]["drops"] == 2, fill.after["trimmed"])


@test
def trimmed_class_full():
    add("trim 1000 trimmed_limit 200 share 100")
    packets = [uet(986, salt=i) for i in range(6)]
    fill = Fill([frame(p) for p in packets])
    want = [trimmed_of(p, 64, TRIMMED) for p in packets[1:3]] + packets[:1]
    same(fill.out, [frame(p) for p in want], "room for two")
    check(fill.sent == [True] * 3 + [False] * 3, fill.sent)


@test
def clones_keep_their_content():
    """Frames mirrored before the queue show neither cut nor mark."""
    run(f"ip -n {A} link add vm type veth peer name vn")
    for dev in ("vm", "vn"):
        run(f"ip -n {A} link set {dev} mtu 9000 up")
    if tc(f"add dev {DEV} clsact", ok=False).returncode or run(
            f"tc -n {A} filter add dev {DEV} egress matchall action "
            "mirred egress mirror dev vm", ok=False).returncode:
        run(f"ip -n {A} link del vm")
        return "no clsact or mirred"
    try:
        for version in (4, 6):
            add("trim 2500 ecn step 1500 share 100")
            packets = [uet(1000, version, i) for i in range(4)]
            with Tap(A, "vn") as mirror:
                fill = Fill([frame(p) for p in packets])
                seen = mirror.frames(5)[1:5]
            same(seen, [frame(p) for p in packets], "mirrored")
            want = [trimmed_of(p, 64, TRIMMED) for p in packets[2:]]
            want += [ce_of(packets[0]), packets[1]]
            same(fill.out, [frame(p) for p in want], "sent")
    finally:
        tc(f"del dev {DEV} clsact")
        run(f"ip -n {A} link del vm")
    return None


@test
def device_without_link_layer():
    try:
        fd = open_tun("tun-t")
    except OSError as err:
        return f"no tun: {err.strerror}"
    try:
        run(f"ip -n {A} addr add 10.78.0.1/24 dev tun-t")
        run(f"ip -n {A} link set tun-t up")
        with inside(A):
            sk = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        # Again, if the first was out, after a second, before the last came
        for _ in range(10):
            tc("replace dev tun-t root trim trim 1500 share 100 rate 8kbit")
            start = time.monotonic()
            for i in range(4):
                sk.sendto(pattern(972, i), ("10.78.0.2", PORT))
            took = time.monotonic() - start
            tc("change dev tun-t root trim rate 0")
            out = [os.read(fd, 9000) for _ in range(4)]
            if took < 0.9:
                break
        sk.close()
        check([len(p) for p in out] == [1000, 64, 64, 1000],
              [len(p) for p in out])
        for i, packet in enumerate(out):
            check(csum(packet[:20]) == 0, "IPv4 checksum")
            salt = (0, 2, 3, 1)[i]
            check(packet[28:] == pattern(972, salt)[:len(packet) - 28], i)
            check(tos(packet)[0] == (TRIMMED if len(packet) == 64 else 0), i)
    finally:
        os.close(fd)
    return None


# Segmentation, parents

def send_udp_gso(count, seg, dport=PORT):
    with inside(A):
        sk = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with sk:
        sk.setsockopt(socket.IPPROTO_UDP, 103, seg)
        sk.sendto(b"".join(pattern(seg, i) for i in range(count)),
                  (IP4_B, dport))


def check_segments(out, count, seg, full):
    """First `full` segments whole, the others cut and ahead of them."""
    check(len(out) == count, "segments", len(out), "of", count)
    for i, data in enumerate(out):
        cut = i < count - full
        salt = i + full if cut else i - (count - full)
        packet = data[14:]
        check(csum(packet[:20]) == 0, i, "IPv4 checksum")
        check(len(packet) == (64 if cut else seg + 28), i, len(packet))
        check(struct.unpack("!H", packet[24:26])[0] == seg + 8, i, "length")
        check(tos(packet)[0] == (TRIMMED if cut else 0), i, "DSCP")
        check(packet[28:] == pattern(seg, salt)[:len(packet) - 28], i, "data")


@test
def gso_is_segmented():
    run(f"ip netns exec {A} ethtool -K {DEV} tx-udp-segmentation on", False)
    add("trim 3000 share 100")
    fill = Fill([], lambda: send_udp_gso(10, 972), expect=10)
    check_segments(fill.out, 10, 972, 2)
    check(fill.before["qlen"] == 11, "plug and segments", fill.before["qlen"])
    check(fill.after["trims"] == 8, fill.after["trims"])

    add("limit 3000")
    fill = Fill([], lambda: send_udp_gso(10, 972, 5000), expect=2)
    check(len(fill.out) == 2 and fill.after["drops"] == 8, fill.after)


def parents(where, setup_cmds, kind):
    """Backlog and length of the parent are the child's, before and after."""
    for cmd in setup_cmds:
        tc(cmd)
    add("trim 3000 share 100 limit 8000", where)
    frames = [frame(other(500))] + [frame(uet(1000, 4, i)) for i in range(6)]
    frames += [frame(other(900, 4, i)) for i in range(9)]

    def send():
        send_udp_gso(10, 972)
        send_udp_gso(10, 972, 5000)
        time.sleep(0.1)
        child, parent = qdisc_pair(kind)
        check(parent["qlen"] == child["qlen"] and
              parent["backlog"] == child["backlog"], kind, "has",
              parent["qlen"], parent["backlog"], "child", child["qlen"],
              child["backlog"])
        check(child["qlen"] > 15, "child", child["qlen"])

    fill = Fill(frames, send, expect=20)
    check(fill.after["trims"] >= 10, "trims", fill.after["trims"])
    check(fill.after["drops"] > 5, "drops", fill.after["drops"])
    for qdisc in qdisc_pair(kind):
        check(qdisc["qlen"] == 0 and qdisc["backlog"] == 0, qdisc)
    remove()


def qdisc_pair(kind):
    all_of = {q["kind"]: q for q in qdiscs()}
    return all_of["trim"], all_of[kind]


@test
def child_of_prio():
    parents("parent 1:1", [f"replace dev {DEV} root handle 1: prio bands 2 "
                           "priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"], "prio")


@test
def child_of_htb():
    tc(f"replace dev {DEV} root handle 1: htb default 1")
    run(f"tc -n {A} class add dev {DEV} parent 1: classid 1:1 htb "
        "rate 10gbit burst 1mb quantum 9000")
    parents("parent 1:1", [], "htb")


@test
def child_of_tbf():
    """The parent paces: its queue is ours, marks and trims work the same."""
    tc(f"replace dev {DEV} root handle 1: tbf rate 1kbit burst 9100 "
       "limit 1mb")
    add("trim 3000 share 100 ecn step 1000", "parent 1:1")
    packets = [uet(900, 4, i) for i in range(6)]
    with Tap() as tap, Port() as port:
        plug = frame(other(9000))
        for data in [plug] + [frame(p) for p in packets]:
            check(port.send(data), "refused")
        child, parent = qdisc_pair("tbf")
        check(child["trims"] == 2, "trims", child["trims"])
        check(parent["qlen"] == child["qlen"] == 6 and
              parent["backlog"] == child["backlog"], child, parent)
        tc(f"change dev {DEV} root handle 1: tbf rate 1gbit burst 10000 "
           "limit 1mb")
        out = tap.frames(7)
    # The parent took the first one off the queue before the others came.
    want = packets[:1] + [trimmed_of(p, 64, TRIMMED) for p in packets[4:]]
    want += [ce_of(packets[1]), ce_of(packets[2]), packets[3]]
    same(out, [plug] + [frame(p) for p in want], "paced by tbf")
    child, parent = qdisc_pair("tbf")
    check(parent["qlen"] == parent["backlog"] == child["backlog"] == 0,
          child, parent)
    remove()


# A link

@test
def rate_and_delay():
    """Nothing comes earlier than its bits; in virtual time, none later."""
    exact = virtual_time()
    # Kernels run on ticks for a while after boot, then on exact timers.
    time.sleep(2 if exact else 0)
    for rate, bits, count in (("400gbit", 400 * 10 ** 9, 500),
                              ("100gbit", 10 ** 11, 300),
                              ("7gbit", 7 * 10 ** 9, 200),
                              ("100mbit", 10 ** 8, 50)):
        delay, wire_bits = 20000, (4224 + 24) * 8
        add(f"limit 8mb rate {rate} delay {delay}ns overhead 24")
        frames = [frame(other(4210, salt=i)) for i in range(count)]
        with Tap() as tap, Port() as port:
            start = time.time_ns()
            for data in frames:
                check(port.send(data), "refused")
            got = [tap.frame(10) for _ in frames]
        same([g[0] for g in got], frames, rate)
        for i, (_, stamp) in enumerate(got):
            due = start + wire_bits * (i + 1) * 10 ** 9 // bits + delay
            check(stamp >= due, rate, "packet", i, "early by", due - stamp)
            check(not exact or stamp <= due + TIMER_SLACK_NS, rate, "packet",
                  i, "late by", stamp - due)
        check(show()["qlen"] == 0, "left over")


@test
def delay_keeps_order():
    """Also when it gets shorter while packets are on their way."""
    add("delay 300ms")
    frames = [frame(other(200, salt=i)) for i in range(40)]
    with Tap() as tap, Port() as port:
        for i, data in enumerate(frames):
            port.send(data)
            if i == 20:
                change("delay 1ms")
        same(tap.frames(40), frames, "order")


@test
def loss_is_seeded():
    frames = [frame(other(100, salt=i % 7) + struct.pack("!H", i))
              for i in range(1000)]

    def survivors(seed):
        add(f"loss 10% seed {seed} limit 8mb")
        with Tap() as tap, Port() as port:
            check(all(port.send(f) for f in frames), "sender learns of a loss")
            lost = show()["lost"]
            out = tap.frames(len(frames) - lost)
        check(lost == len(frames) - len(out) == show()["drops"], lost)
        check(60 <= lost <= 150, "lost", lost)
        return out

    first, again, different = survivors(42), survivors(42), survivors(43)
    check(first == again, "same seed, different losses")
    check(first != different, "different seeds, same losses")


@test
def blackhole():
    frames = [frame(uet(200, salt=i, dscp=d)) for i, d in
              enumerate((0, TRIMMED, CONTROL, 0))]
    add("limit 1mb")
    for args, want in (("data", frames[1:3]), ("all", []), ("off", frames)):
        change(f"blackhole {args}")
        with Tap() as tap, Port() as port:
            check(all(port.send(f) for f in frames), "sender learns of it")
            same(tap.frames(len(want)), want, args)
    check(show()["blackholed"] == 6, show()["blackholed"])


@test
def reset_with_backlog():
    add("trim 3000 rate 8kbit delay 10s")
    for _ in range(3):
        with Port() as port:
            for i in range(20):
                port.send(frame(uet(1000, salt=i)))
            check(show()["qlen"] == 20, "queued", show()["qlen"])
            run(f"ip -n {A} link set {DEV} down")
            run(f"ip -n {A} link set {DEV} up")
        st = show()
        check(st["qlen"] == st["backlog"] == st["wire_qlen"] == 0, st)
        check(st["data"]["backlog"] == st["trimmed"]["backlog"] == 0, st)
    run(f"ip -n {A} neigh replace {IP4_B} lladdr {mac(MAC_B)} dev {DEV}")
    change("rate 0 delay 0")
    frames = [frame(other(300))]
    with Tap() as tap, Port() as port:
        port.send(frames[0])
        same(tap.frames(1), frames, "after the reset")


# Traffic

def tcp_transfer(size):
    """Moves bytes from A to B; returns the longest frame that B saw."""
    data = os.urandom(1 << 16) * (size >> 16)
    got = hashlib.sha256()
    with inside(B):
        server = socket.create_server((IP4_B, 5001))
    with inside(A):
        client = socket.socket()

    def receive():
        conn, _ = server.accept()
        with conn:
            while chunk := conn.recv(1 << 18):
                got.update(chunk)

    longest = 0
    with server, client, Tap() as tap:
        thread = threading.Thread(target=receive)
        thread.start()
        client.settimeout(60)
        client.connect((IP4_B, 5001))
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        thread.join(60)
        check(not thread.is_alive(), "transfer hangs")
        while (seen := tap.frame(0.1)[0]) is not None:
            longest = max(longest, len(seen))
    check(got.digest() == hashlib.sha256(data).digest(), "content differs")
    return longest


@test
def tcp_sees_an_ecn_queue():
    for ns in (A, B):
        with inside(ns):
            open("/proc/sys/net/ipv4/tcp_ecn", "w").write("1")
    # No guest is slower than that
    add("limit 500kb ecn step 40kb trim 100kb rate 20mbit delay 50us")
    tcp_transfer(TCP_ECN_BYTES)
    st = show()
    check(st["marks"] > 0, "no marks")
    check(st["trims"] == 0, "TCP was trimmed")
    check(st["drops"] == 0, "drops", st["drops"])
    check(st["data"]["peak"] > 40960, "no queue", st["data"]["peak"])


@test
def tcp_gso_is_segmented():
    for dev, ns in ((DEV, A), (PEER, B)):
        run(f"ip -n {ns} link set {dev} mtu 1500")
    run(f"ip netns exec {A} ethtool -K {DEV} tso on gso on")
    try:
        add("limit 1mb")
        longest = tcp_transfer(1 << 20)
    finally:
        for dev, ns in ((DEV, A), (PEER, B)):
            run(f"ip -n {ns} link set {dev} mtu 9000")
    check(longest == 1514, "longest frame", longest)
    st = show()
    check(st["data"]["packets"] >= (1 << 20) // 1448, st["data"])


def flood(stop, sent):
    """Everything at once, until told to stop."""
    frames = [frame(uet(1000, v, ecn=i % 4, native=bool(i & 4)))
              for v in (4, 6) for i in range(8)]
    frames += [frame(uet(64, dscp=d)) for d in (CONTROL, TRIMMED)]
    frames += [frame(other(1400)), frame(arp(), proto=ETH_P_ARP),
               frame(uet(900), tags=((ETH_P_8021Q, 5),))]
    with Port() as port:
        port.sk.setblocking(False)
        while not stop.is_set():
            for data in frames:
                try:
                    sent[0] += port.send(data)
                except OSError:
                    # The device may be down or gone by now.
                    time.sleep(0.001)
            try:
                send_udp_gso(10, 972)
            except OSError:
                time.sleep(0.001)
            time.sleep(0.0005)


class Flood:
    def __enter__(self):
        self.stop, self.sent = threading.Event(), [0]
        self.thread = threading.Thread(target=flood,
                                       args=(self.stop, self.sent))
        self.thread.start()
        return self.sent

    def __exit__(self, *exc):
        self.stop.set()
        self.thread.join()


@test
def change_under_traffic():
    add("limit 100kb rate 50mbit delay 1ms trim 20kb ecn min 5kb max 15kb")
    variants = ("rate 1gbit", "delay 0", "rate 0", "trim 1kb", "notrim",
                "loss 50%", "loss 0", "limit 30kb", "ecn step 0", "noecn",
                "delay 5ms", "rate 100mbit", "share 1", "share 100",
                "limit 100kb trim 0", "blackhole data", "blackhole all",
                "blackhole off", "size 200 lasthop", "dscp none", "dscp 0,1",
                "size 64 nolasthop seed 5", "rate 10mbit delay 0")
    with Flood() as sent:
        for _ in range(3):
            for args in variants:
                change(args)
                time.sleep(0.005)
        check(sent[0] > 100, "no traffic", sent[0])
        change("blackhole off loss 0 rate 1gbit delay 0")
    deadline = time.monotonic() + 20
    while show()["qlen"] and time.monotonic() < deadline:
        time.sleep(0.1)
    st = show()
    check(st["qlen"] == st["backlog"] == st["wire_bytes"] == 0, st)
    check(st["trims"] > 0 and st["marks"] > 0 and st["lost"] > 0, st)


@test
def removal_under_traffic():
    with Flood():
        for i in range(15):
            add("limit 100kb rate 20mbit delay 1ms trim 10kb")
            time.sleep(0.01)
            if i % 3 == 0:
                run(f"ip -n {A} link set {DEV} down")
                run(f"ip -n {A} link set {DEV} up")
            elif i % 3 == 1:
                remove()
            else:
                tc(f"replace dev {DEV} root pfifo")
        add("limit 100kb rate 20mbit delay 1ms trim 10kb")
        time.sleep(0.02)
        run(f"ip -n {A} link del {DEV}")
    teardown()
    refs = "/sys/module/sch_trim/refcnt"
    deadline = time.monotonic() + 10
    while open(refs).read().strip() != "0":
        check(time.monotonic() < deadline, "module is held")
        time.sleep(0.1)
    setup()


def kernel_splats():
    text = subprocess.run(["dmesg"], capture_output=True, text=True).stdout
    words = ("BUG:", "WARNING:", "KASAN:", "UBSAN:", "possible circular",
             "suspicious RCU", "inconsistent lock")
    return [line for line in text.splitlines() if any(w in line
                                                      for w in words)]


def main():
    chosen = [t for t in TESTS if not sys.argv[1:] or
              t.__name__ in sys.argv[1:]]
    print("KTAP version 1\n1.." + str(len(chosen)), flush=True)
    failed = 0
    old_splats = len(kernel_splats())
    setup()
    for number, func in enumerate(chosen, 1):
        skip = None
        try:
            remove(ok=False)
            skip = func()
            splats = kernel_splats()[old_splats:]
            old_splats += len(splats)
            check(not splats, "kernel says", splats[:1])
            verdict = "ok"
        except Exception as err:  # any error is a failed test
            if not isinstance(err, Failure):
                print("# " + traceback.format_exc().replace("\n", "\n# "))
            print(f"# {func.__name__}: {err}")
            verdict, failed = "not ok", failed + 1
        print(f"{verdict} {number} {func.__name__}" +
              (f" # SKIP {skip}" if skip else ""), flush=True)
    teardown()
    print(f"# {len(chosen) - failed} of {len(chosen)} passed")
    return 1 if failed else 0


sys.exit(main())
