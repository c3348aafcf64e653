#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Early demultiplexing: whose route is kept, and how often it changes.
#
# check: uml-debug,6.12 120 -
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# received DEVICE: packets that host B got by it
received()
{
	on "$B" cat "/sys/class/net/$1/statistics/rx_packets"
}

# A peer that comes by two ports, while this host sends by one
two_ways_in()
{
	local learnt t0=$SECONDS p0 p1 rc=0

	p0=$(received p0)
	p1=$(received p1)
	learnt=$(stat_of "$B" DemuxLearnt)
	PID=100 recv_start main -n 1000
	send_from_a -w -n 1000 -s 20000 "$1/100" || rc=1
	recv_wait main || rc=1
	learnt=$(($(stat_of "$B" DemuxLearnt) - learnt))
	p0=$(($(received p0) - p0))
	p1=$(($(received p1) - p1))
	echo "$p0 and $p1 packets, a route learnt $learnt times"
	[ "$p0" -gt 1000 ] && [ "$p1" -gt 1000 ] || fail "they came by one"
	[ "$learnt" -gt 0 ] || fail "none was learnt"
	[ "$learnt" -le $((SECONDS - t0 + 2)) ] || fail "too often"
	return $rc
}

# A peer that comes by another port now, while nothing changes here. What it came
# by before is as good as ever, but it is not the way of its packets any more.
peer_moves()
{
	local learnt

	ip -n "$A" route replace "$B4" src "$A4" via 10.1.0.2 dev p0
	transfer $B4 "-n 20" "-n 20 -s 0-20000" || return 1
	sleep 1.1
	learnt=$(stat_of "$B" DemuxLearnt)
	ip -n "$A" route replace "$B4" src "$A4" via 10.1.1.2 dev p1
	transfer $B4 "-n 20" "-n 20 -s 0-20000" || return 1
	learnt=$(($(stat_of "$B" DemuxLearnt) - learnt))
	echo "learnt $learnt times"
	[ "$learnt" -gt 0 ] || fail "it was not learnt anew"
}

setup_links
# The way back
ip -n "$B" route replace $A4 src $B4 via 10.1.0.1 dev p0
ip -n "$B" route replace $A6/128 src $B6 via fd01::1 dev p0
for addr in $B4 $B6; do
	tst "$addr: in by two ports, out by one" two_ways_in $addr
done
tst "a peer moves to another port" peer_moves
finish
