#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What netlink tells of sockets, queues, messages and failures, and its events.

    netlink_sock.py NETNS_A NETNS_B ADDR_A ADDR_B [CASE...]

The program sits in both namespaces in turn. Prints a line per case: name, tab,
what went wrong or nothing.
"""
import contextlib
import ctypes
import errno
import ipaddress
import json
import os
import resource
import socket
import struct
import subprocess
import sys
import time
import traceback

from uet_ynl import NlError, addr as wire, family, refused, same

NS_A, NS_B, ADDR_A, ADDR_B = sys.argv[1:5]

SO_SNDBUFFORCE, SO_RCVBUFFORCE = 32, 33
AF_UET = int(os.environ.get("UET_FAMILY", 25))
SOCK_RDM, SOCK_SEQPACKET = 4, 5
SOL_UET, UET_CC, UET_TRAFFIC_CLASS = 300, 2, 5
# family, flags, job, PIDonFEP, RI, initiator, scope, reserved, address
ADDR = struct.Struct("=HHIHHIII16s")
CLONE_NEWNET = 0x40000000
NETLINK_GENERIC, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP = 16, 270, 1
WAIT_S = 60 * int(os.environ.get("SLOW", "1"))
PID = 200

libc = ctypes.CDLL(None, use_errno=True)


def enter(netns):
    with open(f"/run/netns/{netns}") as f:
        if libc.setns(f.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), netns)


def mapped(addr):
    return ipaddress.ip_address("::ffff:" + addr).packed


def name(addr, pid):
    return ADDR.pack(AF_UET, 0, 0, pid, 0, 0, 0, 0,
                     mapped(addr) if addr else bytes(16))


class Uet:
    """A UET socket; Python has no addresses for the family."""

    def __init__(self, kind=SOCK_RDM, pid=0, sndbuf=0, rcvbuf=0):
        self.fd = libc.socket(AF_UET, kind, 0)
        if self.fd < 0:
            raise OSError(ctypes.get_errno(), "socket")
        self.sock = socket.socket(fileno=os.dup(self.fd), family=AF_UET,
                                  type=kind, proto=0)
        os.close(self.fd)
        self.fd = self.sock.fileno()
        if sndbuf:
            self.sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, sndbuf)
        if rcvbuf:
            self.sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, rcvbuf)
        a = name(None, pid)
        if libc.bind(self.fd, a, len(a)):
            raise OSError(ctypes.get_errno(), "bind")

    def connect(self, addr, pid):
        a = name(addr, pid)
        if libc.connect(self.fd, a, len(a)):
            raise OSError(ctypes.get_errno(), "connect")

    def send(self, addr, pid, data, flags=0):
        a = name(addr, pid)
        n = libc.sendto(self.fd, data, len(data), flags, a, len(a))
        if n < 0:
            raise OSError(ctypes.get_errno(), "sendto")
        return n

    @property
    def inode(self):
        return os.fstat(self.fd).st_ino

    def close(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                             struct.pack("ii", 0, 0))
        self.sock.close()


def until(what, text, seconds=WAIT_S):
    end = time.monotonic() + seconds
    while True:
        found = what()
        if found:
            return found
        assert time.monotonic() < end, \
            f"not in time: {text() if callable(text) else text}"
        time.sleep(0.02)


def run(*words):
    subprocess.run(words, check=True)


def tc(netns, *words):
    subprocess.run(["tc", "-n", netns, "qdisc", "del", "dev", "uet0", "root"],
                   stderr=subprocess.DEVNULL, check=False)
    if words:
        run("tc", "-n", netns, "qdisc", "add", "dev", "uet0", "root", "netem",
            "limit", "10000", *words)


CASES = []


def case(f):
    CASES.append(f)
    return f


@contextlib.contextmanager
def sockets(*socks):
    try:
        yield socks
    finally:
        for s in socks:
            s.close()


def dests(nl, **flt):
    return nl.dump("dest-get", {"filter": flt})


def waits_for(nl, sock, why):
    def found():
        return [d for d in dests(nl, inode=sock.inode) if d["wait"] == why]
    return until(found, why)[0]


@case
def socks_are_told():
    enter(NS_A)
    nl = family()
    with sockets(Uet(pid=PID), Uet(SOCK_SEQPACKET, pid=PID + 1)) as (a, b):
        b.connect(ADDR_B, 77)
        for s, kind, pid in (a, "rdm", PID), (b, "seqpacket", PID + 1):
            [t] = nl.dump("sock-get", {"filter": {"inode": s.inode}})
            assert t["type"] == kind and t["local"]["pid"] == pid, t
            assert t["tx-msgs"] == 0 and t["rx-bytes"] == 0, t
            assert "unread-ns" not in t and "rx-refused-ns" not in t, t
        assert t["remote"]["pid"] == 77, t
        assert nl.do("sock-get", {"filter": {"pid": PID}})["inode"] == a.inode
        assert len(nl.dump("sock-get", {"filter": {"remote":
                   mapped(ADDR_B).hex()}})) == 1
    assert not nl.dump("sock-get", {"filter": {"pid": PID}})


@case
def many_socks_once():
    enter(NS_A)
    nl = family()
    socks = [Uet() for _ in range(300)]
    with sockets(*socks):
        told = [s["inode"] for s in nl.dump("sock-get", {})]
        assert len(told) == len(set(told)), "told twice"
        assert {s.inode for s in socks} <= set(told), "some are missing"


@case
def filters_are_strict():
    enter(NS_A)
    nl = family()
    for op, flt in ("sock-get", {"ccc": 1}), ("dest-get", {"ifindex": 1}), \
            ("msg-get", {"path-state": "bad"}):
        try:
            nl.dump(op, {"filter": flt})
        except NlError as e:
            assert e.nl_msg.error == -errno.EOPNOTSUPP, e
        else:
            assert False, f"{op} takes {flt}"


@case
def nobody_answers():
    enter(NS_A)
    nl = family()
    tc(NS_A, "loss", "100%")
    try:
        with sockets(Uet()) as (a,):
            for i in range(3):
                a.send(ADDR_B, PID, bytes(100 * (i + 1)))
            d = waits_for(nl, a, "opening")
            assert d["msgs"] == 3 and d["remote"]["pid"] == PID, d
            assert d["mode"] == "rud", d
            until(lambda: dests(nl, inode=a.inode)[0]["oldest-ns"], "age")
            msgs = nl.dump("msg-get", {"filter": {"inode": a.inode}})
            assert [m["len"] for m in msgs] == [100, 200, 300], msgs
            assert [m["cookie"] for m in msgs] == [0, 1, 2], msgs
            assert {m["direction"] for m in msgs} == {"out"}, msgs
            ages = [m["age-ns"] for m in msgs]
            assert ages == sorted(ages, reverse=True), ages
            few = nl.dump("msg-get", {"limit": 2,
                                      "filter": {"inode": a.inode}})
            assert [m["len"] for m in few] == [100, 200], few
            [s] = nl.dump("sock-get", {"filter": {"inode": a.inode}})
            assert s["tx-msgs"] == 3 and s["tx-bytes"] == 600, s
            assert s["dests"] == 1, s
            pid = s["local"]["pid"]
        # A closed socket with messages left
        left = dests(nl, pid=pid)
        assert left and left[0]["inode"] == 0 and left[0]["msgs"] == 3, left
        msgs = nl.dump("msg-get", {"filter": {"pid": pid}})
        assert [m["inode"] for m in msgs] == [0, 0, 0], msgs
    finally:
        tc(NS_A)


def as_nobody(what):
    """What a user without rights gets, in another process"""
    r, w = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
            os.write(w, json.dumps(what()).encode())
        except BaseException:       # pylint: disable=broad-except
            traceback.print_exc()
        os._exit(0)
    os.close(w)
    with os.fdopen(r) as f:
        text = f.read()
    os.waitpid(pid, 0)
    return json.loads(text)


def secrets(nl):
    """How many PDCs tell the id at the peer, and how many halves their PSNs"""
    pdcs = nl.dump("pdc-get", {})
    halves = [p[h] for p in pdcs for h in ("tx", "rx") if h in p]
    assert halves, "no PDC"
    return [len([1 for p in pdcs if "remote-id" in p])] + \
        [len([1 for h in halves if name in h or other in h])
         for name, other in (("una", "cack"), ("next", "top"))]


def proc_socks():
    """The inodes in /proc/net/uet"""
    with open("/proc/thread-self/net/uet") as f:
        return [int(line.split()[-1]) for line in f.readlines()[1:]]


def seen(nl):
    """What there is, by a number that tells it"""
    return {
        "sock": [s["inode"] for s in nl.dump("sock-get", {})],
        "proc": proc_socks(),
        "dest": [d["inode"] for d in nl.dump("dest-get", {})],
        "msg": [m["inode"] for m in nl.dump("msg-get", {})],
        "pdc": [p["id"] for p in nl.dump("pdc-get", {})],
        "ccc": [c["id"] for c in nl.dump("ccc-get", {})],
        "path": [p["ccc"] for p in nl.dump("path-get", {})],
        "port": [p["remote"] for p in nl.dump("port-get", {})],
        "failure": [f["remote"] for f in nl.dump("failure-get", {})],
    }


def denied(what):
    """The error of what must fail"""
    try:
        what()
    except OSError as e:
        return e.errno
    return 0


@case
def others_are_not_told():
    """A user sees what is his, the administrator all of it"""
    enter(NS_B)
    b = Uet(pid=PID)
    enter(NS_A)
    nl = family()
    with sockets(b, Uet(), Uet(SOCK_SEQPACKET)) as (_, a, ordered):
        a.send(ADDR_B, PID, b"x")
        answered(nl, a)
        with silence():
            a.send(ADDR_B, PID, b"y")
            waits_for(nl, a, "answer")
            ordered.send(ADDR_B, PID, b"y")
            alone = waits_for(nl, ordered, "opening")

            def stranger():
                return seen(family())
            assert not any(as_nobody(stranger).values()), as_nobody(stranger)
            all_of_it = seen(nl)
            assert all(all_of_it[k] for k in all_of_it if k != "failure"), all_of_it

            def user():
                mine = Uet()
                mine.send(ADDR_B, PID, b"z")
                nobody = family()
                # For an answer, or for the window that the loss has narrowed
                until(lambda: nobody.dump("msg-get", {}), lambda: seen(nobody))
                few = seen(nobody)
                cookies = ["cookie" in m for m in nobody.dump("msg-get", {})]
                other = refused(nobody.do, "sock-get",
                                {"filter": {"inode": a.inode}})
                return (mine.inode, few, cookies, secrets(nobody), other[0],
                        denied(Events),
                        denied(lambda: open("/proc/thread-self/net/uet_path")))
            inode, few, cookies, told, *errors = as_nobody(user)
            for kind in "sock", "proc", "dest", "msg":
                assert few[kind] == [inode], (kind, few)
            for kind in "pdc", "ccc", "path", "port":
                assert few[kind], (kind, few)
            assert alone["pdc"] not in few["pdc"], few
            assert alone["ccc"] not in few["ccc"] + few["path"], few
            assert not few["failure"] and cookies == [True], few
            assert told == [0, 0, 0], told
            assert errors == [errno.ENOENT, errno.EPERM, errno.EACCES], errors
            assert all(secrets(nl)), "root sees no secrets"
            [m] = nl.dump("msg-get", {"filter": {"inode": a.inode}})
            assert "cookie" in m, m


@case
def own_failures_are_told():
    """Of the same endpoint, for two users"""
    enter(NS_A)
    nl = family()

    def fails():
        with sockets(Uet()) as (a,):
            a.send(ADDR_B, PID + 50, b"x")
            return until(lambda: [f["count"] for f in family().dump(
                "failure-get", {"filter": {"pid": PID + 50}})], "a failure")
    assert fails() == [1]
    assert as_nobody(fails) == [1]
    told = nl.dump("failure-get", {"filter": {"pid": PID + 50}})
    assert [f["count"] for f in told] == [1, 1], told


@case
def next_hop_is_not_known():
    enter(NS_A)
    nl = family()
    tc(NS_A, "loss", "100%")
    try:
        with sockets(Uet()) as (a,):
            a.send("10.0.0.77", PID, b"x")
            first = waits_for(nl, a, "route")
            until(lambda: dests(nl, waiting=True, inode=a.inode)[0]
                  ["wait-ns"] > first["wait-ns"], "time passes")
    finally:
        tc(NS_A)


@case
def reader_does_not_read():
    enter(NS_B)
    nl_b = family()
    b = Uet(pid=PID, rcvbuf=65536)
    enter(NS_A)
    nl = family()
    with sockets(b, Uet(sndbuf=1 << 20)) as (_, a):
        with contextlib.suppress(OSError):
            for _ in range(200):
                a.send(ADDR_B, PID, bytes(2000), socket.MSG_DONTWAIT)
        d = waits_for(nl, a, "receiver")
        until(lambda: dests(nl, inode=a.inode)[0]["waited-receiver-ns"],
              "time")
        assert d["pdc"] and d["ccc"] and d["local"], d
        [s] = nl_b.dump("sock-get", {"filter": {"inode": b.inode}})
        assert s["rx-ready-bytes"] > 0, s
        assert s["unread-ns"] > 0 and s["rx-refused-ns"] > 0, s
        msgs = nl_b.dump("msg-get", {"filter": {"inode": b.inode}})
        assert msgs and {m["direction"] for m in msgs} == {"in"}, msgs
        assert {m["len"] for m in msgs} == {2000}, msgs
        assert "reader" in {m["wait"] for m in msgs}, msgs
        ages = [m["age-ns"] for m in msgs]
        assert ages == sorted(ages, reverse=True), ages


def receive_buffer(mpr, rcvbuf):
    """What a socket that nobody reads has for a buffer before and after it is full,
    where a context may have @mpr times 128 packets under way."""
    enter(NS_B)
    setting = "/proc/sys/net/uet/mpr"
    with open(setting) as f:
        before = f.read()
    with open(setting, "w") as f:
        f.write(str(mpr))
    nl = family()
    b = Uet(pid=PID, rcvbuf=rcvbuf)
    enter(NS_A)
    a = Uet(sndbuf=64 << 20)
    # A context of its own, since that keeps its receive window
    a.sock.setsockopt(SOL_UET, UET_TRAFFIC_CLASS, mpr)

    def it():
        return nl.dump("sock-get", {"filter": {"inode": b.inode}})[0]

    with sockets(a, b):
        first = it()["rcvbuf"]
        for _ in range(16):
            a.send(ADDR_B, PID, bytes(1 << 20))
        last = until(lambda: it() if it().get("rx-refused-ns") else None, it)
        enter(NS_B)
        with open(setting, "w") as f:
            f.write(before)
    return first, last["rcvbuf"], last["rx-ready-bytes"]


@case
def full_buffer_grows():
    """Up to four times the window of the interface"""
    first, last, unread = receive_buffer(24, 0)
    assert last == 2 * 24 * 128 * 1024 > first, (first, last)
    assert unread > first // 2, (first, unread)


@case
def full_buffer_stays():
    """... but not above what is set, or what is large enough"""
    for mpr, rcvbuf in ((24, 1 << 20), (8, 0)):
        first, last, unread = receive_buffer(mpr, rcvbuf)
        assert last == first, (mpr, first, last)
        assert unread < first, (mpr, first, unread)


@case
def no_answer_comes():
    enter(NS_B)
    b = Uet(pid=PID)
    enter(NS_A)
    nl = family()
    with sockets(b, Uet()) as (_, a):
        a.send(ADDR_B, PID, b"x")
        until(lambda: not [d for d in dests(nl, inode=a.inode) if d["msgs"]],
              "answer")
        tc(NS_A, "loss", "100%")
        try:
            a.send(ADDR_B, PID, b"y")
            waits_for(nl, a, "answer")
            with contextlib.suppress(OSError):
                for _ in range(2000):
                    a.send(ADDR_B, PID, bytes(4000), socket.MSG_DONTWAIT)
            d = until(lambda: [d for d in dests(nl, inode=a.inode)
                               if d["wait"] in ("window", "receive-window")],
                      "window")[0]
            assert d["bytes"] > 0, d
        finally:
            tc(NS_A)


def attr(kind, data):
    return struct.pack("HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def param_set(nl, name):
    """A request, as bytes, that leaves a setting what it is"""
    kinds = {n: a.value for n, a in nl.attr_sets["param"].items()}
    number = nl.do("param-get", {"name": name})["number"]
    body = struct.pack("BBH", nl.ops["param-set"].req_value, 1, 0) + \
        attr(kinds["name"], name.encode() + b"\0") + \
        attr(kinds["number"], struct.pack("q", number))
    return struct.pack("IHHII", 16 + len(body), nl.nlproto.family_id, 1, 0, 0) + body


class Events:
    def __init__(self):
        self.nl = family()
        self.nl.ntf_subscribe("events")
        self.got = []

    def more(self):
        self.nl.check_ntf()
        while self.nl.async_msg_queue:
            self.got.append(self.nl.async_msg_queue.pop(0)["msg"])
        return self.got

    def wait(self, what, **has):
        def found():
            return [e for e in self.more() if e["what"] == what and
                    all(e.get(k.replace("_", "-")) == v
                        for k, v in has.items())]
        return until(found, f"event {what} {has or ''}")[0]


def in_order(events):
    seqs = [e["seq"] for e in events]
    assert seqs == sorted(set(seqs)), seqs


def failures(nl, addr, **flt):
    return nl.dump("failure-get", {"filter": {"remote": wire(addr), **flt}})


@case
def failures_by_target():
    enter(NS_A)
    nl = family()
    with sockets(Uet()) as (a,):
        for pid, times in (900, 1), (901, 3):
            for i in range(times):
                a.send(ADDR_B, pid, b"x")
                f = until(lambda: failures(nl, ADDR_B, pid=pid), "failure")
                until(lambda: failures(nl, ADDR_B, pid=pid)[0]["count"] == i + 1,
                      f"failure {i + 1} of {pid}")
            f = failures(nl, ADDR_B, pid=pid)
            assert len(f) == 1 and f[0]["source"] == "ses", f
            assert f[0]["error"] == errno.ECONNREFUSED and f[0]["code"], f
        one = nl.do("failure-get", {"filter": {"pid": 901}})
        assert one["count"] == 3 and one["job"] == 0, one
        until(lambda: failures(nl, ADDR_B, pid=901)[0]["ago-ns"] >
              one["ago-ns"], "time passes")
    assert not failures(nl, "10.0.0.99"), "failures of nobody"
    assert failures(nl, "10.0.0.0", **{"remote-plen": 120})
    assert not failures(nl, ADDR_B, job=5)
    try:
        nl.dump("failure-get", {"filter": {"ccc": 1}})
    except NlError as e:
        assert e.nl_msg.error == -errno.EOPNOTSUPP, e
    else:
        assert False, "a filter by CCC is taken"
    enter(NS_B)
    assert not family().dump("failure-get", {}), "failures of another host"


@case
def old_failures_are_forgotten():
    enter(NS_A)
    nl = family()
    with sockets(Uet()) as (a,):
        for pid in range(1000, 1300):
            a.send(ADDR_B, pid, b"x")
        until(lambda: failures(nl, ADDR_B, pid=1299), "the last failure")
        a.send(ADDR_B, 1100, b"x")
        until(lambda: [f for f in failures(nl, ADDR_B, pid=1100)
                       if f["count"] == 2], "an old one anew")
        told = [f["pid"] for f in nl.dump("failure-get", {})]
        assert len(told) == len(set(told)) == 256, told
        a.send(ADDR_B, 1300, b"x")
        until(lambda: failures(nl, ADDR_B, pid=1300), "one more")
        assert failures(nl, ADDR_B, pid=1100), "the renewed one was forgotten"
        assert not failures(nl, ADDR_B, pid=900), "the oldest one was kept"
        assert len(nl.dump("failure-get", {})) == 256


@case
def events_of_settings():
    enter(NS_A)
    nl, ev = family(), Events()
    nl.do("param-set", {"name": "rto_min_us", "number": 1000})
    ev.wait("param-changed", name="rto_min_us")
    pre = mapped("10.9.0.0").hex()
    nl.do("peer-new", {"prefix": pre, "plen": 112, "setting":
                       [{"name": "trust_jobs", "number": 1}]})
    ev.wait("rule-changed", plen=112)
    nl.do("peer-del", {"prefix": pre, "plen": 112})
    ev.wait("rule-deleted", plen=112)
    in_order(ev.got)


@case
def events_of_pdcs_and_pressure():
    enter(NS_B)
    ev_b, b = Events(), Uet(pid=PID, rcvbuf=65536)
    enter(NS_A)
    ev = Events()
    # Another traffic class than before: a PDC of its own
    with sockets(b, Uet(SOCK_SEQPACKET, sndbuf=1 << 20)) as (_, a):
        a.sock.setsockopt(SOL_UET, UET_TRAFFIC_CLASS, struct.pack("i", 17))
        with contextlib.suppress(OSError):
            for _ in range(200):
                a.send(ADDR_B, PID, bytes(2000), socket.MSG_DONTWAIT)
        opened = ev.wait("pdc-opened")
        assert opened["mode"] == "rod" and opened["pdc"], opened
        ev_b.wait("pdc-accepted")
        ev_b.wait("pressure", pid=PID, inode=b.inode)
    in_order(ev.got)
    in_order(ev_b.got)


@case
def events_in_one_go():
    """The first ones of a namespace, more than the work that sends them can keep up
    with"""
    netns = NS_A + "-burst"
    run("ip", "netns", "add", netns)
    try:
        enter(netns)
        nl, ev = family(), Events()
        settings = [p["name"] for p in nl.dump("param-get", {})
                    if "net" in p["scope"] and "live" in p["traits"] and
                    p["kind"] == "number"][:64]
        requests = b"".join(param_set(nl, name) for name in settings)
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                           NETLINK_GENERIC) as s:
            s.send(requests)
        until(lambda: ev.more() and ev.got[-1]["seq"] == len(settings),
              lambda: f"{len(settings)} events, {ev.got}")
        assert [e["name"] for e in ev.got] == settings, ev.got
    finally:
        enter(NS_A)
        run("ip", "netns", "del", netns)


@case
def a_listener_that_does_not_read():
    enter(NS_A)
    nl, ev = family(), Events()
    group = nl.nlproto.get_mcast_id("events", nl.mcast_groups)
    deaf = [raw_listener(nl, group, 4096) for _ in range(100)]
    for i in range(200):
        nl.do("param-set", {"name": "rto_min_us", "number": 1000 + i})
        ev.more()
    until(lambda: ev.more() and ev.got[-1]["seq"] - ev.got[0]["seq"] +
          ev.got[0].get("lost", 0) >= 199, lambda: f"events: {ev.got[-1]}")
    in_order(ev.got)
    lost = sum(e.get("lost", 0) for e in ev.got)
    assert not lost, f"{lost} were lost"
    for s in deaf:
        read, errors = drain(s)
        assert errno.ENOBUFS in errors, f"{read} events, then {errors}"
    for s in deaf:
        s.close()


# New PDCs in each case: traffic classes that no other case uses
CLASSES = iter(range(22, 64))
# Endpoints that get what is left when a case ends: no other case uses them
PIDS = iter(range(300, 400))


def fresh(sock, cc=None):
    cls = next(CLASSES)
    sock.sock.setsockopt(SOL_UET, UET_TRAFFIC_CLASS, struct.pack("i", cls))
    if cc:
        sock.sock.setsockopt(SOL_UET, UET_CC, cc.encode() + b"\0")
    return cls


@contextlib.contextmanager
def setting(nl, name, number):
    was = nl.do("param-get", {"name": name})["number"]
    nl.do("param-set", {"name": name, "number": number})
    try:
        yield
    finally:
        nl.do("param-set", {"name": name, "number": was})


def fill(sock, size, pid):
    """Send until the buffer is full"""
    with contextlib.suppress(BlockingIOError):
        for _ in range(4000):
            sock.send(ADDR_B, pid, bytes(size), socket.MSG_DONTWAIT)


def answered(nl, sock):
    def left():
        return [d for d in dests(nl, inode=sock.inode) if d["msgs"]]
    until(lambda: not left(), lambda: f"answers: {left()}")


@contextlib.contextmanager
def silence():
    """Nothing reaches B or comes back"""
    tc(NS_A, "loss", "100%")
    try:
        yield
    finally:
        tc(NS_A)


@case
def credit_does_not_come():
    enter(NS_B)
    pid = next(PIDS)
    b = Uet(pid=pid)
    enter(NS_A)
    nl = family()
    with sockets(b, Uet(sndbuf=4 << 20)) as (_, a):
        fresh(a, "rccc")
        a.send(ADDR_B, pid, b"x")
        answered(nl, a)
        with silence():
            fill(a, 60000, pid)
            waits_for(nl, a, "credit")


@case
def receive_window_is_full():
    enter(NS_B)
    pid = next(PIDS)
    nl_b, b = family(), Uet(pid=pid)
    enter(NS_A)
    nl = family()
    # 128 packets, which are less than the congestion window
    with setting(nl_b, "mpr", 1), \
            sockets(b, Uet(sndbuf=4 << 20)) as (_, a):
        fresh(a)
        a.send(ADDR_B, pid, b"x")
        answered(nl, a)
        with silence():
            fill(a, 10, pid)
            d = waits_for(nl, a, "receive-window")
            until(lambda: dests(nl, inode=a.inode)[0]["wait-ns"] >
                  d["wait-ns"], "time passes")


@case
def ordered_message_is_in_line():
    enter(NS_B)
    pid = next(PIDS)
    b = Uet(SOCK_SEQPACKET, pid=pid)
    enter(NS_A)
    nl = family()
    first = Uet(SOCK_SEQPACKET, sndbuf=4 << 20)
    second = Uet(SOCK_SEQPACKET)
    with sockets(b, first, second) as (_, a, c):
        cls = fresh(a)
        c.sock.setsockopt(SOL_UET, UET_TRAFFIC_CLASS, struct.pack("i", cls))
        a.send(ADDR_B, pid, b"x")
        answered(nl, a)
        with silence():
            fill(a, 300000, pid)
            waits_for(nl, a, "window")
            c.send(ADDR_B, pid, b"y")
            waits_for(nl, c, "line")


@case
def interface_is_slow():
    enter(NS_B)
    pid = next(PIDS)
    b = Uet(pid=pid, rcvbuf=64 << 20)
    enter(NS_A)
    nl = family()
    prefix = {"prefix": wire(ADDR_B), "plen": 128}
    nl.do("peer-new", {**prefix, "setting": [
        {"name": "nscc_max_wnd", "number": 8 << 20}]})
    nl.do("param-set", {"name": "link_mbps", "number": 5})
    # The window would let more be queued than the interface takes in a base RTT.
    tc(NS_A, "rate", "5mbit")
    try:
        with sockets(b, Uet(sndbuf=16 << 20)) as (_, a):
            fresh(a, "fixed")
            a.send(ADDR_B, pid, b"x")
            answered(nl, a)
            fill(a, 60000, pid)
            waits_for(nl, a, "port")
    finally:
        tc(NS_A)
        # What the interface says
        nl.do("param-set", {"name": "link_mbps", "number": 0})
        nl.do("peer-del", prefix)


@case
def event_of_an_idle_pdc():
    enter(NS_B)
    b = Uet(pid=PID)
    enter(NS_A)
    nl, ev = family(), Events()
    with sockets(b, Uet()) as (_, a):
        fresh(a)
        a.send(ADDR_B, PID, b"x")
        pdc = ev.wait("pdc-opened")["pdc"]
        answered(nl, a)
        with setting(nl, "pdc_idle_s", 1):
            ev.wait("pdc-closed", pdc=pdc)
    in_order(ev.got)


@case
def event_of_a_failure():
    enter(NS_A)
    nl, ev = family(), Events()
    with sockets(Uet()) as (a,), silence():
        fresh(a)
        a.send(ADDR_B, PID, b"x")
        # Those of other cases may fail meanwhile.
        pdc = waits_for(nl, a, "opening")["pdc"]
        assert ev.wait("pdc-opened", pdc=pdc), "not opened"
        # A PDC fails when both are over.
        with setting(nl, "peer_timeout_s", 1), setting(nl, "max_rto_retx", 1):
            e = ev.wait("pdc-failed", pdc=pdc)
    assert e["error"] == errno.ETIMEDOUT and e["source"] == "local", e
    assert e["mode"] == "rud" and same(e["remote"], ADDR_B), e
    in_order(ev.got)


def raw_listener(nl, group, rcvbuf=0):
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
    if rcvbuf:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
    s.bind((0, 0))
    s.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, group)
    return s


def drain(sock):
    """(events of rto_min_us, errors) until nothing is left. PDCs of other cases may
    have events, too."""
    read, errors = 0, []
    while True:
        try:
            read += b"rto_min_us\0" in sock.recv(65536, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return read, errors
        except OSError as e:
            errors.append(e.errno)


@case
def ten_thousand_listeners():
    enter(NS_A)
    nl = family()
    group = nl.nlproto.get_mcast_id("events", nl.mcast_groups)
    resource.setrlimit(resource.RLIMIT_NOFILE, (11000, 11000))
    many = [raw_listener(nl, group) for _ in range(10000)]
    try:
        for i in range(5):
            nl.do("param-set", {"name": "rto_min_us", "number": 2000 + i})
        told = [0] * len(many)

        def all_told():
            for i, s in enumerate(many):
                if told[i] < 5:
                    read, errors = drain(s)
                    assert not errors, errors
                    told[i] += read
            return min(told) >= 5
        until(all_told, lambda: f"events for all, {min(told)}", 10 * WAIT_S)
        assert max(told) == 5, max(told)
    finally:
        for s in many:
            s.close()


@contextlib.contextmanager
def nobody():
    """An account of its own, which limits apply to"""
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def open_pdcs():
    """Ask for PDCs of one pair of addresses; the limit under test may refuse them"""
    socks = []
    for kind in SOCK_RDM, SOCK_SEQPACKET:
        for cc in "nscc", "rccc":
            with nobody():
                socks.append(Uet(kind))
            socks[-1].sock.setsockopt(SOL_UET, UET_CC, cc.encode() + b"\0")
            with contextlib.suppress(OSError):
                socks[-1].send(ADDR_B, PID, b"x", socket.MSG_DONTWAIT)
    return socks


@case
def events_of_limits_of_pdcs():
    enter(NS_A)
    nl, ev = family(), Events()
    for limit in "pdc_max", "pdc_max_per_peer", "user_pdcs":
        # None of them is idle, and gives way.
        with silence(), setting(nl, limit, 1), sockets(*open_pdcs()):
            ev.wait("limit", name=limit)
    told = [e["name"] for e in ev.got if e["what"] == "limit"]
    assert len(set(told)) == 3, told
    in_order(ev.got)


@case
def event_of_too_many_endpoints():
    enter(NS_A)
    nl, ev = family(), Events()
    with setting(nl, "user_eps", 1):
        with nobody(), sockets(Uet()):
            for _ in range(3):
                try:
                    Uet()
                except OSError as e:
                    assert e.errno == errno.EMFILE, e
                else:
                    assert False, "two endpoints"
        ev.wait("limit", name="user_eps")
        # Once a second at most
        assert len([e for e in ev.more() if e["what"] == "limit"]) < 3, ev.got
    in_order(ev.got)


@case
def event_of_too_much_memory():
    enter(NS_A)
    nl, ev = family(), Events()
    mem = nl.do("param-get", {"name": "mem"})["least"]
    with sockets(Uet(sndbuf=4 * mem)) as (a,), silence(), setting(nl, "mem", mem):
        fresh(a)
        with contextlib.suppress(OSError):
            fill(a, 60000, next(PIDS))
        ev.wait("limit", name="mem")
    in_order(ev.got)


@case
def event_of_a_pdc_that_carries_answers():
    enter(NS_A)
    nl, (pid_a, pid_b) = family(), (next(PIDS), next(PIDS))
    a = Uet(pid=pid_a)
    enter(NS_B)
    nl_b, ev = family(), Events()
    with sockets(a, Uet(pid=pid_b)) as (a, b), \
            setting(nl_b, "return_requests", 2):
        # By the second packet B knows that its answer was heard.
        for _ in range(2):
            a.send(ADDR_B, pid_b, b"x")
            answered(nl, a)
        b.send(ADDR_A, pid_a, b"x")
        returned = ev.wait("pdc-returned")
        answered(nl_b, b)
    assert returned["mode"] == "rud" and same(returned["remote"], ADDR_A), returned
    assert not [e for e in ev.got if e["what"] == "pdc-opened"], ev.got
    in_order(ev.got)


@case
def a_listener_goes_on_after_an_overrun():
    enter(NS_A)
    nl, ev = family(), Events()
    group = nl.nlproto.get_mcast_id("events", nl.mcast_groups)
    slow = raw_listener(nl, group, 4096)
    for i in range(100):
        nl.do("param-set", {"name": "rto_min_us", "number": 3000 + i})
    until(lambda: len([e for e in ev.more()
                       if e["what"] == "param-changed"]) >= 100, "events")
    read, errors = drain(slow)
    assert errors == [errno.ENOBUFS] and 0 < read < 100, (read, errors)
    # It reads the state anew, and all that comes later is told again.
    assert nl.do("param-get", {"name": "rto_min_us"})["number"] == 3099
    nl.do("param-set", {"name": "rto_min_us", "number": 4000})
    until(lambda: drain(slow) == (1, []), "the next event")
    slow.close()


class Enough(Exception):
    pass


class StopReading:
    """A netlink socket that is read once"""

    def __init__(self, sock):
        self.sock = sock
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)

    def __getattr__(self, attr):
        return getattr(self.sock, attr)

    def recv(self, *args):
        self.sock.recv(*args)
        raise Enough


def begin_dump(op):
    nl = family()
    nl.sock = StopReading(nl.sock)
    try:
        nl.dump(op, {})
    except Enough:
        return nl.sock.sock
    assert False, f"{op} was not read"


@case
def netns_goes_during_dumps():
    netns = NS_A + "-gone"
    run("ip", "netns", "add", netns)
    for words in ("link add d0 type dummy", "addr add 10.9.0.1/24 dev d0",
                  "link set d0 up"):
        run("ip", "-n", netns, *words.split())
    enter(netns)
    socks = [Uet() for _ in range(300)]
    for s in socks:
        for _ in range(3):
            s.send("10.9.0.2", PID, b"x", socket.MSG_DONTWAIT)
    readers = [begin_dump(f"{what}-get") for what in ("sock", "dest", "msg")]
    for s in socks:
        s.close()
    enter(NS_A)
    run("ip", "netns", "del", netns)
    # They were the last who had it.
    for r in readers:
        r.close()


def main():
    for f in [f for f in CASES if f.__name__ in (sys.argv[5:] or [f.__name__])]:
        wrong = ""
        try:
            f()
        except Exception as e:      # pylint: disable=broad-except
            wrong = f"{type(e).__name__}: {e}".replace("\n", " ")
            traceback.print_exc()
        print(f"{f.__name__.replace('_', ' ')}\t{wrong}", flush=True)


if __name__ == "__main__":
    main()
