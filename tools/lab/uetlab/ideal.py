# SPDX-License-Identifier: GPL-2.0
"""
What no transport can beat, by arithmetic.

* Bursts (incast, permutation, pairs, all-to-all): the bytes of all flows of the
  burst that cross the busiest set of parallel links on the flow's way, at the
  rate of that set, and the unloaded one-way latency of the first packet over
  the other hops. The host link is one set, the uplinks of a leaf are another.
* Lone flows (load, list, requests): the flow's own bytes at the slowest hop
  and the same latency; requests count both directions.
* Ring: the number of steps times a lone chunk.
* Collective operations: the steps of the algorithm, one after the other, each as
  long as a lone message of the pair of ranks that it takes longest for.
* Endless flows: an equal share of what slow readers leave of the busiest set,
  at every instant among those that send then.

Interrupt moderation counts whole for a flow of one packet and half for longer
ones, the mean of what their last packet waits.
"""

from . import collective, wire


def _lone(fabric, transport, src, dst, nbytes, msg):
    first = wire.first_packet(transport, fabric.mtu, nbytes)
    total = wire.wire_bytes(transport, fabric.mtu, nbytes, msg)
    stages = fabric.stages(src, dst)
    slowest = min(sum(p.rate for p in ports) if len(ports) > 1 else
                  ports[0].rate for ports in stages)
    slots = 1.0 if total == first else 0.5
    return (fabric.one_way(src, dst, first, slots)
            + (total - first) * 8e9 / slowest)


def slow(f, t):
    """Whether the reader is slow at that instant."""
    c = f.conn
    return c.read_rate and (not c.read_until or t < c.read_until)


class Ideals:
    def __init__(self, fabric, traffic):
        self.fabric = fabric
        self.ranks = traffic.ranks
        self.load = {}          # key of a set of ports -> bytes of the burst
        self._known = {}
        self.endless = [f for f in traffic.flows if not f.bytes]
        self.sets = {}
        for f in traffic.flows:
            for key, rate in self._sets(f):
                self.sets[key] = rate
                if f.bytes and f.burst:
                    self.load[key] = self.load.get(key, 0) + self._wire(f)

    def _wire(self, f):
        return wire.wire_bytes(f.conn.transport, self.fabric.mtu, f.bytes,
                               f.msg)

    def _sets(self, f):
        """The sets of parallel ports that a flow crosses, and their rates."""
        ends = f.conn.src, f.conn.dst
        if ends not in self._known:
            self._known[ends] = [(tuple(p.name + p.dev for p in ports),
                                  sum(p.rate for p in ports))
                                 for ports in self.fabric.stages(*ends)]
        return self._known[ends]

    def flow_ns(self, f):
        """Ideal time of a finite flow from its reference instant."""
        t = f.conn.transport
        src, dst = f.conn.src, f.conn.dst
        if f.operation:
            return self._collective(t, f.operation, f.bytes)
        if f.since:
            q = f.since
            return (_lone(self.fabric, t, src, dst, f.bytes, f.msg)
                    + _lone(self.fabric, t, q.conn.src, q.conn.dst, q.bytes,
                            q.msg))
        lone = _lone(self.fabric, t, src, dst, f.bytes, f.msg)
        if f.steps:
            return f.steps * lone
        if not f.burst:
            return lone
        own = self._wire(f)
        first = wire.first_packet(t, self.fabric.mtu, f.bytes)
        busy, rate = max(((self.load[k], r) for k, r in self._sets(f)),
                         key=lambda x: x[0] / x[1])
        if busy <= own:
            return lone
        return (self.fabric.one_way(src, dst, first,
                                    0.5 if own > first else 1.0)
                + (busy - first) * 8e9 / rate)

    def _collective(self, t, operation, nbytes):
        key = t["name"], operation, nbytes
        if key not in self._known:
            self._known[key] = sum(
                max(_lone(self.fabric, t, self.ranks[a], self.ranks[b], n, n)
                    for a, b in pairs)
                for pairs, n in collective.steps(operation, nbytes,
                                                 len(self.ranks)))
        return self._known[key]

    def rate_bps(self, f):
        """Payload rate of a fair share, of an endless flow."""
        payload, head = wire.packet_payload(f.conn.transport, self.fabric.mtu)
        cuts = sorted({f.start, f.stop} | {
            t for g in self.endless
            for t in (g.start, g.stop, g.conn.read_until)
            if f.start < t < f.stop})
        total = sum((b - a) * self._share(f, a)
                    for a, b in zip(cuts, cuts[1:]))
        return total / (f.stop - f.start) * payload / (payload + head)

    def _share(self, f, t):
        """What an endless flow may have of its links from an instant on."""
        if slow(f, t):
            return 8 * f.conn.read_rate
        rest = dict(self._sets(f))
        count = dict.fromkeys(rest, 0)
        for g in self.endless:
            if not g.start <= t < g.stop:
                continue
            for key, _ in self._sets(g):
                if key not in rest:
                    continue
                if slow(g, t):
                    rest[key] -= 8 * g.conn.read_rate
                else:
                    count[key] += 1
        return min(rest[k] / count[k] for k in rest)
