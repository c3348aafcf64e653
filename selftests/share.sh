#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Contexts belong to pairs of hosts, not of processes: three processes on each
# host, everybody to everybody, over one context in each direction.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

MESSAGES=90

# While a receiver is short, messages for others take another context: fewer
# than the nine pairs of endpoints all the same.
may_open()
{
	if [ "$(on "$1" awk '$1 == "Holds" { print $2 }' /proc/net/uet_stat)" -gt 0 ]
	then
		echo 4
	else
		echo 1
	fi
}

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
	[ $(($(contexts "$A") - a0)) -le "$(may_open "$A")" ] ||
		fail "more than one context"
	[ $(($(contexts "$B") - b0)) -le "$(may_open "$B")" ] ||
		fail "more than one context"
	return $rc
}

setup_pair
tst "unordered: three processes share one context" all_to_all rdm
tst "ordered: three processes share one context" all_to_all seq
finish
