# SPDX-License-Identifier: GPL-2.0
"""
What an earlier report says of experiments without results here: two hours of
processor need not be spent again for one section. It is told which those are.
"""

import re

NOTE = "*Of an earlier run*, with the module as it was then."
# What the first page, the list of what was missed and the appendix begin with
FRONT, FRONT_END = "In one page\n===", "What the figures are\n==="
MISSED = "Descriptions expect "
APPENDIX = "Appendix: what does not happen\n==="


def _rows(text, columns):
    """Of the first simple table in a text, without its head."""
    out, rules = [], 0
    for line in text.splitlines():
        if re.fullmatch(r"=+(  =+)+", line):
            rules += 1
            if rules == 3:
                break
        elif rules == 2:
            row = re.split(r"  +", line.strip())
            if len(row) == columns:
                out.append(row)
    return out


class Kept:
    def __init__(self, path):
        try:
            with open(path) as f:
                self.text = f.read()
        except OSError:
            self.text = ""

    def section(self, name):
        """The section whose command runs the experiment, as a list."""
        starts = [m.start() for m in
                  re.finditer(r"^\S.*\n=+\n", self.text, re.M)]
        for a, b in zip(starts, [*starts[1:], len(self.text)]):
            part = self.text[a:b]
            command = f"*Command*: ``make lab EXP={name} "
            if command not in part:
                continue
            if NOTE not in part:
                part = part.replace(command, NOTE + "\n\n" + command, 1)
            return [part.rstrip("\n") + "\n"]
        return []

    def verdicts(self, name):
        """Its rows in the table of aims; columns stand two blanks apart."""
        out = []
        for line in self.text.split("\nAims\n", 1)[-1].splitlines():
            row = re.split(r"  +", line.strip())
            if len(row) == 5 and row[0] == name:
                out.append(row)
        return out

    def front(self):
        """The first page, which is of several experiments."""
        if FRONT not in self.text or FRONT_END not in self.text:
            return ""
        return self.text[self.text.index(FRONT):self.text.index(FRONT_END)]

    def expected(self, name):
        """Rows of the section's table: who, what, limit, measured, verdict."""
        for part in self.section(name):
            _, head, rest = part.partition("What the description expects:")
            if head:
                return _rows(rest, 5)
        return []

    def reason(self, line):
        """Why something was missed, by its line in the list."""
        part = self.text.partition(MISSED)[2]
        m = re.search(re.escape(line) + r" \[(\d+)\]$", part, re.M)
        if not m:
            return None
        why = re.search(rf"^    \[{m.group(1)}\] (.*(?:\n        .*)*)", part, re.M)
        return " ".join(why.group(1).split()) if why else None

    def nothing(self, name):
        """Its rows in the appendix."""
        part = self.text.partition(APPENDIX)[2]
        return [r for r in _rows(part, 3) if r[0] == name]
