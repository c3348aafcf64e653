#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The programs in the manuals: they are compiled as they stand there, and do what
# the text says.
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

README=$TREE/README.md
MANUAL=$TREE/Documentation/networking/uet.rst

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
	[ "$(sed 1,2d "$WORK/hello.c" | grep -c .)" -le 20 ] ||
		fail "that is no short program"
	build hello || return 1
	on "$B" "$WORK/hello" >"$WORK/heard" &
	local hello=$!
	wait_for 10 served || fail "it does not wait"
	on "$A" "$WORK/hello" ::ffff:$B4 'hello, fabric' || fail "it does not send"
	wait $hello || fail "it does not receive"
	[ "$(cat "$WORK/heard")" = 'hello, fabric' ]
}

# The worked example: a server and a client that share a function
worked_example()
{
	awk '/^Worked example/ { on = 1 } !on { next }
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
	sed -n '/^| package/,/^$/p' "$README" |
		sed -nE 's/^\| `([^`]+)` \| (.*) \|$/\1 \2/p' |
		diff "$WORK/deps" -
}

setup_pair
tst "README.md: the dependencies are those of tools/deps" dependencies
tst "README.md: the first program" first_program
tst "uet.rst: the worked example" worked_example
finish
