#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The UET port is open where somebody uses UET, and as long as he does.
#
# check: vtime 240 turn1
# check: 6.12 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

OTHER_PORT=4999

# listening NETNS PORT [6]: does somebody have this UDP port?
listening()
{
	on "$1" grep -qi ":$(printf %04X "$2") " "/proc/net/udp${3:-}"
}

closed()
{
	! listening "$1" "$2" && ! listening "$1" "$2" 6
}

# quick NETNS: contexts that nobody uses go within seconds
quick()
{
	set_sysctl "$1" pdc_idle_s $((SLOW + 1))
	set_sysctl "$1" close_req_time_ms 1000
}

closed_at_first()
{
	closed "$A" 4793 || fail "open at A"
	closed "$B" 4793 || fail "open at B"
}

# The port stays until the context that the messages came by is closed
open_while_used()
{
	PID=100 recv_start main -n 3
	listening "$B" 4793 || fail "no IPv4"
	listening "$B" 4793 6 || fail "no IPv6"
	closed "$A" 4793 || fail "open at A"
	send_from_a -w -n 3 $B4/100 || return 1
	recv_wait main || return 1
	[ "$(stat_of "$B" CurPdcs)" = 1 ] || fail "no context is left"
	listening "$B" 4793 || fail "closed too early"
	wait_for 20 closed "$A" 4793 || fail "open at A"
	wait_for 20 closed "$B" 4793 || fail "open at B"
	[ "$(stat_of "$B" CurPdcs)" = 0 ] || fail "a context is left"
}

and_again()
{
	transfer $B4 "-n 50" "-n 50 -s 0-30000" &&
		transfer $B6 "-n 50" "-n 50 -s 0-30000"
}

# Over IPv6 a closed port does not answer packets without a checksum
nobody_there()
{
	wait_for 20 closed "$B" 4793 || fail "open at B"
	send_from_a -n 1 -x ECONNREFUSED -w $B4/100
}

# A context is left, and with it the port, but to others it is closed
last_one_left()
{
	local dropped rc=0

	set_sysctl "$A" pdc_idle_s 60
	set_sysctl "$B" pdc_idle_s 60
	PID=100 recv_start main -n 3
	send_from_a -w -n 3 $B4/100 || rc=1
	recv_wait main || rc=1
	dropped=$(stat_of "$B" DropNoSocket)
	send_from_a -d 5 -n 1 -x ECONNREFUSED -w $B4/100 || rc=1
	[ "$(stat_of "$B" DropNoSocket)" -gt "$dropped" ] || fail "not dropped"
	send_from_a -d 5 -n 1 -x ECONNREFUSED -w $B6/100 || rc=1
	[ "$(stat_of "$B" DropNoSocket)" -gt $((dropped + 1)) ] ||
		fail "not dropped, IPv6"
	[ "$(stat_of "$B" CurPdcs)" = 1 ] || fail "it opened a context"
	quick "$A"
	quick "$B"
	return $rc
}

other_port()
{
	wait_for 20 closed "$A" 4793 && wait_for 20 closed "$B" 4793 ||
		fail "still open"
	both_sysctl udp_port $OTHER_PORT || return 1
	closed "$B" $OTHER_PORT || fail "open before its use"
	PID=100 recv_start main -n 3
	listening "$B" $OTHER_PORT || fail "not open"
	closed "$B" 4793 || fail "the old one is open, too"
	send_from_a -w -n 3 $B4/100 || return 1
	both_sysctl udp_port 4793 || return 1
	recv_wait main || return 1
	listening "$B" 4793 || fail "did not move back"
	closed "$B" $OTHER_PORT || fail "still open after the move"
}

taken()
{
	local p

	wait_for 20 closed "$B" 4793 || fail "still open"
	ip netns exec "$B" python3 -c '
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 4793))
time.sleep(1000)' &
	p=$!
	wait_for 10 listening "$B" 4793 || fail "not taken"
	on "$B" uet_recv -p 100 -n 1 -T 1 2>"$WORK/taken" && fail "it started"
	cat "$WORK/taken"
	grep -q "Address already in use" "$WORK/taken" || fail "another error"
	set_sysctl "$B" udp_port $OTHER_PORT || fail "cannot be moved"
	set_sysctl "$B" udp_port 4793 2>/dev/null && fail "took a port twice"
	kill $p
	wait_for 10 closed "$B" 4793 || fail "still taken"
	set_sysctl "$B" udp_port 4793
}

# Sockets come and go while the port is about to close
comes_and_goes()
{
	local i j

	for i in $(seq "$(scaled 12)"); do
		for j in 1 2 3 4; do
			on "$B" uet_send -x ECONNREFUSED -n 1 $A4/9 &
		done >/dev/null 2>&1
		wait
		sleep 0.9$((i % 10))
		PID=100 recv_start main -n 1
		listening "$B" 4793 || fail "a socket, and no port"
		send_from_a -w -n 1 $B4/100 || return 1
		recv_wait main || return 1
	done
}

setup_pair
quick "$A"
quick "$B"
tst "closed where nobody uses UET" closed_at_first
tst "open from the first socket until the last context is gone" open_while_used
tst "open again" and_again
tst "nobody there: ECONNREFUSED" nobody_there
tst "the last socket closed: no new contexts" last_one_left
tst "another port, before its use and in use" other_port
tst "a port that is taken" taken
tst "sockets come and go" comes_and_goes
finish
