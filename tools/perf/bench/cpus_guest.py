#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a second CPU is worth: 8 flows on one and on two, and on two where packets of
a flow come to both. Runs in the guest.

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
from bench_guest import networks, say
from network import Network

TRANSPORTS = "uet", "tcp"
REPEATS = 7
TOTAL = 2 * cases.MIB


def wanted():
    """{(transport, how): case}"""
    return {**{(t, "1"): cases.eight_flows([t], cpus=1, total=TOTAL)[0]
               for t in TRANSPORTS}, **cases.two_cpus(TRANSPORTS, total=TOTAL)}


def judge(runs):
    """MB/s and ratios, of medians; runs: {(transport, how): [row, ...]}"""
    middle = {key: {**rows[0], "cost": statistics.median(
        r["cost"] for r in rows)} for key, rows in runs.items()}
    speeds = {key: 1000 / row["cost"] for key, row in middle.items()}
    ratios = {}
    for t, how in runs:
        if t != "uet":
            continue
        tcp = middle["tcp", how.split(",")[0]]
        # Of speeds, so the other way round than that of costs
        ratios[f"uet over tcp, {how}"] = compare.compare(
            tcp, middle["uet", how])[0]
    for t in TRANSPORTS:
        ratios[f"{t}, 2 over 1"] = round(speeds[t, "2"] / speeds[t, "1"], 3)
    return speeds, ratios


def acks(rows):
    """ACKs for a request, as the module counts them"""
    sent = sum(r["runs"]["tx_requests"] for r in rows)
    return sum(r["runs"]["tx_acks"] for r in rows) / sent if sent else 0


def table(runs, speeds, ratios):
    yield f"\n8 flows, bulk of 64 KiB, MB/s: medians of {REPEATS} in turn"
    for (t, how), rows in runs.items():
        every = " ".join(f"{1000 / r['cost']:.1f}" for r in rows)
        more = f", ACKs {acks(rows):.2f}" if t == "uet" else ""
        yield (f"{t:5}{how:24}{speeds[t, how]:9.1f}   "
               f"waits {rows[0]['conditions']['waits']}{more}   ({every})")
    for name, value in ratios.items():
        yield f"{name}: {value if value is not None else 'refused'}"


def main():
    build, out = sys.argv[1:3]
    keys = {case: key for key, case in wanted().items()}
    runs = {key: [] for key in keys.values()}
    for how, group in networks(wanted().values()):
        with Network(*how) as net:
            for case in REPEATS * group:
                row = measure.run(build, case, net)
                if not row:
                    sys.exit(f"{cases.title(case)}: {case.transport} failed")
                runs[keys[case]].append(row)
                measure.note(f"{case.transport}: {cases.title(case)}: "
                             f"{1000 / row['cost']:.1f} MB/s")
    speeds, ratios = judge(runs)
    say(table(runs, speeds, ratios))
    with open(os.path.join(out, "cpus.json"), "w", encoding="ascii") as f:
        json.dump({"ratios": ratios,
                   "rows": [{"transport": t, "how": how, "rows": rows}
                            for (t, how), rows in runs.items()]}, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
