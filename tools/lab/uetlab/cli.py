# SPDX-License-Identifier: GPL-2.0
"""The command: list, run, report."""

import argparse
import json
import os
import shutil
import sys
import time

from . import describe, engine, fabric, page, pictures, plan, raw, results
from . import rst, workload

LAB = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
EXPERIMENTS = os.path.join(LAB, "experiments")
OUT = os.path.join(engine.TREE, "out", "lab")
REPORT = os.path.join(engine.TREE, "Documentation", "networking")
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
        self.folder = os.path.join(OUT, x.name)
        self.runs = []          # (case, transport, [(seed, plan, folder)])
        for case, t in x.runs():
            if only and t["name"] not in only and case["name"] not in only:
                continue
            f = fabric.Fabric(case)
            row = []
            for seed in range(1, (seeds or x.seeds) + 1):
                traffic = workload.build(x, case, t, f, seed)
                p = plan.Plan(x, case, t, f, traffic, seed)
                name = f"{case['name']}.{t['name']}.{seed}".lstrip("-.")
                row.append((seed, p, os.path.join(self.folder, "runs", name)))
            self.runs.append((case, t, row))
        self.engine = eng

    def todo(self, force):
        """Runs without a result that still holds, and the seconds they take."""
        out, expect = [], 0.0
        for case, t, row in self.runs:
            walls = [engine.Engine.known(f).get("wall") for _, _, f in row]
            walls = [w for w in walls if w] or [NO_TIME_KNOWN]
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

    def collect(self):
        out = []
        for case, t, row in self.runs:
            runs = [results.Run(self.x, case, t, seed, folder)
                    for seed, _, folder in row
                    if engine.Engine.known(folder)]
            if runs:
                out.append((case, t, runs))
        return out


def run_one(eng, x, args):
    job = Job(eng, x, args.seeds, args.only.split(",") if args.only else [])
    todo, expect = job.todo(args.force)
    total = sum(len(r) for _, _, r in job.runs)
    print(f"{x.name}: {x.title}\n  {total} runs, {total - len(todo)} of them "
          f"known" + (f", about {show(expect)} to go" if todo else ""),
          flush=True)
    t0 = time.monotonic()

    def progress(done, n, label, wall):
        print(f"  [{done}/{n}] {label}: {wall:.1f} s", flush=True)

    failed = engine.run_all(eng, todo, progress)
    out = job.collect()
    s = results.write(job.folder, x, out)
    if not args.no_pictures:
        pictures.draw(job.folder, x, out)
    with open(os.path.join(job.folder, "about.json"), "w") as f:
        json.dump({"name": x.name, "title": x.title, "about": x.about,
                   "ideal": x.ideal, "file": os.path.relpath(x.path,
                                                             engine.TREE),
                   "seeds": args.seeds or x.seeds}, f, indent=1)
    print(results.table(s), end="")
    print(f"  {os.path.relpath(job.folder)}: summary.json, flows.jsonl, "
          f"pictures ({show(time.monotonic() - t0)})\n", flush=True)
    bad = failed + [f"{c['name']} {t['name']} seed {r.seed}: {why}"
                    for c, t, runs in out for r in runs for why in r.failed]
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
    eng = engine.Engine(args.jobs)
    good = True
    for x in experiments:
        good &= run_one(eng, x, args)
        page.write(OUT)
    return 0 if good else 1


def cmd_report(_):
    missing = rst.write(OUT, REPORT, ours())
    print(os.path.relpath(os.path.join(REPORT, rst.NAME + ".rst")))
    if missing:
        print("no results of: " + ", ".join(missing), file=sys.stderr)
    return 1 if missing else 0


def cmd_clean(_):
    shutil.rmtree(OUT, ignore_errors=True)
    return 0


def main():
    p = argparse.ArgumentParser(prog="lab")
    sub = p.add_subparsers(dest="command", required=True)
    sub.add_parser("list", help="the experiments").set_defaults(fn=cmd_list)
    r = sub.add_parser("run", help="run experiments")
    r.add_argument("--exp", default="all")
    r.add_argument("--file")
    r.add_argument("--seeds", type=int)
    r.add_argument("--force", action="store_true")
    r.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    r.add_argument("--only", help="transports or cases, with commas")
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
