# SPDX-License-Identifier: GPL-2.0
"""
Topologies of the laboratory: nodes, links with one port at each end, routes,
addresses. They are worked out here and set up by plan.py in a guest in virtual
time; tools/fabric is a network of namespaces in real time, for demonstrations.
"""

from dataclasses import dataclass, field

GATEWAY = "169.254.0.1"     # the peer at the far end of every link
HOST_ADDRS = 4              # addresses a host may have (MPTCP subflows)


@dataclass(eq=False)
class Port:
    """The sending side of one direction of a link."""
    node: "Node"
    dev: str
    rate: int               # bit/s
    delay: int              # ns
    mac: str
    peer: "Port" = None
    kind: str = "fabric"    # "host": NIC, "last": switch to host, "fabric"

    @property
    def name(self):
        return f"{self.node.name}>{self.peer.node.name}"


@dataclass(eq=False)
class Node:
    name: str
    role: str               # host, leaf, spine, core
    leaf: int = -1
    index: int = -1         # of a host in its leaf
    ports: list = field(default_factory=list)

    def towards(self, other):
        return [p for p in self.ports if p.peer.node is other]

    def addr(self, k=1):
        return f"10.{self.leaf}.{self.index}.{k}"


class Fabric:
    """Built from the fabric and host tables of a description."""

    def __init__(self, case):
        f = case["fabric"]
        self.case = case
        self.mtu = f["mtu"]
        self.nodes = []
        self.hosts, self.leaves, self.spines, self.cores = [], [], [], []
        self._macs = 0
        self.rate = f["rate"]
        self.spine_rate = f["spine_rate"] or f["rate"]
        self.core_rate = f["core_rate"] or self.spine_rate
        self.delay = f["delay"]
        pods = f["pods"] if f["kind"] == "three-tier" else 1
        for p in range(pods):
            self._pod(p, f)
        if f["kind"] == "three-tier":
            self._core(f, pods)
        self.by_name = {n.name: n for n in self.nodes}

    def _node(self, group, name, role, **kw):
        n = Node(name, role, **kw)
        self.nodes.append(n)
        group.append(n)
        return n

    def _port(self, node, dev, rate, kind):
        self._macs += 1
        mac = "02:00:00:00:%02x:%02x" % divmod(self._macs, 256)
        host = self.case["host"]
        extra = {"host": host["tx_delay"], "last": host["rx_delay"]}
        p = Port(node, dev, rate, self.delay + extra.get(kind, 0), mac,
                 kind=kind)
        node.ports.append(p)
        return p

    def _link(self, a, b, rate, adev=None, bdev=None, host=False):
        pa = self._port(a, adev or b.name, rate, "host" if host else "fabric")
        pb = self._port(b, bdev or a.name, rate, "last" if host else "fabric")
        pa.peer, pb.peer = pb, pa

    def _pod(self, pod, f):
        leaves = [self._node(self.leaves, f"leaf{len(self.leaves)}", "leaf",
                             leaf=len(self.leaves))
                  for _ in range(f["leaves"])]
        for leaf in leaves:
            for i in range(f["hosts_per_leaf"]):
                h = self._node(self.hosts, f"h{len(self.hosts)}", "host",
                               leaf=leaf.leaf, index=i)
                for k in range(f["ports_per_host"]):
                    self._link(h, leaf, self.rate, adev=f"eth{k}", host=True,
                               bdev=h.name + (f".{k}" if k else ""))
        for i in range(f["spines"]):
            s = self._node(self.spines, f"spine{len(self.spines)}", "spine",
                           leaf=pod, index=i)
            for leaf in leaves:
                self._link(leaf, s, self.spine_rate)

    def _core(self, f, pods):
        """Spine i of every pod reaches its own group of cores."""
        group = max(1, f["cores"] // f["spines"])
        for i in range(f["cores"]):
            c = self._node(self.cores, f"core{i}", "core", index=i)
            for s in self.spines:
                if i // group == s.index:
                    self._link(s, c, self.core_rate)

    # --- paths ------------------------------------------------------------

    def next_ports(self, node, dst):
        """Equal-cost ports of a node towards a host."""
        leaf = self.leaves[dst.leaf]
        if node is leaf:
            return node.towards(dst)
        if node.role in ("host", "leaf"):
            return [p for p in node.ports
                    if p.peer.node.role != "host" and p.kind != "last"]
        down = node.towards(leaf)
        if down or node.role == "spine":
            return down or [p for p in node.ports
                            if p.peer.node.role == "core"]
        return [p for p in node.ports if p.peer.node.towards(leaf)]

    def stages(self, src, dst):
        """Sets of parallel ports that traffic between two hosts crosses."""
        out, here = [], [src]
        while dst not in here:
            ports = [p for n in here for p in self.next_ports(n, dst)]
            out.append(ports)
            here = list(dict.fromkeys(p.peer.node for p in ports))
        return out

    def one_way(self, src, dst, size, slots=1.0):
        """Time of one packet of size bytes on the wire, in ns, unloaded."""
        t = slots * self.case["host"]["moderation"]
        t += self.case["host"]["rx_cost"]
        for ports in self.stages(src, dst):
            p = ports[0]
            t += size * 8e9 / p.rate + p.delay
        return t

    def base_rtt(self):
        """
        What an operator would configure: the longest unloaded round trip of a
        full packet, as UE 1.0 has it. An ACK may wait for others, but it speaks of
        the packet that made it leave, so that wait is in no sample.
        """
        return self.round_trip(self.mtu + 14)

    def bdp(self, rate):
        """Bytes on the way at a rate, over that time."""
        return rate * self.base_rtt() / 8e9

    def marking(self, port):
        """Thresholds of a port in bytes, or None (UE 1.0 3.6.17)."""
        mark = self.case["port"]["mark"]
        if mark != "auto":
            return mark
        bdp = self.bdp(port.rate)
        return [round(0.2 * bdp), round(0.8 * bdp)]

    def trimming(self, port):
        """Length at which a port begins to trim, or None."""
        trim = self.case["port"]["trim"]
        if trim != "auto":
            return trim
        return round(self.bdp(port.rate) * (1.5 if port.kind == "last" else 1))

    def round_trip(self, size, ack=100):
        """Unloaded, between the two hosts farthest apart."""
        a, b = self.hosts[0], self.hosts[-1]
        return self.one_way(a, b, size) + self.one_way(b, a, ack)
