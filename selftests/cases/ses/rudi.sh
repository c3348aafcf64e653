#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Writes to windows (RUDI): what programs see, over a network that loses, mixes up and
# doubles packets, in each form of packets, and a namespace that goes meanwhile.
#
# check: uml-debug 300 -
# check: 6.1,6.12 300 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

STORE=$TREE/build/examples/store
KEY=4242
SIZE=$(scaled 8000000)
[ "$SIZE" -ge 800000 ] || SIZE=800000

# A file of host B, which it lets others write to
store_start()
{
	rm -f "$WORK/store" "$WORK/said"
	on "$B" "$STORE" serve "uet:///0/$PID" "$WORK/store" "$SIZE" $KEY \
		>"$WORK/said" 2>&1 &
	STORE_PID=$!
	wait_for 30 grep -qs ready "$WORK/said"
}

# A write is reported when it is in the store's buffer: the store may be still to read it
store_stop()
{
	wait_for 30 cmp -s "$WORK/data" "$WORK/store"
	cat "$WORK/said"
	kill "$(store_of)"
	wait "$STORE_PID" 2>/dev/null
	cmp "$WORK/data" "$WORK/store"
}

# stored ADDR: a file of host A is written there, and is the same
stored()
{
	local rc=0

	[ -s "$WORK/data" ] || head -c "$SIZE" /dev/urandom >"$WORK/data"
	store_start || fail "no store"
	on "$A" "$STORE" put "uet://$1/0/$PID" $KEY 0 <"$WORK/data" || rc=1
	store_stop || rc=1
	return $rc
}

# Nothing is left of a peer, and the target has made no context
nothing_left()
{
	local mem

	stored "$B4" || return 1
	mem=$(stat_of "$B" CurMem)
	echo "$mem bytes, $(stat_of "$B" CurPdcs) contexts, $(stat_of "$A" CurPdcs) here"
	[ "$(stat_of "$B" CurPdcs)" = 0 ] && [ "$(stat_of "$A" CurPdcs)" = 0 ]
}

impaired()
{
	local rc=0 retx

	retx=$(stat_of "$A" RetxRudi)
	impair "$A" "$@" || skip "no netem here"
	stored "$B4" && stored "$B6" || rc=1
	impair "$A"
	echo "$(($(stat_of "$A" RetxRudi) - retx)) retransmissions"
	return $rc
}

# Answers are lost
unanswered()
{
	local rc=0 before

	before=$(stat_of "$B" RxRudi)
	impair "$B" loss 20% || skip "no netem here"
	stored "$B4" || rc=1
	impair "$B"
	echo "$(($(stat_of "$B" RxRudi) - before)) requests"
	return $rc
}

in_form()
{
	local rc=0

	set_sysctl "$A" encap "$1"
	set_sysctl "$A" data_protect "$2"
	stored "$B4" && stored "$B6" || rc=1
	set_sysctl "$A" encap udp
	set_sysctl "$A" data_protect 2
	return $rc
}

# The store stops for a while
pause()
{
	local rc=0

	store_start || fail "no store"
	kill -STOP "$(store_of)"
	on "$A" "$STORE" put "uet://$B4/0/$PID" $KEY 0 <"$WORK/data" &
	sleep 2
	kill -CONT "$(store_of)"
	wait $! || rc=1
	store_stop || rc=1
	return $rc
}

store_of()
{
	local p

	for p in $(ip netns pids "$B"); do
		tr '\0' ' ' <"/proc/$p/cmdline" | grep -q "^$STORE serve" && echo "$p"
	done
}

# Who does not answer is given up, and says why
silent()
{
	local rc=0

	set_sysctl "$A" peer_timeout_s 2
	impair "$A" loss 100% || skip "no netem here"
	echo words | on "$A" "$STORE" put "uet://$B4/0/$PID" $KEY 0 2>"$WORK/why"
	[ $? = 1 ] || rc=1
	cat "$WORK/why"
	grep -q ETIMEDOUT "$WORK/why" || rc=1
	impair "$A"
	set_sysctl "$A" peer_timeout_s 30
	return $rc
}

# A host with other sockets says who is not there
nobody()
{
	recv_start other -p 300 -I -n 1
	echo words | on "$A" "$STORE" put "uet://$B4/0/299" $KEY 0 2>"$WORK/why"
	cat "$WORK/why"
	grep -q "ECONNREFUSED.*BAD_PID" "$WORK/why"
}

# A router says that there is no such host, a few times: that is believed in seconds, and
# of what is on its way. What the same socket sends later has time for its answer.
routed()
{
	ip -n "$R" route add unreachable $FAR4
	lines | on "$A" timeout $((60 * SLOW)) uet_write $FAR4 $PID $KEY >"$WORK/ends"
	kill "$(store_of)"
	cat "$WORK/ends"
	[ "$(paste -sd ' ' "$WORK/ends")" = "EHOSTUNREACH 0" ]
}

lines()
{
	echo first
	wait_for 30 grep -qs . "$WORK/ends" || return 1
	ip -n "$R" route del unreachable $FAR4
	impair "$B" delay 300ms
	store_start
	echo second
}

# ... also where some are always on their way
routed_always()
{
	local rc=0

	set_sysctl "$A" rto_min_us 100000
	ip -n "$R" route add unreachable $FAR4
	on "$A" uet_write $FAR4 $PID $KEY - $((30 * SLOW)) >"$WORK/ends" &
	local writer=$!
	sleep 4
	kill -0 $writer || fail "it has ended"
	ip -n "$R" route del unreachable $FAR4
	impair "$B" delay 300ms
	store_start
	wait $writer || rc=1
	kill "$(store_of)"
	cat "$WORK/ends"
	return $rc
}

# The round trip is longer than the first timeout, and than rto_max_ms
far()
{
	local packets retx

	packets=$(stat_of "$A" TxRudi)
	retx=$(stat_of "$A" RetxRudi)
	impair "$A" delay 150ms || skip "no netem here"
	impair "$B" delay 150ms
	time stored "$B4" || return 1
	impair "$A"
	impair "$B"
	packets=$(($(stat_of "$A" TxRudi) - packets))
	retx=$(($(stat_of "$A" RetxRudi) - retx))
	echo "$retx retransmissions of $packets packets"
	[ $((retx * 4)) -lt $packets ]
}

# A socket is bound to an address that has gone before its first write
source_gone()
{
	local sent

	set_sysctl "$A" peer_timeout_s 3
	store_start || fail "no store"
	sent=$(stat_of "$B" RxRudi)
	ip -n "$A" addr add fd00::11/64 dev uet0 nodad
	(sleep 1; ip -n "$A" addr del $A6/64 dev uet0; echo words) |
		on "$A" uet_write $B6 $PID $KEY $A6 >"$WORK/ends"
	ip -n "$A" addr add $A6/64 dev uet0 nodad
	ip -n "$A" addr del fd00::11/64 dev uet0
	set_sysctl "$A" peer_timeout_s 30
	kill "$(store_of)"
	cat "$WORK/ends"
	echo "$(($(stat_of "$B" RxRudi) - sent)) packets came"
	[ "$(<"$WORK/ends")" = EADDRNOTAVAIL ] &&
		[ "$(stat_of "$B" RxRudi)" = "$sent" ]
}

# Namespaces go with writes that are not answered
goes()
{
	impair "$B" loss 100% || skip "no netem here"
	store_start || fail "no store"
	on "$A" "$STORE" put "uet://$B4/0/$PID" $KEY 0 <"$WORK/data" &
	local put=$!
	wait_for 20 retransmits || fail "nothing is sent again"
	kill -9 $put
	kill -9 "$(store_of)"
	teardown_pair
	setup_pair
}

retransmits()
{
	[ "$(stat_of "$A" RetxRudi)" -gt 50 ]
}

setup_pair
part uet_write $A4
part uet_write $A6
tst "over IPv4, and nothing is left" nothing_left
tst "over IPv6" stored $B6
tst "some are lost" impaired loss 10%
tst "out of order, some twice" impaired delay 2ms 1ms duplicate 10%
tst "answers are lost" unanswered
tst "directly over IP" in_form ip 2
tst "with a CRC" in_form udp 1
tst "directly over IP with a CRC" in_form ip 1
tst "a round trip of 300 ms" far
tst "the store stops" pause
tst "the address of the socket is gone" source_gone
tst "nobody answers" silent
tst "no such process" nobody
tst "the namespace goes with some on their way" goes
tst "a router has no route: EHOSTUNREACH, until it has" \
	behind_router routed
tst "... and others are on their way" behind_router routed_always
finish
