#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The manuals, as somebody follows them who has nothing else: programs are compiled
# as they stand there and do what the text says, commands are carried out where
# that is cheap, and what is named is there.
#
# check: uml-debug 240 -
# check: 6.12 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

README=$TREE/README.md
GUIDE=$TREE/CONTRIBUTING.md
MANUALS=$TREE/Documentation/networking
MANUAL=$MANUALS/uet.rst

build()
{
	gcc -Wall -Werror -I"$TREE/include/uapi" -o "$WORK/$1" "$WORK/$1.c"
}

served()
{
	on "$B" grep -q " 100 " /proc/net/uet ||
		on "$B" grep -q " 064 " /proc/net/uet
}

# The first program: README.md has it whole, and it is in the tree
first_program()
{
	sed -n '/^```c$/,/^```$/p' "$README" | sed '1d;$d' >"$WORK/hello.c"
	diff "$WORK/hello.c" "$TREE/tools/demo/hello.c" || return 1
	# Without the remarks above it
	[ "$(sed 1,2d "$WORK/hello.c" | grep -c .)" -le 38 ] ||
		fail "that is no short program"
	build hello || return 1
	on "$B" "$WORK/hello" >"$WORK/heard" &
	local hello=$!
	wait_for 10 served || fail "it does not wait"
	on "$A" "$WORK/hello" ::ffff:$B4 'hello, fabric' || fail "it does not send"
	wait $hello || fail "it does not receive"
	[ "$(cat "$WORK/heard")" = 'hello, fabric' ] || return 1
	# What goes wrong is said
	on "$A" "$WORK/hello" 10.0.0.2 text 2>&1 | grep "no IPv6" || return 1
	! on "$A" "$WORK/hello" fd77::1 text 2>"$WORK/said" || return 1
	grep unreachable "$WORK/said" || return 1
	# ... also what goes wrong after the system call: nobody listens any more
	! on "$A" "$WORK/hello" ::ffff:$B4 again 2>"$WORK/said" || return 1
	grep refused "$WORK/said" || return 1
	! on "$A" "$WORK/hello" ::ffff:$B4 2>"$WORK/said" || return 1
	grep usage "$WORK/said"
}

# The worked example: a server and a client that share a function
worked_example()
{
	awk '/^Worked example/ { on = 1; next } !on { next }
		n && /^=+$/ { exit }
		/::$/ { n++; next }
		/^    / { print substr($0, 5) >file n ".c"; next }
		/^$/ { print "" >file n ".c" }' file="$WORK/part" "$MANUAL"
	cp "$WORK/part1.c" "$WORK/server.c"
	# All but main() of the server goes with the client
	{
		sed '/^int main/,$d' "$WORK/part1.c"
		cat "$WORK/part2.c"
	} >"$WORK/client.c"
	build server && build client || return 1
	on "$B" "$WORK/server" &
	wait_for 10 served || fail "the server does not wait"
	[ "$(on "$A" "$WORK/client")" = hello ]
}

# The packages, and what they are for
dependencies()
{
	"$TREE/tools/deps" --list | sed "s/ - / /" >"$WORK/deps"
	[ -s "$WORK/deps" ] || fail "tools/deps lists nothing"
	sed -n '/^package  *why$/,/^$/p' "$MANUALS/uet-testing.rst" |
		sed -nE '1d; s/^([a-z0-9][^ ]*) +(.*)$/\1 \2/p' |
		diff "$WORK/deps" -
}

# manual NAME: its literal blocks, without their margin
literal()
{
	awk '/::$/ { on = 1; next } /^[^ ]/ { on = 0 } on' "$MANUALS/$1" |
		sed -E 's/^ +//'
}

# The ruleset loads where the kernel has what it asks for
firewall()
{
	command -v nft >/dev/null || skip "no nft"
	on "$A" nft 'table inet probe { chain input { type filter hook input priority 0;
		ct state established accept; }; }' || skip "no connection tracking"
	awk '/^    table inet/ { on = 1 } /^[^ ]/ { on = 0 } on' "$MANUAL" \
		>"$WORK/rules"
	on "$A" nft -f "$WORK/rules" || return 1
	on "$A" nft list table inet filter >"$WORK/loaded" || return 1
	on "$A" nft delete table inet filter
	on "$A" nft delete table inet probe
	grep "dport 4793" "$WORK/loaded"
}

# What the manuals write to files of the module, and read from them. Namespaces
# entered by ip(8) do not see tracefs.
commands()
{
	local c n=0

	literal uet.rst >"$WORK/uet"
	literal uet-sysctl.rst >"$WORK/sysctl"
	grep -hE '^(sysctl -w|echo .* >|cat /)' "$WORK/uet" "$WORK/sysctl" \
		>"$WORK/commands"
	while read -r c; do
		echo "$c"
		case $c in
		*trace_pipe)	timeout 1 sh -c "$c"; [ $? = 124 ] ;;
		*/tracing/*)	sh -c "$c" ;;
		*)		on "$A" sh -c "$c" ;;
		esac >"$WORK/said" 2>&1 || { cat "$WORK/said"; return 1; }
		n=$((n + 1))
	done <"$WORK/commands"
	echo 0 >/sys/kernel/tracing/events/uet/enable
	echo "$n commands"
	[ "$n" -ge 3 ]
}

# Targets of make, without doing what they stand for. Those for the running kernel
# want its headers, which not every machine has.
make_targets()
{
	local c n=0

	for c in "$MANUALS"/uet-testing.rst "$MANUALS"/uet-lab.rst; do
		literal "${c##*/}"
	done >"$WORK/blocks"
	sed -nE 's/^    (make .*)/\1/p' "$README" "$GUIDE" >>"$WORK/blocks"
	grep '^make ' "$WORK/blocks" | sed -E 's/  +.*//' |
		grep -vE '^make$|KVER|modules_install' | sort -u >"$WORK/targets"
	while read -r c; do
		(cd "$TREE" && eval "make -n ${c#make}") >"$WORK/said" 2>&1 ||
			{ cat "$WORK/said"; fail "$c"; }
		n=$((n + 1))
	done <"$WORK/targets"
	echo "$n targets"
	[ "$n" -ge 12 ]
}

# Files that are named are there; a name may be the beginning of several
files_named()
{
	local f missing=0

	cat "$README" "$GUIDE" "$MANUALS"/*.rst |
		grep -oE '(^|[^A-Za-z0-9_/.-])(tools|selftests|net|include)/[A-Za-z0-9_./-]*[A-Za-z0-9_]' |
		sed -E 's/^[^A-Za-z]//' | grep -v NAME_ | sort -u >"$WORK/files"
	while read -r f; do
		# Built by the reader
		[ "$f" != net/uet/uet.ko ] || continue
		[ -e "$TREE/$f" ] || compgen -G "$TREE/$f.*" >/dev/null ||
			{ echo "no $f"; missing=1; }
	done <"$WORK/files"
	[ -s "$WORK/files" ] && [ $missing = 0 ]
}

# Each manual is in the index, each script and each option in uet-testing.rst
all_are_told()
{
	local f bad=0

	for f in "$MANUALS"/*.rst; do
		f=$(basename "$f" .rst)
		[ "$f" = index ] || grep -qx "   $f" "$MANUALS/index.rst" ||
			{ echo "index.rst lacks $f"; bad=1; }
	done
	for f in "$SELFTESTS"/cases/*/*.sh; do
		f=${f##*/}
		grep -q "\`\`$f\`\`" "$MANUALS/uet-testing.rst" ||
			{ echo "uet-testing.rst lacks $f"; bad=1; }
	done
	for f in $("$TREE/tools/vm/run" --help | grep -oE '^  --[a-z-]+' | sort -u); do
		[ "$f" = --help ] || grep -qE -- "\`\`--(\[no-\])?${f#--}" "$MANUALS/uet-testing.rst" ||
			{ echo "uet-testing.rst lacks $f"; bad=1; }
	done
	[ $bad = 0 ]
}

# Commands of uet-testing.rst that take no time
small_tools()
{
	"$TREE/tools/check/run" --list | grep selftests-6.12 || return 1
	"$TREE/tools/lab/lab" list 2>/dev/null | grep overview || return 1
	"$TREE/tools/fabric/fabric.py" up --loss 2:0.01 >"$WORK/fabric" 2>&1 &&
		"$TREE/tools/fabric/fabric.py" stat >>"$WORK/fabric" 2>&1 ||
		{ cat "$WORK/fabric"; return 1; }
	"$TREE/tools/fabric/fabric.py" down
}

setup_pair
tst "uet-testing.rst: the packages are those of tools/deps" dependencies
tst "README.md: the first program" first_program
tst "uet.rst: the worked example" worked_example
tst "uet.rst: the firewall" firewall
tst "commands that set and read" commands
# No kernel makes a difference to these, and an emulated one is slow
case ${UET_KERNEL:-} in
uml*)
	tst "targets of make" make_targets
	tst "files that are named" files_named
	tst "manuals, scripts and options are told of" all_are_told
	tst "tools that list and build" small_tools
	;;
esac
finish
