# SPDX-License-Identifier: GPL-2.0
"""The queries of the dashboard and the alerts, evaluated."""
import re

import metrics

# Seconds between two points, and the time that a rate is taken over
STEP, RATE = 5, 20


def filled_in(expression, begin, end):
    """As Grafana puts values in the place of variables"""
    for name, value in (("$instance", ".*"), ("$__rate_interval", f"{RATE}s"),
                        ("$__range", f"{end - begin}s")):
        expression = expression.replace(name, value)
    return expression


def points(prometheus, expression, begin, end):
    return prometheus.series(filled_in(expression, begin, end), begin, end, STEP)


def fault(prometheus, expression, begin, end):
    """What is wrong with a query, "" if it is fine"""
    # What is asked for may be what does not happen: then without the comparison
    bare = re.sub(r" (>|==) [\d.]+$", "", expression)
    # The rules look back for minutes, as long as all of it
    bare = bare.replace("[5m]", "[1m]").replace("> 100)", "> 0)")
    for text in (expression, bare):
        try:
            found = points(prometheus, text, begin, end)
        except ValueError as e:
            return str(e)
    values = [v for _, some in found for _, v in some]
    return "" if any(v == v for v in values) else "gives no data"


def judge(prometheus, begin, end):
    """(queries, [what is wrong]), panels without data included"""
    queries = [q for q in metrics.queries() if "up{" not in q[1]]
    wrong = [f"{where}: {why}" for where, expression in queries
             if (why := fault(prometheus, expression, begin, end))]
    for p in metrics.panels():
        found = [v for t in p["targets"]
                 for _, some in points(prometheus, t["expr"], begin, end)
                 for _, v in some]
        if not any(v > 0 for v in found):
            wrong.append(f"{p['title']}: nothing but zeroes, so nothing is tested")
    return len(queries), wrong
