#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a peer sent and nobody will read is not freed in softirq, however many
# messages it is in.
#
# check: uml-debug 60 -
# check: 6.12 120 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# An address of nobody: what is sent there reaches host A, which drops it
OWN=10.0.0.66
READS=200

[ -d /sys/kernel/tracing/events/skb/kfree_skb ] || skip "no tracepoint of packets"
setup_pair
ip -n "$B" neigh replace $OWN dev uet0 \
	lladdr "$(on "$A" cat /sys/class/net/uet0/address)"
PID=$READS recv_start reads -n 1000000 -I -A
raw_cases rxfree.py $B4 $OWN "$B" $READS $SLOW
finish
