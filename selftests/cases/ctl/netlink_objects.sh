#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# FEPs, PDCs, congestion control contexts, paths and ports by generic netlink, as
# the kernel's own client sees them, while they are used, come and go.
#
#   netlink_objects.sh [huge PDCS]
#
# check: vtime 600 -
# check: 6.1,6.12 600 full
# check: [huge 100000] 6.12 900 full,alone
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

FAR=64
# What a dump of any size may take: milliseconds of the guest, kilobytes
DUMP_MS=2000
DUMP_KB=4096

py()
{
	on "$A" /usr/bin/python3 "$SELFTESTS/py/netlink_objects.py" "$@"
}

# Both ends tell the same PDCs
objects()
{
	on "$A" sysctl -qw net.uet.path_stats=1
	recv_start main -n 3
	send_from_a -k -W -n 3 -s 50000 $B4/$PID >"$WORK/info" || return 1
	cat "$WORK/info"
	recv_wait main || return 1
	PID=101 recv_start seq -t seq -n 3
	send_from_a -w -t seq -n 3 -s 50000 $B4/101 || return 1
	recv_wait seq || return 1
	PID=102 recv_start six -n 3 -J -j 7
	send_from_a -w -J -j 7 -n 3 -s 50000 $B6/102 || return 1
	recv_wait six || return 1
	py objects "$(ip -n "$A" -o link show uet0 | cut -d: -f1)" "$WORK/info" || return 1
	on "$B" /usr/bin/python3 "$SELFTESTS/py/netlink_objects.py" other_end
}

filters()
{
	py filters "$(ip -n "$A" -o link show uet0 | cut -d: -f1)"
}

# waits CAUSE ARGUMENT...: what is sent so waits for that: its context and PDC say
# so, and since when
waits()
{
	local cause=$1 looker
	shift

	rm -f "$WORK/looks"
	py waits "$cause" $SLOW "$WORK/looks" &
	looker=$!
	wait_for 60 test -e "$WORK/looks" || fail "nobody looks"
	send_from_a "$@" &
	wait $looker
}

# The reader stops: the target has no memory, and the time grows
receiver()
{
	local rc=0

	PID=110 recv_start slow -n 1000 -b 40000 -I -A
	kill -STOP "$(ip netns pids "$B" | while read -r p; do
		[ "$(cat "/proc/$p/comm")" = uet_recv ] && echo "$p"; done)"
	waits receiver -n 60 -s 20000 $B4/110 || rc=1
	return $rc
}

# Nothing comes back while so much is in flight as the window allows
window()
{
	PID=111 recv_start far -n 1000000 -I -A
	impair "$A" delay 3s
	# A timeout would make the window smaller, and the wait begin anew
	set_sysctl "$A" rto_max_ms 10000
	set_sysctl "$A" rto_min_us 2000000
	waits window -d 35 -n 1000 -s 100000 $B4/111
}

# Nothing was ever answered, all is sent
opening()
{
	PID=112 recv_start far -n 1000000 -I -A
	impair "$A" delay 3s
	waits opening -d 36 -n 1 -s 100 $B4/112
}

# The next hop does not answer
route()
{
	waits route -n 1 -s 100 10.0.0.77/112
}

# Many contexts: addresses of host B in several traffic classes
many()
{
	local i classes=$1 addrs=()

	ip -n "$B" route add local 10.2.0.0/16 dev lo 2>/dev/null
	ip -n "$A" route add 10.2.0.0/17 via $B4 src $A4 2>/dev/null
	ip -n "$A" addr add 10.0.0.11/24 dev uet0 2>/dev/null
	ip -n "$A" route add 10.2.128.0/17 via $B4 src 10.0.0.11 2>/dev/null
	for ((i = 1; i <= $2 / 2; i++)); do
		addrs+=("10.2.$((i >> 8)).$((i & 255))"
			"10.2.$((128 + (i >> 8))).$((i & 255))")
	done
	both_sysctl pdc_max 262144
	both_sysctl pdc_max_per_peer 65535
	mkfifo "$WORK/go"
	rm -f "$WORK/pdcs"
	uet_pdcs "$A" "$B" "$classes" "${addrs[@]}" <"$WORK/go" >"$WORK/pdcs" &
	exec 9>"$WORK/go"
	wait_for 600 grep -q idle "$WORK/pdcs" || fail "no contexts: $(cat "$WORK/pdcs")"
	rm "$WORK/go"
}

# Each PDC that stays is told once, although others come and go
come_and_go()
{
	local rc=0 churner

	rm -f "$WORK/enough"
	many 32 "$(scaled $FAR)" || return 1
	churn &
	churner=$!
	# Its loop is in no namespace, where the end of the case would find it
	trap 'kill $churner 2>/dev/null' EXIT
	py come_and_go $((32 * $(scaled $FAR))) || rc=1
	touch "$WORK/enough"
	wait $churner
	return $rc
}

# PDCs to hosts that nobody is: they are opened, and fail
churn()
{
	until [ -e "$WORK/enough" ]; do
		on "$A" uet_send -n 40 -s 10 -x EHOSTUNREACH \
			10.0.0.{100..139}/120 >/dev/null 2>&1
	done
}

# So many PDCs over two addresses: all of them in one dump, which takes little time
# and no more memory than a small one
huge()
{
	local n=$1 got twice ms kb

	many 50 $((n / 50)) || return 1
	read -r got twice ms kb <<<"$(on "$A" uet_dump)"
	echo "$got PDCs in $ms ms, $twice told twice, up to $kb kB less free"
	[ "$twice" = 0 ] && [ "$got" -ge "$n" ] || return 1
	[ "$ms" -lt $DUMP_MS ] || fail "longer than $DUMP_MS ms"
	[ "$kb" -lt $DUMP_KB ] || fail "more than $DUMP_KB kB"
}

# half_read: a dump begins whose reader reads no more: process $reader
half_read()
{
	rm -f "$WORK/half"
	py half_read "$WORK/half" &
	wait_for 30 test -e "$WORK/half" || fail "no dump"
	reader=$(cat "$WORK/half")
}

users()
{
	cat /sys/module/uet/refcnt
}

back_to()
{
	[ "$(users)" -le "$1" ]
}

# The module stays while somebody is in the middle of a dump, and no longer
module_held()
{
	local before reader

	many 32 "$(scaled $FAR)" || return 1
	before=$(users)
	half_read
	[ "$(users)" -gt "$before" ] || fail "nobody holds the module"
	rmmod uet 2>/dev/null && fail "removed in the middle of a dump"
	kill -9 "$reader"
	wait_for 30 back_to "$before" || fail "$before users before, $(users) after"
}

# The last who has the namespace is the reader in the middle of a dump
netns_gone()
{
	local p all reader

	many 32 "$(scaled $FAR)" || return 1
	half_read
	all=$(ip netns pids "$A")
	ip netns del "$A"
	for p in $all; do
		[ "$p" = "$reader" ] || kill -9 "$p"
	done
	kill -9 "$reader"
}

setup_pair
both_sysctl pdc_idle_s 36000
if [ "${1:-}" = huge ]; then
	V=1 tst "a dump of $2 PDCs over two addresses" huge "$2"
	finish
fi
tst "objects are what they are" objects
tst "filters" filters
tst "data waits for the next hop" route
impair "$A"
tst "data waits for the first answer" opening
impair "$A"
tst "data waits for the window" window
impair "$A"
tst "data waits for the receiver" receiver
tst "dumps while PDCs come and go" come_and_go
tst "the module stays during a dump" module_held
tst "the namespace goes during a dump" netns_gone
finish
