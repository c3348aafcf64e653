# SPDX-License-Identifier: GPL-2.0
"""Runs the tests that selftests/tests.list names for one kernel.

The list has a line for each test: script (quoted if it has arguments; of cases/
or trim/, on the host of selftests/ itself), kernels
(comma-separated, "host" for scripts that start guests themselves), time limit
in seconds, and the words "racy" (also runs in the debug kernel with two CPUs),
"alone" (gets a guest of its own), "lean" (takes a tenth of the usual number of
messages), "full" (runs only if all stages are asked for), "soak" (runs only with
SOAK=1), or "-".
"""

import os
import re
import shlex
import subprocess
import time

import ktap
from common import LOGS, capture, doing, say, took

LIST = "selftests/tests.list"
KERNELS = {"uml-debug", "uml", "6.1", "6.12", "debug", "host"}
# Every guest gets the modules that the tree has; tests need not load them.
MODULES = {"uet": "net/uet/sock/af_uet.c", "sch_trim": "net/sched/sch_trim.c"}
# Instrumented, emulated kernels are that much slower than the limits assume.
SLOWNESS = {"uml-debug": 2, "6.1": 2, "6.12": 2, "debug": 5}
FLAGS = {"racy", "alone", "lean", "full", "soak"}
# Of the usual number of messages, in per cent; see selftests/lib.sh
LEAN_SCALE = 10


class Test:
    def __init__(self, where, fields):
        self.script, kernels, limit, flags = fields
        self.kernels = set(kernels.split(","))
        self.limit = int(limit)
        self.label = re.sub(r"\W+", "_", self.script)
        self.flags = set(flags.split(",")) - {"-"}
        if not self.kernels <= KERNELS or not self.flags <= FLAGS:
            raise ValueError(f"{where}: unknown kernel or flag")
        if "racy" in self.flags:
            self.kernels.add("debug")

    def in_guest(self, slowness):
        """The test as tools/check/guest wants it."""
        scale = LEAN_SCALE if "lean" in self.flags else ""
        return f"{self.limit * slowness}:{scale}:{self.script}"


def read_list():
    tests = []
    with open(LIST) as f:
        for n, line in enumerate(f, 1):
            fields = shlex.split(line, comments=True)
            if not fields:
                continue
            if len(fields) != 4:
                raise ValueError(f"{LIST}:{n}: wants four fields")
            tests.append(Test(f"{LIST}:{n}", fields))
    return tests


def judge(name, text, status, report):
    """One test's result: its KTAP, or its exit status where it has none."""
    if re.search(r"^ *(not )?ok\b|^1\.\.0", text, re.MULTILINE):
        before = len(report.failed)
        ktap.parse(text, name, report)
        if status not in (0, 4) and len(report.failed) == before:
            report.failed.append(f"{name}: ended with status {status}")
    elif status == 0:
        report.passed.append(name)
    elif status == 4:
        last = (text.strip().splitlines() or ["no reason given"])[-1]
        report.skipped.append((name, last))
    else:
        why = "time limit reached" if status == 124 else f"status {status}"
        report.failed.append(f"{name}: {why}")


def split_output(text):
    """Framed output as {script: (text, status or None)}, in order."""
    results, current, lines = {}, None, []
    for line in text.splitlines():
        begin = re.match(r"@@ begin (.+)$", line)
        end = re.match(r"@@ end (\d+) (.+)$", line)
        if begin:
            current, lines = begin.group(1), []
            results[current] = ("", None)
        elif end and current:
            results[current] = ("\n".join(lines), int(end.group(1)))
            current = None
        elif current:
            lines.append(line)
            results[current] = ("\n".join(lines), None)
    return results


def blame(console):
    """Scripts that were running when the console shows a kernel report."""
    finder = subprocess.run(["tools/vm/splat.py", console],
                            stdout=subprocess.PIPE, text=True).stdout
    guilty = []
    with open(console, errors="replace") as f:
        lines = f.read().splitlines()
    for number in map(int, finder.split()):
        running = "the end of the run"
        for line in reversed(lines[:number]):
            m = re.search(r"uet-check: (begin|end \d+) (.+)", line)
            if m:
                running = ("" if m.group(1) == "begin" else "after ") \
                    + m.group(2)
                break
        if running not in guilty:
            guilty.append(running)
    return guilty


def in_guest(kernel, label, tests, report):
    """Runs tests in one guest; returns those it did not get to."""
    slow = SLOWNESS.get(kernel, 1)
    console = f"{LOGS}/{label}.console"
    argv = ["tools/vm/run", "--kernel", kernel, "--console", console,
            "--timeout", str(sum(t.limit for t in tests) * slow + 600)]
    if kernel == "debug":
        argv += ["--smp", "2"]
    for module, source in MODULES.items():
        if os.path.exists(source):
            argv += ["--module", module]
    argv += ["--", "tools/check/guest"]
    argv += [t.in_guest(slow) for t in tests]
    if os.path.exists(console):
        os.unlink(console)
    rc, text = capture(label, argv)
    results = split_output(text)
    left = []
    for t in tests:
        if t.script not in results:
            left.append(t)
            continue
        out, status = results[t.script]
        name = f"{t.script} ({kernel})"
        if status is None:
            report.failed.append(f"{name}: the guest died in it, "
                                 f"console {console}")
        else:
            judge(name, out, status, report)
    if rc:
        guilty = blame(console) if os.path.exists(console) else []
        report.failed.append(
            f"selftests ({kernel}): guest ended with status {rc}"
            + (f", kernel report during {', '.join(guilty)}" if guilty else "")
            + f", console {console}")
    return left


def on_host(tests, report):
    for t in tests:
        name = f"{t.script} (host)"
        say(f"{name} begins")
        doing(t.script)
        start = time.monotonic()
        rc, text = capture(f"host-{t.label}",
                           ["timeout", "-k", "10", str(t.limit),
                            *shlex.split(f"selftests/{t.script}")],
                           merge=True)
        took(t.script, time.monotonic() - start)
        judge(name, text, rc, report)


def build(report):
    """The programs of the tests."""
    for folder in ("selftests", "tools/tc"):
        if not os.path.exists(f"{folder}/Makefile"):
            continue
        if capture("selftests-programs", ["make", "-s", "-C", folder],
                   merge=True)[0]:
            report.failed.append(f"selftests: {folder} does not build")


def chosen(kernel, report):
    """The tests for a kernel, but for those that are left to longer runs."""
    tests = [t for t in read_list() if kernel in t.kernels]
    for flag, variable, how in (("soak", "SOAK", "SOAK=1"),
                                ("full", "UET_FULL", "STAGE=all")):
        if os.environ.get(variable):
            continue
        left = [t.script for t in tests if flag in t.flags]
        tests = [t for t in tests if flag not in t.flags]
        if left:
            say(f"left to {how}: {', '.join(left)}")
    if not tests:
        report.failed.append(f"selftests ({kernel}): no test is listed")
    return tests


def share(tests, part, parts):
    """One of so many parts of the tests that take about the same time."""
    heaps = [[] for _ in range(parts)]
    for t in sorted(tests, key=lambda t: -t.limit):
        min(heaps, key=lambda h: sum(x.limit for x in h)).append(t)
    return [t for t in tests if t in heaps[part]]


def run(kernel, report, part=0, parts=1):
    """The tests for a kernel, or one part of so many of them."""
    tests = share(chosen(kernel, report), part, parts)
    if kernel == "host":
        on_host(tests, report)
        return
    label = f"selftests-{kernel}" + (f"-{part}" if parts > 1 else "")
    alone = [t for t in tests if "alone" in t.flags]
    together = [t for t in tests if "alone" not in t.flags]
    rounds = 0
    while together:
        left = in_guest(kernel, f"{label}-{rounds}", together, report)
        rounds += 1
        if len(left) == len(together):
            for t in left:
                report.failed.append(f"{t.script} ({kernel}): not run")
            break
        together = left
    for t in alone:
        for missing in in_guest(kernel, f"{label}-{t.label}", [t], report):
            report.failed.append(f"{missing.script} ({kernel}): not run")
