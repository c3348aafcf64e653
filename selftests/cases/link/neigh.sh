#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The next hop is not known yet, or there is none: nothing is sent into the queue
# of a neighbour that has to be found, and who has none hears of it soon.
#
# check: uml-debug,6.1 240 -
# check: 6.12 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# Hosts that never met, on a link that takes its time to answer
fresh_pair()
{
	teardown_pair
	setup_pair
	# A timeout that fires because the guest is slow is not what this is about
	both_sysctl rto_min_us 2000000
	both_sysctl base_rtt_us 20000
	impair "$B" delay 10ms
}

# Nothing that was sent got lost: what was not waited for long enough, because the
# guest stood still, goes again and comes twice.
nothing_lost()
{
	wait_for 5 came_twice && return
	echo "of $(stat_of "$A" TxRetx) that went again $(stat_of "$B" RxDups) came twice:"
	on "$A" grep -E '^(Retx|Rto|Tail)' /proc/net/uet_stat
	return 1
}

came_twice()
{
	[ "$(stat_of "$A" TxRetx)" -le "$(stat_of "$B" RxDups)" ]
}

# first_messages ADDR TYPE: many at once to a host that was never talked to
first_messages()
{
	fresh_pair
	[ -z "$(ip -n "$A" neigh show "$1")" ] || fail "$1 is known already"
	recv_start main -n 60 -x 100
	send_from_a -t "$2" -n 60 -s 4096 -b 1m -w "$1/$PID" || return 1
	recv_wait main || return 1
	nothing_lost
}

# The same where the neighbour was forgotten and the context was not
forgotten()
{
	fresh_pair
	transfer "$1" "-n 1" "-n 1" || return 1
	ip -n "$A" neigh flush dev uet0
	[ -z "$(ip -n "$A" neigh show "$1")" ] || fail "$1 is known still"
	sleep 0.2
	transfer "$1" "-n 60" "-n 60 -s 4096 -b 1m" || return 1
	[ "$(stat_of "$A" PdcOpened)" = 1 ] || fail "it was another context"
	nothing_lost
}

# Over two ports, each with a neighbour of its own
two_ports()
{
	teardown_pair
	setup_links
	both_sysctl rto_min_us 2000000
	both_sysctl base_rtt_us 20000
	for port in p0 p1; do
		tc -n "$B" qdisc add dev $port root netem limit 10000 delay 10ms
	done
	recv_start main -n 60 -x 100
	send_from_a -n 60 -s 4096 -b 1m -w "$1/$PID" || return 1
	recv_wait main || return 1
	nothing_lost
}

# The neighbour is asked for three times within three seconds
nobody_there()
{
	local t0 ms

	fresh_pair
	t0=${EPOCHREALTIME/./}
	send_from_a -x EHOSTUNREACH -n 20 -b 1m "$1/$PID" || return 1
	ms=$(((${EPOCHREALTIME/./} - t0) / 1000))
	echo "reported after $ms ms"
	[ "$ms" -lt $((6000 * SLOW)) ] || return 1
	nothing_lost
}

# It comes while it is asked for: all goes on, nothing was lost
comes_late()
{
	local sender

	fresh_pair
	ip -n "$B" link set uet0 arp off
	recv_start main -n 20 -x 100
	send_from_a -n 20 -s 4096 -b 1m -w "$B4/$PID" &
	sender=$!
	sleep 0.5
	ip -n "$B" link set uet0 arp on
	wait $sender || return 1
	recv_wait main || return 1
	nothing_lost
}

# Who opens a context does not wait for the RTNL, which may be held for long. The
# validator of locks knows what was ever taken under the mutex of openings.
no_rtnl()
{
	local under

	fresh_pair
	transfer $B4 "-n 1" "-n 1" || return 1
	transfer $B6 "-n 1" "-n 1" || return 1
	[ -r /proc/lockdep ] || skip "no lock validator here"
	under=$(awk '/^[0-9a-fx]+ /  { open = /open_mutex/; seen += open }
		     open && /->/ { print $NF }
		     END { exit !seen }' /proc/lockdep) ||
		fail "the mutex is not known"
	echo "under open_mutex:" $under
	[[ "$under" != *rtnl_mutex* ]]
}

setup_pair
for addr in $B4 $B6; do
	for type in rdm seq; do
		tst "$addr: first messages, $type" first_messages $addr $type
	done
	tst "$addr: neighbour forgotten" forgotten $addr
	tst "$addr: two ports" two_ports $addr
done
tst "the first message waits for no RTNL" no_rtnl
tst "neighbour comes late" comes_late
tst "no neighbour: EHOSTUNREACH, soon" nobody_there 10.0.0.77
tst "no neighbour, IPv6: EHOSTUNREACH, soon" nobody_there fd00::77
finish
