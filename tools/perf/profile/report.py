#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tells a profile: tables of groups and functions, phases side by side.

    report.py [--top N] [--objects FOLDER] FOLDER

FOLDER has what the plug-in wrote (counts), the guest's kallsyms and phases.json,
which says what each phase was; profile.json is written there. --objects: where the
modules' objects are, see tools/vm/modules.
"""
import argparse
import json
import os
import sys

import groups
import read
import summary
import symbols

# Of the instructions that the clock has, so many may be missing or too many
CLOCK_TOLERANCE = 0.02


def column(phase, what, value):
    """What phases.json says of it, and its counts per operation"""
    per = what["operations"]
    names = sorted(phase.functions,
                   key=lambda n: -phase.functions[n][value])
    return {
        **what,
        value: phase.total(value) / per,
        "groups": {g: c[value] / per for g, c in phase.groups.items()},
        "functions": {n: {value: phase.functions[n][value] / per,
                          "calls": phase.calls[n] / per} for n in names},
    }


def tables(total, phases, value):
    """Phases that belong side by side, in the order of phases.json

    Each has "table" (a title), "per" (an operation), "column", "operations".
    """
    found = {}
    for number, what in enumerate(phases, 1):
        table = found.setdefault(what["table"], {
            "title": what["table"], "per": what["per"], "columns": {}})
        if what["operations"]:
            table["columns"][what["column"]] = column(
                total.phases[number], what, value)
    return [t for t in found.values() if t["columns"]]


def lines(table, order, value, top):
    """A table as text"""
    cols = table["columns"].values()
    width = 34

    def row(name, cells, form="{:>12.0f}"):
        return f"{name:{width}.{width}}" + "".join(
            form.format(c) for c in cells)

    yield f"{table['title']}: {value} per {table['per']}"
    yield row("", table["columns"], "{:>12.12}")
    for g in order:
        cells = [c["groups"].get(g, 0) for c in cols]
        if any(c >= 0.5 for c in cells):
            yield row(g, cells)
    yield row("all", [c[value] for c in cols])
    if all(c.get("clock") for c in cols):
        yield row("by the clock", [c["clock"] for c in cols])
    yield ""
    names = {n: max(c["functions"].get(n, {}).get(value, 0) for c in cols)
             for c in cols for n in c["functions"]}
    for n in sorted(names, key=lambda n: -names[n])[:top]:
        yield row(n, [c["functions"].get(n, {}).get(value, 0) for c in cols])
    yield ""


def doubts(table):
    """Columns whose clock says something else than their counts"""
    for name, c in table["columns"].items():
        clock = c.get("clock")
        if clock and abs(c["insns"] / clock - 1) > CLOCK_TOLERANCE:
            yield (f"{table['title']}, {name}: {c['insns']:.0f} instructions, "
                   f"{clock:.0f} by the clock: it waited, or something ran "
                   "that was not counted")


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--top", type=int, default=40, metavar="N",
                    help="functions of a table (40)")
    ap.add_argument("--objects", metavar="FOLDER")
    ap.add_argument("folder")
    args = ap.parse_args()

    def inside(name):
        return os.path.join(args.folder, name)

    paths = symbols.object_paths(args.objects) if args.objects else {}
    with open(inside("phases.json"), encoding="ascii") as f:
        phases = json.load(f)
    try:
        counts = read.load(inside("counts"))
    except (read.Damaged, OSError) as e:
        sys.exit(f"report: {e}")
    with open(inside("kallsyms"), encoding="ascii") as f:
        syms = symbols.Symbols(f, {"uet": paths})
    rules = groups.load()
    total = summary.Summary(counts, syms, rules)
    value = counts.names[0]
    done = tables(total, phases, value)
    for table in done:
        print("\n".join(lines(table, rules.names, value, args.top)))
        for doubt in doubts(table):
            print(f"note: {doubt}\n")
    with open(inside("profile.json"), "w", encoding="ascii") as f:
        json.dump({"groups": rules.names, "tables": done}, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
