#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every way a message can fail, and the errno its sender is told.
#
# check: 6.1,6.12 600 full
# check: vtime 1200 turn4
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

expect()
{
	local errno=$1
	shift

	send_from_a -x "$errno" "$@"
}

no_process()
{
	expect ECONNREFUSED "$1/3000"
}

no_index()
{
	recv_start main -r 5
	expect ECONNREFUSED "$1/$PID/6" || return 1
	# The endpoint beside it is well
	send_from_a -n 1 -w "$1/$PID/5"
}

# The process is there, but in another job
other_job()
{
	rm -f "$WORK/ready-job"
	on "$B" uet_recv -J -j 99 -p $PID -I -T $((30 * SLOW)) \
		-R "$WORK/ready-job" >/dev/null &
	wait_for 10 test -e "$WORK/ready-job" || fail "no receiver"
	expect EACCES -J -j 98 "$1/$PID"
}

# nobody_at ADDR: what is sent there ends at host B, where a program plays it
nobody_at()
{
	local mac

	mac=$(on "$B" cat /sys/class/net/uet0/address)
	ip -n "$A" neigh replace "$1" lladdr "$mac" dev uet0
}

# play PROGRAM ARGUMENTS...: by a program on host B, which is ready afterwards
play()
{
	rm -f "$WORK/played"
	on "$B" "$1" "${@:2}" >"$WORK/played" &
	wait_for 30 grep -qs ready "$WORK/played" || fail "$1 did not start"
}

# A host without UET, played by a program: ICMP port unreachable
no_uet()
{
	nobody_at 10.0.0.9
	play icmp_refuse.py 10.0.0.9
	expect ECONNREFUSED "10.0.0.9/$PID"
}

# The same by somebody who guesses: it is the silence that counts
forged_icmp()
{
	hasty 2
	nobody_at 10.0.0.10
	play icmp_refuse.py 10.0.0.10 forged
	expect ETIMEDOUT "10.0.0.10/$PID" || return 1
	[ "$(stat_of "$A" IcmpErrors)" -gt 0 ] || fail "no ICMP came"
}

# UET goes from a host that a context exists to: that is told when the host was silent for
# as long as any other
uet_goes()
{
	local pid

	hasty 2
	nobody_at 10.0.0.11
	play fake_peer.py 10.0.0.11 nack 0x01 1
	send_from_a -w "10.0.0.11/$PID" || fail "no context"
	for pid in $(ip netns pids "$B"); do
		kill -9 "$pid"
	done
	play icmp_refuse.py 10.0.0.11
	expect ECONNREFUSED "10.0.0.11/$PID"
}

# A firewall comes and rejects everything for three seconds: a transfer that runs goes on
# when it goes, as over TCP
rejected_for_a_while()
{
	local sender n

	patient
	recv_start main -I
	send_from_a -n 1 -w "$B4/$PID" || return 1
	tc -n "$B" qdisc add dev uet0 clsact &&
		tc -n "$B" filter add dev uet0 ingress protocol ip matchall action drop ||
		skip "no filter here"
	play icmp_refuse.py "$B4"
	n=$(stat_of "$A" IcmpErrors)
	send_from_a -n 100 -s 4000 -F -w "$B4/$PID" &
	sender=$!
	wait_for 10 told $((n + 5)) || fail "nothing is rejected"
	sleep 3
	kill -0 $sender || fail "it has ended"
	tc -n "$B" qdisc del dev uet0 clsact
	wait $sender
}

# At least N ICMP errors
told()
{
	[ "$(stat_of "$A" IcmpErrors)" -ge "$1" ]
}

# unreachable TYPE ERRNO ERRNO6: a router that says so ends what opens a context, long
# before a silent peer is given up
unreachable()
{
	unreachable_at "$1" 10.9.0.1 "$2" && unreachable_at "$1" fd09::1 "$3"
}

unreachable_at()
{
	ip -n "$R" route add "$1" "$2" || return 1
	expect "$3" "$2/$PID" >"$WORK/send" || return 1
	cat "$WORK/send"
	[ "$(field source "$WORK/send")" = 3 ]
}

# A router that has no neighbour for it says so after three seconds
far_neighbour()
{
	expect EHOSTUNREACH 10.4.2.77/$PID || return 1
	expect EHOSTUNREACH fd04::2:77/$PID
}

# Where a context is, the route may come back
route_returns()
{
	local addr sender n

	recv_start main -I
	for addr in $FAR4 $FAR6; do
		send_from_a -n 1 -w "$addr/$PID" || return 1
		n=$(stat_of "$A" IcmpErrors)
		ip -n "$R" route add "$1" "$addr" || return 1
		send_from_a -n 20 -F -w "$addr/$PID" &
		sender=$!
		wait_for 20 told $((n + 1)) || fail "no ICMP"
		sleep 4
		kill -0 $sender || fail "it has ended"
		ip -n "$R" route del "$1" "$addr"
		wait $sender || return 1
	done
}

# answered ADDR ses|nack CODE ERRNO: what a peer answers, and what it means here
answered()
{
	nobody_at "$1"
	play fake_peer.py "$1" "$2" "$3"
	expect "$4" -t rdm "$1/$PID" || return 1
	# A message fails by itself, the context goes on
	[ "$2" = nack ] || expect "$4" -n 3 "$1/$PID"
}

# Answers come, if late: it is not the silence that counts
patient()
{
	set_sysctl "$A" peer_timeout_s 30
	set_sysctl "$A" rto_min_us "${1:-1000}"
}

# Return codes of the SES, and NACK codes that end a context
answers()
{
	local i=20 kind code errno

	patient
	while read -r kind code errno; do
		i=$((i + 1))
		echo "$kind $code"
		answered 10.0.0.$i "$kind" "$code" "$errno" ||
			fail "$kind $code is not $errno"
	done <<-END
		ses 0x02 EREMOTEIO
		ses 0x03 EREMOTEIO
		ses 0x06 EOPNOTSUPP
		ses 0x07 EOPNOTSUPP
		ses 0x17 EACCES
		ses 0x18 EREMOTEIO
		ses 0x19 ECONNREFUSED
		ses 0x1a ECONNREFUSED
		ses 0x1b EACCES
		ses 0x22 EMSGSIZE
		ses 0x24 EREMOTEIO
		ses 0x3f EREMOTEIO
		nack 0x0e ECONNRESET
		nack 0x0f ECONNRESET
		nack 0x10 ECONNRESET
		nack 0x11 ECONNRESET
		nack 0x13 ECONNRESET
		nack 0x16 ECONNRESET
		nack 0x19 ECONNRESET
		nack 0xfe EREMOTEIO
		nack 0xff ECONNRESET
	END
}

# Codes after which the message goes again: nothing fails
goes_again()
{
	local i=50 kind code

	patient
	for kind in "ses 0x05" "ses 0x04" "nack 0x01" "nack 0x04" "nack 0x07" "nack 0x0a" \
		"nack 0x12" "nack 0x15" "nack 0x1a" "nack 0xfd"; do
		i=$((i + 1))
		echo "$kind"
		nobody_at 10.0.0.$i
		# shellcheck disable=SC2086
		play fake_peer.py 10.0.0.$i $kind 2
		send_from_a -w 10.0.0.$i/$PID || fail "$kind"
	done
	[ "$(stat_of "$A" MsgAgain)" -ge 2 ] || fail "NO_MATCH was not heeded"
}

# The generation of the index changed: the peer says which is right, the message
# goes again at once and the next ones have it; not for ever, nor in order
generation()
{
	local again

	patient
	nobody_at 10.0.0.64
	play fake_peer.py 10.0.0.64 gen 200
	again=$(stat_of "$A" MsgAgain)
	send_from_a -n 1 -w 10.0.0.64/$PID || fail "it did not go again"
	[ "$(stat_of "$A" MsgAgain)" = $((again + 1)) ] || fail "how often?"
	send_from_a -n 5 -s 100-12000 -w 10.0.0.64/$PID || fail "several packets"
	nobody_at 10.0.0.65
	play fake_peer.py 10.0.0.65 gen 256
	again=$(stat_of "$A" MsgAgain)
	expect EREMOTEIO 10.0.0.65/$PID || fail "for ever"
	[ "$(stat_of "$A" MsgAgain)" -gt $((again + 1)) ] || fail "no second try"
	nobody_at 10.0.0.66
	play fake_peer.py 10.0.0.66 gen 7
	expect EREMOTEIO -t seq 10.0.0.66/$PID || fail "out of order"
}

# A peer that started anew: what it refused whole goes to another context, what
# it took a part of may have arrived and fails
disowned()
{
	local i=80 code

	# The program is slow: that is no reason to send a packet three times
	patient 4000000
	for code in 0x0e 0x0f 0x10; do
		i=$((i + 1))
		nobody_at 10.0.0.$i
		play fake_peer.py 10.0.0.$i nack $code 2
		send_from_a -s 100 -w 10.0.0.$i/$PID ||
			fail "$code, refused whole"
	done
	nobody_at 10.0.0.71
	play fake_peer.py 10.0.0.71 gone 0x0e 2
	send_from_a -s 12000 -w 10.0.0.71/$PID || fail "three packets refused"
	nobody_at 10.0.0.72
	play fake_peer.py 10.0.0.72 gone 0x0e 1 1
	expect ECONNRESET -s 12000 10.0.0.72/$PID || fail "a part was accepted"
	# The first packet is neither refused nor taken: a timeout ends the wait
	nobody_at 10.0.0.73
	play fake_peer.py 10.0.0.73 gone 0x0e 1 -1
	expect ECONNRESET -s 12000 10.0.0.73/$PID || fail "a part is unknown"
}

# No context free at the peer: it is asked ever more seldom, up to once in a
# second, not every 128 ms. 1, 2, 4, ... 512, 1000, 1000, less a quarter
refused_a_context()
{
	local t0=$EPOCHREALTIME ms

	patient
	nobody_at 10.0.0.75
	play fake_peer.py 10.0.0.75 nack 0x04 14
	send_from_a -w 10.0.0.75/$PID || return 1
	ms=$(((${EPOCHREALTIME/./} - ${t0/./}) / 1000))
	echo "taken after $ms ms"
	[ "$ms" -ge 3000 ]
}

no_memory()
{
	[ "$(stat_of "$A" CurMem)" -eq 0 ]
}

# The same for ever, and the sender is killed
refused_for_ever()
{
	nobody_at 10.0.0.76
	play fake_peer.py 10.0.0.76 nack 0x04 1000000
	set_sysctl "$A" orphan_timeout_s 1
	timeout -s KILL 1 ip netns exec "$A" uet_send -n 50 -s 20000 \
		10.0.0.76/$PID
	wait_for 10 no_memory
	local rc=$?
	set_sysctl "$A" orphan_timeout_s 60
	[ $rc = 0 ] || fail "$(stat_of "$A" CurMem) bytes are kept"
}

# An ordered queue moves: what its sender, who waited for room, sends meanwhile
# stays behind it
disowned_in_order()
{
	patient 100000
	nobody_at 10.0.0.74
	play fake_peer.py 10.0.0.74 nack 0x0e 5 1
	send_from_a -t seq -n 300 -s 1000 -b 64k -w 10.0.0.74/$PID
	grep -c took "$WORK/played"
	# shellcheck disable=SC2016
	awk '$1 == "took" { n++; if ($2 in last && $3 <= last[$2]) {
			print $3 " came after " last[$2]; bad = 1 }
		last[$2] = $3 } END { exit bad || n < 200 }' "$WORK/played"
}

# A message of a context that the peer disowned waits to be moved or reported, for
# a packet was not refused; cancelling it does not wait
disowned_and_cancelled()
{
	local rc=0

	patient 5000000
	set_sysctl "$A" rto_max_ms 5000
	nobody_at 10.0.0.68
	nobody_at 10.0.0.69
	play fake_peer.py 10.0.0.69 gone 0x0e 1 -1
	on "$A" uet_expire 10.0.0.68/$PID 10.0.0.69/$PID || rc=1
	set_sysctl "$A" rto_max_ms 200
	return $rc
}

# A message that the peer did not take goes again when all its packets are answered.
# Until then, too, it expires, and can be cancelled.
refused_and_late()
{
	local i

	patient
	for i in 87 88; do
		nobody_at 10.0.0.$i
		play fake_peer.py 10.0.0.$i first 0x05
	done
	on "$A" uet_expire again 10.0.0.87/$PID 10.0.0.88/$PID || return 1
	[ "$(stat_of "$A" MsgAgain)" -ge 2 ] || fail "they were not refused"
}

# The same for real: the host of the receiver goes and comes between two
# messages, so that its contexts are gone and the sender's are not
peer_restarts()
{
	local failed

	patient 4000000
	transfer $B4 "-n 10" "-n 10 -s 0-20000" || return 1
	failed=$(stat_of "$A" PdcFailed)
	clean_processes
	ip netns del "$B"
	wait_for 10 no_device || fail "the link is there still"
	setup_link
	setup_host "$B" "$B4" "$B6"
	ip -n "$A" addr add "$A4/24" dev uet0
	ip -n "$A" addr add "$A6/64" dev uet0 nodad
	ip -n "$A" link set uet0 up
	transfer $B4 "-n 50" "-n 50 -s 0-20000" || return 1
	[ "$(stat_of "$A" PdcFailed)" -gt "$failed" ] ||
		fail "no context was refused"
}

no_device()
{
	! ip -n "$A" link show uet0 2>/dev/null
}

setup_link()
{
	ip -batch - <<-END
		netns add $B
		link add uet0 mtu 4224 netns $A type veth peer name uet0 mtu 4224 netns $B
	END
}

# Answers that say no are kept until the sender has them: each of 200 messages
# is reported once, whatever is lost, and the context is clean afterwards
refused_and_lost()
{
	local n

	patient
	n=$(scaled 200)
	impair "$A" loss 20%
	impair "$B" loss 20%
	expect ECONNREFUSED -n "$n" -s 100-20000 "$B4/3001" >"$WORK/send" ||
		{ cat "$WORK/send"; return 1; }
	cat "$WORK/send"
	impair "$A"
	impair "$B"
	[ "$(field failed "$WORK/send")" = "$n" ] || fail "not each was reported"
	transfer $B4 "-n 20" "-n 20 -s 0-20000"
}

# The port of this host takes nothing, for ever: that, too, is given up in time
port_drops_all()
{
	local rc=0 local_before n

	hasty 3
	PID=101 recv_start other -I
	ip -n "$A" neigh replace "$B4" dev uet0 \
		lladdr "$(on "$B" cat /sys/class/net/uet0/address)"
	local_before=$(stat_of "$A" RetxLocal)
	# It is told to who has heard the peer just now: somebody always has
	n=$(stat_of "$B" MsgReceived)
	impair "$A" rate 100mbit
	send_from_a -D 60 -s 1000 "$B4/101" >"$WORK/send" 2>&1 &
	wait_for 10 arrived $((n + 100)) || fail "nothing comes"
	tc -n "$A" qdisc replace dev uet0 root pfifo limit 0 ||
		skip "no pfifo here"
	expect ETIMEDOUT -n 20 -s 100-20000 "$B4/$PID" || rc=1
	tc -n "$A" qdisc del dev uet0 root
	ip -n "$A" neigh del "$B4" dev uet0
	[ "$(stat_of "$A" RetxLocal)" -gt "$local_before" ] ||
		fail "nobody said so"
	clean_processes
	transfer $B4 "-n 10" "-n 10 -s 0-20000" || rc=1
	return $rc
}

# Short limits, so that it is over soon
hasty()
{
	set_sysctl "$A" rto_min_us 1000
	set_sysctl "$A" peer_timeout_s "$1"
	set_sysctl "$A" rto_max_ms 50
}

silent()
{
	hasty 2
	impair "$B" loss 100% || skip "no netem here"
	expect ETIMEDOUT "$1/$PID"
	local rc=$?
	impair "$B"
	return $rc
}

# It was fine, then the peer falls silent with packets outstanding
silent_later()
{
	local rc=0

	hasty 2
	recv_start main -n 1
	send_from_a -n 1 -w "$B4/$PID" || return 1
	recv_wait main || return 1
	impair "$B" loss 100% || skip "no netem here"
	expect ETIMEDOUT -n 3 "$B4/$PID" || rc=1
	impair "$B"
	# And it works again when the peer is back
	transfer $B4 "-n 10" "-n 10 -s 0-20000" || rc=1
	return $rc
}

no_route()
{
	expect ENETUNREACH "203.0.113.5/$PID"
}

no_neighbour()
{
	# Resolution gives up after three seconds
	hasty 10
	expect EHOSTUNREACH "$1/$PID"
}

# The route goes while messages are queued
link_lost()
{
	local rc=0

	hasty 2
	# Where time is virtual, what nothing slows down is over in none
	recv_start main -I -T $((10 * SLOW)) -A -S 200
	send_from_a -n 100000 -s 50000 "$B4/$PID" >"$WORK/send" 2>&1 &
	local sender=$!
	wait_for 20 arrived $(($(stat_of "$B" MsgReceived) + 20)) || rc=1
	ip -n "$A" link set uet0 down
	wait $sender && rc=1
	cat "$WORK/send"
	case "$(field errno "$WORK/send")" in
	ENETUNREACH | EHOSTUNREACH | ETIMEDOUT) ;;
	*) rc=1 ;;
	esac
	ip -n "$A" link set uet0 up
	# IPv6 addresses went with the link
	ip -n "$A" addr replace $A6/64 dev uet0 nodad
	return $rc
}

receiver_dies()
{
	local rc=0 victim

	recv_start main -n 1000000 -S 500
	send_from_a -n 1000000 -s 30000 "$B4/$PID" >"$WORK/send" 2>&1 &
	local sender=$!
	wait_for 20 arrived $(($(stat_of "$B" MsgReceived) + 20)) || rc=1
	for victim in $(ip netns pids "$B"); do
		kill -9 "$victim"
	done
	wait $sender && rc=1
	cat "$WORK/send"
	[ "$(field errno "$WORK/send")" = ECONNREFUSED ] || rc=1
	return $rc
}

too_long()
{
	recv_start main -M 10000 -n 1
	expect EMSGSIZE -s 10001 "$B4/$PID" || return 1
	send_from_a -s 10000 -w "$B4/$PID" || return 1
	recv_wait main
}

# Another path policy needs a context of its own, and there is one for all. One
# that is idle makes room after a second.
out_of_contexts()
{
	local rc=0

	patient
	recv_start main -n 11 -x 100
	send_from_a -n 10 -w "$B4/$PID" || rc=1
	set_sysctl "$A" pdc_max 1
	expect ENOBUFS -L oblivious "$B4/$PID" || rc=1
	wait_for 10 send_from_a -n 1 -w -L oblivious "$B4/$PID" || rc=1
	recv_wait main || rc=1
	set_sysctl "$A" pdc_max 65536
	return $rc
}

# The same at the target: it asks for the close of what nobody uses
target_out_of_contexts()
{
	local rc=0 opened

	patient
	recv_start main -n 16 -x 100
	send_from_a -n 10 -w "$B4/$PID" || rc=1
	set_sysctl "$B" pdc_max 1
	opened=$(stat_of "$A" PdcOpened)
	# All of them wait in one context
	for _ in 1 2 3 4 5 6; do
		send_from_a -n 1 -w -L ecmp "$B4/$PID" &
	done
	recv_wait main || rc=1
	opened=$(($(stat_of "$A" PdcOpened) - opened))
	echo "$opened opened"
	# A late one may find it busy with those that waited
	[ "$opened" -le 2 ] || rc=1
	set_sysctl "$B" pdc_max 65536
	return $rc
}

# The time that data waits for a route is told (UET_INFO), and all goes on after it
route_lost()
{
	local server client ns before moved until_there rc=0

	patient
	impair "$A" delay 1ms
	rm -f "$WORK/server"
	on "$B" uet_rr -l 200 >"$WORK/server" &
	server=$!
	wait_for 10 grep -q ready "$WORK/server" || return 1
	on "$A" uet_rr -n 1 "$B4" 200 >"$WORK/info" || return 1
	before=$(field blocked_5_ns "$WORK/info")
	moved=$(stat_of "$B" MsgReceived)
	on "$A" uet_rr -n 1500 "$B4" 200 >"$WORK/info" &
	client=$!
	wait_for 20 arrived $((moved + 20)) || return 1
	until_there=${EPOCHREALTIME/./}
	ip -n "$A" route del 10.0.0.0/24
	sleep 1
	ip -n "$A" route add 10.0.0.0/24 dev uet0
	until_there=$((${EPOCHREALTIME/./} - until_there))
	wait $client || rc=1
	kill $server
	impair "$A"
	ns=$(($(field blocked_5_ns "$WORK/info") - before))
	echo "waited $ns ns for a route, which was gone for $until_there us"
	# As long as it is gone, and until the next try
	[ "$ns" -gt 100000000 ] &&
		[ "$ns" -lt $((until_there * 1000 + 2000000000 * SLOW)) ] ||
		return 1
	return $rc
}

setup_pair
for addr in $B4 $B6; do
	tst "$addr: no process: ECONNREFUSED" no_process $addr
	tst "$addr: no such index: ECONNREFUSED" no_index $addr
	tst "$addr: other job: EACCES" other_job $addr
done
tst "port closed by ICMP: ECONNREFUSED" no_uet
tst "forged ICMP: ETIMEDOUT" forged_icmp
tst "UET goes from a host, which says so: ECONNREFUSED" uet_goes
tst "a firewall rejects for three seconds: the transfer goes on" rejected_for_a_while
tst "a router: host unreachable" \
	behind_router unreachable unreachable EHOSTUNREACH ENETUNREACH
tst "a router: prohibited" \
	behind_router unreachable prohibit EHOSTUNREACH EHOSTUNREACH
tst "a router: no neighbour" behind_router far_neighbour
tst "a router has no route for four seconds: the transfer goes on" \
	behind_router route_returns unreachable
tst "a router prohibits for four seconds: the transfer goes on" \
	behind_router route_returns prohibit
tst "each code of a peer's answer has its errno" answers
tst "codes after which a message goes again" goes_again
tst "another generation of the index: again at once, a few times" generation
tst "a context disowned: only what was refused whole moves" disowned
tst "no context free at the peer: asked ever more seldom" refused_a_context
tst "... and never any: a closed socket's messages are given up" refused_for_ever
tst "a context disowned: what moves stays in order" disowned_in_order
tst "a context disowned: what waits is cancelled" disowned_and_cancelled
tst "a message that is to go again expires, or is cancelled" refused_and_late
tst "the peer starts anew between two messages" peer_restarts
tst "refused, and the answers lost" refused_and_lost
tst "silent from the start: ETIMEDOUT" silent $B4
tst "silent later: ETIMEDOUT, then well again" silent_later
tst "the port drops everything: ETIMEDOUT, then well again" port_drops_all
tst "no route: ENETUNREACH" no_route
tst "no neighbour: EHOSTUNREACH" no_neighbour 10.0.0.77
tst "no neighbour, IPv6: EHOSTUNREACH" no_neighbour fd00::77
tst "link goes down" link_lost
tst "route goes and comes" route_lost
tst "receiver killed: ECONNREFUSED" receiver_dies
tst "longer than UET_MAX_MSG: EMSGSIZE" too_long
tst "no context free: ENOBUFS, until one is idle" out_of_contexts
tst "no context free at the target: an idle one goes" target_out_of_contexts
finish
