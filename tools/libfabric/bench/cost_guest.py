#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What messages cost over libfabric, in a guest whose time counts instructions.

    cost_guest.py LIB OUT
"""
import json
import os
import subprocess
import sys

ADDRESS = "127.0.0.1"
# The first one is compared with the others
OVER = "uet", "bare", "tcp;ofi_rxm", "sockets"
WHAT = "round_trip", "message"


def measure(lib, over):
    env = dict(os.environ, FI_PROVIDER_PATH=lib)
    out = subprocess.run([f"{lib}/fi_cost", over, ADDRESS], env=env, check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def table(rows):
    """Lines of text, and ratios to the peers by size"""
    by = {(r["over"], r["size"]): r for r in rows}
    lines, ratios = [], []
    for what in WHAT:
        lines.append(f"{what.replace('_', ' '):12}" + "".join(
            f"{o:>14}" for o in OVER) + "".join(f"{f'over {o}':>18}" for o in OVER[1:]))
        for size in sorted({r["size"] for r in rows}):
            costs = [by[o, size][what] for o in OVER]
            to = {o: round(costs[0] / c, 3) for o, c in zip(OVER[1:], costs[1:])}
            ratios.append({"what": what, "size": size, "over": to})
            lines.append(f"{size:8} byte" + "".join(f"{c:14.0f}" for c in costs) +
                         "".join(f"{t:18.3f}" for t in to.values()))
    return lines, ratios


def main(lib, out):
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    rows = [r for over in OVER for r in measure(lib, over)]
    lines, ratios = table(rows)
    print("\n".join(lines))
    with open(f"{out}/libfabric.json", "w", encoding="utf-8") as f:
        json.dump({"costs": rows, "ratios": ratios}, f, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:3])
