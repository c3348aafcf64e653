#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The packets of a PDC are handled by one CPU, wherever they arrive.
#
# Which CPU handles a packet, so two of them
# check: uml-smp 300 lean
# check: arm64 300 lean
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# Messages, and long ones
MANY=$(scaled 100)
LONG=$(scaled 20)
CPU1=/sys/devices/system/cpu/cpu1/online

# setup_tunnel: between the hosts, for their addresses. Packets come out of it with a hash
# of their ports, as from a wire, and not with one of their peer (link/output.c).
setup_tunnel()
{
	local host ours theirs

	setup_pair
	while read -r host ours theirs; do
		ip -n "$host" addr flush dev uet0
		ip -n "$host" addr add "$ours/30" dev uet0
		ip -n "$host" link add wire0 type vxlan id 1 dstport 4789 \
			local "$ours" remote "$theirs"
		ip -n "$host" link set wire0 up
	done <<-END
		$A 192.0.2.1 192.0.2.2
		$B 192.0.2.2 192.0.2.1
	END
	ip -n "$A" addr add $A4/24 dev wire0
	ip -n "$B" addr add $B4/24 dev wire0
	ip -n "$A" addr add $A6/64 dev wire0 nodad
	ip -n "$B" addr add $B6/64 dev wire0 nodad
	spread 3
}

# spread MASK: receive scaling by port over these CPUs; 0 = none
spread()
{
	local host

	for host in "$A" "$B"; do
		on "$host" sh -c "echo $1 >/sys/class/net/wire0/queues/rx-0/rps_cpus" ||
			fail "no receive scaling"
	done
}

# steered WANT HOST WORD...: does the command have the host's CPUs give packets to each
# other? WANT: some, none
steered()
{
	local want=$1 host=$2 before n

	shift 2
	before=$(stat_of "$host" RxSteered)
	"$@" || return 1
	n=$(($(stat_of "$host" RxSteered) - before))
	echo "$n packets went to another CPU"
	case $want in
	none)	[ "$n" = 0 ] || fail "they were to stay" ;;
	some)	[ "$n" -gt 0 ] || fail "there were to be some" ;;
	esac
}

messages()
{
	transfer "$1" "-n $MANY $2" "-n $MANY -s 0-60000 $2"
}

# Requests at one host, ACKs at the other
both_ends()
{
	steered some "$B" messages "$@" && steered some "$A" messages "$@"
}

switched_off()
{
	local rc=0

	both_sysctl steer 0
	steered none "$B" messages $B4 || rc=1
	both_sysctl steer 1
	return $rc
}

# A window that holds runs, however fast this guest is, in a class with settings of now
in_runs()
{
	local runs rc=0

	both_sysctl congestion_control fixed
	both_sysctl link_mbps 10000
	both_sysctl base_rtt_us 500
	both_sysctl spray_run 8
	runs=$(stat_of "$B" RxRuns)
	steered some "$B" transfer $B4 "-n $LONG" "-n $LONG -s 500000 -d 12" || rc=1
	runs=$(($(stat_of "$B" RxRuns) - runs))
	echo "$runs buffers of several packets"
	[ "$runs" -gt 0 ] || fail "no buffer had several packets"
	return $rc
}

# Buffers that are partly duplicates are not taken whole where they were given to.
impaired()
{
	local rc=0

	impair "$A" loss 2% duplicate 5% delay 2ms 1ms
	steered some "$B" transfer $B4 "-n $LONG" "-n $LONG -s 500000 -d 12" || rc=1
	messages $B4 "-t seq" || rc=1
	on "$A" tc qdisc del dev uet0 root
	return $rc
}

protected()
{
	local rc=0

	both_sysctl data_protect 1
	both_ends $B4 || rc=1
	both_sysctl data_protect 2
	return $rc
}

# Without receiving scaling packets arrive where they were sent: at one CPU, and later
# at the other. There a PDC has its home soon.
home_follows()
{
	local before n all rc=0

	spread 0
	transfer $B4 "-n $MANY" "-n $MANY -s 20000" || rc=1
	before=$(stat_of "$B" RxSteered)
	all=$(stat_of "$B" RxPkts)
	for n in 0 1 0 1; do
		taskset -pc $n $$ >/dev/null
		transfer $B4 "-n $MANY" "-n $MANY -s 20000" || rc=1
	done
	taskset -pc 0-1 $$ >/dev/null
	n=$(($(stat_of "$B" RxSteered) - before))
	all=$(($(stat_of "$B" RxPkts) - all))
	echo "$n of $all packets went to another CPU"
	spread 3
	[ "$n" -lt $((all / 2)) ] || fail "no PDC moved"
	return $rc
}

# All packets come at one CPU and then, without a pause, at the other. (In an emulated guest
# there are pauses, and with them a PDC moves in any case.)
home_follows_at_once()
{
	local n steered all

	spread 1
	recv_start main -I -A
	send_from_a -n 100000000 -s 20000 $B4/$PID >/dev/null 2>&1 &
	wait_for 20 moving || fail "no traffic"
	steered=$(stat_of "$B" RxSteered)
	all=$(stat_of "$B" RxPkts)
	for n in 2 1 2 1 2 1 2 1 2 1 2 1; do
		spread $n
		sleep 0.3
	done
	steered=$(($(stat_of "$B" RxSteered) - steered))
	all=$(($(stat_of "$B" RxPkts) - all))
	echo "$steered of $all packets went to another CPU"
	clean_processes
	wait
	spread 3
	[ "$steered" -lt $((all / 10)) ] || fail "the PDC stayed"
}

moving()
{
	[ "$(stat_of "$B" RxReqs)" -gt 20 ]
}

cpu_goes_and_comes()
{
	local i rc=0

	[ -w $CPU1 ] || skip "CPU 1 cannot go offline"
	for i in 1 2 3 4 5; do
		sleep 0.3
		echo 0 >$CPU1
		sleep 0.3
		echo 1 >$CPU1
	done &
	steered some "$B" transfer $B4 "-n $((4 * MANY))" "-n $((4 * MANY)) -s 0-200000" || rc=1
	wait $! || fail "CPU 1 did not go or come"
	return $rc
}

arriving()
{
	[ "$(stat_of "$B" RxSteered)" -gt 20 ]
}

# Namespaces and devices go with packets on their way from CPU to CPU.
all_goes()
{
	local i

	teardown_pair
	for i in 0 1 2 3 4 5; do
		setup_tunnel
		recv_start main -I -A >/dev/null 2>&1
		send_from_a -n 1000000 -s 0-100000 $B4/$PID >/dev/null 2>&1 &
		wait_for 20 arriving || fail "nothing went to another CPU"
		[ $((i % 2)) = 0 ] || ip -n "$B" link del wire0
		clean_processes
		teardown_pair
		wait
	done
	setup_tunnel
	both_ends $B4
}

[ "$(nproc)" -gt 1 ] || skip "one CPU"
setup_tunnel
for addr in $B4 $B6; do
	tst "$addr: requests and ACKs" both_ends $addr
done
tst "switched off" switched_off
tst "buffers of several packets" in_runs
tst "... under loss, duplication and reordering" impaired
tst "with data_protect" protected
tst "a PDC follows its packets" home_follows
tst "... without a pause" home_follows_at_once
tst "a CPU goes and comes" cpu_goes_and_comes
tst "namespaces and devices go" all_goes
finish
