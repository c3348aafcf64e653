#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The base RTT of a peer: a context that has much to send probes for it once,
# in the class of control packets, and what was found outlives context and
# peer. Times are judged in virtual time only (K=vtime).
#
# check: uml-debug,6.1,6.12 240 full
# check: vtime 1200 -
. "$(dirname "$0")/../../lib.sh"

# Control class (DSCP 46), a CP of type PROBE that asks for an ACK
PROBE='udp dst port 4793 and ip[1] = 0xb8 and udp[8] = 0x5b and udp[9] = 0x08'

probes()
{
	stat_of "$A" RttProbes
}

# expect NUMBER: of probes sent so far
expect()
{
	echo "$(probes) probes, expected $1"
	[ "$(probes)" = "$1" ]
}

little()
{
	transfer "$B6" "-n 3" "-n 3 -s 100" && expect 0
}

# Much data, a new context: it is seen on the wire, once, and answered
probe_seen()
{
	rm -f "$WORK/tcpdump"
	on "$A" tcpdump -n -c 1 -i uet0 -Q out -w "$WORK/pcap" "$PROBE" \
		2>"$WORK/tcpdump" &
	wait_for 10 grep -q listening "$WORK/tcpdump" || return 1
	transfer "$B4" "-n 20" "-n 20 -s 1000000 -C fixed" || return 1
	expect 1 || return 1
	wait_for 5 test -s "$WORK/pcap" || return 1
	[ "$(tcpdump -n -r "$WORK/pcap" 2>/dev/null | wc -l)" = 1 ]
}

# Another context to the same peer knows
shared()
{
	transfer "$B4" "-n 20" "-n 20 -s 1000000 -C nscc+rccc" && expect 1
}

no_pdcs()
{
	[ "$(stat_of "$A" CurPdcs)" = 0 ]
}

# All contexts and the peer itself are gone after a second of rest
remembered()
{
	wait_for 10 no_pdcs || fail "PDCs stay open"
	transfer "$B4" "-n 20" "-n 20 -s 1000000 -C fixed" && expect 1
}

# Another peer is another matter
other_peer()
{
	transfer 10.0.0.3 "-n 20" "-n 20 -s 1000000 -C fixed" && expect 2
}

# Its RTT is above the parameter: that is known then, too. The first context
# still lives when the second starts.
longer()
{
	set_sysctl "$A" link_mbps 400000 && set_sysctl "$A" base_rtt_us 1 || return 1
	both_sysctl pdc_idle_s 60
	transfer 10.0.0.4 "-n 20" "-n 20 -s 1000000 -C fixed" || return 1
	transfer 10.0.0.4 "-n 20" "-n 20 -s 1000000 -C nscc+rccc" && expect 3
}

# What was set is no knowledge of the peer
not_the_setting()
{
	set_sysctl "$A" base_rtt_us 0 || return 1
	rm -f "$WORK/server"
	on "$B" uet_rr -l 200 >"$WORK/server" &
	wait_for 10 grep -q ready "$WORK/server" || return 1
	on "$A" uet_rr -n 5 -C rccc 10.0.0.4 200 >"$WORK/info" || return 1
	cat "$WORK/info"
	[ "$(field base_rtt "$WORK/info")" -gt 1000 ]
}

# 20 MB over 100 Mb/s and 4 ms
far_away()
{
	local secs

	set_sysctl "$A" link_mbps 0
	impair "$A" rate 100mbit delay 2ms
	impair "$B" rate 100mbit delay 2ms
	transfer 10.0.0.5 "-n 20" "-n 20 -s 1000000" >"$WORK/out" || return 1
	grep '"sent"' "$WORK/out" >"$WORK/send"
	secs=$(field secs "$WORK/send")
	rm -f "$WORK/server"
	on "$B" uet_rr -l 200 >"$WORK/server" &
	wait_for 10 grep -q ready "$WORK/server" || return 1
	on "$A" uet_rr -n 5 10.0.0.5 200 >"$WORK/info" || return 1
	impair "$A"
	impair "$B"
	echo "$secs s, base RTT $(field base_rtt "$WORK/info") ns"
	[ "$(field base_rtt "$WORK/info")" -gt 4000000 ] || return 1
	[ "$VIRTUAL" = 0 ] || awk -v s="$secs" 'BEGIN { exit !(s < 2.5) }'
}

# The path of a context becomes longer while it lives: 20 us, then 500. What it
# knows then is what a context knows that starts there.
longer_path()
{
	both_sysctl pdc_idle_s 60
	both_sysctl link_mbps 10000
	set_sysctl "$A" nscc_base_rise_ms "${1:-200}"
	impair "$A" delay 10us
	impair "$B" delay 10us
	transfer 10.0.0.6 "-n 20" "-n 20 -s 1000000" || return 1
	info 10.0.0.6
	[ "$(field base_rtt "$WORK/info")" -lt 60000 ] || fail "not short at first"
	impair "$A" delay 250us
	impair "$B" delay 250us
	transfer 10.0.0.6 "-n 400" "-n 400 -s 1000000" || return 1
	info 10.0.0.6
	impair "$A"
	impair "$B"
	[ "$(stat_of "$A" BaseRttRose)" -gt 0 ] || fail "it was not noticed"
	[ "$(field base_rtt "$WORK/info")" -gt 450000 ] || return 1
	[ "$(field max_wnd "$WORK/info")" -gt 150000 ]
}

# It is short again. The port of this host always has packets of that context,
# which therefore tell less of the path than others.
short_again()
{
	impair "$A" delay 10us
	impair "$B" delay 10us
	transfer 10.0.0.6 "-n 20" "-n 20 -s 1000000" || return 1
	info 10.0.0.6
	impair "$A"
	impair "$B"
	[ "$(field pkts_sent "$WORK/info")" -gt 100000 ] ||
		fail "it is another context"
	[ "$(field base_rtt "$WORK/info")" -lt 60000 ] || return 1
	[ "$(field max_wnd "$WORK/info")" -lt 100000 ]
}

# info ADDR: what a socket is told of the contexts towards it
info()
{
	rm -f "$WORK/server"
	on "$B" uet_rr -l 200 >"$WORK/server" &
	wait_for 10 grep -q ready "$WORK/server" || return 1
	on "$A" uet_rr -n 5 "$1" 200 >"$WORK/info" || return 1
	clean_processes
	cat "$WORK/info"
}

# Longer than any timeout: 300 ms each way
very_far()
{
	local secs

	impair "$A" delay 300ms
	impair "$B" delay 300ms
	transfer 10.0.0.7 "-n 20" "-n 20 -s 60000" >"$WORK/out"
	local rc=$?
	cat "$WORK/out"
	impair "$A"
	impair "$B"
	[ $rc = 0 ] || return 1
	grep '"sent"' "$WORK/out" >"$WORK/send"
	secs=$(field secs "$WORK/send")
	awk -v s="$secs" 'BEGIN { exit !(s < 30) }'
}

setup_pair
ip -n "$B" addr add 10.0.0.6/24 dev uet0
ip -n "$B" addr add 10.0.0.7/24 dev uet0
ip -n "$B" addr add 10.0.0.3/24 dev uet0
ip -n "$B" addr add 10.0.0.4/24 dev uet0
ip -n "$B" addr add 10.0.0.5/24 dev uet0
both_sysctl pdc_idle_s 1
# In virtual time a link without delay takes none, which is no round trip
if [ "$VIRTUAL" = 0 ]; then
	tst "too little data for a probe" little
	tst "one probe of a context with much data" probe_seen
	tst "none of another context to the same peer" shared
	tst "none after the peer was forgotten" remembered
	tst "one for another address" other_peer
	tst "one for a peer farther away than the parameter says" longer
	tst "the parameter is not remembered as the peer's" not_the_setting
fi
tst "a peer farther away than the guess gets what the link carries" far_away
if [ "$VIRTUAL" = 1 ]; then
	tst "a path that becomes longer" longer_path
	tst "... and short again" short_again
	both_sysctl link_mbps 0
	both_sysctl pdc_idle_s 1
	tst "a path longer than any timeout" very_far
fi
finish
