#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Operations that are posted, and completion queues (SIOCUETPOST, UET_CQ).
#
# Other notifications of pages in 6.1
# check: uml-debug,6.1 600 -
# check: 6.12 600 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# tags TYPE [NETEM...]: many messages with tags, while packets are lost or overtake others
tags()
{
	local type=$1 rc=0 seed=$RANDOM
	shift

	[ $# = 0 ] || impair "$A" "$@" || skip "no netem here"
	rm -f "$WORK/recv"
	on "$B" uet_tags recv $B4/$PID "$type" "$MESSAGES" $seed >"$WORK/recv" 2>&1 &
	wait_for 30 grep -qs ready "$WORK/recv" || rc=1
	on "$A" uet_tags send $B4/$PID "$type" "$MESSAGES" $seed || rc=1
	wait $! || rc=1
	cat "$WORK/recv"
	[ $# = 0 ] || impair "$A"
	echo "seed $seed, $(stat_of "$B" MsgPosted) posted before, $(stat_of "$B" MsgPostedLate) after"
	return $rc
}

# Who has not proved an address sends empty messages, and begins others by packets that
# contradict: a receive for many has a slot for a few, a limit holds the others.
strangers()
{
	local rc=0 out

	mkfifo "$WORK/go"
	on "$B" uet_post -m $B4 <"$WORK/go" >"$WORK/many" 2>&1 &
	exec {go}>"$WORK/go"
	wait_for 30 grep -qs ready "$WORK/many" || rc=1
	on "$A" uet_inject.py empties $B4 --count "$(scaled 300)" || rc=1
	exec {go}>&-
	wait $! || rc=1
	cat "$WORK/many"
	return $rc
}

# What no receive may be taken by: it would be given back, on another CPU than a post
contradicted()
{
	local rc=0

	on "$A" uet_inject.py contradict $B4 --seconds 600 >"$WORK/inject" 2>&1 &
	tags rdm || rc=1
	kill $!
	wait $! 2>/dev/null
	return $rc
}

# The peer of a program that ends answers nothing any more, which takes long to see.
silent()
{
	local rc=0 go poster reader

	on "$A" sysctl -qw net.uet.peer_timeout_s=100
	mkfifo "$WORK/reader" "$WORK/poster"
	on "$B" uet_ops -t <"$WORK/reader" >"$WORK/read" 2>&1 &
	exec {reader}>"$WORK/reader"
	on "$A" uet_ops -s $A4 $B4 <"$WORK/poster" >"$WORK/posted" 2>&1 &
	poster=$!
	exec {go}>"$WORK/poster"
	wait_for 30 grep -qs ready "$WORK/posted" || rc=1
	sleep 1
	impair "$B" loss 100% || skip "no netem here"
	exec {go}>&-
	wait $poster || rc=1
	impair "$B"
	exec {reader}>&-
	wait
	cat "$WORK/posted"
	return $rc
}

MESSAGES=$(scaled 2000)
setup_pair
part uet_post $A4
part uet_post $A6
export UET_FOLDER=$TREE/out
part uet_ops $A4
lean || part uet_ops $A6
part uet_stray $A4
lean || part uet_stray $A6
tst "empty messages of strangers" strangers
tst "messages with tags, unordered" tags rdm
tst "... while a stranger begins others wrongly" contradicted
tst "... ordered" tags seq
tst "... some are lost" tags rdm loss 2% delay 1ms 1ms duplicate 2%
tst "... ordered, some are lost" tags seq loss 2% delay 1ms 1ms duplicate 2%
tst "a program ends whose peer is silent" silent
finish
