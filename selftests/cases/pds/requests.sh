#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a host sends of its own accord: requests and their repetition, questions
# about answers, clears, closing.
# With an argument in another form than over UDP: ip, udp-crc, ip-crc.
#
# check: vtime 240 -
# check: 6.1,6.12 240 full
# check: [ip-crc] vtime 300 -
# check: vtime 1200 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

export UET_FORM=${1:-udp}

# Addresses of nobody: what is sent there reaches host A, which drops it
NET=10.0.0
FIRST=70

setup_pair
# It is the host that begins.
case $UET_FORM in ip*) set_sysctl "$B" encap ip ;; esac
case $UET_FORM in *crc) set_sysctl "$B" data_protect 1 ;; esac
for ((i = 0; i < 16; i++)); do
	ip -n "$B" neigh replace $NET.$((FIRST + i)) dev uet0 \
		lladdr "$(on "$A" cat /sys/class/net/uet0/address)"
done
raw_cases requests.py $B4 $NET $FIRST "$B" $SLOW
finish
