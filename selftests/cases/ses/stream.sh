#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One message far longer than any buffer: streamed in and out, in bounded
# memory at both ends.
#
#   stream.sh [SIZE]
#
# check: [1g] uml 800 alone
# check: [16m] 6.1 200 -
# check: [16m] 6.12 200 full
# check: [1g] 6.12 900 soak,alone
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

SIZE=${1:-1g}
# Kernel memory in use may grow by this much: the two socket buffers of
# 4 MiB each, what is in flight, and page granularity
BOUND_KB=65536

kernel_memory_kb()
{
	awk '/^(MemTotal|VmallocUsed):/ { n += $2 }
	     /^(MemFree|Buffers|Cached|AnonPages):/ { n -= $2 }
	     END { print n }' /proc/meminfo
}

highest_memory()
{
	local now max=0

	while :; do
		now=$(kernel_memory_kb)
		[ "$now" -le $max ] || max=$now
		echo "$max" >"$WORK/max"
		sleep 0.2
	done
}

stream()
{
	local before after watcher rc=0

	before=$(kernel_memory_kb)
	highest_memory &
	watcher=$!
	transfer "$1" "-t $2 -n 1" "-t $2 -n 1 -s $SIZE -T 1200" || rc=1
	kill $watcher
	after=$(cat "$WORK/max")
	echo "kernel memory grew by $((after - before)) KiB at most"
	[ $((after - before)) -lt $BOUND_KB ] || fail "more than $BOUND_KB KiB"
	return $rc
}

# Begun, then the sender dies: the reader in the middle hears of it. The message
# is so long that it cannot be over by then.
cut_short()
{
	local sender before

	before=$(stat_of "$B" RxBytes)
	recv_start main -n 1000000 -I -T $((5 * SLOW)) -A -S 2000
	send_from_a -s 1g "$B4/$PID" &
	sender=$!
	wait_for 20 rx_bytes_over $((before + 5000000)) || fail "nothing arrives"
	clean_senders
	wait $sender
	recv_wait main || return 1
	[ "$(field aborted "$WORK/recv-main")" = 1 ] || fail "no abort was seen"
}

rx_bytes_over()
{
	[ "$(stat_of "$B" RxBytes)" -gt "$1" ]
}

clean_senders()
{
	local p

	for p in $(ip netns pids "$A"); do
		kill -9 "$p"
	done
}

setup_pair 9000
tst "$SIZE, unordered, IPv4" stream $B4 rdm
tst "$SIZE, ordered, IPv6" stream $B6 seq
tst "sender killed in the middle" cut_short
finish
