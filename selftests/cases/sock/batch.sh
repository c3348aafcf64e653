#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Messages of one sendmmsg() leave together, and arrive all, whole and in order, also
# if the call ends before its last one, packets are lost, the sender dies or its
# network namespace goes away.
#
# check: uml-debug 400 turn2
# check: 6.1,6.12 400 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

N=$(scaled 2000)
SIZES=0-6000

# batched TEXT COMMAND...: how many messages waited for others meanwhile: all, but one
# of 32 and those that were enough together; or none
batched()
{
	local want=$1 before n
	shift

	before=$(stat_of "$A" MsgBatched)
	"$@" || return 1
	n=$(($(stat_of "$A" MsgBatched) - before))
	echo "$n of $N waited for others"
	case $want in
	none)	[ "$n" -eq 0 ] ;;
	most)	[ "$n" -gt $((N * 3 / 4)) ] && [ "$n" -lt "$N" ] ;;
	esac
}

ordered()
{
	transfer "$1" "-n $N -o" "-t seq -n $N -s $SIZES $2"
}

unordered()
{
	transfer "$1" "-n $N" "-n $N -s $SIZES $2"
}

rx_softirqs()
{
	awk '$1 == "NET_RX:" { for (i = 2; i <= NF; i++) n += $i; print n }' \
		/proc/softirqs
}

# softirqs COMMAND...: how many receive softirqs ran meanwhile
softirqs()
{
	local before

	before=$(rx_softirqs)
	"$@" >&2 || return 1
	echo $(($(rx_softirqs) - before))
}

# Each softirq receives several packets.
together()
{
	local one many

	one=$(softirqs transfer "$B4" "-n $N" "-c -n $N -s 100") || return 1
	many=$(softirqs transfer "$B4" "-n $N" "-c -n $N -s 100 -G 32") || return 1
	echo "$N messages: $one receive softirqs one by one, $many in batches"
	[ "$many" -lt $((one / 2)) ]
}

# acks_of SETTING: how often the receiver answers 64 packets that come at once, with
# that setting of ack_coalesce
acks_of()
{
	local before

	set_sysctl "$B" ack_coalesce "$1"
	before=$(stat_of "$B" TxAcks)
	transfer "$B4" "-n $N" "-c -n $N -s 4096 -G 64 -C fixed" >&2 || return 1
	echo $(($(stat_of "$B" TxAcks) - before))
}

# What arrives in one burst is acknowledged every 64 KiB and at its end, not every
# 16 KiB.
at_the_end()
{
	local each burst

	both_sysctl link_mbps 10000
	both_sysctl base_rtt_us 1000
	each=$(acks_of 0) && burst=$(acks_of 1)
	both_sysctl link_mbps 0
	both_sysctl base_rtt_us 0
	echo "$N messages: $each acknowledgments one by one, $burst in bursts"
	[ "$each" -ge $((N / 5)) ] && [ "$burst" -lt $((each * 4 / 5)) ]
}

# Two receivers get every other message: nothing waits for what another one gets.
in_turn()
{
	local rc=0

	recv_start main -o -n $((N / 2))
	recv_start other -o -n $((N / 2)) -p $((PID + 1))
	send_from_a -w -t seq -n $((N / 2 * 2)) -s $SIZES -G 32 \
		"$B4/$PID" "$B4/$((PID + 1))" || rc=1
	recv_wait main || rc=1
	recv_wait other || rc=1
	return $rc
}

lossy()
{
	local rc=0

	impair "$A" loss 2%
	impair "$B" loss 2%
	ordered "$B4" "-G 32" && unordered "$B6" "-G 32 -c" || rc=1
	impair "$A"
	impair "$B"
	return $rc
}

moving()
{
	[ "$(stat_of "$A" MsgBatched)" -gt "$1" ]
}

# Senders die in the middle of batches; what is next arrives.
killed()
{
	local i p

	for ((i = 0; i < 5; i++)); do
		recv_start main -I -A
		send_from_a -t seq -n 1000000 -s $SIZES -G 32 $B4/$PID &
		p=$(stat_of "$A" MsgBatched)
		wait_for 20 moving "$((p + 50))" || fail "no batches"
		clean_processes
		wait
	done
	ordered "$B4" "-G 32"
}

# The namespace of the sender goes with messages that wait, or that of the receiver.
removed()
{
	local i p

	for ((i = 0; i < 6; i++)); do
		recv_start main -I -A
		send_from_a -t seq -n 1000000 -s $SIZES -G 32 $B4/$PID &
		send_from_a -n 1000000 -s $SIZES -G 8 $B6/$PID &
		p=$(stat_of "$A" MsgBatched)
		wait_for 20 moving "$((p + 50))" || fail "no batches"
		p="$(ip netns pids "$A") $(ip netns pids "$B")"
		[ $((i % 3)) -ne 0 ] || ip netns del "$B"
		[ $((i % 3)) -ne 1 ] || ip netns del "$A"
		for p in $p; do
			kill -9 "$p"
		done
		wait
		teardown_pair
		setup_pair
	done
}

# A reader who gets no processor for a while must not narrow the window: then messages
# wait for that, not for others.
setup_pair
set_sysctl "$B" rmem 67108864
part uet_batch $A4
lean || part uet_batch $A6
tst "one by one, none waits" batched none ordered $B4 ""
tst "ordered, batches of 32" batched most ordered $B4 "-G 32"
tst "unordered, batches of 32" batched most unordered $B6 "-G 32"
tst "connected, batches of 64" batched most unordered $B4 "-c -G 64"
tst "non-blocking" ordered $B4 "-a -b 30000 -G 32"
tst "small buffer" ordered $B4 "-b 30000 -G 32"
tst "long messages among them" transfer $B4 "-n 100 -o" \
	"-t seq -n 100 -s 100,200k,5000,0,1m -G 7"
tst "a softirq receives several" together
tst "a burst is acknowledged at its end" at_the_end
tst "two receivers in turn" in_turn
tst "packets are lost" lossy
tst "senders are killed" killed
tst "namespaces are removed" removed
finish
