#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Dropped packets: for each cause one packet moves one counter, and is told by the
# tracepoint and by the kernel's reason. Packets that were used are not told.
#
# check: uml-debug,6.1,6.12 240 -
# check: uml 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

export PYTHONPATH=$TREE/tools/libuet/python:$PYTHONPATH
export LD_LIBRARY_PATH=$TREE/build/lib

# Addresses of nobody: what is sent there reaches host A, which drops it
OWN=10.0.0.66
OTHER=10.0.0.67
MANUAL=$TREE/Documentation/networking/uet-counters.rst
# ip netns exec has another /sys
TRACE=$WORK/tracing
GROUP=$WORK/cgroup/uet-drops

# own_neighbours: B reaches them
own_neighbours()
{
	local addr

	for addr in $OWN $OTHER; do
		ip -n "$B" neigh replace $addr dev uet0 \
			lladdr "$(on "$A" cat /sys/class/net/uet0/address)"
	done
}

# events NAME...: on from now, nothing else in the buffer
events()
{
	local event

	for event in uet/uet_drop skb/kfree_skb; do
		echo 0 >"$TRACE/events/$event/enable"
	done
	for event in "$@"; do
		echo 1 >"$TRACE/events/$event/enable"
	done
	echo >"$TRACE/trace"
}

# A reader of long and short messages, packet by packet and at once
used()
{
	local rc=0

	events uet/uet_drop skb/kfree_skb
	transfer "$B4" "-n 20 -z 3000" "-n 20 -s 0-200000" || rc=1
	events
	if grep -E ': uet_drop: |\[uet\]' "$TRACE/trace"; then
		fail "packets that were read are told as dropped"
	fi
	return $rc
}

# The namespace goes away while packets come
namespace_goes()
{
	local flood i p found=

	# It waits for others in between, and there it is that packets come
	! grep -q "User Mode" /proc/cpuinfo ||
		skip "with one CPU and without preemption nobody waits for RCU"
	events uet/uet_drop
	for ((i = 0; i < 20; i++)); do
		recv_start main -I
		# A timer lets the packets go, whatever else there is to do
		impair "$A" rate 2mbit
		on "$A" uet_inject.py pdcids "$B4" --count 10000000 &
		flood=$!
		wait_for 10 grep -q DropNoPdc "$TRACE/trace" || fail "no flood"
		ip netns del "$B"
		for p in $(pgrep -x uet_recv); do
			kill -9 "$p"
		done
		wait_for 20 gone || fail "it stays"
		kill $flood
		wait $flood
		teardown_pair
		setup_pair
		own_neighbours
		grep -m 1 DropNetns "$TRACE/trace" && found=1 && break
	done
	events
	[ -n "$found" ]
}

# Namespaces end in the background, and their links with them
gone()
{
	! ip -n "$A" link show uet0 >/dev/null 2>&1
}

group()
{
	mkdir "${GROUP%/*}" && mount -t cgroup2 none "${GROUP%/*}" &&
		mkdir "$GROUP" && uet_cgroup "$GROUP" ingress $OTHER
}

mkdir "$TRACE"
mount -t tracefs none "$TRACE" 2>/dev/null
if [ ! -d "$TRACE"/events/uet ]; then
	echo "1..0 # SKIP this kernel has no trace events"
	exit 4
fi
setup_pair
own_neighbours
tst "packets that a program reads are not dropped" used
cgroup=
group >/dev/null 2>&1 && cgroup=$GROUP
raw_cases drops.py $B4 $OWN "$B" "$MANUAL" "$TRACE" $SLOW $cgroup
tst "DropNetns: the namespace goes away" namespace_goes
wait_for 10 rmdir "$GROUP" 2>/dev/null
umount "$TRACE" "${GROUP%/*}" 2>/dev/null
finish
