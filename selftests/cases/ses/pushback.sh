#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Readers that are slower than the sender lose nothing, and do not stop
# others on the same PDC.
#
# check: vtime 600 lean,turn2
# check: uml 600 full
# check: 6.1,6.12 600 lean,full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

setup_pair

late_reader()
{
	# 24 MB for a socket of 4 MiB that is not read for two seconds
	transfer $B4 "-t $1 -n 400 -s 2000 $2" "-t $1 -n 400 -s 60000"
}

small_buffer()
{
	transfer $B4 "-t $1 -n 100 -b 16384 -S 3000 $2" \
		"-t $1 -n 100 -s 24-40000"
}

long_into_small_buffer()
{
	transfer $B4 "-t $1 -n 4 -b 65536 -z 20000 -S 500 $2" \
		"-t $1 -n 4 -s 2m"
}

# several_long TYPE SO_RCVBUF SIZE [IMPAIRMENT]: more of them in flight than the
# buffer holds, each longer than half of it. A later one may come first, and its
# reader must not wait for what waits for the reader.
several_long()
{
	local n

	n=$(scaled 120)
	# shellcheck disable=SC2086
	impair "$A" delay 100us rate 1gbit ${4:-}
	recv_start main -t "$1" -n "$n" -b "$2" -T $((10 * SLOW))
	send_from_a -t "$1" -n "$n" -s "$3" -w -T $((30 * SLOW)) $B4/$PID ||
		fail "some did not arrive"
	recv_wait main || fail "some were not read"
	impair "$A"
}

# senders_end PID...: all of them, and what they printed
senders_end()
{
	local pid rc=0

	for pid in "$@"; do
		wait "$pid" || rc=1
	done
	cat "$WORK"/send-*
	return $rc
}

# Several processes send long ordered messages to one socket, all of them before
# anything is heard of its small buffer: on one line none may need what another
# one takes
many_ordered()
{
	local i rc=0 senders=() silent

	silent=$(stat_of "$B" MsgSilent)
	impair "$A" delay 200ms
	recv_start main -t seq -n 16 -b 65536 -T $((30 * SLOW))
	for i in 1 2 3 4 5 6 7 8; do
		send_from_a -t seq -i $i -n 2 -s 24-200000 -w -T $((40 * SLOW)) \
			$B4/$PID >"$WORK/send-$i" 2>&1 &
		senders+=($!)
	done
	senders_end "${senders[@]}" || rc=1
	recv_wait main || rc=1
	impair "$A"
	[ "$(stat_of "$B" MsgSilent)" = "$silent" ] || fail "some were given up"
	return $rc
}

# signal_stuck NAME: to the reader with the small buffer
signal_stuck()
{
	local pid

	for pid in $(ip netns pids "$B"); do
		grep -qz -- -b "/proc/$pid/cmdline" && kill "-$1" "$pid"
	done
}

# refused N: so many packets for shortage
refused()
{
	[ "$(stat_of "$B" Shortage)" -gt "$1" ]
}

# One reader stops until another on the same host has got everything
neighbours()
{
	local rc=0 stuck short

	short=$(stat_of "$B" Shortage)
	recv_start stuck -t "$1" -n 300 -b 65536 -T $((90 * SLOW))
	PID=101 recv_start other -t "$1" -n 300 -x 100
	signal_stuck STOP
	send_from_a -t "$1" -i 1 -n 300 -s 20000 -w $B4/100 \
		>"$WORK/send-stuck" 2>&1 &
	stuck=$!
	wait_for 20 refused "$short" || fail "the reader was not stuck"
	send_from_a -t "$1" -i 2 -n 300 -s 20000 -w $B4/101 || rc=1
	recv_wait other || rc=1
	[ $rc = 0 ] || fail "the other socket waited"
	signal_stuck CONT
	wait $stuck || rc=1
	cat "$WORK/send-stuck"
	recv_wait stuck || rc=1
	return $rc
}

# A reader stops in the middle of what several processes send, until another
# one has got everything by the same PDC
pause_among_others()
{
	local i n rc=0 other senders=()

	n=$(scaled 1200)
	impair "$A" rate 200mbit
	recv_start stuck -n $((2 * n + 3)) -b 65536 -T $((60 * SLOW))
	PID=101 recv_start other -n $((2 * n)) -x 100
	send_from_a -i 1 -n "$n" -s 20000 -w $B4/100 >"$WORK/send-1" 2>&1 &
	senders+=($!)
	send_from_a -i 2 -n "$n" -s 24-40000 -w $B4/100 >"$WORK/send-2" 2>&1 &
	senders+=($!)
	send_from_a -i 3 -n 3 -b 65536 -s 3m -w $B4/100 >"$WORK/send-3" 2>&1 &
	senders+=($!)
	send_from_a -i 4 -n $((2 * n)) -s 20000 -w $B4/101 >"$WORK/send-4" 2>&1 &
	other=$!
	sleep 0.4
	signal_stuck STOP
	wait $other || rc=1
	recv_wait other || rc=1
	[ $rc = 0 ] || fail "the other reader waited"
	signal_stuck CONT
	senders_end "${senders[@]}" || rc=1
	recv_wait stuck || rc=1
	impair "$A"
	echo "again: $(stat_of "$A" MsgAgain), silent: $(stat_of "$B" MsgSilent)"
	return $rc
}

# Several long messages for one socket, whose reader pauses in the first of
# them: what is refused of the others must not stop that one
long_messages()
{
	local i pid rc=0 senders=()

	impair "$A" rate 400mbit
	recv_start main -n "$1" -b "$2" -T $((60 * SLOW))
	for ((i = 1; i <= $1; i++)); do
		send_from_a -i $i -s "$3" -w $B4/$PID >"$WORK/send-$i" 2>&1 &
		senders+=($!)
	done
	sleep 1
	for i in STOP CONT; do
		for pid in $(ip netns pids "$B"); do
			kill -$i "$pid"
		done
		sleep 2
	done
	senders_end "${senders[@]}" || rc=1
	recv_wait main || rc=1
	impair "$A"
	echo "contexts: $(stat_of "$A" PdcOpened)"
	return $rc
}

# A reader stops, and another one is in the middle of its data on the same PDC:
# what is refused must not stop CACK (NO_MATCH, MsgAgain)
busy_neighbour()
{
	local rc=0 n other stuck

	n=$(scaled 3000)
	# Slow enough for the other reader, which never refuses then
	impair "$A" rate 200mbit
	recv_start stuck -n 300 -b 65536 -T $((90 * SLOW))
	signal_stuck STOP
	PID=101 recv_start other -n "$n" -x 100
	send_from_a -i 2 -n "$n" -s 20000 -w $B4/101 >"$WORK/send-other" 2>&1 &
	other=$!
	sleep 0.2
	send_from_a -i 1 -n 300 -s "$1" -w $B4/100 >"$WORK/send-stuck" 2>&1 &
	stuck=$!
	wait $other || rc=1
	recv_wait other || rc=1
	cat "$WORK/send-other"
	[ $rc = 0 ] || fail "the other reader waited"
	signal_stuck CONT
	wait $stuck || rc=1
	cat "$WORK/send-stuck"
	recv_wait stuck || rc=1
	impair "$A"
	return $rc
}

# Many senders, one slow reader
fan_in()
{
	local i rc=0 senders=()

	recv_start main -n 200 -b 131072 -S 1000 -x 100
	for i in 1 2 3 4; do
		send_from_a -i $i -n 50 -s 24-100000 -w $B4/$PID \
			>"$WORK/send-$i" 2>&1 &
		senders+=($!)
	done
	senders_end "${senders[@]}" || rc=1
	recv_wait main || rc=1
	return $rc
}

# emptied SECONDS: nothing of what host A sent takes memory any more
emptied()
{
	wait_for "$1" no_memory ||
		fail "$(stat_of "$A" CurMem) bytes are kept"
}

no_memory()
{
	[ "$(stat_of "$A" CurMem)" -eq 0 ]
}

# stuck_senders TYPE SIZES [OPTIONS]: several for the reader that stopped, which
# are refused
stuck_senders()
{
	local i short type=$1 sizes=$2

	short=$(stat_of "$B" Shortage)
	shift 2
	stuck=()
	for i in 11 12 13 14; do
		on "$A" uet_send -t "$type" -i $i -s "$sizes" "$@" $B4/100 \
			>/dev/null 2>&1 &
		stuck+=($!)
	done
	wait_for 20 refused "$short" || fail "nothing was refused"
}

# What the reader that stopped got: all of it in order, whatever is missing
read_the_rest()
{
	local rc=0

	signal_stuck CONT
	sleep 1
	recv_all_sent
	recv_wait stuck || rc=1
	return $rc
}

# Senders are killed, and their reader never reads: what they left is given up
# after a while, and others on the same PDC lose nothing.
# killed TYPE SIZES OPTIONS...: of the senders
killed()
{
	local n=400 rc=0 type=$1 sizes=$2 other kept pid failed order=

	shift 2
	[ "$type" = rdm ] || order=-o
	failed=$(stat_of "$A" MsgFailed)
	set_sysctl "$A" orphan_timeout_s 2
	# So slow that the context is in use all the time
	impair "$A" rate 20mbit
	recv_start stuck -t "$type" -I -A $order -b 65536 -T $((90 * SLOW))
	signal_stuck STOP
	PID=101 recv_start other -t "$type" $order -n "$n" -x 100 \
		-T $((60 * SLOW))
	send_from_a -t "$type" -i 1 -n "$n" -s 20000 -w $B4/101 \
		>"$WORK/send-other" 2>&1 &
	other=$!
	sleep 0.3
	stuck_senders "$type" "$sizes" "$@"
	sleep 0.5
	for pid in $(ip netns pids "$A"); do
		grep -qz '^1[1-4]$' "/proc/$pid/cmdline" && kill -9 "$pid"
	done
	wait "${stuck[@]}" 2>/dev/null
	wait $other || rc=1
	cat "$WORK/send-other"
	recv_wait other || rc=1
	[ $rc = 0 ] || fail "the other socket lost something"
	kept=$(stat_of "$A" CurMem)
	emptied 10
	echo "kept $kept, given up: $(stat_of "$A" MsgOrphaned)," \
		"contexts: $(stat_of "$A" PdcOpened)"
	[ "$(stat_of "$A" MsgFailed)" -gt "$failed" ] ||
		fail "none was given up"
	impair "$A"
	read_the_rest || rc=1
	transfer $B4 "-t $type -n 20" "-t $type -n 20 -s 0-20000" || rc=1
	return $rc
}

# The same by SO_LINGER, which uet_send sets to -T
lingered()
{
	local rc=0 type=$1 pid

	set_sysctl "$A" orphan_timeout_s 60
	recv_start stuck -t "$type" -I -A -b 65536 -T $((90 * SLOW))
	signal_stuck STOP
	stuck_senders "$type" "$2" -n 40 -T 1
	for pid in "${stuck[@]}"; do
		wait "$pid"
	done
	emptied 10
	read_the_rest || rc=1
	transfer $B4 "-t $type -n 20" "-t $type -n 20 -s 0-20000" || rc=1
	return $rc
}

# A reader that reads, if slowly, gets all of it
slow_is_not_stuck()
{
	local rc=0 given_up

	given_up=$(stat_of "$A" MsgOrphaned)
	set_sysctl "$A" orphan_timeout_s 1
	recv_start main -n 40 -b 65536 -S 100000 -x 100
	# It ends before they have arrived
	timeout -s KILL 1 ip netns exec "$A" uet_send -n 40 -s 20000 -T 60 \
		$B4/$PID
	recv_wait main || rc=1
	[ "$(stat_of "$A" MsgOrphaned)" -eq "$given_up" ] ||
		fail "some were given up"
	emptied 5
	return $rc
}

for type in rdm seq; do
	order=
	[ $type = seq ] && order=-o
	tst "$type: reader starts late" late_reader $type "$order"
	tst "$type: small buffer, slow reader" small_buffer $type "$order"
	tst "$type: messages longer than the buffer" \
		long_into_small_buffer $type "$order"
done
for size in "16384 40000" "65536 100000" "212992 256000"; do
	# shellcheck disable=SC2086
	for type in rdm seq; do
		tst "$type: several of ${size#* } bytes, buffer ${size% *}" \
			several_long $type $size
		tst "$type: ... packets are lost" \
			several_long $type $size "loss 2%"
	done
done
tst "seq: long ones of several senders on one line" many_ordered
tst "rdm: a stopped reader does not stop its neighbour" neighbours rdm
tst "a stopped reader does not stop a busy neighbour" busy_neighbour 20000
tst "... with messages of one packet" busy_neighbour 1000
tst "... and of other sizes" busy_neighbour 24-40000
for type in rdm seq; do
	tst "$type: senders are killed, nobody reads" killed $type 20000 -n 100
	tst "$type: ... messages of one packet" killed $type 1000 -n 100
	tst "$type: ... in the middle of a long one" killed $type 3m -b 65536
	tst "$type: SO_LINGER runs out, nobody reads" lingered $type 20000
	tst "$type: ... messages of one packet" lingered $type 1000
done
tst "a slow reader gets what was sent before close" slow_is_not_stuck
tst "a reader pauses among others" pause_among_others
tst "four senders, one slow reader" fan_in
tst "two long messages, the reader pauses" \
	long_messages 2 2097152 $(($(scaled 100) * 1000000))
tst "long messages into a small buffer, the reader pauses" \
	long_messages 4 65536 $(($(scaled 20) * 1000000))
finish
