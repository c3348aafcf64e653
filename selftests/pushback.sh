#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Readers that are slower than the sender lose nothing, and do not stop
# others on the same PDC.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

setup_pair

late_reader()
{
	# 24 MB for a socket of 4 MiB that is not read for two seconds
	transfer $B4 "-t $1 -n 400 -s 2000 $2" "-t $1 -n 400 -s 60000"
}

small_buffer()
{
	transfer $B4 "-t $1 -n 100 -b 16384 -S 3000 $2" \
		"-t $1 -n 100 -s 24-40000"
}

long_into_small_buffer()
{
	transfer $B4 "-t $1 -n 4 -b 65536 -z 20000 -S 500 $2" \
		"-t $1 -n 4 -s 2m"
}

# One reader stops for ten seconds; another on the same host goes on
neighbours()
{
	local rc=0 t0

	recv_start stuck -t "$1" -n 300 -s 8000 -b 65536
	PID=101 recv_start other -t "$1" -n 300 -x 100
	send_from_a -t "$1" -i 1 -n 300 -s 20000 -w $B4/100 \
		>"$WORK/send-stuck" 2>&1 &
	stuck=$!
	sleep 0.5
	t0=$SECONDS
	send_from_a -t "$1" -i 2 -n 300 -s 20000 -w $B4/101 || rc=1
	recv_wait other || rc=1
	[ $((SECONDS - t0)) -lt $((6 * SLOW)) ] ||
		fail "the other socket waited $((SECONDS - t0)) s"
	wait $stuck || rc=1
	cat "$WORK/send-stuck"
	recv_wait stuck || rc=1
	return $rc
}

# Many senders, one slow reader
fan_in()
{
	local i rc=0 senders=()

	recv_start main -n 200 -b 131072 -S 1000 -x 100
	for i in 1 2 3 4; do
		send_from_a -i $i -n 50 -s 24-100000 -w $B4/$PID \
			>"$WORK/send-$i" 2>&1 &
		senders+=($!)
	done
	for i in "${senders[@]}"; do
		wait "$i" || rc=1
	done
	cat "$WORK"/send-*
	recv_wait main || rc=1
	return $rc
}

for type in rdm seq; do
	order=
	[ $type = seq ] && order=-o
	tst "$type: reader starts late" late_reader $type "$order"
	tst "$type: small buffer, slow reader" small_buffer $type "$order"
	tst "$type: messages longer than the buffer" \
		long_into_small_buffer $type "$order"
done
tst "rdm: a stopped reader does not stop its neighbour" neighbours rdm
tst "four senders, one slow reader" fan_in
finish
