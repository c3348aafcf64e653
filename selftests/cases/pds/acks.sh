#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# How often a receiver answers: bulk data once per ACK_Gen_Trigger bytes, a
# short request and its reply by two packets.
#
# check: uml,uml-debug,6.1,6.12 180 full
# check: vtime 1200 -
. "$(dirname "$0")/../../lib.sh"

# sum_of NETNS NAME...: counters added up
sum_of()
{
	local netns=$1 name total=0
	shift

	for name in "$@"; do
		total=$((total + $(stat_of "$netns" "$name")))
	done
	echo "$total"
}

# bulk LEAST MOST: packets that an answer is for, on average. A window that is never
# full is answered by bytes; one that is full must not ask with each packet that fills
# it. In real time a window that ACKs steer would shrink where they are late, and ask
# more often.
bulk()
{
	local reqs acks cc=nscc

	[ "$VIRTUAL" = 1 ] || cc=fixed

	reqs=$(stat_of "$A" TxReqs) acks=$(stat_of "$B" TxAcks)
	transfer "$B4" "-n 10" "-n 10 -s 1000000 -C $cc" || return 1
	reqs=$(($(stat_of "$A" TxReqs) - reqs))
	acks=$(($(stat_of "$B" TxAcks) - acks))
	echo "$reqs requests, $acks answers"
	[ $((acks * $1)) -le "$reqs" ] && [ $((acks * $2)) -ge "$reqs" ]
}

# 16 KiB are 4 packets
single()
{
	local rc=0

	set_sysctl "$A" udp_csum 0
	bulk 3 5 || rc=1
	set_sysctl "$A" udp_csum 1
	return $rc
}

# 64 KiB, or four runs, at most 128 KiB
in_runs()
{
	bulk 5 32
}

# Without a word of its own the receiver speaks for each packet
per_packet()
{
	local reqs acks

	set_sysctl "$B" ack_per_packet 1
	reqs=$(stat_of "$A" TxReqs) acks=$(stat_of "$B" TxAcks)
	transfer "$B4" "-n 5" "-n 5 -s 1000000" || return 1
	reqs=$(($(stat_of "$A" TxReqs) - reqs))
	acks=$(($(stat_of "$B" TxAcks) - acks))
	set_sysctl "$B" ack_per_packet 0
	echo "$reqs requests, $acks answers"
	[ "$acks" -ge "$reqs" ]
}

# One client, one server, one question at a time: the answer says that the
# question came, and the tail probe asks for the last one only. In real time a
# guest that gets no processor is late with it, and its ACK goes ahead.
exchange()
{
	local n=200 before pkts limit=250

	[ "$VIRTUAL" = 1 ] || limit=500

	rm -f "$WORK/server"
	on "$B" uet_rr -l 200 >"$WORK/server" &
	wait_for 10 grep -q ready "$WORK/server" || return 1
	on "$A" uet_rr -n 1 "$B4" 200 >/dev/null || return 1
	before=$(sum_of "$A" TxPkts RxPkts)
	on "$A" uet_rr -n $n "$B4" 200 || return 1
	pkts=$(($(sum_of "$A" TxPkts RxPkts) - before))
	echo "$pkts packets for $n exchanges"
	[ "$pkts" -le $((n * limit / 100)) ]
}

# By the rules of UE 1.0 each message asks, so its ACK does not wait for the reply
exchange_by_spec()
{
	local n=100 before pkts

	both_sysctl profile spec
	rm -f "$WORK/server"
	on "$B" uet_rr -l 200 >"$WORK/server" &
	wait_for 10 grep -q ready "$WORK/server" || return 1
	on "$A" uet_rr -n 1 "$B4" 200 >/dev/null || return 1
	before=$(sum_of "$A" TxPkts RxPkts)
	on "$A" uet_rr -n $n "$B4" 200 || return 1
	pkts=$(($(sum_of "$A" TxPkts RxPkts) - before))
	both_sysctl profile module
	echo "$pkts packets for $n exchanges"
	[ "$pkts" -ge $((n * 4 - 4)) ]
}

# seen_request ID: a request of a message with that id goes out
seen_request()
{
	on "$A" timeout $((20 * SLOW)) tcpdump -c 1 -i uet0 -w /dev/null \
		"udp dst port 4793 and udp[8] & 0xf8 = 16 and udp[22:2] = $1"
}

# Message id 0 is for datagrams and "none": not given when ids come round
no_id_zero()
{
	local zero one

	[ "$SLOW" = 1 ] && [ "$VIRTUAL" = 0 ] || skip "takes 66000 messages"
	seen_request 0 &
	zero=$!
	seen_request 1 &
	one=$!
	sleep 1
	transfer "$B4" "-n 66000" "-n 66000 -s 24" || return 1
	wait $one || fail "ids did not come round"
	kill $zero 2>/dev/null
	! wait $zero || fail "a message has id 0"
}

setup_pair
# The speed of an emulated host must not look like congestion or loss: a slow
# link with a window of 187 KB, which is full all the time.
both_sysctl link_mbps 200
both_sysctl base_rtt_us 5000
both_sysctl rto_min_us 4000000
impair "$A" rate 200mbit delay 1ms
impair "$B" rate 200mbit delay 1ms

tst "bulk data is answered once in 16 KiB" single
tst "... in runs less often, once in 128 KiB at least" in_runs
tst "one answer per packet if set" per_packet
impair "$A"
impair "$B"
tst "an exchange takes two packets" exchange
tst "... by the rules of UE 1.0 four" exchange_by_spec
both_sysctl link_mbps 0
both_sysctl base_rtt_us 0
both_sysctl rto_min_us 1000
tst "no message has id 0" no_id_zero
finish
