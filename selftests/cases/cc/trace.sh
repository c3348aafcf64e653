#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tracepoints: each decision of congestion control shows, with values before
# and after that fit together.
#
# check: uml-debug,6.1 240 -
# check: uml,6.12 240 full
. "$(dirname "$0")/../../lib.sh"

TRACE=/sys/kernel/tracing

# traced EVENT COMMAND...: its lines in $WORK/trace; EVENT as SYSTEM/EVENT or of uet
traced()
{
	local rc=0 event=${1##*/} path=$TRACE/events/uet/$1
	[ -e "$path" ] || path=$TRACE/events/$1
	shift

	echo >"$TRACE/trace"
	echo 1 >"$path/enable" || return 1
	"$@" || rc=1
	echo 0 >"$path/enable"
	grep "$event: " "$TRACE/trace" >"$WORK/trace"
	wc -l <"$WORK/trace"
	tail -n 3 "$WORK/trace"
	return $rc
}

# seen PATTERN: in some line
seen()
{
	grep -qE "$1" "$WORK/trace" || fail "no line has $1"
}

# pairs NAME OP: NAME=a->b with a OP b in every line that has it
pairs()
{
	sed -n "s/.* $1=\\([-0-9]*\\)->\\([-0-9]*\\).*/\\1 \\2/p" "$WORK/trace" |
		awk "!(\$1 $2 \$2) { print; bad = 1 } END { exit bad || !NR }"
}

# falls NAME PATTERN: NAME=a->b with a > b in some line that has PATTERN
falls()
{
	grep "$2" "$WORK/trace" |
		sed -n "s/.* $1=\\([0-9]*\\)->\\([0-9]*\\).*/\\1 \\2/p" |
		awk '$1 > $2 { ok = 1 } END { exit !ok }' ||
		fail "$1 never falls where it says $2"
}

slow_link()
{
	impair "$A" rate 100mbit delay 100us
	"$@"
	rc=$?
	impair "$A"
	return $rc
}

quadrants()
{
	traced uet_cc_quadrant transfer "$B4" "-n 20" "-n 20 -s 200000" ||
		return 1
	seen "::ffff:$A4 > ::ffff:$B4 .*did=.*(proportional|fast|fair)" &&
		pairs base_rtt '>='
}

# A window of 10 Gb/s meets a tenth of a gigabit
quick_adapt()
{
	traced uet_cc_quick_adapt slow_link \
		transfer "$B6" "-n 10" "-n 10 -s 200000" || return 1
	# It may also raise a window that trims or timeouts took down too far
	seen "$A6 > $B6 .*did=.*quick_adapt" && falls cwnd quick_adapt
}

# 50 ms of delay count as none, used or not: fast increase begins
fast_increase()
{
	both_sysctl link_mbps 10
	both_sysctl base_rtt_us 100000
	both_sysctl nscc_clear_delay_ns 50000000
	both_sysctl nscc_idle_window 0
	traced uet_cc_fast_increase \
		transfer "$B4" "-n 20" "-n 20 -s 500000 -C nscc" || return 1
	both_sysctl link_mbps 0
	both_sysctl base_rtt_us 0
	both_sysctl nscc_clear_delay_ns 1000
	both_sysctl nscc_idle_window 1
	seen "fast=1 did=.*fast"
}

signal_readers()
{
	local p

	for p in $(ip netns pids "$B"); do
		kill "-$1" "$p"
	done
}

# counted NETNS NAME MORE-THAN
counted()
{
	[ "$(stat_of "$1" "$2")" -gt "$3" ]
}

# until_counted NETNS COUNTER MESSAGES: a small reader stops until that happens,
# however slow its source is
until_counted()
{
	local before sender rc=0

	before=$(stat_of "$1" "$2")
	recv_start main -x 100 -n "$3" -b 40000
	signal_readers STOP
	send_from_a -w -n "$3" -s 20000 "$B4/$PID" &
	sender=$!
	wait_for 20 counted "$1" "$2" "$before" || rc=1
	signal_readers CONT
	wait $sender || rc=1
	recv_wait main || rc=1
	return $rc
}

penalty()
{
	traced uet_cc_dfc until_counted "$A" RxPenalties 40 || return 1
	seen "saved=0->[1-9].* pend=[1-9][0-9]* did=penalty" && falls cwnd penalty
}

# One that is too short, and one for a context that nobody has
strange_packets()
{
	on "$A" python3 - "$B4" "$B6" <<-'END'
		import socket, sys
		import uet_packets as p
		for addr in sys.argv[1:]:
		    family = socket.AF_INET6 if ":" in addr else socket.AF_INET
		    with socket.socket(family, socket.SOCK_DGRAM) as s:
		        for data in p.request(1, 7, 9)[:6], p.request(1, 7, 9):
		            s.sendto(data, (addr, p.UDP_PORT))
	END
}

drops()
{
	# The guard lets nobody else send to that port.
	set_sysctl "$A" guard 0
	recv_start main -I
	traced uet/uet_drop strange_packets || return 1
	cp "$WORK/trace" "$WORK/parsed"
	# Dropped before it is parsed: the addresses are known, and nothing else
	set_sysctl "$B" data_protect 1
	traced uet/uet_drop strange_packets || return 1
	set_sysctl "$B" data_protect 2
	set_sysctl "$A" guard 1
	seen "::ffff:$A4 > ::ffff:$B4 DropCrc type=0 spdcid=0 dpdcid=0 " &&
		seen "$A6 > $B6 DropCrc " || return 1
	mv "$WORK/parsed" "$WORK/trace"
	seen "::ffff:$A4 > ::ffff:$B4 DropShort " &&
		seen "$A6 > $B6 DropNoPdc .*spdcid=7 dpdcid=9"
}

# Those who drop packets for a reason, as dropwatch sees them
reasons()
{
	set_sysctl "$A" guard 0
	recv_start main -I
	traced skb/kfree_skb strange_packets || return 1
	set_sysctl "$A" guard 1
	seen "reason: PKT_TOO_SMALL" &&
		seen "reason: NO_SOCKET"
}

contexts()
{
	# Nothing was sent in this class before.
	traced uet_pdc/uet_pdc_event transfer "$B4" "-n 1" "-n 1 -d 9 -s 100" ||
		return 1
	seen "::ffff:$A4 - ::ffff:$B4 opened .*initiator=1" &&
		seen "::ffff:$B4 - ::ffff:$A4 accepted .*initiator=0"
}

messages()
{
	traced uet_msg/uet_msg_done transfer "$B4" "-n 3" "-n 3 -s 1000" ||
		return 1
	seen "::ffff:$B4/$PID/.* len=1000 sent=1000 error=0" || return 1
	# Nobody receives there.
	traced uet_msg/uet_msg_done on "$A" uet_send -n 1 -F "$B4/4000"
	seen "::ffff:$B4/4000/.* error=[1-9]"
}

credit()
{
	traced uet_cc_credit transfer "$B4" "-n 20" \
		"-n 20 -s 500000 -C nscc+rccc" || return 1
	seen "credit=.*granted=" && pairs credit '<='
}

losses()
{
	impair "$A" loss 3%
	traced uet_cc_loss transfer "$B4" "-n 20" "-n 20 -s 500000" || return 1
	impair "$A"
	seen "size=[1-9][0-9]* ev=[1-9][0-9]* why=(sack|probe|timeout|out)" &&
		pairs cwnd '>='
}

refused()
{
	traced uet_cc_refused until_counted "$B" Shortage 60 || return 1
	seen "why=other" && pairs cwnd '=='
}

# Off again: nothing is written any more
off()
{
	echo >"$TRACE/trace"
	transfer "$B4" "-n 5" "-n 5 -s 200000" || return 1
	! grep "uet_cc" "$TRACE/trace"
}

mount -t tracefs none $TRACE 2>/dev/null
if [ ! -d $TRACE/events/uet ]; then
	echo "1..0 # SKIP this kernel has no trace events"
	exit 4
fi
setup_pair
tst "quadrant" quadrants
tst "quick adapt" quick_adapt
tst "fast increase" fast_increase
tst "penalty of the destination" penalty
tst "credit" credit
tst "inferred loss" losses
tst "refusal" refused
tst "dropped packets, and why" drops
tst "... as the kernel calls it" reasons
tst "contexts" contexts
tst "messages" messages
tst "off" off
finish
