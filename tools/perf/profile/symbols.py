# SPDX-License-Identifier: GPL-2.0
"""Which function an address belongs to: /proc/kallsyms of the guest.

Modules are there where they were loaded. Which file of this tree a function of
a module is from, its objects tell.
"""
import bisect
import collections
import glob
import os
import re
import subprocess

CODE = "tTwW"
# Room in front of functions, not a function
PADDING = re.compile(r"__(pfx|cfi)_")
# What the compiler appends to a function that it took apart
PARTS = re.compile(r"\.(constprop|isra|part|cold|llvm)\b.*$")

Function = collections.namedtuple("Function", "name module path")


def plain(name):
    return PARTS.sub("", name)


class Symbols:
    """addrs: sorted; functions: what begins at each"""

    def __init__(self, kallsyms, paths=None):
        """paths: {module: {name: [path, ...]}}, see object_paths()"""
        found = {}
        for line in kallsyms:
            addr, kind, name, *module = line.split()
            addr = int(addr, 16)
            if kind not in CODE or not addr or PADDING.match(name):
                continue
            # Of several names the one that people know
            if addr in found and not found[addr][0].startswith("_"):
                continue
            found[addr] = (name, module[0].strip("[]") if module else None)
        if not found:
            raise ValueError("kallsyms has no addresses: kernel.kptr_restrict")
        self.addrs = sorted(found)
        self.functions = list(self._located(found, paths or {}))

    def _located(self, found, paths):
        """Names that several files have are from that of the function before."""
        last = {}
        for addr in self.addrs:
            name, module = found[addr]
            candidates = paths.get(module, {}).get(name, [])
            path = last.get(module)
            if path not in candidates:
                path = candidates[0] if candidates else None
            if path:
                last[module] = path
            yield Function(name, module, path)

    def at(self, addr):
        """The function that an address is in, and where it begins."""
        i = bisect.bisect_right(self.addrs, addr) - 1
        if i < 0:
            return Function(hex(addr), None, None), addr
        return self.functions[i], self.addrs[i]


def object_paths(folder, tree):
    """{name: [path, ...]} of what the module's objects in a folder define as code

    tree has the sources: objects that have none are made of others.
    """
    paths = collections.defaultdict(list)
    for obj in sorted(glob.glob(os.path.join(folder, "net", "uet", "**", "*.o"),
                                recursive=True)):
        path = os.path.relpath(obj, folder)[:-2] + ".c"
        if "/tests/" in path or not os.path.exists(os.path.join(tree, path)):
            continue
        out = subprocess.run(["nm", obj], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
        for line in out.splitlines():
            kind, name = line.split()[-2:]
            if kind in CODE:
                paths[name].append(path)
    return dict(paths)
