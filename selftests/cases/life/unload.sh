#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Processes are killed in the middle of transfers, and at once the module is
# removed and loaded again.
#
#   unload.sh [ROUNDS [rounds]]	with "rounds": only what several CPUs make a difference to
#
# check: [50] uml 800 alone,spare
# check: [10] uml-debug 200 -
# check: [10] 6.12 200 full
# check: [2 rounds] uml-smp 600 -
# check: [2 rounds] arm64 600 lean
# check: [1] uml-smp 600 full
# check: [100] uml-debug,6.12 900 soak,alone
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

ROUNDS=${1:-100}

module_path()
{
	local mods=()

	# shellcheck disable=SC1091
	[ -r /run/vm/settings ] && . /run/vm/settings
	echo "${mods[0]:-$TREE/net/uet/uet.ko}"
}

moving()
{
	[ "$(stat_of "$B" RxReqs)" -gt 20 ]
}

remove_module()
{
	rmmod uet 2>"$WORK/rmmod"
}

held_by_socket()
{
	recv_start main -I
	rmmod uet 2>/dev/null && fail "removed under an open socket"
	return 0
}

# Another program has the UDP port in one namespace: the module is loaded all
# the same, and there is UET in that namespace as soon as the port is free
port_taken()
{
	local holder

	clean_processes
	wait_for 30 remove_module || fail "$(cat "$WORK/rmmod")"
	on "$A" python3 -c '
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 4793))
print("bound", flush=True)
time.sleep(600)' >"$WORK/holder" &
	holder=$!
	wait_for 10 grep -q bound "$WORK/holder" || fail "port not taken"
	insmod "$module" || fail "insmod"
	recv_start main -n 1
	on "$A" uet_send "$B4/$PID" 2>&1 && fail "sent without a port"
	# shellcheck disable=SC2046
	kill $(ip netns pids "$A")
	wait $holder
	send_from_a -w "$B4/$PID" || fail "no UET after the port was free"
	recv_wait main
}

# AF_WANPIPE's number is taken elsewhere: another one serves as well
family()
{
	local wrong rc=0

	wait_for 30 remove_module || fail "$(cat "$WORK/rmmod")"
	# IPv4's, and none at all
	for wrong in 2 0 -1 10000; do
		insmod "$module" family=$wrong && fail "family $wrong"
	done
	insmod "$module" family=18 || fail "insmod"
	export UET_FAMILY=18
	transfer $B4 "-n 5" "-n 5 -s 0-50000" || rc=1
	transfer $B6 "-t seq -n 5" "-t seq -n 5 -s 0-50000" || rc=1
	unset UET_FAMILY
	wait_for 30 remove_module || fail "$(cat "$WORK/rmmod")"
	insmod "$module" || fail "insmod"
	return $rc
}

# Packets of sockets outlive the module
packets_wait()
{
	local addr leave before

	for addr in "$B4" "$B6"; do for leave in leave_waiting leave_pinned_waiting; do
		$leave "$addr" || return 1
		clean_processes
		before=$(backlog)
		wait_for 30 remove_module || fail "$(cat "$WORK/rmmod")"
		[ "$(backlog)" -ge "$before" ] || fail "it waited until they had left"
		impair "$A"
		insmod "$module" || fail "insmod"
	done; done
}

one_round()
{
	recv_start main -I -A
	send_from_a -t rdm -n 1000000 -s 0-100000 $B4/$PID &
	send_from_a -t seq -n 1000000 -s 0-100000 $B6/$PID &
	wait_for 20 moving || fail "no traffic"
	clean_processes
	wait
	wait_for 30 remove_module || fail "$(cat "$WORK/rmmod")"
	insmod "$module" || fail "insmod"
}

rounds()
{
	local i

	for ((i = 0; i < ROUNDS; i++)); do
		one_round >"$WORK/round" 2>&1 || {
			cat "$WORK/round"
			fail "round $i"
		}
	done
}

module=$(module_path)
setup_pair
tst "an open socket holds the module" held_by_socket
tst "$ROUNDS times" rounds
tst "while packets wait" packets_wait
if [ "${2-}" != rounds ]; then
	tst "loaded while somebody has the port" port_taken
	tst "another family number" family
fi
tst "a transfer afterwards" transfer $B4 "-n 50" "-n 50 -s 0-50000"
finish
