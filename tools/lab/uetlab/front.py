# SPDX-License-Identifier: GPL-2.0
"""The first page of the report: for who reads no other."""

import re
import textwrap

from . import shown


def _rows(summaries, name):
    for s in summaries:
        if s["experiment"] == name:
            return {(r["case"], r["transport"]): r for r in s["rows"]}
    return {}


def _worst(rows, case, transport):
    r = rows.get((case, transport))
    return f"{r['max_over_ideal']:.2f}" if r else "?"


def _times(rows, one, other):
    """How many times longer the worst message of one takes, at most."""
    both = [(rows[c, one], rows[c, other]) for c, t in rows
            if t == one and (c, other) in rows]
    if not both:
        return "?"
    return f"{max(a['max_over_ideal'] / b['max_over_ideal'] for a, b in both):.2f}"


def _p99(rows, case, transport):
    r = rows.get((case, transport))
    return f"{r['p99_over_ideal']:.2f}" if r else "?"


def _sentences(summaries):
    o = _rows(summaries, "overview")
    short = _rows(summaries, "short-beside-incast")
    over = _rows(summaries, "oversubscribed")

    def three(case):
        return " and ".join(filter(None, (
            ", ".join(_worst(o, case, t) for t in
                      ("uet", "uet-notrim", "uet-untuned")),
            _worst(o, case, "dctcp"))))

    return (
        "All figures are times over the ideal time, by arithmetic; 1 is the best "
        "there can be.",
        "The three first figures of a line are UET on a network that trims, UET "
        "on one that does not, and UET as it is loaded, without any tuning; the "
        "last one is dctcp.",
        f"The last of 48 messages to one receiver takes {three('incast')}.",
        "Where every host sends to one of another rack, the slowest message "
        f"takes {three('permutation')}, because UET uses all paths and TCP one.",
        f"Everybody to everybody takes {three('all-to-all')}.",
        "Over a core that is oversubscribed 2:1, UET takes "
        f"{_worst(over, '-', 'uet')}, without trimming "
        f"{_worst(over, '-', 'uet-notrim')}, and dctcp "
        f"{_worst(over, '-', 'dctcp')}.",
        "Questions of 4 KB beside an incast have a 99th percentile of "
        f"{_p99(short, 'beside-4', 'uet')} in a class of their own, and "
        f"{_p99(short, 'beside-4', 'dctcp')} with dctcp.",
        "With every parameter as UE 1.0 has it (``net.uet.profile = spec``), on a "
        "network that trims, the first three end at "
        f"{_worst(o, 'incast', 'uet-spec')}, "
        f"{_worst(o, 'permutation', 'uet-spec')} and "
        f"{_worst(o, 'all-to-all', 'uet-spec')}.",
        "TCP with an rto_min of 5 ms, which datacentres set, ends at "
        f"{_worst(o, 'incast', 'dctcp-rto5')}, "
        f"{_worst(o, 'permutation', 'dctcp-rto5')} and "
        f"{_worst(o, 'all-to-all', 'dctcp-rto5')} in the same three.",
        "Hosts without tuning take at most "
        f"{_times(o, 'uet-untuned', 'uet-notrim')} times as long in these three "
        "as hosts with it, and a network without trimming at most "
        f"{_times(o, 'uet-notrim', 'uet')} times as long as one with it.",
        "Nothing here says what a processor can do: code costs no time in the "
        "laboratory.",
    )


WHEN_NOT = (
    "Where there is one path, no incast and a byte stream is wanted: TCP does as "
    "well and has offloads.",
    "On one queue with TCP: UET takes most of it by default (see the section on "
    "dctcp); give each a class.",
    "Over the Internet, or where you do not trust every host: nothing is "
    "encrypted or authenticated.",
    "Where throughput of one core is what limits and messages are short: only the "
    "packets of a long one leave in runs.",
)


def _before(front, sentence):
    """What an earlier page said there: it begins with the same words."""
    words = sentence.split("?")[0].rsplit(",", 1)[0].split()[:6]
    for old in re.split(r"^(?:#\. |\.\. )", front, flags=re.M)[1:]:
        old = " ".join(old.split())
        if old.startswith(" ".join(words)):
            return old
    return None


NOTE = "*Of earlier runs, where overview was not run anew.*"


def text(summaries, kept):
    """
    The page; what was not run is as it was said before, nothing if it never was.
    """
    front = kept.front()
    if not _rows(summaries, "overview"):
        if front and NOTE not in front:
            front = front.replace("\n\n", f"\n\n{NOTE}\n\n", 1)
        return front + ("What the figures are\n====================\n\n"
                        if front else "")
    parts = ["In one page", "===========", ""]
    known = [s if "?" not in s else _before(front, s)
             for s in _sentences(summaries)]
    known = [s for s in known if s]
    parts += [textwrap.fill(f"#. {s}", 78, subsequent_indent="   ")
              for s in known]
    parts += ["", shown.figure("overview-times"),
              "When not to use it", "------------------", ""]
    parts += [textwrap.fill(f"* {s}", 78, subsequent_indent="  ")
              for s in WHEN_NOT]
    return "\n".join(parts) + "\n\nWhat the figures are\n====================\n\n"
