#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Contexts belong to pairs of hosts, not of processes: three processes on each
# host, everybody to everybody, over one context in each direction.
#
#   share.sh		all cases
#   share.sh cpus	those that several CPUs make a difference to
#
# check: uml-debug 240 -
# check: 6.1,6.12 240 full
# Of it what two CPUs make a difference to; the port's turns and queue they do not
# check: [cpus] uml-smp 240 spare
# check: uml-smp 600 full
# check: [cpus] arm64 240 lean
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

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
		rm -f "$WORK/ready-$1-$p"
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

# The first packets of a context are of different values, so that a device or RPS
# may spread them. None of them is refused because another one came with it.
first_packets_together()
{
	local before accepted count

	count=$(scaled 2000)
	[ "$(nproc)" -gt 1 ] || skip "one CPU"
	set_sysctl "$B" pdc_max_per_peer 16000
	before=$(stat_of "$B" PdcRefused)
	accepted=$(stat_of "$B" PdcAccepted)
	PID=100 recv_start main -I -n 1000000
	on "$A" uet_inject.py together $B4 \
		--count "$count" || return 1
	# The other CPU may not have seen its last ones yet.
	wait_for 10 accepted_at_least $((accepted + count))
	accepted=$(($(stat_of "$B" PdcAccepted) - accepted))
	before=$(($(stat_of "$B" PdcRefused) - before))
	echo "$accepted contexts, $before packets refused"
	[ "$accepted" = "$count" ] || fail "not each has one context"
	[ "$before" = 0 ] || fail "packets were refused"
	recv_all_sent
	# What it got is no message of uet_send, so it does not like it.
	recv_wait main >/dev/null 2>&1 || true
}

accepted_at_least()
{
	[ "$(stat_of "$B" PdcAccepted)" -ge "$1" ]
}

# Twelve windows together do not stand in the port of their host: of twelve
# messages of 40 KB a good part is elsewhere while the port, of which a base RTT
# is 25 KB, has the others.
port_queue()
{
	local i n most=0 looks=0 to=()

	both_sysctl link_mbps 2 && both_sysctl base_rtt_us 100000 || return 1
	both_sysctl rto_min_us 4000000 || return 1
	for i in $(seq 12); do
		ip -n "$B" addr add "${B4%.*}.$((100 + i))/24" dev uet0
		to+=("${B4%.*}.$((100 + i))/100")
	done
	impair "$A" rate 2mbit || skip "no netem here"
	rm -f "$WORK/ready"
	on "$B" uet_recv -p 100 -n 12 -x 200 -T $((30 * SLOW)) \
		-R "$WORK/ready" >"$WORK/recv" 2>&1 &
	wait_for 10 test -e "$WORK/ready" || fail "no receiver"
	on "$A" uet_send -C nscc -i 7 -n 12 -s 40000 -W -T $((30 * SLOW)) \
		"${to[@]}" >"$WORK/send" 2>&1 &
	while kill -0 $! 2>/dev/null; do
		n=$(tc -n "$A" -s -j qdisc show dev uet0 |
			grep -o '"backlog":[0-9]*' | head -1)
		n=${n#*:}
		[ "${n:-0}" -le "$most" ] || most=$n
		looks=$((looks + 1))
	done
	wait $! || fail "$(cat "$WORK/send")"
	impair "$A"
	echo "at most $most bytes in the port, seen $looks times"
	[ "$looks" -ge 10 ] || skip "a guest too slow to watch a queue"
	[ "$most" -gt 8000 ] && [ "$most" -lt 300000 ]
}

# The queue of the port is too short for a window: what it drops is known at once,
# and goes again without any evidence from the other end. Of a run the queue takes
# a part, and says nothing about the rest: packets leave one by one here.
port_drops()
{
	local dropped lost found late name

	set_sysctl "$A" base_rtt_us 1000 && set_sysctl "$A" rto_min_us 2000000
	set_sysctl "$A" udp_csum 0
	tc -n "$A" qdisc replace dev uet0 root tbf rate 100mbit burst 10k \
		limit 20k 2>/dev/null || skip "no tbf here"
	for name in RetxLocal TxRetxNeedless RetxRto RetxSack RetxOooCount \
		    RetxProbe; do
		eval "$name=$(stat_of "$A" $name)"
	done
	transfer "$1" "-t $2 -n 100" "-t $2 -n 100 -s 30000 -b 1m" || return 1
	dropped=$(tc -n "$A" -s -j qdisc show dev uet0 |
		grep -o '"drops":[0-9]*' | head -1)
	dropped=${dropped#*:}
	tc -n "$A" qdisc del dev uet0 root
	set_sysctl "$A" base_rtt_us 0
	set_sysctl "$A" udp_csum 1
	lost=$(($(stat_of "$A" RetxLocal) - RetxLocal))
	found=0
	for name in RetxRto RetxSack RetxOooCount RetxProbe; do
		echo "$name $(($(stat_of "$A" $name) - ${!name}))"
		found=$((found + $(stat_of "$A" $name) - ${!name}))
	done
	late=$(($(stat_of "$A" TxRetxNeedless) - TxRetxNeedless))
	echo "$dropped dropped, $lost of them known at once, $found found" \
		"otherwise, of which $late were late only"
	[ "$dropped" -ge 10 ] || skip "a guest too slow to fill its port"
	# Control packets are dropped as well. In a slow guest answers are late.
	[ "$lost" -ge $((dropped * 8 / 10)) ] &&
		[ $((found - late)) -le $((dropped / 5)) ]
}

setup_pair
# All that is sent has room: while a receiver is short, messages for others take
# another context
both_sysctl rmem 16777216
both_sysctl mem 268435456
tst "unordered: three processes share one context" all_to_all rdm
tst "ordered: three processes share one context" all_to_all seq
tst "first packets on two CPUs at once: one context, none refused" \
	first_packets_together
[ "${1:-}" != cpus ] || finish
tst "unordered: what the port drops goes again at once" port_drops $B4 rdm
tst "ordered: what the port drops goes again at once" port_drops $B6 seq
tst "the wait for a portion of the port is told" port_wait
tst "windows to many peers do not stand in the port" port_queue
finish
