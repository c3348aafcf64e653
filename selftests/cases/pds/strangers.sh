#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Who makes addresses up: what is sent there, and what is left for the honest.
#
# check: uml-debug 240 -
# check: 6.12 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

OWN=10.9.8.7
READS=200
FULL=201
BUSY_ONE=202
FORGER=10.0.0.66
# Not A's own: packets of that have a checksum, and without one are damaged
ASKER=10.0.0.67
SILENT=10.0.0.68
CALLED=10.0.0.69
UET=${UET_TOOL:-$TREE/build/uet/uet}

# What is left for who is real, at the address that somebody else forges
real_one_gets_through()
{
	local t0 rc=0 before opened max=64

	set_sysctl "$B" pdc_max_per_peer $max
	PID=100 recv_start main -I
	PID=100 send_from_a -w -n 1 $B4/100 || return 1
	before=$(stat_of "$B" CurPdcs)
	on "$A" uet_inject.py openings $B4 --count 300
	opened=$(($(stat_of "$B" CurPdcs) - before))
	echo "$opened contexts opened"
	[ $opened -gt 0 ] || fail "the attack did not get there"
	[ $opened -le $((max / 2)) ] || fail "they took more than their share"
	t0=$EPOCHREALTIME
	# Each of another class of traffic, so that each has a new context
	for dscp in 1 2 3; do
		send_from_a -T $((8 * SLOW)) -d $dscp -w -n 2 $B4/100 || rc=1
	done
	echo "$(((${EPOCHREALTIME/./} - ${t0/./}) / 1000)) ms"
	recv_all_sent
	recv_wait main || rc=1
	return $rc
}

# One address asks for contexts that are not there, as fast as it can; another
# one, with a real question, is answered each time
others_are_answered()
{
	local flood rc=0 limited

	limited=$(stat_of "$B" NackRateLimited)
	on "$A" uet_inject.py strangers $B4 --source $FORGER \
		--seconds 4 &
	flood=$!
	sleep 1
	on "$A" uet_inject.py ask $B4 --source $ASKER --count 20 || rc=1
	wait $flood
	limited=$(($(stat_of "$B" NackRateLimited) - limited))
	echo "$limited without an answer"
	[ $rc = 0 ] || return 1
	[ "$limited" -gt 0 ] || skip "this machine sends too few packets"
}

# contexts_of ADDR: that B has
contexts_of()
{
	"$UET" -n "$B" -j pdc show | grep -o "\"remote\": *\"$1\"" | wc -l
}

# Who has all contexts that he may have gets none of those of strangers
full_peer_takes_none()
{
	local before sender

	set_sysctl "$B" pdc_max_per_peer 4
	PID=100 recv_start main -I -n 1000000
	on "$A" uet_inject.py openings $B4 --source $FORGER --count 2
	before=$(contexts_of $FORGER)
	# None that is younger is taken away from anybody
	sleep 1.5
	for dscp in 1 2 3 4; do
		send_from_a -d $dscp -w -n 2 $B4/100 || return 1
	done
	send_from_a -d 5 -w -n 2 $B4/100 &
	sender=$!
	wait_for 10 refused_more || fail "nothing is refused"
	echo "$(contexts_of $FORGER) of $before left"
	[ "$before" -gt 0 ] || fail "the stranger had none"
	[ "$(contexts_of $FORGER)" = "$before" ] || return 1
	wait $sender
	recv_all_sent
	recv_wait main >/dev/null 2>&1 || true
}

# Nor does a stranger for whom there is no room, even if all of them had gone
full_host_takes_none()
{
	local before max others=4

	max=$(on "$B" sysctl -n net.uet.pdc_max)
	set_sysctl "$B" pdc_max_per_peer 64
	# Messages that stay open: such contexts are not closed for being idle
	PID=100 recv_start main -I
	PID=$BUSY_ONE recv_start busy -I -n 100000000
	for dscp in $(seq $others); do
		send_from_a -d "$dscp" -w -n 1000000 -s 100 $B4/$BUSY_ONE &
		wait_for 10 heard_in "$dscp" || return 1
	done
	on "$A" uet_inject.py openings $B4 --source $SILENT --count 4
	before=$(contexts_of $SILENT)
	sleep 1.5
	set_sysctl "$B" pdc_max $others
	on "$A" uet_inject.py openings $B4 --source $ASKER --count 20
	echo "$(contexts_of $SILENT) of $before left"
	set_sysctl "$B" pdc_max "$max"
	[ "$before" -gt 0 ] || fail "the stranger had none"
	[ "$(contexts_of $ASKER)" = 0 ] || fail "there was room"
	[ "$(contexts_of $SILENT)" = "$before" ]
}

# What this host opened to an address counts for it, whatever the traffic classes
own_contexts_count()
{
	local accepted

	set_sysctl "$B" pdc_max_per_peer 8
	# Messages that nobody answers: such contexts are not closed for being idle
	fix_neighbour "$A" "$B" $B4
	fix_neighbour "$B" "$A" $CALLED
	impair "$B" loss 100%
	for dscp in 1 2 3 4 5 6 7; do
		on "$B" uet_send -T $((20 * SLOW)) -d $dscp -n 1 -w $CALLED/100 &
	done
	wait_for 10 called_in 7 || fail "there are not as many as classes"
	accepted=$(stat_of "$B" PdcAccepted)
	on "$A" uet_inject.py openings $B4 --source $CALLED --count 20
	accepted=$(($(stat_of "$B" PdcAccepted) - accepted))
	echo "$accepted contexts more"
	impair "$B"
	[ $accepted -le 1 ]
}

called_in()
{
	[ "$(contexts_of $CALLED)" -ge "$1" ]
}

# heard_in N: so many contexts of A have come
heard_in()
{
	[ "$(contexts_of $A4)" -ge "$1" ]
}

refused_more()
{
	[ "$(stat_of "$B" PdcRefused)" -ge 2 ]
}

setup_pair
ip -n "$A" addr add $FORGER/24 dev uet0
ip -n "$A" addr add $ASKER/24 dev uet0
ip -n "$A" addr add $SILENT/24 dev uet0
ip -n "$A" addr add $CALLED/24 dev uet0
ip -n "$B" route add 10.9.0.0/16 via $A4
PID=$READS recv_start reads -n 1000000 -I -A
PID=$FULL recv_start full -n 1000000 -I -A -b 4096
raw_cases strangers.py $B4 $OWN "$B" $READS $FULL $SLOW
tst "a peer at its limit takes no contexts from strangers" full_peer_takes_none
tst "... nor does one for whom they make no room" full_host_takes_none
tst "... nor beside those of this host to it, in whatever classes" own_contexts_count
tst "contexts of a forger leave room for his host" real_one_gets_through
tst "a flood of questions leaves answers for others" others_are_answered
finish
