#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Does the vector runner notice? selftest.py "RUNNER" FILE...

Changes some expected values of each file, one at a time, and the kind, and
demands that the runner refuses the file and names the field.
"""

import json
import os
import subprocess
import sys
import tempfile

SAMPLES = 4


def expectations(node, path=()):
    """Paths of the members that a runner compares."""
    if isinstance(node, dict):
        for key, value in node.items():
            here = path + (key,)
            if isinstance(value, int) and key != 'inc' and (
                    key.startswith('expect_') or 'expect' in path or
                    'fx' in path and 'rows' in path):
                yield here
            yield from expectations(value, here)
    elif isinstance(node, list):
        for i, value in enumerate(node):
            if path and path[-1] == 'expect' and isinstance(value, int):
                yield path + (i,)
            yield from expectations(value, path + (i,))


def swap(doc, path, value):
    for step in path[:-1]:
        doc = doc[step]
    old = doc[path[-1]]
    doc[path[-1]] = value(old)
    return old


def spoiled(key):
    def change(value):
        if isinstance(value, bool):
            return not value
        return value + (value // 64 + 16 if key == 'cwnd' else 1)
    return change


def run(runner, doc):
    with tempfile.NamedTemporaryFile('w', suffix='.json', delete=False) as f:
        json.dump(doc, f)
    done = subprocess.run([*runner.split(), f.name], capture_output=True, text=True,
                          check=False)
    os.unlink(f.name)
    return done


def main():
    runner, failures, tests = sys.argv[1], 0, 0
    for name in sys.argv[2:]:
        with open(name, encoding='utf-8') as f:
            doc = json.load(f)
        paths = list(expectations(doc))
        for path in paths[::len(paths) // SAMPLES + 1]:
            field = [p for p in path if isinstance(p, str)][-1]
            old = swap(doc, path, spoiled(field))
            done = run(runner, doc)
            swap(doc, path, lambda _, keep=old: keep)
            tests += 1
            if done.returncode != 1 or field not in done.stderr:
                failures += 1
                print(f'{name}: {path}: not noticed: {done.stderr.strip()}')
        doc['kind'] = 'nothing'
        tests += 1
        if run(runner, doc).returncode == 0:
            failures += 1
            print(f'{name}: unknown kind accepted')
    print(f'{tests} spoiled files, {failures} unnoticed')
    sys.exit(failures > 0)


if __name__ == '__main__':
    main()
