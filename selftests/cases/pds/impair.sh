#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Loss, reordering, duplication and corruption on the wire, both ways: what
# is delivered is whole and comes once.
#
# check: arm64 400 lean
# check: vtime 400 -
# check: uml-debug,6.1,6.12,uml-smp 400 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# impaired "NETEM WORDS" ADDR "RECV OPTIONS" "SEND OPTIONS"
# shellcheck disable=SC2086
impaired()
{
	local rc=0

	impair "$A" $1 || skip "no netem here"
	impair "$B" $1
	transfer "$2" "$3" "$4" || rc=1
	impair "$A"
	impair "$B"
	on "$A" grep -E '^(Retx|Rto|Tail)' /proc/net/uet_stat
	return $rc
}

# Both ends must agree before the first context: fresh hosts
fresh_hosts()
{
	teardown_pair
	setup_pair
}

corrupt()
{
	local rc=0

	fresh_hosts
	fix_neighbours
	both_sysctl data_protect 1
	impaired "corrupt 5%" "$@" || rc=1
	[ "$(stat_of "$B" DropCrc)" -gt 0 ] || fail "no CRC error was counted"
	fresh_hosts
	return $rc
}

# Without the trailer content may be wrong and transfers may fail; nothing may
# crash, hang or leak. Fresh contexts afterwards work.
corrupt_unprotected()
{
	fix_neighbours
	impair "$A" corrupt 5% || skip "no netem here"
	impair "$B" corrupt 5%
	recv_start main -n 1000000 -I -T $((3 * SLOW))
	send_from_a -n 100 -s 24-100000 -T $((5 * SLOW)) $B4/$PID
	recv_wait main
	clean_processes
	impair "$A"
	impair "$B"
	fresh_hosts
	transfer $B4 "-n 50" "-n 50 -s 24-100000"
}

losses="0 1 10 30"
lean && losses=10

setup_pair
for loss in $losses; do
	n=$(scaled 300)
	[ $loss -ge 10 ] && n=$(scaled 60)
	for type in rdm seq; do
		order=
		[ $type = seq ] && order=-o
		tst "loss $loss %, $type" impaired "loss $loss%" $B4 \
			"-t $type -n $n $order" "-t $type -n $n -s 0-60000"
	done
done
n=$(scaled 60)
tst "loss 10 %, IPv6" impaired "loss 10%" $B6 "-n $n" "-n $n -s 0-60000"
tst "loss 10 %, one long message" impaired "loss 10%" $B4 "-n 1" \
	"-n 1 -s $(scaled 8000)k"
n=$(scaled 100)
for type in rdm seq; do
	order=
	[ $type = seq ] && order=-o
	tst "reordering, $type" impaired "delay 2ms reorder 50% 50%" $B4 \
		"-t $type -n $n $order" "-t $type -n $n -s 0-60000"
	tst "duplication, $type" impaired "duplicate 20%" $B4 \
		"-t $type -n $((2 * n)) $order" "-t $type -n $((2 * n)) -s 0-60000"
	tst "all together, $type" impaired \
		"delay 1ms 1ms loss 3% duplicate 3% reorder 25%" $B4 \
		"-t $type -n $n $order" "-t $type -n $n -s 0-60000"
	lean && continue
	tst "corruption with data_protect 1, $type" corrupt $B4 \
		"-t $type -n $n $order" "-t $type -n $n -s 0-60000"
done
lean || tst "corruption without protection: no crash, and it works after" \
	corrupt_unprotected
finish
