#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Limits that are lowered while something depends on them, and what a socket holds of
# messages that wait for their ends.
#
# check: vtime 600 -
# check: 6.1,6.12 600 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

export PYTHONPATH=$TREE/tools/libuet/python:$PYTHONPATH
export LD_LIBRARY_PATH=$TREE/build/lib

# An address of nobody: what is sent there reaches host A, which drops it
OWN=10.0.0.66

setup_pair
for addr in $A4 $A6; do
	raw_cases limits.py $addr "$B" 4mbit
done
ip -n "$B" neigh replace $OWN dev uet0 \
	lladdr "$(on "$A" cat /sys/class/net/uet0/address)"
# Somebody who receives, before anything is sent
PID=301 recv_start other -n 1000000 -I -A
raw_cases rxends.py $B4 $OWN "$B" $SLOW
finish
