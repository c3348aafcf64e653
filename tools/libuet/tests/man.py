#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What the manual pages of libuet say, for tests and for make install.

usage: man.py --links MANDIR    pages under the names of the functions that they
                                describe, in MANDIR/man3
"""

import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
MAN = os.path.join(HERE, "../../../Documentation/man")


def pages(pattern="libuet*.3"):
    """{file name: text}"""
    found = sorted(glob.glob(os.path.join(MAN, pattern)))
    return {os.path.basename(p): open(p).read() for p in found}


def section(text, name):
    m = re.search(rf"^\.Sh {name}\n(.*?)(?=^\.Sh |\Z)", text, re.S | re.M)
    return m[1] if m else ""


def names(text):
    """What a page describes, by its section NAME."""
    return re.findall(r"^\.Nm (\S+)", section(text, "NAME"), re.M)


def words(line):
    """Arguments of a macro: words, or text in quotes."""
    return [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', line)]


def prototypes(text):
    """{name: declaration in C} of the section SYNOPSIS."""
    found, kind, name, args = {}, None, None, []
    for line in section(text, "SYNOPSIS").splitlines():
        macro, *rest = words(line)
        if macro == ".Ft":
            kind = " ".join(rest)
        elif macro == ".Fn":
            found[rest[0]] = f"{kind} {rest[0]}({', '.join(rest[1:])});"
        elif macro == ".Fo":
            name, args = rest[0], []
        elif macro == ".Fa":
            args.append(rest[0])
        elif macro == ".Fc":
            found[name] = f"{kind} {name}({', '.join(args)});"
    return found


def programs(text):
    """The programs among the examples."""
    blocks = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", section(
        text, "EXAMPLES"), re.S | re.M)
    return [b.replace("\\e", "\\") for b in blocks if "int main(" in b]


def links(folder):
    os.makedirs(f"{folder}/man3", exist_ok=True)
    for page, text in pages().items():
        for name in names(text):
            if f"{name}.3" != page:
                with open(f"{folder}/man3/{name}.3", "w") as f:
                    f.write(f".so man3/{page}\n")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--links":
        sys.exit(__doc__)
    links(sys.argv[2])
