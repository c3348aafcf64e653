#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Who makes addresses up: what is sent there, and what is left for the honest.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

OWN=10.9.8.7
READS=200
FULL=201
FORGER=10.0.0.66

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
	on "$A" uet_inject.py ask $B4 --count 20 || rc=1
	wait $flood
	limited=$(($(stat_of "$B" NackRateLimited) - limited))
	echo "$limited without an answer"
	[ $rc = 0 ] || return 1
	[ "$limited" -gt 0 ] || skip "this machine sends too few packets"
}

setup_pair
ip -n "$A" addr add $FORGER/24 dev uet0
ip -n "$B" route add 10.9.0.0/16 via $A4
PID=$READS recv_start reads -n 1000000 -I -A
PID=$FULL recv_start full -n 1000000 -I -A -b 4096
raw_cases strangers.py $B4 $OWN "$B" $READS $FULL $SLOW
tst "contexts of a forger leave room for his host" real_one_gets_through
tst "a flood of questions leaves answers for others" others_are_answered
finish
