#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Network namespaces go away with traffic running, again and again.
#
#   netns_del.sh [ROUNDS]
#
# check: [50] uml 800 spare
# check: [10] uml-debug 200 -
# check: [10] 6.12 200 full
# check: [2] uml-smp 400 -
# check: [100] uml-debug,6.12 900 soak,alone
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

ROUNDS=${1:-100}

namespaces()
{
	local dir=/sys/kernel/slab/net_namespace

	echo 1 2>/dev/null >$dir/shrink
	cut -d' ' -f1 $dir/objects 2>/dev/null || echo 0
}

few_namespaces()
{
	[ "$(namespaces)" -le $(($1 + 8)) ]
}

traffic()
{
	recv_start main -I -A
	send_from_a -t rdm -n 1000000 -s 0-100000 $B4/$PID &
	send_from_a -t seq -n 1000000 -s 0-100000 $B6/$PID &
}

moving()
{
	[ "$(stat_of "$B" RxReqs)" -gt 20 ]
}

one_round()
{
	setup_pair
	traffic >/dev/null 2>&1
	wait_for 20 moving || fail "no traffic"
	case $(($1 % 4)) in
	0)	clean_processes
		ip netns del "$A"
		ip netns del "$B" ;;
	1)	clean_processes
		ip netns del "$B"
		ip netns del "$A" ;;
	2)	ip -n "$A" link del uet0
		clean_processes
		teardown_pair ;;
	3)	# The names go first; the namespaces with the last process
		local p all
		all="$(ip netns pids "$A") $(ip netns pids "$B")"
		ip netns del "$A"
		ip netns del "$B"
		for p in $all; do
			kill -9 "$p"
		done ;;
	esac
	wait
}

rounds()
{
	local i before

	before=$(namespaces)
	for ((i = 0; i < ROUNDS; i++)); do
		one_round $i
	done
	wait_for 30 few_namespaces "$before" ||
		fail "$before namespaces before, $(namespaces) after"
}

tst "$ROUNDS times" rounds
finish
