# SPDX-License-Identifier: GPL-2.0
"""One HTML page over all experiments that have results."""

import html
import json
import os

from . import collective, expect, results, sweep

PICTURES = ("sweep", "collectives", "times", "queues", "windows", "shares", "goodput")

STYLE = """
body { font: 14px/1.45 sans-serif; margin: 2em auto; max-width: 72em;
       padding: 0 1em; color: #222; }
h2 { border-top: 1px solid #ccc; padding-top: 1em; }
table { border-collapse: collapse; margin: 1em 0; }
td, th { padding: 2px 10px; text-align: right; border-bottom: 1px solid #eee; }
td:first-child, td:nth-child(2), th:first-child, th:nth-child(2)
  { text-align: left; }
img { max-width: 100%; display: block; margin: 1em 0; }
code { background: #f4f4f4; padding: 1px 4px; }
"""


def load(out, name):
    """about and summary of an experiment, or None."""
    try:
        both = []
        for f in ("about.json", "summary.json"):
            with open(os.path.join(out, name, f)) as h:
                both.append(json.load(h))
        return both
    except (OSError, ValueError):
        return None


def command(about):
    """What repeats an experiment, be it ours or a file of the reader's."""
    ours = os.path.join("tools", "lab", "experiments", about["name"] + ".toml")
    what = (f"EXP={about['name']}" if about["file"] == ours
            else f"FILE={about['file']}")
    return f"make lab {what} SEEDS={about['seeds']}"


def names(out):
    return sorted(n for n in os.listdir(out) if load(out, n))


def _html_table(head, rows):
    text = "".join(f"<th>{html.escape(h)}</th>" for h in head)
    text = f"<tr>{text}</tr>" + "".join(
        "<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in r) + "</tr>"
        for r in rows)
    return f"<table>{text}</table>"


def _table(summary):
    out = ""
    if worst := results.matrix(summary):
        out = ("<p>Longest time over ideal, the worst of all seeds; in brackets "
               "the standard deviation of the seeds' longest times:</p>"
               + _html_table(worst[0], worst[1:]))
    if over := sweep.table(summary):
        out += (f"<p>{html.escape(sweep.words(summary))}</p>"
                + _html_table(over[0], over[1:]))
    if sides := collective.table(summary):
        out += (f"<p>{html.escape(collective.words(summary))}</p>"
                + _html_table(sides[0], sides[1:]))
    head, *rows = results.table_rows(summary)
    return out + _html_table(head, rows)


def write(out):
    parts = [f"<!DOCTYPE html><html lang=en><meta charset=utf-8>"
             f"<title>Fabric laboratory</title><style>{STYLE}</style>"
             "<h1>Fabric laboratory</h1><ul>"]
    all_names = names(out)
    for n in all_names:
        about, _ = load(out, n)
        parts.append(f"<li><a href='#{n}'>{n}</a>: "
                     f"{html.escape(about['title'])}")
    parts.append("</ul>")
    for n in all_names:
        about, summary = load(out, n)
        parts.append(
            f"<h2 id='{n}'>{html.escape(about['title'])}</h2>"
            f"<p>{html.escape(about['about'])}</p>"
            f"<p>Ideal: {html.escape(about['ideal'])}</p>"
            f"<p><code>{html.escape(command(about))}</code>, "
            f"<a href='{n}/summary.json'>summary.json</a>, "
            f"<a href='{n}/flows.jsonl'>flows.jsonl</a></p>"
            + _table(summary) + "".join(
                f"<p>{html.escape(expect.text(v))}</p>"
                for v in summary.get("expectations", ())))
        parts += [f"<img src='{n}/{p}.svg' alt='{n} {p}'>" for p in PICTURES
                  if os.path.exists(os.path.join(out, n, p + ".svg"))]
    with open(os.path.join(out, "index.html"), "w") as f:
        f.write("\n".join(parts) + "\n")
