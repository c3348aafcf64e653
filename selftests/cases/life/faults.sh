#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Memory allocations fail while messages are sent and received: errors are
# reported, nothing is lost without a report, nothing leaks.
#
# check: uml-debug 500 -
# check: uml-smp 800 soak
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=selftests/faults.sh
. "$(dirname "$0")/../../faults.sh"

# A case goes on until there were so many: how many allocations a message takes
# differs by kernel, and few of them may all be lucky
ENOUGH=10

# total NAME: of a field over all lines that senders printed
total()
{
	sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$WORK/send" |
		awk '{ n += $1 } END { print n + 0 }'
}

# Everything taken over arrived, or was reported; and there were faults
accounted()
{
	local faults sent failed came

	faults=$(faults "$1")
	sent=$(total sent)
	failed=$(total failed)
	came=$(field messages "$WORK/recv-main")
	cat "$WORK/send"
	echo "$faults faults"
	[ "$faults" -ge $ENOUGH ] || fail "few allocations failed"
	[ "$sent" -gt 0 ] || fail "nothing was sent"
	[ "$came" -ge $((sent - failed)) ] ||
		fail "messages were lost without a report"
}

# Allocations fail in the sender's calls, and it goes on
process_faults()
{
	local kind=$1 size=$2 rc=0 i

	fault_prepare "$kind" task-filter=1 ignore-gfp-wait=0
	recv_start main -I -A
	fault_set "$kind" probability="$3"
	: >"$WORK/send"
	for ((i = 0; i < 100 && $(faults "$kind") < ENOUGH; i++)); do
		send_from_a -K -n "$(scaled 300)" -s "$size" -W $B4/$PID \
			>>"$WORK/send"
	done
	fault_set "$kind" probability=0 task-filter=0
	recv_all_sent
	recv_wait main || rc=1
	accounted "$kind"
	return $rc
}

moving()
{
	[ "$(stat_of "$B" RxReqs)" -gt 20 ]
}

# Allocations fail everywhere for a while, softirq included, but those that may
# wait. Nothing that has to start meanwhile: one process turns it on and off.
# softirq_faults KIND PROBABILITY [TYPE]
softirq_faults()
{
	local kind=$1 type=${3:-rdm} rc=0 sender

	fault_prepare "$kind" task-filter=0 ignore-gfp-wait=1
	recv_start main -t "$type" -I -A
	send_from_a -t "$type" -D 600 -s 0-60000 -w $B4/$PID >"$WORK/send" &
	sender=$!
	wait_for 20 moving || rc=1
	python3 - "$DEBUGFS/$kind" "$2" $SLOW $((FAULTS - ENOUGH)) <<-'END'
		import sys, time
		path, probability, slow, enough = sys.argv[1:]
		knob = open(path + "/probability", "w", buffering=1)
		knob.write(probability + "\n")
		time.sleep(2 * int(slow))
		for _ in range(60 * int(slow)):
		    try:
		        with open(path + "/times") as times:
		            if int(times.read()) <= int(enough):
		                break
		    except OSError:
		        pass
		    time.sleep(1)
		for _ in range(100):
		    try:
		        knob.write("0\n")
		        break
		    except OSError:
		        pass
	END
	# It ends with the message it is at
	# shellcheck disable=SC2046
	kill $(ip netns pids "$A")
	wait $sender
	recv_all_sent
	recv_wait main || rc=1
	accounted "$kind"
	# A report waits until there is memory for it
	[ "$(total sent)" = $(($(total delivered) + $(total failed))) ] ||
		fail "messages were not reported"
	[ "$(stat_of "$A" ReportsLost)" = 0 ] || fail "reports were lost"
	return $rc
}

# Allocations fail while sockets get their names, the first of their host. What
# was allocated before is found by kmemleak when the guest ends.
naming_faults()
{
	local i faults

	fault_prepare "$1" task-filter=1 ignore-gfp-wait=0
	fault_set "$1" probability=40
	for ((i = 0; i < 40; i++)); do
		send_from_a -K -n 1 -T 1 $B4/$PID 2>/dev/null
	done
	fault_set "$1" probability=0 task-filter=0
	faults=$(faults "$1")
	echo "$faults faults"
	[ "$faults" -gt 40 ] || fail "few allocations failed"
}

# On an ordered context packets are kept behind a gap meanwhile
ordered_faults()
{
	local rc=0

	impair "$A" delay 1ms 500us loss 1% reorder 25% || skip "no netem here"
	softirq_faults "$1" "$2" seq || rc=1
	impair "$A"
	[ "$(stat_of "$B" RxOutOfOrder)" -gt 0 ] || fail "nothing came early"
	return $rc
}

# Sources and grants of cells want memory, too
tfc_faults()
{
	local rc=0

	# Contexts that are idle keep their congestion control
	teardown_pair
	setup_pair
	both_sysctl congestion_control tfc
	softirq_faults "$1" "$2" || rc=1
	both_sysctl congestion_control nscc
	[ "$(stat_of "$B" CreditGranted)" -gt 0 ] || fail "no cells were granted"
	return $rc
}

sizes="0-500 4000-60000 1m"
lean && sizes=4000-60000

setup_pair
tst "failslab while sockets get names" naming_faults failslab
for kind in failslab fail_page_alloc; do
	for size in $sizes; do
		tst "$kind in the calls, messages of $size" \
			process_faults $kind $size 10
	done
	lean || tst "$kind in softirq, 2 %" softirq_faults $kind 2
	tst "$kind in softirq, 20 %" softirq_faults $kind 20
done
tst "failslab in softirq, ordered, on a bad wire" ordered_faults failslab 10
tst "failslab in softirq, with TFC" tfc_faults failslab 20
tst "a transfer afterwards" transfer $B4 "-n 50" "-n 50 -s 0-50000"
finish
