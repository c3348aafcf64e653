#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The demonstration, inside the guest: two hosts, four spines, real files.

    demo_guest.py UETCP UETPERF OUT FILE...

Each host sends every second file to the other, from three processes at once,
through a fabric that drops and marks packets. What arrives is compared by
SHA-256. Then uetperf measures what the network is without them. Prints an
account and writes demo.json into OUT.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import time

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "tools", "fabric"))
import fabric  # noqa: E402

PROCESSES = 3       # on each host
FIRST_PID = 100     # PIDonFEP of the first receiver
# What an emulated machine can forward; the spines together are a little
# slower than a host, so that queues form where paths differ
RATE_MBIT, SPINE_MBIT = 80, 16
LOSSY_SPINE, LOSS = 2, 0.01
CONFIG = fabric.Config(rate=f"{RATE_MBIT}mbit", spine_rate=f"{SPINE_MBIT}mbit",
                       mark=12_000, limit=200_000, loss={LOSSY_SPINE: LOSS})
DEADLINE_S = 150
COUNTERS = ("TxReqs", "RxCe", "RetxRto", "RetxSack", "RetxOooCount",
            "RetxProbe", "RetxNack", "RtoFired", "TailProbes", "MsgDelivered",
            "MsgFailed", "PdcOpened", "TxRetx", "TxRetxNeedless")


class Host:
    def __init__(self, net, leaf, inbox):
        self.name = net.host(leaf, 1)
        self.addr = net.addr(leaf, 1)
        self.inbox = inbox
        self.shares = [[] for _ in range(PROCESSES)]
        self.jobs = []
        os.makedirs(inbox)

    def give(self, files):
        """Spreads files over the processes, by size"""
        for path in sorted(files, key=os.path.getsize, reverse=True):
            min(self.shares, key=lambda s: sum(map(os.path.getsize, s))
                ).append(path)
        self.shares = [s for s in self.shares if s]

    def bytes(self):
        return sum(os.path.getsize(p) for s in self.shares for p in s)

    def start(self, *args):
        job = subprocess.Popen(["ip", "netns", "exec", self.name, *map(str, args)],
                               text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        self.jobs.append(job)
        return job

    def counters(self):
        text = fabric.run("ip", "netns", "exec", self.name, "cat",
                          "/proc/net/uet_stat")
        found = dict(re.findall(r"^(\w+)\s+(\d+)", text, re.M))
        return {name: int(found.get(name, 0)) for name in COUNTERS}


def say(text):
    print(text, flush=True)


def sha256(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def start_receivers(host, peer, uetcp):
    for i, share in enumerate(peer.shares):
        host.start(uetcp, "recv", FIRST_PID + i, host.inbox, len(share))


def start_senders(host, peer, uetcp):
    for i, share in enumerate(host.shares):
        host.start(uetcp, "send", peer.addr, FIRST_PID + i, *share)


def received(host):
    """Bytes on disk: the files are filled in any order"""
    total = 0
    for entry in os.scandir(host.inbox):
        total += min(entry.stat().st_blocks * 512, entry.stat().st_size)
    return total


def wait(hosts, start):
    """Shows progress until all processes ended; true if all went well"""
    total = sum(h.bytes() for h in hosts)
    jobs = [j for h in hosts for j in h.jobs]
    shown = start
    while any(j.poll() is None for j in jobs):
        now = time.monotonic()
        if any(j.poll() for j in jobs) or now - start > DEADLINE_S:
            break
        if now - shown >= 2:
            shown = now
            done = sum(map(received, hosts))
            say(f"  {now - start:5.1f} s  {done / 1e6:6.1f} of "
                f"{total / 1e6:.1f} MB")
        time.sleep(0.1)
    for j in jobs:
        if j.poll() is None:
            j.kill()
    return all(j.wait() == 0 for j in jobs)


def collect(hosts):
    """Lines of JSON of all programs: files received and path information"""
    files, infos = [], []
    for h in hosts:
        for job in h.jobs:
            out, err = job.communicate()
            if err:
                say(f"  {h.name}: {err.strip()}")
            for line in out.splitlines():
                record = json.loads(line)
                (infos if "info" in record else files).append(
                    {"host": h.name, **record})
    return files, infos


def mismatches(hosts):
    """Files that are missing or differ at their receiver"""
    bad = []
    for host, peer in (hosts, hosts[::-1]):
        for path in (p for s in host.shares for p in s):
            copy = os.path.join(peer.inbox, os.path.basename(path))
            if not os.path.exists(copy) or sha256(copy) != sha256(path):
                bad.append(path)
    return bad


def uetperf(program, client, server, *options):
    """Results of a test with no other traffic"""
    serving = server.start(program, "-s", "-1", "-q")
    serving.stdout.readline()
    text = fabric.run("ip", "netns", "exec", client.name, program, "-J",
                      *options, server.addr)
    serving.wait(30)
    return json.loads(text)["results"][0]


def measure(program, hosts):
    return {
        "latency": uetperf(program, *hosts, "-m", "lat", "-n", "200"),
        "bandwidth": uetperf(program, *hosts, "-b", "-c", "-P",
                             str(PROCESSES), "-l", "64K", "-t", "5"),
    }


def account_of_uetperf(measured):
    rtt = measured["latency"]["round_trip_ns"]
    both = measured["bandwidth"]
    say(f"\nuetperf, without the files: round trip of 8 bytes "
        f"{rtt['p50'] / 1e3:.0f} us, 99% below {rtt['p99'] / 1e3:.0f} us;")
    say(f"  {PROCESSES} processes each way, contents checked: " + ", ".join(
        f"{way} {both[way]['client']['bits_per_s'] / 1e6:.1f} Mbit/s "
        f"(Jain's index {both[way]['jain']:.2f})"
        for way in ("forward", "reverse")) +
        f", {both['wrong']} messages wrong")


def account(result):
    r = result
    say(f"\n{len(r['files'])} files, {r['bytes'] / 1e6:.1f} MB both ways in "
        f"{r['seconds']:.1f} s: {r['goodput_mbit']:.0f} Mbit/s of goodput "
        f"({4 * SPINE_MBIT} Mbit/s each way through the spines)")
    say(f"SHA-256 mismatches: {r['sha256_mismatches']}")
    say("\n  file                               to host       MB   seconds")
    for f in sorted(r["files"], key=lambda f: -f["bytes"])[:12]:
        say(f"  {f['received'][:34]:34} {f['host']:8} {f['bytes'] / 1e6:8.1f}"
            f" {f['secs']:9.2f}")
    if len(r["files"]) > 12:
        say(f"  ... and {len(r['files']) - 12} smaller ones")
    say("\n  spine    share   packets   marked   lost at random   dropped")
    for s, share in zip(r["spines"], r["spine_share"]):
        say(f"  {s['name']:8}{share:6.1%}{s['packets']:10}{s['marked']:9}"
            f"{s['lost']:17}{s['drops']:10}")
    say(f"  leaves: {r['leaves']['marked']} marked, "
        f"{r['leaves']['drops']} dropped")
    c = r["counters"]
    say(f"\nrequests sent {c['TxReqs']}, arrived marked {c['RxCe']}, "
        f"retransmitted {r['retransmissions']}, of which "
        f"{c['TxRetxNeedless']} had only been late")
    say(f"taken for lost by SACK {c['RetxSack']}, "
        f"out-of-order count {c['RetxOooCount']}, probe {c['RetxProbe']}, "
        f"timeout {c['RetxRto']}, receiver {c['RetxNack']}")
    say(f"contexts opened by {2 * PROCESSES} processes: {c['PdcOpened']}")
    for i in r["paths"]:
        say(f"{i['host']}: {i['cc']}/{i['policy']}, {i['paths']} entropy "
            f"values, window {i['cwnd']} bytes, round trip "
            f"{i['rtt_us']:.0f} us (base {i['base_rtt_us']:.0f} us)")


def summary(hosts, net, before, seconds, went_well):
    files, infos = collect(hosts)
    bad = mismatches(hosts)
    counters = {k: sum(h.counters()[k] - b[k] for h, b in zip(hosts, before))
                for k in COUNTERS}
    spines = net.stat()
    total = sum(h.bytes() for h in hosts)
    packets = sum(s["packets"] for s in spines) or 1
    return {
        "ok": went_well and not bad,
        "kernel": os.uname().release,
        "bytes": total, "seconds": round(seconds, 3),
        "goodput_mbit": round(total * 8e-6 / seconds, 1),
        "sha256_mismatches": len(bad), "mismatched": bad,
        "processes": sum(len(h.shares) for h in hosts),
        "files": files,
        "spine_share": [round(s["packets"] / packets, 4) for s in spines],
        "spines": spines, "leaves": net.leaf_stat(),
        "marks": counters["RxCe"],
        "losses": sum(s["lost"] + s["drops"] for s in spines) +
                  net.leaf_stat()["drops"],
        "retransmissions": counters["TxRetx"],
        "counters": counters,
        "paths": infos[:1] + infos[-1:] if len(infos) > 1 else infos,
    }


def main():
    uetcp, program, out, files = *sys.argv[1:4], sys.argv[4:]
    say(f"kernel {os.uname().release}; building the fabric: 2 hosts, 2 leaves, "
        f"4 spines of {SPINE_MBIT} Mbit/s, ECN, spine {LOSSY_SPINE} loses "
        f"{LOSS:.0%}")
    net = fabric.Fabric(CONFIG).up()
    hosts = [Host(net, leaf, f"/tmp/inbox{leaf}") for leaf in (1, 2)]
    ranked = sorted(files, key=os.path.getsize, reverse=True)
    hosts[0].give(ranked[0::2])
    hosts[1].give(ranked[1::2])
    for h in hosts:
        say(f"{h.name} sends {h.bytes() / 1e6:.1f} MB in "
            f"{sum(map(len, h.shares))} files from {len(h.shares)} processes")
    before = [h.counters() for h in hosts]
    start_receivers(hosts[0], hosts[1], uetcp)
    start_receivers(hosts[1], hosts[0], uetcp)
    time.sleep(2)
    start = time.monotonic()
    start_senders(hosts[0], hosts[1], uetcp)
    start_senders(hosts[1], hosts[0], uetcp)
    went_well = wait(hosts, start)
    result = summary(hosts, net, before, time.monotonic() - start, went_well)
    account(result)
    result["uetperf"] = measure(program, hosts)
    account_of_uetperf(result["uetperf"])
    with open(os.path.join(out, "demo.json"), "w", encoding="utf-8") as f:
        json.dump(result, f, indent=1)
        f.write("\n")
    net.down()
    say("\nall files arrived whole" if result["ok"] else "\nFAILED")
    return 0 if result["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
