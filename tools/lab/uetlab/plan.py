# SPDX-License-Identifier: GPL-2.0
"""
Writes what the guest carries out: a plan with one order per line, and batch
files for ip(8) and tc(8), one process of each per namespace.
"""

import os
import random

from . import topology

DSCP_CONTROL = 46           # what this fabric's switches and hosts agree on
DSCP_TRIMMED = 10
DSCP_TRIMMED_LASTHOP = 12
WARM_WAIT = 50_000_000      # ns from the last opening to the common start
ACK_TRIGGER = 16384         # bytes that one ACK of UET speaks for by default
STOCK_HOPS = 4              # links that the stock model puts into one delay


class BadPlan(Exception):
    """A description that asks for what the port model cannot do."""


class Plan:
    def __init__(self, experiment, case, transport, fabric, traffic, seed):
        self.x = experiment
        self.case = case
        self.t = transport
        self.fabric = fabric
        self.traffic = traffic
        self.rng = random.Random(f"fabric/{seed}")
        self.trim = case["port"]["model"] == "trim"
        self.files = {}
        self.orders = []
        protos = {c.transport["proto"] for c in traffic.conns}
        self.uet = bool(protos & {"uet", "rod"})
        self.mptcp = "mptcp" in protos
        self.libfabric = bool(traffic.ranks)
        # Trimming is a property of the fabric: on if the transport uses it.
        self.trimming = transport["trimming"] and case["port"]["trim"] is not None
        self._write()

    def order(self, *words):
        self.orders.append(" ".join(str(w) for w in words))

    def batch(self, node, tool, lines):
        name = f"{node}.{tool}"
        self.files[name] = "\n".join(lines) + "\n"
        self.order("exec", node, tool, name)

    # --- ports ------------------------------------------------------------

    def qdisc_trim(self, p):
        port, host = self.case["port"], self.case["host"]
        if p.kind == "host" and host["qdisc"]:
            return self.qdisc_host(p)
        words = [f"rate {p.rate}bit delay {p.delay}ns",
                 f"seed {self.rng.getrandbits(63) | 1}"]
        if p.kind == "host":
            words += [f"limit {host['queue']}", "noecn notrim"]
        else:
            words.append(f"limit {port['limit']}")
            mark = self.fabric.marking(p)
            words.append("ecn min {} max {}".format(*mark) if mark else "noecn")
            if self.trimming:
                words.append(f"trim {self.fabric.trimming(p)} "
                             f"size {port['trim_size']} "
                             f"trimmed {DSCP_TRIMMED} "
                             f"trimmed_lasthop {DSCP_TRIMMED_LASTHOP}")
                if p.kind == "last":
                    words.append("lasthop")
            else:
                words.append("notrim")
        return [f"qdisc add dev {p.dev} root handle 1: trim {' '.join(words)}"]

    def qdisc_host(self, p):
        """
        What a host has above its device, which a bucket paces; its delay is with
        who receives, see receive().
        """
        host = self.case["host"]
        return [f"qdisc add dev {p.dev} root handle 1: tbf rate {p.rate}bit "
                f"burst {2 * self.fabric.mtu} limit {host['queue']}",
                f"qdisc add dev {p.dev} parent 1:1 handle 2: {host['qdisc']}"]

    def qdisc_stock(self, p):
        """Disciplines of the stock kernel: no trimming, no delay of links."""
        port, host = self.case["port"], self.case["host"]
        limit = host["queue"] if p.kind == "host" else port["limit"]
        lines = [f"qdisc add dev {p.dev} root handle 1: tbf rate {p.rate}bit "
                 f"burst {2 * self.fabric.mtu} limit {limit}"]
        if p.kind != "host" and self.fabric.marking(p):
            mark = self.fabric.marking(p)[1]
            lines.append(
                f"qdisc add dev {p.dev} parent 1:1 handle 2: red limit {limit} "
                f"min {mark} max {mark + 1000} avpkt 1000 "
                f"burst {mark // 1000 + 1} probability 1 "
                f"bandwidth {p.rate}bit ecn nodrop")
        return lines

    def receive(self, node, ports):
        """
        Interrupt moderation and cost per packet at a host's receiver; at a leaf the
        delay of hosts whose port is no model.
        """
        host = self.case["host"]
        words = []
        if node.role != "host":
            words.append(f"delay {ports[0].peer.delay / 1000:g}us")
            return self.redirect(ports, words)
        if not self.trim:
            delay = (self.fabric.delay * STOCK_HOPS + host["tx_delay"]
                     + host["rx_delay"])
            words.append(f"delay {delay / 1000:g}us")
        if host["moderation"]:
            words.append(f"slot {host['moderation']}ns {host['moderation']}ns")
        if host["rx_cost"]:
            # A rate so high that only the overhead per packet counts.
            words.append(f"rate 80gbit {host['rx_cost'] * 10}")
        return self.redirect(ports, words) if words else ([], [])

    @staticmethod
    def redirect(ports, words):
        """What comes in through some ports goes through such a netem first."""
        ip, tc = [], []
        for k, p in enumerate(ports):
            ip += [f"link add ifb{k} type ifb", f"link set ifb{k} up"]
            tc += [f"qdisc add dev {p.dev} handle ffff: ingress",
                   f"filter add dev {p.dev} parent ffff: matchall action "
                   f"mirred egress redirect dev ifb{k}",
                   f"qdisc add dev ifb{k} root netem limit 1000000 "
                   + " ".join(words)]
        return ip, tc

    # --- addresses and routes ---------------------------------------------

    def ip_lines(self, node):
        lines = []
        for p in node.ports:
            lines += [f"link set {p.dev} address {p.mac} mtu {self.fabric.mtu} "
                      "txqueuelen 1000 up",
                      f"neigh add {topology.GATEWAY} lladdr {p.peer.mac} "
                      f"nud permanent dev {p.dev}"]
        lines.insert(0, "link set lo up")
        if node.role == "host":
            many = topology.HOST_ADDRS if self.mptcp else 1
            dev = node.ports[0].dev if len(node.ports) == 1 else "lo"
            lines += [f"addr add {node.addr(k + 1)}/32 dev {dev}"
                      for k in range(many)]
            window = self.t["initial_window"]
            more = f" initcwnd {window} initrwnd {window}" if window else ""
            if self.t["rto_min"]:
                more += f" rto_min {-(-self.t['rto_min'] // 10**6)}ms"
            if self.t["provider"] and self.t["cc"]:
                # Nobody asks for it at the sockets of somebody else's provider.
                more += f" congctl {self.t['cc']}"
            lines.append(f"route add default src {node.addr()}" + more
                         + self.hops(node.ports))
            if self.mptcp:
                lines.append("mptcp limits set subflow "
                             f"{many - 1} add_addr_accepted 0")
                lines += [f"mptcp endpoint add {node.addr(k + 1)} subflow"
                          for k in range(1, many)]
            return lines
        done = set()
        for h in self.fabric.hosts:
            ports = self.fabric.next_ports(node, h)
            direct = ports and ports[0].peer.node is h
            net = f"10.{h.leaf}.{h.index}.0/24" if direct else f"10.{h.leaf}.0.0/16"
            if ports and net not in done:
                done.add(net)
                lines.append(f"route add {net}" + self.hops(ports))
        return lines

    @staticmethod
    def hops(ports):
        if len(ports) == 1:
            return f" via {topology.GATEWAY} dev {ports[0].dev} onlink"
        return "".join(f" nexthop via {topology.GATEWAY} dev {p.dev} onlink"
                       for p in ports)

    # --- settings ---------------------------------------------------------

    def sysctls(self, node):
        out = {"net.ipv4.ip_forward": int(node.role != "host"),
               "net.ipv4.fib_multipath_hash_policy": 1,
               "net.ipv4.fib_multipath_hash_seed":
                   self.rng.getrandbits(32) | 1,
               "net.ipv6.conf.all.disable_ipv6": 1}
        if node.role != "host":
            return out
        out |= {"net.ipv4.tcp_ecn": 1,
                "net.ipv4.tcp_no_metrics_save": 1,
                "net.ipv4.tcp_rmem": "4096,262144,33554432",
                "net.ipv4.tcp_wmem": "4096,262144,33554432"}
        if self.uet:
            out |= self.uet_sysctls()
        transports = {c.transport["name"]: c.transport
                      for c in self.traffic.conns}
        for t in transports.values():
            out |= t["sysctl"]
        out |= {k: v for k, v in self.case.get("sysctl", {}).items()
                if self.uet or not k.startswith("net.uet.")}
        # A profile sets many of the others.
        return dict(sorted(out.items(), key=lambda kv: kv[0] != "net.uet.profile"))

    def uet_sysctls(self):
        """What an operator would set for this fabric; a device says its speed."""
        if not self.t["tuned"]:
            return {"net.uet.link_mbps": self.fabric.rate // 10**6}
        out = {"net.uet.base_rtt_us": -(-int(self.fabric.base_rtt()) // 1000),
               "net.uet.dscp_control": DSCP_CONTROL,
               # An ACK for each mark lets marks speak for packets without one.
               "net.uet.ack_on_ecn": 0,
               "net.uet.link_mbps": self.fabric.rate // 10**6}
        # The largest window, 1.5 BDP, must leave room for what waits for an ACK.
        if self.fabric.bdp(self.fabric.rate) < 3 * ACK_TRIGGER:
            out["net.uet.ack_gen_trigger"] = round(
                self.fabric.bdp(self.fabric.rate) / 3)
        if self.trimming:
            out |= {"net.uet.dscp_trimmed": DSCP_TRIMMED,
                    "net.uet.dscp_trimmed_lasthop": DSCP_TRIMMED_LASTHOP,
                    "net.uet.trimming": 1}
        return out

    # --- changes over time ------------------------------------------------

    def change_lines(self, c, link):
        """tc orders by node; "a-b" means both directions, "a>b" one."""
        sign = ">" if ">" in link else "-"
        ends = [self.fabric.by_name.get(n) for n in link.split(sign)]
        ports = []
        if len(ends) == 2 and all(ends):
            ports = ends[0].towards(ends[1])
            if sign == "-":
                ports += ends[1].towards(ends[0])
        where = (*c["where"], "link")
        if not ports:
            raise BadPlan(f"{self.x.path}:{self.x.reader.lines.line(where)}: "
                          f"no link {link!r} in this fabric")
        if not self.trim:
            raise BadPlan(f"{self.x.path}:{self.x.reader.lines.line(where)}: "
                          "the stock port model knows no changes")
        if self.case["host"]["qdisc"] and "host" in {p.kind for p in ports}:
            raise BadPlan(f"{self.x.path}:{self.x.reader.lines.line(where)}: "
                          "the port of a host with a qdisc knows no changes")
        for p in ports:
            words = []
            if c["rate"]:
                words.append(f"rate {c['rate']}bit")
            if c["delay"] is not None:
                # What a host adds to its link stays.
                more = p.delay - self.fabric.delay
                words.append(f"delay {c['delay'] + more}ns")
            if c["loss"] is not None:
                words.append(f"loss {round(c['loss'] * 1e6)}ppm")
            if c["down"]:
                words.append("blackhole all")
            if c["up"]:
                words.append(f"blackhole off loss 0 rate {p.rate}bit")
            yield p.node.name, (f"qdisc change dev {p.dev} root handle 1: trim "
                                + " ".join(words))

    def rehash(self, c):
        """Switches that hash anew: what a value meant, it means no longer."""
        where = (*c["where"], "rehash")
        for n in range(c["times"]):
            for name in c["rehash"]:
                node = self.fabric.by_name.get(name)
                if node is None or node.role == "host":
                    raise BadPlan(
                        f"{self.x.path}:{self.x.reader.lines.line(where)}: "
                        f"no switch {name!r} in this fabric")
                self.order("at", c["at"] + n * c["every"], name, "sysctl",
                           "net/ipv4/fib_multipath_hash_seed="
                           f"{self.rng.getrandbits(32) | 1}")

    def changes(self):
        for i, c in enumerate(self.case["change"]):
            if c["rehash"]:
                self.rehash(c)
                continue
            for k, link in enumerate(c["link"]):
                by_node = {}
                for node, line in self.change_lines(c, link):
                    by_node.setdefault(node, []).append(line)
                for node, lines in by_node.items():
                    name = f"change{i}.{k}.{node}.tc"
                    self.files[name] = "\n".join(lines) + "\n"
                    for n in range(k, c["times"], len(c["link"])):
                        self.order("at", c["at"] + n * c["every"], node, "tc",
                                   name)

    # --- all together -----------------------------------------------------

    def links(self):
        done, lines = set(), []
        for node in self.fabric.nodes:
            for p in node.ports:
                if id(p) in done:
                    continue
                done |= {id(p), id(p.peer)}
                lines.append(
                    f"link add name {p.dev} netns {p.node.name} type veth "
                    f"peer name {p.peer.dev} netns {p.peer.node.name}")
        return lines

    def _write(self):
        case, t = self.case, self.traffic
        self.order("count", len(self.fabric.nodes),
                   *((0, 0) if t.ranks else (len(t.conns), len(t.flows))))
        # All hosts share one kernel: its limits must not be what is measured.
        for key, value in (("core/netdev_max_backlog", 1000000),
                           ("ipv4/tcp_mem", "200000,200000,200000"),
                           ("ipv4/udp_mem", "200000,200000,200000")):
            self.order("sysctl", "-", "net/" + key, value)
        for node in self.fabric.nodes:
            self.order("ns", node.name)
        self.batch("-", "ip", self.links())
        for node in self.fabric.nodes:
            for key, value in self.sysctls(node).items():
                self.order("sysctl", node.name, key.replace(".", "/"), value)
            for p in node.ports:
                self.order("plain", node.name, p.dev)
            qdisc = self.qdisc_trim if self.trim else self.qdisc_stock
            tc = [line for p in node.ports for line in qdisc(p)]
            ip = self.ip_lines(node)
            slow = node.ports if node.role == "host" else [
                p for p in node.ports if p.kind == "last" and self.trim
                and case["host"]["qdisc"]]
            if slow:
                more_ip, more_tc = self.receive(node, slow)
                ip, tc = ip + more_ip, tc + more_tc
            if node.role == "host":
                self.order("counters", node.name)
                if case["measure"]["reordering"]:
                    self.order("tap", node.name)
                if case["measure"]["repairs"]:
                    self.order("repairs", node.name)
            elif case["measure"]["ports"]:
                self.order("sample", node.name)
            self.batch(node.name, "ip", ip)
            self.batch(node.name, "tc", tc)
        self._traffic()
        self.changes()
        m = case["measure"]
        self.order("times", WARM_WAIT, m["until"], m["settle"], m["ports"],
                   m["windows"], m["goodput"])

    def _ranks(self):
        self.order("provider", self.t["provider"])
        for host in self.traffic.ranks:
            self.order("rank", host.name, host.addr())
        for operation, size, rounds in self.traffic.works:
            self.order("collective", f"{operation}:{size}:{rounds}")

    def _traffic(self):
        if self.traffic.ranks:
            self._ranks()
            return
        windows = self._windowed()
        for c in self.traffic.conns:
            self.order("conn", c.transport["proto"], c.src.name, c.src.addr(),
                       c.sport, c.dst.name, c.dst.addr(), c.dport,
                       c.transport["cc"] or "-", c.transport["policy"] or "-",
                       c.read_rate, c.read_until,
                       int(c.nr in windows))
        for f in self.traffic.flows:
            self.order("flow", f.conn.nr, f.start, f.bytes, f.msg,
                       "-" if f.after is None else f.after.nr, f.delay, f.stop)

    def _windowed(self):
        """A few connections whose windows are followed: one per source."""
        seen, out = set(), set()
        for c in self.traffic.conns:
            if c.src.name not in seen and len(out) < 8:
                seen.add(c.src.name)
                out.add(c.nr)
        return out

    def identity(self):
        """All that decides about the run, wherever it is stored."""
        parts = ["\n".join(self.orders)]
        parts += [f"{k}\n{v}" for k, v in sorted(self.files.items())]
        return "\n".join(parts)

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        for name, text in self.files.items():
            with open(os.path.join(folder, name), "w") as f:
                f.write(text)
        with open(os.path.join(folder, "plan"), "w") as f:
            f.write("\n".join(self.orders) + "\n")
