#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Short messages travel in a class of their own where the network has one.
#
# check: uml-debug 120 -
# check: 6.12 120 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# Packets that A sent in a class, by its paths
sent_in()
{
	on "$A" awk -v class="$1" 'NR > 1 && $3 == class { n += $9 }
		END { print n + 0 }' /proc/net/uet_path
}

# grew CLASS... : what went in each class since the call before
grew()
{
	local class now

	for class in "$@"; do
		now=$(sent_in "$class")
		echo "$((now - ${before[$class]:-0}))"
		before[$class]=$now
	done
}

declare -A before

# A message of each length
lengths()
{
	transfer "$B4" "-n 4" "-n 4 -s 1,4000,5000,40000 -w" || return 1
	mapfile -t n < <(grew 34 0)
	echo "packets: ${n[0]} of short messages, ${n[1]} of others"
	# 40000 bytes are 10 packets of 4 KiB
	[ "${n[0]}" -ge 2 ] && [ "${n[0]}" -le 6 ] && [ "${n[1]}" -ge 12 ]
}

asked_for()
{
	grew 34 0 20 >/dev/null
	transfer "$B4" "-n 4 -t seq" "-n 4 -t seq -s 100 -w" || return 1
	transfer "$B4" "-n 4" "-n 4 -s 100 -d 20 -w" || return 1
	[ "$(sent_in 34)" -eq "${before[34]}" ] ||
		fail "in the class of short messages"
	[ "$(sent_in 20)" -gt "${before[20]}" ]
}

# More than a few at a time are no short messages, but a stream of them
many()
{
	impair "$A" delay 100ms || skip "no netem here"
	grew 34 0 >/dev/null
	transfer "$B4" "-n 90" "-n 90 -s 4000" || return 1
	impair "$A"
	mapfile -t n < <(grew 34 0)
	echo "packets: ${n[0]} of short messages, ${n[1]} of others"
	[ "${n[0]}" -ge 1 ] && [ "${n[0]}" -le 50 ] && [ "${n[1]}" -ge 30 ]
}

by_itself()
{
	both_sysctl dscp_short 65
	grew 46 0 >/dev/null
	transfer "$B4" "-n 4" "-n 4 -s 100 -w" || return 1
	[ "$(sent_in 46)" -eq "${before[46]}" ] || fail "without trimming"
	both_sysctl trimming 1
	transfer "$B4" "-n 4" "-n 4 -s 100 -w" || return 1
	both_sysctl trimming 0
	both_sysctl dscp_short 34
	[ "$(sent_in 46)" -ge $((before[46] + 4)) ]
}

# band N: packets that left by a band of the priority queue
band()
{
	tc -n "$A" -s class show dev uet0 |
		awk -v class="1:$1" '/^class/ { mine = $3 == class }
			mine && /Sent/ { print $4 }'
}

own_port()
{
	tc -n "$A" qdisc add dev uet0 root handle 1: prio ||
		skip "no prio queue here"
	transfer "$B4" "-n 4" "-n 4 -s 40000 -w" || return 1
	first=$(band 1)
	transfer "$B4" "-n 4" "-n 4 -s 100 -w" || return 1
	echo "packets in the first band: $first, then $(band 1)"
	[ "$(band 1)" -ge $((first + 4)) ] || return 1
	tc -n "$A" qdisc del dev uet0 root
}

setup_pair
both_sysctl path_stats 1
# hybrid replaces values that are slow, and what they had sent is not told any more
both_sysctl path_policy oblivious
both_sysctl dscp_short 34
tst "short messages go in a class of their own" lengths
tst "ordered ones and those with a class do not" asked_for
tst "nor do many at a time" many
tst "by default where the network trims" by_itself
tst "and first out of this host" own_port
finish
