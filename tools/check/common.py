# SPDX-License-Identifier: GPL-2.0
"""What the stages share: running a command with a log and visible progress.

Stages run side by side, each in a thread of its own, so every line that is
shown begins with the name of its stage.  Results that are as they should be
are counted, and shown script by script; failures are shown at once and in
full.  V=1 shows everything.  All of it is in the logs.
"""

import os
import re
import signal
import subprocess
import threading
import time

LOGS = "out/check"
VERBOSE = os.environ.get("V", "0") not in ("", "0")
# Of what a failed case printed
SHOWN_COMMENTS = 70

_result = re.compile(r"^ *(not ok|ok)\b(.*)")
_begin = re.compile(r"^@@ begin (.+)$")
_end = re.compile(r"^@@ end (\d+) (.+)$")

_lock = threading.Lock()
_here = threading.local()
_last = [time.monotonic()]


def say(line):
    """One line to standard output, with the stage it belongs to."""
    stage = getattr(_here, "stage", None)
    with _lock:
        print(f"{stage}: {line}" if stage else line, flush=True)
        _last[0] = time.monotonic()


def silence():
    """Seconds since something was said."""
    return time.monotonic() - _last[0]


class stage:
    """Within it, what this thread says is said for a stage."""

    active = {}

    def __init__(self, name):
        self.name = name
        self.start = time.monotonic()
        # Of the commands that it ran, and all that they waited for
        self.cpu_seconds = 0.0
        # (name, seconds) of the scripts in it
        self.scripts = []

    def seconds(self):
        return time.monotonic() - self.start

    def __enter__(self):
        _here.stage = self.name
        _here.spent = self
        stage.active[self.name] = [time.monotonic(), ""]
        return self

    def __exit__(self, *_):
        _here.stage = None
        _here.spent = None
        del stage.active[self.name]


def doing(what):
    """What this stage is at, for those who wait."""
    name = getattr(_here, "stage", None)
    if name in stage.active:
        stage.active[name][1] = what


def took(script, seconds):
    """How long a script of this stage ran."""
    spent = getattr(_here, "spent", None)
    if spent:
        spent.scripts.append((script, seconds))


def still_running():
    """One line that says what all stages are at."""
    now = time.monotonic()
    return "; ".join(f"{name} for {now - since:.0f} s" +
                     (f", at {what}" if what else "")
                     for name, (since, what) in list(stage.active.items()))


class Progress:
    """Shows what matters of a stream of KTAP."""

    def __init__(self):
        self.comments = 0
        self.script = None
        self.start = 0.0
        self.counts = {"ok": 0, "not ok": 0}

    def line(self, text):
        begin, end, result = map(lambda r: r.match(text),
                                 (_begin, _end, _result))
        if begin:
            self.script = begin.group(1)
            self.start = time.monotonic()
            self.counts = {"ok": 0, "not ok": 0}
            doing(self.script)
        if VERBOSE:
            say(text)
            return
        if end:
            status = int(end.group(1))
            seconds = time.monotonic() - self.start
            took(end.group(2), seconds)
            say(f"{end.group(2)}: {self.counts['ok']} ok, "
                f"{self.counts['not ok']} not ok, {seconds:.0f} s"
                + (f", status {status}" if status not in (0, 4) else ""))
        elif result:
            self.counts[result.group(1)] += 1
            bad = result.group(1) == "not ok"
            self.comments = SHOWN_COMMENTS if bad else 0
            if bad or "# SKIP" in text:
                where = f"{self.script}: " if self.script else ""
                say(where + text.strip())
        elif self.comments and text.lstrip().startswith("#"):
            self.comments -= 1
            say("  " + text.strip())


_children = set()


def end_children():
    """Asks what was started to end; guests end with their runners."""
    for p in list(_children):
        try:
            os.killpg(p.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass


def capture(name, argv, merge=False):
    """Runs argv; its output is shown, logged and returned with the status.

    Standard error is shown and logged too, but returned only on request.
    """
    lines = []
    progress = Progress()
    who = getattr(_here, "stage", None)
    with open(f"{LOGS}/{name}.log", "w") as log:
        p = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merge else subprocess.PIPE, text=True,
            errors="replace", start_new_session=True)
        _children.add(p)

        def remarks():
            _here.stage = who
            for line in p.stderr:
                log.write(line)
                say(line.rstrip())

        reader = None if merge else threading.Thread(target=remarks)
        if reader:
            reader.start()
        for line in p.stdout:
            lines.append(line)
            log.write(line)
            log.flush()
            progress.line(line.rstrip("\n"))
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = rc = os.waitstatus_to_exitcode(status)
        spent = getattr(_here, "spent", None)
        if spent:
            spent.cpu_seconds += usage.ru_utime + usage.ru_stime
        if reader:
            reader.join()
        _children.discard(p)
    return rc, "".join(lines)
