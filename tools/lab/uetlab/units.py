# SPDX-License-Identifier: GPL-2.0
"""Quantities as people write them: sizes, rates, times, shares."""

import re

_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z%]*)")

_SIZE = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9,
         "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_RATE = {"": 1, "bit": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9,
         "kbit": 10**3, "Kbit": 10**3, "Mbit": 10**6, "Gbit": 10**9}
_TIME = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


def _scan(text, table, what):
    m = _NUMBER.fullmatch(str(text).strip())
    if not m or m.group(2) not in table:
        units = ", ".join(u for u in table if u)
        raise ValueError(f"{text!r} is not a {what} (units: {units})")
    return float(m.group(1)) * table[m.group(2)]


def size(text):
    """Bytes; KB is 1000, KiB 1024."""
    return round(_scan(text, _SIZE, "size"))


def rate(text):
    """Bits per second."""
    return round(_scan(text, _RATE, "rate"))


def time(text):
    """Nanoseconds."""
    if str(text).strip() == "0":
        return 0
    return round(_scan(text, _TIME, "time"))


def share(text):
    """A fraction, written as a number up to 1 or as a percentage."""
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        value = float(text)
    else:
        m = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*%", str(text).strip())
        if not m:
            raise ValueError(f"{text!r} is not a share (such as 0.5 or 50%)")
        value = float(m.group(1)) / 100
    if not 0 <= value <= 1:
        raise ValueError(f"{text!r} is not between 0 and 1")
    return value


def show_size(n):
    for unit, f in (("MiB", 2**20), ("KiB", 2**10)):
        if n >= f and n % f == 0:
            return f"{n // f} {unit}"
    for unit, f in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if n >= f:
            return f"{n / f:g} {unit}"
    return f"{n} B"


def show_rate(n):
    for unit, f in (("Gb/s", 10**9), ("Mb/s", 10**6)):
        if n >= f:
            return f"{n / f:g} {unit}"
    return f"{n} b/s"


def show_time(ns):
    for unit, f in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if ns >= f:
            return f"{ns / f:.4g} {unit}"
    return f"{ns:g} ns"
