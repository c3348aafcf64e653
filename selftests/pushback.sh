#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Readers that are slower than the sender lose nothing, and do not stop
# others on the same PDC.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

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
	for i in "${senders[@]}"; do
		wait "$i" || rc=1
	done
	cat "$WORK"/send-*
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
	for i in "${senders[@]}"; do
		wait "$i" || rc=1
	done
	cat "$WORK"/send-*
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
	for i in "${senders[@]}"; do
		wait "$i" || rc=1
	done
	cat "$WORK"/send-*
	recv_wait main || rc=1
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
tst "rdm: a stopped reader does not stop its neighbour" neighbours rdm
tst "a stopped reader does not stop a busy neighbour" busy_neighbour 20000
tst "... with messages of one packet" busy_neighbour 1000
tst "... and of other sizes" busy_neighbour 24-40000
tst "a reader pauses among others" pause_among_others
tst "four senders, one slow reader" fan_in
tst "two long messages, the reader pauses" \
	long_messages 2 2097152 $(($(scaled 100) * 1000000))
tst "long messages into a small buffer, the reader pauses" \
	long_messages 4 65536 $(($(scaled 20) * 1000000))
finish
