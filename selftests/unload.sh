#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Processes are killed in the middle of transfers, and at once the module is
# removed and loaded again.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=${UET_ROUNDS:-100}

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

one_round()
{
	recv_start main -I -A
	send_from_a -t rdm -n 1000000 -s 0-100000 $B4/$PID &
	send_from_a -t seq -n 1000000 -s 0-100000 $B6/$PID &
	wait_for 20 moving || fail "no traffic"
	clean_processes
	wait
	wait_for 5 remove_module || fail "$(cat "$WORK/rmmod")"
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
tst "a transfer afterwards" transfer $B4 "-n 50" "-n 50 -s 0-50000"
finish
