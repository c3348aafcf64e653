#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A narrower link behind a router: from the start, and from the middle of a
# message on, when packets are outstanding that do not fit any more.
#
# check: uml-debug 500 -
# check: 6.1,6.12 500 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"
export LD_LIBRARY_PATH=$TREE/build/lib
export PYTHONPATH=$TREE/tools/libuet/python:$PYTHONPATH

R=uet-r-$$
FAR4=10.1.0.2
FAR6=fd01::2

# Host B moves behind a router
routed()
{
	setup_pair
	ip -n "$B" link del uet0
	ip -batch - <<-END
		netns add $R
		link add uet0 mtu 4224 netns $A type veth peer name near mtu 4224 netns $R
		link add uet0 mtu 4224 netns $B type veth peer name far mtu 4224 netns $R
	END
	ip -n "$R" -batch - <<-END
		addr add 10.0.0.254/24 dev near
		addr add fd00::fe/64 dev near nodad
		addr add 10.1.0.254/24 dev far
		addr add fd01::fe/64 dev far nodad
		link set near up
		link set far up
	END
	on "$R" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
	setup_host "$A" $A4 $A6
	setup_host "$B" $FAR4 $FAR6
	ip -n "$A" route add 10.1.0.0/24 via 10.0.0.254
	ip -n "$A" route add fd01::/64 via fd00::fe
	ip -n "$B" route add 10.0.0.0/24 via 10.1.0.254
	ip -n "$B" route add fd00::/64 via fd01::fe
}

narrow()
{
	ip -n "$R" link set far mtu "$1"
}

# What a route was told is forgotten with it; what a peer was, when routes change,
# which flushing is for IPv4 only
forget()
{
	ip -n "$A" route flush cache
	ip -n "$A" -6 route flush cache
	ip -n "$A" -6 route add fd0f::/64 dev uet0
	ip -n "$A" -6 route del fd0f::/64 dev uet0
}

# counter NETNS NAME: of the whole stack
counter()
{
	on "$1" nstat -asz "$2" | awk -v name="$2" '$1 == name { print $2 }'
}

from_the_start()
{
	local before

	narrow 1500
	forget
	before=$(steps)
	transfer "$1" "-n $2" "-n $2 -s 0-100000" || return 1
	[ "$(steps)" = "$before" ] || fail "it was found without ICMP"
}

rx_bytes_over()
{
	[ "$(stat_of "$B" RxBytes)" -gt "$1" ]
}

# in_pieces NAME COUNT: host B has put together more packets than that
in_pieces()
{
	[ "$(counter "$B" "$1")" -gt "$2" ]
}

# shrinks TYPE ADDR: packets of 4096 bytes are on their way when it happens,
# and some are lost besides; the sender goes on until some came in pieces
shrinks()
{
	local sender rc=0 name=IpReasmOKs before received

	[ "${2#*:}" = "$2" ] || name=Ip6ReasmOKs
	narrow 4224
	forget
	impair "$A" rate 20mbit delay 20ms loss 5%
	recv_start main -I -t "$1"
	before=$(counter "$B" $name)
	received=$(stat_of "$B" RxBytes)
	send_from_a -w -t "$1" -D 600 -b 262144 -s 1m "$2/$PID" >"$WORK/send" &
	sender=$!
	wait_for 20 rx_bytes_over $((received + 200000)) || rc=1
	narrow 1500
	wait_for 20 in_pieces $name "$before" || rc=1
	received=$(stat_of "$B" RxBytes)
	wait_for 20 rx_bytes_over $((received + 2000000)) || rc=1
	# It ends with the message it is at
	# shellcheck disable=SC2046
	kill $(ip netns pids "$A")
	wait $sender || rc=1
	recv_all_sent
	recv_wait main || rc=1
	impair "$A"
	cat "$WORK/send"
	echo "$(($(counter "$B" $name) - before)) packets came in pieces"
	[ "$(counter "$B" $name)" -gt "$before" ] ||
		fail "nothing was outstanding"
	[ "$(field messages "$WORK/recv-main")" = \
	  "$(field delivered "$WORK/send")" ] || fail "messages are missing"
	return $rc
}

# The own link's MTU goes up and down, while messages wait that are sent in part
mtu_wavers()
{
	local i=0

	while [ ! -e "$WORK/over" ]; do
		i=$((i + 1))
		ip -n "$A" link set uet0 mtu $((i % 2 ? 1500 : 4224))
		sleep 0.02
	done
	ip -n "$A" link set uet0 mtu 4224
}

wavers()
{
	local waver n rc=0

	n=$(scaled 150)
	narrow 4224
	forget
	impair "$A" rate 40mbit
	rm -f "$WORK/over"
	mtu_wavers &
	waver=$!
	transfer "$2" "-t $1 -n $n" "-t $1 -n $n -s 3000-30000" || rc=1
	: >"$WORK/over"
	wait $waver
	impair "$A"
	return $rc
}

# A narrow link behind a router that only packets with a mark are sent to: it is
# the route of that mark which is narrow
marked()
{
	local before rc=0

	narrow 1500
	forget
	ip -n "$A" rule add fwmark 7 table 77
	ip -n "$A" route add 10.1.0.0/24 via 10.0.0.254 table 77
	ip -n "$A" route replace unreachable 10.1.0.0/24
	before=$(steps)
	recv_start main -n 5 -x 100
	send_from_a -M 7 -w -n 5 -s 20000 "$FAR4/$PID" || rc=1
	recv_wait main || rc=1
	[ "$(steps)" = "$before" ] || fail "it was found without ICMP"
	return $rc
}

# --- ICMP that somebody makes up ------------------------------------------

# guessed ADDR FIELD: each long packet is answered by "too big" with a wrong FIELD, by
# one who has not seen it, and packets stay as long as they were. By a route that
# only packets with a mark take: newer kernels believe it for the route that they
# find without (udp_err() and udpv6_err_update_exception()), as for any UDP
guessed()
{
	local rc=0

	teardown_pair
	setup_pair
	ip -n "$A" rule add fwmark 7 table 77
	ip -n "$A" -6 rule add fwmark 7 table 77
	ip -n "$A" route add 10.0.0.0/24 dev uet0 src $A4 table 77
	ip -n "$A" route add fd00::/64 dev uet0 src $A6 table 77
	rm -f "$WORK/said"
	on "$B" icmp_too_big.py "$@" >"$WORK/said" &
	wait_for 30 grep -qs ready "$WORK/said" || fail "it did not start"
	recv_start main -n 20 -x 100
	send_from_a -M 7 -w -n 10 -s 20000 "$1/$PID" || rc=1
	wait_for 10 stale 5 || fail "no ICMP came, or it was believed"
	send_from_a -M 7 -w -n 10 -s 20000 "$1/$PID" || rc=1
	recv_wait main || rc=1
	# Five for each message, three times as many if one was believed
	echo "$(stat_of "$B" RxReqs) packets for 20 messages"
	[ "$(stat_of "$B" RxReqs)" -lt 150 ] || rc=1
	return $rc
}

# stale N: so many quotes were not believed
stale()
{
	[ "$(stat_of "$A" IcmpIgnored)" -ge "$1" ]
}

# --- no ICMP comes ---------------------------------------------------------

# Host B takes packets of 1500 bytes and says nothing about longer ones. Runs are
# taken apart before: veth does not look at the length of such a buffer.
hole_pair()
{
	teardown_pair
	setup_pair
	ip -n "$B" link set uet0 mtu 1500
	tc -n "$A" qdisc add dev uet0 root tbf rate 40gbit burst 4800 limit 4m
	both_sysctl rto_min_us 1000
	both_sysctl rto_max_ms 100
}

steps()
{
	stat_of "$A" PathMtuSteps
}

# vanish ADDR TYPE: small messages arrive, long ones do not until packets are
# shorter; what was cut before arrives in pieces
vanish()
{
	hole_pair
	transfer "$1" "-n 1 -t $2" "-n 1 -s 100 -t $2" || return 1
	transfer "$1" "-n 10 -t $2" "-n 10 -s 20000 -t $2" || return 1
	echo "$(steps) steps"
	[ "$(steps)" -ge 1 ] && [ "$(steps)" -le 4 ] || return 1
	rm -f "$WORK/server"
	on "$B" uet_rr -l 200 >"$WORK/server" &
	wait_for 10 grep -q ready "$WORK/server" || return 1
	on "$A" uet_rr -n 1 "$1" 200 >"$WORK/info" || return 1
	[ "$(field path_mtu "$WORK/info")" = 1500 ] || fail "$(cat "$WORK/info")"
	# Who sends short packets from the start has nothing to find out
	transfer "$1" "-n 10 -t $2" "-n 10 -s 20000 -t $2" || return 1
	[ "$(steps)" -le 4 ] || fail "again"
}

# The first packet that opens a context is one of them
vanish_first()
{
	hole_pair
	transfer "$1" "-n 4 -t $2" "-n 4 -s 20000 -t $2" || return 1
	echo "$(steps) steps"
	[ "$(steps)" -ge 1 ]
}

# Pieces vanish too: what was cut is reported, what comes after it arrives. (That
# Ip6FragFails counts is host B's link: veth says at once that its other end takes
# no pieces of 2176 bytes, those of the first step.)
no_pieces()
{
	local t0 ms

	hole_pair
	# Time for three steps, which a slow guest needs
	both_sysctl peer_timeout_s 5
	on "$B" sysctl -qw net.ipv4.ipfrag_low_thresh=0 \
		net.ipv4.ipfrag_high_thresh=0 \
		net.ipv6.ip6frag_low_thresh=0 net.ipv6.ip6frag_high_thresh=0
	transfer "$1" "-n 1" "-n 1 -s 100" || return 1
	t0=${EPOCHREALTIME/./}
	recv_start main -n 1 -x 100
	send_from_a -x ETIMEDOUT -n 1 -s 20000 "$1/$PID" || return 1
	ms=$(((${EPOCHREALTIME/./} - t0) / 1000))
	echo "reported after $ms ms, $(steps) steps"
	[ "$ms" -lt $((10000 * SLOW)) ] || return 1
	send_from_a -w -n 1 -s 20000 "$1/$PID" || return 1
	recv_wait main
}

# A long message is lost and expires before it arrives in pieces; short ones go on for
# longer than peer_timeout_s, and nothing is wrong with them
expired()
{
	local before

	hole_pair
	both_sysctl rto_max_ms 1000
	both_sysctl rto_min_us 500000
	both_sysctl peer_timeout_s 4
	recv_start main -I
	before=$(stat_of "$A" TxRetx)
	on "$A" timeout $((60 * SLOW)) python3 - "$1/$PID" <<-'END' || return 1
		import sys, time, uet
		s = uet.Socket(peer=sys.argv[1], notify=True)
		LONG = 1
		ends = {}
		n = LONG

		def short():
		    global n
		    n += 1
		    s.send(b"short", cookie=n)

		def wait(cookie):
		    while cookie not in ends:
		        if not s.wait_report(20):
		            sys.exit(f"no report of {cookie}")
		        for r in s.reports(expand=True):
		            ends[r.cookies[0]] = r.error

		short()
		wait(n)
		s.send(3000 * b"x", timeout=300, cookie=LONG)
		short()
		wait(LONG)
		if not ends.pop(LONG):
		    sys.exit("it has arrived")
		end = time.monotonic() + 7
		while time.monotonic() < end:
		    short()
		    wait(n)
		    time.sleep(0.02)
		failed = {c: e for c, e in ends.items() if e}
		sys.exit(str(failed) if failed else 0)
	END
	echo "$(($(stat_of "$A" TxRetx) - before)) packets sent again, $(steps) steps"
	[ "$(stat_of "$A" TxRetx)" -gt "$before" ] || fail "nothing was lost"
	[ "$(stat_of "$A" PdcFailed)" = 0 ] || fail "the PDC has failed"
}

# Loss that has nothing to do with length is no reason
lossy()
{
	teardown_pair
	setup_pair
	both_sysctl rto_min_us 1000
	impair "$A" loss 20%
	transfer "$1" "-n 100" "-n 100 -s 20000" || return 1
	[ "$(steps)" = 0 ] || fail "$(steps) steps"
}

routed
both_sysctl link_mbps 20
both_sysctl base_rtt_us 20000
for addr in $FAR4 $FAR6; do
	tst "$addr: narrow from the start" from_the_start $addr 20
	for type in rdm seq; do
		tst "$addr: narrower in the middle, $type" shrinks $type $addr
	done
done
for type in rdm seq; do
	tst "wider and narrower while messages wait, $type" wavers $type $FAR4
done
tst "$FAR4: narrow where a mark leads" marked
ip netns del "$R"
for addr in $B4 $B6; do
	for field in psn pdcid; do
		tst "$addr: too big says one who guesses, wrong $field" \
			guessed $addr $field
	done
done
for addr in $B4 $B6; do
	for type in rdm seq; do
		tst "$addr: long packets vanish, $type" vanish $addr $type
	done
	tst "$addr: so does the first one" vanish_first $addr rdm
	tst "$addr: pieces vanish too: ETIMEDOUT" no_pieces $addr
done
tst "a long packet expires: short ones go on" expired $B4
tst "losses of all kinds leave the MTU alone" lossy $B4
finish
