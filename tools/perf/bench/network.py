# SPDX-License-Identifier: GPL-2.0
"""Two network namespaces and the link between them, in the guest.

Programs are started only where something changes: under emulation one costs
millions of instructions.
"""
import glob
import os
import re
import subprocess
import time

CLIENT, SERVER = "uet-perf-a", "uet-perf-b"
ADDRS = {4: ("10.0.0.1", "10.0.0.2"), 6: ("fd00::1", "fd00::2")}
PREFIX = {4: 24, 6: 64}
PEERS_NET = "10.0.1"
# Of the hosts outside of a tunnel, and what it adds to packets, generously
OUTER = "192.0.2.1", "192.0.2.2"
TUNNEL_MTU = 100
# Runs are for fast links, and nothing says how fast this one is. TCP does not ask.
RUN_MBPS = 400000
# What a veth device says of itself, and hardware here does not
VETH_MBPS = 10000
OFFLOADS = {"tso": "tcp-segmentation-offload",
            "gso": "generic-segmentation-offload",
            "gro": "generic-receive-offload"}


def sh(*args, check=True, **more):
    return subprocess.run(args, check=check, text=True,
                          stdout=subprocess.PIPE, **more).stdout


def inside(netns, *args, **more):
    return sh("ip", "netns", "exec", netns, *args, **more)


def hardware():
    """Network devices that the guest was started with"""
    return sorted(os.path.basename(os.path.dirname(d))
                  for d in glob.glob("/sys/class/net/*/device"))


def peers(n):
    return [f"{PEERS_NET}.{i}" for i in range(1, n + 1)]


class Network:
    """Loopback is that of the client's namespace, which then has both ends.

    A tunnel (gretap) delivers packets without the flow hash that their sender gave them,
    as a wire does; set_spread() needs that.

    A wire joins two network devices of the guest outside of it (run --netdev pair).

    run: AF_UET may send runs, of so many packets; 0: as the window says; None: no
    """

    def __init__(self, link="veth", mtu=4224, ip=4, many=False, run=None):
        self.link, self.mtu, self.ip = link, mtu, ip
        self.namespaces = [CLIENT] if link == "lo" else [CLIENT, SERVER]
        self.client, self.server = CLIENT, self.namespaces[-1]
        self.device = {"lo": "lo", "gretap": "tap0"}.get(link, "veth0")
        self.many, self.run = many, run
        self.keepers = []       # processes by which /proc shows the namespaces
        self.default = {}       # offloads of the link as it came,
        self.now = {}           # and as they are
        self.protect = self.spread = False
        self.steer = True

    def __enter__(self):
        for netns in self.namespaces:
            sh("ip", "netns", "add", netns)
            sh("ip", "-n", netns, "link", "set", "lo", "up")
        if self.link == "lo":
            sh("ip", "-n", CLIENT, "link", "set", "lo", "mtu", str(self.mtu))
        elif self.link == "wire":
            for netns, dev in zip(self.namespaces, hardware()):
                sh("ip", "link", "set", dev, "netns", netns, "name", self.device)
                sh("ip", "-n", netns, "link", "set", self.device, "mtu", str(self.mtu))
        else:
            more = TUNNEL_MTU if self.link == "gretap" else 0
            mtu = "mtu", str(self.mtu + more), "netns"
            sh("ip", "link", "add", "veth0", *mtu, CLIENT, "type", "veth",
               "peer", "name", "veth0", *mtu, SERVER)
        if self.link == "gretap":
            self._add_tunnel()
        for netns, addr in zip(self.namespaces, ADDRS[self.ip]):
            self._add_addr(netns, addr)
            sh("ip", "-n", netns, "link", "set", self.device, "up")
        if self.many:
            sh("ip", "-n", SERVER, "-batch", "-", input="".join(
                f"addr add {addr}/32 dev lo\n" for addr in peers(200)))
            # A resolved neighbour of each would be counted as ours
            sh("ip", "-n", CLIENT, "route", "add", f"{PEERS_NET}.0/24", "via",
               ADDRS[4][1])
        self.keepers = [subprocess.Popen(["ip", "netns", "exec", netns,
                                          "sleep", "infinity"])
                        for netns in self.namespaces]
        self.default = self.now = self._offloads()
        for netns in self.namespaces:
            inside(netns, "sysctl", "-qw", *self._settings())
        return self

    def _add_tunnel(self):
        for netns, ours, theirs in ((CLIENT, *OUTER), (SERVER, *OUTER[::-1])):
            sh("ip", "-n", netns, "addr", "add", f"{ours}/30", "dev", "veth0")
            sh("ip", "-n", netns, "link", "set", "veth0", "up")
            sh("ip", "-n", netns, "link", "add", self.device, "mtu",
               str(self.mtu), "type", "gretap", "local", ours, "remote", theirs)

    def _settings(self):
        if self.link == "wire":
            return ["net.uet.udp_csum=0", f"net.uet.link_mbps={VETH_MBPS}"]
        if self.run is None:
            return ["net.uet.udp_csum=0"]
        return ["net.uet.udp_csum=1", f"net.uet.spray_run={self.run}",
                f"net.uet.link_mbps={RUN_MBPS}"]

    def _add_addr(self, netns, addr):
        # At once, and not when nobody turned out to have it too
        early = ["nodad"] if self.ip == 6 else []
        sh("ip", "-n", netns, "addr", "add", f"{addr}/{PREFIX[self.ip]}",
           "dev", self.device, *early)

    def __exit__(self, *_):
        for keeper in self.keepers:
            keeper.kill()
            keeper.wait()
        for netns in self.namespaces:
            sh("ip", "netns", "del", netns, check=False)
        time.sleep(1)

    def addresses(self, n_peers):
        """Of the client, and of the server's peers"""
        ours = ADDRS[self.ip]
        if n_peers > 1:
            return ours[0], peers(n_peers)
        return ours[0], [ours[0 if self.link == "lo" else 1]]

    def set_offload(self, on):
        """On, off, or None: as the link comes"""
        want = self.default if on is None else dict.fromkeys(OFFLOADS, on)
        if want == self.now:
            return
        for netns in self.namespaces:
            inside(netns, "ethtool", "-K", self.device,
                   *(w for name in want
                     for w in (name, "on" if want[name] else "off")))
        self.now = self._offloads()

    def _offloads(self):
        """Which are on at any end, as ethtool says"""
        text = "".join(inside(n, "ethtool", "-k", self.device)
                       for n in self.namespaces)
        return {name: bool(re.search(rf"^{long}: on", text, re.M))
                for name, long in OFFLOADS.items()}

    def offloads(self):
        return [name for name, on in self.now.items() if on]

    def set_protect(self, on):
        if on == self.protect:
            return
        self.protect = on
        for netns in self.namespaces:
            inside(netns, "sysctl", "-qw", f"net.uet.data_protect={int(on)}")

    def set_spread(self, on):
        """RPS, by addresses and ports, over two CPUs or none

        Packets that still have the hash of their sender go by that, see above.
        """
        if on == self.spread:
            return
        self.spread = on
        for netns in self.namespaces:
            inside(netns, "sh", "-c", f"echo {3 if on else 0} > /sys/class/net/"
                   f"{self.device}/queues/rx-0/rps_cpus")

    def set_steer(self, on):
        if on == self.steer:
            return
        self.steer = on
        for netns in self.namespaces:
            inside(netns, "sysctl", "-qw", f"net.uet.steer={int(on)}")

    def _proc(self, name):
        """A file of /proc/net, of all ends"""
        texts = []
        for keeper in self.keepers:
            try:
                with open(f"/proc/{keeper.pid}/net/{name}",
                          encoding="ascii") as f:
                    texts.append(f.read())
            except FileNotFoundError:
                pass
        return "\n".join(texts)

    def counters(self):
        """The module's, of both ends; those that it does not have are 0."""
        sums = {}
        for name, n in re.findall(r"^(\w+)\s+(\d+)$", self._proc("uet_stat"),
                                  re.M):
            sums[name] = sums.get(name, 0) + int(n)
        return sums

    def packets(self):
        """Sent by both ends, those of a run or of a segment train as one"""
        lines = re.findall(rf"^\s*{self.device}:(.*)$", self._proc("dev"), re.M)
        return sum(int(line.split()[9]) for line in lines)
