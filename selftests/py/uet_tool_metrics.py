# SPDX-License-Identifier: GPL-2.0
"""Reads the text format of OpenMetrics 1.0, and complains about what is not valid."""
import re


def metrics(text):
    """{(name, labels): value} of valid OpenMetrics text"""
    lines = text.split("\n")
    assert lines.pop() == "" and lines.pop() == "# EOF", lines[-2:]
    got, types, family_of, seen = {}, {}, None, set()
    for line in lines:
        m = re.fullmatch(r"# (TYPE|UNIT|HELP) ([a-z_:][a-z0-9_:]*) (.*)", line)
        if m:
            what, name, rest = m.groups()
            if what == "TYPE":
                assert name not in types, f"{name} twice"
                assert rest in ("counter", "gauge"), line
                assert not name.endswith("_total"), line
                types[name], family_of = rest, name
            assert name == family_of, f"{line} is not of {family_of}"
            if what == "UNIT":
                assert name.endswith("_" + rest), line
            if what == "HELP":
                assert re.fullmatch(r'(?:[^"\\]|\\[n"\\])+', rest), line
            assert (what, name) not in seen, line
            seen.add((what, name))
            continue
        m = re.fullmatch(r'([a-z_0-9]+)(?:\{((?:[a-z_]+="[^"\\\n]*",?)*)\})? '
                         r"(-?\d+(?:\.\d+)?)", line)
        assert m, f"not OpenMetrics: {line}"
        name, labels, value = m.groups()
        want = family_of + ("_total" if types[family_of] == "counter" else "")
        assert name == want, (name, want)
        assert (name, labels) not in got, f"{line} twice"
        if types[family_of] == "counter":
            assert float(value) >= 0, line
        got[name, labels] = float(value)
    for name, kind in types.items():
        assert ("HELP", name) in seen, f"{name} is not explained"
        # Names that the samples of another family could have
        for end in ("_total", "_created") if kind == "counter" else ():
            assert name + end not in types, f"{name} and {name}{end}"
    return got
