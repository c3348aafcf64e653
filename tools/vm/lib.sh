# SPDX-License-Identifier: GPL-2.0
# Shared by the shell scripts of tools/vm: cache, locks, packages, messages.

UET_CACHE=${UET_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/uet}
UET_JOBS=${UET_JOBS:-$(nproc)}
# A home that cannot be written to is no reason to fail.
if ! mkdir -p "$UET_CACHE" 2>/dev/null || [ ! -w "$UET_CACHE" ]; then
	UET_CACHE=/var/tmp/uet-cache-$(id -u)
	mkdir -p -m 700 "$UET_CACHE"
fi

say()
{
	echo "$*" >&2
}

die()
{
	say "error: $*"
	exit 1
}

# lock_cache NAME ... unlock_cache: one at a time over all processes.  Nested
# locks are taken in the order kernel, then source.
lock_depth=0
lock_fds=()

lock_cache()
{
	local fd

	exec {fd}>"$UET_CACHE/.lock-$1"
	if ! flock -n "$fd"; then
		say "waiting for another run that prepares $1"
		flock "$fd"
	fi
	lock_fds[lock_depth]=$fd
	lock_depth=$((lock_depth + 1))
}

unlock_cache()
{
	local fd

	lock_depth=$((lock_depth - 1))
	fd=${lock_fds[lock_depth]}
	exec {fd}>&-
}

# apt_apart NAME PROGRAM ARGUMENTS...: an apt that has nothing installed, whose lists
# and packages are in the cache. What apt has here stays as it is.
apt_apart()
{
	local dir=$UET_CACHE/apt-$1 program=$2

	shift 2
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	[ -e "$dir/status" ] || : >"$dir/status"
	"$program" -q -o APT::Sandbox::User=root -o Dir::State::Lists="$dir/lists" \
		-o Dir::State::status="$dir/status" -o Dir::Cache="$dir/cache" "$@"
}

apt_arm64()
{
	apt_apart arm64 "$@" -o APT::Architecture=arm64 -o APT::Architectures=arm64
}

# Kernels newer than Debian 12 has
apt_13()
{
	local list=$UET_CACHE/apt-13/sources.list

	mkdir -p "${list%/*}"
	echo "deb http://deb.debian.org/debian trixie-backports main" >"$list"
	apt_apart 13 "$@" -o Dir::Etc::SourceList="$list" -o Dir::Etc::SourceParts=/dev/null
}

emit()
{
	printf '%s=%q\n' "$1" "$2"
}

have_package()
{
	dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null |
		grep -qx installed
}

# Installs what is missing of the named packages, giving the reason that
# tools/deps records for each.
need_packages()
{
	local p missing=()

	for p in "$@"; do
		have_package "$p" || missing+=("$p")
	done
	[ ${#missing[@]} -eq 0 ] && return
	"$(dirname "${BASH_SOURCE[0]}")/../deps" "${missing[@]}" >&2
}
