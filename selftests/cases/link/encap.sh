#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Packets over UDP and directly over IP, without and with a CRC trailer: by setting, by
# rule, as the peer sends, and all of them at once.
#
# check: uml-debug 400 turn3
# check: 6.1 400 -
# check: 6.12 400 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

UET=${UET_TOOL:-$TREE/build/uet/uet}

# Fresh hosts know nothing of each other, and have the defaults
fresh()
{
	teardown_pair
	setup_pair
}

# rule HOST ADDR SETTING VALUE...
rule()
{
	"$UET" -n "$1" peer set "${@:2}"
}

# moved NETNS COUNTER COMMAND...: by how much a counter moves meanwhile, in $by
moved()
{
	local netns=$1 counter=$2 before
	shift 2

	before=$(stat_of "$netns" "$counter")
	"$@" || return 1
	by=$(($(stat_of "$netns" "$counter") - before))
	echo "$counter of $netns: $by"
}

# form NETNS is what its packets are like: of all it sent, those directly over IP and
# those with a trailer: "udp", "ip", "udp crc" or "ip crc"; "mixed" if they differ
form()
{
	local all native crc

	all=$(stat_of "$1" TxPkts)
	native=$(stat_of "$1" TxNative)
	crc=$(stat_of "$1" TxTrailers)
	echo "$1: $all packets, $native directly over IP, $crc with a CRC" >&2
	case $native:$crc in
	0:0)		echo udp ;;
	"$all:0")	echo ip ;;
	"0:$all")	echo udp crc ;;
	"$all:$all")	echo ip crc ;;
	*)		echo mixed ;;
	esac
}

# forms A B: of both hosts
forms()
{
	local is

	is="$(form "$A"), $(form "$B")"
	[ "$is" = "$1, $2" ] || fail "forms $is, not $1, $2"
}

some()
{
	transfer "$1" "-n 40" "-n 40 -s 0,24,100,3000,50000,400k"
}

# Settings of the sender; the receiver has the defaults and answers as it is asked
asked()
{
	fresh
	set_sysctl "$A" encap "$2"
	set_sysctl "$A" data_protect "$3"
	some "$1" || return 1
	forms "$4" "$4"
}

# The first message has several packets: their length is told by none of the first ones
long_first()
{
	fresh
	set_sysctl "$A" encap "$2"
	set_sysctl "$A" data_protect 1
	transfer "$1" "-n 3" "-n 3 -s 300k" || return 1
	[ "$(stat_of "$B" DropViolation)" = 0 ] || fail "trailers were taken for data"
	forms "$3" "$3"
}

# A rule for the peer beats what the peer does
ruled()
{
	fresh
	rule "$B" "$A4" encap ip data_protect 0
	set_sysctl "$A" data_protect 1
	# What comes has a CRC, but none is wanted: it is not looked at
	transfer "$B4" "-n 20" "-n 20 -s 24,100,3000"
	[ "$(form "$B")" = ip ] || fail "the rule does not count"
	fresh
	rule "$A" 10.0.0.0/24 encap ip
	rule "$A" "$B4" data_protect 1
	some "$B4" || return 1
	forms "ip crc" "ip crc"
	some "$B6" || return 1
	[ "$(form "$A")" = mixed ] || fail "the rule counts for others"
}

# Rules and settings change, peers follow: no message is lost or damaged. Some have a few
# bytes more than a packet, where a trailer may be taken for data.
changes()
{
	local i encap sender

	fresh
	recv_start main -I -A
	send_from_a -D $((12 * SLOW)) -s 0,100,4095,4096,4097,4098,4099,4100,8191,8193,8195,20k -w "$B4/$PID" &
	sender=$!
	for i in $(seq 12); do
		[ $((i % 2)) = 0 ] && encap=udp || encap=ip
		rule "$A" "$B4" encap $encap data_protect $((i / 2 % 3))
		set_sysctl "$B" encap $encap
		sleep 0.7
	done
	"$UET" -n "$A" peer del "$B4"
	wait $sender || return 1
	recv_all_sent
	recv_wait main || return 1
	for i in TxNative TxTrailers; do
		[ "$(stat_of "$A" $i)" -gt 0 ] || fail "$i is 0"
	done
	[ "$(stat_of "$B" DropViolation)" = 0 ] || fail "trailers were taken for data"
}

# What opens a context in the name of a peer, in another form than it speaks, changes
# nothing for who sends to it.
forged()
{
	fresh
	fix_neighbours
	transfer "$B4" "-n 5" "-n 5 -s 100,20k" || return 1
	rm -f "$WORK/ready-a"
	on "$A" uet_recv -T $((60 * SLOW)) -p 300 -I -R "$WORK/ready-a" >/dev/null 2>&1 &
	wait_for 10 test -e "$WORK/ready-a" || return 1
	# Longer than what was heard is believed
	sleep 2
	on "$B" forge_syn.py "$B4" "$A4" ip-crc || return 1
	transfer "$B4" "-n 5" "-n 5 -s 100,20k" || return 1
	[ "$(form "$A")" = mixed ] || fail "the forger was not answered in his form"
	# The same when nothing was heard for a while. A late answer is probed for.
	impair "$B" delay 30ms || skip "no netem here"
	recv_start main -I
	sleep 2
	moved "$A" TxNative send_from_a -n 5 -s 100,20k -w "$B4/$PID" || return 1
	[ "$by" = 0 ] || fail "the forger decides how it sends"
}

# Nothing is answered to what came to a group
group()
{
	local nacks

	fresh
	recv_start main -I
	# To the host itself it is answered
	on "$A" forge.py --stray "$B6" && on "$A" forge.py --stray --way ip "$B6"
	wait_for 5 nacks_are 2 || fail "no answer"
	nacks=$(stat_of "$B" TxNacks)
	on "$A" forge.py --stray ff02::1%uet0 || return 1
	on "$A" forge.py --stray --way ip ff02::1%uet0 || return 1
	send_from_a -n 1 -s 100 -w "$B6/$PID" || return 1
	[ "$(stat_of "$B" TxNacks)" = "$nacks" ] || fail "a group was answered"
}

nacks_are()
{
	[ "$(stat_of "$B" TxNacks)" = "$1" ]
}

# Probes of all sizes are answered, in each form
pings()
{
	local size

	fresh
	set_sysctl "$A" encap "$1"
	set_sysctl "$A" data_protect "$2"
	recv_start main -I
	for size in 0 1 3 4 5 8 100 1000; do
		"$UET" -n "$A" ping "$B4" count 1 size $size timeout 5 || fail "size $size"
	done
}

# A context that has no trailers gets them: the first packet that has one may be the first
# of several, which does not tell its length
begins_late()
{
	fresh
	transfer "$B4" "-n 20" "-n 20 -s 100" || return 1
	set_sysctl "$A" data_protect 1
	transfer "$B4" "-n 20" "-n 20 -s 100k" || return 1
	[ "$(stat_of "$B" RxTrailers)" -gt 100 ] || fail "no trailers"
	[ "$(stat_of "$B" DropViolation)" = 0 ] || fail "trailers were taken for data"
	[ "$(stat_of "$A" CurPdcs)" = 1 ] || fail "another context"
}

# Both hosts begin at once, each in its own form: in the end both send in the same one
both_begin()
{
	fresh
	set_sysctl "$A" encap ip
	set_sysctl "$A" data_protect 1
	# What has trailers has them for good
	set_sysctl "$B" data_protect 1
	recv_start main -I
	rm -f "$WORK/ready-a"
	on "$A" uet_recv -T $((60 * SLOW)) -p $PID -I -R "$WORK/ready-a" >/dev/null 2>&1 &
	wait_for 10 test -e "$WORK/ready-a" || return 1
	on "$B" uet_send -T $((60 * SLOW)) -n 2000 -s 100,20k "$A4/$PID" &
	send_from_a -n 2000 -s 100,20k "$B4/$PID" || return 1
	wait $! || return 1
	wait_for 10 agree || fail "they do not agree"
}

# One more message each way, in one form
agree()
{
	local a b

	moved "$A" TxNative exchange && a=$by
	moved "$B" TxNative exchange && b=$by
	[ "$a" = 0 ] && [ "$b" = 0 ] || { [ "$a" -gt 0 ] && [ "$b" -gt 0 ]; }
}

exchange()
{
	send_from_a -n 4 -s 100 -w "$B4/$PID" &&
		on "$B" uet_send -T $((60 * SLOW)) -n 4 -s 100 -w "$A4/$PID"
}

# Peers of different forms at the same time, over both IP versions
at_once()
{
	local rc=0

	fresh
	rule "$A" "$B4" encap ip
	recv_start main -n 200
	send_from_a -n 100 -s 100,30k -w "$B4/$PID" &
	send_from_a -n 100 -s 100,30k -w "$B6/$PID" || rc=1
	wait $! || rc=1
	recv_wait main || rc=1
	[ "$(form "$A")" = mixed ] || rc=1
	return $rc
}

# One host only has data_protect 1: what comes without a CRC is dropped and counted
insists()
{
	fresh
	set_sysctl "$B" data_protect 1
	recv_start main -I
	send_from_a -n 1 -s 100 -T 2 -w "$B4/$PID" && return 1
	[ "$(stat_of "$B" DropCrc)" -gt 0 ] || fail "nothing was counted"
	# Who asks it hears its trailers, and does as it does
	fresh
	rule "$B" "$A4" data_protect 1
	set_sysctl "$A" data_protect 1
	some "$B4" || return 1
	forms "udp crc" "udp crc"
}

# Corruption of packets with trailers that nobody insists on
corrupt()
{
	fresh
	fix_neighbours
	set_sysctl "$A" data_protect 1
	set_sysctl "$A" encap "$1"
	# Short ones first, so that the peer knows
	some "$B4" || return 1
	impair "$A" corrupt 5% || skip "no netem here"
	some "$B4" || return 1
	[ "$(stat_of "$B" DropCrc)" -gt 0 ] || fail "no CRC error was counted"
}

impaired()
{
	fresh
	set_sysctl "$A" encap ip
	impair "$A" loss 3% delay 1ms reorder 25% duplicate 3% || skip "no netem here"
	impair "$B" loss 3% duplicate 3%
	some "$1" && forms ip ip
}

# Nobody uses UET there: answered as a host without the protocol does
refused()
{
	fresh
	set_sysctl "$A" encap ip
	send_from_a -x ECONNREFUSED -n 1 -s 100 -T 10 -w "$1/$PID"
}

# ... or another protocol
other_protocol()
{
	fresh
	set_sysctl "$A" encap ip
	set_sysctl "$A" ip_protocol 254
	recv_start main -I
	send_from_a -x ECONNREFUSED -n 1 -s 100 -T 10 -w "$1/$PID" || return 1
	clean_processes
	set_sysctl "$B" ip_protocol 254
	some "$1"
}

# mtu_way ADDR: a router with a smaller MTU says so (ICMP), and packets get smaller
small_mtu()
{
	fresh
	set_sysctl "$A" encap ip
	ip -n "$A" link set uet0 mtu 4224
	ip -n "$A" route replace "$1" dev uet0 mtu "$2"
	transfer "$1" "-n 5" "-n 5 -s 100k" || return 1
	forms ip ip
}

# through a router whose next link has a smaller MTU: its ICMP errors quote packets
# directly over IP
routed_mtu()
{
	local before

	teardown_pair
	setup_spines
	ip -n "$R" link set s1 mtu 2000
	ip -n "$R" link set s2 mtu 2000
	ip -n "$R" link set s3 mtu 2000
	ip -n "$R" link set s4 mtu 2000
	set_sysctl "$A" encap ip
	recv_start main -n 3
	send_from_a -n 3 -s 100k -w "10.0.2.1/$PID" || return 1
	recv_wait main || return 1
	[ "$(stat_of "$A" IcmpErrors)" -gt 0 ] || fail "no ICMP error came"
	[ "$(form "$A")" = ip ] || fail "not directly over IP"
	teardown_spines
	setup_pair
}

# The namespace goes with packets under way
goes()
{
	fresh
	set_sysctl "$A" encap ip
	sender_goes uet_send -n 100000 -s 20k -T 60 "$B4/$PID" || return 1
	fresh
}

setup_pair
for addr in $B4 $B6; do
	tst "over UDP, $addr" asked $addr udp 2 udp
	tst "directly over IP, $addr" asked $addr ip 2 ip
	tst "over UDP with a CRC, $addr" asked $addr udp 1 "udp crc"
	tst "directly over IP with a CRC, $addr" asked $addr ip 1 "ip crc"
	tst "a long message first, over UDP, $addr" long_first $addr udp "udp crc"
	tst "... and directly over IP, $addr" long_first $addr ip "ip crc"
	tst "loss, reordering, duplicates directly over IP, $addr" impaired $addr
	tst "refused where nobody uses UET, $addr" refused $addr
	tst "... or another protocol, $addr" other_protocol $addr
	tst "a smaller MTU of the route, $addr" small_mtu $addr 2000
done
tst "a rule for the peer" ruled
tst "rules and settings change under load" changes
tst "two peers, two forms" at_once
tst "a context begins to have trailers" begins_late
tst "both begin at once, in two forms" both_begin
tst "who insists on a CRC gets one" insists
tst "a forged opening in another form" forged
tst "to a group" group
for how in "udp 2" "ip 2" "udp 1" "ip 1"; do
	# shellcheck disable=SC2086
	tst "probes of any size, $how" pings $how
done
tst "corruption, over UDP" corrupt udp
tst "... and directly over IP" corrupt ip
tst "the namespace of the sender goes" goes
tst "a smaller MTU behind a router" routed_mtu
finish
