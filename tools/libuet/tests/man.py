#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What manual pages say, for tests and for make install.

usage: man.py --links MANDIR    pages of libuet under the names of the functions that
                                they describe, in MANDIR/man3

Comments before a literal block of the section EXAMPLES say how it is tested:

    .\" run: on A, status 2    who runs it (hosts: see selftests/cases/tool/man.sh), and
                               with what exit status it ends; 0 if none is said
    .\" expect: REGEX          a line of what it prints
    .\" refuse: REGEX          no line of it
    .\" meanwhile: COMMAND     what goes on, on the same host

More words of "run", each after a comma: "interrupt" (goes on until SIGINT), "background"
(goes on while the later examples of the page run), "program ARGUMENTS" (the block is a
program in C). "run: by PATH" instead names another test that does it.
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


class Example:
    """A literal block of the section EXAMPLES, and the comments before it."""

    def __init__(self, page, line, text, marks):
        self.page, self.line, self.text = page, line, text
        self.run = [w.strip() for k, v in marks if k == "run"
                    for w in v.split(",")]
        self.expect = [v for k, v in marks if k == "expect"]
        self.refuse = [v for k, v in marks if k == "refuse"]
        self.meanwhile = [v for k, v in marks if k == "meanwhile"]

    def word(self, name):
        """What stands behind a word of "run", None if it is not there."""
        for w in self.run:
            first, _, rest = w.partition(" ")
            if first == name:
                return rest
        return None

    def commands(self):
        """As typed: without prompts, and without what is printed."""
        lines = self.text.splitlines()
        if not any(re.match("[#$] ", line) for line in lines):
            return self.text
        taken, more = [], False
        for line in lines:
            if more or re.match("[#$] ", line):
                taken.append(line if more else line[2:])
                more = bool(re.search(r"[\\|]$", line))
        return "\n".join(taken) + "\n"


MARK = re.compile(r'^\.\\" (run|expect|refuse|meanwhile): (.*)$')
# How the two macro packages begin and end a literal block
BLOCKS = {".Bd -literal": ".Ed", ".nf": ".fi"}
ESCAPES = re.compile(r"\\(e|-|&|\(dq|\(aq|\(ha|\(ti)")
PLAIN = {"e": "\\", "-": "-", "&": "", "(dq": '"', "(aq": "'", "(ha": "^",
         "(ti": "~"}


def examples(page, text):
    """The literal blocks of the section EXAMPLES, in order."""
    found, marks, body, end, inside = [], [], None, None, False
    for n, line in enumerate(text.splitlines(), 1):
        begins = [e for b, e in BLOCKS.items() if line.startswith(b)]
        if re.match(r"\.S[hH] ", line):
            inside = line[4:].strip('"') == "EXAMPLES"
        elif not inside:
            continue
        elif body is not None and line == end:
            found.append(Example(page, start, "".join(body), marks))
            marks, body = [], None
        elif body is not None:
            body.append(ESCAPES.sub(lambda m: PLAIN[m[1]], line) + "\n")
        elif begins:
            body, end, start = [], begins[0], n
        elif MARK.match(line):
            marks.append(MARK.match(line).groups())
    return found


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
