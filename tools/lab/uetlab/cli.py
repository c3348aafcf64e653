# SPDX-License-Identifier: GPL-2.0
"""The command: list, run, report."""

import argparse
import json
import os
import shutil
import sys
import time

from . import describe, engine, expect, page, pictures, plan, raw
from . import results, rst, topology, workload

LAB = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
EXPERIMENTS = os.path.join(LAB, "experiments")
OUT = os.path.join(engine.TREE, "out", "lab")
REPORT = os.path.join(engine.TREE, "Documentation", "networking")
PICTURES = os.path.join(engine.TREE, "out", "lab-report")
NO_TIME_KNOWN = 20.0        # seconds per run, before anything was measured

FAULTS = (describe.BadDescription, workload.BadWorkload, plan.BadPlan,
          raw.BadRun, engine.EngineError, pictures.NoPictures)


def ours():
    return sorted(f[:-5] for f in os.listdir(EXPERIMENTS)
                  if f.endswith(".toml"))


def chosen(args):
    if args.file:
        return [describe.Experiment(os.path.abspath(args.file))]
    names = ours() if args.exp == "all" else args.exp.split(",")
    for n in names:
        if n not in ours():
            sys.exit(f"lab: no experiment {n!r}; there are: "
                     + ", ".join(ours()))
    return [describe.Experiment(describe.find(EXPERIMENTS, n)) for n in names]


def show(seconds):
    m, s = divmod(round(seconds), 60)
    return f"{m} min {s} s" if m else f"{s} s"


class Job:
    """All runs of one experiment."""

    def __init__(self, eng, x, seeds, only):
        self.x = x
        self.only = only
        self.folder = os.path.join(OUT, x.name)
        self.runs = []          # (case, transport, [(seed, plan, folder)])
        for case, t in x.runs():
            f = topology.Fabric(case)
            row = []
            for seed in range(1, (seeds or x.seeds) + 1):
                traffic = workload.build(x, case, t, f, seed)
                p = plan.Plan(x, case, t, f, traffic, seed)
                name = f"{case['name']}.{t['name']}.{seed}".lstrip("-.")
                row.append((seed, p, os.path.join(self.folder, "runs", name)))
            self.runs.append((case, t, row))
        self.engine = eng

    def wanted(self, case, t):
        names = {t["name"], case["name"], f"{case['name']}/{t['name']}"}
        return not self.only or not names.isdisjoint(self.only)

    def walls(self):
        """Seconds that runs took before, a list for each row."""
        return [[w for w in (engine.Engine.known(f).get("wall")
                             for _, _, f in row) if w]
                for _, _, row in self.runs]

    def todo(self, force):
        """Runs without a result that still holds, and the seconds they take."""
        out, expect = [], 0.0
        known = self.walls()
        others = sum(known, []) or [NO_TIME_KNOWN]
        for (case, t, row), walls in zip(self.runs, known):
            if not self.wanted(case, t):
                continue
            walls = walls or others
            for seed, p, folder in row:
                known = engine.Engine.known(folder)
                if not force and known.get("identity") == \
                        self.engine.identity(p, seed):
                    continue
                label = " ".join(n for n in (case["name"], t["name"],
                                             f"seed {seed}") if n != "-")
                out.append((p, seed, folder, label))
                expect += sum(walls) / len(walls)
        return out, expect / self.engine.jobs

    def cost(self):
        """Runs whose results hold, and the processor time they took."""
        known = [engine.Engine.known(f) for _, _, row in self.runs
                 for _, _, f in row]
        cpu = [k["cpu"] for k in known if k]
        return {"runs": len(cpu), "cpu": round(sum(cpu))}

    def collect(self):
        """Rows that were not wanted now stay if they still hold."""
        out = []
        for case, t, row in self.runs:
            runs = [results.Run(self.x, case, t, seed, folder)
                    for seed, p, folder in row
                    if engine.Engine.known(folder).get("identity") ==
                    self.engine.identity(p, seed)]
            if runs:
                out.append((case, t, runs))
        return out


def prepare(eng, x, args):
    return Job(eng, x, args.seeds, args.only.split(",") if args.only else [])


def foretell(jobs, force):
    """What several experiments will take together, before the first starts."""
    todo = [job.todo(force) for job in jobs]
    runs = sum(len(r) for job in jobs for c, t, r in job.runs
               if job.wanted(c, t))
    print(f"{len(jobs)} experiments, {runs} runs, "
          f"{runs - sum(len(t) for t, _ in todo)} of them known, about "
          f"{show(sum(s for _, s in todo))} to go\n", flush=True)


def run_one(eng, x, job, args):
    if not any(job.wanted(case, t) for case, t, _ in job.runs):
        print(f"{x.name}: nothing of {args.only} in it\n", flush=True)
        return True
    todo, seconds = job.todo(args.force)
    total = sum(len(r) for c, t, r in job.runs if job.wanted(c, t))
    print(f"{x.name}: {x.title}\n  {total} runs, {total - len(todo)} of them "
          f"known" + (f", about {show(seconds)} to go" if todo else ""),
          flush=True)
    t0 = time.monotonic()

    def progress(done, n, label, wall):
        left = (time.monotonic() - t0) / done * (n - done)
        print(f"  [{done}/{n}] {label}: {wall:.1f} s"
              + (f", about {show(left)} to go" if left else ""), flush=True)

    failed = engine.run_all(eng, todo, progress)
    out = job.collect()
    s = results.write(job.folder, x, out)
    if out and not args.no_pictures:
        pictures.draw(job.folder, x, out)
    with open(os.path.join(job.folder, "about.json"), "w") as f:
        json.dump({"name": x.name, "title": x.title, "about": x.about,
                   "ideal": x.ideal, "file": os.path.relpath(x.path,
                                                             engine.TREE),
                   "seeds": args.seeds or x.seeds, **job.cost()}, f, indent=1)
    print(results.table(s), end="")
    print(f"  {os.path.relpath(job.folder)}: summary.json, flows.jsonl, "
          f"pictures ({show(time.monotonic() - t0)})\n", flush=True)
    bad = failed + [f"{c['name']} {t['name']} seed {r.seed}: {why}"
                    for c, t, runs in out for r in runs for why in r.failed]
    missed = [v for v in s["expectations"] if not v["met"]]
    bad += [expect.text(v) for v in missed if "known" not in v]
    for v in missed:
        if "known" in v:
            print("  known " + expect.text(v), flush=True)
    for line in bad[:20]:
        print(f"  FAILED {line}", file=sys.stderr)
    return not bad


def cmd_list(_):
    for name in ours():
        x = describe.Experiment(describe.find(EXPERIMENTS, name))
        print(f"{name:20s} {x.title}")
    print("\nmake lab EXP=NAME[,NAME...] | EXP=all | FILE=path   "
          "SEEDS=n FORCE=1 JOBS=n", file=sys.stderr)
    return 0


def cmd_run(args):
    experiments = chosen(args)
    eng = engine.Engine(args.jobs, any(t["provider"] for x in experiments
                                       for t in x.transports))
    jobs = [prepare(eng, x, args) for x in experiments]
    if len(jobs) > 1:
        foretell(jobs, args.force)
    good = True
    for x, job in zip(experiments, jobs):
        good &= run_one(eng, x, job, args)
        page.write(OUT)
    return 0 if good else 1


def cmd_report(_):
    missing = rst.write(OUT, REPORT, PICTURES, ours())
    print(os.path.relpath(os.path.join(REPORT, rst.NAME + ".rst")))
    print(f"{len(os.listdir(PICTURES))} pictures in {os.path.relpath(PICTURES)}")
    if missing:
        print("no results of: " + ", ".join(missing), file=sys.stderr)
    return 1 if missing else 0


def cmd_clean(_):
    for folder in OUT, PICTURES:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def number(low, high):
    """What --seeds and --jobs take."""
    def check(text):
        if not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a whole number from {low} to {high}")
        return int(text)
    return check


def main():
    p = argparse.ArgumentParser(prog="lab")
    sub = p.add_subparsers(dest="command", required=True)
    sub.add_parser("list", help="the experiments").set_defaults(fn=cmd_list)
    r = sub.add_parser("run", help="run experiments")
    r.add_argument("--exp", default="all")
    r.add_argument("--file")
    r.add_argument("--seeds", type=number(1, 1000))
    r.add_argument("--force", action="store_true")
    r.add_argument("--jobs", type=number(1, 64), default=min(2, os.cpu_count() or 1))
    r.add_argument("--only", help="transports, cases or CASE/TRANSPORT, "
                   "with commas")
    r.add_argument("--no-pictures", action="store_true")
    r.set_defaults(fn=cmd_run)
    w = sub.add_parser("report", help="write the document from the results")
    w.set_defaults(fn=cmd_report)
    sub.add_parser("clean").set_defaults(fn=cmd_clean)
    args = p.parse_args()
    try:
        return args.fn(args)
    except FAULTS as e:
        print(f"lab: {e}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        return 130
