# SPDX-License-Identifier: GPL-2.0
"""NSCC and the congestion control context in Python integers.

Written from the rules (UE 1.0 3.6.12 and 3.6.13 with their integer
formulation), not from the C code, so that one can find the other's mistakes.
Only clarity counts here.
"""

NEVER = 1 << 62


def derive(rate_mbps, base_rtt, mtu, trimming):
    """Constants of a context, exact fractions floored once."""
    bdp = min(rate_mbps * base_rtt // 8000, 2 * 10**8)
    target = base_rtt * 3 // 4 if trimming else base_rtt
    return {
        'rate_mbps': rate_mbps, 'config_base_rtt': base_rtt, 'mtu': mtu,
        'trimming': trimming, 'bdp': bdp, 'target_qdelay': target,
        'max_wnd': max(bdp * 3 // 2, 2 * mtu),
        'gamma': [4, 5], 'max_md_jump': [1, 2],
        'fi': [5 * mtu * bdp, 150000],
        'eta': [15 * mtu * bdp, 100 * 150000],
        'fi_scale': [bdp, 4 * 150000],
        'alpha': [bdp * mtu, 150000 * 3000],
        'qa_gate': 3, 'qa_threshold': NEVER if trimming else 4 * target,
        'adjust_bytes': 8 * mtu, 'adjust_period': base_rtt,
        'clear_delay': 1000, 'ack_gen_trigger': 16384, 'disable_qa': False,
        'dfc': 'onset', 'rccc': False, 'avg': 'tw',
        'fx': {
            'fi': 5 * mtu * bdp // 150000,
            'eta': 15 * mtu * bdp // 15000000,
            'fi_scale_q16': (bdp << 16) // 600000,
            'alpha_q24': (bdp * mtu << 24) // (150000 * 3000),
            'gamma_q16': 52429, 'max_md_jump_q16': 32768,
        },
    }


class Nscc:
    """The window of one context."""

    def __init__(self, params, now):
        self.p = params
        self.fx = params['fx']
        self.mtu = params['mtu']
        self.target = params['target_qdelay']
        self.cwnd = self.max_wnd = params['max_wnd']
        self.base_rtt = params['config_base_rtt']
        self.inflight = self.saved = self.inc = 0
        self.achieved = self.received = self.fi_count = 0
        self.ignored = self.to_ignore = self.qa_end = 0
        self.fast = self.trigger = False
        self.last_adjust = self.last_dec = self.avg_t = now
        self.last_pend = 0
        self.avg_q8 = 0
        self.actions = []

    def can_send(self):
        return self.inflight + self.mtu <= self.cwnd

    def ack_request(self):
        return (self.cwnd - self.inflight < self.mtu or
                self.cwnd < self.p['ack_gen_trigger'])

    def lower_base(self, sample):
        if sample >= self.base_rtt:
            return
        if sample < self.p['config_base_rtt'] >> 4:
            return
        self.base_rtt = sample
        bdp = min(self.p['rate_mbps'] * sample // 8000, 2 * 10**8)
        self.max_wnd = max(bdp * 3 // 2, 2 * self.mtu)

    def average(self, now, delay, marked):
        delay = min(delay, 1 << 34)
        if self.p['avg'] == 'tw':
            dt = max(now - self.avg_t, 0)
            w = 65536 if dt >= self.base_rtt else (dt << 16) // self.base_rtt
            self.avg_q8 += (w * ((delay << 8) - self.avg_q8)) >> 16
        else:
            if not marked and delay > self.target:
                delay = self.base_rtt // 4
            step = (delay << 8) - self.avg_q8
            self.avg_q8 += step // 80 if step >= 0 else -(-step // 80)
        self.avg_t = max(self.avg_t, now)

    def quick_adapt(self, now, loss, marked, delay):
        if self.p['disable_qa']:
            return False
        handled = False
        if self.ignored < self.to_ignore and marked:
            self.actions.append('ignore')
            handled = True
        elif now >= self.qa_end:
            due = (self.trigger or loss or delay > self.p['qa_threshold'])
            if (self.qa_end and due and
                    self.achieved < self.max_wnd >> self.p['qa_gate']):
                self.cwnd = max(self.achieved, self.mtu)
                self.to_ignore = max(self.inflight, 0)
                self.ignored = 0
                self.trigger = False
                self.actions.append('qa')
                handled = True
            self.achieved = 0
            self.qa_end = now + self.base_rtt + self.target
        if handled:
            self.inc = self.received = 0
        return handled

    def dfc(self, now, pend, restore, n):
        if pend:
            if not self.saved:
                self.saved = self.cwnd
                if self.p['dfc'] == 'onset':
                    self.cwnd = min(self.cwnd, self.inflight + n)
            if self.p['dfc'] == 'literal':
                self.cwnd = min(self.cwnd, self.inflight)
            self.cwnd = max(self.mtu, self.cwnd - ((pend * n) >> 7))
            self.last_pend = now
            self.actions.append('dfc')
        elif self.saved:
            if restore:
                self.cwnd = min(self.saved, self.max_wnd)
                self.saved = 0
                self.actions.append('restore')
            elif max(now - self.last_pend, 0) > self.base_rtt:
                self.saved = 0
                self.actions.append('dfc-end')
        return pend > 0

    def on_ack(self, now, n, marked, rtt, pend, restore):
        self.inflight -= n
        self.ignored += n
        self.received += n
        self.achieved += n
        limited = self.dfc(now, pend, restore, n)
        if rtt is None:
            self.actions.append('no-rtt')
            return
        self.lower_base(rtt)
        delay = max(rtt - self.base_rtt, 0)
        self.average(now, delay, marked)
        if self.quick_adapt(now, False, marked, delay):
            return
        if marked and delay >= self.target:
            self.decrease(now)
        elif marked:
            self.actions.append('hold')
        elif delay >= self.target and not limited:
            self.actions.append('fair')
            self.inc += self.fx['fi'] * min(n, 1 << 26)
        elif not limited:
            self.increase(n, delay)
        late = max(now - self.last_adjust, 0) >= self.p['adjust_period']
        if late or self.received > self.p['adjust_bytes']:
            self.apply(now, late)

    def increase(self, n, delay):
        if delay < self.p['clear_delay']:
            self.fi_count += n
            self.fast = self.fast or self.fi_count > self.cwnd
        else:
            self.fi_count = 0
            self.fast = False
        n = min(n, 1 << 26)
        if self.fast:
            self.actions.append('fast')
            self.cwnd = min(self.cwnd + (n * self.fx['fi_scale_q16'] >> 16),
                            self.max_wnd)
        else:
            self.actions.append('prop')
            gap = min(self.target - delay, 1 << 24)
            self.inc += (self.fx['alpha_q24'] * gap >> 24) * n

    def decrease(self, now):
        self.fast = False
        self.fi_count = 0
        avg = self.avg_q8 >> 8
        if avg > self.target and max(now - self.last_dec, 0) > self.base_rtt:
            f = 65536 - self.fx['gamma_q16'] * (avg - self.target) // avg
            f = max(f, self.fx['max_md_jump_q16'])
            self.cwnd = max(self.cwnd * f >> 16, self.mtu)
            self.last_dec = now
            self.actions.append('md')
        else:
            self.actions.append('md-gated')

    def apply(self, now, late):
        self.cwnd += self.inc // self.cwnd
        if late:
            self.cwnd += self.fx['eta']
            self.last_adjust = now
            self.actions.append('eta')
        self.cwnd = min(self.cwnd, self.max_wnd)
        self.inc = self.received = 0
        self.actions.append('adj')

    def on_nack(self, now, size, reason, rtt):
        self.inflight -= size
        if rtt is not None:
            self.lower_base(rtt)
        if reason == 'OTHER':
            return
        self.average(now, self.p['config_base_rtt'], True)
        self.ignored += size
        if reason == 'TRIMMED' or not self.p['rccc']:
            self.trigger = True
            if not self.quick_adapt(now, True, True, 0):
                self.cwnd = max(self.cwnd - size, self.mtu)
                self.actions.append('nack-dec')

    def on_loss(self, size):
        self.cwnd = max(self.cwnd - size, self.mtu)
        self.ignored += size
        self.inflight -= size
        self.actions.append('loss-dec')


class Context:
    """Counters and states around the window; counting is switchable."""

    def __init__(self, params, now, counting):
        self.w = Nscc(params, now)
        self.counting = counting
        self.backlog = self.rtx_backlog = self.waiting = self.pkts = 0
        self.state = 'IDLE'

    def refresh(self):
        if not self.counting:
            return
        if self.pkts == 0:
            self.w.inflight = 0
        if self.backlog == 0 and self.waiting == 0:
            self.state = 'PENDING' if self.pkts else 'IDLE'
        else:
            self.state = 'READY' if self.w.can_send() else 'ACTIVE'

    def new_data(self, size):
        self.backlog += size
        self.refresh()

    def send(self, size, rtx):
        if rtx:
            self.waiting -= 1
            self.rtx_backlog -= size
        else:
            self.backlog -= size
        self.w.inflight += size
        self.pkts += 1
        self.refresh()

    def ack(self, now, n, marked, rtt, pend, restore, acked, unmarked):
        for size in unmarked:
            self.waiting -= 1
            self.rtx_backlog -= size
            self.w.inflight += size
        self.w.on_ack(now, n, marked, rtt, pend, restore)
        self.pkts -= acked
        self.refresh()

    def mark(self, size):
        self.waiting += 1
        self.rtx_backlog += size
        self.pkts -= 1
        self.refresh()

    def nack(self, now, size, reason, rtt):
        self.w.on_nack(now, size, reason, rtt)
        self.mark(size)

    def loss(self, size):
        self.w.on_loss(size)
        self.mark(size)

    def expect(self):
        w = self.w
        out = {
            'cwnd': w.cwnd, 'inflight': w.inflight, 'max_wnd': w.max_wnd,
            'base_rtt': w.base_rtt, 'avg_delay': w.avg_q8 >> 8,
            'achieved': w.achieved, 'received': w.received,
            'fi_count': w.fi_count, 'fast': w.fast, 'trigger_qa': w.trigger,
            'qa_end': w.qa_end, 'ignored': w.ignored,
            'to_ignore': w.to_ignore, 'saved_cwnd': w.saved,
            'can_send': w.can_send(), 'ack_req': w.ack_request(),
            'cwnd_fx': w.cwnd, 'avg_delay_fx': w.avg_q8 >> 8,
            'saved_cwnd_fx': w.saved,
        }
        if self.counting:
            out['ccc'] = {
                'state': self.state, 'backlog': self.backlog,
                'waiting_rtx': self.waiting, 'rtx_backlog': self.rtx_backlog,
                'inflight_pkts': self.pkts,
            }
        return out
