#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Rules hand packets to a program (NFQUEUE), as systems that look for intruders have
# them. They come back in process context, wherever on their way they were taken.
#
# check: uml-debug 300 turn2
# check: 6.1,6.12 300 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# rules HOST HOOK PRIORITY
rules()
{
	on "$1" nft -f - <<-END
		table inet handed {
			chain looks {
				type filter hook $2 priority $3
				udp dport 4793 queue num 7
			}
		}
	END
}

no_rules()
{
	on "$1" nft delete table inet handed
}

listens()
{
	[ -s "$WORK/seen" ]
}

# program HOST [whole]
program()
{
	: >"$WORK/seen"
	on "$1" /usr/bin/python3 "$SELFTESTS/peers/nfqueue.py" 7 "$WORK/seen" "${@:2}" 2>"$WORK/program" &
	wait_for 20 listens && return
	cat "$WORK/program"
	fail "the program does not listen"
}

# handed HOST HOOK PRIORITY [whole]: messages by way of the program
handed()
{
	local rc=0

	rules "$1" "$2" "$3" || return 1
	program "$1" "${@:4}" || return 1
	transfer "$B4" "-n 20" "-n 20 -s 0,100,5000,300k" || rc=1
	transfer "$B6" "-n 20" "-n 20 -s 0,100,5000,300k" || rc=1
	no_rules "$1"
	kill $!
	wait $! 2>/dev/null
	echo "$(cat "$WORK/seen") packets"
	[ "$(cat "$WORK/seen")" -ge 40 ] || rc=1
	return $rc
}

# Both hosts, and between all of this packets that no rule sees
at_both()
{
	local rc=0

	rules "$A" input filter && rules "$B" input filter || return 1
	program "$A" whole && program "$B" whole || return 1
	transfer "$B4" "-n 40" "-n 40 -s 100,70k" &
	sleep 0.3
	no_rules "$A"
	wait $! || rc=1
	no_rules "$B"
	return $rc
}

# The program dies with packets in its queue, and another one takes its place.
dies()
{
	local rc=0 i

	rules "$B" input filter || return 1
	recv_start main -n 200
	send_from_a -w -n 200 -s 100,20k "$B4/$PID" &
	for i in 1 2 3 4; do
		program "$B"
		sleep 0.2
		kill -9 $!
	done
	no_rules "$B"
	recv_wait main || rc=1
	return $rc
}

# The namespace goes with packets in the queue.
goes()
{
	local p

	rules "$B" input filter || return 1
	program "$B"
	recv_start main -I
	send_from_a -n 1000 -s 20k "$B4/$PID" &
	sleep 0.3
	p="$(ip netns pids "$A") $(ip netns pids "$B")"
	ip netns del "$B"
	for p in $p; do
		kill -9 "$p"
	done
	teardown_pair
	setup_pair
	transfer "$B4" "-n 3" "-n 3"
}

command -v nft >/dev/null || skip "no nft"
setup_pair
rules "$A" output filter 2>/dev/null || skip "no rules for queues in this kernel"
no_rules "$A"
tst "received packets" handed "$B" input filter
tst "received packets, several in a buffer" handed "$B" input filter whole
tst "received packets, before routing" handed "$B" prerouting raw whole
tst "answers" handed "$A" input filter whole
tst "sent packets" handed "$A" output filter whole
tst "sent packets, behind routing" handed "$A" postrouting filter
tst "at both ends" at_both
tst "the program dies" dies
tst "the namespace goes" goes
finish
