#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Settings, rules for peers and counters by netlink.

    netlink.py CASE
"""
import errno
import os
import re
import socket
import struct
import sys

from uet_ynl import NlError, addr, family, refused, same

SYSCTL = "/proc/sys/net/uet"


def sysctl(name):
    with open(os.path.join(SYSCTL, name)) as f:
        return f.read().strip()


def value(p):
    return str(p["number"] if "number" in p else p.get("word"))


def params():
    """All settings are those of sysctl, and change with them"""
    uet = family()
    told = {p["name"]: p for p in uet.dump("param-get", {})
            if "net" in p["scope"]}
    assert set(told) == set(os.listdir(SYSCTL)), set(told) ^ set(os.listdir(SYSCTL))
    for name, p in told.items():
        assert value(p) == sysctl(name), (p, sysctl(name))
        assert p["unit"] and p["help"], p
        if p["kind"] == "word":
            assert p["word"] == p["default-word"], p
        elif "machine" not in p["traits"]:
            assert p["number"] == p["default"], p
    one = uet.do("param-get", {"name": "t_reroute"})
    assert one == told["t_reroute"], one
    for p in uet.dump("param-get", {}):
        assert ("choice" in p) == (p["kind"] == "word"), p
        # Of peers alone: not set by default
        assert p["kind"] != "word" or "net" not in p["scope"] or \
            p["default-word"] in p["choice"], p
    some = uet.dump("param-get", {"name": "nscc_"})
    assert len(some) > 10 and all(p["name"].startswith("nscc_") for p in some)


def set_params():
    """What the table allows is set, what it does not is refused with the range"""
    uet = family()
    for p in uet.dump("param-get", {}):
        if "net" not in p["scope"] or p["kind"] == "word":
            continue
        name = p["name"]
        # Hooks and sockets change with these
        ends = [] if name in ("udp_port", "mem") else \
            [p[k] for k in ("least", "most") if k in p]
        for v in ends:
            uet.do("param-set", {"name": name, "number": v})
            assert sysctl(name) == str(v), (name, v, sysctl(name))
        uet.do("param-set", {"name": name, "number": p["number"]})
        for v in [p[k] + d for k, d in (("least", -1), ("most", 1)) if k in p]:
            if not v and "or-zero" in p["traits"]:
                continue
            err, ack = refused(uet.do, "param-set", {"name": name, "number": v})
            assert err == errno.EINVAL, (name, v, err)
            assert ack["bad-attr"] == ".number", ack
            policy = ack["policy"]
            assert policy["min-value"] == p["least"], (policy, p)
            assert policy["max-value"] == p.get("most", 2 ** 63 - 1), (policy, p)
            assert ack["msg"].startswith(f"{name} takes {p['least']} "), ack
            assert sysctl(name) == str(p["number"])
    uet.do("param-set", {"name": "path_policy", "word": "reps"})
    assert sysctl("path_policy") == "reps"
    for bad, why, attr in (
            ({"name": "path_policy", "word": "nothing"}, errno.EINVAL, ".word"),
            ({"name": "path_policy", "number": 1}, errno.EINVAL, None),
            ({"name": "t_reroute", "word": "x"}, errno.EINVAL, None),
            ({"name": "t_reroute", "word": "x", "number": 1}, errno.EINVAL, None),
            ({"name": "entropy_size", "number": 3}, errno.EINVAL, ".number"),
            ({"name": "entropy_siz", "number": 4}, errno.ENOENT, ".name"),
            ({"number": 4}, errno.EINVAL, None)):
        err, ack = refused(uet.do, "param-set", bad)
        assert err == why and ack.get("bad-attr") == attr, (bad, err, ack)
    for p in uet.dump("param-get", {}):
        if p["kind"] != "word" or "net" not in p["scope"]:
            continue
        for word in p["choice"] + [p["word"]]:
            uet.do("param-set", {"name": p["name"], "word": word})
            assert sysctl(p["name"]) == word
        err, ack = refused(uet.do, "param-set", {"name": p["name"], "word": "x"})
        assert ack["msg"].endswith(", ".join(p["choice"])), ack
    uet.do("param-set", {"name": "path_policy", "word": "hybrid"})
    # The UDP port is taken: a valid value, but not now
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as s:
        s.bind(("::", 0))
        err, ack = refused(uet.do, "param-set", {
            "name": "udp_port", "number": s.getsockname()[1]})
        assert err == errno.EADDRINUSE and ack["bad-attr"] == ".number", (err, ack)
        assert ack["msg"], ack


def rule(uet, prefix, plen):
    got = uet.do("peer-get", {"prefix": addr(prefix), "plen": plen})
    return {s["name"]: s["number"] if "number" in s else s["word"]
            for s in got["setting"]}


def number(name, v):
    return {"name": name, "number": v}


def rules():
    """Rules are made, changed, found by prefix and deleted"""
    uet = family()
    ten = {"prefix": addr("10.1.0.0"), "plen": 112}
    uet.do("peer-new", {**ten, "setting": [number("base_rtt_us", 8),
                                          {"name": "congestion_control",
                                           "word": "rccc"}]})
    assert rule(uet, "10.1.0.0", 112) == {"base_rtt_us": 8,
                                          "congestion_control": "rccc"}
    err, ack = refused(uet.do, "peer-new", {**ten, "setting": [number("t_reroute", 1)]})
    assert err == errno.EEXIST and ack["bad-attr"] == ".prefix", ack
    uet.do("peer-set", {**ten, "setting": [number("trust_jobs", 0),
                                          number("base_rtt_us", 9)],
                        "unset": ["congestion_control"]})
    assert rule(uet, "10.1.0.0", 112) == {"base_rtt_us": 9, "trust_jobs": 0}
    uet.do("peer-set", {"prefix": addr("10.1.7.1"),
                        "setting": [number("link_mbps", 100000)]})
    uet.do("peer-set", {"prefix": addr("fd00:1::"), "plen": 64,
                        "setting": [number("nscc_max_wnd", 100000)]})
    told = [(r["prefix"], r["plen"]) for r in uet.dump("peer-get", {})]
    assert [n for _, n in told] == [128, 112, 64], told
    assert same(told[0][0], "10.1.7.1"), told
    inside = uet.dump("peer-get", ten)
    assert [r["plen"] for r in inside] == [128, 112], inside
    with open("/proc/net/uet_peer") as f:
        text = f.read()
    assert "10.1.0.0/16 base_rtt_us 9 trust_jobs 0\n" in text, text
    for bad, why, attr in (
            ([number("base_rtt_us", -1)], errno.ERANGE, ".setting.number"),
            ([{"name": "base_rtt_us", "word": "x"}], errno.EINVAL, ".setting.name"),
            ([{"name": "path_policy", "word": "x"}], errno.EINVAL, ".setting.word"),
            ([{"name": "path_policy_ordered", "word": "hybrid"}], errno.EINVAL,
             ".setting.word"),
            ([number("udp_port", 1)], errno.ENOENT, ".setting.name"),
            ([{"number": 1}], errno.EINVAL, ".setting"),
            ([], errno.EINVAL, None)):
        err, ack = refused(uet.do, "peer-set", {"prefix": addr("10.9.0.0"),
                                                "plen": 112, "setting": bad})
        assert err == why and ack.get("bad-attr") == attr, (bad, err, ack)
    err, ack = refused(uet.do, "peer-set", {**ten, "setting": [
        number("base_rtt_us", 1), number("nscc_eta", 1 << 40)]})
    assert rule(uet, "10.1.0.0", 112)["base_rtt_us"] == 9, "half of it was done"
    err, _ = refused(uet.do, "peer-set", {"prefix": addr("10.1.0.1"), "plen": 112,
                                          "setting": [number("t_reroute", 1)]})
    assert err == errno.EINVAL
    uet.do("peer-del", ten)
    assert refused(uet.do, "peer-del", ten)[0] == errno.ENOENT
    assert refused(uet.do, "peer-get", ten)[0] == errno.ENOENT
    for prefix, plen in (("10.1.7.1", 128), ("fd00:1::", 64)):
        uet.do("peer-del", {"prefix": addr(prefix), "plen": plen})
    assert not uet.dump("peer-get", {})


def every_setting():
    """A rule has each setting that the table allows, alone and with all others"""
    uet = family()
    ten = {"prefix": addr("10.1.0.0"), "plen": 112}
    want = {}
    for p in uet.dump("param-get", {}):
        if "peer" not in p["scope"]:
            continue
        words = [{"name": p["name"], "word": w} for w in p.get("choice", [])]
        numbers = [number(p["name"], p[k]) for k in ("least", "most") if k in p]
        for s in words or numbers:
            try:
                uet.do("peer-set", {**ten, "setting": [s]})
            except NlError as e:
                # Valid by itself, but not with what the others are now
                assert -e.nl_msg.error in (errno.EINVAL, errno.ERANGE), (s, e)
                continue
            want[p["name"]] = s.get("word", s.get("number"))
            assert rule(uet, "10.1.0.0", 112) == want, s
        assert p["name"] in want, f"{p['name']} takes none of its limits"
    assert len(want) > 25, want
    dumped, = uet.dump("peer-get", {})
    assert dumped == uet.do("peer-get", ten), "do and dump differ"
    # Each goes by itself, the last made first: nothing depends on a later one
    for name in reversed(list(want)):
        if len(want) == 1:
            err, ack = refused(uet.do, "peer-set", {**ten, "unset": [name]})
            assert err == errno.EINVAL and ack["msg"], ack
            break
        uet.do("peer-set", {**ten, "unset": [name]})
        del want[name]
        assert rule(uet, "10.1.0.0", 112) == want, name
    uet.do("peer-del", ten)


def headers():
    """Nothing in a header is ignored: neither reserved bits nor unknown flags"""
    uet = family()
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16) as s:
        for flags, reserved, err in ((5, 0, 0), (5, 1, errno.EINVAL),
                                     (5 | 0x400, 0, errno.EINVAL),
                                     (5 | 0x100, 0, errno.EINVAL)):
            op = uet.ops["stats-get"].req_value
            body = struct.pack("BBH", op, 1, reserved)
            s.send(struct.pack("IHHII", 16 + len(body), uet.nlproto.family_id,
                               flags, 1, 0) + body)
            told = 0
            while True:
                data = s.recv(1 << 16)
                if struct.unpack_from("H", data, 4)[0] == 2:
                    told = -struct.unpack_from("i", data, 16)[0]
                    break
            assert told == err, (hex(flags), reserved, told)


def many_rules():
    """As many rules as there may be: a dump of several messages has each once"""
    uet = family()
    for i in range(1024):
        uet.do("peer-set", {"prefix": addr(f"fd02::{i:x}"),
                            "setting": [number("base_rtt_us", 1000 + i)]})
    err, ack = refused(uet.do, "peer-set", {"prefix": addr("fd02::ffff"),
                                            "setting": [number("t_reroute", 1)]})
    assert err == errno.ENOSPC and ack["msg"], (err, ack)
    got = [r["setting"][0]["number"] for r in uet.dump("peer-get", {})]
    assert got == [1000 + i for i in range(1024)], len(got)
    for i in range(1024):
        uet.do("peer-del", {"prefix": addr(f"fd02::{i:x}")})


def stats():
    """The counters are those of /proc/net/uet_stat"""
    uet = family()
    told = uet.do("stats-get", {})
    with open("/proc/net/uet_stat") as f:
        lines = dict(line.split() for line in f)
    names = [c["name"] for c in told["counter"] + told["gauge"]]
    assert names == list(lines), set(names) ^ set(lines)
    dumped = uet.dump("stats-get", {})
    assert [(k, c["name"]) for m in dumped for k, cs in m.items() for c in cs] == \
        [(k, c["name"]) for k in ("counter", "gauge") for c in told[k]], dumped
    assert all(len(m) == 1 for m in dumped), dumped
    few = uet.dump("stats-get", {"name": "Cur"})
    assert [m["gauge"][0]["name"] for m in few] == ["CurPdcs", "CurMem"], few
    some = uet.do("stats-get", {"name": "Drop"})
    assert "gauge" not in some and len(some["counter"]) > 10
    assert all(c["name"].startswith("Drop") for c in some["counter"])


def unprivileged():
    """Everybody reads, nobody else writes"""
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    uet = family()
    uet.do("stats-get", {})
    uet.dump("param-get", {})
    uet.dump("peer-get", {})
    for op, what in (("param-set", {"name": "t_reroute", "number": 1}),
                     ("peer-set", {"prefix": addr("10.0.0.0"),
                                   "setting": [number("t_reroute", 1)]}),
                     ("peer-new", {"prefix": addr("10.0.0.0"),
                                   "setting": [number("t_reroute", 1)]}),
                     ("peer-del", {"prefix": addr("10.0.0.0")})):
        assert refused(uet.do, op, what)[0] == errno.EPERM, op


def owner():
    """The owner of a user namespace writes in its network namespaces"""
    uet = family()
    before = uet.do("param-get", {"name": "pdc_max"})
    uet.do("param-set", {"name": "t_reroute", "number": 77})
    assert sysctl("t_reroute") == "77"
    assert "capped" in before["traits"]
    err, ack = refused(uet.do, "param-set",
                       {"name": "pdc_max", "number": before["most"] + 1})
    assert err == errno.EINVAL, err
    assert ack["policy"]["max-value"] == before["most"], ack
    uet.do("peer-set", {"prefix": addr("10.0.0.0"), "setting": [number("t_reroute", 1)]})


def written(name, v):
    """What the sysctl says to a value: 0 or an errno"""
    try:
        with open(os.path.join(SYSCTL, name), "w") as f:
            f.write(str(v))
    except OSError as e:
        return e.errno
    return 0


def narrow(path):
    """Each setting in a namespace of a user: the ranges of the page, by both ways"""
    uet = family()
    with open(path) as f:
        page = dict(re.findall(r"^``(\w+)``\n\t(.*)$", f.read(), re.M))
    floors = {n: int(m[1]) for n, text in page.items()
              if (m := re.search(r"; floor (\d+)", text))}
    assert floors, page
    for p in uet.dump("param-get", {}):
        if "net" not in p["scope"] or p["kind"] == "word":
            continue
        name, before = p["name"], p["number"]
        assert floors.get(name, p["least"]) == p["least"], p
        for v in [p["least"]] + ([p["most"]] if "most" in p else []):
            if name in ("udp_port", "mem"):
                continue
            assert not written(name, v), (name, v)
            assert sysctl(name) == str(v), (name, v)
        uet.do("param-set", {"name": name, "number": before})
        for v in [p[k] + d for k, d in (("least", -1), ("most", 1)) if k in p]:
            if not v and "or-zero" in p["traits"]:
                continue
            assert written(name, v) == errno.EINVAL, (name, v)
            err, ack = refused(uet.do, "param-set", {"name": name, "number": v})
            assert err == errno.EINVAL, (name, v, err)
            assert ack["policy"]["min-value"] == p["least"], (ack, p)
            assert sysctl(name) == str(before), name
    for profile in "spec", "module":
        assert not written("profile", profile)
        for name, floor in floors.items():
            assert int(sysctl(name)) >= floor, name


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
