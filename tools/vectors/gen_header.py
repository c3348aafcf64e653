#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Vector files as C tables for KUnit: gen_header.py FILE... > cc_vectors.h

The kernel cannot read JSON. Kinds with state (nscc, ev_bitmap, ev_reps,
ev_oblivious) and the tables (derive, gates) become arrays of numbers; the
suite replays them.
"""

import json
import os
import sys

ACTIONS = {
    'dfc': 0, 'restore': 1, 'dfc-end': 2, 'no-rtt': 3, 'ignore': 4, 'qa': 5,
    'fair': 6, 'prop': 7, 'fast': 8, 'hold': 9, 'md': 10, 'md-gated': 11,
    'eta': 12, 'adj': 13, 'nack-dec': 14, 'loss-dec': 15,
}
EVENTS = ['new_data', 'send', 'ack', 'nack', 'inferred_loss']
REASONS = ['TRIMMED', 'TRIMMED_LASTHOP', 'OTHER']
STATES = ['IDLE', 'ACTIVE', 'READY', 'PENDING']
EV_REASONS = ['NO_ECN', 'ECN', 'NACK', 'TIMEOUT']
EXPECT = ['cwnd_fx', 'inflight', 'max_wnd', 'base_rtt', 'avg_delay_fx',
          'achieved', 'received', 'fi_count', 'fast', 'trigger_qa', 'qa_end',
          'ignored', 'to_ignore', 'saved_cwnd_fx', 'can_send', 'ack_req']
CCC = ['state', 'backlog', 'waiting_rtx', 'rtx_backlog', 'inflight_pkts']
PARAMS = ['rate_mbps', 'mtu', 'config_base_rtt', 'bdp', 'target_qdelay',
          'max_wnd', 'qa_threshold', 'adjust_period', 'clear_delay',
          'adjust_bytes', 'ack_gen_trigger', 'qa_gate', 'trimming',
          'disable_qa']
FX = ['fi', 'eta', 'fi_scale_q16', 'alpha_q24', 'gamma_q16',
      'max_md_jump_q16']


def number(value):
    if isinstance(value, list):
        value = value[0] // value[1]
    value = int(value)
    return f'{value}LL' if abs(value) >= 1 << 31 else str(value)


def row(values):
    line, lines = '\t{', []
    for v in values:
        cell = f' {number(v)},'
        if len(line) + len(cell) > 72:
            lines.append(line)
            line = '\t '
        line += cell
    lines.append(line + ' },')
    return '\n'.join(lines)


def event(e):
    """ev, t, then what the kind of event needs, then what is expected."""
    x = e['expect']
    size = e.get('size', e.get('bytes', e.get('newly_rcvd_bytes', 0)))
    rtt = e.get('rtt')
    did = sum(1 << ACTIONS[a] for a in x.get('actions', []))
    ccc = dict(x.get('ccc', {k: 0 for k in CCC}))
    if ccc['state']:
        ccc['state'] = STATES.index(ccc['state'])
    unmarked = e.get('unmarked', [])
    flag = e.get('rtx', e.get('m', False))
    reason = REASONS.index(e['reason']) if 'reason' in e else 0
    return ([EVENTS.index(e['ev']), e['t'], size, flag, reason,
             -1 if rtt is None else rtt, e.get('rcv_cwnd_pend', 0),
             e.get('restore', False), e.get('newly_acked_pkts', 0),
             len(unmarked), sum(unmarked), did if 'actions' in x else -1] +
            [x[k] for k in EXPECT] + [ccc[k] for k in CCC])


def params(p):
    return ([p[k] for k in PARAMS] + [p['fx'][k] for k in FX] +
            [p['dfc'] == 'literal', p['rccc'], p['avg'] != 'tw'])


def table(name, ctype, rows):
    print(f'static const {ctype} {name}[][{len(rows[0])}] = {{')
    for r in rows:
        print(row(r))
    print('};\n')


def op(o):
    """next or process_ev, with -1 where nothing is expected."""
    first = o['op'] == 'next'
    return [first, o.get('t', 0), o.get('ev', 0),
            0 if first else EV_REASONS.index(o['reason']), o.get('rnd', 0)] + [
                o.get('expect_' + k, -1) for k in
                ('ev', 'marked', 'skip', 'saturated', 'fresh', 'fill',
                 'frozen', 'explore')]


def main():
    docs = []
    for name in sorted(sys.argv[1:]):
        with open(name, encoding='utf-8') as f:
            docs.append((os.path.basename(name).split('.')[0], json.load(f)))
    print('/* SPDX-License-Identifier: GPL-2.0 */')
    print('/* Made by tools/vectors/gen_header.py from tests/vectors; '
          'do not edit. */')
    print('#ifndef _UET_TESTS_CC_VECTORS_H')
    print('#define _UET_TESTS_CC_VECTORS_H\n')
    traces = []
    for name, doc in docs:
        kind = doc['kind']
        if kind == 'nscc':
            table(f'{name}_events', 's64', [event(e) for e in doc['events']])
            cwnd = doc['initial'].get('cwnd', 0)
            if set(doc['initial']) - {'cwnd'}:
                sys.exit(f'{name}: initial state beyond cwnd')
            context = any('ccc' in e['expect'] for e in doc['events'])
            traces.append((name, [doc['now0'], cwnd, context] +
                           params(doc['params'])))
        elif kind == 'derive':
            table(name, 's64', [params(r) for r in doc['rows']])
        elif kind == 'gates':
            table(name, 's64', [[doc['mtu'], doc['ack_gen_trigger'],
                                 r['cwnd'], r['inflight'],
                                 r['expect_can_send'],
                                 r['expect_ack_request']]
                                for r in doc['rows']])
        elif kind in ('ev_bitmap', 'ev_reps'):
            table(f'{name}_ops', 's64', [op(o) for o in doc['ops']])
        elif kind == 'ev_oblivious':
            table(name, 's64', [[c['n'], c['base'], len(c['keys'])] +
                                c['keys'] + [v for v in c['expect'][:128]]
                                for c in doc['cases']])
    print('struct cc_trace {\n\tconst char *name;\n\tconst s64 (*events)'
          f'[{len(EXPECT) + len(CCC) + 12}];\n\tu32 count;\n'
          f'\ts64 setup[{len(traces[0][1])}];\n}};\n')
    print('static const struct cc_trace cc_traces[] = {')
    for name, setup in traces:
        print(f'\t{{ "{name}", {name}_events, ARRAY_SIZE({name}_events),')
        print('\t' + row(setup).rstrip(',') + ' },')
    print('};\n\n#endif')


if __name__ == '__main__':
    main()
