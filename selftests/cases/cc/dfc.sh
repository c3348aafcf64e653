#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Destination flow control: a reader that is slow and alone slows its source
# down without being overrun, one beside others stops nobody, and full speed is
# back soon. Times, and what depends on them, are judged in virtual time (K=vtime):
# a reader that gets no processor is slower than it says.
#
# check: uml 300 full
# check: vtime 1200 turn1
. "$(dirname "$0")/../../lib.sh"

# counted COMMAND...: what it added to counters of both hosts, as $d_NAME
counted()
{
	local name rc

	for name in TxReqs RxPenalties Holds; do
		eval "d_$name=$(stat_of "$A" $name)"
	done
	for name in TxNacks TxPenalties Shortage; do
		eval "d_$name=$(stat_of "$B" $name)"
	done
	"$@"
	rc=$?
	for name in TxReqs RxPenalties Holds; do
		eval "d_$name=\$(($(stat_of "$A" $name) - d_$name))"
	done
	for name in TxNacks TxPenalties Shortage; do
		eval "d_$name=\$(($(stat_of "$B" $name) - d_$name))"
	done
	echo "requests $d_TxReqs, NACKs $d_TxNacks for shortage $d_Shortage," \
		"holds $d_Holds, penalties $d_TxPenalties/$d_RxPenalties"
	return $rc
}

# less A B: numbers with a decimal point
less()
{
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'
}

# within SECONDS LOW HIGH: only where time means something
within()
{
	echo "$1 s, expected $2 to $3"
	[ "$VIRTUAL" = 0 ] || { less "$2" "$1" && less "$1" "$3"; }
}

# refused_less N: in real time the source must hold back once it is refused;
# without that, every round trip ends in refusals of a window
refused_less()
{
	local most=$1

	[ "$VIRTUAL" != 0 ] || most=$((4 * d_Holds + 100))
	[ "$d_Shortage" -lt "$most" ] ||
		fail "refused $d_Shortage packets, expected less than $most"
}

# slow_reader MESSAGES "RECV OPTIONS" "SEND OPTIONS": 16 kB in 128 us, a tenth of
# the link: reads end a little late, by timer slack. In real time 16 kB in 5 ms:
# a source that shares the processor with others may be slower than the former.
slow_reader()
{
	local n=$1 pause=128

	[ "$VIRTUAL" != 0 ] || n=400 pause=5000
	counted transfer "$B4" "-n $n -z 16000 -S $pause $2" \
		"-n $n -s 16000 $3" || return 1
	[ "$d_RxPenalties" -gt 50 ] || fail "the source was not told"
}

slow_alone()
{
	slow_reader 4000 "-t $1" "-t $1" || return 1
	# Nothing is sent twice
	refused_less 10
	# The reader always had something to read; 0.1 s are the end of the test
	within "$(field secs "$WORK/recv-main")" 0.5 0.9
}

# Less than a packet per round trip, which no window is small enough for
slower_still()
{
	counted transfer "$B4" "-n 500 -z 16000 -S 5000 -b 1000000" \
		"-n 500 -s 16000" || return 1
	# Holds do the rest: a try per nack_retx_us at most
	refused_less 2500
	within "$(field secs "$WORK/recv-main")" 2.5 2.8
}

# bulk TAG PID MESSAGES RECV-OPTIONS: its time to $WORK/recv-TAG
bulk()
{
	local tag=$1 pid=$2 n=$3
	shift 3

	PID=$pid recv_start "$tag" -n "$n" "$@" || return 1
	send_from_a -i "$pid" -w -n "$n" -s 100000 "$B4/$pid" || return 1
	recv_wait "$tag"
}

signal_readers()
{
	local p

	for p in $(ip netns pids "$B"); do
		kill "-$1" "$p"
	done
}

# told COUNT: this host has sent so many penalties since the count was $told
told()
{
	[ $(($(stat_of "$B" TxPenalties) - told)) -ge "$1" ]
}

# 100 MB take 82 ms. The reader stops for a while in the middle of it; half of
# a buffer of 4 MiB takes in what is sent in 1.5 ms. Then it is quick again.
# In real time it stops before the first and until the source is told.
recovery()
{
	local pause=$1 sender told rc=0

	# The socket of the case before is another reader
	sleep 0.2
	told=$(stat_of "$B" TxPenalties)
	recv_start main -n 1000
	[ "$VIRTUAL" != 0 ] || signal_readers STOP
	send_from_a -w -n 1000 -s 100000 "$B4/$PID" >"$WORK/send" &
	sender=$!
	if [ "$VIRTUAL" = 0 ]; then
		wait_for 20 told 1 || rc=1
	else
		sleep 0.03
		signal_readers STOP
	fi
	sleep "$pause"
	signal_readers CONT
	wait $sender || rc=1
	recv_wait main || rc=1
	within "$(field secs "$WORK/send")" "$2" "$3" || rc=1
	return $rc
}

short_pause()
{
	counted recovery 0.006 0.086 0.089 || return 1
	[ "$d_RxPenalties" -gt 0 ] || fail "the source was not told"
	refused_less 10
}

long_pause()
{
	counted recovery 0.1 0.175 0.190 || return 1
	[ "$d_RxPenalties" -gt 0 ] || fail "the source was not told"
	# Packets one by one fill the rest of the buffer, then the hold tries
	refused_less 20
}

# A reader at a tenth of the speed beside one that keeps up, on one context
beside()
{
	local alone rc=0

	bulk alone 101 500 || return 1
	alone=$(field secs "$WORK/recv-alone")
	PID=100 recv_start slow -n 1000000 -z 16000 -S 128 -T 60
	send_from_a -i 100 -n 1000000 -s 16000 "$B4/100" &
	sleep 0.05
	counted bulk other 101 500 || rc=1
	# Each has half of the link at worst
	within "$(field secs "$WORK/recv-other")" 0 \
		"$(awk -v a="$alone" 'BEGIN { print a * 2.1 }')" || rc=1
	return $rc
}

# The window is taken for the penalty, and credit comes beside it
slow_with_credit()
{
	slow_reader 2000 "" "-C nscc+rccc" || return 1
	refused_less 10
}

# In real time a processor that is wanted elsewhere is scarce, too
no_penalties()
{
	[ "$VIRTUAL" = 0 ] || [ "$d_TxPenalties" = 0 ]
}

# budget PACKETS: what a run of the softirq may take off polled devices
budget()
{
	sysctl -qw net.core.netdev_budget="$1"
}

# two_readers: neither is alone, so that no reader is to blame
two_readers()
{
	local rc=0

	PID=100 recv_start one -n 50
	PID=101 recv_start two -n 50
	counted send_from_a -w -n 100 -s 100000 "$B4/100" "$B4/101" || rc=1
	recv_wait one || rc=1
	recv_wait two || rc=1
	return $rc
}

# The queue of a device that is polled cannot be seen, only that polling is cut short
polled()
{
	local rc=0 usual

	# What may be one packet of several is not polled for
	on "$A" ethtool -K uet0 tso off && on "$B" ethtool -K uet0 gro on ||
		skip "no ethtool"
	usual=$(sysctl -n net.core.netdev_budget)
	impair "$A" rate 200mbit
	two_readers || rc=1
	no_penalties || { echo "it keeps up"; rc=1; }
	budget 1
	two_readers || rc=1
	[ "$d_RxPenalties" -gt 50 ] || { echo "the source was not told"; rc=1; }
	budget "$usual"
	sleep 0.5
	two_readers || rc=1
	no_penalties || { echo "it keeps up again"; rc=1; }
	on "$A" ethtool -K uet0 tso on
	on "$B" ethtool -K uet0 gro off
	impair "$A"
	return $rc
}

# told_or_ended COUNT PID...: told so often, or none of these is running
told_or_ended()
{
	told "$1" || ! kill -0 "${@:2}" 2>/dev/null
}

# stopped_readers N: three that stop, none of them alone, until all is received
# or N penalties sent. Each takes in half of its buffer of 4 MiB, and only the
# memory of the host is scarce.
stopped_readers()
{
	local pid pids= told rc=0

	told=$(stat_of "$B" TxPenalties)
	for pid in 101 102 103; do
		PID=$pid recv_start "r$pid" -n 30
	done
	signal_readers STOP
	for pid in 101 102 103; do
		send_from_a -i "$pid" -w -n 30 -s 50000 "$B4/$pid" &
		pids="$pids $!"
	done
	# shellcheck disable=SC2086
	wait_for 20 told_or_ended "$1" $pids || rc=1
	signal_readers CONT
	for pid in $pids; do
		wait "$pid" || rc=1
	done
	for pid in 101 102 103; do
		recv_wait "r$pid" || rc=1
	done
	return $rc
}

scarce_memory()
{
	local mem

	mem=$(on "$B" sysctl -n net.uet.mem)
	sleep 0.3
	counted stopped_readers 1000000 || return 1
	no_penalties || fail "penalties though there is memory"
	set_sysctl "$B" mem 5000000 || return 1
	counted stopped_readers 6 || return 1
	set_sysctl "$B" mem "$mem"
	[ "$d_TxPenalties" -gt 5 ] || fail "no penalty for scarce memory"
}

# A host that lets few packets wait for its processor, and a burst of more; the
# reader's buffer takes in all of it.
scarce_processor()
{
	local max rc=0

	max=$(sysctl -n net.core.netdev_max_backlog)
	sleep 0.3
	counted transfer "$B4" "-n 4" "-n 4 -s 100000 -C fixed" || return 1
	no_penalties || fail "penalties though none waits"
	sysctl -q -w net.core.netdev_max_backlog=$1 || return 1
	counted transfer "$B4" "-n 4" "-n 4 -s 100000 -C fixed" || rc=1
	sysctl -q -w net.core.netdev_max_backlog="$max"
	[ "$d_TxPenalties" -gt 0 ] || fail "no penalty for a full backlog"
	return $rc
}

setup_pair
both_sysctl link_mbps 10000
both_sysctl base_rtt_us 100
impair "$A" rate 10gbit delay 40us
impair "$B" rate 10gbit delay 40us

tst "rdm: a slow reader is not overrun" slow_alone rdm
tst "seq: a slow reader is not overrun" slow_alone seq
tst "a slow reader of a source with window and credit" slow_with_credit
tst "a reader slower than any window" slower_still
tst "full speed at once after a short pause" short_pause
tst "full speed soon after a long pause" long_pause
tst "a slow reader beside a quick one" beside
tst "memory that waits for readers gets scarce" scarce_memory
impair "$A"
impair "$B"
tst "packets wait for a processor" scarce_processor 16
tst "packets wait in the queue of a polled device" polled
finish
