#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Peers that do not know the rules of this module: with each habit that a rule is
# about, what goes wrong without the rule, and that it does not with it.
#
# check: vtime 240 -
# check: uml-debug,6.12 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

TOOL=${UET_TOOL:-$TREE/build/uet/uet}

last=100

# rule HOST SETTING VALUE...: for the peer of this case
rule()
{
	"$TOOL" -n "$1" peer set "$peer" "${@:2}"
}

# said WORD: the number behind it in what the source said last
said()
{
	sed -n "s/^$1 //p" "$WORK/source" | tail -n 1
}

source_says()
{
	grep -q "^$1" "$WORK/source"
}

# from SWITCH...: a source at the peer's address
from()
{
	local mac

	mac=$(on "$A" cat /sys/class/net/uet0/address)
	ip -n "$B" neigh replace "$peer" lladdr "$mac" dev uet0
	on "$A" foreign_source.py $B4 "$peer" $PID "$@" >"$WORK/source" ||
		fail "the source ended early"
	comment <"$WORK/source"
}

# fresh: another peer, about which nothing is known
fresh()
{
	last=$((last + 1))
	peer=10.0.0.$last
}

# Each case has some peers of its own
prof_tst()
{
	fresh
	tst "$@"
	last=$((last + 4))
}

# --- targets ------------------------------------------------------------------

# to N SWITCH...: so many short messages to a target, each after the answer to the one
# before
to()
{
	local i n=$1

	shift
	foreign "$@"
	for i in $(seq "$n"); do
		send_from_a -n 1 -s 100 -T $((20 * SLOW)) -w "$peer/$PID" || return 1
	done
	comment <"$WORK/played"
}

# A PROBE makes it forget its contexts
no_probes()
{
	local before

	to 4 hates-probes
	[ "$(played probe)" -gt 0 ] || fail "no probe without the rule"
	[ "$(played opened)" -gt 1 ] || fail "it was not disturbed without the rule"
	fresh
	before=$(stat_of "$A" Probes)
	rule "$A" probes 0
	# The tail of the third message is lost: a timeout finds out
	to 4 hates-probes lose=3 || return 1
	[ "$(played probe)" = 0 ] || fail "probed"
	[ "$(stat_of "$A" Probes)" = "$before" ] || fail "probes were counted"
	[ "$(played opened)" = 1 ] || fail "$(played opened) contexts"
	[ "$(played message)" = 4 ] || fail "$(played message) messages"
	# As soon as no rule forbids it, it is asked
	"$TOOL" -n "$A" peer del "$peer"
	send_from_a -n 1 -s 100 -T $((20 * SLOW)) "$peer/$PID"
	wait_for 10 played_once probe || fail "not asked after the rule"
}

# ACK_CC with a state of zeros: bytes received would never grow, and the window close
zero_state()
{
	local t0=$SECONDS

	foreign zero-state
	set_sysctl "$A" rto_min_us 4000000
	set_sysctl "$A" rto_max_ms 20000
	send_from_a -n 600 -s 4000 -w -k "$peer/$PID" >"$WORK/info" || return 1
	set_sysctl "$A" rto_min_us 1000
	set_sysctl "$A" rto_max_ms 200
	cat "$WORK/info"
	[ "$(played message)" = 600 ] || fail "$(played message) messages"
	[ "$(played retx)" -le 4 ] || fail "$(played retx) were sent again"
	[ $((SECONDS - t0)) -lt $((20 * SLOW)) ] || fail "it took $((SECONDS - t0)) s"
}

# A receive window of few packets, which MP_RANGE cannot state
small_window()
{
	foreign "window=$1" late=10
	send_from_a -n 30 -s 8000 -w "$peer/$PID" || return 1
	[ "$(played beyond)" -gt 0 ] || fail "none was beyond its window"
	fresh
	rule "$A" packet_window "$1"
	foreign "window=$1" late=10
	send_from_a -n 30 -s 8000 -w "$peer/$PID" || return 1
	[ "$(played beyond)" = 0 ] || fail "$(played beyond) were beyond its window"
	[ "$(played message)" = 30 ] || fail "$(played message) messages"
}

# It sees data with DSCP 0 only, and control packets with DSCP 46
strict_dscp()
{
	foreign strict-dscp
	# What is not seen leaves a gap: it could only be given up
	on "$A" uet_send -T 2 -d 10 -n 1 -s 100 -w "$peer/$PID" &&
		fail "it saw another DSCP"
	[ "$(played dscp)" -gt 0 ] || fail "no other DSCP without the rule"
	fresh
	rule "$A" strict_dscp 1
	foreign strict-dscp lose=2
	send_from_a -d 10 -n 3 -s 100 -w "$peer/$PID" || return 1
	# A traffic class for short messages is of this module, too
	set_sysctl "$A" dscp_short 20
	send_from_a -n 3 -s 100 -w "$peer/$PID" || return 1
	set_sysctl "$A" dscp_short 65
	wait_for 5 played_once probe || fail "no probe"
	comment <"$WORK/played"
	[ "$(played dscp)" = 0 ] || fail "another DSCP"
	[ "$(played message)" = 6 ] || fail "$(played message) messages"
}

# give_up SWITCH...: the sender of a message goes, nothing is heard until it is given up
give_up()
{
	set_sysctl "$A" rto_min_us 50000
	set_sysctl "$A" orphan_timeout_s 3
	foreign pedantic away=2:4500 "$@"
	send_from_a -n 1 -s 100 -w "$peer/$PID" || return 1
	send_from_a -n 1 -s 100 "$peer/$PID" &
	wait_for 5 played_once lost || fail "nothing was sent"
	kill_senders
	wait_for 8 away_over
	set_sysctl "$A" orphan_timeout_s 60
	set_sysctl "$A" rto_min_us 1000
	comment <"$WORK/played"
}

kill_senders()
{
	local p

	for p in $(ip netns pids "$A"); do
		[ "$(cat "/proc/$p/comm")" != uet_send ] || kill -9 "$p"
	done
}

away_over()
{
	played_once "message 2" || played_once changed
}

# A message was given up: a packet that it lacks has the contents that it had
same_contents()
{
	give_up || return 1
	[ "$(played changed)" -gt 0 ] || fail "not changed without the rule"
	fresh
	rule "$A" resend_as_error 0
	give_up || return 1
	unchanged
	# ... nor to one that is known not to run this module
	fresh
	give_up refuse-probes || return 1
	unchanged
}

unchanged()
{
	[ "$(played changed)" = 0 ] || fail "changed"
	[ "$(played message)" = 2 ] || fail "it did not arrive"
	[ "$(played opened)" = 1 ] || fail "another context"
}

# All of it, by a word
one_word()
{
	rule "$A" profile foreign
	"$TOOL" -n "$A" peer show "$peer"
	foreign hates-probes strict-dscp pedantic lose=7
	send_from_a -d 10 -n 100 -s 100-9000 -w "$peer/$PID" || return 1
	grep "^dscp\|^probe\|^changed" "$WORK/played" &&
		fail "something came that it does not take"
	[ "$(played message)" = 100 ] || fail "$(played message) messages"
	[ "$(played opened)" = 1 ] || fail "$(played opened) contexts"
}

# --- sources ------------------------------------------------------------------

# ack_form FORM SWITCH
ack_form()
{
	recv_start main -n 1000000 -I -A
	from count=50 for=3 "$2"
	[ "$(said answered)" = 0 ] || fail "it understood without the rule"
	fresh
	rule "$B" ack_form "$1"
	from count=50 "$2"
	[ "$(said answered)" = 50 ] || fail "it did not understand"
	[ "$(said timeouts)" = 0 ] || fail "$(said timeouts) timeouts"
}

# One packet at a time, and it does not ask for the answer
each_packet()
{
	recv_start main -n 1000000 -I -A
	from count=20 window=1 silent
	[ "$(said timeouts)" -gt 0 ] || fail "it was answered without the rule"
	fresh
	rule "$B" ack_per_packet 1
	from count=20 window=1 silent
	[ "$(said timeouts)" = 0 ] || fail "$(said timeouts) timeouts"
}

# late_reader PIDONFEP: it begins to read when its buffer has long been full
late_reader()
{
	PID=$1 recv_start "late$1" -n 1000000 -I -A -b 2097152 -s $((3000 * SLOW))
}

# It fails after five NACKs for shortage, and what is returned by NO_MATCH has failed. A
# reader that is late, and another one that is not, get its messages.
no_holds()
{
	late_reader 102
	PID=101 recv_start other -n 1000000 -I -A
	# If it is believed to hold what is NACKed
	rule "$B" holds 1
	PID=102 from also=101 count=2000 size=2000 slows fails=5
	source_says failed || [ "$(said returned)" -gt 0 ] ||
		fail "nothing failed with the rule that it holds"
	fresh
	[ $# -eq 0 ] || rule "$B" "$@"
	late_reader 103
	PID=103 from also=101 count=2000 size=2000 slows fails=5
	source_says failed && fail "it failed"
	[ "$(said answered)" = 2000 ] || fail "$(said answered) were answered"
	[ "$(said returned)" = 0 ] || fail "$(said returned) were returned"
	[ "$(said pend)" -gt 0 ] || fail "no penalty"
	[ "$(said mpr)" -lt 8 ] || fail "the window stayed open"
	source_says "moved back" && fail "the window moved back"
	return 0
}

# It has restarted, and its ids with it; it must not be probed
not_probed()
{
	recv_start main -n 1000000 -I -A
	rule "$B" probes 0
	from count=5 "$1"
	source_says probe && fail "probed"
	source_says close_req || fail "not asked"
	source_says "opened again" || fail "not opened again"
}

setup_pair
sysctl -qw net.core.rmem_max=4194304
# Peers take packets one by one
both_sysctl udp_csum 0
prof_tst "a PROBE makes it forget its contexts: probes" no_probes
prof_tst "congestion control state of zeros" zero_state
prof_tst "a receive window of one packet: packet_window" small_window 1
prof_tst "... of five" small_window 5
prof_tst "it sees the DSCPs of UE 1.0 only: strict_dscp" strict_dscp
prof_tst "a used PSN keeps its contents: resend_as_error" same_contents
prof_tst "all of it: profile" one_word
prof_tst "a source that understands plain ACKs only: ack_form" ack_form plain plain-only
prof_tst "... ACKs with a state of zeros only" ack_form zero zero-only
prof_tst "... that sends a packet at a time, and does not ask: ack_per_packet" each_packet
prof_tst "... that fails after five NACKs for shortage" no_holds
prof_tst "... by rule: holds" no_holds holds 0
prof_tst "... that restarted and must not be probed" not_probed restart
prof_tst "... that did not, but seems so" not_probed live
finish
