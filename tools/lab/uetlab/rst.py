# SPDX-License-Identifier: GPL-2.0
"""The report: Documentation/networking/uet-results.rst, and pictures."""

import os
import shutil
import textwrap

from . import aims, collective, front, page, results, shown, sweep
from .kept import Kept

NAME = "uet-results"

HEAD = """\
.. SPDX-License-Identifier: GPL-2.0

=====================================
Results of the fabric laboratory
=====================================

"""

INTRO = """\
This page is written by ``make lab-report`` from what ``make lab`` measured, with
the command and the number of seeds that each section names; nothing in it is
typed in by hand. uet-lab.rst says how the laboratory works and what its model of
hosts and switches leaves out. Sections "of an earlier run" are as they were then,
most of them before a seed meant the same flows in all cases and experiments.

Every figure is a ratio: the time that a message took over the ideal time, which
is computed for each transport from the bytes that it puts on the wire itself.
"max" is the worst message of all seeds, "median" and "99 %" are over all
messages of all seeds, "Jain" is the fairness index of the worst seed, drops,
marks, trims and retransmissions are sums over all seeds, "peak queue" is the
longest data queue of a switch port in bytes. All transports see the same
fabric, the same flows and the same seeds. In a burst a median below 1 only says
that some messages finished before others; the maximum is what counts. "starved"
is an endless flow that got nothing at all; a message that was not delivered
counts with the time that the run lasted. In the tables of what a description
expects, figures of a stretch of time are those of the worst seed.

``uet`` is the module with NSCC and the hybrid path policy in a fabric that
trims, ``uet-notrim`` the same in one that does not, ``uet-spec`` the first with
``net.uet.profile = spec``: every parameter that UE 1.0 names as it has it; the
others are Linux's own TCP (with ECN) and MPTCP with four subflows.

The page shows a few pictures only. Who runs the command of a section finds all of
its pictures in ``out/lab/index.html``, beside the tables, and after ``make
lab-report`` in ``out/lab-report``.
"""


def _heading(text, mark):
    return f"{text}\n{mark * len(text)}\n"


def _fill(text):
    return textwrap.fill(" ".join(text.split()), 78) + "\n"


def _simple_table(rows):
    """A table in reStructuredText's simple form; the first row is its head."""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    rule = "  ".join("=" * w for w in widths)
    lines = [rule]
    for n, r in enumerate(rows):
        lines.append("  ".join(c.ljust(w) for c, w in zip(r, widths)).rstrip())
        if n == 0:
            lines.append(rule)
    return "\n".join([*lines, rule]) + "\n"


def _results(summary):
    rows = results.table_rows(summary)
    if all(r[0] == "-" for r in rows[1:]):
        rows = [r[1:] for r in rows]
    return _simple_table(rows)


def _matrix(summary):
    rows = results.matrix(summary)
    if rows is None:
        return ""
    return (_fill("Longest time over ideal, the worst of all seeds; in brackets "
                  "the standard deviation of the seeds' longest times:")
            + "\n" + _simple_table(rows))


def _sweep(summary):
    rows = sweep.table(summary)
    if rows is None:
        return ""
    return _fill(sweep.words(summary)) + "\n" + _simple_table(rows)


def _collectives(summary):
    rows = collective.table(summary)
    if rows is None:
        return ""
    return _fill(collective.words(summary)) + "\n" + _simple_table(rows)


def _seeds(summary, seeds):
    """Rows that were measured with other numbers of seeds."""
    by = {}
    for r in summary["rows"]:
        if r["seeds"] != seeds:
            by.setdefault(r["seeds"], {})[r["transport"]] = None
    return _fill("With another number of seeds: " + "; ".join(
        f"{', '.join(names)}: {n}" for n, names in sorted(by.items()))
        + ".") if by else ""


def _causes(summary):
    """Retransmissions of the module by cause, where there are any."""
    lines = []
    for r in summary["rows"]:
        by = r["retransmissions_by_cause"]
        if r["proto"] not in ("uet", "rod") or not by:
            continue
        who = " ".join(n for n in (r["case"], r["transport"]) if n != "-")
        lines.append(f"{who}: " + ", ".join(f"{k} {v}"
                                            for k, v in sorted(by.items())))
    if not lines:
        return ""
    return _fill("Retransmissions by cause: " + "; ".join(lines) + ".") + "\n"


def _reordering(summary):
    rows = [["case", "transport", "late packets", "late by at most"]]
    rows += [[r["case"], r["transport"], f"{r['late_packets']:.1%}",
              str(r["late_by_at_most"])]
             for r in summary["rows"] if "late_packets" in r]
    if len(rows) == 1:
        return ""
    return ("Reordering at the receivers, in packets of the flow (of TCP "
            "including\nretransmissions):\n\n" + _simple_table(rows))


def _limit(v):
    sign, limit = (("at least", v["at_least"]) if "at_least" in v
                   else ("at most", v["at_most"]))
    than = f" ({v['against']})" if "against" in v else ""
    return f"{sign} {limit:.4g}{than}"


def _nothing(v):
    """Nothing was to happen, and nothing did: that is for the appendix."""
    return v["met"] and not v["value"] and not v.get("at_most", 1)


def _zeros(summary):
    """What was to be 0 and is, by who."""
    some = {}
    for v in filter(_nothing, summary.get("expectations", ())):
        who = " ".join(n for n in (v["case"], v["transport"]) if n != "-")
        some.setdefault(who, []).append(v["what"])
    return [[summary["experiment"], who, ", ".join(what)]
            for who, what in some.items()]


def _appendix(zeros):
    rows = [["experiment", "case and transport", "what is 0"], *zeros]
    if len(rows) == 1:
        return ""
    return (_heading("Appendix: what does not happen", "=") + "\n"
            + _fill("Figures that descriptions expect to be 0, and that are.")
            + "\n" + _simple_table(rows))


def _expectations(summary):
    """What the description expects; aims across experiments come first."""
    rows = [["case and transport", "expected", "limit", "measured", "verdict"]]
    for v in summary.get("expectations", ()):
        if _nothing(v):
            continue
        who = " ".join(n for n in (v["case"], v["transport"]) if n != "-")
        rows.append([who, v["what"], _limit(v), f"{v['value']:.4g}",
                     "met" if v["met"] else "**missed**"])
    if len(rows) == 1:
        return ""
    return "What the description expects:\n\n" + _simple_table(rows)


def _groups(summary):
    """Who got what, where groups of endless flows share the fabric."""
    lines = []
    for r in summary["rows"]:
        if "goodput_mbps" not in r:
            continue
        who = " ".join(n for n in (r["case"], r["transport"]) if n != "-")
        lines.append(f"{who}: " + ", ".join(
            f"{k} {v}" for k, v in r["goodput_mbps"].items()))
    if not lines:
        return ""
    return _fill("Goodput by group in Mb/s, all flows of the group together: "
                 + "; ".join(lines) + ".") + "\n"


def _judged(summary):
    """(line of the list, met, why it is missed) of what a description expects."""
    out = []
    for v in summary.get("expectations", ()):
        who = " ".join(n for n in (v["case"], v["transport"]) if n != "-")
        line = (f"* {summary['experiment']}, {who}: {v['what']} "
                f"{v['value']:.4g}, {_limit(v)}")
        out.append((line, v["met"], v.get("known")))
    return out


def _judged_before(kept, name):
    """The same of a section that is kept."""
    out = []
    for who, what, limit, value, verdict in kept.expected(name):
        line = f"* {name}, {who}: {what} {value}, {limit}"
        out.append((line, verdict == "met", kept.reason(line)))
    for _, _, what in kept.nothing(name):
        out += [("", True, None)] * (what.count(",") + 1)
    return out


def _missed(judged):
    """What descriptions expect and did not get, of all experiments."""
    lines, reasons = [], {}
    for line, met, why in judged:
        if met:
            continue
        if why:
            reasons.setdefault(" ".join(why.split()), len(reasons) + 1)
            line += f" [{reasons[' '.join(why.split())]}]"
        lines.append(line)
    text = (f"Descriptions expect {len(judged)} things more, see their "
            f"sections. {len(judged) - len(lines)} of them are met")
    if not lines:
        return _fill(text + ".")
    why = [textwrap.fill(f"[{n}] {r}", 78, subsequent_indent="    ")
           for r, n in reasons.items()]
    parts = [_fill(text + "; missed are:"), "\n".join(lines) + "\n"]
    if why:
        parts.append("::\n\n" + textwrap.indent("\n".join(why), "    ") + "\n")
    return "\n".join(parts)


def _verdict(v):
    aim, case, value, met = v
    who = " ".join(n for n in (case, aim.transport) if n != "-")
    return [aim.experiment, who, aim.text, f"{value:.2f}",
            "met" if met else "**missed**"]


def _copy(out, folder, every, name):
    """Pictures of an experiment, and no older one of it beside the page."""
    for picture in page.PICTURES:
        src = os.path.join(out, name, picture + ".svg")
        file = f"{name}-{picture}.svg"
        ours = os.path.join(folder, file)
        if os.path.exists(ours):
            os.remove(ours)
        if os.path.exists(src):
            shutil.copyfile(src, os.path.join(every, file))
            if file.removesuffix(".svg") in shown.SHOWN:
                shutil.copyfile(src, ours)


def _command(about):
    text = (f"*Command*: ``{page.command(about)}`` "
            f"({about['file']})")
    if "cpu" in about:
        text += f"; {about['runs']} runs, {about['cpu']} s of one processor"
    return text + "\n"


def _section(name, about, summary):
    parts = [_heading(about["title"], "="), _fill(about["about"]),
             _fill(f"*Ideal*: {about['ideal']}"),
             _command(about)]
    if worst := _matrix(summary):
        parts.append(worst)
    if over := _sweep(summary):
        parts.append(over)
    if sides := _collectives(summary):
        parts.append(sides)
    parts.append(_results(summary))
    if other := _seeds(summary, about["seeds"]):
        parts.append(other)
    if summary.get("left_out"):
        parts.append("Not measured, or refused by the module: "
                     + ", ".join(summary["left_out"]) + ".\n")
    parts += [p for p in (_expectations(summary), _groups(summary),
                          _causes(summary), _reordering(summary)) if p]
    parts += [shown.figure(f) for p in page.PICTURES
              if (f := f"{name}-{p}") in shown.SHOWN]
    return "\n".join(parts)


def write(out, report, every, names):
    """
    Writes the page, and all pictures to @every; returns the experiments that have
    no results.
    """
    folder = os.path.join(report, shown.FOLDER)
    kept = Kept(os.path.join(report, NAME + ".rst"))
    shutil.rmtree(every, ignore_errors=True)
    os.makedirs(every)
    os.makedirs(folder, exist_ok=True)
    for old in os.listdir(folder):
        if old.removesuffix(".svg") not in shown.SHOWN:
            os.remove(os.path.join(folder, old))
    verdicts, sections, missing, summaries = [], [], [], []
    judged, zeros = [], []
    for name in names:
        both = page.load(out, name)
        if both is None:
            missing.append(name)
            verdicts += kept.verdicts(name)
            sections += kept.section(name)
            judged += _judged_before(kept, name)
            zeros += kept.nothing(name)
            continue
        about, summary = both
        summaries.append(summary)
        verdicts += [_verdict(v) for v in aims.judge(summary)]
        judged += _judged(summary)
        zeros += _zeros(summary)
        sections.append(_section(name, about, summary))
        _copy(out, folder, every, name)
    head = ["experiment", "case and transport", "aim", "measured", ""]
    why = [textwrap.fill(f"* {' '.join(text.split())}", 78,
                         subsequent_indent="  ")
           for text in aims.reasons(summaries)]
    parts = [HEAD + front.text(summaries, kept), INTRO, _heading("Aims", "="),
             _simple_table([head[:4] + ["verdict"]] + verdicts),
             *(["\n".join(why) + "\n"] if why else []),
             _missed(judged), *sections, *filter(None, [_appendix(zeros)])]
    there = {f.removesuffix(".svg") for f in os.listdir(folder)}
    with open(os.path.join(report, NAME + ".rst"), "w") as f:
        f.write(shown.renew("\n".join(parts), there))
    return missing
