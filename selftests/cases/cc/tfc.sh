#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# TFC, cells of the destination's buffer as credit: data arrives whole over a bad network
# and after every grant was lost; a slow reader refuses nothing, and stops no other
# source; who fills the buffer by one message gets on; either end without the other.
#
# check: uml-debug 400 turn3
# check: 6.1,6.12 400 full
. "$(dirname "$0")/../../lib.sh"

# added COMMAND...: what it added to counters of host B, as $d_NAME, and to Holds of A
added()
{
	local name rc counters="TxCredits CreditGranted CreditSources CreditBeyond
		CreditTakenBack Shortage RxReqs TxNacks"

	for name in $counters; do
		eval "d_$name=$(stat_of "$B" "$name")"
	done
	d_Holds=$(stat_of "$A" Holds)
	"$@"
	rc=$?
	for name in $counters; do
		eval "d_$name=\$(($(stat_of "$B" "$name") - d_$name))"
		eval "echo $name \$d_$name"
	done
	d_Holds=$(($(stat_of "$A" Holds) - d_Holds))
	echo "Holds $d_Holds"
	return $rc
}

# granted: cells were asked for and given, and what fits the buffer was not refused
granted()
{
	[ "$d_TxCredits" -gt 0 ] && [ "$d_CreditGranted" -gt 0 ] &&
		unrefused
}

# A message larger than the buffer gets cells beyond it, for which there may be no room
unrefused()
{
	[ "$d_CreditBeyond" -gt 0 ] || { [ "$d_Shortage" -eq 0 ] && [ "$d_Holds" -eq 0 ]; }
}

plain()
{
	added transfer "$1" "-n 20" "-n 20 -s 0-2000000" && granted
}

ordered()
{
	added transfer "$B4" "-t seq -o -n 20" "-t seq -n 20 -s 1-500000" && granted
}

# Many packets that are much smaller than their memory
small()
{
	added transfer "$B4" "-n 20000" "-n 20000 -s 1-200" && granted
}

# By the option of a socket, to a host that has it
by_option()
{
	local rc=0

	set_sysctl "$A" congestion_control nscc
	added transfer "$B4" "-n 20" "-n 20 -s 1-500000 -C tfc" && granted || rc=1
	both_sysctl congestion_control tfc
	return $rc
}

# Loss in both directions hits data, ACKs, credit and requests for it; nothing that is
# lost keeps a part of the buffer
lossy()
{
	local rc=0

	impair "$A" loss 3% delay 1ms 1ms duplicate 3%
	impair "$B" loss 3%
	added transfer "$B4" "-n 200 -s 100" "-n 200 -s 1-60000" || rc=1
	impair "$A"
	impair "$B"
	unrefused || rc=1
	added transfer "$B4" "-n 20" "-n 20 -s 1-1000000" || rc=1
	return $rc
}

# One buffer for all who send to a host: nobody is left out
several()
{
	local i rc=0 pids=

	recv_start main -x 100 -n 80
	for i in 1 2 3 4 5 6 7 8; do
		# Traffic classes make contexts, sockets do not
		send_from_a -i "$i" -d "$i" -w -n 10 -s 100000 "$B4/$PID" &
		pids="$pids $!"
	done
	for i in $pids; do
		wait "$i" || rc=1
	done
	recv_wait main || rc=1
	return $rc
}

shared()
{
	added several && granted && [ "$d_CreditSources" -ge 8 ]
}

# send_pauses: one context, which outlives the sockets, sends after rests
send_pauses()
{
	local i

	recv_start main -x 100 -n 6
	for i in 1 2 3; do
		send_from_a -i "$i" -w -n 2 -s 700000 "$B4/$PID" || return 1
		sleep 1.2
	done
	recv_wait main
}

# What was not used for a second is given up: the context begins anew, under another id
rest()
{
	added send_pauses && granted && [ "$d_CreditSources" -ge 2 ]
}

# No packet of the receiver gets through for a while: data waits for cells that were
# granted and lost, and must ask for them.
grants_lost()
{
	local rc=0 sender asked

	asked=$(stat_of "$A" TxCreditReqs)
	recv_start main -x 100 -n 40
	send_from_a -w -n 40 -s 1000000 "$B4/$PID" &
	sender=$!
	for _ in 1 2 3 4; do
		sleep 0.2
		impair "$B" loss 100%
		sleep 0.3
		impair "$B"
	done
	wait $sender || rc=1
	recv_wait main || rc=1
	echo "requests $(($(stat_of "$A" TxCreditReqs) - asked))," \
		"received $(stat_of "$B" RxCreditReqs)"
	return $rc
}

rx_bytes_over()
{
	[ "$(stat_of "$B" RxBytes)" -gt "$1" ]
}

# The receiver is gone for good: a source that waits for cells must notice
silence()
{
	local rc received

	set_sysctl "$A" peer_timeout_s 2
	recv_start main -n 100000
	received=$(stat_of "$B" RxBytes)
	send_from_a -F -w -n 100000 -s 1000000 "$B4/$PID" >"$WORK/send" &
	wait_for 20 rx_bytes_over $((received + 5000000)) || return 1
	impair "$B" loss 100%
	wait $!
	rc=$?
	impair "$B"
	set_sysctl "$A" peer_timeout_s 30
	cat "$WORK/send"
	[ "$rc" -ne 0 ] && grep -q ETIMEDOUT "$WORK/send"
}

# slow ALGORITHM: a reader that is slower than its source, two of them, so that no
# penalty slows the source; their buffers are those that are configured, for good
slow()
{
	local n rc=0 pids= pid

	n=$(scaled 300)
	for pid in 101 102; do
		PID=$pid recv_start "r$pid" -n "$n" -z 20000 -S 2000 -b 200000
		send_from_a -i "$pid" -C "$1" -w -n "$n" -s 20000 "$B4/$pid" &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || rc=1
	done
	recv_wait r101 || rc=1
	recv_wait r102 || rc=1
	return $rc
}

slow_readers()
{
	set_sysctl "$B" tfc_buffer 50000
	added slow fixed || return 1
	[ "$d_Shortage" -gt 0 ] || fail "no packet was refused without TFC"
	added slow tfc || return 1
	set_sysctl "$B" tfc_buffer 0
	granted && [ "$d_Shortage" -eq 0 ] && [ "$d_Holds" -eq 0 ]
}

# A reader that has stopped, and a source that fills its share of the buffer; another
# source goes on with the rest
beside_stopped()
{
	local rc=0

	PID=101 recv_start stopped -n 1000 -T 120
	pkill_readers STOP
	send_from_a -i 101 -d 8 -n 1000 -s 20000 "$B4/101" &
	sleep 1
	added transfer "$B4" "-n 100" "-n 100 -s 20000" || rc=1
	unrefused || rc=1
	pkill_readers CONT
	return $rc
}

pkill_readers()
{
	local p

	for p in $(ip netns pids "$B"); do
		kill "-$1" "$p"
	done
}

# Messages that fill the buffer before they can be read, of two sources at a time
filling()
{
	local rc=0 i pids=

	recv_start main -x 100 -n 6
	for i in 1 2; do
		send_from_a -i "$i" -d "$i" -w -n 3 -s 1000000 "$B4/$PID" &
		pids="$pids $!"
	done
	for i in $pids; do
		wait "$i" || rc=1
	done
	recv_wait main || rc=1
	return $rc
}

larger_than_buffer()
{
	set_sysctl "$B" tfc_buffer 65536
	added filling || return 1
	set_sysctl "$B" tfc_buffer 0
	[ "$d_CreditBeyond" -gt 0 ]
}

# No packet fits the buffer
no_buffer()
{
	local rc=0

	set_sysctl "$B" tfc_buffer 1
	added transfer "$B4" "-n 4" "-n 4 -s 1-20000" || rc=1
	set_sysctl "$B" tfc_buffer 0
	return $rc
}

# first_cells CELLS CLASS: before a grant. A context keeps its settings, so each has a
# traffic class of its own.
first_cells()
{
	local rc=0

	both_sysctl tfc_first "$1"
	added transfer "$B4" "-n 10" "-n 10 -s 100000 -d $2" || rc=1
	granted || rc=1
	both_sysctl tfc_first 64
	return $rc
}

# cells BYTES OVERHEAD CLASS
cells()
{
	local rc=0

	both_sysctl tfc_cell "$1"
	both_sysctl tfc_overhead "$2"
	added transfer "$B4" "-n 10" "-n 10 -s 1-300000 -d $3" || rc=1
	granted || rc=1
	both_sysctl tfc_cell 256
	both_sysctl tfc_overhead 768
	return $rc
}

# one_end SOURCE DESTINATION CLASS: data arrives, whoever counts what
one_end()
{
	local rc=0

	set_sysctl "$A" congestion_control "$1"
	set_sysctl "$B" congestion_control "$2"
	transfer "$B4" "-n 20" "-n 20 -s 1-500000 -d $3" || rc=1
	both_sysctl congestion_control tfc
	return $rc
}

# A receiver goes with messages that it has not read: their cells are for others
reader_gone()
{
	local i

	for i in 1 2 3 4; do
		PID=101 recv_start gone -n 1000
		pkill_readers STOP
		send_from_a -i 101 -n 1000 -s 20000 "$B4/101" &
		sleep 0.5
		clean_processes
		wait
	done
	added transfer "$B4" "-n 20" "-n 20 -s 1-500000" && granted
}

device_gone()
{
	! ip -n "$A" link show dev uet0 >/dev/null 2>&1
}

# A namespace goes while messages that were not read hold cells, and others wait for some
receiver_goes()
{
	local received

	received=$(stat_of "$B" RxBytes)
	PID=101 recv_start stopped -n 1000
	pkill_readers STOP
	send_from_a -i 101 -n 1000 -s 20000 "$B4/101" &
	wait_for 20 rx_bytes_over $((received + 100000)) || return 1
	clean_processes
	ip netns del "$B"
	wait_for 60 device_gone || fail "the namespace stays"
}

setup_pair
both_sysctl congestion_control tfc
tst "IPv4" plain "$B4"
tst "IPv6" plain "$B6"
tst "ordered" ordered
tst "small packets" small
tst "by the option of a socket" by_option
tst "with loss, reordering and duplicates" lossy
tst "several sources" shared
tst "after a rest the count begins anew" rest
tst "grants lost" grants_lost
tst "peer silent" silence
tst "slow readers refuse nothing" slow_readers
tst "a source beside one whose reader has stopped" beside_stopped
tst "messages larger than the buffer" larger_than_buffer
tst "a buffer smaller than a packet" no_buffer
tst "no first cells" first_cells 0 11
tst "many first cells" first_cells 1000 12
tst "large cells" cells 4096 0 13
tst "small cells" cells 64 1000 14
for end in "tfc nscc 21" "tfc rccc 22" "nscc tfc 23" "rccc tfc 24" "fixed tfc 25"; do
	# shellcheck disable=SC2086
	tst "source and destination: $end" one_end $end
done
tst "a reader goes with what it has not read" reader_gone
tst "a namespace goes with what was not read" receiver_goes
finish
