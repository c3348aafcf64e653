#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The local address: it goes, comes back, moves, is not ready yet or not the best one any
# more. What was not sent leaves from a good one, and nobody waits for a bad one.
#
# check: vtime 1500 turn3
# check: uml-debug 1500 full
# check: 6.1,6.12 900 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

UET=${UET_TOOL:-$TREE/build/uet/uet}

fresh_pair()
{
	teardown_pair
	ip netns del "$R" 2>/dev/null
	setup_pair
	fix_neighbours
	# Some hundred messages a second are enough
	impair "$B" delay 50ms
	# Nothing is given up that an address is waited for
	set_sysctl "$A" peer_timeout_s 600
}

fresh_router()
{
	teardown_pair
	ip netns del "$R" 2>/dev/null
	setup_router
	set_sysctl "$A" peer_timeout_s 600
}

# The local addresses by which A has contexts
sources()
{
	"$UET" -n "$A" -j pdc show | grep -o '"local": *"[^"]*"' | sort -u
}

uses()
{
	sources | grep -q "\"[[]*$1[]]*[\":]"
}

# begin ADDR OPTIONS...: one socket that sends for as long as the case takes
begin()
{
	recv_start main -I
	send_from_a -D 3600 -s 1000 -b 20k "${@:2}" "$1/$PID" >"$WORK/send" 2>&1 &
	sender=$!
	goes_on
}

# Messages arrive
goes_on()
{
	wait_for 10 arrived $(($(stat_of "$B" MsgReceived) + 50)) ||
		fail "nothing arrives"
}

# end ERRNO...: the sender ends; what failed did so by one of these
end()
{
	local failed p

	goes_on
	for p in $(ip netns pids "$A"); do
		[ "$(cat "/proc/$p/comm" 2>/dev/null)" != uet_send ] ||
			kill -TERM "$p"
	done
	wait $sender
	cat "$WORK/send"
	failed=$(($(field failed "$WORK/send") + $(field refused "$WORK/send")))
	[ "$failed" = 0 ] && return
	[[ " $* " = *" $(field errno "$WORK/send") "* ]] || fail "$failed messages"
}

replace()
{
	ip -n "$A" addr del "$2" dev uet0
	ip -n "$A" addr add "$3" dev uet0 ${4:-}
}

# Another address instead of this one: all goes on from that
replaced()
{
	fresh_pair
	begin "$1"
	replace "$@" || return 1
	goes_on
	sources
	uses "${3%/*}" || return 1
	end EADDRNOTAVAIL
}

# What waits when that happens: what was sent may have arrived, and fails; the rest moves
replaced_while_sending()
{
	local n

	fresh_pair
	begin "$1"
	end
	impair "$A" loss 100% || skip "no netem here"
	send_from_a -n 400 -s 4000 -b 8m -w "$1/$PID" >"$WORK/send" &
	sender=$!
	wait_for 10 loses 3 || fail "nothing is sent"
	replace "$@" || return 1
	impair "$A"
	wait $sender
	cat "$WORK/send"
	n=$(($(field delivered "$WORK/send") + $(field failed "$WORK/send")))
	[ "$n" = 400 ] || fail "$n of 400 were reported"
	[ "$(field delivered "$WORK/send")" -gt 0 ] || fail "none moved"
	[ "$(field failed "$WORK/send")" = 0 ] ||
		[ "$(field errno "$WORK/send")" = EADDRNOTAVAIL ]
}

# At least N timeouts
loses()
{
	[ "$(stat_of "$A" RtoFired)" -ge "$1" ]
}

# There is no other address: messages wait, and the context lasts
gone_and_back()
{
	local n

	fresh_pair
	ip -n "$A" -6 addr flush dev uet0 scope link
	begin "$1"
	ip -n "$A" addr del "$2" dev uet0
	# What is under way arrives
	sleep 1
	n=$(stat_of "$B" MsgReceived)
	sleep 1
	kill -0 $sender || fail "nobody waits"
	[ "$(stat_of "$B" MsgReceived)" = "$n" ] || fail "messages leave"
	ip -n "$A" addr add "$2" dev uet0 ${3:-}
	goes_on
	end || return 1
	[ "$(stat_of "$A" PdcOpened)" = 1 ] || fail "another context"
}

# A socket that is bound to it uses no other one
bound()
{
	local sent

	fresh_pair
	ip -n "$A" addr add "$3" dev uet0 ${4:-}
	set_sysctl "$A" peer_timeout_s 2
	recv_start main -I
	sent=$(stat_of "$B" MsgReceived)
	send_from_a -D 600 -s 1000 -B "${2%/*}" -x EADDRNOTAVAIL "$1/$PID" \
		>"$WORK/send" 2>&1 &
	sender=$!
	wait_for 10 arrived $((sent + 20)) || fail "nothing comes"
	ip -n "$A" addr del "$2" dev uet0
	wait $sender
	cat "$WORK/send"
	[ "$(field errno "$WORK/send")" = EADDRNOTAVAIL ]
}

# It moves to another device of the host: nothing has happened
moved()
{
	fresh_pair
	begin $B4
	ip -n "$A" addr del $A4/24 dev uet0
	ip -n "$A" addr add $A4/32 dev lo
	ip -n "$A" route replace 10.0.0.0/24 dev uet0 src $A4
	goes_on
	wait_for 5 uses $A4 || return 1
	end EADDRNOTAVAIL
}

# better ADDR OLD NEW COMMAND...: after the command NEW is the better one
better()
{
	fresh_pair
	begin "$1"
	uses "$2" || fail "it does not begin with $2"
	"${@:4}" || return 1
	wait_for 5 uses "$3" || fail "$(sources)"
	goes_on
	end EADDRNOTAVAIL
}

deprecated()
{
	ip -n "$A" addr add fd00::21/64 dev uet0 nodad
	ip -n "$A" addr change $A6/64 dev uet0 preferred_lft 0
}

by_route()
{
	ip -n "$A" addr add 10.0.0.31/32 dev lo
	ip -n "$A" route replace 10.0.0.0/24 dev uet0 proto kernel scope link src 10.0.0.31
}

by_rule()
{
	ip -n "$A" addr add 10.0.0.31/32 dev lo
	ip -n "$A" route add 10.0.0.0/24 dev uet0 src 10.0.0.31 table 77
	ip -n "$A" rule add to 10.0.0.0/24 lookup 77
}

by_route6()
{
	ip -n "$A" addr add fd00::2:1/128 dev uet0 nodad
	ip -n "$A" -6 route add fd00::/64 dev uet0 src fd00::2:1 metric 100
}

promoted()
{
	on "$A" sysctl -qw net.ipv4.conf.all.promote_secondaries=1
	ip -n "$A" addr add 10.0.0.41/24 dev uet0
	ip -n "$A" addr del $A4/24 dev uet0
}

# Down and up, with another name: IPv6 addresses go with it
flaps()
{
	fresh_pair
	begin "$1"
	ip -n "$A" link set uet0 down
	ip -n "$A" link set uet0 name uet1
	sleep 0.5
	ip -n "$A" link set uet1 name uet0
	ip -n "$A" link set uet0 up
	ip -n "$A" addr replace $A6/64 dev uet0
	fix_neighbours
	goes_on
	end EADDRNOTAVAIL ENETUNREACH
}

# router ADDR OPTIONS...: host A behind a router, with a link-local address and this one
router()
{
	fresh_router
	wait_for 10 linklocal || fail "no link-local address"
	ip -n "$A" -6 route add default via fd04::1:fe dev uet0 onlink
	slow_dad
	[ $# -eq 0 ] || ip -n "$A" addr add "$1/112" dev uet0 "${@:2}"
}

linklocal()
{
	[ -n "$(ip -n "$A" -6 addr show dev uet0 scope link -tentative)" ]
}

# Duplicate address detection lasts for long enough to be seen, on a slow machine as well
slow_dad()
{
	on "$A" sysctl -qw net.ipv6.conf.uet0.dad_transmits=10
}

is_tentative()
{
	ip -n "$A" addr show dev uet0 tentative | grep -q "$1" ||
		skip "no duplicate address detection here"
}

# At boot: the address is there, and may not be used yet
tentative()
{
	router fd04::1:1
	is_tentative fd04
	recv_start main -n 20 -x 100
	send_from_a -n 20 -F -w "$FAR6/$PID" || return 1
	recv_wait main || return 1
	uses fd04::1:1
}

# The same with no address at all that could be used
tentative_alone()
{
	teardown_pair
	setup_pair
	set_sysctl "$A" peer_timeout_s 600
	recv_start main -n 20 -x 100
	slow_dad
	ip -n "$A" link set uet0 down
	ip -n "$A" link set uet0 up
	ip -n "$A" addr add $A6/64 dev uet0
	is_tentative fd00
	send_from_a -n 20 -F -w "$B6/$PID" || return 1
	recv_wait main
}

# It comes when messages have left from the link-local one, which nobody can answer
too_narrow()
{
	local sender n

	router
	recv_start main -I
	send_from_a -n 400 -s 4000 -b 8m -w "$FAR6/$PID" >"$WORK/send" &
	sender=$!
	wait_for 10 loses 2 || fail "it does not leave"
	ip -n "$A" addr add fd04::1:1/112 dev uet0 nodad
	wait $sender
	cat "$WORK/send"
	n=$(($(field delivered "$WORK/send") + $(field failed "$WORK/send")))
	[ "$n" = 400 ] || fail "$n of 400 were reported"
	[ "$(field delivered "$WORK/send")" -gt 0 ]
}

# Somebody else has it: it is never used, and what waits is told
duplicate()
{
	fresh_router
	wait_for 10 linklocal || fail "no link-local address"
	# Nor is there another one, whenever the detection ends
	ip -n "$A" -6 addr flush dev uet0 scope link
	set_sysctl "$A" peer_timeout_s 3
	ip -n "$R" addr add fd04::1:1/112 dev ra nodad
	ip -n "$A" addr add fd04::1:1/112 dev uet0
	ip -n "$A" -6 route add default via fd04::1:fe dev uet0
	is_tentative fd04
	send_from_a -n 3 -x EADDRNOTAVAIL "$FAR6/$PID" || return 1
	# Now it is known, and the kernel offers that of loopback
	ip -n "$A" -6 route get "$FAR6"
	send_from_a -n 3 -x EADDRNOTAVAIL "$FAR6/$PID"
}

setup_pair
tst "IPv4: replaced" replaced $B4 $A4/24 10.0.0.11/24
tst "IPv6: replaced" replaced $B6 $A6/64 fd00::11/64 nodad
tst "IPv4: replaced while messages wait" \
	replaced_while_sending $B4 $A4/24 10.0.0.11/24
tst "IPv6: replaced while messages wait" \
	replaced_while_sending $B6 $A6/64 fd00::11/64 nodad
tst "IPv4: gone and back" gone_and_back $B4 $A4/24
tst "IPv6: gone and back" gone_and_back $B6 $A6/64 nodad
tst "IPv4: gone, the socket is bound to it" bound $B4 $A4/24 10.0.0.11/24
tst "IPv6: gone, the socket is bound to it" bound $B6 $A6/64 fd00::11/64 nodad
tst "moved to another device" moved
tst "deprecated" better $B6 $A6 fd00::21 deprecated
tst "another one by route" better $B4 $A4 10.0.0.31 by_route
tst "another one by route, IPv6" better $B6 $A6 fd00::2:1 by_route6
tst "another one by rule" better $B4 $A4 10.0.0.31 by_rule
tst "a secondary one is promoted" better $B4 $A4 10.0.0.41 promoted
tst "IPv4: the interface goes and comes" flaps $B4
tst "IPv6: the interface goes and comes" flaps $B6
tst "tentative, beside a link-local one" tentative
tst "tentative, and no other one" tentative_alone
tst "link-local, then a global one" too_narrow
tst "a duplicate: EADDRNOTAVAIL" duplicate
ip netns del "$R"
finish
