#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Contexts belong to pairs of hosts, not of processes: three processes on each
# host, everybody to everybody, over one context in each direction.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

# A third of them for each of three receivers
MESSAGES=$((3 * $(scaled 30)))

contexts()
{
	stat_of "$1" PdcOpened
}

# start_host NETNS: three receivers, each for a third of what three send
start_host()
{
	local p

	for p in 100 101 102; do
		on "$1" uet_recv -t "$2" -p $p -n $MESSAGES -x 200 \
			-T $((30 * SLOW)) -R "$WORK/ready-$1-$p" \
			>"$WORK/recv-$1-$p" 2>&1 &
		waits+=($!)
	done
	for p in 100 101 102; do
		wait_for 10 test -e "$WORK/ready-$1-$p" || fail "no receiver"
	done
}

# start_senders NETNS ADDR TYPE ID
start_senders()
{
	local i

	for i in 1 2 3; do
		on "$1" uet_send -t "$3" -i $(($4 + i)) -n $MESSAGES \
			-s 24-50000 -w -T $((60 * SLOW)) \
			"$2/100" "$2/101" "$2/102" >"$WORK/send-$1-$i" 2>&1 &
		waits+=($!)
	done
}

all_to_all()
{
	local type=$1 p rc=0 a0 b0 waits=()

	a0=$(contexts "$A")
	b0=$(contexts "$B")
	rm -f "$WORK"/ready-*
	start_host "$A" "$type"
	start_host "$B" "$type"
	start_senders "$A" $B4 "$type" 10
	start_senders "$B" $A4 "$type" 20
	for p in "${waits[@]}"; do
		wait "$p" || rc=1
	done
	cat "$WORK"/recv-uet* "$WORK"/send-uet*
	echo "contexts opened: $(($(contexts "$A") - a0)) and $(($(contexts "$B") - b0))"
	[ $(($(contexts "$A") - a0)) -le 1 ] &&
		[ $(($(contexts "$B") - b0)) -le 1 ] ||
		fail "more than one context"
	return $rc
}

# The time that a bulk sender waits for its portion of the port is told
# (UET_INFO), and is next to none of an idle port's. No guest is slower than this
# port.
port_wait()
{
	local server rc=0 idle bulk

	both_sysctl link_mbps 2 && both_sysctl base_rtt_us 100000 || return 1
	both_sysctl rto_min_us 4000000 || return 1
	impair "$A" rate 2mbit || skip "no netem here"
	on "$B" uet_rr -l 200 >"$WORK/server" &
	server=$!
	wait_for 10 grep -q ready "$WORK/server" || return 1
	# By name: a context that was made with these settings
	on "$A" uet_rr -C nscc -n 20 -s 100 "$B4" 200 >"$WORK/info" || rc=1
	idle=$(field blocked_port_ns "$WORK/info")
	on "$A" uet_rr -C nscc -n 5 -s 100000 -o "$B4" 200 >"$WORK/info" || rc=1
	bulk=$(($(field blocked_port_ns "$WORK/info") - idle))
	kill $server
	impair "$A"
	cat "$WORK/info"
	echo "waited for the port: $idle ns asking, $bulk ns with 2 s of data"
	[ "$idle" -lt $((bulk / 10)) ] && [ "$bulk" -gt 500000000 ] || return 1
	return $rc
}

setup_pair
# All that is sent has room: while a receiver is short, messages for others take
# another context
both_sysctl rmem 16777216
both_sysctl mem 268435456
tst "unordered: three processes share one context" all_to_all rdm
tst "ordered: three processes share one context" all_to_all seq
tst "the wait for a portion of the port is told" port_wait
finish
