#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The reference page of settings against the loaded module: what netlink tells of each,
both ends of each range for namespaces and prefixes, and options of sockets.

    settings.py PAGE TOOL

Prints a line per setting: name, tab, what went wrong or nothing.
"""
import json
import re
import socket
import subprocess
import sys

PAGE, TOOL = sys.argv[1:3]
PREFIX = "10.99.0.0/16"
AF_UET, SOL_UET = 25, 300
SCOPES = {"namespace": "net", "prefix": "peer", "socket": "sock"}
TRAITS = {"live": "live", "computed": "auto", "power of two": "power-of-2",
          "capped": "capped"}
# UET_CC, UET_PATH_POLICY, UET_TRAFFIC_CLASS, and what else a socket shows
SOCK = {"congestion_control": 2, "path_policy": 3, "path_policy_ordered": 3,
        "dscp_data": 5, "rmem": socket.SO_RCVBUF, "wmem": socket.SO_SNDBUF}


def uet(*words):
    """(exit status, both outputs)"""
    p = subprocess.run([TOOL, *words], stdout=subprocess.PIPE, check=False,
                       stderr=subprocess.STDOUT, text=True)
    return p.returncode, p.stdout


class Setting:
    """An entry of the page"""

    def __init__(self, name, line, text):
        where, kind, *rest = line.split("; ")
        self.name, self.help = name, text
        self.scope = {SCOPES[w] for w in where.split(", ")}
        self.unit, _, span = kind.partition(", ")
        ends = re.search(r"(-?\d+) (?:to|or) (\d+)$", span)
        least = re.search(r"at least (\d+)", span)
        self.low = int(ends[1]) if ends else int(least[1]) if least else None
        self.high = int(ends[2]) if ends else None
        self.zero = span.startswith("0 or ") and self.low != 0
        self.default = self.spec = self.floor = None
        self.machine, self.traits = False, set()
        for word in rest:
            if word.startswith("default by the memory"):
                self.machine = True
            elif word.startswith("default "):
                self.default = word[8:]
            elif word.endswith(" in profile spec"):
                self.spec = word.split(" ")[0]
            elif word.startswith("floor "):
                self.floor = int(word[6:])
            else:
                self.traits.add(TRAITS[word])
        # What follows from the rest
        self.traits |= {"or-zero"} if self.zero else set()
        self.traits |= {"machine"} if self.machine else set()


def entries():
    with open(PAGE, encoding="utf-8") as f:
        found = re.findall(r"^``(\w+)``\n\t(.*)\n\n\t(.*)\.$", f.read(), re.M)
    return [Setting(*e) for e in found]


def differs(s, told):
    """What netlink tells, against the page"""
    traits = set(told.get("traits", []))
    if told["scope"] and "net" not in told["scope"]:
        traits.discard("auto")
    # The module counts the memory of this machine for these
    high = None if "capped" in traits and s.machine else told.get("most")
    page = {"scope": s.scope, "unit": s.unit, "least": s.low, "traits": s.traits,
            "most": None if high is None else s.high,
            "default": s.default, "help": s.help}
    kernel = {"scope": set(told["scope"]), "unit": told["unit"],
              "least": told.get("least"), "traits": traits, "most": high,
              "default": None if s.machine or "default" not in told else
              str(told["default"]), "help": told["help"][0].upper() + told["help"][1:]}
    for key, value in page.items():
        if value != kernel[key]:
            return f"{key} is {kernel[key]}, not {value}"
    return ""


def values(s):
    """(valid, invalid)"""
    if s.low is None:
        return [], ["nonsense"]
    good = [s.low] + ([] if s.high is None else [s.high]) + ([0] if s.zero else [])
    bad = [s.low - 1] + ([] if s.high is None else [s.high + 1])
    # 0 is none of the range in other places
    return good, [b for b in bad if b or not s.zero]


def of_prefix(s):
    good, bad = values(s)
    for value in good:
        uet("peer", "del", PREFIX)
        rc, text = uet("peer", "add", PREFIX, s.name, str(value))
        if rc:
            return f"a prefix does not take {value}: {text.strip()}"
        shown = json.loads(uet("-j", "peer", "show", PREFIX)[1])[0]
        if shown.get(s.name) != value:
            return f"a prefix has {shown} after {value}"
    for value in bad:
        uet("peer", "del", PREFIX)
        rc, text = uet("peer", "add", PREFIX, s.name, str(value))
        if rc != 2:
            return f"a prefix takes {value}"
        if good and s.high is not None and f"{s.low} to {s.high}" not in text:
            return f"the range is not told: {text.strip()}"
    uet("peer", "del", PREFIX)
    return ""


def of_namespace(s):
    before = json.loads(uet("-j", "param", "show", s.name)[1])[0]["value"]
    if s.default is not None and str(before) != s.default:
        return f"is {before}, not {s.default}"
    good, bad = values(s)
    if "capped" in s.traits:
        good = good[:1]
    for value in good:
        rc, text = uet("param", "set", s.name, str(value))
        now = json.loads(uet("-j", "param", "show", s.name)[1])[0]["value"]
        if rc or now != value:
            return f"{value} is not taken: {text.strip()}"
        if text.startswith("Note: ") == ("live" in s.traits):
            return f"it is said to hold for what exists, or not: {text.strip()}"
        with open(f"/proc/sys/net/uet/{s.name}", encoding="ascii") as f:
            if f.read().strip() != str(value):
                return f"the sysctl is not {value}"
    for value in bad:
        if uet("param", "set", s.name, str(value))[0] != 2:
            return f"{value} is taken"
    rc, text = uet("param", "set", s.name, str(before))
    return text.strip() if rc else ""


def of_socket(s):
    """An option takes what the namespace has, or shows it"""
    fd = socket.socket(AF_UET, socket.SOCK_RDM)
    with fd:
        value = json.loads(uet("-j", "param", "show", s.name)[1])[0]["value"]
        if s.name in ("rmem", "wmem"):
            got = fd.getsockopt(socket.SOL_SOCKET, SOCK[s.name])
            return "" if got in (value, 2 * value) else f"a socket has {got}"
        good = [value.encode()] if s.low is None else [s.low, s.high - 1]
        bad = [b"nonsense"] if s.low is None else [s.high]
        for v in good:
            fd.setsockopt(SOL_UET, SOCK[s.name], v)
        for v in bad:
            try:
                fd.setsockopt(SOL_UET, SOCK[s.name], v)
            except OSError:
                continue
            return f"a socket takes {v}"
    return ""


def check(s, told):
    return (differs(s, told) or
            ("net" in s.scope and of_namespace(s)) or
            ("peer" in s.scope and of_prefix(s)) or
            ("sock" in s.scope and of_socket(s)) or "")


def main():
    page = entries()
    told = json.loads(uet("-j", "-d", "param", "show")[1])
    names = [s.name for s in page]
    print("the page and netlink have the same settings\t"
          f"{'' if names == [t['name'] for t in told] and len(names) > 80 else names}")
    for s, t in zip(page, told):
        why = " ".join(check(s, t).split())
        print(f"{s.name}: {', '.join(sorted(s.scope))}\t{why}", flush=True)


if __name__ == "__main__":
    main()
