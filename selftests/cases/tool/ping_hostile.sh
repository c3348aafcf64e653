#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Probes of "uet ping" and those who mean harm: forged answers, thousands of probes,
# sockets, namespaces and the module that go away meanwhile, no memory.
#
# check: uml-debug 400 alone,turn3
# check: 6.1,6.12 600 full,alone
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

UET=$TREE/build/uet/uet

ping()
{
	on "$A" "$UET" ping "$@" timeout $((SLOW)) >"$WORK/ping" 2>&1
	local rc=$?

	cat "$WORK/ping"
	return $rc
}

py()
{
	on "$A" /usr/bin/python3 "$SELFTESTS/py/ping_many.py" "$@"
}

listen()
{
	recv_start main -n 1000000 -I -A
}

# Host B is silent, whatever it gets
mute()
{
	on "$B" nft -f - <<-END
		table inet f {
			chain in {
				type filter hook prerouting priority -500;
				udp dport 4793 drop
			}
		}
	END
}

# forged WHAT: answers to probes that are wrong are none
forged()
{
	mute
	rm -f "$WORK/forge"
	on "$B" ping_forge.py "$1" >"$WORK/forge" &
	wait_for 60 grep -q ready "$WORK/forge" || return 1
	ping $B4 count 3 interval 0.05
	[ $? = "$2" ] || fail "it believed it, or not the right one"
	[ "$2" = 0 ] || grep "3 sent, 0 answered" "$WORK/ping" || return 1
	# An ACK is right for a process, from who has seen the question
	[ "$1" = right ] || [ "$1" = code ] || ! ping $B4 pid 100 count 1
}

# An ICMP error that quotes another packet is none, the right one is
forged_icmp()
{
	mute
	ip -n "$A" neigh replace 10.0.0.50 lladdr \
		"$(on "$B" cat /sys/class/net/uet0/address)" dev uet0
	rm -f "$WORK/forge"
	on "$B" icmp_refuse.py 10.0.0.50 forged >"$WORK/forge" &
	wait_for 60 grep -q ready "$WORK/forge" || return 1
	ping 10.0.0.50 count 2 interval 0.05 && return 1
	grep "seq=1 .*nothing came back" "$WORK/ping" || return 1
	kill $!
	rm -f "$WORK/forge"
	on "$B" icmp_refuse.py 10.0.0.50 >"$WORK/forge" &
	wait_for 60 grep -q ready "$WORK/forge" || return 1
	ping 10.0.0.50 count 2 interval 0.05 && return 1
	grep "seq=1 .*the port is closed" "$WORK/ping"
}

# Asked in vain while a probe is under way, the namespaces go
netns_goes()
{
	local n

	mute
	for n in 1 2 3; do
		rm -f "$WORK/many"
		on "$A" /usr/bin/python3 "$SELFTESTS/py/ping_many.py" \
			under_way $B4 >"$WORK/many" &
		wait_for 60 grep -q ready "$WORK/many" || return 1
		teardown_pair
		wait $!
		setup_pair
		fix_neighbours
		mute
	done
}

# The module goes with probes under way: nobody holds it but for a request
module_goes()
{
	local mods=()

	# shellcheck disable=SC1091
	[ -r /run/vm/settings ] && . /run/vm/settings
	rm -f "$WORK/many"
	on "$A" /usr/bin/python3 "$SELFTESTS/py/ping_many.py" under_way $B4 \
		>"$WORK/many" &
	wait_for 60 grep -q ready "$WORK/many" || return 1
	rmmod uet || fail "the module is in use"
	kill -9 $!
	insmod "${mods[0]:-$TREE/net/uet/uet.ko}" || fail "insmod"
	ping $B4 count 1 timeout 0.1 && fail "host B is mute"
	return 0
}

# Allocations of a probe fail, now and then all of them
no_memory()
{
	local n dir=/sys/kernel/debug/failslab

	[ -d $dir ] || skip "this kernel has no failslab"
	listen
	echo 1 >$dir/interval
	echo 0 >$dir/verbose
	echo 1 >$dir/task-filter
	echo N >$dir/ignore-gfp-wait
	echo 1000000 >$dir/times
	echo 15 >$dir/probability
	for n in $(seq "$(scaled 100)"); do
		# shellcheck disable=SC2016
		on "$A" sh -c 'echo 1 >/proc/self/make-it-fail; exec "$@"' sh \
			"$UET" ping $B4 pid $((100 + n % 2)) count 2 interval 0.01 \
			timeout 0.1
	done >/dev/null 2>&1
	echo 0 >$dir/probability
	echo N >$dir/task-filter
	n=$((1000000 - $(cat $dir/times)))
	echo "$n faults"
	[ "$n" -ge 10 ] || fail "few allocations failed"
	ping $B4 count 1 && ping $B4 pid 100 count 1
}

setup_pair
fix_neighbours
tst "an answer made by hand is believed" forged right 0
for what in psn id source code flood; do
	tst "forged answers: $what" forged $what 1
done
tst "forged ICMP errors" forged_icmp
on "$B" nft flush ruleset
listen
tst "the kernel's own client" py client $B4
listen
tst "sockets that do not listen" py deaf $B4
mute
tst "as many as there may be" py many $B4
tst "the share of a user" py share $B4
tst "users leave probes to the administrator" py crowd $B4
tst "namespaces go meanwhile" netns_goes
on "$B" nft flush ruleset
tst "no memory" no_memory
mute
tst "the module goes meanwhile" module_goes
finish
