#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Ordered messages over a bad wire: what a loss costs where the receiver keeps what comes
# early, that order and contents hold, and what it does without memory.
#
# check: vtime 300 -
# check: uml-debug,6.1,6.12 300 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

dropped()
{
	tc -n "$A" -s qdisc show dev uet0 | sed -n 's/.*(dropped \([0-9]*\),.*/\1/p' | head -n 1
}

declare -A was

# was_host HOST NAME...: remember counters of a host
was_host()
{
	local netns=$1 name
	shift

	for name; do
		was[$name]=$(stat_of "$netns" "$name")
	done
}

# grown HOST NAME: by how much a counter has grown since
grown()
{
	echo $(($(stat_of "$1" "$2") - was[$2]))
}

# bad_wire "NETEM WORDS" "RECV OPTIONS" "SEND OPTIONS": sets lost, and what the counters
# have grown by
# shellcheck disable=SC2086
bad_wire()
{
	local rc=0

	was_host "$A" TxReqs TxRetx TxRetxNeedless RetxGoBack
	was_host "$B" RxOutOfOrder RxDups DropGap
	impair "$A" $1 || skip "no netem here"
	transfer $B4 "-t seq -o $2" "-t seq $3" || rc=1
	lost=$(dropped)
	impair "$A"
	sent=$(grown "$A" TxReqs) again=$(grown "$A" TxRetx)
	early=$(grown "$B" RxOutOfOrder) refused=$(grown "$B" DropGap)
	echo "$sent requests, $lost packets lost, $again sent again: $((100 * again / sent)) %," \
		"$(grown "$A" RetxGoBack) of them to go back," \
		"$(grown "$A" TxRetxNeedless) needless;" \
		"$early came early, $(grown "$B" RxDups) twice, $refused refused"
	return $rc
}

# What is lost goes again, and little else. A lost tail may take a probe and more.
loss()
{
	bad_wire "delay 1ms loss 1%" "-n $n" "-n $n -s 60000" || return 1
	[ "$lost" -ge 3 ] || fail "only $lost packets were lost"
	[ "$early" -gt 0 ] || fail "nothing came early"
	[ "$refused" = 0 ] || fail "$refused packets were not kept"
	[ "$again" -le $((lost * 3 / 2 + 20)) ] || fail "$again sent again for $lost"
}

reorder()
{
	bad_wire "delay 2ms reorder 75%" "-n $n" "-n $n -s 60000" || return 1
	[ "$early" -gt 0 ] || fail "nothing came early"
	[ "$refused" = 0 ] || fail "$refused packets were not kept"
	[ "$again" -le $((sent / 4)) ] || fail "$again of $sent sent again"
}

all()
{
	bad_wire "delay 1ms 500us loss 3% duplicate 3% reorder 25%" "-n $n" \
		"-n $n -s 0-60000"
}

# Memory for a few packets at most: it goes back, and all is right
no_memory()
{
	local i

	set_sysctl "$B" mem 1048576
	# Whether more comes early than there is room for is chance.
	for ((i = 0; i < 6; i++)); do
		bad_wire "delay 5ms loss 3%" "-n $n" "-n $n -s 60000" || return 1
		[ "$refused" = 0 ] || return 0
	done
	fail "everything was kept"
}

# The reader stops with packets kept behind a gap, then goes on
slow_reader()
{
	bad_wire "delay 1ms loss 3%" "-n $n -b 64k -S 2000" "-n $n -s 60000"
}

alone()
{
	on "$A" ethtool -K uet0 tx-udp-segmentation off || skip "no ethtool"
}

n=$(scaled 200)
setup_pair
fix_neighbours
tst "in runs: loss of 1 %" bad_wire "delay 1ms loss 1%" "-n $n" "-n $n -s 60000"
tst "in runs: everything" all
tst "packets leave one by one" alone
tst "loss of 1 %: what is sent again" loss
tst "reordering: what is sent again" reorder
tst "everything: loss, duplicates, reordering" all
tst "a slow reader" slow_reader
tst "no memory for what comes early" no_memory
finish
