#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Messages of all sizes, both socket types, IPv4 and IPv6, several MTUs.
#
# check: uml-debug,6.1 400 -
# check: 6.12,uml-smp 400 full
# Two CPUs of another machine: packets go between them, whatever their order
# check: arm64 400 lean
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# Around the ends of packets, of pages and of the inline copy
sizes=0,1,2,23,24,25,511,512,513,1023,1024,1025,4095,4096,4097,8191,8192,8193
sizes+=,65535,65536,65537,1m,3000001

rxmsg_slabs()
{
	echo 1 >/sys/kernel/slab/uet_rxmsg/shrink
	cut -d' ' -f1 /sys/kernel/slab/uet_rxmsg/slabs
}

no_rxmsg()
{
	[ "$(rxmsg_slabs)" = 0 ]
}

# What was read is kept for the message that comes next, and goes with its
# socket; that is looked at in the end, for all of them
spare_message()
{
	local kept

	case ${UET_KERNEL:-} in
	*debug)	echo "freed at once, so that KASAN sees who uses it still"
		return 4 ;;
	esac
	[ -e /sys/kernel/slab/uet_rxmsg/shrink ] || {
		echo "no statistics of slabs"
		return 4
	}
	# A link: before SLAB_NO_MERGE came, objects of one size share their slabs
	[ ! -L /sys/kernel/slab/uet_rxmsg ] || {
		echo "this kernel merges caches"
		return 4
	}
	# Sockets of tests before this one may be closing
	wait_for 10 no_rxmsg || fail "messages of others are left"
	recv_start main -x 100 -n 2
	send_from_a -w -n 1 -s 100 "$B4/$PID" || return 1
	# Until it was read, which nobody reports
	sleep "$SLOW"
	kept=$(rxmsg_slabs)
	send_from_a -w -n 1 -s 100 -i 1 "$B4/$PID" || return 1
	recv_wait main || return 1
	echo "slabs: $kept"
	[ "$kept" = 1 ]
}

addrs="$B4 $B6"
mtus="1500 9000"
if lean; then
	sizes=0,1,24,25,4096,8193,65537,1m
	addrs=$B4
	mtus=1500
fi
# Every size once, and at random
n_sizes=$(tr ',' '\n' <<<"$sizes" | wc -l)

setup_pair

tst "a message that was read is there for the next" spare_message
for type in rdm seq; do
	order=
	[ $type = seq ] && order=-o
	for addr in $addrs; do
		tst "$type $addr: one message" \
			transfer $addr "-t $type -n 1" "-t $type -n 1 -s 100"
		tst "$type $addr: every size" \
			transfer $addr "-t $type -n $((2 * n_sizes)) $order" \
			"-t $type -n $((2 * n_sizes)) -s $sizes"
		n=$(scaled 2000)
		tst "$type $addr: $n small ones" \
			transfer $addr "-t $type -n $n $order" \
			"-t $type -n $n -s 0-3000"
		n=$(scaled 200)
		tst "$type $addr: connected, random sizes" \
			transfer $addr "-t $type -n $n $order" \
			"-t $type -n $n -s 24-200000 -c"
	done
	n=$(scaled 500)
	tst "$type: non-blocking sender, edge-triggered receiver" \
		transfer $B4 "-t $type -n $n $order -E" \
		"-t $type -n $n -s 24-60000 -a"
	# The buffer is twice what is asked for; the first piece may be all of it
	tst "$type: a little longer than the sender's buffer" \
		transfer $B4 "-t $type -n 10 $order -T 20" \
		"-t $type -n 10 -s 8193,20000,32768,32769,65537 -b 4096 -T 20"
	n=$(scaled 60)
	tst "$type: reads of 1000 bytes" \
		transfer $B4 "-t $type -n $n $order -z 1000" \
		"-t $type -n $n -s 24-100000"
done

n=$(scaled 100)
for mtu in $mtus; do
	ip -n "$A" link set uet0 mtu $mtu
	ip -n "$B" link set uet0 mtu $mtu
	for addr in $addrs; do
		tst "MTU $mtu $addr" \
			transfer $addr "-n $n" "-n $n -s 24-300000"
	done
done

finish
