# SPDX-License-Identifier: GPL-2.0
"""Reads what a run left behind: flows, samples, counters, ports."""

import json
import os

# Counters that say why something was sent again, by the name of the cause.
TCP_CAUSES = {
    "timeout": ("TcpExt", "TCPTimeouts"),
    "fast": ("TcpExt", "TCPFastRetrans"),
    "slow-start": ("TcpExt", "TCPSlowStartRetrans"),
    "tail-probe": ("TcpExt", "TCPLossProbes"),
    "lost-again": ("TcpExt", "TCPLostRetransmit"),
}
UET_CAUSES = {
    "timeout": "RetxRto", "sack": "RetxSack", "out-of-order": "RetxOooCount",
    "tail-probe": "RetxProbe", "trimmed": "RetxTrim", "nack": "RetxNack",
    "go-back": "RetxGoBack", "receiver": "RetxInfer",
}


class BadRun(Exception):
    """A run without usable results."""


class Raw:
    """One run; times in ns from the common start."""

    def __init__(self, folder):
        self.folder = folder
        self.flows = []         # (flow, start, done, acked, bytes, ok)
        self.windows = {}       # conn -> [(t, cwnd, inflight, rtt)]
        self.goodput = {}       # conn -> [(t, bytes)]
        self.queues = {}        # (node, dev) -> [(t, backlog, peak)]
        self.counters = {}      # phase -> node -> name -> value
        self.reordered = None   # packets, late ones, largest extent, extents
        self.repairs = ([], []) # ns that packets were missing: inside, tails
        self.resent = []        # ns until trimmed packets left again
        self._devs = {}
        self._ended = False
        with open(os.path.join(folder, "raw")) as f:
            self._read(f)
        if not self._ended:
            raise BadRun(f"{folder}: the run did not reach its end")
        self._rounds(os.path.join(folder, "collectives"))
        self.ports = self._ports()

    def _read(self, f):
        for line in f:
            w = line.split()
            if not w:
                continue
            kind = w[0]
            if kind == "flow":
                nr, _, start, done, acked, got = map(int, w[1:7])
                self.flows.append((nr, start, done, acked, got, w[7] == "ok"))
            elif kind == "q":
                key = (w[2], self._devs[(w[2], w[3])])
                self.queues.setdefault(key, []).append(
                    (int(w[1]), int(w[4]), int(w[5])))
            elif kind == "w":
                self.windows.setdefault(int(w[2]), []).append(
                    (int(w[1]), int(w[3]), int(w[4]), int(w[5])))
            elif kind == "g":
                self.goodput.setdefault(int(w[2]), []).append(
                    (int(w[1]), int(w[3])))
            elif kind == "reorder":
                self._reorder(w)
            elif kind == "repair":
                self._repair(w)
            elif kind == "resent":
                self.resent.append(int(w[1]))
            elif kind == "dev":
                self._devs[(w[1], w[2])] = w[3]
            elif kind == "counters":
                self._counters(f, *w[1:4])
            elif kind == "end":
                self._ended = True

    def _rounds(self, path):
        """Those of collective operations, each like a flow from 0 on."""
        if not os.path.exists(path):
            return
        with open(path) as f:
            for line in f:
                one = json.loads(line)
                for ns in one["rounds_ns"]:
                    self.flows.append((len(self.flows), 0, ns, -1,
                                       one["bytes"], True))

    def _counters(self, f, phase, node, name):
        """Either pairs of lines (names, values) or a name and a value each."""
        out = self.counters.setdefault(phase, {}).setdefault(node, {})
        head = None
        for line in f:
            w = line.split()
            if line.startswith("endcounters"):
                return
            if name == "uet_stat":
                if len(w) == 2 and w[1].lstrip("-").isdigit():
                    out["Uet." + w[0].rstrip(":")] = int(w[1])
                elif len(w) > 2 and head and head[0] == w[0]:
                    for k, v in zip(head[1:], w[1:]):
                        out["Uet." + k] = int(v)
                    head = None
                else:
                    head = w
                continue
            if head and head[0] == w[0]:
                for k, v in zip(head[1:], w[1:]):
                    out[w[0].rstrip(":") + "." + k] = int(v)
                head = None
            else:
                head = w

    def _reorder(self, w):
        """Sums up hosts; extents are counted by powers of two."""
        if w[-1] == "full":
            raise BadRun(f"{self.folder}: packet ring of {w[1]} was too small")
        packets, late, largest, *extents = map(int, w[2:])
        if self.reordered is None:
            self.reordered = [0, 0, 0, [0] * len(extents)]
        r = self.reordered
        r[0] += packets
        r[1] += late
        r[2] = max(r[2], largest)
        r[3] = [a + b for a, b in zip(r[3], extents)]

    def _repair(self, w):
        if w[1] == "full":
            raise BadRun(f"{self.folder}: a packet ring was too small")
        self.repairs[int(w[1])].append(int(w[2]))

    def _ports(self):
        """(node, dev) -> what the port did, from tc(8)."""
        out = {}
        for name in sorted(os.listdir(self.folder)):
            if not (name.startswith("tc.") and name.endswith(".json")):
                continue
            node = name[3:-5]
            with open(os.path.join(self.folder, name)) as f:
                for q in json.load(f):
                    self._port(out.setdefault((node, q["dev"]), {}), q)
        return out

    @staticmethod
    def _port(port, q):
        kind = q["kind"]
        if kind == "trim":
            port |= {"bytes": q["bytes"], "packets": q["packets"],
                     "drops": q["drops"], "marks": q.get("marks", 0),
                     "trims": q.get("trims", 0), "lost": q.get("lost", 0),
                     "blackholed": q.get("blackholed", 0),
                     "peak": q.get("data", {}).get("peak", 0),
                     "data_bytes": q.get("data", {}).get("bytes", 0)}
        elif kind == "tbf":
            port |= {"bytes": q["bytes"], "packets": q["packets"],
                     "drops": q["drops"], "trims": 0, "data_bytes": q["bytes"]}
        elif kind == "red":
            port["marks"] = q.get("marked", 0)

    def counter(self, name):
        """Sum over hosts of what a counter grew by during the run."""
        after, before = (self.counters.get(k, {}) for k in ("after", "before"))
        return sum(c.get(name, 0) - before.get(node, {}).get(name, 0)
                   for node, c in after.items())

    def retransmissions(self):
        """Total and by cause."""
        causes = {}
        for cause, (table, name) in TCP_CAUSES.items():
            causes[cause] = causes.get(cause, 0) + self.counter(f"{table}.{name}")
        total = self.counter("Tcp.RetransSegs")
        for cause, name in UET_CAUSES.items():
            n = self.counter("Uet." + name)
            causes[cause] = causes.get(cause, 0) + n
            total += n
        return total, {k: v for k, v in causes.items() if v}

    def out_of_order(self):
        return (self.counter("TcpExt.TCPOFOQueue")
                + self.counter("Uet.RxOutOfOrder"))

    def total(self, what, switches):
        return sum(p.get(what, 0) for (node, _), p in self.ports.items()
                   if node in switches)
