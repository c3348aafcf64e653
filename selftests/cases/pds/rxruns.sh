#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Several packets in one buffer: taken in one step if they are consecutive packets of
# a message, else packet by packet; never trusted.
#
# check: uml-debug 120 -
# check: 6.12 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# An address of nobody: what is sent there reaches host A, which drops it
OWN=10.0.0.66

# VIRTIO_NET_HDR_GSO_UDP_L4 of packet sockets
[ "$(printf '%s\n' 6.2 "$(uname -r)" | sort -V | head -n 1)" = 6.2 ] ||
	skip "packet sockets of this kernel cannot send such buffers"
setup_pair
ip -n "$B" neigh replace $OWN dev uet0 \
	lladdr "$(on "$A" cat /sys/class/net/uet0/address)"
# The UDP port is open as long as there is a socket
PID=300 recv_start other -n 1000000 -I -T 1000
raw_cases rxruns.py $B4 $OWN "$B" $SLOW "$(on "$B" cat /sys/class/net/uet0/address)"
finish
