#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The command "uet" against what the kernel's own netlink client is told.

    uet_tool.py TOOL NETNS_A NETNS_B SLOW

Runs in NETNS_A. Prints a line per case: name, tab, what went wrong or nothing.
"""
import errno
import ipaddress
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback

import uet_tool_live
from uet_tool_metrics import metrics
from uet_ynl import addr, family

TOOL, NS_A, NS_B, SLOW = sys.argv[1:4] + [int(sys.argv[4])]
SYSCTL = "/proc/sys/net/uet/"
SHOWN = "fep pdc ccc path port sock dest msg failure".split()
NUD = ("incomplete reachable stale delay probe failed noarp permanent").split()
B4, B6 = "10.0.0.2", "fd00::2"
CASES = []


def case(f):
    CASES.append(f)
    return f


def run(*words, rc=0, stdin="", over=None, **env):
    """(stdout, stderr) of the tool, which must end with a status; with another file
    or folder OVER one that it may read"""
    start = ["unshare", "-m", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"',
             *over] if over else []
    p = subprocess.run([*start, TOOL, *words], input=stdin, capture_output=True,
                       text=True, errors="surrogateescape", timeout=60 * SLOW,
                       check=False, env={**os.environ, **env})
    assert p.returncode == rc, (words, p.returncode, p.stdout[-500:], p.stderr)
    if rc == 0:
        # A note may tell when a setting takes effect
        assert not p.stderr or p.stderr.startswith("Note: "), (words, p.stderr)
    else:
        assert p.stderr, (words, "fails without a word")
    return p.stdout, p.stderr


def shown(*words):
    return json.loads(run("-j", *words)[0])


def plain_addr(text):
    ip = ipaddress.ip_address(text)
    return str(getattr(ip, "ipv4_mapped", None) or ip)


def translate(key, v):
    """A value of the client as the tool is to show it"""
    if key == "dev":
        return socket.if_indextoname(v)
    if key in ("addr", "local", "remote", "via") and isinstance(v, str):
        return "*" if v == "::" else plain_addr(v)
    if key == "error":
        return errno.errorcode[v] if v else 0
    if key == "via_state":
        return ",".join(n for i, n in enumerate(NUD) if v >> i & 1)
    if isinstance(v, (set, list)):
        return sorted(v)
    if isinstance(v, dict):
        return told(v)
    return v


def told(obj):
    new = {k.replace("-", "_"): v for k, v in obj.items()}
    for netlink, tool in ("ifindex", "dev"), ("pid", "pidonfep"):
        if netlink in new:
            new[tool] = new.pop(netlink)
    return {k: translate(k, v) for k, v in new.items()}


def differs(got, before, after, where):
    """Where the tool shows something else than what held before and after"""
    for k, v in before.items():
        if isinstance(v, dict):
            differs(got.get(k, {}), v, after.get(k, {}), f"{where}.{k}")
        elif k not in got:
            # What is zero may be left out, what is text may not
            assert not v, f"{where}: no {k}, which is {v!r}"
        elif after.get(k) == v:
            g = sorted(got[k]) if isinstance(got[k], list) else got[k]
            assert g == v, f"{where}: {k} is {g!r}, not {v!r}"
    extra = set(got) - set(before) - set(after)
    assert not extra, f"{where}: where does {extra} come from?"


@case
def objects_are_those_of_netlink():
    uet = family()
    for what in SHOWN:
        before = [told(o) for o in uet.dump(f"{what}-get", {})]
        got = shown("-d", "-s", what, "show")
        after = [told(o) for o in uet.dump(f"{what}-get", {})]
        assert before, f"nothing to compare: {what}"
        assert len(before) == len(got) == len(after), (what, got, before)
        for b, g, a in zip(before, got, after):
            differs(g, b, a, what)


@case
def the_other_host():
    here = {p["local"] for p in shown("pdc")}
    for where in NS_B, f"/run/netns/{NS_B}":
        there = shown("-n", where, "pdc", "show")
        assert there and all("rx" in p for p in there), there
        assert {p["remote"] for p in there} <= here, (there, here)
    _, err = run("-n", "no-such-netns", "pdc", rc=1)
    assert "no-such-netns" in err and "No such file" in err, err


@case
def text_has_what_json_has():
    for what in SHOWN:
        if what == "path":
            continue
        objs = shown(what)
        text = run(what, "show")[0]
        records = [r for r in text.splitlines() if not r.startswith("\t")]
        assert len(records) == len(objs), (what, text)
        for obj in objs:
            for k, v in obj.items():
                if isinstance(v, str):
                    assert v in text, (what, k, v, text)
        longer = run("-s", "-d", what, "show")[0]
        assert len(longer) >= len(text), what
    ccc = run("ccc")[0]
    assert "sent_bytes" not in ccc and "link_mbps" not in ccc
    assert "sent_bytes" in run("-s", "ccc")[0]
    assert "link_mbps" in run("-d", "ccc")[0]
    assert re.search(r"cwnd \d+\n?", run("-N", "ccc")[0])
    assert re.search(r"cwnd [0-9.]+[KM]iB", ccc), ccc
    assert "\n    " in run("-j", "-p", "ccc")[0]


@case
def paths_as_a_map():
    paths = family().dump("path-get", {})
    text = run("path")[0]
    for c in {p["ccc"] for p in paths}:
        mine = [p for p in paths if p["ccc"] == c]
        [head] = re.findall(rf"^\S+ ccc {c} (.*)$", text, re.M)
        n = dict(re.findall(r"(\S+) (\d+)", head))
        for state in {p["state"] for p in mine}:
            assert int(n[state]) == len([p for p in mine
                                         if p["state"] == state]), (n, state)
    rows = re.findall(r"^  [ \d]{5}-\d+ +(.*)$", text, re.M)
    marks = len("".join(rows))
    # Few rows, however far apart the values are
    assert len(rows) <= marks // 64 + len({p["ccc"] for p in paths}), text
    assert marks == len({(p["ccc"], p["ev"]) for p in paths}), (marks, text)
    assert all(len(line) <= 80 for line in text.splitlines()), text
    assert len(run("-d", "path")[0].splitlines()) == len(paths)


@case
def filters():
    uet = family()
    p = next(p for p in uet.dump("pdc-get", {}) if "tx" in p)
    ten = {"remote": addr("10.0.0.0"), "remote-plen": 120}
    for words, what, flt in (
            (["pdc", "show", "peer", B4], "pdc", {"remote": addr(B4)}),
            (["pdc", B4], "pdc", {"remote": addr(B4)}),
            (["pdc", "10.0.0.0/24"], "pdc", ten),
            (["pdc", "show", "peer", B6], "pdc", {"remote": addr(B6)}),
            (["pdc", "s", "p", "10.9.9.9"], "pdc", {"remote": addr("10.9.9.9")}),
            (["pdc", "show", "local", "10.0.0.1"], "pdc",
             {"local": addr("10.0.0.1")}),
            (["pdc", "show", "job", "7"], "pdc", {"job": 7}),
            (["pdc", "show", "state", "established"], "pdc",
             {"state": "established"}),
            (["pdc", "show", "st", "estab"], "pdc", {"state": "established"}),
            (["pdc", "show", "ccc", str(p["tx"]["ccc"])], "pdc",
             {"ccc": p["tx"]["ccc"]}),
            (["pdc", "show", "id", hex(p["id"])], "pdc", {"id": p["id"]}),
            (["pdc", "show", "waiting"], "pdc", {"waiting": True}),
            (["ccc", "show", "waiting", "peer", B4], "ccc",
             {"waiting": True, "remote": addr(B4)}),
            (["fep", "show", "dev", "uet0"], "fep",
             {"ifindex": socket.if_nametoindex("uet0")}),
            (["path", "show", "state", "current"], "path",
             {"path-state": "current"}),
            (["dest", "show", "waiting"], "dest", {"waiting": True}),
            (["msg", "show", "peer", B6], "msg", {"remote": addr(B6)}),
            (["failure", "10.0.0.77"], "failure", {"remote": addr("10.0.0.77")})):
        got, want = shown(*words), uet.dump(f"{what}-get", {"filter": flt})
        assert len(got) == len(want), (words, got, want)
    assert len(shown("pdc", B4)) and not shown("pdc", "10.9.9.9")
    assert len(shown("msg", "show", "limit", "3")) == 3
    ages = [m["age_ns"] for m in shown("msg")]
    assert len(ages) > 3 and ages == sorted(ages, reverse=True), ages


@case
def names_of_hosts():
    with tempfile.NamedTemporaryFile("w") as f:
        f.write(f"{B4} b4.test node\n{B6} b6.test\n")
        f.flush()

        def named(*words):
            p = subprocess.run(
                ["unshare", "-m", "sh", "-c", 'mount --bind "$1" /etc/hosts && '
                 'shift && exec "$@"', "sh", f.name, TOOL, *words],
                capture_output=True, text=True, check=False, timeout=60 * SLOW)
            assert p.returncode == 0, (words, p)
            return p.stdout
        for words in ["pdc", "b4.test"], ["pdc", "show", "peer", "node"]:
            got = json.loads(named("-j", *words))
            assert got and {p["remote"] for p in got} == {B4}, (words, got)
        for words in ["ping", "node", "-c", "1"], ["explain", "b6.test"]:
            assert named(*words), words
        for what in "pdc", "dest", "ccc":
            text = named("-r", what)
            assert "b4.test" in text and (what == "dest" or "b6.test" in text), text
            assert not re.search(rf"{B4}\b|{B6}\b", text), text
    for words in (["pdc", "nobody.test"], ["explain", "10.2"],
                  ["pdc", "show", "peer", "0x0a000002"]):
        run(*words, rc=1)
    run("ping", "nobody", rc=2)


@case
def sockets_and_their_processes():
    for words in ["sock", "show", "-p"], ["sock", "-p"], ["ss"]:
        text = run(*words)[0]
        assert "uet_send" in text, (words, text)
        socks = shown(*words)
        procs = [p for s in socks for p in s["process"]]
        assert procs, socks
        for s in socks:
            for p in s["process"]:
                link = os.readlink(f"/proc/{p['pid']}/fd/{p['fd']}")
                assert link == f"socket:[{s['inode']}]", (link, s)
                with open(f"/proc/{p['pid']}/comm", encoding="ascii") as f:
                    assert f.read().strip() == p["name"], p
    assert "process" not in shown("sock")[0]
    text = run("ss", "waiting")[0]
    assert "receiver" in text, text
    assert not shown("ss", "peer", "10.9.9.9")
    assert len(shown("ss", "peer", B4)) == 1


@case
def settings():
    uet = family()
    want = {p["name"]: p.get("number", p.get("word"))
            for p in uet.dump("param-get", {}) if "net" in p["scope"]}
    got = {p["name"]: p["value"] for p in shown("param")}
    assert got == want, (got, want)
    # A setting of peers may have the name of one of the namespace: profile
    every = {(p["name"], "net" in p["scope"]): p for p in uet.dump("param-get", {})}
    for p in shown("-d", "param"):
        q = every[p["name"], "net" in p["scope"]]
        for k in "unit", "help", "least", "most", "scope", "traits":
            if q.get(k):
                assert translate(k, q[k]) == (sorted(p[k]) if
                                              isinstance(p[k], list) else p[k]), \
                    (k, q, p)
    assert {p["name"] for p in shown("param", "show", "nscc_")} == \
        {n for n in want if n.startswith("nscc_")}
    assert [p["name"] for p in shown("param", "show", "rto_min_us")] == ["rto_min_us"]
    for text, value in (("5ms", 5000), ("2500us", 2500), ("0.004s", 4000),
                        ("3000", 3000)):
        assert run("param", "set", "rto_min_us", text) == ("", "")
        assert sysctl("rto_min_us") == str(value), (text, sysctl("rto_min_us"))
    run("par", "se", "rto_min", str(want["rto_min_us"]))
    assert sysctl("rto_min_us") == str(want["rto_min_us"])
    _, note = run("param", "set", "path_policy", "reps")
    assert "ccc renew" in note, note
    assert sysctl("path_policy") == "reps"
    run("param", "set", "path_policy", want["path_policy"])
    for words, rc, text in (
            (["rto_min_us", "0.5us"], 1, "whole number"),
            (["rto_min_us", "x"], 1, "rto_min_us takes"),
            (["rto_min_us", "9kib"], 1, "rto_min_us takes"),
            (["nscc_", "1"], 1, "ambiguous"),
            (["no_such", "1"], 1, "no setting"),
            (["", "1"], 1, "no setting"),
            (["rto_min_us", "-1"], 2, " to "),
            (["path_policy", "nothing"], 2, ""),
            (["rto_min_us"], 1, "wants a name and a value"),
            (["x" * 300, "1"], 1, "no setting")):
        _, err = run("param", "set", *words, rc=rc)
        assert text in err, (words, err)
    assert sysctl("rto_min_us") == str(want["rto_min_us"])


@case
def names_that_command_the_terminal():
    """A process may have any name"""
    name = b"\x1b[2J\xc2\x9b\x9b\" fd"
    with tempfile.TemporaryDirectory() as d:
        program = os.path.join(d.encode(), name)
        os.symlink(shutil.which("uet_recv"), program)
        with subprocess.Popen([program, "-p", "140", "-n", "1", "-T", "3600"],
                              stdout=subprocess.DEVNULL) as p:
            try:
                process_is_shown_as(p, r'"\x1b[2J\xc2\x9b\x9b\x22 fd"',
                                    "\x1b[2J\x9b\ufffd\" fd")
            finally:
                p.kill()


def process_is_shown_as(p, in_text, in_json):
    end = time.monotonic() + 30 * SLOW
    while not shown("sock", "show", "pidonfep", "140"):
        assert time.monotonic() < end and p.poll() is None, "no socket"
        time.sleep(0.05)
    for words in ["sock", "-p"], ["ss"]:
        text = run(*words)[0]
        assert f"{in_text} pid {p.pid}" in text, text
        bad = [c for c in text if c not in "\n\t" and
               (ord(c) < 32 or 0x7e < ord(c) < 0xa0)]
        assert not bad, (words, bad)
        names = [q["name"] for s in shown(*words) for q in s["process"]
                 if q["pid"] == p.pid]
        assert names == [in_json], names


@case
def errors_leave_json():
    """What is printed before an error is nothing, or JSON"""
    for words, rc in ((["pdc", "show", "id", "x"], 1), (["param", "show", "no"], 1),
                      (["top", "x"], 1),
                      (["param", "set", "rto_min_us", "-1"], 2),
                      (["peer", "del", "10.77.0.0/16"], 2), (["no-such"], 1)):
        out, _ = run("-j", *words, rc=rc)
        if out:
            json.loads(out)
    for what in SHOWN + ["peer", "ss"]:
        flt = ["peer", "10.9.9.9"] if what not in ("fep", "peer") else []
        where = ["-n", NS_B] if what == "peer" else []
        got = shown(*where, what, *(["show"] if what != "ss" else []), *flt)
        assert isinstance(got, list) and not (flt and got), (what, got)


@case
def what_the_kernel_refuses_is_explained():
    for words, parts in (
            (["param", "set", "rto_min_us", "-1"],
             ["rto_min_us", " to ", "(microseconds)"]),
            (["peer", "add", "10.77.0.0/16", "base_rtt_us", "1h"], ["(microseconds)"]),
            (["param", "set", "path_policy", "nothing"], ["path_policy", "hybrid"]),
            (["peer", "add", "10.77.0.0/16", "congestion_c", "nothing"],
             ["nscc"]),
            (["peer", "del", "10.77.0.0/16"], ["prefix", "no settings"])):
        _, err = run(*words, rc=2)
        first = err.splitlines()[0]
        assert all(p in first for p in parts), (words, err)


def sysctl(name):
    with open(SYSCTL + name, encoding="ascii") as f:
        return f.read().strip()


@case
def rules_of_peers():
    assert shown("peer") == []
    run("peer", "add", "10.9.0.0/16", "trust_jobs", "on")
    run("peer", "add", "fd99::/64", "trust_j", "1")
    run("peer", "add", "default", "trust_jobs", "off")
    rules = {r["prefix"]: r for r in shown("peer", "show")}
    assert set(rules) == {"10.9.0.0/16", "fd99::/64", "::/0"}, rules
    assert rules["10.9.0.0/16"]["trust_jobs"] == 1
    assert "trust_jobs 1" in run("peer")[0]
    assert len(family().dump("peer-get", {})) == 3
    run("peer", "set", "10.9.0.0/16", "trust_jobs", "0")
    assert shown("peer", "show", "10.9.0.0/16")[0]["trust_jobs"] == 0
    run("peer", "add", "10.9.0.0/16", "trust_jobs", "1", rc=2)
    run("peer", "add", "10.8.0.0/16", "no_such", "1", rc=1)
    run("peer", "add", "10.8.0.0/33", "trust_jobs", "1", rc=1)
    run("peer", "add", "10.8.0.0/16", rc=1)
    run("peer", "set", "10.9.0.0/16", "congestion_control", "nscc",
        "unset", "trust_jobs")
    assert shown("peer", "show", "10.9.0.0/16") == \
        [{"prefix": "10.9.0.0/16", "congestion_control": "nscc"}]
    _, err = run("peer", "set", "10.9.0.0/16", "unset", "congestion_c", rc=2)
    assert "delete" in err, err
    run("peer", "set", "10.9.0.0/16", "base_rtt_us", "100us", "nscc_max_wnd", "64k")
    rule = shown("peer", "show", "10.9.0.0/16")[0]
    assert (rule["base_rtt_us"], rule["nscc_max_wnd"]) == (100, 65536), rule
    for p in "10.9.0.0/16", "fd99::/64", "default":
        run("peer", "del", p)
    assert shown("peer") == []
    run("peer", "del", "10.9.0.0/16", rc=2)


@case
def abbreviations():
    assert shown("fe") == shown("fep", "show") == shown("fep", "sh")
    assert len(shown("po", "s")) == len(shown("port", "show"))
    assert run("--json", "fep") == run("-js", "fep") == run("-j", "fep")
    assert run("-jds", "ccc") != run("-jd", "ccc")
    assert run("-jpN", "fep") == run("-j", "-p", "-N", "fep")
    assert run("-jn", NS_B, "fep") == run("-n", NS_B, "-j", "fep")
    for words, some in ((["p"], ["pdc", "path", "port", "peer", "param"]),
                        (["f"], ["fep", "failure"]),
                        (["pa"], ["path", "param"]),
                        (["pdc", "show", "i"], None),
                        (["peer", "s"], ["show", "set"]),
                        (["param", "s", "x"], ["show", "set"])):
        out, err = run(*words, rc=1)
        assert not out
        if some:
            assert "ambiguous" in err and all(s in err for s in some), err


@case
def wrong_arguments():
    for words in (
            ["no-such"], ["pdc", "no-such"], ["pdc", "show", "peer"],
            ["pdc", "show", "peer", "nobody"], ["pdc", "show", "no-such", "1"],
            ["pdc", "show", "peer", B4, "peer", B4], ["pdc", B4, B4],
            ["pdc", "show", "id", "65536"], ["pdc", "show", "id", "-1"],
            ["pdc", "show", "job", "1x"], ["pdc", "show", "state", "odd"],
            ["pdc", "show", "peer", "10.0.0.0/33"], ["pdc", "show", "ccc", "2e2"],
            ["pdc", "show", "ccc", "18446744073709551616"],
            ["pdc", "show", "peer", "::/129"], ["pdc", "show", "peer", "/"],
            ["port", "show", "dev", "no-such-dev"], ["msg", "show", "limit", "0"],
            ["msg", "show", "limit", "4097"], ["sock", "show", "pid", "4096"],
            ["--no-such", "pdc"], ["-n"], ["-b"], ["-c=odd", "pdc"], ["-j=1", "pdc"],
            ["-jx", "pdc"], ["-nj", "x", "pdc"], ["-jn"], ["--jp", "pdc"],
            ["stat", "-i"], ["stat", "-i", "0"], ["stat", "-i", "nan"],
            ["stat", "-i", "1e999"], ["stat", "-n", "0"], ["stat", "-o", "xml"],
            ["stat", "-z"], ["stat", "a", "b"], ["stat", "-o", "openmetrics", "-i", "1"],
            ["stat", "nosuch"], ["stat", "nosuch", "-i", "1"],
            ["stat", "nosuch", "-o", "openmetrics"],
            ["top", "x"], ["top", "-i"], ["top", "-n", "-1"],
            ["monitor", "no-such"], ["monitor", "peer"], ["monitor", "peer", "x"],
            ["monitor", "-n", "0"], ["peer", "add"], ["peer", "add", "x"],
            ["peer", "del", "10.0.0.0/8", "x"], ["peer", "show", "x"],
            ["param", "show", "a", "b"], ["param", "show", "no_such"],
            ["param", "set"], ["-b", "-", "pdc"], ["-b", "/no/such"], []):
        out, err = run(*words, rc=1)
        assert not out and (not words or "Error: " in err), (words, out, err)


@case
def garbage():
    """Whatever the words, the tool ends by itself, and says what is wrong"""
    rng = random.Random(1)
    some = (SHOWN + "peer param stat ss show del add set help peer local dev id job "
            "state ccc waiting limit -p -j -d -s -N -c -i -n -o 0 1 -1 10.0.0.1/8 "
            "fd00::/7 default all 99999999999999999999 ' \" \\ % %s%n".split() +
            ["", " ", "\n", "x" * 5000, "\x1b[31m", "\udcff\udcfe", "é"])
    for _ in range(150 // SLOW):
        words = [rng.choice(some) for _ in range(rng.randint(1, 6))]
        p = subprocess.run([TOOL, *words], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                           timeout=60 * SLOW, check=False)
        assert p.returncode in (0, 1, 2), (words, p.returncode, p.stderr)
        assert bool(p.stderr) == bool(p.returncode), (words, p.stderr)


@case
def help_for_everything():
    text = run("help")[0]
    assert run("-help")[0] == run("-h")[0] == text == run("--help")[0]
    objects = re.findall(r"^  ([a-z]+) +\w", text, re.M)
    assert set(SHOWN) | {"peer", "param", "stat", "monitor", "top", "ss"} <= \
        set(objects), objects
    for obj in objects:
        mine = run(obj, "help")[0]
        assert mine.startswith(f"Usage: uet {obj} "), mine
        for verb in re.findall(r"^  (show|add|set|del) ", mine, re.M):
            its = run(obj, verb, "help")[0]
            assert its.startswith(f"Usage: uet {obj} {verb}"), its


@case
def versions():
    loaded = "/sys/module/uet/version"
    with open(loaded) as f:
        number = f.read().strip()
    assert re.fullmatch(r"\d+\.\d+\.\d+(\+.*)?", number), number
    same = f"uet utility, {number}\nuet module, {number}\n"
    assert run("-V") == run("-Version") == (same, "")
    # As after an upgrade, with one before there were versions, and with none
    with tempfile.NamedTemporaryFile("w") as other:
        for text, module in (("0.0.1", "0.0.1"), ("", "without a version")):
            other.write(text)
            other.flush()
            said, note = run("-V", over=(other.name, loaded))
            assert said == same.replace(f"module, {number}", f"module, {module}"), said
            assert "rmmod uet" in note, note
            other.truncate(0)
    with tempfile.TemporaryDirectory() as empty:
        said, note = run("-V", over=(empty, "/sys/module"))
    assert said.endswith("uet module, not loaded\n") and not note, (said, note)


@case
def counters():
    uet = family()
    flat = {c["name"]: c["value"] for s in [uet.do("stats-get", {})]
            for k in ("counter", "gauge") for c in s.get(k, [])}
    got = {c["name"]: c for c in shown("-d", "stat")}
    assert set(got) == set(flat), set(got) ^ set(flat)
    again = {c["name"]: c["value"] for s in [uet.do("stats-get", {})]
             for k in ("counter", "gauge") for c in s.get(k, [])}
    for name, v in flat.items():
        if again[name] == v:
            assert got[name]["value"] == v, (name, v, got[name])
    assert got["MsgSent"]["value"] if "MsgSent" in got else True
    some = next(iter(flat))[:2]
    assert {c["name"] for c in shown("-d", "stat", some)} == \
        {n for n in flat if n.startswith(some)}
    for line in run("stat", "show")[0].splitlines():
        assert re.fullmatch(r"\w+ +(counter|gauge) +\d+", line), line
        assert line.split()[2] != "0", line


@case
def openmetrics():
    text = run("stat", "-o", "openmetrics")[0]
    assert "# HELP uet_tx_acks ACKs sent\n" in text, text
    plain = metrics(text)
    uet = family()
    n = sum(len(v) for k, v in uet.do("stats-get", {}).items()
            if k in ("counter", "gauge"))
    assert len(plain) == n, (len(plain), n)
    text = run("-d", "stat", "-o", "openmetrics")[0]
    # An explanation is more than the name
    short = re.findall(r"^# HELP \S+ (\S*)$", text, re.M)
    assert not short, short
    full = metrics(text)
    assert set(plain) <= set(full)
    cccs = {c["id"]: c for c in uet.dump("ccc-get", {})}
    sent = {l: v for (name, l), v in full.items()
            if name == "uet_ccc_sent_bytes_total"}
    assert len(sent) == len(cccs), (sent, cccs)
    for labels, v in sent.items():
        c = cccs[int(re.search(r'ccc="(\d+)"', labels).group(1))]
        assert plain_addr(c["remote"]) in labels, (labels, c)
        if c["wait"] == "nothing":
            assert v == c["sent-bytes"], (v, c)


@case
def batches():
    out, _ = run("-j", "-b", "-", stdin="fep show\n\n# a comment\n"
                 "pdc \\\n show peer '10.9.9.9' # another\n  \"ccc\"\n")
    docs = [json.loads(line) for line in out.splitlines()]
    assert len(docs) == 3 and docs[0] == shown("fep") and docs[1] == [], out
    with tempfile.NamedTemporaryFile("w") as f:
        f.write("param set rto_min_us 4ms\nno such\nparam set rto_min_us 5ms")
        f.flush()
        was = sysctl("rto_min_us")
        _, err = run("-b", f.name, rc=1)
        assert f"Command failed {f.name}:2" in err, err
        assert sysctl("rto_min_us") == "4000"
        _, err = run("-force", "-b", f.name, rc=1)
        assert f"Command failed {f.name}:2" in err, err
        assert sysctl("rto_min_us") == "5000"
        run("param", "set", "rto_min_us", was)
    _, err = run("-b", "/", rc=1)
    assert "directory" in err, err
    with subprocess.Popen([TOOL, "-j", "-b", "-"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True, bufsize=1) as p:
        # Answers come line by line, while more may be asked
        for words in "fep", "pdc":
            p.stdin.write(words + "\n")
            assert json.loads(p.stdout.readline()), words
        p.stdin.close()
        assert p.wait(60 * SLOW) == 0
    _, err = run("-b", "-", stdin="pdc 'open\n", rc=1)
    assert "-:1" in err, err
    run("-b", "-", stdin="x " * 5000 + "\n", rc=1)
    run("-b", "-", stdin="")
    run("-n", NS_B, "-b", "-", stdin="pdc\n")


@case
def colours():
    assert "\033[" in run("-c", "ccc")[0]
    assert "\033[" in run("-c=always", "ccc", NO_COLOR="1")[0]
    for words in ["-c=never"], ["-c=auto"], []:
        assert "\033[" not in run(*words, "ccc")[0]
    assert "\033[" not in run("-c", "ccc", NO_COLOR="1")[0]
    assert "\033[" in run("-c", "path")[0]
    bare = re.sub(r"\033\[\d+m", "", run("-c", "fep")[0])
    assert bare == run("fep")[0]
    assert "\033[" not in run("-c", "-j", "ccc")[0]


@case
def output_goes_nowhere():
    with open("/dev/full", "w", encoding="ascii") as full:
        for words in (["param"], ["-j", "ccc"], ["help"], ["stat"], ["path"], ["ss"],
                      ["explain", B4], ["monitor", "help"],
                      ["ping", B4, "count", "2", "interval", "0.1"]):
            p = subprocess.run([TOOL, *words], stdout=full, check=False,
                               stderr=subprocess.PIPE, text=True)
            assert p.returncode == 1 and "No space" in p.stderr, (words, p)
    for words in (["-d", "param"], ["stat", "-i", "0.01"], ["top", "-i", "0.01"],
                  ["path"], ["ping", B4, "interval", "0.1"]):
        r, w = os.pipe()
        os.close(r)
        p = subprocess.run([TOOL, *words], stdout=w, check=False, text=True,
                           stderr=subprocess.PIPE, timeout=60 * SLOW)
        os.close(w)
        # By the signal, or for the error where that is ignored
        assert p.returncode in (-13, 1) and not p.stderr, (words, p)
    # Started without standard files, the tool takes no socket of its own for one
    for words in ["-d", "param"], ["fep"], ["help"]:
        p = subprocess.run(["sh", "-c", 'exec "$@" <&- >&-', "sh", TOOL, *words],
                           stderr=subprocess.PIPE, text=True, check=False,
                           timeout=60 * SLOW)
        assert p.returncode == 1 and "Bad file descriptor" in p.stderr, (words, p)


@case
def who_may():
    def nobody(*words):
        return subprocess.run([TOOL, *words], user=65534, group=65534, text=True,
                              capture_output=True, check=False, extra_groups=[])
    for what in SHOWN + ["peer", "param", "stat", "ss"]:
        p = nobody("-j", "-d", "-s", what)
        assert p.returncode == 0, (what, p)
        json.loads(p.stdout)
    for words in (["param", "set", "rto_min_us", "9000"],
                  ["peer", "add", "10.9.0.0/16", "trust_jobs", "1"]):
        p = nobody(*words)
        assert p.returncode == 2, p
        assert "not permitted" in p.stderr, p


def main():
    uet_tool_live.add(CASES, run, TOOL, NS_B, SLOW)
    failed = 0
    for f in CASES:
        wrong = ""
        start = time.monotonic()
        try:
            f()
        except Exception as e:  # pylint: disable=broad-except
            wrong = (str(e) or repr(e)).replace("\n", " | ")[:2000]
            traceback.print_exc()
            failed = 1
        print(f"uet: {f.__name__.replace('_', ' ')}\t{wrong}", flush=True)
        print(f"{f.__name__}: {time.monotonic() - start:.1f} s", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())
