#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Kernel code that uses the sockets: the sample module uet_store, served from softirq by a
# work item, whose clients are programs.
#
# check: uml-debug,6.1 300 -
# check: 6.12 300 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

MODULE=$TREE/build/modules/$UET_KERNEL/samples/uet/uet_store.ko
STORE=2000
# Host A as seen by the first namespace, which has the store, and that
OUT=10.8.0.1
IN=10.8.0.2

load()
{
	insmod "$MODULE" pid=$STORE "$@"
}

loaded()
{
	[ -d /sys/module/uet_store ]
}

# What refers to the store ends soon after the last answer
unload()
{
	wait_for 20 rmmod uet_store
}

client()
{
	on "$A" uet_kstore $IN $STORE run >"$WORK/client-$1" 2>&1 &
}

serves()
{
	grep -q runs "$WORK/client-$1"
}

# The module goes while clients wait for answers, and comes back
goes()
{
	local i

	for i in 1 2 3; do client $i; done
	for i in 1 2 3; do wait_for 30 serves $i || fail "client $i does not run"; done
	unload || fail "it stays"
	# Their questions are refused, and the answer never comes
	clean_processes
	load && on "$A" uet_kstore $IN $STORE || return 1
}

# Questions of who reads no answer
unread()
{
	local before

	before=$(awk '$1 == "CurMem" { print $2 }' /proc/net/uet_stat)
	on "$A" uet_kstore $IN $STORE run >/dev/null &
	sleep 0.2
	kill -STOP $!
	on "$A" uet_kstore $IN $STORE || return 1
	kill -9 $!
	awk -v was="$before" '$1 == "CurMem" { print was, $2; exit $2 - was > 50000000 }' \
		/proc/net/uet_stat
}

twice()
{
	! load 2>/dev/null || fail "two modules"
	on "$A" uet_kstore $IN $STORE
}

in_use()
{
	uet_recv -p $STORE -I -T 60 -R "$WORK/ready-use" >/dev/null &
	wait_for 10 test -e "$WORK/ready-use"
	load 2>/dev/null && fail "the address is in use"
	kill $!
	wait $!
	load && loaded
}

# The sockets' module cannot go before the store.
held()
{
	! rmmod uet 2>/dev/null
}

[ -e "$MODULE" ] || skip "no $MODULE"
setup_pair
ip link add k0 mtu 4224 netns "$A" type veth peer name k0 mtu 4224
ip -n "$A" addr add $OUT/24 dev k0
ip -n "$A" link set k0 up
ip addr add $IN/24 dev k0
ip link set k0 up
# The first namespace stays, and with it what is idle in it
sysctl -qw net.uet.pdc_idle_s=1
tst "the address is in use" in_use
part uet_kstore $IN
tst "a second one" twice
tst "the sockets are in use" held
tst "who does not read" unread
tst "it goes, with clients, and comes back" goes
tst "it ends" unload
finish
