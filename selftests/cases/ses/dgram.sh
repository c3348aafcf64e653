#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Datagrams (SOCK_DGRAM, UUD): what programs see, over a network that loses some, in each
# form of packets, and who floods a host with them.
#
# check: uml-debug,6.1 300 -
# check: 6.12 300 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

N=$(scaled 2000)

# datagrams ADDR "SEND OPTIONS": some of A arrive at B, none twice, none damaged
# shellcheck disable=SC2086
datagrams()
{
	local got

	recv_start main -t dgram -x 100 -I -A -n $((N + 1))
	send_from_a -t dgram -n "$N" $2 "$1/$PID" || return 1
	sleep $((SLOW))
	recv_all_sent
	recv_wait main
	got=$(field messages "$WORK/recv-main")
	echo "$got of $N arrived"
	[ "$got" -gt $((N / 10)) ] && [ "$(field bad "$WORK/recv-main")" = 0 ] &&
		[ "$(field duplicates "$WORK/recv-main")" = 0 ]
}

# Nothing of a host answers: no context, no NACK
unanswered()
{
	local acks nacks

	acks=$(stat_of "$B" TxAcks) nacks=$(stat_of "$B" TxNacks)
	"$@" || return 1
	[ "$(stat_of "$B" TxAcks)" = "$acks" ] &&
		[ "$(stat_of "$B" TxNacks)" = "$nacks" ] || fail "it was answered"
	[ "$(stat_of "$B" CurPdcs)" = 0 ] || fail "there is a context"
}

lossy()
{
	local rc=0

	impair "$A" loss 20% || skip "no netem here"
	datagrams "$B4" "-s 24-1000" || rc=1
	impair "$A"
	return $rc
}

in_form()
{
	local rc=0

	set_sysctl "$A" encap "$1"
	set_sysctl "$A" data_protect "$2"
	datagrams "$B4" "-s 24-3000" && datagrams "$B6" "-s 24-3000" || rc=1
	set_sysctl "$A" encap udp
	set_sysctl "$A" data_protect 2
	return $rc
}

# A flood at a reader who reads nothing: memory stays what its buffer is, and messages
# that are acknowledged are not hindered.
flood()
{
	local mem

	recv_start idle -t dgram -p 300 -I -A -b 65536 -n 1000000
	kill -STOP "$(receiver_of 300)"
	on "$A" uet_send -t dgram -T 600 -n 10000000 -s 1000 "$B4/300" >/dev/null 2>&1 &
	wait_for 20 dropped 100 || fail "nothing was dropped"
	mem=$(stat_of "$B" CurMem)
	transfer "$B4" "-n 50" "-n 50 -s 100,20k" || return 1
	wait_for 20 dropped 2000 || fail "the flood has ended"
	echo "$mem bytes, then $(stat_of "$B" CurMem)"
	[ "$(stat_of "$B" CurMem)" -lt 4000000 ]
}

receiver_of()
{
	local p

	for p in $(ip netns pids "$B"); do
		tr '\0' ' ' <"/proc/$p/cmdline" | grep -q "^uet_recv .*-p $1 " &&
			echo "$p"
	done
}

dropped()
{
	[ "$(stat_of "$B" DropNoRoom)" -gt "$1" ]
}

# Sends of a program that waits for nothing are refused while its own packets fill its
# buffer, and poll() tells when there is room.
slow_wire()
{
	local rc=0

	tc -n "$A" qdisc add dev uet0 root tbf rate 10mbit burst 10k limit 10m ||
		skip "no tbf here"
	recv_start main -t dgram -I -A -n 1000000
	send_from_a -t dgram -a -b 30000 -n 2000 -s 1000 "$B4/$PID" || rc=1
	tc -n "$A" -s qdisc show dev uet0
	impair "$A"
	tc -n "$A" qdisc del dev uet0 root 2>/dev/null
	return $rc
}

# A link behind a router is narrow: it says so, and datagrams that are too long are refused
narrow()
{
	local i

	teardown_pair
	setup_spines
	for i in $(seq $SPINES); do ip -n "$R" link set s$i mtu 2000; done
	set_sysctl "$A" encap "$1"
	wait_for 20 too_long || fail "never told"
	recv_start main -t dgram -I -A -n 1000
	send_from_a -t dgram -n 10 -s 1500 10.0.2.1/$PID || return 1
	wait_for 10 arrived 10 || fail "what fits does not arrive"
	teardown_spines
	setup_pair
}

too_long()
{
	# Nothing else is reported
	! on "$A" uet_send -t dgram -n 1 -s 3000 -T 1 10.0.2.1/$PID 2>/dev/null
}

# A namespace and a module go with datagrams that wait
goes()
{
	fix_neighbours
	impair "$A" delay 100s || skip "no netem here"
	send_from_a -t dgram -n 100 -s 1000 "$B4/$PID" || return 1
	wait_for 10 waiting 50 || fail "nothing waits"
	teardown_pair
	setup_pair
}

setup_pair
part uet_dgram $A4
part uet_dgram $A6
tst "over IPv4, unanswered" unanswered datagrams $B4 "-s 24-1000"
tst "over IPv6, unanswered" unanswered datagrams $B6 "-s 24-3000"
tst "some are lost" lossy
tst "directly over IP" in_form ip 2
tst "with a CRC" in_form udp 1
tst "directly over IP with a CRC" in_form ip 1
tst "a flood to who does not read" flood
tst "a slow wire and a full buffer" slow_wire
tst "a narrow path" narrow udp
tst "a narrow path, directly over IP" narrow ip
tst "the namespace goes with some on their way" goes
finish
