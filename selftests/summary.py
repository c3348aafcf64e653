#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# check: host 60 -
"""What the summary of "make check" makes of KTAP: counts, and the remarks of
failed tests, which scripts make after the result and KUnit before it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                "../tools/check"))
import ktap  # noqa: E402

CASES = (
    ("remarks after a failure, and what may be of it", "1..2\nok 1 a\n# of a\nnot ok 2 b\n# x\n# y",
     1, ["FAILED s: b", "    of a", "    x", "    y"]),
    ("remarks end with the next result", "1..2\nnot ok 1 a\n# x\nok 2 b\n# y",
     1, ["FAILED s: a", "    x"]),
    ("remarks before a failure", "1..1\n    1..1\n    # x\n    not ok 1 b\n"
     "not ok 1 group", 0, ["FAILED s: b", "    x"]),
    ("only the last of many remarks", "1..1\nnot ok 1 a\n" +
     "".join(f"# {i}\n" for i in range(20)), 0,
     ["FAILED s: a"] + [f"    {i}" for i in range(20 - ktap.REMARKS, 20)]),
    ("nothing of what passed or was skipped",
     "1..2\nok 1 a\n# x\nok 2 b # SKIP y\n# z", 1, []),
    ("a test that died", "1..3\nok 1 a\n# x", 1,
     ["FAILED s: only 1 of 3 tests reported"]),
    ("plans at the end of two texts, one after the other",
     "KTAP version 1\nok 1 a\nok 2 b\n1..2\nKTAP version 1\nok 1 c\n1..1", 3, []),
    ("the first of two texts died",
     "KTAP version 1\n1..2\nok 1 a\nKTAP version 1\nok 1 c\nok 2 d\n1..2", 3,
     ["FAILED s: only 1 of 2 tests reported"]),
    ("no result at all", "# x", 0, ["FAILED s: no result reported"]),
)


def main():
    bad = 0
    print(f"KTAP version 1\n1..{len(CASES)}")
    for n, (name, text, passed, lines) in enumerate(CASES, 1):
        report = ktap.parse(text, "s")
        good = len(report.passed) == passed and report.failures() == lines
        print("ok" if good else "not ok", n, name)
        if not good:
            bad += 1
            print(f"# {len(report.passed)} passed, {report.failures()}")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
