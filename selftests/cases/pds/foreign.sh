#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Targets of other implementations (foreign_peer.py), one habit at a time: what a
# sender here does with a peer that is no module like it.
#
# check: uml-debug 240 -
# check: 6.12 240 full
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../../lib.sh"

last=100

# in_form DATA_PROTECT ENCAP SWITCH...: the trailer is big-endian, both ways
in_form()
{
	local rc=0

	set_sysctl "$A" data_protect "$1"
	set_sysctl "$A" encap "$2"
	foreign "${@:3}"
	send_from_a -n 3 -s 24-3000 -w "$peer/$PID" || rc=1
	set_sysctl "$A" data_protect 2
	set_sysctl "$A" encap udp
	cat "$WORK/played"
	[ "$(played "bad crc")" = 0 ] || fail "its CRC is another one"
	return $rc
}

# No more than COUNT timeouts while a command runs
timeouts()
{
	local before limit=$1
	shift

	before=$(stat_of "$A" RtoFired)
	"$@" || return 1
	before=$(($(stat_of "$A" RtoFired) - before))
	echo "$before timeouts"
	[ "$before" -le "$limit" ]
}

# One short message after the other, each acknowledged before the next: only if
# it asks (AR), or a timeout does
lone_messages()
{
	local begin=$SECONDS

	foreign "$1-probes"
	# A machine that is slow is no reason for a timeout
	set_sysctl "$A" rto_max_ms 20000
	set_sysctl "$A" rto_min_us 4000000
	timeouts 0 send_from_a -n 1 -s 100 -w "$peer/$PID" || return 1
	for _ in 1 2 3; do
		timeouts 0 send_from_a -n 1 -s 100 -w "$peer/$PID" || return 1
	done
	cat "$WORK/played"
	# It was asked whether it answers, and knows how to say no: again after 16 s only
	[ "$1" != refuse ] ||
		[ "$(played probe)" -le $((1 + (SECONDS - begin) / 16)) ]
}

# A refusal may be forged, or the peer another one since: it is asked again
asked_again()
{
	foreign refuse-probes=1
	send_from_a -n 1 -s 100 -w "$peer/$PID" || return 1
	wait_for 10 played_once probe || return 1
	wait_for 60 after_message 2 || return 1
	cat "$WORK/played"
}

after_message()
{
	send_from_a -n 1 -s 100 -w "$peer/$PID" && [ "$(played probe)" -ge "$1" ]
}

default_timers()
{
	set_sysctl "$A" rto_min_us 1000
	set_sysctl "$A" rto_max_ms 200
	return 0
}

# What was refused ends with the answer to each of its packets: after CLEAR_CMD
# no CACK comes, nor an answer to a question about what is cleared
silent_clear()
{
	local code

	foreign silent-clear forget "refuse=$1:2"
	set_sysctl "$A" clear_time_us 1000
	case $1 in
	5)	send_from_a -n 2 -s 24-3000 -T $((10 * SLOW)) -w "$peer/$PID" ||
			return 1 ;;
	*)	send_from_a -x EREMOTEIO -n 2 -s 100 -w "$peer/$PID" ||
			return 1 ;;
	esac
	code=$(played ack_req)
	cat "$WORK/played"
	echo "asked $code times"
	[ "$code" -le 8 ]
}

# Answers that never say that they are to a retransmission, later than the first
# timeout: the timeout backs off until an answer tells a round trip, and no more
# than a few messages go again
no_echo()
{
	local n=40 retx

	default_timers
	foreign no-echo late=60
	# One at a time
	on "$A" sh -c "for i in \$(seq $n); do
		uet_send -n 1 -s 100 -w -T 60 $peer/$PID >/dev/null || exit 1
	done" || return 1
	retx=$(played retx)
	echo "$retx retransmissions for $n messages"
	[ "$retx" -le $((n / 2)) ]
}

# Its own control packets have PSNs of the other direction: they are answered,
# whatever got lost before
asked_to_close()
{
	foreign "close=$1"
	send_from_a -n 1 -s 100 -w "$peer/$PID" || return 1
	wait_for 5 played_once acked || { cat "$WORK/played"; fail "no answer"; }
	wait_for 5 played_once closed || fail "it was not closed"
}

# It asks for a close while a sender has open messages: those go on, and what follows
# goes by another context
asked_amid()
{
	foreign close=0 late=20
	send_from_a -n 600 -s 100 -b 16384 -w "$peer/$PID" || return 1
	wait_for 5 played_once closed || fail "it was not closed"
	grep -n "^opened\|^close\|^message 600$" "$WORK/played"
	[ "$(played opened)" = 2 ] || fail "$(played opened) contexts"
	[ "$(grep -n -m 1 ^closed "$WORK/played" | cut -d: -f1)" -lt \
		"$(grep -n "^message 600$" "$WORK/played" | cut -d: -f1)" ] ||
		fail "its context went on"
}

noop_back()
{
	foreign noop
	send_from_a -n 1 -s 100 -w "$peer/$PID" || return 1
	wait_for 5 played_once acked || fail "no answer"
}

# It started anew, and its ids with it: a probe that it does not take for its own
# is enough to give the context up
restarted()
{
	foreign "restart=$1" "${@:2}"
	set_sysctl "$A" rto_min_us 4000000
	send_from_a -n 1 -s 100 -w "$peer/$PID" || return 1
	wait_for 5 played_once probe || fail "no probe"
	send_from_a -n 1 -s 100 -T $((10 * SLOW)) -w "$peer/$PID"
	local rc=$?
	default_timers
	cat "$WORK/played"
	return $rc
}

# Somebody who sees nothing says in its name that it has no such context, while a
# probe is out: the packet that the answer to that names must be one that was sent
forged()
{
	local rc=0

	foreign "forged=$1"
	# Both arrive before this host has asked
	impair "$B" slot 20ms
	send_from_a -n 1 -s 100 -w "$peer/$PID" || return 1
	send_from_a -n 1 -s 100 -T $((10 * SLOW)) -w "$peer/$PID" || rc=1
	impair "$B"
	cat "$WORK/played"
	[ "$(played probe)" -gt 0 ] || fail "no probe"
	[ "$(played opened)" = 1 ] || fail "its context was given up"
	return $rc
}

# with COMMAND...: each case has a peer of its own
with()
{
	peer=10.0.0.$last
	"$@"
}

foreign_tst()
{
	last=$((last + 1))
	tst "$1" with "${@:2}"
}

setup_pair
foreign_tst "a CRC trailer, big-endian" in_form 1 udp crc
foreign_tst "directly over IP" in_form 2 ip ip
foreign_tst "... with a CRC trailer" in_form 1 ip ip crc
foreign_tst "lone short messages to who refuses probes: no timeout" \
	lone_messages refuse
default_timers
foreign_tst "... and are asked again later" asked_again
foreign_tst "... and to who is silent about them" lone_messages mute
default_timers
foreign_tst "refused by NO_MATCH, and CLEAR_CMD is taken silently" silent_clear 5
foreign_tst "... an error that is reported" silent_clear 3
foreign_tst "no echo of retx: the back-off stays until a sample" no_echo
foreign_tst "asked to close" asked_to_close 0
foreign_tst "... after packets of its own were lost" asked_to_close 3
foreign_tst "... while messages are open" asked_amid
foreign_tst "a NOOP from a target is answered" noop_back
foreign_tst "it started anew: INV_DPDCID" restarted 0x0e
foreign_tst "... PDC_HDR_MISMATCH" restarted 0x0f
foreign_tst "... to a probe only" restarted 0x0f deaf
foreign_tst "told so by somebody else: INV_DPDCID" forged 0x0e
foreign_tst "... PDC_HDR_MISMATCH" forged 0x0f
finish
