#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# "uet explain": each cause is provoked in a fabric, and is named: in the first line,
# and first in JSON. Several at once come in order, and a busy network in which all
# is well is not found fault with. The walks of uet-troubleshooting.rst are carried
# out as they stand there.
#
# usage: explain.sh [CASE...]
#
# check: uml 400 -
# check: uml-debug 400 full
# check: 6.1,6.12 900 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

UET=$TREE/build/uet/uet
MANUAL=$TREE/Documentation/networking/uet-troubleshooting.rst
export TC_LIB_DIR=$TREE/build/tc
# How long losses are looked on, which are many where a case provokes them
LOOK=0.3

# causes: those that are told, in their order, in one line; the first line agrees
causes()
{
	on "${2:-$A}" "$UET" explain "$1" -i $LOOK >"$WORK/why" &&
		on "${2:-$A}" "$UET" -j explain "$1" -i $LOOK >"$WORK/json" &&
		python3 -c 'import json, sys
why = json.load(open(sys.argv[1]))[0]
assert all(c["text"] and c["more"] for c in why["causes"])
assert "cause" not in why or why["cause"] == why["causes"][0]["cause"]
print(*(c["cause"] for c in why["causes"]))' "$WORK/json"
}

# named CAUSE PEER [NETNS]: the first line names the cause, and the same in JSON, with
# since when
named()
{
	causes "$2" "${3:-$A}" >"$WORK/causes" || return 1
	head -n 1 "$WORK/why" | grep -q "^$2: $1," || return 1
	grep -q "^$1 since " "$WORK/why" || [ "$1" = route ] || return 1
	[ "$(cut -d' ' -f1 "$WORK/causes")" = "$1" ]
}

# among CAUSE PEER [NETNS]: it is one of the causes
among()
{
	causes "$2" "${3:-$A}" >"$WORK/causes" || return 1
	grep -q -- "^$1 since " "$WORK/why" && grep -qw -- "$1" "$WORK/causes"
}

# sooner COMMAND CAUSE PEER [NETNS]: sooner or later
sooner()
{
	local how=$1
	shift

	wait_for 20 "$how" "$@" && return
	cat "$WORK/why"
	on "${3:-$A}" "$UET" -s -d ccc show
	on "${3:-$A}" "$UET" -d pdc show
	on "${3:-$A}" "$UET" -d dest show
	fail "$1 is not named"
}

explains()
{
	sooner named "$@"
}

says()
{
	grep -qE -- "$1" "$WORK/why" || {
		cat "$WORK/why"
		fail "it does not say \"$1\""
	}
}

# adds TEXT CAUSE PEER: this is said with the cause
adds()
{
	named "${@:2}" && grep -qE -- "$1" "$WORK/why"
}

nothing()
{
	transfer $B4 "-n 3" "-n 3 -s 50000" || return 1
	on "$A" "$UET" explain $B4 | head -n 1 | grep "nothing waits" || return 1
	[ -z "$(causes $B4)" ] || fail "$(causes $B4)"
	on "$A" "$UET" explain 10.0.0.99 | head -n 1 | grep "nothing is known" ||
		return 1
	[ -z "$(causes 10.0.0.99)" ] || fail "$(causes 10.0.0.99)"
	on "$A" "$UET" explain -i $LOOK | grep "^none of the peers (1) is in trouble$"
}

# troubled LINE [NETNS]: without a peer, the one that is in trouble has a line
troubled()
{
	on "${2:-$A}" "$UET" explain -i $LOOK >"$WORK/why" &&
		[ "$(grep -cE "^$1, [0-9]+ messages, " "$WORK/why")" = 1 ] &&
		[ "$(wc -l <"$WORK/why")" = 1 ] &&
		on "${2:-$A}" "$UET" -j explain -i $LOOK |
			python3 -c 'import json, sys
[why] = json.load(sys.stdin)
assert why["peer"] + ": " + why["cause"] == sys.argv[1]' "$1"
}

# walk TITLE [NETNS]: what the chapter says under a title, carried out: the commands
# of the sender, or those after "on the receiver". What they say is in $WORK/walk.
walk()
{
	local line n=0 netns=${2:-$A}

	awk -v title="$1" -v far="${2:+1}" '
		/^==*$/ { on = last == title; there = 0 }
		on && /[Oo]n the receiver/ { there = 1 }
		on && /^    uet / && there == far + 0 { print substr($0, 5) }
		{ last = $0 }' "$MANUAL" >"$WORK/commands"
	: >"$WORK/walk"
	while read -r line; do
		n=$((n + 1))
		# shellcheck disable=SC2086
		on "$netns" "$TREE/build/uet/"$line >>"$WORK/walk" </dev/null ||
			fail "$line"
	done <"$WORK/commands"
	cat "$WORK/walk"
	[ "$n" -gt 0 ] && [ "$n" -le 3 ] || fail "$n commands"
}

# What is no address is refused
wrong_words()
{
	local words

	for words in "10.0.0.2 10.0.0.3" "10.0.0.300" "peer"; do
		# shellcheck disable=SC2086
		on "$A" "$UET" explain $words && return 1
	done
	return 0
}

# patience: answers may take seconds, for contexts that are made later
patience()
{
	set_sysctl "$A" rto_max_ms 10000
	set_sysctl "$A" rto_min_us 2000000
}

# slow_network: answers take seconds, and that is no silence yet
slow_network()
{
	patience
	impair "$A" delay 3s
}

# slow_link [DEVICE RATE]: a guest is not to be busy with data alone
slow_link()
{
	tc -n "$A" qdisc replace dev "${1:-uet0}" root netem rate "${2:-10mbit}" \
		limit 10000
}

# stopped PATTERN [NETNS]: the process of a receiver does not read any more
stopped()
{
	local p

	for p in $(ip netns pids "${2:-$B}"); do
		tr '\0' ' ' <"/proc/$p/cmdline" | grep -q -- "^uet_recv.*$1" || continue
		kill -STOP "$p"
		echo "$p"
		return
	done
	return 1
}

# --- nothing reaches the peer -------------------------------------------------

route()
{
	named route 192.0.2.1 || fail "a peer without a route: $(cat "$WORK/why")"
	says "there is no route"
	# The neighbour is given up in a few seconds, and its message then
	on "$A" sh -c 'while :; do uet_send -n 1 -s 100 10.0.0.77/112; sleep 1; done' &
	explains route 10.0.0.77 || return 1
	says "10.0.0.77 on uet0 does not answer"
}

# Data goes over two slow interfaces
two_links()
{
	teardown_pair
	setup_links
	PID=114 recv_start far -n 1000000 -I -A
	send_from_a -w -n 10 -s 50000 $B4/114 || return 1
	slow_link p0
	slow_link p1
	send_from_a -D 600 -w -s 1000000 $B4/114 &
}

# A route over two interfaces goes while data is sent over both: no neighbour is blamed
no_route()
{
	two_links || return 1
	wait_for 20 arrived 15 || return 1
	ip -n "$A" route del $B4
	explains route $B4 || return 1
	says "there is no route"
}

# The PDC is open, its packets vanish, the next hop is known
firewall()
{
	PID=113 recv_start far -n 1000000 -I -A
	send_from_a -w -n 1 -s 100 $B4/113 || return 1
	impair "$A" loss 100%
	send_from_a -n 10 -s 50000 $B4/113 &
	explains firewall $B4 || return 1
	says "although the next hop answers"
	walk "A firewall eats the port" && grep "timeouts" "$WORK/walk"
}

# What this host sends vanishes while the peer goes on to send
one_way()
{
	PID=113 recv_start far -n 1000000 -I -A
	on "$A" uet_recv -T 1000 -p 114 -n 1000000 -I -A -R "$WORK/near" >/dev/null &
	wait_for 10 test -e "$WORK/near" || return 1
	slow_link
	send_from_a -D 600 -w -s 50000 $B4/113 &
	on "$B" uet_send -T 1000 -D 600 -w -s 50000 $A4/114 &
	wait_for 20 arrived 5 || return 1
	# What it sends again comes often
	set_sysctl "$B" rto_max_ms 100
	impair "$A" loss 100%
	explains firewall $B4 || return 1
	sooner adds "although it sends to this host" firewall $B4 || return 1
	! grep -wE "path|mtu|silent" "$WORK/why"
}

# Only one of two peers is silent: what comes from its address is dropped
other_peers()
{
	ip -n "$B" addr add 10.0.0.3/24 dev uet0
	PID=113 recv_start far -n 1000000 -I -A
	send_from_a -w -n 1 -s 100 $B4/113 10.0.0.3/113 || return 1
	ip -n "$B" rule add from $B4 blackhole || skip "no rules"
	send_from_a -D 600 -w -s 1000 10.0.0.3/113 &
	send_from_a -n 10 -s 50000 $B4/113 &
	explains firewall $B4 || return 1
	# Answers of the other one may have to come first
	sooner adds "although other peers do" firewall $B4
	causes 10.0.0.3
	! grep -wE "firewall|silent|route" "$WORK/why"
}

# Nobody answers, not even the next hop
silent()
{
	PID=113 recv_start far -n 1000000 -I -A
	send_from_a -w -n 1 -s 100 $B4/113 || return 1
	impair "$A" loss 100%
	ip -n "$A" neigh change $B4 dev uet0 nud failed 2>/dev/null
	ip -n "$A" neigh del $B4 dev uet0
	send_from_a -n 10 -s 50000 $B4/113 &
	sooner one_of "silent|route" $B4
}

one_of()
{
	causes "$2" >"$WORK/causes" &&
		cut -d' ' -f1 "$WORK/causes" | grep -qE "^($1)$"
}

# After the last try messages have failed
failed()
{
	set_sysctl "$A" peer_timeout_s 2
	PID=113 recv_start far -n 1000000 -I -A
	send_from_a -w -n 1 -s 100 $B4/113 || return 1
	impair "$A" loss 100%
	send_from_a -n 1 -s 1000 -x ETIMEDOUT $B4/113
	impair "$A"
	explains failed $B4 || return 1
	says "1 message to job 0 PIDonFEP 113 failed"
}

# --- receivers ----------------------------------------------------------------

# The process that does not read, and its socket, are told where it runs
receiver()
{
	local slow

	PID=110 recv_start slow -n 1000 -b 40000 -I -A
	slow=$(stopped "-p 110")
	send_from_a -n 60 -s 20000 $B4/110 &
	explains receiver $B4 || return 1
	says "on $B4: uet explain $A4"
	says "job 0 PIDonFEP 110"
	# A peer that is well is not told
	PID=111 recv_start well -n 1 -I
	send_from_a -w -n 1 -s 100 $B6/111 || return 1
	troubled "$B4: receiver" || fail "$(cat "$WORK/why")"
	walk "The receiver does not read" && grep "^receiver" "$WORK/walk" || return 1
	explains reader $A4 "$B" || return 1
	says "of uet_recv \(process $slow\)"
	troubled "$A4: reader" "$B" || fail "$(cat "$WORK/why")"
	walk "The receiver does not read" "$B" && grep "uet_recv" "$WORK/walk" ||
		return 1
	# Another user is told nothing of it, and that this is for want of rights
	on "$B" setpriv --reuid 65534 --clear-groups "$UET" explain $A4 \
		>"$WORK/why" 2>"$WORK/note" || return 1
	says "nothing is known of it"
	cat "$WORK/note"
	grep -q "^Note: .* left out.* CAP_NET_ADMIN" "$WORK/note"
}

# sends_only NETNS OWN PEER: a program that sends to another one before it reads
sends_only()
{
	on "$1" env PYTHONPATH="$TREE/tools/libuet/python" \
		LD_LIBRARY_PATH="$TREE/build/lib" python3 -c '
import sys, uet
s = uet.Socket(local=sys.argv[1], sndbuf="64k", rcvbuf="64k")
while True:
    try:
        s.send(bytes(1 << 20), sys.argv[2])
    except OSError:
        pass' "$2" "$3" &
}

# Each waits in a send until the other one reads
standstill()
{
	sends_only "$A" $A4/140 $B4/141
	sends_only "$B" $B4/141 $A4/140
	explains standstill $B4 || return 1
	says "of python3 \(process [0-9]+\) has .* to read"
	walk "Everybody sends and nobody reads" && grep "^standstill" "$WORK/walk" &&
		grep "send_wait" "$WORK/walk" || return 1
	explains standstill $A4 "$B"
}

# Of several sockets it is the one that refuses, not one that has something to read
right_reader()
{
	local slow

	PID=109 recv_start lazy -n 1000 -I -A
	stopped "-p 109" || return 1
	send_from_a -w -n 1 -s 100 $B4/109 || return 1
	sleep 1
	PID=110 recv_start slow -n 1000 -b 40000 -I -A
	slow=$(stopped "-p 110")
	send_from_a -n 60 -s 20000 $B4/110 &
	explains reader $A4 "$B" || return 1
	says "of uet_recv \(process $slow\)"
}

# A host that talks to itself: the socket is told at once
own_receiver()
{
	local slow

	on "$A" uet_recv -T 1000 -p 110 -n 1000 -b 40000 -I -A -R "$WORK/own" &
	wait_for 10 test -e "$WORK/own" || return 1
	slow=$(stopped "-p 110" "$A")
	send_from_a -n 60 -s 20000 $A4/110 &
	explains receiver $A4 || return 1
	says "of uet_recv \(process $slow\)"
}

# What a process calls itself does no harm to the terminal of who looks
bad_name()
{
	cp "$BIN/uet_recv" "$WORK/$(printf 'x\033[31m"y')"
	on "$A" "$WORK/$(printf 'x\033[31m"y')" -T 1000 -p 110 -n 1000 -b 40000 \
		-I -A -R "$WORK/own2" &
	wait_for 10 test -e "$WORK/own2" || return 1
	for p in $(ip netns pids "$A"); do
		! tr '\0' ' ' <"/proc/$p/cmdline" | grep -q -- "-p 110" ||
			kill -STOP "$p"
	done
	send_from_a -n 60 -s 20000 $A4/110 &
	explains receiver $A4 || return 1
	says 'of x\\x1b\[31m"y \(process'
	! grep -q "$(printf '\033')" "$WORK/why"
}

# Ordered messages to a reader wait behind those to another one that does not read
hold()
{
	PID=110 recv_start slow -t seq -n 1000000 -b 40000 -I -A
	PID=111 recv_start fast -t seq -n 1000000 -I -A
	slow_link
	send_from_a -t seq -D 600 -s 20000 $B4/111 &
	send_from_a -t seq -D 600 -s 20000 $B4/110 &
	wait_for 20 arrived 20 || return 1
	stopped "-p 110" || return 1
	sooner among hold $B4 || return 1
	says "same ordered PDC"
	[ "$(cut -d' ' -f1 "$WORK/causes")" = receiver ]
}

# The target takes part in another job
job()
{
	PID=120 recv_start other -n 1 -J -j 7
	send_from_a -w -J -j 8 -n 1 -s 100 $B4/120 && fail "it was delivered"
	explains job $B4 || return 1
	says BAD_JOB_ID
	walk "The job is refused" && grep "code 27" "$WORK/walk" || return 1
	walk "The job is refused" "$B" && grep "/7/120/" "$WORK/walk"
}

# A process that is not there; a host where nobody uses UET
refused()
{
	PID=120 recv_start other -n 1000 -I -A
	send_from_a -w -n 1 -s 100 -x ECONNREFUSED $B4/121 || return 1
	explains refused $B4 || return 1
	says BAD_PID
	fabric
	send_from_a -w -n 1 -s 100 -x ECONNREFUSED $B4/121 || return 1
	explains refused $B4 || return 1
	says "ICMP"
}

# --- limits -------------------------------------------------------------------

opening()
{
	PID=112 recv_start far -n 1000000 -I -A
	slow_network
	send_from_a -d 36 -n 1 -s 100 $B4/112 &
	explains opening $B4
}

window()
{
	PID=111 recv_start far -n 1000000 -I -A
	slow_network
	send_from_a -d 35 -n 1000 -s 100000 $B4/111 &
	explains window $B4 || return 1
	walk "The window is the limit" && grep cwnd "$WORK/walk"
}

# What was given ahead of the first credit is used up
credit()
{
	PID=111 recv_start far -n 1000000 -I -A
	slow_network
	send_from_a -C rccc -n 1000 -s 100000 $B4/111 &
	explains credit $B4
}

# Many short packets, for which the window has room
receive_window()
{
	set_sysctl "$B" mpr 1
	PID=111 recv_start far -n 1000000 -I -A
	send_from_a -w -n 1 -s 100 $B4/111 || return 1
	slow_network
	send_from_a -C fixed -n 10000 -s 10 $B4/111 &
	explains receive-window $B4 || return 1
	says "takes [0-9]+ packets"
}

# --- paths --------------------------------------------------------------------

# eight_links: between two hosts; the address of a host is reached over all
eight_links()
{
	local i hops_a="" hops_b=""

	for i in "$A" "$B"; do
		ip netns add "$i"
		ip -n "$i" link set lo up
	done
	for i in 0 1 2 3 4 5 6 7; do
		ip link add p$i mtu 4224 netns "$A" type veth peer name p$i \
			mtu 4224 netns "$B"
		ip -n "$A" addr add 10.1.$i.1/24 dev p$i
		ip -n "$B" addr add 10.1.$i.2/24 dev p$i
		ip -n "$A" link set p$i up
		ip -n "$B" link set p$i up
		hops_a="$hops_a nexthop via 10.1.$i.2 dev p$i"
		hops_b="$hops_b nexthop via 10.1.$i.1 dev p$i"
	done
	ip -n "$A" addr add $A4/32 dev lo
	ip -n "$B" addr add $B4/32 dev lo
	# shellcheck disable=SC2086
	ip -n "$A" route add $B4 src $A4 $hops_a
	# shellcheck disable=SC2086
	ip -n "$B" route add $A4 src $B4 $hops_b
}

bad_hop()
{
	named path $B4 && grep -q "via 10.1.5.2 dev p5: [1-9][0-9]* bad" "$WORK/why"
}

# One of eight links eats all packets: values that hash to it are bad, others good
path()
{
	local i

	teardown_pair
	eight_links
	PID=114 recv_start far -n 1000000 -I -A
	send_from_a -w -n 10 -s 50000 $B4/114 || return 1
	! among path $B4 || fail "before anything is wrong"
	for i in 0 1 2 3 4 5 6 7; do
		slow_link p$i 2mbit
	done
	tc -n "$A" qdisc replace dev p5 root netem loss 100%
	send_from_a -D 600 -w -s 100000 $B4/114 &
	explains path $B4 || return 1
	# Losses are seen before it is sure whose they are
	wait_for 20 bad_hop || says "via 10.1.5.2 dev p5: [1-9][0-9]* bad"
	walk "One path of several is bad" && grep " lost packets" "$WORK/walk" &&
		grep "dev p5: [1-9]" "$WORK/walk"
}

# router TEXT: the cause is a path, and this is said of routers
router()
{
	named path 10.2.1.2 h1-1 && grep -qE -- "$1" "$WORK/why"
}

# One of four spines loses packets, then all of them: which one is told by the hops that
# the values given up pass
spine()
{
	local fabric=$TREE/tools/fabric/fabric.py hop rc=0

	"$fabric" up --rate 100mbit >/dev/null || skip "no fabric here"
	# It is asked often, and hops would answer the first time only
	for hop in leaf1 leaf2 spine1 spine2 spine3 spine4; do
		on $hop sysctl -qw net.ipv4.icmp_ratelimit=0 || rc=1
	done
	on h2-1 uet_recv -T 1000 -p 114 -n 1000000 -I -A -R "$WORK/spine" >/dev/null &
	wait_for 10 test -e "$WORK/spine" || rc=1
	on h1-1 uet_send -T 1000 -D 600 -w -s 100000 10.2.1.2/114 >/dev/null &
	tc -n spine2 qdisc replace dev leaf2 root netem loss 10%
	wait_for 30 router "pass 172\.18\.1\.2, and [0-4] of [1-9]" || rc=1
	cat "$WORK/why"
	tc -n spine2 qdisc replace dev leaf1 root netem loss 100%
	tc -n spine2 qdisc replace dev leaf2 root netem loss 100%
	wait_for 30 router "end behind 10\.1\.1\.1, .* go on to 172\.(17|19|20)\.1\.2" ||
		rc=1
	cat "$WORK/why"
	ip netns pids h1-1 | xargs -r kill
	ip netns pids h2-1 | xargs -r kill
	"$fabric" down
	return $rc
}

# One of two interfaces has no carrier
port()
{
	two_links || return 1
	ip -n "$B" link set p1 down
	explains port $B4 || return 1
	says "p1 has no carrier"
}

shut()
{
	named port $B4 && grep -q "uet0 drops every packet" "$WORK/why"
}

# This host drops what it sends: all of it, and that is neither a firewall nor an MTU
full_port()
{
	PID=114 recv_start far -n 1000000 -I -A
	send_from_a -w -n 10 -s 50000 $B4/114 || return 1
	tc -n "$A" qdisc replace dev uet0 root pfifo limit 0 || skip "no pfifo"
	send_from_a -D 600 -w -s 100000 $B4/114 &
	explains port $B4 || return 1
	# After half a second, and still when nothing was heard for long
	wait_for 20 shut || says "uet0 drops every packet"
	sleep 3
	shut || { cat "$WORK/why"; return 1; }
	! grep -wE "mtu|path|firewall|silent" "$WORK/why" || return 1
	[ "$(stat_of "$A" PathMtuSteps)" = 0 ] ||
		fail "$(stat_of "$A" PathMtuSteps) smaller MTUs tried"
	slow_link
	wait_for 20 well || { cat "$WORK/why"; return 1; }
}

# ... or what is too much for it
short_port()
{
	PID=114 recv_start far -n 1000000 -I -A
	tc -n "$A" qdisc replace dev uet0 root pfifo limit 1000 &&
		tc -n "$A" qdisc add dev uet0 clsact &&
		tc -n "$A" filter add dev uet0 egress matchall \
			action police rate 10mbit burst 10k mtu 9000 drop ||
		skip "no policer"
	send_from_a -D 600 -w -s 100000 $B4/114 &
	send_from_a -D 600 -w -s 100000 $B4/114 &
	explains port $B4 || return 1
	says "of the last [0-9]+ packets it dropped"
}

# Large packets vanish without a word
mtu()
{
	ip -n "$B" link set uet0 mtu 1500
	PID=115 recv_start far -n 1000000 -I -A
	send_from_a -w -n 1 -s 100 $B4/115 || return 1
	slow_link
	send_from_a -D 600 -s 1000000 $B4/115 &
	explains mtu $B4 || return 1
	# It comes down in steps, and each may be seen
	wait_for 20 adds "path MTU 1500 instead of 4224" mtu $B4 ||
		says "path MTU 1500 instead of 4224"
}

# --- switches that trim -------------------------------------------------------

# They mark and drop, but do not trim
trim_missing()
{
	both_sysctl trimming 1
	both_sysctl dscp_trimmed 10
	# A queue that marks, behind a link that loses
	tc -n "$A" qdisc add dev uet0 root handle 1: netem loss 3% limit 10000 &&
	tc -n "$A" qdisc add dev uet0 parent 1:1 handle 2: tbf rate 10mbit \
		burst 10000 limit 1m &&
	tc -n "$A" qdisc add dev uet0 parent 2:1 handle 3: red limit 1m \
		min 5000 max 6000 avpkt 1000 burst 5 probability 1 bandwidth 10mbit \
		ecn nodrop || skip "no such queues"
	PID=116 recv_start far -n 1000000 -I -A
	send_from_a -D 600 -w -s 1000000 $B4/116 &
	send_from_a -D 600 -w -s 1000000 $B4/116 &
	sooner among trim $B4 || return 1
	says "no trimmed packet"
}

# They trim what has no DSCP for it
trim_unmarked()
{
	[ -e "$TC_LIB_DIR/q_trim.so" ] || skip "no q_trim.so in $TC_LIB_DIR"
	[ -d /sys/module/sch_trim ] || modprobe -q sch_trim ||
		skip "no sch_trim module"
	both_sysctl trimming 1
	both_sysctl dscp_trimmed 10
	tc -n "$A" qdisc add dev uet0 root trim rate 10mbit limit 1000000 \
		trim 20000 dscp 0 trimmed 10 || skip "no such queue"
	PID=116 recv_start far -n 1000000 -I -A
	send_from_a -D 600 -w -s 1000000 $B4/116 &
	send_from_a -D 600 -w -s 1000000 $B4/116 &
	sooner among trim $B4 || return 1
	says "DSCP 0"
}

# --- more than one, none, and hostile ones ------------------------------------

# What is wrong comes before what is a limit, and both are told; so do messages that
# failed
two_causes()
{
	patience
	PID=110 recv_start slow -n 1000 -b 40000 -I -A
	PID=111 recv_start far -n 1000000 -I -A
	PID=120 recv_start other -n 1 -J -j 7
	stopped "-p 110" || return 1
	send_from_a -w -J -j 8 -n 1 -s 100 $B4/120 && fail "it was delivered"
	send_from_a -n 60 -s 20000 $B4/110 &
	explains receiver $B4 || return 1
	slow_network
	send_from_a -d 35 -n 1000 -s 100000 $B4/111 &
	sooner among window $B4 || return 1
	cat "$WORK/causes"
	grep -q "^receiver .*job .*window" "$WORK/causes" || fail "another order"
}

# well: no cause is told that says that something is wrong
well()
{
	causes $B4 >"$WORK/causes" || return 1
	! grep -qwE "route|firewall|silent|mtu|hold|path|trim|job|refused|failed|receiver|reader" \
		"$WORK/causes"
}

# busy: many senders both ways over a link that marks, and all is well. They open into a
# queue that is longer than the first timeouts; what that costs may be told for a moment.
busy()
{
	local i LOOK=1

	both_sysctl rmem $((16 << 20))
	for i in "$A" "$B"; do
		tc -n "$i" qdisc add dev uet0 root handle 2: tbf rate 10mbit \
			burst 10000 limit 10m &&
		tc -n "$i" qdisc add dev uet0 parent 2:1 handle 3: red \
			limit 10m min 20000 max 21000 avpkt 1000 burst 20 \
			probability 1 bandwidth 10mbit ecn nodrop ||
			skip "no such queues"
	done
	for i in 1 2; do
		PID=13$i recv_start far$i -n 1000000 -I -A
		on "$A" uet_recv -T 1000 -p 14$i -n 1000000 -I -A -R "$WORK/a$i" \
			>/dev/null &
		wait_for 10 test -e "$WORK/a$i" || return 1
		send_from_a -D 600 -w -s 100-300000 $B4/13$i &
		on "$B" uet_send -T 1000 -D 600 -w -s 100-300000 $A4/14$i &
	done
	wait_for 60 arrived 8 && wait_for 10 well ||
		{ cat "$WORK/why"; return 1; }
	for i in $(seq "$(scaled 10)"); do
		well || { cat "$WORK/why"; return 1; }
	done
}

# Thousands of queues, of another user, which come and go while one looks
crowd()
{
	local i

	ip -n "$B" route add local 10.9.0.0/16 dev lo
	ip -n "$A" route add 10.9.0.0/16 via $B4
	PID=150 recv_start far -n 10000000 -I -A
	impair "$A" delay 1s
	on "$A" setpriv --reuid 65534 --clear-groups "$BIN/uet_send" -T 1000 \
		-n "$(scaled 3000)" -s 1000 -X 1000 10.9.0.1/150 &
	for i in 1 2 3 4 5 6; do
		on "$A" timeout 1 "$BIN/uet_send" -n 1000 -s 20000 \
			10.9.0.$i/150 >/dev/null 2>&1 &
		causes 10.9.0.$i >/dev/null || return 1
		on "$A" "$UET" explain 10.9.0.$i >"$WORK/why" || return 1
		on "$B" "$UET" explain $A4 >"$WORK/why" || return 1
	done
}

fabric()
{
	teardown_pair
	setup_pair
	fix_neighbours
}

cases="nothing wrong_words route no_route firewall one_way other_peers silent failed receiver
	standstill right_reader own_receiver bad_name hold job refused opening window credit
	receive_window path spine port full_port short_port mtu trim_missing trim_unmarked
	two_causes busy crowd"
# shellcheck disable=SC2048
for name in ${*:-$cases}; do
	fabric
	tst "${name//_/ }" "$name"
done
finish
