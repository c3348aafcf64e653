#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Conformance: scripts of packets (drill/), at least one for each rule of UE 1.0 for
# packet delivery and messages.
#
#	drill.sh [ip4|ip6] [udp|ip|udp-crc|ip-crc] [SCRIPT...]
#
# Packets and results of a form are in out/pcap and out/drill; drill/table makes the
# table of Documentation/networking/uet-conformance.rst of them.
#
# check: uml-debug 400 -
# Conformance in each form of packets
# check: [ip6 ip-crc] uml-debug 400 full
# check: [ip6 udp] uml-debug 400 full
# check: [ip4 udp-crc] uml-debug 400 full
# check: [ip6 udp-crc] uml-debug 400 full
# check: [ip4 ip] uml-debug 400 full
# check: [ip6 ip] uml-debug 400 full
# check: [ip4 ip-crc] uml-debug 400 full
# check: 6.1,6.12 400 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

export UET_FORM=udp
export PYTHONPATH=$TREE/tools/libuet/python:$PYTHONPATH
export LD_LIBRARY_PATH=$TREE/build/lib
DRILL=$SELFTESTS/drill
OUT=$TREE/out

addr=$B4
net=10.9
while [ $# -gt 0 ]; do
	case $1 in
	ip4)			addr=$B4 net=10.9 ;;
	ip6)			addr=$B6 net=fd09 ;;
	udp|ip|udp-crc|ip-crc)	UET_FORM=$1 ;;
	*)			break ;;
	esac
	shift
done
case $addr in *:*) which=ip6-$UET_FORM ;; *) which=ip4-$UET_FORM ;; esac

# What nobody has to say about is not malformed, and all of it is shown.
captures()
{
	command -v tshark >/dev/null || skip "no tshark"
	"$DRILL/pcaps" "$OUT" "$which"
}

setup_pair
# Addresses of nobody: what is sent there reaches host A, which drops it in silence
ip -n "$B" route add 10.9.0.0/16 via $A4
ip -n "$B" route add fd09::/16 via $A6
ip -n "$A" route add blackhole 10.9.0.0/16
ip -n "$A" route add blackhole fd09::/16
# A packet each, as the peer and its captures want them
on "$B" ethtool -K uet0 tx-udp-segmentation off || {
	echo "Bail out! no ethtool"
	exit 1
}
# Scripts answer late, which is no congestion: the window is not their subject
set_sysctl "$B" base_rtt_us 200000
set_sysctl "$B" target_qdelay_us 200000
set_sysctl "$B" link_mbps 10
case $UET_FORM in ip*) set_sysctl "$B" encap ip ;; esac
case $UET_FORM in *crc) set_sysctl "$B" data_protect 1 ;; esac
[ $# != 0 ] || rm -rf "${OUT:?}/pcap/$which"
raw_cases "$DRILL/run.py" $addr $net "$B" $SLOW "$OUT" $which "$@"
if [ $# = 0 ]; then
	# None of these is right, and each has to be told
	raw_cases "$DRILL/run.py" --wrong $addr $net "$B" $SLOW "$OUT" $which
	tst "captures are without malformed packets" captures
fi
finish
