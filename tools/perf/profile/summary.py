# SPDX-License-Identifier: GPL-2.0
"""Sums of a profile: by group and by function, of each phase."""
import collections

import read
from groups import OTHER, USER


class Phase:
    """groups: {group: values}; functions: {name: values}; calls: {name: times}

    A function's values are its own, without what it calls. Those of a group are
    those of its functions and of the helpers that they call.
    """

    def __init__(self):
        self.groups = collections.defaultdict(collections.Counter)
        self.functions = collections.defaultdict(collections.Counter)
        self.calls = collections.Counter()

    def total(self, value):
        return sum(c[value] for c in self.groups.values())


class Summary:
    """phases: {number: Phase}"""

    def __init__(self, counts, symbols, groups):
        self._counts, self._symbols, self._groups = counts, symbols, groups
        self._context_group = {read.ROOT: OTHER, read.USER: OTHER}
        self.phases = collections.defaultdict(Phase)
        for block in counts.blocks:
            self._add(*block)

    def _add(self, context, phase, addr, values):
        p = self.phases[phase]
        named = dict(zip(self._counts.names, values))
        name = group = USER
        if addr & read.KERNEL_SPACE:
            function, start = self._symbols.at(addr)
            group = self._groups.of(function) or self._group_of(context)
            name = shown(function)
            if addr == start:
                p.calls[name] += named.get("runs", 0)
        p.groups[group].update(named)
        p.functions[name].update(named)

    def _group_of(self, context):
        """That of the innermost caller that has one"""
        way = []
        while context not in self._context_group:
            function, _ = self._symbols.at(self._counts.functions[context])
            group = self._groups.of(function)
            if group:
                self._context_group[context] = group
                break
            way.append(context)
            context = self._counts.parents[context]
        group = self._context_group[context]
        self._context_group.update((c, group) for c in way)
        return group


def shown(function):
    """Its name, with its module if that does not say it already"""
    if not function.module or function.name.startswith(function.module):
        return function.name
    return f"{function.name} [{function.module}]"
