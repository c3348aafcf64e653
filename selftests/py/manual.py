#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Runs the examples of the manual pages as the comments before them say
(tools/libuet/tests/man.py) and compares exit status and output.

    manual.py SLOW HOST=NETNS...            all of them
    manual.py --wrong SLOW HOST=NETNS...    made-up ones that are wrong: each must fail

Prints a line per case: name, tab, what went wrong or nothing.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(TREE, "tools/libuet/tests"))

import man  # noqa: E402

WRONG = sys.argv[1] == "--wrong"
SLOW, *HOSTS = sys.argv[2 if WRONG else 1:]
SLOW = int(SLOW)
HOSTS = dict(word.split("=") for word in HOSTS)
# Seconds that an example may take, and that one goes on which shall be interrupted
PATIENCE = (1 if WRONG else 60) * SLOW


class Failed(Exception):
    pass


class Running:
    """A command on a host, whose output can be read while it runs."""

    def __init__(self, host, argv, folder):
        if host not in HOSTS:
            raise Failed(f"there is no host {host}")
        self.file = tempfile.TemporaryFile("w+", dir=folder)
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", HOSTS[host], *argv], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=self.file,
            stderr=subprocess.STDOUT, start_new_session=True)

    def output(self):
        self.file.flush()
        size = os.fstat(self.file.fileno()).st_size
        return os.pread(self.file.fileno(), size, 0).decode(errors="replace")

    def status(self):
        rc = self.process.poll()
        return rc if rc is None or rc >= 0 else 128 - rc

    def kill(self, sig=signal.SIGKILL):
        try:
            os.killpg(self.process.pid, sig)
        except ProcessLookupError:
            pass

    def end(self):
        self.kill()
        self.process.wait()
        self.file.close()


def shell(text):
    return ["bash", "-e", "-o", "pipefail", "-c", text]


def build(example, folder):
    """The arguments of a program in C."""
    source = os.path.join(folder, "example.c")
    with open(source, "w", encoding="utf-8") as f:
        f.write(example.text)
    p = subprocess.run(
        ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror",
         f"-I{TREE}/tools/libuet", f"-I{TREE}/include/uapi", source,
         f"{TREE}/build/lib/libuet.a", "-o", os.path.join(folder, "example")],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if p.returncode:
        raise Failed(f"does not compile: {p.stdout[:300]}")
    return [os.path.join(folder, "example"), *example.word("program").split()]


def missing(example, text):
    """What it shall print and does not."""
    return [e for e in example.expect if not re.search(e, text, re.M)]


def judge(example, running):
    text = running.output()
    status = int(example.word("status") or 0)
    if running.status() != status:
        raise Failed(f"status {running.status()} instead of {status}: {text[-300:]!r}")
    for pattern in missing(example, text):
        raise Failed(f"does not print {pattern}: {text[:600]!r}")
    for pattern in example.refuse:
        if re.search(pattern, text, re.M):
            raise Failed(f"prints {pattern}: {text[:600]!r}")


def goes_on(example, running, folder):
    """Until it ends, or has printed all that it shall and is to be interrupted."""
    end = time.monotonic() + PATIENCE
    interrupt, met = example.word("interrupt") is not None, not example.meanwhile
    why = "does not end"
    while running.status() is None:
        if time.monotonic() > end:
            raise Failed(f"{why}; it prints {running.output()[:600]!r}")
        for command in example.meanwhile:
            p = subprocess.run(["ip", "netns", "exec", HOSTS[example.word("on")],
                                *shell(command)], cwd=folder, capture_output=True,
                               text=True, check=False)
            met = p.returncode == 0
            why = "does not end" if met else f"meanwhile: {p.stderr[-200:]}"
        done = met and not missing(example, running.output())
        time.sleep(0.1)
        # One that just ends after its output goes on no more.
        if interrupt and done and running.status() is None:
            running.kill(signal.SIGINT)
            interrupt = False
    if interrupt:
        raise Failed(f"ends by itself: {running.output()[:600]!r}")


def begins(example, running):
    """Something that goes on in the background."""
    end = time.monotonic() + PATIENCE
    while missing(example, running.output()):
        if running.status() is not None or time.monotonic() > end:
            raise Failed(f"does not begin: {running.output()[:600]!r}")
        time.sleep(0.1)


def run(example, folder, background):
    argv = build(example, folder) if example.word("program") is not None else \
        shell(example.commands())
    running = Running(example.word("on"), argv, folder)
    if example.word("background") is not None:
        background.append(running)
        begins(example, running)
        return
    try:
        goes_on(example, running, folder)
        judge(example, running)
    finally:
        running.end()


def case(example, folder, background):
    name = f"{os.path.basename(example.page)}, line {example.line}"
    try:
        run(example, folder, background)
        why = ""
    except Failed as e:
        why = " ".join(str(e).split())
    return name, why


def run_page(page, text):
    background = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for example in man.examples(page, text):
                if example.word("by") is None:
                    yield case(example, folder, background)
        finally:
            for running in background:
                running.end()


def environment(folder):
    """Where the commands of examples are, and the file of services."""
    paths = ["build/uet", "build/perf", "build/selftests"]
    os.environ["PATH"] = ":".join([f"{TREE}/{p}" for p in paths] +
                                  [os.environ["PATH"]])
    os.environ["TC_LIB_DIR"] = f"{TREE}/build/tc"
    text = man.pages("uet-services.5")["uet-services.5"]
    services = os.path.join(folder, "services")
    with open(services, "w", encoding="utf-8") as f:
        f.write(man.examples("uet-services.5", text)[0].text)
    os.environ["UET_SERVICES"] = services


# Name, comments, text
MADE_UP = [
    ("a wrong status", ["run: on A, status 1", "expect: ."], "echo x"),
    ("a command that fails", ["run: on A", "expect: ."], "echo x; false"),
    ("one that fails in a pipe", ["run: on A", "expect: ."], "false | echo x"),
    ("a command that there is not", ["run: on A", "refuse: nothing"], "uett fep"),
    ("a line that is not printed", ["run: on A", "expect: ^nonsense$"], "uet param show"),
    ("a line that must not be", ["run: on A", "refuse: ^rto"], "uet param show"),
    ("another host", ["run: on C", "expect: ."], "uet param show"),
    ("one that never ends", ["run: on A", "expect: x"], "echo x; sleep 1000"),
    ("one to be interrupted that ends", ["run: on A, interrupt", "expect: x"], "echo x"),
    ("one to be interrupted that shows nothing",
     ["run: on A, interrupt", "expect: x"], "sleep 1000"),
    ("one to be interrupted that ends in another way",
     ["run: on A, interrupt", "expect: x"], "echo x; sleep 1000"),
    ("what goes on meanwhile fails",
     ["run: on A, interrupt, status 130", "expect: x", "meanwhile: false"],
     "echo x; sleep 1000"),
    ("a server that does not start", ["run: on A, background", "expect: x"], "false"),
    ("a program that is no C", ["run: on A, program", "refuse: x"], "int main(void)"),
    ("a program that fails", ["run: on A, program", "refuse: x"],
     "int main(void) { return 1; }"),
    ("a program that prints something else", ["run: on A, program 1 2", "expect: 3"],
     "int puts(const char *s);\nint main(void) { return puts(\"x\") < 0; }"),
]


def made_up():
    for name, marks, text in MADE_UP:
        page = "\n".join([".Sh EXAMPLES"] + [f'.\\" {m}' for m in marks] +
                         [".Bd -literal", text, ".Ed"]) + "\n"
        outcome = list(run_page("x", page))
        yield name, "" if len(outcome) == 1 and outcome[0][1] else "passes"


def everything():
    paths = [os.path.join(man.MAN, p) for p in sorted(os.listdir(man.MAN))]
    for path in paths + [os.path.join(TREE, "tools/tc/tc-trim.8")]:
        with open(path, encoding="utf-8") as f:
            yield from run_page(path, f.read())


def main():
    # Whoever started this may have had it ignored
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        environment(folder)
        for name, why in made_up() if WRONG else everything():
            print(f"{name}\t{why}", flush=True)


if __name__ == "__main__":
    main()
