# SPDX-License-Identifier: GPL-2.0
# Shared by the test of the packages on the host and its part in a bare guest, where
# there is no tree: KTAP lines, and what a system is like.
# shellcheck shell=bash disable=SC2154

number=0
failed=0

# tst NAME COMMAND...: what it printed is shown if it fails
tst()
{
	local rc name=$1 t0=$SECONDS

	shift
	number=$((number + 1))
	(set -e; "$@") >"$log" 2>&1 </dev/null
	rc=$?
	if [ $rc = 0 ]; then
		echo "ok $number $name"
	else
		failed=$((failed + 1))
		tail -n 40 "$log" | sed 's/^/# /'
		echo "not ok $number $name"
	fi
	echo "# $((SECONDS - t0)) s"
	return $rc
}

# need NAME COMMAND...: without this no other case makes sense
need()
{
	tst "$@" || finish
}

finish()
{
	echo "1..$number"
	[ "$failed" = 0 ]
	exit
}

# Not compared: what only tells of the past, as logs and the books of dpkg, and the key
# that DKMS makes for a machine once
past=(! -path './var/lib/dkms/mok.*' ! -path './var/lib/dpkg/status*'
	! -path './var/lib/dpkg/*-old' ! -path './var/lib/dpkg/lock*'
	! -path './var/lib/dpkg/triggers/*')

# files_of ROOT: each file of a system, with its owner, mode and size
files_of()
{
	(cd "$1" && find . -xdev \( -path ./var/log -o -path ./var/cache \
		-o -path ./var/lib/apt -o -path ./proc -o -path ./sys -o -path ./dev \
		-o -path ./run -o -path ./tmp -o -path ./var/tmp \) -prune \
		-o "${past[@]}" \( -type d -printf '%y %m %U:%G %p\n' \
			-o -printf '%y %m %U:%G %s %p %l\n' \) | sort)
}

# What the running kernel and its users are like: no file of a package tells of it
system_of()
{
	cut -d' ' -f1 /proc/modules | sort
	getent passwd
	getent group
	# Settings, not what the kernel counts or draws by lot
	sysctl -aN 2>/dev/null | sort
	ls /proc/net /sys/module /sys/class/misc
	awk '{ print $1 }' /proc/net/protocols | sort
	ip -o link
}
