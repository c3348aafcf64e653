#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The examples of the manual pages, as they stand there, on two hosts with traffic: each
# ends and prints what the comment before it says. Wrong ones are seen to fail first.
#
# check: vtime 600 turn4
# check: 6.1,6.12 900 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

TOOL=$TREE/build/uet/uet
BLUE=blue
SWITCH=uet-switch-$$

# A sender at work, one whose reader has stopped, and a message that failed
live()
{
	impair "$A" rate 20mbit delay 1ms
	# Contexts begin with a queue of more than the usual 1 ms, and for a minute what
	# timed out then is a cause of its own
	set_sysctl "$A" rto_min_us 2000000
	recv_start main -n 1000000000 -I -T 36000
	send_from_a -n 1 -s 10 -x ECONNREFUSED "$B6/4000" || return 1
	on "$A" uet_send -T 36000 -n 1000000000 -s 30000 $B4/$PID >"$WORK/sender" 2>&1 &
	PID=110 recv_start slow -n 1000 -b 40000 -I -A -T 36000
	kill -STOP "$(stopped)"
	on "$A" uet_send -T 36000 -d 36 -n 100000 -s 20000 $B4/110 >"$WORK/other" 2>&1 &
	wait_for 30 waits_for_reader || return 1
	set_sysctl "$A" rto_min_us 1000
}

# The process that reads at PIDonFEP 110
stopped()
{
	on "$B" "$TOOL" sock show pidonfep 110 -p |
		sed -n 's/.*process "uet_recv" pid \([0-9]*\).*/\1/p'
}

# Both hosts know
waits_for_reader()
{
	"$TOOL" -n "$A" explain $B4 | head -n 1 | grep -q "^$B4: receiver" &&
		"$TOOL" -n "$B" explain $A4 | head -n 1 | grep -q "^$A4: reader"
}

# more_hosts: a namespace to look into, and a switch with three ports
more_hosts()
{
	local i

	ip netns add $BLUE
	ip netns add "$SWITCH"
	for i in 1 2 3; do
		ip -n "$SWITCH" link add eth$i mtu 4224 type dummy
		ip -n "$SWITCH" link set eth$i up
	done
}

fewer_hosts()
{
	ip netns del $BLUE
	ip netns del "$SWITCH"
}

for program in build/uet/uet build/perf/uetperf build/tc/q_trim.so; do
	[ -e "$TREE/$program" ] || {
		echo "Bail out! no $program: run make tools uetperf; make -C tools/tc"
		exit 1
	}
done
[ -d /sys/module/sch_trim ] || insmod "$TREE/net/sched/sch_trim.ko"
setup_pair
fix_neighbours
# Before there is traffic: what these leave behind is killed, with all that runs there
raw_cases manual.py --wrong "$SLOW" A="$A" B="$B"
more_hosts
live >"$WORK/live" 2>&1 || {
	comment <"$WORK/live"
	"$TOOL" -n "$A" explain $B4 2>&1 | comment
	"$TOOL" -n "$B" explain $A4 2>&1 | comment
	fail "the hosts have not what is to be shown"
}
raw_cases manual.py "$SLOW" A="$A" B="$B" switch="$SWITCH"
fewer_hosts
finish
