#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write random traces as vector files: generate.py DIR SEED COUNT [EVENTS].

Contexts are driven by a sender and a network that keep honest books; the
other traces throw anything at the window. Every event carries the state that
the model predicts.
"""

import json
import os
import random
import sys

import lb_model
import nscc_model

RATES = [1000, 10000, 25000, 100000, 200000, 400000, 800000, 1600000]
RTTS = [1000, 5000, 8192, 12000, 20000, 60000, 100000, 999999, 100000000]
MTUS = [128, 1064, 1564, 4160, 8256, 9080, 9216]


def random_params(rng):
    p = nscc_model.derive(rng.choice(RATES), rng.choice(RTTS),
                          rng.choice(MTUS), rng.random() < 0.5)
    p['dfc'] = rng.choice(['onset', 'onset', 'literal'])
    p['rccc'] = rng.random() < 0.3
    p['disable_qa'] = rng.random() < 0.1
    p['qa_gate'] = rng.choice([0, 1, 2, 3, 3, 3, 5, 31])
    p['avg'] = rng.choice(['tw', 'tw', 'tw', 'htsim'])
    p['clear_delay'] = rng.choice([0, 1000, 1000, p['target_qdelay'] // 2])
    if rng.random() < 0.2:
        p['fx']['gamma_q16'] = rng.choice([0, 1, 30000, 65536])
        p['fx']['max_md_jump_q16'] = rng.choice([16384, 65536])
    return p


class Trace:
    def __init__(self, rng, counting):
        self.rng = rng
        self.params = random_params(rng)
        self.now = self.now0 = rng.choice([0, 0, 5, 10**9, 1 << 40])
        self.ctx = nscc_model.Context(self.params, self.now, counting)
        self.events = []
        self.level = rng.random()

    def tick(self):
        rtt = self.params['config_base_rtt']
        if self.rng.random() < 0.02:
            self.now += self.rng.randrange(20 * rtt)
        else:
            self.now += self.rng.randrange(max(rtt // 16, 2))

    def sample(self):
        """Round trip, with a congestion level that wanders."""
        rng = self.rng
        if rng.random() < 0.03:
            return None
        self.level = min(max(self.level + rng.uniform(-.1, .1), 0), 1)
        base = self.ctx.w.base_rtt
        if rng.random() < 0.3:
            return base + rng.randrange(1500)
        rtt = base + int(self.level * 4 * self.params['target_qdelay'] *
                         rng.random())
        if rng.random() < 0.005:
            rtt = base - rng.randrange(max(base // 10, 1))
        return max(rtt, (self.params['config_base_rtt'] >> 4) + 1)

    def add(self, ev, acts, **fields):
        event = {'ev': ev, 't': self.now, **fields}
        event['expect'] = self.ctx.expect()
        if acts:
            event['expect']['actions'] = list(self.ctx.w.actions)
        self.ctx.w.actions.clear()
        self.events.append(event)

    def new_data(self, size):
        self.ctx.new_data(size)
        self.add('new_data', False, bytes=size)

    def send(self, size, rtx):
        self.ctx.send(size, rtx)
        self.add('send', False, size=size, rtx=rtx)

    def signals(self):
        marked = self.rng.random() < self.level
        pend = self.rng.choice([1, 64, 127]) if self.rng.random() < .05 else 0
        return marked, self.sample(), pend, self.rng.random() < 0.3

    def ack(self, n, acked=0, unmarked=()):
        marked, rtt, pend, restore = self.signals()
        fields = {}
        if self.ctx.counting:
            fields = {'newly_acked_pkts': acked, 'unmarked': list(unmarked)}
        self.ctx.ack(self.now, n, marked, rtt, pend, restore, acked, unmarked)
        self.add('ack', True, newly_rcvd_bytes=n, m=marked, rtt=rtt,
                 rcv_cwnd_pend=pend, restore=restore, **fields)

    def nack(self, size):
        reason = self.rng.choice(['TRIMMED', 'TRIMMED', 'TRIMMED_LASTHOP',
                                  'OTHER'])
        rtt = self.sample()
        self.ctx.nack(self.now, size, reason, rtt)
        self.add('nack', True, size=size, reason=reason, rtt=rtt, m=False)

    def loss(self, size):
        self.ctx.loss(size)
        self.add('inferred_loss', True, size=size)

    def to_json(self, name):
        return {'name': name, 'kind': 'nscc', 'description': 'random trace',
                'params': self.params, 'now0': self.now0, 'initial': {},
                'events': self.events}


def loose_trace(rng, count):
    """Events without regard to what was sent."""
    t = Trace(rng, False)
    mtu = t.params['mtu']
    for _ in range(count):
        t.tick()
        size = rng.randrange(64, mtu + 1) if rng.random() < .3 else mtu
        kind = rng.random()
        if kind < 0.45:
            t.send(size, rng.random() < 0.1)
        elif kind < 0.9:
            n = rng.choice([0, 256, mtu, 4 * mtu, 16384])
            if rng.random() < 0.001:
                n = rng.randrange(1 << 31) & ~255
            t.ack(n)
        elif kind < 0.97:
            t.nack(size)
        else:
            t.loss(size)
    return t.to_json('loose')


def honest_trace(rng, count):
    """A sender and a receiver that count the same packets."""
    t = Trace(rng, True)
    mtu = t.params['mtu']
    queue, out, lost, arrived = [], [], [], 0
    last = 0
    while len(t.events) < count:
        t.tick()
        kind = rng.random()
        if not queue and not lost and kind < 0.3:
            sizes = [rng.randrange(64, mtu + 1) if rng.random() < .2 else mtu
                     for _ in range(rng.randrange(1, 64))]
            queue += sizes
            t.new_data(sum(sizes))
        elif t.ctx.state == 'READY' and kind < 0.7:
            if lost:
                size = lost.pop(0)
                t.send(size, True)
            else:
                size = queue.pop(0)
                t.send(size, False)
            out.append(size)
        elif out and kind < 0.93:
            take = out[:rng.randrange(1, 9)]
            del out[:len(take)]
            spurious = []
            if lost and rng.random() < 0.3:
                spurious = [lost.pop()]
            arrived += sum(take) + sum(spurious)
            field = (arrived + 255) >> 8
            t.ack((field - last) * 256, len(take), spurious)
            last = field
        elif out and kind < 0.98:
            size = out.pop(rng.randrange(len(out)))
            lost.append(size)
            t.nack(size)
        elif out:
            size = out.pop(0)
            lost.append(size)
            t.loss(size)
    return t.to_json('context')


def reason(rng):
    return rng.choice(['NO_ECN', 'NO_ECN', 'NO_ECN', 'ECN', 'NACK',
                       'TIMEOUT'])


def oblivious_trace(rng):
    cases = []
    for _ in range(4):
        n = rng.choice([1, 2, 3, 5, 16, 17, 64, 100, 255, 1000])
        keys = [rng.getrandbits(32) for _ in range(3)]
        base = rng.randrange(65536 - n)
        model = lb_model.Oblivious(n, base, keys)
        cases.append({'n': n, 'base': base, 'keys': keys,
                      'expect': [model.next() for _ in range(3 * n)]})
    return {'name': 'order', 'kind': 'ev_oblivious', 'description': '',
            'cases': cases}


def bitmap_trace(rng, count):
    n = rng.choice([1, 2, 16, 64, 100, 256])
    keys = [rng.getrandbits(32) for _ in range(rng.randrange(1, 5))]
    share = rng.choice([1, 25, 50, 75, 100])
    model = lb_model.Bitmap(n, 49152, keys, share)
    heat = rng.random()
    ops = []
    for _ in range(count):
        if rng.random() < 0.6:
            op = {'op': 'next', 'expect_ev': model.next()}
        else:
            ev = 49152 + rng.randrange(n)
            why = reason(rng) if rng.random() < heat else 'NO_ECN'
            model.process(ev, why)
            op = {'op': 'process_ev', 'ev': ev, 'reason': why,
                  'expect_skip': model.skip[ev - 49152]}
        op['expect_marked'] = model.marked()
        op['expect_saturated'] = model.saturated()
        ops.append(op)
    return {'name': 'bitmap', 'kind': 'ev_bitmap', 'description': '', 'n': n,
            'base': 49152, 'keys': keys, 'threshold_pct': share, 'ops': ops}


def reps_trace(rng, count):
    n = rng.choice([1, 8, 64, 256])
    share = rng.choice([1, 25, 50, 75, 100])
    model = lb_model.Reps(n, 49152, share)
    now, ops = 0, []
    for _ in range(count):
        now += rng.randrange(200000)
        if rng.random() < 0.55:
            rnd = rng.getrandbits(32)
            op = {'op': 'next', 't': now, 'rnd': rnd,
                  'expect_ev': model.next(rnd)}
        else:
            why = 'TIMEOUT' if rng.random() < 0.02 else \
                rng.choice(['NO_ECN', 'NO_ECN', 'ECN', 'NACK'])
            ev = 49152 + rng.randrange(n)
            model.process(ev, why, now)
            op = {'op': 'process_ev', 't': now, 'ev': ev, 'reason': why,
                  'expect_fill': model.fill(), 'expect_frozen': model.frozen,
                  'expect_explore': model.explore}
        op['expect_fresh'] = model.fresh()
        op['expect_marked'] = len(model.marked)
        op['expect_saturated'] = model.saturated()
        ops.append(op)
    return {'name': 'reps', 'kind': 'ev_reps', 'description': '', 'n': n,
            'base': 49152, 'ring': 8, 'freeze_ns': 10**7, 'threshold_pct': share,
            'ops': ops}


def derive_rows(rng):
    rows = []
    for _ in range(50):
        row = nscc_model.derive(rng.randrange(10, 1600001),
                                rng.randrange(1000, 10**8),
                                rng.randrange(128, 9217),
                                rng.random() < 0.5)
        rows.append(row)
    return {'name': 'derive', 'kind': 'derive', 'description': '',
            'rows': rows}


def main():
    out, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    events = int(sys.argv[4]) if len(sys.argv) > 4 else 2000
    makers = {
        'loose': lambda r: loose_trace(r, events),
        'context': lambda r: honest_trace(r, events),
        'order': oblivious_trace,
        'bitmap': lambda r: bitmap_trace(r, events),
        'reps': lambda r: reps_trace(r, events),
        'derive': derive_rows,
    }
    os.makedirs(out, exist_ok=True)
    for i in range(count):
        for name, make in makers.items():
            rng = random.Random(f'{seed}.{i}.{name}')
            path = os.path.join(out, f'{name}_{seed}_{i}.json')
            with open(path, 'w', encoding='ascii') as f:
                json.dump(make(rng), f)


if __name__ == '__main__':
    main()
