#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Does a profile tell what happened? profile_test.py PLAY-INSNS PLAY-LINES

These are the programs of play.c, which have a plug-in count a known course of
things. Symbols, groups and tables are tried on texts.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = os.path.dirname(HERE), os.path.join(HERE, "../../tests")

import groups  # noqa: E402
import read  # noqa: E402
import report  # noqa: E402
import summary  # noqa: E402
import symbols  # noqa: E402
from tap import end, ok, same  # noqa: E402

KALLSYMS = """\
0000000000000000 D per_cpu_thing
ffffffff81000000 T entry
ffffffff810000f0 t __pfx_send
ffffffff81000100 t send.constprop.0\t[uet]
ffffffff81000200 T __lock
ffffffff81000200 T lock
ffffffff81000300 T irq
ffffffff81000400 t tick
ffffffff81000500 T __switch_to_asm
ffffffff81000600 t wait\t[uet]
ffffffff81000700 t next\t[uet]
ffffffff81000800 t far\t[uet]
ffffffff81000900 t next\t[uet]
ffffffff82000000 D data
"""
PATHS = {"uet": {"send.constprop.0": ["net/uet/tx/pds/send.c"],
                 "wait": ["net/uet/rx/wait.c"], "far": ["net/uet/core/cc/far.c"],
                 "next": ["net/uet/core/cc/far.c", "net/uet/rx/wait.c"]}}
GROUPS = """\
# who is first has it
[timers]
tick*       # a remark
[sending]
net/uet/tx/*
[receiving]
net/uet/* wait
[syscall]
entry
"""

def refused(call, name):
    try:
        call()
    except (ValueError, read.Damaged) as e:
        ok(True, f"{name}: {e}")
    else:
        ok(False, name, "it was taken")


def played(program):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "counts")
        subprocess.run([program, out], check=True)
        return read.load(out)


def test_symbols(syms):
    def name(addr):
        return syms.at(addr)[0].name

    same(name(0xffffffff81000210), "lock", "the name without underscores")
    same(name(0xffffffff810000f8), "entry", "padding is no function")
    same(syms.at(0xffffffff81000123)[1], 0xffffffff81000100,
         "where a function begins")
    same(syms.at(0xffffffff81000100)[0].path, "net/uet/tx/pds/send.c",
         "the file of a function of the module")
    same([syms.at(0xffffffff81000000 + n)[0].path for n in (0x700, 0x900)],
         ["net/uet/rx/wait.c", "net/uet/core/cc/far.c"],
         "a name that two files have is from that of its neighbour")
    same(syms.at(0x10)[0].name, "0x10", "an address before all")
    refused(lambda: symbols.Symbols(["0000000000000000 T entry"]),
            "kallsyms without addresses")


def test_groups(rules, syms):
    def of(addr):
        return rules.of(syms.at(addr)[0])

    same(of(0xffffffff81000100), "sending", "a file has a group")
    same(of(0xffffffff81000600), "receiving", "the first that fits")
    same(of(0xffffffff81000400), "timers", "a name has a group")
    same(of(0xffffffff81000200), None, "a helper has none")
    refused(lambda: groups.Groups("name\n[late]"), "a name before all groups")


def by_context(counts, syms):
    """{(phase, function, its callers...): instructions}"""
    found = {}
    for context, phase, addr, (insns, _, *_) in counts.blocks:
        name = syms.at(addr)[0].name if addr & read.KERNEL_SPACE else "user"
        way = [syms.at(a)[0].name for a in counts.callers(context)]
        key = (phase, name, *way)
        found[key] = found.get(key, 0) + insns
    return found


def test_plugin(counts, syms):
    send = "send.constprop.0"
    same(by_context(counts, syms), {
        # Of the user's blocks only what lies between the marks, and the end's
        (1, "user"): 5 + 1, (2, "user"): 5 + 1 + 1 + 1,
        (1, "entry"): 3 + 1,
        (1, send, send): 4 + 4,
        # What returns right behind a switch is known again with the return
        (1, send): 2,
        (1, "lock", "lock", send): 7 + 7,
        (1, "irq", send): 1,
        (1, "tick", "tick", send): 2 + 1,
        (1, "lock", "lock", "tick", send): 7,
        (1, "__switch_to_asm"): 6 + 1 + 6,
        (1, "wait"): 1,
        (1, "lock", "lock"): 7,
    }, "contexts of calls, of an interrupt and behind a switch of tasks")
    refused(lambda: read.Counts(["profile insns", "block 0 1"]), "half a line")
    refused(lambda: read.Counts([]), "an empty file")


def test_lines(counts, syms):
    same(counts.names, ["locked", "fetched", "taken", "runs"], "what is counted")
    found = {}
    for _, _, addr, values in counts.blocks:
        if addr & read.KERNEL_SPACE:
            found[syms.at(addr)[0].name] = values
    same(found, {"entry": [0, 2, 0, 6], "send.constprop.0": [0, 0, 1, 5],
                 "lock": [1, 0, 1, 1], "irq": [1, 0, 0, 1],
                 "tick": [0, 0, 0, 2]}, "lines that CPUs take from each other")


def test_tables(counts, syms, rules):
    total = summary.Summary(counts, syms, rules)
    phases = [{"table": "t", "per": "packet", "column": "uet",
               "operations": 2, "clock": 26.5},
              {"table": "t", "per": "packet", "column": "tcp",
               "operations": 1, "clock": 100}]
    done = report.tables(total, phases, "insns")
    uet, tcp = (done[0]["columns"][c] for c in ("uet", "tcp"))
    same(uet["groups"], {
        "user space": 3, "syscall": 2, "sending": 12.5, "timers": 5,
        "receiving": .5, "other": 10}, "helpers are in the group of callers")
    same(uet["insns"], sum(uet["groups"].values()), "groups are all there is")
    same(uet["insns"], sum(f["insns"] for f in uet["functions"].values()),
         "functions are all there is")
    same(uet["functions"]["lock"], {"insns": 14, "calls": 2},
         "instructions and calls of a function")
    same(tcp["groups"], {"user space": 8}, "the other phase")
    earlier = report.with_before(done[0], done)
    same(list(earlier["columns"]), ["uet before", "uet", "tcp"],
         "an earlier run beside this one")
    same(report.with_before(done[0], [{**done[0], "per": "trip"}]), done[0],
         "but not one of something else")
    text = "\n".join(report.lines(done[0], rules.names, 3))
    ok("sending" in text and "lock" in text and "uet" in text
       and "packet" in text, "the table", text)
    same(len(list(report.doubts(done[0]))), 2,
         "counts that the clock denies are told")


def test_real_groups():
    """Those of the tree, on names that have been wrong"""
    rules = groups.load()

    def of(name, path=None):
        return rules.of(symbols.Function(name, "uet" if path else None, path))

    for name, want in {
            "rep_movs_alternative": "copy", "__alloc_skb": "buffers",
            "ip_output": "IP", "__dev_queue_xmit": "link",
            "nf_hook_slow": "filters", "try_to_wake_up": "wake-ups",
            "do_syscall_64": "syscall", "tcp_write_xmit": "sending",
            "tcp_ack": "feedback", "tcp_v4_rcv": "receiving",
            "udp_sendmsg": "sending", "udp_recvmsg": "receiving",
            "hrtimer_interrupt": "timers", "__rcu_read_lock": None,
            "_raw_spin_lock": None, "memset_orig": None,
            "tcp_v4_send_check": "sending", "skb_segment": "segmentation",
    }.items():
        same(of(name), want, f"{name}: {want}")
    for path, want in {
            "net/uet/tx/pds/req.c": "sending", "net/uet/rx/ses/ses.c": "receiving",
            "net/uet/tx/pds/ack.c": "feedback", "net/uet/core/cc/ccc.c": "feedback",
            "net/uet/pdc/timer.c": "timers",
            "net/uet/input/input.c": "receiving",
            "net/uet/link/output.c": "IP",
    }.items():
        same(of("any", path), want, f"{path}: {want}")


def main():
    syms = symbols.Symbols(KALLSYMS.splitlines(), PATHS)
    rules = groups.Groups(GROUPS)
    counts = played(sys.argv[1])
    test_symbols(syms)
    test_groups(rules, syms)
    test_plugin(counts, syms)
    test_tables(counts, syms, rules)
    test_lines(played(sys.argv[2]), syms)
    test_real_groups()
    return end()


if __name__ == "__main__":
    sys.exit(main())
