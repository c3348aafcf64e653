#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module is loaded, with those it needs, when an ordinary process asks for the
# address family: by modprobe, which finds it by its alias.
#
# check: 6.1,6.12 400 -
# check: uml-debug 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

RELEASE=$(uname -r)
TREE_OF=/lib/modules/$RELEASE
CONF=/run/modprobe.d/uet-test.conf

can_load()
{
	[ -e /proc/sys/kernel/modprobe ] ||
		skip "this kernel asks for no modules"
	[ -x "$(cat /proc/sys/kernel/modprobe)" ] ||
		skip "no $(cat /proc/sys/kernel/modprobe) in this guest"
	[ "$(cat /proc/sys/kernel/modules_disabled)" = 0 ] ||
		skip "modules_disabled"
}

module_path()
{
	local mods=()

	# shellcheck disable=SC1091
	[ -r /run/vm/settings ] && . /run/vm/settings
	echo "${mods[0]:-$TREE/net/uet/uet.ko}"
}

# A small tree of modules in place of that of the guest: what uet.ko needs
install_module()
{
	local module name path
	module=$(module_path)

	mkdir -p "$WORK/modules/updates"
	for name in $(modinfo -F depends "$module" | tr , ' '); do
		modprobe --show-depends "$name" 2>/dev/null |
			awk '$1 == "insmod" { print $2 }'
	done | sort -u >"$WORK/needed"
	while read -r path; do
		install -D "$path" "$WORK/modules/${path#"$TREE_OF/"}"
	done <"$WORK/needed"
	for name in modules.builtin modules.builtin.modinfo modules.order; do
		[ ! -e "$TREE_OF/$name" ] || cp "$TREE_OF/$name" "$WORK/modules"
	done
	[ -d "$TREE_OF" ] || {
		# This kernel has no modules of its own.
		mkdir -p "$WORK/all/$RELEASE"
		mount --bind "$WORK/all" /lib/modules || return 1
	}
	mount --bind "$WORK/modules" "$TREE_OF" || return 1
	touch "$TREE_OF"/modules.{builtin,builtin.modinfo,order}
	cp "$module" "$TREE_OF/updates/"
	depmod "$RELEASE"
}

uninstall_module()
{
	umount "$TREE_OF" 2>/dev/null
	umount /lib/modules 2>/dev/null
	rm -f $CONF
	return 0
}

loaded()
{
	grep -q "^$1 " /proc/modules
}

not_loaded()
{
	! loaded uet
}

remove_module()
{
	local name

	not_loaded || rmmod uet 2>/dev/null || return 1
	for name in $(awk -F/ '{ sub(/\.ko.*/, "", $NF); print $NF }' \
		      "$WORK/needed"); do
		rmmod "$name" 2>/dev/null
	done
	return 0
}

# ask FAMILY [TYPE]: an ordinary process opens a socket
ask()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
		python3 -c '
import os, socket, sys
assert os.getuid() == 65534
try:
    socket.socket(int(sys.argv[1]), socket.SOCK_RDM)
    print("opened")
except OSError as e:
    print(e.strerror)' "$1"
}

asked()
{
	can_load
	install_module || fail "cannot install it"
	wait_for 30 remove_module || fail "cannot be unloaded"
	cat "$WORK/needed" "$TREE_OF/modules.alias"
	not_loaded || fail "still there"
	[ "$(ask 25)" = opened ] || fail "$(ask 25)"
	loaded uet || fail "not loaded"
	grep -o 'name=[^ ]*' <<<"$(sed 's/^/name=/' /proc/modules)"
	needed_loaded
}

needed_loaded()
{
	local name

	for name in $(modinfo -F depends "$(module_path)" | tr , ' '); do
		grep -q "/$name.ko" "$WORK/needed" || continue
		loaded "$name" || fail "$name is not loaded"
	done
}

# As modprobe.d says: another number, with an alias of its own
other_number()
{
	can_load
	wait_for 30 remove_module || fail "cannot be unloaded"
	mkdir -p /run/modprobe.d
	printf 'alias net-pf-18 uet\noptions uet family=18\n' >$CONF
	[ "$(ask 18)" = opened ] || fail "$(ask 18)"
	[ "$(cat /sys/module/uet/parameters/family)" = 18 ] ||
		fail "family $(cat /sys/module/uet/parameters/family)"
	# The alias in the module is for 25: it is loaded, but serves 18
	wait_for 30 remove_module || fail "cannot be unloaded"
	[ "$(ask 25)" = "Address family not supported by protocol" ] ||
		fail "25: $(ask 25)"
	loaded uet || fail "not loaded"
	rm $CONF
}

# The administrator does not want it.
forbidden()
{
	can_load
	wait_for 30 remove_module || fail "cannot be unloaded"
	mkdir -p /run/modprobe.d
	echo "alias net-pf-25 off" >$CONF
	[ "$(ask 25)" = "Address family not supported by protocol" ] ||
		fail "$(ask 25)"
	not_loaded || fail "loaded all the same"
	rm $CONF
	[ "$(ask 25)" = opened ] || fail "$(ask 25)"
}

# From a namespace of its user, where nobody is root of the machine
in_namespace()
{
	can_load
	wait_for 30 remove_module || fail "cannot be unloaded"
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		unshare -rn true 2>/dev/null || skip "no user namespaces here"
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		unshare -rn python3 -c '
import socket
socket.socket(25, socket.SOCK_RDM)' || fail "no socket"
	loaded uet || fail "not loaded"
}

# The guest goes on with the module that it was started with.
back()
{
	uninstall_module
	not_loaded || wait_for 30 rmmod uet || fail "cannot be unloaded"
	for m in $(modinfo -F depends "$(module_path)" | tr , ' '); do
		[ ! -d "$TREE_OF" ] || modprobe "$m" || fail "modprobe $m"
	done
	insmod "$(module_path)"
}

tst "loaded for an ordinary process" asked
tst "another number" other_number
tst "not if modprobe.d says so" forbidden
tst "loaded from a user namespace" in_namespace
tst "back to the module of the guest" back
finish
