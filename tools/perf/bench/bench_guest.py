#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Measures what transports cost, in guest instructions. Runs in the guest.

The guest has one CPU and its clock counts instructions (QEMU -icount
shift=0), so nanoseconds are instructions of both ends together. Every figure
is the median over rounds of one process pair: uetperf for AF_UET, the program
"others" for other transports. Writes bench.json into the second folder given
and prints a table.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import time

BUILD, OUT = sys.argv[1:3]
CLIENT, SERVER = "uet-perf-a", "uet-perf-b"
ADDR = "10.0.0.1", "10.0.0.2"
MTUS = 4224, 9000
RR_SIZES = 100, 4000
BULK_SIZES = 4096, 65536, 1 << 20
# Payload of one packet at each MTU: what AF_UET takes, and UDP is given
PACKET = {4224: 4096, 9000: 8192}
BULK_BYTES = 16 << 20
AIMS = {
    "request-response of 100 bytes, AF_UET / TCP": ("rr_100_uet_over_tcp", 1.0),
    "bulk of 1 MiB at MTU 4224, AF_UET / TCP without offload":
        ("bulk_1m_uet_over_tcp_noseg", 1.25),
    "memory of an idle PDC, bytes": ("idle_pdc_bytes", 1024),
}


def sh(*args, check=True):
    return subprocess.run(args, check=check, text=True,
                          stdout=subprocess.PIPE).stdout


def note(text):
    print(text, file=sys.stderr, flush=True)


def setup(mtu):
    for name in CLIENT, SERVER:
        sh("ip", "netns", "add", name)
    sh("ip", "link", "add", "veth0", "mtu", str(mtu), "netns", CLIENT, "type",
       "veth", "peer", "name", "veth0", "mtu", str(mtu), "netns", SERVER)
    for name, addr in zip((CLIENT, SERVER), ADDR):
        sh("ip", "-n", name, "addr", "add", f"{addr}/24", "dev", "veth0")
        sh("ip", "-n", name, "link", "set", "lo", "up")
        sh("ip", "-n", name, "link", "set", "veth0", "up")


def teardown():
    for name in CLIENT, SERVER:
        sh("ip", "netns", "del", name, check=False)
    time.sleep(1)


def offload(on):
    word = "on" if on else "off"
    for name in CLIENT, SERVER:
        sh("ip", "netns", "exec", name, "ethtool", "-K", "veth0",
           "tso", word, "gso", word, "gro", word)


def others(transport, kind, size, count, rounds):
    """Costs of rounds, per round trip or thousand bytes"""
    done = subprocess.run(
        [f"{BUILD}/others", "-t", transport, "-C", CLIENT, "-S", SERVER,
         *(["-k"] if kind == "bulk" else []), "-s", str(size),
         "-n", str(count), "-r", str(rounds), *ADDR],
        text=True, check=True, capture_output=True, timeout=600)
    return [int(n) for n in done.stdout.split()]


def uetperf(kind, size, count, rounds):
    """The same of AF_UET"""
    program = f"{BUILD}/uetperf"
    server = subprocess.Popen(
        ["ip", "netns", "exec", SERVER, program, "-s", "-1", "-q", ADDR[1]],
        text=True, stdout=subprocess.PIPE)
    try:
        server.stdout.readline()
        text = sh("ip", "netns", "exec", CLIENT, program, "-J", "-B", ADDR[0],
                  "-m", "bw" if kind == "bulk" else "lat", "-l", str(size),
                  "-n", str(count), "-r", str(rounds), ADDR[1])
        server.wait(60)
    finally:
        server.kill()
    ns = json.loads(text)["results"][0]["flows"][0]["rounds_ns"]
    if kind == "bulk":
        return [n * 1000 // (count * size) for n in ns]
    return [n // count for n in ns]


def perf(transport, kind, size, count, rounds):
    """The median, or None if that transport does not work here"""
    try:
        costs = uetperf(kind, size, count, rounds) if transport == "uet" \
            else others(transport, kind, size, count, rounds)
    except subprocess.SubprocessError as e:
        note(f"{transport} {kind} {size}: {e}: {getattr(e, 'stderr', '')}")
        return None
    return statistics.median(costs)


def request_response(mtu, transports):
    rows = []
    for size in RR_SIZES:
        for t in transports:
            cost = perf(t, "rr", size, 200, 11)
            note(f"MTU {mtu} round trip {size} {t}: {cost}")
            rows.append({"mtu": mtu, "size": size, "transport": t,
                         "instructions": cost})
    return rows


def bulk_cost(mtu, transport, size):
    cost = perf(transport, "bulk", size, BULK_BYTES // size, 5)
    note(f"MTU {mtu} bulk {size} {transport}: {cost} / 1000")
    return cost / 1000 if cost else None


def bulk(mtu, transports):
    """UDP has one datagram per packet, whatever the size of the message"""
    rows = []

    def add(size, name, cost):
        rows.append({"mtu": mtu, "size": size, "transport": name,
                     "instructions_per_byte": cost})

    offload(True)
    for size in BULK_SIZES:
        add(size, "tcp+offload", bulk_cost(mtu, "tcp", size))
    offload(False)
    udp = bulk_cost(mtu, "udp", PACKET[mtu])
    for size in BULK_SIZES:
        add(size, "udp", udp)
        for t in transports:
            if t != "udp":
                add(size, t, bulk_cost(mtu, t, size))
    offload(True)
    return rows


# --- memory of idle contexts -----------------------------------------------

def stat(netns, name):
    text = sh("ip", "netns", "exec", netns, "cat", "/proc/net/uet_stat")
    return int(re.search(rf"^{name}\s+(\d+)", text, re.M).group(1))


def kernel_memory():
    """Slab pages, page tables of per-CPU data and vmalloc, in bytes"""
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as f:
        f.write("3")
    shrink()
    with open("/proc/meminfo", encoding="ascii") as f:
        info = dict(re.findall(r"^(\w+):\s+(\d+) kB", f.read(), re.M))
    return 1024 * sum(int(info[k]) for k in ("SUnreclaim", "VmallocUsed",
                                             "Percpu"))


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


def idle_memory():
    """Growth of kernel memory over the contexts, both ends counted

    Each context has a flow of its own, with window and path values, which the
    PDCs of a real host share; what a further PDC takes is the object alone.
    """
    setup(4224)
    addrs = [f"10.0.1.{i}" for i in range(1, 201)]
    for a in addrs:
        sh("ip", "-n", SERVER, "addr", "add", f"{a}/32", "dev", "lo")
        # A resolved neighbour would be counted as ours
    sh("ip", "-n", CLIENT, "route", "add", "10.0.1.0/24", "via", ADDR[1])
    before = kernel_memory()
    job = subprocess.Popen([f"{BUILD}/uet_pdcs", CLIENT, SERVER, "20", *addrs], text=True,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    line = job.stdout.readline()
    if not line.startswith("idle"):
        job.wait()
        teardown()
        return {}
    time.sleep(5)
    after = kernel_memory()
    # With the larger one of its halves
    pdc = slab_size("uet_pdc") + max(slab_size("uet_pdc_tx"),
                                     slab_size("uet_pdc_rx"))
    members = stat(CLIENT, "PdcOpened") + stat(SERVER, "PdcAccepted")
    job.stdin.close()
    job.wait()
    teardown()
    note(f"{members} ends of contexts, {after - before} bytes")
    return {"contexts": members, "bytes": after - before,
            "bytes_per_context": (after - before) / members,
            "bytes_per_pdc": pdc}


# --- report --------------------------------------------------------------------

def find(rows, key, **want):
    for r in rows:
        if all(r[k] == v for k, v in want.items()):
            return r[key]
    return None


def ratio(a, b):
    return round(a / b, 3) if a and b else None


def verdicts(result):
    rr, blk = result["request_response"], result["bulk"]
    one = {"mtu": 4224, "size": 1 << 20}
    small = {"mtu": 4224, "size": 100}
    return {
        "rr_100_uet_over_tcp": ratio(
            find(rr, "instructions", transport="uet", **small),
            find(rr, "instructions", transport="tcp", **small)),
        "bulk_1m_uet_over_tcp_noseg": ratio(
            find(blk, "instructions_per_byte", transport="uet", **one),
            find(blk, "instructions_per_byte", transport="tcp", **one)),
        "bulk_1m_uet_over_tcp_offload": ratio(
            find(blk, "instructions_per_byte", transport="uet", **one),
            find(blk, "instructions_per_byte", transport="tcp+offload",
                 **one)),
        "idle_pdc_bytes": result["idle"].get("bytes_per_pdc"),
    }


def print_table(title, rows, key, form):
    names = list(dict.fromkeys(r["transport"] for r in rows))
    print(f"\n{title}")
    print(f"{'MTU':>6}{'bytes':>9}" + "".join(f"{n:>13}" for n in names))
    for mtu in MTUS:
        for size in dict.fromkeys(r["size"] for r in rows):
            cells = [find(rows, key, mtu=mtu, size=size, transport=n)
                     for n in names]
            if any(c is not None for c in cells):
                print(f"{mtu:>6}{size:>9}" + "".join(
                    f"{format(c, form) if c is not None else '-':>13}"
                    for c in cells))


def soft_roce():
    """Why soft-RoCE is not measured, found by trying."""
    if subprocess.run(["modprobe", "rdma_rxe"], check=False,
                      stderr=subprocess.DEVNULL).returncode:
        return "this kernel has no rdma_rxe"
    setup(MTUS[0])
    try:
        inside = "ip", "netns", "exec", CLIENT
        added = subprocess.run(
            [*inside, "rdma", "link", "add", "rxe0", "type", "rxe",
             "netdev", "veth0"], check=False, text=True,
            stderr=subprocess.PIPE)
        if added.returncode:
            return "no device: " + added.stderr.strip()
        if not sh(*inside, "ss", "-Huln", "sport", "=", "4791"):
            return ("its device on a link of a network namespace receives "
                    "nothing: UDP port 4791 is open in the initial one only")
        return "its device can receive here, but nothing here drives it yet"
    finally:
        teardown()


def main():
    transports = ["uet", "udp", "tcp", "sctp"]
    if "UET_BENCH" in os.environ:
        transports = os.environ["UET_BENCH"].split(",")
    sh("modprobe", "sctp", check=False)
    result = {"kernel": os.uname().release, "request_response": [], "bulk": []}
    for mtu in MTUS:
        setup(mtu)
        result["request_response"] += request_response(mtu, transports)
        result["bulk"] += bulk(mtu, transports)
        teardown()
    result["left_out"] = {"soft-RoCE": soft_roce()}
    result["idle"] = idle_memory() if "uet" in transports else {}
    result["ratios"] = verdicts(result)
    print_table("instructions per round trip", result["request_response"],
                "instructions", ".0f")
    print_table("instructions per byte, bulk", result["bulk"],
                "instructions_per_byte", ".2f")
    for name, reason in result["left_out"].items():
        print(f"\nnot measured: {name}: {reason}")
    print("\naims")
    ok = True
    for text, (key, limit) in AIMS.items():
        value = result["ratios"][key]
        met = value is not None and value <= limit
        ok = ok and met
        print(f"  {text}: {value} (at most {limit}) "
              f"{'met' if met else 'MISSED'}")
    if result["idle"]:
        print(f"  an end of a context with its peer, flow and path values: "
              f"{result['idle']['bytes_per_context']:.0f} bytes")
    print(f"  for later: bulk of 1 MiB, AF_UET / TCP with offload: "
          f"{result['ratios']['bulk_1m_uet_over_tcp_offload']}")
    result["aims_met"] = ok
    with open(os.path.join(OUT, "bench.json"), "w", encoding="ascii") as f:
        json.dump(result, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
