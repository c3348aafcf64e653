#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a host answers to each kind of packet: every reason for an ACK, every
# NACK code that it sends, guaranteed responses, closing.
# With an argument in another form than over UDP: ip, udp-crc, ip-crc.
#
# check: uml-debug 240 -
# check: 6.1,6.12 240 full
# check: [ip-crc] uml-debug 300 -
# check: [ip] uml-debug 300 full
# check: [udp-crc] uml-debug 300 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

export UET_FORM=${1:-udp}

# An address of nobody: what is sent there reaches host A, which drops it
OWN=10.0.0.66
READS=200
STOPPED=201

# reader PIDONFEP: the process that has it
reader()
{
	local p

	for p in $(ip netns pids "$B"); do
		[ "$(cat "/proc/$p/comm")" = uet_recv ] &&
			tr '\0' ' ' <"/proc/$p/cmdline" | grep -q -- "-p $1 " &&
			echo "$p"
	done
}

setup_pair
for addr in $OWN 10.0.0.67; do
	ip -n "$B" neigh replace $addr dev uet0 \
		lladdr "$(on "$A" cat /sys/class/net/uet0/address)"
done
PID=$READS recv_start reads -n 1000000 -I -A
PID=$STOPPED recv_start stopped -n 1000000 -I -A -b 65536
stopped=$(reader $STOPPED)
kill -STOP "$stopped"
raw_cases answers.py $B4 $OWN "$B" $READS $STOPPED "$stopped" $SLOW
finish
