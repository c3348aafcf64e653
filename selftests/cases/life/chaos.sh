#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each message of each socket is accounted for - delivered once and intact, or
# reported - while addresses, links, routes, rules, settings, MTUs, offloads and
# impairments change by chance and hostile packets come.
#
#   chaos.sh [SECONDS [SEED...]]	10 seconds each, two seeds by chance
#
# With even seeds packets have a CRC, and are corrupted, too. ONLY= and WITHOUT=
# choose among the kinds of trouble (selftests/peers/chaos.py), ATTACKS= among those of
# selftests/peers/uet_inject.py, BOUND= says in how many seconds all has to have come
# to an end. In virtual time (tools/vm/run --virtual-time) a seed names a run: it
# shows again what it has shown once.
#
# check: [10 1 2] uml-debug 400 -
# check: [10 1 2] uml 400 full
# check: [600] uml-debug 3600 soak,alone
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

RUN=${1:-10}
shift
SEEDS=${*:-$((2 * (RANDOM / 2))) $((2 * (RANDOM / 2) + 1))}
BOUND=${BOUND:-60}
ATTACKS=${ATTACKS-garbage extremes types lengths pdcids replay truncated}

# Until the end of the run, one after the other, from the address of host A
attack()
{
	local n=$1 name

	[ -n "$ATTACKS" ] || return
	while :; do
		for name in $ATTACKS; do
			[ ! -e "$WORK/over" ] || return
			on "$A" uet_inject.py "$name" $B4 \
				--device p0 --seconds 1 --count 500 \
				--seed $((n++)) >/dev/null
		done
	done
}

# A question that brings nothing new is not asked again and again
few_probes()
{
	local probes sent

	probes=$(stat_of "$1" TailProbes)
	sent=$(($(stat_of "$1" TxReqs) + $(stat_of "$1" TxRetx)))
	echo "$probes probes, $sent packets"
	[ "$probes" -le $((sent + 10000)) ]
}

accounted()
{
	local seed=$1 corrupt=--corrupt trouble attack rc i

	rm -f "$WORK/over"
	setup_links
	[ $((seed % 2)) = 1 ] && corrupt= || both_sysctl data_protect 1
	# shellcheck disable=SC2086
	chaos.py "$A" "$B" "$WORK/over" --seed "$seed" $corrupt \
		--only "${ONLY:-}" --without "${WITHOUT:-}" >"$WORK/trouble" 2>&1 &
	trouble=$!
	attack "$seed" &
	attack=$!
	uet_chaos -s "$seed" -t "$RUN" -b $((BOUND * SLOW)) -o "$WORK/over" \
		"$A" "$A4,$A6" "$B" "$B4,$B6" >"$WORK/faults" 2>&1
	rc=$?
	wait $trouble || rc=1
	wait $attack
	tail -n 20 "$WORK/trouble"
	for i in "$A" "$B"; do
		few_probes "$i" || rc=1
		on "$i" awk '$2 { printf "%s=%s ", $1, $2 } END { print "" }' \
			/proc/net/uet_stat
	done
	cat "$WORK/faults"
	teardown_pair
	return $rc
}

for seed in $SEEDS; do
	tst "every message is accounted for, seed $seed" accounted "$seed"
done
finish
