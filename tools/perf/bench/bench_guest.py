#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Measures what transports cost, in guest instructions. Runs in the guest.

    bench_guest.py BUILD OUT

The guest has one CPU and its clock counts instructions (QEMU -icount
shift=0), so nanoseconds are instructions of both ends together. Every figure
is the median over rounds of the program "rounds", which makes the same system
calls of all transports. Writes bench.json into OUT and prints tables.

In the environment: UET_BENCH=NAME,... chooses among transports, ROWS=NAME,...
among sets of rows (see cases.py), FULL=1 adds what takes long.
"""
import json
import os
import subprocess
import sys

import cases
import compare
import idle
import measure
import tables
from network import CLIENT, Network, inside, sh

AIMS = {
    "request-response of 100 bytes, AF_UET / TCP": ("rr_100_uet_over_tcp", 0.83),
    "bulk of 1 MiB at MTU 4224, AF_UET / TCP without offload":
        ("bulk_1m_uet_over_tcp_noseg", 1.0),
    "... in runs of 8 / TCP with offload": ("bulk_1m_uet_over_tcp_offload", 0.95),
    "bulk of 64 KiB, in runs of 8 / TCP with offload":
        ("bulk_64k_uet_over_tcp_offload", 0.95),
    "memory of an idle PDC, bytes": ("idle_pdc_bytes", 512),
}
# Which rows a ratio is of: kind, size, offload, at MTU 4224; packets of a run
RATIOS = {
    "rr_100_uet_over_tcp": (("trips", 100, None), 0),
    "bulk_1m_uet_over_tcp_noseg": (("bulk", 1 << 20, False), 0),
    "bulk_64k_uet_over_tcp_offload": (("bulk", 65536, True), 8),
    "bulk_1m_uet_over_tcp_offload": (("bulk", 1 << 20, True), 8),
}


def chosen(variable, known):
    """Names in a variable of the environment; all if it is not there"""
    names = [n for n in os.environ.get(variable, "").split(",") if n]
    for n in names:
        if n not in known:
            sys.exit(f"{variable}: no {n}; there are: {' '.join(known)}")
    return names or list(known)


def networks(wanted):
    """Cases by the network that they need, in order"""
    found = {}
    for case in wanted:
        found.setdefault(case.network, []).append(case)
    return found.items()


def rows_of(build, wanted):
    """Runs cases, each once: [(case, row)] in their order"""
    done = {}
    for how, group in networks(dict.fromkeys(wanted)):
        with Network(*how) as net:
            for case in group:
                done[case] = row = measure.run(build, case, net)
                measure.note(f"{case.column}: {cases.title(case)}: "
                             f"{row and row['cost']}")
    return [(case, done[case]) for case in wanted]


def as_json(case, row, key):
    """A row as bench.json has it; "size" is that of the message"""
    row = row or {}
    return {"mtu": case.mtu, "size": case.shown or case.size,
            "transport": case.column, key: row.get("cost"), "packets": row.get("packets"),
            "conditions": row.get("conditions"), "runs": row.get("runs")}


def as_further_json(name, case, row):
    return {"set": name, "what": cases.title(case), "kind": case.kind,
            **as_json(case, row, "instructions_per_byte"
                      if case.kind == "bulk" else "instructions")}


def ratios(rows, pdc_bytes):
    """Ratios of AF_UET to TCP, and why some are refused"""
    def find(transport, kind, size, offload, run=0):
        return next((r for c, r in rows if (
            c.transport, c.kind, c.shown or c.size, c.offload, c.mtu, c.run) ==
            (transport, kind, size, offload, 4224, run)), None)

    values, refused = {}, {}
    for key, (what, run) in RATIOS.items():
        values[key], why = compare.compare(find("uet", *what, run),
                                           find("tcp", *what))
        if why:
            refused[key] = why
    return {**values, "idle_pdc_bytes": pdc_bytes}, refused


def soft_roce():
    """Why soft-RoCE is not measured, found by trying."""
    if subprocess.run(["modprobe", "rdma_rxe"], check=False,
                      stderr=subprocess.DEVNULL).returncode:
        return "this kernel has no rdma_rxe"
    with Network():
        added = subprocess.run(
            ["ip", "netns", "exec", CLIENT, "rdma", "link", "add", "rxe0",
             "type", "rxe", "netdev", "veth0"], check=False, text=True,
            stderr=subprocess.PIPE)
        if added.returncode:
            return "no device: " + added.stderr.strip()
        if not inside(CLIENT, "ss", "-Huln", "sport", "=", "4791"):
            return ("its device on a link of a network namespace receives "
                    "nothing: UDP port 4791 is open in the initial one only")
        return "its device can receive here, but nothing here drives it yet"


def main_rows(build, transports, result):
    trips = rows_of(build, cases.request_response(transports))
    bulk = rows_of(build, cases.bulks(transports))
    result["request_response"] = [as_json(c, r, "instructions")
                                  for c, r in trips]
    result["bulk"] = [as_json(c, r, "instructions_per_byte") for c, r in bulk]
    result["left_out"] = {"soft-RoCE": soft_roce()}
    result["idle"] = idle.measure(build) if "uet" in transports else {}
    result["ratios"], result["refused"] = ratios(
        trips + bulk, result["idle"].get("bytes_per_pdc"))
    say(tables.side_by_side("instructions per round trip", trips, ".0f"))
    say(tables.side_by_side("instructions per byte, bulk", bulk, ".2f"))
    return trips + bulk


def further_rows(build, names, transports, result):
    full = bool(os.environ.get("FULL"))
    wanted = [(name, case) for name in names
              for case in cases.further(name, transports, full)]
    rows = rows_of(build, [case for _, case in wanted])
    result["further"] = [as_further_json(name, *row) for (name, _), row
                         in zip(wanted, rows)]
    say(tables.further(rows))
    return rows


def say(lines):
    print("\n".join(lines))


def aims(result):
    for name, reason in result["left_out"].items():
        print(f"\nnot measured: {name}: {reason}")
    print("\naims")
    ok = True
    for text, (key, limit) in AIMS.items():
        value = result["ratios"][key]
        met = value is not None and value <= limit
        ok = ok and met
        print(f"  {text}: {value} (at most {limit}) "
              f"{'met' if met else 'MISSED'}")
    if result["idle"]:
        print(f"  an end of a context with its peer, flow and path values: "
              f"{result['idle']['bytes_per_context']:.0f} bytes")
    for key, why in result["refused"].items():
        print(f"  {key} is refused: {'; '.join(why)}")
    result["aims_met"] = ok


def main():
    build, out = sys.argv[1:3]
    transports = chosen("UET_BENCH", cases.TRANSPORTS)
    sets = chosen("ROWS", cases.SETS)
    sh("modprobe", "sctp", check=False)
    result = {"kernel": os.uname().release}
    rows = []
    if cases.MAIN in sets:
        rows += main_rows(build, transports, result)
    names = [n for n in sets if n != cases.MAIN]
    if names:
        rows += further_rows(build, names, transports, result)
    say(tables.how_they_ran(rows))
    if cases.MAIN in sets:
        aims(result)
    with open(os.path.join(out, "bench.json"), "w", encoding="ascii") as f:
        json.dump(result, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
