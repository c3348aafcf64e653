# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Allocations that fail (CONFIG_FAULT_INJECTION_DEBUG_FS), for the cases that source
# this after lib.sh. A kind is failslab or fail_page_alloc.

DEBUGFS=/sys/kernel/debug
# The kernel counts down from here with each fault
FAULTS=1000000000

# fault_set KIND KNOB=VALUE...
fault_set()
{
	local kind=$1 knob
	shift

	for knob in "$@"; do
		echo "${knob#*=}" >"$DEBUGFS/$kind/${knob%%=*}"
	done
}

# fault_prepare KIND KNOB=VALUE...: what all cases of it have in common
fault_prepare()
{
	local kind=$1
	shift

	[ -d "$DEBUGFS/$kind" ] || skip "this kernel has no $kind"
	fault_set "$kind" probability=0 interval=1 times=$FAULTS verbose=0 "$@"
	[ "$kind" = failslab ] || fault_set "$kind" min-order=0
}

# faults KIND: since fault_prepare
faults()
{
	echo $((FAULTS - $(cat "$DEBUGFS/$1/times")))
}
