#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Contexts that carry requests both ways (net.uet.return_requests): between two
# hosts that do so, and as a peer of raw packets sees it.
#
# check: uml-debug 300 -
# check: 6.1,6.12 300 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# Addresses of nobody: what is sent there reaches host A, which drops it
NET=10.0.0
FIRST=130
CASES=16

no_pdcs()
{
	[ "$(stat_of "$A" CurPdcs)" = 0 ] && [ "$(stat_of "$B" CurPdcs)" = 0 ]
}

# close_all: idle contexts end soon, here and there
close_all()
{
	both_sysctl pdc_idle_s 1
	wait_for 30 no_pdcs || fail "contexts stay:" \
		"$(stat_of "$A" CurPdcs) and $(stat_of "$B" CurPdcs)"
	both_sysctl pdc_idle_s 60
}

# ask N SIZE: questions of A and answers of B
ask()
{
	local server rc

	on "$B" uet_rr -l $PID &
	server=$!
	wait_for 10 on "$B" grep -q " 064 " /proc/net/uet
	on "$A" uet_rr -n "$1" -s "$2" "$B4" $PID
	rc=$?
	kill $server
	return $rc
}

# What B has opened and what it sends by that A has opened, now
opened()
{
	echo "$(stat_of "$B" PdcOpened) $(stat_of "$B" PdcReturned)"
}

answers_return()
{
	local before after

	set_sysctl "$B" return_requests 2
	before=$(opened)
	ask 200 100 || return 1
	after=$(opened)
	echo "opened and returned: $before, then $after"
	[ "${after% *}" = "${before% *}" ] && [ "${after#* }" -gt "${before#* }" ]
}

answers_return_lossy()
{
	set_sysctl "$B" return_requests 2
	fix_neighbours
	impair "$A" loss 5% delay 1ms 1ms duplicate 2%
	impair "$B" loss 5% delay 1ms 1ms duplicate 2%
	ask "$(scaled 200)" 9000
	local rc=$?
	impair "$A"
	impair "$B"
	return $rc
}

# Who waits for the contexts to be idle finds none at either end, and begins anew.
idle_ends_both()
{
	set_sysctl "$B" return_requests 2
	ask 10 100 || return 1
	close_all
	answers_return
}

# The process that opened it is gone with its host: the other one finds out.
host_goes()
{
	set_sysctl "$B" return_requests 2
	ask 10 100 || return 1
	ip netns del "$A"
	ip netns add "$A"
	ip link add uet0 mtu 4224 netns "$A" type veth peer name uet0 mtu 4224 \
		netns "$B"
	setup_host "$A" "$A4" "$A6"
	setup_host "$B" "$B4" "$B6"
	set_sysctl "$B" return_requests 2
	ask 10 100
}

# Both send to each other all the time while contexts come and go.
namespace_goes_in_mid_flight()
{
	local i

	both_sysctl return_requests 2
	on "$B" uet_recv -p $PID -I -T 60 >/dev/null 2>&1 &
	on "$A" uet_recv -p $PID -I -T 60 >/dev/null 2>&1 &
	wait_for 10 on "$B" grep -q . /proc/net/uet
	for i in 1 2 3; do
		on "$A" uet_send -D 20 -s 20k "$B4/$PID" >/dev/null 2>&1 &
		on "$B" uet_send -D 20 -s 20k "$A4/$PID" >/dev/null 2>&1 &
	done
	wait_for 10 arrived 20 || fail "nothing arrives"
	[ "$(stat_of "$A" PdcReturned)" != 0 ] ||
		[ "$(stat_of "$B" PdcReturned)" != 0 ] || fail "none is returned"
	clean_processes
	teardown_pair
	setup_pair
}

setup_pair
tst "answers by the contexts of the questions" answers_return
tst "... with loss, delay and duplicates" answers_return_lossy
tst "idle contexts end at both ends" idle_ends_both
tst "the host that opened them is gone" host_goes
tst "a namespace goes in mid flight" namespace_goes_in_mid_flight
for ((i = 0; i < CASES; i++)); do
	ip -n "$B" neigh replace $NET.$((FIRST + i)) dev uet0 \
		lladdr "$(on "$A" cat /sys/class/net/uet0/address)"
done
on "$B" uet_recv -p 200 -I -T $((600 * SLOW)) >/dev/null 2>&1 &
wait_for 10 on "$B" grep -q " 0c8 " /proc/net/uet
raw_cases both_ways.py $B4 $NET $FIRST "$B" $SLOW
finish
