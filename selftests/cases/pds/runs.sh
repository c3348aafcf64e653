#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Several new packets leave in one buffer, where device, settings and window allow
# it; whatever happens to such a buffer on its way, messages arrive once and intact.
#
# check: uml-debug 400 -
# check: 6.12 400 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# Message lengths: one packet and more, with tails of all kinds, up to many buffers
N=$(scaled 640)
LENGTHS=1,4096,4097,8192,8193,12288,61440,61441,65535,65536,100000,524288

# in_runs BUFFERS WORD...: did the command send buffers with several packets?
in_runs()
{
	local want=$1 before after

	shift
	before=$(stat_of "$A" TxRuns)
	"$@" || return 1
	after=$(stat_of "$A" TxRuns)
	echo "$((after - before)) buffers with several packets"
	case $want in
	none)	[ "$after" = "$before" ] || fail "they were to leave one by one" ;;
	some)	[ "$after" -gt "$before" ] || fail "there were to be some" ;;
	esac
}

long()
{
	transfer "$B4" "-n 8" "-n 8 -s 1000000"
}

# fresh CLASS: in a traffic class of its own, hence by a context with the settings of now
fresh()
{
	transfer "$B4" "-n 8" "-n 8 -s 1000000 -d $1"
}

lengths()
{
	transfer "$1" "-n 60 $2" "-n 60 -s $LENGTHS $2"
}

# Short messages of one call share buffers.
together()
{
	transfer "$1" "-n $N $3" "-n $N -s $2 -G 32 $3"
}

# ... behind the first message of a context, which was alone
first_ones()
{
	transfer "$B4" "-n 1" "-n 1 -s 100 -d $1" &&
		transfer "$B4" "-n $N" "-n $N -s 500 -G 32 -d $1"
}

# They do not if each is longer than the one before.
growing()
{
	transfer "$B4" "-n $N" "-n $N -G 3 -s 100,3000,4000"
}

short()
{
	local size

	for size in 0 100 4096; do
		in_runs some together "$B4" $size "" || return 1
	done
}

# They arrive as they left, since the link hands buffers over whole.
taken_whole()
{
	local before

	before=$(stat_of "$B" RxRuns)
	in_runs some long || return 1
	[ "$(stat_of "$B" RxRuns)" -gt "$before" ] ||
		fail "none was taken in one step"
}

# switched NAME VALUE OTHER WANT CLASS: with a setting, and as it was again
switched()
{
	local rc=0

	both_sysctl "$1" "$2"
	in_runs "$4" fresh "$5" || rc=1
	both_sysctl "$1" "$3"
	return $rc
}

# A sixteenth of 16 packets is no more than one.
small_window()
{
	local rc=0

	both_sysctl spray_run 0
	both_sysctl nscc_max_wnd 67000
	in_runs none fresh 20 || rc=1
	both_sysctl nscc_max_wnd 0
	return $rc
}

csum_errors()
{
	on "$B" awk '/^Udp: [0-9]/ { print $(NF - 2) + 0 }' /proc/net/snmp
}

# Without segmentation by the device the stack does it, and computes checksums.
by_stack()
{
	local before rc=0

	on "$A" ethtool -K uet0 tx-udp-segmentation off || skip "no ethtool"
	in_runs none long || rc=1
	set_sysctl "$A" udp_csum 2
	before=$(stat_of "$B" RxRuns)
	in_runs some long || rc=1
	[ "$(stat_of "$B" RxRuns)" = "$before" ] ||
		fail "the stack has not cut them"
	short || rc=1
	on "$A" ethtool -K uet0 tx-checksumming off
	in_runs some long || rc=1
	short || rc=1
	set_sysctl "$A" udp_csum 1
	on "$A" ethtool -K uet0 tx-checksumming on tx-udp-segmentation on
	[ "$(csum_errors)" = 0 ] || fail "checksums are wrong"
	return $rc
}

# A lost buffer is several lost packets: each is sent again by itself.
lost()
{
	impair "$A" delay 200us loss "${1:-3%}" || skip "no netem here"
	in_runs some lengths "$B4" "" && short
	impair "$A"
}

# Buffers overtake each other, come twice, and are cut by the queue.
jumbled()
{
	impair "$A" delay 300us 200us reorder 30% duplicate 5% ||
		skip "no netem here"
	in_runs some lengths "$B4" "" && short
	impair "$A"
}

# The queue of the interface has no room for a buffer.
dropped()
{
	tc -n "$A" qdisc add dev uet0 root tbf rate 300mbit burst 70k limit 60k ||
		skip "no tbf here"
	in_runs some long || return 1
	tc -n "$A" qdisc del dev uet0 root
	[ "$(stat_of "$A" RetxLocal)" -gt 0 ] || fail "nothing was dropped"
}

# While messages are under way the MTU falls, and rises again.
mtu_moves()
{
	local pid i

	recv_start main -x 100 -n 40
	send_from_a -w -n 40 -s 1000000 "$B4/$PID" &
	pid=$!
	for i in 1500 4224 1500 4224; do
		sleep 0.2
		ip -n "$A" link set uet0 mtu $i
		ip -n "$B" link set uet0 mtu $i
	done
	wait $pid || fail "not all was sent"
	recv_wait main || fail "not all arrived"
	in_runs some long
}

# What the device can do changes while messages are under way.
device_moves()
{
	local pid i

	recv_start main -x 100 -n 40
	send_from_a -w -n 40 -s 1000000 "$B4/$PID" &
	pid=$!
	for i in off on off on; do
		sleep 0.1
		on "$A" ethtool -K uet0 tx-udp-segmentation $i sg $i ||
			skip "no ethtool"
	done
	wait $pid || fail "not all was sent"
	recv_wait main || fail "not all arrived"
	in_runs some long && short
}

links_of_mtu()
{
	ip -n "$A" link set uet0 mtu "$1"
	ip -n "$B" link set uet0 mtu "$1"
}

# Data is laid out for short packets, as another context sent last, and leaves in long
# ones. grown DATA_PROTECT CLASS
grown()
{
	local rc=0

	links_of_mtu 20000
	both_sysctl payload_mtu 1024
	in_runs some fresh "$2" || rc=1
	both_sysctl payload_mtu 16383
	both_sysctl data_protect "$1"
	fresh $(($2 + 1)) || rc=1
	both_sysctl data_protect 2
	both_sysctl payload_mtu 0
	links_of_mtu 4224
	return $rc
}

# Short packets leave by themselves: of such a run much is headers.
short_packets()
{
	local rc=0

	both_sysctl payload_mtu 1023
	in_runs none fresh "$1" || rc=1
	both_sysctl payload_mtu 0
	return $rc
}

setup_pair
# Nothing leaves in runs to a neighbour who is looked for, and 7.3 takes its time for that
fix_neighbours
# A window that does not depend on how fast this guest is, and holds runs
both_sysctl congestion_control fixed
both_sysctl link_mbps 10000
both_sysctl base_rtt_us 500
both_sysctl spray_run 8
tst "buffers are taken as they left" taken_whole
tst "lengths and tails" in_runs some lengths "$B4" ""
tst "lengths and tails, IPv6" in_runs some lengths "$B6" ""
tst "lengths and tails, ordered" in_runs some lengths "$B4" "-t seq"
tst "longer than the send buffer" in_runs some transfer "$B4" "-n 1" "-n 1 -s 20000000"
tst "messages of one packet share buffers" short
tst "... behind the first one of a context" in_runs some first_ones 21
tst "... over IPv6" in_runs some together "$B6" 3000 ""
tst "... that are ordered" in_runs some together "$B4" 700 "-t seq"
tst "... the last of which are shorter" in_runs some together "$B4" 500,500,400,4096,4096,4000 ""
tst "not if they grow" in_runs none growing
tst "not with udp_csum 0" switched udp_csum 0 1 none 11
tst "not with data_protect" switched data_protect 1 2 none 12
tst "not with a path for each packet" switched spray_run 1 8 none 13
tst "not with receiver credit" switched congestion_control rccc fixed none 14
tst "automatic, in a large window" switched spray_run 0 8 some 15
tst "cut by the stack" by_stack
tst "lost" lost
tst "jumbled" jumbled
tst "no room in the queue" dropped
tst "the MTU changes" mtu_moves
tst "the device changes" device_moves
tst "packets become 16 times as long" grown 0 16
tst "packets become 16 times as long, with a trailer" grown 1 18
tst "not of packets below 1024 bytes" short_packets 20
both_sysctl congestion_control nscc
tst "not in a small window" small_window
teardown_pair
tst "nothing remains" no_remains
finish
