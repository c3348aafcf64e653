# SPDX-License-Identifier: GPL-2.0
"""Runs plans in the guest, one process each, and keeps their raw results."""

import atexit
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import time

from . import collective

HERE = os.path.dirname(os.path.realpath(__file__))
TREE = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
GUEST_SOURCES = os.path.join(TREE, "tools", "lab", "guest")
LIBUET = os.path.join(TREE, "tools", "libuet")
LIBFABRIC = os.path.join(TREE, "tools", "libfabric")
BUILD = os.path.join(TREE, "out", "lab", ".build")
VM = os.path.join(TREE, "tools", "vm")
LIMIT = 300                 # real seconds for one run
# What the guest says when the module refuses a name.
REFUSED = re.compile(r"UET socket of connection \d+: UET_(CC|PATH_POLICY) "
                     r"\((Operation not supported|Invalid argument|"
                     r"No such file or directory)\)")
MEMORY = "4G"               # of the guest: all hosts share it


class EngineError(Exception):
    """A run that failed, with what the guest said."""


class Unsupported(EngineError):
    """The module has no such congestion control or path policy."""


def sh(*argv, **kw):
    r = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, **kw)
    if r.returncode:
        raise EngineError(f"{' '.join(argv)} failed:\n{r.stdout.strip()}")
    return r.stdout


def assignments(script, *argv):
    r = subprocess.run([os.path.join(VM, script), *argv],
                       stdout=subprocess.PIPE, text=True)
    if r.returncode:
        raise EngineError(f"{script} {' '.join(argv)} failed")
    return dict(w.split("=", 1) for w in shlex.split(r.stdout) if "=" in w)


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def build_libuet():
    out = os.path.join(BUILD, "lib")
    sh("make", "-s", "-C", LIBUET, f"O={out}", "CC=gcc-12")
    return os.path.join(out, "libuet.a")


def build_guest():
    os.makedirs(BUILD, exist_ok=True)
    sources = sorted(os.path.join(GUEST_SOURCES, f)
                     for f in os.listdir(GUEST_SOURCES) if f.endswith(".c"))
    out = os.path.join(BUILD, "lab-guest")
    tmp = f"{out}.{os.getpid()}"
    sh("gcc-12", "-O2", "-Wall", "-Wextra", "-Werror",
       "-I" + os.path.join(TREE, "include", "uapi"), "-I" + LIBUET,
       "-I" + os.path.join(TREE, "tools", "lib"),
       "-o", tmp, *sources, build_libuet())
    os.rename(tmp, out)
    return out


def build_tc():
    """The plug-in that teaches tc(8) the trimming port."""
    out = os.path.join(BUILD, "tc")
    os.makedirs(out, exist_ok=True)
    sh("make", "-s", "-C", os.path.join(TREE, "tools", "tc"), f"O={out}")
    return out


def build_libfabric():
    """The provider, and the program of the ranks."""
    out = os.path.join(BUILD, "lib")
    sh(os.path.join(TREE, "tools", "deps"), "libfabric-dev")
    sh("make", "-s", "-C", LIBFABRIC, f"O={out}", "CC=gcc-12", "all", "bench")
    return [os.path.join(out, name) for name in ("libuet-fi.so", "fi_coll")]


def forget_dead(folder):
    """Snapshots of processes that could not remove their own."""
    for name in os.listdir(folder):
        pid = name.removeprefix("run-")
        if pid != name and pid.isdecimal() and \
                not os.path.exists(f"/proc/{int(pid)}"):
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


class Engine:
    """
    What guests run is a copy of what the tree had when this began: who builds
    another module meanwhile does not change the runs that are left.
    """

    def __init__(self, jobs=2, libfabric=False):
        self.jobs = jobs
        self.kernel = assignments("kernel", "uml")
        built = {name.removeprefix("module_"): ko for name, ko in
                 assignments("modules", "uml").items()
                 if name.startswith("module_")}
        os.makedirs(BUILD, exist_ok=True)
        forget_dead(BUILD)
        self.folder = os.path.join(BUILD, f"run-{os.getpid():07d}")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.guest = shutil.copy2(build_guest(), self.folder)
        self.tc = shutil.copytree(build_tc(), os.path.join(self.folder, "tc"))
        self.ranks = []
        if libfabric:
            fi = os.path.join(self.folder, "fi")
            os.makedirs(fi)
            self.ranks = [shutil.copy2(f, fi) for f in build_libfabric()]
        self.modules = {name: shutil.copy2(ko, self.folder)
                        for name, ko in built.items()}

    def needed(self, plan):
        """Modules of the tree that a run uses."""
        names = ["sch_trim"] if plan.trim else []
        return names + (["uet"] if plan.uet else [])

    def module(self, name):
        if name not in self.modules:
            raise EngineError(f"the tree has no module {name}")
        return self.modules[name]

    def identity(self, plan, seed):
        """Equal identities give equal results, byte for byte."""
        h = hashlib.sha256()
        h.update(f"{seed}\n{plan.identity()}\n".encode())
        h.update(digest(self.guest).encode())
        h.update(os.path.basename(self.kernel["builddir"]).encode())
        if plan.libfabric:
            h.update(collective.NO_SPIN.encode())
            for file in self.ranks:
                h.update(digest(file).encode())
        for name in self.needed(plan):
            h.update(digest(self.module(name)).encode())
        return h.hexdigest()

    def command(self, plan, seed, folder):
        argv = [os.path.join(VM, "run"), "--kernel", "uml", "--virtual-time",
                "--seed", str(seed), "--mem", MEMORY,
                "--timeout", str(LIMIT),
                "--console", os.path.join(folder, "console")]
        names = self.needed(plan)
        for name in names:
            argv += ["--module", self.module(name)]
        if not names:
            argv.append("--no-module")
        if plan.trim:
            argv += ["--env", f"TC_LIB_DIR={self.tc}"]
        if plan.libfabric:
            argv += ["--env", collective.NO_SPIN, "--env",
                     f"FI_PROVIDER_PATH={os.path.dirname(self.ranks[0])}"]
        return [*argv, "--", self.guest, folder]

    def run(self, plan, seed, folder):
        """Runs one plan; the folder then holds raw results and meta."""
        shutil.rmtree(folder, ignore_errors=True)
        plan.write(folder)
        argv = self.command(plan, seed, folder)
        t0 = time.monotonic()
        with open(os.path.join(folder, "log"), "w") as log:
            p = subprocess.Popen(["nice", "-n", "5", *argv], stdout=log,
                                 stderr=subprocess.STDOUT)
            _, status, used = os.wait4(p.pid, 0)
            p.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - t0
        if p.returncode:
            with open(os.path.join(folder, "log")) as log:
                text = log.read().strip()[-3000:]
            kind = Unsupported if REFUSED.search(text) else EngineError
            raise kind(f"run in {folder} ended with {p.returncode}:\n" + text)
        meta = {"identity": self.identity(plan, seed), "wall": round(wall, 1),
                "cpu": round(used.ru_utime + used.ru_stime, 1)}
        with open(os.path.join(folder, "meta.json"), "w") as f:
            json.dump(meta, f)
        return wall

    @staticmethod
    def known(folder):
        try:
            with open(os.path.join(folder, "meta.json")) as f:
                return json.load(f)
        except (OSError, ValueError):
            return {}


def run_all(engine, todo, report):
    """Runs (plan, seed, folder, label) side by side; gives the failures."""
    done, failed = 0, []
    with concurrent.futures.ThreadPoolExecutor(engine.jobs) as pool:
        jobs = {pool.submit(engine.run, plan, seed, folder): label
                for plan, seed, folder, label in todo}
        try:
            for job in concurrent.futures.as_completed(jobs):
                done += 1
                try:
                    report(done, len(todo), jobs[job], job.result())
                except Unsupported:
                    print(f"  [{done}/{len(todo)}] {jobs[job]}: not in this "
                          "module, left out", flush=True)
                except EngineError as e:
                    failed.append(f"{jobs[job]}: {e}")
        except BaseException:
            for job in jobs:
                job.cancel()
            raise
    return failed
