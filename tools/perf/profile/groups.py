# SPDX-License-Identifier: GPL-2.0
"""What functions are for: the rules of groups.conf."""
import fnmatch
import os
import re

from symbols import plain

HERE = os.path.dirname(os.path.realpath(__file__))
USER = "user space"
OTHER = "other"


class Groups:
    """names: in the order of the file, then user space and other"""

    def __init__(self, text):
        self.names = []
        self.rules = []     # (group, expression for names, for paths)
        words = {}
        for number, line in enumerate(text.splitlines(), 1):
            line = line.partition("#")[0].strip()
            head = re.fullmatch(r"\[(.+)\]", line)
            if head:
                self.names.append(head.group(1))
                words[self.names[-1]] = []
            elif line and not self.names:
                raise ValueError(f"groups, line {number}: no [group] before it")
            elif line:
                words[self.names[-1]] += line.split()
        for group in self.names:
            names = [w for w in words[group] if "/" not in w]
            paths = [w for w in words[group] if "/" in w]
            self.rules.append((group, _any_of(names), _any_of(paths)))
        self.names += [USER, OTHER]
        self._known = {}

    def of(self, function):
        """The group of a function by itself, or None."""
        if function not in self._known:
            self._known[function] = self._find(function)
        return self._known[function]

    def _find(self, function):
        name = plain(function.name)
        for group, names, paths in self.rules:
            # What has a path is ours, and goes by that
            if function.path:
                if paths.fullmatch(function.path):
                    return group
            elif names.fullmatch(name):
                return group
        return None

    def of_call(self, functions):
        """The group of a function with its callers, innermost first."""
        for function in functions:
            group = self.of(function)
            if group:
                return group
        return OTHER


def _any_of(globs):
    if not globs:
        return re.compile(r"(?!)")
    return re.compile("|".join(fnmatch.translate(g) for g in globs))


def load(path=os.path.join(HERE, "groups.conf")):
    with open(path, encoding="ascii") as f:
        return Groups(f.read())
