#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# "uet ping": peers, processes, paths, sizes; what is lost, and where. [PART]
#
# check: uml-debug 400 -
# check: 6.1,6.12 600 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

UET=$TREE/build/uet/uet

# ping STATUS WORDS...: from host A, the text in $WORK/ping
ping()
{
	local want=$1 rc
	shift

	on "$A" "$UET" ping "$@" >"$WORK/ping" 2>&1
	rc=$?
	cat "$WORK/ping"
	[ "$rc" = "$want" ] || fail "status $rc, not $want"
}

# said PATTERN...: each is in the text
said()
{
	local pattern

	for pattern in "$@"; do
		grep -Eq -- "$pattern" "$WORK/ping" || fail "not said: $pattern"
	done
}

# json EXPRESSION WORDS...: the same as JSON; "j" is its record
json()
{
	local want=$1
	shift

	on "$A" "$UET" -j ping "$@" >"$WORK/json"
	python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))[0]
assert eval("(" + sys.argv[2] + ")"), j' "$WORK/json" "$want" || fail "JSON: $want"
}

listen()
{
	recv_start main -n 1000000 -I -A "$@"
}

answers()
{
	listen
	ping 0 "$1" count 5 interval 0.1
	said "^PING $1 from .* dev uet0, UDP port 4793, MTU 4224, payload MTU 4096" \
		"^host: UET 1, receive window" "^[0-9]+ bytes from $1: seq=4 ev=" \
		"5 sent, 5 answered, 0% lost" "^rtt min/median/max = "
	json "len(j['probes']) == 3 and j['answered'] == 3 and j['mtu'] == 4224 and
	      all(0 < p['rtt_ns'] <= j['rtt_ns']['max'] for p in j['probes'])" \
		"$1" -c 3 -i 0.1
	ping 0 "$1" -q -c 2 -i 0.1 && said "^--- $1: 2 sent" || return 1
	grep "seq=" "$WORK/ping" && return 1
	[ "$(stat_of "$A" PingsAnswered)" -ge 10 ] &&
		[ "$(stat_of "$B" PingsEchoed)" -ge 10 ] &&
		[ "$(stat_of "$B" DropNoPdc)" = 0 ] &&
		[ "$(stat_of "$B" MsgReceived)" = 0 ]
}

# Who is there is asked of SES; the PDC of the question is closed at once
process()
{
	listen
	ping 0 "$1" pid $PID count 2 interval 0.1
	said "PIDonFEP $PID of job 0, index 0: is there" "2 sent, 2 answered"
	ping 1 "$1" pid 77 count 1
	said "PIDonFEP 77 .*: no process has this PIDonFEP" "1 sent, 0 answered"
	ping 1 "$1" pid $PID ri 9 count 1
	said "no such resource index"
	json "j['endpoint']['there'] == 1 and j['endpoint']['ses_version'] == 0 and
	      j['endpoint']['window'] > 0" "$1" pid $PID -c 1
	[ "$(stat_of "$B" MsgReceived)" = 0 ] || fail "a message came of it"
	wait_for 10 no_pdcs || fail "PDCs are left"
}

no_pdcs()
{
	[ "$(stat_of "$B" CurPdcs)" = 0 ] && [ "$(stat_of "$A" CurPdcs)" = 0 ]
}

job()
{
	PID=120 recv_start other -n 1 -J -j 7
	ping 0 $B4 pid 120 job 7 count 1
	said "PIDonFEP 120 of job 7, index 0: is there"
	ping 1 $B4 pid 120 job 8 count 1
	said "the job is refused"
	ping 1 $B4 pid 121 job 7 count 1
	said "no process has this PIDonFEP"
}

# Nobody uses UET there: the port is closed
closed()
{
	ping 1 "$1" count 2 interval 0.1
	said "2 sent, 0 answered"
	# Packets without a checksum are no UDP over IPv6, unless somebody uses UET
	[ "$1" = $B4 ] || return 0
	said "^host: the port is closed" "^$1: seq=0 .*the port is closed"
	ping 1 "$1" pid 100 count 1
	said "PIDonFEP 100 .*the port is closed"
}

# It eats the port, whatever comes
firewall()
{
	listen
	on "$B" nft -f - <<-END
		table inet f {
			chain in {
				type filter hook input priority -500;
				udp dport 4793 drop
			}
		}
	END
	ping 1 $B4 count 2 interval 0.1 timeout 0.5
	said "^seq=0 .*nothing came back in time" "2 sent, 0 answered, 100% lost"
	ping 1 $B6 pid $PID count 1 timeout 0.5
	said "nothing came back in time"
	on "$B" nft flush ruleset
	on "$B" nft -f - <<-END
		table inet f {
			chain in {
				type filter hook input priority 0;
				udp dport 4793 reject with icmpx admin-prohibited
			}
		}
	END
	ping 1 $B4 count 1 && said "a hop was not allowed to forward it" || return 1
	ping 1 $B6 count 1 && said "a hop was not allowed to forward it"
}

silent()
{
	ping 1 10.0.0.77 count 1 timeout 0.5
	said "nothing came back in time"
	# Its neighbour does not answer: told as soon as the kernel gives it up
	ping 1 10.0.0.78 count 1 timeout 20
	said "^10.0.0.1: seq=0 .*could not forward it"
	ping 2 10.99.0.1 count 1 && said "unreachable"
}

# One answer of two is lost: the summary says so, and it is no failure
lossy()
{
	listen
	impair "$A" loss 50%
	ping 0 $B4 count 40 interval 0.05 timeout 0.3 || return 1
	grep -c "nothing came back" "$WORK/ping" | grep -v "^0$" || return 1
	# Asking for a process goes on until it is answered
	ping 0 $B4 pid $PID count 1 timeout 20
	said "is there"
	impair "$A"
}

interrupted()
{
	listen
	rm -f "$WORK/ping"
	on "$A" "$UET" ping $B4 interval 0.1 >"$WORK/ping" &
	wait_for 10 grep -q "seq=3" "$WORK/ping" || return 1
	kill -INT "$(pidof uet)"
	wait $! || fail "status $?"
	said "^--- $B4: [0-9]+ sent, [0-9]+ answered" "^rtt min"
}

wrong_words()
{
	local words

	for words in "" "10.0.0.300" "$B4 $A4" "$B4 pid" "$B4 pid 4096" \
		     "$B4 count 0" "$B4 job 5" "$B4 size 99999" "$B4 ttl 0" \
		     "$B4 -s 1,,x" "$B4 pid 1 all-paths" "$B4 nonsense" \
		     "$B4 timeout 61" "224.0.0.1" "255.255.255.255" \
		     "10.0.0.255" "0.0.0.0" "ff02::1" "fe80::1 -c 1"; do
		# shellcheck disable=SC2086
		ping 2 $words -c 1 || return 1
	done
	on "$A" "$UET" ping help | grep "all-paths" &&
		on "$A" "$UET" __complete ping $B4 all | grep "^all-paths$" &&
		on "$A" "$UET" help | grep "^  ping "
}

# What needs rights, and what does not
rights()
{
	local nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"

	listen
	on "$A" $nobody "$UET" ping $B4 count 2 interval 0.1 || return 1
	on "$A" $nobody "$UET" ping $B4 pid $PID count 1 || return 1
	on "$A" $nobody "$UET" ping $B4 ev 50000 count 1 2>&1 |
		grep "needs CAP_NET_RAW" || return 1
	on "$A" $nobody "$UET" ping $B4 ttl 1 count 1 2>&1 |
		grep "needs CAP_NET_RAW" || return 1
	on "$A" $nobody "$UET" ping $B4 pid 1 job 7 count 1 2>&1 |
		grep "needs CAP_NET_ADMIN" || return 1
	on "$A" $nobody "$UET" ping $B4 all-paths 2>&1 | grep "needs CAP_NET_RAW"
}

# In a namespace of one's own the owner may do all of it
owner()
{
	unshare --user --map-root-user --net sh -c "
		ip link set lo up && $UET ping 127.0.0.1 ev 50000 ttl 3 count 1"
}

loopback()
{
	listen
	for addr in $B4 $B6 ::1 127.0.0.1; do
		on "$B" "$UET" ping $addr count 2 interval 0.1 || return 1
		on "$B" "$UET" ping $addr pid $PID count 1 || return 1
	done
}

# A transfer goes on as if there were no probes, and learns nothing from them
undisturbed()
{
	local before after

	PID=130 recv_start far -n 1000000 -I -A
	send_from_a -w -n 20 -s 20000 $B4/130 || return 1
	on "$A" "$UET" -d -s -j ccc show >"$WORK/before"
	impair "$A" delay 50ms
	ping 0 $B4 count 10 interval 0.05 timeout 2 || return 1
	ping 0 $B4 all-paths values 64 timeout 2 || return 1
	on "$A" "$UET" -d -s -j ccc show >"$WORK/after"
	cmp "$WORK/before" "$WORK/after"
}

# Packets above 1400 bytes vanish behind the host, and nobody says so
hole()
{
	listen
	on "$B" nft -f - <<-END
		table inet f {
			chain in {
				type filter hook prerouting priority -500;
				meta length > 1400 udp dport 4793 drop
			}
		}
	END
	ping 1 $B4 -s 0,1000,2000,mtu count 3 interval 0.05 timeout 0.5
	said "^packets of 84 bytes: 3 sent, 3 answered" \
		"^packets of 4224 bytes: 3 sent, 0 answered" \
		"large packets are lost, small ones are not: 1084 bytes pass, 2084 do not"
	json "j['passes'] == 1084 and j['lost'] == 2084" $B4 -s 0,1000,2000 -c 2 \
		-i 0.05 -W 0.5
	on "$B" nft flush ruleset
	ping 0 $B6 -s 0,mtu count 2 interval 0.05
	said "^packets of 4224 bytes: 2 sent, 2 answered"
	# More than the route takes
	ping 2 $B4 -s 9000 count 1
	said "packet longer than the MTU of the route"
}

PING_SPINES=8

paths_setup()
{
	SPINES=$PING_SPINES
	setup_spines
	# So many errors as are asked for
	for i in "$R" "$S"; do
		on "$i" sysctl -qw net.ipv4.icmp_ratelimit=0
	done
}

all_paths()
{
	listen
	ping 0 10.0.2.1 all-paths
	said "256 entropy values, 256 answered" "^rtt min/median/max"
	json "j['values'] == 256 and len(j['paths']) == 256 and j['lost'] == 0 and
	      all(p['state'] == 'good' for p in j['paths'])" 10.0.2.1 all-paths
	# Those of a transfer, if there is one
	send_from_a -n 200 -s 40000 10.0.2.1/$PID || return 1
	ping 0 10.0.2.1 all-paths
	said "entropy values in use, "
}

# Of eight links the third loses all: the values are named, and where they end
bad_path()
{
	listen
	tc -n "$R" qdisc add dev s3 root netem loss 100%
	ping 1 10.0.2.1 all-paths timeout 0.5
	said "^lost \([1-9][0-9]*\): [0-9]"
	ping 1 10.0.2.1 --all-paths --trace values 64 timeout 0.5
	said "^path 10.0.1.254 10.3.1.2 peer: [0-9]+ values: " \
		"^path 10.0.1.254 lost: [0-9]+ values: " \
		"lost behind 10.0.1.254; other values go on to 10.3"
	grep "10.3.3.2" "$WORK/ping" && fail "the bad hop answers"
	[ "$(grep -c "^path .* peer: " "$WORK/ping")" = 7 ] || fail "not seven good"
	json "sum(p['state'] == 'lost' for p in j['paths']) == j['lost'] > 0 and
	      all((p['state'] == 'lost') == (p.get('lost_behind') == '10.0.1.254')
		  for p in j['paths'])" 10.0.2.1 -a -T values 32 timeout 0.5
	# The route says which values go where
	tc -n "$R" qdisc del dev s3 root
	ping 0 10.0.2.1 -a -T values 64 timeout 0.5
	[ "$(grep -c "^path .* peer: " "$WORK/ping")" = 8 ] || fail "not eight good"
	said "^path 10.0.1.254 10.3.3.2 peer"
}

slow_path()
{
	listen
	tc -n "$R" qdisc del dev s3 root 2>/dev/null
	tc -n "$R" qdisc add dev s5 root netem delay 200ms
	ping 0 10.0.2.1 -a values 64 timeout 5
	said "^slow \([1-9][0-9]*\): [0-9]"
	tc -n "$R" qdisc del dev s5 root
}

# A single value, as traceroute does, and an MTU that a router tells
trace_one()
{
	listen
	ping 0 10.0.2.1 trace ev 50001
	said "^path 10.0.1.254 10.3.[1-8].2 peer: 1 values: 50001"
	ping 1 10.0.2.1 ttl 1 count 1
	said "^10.0.1.254: seq=0 .*a hop where its TTL ended answered"
	for i in $(seq $PING_SPINES); do
		ip -n "$R" link set s$i mtu 1500
	done
	ping 1 10.0.2.1 -s 2000 count 1
	said "^10.0.1.254: seq=0 .*exceeds the MTU of a link on its way, MTU 1500"
}

# Three hops in a row that do not answer, as those that have answered too many: the values
# arrive, so nothing is lost
quiet_hops()
{
	local A=h1-1 B=h2-1 fabric=$TREE/tools/fabric/fabric.py i rc=0

	"$fabric" up >/dev/null || skip "no fabric here"
	for i in leaf1 leaf2 spine1 spine2 spine3 spine4; do
		on $i nft "add table ip q; add chain ip q out { type filter hook output priority 0; };
			add rule ip q out ip protocol icmp drop" || rc=1
	done
	listen || rc=1
	ping 0 10.2.1.2 -a -T values 8 timeout 0.5 || rc=1
	said "^path \* \* \* peer: 8 values" "8 entropy values, 8 answered" || rc=1
	ip netns pids h2-1 | xargs -r kill
	"$fabric" down
	return $rc
}

trace6()
{
	local i

	ip netns add uet-r-$$
	R=uet-r-$$
	ip netns add "$A" && ip netns add "$B"
	for i in "$A" "$B" "$R"; do
		on "$i" sysctl -qw net.ipv6.conf.default.accept_dad=0
		ip -n "$i" link set lo up
	done
	ip link add uet0 netns "$A" type veth peer name r0 netns "$R"
	ip link add uet0 netns "$B" type veth peer name r1 netns "$R"
	ip -n "$A" addr add fd00:a::1/64 dev uet0
	ip -n "$R" addr add fd00:a::2/64 dev r0
	ip -n "$R" addr add fd00:b::2/64 dev r1
	ip -n "$B" addr add fd00:b::1/64 dev uet0
	ip -n "$A" link set uet0 up && ip -n "$B" link set uet0 up
	ip -n "$R" link set r0 up && ip -n "$R" link set r1 up
	on "$R" sysctl -qw net.ipv6.conf.all.forwarding=1 net.ipv6.icmp.ratelimit=0
	ip -n "$A" route add default via fd00:a::2
	ip -n "$B" route add default via fd00:b::2
	listen
	ping 0 fd00:b::1 trace values 8
	said "^path fd00:a::2 peer: 8 values"
	ip -n "$R" link set r1 mtu 1280
	ping 1 fd00:b::1 -s 1300 count 1
	said "^fd00:a::2: seq=0 .*exceeds the MTU of a link on its way, MTU 1280"
}

hosts()
{
	setup_pair
	fix_neighbours
	tst "wrong words" wrong_words
	for addr in $B4 $B6; do
		tst "$addr answers" answers $addr
		tst "$addr tells of its processes" process $addr
	done
	tst "jobs" job
	for addr in $B4 $B6; do
		teardown_pair
		setup_pair
		fix_neighbours
		tst "$addr without UET" closed $addr
	done
	tst "a firewall eats the port" firewall
	on "$B" nft flush ruleset
	tst "nobody has the address" silent
	tst "half of the packets are lost" lossy
	tst "interrupted" interrupted
	tst "rights" rights
	tst "owner of a namespace" owner
	tst "this host" loopback
	tst "large packets are lost, small ones are not" hole
	teardown_pair
	setup_pair
	fix_neighbours
	tst "contexts learn nothing from probes" undisturbed
	teardown_pair
}

fabric()
{
	paths_setup
	tst "all paths" all_paths
	tst "one path of eight is bad" bad_path
	tst "one path of eight is slow" slow_path
	tst "hops of one value" trace_one
	teardown_spines
	tst "hops over IPv6" trace6
	tst "hops that do not answer" quiet_hops
	ip netns del "$R"
}

# Hosts on a link, or a fabric; both by default
case ${1:-} in
''|hosts) hosts ;;
esac
case ${1:-} in
''|fabric) fabric ;;
esac
finish
