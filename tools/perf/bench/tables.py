# SPDX-License-Identifier: GPL-2.0
"""Tables as people read them."""
import cases
import compare


def side_by_side(heading, rows, form):
    """rows: [(case, row or None)]; a line for each MTU and size"""
    names = list(dict.fromkeys(c.column for c, _ in rows))
    yield ""
    yield heading
    yield f"{'MTU':>6}{'bytes':>9}" + "".join(f"{n:>13}" for n in names)
    for mtu, size in dict.fromkeys((c.mtu, c.shown or c.size)
                                   for c, _ in rows):
        cells = {c.column: row["cost"] for c, row in rows if row
                 and (c.mtu, c.shown or c.size) == (mtu, size)}
        yield f"{mtu:>6}{size:>9}" + "".join(
            f"{format(cells[n], form) if n in cells else '-':>13}"
            for n in names)


def further(rows):
    """rows: [(case, row or None)], of any kind; a line for each title"""
    names = list(dict.fromkeys(c.transport for c, _ in rows))
    yield ""
    yield ("further rows: instructions per round trip, per message, or per "
           "byte of bulk; AF_UET / TCP")
    yield f"{'':48}" + "".join(f"{n:>9}" for n in names) + "   ratio"
    for title in dict.fromkeys(cases.title(c) for c, _ in rows):
        here = {c.transport: (c, r) for c, r in rows
                if r and cases.title(c) == title}
        cells = "".join(f"{figure(*here[n]) if n in here else '-':>9}"
                        for n in names)
        value, why = compare.compare(*(here.get(n, (None, None))[1]
                                       for n in ("uet", "tcp")))
        ratio = f"{value:.3f}" if value is not None else \
            "-" if len(here) < 2 else "refused: " + "; ".join(why)
        yield f"{title:48}{cells}   {ratio}"


def figure(case, row):
    return f"{row['cost']:.2f}" if case.kind == "bulk" else \
        f"{row['cost']:.0f}"


def how_they_ran(rows):
    """What tells whether rows are alike"""
    yield ""
    yield ("how they ran: how often client and server waited and packets that "
           "both sent, per operation;")
    yield ("packets with data in a run, sent and received; buffers in KiB "
           "(sent, received); offloads")
    yield (f"{'':62}{'client':>8}{'server':>8}{'packets':>9}"
           f"{'tx run':>8}{'rx run':>8}  buffers    offloads")
    for case, row in rows:
        if not row:
            continue
        how = row["conditions"]
        buffers = "/".join(compare.shown([b // 1024 for b in sorted(set(how[k]))])
                           for k in ("sndbuf", "rcvbuf"))
        yield (f"{case.transport + ': ' + cases.title(case):62}"
               + "".join(f"{w:>8.2f}" for w in how["waits"])
               + f"{row['packets']:>9.2f}"
               + "".join(f"{run(row, k):>8}" for k in ("tx_run", "rx_run"))
               + f"  {buffers:9}  {compare.shown(how['offloads'])}")


def run(row, key):
    n = (row["runs"] or {}).get(key)
    return "-" if n is None else f"{n:.1f}"
