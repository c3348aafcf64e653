#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Rows of the benchmark: which there are, what is compared, how they are told.

    bench_test.py ROUNDS

ROUNDS is the program that makes the rounds; here it does so over TCP and UDP of
this host.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = os.path.dirname(HERE), os.path.join(HERE, "../../tests")

import bench_guest  # noqa: E402
import cases  # noqa: E402
import compare  # noqa: E402
import cpus_guest  # noqa: E402
import measure  # noqa: E402
import profile_guest  # noqa: E402
import tables  # noqa: E402
from tap import end, same  # noqa: E402


class Link:
    """In place of network.Network"""

    client, server = "a", "b"

    def addresses(self, n_peers):
        return "1", [str(2 + i) for i in range(n_peers)]

    def offloads(self):
        return ["tso", "gso"]


SEEN = {"sndbuf": [4, 4], "rcvbuf": [4, 4], "switches": [2000, 2200]}


def row(case, cost, **more):
    how = {**measure.conditions(case, Link(), SEEN), **more}
    return {"cost": cost, "conditions": how, "packets": 2.5,
            "runs": {"tx_run": 4.0, "rx_run": None}}


def test_cases():
    trips = cases.request_response(cases.TRANSPORTS)
    bulk = cases.bulks(cases.TRANSPORTS)
    # Rows of earlier results, which later ones are compared with
    same({(c.mtu, c.size, c.column) for c in trips},
         {(m, s, t) for m in (4224, 9000) for s in (100, 4000)
          for t in ("uet", "udp", "tcp", "sctp")}, "round trips")
    want = {(m, s, t) for m in (4224, 9000) for s in (4096, 65536, 1 << 20)
            for t in ("tcp+offload", "udp", "uet", "tcp", "sctp")}
    same(want - {(c.mtu, c.shown, c.column) for c in bulk}, set(), "bulk")
    same({c.size for c in bulk if c.transport == "udp"}, {4096, 8192},
         "UDP has one datagram per packet")
    every = trips + bulk + [c for n in cases.FURTHER
                            for c in cases.further(n, cases.TRANSPORTS, True)]
    same([c for c in every if c.count * c.size * c.flows > 16 << 20], [],
         "no round is longer than 16 MiB")
    named = {}
    for c in every:
        named.setdefault((cases.title(c), c.column), set()).add(
            (c.count, c.rounds, c.size))
    same({k: v for k, v in named.items() if len({s for _, _, s in v}) > 1}, {},
         "titles tell rows apart")
    same("sctp" in {c.transport for c in cases.further(
        "ipv6", cases.TRANSPORTS)}, False, "less where not all is asked for")
    case = cases.bulk("uet", 1 << 20, ip=6, flows=8, delivery="rod")
    same(cases.title(case), "bulk of 1 MiB, 8 flows, IPv6, ROD, MTU 4224",
         "a title")


def test_command():
    case = cases.further("batch", ["uet"])[1]
    line = " ".join(measure.command("/b", case, Link()))
    same(line, "/b/rounds -t uet -C a -S b -s 100 -n 2048 -r 3 -P 1 "
         f"-b {measure.BUFFER} -k -m 32 1 2", "a command")


def rounds(program, *args):
    done = subprocess.run([program, "-r", "2", *args], text=True, check=False,
                          capture_output=True, timeout=60)
    if done.returncode:
        return done.stderr
    seen = json.loads(done.stdout)
    return sorted(seen), len(seen["rounds_ns"]), min(seen["rounds_ns"]) > 0


def test_rounds(program):
    local = "127.0.0.1"
    # Short messages: a window of UDP fits into buffers of any user
    good = ["rcvbuf", "rounds_ns", "sndbuf", "switches"], 2, True
    for what, args in {
            "round trips": ["-n", "20"],
            "bulk": ["-k", "-s", "100", "-n", "200"],
            "two flows": ["-k", "-s", "100", "-n", "100", "-P", "2"],
    }.items():
        for t in "tcp", "udp":
            same(rounds(program, "-t", t, *args, local, local), good,
                 f"{what}, {t}")
    for n in 1, 130, 200, 256:
        same(rounds(program, "-t", "udp", "-k", "-m", "32", "-n", str(n),
                    local, local), good, f"{n} messages in batches")
    for t in "tcp", "udp":
        same(rounds(program, "-t", t, "-n", "7", local, local, "127.0.0.2",
                    "127.0.0.3"), good, f"three peers, {t}")
    for args in (["-t", "dccp"], ["-n", "0"], ["-k", "-m", "9"],
                 ["-P", "1000"]):
        same("usage: rounds" in rounds(program, *args, local, local), True,
             f"refused: {' '.join(args)}")


def test_cpus():
    costs = {("uet", "1"): (10, 12, 90), ("tcp", "1"): (11, 8, 8),
             ("uet", "2"): (6, 6, 6), ("tcp", "2"): (5, 4, 4),
             ("uet", "2 spread"): (8, 8, 8), ("tcp", "2 spread"): (8, 7, 8),
             ("uet", "2 spread, not steered"): (16, 10, 16)}
    runs = {key: [{**row(case, c), "conditions": {
        **measure.conditions(case, Link(), SEEN)}} for c in costs[key]]
            for key, case in cpus_guest.wanted().items()}
    speeds, ratios = cpus_guest.judge(runs)
    same(speeds["uet", "1"], 1000 / 12, "MB/s are those of the median")
    same(ratios, {"uet over tcp, 1": 0.667, "uet over tcp, 2": 0.667,
                  "uet over tcp, 2 spread": 1.0,
                  "uet over tcp, 2 spread, not steered": 0.5,
                  "uet, 2 over 1": 2.0, "tcp, 2 over 1": 2.0},
         "ratios of speeds")


def test_cost():
    case = cases.bulk("uet", 4096, total=8192, rounds=3)
    same(measure.cost(case, [16384, 8192, 8192]), 1, "cost of a byte")
    case = cases.trips("uet", 100, count=10, rounds=3)
    same(measure.cost(case, [100, 205, 900]), 20, "cost of a round trip")
    before = {"TxReqs": 10, "RxReqs": 5}
    after = {"TxReqs": 110, "RxReqs": 105, "TxRuns": 20, "TxRunReqs": 80,
             "TxAcks": 7}
    same(measure.runs(before, after),
         {"tx_requests": 100, "tx_in_runs": 80, "tx_acks": 7,
          "tx_run": 4.0, "rx_run": None},
         "packets of a run, and none where runs are not counted")


def test_compare():
    uet, tcp = cases.trips("uet", 100), cases.trips("tcp", 100)
    a, b = row(uet, 90), row(tcp, 100)
    same(compare.compare(a, b), (0.9, []), "rows that are alike")
    for key, value in {"mtu": 1500, "size": 4, "offloads": [], "flows": 2,
                       "sndbuf": [9, 4], "rcvbuf": [4, 9], "peers": 2,
                       "link": "lo", "ip": 6, "batch": 1}.items():
        value, why = compare.compare(a, row(tcp, 100, **{key: value}))
        same((value, len(why)), (None, 1), f"refused: {'; '.join(why)}")
    slower = row(tcp, 100, waits=[a["conditions"]["waits"][0], 0])
    value, why = compare.compare(a, slower)
    same((value, len(why)), (None, 1), f"refused: {'; '.join(why)}")
    same(compare.compare(a, None)[0], None, "a row that is not there")
    joined = {**row(cases.trips("tcp", 100), 1, kind="messages"),
              "packets": 0.1}
    value, why = compare.compare(row(uet, 90, kind="messages"), joined)
    same((value, len(why)), (None, 1), f"refused: {'; '.join(why)}")


def test_ratios():
    rows = [(c, row(c, cost, offloads=["tso"] if c.offload else []))
            for c, cost in (
                (cases.trips("uet", 100), 90), (cases.trips("tcp", 100), 100),
                (cases.bulk("uet", 1 << 20), 2.5),
                (cases.bulk("tcp", 1 << 20), 2.0),
                (cases.bulk("tcp", 1 << 20, offload=True), 1.0))]
    values, refused = bench_guest.ratios(rows, 800)
    same(values, {"rr_100_uet_over_tcp": 0.9,
                  "bulk_1m_uet_over_tcp_noseg": 1.25,
                  "bulk_64k_uet_over_tcp_offload": None,
                  "bulk_1m_uet_over_tcp_offload": None,
                  "idle_pdc_bytes": 800}, "ratios")
    same(list(refused), ["bulk_64k_uet_over_tcp_offload",
                         "bulk_1m_uet_over_tcp_offload"],
         "without its like a row is not compared")


def test_tables():
    uet, tcp = cases.bulk("uet", 65536), cases.bulk("tcp", 65536)
    rows = [(uet, row(uet, 2.5)), (tcp, None)]
    text = "\n".join(tables.side_by_side("head", rows, ".2f"))
    same(text.split(), ["head", "MTU", "bytes", "uet", "tcp", "4224", "65536",
                        "2.50", "-"], "a table")
    rows[1] = tcp, row(tcp, 2.0)
    same(list(tables.further(rows))[-1].split()[-3:], ["2.50", "2.00", "1.250"],
         "a line with a ratio")
    rows[1] = tcp, row(tcp, 2.0, offloads=[])
    same("refused: offloads: tso+gso, none" in list(tables.further(rows))[-1],
         True, "a line that refuses one")
    same(list(tables.how_they_ran(rows))[-2].split()[-6:],
         ["1.72", "2.50", "4.0", "-", "0/0", "tso+gso"], "how it ran")


def test_profile():
    case = cases.shortened(cases.bulk("tcp", 1 << 20))
    same(profile_guest.operations(case, 4096),
         (4096, "packet of 4096 bytes"), "bulk by packets")
    profile_guest.os.cpu_count = lambda: 1
    what = profile_guest.phase(case, {"clock_ns": 8192})
    same((what["clock"], what["column"]), (2, "tcp"), "a phase")
    same(profile_guest.phase(case, None)["operations"], 0,
         "a phase that failed")


def main():
    for test in (test_cases, test_command, test_cpus, test_cost, test_compare,
                 test_ratios, test_tables, test_profile):
        test()
    test_rounds(sys.argv[1])
    return end()


if __name__ == "__main__":
    sys.exit(main())
