# SPDX-License-Identifier: GPL-2.0
"""KTAP lines of a test in Python"""

print("KTAP version 1")
_count = _failed = 0


def ok(good, name, why=""):
    global _count, _failed
    _count += 1
    _failed += not good
    if not good and why:
        print(f"# {why}")
    print(f"{'ok' if good else 'not ok'} {_count} {name}")


def same(found, want, name):
    ok(found == want, name, f"{found} instead of {want}")


def end():
    """Exit status of the test"""
    print(f"1..{_count}")
    return _failed != 0
