# SPDX-License-Identifier: GPL-2.0
"""
Collective operations over libfabric: what the ranks do, and how it is told.

The program is tools/libfabric/bench/fi_coll.c; its algorithms and limits are told
here once more, for the ideal.
"""

OPERATIONS = ("all-reduce", "all-to-all", "broadcast")
# Providers of libfabric by the protocol that is on the wire.
PROVIDERS = {"uet": "uet", "tcp;ofi_rxm": "tcp"}
# By default ofi_rxm spins for up to 10 ms before it looks after a connection; as long as
# somebody spins, virtual time stands nearly still.
NO_SPIN = "FI_OFI_RXM_CM_PROGRESS_INTERVAL=1"
WORD = 8                    # bytes of a number, which all sizes consist of
SHORT = 16384               # bytes up to which latency matters more
SEGMENT = 32768             # bytes that a chain passes on at once


def size_text(n):
    for unit, text in ((2**20, "MiB"), (2**10, "KiB")):
        if n % unit == 0:
            return f"{n // unit} {text}"
    return f"{n} B"


def group(operation, size):
    """What its rows and expectations are called."""
    return f"{operation} {size_text(size)}"


def misfit(operation, size, ranks):
    """Why so many ranks cannot do it, or None."""
    if operation == "all-to-all" and size % (WORD * ranks):
        return (f"{size_text(size)} are not a multiple of {WORD} bytes for each "
                f"of {ranks} ranks")
    return None


def _bits(ranks):
    return [1 << k for k in range((ranks - 1).bit_length())]


def _all_reduce(size, n):
    if size <= SHORT and n & (n - 1) == 0:
        return [([(r, r ^ bit) for r in range(n)], size) for bit in _bits(n)]
    chunk = -(-size // WORD // n) * WORD
    return [([(r, (r + 1) % n) for r in range(n)], chunk)] * (2 * (n - 1))


def _all_to_all(size, n):
    return [([(r, (r + step) % n) for r in range(n)], size // n)
            for step in range(1, n)]


def _broadcast(size, n):
    """A tree; or a chain, where only the first rank takes the whole time."""
    if size <= SHORT:
        return [([(r, r + bit) for r in range(0, n - bit, 2 * bit)], size)
                for bit in reversed(_bits(n))]
    return [([(0, 1)], size)] + [([(r, r + 1)], min(size, SEGMENT))
                                 for r in range(1, n - 1)]


def steps(operation, size, ranks):
    """[(pairs of ranks that send at the same time, bytes of each message)]"""
    return {"all-reduce": _all_reduce, "all-to-all": _all_to_all,
            "broadcast": _broadcast}[operation](size, ranks)


def quantile(values, percent):
    """The smallest value that at least so many of all do not exceed."""
    v = sorted(values)
    return v[-(-len(v) * percent // 100) - 1]


def figures(runs):
    """What a row says of each operation; None where flows were measured."""
    by, works = {}, runs[0].traffic.works
    for run in runs:
        for f in run.flows:
            by.setdefault(f["group"], []).append(f)
    out = []
    for operation, size, _ in works:
        flows = by[group(operation, size)]
        ns = [f["fct_ns"] for f in flows]
        out.append({"operation": operation, "bytes": size, "rounds": len(ns),
                    "ideal_us": round(flows[0]["ideal_ns"] / 1000, 1),
                    "median_us": round(quantile(ns, 50) / 1000, 1),
                    "p99_us": round(quantile(ns, 99) / 1000, 1)})
    return out


def _us(v):
    return f"{v:.1f}" if v < 1000 else f"{v:.0f}"


def table(summary):
    """Operation by operation, the transports side by side; None without."""
    rows = [r for r in summary["rows"] if "collectives" in r]
    if not rows:
        return None
    names = list(dict.fromkeys(r["transport"] for r in rows))
    cases = list(dict.fromkeys(r["case"] for r in rows))
    out = [["operation", "size", "ideal us"]]
    for name in names:
        out[0] += [f"{name} us", "99 %"]
        if name != names[0]:
            out[0].append("ratio")
    by = {(r["case"], r["transport"], c["operation"], c["bytes"]): c
          for r in rows for c in r["collectives"]}
    every = dict.fromkeys((r["case"], c["operation"], c["bytes"])
                          for r in rows for c in r["collectives"])
    for case, operation, size in every:
        first = by.get((case, names[0], operation, size))
        what = operation if len(cases) == 1 or case == operation else \
            f"{case}: {operation}"
        line = [what, size_text(size), _us(first["ideal_us"]) if first else "-"]
        for name in names:
            c = by.get((case, name, operation, size))
            line += [_us(c["median_us"]), _us(c["p99_us"])] if c else ["-", "-"]
            if name != names[0]:
                line.append(f"{c['median_us'] / first['median_us']:.2f}"
                            if c and first else "-")
        out.append(line)
    return out


def words(summary):
    first = summary["rows"][0]["transport"]
    return ("Median and 99th percentile of the rounds in microseconds, the ideal "
            f"being that of {first}; a ratio is a median over that of {first}:")
