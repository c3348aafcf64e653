# SPDX-License-Identifier: GPL-2.0
# Shared by the test scripts: two hosts in network namespaces, transfers with
# checked content, counters, KTAP lines, and the check that nothing is left.
# shellcheck shell=bash
#
# A script sources this file, calls setup_pair, then tst for each case, then
# finish. Everything a case prints is shown as a KTAP comment if it fails.

SELFTESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TREE=$(dirname "$SELFTESTS")
BIN=${UET_BIN:-$TREE/build/selftests}
WORK=$(mktemp -d /tmp/uet-test.XXXXXX)
# C programs, peers and the programs in Python are called by their names
PATH=$BIN:$SELFTESTS/peers:$SELFTESTS/py:$PATH:/usr/sbin:/sbin
# Where the programs of py/ import from
export PYTHONPATH=$SELFTESTS/peers

A=uet-a-$$
B=uet-b-$$
A4=10.0.0.1
B4=10.0.0.2
A6=fd00::1
B6=fd00::2
# Receiving endpoint of all transfers
PID=100

# Emulation and debugging make a guest slow; waits are multiplied by this
case ${UET_KERNEL:-} in
arm64)				SLOW=8 ;;
6.1 | 6.12)			SLOW=3 ;;
uml-debug | uml-gcov | uml-smp)	SLOW=3 ;;
*)				SLOW=1 ;;
esac
# The machine that runs the guest may be that much slower than usual for a while:
# what is waited for comes the later, and a wait ends when it has
BUSY=4
# Share of the usual number of messages, in per cent: a race shows in what runs
# at the same time, not in how much of it there is
case ${UET_KERNEL:-} in
arm64)				SCALE=${UET_SCALE:-10} ;;
*)				SCALE=${UET_SCALE:-100} ;;
esac

# 1 where time is virtual: then the speed of the machine is not in any figure
VIRTUAL=$(grep -c time-travel /proc/cmdline)

tests=0
failures=0

# --- KTAP -----------------------------------------------------------------

echo "KTAP version 1"
[ -x "$BIN/uet_send" ] || {
	echo "Bail out! no programs in $BIN: run make -C selftests"
	exit 1
}

comment()
{
	sed 's/^/# /'
}

# tst NAME COMMAND...: one case; 4 = skipped, the last line says why. What it
# printed is shown if it fails, or with V=1.
tst()
{
	local name=$1 t0=$SECONDS
	shift

	# Not in an if: errors inside must not be hidden from the function
	(set +e; "$@") >"$WORK/log" 2>&1
	result "$name" $? $((SECONDS - t0))
	clean_processes
}

# result NAME STATUS SECONDS: of a case, which printed $WORK/log
result()
{
	local name=$1 rc=$2

	tests=$((tests + 1))
	case $rc in
	0)	echo "ok $tests $name"
		[ -z "${V:-}" ] || comment <"$WORK/log" ;;
	4)	echo "ok $tests $name # SKIP $(tail -n 1 "$WORK/log")" ;;
	*)	failures=$((failures + 1))
		echo "not ok $tests $name"
		tail -n 60 "$WORK/log" | comment
		echo "# status $rc after $3 s" ;;
	esac
}

# part PROGRAM ADDR: a program on host A that brings its own cases: they become
# cases here
part()
{
	local line text
	local out=$WORK/part

	on "$A" "$BIN/$1" "$2" >"$out" 2>&1
	echo "# $1 $2: status $?"
	while read -r line; do
		text=${line#not }
		text=${text#ok }
		text="$1 $2: ${text#* }"
		case $line in
		ok\ *)		tests=$((tests + 1))
				echo "ok $tests $text" ;;
		not\ ok\ *)	tests=$((tests + 1))
				failures=$((failures + 1))
				echo "not ok $tests $text" ;;
		1..*)		ended=1 ;;
		KTAP*)		;;
		*)		echo "# $line" ;;
		esac
	done <"$out"
	tst "$1 $2 ran to its end" test -n "$ended"
	ended=
}

judged()
{
	echo "$1"
	[ -z "$1" ]
}

# raw_cases PROGRAM ARGUMENTS...: a peer of raw packets on host A, which prints
# a line per case: name, tab, what went wrong or nothing
raw_cases()
{
	local name wrong t0=$SECONDS program=$1
	shift

	# At once: if the guest's time is over, those before the last are known.
	while IFS=$'\t' read -r name wrong; do
		judged "$wrong" >"$WORK/log"
		result "$name" $? $((SECONDS - t0))
		t0=$SECONDS
	done < <(on "$A" "$program" "$@" 2>"$WORK/errors"; echo $? >"$WORK/rc")
	comment <"$WORK/errors"
	tst "all cases ran" [ "$(<"$WORK/rc")" = 0 ]
}

skip()
{
	echo "$*"
	exit 4
}

# scaled N: the number of messages, rounds or packets to take where N is usual
scaled()
{
	local n=$(($1 * SCALE / 100))

	echo $((n > 0 ? n : 1))
}

# lean: whether one case of a kind has to do
lean()
{
	[ "$SCALE" -lt 50 ]
}

fail()
{
	echo "FAIL: $*"
	exit 1
}

finish()
{
	teardown_pair
	tst "nothing is left behind" no_remains
	echo "1..$tests"
	[ "$failures" -eq 0 ]
	exit
}

# --- hosts ----------------------------------------------------------------

# setup_pair [MTU]: two hosts and a link
setup_pair()
{
	local mtu=${1:-4224}

	ip -batch - <<-END
		netns add $A
		netns add $B
		link add uet0 mtu $mtu netns $A type veth peer name uet0 mtu $mtu netns $B
	END
	setup_host "$A" "$A4" "$A6"
	setup_host "$B" "$B4" "$B6"
}

setup_host()
{
	ip -n "$1" -batch - <<-END
		addr add $2/24 dev uet0
		addr add $3/64 dev uet0 nodad
		link set lo up
		link set uet0 up
	END
}

# setup_links: two hosts and two links. The address of a host is on neither, it is
# reached over both.
setup_links()
{
	local i

	for i in "$A" "$B"; do
		ip netns add "$i"
		# Addresses are of use at once
		on "$i" sysctl -qw net.ipv6.conf.default.accept_dad=0 \
			net.ipv6.conf.default.keep_addr_on_down=1
	done
	for i in 0 1; do
		ip link add p$i mtu 4224 netns "$A" type veth peer name p$i \
			mtu 4224 netns "$B"
	done
	links_of "$A" 1 2 "$A4" "$B4" "$A6" "$B6"
	links_of "$B" 2 1 "$B4" "$A4" "$B6" "$A6"
	# Many addresses that are all host B
	ip -n "$B" route add local 10.2.0.0/16 dev lo
	ip -n "$A" route add 10.2.0.0/16 src "$A4" nexthop via 10.1.0.2 dev p0 \
		nexthop via 10.1.1.2 dev p1
}

# links_of NETNS OWN OTHER ADDR4 PEER4 ADDR6 PEER6
links_of()
{
	ip -n "$1" -batch - <<-END
		link set lo up
		addr add $4/32 dev lo
		addr add $6/128 dev lo nodad
		addr add 10.1.0.$2/24 dev p0
		addr add 10.1.1.$2/24 dev p1
		addr add fd01::$2/64 dev p0 nodad
		addr add fd02::$2/64 dev p1 nodad
		link set p0 up
		link set p1 up
		route add $5 src $4 nexthop via 10.1.0.$3 dev p0 nexthop via 10.1.1.$3 dev p1
		route add $7/128 src $6 nexthop via fd01::$3 dev p0 nexthop via fd02::$3 dev p1
	END
}

# setup_spines: four links between two routers; the source port says which one
SPINES=4

setup_spines()
{
	local i hops=""

	R=uet-r-$$ S=uet-s-$$
	for i in "$A" "$R" "$S"; do
		ip netns add "$i"
		ip -n "$i" link set lo up
	done
	ip link add uet0 mtu 4224 netns "$A" type veth peer name host mtu 4224 \
		netns "$R"
	for i in $(seq $SPINES); do
		ip link add s$i mtu 4224 netns "$R" type veth peer name s$i \
			mtu 4224 netns "$S"
		ip -n "$R" addr add 10.3.$i.1/24 dev s$i
		ip -n "$S" addr add 10.3.$i.2/24 dev s$i
		ip -n "$R" link set s$i up
		ip -n "$S" link set s$i up
		hops="$hops nexthop via 10.3.$i.2 dev s$i"
	done
	setup_leaf "$A" "$R" 10.0.1 10.0.2.0/24 "$hops"
	setup_far_host
}

# setup_far_host: host B of setup_spines, which may be deleted and set up anew
setup_far_host()
{
	local i hops=""

	ip netns add "$B"
	ip -n "$B" link set lo up
	ip link add uet0 mtu 4224 netns "$B" type veth peer name host mtu 4224 \
		netns "$S"
	for i in $(seq $SPINES); do
		hops="$hops nexthop via 10.3.$i.1 dev s$i"
	done
	setup_leaf "$B" "$S" 10.0.2 10.0.1.0/24 "$hops"
}

# setup_leaf HOST LEAF NET OTHER-NET NEXTHOPS
# shellcheck disable=SC2086
setup_leaf()
{
	ip -n "$1" addr add $3.1/24 dev uet0
	ip -n "$2" addr add $3.254/24 dev host
	ip -n "$1" link set uet0 up
	ip -n "$2" link set host up
	ip -n "$1" route add default via $3.254
	on "$2" sysctl -qw net.ipv4.ip_forward=1 \
		net.ipv4.fib_multipath_hash_policy=1
	ip -n "$2" route add $4 $5
}

# setup_router: host B behind a router, R, at FAR4 and FAR6. Host A has no address but the
# link-local one.
R=uet-r-$$
FAR4=10.4.2.2
FAR6=fd04::2:2

setup_router()
{
	local n

	for n in "$A" "$R" "$B"; do
		ip netns add "$n"
		ip -n "$n" link set lo up
	done
	ip link add uet0 mtu 4224 netns "$A" type veth peer name ra mtu 4224 netns "$R"
	ip link add uet0 mtu 4224 netns "$B" type veth peer name rb mtu 4224 netns "$R"
	on "$R" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
	ip -n "$R" -batch - <<-END
		link set ra up
		link set rb up
		addr add 10.4.1.254/24 dev ra
		addr add 10.4.2.254/24 dev rb
		addr add fd04::1:fe/112 dev ra nodad
		addr add fd04::2:fe/112 dev rb nodad
	END
	ip -n "$B" -batch - <<-END
		link set uet0 up
		addr add $FAR4/24 dev uet0
		addr add $FAR6/112 dev uet0 nodad
		route add default via 10.4.2.254
	END
	ip -n "$B" -6 route add default via fd04::2:fe
	ip -n "$A" link set uet0 up
}

# join_router: addresses of host A, and the way to host B
join_router()
{
	ip -n "$A" -batch - <<-END
		addr add 10.4.1.1/24 dev uet0
		addr add fd04::1:1/112 dev uet0 nodad
		route add default via 10.4.1.254
	END
	ip -n "$A" -6 route add default via fd04::1:fe
	# Linux 7.3 takes up to seconds to find it
	ip -n "$A" neigh replace fd04::1:fe dev uet0 nud permanent \
		lladdr "$(on "$R" cat /sys/class/net/ra/address)"
}

# behind_router COMMAND...: with host B behind a router
behind_router()
{
	local rc

	teardown_pair
	(setup_router && join_router && set_sysctl "$A" peer_timeout_s 600 && "$@")
	rc=$?
	teardown_pair
	ip netns del "$R"
	setup_pair
	return $rc
}

# fix_neighbours: the hosts know each other for good. An ARP or ND packet that
# is corrupted teaches a wrong address, and nothing arrives until it is forgotten.
fix_neighbours()
{
	fix_neighbour "$A" "$B" "$B4" "$B6"
	fix_neighbour "$B" "$A" "$A4" "$A6"
}

# fix_neighbour NETNS OTHER ADDR...: the addresses of the other host
fix_neighbour()
{
	local addr mac netns=$1

	mac=$(on "$2" cat /sys/class/net/uet0/address)
	shift 2
	for addr in "$@"; do
		ip -n "$netns" neigh replace "$addr" lladdr "$mac" dev uet0
	done
}

teardown_pair()
{
	clean_processes
	ip netns del "$A" 2>/dev/null
	ip netns del "$B" 2>/dev/null
	return 0
}

teardown_spines()
{
	teardown_pair
	ip netns del "$R"
	ip netns del "$S"
}

on()
{
	local netns=$1
	shift

	ip netns exec "$netns" "$@"
}

# set_sysctl NETNS NAME VALUE, NAME without net.uet.
set_sysctl()
{
	on "$1" sysctl -qw "net.uet.$2=$3"
}

both_sysctl()
{
	set_sysctl "$A" "$1" "$2" && set_sysctl "$B" "$1" "$2"
}

# stat NETNS NAME: a counter of /proc/net/uet_stat
stat_of()
{
	on "$1" awk -v name="$2" '$1 == name { print $2; found = 1 }
		END { exit !found }' /proc/net/uet_stat
}

# arrived N: messages at host B, at least N
arrived()
{
	[ "$(stat_of "$B" MsgReceived)" -ge "$1" ]
}

# impair NETNS netem-words...: on the way out of a host; no words: none
impair()
{
	local netns=$1
	shift

	tc -n "$netns" qdisc del dev uet0 root 2>/dev/null
	[ $# -eq 0 ] || tc -n "$netns" qdisc add dev uet0 root netem \
		limit 10000 "$@"
}

# know_neighbour ADDR: host A knows it for good, and nothing waits for its discovery
know_neighbour()
{
	ip -n "$A" neigh replace "$1" dev uet0 nud permanent \
		lladdr "$(on "$B" cat /sys/class/net/uet0/address)"
}

# leave_waiting ADDR: packets wait at host A whose socket has closed
leave_waiting()
{
	know_neighbour "$1"
	impair "$A" delay 100s
	recv_start main -I
	send_from_a -n 10 -s 10k "$1/$PID" || return 1
	wait_for 10 waiting 3 || fail "nothing waits"
}

# leave_pinned_waiting ADDR: the same with pages of the sender (MSG_ZEROCOPY)
leave_pinned_waiting()
{
	know_neighbour "$1"
	impair "$A" delay 100s
	recv_start main -I
	on "$A" uet_zerocopy "$1/$PID" 100 60000 >/dev/null 2>&1 &
	wait_for 10 waiting 3 || fail "nothing waits"
	clean_processes
	wait
}

# sender_goes COMMAND...: the namespace of host A goes while that sends to host B
sender_goes()
{
	recv_start main -I -A
	on "$A" "$@" >/dev/null 2>&1 &
	wait_for 20 moves || fail "no traffic"
	clean_processes
	ip netns del "$A"
	wait_for 60 host_gone || fail "the namespace stays"
}

moves()
{
	[ "$(stat_of "$B" RxReqs)" -gt 20 ]
}

# The device of host A, and with it that of host B, goes with the last process and
# message of its namespace.
host_gone()
{
	! ip -n "$B" link show dev uet0 >/dev/null 2>&1
}

# backlog [NETNS DEVICE]: bytes that wait at host A or there
backlog()
{
	tc -n "${1:-$A}" -j -s qdisc show dev "${2:-uet0}" |
		sed -n 's/.*"backlog":\([0-9]*\).*/\1/p'
}

# waiting N [NETNS DEVICE]: at least N KB wait
waiting()
{
	local n=$1

	shift
	[ "$(backlog "$@")" -ge "${n}000" ]
}

# --- processes ------------------------------------------------------------

clean_processes()
{
	local p

	# A case ran in a subshell: its children are found by their namespaces
	for p in $(ip netns pids "$A" 2>/dev/null) \
		 $(ip netns pids "$B" 2>/dev/null); do
		kill -9 "$p" 2>/dev/null
	done
}

# wait_for SECONDS COMMAND...: until it succeeds
wait_for()
{
	local end=$((SECONDS + $1 * SLOW * BUSY))
	shift

	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		nap 0.1
	done
}

# nap SECONDS: without a process for that
exec {napping}<> <(:)
nap()
{
	read -rt "$1" -u $napping || true
}

# recv_start TAG OPTIONS...: a receiver on host B, ready when this returns
recv_start()
{
	local tag=$1
	shift

	rm -f "$WORK/ready-$tag"
	on "$B" uet_recv -T $((30 * SLOW)) -p $PID -R "$WORK/ready-$tag" "$@" \
		>"$WORK/recv-$tag" 2>&1 &
	eval "recv_pid_$tag=\$!"
	wait_for 10 started "$tag" $!
	[ -e "$WORK/ready-$tag" ] || {
		cat "$WORK/recv-$tag"
		fail "receiver did not start"
	}
}

# started TAG PID: the receiver is ready, or has failed
started()
{
	[ -e "$WORK/ready-$1" ] || ! kill -0 "$2" 2>/dev/null
}

# recv_wait TAG: its exit status; prints what it printed
recv_wait()
{
	local pid rc

	eval "pid=\$recv_pid_$1"
	wait "$pid"
	rc=$?
	echo "recv $1: $(cat "$WORK/recv-$1")"
	return $rc
}

# recv_all_sent: receivers that go on until nothing comes (-I) hear that it is
# time; what has arrived they still read
recv_all_sent()
{
	local p

	for p in $(ip netns pids "$B"); do
		[ "$(cat "/proc/$p/comm" 2>/dev/null)" != uet_recv ] ||
			kill -TERM "$p"
	done
}

send_from_a()
{
	on "$A" uet_send -T $((60 * SLOW)) "$@"
}

# field NAME FILE: a number out of the line of JSON that a program printed
field()
{
	sed -n "s/.*\"$1\": \"\\{0,1\\}\\([^,\"}]*\\).*/\\1/p" "$2" | tail -n 1
}

# transfer ADDR "RECV OPTIONS" "SEND OPTIONS": messages from A to B, all
# delivered, once, intact. Both get the number of messages by -n in each.
# shellcheck disable=SC2086
transfer()
{
	local addr=$1 rc=0

	recv_start main -x 100 $2
	send_from_a -w $3 "$addr/$PID" || rc=1
	recv_wait main || rc=1
	return $rc
}

# --- peers of other implementations --------------------------------------------

# foreign SWITCH...: a target at an address of its own, in $peer
foreign()
{
	local mac

	mac=$(on "$B" cat /sys/class/net/uet0/address)
	ip -n "$A" neigh replace "$peer" lladdr "$mac" dev uet0
	rm -f "$WORK/played"
	on "$B" foreign_peer.py "$peer" "$@" >"$WORK/played" &
	wait_for 30 grep -qs ready "$WORK/played" || fail "no foreign peer"
}

# played WORD: how often it said so
played()
{
	grep -c "^$1" "$WORK/played"
}

played_once()
{
	[ "$(played "$1")" -gt 0 ]
}

# --- remains --------------------------------------------------------------

# A cache that the kernel merged with others of its size (a link) says nothing;
# guests are booted with slab_nomerge.
slab_objects()
{
	local dir n total=0

	for dir in /sys/kernel/slab/uet*; do
		[ -e "$dir/shrink" ] && [ ! -L "$dir" ] || continue
		# Only empty slabs go, those of the CPUs too: exact afterwards
		echo 1 2>/dev/null >"$dir/shrink"
		n=$(cut -d' ' -f1 "$dir/slabs")
		if [ "$n" != 0 ]; then
			echo "$(basename "$dir"): $n slabs in use"
			total=$((total + n))
		fi
	done
	[ "$total" = 0 ]
}

# Sockets and pages charged to them, of this machine: columns 3 and 4. Every
# CPU may keep up to a megabyte of charge that is not in use.
socket_memory()
{
	awk -v spare=$((256 * $(nproc))) '
		toupper($1) ~ /^UET/ && ($3 > 0 || $4 > spare) {
			print
			bad = 1
		}
		END { exit bad }' /proc/net/protocols
}

# Packets in memory, whoever has them
packets()
{
	local dir=/sys/kernel/slab/skbuff_head_cache

	[ -e $dir ] || { echo 0; return; }
	echo 1 2>/dev/null >$dir/shrink
	cut -d' ' -f1 $dir/objects
}

# Every CPU keeps some at hand; other traffic of the kernel may hold a few
packets_gone()
{
	local now

	now=$(packets)
	echo "$now packets in memory, $PACKETS_BEFORE at the start"
	[ "$now" -le $((PACKETS_BEFORE + 64 + 64 * $(nproc))) ]
}
PACKETS_BEFORE=$(packets)

no_remains()
{
	local what

	for what in slab_objects socket_memory packets_gone; do
		wait_for 30 $what >/dev/null || { $what; return 1; }
	done
}

on_exit()
{
	local rc=$?

	teardown_pair
	rm -rf "$WORK"
	exit $rc
}
trap on_exit EXIT
trap 'exit 130' INT TERM
