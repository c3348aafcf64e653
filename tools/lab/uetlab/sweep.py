# SPDX-License-Identifier: GPL-2.0
"""
Sweeps: an experiment at several values of one parameter.

Each case becomes one for each value, so that everything else (rows, folders,
expectations, ONLY=) is as for cases. What the parameter says nothing to is
measured once, in the case as it is.
"""

import copy

TABLES = ("fabric", "port", "host", "measure", "workload", "change")
# What is drawn and tabled over a parameter: the mean over seeds of each seed's.
FIGURES = {"p50_over_ideal": "median", "p99_over_ideal": "99 %",
           "max_over_ideal": "max", "jain": "Jain"}


class BadSweep(Exception):
    """What is wrong in a sweep, with the key that it is wrong in."""

    def __init__(self, key, reason):
        super().__init__(reason)
        self.key = key


class Sweep:
    def __init__(self, table):
        self.key = table["key"]
        self.values = table["values"]
        self.workload = table["workload"]
        self.figures = table["figure"]
        self.group = table["group"]
        self.table, _, self.name = self.key.partition(".")
        self.label = table["label"] or self.key.rpartition(".")[2]
        if self.table not in (*TABLES, "sysctl") or not self.name:
            raise BadSweep("key", f"{self.key!r} is not sysctl.NAME or a key of "
                           + ", ".join(TABLES))
        if self.workload and self.table != "workload":
            raise BadSweep("workload", f"{self.key!r} is not of a workload")
        if len({str(v) for v in self.values}) != len(self.values):
            raise BadSweep("values", "a value is there twice")

    def concerns(self, case, transport, transports):
        """Whether a row can depend on the value at all."""
        if not self.key.startswith("sysctl.net.uet."):
            return True
        there = [transport] + [transports(w["transport"])
                               for w in case["workload"] if w["transport"]]
        return any(t["proto"] in ("uet", "rod") for t in there)

    def _checked(self, keys, value):
        if self.name not in keys:
            raise BadSweep("key", f"no key {self.name!r} in {self.table}")
        try:
            return keys[self.name][0](value)
        except (ValueError, TypeError) as e:
            raise BadSweep("values", f"{self.name}: {e}") from None

    def _tables(self, case):
        """Those of a case that the value goes into."""
        if self.table == "workload":
            out = [w for w in case["workload"] if self.name in w and
                   self.workload in (None, w["name"])]
        elif self.table == "change":
            out = [c for c in case["change"] if c.get(self.name)]
        else:
            return [case[self.table]]
        if not out:
            raise BadSweep("key", f"no {self.table} has {self.name!r}")
        return out

    def _set(self, case, value, keys_of):
        """Puts a value into a case; gives it as a number to draw at."""
        if self.table == "sysctl":
            try:
                case["sysctl"] = keys_of(None, None)({self.name: value})
            except ValueError as e:
                raise BadSweep("values", str(e)) from None
            number = value
        else:
            for table in self._tables(case):
                number = self._checked(keys_of(self.table, table), value)
                table[self.name] = number
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            return number
        return None

    def expand(self, cases, keys_of):
        """One case for each value; keys_of tells what checks a table."""
        out = []
        for base in cases:
            for nr, value in enumerate(self.values):
                c = copy.deepcopy(base)
                x = self._set(c, value, keys_of)
                c["sweep"] = {"label": self.label, "value": str(value),
                              "x": nr if x is None else x,
                              "case": base["name"]}
                c["name"] = f"{self.label}={value}".replace("/", "_")
                if base["name"] != "-":
                    c["name"] = base["name"] + "." + c["name"]
                out.append(c)
        return out


def base(case):
    """The case that a swept one was made of, or itself."""
    return case.get("sweep", {}).get("case", case["name"])


def is_of(name, case):
    """Whether an expectation's case (None: all of them) is this one."""
    return name in (None, case["name"], base(case))


def means(row, figure, group=None):
    """Mean over seeds of a figure, and its interval or None."""
    one = row.get("workloads", {}).get(group, row)
    name = figure.removesuffix("_over_ideal")
    return one[name + "_mean"], one.get(name + "_ci95")


def _cell(row, figure, group):
    mean, margin = means(row, figure, group)
    digits = 3 if figure == "jain" else 2
    return f"{mean:.{digits}f}" + (f" +-{margin:.{digits}f}"
                                   if margin is not None else "")


def words(summary):
    """What stands over the table."""
    return (f"Over {summary['sweep']['label']}: means over the seeds of what each "
            "of them had, with their intervals of 95 % by Student's t:")


def table(summary):
    """Figures over the parameter with their intervals; None without a sweep."""
    s = summary.get("sweep")
    if not s:
        return None
    rows = [["case", s["label"], "transport",
             *(FIGURES[f] for f in s["figures"])]]
    for r in summary["rows"]:
        of = r.get("sweep")
        rows.append([of["case"] if of else r["case"],
                     of["value"] if of else "any", r["transport"],
                     *(_cell(r, f, s["group"]) for f in s["figures"])])
    if all(r[0] == "-" for r in rows[1:]):
        rows = [r[1:] for r in rows]
    return rows
