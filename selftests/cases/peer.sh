#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One side of a test of two guests (guests). Both sides keep in step by files
# in a folder of the host that both see.
#
#   peer.sh ROLE DIR SCENARIO      ROLE: listen or connect
set -u

role=$1
dir=$2
scenario=$3
tree=$(cd "$(dirname "$0")/../.." && pwd)
PATH=${UET_BIN:-$tree/build/selftests}:$PATH:/usr/sbin:/sbin
SLOW=3

case $role in
listen)		mine=10.9.0.1 mine6=fd09::1 theirs=10.9.0.2 theirs6=fd09::2 ;;
connect)	mine=10.9.0.2 mine6=fd09::2 theirs=10.9.0.1 theirs6=fd09::1 ;;
esac

log()
{
	echo "# $role: $*"
}

# await NAME: until the other side has come that far
await()
{
	local end=$((SECONDS + 600))

	until [ -e "$dir/$1" ]; do
		[ $SECONDS -lt $end ] || { log "gave up waiting for $1"; exit 1; }
		sleep 0.2
	done
}

reached()
{
	touch "$dir/$1"
}

network()
{
	local dev

	for dev in $(ip -o link show type ether 2>/dev/null |
			cut -d: -f2) $(ls /sys/class/net); do
		[ -e "/sys/class/net/$dev/device" ] && break
	done
	log "device $dev, kernel $(uname -r)"
	ip link set "$dev" mtu "${MTU:-1500}" up
	ip addr add $mine/24 dev "$dev"
	ip addr add $mine6/64 dev "$dev" nodad
}

receiver()
{
	rm -f "$dir/bound-$role"
	uet_recv -T $((40 * SLOW)) -R "$dir/bound-$role" "$@" \
		>"$dir/recv-$role" 2>&1 &
	receiver=$!
	await "bound-$role"
}

field()
{
	sed -n "s/.*\"$1\": \"\\{0,1\\}\\([^,\"}]*\\).*/\\1/p" "$2" | tail -n 1
}

# Everybody sends to everybody, IPv4 and IPv6, both socket types
talk()
{
	local rc=0 type

	for type in rdm seq; do
		receiver -t $type -n 80 -x 300 -p 100
		reached "ready-$type-$role"
		await "ready-$type-listen"
		await "ready-$type-connect"
		uet_send -t $type -i 1 -n 40 -s 0-60000 -w -T 120 \
			$theirs/100 || rc=1
		uet_send -t $type -i 2 -n 40 -s 0-60000 -w -T 120 \
			$theirs6/100 || rc=1
		wait $receiver || rc=1
		log "$(cat "$dir/recv-$role")"
	done
	return $rc
}

# The listener's module goes and comes back while it receives
reload_listen()
{
	local mods=()

	. /run/vm/settings
	receiver -p 100 -I -A
	reached receiving
	await moving
	kill -9 $receiver
	wait $receiver 2>/dev/null
	until rmmod uet; do sleep 0.1; done
	insmod "${mods[0]}" || return 1
	log "module reloaded"
	receiver -p 101 -n 50 -x 300
	reached reloaded
	wait $receiver
	local rc=$?
	log "$(cat "$dir/recv-$role")"
	await done
	return $rc
}

reload_connect()
{
	local rc=0 sender

	await receiving
	uet_send -F -n 100000 -s 100000 -T 120 $theirs/100 >"$dir/send" 2>&1 &
	sender=$!
	until awk '$1 == "TxReqs" && $2 > 200 { f = 1 } END { exit !f }' \
		/proc/net/uet_stat; do sleep 0.1; done
	reached moving
	wait $sender && { log "the sender heard nothing"; rc=1; }
	log "$(cat "$dir/send")"
	case "$(field errno "$dir/send")" in
	ECONNRESET | ECONNREFUSED) ;;
	*) log "not a documented errno"; rc=1 ;;
	esac
	await reloaded
	# What is refused as often as it was sent moves, up to twice
	sysctl -qw net.uet.rto_min_us=4000000
	uet_send -n 50 -s 0-50000 -w -T 120 $theirs/101 || rc=1
	reached done
	return $rc
}

network
reached "up-$role"
await up-listen
await up-connect
case $scenario in
talk)	talk ;;
reload)	"reload_$role" ;;
esac
rc=$?
reached "end-$role"
await end-listen
await end-connect
exit $rc
