#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Runs the scripts of packets against a host.

    run.py [--wrong] ADDR NET NETNS SLOW OUT NAME [SCRIPT...]

ADDR is the host, whose namespace is NETNS; addresses that begin with NET lead here.
UET_FORM is the form of packets, NAME what this form and ADDR's version of IP are called.
OUT gets pcap/NAME/SCRIPT.pcap and, if all scripts were run, drill/NAME.json. SCRIPT is a
name, or that of a file.
--wrong: scripts that expect what is wrong, each of which has to fail.

Prints a line per script: name, tab, what went wrong or nothing.
"""
import importlib
import json
import os
import sys
import time

import drill

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.append(os.path.join(HERE, "../../tools/wireshark"))
from packets import write_pcap  # noqa: E402

FILES = ("identity", "sequence", "congestion", "nacks", "life", "delivery", "headers",
         "messages", "addresses")
OTHERS = 1000


def load(files=FILES):
    """All scripts, in order; each once"""
    for name in files:
        importlib.import_module(f"scripts.{name}")
    scripts = {}
    for r in drill.RULES:
        module, _, function = r.script.partition(".")
        scripts[r.script] = getattr(sys.modules[f"scripts.{module}"], function)
    return scripts


def save(path, what, write):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write(path, what)


def write_json(path, what):
    with open(path, "w", encoding="ascii") as f:
        json.dump(what, f, indent=1)
        f.write("\n")


def chosen(scripts, names):
    return {name: script for name, script in scripts.items()
            if not names or name in names or name.partition(".")[0] in names}


def main():
    args = sys.argv[1:]
    wrong_ones = args[:1] == ["--wrong"]
    addr, net, netns, slow, out, name, *names = args[wrong_ones:]
    scripts = chosen(load(("wrong",) if wrong_ones else FILES), names)
    host, results = drill.Network(addr, net, netns, int(slow)), {}
    for n, (which, script) in enumerate(scripts.items()):
        # Addresses that nothing else has had
        began = time.monotonic()
        wrong, frames = drill.run(host, n + OTHERS * wrong_ones, script)
        if wrong_ones:
            wrong = "what is wrong was taken for right" if not wrong else \
                wrong if wrong.startswith(drill.ERROR) else None
        results[which] = {"wrong": wrong, "malformed": script.malformed,
                          "packets": len(frames),
                          "seconds": round(time.monotonic() - began, 2)}
        if not wrong_ones:
            start = frames[0][0] if frames else 0
            save(f"{out}/pcap/{name}/{which}.pcap",
                 [(when - start, packet) for when, packet in frames], write_pcap)
        print(which, (wrong or "").replace("\n", " "), sep="\t", flush=True)
    if not names and not wrong_ones:
        save(f"{out}/drill/{name}.json", results, write_json)


if __name__ == "__main__":
    main()
