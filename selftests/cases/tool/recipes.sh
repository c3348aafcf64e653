#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The recipes of uet-tracing.rst, as they stand there: each is run while messages are
# sent, some are lost and some fail, and shows what it says.
#
# check: 6.12 400 -
# check: 6.1 400 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

MANUAL=$TREE/Documentation/networking/uet-tracing.rst

# recipe NAME: its commands
recipe()
{
	awk -v name="$1" '
		$0 == ".. recipe: " name { mine = 1; next }
		/^\.\. recipe:/ { mine = 0 }
		mine && /^    / { print substr($0, 5); seen = 1; next }
		mine && seen && /^[^ ]/ { exit }' "$MANUAL"
}

# What the ten seconds of a recipe are filled with: a program in place of "sleep",
# also where a binary has to be named in full. It sends packets of contexts that
# nobody has, messages that arrive by a slow link with losses, and two that fail.
make_load()
{
	mkdir "$WORK/bin"
	cat >"$WORK/bin/sleep" <<-END
		#!/bin/bash
		[ "\$1" = 10 ] || exec /bin/sleep "\$@"
		ip netns exec $A uet_inject.py pdcids $B4 --count 64
		ip netns exec $A uet_send -w -n 10 -s 300k $B4/$PID
		ip netns exec $A uet_send -F -n 2 $B4/4000
		exit 0
	END
	chmod +x "$WORK/bin/sleep"
}

# run NAME PATTERN...: the recipe shows a line for each pattern
run()
{
	local name=$1 pattern tool
	shift

	recipe "$name" >"$WORK/recipe"
	cat "$WORK/recipe"
	tool=$(sed 's/ .*//; q' "$WORK/recipe")
	[ -n "$tool" ] || fail "the manual has no recipe $name"
	type "$tool" >/dev/null || skip "there is no $tool"
	[ -e "$WORK/works-$tool" ] || works "$tool" >"$WORK/why" 2>&1 ||
		skip "$tool does not work here: $(tail -n 1 "$WORK/why")"
	: >"$WORK/works-$tool"
	recv_start main -I -A
	sed -i "s|/bin/sleep|/bin/bash $WORK&|" "$WORK/recipe"
	(cd "$WORK" && PATH=$WORK/bin:$PATH bash -e recipe) >"$WORK/shown" 2>&1 || {
		cat "$WORK/shown"
		fail "it ends with an error"
	}
	tail -n 40 "$WORK/shown"
	for pattern in "$@"; do
		grep -qE -- "$pattern" "$WORK/shown" || fail "it does not show $pattern"
	done
}

# works TOOL: with this kernel at all
works()
{
	case $1 in
	bpftrace)
		bpftrace -e 'BEGIN { exit(); }' ;;
	perf)
		perf record -q -a -e skb:kfree_skb -o /dev/null -- true ;;
	trace-cmd)
		trace-cmd record -q -e skb:kfree_skb -o /dev/null true ;;
	esac
}

# every recipe of the manual is run here
all_run()
{
	local name missing=

	for name in $(sed -n 's/^\.\. recipe: //p' "$MANUAL"); do
		grep -q " $name " "${BASH_SOURCE[0]}" || missing="$missing $name"
	done
	[ -z "$missing" ] || fail "not run:$missing"
}

mount -t tracefs none /sys/kernel/tracing 2>/dev/null
if [ ! -d /sys/kernel/tracing/events/uet ]; then
	echo "1..0 # SKIP this kernel has no trace events"
	exit 4
fi
setup_pair
set_sysctl "$A" guard 0
impair "$A" rate 200mbit delay 1ms loss 1%
make_load
peer="::ffff:$B4"
tst "what is dropped: bpftrace" run drops-bpftrace '^@\[DropNoPdc\]: [1-9]'
tst "what is dropped: perf" run drops-perf \
	"uet:uet_drop: *::ffff:$A4 > $peer DropNoPdc type="
tst "what is dropped: trace-cmd" run drops-trace-cmd \
	"uet_drop: .*DropNoPdc" "kfree_skb: .*NO_SOCKET"
tst "what is dropped: a filter" run drops-filter "uet_drop: .*DropNoPdc"
tst "how long messages take" run messages-bpftrace "^@us\[$B4|^@us\[$peer" \
	'^\[.*\) +[1-9][0-9]* \|'
tst "messages that failed" run messages-failed \
	"uet_msg:uet_msg_done: *$peer/4000/.* error=111"
tst "round trips by path" run rtt-bpftrace \
	'^@us\[[0-9]+\]: count [1-9][0-9]*, average [1-9]'
tst "losses by path" run rtt-trace-cmd '^ *[1-9][0-9]* lost [1-9]'
tst "who waits for the window: bpftrace" run window-bpftrace \
	"^@waits\[.*$B4, 1\]: [1-9]" "^@backlog\[.*$B4\]: [1-9]"
tst "who waits for the window: perf" run window-perf \
	"uet:uet_cc_wait: *::ffff:$A4 > $peer .* backlog=[1-9].* why=window"
tst "each recipe is among them" all_run
finish
