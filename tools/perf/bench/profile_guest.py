#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Runs what is to be profiled, in a guest whose emulator counts.

    profile_guest.py BUILD OUT

Each case is a phase of the profile. Writes into OUT what the report needs:
phases.json, which says what each was, and the addresses of functions.
UET_BENCH and ROWS choose as for bench_guest.py; with several CPUs it is 8 flows, see
cases.two_cpus().
"""
import json
import os
import sys

import cases
import measure
from bench_guest import chosen, networks
from network import Network, sh


def wanted(transports):
    if os.cpu_count() > 1:
        return list(cases.two_cpus([t for t in ("uet", "tcp")
                                    if t in transports]).values())
    if not os.environ.get("ROWS"):
        return cases.profiled(transports)
    found = []
    for name in chosen("ROWS", cases.PROFILE_SETS):
        if name == cases.MAIN:
            found += cases.request_response(transports)
            found += cases.bulks(transports)
        else:
            found += cases.further(name, transports)
    return list(dict.fromkeys(found))


def operations(case, packet):
    """How many, and what they are: bulk is told by full packets"""
    if case.kind == "bulk":
        return case.operations * case.size / packet, \
            f"packet of {packet} bytes"
    return case.operations, \
        "round trip" if case.kind == "trips" else "message"


def phase(case, row):
    n, per = operations(case, cases.PACKET[case.mtu])
    return {"table": cases.title(case), "per": per,
            "column": case.column,
            "operations": n if row else 0,
            # With several CPUs it counts no instructions
            "clock": row["clock_ns"] / n if row and os.cpu_count() == 1
            else None,
            "row": row}


def write_kallsyms(out):
    with open("/proc/sys/kernel/kptr_restrict", "w", encoding="ascii") as f:
        f.write("0")
    with open("/proc/kallsyms", encoding="ascii") as f, \
            open(os.path.join(out, "kallsyms"), "w", encoding="ascii") as to:
        to.write(f.read())


def main():
    build, out = sys.argv[1:3]
    phases = []
    for how, group in networks(wanted(chosen("UET_BENCH", cases.TRANSPORTS))):
        with Network(*how) as net:
            for case in map(cases.shortened, group):
                sh(f"{build}/mark", "next")
                row = measure.run(build, case, net)
                phases.append(phase(case, row))
                measure.note(f"profiled: {case.column}: {cases.title(case)}")
    write_kallsyms(out)
    with open(os.path.join(out, "phases.json"), "w", encoding="ascii") as f:
        json.dump(phases, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
