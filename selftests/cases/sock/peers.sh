#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Peers that a socket talked to (UET_PEER_EVENTS), keep-alive: what becomes of them is
# reported once, with the cause, and nothing else is.
#
# check: uml-debug 400 turn2
# check: 6.1,6.12 400 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

OTHER=300

# client IDLE TIMEOUT ENDPOINT...: on host A; it has sent when this returns
client()
{
	start_peer "$A" client "$@"
	wait_for 20 grep -qs sent "$WORK/client" || fail "$(cat "$WORK/client")"
}

# server IDLE TIMEOUT PID: on host B
server()
{
	start_peer "$B" "server-$3" "$1" "$2" -p "$3"
	wait_for 20 grep -qs ready "$WORK/server-$3" ||
		fail "$(cat "$WORK/server-$3")"
}

# start_peer NETNS TAG ARGUMENT...
start_peer()
{
	local netns=$1 tag=$2
	shift 2

	rm -f "$WORK/$tag"
	on "$netns" uet_peer "$@" >"$WORK/$tag" 2>&1 &
}

# gone NETNS WORDS: the program that was started with these
gone()
{
	local p

	for p in $(ip netns pids "$1"); do
		tr '\0' ' ' <"/proc/$p/cmdline" | grep -q -- "$2" &&
			kill -9 "$p"
	done
	return 0
}

# nth TAG N: the errno of event N
nth()
{
	awk -v n="$2" 'NF == 4 && $4 ~ /^0x/ && ++i == n { print $2 }' \
		"$WORK/$1"
}

has_nth()
{
	[ -n "$(nth "$1" "$2")" ]
}

# said TAG N ERRNO...: event N comes, and is one of these
said()
{
	local tag=$1 n=$2 got
	shift 2

	wait_for 60 has_nth "$tag" "$n" || {
		cat "$WORK/$tag"
		fail "no event $n ($*)"
	}
	got=$(nth "$tag" "$n")
	[[ " $* " == *" $got "* ]] || {
		cat "$WORK/$tag"
		fail "event $n is $got, not $*"
	}
}

probed_since()
{
	[ "$(stat_of "$1" WatchProbes)" -gt "$2" ]
}

# no more than N events of TAG, a few probes of NETNS later
nothing_after()
{
	local n
	n=$(stat_of "$3" WatchProbes)

	wait_for 30 probed_since "$3" $((n + 5)) || fail "no probes"
	has_nth "$1" $(($2 + 1)) || return 0
	cat "$WORK/$1"
	fail "more than $2 events"
}

# A server dies and its host has another one
killed()
{
	server 0 0 $OTHER
	server 0 0 $PID
	client 50 0 "$1/$PID" "$1/$OTHER"
	nothing_after client 0 "$A"
	gone "$B" "-p $PID"
	said client 1 ECONNREFUSED
	nothing_after client 1 "$A"
}

# A socket that only receives
receives()
{
	server 50 0 $PID
	client 0 0 "$1/$PID"
	wait_for 20 grep -q got "$WORK/server-$PID" || fail "nothing came"
	nothing_after server-$PID 0 "$B"
	# Another socket of that host, so that there is UET on it
	start_peer "$A" other 0 0 -p $OTHER
	wait_for 20 grep -qs ready "$WORK/other" || fail "no other"
	gone "$A" "$1/$PID"
	said server-$PID 1 ECONNREFUSED
	[ "$(wc -l <"$WORK/server-$PID")" = 3 ] || {
		cat "$WORK/server-$PID"
		return 1
	}
}

link_cut()
{
	server 0 0 $PID
	client 50 $((500 * SLOW)) "$1/$PID"
	nothing_after client 0 "$A"
	impair "$B" loss 100% || skip "no netem here"
	said client 1 ETIMEDOUT
	local n
	n=$(stat_of "$A" WatchProbes)
	impair "$B"
	sleep 0.5
	# It is not probed any more; the server has something to say
	[ "$(stat_of "$A" WatchProbes)" = "$n" ] || fail "probed all the same"
}

# Without keep-alive: another socket finds the host silent
host_silent()
{
	set_sysctl "$A" peer_timeout_s 2
	set_sysctl "$A" rto_max_ms 50
	server 0 0 $PID
	client 0 0 "$1/$PID"
	wait_for 20 grep -q got "$WORK/server-$PID" || fail "nothing came"
	impair "$B" loss 100% || skip "no netem here"
	send_from_a -w "$1/$PID" && fail "delivered"
	said client 1 ETIMEDOUT
	impair "$B"
	set_sysctl "$A" peer_timeout_s 30
	set_sysctl "$A" rto_max_ms 200
}

# Many sockets at the other end go at once: an event of each
many()
{
	local i n
	n=$(scaled 40)

	server 50 0 $PID
	for ((i = 0; i < n; i++)); do
		start_peer "$A" "client-$i" 0 0 "$B4/$PID"
	done
	wait_for 60 all_got "$n" || fail "$(grep -c got "$WORK/server-$PID") came"
	start_peer "$A" other 0 0 -p $OTHER
	wait_for 20 grep -qs ready "$WORK/other" || fail "no other"
	gone "$A" "$B4/$PID"
	wait_for 60 all_lost "$n" || {
		cat "$WORK/server-$PID"
		return 1
	}
	nothing_more "$n"
}

all_got()
{
	[ "$(grep -c got "$WORK/server-$PID")" = "$1" ]
}

all_lost()
{
	[ "$(grep -c ECONNREFUSED "$WORK/server-$PID")" -ge "$1" ]
}

nothing_more()
{
	sleep 0.5
	[ "$(grep -c 0x "$WORK/server-$PID")" = "$1" ] || {
		cat "$WORK/server-$PID"
		return 1
	}
}

# The processes, and the namespace next, go with probes under way
in_flight()
{
	local i

	for i in 1 2 3; do
		server 10 0 $((PID + i))
		# shellcheck disable=SC2046
		start_peer "$A" "client-$i" 10 $((i * 20)) \
			$(seq -f "$B4/%g" 101 103) $(seq -f "$B6/%g" 101 103)
	done
	wait_for 20 probed_since "$A" 5 || fail "no probes"
	impair "$B" loss 100% || skip "no netem here"
}

setup_pair
part uet_peer $A4
lean || part uet_peer $A6
tst "a server dies, IPv4" killed $B4
tst "a server dies, IPv6" killed $B6
tst "who only receives, IPv4" receives $B4
tst "who only receives, IPv6" receives $B6
tst "the link is cut, IPv4" link_cut $B4
tst "the link is cut, IPv6" link_cut $B6
tst "the host is silent, no keep-alive" host_silent $B4
tst "many go at once" many
tst "killed with probes under way" in_flight
finish
