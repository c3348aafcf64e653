# SPDX-License-Identifier: GPL-2.0
"""Pictures of an experiment, each as SVG and PNG."""

import os
import re

POINTS = 200                # per line: pictures stay small
COLUMNS = 3


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
        "axes.prop_cycle": plt.cycler(color=[
            "#0b62a4", "#d1495b", "#2e933c", "#e08e0b", "#6b4fa0", "#17a2b8",
            "#7f5539", "#555555", "#c77dff", "#90be6d"])})
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


def _cases(results):
    out = {}
    for case, t, runs in results:
        out.setdefault(case["name"], []).append((t, runs))
    return out


def _title(x, case):
    return x.name if case == "-" else f"{x.name}, {case}"


def draw_times(plt, folder, x, results):
    """CDF of completion time over ideal, all seeds together."""
    cases = _cases(results)
    fig, axes = _grid(plt, len(cases))
    for ax, (case, rows) in zip(axes, cases.items()):
        worst = 1.5
        for t, runs in rows:
            v = sorted(min(r, 1000.0) for run in runs for r in run.ratios())
            if not v:
                continue
            worst = max(worst, v[-1])
            pts = [(r, (i + 1) / len(v)) for i, r in enumerate(v)]
            if len(pts) > POINTS:
                pts = pts[::len(pts) // POINTS] + [pts[-1]]
            ax.step([p[0] for p in pts], [p[1] for p in pts], where="post",
                    label=t["name"])
        if worst > 6:
            ax.set_xscale("log")
        ax.axvline(1.0, color="#999999", linewidth=0.6)
        ax.set_xlabel("time over ideal")
        ax.set_ylabel("share of flows")
        ax.set_title(_title(x, case))
        ax.legend(fontsize=6)
    _save(plt, fig, folder, "times")


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
            pts = _thin([(p[0] / 1e6, p[1] / 1000) for p in q[key]])
            ax.plot([p[0] for p in pts], [p[1] for p in pts],
                    label=f"{t['name']} ({key[0]} to {key[1]})")
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
                    label=f"connection {conn}")
        ax.set_xlabel("time, ms")
        ax.set_ylabel("window, KB")
        ax.set_title(f"{x.name}, {t['name']}")
    _save(plt, fig, folder, "windows")


def draw_shares(plt, folder, x, results):
    """Share of the bytes that each parallel path carried, first seed."""
    rows = [(c, t, runs[0].shares()) for c, t, runs in results]
    rows = [r for r in rows if len(r[2]) > 1]
    if not rows:
        return
    fig, ax = plt.subplots(figsize=(5.5, 0.6 + 0.26 * len(rows)))
    for y, (c, t, shares) in enumerate(rows):
        left = 0.0
        for i, s in enumerate(shares.values()):
            ax.barh(y, s, left=left, color=f"C{i % 10}", height=0.7)
            left += s
    ax.set_yticks(range(len(rows)))
    ax.set_yticklabels([" ".join(n for n in (c["name"], t["name"]) if n != "-")
                        for c, t, _ in rows], fontsize=6)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(0, 1)
    ax.set_xlabel("share of bytes by path")
    ax.grid(False)
    _save(plt, fig, folder, "shares")


def draw_goodput(plt, folder, x, results):
    """Throughput of every connection over time, first seed."""
    rows = [(c, t, runs[0].raw.goodput) for c, t, runs in results
            if runs[0].raw.goodput][:6]
    if not rows:
        return
    fig, axes = _grid(plt, len(rows))
    for ax, (c, t, goodput) in zip(axes, rows):
        for conn in sorted(goodput)[:48]:
            pts = goodput[conn][1:]
            before = [p[0] for p in goodput[conn]]
            mbps = [p[1] * 8e3 / (p[0] - b) for p, b in zip(pts, before)]
            ax.plot([p[0] / 1e6 for p in pts], mbps, linewidth=0.5)
        ax.set_xlabel("time, ms")
        ax.set_ylabel("Mb/s")
        ax.set_title(_title(x, c["name"]) + ", " + t["name"])
    _save(plt, fig, folder, "goodput")


def draw(folder, x, results):
    plt = _pyplot()
    draw_times(plt, folder, x, results)
    draw_queues(plt, folder, x, results)
    draw_windows(plt, folder, x, results)
    draw_shares(plt, folder, x, results)
    draw_goodput(plt, folder, x, results)
