# SPDX-License-Identifier: GPL-2.0
"""Pictures of an experiment, each as SVG and PNG."""

import os
import re

from . import collective, results as figures, sweep

POINTS = 200                # per line: pictures stay small
COLUMNS = 3
# Colours that people of all kinds of colour vision tell apart (Okabe and Ito);
# from the ninth line on the same ones with dashes.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#e69f00", "#56b4e9", "#cc79a7",
           "#000000", "#b3a100")
DASHES = ("-", "--", ":", "-.")
# Bars that have no dashes to differ by.
HATCHES = ("", "///", "...", "xxx")


class NoPictures(Exception):
    """The drawing library is missing."""


def _pyplot():
    """Loaded late: checking a description needs no drawing."""
    try:
        import matplotlib
    except ImportError:
        raise NoPictures("pictures need the package python3-matplotlib "
                         "(or --no-pictures)") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    plt.rcParams.update({
        "svg.hashsalt": "uet-lab", "svg.fonttype": "none", "font.size": 8,
        "axes.grid": True, "grid.alpha": 0.3, "lines.linewidth": 1.0,
        "hatch.linewidth": 0.4})
    return plt


def _save(plt, fig, folder, name):
    fig.tight_layout()
    svg = os.path.join(folder, name + ".svg")
    fig.savefig(svg, metadata={"Date": None})
    # A tenth of a point is finer than any screen, and halves the file.
    with open(svg) as f:
        text = re.sub(r"(\d\.\d)\d+", r"\1", f.read())
    with open(svg, "w") as f:
        f.write(text)
    fig.savefig(os.path.join(folder, name + ".png"), dpi=110)
    plt.close(fig)


def _grid(plt, n, width=3.6, height=2.6):
    cols = 2 if n == 4 else min(n, COLUMNS)
    rows = -(-n // cols)
    fig, axes = plt.subplots(rows, cols, squeeze=False,
                             figsize=(width * cols, height * rows))
    flat = [a for row in axes for a in row]
    for a in flat[n:]:
        a.set_visible(False)
    return fig, flat


def _thin(points):
    """The largest of each stretch, so that peaks stay visible."""
    if len(points) <= POINTS:
        return points
    step = len(points) / POINTS
    out = []
    for i in range(POINTS):
        part = points[int(i * step):int((i + 1) * step)]
        out.append(max(part, key=lambda p: p[1]))
    return out


def _look(n):
    """Of the line with this number."""
    return {"color": COLOURS[n % len(COLOURS)],
            "linestyle": DASHES[n // len(COLOURS) % len(DASHES)]}


def _of(x, t):
    """A transport looks the same in all pictures of its experiment."""
    return _look([o["name"] for o in x.transports].index(t["name"]))


def _held(points, start, end):
    """
    The largest value of each of POINTS stretches, of a quantity that is told when
    it changes: until the next word of it, the last one holds.
    """
    out, value, k = [], 0, 0
    step = (end - start) / POINTS
    for i in range(POINTS):
        most = value
        while k < len(points) and points[k][0] < start + (i + 1) * step:
            value = points[k][1]
            most = max(most, value)
            k += 1
        out.append((start + i * step, most))
    return out


def _cases(results):
    out = {}
    for case, t, runs in results:
        out.setdefault(case["name"], []).append((t, runs))
    return out


def _title(x, case):
    return x.name if case == "-" else f"{x.name}, {case}"


def _panels(x, results):
    """
    What has a panel of its own, with the lines in it (name, look, runs): a case
    with a line for each transport, or in a sweep a transport with one for each
    value.
    """
    out = {}
    for case, t, runs in results:
        if not x.sweep:
            line = (t["name"], _of(x, t), runs)
            out.setdefault(_title(x, case["name"]), []).append(line)
            continue
        title = _title(x, sweep.base(case)) + ", " + t["name"]
        lines = out.setdefault(title, [])
        name = case.get("sweep", {}).get("value", "any")
        lines.append((name, _look(len(lines)), runs))
    return out


def draw_times(plt, folder, x, results):
    """CDF of completion time over ideal, all seeds together."""
    panels = _panels(x, results)
    fig, axes = _grid(plt, len(panels))
    for ax, (title, lines) in zip(axes, panels.items()):
        worst = 1.5
        for name, look, runs in lines:
            v = sorted(min(r, 1000.0) for run in runs for r in run.ratios())
            if not v:
                continue
            worst = max(worst, v[-1])
            pts = [(r, (i + 1) / len(v)) for i, r in enumerate(v)]
            if len(pts) > POINTS:
                pts = pts[::len(pts) // POINTS] + [pts[-1]]
            ax.step([p[0] for p in pts], [p[1] for p in pts], where="post",
                    label=name, **look)
        if worst > 6:
            ax.set_xscale("log")
        ax.axvline(1.0, color="#999999", linewidth=0.6)
        ax.set_xlabel("time over ideal")
        ax.set_ylabel("share of flows")
        ax.set_title(title)
        ax.legend(fontsize=6, title=x.sweep.label if x.sweep else None,
                  title_fontsize=6)
    _save(plt, fig, folder, "times")


def _over(results, figure, group):
    """(base case, transport) -> [(x, text, mean, margin)] in a sweep."""
    out = {}
    for case, t, runs in results:
        r = figures.row(case, t, runs)
        mean, margin = sweep.means(r, figure, group)
        of = case.get("sweep", {})
        out.setdefault((sweep.base(case), t["name"]), []).append(
            (of.get("x"), of.get("value"), mean, margin or 0))
    return out


def draw_sweep(plt, folder, x, results):
    """
    Figures over the parameter: means over seeds, bars for their intervals of
    95 %. What the parameter says nothing to is a level line.
    """
    wanted = [(c, f) for f in x.sweep.figures
              for c in dict.fromkeys(sweep.base(c) for c, _, _ in results)]
    fig, axes = _grid(plt, len(wanted))
    for ax, (case, figure) in zip(axes, wanted):
        ticks = {}
        for (base, name), pts in _over(results, figure,
                                       x.sweep.group).items():
            if base != case:
                continue
            look = _of(x, x.transport(name))
            if pts[0][0] is None:
                ax.axhline(pts[0][2], label=name, **look)
                continue
            pts.sort()
            ticks |= {p[0]: p[1] for p in pts}
            ax.errorbar([p[0] for p in pts], [p[2] for p in pts],
                        yerr=[p[3] for p in pts], label=name, capsize=2,
                        marker="o", markersize=2.5, **look)
        if ticks and min(ticks) > 0 and max(ticks) > 20 * min(ticks):
            ax.set_xscale("log")
        ax.set_xticks(list(ticks), list(ticks.values()))
        ax.set_xticks([], minor=True)
        ax.set_xlabel(x.sweep.label)
        ax.set_ylabel(sweep.FIGURES[figure]
                      + ("" if figure == "jain" else ", time over ideal"))
        ax.set_title(_title(x, case))
        ax.legend(fontsize=6)
    _save(plt, fig, folder, "sweep")


def draw_queues(plt, folder, x, results):
    """The busiest switch port of the first seed over time."""
    cases = _cases(results)
    fig, axes = _grid(plt, len(cases))
    some = False
    for ax, (case, rows) in zip(axes, cases.items()):
        for t, runs in rows:
            q = runs[0].raw.queues
            if not q:
                continue
            some = True
            key = max(q, key=lambda k: sum(p[1] for p in q[k]))
            end = max(p[0] for v in q.values() for p in v)
            pts = _held(q[key], 0, max(end, 1))
            ax.step([p[0] / 1e6 for p in pts], [p[1] / 1000 for p in pts],
                    where="post", label=f"{t['name']} ({key[0]} to {key[1]})",
                    **_of(x, t))
        ax.set_xlabel("time, ms")
        ax.set_ylabel("queue, KB")
        ax.set_title(_title(x, case))
        if ax.lines:
            ax.legend(fontsize=5)
    if some:
        _save(plt, fig, folder, "queues")
    else:
        plt.close(fig)


def draw_windows(plt, folder, x, results):
    """Congestion windows of some connections, first case, first seed."""
    rows = [(t, runs[0].raw.windows) for _, t, runs in results
            if runs[0].raw.windows][:6]
    if not rows:
        return
    fig, axes = _grid(plt, len(rows))
    for ax, (t, windows) in zip(axes, rows):
        for conn in sorted(windows)[:4]:
            pts = _thin([(p[0] / 1e6, p[1] / 1000) for p in windows[conn]])
            ax.plot([p[0] for p in pts], [p[1] for p in pts],
                    label=f"connection {conn}", **_look(len(ax.lines)))
        ax.set_xlabel("time, ms")
        ax.set_ylabel("window, KB")
        ax.set_title(f"{x.name}, {t['name']}")
        ax.legend(fontsize=5)
    _save(plt, fig, folder, "windows")


def draw_shares(plt, folder, x, results):
    """Share of the bytes that each parallel path carried, first seed."""
    rows = [(c, t, runs[0].shares()) for c, t, runs in results]
    rows = [r for r in rows if len(r[2]) > 1]
    if not rows:
        return
    fig, ax = plt.subplots(figsize=(6.5, 0.8 + 0.26 * len(rows)))
    bars = {}
    for y, (c, t, shares) in enumerate(rows):
        left = 0.0
        for i, (path, s) in enumerate(shares.items()):
            bar = ax.barh(y, s, left=left, color=COLOURS[i % len(COLOURS)],
                          hatch=HATCHES[i // len(COLOURS) % len(HATCHES)],
                          edgecolor="white", linewidth=0.4, height=0.7)
            bars.setdefault(path, bar)
            left += s
    ax.legend(bars.values(), bars.keys(), fontsize=5, loc="center left",
              bbox_to_anchor=(1.0, 0.5))
    ax.set_yticks(range(len(rows)))
    ax.set_yticklabels([" ".join(n for n in (c["name"], t["name"]) if n != "-")
                        for c, t, _ in rows], fontsize=6)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(0, 1)
    ax.set_xlabel("share of bytes by path")
    ax.grid(False)
    _save(plt, fig, folder, "shares")


def draw_goodput(plt, folder, x, results):
    """Throughput of every connection over time by group, first seed."""
    rows = [(c, t, runs[0]) for c, t, runs in results
            if runs[0].raw.goodput][:6]
    if not rows:
        return
    fig, axes = _grid(plt, len(rows))
    for ax, (c, t, run) in zip(axes, rows):
        goodput, groups = run.raw.goodput, {}
        for conn in sorted(goodput)[:48]:
            pts = goodput[conn][1:]
            before = [p[0] for p in goodput[conn]]
            mbps = [p[1] * 8e3 / (p[0] - b) for p, b in zip(pts, before)]
            group = run.traffic.conns[conn].group
            look = _look(groups.setdefault(group, len(groups)))
            first = group not in [line.get_label() for line in ax.lines]
            ax.plot([p[0] / 1e6 for p in pts], mbps, linewidth=0.5,
                    label=group if first else None, **look)
        ax.set_xlabel("time, ms")
        ax.set_ylabel("Mb/s, each connection")
        ax.set_title(_title(x, c["name"]) + ", " + t["name"])
        ax.legend(fontsize=6)
    _save(plt, fig, folder, "goodput")


def draw_collectives(plt, folder, x, results):
    """Medians over ideal by size, bars up to the 99th percentile."""
    by = {}
    for _, t, runs in results:
        for c in collective.figures(runs):
            by.setdefault(c["operation"], {}).setdefault(t["name"],
                                                         []).append(c)
    fig, axes = _grid(plt, len(by))
    for ax, (operation, lines) in zip(axes, by.items()):
        for name, pts in lines.items():
            mid = [c["median_us"] / c["ideal_us"] for c in pts]
            up = [(c["p99_us"] - c["median_us"]) / c["ideal_us"] for c in pts]
            ax.errorbar([c["bytes"] for c in pts], mid, yerr=[[0] * len(up), up],
                        label=name, capsize=2, marker="o", markersize=2.5,
                        **_of(x, x.transport(name)))
        ax.axhline(1.0, color="#999999", linewidth=0.6)
        ax.set_xscale("log")
        ticks = sorted({c["bytes"] for pts in lines.values() for c in pts})
        ax.set_xticks(ticks, [collective.size_text(n) for n in ticks],
                      rotation=45, fontsize=6)
        ax.set_xticks([], minor=True)
        ax.set_ylabel("time over ideal")
        ax.set_title(f"{x.name}, {operation}")
        ax.legend(fontsize=6)
    _save(plt, fig, folder, "collectives")


def draw(folder, x, results):
    plt = _pyplot()
    if results[0][2][0].traffic.works:
        draw_collectives(plt, folder, x, results)
        draw_shares(plt, folder, x, results)
        return
    draw_times(plt, folder, x, results)
    if x.sweep:
        # The rest is of single rows: too many here to be seen.
        draw_sweep(plt, folder, x, results)
        return
    draw_queues(plt, folder, x, results)
    draw_windows(plt, folder, x, results)
    draw_shares(plt, folder, x, results)
    draw_goodput(plt, folder, x, results)
