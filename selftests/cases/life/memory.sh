#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Memory for received data runs out, of the namespace or of the protocol, while
# many sockets hold pieces of messages: what was begun is completed.
#
# check: uml 1500 -
# check: uml-debug 600 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

UET=$TREE/build/uet/uet
# The largest value of rx_msg_timeout_ms
PATIENCE_MS=60000
# What a guest on a busy machine takes to start a hundred receivers counts, too
LONG=$((600 * SLOW))
# Of the link, while messages are received
RATE=400mbit

# line_rate COMMAND RATE
line_rate()
{
	tc -n "$A" qdisc "$1" dev uet0 root netem limit 10000 rate "$2" delay 1ms
}

# queued N: so many messages are in the hands of host A
queued()
{
	[ "$(on "$A" "$UET" -j msg show | grep -o '"len":' | wc -l)" -ge "$1" ]
}

# together SOCKETS SIZE TYPE: a message to each of so many sockets, all of them
# under way at a time: the link is slow until they are, however long that takes.
# A socket alone could take its message in: it is less than half of the receive
# buffer and so not handed over in parts.
together()
{
	local n=$1 size=$2 type=$3 i rc=0 sender targets=()

	for ((i = 0; i < n; i++)); do
		PID=$((100 + i)) recv_start r$i -t "$type" -n 1 -z 20000 \
			-T $LONG
		targets+=("$B4/$((100 + i))")
	done
	line_rate replace 10mbit
	send_from_a -T $LONG -t "$type" -w -n "$n" -s "$size" "${targets[@]}" &
	sender=$!
	wait_for 60 queued "$n" || fail "not all messages are under way"
	line_rate change "$RATE"
	wait "$sender" || rc=1
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

# held: bytes that a message of 1 MB in small packets takes before it is read
held()
{
	local pid before rc=0

	before=$(stat_of "$B" MsgReceived)
	recv_start one -n 1
	for pid in $(ip netns pids "$B"); do
		[ "$(cat "/proc/$pid/comm")" = uet_recv ] && kill -STOP "$pid"
	done
	send_from_a -w -s 1000000 $B6/$PID >&2 || rc=1
	stat_of "$B" CurMem
	for pid in $(ip netns pids "$B"); do
		kill -CONT "$pid"
	done
	recv_wait one >&2 || rc=1
	return $rc
}

# In-order data joins the packet before it, unless its reader wants to know when
# each packet came; what other sockets of the host want does not matter.
# Over IPv6, whose context then keeps the small packets for itself. One by one: those
# of a run stay together.
joined()
{
	local alone among stamps csum

	csum=$(on "$A" sysctl -n net.uet.udp_csum)
	set_sysctl "$A" payload_mtu 1024
	set_sysctl "$A" udp_csum 0
	alone=$(held) || return 1
	on "$B" python3 -c 'import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, 29, 1)	# SO_TIMESTAMP
print("on", flush=True)
time.sleep(600)' >"$WORK/stamps" &
	stamps=$!
	wait_for 20 grep -q on "$WORK/stamps" || fail "no time stamps"
	among=$(held) || return 1
	kill $stamps
	set_sysctl "$A" payload_mtu 0
	set_sysctl "$A" udp_csum "$csum"
	echo "$alone bytes, $among beside a socket that wants time stamps"
	[ "$among" -le $((alone + alone / 4)) ]
}

# A message of an ordered context comes after those before it, which take more than
# eight times as long as it may be silent: it is not given up for that.
late_in_line()
{
	local silent rc=0

	silent=$(stat_of "$B" MsgSilent)
	set_sysctl "$B" rx_msg_timeout_ms $((400 * SLOW))
	RATE=$((100 / SLOW))mbit
	small_ceiling seq || rc=1
	set_sysctl "$B" rx_msg_timeout_ms $PATIENCE_MS
	[ "$(stat_of "$B" MsgSilent)" = "$silent" ] || fail "some were given up"
	return $rc
}

setup_pair
tst "time stamps for another socket cost no memory" joined
set_sysctl "$A" wmem 268435456
# A message may have to wait for all others, and nobody is to be given up for
# that: a guest on a busy machine takes a minute for what takes others five seconds.
set_sysctl "$B" rx_msg_timeout_ms $PATIENCE_MS
tst "rdm: more than the memory of the protocol" protocol_limit rdm
tst "seq: more than the memory of the protocol" protocol_limit seq
RATE=100mbit
set_sysctl "$B" mem 8000000
tst "rdm: more than the ceiling of the namespace" small_ceiling rdm
tst "seq: more than the ceiling of the namespace" small_ceiling seq
set_sysctl "$B" mem 1048576
tst "rdm: one message is more than the ceiling" small_ceiling rdm
tst "seq: one message is more than the ceiling" small_ceiling seq
tst "seq: messages that wait long for their turn are not given up" late_in_line
finish
