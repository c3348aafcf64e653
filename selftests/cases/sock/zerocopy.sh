#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# MSG_ZEROCOPY: packets refer to pages of the sender, who is told when they are free.
#
# check: arm64 400 lean
# check: uml-debug,6.1 400 -
# check: 6.12 400 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

N=$(scaled 200)

# many ADDR LEN: messages from few buffers, each rewritten once it is free
many()
{
	recv_start main -x 100 -n "$N"
	on "$A" uet_zerocopy "$1/$PID" "$N" "$2" || return 1
	recv_wait main
}

# in_runs ADDR LEN: most packets leave in buffers of several, as far as the window goes
in_runs()
{
	local runs all

	runs=$(stat_of "$A" TxRunReqs)
	all=$(stat_of "$A" TxReqs)
	many "$@" || return 1
	runs=$(($(stat_of "$A" TxRunReqs) - runs))
	all=$(($(stat_of "$A" TxReqs) - all))
	echo "$runs of $all packets left in buffers of several"
	[ "$runs" -gt $((all / 2)) ]
}

lossy()
{
	impair "$A" "$@" || skip "no netem here"
	many "$B4" 60000
}

# The namespace of the sender goes while packets of it wait in a queue there: they go,
# too.
netns_goes_with_packets()
{
	local before

	leave_pinned_waiting "$B4" || return 1
	before=$(stat_of "$B" RxPkts)
	ip netns del "$A"
	wait_for 60 host_gone || fail "the namespace stays"
	[ "$(stat_of "$B" RxPkts)" = "$before" ] || fail "it stayed until they had left"
}

setup_pair
part uet_zerocopy "$A4"
lean || part uet_zerocopy "$A6"
# A window that does not depend on how fast this guest is, and holds runs
both_sysctl congestion_control fixed
both_sysctl link_mbps 10000
both_sysctl base_rtt_us 500
tst "from host to host" in_runs "$B4" 100000
lean || tst "by IPv6" many "$B6" 100000
both_sysctl spray_run 1
tst "packet by packet" many "$B4" 100000
both_sysctl spray_run 0
tst "under loss" lossy loss 3%
tst "out of order" lossy delay 2ms 1ms
impair "$A" 2>/dev/null
tst "the namespace goes" sender_goes uet_zerocopy "$B4/$PID" 4000 1000000
teardown_pair
setup_pair
tst "the namespace goes with packets that wait" netns_goes_with_packets
finish
