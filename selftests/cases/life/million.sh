#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A million messages of mixed lengths and modes, with a CRC, over a wire that loses 3 %
# of the packets, doubles 3 %, delays 25 % and damages 0.1 %, both ways: each
# message comes once and intact, and in order where that was promised. Memory does not
# grow meanwhile.
#
#	million.sh [MESSAGES]
#
# check: uml-debug,6.12 7200 soak,alone
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=selftests/faults.sh
. "$(dirname "$0")/../../faults.sh"

MESSAGES=${1:-1000000}
WIRE="delay 200us reorder 75% loss 3% duplicate 3% corrupt 0.1%"
# Share of the messages in percent, kind of socket, options, lengths
KINDS=("40 rdm - 0-2000" "20 rdm - 0-20000" "30 seq - 0-4000" "10 rdm rod 0-9000")
# By so much the caches of the kernel may grow by themselves, in KB
NOISE=32768

exec 3>&1

# Where a long run has come to
note()
{
	echo "# $*" >&3
}

# Of the kernel, what cannot be reclaimed, in KB
kernel_memory()
{
	awk '$1 == "SUnreclaim:" { print $2 }' /proc/meminfo
}

# messages N: so many, of all kinds at a time
messages()
{
	local n=$1 i=0 rc=0 kind share type mode sizes senders=()

	for kind in "${KINDS[@]}"; do
		read -r share type mode sizes <<<"$kind"
		i=$((i + 1))
		PID=$((100 + i)) recv_start r$i -t "$type" -n $((n * share / 100)) -x 200 \
			-T $((300 * SLOW)) $([ "$type" != seq ] || echo -o) || return 1
		on "$A" uet_send -T $((300 * SLOW)) -t "$type" -w \
			-n $((n * share / 100)) -s "$sizes" \
			$([ "$mode" = - ] || echo -m "$mode") "$B4/$((100 + i))" &
		senders+=($!)
	done
	for i in "${senders[@]}"; do
		wait "$i" || rc=1
	done
	for ((i = 1; i <= ${#KINDS[@]}; i++)); do
		recv_wait r$i || rc=1
	done
	return $rc
}

bad_wire()
{
	local part=$((MESSAGES / 10)) before=0 now i

	both_sysctl data_protect 1
	# A minute of bad luck is not the end of a peer
	both_sysctl peer_timeout_s 600
	fix_neighbours
	for i in "$A" "$B"; do
		# shellcheck disable=SC2086
		impair "$i" $WIRE || skip "no netem here"
	done
	for ((i = 1; i <= 10; i++)); do
		messages $part || return 1
		now=$(kernel_memory)
		note "$((i * part)) of $MESSAGES messages, $now KB"
		# What is kept for later is there after the first tenths
		[ $i != 3 ] || before=$now
	done
	on "$B" grep -E '^(Retx|Rto|Tail|DropCrc|RxDup)' /proc/net/uet_stat
	[ "$(stat_of "$B" DropCrc)" -gt 0 ] || fail "nothing was damaged"
	[ $((now - before)) -lt $NOISE ] ||
		fail "the kernel has $((now - before)) KB more than before"
}

# The wire is still bad
no_memory()
{
	local kind rc=0

	for kind in failslab fail_page_alloc; do
		fault_prepare $kind task-filter=0 ignore-gfp-wait=1
	done
	for kind in failslab fail_page_alloc; do
		fault_set $kind probability=1
	done
	messages $((MESSAGES / 10)) || rc=1
	for kind in failslab fail_page_alloc; do
		fault_set $kind probability=0
		note "$kind: $(faults $kind) allocations failed"
	done
	[ "$(faults failslab)" -gt 10 ] || fail "few allocations failed"
	return $rc
}

setup_pair
tst "$MESSAGES messages over a bad wire" bad_wire
tst "... and 1 % of the allocations fail" no_memory
finish
