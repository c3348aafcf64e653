#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""FEPs, PDCs, congestion control contexts, paths and ports by netlink.

    netlink_objects.py CASE [ARGUMENT...]
"""
import errno
import json
import os
import socket
import sys
import time

from uet_ynl import addr, family, refused, same

A4, B4, A6, B6 = "10.0.0.1", "10.0.0.2", "fd00::1", "fd00::2"
OBJECTS = ("fep", "pdc", "ccc", "path", "port")
KERNEL = tuple(int(n) for n in os.uname().release.split(".")[:2])


def dump(uet, what, **filters):
    return uet.dump(f"{what}-get", {"filter": filters} if filters else {})


def one(uet, what, **filters):
    return uet.do(f"{what}-get", {"filter": filters})


def proc_paths():
    """{(context, value, state): packets sent} of /proc/net/uet_path"""
    with open("/proc/net/uet_path") as f:
        lines = [line.split() for line in f][1:]
    return {(int(w[3]), int(w[5]), w[6]): int(w[8]) for w in lines}


def objects(ifindex, info):
    uet = family()
    ifindex = int(ifindex)
    with open(info) as f:
        info = json.loads(f.readline())
    feps = dump(uet, "fep")
    assert {f["ifindex"] for f in feps} == {ifindex}, feps
    assert all(f["udp-port"] == 4793 for f in feps), feps
    assert sorted(same(f["addr"], A4) for f in feps) == [False, True], feps
    pdcs = dump(uet, "pdc")
    for f in feps:
        mine = [p for p in pdcs if p["local"] == f["addr"]]
        assert f["pdcs"] == len(mine) and f["peers"] == 1, (f, pdcs)
    cccs = {c["id"]: c for c in dump(uet, "ccc")}
    assert len(pdcs) == len(cccs) == 3, (pdcs, cccs)
    for p in pdcs:
        tx, c = p["tx"], cccs[p["tx"]["ccc"]]
        assert p["initiator"] and p["remote-id"] and tx["state"] == "established", p
        assert tx["una"] == tx["next"] and not tx["msgs"] and not tx["held"], p
        assert tx["wait"] == "nothing" and not tx["wait-ns"], p
        assert not tx["error"] and tx["rto"] >= 1000000 and tx["mpr"], p
        assert (p["local"], p["remote"]) == (c["local"], c["remote"]), (p, c)
        assert ("sprayed" in c) == (p["mode"] == "rud"), (p, c)
        assert c["state"] == "idle" and c["wait"] == "nothing", c
        assert not c["inflight"] and not c["backlog"] and c["rtt"], c
        assert c["sent-pkts"] >= 36 and c["sent-bytes"] > 150000 and c["acks"], c
        assert c["ports"] == 1 and not c["ports-down"] and c["path-mtu"] == 4224, c
        assert c["mtu"] > 4096 and c["link-mbps"] and "hole-bytes" not in c, c
    jobs = sorted((p["job"], p["mode"]) for p in pdcs)
    assert jobs == [(0, "rod"), (0, "rud"), (7, "rud")], jobs
    rud = [c for c in cccs.values() if "sprayed" in c and same(c["remote"], B4)]
    assert len(rud) == 1 and rud[0]["cc"] == "nscc", rud
    for key, name in (("policy", "path-policy"), ("paths", "paths"),
                      ("paths_bad", "paths-bad"), ("ports", "ports"),
                      ("ports_down", "ports-down"), ("cwnd", "cwnd")):
        if key in info:
            assert info[key] == rud[0][name], (key, info, rud[0])
    paths = dump(uet, "path")
    told = {(p["ccc"], p["ev"], p["state"]): p["sent"] for p in paths}
    for key, sent in proc_paths().items():
        assert told.get(key) == sent, (key, sent)
    for c in cccs.values():
        mine = [p for p in paths if p["ccc"] == c["id"]]
        assert len(mine) >= c["paths"], (c, len(mine))
        assert len({p["ev"] for p in mine if p["state"] != "gone"}) == \
            len([p for p in mine if p["state"] != "gone"]), "twice"
        assert sum(p["sent"] for p in mine) <= c["sent-pkts"], c
        assert sum(p["sent"] for p in mine) > 0, c
    ports = dump(uet, "port")
    assert len(ports) == 2, ports
    for p in ports:
        assert p["ifindex"] == ifindex and p["up"] and p["mtu"] == 4224, p
        assert p["via"] == p["remote"] and p["via-state"] & 0xde, p


def other_end():
    uet = family()
    pdcs = dump(uet, "pdc")
    assert len(pdcs) == 3 and not dump(uet, "ccc"), pdcs
    for p in pdcs:
        rx = p["rx"]
        assert "tx" not in p and "initiator" not in p and p["remote-id"], p
        assert rx["state"] == "established" and rx["cack"] == rx["top"], p
        assert rx["rcvd-bytes"] > 150000 and not rx["msgs"], p
        assert "refused" not in rx and "unconfirmed" not in rx, p


def expect(uet, what, n, **filters):
    got = dump(uet, what, **filters)
    assert len(got) == n, (what, filters, got)
    if n:
        assert one(uet, what, **filters).keys() == got[0].keys(), got
    else:
        assert refused(one, uet, what, **filters)[0] == errno.ENOENT
    return got


def filters(ifindex):
    uet = family()
    ifindex = int(ifindex)
    ten = {"remote": addr("10.0.0.0"), "remote-plen": 120}
    expect(uet, "pdc", 2, **ten)
    expect(uet, "pdc", 1, remote=addr(B6))
    expect(uet, "pdc", 0, remote=addr("10.0.0.9"))
    expect(uet, "pdc", 2, local=addr(A4))
    expect(uet, "pdc", 1, job=7)
    expect(uet, "pdc", 3, state="established")
    expect(uet, "pdc", 0, state="closing")
    expect(uet, "pdc", 0, waiting=True)
    p = dump(uet, "pdc")[0]
    expect(uet, "pdc", 1, id=p["id"], local=addr_of(p["local"]))
    expect(uet, "pdc", 1, ccc=p["tx"]["ccc"])
    expect(uet, "ccc", 2, **ten)
    expect(uet, "ccc", 1, local=addr(A6))
    expect(uet, "ccc", 1, ccc=p["tx"]["ccc"])
    expect(uet, "ccc", 0, ccc=1 << 60)
    expect(uet, "ccc", 0, waiting=True)
    expect(uet, "fep", 1, local=addr(A4))
    expect(uet, "fep", 2, ifindex=ifindex)
    expect(uet, "fep", 0, ifindex=ifindex + 1000)
    expect(uet, "port", 1, **ten)
    expect(uet, "port", 1, local=addr(A6), ifindex=ifindex)
    assert dump(uet, "path", ccc=p["tx"]["ccc"])
    assert all(q["ccc"] == p["tx"]["ccc"]
               for q in dump(uet, "path", ccc=p["tx"]["ccc"]))
    for q in dump(uet, "path", **{"path-state": "current"}):
        assert q["state"] == "current", q
    expect(uet, "path", 0, **{"path-state": "down"})
    wrong = {"fep": {"job": 1}, "pdc": {"inode": 1}, "ccc": {"job": 1},
             "path": {"waiting": True}, "port": {"pid": 1}}
    for what in OBJECTS:
        (name, value), = wrong[what].items()
        for call in (dump, one):
            err, ack = refused(call, uet, what, **{name: value})
            assert err == errno.EOPNOTSUPP, (what, name, err)
            # Dumps of older kernels tell the message alone
            if call is one or KERNEL >= (6, 9):
                assert ack.get("bad-attr") == f".filter.{name}", (what, ack)
            else:
                assert "does not apply" in ack["msg"], (what, ack)


def addr_of(told):
    return addr(told.replace("::ffff:", "") if "." in told else told)


def waits(cause, slow, ready=None):
    """Until a context and its PDC wait for a cause, and for a while already"""
    uet = family()
    # Only now shall the wait begin: some last for seconds
    if ready:
        with open(ready, "w"):
            pass
    start = time.monotonic()
    end = start + 20 * int(slow)
    while True:
        cccs = dump(uet, "ccc", waiting=True)
        pdcs = dump(uet, "pdc", waiting=True)
        # No older than the wait can be: the sender started a moment ago
        limit = (time.monotonic() - start + 10 * int(slow)) * 1e9
        both = [(c, p) for c in cccs for p in pdcs
                if p["tx"]["ccc"] == c["id"] and
                c["wait"] == p["tx"]["wait"] == cause]
        for c, p in both:
            assert c["wait-ns"] < limit and p["tx"]["wait-ns"] < limit, (c, p)
            if min(c["wait-ns"], p["tx"]["wait-ns"]) >= 50000000:
                return
        assert time.monotonic() < end, (
            [(c["id"], c["wait"], c["wait-ns"], c["state"]) for c in cccs],
            [p["tx"] for p in pdcs])
        time.sleep(0.02)


def come_and_go(n):
    """PDCs that are there before and after a dump are in it once"""
    uet = family()
    def ids():
        got = [(p["local"], p["id"], p["tx"]["ccc"]) for p in dump(uet, "pdc")
               if "tx" in p]
        assert len(set(got)) == len(got), "some were told twice"
        return set(got)
    sets = [ids() for _ in range(4)]
    assert len(sets[0]) >= int(n), (len(sets[0]), n)
    flows = [c["id"] for c in dump(uet, "ccc")]
    assert len(flows) == len(set(flows)) >= int(n), len(flows)
    for a, b, c in zip(sets, sets[1:], sets[2:]):
        assert a & c <= b, f"{len((a & c) - b)} were left out"


def half_read(ready):
    """Begin a dump, say which process does, and read no more of it"""
    uet = family()
    uet.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    real = uet.sock.recv
    def stop(*args):
        data = real(*args)
        with open(ready + ".new", "w") as f:
            f.write(str(os.getpid()))
        os.rename(ready + ".new", ready)
        time.sleep(600)
        return data
    class Sock:
        def __getattr__(self, name):
            return getattr(sock, name)
        def recv(self, *args, **kw):
            return stop(*args)
    sock, uet.sock = uet.sock, Sock()
    dump(uet, "pdc")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
