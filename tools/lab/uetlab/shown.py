# SPDX-License-Identifier: GPL-2.0
"""
Which pictures the report shows. They are tracked beside it; all others say what
tables say, and are made anew by who wants to see them.
"""

import re
import textwrap

FOLDER = "uet-results"      # beside the page
# EXPERIMENT-PICTURE, and what there is to be seen
SHOWN = {
    "overview-times":
        "Which share of the messages was done by which time, of all seeds; where "
        "a line ends on the right is the message that everybody waits for.",
    "incast48-2m-queues":
        "The queue of the port to the receiver over time, from the burst at the "
        "start until the last message has arrived: how high it rises, and how "
        "soon it comes down.",
    "permutation-shares":
        "What each path carried of all bytes. Stripes of one width say that all "
        "spines were used alike; where a flow stays on the path that its ports "
        "hash to, some carry most and others nothing.",
    "dead-path-shares":
        "What each path carried of all bytes, with the one that fails among "
        "them: the less it got, the sooner was it left.",
    "beside-dctcp-goodput":
        "What the flow under test and the one of dctcp got over time, one of "
        "each: with the default target one takes nearly all, with a smaller one "
        "(-shared) both go on side by side.",
    "join-leave-goodput":
        "What each flow got over time: the steps are the moments when others "
        "join and leave, and the lines should lie upon each other between them.",
}
_NAME = rf"\.\. figure:: {FOLDER}/(\S+)\.svg\n"
_FIGURES = re.compile(rf"\n+(?:{_NAME}(?:(?:   .*)?\n)*)+")


def figure(name):
    """The picture in reStructuredText."""
    words = textwrap.fill(SHOWN[name], 78, initial_indent="   ",
                          subsequent_indent="   ")
    return (f".. figure:: {FOLDER}/{name}.svg\n"
            f"   :alt: {', '.join(name.rsplit('-', 1))}\n\n{words}\n")


def renew(text, there):
    """The page, or one of earlier, with those figures that are shown and there."""
    def some(m):
        names = [n for n in re.findall(_NAME, m[0])
                 if n in SHOWN and n in there]
        return "\n\n" + "".join(figure(n) + "\n" for n in names)
    return _FIGURES.sub(some, text).rstrip("\n") + "\n"
