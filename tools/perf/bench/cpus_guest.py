#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a second CPU is worth: 8 flows on one and on two. Runs in the guest.

    cpus_guest.py BUILD OUT

Time is that of the emulator, which runs each CPU in a thread of its own: only
ratios of one run say something, and of those that came in turn. Writes cpus.json
into OUT.
"""
import json
import os
import statistics
import sys

import cases
import compare
import measure
from bench_guest import say
from network import Network

TRANSPORTS = "uet", "tcp"
CPUS = 1, 2
REPEATS = 7


def judge(runs):
    """MB/s and ratios, of medians; runs: {(transport, cpus): [row, ...]}"""
    middle = {key: {**rows[0], "cost": statistics.median(
        r["cost"] for r in rows)} for key, rows in runs.items()}
    speeds = {key: 1000 / row["cost"] for key, row in middle.items()}
    ratios = {}
    for n in CPUS:
        # Of speeds, so the other way round than that of costs
        ratios[f"uet_over_tcp_{n}"] = compare.compare(
            middle["tcp", n], middle["uet", n])[0]
    for t in TRANSPORTS:
        ratios[f"{t}_2_over_1"] = round(speeds[t, 2] / speeds[t, 1], 3)
    return speeds, ratios


def table(runs, speeds, ratios):
    yield f"\n8 flows, bulk of 64 KiB, MB/s: medians of {REPEATS} in turn"
    for (t, n), rows in runs.items():
        every = " ".join(f"{1000 / r['cost']:.1f}" for r in rows)
        yield (f"{t:5}{n} CPU{'s' * (n > 1):1}{speeds[t, n]:9.1f}   "
               f"waits {rows[0]['conditions']['waits']}   ({every})")
    for name, value in ratios.items():
        yield f"{name}: {value if value is not None else 'refused'}"


def main():
    build, out = sys.argv[1:3]
    wanted = [cases.eight_flows([t], cpus=n, total=2 * cases.MIB)[0]
              for n in CPUS for t in TRANSPORTS]
    runs = {(c.transport, c.cpus): [] for c in wanted}
    with Network() as net:
        for _ in range(REPEATS):
            for case in wanted:
                row = measure.run(build, case, net)
                if not row:
                    sys.exit(f"{cases.title(case)}: {case.transport} failed")
                runs[case.transport, case.cpus].append(row)
                measure.note(f"{case.transport}: {cases.title(case)}: "
                             f"{1000 / row['cost']:.1f} MB/s")
    speeds, ratios = judge(runs)
    say(table(runs, speeds, ratios))
    with open(os.path.join(out, "cpus.json"), "w", encoding="ascii") as f:
        json.dump({"ratios": ratios,
                   "rows": [{"transport": t, "cpus": n, "rows": rows}
                            for (t, n), rows in runs.items()]}, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
