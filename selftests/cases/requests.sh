#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a host sends of its own accord: requests and their repetition, questions
# about answers, clears, closing.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

# Addresses of nobody: what is sent there reaches host A, which drops it
NET=10.0.0
FIRST=70

setup_pair
for ((i = 0; i < 16; i++)); do
	ip -n "$B" neigh replace $NET.$((FIRST + i)) dev uet0 \
		lladdr "$(on "$A" cat /sys/class/net/uet0/address)"
done
raw_cases requests.py $B4 $NET $FIRST "$B" $SLOW
finish
