#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What programs expect of any datagram socket, on one host that talks to itself:
# sendmmsg() and recvmmsg(), io_uring, epoll, descriptors that are shared, the options of
# level SOL_SOCKET.
#
#   unix.sh [PROGRAM...]
#
# check: uml-debug,6.1,6.12 400 -
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

MANUAL=$TREE/Documentation/networking/uet.rst
HEADER=/usr/include/asm-generic/socket.h
TRACING=/sys/kernel/tracing

# The rows of the table in the manual: option, outcome of setting and getting it
rows()
{
	awk '/^SO_[A-Z_]* +(yes|E[A-Z]*|-) +(yes|E[A-Z]*|-)( |$)/ {
		print $1, $2, $3 }' "$MANUAL"
}

# What the manual says is refused the kernel takes before 6.12 without asking
options_as_documented()
{
	on "$A" uet_opts -t >"$WORK/options" || return 1
	rows >"$WORK/rows"
	case $(uname -r) in
	6.1.*)
		sed -i 's/ ENOPROTOOPT / * /; s/^\(SO_ZEROCOPY\) yes /\1 * /
			/SO_P[A-Z]*PIDFD/d; /DEVMEM/d' "$WORK/rows"
		awk 'NR == FNR { set[$1] = $2; next }
			!($1 in set) { next }
			set[$1] == "*" { $2 = "*" }
			1' "$WORK/rows" "$WORK/options" >"$WORK/now"
		;;
	7.*)	sed -Ei 's/^(SO_PASS[A-Z]+|SO_TXREHASH) .*/\1 ENOPROTOOPT EOPNOTSUPP/' \
			"$WORK/rows"
		cp "$WORK/options" "$WORK/now" ;;
	*)	cp "$WORK/options" "$WORK/now" ;;
	esac
	diff "$WORK/rows" "$WORK/now"
}

# All options that the C library knows are in the table
options_complete()
{
	rows | cut -d' ' -f1 | sort -u >"$WORK/documented"
	# Those of SO_SECURITY_* no kernel has.
	sed -n 's/^#define \(SO_[A-Z_]*\)[ \t][ \t]*[0-9].*/\1/p' "$HEADER" |
		grep -v SO_SECURITY | sed 's/_OLD$//; s/_NEW$//' | sort -u |
		comm -23 - "$WORK/documented" >"$WORK/missing"
	[ ! -s "$WORK/missing" ] || fail "not in uet.rst: $(cat "$WORK/missing")"
}

busy_ready()
{
	grep -qs ready "$WORK/busy"
}

busy_ended()
{
	grep -qs napi "$WORK/busy"
}

# The receiver itself runs the poll function of its device: five packets at most in
# each run, as it asked for
busy_poll()
{
	[ -e $TRACING/events/napi/napi_poll/enable ] ||
		skip "no tracepoints of NAPI"
	command -v ethtool >/dev/null || skip "no ethtool"
	# veth has NAPI with GRO, and uses it for what TSO has not merged.
	on "$B" ethtool -K uet0 gro on && on "$A" ethtool -K uet0 tso off ||
		skip "no NAPI in this veth"
	echo 1 >$TRACING/events/napi/napi_poll/enable
	on "$B" uet_opts -p $PID >"$WORK/busy" 2>&1 &
	wait_for 10 busy_ready || fail "$(cat "$WORK/busy")"
	# As long as it does not know the device there is nothing to poll
	send_from_a -n 50 -s 1000 -w "$B4/$PID" || return 1
	wait_for 20 busy_ended || fail "it does not end"
	echo 0 >$TRACING/events/napi/napi_poll/enable
	cat "$WORK/busy"
	grep uet_opts $TRACING/trace | tail -n 3
	grep -q "napi [1-9][0-9]* received 50" "$WORK/busy" || return 1
	grep "uet_opts.*budget 5$" $TRACING/trace >/dev/null ||
		fail "nobody polled"
}

setup_pair
for program in "${@:-uet_mmsg uet_opts uet_unix uet_uring}"; do
	for p in $program; do
		part "$p" $A4
		lean || part "$p" $A6
	done
done
tst "options of SOL_SOCKET as documented" options_as_documented
tst "all options are documented" options_complete
tst "SO_BUSY_POLL polls" busy_poll
echo >$TRACING/trace
finish
