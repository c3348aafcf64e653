#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# UDP checksums: what was damaged on the way is as good as lost, without any setting.
# A peer that sends none gets none.
#
# check: uml-debug 240 -
# check: 6.1,6.12 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

command -v nft >/dev/null || {
	echo "1..0 # SKIP no nft here"
	exit 0
}

# fresh: hosts whose devices compute no checksums, so that those of the stack are seen
fresh()
{
	local h

	teardown_pair
	setup_pair
	fix_neighbours
	for h in "$A" "$B"; do
		on "$h" ethtool -K uet0 tx off >/dev/null || skip "no ethtool here"
		count_sums "$h"
	done
}

count_sums()
{
	on "$1" nft -f - <<-EOF
	table inet t {
		chain c {
			type filter hook prerouting priority 0;
			udp dport 4793 udp checksum 0 counter name bare
			udp dport 4793 udp checksum != 0 counter name summed
		}
		counter bare { }
		counter summed { }
	}
	EOF
}

# came NETNS bare|summed: packets without or with a checksum since the last look
came()
{
	on "$1" nft reset counter inet t "$2" | sed -n 's/.*packets \([0-9]*\).*/\1/p'
}

forget()
{
	local h

	for h in "$A" "$B"; do
		came "$h" bare
		came "$h" summed
	done >/dev/null
}

# Contexts at both ends, of this minute
some()
{
	transfer "$B4" "-n 50" "-n 50 -s 100-20000" && forget &&
		transfer "$B4" "-n 50" "-n 50 -s 100-20000"
}

# all_of NETNS bare|summed: what came there since is so, all of it
all_of()
{
	local yes no

	yes=$(came "$1" "$2")
	case $2 in
	bare)	no=$(came "$1" summed) ;;
	*)	no=$(came "$1" bare) ;;
	esac
	[ "$yes" -gt 10 ] && [ "$no" = 0 ] ||
		fail "$1: $yes packets are $2, $no are not"
}

damaged()
{
	fresh
	impair "$A" corrupt 5% || skip "no netem here"
	impair "$B" corrupt 5%
	transfer "$1" "-n 200 $2" "-n 200 -s 24-100000 $3" || return 1
	[ "$(stat_of "$B" DropChecksum)" -gt 0 ] || fail "nothing was counted"
}

# What is in a tunnel was damaged before, whether that has a checksum or not
tunnelled()
{
	local h own other

	fresh
	for h in "$A $A4 $B4 1" "$B $B4 $A4 2"; do
		read -r h own other i <<<"$h"
		ip -n "$h" link add vx0 type vxlan id 7 local "$own" remote "$other" \
			dev uet0 dstport 4789 "$1" || skip "no vxlan here"
		ip -n "$h" addr add "10.7.0.$i/24" dev vx0
		on "$h" ethtool -K vx0 tx off >/dev/null
		ip -n "$h" link set vx0 up
	done
	transfer 10.7.0.2 "-n 1" "-n 1" || return 1
	tc -n "$A" qdisc add dev vx0 root netem limit 10000 corrupt 5% || skip "no netem here"
	transfer 10.7.0.2 "-n 2000" "-n 2000 -s 24-500" || return 1
	[ "$(stat_of "$B" DropChecksum)" -gt 0 ] || fail "nothing was counted"
}

by_default()
{
	fresh
	some || return 1
	all_of "$A" summed
	all_of "$B" summed
}

# The other host has them, until it has heard this one
sends_none()
{
	fresh
	"$@" || return 1
	some || return 1
	all_of "$A" bare
	all_of "$B" bare
}

# back: some() the other way
back()
{
	local other=$A B4=$A4
	local A=$B B=$other

	some
}

# Both have them again: WHO sends first, after so many SECONDS
again()
{
	fresh
	set_sysctl "$A" udp_csum 0
	some || return 1
	set_sysctl "$A" udp_csum 1
	sleep "$2"
	"$1" || return 1
	all_of "$A" summed
	all_of "$B" summed
}

# Another host has the address, and the one that stays remembers who sent none.
replaced()
{
	fresh
	set_sysctl "$B" udp_csum 0
	some || return 1
	ip -n "$B" link set uet0 netns "$A" name uet1
	ip netns del "$B"
	ip netns add "$B"
	ip -n "$A" link set uet1 netns "$B" name uet0
	setup_host "$B" "$B4" "$B6"
	fix_neighbour "$B" "$A" "$A4" "$A6"
	count_sums "$B"
	# Who sent none is believed until it was silent for a second.
	sleep 2
	some || return 1
	all_of "$A" summed
	all_of "$B" summed
}

ue10()
{
	"$TREE/build/uet/uet" -n "$A" peer set "$B4" profile ue10
}

tst "what is damaged is lost, over IPv4" damaged "$B4" "" ""
tst "... over IPv6" damaged "$B6" "" ""
tst "... and in order" damaged "$B4" "-t seqpacket -o" "-t seqpacket"
tst "... and in a tunnel without checksums" tunnelled noudpcsum
tst "... with checksums" tunnelled udpcsum
tst "each packet has one" by_default
tst "who sends none gets none" sends_none set_sysctl "$A" udp_csum 0
tst "... nor does a peer of another make" sends_none ue10
tst "both have them again" again some 0
tst "... if the other one speaks first, later" again back 3
tst "another host has the address" replaced
finish
