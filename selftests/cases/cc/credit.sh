#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Receiver credit, alone and with a window: data arrives whole over a bad
# network, several senders share the receiver's port, a source goes on after a
# rest, and after every grant was lost.
#
# check: uml-debug 240 -
# check: 6.1,6.12 240 full
. "$(dirname "$0")/../../lib.sh"

# Credit was asked for and given
granted()
{
	local credits

	credits=$(stat_of "$B" TxCredits)
	echo "credits sent $credits, bytes $(stat_of "$B" CreditGranted)"
	[ "$credits" -gt "${1:-0}" ]
}

plain()
{
	local before

	before=$(stat_of "$B" TxCredits)
	transfer "$2" "-n 20" "-n 20 -s 0-2000000 -C $1" && granted "$before"
}

# By the setting of the host instead of the socket; credit in ACKs too
by_sysctl()
{
	local rc=0

	both_sysctl congestion_control "$1"
	transfer "$B4" "-n 20" "-n 20 -s 1-1500000" || rc=1
	transfer "$B4" "-t seq -o -n 20" "-t seq -n 20 -s 1-500000" || rc=1
	both_sysctl congestion_control nscc
	return $rc
}

# Loss in both directions hits data, ACKs, credit and requests for it
lossy()
{
	local rc=0

	impair "$A" loss 3%
	impair "$B" loss 3%
	transfer "$B4" "-n 10" "-n 10 -s 100000-1000000 -C $1" || rc=1
	impair "$A"
	impair "$B"
	return $rc
}

# One pacer for all who send to a port: nobody is left out
several()
{
	local i rc=0 pids=

	recv_start main -x 100 -n 80
	for i in 1 2 3 4 5 6 7 8; do
		# Traffic classes make contexts, sockets do not
		send_from_a -i "$i" -w -n 10 -s 100000 -C "$1" \
			"$B4/$PID" &
		pids="$pids $!"
	done
	for i in $pids; do
		wait "$i" || rc=1
	done
	recv_wait main || rc=1
	return $rc
}

# A message now and then: what was given ahead is used up, then asked for
rest()
{
	local i

	recv_start main -x 100 -n 6
	for i in 1 2 3; do
		send_from_a -i "$i" -w -n 2 -s 700000 -C "$1" "$B4/$PID" ||
			return 1
		sleep 1.2
	done
	recv_wait main
}

# No packet of the receiver gets through for a while: data waits for credit
# that was given and lost, and must ask for it.
grants_lost()
{
	local rc=0 sender asked

	asked=$(stat_of "$A" TxCreditReqs)
	recv_start main -x 100 -n 40
	send_from_a -w -n 40 -s 1000000 -C "$1" "$B4/$PID" &
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

# The receiver is gone for good: a source that waits for credit must notice
silence()
{
	local rc received

	set_sysctl "$A" peer_timeout_s 2
	recv_start main -n 100000
	received=$(stat_of "$B" RxBytes)
	send_from_a -F -w -n 100000 -s 1000000 -C "$1" "$B4/$PID" >"$WORK/send" &
	wait_for 20 rx_bytes_over $((received + 5000000)) || return 1
	impair "$B" loss 100%
	wait $!
	rc=$?
	impair "$B"
	set_sysctl "$A" peer_timeout_s 30
	cat "$WORK/send"
	[ "$rc" -ne 0 ] && grep -q ETIMEDOUT "$WORK/send"
}

setup_pair
for cc in rccc nscc+rccc; do
	tst "$cc IPv4" plain $cc "$B4"
	tst "$cc IPv6" plain $cc "$B6"
	tst "$cc by sysctl, RUD and ROD" by_sysctl $cc
	tst "$cc with loss" lossy $cc
	tst "$cc, several senders" several $cc
	tst "$cc goes on after a rest" rest $cc
	tst "$cc, grants lost" grants_lost $cc
	tst "$cc, peer silent" silence $cc
done
teardown_pair

# A source that is restarted. Nobody has its address, which leads to host A.
setup_links
ip -n "$B" route add 10.9.0.0/16 nexthop via 10.1.0.1 dev p0 \
	nexthop via 10.1.1.1 dev p1
PID=200 recv_start reads -n 1000000 -I -A
raw_cases credit_source.py $B4 10.9.0.1 "$B" $SLOW
finish
