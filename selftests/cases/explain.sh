#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# "uet explain": causes are provoked in a fabric of two hosts, and the first line
# names them.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

UET=$TREE/build/uet/uet
MANUAL=$TREE/Documentation/networking/uet-troubleshooting.rst

# named CAUSE PEER [NETNS]: the first line names the cause, and the same in JSON
named()
{
	on "${3:-$A}" "$UET" explain "$2" >"$WORK/why" || return 1
	head -n 1 "$WORK/why" | grep -q "^$2: $1," || return 1
	on "${3:-$A}" "$UET" -j explain "$2" >"$WORK/json" &&
		python3 -c 'import json, sys
why = json.load(open(sys.argv[1]))[0]
sys.exit(why["causes"][0]["cause"] != sys.argv[2] or
	 not all(c["text"] and c["more"] for c in why["causes"]))' \
			"$WORK/json" "$1"
}

# explains CAUSE PEER [NETNS]: sooner or later
explains()
{
	wait_for 20 named "$@" && return
	cat "$WORK/why"
	on "${3:-$A}" "$UET" -s -d ccc show
	on "${3:-$A}" "$UET" -d pdc show
	fail "$1 is not named"
}

nothing()
{
	transfer $B4 "-n 3" "-n 3 -s 50000" || return 1
	on "$A" "$UET" explain $B4 | head -n 1 | grep "nothing waits"
	on "$A" "$UET" explain 10.0.0.99 | head -n 1 | grep "nothing is known"
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

	for words in "" "10.0.0.2 10.0.0.3" "10.0.0.300" "peer"; do
		# shellcheck disable=SC2086
		on "$A" "$UET" explain $words && return 1
	done
	return 0
}

route()
{
	send_from_a -n 1 -s 100 10.0.0.77/112 &
	explains route 10.0.0.77 || return 1
	grep "10.0.0.77 on uet0 does not answer" "$WORK/why"
}

opening()
{
	PID=112 recv_start far -n 1000000 -I -A
	impair "$A" delay 3s
	# Timeouts in a row would make it a peer that is silent
	set_sysctl "$A" rto_max_ms 10000
	set_sysctl "$A" rto_min_us 2000000
	send_from_a -d 36 -n 1 -s 100 $B4/112 &
	explains opening $B4
}

window()
{
	PID=111 recv_start far -n 1000000 -I -A
	impair "$A" delay 3s
	set_sysctl "$A" rto_max_ms 10000
	set_sysctl "$A" rto_min_us 2000000
	send_from_a -d 35 -n 1000 -s 100000 $B4/111 &
	explains window $B4 || return 1
	walk "The window is the limit" && grep cwnd "$WORK/walk"
}

# The process that does not read, and its socket, are told where it runs
receiver()
{
	local slow

	PID=110 recv_start slow -n 1000 -b 40000 -I -A
	slow=$(ip netns pids "$B" | while read -r p; do
		[ "$(cat "/proc/$p/comm")" = uet_recv ] && echo "$p"; done)
	kill -STOP "$slow"
	send_from_a -n 60 -s 20000 $B4/110 &
	explains receiver $B4 || return 1
	grep "on $B4: uet explain $A4" "$WORK/why" || return 1
	walk "The receiver does not read" && grep "^receiver" "$WORK/walk" || return 1
	explains reader $A4 "$B" || return 1
	grep "uet_recv (process $slow)" "$WORK/why" || return 1
	walk "The receiver does not read" "$B" && grep "uet_recv" "$WORK/walk"
}

# The target takes part in another job
job()
{
	PID=120 recv_start other -n 1 -J -j 7
	send_from_a -w -J -j 8 -n 1 -s 100 $B4/120 && fail "it was delivered"
	explains job $B4 || return 1
	grep BAD_JOB_ID "$WORK/why" || return 1
	walk "The job is refused" && grep "code 27" "$WORK/walk" || return 1
	walk "The job is refused" "$B" && grep "/7/120/" "$WORK/walk"
}

# The PDC is open, its packets vanish, the next hop is known
firewall()
{
	PID=113 recv_start far -n 1000000 -I -A
	send_from_a -w -n 1 -s 100 $B4/113 || return 1
	impair "$A" loss 100%
	send_from_a -n 10 -s 50000 $B4/113 &
	explains firewall $B4 || return 1
	walk "A firewall eats the port" && grep "timeouts" "$WORK/walk"
}

# One of two links eats all packets: values that hash to it are bad, others good
path()
{
	setup_links
	both_sysctl path_stats 1
	PID=114 recv_start far -n 1000000 -I -A
	send_from_a -w -n 10 -s 50000 $B4/114 || return 1
	tc -n "$A" qdisc add dev p1 root netem loss 100%
	send_from_a -n 1000 -s 100000 $B4/114 &
	explains path $B4 || return 1
	cat "$WORK/why"
	on "$A" "$UET" -d path show | head -n 8
	grep "dev p1: [1-9][0-9]* bad" "$WORK/why" || return 1
	walk "One path of several is bad" && grep " lose packets" "$WORK/walk"
}

fabric()
{
	teardown_pair
	setup_pair
	fix_neighbours
}

setup_pair
fix_neighbours
tst "nothing waits" nothing
tst "wrong words" wrong_words
tst "route" route
for cause in opening window receiver job firewall; do
	fabric
	tst "$cause" $cause
done
teardown_pair
tst "path" path
finish
