# SPDX-License-Identifier: GPL-2.0
"""Memory of contexts that have nothing to do, in the guest."""
import os
import subprocess
import time

from measure import note
from network import CLIENT, SERVER, Network, peers

CLASSES = 20


def kernel_memory():
    """Slab pages, page tables of per-CPU data and vmalloc, in bytes"""
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as f:
        f.write("3")
    shrink()
    with open("/proc/meminfo", encoding="ascii") as f:
        info = dict(line.split()[:2] for line in f)
    return 1024 * sum(int(info[k]) for k in ("SUnreclaim:", "VmallocUsed:",
                                             "Percpu:"))


def shrink():
    base = "/sys/kernel/slab"
    for cache in os.listdir(base) if os.path.isdir(base) else ():
        try:
            with open(f"{base}/{cache}/shrink", "w", encoding="ascii") as f:
                f.write("1")
        except OSError:
            pass


def slab_size(cache):
    with open(f"/sys/kernel/slab/{cache}/slab_size", encoding="ascii") as f:
        return int(f.read())


def measure(build):
    """Growth of kernel memory over the contexts, both ends counted

    Each context has a flow of its own, with window and path values, which the
    PDCs of a real host share; what a further PDC takes is the object alone.
    """
    with Network(many=True) as net:
        before = kernel_memory()
        job = subprocess.Popen(
            [f"{build}/uet_pdcs", CLIENT, SERVER, str(CLASSES), *peers(200)],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = job.stdout.readline()
        if not line.startswith("idle"):
            job.wait()
            return {}
        time.sleep(5)
        after = kernel_memory()
        # With the larger one of its halves
        pdc = slab_size("uet_pdc") + max(slab_size("uet_pdc_tx"),
                                         slab_size("uet_pdc_rx"))
        counters = net.counters()
        members = counters["PdcOpened"] + counters["PdcAccepted"]
        job.stdin.close()
        job.wait()
    note(f"{members} ends of contexts, {after - before} bytes")
    return {"contexts": members, "bytes": after - before,
            "bytes_per_context": (after - before) / members,
            "bytes_per_pdc": pdc}
