# SPDX-License-Identifier: GPL-2.0
"""Lines of keys in a TOML file, which tomllib does not tell."""

import re

_KEY = r"[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*'"
_TABLE = re.compile(rf"\s*(\[\[?)\s*((?:{_KEY})(?:\s*\.\s*(?:{_KEY}))*)\s*\]")
_ASSIGN = re.compile(rf"\s*((?:{_KEY})(?:\s*\.\s*(?:{_KEY}))*)\s*=")


def _parts(dotted):
    return [p.strip("\"'") for p in re.findall(_KEY, dotted)]


class Lines:
    """Maps the path of a key, with list indices, to a line number."""

    def __init__(self, text):
        self.at = {(): 1}
        self.counts = {}
        table = ()
        quote = None
        for nr, line in enumerate(text.splitlines(), 1):
            if quote:
                if quote in line:
                    quote = None
                continue
            m = _TABLE.match(line)
            if m:
                table = self._resolve(_parts(m.group(2)),
                                      new_item=m.group(1) == "[[")
                self.at.setdefault(table, nr)
                continue
            m = _ASSIGN.match(line)
            if m:
                path = table
                for part in _parts(m.group(1)):
                    path += (part,)
                    self.at.setdefault(path, nr)
            for q in ('"""', "'''"):
                if line.count(q) % 2:
                    quote = q

    def _resolve(self, parts, new_item):
        """Names inside arrays of tables mean the last item so far."""
        path = ()
        for i, part in enumerate(parts):
            path += (part,)
            last = i == len(parts) - 1
            if last and new_item:
                self.counts[path] = self.counts.get(path, -1) + 1
            if path in self.counts:
                path += (self.counts[path],)
        return path

    def line(self, path):
        """The line of a key, or of the nearest thing around it."""
        path = tuple(path)
        while path not in self.at:
            path = path[:-1]
        return self.at[path]
