#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Sockets for who has no privilege: an ordinary user in a user namespace, whose root
# makes networks of his own by the commands of the manual; and the examples of
# settings that packages have.
#
# On 6.12 with the module that DKMS made, too: "packages"
# check: uml-debug,6.1 240 -
# check: 6.12 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

# ordinary COMMAND...: as a user without any privilege
ordinary()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
		--no-new-privs "$@"
}

# rootless SCRIPT: as root of new namespaces of an ordinary user, which are joined to
# another network: that of process $peer. The folder it is in is his.
rootless()
{
	local dir=$WORK/rootless

	ordinary unshare --user --map-root-user --net true 2>/dev/null ||
		skip "no user namespaces here"
	mkdir -p "$dir"
	cp "$BIN"/uet_{send,recv} "$dir"
	{
		# shellcheck disable=SC2016
		echo 'trap "kill \$(jobs -p) 2>/dev/null" EXIT'
		"$TREE/tools/package/manual" rootless
		echo "$1"
	} >"$dir/script"
	chown -R 65534:65534 "$dir"
	chmod 711 "$WORK"
	(cd "$dir" && ordinary env PATH="$dir:$PATH" SLOW="$SLOW" \
		unshare --user --map-root-user --net bash -eux script)
}

# Both ends check the content
# shellcheck disable=SC2016
messages()
{
	rootless '
		awk "{ exit \$2 != 65534 || \$3 != 1 }" /proc/self/uid_map
		nsenter --target $peer --net \
			uet_recv -T $((30 * SLOW)) -n 50 -x 100 -R ready &
		receiver=$!
		until [ -e ready ]; do
			kill -0 $receiver
			sleep 0.1
		done
		uet_send -T $((60 * SLOW)) -w -n 50 -s 100k 10.9.0.2/100
		wait $receiver
		nsenter --target $peer --net \
			grep "^MsgReceived  *50$" /proc/net/uet_stat'
}

# What the root of a namespace sets holds there alone
# shellcheck disable=SC2016
own_settings()
{
	local before

	before=$(sysctl -n net.uet.dscp_data)
	rootless '
		sysctl -w net.uet.dscp_data=11
		[ "$(sysctl -n net.uet.dscp_data)" = 11 ]
		[ "$(nsenter --target $peer --net sysctl -n net.uet.dscp_data)" != 11 ]
		# but not what is of the whole machine
		if sysctl -w kernel.sysrq=1; then exit 1; fi' || return 1
	[ "$(sysctl -n net.uet.dscp_data)" = "$before" ]
}

# The example sets nothing as it stands. Each setting in it is taken, and so read back
example()
{
	local line file=$WORK/60-uet.conf

	! grep "^[^#]" "$TREE/tools/package/examples/sysctl.d/60-uet.conf" || return 1
	sed 's/^#net/net/' "$TREE/tools/package/examples/sysctl.d/60-uet.conf" >"$file"
	ip netns add "$A"
	on "$A" sysctl -p "$file" || fail "not taken"
	while read -r line; do
		[ "$(on "$A" sysctl "${line%% =*}")" = "$line" ] ||
			fail "$line: $(on "$A" sysctl "${line%% =*}")"
	done < <(grep '^net' "$file")
}

tst "messages between networks of an ordinary user" messages
tst "settings of such a network" own_settings
tst "example of sysctl.d" example
finish
