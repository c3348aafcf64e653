# SPDX-License-Identifier: GPL-2.0
"""Raw runs into flows.jsonl, summary.json and a table."""

import json
import os
import statistics

from . import collective, cuts, expect, ideal, raw, sweep, topology, workload

STARVED = 9999.0            # ratio of an endless flow that got nothing
MATRIX_FROM = 8             # transports that are worth a table of the worst


def quantile(values, q):
    """The smallest value that at least a share q of all does not exceed."""
    v = sorted(values)
    return v[min(len(v) - 1, max(0, -(-int(q * len(v) * 1000) // 1000) - 1))]


def jain(values):
    total = sum(values)
    squares = sum(v * v for v in values)
    return total * total / (len(values) * squares) if squares else 0.0


# Student's t for 95 %, by degrees of freedom; 1.96 beyond.
T95 = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18,
       2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09)


def confidence(values):
    """Mean, and what it is uncertain by with 95 % confidence (None of one)."""
    mean = statistics.fmean(values)
    n = len(values)
    if n < 2:
        return mean, None
    t = T95[n - 2] if n - 2 < len(T95) else 1.96
    return mean, t * statistics.stdev(values) / n ** 0.5


def over_seeds(name, values):
    """A figure's mean over the seeds, with its margin."""
    mean, margin = confidence(values)
    out = {name + "_mean": round(mean, 4)}
    if margin is not None:
        out[name + "_ci95"] = round(margin, 4)
    return out


def times_over_seeds(lists):
    """The same of the times over ideal, one list for each seed."""
    lists = [v for v in lists if v]
    return {**over_seeds("p50", [statistics.median(v) for v in lists]),
            **over_seeds("p99", [quantile(v, 0.99) for v in lists]),
            **over_seeds("max", [max(v) for v in lists])}


def ratios_of(lists):
    """
    What a row says of completion times, for one workload; one list of flows for
    each seed.
    """
    flows = [f for v in lists for f in v]
    r = [f["over_ideal"] for f in flows]
    return {**times_over_seeds([[f["over_ideal"] for f in v] for v in lists]),
            "flows": len(r), "p50_over_ideal": round(statistics.median(r), 4),
            "p99_over_ideal": round(quantile(r, 0.99), 4),
            "max_over_ideal": round(max(r), 4),
            "ideal_us": round(max((f["ideal_ns"] for f in flows
                                   if "ideal_ns" in f), default=0) / 1000, 3)}


def by_workload(runs):
    """The same for each measured workload, if there are several."""
    groups = {}
    for nr, run in enumerate(runs):
        for f in run.flows:
            if f["measured"] and "over_ideal" in f:
                groups.setdefault(f["group"],
                                  [[] for _ in runs])[nr].append(f)
    if len(groups) < 2:
        return {}
    return {g: ratios_of(lists) for g, lists in groups.items()}


class Run:
    """One seed of one transport in one case, measured against its ideal."""

    def __init__(self, x, case, t, seed, folder):
        self.case, self.t, self.seed = case, t, seed
        self.raw = raw.Raw(folder)
        self.fabric = topology.Fabric(case)
        self.traffic = workload.build(x, case, t, self.fabric, seed)
        self.ideals = ideal.Ideals(self.fabric, self.traffic)
        self.flows = []         # dicts, as in flows.jsonl
        self.failed = []
        if len(self.raw.flows) != len(self.traffic.flows):
            raise raw.BadRun(f"{folder}: {len(self.raw.flows)} results of "
                             f"{len(self.traffic.flows)} flows")
        for (nr, start, done, acked, got, ok), f in zip(self.raw.flows,
                                                        self.traffic.flows):
            self._flow(f, start, done, acked, got, ok)

    def _flow(self, f, start, done, acked, got, ok):
        c = f.conn
        line = {"case": self.case["name"], "transport": self.t["name"],
                "seed": self.seed, "flow": f.nr, "group": c.group,
                "src": c.src.name, "dst": c.dst.name, "bytes": got,
                "start_ns": start, "content_ok": ok}
        if c.transport is not self.t:
            line["by"] = c.transport["name"]
        if not ok:
            self.failed.append(f"flow {f.nr}: wrong content")
        if f.bytes:
            ref = start
            if f.since:
                ref = self.raw.flows[f.since.nr][1]
            if f.steps:
                ref = 0
            if done >= 0:
                line["fct_ns"] = done - ref
                line["ideal_ns"] = round(self.ideals.flow_ns(f))
                line["over_ideal"] = round(line["fct_ns"] / line["ideal_ns"], 4)
                if acked >= 0:
                    line["acked_ns"] = acked - start
            else:
                self._unfinished(f, line, ref)
        else:
            span = f.stop - f.start
            fair = self.ideals.rate_bps(f)
            rate = got * 8e9 / span
            line["goodput_bps"] = round(rate)
            line["ideal_bps"] = round(fair)
            line["over_ideal"] = (round(min(fair / rate, STARVED), 4)
                                  if rate else STARVED)
        line["measured"] = f.measured
        self.flows.append(line)

    def _unfinished(self, f, line, ref):
        """Counts with the time the run lasted: it took longer than that."""
        line["unfinished"] = True
        if not f.measured:
            return
        line["ideal_ns"] = round(self.ideals.flow_ns(f))
        line["fct_ns"] = self.case["measure"]["until"] - max(ref, 0)
        line["over_ideal"] = round(line["fct_ns"] / line["ideal_ns"], 4)
        if f.conn.transport["proto"] in ("uet", "rod"):
            self.failed.append(f"flow {f.nr}: not finished")

    def unfinished(self):
        return sum("unfinished" in f and f["measured"] for f in self.flows)

    def ratios(self):
        return [f["over_ideal"] for f in self.flows
                if f["measured"] and "over_ideal" in f]

    def rates(self):
        """Of the measured flows, for Jain's index."""
        out = []
        for f in self.flows:
            if not f["measured"]:
                continue
            if "goodput_bps" in f:
                out.append(f["goodput_bps"])
            elif "fct_ns" in f:
                out.append(f["ideal_ns"] / f["fct_ns"])
        return out

    def shares(self):
        """Bytes of data by parallel uplink, over all leaves."""
        out = {}
        for leaf in self.fabric.leaves:
            for p in leaf.ports:
                if p.kind == "fabric" and p.peer.node.role == "spine":
                    n = self.raw.ports.get((leaf.name, p.dev), {})
                    name = p.peer.node.name
                    out[name] = out.get(name, 0) + n.get("data_bytes", 0)
        total = sum(out.values())
        return {k: round(v / total, 4) for k, v in out.items()} if total else {}

    def switches(self):
        return {n.name for n in self.fabric.nodes if n.role != "host"}


def repairs(runs):
    """How long lost packets were missing, in us: inside a flow, at its end."""
    out = {}
    for tail, name in enumerate(("inside", "tail")):
        us = sorted(ns / 1000 for r in runs for ns in r.raw.repairs[tail])
        out[f"repairs_{name}"] = len(us)
        for q in (50, 99):
            out[f"repair_{name}_p{q}_us"] = (round(quantile(us, q / 100), 1)
                                             if us else 0)
        out[f"repair_{name}_us"] = round(us[-1], 1) if us else 0
    us = sorted(ns / 1000 for r in runs for ns in r.raw.resent)
    out["trims_resent"] = len(us)
    for q in (50, 99):
        out[f"resent_p{q}_us"] = round(quantile(us, q / 100), 1) if us else 0
    out["resent_us"] = round(us[-1], 1) if us else 0
    return out


def row(case, t, runs):
    """One line of the summary: all seeds of one transport in one case."""
    ratios = [r for run in runs for r in run.ratios()]
    ideals = [f.get("ideal_ns", 0) for run in runs for f in run.flows
              if f["measured"]]
    causes, total = {}, 0
    for run in runs:
        n, by = run.raw.retransmissions()
        total += n
        for k, v in by.items():
            causes[k] = causes.get(k, 0) + v
    switches = runs[0].switches()

    def port(what):
        return sum(r.raw.total(what, switches) for r in runs)

    peaks = [p.get("peak", 0) for r in runs
             for (node, _), p in r.raw.ports.items() if node in switches]
    out = {
        "transport": t["name"], "case": case["name"], "proto": t["proto"],
        "cc": t["cc"], "policy": t["policy"],
        "trimming": bool(t["trimming"] and case["port"]["trim"]),
        "seeds": len(runs), "flows": len(ratios),
        "unfinished": sum(r.unfinished() for r in runs),
        "ideal_us": round(max(ideals, default=0) / 1000, 3),
        "p50_over_ideal": round(statistics.median(ratios), 4),
        "p99_over_ideal": round(quantile(ratios, 0.99), 4),
        "max_over_ideal": round(max(ratios), 4),
        "max_by_seed": [round(max(r.ratios()), 4) for r in runs],
        "jain": round(min(jain(r.rates()) for r in runs), 4),
        "drops": port("drops"), "lost": port("lost"),
        "blackholed": port("blackholed"),
        "marks": port("marks"), "trims": port("trims"),
        "peak_queue": max(peaks, default=0),
        "retransmissions": total, "retransmissions_by_cause": causes,
        "timeouts": causes.get("timeout", 0),
        "out_of_order": sum(r.raw.out_of_order() for r in runs),
        "share_per_path": runs[0].shares(),
    }
    out |= times_over_seeds([r.ratios() for r in runs])
    out |= over_seeds("jain", [jain(r.rates()) for r in runs])
    if "sweep" in case:
        out["sweep"] = case["sweep"]
    if workloads := by_workload(runs):
        out["workloads"] = workloads
    if runs[0].traffic.works:
        out["collectives"] = collective.figures(runs)
    groups = {}
    for run in runs:
        for f in run.flows:
            if "goodput_bps" in f:
                groups.setdefault(f["group"], []).append(f["goodput_bps"])
    if len(groups) > 1:
        out["goodput_mbps"] = {k: round(sum(v) / len(runs) / 1e6)
                               for k, v in groups.items()}
    stalls = [s for run in runs for s in cuts.stalls(run)]
    if stalls:
        out["cuts"] = len(stalls)
        out["stall_p99_us"] = round(quantile(stalls, 0.99) / 1000, 1)
        out["stall_max_us"] = round(max(stalls) / 1000, 1)
    if case["measure"]["repairs"]:
        out |= repairs(runs)
    taps = [r.raw.reordered for r in runs if r.raw.reordered]
    if taps:
        packets, late = (sum(t[i] for t in taps) for i in (0, 1))
        out["late_packets"] = round(late / max(packets, 1), 4)
        out["late_by_at_most"] = max(t[2] for t in taps)
    return out


def summary(x, results):
    """results: list of (case, transport, [Run])."""
    there = {t["name"] for _, t, _ in results}
    missing = [t["name"] for t in x.transports
               if t["name"] not in there and not t["only_beside"]]
    rows = [row(c, t, runs) for c, t, runs in results]
    return {"experiment": x.name, "title": x.title, "ideal": x.ideal,
            "left_out": missing, "rows": rows,
            **({"sweep": {"label": x.sweep.label, "figures": x.sweep.figures,
                          "group": x.sweep.group}} if x.sweep else {}),
            "expectations": expect.judge(x, results, rows)}


def write(folder, x, results):
    with open(os.path.join(folder, "flows.jsonl"), "w") as f:
        for _, _, runs in results:
            for run in runs:
                for flow in run.flows:
                    f.write(json.dumps(flow, sort_keys=True) + "\n")
    s = summary(x, results)
    with open(os.path.join(folder, "summary.json"), "w") as f:
        json.dump(s, f, indent=1)
        f.write("\n")
    with open(os.path.join(folder, "table.txt"), "w") as f:
        f.write(table(s))
    return s


COLUMNS = (("case", "case"), ("transport", "transport"), ("trim", "trimming"),
           ("ideal us", "ideal_us"), ("median", "p50_over_ideal"),
           ("99 %", "p99_over_ideal"), ("max", "max_over_ideal"),
           ("mean max", "max_mean"),
           ("Jain", "jain"), ("drops", "drops"), ("marks", "marks"),
           ("trims", "trims"), ("retx", "retransmissions"),
           ("peak queue", "peak_queue"))


RATIOS = ("p50_over_ideal", "p99_over_ideal", "max_over_ideal", "max_mean",
          "jain", "ideal_us")


def cells(r):
    """The shown text of a row; what it has not is empty."""
    out = []
    for _, key in COLUMNS:
        v = r.get(key)
        if v is None:
            v = ""
        elif isinstance(v, bool):
            v = "yes" if v else "no"
        elif key.endswith("over_ideal"):
            v = f"{v:.2f}" if v < 100 else f"{v:.0f}"
            if r[key] >= STARVED:
                v = "starved"
        elif key == "max_mean":
            v = f"{v:.2f}" if v < 100 else f"{v:.0f}"
            if "max_ci95" in r:
                v += f" +-{r['max_ci95']:.2f}"
        elif key == "jain":
            v = f"{v:.3f}"
        elif key == "ideal_us":
            v = f"{v:.1f}" if v else "-"
        out.append(str(v))
    return out


def lines(r):
    """
    A row, and one for each workload if there are several: their ratios have
    nothing to do with each other, the network's counters are of all.
    """
    network = cells({k: v for k, v in r.items() if k not in RATIOS})
    if "collectives" in r:          # a table of theirs has the ratios
        return [network]
    if "workloads" not in r:
        return [cells(r)]
    out = [network]
    for name, w in r["workloads"].items():
        out.append(cells({"case": r["case"],
                          "transport": f"{r['transport']}: {name}", **w}))
    return out


def matrix(s):
    """
    The longest time of each transport in each case, the worst of all seeds, and
    how much seeds differ; None where that would say no more than the table.
    """
    cases = list(dict.fromkeys(r["case"] for r in s["rows"]))
    names = list(dict.fromkeys(r["transport"] for r in s["rows"]))
    if len(cases) < 2 or len(names) < MATRIX_FROM:
        return None
    by = {(r["transport"], r["case"]): r for r in s["rows"]}
    out = [["transport", *cases]]
    for name in names:
        line = [name]
        for case in cases:
            r = by.get((name, case))
            line.append(_worst(r) if r else "-")
        out.append(line)
    return out


def _worst(r):
    worst, seeds = r["max_over_ideal"], r["max_by_seed"]
    if worst >= STARVED:
        return "starved"
    text = f"{worst:.2f}" if worst < 100 else f"{worst:.0f}"
    if len(seeds) > 1:
        text += f" ({statistics.stdev(seeds):.2f})"
    return text


def table_rows(s):
    """The head and all lines; columns of flows are left out where ranks ran."""
    rows = [[h for h, _ in COLUMNS]] + [c for r in s["rows"] for c in lines(r)]
    if any("collectives" in r for r in s["rows"]):
        there = [i for i in range(len(rows[0])) if any(r[i] for r in rows[1:])]
        rows = [[r[i] for i in there] for r in rows]
    return rows


def _lined_up(rows, left):
    """Columns under one another, the first ones to the left."""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    return "".join("  ".join(c.ljust(w) if i < left else c.rjust(w)
                             for i, (c, w) in enumerate(zip(r, widths))).rstrip()
                   + "\n" for r in rows)


def table(s):
    rows = table_rows(s)
    if all(r[0] == "-" for r in rows[1:]):
        rows = [r[1:] for r in rows]
    text = f"{s['experiment']}: {s['title']}\n" + _lined_up(rows, 2)
    if over := sweep.table(s):
        text += sweep.words(s) + "\n" + _lined_up(
            over, over[0].index("transport") + 1)
    if sides := collective.table(s):
        text += collective.words(s) + "\n" + _lined_up(sides, 1)
    for v in s["expectations"]:
        text += "  " + expect.text(v) + "\n"
    return text
