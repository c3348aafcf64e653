#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Memory for received data runs out, of the namespace or of the protocol, while
# many sockets hold pieces of messages: what was begun is completed.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

# together SOCKETS SIZE TYPE: a message to each of so many sockets, all of them
# under way at a time. A socket alone could take its message in: it is less
# than half of the receive buffer and so not handed over in parts.
together()
{
	local n=$1 size=$2 type=$3 i rc=0 targets=()

	for ((i = 0; i < n; i++)); do
		PID=$((100 + i)) recv_start r$i -t "$type" -n 1 -z 20000 \
			-T $((120 * SLOW))
		targets+=("$B4/$((100 + i))")
	done
	send_from_a -T $((120 * SLOW)) -t "$type" -w -n "$n" -s "$size" "${targets[@]}" || rc=1
	for ((i = 0; i < n; i++)); do
		recv_wait r$i >"$WORK/recv" || { cat "$WORK/recv"; rc=1; }
	done
	on "$B" grep -E '^(Shortage|TxNacks|RxReqs)' /proc/net/uet_stat
	return $rc
}

# They exceed the ceiling of the namespace, what is reserved above it and the
# 32 MiB that one line may go on beyond, by their data alone; that was noticed
small_ceiling()
{
	local before

	before=$(stat_of "$B" Shortage)
	together 30 1900000 "$1" || return 1
	[ "$(stat_of "$B" Shortage)" -gt "$before" ] || fail "no shortage"
}

# The limit of the protocol depends on the memory of the machine: three 32nds,
# and one line may go on beyond for 64 MiB
protocol_limit()
{
	local before total

	total=$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)
	[ "$total" -lt 1300000 ] || skip "only with about 1 GiB of memory"
	before=$(stat_of "$B" Shortage)
	together 100 2000000 "$1" || return 1
	[ "$(stat_of "$B" Shortage)" -gt "$before" ] || fail "no shortage"
}

setup_pair
# Slow enough for the sender to be ahead: all messages are under way
impair "$A" rate 400mbit delay 1ms
set_sysctl "$A" wmem 268435456
tst "rdm: more than the memory of the protocol" protocol_limit rdm
tst "seq: more than the memory of the protocol" protocol_limit seq
impair "$A" rate 100mbit delay 1ms
set_sysctl "$B" mem 8000000
tst "rdm: more than the ceiling of the namespace" small_ceiling rdm
tst "seq: more than the ceiling of the namespace" small_ceiling seq
set_sysctl "$B" mem 1048576
tst "rdm: one message is more than the ceiling" small_ceiling rdm
tst "seq: one message is more than the ceiling" small_ceiling seq
finish
