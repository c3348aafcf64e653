# SPDX-License-Identifier: GPL-2.0
"""What the stages share: running a command with a log and visible progress."""

import subprocess

LOGS = "out/check"


def say(line):
    print(line, flush=True)


def capture(name, argv, merge=False):
    """Runs argv; its output is shown, logged and returned with the status.

    Standard error is shown and logged too, but returned only on request.
    """
    lines = []
    with open(f"{LOGS}/{name}.log", "w") as log:
        p = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merge else None, text=True,
            errors="replace")
        for line in p.stdout:
            lines.append(line)
            log.write(line)
            log.flush()
            print("  " + line, end="", flush=True)
    return p.wait(), "".join(lines)
