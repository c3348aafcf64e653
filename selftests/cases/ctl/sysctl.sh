#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# net.uet.*: the manual and the module agree, each namespace has its own values,
# and who has no right to change them cannot.
#
# check: uml-debug 120 -
# check: 6.1,6.12 120 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

MANUAL=$TREE/Documentation/networking/uet-sysctl.rst
# Made of the table in the source
REFERENCE=$TREE/Documentation/networking/uet-settings.rst
TOOL=${UET_TOOL:-$TREE/build/uet/uet}

[ -x "$TOOL" ] || {
	echo "Bail out! no $TOOL: run make tools"
	exit 1
}

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

of_a()
{
	on "$A" cat "/proc/sys/net/uet/$1"
}

# What the table of the manual says is what is written
profile()
{
	local name value n=0

	while read -r name value; do
		n=$((n + 1))
		set_sysctl "$A" profile spec || return 1
		[ "$(of_a "$name")" = "$value" ] ||
			fail "$name is $(of_a "$name") instead of $value"
		set_sysctl "$A" profile module || return 1
		[ "$(of_a "$name")" = "$(on "$B" cat "/proc/sys/net/uet/$name")" ] ||
			fail "$name is $(of_a "$name") afterwards"
	done < <(sed '/^Profile$/,/^Path selection$/!d' "$MANUAL" |
		 sed -n 's/^\t``\([a-z_]*\)`` *\([0-9a-z]\+\) .*/\1 \2/p')
	echo "$n settings"
	[ $n -ge 27 ] || return 1
	set_sysctl "$A" t_reroute 55
	set_sysctl "$A" reroute_idle_us 55
	set_sysctl "$A" profile spec
	[ "$(of_a t_reroute)" = 10 ] || fail "t_reroute is not that of UE 1.0"
	[ "$(of_a reroute_idle_us)" = 55 ] || fail "others are changed as well"
	set_sysctl "$A" reroute_idle_us 0
	[ "$(of_a profile)" = spec ] || return 1
	set_sysctl "$A" profile module
}

setup_pair
tst "names, defaults and limits are those of the manual" \
	on "$A" sysctl.py "$MANUAL"
raw_cases settings.py "$REFERENCE" "$TOOL"
tst "each namespace has its own" per_namespace
tst "a profile sets what the manual says, and back" profile
tst "changes need privilege" unprivileged
tst "an owner of a user namespace has the limits of the machine" limited_owner
finish
