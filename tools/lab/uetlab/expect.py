# SPDX-License-Identifier: GPL-2.0
"""
What a description expects of its own rows, and whether they do.

A figure is one of a row of the summary, or one of a stretch of time: then it is
taken from the samples of the runs, and the worst seed counts.
"""

from . import cuts, sweep, wire

# Of a stretch; everything else names a figure of the summary's row.
STRETCH = {
    "utilisation": "of a host link's payload capacity",
    "jain": "Jain index",
    "queue_us": "us of queue at the busiest switch port",
    "regained": "of the goodput before, after the worst cut",
}
# Of links that go down.
CUT = ("regained", "cuts", "stall_p99_us", "stall_max_us")
ROW = ("p50_over_ideal", "p99_over_ideal", "max_over_ideal", "jain", "drops",
       "marks", "trims", "retransmissions", "out_of_order", "peak_queue",
       "unfinished", "late_packets", "late_by_at_most", "repairs_inside",
       "repair_inside_us", "repairs_tail", "repair_tail_us", "timeouts",
       "trims_resent", "resent_p50_us", "resent_p99_us", "resent_us",
       *CUT[1:])


def busy(run, f, e):
    """Whether a flow had something to send in the stretch."""
    if f.start >= e["to"]:
        return False
    done = run.raw.flows[f.nr][2]
    return not 0 <= done <= e["from"] if f.bytes else f.stop > e["from"]


def received(run, e):
    """Bytes by connection of the group that had to send in the stretch."""
    some = {f.conn.nr: f.conn.group for f in run.traffic.flows
            if busy(run, f, e)}
    return {nr: sum(n for t, n in run.raw.goodput.get(nr, ())
                    if e["from"] < t <= e["to"])
            for nr, group in some.items() if e["group"] in (None, group)}


def mean(points, start, end):
    """Over time, of a quantity that is told whenever it changes."""
    total, value, since = 0.0, 0, start
    for t, v in points:
        if t >= end:
            break
        if t > since:
            total += value * (t - since)
            since = t
        value = v
    return (total + value * (end - since)) / (end - start)


def stretch(run, e):
    """The figure of one seed."""
    if e["what"] == "queue_us":
        rates = {(n.name, p.dev): p.rate for n in run.fabric.nodes
                 for p in n.ports}
        return max((mean([(t, b) for t, b, _ in q], e["from"], e["to"])
                    * 8e6 / rates[key] for key, q in run.raw.queues.items()),
                   default=0.0)
    if e["what"] == "regained":
        return cuts.regained(run, e["from"], e["to"], e["group"])
    got = list(received(run, e).values())
    if e["what"] == "jain":
        total, squares = sum(got), sum(v * v for v in got)
        return total * total / (len(got) * squares) if squares else 0.0
    payload, head = wire.packet_payload(run.t, run.fabric.mtu)
    capacity = run.fabric.rate * payload / (payload + head)
    return sum(got) * 8e9 / (e["to"] - e["from"]) / capacity


def figure(e, runs, row):
    if e["to"] is None:
        one = row.get("workloads", {}).get(e["group"], row)
        return one[e["what"]]
    worst = min if e["at_least"] is not None else max
    return worst(stretch(run, e) for run in runs)


def told(e):
    """The figure in words."""
    out = e["what"]
    if e["group"]:
        out += " of " + e["group"]
    if e["to"] is not None:
        out += f" from {e['from'] / 1e6:g} to {e['to'] / 1e6:g} ms"
    return out


def one(e, case, name, there):
    """The verdict for one row; None where it was not measured."""
    if (case, name) not in there:
        return None
    value = figure(e, *there[case, name])
    least = e["at_least"] is not None
    limit = e["at_least"] if least else e["at_most"]
    out = {"case": case, "transport": name, "what": told(e),
           "value": round(value, 4)}
    if e["against"] or e["against_case"]:
        others = [(figure(e, *there[key]), key) for key in
                  ((e["against_case"] or case, n)
                   for n in e["against"] or [name]) if key in there]
        if not others:
            return None
        best, other = (max if least else min)(others)
        limit *= best
        out["against"] = " ".join(n for n in other if n != "-")
    out["at_least" if least else "at_most"] = round(limit, 4)
    out["met"] = bool(value >= limit if least else value <= limit)
    if e["known"]:
        out["known"] = e["known"]
    return out


def judge(x, results, rows):
    """All verdicts; results and rows as in the summary."""
    there = {(c["name"], t["name"]): (runs, row)
             for (c, t, runs), row in zip(results, rows)}
    out = []
    for e in x.expectations:
        for case in x.cases:
            if not sweep.is_of(e["case"], case):
                continue
            for name in e["transport"]:
                verdict = one(e, case["name"], name, there)
                if verdict:
                    out.append(verdict)
    return out


def text(v):
    """A verdict as a line; a miss may have a reason that is known."""
    who = " ".join(n for n in (v["case"], v["transport"]) if n != "-")
    sign, limit = (("at least", v["at_least"]) if "at_least" in v
                   else ("at most", v["at_most"]))
    than = f" (by {v['against']})" if "against" in v else ""
    why = "; " + " ".join(v["known"].split()) if not v["met"] and "known" in v else ""
    return (f"{'met' if v['met'] else 'MISSED':6s} {who}: {v['what']} "
            f"{v['value']:g}, {sign} {limit:g}{than}{why}")
