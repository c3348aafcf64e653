#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tells a profile: tables of groups and functions, phases side by side.

    report.py [--top N] [--objects FOLDER] [--before FILE] FOLDER

FOLDER has what the plug-in wrote (counts), the guest's kallsyms and phases.json,
which says what each phase was; profile.json is written there. --objects: where the
modules' objects are, see tools/vm/modules. --before: profile.json of another run,
whose AF_UET has a column beside this one's.
"""
import argparse
import json
import os
import sys

import groups
import read
import summary
import symbols

TREE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..")
# Of the instructions that the clock has, so many may be missing or too many
CLOCK_TOLERANCE = 0.02
# The column that is compared with an earlier run
MINE = "uet"


def column(phase, what, value):
    """What phases.json says of it, and its counts per operation"""
    per = what["operations"]
    return {
        **what,
        value: phase.total(value) / per,
        "groups": {g: c[value] / per for g, c in phase.groups.items()},
        "functions": {n: {value: c[value] / per, "calls": phase.calls[n] / per}
                      for n, c in phase.functions.items() if c[value]},
    }


def tables(total, phases, value):
    """Phases that belong side by side, in the order of phases.json

    Each has "table" (a title), "per" (an operation), "column", "operations".
    """
    found = {}
    for number, what in enumerate(phases, 1):
        table = found.setdefault(what["table"], {
            "title": what["table"], "per": what["per"], "value": value,
            "columns": {}})
        if what["operations"]:
            table["columns"][what["column"]] = column(
                total.phases[number], what, value)
    return [t for t in found.values() if t["columns"]]


def with_before(table, earlier):
    """The table, with the column of the same one of an earlier run, if any"""
    for t in earlier:
        if all(t[k] == table[k] for k in ("title", "per", "value")) \
                and MINE in t["columns"]:
            return {**table, "columns": {
                f"{MINE} before": t["columns"][MINE], **table["columns"]}}
    return table


def lines(table, order, top):
    """A table as text"""
    value, cols = table["value"], table["columns"].values()
    width = 34
    # Instructions are many, locks are few
    form = "{:>12.0f}" if max(c[value] for c in cols) >= 1000 else "{:>12.2f}"

    def row(name, cells, form=form):
        return f"{name:{width}.{width}}" + "".join(
            form.format(c) for c in cells)

    yield f"{table['title']}: {value} per {table['per']}"
    yield row("", table["columns"], "{:>12.12}")
    for g in order:
        cells = [c["groups"].get(g, 0) for c in cols]
        if any(form.format(c).strip("0. ") for c in cells):
            yield row(g, cells)
    yield row("all", [c[value] for c in cols])
    if value == "insns" and all(c.get("clock") for c in cols):
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
        if clock and table["value"] == "insns" and \
                abs(c["insns"] / clock - 1) > CLOCK_TOLERANCE:
            yield (f"{table['title']}, {name}: {c['insns']:.0f} instructions, "
                   f"{clock:.0f} by the clock: it waited, or something ran "
                   "that was not counted")


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--top", type=int, default=40, metavar="N",
                    help="functions of a table (40)")
    ap.add_argument("--objects", metavar="FOLDER")
    ap.add_argument("--before", metavar="FILE")
    ap.add_argument("folder")
    args = ap.parse_args()

    def inside(name):
        return os.path.join(args.folder, name)

    paths = symbols.object_paths(args.objects, TREE) if args.objects else {}
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
    earlier = []
    if args.before:
        with open(args.before, encoding="ascii") as f:
            earlier = json.load(f)["tables"]
    done = [t for value in counts.names if value != "runs"
            for t in tables(total, phases, value)]
    for table in done:
        print("\n".join(lines(with_before(table, earlier), rules.names,
                              args.top)))
        for doubt in doubts(table):
            print(f"note: {doubt}\n")
    with open(inside("profile.json"), "w", encoding="ascii") as f:
        json.dump({"groups": rules.names, "tables": done}, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
