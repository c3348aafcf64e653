#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# net.uet.*: the manual and the module agree, each namespace has its own values,
# and who has no right to change them cannot.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

MANUAL=$TREE/Documentation/networking/uet-sysctl.rst

per_namespace()
{
	set_sysctl "$A" t_reroute 99
	[ "$(on "$B" cat /proc/sys/net/uet/t_reroute)" = 10 ]
}

unprivileged()
{
	on "$A" setpriv --reuid 65534 --regid 65534 --clear-groups \
		sh -c 'echo 1 >/proc/sys/net/uet/t_reroute' && return 1
	on "$A" cat /proc/sys/net/uet/t_reroute
	[ "$(on "$A" cat /proc/sys/net/uet/t_reroute)" != 1 ]
}

# The owner of a user namespace cannot take more PDCs than the machine gives
limited_owner()
{
	local limit

	limit=$(on "$A" cat /proc/sys/net/uet/pdc_max)
	unshare --user --map-root-user --net sh -c "
		ip link set lo up
		echo $limit >/proc/sys/net/uet/pdc_max || exit 1
		! echo $((limit + 1)) >/proc/sys/net/uet/pdc_max"
}

setup_pair
tst "names, defaults and limits are those of the manual" \
	on "$A" "$SELFTESTS/sysctl.py" "$MANUAL"
tst "each namespace has its own" per_namespace
tst "changes need privilege" unprivileged
tst "an owner of a user namespace has the limits of the machine" limited_owner
finish
