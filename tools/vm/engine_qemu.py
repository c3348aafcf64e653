# SPDX-License-Identifier: GPL-2.0
"""Starts a kernel under QEMU."""

import ctypes
import fcntl
import hashlib
import lzma
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))

# What the initramfs of a stock kernel must load to reach its root.
ROOT_MODULES = ["virtio_pci", "9pnet_virtio", "9p", "overlay"]

# Written to the exit port by guest/initramfs when it is only probed.
PROBE_STATUS = 21

# Virtual CPUs starve when the host is busy; real lock-ups last longer.
PATIENCE = ["rcupdate.rcu_cpu_stall_timeout=120", "watchdog_thresh=60",
            "workqueue.watchdog_thresh=120"]


def prepare_child():
    """Guests end with the runner, and leave no core files."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def module_files(kernel):
    """Modules for the initramfs with their dependencies, in load order."""
    if not kernel["modtree"]:
        return []
    files = []
    for m in ROOT_MODULES:
        out = subprocess.run(
            ["modprobe", "-d", kernel["modtree"], "-S", kernel["release"],
             "--show-depends", m], check=True, text=True,
            stdout=subprocess.PIPE).stdout
        for line in out.splitlines():
            word = line.split()
            if word[0] == "insmod" and word[1] not in files:
                files.append(word[1])
    return files


def initramfs(kernel, cache):
    """Builds the initramfs; cached by its contents."""
    script = os.path.join(HERE, "guest", "initramfs")
    init = os.path.join(HERE, "guest", "init")
    busybox = shutil.which("busybox") or "/bin/busybox"
    if kernel.get("root"):
        busybox = os.path.join(kernel["root"], "bin/busybox")
    files = module_files(kernel)
    h = hashlib.sha256(kernel["release"].encode())
    for path in [script, init, busybox, __file__, *files]:
        with open(path, "rb") as f:
            h.update(f.read())
    image = os.path.join(cache, "initramfs", h.hexdigest()[:16] + ".cpio")
    if os.path.exists(image):
        return image
    os.makedirs(os.path.dirname(image), exist_ok=True)
    with tempfile.TemporaryDirectory() as d:
        os.makedirs(f"{d}/bin")
        os.makedirs(f"{d}/modules")
        shutil.copy(busybox, f"{d}/bin/busybox")
        os.symlink("busybox", f"{d}/bin/sh")
        shutil.copy(script, f"{d}/init")
        os.chmod(f"{d}/init", 0o755)
        shutil.copy(init, f"{d}/guest-init")
        with open(f"{d}/modules/order", "w") as order:
            for path in files:
                name = os.path.basename(path)
                with open(path, "rb") as f:
                    data = f.read()
                if name.endswith(".xz"):
                    name, data = name[:-3], lzma.decompress(data)
                with open(f"{d}/modules/{name}", "wb") as f:
                    f.write(data)
                order.write(name + "\n")
        tmp = f"{image}.{os.getpid()}"
        with open(tmp, "wb") as f:
            subprocess.run("find . | cpio -o -H newc --quiet", shell=True,
                           cwd=d, stdout=f, check=True)
        os.rename(tmp, image)
    return image


def kvm_works(kernel, cache):
    """Whether hardware virtualisation boots a kernel; asked once per boot.

    A device node proves nothing: some hosts emulate most instructions and
    fail or crawl on the others.  So the probe boots a kernel whose initramfs
    leaves at once; what is worth having does that in a second or two.
    UET_KVM=0 or 1 in the environment decides without a probe.
    """
    forced = os.environ.get("UET_KVM")
    if forced in ("0", "1"):
        return forced == "1"
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    with open("/proc/sys/kernel/random/boot_id") as f:
        answer = os.path.join(cache, "kvm-" + f.read().strip())
    with open(answer, "a+") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        f.seek(0)
        known = f.read()
        if known:
            return known == "yes"
        try:
            rc = subprocess.run(
                ["qemu-system-x86_64", "-accel", "kvm", "-machine", "q35",
                 "-cpu", "host", "-m", "512", "-nodefaults",
                 "-display", "none", "-no-reboot",
                 "-kernel", kernel["image"],
                 "-initrd", initramfs(kernel, cache),
                 "-append", "panic=-1 mitigations=off uetprobe",
                 "-device", "isa-debug-exit,iobase=0x501,iosize=1"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, timeout=10).returncode
        except subprocess.TimeoutExpired:
            rc = -1
        works = rc == PROBE_STATUS * 2 + 1
        f.write("yes" if works else "no")
        return works


def listening(port):
    """Whether some process listens on TCP port of this machine."""
    with open("/proc/net/tcp") as f:
        next(f)
        return any(line.split()[3] == "0A"
                   and line.split()[1].endswith(f":{port:04X}") for line in f)


def pair_options(i):
    """Two interfaces that are joined to each other"""
    argv = []
    for end in range(2):
        argv += ["-netdev", f"hubport,id=net{i}-{end},hubid={i}", "-device",
                 f"virtio-net-pci,netdev=net{i}-{end},mac=52:54:00:ff:{i:02x}:{end:02x}"]
    return argv


def netdev_options(specs):
    argv = []
    for i, spec in enumerate(specs):
        if spec == "pair":
            argv += pair_options(i)
            continue
        kind, port = spec.split(":")
        port = int(port)
        if kind == "connect":
            for _ in range(600):
                if listening(port):
                    break
                time.sleep(0.1)
        # Addresses must differ on the two sides of one wire.
        mac = f"52:54:00:{port >> 8:02x}:{port & 255:02x}:" \
              f"{2 * i + (kind == 'connect'):02x}"
        argv += ["-netdev", f"socket,id=net{i},{kind}=127.0.0.1:{port}",
                 "-device", f"virtio-net-pci,netdev=net{i},mac={mac}"]
    return argv


def kmemleak(args):
    """Emulated, its bookkeeping is a quarter of what a guest does."""
    return [] if args.leak_check else ["kmemleak=off"]


def share(path, tag, readonly):
    opts = f"local,path={path},mount_tag={tag},security_model=none," \
           "multidevs=remap"
    return ["-virtfs", opts + (",readonly=on" if readonly else "")]


def start(args, kernel, run_dir, tree, cache, console):
    init = "/guest-init" if args.root else f"{tree}/tools/vm/guest/init"
    params = ["loglevel=5", "panic=-1", "oops=panic", "nokaslr", *PATIENCE,
              *kmemleak(args), f"uetinit={init}", *args.append.split()]
    if kernel["arch"] == "arm64":
        machine, params = start_arm64(params)
    else:
        machine, params = start_x86(args, kernel, cache, params)
    argv = [*machine, "-smp", str(args.smp),
            "-m", args.mem, "-nodefaults", "-display", "none", "-no-reboot",
            "-kernel", kernel["image"], "-initrd", initramfs(kernel, cache),
            "-append", " ".join(params),
            "-serial", f"file:{console}",
            *share(args.root or kernel.get("root") or "/", "host", True),
            *share(run_dir, "run", False),
            *share(os.path.join(tree, "out"), "out", False),
            *netdev_options(args.netdev)]
    if kernel.get("root"):
        argv += [*share(tree, "tree", True), *share(cache, "cache", True)]
    if args.plugin:
        argv += ["-plugin", args.plugin]
    if args.monitor:
        argv += ["-monitor", f"unix:{args.monitor},server=on,wait=off"]
    if args.verbose:
        print(" ".join(argv), file=sys.stderr)
    open(console, "w").close()
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL,
                            start_new_session=True, preexec_fn=prepare_child)


def start_arm64(params):
    """The machine, always emulated, and what its kernel is told"""
    # Signatures of pointers by the architecture's algorithm take half the time.
    return (["qemu-system-aarch64", "-accel", "tcg,thread=multi",
             "-machine", "virt", "-cpu", "max,pauth-impdef=on"],
            ["console=ttyAMA0", *params])


def start_x86(args, kernel, cache, params):
    """The machine, and what its kernel is told"""
    # Who sees or counts instructions has to be who runs them.
    kvm = not args.icount and not args.plugin and kvm_works(kernel, cache)
    cpu = "max,-avx,-avx2"
    extra = []
    if kvm:
        cpu = "host"
    elif args.icount:
        # String instructions of the "fast" kinds would count as one.
        cpu += ",-erms,-fsrm"
        extra = ["-icount", "shift=0,sleep=off"]
    else:
        # QEMU 7.2 computes the flags of CMPXCHG16B from a stale cc_op. An
        # interrupt between it and the next instruction that sets flags saves
        # an address as EFLAGS and returns to a double fault.
        cpu += ",-cx16"
    # The kernel waits for ten ticks by counting cycles. On a loaded machine an
    # emulated timer is later than that, and it panics ("timer doesn't work").
    return (["qemu-system-x86_64", "-accel", "kvm" if kvm else "tcg",
             "-machine", "q35", "-cpu", cpu, *extra,
             "-device", "isa-debug-exit,iobase=0x501,iosize=1"],
            ["console=ttyS0", "mitigations=off", "tsc=reliable",
             "no_timer_check", "kasan_multi_shot", *params])
