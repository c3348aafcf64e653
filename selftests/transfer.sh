#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Messages of all sizes, both socket types, IPv4 and IPv6, several MTUs.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

# Around the ends of packets, of pages and of the inline copy
sizes=0,1,2,23,24,25,511,512,513,1023,1024,1025,4095,4096,4097,8191,8192,8193
sizes+=,65535,65536,65537,1m,3000001

setup_pair

for type in rdm seq; do
	order=
	[ $type = seq ] && order=-o
	for addr in $B4 $B6; do
		tst "$type $addr: one message" \
			transfer $addr "-t $type -n 1" "-t $type -n 1 -s 100"
		tst "$type $addr: every size" \
			transfer $addr "-t $type -n 46 $order" \
			"-t $type -n 46 -s $sizes"
		tst "$type $addr: 2000 small ones" \
			transfer $addr "-t $type -n 2000 $order" \
			"-t $type -n 2000 -s 0-3000"
		tst "$type $addr: connected, random sizes" \
			transfer $addr "-t $type -n 200 $order" \
			"-t $type -n 200 -s 24-200000 -c"
	done
	tst "$type: non-blocking sender, edge-triggered receiver" \
		transfer $B4 "-t $type -n 500 $order -E" \
		"-t $type -n 500 -s 24-60000 -a"
	tst "$type: reads of 1000 bytes" \
		transfer $B4 "-t $type -n 60 $order -z 1000" \
		"-t $type -n 60 -s 24-100000"
done

for mtu in 1500 9000; do
	ip -n "$A" link set uet0 mtu $mtu
	ip -n "$B" link set uet0 mtu $mtu
	for addr in $B4 $B6; do
		tst "MTU $mtu $addr" \
			transfer $addr "-n 100" "-n 100 -s 24-300000"
	done
done

finish
