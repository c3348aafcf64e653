# SPDX-License-Identifier: GPL-2.0
"""Starts User Mode Linux."""

import ctypes
import hashlib
import os
import resource
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))

# 2020-01-01: any fixed instant will do, but certificates and file times of
# the host should not look as if they came from the far future.
START_NS = 1577836800 * 10**9


def seed_library(cache):
    """Builds the preloaded random generator; cached by its source."""
    src = os.path.join(HERE, "seedrandom.c")
    with open(src, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()[:12]
    lib = os.path.join(cache, "lib", f"seedrandom-{digest}.so")
    if not os.path.exists(lib):
        os.makedirs(os.path.dirname(lib), exist_ok=True)
        tmp = f"{lib}.{os.getpid()}"
        subprocess.run(["gcc-12", "-O2", "-Wall", "-shared", "-fPIC",
                        "-o", tmp, src], check=True)
        os.rename(tmp, lib)
    return lib


def prepare_child():
    """Guests end with the runner, and leave no core files."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def own_processes():
    """A namespace that ends with the guest, where this user may have one."""
    argv = ["unshare", "--fork", "--pid", "--kill-child=KILL"]
    if os.geteuid() != 0 or subprocess.run(
            [*argv, "true"], stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL).returncode:
        return []
    # Its first process must be another: to that one, abort() does nothing, and
    # a panic would hang.
    return [*argv, "sh", "-c", '"$@"; exit $?', "sh"]


def memory_folder(size, run_dir):
    """Where the guest's memory can be, if not where the kernel looks first.

    It is a file in /dev/shm that gets mapped to be executed.  Containers often
    have a small one, or one that forbids that.
    """
    digits = size.rstrip("KMGkmg")
    unit = {"": 0, "K": 10, "M": 20, "G": 30}
    size = int(digits) << unit[size[len(digits):].upper()]

    def suits(path):
        try:
            fs = os.statvfs(path)
        except OSError:
            return False
        return (fs.f_bavail * fs.f_frsize > size
                and not fs.f_flag & os.ST_NOEXEC
                and os.access(path, os.W_OK))

    if suits("/dev/shm"):
        return None
    return next(filter(suits, ("/tmp", "/var/tmp", run_dir)), None)


def start(args, kernel, run_dir, tree, cache, console):
    argv = own_processes()
    # Nothing here may differ between two runs in virtual time: the command
    # line feeds the guest's random seed, so the folders of the run and of the
    # tree are named by the working directory only.
    env = {"HOME": run_dir, "PATH": os.defpath}
    folder = memory_folder(args.mem, run_dir)
    if folder:
        env["TMPDIR"] = folder
    os.symlink(os.path.join(tree, "tools/vm/guest/init"),
               os.path.join(run_dir, "init"))
    params = [
        f"mem={args.mem}", "umid=uet", "uetvm=uml",
        "root=none", "rootfstype=hostfs", "rootflags=/", "ro",
        "init=/proc/self/cwd/init",
        "con=null", "con0=null,fd:2", "loglevel=7", "kasan_multi_shot",
        # A machine that others use may let a guest wait for so long
        "workqueue.watchdog_thresh=120",
    ]
    if args.virtual_time:
        argv += ["setarch", "x86_64", "-R"]
        env["LD_PRELOAD"] = seed_library(cache)
        env["UET_SEED"] = f"{args.seed:020d}"
        params += ["time-travel=inf-cpu", f"time-travel-start={START_NS}",
                   "norandmaps"]
    if args.kernel != "uml":
        # 6.12 knows neither; with ptrace() there is one CPU.
        params += ["seccomp=on", f"ncpus={args.smp}"]
    argv += [kernel["image"], *params, *args.append.split()]
    with open(console, "wb") as log:
        if args.verbose:
            print(" ".join(argv), file=sys.stderr)
        return subprocess.Popen(
            argv, cwd=run_dir, env=env, stdin=subprocess.DEVNULL,
            stdout=log, stderr=log, start_new_session=True,
            preexec_fn=prepare_child)
