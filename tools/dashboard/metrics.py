# SPDX-License-Identifier: GPL-2.0
"""Names of the metrics that "uet -d stat -o openmetrics" writes, by the sources; text of
that format; and the queries of dashboard and alerts."""
import json
import os
import re

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
DASHBOARD = os.path.join(TREE, "Documentation/grafana/uet.json")
ALERTS = os.path.join(TREE, "Documentation/grafana/uet-alerts.yml")
# Labels of the contexts, and what Prometheus adds
LABELS = {"ccc", "local", "remote", "instance", "job", "__name__"}


def read(path):
    with open(os.path.join(TREE, path), encoding="utf-8") as f:
        return f.read()


def metric_name(counter):
    """RxPkts is uet_rx_pkts"""
    return "uet" + re.sub(r"[A-Z]", lambda m: "_" + m[0].lower(), counter)


def field_name(key, kind, flags):
    """As tools/uet/openmetrics.c has it"""
    unit = {"K_NS": "_seconds", "K_BYTES": "_bytes", "K_SBYTES": "_bytes"}
    stem = re.sub("_(ns|bytes)$", "", key)
    total = "_total" if re.search(r"\b(CTR|F_COUNTER)\b", flags) else ""
    return f"uet_ccc_{stem}{unit.get(kind, '')}{total}"


def from_sources():
    """Names of all samples"""
    counters = re.findall(r'SNMP_MIB_ITEM\("(\w+)"', read("net/uet/mib.c"))
    gauges = re.findall(r'"(Cur\w+)"', read("net/uet/ctl/genl/stats.c"))
    fields = re.findall(r'\{ "(\w+)", UET_A_CCC_\w+, (K_\w+),\s+([^}]*)\}',
                        read("tools/uet/ccc.c"))
    fields = [f for f in fields if re.search(r"\b(CTR|F_COUNTER|F_GAUGE)\b", f[2])]
    return ({metric_name(c) + "_total" for c in counters} |
            {metric_name(g) for g in gauges} | {field_name(*f) for f in fields})


SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$")


def parse(text):
    """([(name, {label: value}, value)], {family: type}) of an exposition"""
    samples, types = [], {}
    lines = text.splitlines()
    if not lines or lines[-1] != "# EOF":
        raise ValueError("the exposition has no end")
    for line in lines:
        if line.startswith("# TYPE "):
            _, _, family, kind = line.split()
            types[family] = kind
        elif not line.startswith("#"):
            m = SAMPLE.match(line)
            labels = dict(re.findall(r'(\w+)="([^"]*)"', m[2] or ""))
            samples.append((m[1], labels, m[3]))
    return samples, types


def panels():
    """The panels of the dashboard"""
    with open(DASHBOARD, encoding="utf-8") as f:
        return json.load(f)["panels"]


def queries():
    """[(where, expression)] of the dashboard and of the alerts"""
    found = [(f"{p['title']}, {t['refId']}", t["expr"])
             for p in panels() for t in p["targets"]]
    for m in re.finditer(r"alert: (\w+)\n    expr: (?:>-\n)?((?:.|\n      )*)",
                         read(ALERTS)):
        found.append((m[1], " ".join(m[2].split())))
    return found


def used(expression):
    """(names of metrics, names of labels) in an expression"""
    text = re.sub(r'"[^"]*"', '""', expression)
    names = set(re.findall(r"\b(uet_\w+)", text))
    labels = set(re.findall(r'(\w+)\s*(?:=~|!~|!=|=)\s*""', text))
    for group in re.findall(r"\b(?:by|without|on|ignoring) \(([^)]*)\)", text):
        labels |= set(re.findall(r"\w+", group))
    return names, labels


def unknown(expression, known):
    """Names in an expression that there are not"""
    names, labels = used(expression)
    return sorted(names - known) + sorted(labels - LABELS)
