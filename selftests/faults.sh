#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Memory allocations fail while messages are sent and received: errors are
# reported, nothing is lost without a report, nothing leaks.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

DEBUGFS=/sys/kernel/debug

# fault NAME VALUE KNOB...
fault_set()
{
	local kind=$1 knob
	shift

	for knob in "$@"; do
		echo "${knob#*=}" >"$DEBUGFS/$kind/${knob%%=*}"
	done
}

# Allocations fail in the processes that ask for it
process_faults()
{
	local kind=$1 rc=0 size=$2

	[ -d $DEBUGFS/$kind ] || skip "this kernel has no $kind"
	recv_start main -I -A -T $((3 * SLOW))
	fault_set "$kind" probability=$3 interval=1 times=-1 verbose=0 \
		task-filter=1
	[ "$kind" = failslab ] || fault_set "$kind" min-order=0 \
		ignore-gfp-wait=0
	[ "$kind" = failslab ] && fault_set "$kind" ignore-gfp-wait=0
	# The sender fails in its sendmsg() calls, and goes on
	on "$A" bash -c 'echo 1 >/proc/self/make-it-fail
		exec uet_send "$@"' - -n 300 -s "$size" -W \
		-T $((30 * SLOW)) $B4/$PID
	fault_set "$kind" probability=0 task-filter=0
	recv_wait main || rc=1
	return $rc
}

# Allocations fail everywhere for a while, softirq included. Only processes
# that run already do anything meanwhile, and Python needs no kernel memory
# to wait.
softirq_faults()
{
	local kind=$1 rc=0 sender

	[ -d $DEBUGFS/$kind ] || skip "this kernel has no $kind"
	recv_start main -I -A -T $((5 * SLOW))
	send_from_a -D $((4 * SLOW)) -s 0-60000 -W $B4/$PID \
		>"$WORK/send" 2>&1 &
	sender=$!
	sleep 1
	python3 - "$DEBUGFS/$kind" "$2" $SLOW <<-'END'
		import sys, time
		path, probability, slow = sys.argv[1:]
		files = {}
		for name, value in (("interval", 1), ("times", -1),
				    ("verbose", 0), ("task-filter", 0)):
		    with open(f"{path}/{name}", "w") as f:
		        f.write(str(value))
		try:
		    with open(f"{path}/min-order", "w") as f:
		        f.write("0")
		except OSError:
		    pass
		with open(f"{path}/ignore-gfp-wait", "w") as f:
		    f.write("1")
		knob = open(f"{path}/probability", "w", buffering=1)
		knob.write(probability + "\n")
		time.sleep(2 * int(slow))
		for _ in range(100):
		    try:
		        knob.write("0\n")
		        knob.flush()
		        break
		    except OSError:
		        pass
	END
	wait $sender
	cat "$WORK/send"
	recv_wait main || rc=1
	# Everything taken over arrived, or was reported
	[ "$(field messages "$WORK/recv-main")" -ge \
	  $(($(field sent "$WORK/send") - $(field failed "$WORK/send"))) ] ||
		fail "messages were lost without a report"
	return $rc
}

setup_pair
for kind in failslab fail_page_alloc; do
	for size in 0-500 4000-60000 1m; do
		tst "$kind in the calls, messages of $size" \
			process_faults $kind $size 10
	done
	tst "$kind in softirq, 2 %" softirq_faults $kind 2
	tst "$kind in softirq, 20 %" softirq_faults $kind 20
done
tst "a transfer afterwards" transfer $B4 "-n 50" "-n 50 -s 0-50000"
finish
