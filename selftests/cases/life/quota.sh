#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What one user holds is not what another one lacks: endpoints, contexts, those of a pair
# of addresses as well, and the memory of namespaces of one's own.
#
# check: uml-debug 400 -
# check: 6.1 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# The limits of namespaces of one's own are those of the machine's first
MACHINE_MEM=$(cat /proc/sys/net/uet/mem)

# as UID COMMAND...: without any right, on host A
as()
{
	local uid=$1
	shift

	on "$A" setpriv --reuid "$uid" --regid "$uid" --clear-groups \
		--bounding-set -all "$@"
}

says()
{
	echo "$1, wanted $2"
	[ "$1" = "$2" ]
}

# hold NAME COMMAND...: sockets that stay until clean_processes
hold()
{
	# What it reads from is in its namespace, and killed with the rest
	on "$A" sleep 1000 | "${@:2}" >"$WORK/$1.out" &
	wait_for "${TIME:-30}" [ -s "$WORK/$1.out" ]
}

endpoints()
{
	set_sysctl "$A" user_eps 50
	hold first as 65534 names.py 100 --hold
	says "$(cat "$WORK/first.out")" "50 EMFILE 0" || return 1
	# Another user has its own, and root is not limited
	says "$(as 65533 names.py 20)" "20 OK 0" || return 1
	says "$(on "$A" names.py 100)" "100 OK 0" || return 1
	# What is closed can be had again
	clean_processes
	wait_for 5 nothing_bound
	says "$(as 65534 names.py 50)" "50 OK 0"
}

nothing_bound()
{
	[ "$(on "$A" cat /proc/net/uet | wc -l)" = 1 ]
}

# All PIDonFEPs are taken: who has no wish gets a name all the same
names_are_left()
{
	local all=1000

	set_sysctl "$A" user_eps 2048
	# No more than a process may open
	set_sysctl "$A" pid_unprivileged_start $((4096 - all))
	hold every on "$A" names.py $all --hold
	says "$(cat "$WORK/every.out")" "$all OK 0" || return 1
	says "$(as 65534 names.py 100)" "100 OK 100" || return 1
	recv_start main -n 5
	as 65534 uet_send -T 30 -w -n 5 -s 10k "$B4/$PID" && recv_wait main ||
		return 1
	clean_processes
	set_sysctl "$A" pid_unprivileged_start 16
}

contexts()
{
	local before opened

	ip -n "$B" route add local 10.2.0.0/16 dev lo
	ip -n "$A" route add 10.2.0.0/16 via "$B4"
	set_sysctl "$A" user_pdcs 8
	before=$(stat_of "$A" PdcOpened)
	recv_start main -I
	as 65534 uet_send -T 10 -n 20 -s 100 -X 20 "10.2.0.1/$PID"
	opened=$(($(stat_of "$A" PdcOpened) - before))
	echo "$opened contexts opened"
	[ "$opened" -ge 1 ] && [ "$opened" -le 8 ] || return 1
	as 65533 uet_send -T 10 -w -n 1 -s 100 "10.2.1.1/$PID" || return 1
	send_from_a -w -n 20 -s 100 -X 20 "10.2.2.1/$PID"
}

# Who has all that a user may have gets another one when those are idle
idle()
{
	local opened

	recv_start main -I
	# 8 of user_pdcs as before, and as many as are left of pdc_max
	for limit in user_pdcs pdc_max; do
		opened=$(stat_of "$A" PdcOpened)
		wait_for 10 as 65534 uet_send -T 10 -w -n 1 -s 100 \
			"10.2.3.1/$PID" || return 1
		as 65534 uet_send -T 10 -n 60 -s 100 -X 60 "10.2.4.1/$PID"
		wait_for 10 as 65534 uet_send -T 10 -w -n 1 -s 100 \
			"10.2.5.1/$PID" || return 1
		echo "$limit: $(($(stat_of "$A" PdcOpened) - opened)) opened"
		set_sysctl "$A" user_pdcs 65536
		set_sysctl "$A" pdc_max 64
	done
	set_sysctl "$A" pdc_max "$MAX"
}

# Readers that sleep at a limit: messages to others share the contexts that there are
spare()
{
	local limit

	hold sink on "$B" users.py sink "$B4" 12
	for limit in user_pdcs pdc_max; do
		set_sysctl "$A" $limit $(($(stat_of "$A" CurPdcs) + 6))
		hold pairs as 65534 users.py pairs "$B4" 12
		echo "$limit: $(cat "$WORK/pairs.out")"
		! grep ENOBUFS "$WORK/pairs.out" || return 1
		set_sysctl "$A" user_pdcs 65536
		set_sysctl "$A" pdc_max "$MAX"
	done
	clean_processes
}

# reached: another user and root of host A send to B, and root of B to A
reached()
{
	recv_start other -n 3
	as 65533 uet_send -T 30 -w -n 3 -s 10k "$B4/$PID" && recv_wait other ||
		return 1
	recv_start root -n 3
	send_from_a -w -m rod -n 3 -s 10k "$B4/$PID" && recv_wait root
}

# Readers that sleep: each pair of a sender and a reader could have a context of its own
pair()
{
	local max others

	max=$(on "$A" sysctl -n net.uet.pdc_max_per_peer)
	# Those to other hosts, which cases before this one have used
	others=$(stat_of "$A" CurPdcs)
	both_sysctl pdc_max_per_peer 64
	hold sink on "$B" users.py sink "$B4" 12
	hold pairs as 65534 users.py pairs "$B4" 12
	cat "$WORK/pairs.out"
	reached || return 1
	# No more than half, and sends share what there is
	[ "$(stat_of "$A" CurPdcs)" -le $((others + 40)) ] || return 1
	! grep ENOBUFS "$WORK/pairs.out" || return 1
	clean_processes
	both_sysctl pdc_max_per_peer "$max"
}

# ... also to one who sends in many traffic classes, which are one pair at the other host
classes()
{
	local max class

	max=$(on "$A" sysctl -n net.uet.pdc_max_per_peer)
	both_sysctl pdc_max_per_peer 64
	hold sink on "$B" users.py sink "$B4" 12
	for class in 8 16 24 32; do
		hold pairs as 65534 users.py pairs "$B4" 12 $class || return 1
	done
	echo "$(stat_of "$B" CurPdcs) contexts"
	reached || return 1
	clean_processes
	both_sysctl pdc_max_per_peer "$max"
}

# Histories of paths, of which each takes a MiB
histories()
{
	local used

	sysctl -qw net.uet.mem=16777216
	used=$(on "$A" setpriv --reuid 65534 --regid 65534 --clear-groups \
		unshare --user --map-root-user --net sh -c "
		available() { awk '\$1 == \"MemAvailable:\" { print \$2 }' /proc/meminfo; }
		ip link set lo up
		cd /proc/sys/net/uet
		echo oblivious >path_policy
		echo 32768 >entropy_size
		echo 1 >path_stats
		before=\$(available)
		sleep 1000 | users.py addresses 127.1.0.1 96 >$WORK/own/history &
		while ! [ -s $WORK/own/history ] && kill -0 \$!; do sleep 0.1; done
		echo \$((before - \$(available)))
		kill \$!")
	sysctl -qw net.uet.mem="$MACHINE_MEM"
	cat "$WORK/own/history"
	echo "$used KiB"
	# Messages are sent with and without: 96 MiB before, now a quarter of 16
	[ "$(cat "$WORK/own/history")" = 96 ] && [ "$used" -lt 40000 ]
}

# In a namespace of one's own without limits, with a reader that does not read
own_namespace()
{
	local mem

	# The one before may still hold what its namespace had, which goes later
	sysctl -qw net.uet.mem=4194304
	mem=$(on "$A" setpriv --reuid 65533 --regid 65533 --clear-groups \
		unshare --user --map-root-user --net sh -c "
		ip link set lo up
		echo 4000000000 >/proc/sys/net/uet/mem
		echo 100000000 >/proc/sys/net/uet/wmem
		echo 100000000 >/proc/sys/net/uet/rmem
		uet_recv -T 20 -p $PID -I -s 20000 -R $WORK/own/ready >/dev/null 2>&1 &
		pid=\$!
		while ! [ -e $WORK/own/ready ]; do sleep 0.1; done
		timeout $((5 * SLOW)) uet_send -T 3 -n 400 -s 30000 127.0.0.1/$PID >&2
		awk '\$1 == \"CurMem\" { print \$2 }' /proc/net/uet_stat
		kill \$pid; wait \$pid 2>/dev/null")
	sysctl -qw net.uet.mem="$MACHINE_MEM"
	echo "$mem bytes"
	# Half of it, and the reserve of a quarter
	[ "$mem" -ge 1000000 ] && [ "$mem" -le 2700000 ]
}

setup_pair
MAX=$(on "$A" sysctl -n net.uet.pdc_max)
mkdir -m 777 "$WORK/own"
chmod 755 "$WORK"
tst "a user has so many endpoints, another one its own" endpoints
tst "names are left when all PIDonFEPs are taken" names_are_left
tst "a user has so many contexts" contexts
tst "contexts of a user who may have no more are closed when idle" idle
tst "a user who may have no more contexts shares those that there are" spare
tst "a user leaves contexts of a pair of addresses to others" pair
tst "... in whatever traffic classes it sends" classes
tst "histories of paths are memory of who asks for them" histories
tst "namespaces of one's own hold a part of the memory" own_namespace
finish
