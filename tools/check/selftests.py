# SPDX-License-Identifier: GPL-2.0
"""Runs the tests that scripts of selftests/ name for one kernel.

A script says in its header how it runs, by lines

    # check: [ARGUMENTS] KERNELS SECONDS FLAGS

arguments: none without the brackets
kernels:   uml uml-debug uml-smp 6.1 6.12 arm64, separated by commas; host for scripts that
           start guests, which are in selftests/ itself, or vtime: uml-debug in virtual
           time, which passes when nothing happens
seconds:   time limit, which slow kernels stretch (SLOWNESS)
flags:     alone (a guest of its own), lean (a tenth of the messages), full (repeats
           what another line finds: only with STAGE=all), soak (long: only with
           SOAK=1), spare (takes long; told and left out on slow machines, see
           limits.py), turn1 to turn4 (takes long: only in that check of four), or -

Each behaviour has one kernel that judges it: uml-debug, which is 7.3 with KASAN,
lockdep and kmemleak, or virtual time where it is about time. Another kernel has a
line of its own for what differs there: 6.1 other interfaces inside the kernel,
6.12 as Debian configures it real hooks (control groups, filters, queueing), uml-smp
two CPUs, uml speed. The rest of the matrix is "full". What is to be seen on another
processor has a line with arm64, which only "make arm64" runs. Turns 1 and 4 have the
slow kernels 6.1 and 6.12, so the others have more of what takes long.

Guests with the same kernel take their tests from one queue, a file for each test,
so all of them are busy until it is empty.
"""

import glob
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import threading
import time

import ktap
import limits
from common import LOGS, capture, doing, say, took
from limits import NO_TIME

SCRIPTS = ("selftests/cases/*/*.sh", "selftests/*")
LINE = re.compile(r"^# check:(?: \[(.+)\])? (\S+) (\d+) (\S+)$")
KERNELS = {"uml-debug", "uml-smp", "uml", "6.1", "6.12", "arm64", "host",
           "vtime"}
# Every guest gets the modules that the tree has; tests need not load them.
MODULES = {"uet": "net/uet/sock/af_uet.c", "sch_trim": "net/sched/sch_trim.c"}
# Instrumented, emulated kernels are that much slower than the limits assume.
SLOWNESS = {"uml-debug": 2, "uml-smp": 2, "vtime": 2, "6.1": 2, "6.12": 2, "arm64": 5}
# Programs of the tests for arm64
ARM64_PROGRAMS = "build/arm64/selftests"
# A check is one of so many, after which all has run
TURNS = 4
TURN_FLAGS = [f"turn{n + 1}" for n in range(TURNS)]
FLAGS = {"alone", "lean", "full", "soak", "spare", *TURN_FLAGS}
# So many scripts of a kernel, or of the host, may fail and run again; with more it is not
# the machine
SECOND_TRIES = 3
# How timeout(1) ends when a time limit was reached: that takes too long to try again
TIMED_OUT = (124, 137)
# Of the usual number of messages, in per cent; see selftests/lib.sh
LEAN_SCALE = 10


def slowness(kernel):
    """What the limits of scripts are multiplied with."""
    return SLOWNESS.get(kernel, 1) * limits.patience()


class Test:
    def __init__(self, where, name, fields):
        arguments, kernels, limit, flags = fields
        self.script = f"{name} {arguments}" if arguments else name
        self.kernels = kernels.split(",")
        self.limit = int(limit)
        self.label = re.sub(r"\W+", "_", self.script)
        self.flags = set(flags.split(",")) - {"-"}
        if not KERNELS.issuperset(self.kernels) or not self.flags <= FLAGS:
            raise ValueError(f"{where}: unknown kernel or flag")

    def on_host(self):
        """The command that runs it."""
        return shlex.split(f"selftests/{self.script}")

    def in_guest(self, slowness):
        """The test as tools/check/guest wants it."""
        scale = LEAN_SCALE if "lean" in self.flags else ""
        return f"{self.limit * slowness}:{scale}:{self.script}"


def read_list():
    tests = []
    for path in sorted(p for s in SCRIPTS for p in glob.glob(s) if os.path.isfile(p)):
        with open(path) as f:
            lines = [(n, line) for n, line in enumerate(f, 1)
                     if line.startswith("# check:")]
        if not lines and path.startswith("selftests/cases/"):
            raise ValueError(f"{path}: no line \"# check:\" says what runs it")
        for n, line in lines:
            fields = LINE.match(line)
            if not fields:
                raise ValueError(f"{path}:{n}: not as tools/check/selftests.py has it")
            tests.append(Test(f"{path}:{n}", os.path.basename(path), fields.groups()))
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
    """What a console shows of reports: scripts that were running, the first line."""
    finder = subprocess.run(["tools/vm/splat.py", console],
                            stdout=subprocess.PIPE, text=True).stdout
    guilty = []
    first = ""
    with open(console, errors="replace") as f:
        lines = f.read().splitlines()
    for number in map(int, finder.split()):
        first = first or lines[number].strip()
        running = "the end of the run"
        for line in reversed(lines[:number]):
            m = re.search(r"uet-check: (begin|end \d+) (.+)", line)
            if m:
                running = ("" if m.group(1) == "begin" else "after ") \
                    + m.group(2)
                break
        if running not in guilty:
            guilty.append(running)
    return guilty, first


class Queue:
    """The tests for a kernel: one guest takes them, or several side by side."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.folder = f"{LOGS}/queue-{kernel}"
        self.lock = threading.Lock()
        self.tests = None
        self.alone = []
        self.begun = set()
        # Tests by file, and those of them for which there was no time
        self.files = {}
        self.too_late = []
        self.parts = 0
        # What failed, and may do better when nothing else happens: test, report
        self.doubtful = []
        self.tries = SECOND_TRIES

    def open(self, report):
        """Fills the queue, if nobody has yet: longest first."""
        with self.lock:
            self.parts += 1
            if self.tests is not None:
                return
            tests = chosen(self.kernel, report)
            self.alone = [t for t in tests if "alone" in t.flags]
            self.tests = [t for t in tests if "alone" not in t.flags]
            shutil.rmtree(self.folder, ignore_errors=True)
            os.makedirs(self.folder)
            slow = slowness(self.kernel)
            order = sorted(self.tests, key=lambda t: -t.limit)
            for n, t in enumerate(order):
                self.files[f"{n:03}.todo"] = t
                with open(f"{self.folder}/{n:03}.todo", "w") as f:
                    f.write(t.in_guest(slow) + "\n")
            left = limits.seconds_left()
            if left is not None:
                timer = threading.Timer(left, self.run_out)
                timer.daemon = True
                timer.start()

    def left(self):
        """Files of the tests that no guest has taken."""
        return sorted(f for f in os.listdir(self.folder)
                      if f.endswith(".todo"))

    def give_up(self):
        for name in self.left():
            pathlib.Path(self.folder, name).unlink(missing_ok=True)

    def run_out(self):
        """Takes back what no guest has begun."""
        for name in self.left():
            try:
                os.unlink(f"{self.folder}/{name}")
            except FileNotFoundError:   # a guest was quicker
                continue
            self.too_late.append(self.files[name])

    def close(self, report):
        """The last part to end tells what no guest began."""
        with self.lock:
            self.parts -= 1
            if self.parts:
                return
            if self.tests and len(self.too_late) == len(self.tests) and \
                    not limits.kernels_took_long():
                report.failed.append(f"selftests ({self.kernel}): {NO_TIME}")
            for t in self.too_late:
                self.begun.add(t.script)
                report.skipped.append((f"{t.script} ({self.kernel})", NO_TIME))
            self.too_late = []
            for t in self.tests:
                if t.script not in self.begun:
                    self.begun.add(t.script)
                    report.failed.append(f"{t.script} ({self.kernel}): not run")

    def next_alone(self):
        with self.lock:
            return self.alone.pop(0) if self.alone else None

    def doubt(self, test, report):
        """Keeps a failure for a second try; False: it is one already."""
        with self.lock:
            if not self.tries:
                return False
            self.tries -= 1
            self.doubtful.append((test, report))
            return True

    def next_doubtful(self):
        with self.lock:
            return self.doubtful.pop(0) if self.doubtful else None


def guest(kernel, timeout):
    """The command that starts a guest with all modules, up to "--"."""
    virtual = ["--virtual-time"] if kernel == "vtime" else []
    argv = ["tools/vm/run", "--kernel", "uml-debug" if virtual else kernel, *virtual,
            "--timeout", str(timeout)]
    if kernel in ("uml-smp", "arm64"):
        argv += ["--smp", "2"]
    if kernel == "arm64":
        argv += ["--env", f"UET_BIN={os.path.abspath(ARM64_PROGRAMS)}"]
    for module, source in MODULES.items():
        if os.path.exists(source):
            argv += ["--module", module]
    return argv


def in_guest(kernel, label, tests, what, report, doubt=None):
    """Runs one guest for some of the tests; returns the scripts that it began.

    What is the folder of the queue, or the test as tools/check/guest wants it.
    Doubt takes failures of tests for which the guest and its kernel are not to blame.
    """
    slow = slowness(kernel)
    console = f"{LOGS}/{label}.console"
    argv = [*guest(kernel, sum(t.limit for t in tests) * slow + 600),
            "--console", console, "--", "tools/check/guest", what]
    if os.path.exists(console):
        os.unlink(console)
    rc, text = capture(label, argv)
    results = split_output(text)
    by_script = {t.script: t for t in tests}
    for script, (out, status) in results.items():
        name = f"{script} ({kernel})"
        if status is None:
            report.failed.append(f"{name}: the guest died in it, "
                                 f"console {console}")
            continue
        this = ktap.Report()
        judge(name, out, status, this)
        may_try = doubt and not rc and status not in TIMED_OUT
        if not (this.failed and may_try and script in by_script
                and doubt(by_script[script], this)):
            report.merge(this)
    if rc:
        guilty, line = blame(console) if os.path.exists(console) else ([], "")
        report.failed.append(
            f"selftests ({kernel}): guest ended with status {rc}"
            + (f", kernel report during {', '.join(guilty)}: {line}"
               if guilty else "")
            + f", console {console}")
    return list(results)


def once_on_host(t, kernel, name):
    """What a test said, and whether it would say so again for all that is known."""
    say(f"{name} begins")
    doing(t.script)
    start = time.monotonic()
    rc, text = capture(f"{kernel}-{t.label}",
                       ["timeout", "-k", "10", str(t.limit * limits.patience()),
                        *t.on_host()], merge=True)
    took(t.script, time.monotonic() - start)
    report = ktap.Report()
    judge(name, text, rc, report)
    return report, rc in TIMED_OUT or "--- kernel report" in text


def on_host(kernel, report):
    tests = chosen(kernel, report)
    tries = SECOND_TRIES
    if tests and limits.time_is_over() and not limits.kernels_took_long():
        report.failed.append(f"selftests ({kernel}): {NO_TIME}")
    for t in tests:
        name = f"{t.script} ({kernel})"
        if limits.time_is_over():
            report.skipped.append((name, NO_TIME))
            continue
        this, steady = once_on_host(t, kernel, name)
        if this.failed and tries and not steady and not limits.time_is_over():
            tries -= 1
            say(f"{name} failed, and runs again")
            weigh(this, once_on_host(t, kernel, name)[0], report)
        else:
            report.merge(this)


def turn():
    """Which turn it is, from 0 on: TURN, from 1 on, or by the number of commits."""
    text = os.environ.get("TURN", "")
    if text:
        if text not in map(str, range(1, TURNS + 1)):
            raise SystemExit(f"TURN={text}: 1 to {TURNS}")
        return int(text) - 1
    count = subprocess.run(["git", "-C", os.path.dirname(os.path.realpath(__file__)),
                            "rev-list", "--count", "HEAD"],
                           capture_output=True, text=True).stdout
    return int(count or 0) % TURNS


def build(report):
    """The programs of the tests."""
    for folder in ("selftests", "tools/tc", "tools/libuet", "tools/perf",
                   "tools/uet", "tools/uetrun", "tools/libfabric",
                   "tools/libfabric/tests", "examples"):
        if not os.path.exists(f"{folder}/Makefile"):
            continue
        if capture("selftests-programs", ["make", "-s", "-C", folder],
                   merge=True)[0]:
            report.failed.append(f"selftests: {folder} does not build")


def build_arm64(report):
    """The programs of the tests, for another machine."""
    packages = ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"]
    if subprocess.run(["tools/deps", *packages],
                      stdin=subprocess.DEVNULL).returncode:
        report.failed.append("dependencies: cannot be installed")
    elif capture("selftests-programs-arm64",
                 ["make", "-s", "-C", "selftests", "arm64"], merge=True)[0]:
        report.failed.append("selftests: programs for arm64 do not build")


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
    if not os.environ.get("UET_FULL"):
        not_now = set(TURN_FLAGS) - {TURN_FLAGS[turn()]}
        others = [t for t in tests if t.flags & not_now]
        tests = [t for t in tests if t not in others]
        if others:
            say(f"left to other turns: {', '.join(t.script for t in others)}")
    if limits.slow_machine() and not os.environ.get("UET_FULL"):
        report.skipped += [
            (f"{t.script} ({kernel})", "this machine makes a process in "
             f"{limits.process_seconds() * 1e3:.1f} ms: STAGE=all has it")
            for t in tests if "spare" in t.flags]
        tests = [t for t in tests if "spare" not in t.flags]
    if not tests:
        report.failed.append(f"selftests ({kernel}): no test is listed")
    return tests


def weigh(first, second, report):
    """A test failed and ran again: what fails twice is a failure."""
    if second.failed:
        report.merge(first)
        report.failed += [f"{name}, when it ran again" for name in second.failed]
        return
    second.unsteady += first.failed
    second.remarks.update(first.remarks)
    report.merge(second)


def again(queue, label, report):
    """Runs what failed once more, in a guest of its own.

    Guests that run side by side keep each other from being in time, on a slow machine
    and on one that others use, too.  What fails twice is a failure, and what passes then
    is told as unsteady, with what it said.
    """
    kernel = queue.kernel
    while doubtful := queue.next_doubtful():
        test, first = doubtful
        say(f"{test.script} failed, and runs again")
        second = ktap.Report()
        begun = in_guest(kernel, f"{label}-again-{test.label}", [test],
                         test.in_guest(slowness(kernel)), second)
        if begun:
            weigh(first, second, report)
        else:
            report.merge(first)


def run(queue, report, part=0):
    """The tests of a queue; stages that run it side by side are parts."""
    kernel = queue.kernel
    if kernel == "host":
        on_host(kernel, report)
        return
    queue.open(report)
    label = f"selftests-{kernel}-{part}"
    rounds = 0
    while left := queue.left():
        queue.begun.update(
            in_guest(kernel, f"{label}-{rounds}", queue.tests, queue.folder,
                     report, queue.doubt))
        rounds += 1
        # A guest that cannot take any, or another one has them by now
        if queue.left() == left:
            queue.give_up()
    while t := queue.next_alone():
        if limits.time_is_over():
            report.skipped.append((f"{t.script} ({kernel})", NO_TIME))
        elif not in_guest(kernel, f"{label}-{t.label}", [t],
                        t.in_guest(slowness(kernel)), report, queue.doubt):
            report.failed.append(f"{t.script} ({kernel}): not run")
    again(queue, label, report)
    queue.close(report)
