# SPDX-License-Identifier: GPL-2.0
"""
What links that go down do to the traffic: how long requests stalled at each
cut, and what became of the goodput after it.
"""

import bisect
import statistics


def moments(case):
    """Times at which a link goes down, in order."""
    return sorted({c["at"] + n * c["every"] for c in case["change"]
                   if c["down"] for n in range(c["times"])})


def answers(run):
    """(asked, answered) of each question, by connection of the answers."""
    out = {}
    for f in run.traffic.flows:
        done = run.raw.flows[f.nr][2]
        if f.since and f.measured and done >= 0:
            out.setdefault(f.conn.nr, []).append(
                (run.raw.flows[f.since.nr][1], done))
    return out


def stalls(run):
    """
    For each cut the time by which it delayed a question at worst, beyond the
    median of the same pair of hosts, in ns. A question counts for the cuts that
    came while it was on its way, or for the last one before it.
    """
    at, by_pair = moments(run.case), answers(run)
    if not at or not by_pair:
        return []
    end = min(pair[-1][1] for pair in by_pair.values())
    out = [0] * bisect.bisect_left(at, end)
    for pair in by_pair.values():
        usual = statistics.median(done - asked for asked, done in pair)
        for asked, done in pair:
            first = bisect.bisect_left(at, asked)
            last = min(bisect.bisect_left(at, done), len(out))
            for i in range(min(first, max(last - 1, 0)), last):
                out[i] = max(out[i], done - asked - usual)
    return out


def regained(run, start, end, group):
    """
    Goodput from start to end after a cut over that of as long a time just
    before it, of the group's connections together, at the worst cut.
    """
    total = {}
    for f in run.traffic.flows:
        if group in (None, f.conn.group):
            for t, n in run.raw.goodput.get(f.conn.nr, ()):
                total[t] = total.get(t, 0) + n
    times = sorted(total)
    sums = [0]
    for t in times:
        sums.append(sums[-1] + total[t])

    def between(a, b):
        return (sums[bisect.bisect_right(times, b)]
                - sums[bisect.bisect_right(times, a)])

    worst = 1.0
    for at in moments(run.case):
        before = between(at - (end - start), at)
        if times and at + end <= times[-1] and before:
            worst = min(worst, between(at + start, at + end) / before)
    return worst
