# SPDX-License-Identifier: GPL-2.0
"""Path selection in Python: oblivious order, bitmap, REPS."""

M32 = 0xffffffff


def mix(x):
    x ^= x >> 16
    x = x * 0x7feb352d & M32
    x ^= x >> 15
    x = x * 0x846ca68b & M32
    return x ^ x >> 16


def permute(i, key, n):
    bits = 2
    while 1 << bits < n:
        bits += 2
    half = bits // 2
    low = (1 << half) - 1
    while True:
        left, right = i >> half, i & low
        for r in range(4):
            left, right = right, left ^ mix(key ^ (r << 24) ^ right) & low
        i = left << half | right
        if i < n:
            return i


class Oblivious:
    def __init__(self, n, base, keys):
        self.n, self.base = n, base
        self.keys = list(keys)
        self.key = self.keys.pop(0)
        self.i = 0

    def next(self):
        ev = self.base + permute(self.i, self.key, self.n)
        self.i += 1
        if self.i == self.n:
            self.i = 0
            self.key = self.keys.pop(0) if self.keys else \
                mix((self.key + 1) & M32)
        return ev


class Bitmap:
    ADD = {'NO_ECN': 0, 'ECN': 1, 'NACK': 4, 'TIMEOUT': 15}

    def __init__(self, n, base, keys, share):
        self.order = Oblivious(n, base, keys)
        self.n, self.base, self.share = n, base, share
        self.skip = [0] * n

    def marked(self):
        return sum(1 for s in self.skip if s)

    def saturated(self):
        return self.marked() * 100 >= self.share * self.n

    def process(self, ev, reason):
        i = ev - self.base
        self.skip[i] = min(self.skip[i] + self.ADD[reason], 15)

    def next(self):
        for _ in range(self.n):
            ev = self.order.next()
            if not self.skip[ev - self.base]:
                break
            self.skip[ev - self.base] -= 1
            if self.saturated():
                break
        return ev


class Reps:
    def __init__(self, n, base, share, size=8, freeze=10**7):
        self.n, self.base, self.size, self.freeze = n, base, size, freeze
        self.share, self.marked = share, set()
        self.frozen, self.until, self.explore = False, 0, 0
        self.empty()

    def empty(self):
        self.ring = [None] * self.size
        self.is_fresh = [False] * self.size
        self.head = self.scan = 0

    def fresh(self):
        return sum(self.is_fresh)

    def fill(self):
        return sum(1 for e in self.ring if e is not None)

    def saturated(self):
        return len(self.marked) * 100 >= self.share * self.n

    def process(self, ev, reason, now):
        if self.frozen and now > self.until:
            self.empty()
            self.frozen = False
            self.explore = 16
        if reason == 'TIMEOUT' and self.frozen:
            self.take_out(ev)
        elif reason == 'TIMEOUT' and not self.explore:
            self.frozen = True
            self.until = now + self.freeze
        if reason == 'NO_ECN' and self.frozen and ev in self.ring:
            for slot in range(self.size):
                if self.ring[slot] == ev:
                    self.is_fresh[slot] = True
                    break
        elif reason == 'NO_ECN':
            self.ring[self.head] = ev
            self.is_fresh[self.head] = True
            self.head = (self.head + 1) % self.size
        if reason == 'NO_ECN':
            self.marked.discard(ev)
        elif reason != 'TIMEOUT':
            self.marked.add(ev)

    def take_out(self, ev):
        """While frozen: what is lost leaves, the others move up."""
        if ev not in self.ring:
            return
        stay = [(e, f) for e, f in zip(self.ring, self.is_fresh)
                if e is not None and e != ev]
        self.head = len(stay)
        stay += [(None, False)] * (self.size - len(stay))
        self.ring = [e for e, _ in stay]
        self.is_fresh = [f for _, f in stay]

    def random(self, rnd):
        return self.base + (rnd * self.n >> 32)

    def next(self, rnd):
        if self.explore:
            self.explore -= 1
            return self.random(rnd)
        if self.frozen:
            slot = self.scan
            self.scan = (slot + 1) % self.size
            self.is_fresh[slot] = False
            return self.random(rnd) if self.ring[slot] is None else \
                self.ring[slot]
        if self.saturated():
            return self.random(rnd)
        for k in range(self.size):
            slot = (self.head + k) % self.size
            if self.is_fresh[slot]:
                self.is_fresh[slot] = False
                return self.ring[slot]
        return self.random(rnd)
