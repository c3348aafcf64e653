# SPDX-License-Identifier: GPL-2.0
"""Reads the description of an experiment; every fault has file, line, reason."""

import copy
import os
import re
import tomllib

from . import collective, cuts, expect, sweep, units
from .locate import Lines


class BadDescription(Exception):
    """What is wrong in an experiment file, with file and line."""


def _text(v):
    if not isinstance(v, str) or not v.strip():
        raise ValueError("must be text")
    return v.strip()


def _word(v):
    if not isinstance(v, str) or not re.fullmatch(r"[a-z0-9][a-z0-9+_.-]*", v):
        raise ValueError("must be a word of small letters, digits, - and .")
    return v


def _folder(v):
    """Results of a case are kept under its name."""
    if not isinstance(v, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9+_.-]*",
                                                  v):
        raise ValueError("must be a word of letters, digits, - and .")
    return v


def _flag(v):
    if not isinstance(v, bool):
        raise ValueError("must be true or false")
    return v


def _count(low, high):
    def check(v):
        if not isinstance(v, int) or isinstance(v, bool) or not low <= v <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return v
    return check


def _choice(*names):
    def check(v):
        if v not in names:
            raise ValueError("must be one of " + ", ".join(names))
        return v
    return check


def _many(check):
    def each(v):
        if not isinstance(v, list) or not v:
            raise ValueError("must be a list")
        return [check(x) for x in v]
    return each


def _range(check, low, high):
    def bounded(v):
        n = check(v)
        if not low <= n <= high:
            raise ValueError(f"{v!r} is out of range")
        return n
    return bounded


def _trim(v):
    """A threshold; "auto" is for the fabric to work out."""
    if v in ("off", "auto"):
        return None if v == "off" else v
    return _range(units.size, 1, 2**31)(v)


def _names(v):
    """One word or a list of them."""
    return _many(_word)(v if isinstance(v, list) else [v])


def _links(v):
    """One link or a list of them, for changes that go round."""
    return _many(_text)(v if isinstance(v, list) else [v])


def _limit(v):
    if isinstance(v, bool) or not isinstance(v, (int, float)) or v < 0:
        raise ValueError("must be a number")
    return float(v)


def _scalar(v):
    if isinstance(v, bool) or not isinstance(v, (str, int, float)):
        raise ValueError("must be words or numbers")
    return v


def _mark(v):
    """A step, or the two thresholds between which marking grows."""
    if v in ("off", "auto"):
        return None if v == "off" else v
    ends = v if isinstance(v, list) else [v, v]
    if len(ends) != 2:
        raise ValueError("must be a size or a list of two")
    low, high = (_range(units.size, 1, 2**31)(x) for x in ends)
    if low > high:
        raise ValueError("the lower threshold is above the upper one")
    return [low, high]


def _sysctls(v):
    if not isinstance(v, dict):
        raise ValueError("must be a table")
    for key, value in v.items():
        if not re.fullmatch(r"net(\.[A-Za-z0-9_-]+)+", key):
            raise ValueError(f"{key!r} is not a setting below net.")
        if not re.fullmatch(r"[\x21-\x7e]+", str(value)):
            raise ValueError(f"bad value of {key}")
    return {k: str(x) for k, x in v.items()}


_rate = _range(units.rate, 10**6, 10**12)
_delay = _range(units.time, 0, 10**9)
_moment = _range(units.time, 0, 10**12)
_bytes = _range(units.size, 1, 2**40)

# Keys of each table: what checks them, and the value they have by default.
# A default of "..." means that the key must be there.
FABRIC = {
    "kind": (_choice("leaf-spine", "three-tier"), "leaf-spine"),
    "leaves": (_count(1, 16), 2),
    "spines": (_count(1, 64), 4),
    "hosts_per_leaf": (_count(1, 64), 4),
    "pods": (_count(2, 8), 2),
    "cores": (_count(1, 64), 4),
    "rate": (_rate, ...),
    "spine_rate": (_rate, None),
    "core_rate": (_rate, None),
    "delay": (_delay, 1000),
    "mtu": (_count(576, 65000), 4224),
    "ports_per_host": (_count(1, 4), 1),
}
PORT = {
    "model": (_choice("trim", "stock"), "trim"),
    "limit": (_range(units.size, 1000, 2**31), 10**6),
    "mark": (_mark, "auto"),
    "trim": (_trim, "auto"),
    "trim_size": (_count(64, 1024), 64),
}
HOST = {
    "tx_delay": (_delay, 2000),
    "rx_delay": (_delay, 5000),
    "moderation": (_delay, 8000),
    "rx_cost": (_delay, 0),
    "queue": (_range(units.size, 1000, 2**31), 16 * 10**6),
    "qdisc": (_choice("fq_codel", "fq", "pfifo"), None),
}
MEASURE = {
    "until": (_moment, 2 * 10**9),
    "settle": (_moment, 5 * 10**6),
    "ports": (_moment, 100 * 10**3),
    "windows": (_moment, 100 * 10**3),
    "goodput": (_moment, 0),
    "reordering": (_flag, False),
    "repairs": (_flag, False),
}
CHANGE = {
    "at": (_moment, 0),
    "link": (_links, None),
    "rehash": (_names, None),
    "every": (_moment, 0),
    "times": (_count(1, 100000), 1),
    "rate": (_rate, None),
    "delay": (_delay, None),
    "loss": (units.share, None),
    "down": (_flag, False),
    "up": (_flag, False),
}
TRANSPORT = {
    "name": (_word, ...),
    "proto": (_choice("tcp", "mptcp", "uet", "rod", "udp"), ...),
    "provider": (_choice(*collective.PROVIDERS), None),
    "cc": (_word, None),
    "policy": (_word, None),
    "trimming": (_flag, False),
    "initial_window": (_count(1, 65535), None),
    "rto_min": (_delay, None),
    "tuned": (_flag, True),
    "sysctl": (_sysctls, {}),
    "cases": (_many(_word), None),
    "only_beside": (_flag, False),
}
EXPECT = {
    "what": (_choice(*dict.fromkeys((*expect.ROW, *expect.STRETCH))), ...),
    "case": (_text, None),
    "transport": (_names, ...),
    "at_least": (_limit, None),
    "at_most": (_limit, None),
    "from": (_moment, 0),
    "to": (_moment, None),
    "group": (_text, None),
    "against": (_names, None),
    "against_case": (_text, None),
    "known": (_text, None),
}
SWEEP = {
    "key": (_text, ...),
    "values": (_many(_scalar), ...),
    "label": (_folder, None),
    "workload": (_word, None),
    "figure": (lambda v: _many(_choice(*sweep.FIGURES))(
        v if isinstance(v, list) else [v]),
        ["p50_over_ideal", "p99_over_ideal", "max_over_ideal"]),
    "group": (_word, None),
}
FLOW = {
    "from": (_word, ...),
    "to": (_word, ...),
    "bytes": (_bytes, ...),
    "start": (_moment, 0),
}
WORKLOAD_COMMON = {
    "kind": (_text, ...),
    "name": (_word, None),
    "transport": (_word, None),
    "measured": (_flag, True),
    "start": (_moment, 0),
    "jitter": (_delay, 1000),
    "message": (_bytes, None),
}
WORKLOADS = {
    "incast": {
        "receiver": (_word, "h0"), "sources": (_count(1, 256), ...),
        "flows_per_source": (_count(1, 256), 1), "bytes": (_bytes, None),
        "stop": (_moment, None), "read_rate": (_rate, None),
        "read_until": (_moment, None),
        "first": (_count(0, 255), 0),
    },
    "permutation": {
        "flows_per_host": (_count(1, 64), 1), "bytes": (_bytes, ...),
    },
    "pairs": {
        "pairs": (_count(1, 256), ...), "flows_per_pair": (_count(1, 64), 1),
        "bytes": (_bytes, None), "stop": (_moment, None),
        "both_ways": (_flag, False), "first": (_count(0, 255), 0),
        "read_rate": (_rate, None), "read_until": (_moment, None),
        "repeat": (_count(1, 10000), 1),
    },
    "all-to-all": {"bytes": (_bytes, ...)},
    "ring": {"bytes": (_bytes, ...), "rounds": (_count(1, 100), 1)},
    "load": {
        "load": (_range(units.share, 0.001, 1), ...),
        "sizes": (_many(_bytes), ...), "duration": (_moment, ...),
    },
    "requests": {
        "pairs": (_count(1, 256), ...), "request": (_bytes, ...),
        "response": (_bytes, ...), "count": (_count(1, 100000), ...),
        "think": (_delay, 0), "first": (_count(0, 255), 0),
    },
    "list": {"flow": (None, ...)},
    "collective": {
        "operation": (_choice(*collective.OPERATIONS), ...),
        "sizes": (_many(_bytes), ...),
        "rounds": (_many(_count(1, 10000)), ...),
    },
}
TOP = ("name", "title", "about", "ideal", "seeds", "fabric", "port", "host",
       "measure", "workload", "transport", "case", "change", "expect",
       "sweep")


def keys_of(name, table):
    """What checks the keys of a table, or (None) settings."""
    if name is None:
        return _sysctls
    if name == "workload":
        return WORKLOAD_COMMON | WORKLOADS[table["kind"]]
    return {"fabric": FABRIC, "port": PORT, "host": HOST, "measure": MEASURE,
            "change": CHANGE}[name]


class Reader:
    """Checks tables key by key and remembers where in the file they stand."""

    def __init__(self, path):
        self.path = path
        try:
            with open(path, encoding="utf-8") as f:
                self.text = f.read()
        except OSError as e:
            raise BadDescription(f"{path}: {e.strerror}") from None
        except UnicodeDecodeError as e:
            line = e.object.count(b"\n", 0, e.start) + 1
            raise BadDescription(f"{path}:{line}: not UTF-8") from None
        try:
            self.data = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as e:
            m = re.search(r"at line (\d+)", str(e))
            end = self.text.count("\n") or 1
            raise BadDescription(f"{path}:{m.group(1) if m else end}: "
                                 f"{str(e).split(' (at')[0]}") from None
        self.lines = Lines(self.text)

    def fail(self, where, reason):
        raise BadDescription(f"{self.path}:{self.lines.line(where)}: {reason}")

    def table(self, where, data, keys, partial=False):
        """The checked table; a partial one gets no defaults."""
        if not isinstance(data, dict):
            self.fail(where, f"{where[-1]} must be a table")
        out = {}
        for key, value in data.items():
            if key not in keys:
                known = ", ".join(sorted(keys))
                self.fail((*where, key), f"unknown key {key!r} (known: {known})")
            try:
                out[key] = keys[key][0](value) if keys[key][0] else value
            except (ValueError, TypeError) as e:
                self.fail((*where, key), f"{key}: {e}")
        if partial:
            return out
        for key, (_, default) in keys.items():
            if key in out:
                continue
            if default is ...:
                self.fail(where, f"{key!r} is missing")
            out[key] = copy.deepcopy(default)
        return out

    def tables(self, where, data):
        """A table or a list of tables, always as a list of (where, table)."""
        if isinstance(data, list):
            return [((*where, i), t) for i, t in enumerate(data)]
        return [(where, data)]

    def workload(self, where, data):
        kind = data.get("kind") if isinstance(data, dict) else None
        if kind is None:
            self.fail(where, "a workload needs a kind")
        if not isinstance(kind, str) or kind not in WORKLOADS:
            self.fail((*where, "kind"), f"unknown kind {kind!r} (known: "
                      + ", ".join(WORKLOADS) + ")")
        w = self.table(where, data, WORKLOAD_COMMON | WORKLOADS[kind])
        if kind == "list":
            w["flow"] = [self.table(p, t, FLOW) for p, t in
                         self.tables((*where, "flow"), w["flow"])]
        if kind in ("incast", "pairs") and (w["bytes"] is None) == \
                (w["stop"] is None):
            self.fail(where, "give either bytes or stop")
        if kind == "collective":
            self.collective(where, w)
        w["where"] = where
        return w

    def collective(self, where, w):
        if len(w["rounds"]) != len(w["sizes"]):
            self.fail((*where, "rounds"), "give a number for each of the sizes")
        if any(n % collective.WORD for n in w["sizes"]):
            self.fail((*where, "sizes"),
                      f"a size is a multiple of {collective.WORD} bytes")

    def change(self, where, data):
        c = self.table(where, data, CHANGE)
        what = (c["rate"], c["delay"] is not None, c["loss"] is not None,
                c["down"], c["up"])
        if (c["link"] is None) == (c["rehash"] is None):
            self.fail(where, "a change needs either link or rehash")
        if c["link"] and not any(what):
            self.fail(where, "a change needs rate, loss, delay, down or up")
        if c["rehash"] and any(what):
            self.fail(where, "rate, loss, delay, down and up are of a link")
        if c["down"] and c["up"]:
            self.fail(where, "a link goes either down or up")
        if (c["times"] > 1) != bool(c["every"]):
            self.fail(where, "a change that repeats needs every and times")
        c["where"] = where
        return c

    def parts(self, where, data, partial):
        """The tables that a case may change."""
        out = {}
        for name, keys in (("fabric", FABRIC), ("port", PORT), ("host", HOST),
                           ("measure", MEASURE)):
            if name in data or not partial:
                out[name] = self.table((*where, name), data.get(name, {}),
                                       keys, partial)
        for name, one in (("workload", self.workload),
                          ("change", self.change)):
            if name in data:
                out[name] = [one(p, t) for p, t in
                             self.tables((*where, name), data[name])]
        return out


class Experiment:
    """A checked description: cases x transports on one fabric."""

    def __init__(self, path):
        r = Reader(path)
        self.reader = r
        self.path = path
        d = r.data
        for key in d:
            if key not in TOP:
                r.fail((key,), f"unknown key {key!r}")
        head = r.table((), {k: d[k] for k in d if k in
                            ("name", "title", "about", "ideal", "seeds")},
                       {"name": (_word, ...), "title": (_text, ...),
                        "about": (_text, ...), "ideal": (_text, ...),
                        "seeds": (_count(1, 1000), 3)})
        self.name, self.title = head["name"], head["title"]
        self.about, self.ideal = head["about"], head["ideal"]
        self.seeds = head["seeds"]
        if "fabric" not in d:
            r.fail((), "the table 'fabric' is missing")
        self.base = r.parts((), d, partial=False)
        self.base.setdefault("change", [])
        self.transports = self._transports(d.get("transport"))
        self.cases = self._cases(d.get("case"))
        self.sweep = self._sweep(d["sweep"]) if "sweep" in d else None
        for c in self.cases:
            self._check_case(c)
        self.expectations = self._expectations(d.get("expect", []))

    def _transports(self, data):
        r = self.reader
        if not isinstance(data, list):
            r.fail(("transport",), "at least one [[transport]] is needed")
        out = []
        for i, t in enumerate(data):
            where = ("transport", i)
            t = r.table(where, t, TRANSPORT)
            if t["name"] in (o["name"] for o in out):
                r.fail((*where, "name"), f"{t['name']!r} is there twice")
            if t["policy"] and t["proto"] not in ("uet", "rod"):
                r.fail((*where, "policy"), "only uet and rod have a policy")
            if t["rto_min"] and t["proto"] not in ("tcp", "mptcp"):
                r.fail((*where, "rto_min"), "only tcp and mptcp have rto_min")
            if t["trimming"] and t["proto"] not in ("uet", "rod"):
                r.fail((*where, "trimming"), "only uet and rod are trimmed")
            if t["provider"] and t["proto"] != \
                    collective.PROVIDERS[t["provider"]]:
                r.fail((*where, "provider"), "the provider is one of proto = "
                       f"{collective.PROVIDERS[t['provider']]!r}")
            for key in ("cc", "policy"):
                if t["provider"] and t["proto"] == "uet" and t[key]:
                    r.fail((*where, key), "the provider takes that of "
                           f"net.uet.{'path_policy' if key == 'policy' else key}")
            t["where"] = where
            out.append(t)
        return out

    def _cases(self, data):
        r = self.reader
        if data is None:
            data = [{"name": "-"}]
        if not isinstance(data, list):
            r.fail(("case",), "cases are written as [[case]]")
        out = []
        for i, t in enumerate(data):
            where = ("case", i)
            if not isinstance(t, dict) or "name" not in t:
                r.fail(where, "a case needs a name")
            for key in t:
                if key not in ("name", "fabric", "port", "host", "measure",
                               "workload", "change"):
                    r.fail((*where, key), f"unknown key {key!r}")
            name = t["name"]
            if name != "-":
                name = r.table(where, {"name": name}, {"name": (_folder, ...)})
                name = name["name"]
            if name in (o["name"] for o in out):
                r.fail((*where, "name"), f"{name!r} is there twice")
            c = copy.deepcopy(self.base)
            for key, value in r.parts(where, t, partial=True).items():
                if isinstance(value, dict):
                    c[key].update(value)
                else:
                    c[key] = value
            c["name"] = name
            out.append(c)
        return out

    def _sweep(self, data):
        """The cases at each value, besides those as they are."""
        r = self.reader
        where = ("sweep",)
        for c in self.cases:
            if not c.get("workload"):
                r.fail((), "a [workload] is needed")
        t = r.table(where, data, SWEEP)
        try:
            s = sweep.Sweep(t)
            self.cases += s.expand(self.cases, keys_of)
        except sweep.BadSweep as e:
            r.fail((*where, e.key), str(e))
        return s

    def _check_case(self, case):
        r = self.reader
        if not case.get("workload"):
            r.fail((), "a [workload] is needed")
        names = {t["name"] for t in self.transports}
        for w in case["workload"]:
            if w["transport"] and w["transport"] not in names:
                r.fail((*w["where"], "transport"),
                       f"no transport {w['transport']!r}")
        self._check_ranks(case)
        for t in self.transports:
            for c in t["cases"] or []:
                if c not in (x["name"] for x in self.cases):
                    r.fail((*t["where"], "cases"), f"no case {c!r}")

    def _check_ranks(self, case):
        """Programs of libfabric run in all hosts, or flows do."""
        r = self.reader
        ranks = {w["kind"] == "collective" for w in case["workload"]}
        if len(ranks) == 2:
            r.fail(case["workload"][0]["where"],
                   "flows and collective operations do not mix")
        for t in self.transports:
            if bool(t["provider"]) not in ranks:
                r.fail(t["where"], "a transport has a provider if the workload "
                       "is collective, and only then")

    def _expectations(self, data):
        r = self.reader
        cases = {c["name"] for c in self.cases}
        names = {t["name"] for t in self.transports}
        out = []
        for where, t in r.tables(("expect",), data):
            e = r.table(where, t, EXPECT)
            if (e["at_least"] is None) == (e["at_most"] is None):
                r.fail(where, "give either at_least or at_most")
            for key in ("case", "against_case"):
                if e[key] and e[key] not in cases:
                    r.fail((*where, key), f"no case {e[key]!r}")
            for key in ("transport", "against"):
                for name in e[key] or []:
                    if name not in names:
                        r.fail((*where, key), f"no transport {name!r}")
            if e["to"] is None and e["what"] not in expect.ROW:
                r.fail(where, f"{e['what']} needs from and to")
            if e["what"] in expect.CUT:
                self._check_cuts(where, e)
            if e["to"] is not None:
                self._check_stretch(where, e)
            out.append(e)
        return out

    def _check_cuts(self, where, e):
        for c in self.cases:
            if sweep.is_of(e["case"], c) and not cuts.moments(c):
                self.reader.fail(where, f"{e['what']} needs links going down")

    def _check_stretch(self, where, e):
        r = self.reader
        if e["what"] not in expect.STRETCH:
            r.fail((*where, "what"), f"{e['what']} is not of a stretch")
        if e["to"] <= e["from"]:
            r.fail((*where, "to"), "the stretch has no length")
        sampled = "ports" if e["what"] == "queue_us" else "goodput"
        for c in self.cases:
            if sweep.is_of(e["case"], c) and not c["measure"][sampled]:
                r.fail(where, f"{e['what']} needs samples: measure.{sampled}")

    def runs(self):
        """Every (case, transport) that is to be measured."""
        for c in self.cases:
            for t in self.transports:
                if t["only_beside"]:
                    continue
                if self.sweep and ("sweep" in c) != \
                        self.sweep.concerns(c, t, self.transport):
                    continue
                if t["cases"] is None or sweep.base(c) in t["cases"]:
                    yield c, t

    def transport(self, name):
        return next(t for t in self.transports if t["name"] == name)


def find(folder, name):
    return os.path.join(folder, name + ".toml")
