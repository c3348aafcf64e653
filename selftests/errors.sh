#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every way a message can fail, and the errno its sender is told.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

expect()
{
	local errno=$1
	shift

	send_from_a -x "$errno" "$@"
}

no_process()
{
	expect ECONNREFUSED "$1/3000"
}

no_index()
{
	recv_start main -r 5
	expect ECONNREFUSED "$1/$PID/6" || return 1
	# The endpoint beside it is well
	send_from_a -n 1 -w "$1/$PID/5"
}

# The process is there, but in another job
other_job()
{
	on "$B" uet_recv -J -j 99 -p $PID -I -T $((2 * SLOW)) \
		-R "$WORK/ready-job" >/dev/null &
	wait_for 10 test -e "$WORK/ready-job" || fail "no receiver"
	expect EACCES -J -j 98 "$1/$PID"
}

# A host without UET, played by a program: ICMP port unreachable
no_uet()
{
	local mac

	mac=$(on "$B" cat /sys/class/net/uet0/address)
	ip -n "$A" neigh replace 10.0.0.9 lladdr "$mac" dev uet0
	on "$B" "$SELFTESTS/icmp_refuse.py" 10.0.0.9 &
	sleep $SLOW
	expect ECONNREFUSED "10.0.0.9/$PID"
}

# Short limits, so that it is over soon
hasty()
{
	set_sysctl "$A" peer_timeout_s "$1"
	set_sysctl "$A" rto_max_ms 50
}

silent()
{
	hasty 2
	impair "$B" loss 100% || skip "no netem here"
	expect ETIMEDOUT "$1/$PID"
	local rc=$?
	impair "$B"
	return $rc
}

# It was fine, then the peer falls silent with packets outstanding
silent_later()
{
	local rc=0

	hasty 2
	recv_start main -n 1
	send_from_a -n 1 -w "$B4/$PID" || return 1
	recv_wait main || return 1
	impair "$B" loss 100% || skip "no netem here"
	expect ETIMEDOUT -n 3 "$B4/$PID" || rc=1
	impair "$B"
	# And it works again when the peer is back
	transfer $B4 "-n 10" "-n 10 -s 0-20000" || rc=1
	return $rc
}

no_route()
{
	expect ENETUNREACH "203.0.113.5/$PID"
}

no_neighbour()
{
	# Resolution gives up after three seconds
	hasty 10
	expect EHOSTUNREACH "$1/$PID"
}

# The route goes while messages are queued
link_lost()
{
	local rc=0

	hasty 2
	recv_start main -I -T $((10 * SLOW)) -A
	send_from_a -n 100000 -s 50000 "$B4/$PID" >"$WORK/send" 2>&1 &
	local sender=$!
	sleep 1
	ip -n "$A" link set uet0 down
	wait $sender && rc=1
	cat "$WORK/send"
	case "$(field errno "$WORK/send")" in
	ENETUNREACH | EHOSTUNREACH | ETIMEDOUT) ;;
	*) rc=1 ;;
	esac
	ip -n "$A" link set uet0 up
	# IPv6 addresses went with the link
	ip -n "$A" addr replace $A6/64 dev uet0 nodad
	return $rc
}

receiver_dies()
{
	local rc=0 victim

	recv_start main -n 1000000 -S 500
	send_from_a -n 1000000 -s 30000 "$B4/$PID" >"$WORK/send" 2>&1 &
	local sender=$!
	sleep 2
	for victim in $(ip netns pids "$B"); do
		kill -9 "$victim"
	done
	wait $sender && rc=1
	cat "$WORK/send"
	[ "$(field errno "$WORK/send")" = ECONNREFUSED ] || rc=1
	return $rc
}

too_long()
{
	recv_start main -M 10000 -n 1
	expect EMSGSIZE -s 10001 "$B4/$PID" || return 1
	send_from_a -s 10000 -w "$B4/$PID" || return 1
	recv_wait main
}

out_of_contexts()
{
	set_sysctl "$A" pdc_max 1
	recv_start main -n 10 -x 100
	send_from_a -n 10 -w "$B4/$PID" || return 1
	# Another delivery mode needs a context of its own
	expect ENOBUFS -t seq "$B6/$PID"
	local rc=$?
	set_sysctl "$A" pdc_max 65536
	return $rc
}

setup_pair
for addr in $B4 $B6; do
	tst "$addr: no process: ECONNREFUSED" no_process $addr
	tst "$addr: no such index: ECONNREFUSED" no_index $addr
	tst "$addr: other job: EACCES" other_job $addr
done
tst "port closed by ICMP: ECONNREFUSED" no_uet
tst "silent from the start: ETIMEDOUT" silent $B4
tst "silent later: ETIMEDOUT, then well again" silent_later
tst "no route: ENETUNREACH" no_route
tst "no neighbour: EHOSTUNREACH" no_neighbour 10.0.0.77
tst "no neighbour, IPv6: EHOSTUNREACH" no_neighbour fd00::77
tst "link goes down" link_lost
tst "receiver killed: ECONNREFUSED" receiver_dies
tst "longer than UET_MAX_MSG: EMSGSIZE" too_long
tst "no context free: ENOBUFS" out_of_contexts
finish
