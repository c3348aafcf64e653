#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Netlink: events of paths, ports and peers, which take a fabric to happen.
#
# check: uml-debug 600 -
# check: 6.1,6.12 300 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

EVENTS="$WORK/events"
MONITORS=10000
# A host that does nothing
OTHER=uet-o-$$

# Events of host A go to a file until the case ends
listen()
{
	rm -f "$EVENTS"
	on "$A" /usr/bin/python3 "$SELFTESTS/peers/uet_events.py" >"$EVENTS" &
	wait_for 60 grep -qs ready "$EVENTS" || fail "no listener"
}

# told WHAT WORD...: is there such an event, with all these words?
told()
{
	awk -v what="$1" -v words="${*:2}" '
		$1 == what {
			n = split(words, want, " ")
			for (i = 1; i <= n && index($0 " ", " " want[i] " "); i++)
				;
			found += i > n
		}
		END { exit !found }' "$EVENTS"
}

# until_told WHAT WORD...
until_told()
{
	wait_for 100 told "$@" && return
	echo "no event $*"
	cut -d' ' -f1 "$EVENTS" | sort | uniq -c
	return 1
}

# A load until the case ends, to an address of host B
load()
{
	to=$1
	shift
	listen
	recv_start load -I -x 0
	on "$A" uet_send -w -k -T $((200 * SLOW)) -D 600 -s 100000 "$@" "$to/$PID" \
		>"$WORK/send" 2>&1 &
	until_told pdc-opened "remote=$to"
}

# One of two interfaces of host A loses its carrier and gets it back.
ports()
{
	local port rc=0

	load "$B4" || return 1
	port=$(on "$A" cat /sys/class/net/p1/ifindex)
	ip -n "$B" link set p1 down
	until_told port-down "remote=$to" "local=$A4" \
		"ifindex=$port" || rc=1
	ip -n "$B" link set p1 up
	ip -n "$B" route replace "$A4" src "$B4" nexthop via 10.1.0.1 dev p0 \
		nexthop via 10.1.1.1 dev p1
	until_told port-up "remote=$to" "local=$A4" \
		"ifindex=$port" || rc=1
	grep -q '^port-down .*ccc=[0-9]' "$EVENTS" || rc=1
	return $rc
}

# evs_of WHAT: entropy values, each once
evs_of()
{
	sed -n "s/^$1 .* ev=\([0-9]*\).*/\1/p" "$EVENTS" | sort -u
}

# A spine eats everything, and is mended: the values that met it go bad and good.
paths()
{
	local rc=0

	load 10.0.2.1 -L bitmap || return 1
	tc -n "$R" qdisc add dev s1 root netem loss 100%
	until_told path-bad "remote=$to" "local=10.0.1.1" || rc=1
	tc -n "$R" qdisc del dev s1 root
	until_told path-good "remote=$to" "local=10.0.1.1" || rc=1
	evs_of path-bad >"$WORK/bad"
	evs_of path-good >"$WORK/good"
	echo "bad: $(wc -l <"$WORK/bad"), good: $(wc -l <"$WORK/good")"
	# None is taken for good that was not bad before.
	comm -13 "$WORK/bad" "$WORK/good" | grep . && rc=1
	return $rc
}

# A context on one path meets a fabric that eats everything, and takes another path.
moved()
{
	local i rc=0

	load 10.0.2.1 -L single || return 1
	for i in $(seq $SPINES); do
		tc -n "$R" qdisc add dev s$i root netem loss 100%
	done
	until_told path-moved "remote=$to" "local=10.0.1.1" || rc=1
	for i in $(seq $SPINES); do
		tc -n "$R" qdisc del dev s$i root
	done
	evs_of path-moved | grep '^[1-9]' || rc=1
	grep -q '^path-moved .*ccc=[1-9]' "$EVENTS" || rc=1
	return $rc
}

link_is_gone()
{
	! ip -n "$S" link show host >/dev/null 2>&1
}

# Host B starts anew while a PDC is open, and host A goes on to use it.
reset()
{
	local to=10.0.2.1

	listen
	set_sysctl "$A" pdc_idle_s 600
	recv_start before -n 1
	on "$A" uet_send -T $((100 * SLOW)) -n 1 -s 100 "$to/$PID" || return 1
	recv_wait before || return 1
	told peer-reset && return 1
	ip netns del "$B"
	wait_for 20 link_is_gone || return 1
	setup_far_host
	recv_start after -n 1
	on "$A" uet_send -T $((100 * SLOW)) -n 1 -s 100 "$to/$PID"
	recv_wait after || return 1
	until_told peer-reset "remote=$to" "local=10.0.1.1"
}

# Where the addresses begin to which contexts were not opened yet
next_addr=1
PER_ADDR=32
ADDRS=15

# opening: opens contexts to addresses of host B; milliseconds in $took
opening()
{
	local i begin addrs=()

	for ((i = 0; i < ADDRS; i++)); do
		addrs+=("10.2.0.$((next_addr++))")
	done
	begin=$(date +%s%N)
	uet_pdcs "$A" "$B" $PER_ADDR "${addrs[@]}" </dev/null | grep -qx \
		"idle $((PER_ADDR * ADDRS))" || fail "they were not opened"
	took=$((($(date +%s%N) - begin) / 1000000))
}

netlink_sockets()
{
	on "$1" awk 'END { print NR }' /proc/net/netlink
}

available()
{
	awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo
}

mostly_freed()
{
	[ "$(available)" -gt $((with + (without - with) / 2)) ]
}

# monitors NETNS NUMBER: they hold memory and take time, of host A for its events, and
# all of that ends with them
monitors()
{
	local netns=$1 n=$2 sockets without with took alone deaf fewest lost
	local pid job

	opening
	alone=$took
	sockets=$(netlink_sockets "$netns")
	without=$(available)
	rm -f "$WORK/monitors"
	on "$netns" uet_monitors.py "$n" >"$WORK/monitors" &
	job=$!
	wait_for 60 grep -qs ready "$WORK/monitors" || fail "no monitors"
	pid=$(sed -n 's/^ready //p' "$WORK/monitors")
	# No host's processes end with the case but those of A and B
	trap 'kill -9 $pid 2>/dev/null' EXIT
	[ "$(netlink_sockets "$netns")" -gt "$n" ] || fail "not so many"
	opening
	with=$(available)
	echo "contexts opened in $alone ms, with monitors in $took ms"
	echo "$(((without - with) / 1024)) MB less free"
	[ "$took" -lt $((10 * alone)) ] || fail "ten times as slow"
	kill "$pid"
	wait "$job" || fail "monitors failed"
	read -r deaf fewest lost < <(tail -n 1 "$WORK/monitors")
	echo "heard nothing: $deaf, fewest events: $fewest, overrun: $lost"
	if [ "$netns" = "$A" ]; then
		[ "$deaf" = 0 ] && [ "$lost" -gt 0 ] || return 1
	else
		[ "$deaf" = "$n" ] && [ "$lost" = 0 ] || return 1
	fi
	[ "$(netlink_sockets "$netns")" = "$sockets" ] || fail "sockets are left"
	wait_for 30 mostly_freed || fail "memory is left: $without kB, $with, $(available)"
}

setup_links
tst "an interface loses its carrier and gets it back" ports
teardown_pair

setup_spines
both_sysctl link_mbps 100
both_sysctl base_rtt_us 5000
both_sysctl rto_min_us $((200000 * SLOW))
tc -n "$A" qdisc add dev uet0 root netem limit 1000 rate 50mbit
tst "a spine dies and comes back" paths
tst "a context on one path takes another" moved
tst "a peer that starts anew" reset
teardown_spines

setup_pair
fix_neighbours
ip -n "$B" route add local 10.2.0.0/16 dev lo
ip -n "$A" route add 10.2.0.0/16 via $B4 src $A4
both_sysctl pdc_max_per_peer 65535
V=1 tst "$MONITORS monitors that do not read" monitors "$A" "$MONITORS"
next_addr=101
ip netns add "$OTHER"
V=1 tst "$MONITORS monitors of another host" monitors "$OTHER" "$MONITORS"
ip netns del "$OTHER"
finish
