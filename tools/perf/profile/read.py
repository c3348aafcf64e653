# SPDX-License-Identifier: GPL-2.0
"""Reads what a plug-in wrote: a tree of calling contexts and counts of blocks."""

ROOT, USER = 0, 1
KERNEL_SPACE = 1 << 63


class Damaged(Exception):
    """The file is not what a plug-in writes."""


class Counts:
    """What was counted.

    names: of the values, such as insns
    parents, functions: of each context, by its number
    blocks: [(context, phase, address, values)]
    """

    def __init__(self, lines):
        self.names = []
        self.parents = {ROOT: None, USER: None}
        self.functions = {}
        self.blocks = []
        for number, line in enumerate(lines, 1):
            word = line.split()
            try:
                self._take(word)
            except (IndexError, ValueError, KeyError):
                raise Damaged(f"line {number}: {line.strip()}") from None
        if not self.names:
            raise Damaged("it does not begin with \"profile\"")

    def _take(self, word):
        if word[0] == "profile":
            self.names = word[1:]
        elif word[0] == "context":
            number, parent = int(word[1]), int(word[2])
            self.parents[number] = parent
            self.functions[number] = int(word[3], 16)
        elif word[0] == "block":
            values = [int(w) for w in word[4:4 + len(self.names)]]
            self.blocks.append((int(word[1]), int(word[2]), int(word[3], 16),
                                values))
        else:
            raise ValueError

    def callers(self, context):
        """Addresses of the functions from a context up to its root."""
        while context in self.functions:
            yield self.functions[context]
            context = self.parents[context]


def load(path):
    with open(path, encoding="ascii") as f:
        try:
            return Counts(f)
        except Damaged as e:
            raise Damaged(f"{path}: {e}; was the guest ended before its "
                          "emulator could write all of it?") from None
