#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Ordered contexts that mix messages, by a peer of raw packets: what a socket holds
# of them is bounded, and the line goes on.
#
# check: vtime 240 -
# check: 6.1,6.12 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# An address of nobody: what is sent there reaches host A, which drops it
OWN=10.0.0.66

setup_pair
ip -n "$B" neigh replace $OWN dev uet0 \
	lladdr "$(on "$A" cat /sys/class/net/uet0/address)"
# Keeps the host listening, and takes what opens the context that asks
PID=200 recv_start sink -n 1000000 -I -A
raw_cases lines.py $B4 $OWN "$B" $SLOW
finish
