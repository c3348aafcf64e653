# SPDX-License-Identifier: GPL-2.0
"""Draws the panels of the dashboard at their places from their own queries. This is no
picture of Grafana, which would draw the same lines in its own way."""
import datetime
import re

import matplotlib

matplotlib.use("Agg")

import matplotlib.dates as dates  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402

import evaluate  # noqa: E402
import metrics  # noqa: E402

COLUMNS = 24
INCHES = (13, 15.5)
BACK, PANEL, TEXT = "#f4f5f5", "#ffffff", "#24292e"
# Lines of a panel that are not 0 at all times, and no more than these
MANY = 9


def scaled(value, units, step):
    unit = 0
    while abs(value) >= step and unit + 1 < len(units):
        value, unit = value / step, unit + 1
    return f"{value:.3g}{units[unit]}"


def text_of(value, unit):
    if unit == "bps":
        return scaled(value, ["b/s", "kb/s", "Mb/s", "Gb/s"], 1000)
    if unit == "bytes":
        return scaled(value, ["B", "KiB", "MiB", "GiB"], 1024)
    if unit == "s":
        return scaled(value * 1e6, ["us", "ms", "s"], 1000)
    if unit == "percentunit":
        return f"{value * 100:.3g}%"
    return f"{value:.3g}" + {"pps": "/s", "ops": "/s"}.get(unit, "")


def legend_of(target, labels):
    return re.sub(r"\{\{(\w+)\}\}", lambda m: labels.get(m[1], ""),
                  target["legendFormat"])


def lines_of(prometheus, panel, begin, end):
    return [(legend_of(t, labels), some) for t in panel["targets"]
            for labels, some in evaluate.points(prometheus, t["expr"], begin, end)]


def draw_stat(axes, panel, lines):
    unit = panel["fieldConfig"]["defaults"]["unit"]
    value = lines[0][1][-1][1] if lines else float("nan")
    axes.axis("off")
    axes.text(0.5, 0.45, text_of(value, unit), ha="center", va="center", size=17,
              color="#3d71d9", transform=axes.transAxes)


def draw_lines(axes, panel, lines, span):
    unit = panel["fieldConfig"]["defaults"]["unit"]
    shown = [line for line in lines if any(v for _, v in line[1])] or lines
    for name, some in shown[:MANY]:
        axes.plot([datetime.datetime.fromtimestamp(t, datetime.timezone.utc)
                   for t, _ in some], [v for _, v in some], lw=0.9, label=name)
    axes.set_ylim(bottom=0)
    axes.set_xlim(*(datetime.datetime.fromtimestamp(t, datetime.timezone.utc)
                    for t in span))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: text_of(v, unit)))
    axes.xaxis.set_major_formatter(dates.DateFormatter("%H:%M"))
    axes.xaxis.set_major_locator(dates.MinuteLocator())
    axes.tick_params(labelsize=5.5, length=2)
    axes.grid(lw=0.3)
    if shown:
        axes.legend(fontsize=5, ncol=3, frameon=False, loc="upper center",
                    bbox_to_anchor=(0.5, -0.12))


def draw(prometheus, begin, end, path):
    panels = metrics.panels()
    rows = max(p["gridPos"]["y"] + p["gridPos"]["h"] for p in panels)
    figure = pyplot.figure(figsize=INCHES, facecolor=BACK)
    for p in panels:
        g = p["gridPos"]
        left, top = g["x"] / COLUMNS, 1 - g["y"] / rows
        width, height = g["w"] / COLUMNS, g["h"] / rows
        stat = p["type"] == "stat"
        axes = figure.add_axes([left + (0.005 if stat else 0.05),
                                top - height + (0.005 if stat else 0.043),
                                width - (0.01 if stat else 0.06),
                                height - (0.025 if stat else 0.068)], facecolor=PANEL)
        axes.set_title(p["title"], size=7, loc="left", color=TEXT)
        lines = lines_of(prometheus, p, begin, end)
        if stat:
            draw_stat(axes, p, lines)
        else:
            draw_lines(axes, p, lines, (begin, end))
    figure.savefig(path, dpi=75, metadata={"Software": None})
