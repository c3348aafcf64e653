# SPDX-License-Identifier: GPL-2.0
"""Runs a case in the guest. A row is what it cost, and how it ran."""
import json
import statistics
import subprocess
import sys

# What SO_SNDBUF and SO_RCVBUF read of all sockets: twice the window of AF_UET at the rate
# that network.py tells it, with what buffers take for themselves. Who overruns its
# receiver measures refusals and not the way of the data.
BUFFER = 16 << 20


def note(text):
    print(text, file=sys.stderr, flush=True)


def command(build, case, net):
    client, servers = net.addresses(case.peers)
    pinned = ["taskset", "-c", f"0-{case.cpus - 1}"] if case.cpus else []
    return [*pinned, f"{build}/rounds", "-t", case.transport, "-C", net.client,
            "-S", net.server, "-s", str(case.size), "-n", str(case.count),
            "-r", str(case.rounds), "-P", str(case.flows), "-b", str(BUFFER),
            *([] if case.kind == "trips" else ["-k"]),
            *(["-m", str(case.batch)] if case.batch else []),
            *(["-D", case.delivery] if case.delivery else []),
            *(["-w", case.put] if case.put else []),
            *(["-W", case.get] if case.get else []),
            client, *servers]


def conditions(case, net, seen):
    """What has to be the same of two rows that are compared, see compare.py"""
    return {
        "kind": case.kind, "size": case.size, "mtu": case.mtu,
        "link": case.link, "ip": case.ip, "flows": case.flows,
        "batch": case.batch, "peers": case.peers, "cpus": case.cpus,
        "spread": case.spread, "put": case.put, "get": case.get,
        "offloads": net.offloads(),
        "sndbuf": seen["sndbuf"], "rcvbuf": seen["rcvbuf"],
        # Of client and server, per operation: who waits is woken by the other
        "waits": [round(n / case.operations, 3) for n in seen["switches"]],
    }


def runs(before, after):
    """Packets with data, and how many were in one run, by the module's counters

    None: there were no runs.
    """
    def grown(name):
        return after.get(name, 0) - before.get(name, 0)

    def length(end):
        n = grown(f"{end}Runs")
        return round(grown(f"{end}RunReqs") / n, 2) if n else None

    return {"tx_requests": grown("TxReqs"), "tx_in_runs": grown("TxRunReqs"),
            "tx_acks": grown("TxAcks"),
            "tx_run": length("Tx"), "rx_run": length("Rx")}


def cost(case, rounds_ns):
    """The median: per round trip, per message, or per byte"""
    ops = case.count * case.flows
    if case.kind == "bulk":
        return statistics.median(n * 1000 // (ops * case.size)
                                 for n in rounds_ns) / 1000
    return statistics.median(n // ops for n in rounds_ns)


def run(build, case, net):
    """Runs it; None if that transport does not work here."""
    net.set_offload(case.offload)
    net.set_spread(case.spread)
    if case.transport == "uet":
        net.set_protect(case.protect)
        net.set_steer(case.steer)
    counters, packets = net.counters(), net.packets()
    try:
        done = subprocess.run(command(build, case, net), text=True, check=True,
                              capture_output=True, timeout=900)
        seen = json.loads(done.stdout)
    except (subprocess.SubprocessError, ValueError) as e:
        note(f"{case}: {e}: {getattr(e, 'stderr', '')}")
        return None
    # The round that warms up is in these
    ops = case.operations * (case.rounds + 1) / case.rounds
    return {
        "cost": cost(case, seen["rounds_ns"]),
        "clock_ns": sum(seen["rounds_ns"]),
        "conditions": conditions(case, net, seen),
        "packets": round((net.packets() - packets) / ops, 3),
        "runs": runs(counters, net.counters()) if case.transport == "uet"
        else None,
    }
