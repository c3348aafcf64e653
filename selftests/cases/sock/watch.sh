#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Watched destinations (UET_WATCH): what becomes of a server and of its host is
# reported to who waits for it, with the cause, and nothing else is.
#
# check: uml-debug 300 turn1
# check: 6.1,6.12 300 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# Another endpoint of host B, so that there is UET on it without the server
OTHER=300

# watch INTERVAL TIMEOUT ENDPOINT...: by a program on host A
watch()
{
	rm -f "$WORK/watch"
	on "$A" uet_watch "$@" >"$WORK/watch" 2>&1 &
	wait_for 20 grep -qs watching "$WORK/watch" || {
		cat "$WORK/watch"
		fail "uet_watch did not start"
	}
	wait_for 20 asked_since 0 || fail "no probe"
}

asked_since()
{
	[ "$(stat_of "$A" WatchProbes)" -gt "$1" ]
}

# server PID: on host B
server()
{
	recv_start "$1" -p "$1" -I -T 3000
}

# gone PID: the server is killed
gone()
{
	local p

	for p in $(ip netns pids "$B"); do
		tr '\0' ' ' <"/proc/$p/cmdline" | grep -q -- " -p $1 -I" &&
			kill -9 "$p"
	done
	eval "wait \$recv_pid_$1" 2>/dev/null
	return 0
}

# nth N: report N of endpoint 0, its errno
nth()
{
	awk -v n="$1" '$1 == 0 && NF == 4 && ++i == n { print $2 }' "$WORK/watch"
}

has_nth()
{
	[ -n "$(nth "$1")" ]
}

# said N ERRNO...: report N comes, and is one of these
said()
{
	local n=$1 got
	shift

	wait_for 40 has_nth "$n" || {
		cat "$WORK/watch"
		fail "no report $n ($*)"
	}
	got=$(nth "$n")
	[[ " $* " == *" $got "* ]] || {
		cat "$WORK/watch"
		fail "report $n is $got, not $*"
	}
}

# no more than N reports, a few probes later
nothing_after()
{
	local n
	n=$(stat_of "$A" WatchProbes)

	wait_for 30 asked_since $((n + 5)) || fail "no probes"
	has_nth $(($1 + 1)) || return 0
	cat "$WORK/watch"
	fail "more than $1 reports"
}

# A minute of virtual time; elsewhere as many probes
healthy()
{
	local n=500

	server $PID
	watch $((VIRTUAL ? 120 : 15)) $((VIRTUAL ? 1000 : 0)) "$B4/$PID" "$B6/$PID"
	n=$(scaled $((2 * n)))
	wait_for 120 asked_since $(($(stat_of "$A" WatchProbes) + n)) ||
		fail "$(stat_of "$A" WatchProbes) probes"
	[ "$(wc -l <"$WORK/watch")" = 1 ] || {
		cat "$WORK/watch"
		return 1
	}
}

# The same beside transfers that fill the link and the buffers of their readers
busy()
{
	server $PID
	watch 20 0 "$B4/$PID"
	on "$B" uet_recv -p $OTHER -I -T $((60 * SLOW)) >/dev/null &
	send_from_a -n "$(scaled 200)" -s 0-200000 -w "$B4/$PID" || return 1
	nothing_after 0
}

# killed ADDR: the server dies and comes again, its host has another one
killed()
{
	server $OTHER
	server $PID
	watch 50 0 "$1/$PID"
	gone $PID
	said 1 ECONNREFUSED
	nothing_after 1
	server $PID
	said 2 ECONNRESET
	nothing_after 2
}

# A client whose requests were taken waits for the answers
requests_taken()
{
	server $OTHER
	server $PID
	watch 50 0 "$B4/$PID"
	send_from_a -n 3 -w "$B4/$PID" || return 1
	gone $PID
	said 1 ECONNREFUSED
}

# The last one: there is no UET on the host any more. ICMP says so over IPv4.
last_one()
{
	set_sysctl "$A" rto_min_us 1000
	server $PID
	watch 50 $((2000 * SLOW)) "$1/$PID"
	gone $PID
	said 1 ECONNREFUSED ETIMEDOUT
	server $PID
	wait_for 40 has_nth 2 || fail "not there again"
	grep -qE "ECONNRESET|OK" "$WORK/watch" || {
		cat "$WORK/watch"
		return 1
	}
}

link_cut()
{
	server $PID
	watch 50 $((500 * SLOW)) "$1/$PID"
	impair "$B" loss 100% || skip "no netem here"
	said 1 ETIMEDOUT
	impair "$B"
	said 2 OK
	nothing_after 2
}

# The time-out of the peer, where the watch has none
peer_timeout()
{
	set_sysctl "$A" peer_timeout_s 2
	set_sysctl "$A" rto_max_ms 50
	server $PID
	watch 50 0 "$B4/$PID"
	impair "$B" loss 100% || skip "no netem here"
	said 1 ETIMEDOUT
	impair "$B"
	said 2 OK
	set_sysctl "$A" peer_timeout_s 30
	set_sysctl "$A" rto_max_ms 10000
}

# A second link to a host that goes as a whole, and comes again
host_gone()
{
	local c=uet-c-$$ p

	ip netns add $c
	third_host
	on $c uet_recv -p $PID -I -T 3000 >/dev/null &
	wait_for 20 listening $c || fail "no server"
	watch 50 $((1000 * SLOW)) "10.7.0.2/$PID"
	for p in $(ip netns pids $c); do
		kill -9 "$p"
	done
	ip netns del $c
	said 1 ECONNREFUSED ETIMEDOUT EHOSTUNREACH ENETUNREACH
	ip netns add $c
	third_host
	on $c uet_recv -p $PID -I -T 3000 >/dev/null &
	wait_for 40 grep -q "0 ECONNRESET 1 0x2" "$WORK/watch"
	local rc=$?
	cat "$WORK/watch"
	for p in $(ip netns pids $c); do
		kill -9 "$p"
	done
	ip netns del $c
	return $rc
}

third_host()
{
	ip -n "$A" link del uet7 2>/dev/null
	ip link add uet7 mtu 4224 netns "$A" type veth peer name uet7 mtu 4224 \
		netns $c
	ip -n "$A" addr add 10.7.0.1/24 dev uet7
	ip -n $c addr add 10.7.0.2/24 dev uet7
	ip -n "$A" link set uet7 up
	ip -n $c link set uet7 up
	ip -n $c link set lo up
}

listening()
{
	on "$1" cat /proc/net/protocols | awk '$1 == "UET" { exit !$3 }'
}

not_in_the_job()
{
	server $PID
	watch -j 98 50 0 "$B4/$PID"
	said 1 EACCES
}

# A peer of raw packets that takes every request, and asks for no generation
foreign()
{
	local mac p

	set_sysctl "$A" rto_min_us 1000
	mac=$(on "$B" cat /sys/class/net/uet0/address)
	ip -n "$A" neigh replace "$1" lladdr "$mac" dev uet0
	rm -f "$WORK/played"
	on "$B" fake_peer.py "$@" >"$WORK/played" &
	wait_for 30 grep -qs ready "$WORK/played" || fail "no peer"
	watch 200 $((4000 * SLOW)) "$1/$PID"
	nothing_after 0
	for p in $(ip netns pids "$B"); do
		kill -9 "$p"
	done
	said 1 ETIMEDOUT
}

# The processes, and the namespace next, go with probes under way
in_flight()
{
	local i

	impair "$B" loss 100% || skip "no netem here"
	for i in 1 2 3; do
		# shellcheck disable=SC2046
		watch 10 $((i * 10)) $(seq -f "$B4/%g" 10 40) \
			$(seq -f "$B6/%g" 10 40)
	done
}

setup_pair
tst "quiet while all is well" healthy
tst "quiet beside transfers" busy
tst "a server dies and comes again, IPv4" killed $B4
tst "a server dies and comes again, IPv6" killed $B6
tst "a server dies that took the requests" requests_taken
tst "the last server of a host, IPv4" last_one $B4
tst "the last server of a host, IPv6" last_one $B6
tst "the link is cut, IPv4" link_cut $B4
tst "the link is cut, IPv6" link_cut $B6
tst "the link is cut, time-out of the peer" peer_timeout
tst "a host goes and comes again" host_gone
tst "an endpoint of another job" not_in_the_job
tst "a peer that answers OK to all" foreign 10.0.0.41 ses 0 0
tst "a peer that does not know NO_OP" foreign 10.0.0.42 ses 6
tst "killed with probes under way" in_flight
finish
