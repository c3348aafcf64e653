#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes trouble between two hosts of setup_links(), by chance, while a file is
there: links, addresses, routes, rules, settings, MTUs, offloads, impairments.
Nothing lasts for more than two seconds, and all is as before at the end.

    chaos.py NETNS NETNS FILE [--seed N] [--only "NAME..."] [--without "NAME..."]
                              [--corrupt]
"""
import argparse
import os
import random
import subprocess
import sys
import time

LINKS = ("p0", "p1")
ADDR4 = ("10.0.0.1", "10.0.0.2")
ADDR6 = ("fd00::1", "fd00::2")
LINK4 = ("10.1.0.", "10.1.1.")
LINK6 = ("fd01::", "fd02::")
LONGEST = 2.0

# Values that a setting may have while messages are under way; the first one is
# the default
SETTINGS = {
    "t_reroute": (4, 1, 16), "entropy_size": (4096, 1, 2, 64, 65536),
    "spray_run": (0, 1, 4, 16), "base_rtt_us": (0, 10, 1000, 50000),
    "target_qdelay_us": (0, 5, 5000), "link_mbps": (0, 10, 1000, 400000),
    "nscc_max_wnd": (0, 10000, 1000000), "nscc_qa_gate": (3, 0),
    "nscc_base_shift": (3, 0), "tfc_cell": (256, 4096), "tfc_first": (64, 0),
    "tfc_buffer": (0, 20000), "trimming": (0, 1), "dscp_data": (64, 0, 10),
    "dscp_control": (46, 0, 64), "ack_gen_trigger": (16384, 0, 32768),
    "ack_gen_min_pkt_add": (1024, 0), "ack_per_packet": (0, 1),
    "ack_coalesce": (1, 0),
    "ack_on_ecn": (1, 0), "rto_min_us": (1000, 10, 100, 100000),
    "rto_max_ms": (200, 1, 1000), "max_rto_retx": (5, 1),
    "max_nack_retx": (5, 1), "nack_retx_us": (1000, 10, 100000),
    "clear_time_us": (1000, 10, 100000), "close_req_time_ms": (5000, 1, 100),
    "mpr": (8, 1, 255), "payload_mtu": (0, 1024, 1500, 4000),
    "pdc_max": (65536, 8, 64), "pdc_max_per_peer": (4096, 2, 16),
    "pdc_idle_s": (60, 1), "path_policy": ("hybrid", "oblivious", "reps",
                                           "bitmap", "rtt", "single"),
    "congestion_control": ("nscc", "rccc", "nscc+rccc", "fixed", "tfc"),
    "path_stats": (0, 1),
}
OFFLOADS = ("tso", "gso", "gro", "sg", "tx", "rx", "rx-gro-list",
            "rx-udp-gro-forwarding", "tx-udp-segmentation", "rxvlan")
IMPAIRMENTS = (
    "loss 20%", "loss 2%", "delay 1ms", "delay 20ms 10ms", "duplicate 20%",
    "delay 2ms reorder 30%", "rate 20mbit", "delay 100ms",
    "loss 100%", "duplicate 50% delay 50ms 40ms",
)
# Only where every packet has a CRC: nothing else protects from it
CORRUPTION = ("corrupt 5%", "corrupt 1% delay 1ms")


class Trouble:
    """Two hosts, and what is to be undone when"""

    def __init__(self, args):
        self.netns = args.netns
        self.impairments = IMPAIRMENTS + (CORRUPTION if args.corrupt else ())
        self.undo = []          # (time, commands)
        self.busy = set()
        self.defaults = [self.read_settings(n) for n in self.netns]
        names = [n[3:] for n in dir(self) if n.startswith("do_")]
        self.kinds = [n for n in names
                      if (not args.only or n in args.only)
                      and n not in args.without]

    def run(self, *words):
        return subprocess.run(words, capture_output=True, text=True,
                              check=False).returncode == 0

    def ip(self, host, *words):
        return self.run("ip", "-n", self.netns[host],
                        *" ".join(words).split())

    def sysctl(self, host, name, value):
        return self.run("ip", "netns", "exec", self.netns[host], "sysctl",
                        "-qw", f"{name}={value}")

    def read_settings(self, netns):
        out = subprocess.run(["ip", "netns", "exec", netns, "sysctl",
                              "net.uet"], capture_output=True, text=True,
                             check=True).stdout
        return dict(line.split(" = ", 1) for line in out.splitlines())

    def later(self, what, *calls):
        """Undo it after a while; nothing else touches it until then"""
        self.busy.add(what)
        self.undo.append((time.monotonic() + random.random() ** 2 * LONGEST,
                          what, calls))

    def due(self, now):
        for entry in sorted(self.undo, key=lambda e: e[0]):
            if entry[0] <= now:
                self.undo.remove(entry)
                self.busy.discard(entry[1])
                for call in entry[2]:
                    call[0](*call[1:])

    # --- kinds of trouble ------------------------------------------------

    def routes(self, host):
        """As setup_links() has made them: they go with a link or an address"""
        other = 2 - host
        self.ip(host, f"route replace {ADDR4[1 - host]} src {ADDR4[host]}",
                *(f"nexthop via {n}{other} dev {d}"
                  for n, d in zip(LINK4, LINKS)))
        self.ip(host, f"-6 route replace {ADDR6[1 - host]}/128 src {ADDR6[host]}",
                *(f"nexthop via {n}{other} dev {d}"
                  for n, d in zip(LINK6, LINKS)))

    def do_link(self, host):
        link = random.choice(LINKS)
        self.ip(host, f"link set {link} down")
        self.later("link", (self.ip, host, f"link set {link} up"),
                   (self.routes, host))

    def do_links(self, host):
        for link in LINKS:
            self.ip(host, f"link set {link} down")
        self.later("link", *((self.ip, host, f"link set {link} up")
                             for link in LINKS), (self.routes, host))

    def do_address(self, host):
        addr = random.choice((ADDR4[host] + "/32", ADDR6[host] + "/128"))
        self.ip(host, f"addr del {addr} dev lo")
        self.later("address", (self.ip, host, f"addr add {addr} dev lo nodad"
                               if ":" in addr else f"addr add {addr} dev lo"),
                   (self.routes, host))

    def do_more_addresses(self, host):
        addr = random.choice((f"10.0.9.{host + 1}/24", f"fd09::{host + 1}/64"))
        dev = random.choice(LINKS + ("lo",))
        self.ip(host, f"addr add {addr} dev {dev}")
        self.later("more", (self.ip, host, f"addr del {addr} dev {dev}"))

    @staticmethod
    def hop(links, host, src):
        """Words of a route to the other host over one of two links"""
        way = random.randrange(2)
        hop = f"via {links[way]}{2 - host} dev {LINKS[way]}"
        return random.choice((f"{hop} src {src}", f"{hop} src {src} mtu 1400",
                              hop))

    def do_route(self, host):
        self.ip(host, f"route replace {ADDR4[1 - host]} "
                f"{self.hop(LINK4, host, ADDR4[host])}")
        self.later("route", (self.routes, host))

    def do_route6(self, host):
        self.ip(host, f"-6 route replace {ADDR6[1 - host]}/128 "
                f"{self.hop(LINK6, host, ADDR6[host])}")
        self.later("route", (self.routes, host))

    def do_no_route(self, host):
        kind = random.choice(("unreachable", "blackhole", "prohibit"))
        addr, six = random.choice(((ADDR4[1 - host], ""),
                                   (ADDR6[1 - host] + "/128", "-6")))
        self.ip(host, f"{six} route del {addr}")
        if random.random() < 0.6:
            self.ip(host, f"{six} route add {kind} {addr}")
        self.later("route", (self.ip, host, f"{six} route del {addr}"),
                   (self.routes, host))

    def do_rule(self, host):
        way = random.randrange(2)
        other = 2 - host
        six = random.choice(("", "-6"))
        addr = (ADDR6 if six else ADDR4)[1 - host]
        via = (LINK6 if six else LINK4)[way] + str(other)
        self.ip(host, f"{six} route replace {addr} via {via} dev {LINKS[way]} table 77")
        rule = random.choice((f"to {addr}", "ipproto udp dport 4793",
                              f"to {addr} unreachable", "fwmark 7"))
        what = "" if "unreachable" in rule else "table 77"
        self.ip(host, f"{six} rule add {rule} {what} pref 1000")
        self.later("rule", (self.ip, host, f"{six} rule del pref 1000"))

    def do_setting(self, host):
        name = random.choice(list(SETTINGS))
        full = f"net.uet.{name}"
        self.sysctl(host, full, random.choice(SETTINGS[name]))
        self.later(name, (self.sysctl, host, full, self.defaults[host][full]))

    def do_mtu(self, host):
        link = random.choice(LINKS)
        mtu = random.choice((1280, 1500, 2000, 4224, 9000))
        both = random.random() < 0.7
        for h in (0, 1) if both else (host,):
            self.ip(h, f"link set {link} mtu {mtu}")
        self.later("mtu", *((self.ip, h, f"link set {link} mtu 4224")
                            for h in (0, 1)))

    def do_offload(self, host):
        name, link = random.choice(OFFLOADS), random.choice(LINKS)
        self.run("ip", "netns", "exec", self.netns[host], "ethtool", "-K",
                 link, name, random.choice(("on", "off")))

    def do_impair(self, host):
        link = random.choice(LINKS)
        what = f"impair {host} {link}"
        if what in self.busy:
            return
        netns = self.netns[host]
        words = random.choice(self.impairments).split()
        self.run("tc", "-n", netns, "qdisc", "replace", "dev", link, "root",
                 "netem", "limit", "5000", *words)
        self.later(what, (self.run, "tc", "-n", netns, "qdisc", "del", "dev",
                          link, "root"))

    def do_neighbour(self, host):
        six = random.choice(("", "-6"))
        self.ip(host, f"{six} neigh flush all")

    def do_ipv6(self, host):
        link = random.choice(LINKS)
        name = f"net.ipv6.conf.{link}.disable_ipv6"
        way = LINKS.index(link)
        self.sysctl(host, name, 1)
        self.later("ipv6", (self.sysctl, host, name, 0),
                   (self.ip, host, f"addr add {LINK6[way]}{host + 1}/64 dev {link} nodad"),
                   (self.routes, host))

    # ----------------------------------------------------------------------

    def step(self):
        kind, host = random.choice(self.kinds), random.randrange(2)
        key = {"links": "link", "no_route": "route",
               "route6": "route", "more_addresses": "more"}.get(kind, kind)
        if key in self.busy:
            return
        print(f"{time.monotonic():.6f} {kind} {host}", flush=True)
        getattr(self, f"do_{kind}")(host)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("netns", nargs=2)
    ap.add_argument("file")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--only", type=str.split, default=[])
    ap.add_argument("--without", type=str.split, default=[])
    ap.add_argument("--corrupt", action="store_true")
    ap.add_argument("--pace", type=float, default=0.1)
    args = ap.parse_args()
    random.seed(args.seed)
    trouble = Trouble(args)
    while not os.path.exists(args.file):
        trouble.due(time.monotonic())
        if trouble.kinds:
            trouble.step()
        time.sleep(random.random() * args.pace)
    trouble.due(float("inf"))
    for host in (0, 1):
        trouble.routes(host)
    return 0


if __name__ == "__main__":
    sys.exit(main())
