#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One side of a test of two guests (guests). Both sides keep in step by files
# in a folder of the host that both see.
#
#   peer.sh ROLE DIR SCENARIO      ROLE: listen or connect; connect2: as connect, started
#                                  anew
set -u

role=$1
dir=$2
scenario=$3
tree=$(cd "$(dirname "$0")/../.." && pwd)
PATH=${UET_BIN:-$tree/build/selftests}:$PATH:/usr/sbin:/sbin
UET=${UET_TOOL:-$tree/build/uet/uet}
SLOW=3

case $role in
listen)		mine=10.9.0.1 mine6=fd09::1 theirs=10.9.0.2 theirs6=fd09::2 ;;
connect*)	mine=10.9.0.2 mine6=fd09::2 theirs=10.9.0.1 theirs6=fd09::1 ;;
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

stat_of()
{
	awk -v name="$1" '$1 == name { print $2 }' /proc/net/uet_stat
}

sysctls()
{
	local s

	for s in "$@"; do
		sysctl -qw "net.uet.$s" || { log "$s is not taken"; exit 1; }
	done
}

# moved N: a sender here has sent more packets than that
moved()
{
	until [ "$(stat_of TxReqs)" -gt "$1" ]; do sleep 0.1; done
}

# --- the other machine loses its power ---------------------------------------

reboot_listen()
{
	local rc=0 sender

	await receiving
	uet_send -F -n 100000 -s 100000 -T 300 $theirs/100 >"$dir/send" 2>&1 &
	sender=$!
	moved 200
	reached moving
	wait $sender && { log "the sender heard nothing"; rc=1; }
	log "$(cat "$dir/send")"
	case "$(field errno "$dir/send")" in
	ECONNRESET | ECONNREFUSED | ETIMEDOUT) ;;
	*) log "not a documented errno"; rc=1 ;;
	esac
	await again
	uet_send -n 50 -s 0-50000 -w -T 120 $theirs/101 || rc=1
	reached done
	return $rc
}

reboot_connect()
{
	receiver -p 100 -I -A
	reached receiving
	wait $receiver
	log "it goes on"
	return 1
}

# The same address and port, and none of the contexts
reboot_connect2()
{
	receiver -p 101 -n 50 -x 300
	reached again
	wait $receiver
	local rc=$?
	log "$(cat "$dir/recv-$role")"
	await done
	return $rc
}

# --- the cable, a clock, the settings ----------------------------------------

# both STEP: of both machines, who wait for each other at its end
both()
{
	local rc=0

	step=$1
	"$step" || rc=1
	[ $rc = 0 ] || log "$step failed"
	reached "$step-$role"
	await "$step-listen"
	await "$step-connect"
	return $rc
}

# traffic N COMMAND...: messages of both to both, and a command when they move
traffic()
{
	local n=$1 rc=0 sender before
	shift

	receiver -p 100 -n "$n" -x 300 -T 300
	reached "ready-$step-$role"
	await "ready-$step-listen"
	await "ready-$step-connect"
	before=$(stat_of RxAcks)
	uet_send -n "$n" -s 100-60000 -w -T 300 $theirs/100 &
	sender=$!
	# What nobody has answered yet fails with the first neighbour that is not found.
	until [ "$(stat_of RxAcks)" -gt $((before + 3)) ]; do sleep 0.05; done
	"$@" || rc=1
	wait $sender || rc=1
	wait $receiver || rc=1
	log "$(cat "$dir/recv-$role")"
	return $rc
}

# Nothing is lost while there is no carrier for 10 s, less than peer_timeout_s
cable()
{
	traffic 400 unplugged
}

unplugged()
{
	reached "moves-$role"
	await moves-listen
	await moves-connect
	reached pull
	await plugged
	log "$(stat_of PdcFailed) contexts failed"
	[ "$(stat_of PdcFailed)" = 0 ]
}

# The clock of one machine goes back and forth by days. Nothing counts by it.
clock()
{
	traffic 400 jump
}

jump()
{
	local retx

	[ $role = listen ] || return 0
	retx=$(stat_of RetxRto)
	date -s "+3 days" >/dev/null && sleep 1 && date -s "-6 days" >/dev/null &&
		sleep 1 && date -s "+3 days" >/dev/null || return 1
	retx=$(($(stat_of RetxRto) - retx))
	log "$retx retransmissions by timeout"
	# Slow machines have some; timeouts that took a day for gone would have no end
	[ $retx -lt 200 ]
}

# Packets of other sizes, forms and windows: each takes what comes
unlike()
{
	case $role in
	listen)	sysctls payload_mtu=512 mpr=1 data_protect=1 ack_gen_trigger=4096 \
			entropy_size=16
		# A setting is for peers of whom nothing is known yet
		"$UET" peer set $theirs encap ip || return 1 ;;
	*)	sysctls mpr=16 ack_per_packet=1 path_policy=single \
			congestion_control=rccc ;;
	esac
	traffic 100 true || return 1
	log "$(stat_of RxNative) packets directly over IP, $(stat_of RxTrailers) with a CRC"
	[ "$(stat_of RxNative)" -gt 0 ] && [ "$(stat_of RxTrailers)" -gt 0 ]
}

# What does not fit together shows in the counters of who notices.
misfit()
{
	local rc=0

	[ $role = listen ] || sysctls data_protect=0
	receiver -p 102 -I -A
	reached "ready-$step-$role"
	await "ready-$step-listen"
	await "ready-$step-connect"
	if [ $role = connect ]; then
		uet_send -n 1 -s 100 -w -T 4 $theirs/102 && rc=1
		reached misfit-sent
	else
		await misfit-sent
		log "$(stat_of DropCrc) packets without a CRC"
		[ "$(stat_of DropCrc)" -gt 0 ] || rc=1
	fi
	kill $receiver
	wait $receiver
	return $rc
}

trouble()
{
	local rc=0 step

	for step in cable clock unlike misfit; do
		both $step || rc=1
	done
	return $rc
}

# --- libfabric ---------------------------------------------------

fabric_prepare()
{
	export FI_PROVIDER_PATH=/tmp/fabric FI_PROVIDER=uet FI_UET_ADDR=$mine

	mkdir -p $FI_PROVIDER_PATH
	cp "$tree/build/lib/libuet-fi.so" $FI_PROVIDER_PATH
}

listens()
{
	[ -n "$(ss -Hltn "sport = :$1")" ]
}

# The data is checked at both ends
pingpong()
{
	local program=(fi_pingpong -p uet -e rdm -m tagged -c -I 10)

	if [ $role = connect ]; then
		await pings
		"${program[@]}" $theirs
		return
	fi
	"${program[@]}" &
	until listens 47592; do sleep 0.1; done
	reached pings
	wait $!
}

# Cases whose roles are on two hosts
suite()
{
	local waiting rc fi_suite=$tree/build/libfabric/fi_suite

	if [ $role = listen ]; then
		await suite
		"$fi_suite" -s $mine -d $theirs -o $theirs -c 5 -t $((20 * SLOW)) \
			msg tagged long 2>"$dir/suite-errors"
		rc=$?
		reached suite-end
		return $rc
	fi
	"$fi_suite" -w -s $theirs -d $mine -c 5 -t $((20 * SLOW)) 2>/dev/null &
	waiting=$!
	until listens 47600; do sleep 0.1; done
	reached suite
	await suite-end
	kill $waiting
}

# Open MPI: mpirun on one host, its daemon on the other one, told to by a file instead of
# by ssh. Nobody answers questions about names here.
MPI_NOBODY=65534

mpi_prepare()
{
	local side=host-a

	[ $role = listen ] || side=host-b
	hostname $side
	echo 127.0.0.1 localhost >/tmp/hosts
	: >/tmp/resolv.conf
	mount --bind /tmp/hosts /etc/hosts
	mount --bind /tmp/resolv.conf /etc/resolv.conf
	mkdir -p /tmp/mpi
	cp "$tree/build/libfabric/uet_mpi" /tmp/mpi
	cat >/tmp/mpi/agent <<-END
		#!/bin/bash
		shift
		echo "\$*" >$dir/mpi-line-new
		mv $dir/mpi-line-new $dir/mpi-line
		until [ -e $dir/mpi-line-ended ]; do sleep 0.2; done
	END
	chmod 755 /tmp/mpi /tmp/mpi/agent /tmp/fabric
	chown $MPI_NOBODY:$MPI_NOBODY /tmp/mpi
	export HOME=/tmp/mpi TMPDIR=/tmp/mpi FI_LOG_LEVEL=none
}

mpi_ranks()
{
	local rc

	command -v mpirun >/dev/null && [ -x "$tree/build/libfabric/uet_mpi" ] || {
		log "no Open MPI (tools/deps), or no uet_mpi (make -C tools/libfabric/tests)"
		return 1
	}
	mpi_prepare
	reached "mpi-$role"
	if [ $role = connect ]; then
		await mpi-line
		(cd /tmp/mpi && setpriv --reuid $MPI_NOBODY --regid $MPI_NOBODY --clear-groups \
			bash -c "$(<"$dir/mpi-line")") >"$dir/mpi-daemon" 2>&1
		reached mpi-line-ended
		await mpi-end
		return
	fi
	await mpi-connect
	(cd /tmp/mpi && timeout $((200 * SLOW)) mpirun --allow-run-as-root \
		--host host-a:2,host-b:2 -np 4 \
		--mca plm rsh --mca plm_rsh_agent /tmp/mpi/agent \
		--mca oob_tcp_if_include $mine/24 --mca btl self \
		--mca mpi_yield_when_idle 1 \
		--mca pml cm --mca mtl ofi --mca mtl_ofi_provider_include uet \
		--mca orte_base_help_aggregate 0 --mca hwloc_base_binding_policy none \
		/tmp/mpi/uet_mpi) >"$dir/mpi" 2>&1
	rc=$?
	reached mpi-end
	log "mpirun ended with $rc: $(tail -n 5 "$dir/mpi")"
	[ $rc = 0 ] && grep -qx "4 ranks, 0 errors" "$dir/mpi"
}

fabric()
{
	local rc=0 step

	fabric_prepare || return 1
	for step in pingpong suite mpi_ranks; do both $step || rc=1; done
	return $rc
}

network
reached "up-$role"
await up-listen
await up-connect
case $scenario in
talk)	talk ;;
reload | reboot) "${scenario}_$role" ;;
trouble) trouble ;;
fabric) fabric ;;
esac
rc=$?
reached "end-${role%2}"
await end-listen
await end-connect
exit $rc
