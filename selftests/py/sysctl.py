#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Holds net.uet.* of a new namespace against what the manual says: names,
defaults, and that the limits, and nothing beyond them, are accepted.

    sysctl.py MANUAL
"""
import errno
import os
import re
import sys

ROOT = "/proc/sys/net/uet"
ENTRY = re.compile(r"^([a-z][a-z0-9_]*(?:, [a-z][a-z0-9_]*)*) - (.*)$")


class Knob:
    """What the manual says of one name"""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind
        self.default = None
        self.words = []

    def limits(self):
        """(smallest, largest) value, None where there is none"""
        if self.kind.startswith("boolean"):
            return 0, 1
        span = re.search(r"(-?\d+) to (\d+)", self.kind)
        least = re.search(r"at least (\d+)", self.kind)
        extra = [int(v) for v in re.findall(r"(\d+)(?: =| or )", self.kind)]
        if span:
            values = [int(span[1]), int(span[2])] + extra
            return min(values), max(values)
        return (int(least[1]), None) if least else None


def parse(path):
    """The knobs of the manual, up to the settings by peer"""
    knobs, current, body = {}, [], []

    def end():
        text = " ".join(body)
        found = re.search(r"Default: (.*)$", text)
        values = [found[1]] if found else []
        if values and values[0][0].isdigit():
            values = re.split(r", (?=\d)", found[1])
        for i, knob in enumerate(current):
            if values:
                knob.default = values[min(i, len(values) - 1)].split(" ")[0]
            knob.words = re.findall(r"``([a-z+]+)``", text.split(".")[0])
            knobs[knob.name] = knob

    for line in open(path, encoding="utf-8"):
        if line.startswith("Settings by peer"):
            break
        parts = [ENTRY.match(p) for p in line.rstrip("\n").split("; ")]
        if all(parts):
            end()
            current = [Knob(n, m[2]) for m in parts for n in m[1].split(", ")]
            body = []
        elif line.startswith("\t"):
            body.append(line.strip())
    end()
    return knobs


def read(name):
    with open(f"{ROOT}/{name}", encoding="ascii") as f:
        return f.read().strip()


def write(name, value):
    """0 or the errno"""
    try:
        fd = os.open(f"{ROOT}/{name}", os.O_WRONLY)
        try:
            os.write(fd, str(value).encode())
        finally:
            os.close(fd)
    except OSError as e:
        return e.errno
    return 0


def refuses(name, value):
    """EINVAL, and the old value stays"""
    before = read(name)
    err = write(name, value)
    if err != errno.EINVAL:
        return f"{value}: {errno.errorcode.get(err, 'accepted')}"
    return "" if read(name) == before else f"{value}: refused, but changed"


def check_number(knob):
    low, high = knob.limits()
    old = read(knob.name)
    bad = [v for v in (None if low is None else low - 1,
                       None if high is None else high + 1) if v is not None]
    if "power of two" in knob.kind:
        bad.append(3)
    if " or " in knob.kind:
        bad.append(low + 1)
    for value in bad + ["x", ""]:
        if value == "":
            continue
        why = refuses(knob.name, value)
        if why:
            return why
    for value in (low, high):
        if value is None:
            continue
        err = write(knob.name, value)
        if err or read(knob.name) != str(value):
            return f"{value}: {errno.errorcode.get(err, 'not taken')}"
    write(knob.name, old)
    return ""


def check_name(knob):
    old = read(knob.name)
    if knob.words:
        for word in knob.words:
            if write(knob.name, word) or read(knob.name) != word:
                return f"{word} is not taken"
        write(knob.name, old)
    return refuses(knob.name, "bogus")


def check(knob):
    value = read(knob.name)
    if knob.default is None:
        return "the manual has no default"
    if re.match(r"^-?\d+$|^[a-z+]+$", knob.default) and \
            knob.default not in ("a", "one") and value != knob.default:
        return f"default is {value}, the manual says {knob.default}"
    if knob.kind.startswith("name"):
        return check_name(knob)
    if not knob.limits():
        return "the manual has no limits"
    return check_number(knob)


def main():
    knobs = parse(sys.argv[1])
    there = sorted(os.listdir(ROOT))
    failed = 0
    for name in sorted(set(there) | set(knobs)):
        if name not in knobs:
            why = "is not in the manual"
        elif name not in there:
            why = "is in the manual only"
        else:
            why = check(knobs[name])
        if why:
            print(f"{name}: {why}")
            failed += 1
    print(f"{len(there)} settings, {failed} wrong")
    sys.exit(1 if failed or len(there) < 40 else 0)


if __name__ == "__main__":
    main()
