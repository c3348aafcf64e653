#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Reads KTAP: counts leaf results, and notices what is missing.

A group's own line counts only where it fails without a failing member.  Fewer
results than a plan promises count as failures, and so does a text without any
result: a test that died must not look like one that passed.
"""

import re
import sys

_RESULT = re.compile(
    r"^( *)(ok|not ok)\b ?(\d+)?\s*(?:- )?(.*?)(?:\s*#\s*(SKIP|TODO)\b\s*(.*))?$",
    re.IGNORECASE)
_PLAN = re.compile(r"^( *)1\.\.(\d+)(?:\s*#\s*SKIP\b\s*(.*))?\s*$",
                   re.IGNORECASE)
_VERSION = re.compile(r"^( *)KTAP version \d+\s*$", re.IGNORECASE)


# Of what a failed test said, so many lines are repeated in a summary
REMARKS = 12


class Report:
    """Results of one source: names of what passed, failed or was skipped.

    unsteady: what failed and passed when it ran again.
    remarks: the last lines of what a failed test said, by its name.
    """

    def __init__(self):
        self.passed = []
        self.failed = []
        self.skipped = []
        self.unsteady = []
        self.remarks = {}

    def merge(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.unsteady += other.unsteady
        self.remarks.update(other.remarks)

    def failures(self):
        """Lines that tell what failed, and what it said."""
        lines = []
        for how, names in (("unsteady", self.unsteady),
                           ("FAILED", self.failed)):
            for name in names:
                lines.append(f"{how} {name}")
                lines += [f"    {r}" for r in self.remarks.get(name, [])]
        return lines


class _Level:
    def __init__(self):
        self.planned = None
        self.seen = 0
        self.failed = 0


def parse(text, source, report=None):
    """Adds the results in text, named after source, to a report."""
    report = report or Report()
    levels = {}
    any_result = False
    said = []  # since the last result
    failed = None  # the last result, if it is a failure

    def close(depth):
        """Ends the levels at depth and below; true if there were any."""
        had, bad = False, 0
        for d in sorted(k for k in levels if k >= depth):
            lv = levels.pop(d)
            had = True
            bad += lv.failed
            if lv.planned is not None and lv.seen < lv.planned:
                report.failed.append(
                    f"{source}: only {lv.seen} of {lv.planned} tests reported")
                bad += 1
        return had, bad

    for line in text.splitlines():
        remark = line.lstrip()
        if remark.startswith("# "):
            said.append(remark[2:160])
            if failed:
                report.remarks[failed] = said[-REMARKS:]
            continue
        version = _VERSION.match(line)
        if version:  # another text begins
            close(len(version.group(1)))
            continue
        plan = _PLAN.match(line)
        if plan:
            depth = len(plan.group(1))
            lv = levels.get(depth)
            if lv and lv.planned is None:  # a plan may come last
                close(depth + 1)
            else:
                close(depth)
                lv = levels[depth] = _Level()
            lv.planned = int(plan.group(2))
            if plan.group(3) is not None:
                report.skipped.append((source, plan.group(3)))
                any_result = True
            continue
        m = _RESULT.match(line)
        if not m:
            continue
        any_result = True
        depth = len(m.group(1))
        group, bad_inside = close(depth + 1)
        lv = levels.setdefault(depth, _Level())
        lv.seen += 1
        name = f"{source}: {m.group(4) or m.group(3)}"
        before, said, failed = said, [], None
        if m.group(5) and m.group(5).upper() == "SKIP":
            report.skipped.append((name, m.group(6) or "no reason given"))
        elif m.group(2) == "ok":
            if not group:
                report.passed.append(name)
        else:
            lv.failed += 1
            if not bad_inside:
                report.failed.append(name)
                # KUnit speaks before the result, a script after it, or both
                if before:
                    report.remarks[name] = before[-REMARKS:]
                if not depth:
                    failed, said = name, before
    close(0)
    if not any_result:
        report.failed.append(f"{source}: no result reported")
    return report


def main():
    report = Report()
    for path in sys.argv[1:]:
        with open(path, errors="replace") as f:
            parse(f.read(), path, report)
    for line in report.failures():
        print(line)
    for name, why in report.skipped:
        print(f"skipped {name}: {why}")
    print(f"{len(report.passed)} passed, {len(report.failed)} failed")
    return bool(report.failed)


if __name__ == "__main__":
    sys.exit(main())
