#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Congestion control by peer: the longest prefix holds, for contexts made
# afterwards, and a socket's own choice goes first.
#
# check: vtime 240 -
# check: uml-debug,6.1,6.12 240 full
. "$(dirname "$0")/../../lib.sh"

RULES=/proc/net/uet_peer
TOOL=${UET_TOOL:-$TREE/build/uet/uet}

# rule PREFIX NAME VALUE..., or rule PREFIX del
rule()
{
	if [ "${2:-}" = del ]; then
		"$TOOL" -n "$A" peer del "$1"
	else
		"$TOOL" -n "$A" peer set "$@"
	fi
}

refused()
{
	! rule "$@" 2>/dev/null || fail "accepted: $*"
}

rules()
{
	on "$A" cat $RULES
}

# ask ADDR OPTIONS...: UET_INFO of a new context to it, in $WORK/info
ask()
{
	local addr=$1
	shift

	wait_for 10 no_pdcs || fail "PDCs stay open"
	on "$A" uet_rr -n 5 "$@" "$addr" 200 >"$WORK/info" || return 1
	cat "$WORK/info"
}

no_pdcs()
{
	[ "$(stat_of "$A" CurPdcs)" = 0 ]
}

# is NAME VALUE
is()
{
	[ "$(field "$1" "$WORK/info")" = "$2" ] || fail "$1 is not $2"
}

errors()
{
	refused
	refused 10.0.0.2
	refused 10.0.0.2/33 t_reroute 1
	refused fd00::/129 t_reroute 1
	refused 10.0.0.300 t_reroute 1
	refused 10.0.0.2 nonsense 1
	refused 10.0.0.2 t_reroute
	refused 10.0.0.2 t_reroute x
	refused 10.0.0.2 congestion_threshold 101
	refused 10.0.0.2 mtu 4096
	refused 10.0.0.2 congestion_control bogus
	refused 10.0.0.2 path_policy bogus
	refused 10.0.0.2 path_policy_ordered hybrid
	refused 10.0.0.2 gamma 1
	refused 10.0.0.2 rto_min_us 1000
	refused 10.0.0.2 del
	[ -z "$(rules)" ]
}

prefixes()
{
	rule 10.0.0.0/24 congestion_control fixed nscc_max_wnd 100000 || return 1
	rule fd00::/64 path_policy ecmp || return 1
	rule 10.0.0.2 base_rtt_us 50 link_mbps 20000 || return 1
	rule 0.0.0.0/0 congestion_control rccc || return 1
	rules
	[ "$(rules | cut -d' ' -f1 | tr '\n' ' ')" = \
		"10.0.0.2/32 10.0.0.0/24 0.0.0.0/0 fd00::/64 " ]
}

longest()
{
	ask "$B4" || return 1
	is cc nscc
	is target_qdelay 50000
	# 1.5 times 20 Gb/s in 50 us, and an eighth of it, as runs wait for an ACK
	is max_wnd 210937
	rule 10.0.0.2 del
	ask "$B4" || return 1
	is cc fixed
	is cwnd 100000
	ask "$B6" || return 1
	is cc nscc
	is path_policy ecmp
}

socket_first()
{
	ask "$B4" -C nscc && is cc nscc
}

again()
{
	rule 10.0.0.0/24 congestion_control nscc+rccc || return 1
	ask "$B4" && is cc nscc+rccc || return 1
	rule 10.0.0.0/24 del
	ask "$B4" && is cc rccc || return 1
	rule 0.0.0.0/0 del
	rule fd00::/64 del
	[ -z "$(rules)" ] || fail "$(rules)"
	ask "$B4" && is cc nscc && ask "$B6" && is path_policy hybrid
}

# The largest window of the namespace holds with and without a base RTT, but not
# where the peer has one of its own.
largest_window()
{
	local rc=0

	set_sysctl "$A" nscc_max_wnd 300000
	ask "$B4" && is max_wnd 300000 &&
		rule 10.0.0.2 base_rtt_us 50 link_mbps 20000 &&
		ask "$B4" && is max_wnd 300000 &&
		rule 10.0.0.2 nscc_max_wnd 200000 &&
		ask "$B4" && is max_wnd 200000 &&
		rule 10.0.0.2 del &&
		set_sysctl "$A" nscc_max_wnd 1 &&
		ask "$B4" && is max_wnd $((2 * $(field mtu "$WORK/info"))) ||
		rc=1
	set_sysctl "$A" nscc_max_wnd 0
	return $rc
}

# Over how many entropy values packets are spread
paths()
{
	rule 10.0.0.2 entropy_size 2 &&
		ask "$B4" && is paths 2 || return 1
	ask "$B6" && [ "$(field paths "$WORK/info")" -gt 2 ] || return 1
	rule 10.0.0.2 del
	ask "$B4" && [ "$(field paths "$WORK/info")" -gt 2 ]
}

# How often the single path of ordered messages was changed while every second packet is
# marked, by the rule that holds
changes()
{
	local before

	before=$(stat_of "$A" PathMoved)
	transfer "$B4" "-t seqpacket -n 200 -o" "-t seqpacket -n 200 -s 40000" ||
		return 1
	changed=$(($(stat_of "$A" PathMoved) - before))
	echo "$changed changes"
	wait_for 10 no_pdcs || fail "PDCs stay open"
}

reroute()
{
	local changed

	impair "$A" delay 1ms loss 50% ecn || skip "no netem here"
	# Nor is it while the context is idle
	set_sysctl "$A" reroute_idle_us 8000000
	rule 10.0.0.2 t_reroute 10000 && changes || return 1
	[ "$changed" = 0 ] || fail "it was changed too early"
	rule 10.0.0.2 t_reroute 1 && changes || return 1
	rule 10.0.0.2 del
	set_sysctl "$A" reroute_idle_us 0
	impair "$A" delay 1ms
	[ "$changed" -gt 1 ] || fail "it was not changed"
}

# ids: of the contexts with host B
ids()
{
	"$TOOL" -n "$A" -j ccc show "$B4" | grep -o '"id": *[0-9]*' | sort
}

# Messages go to new contexts under load, each once and in order
# shellcheck disable=SC2086
renewed()
{
	local i before

	recv_start main -x 100 -n 3000 $1 || return 1
	send_from_a -w -n 3000 -s 10000-100000 $2 "$B4/$PID" &
	sent=$!
	wait_for 10 begun || fail "nothing is sent"
	for i in 1 2 3; do
		before=$(ids)
		"$TOOL" -n "$A" ccc renew "$B4" || return 1
		kill -0 $sent 2>/dev/null || break
		wait_for 10 others "$before" || break
	done
	wait "$sent" && recv_wait main || return 1
	[ "$i" -gt 1 ] || fail "no context was replaced under load: $before"
}

begun()
{
	[ -n "$(ids)" ]
}

others()
{
	local now

	now=$(ids)
	[ -n "$now" ] && [ "$now" != "$1" ] || ! kill -0 $sent 2>/dev/null
}

# What was left ends, whatever the idle time: it counts against limits
renewed_ends()
{
	local rc=0

	both_sysctl pdc_idle_s 3600
	transfer "$B4" "-n 5" "-n 5" && transfer "$B4" "-t seqpacket -n 5" "-t seqpacket -n 5" ||
		rc=1
	no_pdcs && fail "there is nothing to be renewed"
	"$TOOL" -n "$A" ccc renew "$B4" || rc=1
	wait_for 10 no_pdcs || rc=1
	both_sysctl pdc_idle_s 1
	return $rc
}

# Only an administrator, and only those that there are
renew_refused()
{
	wait_for 10 no_pdcs
	"$TOOL" -n "$A" ccc renew 10.0.0.77 2>&1 | grep -q "there is none" ||
		fail "there is no such context"
	"$TOOL" -n "$A" ccc renew 2>/dev/null && fail "all of them, unasked"
	on "$A" setpriv --reuid 65534 --clear-groups \
		"$TOOL" ccc renew "$B4" 2>/dev/null && fail "anybody may"
	return 0
}

# Nobody but the administrator of the namespace
privilege()
{
	on "$A" setpriv --reuid 65534 --clear-groups \
		"$TOOL" peer set 10.0.0.2 t_reroute 1 2>/dev/null && return 1
	on "$A" setpriv --bounding-set -net_admin --inh-caps -net_admin \
		"$TOOL" peer set 10.0.0.2 t_reroute 1 2>/dev/null && return 1
	[ -z "$(rules)" ]
}

# The file is for reading
read_only()
{
	[ "$(on "$A" stat -c %a $RULES)" = 444 ] || fail "not read-only"
	on "$A" bash -c "echo '10.0.0.2 t_reroute 1' >$RULES" 2>/dev/null &&
		return 1
	[ -z "$(rules)" ]
}

# Processes of a case end with it
server_first()
{
	rm -f "$WORK/server"
	on "$B" uet_rr -l 200 >"$WORK/server" &
	wait_for 10 grep -q ready "$WORK/server" || return 1
	"$@"
}

[ -x "$TOOL" ] || {
	echo "Bail out! no $TOOL: run make tools"
	exit 1
}
setup_pair
both_sysctl pdc_idle_s 1
# A shorter round trip than the parameter says would be taken instead of it
impair "$A" delay 1ms
tst "rules that are refused" errors
tst "privilege" privilege
tst "nothing is set through /proc" read_only
tst "rules, longest prefix first" prefixes
tst "the longest prefix holds" server_first longest
tst "a socket's choice goes first" server_first socket_first
tst "replaced and removed" server_first again
tst "the largest window of the namespace" server_first largest_window
tst "number of entropy values" server_first paths
tst "least time between changes of a path" reroute
tst "contexts are renewed under load" renewed "" ""
tst "... and ordered messages stay so" \
	renewed "-t seqpacket -o" "-t seqpacket"
tst "... and what was left ends" renewed_ends
tst "who renews what" renew_refused
# One is there when the namespace goes
rule 10.0.0.2 t_reroute 1
finish
