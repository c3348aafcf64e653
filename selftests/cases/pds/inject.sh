#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Packets that no peer should send, while a well-behaved transfer runs beside
# them and loses nothing. A few bytes changed at random do not
# name the endpoint of that transfer; what does parse goes to a sink.
#
# check: uml-debug 600 lean
# check: uml 800 full
# check: 6.1,6.12 300 lean,full
# check: uml-smp 900 soak
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

GOOD=2909
SINK=200
SPOOFED=10.0.0.66

hosts()
{
	teardown_pair
	setup_pair
	ip -n "$A" addr add $SPOOFED/24 dev uet0
	# Answers to spoofed sources go to the attacker, who drops them
	ip -n "$B" route add 10.0.0.0/16 via $A4
}

inject()
{
	local netns=$1
	shift

	on "$netns" uet_inject.py "$@"
}

start_sink()
{
	PID=$SINK recv_start sink -n 1000000 -I -A -b 1m
}

# beside ATTACKER-COMMAND...: the transfer runs until the attack is over
beside()
{
	local sender rc=0

	start_sink
	PID=$GOOD recv_start good -I -o -t seq
	: >"$WORK/go"
	good_sender &
	sender=$!
	"$@" || rc=1
	rm "$WORK/go"
	wait $sender || { echo "the transfer failed"; rc=1; }
	tail -n 1 "$WORK/send-good"
	recv_all_sent
	recv_wait good || rc=1
	[ "$(field messages "$WORK/recv-good")" -gt 0 ] || fail "nothing came"
	[ "$(sum sent "$WORK/send-good")" = \
	  "$(field messages "$WORK/recv-good")" ] || fail "messages are missing"
	on "$B" grep -E '^(Drop|Nack|Pdc)' /proc/net/uet_stat
	return $rc
}

good_sender()
{
	local i=0 rc=0

	: >"$WORK/send-good"
	while [ -e "$WORK/go" ] || [ $i -lt 2 ]; do
		i=$((i + 1))
		send_from_a -t seq -i $i -n 40 -s 0,100,4096,60000 -w \
			$B4/$GOOD >>"$WORK/send-good" || rc=1
	done
	return $rc
}

# sum NAME FILE: of a field over all lines
sum()
{
	sed -n "s/.*\"$1\": \\([0-9]*\\).*/\\1/p" "$2" |
		awk '{ n += $1 } END { print n + 0 }'
}

# New hosts: those that came before left contexts behind
bounded_synflood()
{
	local alive max

	max=$(scaled 2000)
	hosts
	set_sysctl "$B" pdc_max "$max"
	beside inject "$A" synflood $B4 --count $((10 * max)) || return 1
	alive=$(stat_of "$B" CurPdcs)
	echo "contexts: $alive, refused: $(stat_of "$B" PdcRefused)"
	[ "$alive" -le "$max" ] || fail "$alive contexts"
	[ "$alive" -gt $((max / 20)) ] || fail "the flood opened only $alive contexts"
	[ "$(stat_of "$B" PdcRefused)" -gt 0 ] || fail "none was refused"
}

# A message has one receiver: none for everybody on the link
not_to_groups()
{
	local before dropped

	before=$(stat_of "$B" PdcAccepted)
	dropped=$(stat_of "$B" DropWrongPeer)
	start_sink
	inject "$A" groups $B4 || return 1
	recv_all_sent
	recv_wait sink || return 1
	on "$B" grep -E '^(Drop|Pdc)' /proc/net/uet_stat
	[ "$(stat_of "$B" PdcAccepted)" = "$before" ] || fail "contexts opened"
	[ "$(stat_of "$B" DropWrongPeer)" -ge $((dropped + 100)) ] ||
		fail "not all were dropped"
}

# No more answers than the limit allows, whoever asks
limited_answers()
{
	local limit=20000 t0 dt nacks limited

	# Without an endpoint nobody listens.
	start_sink
	nacks=$(stat_of "$B" TxNacks)
	limited=$(stat_of "$B" NackRateLimited)
	t0=$EPOCHREALTIME
	inject "$A" strangers $B4 --seconds 4 || return 1
	dt=$(((${EPOCHREALTIME/./} - ${t0/./}) / 1000000 + 2))
	nacks=$(($(stat_of "$B" TxNacks) - nacks))
	limited=$(($(stat_of "$B" NackRateLimited) - limited))
	echo "$nacks answers, $limited without one, in $dt s"
	[ "$limited" -gt 0 ] ||
		skip "this machine sends only $((nacks / dt)) per second"
	[ "$nacks" -le $((limit * dt)) ] || fail "too many answers"
}

# A peer that changes its context with every packet costs memory, a timer and
# a look at the devices only now and then
few_credit_sources()
{
	local t0=$EPOCHREALTIME before sources ms

	before=$(stat_of "$B" CreditSources)
	beside inject "$A" ccc_ids $B4 --count 10000 || return 1
	ms=$(((${EPOCHREALTIME/./} - ${t0/./}) / 1000))
	sources=$(($(stat_of "$B" CreditSources) - before))
	echo "$sources sources in $ms ms"
	[ "$sources" -gt 1 ] || fail "the attack did not get there"
	[ "$sources" -le $((ms / 10 + 1)) ] || fail "too many"
}

# One peer fills a socket with messages it never ends, and goes on sending.
# Another one gets its own through all the same, late.
hoarder()
{
	local attacker rc=0 t0

	hosts
	set_sysctl "$B" rx_msg_timeout_ms 1000
	PID=$SINK recv_start main -n 20 -b 65536 -A -T $((40 * SLOW))
	inject "$A" hoard $B4 --seconds $((30 * SLOW)) \
		--source $SPOOFED >"$WORK/hoard" &
	attacker=$!
	sleep 15
	t0=$SECONDS
	send_from_a -w -n 20 -s 30000 "$B4/$SINK" || rc=1
	echo "through after $((SECONDS - t0)) s"
	kill $attacker
	recv_wait main || rc=1
	on "$B" grep -E '^(Msg|Shortage)' /proc/net/uet_stat
	[ "$(stat_of "$B" Shortage)" -gt 0 ] || fail "nobody was refused"
	[ "$(stat_of "$B" MsgSilent)" -gt 0 ] || fail "the attack did no harm"
	return $rc
}

# One peer fills the memory of a namespace, and what it lets lines have beyond,
# with messages to many sockets that it never ends
hoarder_of_all()
{
	local i rc=0 t0

	hosts
	set_sysctl "$B" rx_msg_timeout_ms 1000
	set_sysctl "$B" mem 1048576
	for ((i = 300; i < 324; i++)); do
		PID=$i recv_start "r$i" -I
	done
	PID=$SINK recv_start main -n 20 -T $((60 * SLOW))
	inject "$A" hoard_lines $B4 --source $SPOOFED >"$WORK/hoard" || rc=1
	echo "$(stat_of "$B" CurMem) bytes held"
	t0=$SECONDS
	send_from_a -w -n 20 -s 30000 -T $((60 * SLOW)) "$B4/$SINK" || rc=1
	echo "through after $((SECONDS - t0)) s"
	recv_wait main || rc=1
	on "$B" grep -E '^(Msg|Shortage)' /proc/net/uet_stat
	[ "$(stat_of "$B" MsgSilent)" -gt 0 ] || fail "they were kept"
	return $rc
}

counted()
{
	[ "$(stat_of "$B" "$1")" -gt 0 ] || fail "$1 is 0"
}

counters()
{
	local name

	for name in DropShort DropMalformed DropUnknownType; do
		echo "$name $(stat_of "$B" $name)"
		counted $name
	done
}

from_everybody()
{
	local attack

	for attack in truncated extremes types garbage pdcids lengths; do
		tst "$attack, from the peer itself" \
			beside inject "$A" $attack $B4
		tst "$attack, from a stranger" beside inject "$A" $attack $B4 \
			--source $SPOOFED --seed 2
	done
	for attack in truncated extremes garbage; do
		tst "$attack, IPv6" beside inject "$A" $attack $B6
	done
	tst "drops are counted" counters
}

hosts
# What parsing makes of a packet depends neither on who sends it nor much on how
# many there are
lean || from_everybody
if lean; then
	for attack in truncated extremes types lengths garbage pdcids; do
		tst "$attack" beside inject "$A" $attack $B4 --count 1000
	done
fi
tst "live: bad requests for the live context" \
	beside inject "$A" live $B4 --seconds 5
tst "live: bad acknowledgements for it" \
	beside inject "$B" live $A4 --seconds 5
tst "replay: everything twice" beside inject "$A" replay $B4 --seconds 5
tst "a new congestion control context with every packet" few_credit_sources
tst "messages that are never ended" hoarder
tst "messages to many that are never ended" hoarder_of_all
hosts
tst "broadcast opens nothing" not_to_groups
tst "answers to strangers are limited" limited_answers
tst "SYN flood is bounded" bounded_synflood
finish
