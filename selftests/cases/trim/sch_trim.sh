#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests of the trim queueing discipline. Needs root and network namespaces of
# its own to make; touches no other device. Arguments name single tests.
#
# check: uml 900 -
# Of it what other interfaces inside the kernel could break
# check: [bad_parameters bad_netlink trim_udp_ipv4 trim_behind_tags gso_is_segmented child_of_htb removal_under_traffic] 6.1 600 -
# check: uml-debug,6.1,6.12 900 full
ksft_skip=4
here=$(dirname "$(readlink -f "$0")")
: "${TC_LIB_DIR:=$here/../../../build/tc}"
export TC_LIB_DIR

skip()
{
	echo "1..0 # SKIP $1"
	exit $ksft_skip
}

[ "$(id -u)" = 0 ] || skip "needs root"
[ -e "$TC_LIB_DIR/q_trim.so" ] || skip "no q_trim.so in $TC_LIB_DIR"
if [ ! -d /sys/module/sch_trim ]; then
	modprobe -q sch_trim || insmod "$here/../../../net/sched/sch_trim.ko" ||
		skip "no sch_trim module"
fi
exec python3 -B "$here/../../py/sch_trim.py" "$@"
