# SPDX-License-Identifier: GPL-2.0
"""Turns workloads into lists of connections and flows, by seed."""

import random
from dataclasses import dataclass, field

from . import collective, wire

FIRST_PID = 16              # UET processes of a host are numbered from here
FIRST_PORT = 5000           # of listeners
SOURCE_PORTS = range(32768, 61000)
FLOWS_MAX = 100_000         # of one run; the guest keeps them all in memory


class BadWorkload(Exception):
    """A workload that does not fit its fabric."""


@dataclass(eq=False)
class Conn:
    """A pair of processes; its flows follow one another."""
    transport: dict
    src: object
    dst: object
    read_rate: int = 0
    group: str = ""
    sport: int = 0
    dport: int = 0
    read_until: int = 0     # of a slow reader: at once from then on
    nr: int = -1


@dataclass(eq=False)
class Flow:
    conn: Conn
    start: int
    bytes: int              # 0: until stop
    stop: int = 0
    msg: int = 0
    after: "Flow" = None
    delay: int = 0
    measured: bool = True
    burst: bool = True      # shares its links with all others of the burst
    since: "Flow" = None    # measured from the start of this flow on
    steps: int = 0          # ring: steps that lie behind its end
    operation: str = ""     # collective: a round of it, by the hosts of the case
    nr: int = -1


@dataclass(eq=False)
class Traffic:
    conns: list = field(default_factory=list)
    flows: list = field(default_factory=list)
    # Programs of libfabric instead of flows: those are their rounds then.
    ranks: list = field(default_factory=list)       # hosts by rank
    works: list = field(default_factory=list)       # (operation, bytes, rounds)


class Builder:
    """Builds all workloads of a case with the random numbers of one seed."""

    def __init__(self, experiment, case, transport, fabric, seed):
        self.seed = seed
        self.experiment = experiment
        self.case = case
        self.fabric = fabric
        self.default = transport
        self.traffic = Traffic()
        for n, w in enumerate(case["workload"]):
            self.w = w
            # Of the seed alone: cases, transports and experiments are paired.
            self.rng = random.Random(f"flows/{seed}/{n}")
            self.transport = transport
            if w["transport"]:
                self.transport = experiment.transport(w["transport"])
            getattr(self, "do_" + w["kind"].replace("-", "_"))()
        self._number()

    def fail(self, key, reason):
        r = self.experiment.reader
        where = self.w["where"]
        raise BadWorkload(f"{r.path}:{r.lines.line((*where, key))}: {reason}")

    def host(self, key, name):
        node = self.fabric.by_name.get(name)
        if node is None or node.role != "host":
            self.fail(key, f"no host {name!r} in this fabric")
        return node

    def conn(self, src, dst):
        c = Conn(self.transport, src, dst, self.w.get("read_rate") or 0,
                 self.w["name"] or self.w["kind"])
        c.read_rate //= 8
        c.read_until = self.w.get("read_until") or 0
        self.traffic.conns.append(c)
        return c

    def flow(self, conn, nbytes, start=None, **kw):
        w = self.w
        if len(self.traffic.flows) == FLOWS_MAX:
            self.fail("kind", f"more than {FLOWS_MAX} flows")
        if start is None:
            start = w["start"]
            if w["jitter"]:
                start += self.rng.randrange(w["jitter"])
        msg = w["message"] or nbytes or 256 * 1024
        if conn.transport["proto"] == "udp":
            msg = wire.packet_payload(conn.transport, self.fabric.mtu)[0]
        f = Flow(conn, start, nbytes, msg=min(msg, nbytes or msg),
                 measured=kw.pop("measured", w["measured"]), **kw)
        self.traffic.flows.append(f)
        return f

    def pairs_across(self, n, first=0):
        """Pairs of hosts whose traffic crosses the fabric, by index."""
        hosts, half = self.fabric.hosts, len(self.fabric.hosts) // 2
        if first + n > half:
            self.fail("pairs", f"the fabric has {half} pairs of hosts")
        return [(hosts[i], hosts[half + i]) for i in range(first, first + n)]

    # --- kinds ------------------------------------------------------------

    def do_incast(self):
        w = self.w
        dst = self.host("receiver", w["receiver"])
        others = [h for h in self.fabric.hosts if h.leaf != dst.leaf]
        others += [h for h in self.fabric.hosts
                   if h.leaf == dst.leaf and h is not dst]
        if w["first"] + w["sources"] > len(others):
            self.fail("sources", f"only {len(others)} other hosts")
        for src in others[w["first"]:w["first"] + w["sources"]]:
            for _ in range(w["flows_per_source"]):
                self.flow(self.conn(src, dst), w["bytes"] or 0,
                          stop=w["stop"] or 0)

    def do_permutation(self):
        """Each host sends to one host of another leaf, each receives once."""
        w, hosts = self.w, self.fabric.hosts
        if len(self.fabric.leaves) < 2:
            self.fail("kind", "a permutation needs two leaves")
        while True:
            to = hosts[:]
            self.rng.shuffle(to)
            if self._cross(hosts, to):
                break
        for src, dst in zip(hosts, to):
            for _ in range(w["flows_per_host"]):
                self.flow(self.conn(src, dst), w["bytes"])

    def _cross(self, hosts, to):
        """Swaps those that stayed within a leaf; False: start again."""
        for i, src in enumerate(hosts):
            if to[i].leaf != src.leaf:
                continue
            for j in self.rng.sample(range(len(to)), len(to)):
                if to[j].leaf != src.leaf and to[i].leaf != hosts[j].leaf:
                    to[i], to[j] = to[j], to[i]
                    break
            else:
                return False
        return True

    def do_pairs(self):
        w = self.w
        pairs = self.pairs_across(w["pairs"], w["first"])
        if w["both_ways"]:
            pairs += [(b, a) for a, b in pairs]
        for src, dst in pairs:
            for _ in range(w["flows_per_pair"]):
                c = self.conn(src, dst)
                f = self.flow(c, w["bytes"] or 0, stop=w["stop"] or 0)
                for _ in range(w["repeat"] - 1):
                    f = self.flow(c, w["bytes"], after=f)

    def do_all_to_all(self):
        for src in self.fabric.hosts:
            for dst in self.fabric.hosts:
                if src is not dst:
                    self.flow(self.conn(src, dst), self.w["bytes"])

    def interleaved(self):
        """The hosts in an order in which neighbours lie in different leaves."""
        hosts, half = self.fabric.hosts, len(self.fabric.hosts) // 2
        order = [h for pair in zip(hosts[:half], hosts[half:]) for h in pair]
        return order + hosts[2 * half:]

    def do_ring(self):
        """All-reduce: 2 (n - 1) steps of an n-th each, host to host."""
        w, hosts = self.w, self.fabric.hosts
        n = len(hosts)
        ring = self.interleaved()
        conns = [self.conn(ring[i], ring[(i + 1) % n]) for i in range(n)]
        chunk = max(1, w["bytes"] // n)
        steps = 2 * (n - 1) * w["rounds"]
        prev = [None] * n
        for s in range(steps):
            last = s == steps - 1
            now = []
            for i in range(n):
                before = prev[i - 1]
                now.append(self.flow(conns[i], chunk, after=before,
                                     measured=last and w["measured"],
                                     burst=False, steps=steps))
            prev = now

    def do_load(self):
        """Poisson arrivals, from every host to hosts of other leaves."""
        w, f = self.w, self.fabric
        mean = sum(w["sizes"]) / len(w["sizes"])
        gap = mean * 8e9 / (w["load"] * f.rate)
        for src in f.hosts:
            others = [h for h in f.hosts if h.leaf != src.leaf]
            t = w["start"] + self.rng.expovariate(1 / gap)
            while t < w["start"] + w["duration"]:
                self.flow(self.conn(src, self.rng.choice(others)),
                          self.rng.choice(w["sizes"]), start=int(t),
                          burst=False)
                t += self.rng.expovariate(1 / gap)

    def do_requests(self):
        """Question and answer in turn; measured from question to answer."""
        w = self.w
        for a, b in self.pairs_across(w["pairs"], w["first"]):
            out, back = self.conn(a, b), self.conn(b, a)
            answer = None
            for _ in range(w["count"]):
                ask = self.flow(out, w["request"], measured=False, burst=False,
                                after=answer,
                                delay=w["think"] if answer else 0)
                answer = self.flow(back, w["response"], after=ask, since=ask,
                                   burst=False)

    def do_list(self):
        for one in self.w["flow"]:
            src = self.host("flow", one["from"])
            dst = self.host("flow", one["to"])
            if src is dst:
                self.fail("flow", "a flow needs two hosts")
            self.flow(self.conn(src, dst), one["bytes"],
                      start=self.w["start"] + one["start"], burst=False)

    def do_collective(self):
        """Each round counts as a flow, between no hosts in particular."""
        w, t = self.w, self.traffic
        t.ranks = self.interleaved()
        for size, rounds in zip(w["sizes"], w["rounds"]):
            why = collective.misfit(w["operation"], size, len(t.ranks))
            if why:
                self.fail("sizes", why)
            t.works.append((w["operation"], size, rounds))
            conn = self.conn(t.ranks[0], t.ranks[1])
            conn.group = collective.group(w["operation"], size)
            for _ in range(rounds):
                self.flow(conn, size, start=0, burst=False,
                          operation=w["operation"])

    # --- numbers ----------------------------------------------------------

    def _number(self):
        """Ports and process numbers, unique per host."""
        t = self.traffic
        pids, ports, source = {}, {}, {}
        for i, c in enumerate(t.conns):
            c.nr = i
            if c.transport["proto"] in ("uet", "rod"):
                for host, end in ((c.src, "sport"), (c.dst, "dport")):
                    pid = pids.get(host.name, FIRST_PID)
                    pids[host.name] = pid + 1
                    setattr(c, end, pid)
                continue
            ports[c.dst.name] = ports.get(c.dst.name, FIRST_PORT) + 1
            c.dport = ports[c.dst.name]
            taken = source.setdefault(c.src.name, set())
            rng = random.Random(f"ports/{self.seed}/{i}")
            while not c.sport or c.sport in taken:
                c.sport = rng.choice(SOURCE_PORTS)
            taken.add(c.sport)
        for i, f in enumerate(t.flows):
            f.nr = i


def build(experiment, case, transport, fabric, seed):
    return Builder(experiment, case, transport, fabric, seed).traffic
