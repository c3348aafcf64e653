#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Programs of control groups, such as those of systemd's IPAddressDeny=, see the
# packets of UET sockets.
#
# check: 6.1,6.12 240 -
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

GROUP=/sys/fs/cgroup/uet-test

# deny egress|ingress ADDR: for the members of a new group
deny()
{
	mkdir "$GROUP" || skip "no control groups"
	uet_cgroup "$GROUP" "$@"
	case $? in
	0)	;;
	4)	skip "no programs for control groups in this kernel" ;;
	*)	fail "program not attached" ;;
	esac
}

# Empty groups go; what is left of the sockets of one goes with them
allow()
{
	wait_for 10 rmdir "$GROUP"
}

# member COMMAND...: runs in the group. ip netns exec has another /sys
member()
{
	# shellcheck disable=SC2016
	sh -c 'echo $$ >"$0" && exec "$@"' "$GROUP/cgroup.procs" "$@"
}

requests()
{
	stat_of "$B" RxReqs
}

# may_not_send DENIED ALLOWED: neither while the socket is open nor after
may_not_send()
{
	local before rc=0

	deny egress "$1"
	recv_start main -I
	before=$(requests)
	member ip netns exec "$A" uet_send -x ETIMEDOUT -T $((60 * SLOW)) \
		-n 2 -s 20000 "$1/$PID" || rc=1
	member ip netns exec "$A" uet_send -n 2 -s 20000 "$1/$PID" || rc=1
	wait_for 30 no_pdcs "$A" || rc=1
	echo "$(($(requests) - before)) requests came"
	[ "$(requests)" = "$before" ] || rc=1
	member ip netns exec "$A" uet_send -w -n 2 -s 20000 "$2/$PID" || rc=1
	# Who is not in the group
	send_from_a -w -n 2 -s 20000 "$1/$PID" || rc=1
	recv_all_sent
	recv_wait main || rc=1
	allow || rc=1
	return $rc
}

no_pdcs()
{
	[ "$(stat_of "$1" CurPdcs)" = 0 ]
}

# may_not_receive ADDR FROM OTHER SIZE: what comes from there is refused
may_not_receive()
{
	local before rc=0

	deny ingress "$2"
	rm -f "$WORK/ready-main"
	member ip netns exec "$B" uet_recv -T $((60 * SLOW)) -p $PID \
		-R "$WORK/ready-main" -n 3 -x 100 >"$WORK/recv-main" 2>&1 &
	recv_pid_main=$!
	wait_for 10 started main $! || rc=1
	before=$(stat_of "$B" DropFilter)
	send_from_a -x EACCES -n 2 -s "$4" "$1/$PID" || rc=1
	echo "$(($(stat_of "$B" DropFilter) - before)) packets refused"
	[ "$(stat_of "$B" DropFilter)" -gt "$before" ] || rc=1
	send_from_a -w -n 3 -s "$4" "$3/$PID" || rc=1
	recv_wait main || rc=1
	allow || rc=1
	return $rc
}

setup_pair
both_sysctl peer_timeout_s 2
both_sysctl pdc_idle_s 1
tst "packets to a denied address do not leave, IPv4" may_not_send "$B4" "$B6"
tst "packets to a denied address do not leave, IPv6" may_not_send "$B6" "$B4"
for size in 100 100k; do
	tst "$size bytes from a denied address are refused, IPv4" \
		may_not_receive "$B4" "$A4" "$B6" $size
	tst "$size bytes from a denied address are refused, IPv6" \
		may_not_receive "$B6" "$A6" "$B4" $size
done
finish
