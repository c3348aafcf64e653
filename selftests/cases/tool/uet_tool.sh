#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The command "uet" on hosts that have contexts, queues and messages: what it shows
# is what netlink tells, and what it is told is done.
#
# check: uml-debug 400 -
# check: 6.1,6.12 600 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

TOOL=${UET_TOOL:-$TREE/build/uet/uet}

# What is there to be shown: idle contexts, a peer that failed, and a queue whose
# reader has stopped
live()
{
	both_sysctl pdc_idle_s 36000
	set_sysctl "$A" path_stats 1
	recv_start main -n 3
	send_from_a -W -n 3 -s 50000 $B4/$PID || return 1
	recv_wait main || return 1
	PID=101 recv_start six -n 3 -J -j 7
	send_from_a -w -J -j 7 -n 3 -s 50000 $B6/101 || return 1
	recv_wait six || return 1
	send_from_a -n 1 -s 10 -x EHOSTUNREACH 10.0.0.77/120 || return 1
	PID=110 recv_start slow -n 1000 -b 40000 -I -A
	kill -STOP "$(ip netns pids "$B" | while read -r p; do
		[ "$(cat "/proc/$p/comm")" = uet_recv ] && echo "$p"; done)"
	on "$A" uet_send -T 3600 -d 36 -n 100000 -s 20000 $B4/110 >"$WORK/sender" 2>&1 &
	wait_for 30 waits_for_reader
}

waits_for_reader()
{
	"$TOOL" -n "$A" dest show waiting | grep -q "wait receiver"
}

[ -x "$TOOL" ] || {
	echo "Bail out! no $TOOL: run make tools"
	exit 1
}
setup_pair
fix_neighbours
live >"$WORK/live" 2>&1 || {
	comment <"$WORK/live"
	"$TOOL" -n "$A" dest show 2>&1 | comment
	fail "the hosts have not what is to be shown"
}
raw_cases uet_tool.py "$TOOL" "$A" "$B" "$SLOW"
finish
