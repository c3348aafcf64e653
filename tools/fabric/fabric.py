#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A leaf-spine fabric of network namespaces on one machine, in real time.

For demonstrations and for trying things out by hand; what is measured in virtual
time, on ports that trim, is the laboratory, tools/lab.

Hosts hang on leaves, every leaf on every spine; leaves spread by ECMP over
the UDP source port. Each port that feeds a link has a rate (tbf), a byte
limit and step marking (red, ecn nodrop); a spine can lose packets at random.
Used as a module by the demo, and from the shell:

    fabric.py up [--spines 4 --rate 10gbit --loss 2:0.01 ...]
    fabric.py stat        per spine and per port, as JSON
    fabric.py down

Host h of leaf l is namespace <prefix>h<l>-<h>, 10.<l>.<h>.2 and fd00:<l>:<h>::2.
"""
import argparse
import ctypes
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field

CLONE_NEWNET = 0x40000000
RED_AVPKT = 1000
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass
class Config:
    """What a fabric looks like; rates and times in the words of tc."""
    leaves: int = 2
    spines: int = 4
    hosts: int = 1              # on each leaf
    mtu: int = 4224
    rate: str = "1gbit"         # of every link; "" = no limit and no queue
    spine_rate: str = ""        # of the links to spines, else rate
    limit: int = 1_000_000      # bytes in a port
    mark: int = 100_000         # marks above this many bytes, 0 = never
    delay: str = ""             # each host's own, on its way out
    loss: dict = field(default_factory=dict)    # spine -> probability
    prefix: str = ""


def run(*args, stdin=None, check=True):
    done = subprocess.run(args, input=stdin, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(args)}: {done.stderr.strip()}")
    return done.stdout


class InNetns:
    """With-block whose system calls happen in a namespace."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.old = os.open("/proc/self/ns/net", os.O_RDONLY)
        new = os.open(f"/run/netns/{self.name}", os.O_RDONLY)
        self._set(new)
        os.close(new)

    def __exit__(self, *_):
        self._set(self.old)
        os.close(self.old)

    @staticmethod
    def _set(fd):
        if _libc.setns(fd, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")


def write_sysctl(netns, name, value):
    """Sets a sysctl under net. in a namespace, without starting a program."""
    with InNetns(netns):
        path = "/proc/sys/" + name.replace(".", "/")
        with open(path, "w", encoding="ascii") as f:
            f.write(str(value))


class Fabric:
    def __init__(self, config=None):
        self.cfg = config or Config()
        p = self.cfg.prefix
        self.leaf_names = [f"{p}leaf{l}" for l in range(1, self.cfg.leaves + 1)]
        self.spine_names = [f"{p}spine{s}" for s in range(1, self.cfg.spines + 1)]
        self.host_names = [self.host(l, h)
                           for l in range(1, self.cfg.leaves + 1)
                           for h in range(1, self.cfg.hosts + 1)]

    # --- names and addresses ------------------------------------------

    def host(self, leaf, index):
        return f"{self.cfg.prefix}h{leaf}-{index}"

    @staticmethod
    def addr(leaf, index, version=4):
        if version == 6:
            return f"fd00:{leaf}:{index}::2"
        return f"10.{leaf}.{index}.2"

    @property
    def netns(self):
        return self.host_names + self.leaf_names + self.spine_names

    # --- building -----------------------------------------------------

    def up(self):
        names = self.netns
        run("ip", "-batch", "-", stdin="".join(f"netns add {n}\n" for n in names))
        links, addrs = self._links(), self._addresses()
        run("ip", "-batch", "-", stdin=links)
        for name in names:
            self._sysctls(name)
            run("ip", "-n", name, "-batch", "-", stdin=addrs[name])
        for name in names:
            self._offloads(name)
            ports = self._ports(name)
            if ports:
                run("tc", "-n", name, "-batch", "-", stdin=ports)
        return self

    def down(self):
        run("ip", "-batch", "-", check=False,
            stdin="".join(f"netns del {n}\n" for n in self.netns))

    def _each_link(self):
        """(namespace, device, namespace, device) of every link"""
        for l in range(1, self.cfg.leaves + 1):
            leaf = self.leaf_names[l - 1]
            for h in range(1, self.cfg.hosts + 1):
                yield self.host(l, h), "eth0", leaf, f"host{h}"
            for s in range(1, self.cfg.spines + 1):
                yield leaf, f"spine{s}", self.spine_names[s - 1], f"leaf{l}"

    def _links(self):
        return "".join(
            f"link add {d1} mtu {self.cfg.mtu} netns {n1} type veth "
            f"peer name {d2} mtu {self.cfg.mtu} netns {n2}\n"
            for n1, d1, n2, d2 in self._each_link())

    def _addresses(self):
        """ip commands of every namespace: links up, addresses, routes"""
        cmds = {n: ["link set lo up"] for n in self.netns}
        for n1, d1, n2, d2 in self._each_link():
            cmds[n1].append(f"link set {d1} up")
            cmds[n2].append(f"link set {d2} up")
        for l in range(1, self.cfg.leaves + 1):
            leaf = cmds[self.leaf_names[l - 1]]
            for h in range(1, self.cfg.hosts + 1):
                host = cmds[self.host(l, h)]
                host += [f"addr add 10.{l}.{h}.2/24 dev eth0",
                         f"addr add fd00:{l}:{h}::2/64 dev eth0 nodad",
                         f"route add default via 10.{l}.{h}.1",
                         f"route add ::/0 via fd00:{l}:{h}::1"]
                leaf += [f"addr add 10.{l}.{h}.1/24 dev host{h}",
                         f"addr add fd00:{l}:{h}::1/64 dev host{h} nodad"]
            for s in range(1, self.cfg.spines + 1):
                spine = cmds[self.spine_names[s - 1]]
                leaf += [f"addr add 172.{16 + s}.{l}.1/24 dev spine{s}",
                         f"addr add fd01:{s}:{l}::1/64 dev spine{s} nodad"]
                spine += [f"addr add 172.{16 + s}.{l}.2/24 dev leaf{l}",
                          f"addr add fd01:{s}:{l}::2/64 dev leaf{l} nodad",
                          f"route add 10.{l}.0.0/16 via 172.{16 + s}.{l}.1",
                          f"route add fd00:{l}::/32 via fd01:{s}:{l}::1"]
            leaf += self._uplinks(l)
        return {n: "\n".join(c) + "\n" for n, c in cmds.items()}

    def _uplinks(self, leaf):
        cmds = []
        spines = range(1, self.cfg.spines + 1)
        for other in range(1, self.cfg.leaves + 1):
            if other == leaf:
                continue
            v4 = " ".join(f"nexthop via 172.{16 + s}.{leaf}.2" for s in spines)
            v6 = " ".join(f"nexthop via fd01:{s}:{leaf}::2" for s in spines)
            cmds += [f"route add 10.{other}.0.0/16 {v4}",
                     f"route add fd00:{other}::/32 {v6}"]
        return cmds

    def _sysctls(self, name):
        if name in self.host_names:
            return
        for key, value in (("net.ipv4.ip_forward", 1),
                           ("net.ipv6.conf.all.forwarding", 1),
                           ("net.ipv4.fib_multipath_hash_policy", 1),
                           ("net.ipv6.fib_multipath_hash_policy", 1)):
            write_sysctl(name, key, value)

    def _devices(self, name):
        return [d for n1, d1, n2, d2 in self._each_link()
                for n, d in ((n1, d1), (n2, d2)) if n == name]

    def _offloads(self, name):
        """Queues count packets of the link, not 64 KiB ones"""
        for dev in self._devices(name):
            run("ip", "netns", "exec", name, "ethtool", "-K", dev,
                "tso", "off", "gso", "off", "gro", "off")

    def _ports(self, name):
        cmds = []
        for dev in self._devices(name):
            if self.cfg.rate:
                cmds += self._queue(name, dev)
            if name in self.spine_names:
                cmds += self._losses(name, dev)
        return "\n".join(cmds) + "\n" if cmds else ""

    def _queue(self, name, dev):
        c = self.cfg
        rate = c.rate
        if c.spine_rate and (name in self.spine_names or dev.startswith("spine")):
            rate = c.spine_rate
        root = (f"qdisc add dev {dev} root handle 1: tbf rate {rate} "
                f"burst {2 * c.mtu + 1000} limit {c.limit}")
        if name in self.host_names:
            if not c.delay:
                return [root]
            return [root, f"qdisc add dev {dev} parent 1:1 handle 2: netem "
                          f"delay {c.delay} limit 100000"]
        if not c.mark:
            return [root]
        return [root,
                f"qdisc add dev {dev} parent 1:1 handle 2: red "
                f"limit {c.limit} min {c.mark} max {c.mark + RED_AVPKT} "
                f"avpkt {RED_AVPKT} burst {c.mark // RED_AVPKT + 1} "
                f"probability 1 bandwidth {rate} ecn nodrop"]

    def _losses(self, name, dev):
        loss = self.cfg.loss.get(self.spine_names.index(name) + 1)
        if not loss:
            return []
        return [f"qdisc add dev {dev} clsact",
                f"filter add dev {dev} ingress matchall "
                f"action pass random netrand drop {round(1 / loss)}"]

    # --- looking ------------------------------------------------------

    def stat(self):
        """Packets, bytes, drops, marks, losses of each spine"""
        return [self._spine_stat(n) for n in self.spine_names]

    def _spine_stat(self, name):
        out = {"name": name, "packets": 0, "bytes": 0, "drops": 0,
               "marked": 0, "lost": 0}
        for link in json.loads(run("ip", "-n", name, "-s", "-j", "link")):
            if link["ifname"] == "lo":
                continue
            out["packets"] += link["stats64"]["rx"]["packets"]
            out["bytes"] += link["stats64"]["rx"]["bytes"]
        self._queue_stat(name, out)
        return out

    def _queue_stat(self, name, out):
        for q in json.loads(run("tc", "-n", name, "-s", "-j", "qdisc") or "[]"):
            if q["kind"] == "red":
                out["marked"] += q.get("marked", 0)
            elif q["kind"] == "clsact":
                out["lost"] += q.get("drops", 0)
            elif q.get("root"):
                out["drops"] += q.get("drops", 0)

    def leaf_stat(self):
        """Drops and marks in the ports of the leaves"""
        out = {"drops": 0, "marked": 0, "lost": 0}
        for name in self.leaf_names:
            self._queue_stat(name, out)
        return out


def parse_loss(text):
    spine, loss = text.split(":")
    return int(spine), float(loss)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("verb", choices=["up", "down", "stat"])
    for name, value in vars(Config()).items():
        if name == "loss":
            ap.add_argument("--loss", type=parse_loss, action="append",
                            default=[], metavar="SPINE:PROBABILITY")
        else:
            ap.add_argument("--" + name.replace("_", "-"), type=type(value),
                            default=value)
    args = vars(ap.parse_args())
    verb = args.pop("verb")
    args["loss"] = dict(args["loss"])
    fabric = Fabric(Config(**args))
    if verb == "up":
        fabric.up()
        print(" ".join(fabric.host_names))
    elif verb == "down":
        fabric.down()
    else:
        json.dump({"spines": fabric.stat(), "leaves": fabric.leaf_stat()},
                  sys.stdout, indent=1)
        print()


if __name__ == "__main__":
    main()
